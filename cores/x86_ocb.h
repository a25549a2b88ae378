/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OCB on many blocks, for vectors of any width (a template as x86_wide.h is).
 *
 * Each block is xored with its mask and the run's offset before the cipher and
 * after it. Both cost nothing beside the rounds: the first key addition's
 * operand is the first round key xor offset, and the last round's is the last
 * round key xor offset xor mask. The masks are in memory, and loaded twice
 * rather than kept over the rounds.
 *
 *      in ^ masks ^ (offset ^ first key) ──▶ rounds ──▶ last round (masks ^ (offset ^ last key))
 *
 * Sources: RFC 7253.
 *
 * Constant time: no branch and no address depends on anything but lengths.
 */
#ifndef CTAES_X86_OCB_H
#define CTAES_X86_OCB_H

#include "ct.h"
#include "x86_wide.h"

INLINE void ocb_group(bool inverse, const struct ctaes_aes_key *key, __m128i offset, vec *sum,
                      const uint8_t *masks, uint8_t *out, const uint8_t *in, int n, size_t last)
{
    const __m128i *round_keys = inverse ? key->dec : key->enc;
    const vec first_key = vec_set1(_mm_xor_si128(offset, round_keys[0]));
    vec s[VECS];
    UNROLL
    for (int i = 0; i < n; i++) {
        const vec x = group_load(in, i, n, last);
        if (!inverse)
            *sum = vec_xor(*sum, x);
        s[i] = vec_xor(vec_xor(first_key, x), group_load(masks, i, n, last));
    }
    aes_rounds(inverse, s, n, key);
    const vec last_key = vec_set1(_mm_xor_si128(offset, round_keys[key->rounds]));
    UNROLL
    for (int i = 0; i < n; i++) {
        const vec mask = group_load(masks, i, n, last);
        const vec x = aes_last_round(inverse, s[i], vec_xor(last_key, mask));
        if (inverse)
            *sum = vec_xor(*sum, i < n - 1 || last == VEC_BYTES ? x : vec_keep(x, last / 16));
        group_store(out, x, i, n, last);
    }
}

INLINE void ocb_crypt(bool inverse, const struct ctaes_aes_key *key, const uint8_t *masks,
                      const uint8_t offset[16], uint8_t sum[16], uint8_t *out, const uint8_t *in,
                      size_t nblocks)
{
    const __m128i o = block_load(offset);
    const uint8_t *const start = in;
    size_t len = 16 * nblocks;
    vec all = vec_zero();
#define OCB_GROUP ocb_group(inverse, key, o, &all, masks + (in - start), out, in, N, last)
    /* Runs are of whole batches mostly: none is left over for the halves. */
    for (; len >= BATCH_BYTES; out += BATCH_BYTES, in += BATCH_BYTES, len -= BATCH_BYTES)
        GROUP(VECS, VEC_BYTES, OCB_GROUP)
    if (len > HALF_BYTES) {
        GROUP(VECS / 2, VEC_BYTES, OCB_GROUP)
        out += HALF_BYTES, in += HALF_BYTES, len -= HALF_BYTES;
    }
    LAST_GROUP(len, OCB_GROUP)
#undef OCB_GROUP
    block_store(sum, _mm_xor_si128(block_load(sum), vec_sum(all)));
}

/*
 * Two layers, as in the bitsliced cores (portable.h): 16 registers of two blocks
 * don't suffice for a batch with its sum, and gcc keeps plaintext on the stack. The
 * second function overwrites where the first one had it. Other widths spill nothing
 * here that is secret.
 */
enum { OCB_FRAME = 576 }; /* bytes; gcc 12 and clang 14 take less */

static __attribute__((noinline)) void ocb_run(bool inverse, const struct ctaes_aes_key *key,
                                              const uint8_t *masks, const uint8_t offset[16],
                                              uint8_t sum[16], uint8_t *out, const uint8_t *in,
                                              size_t nblocks)
{
    if (inverse)
        ocb_crypt(true, key, masks, offset, sum, out, in, nblocks);
    else
        ocb_crypt(false, key, masks, offset, sum, out, in, nblocks);
}

static __attribute__((noinline)) void ocb_wipe_frame(void)
{
    uint8_t region[OCB_FRAME];
    for (size_t i = 0; i < sizeof region; i += 64)
        ct_wipe(region + i, 64);
}

static void ocb_encrypt(const struct ctaes_aes_key *key, const uint8_t *masks,
                        const uint8_t offset[16], uint8_t sum[16], uint8_t *out, const uint8_t *in,
                        size_t nblocks)
{
    ocb_run(false, key, masks, offset, sum, out, in, nblocks);
    if (VEC_BLOCKS == 2)
        ocb_wipe_frame();
}

static void ocb_decrypt(const struct ctaes_aes_key *key, const uint8_t *masks,
                        const uint8_t offset[16], uint8_t sum[16], uint8_t *out, const uint8_t *in,
                        size_t nblocks)
{
    ocb_run(true, key, masks, offset, sum, out, in, nblocks);
    if (VEC_BLOCKS == 2)
        ocb_wipe_frame();
}

#endif
