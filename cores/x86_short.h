/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GCM's short messages: CTR over 1 to 4 blocks, and E(K, J0) beside it.
 *
 * In single blocks on all of the cores, also those with wider vectors: up to
 * five chains of AESENC fit into the latency of one, so width would gain nothing.
 * And what the mode will hash at the end of the message lies there block by
 * block, in stores that are as wide as the loads (see ghash_short_run).
 *
 *      E(K, J0)    --> ej0
 *      E(K, ctr)   --> xor in --> out
 *      E(K, ctr+1)                 '--> ct: the ciphertext, 0*
 *
 * Constant time: as x86_wide.h.
 */
#ifndef CTAES_X86_SHORT_H
#define CTAES_X86_SHORT_H

#include "bytes.h"
#include "x86_aes.h"

/* x, with all but the first n bytes, 1 to 16, set to 0. */
INLINE __m128i block_keep_head(__m128i x, size_t n)
{
    static const uint8_t ones_then_zeros[32] = {255, 255, 255, 255, 255, 255, 255, 255,
                                                255, 255, 255, 255, 255, 255, 255, 255};
    return _mm_and_si128(x, block_load(ones_then_zeros + 16 - n));
}

/* n blocks, the last of which has last bytes. */
INLINE void short_blocks(const struct ctaes_aes_key *key, uint8_t ctr[16], uint8_t ej0[16],
                         uint8_t *ct, uint8_t *out, const uint8_t *in, int n, size_t last,
                         bool encrypting)
{
    const uint32_t rounds = key->rounds;
    const __m128i first_key = key->enc[0];
    const __m128i counters = block_reverse(block_load(ctr));
    __m128i s[CTAES_SHORT / 16], j = _mm_xor_si128(block_load(ej0), first_key);
    UNROLL
    for (int i = 0; i < n; i++) {
        const __m128i counter = _mm_add_epi32(counters, block_from(0, (uint64_t)i));
        s[i] = _mm_xor_si128(first_key, block_reverse(counter));
    }
    for (uint32_t r = 1; r < rounds; r++) {
        const __m128i k = key->enc[r];
        j = _mm_aesenc_si128(j, k);
        UNROLL
        for (int i = 0; i < n; i++)
            s[i] = _mm_aesenc_si128(s[i], k);
    }
    const __m128i last_key = key->enc[rounds];
    block_store(ej0, _mm_aesenclast_si128(j, last_key));
    UNROLL
    for (int i = 0; i < n; i++, in += 16, out += 16, ct += 16) {
        const bool whole = i < n - 1 || last == 16;
        const __m128i x = whole ? block_load(in) : block_load_head(in, last);
        const __m128i z = _mm_aesenclast_si128(s[i], _mm_xor_si128(last_key, x));
        if (whole)
            block_store(out, z);
        else
            block_store_head(out, z, last);
        if (!encrypting)
            block_store(ct, x);
        else
            block_store(ct, whole ? z : block_keep_head(z, last));
    }
    store_be32(ctr + 12, load_be32(ctr + 12) + (uint32_t)(n - 1) + (uint32_t)(last / 16));
}

static void gcm_short(const struct ctaes_aes_key *key, uint8_t ctr[16], uint8_t ej0[16],
                      uint8_t *ct, uint8_t *out, const uint8_t *in, size_t len, bool encrypting)
{
    if (len <= 16)
        short_blocks(key, ctr, ej0, ct, out, in, 1, len, encrypting);
    else if (len <= 32)
        short_blocks(key, ctr, ej0, ct, out, in, 2, len - 16, encrypting);
    else if (len <= 48)
        short_blocks(key, ctr, ej0, ct, out, in, 3, len - 32, encrypting);
    else
        short_blocks(key, ctr, ej0, ct, out, in, 4, len - 48, encrypting);
}

_Static_assert(CTAES_SHORT == 64, "gcm_short has a case for each number of blocks");

#endif
