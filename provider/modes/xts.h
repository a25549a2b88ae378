/* SPDX-License-Identifier: Apache-2.0 */
/* XTS-AES, a mode of kind CTAES_OWN: one call for one data unit. */
#ifndef CTAES_XTS_H
#define CTAES_XTS_H

#include "mode.h"

/* Bytes of a data unit: at least a block; at most 2^20 blocks (IEEE 1619-2018
   section 5.1, SP 800-38E section 4). */
#define CTAES_XTS_MIN_LEN 16
#define CTAES_XTS_MAX_LEN ((size_t)16 << 20)

/*
 * Encrypts (decrypts) one data unit of len bytes under its tweak iv, which is
 * the number of the data unit, little-endian; public. out may equal in.
 *
 * data_key is Key1 of the standard, which for decryption must have been through
 * the core's prepare_decrypt; tweak_key is Key2. That the two differ is the
 * caller's to check.
 *
 * len is CTAES_XTS_MIN_LEN to CTAES_XTS_MAX_LEN; for any other nothing is done
 * and false returned.
 */
bool ctaes_xts_crypt(const struct ctaes_core *core, const struct ctaes_aes_key *data_key,
                     const struct ctaes_aes_key *tweak_key, const uint8_t iv[16], bool encrypting,
                     uint8_t *out, const uint8_t *in, size_t len);

#endif
