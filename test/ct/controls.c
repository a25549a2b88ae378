/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two cores that are wrong on purpose, for the test of the detector. Both give
 * the right results.
 *
 * leaky: AES as many people write it, with a table for the S-box, looked up at
 * secret places, and GHASH that branches on each bit.
 *
 * unmarking: a real core whose functions declare their results public. This is
 * what a careless "the tool complains here, silence it" would do inside of the
 * module; memcheck reports nothing any more from there on.
 */
#include "controls.h"

#include "../../cores/bytes.h"

#include "marks.h"

#include <stdlib.h>

/* --- leaky ------------------------------------------------------------------------------------ */

struct leaky_key {
    size_t rounds;
    uint8_t rk[15][16];
};

struct leaky_ghash_key {
    uint8_t h[16];
};

/* clang-format off */
static const uint8_t sbox[256] = {
    0x63, 0x7c, 0x77, 0x7b, 0xf2, 0x6b, 0x6f, 0xc5, 0x30, 0x01, 0x67, 0x2b, 0xfe, 0xd7, 0xab, 0x76,
    0xca, 0x82, 0xc9, 0x7d, 0xfa, 0x59, 0x47, 0xf0, 0xad, 0xd4, 0xa2, 0xaf, 0x9c, 0xa4, 0x72, 0xc0,
    0xb7, 0xfd, 0x93, 0x26, 0x36, 0x3f, 0xf7, 0xcc, 0x34, 0xa5, 0xe5, 0xf1, 0x71, 0xd8, 0x31, 0x15,
    0x04, 0xc7, 0x23, 0xc3, 0x18, 0x96, 0x05, 0x9a, 0x07, 0x12, 0x80, 0xe2, 0xeb, 0x27, 0xb2, 0x75,
    0x09, 0x83, 0x2c, 0x1a, 0x1b, 0x6e, 0x5a, 0xa0, 0x52, 0x3b, 0xd6, 0xb3, 0x29, 0xe3, 0x2f, 0x84,
    0x53, 0xd1, 0x00, 0xed, 0x20, 0xfc, 0xb1, 0x5b, 0x6a, 0xcb, 0xbe, 0x39, 0x4a, 0x4c, 0x58, 0xcf,
    0xd0, 0xef, 0xaa, 0xfb, 0x43, 0x4d, 0x33, 0x85, 0x45, 0xf9, 0x02, 0x7f, 0x50, 0x3c, 0x9f, 0xa8,
    0x51, 0xa3, 0x40, 0x8f, 0x92, 0x9d, 0x38, 0xf5, 0xbc, 0xb6, 0xda, 0x21, 0x10, 0xff, 0xf3, 0xd2,
    0xcd, 0x0c, 0x13, 0xec, 0x5f, 0x97, 0x44, 0x17, 0xc4, 0xa7, 0x7e, 0x3d, 0x64, 0x5d, 0x19, 0x73,
    0x60, 0x81, 0x4f, 0xdc, 0x22, 0x2a, 0x90, 0x88, 0x46, 0xee, 0xb8, 0x14, 0xde, 0x5e, 0x0b, 0xdb,
    0xe0, 0x32, 0x3a, 0x0a, 0x49, 0x06, 0x24, 0x5c, 0xc2, 0xd3, 0xac, 0x62, 0x91, 0x95, 0xe4, 0x79,
    0xe7, 0xc8, 0x37, 0x6d, 0x8d, 0xd5, 0x4e, 0xa9, 0x6c, 0x56, 0xf4, 0xea, 0x65, 0x7a, 0xae, 0x08,
    0xba, 0x78, 0x25, 0x2e, 0x1c, 0xa6, 0xb4, 0xc6, 0xe8, 0xdd, 0x74, 0x1f, 0x4b, 0xbd, 0x8b, 0x8a,
    0x70, 0x3e, 0xb5, 0x66, 0x48, 0x03, 0xf6, 0x0e, 0x61, 0x35, 0x57, 0xb9, 0x86, 0xc1, 0x1d, 0x9e,
    0xe1, 0xf8, 0x98, 0x11, 0x69, 0xd9, 0x8e, 0x94, 0x9b, 0x1e, 0x87, 0xe9, 0xce, 0x55, 0x28, 0xdf,
    0x8c, 0xa1, 0x89, 0x0d, 0xbf, 0xe6, 0x42, 0x68, 0x41, 0x99, 0x2d, 0x0f, 0xb0, 0x54, 0xbb, 0x16,
};

static const uint8_t inverse_sbox[256] = {
    0x52, 0x09, 0x6a, 0xd5, 0x30, 0x36, 0xa5, 0x38, 0xbf, 0x40, 0xa3, 0x9e, 0x81, 0xf3, 0xd7, 0xfb,
    0x7c, 0xe3, 0x39, 0x82, 0x9b, 0x2f, 0xff, 0x87, 0x34, 0x8e, 0x43, 0x44, 0xc4, 0xde, 0xe9, 0xcb,
    0x54, 0x7b, 0x94, 0x32, 0xa6, 0xc2, 0x23, 0x3d, 0xee, 0x4c, 0x95, 0x0b, 0x42, 0xfa, 0xc3, 0x4e,
    0x08, 0x2e, 0xa1, 0x66, 0x28, 0xd9, 0x24, 0xb2, 0x76, 0x5b, 0xa2, 0x49, 0x6d, 0x8b, 0xd1, 0x25,
    0x72, 0xf8, 0xf6, 0x64, 0x86, 0x68, 0x98, 0x16, 0xd4, 0xa4, 0x5c, 0xcc, 0x5d, 0x65, 0xb6, 0x92,
    0x6c, 0x70, 0x48, 0x50, 0xfd, 0xed, 0xb9, 0xda, 0x5e, 0x15, 0x46, 0x57, 0xa7, 0x8d, 0x9d, 0x84,
    0x90, 0xd8, 0xab, 0x00, 0x8c, 0xbc, 0xd3, 0x0a, 0xf7, 0xe4, 0x58, 0x05, 0xb8, 0xb3, 0x45, 0x06,
    0xd0, 0x2c, 0x1e, 0x8f, 0xca, 0x3f, 0x0f, 0x02, 0xc1, 0xaf, 0xbd, 0x03, 0x01, 0x13, 0x8a, 0x6b,
    0x3a, 0x91, 0x11, 0x41, 0x4f, 0x67, 0xdc, 0xea, 0x97, 0xf2, 0xcf, 0xce, 0xf0, 0xb4, 0xe6, 0x73,
    0x96, 0xac, 0x74, 0x22, 0xe7, 0xad, 0x35, 0x85, 0xe2, 0xf9, 0x37, 0xe8, 0x1c, 0x75, 0xdf, 0x6e,
    0x47, 0xf1, 0x1a, 0x71, 0x1d, 0x29, 0xc5, 0x89, 0x6f, 0xb7, 0x62, 0x0e, 0xaa, 0x18, 0xbe, 0x1b,
    0xfc, 0x56, 0x3e, 0x4b, 0xc6, 0xd2, 0x79, 0x20, 0x9a, 0xdb, 0xc0, 0xfe, 0x78, 0xcd, 0x5a, 0xf4,
    0x1f, 0xdd, 0xa8, 0x33, 0x88, 0x07, 0xc7, 0x31, 0xb1, 0x12, 0x10, 0x59, 0x27, 0x80, 0xec, 0x5f,
    0x60, 0x51, 0x7f, 0xa9, 0x19, 0xb5, 0x4a, 0x0d, 0x2d, 0xe5, 0x7a, 0x9f, 0x93, 0xc9, 0x9c, 0xef,
    0xa0, 0xe0, 0x3b, 0x4d, 0xae, 0x2a, 0xf5, 0xb0, 0xc8, 0xeb, 0xbb, 0x3c, 0x83, 0x53, 0x99, 0x61,
    0x17, 0x2b, 0x04, 0x7e, 0xba, 0x77, 0xd6, 0x26, 0xe1, 0x69, 0x14, 0x63, 0x55, 0x21, 0x0c, 0x7d,
};
/* clang-format on */

static void leaky_expand_key(struct ctaes_aes_key *key, const uint8_t *k, size_t k_len)
{
    struct leaky_key *leaky = (void *)key;
    uint8_t *w = &leaky->rk[0][0];
    uint8_t rcon = 1;
    leaky->rounds = k_len / 4 + 6;
    memcpy(w, k, k_len);
    for (size_t i = k_len; i < 16 * (leaky->rounds + 1); i += 4) {
        uint8_t t[4];
        memcpy(t, w + i - 4, 4);
        if (i % k_len == 0) {
            uint8_t first = t[0];
            t[0] = sbox[t[1]] ^ rcon;
            t[1] = sbox[t[2]];
            t[2] = sbox[t[3]];
            t[3] = sbox[first];
            rcon = (uint8_t)(rcon << 1 ^ (rcon >> 7) * 0x1b);
        } else if (k_len == 32 && i % k_len == 16) {
            for (int j = 0; j < 4; j++)
                t[j] = sbox[t[j]];
        }
        for (size_t j = 0; j < 4; j++)
            w[i + j] = w[i + j - k_len] ^ t[j];
    }
}

static uint8_t times_x(uint8_t a)
{
    return (uint8_t)(a << 1 ^ (a >> 7) * 0x1b);
}

/* Multiplies each column by c0 + c1 x + ... (FIPS 197 sections 5.1.3, 5.3.3). */
static void mix_columns(uint8_t s[16], const uint8_t c[4])
{
    for (int column = 0; column < 4; column++) {
        uint8_t *p = s + 4 * column, r[4] = {0, 0, 0, 0};
        for (int i = 0; i < 4; i++) {
            uint8_t power = p[i];
            for (int bit = 0; bit < 4; bit++) {
                for (int j = 0; j < 4; j++)
                    if (c[(j - i + 4) % 4] >> bit & 1)
                        r[j] ^= power;
                power = times_x(power);
            }
        }
        memcpy(p, r, 4);
    }
}

static void leaky_encrypt(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in,
                          size_t nblocks)
{
    static const uint8_t mix[4] = {2, 1, 1, 3};
    const struct leaky_key *leaky = (const void *)key;
    for (; nblocks > 0; nblocks--, in += 16, out += 16) {
        uint8_t s[16], t[16];
        xor_block(s, in, leaky->rk[0]);
        for (size_t round = 1; round <= leaky->rounds; round++) {
            for (int i = 0; i < 16; i++)
                t[i] = sbox[s[(5 * i) % 16]];
            if (round < leaky->rounds)
                mix_columns(t, mix);
            xor_block(s, t, leaky->rk[round]);
        }
        memcpy(out, s, 16);
    }
}

static void leaky_decrypt(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in,
                          size_t nblocks)
{
    static const uint8_t mix[4] = {14, 9, 13, 11};
    const struct leaky_key *leaky = (const void *)key;
    for (; nblocks > 0; nblocks--, in += 16, out += 16) {
        uint8_t s[16], t[16];
        memcpy(s, in, 16);
        for (size_t round = leaky->rounds; round > 0; round--) {
            xor_block(s, s, leaky->rk[round]);
            if (round < leaky->rounds)
                mix_columns(s, mix);
            for (int i = 0; i < 16; i++)
                t[(5 * i) % 16] = inverse_sbox[s[i]];
            memcpy(s, t, 16);
        }
        xor_block(out, s, leaky->rk[0]);
    }
}

static void leaky_ghash_init(struct ctaes_ghash_key *hk, const uint8_t h[16])
{
    memcpy(hk, h, 16);
}

/* SP 800-38D algorithm 1, with its "if". The asm statements keep the compiler from doing better. */
static void leaky_ghash(struct ctaes_ghash_key *hk, uint8_t y[16], const uint8_t *in,
                        size_t nblocks)
{
    const struct leaky_ghash_key *leaky = (const void *)hk;
    for (; nblocks > 0; nblocks--, in += 16) {
        uint64_t z0 = 0, z1 = 0, v0 = load_be64(leaky->h), v1 = load_be64(leaky->h + 8);
        xor_block(y, y, in);
        for (int i = 0; i < 128; i++) {
            if (y[i / 8] >> (7 - i % 8) & 1) {
                z0 ^= v0;
                z1 ^= v1;
                __asm__ volatile("" : "+r"(z0));
            }
            uint64_t carry = v1 & 1;
            v1 = v1 >> 1 | v0 << 63;
            v0 >>= 1;
            if (carry) {
                v0 ^= UINT64_C(0xe1) << 56;
                __asm__ volatile("" : "+r"(v0));
            }
        }
        store_be64(y, z0);
        store_be64(y + 8, z1);
    }
}

const struct ctaes_core ctaes_core_leaky = {
    .name = "leaky",
    .batch = 2,
    .key_size = sizeof(struct leaky_key),
    .ghash_size = sizeof(struct leaky_ghash_key),
    .expand_key = leaky_expand_key,
    .encrypt = leaky_encrypt,
    .decrypt = leaky_decrypt,
    .ghash_init = leaky_ghash_init,
    .ghash = leaky_ghash,
};

/* --- unmarking: the last of the module's own cores underneath ----------------------------------
 */

/* As much as the self-test has room for. */
enum { ROOM = 4096 };

static const struct ctaes_core *base(void)
{
    size_t i = 0;
    while (ctaes_cores[i + 1] != NULL && ctaes_cores[i + 1] != &ctaes_core_leaky)
        i++;
    if (ctaes_cores[i]->key_size > ROOM || ctaes_cores[i]->ghash_size > ROOM)
        abort();
    return ctaes_cores[i];
}

static void unmarking_expand_key(struct ctaes_aes_key *key, const uint8_t *k, size_t k_len)
{
    base()->expand_key(key, k, k_len);
    mark_public(key, base()->key_size);
}

static void unmarking_prepare_decrypt(struct ctaes_aes_key *key)
{
    if (base()->prepare_decrypt != NULL)
        base()->prepare_decrypt(key);
}

static void unmarking_encrypt(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in,
                              size_t nblocks)
{
    base()->encrypt(key, out, in, nblocks);
    mark_public(out, 16 * nblocks);
}

static void unmarking_decrypt(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in,
                              size_t nblocks)
{
    base()->decrypt(key, out, in, nblocks);
    mark_public(out, 16 * nblocks);
}

static void unmarking_ghash_init(struct ctaes_ghash_key *hk, const uint8_t h[16])
{
    base()->ghash_init(hk, h);
    mark_public(hk, base()->ghash_size);
}

static void unmarking_ghash(struct ctaes_ghash_key *hk, uint8_t y[16], const uint8_t *in,
                            size_t nblocks)
{
    base()->ghash(hk, y, in, nblocks);
    mark_public(y, 16);
}

const struct ctaes_core ctaes_core_unmarking = {
    .name = "unmarking",
    .batch = 2,
    .key_size = ROOM,
    .ghash_size = ROOM,
    .expand_key = unmarking_expand_key,
    .prepare_decrypt = unmarking_prepare_decrypt,
    .encrypt = unmarking_encrypt,
    .decrypt = unmarking_decrypt,
    .ghash_init = unmarking_ghash_init,
    .ghash = unmarking_ghash,
};
