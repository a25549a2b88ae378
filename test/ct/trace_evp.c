/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Constant time of the module by comparing traces, for cores whose instructions
 * valgrind can't run: the shipped ctaes.so, called by libcrypto, called by EVP.
 *
 *     trace_evp [--sample] <folder of ctaes.so> <control> <core>:<batch>
 *
 *                 --sample: one length, and two sets of secrets where there are three
 *
 *      EVP_CipherUpdate       libcrypto         at the program's speed
 *         module's update     glue              |
 *            mode             provider/modes    | step by step
 *               core          cores             |
 *
 * Every cipher and MAC that the module offers runs with three sets of secrets (trace.c), from the
 * context's making to its end: key setup, data in one piece, or in three with the context copied in
 * between, tag or padding. On decryption the plaintext behind the ciphertext is another each time,
 * too. Verdicts are public, so the runs that are compared have the same one; but where it is a bad
 * one, each has its first wrong byte elsewhere. Of TLS records in CBC the padding's length, whether
 * it is good and so the payload's length are secret, and another each time.
 *
 * <control> is `clean`, or makes a control of it: leaky, over the leaky core, must be caught with
 * every cipher and MAC; leaky-glue, over a good core, wherever a bad tag or padding is refused, and
 * in TLS records. Controls are a sample too.
 */
#define _GNU_SOURCE
#include "traces.h"

#include "../../provider/tls_cbc.h"

#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_ENTRIES = 4096,
    CONTROL_STEPS = 3000,      /* of the leaky core, within which it leaks: in its key setup */
    MAC_CONTROL_STEPS = 16000, /* they look up a name of a cipher before */
    SERIAL_BYTES = 40,     /* of modes that do one block after the other, more bytes show no more */
    GCM_SIV_MODE = 0x10005 /* EVP_CIPH_GCM_SIV_MODE of OpenSSL 3.2 */
};

enum verdict { NONE, GOOD, BAD };
static const char *const verdict_names[] = {"", ", good", ", bad"};

static OSSL_LIB_CTX *library;
static const char *core_name;
static bool sample, control_core, control_glue; /* controls are samples */
static size_t batch;
static int secrets = SECRETS;
static unsigned turn; /* which key size, of those that take turns */

/* What is run, and with what. */
static struct {
    EVP_CIPHER *cipher;
    EVP_MAC *mac;
    int mode;
    bool aead, cts, block; /* block: ECB or CBC, with padding */
    bool encrypting, in_pieces, tls;
    enum verdict verdict;
    size_t key_len, iv_len, aad_len, len;
    unsigned version; /* of a record in CBC; and the size of its MAC */
    size_t mac_size;
    uint8_t key[64], iv[16], aad[32], tag[16];
    uint8_t *plain, *data, *out;
    size_t room;
} w;

__attribute__((noreturn)) static void give_up(const char *what)
{
    printf("can't go on: %s\n", what);
    ERR_print_errors_fp(stdout);
    fflush(stdout);
    _Exit(2);
}

static void need(bool done, const char *what)
{
    if (!done)
        give_up(what);
}

/* --- One message ------------------------------------------------------------------------------ */

static void continue_with_copy(EVP_CIPHER_CTX **ctx)
{
    EVP_CIPHER_CTX *copy = EVP_CIPHER_CTX_new();
    need(copy != NULL && EVP_CIPHER_CTX_copy(copy, *ctx), "copy");
    EVP_CIPHER_CTX_free(*ctx);
    *ctx = copy;
}

/* Whether all of a message goes into one update. */
static bool is_whole(void)
{
    return w.cts || w.tls || w.mode == EVP_CIPH_CCM_MODE || w.mode == EVP_CIPH_SIV_MODE ||
           w.mode == GCM_SIV_MODE || w.mode == EVP_CIPH_WRAP_MODE || w.mode == EVP_CIPH_XTS_MODE;
}

/* Returns whether the updates went well; at *out_len is how many bytes came out. */
static bool pass(EVP_CIPHER_CTX **ctx, uint8_t *out, const uint8_t *in, size_t len, size_t *out_len)
{
    int n = 0;
    *out_len = 0;
    for (size_t i = 0, at = 0; i < 3; i++) {
        const size_t end = is_whole() || !w.in_pieces || i == 2 ? len
                           : i == 0                             ? len / 3
                                                                : at + (at < len);
        if (EVP_CipherUpdate(*ctx, out + *out_len, &n, in + at, (int)(end - at)) <= 0)
            return false;
        *out_len += (size_t)n;
        at = end;
        if (is_whole() || !w.in_pieces)
            return true;
        if (i == 0)
            continue_with_copy(ctx);
    }
    return true;
}

/* Key, IV, and what a mode has to be told before its data. Returns whether the key was taken. */
static bool start(EVP_CIPHER_CTX *ctx, bool encrypting, bool pads)
{
    const bool lengths =
        w.mode == EVP_CIPH_GCM_MODE || w.mode == EVP_CIPH_CCM_MODE || w.mode == EVP_CIPH_OCB_MODE;
    int n = 0;
    need(EVP_CipherInit_ex2(ctx, w.cipher, NULL, NULL, encrypting, NULL), "init");
    if (lengths)
        need(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, (int)w.iv_len, NULL) > 0, "ivlen");
    if (w.mode == EVP_CIPH_CCM_MODE)
        need(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, NULL) > 0, "tag's length");
    if (EVP_CipherInit_ex2(ctx, NULL, w.key, w.tls && w.aead ? NULL : w.iv, encrypting, NULL) <= 0)
        return false;
    if (!pads)
        need(EVP_CIPHER_CTX_set_padding(ctx, 0), "no padding");
    if (w.aead && w.tls) {
        uint8_t header[13] = {0, 0, 0, 0, 0, 0, 0, 1, 23, 3, 3, 0, 0};
        const size_t bytes = w.len + 8 + (encrypting ? 0 : 16);
        header[11] = (uint8_t)(bytes >> 8);
        header[12] = (uint8_t)bytes;
        need(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IV_FIXED, 4, w.iv) > 0 &&
                 EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_TLS1_AAD, 13, header) == 16,
             "record");
        return true;
    }
    if (w.aead && !encrypting)
        need(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, w.tag) > 0, "set tag");
    if (w.mode == EVP_CIPH_CCM_MODE && w.aad_len > 0)
        need(EVP_CipherUpdate(ctx, NULL, &n, NULL, (int)w.len), "length");
    if (w.aead && w.aad_len > 0)
        need(EVP_CipherUpdate(ctx, NULL, &n, w.aad, (int)w.aad_len), "AAD");
    return true;
}

/* Runs a message through a context of its own. Returns whether all went well. */
static bool run_message(bool encrypting, bool pads, uint8_t *out, const uint8_t *in, size_t len,
                        size_t *out_len)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    need(ctx != NULL, "EVP_CIPHER_CTX_new");
    int n = 0;
    bool good = start(ctx, encrypting, pads) && pass(&ctx, out, in, len, out_len);
    if (good && w.mode != EVP_CIPH_WRAP_MODE && !w.tls) {
        good = EVP_CipherFinal_ex(ctx, out + *out_len, &n) > 0;
        *out_len += (size_t)n;
    }
    if (good && w.aead && encrypting && !w.tls)
        need(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, w.tag) > 0, "tag");
    EVP_CIPHER_CTX_free(ctx);
    return good;
}

static void fill_secrets(int secret)
{
    fill_secret(w.key, sizeof w.key, 1, secret);
    if (secret == 2)
        w.key[w.key_len / 2] = 0; /* XTS refuses a key of two equal halves */
    fill_secret(w.plain, w.room, 2, secret);
    fill(w.iv, sizeof w.iv, 3);
    fill(w.aad, sizeof w.aad, 4);
}

/* Makes what is to be decrypted. Of paddings that are bad each secret has another fault; of good
   ones the length is public, and for `final` the same. */
static size_t make_ciphertext(int secret)
{
    static const uint8_t bad_paddings[SECRETS] = {0, 17, 16}, wrong[SECRETS] = {15, 0, 6};
    size_t len = w.len, made = 0;
    if (w.block && w.verdict == BAD) {
        len = len / 16 * 16 + 16;
        memset(w.plain + len - 16, bad_paddings[secret], 16);
        w.plain[len - 7] ^= 1;
    }
    need(run_message(true, !(w.block && w.verdict == BAD), w.data, w.plain, len, &made),
         "encryption");
    if (w.verdict == BAD && w.tls)
        w.data[made - 1 - wrong[secret]] ^= 0x10;
    else if (w.verdict == BAD && w.aead)
        w.tag[wrong[secret]] ^= 0x10;
    else if (w.verdict == BAD && w.mode == EVP_CIPH_WRAP_MODE)
        w.data[wrong[secret]] ^= 0x80;
    return made;
}

/* With records of TLS 1.2 in an AEAD, `len` counts the data alone. */
static size_t record_extra(void)
{
    return w.aead && w.tls ? 8 + 16 : 0;
}

static uint64_t run_cipher(int secret)
{
    size_t made = w.len + record_extra(), n = 0;
    fill_secrets(secret);
    w.len += record_extra();
    const size_t len = w.len;
    w.len -= record_extra();
    if (!w.encrypting) {
        if (w.tls) {
            memmove(w.data, w.plain, len);
            need(run_message(true, true, w.data, w.data, len, &made), "encryption of a record");
            if (w.verdict == BAD)
                w.data[len - 1 - (size_t)(secret * 7)] ^= 0x10;
        } else {
            made = make_ciphertext(secret);
        }
    } else if (w.tls) {
        memcpy(w.data, w.plain, len);
    }
    const uint8_t *in = w.encrypting && !w.tls ? w.plain : w.data;
    uint8_t *out = w.tls ? w.data : w.encrypting ? w.data : w.out;

    trace_calls(traces[secret]);
    const bool good = run_message(w.encrypting, true, out, in, made, &n);
    trace_calls(NULL);

    need(good == (w.verdict != BAD), "another verdict than was expected");
    if (!w.encrypting && w.verdict != BAD && !w.tls)
        need(n == w.len && memcmp(out, w.plain, n) == 0, "wrong plaintext");
    if (w.aead && w.encrypting && !w.tls)
        return digest(w.tag, sizeof w.tag);
    /* What is refused, or empty, may give nothing: then only the traces say something. */
    return w.verdict == BAD || n == 0 ? digest(w.key, w.key_len) : digest(out, n);
}

/* --- TLS records in CBC ----------------------------------------------------------------------- */

/* Where MAC-then-encrypt is used, all is secret; without a MAC, whether the padding is good isn't.
 */
static uint64_t run_record(int secret)
{
    static const uint8_t values[SECRETS] = {3, 255, 19};
    static const size_t faults[SECRETS] = {1, 255, 9};
    const uint8_t n = values[secret];
    size_t made = 0;
    fill_secrets(secret);
    memset(w.plain + w.len - n - 1, n, n + (size_t)1);
    if (w.verdict == BAD || (w.verdict == NONE && secret == 2))
        w.plain[w.len - 1 - (faults[secret] <= n ? faults[secret] : n)] ^= 1;
    const bool good = w.verdict != BAD;
    need(run_message(true, false, w.data, w.plain, w.len, &made) && made == w.len, "encryption");

    unsigned version = w.version;
    size_t mac_size = w.mac_size;
    void *mac = NULL;
    OSSL_PARAM kind[] = {OSSL_PARAM_uint(OSSL_CIPHER_PARAM_TLS_VERSION, &version),
                         OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_TLS_MAC_SIZE, &mac_size),
                         OSSL_PARAM_END};
    OSSL_PARAM ask[] = {OSSL_PARAM_octet_ptr(OSSL_CIPHER_PARAM_TLS_MAC, &mac, 0), OSSL_PARAM_END};
    int out_len = 0;
    trace_calls(traces[secret]);
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    need(ctx != NULL && EVP_CipherInit_ex2(ctx, w.cipher, w.key, w.iv, 0, NULL) &&
             EVP_CIPHER_CTX_set_params(ctx, kind),
         "init");
    const bool done = EVP_CipherUpdate(ctx, w.data, &out_len, w.data, (int)w.len) > 0;
    need(EVP_CIPHER_CTX_get_params(ctx, ask), "MAC");
    trace_calls(NULL);
    need(done == good, "another verdict than was expected");
    need((mac != NULL) == (w.mac_size > 0 && done), "no MAC");
    EVP_CIPHER_CTX_free(ctx);
    return good ? digest(w.data, w.len) : digest(w.key, w.key_len);
}

/* --- MACs ------------------------------------------------------------------------------------- */

static uint64_t run_mac(int secret)
{
    char name[32];
    size_t n = 0;
    fill_secrets(secret);
    snprintf(name, sizeof name, "AES-%zu-%s", 8 * w.key_len,
             EVP_MAC_is_a(w.mac, "GMAC") ? "GCM" : "CBC");
    OSSL_PARAM params[] = {OSSL_PARAM_utf8_string(OSSL_MAC_PARAM_CIPHER, name, 0),
                           OSSL_PARAM_octet_string(OSSL_MAC_PARAM_IV, w.iv, 12), OSSL_PARAM_END};
    trace_calls(traces[secret]);
    EVP_MAC_CTX *ctx = EVP_MAC_CTX_new(w.mac);
    need(ctx != NULL && EVP_MAC_init(ctx, w.key, w.key_len, params), "init of a MAC");
    need(EVP_MAC_update(ctx, w.plain, w.in_pieces ? w.len / 3 : w.len), "update of a MAC");
    if (w.in_pieces) {
        EVP_MAC_CTX *copy = EVP_MAC_CTX_dup(ctx);
        need(copy != NULL, "EVP_MAC_CTX_dup");
        EVP_MAC_CTX_free(ctx);
        ctx = copy;
        need(EVP_MAC_update(ctx, w.plain + w.len / 3, w.len - w.len / 3), "update of a MAC");
    }
    need(EVP_MAC_final(ctx, w.tag, &n, sizeof w.tag) && n == sizeof w.tag, "final of a MAC");
    EVP_MAC_CTX_free(ctx);
    trace_calls(NULL);
    return digest(w.tag, n);
}

/* --- All of them ------------------------------------------------------------------------------ */

static void compare(uint64_t (*run)(int secret), const char *name, const char *what)
{
    char text[200];
    const bool may_leak = w.verdict == BAD || w.mac_size > 0;
    if (control_glue && !may_leak)
        return; /* what comes out well is one way, with any glue */
    snprintf(text, sizeof text,
             "%s %s %s%s: key of %zu, data of %zu bytes%s, AAD of %zu, MAC of %zu", core_name, name,
             what, verdict_names[w.verdict], w.key_len, w.len, w.in_pieces ? " in pieces" : "",
             w.aead ? w.aad_len : 0, w.mac_size);
    compare_runs(control_core || control_glue ? ANY_LEAK : SAME, run, true, text);
}

/* Both ways, and with each verdict that there is. */
static void compare_message(const char *name)
{
    /* Where decryption starts from the tag, or the check value goes through the cipher, damage
       makes all of it wrong, so that stopping at the first wrong byte shows nothing. */
    const bool wrong_all_over =
        w.mode == EVP_CIPH_WRAP_MODE || w.mode == EVP_CIPH_SIV_MODE || w.mode == GCM_SIV_MODE;
    const bool judged =
        (w.aead || w.block || w.mode == EVP_CIPH_WRAP_MODE) && !(control_glue && wrong_all_over);
    w.encrypting = true;
    /* Whether the halves of a key of XTS are the same is a verdict, at each init. */
    const enum verdict always = w.mode == EVP_CIPH_XTS_MODE ? GOOD : NONE;
    w.verdict = always;
    compare(run_cipher, name, w.tls ? "encrypt a record" : "encrypt");
    w.encrypting = false;
    if (control_core)
        return; /* decryption begins with the same key setup */
    for (int v = judged ? GOOD : NONE; v <= (judged ? BAD : NONE); v++) {
        w.verdict = judged ? (enum verdict)v : always;
        compare(run_cipher, name, w.tls ? "decrypt a record" : "decrypt");
    }
    w.verdict = NONE;
}

/* The length that a mode has for one that is wanted: fewer where more show no more and take long,
   and none that it refuses. */
static size_t length_for(const char *name, size_t wanted)
{
    size_t most = SIZE_MAX;
    if (strstr(name, "CFB8") != NULL || strstr(name, "CFB1") == name + strlen(name) - 4)
        most = sample ? 1 : 3;
    else if (w.mode == EVP_CIPH_WRAP_MODE)
        most = sample ? 9 : 24;
    else if (w.mode == EVP_CIPH_OFB_MODE || w.mode == EVP_CIPH_CFB_MODE)
        most = SERIAL_BYTES;
    size_t len = wanted < most ? wanted : most;
    if ((w.mode == EVP_CIPH_XTS_MODE || w.cts) && len < 16)
        len = 16;
    if (w.mode == EVP_CIPH_WRAP_MODE)
        len = EVP_CIPHER_get_iv_length(w.cipher) == 4 ? len + (len == 0)
              : len < 16                              ? 16
                                                      : len / 8 * 8;
    return len;
}

static void compare_records(const char *name)
{
    static const unsigned versions[] = {CTAES_TLS1_2, CTAES_TLS1, CTAES_DTLS1_2};
    static const size_t mac_sizes[] = {20, 0, 32, 48};
    for (size_t v = 0; v < (sample ? 1 : 3); v++)
        for (size_t m = 0; m < (sample ? 2 : 4); m++) {
            w.version = versions[v];
            w.mac_size = mac_sizes[m];
            w.len = 352;
            w.verdict = w.mac_size > 0 ? NONE : GOOD;
            compare(run_record, name, "decrypt a record");
            if (w.mac_size == 0) {
                w.verdict = BAD;
                compare(run_record, name, "decrypt a record");
            }
        }
    w.mac_size = 0;
    w.verdict = NONE;
}

static void visit_cipher(EVP_CIPHER *cipher, void *count)
{
    const char *name = EVP_CIPHER_get0_name(cipher);
    const size_t wide = 16 * batch, lens[] = {17, wide + 1, 0, 1, 16, wide, 2 * wide + 5};
    ++*(unsigned *)count;
    w.cipher = cipher;
    w.mode = EVP_CIPHER_get_mode(cipher);
    w.key_len = (size_t)EVP_CIPHER_get_key_length(cipher);
    w.aead = (EVP_CIPHER_get_flags(cipher) & EVP_CIPH_FLAG_AEAD_CIPHER) != 0;
    w.cts = (EVP_CIPHER_get_flags(cipher) & EVP_CIPH_FLAG_CTS) != 0;
    w.block = !w.cts && (w.mode == EVP_CIPH_ECB_MODE || w.mode == EVP_CIPH_CBC_MODE);
    /* Each length with one of the key sizes, another for each core; XTS has but two. */
    const size_t n = sample ? 1 : batch > 32 ? 6 : sizeof lens / sizeof *lens;
    for (size_t i = 0; i < n; i++) {
        if ((i + w.key_len / 8 + turn) % 3 != 0 && w.mode != EVP_CIPH_XTS_MODE)
            continue;
        w.len = length_for(name, lens[i]);
        w.iv_len = w.mode == EVP_CIPH_CCM_MODE                 ? 7 + i % 7
                   : i % 2 == 1 && w.mode == EVP_CIPH_GCM_MODE ? 16
                                                               : 12;
        w.aad_len = i * 13 % sizeof w.aad + 5;
        w.in_pieces = (i + w.key_len / 8 + (size_t)w.mode) % 2 == 0;
        compare_message(name);
    }
    w.in_pieces = false;
    if (w.mode == EVP_CIPH_CBC_MODE && w.block && w.key_len == 32 && !control_core) {
        use_secrets(SECRETS);
        compare_records(name);
        use_secrets(secrets);
    }
    w.tls = true;
    w.len = 33;
    w.iv_len = 12;
    if (w.aead && w.key_len == 16 && (w.mode == EVP_CIPH_GCM_MODE || w.mode == EVP_CIPH_CCM_MODE))
        compare_message(name);
    w.tls = false;
}

static void visit_mac(EVP_MAC *mac, void *count)
{
    const size_t lens[] = {33, 16 * batch + 17, 0, 16};
    ++*(unsigned *)count;
    w.mac = mac;
    w.aead = false;
    if (control_core)
        cut_traces(MAC_CONTROL_STEPS);
    for (w.key_len = 16; w.key_len <= 32; w.key_len += 8)
        for (size_t i = 0; i < (sample ? 1 : sizeof lens / sizeof *lens); i++) {
            if ((i + w.key_len / 8 + turn) % 3 != 0)
                continue;
            w.len = lens[i];
            w.in_pieces = i % 2 == 0;
            compare(run_mac, EVP_MAC_get0_name(mac), "");
        }
}

/* --- The module ------------------------------------------------------------------------------- */

/* Breakpoints on all functions that the module hands out, for ciphers and MACs. */
static void find_entries(OSSL_PROVIDER *provider)
{
    static uint64_t list[MOST_ENTRIES];
    static const int operations[] = {OSSL_OP_CIPHER, OSSL_OP_MAC};
    size_t n = 0;
    int no_cache;
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        const OSSL_ALGORITHM *a = OSSL_PROVIDER_query_operation(provider, operations[i], &no_cache);
        for (; a != NULL && a->algorithm_names != NULL; a++)
            for (const OSSL_DISPATCH *d = a->implementation; d->function_id != 0; d++) {
                need(n < MOST_ENTRIES, "more functions than there is room for");
                memcpy(&list[n], &d->function, sizeof d->function);
                n += list[n] != 0; /* a function that is there for some algorithms */
            }
    }
    Dl_info info;
    need(n > 0 && dladdr((void *)(uintptr_t)list[0], &info) != 0, "where the module lies");
    read_disassembly(info.dli_fname, (uint64_t)(uintptr_t)info.dli_fbase);
    plant_entries(list, n);
}

static void trace_module(const char *folder)
{
    library = OSSL_LIB_CTX_new();
    need(setenv("CTAES_CORE", core_name, 1) == 0 && library != NULL &&
             OSSL_PROVIDER_set_default_search_path(library, folder),
         "a library context");
    OSSL_PROVIDER *provider = OSSL_PROVIDER_load(library, "ctaes");
    need(provider != NULL, "loading the module");
    const char *core = NULL;
    OSSL_PARAM ask[] = {OSSL_PARAM_utf8_ptr("core", &core, 0), OSSL_PARAM_END};
    need(OSSL_PROVIDER_get_params(provider, ask) && core != NULL && strcmp(core, core_name) == 0,
         "another core than the one asked for has been loaded");
    find_entries(provider);

    unsigned count = 0;
    EVP_CIPHER_do_all_provided(library, visit_cipher, &count);
    need(count > 0, "the module offers no algorithm");
    count = 0;
    EVP_MAC_do_all_provided(library, visit_mac, &count);
    need(count > 0, "the module offers no MAC");
}

int main(int argc, char **argv)
{
    const int options = argc > 1 && strcmp(argv[1], "--sample") == 0;
    argv += options;
    char *colon = argc == 4 + options ? strchr(argv[3], ':') : NULL;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (colon == NULL) {
        printf("usage: trace_evp [--sample] folder clean|leaky|leaky-glue core:batch\n");
        return 2;
    }
    *colon = 0;
    core_name = argv[3];
    batch = strtoul(colon + 1, NULL, 10);
    for (const char *p = core_name; *p != 0; p++)
        turn += (unsigned char)*p;
    control_core = strcmp(argv[2], "leaky") == 0;
    control_glue = strcmp(argv[2], "leaky-glue") == 0;
    sample = options || control_core || control_glue;
    if (sample) {
        secrets = 2;
        use_secrets(secrets);
    }
    w.room = 32 * batch + 512;
    w.plain = calloc(1, w.room);
    w.data = calloc(1, w.room);
    w.out = calloc(1, w.room);
    need(w.plain != NULL && w.data != NULL && w.out != NULL, "out of memory");
    open_traces();
    if (control_core)
        cut_traces(CONTROL_STEPS);
    trace_module(argv[1]);
    return finish_traces();
}
