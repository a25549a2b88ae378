/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctaes_seal and ctaes_open: one message in one call, for the five modes that authenticate.
 *
 *      seal    check lengths ──▶ mode ──▶ out, tag
 *      open    check lengths ──▶ mode ──▶ out, computed ──▶ equal to tag? ──no──▶ zeros over out
 *
 * Each mode is a row: which lengths it takes, and how it computes a message. The rows write the tag
 * that the message has by their computation, on decryption too: what to do about it is decided
 * once, in ctaes_open.
 *
 * Constant time: branches depend on lengths and algorithms; tags are compared as a whole, and the
 * verdict is the result.
 */
#include "library.h"

#include "../modes/ccm.h"
#include "../modes/gcm_siv.h"

/* One message: what seal and open were given. */
struct call {
    bool encrypting;
    uint8_t *out;
    const uint8_t *in;
    size_t len;
    const uint8_t *nonce;
    size_t nonce_len;
    const uint8_t *aad;
    size_t aad_len;
    const uint8_t *received; /* the tag, on decryption */
    size_t tag_len;
};

/* --- The rows --- */

static void run_gcm(const struct ctaes_key *key, const struct call *c, uint8_t tag[16])
{
    const struct ctaes_mode *gcm = &ctaes_mode_gcm;
    const struct ctaes_core *core = key->core;
    struct ctaes_ghash_key *hk = second_part(key);
    struct ctaes_aead state;
    gcm->aead_start(core, hk, &state, c->nonce, c->nonce_len);
    /* The lengths are checked; nothing can be refused. */
    (void)gcm->aead_aad(core, hk, &state, c->aad, c->aad_len);
    (void)(c->encrypting ? gcm->aead_encrypt : gcm->aead_decrypt)(core, aes_key(key), hk, &state,
                                                                  c->out, c->in, c->len);
    gcm->aead_finish(core, aes_key(key), hk, &state, tag);
}

static void run_ccm(const struct ctaes_key *key, const struct call *c, uint8_t tag[16])
{
    struct ctaes_ccm state;
    ctaes_ccm_start(key->core, aes_key(key), &state, c->nonce, c->nonce_len, c->tag_len, c->len,
                    c->aad, c->aad_len);
    (c->encrypting ? ctaes_ccm_encrypt : ctaes_ccm_decrypt)(key->core, aes_key(key), &state, c->out,
                                                            c->in, c->len, tag);
}

static void run_ocb(const struct ctaes_key *key, const struct call *c, uint8_t tag[16])
{
    const struct ctaes_core *core = key->core;
    const struct ctaes_ocb_key *masks = second_part(key);
    struct ctaes_ocb state;
    ctaes_ocb_start(core, aes_key(key), &state, c->nonce, c->nonce_len, c->tag_len);
    ctaes_ocb_aad(core, aes_key(key), masks, &state, c->aad, c->aad_len);
    (c->encrypting ? ctaes_ocb_encrypt : ctaes_ocb_decrypt)(core, aes_key(key), masks, &state,
                                                            c->out, c->in, c->len);
    ctaes_ocb_finish(core, aes_key(key), masks, &state, tag);
}

static void run_siv(const struct ctaes_key *key, const struct call *c, uint8_t tag[16])
{
    const struct ctaes_core *core = key->core;
    const struct ctaes_aes_key *mac_key = aes_key(key), *ctr_key = second_part(key);
    struct ctaes_siv siv = *siv_part(key);
    (void)ctaes_siv_aad(core, mac_key, &siv, c->aad, c->aad_len);
    if (c->nonce_len > 0)
        (void)ctaes_siv_aad(core, mac_key, &siv, c->nonce, c->nonce_len);
    if (c->encrypting)
        (void)ctaes_siv_encrypt(core, mac_key, ctr_key, &siv, c->out, c->in, c->len, tag);
    else
        (void)ctaes_siv_decrypt(core, mac_key, ctr_key, &siv, c->out, c->in, c->len, c->received,
                                tag);
    ct_wipe(&siv, sizeof siv);
}

/* The nonce's own keys lie here for as long as the message takes. */
static void run_gcm_siv(const struct ctaes_key *key, const struct call *c, uint8_t tag[16])
{
    const struct ctaes_core *core = key->core;
    _Alignas(CTAES_ALIGN) uint8_t message_memory[MOST_AES_KEY], hash_memory[MOST_GHASH_KEY];
    struct ctaes_aes_key *message_key = (struct ctaes_aes_key *)message_memory;
    struct ctaes_ghash_key *hk = (struct ctaes_ghash_key *)hash_memory;
    struct ctaes_gcm_siv state;
    ctaes_gcm_siv_start(core, aes_key(key), key->key_len, c->nonce, message_key, hk, &state);
    (void)ctaes_gcm_siv_aad(core, hk, &state, c->aad, c->aad_len);
    if (c->encrypting)
        (void)ctaes_gcm_siv_encrypt(core, message_key, hk, &state, c->out, c->in, c->len, tag);
    else
        (void)ctaes_gcm_siv_decrypt(core, message_key, hk, &state, c->out, c->in, c->len,
                                    c->received, tag);
    ct_wipe(message_memory, core->key_size);
    ct_wipe(hash_memory, core->ghash_size);
    ct_wipe(&state, sizeof state);
}

struct row {
    size_t nonce_min, nonce_max;
    size_t tag_min, tag_max, tag_step;
    uint64_t most_data, most_aad;
    void (*run)(const struct ctaes_key *key, const struct call *c, uint8_t tag[16]);
};

/* GCM's counter blocks differ in 32 bits, of which the first makes the tag. */
#define MOST_GCM_DATA ((UINT64_C(1) << 36) - 32)
#define MOST_AAD ((UINT64_C(1) << 61) - 1)

static const struct row rows[] = {
    [CTAES_GCM] = {1, 128, 12, 16, 1, MOST_GCM_DATA, MOST_AAD, run_gcm},
    [CTAES_CCM] = {CTAES_CCM_MIN_NONCE, CTAES_CCM_MAX_NONCE, 4, 16, 2, CTAES_CCM_MAX_DATA, MOST_AAD,
                   run_ccm},
    [CTAES_OCB] = {CTAES_OCB_MIN_NONCE, CTAES_OCB_MAX_NONCE, 8, 16, 1, UINT64_C(1) << 36, MOST_AAD,
                   run_ocb},
    [CTAES_SIV] = {0, SIZE_MAX, 16, 16, 1, UINT64_C(1) << 35, MOST_AAD, run_siv},
    [CTAES_GCM_SIV] = {12, 12, 16, 16, 1, UINT64_C(1) << 36, UINT64_C(1) << 36, run_gcm_siv},
};

/* --- Checks --- */

static enum ctaes_result check_lengths(const struct row *row, bool is_ccm, const struct call *c)
{
    if (c->nonce_len < row->nonce_min || c->nonce_len > row->nonce_max ||
        c->tag_len < row->tag_min || c->tag_len > row->tag_max ||
        (c->tag_len - row->tag_min) % row->tag_step != 0 || c->len > row->most_data ||
        c->aad_len > row->most_aad)
        return CTAES_INVALID_LENGTH;
    /* The bytes that the nonce leaves have the data's length. */
    if (is_ccm && c->nonce_len > 7 && (uint64_t)c->len >> (8 * (15 - c->nonce_len)) != 0)
        return CTAES_INVALID_LENGTH;
    return CTAES_SUCCESS;
}

/* tag may be an output or an input: either way it overlaps nothing that is written. */
static enum ctaes_result check_call(const struct ctaes_key *key, const struct call *c,
                                    const uint8_t *tag)
{
    if (key == NULL || tag == NULL || !is_given(c->nonce, c->nonce_len) ||
        !is_given(c->aad, c->aad_len))
        return CTAES_INVALID_ARGUMENT;
    if (key->mark != KEY_MARK || key->algorithm >= sizeof rows / sizeof rows[0] ||
        rows[key->algorithm].run == NULL)
        return CTAES_INVALID_KEY;
    enum ctaes_result result = check_lengths(&rows[key->algorithm], key->algorithm == CTAES_CCM, c);
    if (result != CTAES_SUCCESS)
        return result;
    result = check_data(c->out, c->in, c->len);
    if (result != CTAES_SUCCESS)
        return result;
    bool apart =
        spares_key(key, c->out, c->len) && are_apart(c->out, c->len, c->nonce, c->nonce_len) &&
        are_apart(c->out, c->len, c->aad, c->aad_len) && are_apart(c->out, c->len, tag, c->tag_len);
    if (c->encrypting)
        apart = apart && spares_key(key, tag, c->tag_len) &&
                are_apart(tag, c->tag_len, c->in, c->len) &&
                are_apart(tag, c->tag_len, c->nonce, c->nonce_len) &&
                are_apart(tag, c->tag_len, c->aad, c->aad_len);
    return apart ? CTAES_SUCCESS : CTAES_OVERLAP;
}

/* --- The calls --- */

enum ctaes_result ctaes_seal(const struct ctaes_key *key, uint8_t *out, uint8_t *tag,
                             size_t tag_len, const uint8_t *nonce, size_t nonce_len,
                             const uint8_t *aad, size_t aad_len, const uint8_t *in, size_t len)
{
    const struct call c = {true, out, in, len, nonce, nonce_len, aad, aad_len, NULL, tag_len};
    const enum ctaes_result result = check_call(key, &c, tag);
    if (result != CTAES_SUCCESS)
        return result;
    CLEARS_REGISTERS(key);
    uint8_t computed[16];
    rows[key->algorithm].run(key, &c, computed);
    memcpy(tag, computed, tag_len);
    ct_wipe(computed, sizeof computed);
    return CTAES_SUCCESS;
}

enum ctaes_result ctaes_open(const struct ctaes_key *key, uint8_t *out, const uint8_t *tag,
                             size_t tag_len, const uint8_t *nonce, size_t nonce_len,
                             const uint8_t *aad, size_t aad_len, const uint8_t *in, size_t len)
{
    const struct call c = {false, out, in, len, nonce, nonce_len, aad, aad_len, tag, tag_len};
    const enum ctaes_result result = check_call(key, &c, tag);
    if (result != CTAES_SUCCESS)
        return result;
    CLEARS_REGISTERS(key);
    uint8_t computed[16];
    rows[key->algorithm].run(key, &c, computed);
    const bool authentic = is_same_tag(computed, tag, tag_len);
    ct_wipe(computed, sizeof computed);
    if (authentic)
        return CTAES_SUCCESS;
    if (len > 0)
        ct_wipe(out, len);
    return CTAES_NOT_AUTHENTIC;
}
