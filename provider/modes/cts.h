/* SPDX-License-Identifier: Apache-2.0 */
/* CBC with ciphertext stealing: see cts.c. */
#ifndef CTAES_CTS_H
#define CTAES_CTS_H

#include "mode.h"

/* In which order the last two ciphertext blocks are sent (SP 800-38A addendum). */
enum ctaes_cts_variant {
    CTAES_CS1, /* the shortened one first */
    CTAES_CS2, /* the shortened one last; as CS1 if no block is shortened */
    CTAES_CS3  /* the last one first, always: Kerberos */
};

/*
 * Encrypt (decrypt) one message of len bytes, at least 16, with the IV in
 * chain->iv, which becomes the block that was encrypted last. out may equal in,
 * or start before it. For decryption the key has been through the core's
 * prepare_decrypt. Secret: key, and whatever isn't ciphertext.
 */
void ctaes_cts_encrypt(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                       enum ctaes_cts_variant variant, struct ctaes_chain *chain, uint8_t *out,
                       const uint8_t *in, size_t len);
void ctaes_cts_decrypt(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                       enum ctaes_cts_variant variant, struct ctaes_chain *chain, uint8_t *out,
                       const uint8_t *in, size_t len);

#endif
