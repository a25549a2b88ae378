/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CMAC (SP 800-38B, RFC 4493): a tag of 16 bytes over a message of any length.
 *
 * A message is any number of ctaes_cmac_update, then ctaes_cmac_final; an
 * empty message needs no update. ctaes_cmac_restart starts another one under
 * the same key. Lengths are public; keys, messages, the state and the tag are
 * secret. The state is flat: copying its bytes copies the message so far, and
 * wiping them destroys it, which is its owner's to do.
 */
#ifndef CTAES_CMAC_H
#define CTAES_CMAC_H

#include "../../cores/core.h"

struct ctaes_cmac {
    uint8_t k1[16];      /* masks a last block that is whole: secret */
    uint8_t k2[16];      /* masks a last block that was padded: secret */
    uint8_t chain[16];   /* the CBC chain over all blocks before pending: secret */
    uint8_t pending[16]; /* the block that may be the last one: secret */
    uint32_t num;        /* bytes in pending: 1 to 16; 0 as long as the message is empty */
};

/* Computes the subkeys from the expanded key, once for each key, and starts a
   message. Writes the whole of state. */
void ctaes_cmac_init(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                     struct ctaes_cmac *state);

/* Forgets the message, whole or in part, and starts another. */
void ctaes_cmac_restart(struct ctaes_cmac *state);

/* Takes len more bytes of the message, any number of them. */
void ctaes_cmac_update(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                       struct ctaes_cmac *state, const uint8_t *in, size_t len);

/*
 * Computes the tag. tag may lie anywhere, but not in state. The chain goes on
 * from the tag with the padded block still pending, as it does in the default
 * provider, where nothing stops a caller from going on; that is a CMAC of
 * nothing, and ctaes_cmac_restart must come before the next message.
 */
void ctaes_cmac_final(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                      struct ctaes_cmac *state, uint8_t tag[16]);

#endif
