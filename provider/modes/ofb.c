/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OFB (SP 800-38A section 6.4): XOR with E(IV), E(E(IV)), ...
 *
 *   IV ─▶ E ─┬─▶ E ─┬─▶ E ─┬─▶      serial both ways: each block of keystream
 *            ▼      ▼      ▼        is the next one's input
 *    p ────▶ ⊕      ⊕      ⊕ ─▶ c
 *
 * That chain is CBC encryption of zeros, x[i] = E(0 ^ x[i-1]); so CBC makes it,
 * whose cores keep the running block in a register.
 *
 * chain.iv is the keystream block in use, of which the first chain.num bytes
 * are used up; at 0 all 16 are. OpenSSL shows it as the updated IV. It is
 * secret then, and nothing here depends on it.
 */
#include "mode.h"

#include "../../cores/bytes.h"
#include "../../cores/ct.h"

/* Blocks of keystream made before they are used. */
#define CHUNK 64

static void crypt_blocks(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                         struct ctaes_chain *chain, uint8_t *out, const uint8_t *in, size_t nblocks)
{
    uint8_t keystream[CHUNK * 16];
    const size_t used = 16 * (nblocks < CHUNK ? nblocks : CHUNK);
    while (nblocks > 0) {
        const size_t n = nblocks < CHUNK ? nblocks : CHUNK;
        memset(keystream, 0, 16 * n);
        ctaes_mode_cbc.encrypt(core, key, chain, keystream, keystream, 16 * n);
        xor_bytes(out, in, keystream, 16 * n);
        in += 16 * n;
        out += 16 * n;
        nblocks -= n;
    }
    ct_wipe(keystream, used);
}

static void crypt_ofb(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                      struct ctaes_chain *chain, uint8_t *out, const uint8_t *in, size_t len)
{
    /* Without data there may be no memory to point into. */
    if (len > 0 && chain->num != 0) {
        size_t now = 16 - chain->num < len ? 16 - chain->num : len;
        xor_bytes(out, in, chain->iv + chain->num, now);
        chain->num = (chain->num + (uint32_t)now) % 16;
        in += now;
        out += now;
        len -= now;
    }

    const size_t nblocks = len / 16;
    if (nblocks == 1) {
        core->encrypt(key, chain->iv, chain->iv, 1);
        xor_block(out, in, chain->iv);
    } else if (nblocks > 1) {
        crypt_blocks(core, key, chain, out, in, nblocks);
    }
    if (len % 16 != 0) {
        core->encrypt(key, chain->iv, chain->iv, 1);
        xor_bytes(out + 16 * nblocks, in + 16 * nblocks, chain->iv, len % 16);
        chain->num = (uint32_t)(len % 16);
    }
}

const struct ctaes_mode ctaes_mode_ofb = {
    .name = "OFB",
    .kind = CTAES_STREAM,
    .evp_mode = 4,
    .block_size = 1,
    .iv_len = 16,
    .inverse_cipher = false,
    .restarts_iv = true,
    .encrypt = crypt_ofb,
    .decrypt = crypt_ofb,
};
