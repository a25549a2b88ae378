/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CBC-CTS contexts. Keys, IVs and most parameters are as for CBC (stream.c);
 * what differs is that a message comes in one update, which knows its end:
 *
 *       init            update              final
 *      key, IV       the message, ≥ 16    0 bytes
 *
 * Nothing waits for a final, and nothing is padded.
 *
 * What fails here fails without an entry on the error queue, as the default
 * provider has it, but for what it does not check: a missing key.
 */
#include "cipher.h"

#include "err.h"
#include "params.h"

#include <openssl/core_names.h>

static const char *const variant_names[] = {
    [CTAES_CS1] = OSSL_CIPHER_CTS_MODE_CS1,
    [CTAES_CS2] = OSSL_CIPHER_CTS_MODE_CS2,
    [CTAES_CS3] = OSSL_CIPHER_CTS_MODE_CS3,
};

void ctaes_cts_set_defaults(struct ctaes_ctx *ctx)
{
    ctaes_chain_set_defaults(ctx);
    ctx->u.chain.cts_variant = CTAES_CS1;
}

int ctaes_cts_encrypt_init(void *ctx, const unsigned char *key, size_t key_len,
                           const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
    return ctaes_chain_encrypt_init(ctx, key, key_len, iv, iv_len, NULL) &&
           ctaes_cts_set_ctx_params(ctx, params);
}

int ctaes_cts_decrypt_init(void *ctx, const unsigned char *key, size_t key_len,
                           const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
    return ctaes_chain_decrypt_init(ctx, key, key_len, iv, iv_len, NULL) &&
           ctaes_cts_set_ctx_params(ctx, params);
}

int ctaes_cts_update(void *vctx, unsigned char *out, size_t *out_len, size_t out_size,
                     const unsigned char *in, size_t in_len)
{
    CTAES_CLEARS_REGISTERS(((struct ctaes_ctx *)vctx)->prov);
    struct ctaes_ctx *ctx = vctx;
    struct ctaes_chain_ctx *c = &ctx->u.chain;
    *out_len = 0;
    if (in_len < 16 || !ctaes_is_length(in_len) || out_size < in_len)
        return 0;
    if (out == NULL) {
        *out_len = in_len;
        return 1;
    }
    if (c->cts_done)
        return 0;
    if (!ctaes_require_key(ctx))
        return 0;
    (ctx->encrypting ? ctaes_cts_encrypt : ctaes_cts_decrypt)(
        ctx->core, ctaes_key_of(ctx), c->cts_variant, &c->chain, out, in, in_len);
    c->cts_done = true;
    *out_len = in_len;
    return 1;
}

int ctaes_cts_final(void *ctx, unsigned char *out, size_t *out_len, size_t out_size)
{
    (void)ctx;
    (void)out;
    (void)out_size;
    *out_len = 0;
    return 1;
}

/* Steals nothing: it is CBC, as for the default provider. */
int ctaes_cts_cipher(void *vctx, unsigned char *out, size_t *out_len, size_t out_size,
                     const unsigned char *in, size_t in_len)
{
    CTAES_CLEARS_REGISTERS(((struct ctaes_ctx *)vctx)->prov);
    struct ctaes_ctx *ctx = vctx;
    *out_len = 0;
    if (!ctaes_require_key(ctx))
        return 0;
    if (!ctaes_require_room(ctx, out_size, in_len))
        return 0;
    /* The default provider writes past a tail's end. */
    if (in_len % 16 != 0) {
        CTAES_RAISE(ctx->prov, PROV_R_WRONG_FINAL_BLOCK_LENGTH);
        return 0;
    }
    (ctx->encrypting ? ctaes_mode_cbc.encrypt : ctaes_mode_cbc.decrypt)(
        ctx->core, ctaes_key_of(ctx), &ctx->u.chain.chain, out, in, in_len);
    *out_len = in_len;
    return 1;
}

static int get_variant(struct ctaes_ctx *ctx, OSSL_PARAM *p)
{
    return ctaes_check_get(ctx,
                           ctaes_param_set_utf8_string(p, variant_names[ctx->u.chain.cts_variant]));
}

static int set_variant(struct ctaes_ctx *ctx, const OSSL_PARAM *p)
{
    for (size_t i = 0; i < sizeof variant_names / sizeof variant_names[0]; i++)
        if (ctaes_param_is_text(p, variant_names[i])) {
            ctx->u.chain.cts_variant = (enum ctaes_cts_variant)i;
            return 1;
        }
    /* The default provider's reason, whether a parameter is got or set. */
    return ctaes_check_get(ctx, false);
}

int ctaes_cts_get_ctx_params(void *ctx, OSSL_PARAM params[])
{
    OSSL_PARAM *p = ctaes_find_param(params, OSSL_CIPHER_PARAM_CTS_MODE);
    return (p == NULL || get_variant(ctx, p)) && ctaes_chain_get_ctx_params(ctx, params);
}

int ctaes_cts_set_ctx_params(void *ctx, const OSSL_PARAM params[])
{
    const OSSL_PARAM *p = ctaes_find_param(params, OSSL_CIPHER_PARAM_CTS_MODE);
    return (p == NULL || set_variant(ctx, p)) && ctaes_chain_set_ctx_params(ctx, params);
}

/* Not those of CBC that have to do with TLS, though they can be got and set. */
const OSSL_PARAM *ctaes_cts_gettable_ctx_params(void *ctx, void *provctx)
{
    (void)ctx;
    (void)provctx;
    static const OSSL_PARAM list[] = {
        CTAES_SIZE(OSSL_CIPHER_PARAM_KEYLEN),
        CTAES_SIZE(OSSL_CIPHER_PARAM_IVLEN),
        CTAES_UINT(OSSL_CIPHER_PARAM_PADDING),
        CTAES_UINT(OSSL_CIPHER_PARAM_NUM),
        CTAES_OCTETS(OSSL_CIPHER_PARAM_IV),
        CTAES_OCTETS(OSSL_CIPHER_PARAM_UPDATED_IV),
        CTAES_UTF8_STRING(OSSL_CIPHER_PARAM_CTS_MODE),
        CTAES_UTF8_PTR(CTAES_PARAM_CORE),
        OSSL_PARAM_END,
    };
    return list;
}

const OSSL_PARAM *ctaes_cts_settable_ctx_params(void *ctx, void *provctx)
{
    (void)ctx;
    (void)provctx;
    static const OSSL_PARAM list[] = {
        CTAES_UINT(OSSL_CIPHER_PARAM_PADDING),
        CTAES_UINT(OSSL_CIPHER_PARAM_NUM),
        CTAES_UTF8_STRING(OSSL_CIPHER_PARAM_CTS_MODE),
        OSSL_PARAM_END,
    };
    return list;
}
