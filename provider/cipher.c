/* SPDX-License-Identifier: Apache-2.0 */
/* What all ciphers' contexts have in common: memory, keys, fixed facts. */
#include "cipher.h"

#include "err.h"
#include "memory.h"
#include "params.h"
#include "../cores/ct.h"

#include <openssl/core_names.h>

#include <string.h>

void *ctaes_newctx(const struct ctaes_provctx *prov, const struct ctaes_cipher *alg,
                   void (*set_defaults)(struct ctaes_ctx *ctx))
{
    const struct ctaes_core *core = prov->core;
    size_t keys = alg->mode->second_key ? 2 : 1;
    size_t size = ctaes_align(sizeof(struct ctaes_ctx)) + keys * ctaes_align(core->key_size);
    if (alg->mode->hash_key)
        size += ctaes_align(core->ghash_size);
    size += ctaes_align(alg->mode->own_key_size);

    size_t offset;
    struct ctaes_ctx *ctx = ctaes_get_aligned(prov, size, &offset);
    if (ctx == NULL)
        return NULL;
    ct_wipe(ctx, sizeof *ctx); /* without rep stos */
    ctx->prov = prov;
    ctx->alg = alg;
    ctx->core = core;
    ctx->size = size;
    ctx->offset = offset;
    set_defaults(ctx);
    return ctx;
}

void ctaes_freectx(void *vctx)
{
    struct ctaes_ctx *ctx = vctx;
    if (ctx == NULL)
        return;
    ctaes_free_memory(ctx->prov, (uint8_t *)ctx - ctx->offset, ctx->offset + ctx->size);
}

void *ctaes_dupctx(void *vctx)
{
    const struct ctaes_ctx *ctx = vctx;
    if (ctx == NULL)
        return NULL;
    size_t offset;
    struct ctaes_ctx *copy = ctaes_get_aligned(ctx->prov, ctx->size, &offset);
    if (copy == NULL)
        return NULL;
    CTAES_CLEARS_REGISTERS(ctx->prov);
    /* A key that isn't set is memory never written: nothing to copy. */
    memcpy(copy, ctx, ctx->key_set ? ctx->size : sizeof *ctx);
    copy->offset = offset;
    return copy;
}

int ctaes_set_key(struct ctaes_ctx *ctx, const uint8_t *key, size_t key_len)
{
    if (key_len != ctx->alg->key_len) {
        CTAES_RAISE(ctx->prov, PROV_R_INVALID_KEY_LENGTH);
        return 0;
    }
    ctx->core->expand_key(ctaes_key_of(ctx), key, key_len);
    ctx->key_set = true;
    ctx->decrypt_ready = ctx->core->prepare_decrypt == NULL;
    return 1;
}

bool ctaes_refuse_key(const struct ctaes_ctx *ctx)
{
    CTAES_RAISE(ctx->prov, PROV_R_NO_KEY_SET);
    return false;
}

bool ctaes_refuse_room(const struct ctaes_ctx *ctx)
{
    CTAES_RAISE(ctx->prov, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
    return false;
}

int ctaes_refuse_get(const struct ctaes_ctx *ctx)
{
    CTAES_RAISE(ctx->prov, PROV_R_FAILED_TO_SET_PARAMETER);
    return 0;
}

int ctaes_refuse_set(const struct ctaes_ctx *ctx)
{
    CTAES_RAISE(ctx->prov, PROV_R_FAILED_TO_GET_PARAMETER);
    return 0;
}

int ctaes_get_key_len(struct ctaes_ctx *ctx, OSSL_PARAM *p)
{
    return ctaes_check_get(ctx, ctaes_param_set_size(p, ctx->alg->key_len));
}

int ctaes_get_core(struct ctaes_ctx *ctx, OSSL_PARAM *p)
{
    return ctaes_check_get(ctx, ctaes_param_set_utf8_ptr(p, ctx->core->name));
}

const OSSL_PARAM *ctaes_gettable_cipher_params(void *provctx)
{
    (void)provctx;
    static const OSSL_PARAM list[] = {
        CTAES_UINT(OSSL_CIPHER_PARAM_MODE),
        CTAES_SIZE(OSSL_CIPHER_PARAM_KEYLEN),
        CTAES_SIZE(OSSL_CIPHER_PARAM_IVLEN),
        CTAES_SIZE(OSSL_CIPHER_PARAM_BLOCK_SIZE),
        CTAES_INT(OSSL_CIPHER_PARAM_AEAD),
        CTAES_INT(OSSL_CIPHER_PARAM_CUSTOM_IV),
        CTAES_INT(OSSL_CIPHER_PARAM_CTS),
        CTAES_INT(OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK),
        CTAES_INT(OSSL_CIPHER_PARAM_HAS_RAND_KEY),
        CTAES_INT(CTAES_PARAM_ENCRYPT_THEN_MAC),
        OSSL_PARAM_END,
    };
    return list;
}

int ctaes_get_cipher_params(const struct ctaes_cipher *alg, OSSL_PARAM params[])
{
    const struct ctaes_mode *mode = alg->mode;
    const struct {
        const char *key;
        size_t value;
        bool is_size;
    } facts[] = {
        {OSSL_CIPHER_PARAM_MODE, mode->evp_mode, false},
        {OSSL_CIPHER_PARAM_AEAD, mode->aead, false},
        {OSSL_CIPHER_PARAM_CUSTOM_IV, mode->custom_iv, false},
        {OSSL_CIPHER_PARAM_CTS, mode->cts, false},
        {OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK, 0, false},
        {OSSL_CIPHER_PARAM_HAS_RAND_KEY, 0, false},
        {CTAES_PARAM_ENCRYPT_THEN_MAC, 0, false},
        {OSSL_CIPHER_PARAM_KEYLEN, alg->key_len, true},
        {OSSL_CIPHER_PARAM_BLOCK_SIZE, mode->block_size, true},
        {OSSL_CIPHER_PARAM_IVLEN, mode->iv_len, true},
    };

    if (params == NULL)
        return 1;
    /* In this order, and of several parameters with one key the first: as the
       default provider serves them. */
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        OSSL_PARAM *p = params;
        while (p->key != NULL && strcmp(p->key, facts[i].key) != 0)
            p++;
        if (p->key == NULL)
            continue;
        /* Nothing to raise with: OpenSSL calls this without a context. */
        if (facts[i].is_size ? !ctaes_param_set_size(p, facts[i].value)
                             : !ctaes_param_set_uint(p, (unsigned int)facts[i].value))
            return 0;
    }
    return 1;
}
