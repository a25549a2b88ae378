/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CTR, for vectors of any width (a template as x86_wide.h is).
 *
 * The counter is big-endian, at the end of its block. With the bytes of the
 * block reversed it is the lowest lane of 32 bits, to which a vector addition
 * adds without carry into the others, as inc_32 does:
 *
 *      counters    c   c+1  c+2  c+3      (VEC_BLOCKS = 4)
 *      + 4 i       in vector i of the group
 *      reversed    the counter blocks
 *      ^ enc[0]    the first states
 *
 * One could add to the blocks as they are, without reversing them, while the
 * last byte doesn't overflow. But the counter may be a secret: GCM's comes out of
 * GHASH, and tells of H, if the IV isn't of 96 bits. So nothing branches on it.
 *
 * Sources: SP 800-38A section 6.5; SP 800-38D section 6.2 (inc_32).
 */
#ifndef CTAES_X86_CTR_H
#define CTAES_X86_CTR_H

#include "bytes.h"
#include "x86_wide.h"

/* Advances the counter block in memory by n. */
INLINE void counter_add(uint8_t ctr[16], size_t n)
{
    store_be32(ctr + 12, load_be32(ctr + 12) + (uint32_t)n);
}

/* The vector of the counter blocks that come next, byte-reversed: in that form
   the lowest lane of 32 bits counts, and wraps as inc_32 does. */
INLINE vec counters_load(const uint8_t ctr[16])
{
    return vec_add32(vec_reverse(vec_set1(block_load(ctr))), vec_numbers());
}

/* Makes the first states of n vectors: counter blocks xor the first round key. */
INLINE void counters_start(vec *s, int n, const struct ctaes_aes_key *key, vec *counters)
{
    const vec first_key = vec_set1(key->enc[0]);
    UNROLL
    for (int i = 0; i < n; i++) {
        const vec done = vec_set1(block_from(0, (uint64_t)(i * VEC_BLOCKS)));
        s[i] = vec_xor(first_key, vec_reverse(vec_add32(*counters, done)));
    }
    *counters = vec_add32(*counters, vec_set1(block_from(0, (uint64_t)(n * VEC_BLOCKS))));
}

INLINE void ctr_group(const struct ctaes_aes_key *key, vec *counters, uint8_t *out,
                      const uint8_t *in, int n, size_t last)
{
    vec s[VECS];
    counters_start(s, n, key, counters);
    aes_rounds(false, s, n, key);
    /* The last round xors the data with the keystream, as in CBC decryption. */
    const vec last_key = vec_set1(key->enc[key->rounds]);
    UNROLL
    for (int i = 0; i < n; i++) {
        const vec x = group_load(in, i, n, last);
        group_store(out, vec_aesenclast(s[i], vec_xor(last_key, x)), i, n, last);
    }
}

static void ctr32(const struct ctaes_aes_key *key, uint8_t ctr[16], uint8_t *out, const uint8_t *in,
                  size_t len)
{
    vec counters = counters_load(ctr);
    counter_add(ctr, len / 16);
    FOR_EACH_GROUP(out, in, len, ctr_group(key, &counters, out, in, N, last));
}

#endif
