/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GCM-SIV (RFC 8452): authenticated encryption that stands a nonce used twice.
 *
 * A message is ctaes_gcm_siv_start, any number of ctaes_gcm_siv_aad, and one
 * ctaes_gcm_siv_encrypt or ctaes_gcm_siv_decrypt, which takes all of the data.
 * AAD may come in any pieces. Data doesn't change the state: another message
 * under the same nonce, with the same AAD, may follow.
 *
 * Each nonce has two keys of its own, derived from the key that the user has:
 * an AES key and a hash key. Keys, data and the state are secret; nonce, AAD,
 * lengths and a tag received are public.
 */
#ifndef CTAES_GCM_SIV_H
#define CTAES_GCM_SIV_H

#include "mode.h"

#define CTAES_GCM_SIV_TAG_LEN 16
#define CTAES_GCM_SIV_NONCE_LEN 12

struct ctaes_gcm_siv {
    uint8_t nonce[CTAES_GCM_SIV_NONCE_LEN];
    uint8_t y[16];       /* POLYVAL's state, bytes reversed: secret */
    uint8_t pending[16]; /* AAD that doesn't fill a block yet */
    uint64_t aad_len;    /* bytes of AAD so far */
};

/* Derives message_key, of key_len bytes before its expansion, and hk from the
   user's expanded key and the nonce, and starts a message. Writes the whole of
   state. */
void ctaes_gcm_siv_start(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                         size_t key_len, const uint8_t nonce[CTAES_GCM_SIV_NONCE_LEN],
                         struct ctaes_aes_key *message_key, struct ctaes_ghash_key *hk,
                         struct ctaes_gcm_siv *state);

/* Adds len bytes of AAD. CTAES_TOO_LONG beyond 2^36 bytes in all. */
enum ctaes_status ctaes_gcm_siv_aad(const struct ctaes_core *core, struct ctaes_ghash_key *hk,
                                    struct ctaes_gcm_siv *state, const uint8_t *aad, size_t len);

/* Encrypts len bytes from in to out (out may equal in) and writes the tag.
   CTAES_TOO_LONG beyond 2^36 bytes. */
enum ctaes_status
ctaes_gcm_siv_encrypt(const struct ctaes_core *core, const struct ctaes_aes_key *message_key,
                      struct ctaes_ghash_key *hk, const struct ctaes_gcm_siv *state, uint8_t *out,
                      const uint8_t *in, size_t len, uint8_t tag[CTAES_GCM_SIV_TAG_LEN]);

/*
 * Decrypts in the same way under the tag received, and writes to computed the
 * tag that the plaintext really has: secret, since for a forgery it would be
 * the forger's. Unless the caller finds both equal, it must wipe out.
 */
enum ctaes_status
ctaes_gcm_siv_decrypt(const struct ctaes_core *core, const struct ctaes_aes_key *message_key,
                      struct ctaes_ghash_key *hk, const struct ctaes_gcm_siv *state, uint8_t *out,
                      const uint8_t *in, size_t len, const uint8_t received[CTAES_GCM_SIV_TAG_LEN],
                      uint8_t computed[CTAES_GCM_SIV_TAG_LEN]);

#endif
