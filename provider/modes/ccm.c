/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CCM (SP 800-38C; RFC 3610): CBC-MAC over lengths, AAD and plaintext, and CTR
 * over plaintext and MAC.
 *
 *   B0    │ flags │ nonce │ length of the data │      q = 15 - nonce_len bytes
 *   A_i   │ q - 1 │ nonce │         i          │      the counter blocks
 *
 *   MAC = CBC-MAC(B0, [aad_len] AAD 0*, P 0*)
 *   C   = P ^ E(A_1), E(A_2), ...
 *   tag = MAC ^ E(A_0)                                the first tag_len bytes
 *
 * The MAC is one chain of encryptions, each of which waits for the one before:
 * it takes nearly all of the time. The counter blocks wait for nothing, so data
 * goes in chunks through the two in turn, each so short that a CPU which
 * executes out of order still has the MAC of one chunk in flight when the
 * counter blocks of the next come along, and does them in between:
 *
 *      MAC   ├─── chunk 1 ───┼─── chunk 2 ───┼─── chunk 3 ───┤
 *      CTR     ├1┤             ├2┤             ├3┤
 *
 * Constant time: branches and addresses depend on lengths only.
 */
#include "ccm.h"

#include "keystream.h"
#include "../../cores/bytes.h"
#include "../../cores/ct.h"

/* Bytes of data that CTR and MAC take in turn. */
#define CHUNK 512

/* AAD below this many bytes has its length in 2 bytes; SP 800-38C, A.2.2. */
#define SHORT_AAD 0xff00

/* Brings the MAC forward by nblocks blocks of 16 bytes. */
static void mac_blocks(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                       uint8_t mac[16], const uint8_t *in, size_t nblocks)
{
    if (core->cbc_encrypt == NULL || nblocks == 1) {
        for (; nblocks > 0; nblocks--, in += 16) {
            xor_block(mac, mac, in);
            core->encrypt(key, mac, mac, 1);
        }
        return;
    }
    /* CBC-MAC is CBC encryption of which only the last block is wanted. */
    uint8_t unused[CHUNK];
    size_t used = nblocks < CHUNK / 16 ? nblocks : CHUNK / 16;
    while (nblocks > 0) {
        size_t now = nblocks < CHUNK / 16 ? nblocks : CHUNK / 16;
        core->cbc_encrypt(key, mac, unused, in, now);
        in += now * 16;
        nblocks -= now;
    }
    ct_wipe(unused, used * 16);
}

/* The same for len bytes, the last block filled up with zeros. */
static void mac_bytes(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                      uint8_t mac[16], const uint8_t *in, size_t len)
{
    mac_blocks(core, key, mac, in, len / 16);
    if (len % 16 != 0) {
        xor_bytes(mac, mac, in + (len - len % 16), len % 16);
        core->encrypt(key, mac, mac, 1);
    }
}

/* AAD begins with its own length, in 2, 6 or 10 bytes. */
static void mac_aad(const struct ctaes_core *core, const struct ctaes_aes_key *key, uint8_t mac[16],
                    const uint8_t *aad, size_t aad_len)
{
    const uint64_t len = aad_len;
    uint8_t head[10];
    size_t head_len = 2;
    if (len < SHORT_AAD) {
        head[0] = (uint8_t)(len >> 8);
        head[1] = (uint8_t)len;
    } else if (len <= UINT32_MAX) {
        head_len = 6;
        head[0] = 0xff;
        head[1] = 0xfe;
        store_be32(head + 2, (uint32_t)len);
    } else {
        head_len = 10;
        head[0] = 0xff;
        head[1] = 0xff;
        store_be64(head + 2, len);
    }
    size_t first = aad_len < 16 - head_len ? aad_len : 16 - head_len;
    xor_bytes(mac, mac, head, head_len);
    xor_bytes(mac + head_len, mac + head_len, aad, first);
    core->encrypt(key, mac, mac, 1);
    mac_bytes(core, key, mac, aad + first, aad_len - first);
}

/* Makes the block that is a flag byte, the nonce, and value to the end. */
static void make_block(uint8_t block[16], uint8_t flags, const uint8_t *nonce, size_t nonce_len,
                       uint64_t value)
{
    store_be64(block, 0);
    store_be64(block + 8, value);
    block[0] = flags;
    memcpy(block + 1, nonce, nonce_len);
}

void ctaes_ccm_start(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                     struct ctaes_ccm *state, const uint8_t *nonce, size_t nonce_len,
                     size_t tag_len, uint64_t data_len, const uint8_t *aad, size_t aad_len)
{
    const uint8_t q_flags = (uint8_t)(15 - nonce_len - 1);
    const uint8_t tag_flags = (uint8_t)((tag_len - 2) / 2 << 3);
    const uint8_t aad_flag = aad_len > 0 ? 0x40 : 0;
    uint8_t blocks[32];
    make_block(blocks, aad_flag | tag_flags | q_flags, nonce, nonce_len, data_len);
    make_block(blocks + 16, q_flags, nonce, nonce_len, 0);
    make_block(state->ctr, q_flags, nonce, nonce_len, 1);
    core->encrypt(key, blocks, blocks, 2);
    memcpy(state->mac, blocks, 16);
    memcpy(state->tag_mask, blocks + 16, 16);
    ct_wipe(blocks, sizeof blocks);
    if (aad_len > 0)
        mac_aad(core, key, state->mac, aad, aad_len);
}

/* Makes the tag, and forgets the message. */
static void finish_ccm(struct ctaes_ccm *state, uint8_t tag[16])
{
    xor_block(tag, state->mac, state->tag_mask);
    ct_wipe(state, sizeof *state);
}

void ctaes_ccm_encrypt(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                       struct ctaes_ccm *state, uint8_t *out, const uint8_t *in, size_t len,
                       uint8_t tag[16])
{
    if (core->ccm_encrypt != NULL) {
        const size_t whole = len - len % 16;
        core->ccm_encrypt(key, state->ctr, state->mac, out, in, whole / 16);
        in += whole;
        out += whole;
        len -= whole;
    }
    while (len > 0) {
        size_t now = len < CHUNK ? len : CHUNK;
        /* First what reads the plaintext, as out may be in. */
        mac_bytes(core, key, state->mac, in, now);
        ctaes_keystream_xor(core, key, state->ctr, NULL, out, in, now);
        in += now;
        out += now;
        len -= now;
    }
    finish_ccm(state, tag);
}

void ctaes_ccm_decrypt(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                       struct ctaes_ccm *state, uint8_t *out, const uint8_t *in, size_t len,
                       uint8_t tag[16])
{
    if (core->ccm_decrypt != NULL) {
        const size_t whole = len - len % 16;
        core->ccm_decrypt(key, state->ctr, state->mac, out, in, whole / 16);
        in += whole;
        out += whole;
        len -= whole;
    }
    while (len > 0) {
        size_t now = len < CHUNK ? len : CHUNK;
        ctaes_keystream_xor(core, key, state->ctr, NULL, out, in, now);
        mac_bytes(core, key, state->mac, out, now);
        in += now;
        out += now;
        len -= now;
    }
    finish_ccm(state, tag);
}

const struct ctaes_mode ctaes_mode_ccm = {
    .name = "CCM",
    .kind = CTAES_OWN,
    .evp_mode = 7,
    .block_size = 1,
    .iv_len = 12,
    .aead = true,
    .custom_iv = true,
};
