/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CMAC (SP 800-38B; RFC 4493 for AES-128).
 *
 *   L = E(K, 0^128)   K1 = 2 L   K2 = 4 L      in GF(2^128), see doubling.h
 *
 *       m1       m2            last block: whole    m ^ K1
 *       │        │             not whole, or none   (m 1 0...0) ^ K2
 *       │  ┌────▶^  ┌── ... ──▶^
 *       ▼  │     ▼  │          ▼
 *      E(K)┘    E(K)┘         E(K) ──▶ tag
 *
 * Every block waits for the one before: CMAC is as slow as CBC encryption, and
 * runs on the same function of the core, whose output has no use here and goes
 * to a buffer that is written over. The last block is treated on its own, so a
 * whole block waits in `pending` until it is known whether more follows.
 *
 * Constant time: branches and addresses depend on lengths only.
 */
#include "cmac.h"

#include "doubling.h"

#include <string.h>

/* Blocks per call of the core: enough that the call costs nothing, and few
   enough that the output, which nobody reads, stays in the first-level cache. */
#define CHUNK 64

void ctaes_cmac_init(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                     struct ctaes_cmac *state)
{
    memset(state, 0, sizeof *state);
    core->encrypt(key, state->k1, state->k1, 1);
    double_block(state->k1, state->k1);
    double_block(state->k2, state->k1);
}

void ctaes_cmac_restart(struct ctaes_cmac *state)
{
    memset(state->chain, 0, sizeof state->chain);
    state->num = 0;
}

/* Brings the chain forward by nblocks blocks of 16 bytes. */
static void chain_blocks(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                         uint8_t chain[16], const uint8_t *in, size_t nblocks)
{
    if (core->cbc_encrypt == NULL || nblocks < 2) {
        for (; nblocks > 0; nblocks--, in += 16) {
            xor_block(chain, chain, in);
            core->encrypt(key, chain, chain, 1);
        }
        return;
    }
    uint8_t unused[CHUNK * 16];
    size_t used = nblocks < CHUNK ? nblocks : CHUNK;
    while (nblocks > 0) {
        size_t n = nblocks < CHUNK ? nblocks : CHUNK;
        core->cbc_encrypt(key, chain, unused, in, n);
        nblocks -= n;
        in += n * 16;
    }
    ct_wipe(unused, used * 16);
}

void ctaes_cmac_update(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                       struct ctaes_cmac *state, const uint8_t *in, size_t len)
{
    if (len == 0)
        return;
    size_t room = 16 - state->num;
    if (len > room) {
        /* What waits isn't the last block. */
        if (state->num != 0) {
            memcpy(state->pending + state->num, in, room);
            in += room;
            len -= room;
            chain_blocks(core, key, state->chain, state->pending, 1);
        }
        size_t nblocks = (len - 1) / 16;
        chain_blocks(core, key, state->chain, in, nblocks);
        in += nblocks * 16;
        len -= nblocks * 16;
        state->num = 0;
    }
    memcpy(state->pending + state->num, in, len);
    state->num += (uint32_t)len;
}

void ctaes_cmac_final(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                      struct ctaes_cmac *state, uint8_t tag[16])
{
    const uint8_t *mask = state->k1;
    if (state->num < 16) {
        mask = state->k2;
        state->pending[state->num] = 0x80;
        memset(state->pending + state->num + 1, 0, 15 - state->num);
    }
    xor_block(state->chain, state->chain, mask);
    chain_blocks(core, key, state->chain, state->pending, 1);
    memcpy(tag, state->chain, 16);
}
