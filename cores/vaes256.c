/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The core vaes256: VAES and VPCLMULQDQ on two blocks at a time, in YMM
 * registers, for CPUs that have them without AVX-512 (Zen 3, Alder Lake and its
 * successors) or where AVX-512 is turned off.
 *
 * This file has just the operations on vectors; see x86_vec128.h for what each
 * of them does. Key setup and CBC encryption are x86_aes.h's, the rest is made
 * by the templates x86_wide.h, x86_ghash.h, x86_gcm.h and x86_xts.h.
 */
#include "x86_block.h"

typedef __m256i vec;
enum { VEC_BLOCKS = 2 };
#define VEC_IS_BLOCK 0

INLINE vec vec_load(const uint8_t *p)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)p);
}

INLINE vec vec_load_aligned(const __m128i *p)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)p);
}

INLINE void vec_store(uint8_t *p, vec x)
{
    _mm256_storeu_si256((__m256i *)(void *)p, x);
}

/* n is 1 to 32. */
INLINE vec vec_load_head(const uint8_t *p, size_t n)
{
    if (n <= 16)
        return _mm256_zextsi128_si256(block_load_head(p, n));
    return _mm256_set_m128i(block_load_head(p + 16, n - 16), block_load(p));
}

INLINE void vec_store_head(uint8_t *p, vec x, size_t n)
{
    const __m128i low = _mm256_castsi256_si128(x);
    if (n <= 16) {
        block_store_head(p, low, n);
        return;
    }
    block_store(p, low);
    block_store_head(p + 16, _mm256_extracti128_si256(x, 1), n - 16);
}

INLINE vec vec_keep(vec x, size_t nblocks)
{
    if (nblocks == 0)
        return _mm256_setzero_si256();
    return nblocks == 1 ? _mm256_zextsi128_si256(_mm256_castsi256_si128(x)) : x;
}

INLINE vec vec_set1(__m128i x)
{
    return _mm256_broadcastsi128_si256(x);
}

INLINE vec vec_first(__m128i x)
{
    return _mm256_zextsi128_si256(x);
}

INLINE __m128i vec_block(vec x)
{
    return _mm256_castsi256_si128(x);
}

INLINE __m128i vec_pick(vec x, size_t i)
{
    return i == 0 ? _mm256_castsi256_si128(x) : _mm256_extracti128_si256(x, 1);
}

INLINE __m128i vec_sum(vec x)
{
    return _mm_xor_si128(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
}

INLINE vec vec_push(__m128i before, vec x)
{
    return _mm256_permute2x128_si256(_mm256_castsi128_si256(before), x, 0x20);
}

INLINE void vec_settle(vec *x)
{
    CTAES_OPAQUE_HERE("x", *x);
}

INLINE vec vec_zero(void)
{
    return _mm256_setzero_si256();
}

INLINE vec vec_xor(vec a, vec b)
{
    return _mm256_xor_si256(a, b);
}

INLINE vec vec_add32(vec a, vec b)
{
    return _mm256_add_epi32(a, b);
}

INLINE vec vec_numbers(void)
{
    return _mm256_set_epi64x(0, 1, 0, 0);
}

INLINE vec vec_reverse(vec x)
{
    const __m128i order = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm256_shuffle_epi8(x, vec_set1(order));
}

INLINE vec vec_swap(vec x)
{
    return _mm256_shuffle_epi32(x, 0x4e);
}

/* What x86_xts.h wants of vectors of several blocks: */

/* Shift the halves of block i to the left by n + i bits, or to the right by what 64
   is more than that (if it is 64, they become 0). */
INLINE vec vec_shift_left64(vec x, int n)
{
    return _mm256_sllv_epi64(x, _mm256_set_epi64x(n + 1, n + 1, n, n));
}

INLINE vec vec_shift_right64(vec x, int n)
{
    return _mm256_srlv_epi64(x, _mm256_set_epi64x(63 - n, 63 - n, 64 - n, 64 - n));
}

/* Moves the lower half of each block to the upper; the lower becomes 0. */
INLINE vec vec_low_to_high(vec x)
{
    return _mm256_slli_si256(x, 8);
}

/* Shifts each block to the left by VEC_BLOCKS bytes; and the bytes that are lost
   by that, as the lowest ones. */
INLINE vec vec_up_bytes(vec x)
{
    return _mm256_slli_si256(x, VEC_BLOCKS);
}

INLINE vec vec_top_bytes(vec x)
{
    return _mm256_srli_si256(x, 16 - VEC_BLOCKS);
}

INLINE vec vec_clmul_low(vec a, vec b)
{
    return _mm256_clmulepi64_epi128(a, b, 0x00);
}

INLINE vec vec_clmul_high(vec a, vec b)
{
    return _mm256_clmulepi64_epi128(a, b, 0x11);
}

INLINE vec vec_aesenc(vec x, vec k)
{
    return _mm256_aesenc_epi128(x, k);
}

INLINE vec vec_aesenclast(vec x, vec k)
{
    return _mm256_aesenclast_epi128(x, k);
}

INLINE vec vec_aesdec(vec x, vec k)
{
    return _mm256_aesdec_epi128(x, k);
}

INLINE vec vec_aesdeclast(vec x, vec k)
{
    return _mm256_aesdeclast_epi128(x, k);
}

#include "x86_core.h"

const struct ctaes_core ctaes_core_vaes256 =
    X86_CORE("vaes256", CTAES_CPU_AESNI | CTAES_CPU_PCLMUL | CTAES_CPU_AVX2 | CTAES_CPU_VAES |
                            CTAES_CPU_VPCLMUL);
