/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Key wrap (SP 800-38F: KW and KWP; RFC 3394, RFC 5649).
 *
 * One call wraps or unwraps one key; nothing is kept between calls. out may
 * overlap in in any way. Lengths are bytes, public, and checked by the caller;
 * the ICVs (RFC 3394's default 64 bits, RFC 5649's 32, or the caller's) are
 * public; keys, and what is wrapped, are secret.
 *
 * inverse: the AES inverse cipher wraps, and the cipher unwraps, as SP 800-38F
 * section 5.1 allows; whichever uses the inverse cipher wants a key that has
 * been through prepare_decrypt.
 */
#ifndef CTAES_WRAP_H
#define CTAES_WRAP_H

#include "../../cores/core.h"

#include <stdbool.h>

extern const uint8_t ctaes_wrap_icv[8];     /* RFC 3394 section 2.2.3.1 */
extern const uint8_t ctaes_wrap_pad_icv[4]; /* RFC 5649 section 3 */

/* KW. len is a multiple of 8, at least 16; writes len + 8 bytes. */
void ctaes_wrap(const struct ctaes_core *core, const struct ctaes_aes_key *key, bool inverse,
                const uint8_t icv[8], uint8_t *out, const uint8_t *in, size_t len);

/*
 * KW's inverse. len is a multiple of 8, at least 24; writes len - 8 bytes:
 * what was wrapped, or zeros if the ICV isn't there. Returns the mask of "it
 * is", which is secret.
 */
uint32_t ctaes_unwrap(const struct ctaes_core *core, const struct ctaes_aes_key *key, bool inverse,
                      const uint8_t icv[8], uint8_t *out, const uint8_t *in, size_t len);

/* KWP. len is 1 to 2^32 - 9; writes len rounded up to a multiple of 8, and 8
   more. Returns how many. */
size_t ctaes_wrap_pad(const struct ctaes_core *core, const struct ctaes_aes_key *key, bool inverse,
                      const uint8_t icv[4], uint8_t *out, const uint8_t *in, size_t len);

/*
 * KWP's inverse. len is a multiple of 8, 16 to 2^32 - 8; writes len - 8 bytes:
 * what was wrapped with its padding of zeros, or only zeros if ICV, length or
 * padding aren't right. Returns the mask of "they are", and in *padding how
 * many of the bytes are padding, 0 to 7. Both are secret.
 */
uint32_t ctaes_unwrap_pad(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                          bool inverse, const uint8_t icv[4], uint8_t *out, const uint8_t *in,
                          size_t len, uint32_t *padding);

#endif
