/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ECB, CBC, CTR, CFB and OFB contexts: init, parameters, and the streaming between
 * callers, who bring any number of bytes, and modes that want whole blocks.
 *
 * Block modes (ECB, CBC). Input that doesn't fill a block waits in `buffer`.
 * When decrypting with padding, the last whole block waits too, since it may
 * be the one that holds the padding:
 *
 *       update            update              final
 *   ├────┼────┼──┤     ├──┼────┼────┤
 *   out  out  wait     with what came:        unpad, out
 *                      out  out  wait
 *
 * TLS records (a tls-version other than 0): each update is a record of its own,
 * in place, as libssl passes it. Nothing waits, and there is no final.
 * Encrypting, explicit IV, payload and MAC come in, and padding is put behind
 * them; decrypting, MAC and padding are taken off (tls_cbc.h).
 */
#include "cipher.h"

#include "declassify.h"
#include "err.h"
#include "params.h"
#include "pkcs7.h"
#include "tls_cbc.h"
#include "../cores/bytes.h"
#include "../cores/ct.h"

#include <openssl/core_names.h>

#include <string.h>

/* Runs the mode in the context's direction. */
static void crypt_data(struct ctaes_ctx *ctx, uint8_t *out, const uint8_t *in, size_t len)
{
    const struct ctaes_mode *mode = ctx->alg->mode;
    (ctx->encrypting ? mode->encrypt : mode->decrypt)(ctx->core, ctaes_key_of(ctx),
                                                      &ctx->u.chain.chain, out, in, len);
}

void ctaes_chain_set_defaults(struct ctaes_ctx *ctx)
{
    ctx->u.chain.padding = true;
}

/* Forgets the place within a stream, and data that waits. */
static void drop_partial(struct ctaes_chain_ctx *c)
{
    c->buffer_len = 0;
    ct_wipe(c->buffer, sizeof c->buffer);
    c->chain.num = 0;
    c->chain.keystream_valid = false;
    ct_wipe(c->chain.keystream, sizeof c->chain.keystream);
    c->cts_done = false;
}

static int init_chain(struct ctaes_ctx *ctx, const uint8_t *key, size_t key_len, const uint8_t *iv,
                      size_t iv_len, const OSSL_PARAM params[], bool encrypting)
{
    const struct ctaes_mode *mode = ctx->alg->mode;
    struct ctaes_chain_ctx *c = &ctx->u.chain;

    drop_partial(c);
    ctx->encrypting = encrypting;

    if (iv != NULL && mode->iv_len != 0) {
        if (iv_len != mode->iv_len) {
            CTAES_RAISE(ctx->prov, PROV_R_INVALID_IV_LENGTH);
            return 0;
        }
        memcpy(c->original_iv, iv, iv_len);
        memcpy(c->chain.iv, iv, iv_len);
        c->iv_set = true;
    } else if (iv == NULL && c->iv_set && mode->restarts_iv) {
        memcpy(c->chain.iv, c->original_iv, sizeof c->chain.iv);
    }

    if (key != NULL && !ctaes_set_key(ctx, key, key_len))
        return 0;
    /* Also when only the direction changes. */
    if (!encrypting && mode->inverse_cipher)
        ctaes_ready_decrypt(ctx);
    return ctaes_chain_set_ctx_params(ctx, params);
}

int ctaes_chain_encrypt_init(void *ctx, const unsigned char *key, size_t key_len,
                             const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
    CTAES_CLEARS_REGISTERS(key != NULL ? ((struct ctaes_ctx *)ctx)->prov : NULL);
    return init_chain(ctx, key, key_len, iv, iv_len, params, true);
}

int ctaes_chain_decrypt_init(void *ctx, const unsigned char *key, size_t key_len,
                             const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
    CTAES_CLEARS_REGISTERS(key != NULL ? ((struct ctaes_ctx *)ctx)->prov : NULL);
    return init_chain(ctx, key, key_len, iv, iv_len, params, false);
}

/* Processes one TLS record. What isn't in place or no whole number of blocks is
   refused before anything is written; what ctaes_tls_unpad refuses, when it has
   been decrypted, as the default provider has it. */
static int crypt_record(struct ctaes_ctx *ctx, unsigned char *out, size_t *out_len, size_t out_size,
                        const unsigned char *in, size_t in_len)
{
    struct ctaes_chain_ctx *c = &ctx->u.chain;
    size_t len = in_len;
    bool good = in != NULL && in == out && c->padding && ctaes_is_length(in_len) &&
                out_size >= in_len + (ctx->encrypting ? 16 - in_len % 16 : 0);
    if (good && ctx->encrypting)
        len = ctaes_tls_pad(out, in_len, c->tls_version);
    good = good && len % 16 == 0;
    if (good) {
        crypt_data(ctx, out, out, len);
        c->tls_mac_len = 0;
        ct_wipe(c->tls_mac, sizeof c->tls_mac);
        if (!ctx->encrypting) {
            good = ctaes_tls_unpad(out, &len, c->tls_version, c->tls_mac_size, c->tls_mac);
            c->tls_mac_len = good ? c->tls_mac_size : 0;
        }
    }
    if (!good) {
        CTAES_RAISE(ctx->prov, PROV_R_CIPHER_OPERATION_FAILED);
        return 0;
    }
    /* Decrypting, this depends on the padding, which is secret. */
    *out_len = len;
    return 1;
}

int ctaes_block_update(void *vctx, unsigned char *out, size_t *out_len, size_t out_size,
                       const unsigned char *in, size_t in_len)
{
    struct ctaes_ctx *ctx = vctx;
    CTAES_CLEARS_REGISTERS(ctx->prov);
    struct ctaes_chain_ctx *c = &ctx->u.chain;
    *out_len = 0;
    if (!ctaes_require_key(ctx))
        return 0;
    if (c->tls_version != 0)
        return crypt_record(ctx, out, out_len, out_size, in, in_len);

    /* Buffer and input, taken as one: what goes out now, and what waits. */
    size_t held = c->buffer_len;
    size_t total = held + in_len;
    if (!ctaes_is_length(in_len) && !ctaes_require_room(ctx, out_size, in_len))
        return 0;
    size_t ready = total - total % 16;
    if (!ctx->encrypting && c->padding && ready == total && ready != 0)
        ready -= 16;
    if (!ctaes_require_room(ctx, out_size, ready))
        return 0;
    if (ready == 0) {
        if (in_len != 0)
            memcpy(c->buffer + held, in, in_len);
        c->buffer_len = (uint32_t)total;
        return 1;
    }

    uint8_t first[16];
    size_t direct = ready;
    if (held != 0) {
        memcpy(first, c->buffer, held);
        if (held < 16) {
            memcpy(first + held, in, 16 - held);
            in += 16 - held;
        }
        crypt_data(ctx, first, first, 16);
        direct -= 16;
    }
    c->buffer_len = (uint32_t)(total - ready);
    if (c->buffer_len != 0)
        memcpy(c->buffer, in + direct, c->buffer_len);
    if (direct != 0) {
        uint8_t *rest = out + (ready - direct);
        /* In place, the output runs ahead of the input by what the buffer
           held; modes can't have that. */
        if ((uintptr_t)rest > (uintptr_t)in && (uintptr_t)rest - (uintptr_t)in < direct) {
            memmove(rest, in, direct);
            in = rest;
        }
        crypt_data(ctx, rest, in, direct);
    }
    if (held != 0) {
        memcpy(out, first, 16);
        ct_wipe(first, sizeof first);
    }
    *out_len = ready;
    return 1;
}

int ctaes_block_final(void *vctx, unsigned char *out, size_t *out_len, size_t out_size)
{
    struct ctaes_ctx *ctx = vctx;
    CTAES_CLEARS_REGISTERS(ctx->prov);
    struct ctaes_chain_ctx *c = &ctx->u.chain;
    *out_len = 0;
    if (!ctaes_require_key(ctx))
        return 0;
    if (c->tls_version != 0) {
        CTAES_RAISE(ctx->prov, PROV_R_CIPHER_OPERATION_FAILED);
        return 0;
    }

    if (ctx->encrypting) {
        if (!c->padding && c->buffer_len == 0)
            return 1;
        if (!c->padding && c->buffer_len != 16) {
            CTAES_RAISE(ctx->prov, PROV_R_WRONG_FINAL_BLOCK_LENGTH);
            return 0;
        }
        if (!ctaes_require_room(ctx, out_size, 16))
            return 0;
        if (c->padding)
            pkcs7_pad(c->buffer, c->buffer_len);
        crypt_data(ctx, c->buffer, c->buffer, 16);
        memcpy(out, c->buffer, 16);
        c->buffer_len = 0;
        *out_len = 16;
        return 1;
    }

    if (!c->padding && c->buffer_len == 0)
        return 1;
    if (c->buffer_len != 16) {
        CTAES_RAISE(ctx->prov, PROV_R_WRONG_FINAL_BLOCK_LENGTH);
        return 0;
    }
    /* Until the end is known to be good, the context stays as it was: what
       came before can't be lost by a final that fails. */
    struct ctaes_chain before = c->chain;
    uint8_t block[16];
    uint32_t data_len = 16;
    int result = 0;
    crypt_data(ctx, block, c->buffer, 16);
    if (c->padding) {
        uint32_t good = pkcs7_check(block, &data_len);
        /* Public: the caller learns it from the return value, as the API has
           it. Decrypting unauthenticated data is the caller's choice. */
        if (!ctaes_declassify(good)) {
            CTAES_RAISE(ctx->prov, PROV_R_BAD_DECRYPT);
            goto done;
        }
        /* Public: the length of the plaintext, which the caller is told. */
        uint32_t len = 0;
        while (!ctaes_declassify(ct_eq(data_len, len)))
            len++;
        data_len = len;
    }
    if (!ctaes_require_room(ctx, out_size, data_len))
        goto done;
    memcpy(out, block, data_len);
    c->buffer_len = 0;
    *out_len = data_len;
    result = 1;
done:
    if (result == 0)
        c->chain = before;
    ct_wipe(block, sizeof block);
    return result;
}

int ctaes_block_cipher(void *vctx, unsigned char *out, size_t *out_len, size_t out_size,
                       const unsigned char *in, size_t in_len)
{
    struct ctaes_ctx *ctx = vctx;
    CTAES_CLEARS_REGISTERS(ctx->prov);
    *out_len = 0;
    if (!ctaes_require_key(ctx) || !ctaes_require_room(ctx, out_size, in_len))
        return 0;
    /* The default provider reports success for a tail that it left as it was
       (ECB) or wrote past (CBC). */
    if (in_len % 16 != 0) {
        CTAES_RAISE(ctx->prov, PROV_R_WRONG_FINAL_BLOCK_LENGTH);
        return 0;
    }
    crypt_data(ctx, out, in, in_len);
    *out_len = in_len;
    return 1;
}

static inline int crypt_stream(struct ctaes_ctx *ctx, unsigned char *out, size_t *out_len,
                               size_t out_size, const unsigned char *in, size_t in_len)
{
    *out_len = 0;
    if (!ctaes_require_key(ctx) || !ctaes_require_room(ctx, out_size, in_len))
        return 0;
    crypt_data(ctx, out, in, in_len);
    *out_len = in_len;
    return 1;
}

int ctaes_stream_cipher(void *vctx, unsigned char *out, size_t *out_len, size_t out_size,
                        const unsigned char *in, size_t in_len)
{
    CTAES_CLEARS_REGISTERS(((struct ctaes_ctx *)vctx)->prov);
    return crypt_stream(vctx, out, out_len, out_size, in, in_len);
}

/* TLS records of stream ciphers have no padding: the MAC is what the output
   ends with, and stays there. No suite of TLS has AES in CTR mode; this is as
   the default provider has it, down to the failure without a reason. */
int ctaes_stream_update(void *vctx, unsigned char *out, size_t *out_len, size_t out_size,
                        const unsigned char *in, size_t in_len)
{
    struct ctaes_ctx *ctx = vctx;
    CTAES_CLEARS_REGISTERS(ctx->prov);
    struct ctaes_chain_ctx *c = &ctx->u.chain;
    if (!crypt_stream(ctx, out, out_len, out_size, in, in_len))
        return 0;
    if (ctx->encrypting || c->tls_version == 0 || c->tls_mac_size == 0 || in_len == 0)
        return 1;
    if (in_len < c->tls_mac_size) {
        *out_len = 0;
        return 0;
    }
    *out_len = in_len - c->tls_mac_size;
    c->tls_mac_in_output = out + *out_len;
    c->tls_mac_len = c->tls_mac_size;
    return 1;
}

int ctaes_stream_final(void *vctx, unsigned char *out, size_t *out_len, size_t out_size)
{
    (void)out;
    (void)out_size;
    *out_len = 0;
    return ctaes_require_key((const struct ctaes_ctx *)vctx);
}

static int get_iv_len(struct ctaes_ctx *ctx, OSSL_PARAM *p)
{
    return ctaes_check_get(ctx, ctaes_param_set_size(p, ctx->alg->mode->iv_len));
}

static int get_padding(struct ctaes_ctx *ctx, OSSL_PARAM *p)
{
    return ctaes_check_get(ctx, ctaes_param_set_uint(p, ctx->u.chain.padding));
}

static int set_padding(struct ctaes_ctx *ctx, const OSSL_PARAM *p)
{
    unsigned int value;
    if (!ctaes_check_set(ctx, ctaes_param_get_uint(p, &value)))
        return 0;
    ctx->u.chain.padding = value != 0;
    return 1;
}

/* Copies an IV out, or hands out a pointer to it. */
static int get_octets(struct ctaes_ctx *ctx, OSSL_PARAM *p, const uint8_t *value, size_t len)
{
    return ctaes_check_get(ctx, ctaes_param_set_octet_ptr(p, value, len) ||
                                    ctaes_param_set_octet_string(p, value, len));
}

static int get_original_iv(struct ctaes_ctx *ctx, OSSL_PARAM *p)
{
    return get_octets(ctx, p, ctx->u.chain.original_iv, ctx->alg->mode->iv_len);
}

static int get_updated_iv(struct ctaes_ctx *ctx, OSSL_PARAM *p)
{
    return get_octets(ctx, p, ctx->u.chain.chain.iv, ctx->alg->mode->iv_len);
}

static int get_num(struct ctaes_ctx *ctx, OSSL_PARAM *p)
{
    return ctaes_check_get(ctx, ctaes_param_set_uint(p, ctx->u.chain.chain.num));
}

/* OpenSSL 3.0.22 and newer take only what is below the block size, which for a
   stream is 0: the next byte starts a new block. */
static int set_num(struct ctaes_ctx *ctx, const OSSL_PARAM *p)
{
    unsigned int value;
    if (!ctaes_check_set(ctx,
                         ctaes_param_get_uint(p, &value) && value < ctx->alg->mode->block_size))
        return 0;
    ctx->u.chain.chain.num = value;
    ctx->u.chain.chain.keystream_valid = false;
    ct_wipe(ctx->u.chain.chain.keystream, sizeof ctx->u.chain.chain.keystream);
    return 1;
}

/* Only CFB1 has bits to count; the others take the parameter without effect. */
static int set_use_bits(struct ctaes_ctx *ctx, const OSSL_PARAM *p)
{
    unsigned int value;
    if (!ctaes_check_set(ctx, ctaes_param_get_uint(p, &value)))
        return 0;
    ctx->u.chain.chain.counts_bits = value != 0;
    return 1;
}

static int set_tls_version(struct ctaes_ctx *ctx, const OSSL_PARAM *p)
{
    return ctaes_check_set(ctx, ctaes_param_get_uint(p, &ctx->u.chain.tls_version));
}

static int set_tls_mac_size(struct ctaes_ctx *ctx, const OSSL_PARAM *p)
{
    return ctaes_check_set(ctx, ctaes_param_get_size(p, &ctx->u.chain.tls_mac_size));
}

/* Hands out a pointer to the last record's MAC; NULL if there is none, or fewer
   bytes of it than the size that was set since. */
static int get_tls_mac(struct ctaes_ctx *ctx, OSSL_PARAM *p)
{
    const struct ctaes_chain_ctx *c = &ctx->u.chain;
    const uint8_t *mac = NULL;
    if (c->tls_mac_len != 0 && c->tls_mac_size <= c->tls_mac_len)
        mac = ctx->alg->mode->kind == CTAES_STREAM ? c->tls_mac_in_output : c->tls_mac;
    return ctaes_check_get(ctx, ctaes_param_set_octet_ptr(p, mac, c->tls_mac_size));
}

#define CHAIN_PARAMS(R, W, RW)                                                                     \
    R(OSSL_CIPHER_PARAM_IVLEN, SIZE, get_iv_len)                                                   \
    RW(OSSL_CIPHER_PARAM_PADDING, UINT, get_padding, set_padding)                                  \
    R(OSSL_CIPHER_PARAM_IV, OCTETS, get_original_iv)                                               \
    R(OSSL_CIPHER_PARAM_UPDATED_IV, OCTETS, get_updated_iv)                                        \
    W(OSSL_CIPHER_PARAM_USE_BITS, UINT, set_use_bits)                                              \
    W(OSSL_CIPHER_PARAM_TLS_VERSION, UINT, set_tls_version)                                        \
    W(OSSL_CIPHER_PARAM_TLS_MAC_SIZE, SIZE, set_tls_mac_size)                                      \
    RW(OSSL_CIPHER_PARAM_NUM, UINT, get_num, set_num)                                              \
    R(OSSL_CIPHER_PARAM_KEYLEN, SIZE, ctaes_get_key_len)                                           \
    R(OSSL_CIPHER_PARAM_TLS_MAC, OCTET_PTR, get_tls_mac)                                           \
    R(CTAES_PARAM_CORE, UTF8_PTR, ctaes_get_core)

CTAES_PARAM_TABLE(chain, CHAIN_PARAMS)
