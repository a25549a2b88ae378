/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ECB (SP 800-38A section 6.1): each block on its own, which is just what a
 * core does. It hides nothing but the blocks' contents; it is here because
 * programs build other things from it (QUIC's header protection, DRBGs).
 */
#include "mode.h"

static void encrypt_ecb(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                        struct ctaes_chain *chain, uint8_t *out, const uint8_t *in, size_t len)
{
    (void)chain;
    core->encrypt(key, out, in, len / 16);
}

static void decrypt_ecb(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                        struct ctaes_chain *chain, uint8_t *out, const uint8_t *in, size_t len)
{
    (void)chain;
    core->decrypt(key, out, in, len / 16);
}

const struct ctaes_mode ctaes_mode_ecb = {
    .name = "ECB",
    .kind = CTAES_BLOCK,
    .evp_mode = 1,
    .block_size = 16,
    .iv_len = 0,
    .inverse_cipher = true,
    .encrypt = encrypt_ecb,
    .decrypt = decrypt_ecb,
};
