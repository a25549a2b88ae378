/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AES on many independent blocks: ECB and CBC decryption, for vectors of any
 * width.
 *
 * This is a template. The file that includes it has defined `vec`, a register
 * of VEC_BLOCKS blocks, and the operations vec_...; x86_vec128.h (one block),
 * vaes256.c (two) and vaes512.c (four) do. What is here, in x86_ctr.h, and in
 * x86_ghash.h, x86_gcm.h and x86_xts.h, is written once and compiled for each of them.
 *
 * Data goes through in groups of vectors, whose rounds are interleaved: AESENC
 * takes 4 cycles (3 to 8 on older CPUs), but one or two can start in each.
 *
 *      8 vectors      a batch, while there is more than that
 *      4 vectors      once, if more than 4 remain
 *      1 to 4         what remains, one straight-line copy for each count; the
 *                     last vector may be partly filled, and is loaded and
 *                     stored by its head
 *
 * In place works because nothing is written over that is still to be read.
 *
 * Constant time: no branch and no address depends on anything but lengths.
 */
#ifndef CTAES_X86_WIDE_H
#define CTAES_X86_WIDE_H

#include "x86_aes.h"
#include "x86_batch.h"

/*
 * Passes len bytes at in and out through groups, by statements that use the
 * constant N, the number of vectors in the group, and the variable last, the
 * number of bytes in the last of them (1 to VEC_BYTES).
 */
#define FOR_EACH_GROUP(out, in, len, statement)                                                    \
    do {                                                                                           \
        for (; len > BATCH_BYTES; out += BATCH_BYTES, in += BATCH_BYTES, len -= BATCH_BYTES)       \
            GROUP(VECS, VEC_BYTES, statement)                                                      \
        if (len > HALF_BYTES) {                                                                    \
            GROUP(VECS / 2, VEC_BYTES, statement)                                                  \
            out += HALF_BYTES, in += HALF_BYTES, len -= HALF_BYTES;                                \
        }                                                                                          \
        LAST_GROUP(len, statement)                                                                 \
    } while (0)

#define LAST_GROUP(len, statement)                                                                 \
    switch ((len + VEC_BYTES - 1) / VEC_BYTES) {                                                   \
    case 1:                                                                                        \
        GROUP(1, len, statement)                                                                   \
        break;                                                                                     \
    case 2:                                                                                        \
        GROUP(2, len - VEC_BYTES, statement)                                                       \
        break;                                                                                     \
    case 3:                                                                                        \
        GROUP(3, len - 2 * VEC_BYTES, statement)                                                   \
        break;                                                                                     \
    case 4:                                                                                        \
        GROUP(4, len - 3 * VEC_BYTES, statement)                                                   \
        break;                                                                                     \
    }

#define GROUP(n, last_bytes, statement)                                                            \
    {                                                                                              \
        enum { N = n };                                                                            \
        const size_t last = last_bytes;                                                            \
        statement;                                                                                 \
    }

/* Vector i of a group of n at p. */
INLINE vec group_load(const uint8_t *p, int i, int n, size_t last)
{
    p += i * VEC_BYTES;
    return i < n - 1 || last == VEC_BYTES ? vec_load(p) : vec_load_head(p, last);
}

INLINE void group_store(uint8_t *p, vec x, int i, int n, size_t last)
{
    p += i * VEC_BYTES;
    if (i < n - 1 || last == VEC_BYTES)
        vec_store(p, x);
    else
        vec_store_head(p, x, last);
}

/* One round of the cipher or the inverse cipher. */
INLINE vec aes_round(bool inverse, vec x, vec k)
{
    return inverse ? vec_aesdec(x, k) : vec_aesenc(x, k);
}

INLINE vec aes_last_round(bool inverse, vec x, vec k)
{
    return inverse ? vec_aesdeclast(x, k) : vec_aesenclast(x, k);
}

/* All rounds between the first key addition and the last round. */
INLINE void aes_rounds(bool inverse, vec *s, int n, const struct ctaes_aes_key *key)
{
    const __m128i *round_keys = inverse ? key->dec : key->enc;
    const uint32_t rounds = key->rounds;
    uint32_t first = 1;
    /* Small groups not in a loop, for the reason that blocks_rounds gives. */
    if (n <= 2) {
        UNROLL
        for (; first < 10; first++) {
            const vec k = vec_set1(round_keys[first]);
            UNROLL
            for (int i = 0; i < n; i++)
                s[i] = aes_round(inverse, s[i], k);
        }
    }
    for (uint32_t r = first; r < rounds; r++) {
        const vec k = vec_set1(round_keys[r]);
        UNROLL
        for (int i = 0; i < n; i++)
            s[i] = aes_round(inverse, s[i], k);
    }
}

/*
 * Runs a statement that uses the constant N, and returns, if there are N = 1 to FEW_BLOCKS
 * blocks: these take less time in XMM registers than in parts of wide ones, whose masked
 * loads and stores take long.
 */
enum { FEW_BLOCKS = 4 };
#define FOR_FEW_BLOCKS(nblocks, statement)                                                         \
    switch (nblocks) {                                                                             \
    case 1:                                                                                        \
        FEW(1, statement)                                                                          \
    case 2:                                                                                        \
        FEW(2, statement)                                                                          \
    case 3:                                                                                        \
        FEW(3, statement)                                                                          \
    case 4:                                                                                        \
        FEW(4, statement)                                                                          \
    }

#define FEW(n, statement)                                                                          \
    {                                                                                              \
        enum { N = n };                                                                            \
        statement;                                                                                 \
        return;                                                                                    \
    }

/* --- ECB --- */

INLINE void ecb_group(bool inverse, const struct ctaes_aes_key *key, uint8_t *out,
                      const uint8_t *in, int n, size_t last)
{
    const __m128i *round_keys = inverse ? key->dec : key->enc;
    const vec first_key = vec_set1(round_keys[0]);
    vec s[VECS];
    UNROLL
    for (int i = 0; i < n; i++)
        s[i] = vec_xor(first_key, group_load(in, i, n, last));
    aes_rounds(inverse, s, n, key);
    /* Not before: gcc would keep it on the stack over the rounds. */
    const vec last_key = vec_set1(round_keys[key->rounds]);
    UNROLL
    for (int i = 0; i < n; i++)
        group_store(out, aes_last_round(inverse, s[i], last_key), i, n, last);
}

INLINE void ecb_few(bool inverse, const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in,
                    int n)
{
    const __m128i *round_keys = inverse ? key->dec : key->enc;
    __m128i s[FEW_BLOCKS];
    UNROLL
    for (int i = 0; i < n; i++)
        s[i] = _mm_xor_si128(round_keys[0], block_load(in + 16 * i));
    blocks_rounds(inverse, s, n, key);
    UNROLL
    for (int i = 0; i < n; i++)
        block_store(out + 16 * i, block_last_round(inverse, s[i], round_keys[key->rounds]));
}

static void encrypt(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in,
                    size_t nblocks)
{
    FOR_FEW_BLOCKS(nblocks, ecb_few(false, key, out, in, N));
    size_t len = 16 * nblocks;
    FOR_EACH_GROUP(out, in, len, ecb_group(false, key, out, in, N, last));
}

static void decrypt(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in,
                    size_t nblocks)
{
    FOR_FEW_BLOCKS(nblocks, ecb_few(true, key, out, in, N));
    size_t len = 16 * nblocks;
    FOR_EACH_GROUP(out, in, len, ecb_group(true, key, out, in, N, last));
}

/* --- CBC decryption --- */

/*
 * Each block is deciphered and xored with the ciphertext block before it. That
 * is the same memory, 16 bytes lower; only the group's first block needs the
 * previous ciphertext from outside:
 *
 *      in:        | c0 c1 c2 c3 | c4 c5 c6 c7 | ...
 *      xor with   | iv c0 c1 c2 | c3 c4 c5 c6 | ...
 *
 * In place, and where the output overlaps from below, what a vector's plaintext
 * is stored over must have been read. Of its ciphertext only the next vector
 * needs a block, the last, and that is read before the store. (Gathering the
 * plaintext in s, to store it at the end, left it on the stack in clang's builds.)
 *
 * The last round's AESDECLAST does the xor: its key operand is the last round
 * key xor the ciphertext, which doesn't depend on the rounds.
 */
INLINE void cbc_decrypt_group(const struct ctaes_aes_key *key, __m128i *iv, uint8_t *out,
                              const uint8_t *in, int n, size_t last)
{
    vec s[VECS];
    const vec first_key = vec_set1(key->dec[0]);
    const __m128i next_iv = block_load(in + (n - 1) * VEC_BYTES + last - 16);
    UNROLL
    for (int i = 0; i < n; i++)
        s[i] = vec_xor(first_key, group_load(in, i, n, last));
    aes_rounds(true, s, n, key);
    const vec last_key = vec_set1(key->dec[key->rounds]);
    vec before = vec_push(*iv, group_load(in, 0, n, last));
    UNROLL
    for (int i = 0; i < n; i++) {
        const vec x = vec_aesdeclast(s[i], vec_xor(last_key, before));
        if (i < n - 1)
            before = group_load(in - 16, i + 1, n, last);
        group_store(out, x, i, n, last);
    }
    *iv = next_iv;
}

INLINE void cbc_decrypt_few(const struct ctaes_aes_key *key, uint8_t iv[16], uint8_t *out,
                            const uint8_t *in, int n)
{
    __m128i before = block_load(iv), s[FEW_BLOCKS];
    const __m128i next_iv = block_load(in + 16 * (n - 1));
    UNROLL
    for (int i = 0; i < n; i++)
        s[i] = _mm_xor_si128(key->dec[0], block_load(in + 16 * i));
    blocks_rounds(true, s, n, key);
    UNROLL
    for (int i = 0; i < n; i++) {
        const __m128i x = _mm_xor_si128(key->dec[key->rounds], before);
        if (i < n - 1)
            before = block_load(in + 16 * i);
        block_store(out + 16 * i, block_last_round(true, s[i], x));
    }
    block_store(iv, next_iv);
}

static void cbc_decrypt(const struct ctaes_aes_key *key, uint8_t iv[16], uint8_t *out,
                        const uint8_t *in, size_t nblocks)
{
    FOR_FEW_BLOCKS(nblocks, cbc_decrypt_few(key, iv, out, in, N));
    size_t len = 16 * nblocks;
    __m128i c = block_load(iv);
    FOR_EACH_GROUP(out, in, len, cbc_decrypt_group(key, &c, out, in, N, last));
    block_store(iv, c);
}

#endif
