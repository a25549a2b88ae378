/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GCM contexts: init, parameters, the order of IV, AAD, data and tag, and
 * records of TLS 1.2.
 *
 * An IV serves one message (enum ctaes_iv_state):
 *
 *   NONE ──given, or generated──▶ GIVEN ──first AAD, data or final──▶ STARTED
 *                                   ▲                                    │
 *                                   └──── given, or tlsivgen ── SPENT ◀──┘ final
 *
 * TLS 1.2 (RFC 5288): `tlsivfixed` sets the 4 bytes of IV that the handshake
 * made, `tlsaad` the header of the record that comes; the next update is that
 * record, in place:
 *
 *   │ explicit nonce, 8 │ plaintext or ciphertext │ tag, 16 │
 */
#include "cipher.h"

#include "declassify.h"
#include "err.h"
#include "params.h"
#include "random.h"
#include "../cores/bytes.h"
#include "../cores/ct.h"

#include <openssl/core_names.h>

#include <string.h>

/* What not every message needs stays out of the functions that all of them pass
   through, which would have to save registers for it. */
#define NOINLINE __attribute__((noinline))
#define INLINE static inline __attribute__((always_inline))

#define TAG_LEN 16
#define TLS_AAD_LEN 13
#define TLS_FIXED_IV_LEN 4
#define TLS_EXPLICIT_IV_LEN 8
#define MIN_RANDOM_IV_LEN 12 /* SP 800-38D section 8.2.2: 96 bits at least */

void ctaes_aead_set_defaults(struct ctaes_ctx *ctx)
{
    ctx->u.aead.iv_len = ctx->alg->mode->iv_len;
}

INLINE void start_message(struct ctaes_ctx *ctx)
{
    struct ctaes_aead_ctx *a = &ctx->u.aead;
    /* Parameters start messages, too. J0 comes from H if the IV isn't of 96 bits. */
    CTAES_CLEARS_REGISTERS(a->iv_len == 12 ? NULL : ctx->prov);
    /* Of a message that was given up. */
    if (a->state.keystream_valid)
        ct_wipe(a->state.keystream, sizeof a->state.keystream);
    ctx->alg->mode->aead_start(ctx->core, ctaes_ghash_key_of(ctx), &a->state, a->iv, a->iv_len);
    a->iv_state = CTAES_IV_STARTED;
}

static int init_aead(struct ctaes_ctx *ctx, const uint8_t *key, size_t key_len, const uint8_t *iv,
                     size_t iv_len, const OSSL_PARAM params[], bool encrypting)
{
    struct ctaes_aead_ctx *a = &ctx->u.aead;

    ctx->encrypting = encrypting;
    if (iv != NULL) {
        if (iv_len == 0 || iv_len > sizeof a->iv) {
            CTAES_RAISE(ctx->prov, PROV_R_INVALID_IV_LENGTH);
            return 0;
        }
        if (iv_len == 12)
            memcpy(a->iv, iv, 12); /* no call */
        else
            memcpy(a->iv, iv, iv_len);
        a->iv_len = iv_len;
        a->iv_state = CTAES_IV_GIVEN;
        a->iv_random = false;
    }
    if (key != NULL) {
        const bool had_key = ctx->key_set;
        if (!ctaes_set_key(ctx, key, key_len))
            return 0;
        /* ghash_init writes what H needs, not all that stands there. Not before the new
           key is known to be good: the old one stays if it isn't. */
        if (had_key) {
            ct_wipe(ctaes_ghash_key_of(ctx), ctx->core->ghash_size);
            ct_wipe(&a->state, sizeof a->state); /* of a message that was given up */
        }
        ctx->alg->mode->aead_set_key(ctx->core, ctaes_key_of(ctx), ctaes_ghash_key_of(ctx));
        a->tls_records = 0;
        /* A message under way can't go on under another key, and to start it
           again would use its IV twice if the key is the same. */
        if (a->iv_state == CTAES_IV_STARTED)
            a->iv_state = CTAES_IV_SPENT;
    }
    return ctaes_aead_set_ctx_params(ctx, params);
}

int ctaes_aead_encrypt_init(void *ctx, const unsigned char *key, size_t key_len,
                            const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
    CTAES_CLEARS_REGISTERS(key != NULL ? ((struct ctaes_ctx *)ctx)->prov : NULL);
    return init_aead(ctx, key, key_len, iv, iv_len, params, true);
}

int ctaes_aead_decrypt_init(void *ctx, const unsigned char *key, size_t key_len,
                            const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
    CTAES_CLEARS_REGISTERS(key != NULL ? ((struct ctaes_ctx *)ctx)->prov : NULL);
    return init_aead(ctx, key, key_len, iv, iv_len, params, false);
}

INLINE bool crypt_data(struct ctaes_ctx *ctx, uint8_t *out, const uint8_t *in, size_t len)
{
    const struct ctaes_mode *mode = ctx->alg->mode;
    return (ctx->encrypting ? mode->aead_encrypt : mode->aead_decrypt)(
               ctx->core, ctaes_key_of(ctx), ctaes_ghash_key_of(ctx), &ctx->u.aead.state, out, in,
               len) == CTAES_OK;
}

static bool add_aad(struct ctaes_ctx *ctx, const uint8_t *aad, size_t len)
{
    return ctx->alg->mode->aead_aad(ctx->core, ctaes_ghash_key_of(ctx), &ctx->u.aead.state, aad,
                                    len) == CTAES_OK;
}

static void compute_tag(struct ctaes_ctx *ctx, uint8_t tag[TAG_LEN])
{
    ctx->alg->mode->aead_finish(ctx->core, ctaes_key_of(ctx), ctaes_ghash_key_of(ctx),
                                &ctx->u.aead.state, tag);
}

/* Computes the message's tag and compares its first len bytes with expected. */
static NOINLINE bool check_tag(struct ctaes_ctx *ctx, const uint8_t *expected, size_t len)
{
    uint8_t tag[TAG_LEN];
    compute_tag(ctx, tag);
    /* Public: whether the message is authentic is what the caller asks. */
    bool good = ctaes_declassify(ct_equal_bytes(tag, expected, len));
    ct_wipe(tag, sizeof tag);
    if (!good && ctx->prov->raises_on_bad_tag)
        CTAES_RAISE(ctx->prov, PROV_R_BAD_DECRYPT);
    return good;
}

/* Ends the message. An IV is spent even where the tag is wrong. */
static bool finish_message(struct ctaes_ctx *ctx)
{
    struct ctaes_aead_ctx *a = &ctx->u.aead;
    if (!ctx->encrypting && a->tag_len == 0) {
        if (ctx->prov->host_is_4)
            CTAES_RAISE(ctx->prov, PROV_R_TAG_NOT_SET);
        return false; /* no tag to compare with: it may still come */
    }
    a->iv_state = CTAES_IV_SPENT;
    if (!ctx->encrypting)
        return check_tag(ctx, a->tag, a->tag_len);
    a->tag_len = TAG_LEN;
    compute_tag(ctx, a->tag);
    return true;
}

/* Makes a random IV, for a message to be encrypted without one from the caller. */
static NOINLINE bool draw_iv(struct ctaes_ctx *ctx)
{
    struct ctaes_aead_ctx *a = &ctx->u.aead;
    if (!ctx->encrypting || a->iv_len < MIN_RANDOM_IV_LEN || !ctaes_random(a->iv, a->iv_len))
        return false;
    a->iv_state = CTAES_IV_GIVEN;
    a->iv_random = true;
    return true;
}

/* Starts a message; false if it can't begin. */
INLINE bool begin_message(struct ctaes_ctx *ctx)
{
    struct ctaes_aead_ctx *a = &ctx->u.aead;
    if (!ctx->key_set || a->iv_state == CTAES_IV_SPENT)
        return false;
    if (a->iv_state == CTAES_IV_NONE && !draw_iv(ctx))
        return false;
    start_message(ctx);
    return true;
}

/* Starts the message if it hasn't begun; false if it can't begin. */
INLINE bool require_message(struct ctaes_ctx *ctx)
{
    return ctx->u.aead.iv_state == CTAES_IV_STARTED || begin_message(ctx);
}

/* Hands out the last len bytes of the IV (all of it if len is 0 or too large),
   starts a message with it, and counts its last 8 bytes up for the next. */
static bool generate_iv(struct ctaes_ctx *ctx, uint8_t *out, size_t len)
{
    struct ctaes_aead_ctx *a = &ctx->u.aead;
    if (!a->iv_generated || !ctx->key_set)
        return false;
    start_message(ctx);
    if (len == 0 || len > a->iv_len)
        len = a->iv_len;
    memcpy(out, a->iv + (a->iv_len - len), len);
    size_t end = a->iv_len < 8 ? 0 : a->iv_len - 8;
    for (size_t i = a->iv_len; i-- > end;)
        if (++a->iv[i] != 0)
            break;
    return true;
}

/* Replaces the last len bytes of the IV by those that came with a record, and
   starts a message with it. */
static bool set_explicit_iv(struct ctaes_ctx *ctx, const uint8_t *in, size_t len)
{
    struct ctaes_aead_ctx *a = &ctx->u.aead;
    if (!a->iv_generated || !ctx->key_set || ctx->encrypting || len > a->iv_len)
        return false;
    memcpy(a->iv + (a->iv_len - len), in, len);
    start_message(ctx);
    return true;
}

/* Processes one TLS 1.2 record. On return *out_len is what the default
   provider says: the record's length when encrypting, the plaintext's when
   decrypting (which starts after the explicit nonce), 0 on failure. */
static NOINLINE bool crypt_tls_record(struct ctaes_ctx *ctx, uint8_t *out, size_t *out_len,
                                      const uint8_t *in, size_t in_len)
{
    struct ctaes_aead_ctx *a = &ctx->u.aead;
    bool done = false;
    *out_len = 0;
    if (!ctx->key_set || in == NULL || out != in || in_len < TLS_EXPLICIT_IV_LEN + TAG_LEN)
        goto end;
    /* 2^64 - 1 records under one key: RFC 5288 section 3, the explicit nonce
       must not come twice. */
    if (ctx->encrypting && ++a->tls_records == 0) {
        CTAES_RAISE(ctx->prov, PROV_R_TOO_MANY_RECORDS);
        goto end;
    }
    if (ctx->encrypting ? !generate_iv(ctx, out, TLS_EXPLICIT_IV_LEN)
                        : !set_explicit_iv(ctx, in, TLS_EXPLICIT_IV_LEN))
        goto end;

    uint8_t *data = out + TLS_EXPLICIT_IV_LEN;
    size_t len = in_len - TLS_EXPLICIT_IV_LEN - TAG_LEN;
    if (!add_aad(ctx, a->tag, TLS_AAD_LEN) || !crypt_data(ctx, data, data, len))
        goto end;
    a->tag_len = TAG_LEN;
    if (ctx->encrypting) {
        compute_tag(ctx, data + len);
        *out_len = in_len;
        done = true;
    } else if (check_tag(ctx, data + len, TAG_LEN)) {
        *out_len = len;
        done = true;
    } else {
        ct_wipe(data, len);
    }
end:
    a->iv_state = CTAES_IV_SPENT;
    a->tls_record = false;
    return done;
}

/* What update, final (in == NULL) and the one-shot call have in common. The
   input is AAD if there is no output. */
INLINE bool process(struct ctaes_ctx *ctx, uint8_t *out, size_t *out_len, const uint8_t *in,
                    size_t len)
{
    if (ctx->u.aead.tls_record)
        return crypt_tls_record(ctx, out, out_len, in, len);
    if (!require_message(ctx))
        return false;
    if (in == NULL)
        return finish_message(ctx);
    if (out == NULL ? !add_aad(ctx, in, len) : !crypt_data(ctx, out, in, len))
        return false;
    *out_len = len;
    return true;
}

int ctaes_aead_update(void *vctx, unsigned char *out, size_t *out_len, size_t out_size,
                      const unsigned char *in, size_t in_len)
{
    struct ctaes_ctx *ctx = vctx;
    CTAES_CLEARS_REGISTERS(ctx->prov);
    *out_len = 0;
    if (in_len == 0)
        return 1;
    if (out_size < in_len || !ctaes_is_length(in_len)) {
        CTAES_RAISE(ctx->prov, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
        return 0;
    }
    if (!process(ctx, out, out_len, in, in_len)) {
        CTAES_RAISE(ctx->prov, PROV_R_CIPHER_OPERATION_FAILED);
        return 0;
    }
    return 1;
}

int ctaes_aead_final(void *vctx, unsigned char *out, size_t *out_len, size_t out_size)
{
    CTAES_CLEARS_REGISTERS(((struct ctaes_ctx *)vctx)->prov);
    (void)out_size;
    /* Silent on failure: callers take a tag mismatch for an answer, and some
       treat an entry on the error queue as a fault. */
    int result = process(vctx, out, out_len, NULL, 0);
    *out_len = 0;
    return result;
}

int ctaes_aead_cipher(void *vctx, unsigned char *out, size_t *out_len, size_t out_size,
                      const unsigned char *in, size_t in_len)
{
    struct ctaes_ctx *ctx = vctx;
    CTAES_CLEARS_REGISTERS(ctx->prov);
    *out_len = 0;
    if (out_size < in_len || !ctaes_is_length(in_len)) {
        CTAES_RAISE(ctx->prov, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
        return 0;
    }
    if (!process(ctx, out, out_len, in, in_len))
        return 0;
    *out_len = in_len;
    return 1;
}

static int set_tag(struct ctaes_ctx *ctx, const OSSL_PARAM *p)
{
    struct ctaes_aead_ctx *a = &ctx->u.aead;
    if (!ctaes_check_set(ctx, p->data_type == OSSL_PARAM_OCTET_STRING && p->data != NULL &&
                                  p->data_size <= TAG_LEN))
        return 0;
    if (p->data_size == TAG_LEN)
        memcpy(a->tag, p->data, TAG_LEN); /* no call */
    else
        memcpy(a->tag, p->data, p->data_size);
    if (p->data_size == 0 || ctx->encrypting) {
        CTAES_RAISE(ctx->prov, PROV_R_INVALID_TAG);
        return 0;
    }
    a->tag_len = p->data_size;
    return 1;
}

static int get_tag(struct ctaes_ctx *ctx, OSSL_PARAM *p)
{
    struct ctaes_aead_ctx *a = &ctx->u.aead;
    if (p->data_size == 0 || p->data_size > TAG_LEN || !ctx->encrypting || a->tag_len == 0) {
        CTAES_RAISE(ctx->prov, PROV_R_INVALID_TAG);
        return 0;
    }
    if (p->data_size == TAG_LEN && p->data_type == OSSL_PARAM_OCTET_STRING && p->data != NULL) {
        memcpy(p->data, a->tag, TAG_LEN); /* as nearly all callers want it */
        p->return_size = TAG_LEN;
        return 1;
    }
    return ctaes_check_get(ctx, ctaes_param_set_octet_string(p, a->tag, p->data_size));
}

static int get_tag_len(struct ctaes_ctx *ctx, OSSL_PARAM *p)
{
    size_t len = ctx->u.aead.tag_len;
    return ctaes_check_get(ctx, ctaes_param_set_size(p, len != 0 ? len : TAG_LEN));
}

static int get_iv_len(struct ctaes_ctx *ctx, OSSL_PARAM *p)
{
    return ctaes_check_get(ctx, ctaes_param_set_size(p, ctx->u.aead.iv_len));
}

static int set_iv_len(struct ctaes_ctx *ctx, const OSSL_PARAM *p)
{
    struct ctaes_aead_ctx *a = &ctx->u.aead;
    size_t len;
    if (!ctaes_check_set(ctx, ctaes_param_get_size(p, &len)))
        return 0;
    if (len == 0 || len > sizeof a->iv) {
        CTAES_RAISE(ctx->prov, PROV_R_INVALID_IV_LENGTH);
        return 0;
    }
    /* An IV of another length, given or in use, is no longer the caller's. */
    if (len != a->iv_len && a->iv_state != CTAES_IV_NONE)
        a->iv_state = CTAES_IV_SPENT;
    a->iv_len = len;
    return 1;
}

/* "iv" and "updated-iv" are the same: the IV doesn't run. */
static int get_iv(struct ctaes_ctx *ctx, OSSL_PARAM *p)
{
    struct ctaes_aead_ctx *a = &ctx->u.aead;
    /* OpenSSL 4.0 and newer draw the IV when it is asked for; older ones have none yet. */
    if (a->iv_state == CTAES_IV_NONE && (!ctx->prov->host_is_4 || a->tls_record || !draw_iv(ctx)))
        return 0;
    if (p->data_size < a->iv_len) {
        CTAES_RAISE(ctx->prov, PROV_R_INVALID_IV_LENGTH);
        return 0;
    }
    return ctaes_check_get(ctx, ctaes_param_set_octet_string(p, a->iv, a->iv_len) ||
                                    ctaes_param_set_octet_ptr(p, a->iv, a->iv_len));
}

static int set_tls_aad(struct ctaes_ctx *ctx, const OSSL_PARAM *p)
{
    struct ctaes_aead_ctx *a = &ctx->u.aead;
    if (!ctaes_check_set(ctx, p->data_type == OSSL_PARAM_OCTET_STRING))
        return 0;
    bool good = p->data != NULL && p->data_size == TLS_AAD_LEN;
    if (good) {
        /* The record's length counts what isn't authenticated: the explicit
           nonce, and the tag in a record that comes in. */
        memcpy(a->tag, p->data, TLS_AAD_LEN);
        a->tls_record = true;
        uint32_t len = (uint32_t)a->tag[11] << 8 | a->tag[12];
        uint32_t overhead = TLS_EXPLICIT_IV_LEN + (ctx->encrypting ? 0 : TAG_LEN);
        good = len >= overhead;
        if (good) {
            a->tag[11] = (uint8_t)((len - overhead) >> 8);
            a->tag[12] = (uint8_t)(len - overhead);
            a->tls_pad = TAG_LEN;
        }
    }
    if (!good)
        CTAES_RAISE(ctx->prov, PROV_R_INVALID_AAD);
    return good;
}

/* Whether the IV, or a part of it, came from the random generator. */
static int get_iv_random(struct ctaes_ctx *ctx, OSSL_PARAM *p)
{
    return ctaes_check_get(ctx, ctaes_param_set_uint(p, ctx->u.aead.iv_random));
}

static int get_tls_pad(struct ctaes_ctx *ctx, OSSL_PARAM *p)
{
    return ctaes_check_get(ctx, ctaes_param_set_size(p, ctx->u.aead.tls_pad));
}

static int set_tls_fixed_iv(struct ctaes_ctx *ctx, const OSSL_PARAM *p)
{
    struct ctaes_aead_ctx *a = &ctx->u.aead;
    if (!ctaes_check_set(ctx, p->data_type == OSSL_PARAM_OCTET_STRING && p->data != NULL))
        return 0;
    size_t len = p->data_size;
    if (len == SIZE_MAX) {
        /* A length of -1: the whole IV (OpenSSH sets it so). */
        memcpy(a->iv, p->data, a->iv_len);
    } else {
        if (!ctaes_check_set(ctx, len >= TLS_FIXED_IV_LEN && len <= a->iv_len &&
                                      a->iv_len - len >= TLS_EXPLICIT_IV_LEN))
            return 0;
        memcpy(a->iv, p->data, len);
        if (ctx->encrypting && !ctaes_check_set(ctx, ctaes_random(a->iv + len, a->iv_len - len)))
            return 0;
    }
    a->iv_generated = true;
    if (len == SIZE_MAX)
        a->iv_random = false;
    else if (ctx->encrypting)
        a->iv_random = true;
    a->iv_state = CTAES_IV_GIVEN;
    return 1;
}

/* A parameter to get that changes the state: each call is another IV. */
static int get_generated_iv(struct ctaes_ctx *ctx, OSSL_PARAM *p)
{
    return p->data != NULL && p->data_type == OSSL_PARAM_OCTET_STRING &&
           generate_iv(ctx, p->data, p->data_size);
}

static int set_explicit_iv_param(struct ctaes_ctx *ctx, const OSSL_PARAM *p)
{
    return p->data != NULL && p->data_type == OSSL_PARAM_OCTET_STRING &&
           set_explicit_iv(ctx, p->data, p->data_size);
}

/* Two rows for the tag: the default provider sets it first and gets it late. */
#define AEAD_PARAMS(R, W, RW)                                                                      \
    W(OSSL_CIPHER_PARAM_AEAD_TAG, OCTETS, set_tag)                                                 \
    RW(OSSL_CIPHER_PARAM_IVLEN, SIZE, get_iv_len, set_iv_len)                                      \
    R(OSSL_CIPHER_PARAM_KEYLEN, SIZE, ctaes_get_key_len)                                           \
    R(OSSL_CIPHER_PARAM_AEAD_TAGLEN, SIZE, get_tag_len)                                            \
    R(OSSL_CIPHER_PARAM_IV, OCTETS, get_iv)                                                        \
    R(OSSL_CIPHER_PARAM_UPDATED_IV, OCTETS, get_iv)                                                \
    R(CTAES_PARAM_IV_GENERATED, UINT, get_iv_random)                                               \
    R(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD, SIZE, get_tls_pad)                                      \
    R(OSSL_CIPHER_PARAM_AEAD_TAG, OCTETS, get_tag)                                                 \
    W(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, OCTETS, set_tls_aad)                                        \
    W(OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, OCTETS, set_tls_fixed_iv)                              \
    R(OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN, OCTETS, get_generated_iv)                            \
    W(OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV, OCTETS, set_explicit_iv_param)                       \
    R(CTAES_PARAM_CORE, UTF8_PTR, ctaes_get_core)

CTAES_PARAM_TABLE(aead, AEAD_PARAMS)
