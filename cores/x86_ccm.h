/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CCM's two halves in one pass, for all cores with AES-NI: CTR, and CBC-MAC over
 * the plaintext.
 *
 * CBC-MAC is one chain of rounds through all blocks, as CBC encryption is
 * (x86_aes.h): of the places for AESENC it fills one in eight at most. So one
 * counter block goes through the rounds beside each block of the chain, which
 * takes no longer for it, and wider vectors would be of no use.
 *
 *      encrypting    MAC:    p1   p2   p3   p4
 *                    CTR:    a1   a2   a3   a4
 *
 *      decrypting    MAC:              p1   p2   p3   p4
 *                    CTR:    a1   a2   a3   a4             (a1 and a2 at once)
 *
 * When decrypting, the MAC takes in what CTR puts out. CTR is ahead by two
 * blocks, so that the plaintext is there before the chain wants it.
 *
 * Sources: SP 800-38C; the cipher block chain without additions between the
 * blocks: x86_aes.h.
 *
 * Constant time: no branch and no address depends on anything but lengths.
 */
#ifndef CTAES_X86_CCM_H
#define CTAES_X86_CCM_H

#include "x86_ctr.h"

/* The first state of the counter block that comes next. counter is reversed. */
INLINE __m128i ccm_counter(__m128i *counter, __m128i first_key)
{
    const __m128i s = _mm_xor_si128(first_key, block_reverse(*counter));
    *counter = _mm_add_epi32(*counter, block_from(0, 1));
    return s;
}

/* All rounds between the first key addition and the last round, of two blocks. */
INLINE void ccm_rounds(const struct ctaes_aes_key *key, __m128i *x, __m128i *s)
{
    const uint32_t rounds = key->rounds;
    for (uint32_t r = 1; r < rounds; r++) {
        const __m128i k = key->enc[r];
        *x = _mm_aesenc_si128(*x, k);
        *s = _mm_aesenc_si128(*s, k);
    }
}

static void ccm_encrypt(const struct ctaes_aes_key *key, uint8_t ctr[16], uint8_t mac[16],
                        uint8_t *out, const uint8_t *in, size_t nblocks)
{
    if (nblocks == 0)
        return;
    const __m128i first_key = key->enc[0], last_key = key->enc[key->rounds];
    const __m128i between = _mm_xor_si128(first_key, last_key);
    __m128i counter = block_reverse(block_load(ctr));
    __m128i p = block_load(in);
    __m128i x = _mm_xor_si128(block_load(mac), _mm_xor_si128(first_key, p));
    counter_add(ctr, nblocks);
    for (;;) {
        __m128i s = ccm_counter(&counter, first_key);
        ccm_rounds(key, &x, &s);
        block_store(out, _mm_aesenclast_si128(s, _mm_xor_si128(last_key, p)));
        if (--nblocks == 0)
            break;
        in += 16;
        out += 16;
        p = block_load(in);
        x = _mm_aesenclast_si128(x, _mm_xor_si128(between, p));
    }
    block_store(mac, _mm_aesenclast_si128(x, last_key));
}

static void ccm_decrypt(const struct ctaes_aes_key *key, uint8_t ctr[16], uint8_t mac[16],
                        uint8_t *out, const uint8_t *in, size_t nblocks)
{
    if (nblocks == 0)
        return;
    const __m128i first_key = key->enc[0], last_key = key->enc[key->rounds];
    const __m128i between = _mm_xor_si128(first_key, last_key);
    __m128i counter = block_reverse(block_load(ctr));
    counter_add(ctr, nblocks);

    __m128i s = ccm_counter(&counter, first_key), t = ccm_counter(&counter, first_key);
    ccm_rounds(key, &s, &t);
    __m128i p = _mm_aesenclast_si128(s, _mm_xor_si128(last_key, block_load(in)));
    __m128i x = _mm_xor_si128(block_load(mac), _mm_xor_si128(first_key, p));
    /* in is read before out, which may be 16 bytes before it, is written. */
    __m128i next = t;
    if (nblocks > 1)
        next = _mm_aesenclast_si128(t, _mm_xor_si128(last_key, block_load(in + 16)));
    block_store(out, p);
    for (; nblocks > 1; nblocks--) {
        /* x is before its rounds, next the block after it. */
        s = ccm_counter(&counter, first_key);
        ccm_rounds(key, &x, &s);
        x = _mm_aesenclast_si128(x, _mm_xor_si128(between, next));
        in += 16;
        out += 16;
        p = next;
        if (nblocks > 2)
            next = _mm_aesenclast_si128(s, _mm_xor_si128(last_key, block_load(in + 16)));
        block_store(out, p);
    }
    block_store(mac, block_encrypt(key, _mm_xor_si128(first_key, x)));
}

#endif
