/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fixsliced AES over a `word` of WORD_BITS bits, 32, 64 or 128: all that the cores
 * ct32, ct64 and sse2 have in common. Included after both were defined.
 *
 * BITSLICING. Eight words hold a batch of BLOCKS = WORD_BITS / 16 blocks: word
 * i has bit i of each of their bytes. SubBytes is then a circuit (bitslice.h),
 * and AddRoundKey eight XORs. Within a word, the byte of row r and column c of
 * block b has its bit at BLOCKS * (4 * r + c) + b:
 *
 *      most significant                              least significant bit
 *     +------------------------------------------------------------------+
 *     |     row 3      |     row 2      |     row 1      |     row 0     |
 *     +------------------------------------------------------------------+
 *                                       /                 \
 *                  column    3 3 3 3 2 2 2 2 1 1 1 1 0 0 0 0
 *                  block     3 2 1 0 3 2 1 0 3 2 1 0 3 2 1 0      (64 bits)
 *
 *                  column    3 3 2 2 1 1 0 0
 *                  block     1 0 1 0 1 0 1 0                      (32 bits)
 *
 *                  (128 bits: each column is a byte, with a bit for each of
 *                  eight blocks)
 *
 * so that MixColumns, which adds up the rows of a column, is a matter of
 * rotating words by the length of a row.
 *
 * FIXSLICING. ShiftRows moves row r by r columns, and in this layout that is
 * expensive: rotations within parts of a word, 8 times a round. So it isn't
 * done. Every bit stays where it is ("fix"), and the code keeps in mind which
 * column it belongs to. After k rounds, the byte at place (r, c) is the one of
 * column c - k*r (mod 4): the columns have become diagonals.
 *
 *                  k = 0           k = 1           k = 2           k = 3
 *     row 0      0 1 2 3         0 1 2 3         0 1 2 3         0 1 2 3
 *     row 1      0 1 2 3         3 0 1 2         2 3 0 1         1 2 3 0
 *     row 2      0 1 2 3         2 3 0 1         0 1 2 3         2 3 0 1
 *     row 3      0 1 2 3         1 2 3 0         2 3 0 1         3 0 1 2
 *
 * (the number in each place is the column that its byte belongs to). What
 * else must know of it?
 *
 *  - SubBytes treats all bytes alike: nothing.
 *  - AddRoundKey: the key of round k is stored in the layout of round k.
 *  - MixColumns adds to a byte those below it in its column. In round k these
 *    are found in the next row and k columns on, so there are four versions
 *    for the four values of the twist, k mod 4.
 *  - The end: after 12 rounds everything is back in place; after 10 and 14,
 *    rows 1 and 3 are off by two columns, which is put right on the way back to
 *    bytes.
 *
 * Decryption is the same road back, with the same layouts and the same keys.
 *
 * The S-box's constant 0x63 is not added in SubBytes: it passes through
 * MixColumns unchanged (2 + 3 + 1 + 1 = 1), so it's added to the round keys.
 *
 * THE FILES. bitslice.h is the S-box, fixslice_mix.h MixColumns, fixslice_key.h the
 * key schedule. fixslice_int.h and fixslice128.h move bits within a word, an
 * integer or a vector. A batch of which one block is used takes as long as a full
 * one: fixslice_one.h is for that block.
 *
 * Sources: FIPS 197. A. Adomnicai, T. Peyrin, "Fixslicing AES-like ciphers",
 * TCHES 2021(1) (eprint 2020/1123), section 3. It differs from the
 * paper in that round keys are computed in bytes and bitsliced afterwards, and
 * that MixColumns is made of the sums of columns, which spares rotations.
 *
 * Constant time: logical operations, and shifts by constants. The only
 * branches are on the number of rounds and blocks.
 */
#ifndef CTAES_FIXSLICE_H
#define CTAES_FIXSLICE_H

#include "bytes.h"
#include "core.h"
#include "ct.h"
#include "portable.h"

#include <stdbool.h>

#define BLOCKS (WORD_BITS / 16) /* blocks in a batch; bits of a word per place */
#define ROW (WORD_BITS / 4)     /* bits of a word per row */
#define MAX_ROUNDS 14

/* Round keys are bitsliced, each in its round's layout. What comes before those of
   a batch is the same for words of 64 and 128 bits, so that ct64's functions that
   need no more than that work with sse2's keys. */
struct ctaes_aes_key {
    uint32_t rounds; /* 10, 12 or 14 */
#if WORD_BITS > 32
    uint64_t one_key[MAX_ROUNDS + 1][8]; /* for a single block: fixslice_one.h */
#endif
    word round_key[MAX_ROUNDS + 1][8];
};

/* What each width does in its own way: fixslice_int.h, ct32.c and ct64.c for
   integers, fixslice128.h for vectors. */

/* x, 0 to 255, in each byte. */
INLINE word each_byte(unsigned x);

/* Moves to each place (r, c) what is at (r + 1, c + twist). */
INLINE word next_in_column(word x, unsigned twist);

/* Adds to each place (r, c) what is at (r + 2, c + 2 * twist), the opposite
   place of its column. */
INLINE word add_opposite(word x, unsigned twist);

/* Loads and stores a batch of blocks. */
INLINE void load_batch(word s[8], const uint8_t *in);
INLINE void store_batch(uint8_t *out, const word s[8]);

/* Brings a loaded batch into the bitsliced layout, and back. If turned, rows 1
   and 3 move by two columns on the way, which is the twist after 10 and 14
   rounds. */
INLINE_LARGE void bitslice(word s[8], bool turned);
INLINE_LARGE void unbitslice(word s[8], bool turned);

/* Exchanges the bits of a at the places mask << n with those of b at mask. */
INLINE void swap_bits(word *a, word *b, unsigned n, word mask)
{
    const word difference = (*a >> n ^ *b) & mask;
    *a ^= difference << n;
    *b ^= difference;
}

/* At each byte of the word, the eight bytes of the eight words are a matrix of
   8 by 8 bits. Transposes all of these. */
INLINE_LARGE void transpose_bits(word s[8])
{
    swap_bits(&s[0], &s[4], 4, each_byte(0x0f));
    swap_bits(&s[1], &s[5], 4, each_byte(0x0f));
    swap_bits(&s[2], &s[6], 4, each_byte(0x0f));
    swap_bits(&s[3], &s[7], 4, each_byte(0x0f));
    swap_bits(&s[0], &s[2], 2, each_byte(0x33));
    swap_bits(&s[1], &s[3], 2, each_byte(0x33));
    swap_bits(&s[4], &s[6], 2, each_byte(0x33));
    swap_bits(&s[5], &s[7], 2, each_byte(0x33));
    swap_bits(&s[0], &s[1], 1, each_byte(0x55));
    swap_bits(&s[2], &s[3], 1, each_byte(0x55));
    swap_bits(&s[4], &s[5], 1, each_byte(0x55));
    swap_bits(&s[6], &s[7], 1, each_byte(0x55));
}

#define WORD word
#define W(name) name
#include "bitslice.h"
#include "fixslice_mix.h"
#undef WORD
#undef W

static void encrypt_batch(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in)
{
    const unsigned rounds = key->rounds;
    word s[8];
    load_batch(s, in);
    bitslice(s, false);
    add_round_key(s, key->round_key[0]);
    for (unsigned k = 1; k < rounds; k++) {
        sub_bytes(s);
        switch (k % 4) {
        case 0:
            mix_columns(s, 0);
            break;
        case 1:
            mix_columns(s, 1);
            break;
        case 2:
            mix_columns(s, 2);
            break;
        default:
            mix_columns(s, 3);
        }
        add_round_key(s, key->round_key[k]);
    }
    sub_bytes(s);
    add_round_key(s, key->round_key[rounds]);
    unbitslice(s, rounds % 4 != 0);
    store_batch(out, s);
}

static void decrypt_batch(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in)
{
    const unsigned rounds = key->rounds;
    word s[8];
    load_batch(s, in);
    bitslice(s, rounds % 4 != 0);
    add_round_key(s, key->round_key[rounds]);
    inv_sub_bytes(s);
    for (unsigned k = rounds - 1; k > 0; k--) {
        add_round_key(s, key->round_key[k]);
        switch (k % 4) {
        case 0:
            inv_mix_columns(s, 0);
            break;
        case 1:
            inv_mix_columns(s, 1);
            break;
        case 2:
            inv_mix_columns(s, 2);
            break;
        default:
            inv_mix_columns(s, 3);
        }
        inv_sub_bytes(s);
    }
    add_round_key(s, key->round_key[0]);
    unbitslice(s, false);
    store_batch(out, s);
}

/* Whole batches, and what is left by way of a buffer. */
INLINE void
crypt_blocks(void (*crypt_batch)(const struct ctaes_aes_key *, uint8_t *, const uint8_t *),
             const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in, size_t nblocks)
{
    for (; nblocks >= BLOCKS; nblocks -= BLOCKS) {
        crypt_batch(key, out, in);
        in += 16 * BLOCKS;
        out += 16 * BLOCKS;
    }
    if (nblocks > 0) {
        /* Block by block, without libc, whose registers would have the data too. */
        uint8_t batch[16 * BLOCKS] = {0};
        for (size_t i = 0; i < 16 * nblocks; i += 16)
            memcpy(batch + i, in + i, 16);
        crypt_batch(key, batch, batch);
        for (size_t i = 0; i < 16 * nblocks; i += 16)
            memcpy(out + i, batch + i, 16);
    }
}

static NOINLINE void encrypt_blocks(const struct ctaes_aes_key *key, uint8_t *out,
                                    const uint8_t *in, size_t nblocks)
{
    crypt_blocks(encrypt_batch, key, out, in, nblocks);
}

static NOINLINE void decrypt_blocks(const struct ctaes_aes_key *key, uint8_t *out,
                                    const uint8_t *in, size_t nblocks)
{
    crypt_blocks(decrypt_batch, key, out, in, nblocks);
}

#endif
