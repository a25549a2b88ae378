/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GCM-SIV contexts: init, parameters, the order of nonce, AAD, tag and data.
 *
 * AAD comes in any pieces, the data in one update, or in none: then final
 * takes the message for one without data. Decrypting, the tag comes first:
 *
 *   key, nonce ──▶ AAD ──▶ data, once ──▶ final: was it good?
 *    ▲            (tag)                     │
 *    └──────────────────────────────────────┘ the next message
 *
 * Each init starts a message. Keys are derived from key and nonce when the
 * first AAD or data comes.
 *
 * A nonce encrypts one message (enum ctaes_iv_state). GCM-SIV stands a nonce
 * used twice better than GCM does, but tells then whether two messages are the
 * same; so an init without a nonce doesn't take the last one again, except to
 * decrypt.
 *
 * The default provider hands plaintext out before final has looked at the tag.
 * Here the tag is looked at with the data, and plaintext of a forgery wiped.
 */
#include "cipher.h"

#include "declassify.h"
#include "err.h"
#include "params.h"
#include "../cores/ct.h"

#include <openssl/core_names.h>

#include <string.h>

void ctaes_gcm_siv_set_defaults(struct ctaes_ctx *ctx)
{
    (void)ctx;
}

static int init_gcm_siv(struct ctaes_ctx *ctx, const uint8_t *key, size_t key_len,
                        const uint8_t *iv, size_t iv_len, const OSSL_PARAM params[],
                        bool encrypting)
{
    struct ctaes_gcm_siv_ctx *g = &ctx->u.gcm_siv;
    ctx->encrypting = encrypting;
    /* Lengths first: what is refused changes no key and no nonce. */
    if (key != NULL && key_len != ctx->alg->key_len) {
        CTAES_RAISE(ctx->prov, PROV_R_INVALID_KEY_LENGTH);
        return 0;
    }
    if (iv != NULL && iv_len != sizeof g->nonce) {
        CTAES_RAISE(ctx->prov, PROV_R_INVALID_IV_LENGTH);
        return 0;
    }
    if (key != NULL)
        (void)ctaes_set_key(ctx, key, key_len);
    if (iv != NULL) {
        memcpy(g->nonce, iv, sizeof g->nonce);
        g->nonce_state = CTAES_IV_GIVEN;
    }
    g->started = g->done = g->good = g->opened = false;
    return ctaes_gcm_siv_set_ctx_params(ctx, params);
}

int ctaes_gcm_siv_encrypt_init(void *ctx, const unsigned char *key, size_t key_len,
                               const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
    CTAES_CLEARS_REGISTERS(((struct ctaes_ctx *)ctx)->prov);
    return init_gcm_siv(ctx, key, key_len, iv, iv_len, params, true);
}

int ctaes_gcm_siv_decrypt_init(void *ctx, const unsigned char *key, size_t key_len,
                               const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
    CTAES_CLEARS_REGISTERS(((struct ctaes_ctx *)ctx)->prov);
    return init_gcm_siv(ctx, key, key_len, iv, iv_len, params, false);
}

/* Starts the message if it hasn't begun. Raises and returns false if it can't:
   there is no key or no nonce, or the nonce has encrypted a message. */
static bool require_message(struct ctaes_ctx *ctx)
{
    struct ctaes_gcm_siv_ctx *g = &ctx->u.gcm_siv;
    if (g->started)
        return true;
    if (!ctaes_require_key(ctx))
        return false;
    if (g->nonce_state == CTAES_IV_NONE ||
        (g->nonce_state == CTAES_IV_SPENT && ctx->encrypting && !g->unlimited)) {
        CTAES_RAISE(ctx->prov, PROV_R_CIPHER_OPERATION_FAILED);
        return false;
    }
    ctaes_gcm_siv_start(ctx->core, ctaes_key_of(ctx), ctx->alg->key_len, g->nonce,
                        ctaes_second_key_of(ctx), ctaes_ghash_key_of(ctx), &g->state);
    g->started = true;
    return true;
}

/* Takes AAD. Not after the data, where it would be authenticated nowhere. */
static bool add_aad(struct ctaes_ctx *ctx, const uint8_t *aad, size_t len)
{
    struct ctaes_gcm_siv_ctx *g = &ctx->u.gcm_siv;
    if (g->done && !g->unlimited) {
        CTAES_RAISE(ctx->prov, PROV_R_INVALID_AAD);
        return false;
    }
    if (!require_message(ctx))
        return false;
    if (ctaes_gcm_siv_aad(ctx->core, ctaes_ghash_key_of(ctx), &g->state, aad, len) != CTAES_OK) {
        CTAES_RAISE(ctx->prov, PROV_R_INVALID_AAD);
        return false;
    }
    return true;
}

static bool encrypt_data(struct ctaes_ctx *ctx, uint8_t *out, const uint8_t *in, size_t len)
{
    struct ctaes_gcm_siv_ctx *g = &ctx->u.gcm_siv;
    g->nonce_state = CTAES_IV_SPENT;
    return ctaes_gcm_siv_encrypt(ctx->core, ctaes_second_key_of(ctx), ctaes_ghash_key_of(ctx),
                                 &g->state, out, in, len, g->tag) == CTAES_OK;
}

static bool decrypt_data(struct ctaes_ctx *ctx, uint8_t *out, const uint8_t *in, size_t len)
{
    struct ctaes_gcm_siv_ctx *g = &ctx->u.gcm_siv;
    uint8_t tag[CTAES_GCM_SIV_TAG_LEN];
    /* The sender used it: it must not be used for a message back. */
    g->nonce_state = CTAES_IV_SPENT;
    if (ctaes_gcm_siv_decrypt(ctx->core, ctaes_second_key_of(ctx), ctaes_ghash_key_of(ctx),
                              &g->state, out, in, len, g->expected, tag) != CTAES_OK)
        return false;
    /* Public: whether the message is authentic is what the caller asks. */
    bool good = ctaes_declassify(ct_equal_bytes(tag, g->expected, sizeof tag));
    if (good)
        memcpy(g->tag, tag, sizeof g->tag);
    g->opened = good;
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
    struct ctaes_gcm_siv_ctx *g = &ctx->u.gcm_siv;
    if (g->done && !g->unlimited) {
        g->good = g->opened = false; /* not all of the data has been processed */
        return false;
    }
    if (!require_message(ctx))
        return false;
    if (!ctx->encrypting && !g->expected_set) {
        CTAES_RAISE(ctx->prov, PROV_R_TAG_NOT_SET);
        return false; /* it may still come */
    }
    g->good = (ctx->encrypting ? encrypt_data : decrypt_data)(ctx, out, in, len);
    g->done = true;
    return g->good;
}

static bool finish_message(struct ctaes_ctx *ctx)
{
    struct ctaes_gcm_siv_ctx *g = &ctx->u.gcm_siv;
    uint8_t nothing[1] = {0};
    if (g->done)
        return g->good;
    if (!ctx->encrypting && !g->expected_set) {
        g->done = true; /* no tag to compare with: not authentic */
        return false;
    }
    return crypt_data(ctx, nothing, nothing, 0);
}

int ctaes_gcm_siv_cipher(void *vctx, unsigned char *out, size_t *out_len, size_t out_size,
                         const unsigned char *in, size_t in_len)
{
    CTAES_CLEARS_REGISTERS(((struct ctaes_ctx *)vctx)->prov);
    struct ctaes_ctx *ctx = vctx;
    *out_len = 0;
    if (!ctaes_require_room(ctx, out_size, in_len))
        return 0;
    if (in == NULL)
        return finish_message(ctx);
    if (out == NULL ? !add_aad(ctx, in, in_len) : !crypt_data(ctx, out, in, in_len))
        return 0;
    *out_len = in_len;
    return 1;
}

int ctaes_gcm_siv_update(void *vctx, unsigned char *out, size_t *out_len, size_t out_size,
                         const unsigned char *in, size_t in_len)
{
    return ctaes_gcm_siv_cipher(vctx, out, out_len, out_size, in, in_len);
}

int ctaes_gcm_siv_final(void *vctx, unsigned char *out, size_t *out_len, size_t out_size)
{
    return ctaes_gcm_siv_cipher(vctx, out, out_len, out_size, NULL, 0);
}

static int set_tag(struct ctaes_ctx *ctx, const OSSL_PARAM *p)
{
    struct ctaes_gcm_siv_ctx *g = &ctx->u.gcm_siv;
    if (!ctaes_check_set(ctx, p->data_type == OSSL_PARAM_OCTET_STRING && p->data != NULL &&
                                  p->data_size == sizeof g->expected))
        return 0;
    /* Final says whether this tag is the message's, also where the data came before it. Public,
       as both tags were received. */
    if (!ctx->encrypting && g->opened)
        g->good = ctaes_declassify(ct_equal_bytes(g->tag, p->data, sizeof g->tag));
    memcpy(g->expected, p->data, sizeof g->expected);
    g->expected_set = true;
    return 1;
}

static int get_tag(struct ctaes_ctx *ctx, OSSL_PARAM *p)
{
    struct ctaes_gcm_siv_ctx *g = &ctx->u.gcm_siv;
    if (p->data_type != OSSL_PARAM_OCTET_STRING)
        return 1;
    return ctaes_check_get(ctx, ctx->encrypting && g->good && p->data_size == sizeof g->tag &&
                                    ctaes_param_set_octet_string(p, g->tag, sizeof g->tag));
}

static int get_tag_len(struct ctaes_ctx *ctx, OSSL_PARAM *p)
{
    return ctaes_check_get(ctx, ctaes_param_set_size(p, CTAES_GCM_SIV_TAG_LEN));
}

/* For measurements: any number of messages under one nonce. */
static int set_speed(struct ctaes_ctx *ctx, const OSSL_PARAM *p)
{
    unsigned int value;
    if (!ctaes_check_set(ctx, ctaes_param_get_uint(p, &value)))
        return 0;
    ctx->u.gcm_siv.unlimited = value != 0;
    return 1;
}

/* The length can't be changed. */
static int set_key_len(struct ctaes_ctx *ctx, const OSSL_PARAM *p)
{
    size_t len;
    if (!ctaes_check_set(ctx, ctaes_param_get_size(p, &len)))
        return 0;
    if (len != ctx->alg->key_len)
        CTAES_RAISE(ctx->prov, PROV_R_INVALID_KEY_LENGTH);
    return len == ctx->alg->key_len;
}

#define GCM_SIV_PARAMS(R, W, RW)                                                                   \
    W(OSSL_CIPHER_PARAM_AEAD_TAG, OCTETS, set_tag)                                                 \
    W(OSSL_CIPHER_PARAM_SPEED, UINT, set_speed)                                                    \
    W(OSSL_CIPHER_PARAM_KEYLEN, SIZE, set_key_len)                                                 \
    R(OSSL_CIPHER_PARAM_AEAD_TAG, OCTETS, get_tag)                                                 \
    R(OSSL_CIPHER_PARAM_AEAD_TAGLEN, SIZE, get_tag_len)                                            \
    R(OSSL_CIPHER_PARAM_KEYLEN, SIZE, ctaes_get_key_len)                                           \
    R(CTAES_PARAM_CORE, UTF8_PTR, ctaes_get_core)

CTAES_PARAM_TABLE(gcm_siv, GCM_SIV_PARAMS)
