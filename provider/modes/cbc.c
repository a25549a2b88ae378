/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CBC (SP 800-38A section 6.2).
 *
 *   encryption: serial         c[i] = E(p[i] ^ c[i-1])      c[-1] = IV
 *   decryption: parallel       p[i] = D(c[i]) ^ c[i-1]
 *
 * Decryption hands the core many blocks at once. It must work in place, where
 * writing p[i] destroys c[i], which p[i+1] needs; so a chunk is decrypted into
 * a buffer, and c[i] is saved before p[i] is written.
 */
#include "mode.h"

#include "../../cores/bytes.h"
#include "../../cores/ct.h"

/* Blocks decrypted per call of the core: a multiple of the batch of every core
   that has no cbc_decrypt. */
#define CHUNK 64

static void encrypt_cbc(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                        struct ctaes_chain *chain, uint8_t *out, const uint8_t *in, size_t len)
{
    if (core->cbc_encrypt != NULL) {
        core->cbc_encrypt(key, chain->iv, out, in, len / 16);
        return;
    }
    for (; len >= 16; len -= 16, in += 16, out += 16) {
        xor_block(chain->iv, chain->iv, in);
        core->encrypt(key, chain->iv, chain->iv, 1);
        memcpy(out, chain->iv, 16);
    }
}

static void decrypt_cbc(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                        struct ctaes_chain *chain, uint8_t *out, const uint8_t *in, size_t len)
{
    if (core->cbc_decrypt != NULL) {
        core->cbc_decrypt(key, chain->iv, out, in, len / 16);
        return;
    }
    uint8_t buffer[CHUNK * 16];
    size_t nblocks = len / 16, used = nblocks < CHUNK ? nblocks : CHUNK;
    while (nblocks > 0) {
        size_t n = nblocks < CHUNK ? nblocks : CHUNK;
        core->decrypt(key, buffer, in, n);
        for (size_t i = 0; i < n; i++) {
            uint8_t c[16];
            memcpy(c, in + i * 16, 16);
            xor_block(out + i * 16, buffer + i * 16, chain->iv);
            memcpy(chain->iv, c, 16);
        }
        nblocks -= n;
        in += n * 16;
        out += n * 16;
    }
    ct_wipe(buffer, used * 16);
}

const struct ctaes_mode ctaes_mode_cbc = {
    .name = "CBC",
    .kind = CTAES_BLOCK,
    .evp_mode = 2,
    .block_size = 16,
    .iv_len = 16,
    .inverse_cipher = true,
    .restarts_iv = true,
    .encrypt = encrypt_cbc,
    .decrypt = decrypt_cbc,
};
