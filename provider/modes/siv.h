/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SIV (RFC 5297): deterministic authenticated encryption.
 *
 * A message is ctaes_siv_start, any number of ctaes_siv_aad, and one
 * ctaes_siv_encrypt or ctaes_siv_decrypt, which takes all of the data. Each
 * call of ctaes_siv_aad is one component: "a" and "b" authenticate something
 * else than "ab", and an empty component something else than none.
 *
 * Two expanded keys, from the halves of the algorithm's key: mac_key, the first
 * half, for S2V; ctr_key, the second, for CTR. Keys, data and the state are
 * secret; AAD, lengths and a tag received are public.
 */
#ifndef CTAES_SIV_H
#define CTAES_SIV_H

#include "cmac.h"
#include "mode.h"

#define CTAES_SIV_TAG_LEN 16

/* S2V takes 127 strings at most (RFC 5297 section 2.4): these and the data. */
#define CTAES_SIV_MAX_AADS 126

struct ctaes_siv {
    struct ctaes_cmac cmac; /* under mac_key, between messages: secret */
    uint8_t zero_mac[16];   /* the CMAC of a block of zeros: secret */
    uint8_t d[16];          /* S2V's state after the components so far: secret */
    uint32_t aads;          /* components so far */
};

/* Computes what S2V needs from the expanded mac_key, once for each key, and
   starts a message. Writes the whole of siv. */
void ctaes_siv_set_key(const struct ctaes_core *core, const struct ctaes_aes_key *mac_key,
                       struct ctaes_siv *siv);

/* Starts a message. */
void ctaes_siv_start(struct ctaes_siv *siv);

/* Adds a component of len bytes of AAD. CTAES_TOO_LONG if there are too many. */
enum ctaes_status ctaes_siv_aad(const struct ctaes_core *core, const struct ctaes_aes_key *mac_key,
                                struct ctaes_siv *siv, const uint8_t *aad, size_t len);

/*
 * Encrypts len bytes from in to out (out may equal in) and writes the tag, which
 * RFC 5297 calls V and puts in front of the ciphertext. CTAES_TOO_LONG beyond
 * 2^35 bytes. The message is over.
 */
enum ctaes_status ctaes_siv_encrypt(const struct ctaes_core *core,
                                    const struct ctaes_aes_key *mac_key,
                                    const struct ctaes_aes_key *ctr_key, struct ctaes_siv *siv,
                                    uint8_t *out, const uint8_t *in, size_t len,
                                    uint8_t tag[CTAES_SIV_TAG_LEN]);

/*
 * Decrypts in the same way under the tag received, and writes to computed the
 * tag that the plaintext really has: secret, since for a forgery it would be
 * the forger's. Unless the caller finds both equal, it must wipe out.
 */
enum ctaes_status ctaes_siv_decrypt(const struct ctaes_core *core,
                                    const struct ctaes_aes_key *mac_key,
                                    const struct ctaes_aes_key *ctr_key, struct ctaes_siv *siv,
                                    uint8_t *out, const uint8_t *in, size_t len,
                                    const uint8_t received[CTAES_SIV_TAG_LEN],
                                    uint8_t computed[CTAES_SIV_TAG_LEN]);

#endif
