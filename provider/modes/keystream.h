/* SPDX-License-Identifier: Apache-2.0 */
/* Counter-mode keystream, shared by CTR and GCM. */
#ifndef CTAES_KEYSTREAM_H
#define CTAES_KEYSTREAM_H

#include "mode.h"

/* Adds n to the last four bytes of block, big-endian, modulo 2^32 (SP 800-38D
   inc_32, n times). block may be secret. */
void ctaes_inc32(uint8_t block[16], uint32_t n);

/* ctaes_keystream_xor, for a core without ctr32 or with an extra block. */
void ctaes_keystream_xor_chunks(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                                uint8_t ctr[16], uint8_t *extra, uint8_t *out, const uint8_t *in,
                                size_t len);

/*
 * XORs len bytes of in with the keystream E(ctr), E(ctr + 1), ... as ctr32 of
 * core.h does, by that function if the core has one. If extra isn't NULL, that
 * block is encrypted in place on the way: on a core that works in batches it
 * often costs nothing (GCM's E(K, J0)).
 */
static inline void ctaes_keystream_xor(const struct ctaes_core *core,
                                       const struct ctaes_aes_key *key, uint8_t ctr[16],
                                       uint8_t *extra, uint8_t *out, const uint8_t *in, size_t len)
{
    /* In this header, for short messages: the other way costs 1 KiB of stack and its guard. */
    if (core->ctr32 != NULL && extra == NULL)
        core->ctr32(key, ctr, out, in, len);
    else
        ctaes_keystream_xor_chunks(core, key, ctr, extra, out, in, len);
}

#endif
