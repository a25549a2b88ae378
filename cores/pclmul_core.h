/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cores of two halves: another core's AES, and GHASH with PCLMULQDQ on single
 * blocks (x86_ghash.h). CPUs that have PCLMULQDQ but no AES instructions are for
 * the most part virtual ones, whose host hides the latter.
 *
 * The including file has defined AES_HALF, the core whose AES it is. Its
 * functions are called through that core's table, so there is only one copy of
 * them; one jump more is nothing beside what they take.
 */
#ifndef CTAES_PCLMUL_CORE_H
#define CTAES_PCLMUL_CORE_H

#include "core.h"
#include "cpu.h"
#include "x86_vec128.h"

#include "x86_ghash.h"

#include "vperm_schedule.h"

extern const struct ctaes_core AES_HALF;

static void expand_key(struct ctaes_aes_key *key, const uint8_t *k, size_t k_len)
{
    AES_HALF.expand_key(key, k, k_len);
}

static void prepare_decrypt(struct ctaes_aes_key *key)
{
    AES_HALF.prepare_decrypt(key);
}

static void encrypt(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in,
                    size_t nblocks)
{
    AES_HALF.encrypt(key, out, in, nblocks);
}

static void decrypt(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in,
                    size_t nblocks)
{
    AES_HALF.decrypt(key, out, in, nblocks);
}

static void cbc_encrypt(const struct ctaes_aes_key *key, uint8_t iv[16], uint8_t *out,
                        const uint8_t *in, size_t nblocks)
{
    AES_HALF.cbc_encrypt(key, iv, out, in, nblocks);
}

static void cbc_decrypt(const struct ctaes_aes_key *key, uint8_t iv[16], uint8_t *out,
                        const uint8_t *in, size_t nblocks)
{
    AES_HALF.cbc_decrypt(key, iv, out, in, nblocks);
}

static void ctr32(const struct ctaes_aes_key *key, uint8_t ctr[16], uint8_t *out, const uint8_t *in,
                  size_t len)
{
    AES_HALF.ctr32(key, ctr, out, in, len);
}

/* aes_batch, aes_features: those of AES_HALF. */
#define PCLMUL_CORE(core_name, aes_batch, aes_features)                                            \
    {                                                                                              \
        .name = core_name, .batch = aes_batch,                                                     \
        .features = (aes_features) | CTAES_CPU_PCLMUL | CTAES_CPU_SSSE3 | CTAES_CPU_SSE41,         \
        .key_size = sizeof(struct ctaes_aes_key), .ghash_size = sizeof(struct ctaes_ghash_key),    \
        .expand_key = expand_key, .prepare_decrypt = prepare_decrypt, .encrypt = encrypt,          \
        .decrypt = decrypt, .ghash_init = ghash_init, .ghash = ghash, .cbc_encrypt = cbc_encrypt,  \
        .cbc_decrypt = cbc_decrypt, .ctr32 = ctr32                                                 \
    }

#endif
