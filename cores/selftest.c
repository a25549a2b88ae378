/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Known-answer test of a core, run at load: the last line of defence against a
 * CPU whose instructions are wrong (openssl/openssl#31246 is one whose AES-NI
 * CBC decrypted wrongly), a virtual machine that emulates them wrongly, or a
 * compiler that broke one file.
 *
 * The questions are chosen for cost, since ct32 must answer them too, every
 * time that a program starts:
 *
 *   - FIPS 197's examples, one block for each key size, both ways.
 *   - One message of 111 blocks and 13 bytes for all else, under the AES-256 key
 *     of these examples. It enters every core's widest loop, counter-mode caching
 *     (from 64 blocks on) included, and leaves all of the narrower ones
 *     something to do: 111 is 64 + 32 + 8 + 4 + 2 + 1. Its first one to seven
 *     vectors are asked for again by themselves.
 *   - Its counter wraps in the last 32 bits after 38 blocks.
 *
 * Of long answers only a checksum is kept. test/cpu/selftest.py computes all of
 * the constants below anew, with Python's cryptography, and compares.
 *
 * Nothing here is secret.
 */
#include "selftest.h"

#include "bytes.h"

#include <stdbool.h>

enum {
    BLOCKS = 111,
    TAIL = 13,
    LEN = 16 * BLOCKS + TAIL,
    /* Room for the largest key structures of any core. */
    KEY_ROOM = 4096,
    GHASH_ROOM = 12288
};

/* FIPS 197 appendix C: the key is 00 01 02 ..., the plaintext 00 11 22 ... */
static const uint8_t fips_197[3 * 16] = {
    0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30, 0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a,
    0xdd, 0xa9, 0x7c, 0xa4, 0x86, 0x4c, 0xdf, 0xe0, 0x6e, 0xaf, 0x70, 0xa0, 0xec, 0x0d, 0x71, 0x91,
    0x8e, 0xa2, 0xb7, 0xca, 0x51, 0x67, 0x45, 0xbf, 0xea, 0xfc, 0x49, 0x90, 0x4b, 0x49, 0x60, 0x89};

/* The IV of CBC and the first counter block. */
static const uint8_t start[16] = {0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07,
                                  0x08, 0x09, 0x0a, 0x0b, 0xff, 0xff, 0xff, 0xda};
/* The counter block after BLOCKS blocks. */
static const uint8_t ctr_end[16] = {0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07,
                                    0x08, 0x09, 0x0a, 0x0b, 0x00, 0x00, 0x00, 0x49};

/* The answers: checksums of the output of ECB, CBC both ways and CTR, E(start),
   and GHASH of the message's and of the CTR ciphertext's whole blocks. */
#define ECB_SUM UINT64_C(0x2bfee3b16eeb1436)
#define CBC_SUM UINT64_C(0xc107ffac8c5be364)
#define CBC_DECRYPTED_SUM UINT64_C(0x8d85538910bd23cc)
#define CTR_SUM UINT64_C(0xb1c63b3e3ac5c27b)
static const uint8_t encrypted_start[16] = {0x50, 0xe6, 0x91, 0xd3, 0xf4, 0x65, 0x34, 0xc7,
                                            0x2a, 0xac, 0xff, 0x2f, 0xb7, 0x1d, 0x3e, 0xc0};
static const uint8_t ghash_message[16] = {0xab, 0x6c, 0x0d, 0x03, 0x00, 0xed, 0xef, 0x8a,
                                          0x39, 0x67, 0xce, 0xaa, 0xca, 0xdc, 0x32, 0xdc};
static const uint8_t ghash_ciphertext[16] = {0x5d, 0x8c, 0x26, 0x81, 0xb6, 0x35, 0x72, 0x32,
                                             0x00, 0xc1, 0x5d, 0x52, 0xe4, 0x7d, 0xb8, 0x9f};

/* The same of XTS with that key for both of its keys and start for IV, both ways; and
   the tweak after BLOCKS blocks. */
#define XTS_SUM UINT64_C(0xee8a1c37cbcc7fbd)
#define XTS_DECRYPTED_SUM UINT64_C(0x7ec7fda5fd030832)
static const uint8_t xts_end[16] = {0x78, 0xf9, 0xd3, 0xe1, 0xdf, 0xe7, 0xdb, 0x28,
                                    0x14, 0x18, 0xc9, 0x45, 0xda, 0x2f, 0x19, 0xf3};

/* A checksum that depends on the place of every bit: multiplication carries a
   difference upwards, the shift downwards. */
static uint64_t sum_bytes(const uint8_t *p, size_t len)
{
    uint64_t sum = len;
    while (len > 0) {
        uint8_t word[8] = {0};
        const size_t n = len < 8 ? len : 8;
        memcpy(word, p, n);
        sum = (sum ^ load_le64(word)) * UINT64_C(0x100000001b3);
        sum ^= sum >> 29;
        p += n;
        len -= n;
    }
    return sum;
}

static bool same(const uint8_t *a, const uint8_t *b, size_t len)
{
    return memcmp(a, b, len) == 0;
}

/* One core under test: its keys, the message, and room for what comes out. */
struct test {
    _Alignas(CTAES_ALIGN) uint8_t key_room[KEY_ROOM];
    _Alignas(CTAES_ALIGN) uint8_t ghash_room[GHASH_ROOM];
    struct ctaes_aes_key *key;
    struct ctaes_ghash_key *hk;
    uint8_t message[LEN], out[LEN], other[LEN];
};

static const char *test_blocks(const struct ctaes_core *core, struct test *t)
{
    uint8_t k[32], plain[16], x[16];
    for (uint8_t i = 0; i < 32; i++)
        k[i] = i;
    for (uint8_t i = 0; i < 16; i++)
        plain[i] = (uint8_t)(0x11 * i);
    for (size_t i = 0; i < 3; i++) {
        core->expand_key(t->key, k, 16 + 8 * i);
        core->encrypt(t->key, x, plain, 1);
        if (!same(x, fips_197 + 16 * i, 16))
            return "key setup or encryption of a block";
        if (core->prepare_decrypt != NULL)
            core->prepare_decrypt(t->key);
        core->decrypt(t->key, x, x, 1);
        if (!same(x, plain, 16))
            return "key setup for decryption or decryption of a block";
    }
    return NULL;
}

/* Lengths of one to seven vectors, as far as a batch's eighth is one: short runs
   have code of their own for each number of vectors. */
static size_t short_run(const struct ctaes_core *core, size_t nvectors)
{
    const size_t nblocks = nvectors * (core->batch < 8 ? 1 : core->batch / 8);
    return nblocks < BLOCKS ? nblocks : BLOCKS;
}

static const char *test_ecb(const struct ctaes_core *core, struct test *t)
{
    core->encrypt(t->key, t->out, t->message, BLOCKS);
    if (sum_bytes(t->out, 16 * BLOCKS) != ECB_SUM)
        return "encryption of many blocks";
    core->decrypt(t->key, t->out, t->out, BLOCKS);
    if (!same(t->out, t->message, 16 * BLOCKS))
        return "decryption of many blocks";
    for (size_t n = 1; n < 8; n++) {
        const size_t nblocks = short_run(core, n);
        core->encrypt(t->key, t->out, t->message, nblocks);
        core->decrypt(t->key, t->out, t->out, nblocks);
        if (!same(t->out, t->message, 16 * nblocks))
            return "encryption or decryption of some blocks";
    }
    return NULL;
}

static const char *test_cbc(const struct ctaes_core *core, struct test *t)
{
    uint8_t iv[16];
    if (core->cbc_encrypt != NULL) {
        memcpy(iv, start, 16);
        core->cbc_encrypt(t->key, iv, t->out, t->message, BLOCKS);
        if (sum_bytes(t->out, 16 * BLOCKS) != CBC_SUM || !same(iv, t->out + 16 * (BLOCKS - 1), 16))
            return "CBC encryption";
    }
    if (core->cbc_decrypt != NULL) {
        memcpy(iv, start, 16);
        memcpy(t->out, t->message, LEN);
        core->cbc_decrypt(t->key, iv, t->out, t->out, BLOCKS);
        if (sum_bytes(t->out, 16 * BLOCKS) != CBC_DECRYPTED_SUM ||
            !same(iv, t->message + 16 * (BLOCKS - 1), 16))
            return "CBC decryption";
        for (size_t n = 1; n < 8; n++) {
            const size_t nblocks = short_run(core, n);
            memcpy(iv, start, 16);
            core->cbc_decrypt(t->key, iv, t->other, t->message, nblocks);
            if (!same(t->other, t->out, 16 * nblocks))
                return "CBC decryption of some blocks";
        }
    }
    return NULL;
}

static const char *test_ctr(const struct ctaes_core *core, struct test *t)
{
    if (core->ctr32 == NULL)
        return NULL;
    uint8_t ctr[16];
    memcpy(ctr, start, 16);
    core->ctr32(t->key, ctr, t->out, t->message, LEN);
    if (sum_bytes(t->out, LEN) != CTR_SUM || !same(ctr, ctr_end, 16))
        return "CTR";
    for (size_t n = 1; n < 8; n++) {
        const size_t len = 16 * short_run(core, n) - 3;
        memcpy(ctr, start, 16);
        core->ctr32(t->key, ctr, t->other, t->message, len);
        if (!same(t->other, t->out, len))
            return "CTR of some blocks";
    }
    return NULL;
}

static const char *test_ghash(const struct ctaes_core *core, struct test *t)
{
    /* In four runs, as short ones have code of their own. */
    uint8_t h[16] = {0}, y[16] = {0};
    core->encrypt(t->key, h, h, 1);
    core->ghash_init(t->hk, h);
    core->ghash(t->hk, y, t->message, 1);
    core->ghash(t->hk, y, t->message + 16, 2);
    core->ghash(t->hk, y, t->message + 16 * 3, 6);
    core->ghash(t->hk, y, t->message + 16 * 9, BLOCKS - 9);
    return same(y, ghash_message, 16) ? NULL : "GHASH";
}

static const char *test_gcm(const struct ctaes_core *core, struct test *t)
{
    uint8_t ctr[16], ej0[16], y[16] = {0};
    if (core->gcm_encrypt != NULL) {
        memcpy(ctr, start, 16);
        memcpy(ej0, start, 16);
        core->gcm_encrypt(t->key, t->hk, ctr, y, ej0, t->out, t->message, LEN);
        if (sum_bytes(t->out, LEN) != CTR_SUM || !same(ctr, ctr_end, 16) ||
            !same(ej0, encrypted_start, 16) || !same(y, ghash_ciphertext, 16))
            return "GCM encryption";
        /* GHASH alone is known to be right by now. */
        for (size_t n = 1; n < 8; n++) {
            const size_t len = 16 * short_run(core, n) + 5;
            uint8_t expected[16] = {0};
            memset(y, 0, 16);
            memcpy(ctr, start, 16);
            core->gcm_encrypt(t->key, t->hk, ctr, y, NULL, t->other, t->message, len);
            core->ghash(t->hk, expected, t->out, len / 16);
            if (!same(t->other, t->out, len) || !same(y, expected, 16))
                return "GCM encryption of some blocks";
        }
    }
    if (core->gcm_decrypt != NULL) {
        memset(y, 0, 16);
        memcpy(ctr, start, 16);
        memcpy(ej0, start, 16);
        memcpy(t->out, t->message, LEN);
        core->gcm_decrypt(t->key, t->hk, ctr, y, ej0, t->out, t->out, LEN);
        if (sum_bytes(t->out, LEN) != CTR_SUM || !same(ctr, ctr_end, 16) ||
            !same(ej0, encrypted_start, 16) || !same(y, ghash_message, 16))
            return "GCM decryption";
        for (size_t n = 1; n < 8; n++) {
            const size_t len = 16 * short_run(core, n) + 5;
            uint8_t expected[16] = {0};
            memset(y, 0, 16);
            memcpy(ctr, start, 16);
            core->gcm_decrypt(t->key, t->hk, ctr, y, NULL, t->other, t->message, len);
            core->ghash(t->hk, expected, t->message, len / 16);
            if (!same(t->other, t->out, len) || !same(y, expected, 16))
                return "GCM decryption of some blocks";
        }
    }
    return NULL;
}

static const char *test_gcm_short(const struct ctaes_core *core, struct test *t)
{
    if (core->gcm_short == NULL)
        return NULL;
    /* The keystream's blocks, with inc_32. */
    for (size_t i = 0; i < CTAES_SHORT; i += 16) {
        memcpy(t->out + i, start, 16);
        store_be32(t->out + i + 12, load_be32(start + 12) + (uint32_t)(i / 16));
    }
    core->encrypt(t->key, t->out, t->out, CTAES_SHORT / 16);
    for (size_t i = 0; i < CTAES_SHORT; i++)
        t->out[i] ^= t->message[i];

    for (size_t len = CTAES_SHORT; len >= 10; len -= 11)
        for (int encrypting = 0; encrypting < 2; encrypting++) {
            uint8_t ctr[16], ctr_after[16], ej0[16], ct[CTAES_SHORT], padded[CTAES_SHORT] = {0};
            memcpy(ctr, start, 16);
            memcpy(ej0, start, 16);
            memcpy(ctr_after, start, 16);
            store_be32(ctr_after + 12, load_be32(start + 12) + (uint32_t)(len / 16));
            memcpy(padded, encrypting ? t->out : t->message, len);
            core->gcm_short(t->key, ctr, ej0, ct, t->other, t->message, len, encrypting);
            if (!same(t->other, t->out, len) || !same(ct, padded, (len + 15) / 16 * 16) ||
                !same(ctr, ctr_after, 16) || !same(ej0, encrypted_start, 16))
                return "GCM of a short message";
        }
    return NULL;
}

static const char *test_ccm(const struct ctaes_core *core, struct test *t)
{
    /* Against single blocks: the counter's, and the chain's. */
    if (core->ccm_encrypt == NULL || core->ccm_decrypt == NULL)
        return NULL;
    for (size_t k = 1; k < 6; k++) {
        const size_t n = k < 5 ? k : BLOCKS;
        uint8_t ctr[16], mac[16] = {0}, expected[16] = {0}, x[16];
        memcpy(ctr, start, 16);
        for (size_t i = 0; i < 16 * n; i += 16) {
            xor_block(expected, expected, t->message + i);
            core->encrypt(t->key, expected, expected, 1);
            core->encrypt(t->key, x, ctr, 1);
            xor_block(t->other + i, x, t->message + i);
            store_be32(ctr + 12, load_be32(ctr + 12) + 1);
        }
        memcpy(x, start, 16);
        core->ccm_encrypt(t->key, x, mac, t->out, t->message, n);
        if (!same(t->out, t->other, 16 * n) || !same(mac, expected, 16) || !same(x, ctr, 16))
            return "CCM encryption";
        memcpy(x, start, 16);
        memset(mac, 0, 16);
        core->ccm_decrypt(t->key, x, mac, t->out, t->out, n);
        if (!same(t->out, t->message, 16 * n) || !same(mac, expected, 16) || !same(x, ctr, 16))
            return "CCM decryption";
    }
    return NULL;
}

static const char *test_ocb(const struct ctaes_core *core, struct test *t)
{
    if (core->ocb_encrypt == NULL || core->ocb_decrypt == NULL)
        return NULL;
    /* The message is its own masks, from the second block on. ECB is known to be right. */
    const uint8_t *masks = t->message + 16;
    for (size_t n = 1; n <= 8; n++) {
        const size_t nblocks = n < 8 ? short_run(core, n) : BLOCKS - 1;
        uint8_t sum[16] = {0}, expected[16] = {0};
        for (size_t i = 0; i < 16 * nblocks; i += 16) {
            xor_block(expected, expected, t->message + i);
            xor_block(t->other + i, t->message + i, masks + i);
            xor_block(t->other + i, t->other + i, start);
        }
        core->encrypt(t->key, t->other, t->other, nblocks);
        for (size_t i = 0; i < 16 * nblocks; i += 16) {
            xor_block(t->other + i, t->other + i, masks + i);
            xor_block(t->other + i, t->other + i, start);
        }
        core->ocb_encrypt(t->key, masks, start, sum, t->out, t->message, nblocks);
        if (!same(t->out, t->other, 16 * nblocks) || !same(sum, expected, 16))
            return "OCB encryption";
        core->ocb_decrypt(t->key, masks, start, sum, t->out, t->out, nblocks);
        memset(expected, 0, 16);
        if (!same(t->out, t->message, 16 * nblocks) || !same(sum, expected, 16))
            return "OCB decryption";
    }
    return NULL;
}

static const char *test_xts(const struct ctaes_core *core, struct test *t)
{
    uint8_t tweak[16];
    if (core->xts_encrypt != NULL) {
        memcpy(tweak, start, 16);
        core->xts_encrypt(t->key, t->key, tweak, t->out, t->message, BLOCKS);
        if (sum_bytes(t->out, 16 * BLOCKS) != XTS_SUM || !same(tweak, xts_end, 16))
            return "XTS encryption";
        for (size_t n = 1; n < 8; n++) {
            const size_t len = 16 * short_run(core, n);
            memcpy(tweak, start, 16);
            core->xts_encrypt(t->key, t->key, tweak, t->other, t->message, len / 16);
            if (!same(t->other, t->out, len))
                return "XTS encryption of some blocks";
        }
    }
    if (core->xts_decrypt != NULL) {
        memcpy(tweak, start, 16);
        memcpy(t->out, t->message, LEN);
        core->xts_decrypt(t->key, t->key, tweak, t->out, t->out, BLOCKS);
        if (sum_bytes(t->out, 16 * BLOCKS) != XTS_DECRYPTED_SUM || !same(tweak, xts_end, 16))
            return "XTS decryption";
        for (size_t n = 1; n < 8; n++) {
            const size_t len = 16 * short_run(core, n);
            memcpy(tweak, start, 16);
            core->xts_decrypt(t->key, t->key, tweak, t->other, t->message, len / 16);
            if (!same(t->other, t->out, len))
                return "XTS decryption of some blocks";
        }
    }
    return NULL;
}

const char *ctaes_core_selftest(const struct ctaes_core *core)
{
    static const char *(*const tests[])(const struct ctaes_core *, struct test *) = {
        test_blocks, test_ecb,       test_cbc, test_ctr, test_ghash,
        test_gcm,    test_gcm_short, test_ccm, test_ocb, test_xts,
    };
    if (core->key_size > KEY_ROOM || core->ghash_size > GHASH_ROOM)
        return "the self-test has no room for its keys";

    struct test t;
    t.key = (struct ctaes_aes_key *)(void *)t.key_room;
    t.hk = (struct ctaes_ghash_key *)(void *)t.ghash_room;
    for (size_t i = 0; i < LEN; i++)
        t.message[i] = (uint8_t)(i * i / 16 + 7 * i);
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        const char *failure = tests[i](core, &t);
        if (failure != NULL)
            return failure;
    }
    return NULL;
}
