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
 * TCHES 2021(1) (eprint 2020/1123), section 3. Where this differs: the round
 * keys are computed in bytes and packed afterwards, and MixColumns is
 * written in terms of the sum of a column (see mix_columns), which spares
 * rotations.
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

#define BLOCKS (WORD_BITS / 16) /* blocks in a batch, bits of a word per place */
#define ROW (WORD_BITS / 4)     /* bits of a word per row */
#define MAX_ROUNDS 14

struct ctaes_aes_key {
    word round_key[MAX_ROUNDS + 1][8]; /* bitsliced, each in its round's layout */
    uint32_t rounds;                   /* 10, 12 or 14 */
};

/* What each width does in its own way, see ct32.c and ct64.c. Loads BLOCKS
   blocks into eight words and stores them. Bytes are in little-endian order
   within words, and column c + 2 is four words after column c. */
static inline void load_batch(word s[8], const uint8_t *in);
static inline void store_batch(uint8_t *out, const word s[8]);

/* Brings a loaded batch into the bitsliced layout, and back. */
static inline void bitslice(word s[8]);
static inline void unbitslice(word s[8]);

/* Exchanges the bits of a at mask << n with those of b at mask. */
static inline void swap_bits(word *a, word *b, unsigned n, word mask)
{
    const word difference = (*a >> n ^ *b) & mask;
    *a ^= difference << n;
    *b ^= difference;
}

/* In each byte position, the eight bytes of the eight words are an 8 x 8 matrix
   of bits: transposes it. Its own inverse. */
static inline void transpose_bits(word s[8])
{
    const word ones = (word)-1;
    for (int i = 0; i < 4; i++)
        swap_bits(&s[i], &s[i + 4], 4, ones / 0xff * 0x0f);
    for (int i = 0; i < 8; i++)
        if ((i & 2) == 0)
            swap_bits(&s[i], &s[i + 2], 2, ones / 0xff * 0x33);
    for (int i = 0; i < 8; i += 2)
        swap_bits(&s[i], &s[i + 1], 1, ones / 0xff * 0x55);
}

/* The first n columns, 0 to 3, of all rows. */
static inline word columns_below(unsigned n)
{
    const word ones = (word)-1;
    return ones / (((word)1 << ROW) - 1) * (((word)1 << (BLOCKS * n)) - 1);
}

/* n from 0 to WORD_BITS - 1. */
static inline word rotate_right(word x, unsigned n)
{
    return x >> n | x << (WORD_BITS - n) % WORD_BITS;
}

/* Moves to each place (r, c) what is at (r + 1, c + twist). */
static inline word next_in_column(word x, unsigned twist)
{
    const word direct = rotate_right(x, ROW + BLOCKS * twist);
    if (twist == 0)
        return direct;
    /* From the last columns on, c + twist is past the end of the row. */
    const word wrapped = rotate_right(x, BLOCKS * twist);
    return wrapped ^ ((direct ^ wrapped) & columns_below(4 - twist));
}

/* Adds to each place (r, c) what is at (r + 2, c + 2 * twist), the opposite
   place of its column. */
static inline word add_opposite(word x, unsigned twist)
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
static inline void mix_columns(word s[8], unsigned twist)
{
    word pair[8];
    for (int i = 0; i < 8; i++) {
        pair[i] = s[i] ^ next_in_column(s[i], twist);
        s[i] ^= add_opposite(pair[i], twist);
    }
    s[0] ^= pair[7];
    s[1] ^= pair[0] ^ pair[7];
    s[2] ^= pair[1];
    s[3] ^= pair[2] ^ pair[7];
    s[4] ^= pair[3] ^ pair[7];
    s[5] ^= pair[4];
    s[6] ^= pair[5];
    s[7] ^= pair[6];
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
static inline void inv_mix_columns(word s[8], unsigned twist)
{
    word sum[8];
    for (int i = 0; i < 8; i++)
        sum[i] = add_opposite(s[i], twist);
    const word sum67 = sum[6] ^ sum[7];
    s[0] ^= sum[6];
    s[1] ^= sum67;
    s[2] ^= sum[0] ^ sum[7];
    s[3] ^= sum[1] ^ sum[6];
    s[4] ^= sum[2] ^ sum67;
    s[5] ^= sum[3] ^ sum[7];
    s[6] ^= sum[4];
    s[7] ^= sum[5];
    mix_columns(s, twist);
}

static inline void add_round_key(word s[8], const word round_key[8])
{
    for (int i = 0; i < 8; i++)
        s[i] ^= round_key[i];
}

/* Replaces each of the four bytes x of w by S(x). */
static uint32_t sub_word(uint32_t w)
{
    word s[8];
    for (unsigned i = 0; i < 8; i++)
        s[i] = w >> i & 0x01010101;
    sub_bytes(s);
    w = 0x63636363;
    for (unsigned i = 0; i < 8; i++)
        w ^= (uint32_t)s[i] << i;
    return w;
}

/* FIPS 197 section 5.2, with nk words of key. Words are little-endian: row r is
   bits 8*r to 8*r + 7. */
static void expand_words(uint32_t *w, size_t nwords, const uint8_t *k, size_t nk)
{
    uint32_t round_constant = 1;
    for (size_t i = 0; i < nk; i++)
        w[i] = load_le32(k + 4 * i);
    for (size_t i = nk, phase = 0; i < nwords; i++) {
        uint32_t t = w[i - 1];
        if (phase == 0) {
            t = sub_word(t >> 8 | t << 24) ^ round_constant;
            round_constant = (round_constant << 1) ^ (0x11b & -(round_constant >> 7));
        } else if (phase == 4 && nk == 8) {
            t = sub_word(t);
        }
        w[i] = w[i - nk] ^ t;
        phase = phase + 1 < nk ? phase + 1 : 0;
    }
}

/* Bitslices the round key w of round k: a batch of equal blocks, in the round's
   layout. */
static void pack_round_key(word round_key[8], const uint32_t w[4], unsigned k)
{
    uint8_t batch[16 * BLOCKS];
    for (unsigned column = 0; column < 4; column++) {
        uint32_t diagonal = k > 0 ? 0x63636363 : 0;
        for (unsigned row = 0; row < 4; row++)
            diagonal ^= w[(column - k * row) % 4] & (uint32_t)0xff << 8 * row;
        for (unsigned b = 0; b < BLOCKS; b++)
            store_le32(batch + 16 * b + 4 * column, diagonal);
    }
    load_batch(round_key, batch);
    bitslice(round_key);
    ct_wipe(batch, sizeof batch);
}

static void expand_key(struct ctaes_aes_key *key, const uint8_t *k, size_t k_len)
{
    uint32_t w[4 * (MAX_ROUNDS + 1)];
    const uint32_t rounds = (uint32_t)(k_len / 4 + 6);
    memset(key, 0, sizeof *key);
    key->rounds = rounds;
    expand_words(w, 4 * (rounds + 1), k, k_len / 4);
    for (unsigned i = 0; i <= rounds; i++)
        pack_round_key(key->round_key[i], w + 4 * i, i);
    ct_wipe(w, sizeof w);
}

/* In words as load_batch leaves them: moves rows 1 and 3 by two columns, which
   are four words apart. That is the twist after 10 and 14 rounds. */
static inline void turn_odd_rows(word s[8])
{
    for (int i = 0; i < 4; i++)
        swap_bits(&s[i], &s[i + 4], 0, (word)-1 / 0xffff * 0xff00);
}

static void encrypt_batch(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in)
{
    word s[8];
    load_batch(s, in);
    bitslice(s);
    add_round_key(s, key->round_key[0]);
    for (unsigned k = 1; k < key->rounds; k++) {
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
    add_round_key(s, key->round_key[key->rounds]);
    unbitslice(s);
    if (key->rounds != 12)
        turn_odd_rows(s);
    store_batch(out, s);
}

static void decrypt_batch(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in)
{
    word s[8];
    load_batch(s, in);
    if (key->rounds != 12)
        turn_odd_rows(s);
    bitslice(s);
    add_round_key(s, key->round_key[key->rounds]);
    inv_sub_bytes(s);
    for (unsigned k = key->rounds - 1; k > 0; k--) {
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

typedef void (*batch_fn)(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in);

/* Whole batches, then what is left by way of a buffer. */
static inline void crypt_blocks(batch_fn crypt_batch, const struct ctaes_aes_key *key, uint8_t *out,
                                const uint8_t *in, size_t nblocks)
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
        ct_wipe(batch, sizeof batch);
    }
}

static void encrypt(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in,
                    size_t nblocks)
{
    crypt_blocks(encrypt_batch, key, out, in, nblocks);
}

static void decrypt(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in,
                    size_t nblocks)
{
    crypt_blocks(decrypt_batch, key, out, in, nblocks);
}

#endif
