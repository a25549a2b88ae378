/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SIV (RFC 5297): the tag, a MAC over all AAD and the plaintext, is also the
 * initial counter of CTR.
 *
 *   S2V (section 2.4), 2 being doubling in GF(2^128), see doubling.h:
 *
 *     D = CMAC(0^128)      D = 2 D ^ CMAC(component)     for each component of AAD
 *     V = CMAC(P, its last 16 bytes ^ D)                 16 bytes of plaintext or more
 *     V = CMAC(2 D ^ P 1 0...0)                          less
 *
 *   C = P ^ E(Q), E(Q + 1), ...    Q = V without the top bits of its last two
 *                                  32-bit words
 *
 * With that bit of the last word cleared, 2^31 blocks pass before the low 32
 * bits of the counter wrap. No message here is longer, so they never do, and
 * the addition that cores do (modulo 2^32) is that of the RFC (modulo 2^128).
 *
 * S2V's blocks wait for each other (see cmac.c); CTR's don't. To decrypt is to
 * run CTR first and S2V over what came of it.
 *
 * Constant time: branches and addresses depend on lengths only.
 */
#include "siv.h"

#include "doubling.h"
#include "keystream.h"

#include <string.h>

#define MAX_DATA (UINT64_C(1) << 35)

/* Computes the CMAC of len bytes followed by one block. */
static void mac_message(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                        struct ctaes_cmac *cmac, const uint8_t *in, size_t len,
                        const uint8_t block[16], uint8_t mac[16])
{
    ctaes_cmac_update(core, key, cmac, in, len);
    ctaes_cmac_update(core, key, cmac, block, 16);
    ctaes_cmac_final(core, key, cmac, mac);
    ctaes_cmac_restart(cmac);
}

void ctaes_siv_set_key(const struct ctaes_core *core, const struct ctaes_aes_key *mac_key,
                       struct ctaes_siv *siv)
{
    static const uint8_t zeros[16] = {0};
    ctaes_cmac_init(core, mac_key, &siv->cmac);
    mac_message(core, mac_key, &siv->cmac, NULL, 0, zeros, siv->zero_mac);
    ctaes_siv_start(siv);
}

void ctaes_siv_start(struct ctaes_siv *siv)
{
    memcpy(siv->d, siv->zero_mac, 16);
    siv->aads = 0;
}

enum ctaes_status ctaes_siv_aad(const struct ctaes_core *core, const struct ctaes_aes_key *mac_key,
                                struct ctaes_siv *siv, const uint8_t *aad, size_t len)
{
    if (siv->aads == CTAES_SIV_MAX_AADS)
        return CTAES_TOO_LONG;
    uint8_t mac[16];
    ctaes_cmac_update(core, mac_key, &siv->cmac, aad, len);
    ctaes_cmac_final(core, mac_key, &siv->cmac, mac);
    ctaes_cmac_restart(&siv->cmac);
    double_block(siv->d, siv->d);
    xor_block(siv->d, siv->d, mac);
    ct_wipe(mac, sizeof mac);
    siv->aads++;
    return CTAES_OK;
}

/* The last string of S2V, which gives V. */
static void compute_tag(const struct ctaes_core *core, const struct ctaes_aes_key *mac_key,
                        struct ctaes_siv *siv, const uint8_t *plain, size_t len, uint8_t tag[16])
{
    uint8_t last[16] = {0};
    size_t before = 0;
    if (len >= 16) {
        before = len - 16;
        memcpy(last, plain + before, 16);
    } else {
        if (len > 0)
            memcpy(last, plain, len);
        last[len] = 0x80;
        double_block(siv->d, siv->d);
    }
    xor_block(last, last, siv->d);
    mac_message(core, mac_key, &siv->cmac, plain, before, last, tag);
    ct_wipe(last, sizeof last);
}

static void crypt_data(const struct ctaes_core *core, const struct ctaes_aes_key *ctr_key,
                       const uint8_t tag[16], uint8_t *out, const uint8_t *in, size_t len)
{
    uint8_t ctr[16];
    memcpy(ctr, tag, 16);
    ctr[8] &= 0x7f;
    ctr[12] &= 0x7f;
    ctaes_keystream_xor(core, ctr_key, ctr, NULL, out, in, len);
}

enum ctaes_status ctaes_siv_encrypt(const struct ctaes_core *core,
                                    const struct ctaes_aes_key *mac_key,
                                    const struct ctaes_aes_key *ctr_key, struct ctaes_siv *siv,
                                    uint8_t *out, const uint8_t *in, size_t len,
                                    uint8_t tag[CTAES_SIV_TAG_LEN])
{
    if (len > MAX_DATA)
        return CTAES_TOO_LONG;
    compute_tag(core, mac_key, siv, in, len, tag);
    crypt_data(core, ctr_key, tag, out, in, len);
    return CTAES_OK;
}

enum ctaes_status ctaes_siv_decrypt(const struct ctaes_core *core,
                                    const struct ctaes_aes_key *mac_key,
                                    const struct ctaes_aes_key *ctr_key, struct ctaes_siv *siv,
                                    uint8_t *out, const uint8_t *in, size_t len,
                                    const uint8_t received[CTAES_SIV_TAG_LEN],
                                    uint8_t computed[CTAES_SIV_TAG_LEN])
{
    if (len > MAX_DATA)
        return CTAES_TOO_LONG;
    crypt_data(core, ctr_key, received, out, in, len);
    compute_tag(core, mac_key, siv, out, len, computed);
    return CTAES_OK;
}

const struct ctaes_mode ctaes_mode_siv = {
    .name = "SIV",
    .kind = CTAES_OWN,
    .evp_mode = 0x10004,
    .block_size = 1,
    .iv_len = 0,
    .aead = true,
    .custom_iv = true,
    .second_key = true,
    .inverse_cipher = false,
};
