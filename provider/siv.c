/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SIV contexts: init, parameters, the order of AAD, tag and data.
 *
 * There is no IV. Each update without an output is one component of AAD; one
 * update brings all of the data:
 *
 *   key ──▶ AAD, any number ──▶ data, once ──▶ final: was it good?
 *    ▲      (decrypting: tag)                    │
 *    └───────────────────────────────────────────┘ the next message
 *
 * Plaintext is handed out only after its tag has been found right. Data of no
 * bytes is data, too; the default provider up to OpenSSL 3.4 or so takes it for
 * nothing, and can't encrypt an empty message.
 */
#include "cipher.h"

#include "declassify.h"
#include "err.h"
#include "params.h"
#include "../cores/ct.h"

#include <openssl/core_names.h>

#include <string.h>

void ctaes_siv_set_defaults(struct ctaes_ctx *ctx)
{
    (void)ctx;
}

/* Expands both halves of the key, and starts a message. */
static int set_keys(struct ctaes_ctx *ctx, const uint8_t *key, size_t key_len)
{
    struct ctaes_siv_ctx *s = &ctx->u.siv;
    if (key_len != ctx->alg->key_len) {
        CTAES_RAISE(ctx->prov, PROV_R_INVALID_KEY_LENGTH);
        return 0;
    }
    ctx->core->expand_key(ctaes_key_of(ctx), key, key_len / 2);
    ctx->core->expand_key(ctaes_second_key_of(ctx), key + key_len / 2, key_len / 2);
    ctaes_siv_set_key(ctx->core, ctaes_key_of(ctx), &s->state);
    ctx->key_set = true;
    s->done = s->good = s->unlimited = false;
    return 1;
}

static int init_siv(struct ctaes_ctx *ctx, const uint8_t *key, size_t key_len,
                    const OSSL_PARAM params[], bool encrypting)
{
    ctx->encrypting = encrypting;
    if (key != NULL && !set_keys(ctx, key, key_len))
        return 0;
    return ctaes_siv_set_ctx_params(ctx, params);
}

int ctaes_siv_encrypt_init(void *ctx, const unsigned char *key, size_t key_len,
                           const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
    CTAES_CLEARS_REGISTERS(((struct ctaes_ctx *)ctx)->prov);
    (void)iv;
    (void)iv_len;
    return init_siv(ctx, key, key_len, params, true);
}

int ctaes_siv_decrypt_init(void *ctx, const unsigned char *key, size_t key_len,
                           const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
    CTAES_CLEARS_REGISTERS(((struct ctaes_ctx *)ctx)->prov);
    (void)iv;
    (void)iv_len;
    return init_siv(ctx, key, key_len, params, false);
}

/* Takes a component of AAD. Not after the data, where it would be authenticated
   nowhere. */
static bool add_aad(struct ctaes_ctx *ctx, const uint8_t *aad, size_t len)
{
    struct ctaes_siv_ctx *s = &ctx->u.siv;
    if (!ctaes_require_key(ctx))
        return false;
    if (s->done && !s->unlimited) {
        CTAES_RAISE(ctx->prov, PROV_R_INVALID_AAD);
        return false;
    }
    if (ctaes_siv_aad(ctx->core, ctaes_key_of(ctx), &s->state, aad, len) != CTAES_OK) {
        CTAES_RAISE(ctx->prov, PROV_R_INVALID_AAD);
        return false;
    }
    return true;
}

static bool encrypt_data(struct ctaes_ctx *ctx, uint8_t *out, const uint8_t *in, size_t len)
{
    struct ctaes_siv_ctx *s = &ctx->u.siv;
    return ctaes_siv_encrypt(ctx->core, ctaes_key_of(ctx), ctaes_second_key_of(ctx), &s->state, out,
                             in, len, s->tag) == CTAES_OK;
}

static bool decrypt_data(struct ctaes_ctx *ctx, uint8_t *out, const uint8_t *in, size_t len)
{
    struct ctaes_siv_ctx *s = &ctx->u.siv;
    uint8_t tag[CTAES_SIV_TAG_LEN];
    if (ctaes_siv_decrypt(ctx->core, ctaes_key_of(ctx), ctaes_second_key_of(ctx), &s->state, out,
                          in, len, s->tag, tag) != CTAES_OK)
        return false;
    /* Public: whether the message is authentic is what the caller asks. */
    bool good = ctaes_declassify(ct_equal_bytes(tag, s->tag, sizeof tag));
    ct_wipe(tag, sizeof tag);
    if (!good) {
        ct_wipe(out, len);
        if (ctx->prov->raises_on_bad_tag)
            CTAES_RAISE(ctx->prov, PROV_R_BAD_DECRYPT);
    }
    return good;
}

/* Takes the data of the message. */
static bool crypt_data(struct ctaes_ctx *ctx, uint8_t *out, const uint8_t *in, size_t len)
{
    struct ctaes_siv_ctx *s = &ctx->u.siv;
    if (!ctx->key_set)
        return false;
    s->good = (!s->done || s->unlimited) &&
              (ctx->encrypting ? encrypt_data : decrypt_data)(ctx, out, in, len);
    s->done = true;
    return s->good;
}

static bool finish_message(struct ctaes_ctx *ctx)
{
    if (!ctx->key_set)
        CTAES_RAISE(ctx->prov, PROV_R_NO_KEY_SET);
    return ctx->u.siv.good;
}

int ctaes_siv_cipher(void *vctx, unsigned char *out, size_t *out_len, size_t out_size,
                     const unsigned char *in, size_t in_len)
{
    CTAES_CLEARS_REGISTERS(((struct ctaes_ctx *)vctx)->prov);
    struct ctaes_ctx *ctx = vctx;
    *out_len = 0;
    if (in == NULL)
        return finish_message(ctx);
    if (!ctaes_is_length(in_len) || (out != NULL && out_size < in_len)) {
        CTAES_RAISE(ctx->prov, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
        return 0;
    }
    if (out == NULL ? !add_aad(ctx, in, in_len) : !crypt_data(ctx, out, in, in_len))
        return 0;
    *out_len = in_len;
    return 1;
}

int ctaes_siv_update(void *vctx, unsigned char *out, size_t *out_len, size_t out_size,
                     const unsigned char *in, size_t in_len)
{
    return ctaes_siv_cipher(vctx, out, out_len, out_size, in, in_len);
}

int ctaes_siv_final(void *vctx, unsigned char *out, size_t *out_len, size_t out_size)
{
    return ctaes_siv_cipher(vctx, out, out_len, out_size, NULL, 0);
}

/* A tag that comes when encrypting is ignored, and so is what was asked for beside it; the
   default provider does so. */
static int set_tag(struct ctaes_ctx *ctx, const OSSL_PARAM *p)
{
    struct ctaes_siv_ctx *s = &ctx->u.siv;
    if (ctx->encrypting)
        return CTAES_IGNORE_REST;
    if (!ctaes_check_set(ctx, p->data_type == OSSL_PARAM_OCTET_STRING && p->data != NULL &&
                                  p->data_size == sizeof s->tag))
        return 0;
    memcpy(s->tag, p->data, sizeof s->tag);
    s->good = false;
    return 1;
}

/* What isn't asked for as octets is left as it is, as the default provider does. */
static int get_tag(struct ctaes_ctx *ctx, OSSL_PARAM *p)
{
    struct ctaes_siv_ctx *s = &ctx->u.siv;
    if (p->data_type != OSSL_PARAM_OCTET_STRING)
        return 1;
    return ctaes_check_get(ctx, ctx->encrypting && p->data_size == sizeof s->tag &&
                                    ctaes_param_set_octet_string(p, s->tag, sizeof s->tag));
}

static int get_tag_len(struct ctaes_ctx *ctx, OSSL_PARAM *p)
{
    return ctaes_check_get(ctx, ctaes_param_set_size(p, CTAES_SIV_TAG_LEN));
}

/* For measurements: with 1, any number of messages under one key, without an init
   before each. Any value lets one more message through. */
static int set_speed(struct ctaes_ctx *ctx, const OSSL_PARAM *p)
{
    struct ctaes_siv_ctx *s = &ctx->u.siv;
    unsigned int value;
    if (!ctaes_check_set(ctx, ctaes_param_get_uint(p, &value)))
        return 0;
    s->unlimited = value == 1;
    s->done = s->good = false;
    return 1;
}

/* The length can't be changed; another one is refused without an error, as the
   default provider does. */
static int set_key_len(struct ctaes_ctx *ctx, const OSSL_PARAM *p)
{
    size_t len;
    if (!ctaes_check_set(ctx, ctaes_param_get_size(p, &len)) || len != ctx->alg->key_len)
        return 0;
    ctx->u.siv.good = false;
    return 1;
}

#define SIV_PARAMS(R, W, RW)                                                                       \
    W(OSSL_CIPHER_PARAM_AEAD_TAG, OCTETS, set_tag)                                                 \
    W(OSSL_CIPHER_PARAM_SPEED, UINT, set_speed)                                                    \
    W(OSSL_CIPHER_PARAM_KEYLEN, SIZE, set_key_len)                                                 \
    R(OSSL_CIPHER_PARAM_AEAD_TAG, OCTETS, get_tag)                                                 \
    R(OSSL_CIPHER_PARAM_AEAD_TAGLEN, SIZE, get_tag_len)                                            \
    R(OSSL_CIPHER_PARAM_KEYLEN, SIZE, ctaes_get_key_len)                                           \
    R(CTAES_PARAM_CORE, UTF8_PTR, ctaes_get_core)

CTAES_PARAM_TABLE(siv, SIV_PARAMS)
