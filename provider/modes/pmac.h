/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PMAC (Black and Rogaway, EUROCRYPT 2002): a tag of 16 bytes over a message
 * of any length, of which all blocks but the last are encrypted in parallel.
 *
 * Used as CMAC is (cmac.h): init, any number of updates, final; restart before
 * the next message. Lengths are public; keys, messages, the state and the tag
 * are secret. The state is flat.
 */
#ifndef CTAES_PMAC_H
#define CTAES_PMAC_H

#include "../../cores/core.h"

/* How many of the L(i) are kept. L(i) is needed for every block whose number is
   a multiple of 2^i: those that aren't kept are made anew once in 2^16 blocks. */
#define CTAES_PMAC_KEPT 16

struct ctaes_pmac {
    uint8_t l[CTAES_PMAC_KEPT][16]; /* L(i) = 2^i L: secret */
    uint8_t l_inv[16];              /* L / 2: secret */
    uint8_t offset[16];             /* of the block before pending: secret */
    uint8_t sum[16];                /* of all encrypted blocks: secret */
    uint8_t pending[16];            /* the block that may be the last one: secret */
    uint64_t nblocks;               /* encrypted so far */
    uint32_t num;                   /* bytes in pending; 0 only if the message is empty */
};

/* Computes the masks from the expanded key, once for each key, and starts a
   message. Writes the whole of state. */
void ctaes_pmac_init(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                     struct ctaes_pmac *state);

/* Forgets the message, whole or in part, and starts another. */
void ctaes_pmac_restart(struct ctaes_pmac *state);

/* Takes len more bytes of the message, any number of them. */
void ctaes_pmac_update(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                       struct ctaes_pmac *state, const uint8_t *in, size_t len);

/* Computes the tag, which may lie anywhere but in state. The message stays as
   it is, padded: ctaes_pmac_restart must come before the next one. */
void ctaes_pmac_final(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                      struct ctaes_pmac *state, uint8_t tag[16]);

#endif
