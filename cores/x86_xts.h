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

static void xts_encrypt(const struct ctaes_aes_key *key, const struct ctaes_aes_key *tweak_key,
                        uint8_t tweak[16], uint8_t *out, const uint8_t *in, size_t nblocks)
{
    xts_blocks(false, key, tweak_key, tweak, out, in, nblocks);
}

static void xts_decrypt(const struct ctaes_aes_key *key, const struct ctaes_aes_key *tweak_key,
                        uint8_t tweak[16], uint8_t *out, const uint8_t *in, size_t nblocks)
{
    xts_blocks(true, key, tweak_key, tweak, out, in, nblocks);
}

#endif
