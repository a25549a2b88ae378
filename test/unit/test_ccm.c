/* SPDX-License-Identifier: Apache-2.0 */
/* CCM on every core: long AAD and the forms of its length, the fields of all lengths, wiping. */
#include "topics.h"

#include "../../cores/bytes.h"
#include "../../provider/modes/ccm.h"

#include <stdlib.h>

/* One message by the letter of SP 800-38C, one block at a time. */
static void model_ccm(const struct reference_key *key, const uint8_t *nonce, size_t nonce_len,
                      size_t tag_len, const uint8_t *aad, size_t aad_len, const uint8_t *plain,
                      size_t len, uint8_t *cipher, uint8_t tag[16])
{
    const size_t q = 15 - nonce_len;
    uint8_t mac[16] = {0}, block[16];
    mac[0] = (uint8_t)((aad_len > 0 ? 64 : 0) + 8 * ((tag_len - 2) / 2) + (q - 1));
    memcpy(mac + 1, nonce, nonce_len);
    for (size_t i = 0, rest = len; i < q; i++, rest >>= 8)
        mac[15 - i] = (uint8_t)rest;
    reference_encrypt_block(key, mac, mac);

    /* AAD as one string, with its length before it. */
    uint8_t head[6] = {(uint8_t)(aad_len >> 8), (uint8_t)aad_len};
    size_t head_len = 2;
    if (aad_len >= 65536 - 256) {
        const uint8_t longer[6] = {0xff,
                                   0xfe,
                                   (uint8_t)(aad_len >> 24),
                                   (uint8_t)(aad_len >> 16),
                                   (uint8_t)(aad_len >> 8),
                                   (uint8_t)aad_len};
        memcpy(head, longer, 6);
        head_len = 6;
    }
    for (size_t i = 0; aad_len > 0 && i < head_len + aad_len; i++) {
        mac[i % 16] ^= i < head_len ? head[i] : aad[i - head_len];
        if (i % 16 == 15 || i + 1 == head_len + aad_len)
            reference_encrypt_block(key, mac, mac);
    }
    for (size_t i = 0; i <= len; i++) {
        if (i % 16 == 0 || i == len) {
            if (i > 0)
                reference_encrypt_block(key, mac, mac);
            if (i == len)
                break;
            memset(block, 0, 16);
            block[0] = (uint8_t)(q - 1);
            memcpy(block + 1, nonce, nonce_len);
            for (size_t k = 0, rest = i / 16 + 1; k < q; k++, rest >>= 8)
                block[15 - k] = (uint8_t)rest;
            reference_encrypt_block(key, block, block);
        }
        mac[i % 16] ^= plain[i];
        cipher[i] = plain[i] ^ block[i % 16];
    }
    memset(block, 0, 16);
    block[0] = (uint8_t)(q - 1);
    memcpy(block + 1, nonce, nonce_len);
    reference_encrypt_block(key, block, block);
    xor_block(tag, mac, block);
}

#define MAX_AAD 66000
#define MAX_DATA 700

struct ccm_case {
    struct keys keys;
    uint8_t nonce[13], aad[MAX_AAD], plain[MAX_DATA], want[MAX_DATA], got[MAX_DATA];
};

static void check_case(const struct ctaes_core *core, struct ccm_case *c, size_t nonce_len,
                       size_t tag_len, size_t aad_len, size_t len)
{
    struct ctaes_ccm state;
    const struct ctaes_ccm zeros = {.ctr = {0}};
    uint8_t want[16], tag[16];
    at.len = len;
    at.detail = "bytes of AAD";
    at.number = aad_len;
    model_ccm(&c->keys.reference, c->nonce, nonce_len, tag_len, c->aad, aad_len, c->plain, len,
              c->want, want);
    at.step = "encrypt";
    ctaes_ccm_start(core, c->keys.aes, &state, c->nonce, nonce_len, tag_len, len, c->aad, aad_len);
    ctaes_ccm_encrypt(core, c->keys.aes, &state, c->got, c->plain, len, tag);
    expect_bytes("the ciphertext", c->got, c->want, len);
    expect_bytes("the tag", tag, want, 16);
    expect(memcmp(&state, &zeros, sizeof state) == 0, "the state isn't wiped");
    at.step = "decrypt";
    ctaes_ccm_start(core, c->keys.aes, &state, c->nonce, nonce_len, tag_len, len, c->aad, aad_len);
    ctaes_ccm_decrypt(core, c->keys.aes, &state, c->got, c->got, len, tag);
    expect_bytes("the plaintext", c->got, c->plain, len);
    expect_bytes("the tag", tag, want, 16);
    expect(memcmp(&state, &zeros, sizeof state) == 0, "the state isn't wiped");
}

/* SP 800-38C, appendix C.4: 64 KiB of AAD. */
static void check_example_4(const struct ctaes_core *core, struct ccm_case *c)
{
    static const uint8_t ciphertext[] = {0x69, 0x91, 0x5d, 0xad, 0x1e, 0x84, 0xc6, 0x37,
                                         0x6a, 0x68, 0xc2, 0x96, 0x7e, 0x4d, 0xab, 0x61,
                                         0x5a, 0xe0, 0xfd, 0x1f, 0xae, 0xc4, 0x4c, 0xc4,
                                         0x84, 0x82, 0x85, 0x29, 0x46, 0x3c, 0xcf, 0x72};
    static const uint8_t tag[] = {0xb4, 0xac, 0x6b, 0xec, 0x93, 0xe8, 0x59,
                                  0x8e, 0x7f, 0x0d, 0xad, 0xbc, 0xea, 0x5b};
    uint8_t key[16], got[16];
    struct ctaes_ccm state;
    struct keys keys;
    for (uint8_t i = 0; i < 16; i++)
        key[i] = 0x40 + i;
    for (uint8_t i = 0; i < 13; i++)
        c->nonce[i] = 0x10 + i;
    for (uint8_t i = 0; i < 32; i++)
        c->plain[i] = 0x20 + i;
    for (size_t i = 0; i < 65536; i++)
        c->aad[i] = (uint8_t)i;
    at.step = "SP 800-38C, appendix C.4";
    expand_keys(&keys, core, key, 16);
    ctaes_ccm_start(core, keys.aes, &state, c->nonce, 13, 14, 32, c->aad, 65536);
    ctaes_ccm_encrypt(core, keys.aes, &state, c->got, c->plain, 32, got);
    expect_bytes("the ciphertext", c->got, ciphertext, sizeof ciphertext);
    expect_bytes("the tag", got, tag, sizeof tag);
    free_keys(&keys);
}

void test_ccm(const struct setup *s)
{
    struct ccm_case *c = key_memory(sizeof *c, 0);
    check_example_4(s->core, c);
    random_keys(&c->keys, s);
    random_bytes(c->nonce, sizeof c->nonce);
    random_bytes(c->aad, sizeof c->aad);
    random_bytes(c->plain, sizeof c->plain);
    for (size_t nonce_len = CTAES_CCM_MIN_NONCE; nonce_len <= CTAES_CCM_MAX_NONCE; nonce_len++)
        for (size_t tag_len = 4; tag_len <= 16; tag_len += 2)
            check_case(s->core, c, nonce_len, tag_len, 5 * tag_len, 37 * nonce_len);
    for (size_t aad_len = 0; aad_len < 70; aad_len++)
        check_case(s->core, c, 12, 16, aad_len, 511 + aad_len % 4);
    static const size_t long_aads[] = {511, 512, 513, 65278, 65279, 65280, 65281, 65535, 65536};
    for (size_t i = 0; i < sizeof long_aads / sizeof *long_aads; i++)
        check_case(s->core, c, 13, 8, long_aads[i], i);
    at.detail = NULL;
    free_keys(&c->keys);
    free(c);
}
