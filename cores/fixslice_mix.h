/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MixColumns, its inverse and AddRoundKey on a bitsliced state, as fixslice.h
 * explains it. A template over the type WORD, with functions W(name), of which
 * W(next_in_column) and W(add_opposite) know how places are arranged in a word.
 *
 * Source: FIPS 197 sections 5.1.3 and 5.3.3. Constant time: nothing but XOR.
 */

/*
 * MixColumns. With x0..x3 the bytes of a column, the first new one is
 *
 *     2*x0 + 3*x1 + x2 + x3 = 2*(x0 + x1) + x0 + (x0 + x1 + x2 + x3),
 *
 * where the last bracket is the sum of x0 + x1 and its opposite, x2 + x3.
 * Doubling moves bit i - 1 to bit i, and adds bit 7 to the bits of 0x1b.
 */
INLINE void W(mix_columns)(WORD s[8], unsigned twist)
{
    const WORD pair0 = s[0] ^ W(next_in_column)(s[0], twist);
    const WORD pair1 = s[1] ^ W(next_in_column)(s[1], twist);
    const WORD pair2 = s[2] ^ W(next_in_column)(s[2], twist);
    const WORD pair3 = s[3] ^ W(next_in_column)(s[3], twist);
    const WORD pair4 = s[4] ^ W(next_in_column)(s[4], twist);
    const WORD pair5 = s[5] ^ W(next_in_column)(s[5], twist);
    const WORD pair6 = s[6] ^ W(next_in_column)(s[6], twist);
    const WORD pair7 = s[7] ^ W(next_in_column)(s[7], twist);
    s[0] ^= W(add_opposite)(pair0, twist) ^ pair7;
    s[1] ^= W(add_opposite)(pair1, twist) ^ pair0 ^ pair7;
    s[2] ^= W(add_opposite)(pair2, twist) ^ pair1;
    s[3] ^= W(add_opposite)(pair3, twist) ^ pair2 ^ pair7;
    s[4] ^= W(add_opposite)(pair4, twist) ^ pair3 ^ pair7;
    s[5] ^= W(add_opposite)(pair5, twist) ^ pair4;
    s[6] ^= W(add_opposite)(pair6, twist) ^ pair5;
    s[7] ^= W(add_opposite)(pair7, twist) ^ pair6;
}

/*
 * InvMixColumns. Its matrix is that of MixColumns times one that is easy to
 * apply: to each byte, add 4 times the sum of it and its opposite.
 *
 *     | e b d 9 |   | 2 3 1 1 |   | 5 0 4 0 |
 *     | 9 e b d | = | 1 2 3 1 | * | 0 5 0 4 |
 *     | d 9 e b |   | 1 1 2 3 |   | 4 0 5 0 |
 *     | b d 9 e |   | 3 1 1 2 |   | 0 4 0 5 |
 */
INLINE void W(inv_mix_columns)(WORD s[8], unsigned twist)
{
    const WORD sum0 = W(add_opposite)(s[0], twist);
    const WORD sum1 = W(add_opposite)(s[1], twist);
    const WORD sum2 = W(add_opposite)(s[2], twist);
    const WORD sum3 = W(add_opposite)(s[3], twist);
    const WORD sum4 = W(add_opposite)(s[4], twist);
    const WORD sum5 = W(add_opposite)(s[5], twist);
    const WORD sum6 = W(add_opposite)(s[6], twist);
    const WORD sum7 = W(add_opposite)(s[7], twist);
    const WORD sum67 = sum6 ^ sum7;
    s[0] ^= sum6;
    s[1] ^= sum67;
    s[2] ^= sum0 ^ sum7;
    s[3] ^= sum1 ^ sum6;
    s[4] ^= sum2 ^ sum67;
    s[5] ^= sum3 ^ sum7;
    s[6] ^= sum4;
    s[7] ^= sum5;
    W(mix_columns)(s, twist);
}

INLINE void W(add_round_key)(WORD s[8], const WORD round_key[8])
{
    s[0] ^= round_key[0];
    s[1] ^= round_key[1];
    s[2] ^= round_key[2];
    s[3] ^= round_key[3];
    s[4] ^= round_key[4];
    s[5] ^= round_key[5];
    s[6] ^= round_key[6];
    s[7] ^= round_key[7];
}
