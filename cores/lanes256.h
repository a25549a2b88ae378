/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vectors of two blocks, for the templates vperm_*.h: AVX2.
 *
 * A lane is 16 bytes, one block. Shuffles, pairs and shifts of bytes stay
 * within lanes; that is how the instructions are, and what the templates want.
 */
#ifndef CTAES_LANES256_H
#define CTAES_LANES256_H

#include "block.h"

#include <string.h>

typedef __m256i lanes;
enum { LANES = 2 };

INLINE lanes lanes_load(const void *p)
{
    return _mm256_loadu_si256((const __m256i *)p);
}

/* The first nblocks blocks at p, 1 to LANES, and zeros. */
INLINE lanes lanes_load_head(const void *p, size_t nblocks)
{
    return nblocks >= 2 ? lanes_load(p) : _mm256_zextsi128_si256(block_load(p));
}

INLINE void lanes_store(void *p, lanes x)
{
    _mm256_storeu_si256((__m256i *)p, x);
}

/* The same 16 bytes in each lane: at p, or x. */
INLINE lanes lanes_each_lane(const void *p)
{
    return _mm256_broadcastsi128_si256(block_load(p));
}

INLINE lanes lanes_each_block(vblock x)
{
    return _mm256_broadcastsi128_si256(x);
}

/* The same 8 bytes at p throughout. */
INLINE lanes lanes_each_half(const void *p)
{
    int64_t x;
    memcpy(&x, p, 8);
    return _mm256_set1_epi64x(x);
}

INLINE lanes lanes_bytes(int x)
{
    return _mm256_set1_epi8((char)x);
}

INLINE lanes lanes_zero(void)
{
    return _mm256_setzero_si256();
}

/* The lane's number, from 0: in each of its bytes, or in its first 32 bits. */
INLINE lanes lanes_number(void)
{
    return _mm256_set_m128i(_mm_set1_epi8(1), _mm_setzero_si128());
}

INLINE lanes lanes_number_32(void)
{
    return _mm256_set_epi32(0, 0, 0, 1, 0, 0, 0, 0);
}

/* x in the first lane, zeros in the others; and the first lane; and the sum of
   all lanes. */
INLINE lanes lanes_of_block(vblock x)
{
    return _mm256_zextsi128_si256(x);
}

INLINE vblock lanes_first(lanes x)
{
    return _mm256_castsi256_si128(x);
}

INLINE vblock lanes_sum(lanes x)
{
    return _mm_xor_si128(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
}

/* The last lane; and x moved up by one lane, with before in the first. */
INLINE vblock lanes_last(lanes x)
{
    return _mm256_extracti128_si256(x, 1);
}

INLINE lanes lanes_chain(vblock before, lanes x)
{
    return _mm256_permute2x128_si256(_mm256_castsi128_si256(before), x, 0x20);
}

INLINE lanes lanes_xor(lanes a, lanes b)
{
    return _mm256_xor_si256(a, b);
}

INLINE lanes lanes_and(lanes a, lanes b)
{
    return _mm256_and_si256(a, b);
}

INLINE lanes lanes_shuffle(lanes table, lanes index)
{
    return _mm256_shuffle_epi8(table, index);
}

INLINE lanes lanes_shift_right_4(lanes x)
{
    return _mm256_srli_epi32(x, 4);
}

INLINE void lanes_settle(lanes *x)
{
    CTAES_OPAQUE("x", *x);
}

INLINE lanes lanes_add8(lanes a, lanes b)
{
    return _mm256_add_epi8(a, b);
}

INLINE lanes lanes_add32(lanes a, lanes b)
{
    return _mm256_add_epi32(a, b);
}

/* 0xff in each byte in which a < b, 0 in the others. */
INLINE lanes lanes_below8(lanes a, lanes b)
{
    const lanes not_below = _mm256_cmpeq_epi8(_mm256_max_epu8(a, b), a);
    return _mm256_xor_si256(not_below, _mm256_set1_epi8(-1));
}

/* Interleave the lower (upper) halves of a and b, in units of so many bits. */
INLINE lanes lanes_pair8_low(lanes a, lanes b)
{
    return _mm256_unpacklo_epi8(a, b);
}

INLINE lanes lanes_pair8_high(lanes a, lanes b)
{
    return _mm256_unpackhi_epi8(a, b);
}

INLINE lanes lanes_pair16_low(lanes a, lanes b)
{
    return _mm256_unpacklo_epi16(a, b);
}

INLINE lanes lanes_pair16_high(lanes a, lanes b)
{
    return _mm256_unpackhi_epi16(a, b);
}

INLINE lanes lanes_pair32_low(lanes a, lanes b)
{
    return _mm256_unpacklo_epi32(a, b);
}

INLINE lanes lanes_pair32_high(lanes a, lanes b)
{
    return _mm256_unpackhi_epi32(a, b);
}

INLINE lanes lanes_pair64_low(lanes a, lanes b)
{
    return _mm256_unpacklo_epi64(a, b);
}

INLINE lanes lanes_pair64_high(lanes a, lanes b)
{
    return _mm256_unpackhi_epi64(a, b);
}

/* Moves bytes up by one place; the lowest is 0, or the highest byte of below. */
INLINE lanes lanes_up(lanes x)
{
    return _mm256_slli_si256(x, 1);
}

INLINE lanes lanes_up_from(lanes x, lanes below)
{
    return _mm256_alignr_epi8(x, below, 15);
}

#endif
