/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What fixslice.h wants of a word, for vectors of 128 bits with the instructions
 * of SSE2: eight blocks in eight registers.
 *
 * A place, which has the bits of eight blocks, is a byte here, and a row of four
 * places is a dword:
 *
 *      byte     15 14 13 12   11 10  9  8    7  6  5  4    3  2  1  0
 *      row       3  3  3  3    2  2  2  2    1  1  1  1    0  0  0  0
 *      column    3  2  1  0    3  2  1  0    3  2  1  0    3  2  1  0
 *
 * MOVING. Going down the rows is PSHUFD, one instruction that orders dwords in
 * any way. Going along a row by two columns swaps the words of each dword, PSHUFLW
 * and PSHUFHW; by one or three it's a rotation of dwords, two shifts. SSE2 can't
 * order bytes in one go (that is SSSE3's PSHUFB), so the four twists of MixColumns
 * cost differently, in instructions for one bit:
 *
 *                                   twist 0   twist 1   twist 2   twist 3
 *      to the next row                 1         4         3         4
 *      to the opposite place           1         3         1         3
 *
 * that is 5 on average. Doing ShiftRows instead would cost more, since each
 * row needs another rotation.
 *
 * PACKING. With the place of a bit written as the digits of its binary address (b:
 * block, c: column, r: row, i: bit of the byte):
 *
 *                          which register   place in the register
 *      load_batch:         b2 b1 b0         c1 c0 r1 r0 i2 i1 i0
 *      transpose_bytes:    b2 b1 b0         r1 r0 c1 c0 i2 i1 i0
 *      transpose_bits:     i2 i1 i0         r1 r0 c1 c0 b2 b1 b0
 *
 * transpose_bytes does it for two registers at once. Unpacking two registers
 * moves the digit that tells them apart into the place, and the first digit of the
 * place out to where that was:
 *
 *                          register   place of a byte
 *                          b          c1 c0 r1 r0
 *      unpack dwords       c1         c0 b  r1 r0
 *      unpack bytes        c0         b  r1 r0 c1
 *      unpack bytes        b          r1 r0 c1 c0
 *
 * Source: fixslice.h. Constant time: logic, shuffles and shifts by constants.
 */
#ifndef CTAES_FIXSLICE128_H
#define CTAES_FIXSLICE128_H

#include <emmintrin.h>
#include <stdint.h>

typedef uint64_t word __attribute__((vector_size(16)));
#define WORD_BITS 128

#include "fixslice.h"

typedef uint32_t dwords __attribute__((vector_size(16)));

INLINE word each_byte(unsigned x)
{
    return (word)_mm_set1_epi8((char)x);
}

/* Swaps the words of dwords: of all of them, or of the odd ones. */
#define SWAP_ALL _MM_SHUFFLE(2, 3, 0, 1)
#define SWAP_ODD _MM_SHUFFLE(2, 3, 1, 0)

INLINE word swap_all(word x)
{
    return (word)_mm_shufflehi_epi16(_mm_shufflelo_epi16((__m128i)x, SWAP_ALL), SWAP_ALL);
}

INLINE word swap_odd(word x)
{
    return (word)_mm_shufflehi_epi16(_mm_shufflelo_epi16((__m128i)x, SWAP_ODD), SWAP_ODD);
}

INLINE word next_in_column(word x, unsigned twist)
{
    const word next = (word)_mm_shuffle_epi32((__m128i)x, _MM_SHUFFLE(0, 3, 2, 1));
    if (twist == 0)
        return next;
    if (twist == 2)
        return swap_all(next);
    return (word)((dwords)next >> 8 * twist | (dwords)next << (32 - 8 * twist));
}

INLINE word add_opposite(word x, unsigned twist)
{
    const word opposite = (word)_mm_shuffle_epi32((__m128i)x, _MM_SHUFFLE(1, 0, 3, 2));
    return x ^ (twist % 2 == 0 ? opposite : swap_all(opposite));
}

INLINE void load_batch(word s[8], const uint8_t *in)
{
    for (unsigned i = 0; i < 8; i++)
        s[i] = (word)_mm_loadu_si128((const __m128i *)(in + 16 * i));
}

INLINE void store_batch(uint8_t *out, const word s[8])
{
    for (unsigned i = 0; i < 8; i++)
        _mm_storeu_si128((__m128i *)(out + 16 * i), (__m128i)s[i]);
}

INLINE void transpose_pair(word *a, word *b)
{
    const __m128i a1 = _mm_unpacklo_epi32((__m128i)*a, (__m128i)*b);
    const __m128i b1 = _mm_unpackhi_epi32((__m128i)*a, (__m128i)*b);
    const __m128i a2 = _mm_unpacklo_epi8(a1, b1);
    const __m128i b2 = _mm_unpackhi_epi8(a1, b1);
    *a = (word)_mm_unpacklo_epi8(a2, b2);
    *b = (word)_mm_unpackhi_epi8(a2, b2);
}

INLINE void transpose_bytes(word s[8])
{
    transpose_pair(&s[0], &s[4]);
    transpose_pair(&s[1], &s[5]);
    transpose_pair(&s[2], &s[6]);
    transpose_pair(&s[3], &s[7]);
}

INLINE_LARGE void bitslice(word s[8], bool turned)
{
    transpose_bytes(s);
    transpose_bits(s);
    for (unsigned i = 0; i < 8 && turned; i++)
        s[i] = swap_odd(s[i]);
}

INLINE_LARGE void unbitslice(word s[8], bool turned)
{
    for (unsigned i = 0; i < 8 && turned; i++)
        s[i] = swap_odd(s[i]);
    transpose_bits(s);
    transpose_bytes(s);
}

/* Makes a batch's round key of a single block's (fixslice_one.h). There a row is 16
   bits, its four columns again and again; here each of the four is a byte, in which
   all bits are what the column's bit is. */
INLINE void widen_round_key(word round_key[8], const uint64_t one_key[8])
{
    const __m128i column = _mm_set1_epi32(0x08040201);
    for (unsigned i = 0; i < 8; i++) {
        const __m128i rows = _mm_loadl_epi64((const __m128i *)&one_key[i]);
        const __m128i x = _mm_and_si128(_mm_unpacklo_epi16(rows, rows), column);
        round_key[i] = (word)_mm_cmpeq_epi8(x, column);
    }
}

#endif
