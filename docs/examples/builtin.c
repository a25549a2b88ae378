/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program of libcrypto's with ctaes inside: encrypts standard input with AES-128-CTR under a key
 * and an IV of zeros, and says whose AES it was.
 *
 *      cc builtin.c $(pkg-config --cflags --libs ctaes-provider) -o builtin
 *      ./builtin code < plain > encrypted              activated here
 *      OPENSSL_CONF=... ./builtin conf < plain > encrypted   activated by the configuration
 */
#include <ctaes-provider.h>

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

#include <stdio.h>
#include <string.h>

static int fail(const char *what)
{
    fprintf(stderr, "builtin: %s\n", what);
    ERR_print_errors_fp(stderr);
    return 1;
}

int main(int argc, char **argv)
{
    const unsigned char zeros[16] = {0};
    unsigned char in[4096], out[sizeof in];

    /* First of all: what comes next reads the configuration, which may name ctaes. */
    if (OSSL_PROVIDER_add_builtin(NULL, "ctaes", ctaes_provider_init) != 1)
        return fail("OSSL_PROVIDER_add_builtin");
    if (argc == 2 && strcmp(argv[1], "code") == 0 &&
        (OSSL_PROVIDER_load(NULL, "default") == NULL || OSSL_PROVIDER_load(NULL, "ctaes") == NULL ||
         EVP_set_default_properties(NULL, "?provider=ctaes") != 1))
        return fail("ctaes can't be activated");

    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, "AES-128-CTR", NULL);
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    if (cipher == NULL || ctx == NULL || EVP_EncryptInit_ex2(ctx, cipher, zeros, zeros, NULL) != 1)
        return fail("AES-128-CTR");
    fprintf(stderr, "provider %s\n", OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(cipher)));

    for (size_t len; (len = fread(in, 1, sizeof in, stdin)) > 0;) {
        int out_len;
        if (EVP_EncryptUpdate(ctx, out, &out_len, in, (int)len) != 1 ||
            fwrite(out, 1, (size_t)out_len, stdout) != len)
            return fail("encrypting");
    }
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_free(cipher);
    return 0;
}
