/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dispatch tables without EVP in between: what EVP hides.
 *
 * EVP never tells a provider the true size of the output (it says input plus one
 * block), and always passes lengths that it asked for before. Here both providers'
 * own functions are called with every size that is too small, and with wrong
 * lengths of keys and IVs.
 */
#include "evp.h"

#include <openssl/core_dispatch.h>
#include <openssl/proverr.h>

#include <stdlib.h>
#include <string.h>

struct functions {
    void *provctx;
    OSSL_FUNC_cipher_newctx_fn *newctx;
    OSSL_FUNC_cipher_freectx_fn *freectx;
    OSSL_FUNC_cipher_dupctx_fn *dupctx;
    OSSL_FUNC_cipher_encrypt_init_fn *init[2]; /* decrypt, encrypt */
    OSSL_FUNC_cipher_update_fn *update;
    OSSL_FUNC_cipher_final_fn *final;
    OSSL_FUNC_cipher_cipher_fn *cipher;
    OSSL_FUNC_cipher_get_params_fn *get_params;
    OSSL_FUNC_cipher_get_ctx_params_fn *get_ctx_params;
    OSSL_FUNC_cipher_set_ctx_params_fn *set_ctx_params;
};

static const uint8_t key[65] = "a key of 64 bytes of which no half is the other, and one more..";
static uint8_t iv[200];

static void find_functions(struct functions *f, const struct side *side, const char *name)
{
    int no_cache;
    size_t n = strlen(name);
    const OSSL_ALGORITHM *a =
        OSSL_PROVIDER_query_operation(side->provider, OSSL_OP_CIPHER, &no_cache);

    memset(f, 0, sizeof *f);
    f->provctx = OSSL_PROVIDER_get0_provider_ctx(side->provider);
    while (a->algorithm_names != NULL &&
           (strncmp(a->algorithm_names, name, n) != 0 ||
            (a->algorithm_names[n] != ':' && a->algorithm_names[n] != '\0')))
        a++;
    if (a->algorithm_names == NULL)
        abort();
    for (const OSSL_DISPATCH *d = a->implementation; d->function_id != 0; d++) {
        switch (d->function_id) {
        case OSSL_FUNC_CIPHER_NEWCTX:
            f->newctx = OSSL_FUNC_cipher_newctx(d);
            break;
        case OSSL_FUNC_CIPHER_FREECTX:
            f->freectx = OSSL_FUNC_cipher_freectx(d);
            break;
        case OSSL_FUNC_CIPHER_DUPCTX:
            f->dupctx = OSSL_FUNC_cipher_dupctx(d);
            break;
        case OSSL_FUNC_CIPHER_ENCRYPT_INIT:
            f->init[1] = OSSL_FUNC_cipher_encrypt_init(d);
            break;
        case OSSL_FUNC_CIPHER_DECRYPT_INIT:
            f->init[0] = OSSL_FUNC_cipher_decrypt_init(d);
            break;
        case OSSL_FUNC_CIPHER_UPDATE:
            f->update = OSSL_FUNC_cipher_update(d);
            break;
        case OSSL_FUNC_CIPHER_FINAL:
            f->final = OSSL_FUNC_cipher_final(d);
            break;
        case OSSL_FUNC_CIPHER_CIPHER:
            f->cipher = OSSL_FUNC_cipher_cipher(d);
            break;
        case OSSL_FUNC_CIPHER_GET_PARAMS:
            f->get_params = OSSL_FUNC_cipher_get_params(d);
            break;
        case OSSL_FUNC_CIPHER_GET_CTX_PARAMS:
            f->get_ctx_params = OSSL_FUNC_cipher_get_ctx_params(d);
            break;
        case OSSL_FUNC_CIPHER_SET_CTX_PARAMS:
            f->set_ctx_params = OSSL_FUNC_cipher_set_ctx_params(d);
            break;
        default:
            break;
        }
    }
}

static size_t iv_len_of(const struct algorithm *a)
{
    return a->mode == EVP_CIPH_ECB_MODE || has_mode(a, SIV) ? 0
           : has_mode(a, CCM)                               ? 7
           : has_mode(a, GCM | OCB | GCM_SIV)               ? 12
                                                            : 16;
}

static void *start(const struct functions *f, const struct algorithm *a, int enc)
{
    void *ctx = f->newctx(f->provctx);
    if (ctx == NULL || f->init[enc](ctx, key, (size_t)a->key_len, iv, iv_len_of(a), NULL) != 1)
        abort();
    return ctx;
}

/* Compares one call. On success everything must be the same; on failure the result and the
   error, and ctaes must have written nothing and said a length of 0. */
static bool same(const struct algorithm *a, const char *what, size_t detail, const int rc[2],
                 const size_t outl[2], uint8_t out[2][256])
{
    bool untouched = true;
    for (size_t i = 0; i < 256; i++)
        untouched = untouched && out[SUBJECT][i] == CANARY;
    bool good = rc[0] == rc[1];
    if (good && rc[0] == 1)
        good = outl[0] == outl[1] && memcmp(out[0], out[1], 256) == 0;
    else if (good)
        good = outl[SUBJECT] == 0 && untouched;
    return check(good, "%s: %s, %zu: default %d, %zu; ctaes %d, %zu%s", a->name, what, detail,
                 rc[0], outl[0], rc[1], outl[1], untouched ? "" : ", output written");
}

/* One call with room for `size` bytes, after `pending` bytes; then again with enough. */
static void check_room(const struct algorithm *a, const struct functions f[2], int enc,
                       enum op_kind call, size_t pending, size_t len, size_t size)
{
    uint8_t out[2][256];
    size_t outl[2];
    int rc[2];
    unsigned long error[2];
    void *ctx[2];
    char what[100];

    for (int i = 0; i < 2; i++) {
        ctx[i] = start(&f[i], a, enc);
        if (pending > 0 &&
            f[i].update(ctx[i], out[i], &outl[i], sizeof out[i], base_tape, pending) != 1)
            abort();
        memset(out[i], CANARY, sizeof out[i]);
        outl[i] = 77;
        ERR_clear_error();
        if (call == UPDATE)
            rc[i] = f[i].update(ctx[i], out[i], &outl[i], size, base_tape + pending, len);
        else if (call == FINAL)
            rc[i] = f[i].final(ctx[i], out[i], &outl[i], size);
        else
            rc[i] = f[i].cipher(ctx[i], out[i], &outl[i], size, base_tape + pending, len);
        error[i] = ERR_get_error();
        check(ERR_peek_error() == 0, "%s: more than one error", a->name);
    }
    snprintf(what, sizeof what, "%s %s of %zu after %zu, room for",
             enc ? "encrypting" : "decrypting",
             call == UPDATE  ? "update"
             : call == FINAL ? "final"
                             : "one-shot",
             len, pending);
    same(a, what, size, rc, outl, out);
    check(error[0] == error[1], "%s: %s %zu: error %d, ctaes %d", a->name, what, size,
          ERR_GET_REASON(error[0]), ERR_GET_REASON(error[1]));

    /* The call that found no room has changed nothing: with room it gives what it would have. */
    if (rc[SUBJECT] == 0 && rc[REFERENCE] == 0 &&
        ERR_GET_REASON(error[SUBJECT]) == ERR_GET_REASON(error[REFERENCE]) && size < len + 16) {
        f[REFERENCE].freectx(ctx[REFERENCE]);
        ctx[REFERENCE] = start(&f[REFERENCE], a, enc);
        if (pending > 0)
            f[REFERENCE].update(ctx[REFERENCE], out[0], &outl[0], 256, base_tape, pending);
        for (int i = 0; i < 2; i++) {
            memset(out[i], CANARY, sizeof out[i]);
            if (call == UPDATE)
                rc[i] = f[i].update(ctx[i], out[i], &outl[i], 256, base_tape + pending, len);
            else if (call == FINAL)
                rc[i] = f[i].final(ctx[i], out[i], &outl[i], 256);
            else
                rc[i] = f[i].cipher(ctx[i], out[i], &outl[i], 256, base_tape + pending, len);
        }
        ERR_clear_error();
        if (rc[REFERENCE] == 1)
            same(a, what, 256, rc, outl, out);
    }
    f[0].freectx(ctx[0]);
    f[1].freectx(ctx[1]);
    ERR_clear_error();
}

/* A TLS record of len bytes, in place, with room for `size`. */
static void check_record_room(const struct algorithm *a, const struct functions f[2], int enc,
                              size_t len, size_t size)
{
    uint8_t out[2][256];
    size_t outl[2];
    int rc[2];
    unsigned long error[2];
    unsigned version = 0x301;
    OSSL_PARAM params[2] = {OSSL_PARAM_construct_uint("tls-version", &version), OSSL_PARAM_END};

    for (int i = 0; i < 2; i++) {
        void *ctx = start(&f[i], a, enc);
        memset(out[i], CANARY, sizeof out[i]);
        outl[i] = 0; /* default leaves it where it fails */
        rc[i] = f[i].set_ctx_params(ctx, params) == 1
                    ? f[i].update(ctx, out[i], &outl[i], size, out[i], len)
                    : -1;
        error[i] = ERR_get_error();
        f[i].freectx(ctx);
    }
    bool good = rc[0] == rc[1] && error[0] == error[1] && ERR_peek_error() == 0 &&
                (rc[0] == 0 || outl[0] == outl[1]) && memcmp(out[0], out[1], 256) == 0;
    check(good, "%s: %s a record of %zu, room for %zu: default %d, %zu; ctaes %d, %zu", a->name,
          enc ? "encrypting" : "decrypting", len, size, rc[0], outl[0], rc[1], outl[1]);
    check(rc[SUBJECT] != 0 || outl[SUBJECT] == 0, "%s: a length after a failure", a->name);
    ERR_clear_error();
}

static void check_rooms(const struct algorithm *a, const struct functions f[2])
{
    static const size_t pendings[] = {0, 5, 16, 31}, lens[] = {0, 1, 11, 16, 17, 32, 43, 48};
    bool block = has_mode(a, BLOCK | CTS);

    /* CCM: a message is one update, and for decryption there would have to be a tag. OCB: of
       EVP_Cipher's and final's room default doesn't know. */
    bool ccm = has_mode(a, CCM), ocb = has_mode(a, OCB);
    for (int enc = ccm; enc < 2; enc++) {
        for (size_t p = 0; p < (ccm ? 1 : sizeof pendings / sizeof pendings[0]); p++) {
            if (a->mode == CTS_MODE && pendings[p] == 5)
                continue; /* too short for a message */
            for (size_t l = 0; l < sizeof lens / sizeof lens[0]; l++) {
                for (size_t size = 0; size <= lens[l] + 17; size++) {
                    check_room(a, f, enc, UPDATE, pendings[p], lens[l], size);
                    if (!ocb && (!block || lens[l] % 16 == 0))
                        check_room(a, f, enc, ONE_SHOT, pendings[p], lens[l], size);
                }
            }
            for (size_t size = 0; !ccm && !ocb && size <= 17; size++)
                check_room(a, f, enc, FINAL, pendings[p], 0, size);
        }
        for (size_t len = 0; block && len <= 80; len++) {
            for (size_t size = 0; size <= len + 17; size++)
                check_record_room(a, f, enc, len, size);
        }
    }
}

/* The same where one update brings all of the data. Decrypting, the tag is wrong, and the output
   wiped. */
static void check_siv_rooms(const struct algorithm *a, const struct functions f[2])
{
    static const size_t lens[] = {1, 11, 16, 17, 43};
    for (size_t l = 0; l < sizeof lens / sizeof lens[0]; l++) {
        for (size_t size = 0; size <= lens[l] + 1; size++) {
            check_room(a, f, 1, UPDATE, 0, lens[l], size);
            check_room(a, f, 1, ONE_SHOT, 0, lens[l], size);
            if (size < lens[l] && has_mode(a, SIV))
                check_room(a, f, 0, UPDATE, 0, lens[l], size);
        }
    }
}

/* The same where each update and one-shot is a message of a block at least. In a one-shot default
   doesn't look at the room; ctaes does. */
static void check_unit_rooms(const struct algorithm *a, const struct functions f[2])
{
    static const size_t lens[] = {0, 1, 15, 16, 17, 43, 48};
    for (int enc = 0; enc < 2; enc++) {
        for (size_t pending = 0; pending <= 16; pending += 16) {
            for (size_t l = 0; l < sizeof lens / sizeof lens[0]; l++) {
                for (size_t size = 0; size <= lens[l] + 17; size++) {
                    check_room(a, f, enc, UPDATE, pending, lens[l], size);
                    if (size >= lens[l])
                        check_room(a, f, enc, ONE_SHOT, pending, lens[l], size);
                }
            }
            check_room(a, f, enc, FINAL, pending, 0, 0);
        }
        uint8_t out[64];
        size_t outl = 77;
        void *ctx = start(&f[SUBJECT], a, enc);
        memset(out, CANARY, sizeof out);
        check(f[SUBJECT].cipher(ctx, out, &outl, 31, base_tape, 32) == 0 && outl == 0 &&
                  out[0] == CANARY &&
                  ERR_GET_REASON(ERR_get_error()) == PROV_R_OUTPUT_BUFFER_TOO_SMALL,
              "%s: a one-shot of 32 bytes with room for 31", a->name);
        f[SUBJECT].freectx(ctx);
    }
}

/* Lengths of keys and IVs that EVP never passes, in both directions. */
static void check_lengths(const struct algorithm *a, const struct functions f[2])
{
    for (int enc = 0; enc < 2; enc++) {
        for (size_t len = 0; len <= 65; len++) {
            unsigned long error[2];
            int rc[2];
            for (int i = 0; i < 2; i++) {
                void *ctx = f[i].newctx(f[i].provctx);
                rc[i] = f[i].init[enc](ctx, key, len, NULL, 0, NULL);
                error[i] = ERR_get_error();
                f[i].freectx(ctx);
            }
            check(rc[0] == rc[1] && error[0] == error[1] && ERR_peek_error() == 0,
                  "%s: a key of %zu bytes: default %d, %d; ctaes %d, %d", a->name, len, rc[0],
                  ERR_GET_REASON(error[0]), rc[1], ERR_GET_REASON(error[1]));
        }
        for (size_t len = 0; len <= 140; len++) {
            unsigned long error[2];
            int rc[2];
            for (int i = 0; i < 2; i++) {
                void *ctx = f[i].newctx(f[i].provctx);
                rc[i] = f[i].init[enc](ctx, key, (size_t)a->key_len, iv, len, NULL);
                error[i] = ERR_get_error();
                f[i].freectx(ctx);
            }
            check(rc[0] == rc[1] && error[0] == error[1] && ERR_peek_error() == 0,
                  "%s: an IV of %zu bytes: default %d, %d; ctaes %d, %d", a->name, len, rc[0],
                  ERR_GET_REASON(error[0]), rc[1], ERR_GET_REASON(error[1]));
        }
    }
}

/* A key of a wrong length is refused, and nothing is lost: the context goes on as one that
   wasn't asked, tag included, or wants a new IV. */
static void check_refused_key(const struct algorithm *a, const struct functions *f)
{
    static const size_t lens[] = {0, 1, 15, 17, 128};
    for (size_t l = 0; l < sizeof lens / sizeof lens[0]; l++) {
        uint8_t out[2][256], tag[2][16];
        size_t outl[2] = {0, 0}, last;
        int rc[2];
        memset(out, CANARY, sizeof out);
        memset(tag, CANARY, sizeof tag);
        for (int asked = 0; asked < 2; asked++) {
            OSSL_PARAM get[] = {
                OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, tag[asked], 16),
                OSSL_PARAM_construct_end()};
            void *ctx = start(f, a, 1);
            if (asked)
                check(f->init[1](ctx, key, lens[l], NULL, 0, NULL) == 0,
                      "%s: a key of %zu bytes is taken", a->name, lens[l]);
            rc[asked] = f->update(ctx, out[asked], &outl[asked], 200, base_tape, 48);
            f->final(ctx, out[asked] + outl[asked], &last, 200 - outl[asked]);
            outl[asked] += last;
            f->get_ctx_params(ctx, get);
            f->freectx(ctx);
        }
        check(rc[0] == 1 &&
                  (rc[1] == 0 || (outl[0] == outl[1] && memcmp(out[0], out[1], 256) == 0 &&
                                  memcmp(tag[0], tag[1], 16) == 0)),
              "%s: data after a key of %zu bytes was refused: another result", a->name, lens[l]);
        ERR_clear_error();
    }
}

static void check_nulls(const struct algorithm *a, const struct functions f[2])
{
    void *ctx = start(&f[SUBJECT], a, 1);
    check(f[SUBJECT].dupctx(NULL) == NULL, "%s: dupctx of NULL", a->name);
    f[SUBJECT].freectx(NULL);
    check(f[SUBJECT].get_ctx_params(ctx, NULL) == 1 && f[SUBJECT].set_ctx_params(ctx, NULL) == 1 &&
              f[SUBJECT].get_params(NULL) == 1,
          "%s: parameters NULL", a->name);
    f[SUBJECT].freectx(ctx);
    check(ERR_peek_error() == 0, "%s: NULL leaves an error", a->name);
    ERR_clear_error();
}

void run_raw(void)
{
    struct functions f[2];

    fill_pseudo_random(iv, sizeof iv, 5);
    for (size_t i = 0; i < nalgorithms; i++) {
        const struct algorithm *a = &algorithms[i];
        if (!has_mode(a, ALL))
            continue;
        find_functions(&f[0], &sides[0], a->name);
        find_functions(&f[1], &sides[1], a->name);
        /* The glue is the same for all key sizes. */
        if (has_mode(a, SIVS))
            check_siv_rooms(a, f);
        else if (has_mode(a, XTS))
            check_unit_rooms(a, f);
        else if (a->key_len == 32)
            check_rooms(a, f);
        check_lengths(a, f);
        check_refused_key(a, &f[SUBJECT]);
        check_nulls(a, f);
    }
}
