/* SPDX-License-Identifier: Apache-2.0 */
/* The library's algorithms, each as one call, for tests that walk all of them. */
#include "api.h"

#include <string.h>

const struct algorithm algorithms[] = {
    {CTAES_ECB, "ecb", "", {16, 24, 32}, 0, 0, 0, 16, false, false},
    {CTAES_CBC, "cbc", "", {16, 24, 32}, 16, 0, 0, 16, false, false},
    {CTAES_CTR, "ctr", "", {16, 24, 32}, 16, 0, 0, 1, false, false},
    {CTAES_XTS, "xts", "", {32, 64}, 16, 0, 16, 1, false, false},
    {CTAES_CMAC, "cmac", "mac_", {16, 24, 32}, 0, 16, 0, 1, false, false},
    {CTAES_KW, "wrap", "", {16, 24, 32}, 0, 0, 16, 8, false, true},
    {CTAES_KWP, "wrap-pad", "", {16, 24, 32}, 0, 0, 1, 1, false, true},
    {CTAES_GCM, "gcm", "", {16, 24, 32}, 12, 16, 0, 1, true, false},
    {CTAES_CCM, "ccm", "", {16, 24, 32}, 13, 16, 0, 1, true, false},
    {CTAES_OCB, "ocb", "", {16, 24, 32}, 12, 16, 0, 1, true, false},
    {CTAES_SIV, "siv", "", {32, 48, 64}, 16, 16, 0, 1, true, false},
    {CTAES_GCM_SIV, "gcm-siv", "", {16, 24, 32}, 12, 16, 0, 1, true, false},
    {.name = NULL},
};

void fill_bytes(uint8_t *p, size_t len, uint32_t seed)
{
    uint32_t x = seed * 2654435761U + 1;
    for (size_t i = 0; i < len; i++) {
        x = x * 1664525U + 1013904223U;
        p[i] = (uint8_t)(x >> 24);
    }
}

bool all_zero(const uint8_t *p, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (p[i] != 0)
            return false;
    return true;
}

/* --- Every algorithm as one call --- */

static bool is_aead(const struct algorithm *a)
{
    return a->has_aad;
}

static enum ctaes_result run_cmac(const struct ctaes_key *key, const struct input *m, uint8_t *tag,
                                  const uint8_t *received)
{
    struct ctaes_message message;
    enum ctaes_result result = ctaes_mac_start(&message, key);
    if (result != CTAES_SUCCESS)
        return result;
    result = ctaes_mac_update(&message, m->in, m->len);
    if (result == CTAES_SUCCESS)
        result = received != NULL ? ctaes_mac_verify(&message, received, m->tag_len)
                                  : ctaes_mac_finish(&message, tag, m->tag_len);
    return result;
}

static enum ctaes_result run_plain(const struct algorithm *a, bool encrypting,
                                   const struct ctaes_key *key, const struct input *m, uint8_t *out)
{
    uint8_t iv[16] = {0};
    struct ctaes_message message;
    enum ctaes_result result;
    if (m->nonce != NULL)
        memcpy(iv, m->nonce, 16);
    switch (a->id) {
    case CTAES_ECB:
        return (encrypting ? ctaes_ecb_encrypt : ctaes_ecb_decrypt)(key, out, m->in, m->len);
    case CTAES_CBC:
        return (encrypting ? ctaes_cbc_encrypt : ctaes_cbc_decrypt)(key, iv, out, m->in, m->len);
    case CTAES_XTS:
        return (encrypting ? ctaes_xts_encrypt : ctaes_xts_decrypt)(key, iv, out, m->in, m->len);
    default:
        result = ctaes_ctr_start(&message, key, iv);
        return result == CTAES_SUCCESS ? ctaes_ctr_crypt(&message, out, m->in, m->len) : result;
    }
}

enum ctaes_result encrypt(const struct algorithm *a, const struct ctaes_key *key,
                          const struct input *m, uint8_t *out, size_t *out_len, uint8_t *tag)
{
    *out_len = m->len;
    if (is_aead(a))
        return ctaes_seal(key, out, tag, m->tag_len, m->nonce, m->nonce_len, m->aad, m->aad_len,
                          m->in, m->len);
    if (a->wraps)
        return ctaes_wrap_key(key, out, m->len + 16, out_len, m->in, m->len);
    if (a->id == CTAES_CMAC)
        return run_cmac(key, m, tag, NULL);
    return run_plain(a, true, key, m, out);
}

enum ctaes_result decrypt(const struct algorithm *a, const struct ctaes_key *key,
                          const struct input *m, uint8_t *out, size_t *out_len, const uint8_t *tag)
{
    *out_len = m->len;
    if (is_aead(a))
        return ctaes_open(key, out, tag, m->tag_len, m->nonce, m->nonce_len, m->aad, m->aad_len,
                          m->in, m->len);
    if (a->wraps)
        return ctaes_unwrap_key(key, out, m->len, out_len, m->in, m->len);
    if (a->id == CTAES_CMAC)
        return run_cmac(key, m, NULL, tag);
    return run_plain(a, false, key, m, out);
}
