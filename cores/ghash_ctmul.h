/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Carry-less multiplication out of integer multiplication, for a `limb` of
 * LIMB_BITS bits, 32 or 64; included by ghash_ctmul32.h and ghash_ctmul64.h.
 */
#ifndef CTAES_GHASH_CTMUL_H
#define CTAES_GHASH_CTMUL_H

#include "bytes.h"
#include "core.h"
#include "ct.h"

#define GHASH_POWERS 4

/* The bits of class 0: every fourth, from bit 0. */
#define CLASS ((limb)-1 / 15)

/* The values of the polynomial a[0] + a[1]*t + a[2]*t^2 + a[3]*t^3 at
   Karatsuba's nine points, twice two levels of "low, high, sum". */
static inline void evaluate(limb v[9], limb a0, limb a1, limb a2, limb a3)
{
    v[0] = a0;
    v[1] = a1;
    v[2] = a0 ^ a1;
    v[3] = a2;
    v[4] = a3;
    v[5] = a2 ^ a3;
    v[6] = a0 ^ a2;
    v[7] = a1 ^ a3;
    v[8] = v[2] ^ v[5];
}

/* The seven coefficients of the polynomial of degree 6 with these values. */
static inline void interpolate(limb c[7], const limb v[9])
{
    const limb low1 = v[0] ^ v[1] ^ v[2];
    const limb high1 = v[3] ^ v[4] ^ v[5];
    const limb sum1 = v[6] ^ v[7] ^ v[8];
    const limb middle = v[1] ^ v[3];
    c[0] = v[0];
    c[1] = low1;
    c[2] = v[0] ^ v[6] ^ middle;
    c[3] = low1 ^ high1 ^ sum1;
    c[4] = v[4] ^ v[7] ^ middle;
    c[5] = high1;
    c[6] = v[4];
}

static inline void split_classes(limb v[9], limb a)
{
    evaluate(v, a & CLASS, a >> 1 & CLASS, a >> 2 & CLASS, a >> 3 & CLASS);
}

static inline limb join_low(const limb v[9])
{
    limb c[7];
    interpolate(c, v);
    return ((c[0] ^ c[4] << 4) & CLASS) | ((c[1] ^ c[5] << 4) & CLASS) << 1 |
           ((c[2] ^ c[6] << 4) & CLASS) << 2 | (c[3] & CLASS) << 3;
}

/* The limb with its nibbles in reverse order. */
static inline limb reverse_nibbles(limb x)
{
#if LIMB_BITS == 64
    x = __builtin_bswap64(x);
#else
    x = __builtin_bswap32(x);
#endif
    const limb mask = (limb)-1 / 0xff * 0x0f;
    return (x >> 4 & mask) | (x & mask) << 4;
}

static inline limb join_high(const limb v[9])
{
    limb c[7];
    interpolate(c, v);
    return reverse_nibbles(((c[0] << 4 ^ c[4]) & CLASS) | ((c[1] << 4 ^ c[5]) & CLASS) << 1 |
                           ((c[2] << 4 ^ c[6]) & CLASS) << 2 | (c[3] << 4 & CLASS) << 3);
}

#endif
