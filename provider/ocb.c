/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OCB contexts. AAD and data are two streams, in any order; of each, what
 * doesn't fill a block waits for more of its kind, or for final:
 *
 *       update            update              final
 *   ├────┼────┼──┤     ├──┼────┼────┤─┤
 *   out  out  wait     with what came:        out, and the tag
 *                      out  out  out  wait
 *
 * An IV serves one message, as in aead.c. The one-shot call takes a message's
 * data at once, with an end that needn't fill a block; nothing can follow that.
 */
#include "cipher.h"

#include "declassify.h"
#include "err.h"
#include "params.h"
#include "../cores/bytes.h"
#include "../cores/ct.h"

#include <openssl/core_names.h>
#include <openssl/err.h>

#include <string.h>

#define MAX_TAG_LEN 16

void ctaes_ocb_set_defaults(struct ctaes_ctx *ctx)
{
    ctx->u.ocb.iv_len = ctx->alg->mode->iv_len;
    ctx->u.ocb.tag_len = MAX_TAG_LEN;
}

static int init_ocb(struct ctaes_ctx *ctx, const uint8_t *key, size_t key_len, const uint8_t *iv,
                    size_t iv_len, const OSSL_PARAM params[], bool encrypting)
{
    struct ctaes_ocb_ctx *o = &ctx->u.ocb;

    o->data_len = 0;
    o->aad_len = 0;
    ct_wipe(o->data, sizeof o->data);
    ctx->encrypting = encrypting;
    if (iv != NULL) {
        if (iv_len < CTAES_OCB_MIN_NONCE || iv_len > CTAES_OCB_MAX_NONCE) {
            CTAES_RAISE(ctx->prov, PROV_R_INVALID_IV_LENGTH);
            return 0;
        }
        memcpy(o->iv, iv, iv_len);
        o->iv_len = iv_len;
        o->iv_state = CTAES_IV_GIVEN;
    }
    if (key != NULL) {
        if (!ctaes_set_key(ctx, key, key_len))
            return 0;
        ct_wipe(&o->state, sizeof o->state); /* of a message that was given up */
        ctaes_ocb_set_key(ctx->core, ctaes_key_of(ctx), ctaes_own_key_of(ctx));
        /* A message under way can't go on under another key, and to start it
           again would use its IV twice if the key is the same. */
        if (o->iv_state == CTAES_IV_STARTED)
            o->iv_state = CTAES_IV_SPENT;
    }
    /* Also when only the direction changes. */
    if (!encrypting)
        ctaes_ready_decrypt(ctx);
    return ctaes_ocb_set_ctx_params(ctx, params);
}

int ctaes_ocb_encrypt_init(void *ctx, const unsigned char *key, size_t key_len,
                           const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
    CTAES_CLEARS_REGISTERS(((struct ctaes_ctx *)ctx)->prov);
    return init_ocb(ctx, key, key_len, iv, iv_len, params, true);
}

int ctaes_ocb_decrypt_init(void *ctx, const unsigned char *key, size_t key_len,
                           const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
    CTAES_CLEARS_REGISTERS(((struct ctaes_ctx *)ctx)->prov);
    return init_ocb(ctx, key, key_len, iv, iv_len, params, false);
}

/* Starts the message if it hasn't begun; false if it can't begin. */
static bool require_message(struct ctaes_ctx *ctx)
{
    struct ctaes_ocb_ctx *o = &ctx->u.ocb;
    if (!ctx->key_set || o->iv_state == CTAES_IV_NONE || o->iv_state == CTAES_IV_SPENT)
        return false;
    if (o->iv_state == CTAES_IV_GIVEN) {
        if (o->tag_len == 0)
            return false;
        ctaes_ocb_start(ctx->core, ctaes_key_of(ctx), &o->state, o->iv, o->iv_len, o->tag_len);
        o->iv_state = CTAES_IV_STARTED;
    }
    return true;
}

static void crypt_data(struct ctaes_ctx *ctx, uint8_t *out, const uint8_t *in, size_t len)
{
    (ctx->encrypting ? ctaes_ocb_encrypt : ctaes_ocb_decrypt)(
        ctx->core, ctaes_key_of(ctx), ctaes_own_key_of(ctx), &ctx->u.ocb.state, out, in, len);
}

static void hash_aad(struct ctaes_ctx *ctx, const uint8_t *aad, size_t len)
{
    ctaes_ocb_aad(ctx->core, ctaes_key_of(ctx), ctaes_own_key_of(ctx), &ctx->u.ocb.state, aad, len);
}

static void add_aad(struct ctaes_ctx *ctx, const uint8_t *aad, size_t len)
{
    struct ctaes_ocb_ctx *o = &ctx->u.ocb;
    if (o->aad_len != 0) {
        size_t now = 16 - o->aad_len < len ? 16 - o->aad_len : len;
        memcpy(o->aad + o->aad_len, aad, now);
        o->aad_len += (uint32_t)now;
        if (o->aad_len < 16)
            return;
        hash_aad(ctx, o->aad, 16);
        aad += now;
        len -= now;
    }
    hash_aad(ctx, aad, len - len % 16);
    o->aad_len = (uint32_t)(len % 16);
    memcpy(o->aad, aad + (len - o->aad_len), o->aad_len);
}

/* Puts out all whole blocks of what waits and what comes. */
static void add_data(struct ctaes_ctx *ctx, uint8_t *out, const uint8_t *in, size_t len)
{
    struct ctaes_ocb_ctx *o = &ctx->u.ocb;
    const size_t held = o->data_len;
    const size_t ready = (held + len) - (held + len) % 16;
    if (ready == 0) {
        memcpy(o->data + held, in, len);
        o->data_len += (uint32_t)len;
        return;
    }
    uint8_t first[16];
    size_t direct = ready;
    if (held != 0) {
        memcpy(first, o->data, held);
        memcpy(first + held, in, 16 - held);
        crypt_data(ctx, first, first, 16);
        in += 16 - held;
        len -= 16 - held;
        direct -= 16;
    }
    o->data_len = (uint32_t)(len - direct);
    memcpy(o->data, in + direct, o->data_len);
    uint8_t *rest = out + (ready - direct);
    /* In place, the output runs ahead of the input by what waited; modes can't
       have that. */
    if ((uintptr_t)rest > (uintptr_t)in && (uintptr_t)rest - (uintptr_t)in < direct) {
        memmove(rest, in, direct);
        in = rest;
    }
    crypt_data(ctx, rest, in, direct);
    if (held != 0) {
        memcpy(out, first, 16);
        ct_wipe(first, sizeof first);
    }
}

/* Without output, the input is AAD. *out_len: as the default provider has it,
   the bytes that don't wait, for AAD too. */
int ctaes_ocb_update(void *vctx, unsigned char *out, size_t *out_len, size_t out_size,
                     const unsigned char *in, size_t in_len)
{
    CTAES_CLEARS_REGISTERS(((struct ctaes_ctx *)vctx)->prov);
    struct ctaes_ctx *ctx = vctx;
    struct ctaes_ocb_ctx *o = &ctx->u.ocb;
    *out_len = 0;
    if (!require_message(ctx))
        return 0;
    if (in_len == 0)
        return 1;
    if (!ctaes_is_length(in_len) || in == NULL) {
        CTAES_RAISE(ctx->prov, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
        return 0;
    }
    size_t ready = (out == NULL ? o->aad_len : o->data_len) + in_len;
    ready -= ready % 16;
    if (!ctaes_require_room(ctx, out_size, ready))
        return 0;
    if (out == NULL ? o->state.aad_ended : o->state.data_ended) {
        CTAES_RAISE(ctx->prov, PROV_R_CIPHER_OPERATION_FAILED);
        return 0;
    }
    if (out == NULL)
        add_aad(ctx, in, in_len);
    else
        add_data(ctx, out, in, in_len);
    *out_len = ready;
    return 1;
}

/* Computes the tag; on decryption, compares it with the one expected. */
static bool finish_message(struct ctaes_ctx *ctx)
{
    struct ctaes_ocb_ctx *o = &ctx->u.ocb;
    uint8_t tag[MAX_TAG_LEN];
    ctaes_ocb_finish(ctx->core, ctaes_key_of(ctx), ctaes_own_key_of(ctx), &o->state, tag);
    /* The IV is spent even where the tag is wrong. */
    o->iv_state = CTAES_IV_SPENT;
    bool good = true;
    if (ctx->encrypting)
        memcpy(o->tag, tag, o->tag_len);
    else
        /* Public: whether the message is authentic is what the caller asks. */
        good = ctaes_declassify(ct_equal_bytes(tag, o->tag, o->tag_len));
    ct_wipe(tag, sizeof tag);
    if (!good && ctx->prov->raises_on_bad_tag)
        CTAES_RAISE(ctx->prov, PROV_R_BAD_DECRYPT);
    return good;
}

/* Silent on a tag that is wrong: callers take that for an answer. */
int ctaes_ocb_final(void *vctx, unsigned char *out, size_t *out_len, size_t out_size)
{
    CTAES_CLEARS_REGISTERS(((struct ctaes_ctx *)vctx)->prov);
    struct ctaes_ctx *ctx = vctx;
    struct ctaes_ocb_ctx *o = &ctx->u.ocb;
    uint8_t last[16];
    const size_t len = o->data_len;
    *out_len = 0;
    if (!require_message(ctx) || o->tag_len == 0)
        return 0;
    if (len > 0 && !ctaes_require_room(ctx, out != NULL ? out_size : 0, len))
        return 0;
    if (len > 0)
        crypt_data(ctx, last, o->data, len);
    if (o->aad_len > 0)
        hash_aad(ctx, o->aad, o->aad_len);
    o->data_len = 0;
    o->aad_len = 0;
    ct_wipe(o->data, sizeof o->data);
    bool good = finish_message(ctx);
    if (good && len > 0) {
        memcpy(out, last, len);
        *out_len = len;
    }
    ct_wipe(last, len);
    return good;
}

int ctaes_ocb_cipher(void *vctx, unsigned char *out, size_t *out_len, size_t out_size,
                     const unsigned char *in, size_t in_len)
{
    CTAES_CLEARS_REGISTERS(((struct ctaes_ctx *)vctx)->prov);
    struct ctaes_ctx *ctx = vctx;
    struct ctaes_ocb_ctx *o = &ctx->u.ocb;
    *out_len = 0;
    if (in == NULL)
        return ctaes_ocb_final(vctx, out, out_len, out_size);
    if (!ctaes_require_room(ctx, out_size, in_len))
        return 0;
    /* Data that waits for more would come before this. */
    if (!require_message(ctx) || (out != NULL && (o->data_len > 0 || o->state.data_ended)) ||
        (out == NULL && o->state.aad_ended)) {
        CTAES_RAISE(ctx->prov, PROV_R_CIPHER_OPERATION_FAILED);
        return 0;
    }
    if (out == NULL)
        add_aad(ctx, in, in_len);
    else
        crypt_data(ctx, out, in, in_len);
    *out_len = in_len;
    return 1;
}

/* Without data, the tag's length; with data, the tag to expect. */
static int set_tag(struct ctaes_ctx *ctx, const OSSL_PARAM *p)
{
    struct ctaes_ocb_ctx *o = &ctx->u.ocb;
    if (!ctaes_check_set(ctx, p->data_type == OSSL_PARAM_OCTET_STRING))
        return 0;
    if (p->data != NULL && ctx->encrypting) {
        CTAES_RAISE(ctx->prov, ERR_R_PASSED_INVALID_ARGUMENT);
        return 0;
    }
    if (p->data == NULL ? p->data_size > MAX_TAG_LEN : p->data_size != o->tag_len) {
        CTAES_RAISE(ctx->prov, PROV_R_INVALID_TAG_LENGTH);
        return 0;
    }
    if (p->data == NULL)
        o->tag_len = p->data_size;
    else
        memcpy(o->tag, p->data, p->data_size);
    return 1;
}

static int get_tag(struct ctaes_ctx *ctx, OSSL_PARAM *p)
{
    struct ctaes_ocb_ctx *o = &ctx->u.ocb;
    /* As the default provider says it here, too. */
    if (!ctaes_check_set(ctx, p->data_type == OSSL_PARAM_OCTET_STRING))
        return 0;
    if (!ctx->encrypting || p->data_size != o->tag_len) {
        CTAES_RAISE(ctx->prov, PROV_R_INVALID_TAG_LENGTH);
        return 0;
    }
    if (!ctaes_check_get(ctx, p->data != NULL))
        return 0;
    memcpy(p->data, o->tag, p->data_size);
    return 1;
}

static int get_tag_len(struct ctaes_ctx *ctx, OSSL_PARAM *p)
{
    return ctaes_check_get(ctx, ctaes_param_set_size(p, ctx->u.ocb.tag_len));
}

static int get_iv_len(struct ctaes_ctx *ctx, OSSL_PARAM *p)
{
    return ctaes_check_get(ctx, ctaes_param_set_size(p, ctx->u.ocb.iv_len));
}

static int set_iv_len(struct ctaes_ctx *ctx, const OSSL_PARAM *p)
{
    struct ctaes_ocb_ctx *o = &ctx->u.ocb;
    size_t len;
    if (!ctaes_check_set(ctx, ctaes_param_get_size(p, &len)))
        return 0;
    if (len < CTAES_OCB_MIN_NONCE || len > CTAES_OCB_MAX_NONCE)
        return 0;
    /* An IV of another length, given or in use, is no longer the caller's. */
    if (len != o->iv_len) {
        o->iv_len = len;
        o->iv_state = CTAES_IV_NONE;
    }
    return 1;
}

/* "iv" and "updated-iv" are the same: the IV doesn't run. */
static int get_iv(struct ctaes_ctx *ctx, OSSL_PARAM *p)
{
    struct ctaes_ocb_ctx *o = &ctx->u.ocb;
    if (p->data_size < o->iv_len) {
        CTAES_RAISE(ctx->prov, PROV_R_INVALID_IV_LENGTH);
        return 0;
    }
    return ctaes_check_get(ctx, ctaes_param_set_octet_string(p, o->iv, o->iv_len) ||
                                    ctaes_param_set_octet_ptr(p, o->iv, o->iv_len));
}

/* The key's length can be set to what it is. */
static int set_key_len(struct ctaes_ctx *ctx, const OSSL_PARAM *p)
{
    size_t len;
    if (!ctaes_check_set(ctx, ctaes_param_get_size(p, &len)))
        return 0;
    if (len != ctx->alg->key_len)
        CTAES_RAISE(ctx->prov, PROV_R_INVALID_KEY_LENGTH);
    return len == ctx->alg->key_len;
}

/* Two rows for the tag: the default provider sets it first and gets it late. */
#define OCB_PARAMS(R, W, RW)                                                                       \
    W(OSSL_CIPHER_PARAM_AEAD_TAG, OCTETS, set_tag)                                                 \
    RW(OSSL_CIPHER_PARAM_IVLEN, SIZE, get_iv_len, set_iv_len)                                      \
    RW(OSSL_CIPHER_PARAM_KEYLEN, SIZE, ctaes_get_key_len, set_key_len)                             \
    R(OSSL_CIPHER_PARAM_AEAD_TAGLEN, SIZE, get_tag_len)                                            \
    R(OSSL_CIPHER_PARAM_IV, OCTETS, get_iv)                                                        \
    R(OSSL_CIPHER_PARAM_UPDATED_IV, OCTETS, get_iv)                                                \
    R(OSSL_CIPHER_PARAM_AEAD_TAG, OCTETS, get_tag)                                                 \
    R(CTAES_PARAM_CORE, UTF8_PTR, ctaes_get_core)

CTAES_PARAM_TABLE(ocb, OCB_PARAMS)
