/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The core for x86-64 CPUs without SSSE3: fixsliced AES, eight blocks at a time, in
 * vectors (fixslice128.h).
 *
 * For the rest it is ct64, called through that core's table, so that there is one
 * copy of it: vectors of eight blocks are of no use to a single block, nor to the
 * key schedule, and SSE2 has no multiplication that would make GHASH faster. A key
 * begins with what ct64 needs for a single block, from which that of a batch is
 * made. ct64's expand_key writes more, its own batch's keys, to where sse2's come
 * right after.
 *
 * Constant time: as fixslice.h and ct64.c.
 */
#include "cpu.h"
#include "fixslice128.h"
#include "ghash_ctmul64_key.h"

extern const struct ctaes_core ctaes_core_ct64;

/* What ct64's expand_key writes fits. */
_Static_assert(sizeof(struct ctaes_aes_key) - offsetof(struct ctaes_aes_key, round_key) >=
                   sizeof(uint64_t[MAX_ROUNDS + 1][8]) + sizeof(word),
               "a key of sse2 is at least as large as one of ct64");

static NOINLINE void widen_round_keys(struct ctaes_aes_key *key)
{
    for (unsigned k = 0; k <= key->rounds; k++)
        widen_round_key(key->round_key[k], key->one_key[k]);
    for (unsigned k = key->rounds + 1; k <= MAX_ROUNDS; k++)
        memset(key->round_key[k], 0, sizeof key->round_key[k]);
}

/* The functions of struct ctaes_core. What touches a secret is in another one, after
   which the stack is wiped: here by wipe_stack, there by ct64's. */

static void expand_key(struct ctaes_aes_key *key, const uint8_t *k, size_t k_len)
{
    ctaes_core_ct64.expand_key(key, k, k_len);
    widen_round_keys(key);
    wipe_stack();
}

static void encrypt(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in,
                    size_t nblocks)
{
    if (nblocks == 1) {
        ctaes_core_ct64.encrypt(key, out, in, 1);
        return;
    }
    encrypt_blocks(key, out, in, nblocks);
    wipe_stack();
}

static void decrypt(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in,
                    size_t nblocks)
{
    decrypt_blocks(key, out, in, nblocks);
    wipe_stack();
}

static void cbc_encrypt(const struct ctaes_aes_key *key, uint8_t iv[16], uint8_t *out,
                        const uint8_t *in, size_t nblocks)
{
    ctaes_core_ct64.cbc_encrypt(key, iv, out, in, nblocks);
}

static void ghash_init(struct ctaes_ghash_key *hk, const uint8_t h[16])
{
    ctaes_core_ct64.ghash_init(hk, h);
}

static void ghash(struct ctaes_ghash_key *hk, uint8_t y[16], const uint8_t *in, size_t nblocks)
{
    ctaes_core_ct64.ghash(hk, y, in, nblocks);
}

const struct ctaes_core ctaes_core_sse2 = {
    .name = "sse2",
    .features = CTAES_CPU_SSE2,
    .batch = 8,
    .key_size = sizeof(struct ctaes_aes_key),
    .ghash_size = sizeof(struct ctaes_ghash_key),
    .expand_key = expand_key,
    .encrypt = encrypt,
    .decrypt = decrypt,
    .ghash_init = ghash_init,
    .ghash = ghash,
    .cbc_encrypt = cbc_encrypt,
};
