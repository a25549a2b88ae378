/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fixsliced AES on a single block, in 64-bit integers: what serial modes (CBC
 * encryption) and short messages get, where a batch would be almost empty.
 *
 * One block has 16 bits of each significance. A word of 64 bits so has room for
 * four copies, and the copies are not idle: they save the masks that moving
 * along a row costs (fixslice_int.h). A row is the four columns again and again,
 *
 *      bit       15 14 13 12 11 10  9  8  7  6  5  4  3  2  1  0
 *      column     3  2  1  0  3  2  1  0  3  2  1  0  3  2  1  0    of row r
 *
 * and to look n columns further is to look n bits further: past the end of the
 * block there is a copy of its beginning. One rotation of the word by 16 + n
 * brings to each place what is at (r + 1, c + n). Only the last n bits of each
 * row are wrong then; they came from the next row. Wrong bits spread, by n more
 * with each move, but four right ones in a row are all that we need:
 *
 *      round      reaches right      right bits of a row after it
 *                                    ################
 *        1        1, then 2          ...#############
 *        2        2                  .....###########
 *        3        -1, then -2        .....########...
 *        4        none               .....########...
 *
 * (the move to the next row, and that to the opposite place). 3 columns on is
 * as good as 1 back, so the third round takes from the other end. After four
 * rounds bits 3 to 10 are right, and bits 4 to 7 are copied to the places of the
 * others. Where just one more MixColumns follows, that isn't needed: 5 are left.
 *
 * PACKING. With the place of a bit written as the digits of its binary address
 * (c: column, r: row, i: bit of the byte):
 *
 *                     which word   place in the word
 *      in memory      c1           c0 r1 r0 i2 i1 i0
 *      by rows        c1           r1 r0 c0 i2 i1 i0
 *      nibbles        i1           r1 r0 i0 i2 c1 c0
 *      bitsliced      i2 i1 i0     r1 r0 -- -- c1 c0
 *
 * exchanging digits one after the other: c0 or r1 with r0, c0 with i0, c1 with i1. In
 * CBC, where the output of one block is added to the input of the next, that is done
 * by rows, and the way from there to memory isn't part of the chain.
 *
 * Source: fixslice.h. The copies are not from there.
 *
 * Constant time: logical operations, and shifts by constants. The only branch is
 * on the number of rounds.
 */
#ifndef CTAES_FIXSLICE_ONE_H
#define CTAES_FIXSLICE_ONE_H

#include "bytes.h"
#include "portable.h"

#include <stdbool.h>

/* x, of 16 bits, in each row. */
#define EACH_ROW(x) (UINT64_C(0x0001000100010001) * (x))

/* A block by rows: columns 0 and 1, and 2 and 3. */
struct one_block {
    uint64_t low, high;
};

/* Exchanges the bits at the places mask << n with those at mask: within a word, and
   of a with those of b. */
INLINE uint64_t one_exchange(uint64_t x, unsigned n, uint64_t mask)
{
    const uint64_t difference = (x >> n ^ x) & mask;
    return x ^ difference ^ difference << n;
}

INLINE void one_swap(uint64_t *a, uint64_t *b, unsigned n, uint64_t mask)
{
    const uint64_t difference = (*a >> n ^ *b) & mask;
    *a ^= difference << n;
    *b ^= difference;
}

/* From columns, bytes in little-endian order, to rows. */
INLINE struct one_block one_by_rows(struct one_block x)
{
    x.low = one_exchange(x.low, 24, 0x00000000ff00ff00);
    x.high = one_exchange(x.high, 24, 0x00000000ff00ff00);
    x.low = one_exchange(x.low, 16, 0x00000000ffff0000);
    x.high = one_exchange(x.high, 16, 0x00000000ffff0000);
    return x;
}

/* Loads and stores a block. */
INLINE struct one_block one_load(const uint8_t *in)
{
    return one_by_rows((struct one_block){load_le64(in), load_le64(in + 8)});
}

INLINE void one_store(uint8_t *out, struct one_block x)
{
    x.low = one_exchange(x.low, 16, 0x00000000ffff0000);
    x.high = one_exchange(x.high, 16, 0x00000000ffff0000);
    x.low = one_exchange(x.low, 24, 0x00000000ff00ff00);
    x.high = one_exchange(x.high, 24, 0x00000000ff00ff00);
    store_be64_pair(out, __builtin_bswap64(x.low), __builtin_bswap64(x.high));
}

/* Where the nibble of bit i of all bytes is. */
INLINE unsigned one_place(unsigned i)
{
    return 8 * (i & 1) + (i & 4);
}

/* From rows to eight words of repeated columns. */
INLINE void one_bitslice(uint64_t s[8], struct one_block x)
{
    x.low = one_exchange(x.low, 7, EACH_ROW(0x00aa));
    x.high = one_exchange(x.high, 7, EACH_ROW(0x00aa));
    one_swap(&x.low, &x.high, 2, EACH_ROW(0x3333));
    for (unsigned i = 0; i < 8; i++) {
        s[i] = (i & 2 ? x.high : x.low) >> one_place(i) & EACH_ROW(0x000f);
        s[i] |= s[i] << 4;
        s[i] |= s[i] << 8;
    }
}

/* Back, from bits 4 to 7 of each row. If turned, rows 1 and 3 move by two columns. */
INLINE struct one_block one_unbitslice(const uint64_t s[8], bool turned)
{
    struct one_block x = {0, 0};
    for (unsigned i = 0; i < 8; i++) {
        const uint64_t nibble = (s[i] & EACH_ROW(0x00f0)) >> 4 << one_place(i);
        if (i & 2)
            x.high |= nibble;
        else
            x.low |= nibble;
    }
    one_swap(&x.low, &x.high, 2, EACH_ROW(0x3333));
    x.low = one_exchange(x.low, 7, EACH_ROW(0x00aa));
    x.high = one_exchange(x.high, 7, EACH_ROW(0x00aa));
    if (turned)
        one_swap(&x.low, &x.high, 0, 0xffff0000ffff0000);
    return x;
}

INLINE uint64_t one_rotate_right(uint64_t x, unsigned n)
{
    return x >> n | x << (64 - n);
}

/* Bring to each place (r, j) the bit at (r + 1, j + twist), and add the bit at (r + 2,
   j + 2 * twist), as far as the columns modulo 4 go. */
INLINE uint64_t one_next_in_column(uint64_t x, unsigned twist)
{
    return one_rotate_right(x, twist == 3 ? 15 : 16 + twist);
}

INLINE uint64_t one_add_opposite(uint64_t x, unsigned twist)
{
    return x ^ one_rotate_right(x, twist == 1 ? 34 : twist == 3 ? 30 : 32);
}

#define WORD uint64_t
#define W(name) one_##name
#include "bitslice.h"
#include "fixslice_mix.h"
#undef WORD
#undef W

/* Copies bits 4 to 7 of each row to its other bits. */
INLINE void one_renew(uint64_t s[8])
{
    for (unsigned i = 0; i < 8; i++) {
        s[i] &= EACH_ROW(0x00f0);
        s[i] |= s[i] >> 4;
        s[i] |= s[i] << 8;
    }
}

/* Encrypts x, which is by rows, as is what it returns. */
static NOINLINE struct one_block one_encrypt(const uint64_t round_key[][8], unsigned rounds,
                                             struct one_block x)
{
    uint64_t s[8];
    one_bitslice(s, x);
    one_add_round_key(s, round_key[0]);
    for (unsigned k = 1; k < rounds; k++) {
        one_sub_bytes(s);
        switch (k % 4) {
        case 0:
            one_mix_columns(s, 0);
            if (k + 2 < rounds)
                one_renew(s);
            break;
        case 1:
            one_mix_columns(s, 1);
            break;
        case 2:
            one_mix_columns(s, 2);
            break;
        default:
            one_mix_columns(s, 3);
        }
        one_add_round_key(s, round_key[k]);
    }
    one_sub_bytes(s);
    one_add_round_key(s, round_key[rounds]);
    return one_unbitslice(s, rounds % 4 != 0);
}

#endif
