/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AES key expansion for the fixsliced cores of integers (fixslice.h): computed word
 * by word as in FIPS 197, with the circuit for an S-box, then bitsliced.
 *
 * Where each byte of a round key goes follows from the round's layout. In round
 * k, the byte of row r and column c goes to place (r, c + k*r), so the key's
 * columns become diagonals:
 *
 *       round key 1, by columns          as it is stored
 *        0  4  8 12                       0  4  8 12
 *        1  5  9 13                      13  1  5  9
 *        2  6 10 14                      10 14  2  6
 *        3  7 11 15                       7 11 15  3
 *
 * Source: FIPS 197 section 5.2. Constant time: no table, and branches only on
 * the length of the key.
 */
#ifndef CTAES_FIXSLICE_KEY_H
#define CTAES_FIXSLICE_KEY_H

#include "fixslice.h"

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

/* FIPS 197 section 5.2: expands nk words of key to nwords. Words are
   little-endian: row r is bits 8*r to 8*r + 7. */
INLINE void expand_words(uint32_t *w, size_t nwords, const uint8_t *k, size_t nk)
{
    uint32_t round_constant = 1;
    for (size_t i = 0; i < nk; i++)
        w[i] = load_le32(k + 4 * i);
    for (size_t i = nk, phase = 0; i < nwords; i++) {
        uint32_t t = w[i - 1];
        if (phase == 0) {
            t = sub_word(t >> 8 | t << 24) ^ round_constant;
            round_constant = round_constant << 1 ^ (0x11b & -(round_constant >> 7));
        } else if (phase == 4 && nk == 8) {
            t = sub_word(t);
        }
        w[i] = w[i - nk] ^ t;
        phase = phase + 1 < nk ? phase + 1 : 0;
    }
}

/* Brings w, the key of round k, into the layout of that round: to the four words that
   are its columns there. */
INLINE void arrange_round_key(uint32_t column[4], const uint32_t w[4], unsigned k)
{
    for (unsigned c = 0; c < 4; c++) {
        column[c] = k > 0 ? 0x63636363 : 0;
        for (unsigned r = 0; r < 4; r++)
            column[c] ^= w[(c - k * r) % 4] & (uint32_t)0xff << 8 * r;
    }
}

/* Bitslices round key k, given in its layout, for all blocks of a batch. */
INLINE void pack_round_key(struct ctaes_aes_key *key, unsigned k, const uint32_t column[4]);

static NOINLINE void expand_round_keys(struct ctaes_aes_key *key, const uint8_t *user_key,
                                       size_t k_len)
{
    uint32_t w[4 * (MAX_ROUNDS + 1)];
    memset(key, 0, sizeof *key);
    key->rounds = (uint32_t)(k_len / 4 + 6);
    expand_words(w, 4 * (key->rounds + 1), user_key, k_len / 4);
    for (unsigned k = 0; k <= key->rounds; k++) {
        uint32_t column[4];
        arrange_round_key(column, w + 4 * k, k);
        pack_round_key(key, k, column);
    }
}

static void expand_key(struct ctaes_aes_key *key, const uint8_t *k, size_t k_len)
{
    expand_round_keys(key, k, k_len);
    wipe_stack();
}

#endif
