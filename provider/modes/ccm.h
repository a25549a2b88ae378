/* SPDX-License-Identifier: Apache-2.0 */
/* CCM (SP 800-38C, RFC 3610): what ccm.c offers. The rules of mode.h hold. */
#ifndef CTAES_CCM_H
#define CTAES_CCM_H

#include "mode.h"

enum { CTAES_CCM_MIN_NONCE = 7, CTAES_CCM_MAX_NONCE = 13 }; /* bytes */

/* The most bytes of one message: its counter blocks differ in their last 32
   bits alone, and the first of them makes the tag. */
#define CTAES_CCM_MAX_DATA ((UINT64_C(1) << 36) - 32)

/* What CCM keeps of one message. */
struct ctaes_ccm {
    uint8_t ctr[16];      /* the counter block of the data's first block; public */
    uint8_t mac[16];      /* CBC-MAC's state: secret */
    uint8_t tag_mask[16]; /* E(K, counter block 0): secret */
};

/*
 * Starts a message: a nonce of nonce_len bytes, 7 to 13; a tag of tag_len
 * bytes, 4, 6, ... 16; data_len bytes of data, below 2^(8 (15 - nonce_len)) and
 * at most CTAES_CCM_MAX_DATA; aad_len bytes of AAD. All of them but AAD and data
 * themselves go into the first block, so that all must be known by now.
 */
void ctaes_ccm_start(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                     struct ctaes_ccm *state, const uint8_t *nonce, size_t nonce_len,
                     size_t tag_len, uint64_t data_len, const uint8_t *aad, size_t aad_len);

/* Encrypt (decrypt) the message's data, all of it, and write its tag, of which
   the caller uses tag_len bytes. The message is over: the state's secrets are
   wiped. On decryption, out is secret until the caller has compared the tag
   with the one received. */
void ctaes_ccm_encrypt(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                       struct ctaes_ccm *state, uint8_t *out, const uint8_t *in, size_t len,
                       uint8_t tag[16]);
void ctaes_ccm_decrypt(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                       struct ctaes_ccm *state, uint8_t *out, const uint8_t *in, size_t len,
                       uint8_t tag[16]);

#endif
