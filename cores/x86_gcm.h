/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GCM: CTR and GHASH in one pass, for vectors of any width (a template as
 * x86_wide.h is).
 *
 * AES and carry-less multiplication keep different units of the CPU busy, so
 * one group is encrypted while another is hashed: after each round of AES, the
 * products of one vector of ciphertext. Encryption hashes what the group before
 * it has put out, decryption what the group itself takes in:
 *
 *      encrypting    AES:    g1   g2   g3   g4
 *                    GHASH:       g1   g2   g3   g4
 *
 *      decrypting    AES:    g1   g2   g3   g4
 *                    GHASH:  g1   g2   g3        g4
 *
 * The groups are those of x86_wide.h: batches of VECS vectors, at most one of
 * half as many, and a last one. E(K, J0) is computed beside the last, where it
 * costs next to nothing; in a pass of its own it would take as long as a whole
 * group. A short message is the last group alone: one AES, one sum of products,
 * one reduction.
 *
 * Sources: SP 800-38D section 7; Gopal and others, "Fast Cryptographic
 * Computation on Intel Architecture Processors Via Function Stitching", Intel
 * white paper, 2010.
 *
 * Constant time: as x86_wide.h and x86_ghash.h.
 */
#ifndef CTAES_X86_GCM_H
#define CTAES_X86_GCM_H

#include "x86_ctr.h"
#include "x86_ghash.h"

/* Round r on n vectors, and on the block j if it isn't NULL. vec_settle keeps
   compilers from gathering all the rounds, and all the products that stand
   between them, in two heaps again. */
INLINE void gcm_round(vec *s, int n, __m128i *j, const struct ctaes_aes_key *key, uint32_t r)
{
    const vec k = vec_set1(key->enc[r]);
    UNROLL
    for (int i = 0; i < n; i++) {
        s[i] = vec_aesenc(s[i], k);
        vec_settle(&s[i]);
    }
    if (j != NULL)
        *j = _mm_aesenc_si128(*j, key->enc[r]);
}

/* Encrypts a batch while it hashes the batch at hashed, which may be in.
   Returns the next y. */
INLINE __m128i gcm_batch(const struct ctaes_aes_key *key, const struct ctaes_ghash_key *hk,
                         vec *counters, __m128i y, uint8_t *out, const uint8_t *in,
                         const uint8_t *hashed)
{
    const uint32_t rounds = key->rounds;
    struct ghash_sum sum = ghash_zero();
    vec s[VECS];
    counters_start(s, VECS, key, counters);
    UNROLL
    for (int i = 0; i < VECS; i++) {
        gcm_round(s, VECS, NULL, key, (uint32_t)i + 1);
        vec x = vec_reverse(vec_load(hashed + i * VEC_BYTES));
        if (i == 0)
            x = vec_xor(x, vec_first(y));
        ghash_add(&sum, hk, (size_t)(BATCH_BLOCKS - i * VEC_BLOCKS), x);
    }
    for (uint32_t r = VECS + 1; r < rounds; r++)
        gcm_round(s, VECS, NULL, key, r);
    const vec last_key = vec_set1(key->enc[rounds]);
    UNROLL
    for (int i = 0; i < VECS; i++) {
        const vec x = vec_load(in + i * VEC_BYTES);
        vec_store(out + i * VEC_BYTES, vec_aesenclast(s[i], vec_xor(last_key, x)));
    }
    return vec_sum(ghash_reduce(sum));
}

/* Ciphertext that waits to be hashed: nblocks blocks, whole vectors, at most
   VECS of them. */
struct backlog {
    const uint8_t *in;
    size_t nblocks;
};

/* Encrypts n vectors, and the block j if it isn't NULL, while it hashes the
   backlog. Leaves what comes before the last round's xor with the data in s. */
INLINE __m128i gcm_rounds(vec *s, int n, __m128i *j, const struct ctaes_aes_key *key,
                          const struct ctaes_ghash_key *hk, vec *counters, __m128i y,
                          struct backlog backlog)
{
    const uint32_t rounds = key->rounds;
    counters_start(s, n, key, counters);
    if (j != NULL)
        *j = _mm_xor_si128(*j, key->enc[0]);
    uint32_t r = 1;
    if (backlog.nblocks > 0) {
        struct ghash_sum sum = ghash_zero();
        vec first = vec_first(y);
        for (; backlog.nblocks > 0; backlog.nblocks -= VEC_BLOCKS, backlog.in += VEC_BYTES) {
            gcm_round(s, n, j, key, r++);
            const vec x = vec_xor(first, vec_reverse(vec_load(backlog.in)));
            ghash_add(&sum, hk, backlog.nblocks, x);
            first = vec_zero();
        }
        y = vec_sum(ghash_reduce(sum));
    }
    for (; r < rounds; r++)
        gcm_round(s, n, j, key, r);
    if (j != NULL)
        *j = _mm_aesenclast_si128(*j, key->enc[rounds]);
    return y;
}

/* The last round of n vectors: stores the output, and leaves the ciphertext in
   s, which is out when encrypting and in when decrypting. */
INLINE void gcm_output(bool encrypting, vec *s, const struct ctaes_aes_key *key, uint8_t *out,
                       const uint8_t *in, int n, size_t last)
{
    const vec last_key = vec_set1(key->enc[key->rounds]);
    UNROLL
    for (int i = 0; i < n; i++) {
        const vec x = group_load(in, i, n, last);
        const vec z = vec_aesenclast(s[i], vec_xor(last_key, x));
        group_store(out, z, i, n, last);
        s[i] = encrypting ? z : x;
    }
}

/* Hashes the whole blocks of n vectors s, of which the last holds last bytes. */
INLINE __m128i gcm_hash(const struct ctaes_ghash_key *hk, __m128i y, vec *s, int n, size_t last)
{
    const size_t nblocks = (size_t)(n - 1) * VEC_BLOCKS + last / 16;
    if (nblocks == 0)
        return y;
    struct ghash_sum sum = ghash_zero();
    s[n - 1] = vec_keep(s[n - 1], last / 16);
    UNROLL
    for (int i = 0; i < n; i++) {
        vec x = vec_reverse(s[i]);
        if (i == 0)
            x = vec_xor(x, vec_first(y));
        ghash_add(&sum, hk, nblocks - (size_t)i * VEC_BLOCKS, x);
    }
    const vec z = ghash_reduce(sum);
    return nblocks == 1 ? vec_block(z) : vec_sum(z);
}

INLINE void gcm_crypt(bool encrypting, const struct ctaes_aes_key *key, struct ctaes_ghash_key *hk,
                      uint8_t ctr[16], uint8_t y[16], uint8_t *ej0, uint8_t *out, const uint8_t *in,
                      size_t len)
{
    if (len == 0) {
        if (ej0 != NULL)
            block_store(ej0, block_encrypt(key, block_load(ej0)));
        return;
    }
    vec counters = counters_load(ctr);
    struct backlog backlog = {NULL, 0};
    __m128i acc = block_reverse(block_load(y));
    /* Without ej0 some other block, which costs nothing and is not stored. */
    __m128i j = block_load(ej0 != NULL ? ej0 : ctr);
    counter_add(ctr, len / 16);
    ghash_need(hk, len / 16);

    if (encrypting && len > BATCH_BYTES) {
        ctr_group(key, &counters, out, in, VECS, VEC_BYTES);
        backlog = (struct backlog){out, BATCH_BLOCKS};
        out += BATCH_BYTES, in += BATCH_BYTES, len -= BATCH_BYTES;
    }
    while (len > BATCH_BYTES) {
        acc = gcm_batch(key, hk, &counters, acc, out, in, encrypting ? backlog.in : in);
        if (encrypting)
            backlog.in = out;
        out += BATCH_BYTES, in += BATCH_BYTES, len -= BATCH_BYTES;
    }
    if (len > HALF_BYTES) {
        const struct backlog own = {encrypting ? out : in, BATCH_BLOCKS / 2};
        const struct backlog none = {NULL, 0};
        vec s[VECS / 2];
        acc = gcm_rounds(s, VECS / 2, NULL, key, hk, &counters, acc, encrypting ? backlog : own);
        gcm_output(encrypting, s, key, out, in, VECS / 2, VEC_BYTES);
        backlog = encrypting ? own : none;
        out += HALF_BYTES, in += HALF_BYTES, len -= HALF_BYTES;
    }
    LAST_GROUP(len, vec s[N]; acc = gcm_rounds(s, N, &j, key, hk, &counters, acc, backlog);
               gcm_output(encrypting, s, key, out, in, N, last);
               acc = gcm_hash(hk, acc, s, N, last))
    if (ej0 != NULL)
        block_store(ej0, j);
    block_store(y, block_reverse(acc));
}

static void gcm_encrypt(const struct ctaes_aes_key *key, struct ctaes_ghash_key *hk,
                        uint8_t ctr[16], uint8_t y[16], uint8_t *ej0, uint8_t *out,
                        const uint8_t *in, size_t len)
{
    gcm_crypt(true, key, hk, ctr, y, ej0, out, in, len);
}

static void gcm_decrypt(const struct ctaes_aes_key *key, struct ctaes_ghash_key *hk,
                        uint8_t ctr[16], uint8_t y[16], uint8_t *ej0, uint8_t *out,
                        const uint8_t *in, size_t len)
{
    gcm_crypt(false, key, hk, ctr, y, ej0, out, in, len);
}

#endif
