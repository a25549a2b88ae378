/* SPDX-License-Identifier: Apache-2.0 */
/*
 * XTS's tweaks in vectors of any width, for x86_xts.h.
 *
 * A tweak is a polynomial, its lowest coefficients first. Times x^n is a shift to
 * the left of 128 bits by n, and the n bits that leave at the top come back times
 * x^7 + x^2 + x + 1:
 *
 *   vectors of one block    Each tweak is the one before it, times x: additions
 *                           that double both halves, and masks made of top bits.
 *                           A carry-less product would take a place of AES in the
 *                           pipes.
 *   of two and four blocks  Each vector is the one in its place in the batch
 *                           before, times x^BATCH_BLOCKS: a shift by VEC_BLOCKS
 *                           bytes, and a carry-less product. The first ones are
 *                           all made of the first tweak, with shifts of their own
 *                           for each block.
 *
 * Source: IEEE 1619-2018 section 5.2.
 *
 * Constant time: shifts by constants, additions, masks and products.
 */
#ifndef CTAES_X86_TWEAKS_H
#define CTAES_X86_TWEAKS_H

#include "x86_batch.h"

/* The tops of a tweak's 32-bit words, as masks, become what they add when it is
   doubled: 1 to the upper half, 0x87 to the lower. */
INLINE __m128i tweak_carries(__m128i masks)
{
    return _mm_and_si128(masks, block_from(1, 0x87));
}

/* Sets t[0] to t[n], n below 32, to tweak, tweak * x, ... The words whose tops matter are kept
   apart, so that the next step's are there without waiting for this one's sum;
   what the sums add to them from below would only get to their tops later. */
INLINE void block_tweaks_fill(__m128i *t, int n, __m128i tweak)
{
    __m128i words = _mm_shuffle_epi32(tweak, 0x5f);
    t[0] = tweak;
    UNROLL
    for (int i = 1; i <= n; i++) {
        const __m128i carries = tweak_carries(_mm_srai_epi32(words, 31));
        words = _mm_add_epi32(words, words);
        t[i] = _mm_xor_si128(_mm_add_epi64(t[i - 1], t[i - 1]), carries);
    }
}

#if VEC_IS_BLOCK

INLINE void tweaks_fill(vec *t, int n, __m128i tweak)
{
    block_tweaks_fill(t, n, tweak);
}

/* Vector i of the next batch's tweaks. now are this one's, before is the vector
   before it. */
INLINE vec tweaks_next(const vec *now, vec before, int i)
{
    (void)now, (void)i;
    const __m128i masks = _mm_shuffle_epi32(_mm_srai_epi32(before, 31), 0x13);
    return _mm_xor_si128(_mm_add_epi64(before, before), tweak_carries(masks));
}

#else

/* x^7 + x^2 + x + 1, which is x^128, in both halves. */
INLINE vec tweak_polynomial(void)
{
    return vec_set1(block_from(0x87, 0x87));
}

/* As above. (n + 1) * VEC_BLOCKS is at most 32: what leaves a half at its top has
   fewer bits than that, and still fits in one after the product. */
INLINE void tweaks_fill(vec *t, int n, __m128i tweak)
{
    const vec each = vec_set1(tweak);
    UNROLL
    for (int i = 0; i <= n; i++) {
        const vec carries = vec_shift_right64(each, i * VEC_BLOCKS);
        const vec reduced = vec_clmul_high(carries, tweak_polynomial());
        const vec shifted =
            vec_xor(vec_shift_left64(each, i * VEC_BLOCKS), vec_low_to_high(carries));
        t[i] = vec_xor(shifted, reduced);
    }
}

INLINE vec tweaks_next(const vec *now, vec before, int i)
{
    (void)before;
    const vec reduced = vec_clmul_low(vec_top_bytes(now[i]), tweak_polynomial());
    return vec_xor(vec_up_bytes(now[i]), reduced);
}

#endif

#endif
