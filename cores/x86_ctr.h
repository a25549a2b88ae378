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
 * One could do without reversing, adding to the blocks as they are, while their
 * last byte doesn't overflow. But the counter may be a secret: GCM's comes out of
 * GHASH, and tells of H, if the IV isn't of 96 bits. So nothing branches on it.
 *
 * For vectors of one block these are three vector operations for each block,
 * which take places of AES in the pipes: on Zen 4 they cost a tenth of the speed.
 * So there, in batches, the first states come from memory, and general registers
 * renew the four bytes of each that change, a batch ahead. (A load that spans
 * bytes just written and bytes from before has to wait until all are in the
 * cache. A batch later, they are.)
 *
 * Sources: SP 800-38A section 6.5; SP 800-38D section 6.2 (inc_32).
 */
#ifndef CTAES_X86_CTR_H
#define CTAES_X86_CTR_H

#include "bytes.h"
#include "ct.h"
#include "x86_wide.h"

/* Advances the counter block in memory by n. All of it is stored, as the next call
   loads all of it (see store_be64_pair). */
INLINE void counter_add(uint8_t ctr[16], size_t n)
{
    const __m128i counter = block_reverse(block_load(ctr));
    block_store(ctr, block_reverse(_mm_add_epi32(counter, block_from(0, (uint32_t)n))));
}

/* The vector of the counter blocks that come next, byte-reversed. */
INLINE vec counters_load(const uint8_t ctr[16])
{
    return vec_add32(vec_reverse(vec_set1(block_load(ctr))), vec_numbers());
}

/* counters, n blocks later. */
INLINE vec counters_after(vec counters, uint32_t n)
{
    return vec_add32(counters, vec_set1(block_from(0, n)));
}

/* Makes the first states of n vectors: counter blocks xor the first round key. */
INLINE void counters_start(vec *s, int n, const struct ctaes_aes_key *key, vec *counters)
{
    const vec first_key = vec_set1(key->enc[0]);
    UNROLL
    for (int i = 0; i < n; i++) {
        const vec blocks = counters_after(*counters, (uint32_t)(i * VEC_BLOCKS));
        s[i] = vec_xor(first_key, vec_reverse(blocks));
    }
    *counters = counters_after(*counters, (uint32_t)(n * VEC_BLOCKS));
}

/* The rounds after the first key addition on n vectors s; the last one xors the
   keystream with the data, as in CBC decryption. */
INLINE void ctr_rounds(const struct ctaes_aes_key *key, vec *s, uint8_t *out, const uint8_t *in,
                       int n, size_t last)
{
    aes_rounds(false, s, n, key);
    const vec last_key = vec_set1(key->enc[key->rounds]);
    UNROLL
    for (int i = 0; i < n; i++) {
        const vec x = group_load(in, i, n, last);
        group_store(out, vec_aesenclast(s[i], vec_xor(last_key, x)), i, n, last);
    }
}

INLINE void ctr_group(const struct ctaes_aes_key *key, vec *counters, uint8_t *out,
                      const uint8_t *in, int n, size_t last)
{
    vec s[VECS];
    counters_start(s, n, key, counters);
    ctr_rounds(key, s, out, in, n, last);
}

/* The same for nblocks blocks, in batches, from first states in memory. These
   are secret, as they tell enc[0]. VEC_BLOCKS is 1. */
INLINE void ctr_batches(const struct ctaes_aes_key *key, const uint8_t ctr[16], uint8_t *out,
                        const uint8_t *in, size_t nblocks)
{
    uint8_t states[BATCH_BYTES];
    vec s[VECS], counters = counters_load(ctr);
    counters_start(s, VECS, key, &counters);
    UNROLL
    for (int i = 0; i < VECS; i++)
        vec_store(states + 16 * i, s[i]);

    /* What is stored next: the counter, big-endian, xor its part of enc[0]. */
    uint32_t c = load_be32(ctr + 12) + VECS;
    const uint32_t key_word = (uint32_t)_mm_extract_epi32(key->enc[0], 3);
    for (; nblocks > 0; nblocks -= VECS, out += BATCH_BYTES, in += BATCH_BYTES) {
        UNROLL
        for (int i = 0; i < VECS; i++)
            s[i] = vec_load(states + 16 * i);
        UNROLL
        for (int i = 0; i < VECS; i++) {
            const uint32_t word = __builtin_bswap32(c++) ^ key_word;
            __builtin_memcpy(states + 16 * i + 12, &word, 4);
        }
        ctr_rounds(key, s, out, in, VECS, VEC_BYTES);
    }
    ct_wipe(states, sizeof states);
}

static void ctr32(const struct ctaes_aes_key *key, uint8_t ctr[16], uint8_t *out, const uint8_t *in,
                  size_t len)
{
    if (len == 16) {
        const __m128i counter = block_load(ctr);
        counter_add(ctr, 1);
        block_store(out, _mm_xor_si128(block_encrypt(key, counter), block_load(in)));
        return;
    }
    vec counters = counters_load(ctr);
    if (VEC_BLOCKS == 1 && len > 4 * BATCH_BYTES) { /* fewer are not worth it */
        /* All batches but the last, which FOR_EACH_GROUP divides. */
        const size_t nblocks = (len - 1) / BATCH_BYTES * BATCH_BLOCKS;
        ctr_batches(key, ctr, out, in, nblocks);
        counter_add(ctr, nblocks);
        counters = counters_after(counters, (uint32_t)nblocks);
        out += 16 * nblocks, in += 16 * nblocks, len -= 16 * nblocks;
    }
    counter_add(ctr, len / 16);
    FOR_EACH_GROUP(out, in, len, ctr_group(key, &counters, out, in, N, last));
}

#endif
