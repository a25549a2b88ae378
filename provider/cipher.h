/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cipher contexts: the state behind one EVP_CIPHER_CTX, and the functions that
 * OpenSSL's dispatch tables point to (see provider-cipher(7) for what each is
 * asked to do).
 *
 * A context is one allocation, aligned to CTAES_ALIGN:
 *
 *   ├ struct ctaes_ctx ┤ AES key, core->key_size ┤ a second one, or none ┤
 *                                    ├ hash key, core->ghash_size, or none ┤
 *                                    ├ mode->own_key_size, or none ┤
 *
 * with no pointer into itself, so that dupctx copies bytes and freectx wipes
 * them.
 */
#ifndef CTAES_CIPHER_H
#define CTAES_CIPHER_H

#include "modes/ccm.h"
#include "modes/ocb.h"
#include "modes/gcm_siv.h"
#include "modes/siv.h"
#include "provctx.h"
#include "modes/cts.h"
#include "tls_cbc.h"

#define CTAES_PARAM_IV_GENERATED "iv-generated"         /* since OpenSSL 3.4 */
#define CTAES_PARAM_ENCRYPT_THEN_MAC "encrypt-then-mac" /* since OpenSSL 3.6 */
#define CTAES_MAX_GCM_IV 128                            /* bytes; the default provider's limit */

enum ctaes_iv_state {
    CTAES_IV_NONE,    /* none given yet */
    CTAES_IV_GIVEN,   /* in iv, no message started with it */
    CTAES_IV_STARTED, /* a message goes on with it */
    CTAES_IV_SPENT    /* its message is over: it must not be used again */
};

/* ECB, CBC, CTR, CFB, OFB, CTS. */
struct ctaes_chain_ctx {
    struct ctaes_chain chain;
    uint8_t original_iv[16]; /* as given, to start again from */
    uint8_t buffer[16];      /* input that doesn't fill a block, or is held back */
    uint32_t buffer_len;
    bool iv_set;
    bool padding;

    /* TLS records, if tls_version isn't 0. */
    unsigned int tls_version;
    size_t tls_mac_size;                /* bytes, as set by the caller */
    size_t tls_mac_len;                 /* bytes of the last record's MAC; 0: none */
    uint8_t tls_mac[CTAES_TLS_MAX_MAC]; /* block modes: the MAC, or random bytes */
    const uint8_t *tls_mac_in_output;   /* stream modes: where the caller has it */

    enum ctaes_cts_variant cts_variant;
    bool cts_done; /* the one update that CTS allows was there */
};

/* GCM. */
struct ctaes_aead_ctx {
    struct ctaes_aead state;
    uint8_t iv[CTAES_MAX_GCM_IV];
    size_t iv_len;
    enum ctaes_iv_state iv_state;
    bool iv_random;    /* iv, or a part of it, was drawn by us */
    bool iv_generated; /* iv counts up by itself: tlsivgen, tlsivinv */

    /* The tag computed, or expected; between tlsaad and its record, the TLS
       AAD, as the default provider has it. */
    uint8_t tag[16];
    size_t tag_len; /* bytes; 0: not known yet */

    bool tls_record;      /* the next update is a TLS 1.2 record */
    size_t tls_pad;       /* bytes that a record grows by, once tlsaad was set */
    uint64_t tls_records; /* encrypted under this key */
};

/* WRAP, WRAP-PAD and their INV forms. */
struct ctaes_wrap_ctx {
    uint8_t iv[8]; /* the integrity check value, of which WRAP-PAD has 4 bytes */
    bool iv_set;   /* if not, the standard's is used */
    bool used;     /* something has been wrapped or unwrapped since the last init */
};

/* How far a message of CCM has come. */
enum ctaes_ccm_phase {
    CTAES_CCM_NO_IV,
    CTAES_CCM_IV_GIVEN,
    CTAES_CCM_LENGTH_GIVEN,
    CTAES_CCM_AAD_GIVEN, /* state is in use, from here on */
    CTAES_CCM_ENCRYPTED, /* it is over, and its tag not yet fetched */
    CTAES_CCM_FAILED     /* it is over: its tag was wrong, or its key has gone */
};

/* CCM. */
struct ctaes_ccm_ctx {
    struct ctaes_ccm state;
    enum ctaes_ccm_phase phase;
    uint8_t iv[16];
    size_t iv_len;  /* bytes */
    size_t tag_len; /* bytes */

    /* The two lengths as they were when the key came: the ones that count, since
       a message with others fails. So has it the default provider. */
    size_t key_iv_len;
    size_t key_tag_len;

    /* The message's, from its length on. */
    uint8_t nonce[CTAES_CCM_MAX_NONCE];
    uint64_t data_len;

    uint8_t tag[16]; /* computed */
    bool tag_ready;  /* to be fetched once, even after another init */

    /* The tag expected; between tlsaad and its record, the TLS AAD, as the
       default provider has it. */
    uint8_t expected[16];
    bool expected_set;

    bool tls;        /* every update is a TLS 1.2 record */
    bool tls_record; /* its AAD has come */
    size_t tls_pad;  /* bytes that a record grows by, once tlsaad was set */
};

/* OCB. */
struct ctaes_ocb_ctx {
    struct ctaes_ocb state;
    uint8_t iv[CTAES_OCB_MAX_NONCE];
    size_t iv_len;
    enum ctaes_iv_state iv_state;
    uint8_t data[16]; /* input that doesn't fill a block */
    uint8_t aad[16];  /* the same of AAD */
    uint32_t data_len;
    uint32_t aad_len;
    uint8_t tag[16]; /* computed, or expected */
    size_t tag_len;
};

/* SIV. */
struct ctaes_siv_ctx {
    struct ctaes_siv state;
    uint8_t tag[CTAES_SIV_TAG_LEN]; /* the tag computed, or expected */
    bool done;                      /* the data of the message came */
    bool good;                      /* and was processed; what final answers */
    bool unlimited;                 /* `speed`: any number of messages */
};

/* GCM-SIV. */
struct ctaes_gcm_siv_ctx {
    struct ctaes_gcm_siv state;
    uint8_t nonce[CTAES_GCM_SIV_NONCE_LEN];
    uint8_t tag[CTAES_GCM_SIV_TAG_LEN];      /* the tag computed when encrypting */
    uint8_t expected[CTAES_GCM_SIV_TAG_LEN]; /* the tag received, if expected_set */
    bool expected_set;
    enum ctaes_iv_state nonce_state;
    bool started;   /* the nonce's keys are derived, and the message goes on */
    bool done;      /* the data of the message came */
    bool good;      /* and was processed; what final answers */
    bool opened;    /* decrypted, and `tag` was the right one */
    bool unlimited; /* `speed`: any number of messages under one nonce */
};

/* XTS. */
struct ctaes_xts_ctx {
    uint8_t iv[16];
    bool iv_set;
    bool duplicated_keys; /* both halves of the key are the same */
};

struct ctaes_ctx {
    const struct ctaes_provctx *prov;
    const struct ctaes_cipher *alg;
    const struct ctaes_core *core;
    size_t size;   /* bytes from here to the end of the last key */
    size_t offset; /* bytes from the start of the allocation to here */
    bool encrypting;
    bool key_set;
    bool decrypt_ready; /* the key has been through prepare_decrypt */
    union {
        struct ctaes_chain_ctx chain;
        struct ctaes_aead_ctx aead;
        struct ctaes_wrap_ctx wrap;
        struct ctaes_ccm_ctx ccm;
        struct ctaes_ocb_ctx ocb;
        struct ctaes_siv_ctx siv;
        struct ctaes_gcm_siv_ctx gcm_siv;
        struct ctaes_xts_ctx xts;
    } u;
};

/* Rounds up to the alignment of keys. */
static inline size_t ctaes_align(size_t n)
{
    return (n + (CTAES_ALIGN - 1)) & ~(size_t)(CTAES_ALIGN - 1);
}

static inline struct ctaes_aes_key *ctaes_key_of(struct ctaes_ctx *ctx)
{
    return (struct ctaes_aes_key *)(void *)((uint8_t *)ctx + ctaes_align(sizeof *ctx));
}

/* Only where the mode has second_key. */
static inline struct ctaes_aes_key *ctaes_second_key_of(struct ctaes_ctx *ctx)
{
    return (struct ctaes_aes_key *)(void *)((uint8_t *)ctaes_key_of(ctx) +
                                            ctaes_align(ctx->core->key_size));
}

/* Only where the mode has hash_key. */
static inline struct ctaes_ghash_key *ctaes_ghash_key_of(struct ctaes_ctx *ctx)
{
    size_t keys = ctx->alg->mode->second_key ? 2 : 1;
    return (struct ctaes_ghash_key *)(void *)((uint8_t *)ctaes_key_of(ctx) +
                                              keys * ctaes_align(ctx->core->key_size));
}

/* Only where the mode has own_key_size. */
static inline void *ctaes_own_key_of(struct ctaes_ctx *ctx)
{
    size_t hash_key = ctx->alg->mode->hash_key ? ctaes_align(ctx->core->ghash_size) : 0;
    return (uint8_t *)ctaes_ghash_key_of(ctx) + hash_key;
}

/* Allocates a context for an algorithm, all zeros but for what set_defaults, of
   the algorithm's family, sets; NULL if there is no memory. */
void *ctaes_newctx(const struct ctaes_provctx *prov, const struct ctaes_cipher *alg,
                   void (*set_defaults)(struct ctaes_ctx *ctx));

/* Expands key for ctx. Returns 1, or 0 after raising if key_len is wrong. */
int ctaes_set_key(struct ctaes_ctx *ctx, const uint8_t *key, size_t key_len);

/* Whether len can be the length of anything. EVP takes lengths as int and hands
   a negative one on as a size beyond all memory, with a room to match. */
static inline bool ctaes_is_length(size_t len)
{
    return len <= PTRDIFF_MAX;
}

/* Raise what the default provider raises; return false. */
bool ctaes_refuse_key(const struct ctaes_ctx *ctx);
bool ctaes_refuse_room(const struct ctaes_ctx *ctx);

/* Whether there is a key; raises if not. */
static inline bool ctaes_require_key(const struct ctaes_ctx *ctx)
{
    return ctx->key_set || ctaes_refuse_key(ctx);
}

/* Whether an output of len bytes fits into room; raises if not. */
static inline bool ctaes_require_room(const struct ctaes_ctx *ctx, size_t room, size_t len)
{
    return (room >= len && ctaes_is_length(len)) || ctaes_refuse_room(ctx);
}

/* Makes the key ready for the inverse cipher, if there is one and it isn't. For
   every init: the direction may change without a key. */
static inline void ctaes_ready_decrypt(struct ctaes_ctx *ctx)
{
    if (ctx->key_set && !ctx->decrypt_ready) {
        ctx->core->prepare_decrypt(ctaes_key_of(ctx));
        ctx->decrypt_ready = true;
    }
}

/* Turn an accessor's verdict into the result of a parameter's get or set
   function: 1, or 0 after raising. */
int ctaes_refuse_get(const struct ctaes_ctx *ctx);
int ctaes_refuse_set(const struct ctaes_ctx *ctx);

static inline int ctaes_check_get(const struct ctaes_ctx *ctx, bool done)
{
    return done ? 1 : ctaes_refuse_get(ctx);
}

static inline int ctaes_check_set(const struct ctaes_ctx *ctx, bool done)
{
    return done ? 1 : ctaes_refuse_set(ctx);
}

/* Parameters that all ciphers have. */
int ctaes_get_key_len(struct ctaes_ctx *ctx, OSSL_PARAM *p);
int ctaes_get_core(struct ctaes_ctx *ctx, OSSL_PARAM *p);

/* Answers questions about an algorithm that need no context. */
int ctaes_get_cipher_params(const struct ctaes_cipher *alg, OSSL_PARAM params[]);

OSSL_FUNC_cipher_freectx_fn ctaes_freectx;
OSSL_FUNC_cipher_dupctx_fn ctaes_dupctx;
OSSL_FUNC_cipher_gettable_params_fn ctaes_gettable_cipher_params;

void ctaes_chain_set_defaults(struct ctaes_ctx *ctx);
OSSL_FUNC_cipher_encrypt_init_fn ctaes_chain_encrypt_init;
OSSL_FUNC_cipher_decrypt_init_fn ctaes_chain_decrypt_init;
OSSL_FUNC_cipher_get_ctx_params_fn ctaes_chain_get_ctx_params;
OSSL_FUNC_cipher_set_ctx_params_fn ctaes_chain_set_ctx_params;
OSSL_FUNC_cipher_gettable_ctx_params_fn ctaes_chain_gettable_ctx_params;
OSSL_FUNC_cipher_settable_ctx_params_fn ctaes_chain_settable_ctx_params;

OSSL_FUNC_cipher_update_fn ctaes_block_update;
OSSL_FUNC_cipher_final_fn ctaes_block_final;
OSSL_FUNC_cipher_cipher_fn ctaes_block_cipher;

OSSL_FUNC_cipher_update_fn ctaes_stream_update;
OSSL_FUNC_cipher_final_fn ctaes_stream_final;
OSSL_FUNC_cipher_cipher_fn ctaes_stream_cipher;

void ctaes_cts_set_defaults(struct ctaes_ctx *ctx);
OSSL_FUNC_cipher_encrypt_init_fn ctaes_cts_encrypt_init;
OSSL_FUNC_cipher_decrypt_init_fn ctaes_cts_decrypt_init;
OSSL_FUNC_cipher_update_fn ctaes_cts_update;
OSSL_FUNC_cipher_final_fn ctaes_cts_final;
OSSL_FUNC_cipher_cipher_fn ctaes_cts_cipher;
OSSL_FUNC_cipher_get_ctx_params_fn ctaes_cts_get_ctx_params;
OSSL_FUNC_cipher_set_ctx_params_fn ctaes_cts_set_ctx_params;
OSSL_FUNC_cipher_gettable_ctx_params_fn ctaes_cts_gettable_ctx_params;
OSSL_FUNC_cipher_settable_ctx_params_fn ctaes_cts_settable_ctx_params;

void ctaes_aead_set_defaults(struct ctaes_ctx *ctx);
OSSL_FUNC_cipher_encrypt_init_fn ctaes_aead_encrypt_init;
OSSL_FUNC_cipher_decrypt_init_fn ctaes_aead_decrypt_init;
OSSL_FUNC_cipher_update_fn ctaes_aead_update;
OSSL_FUNC_cipher_final_fn ctaes_aead_final;
OSSL_FUNC_cipher_cipher_fn ctaes_aead_cipher;
OSSL_FUNC_cipher_get_ctx_params_fn ctaes_aead_get_ctx_params;
OSSL_FUNC_cipher_set_ctx_params_fn ctaes_aead_set_ctx_params;
OSSL_FUNC_cipher_gettable_ctx_params_fn ctaes_aead_gettable_ctx_params;
OSSL_FUNC_cipher_settable_ctx_params_fn ctaes_aead_settable_ctx_params;

void ctaes_wrap_set_defaults(struct ctaes_ctx *ctx);
OSSL_FUNC_cipher_encrypt_init_fn ctaes_wrap_encrypt_init;
OSSL_FUNC_cipher_decrypt_init_fn ctaes_wrap_decrypt_init;
OSSL_FUNC_cipher_update_fn ctaes_wrap_update;
OSSL_FUNC_cipher_final_fn ctaes_wrap_final;
#define ctaes_wrap_cipher NULL /* as in the default provider: EVP_Cipher calls update */
OSSL_FUNC_cipher_get_ctx_params_fn ctaes_wrap_get_ctx_params;
OSSL_FUNC_cipher_set_ctx_params_fn ctaes_wrap_set_ctx_params;
OSSL_FUNC_cipher_gettable_ctx_params_fn ctaes_wrap_gettable_ctx_params;
OSSL_FUNC_cipher_settable_ctx_params_fn ctaes_wrap_settable_ctx_params;

void ctaes_ccm_set_defaults(struct ctaes_ctx *ctx);
OSSL_FUNC_cipher_encrypt_init_fn ctaes_ccm_encrypt_init;
OSSL_FUNC_cipher_decrypt_init_fn ctaes_ccm_decrypt_init;
OSSL_FUNC_cipher_update_fn ctaes_ccm_update;
OSSL_FUNC_cipher_final_fn ctaes_ccm_final;
OSSL_FUNC_cipher_cipher_fn ctaes_ccm_cipher;
OSSL_FUNC_cipher_get_ctx_params_fn ctaes_ccm_get_ctx_params;
OSSL_FUNC_cipher_set_ctx_params_fn ctaes_ccm_set_ctx_params;
OSSL_FUNC_cipher_gettable_ctx_params_fn ctaes_ccm_gettable_ctx_params;
OSSL_FUNC_cipher_settable_ctx_params_fn ctaes_ccm_settable_ctx_params;

void ctaes_ocb_set_defaults(struct ctaes_ctx *ctx);
OSSL_FUNC_cipher_encrypt_init_fn ctaes_ocb_encrypt_init;
OSSL_FUNC_cipher_decrypt_init_fn ctaes_ocb_decrypt_init;
OSSL_FUNC_cipher_update_fn ctaes_ocb_update;
OSSL_FUNC_cipher_final_fn ctaes_ocb_final;
OSSL_FUNC_cipher_cipher_fn ctaes_ocb_cipher;
OSSL_FUNC_cipher_get_ctx_params_fn ctaes_ocb_get_ctx_params;
OSSL_FUNC_cipher_set_ctx_params_fn ctaes_ocb_set_ctx_params;
OSSL_FUNC_cipher_gettable_ctx_params_fn ctaes_ocb_gettable_ctx_params;
OSSL_FUNC_cipher_settable_ctx_params_fn ctaes_ocb_settable_ctx_params;

void ctaes_siv_set_defaults(struct ctaes_ctx *ctx);
OSSL_FUNC_cipher_encrypt_init_fn ctaes_siv_encrypt_init;
OSSL_FUNC_cipher_decrypt_init_fn ctaes_siv_decrypt_init;
OSSL_FUNC_cipher_update_fn ctaes_siv_update;
OSSL_FUNC_cipher_final_fn ctaes_siv_final;
OSSL_FUNC_cipher_cipher_fn ctaes_siv_cipher;
OSSL_FUNC_cipher_get_ctx_params_fn ctaes_siv_get_ctx_params;
OSSL_FUNC_cipher_set_ctx_params_fn ctaes_siv_set_ctx_params;
OSSL_FUNC_cipher_gettable_ctx_params_fn ctaes_siv_gettable_ctx_params;
OSSL_FUNC_cipher_settable_ctx_params_fn ctaes_siv_settable_ctx_params;

void ctaes_gcm_siv_set_defaults(struct ctaes_ctx *ctx);
OSSL_FUNC_cipher_encrypt_init_fn ctaes_gcm_siv_encrypt_init;
OSSL_FUNC_cipher_decrypt_init_fn ctaes_gcm_siv_decrypt_init;
OSSL_FUNC_cipher_update_fn ctaes_gcm_siv_update;
OSSL_FUNC_cipher_final_fn ctaes_gcm_siv_final;
OSSL_FUNC_cipher_cipher_fn ctaes_gcm_siv_cipher;
OSSL_FUNC_cipher_get_ctx_params_fn ctaes_gcm_siv_get_ctx_params;
OSSL_FUNC_cipher_set_ctx_params_fn ctaes_gcm_siv_set_ctx_params;
OSSL_FUNC_cipher_gettable_ctx_params_fn ctaes_gcm_siv_gettable_ctx_params;
OSSL_FUNC_cipher_settable_ctx_params_fn ctaes_gcm_siv_settable_ctx_params;

void ctaes_xts_set_defaults(struct ctaes_ctx *ctx);
OSSL_FUNC_cipher_encrypt_init_fn ctaes_xts_encrypt_init;
OSSL_FUNC_cipher_decrypt_init_fn ctaes_xts_decrypt_init;
OSSL_FUNC_cipher_update_fn ctaes_xts_update;
OSSL_FUNC_cipher_final_fn ctaes_xts_final;
OSSL_FUNC_cipher_cipher_fn ctaes_xts_cipher;
OSSL_FUNC_cipher_get_ctx_params_fn ctaes_xts_get_ctx_params;
OSSL_FUNC_cipher_set_ctx_params_fn ctaes_xts_set_ctx_params;
OSSL_FUNC_cipher_gettable_ctx_params_fn ctaes_xts_gettable_ctx_params;
OSSL_FUNC_cipher_settable_ctx_params_fn ctaes_xts_settable_ctx_params;

#endif
