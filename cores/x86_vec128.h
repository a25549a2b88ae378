/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vectors of one block, in XMM registers: what x86_wide.h, x86_ghash.h and
 * x86_gcm.h are made of for AES-NI and PCLMULQDQ.
 *
 * x86_aes.h has the operations on a block; here they only get the names that
 * the templates use.
 */
#ifndef CTAES_X86_VEC128_H
#define CTAES_X86_VEC128_H

#include "x86_block.h"

typedef __m128i vec;
enum { VEC_BLOCKS = 1 };
#define VEC_IS_BLOCK 1 /* for the preprocessor */

INLINE vec vec_load(const uint8_t *p)
{
    return block_load(p);
}

INLINE vec vec_load_aligned(const __m128i *p)
{
    return *p;
}

INLINE void vec_store(uint8_t *p, vec x)
{
    block_store(p, x);
}

/* The first n bytes, 1 to 16; the rest of a loaded vector is 0. */
INLINE vec vec_load_head(const uint8_t *p, size_t n)
{
    return block_load_head(p, n);
}

INLINE void vec_store_head(uint8_t *p, vec x, size_t n)
{
    block_store_head(p, x, n);
}

/* x, with all but the first nblocks blocks set to 0. */
INLINE vec vec_keep(vec x, size_t nblocks)
{
    return nblocks == 0 ? _mm_setzero_si128() : x;
}

/* x in every block. */
INLINE vec vec_set1(__m128i x)
{
    return x;
}

/* x in the first block, 0 in the others. */
INLINE vec vec_first(__m128i x)
{
    return x;
}

/* The first block. */
INLINE __m128i vec_block(vec x)
{
    return x;
}

/* Block i, below VEC_BLOCKS. */
INLINE __m128i vec_pick(vec x, size_t i)
{
    (void)i;
    return x;
}

/* The xor of all blocks. */
INLINE __m128i vec_sum(vec x)
{
    return x;
}

/* before, and then the blocks of x but the last. */
INLINE vec vec_push(__m128i before, vec x)
{
    (void)x;
    return before;
}

/* Makes the compiler compute x here: not later, and not as part of a sum that
   it has put into another order. gcc and clang else move products away from
   their sums until they run out of registers. */
INLINE void vec_settle(vec *x)
{
    CTAES_OPAQUE_HERE("x", *x);
}

INLINE vec vec_zero(void)
{
    return _mm_setzero_si128();
}

INLINE vec vec_xor(vec a, vec b)
{
    return _mm_xor_si128(a, b);
}

/* Adds lanes of 32 bits. */
INLINE vec vec_add32(vec a, vec b)
{
    return _mm_add_epi32(a, b);
}

/* 0, 1, ... in the lowest lane of 32 bits of each block. */
INLINE vec vec_numbers(void)
{
    return _mm_setzero_si128();
}

/* Reverses the bytes of each block. */
INLINE vec vec_reverse(vec x)
{
    return block_reverse(x);
}

/* Exchanges the halves of each block. */
INLINE vec vec_swap(vec x)
{
    return block_swap(x);
}

/* The carry-less products of the lower (upper) halves of the blocks. */
INLINE vec vec_clmul_low(vec a, vec b)
{
    return _mm_clmulepi64_si128(a, b, 0x00);
}

INLINE vec vec_clmul_high(vec a, vec b)
{
    return _mm_clmulepi64_si128(a, b, 0x11);
}

INLINE vec vec_aesenc(vec x, vec k)
{
    return _mm_aesenc_si128(x, k);
}

INLINE vec vec_aesenclast(vec x, vec k)
{
    return _mm_aesenclast_si128(x, k);
}

INLINE vec vec_aesdec(vec x, vec k)
{
    return _mm_aesdec_si128(x, k);
}

INLINE vec vec_aesdeclast(vec x, vec k)
{
    return _mm_aesdeclast_si128(x, k);
}

#endif
