/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the x86 cores' other headers are written in: blocks in XMM registers,
 * whole or in part, and two words to the compiler.
 *
 * Constant time: shuffles and moves; branches and shift counts depend on a
 * length alone.
 */
#ifndef CTAES_X86_BLOCK_H
#define CTAES_X86_BLOCK_H

#include "opaque.h"

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

/* The helpers of these headers are parts of loops: a call in between would
   spill the vector registers, and with them secrets, to the stack. */
#define INLINE static inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline))

/* Unrolls the next loop fully. Its count must be a constant after inlining. */
#ifdef __clang__
#    define UNROLL _Pragma("clang loop unroll(full)")
#else
#    define UNROLL _Pragma("GCC unroll 16")
#endif

INLINE __m128i block_load(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

INLINE void block_store(uint8_t *p, __m128i x)
{
    _mm_storeu_si128((__m128i *)(void *)p, x);
}

/* Reverses the bytes of a block. */
INLINE __m128i block_reverse(__m128i x)
{
    return _mm_shuffle_epi8(x, _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
}

/* Exchanges the halves of a block. */
INLINE __m128i block_swap(__m128i x)
{
    return _mm_shuffle_epi32(x, 0x4e);
}

INLINE __m128i block_from(uint64_t high, uint64_t low)
{
    return _mm_set_epi64x((long long)high, (long long)low);
}

/*
 * Part of a block goes through general registers, as two overlapping words, so
 * that no byte outside is touched and no copy of a secret lands on the stack.
 * The compiler's own memcpy, because gcc 12 keeps whole arrays of vectors in
 * memory in functions that contain the fortified one.
 */

/* Returns the n bytes at p, 1 to 8, followed by zeros. */
INLINE uint64_t word_load_head(const uint8_t *p, size_t n)
{
    if (n >= 4) {
        uint32_t first, last;
        __builtin_memcpy(&first, p, 4);
        __builtin_memcpy(&last, p + n - 4, 4);
        return first | (uint64_t)last << 8 * (n - 4);
    }
    return p[0] | (uint64_t)p[n / 2] << 8 * (n / 2) | (uint64_t)p[n - 1] << 8 * (n - 1);
}

/* Stores the first n bytes of x, 1 to 8. */
INLINE void word_store_head(uint8_t *p, uint64_t x, size_t n)
{
    if (n >= 4) {
        const uint32_t first = (uint32_t)x, last = (uint32_t)(x >> 8 * (n - 4));
        __builtin_memcpy(p, &first, 4);
        __builtin_memcpy(p + n - 4, &last, 4);
        return;
    }
    p[0] = (uint8_t)x;
    p[n / 2] = (uint8_t)(x >> 8 * (n / 2));
    p[n - 1] = (uint8_t)(x >> 8 * (n - 1));
}

/* Returns the n bytes at p, 1 to 16, followed by zeros. */
INLINE __m128i block_load_head(const uint8_t *p, size_t n)
{
    if (n == 16)
        return block_load(p);
    if (n <= 8)
        return block_from(0, word_load_head(p, n));
    uint64_t first, last;
    __builtin_memcpy(&first, p, 8);
    __builtin_memcpy(&last, p + n - 8, 8);
    return block_from(last >> 8 * (16 - n), first);
}

/* Stores the first n bytes of x, 1 to 16. */
INLINE void block_store_head(uint8_t *p, __m128i x, size_t n)
{
    if (n == 16) {
        block_store(p, x);
        return;
    }
    const uint64_t first = (uint64_t)_mm_cvtsi128_si64(x);
    if (n <= 8) {
        word_store_head(p, first, n);
        return;
    }
    const uint64_t last = first >> 8 * (n - 8) | (uint64_t)_mm_extract_epi64(x, 1) << 8 * (16 - n);
    __builtin_memcpy(p, &first, 8);
    __builtin_memcpy(p + n - 8, &last, 8);
}

#endif
