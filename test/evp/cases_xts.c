/* SPDX-License-Identifier: Apache-2.0 */
/*
 * XTS: each update is a data unit. Sequences; and what they can't show: the
 * longest data unit, the two halves of the key, a change of direction.
 */
#include "evp.h"

#include <openssl/proverr.h>

#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

void run_cases_xts(void)
{
    static const char *const texts[] = {
        /* Each update starts with the same IV again, until another comes. */
        "init e alg k0 i0; up 32; rewind; up 32; init s i1; rewind; up 32; uiv 16; oiv 16; fin",
        "init d alg k0 i0; up 32; rewind; up 32; init s i1; rewind; up 32; uiv 16; oiv 16; fin",
        "init e alg k0 i0; cipher 32; rewind; cipher 32; rewind; up 32; fin; rewind; up 32",
        "init e alg k0 i0; up 64; init s k1; rewind; up 64; init s; rewind; up 64",
        "init e alg k0 i2; up 512; feed; init d alg k0 i2; up 512; fin",
        /* Too short; and the context goes on as if nothing had been. */
        "init e alg k0 i0; up 1; up 15; up 16; up 0; up 17; up 0 in=null; up 0 in=null out=null",
        "init d alg k0 i0; up 1; up 15; up 16; up 0; up 17; up 0 in=null; up 0 in=null out=null",
        "init e alg k0 i0; cipher 1; cipher 15; cipher 16; cipher 0; cipher 17; cipher 0 in=null",
        "init d alg k0 i0; cipher 1; cipher 15; cipher 16; cipher 0; cipher 17; cipher 0 in=null",
        "init e alg k0 i0; up 32 in=null; up 32 out=null; up 32 in=null out=null; up 32",
        "init e alg k0 i0; cipher 32 in=null; cipher 32 out=null; cipher 32",
        "init e alg k0 i0; aad 16; aad 5; cipher 16 aad; up 16; fin out=null; fin outl=null",
        /* Something is missing. */
        "init e alg; up 32; cipher 32; fin",
        "init e alg k0; up 32; cipher 32; fin; init s i0; up 32",
        "init e alg i0; up 32; cipher 32; fin; init s k0; up 32",
        "init d alg i0; init d k0; up 32; init d alg; up 32",
        /* Both halves of k4 are the same: not for encryption. What was set stays. */
        "init e alg k4 i0; up 32; fin",
        "init e alg k4; init s i0; up 32; fin",
        "init d alg k4 i0; up 32; up 33; cipher 16; fin",
        "init e alg k0 i0; init e k4; up 32; init e k4 i1; up 32; uiv 16",
        "init d alg k4 i0; init e k4; up 32; copy; init e k0; up 32",
        "init d alg k4 i0; init e k0; up 32; init d k4; up 32; init e k4 i1; up 32",
        "init_ex e alg k4 i0; up 32; init_old e alg k4 i0; up 32; init_old d alg k4 i0; up 32",
        /* A change of direction without a key. */
        "init e alg k0 i0; init d; up 32",
        "init d alg k0 i0; init e; up 32",
        "init e alg k0 i0; init d; init e; up 32; init d k0; up 32",
        "init d alg k4 i0; init e; up 32",
        /* Copies. */
        "init e alg k0 i0; fork; init s i1; up 48; swap; up 48; fork; swap; up 48",
        "init e alg k0; copy; init s i0; copy; up 48; copy; rewind; up 48; fin; copy; up 17",
        "init d alg k0; dup; init s i0; dup; up 48; dup; rewind; up 48; fin; dup; up 17",
        "init e alg; fork; init e k0 i0; up 20; swap; up 20; init e k1 i1; over; swap; up 20",
        /* Parameters. */
        "init e alg; keylen 16; keylen 32; keylen 64; keylen 0; keylen -1; init e k0 i0; up 32",
        "init e alg k0 i0; set keylen:u8=32; set keylen:u8=64; set keylen:u4=7; set keylen:r8=64",
        "init e alg k0 i0 keylen:u8=64; up 32; init e i1 keylen:u8=32; up 32",
        "init e alg k0 i0; set keylen:os=R8; set keylen:i4=-1; set keylen:u16=64; up 32",
        "init e alg k0 i0; get keylen:u8; get ivlen:u8; get padding:u4; get num:u4; get nosuch:u4",
        "init e alg k0 i0; get iv:os/16; get iv:op/8; get iv:os/15; get tls-mac:op/8",
        "init e alg k0 i0; get updated-iv:os/16; get updated-iv:op/8; get updated-iv:os/17",
        "init e alg k0 i0; pad 0; get padding:u4; up 32; pad 1; num 3; get num:u4; up 32",
        "init e alg k0 i0; set padding:u4=0 num:u4=9 use-bits:u4=1 tls-version:u4=771; up 32; info",
        "init e alg k0 i0; set ivlen:u8=12; ctrl ivlen 12; gettag 16; settag 16; tlsaad 40; up 32",
        "init e alg k0 i0; toasn1; fromasn1 16; fromasn1 12; up 32; info",
        "get keylen:u8; init e alg; get keylen:u8; get iv:os/16; uiv 16; oiv 16",
    };
    char text[512];

    for (size_t i = 0; i < COUNT(texts); i++)
        run_for_modes("XTS", XTS, texts[i]);
    for (int len = 16; len <= 600; len++) {
        snprintf(text, sizeof text,
                 "init e alg k1 i%d; up %d; feed; init d k1 i%d; up %d; feed; init e k1 i1; cipher "
                 "%d; align %d %d; rewind; up %d same; init d k1 i1; up %d; up %d same",
                 len % 8, len, len % 8, len, len, len % 16, len * 7 % 16, len, len, len);
        run_for_modes("XTS of a length", XTS, text);
    }
}

/* --- Without sequences ----------------------------------------------------------------------- */

static EVP_CIPHER_CTX *start(const struct algorithm *a, int side, int enc, const uint8_t *key)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    if (ctx == NULL || !EVP_CipherInit_ex2(ctx, a->cipher[side], key, base_aad, enc, NULL))
        abort();
    return ctx;
}

static bool only_errors(int first, int second)
{
    const int reasons[] = {first, second};
    for (int i = 0; i < 2 && reasons[i] != 0; i++) {
        unsigned long e = ERR_get_error();
        if (ERR_GET_LIB(e) != ERR_LIB_PROV || ERR_GET_REASON(e) != reasons[i])
            return false;
    }
    return ERR_peek_error() == 0;
}

/* 2^20 blocks are a data unit, one byte more isn't; on both sides alike. */
static void check_longest(const struct algorithm *a)
{
    enum { LONGEST = 16 << 20 };
    uint8_t *data = calloc(1, LONGEST + 1), *out[2] = {malloc(LONGEST + 1), malloc(LONGEST + 1)};
    if (data == NULL || out[0] == NULL || out[1] == NULL)
        abort();
    for (int i = 0; i < 2; i++) {
        int n = 0;
        EVP_CIPHER_CTX *ctx = start(a, i, 1, base_tape);
        memset(out[i], CANARY, LONGEST + 1);
        check(EVP_CipherUpdate(ctx, out[i], &n, data, LONGEST + 1) == 0 && out[i][0] == CANARY &&
                  only_errors(PROV_R_XTS_DATA_UNIT_IS_TOO_LARGE, PROV_R_CIPHER_OPERATION_FAILED),
              "%s, %s: a data unit of 2^20 blocks and a byte by EVP_CipherUpdate", a->name,
              sides[i].label);
        ERR_clear_error();
        check(EVP_Cipher(ctx, out[i], data, LONGEST + 1) == -1 && out[i][0] == CANARY &&
                  only_errors(PROV_R_XTS_DATA_UNIT_IS_TOO_LARGE, 0),
              "%s, %s: the same by EVP_Cipher", a->name, sides[i].label);
        ERR_clear_error();
        check(EVP_CipherUpdate(ctx, out[i], &n, data, LONGEST) == 1 && n == LONGEST &&
                  out[i][LONGEST] == CANARY,
              "%s, %s: a data unit of 2^20 blocks", a->name, sides[i].label);
        EVP_CIPHER_CTX_free(ctx);
    }
    check(memcmp(out[0], out[1], LONGEST) == 0, "%s: a data unit of 2^20 blocks differs", a->name);
    free(data);
    free(out[0]);
    free(out[1]);
}

/* The other direction without another key: what a new context gives, and back. With both halves of
   the key the same, not to encryption. */
static void check_turns(const struct algorithm *a)
{
    uint8_t same_halves[64], got[100], expected[100];
    int n;
    for (int enc = 0; enc < 2; enc++) {
        EVP_CIPHER_CTX *fresh[2] = {start(a, REFERENCE, 0, base_tape),
                                    start(a, REFERENCE, 1, base_tape)};
        EVP_CIPHER_CTX *ctx = start(a, SUBJECT, enc, base_tape);
        for (int turn = 0; turn < 4; turn++) {
            int now = (enc + turn) % 2;
            check(EVP_CipherInit_ex2(ctx, NULL, NULL, NULL, now, NULL) == 1 &&
                      EVP_CipherUpdate(ctx, got, &n, base_tape, 100) == 1 && n == 100 &&
                      EVP_CipherUpdate(fresh[now], expected, &n, base_tape, 100) == 1 &&
                      memcmp(got, expected, sizeof got) == 0,
                  "%s: a change of direction without a key, %d", a->name, turn);
        }
        EVP_CIPHER_CTX_free(ctx);
        EVP_CIPHER_CTX_free(fresh[0]);
        EVP_CIPHER_CTX_free(fresh[1]);
    }

    memset(same_halves, 7, sizeof same_halves);
    EVP_CIPHER_CTX *ctx = start(a, SUBJECT, 0, same_halves);
    memset(got, CANARY, sizeof got);
    check(EVP_CipherInit_ex2(ctx, NULL, NULL, NULL, 1, NULL) == 1 &&
              EVP_CipherUpdate(ctx, got, &n, base_tape, 64) == 0 && got[0] == CANARY &&
              only_errors(PROV_R_XTS_DUPLICATED_KEYS, PROV_R_CIPHER_OPERATION_FAILED),
          "%s: encryption with a key of two halves that are the same, given for decryption",
          a->name);
    ERR_clear_error();
    check(EVP_Cipher(ctx, got, base_tape, 64) == -1 && only_errors(PROV_R_XTS_DUPLICATED_KEYS, 0),
          "%s: the same by EVP_Cipher", a->name);
    ERR_clear_error();
    check(EVP_CipherInit_ex2(ctx, NULL, NULL, NULL, 0, NULL) == 1 &&
              EVP_CipherUpdate(ctx, got, &n, base_tape, 64) == 1,
          "%s: and back to decryption", a->name);

    /* The halves differ in one bit, wherever it is. */
    for (int bit = 0; bit < 4 * a->key_len; bit++) {
        same_halves[bit / 8] ^= (uint8_t)(1 << bit % 8);
        check(EVP_CipherInit_ex2(ctx, NULL, same_halves, NULL, 1, NULL) == 1,
              "%s: a key whose halves differ in bit %d", a->name, bit);
        same_halves[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    check(EVP_CipherInit_ex2(ctx, NULL, same_halves, NULL, 1, NULL) == 0 &&
              only_errors(PROV_R_XTS_DUPLICATED_KEYS, 0),
          "%s: a key whose halves are the same", a->name);
    ERR_clear_error();
    EVP_CIPHER_CTX_free(ctx);
}

/* A copy of a context without a key has none either. Default's calls a function at NULL. */
static void check_copy_without_key(const struct algorithm *a)
{
    uint8_t out[64], expected[64];
    int n;
    EVP_CIPHER_CTX *ctx = start(a, SUBJECT, 1, NULL), *copy = EVP_CIPHER_CTX_new();
    EVP_CIPHER_CTX *fresh = start(a, REFERENCE, 1, base_tape);
    memset(out, CANARY, sizeof out);
    check(EVP_CIPHER_CTX_copy(copy, ctx) == 1 &&
              EVP_CipherUpdate(copy, out, &n, base_tape, 64) == 0 && out[0] == CANARY &&
              only_errors(PROV_R_CIPHER_OPERATION_FAILED, 0),
          "%s: a copy of a context without a key", a->name);
    ERR_clear_error();
    check(EVP_CipherInit_ex2(copy, NULL, base_tape, NULL, 1, NULL) == 1 &&
              EVP_CipherUpdate(copy, out, &n, base_tape, 64) == 1 &&
              EVP_CipherUpdate(fresh, expected, &n, base_tape, 64) == 1 &&
              memcmp(out, expected, sizeof out) == 0,
          "%s: and then with one", a->name);
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_CTX_free(copy);
    EVP_CIPHER_CTX_free(fresh);
}

static void check_negative(const struct algorithm *a)
{
    uint8_t out[64];
    int n;
    memset(out, CANARY, sizeof out);
    for (int enc = 0; enc < 2; enc++) {
        EVP_CIPHER_CTX *ctx = start(a, SUBJECT, enc, base_tape);
        for (int len = -1; len >= -40; len--)
            check(EVP_CipherUpdate(ctx, out, &n, base_tape, len) == 0 && out[0] == CANARY,
                  "%s: a length of %d", a->name, len);
        ERR_clear_error();
        EVP_CIPHER_CTX_free(ctx);
    }
}

void run_xts_alone(const struct algorithm *a)
{
    check_longest(a);
    check_turns(a);
    check_copy_without_key(a);
    check_negative(a);
}
