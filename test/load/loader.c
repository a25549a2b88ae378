/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that loads ctaes as programs do, OSSL_PROVIDER_load, and says what
 * it sees: one fact a line, its name first.
 *
 *   loader FOLDER         loads FOLDER/ctaes.so and nothing else, prints what it
 *                         says of itself, and compares all of its ciphers with
 *                         the default provider's
 *   loader FOLDER COUNT   prints the microseconds that the first load takes, and
 *                         the median of COUNT loads after it
 *
 *   loaded yes                     or no
 *   error ...                      for each entry of the error queue, after
 *                                  loading and after unloading
 *   core, cores-passed-over, buildinfo ...     provider parameters
 *   compared 48                    messages, both ways
 *   different AES-128-CBC ...      what is not as it should be
 *
 * The exit status is 0 unless the program itself can't go on: whether what it
 * saw is right is for test/load/run to say.
 */
#define _GNU_SOURCE /* clock_gettime */
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LONGEST = 16 * 71 + 13, AAD_LEN = 16 * 6 + 5, TAG_LEN = 16 };

/* Longer than any core's batch; one that its shortest loop does; one between. */
static const int lengths[] = {16, 16 * 5, LONGEST};

static unsigned compared;

/* Ends the program where it isn't the module that is at fault. */
static void need(int good, const char *what)
{
    if (good)
        return;
    printf("can't go on: %s\n", what);
    ERR_print_errors_fp(stdout);
    exit(2);
}

static void print_errors(void)
{
    unsigned long code;
    const char *file, *func, *data;
    int line, flags;
    while ((code = ERR_get_error_all(&file, &line, &func, &data, &flags)) != 0) {
        const char *reason = ERR_reason_error_string(code);
        printf("error %s: %s\n", reason != NULL ? reason : "?", flags & ERR_TXT_STRING ? data : "");
    }
}

static void print_param(const OSSL_PROVIDER *provider, const char *name)
{
    const char *value = NULL;
    OSSL_PARAM query[] = {OSSL_PARAM_utf8_ptr(name, &value, 0), OSSL_PARAM_END};
    if (OSSL_PROVIDER_get_params(provider, query) && value != NULL)
        printf("%s %s\n", name, value);
}

/* --- Comparing with the default provider --- */

struct result {
    int status;
    int len;
    unsigned char out[LONGEST + 32];
    unsigned char tag[TAG_LEN];
};

/* Encrypts (decrypts) len bytes of in; tag is what an AEAD's decryption is to find. */
static void run(struct result *r, const EVP_CIPHER *cipher, int encrypt, const unsigned char *in,
                int len, const unsigned char *tag)
{
    unsigned char key[64], iv[16], aad[AAD_LEN];
    for (size_t i = 0; i < sizeof key; i++)
        key[i] = (unsigned char)(7 * i + 1);
    for (size_t i = 0; i < sizeof iv; i++)
        iv[i] = (unsigned char)(0xf0 + i);
    memset(aad, 0xa5, sizeof aad);

    const int aead = (EVP_CIPHER_get_flags(cipher) & EVP_CIPH_FLAG_AEAD_CIPHER) != 0;
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    need(ctx != NULL, "no context");
    memset(r, 0, sizeof *r);
    EVP_CIPHER_CTX_set_flags(ctx, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
    int n = 0, last = 0, ignored;
    /* Short messages with little AAD take a way of their own. */
    const int aad_len = len <= 16 ? 5 : AAD_LEN;
    /* CCM must know all lengths before: of its tag, then of the data. */
    const int ccm = EVP_CIPHER_get_mode(cipher) == EVP_CIPH_CCM_MODE;
    r->status =
        EVP_CipherInit_ex2(ctx, cipher, NULL, NULL, encrypt, NULL) &&
        (!ccm || EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, TAG_LEN, NULL)) &&
        EVP_CipherInit_ex2(ctx, NULL, key, iv, encrypt, NULL) &&
        (!aead || encrypt ||
         EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, TAG_LEN, (void *)(uintptr_t)tag)) &&
        (!ccm || EVP_CipherUpdate(ctx, NULL, &ignored, NULL, len)) &&
        (!aead || EVP_CipherUpdate(ctx, NULL, &ignored, aad, aad_len)) &&
        EVP_CipherUpdate(ctx, r->out, &n, in, len) && EVP_CipherFinal_ex(ctx, r->out + n, &last) &&
        (!aead || !encrypt || EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, TAG_LEN, r->tag));
    r->len = n + last;
    EVP_CIPHER_CTX_free(ctx);
    ERR_clear_error();
}

static void compare_length(const EVP_CIPHER *ours, const EVP_CIPHER *theirs, int len)
{
    unsigned char message[LONGEST + 8];
    /* Keys to be wrapped have 16, 24, ... bytes. */
    if (EVP_CIPHER_get_mode(ours) == EVP_CIPH_WRAP_MODE)
        len = len < 16 ? 16 : (len + 7) / 8 * 8;
    for (int i = 0; i < len; i++)
        message[i] = (unsigned char)(i * i / 16 + 3 * i);

    struct result right, r;
    run(&right, theirs, 1, message, len, NULL);
    need(right.status || theirs == ours, "the default provider doesn't encrypt");
    run(&r, ours, 1, message, len, NULL);
    compared++;
    if (!r.status || r.len != right.len || memcmp(r.out, right.out, (size_t)r.len) != 0 ||
        memcmp(r.tag, right.tag, TAG_LEN) != 0)
        printf("different %s encrypts %d bytes\n", EVP_CIPHER_get0_name(ours), len);

    run(&r, ours, 0, right.out, right.len, right.tag);
    compared++;
    if (!r.status || r.len != len || memcmp(r.out, message, (size_t)len) != 0)
        printf("different %s decrypts %d bytes\n", EVP_CIPHER_get0_name(ours), len);
}

static void compare_cipher(EVP_CIPHER *ours, void *default_libctx)
{
    const char *name = EVP_CIPHER_get0_name(ours);
    EVP_CIPHER *theirs = EVP_CIPHER_fetch(default_libctx, name, NULL);
    /* GCM-SIV, which older default providers lack, must at least give back what it got. */
    if (theirs == NULL && strstr(name, "-GCM-SIV") != NULL && EVP_CIPHER_up_ref(ours))
        theirs = ours;
    need(theirs != NULL, name);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        compare_length(ours, theirs, lengths[i]);
    EVP_CIPHER_free(theirs);
}

static void show(const char *folder)
{
    OSSL_LIB_CTX *libctx = OSSL_LIB_CTX_new(), *default_libctx = OSSL_LIB_CTX_new();
    need(libctx != NULL && default_libctx != NULL, "no library context");
    need(OSSL_PROVIDER_set_default_search_path(libctx, folder), folder);
    OSSL_PROVIDER *standard = OSSL_PROVIDER_load(default_libctx, "default");
    need(standard != NULL, "no default provider");
    need(ERR_peek_error() == 0, "errors before anything is loaded");

    OSSL_PROVIDER *ctaes = OSSL_PROVIDER_load(libctx, "ctaes");
    printf("loaded %s\n", ctaes != NULL ? "yes" : "no");
    print_errors();
    if (ctaes != NULL) {
        print_param(ctaes, "core");
        print_param(ctaes, "cores-passed-over");
        print_param(ctaes, "buildinfo");
        EVP_CIPHER_do_all_provided(libctx, compare_cipher, default_libctx);
        printf("compared %u\n", compared);
        ERR_clear_error();
        need(OSSL_PROVIDER_unload(ctaes), "it can't be unloaded");
        print_errors();
    }
    OSSL_PROVIDER_unload(standard);
    OSSL_LIB_CTX_free(default_libctx);
    OSSL_LIB_CTX_free(libctx);
}

/* --- What loading costs --- */

/* In a library context of its own, as a provider that was unloaded waits there,
   set up, for the next time that it is asked for. */
static double time_load(const char *folder)
{
    struct timespec from, to;
    OSSL_LIB_CTX *libctx = OSSL_LIB_CTX_new();
    need(libctx != NULL, "no library context");
    need(OSSL_PROVIDER_set_default_search_path(libctx, folder), folder);
    clock_gettime(CLOCK_MONOTONIC, &from);
    OSSL_PROVIDER *ctaes = OSSL_PROVIDER_load(libctx, "ctaes");
    clock_gettime(CLOCK_MONOTONIC, &to);
    need(ctaes != NULL, "it doesn't load");
    OSSL_PROVIDER_unload(ctaes);
    OSSL_LIB_CTX_free(libctx);
    return 1e6 * (double)(to.tv_sec - from.tv_sec) + 1e-3 * (double)(to.tv_nsec - from.tv_nsec);
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_times(const char *folder, size_t count)
{
    double *later = calloc(count, sizeof *later);
    need(count > 0 && later != NULL, "no memory");
    const double first = time_load(folder);
    for (size_t i = 0; i < count; i++)
        later[i] = time_load(folder);
    qsort(later, count, sizeof *later, compare_doubles);
    printf("%.1f %.1f\n", first, later[count / 2]);
    free(later);
}

int main(int argc, char **argv)
{
    if (argc == 2)
        show(argv[1]);
    else if (argc == 3)
        print_times(argv[1], strtoul(argv[2], NULL, 10));
    else
        return 2;
    return 0;
}
