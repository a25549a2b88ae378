/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctaes where the default provider is no measure: where it is wrong by its own
 * standard, where it touches memory out of bounds, and where chance decides.
 * Each row of differences.c has its test of what is right here. TLS records in CBC
 * mode are in alone_records.c.
 */
#include "evp.h"

#include <openssl/proverr.h>

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const uint8_t key[64] = "ctaes: a key for the tests alone, and one for the tweaks of XTS";
static const uint8_t iv[128] = "and an initialisation vector for them";

static EVP_CIPHER_CTX *start(const struct algorithm *a, int side, int enc, bool with_iv)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    if (ctx == NULL ||
        !EVP_CipherInit_ex2(ctx, a->cipher[side], key, with_iv ? iv : NULL, enc, NULL))
        abort();
    return ctx;
}

static int set_octets(EVP_CIPHER_CTX *ctx, const char *name, void *data, size_t len)
{
    OSSL_PARAM params[2] = {OSSL_PARAM_construct_octet_string(name, data, len), OSSL_PARAM_END};
    return EVP_CIPHER_CTX_set_params(ctx, params);
}

/* Checks that the call failed and left exactly this error, 0 for none, on the queue. */
static void check_error(int good, int reason, const char *name, const char *what)
{
    unsigned long e = ERR_get_error();
    check(good && (reason == 0 ? e == 0
                               : ERR_GET_LIB(e) == ERR_LIB_PROV && ERR_GET_REASON(e) == reason &&
                                     ERR_peek_error() == 0),
          "%s: %s: %s, error %d:%d", name, what, good ? "failed as it should" : "didn't fail",
          ERR_GET_LIB(e), ERR_GET_REASON(e));
    ERR_clear_error();
}

/* A new direction without a new key gives what a new context would. */
static void check_direction(const struct algorithm *a)
{
    for (int first = 0; first < 2; first++) {
        uint8_t got[96], expected[96];
        int n = 0, m = 0;

        EVP_CIPHER_CTX *fresh = start(a, REFERENCE, !first, true);
        EVP_CIPHER_CTX *turned = start(a, SUBJECT, first, true);
        EVP_CIPHER_CTX_set_padding(fresh, 0);
        EVP_CIPHER_CTX_set_padding(turned, 0);
        EVP_CipherUpdate(turned, got, &n, base_tape, 20);
        bool good = EVP_CipherInit_ex2(turned, NULL, NULL, iv, !first, NULL) == 1 &&
                    EVP_CipherUpdate(turned, got, &n, base_tape, 80) == 1 &&
                    EVP_CipherUpdate(fresh, expected, &m, base_tape, 80) == 1;
        check(good && n == m && memcmp(got, expected, (size_t)n) == 0,
              "%s: after a change of direction without a key (from %s)", a->name,
              first ? "encryption" : "decryption");

        /* And back, through a copy. */
        EVP_CIPHER_CTX *copy = EVP_CIPHER_CTX_new();
        EVP_CIPHER_CTX_free(fresh);
        fresh = start(a, REFERENCE, first, true);
        EVP_CIPHER_CTX_set_padding(fresh, 0);
        good = EVP_CIPHER_CTX_copy(copy, turned) == 1 &&
               EVP_CipherInit_ex2(copy, NULL, NULL, iv, first, NULL) == 1 &&
               EVP_Cipher(copy, got, base_tape, 96) == 96 &&
               EVP_Cipher(fresh, expected, base_tape, 96) == 96;
        check(good && memcmp(got, expected, sizeof got) == 0, "%s: back, through a copy", a->name);
        EVP_CIPHER_CTX_free(copy);
        EVP_CIPHER_CTX_free(fresh);
        EVP_CIPHER_CTX_free(turned);
        ERR_clear_error();
    }
}

/* In place while a part of a block, or a block held back, is pending: the output runs
   ahead of the input. OpenSSL doesn't promise that; ctaes gives what it gives elsewhere. */
static void check_pending_in_place(const struct algorithm *a)
{
    uint8_t together[400], apart[400];
    int n, m;

    for (int enc = 0; enc < 2; enc++) {
        for (int pending = 1; pending <= 32; pending++) {
            for (int len = 1; len < 300; len += len < 36 ? 1 : 61) {
                EVP_CIPHER_CTX *one = start(a, SUBJECT, enc, true);
                EVP_CIPHER_CTX *other = start(a, REFERENCE, enc, true);
                EVP_CipherUpdate(one, together, &n, base_tape, pending);
                EVP_CipherUpdate(other, apart, &m, base_tape, pending);
                memset(together, CANARY, sizeof together);
                memset(apart, CANARY, sizeof apart);
                memcpy(together, base_tape + pending, (size_t)len);
                bool good = EVP_CipherUpdate(one, together, &n, together, len) == 1 &&
                            EVP_CipherUpdate(other, apart, &m, base_tape + pending, len) == 1;
                check(good && n == m && memcmp(together, apart, (size_t)n) == 0,
                      "%s: %d bytes in place, %d pending", a->name, len, pending);
                EVP_CIPHER_CTX_free(one);
                EVP_CIPHER_CTX_free(other);
            }
        }
    }
    ERR_clear_error();
}

/* Without a key, default calls a function that is NULL; a name that isn't one it reads as
   far as there is no zero. */
static void check_cts(const struct algorithm *a)
{
    uint8_t out[64];
    int n = -1;
    char text[] = "CS2CS2";
    OSSL_PARAM params[2] = {OSSL_PARAM_END, OSSL_PARAM_END};
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();

    if (ctx == NULL || !EVP_CipherInit_ex2(ctx, a->cipher[SUBJECT], NULL, iv, 1, NULL))
        abort();
    memset(out, CANARY, sizeof out);
    check_error(EVP_CipherUpdate(ctx, out, &n, base_tape, 20) == 0 && out[0] == CANARY,
                PROV_R_NO_KEY_SET, a->name, "an update without a key");
    params[0] = OSSL_PARAM_construct_utf8_string("cts_mode", NULL, 0);
    check_error(EVP_CIPHER_CTX_set_params(ctx, params) == 0, PROV_R_FAILED_TO_SET_PARAMETER,
                a->name, "cts_mode NULL");
    for (size_t len = 1; len < sizeof text; len++) {
        params[0] = OSSL_PARAM_construct_utf8_string("cts_mode", text, len);
        int rc = EVP_CIPHER_CTX_set_params(ctx, params);
        if (len == 3)
            check(rc == 1, "%s: cts_mode that ends with its memory", a->name);
        else
            check_error(rc == 0, PROV_R_FAILED_TO_SET_PARAMETER, a->name, "another cts_mode");
    }
    check(EVP_CipherInit_ex2(ctx, NULL, key, NULL, 1, NULL) == 1 &&
              EVP_CipherUpdate(ctx, out, &n, base_tape, 20) == 1 && n == 20,
          "%s: usable after that", a->name);
    EVP_CIPHER_CTX_free(ctx);
}

static void check_generic(const struct algorithm *a)
{
    uint8_t out[64];
    OSSL_PARAM params[2] = {OSSL_PARAM_END, OSSL_PARAM_END};
    bool block = has_mode(a, BLOCK | CTS);

    EVP_CIPHER_CTX *ctx = start(a, SUBJECT, 1, true);

    /* num: only what is below the block size. */
    for (unsigned num = block ? 16 : 1; num < 1000000000; num = num * 3 + 1) {
        params[0] = OSSL_PARAM_construct_uint("num", &num);
        check_error(EVP_CIPHER_CTX_set_params(ctx, params) == 0, PROV_R_FAILED_TO_GET_PARAMETER,
                    a->name, "num");
    }

    /* A number without data. */
    static const char *const numbers[] = {"padding", "num", "use-bits", "tls-version",
                                          "tls-mac-size"};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        params[0] = OSSL_PARAM_construct_uint(numbers[i], NULL);
        check_error(EVP_CIPHER_CTX_set_params(ctx, params) == 0, PROV_R_FAILED_TO_GET_PARAMETER,
                    a->name, "a number that is NULL");
    }

    /* EVP_Cipher with a part of a block: nothing may be written, nothing claimed. */
    for (unsigned len = 1; block && len < 48; len++) {
        memset(out, CANARY, sizeof out);
        int rc = EVP_Cipher(ctx, out, base_tape, len);
        size_t touched = 0;
        while (touched < sizeof out && out[touched] == CANARY)
            touched++;
        if (len % 16 == 0)
            check(rc == (int)len, "%s: EVP_Cipher of %u bytes: %d", a->name, len, rc);
        else
            check(rc < 0 && touched == sizeof out, "%s: EVP_Cipher of %u bytes: %d", a->name, len,
                  rc);
        ERR_clear_error();
    }
    EVP_CIPHER_CTX_free(ctx);
}

/* Lengths for which default leaves its buffers. */
static void check_gcm_bounds(const struct algorithm *a)
{
    uint8_t big[300];
    int n;
    memset(big, 7, sizeof big);

    for (int enc = 0; enc < 2; enc++) {
        EVP_CIPHER_CTX *ctx = start(a, SUBJECT, enc, false);
        for (size_t len = 13; len < sizeof big; len += 41)
            check_error(set_octets(ctx, "tlsivfixed", big, len) == 0,
                        PROV_R_FAILED_TO_GET_PARAMETER, a->name, "tlsivfixed longer than the IV");
        check_error(set_octets(ctx, "tlsivfixed", NULL, 4) == 0, PROV_R_FAILED_TO_GET_PARAMETER,
                    a->name, "tlsivfixed NULL");
        check_error(set_octets(ctx, "tlsivfixed", NULL, (size_t)-1) == 0,
                    PROV_R_FAILED_TO_GET_PARAMETER, a->name, "tlsivfixed NULL, -1");
        check_error(set_octets(ctx, "tlsaad", NULL, 13) == 0, PROV_R_INVALID_AAD, a->name,
                    "tlsaad NULL");
        check(set_octets(ctx, "tlsivfixed", big, 4) == 1, "%s: tlsivfixed", a->name);
        for (size_t len = 13; len < sizeof big; len += 41)
            check_error(set_octets(ctx, "tlsivinv", big, len) == 0, 0, a->name,
                        "tlsivinv longer than the IV");
        check_error(set_octets(ctx, "tlsivinv", big, (size_t)-1) == 0, 0, a->name,
                    "tlsivinv of -1");
        check_error(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, NULL) == 0,
                    enc ? PROV_R_FAILED_TO_GET_PARAMETER : PROV_R_FAILED_TO_GET_PARAMETER, a->name,
                    "tag NULL");
        EVP_CIPHER_CTX_free(ctx);
    }

    /* An IV so short that the 8 bytes that count up don't fit. */
    for (int len = 1; len < 8; len++) {
        EVP_CIPHER_CTX *ctx = start(a, SUBJECT, 1, false);
        uint8_t before[8] = {0}, after[8] = {0};
        size_t size = (size_t)len;
        check(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, len, NULL) == 1 &&
                  EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IV_FIXED, -1, big) == 1,
              "%s: an IV of %d bytes", a->name, len);
        EVP_CIPHER_CTX_get_updated_iv(ctx, before, size);
        if (EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_GCM_IV_GEN, len, big + 200) == 1) {
            EVP_CIPHER_CTX_get_updated_iv(ctx, after, size);
            check(memcmp(before, big + 200, size) == 0 && memcmp(before, after, size) != 0,
                  "%s: a generated IV of %d bytes", a->name, len);
        }
        check(EVP_CIPHER_CTX_get_key_length(ctx) == a->key_len &&
                  EVP_CIPHER_CTX_get_iv_length(ctx) == len,
              "%s: the context is whole after an IV of %d bytes", a->name, len);
        EVP_CIPHER_CTX_free(ctx);
        ERR_clear_error();
    }

    /* A number without data. */
    EVP_CIPHER_CTX *ctx = start(a, SUBJECT, 1, true);
    OSSL_PARAM params[2] = {OSSL_PARAM_construct_size_t("ivlen", NULL), OSSL_PARAM_END};
    check_error(EVP_CIPHER_CTX_set_params(ctx, params) == 0, PROV_R_FAILED_TO_GET_PARAMETER,
                a->name, "ivlen NULL");
    check(EVP_CipherUpdate(ctx, big, &n, base_tape, 20) == 1, "%s: usable after that", a->name);
    EVP_CIPHER_CTX_free(ctx);
}

/* After a tag that doesn't match, nothing goes on under this IV, in silence. */
static void check_bad_tag(const struct algorithm *a)
{
    uint8_t tag[16] = {1}, out[64];
    int n = -1;
    EVP_CIPHER_CTX *ctx = start(a, SUBJECT, 0, true);

    EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, tag);
    EVP_CipherUpdate(ctx, out, &n, base_tape, 33);
    memset(out, CANARY, sizeof out);
    int reason = openssl_version >= 0x40100000 ? PROV_R_BAD_DECRYPT : 0;
    check_error(EVP_CipherFinal_ex(ctx, out, &n) == 0 && n == 0 && out[0] == CANARY, reason,
                a->name, "a bad tag");
    check_error(EVP_CipherUpdate(ctx, out, &n, base_tape, 33) == 0 && n == 0 && out[0] == CANARY,
                PROV_R_CIPHER_OPERATION_FAILED, a->name, "data after a bad tag");
    check(EVP_CipherFinal_ex(ctx, out, &n) == 0, "%s: final after a bad tag", a->name);
    ERR_clear_error();
    EVP_CIPHER_CTX_free(ctx);
}

/* IVs of the module's own: different each time, and none when there is no randomness. */
static void check_randomness(const struct algorithm *a)
{
    uint8_t ivs[3][16], out[64], tag[16], back[64];
    int n;

    randomness = RANDOM_REAL;
    for (int i = 0; i < 3; i++) {
        getrandom_calls = 0;
        EVP_CIPHER_CTX *ctx = start(a, SUBJECT, 1, false);
        bool good = EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, 16, NULL) == 1 &&
                    EVP_CipherUpdate(ctx, out, &n, base_tape, 60) == 1 && n == 60 &&
                    EVP_CipherFinal_ex(ctx, out + 60, &n) == 1 &&
                    EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1 &&
                    EVP_CIPHER_CTX_get_updated_iv(ctx, ivs[i], 16) == 1;
        check(good && getrandom_calls > 0, "%s: encryption without an IV", a->name);
        EVP_CIPHER_CTX_free(ctx);

        /* What came out is a real message under that IV: default opens it. */
        ctx = start(a, REFERENCE, 0, false);
        good = EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, 16, NULL) == 1 &&
               EVP_CipherInit_ex2(ctx, NULL, NULL, ivs[i], 0, NULL) == 1 &&
               EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, tag) == 1 &&
               EVP_CipherUpdate(ctx, back, &n, out, 60) == 1 &&
               EVP_CipherFinal_ex(ctx, back + 60, &n) == 1;
        check(good && memcmp(back, base_tape, 60) == 0, "%s: opened again", a->name);
        EVP_CIPHER_CTX_free(ctx);
    }
    check(memcmp(ivs[0], ivs[1], 16) != 0 && memcmp(ivs[1], ivs[2], 16) != 0 &&
              memcmp(ivs[0], ivs[2], 16) != 0,
          "%s: generated IVs differ", a->name);

    randomness = RANDOM_FAILS;
    EVP_CIPHER_CTX *ctx = start(a, SUBJECT, 1, false);
    memset(out, CANARY, sizeof out);
    check_error(EVP_CipherUpdate(ctx, out, &n, base_tape, 60) == 0 && n == 0 && out[0] == CANARY,
                PROV_R_CIPHER_OPERATION_FAILED, a->name, "encryption without randomness");
    check(EVP_CIPHER_CTX_get_updated_iv(ctx, back, 12) == 0, "%s: no IV without randomness",
          a->name);
    check_error(set_octets(ctx, "tlsivfixed", back, 4) == 0, PROV_R_FAILED_TO_GET_PARAMETER,
                a->name, "tlsivfixed without randomness");
    check(EVP_CipherUpdate(ctx, out, &n, base_tape, 60) == 0 && out[0] == CANARY, "%s: still no IV",
          a->name);
    ERR_clear_error();
    randomness = RANDOM_REAL;
    check(EVP_CipherUpdate(ctx, out, &n, base_tape, 60) == 1, "%s: randomness is back", a->name);
    EVP_CIPHER_CTX_free(ctx);
    randomness = RANDOM_KNOWN;
}

/* EVP_Cipher of no bytes, and REAL without data: nothing happens (see undefined.c). */
static void check_nothing(const struct algorithm *a)
{
    uint8_t out[2][64], tag[2][16];
    OSSL_PARAM params[2] = {OSSL_PARAM_construct_double("keylen", NULL), OSSL_PARAM_END};
    EVP_CIPHER_CTX *ctx[2];

    for (int i = 0; i < 2; i++) {
        ctx[i] = start(a, i, 1, true);
        memset(out[i], CANARY, sizeof out[i]);
        EVP_Cipher(ctx[i], NULL, base_aad, 5);
        if (i == SUBJECT)
            check(EVP_Cipher(ctx[i], out[i], base_tape, 0) == 0, "%s: EVP_Cipher of nothing",
                  a->name);
        EVP_Cipher(ctx[i], NULL, base_aad + 5, 13);
        EVP_Cipher(ctx[i], out[i], base_tape, 20);
        EVP_Cipher(ctx[i], NULL, NULL, 0);
        check(EVP_CIPHER_CTX_ctrl(ctx[i], EVP_CTRL_AEAD_GET_TAG, 16, tag[i]) == 1, "%s: tag",
              a->name);
    }
    check(memcmp(out[0], out[1], 64) == 0 && memcmp(tag[0], tag[1], 16) == 0,
          "%s: EVP_Cipher of nothing changes the message", a->name);
    check(EVP_CIPHER_CTX_get_params(ctx[SUBJECT], params) == 1 &&
              params[0].return_size == sizeof(double),
          "%s: the size of a real number", a->name);
    EVP_CIPHER_CTX_free(ctx[0]);
    EVP_CIPHER_CTX_free(ctx[1]);
    ERR_clear_error();
}

/* A TLS record at NULL. In a process of its own: default crashes. */
static void check_record_at_null(const struct algorithm *a)
{
    for (int enc = 0; enc < 2; enc++) {
        fflush(stdout);
        pid_t child = fork();
        if (child < 0)
            abort();
        if (child == 0) {
            uint8_t fixed[4] = {0}, aad[13] = {[12] = 100};
            int n = 0;
            EVP_CIPHER_CTX *ctx = start(a, SUBJECT, enc, false);
            _exit(!(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IV_FIXED, 4, fixed) == 1 &&
                    EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_TLS1_AAD, 13, aad) == 16 &&
                    EVP_CipherUpdate(ctx, NULL, &n, NULL, 124) == 0 && n == 0));
        }
        int status = 0;
        waitpid(child, &status, 0);
        check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s: a TLS record at NULL: %s",
              a->name, WIFSIGNALED(status) ? "it crashes" : "it doesn't fail");
    }
}

static void check_core_param(const struct algorithm *a)
{
    char *core = NULL;
    OSSL_PARAM params[2] = {OSSL_PARAM_construct_utf8_ptr("core", &core, 0), OSSL_PARAM_END};
    EVP_CIPHER_CTX *ctx = start(a, SUBJECT, 1, true);
    check(EVP_CIPHER_CTX_get_params(ctx, params) == 1 && core != NULL &&
              strcmp(core, core_name) == 0,
          "%s: the context's core is %s", a->name, core != NULL ? core : "(none)");
    EVP_CIPHER_CTX_free(ctx);
}

/* A negative length, which EVP hands on as a size beyond all memory, is refused, whatever waits
   in the context, and the context goes on as if nothing had happened. The default provider reads
   and writes out of bounds for most of these. */
static void check_negative_length(const struct algorithm *a)
{
    /* CBC-CTS takes a message at once. */
    for (int held = 0; held <= (a->mode == CTS_MODE ? 0 : 16); held++) {
        uint8_t got[96] = {0}, expected[96] = {0};
        int n = 0, m = 0, more = 0;
        EVP_CIPHER_CTX *disturbed = start(a, SUBJECT, 1, true);
        EVP_CIPHER_CTX *undisturbed = start(a, SUBJECT, 1, true);
        bool good = held == 0 ||
                    (EVP_CipherUpdate(disturbed, got, &n, base_tape, held) == 1 &&
                     EVP_CipherUpdate(undisturbed, expected, &m, base_tape, held) == 1 && n == m);
        for (int len = -1; len >= -40; len--)
            good &= EVP_CipherUpdate(disturbed, got + n, &more, base_tape, len) == 0;
        good &= EVP_CipherUpdate(disturbed, got + n, &more, base_tape, 32) == 1 &&
                EVP_CipherUpdate(undisturbed, expected + m, &m, base_tape, 32) == 1 && more == m;
        check(good && memcmp(got, expected, sizeof got) == 0, "%s: negative lengths after %d bytes",
              a->name, held);
        ERR_clear_error();
        EVP_CIPHER_CTX_free(disturbed);
        EVP_CIPHER_CTX_free(undisturbed);
    }
}

/* Key wrap: no key, a direction without a new key, keys that aren't intact, and no byte
   written beyond what the output needs. */
static void check_wrap(const struct algorithm *a)
{
    const bool padded = strstr(a->name, "-PAD") != NULL;
    const size_t plain_len = padded ? 29 : 32;
    uint8_t wrapped[48], out[48], zeros[48] = {0};
    int n = 0;

    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    if (ctx == NULL || !EVP_CipherInit_ex2(ctx, a->cipher[SUBJECT], NULL, NULL, 1, NULL))
        abort();
    check_error(EVP_CipherUpdate(ctx, out, &n, base_tape, 16) == 0, PROV_R_NO_KEY_SET, a->name,
                "wrapping without a key");
    EVP_CIPHER_CTX_free(ctx);

    ctx = start(a, SUBJECT, 1, false);
    for (int len = -1; len >= -40; len--)
        check(EVP_CipherUpdate(ctx, out, &n, base_tape, len) == 0 && ERR_get_error() != 0,
              "%s: a length of %d", a->name, len); /* refused by EVP itself since 3.0.22 */
    check(EVP_CipherUpdate(ctx, wrapped, &n, base_tape, (int)plain_len) == 1 && n == 40,
          "%s: wrapping", a->name);

    memset(out, CANARY, sizeof out);
    check(EVP_CipherInit_ex2(ctx, NULL, NULL, NULL, 0, NULL) == 1 &&
              EVP_CipherUpdate(ctx, out, &n, wrapped, 40) == 1 && n == (int)plain_len &&
              memcmp(out, base_tape, plain_len) == 0 && out[32] == CANARY,
          "%s: unwrapping after a change of direction without a key", a->name);
    for (int bit = 0; bit < 40 * 8; bit++) {
        wrapped[bit / 8] ^= (uint8_t)(1 << bit % 8);
        memset(out, CANARY, sizeof out);
        EVP_CipherInit_ex2(ctx, NULL, NULL, NULL, 0, NULL);
        check_error(EVP_CipherUpdate(ctx, out, &n, wrapped, 40) == 0,
                    PROV_R_CIPHER_OPERATION_FAILED, a->name, "a key that isn't intact");
        check(memcmp(out, zeros, 32) == 0 && out[32] == CANARY,
              "%s: what isn't intact leaves zeros, and no more of them than there is room for",
              a->name);
        wrapped[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    check(EVP_CipherInit_ex2(ctx, NULL, NULL, NULL, 0, NULL) == 1 &&
              EVP_CipherUpdate(ctx, out, &n, wrapped, 40) == 1 && n == (int)plain_len,
          "%s: unwrapping goes on after what isn't intact", a->name);
    EVP_CIPHER_CTX_free(ctx);
    ERR_clear_error();
}

void run_ctaes_alone(void)
{
    for (size_t i = 0; i < nalgorithms; i++) {
        const struct algorithm *a = &algorithms[i];
        ERR_clear_error();
        check_core_param(a);
        if (is_wrap(a))
            check_wrap(a);
        else if (has_mode(a, XTS))
            run_xts_alone(a);
        else if (!has_mode(a, CCM | SIVS)) /* alone_whole.c, siv_alone.c have their own */
            check_negative_length(a);
        run_whole_alone(a);
        if (has_mode(a, BLOCK | CTS))
            check_direction(a);
        if (has_mode(a, BLOCK))
            check_pending_in_place(a);
        if (a->mode == CTS_MODE)
            check_cts(a);
        if (has_mode(a, GENERIC))
            check_generic(a);
        if (a->mode == EVP_CIPH_GCM_MODE) {
            check_gcm_bounds(a);
            check_bad_tag(a);
            check_nothing(a);
            check_record_at_null(a);
            check_randomness(a);
        }
    }
}
