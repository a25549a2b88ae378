/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CBC with ciphertext stealing (SP 800-38A addendum; CS3 is RFC 3962's CTS).
 * A message of any length from one block on is as long encrypted as it was.
 *
 *          p[n-1]                  p[n], d bytes, filled up with zeros
 *            ▼                        ▼
 *   c[n-2] ─▶⊕─▶ E ─▶ head │ tail ───▶⊕─▶ E ─▶ c[n]
 *                   d bytes  16 - d
 *
 * The tail isn't sent: it comes out again when c[n] is decrypted, because zeros
 * were what it was added to. The head and c[n] are sent in this order (CS1), or
 * the other way round (CS2, CS3). A message of whole blocks is plain CBC, but
 * that CS3 exchanges its last two blocks.
 *
 * All but the last two blocks is CBC. What is done to those depends on the
 * length and the variant, which are public, and on nothing else.
 */
#include "cts.h"

#include "../../cores/bytes.h"
#include "../../cores/ct.h"

/* Returns d, the bytes of the last block: 1 to 16; 0 if the message is plain CBC. */
static size_t last_block_len(enum ctaes_cts_variant variant, size_t len)
{
    if (len % 16 != 0)
        return len % 16;
    return variant == CTAES_CS3 && len > 16 ? 16 : 0;
}

void ctaes_cts_encrypt(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                       enum ctaes_cts_variant variant, struct ctaes_chain *chain, uint8_t *out,
                       const uint8_t *in, size_t len)
{
    size_t d = last_block_len(variant, len), whole = len - d;
    uint8_t last[16] = {0}, head[16];
    memcpy(last, in + whole, d);
    ctaes_mode_cbc.encrypt(core, key, chain, out, in, whole);
    if (d == 0)
        return;

    memcpy(head, chain->iv, 16);
    ctaes_mode_cbc.encrypt(core, key, chain, last, last, 16);
    uint8_t *end = out + whole - 16;
    if (variant == CTAES_CS1) {
        memcpy(end, head, d);
        memcpy(end + d, last, 16);
    } else {
        memcpy(end, last, 16);
        memcpy(end + 16, head, d);
    }
    ct_wipe(head, sizeof head);
}

void ctaes_cts_decrypt(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                       enum ctaes_cts_variant variant, struct ctaes_chain *chain, uint8_t *out,
                       const uint8_t *in, size_t len)
{
    size_t d = last_block_len(variant, len);
    if (d == 0) {
        ctaes_mode_cbc.decrypt(core, key, chain, out, in, len);
        return;
    }
    size_t before = len - d - 16;
    const uint8_t *end = in + before;
    uint8_t head[16], last[16], block[16];
    memcpy(head, variant == CTAES_CS1 ? end : end + 16, d);
    memcpy(last, variant == CTAES_CS1 ? end + d : end, 16);
    ctaes_mode_cbc.decrypt(core, key, chain, out, in, before);

    /* block = (p[n], zeros) ^ (head, tail) */
    core->decrypt(key, block, last, 1);
    memcpy(head + d, block + d, 16 - d);
    xor_block(block, block, head);
    ctaes_mode_cbc.decrypt(core, key, chain, out + before, head, 16);
    memcpy(out + before + 16, block, d);
    memcpy(chain->iv, last, 16);
    ct_wipe(head, sizeof head);
    ct_wipe(block, sizeof block);
}

const struct ctaes_mode ctaes_mode_cts = {
    .name = "CBC-CTS",
    .kind = CTAES_OWN,
    .evp_mode = 2, /* OpenSSL counts it as CBC, and tells them apart by cts */
    .block_size = 16,
    .iv_len = 16,
    .cts = true,
    .inverse_cipher = true,
    .restarts_iv = true,
};
