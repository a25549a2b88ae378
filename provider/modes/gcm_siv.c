/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GCM-SIV (RFC 8452): the tag, a MAC over AAD and plaintext, is also the
 * initial counter.
 *
 *   user's key, nonce ─▶ hash key H, AES key K        section 4: 8 bytes from
 *                                                     each of 4 to 6 blocks
 *   S   = POLYVAL(H, AAD 0* || P 0* || [bits of AAD]_64 || [bits of P]_64)
 *   tag = E(K, (S ^ nonce) without the top bit)
 *   C   = P ^ E(K, ctr), E(K, ctr + 1), ...           ctr = tag with the top bit
 *
 * POLYVAL is GHASH with every block's bytes in the other order (appendix A):
 *
 *   POLYVAL(H, X1 ...) = reverse(GHASH(reverse(H) * x, reverse(X1) ...))
 *
 * so the cores' GHASH does it, in its constant time and at its width. `y` is
 * its state as GHASH has it; blocks are reversed into a buffer on the way.
 *
 * The counter is the first 32 bits of the block, little-endian, modulo 2^32.
 * Cores count in the last 32, so counter blocks are made here, many for each
 * call. They come from the tag, which is treated as secret.
 *
 * Constant time: branches and addresses depend on lengths only.
 */
#include "gcm_siv.h"

#include "../../cores/bytes.h"
#include "../../cores/ct.h"

#include <string.h>

/* Section 6: bytes of plaintext, and of AAD. */
#define MAX_LEN (UINT64_C(1) << 36)

/* Blocks per call of the core: a multiple of the batch of every core. */
#define CHUNK 64

/* The most blocks that keys are derived from: 2 for H, 4 for a key of 32 bytes. */
#define MAX_DERIVED 6

/* --- POLYVAL ------------------------------------------------------------------------------- */

/* out = in, the last byte first. out may be in. */
static void reverse_block(uint8_t out[16], const uint8_t in[16])
{
    store_be64_pair(out, load_le64(in + 8), load_le64(in));
}

/* The same for len bytes, 1 to 15, and zeros behind them. */
static void reverse_padded(uint8_t out[16], const uint8_t *in, size_t len)
{
    memset(out, 0, 16);
    memcpy(out, in, len);
    reverse_block(out, out);
}

/* Makes GHASH's key of POLYVAL's: reversed, and times x in GHASH's order of
   bits, where that is a shift to the right. */
static void set_hash_key(const struct ctaes_core *core, struct ctaes_ghash_key *hk,
                         const uint8_t h[16])
{
    uint64_t high = load_le64(h + 8), low = load_le64(h);
    /* The barrier hides that only two values are possible. */
    uint64_t reduce = (uint64_t)((0U - ct_barrier((uint32_t)(low & 1))) & 0xe1000000U) << 32;
    uint8_t times_x[16];
    store_be64_pair(times_x, high >> 1 ^ reduce, low >> 1 | high << 63);
    core->ghash_init(hk, times_x);
    ct_wipe(times_x, sizeof times_x);
}

/* Hashes nblocks blocks. */
static void hash_blocks(const struct ctaes_core *core, struct ctaes_ghash_key *hk, uint8_t y[16],
                        const uint8_t *in, size_t nblocks)
{
    uint8_t reversed[CHUNK * 16];
    size_t used = nblocks < CHUNK ? nblocks : CHUNK;
    while (nblocks > 0) {
        size_t now = nblocks < CHUNK ? nblocks : CHUNK;
        for (size_t i = 0; i < now; i++)
            reverse_block(reversed + i * 16, in + i * 16);
        core->ghash(hk, y, reversed, now);
        in += now * 16;
        nblocks -= now;
    }
    ct_wipe(reversed, used * 16);
}

/* Computes the tag over the AAD so far and len bytes of plaintext. What is left
   of the AAD, the end of the plaintext and the lengths share calls of GHASH
   with whole blocks, so that a core with aggregated reduction reduces once. */
static void compute_tag(const struct ctaes_core *core, const struct ctaes_aes_key *message_key,
                        struct ctaes_ghash_key *hk, const struct ctaes_gcm_siv *state,
                        const uint8_t *plain, size_t len, uint8_t tag[16])
{
    uint8_t blocks[(CHUNK + 3) * 16], y[16];
    size_t n = 0, used = 0, whole = len / 16, aad_tail = (size_t)(state->aad_len % 16);
    memcpy(y, state->y, 16);
    if (aad_tail != 0)
        reverse_padded(blocks + 16 * n++, state->pending, aad_tail);
    for (;;) {
        size_t now = whole < CHUNK ? whole : CHUNK;
        for (size_t i = 0; i < now; i++)
            reverse_block(blocks + 16 * n++, plain + 16 * i);
        plain += now * 16;
        whole -= now;
        if (whole == 0)
            break;
        core->ghash(hk, y, blocks, n);
        used = n > used ? n : used;
        n = 0;
    }
    if (len % 16 != 0)
        reverse_padded(blocks + 16 * n++, plain, len % 16);
    store_be64_pair(blocks + 16 * n++, (uint64_t)len * 8, state->aad_len * 8);
    core->ghash(hk, y, blocks, n);
    used = n > used ? n : used;
    ct_wipe(blocks, used * 16);

    reverse_block(y, y);
    for (size_t i = 0; i < sizeof state->nonce; i++)
        y[i] ^= state->nonce[i];
    y[15] &= 0x7f;
    core->encrypt(message_key, tag, y, 1);
    ct_wipe(y, sizeof y);
}

/* --- The keystream ------------------------------------------------------------------------- */

static void crypt_data(const struct ctaes_core *core, const struct ctaes_aes_key *message_key,
                       const uint8_t tag[16], uint8_t *out, const uint8_t *in, size_t len)
{
    uint8_t buffer[CHUNK * 16];
    size_t used = len / 16 < CHUNK ? (len + 15) / 16 : CHUNK;
    uint32_t count = load_le32(tag);
    const uint64_t low = load_le64(tag) & UINT64_C(0xffffffff00000000);
    const uint64_t high = load_le64(tag + 8) | UINT64_C(1) << 63;
    while (len > 0) {
        size_t now = len < sizeof buffer ? len : sizeof buffer;
        size_t nblocks = (now + 15) / 16;
        for (size_t i = 0; i < nblocks; i++) {
            /* The barrier keeps a compiler from counting the loop by the counter, which
               may be secret, where i would do. */
            store_le64_pair(buffer + i * 16, low | (count + ct_barrier((uint32_t)i)), high);
        }
        core->encrypt(message_key, buffer, buffer, nblocks);
        xor_bytes(out, in, buffer, now);
        count += CHUNK;
        in += now;
        out += now;
        len -= now;
    }
    ct_wipe(buffer, used * 16);
}

/* --- Messages ------------------------------------------------------------------------------ */

void ctaes_gcm_siv_start(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                         size_t key_len, const uint8_t nonce[CTAES_GCM_SIV_NONCE_LEN],
                         struct ctaes_aes_key *message_key, struct ctaes_ghash_key *hk,
                         struct ctaes_gcm_siv *state)
{
    uint8_t blocks[MAX_DERIVED * 16], derived[MAX_DERIVED * 8];
    size_t n = 2 + key_len / 8;
    for (size_t i = 0; i < n; i++) {
        store_le32(blocks + i * 16, (uint32_t)i);
        memcpy(blocks + i * 16 + 4, nonce, CTAES_GCM_SIV_NONCE_LEN);
    }
    core->encrypt(key, blocks, blocks, n);
    for (size_t i = 0; i < n; i++)
        memcpy(derived + i * 8, blocks + i * 16, 8);
    set_hash_key(core, hk, derived);
    core->expand_key(message_key, derived + 16, key_len);
    ct_wipe(blocks, sizeof blocks);
    ct_wipe(derived, sizeof derived);

    memset(state, 0, sizeof *state);
    memcpy(state->nonce, nonce, CTAES_GCM_SIV_NONCE_LEN);
}

enum ctaes_status ctaes_gcm_siv_aad(const struct ctaes_core *core, struct ctaes_ghash_key *hk,
                                    struct ctaes_gcm_siv *state, const uint8_t *aad, size_t len)
{
    if (len > MAX_LEN - state->aad_len)
        return CTAES_TOO_LONG;
    if (len == 0)
        return CTAES_OK;
    size_t used = (size_t)(state->aad_len % 16);
    state->aad_len += len;
    if (used != 0) {
        size_t now = 16 - used < len ? 16 - used : len;
        memcpy(state->pending + used, aad, now);
        if (used + now < 16)
            return CTAES_OK;
        hash_blocks(core, hk, state->y, state->pending, 1);
        aad += now;
        len -= now;
    }
    hash_blocks(core, hk, state->y, aad, len / 16);
    if (len % 16 != 0)
        memcpy(state->pending, aad + (len - len % 16), len % 16);
    return CTAES_OK;
}

enum ctaes_status
ctaes_gcm_siv_encrypt(const struct ctaes_core *core, const struct ctaes_aes_key *message_key,
                      struct ctaes_ghash_key *hk, const struct ctaes_gcm_siv *state, uint8_t *out,
                      const uint8_t *in, size_t len, uint8_t tag[CTAES_GCM_SIV_TAG_LEN])
{
    if (len > MAX_LEN)
        return CTAES_TOO_LONG;
    compute_tag(core, message_key, hk, state, in, len, tag);
    crypt_data(core, message_key, tag, out, in, len);
    return CTAES_OK;
}

enum ctaes_status
ctaes_gcm_siv_decrypt(const struct ctaes_core *core, const struct ctaes_aes_key *message_key,
                      struct ctaes_ghash_key *hk, const struct ctaes_gcm_siv *state, uint8_t *out,
                      const uint8_t *in, size_t len, const uint8_t received[CTAES_GCM_SIV_TAG_LEN],
                      uint8_t computed[CTAES_GCM_SIV_TAG_LEN])
{
    if (len > MAX_LEN)
        return CTAES_TOO_LONG;
    crypt_data(core, message_key, received, out, in, len);
    compute_tag(core, message_key, hk, state, out, len, computed);
    return CTAES_OK;
}

const struct ctaes_mode ctaes_mode_gcm_siv = {
    .name = "GCM-SIV",
    .kind = CTAES_OWN,
    .evp_mode = 0x10005,
    .block_size = 1,
    .iv_len = CTAES_GCM_SIV_NONCE_LEN,
    .aead = true,
    .custom_iv = true,
    .second_key = true,
    .hash_key = true,
    .inverse_cipher = false,
};
