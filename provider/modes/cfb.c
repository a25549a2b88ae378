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

/* The next len bytes of the current block, of which there are as many; chain.num of it
   are done. */
static void crypt_part(struct ctaes_chain *chain, bool encrypting, uint8_t *out, const uint8_t *in,
                       size_t len)
{
    uint8_t *fed = chain->iv + chain->num;
    for (size_t i = 0; i < len; i++) {
        uint8_t before = in[i], after = (uint8_t)(before ^ fed[i]);
        fed[i] = encrypting ? after : before;
        out[i] = after;
    }
    chain->num = (chain->num + (uint32_t)len) % 16;
}

/* A block of its own, without the way through a buffer. */
static void crypt_block(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                        struct ctaes_chain *chain, bool encrypting, uint8_t *out, const uint8_t *in)
{
    core->encrypt(key, chain->iv, chain->iv, 1);
    const block_word before = load_block_word(in), after = before ^ load_block_word(chain->iv);
    store_block_word(chain->iv, encrypting ? after : before);
    store_block_word(out, after);
}

static void encrypt_blocks(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                           struct ctaes_chain *chain, uint8_t *out, const uint8_t *in,
                           size_t nblocks)
{
    uint8_t keystream[CHUNK * 16];
    const size_t used = 16 * (nblocks < CHUNK ? nblocks : CHUNK);
    while (nblocks > 0) {
        const size_t n = nblocks < CHUNK ? nblocks : CHUNK, last = 16 * (n - 1);
        core->encrypt(key, chain->iv, chain->iv, 1);
        memcpy(keystream, chain->iv, 16);
        if (last > 0)
            ctaes_mode_cbc.encrypt(core, key, chain, keystream + 16, in, last);
        xor_bytes(out, in, keystream, 16 * n);
        memcpy(chain->iv, out + last, 16);
        in += 16 * n;
        out += 16 * n;
        nblocks -= n;
    }
    ct_wipe(keystream, used);
}

/* Here a last block of fewer bytes comes with the others: it costs nothing if the core's batch
   has room. */
static void decrypt_blocks(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                           struct ctaes_chain *chain, uint8_t *out, const uint8_t *in, size_t len)
{
    uint8_t keystream[CHUNK * 16];
    const size_t used = len < sizeof keystream ? len + (0 - len) % 16 : sizeof keystream;
    while (len > 0) {
        const size_t now = len < sizeof keystream ? len : sizeof keystream;
        const size_t part = now % 16, whole = now - part;
        memcpy(keystream, chain->iv, 16);
        memcpy(keystream + 16, in, part == 0 ? whole - 16 : whole);
        core->encrypt(key, keystream, keystream, whole / 16 + (part != 0));
        if (part == 0)
            memcpy(chain->iv, in + whole - 16, 16);
        else
            memcpy(chain->iv, keystream + whole, 16);
        xor_bytes(out, in, keystream, whole);
        crypt_part(chain, false, out + whole, in + whole, part);
        in += now;
        out += now;
        len -= now;
    }
    ct_wipe(keystream, used);
}

static void crypt_cfb(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                      struct ctaes_chain *chain, bool encrypting, uint8_t *out, const uint8_t *in,
                      size_t len)
{
    if (len == 0)
        return; /* there may be no memory to point into */
    if (chain->num != 0) {
        const size_t now = 16 - chain->num < len ? 16 - chain->num : len;
        crypt_part(chain, encrypting, out, in, now);
        in += now;
        out += now;
        len -= now;
    }
    if (len > 16 && !encrypting) {
        decrypt_blocks(core, key, chain, out, in, len);
        return;
    }
    const size_t nblocks = len / 16;
    if (nblocks == 1)
        crypt_block(core, key, chain, encrypting, out, in);
    else if (nblocks > 1)
        encrypt_blocks(core, key, chain, out, in, nblocks);
    if (len % 16 != 0) {
        core->encrypt(key, chain->iv, chain->iv, 1);
        crypt_part(chain, encrypting, out + 16 * nblocks, in + 16 * nblocks, len % 16);
    }
}

static void encrypt_cfb(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                        struct ctaes_chain *chain, uint8_t *out, const uint8_t *in, size_t len)
{
    crypt_cfb(core, key, chain, true, out, in, len);
}

static void decrypt_cfb(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                        struct ctaes_chain *chain, uint8_t *out, const uint8_t *in, size_t len)
{
    crypt_cfb(core, key, chain, false, out, in, len);
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
