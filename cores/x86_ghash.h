/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GHASH with carry-less multiplication, for vectors of any width (a template
 * as x86_wide.h is).
 *
 * GCM numbers the bits of a block from the wrong end for a multiplier. With
 * the bytes of every block reversed, GHASH becomes POLYVAL (RFC 8452, appendix
 * A): multiplication by H' = x * H, followed by x^-128, modulo
 *
 *      x^128 + x^127 + x^126 + x^121 + 1.
 *
 * The factor x^-128 is what Montgomery's reduction leaves, so that it costs
 * nothing, and H' is made once for each key.
 *
 * A run of n blocks is one sum with one reduction at its end:
 *
 *      y' = (y ^ x1) * H^n  ^  x2 * H^(n-1)  ^ ... ^  xn * H
 *
 * The powers lie in memory in that order, so that a vector of blocks is
 * multiplied by a vector of powers, and a run of n blocks starts at H^n
 * wherever that is:
 *
 *      power[]:  H^max ... H^5 H^4 H^3 H^2 H^1 0 0 0 0
 *                              `---- n = 4 ---'
 *
 * The zeros let the last vector reach past H^1; the blocks there are zero too.
 *
 * Each product is Karatsuba's, three multiplications of 64 bits, kept as three
 * sums of 128 bits at the weights x^0, x^64 and x^128:
 *
 *      hi:          | 255 ...... 128 |
 *      mid:                 | 191 ...... 64 |
 *      lo:                          | 127 ........ 0 |
 *
 * Reduction clears the lowest 64 bits twice, by adding a multiple of the
 * modulus: once moving lo into mid, once mid into hi. Multiplying the low half
 * of lo by x^63 + x^62 + x^57 and exchanging lo's halves is all that one such
 * step takes, for lo sits half a register lower than mid.
 *
 * Powers are built when a run first needs them, doubling their number: a key
 * used for one short message pays for one or two.
 *
 * Sources: SP 800-38D section 6.4; RFC 8452 appendix A (POLYVAL); Gueron and
 * Kounavis, "Intel Carry-Less Multiplication Instruction and its Usage for
 * Computing the GCM Mode", Intel white paper (Karatsuba, one reduction for
 * several blocks); Gueron, "AES-GCM for Efficient Authenticated Encryption -
 * Ending the Reign of HMAC-SHA-1?", Real World Crypto 2013 (the reduction).
 *
 * Constant time: PCLMULQDQ takes the same time for all values, and how many
 * powers there are depends on lengths alone.
 */
#ifndef CTAES_X86_GHASH_H
#define CTAES_X86_GHASH_H

#include "core.h"
#include "x86_batch.h"

struct ctaes_ghash_key {
    /* power[BATCH_BLOCKS - n] is H^n; of the others only the zeros at the end
       are defined. */
    __m128i power[BATCH_BLOCKS + VEC_BLOCKS];
    /* The two halves of each power, xored, in the low 64 bits: Karatsuba's. */
    __m128i halves[BATCH_BLOCKS + VEC_BLOCKS];
    uint32_t ready; /* H^1 to H^ready are there; public */
};

struct ghash_sum {
    vec lo, mid, hi;
};

INLINE struct ghash_sum ghash_zero(void)
{
    return (struct ghash_sum){vec_zero(), vec_zero(), vec_zero()};
}

/* Adds the blocks x, times H^n and the powers below it. */
INLINE void ghash_add(struct ghash_sum *sum, const struct ctaes_ghash_key *hk, size_t n, vec x)
{
    const vec h = vec_load_aligned(&hk->power[BATCH_BLOCKS - n]);
    const vec halves = vec_load_aligned(&hk->halves[BATCH_BLOCKS - n]);
    sum->lo = vec_xor(sum->lo, vec_clmul_low(x, h));
    sum->hi = vec_xor(sum->hi, vec_clmul_high(x, h));
    sum->mid = vec_xor(sum->mid, vec_clmul_low(vec_xor(x, vec_swap(x)), halves));
    vec_settle(&sum->lo);
    vec_settle(&sum->hi);
    vec_settle(&sum->mid);
}

/* Reduces every block of the sum. */
INLINE vec ghash_reduce(struct ghash_sum sum)
{
    const vec poly = vec_set1(block_from(0, 0xc200000000000000));
    vec mid = vec_xor(sum.mid, vec_xor(sum.lo, sum.hi));
    mid = vec_xor(mid, vec_xor(vec_swap(sum.lo), vec_clmul_low(sum.lo, poly)));
    return vec_xor(sum.hi, vec_xor(vec_swap(mid), vec_clmul_low(mid, poly)));
}

/* Stores n blocks of h, 1 to VEC_BLOCKS, as H^top, H^(top-1), ... */
INLINE void ghash_store_powers(struct ctaes_ghash_key *hk, size_t top, vec h, size_t n)
{
    vec_store_head((uint8_t *)&hk->power[BATCH_BLOCKS - top], h, 16 * n);
    vec_store_head((uint8_t *)&hk->halves[BATCH_BLOCKS - top], vec_xor(h, vec_swap(h)), 16 * n);
}

/* Makes the powers that a run of nblocks blocks needs, if they are not there. */
INLINE void ghash_need(struct ctaes_ghash_key *hk, size_t nblocks)
{
    const size_t n = nblocks < BATCH_BLOCKS ? nblocks : BATCH_BLOCKS;
    while (hk->ready < n) {
        /* H^(m+1) to H^2m are H^m times H^1 to H^m. */
        const size_t m = hk->ready, width = m < VEC_BLOCKS ? m : VEC_BLOCKS;
        const vec h = vec_set1(hk->power[BATCH_BLOCKS - m]);
        const vec halves = vec_set1(hk->halves[BATCH_BLOCKS - m]);
        for (size_t i = m; i > 0; i -= width) {
            const vec x = vec_load_aligned(&hk->power[BATCH_BLOCKS - i]);
            const vec mid = vec_clmul_low(vec_xor(x, vec_swap(x)), halves);
            const struct ghash_sum product = {vec_clmul_low(x, h), mid, vec_clmul_high(x, h)};
            ghash_store_powers(hk, m + i, ghash_reduce(product), width);
        }
        hk->ready = (uint32_t)(2 * m);
    }
}

static void ghash_init(struct ctaes_ghash_key *hk, const uint8_t h[16])
{
    /* x * H: shift left by one bit; the bit that falls out stands for x^128,
       which is x^127 + x^126 + x^121 + 1. */
    const __m128i a = block_reverse(block_load(h));
    const __m128i carry = _mm_slli_si128(_mm_srli_epi64(a, 63), 8);
    const __m128i doubled = _mm_or_si128(_mm_add_epi64(a, a), carry);
    const __m128i out = _mm_shuffle_epi32(_mm_srai_epi32(a, 31), 0xff);
    const __m128i poly = block_from(0xc200000000000000, 1);
    const __m128i hx = _mm_xor_si128(doubled, _mm_and_si128(out, poly));

    hk->power[BATCH_BLOCKS - 1] = hx;
    hk->halves[BATCH_BLOCKS - 1] = _mm_xor_si128(hx, block_swap(hx));
    UNROLL
    for (int i = BATCH_BLOCKS; i < BATCH_BLOCKS + VEC_BLOCKS; i++) {
        hk->power[i] = _mm_setzero_si128();
        hk->halves[i] = _mm_setzero_si128();
    }
    hk->ready = 1;
}

/* Returns the next y after a run of nblocks blocks, 1 to BATCH_BLOCKS. */
INLINE __m128i ghash_run(const struct ctaes_ghash_key *hk, __m128i y, const uint8_t *in,
                         size_t nblocks)
{
    struct ghash_sum sum = ghash_zero();
    vec first = vec_first(y);
    for (; nblocks >= VEC_BLOCKS; nblocks -= VEC_BLOCKS, in += VEC_BYTES) {
        ghash_add(&sum, hk, nblocks, vec_xor(first, vec_reverse(vec_load(in))));
        first = vec_zero();
    }
    if (nblocks > 0) {
        const vec x = vec_load_head(in, 16 * nblocks);
        ghash_add(&sum, hk, nblocks, vec_xor(first, vec_reverse(x)));
    }
    return vec_sum(ghash_reduce(sum));
}

/* The same for at most SHORT_RUN blocks, one at a time. This is how short messages end;
   their blocks have just been stored one by one, and a wide load of several stores
   would have to wait until they have reached the cache. */
enum { SHORT_RUN = 6 };

INLINE __m128i ghash_short_run(const struct ctaes_ghash_key *hk, __m128i y, const uint8_t *in,
                               size_t nblocks)
{
    const __m128i *power = &hk->power[BATCH_BLOCKS - nblocks];
    const __m128i *halves = &hk->halves[BATCH_BLOCKS - nblocks];
    const __m128i poly = block_from(0, 0xc200000000000000);
    __m128i lo = _mm_setzero_si128(), mid = lo, hi = lo;
    for (size_t i = 0; i < nblocks; i++) {
        const __m128i x = _mm_xor_si128(y, block_reverse(block_load(in + 16 * i)));
        const __m128i x_halves = _mm_xor_si128(x, block_swap(x));
        lo = _mm_xor_si128(lo, _mm_clmulepi64_si128(x, power[i], 0x00));
        hi = _mm_xor_si128(hi, _mm_clmulepi64_si128(x, power[i], 0x11));
        mid = _mm_xor_si128(mid, _mm_clmulepi64_si128(x_halves, halves[i], 0x00));
        y = _mm_setzero_si128();
    }
    mid = _mm_xor_si128(mid, _mm_xor_si128(lo, hi));
    lo = _mm_xor_si128(block_swap(lo), _mm_clmulepi64_si128(lo, poly, 0x00));
    mid = _mm_xor_si128(mid, lo);
    mid = _mm_xor_si128(block_swap(mid), _mm_clmulepi64_si128(mid, poly, 0x00));
    return _mm_xor_si128(hi, mid);
}

/* Runs of more blocks than a short one, or which need more powers. */
static NOINLINE void ghash_long(struct ctaes_ghash_key *hk, uint8_t y[16], const uint8_t *in,
                                size_t nblocks)
{
    ghash_need(hk, nblocks);
    __m128i acc = block_reverse(block_load(y));
    for (; nblocks > BATCH_BLOCKS; nblocks -= BATCH_BLOCKS, in += BATCH_BYTES)
        acc = ghash_run(hk, acc, in, BATCH_BLOCKS);
    if (nblocks <= SHORT_RUN)
        acc = ghash_short_run(hk, acc, in, nblocks);
    else
        acc = ghash_run(hk, acc, in, nblocks);
    block_store(y, block_reverse(acc));
}

static void ghash(struct ctaes_ghash_key *hk, uint8_t y[16], const uint8_t *in, size_t nblocks)
{
    if (nblocks == 0)
        return;
    if (nblocks > SHORT_RUN || nblocks > hk->ready) {
        ghash_long(hk, y, in, nblocks);
        return;
    }
    const __m128i acc = ghash_short_run(hk, block_reverse(block_load(y)), in, nblocks);
    block_store(y, block_reverse(acc));
}

#endif
