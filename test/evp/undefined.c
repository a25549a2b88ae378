/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the default provider's behaviour is no measure: it would read or write out
 * of bounds, or dereference NULL. What ctaes does there is tested in alone.c.
 */
#include "evp.h"

#include <stdlib.h>
#include <string.h>

static size_t current_iv_len(const struct world *w)
{
    size_t len = 0;
    OSSL_PARAM params[2] = {OSSL_PARAM_construct_size_t("ivlen", &len), OSSL_PARAM_END};
    if (!w->a.facts.has_cipher)
        return 12;
    if (EVP_CIPHER_CTX_get_params(w->a.ctx, params) != 1)
        len = 0;
    ERR_clear_error();
    return len;
}

/* Setting one of the TLS 1.2 parameters. GCM: the length isn't checked against the IV's. anew: in
   a context that is only made, with an IV of 12 bytes. CCM: bytes are copied from NULL. */
static bool value_is_undefined(const struct world *w, const char *key, bool null, size_t size,
                               bool anew)
{
    if (has_mode(w->alg, CCM))
        return null && ((strcmp(key, "tlsivfixed") == 0 && size == 4) ||
                        (strcmp(key, "tlsaad") == 0 && size == 13));
    size_t iv_len = anew ? 12 : current_iv_len(w);
    if (strcmp(key, "tlsaad") == 0)
        return null && size == 13;
    if (strcmp(key, "tlsivfixed") == 0)
        return (null && size >= 4) || (size > iv_len && size != (size_t)-1);
    if (strcmp(key, "tlsivinv") == 0)
        return size > iv_len;
    return false;
}

/* A MAC of a TLS record that was got is shorter than what it is said to be from here on. */
static bool outgrows_mac(const struct world *w, const OSSL_PARAM *p)
{
    size_t size = 0;
    bool set = strcmp(p->key, "tls-mac-size") == 0 && OSSL_PARAM_get_size_t(p, &size);
    ERR_clear_error();
    return set && w->a.facts.tls_mac_len > 0 && size > w->a.facts.tls_mac_len;
}

static bool set_is_undefined(const struct world *w, struct world *spare, const struct step *s,
                             bool records)
{
    OSSL_PARAM params[MAX_PARAMS + 1];

    parse_sets(spare, s, params);
    const bool changes_iv_len = OSSL_PARAM_locate(params, "ivlen") != NULL;
    const bool gcm = has_mode(w->alg, GCM), anew = arg_given(s, "alg");
    long n;
    const bool gives_iv_len = is_named(s, "init_skey") && arg_number(s, "il", &n);
    for (const OSSL_PARAM *p = params; p->key != NULL; p++) {
        bool octets = p->data_type == OSSL_PARAM_OCTET_STRING;
        if (!octets && p->data == NULL)
            return true; /* NULL is dereferenced */
        if (outgrows_mac(w, p))
            return true;
        if (octets && records &&
            ((gcm && (gives_iv_len || changes_iv_len)) ||
             value_is_undefined(w, p->key, p->data == NULL, p->data_size, anew)))
            return true;
    }
    return false;
}

static bool get_is_undefined(const struct world *w, const struct step *s, bool gcm)
{
    for (int i = 1; i < s->argc; i++) {
        const char *type = strchr(s->argv[i], ':');
        const char *size = strchr(s->argv[i], '/');
        if (type != NULL && type[1] == 'r' && strstr(type, "/null") != NULL)
            return true; /* 3.0.19 dereferences it if the size is right, 3.0.22 doesn't */
        if (type != NULL && type[1] == 'i' && size != NULL && strtoul(size + 1, NULL, 10) == 0)
            return true; /* the sign is read before the number */
        if (gcm && strncmp(s->argv[i], "tlsivgen:", 9) == 0 && current_iv_len(w) < 8)
            return true; /* counts up 8 bytes, whatever the IV's length */
    }
    return false;
}

static bool ctrl_is_undefined(const struct world *w, struct world *spare, const struct step *s)
{
    int type, arg;
    bool output;
    bool null = !parse_ctrl(spare, s, &type, &arg, spare->scratch, &output);
    size_t size = (size_t)arg;

    switch (type) {
    case EVP_CTRL_GCM_IV_GEN:
        return has_mode(w->alg, GCM) && current_iv_len(w) < 8;
    case EVP_CTRL_AEAD_TLS1_AAD:
        return value_is_undefined(w, "tlsaad", null, size, false);
    case EVP_CTRL_AEAD_SET_IV_FIXED:
        return value_is_undefined(w, "tlsivfixed", null, size, false);
    case EVP_CTRL_GCM_SET_IV_INV:
        return arg >= 0 && value_is_undefined(w, "tlsivinv", null, size, false);
    default:
        return false;
    }
}

/* A step that takes input. The first conditions are the harness's own bounds. */
static bool data_is_undefined(const struct world *w, const struct step *s)
{
    const struct facts *f = &w->a.facts;
    size_t len = (size_t)number_at(s, 1);
    bool one_shot = s->op->kind == ONE_SHOT, aad = is_aad(s);
    bool in_null = arg_given(s, "in=null"), out_null = arg_given(s, "out=null") || aad;

    if (number_at(s, 1) < 0 || len > TAPE || w->log_len + len + 32 > sizeof w->log)
        return true;
    if (aad ? w->aad_cursor + len > TAPE : !w->placed && w->cursor + len > TAPE)
        return true;
    if (w->placed && !aad && w->consumed + len > w->placed_len)
        return true;
    if (!f->has_cipher)
        return false;

    /* Without a key, NULL is called. The output grows, so that the next input in place
       would be written over. */
    if (is_wrap(w->alg))
        return len > 0 && ((w->placed && !aad) || (f->key_dir < 0 && !in_null && !out_null));

    /* A TLS record writes before a short IV, and to NULL if in and out are. EVP_Cipher of
       nothing takes AAD that doesn't fill a block for a whole one (openssl/openssl#32741). */
    if (w->alg->mode == EVP_CIPH_GCM_MODE)
        return (f->tls_aad && (current_iv_len(w) < 8 || (in_null && out_null))) ||
               (one_shot && len == 0 && !in_null);

    if (has_mode(w->alg, SIVS))
        return false; /* siv.c has said so */
    /* A TLS record of nothing, from which the explicit IV's length is subtracted. */
    if (takes_records(w) && !one_shot)
        return f->dir == 0 && len == 0;
    /* The key isn't asked for. */
    if (w->alg->mode == CTS_MODE && !one_shot) {
        if (len < 16 || out_null)
            return false;
        if (f->key_dir < 0)
            return true;
    }
    if (has_mode(w->alg, CCM | OCB))
        return w->placed && !aad && has_mode(w->alg, OCB) &&
               ((one_shot && w->consumed != w->produced) ||
                f->pending != (long)(w->consumed - w->produced));
    /* A copy takes itself to have a key, and calls a function at NULL. */
    if (has_mode(w->alg, XTS))
        return f->copied_keyless;

    /* NULL is dereferenced. A block held back can be let go even by a length of 0. */
    if (len > 0 ? in_null || out_null : out_null && f->pending >= 16)
        return true;
    if (one_shot && has_mode(w->alg, 1 << EVP_CIPH_CBC_MODE | CTS) && len % 16 != 0)
        return true; /* reads and writes whole blocks */
    if (has_mode(w->alg, BLOCK) && is_in_place(s) && f->pending != 0 && !one_shot)
        return true; /* the output overlaps input to come */
    return w->placed && !aad &&
           ((one_shot && w->consumed != w->produced) ||
            f->pending != (long)(w->consumed - w->produced));
}

/* Whether there can be such an opaque key: what is none is a matter of skey.c. Without a key,
   default's modes of one block dereference it. */
static bool is_importable(const struct world *w, const struct step *s)
{
    const size_t len = skey_len(w, s);
    long n;
    if (!arg_number(s, "k", &n))
        return !has_mode(w->alg, GENERIC);
    return (arg_given(s, "aes") ? len == 16 || len == 24 || len == 32 : len > 0);
}

bool step_is_undefined(const struct world *w, const struct step *s)
{
    static struct world spare; /* parsing needs a scratch, and w isn't to change */
    const bool cipher = w->a.facts.has_cipher || arg_given(s, "alg");
    const bool gcm = cipher && has_mode(w->alg, GCM),
               records = cipher && has_mode(w->alg, GCM | CCM);

    if ((s->op->needs_cipher && !w->a.facts.has_cipher) || whole_step_is_undefined(w, s))
        return true;
    memcpy(spare.tag, w->tag, sizeof spare.tag);
    memcpy(spare.nonce, w->nonce, sizeof spare.nonce);

    if (cipher && has_mode(w->alg, SIVS) && siv_step_is_undefined(w, s))
        return true;
    switch (s->op->kind) {
    case INIT:
        if (is_named(s, "init_skey") && !is_importable(w, s))
            return true;
        return set_is_undefined(w, &spare, s, records);
    case SET:
        return set_is_undefined(w, &spare, s, records);
    case GET:
        return get_is_undefined(w, s, gcm);
    case CTRL:
        return records && ctrl_is_undefined(w, &spare, s);
    case UPDATE:
    case ONE_SHOT:
        return data_is_undefined(w, s);
    case FINAL: /* writes a block to NULL */
        return arg_given(s, "out=null") && has_mode(w->alg, BLOCK);
    case OTHER:
        /* libcrypto, which believes an `ivlen` of 1 to 2^31 - 1, asserts that it is 16 at most. */
        if ((is_named(s, "toasn1") || is_named(s, "fromasn1")) && has_mode(w->alg, GENERIC | XTS) &&
            EVP_CIPHER_CTX_get_iv_length(w->a.ctx) > 16)
            return true;
        /* default's copy has the same pointer to the MAC of a TLS record, and frees it, too
           (openssl/openssl#30548). */
        return (is_named(s, "copy") || is_named(s, "dup") || is_named(s, "fork") ||
                is_named(s, "over")) &&
               has_mode(w->alg, BLOCK) && w->a.facts.tls_mac_len > 0;
    default:
        return is_named(s, "place") && w->cursor + (size_t)number_at(s, 1) > TAPE;
    }
}
