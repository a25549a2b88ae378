/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CMAC and PMAC contexts.
 *
 * As in the default provider, the parameter "cipher" is remembered until a key
 * comes, by init or as the parameter "key", and only then takes the place of
 * the cipher in use:
 *
 *   new ── cipher ──▶ chosen ── key ──▶ ready ──▶ update ... final
 *                                         ▲               │
 *                                         └─ init, no key ┘
 *
 * A key without a new cipher is for the one in use. What fails on the way to
 * `ready` leaves a context that is not.
 */
#include "mac.h"

#include "cipher.h"
#include "err.h"
#include "memory.h"
#include "params.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evperr.h>

#include <string.h>

struct blockmac_ctx {
    const struct ctaes_provctx *prov;
    const struct ctaes_mac *mac;
    size_t size;    /* bytes from here to the end of the key */
    size_t offset;  /* bytes from the start of the allocation to here */
    size_t chosen;  /* bytes of a key of the cipher that was chosen, 0: none */
    size_t key_len; /* the same of the cipher in use */
    bool ready;     /* there is a key, and a message under way */
    union ctaes_mac_state state;
};

static struct ctaes_aes_key *key_of(struct blockmac_ctx *ctx)
{
    return (struct ctaes_aes_key *)(void *)((uint8_t *)ctx + ctaes_align(sizeof *ctx));
}

void *ctaes_blockmac_newctx(const struct ctaes_provctx *prov, const struct ctaes_mac *mac)
{
    size_t size = ctaes_align(sizeof(struct blockmac_ctx)) + prov->core->key_size;
    size_t offset;
    struct blockmac_ctx *ctx = ctaes_get_aligned(prov, size, &offset);
    if (ctx == NULL)
        return NULL;
    memset(ctx, 0, sizeof *ctx);
    ctx->prov = prov;
    ctx->mac = mac;
    ctx->size = size;
    ctx->offset = offset;
    return ctx;
}

void ctaes_blockmac_freectx(void *vctx)
{
    struct blockmac_ctx *ctx = vctx;
    if (ctx == NULL)
        return;
    ctaes_free_memory(ctx->prov, (uint8_t *)ctx - ctx->offset, ctx->offset + ctx->size);
}

void *ctaes_blockmac_dupctx(void *vctx)
{
    const struct blockmac_ctx *ctx = vctx;
    CTAES_CLEARS_REGISTERS(ctx->prov);
    size_t offset;
    if (!ctx->ready)
        return NULL;
    struct blockmac_ctx *copy = ctaes_get_aligned(ctx->prov, ctx->size, &offset);
    if (copy == NULL)
        return NULL;
    memcpy(copy, ctx, ctx->size);
    copy->offset = offset;
    return copy;
}

/* Starts a message under the key that there is. */
static int restart(struct blockmac_ctx *ctx)
{
    if (!ctx->ready)
        return 0;
    ctx->mac->restart(&ctx->state);
    return 1;
}

/* Takes the cipher that was chosen, if one was, and a key for it. */
static int set_key(struct blockmac_ctx *ctx, const uint8_t *key, size_t len)
{
    if (key == NULL && len == 0 && ctx->chosen == 0)
        return restart(ctx);
    if (ctx->chosen != 0) {
        ctx->ready = false;
        ctx->key_len = ctx->chosen;
        ctx->chosen = 0;
    }
    if (key == NULL)
        return 1;
    ctx->ready = false;
    if (ctx->key_len == 0)
        return 0; /* no cipher; the default provider raises nothing either */
    if (len != ctx->key_len) {
        CTAES_RAISE_WHY(ctx->prov, ERR_LIB_EVP, EVP_R_INVALID_KEY_LENGTH,
                        "%zu bytes for AES-%zu-CBC", len, ctx->key_len * 8);
        return 0;
    }
    ctx->prov->core->expand_key(key_of(ctx), key, len);
    ctx->mac->init(ctx->prov->core, key_of(ctx), &ctx->state);
    ctx->ready = true;
    return 1;
}

int ctaes_blockmac_set_ctx_params(void *vctx, const OSSL_PARAM params[])
{
    struct blockmac_ctx *ctx = vctx;
    CTAES_CLEARS_REGISTERS(ctx->prov);
    const OSSL_PARAM *p = ctaes_find_param(params, OSSL_MAC_PARAM_PROPERTIES);
    if (p != NULL && p->data_type != OSSL_PARAM_UTF8_STRING)
        return 0;
    p = ctaes_find_param(params, OSSL_MAC_PARAM_CIPHER);
    if (p != NULL) {
        if (p->data_type != OSSL_PARAM_UTF8_STRING)
            return 0; /* what was chosen before stays */
        const struct ctaes_cipher *cipher =
            ctaes_find_mac_cipher(ctx->prov, params, p, &ctaes_mode_cbc, ctx->mac->name);
        ctx->chosen = cipher != NULL ? cipher->key_len : 0;
        if (cipher == NULL)
            return 0;
    }
    p = ctaes_find_param(params, OSSL_MAC_PARAM_KEY);
    if (p == NULL)
        return 1;
    return p->data_type == OSSL_PARAM_OCTET_STRING && set_key(ctx, p->data, p->data_size);
}

int ctaes_blockmac_init(void *vctx, const unsigned char *key, size_t key_len,
                        const OSSL_PARAM params[])
{
    struct blockmac_ctx *ctx = vctx;
    CTAES_CLEARS_REGISTERS(ctx->prov);
    if (!ctaes_blockmac_set_ctx_params(ctx, params))
        return 0;
    return key != NULL ? set_key(ctx, key, key_len) : restart(ctx);
}

int ctaes_blockmac_update(void *vctx, const unsigned char *in, size_t len)
{
    struct blockmac_ctx *ctx = vctx;
    CTAES_CLEARS_REGISTERS(ctx->prov);
    if (!ctx->ready)
        return 0;
    ctx->mac->update(ctx->prov->core, key_of(ctx), &ctx->state, in, len);
    return 1;
}

int ctaes_blockmac_final(void *vctx, unsigned char *out, size_t *out_len, size_t out_size)
{
    struct blockmac_ctx *ctx = vctx;
    CTAES_CLEARS_REGISTERS(ctx->prov);
    *out_len = 0;
    if (!ctx->ready)
        return 0;
    if (out != NULL && out_size < CTAES_MAC_SIZE) {
        CTAES_RAISE(ctx->prov, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
        return 0;
    }
    if (out != NULL)
        ctx->mac->final(ctx->prov->core, key_of(ctx), &ctx->state, out);
    *out_len = CTAES_MAC_SIZE;
    return 1;
}

/* Both sizes are the cipher's block size, so that there is none without one. */
int ctaes_blockmac_get_ctx_params(void *vctx, OSSL_PARAM params[])
{
    const struct blockmac_ctx *ctx = vctx;
    const char *const sizes[] = {OSSL_MAC_PARAM_SIZE, OSSL_MAC_PARAM_BLOCK_SIZE};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        OSSL_PARAM *p = ctaes_find_param(params, sizes[i]);
        if (p != NULL && !ctaes_param_set_size(p, ctx->key_len != 0 ? CTAES_MAC_SIZE : 0))
            return 0;
    }
    OSSL_PARAM *p = ctaes_find_param(params, CTAES_PARAM_CORE);
    return p == NULL || ctaes_param_set_utf8_ptr(p, ctx->prov->core->name);
}

const OSSL_PARAM *ctaes_blockmac_gettable_ctx_params(void *ctx, void *provctx)
{
    (void)ctx;
    (void)provctx;
    static const OSSL_PARAM list[] = {
        CTAES_SIZE(OSSL_MAC_PARAM_SIZE),
        CTAES_SIZE(OSSL_MAC_PARAM_BLOCK_SIZE),
        CTAES_UTF8_PTR(CTAES_PARAM_CORE),
        OSSL_PARAM_END,
    };
    return list;
}

const OSSL_PARAM *ctaes_blockmac_settable_ctx_params(void *ctx, void *provctx)
{
    (void)ctx;
    (void)provctx;
    static const OSSL_PARAM list[] = {
        CTAES_UTF8_STRING(OSSL_MAC_PARAM_CIPHER),
        CTAES_UTF8_STRING(OSSL_MAC_PARAM_PROPERTIES),
        CTAES_OCTETS(OSSL_MAC_PARAM_KEY),
        OSSL_PARAM_END,
    };
    return list;
}

/* The modes' functions with the union for their state. */
#define BLOCKMAC(mac, label)                                                                       \
    static void init_##mac(const struct ctaes_core *core, const struct ctaes_aes_key *key,         \
                           void *state)                                                            \
    {                                                                                              \
        ctaes_##mac##_init(core, key, &((union ctaes_mac_state *)state)->mac);                     \
    }                                                                                              \
    static void restart_##mac(void *state)                                                         \
    {                                                                                              \
        ctaes_##mac##_restart(&((union ctaes_mac_state *)state)->mac);                             \
    }                                                                                              \
    static void update_##mac(const struct ctaes_core *core, const struct ctaes_aes_key *key,       \
                             void *state, const uint8_t *in, size_t len)                           \
    {                                                                                              \
        ctaes_##mac##_update(core, key, &((union ctaes_mac_state *)state)->mac, in, len);          \
    }                                                                                              \
    static void final_##mac(const struct ctaes_core *core, const struct ctaes_aes_key *key,        \
                            void *state, uint8_t tag[16])                                          \
    {                                                                                              \
        ctaes_##mac##_final(core, key, &((union ctaes_mac_state *)state)->mac, tag);               \
    }                                                                                              \
    const struct ctaes_mac ctaes_mac_##mac = {label, init_##mac, restart_##mac, update_##mac,      \
                                              final_##mac}

BLOCKMAC(cmac, "CMAC");
BLOCKMAC(pmac, "PMAC");
