/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GHASH (ghash_ctmul.h) for 64-bit CPUs: by multiplications of 64 by 64 bits of
 * which the low 64 are used.
 *
 * An element is two limbs, and the product of two elements, in Karatsuba's way,
 * three products of limbs: low by low (v[0] below), high by high (v[1]) and sum
 * by sum (v[2]). v[3] to v[5] are the same mirrored, for the high halves.
 */
#ifndef CTAES_GHASH_CTMUL64_H
#define CTAES_GHASH_CTMUL64_H

#include "ghash_ctmul64_key.h"

#include "ghash_ctmul.h"

INLINE void split_element(limb v[PRODUCTS], const limb y[LIMBS])
{
    v[0] = y[0];
    v[1] = y[1];
    v[2] = y[0] ^ y[1];
    v[3] = mirror(y[0]);
    v[4] = mirror(y[1]);
    v[5] = v[3] ^ v[4];
}

INLINE void join_element(limb y[LIMBS], const limb v[PRODUCTS])
{
    limb w0 = v[0];
    limb w1 = v[3] ^ v[0] ^ v[1] ^ v[2];
    limb w2 = v[1] ^ v[3] ^ v[4] ^ v[5];
    limb w3 = v[4];

    w3 = w3 << 1 | w2 >> 63;
    w2 = w2 << 1 | w1 >> 63;
    w1 = w1 << 1 | w0 >> 63;
    w0 = w0 << 1;

    w1 ^= w0 << 63 ^ w0 << 62 ^ w0 << 57;
    w2 ^= w0 ^ w0 >> 1 ^ w0 >> 2 ^ w0 >> 7;
    w2 ^= w1 << 63 ^ w1 << 62 ^ w1 << 57;
    w3 ^= w1 ^ w1 >> 1 ^ w1 >> 2 ^ w1 >> 7;

    y[0] = w2;
    y[1] = w3;
}

#endif
