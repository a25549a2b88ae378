/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vectors of one block, for the templates vperm_*.h: SSSE3.
 *
 * A lane is 16 bytes, one block. Shuffles, pairs and shifts of bytes stay
 * within lanes; that is how the instructions are, and what the templates want.
 */
#ifndef CTAES_LANES128_H
#define CTAES_LANES128_H

#include "block.h"

#include <string.h>

typedef __m128i lanes;
enum { LANES = 1 };

INLINE lanes lanes_load(const void *p)
{
    return block_load(p);
}

/* The first nblocks blocks at p, 1 to LANES, and zeros. */
INLINE lanes lanes_load_head(const void *p, size_t nblocks)
{
    (void)nblocks;
    return block_load(p);
}

INLINE void lanes_store(void *p, lanes x)
{
    block_store(p, x);
}

/* The same 16 bytes in each lane: at p, or x. */
INLINE lanes lanes_each_lane(const void *p)
{
    return block_load(p);
}

INLINE lanes lanes_each_block(vblock x)
{
    return x;
}

/* The same 8 bytes at p throughout. */
INLINE lanes lanes_each_half(const void *p)
{
    return _mm_castpd_si128(_mm_loaddup_pd((const double *)p));
}

INLINE lanes lanes_bytes(int x)
{
    return _mm_set1_epi8((char)x);
}

INLINE lanes lanes_zero(void)
{
    return _mm_setzero_si128();
}

/* The lane's number, from 0: in each of its bytes, or in its first 32 bits. */
INLINE lanes lanes_number(void)
{
    return _mm_setzero_si128();
}

INLINE lanes lanes_number_32(void)
{
    return _mm_setzero_si128();
}

/* x in the first lane, zeros in the others; and the first lane; and the sum of
   all lanes. */
INLINE lanes lanes_of_block(vblock x)
{
    return x;
}

INLINE vblock lanes_first(lanes x)
{
    return x;
}

INLINE vblock lanes_sum(lanes x)
{
    return x;
}

/* The last lane; and x moved up by one lane, with before in the first. */
INLINE vblock lanes_last(lanes x)
{
    return x;
}

INLINE lanes lanes_chain(vblock before, lanes x)
{
    (void)x;
    return before;
}

INLINE lanes lanes_xor(lanes a, lanes b)
{
    return _mm_xor_si128(a, b);
}

INLINE lanes lanes_and(lanes a, lanes b)
{
    return _mm_and_si128(a, b);
}

INLINE lanes lanes_shuffle(lanes table, lanes index)
{
    return _mm_shuffle_epi8(table, index);
}

INLINE lanes lanes_shift_right_4(lanes x)
{
    return _mm_srli_epi32(x, 4);
}

INLINE void lanes_settle(lanes *x)
{
    CTAES_OPAQUE("x", *x);
}

INLINE lanes lanes_add8(lanes a, lanes b)
{
    return _mm_add_epi8(a, b);
}

INLINE lanes lanes_add32(lanes a, lanes b)
{
    return _mm_add_epi32(a, b);
}

/* 0xff in each byte in which a < b, 0 in the others. */
INLINE lanes lanes_below8(lanes a, lanes b)
{
    const lanes not_below = _mm_cmpeq_epi8(_mm_max_epu8(a, b), a);
    return _mm_xor_si128(not_below, _mm_set1_epi8(-1));
}

/* Interleave the lower (upper) halves of a and b, in units of so many bits. */
INLINE lanes lanes_pair8_low(lanes a, lanes b)
{
    return _mm_unpacklo_epi8(a, b);
}

INLINE lanes lanes_pair8_high(lanes a, lanes b)
{
    return _mm_unpackhi_epi8(a, b);
}

INLINE lanes lanes_pair16_low(lanes a, lanes b)
{
    return _mm_unpacklo_epi16(a, b);
}

INLINE lanes lanes_pair16_high(lanes a, lanes b)
{
    return _mm_unpackhi_epi16(a, b);
}

INLINE lanes lanes_pair32_low(lanes a, lanes b)
{
    return _mm_unpacklo_epi32(a, b);
}

INLINE lanes lanes_pair32_high(lanes a, lanes b)
{
    return _mm_unpackhi_epi32(a, b);
}

INLINE lanes lanes_pair64_low(lanes a, lanes b)
{
    return _mm_unpacklo_epi64(a, b);
}

INLINE lanes lanes_pair64_high(lanes a, lanes b)
{
    return _mm_unpackhi_epi64(a, b);
}

/* Moves bytes up by one place; the lowest is 0, or the highest byte of below. */
INLINE lanes lanes_up(lanes x)
{
    return _mm_slli_si128(x, 1);
}

INLINE lanes lanes_up_from(lanes x, lanes below)
{
    return _mm_alignr_epi8(x, below, 15);
}

#endif
