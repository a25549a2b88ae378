/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The AES S-box and its inverse as circuits of XOR and AND gates.
 *
 * A table lookup S[x] reads an address that depends on x, and caches tell
 * addresses. A circuit has no addresses: it computes the bits of S(x) from the
 * bits of x. A gate works on single bits, but `x & y` of two words is as many
 * AND gates as a word has bits, so the circuit is evaluated for many bytes at
 * once, each of which has given one bit to each of eight words:
 *
 *                 byte 0   byte 1   byte 2
 *        s[0]:    bit 0    bit 0    bit 0   ...      s[i] holds bit i of every
 *        s[1]:    bit 1    bit 1    bit 1   ...      byte. Which byte is where
 *         ...                                        in the word doesn't matter
 *        s[7]:    bit 7    bit 7    bit 7   ...      here.
 *
 * A template over the type WORD, which has the operators & and ^: an integer, or
 * a vector of the compiler's. W(name) makes the names of its functions.
 *
 * How the circuit comes about. S(x) = A(1/x) + 0x63, where A is linear over
 * bits, 1/0 means 0, and 1/x is all that is hard. GF(2^8) is a quadratic
 * extension of GF(2^4). In a basis U, V of conjugates, x = a*U + b*V, and with
 * d = norm(x), an element of GF(2^4),
 *
 *        1/x = (b/d)*U + (a/d)*V.
 *
 * So an inversion costs three multiplications and an inversion in GF(2^4), and
 * the same step leads on to GF(2^2), where inversion is linear. Boyar and
 * Peralta gave `invert` below its short form: out of 22 sums of bits of x (y)
 * it makes 18 products (z), whose sums are the bits of 1/x, by 32 AND and 30
 * XOR gates.
 *
 *                    linear         invert         linear
 *     S:        x ------------> y ----------> z ------------> A(1/x)
 *               8      21      22     62     18      27       8
 *
 *     S^-1:     x ------------> y ----------> z ------------> 1/A^-1(x)
 *               8      20      22     62     18      29       8
 *
 * The numbers below the arrows count gates: 110 and 111. The linear layers come
 * in 255 * 8 variants. For any constant c and any k, with f(x) = (c*x)^(2^k),
 * which is linear, 1/x = c * f'(1/f(x)) where f'(x) = x^(2^-k): f goes into the
 * first layer, and c and f' into the second. The layers here are the shortest
 * that a randomised form of Boyar and Peralta's greedy search found over all of
 * the variants.
 *
 * The constant 0x63 is left out on both sides; it is added to the round keys
 * (fixslice.h).
 *
 * Source: J. Boyar, R. Peralta, "A new combinational logic minimization
 * technique with applications to cryptology", SEA 2010 (eprint 2009/191): the
 * function invert, and the greedy search.
 *
 * Constant time: nothing but & and ^.
 */
#include "portable.h"

/* Computes the products z, whose sums are the bits of 1/x, from the sums y of
   bits of x. */
INLINE void W(invert)(WORD z[18], const WORD y[22])
{
    /* d, the norm of x: (t21, t22, t23, t24) in GF(2^4). */
    const WORD t2 = y[12] & y[15];
    const WORD t3 = y[3] & y[6];
    const WORD t4 = t3 ^ t2;
    const WORD t5 = y[4] & y[0];
    const WORD t6 = t5 ^ t2;
    const WORD t7 = y[13] & y[16];
    const WORD t8 = y[5] & y[1];
    const WORD t9 = t8 ^ t7;
    const WORD t10 = y[2] & y[7];
    const WORD t11 = t10 ^ t7;
    const WORD t12 = y[9] & y[11];
    const WORD t13 = y[14] & y[17];
    const WORD t14 = t13 ^ t12;
    const WORD t15 = y[8] & y[10];
    const WORD t16 = t15 ^ t12;
    const WORD t17 = t4 ^ t14;
    const WORD t18 = t6 ^ t16;
    const WORD t19 = t9 ^ t14;
    const WORD t20 = t11 ^ t16;
    const WORD t21 = t17 ^ y[20];
    const WORD t22 = t18 ^ y[19];
    const WORD t23 = t19 ^ y[21];
    const WORD t24 = t20 ^ y[18];

    /* 1/d: (t29, t33, t37, t40), and below sums of these. */
    const WORD t25 = t21 ^ t22;
    const WORD t26 = t21 & t23;
    const WORD t27 = t24 ^ t26;
    const WORD t28 = t25 & t27;
    const WORD t29 = t28 ^ t22;
    const WORD t30 = t23 ^ t24;
    const WORD t31 = t22 ^ t26;
    const WORD t32 = t31 & t30;
    const WORD t33 = t32 ^ t24;
    const WORD t34 = t23 ^ t33;
    const WORD t35 = t27 ^ t33;
    const WORD t36 = t24 & t35;
    const WORD t37 = t36 ^ t34;
    const WORD t38 = t27 ^ t36;
    const WORD t39 = t29 & t38;
    const WORD t40 = t25 ^ t39;
    const WORD t41 = t40 ^ t37;
    const WORD t42 = t29 ^ t33;
    const WORD t43 = t29 ^ t40;
    const WORD t44 = t33 ^ t37;
    const WORD t45 = t42 ^ t41;

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
INLINE_LARGE void W(sub_bytes)(WORD s[8])
{
    WORD y[22], z[18];

    y[2] = s[7];
    y[11] = s[0] ^ s[6];
    y[21] = s[4] ^ y[11];
    y[6] = s[2] ^ y[11];
    y[13] = s[3] ^ y[6];
    y[5] = s[7] ^ y[13];
    y[16] = y[21] ^ y[13];
    y[20] = s[5] ^ y[16];
    y[9] = y[11] ^ y[20];
    y[4] = s[7] ^ y[9];
    y[17] = s[6] ^ y[4];
    y[10] = s[0] ^ y[4];
    y[1] = s[2] ^ y[17];
    y[7] = y[16] ^ y[1];
    y[0] = y[11] ^ y[7];
    y[18] = s[7] ^ y[7];
    y[15] = s[2] ^ y[7];
    y[3] = s[1] ^ y[18];
    y[12] = y[4] ^ y[3];
    y[8] = y[5] ^ y[3];
    y[19] = y[10] ^ y[8];
    y[14] = y[9] ^ y[8];

    W(invert)(z, y);

    const WORD b5 = z[14] ^ z[17];
    const WORD b1 = z[3] ^ z[4];
    const WORD b3 = z[11] ^ z[14];
    const WORD b15 = z[3] ^ z[5];
    const WORD b14 = z[6] ^ z[8];
    const WORD b10 = z[0] ^ z[2];
    const WORD b2 = z[10] ^ z[13];
    const WORD b6 = b2 ^ b3;
    const WORD b4 = z[9] ^ b2;
    const WORD b17 = z[0] ^ b6;
    s[1] = z[12] ^ b4;
    const WORD b8 = z[15] ^ b4;
    const WORD b7 = z[13] ^ z[16];
    const WORD b11 = b7 ^ b10;
    s[2] = b5 ^ b7;
    const WORD b12 = b8 ^ b11;
    s[3] = b12 ^ b15;
    const WORD b0 = z[6] ^ z[7];
    s[5] = b0 ^ b1;
    const WORD b9 = s[5] ^ s[1];
    const WORD b18 = z[1] ^ b0;
    const WORD b16 = s[5] ^ b8;
    s[6] = b17 ^ b18;
    s[4] = b5 ^ b16;
    s[0] = b6 ^ b9;
    const WORD b13 = s[0] ^ b12;
    s[7] = b13 ^ b14;
}

/* Replaces every byte x by the y for which S(y) + 0x63 = x. */
INLINE_LARGE void W(inv_sub_bytes)(WORD s[8])
{
    WORD y[22], z[18];

    y[4] = s[3];
    y[15] = s[5];
    y[5] = s[1] ^ s[5];
    y[18] = s[5] ^ s[6];
    y[9] = s[1] ^ s[7];
    y[12] = s[2] ^ y[18];
    y[3] = s[3] ^ y[12];
    y[2] = s[3] ^ y[9];
    y[13] = y[5] ^ y[2];
    y[8] = y[5] ^ y[3];
    y[7] = y[18] ^ y[2];
    y[14] = y[12] ^ y[13];
    y[21] = s[4] ^ y[8];
    y[16] = y[13] ^ y[21];
    y[6] = s[0] ^ y[13];
    y[1] = y[7] ^ y[16];
    y[17] = s[5] ^ y[16];
    y[0] = s[5] ^ y[6];
    y[11] = y[7] ^ y[0];
    y[20] = y[9] ^ y[11];
    y[10] = y[6] ^ y[1];
    y[19] = y[8] ^ y[10];

    W(invert)(z, y);

    const WORD b0 = z[12] ^ z[15];
    const WORD b1 = z[11] ^ z[14];
    const WORD b2 = z[13] ^ b0;
    s[6] = z[16] ^ b2;
    const WORD b3 = z[1] ^ z[2];
    const WORD b4 = z[8] ^ b1;
    const WORD b5 = z[0] ^ z[6];
    const WORD b6 = z[12] ^ b4;
    const WORD b7 = z[9] ^ b6;
    const WORD b8 = z[7] ^ b3;
    s[4] = b7 ^ b8;
    const WORD b9 = z[10] ^ b4;
    const WORD b10 = z[5] ^ z[6];
    const WORD b11 = z[4] ^ z[5];
    s[2] = b3 ^ b11;
    const WORD b12 = z[2] ^ b5;
    const WORD b13 = s[6] ^ b12;
    s[0] = b8 ^ b13;
    const WORD b14 = b9 ^ b13;
    const WORD b15 = z[3] ^ b10;
    s[3] = b7 ^ b15;
    const WORD b16 = z[13] ^ b14;
    s[5] = s[2] ^ b16;
    const WORD b17 = b15 ^ b16;
    const WORD b18 = z[8] ^ s[0];
    s[7] = b17 ^ b18;
    const WORD b19 = z[17] ^ b14;
    const WORD b20 = z[16] ^ b19;
    s[1] = z[14] ^ b20;
}
