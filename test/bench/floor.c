/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A provider that does no work, for benchmarks only: it has all algorithms of
 * ciphers.def and the same functions as ctaes, and its update functions say
 * that they are done. What an operation costs with it, it costs in libcrypto;
 * only what ctaes takes beyond that is ours to shorten.
 */
#include "../../provider/ciphers.h"

#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/params.h>

#include <stdlib.h>
#include <string.h>

struct floor_ctx {
    size_t iv_len;
};

static const struct ctaes_cipher rows[CTAES_NCIPHERS] = {
#define CIPHER(id, names, family, kind, mode, key_len) {names, &ctaes_mode_##mode, key_len},
#include "../../provider/ciphers.def"
#undef CIPHER
};

static void *new_ctx(const struct ctaes_cipher *alg)
{
    struct floor_ctx *ctx = malloc(sizeof *ctx);
    if (ctx != NULL)
        ctx->iv_len = alg->mode->iv_len;
    return ctx;
}

static void free_ctx(void *ctx)
{
    free(ctx);
}

static int init(void *ctx, const unsigned char *key, size_t key_len, const unsigned char *iv,
                size_t iv_len, const OSSL_PARAM params[])
{
    (void)ctx, (void)key, (void)key_len, (void)iv, (void)iv_len, (void)params;
    return 1;
}

static int update(void *ctx, unsigned char *out, size_t *out_len, size_t out_size,
                  const unsigned char *in, size_t in_len)
{
    (void)ctx, (void)out, (void)out_size, (void)in;
    *out_len = in_len;
    return 1;
}

static int final(void *ctx, unsigned char *out, size_t *out_len, size_t out_size)
{
    (void)ctx, (void)out, (void)out_size;
    *out_len = 0;
    return 1;
}

/* All sizes are size_t and all other numbers unsigned int, as libcrypto asks
   for them. */
static void put_size(OSSL_PARAM *p, size_t value)
{
    if (p->data_size == sizeof(size_t))
        *(size_t *)p->data = value;
}

static int get_ctx_params(void *vctx, OSSL_PARAM params[])
{
    const struct floor_ctx *ctx = vctx;
    for (OSSL_PARAM *p = params; p->key != NULL; p++)
        if (strcmp(p->key, OSSL_CIPHER_PARAM_IVLEN) == 0)
            put_size(p, ctx->iv_len);
    return 1;
}

static int set_ctx_params(void *ctx, const OSSL_PARAM params[])
{
    (void)ctx, (void)params;
    return 1;
}

static const OSSL_PARAM *list_ctx_params(void *ctx, void *provctx)
{
    static const OSSL_PARAM list[] = {
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, NULL),
        OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, NULL, 0),
        OSSL_PARAM_uint(OSSL_CIPHER_PARAM_PADDING, NULL),
        OSSL_PARAM_END,
    };
    (void)ctx, (void)provctx;
    return list;
}

static int get_cipher_params(const struct ctaes_cipher *alg, OSSL_PARAM params[])
{
    for (OSSL_PARAM *p = params; p->key != NULL; p++) {
        if (strcmp(p->key, OSSL_CIPHER_PARAM_KEYLEN) == 0)
            put_size(p, alg->key_len);
        else if (strcmp(p->key, OSSL_CIPHER_PARAM_IVLEN) == 0)
            put_size(p, alg->mode->iv_len);
        else if (strcmp(p->key, OSSL_CIPHER_PARAM_BLOCK_SIZE) == 0)
            put_size(p, alg->mode->block_size);
        else if (strcmp(p->key, OSSL_CIPHER_PARAM_MODE) == 0)
            *(unsigned int *)p->data = alg->mode->evp_mode;
        else if (strcmp(p->key, OSSL_CIPHER_PARAM_AEAD) == 0)
            *(int *)p->data = alg->mode->aead;
        else if (strcmp(p->key, OSSL_CIPHER_PARAM_CUSTOM_IV) == 0)
            *(int *)p->data = alg->mode->custom_iv;
    }
    return 1;
}

#define ENTRY(number, function)                                                                    \
    {                                                                                              \
        number, (void (*)(void))(function)                                                         \
    }

#define CIPHER(id, names, family, kind, mode, key_len)                                             \
    static void *new_##id(void *provctx)                                                           \
    {                                                                                              \
        (void)provctx;                                                                             \
        return new_ctx(&rows[CTAES_ROW_##id]);                                                     \
    }                                                                                              \
    static int get_params_##id(OSSL_PARAM params[])                                                \
    {                                                                                              \
        return get_cipher_params(&rows[CTAES_ROW_##id], params);                                   \
    }                                                                                              \
    static const OSSL_DISPATCH dispatch_##id[] = {                                                 \
        ENTRY(OSSL_FUNC_CIPHER_NEWCTX, new_##id),                                                  \
        ENTRY(OSSL_FUNC_CIPHER_FREECTX, free_ctx),                                                 \
        ENTRY(OSSL_FUNC_CIPHER_ENCRYPT_INIT, init),                                                \
        ENTRY(OSSL_FUNC_CIPHER_DECRYPT_INIT, init),                                                \
        ENTRY(OSSL_FUNC_CIPHER_UPDATE, update),                                                    \
        ENTRY(OSSL_FUNC_CIPHER_FINAL, final),                                                      \
        ENTRY(OSSL_FUNC_CIPHER_GET_PARAMS, get_params_##id),                                       \
        ENTRY(OSSL_FUNC_CIPHER_GET_CTX_PARAMS, get_ctx_params),                                    \
        ENTRY(OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS, list_ctx_params),                              \
        ENTRY(OSSL_FUNC_CIPHER_SET_CTX_PARAMS, set_ctx_params),                                    \
        ENTRY(OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS, list_ctx_params),                              \
        {0, NULL}};
#include "../../provider/ciphers.def"
#undef CIPHER

static const OSSL_ALGORITHM algorithms[] = {
#define CIPHER(id, names, family, kind, mode, key_len)                                             \
    {names, "provider=floor", dispatch_##id, NULL},
#include "../../provider/ciphers.def"
#undef CIPHER
    {NULL, NULL, NULL, NULL},
};

static const OSSL_ALGORITHM *query_operation(void *provctx, int operation, int *no_cache)
{
    (void)provctx;
    *no_cache = 0;
    return operation == OSSL_OP_CIPHER ? algorithms : NULL;
}

static const OSSL_DISPATCH provider_dispatch[] = {
    ENTRY(OSSL_FUNC_PROVIDER_QUERY_OPERATION, query_operation),
    {0, NULL},
};

__attribute__((visibility("default"))) OSSL_provider_init_fn OSSL_provider_init;

int OSSL_provider_init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in,
                       const OSSL_DISPATCH **out, void **provctx)
{
    (void)in;
    *out = provider_dispatch;
    *provctx = (void *)(uintptr_t)handle;
    return 1;
}
