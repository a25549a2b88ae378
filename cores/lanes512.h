/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vectors of four blocks, for the templates vperm_*.h: AVX-512BW and VL.
 *
 * A lane is 16 bytes, one block. Shuffles, pairs and shifts of bytes stay
 * within lanes; that is how the instructions are, and what the templates want.
 */
#ifndef CTAES_LANES512_H
#define CTAES_LANES512_H

#include "block.h"

#include <string.h>

typedef __m512i lanes;
enum { LANES = 4 };

INLINE lanes lanes_load(const void *p)
{
    return _mm512_loadu_si512(p);
}

/* The first nblocks blocks at p, 1 to LANES, and zeros. */
INLINE lanes lanes_load_head(const void *p, size_t nblocks)
{
    const uint32_t words = nblocks >= 4 ? 0xff : (1U << 2 * nblocks) - 1;
    return _mm512_maskz_loadu_epi64((__mmask8)words, p);
}

INLINE void lanes_store(void *p, lanes x)
{
    _mm512_storeu_si512(p, x);
}

/* The same 16 bytes in each lane: at p, or x. */
INLINE lanes lanes_each_lane(const void *p)
{
    return _mm512_broadcast_i32x4(block_load(p));
}

INLINE lanes lanes_each_block(vblock x)
{
    return _mm512_broadcast_i32x4(x);
}

/* The same 8 bytes at p throughout. */
INLINE lanes lanes_each_half(const void *p)
{
    int64_t x;
    memcpy(&x, p, 8);
    return _mm512_set1_epi64(x);
}

INLINE lanes lanes_bytes(int x)
{
    return _mm512_set1_epi8((char)x);
}

INLINE lanes lanes_zero(void)
{
    return _mm512_setzero_si512();
}

/* The lane's number, from 0: in each of its bytes, or in its first 32 bits. */
INLINE lanes lanes_number(void)
{
    const __m256i low = _mm256_set_m128i(_mm_set1_epi8(1), _mm_setzero_si128());
    const __m256i high = _mm256_set_m128i(_mm_set1_epi8(3), _mm_set1_epi8(2));
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

INLINE lanes lanes_number_32(void)
{
    return _mm512_set_epi32(0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0);
}

/* x in the first lane, zeros in the others; and the first lane; and the sum of
   all lanes. */
INLINE lanes lanes_of_block(vblock x)
{
    return _mm512_zextsi128_si512(x);
}

INLINE vblock lanes_first(lanes x)
{
    return _mm512_castsi512_si128(x);
}

INLINE vblock lanes_sum(lanes x)
{
    const __m256i y = _mm256_xor_si256(_mm512_castsi512_si256(x), _mm512_extracti64x4_epi64(x, 1));
    return _mm_xor_si128(_mm256_castsi256_si128(y), _mm256_extracti128_si256(y, 1));
}

/* The last lane; and x moved up by one lane, with before in the first. */
INLINE vblock lanes_last(lanes x)
{
    return _mm512_extracti32x4_epi32(x, 3);
}

INLINE lanes lanes_chain(vblock before, lanes x)
{
    return _mm512_alignr_epi64(x, lanes_each_block(before), 6);
}

INLINE lanes lanes_xor(lanes a, lanes b)
{
    return _mm512_xor_si512(a, b);
}

INLINE lanes lanes_and(lanes a, lanes b)
{
    return _mm512_and_si512(a, b);
}

INLINE lanes lanes_shuffle(lanes table, lanes index)
{
    return _mm512_shuffle_epi8(table, index);
}

INLINE lanes lanes_shift_right_4(lanes x)
{
    return _mm512_srli_epi32(x, 4);
}

INLINE void lanes_settle(lanes *x)
{
    CTAES_OPAQUE("v", *x);
}

INLINE lanes lanes_add8(lanes a, lanes b)
{
    return _mm512_add_epi8(a, b);
}

INLINE lanes lanes_add32(lanes a, lanes b)
{
    return _mm512_add_epi32(a, b);
}

/* 0xff in each byte in which a < b, 0 in the others. */
INLINE lanes lanes_below8(lanes a, lanes b)
{
    return _mm512_movm_epi8(_mm512_cmplt_epu8_mask(a, b));
}

/* Interleave the lower (upper) halves of a and b, in units of so many bits. */
INLINE lanes lanes_pair8_low(lanes a, lanes b)
{
    return _mm512_unpacklo_epi8(a, b);
}

INLINE lanes lanes_pair8_high(lanes a, lanes b)
{
    return _mm512_unpackhi_epi8(a, b);
}

INLINE lanes lanes_pair16_low(lanes a, lanes b)
{
    return _mm512_unpacklo_epi16(a, b);
}

INLINE lanes lanes_pair16_high(lanes a, lanes b)
{
    return _mm512_unpackhi_epi16(a, b);
}

INLINE lanes lanes_pair32_low(lanes a, lanes b)
{
    return _mm512_unpacklo_epi32(a, b);
}

INLINE lanes lanes_pair32_high(lanes a, lanes b)
{
    return _mm512_unpackhi_epi32(a, b);
}

INLINE lanes lanes_pair64_low(lanes a, lanes b)
{
    return _mm512_unpacklo_epi64(a, b);
}

INLINE lanes lanes_pair64_high(lanes a, lanes b)
{
    return _mm512_unpackhi_epi64(a, b);
}

/* Moves bytes up by one place; the lowest is 0, or the highest byte of below. */
INLINE lanes lanes_up(lanes x)
{
    return _mm512_bslli_epi128(x, 1);
}

INLINE lanes lanes_up_from(lanes x, lanes below)
{
    return _mm512_alignr_epi8(x, below, 15);
}

#endif
