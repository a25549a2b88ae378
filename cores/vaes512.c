/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The core vaes512: VAES and VPCLMULQDQ on four blocks at a time, in ZMM
 * registers (Ice Lake, Zen 4 and later).
 *
 * This file has just the operations on vectors; see x86_vec128.h for what each
 * of them does. Key setup and CBC encryption are x86_aes.h's, the rest is made
 * by the templates x86_wide.h, x86_ghash.h, x86_gcm.h and x86_xts.h. Part of a vector is
 * loaded and stored through AVX-512's byte masks, which don't touch, and don't
 * fault on, what they leave out.
 */
#include "x86_block.h"

typedef __m512i vec;
enum { VEC_BLOCKS = 4 };
#define VEC_IS_BLOCK 0

INLINE vec vec_load(const uint8_t *p)
{
    return _mm512_loadu_si512(p);
}

INLINE vec vec_load_aligned(const __m128i *p)
{
    return _mm512_loadu_si512(p);
}

INLINE void vec_store(uint8_t *p, vec x)
{
    _mm512_storeu_si512(p, x);
}

/* The mask of the first n bytes, 1 to 64. */
INLINE __mmask64 head_mask(size_t n)
{
    return UINT64_MAX >> (64 - n);
}

INLINE vec vec_load_head(const uint8_t *p, size_t n)
{
    return _mm512_maskz_loadu_epi8(head_mask(n), p);
}

INLINE void vec_store_head(uint8_t *p, vec x, size_t n)
{
    _mm512_mask_storeu_epi8(p, head_mask(n), x);
}

INLINE vec vec_keep(vec x, size_t nblocks)
{
    return _mm512_maskz_mov_epi64((__mmask8)((1U << 2 * nblocks) - 1), x);
}

INLINE vec vec_set1(__m128i x)
{
    return _mm512_broadcast_i32x4(x);
}

INLINE vec vec_first(__m128i x)
{
    return _mm512_zextsi128_si512(x);
}

INLINE __m128i vec_block(vec x)
{
    return _mm512_castsi512_si128(x);
}

INLINE __m128i vec_pick(vec x, size_t i)
{
#ifdef CTAES_IS_MSAN /* which can't follow that instruction */
    __m128i blocks[4];
    _mm512_storeu_si512(blocks, x);
    return blocks[i];
#else
    return _mm512_castsi512_si128(_mm512_maskz_compress_epi64((__mmask8)(3U << 2 * i), x));
#endif
}

INLINE __m128i vec_sum(vec x)
{
    const __m256i low = _mm512_castsi512_si256(x), high = _mm512_extracti64x4_epi64(x, 1);
    const __m256i sum = _mm256_xor_si256(low, high);
    return _mm_xor_si128(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
}

INLINE vec vec_push(__m128i before, vec x)
{
    const vec shifted = _mm512_shuffle_i64x2(x, x, _MM_SHUFFLE(2, 1, 0, 0));
    return _mm512_mask_broadcast_i32x4(shifted, 0x000f, before);
}

INLINE void vec_settle(vec *x)
{
    CTAES_OPAQUE_HERE("v", *x);
}

INLINE vec vec_zero(void)
{
    return _mm512_setzero_si512();
}

INLINE vec vec_xor(vec a, vec b)
{
    return _mm512_xor_si512(a, b);
}

INLINE vec vec_add32(vec a, vec b)
{
    return _mm512_add_epi32(a, b);
}

INLINE vec vec_numbers(void)
{
    return _mm512_set_epi64(0, 3, 0, 2, 0, 1, 0, 0);
}

INLINE vec vec_reverse(vec x)
{
    const __m128i order = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm512_shuffle_epi8(x, vec_set1(order));
}

INLINE vec vec_swap(vec x)
{
    return _mm512_shuffle_epi32(x, _MM_PERM_BADC);
}

/* See vaes256.c for these. */
INLINE vec vec_shift_left64(vec x, int n)
{
    return _mm512_sllv_epi64(x, _mm512_set_epi64(n + 3, n + 3, n + 2, n + 2, n + 1, n + 1, n, n));
}

INLINE vec vec_shift_right64(vec x, int n)
{
    const int m = 64 - n;
    return _mm512_srlv_epi64(x, _mm512_set_epi64(m - 3, m - 3, m - 2, m - 2, m - 1, m - 1, m, m));
}

INLINE vec vec_low_to_high(vec x)
{
    return _mm512_bslli_epi128(x, 8);
}

INLINE vec vec_up_bytes(vec x)
{
    return _mm512_bslli_epi128(x, VEC_BLOCKS);
}

INLINE vec vec_top_bytes(vec x)
{
    return _mm512_bsrli_epi128(x, 16 - VEC_BLOCKS);
}

INLINE vec vec_clmul_low(vec a, vec b)
{
    return _mm512_clmulepi64_epi128(a, b, 0x00);
}

INLINE vec vec_clmul_high(vec a, vec b)
{
    return _mm512_clmulepi64_epi128(a, b, 0x11);
}

INLINE vec vec_aesenc(vec x, vec k)
{
    return _mm512_aesenc_epi128(x, k);
}

INLINE vec vec_aesenclast(vec x, vec k)
{
    return _mm512_aesenclast_epi128(x, k);
}

INLINE vec vec_aesdec(vec x, vec k)
{
    return _mm512_aesdec_epi128(x, k);
}

INLINE vec vec_aesdeclast(vec x, vec k)
{
    return _mm512_aesdeclast_epi128(x, k);
}

#include "x86_core.h"

const struct ctaes_core ctaes_core_vaes512 = X86_CORE(
    "vaes512", CTAES_CPU_AESNI | CTAES_CPU_PCLMUL | CTAES_CPU_VAES | CTAES_CPU_VPCLMUL |
                   CTAES_CPU_AVX2 | CTAES_CPU_AVX512F | CTAES_CPU_AVX512BW | CTAES_CPU_AVX512VL);
