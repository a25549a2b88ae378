/* SPDX-License-Identifier: Apache-2.0 */
/*
 * XTS contexts. An update is a whole data unit: nothing is kept between calls
 * but keys and IV, and the IV, the data unit's number, isn't counted up either.
 *
 *   key:   │ Key1, for data │ Key2, for tweaks │     2 × 16 or 2 × 32 bytes
 *
 * Were the halves the same, an attacker who chooses what is encrypted learns
 * tweaks (Rogaway, "Efficient Instantiations of Tweakable Blockciphers and
 * Refinements to Modes OCB and PMAC", 2004, section 6). So no encryption with
 * such a key; to read what somebody has encrypted with one is allowed, as the
 * default provider has it.
 */
#include "cipher.h"

#include "declassify.h"
#include "err.h"
#include "modes/xts.h"
#include "params.h"
#include "../cores/ct.h"

#include <openssl/core_names.h>

#include <string.h>

void ctaes_xts_set_defaults(struct ctaes_ctx *ctx)
{
    (void)ctx; /* zeros */
}

/* Expands both keys. Returns 1, or 0 after raising, with the keys as they were. */
static int set_keys(struct ctaes_ctx *ctx, const uint8_t *key, size_t key_len)
{
    if (key_len != ctx->alg->key_len) {
        CTAES_RAISE(ctx->prov, PROV_R_INVALID_KEY_LENGTH);
        return 0;
    }
    size_t half = key_len / 2;
    /* Public: a key whose halves are the same is refused, or was made on purpose. */
    bool duplicated = ctaes_declassify(ct_equal_bytes(key, key + half, half));
    if (duplicated && ctx->encrypting) {
        CTAES_RAISE(ctx->prov, PROV_R_XTS_DUPLICATED_KEYS);
        return 0;
    }
    ctx->core->expand_key(ctaes_key_of(ctx), key, half);
    ctx->core->expand_key(ctaes_second_key_of(ctx), key + half, half);
    ctx->key_set = true;
    ctx->decrypt_ready = ctx->core->prepare_decrypt == NULL;
    ctx->u.xts.duplicated_keys = duplicated;
    return 1;
}

static int init_xts(struct ctaes_ctx *ctx, const uint8_t *key, size_t key_len, const uint8_t *iv,
                    size_t iv_len, const OSSL_PARAM params[], bool encrypting)
{
    struct ctaes_xts_ctx *x = &ctx->u.xts;

    ctx->encrypting = encrypting;
    if (iv != NULL) {
        if (iv_len != sizeof x->iv) {
            CTAES_RAISE(ctx->prov, PROV_R_INVALID_IV_LENGTH);
            return 0;
        }
        memcpy(x->iv, iv, iv_len);
        x->iv_set = true;
    }
    if (key != NULL && !set_keys(ctx, key, key_len))
        return 0;
    /* Also when only the direction changes. */
    if (!encrypting)
        ctaes_ready_decrypt(ctx);
    return ctaes_xts_set_ctx_params(ctx, params);
}

int ctaes_xts_encrypt_init(void *ctx, const unsigned char *key, size_t key_len,
                           const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
    CTAES_CLEARS_REGISTERS(((struct ctaes_ctx *)ctx)->prov);
    return init_xts(ctx, key, key_len, iv, iv_len, params, true);
}

int ctaes_xts_decrypt_init(void *ctx, const unsigned char *key, size_t key_len,
                           const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
    CTAES_CLEARS_REGISTERS(((struct ctaes_ctx *)ctx)->prov);
    return init_xts(ctx, key, key_len, iv, iv_len, params, false);
}

/* Processes a data unit. Returns 1, or 0, having raised for some reasons. */
static inline int crypt_unit(struct ctaes_ctx *ctx, unsigned char *out, size_t *out_len,
                             size_t out_size, const unsigned char *in, size_t in_len)
{
    struct ctaes_xts_ctx *x = &ctx->u.xts;
    *out_len = 0;
    if (!ctx->key_set || !x->iv_set || out == NULL || in == NULL || in_len < CTAES_XTS_MIN_LEN)
        return 0;
    if (in_len > CTAES_XTS_MAX_LEN) {
        CTAES_RAISE(ctx->prov, PROV_R_XTS_DATA_UNIT_IS_TOO_LARGE);
        return 0;
    }
    if (out_size < in_len) {
        CTAES_RAISE(ctx->prov, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
        return 0;
    }
    /* The key may have come when the context decrypted. */
    if (ctx->encrypting && x->duplicated_keys) {
        CTAES_RAISE(ctx->prov, PROV_R_XTS_DUPLICATED_KEYS);
        return 0;
    }
    if (!ctaes_xts_crypt(ctx->core, ctaes_key_of(ctx), ctaes_second_key_of(ctx), x->iv,
                         ctx->encrypting, out, in, in_len))
        return 0;
    *out_len = in_len;
    return 1;
}

int ctaes_xts_cipher(void *vctx, unsigned char *out, size_t *out_len, size_t out_size,
                     const unsigned char *in, size_t in_len)
{
    CTAES_CLEARS_REGISTERS(((struct ctaes_ctx *)vctx)->prov);
    return crypt_unit(vctx, out, out_len, out_size, in, in_len);
}

int ctaes_xts_update(void *vctx, unsigned char *out, size_t *out_len, size_t out_size,
                     const unsigned char *in, size_t in_len)
{
    CTAES_CLEARS_REGISTERS(((struct ctaes_ctx *)vctx)->prov);
    struct ctaes_ctx *ctx = vctx;
    *out_len = 0;
    if (out_size < in_len) {
        CTAES_RAISE(ctx->prov, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
        return 0;
    }
    if (!crypt_unit(ctx, out, out_len, out_size, in, in_len)) {
        CTAES_RAISE(ctx->prov, PROV_R_CIPHER_OPERATION_FAILED);
        return 0;
    }
    return 1;
}

int ctaes_xts_final(void *vctx, unsigned char *out, size_t *out_len, size_t out_size)
{
    CTAES_CLEARS_REGISTERS(((struct ctaes_ctx *)vctx)->prov);
    (void)vctx;
    (void)out;
    (void)out_size;
    *out_len = 0;
    return 1;
}

static int get_iv_len(struct ctaes_ctx *ctx, OSSL_PARAM *p)
{
    return ctaes_check_get(ctx, ctaes_param_set_size(p, ctx->alg->mode->iv_len));
}

/* "iv" and "updated-iv" are the same: the IV doesn't run. */
static int get_iv(struct ctaes_ctx *ctx, OSSL_PARAM *p)
{
    const struct ctaes_xts_ctx *x = &ctx->u.xts;
    return ctaes_check_get(ctx, ctaes_param_set_octet_ptr(p, x->iv, sizeof x->iv) ||
                                    ctaes_param_set_octet_string(p, x->iv, sizeof x->iv));
}

/* Without a meaning here, but the default provider has them: padding that is on
   and can't be turned off, a position that is always 0, no MAC of a TLS record. */
static int get_padding(struct ctaes_ctx *ctx, OSSL_PARAM *p)
{
    return ctaes_check_get(ctx, ctaes_param_set_uint(p, 1));
}

static int get_num(struct ctaes_ctx *ctx, OSSL_PARAM *p)
{
    return ctaes_check_get(ctx, ctaes_param_set_uint(p, 0));
}

static int get_tls_mac(struct ctaes_ctx *ctx, OSSL_PARAM *p)
{
    return ctaes_check_get(ctx, ctaes_param_set_octet_ptr(p, NULL, 0));
}

/* Can be set to what it is. Silent otherwise: EVP_CIPHER_CTX_set_key_length
   raises by itself. */
static int set_key_len(struct ctaes_ctx *ctx, const OSSL_PARAM *p)
{
    size_t len;
    if (!ctaes_check_set(ctx, ctaes_param_get_size(p, &len)))
        return 0;
    return len == ctx->alg->key_len;
}

#define XTS_PARAMS(R, W, RW)                                                                       \
    R(OSSL_CIPHER_PARAM_IVLEN, SIZE, get_iv_len)                                                   \
    R(OSSL_CIPHER_PARAM_PADDING, UINT, get_padding)                                                \
    R(OSSL_CIPHER_PARAM_IV, OCTETS, get_iv)                                                        \
    R(OSSL_CIPHER_PARAM_UPDATED_IV, OCTETS, get_iv)                                                \
    R(OSSL_CIPHER_PARAM_NUM, UINT, get_num)                                                        \
    RW(OSSL_CIPHER_PARAM_KEYLEN, SIZE, ctaes_get_key_len, set_key_len)                             \
    R(OSSL_CIPHER_PARAM_TLS_MAC, OCTET_PTR, get_tls_mac)                                           \
    R(CTAES_PARAM_CORE, UTF8_PTR, ctaes_get_core)

CTAES_PARAM_TABLE(xts, XTS_PARAMS)
