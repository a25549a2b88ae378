/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages in pieces: GCM, CMAC, CTR. Each keeps its mode's state in the caller's struct
 * ctaes_message, with the algorithm and how far it is, so that a call that doesn't fit is refused:
 *
 *      GCM    start ──▶ aad ... ──▶ encrypt ... ──▶ finish ──▶ over
 *                               └─▶ decrypt ... ──▶ verify ──▶ over
 *      CMAC   start ──▶ update ... ──▶ finish or verify ──▶ over
 *      CTR    start ──▶ crypt ...
 *
 * Constant time: branches depend on lengths, algorithms and the order of calls; tags are compared
 * as a whole.
 */
#include "library.h"

enum direction { UNDECIDED, ENCRYPTING, DECRYPTING };

/* What is in a struct ctaes_message. All zeros, as it is when a message is over: no algorithm. */
struct message {
    const struct ctaes_key *key;
    uint32_t algorithm;
    enum direction direction;
    union {
        struct ctaes_aead gcm;
        struct ctaes_cmac cmac;
        struct ctaes_chain ctr;
    } state;
};

_Static_assert(sizeof(struct message) <= sizeof(struct ctaes_message), "a message doesn't fit");
_Static_assert(_Alignof(struct message) <= _Alignof(struct ctaes_message), "nor is it aligned");

/* Returns the message's state if it is under way for that algorithm, else NULL. Through void *:
   what is behind opaque has never another type. */
static struct message *find_message(struct ctaes_message *message, enum ctaes_algorithm algorithm)
{
    struct message *m = (void *)message;
    return m->algorithm == (uint32_t)algorithm && is_for(m->key, algorithm) ? m : NULL;
}

static enum ctaes_result start_message(struct ctaes_message *message, const struct ctaes_key *key,
                                       enum ctaes_algorithm algorithm)
{
    if (message == NULL || key == NULL)
        return CTAES_INVALID_ARGUMENT;
    if (!is_for(key, algorithm))
        return CTAES_INVALID_KEY;
    if (!spares_key(key, message, sizeof *message))
        return CTAES_OVERLAP;
    struct message *m = (void *)message;
    *m = (struct message){.key = key, .algorithm = (uint32_t)algorithm};
    return CTAES_SUCCESS;
}

/* Whether len bytes at p, which will be written, are apart from the message and its key. */
static bool spares_message(const struct message *m, const void *p, size_t len)
{
    return are_apart(m, sizeof(struct ctaes_message), p, len) && spares_key(m->key, p, len);
}

static enum ctaes_result result_of(enum ctaes_status status)
{
    return status == CTAES_OK         ? CTAES_SUCCESS
           : status == CTAES_TOO_LONG ? CTAES_INVALID_LENGTH
                                      : CTAES_WRONG_ORDER;
}

/* --- GCM --- */

enum ctaes_result ctaes_gcm_start(struct ctaes_message *message, const struct ctaes_key *key,
                                  const uint8_t *nonce, size_t nonce_len)
{
    if (nonce == NULL)
        return CTAES_INVALID_ARGUMENT;
    if (nonce_len == 0 || nonce_len > 128)
        return CTAES_INVALID_LENGTH;
    if (!are_apart(message, sizeof *message, nonce, nonce_len))
        return CTAES_OVERLAP;
    const enum ctaes_result result = start_message(message, key, CTAES_GCM);
    if (result != CTAES_SUCCESS)
        return result;
    CLEARS_REGISTERS(key);
    struct message *m = (void *)message;
    ctaes_mode_gcm.aead_start(key->core, second_part(key), &m->state.gcm, nonce, nonce_len);
    return CTAES_SUCCESS;
}

enum ctaes_result ctaes_gcm_aad(struct ctaes_message *message, const uint8_t *aad, size_t len)
{
    if (message == NULL || !is_given(aad, len))
        return CTAES_INVALID_ARGUMENT;
    struct message *m = find_message(message, CTAES_GCM);
    if (m == NULL || m->direction != UNDECIDED)
        return CTAES_WRONG_ORDER;
    CLEARS_REGISTERS(m->key);
    return result_of(
        ctaes_mode_gcm.aead_aad(m->key->core, second_part(m->key), &m->state.gcm, aad, len));
}

static enum ctaes_result crypt_gcm(struct ctaes_message *message, enum direction direction,
                                   uint8_t *out, const uint8_t *in, size_t len)
{
    if (message == NULL)
        return CTAES_INVALID_ARGUMENT;
    enum ctaes_result result = check_data(out, in, len);
    if (result != CTAES_SUCCESS)
        return result;
    struct message *m = find_message(message, CTAES_GCM);
    if (m == NULL || (m->direction != UNDECIDED && m->direction != direction))
        return CTAES_WRONG_ORDER;
    if (!spares_message(m, out, len))
        return CTAES_OVERLAP;
    CLEARS_REGISTERS(m->key);
    const struct ctaes_mode *gcm = &ctaes_mode_gcm;
    result = result_of((direction == ENCRYPTING ? gcm->aead_encrypt : gcm->aead_decrypt)(
        m->key->core, aes_key(m->key), second_part(m->key), &m->state.gcm, out, in, len));
    if (result == CTAES_SUCCESS)
        m->direction = direction;
    return result;
}

enum ctaes_result ctaes_gcm_encrypt(struct ctaes_message *message, uint8_t *out, const uint8_t *in,
                                    size_t len)
{
    return crypt_gcm(message, ENCRYPTING, out, in, len);
}

enum ctaes_result ctaes_gcm_decrypt_unverified(struct ctaes_message *message, uint8_t *out,
                                               const uint8_t *in, size_t len)
{
    return crypt_gcm(message, DECRYPTING, out, in, len);
}

/* --- CMAC --- */

enum ctaes_result ctaes_mac_start(struct ctaes_message *message, const struct ctaes_key *key)
{
    const enum ctaes_result result = start_message(message, key, CTAES_CMAC);
    if (result != CTAES_SUCCESS)
        return result;
    CLEARS_REGISTERS(key);
    struct message *m = (void *)message;
    const struct ctaes_cmac *fresh = second_part(key);
    m->state.cmac = *fresh;
    return CTAES_SUCCESS;
}

enum ctaes_result ctaes_mac_update(struct ctaes_message *message, const uint8_t *in, size_t len)
{
    if (message == NULL || !is_given(in, len))
        return CTAES_INVALID_ARGUMENT;
    struct message *m = find_message(message, CTAES_CMAC);
    if (m == NULL)
        return CTAES_WRONG_ORDER;
    CLEARS_REGISTERS(m->key);
    ctaes_cmac_update(m->key->core, aes_key(m->key), &m->state.cmac, in, len);
    return CTAES_SUCCESS;
}

/* --- The ends --- */

/* Checks what finish and verify are given, computes the whole tag, and ends the message. *clears:
   which registers to clear when the tag has been used. */
static enum ctaes_result end_message(struct ctaes_message *message, enum ctaes_algorithm algorithm,
                                     enum direction excluded, const uint8_t *tag, size_t tag_len,
                                     uint8_t computed[16], uint32_t *clears)
{
    if (message == NULL || tag == NULL)
        return CTAES_INVALID_ARGUMENT;
    if (tag_len > 16 || tag_len < (algorithm == CTAES_GCM ? 12 : 8))
        return CTAES_INVALID_LENGTH;
    struct message *m = find_message(message, algorithm);
    if (m == NULL || m->direction == excluded)
        return CTAES_WRONG_ORDER;
    if (!spares_message(m, tag, tag_len))
        return CTAES_OVERLAP;
    *clears = m->key->registers;
    if (algorithm == CTAES_GCM)
        ctaes_mode_gcm.aead_finish(m->key->core, aes_key(m->key), second_part(m->key),
                                   &m->state.gcm, computed);
    else
        ctaes_cmac_final(m->key->core, aes_key(m->key), &m->state.cmac, computed);
    ct_wipe(message, sizeof *message);
    return CTAES_SUCCESS;
}

static enum ctaes_result finish(struct ctaes_message *message, enum ctaes_algorithm algorithm,
                                uint8_t *tag, size_t tag_len)
{
    uint8_t computed[16];
    CLEARS(CTAES_NO_VECTORS);
    const enum ctaes_result result =
        end_message(message, algorithm, DECRYPTING, tag, tag_len, computed, &clears);
    if (result != CTAES_SUCCESS)
        return result;
    memcpy(tag, computed, tag_len);
    ct_wipe(computed, sizeof computed);
    return CTAES_SUCCESS;
}

static enum ctaes_result verify(struct ctaes_message *message, enum ctaes_algorithm algorithm,
                                const uint8_t *tag, size_t tag_len)
{
    uint8_t computed[16];
    CLEARS(CTAES_NO_VECTORS);
    const enum ctaes_result result =
        end_message(message, algorithm, ENCRYPTING, tag, tag_len, computed, &clears);
    if (result != CTAES_SUCCESS)
        return result;
    const bool authentic = is_same_tag(computed, tag, tag_len);
    ct_wipe(computed, sizeof computed);
    return authentic ? CTAES_SUCCESS : CTAES_NOT_AUTHENTIC;
}

enum ctaes_result ctaes_gcm_finish(struct ctaes_message *message, uint8_t *tag, size_t tag_len)
{
    return finish(message, CTAES_GCM, tag, tag_len);
}

enum ctaes_result ctaes_gcm_verify(struct ctaes_message *message, const uint8_t *tag,
                                   size_t tag_len)
{
    return verify(message, CTAES_GCM, tag, tag_len);
}

enum ctaes_result ctaes_mac_finish(struct ctaes_message *message, uint8_t *tag, size_t tag_len)
{
    return finish(message, CTAES_CMAC, tag, tag_len);
}

enum ctaes_result ctaes_mac_verify(struct ctaes_message *message, const uint8_t *tag,
                                   size_t tag_len)
{
    return verify(message, CTAES_CMAC, tag, tag_len);
}

/* --- CTR --- */

enum ctaes_result ctaes_ctr_start(struct ctaes_message *message, const struct ctaes_key *key,
                                  const uint8_t counter[16])
{
    if (counter == NULL)
        return CTAES_INVALID_ARGUMENT;
    if (!are_apart(message, sizeof *message, counter, 16))
        return CTAES_OVERLAP;
    const enum ctaes_result result = start_message(message, key, CTAES_CTR);
    if (result != CTAES_SUCCESS)
        return result;
    struct message *m = (void *)message;
    memcpy(m->state.ctr.iv, counter, 16);
    return CTAES_SUCCESS;
}

enum ctaes_result ctaes_ctr_crypt(struct ctaes_message *message, uint8_t *out, const uint8_t *in,
                                  size_t len)
{
    if (message == NULL)
        return CTAES_INVALID_ARGUMENT;
    const enum ctaes_result result = check_data(out, in, len);
    if (result != CTAES_SUCCESS)
        return result;
    struct message *m = find_message(message, CTAES_CTR);
    if (m == NULL)
        return CTAES_WRONG_ORDER;
    if (!spares_message(m, out, len))
        return CTAES_OVERLAP;
    CLEARS_REGISTERS(m->key);
    ctaes_mode_ctr.encrypt(m->key->core, aes_key(m->key), &m->state.ctr, out, in, len);
    return CTAES_SUCCESS;
}
