/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CCM contexts. CCM must know the lengths of everything before it begins, and a
 * message is one update of data:
 *
 *   IV ──▶ length ──▶ AAD ──▶ data ──▶ tag            all as calls of update but
 *          in, out:   out:                            the IV and the tag
 *          NULL       NULL
 *
 * The length may be left out where there is no AAD. Decryption wants the tag
 * before the data, and checks it in the update: no plaintext leaves it that
 * isn't authentic. An empty message need have no update; final is its data.
 *
 * TLS 1.2 (RFC 6655): `tlsivfixed` sets the 4 bytes of IV that the handshake
 * made, `tlsaad` the header of the record that comes, which begins with the
 * record's number; the next update is that record, in place:
 *
 *   │ explicit nonce, 8: the record's number │ plaintext or ciphertext │ tag │
 */
#include "cipher.h"

#include "declassify.h"
#include "err.h"
#include "params.h"
#include "../cores/bytes.h"
#include "../cores/ct.h"

#include <openssl/core_names.h>

#include <string.h>

#define MIN_TAG_LEN 4
#define MAX_TAG_LEN 16
#define DEFAULT_TAG_LEN 12
#define TLS_AAD_LEN 13
#define TLS_FIXED_IV_LEN 4
#define TLS_EXPLICIT_IV_LEN 8

void ctaes_ccm_set_defaults(struct ctaes_ctx *ctx)
{
    ctx->u.ccm.iv_len = CTAES_CCM_MIN_NONCE;
    ctx->u.ccm.tag_len = DEFAULT_TAG_LEN;
}

/* Leaves the message, if one has begun. */
static void set_phase(struct ctaes_ccm_ctx *c, enum ctaes_ccm_phase phase)
{
    if (c->phase == CTAES_CCM_AAD_GIVEN)
        ct_wipe(&c->state, sizeof c->state);
    c->phase = phase;
}

static int init_ccm(struct ctaes_ctx *ctx, const uint8_t *key, size_t key_len, const uint8_t *iv,
                    size_t iv_len, const OSSL_PARAM params[], bool encrypting)
{
    struct ctaes_ccm_ctx *c = &ctx->u.ccm;

    /* What decrypts has no use for the tag of what was encrypted. */
    if (ctx->encrypting != encrypting && c->phase == CTAES_CCM_ENCRYPTED)
        set_phase(c, CTAES_CCM_FAILED);
    ctx->encrypting = encrypting;
    if (iv != NULL) {
        if (iv_len != c->iv_len) {
            CTAES_RAISE(ctx->prov, PROV_R_INVALID_IV_LENGTH);
            return 0;
        }
        memcpy(c->iv, iv, iv_len);
        set_phase(c, CTAES_CCM_IV_GIVEN);
    }
    if (key != NULL) {
        if (!ctaes_set_key(ctx, key, key_len))
            return 0;
        c->key_iv_len = c->iv_len;
        c->key_tag_len = c->tag_len;
        /* A message under way can't go on under another key. */
        if (c->phase != CTAES_CCM_NO_IV && c->phase != CTAES_CCM_IV_GIVEN)
            set_phase(c, CTAES_CCM_FAILED);
    }
    return ctaes_ccm_set_ctx_params(ctx, params);
}

int ctaes_ccm_encrypt_init(void *ctx, const unsigned char *key, size_t key_len,
                           const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
    CTAES_CLEARS_REGISTERS(((struct ctaes_ctx *)ctx)->prov);
    return init_ccm(ctx, key, key_len, iv, iv_len, params, true);
}

int ctaes_ccm_decrypt_init(void *ctx, const unsigned char *key, size_t key_len,
                           const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
    CTAES_CLEARS_REGISTERS(((struct ctaes_ctx *)ctx)->prov);
    return init_ccm(ctx, key, key_len, iv, iv_len, params, false);
}

/* --- One message ----------------------------------------------------------------------------- */

/* Takes the length of the data that will come. It may be corrected until there
   is AAD. As much of it counts as fits the first block's field of 2 to 8 bytes:
   data that is longer won't match, and be refused. */
static bool set_length(struct ctaes_ccm_ctx *c, uint64_t len)
{
    /* An IV that isn't as long as it was when the key came would be cut, or
       filled up with what lies behind it. */
    if ((c->phase != CTAES_CCM_IV_GIVEN && c->phase != CTAES_CCM_LENGTH_GIVEN) ||
        c->iv_len != c->key_iv_len)
        return false;
    const size_t bits = 8 * (15 - c->iv_len);
    c->data_len = bits < 64 ? len & ((UINT64_C(1) << bits) - 1) : len;
    memcpy(c->nonce, c->iv, c->iv_len);
    c->phase = CTAES_CCM_LENGTH_GIVEN;
    return true;
}

static void start_message(struct ctaes_ctx *ctx, const uint8_t *aad, size_t aad_len)
{
    struct ctaes_ccm_ctx *c = &ctx->u.ccm;
    ctaes_ccm_start(ctx->core, ctaes_key_of(ctx), &c->state, c->nonce, c->iv_len, c->key_tag_len,
                    c->data_len, aad, aad_len);
    c->phase = CTAES_CCM_AAD_GIVEN;
}

/* AAD comes in one piece: its length is authenticated before it. */
static bool add_aad(struct ctaes_ctx *ctx, const uint8_t *aad, size_t len)
{
    const enum ctaes_ccm_phase phase = ctx->u.ccm.phase;
    if (len == 0)
        return phase == CTAES_CCM_IV_GIVEN || phase == CTAES_CCM_LENGTH_GIVEN ||
               phase == CTAES_CCM_AAD_GIVEN;
    if (phase != CTAES_CCM_LENGTH_GIVEN)
        return false;
    start_message(ctx, aad, len);
    return true;
}

/* Compares the first len bytes of a message's tag with the ones received, and
   wipes what was decrypted if they differ. */
static bool check_tag(const struct ctaes_ctx *ctx, const uint8_t *tag, const uint8_t *received,
                      size_t len, uint8_t *out, size_t out_len)
{
    /* Public: whether the message is authentic is what the caller asks. */
    bool good = ctaes_declassify(ct_equal_bytes(tag, received, len));
    if (!good) {
        ct_wipe(out, out_len);
        if (ctx->prov->raises_on_bad_tag)
            CTAES_RAISE(ctx->prov, PROV_R_BAD_DECRYPT);
    }
    return good;
}

static bool decrypt_data(struct ctaes_ctx *ctx, uint8_t *out, const uint8_t *in, size_t len)
{
    struct ctaes_ccm_ctx *c = &ctx->u.ccm;
    uint8_t tag[MAX_TAG_LEN];
    ctaes_ccm_decrypt(ctx->core, ctaes_key_of(ctx), &c->state, out, in, len, tag);
    bool good = check_tag(ctx, tag, c->expected, c->tag_len, out, len);
    ct_wipe(tag, sizeof tag);
    c->phase = good ? CTAES_CCM_NO_IV : CTAES_CCM_FAILED;
    if (good)
        c->expected_set = false;
    return good;
}

/* All of the message's data. */
static bool crypt_data(struct ctaes_ctx *ctx, uint8_t *out, const uint8_t *in, size_t len)
{
    struct ctaes_ccm_ctx *c = &ctx->u.ccm;
    if (c->phase == CTAES_CCM_IV_GIVEN && !set_length(c, len))
        return false;
    if (c->phase != CTAES_CCM_LENGTH_GIVEN && c->phase != CTAES_CCM_AAD_GIVEN)
        return false;
    if (!ctx->encrypting && !c->expected_set) {
        if (ctx->prov->host_is_4)
            CTAES_RAISE(ctx->prov, PROV_R_TAG_NOT_SET);
        return false;
    }
    bool fits = len == c->data_len && c->data_len <= CTAES_CCM_MAX_DATA &&
                (ctx->encrypting || c->tag_len == c->key_tag_len);
    if (!fits) {
        /* The caller of a decryption that fails finds zeros. */
        if (!ctx->encrypting)
            ct_wipe(out, len);
        return false;
    }
    if (c->phase == CTAES_CCM_LENGTH_GIVEN)
        start_message(ctx, NULL, 0);
    if (!ctx->encrypting)
        return decrypt_data(ctx, out, in, len);
    ctaes_ccm_encrypt(ctx->core, ctaes_key_of(ctx), &c->state, out, in, len, c->tag);
    c->phase = CTAES_CCM_ENCRYPTED;
    c->expected_set = false;
    c->tag_ready = true;
    return true;
}

/* Processes one TLS 1.2 record. On return *out_len is what the default provider
   says: the record's length when encrypting, the plaintext's when decrypting
   (which starts after the explicit nonce), 0 on failure. */
static bool crypt_tls_record(struct ctaes_ctx *ctx, uint8_t *out, size_t *out_len,
                             const uint8_t *in, size_t in_len)
{
    struct ctaes_ccm_ctx *c = &ctx->u.ccm;
    const size_t overhead = TLS_EXPLICIT_IV_LEN + c->tag_len;
    const struct ctaes_aes_key *key = ctaes_key_of(ctx);
    struct ctaes_ccm state;
    uint8_t tag[MAX_TAG_LEN];
    /* One record for each AAD: it has the number that is the nonce. And all of
       the number must be in the nonce. */
    bool good = c->tls_record && in != NULL && out == in && in_len >= overhead &&
                c->iv_len == TLS_FIXED_IV_LEN + TLS_EXPLICIT_IV_LEN && c->iv_len == c->key_iv_len &&
                c->tag_len == c->key_tag_len;
    *out_len = 0;
    c->tls_record = false;
    if (!good)
        return false;

    const size_t len = in_len - overhead;
    uint8_t *data = out + TLS_EXPLICIT_IV_LEN;
    if (ctx->encrypting)
        memcpy(out, c->expected, TLS_EXPLICIT_IV_LEN);
    memcpy(c->iv + TLS_FIXED_IV_LEN, out, TLS_EXPLICIT_IV_LEN);
    ctaes_ccm_start(ctx->core, key, &state, c->iv, c->iv_len, c->tag_len, len, c->expected,
                    TLS_AAD_LEN);
    if (ctx->encrypting) {
        ctaes_ccm_encrypt(ctx->core, key, &state, data, data, len, c->tag);
        memcpy(data + len, c->tag, c->tag_len);
        *out_len = in_len;
        return true;
    }
    ctaes_ccm_decrypt(ctx->core, key, &state, data, data, len, tag);
    good = check_tag(ctx, tag, data + len, c->tag_len, data, len);
    ct_wipe(tag, sizeof tag);
    if (good)
        *out_len = len;
    return good;
}

/* --- What EVP calls ------------------------------------------------------------------------- */

/* What update and the one-shot call have in common. Without output the input is
   AAD, and without input the length is that of the data to come. */
static bool process(struct ctaes_ctx *ctx, uint8_t *out, size_t *out_len, const uint8_t *in,
                    size_t len)
{
    struct ctaes_ccm_ctx *c = &ctx->u.ccm;
    bool good;
    *out_len = 0;
    if (!ctx->key_set)
        return false;
    if (c->tls)
        return crypt_tls_record(ctx, out, out_len, in, len);
    if (out != NULL && in == NULL)
        return true; /* nothing to do */
    if (out != NULL)
        good = crypt_data(ctx, out, in, len);
    else if (in != NULL)
        good = add_aad(ctx, in, len);
    else
        good = set_length(c, len);
    if (good)
        *out_len = len;
    return good;
}

int ctaes_ccm_update(void *vctx, unsigned char *out, size_t *out_len, size_t out_size,
                     const unsigned char *in, size_t in_len)
{
    CTAES_CLEARS_REGISTERS(((struct ctaes_ctx *)vctx)->prov);
    struct ctaes_ctx *ctx = vctx;
    *out_len = 0;
    if (!ctaes_require_room(ctx, out_size, in_len))
        return 0;
    if (!process(ctx, out, out_len, in, in_len)) {
        CTAES_RAISE(ctx->prov, PROV_R_CIPHER_OPERATION_FAILED);
        return 0;
    }
    return 1;
}

/* A message whose data hasn't come has none: it is encrypted or checked here.
   After one that is complete there is nothing to do. Silent on failure: callers
   take a tag mismatch for an answer. */
int ctaes_ccm_final(void *vctx, unsigned char *out, size_t *out_len, size_t out_size)
{
    CTAES_CLEARS_REGISTERS(((struct ctaes_ctx *)vctx)->prov);
    struct ctaes_ctx *ctx = vctx;
    uint8_t nothing = 0;
    (void)out;
    (void)out_size;
    *out_len = 0;
    if (!ctx->key_set || ctx->u.ccm.tls)
        return 0; /* a record has no final */
    switch (ctx->u.ccm.phase) {
    case CTAES_CCM_NO_IV:
    case CTAES_CCM_ENCRYPTED:
        return 1;
    case CTAES_CCM_IV_GIVEN:
    case CTAES_CCM_LENGTH_GIVEN:
    case CTAES_CCM_AAD_GIVEN:
        return crypt_data(ctx, &nothing, &nothing, 0);
    case CTAES_CCM_FAILED:
        break;
    }
    return 0;
}

int ctaes_ccm_cipher(void *vctx, unsigned char *out, size_t *out_len, size_t out_size,
                     const unsigned char *in, size_t in_len)
{
    CTAES_CLEARS_REGISTERS(((struct ctaes_ctx *)vctx)->prov);
    struct ctaes_ctx *ctx = vctx;
    *out_len = 0;
    if (in == NULL)
        return ctaes_ccm_final(vctx, out, out_len, out_size);
    if (!ctaes_require_room(ctx, out_size, in_len) || !process(ctx, out, out_len, in, in_len))
        return 0;
    *out_len = in_len;
    return 1;
}

/* --- Parameters ------------------------------------------------------------------------------ */

/* Without data, the tag's length; with data, the tag to expect. */
static int set_tag(struct ctaes_ctx *ctx, const OSSL_PARAM *p)
{
    struct ctaes_ccm_ctx *c = &ctx->u.ccm;
    if (!ctaes_check_set(ctx, p->data_type == OSSL_PARAM_OCTET_STRING))
        return 0;
    if (p->data_size % 2 != 0 || p->data_size < MIN_TAG_LEN || p->data_size > MAX_TAG_LEN) {
        CTAES_RAISE(ctx->prov, PROV_R_INVALID_TAG_LENGTH);
        return 0;
    }
    if (p->data != NULL) {
        if (ctx->encrypting) {
            CTAES_RAISE(ctx->prov, PROV_R_TAG_NOT_NEEDED);
            return 0;
        }
        memcpy(c->expected, p->data, p->data_size);
        c->expected_set = true;
    }
    c->tag_len = p->data_size;
    return 1;
}

/* Hands out the tag, once. The message and its IV are over then. */
static int get_tag(struct ctaes_ctx *ctx, OSSL_PARAM *p)
{
    struct ctaes_ccm_ctx *c = &ctx->u.ccm;
    if (!ctx->encrypting || !c->tag_ready) {
        CTAES_RAISE(ctx->prov, PROV_R_TAG_NOT_SET);
        return 0;
    }
    if (!ctaes_check_get(ctx, p->data_type == OSSL_PARAM_OCTET_STRING && p->data != NULL))
        return 0;
    if (p->data_size != c->key_tag_len)
        return 0;
    memcpy(p->data, c->tag, p->data_size);
    c->tag_ready = false;
    set_phase(c, CTAES_CCM_NO_IV);
    return 1;
}

static int get_tag_len(struct ctaes_ctx *ctx, OSSL_PARAM *p)
{
    return ctaes_check_get(ctx, ctaes_param_set_size(p, ctx->u.ccm.tag_len));
}

static int get_iv_len(struct ctaes_ctx *ctx, OSSL_PARAM *p)
{
    return ctaes_check_get(ctx, ctaes_param_set_size(p, ctx->u.ccm.iv_len));
}

static int set_iv_len(struct ctaes_ctx *ctx, const OSSL_PARAM *p)
{
    struct ctaes_ccm_ctx *c = &ctx->u.ccm;
    size_t len;
    if (!ctaes_check_set(ctx, ctaes_param_get_size(p, &len)))
        return 0;
    if (len < CTAES_CCM_MIN_NONCE || len > CTAES_CCM_MAX_NONCE) {
        CTAES_RAISE(ctx->prov, PROV_R_INVALID_IV_LENGTH);
        return 0;
    }
    /* An IV of another length, given or in use, is no longer the caller's. A message that
       failed stays so until an IV comes: without one, a final has nothing to refuse. */
    if (len != c->iv_len) {
        c->iv_len = len;
        if (c->phase != CTAES_CCM_FAILED)
            set_phase(c, CTAES_CCM_NO_IV);
    }
    return 1;
}

/* "iv" and "updated-iv" are the same: the IV doesn't run. As many bytes as the
   caller has room for, as the default provider has it, which doesn't stop at the
   end of what there is. */
static int get_iv(struct ctaes_ctx *ctx, OSSL_PARAM *p)
{
    struct ctaes_ccm_ctx *c = &ctx->u.ccm;
    if (p->data_size < c->iv_len) {
        CTAES_RAISE(ctx->prov, PROV_R_INVALID_IV_LENGTH);
        return 0;
    }
    size_t len = p->data_size < sizeof c->iv ? p->data_size : sizeof c->iv;
    return ctaes_check_get(ctx, ctaes_param_set_octet_string(p, c->iv, len) ||
                                    ctaes_param_set_octet_ptr(p, c->iv, len));
}

static int set_tls_aad(struct ctaes_ctx *ctx, const OSSL_PARAM *p)
{
    struct ctaes_ccm_ctx *c = &ctx->u.ccm;
    if (!ctaes_check_set(ctx, p->data_type == OSSL_PARAM_OCTET_STRING))
        return 0;
    bool good = p->data != NULL && p->data_size == TLS_AAD_LEN;
    if (good) {
        /* The record's length counts what isn't authenticated: the explicit
           nonce, and the tag in a record that comes in. */
        memcpy(c->expected, p->data, TLS_AAD_LEN);
        c->tls = true;
        size_t len = (size_t)c->expected[11] << 8 | c->expected[12];
        size_t overhead = TLS_EXPLICIT_IV_LEN + (ctx->encrypting ? 0 : c->tag_len);
        good = len >= overhead;
        if (good) {
            c->expected[11] = (uint8_t)((len - overhead) >> 8);
            c->expected[12] = (uint8_t)(len - overhead);
            c->tls_pad = c->tag_len;
        }
        c->tls_record = good;
    }
    if (!good)
        CTAES_RAISE(ctx->prov, PROV_R_INVALID_DATA);
    return good;
}

static int get_tls_pad(struct ctaes_ctx *ctx, OSSL_PARAM *p)
{
    return ctaes_check_get(ctx, ctaes_param_set_size(p, ctx->u.ccm.tls_pad));
}

static int set_tls_fixed_iv(struct ctaes_ctx *ctx, const OSSL_PARAM *p)
{
    if (!ctaes_check_set(ctx, p->data_type == OSSL_PARAM_OCTET_STRING))
        return 0;
    if (p->data_size != TLS_FIXED_IV_LEN) {
        CTAES_RAISE(ctx->prov, PROV_R_INVALID_IV_LENGTH);
        return 0;
    }
    if (!ctaes_check_set(ctx, p->data != NULL))
        return 0;
    memcpy(ctx->u.ccm.iv, p->data, TLS_FIXED_IV_LEN);
    return 1;
}

/* Parameters of GCM that the default provider lists for CCM, too, and ignores. */
static int ignore_get(struct ctaes_ctx *ctx, OSSL_PARAM *p)
{
    (void)ctx;
    (void)p;
    return 1;
}

static int ignore_set(struct ctaes_ctx *ctx, const OSSL_PARAM *p)
{
    (void)ctx;
    (void)p;
    return 1;
}

/* Two rows for the tag: the default provider sets it first and gets it late. */
#define CCM_PARAMS(R, W, RW)                                                                       \
    W(OSSL_CIPHER_PARAM_AEAD_TAG, OCTETS, set_tag)                                                 \
    RW(OSSL_CIPHER_PARAM_IVLEN, SIZE, get_iv_len, set_iv_len)                                      \
    W(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, OCTETS, set_tls_aad)                                        \
    W(OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, OCTETS, set_tls_fixed_iv)                              \
    R(OSSL_CIPHER_PARAM_AEAD_TAGLEN, SIZE, get_tag_len)                                            \
    R(OSSL_CIPHER_PARAM_IV, OCTETS, get_iv)                                                        \
    R(OSSL_CIPHER_PARAM_UPDATED_IV, OCTETS, get_iv)                                                \
    R(OSSL_CIPHER_PARAM_KEYLEN, SIZE, ctaes_get_key_len)                                           \
    R(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD, SIZE, get_tls_pad)                                      \
    R(OSSL_CIPHER_PARAM_AEAD_TAG, OCTETS, get_tag)                                                 \
    R(OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN, OCTETS, ignore_get)                                  \
    W(OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV, OCTETS, ignore_set)                                  \
    R(CTAES_PARAM_CORE, UTF8_PTR, ctaes_get_core)

CTAES_PARAM_TABLE(ccm, CCM_PARAMS)
