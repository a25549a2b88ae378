/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CFB with segments of a whole block, CFB128 (SP 800-38A section 6.3).
 *
 *   encryption: serial         c[i] = p[i] ^ E(c[i-1])      c[-1] = IV
 *   decryption: parallel       p[i] = c[i] ^ E(c[i-1])
 *
 * Decryption hands the core many blocks at once: the ciphertext, shifted by one
 * block, is copied to a buffer first, since in place p[i] destroys c[i].
 *
 * Encryption is CBC's chain seen elsewhere. With x[i] = E(c[i-1]), the
 * keystream, x[i+1] = E(p[i] ^ x[i]): CBC encryption of p with the IV x[0]. So
 * CBC makes it, whose cores keep the running block in a register:
 *
 *   IV ─▶ E ─ x[0] ─▶ ⊕ ─▶ E ─ x[1] ─▶ ⊕ ─▶ E ─ x[2] ...
 *              │      ▲         │      ▲
 *              ⊕ ◀── p[0]       ⊕ ◀── p[1]
 *              ▼                ▼
 *             c[0]             c[1]
 *
 * chain.iv is the feedback register as OpenSSL shows it: within a block, the
 * first chain.num bytes are ciphertext, and the others keystream that isn't
 * used yet, secret; else it is the last ciphertext block.
 */
#include "mode.h"

#include "../../cores/bytes.h"
#include "../../cores/ct.h"

/* Blocks of keystream made before they are used: a multiple of the batch of
   every core but the widest. */
#define CHUNK 64

/* Goes on with a block that an earlier call began. Returns the bytes taken. */
static size_t finish_block(struct ctaes_chain *chain, bool encrypting, uint8_t *out,
                           const uint8_t *in, size_t len)
{
    size_t now = 0;
    if (chain->num == 0)
        return 0;
    for (; now < len && chain->num + now < 16; now++) {
        uint8_t *fed = chain->iv + chain->num + now;
        uint8_t before = in[now], after = (uint8_t)(before ^ *fed);
        *fed = encrypting ? after : before;
        out[now] = after;
    }
    chain->num = (chain->num + (uint32_t)now) % 16;
    return now;
}

static void encrypt_cfb(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                        struct ctaes_chain *chain, uint8_t *out, const uint8_t *in, size_t len)
{
    if (len == 0)
        return; /* there may be no memory to point into */
    size_t begun = finish_block(chain, true, out, in, len);
    in += begun;
    out += begun;
    len -= begun;

    uint8_t keystream[CHUNK * 16];
    size_t used = len < sizeof keystream ? len + (0 - len) % 16 : sizeof keystream;
    while (len > 0) {
        size_t now = len < sizeof keystream ? len : sizeof keystream;
        size_t last = (now - 1) / 16 * 16; /* where the last block begins, perhaps a part of one */
        core->encrypt(key, chain->iv, chain->iv, 1);
        memcpy(keystream, chain->iv, 16);
        if (last > 0)
            ctaes_mode_cbc.encrypt(core, key, chain, keystream + 16, in, last);
        xor_bytes(out, in, keystream, now);
        memcpy(chain->iv, out + last, now - last);
        chain->num = (uint32_t)(now % 16);
        in += now;
        out += now;
        len -= now;
    }
    ct_wipe(keystream, used);
}

static void decrypt_cfb(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                        struct ctaes_chain *chain, uint8_t *out, const uint8_t *in, size_t len)
{
    if (len == 0)
        return; /* there may be no memory to point into */
    size_t begun = finish_block(chain, false, out, in, len);
    in += begun;
    out += begun;
    len -= begun;

    uint8_t keystream[CHUNK * 16];
    size_t used = len < sizeof keystream ? len + (0 - len) % 16 : sizeof keystream;
    while (len > 0) {
        size_t now = len < sizeof keystream ? len : sizeof keystream;
        size_t last = (now - 1) / 16 * 16;
        memcpy(keystream, chain->iv, 16);
        memcpy(keystream + 16, in, last);
        core->encrypt(key, keystream, keystream, last / 16 + 1);
        if (now % 16 != 0)
            memcpy(chain->iv, keystream + last, 16);
        memcpy(chain->iv, in + last, now - last);
        xor_bytes(out, in, keystream, now);
        chain->num = (uint32_t)(now % 16);
        in += now;
        out += now;
        len -= now;
    }
    ct_wipe(keystream, used);
}

const struct ctaes_mode ctaes_mode_cfb = {
    .name = "CFB",
    .kind = CTAES_STREAM,
    .evp_mode = 3,
    .block_size = 1,
    .iv_len = 16,
    .inverse_cipher = false,
    .restarts_iv = true,
    .encrypt = encrypt_cfb,
    .decrypt = decrypt_cfb,
};
