/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AES's rounds on four vectors at a time, by rows.
 *
 * With a block in each lane, two of the eleven shuffles of an encryption round
 * are MixColumns'. They vanish if each vector holds one row of four blocks,
 *
 *            block a     block b     block c     block d
 *      x[0]  00 01 02 03 00 01 02 03 00 01 02 03 00 01 02 03      row, column
 *      x[1]  10 11 12 13 10 11 12 13 ...
 *      x[2]  20 21 22 23 ...
 *      x[3]  30 31 32 33 ...
 *
 * (and lanes times as many), because the next byte down a column is then just
 * another vector. ShiftRows must be done, but rows need it, not blocks: three
 * shuffles for four vectors. That makes 9 3/4 shuffles a vector and round.
 *
 * MIXCOLUMNS. With a[r] the output of SubBytes and d[r] = 2*a[r],
 *
 *      row r:   2*a[r] + 3*a[r+1] + a[r+2] + a[r+3]
 *             = d[r] + a[r]  +  d[r+1]  +  (a[0] + a[1] + a[2] + a[3])
 *
 * INVMIXCOLUMNS is MixColumns plus a part that is the same for rows 0 and 2,
 * and for rows 1 and 3:
 *
 *      | e b d 9 |   | 2 3 1 1 |   | c 8 c 8 |
 *      | 9 e b d | = | 1 2 3 1 | + | 8 c 8 c |
 *      | d 9 e b |   | 1 1 2 3 |   | c 8 c 8 |
 *      | b d 9 e |   | 3 1 1 2 |   | 8 c 8 c |
 *
 *      row 0 and 2:   4 * (a[0] + a[2] + 2 * (a[0] + a[1] + a[2] + a[3]))
 *      row 1 and 3:   4 * (a[1] + a[3] + 2 * (a[0] + a[1] + a[2] + a[3]))
 *
 * So two of the four multiples of each byte are enough, and multiplication by 4,
 * a linear map, is applied to two vectors in place of four: 10 3/4 shuffles a
 * vector and round, where the layout of vperm.h takes 16.
 *
 * On the way in, bytes are ordered by rows within a block, with the first
 * ShiftRows done by the same shuffle, and words are transposed. On the way out,
 * pairing bytes and then words does it all.
 *
 * Sources: FIPS 197. The layout is that of bitslicing's rows (for instance
 * fixslice.h), with bytes for bits.
 *
 * Constant time: as vperm.h.
 */
#ifndef CTAES_VPERM_ROWS_H
#define CTAES_VPERM_ROWS_H

#include "vperm.h"

/* Transposes four vectors of rows of one block each, to four rows of blocks. */
INLINE void transpose_to_rows(lanes x[4])
{
    const lanes a = lanes_pair32_low(x[0], x[1]), b = lanes_pair32_high(x[0], x[1]);
    const lanes c = lanes_pair32_low(x[2], x[3]), d = lanes_pair32_high(x[2], x[3]);
    x[0] = lanes_pair64_low(a, c);
    x[1] = lanes_pair64_high(a, c);
    x[2] = lanes_pair64_low(b, d);
    x[3] = lanes_pair64_high(b, d);
}

/* Rows of blocks to four vectors of one block a lane. */
INLINE void transpose_to_blocks(lanes x[4])
{
    const lanes a = lanes_pair8_low(x[0], x[1]), b = lanes_pair8_high(x[0], x[1]);
    const lanes c = lanes_pair8_low(x[2], x[3]), d = lanes_pair8_high(x[2], x[3]);
    x[0] = lanes_pair16_low(a, c);
    x[1] = lanes_pair16_high(a, c);
    x[2] = lanes_pair16_low(b, d);
    x[3] = lanes_pair16_high(b, d);
}

/* Adds a round key to rows. */
INLINE void rows_add_key(lanes x[4], const uint8_t key[4][8])
{
    UNROLL
    for (int r = 0; r < 4; r++)
        x[r] = lanes_xor(x[r], lanes_each_half(key[r]));
}

/* ShiftRows. */
INLINE void rows_shift(lanes x[4])
{
    UNROLL
    for (int r = 1; r < 4; r++)
        x[r] = lanes_move(x[r], turn_row[r]);
}

/* InvShiftRows. */
INLINE void rows_shift_back(lanes x[4])
{
    UNROLL
    for (int r = 1; r < 4; r++)
        x[r] = lanes_move(x[r], turn_row[4 - r]);
}

/* From blocks as in memory to rows before the first SubBytes. */
INLINE void rows_encrypt_first(lanes x[4], const uint8_t key[4][8])
{
    UNROLL
    for (int i = 0; i < 4; i++)
        x[i] = lanes_map(lanes_move(x[i], rows_shifted), enc_in_low, enc_in_high);
    transpose_to_rows(x);
    rows_add_key(x, key);
}

/* SubBytes, MixColumns and AddRoundKey. Each row is done with before the next
   is begun, so that few vectors are alive at a time. */
INLINE void rows_encrypt_round(lanes x[4], const uint8_t key[4][8])
{
    lanes sum = lanes_zero(), first = lanes_zero();
    UNROLL
    for (int r = 0; r < 4; r++) {
        const struct lanes_inverse y = lanes_invert(x[r]);
        const lanes a = lanes_finish(y, enc_1_io, enc_1_jo);
        const lanes d = lanes_finish(y, enc_2_io, enc_2_jo);
        sum = r == 0 ? a : lanes_xor(sum, a);
        x[r] = lanes_xor(lanes_xor(a, d), lanes_each_half(key[r]));
        if (r == 0)
            first = d;
        else
            x[r - 1] = lanes_xor(x[r - 1], d);
    }
    x[3] = lanes_xor(x[3], first);
    UNROLL
    for (int r = 0; r < 4; r++)
        x[r] = lanes_xor(x[r], sum);
}

INLINE void rows_encrypt_last(lanes x[4], const uint8_t key[4][8])
{
    UNROLL
    for (int r = 0; r < 4; r++)
        x[r] = lanes_finish(lanes_invert(x[r]), enc_out_io, enc_out_jo);
    rows_add_key(x, key);
    transpose_to_blocks(x);
}

INLINE void rows_decrypt_first(lanes x[4], const uint8_t key[4][8])
{
    UNROLL
    for (int i = 0; i < 4; i++)
        x[i] = lanes_map(lanes_move(x[i], rows_shifted_back), dec_in_low, dec_in_high);
    transpose_to_rows(x);
    rows_add_key(x, key);
}

/* InvSubBytes, InvMixColumns and AddRoundKey. */
INLINE void rows_decrypt_round(lanes x[4], const uint8_t key[4][8])
{
    lanes pair[2] = {lanes_zero(), lanes_zero()}, twice = lanes_zero(), first = lanes_zero();
    UNROLL
    for (int r = 0; r < 4; r++) {
        const struct lanes_inverse y = lanes_invert(x[r]);
        const lanes a = lanes_finish(y, dec_1_io, dec_1_jo);
        const lanes d = lanes_finish(y, dec_2_io, dec_2_jo);
        pair[r % 2] = r < 2 ? a : lanes_xor(pair[r % 2], a);
        twice = r == 0 ? d : lanes_xor(twice, d);
        x[r] = lanes_xor(lanes_xor(a, d), lanes_each_half(key[r]));
        if (r == 0)
            first = d;
        else
            x[r - 1] = lanes_xor(x[r - 1], d);
    }
    x[3] = lanes_xor(x[3], first);
    const lanes sum = lanes_xor(pair[0], pair[1]);
    UNROLL
    for (int r = 0; r < 2; r++) {
        const lanes y = lanes_xor(pair[r], twice);
        const lanes more = lanes_xor(sum, lanes_map(y, dec_times_4_low, dec_times_4_high));
        x[r] = lanes_xor(x[r], more);
        x[r + 2] = lanes_xor(x[r + 2], more);
    }
}

INLINE void rows_decrypt_last(lanes x[4], const uint8_t key[4][8])
{
    UNROLL
    for (int r = 0; r < 4; r++)
        x[r] = lanes_finish(lanes_invert(x[r]), dec_out_io, dec_out_jo);
    rows_add_key(x, key);
    transpose_to_blocks(x);
}

#endif
