/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Carry-less multiplication by integer multiplication, over a `limb` of
 * LIMB_BITS bits, 32 or 64; included after both were defined.
 *
 * HOLES. GHASH multiplies polynomials over GF(2): as one multiplies integers,
 * but without carries. An integer multiplication does that work, and its carries
 * spoil it. But if only every fourth bit of the operands is ever set, carries
 * find room. Every fourth bit of the product then starts a number of 4 bits, the
 * sum of at most 16 products of bits, and the lowest bit of that number is their
 * sum in GF(2). The other three, the holes, are masked off.
 *
 *        a          ...           a2            a1         a0
 *        b          ...           b2            b1         b0
 *        a * b      ...  a0*b2+a1*b1+a2*b0  a0*b1+a1*b0  a0*b0      4 bits each
 *
 * A limb is four such classes of bits: with CLASS = 0x1111..., a is the sum of
 * A_i << i where A_i = a >> i & CLASS, and its product with b is the sum of
 * (A_i * B_j) << (i + j). These are 16 multiplications, or 9 in Karatsuba's way
 * (evaluate, interpolate). XOR can add before the masking as well as after it,
 * since it works on each bit by itself; so the products of several blocks can be
 * added before the costly steps that follow.
 *
 * HALVES. C gives only the low half of a product, and on small CPUs that half
 * is the fast one, and the one that takes constant time. Its n-th place (of 4
 * bits, from 0) has n + 1 terms: 16 only at the last place of 64 bits, where the
 * carry falls off the end. The high half is found as the low half of another
 * product, of the operands in mirror image, that is, with their nibbles in
 * reverse order. If a limb has N places and a'[i] = a[N-1-i],
 *
 *        place n of a * b  =  sum of a[i] * b[n-i]
 *                          =  sum of a'[N-1-i] * b'[N-1-n+i]
 *                          =  place 2*(N-1) - n of a' * b'.
 *
 * Source: T. Pornin, BearSSL, src/hash/ghash_ctmul32.c and ghash_ctmul64.c, for
 * multiplication with holes, and for the low half of the mirrored operands. There
 * single bits are mirrored, and the 16 products of classes are computed.
 *
 * Constant time as far as the CPU's multiplication is, of LIMB_BITS by
 * LIMB_BITS bits to the low LIMB_BITS of the product. Known to be:
 *
 *  - x86 from the Pentium on, and every x86-64 (Intel lists MUL and IMUL among
 *    the instructions with data-operand-independent timing).
 *  - ARM: Cortex-M0 and M0+ (1 or 32 cycles, as the chip was made), M3 (MUL,
 *    which is all that 32-bit limbs need; UMULL is not), M4, M7, M33, Cortex-A,
 *    by their manuals. From Armv8.4 on guaranteed, while PSTATE.DIT is set.
 *  - RISC-V with Zkt, which guarantees it.
 *
 * Known not to be (they end early if an operand is small):
 *
 *  - 80386 and 80486.
 *  - ARM7TDMI, ARM9TDMI and others with their multiplier.
 *  - PowerPC 603, 7xx and 74xx.
 *  - UltraSPARC I to III.
 *  - Small RISC-V cores with a serial multiplier, unless they claim Zkt.
 *
 * Others (s390x, POWER, MIPS, LoongArch): not documented as far as we know. See
 * https://www.bearssl.org/ctmul.html for more. AES doesn't multiply: only GHASH
 * is concerned.
 */
#ifndef CTAES_CTMUL_H
#define CTAES_CTMUL_H

#include "portable.h"

#define CLASS ((limb)-1 / 15)

#if LIMB_BITS == 64
#    define reverse_bytes __builtin_bswap64
#else
#    define reverse_bytes __builtin_bswap32
#endif

/* The values of a0 + a1*t + a2*t^2 + a3*t^3 at Karatsuba's nine points: low,
   high and sum of the low half (0..2), of the high half (3..5) and of the sum
   of the halves (6..8). */
INLINE void evaluate(limb v[9], limb a0, limb a1, limb a2, limb a3)
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

/* The seven coefficients of the product, from its values at the nine points. */
INLINE void interpolate(limb c[7], const limb v[9])
{
    const limb low = v[0] ^ v[1] ^ v[2];
    const limb high = v[3] ^ v[4] ^ v[5];
    const limb sum = v[6] ^ v[7] ^ v[8];
    c[0] = v[0];
    c[1] = low;
    c[2] = v[1] ^ v[0] ^ v[3] ^ v[6];
    c[3] = low ^ high ^ sum;
    c[4] = v[3] ^ v[1] ^ v[4] ^ v[7];
    c[5] = high;
    c[6] = v[4];
}

INLINE void split_classes(limb v[9], limb a)
{
    evaluate(v, a & CLASS, a >> 1 & CLASS, a >> 2 & CLASS, a >> 3 & CLASS);
}

/* Adds a * b, in values of the classes, to sum; b is split already. */
INLINE void multiply_add(limb sum[9], limb a, const limb b[9])
{
    limb v[9];
    split_classes(v, a);
    sum[0] ^= v[0] * b[0];
    sum[1] ^= v[1] * b[1];
    sum[2] ^= v[2] * b[2];
    sum[3] ^= v[3] * b[3];
    sum[4] ^= v[4] * b[4];
    sum[5] ^= v[5] * b[5];
    sum[6] ^= v[6] * b[6];
    sum[7] ^= v[7] * b[7];
    sum[8] ^= v[8] * b[8];
}

/* Returns the low half of the product that has these values. Classes 4 to 6
   are classes 0 to 2 of the next place. */
INLINE limb join_low(const limb v[9])
{
    limb c[7];
    interpolate(c, v);
    return ((c[0] ^ c[4] << 4) & CLASS) | ((c[1] ^ c[5] << 4) & CLASS) << 1 |
           ((c[2] ^ c[6] << 4) & CLASS) << 2 | (c[3] & CLASS) << 3;
}

/* Returns x with its nibbles in reverse order. */
INLINE limb mirror(limb x)
{
    const limb low_nibbles = (limb)-1 / 0xff * 0x0f;
    x = reverse_bytes(x);
    return (x >> 4 & low_nibbles) | (x & low_nibbles) << 4;
}

/* Returns the high half of the product whose mirrored operands gave these
   values. Its place 0 is place N of the product and N - 2 of the mirrored one,
   and must be at N - 1 for mirror: one place up. Classes 4 to 6 belong to the
   next place, and are there already. */
INLINE limb join_high(const limb v[9])
{
    limb c[7];
    interpolate(c, v);
    return mirror(((c[0] << 4 ^ c[4]) & CLASS) | ((c[1] << 4 ^ c[5]) & CLASS) << 1 |
                  ((c[2] << 4 ^ c[6]) & CLASS) << 2 | (c[3] << 4 & CLASS) << 3);
}

#endif
