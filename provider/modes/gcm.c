/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GCM (SP 800-38D): CTR encryption, and GHASH over AAD and ciphertext.
 *
 *   J0  = IV || 0^31 1                      for an IV of 96 bits
 *         GHASH(IV || 0* || [len(IV)]_128)  for any other: secret, since it
 *                                           tells something of H
 *   C   = P ^ E(J0 + 1), E(J0 + 2), ...
 *   tag = E(J0) ^ GHASH(AAD || 0* || C || 0* || [len(AAD)]_64 || [len(C)]_64)
 *
 * E(J0) isn't computed at the start but beside the first data, where it costs
 * least, or with the tag if there is no data.
 *
 * What GHASH takes in waits until there is more of it, in whole blocks and one
 * that isn't full:
 *
 *   waiting:   | AAD 0* | C1 | C2 | C3 0* | lengths |
 *
 * A short message is hashed at its end, all in one run: GHASH's time is the
 * latency of its products and its reduction, once for each run of blocks. A
 * later update of more than a block, or more data than there is room for, empties
 * the place first.
 */
#include "mode.h"

#include "keystream.h"
#include "../../cores/bytes.h"
#include "../../cores/ct.h"

/* 2^39 - 256 bits of plaintext, 2^64 - 1 bits of AAD, so whole bytes below
   2^61: SP 800-38D section 5.2.1.1. */
#define MAX_DATA ((UINT64_C(1) << 36) - 32)
#define MAX_AAD ((UINT64_C(1) << 61) - 1)

/* Bytes after which CTR and GHASH take turns where a core has no fused
   function: large enough for every batch, small enough for any L1 cache. */
#define CHUNK 4096

/* Bytes that may wait to be hashed: a block is left for the lengths. And the
   whole blocks of AAD that leave room for the rest of it and a short message. */
#define ROOM (16 * (CTAES_GCM_WAITING - 1))
#define WAITING_BEFORE_SHORT ((ROOM - CTAES_SHORT) / 16 - 1)

/* What isn't on the way of most messages, and would cost them a stack frame. */
#define NOINLINE __attribute__((noinline))

static void set_gcm_key(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                        struct ctaes_ghash_key *hk)
{
    uint8_t h[16] = {0};
    core->encrypt(key, h, h, 1);
    core->ghash_init(hk, h);
    ct_wipe(h, sizeof h);
}

/* J0 from an IV of any length but 96 bits. */
static NOINLINE void hash_iv(const struct ctaes_core *core, struct ctaes_ghash_key *hk,
                             uint8_t j0[16], const uint8_t *iv, size_t iv_len)
{
    size_t tail = iv_len % 16;
    uint8_t block[32] = {0};
    memset(j0, 0, 16);
    core->ghash(hk, j0, iv, iv_len / 16);
    if (tail > 0)
        memcpy(block, iv + (iv_len - tail), tail);
    store_be64(block + 24, (uint64_t)iv_len * 8);
    core->ghash(hk, j0, tail > 0 ? block : block + 16, tail > 0 ? 2 : 1);
}

static void start_gcm(const struct ctaes_core *core, struct ctaes_ghash_key *hk,
                      struct ctaes_aead *state, const uint8_t *iv, size_t iv_len)
{
    if (iv_len == 12) {
        const uint64_t high = load_be64(iv);
        const uint64_t low = (uint64_t)load_be32(iv + 8) << 32;
        store_be64_pair(state->tag_mask, high, low | 1);
        store_be64_pair(state->ctr, high, low | 2);
    } else {
        hash_iv(core, hk, state->tag_mask, iv, iv_len);
        memcpy(state->ctr, state->tag_mask, 16);
        ctaes_inc32(state->ctr, 1);
    }
    memset(state->y, 0, 16);
    state->aad_len = 0;
    state->data_len = 0;
    state->whole = 0;
    state->tag_mask_ready = false;
    state->keystream_valid = false;
}

/* Hashes the whole blocks that wait. */
static void hash_waiting(const struct ctaes_core *core, struct ctaes_ghash_key *hk,
                         struct ctaes_aead *state)
{
    if (state->whole != 0)
        core->ghash(hk, state->y, state->waiting, state->whole);
    state->whole = 0;
}

/* Appends len bytes to the current run of GHASH's input, of which so_far bytes
   came before: AAD or ciphertext, either starts at a block boundary. */
static void hash_bytes(const struct ctaes_core *core, struct ctaes_ghash_key *hk,
                       struct ctaes_aead *state, uint64_t so_far, const uint8_t *in, size_t len)
{
    size_t used = (size_t)(so_far % 16);
    uint8_t *last = state->waiting + 16 * state->whole;
    if (len <= ROOM - 16 * state->whole - used) {
        copy_bytes(last + used, in, len);
        state->whole += (uint32_t)((used + len) / 16);
        return;
    }
    if (used != 0) {
        memcpy(last + used, in, 16 - used);
        state->whole++;
        in += 16 - used;
        len -= 16 - used;
    }
    hash_waiting(core, hk, state);
    core->ghash(hk, state->y, in, len / 16);
    if (len % 16 != 0)
        memcpy(state->waiting, in + (len - len % 16), len % 16);
}

/* Pads the block that so_far bytes have begun, if any, with zeros. */
static inline void pad_waiting(struct ctaes_aead *state, uint64_t so_far)
{
    static const uint8_t ones_then_zeros[32] = {255, 255, 255, 255, 255, 255, 255, 255,
                                                255, 255, 255, 255, 255, 255, 255, 255};
    size_t used = (size_t)(so_far % 16);
    if (used == 0)
        return;
    uint8_t *last = state->waiting + 16 * state->whole++;
    store_block_word(last, load_block_word(last) & load_block_word(ones_then_zeros + 16 - used));
}

static enum ctaes_status add_gcm_aad(const struct ctaes_core *core, struct ctaes_ghash_key *hk,
                                     struct ctaes_aead *state, const uint8_t *aad, size_t len)
{
    if (state->data_len != 0)
        return CTAES_OUT_OF_ORDER;
    if (len > MAX_AAD - state->aad_len)
        return CTAES_TOO_LONG;
    if (len == 0)
        return CTAES_OK;
    hash_bytes(core, hk, state, state->aad_len, aad, len);
    state->aad_len += len;
    return CTAES_OK;
}

/* Goes on with a block of which earlier calls used the first bytes, or none: returns how many
   of len bytes it took. */
static size_t continue_block(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                             struct ctaes_ghash_key *hk, struct ctaes_aead *state, uint8_t *out,
                             const uint8_t *in, size_t len, bool encrypting)
{
    size_t used = (size_t)(state->data_len % 16);
    size_t now = 16 - used < len ? 16 - used : len;
    if (!state->keystream_valid) {
        memcpy(state->keystream, state->ctr, 16);
        core->encrypt(key, state->keystream, state->keystream, 1);
        state->keystream_valid = true;
    }
    if (encrypting) {
        xor_bytes(out, in, state->keystream + used, now);
        hash_bytes(core, hk, state, state->data_len, out, now);
    } else {
        hash_bytes(core, hk, state, state->data_len, in, now);
        xor_bytes(out, in, state->keystream + used, now);
    }
    if (used + now == 16) {
        ctaes_inc32(state->ctr, 1);
        ct_wipe(state->keystream, sizeof state->keystream);
        state->keystream_valid = false;
    }
    state->data_len += now;
    return now;
}

/* CTR and GHASH in one pass over len bytes that begin a block. */
static void crypt_fused(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                        struct ctaes_ghash_key *hk, struct ctaes_aead *state, uint8_t *out,
                        const uint8_t *in, size_t len, bool encrypting)
{
    uint8_t *mask = state->tag_mask_ready ? NULL : state->tag_mask;
    size_t tail = len % 16;
    hash_waiting(core, hk, state);
    if (!encrypting && tail != 0)
        memcpy(state->waiting, in + (len - tail), tail);
    (encrypting ? core->gcm_encrypt : core->gcm_decrypt)(key, hk, state->ctr, state->y, mask, out,
                                                         in, len);
    if (encrypting && tail != 0)
        memcpy(state->waiting, out + (len - tail), tail);
    state->data_len += len;
    state->tag_mask_ready = true;
}

/* The same in turns. */
static void crypt_and_hash(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                           struct ctaes_ghash_key *hk, struct ctaes_aead *state, uint8_t *out,
                           const uint8_t *in, size_t len, bool encrypting)
{
    while (len > 0) {
        size_t now = len < CHUNK ? len : CHUNK;
        if (!encrypting)
            hash_bytes(core, hk, state, state->data_len, in, now);
        ctaes_keystream_xor(core, key, state->ctr, state->tag_mask_ready ? NULL : state->tag_mask,
                            out, in, now);
        if (encrypting)
            hash_bytes(core, hk, state, state->data_len, out, now);
        state->data_len += now;
        state->tag_mask_ready = true;
        in += now;
        out += now;
        len -= now;
    }
}

/* Any update, while crypt_gcm has a shorter way for most. */
static NOINLINE enum ctaes_status crypt_any(const struct ctaes_core *core,
                                            const struct ctaes_aes_key *key,
                                            struct ctaes_ghash_key *hk, struct ctaes_aead *state,
                                            uint8_t *out, const uint8_t *in, size_t len,
                                            bool encrypting)
{
    if (len > MAX_DATA - state->data_len)
        return CTAES_TOO_LONG;
    if (len == 0)
        return CTAES_OK;
    if (state->data_len == 0)
        pad_waiting(state, state->aad_len);
    const bool in_pieces = state->data_len != 0;
    while (len > 0 && (state->data_len % 16 != 0 || (in_pieces && len <= 16))) {
        size_t now = continue_block(core, key, hk, state, out, in, len, encrypting);
        in += now;
        out += now;
        len -= now;
    }
    if (len == 0)
        return CTAES_OK;
    ((encrypting ? core->gcm_encrypt : core->gcm_decrypt) != NULL ? crypt_fused : crypt_and_hash)(
        core, key, hk, state, out, in, len, encrypting);
    return CTAES_OK;
}

static inline enum ctaes_status crypt_gcm(const struct ctaes_core *core,
                                          const struct ctaes_aes_key *key,
                                          struct ctaes_ghash_key *hk, struct ctaes_aead *state,
                                          uint8_t *out, const uint8_t *in, size_t len,
                                          bool encrypting)
{
    const bool fits = len != 0 && len <= CTAES_SHORT && state->whole <= WAITING_BEFORE_SHORT;
    if (core->gcm_short == NULL || !fits || state->data_len != 0)
        return crypt_any(core, key, hk, state, out, in, len, encrypting);
    pad_waiting(state, state->aad_len);
    core->gcm_short(key, state->ctr, state->tag_mask, state->waiting + 16 * state->whole, out, in,
                    len, encrypting);
    state->whole += (uint32_t)(len / 16);
    state->data_len = len;
    state->tag_mask_ready = true;
    return CTAES_OK;
}

static enum ctaes_status encrypt_gcm(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                                     struct ctaes_ghash_key *hk, struct ctaes_aead *state,
                                     uint8_t *out, const uint8_t *in, size_t len)
{
    return crypt_gcm(core, key, hk, state, out, in, len, true);
}

static enum ctaes_status decrypt_gcm(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                                     struct ctaes_ghash_key *hk, struct ctaes_aead *state,
                                     uint8_t *out, const uint8_t *in, size_t len)
{
    return crypt_gcm(core, key, hk, state, out, in, len, false);
}

static void finish_gcm(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                       struct ctaes_ghash_key *hk, struct ctaes_aead *state, uint8_t tag[16])
{
    pad_waiting(state, state->data_len != 0 ? state->data_len : state->aad_len);
    store_be64_pair(state->waiting + 16 * state->whole, state->aad_len * 8, state->data_len * 8);
    core->ghash(hk, state->y, state->waiting, state->whole + 1);
    if (!state->tag_mask_ready)
        core->encrypt(key, state->tag_mask, state->tag_mask, 1);
    xor_block(tag, state->y, state->tag_mask);
    ct_wipe(state, sizeof *state);
}

const struct ctaes_mode ctaes_mode_gcm = {
    .name = "GCM",
    .kind = CTAES_AEAD,
    .evp_mode = 6,
    .block_size = 1,
    .iv_len = 12,
    .aead = true,
    .custom_iv = true,
    .hash_key = true,
    .inverse_cipher = false,
    .aead_set_key = set_gcm_key,
    .aead_start = start_gcm,
    .aead_aad = add_gcm_aad,
    .aead_encrypt = encrypt_gcm,
    .aead_decrypt = decrypt_gcm,
    .aead_finish = finish_gcm,
};
