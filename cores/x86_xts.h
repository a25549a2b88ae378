/* SPDX-License-Identifier: Apache-2.0 */
/*
 * XTS, for vectors of any width (a template as x86_wide.h is).
 *
 * The tweaks of a batch are kept beside it, as they are added again after the
 * rounds; and in the gaps that the first eight rounds leave, the next batch's
 * are made, one vector in each:
 *
 *      now     T ... T·x^(B-1)      B = BATCH_BLOCKS      xor before and after
 *      next    T·x^B ...            made meanwhile
 *
 * Only the vectors of four blocks have registers enough for two batches of tweaks
 * (AVX-512 has 32); the others keep them in memory, and wipe it.
 *
 * Source: IEEE 1619-2018 section 5.3.
 *
 * Constant time: branches depend on lengths alone.
 */
#ifndef CTAES_X86_XTS_H
#define CTAES_X86_XTS_H

#include "x86_tweaks.h"
#include "x86_wide.h"

enum { SHORT_BLOCKS = 4 };

/* --- Groups --- */

INLINE void xts_start(bool inverse, const struct ctaes_aes_key *key, vec *s, const vec *tweaks,
                      const uint8_t *in, int n, size_t last)
{
    const vec first_key = vec_set1((inverse ? key->dec : key->enc)[0]);
    UNROLL
    for (int i = 0; i < n; i++)
        s[i] = vec_xor(tweaks[i], vec_xor(first_key, group_load(in, i, n, last)));
}

/* The last round, which adds the tweaks too, as in CBC decryption. */
INLINE void xts_finish(bool inverse, const struct ctaes_aes_key *key, const vec *s,
                       const vec *tweaks, uint8_t *out, int n, size_t last)
{
    const vec last_key = vec_set1((inverse ? key->dec : key->enc)[key->rounds]);
    UNROLL
    for (int i = 0; i < n; i++)
        group_store(out, aes_last_round(inverse, s[i], vec_xor(last_key, tweaks[i])), i, n, last);
}

/* A group by itself. Returns the tweak of the block after it. */
INLINE __m128i xts_group(bool inverse, const struct ctaes_aes_key *key, __m128i tweak, uint8_t *out,
                         const uint8_t *in, int n, size_t last)
{
    vec s[VECS], tweaks[VECS + 1];
    tweaks_fill(tweaks, n, tweak);
    xts_start(inverse, key, s, tweaks, in, n, last);
    aes_rounds(inverse, s, n, key);
    xts_finish(inverse, key, s, tweaks, out, n, last);
    return last == VEC_BYTES ? vec_block(tweaks[n]) : vec_pick(tweaks[n - 1], last / 16);
}

/* --- Short units --- */

INLINE __m128i xts_one(bool inverse, const struct ctaes_aes_key *key, __m128i tweak, uint8_t *out,
                       const uint8_t *in)
{
    __m128i tweaks[2];
    block_tweaks_fill(tweaks, 1, tweak);
    const __m128i x = _mm_xor_si128(block_load(in), tweak);
    const __m128i y = inverse ? block_decrypt(key, x) : block_encrypt(key, x);
    block_store(out, _mm_xor_si128(y, tweak));
    return tweaks[1];
}

/* n blocks in vectors of one block, whatever the core's are: up to five chains of rounds
   fit into the latency of one, and nothing is masked. */
INLINE __m128i xts_few(bool inverse, const struct ctaes_aes_key *key, __m128i tweak, uint8_t *out,
                       const uint8_t *in, int n)
{
    const __m128i *round_keys = inverse ? key->dec : key->enc;
    const uint32_t rounds = key->rounds;
    __m128i s[SHORT_BLOCKS], tweaks[SHORT_BLOCKS + 1];
    block_tweaks_fill(tweaks, n, tweak);
    UNROLL
    for (int i = 0; i < n; i++)
        s[i] = _mm_xor_si128(_mm_xor_si128(tweaks[i], round_keys[0]), block_load(in + 16 * i));
    /* A loop: straight, gcc would keep what these groups share of the key on the stack. */
    for (uint32_t r = 1; r < rounds; r++) {
        UNROLL
        for (int i = 0; i < n; i++)
            s[i] = block_round(inverse, s[i], round_keys[r]);
    }
    UNROLL
    for (int i = 0; i < n; i++) {
        const __m128i k = _mm_xor_si128(round_keys[rounds], tweaks[i]);
        block_store(out + 16 * i,
                    inverse ? _mm_aesdeclast_si128(s[i], k) : _mm_aesenclast_si128(s[i], k));
    }
    return tweaks[n];
}

/* --- Batches --- */

enum { TWEAKS_IN_MEMORY = VEC_BLOCKS < 4 };

/* Makes the compiler load tweaks from memory after this, and not keep what it has
   loaded before: that would be in other memory, for want of registers. */
INLINE void tweaks_forget(void)
{
    if (TWEAKS_IN_MEMORY)
        __asm__ volatile("" : : : "memory");
}

INLINE void tweaks_wipe(vec *tweaks, int n)
{
    UNROLL
    for (int i = 0; i < n; i++)
        tweaks[i] = vec_zero();
    __asm__ volatile("" : : "r"(tweaks) : "memory");
}

/* aes_rounds on a batch; makes the next one's tweaks meanwhile. */
INLINE void xts_rounds(bool inverse, const struct ctaes_aes_key *key, vec *s, const vec *now,
                       vec *next, vec *before)
{
    const __m128i *round_keys = inverse ? key->dec : key->enc;
    UNROLL
    for (int r = 1; r <= VECS; r++) { /* there are nine at least */
        const vec k = vec_set1(round_keys[r]);
        UNROLL
        for (int i = 0; i < VECS; i++)
            s[i] = aes_round(inverse, s[i], k);
        *before = tweaks_next(now, *before, r - 1);
        next[r - 1] = *before;
    }
    for (uint32_t r = VECS + 1; r < key->rounds; r++) {
        const vec k = vec_set1(round_keys[r]);
        UNROLL
        for (int i = 0; i < VECS; i++)
            s[i] = aes_round(inverse, s[i], k);
    }
}

/* One batch or more. Returns the tweak of the block after them. */
INLINE __m128i xts_batches(bool inverse, const struct ctaes_aes_key *key, __m128i tweak,
                           uint8_t *out, const uint8_t *in, size_t nbatches)
{
    vec s[VECS], first[VECS], second[VECS];
    vec *now = first, *next = second;
    tweaks_fill(now, VECS - 1, tweak);
    vec before = now[VECS - 1];
    xts_start(inverse, key, s, now, in, VECS, VEC_BYTES);
    for (size_t left = nbatches; left > 1; left--) {
        tweaks_forget();
        xts_rounds(inverse, key, s, now, next, &before);
        tweaks_forget();
        xts_finish(inverse, key, s, now, out, VECS, VEC_BYTES);
        out += BATCH_BYTES, in += BATCH_BYTES;
        if (TWEAKS_IN_MEMORY) {
            vec *other = now;
            now = next;
            next = other;
        } else {
            UNROLL
            for (int i = 0; i < VECS; i++)
                now[i] = next[i];
        }
        xts_start(inverse, key, s, now, in, VECS, VEC_BYTES);
    }
    tweaks_forget();
    aes_rounds(inverse, s, VECS, key);
    tweaks_forget();
    xts_finish(inverse, key, s, now, out, VECS, VEC_BYTES);
    tweak = vec_block(tweaks_next(now, before, 0));
    if (TWEAKS_IN_MEMORY) {
        tweaks_wipe(first, VECS);
        if (nbatches > 1)
            tweaks_wipe(second, VECS);
    }
    return tweak;
}

INLINE void xts_blocks(bool inverse, const struct ctaes_aes_key *key,
                       const struct ctaes_aes_key *tweak_key, uint8_t tweak[16], uint8_t *out,
                       const uint8_t *in, size_t nblocks)
{
    __m128i t = block_encrypt(tweak_key, block_load(tweak));
    size_t len = 16 * nblocks;
    if (len >= BATCH_BYTES) {
        const size_t whole = len - len % BATCH_BYTES;
        t = xts_batches(inverse, key, t, out, in, whole / BATCH_BYTES);
        out += whole, in += whole, len -= whole;
    }
    if (len > HALF_BYTES) {
        GROUP(VECS / 2, VEC_BYTES, t = xts_group(inverse, key, t, out, in, N, last));
        out += HALF_BYTES, in += HALF_BYTES, len -= HALF_BYTES;
    }
    LAST_GROUP(len, t = xts_group(inverse, key, t, out, in, N, last));
    block_store(tweak, t);
}

/* Units longer than SHORT_BLOCKS: in functions of their own, as short ones need nothing of
   their stack. */
static NOINLINE void xts_encrypt_long(const struct ctaes_aes_key *key,
                                      const struct ctaes_aes_key *tweak_key, uint8_t tweak[16],
                                      uint8_t *out, const uint8_t *in, size_t nblocks)
{
    xts_blocks(false, key, tweak_key, tweak, out, in, nblocks);
}

static NOINLINE void xts_decrypt_long(const struct ctaes_aes_key *key,
                                      const struct ctaes_aes_key *tweak_key, uint8_t tweak[16],
                                      uint8_t *out, const uint8_t *in, size_t nblocks)
{
    xts_blocks(true, key, tweak_key, tweak, out, in, nblocks);
}

/* Units of at most SHORT_BLOCKS blocks; of none, if the mode has a tail to steal for. */
INLINE void xts_short(bool inverse, const struct ctaes_aes_key *key,
                      const struct ctaes_aes_key *tweak_key, uint8_t tweak[16], uint8_t *out,
                      const uint8_t *in, size_t nblocks)
{
    __m128i t = block_encrypt(tweak_key, block_load(tweak));
    if (nblocks == 1)
        t = xts_one(inverse, key, t, out, in);
    else if (nblocks == 2)
        t = xts_few(inverse, key, t, out, in, 2);
    else if (nblocks == 3)
        t = xts_few(inverse, key, t, out, in, 3);
    else if (nblocks == 4)
        t = xts_few(inverse, key, t, out, in, 4);
    block_store(tweak, t);
}

static void xts_encrypt(const struct ctaes_aes_key *key, const struct ctaes_aes_key *tweak_key,
                        uint8_t tweak[16], uint8_t *out, const uint8_t *in, size_t nblocks)
{
    if (nblocks <= SHORT_BLOCKS)
        xts_short(false, key, tweak_key, tweak, out, in, nblocks);
    else
        xts_encrypt_long(key, tweak_key, tweak, out, in, nblocks);
}

static void xts_decrypt(const struct ctaes_aes_key *key, const struct ctaes_aes_key *tweak_key,
                        uint8_t tweak[16], uint8_t *out, const uint8_t *in, size_t nblocks)
{
    if (nblocks <= SHORT_BLOCKS)
        xts_short(true, key, tweak_key, tweak, out, in, nblocks);
    else
        xts_decrypt_long(key, tweak_key, tweak, out, in, nblocks);
}

#endif
