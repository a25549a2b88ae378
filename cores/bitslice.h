/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The AES S-box and its inverse as circuits of XOR and AND gates.
 *
 * A table lookup S[x] reads an address that depends on x, and caches tell
 * addresses. A circuit reads nothing: it computes each bit of S[x] from the
 * bits of x. One gate works on single bits, but a CPU's `x & y` is as many AND
 * gates as a word has bits, so the circuit is evaluated once for a whole word
 * of bytes, each of which has given one bit to each of eight words:
 *
 *                 byte 0   byte 1   byte 2        s[i] holds bit i of every byte;
 *        s[0]:    bit 0    bit 0    bit 0   ...   which byte is where in the word
 *        s[1]:    bit 1    bit 1    bit 1   ...   doesn't matter here.
 *         ...
 *        s[7]:    bit 7    bit 7    bit 7   ...
 *
 * This header is included after `word` was defined, as any type that has the
 * operators & and ^: an integer, or a vector type of the compiler.
 *
 * How the circuit comes about. S(x) = A(1/x) + 0x63 with A linear over bits,
 * and 1/x (0 for x = 0) is the only hard part. GF(2^8) is a quadratic extension
 * of GF(2^4): in a suitable basis x = a*U + b*V, and
 *
 *        1/x = (b * (1/d)) * U + (a * (1/d)) * V,      d = norm(x) in GF(2^4),
 *
 * so it costs three multiplications and one inversion in GF(2^4), where the
 * same step leads on to GF(2^2). Boyar and Peralta found the short form of that
 * used in invert: from 22 sums of bits of x (y below) it computes the 18
 * products (z) whose sums are the bits of 1/x, with 32 AND and 30 XOR.
 *
 *              linear           invert          linear
 *     x ------------------> y ---------> z -----------------> A(1/x)
 *       8    21 or 21 XOR   22     62    18   27 or 29 XOR   8
 *
 * The two linear layers are free to choose in 255 * 8 ways: with any constant
 * c and any k, 1/x = c * f^-1(1/f(x)) for the linear f(x) = (c*x)^(2^k), and f
 * and its counterpart merge into the layers. The layers here are the shortest
 * that a randomised search by Boyar and Peralta's greedy method found over all
 * of these, and for the inverse S-box, 1/A^-1(x), likewise: 110 gates forward
 * and 112 inverse. tests check all 256 inputs.
 *
 * The constant 0x63 is left out on both sides: it goes into the round keys
 * (see fixslice.h).
 *
 * Source: J. Boyar, R. Peralta, "A new combinational logic minimization
 * technique with applications to cryptology", SEA 2010 (eprint 2009/191), from
 * which invert is taken. Constant time: nothing but & and ^.
 */
#ifndef CTAES_BITSLICE_H
#define CTAES_BITSLICE_H

/* Computes the products z, whose sums are the bits of 1/x, from the sums y of
   bits of x. */
static inline void invert(word z[18], const word y[22])
{
    /* d, the norm of x: (t21, t22, t23, t24) in GF(2^4). */
    const word t2 = y[12] & y[15];
    const word t3 = y[3] & y[6];
    const word t4 = t3 ^ t2;
    const word t5 = y[4] & y[0];
    const word t6 = t5 ^ t2;
    const word t7 = y[13] & y[16];
    const word t8 = y[5] & y[1];
    const word t9 = t8 ^ t7;
    const word t10 = y[2] & y[7];
    const word t11 = t10 ^ t7;
    const word t12 = y[9] & y[11];
    const word t13 = y[14] & y[17];
    const word t14 = t13 ^ t12;
    const word t15 = y[8] & y[10];
    const word t16 = t15 ^ t12;
    const word t17 = t4 ^ t14;
    const word t18 = t6 ^ t16;
    const word t19 = t9 ^ t14;
    const word t20 = t11 ^ t16;
    const word t21 = t17 ^ y[20];
    const word t22 = t18 ^ y[19];
    const word t23 = t19 ^ y[21];
    const word t24 = t20 ^ y[18];

    /* 1/d: (t29, t33, t37, t40), and below sums of these. */
    const word t25 = t21 ^ t22;
    const word t26 = t21 & t23;
    const word t27 = t24 ^ t26;
    const word t28 = t25 & t27;
    const word t29 = t28 ^ t22;
    const word t30 = t23 ^ t24;
    const word t31 = t22 ^ t26;
    const word t32 = t31 & t30;
    const word t33 = t32 ^ t24;
    const word t34 = t23 ^ t33;
    const word t35 = t27 ^ t33;
    const word t36 = t24 & t35;
    const word t37 = t36 ^ t34;
    const word t38 = t27 ^ t36;
    const word t39 = t29 & t38;
    const word t40 = t25 ^ t39;
    const word t41 = t40 ^ t37;
    const word t42 = t29 ^ t33;
    const word t43 = t29 ^ t40;
    const word t44 = t33 ^ t37;
    const word t45 = t42 ^ t41;

    /* The products of 1/d with the two halves of x, 9 gates each. */
    z[0] = t44 & y[15];
    z[1] = t37 & y[6];
    z[2] = t33 & y[0];
    z[3] = t43 & y[16];
    z[4] = t40 & y[1];
    z[5] = t29 & y[7];
    z[6] = t42 & y[11];
    z[7] = t45 & y[17];
    z[8] = t41 & y[10];
    z[9] = t44 & y[12];
    z[10] = t37 & y[3];
    z[11] = t33 & y[4];
    z[12] = t43 & y[13];
    z[13] = t40 & y[5];
    z[14] = t29 & y[2];
    z[15] = t42 & y[9];
    z[16] = t45 & y[14];
    z[17] = t41 & y[8];
}

/* Replaces every byte x by S(x) + 0x63. */
static inline void sub_bytes(word s[8])
{
    word y[22], z[18];

    y[2] = s[7];
    y[11] = s[0] ^ s[6];
    y[6] = s[2] ^ y[11];
    y[21] = s[4] ^ y[11];
    y[13] = s[3] ^ y[6];
    y[16] = y[21] ^ y[13];
    y[20] = s[5] ^ y[16];
    y[9] = y[11] ^ y[20];
    y[4] = s[7] ^ y[9];
    y[17] = s[6] ^ y[4];
    y[5] = s[7] ^ y[13];
    y[1] = s[2] ^ y[17];
    y[10] = s[0] ^ y[4];
    y[7] = y[16] ^ y[1];
    y[15] = s[2] ^ y[7];
    y[0] = y[11] ^ y[7];
    y[18] = s[7] ^ y[7];
    y[3] = s[1] ^ y[18];
    y[12] = y[4] ^ y[3];
    y[8] = y[5] ^ y[3];
    y[14] = y[9] ^ y[8];
    y[19] = y[10] ^ y[8];

    invert(z, y);

    const word b0 = z[6] ^ z[7];
    const word b1 = z[3] ^ z[4];
    s[5] = b0 ^ b1;
    const word b2 = z[10] ^ z[13];
    const word b3 = z[11] ^ z[14];
    const word b4 = z[9] ^ b2;
    s[1] = z[12] ^ b4;
    const word b5 = z[14] ^ z[17];
    const word b6 = b2 ^ b3;
    const word b7 = z[13] ^ z[16];
    s[2] = b5 ^ b7;
    const word b8 = z[15] ^ b4;
    const word b9 = s[5] ^ s[1];
    s[0] = b6 ^ b9;
    const word b10 = z[0] ^ z[2];
    const word b11 = b7 ^ b10;
    const word b12 = b8 ^ b11;
    const word b13 = s[0] ^ b12;
    const word b14 = z[6] ^ z[8];
    s[7] = b13 ^ b14;
    const word b15 = z[3] ^ z[5];
    s[3] = b12 ^ b15;
    const word b16 = s[5] ^ b8;
    s[4] = b5 ^ b16;
    const word b17 = z[0] ^ b6;
    const word b18 = z[1] ^ b0;
    s[6] = b17 ^ b18;
}

/* Replaces every byte x by the y for which S(y) + 0x63 = x. */
static inline void inv_sub_bytes(word s[8])
{
    word y[22], z[18];

    y[7] = s[1];
    y[11] = s[2];
    y[0] = s[1] ^ s[2];
    y[16] = s[0] ^ s[5];
    y[1] = s[1] ^ y[16];
    y[6] = s[0] ^ s[4];
    y[15] = y[0] ^ y[6];
    y[17] = y[16] ^ y[15];
    y[8] = s[7] ^ y[6];
    y[19] = s[7] ^ y[1];
    y[4] = s[0] ^ y[19];
    y[10] = s[2] ^ y[17];
    const word a0 = s[6] ^ y[16];
    y[3] = s[2] ^ a0;
    y[9] = s[3] ^ a0;
    y[20] = s[3] ^ y[3];
    y[14] = y[8] ^ y[9];
    y[2] = y[4] ^ y[9];
    y[18] = s[1] ^ y[2];
    y[5] = y[8] ^ y[3];
    y[13] = y[2] ^ y[5];
    y[12] = y[4] ^ y[3];
    y[21] = y[16] ^ y[13];

    invert(z, y);

    const word b0 = z[14] ^ z[17];
    const word b1 = z[6] ^ z[7];
    const word b2 = z[3] ^ z[4];
    const word b3 = z[16] ^ b1;
    const word b4 = z[0] ^ z[11];
    const word b5 = b2 ^ b3;
    const word b6 = z[3] ^ z[5];
    const word b7 = z[12] ^ z[15];
    s[4] = b0 ^ b7;
    const word b8 = z[6] ^ z[8];
    s[7] = b6 ^ b8;
    const word b9 = z[9] ^ z[15];
    const word b10 = z[13] ^ b5;
    s[2] = b0 ^ b10;
    const word b11 = z[2] ^ s[4];
    const word b12 = z[17] ^ b4;
    const word b13 = b9 ^ b12;
    const word b14 = z[1] ^ b2;
    s[0] = b13 ^ b14;
    const word b15 = z[10] ^ b9;
    s[6] = b5 ^ b15;
    const word b16 = b8 ^ b11;
    s[5] = z[0] ^ b16;
    const word b17 = s[7] ^ s[2];
    const word b18 = b16 ^ b17;
    s[1] = b13 ^ b18;
    const word b19 = z[16] ^ b15;
    const word b20 = s[0] ^ b19;
    s[3] = b17 ^ b20;
}

#endif
