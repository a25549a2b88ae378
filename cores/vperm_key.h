/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The key schedule, computed in the tower.
 *
 * FIPS 197's key expansion is linear but for SubWord, so it can run in any
 * linear representation: the key's words are taken to the tower (vperm.h), and
 * each round of the expansion is what the standard says, with the round
 * constants in the tower too. Four equal words in a register make SubBytes into
 * SubWord. Then each round key gets the S-box's constant added and is brought
 * into its round's layout:
 *
 *      w (tower) --+-- + 0x63, unshifted m rounds ----> enc[m] ---- by rows
 *                  |                                      |
 *                  +-- out of the tower, + 0x63 --> enc[rounds]
 *
 *      enc[rounds - m] -- InvMixColumns, to decryption's representation --> dec[m]
 *
 * The constant takes care of itself in the last step: it goes through
 * InvMixColumns unchanged, and becomes what decryption wants to have added.
 *
 * Sources: FIPS 197 sections 5.2 and 5.3.5.
 *
 * Constant time: as vperm.h; branches are on the key's length.
 */
#ifndef CTAES_VPERM_KEY_H
#define CTAES_VPERM_KEY_H

#include "vperm.h"

/* Word n of x, 1 or 3, in all four places. */
INLINE vblock copy_word(vblock x, int n)
{
    return n == 1 ? _mm_shuffle_epi32(x, 0x55) : _mm_shuffle_epi32(x, 0xff);
}

/* SubWord of each word. */
INLINE vblock sub_words(vblock x)
{
    const vblock y = block_finish(block_invert(x), enc_1_io, enc_1_jo);
    return block_xor(y, block_bytes(SBOX_CONSTANT_TOWER));
}

/* SubWord(RotWord(word 3)) + Rcon[n + 1], in all four places. */
INLINE vblock sub_rotated(vblock x, int n)
{
    const vblock rotated = _mm_or_si128(_mm_srli_epi32(x, 8), _mm_slli_epi32(x, 24));
    return block_xor(sub_words(copy_word(rotated, 3)), _mm_set1_epi32(key_rcon[n]));
}

/* Word n of the result is the sum of words 0 to n of x. */
INLINE vblock sum_words(vblock x)
{
    x = block_xor(x, _mm_slli_si128(x, 4));
    return block_xor(x, _mm_slli_si128(x, 8));
}

INLINE void expand_128(uint8_t *w, vblock a)
{
    block_store(w, a);
    for (int i = 0; i < 10; i++) {
        a = block_xor(sum_words(a), sub_rotated(a, i));
        block_store(w + 16 * (i + 1), a);
    }
}

/* Six words at a time: a, and the lower half of b. */
INLINE void expand_192(uint8_t *w, vblock a, vblock b)
{
    for (int i = 0;; i++) {
        block_store(w + 24 * i, a);
        if (i == 8)
            break;
        _mm_storel_epi64((__m128i *)(void *)(w + 24 * i + 16), b);
        a = block_xor(sum_words(a), sub_rotated(copy_word(b, 1), i));
        b = block_xor(block_xor(b, _mm_slli_si128(b, 4)), copy_word(a, 3));
    }
}

INLINE void expand_256(uint8_t *w, vblock a, vblock b)
{
    for (int i = 0;; i++) {
        block_store(w + 32 * i, a);
        if (i == 7)
            break;
        block_store(w + 32 * i + 16, b);
        a = block_xor(sum_words(a), sub_rotated(b, i));
        b = block_xor(sum_words(b), sub_words(copy_word(a, 3)));
    }
}

/* Stores the rows of x, which has been ordered by rows, each twice. */
INLINE void store_rows(uint8_t rows[4][8], vblock x)
{
    block_store(rows[0], _mm_unpacklo_epi32(x, x));
    block_store(rows[2], _mm_unpackhi_epi32(x, x));
}

/*
 * Stores keys by rows. turn: how many columns a round shifts row 1, to the
 * left; 3 is one to the right. The first key is added after the first round's
 * shift.
 */
INLINE void make_rows(uint8_t rows[15][4][8], const uint8_t keys[15][16], uint32_t rounds,
                      uint32_t turn)
{
    const vblock first = block_load(keys[0]), last = block_load(keys[rounds]);
    store_rows(rows[0], block_move(first, turn == 1 ? rows_shifted : rows_shifted_back));
    for (uint32_t m = 1; m < rounds; m++) {
        const vblock x = block_move(block_load(keys[m]), shift_rows[turn * m % 4]);
        store_rows(rows[m], block_move(x, rows_plain));
    }
    store_rows(rows[rounds], block_move(last, rows_plain));
}

static NOINLINE void make_encrypt_keys(struct ctaes_aes_key *key, const uint8_t *k, size_t k_len)
{
    const uint32_t rounds = (uint32_t)(k_len / 4 + 6);
    uint8_t *w = key->enc[0];
    ct_wipe(key, sizeof *key);
    key->rounds = rounds;
    const vblock a = block_map(block_load(k), enc_in_low, enc_in_high);
    if (k_len == 16) {
        expand_128(w, a);
    } else if (k_len == 24) {
        const vblock rest = _mm_loadl_epi64((const __m128i *)(const void *)(k + 16));
        expand_192(w, a, block_map(rest, enc_in_low, enc_in_high));
    } else {
        expand_256(w, a, block_map(block_load(k + 16), enc_in_low, enc_in_high));
    }

    for (uint32_t m = 1; m < rounds; m++) {
        const vblock x = block_xor(block_load(key->enc[m]), block_bytes(SBOX_CONSTANT_TOWER));
        block_store(key->enc[m], block_move(x, shift_rows[(0U - m) % 4]));
    }
    const vblock last = block_map(block_load(key->enc[rounds]), key_out_low, key_out_high);
    block_store(key->enc[rounds], block_xor(last, block_bytes(SBOX_CONSTANT)));
    make_rows(key->enc_rows, (const uint8_t(*)[16])key->enc, rounds, 1);
}

static NOINLINE void make_decrypt_keys(struct ctaes_aes_key *key)
{
    const uint32_t rounds = key->rounds;
    const struct block_ways ways = block_decrypt_ways(0);
    block_store(key->dec[0], block_map(block_load(key->enc[rounds]), dec_in_low, dec_in_high));
    for (uint32_t m = 1; m < rounds; m++) {
        const uint8_t *from = key->enc[rounds - m];
        const vblock x = block_move(block_load(from), shift_rows[(rounds - m) % 4]);
        const vblock even =
            block_xor(block_map(x, key_e_low, key_e_high),
                      block_shuffle(block_map(x, key_d_low, key_d_high), ways.opposite));
        const vblock odd =
            block_xor(block_map(x, key_b_low, key_b_high),
                      block_shuffle(block_map(x, key_9_low, key_9_high), ways.opposite));
        const vblock y = block_xor(even, block_shuffle(odd, ways.next));
        block_store(key->dec[m], block_move(y, shift_rows[m % 4]));
    }
    block_store(key->dec[rounds], block_map(block_load(key->enc[0]), key_out_low, key_out_high));
    make_rows(key->dec_rows, (const uint8_t(*)[16])key->dec, rounds, 3);
}

#endif
