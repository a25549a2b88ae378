/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GHASH by integer multiplication (ctmul.h), over a `limb` of LIMB_BITS bits: all
 * that ghash_ctmul32.h and ghash_ctmul64.h have in common, which define both and
 * include this.
 *
 * GCM'S BIT ORDER. The coefficient of x^0 is the most significant bit of the
 * first byte, so an element read as a big-endian number is the polynomial in
 * mirror image. Multiplication doesn't mind, but the product of two numbers of
 * 128 bits has 255, and the mirror image of 256 coefficients is one bit up. So
 * it is shifted by one, and then reduced:
 *
 *        high 128 bits     x^0 .. x^127   <---+
 *                                             |  x^128 = 1 + x + x^2 + x^7
 *        low 128 bits    x^128 .. x^255   ----+
 *
 * POWERS OF H. n blocks are hashed at once as x1*H^n + ... + xn*H (y being added
 * to x1), with one joining of halves and classes and one reduction for all.
 *
 * Sources: SP 800-38D sections 6.3 and 6.4. S. Gueron, M. Kounavis, "Intel
 * carry-less multiplication instruction and its usage for computing the GCM
 * mode", 2010, for the shift by one and the powers of H.
 *
 * Constant time as far as the CPU's multiplication is: see ctmul.h.
 */
#ifndef CTAES_GHASH_CTMUL_H
#define CTAES_GHASH_CTMUL_H

#include "bytes.h"
#include "core.h"
#include "ctmul.h"
#include "ghash_ctmul_key.h"
#include "portable.h"

#if LIMB_BITS == 64
#    define load_limb load_be64
#    define store_limb store_be64
#else
#    define load_limb load_be32
#    define store_limb store_be32
#endif

/*
 * What each width does in its own way. Elements are LIMBS limbs, the least
 * significant first.
 */

/* The operands of the products of limbs that make up a product of elements. */
INLINE void split_element(limb v[PRODUCTS], const limb y[LIMBS]);

/* Adds up these products, and reduces modulo x^128 + x^7 + x^2 + x + 1. */
INLINE void join_element(limb y[LIMBS], const limb v[PRODUCTS]);

/* y = the sum of the elements whose operands are v[t], each times H^(n - t). */
INLINE_LARGE void multiply_powers(limb y[LIMBS], const struct ctaes_ghash_key *hk,
                                  limb v[][PRODUCTS], size_t n)
{
    limb product[PRODUCTS];
    for (size_t i = 0; i < PRODUCTS; i++) {
        limb sum[9] = {0};
        for (size_t t = 0; t < n; t++)
            multiply_add(sum, v[t][i], hk->power[n - 1 - t][i]);
        product[i] = i < PRODUCTS / 2 ? join_low(sum) : join_high(sum);
    }
    join_element(y, product);
}

/* Makes y the next power of H in hk. */
INLINE void set_power(struct ctaes_ghash_key *hk, const limb y[LIMBS])
{
    limb v[PRODUCTS];
    split_element(v, y);
    for (size_t i = 0; i < PRODUCTS; i++)
        split_classes(hk->power[hk->npowers][i], v[i]);
    hk->npowers++;
}

INLINE void load_element(limb y[LIMBS], const uint8_t b[16])
{
    for (size_t i = 0; i < LIMBS; i++)
        y[LIMBS - 1 - i] = load_limb(b + i * sizeof(limb));
}

static NOINLINE void set_hash_key(struct ctaes_ghash_key *hk, const uint8_t h[16])
{
    memset(hk, 0, sizeof *hk);
    load_element(hk->h, h);
    set_power(hk, hk->h);
}

static NOINLINE void set_all_powers(struct ctaes_ghash_key *hk)
{
    limb y[LIMBS], v[1][PRODUCTS];
    memcpy(y, hk->h, sizeof y);
    while (hk->npowers < POWERS) {
        split_element(v[0], y);
        multiply_powers(y, hk, v, 1);
        set_power(hk, y);
    }
}

/* y = (y + x1)*H^n + x2*H^(n - 1) + ... + xn*H, for the n blocks x of in. */
INLINE void hash_group(limb y[LIMBS], const struct ctaes_ghash_key *hk, const uint8_t *in, size_t n)
{
    limb x[LIMBS], v[POWERS][PRODUCTS];
    for (size_t t = 0; t < n; t++) {
        load_element(x, in + 16 * t);
        for (size_t i = 0; i < LIMBS && t == 0; i++)
            x[i] ^= y[i];
        split_element(v[t], x);
    }
    multiply_powers(y, hk, v, n);
}

static NOINLINE void hash_blocks(const struct ctaes_ghash_key *hk, uint8_t y[16], const uint8_t *in,
                                 size_t nblocks)
{
    limb state[LIMBS];
    load_element(state, y);
    for (; nblocks >= POWERS && hk->npowers == POWERS; nblocks -= POWERS) {
        hash_group(state, hk, in, POWERS);
        in += 16 * POWERS;
    }
    for (; nblocks > 0; nblocks--) {
        hash_group(state, hk, in, 1);
        in += 16;
    }
    for (size_t i = 0; i < LIMBS; i++)
        store_limb(y + i * sizeof(limb), state[LIMBS - 1 - i]);
}

/* The functions of struct ctaes_core: workers, each followed by wipe_stack. */

static void ghash_init(struct ctaes_ghash_key *hk, const uint8_t h[16])
{
    set_hash_key(hk, h);
    wipe_stack();
}

static void ghash(struct ctaes_ghash_key *hk, uint8_t y[16], const uint8_t *in, size_t nblocks)
{
    /* Powers of H cost as much as a few blocks, so short inputs go without. */
    if (nblocks >= 2 * POWERS && hk->npowers < POWERS)
        set_all_powers(hk);
    hash_blocks(hk, y, in, nblocks);
    wipe_stack();
}

#endif
