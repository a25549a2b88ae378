/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GMAC (SP 800-38D section 3): the tag of AES-GCM over AAD alone.
 *
 * A context holds one of AES-GCM, made when the parameter "cipher" comes, and
 * calls aead.c's functions as EVP would for the default provider's GMAC. So an
 * IV serves one message here as well: after final, another IV must come.
 */
#include "mac.h"

#include "cipher.h"
#include "err.h"
#include "memory.h"
#include "params.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evperr.h>

struct gmac_ctx {
    const struct ctaes_provctx *prov;
    const struct ctaes_mode *mode;
    struct ctaes_ctx *gcm; /* NULL: no cipher yet */
    bool asked; /* an init was asked for without one: from then on EVP's reason is another */
};

void *ctaes_gmac_newctx(const struct ctaes_provctx *prov, const struct ctaes_mode *mode)
{
    struct gmac_ctx *ctx = ctaes_get_memory(prov, sizeof *ctx);
    if (ctx != NULL)
        *ctx = (struct gmac_ctx){prov, mode, NULL, false};
    return ctx;
}

void ctaes_gmac_freectx(void *vctx)
{
    struct gmac_ctx *ctx = vctx;
    if (ctx == NULL)
        return;
    ctaes_freectx(ctx->gcm);
    ctaes_free_memory(ctx->prov, ctx, sizeof *ctx);
}

void *ctaes_gmac_dupctx(void *vctx)
{
    const struct gmac_ctx *ctx = vctx;
    if (ctx->gcm == NULL) {
        CTAES_RAISE_WHY(ctx->prov, ERR_LIB_EVP, EVP_R_INPUT_NOT_INITIALIZED, "no cipher");
        return NULL;
    }
    struct gmac_ctx *copy = ctaes_gmac_newctx(ctx->prov, ctx->mode);
    if (copy == NULL)
        return NULL;
    copy->gcm = ctaes_dupctx(ctx->gcm);
    if (copy->gcm == NULL) {
        ctaes_gmac_freectx(copy);
        return NULL;
    }
    return copy;
}

static bool require_cipher(const struct gmac_ctx *ctx, uint32_t reason)
{
    if (ctx->gcm == NULL)
        CTAES_RAISE_WHY(ctx->prov, ERR_LIB_EVP, reason, "GMAC wants the parameter \"cipher\"");
    return ctx->gcm != NULL;
}

/* For what can only come after an init. */
static bool require_init(const struct gmac_ctx *ctx)
{
    return require_cipher(ctx, ctx->asked ? EVP_R_NO_CIPHER_SET : EVP_R_INVALID_OPERATION);
}

static int set_cipher(struct gmac_ctx *ctx, const OSSL_PARAM params[], const OSSL_PARAM *p)
{
    const struct ctaes_cipher *cipher =
        ctaes_find_mac_cipher(ctx->prov, params, p, ctx->mode, "GMAC");
    if (cipher == NULL)
        return 0;
    struct ctaes_ctx *gcm = ctaes_newctx(ctx->prov, cipher, ctaes_aead_set_defaults);
    if (gcm == NULL)
        return 0;
    ctaes_freectx(ctx->gcm);
    ctx->gcm = gcm;
    return ctaes_aead_encrypt_init(gcm, NULL, 0, NULL, 0, NULL);
}

static int set_key(struct gmac_ctx *ctx, const uint8_t *key, size_t len)
{
    if (ctx->gcm == NULL || len != ctx->gcm->alg->key_len) {
        CTAES_RAISE(ctx->prov, PROV_R_INVALID_KEY_LENGTH);
        return 0;
    }
    return ctaes_aead_encrypt_init(ctx->gcm, key, len, NULL, 0, NULL);
}

static int set_iv(struct gmac_ctx *ctx, const uint8_t *iv, size_t len)
{
    if (!require_cipher(ctx, EVP_R_NO_CIPHER_SET))
        return 0;
    OSSL_PARAM params[] = {OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, &len), OSSL_PARAM_END};
    return ctaes_aead_set_ctx_params(ctx->gcm, params) &&
           ctaes_aead_encrypt_init(ctx->gcm, NULL, 0, iv, len, NULL);
}

int ctaes_gmac_set_ctx_params(void *vctx, const OSSL_PARAM params[])
{
    struct gmac_ctx *ctx = vctx;
    const OSSL_PARAM *p = ctaes_find_param(params, OSSL_MAC_PARAM_CIPHER);
    if (p != NULL && !set_cipher(ctx, params, p))
        return 0;
    p = ctaes_find_param(params, OSSL_MAC_PARAM_KEY);
    if (p != NULL &&
        (p->data_type != OSSL_PARAM_OCTET_STRING || !set_key(ctx, p->data, p->data_size)))
        return 0;
    p = ctaes_find_param(params, OSSL_MAC_PARAM_IV);
    return p == NULL ||
           (p->data_type == OSSL_PARAM_OCTET_STRING && set_iv(ctx, p->data, p->data_size));
}

int ctaes_gmac_init(void *vctx, const unsigned char *key, size_t key_len, const OSSL_PARAM params[])
{
    struct gmac_ctx *ctx = vctx;
    if (!ctaes_gmac_set_ctx_params(ctx, params))
        return 0;
    if (key != NULL)
        return set_key(ctx, key, key_len);
    ctx->asked = true;
    return require_cipher(ctx, EVP_R_NO_CIPHER_SET);
}

int ctaes_gmac_update(void *vctx, const unsigned char *in, size_t len)
{
    struct gmac_ctx *ctx = vctx;
    size_t out_len;
    if (len == 0)
        return 1;
    return require_init(ctx) && ctaes_aead_update(ctx->gcm, NULL, &out_len, len, in, len);
}

int ctaes_gmac_final(void *vctx, unsigned char *out, size_t *out_len, size_t out_size)
{
    struct gmac_ctx *ctx = vctx;
    *out_len = 0;
    if (!require_init(ctx))
        return 0;
    if (out_size < CTAES_MAC_SIZE) {
        CTAES_RAISE(ctx->prov, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
        return 0;
    }
    OSSL_PARAM params[] = {OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, out, CTAES_MAC_SIZE),
                           OSSL_PARAM_END};
    size_t none;
    if (!ctaes_aead_final(ctx->gcm, NULL, &none, 0) || !ctaes_aead_get_ctx_params(ctx->gcm, params))
        return 0;
    *out_len = CTAES_MAC_SIZE;
    return 1;
}

int ctaes_gmac_get_params(OSSL_PARAM params[])
{
    OSSL_PARAM *p = ctaes_find_param(params, OSSL_MAC_PARAM_SIZE);
    return p == NULL || ctaes_param_set_size(p, CTAES_MAC_SIZE);
}

const OSSL_PARAM *ctaes_gmac_gettable_params(void *provctx)
{
    (void)provctx;
    static const OSSL_PARAM list[] = {CTAES_SIZE(OSSL_MAC_PARAM_SIZE), OSSL_PARAM_END};
    return list;
}

const OSSL_PARAM *ctaes_gmac_settable_ctx_params(void *ctx, void *provctx)
{
    (void)ctx;
    (void)provctx;
    static const OSSL_PARAM list[] = {
        CTAES_UTF8_STRING(OSSL_MAC_PARAM_CIPHER),
        CTAES_UTF8_STRING(OSSL_MAC_PARAM_PROPERTIES),
        CTAES_OCTETS(OSSL_MAC_PARAM_KEY),
        CTAES_OCTETS(OSSL_MAC_PARAM_IV),
        OSSL_PARAM_END,
    };
    return list;
}
