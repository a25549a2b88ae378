/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Key wrap contexts. One update wraps or unwraps one key, and there is nothing to
 * finish.
 *
 *   update(out == NULL)        the size that the output may take
 *   update, encrypting         8 bytes longer than the input (padded to 8)
 *   update, decrypting         8 bytes shorter, less the padding
 *
 * The IV is the integrity check value, public; without one it is the standard's.
 * The parameters are those of the generic modes, as the default provider lists
 * them, of which it looks at one.
 */
#include "cipher.h"

#include "declassify.h"
#include "err.h"
#include "params.h"
#include "modes/wrap.h"
#include "../cores/ct.h"

#include <openssl/core_names.h>

#include <limits.h>
#include <string.h>

/* KWP has an ICV of 4 bytes, KW one of 8. */
static bool is_padded(const struct ctaes_ctx *ctx)
{
    return ctx->alg->mode->iv_len == 4;
}

/* Whether the AES inverse cipher wraps. */
static bool is_inverse(const struct ctaes_ctx *ctx)
{
    return !ctx->alg->mode->inverse_cipher;
}

void ctaes_wrap_set_defaults(struct ctaes_ctx *ctx)
{
    (void)ctx;
}

static int init_wrap(struct ctaes_ctx *ctx, const uint8_t *key, size_t key_len, const uint8_t *iv,
                     size_t iv_len, const OSSL_PARAM params[], bool encrypting)
{
    ctx->encrypting = encrypting;
    ctx->u.wrap.used = false;
    if (iv != NULL) {
        if (iv_len != ctx->alg->mode->iv_len) {
            CTAES_RAISE(ctx->prov, PROV_R_INVALID_IV_LENGTH);
            return 0;
        }
        memcpy(ctx->u.wrap.iv, iv, iv_len);
        ctx->u.wrap.iv_set = true;
    }
    if (key != NULL && !ctaes_set_key(ctx, key, key_len))
        return 0;
    /* Also when only the direction changes. */
    if (encrypting == is_inverse(ctx))
        ctaes_ready_decrypt(ctx);
    return ctaes_wrap_set_ctx_params(ctx, params);
}

int ctaes_wrap_encrypt_init(void *ctx, const unsigned char *key, size_t key_len,
                            const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
    CTAES_CLEARS_REGISTERS(key != NULL ? ((struct ctaes_ctx *)ctx)->prov : NULL);
    return init_wrap(ctx, key, key_len, iv, iv_len, params, true);
}

int ctaes_wrap_decrypt_init(void *ctx, const unsigned char *key, size_t key_len,
                            const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
    CTAES_CLEARS_REGISTERS(key != NULL ? ((struct ctaes_ctx *)ctx)->prov : NULL);
    return init_wrap(ctx, key, key_len, iv, iv_len, params, false);
}

/* Wraps; every length has been checked. Returns the output's length. */
static size_t wrap_key(struct ctaes_ctx *ctx, uint8_t *out, const uint8_t *in, size_t len)
{
    const struct ctaes_wrap_ctx *w = &ctx->u.wrap;
    if (is_padded(ctx))
        return ctaes_wrap_pad(ctx->core, ctaes_key_of(ctx), is_inverse(ctx),
                              w->iv_set ? w->iv : ctaes_wrap_pad_icv, out, in, len);
    ctaes_wrap(ctx->core, ctaes_key_of(ctx), is_inverse(ctx), w->iv_set ? w->iv : ctaes_wrap_icv,
               out, in, len);
    return len + 8;
}

/* Unwraps. Returns the length of what was wrapped, or 0 if it isn't intact;
   then the output is all zeros. */
static size_t unwrap_key(struct ctaes_ctx *ctx, uint8_t *out, const uint8_t *in, size_t len)
{
    const struct ctaes_wrap_ctx *w = &ctx->u.wrap;
    uint32_t good, padding = 0;
    if (is_padded(ctx))
        good = ctaes_unwrap_pad(ctx->core, ctaes_key_of(ctx), is_inverse(ctx),
                                w->iv_set ? w->iv : ctaes_wrap_pad_icv, out, in, len, &padding);
    else
        good = ctaes_unwrap(ctx->core, ctaes_key_of(ctx), is_inverse(ctx),
                            w->iv_set ? w->iv : ctaes_wrap_icv, out, in, len);
    /* Public: whether the wrapped key is authentic is what the caller asks.
       Which check failed is not said. */
    if (!ctaes_declassify(good))
        return 0;
    /* Public, now that it is authentic: the length, which the caller is told. */
    size_t unused = 0;
    while (!ctaes_declassify(ct_eq(padding, (uint32_t)unused)))
        unused++;
    return len - 8 - unused;
}

int ctaes_wrap_update(void *vctx, unsigned char *out, size_t *out_len, size_t out_size,
                      const unsigned char *in, size_t in_len)
{
    CTAES_CLEARS_REGISTERS(((struct ctaes_ctx *)vctx)->prov);
    struct ctaes_ctx *ctx = vctx;
    bool padded = is_padded(ctx);
    *out_len = 0;
    if (in_len == 0)
        return 1;
    /* EVP says of the output that it is 8 bytes longer than the input, also
       where padding makes it up to 7 more and the caller has seen to it. */
    bool fits = ctaes_is_length(in_len) && out_size >= in_len;
    if (out != NULL && ctx->encrypting)
        fits = fits && out_size - in_len >= 8;
    if (!fits) {
        CTAES_RAISE(ctx->prov, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
        return 0;
    }
    if (in == NULL)
        return 0;
    if ((!ctx->encrypting && in_len < 16) || ((!ctx->encrypting || !padded) && in_len % 8 != 0)) {
        CTAES_RAISE(ctx->prov, PROV_R_INVALID_INPUT_LENGTH);
        return 0;
    }
    size_t most = ctx->encrypting ? (in_len + 7) / 8 * 8 + 8 : in_len - 8;
    if (most > INT_MAX) {
        CTAES_RAISE(ctx->prov, PROV_R_INVALID_OUTPUT_LENGTH);
        return 0;
    }
    if (out == NULL) {
        *out_len = most;
        return 1;
    }
    if (!ctaes_require_key(ctx))
        return 0;
    /* Each key that is wrapped stands for itself; OpenSSL 4.0 wants an init before each. */
    if (ctx->u.wrap.used && ctx->prov->host_is_4) {
        CTAES_RAISE(ctx->prov, PROV_R_UPDATE_CALL_OUT_OF_ORDER);
        return 0;
    }
    ctx->u.wrap.used = true;
    /* KW isn't defined for less than two semiblocks. */
    if (padded || (ctx->encrypting ? in_len : most) >= 16)
        *out_len =
            ctx->encrypting ? wrap_key(ctx, out, in, in_len) : unwrap_key(ctx, out, in, in_len);
    if (*out_len == 0) {
        CTAES_RAISE(ctx->prov, PROV_R_CIPHER_OPERATION_FAILED);
        return 0;
    }
    return 1;
}

int ctaes_wrap_final(void *ctx, unsigned char *out, size_t *out_len, size_t out_size)
{
    (void)ctx;
    (void)out;
    (void)out_size;
    *out_len = 0;
    return 1;
}

static int get_iv_len(struct ctaes_ctx *ctx, OSSL_PARAM *p)
{
    return ctaes_check_get(ctx, ctaes_param_set_size(p, ctx->alg->mode->iv_len));
}

static int get_padding(struct ctaes_ctx *ctx, OSSL_PARAM *p)
{
    return ctaes_check_get(ctx, ctaes_param_set_uint(p, is_padded(ctx)));
}

static int get_num(struct ctaes_ctx *ctx, OSSL_PARAM *p)
{
    return ctaes_check_get(ctx, ctaes_param_set_uint(p, 0));
}

static int get_iv(struct ctaes_ctx *ctx, OSSL_PARAM *p)
{
    const uint8_t *iv = ctx->u.wrap.iv;
    size_t len = ctx->alg->mode->iv_len;
    return ctaes_check_get(ctx, ctaes_param_set_octet_ptr(p, iv, len) ||
                                    ctaes_param_set_octet_string(p, iv, len));
}

static int get_tls_mac(struct ctaes_ctx *ctx, OSSL_PARAM *p)
{
    return ctaes_check_get(ctx, ctaes_param_set_octet_ptr(p, NULL, 0));
}

static int set_key_len(struct ctaes_ctx *ctx, const OSSL_PARAM *p)
{
    size_t len;
    if (!ctaes_check_set(ctx, ctaes_param_get_size(p, &len)))
        return 0;
    if (len != ctx->alg->key_len)
        CTAES_RAISE(ctx->prov, PROV_R_INVALID_KEY_LENGTH);
    return len == ctx->alg->key_len;
}

/* Not made by CTAES_PARAM_TABLE: what can be set isn't what is listed as such. */
static const struct ctaes_param wrap_params[] = {
    {OSSL_CIPHER_PARAM_IVLEN, get_iv_len, NULL},
    {OSSL_CIPHER_PARAM_PADDING, get_padding, NULL},
    {OSSL_CIPHER_PARAM_IV, get_iv, NULL},
    {OSSL_CIPHER_PARAM_UPDATED_IV, get_iv, NULL},
    {OSSL_CIPHER_PARAM_NUM, get_num, NULL},
    {OSSL_CIPHER_PARAM_KEYLEN, ctaes_get_key_len, set_key_len},
    {OSSL_CIPHER_PARAM_TLS_MAC, get_tls_mac, NULL},
    {CTAES_PARAM_CORE, ctaes_get_core, NULL},
};
#define NPARAMS (sizeof wrap_params / sizeof wrap_params[0])

int ctaes_wrap_get_ctx_params(void *ctx, OSSL_PARAM params[])
{
    return ctaes_get_params(wrap_params, NPARAMS, ctx, params);
}

int ctaes_wrap_set_ctx_params(void *ctx, const OSSL_PARAM params[])
{
    return ctaes_set_params(wrap_params, NPARAMS, ctx, params);
}

const OSSL_PARAM *ctaes_wrap_gettable_ctx_params(void *ctx, void *provctx)
{
    (void)ctx;
    (void)provctx;
    static const OSSL_PARAM list[] = {
        CTAES_SIZE(OSSL_CIPHER_PARAM_IVLEN),
        CTAES_UINT(OSSL_CIPHER_PARAM_PADDING),
        CTAES_OCTETS(OSSL_CIPHER_PARAM_IV),
        CTAES_OCTETS(OSSL_CIPHER_PARAM_UPDATED_IV),
        CTAES_UINT(OSSL_CIPHER_PARAM_NUM),
        CTAES_SIZE(OSSL_CIPHER_PARAM_KEYLEN),
        CTAES_OCTET_PTR(OSSL_CIPHER_PARAM_TLS_MAC),
        CTAES_UTF8_PTR(CTAES_PARAM_CORE),
        OSSL_PARAM_END,
    };
    return list;
}

/* Before OpenSSL 4.0 the generic modes' list: setting any of these does nothing, whatever the
   value, and what does something isn't listed. */
const OSSL_PARAM *ctaes_wrap_settable_ctx_params(void *ctx, void *provctx)
{
    const struct ctaes_provctx *prov = provctx;
    (void)ctx;
    static const OSSL_PARAM since_4[] = {CTAES_SIZE(OSSL_CIPHER_PARAM_KEYLEN), OSSL_PARAM_END};
    static const OSSL_PARAM before[] = {
        CTAES_UINT(OSSL_CIPHER_PARAM_PADDING),     CTAES_UINT(OSSL_CIPHER_PARAM_USE_BITS),
        CTAES_UINT(OSSL_CIPHER_PARAM_TLS_VERSION), CTAES_SIZE(OSSL_CIPHER_PARAM_TLS_MAC_SIZE),
        CTAES_UINT(OSSL_CIPHER_PARAM_NUM),         OSSL_PARAM_END,
    };
    return prov != NULL && prov->host_is_4 ? since_4 : before;
}
