/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PMAC (Black and Rogaway, "A Block-Cipher Mode of Operation for
 * Parallelizable Message Authentication", EUROCRYPT 2002).
 *
 *   L = E(K, 0^128)   L(i) = 2^i L   L(-1) = L / 2    in GF(2^128), see doubling.h
 *
 *     m1            m2          last block: whole    m ^ L(-1)
 *     ▼             ▼                       not      m 1 0...0
 *     ^◀─ L(0)      ^◀─ L(0) ^ L(1)         │
 *    E(K)          E(K)                     │
 *     └────── ^ ────┴─── ... ────────── ^ ◀─┘──▶ E(K) ──▶ tag
 *
 * The offset of block i is that of block i - 1 ^ L(ntz(i)), where ntz counts
 * the zeros at the end of i: a Gray code. Block numbers are public.
 *
 * All blocks are independent: a chunk of them is masked into a buffer and
 * given to the core in one call. The last block is treated on its own, so a
 * whole block waits in `pending` until it is known whether more follows.
 *
 * Constant time: branches and addresses depend on lengths and block numbers
 * only.
 */
#include "pmac.h"

#include "doubling.h"

#include <string.h>

/* Blocks encrypted per call of the core: a multiple of every core's batch. */
#define CHUNK 64

void ctaes_pmac_init(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                     struct ctaes_pmac *state)
{
    memset(state, 0, sizeof *state);
    core->encrypt(key, state->l[0], state->l[0], 1);
    halve_block(state->l_inv, state->l[0]);
    for (size_t i = 1; i < CTAES_PMAC_KEPT; i++)
        double_block(state->l[i], state->l[i - 1]);
}

void ctaes_pmac_restart(struct ctaes_pmac *state)
{
    memset(state->offset, 0, sizeof state->offset);
    memset(state->sum, 0, sizeof state->sum);
    state->nblocks = 0;
    state->num = 0;
}

/* L(zeros) where it isn't kept. */
static void make_l(const struct ctaes_pmac *state, unsigned int zeros, uint8_t l[16])
{
    memcpy(l, state->l[CTAES_PMAC_KEPT - 1], 16);
    for (unsigned int i = CTAES_PMAC_KEPT - 1; i < zeros; i++)
        double_block(l, l);
}

/* Writes n blocks of in, masked with their offsets, to out. */
static void mask_blocks(struct ctaes_pmac *state, uint8_t *out, const uint8_t *in, size_t n)
{
    block_word offset = load_block_word(state->offset); /* in a register: a chain */
    const uint64_t before = state->nblocks;
    for (size_t i = 0; i < n; i++) {
        unsigned int zeros = (unsigned int)__builtin_ctzll(before + i + 1);
        if (zeros < CTAES_PMAC_KEPT) {
            offset ^= load_block_word(state->l[zeros]);
        } else {
            uint8_t made[16];
            make_l(state, zeros, made);
            offset ^= load_block_word(made);
            ct_wipe(made, sizeof made);
        }
        store_block_word(out + 16 * i, load_block_word(in + 16 * i) ^ offset);
    }
    store_block_word(state->offset, offset);
    state->nblocks = before + n;
}

/* Adds n blocks to the sum. */
static void sum_blocks(struct ctaes_pmac *state, const uint8_t *in, size_t n)
{
    block_word sum = load_block_word(state->sum);
    for (size_t i = 0; i < n; i++)
        sum ^= load_block_word(in + 16 * i);
    store_block_word(state->sum, sum);
}

/* Adds nblocks whole blocks, of which none is the last. */
static void add_blocks(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                       struct ctaes_pmac *state, const uint8_t *in, size_t nblocks)
{
    uint8_t buffer[CHUNK * 16];
    size_t used = nblocks < CHUNK ? nblocks : CHUNK;
    while (nblocks > 0) {
        size_t n = nblocks < CHUNK ? nblocks : CHUNK;
        mask_blocks(state, buffer, in, n);
        core->encrypt(key, buffer, buffer, n);
        sum_blocks(state, buffer, n);
        nblocks -= n;
        in += 16 * n;
    }
    ct_wipe(buffer, used * 16);
}

void ctaes_pmac_update(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                       struct ctaes_pmac *state, const uint8_t *in, size_t len)
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
            add_blocks(core, key, state, state->pending, 1);
        }
        size_t nblocks = (len - 1) / 16;
        add_blocks(core, key, state, in, nblocks);
        in += nblocks * 16;
        len -= nblocks * 16;
        state->num = 0;
    }
    memcpy(state->pending + state->num, in, len);
    state->num += (uint32_t)len;
}

void ctaes_pmac_final(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                      struct ctaes_pmac *state, uint8_t tag[16])
{
    uint8_t last[16];
    xor_block(last, state->sum, state->l_inv);
    if (state->num < 16) {
        memcpy(last, state->sum, 16);
        state->pending[state->num] = 0x80;
        memset(state->pending + state->num + 1, 0, 15 - state->num);
    }
    xor_block(last, last, state->pending);
    core->encrypt(key, tag, last, 1);
    ct_wipe(last, sizeof last);
}
