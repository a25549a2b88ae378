/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What fixslice.h wants of a word, for words that are integers of WORD_BITS bits,
 * 32 or 64; included after both were defined.
 *
 * Moving places along a row is rotating the word, as long as the row doesn't end:
 * what passes the end of its row arrives in the next one. So there are two
 * rotations, of which one is right for the columns that stay in their row and
 * the other for those that come round to its beginning, and a mask that selects.
 *
 * Constant time: logical operations, and shifts by constants.
 */
#ifndef CTAES_FIXSLICE_INT_H
#define CTAES_FIXSLICE_INT_H

#include "fixslice.h"

INLINE word each_byte(unsigned x)
{
    return (word)-1 / 0xff * x;
}

/* The first n columns, 0 to 3, of all rows. */
INLINE word columns_below(unsigned n)
{
    const word rows = (word)-1 / (((word)1 << ROW) - 1); /* 1 in each row */
    return rows * (((word)1 << BLOCKS * n) - 1);
}

/* n from 0 to WORD_BITS - 1. */
INLINE word rotate_right(word x, unsigned n)
{
    return x >> n | x << (WORD_BITS - n) % WORD_BITS;
}

/* Moves to each place (r, c) what is at (r + 1, c + twist). */
INLINE word next_in_column(word x, unsigned twist)
{
    const word direct = rotate_right(x, ROW + BLOCKS * twist);
    if (twist == 0)
        return direct;
    /* In the last columns, c + twist is past the end of the row. */
    const word wrapped = rotate_right(x, BLOCKS * twist);
    return wrapped ^ ((direct ^ wrapped) & columns_below(4 - twist));
}

/* Adds to each place (r, c) what is at (r + 2, c + 2 * twist), the opposite
   place of its column. */
INLINE word add_opposite(word x, unsigned twist)
{
    if (twist % 2 == 0)
        return x ^ rotate_right(x, 2 * ROW);
    /* Both places get the same sum, and one of them is in columns 0 and 1:
       compute it there, without a wrap, and copy it to the other. */
    const word half = (x ^ rotate_right(x, 2 * ROW + 2 * BLOCKS)) & columns_below(2);
    return half ^ rotate_right(half, 2 * ROW - 2 * BLOCKS);
}

/* In words as load_batch leaves them, bytes in little-endian order, and the word
   that has column c + 2 four after the one that has column c of the same block:
   moves rows 1 and 3 by two columns. */
INLINE void turn_odd_rows(word s[8])
{
    const word odd_rows = (word)-1 / 0xffff * 0xff00;
    swap_bits(&s[0], &s[4], 0, odd_rows);
    swap_bits(&s[1], &s[5], 0, odd_rows);
    swap_bits(&s[2], &s[6], 0, odd_rows);
    swap_bits(&s[3], &s[7], 0, odd_rows);
}

#endif
