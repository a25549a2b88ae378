/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PKCS#7 padding (RFC 5652 section 6.3): n bytes of value n, 1 <= n <= 16,
 * fill the last block of 16.
 *
 * Taking it off is where padding oracles come from: whoever learns if, or how
 * early, it fails can decrypt. Here every byte is looked at, whatever the
 * others are, and the verdict is a mask.
 */
#ifndef CTAES_PKCS7_H
#define CTAES_PKCS7_H

#include "../cores/ct.h"

/* Fills block from byte used (0 to 15; public) on. */
static inline void pkcs7_pad(uint8_t block[16], uint32_t used)
{
    for (uint32_t i = used; i < 16; i++)
        block[i] = (uint8_t)(16 - used);
}

/* Checks the padding of block, which is secret. Returns the mask of "good",
   and in *data_len how many bytes come before the padding: 0 to 15, secret,
   and meaningless if the padding isn't good. */
static inline uint32_t pkcs7_check(const uint8_t block[16], uint32_t *data_len)
{
    uint32_t n = block[15];
    uint32_t bad = ct_is_zero(n) | ct_lt(16, n);
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t is_padding = ct_lt(15 - i, n); /* i >= 16 - n */
        bad |= is_padding & ~ct_eq(block[i], n);
    }
    *data_len = (16 - n) & 15;
    return ~bad;
}

#endif
