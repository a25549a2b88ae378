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
 * least, or with the tag if there is no data. AAD or ciphertext that doesn't
 * fill a block waits in `pending` until it does or until the padding is due.
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

static void set_gcm_key(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                        struct ctaes_ghash_key *hk)
{
    uint8_t h[16] = {0};
    core->encrypt(key, h, h, 1);
    core->ghash_init(hk, h);
    ct_wipe(h, sizeof h);
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
        uint8_t *j0 = state->tag_mask;
        size_t tail = iv_len % 16;
        uint8_t block[32] = {0};
        memset(j0, 0, 16);
        core->ghash(hk, j0, iv, iv_len / 16);
        if (tail > 0)
            memcpy(block, iv + (iv_len - tail), tail);
        store_be64(block + 24, (uint64_t)iv_len * 8);
        core->ghash(hk, j0, tail > 0 ? block : block + 16, tail > 0 ? 2 : 1);
        memcpy(state->ctr, j0, 16);
        ctaes_inc32(state->ctr, 1);
    }
    memset(state->y, 0, 16);
    state->aad_len = 0;
    state->data_len = 0;
    state->tag_mask_ready = false;
    state->keystream_valid = false;
}

/* Appends len bytes to the current run of GHASH's input, of which so_far bytes
   came before: AAD or ciphertext, either starts at a block boundary. */
static void hash_bytes(const struct ctaes_core *core, struct ctaes_ghash_key *hk,
                       struct ctaes_aead *state, uint64_t so_far, const uint8_t *in, size_t len)
{
    size_t used = (size_t)(so_far % 16);
    if (used != 0) {
        size_t now = 16 - used < len ? 16 - used : len;
        memcpy(state->pending + used, in, now);
        if (used + now < 16)
            return;
        core->ghash(hk, state->y, state->pending, 1);
        in += now;
        len -= now;
    }
    core->ghash(hk, state->y, in, len / 16);
    if (len % 16 != 0)
        memcpy(state->pending, in + (len - len % 16), len % 16);
}

/* Copies the first len bytes of a block, 1 to 15, and fills up with zeros. The
   bytes are AAD or ciphertext, so neither they nor len are secret. */
static void copy_padded(uint8_t out[16], const uint8_t in[16], size_t len)
{
    static const uint8_t ones_then_zeros[32] = {255, 255, 255, 255, 255, 255, 255, 255,
                                                255, 255, 255, 255, 255, 255, 255, 255};
    block_word block, mask;
    memcpy(&block, in, 16);
    memcpy(&mask, ones_then_zeros + 16 - len, 16);
    block &= mask;
    memcpy(out, &block, 16);
}

/* Hashes the block that so_far bytes have begun, if any, padded with zeros. */
static void pad_pending(const struct ctaes_core *core, struct ctaes_ghash_key *hk,
                        struct ctaes_aead *state, uint64_t so_far)
{
    size_t used = (size_t)(so_far % 16);
    if (used != 0) {
        uint8_t block[16];
        copy_padded(block, state->pending, used);
        core->ghash(hk, state->y, block, 1);
    }
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

/* Goes on with a block of which an earlier call used the first bytes: returns
   how many of len bytes it took. */
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

static enum ctaes_status crypt_gcm(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                                   struct ctaes_ghash_key *hk, struct ctaes_aead *state,
                                   uint8_t *out, const uint8_t *in, size_t len, bool encrypting)
{
    if (len > MAX_DATA - state->data_len)
        return CTAES_TOO_LONG;
    if (len == 0)
        return CTAES_OK;
    if (state->data_len == 0)
        pad_pending(core, hk, state, state->aad_len);
    if (state->data_len % 16 != 0) {
        size_t now = continue_block(core, key, hk, state, out, in, len, encrypting);
        in += now;
        out += now;
        len -= now;
    }

    uint8_t *mask = state->tag_mask_ready || len == 0 ? NULL : state->tag_mask;
    void (*fused)(const struct ctaes_aes_key *, struct ctaes_ghash_key *, uint8_t *, uint8_t *,
                  uint8_t *, uint8_t *, const uint8_t *, size_t) =
        encrypting ? core->gcm_encrypt : core->gcm_decrypt;
    size_t chunk = fused != NULL ? len : CHUNK;
    while (len > 0) {
        size_t now = len < chunk ? len : chunk;
        if (!encrypting && now % 16 != 0)
            memcpy(state->pending, in + (now - now % 16), now % 16);
        if (fused != NULL) {
            fused(key, hk, state->ctr, state->y, mask, out, in, now);
        } else if (encrypting) {
            ctaes_keystream_xor(core, key, state->ctr, mask, out, in, now);
            core->ghash(hk, state->y, out, now / 16);
        } else {
            core->ghash(hk, state->y, in, now / 16);
            ctaes_keystream_xor(core, key, state->ctr, mask, out, in, now);
        }
        if (encrypting && now % 16 != 0)
            memcpy(state->pending, out + (now - now % 16), now % 16);
        state->data_len += now;
        state->tag_mask_ready = true;
        mask = NULL;
        in += now;
        out += now;
        len -= now;
    }
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
    /* The padded last block and the block of lengths go to GHASH in one call,
       so that a core with aggregated reduction reduces once. */
    uint64_t run = state->data_len != 0 ? state->data_len : state->aad_len;
    size_t used = (size_t)(run % 16);
    uint8_t blocks[32];
    if (used != 0)
        copy_padded(blocks, state->pending, used);
    store_be64_pair(blocks + 16, state->aad_len * 8, state->data_len * 8);
    core->ghash(hk, state->y, used != 0 ? blocks : blocks + 16, used != 0 ? 2 : 1);
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
