/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GHASH (ghash_ctmul.h) for 32-bit CPUs: by multiplications of 32 by 32 bits of
 * which the low 32 are used.
 *
 * An element is four limbs, and the product of two elements nine products of
 * limbs: those of the values at Karatsuba's nine points (evaluate). v[9] to
 * v[17] are the same mirrored, for the high halves.
 */
#ifndef CTAES_GHASH_CTMUL32_H
#define CTAES_GHASH_CTMUL32_H

#include <stdint.h>

typedef uint32_t limb;
#define LIMB_BITS 32
#define PRODUCTS 18
#include "ghash_ctmul.h"

INLINE void split_element(limb v[PRODUCTS], const limb y[LIMBS])
{
    evaluate(v, y[0], y[1], y[2], y[3]);
    for (int i = 0; i < 9; i++)
        v[9 + i] = mirror(v[i]);
}

INLINE void join_element(limb y[LIMBS], const limb v[PRODUCTS])
{
    limb low[7], high[7], w[8];
    interpolate(low, v);
    interpolate(high, v + 9);
    w[0] = low[0];
    for (int i = 1; i < 7; i++)
        w[i] = low[i] ^ high[i - 1];
    w[7] = high[6];

    for (int i = 7; i > 0; i--)
        w[i] = w[i] << 1 | w[i - 1] >> 31;
    w[0] <<= 1;

    for (int i = 0; i < 4; i++) {
        w[i + 3] ^= w[i] << 31 ^ w[i] << 30 ^ w[i] << 25;
        w[i + 4] ^= w[i] ^ w[i] >> 1 ^ w[i] >> 2 ^ w[i] >> 7;
    }
    for (int i = 0; i < 4; i++)
        y[i] = w[i + 4];
}

#endif
