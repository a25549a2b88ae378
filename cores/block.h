/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on one block in a register: 16 bytes, SSSE3. */
#ifndef CTAES_BLOCK_H
#define CTAES_BLOCK_H

#include "opaque.h"

#include <immintrin.h>
#include <stdint.h>

/* The helpers of the vector cores are parts of loops: a call in between would
   spill the vector registers. */
#define INLINE static inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline))

typedef __m128i vblock;

INLINE vblock block_load(const void *p)
{
    return _mm_loadu_si128((const __m128i *)p);
}

INLINE void block_store(void *p, vblock x)
{
    _mm_storeu_si128((__m128i *)p, x);
}

/* The 16 bytes at p in each lane, of which a block is one. */
INLINE vblock block_each_lane(const void *p)
{
    return block_load(p);
}

INLINE vblock block_bytes(int x)
{
    return _mm_set1_epi8((char)x);
}

INLINE vblock block_xor(vblock a, vblock b)
{
    return _mm_xor_si128(a, b);
}

INLINE vblock block_and(vblock a, vblock b)
{
    return _mm_and_si128(a, b);
}

/* Byte i of the result is byte index[i] % 16 of table, or 0 if the top bit of
   index[i] is set. */
INLINE vblock block_shuffle(vblock table, vblock index)
{
    return _mm_shuffle_epi8(table, index);
}

INLINE vblock block_shift_right_4(vblock x)
{
    return _mm_srli_epi32(x, 4);
}

/* Keeps the compiler from taking a sum apart that contains x. */
INLINE void block_settle(vblock *x)
{
    CTAES_OPAQUE("x", *x);
}

#endif
