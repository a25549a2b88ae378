/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AES-NI on single blocks: the expanded key and its setup, and CBC encryption.
 * The cores aesni, aesniavx, vaes256 and vaes512 share the key's format and
 * everything that is serial by nature; x86_wide.h and what builds on it work on
 * many blocks at once.
 *
 * Key setup is a chain of SubWord over the last word of what came before. It
 * runs through AESENCLAST rather than AESKEYGENASSIST, which is a dozen
 * micro-operations on many CPUs. PSHUFB copies the wanted word, rotated or not,
 * into all four columns; with four equal columns ShiftRows changes nothing, so
 * that AESENCLAST comes down to SubWord of each column, xor its key operand,
 * which is where rcon goes in:
 *
 *      k0 k1 k2 k3  --PSHUFB-->  r r r r  --AESENCLAST, rcon-->  t t t t
 *           |                                                       |
 *           `---->  k0, k0^k1, k0^k1^k2, k0^k1^k2^k3  ------xor-----'-->  next key
 *
 * Sources: FIPS 197 sections 5.2 (key expansion) and 5.3.5 (equivalent inverse
 * cipher); Gueron, "Intel Advanced Encryption Standard (AES) New Instructions
 * Set", Intel white paper 323641. SubWord by AESENCLAST is folklore.
 *
 * Constant time: AES-NI and shuffles take the same time for all values; every
 * branch here depends on a length alone.
 */
#ifndef CTAES_X86_AES_H
#define CTAES_X86_AES_H

#include "core.h"
#include "ct.h"
#include "x86_block.h"

#include <stdbool.h>

/* Round keys in the order of use: enc[0] to enc[rounds], dec[0] to
   dec[rounds]. dec is all zero until prepare_decrypt. */
struct ctaes_aes_key {
    __m128i enc[15];
    __m128i dec[15];
    uint32_t rounds; /* 10, 12 or 14; public */
};

/* Returns SubWord of word i of k in all four words, rotated by RotWord if
   rotate, xor rcon. */
INLINE __m128i sub_word(__m128i k, int i, bool rotate, uint8_t rcon)
{
    /* Byte indices 4i, 4i + 1, ...: RotWord takes 4i + 1 first. */
    const int word = 4 * i * 0x01010101 + (rotate ? 0x00030201 : 0x03020100);
    const __m128i columns = _mm_shuffle_epi8(k, _mm_set1_epi32(word));
    return _mm_aesenclast_si128(columns, _mm_set1_epi32(rcon));
}

/* Returns the words k0, k0 ^ k1, k0 ^ k1 ^ k2, k0 ^ k1 ^ k2 ^ k3. */
INLINE __m128i prefix_xor(__m128i k)
{
    k = _mm_xor_si128(k, _mm_slli_si128(k, 4));
    return _mm_xor_si128(k, _mm_slli_si128(k, 8));
}

INLINE void expand_key_128(__m128i *enc, const uint8_t *k)
{
    static const uint8_t rcon[10] = {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36};
    __m128i w = block_load(k);
    enc[0] = w;
    UNROLL
    for (int i = 0; i < 10; i++) {
        w = _mm_xor_si128(prefix_xor(w), sub_word(w, 3, true, rcon[i]));
        enc[i + 1] = w;
    }
}

/* Each step makes six words, one round key and a half: a has the first four of
   them, the low half of b the other two. */
INLINE void expand_key_192(__m128i *enc, const uint8_t *k)
{
    static const uint8_t rcon[8] = {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80};
    uint8_t *p = (uint8_t *)enc;
    __m128i a = block_load(k);
    __m128i b = _mm_loadl_epi64((const __m128i *)(const void *)(k + 16));
    UNROLL
    for (int i = 0; i < 8; i++) {
        block_store(p + 24 * i, a);
        _mm_storel_epi64((__m128i *)(void *)(p + 24 * i + 16), b);
        a = _mm_xor_si128(prefix_xor(a), sub_word(b, 1, true, rcon[i]));
        b = _mm_xor_si128(b, _mm_slli_si128(b, 4));
        b = _mm_xor_si128(b, _mm_shuffle_epi32(a, 0xff));
    }
    block_store(p + 24 * 8, a);
}

INLINE void expand_key_256(__m128i *enc, const uint8_t *k)
{
    static const uint8_t rcon[7] = {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40};
    __m128i a = block_load(k), b = block_load(k + 16);
    enc[0] = a;
    enc[1] = b;
    UNROLL
    for (int i = 0; i < 7; i++) {
        a = _mm_xor_si128(prefix_xor(a), sub_word(b, 3, true, rcon[i]));
        enc[2 * i + 2] = a;
        if (i == 6)
            break;
        b = _mm_xor_si128(prefix_xor(b), sub_word(a, 3, false, 0));
        enc[2 * i + 3] = b;
    }
}

static void expand_key(struct ctaes_aes_key *key, const uint8_t *k, size_t k_len)
{
    /* All of it is written, so that no round key of a former key stays. */
    for (int i = 11; i < 15; i++)
        key->enc[i] = _mm_setzero_si128();
    ct_wipe(key->dec, sizeof key->dec);
    key->rounds = (uint32_t)(k_len / 4 + 6);
    switch (k_len) {
    case 16:
        expand_key_128(key->enc, k);
        break;
    case 24:
        expand_key_192(key->enc, k);
        break;
    case 32:
        expand_key_256(key->enc, k);
        break;
    }
}

/* The equivalent inverse cipher's keys (FIPS 197 section 5.3.5): the round
   keys in reverse, InvMixColumns applied to all but the first and the last. */
static void prepare_decrypt(struct ctaes_aes_key *key)
{
    const uint32_t rounds = key->rounds;
    key->dec[0] = key->enc[rounds];
    for (uint32_t i = 1; i < rounds; i++)
        key->dec[i] = _mm_aesimc_si128(key->enc[rounds - i]);
    key->dec[rounds] = key->enc[0];
}

/* One round of the cipher or the inverse cipher. */
INLINE __m128i block_round(bool inverse, __m128i x, __m128i k)
{
    return inverse ? _mm_aesdec_si128(x, k) : _mm_aesenc_si128(x, k);
}

INLINE __m128i block_last_round(bool inverse, __m128i x, __m128i k)
{
    return inverse ? _mm_aesdeclast_si128(x, k) : _mm_aesenclast_si128(x, k);
}

/* All rounds of n blocks between the first key addition and the last round. Not in a loop:
   that of a single block has three times as many instructions, and what comes before and
   after waits for room among those in flight. */
INLINE void blocks_rounds(bool inverse, __m128i *s, int n, const struct ctaes_aes_key *key)
{
    const __m128i *round_keys = inverse ? key->dec : key->enc;
    UNROLL
    for (int r = 1; r <= 9; r++) {
        UNROLL
        for (int i = 0; i < n; i++)
            s[i] = block_round(inverse, s[i], round_keys[r]);
    }
    /* Of the longer keys. */
    UNROLL
    for (int r = 10; r <= 13; r++) {
        if (r % 2 == 0 && key->rounds <= (uint32_t)r)
            return;
        UNROLL
        for (int i = 0; i < n; i++)
            s[i] = block_round(inverse, s[i], round_keys[r]);
    }
}

INLINE __m128i block_rounds(bool inverse, __m128i x, const struct ctaes_aes_key *key)
{
    blocks_rounds(inverse, &x, 1, key);
    return x;
}

/* Encrypts one block. */
INLINE __m128i block_encrypt(const struct ctaes_aes_key *key, __m128i x)
{
    x = _mm_xor_si128(x, key->enc[0]);
    x = block_rounds(false, x, key);
    return _mm_aesenclast_si128(x, key->enc[key->rounds]);
}

/* Decrypts one block. */
INLINE __m128i block_decrypt(const struct ctaes_aes_key *key, __m128i x)
{
    x = _mm_xor_si128(x, key->dec[0]);
    x = block_rounds(true, x, key);
    return _mm_aesdeclast_si128(x, key->dec[key->rounds]);
}

/*
 * CBC encryption is one chain of rounds through all blocks. To begin the next
 * block takes x = c ^ m for the ciphertext block c that comes out of the last
 * round and m = p ^ enc[0] for the next plaintext block p. AESENCLAST xors its
 * key operand, so with enc[rounds] ^ m for a key it makes x at once; the chain
 * is nothing but rounds, and c = x ^ m is computed beside it.
 */
static void cbc_encrypt(const struct ctaes_aes_key *key, uint8_t iv[16], uint8_t *out,
                        const uint8_t *in, size_t nblocks)
{
    if (nblocks == 0)
        return;
    if (nblocks == 1) {
        const __m128i c = block_encrypt(key, _mm_xor_si128(block_load(iv), block_load(in)));
        block_store(out, c);
        block_store(iv, c);
        return;
    }
    const uint32_t rounds = key->rounds;
    const __m128i first_key = key->enc[0], last_key = key->enc[rounds];
    __m128i x = _mm_xor_si128(block_load(iv), _mm_xor_si128(first_key, block_load(in)));
    for (;;) {
        for (uint32_t r = 1; r < rounds; r++)
            x = _mm_aesenc_si128(x, key->enc[r]);
        if (--nblocks == 0)
            break;
        in += 16;
        const __m128i m = _mm_xor_si128(first_key, block_load(in));
        x = _mm_aesenclast_si128(x, _mm_xor_si128(last_key, m));
        block_store(out, _mm_xor_si128(x, m));
        out += 16;
    }
    x = _mm_aesenclast_si128(x, last_key);
    block_store(out, x);
    block_store(iv, x);
}

#endif
