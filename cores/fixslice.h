/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fixsliced AES over a `word` of WORD_BITS bits, 32 or 64: all that the cores
 * ct32 and ct64 have in common. Included after both were defined.
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
 *    rows 1 and 3 are off by two columns, which is put right while the blocks
 *    are in bytes again.
 *
 * Decryption is the same road back, with the same layouts and the same keys.
 *
 * The S-box's constant 0x63 is not added in SubBytes: it passes through
 * MixColumns unchanged (2 + 3 + 1 + 1 = 1), so it's added to the round keys.
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

#include "bitslice.h"
#include "bytes.h"
#include "core.h"
#include "ct.h"
#include "portable.h"

#define BLOCKS (WORD_BITS / 16) /* blocks in a batch; bits of a word per place */
#define ROW (WORD_BITS / 4)     /* bits of a word per row */
#define MAX_ROUNDS 14

struct ctaes_aes_key {
    word round_key[MAX_ROUNDS + 1][8]; /* bitsliced, each in its round's layout */
    uint32_t rounds;                   /* 10, 12 or 14 */
};

/* What each width does in its own way (ct32.c, ct64.c): loads and stores a
   batch. Bytes are in little-endian order within words, and the word that has
   column c + 2 is four after the word that has column c of the same block. */
INLINE void load_batch(word s[8], const uint8_t *in);
INLINE void store_batch(uint8_t *out, const word s[8]);

/* Brings a loaded batch into the bitsliced layout, and back. */
INLINE_LARGE void bitslice(word s[8]);
INLINE_LARGE void unbitslice(word s[8]);

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
    const word bytes = (word)-1 / 0xff; /* 1 in each byte */
    swap_bits(&s[0], &s[4], 4, bytes * 0x0f);
    swap_bits(&s[1], &s[5], 4, bytes * 0x0f);
    swap_bits(&s[2], &s[6], 4, bytes * 0x0f);
    swap_bits(&s[3], &s[7], 4, bytes * 0x0f);
    swap_bits(&s[0], &s[2], 2, bytes * 0x33);
    swap_bits(&s[1], &s[3], 2, bytes * 0x33);
    swap_bits(&s[4], &s[6], 2, bytes * 0x33);
    swap_bits(&s[5], &s[7], 2, bytes * 0x33);
    swap_bits(&s[0], &s[1], 1, bytes * 0x55);
    swap_bits(&s[2], &s[3], 1, bytes * 0x55);
    swap_bits(&s[4], &s[5], 1, bytes * 0x55);
    swap_bits(&s[6], &s[7], 1, bytes * 0x55);
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

/*
 * MixColumns. With x0..x3 the bytes of a column, the first new one is
 *
 *     2*x0 + 3*x1 + x2 + x3 = 2*(x0 + x1) + x0 + (x0 + x1 + x2 + x3),
 *
 * where the last bracket is the sum of x0 + x1 and its opposite, x2 + x3.
 * Doubling moves bit i - 1 to bit i, and adds bit 7 to the bits of 0x1b.
 */
INLINE void mix_columns(word s[8], unsigned twist)
{
    const word pair0 = s[0] ^ next_in_column(s[0], twist);
    const word pair1 = s[1] ^ next_in_column(s[1], twist);
    const word pair2 = s[2] ^ next_in_column(s[2], twist);
    const word pair3 = s[3] ^ next_in_column(s[3], twist);
    const word pair4 = s[4] ^ next_in_column(s[4], twist);
    const word pair5 = s[5] ^ next_in_column(s[5], twist);
    const word pair6 = s[6] ^ next_in_column(s[6], twist);
    const word pair7 = s[7] ^ next_in_column(s[7], twist);
    s[0] ^= add_opposite(pair0, twist) ^ pair7;
    s[1] ^= add_opposite(pair1, twist) ^ pair0 ^ pair7;
    s[2] ^= add_opposite(pair2, twist) ^ pair1;
    s[3] ^= add_opposite(pair3, twist) ^ pair2 ^ pair7;
    s[4] ^= add_opposite(pair4, twist) ^ pair3 ^ pair7;
    s[5] ^= add_opposite(pair5, twist) ^ pair4;
    s[6] ^= add_opposite(pair6, twist) ^ pair5;
    s[7] ^= add_opposite(pair7, twist) ^ pair6;
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
INLINE void inv_mix_columns(word s[8], unsigned twist)
{
    const word sum0 = add_opposite(s[0], twist);
    const word sum1 = add_opposite(s[1], twist);
    const word sum2 = add_opposite(s[2], twist);
    const word sum3 = add_opposite(s[3], twist);
    const word sum4 = add_opposite(s[4], twist);
    const word sum5 = add_opposite(s[5], twist);
    const word sum6 = add_opposite(s[6], twist);
    const word sum7 = add_opposite(s[7], twist);
    const word sum67 = sum6 ^ sum7;
    s[0] ^= sum6;
    s[1] ^= sum67;
    s[2] ^= sum0 ^ sum7;
    s[3] ^= sum1 ^ sum6;
    s[4] ^= sum2 ^ sum67;
    s[5] ^= sum3 ^ sum7;
    s[6] ^= sum4;
    s[7] ^= sum5;
    mix_columns(s, twist);
}

INLINE void add_round_key(word s[8], const word round_key[8])
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

/* In words as load_batch leaves them: moves rows 1 and 3 by two columns, the
   twist after 10 and 14 rounds. */
INLINE void turn_odd_rows(word s[8])
{
    const word odd_rows = (word)-1 / 0xffff * 0xff00;
    swap_bits(&s[0], &s[4], 0, odd_rows);
    swap_bits(&s[1], &s[5], 0, odd_rows);
    swap_bits(&s[2], &s[6], 0, odd_rows);
    swap_bits(&s[3], &s[7], 0, odd_rows);
}

static void encrypt_batch(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in)
{
    const unsigned rounds = key->rounds;
    word s[8];
    load_batch(s, in);
    bitslice(s);
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
    unbitslice(s);
    if (rounds % 4 != 0)
        turn_odd_rows(s);
    store_batch(out, s);
}

static void decrypt_batch(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in)
{
    const unsigned rounds = key->rounds;
    word s[8];
    load_batch(s, in);
    if (rounds % 4 != 0)
        turn_odd_rows(s);
    bitslice(s);
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
    unbitslice(s);
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
        uint8_t batch[16 * BLOCKS] = {0};
        memcpy(batch, in, 16 * nblocks);
        crypt_batch(key, batch, batch);
        memcpy(out, batch, 16 * nblocks);
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

/* The functions of struct ctaes_core: workers, each followed by wipe_stack. */

static void encrypt(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in,
                    size_t nblocks)
{
    encrypt_blocks(key, out, in, nblocks);
    wipe_stack();
}

static void decrypt(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in,
                    size_t nblocks)
{
    decrypt_blocks(key, out, in, nblocks);
    wipe_stack();
}

#endif
