/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the harness knows of SIV's and GCM-SIV's messages: whether the data
 * came, what was refused, whether the nonce is spent; and from that, where
 * default and ctaes differ on purpose, and where default is no measure.
 */
#include "evp.h"

#include <openssl/proverr.h>

#include <stdlib.h>
#include <string.h>

enum data_call { NO_DATA_CALL, AAD_CALL, DATA_CALL, FINAL_CALL };

/* What a step asks the provider for, if it gets there. */
static enum data_call data_call_of(const struct world *w, const struct step *s)
{
    enum op_kind kind = s->op->kind;
    if (kind != UPDATE && kind != ONE_SHOT && kind != FINAL)
        return NO_DATA_CALL;
    if (is_refused_by_libcrypto(w, s))
        return NO_DATA_CALL;
    if (kind == FINAL || arg_given(s, "in=null"))
        return FINAL_CALL;
    return is_aad(s) || arg_given(s, "out=null") ? AAD_CALL : DATA_CALL;
}

/* Notes what the parameter `speed` changes. */
static void note_speed(struct siv_facts *f, bool siv, unsigned speed)
{
    f->unlimited = siv ? speed == 1 : speed != 0;
    if (siv)
        f->over = f->refused = false;
}

/* Whether default gets as far as the parameter `speed`: not past a tag that it can't have, or that
   it ignores with all that comes beside it. */
static bool reaches_speed(const struct world *w, const OSSL_PARAM *params)
{
    const OSSL_PARAM *tag = OSSL_PARAM_locate_const(params, "tag");
    return tag == NULL || (w->a.facts.dir == 0 && tag->data_type == OSSL_PARAM_OCTET_STRING &&
                           tag->data_size == 16);
}

static void note_params_of_step(struct world *w, bool siv, const struct step *s)
{
    struct siv_facts *f = &w->a.facts.siv;
    OSSL_PARAM params[MAX_PARAMS + 1];
    unsigned speed;

    if (s->op->kind != CTRL) {
        parse_sets(w, s, params);
        const OSSL_PARAM *p = OSSL_PARAM_locate(params, "speed");
        if (p != NULL && reaches_speed(w, params) && OSSL_PARAM_get_uint(p, &speed))
            note_speed(f, siv, speed);
        ERR_clear_error();
    } else if (is_named(s, "ctrl") && s->argc > 2 && strcmp(s->argv[1], "speed") == 0 &&
               strtol(s->argv[2], NULL, 0) >= 0) {
        note_speed(f, siv, (unsigned)strtol(s->argv[2], NULL, 0));
    }
}

/* reached: if it failed, then only when a parameter was set, at the end. */
static void note_siv_init(struct world *w, const struct step *s, bool done, bool reached)
{
    struct siv_facts *f = &w->a.facts.siv;
    long n;
    bool siv = has_mode(w->alg, SIV);
    if (siv) {
        if (arg_number(s, "k", &n) && (done || reached))
            *f = (struct siv_facts){0};
    } else {
        f->stale = f->stale || f->aad;
        if (done || reached)
            f->over = f->refused = false;
        if (gives_iv(s)) {
            f->spent = f->spent && !done && !reached;
            f->nonce = f->nonce || done || reached;
        }
    }
}

void note_siv_step(struct world *w, const struct step *s, const struct record *r)
{
    struct siv_facts *f = &w->a.facts.siv;
    bool siv = has_mode(w->alg, SIV);
    enum op_kind kind = s->op->kind;
    unsigned long e = record_first_error(r);
    bool done = record_find(r, "rc", -1) >= (kind == ONE_SHOT ? 0 : 1);

    /* libcrypto sets an init's lengths by themselves, and goes no further if one is refused. */
    if (kind == INIT && !done && ERR_GET_LIB(record_last_error(r)) == ERR_LIB_EVP) {
        f->disturbed = f->disturbed || f->over;
        return;
    }
    const bool reached = is_named(s, "init_skey")
                             ? !w->key_refused && !w->iv_refused
                             : ERR_GET_LIB(e) == ERR_LIB_PROV &&
                                   ERR_GET_REASON(e) != PROV_R_INVALID_IV_LENGTH &&
                                   ERR_GET_REASON(e) != PROV_R_INVALID_KEY_LENGTH;
    if (kind == INIT)
        note_siv_init(w, s, done, reached);
    if (kind == INIT || kind == SET || kind == CTRL || kind == OTHER)
        f->disturbed = f->disturbed || f->over;
    if ((kind == INIT && (done || reached)) || kind == SET || kind == CTRL)
        note_params_of_step(w, siv, s);

    switch (data_call_of(w, s)) {
    case AAD_CALL:
        if (done && number_at(s, 1) == 0)
            f->lost = f->lost || f->aad;
        else if (done)
            f->aad = true;
        f->aads += done;
        break;
    case FINAL_CALL:
        if (siv || f->over)
            break;
        f->over = f->spent = true;
        break;
    case DATA_CALL:
        if (w->a.facts.key_dir < 0)
            break;
        /* Or a forgery behind a message that was good. */
        f->refused = (f->over && (!f->unlimited || !done)) || (f->succeeded && !done);
        f->succeeded = f->succeeded || done;
        f->over = f->spent = true;
        f->disturbed = false;
        break;
    default:
        break;
    }
}

static enum situation find_in_siv(const struct world *w, const struct step *s, enum data_call call)
{
    const struct siv_facts *f = &w->a.facts.siv;
    bool keyed = w->a.facts.key_dir >= 0;
    if (!keyed &&
        (is_named(s, "copy") || is_named(s, "dup") || is_named(s, "fork") || is_named(s, "over")))
        return SIV_COPY_WITHOUT_KEY;
    if (call == FINAL_CALL && !keyed)
        return SIV_NOT_READY;
    if (call == FINAL_CALL && f->refused)
        return SIV_AFTER_REFUSAL;
    if (call == FINAL_CALL && f->disturbed)
        return SIV_AFTER_SET;
    if (call == FINAL_CALL && arg_given(s, "in=null") && !arg_given(s, "out=null"))
        return SIV_EMPTY_DATA;
    if (call == AAD_CALL && f->over && !f->unlimited)
        return SIV_AAD_AFTER_DATA;
    if (call == AAD_CALL && f->aads >= 126)
        return SIV_TOO_MANY_AADS;
    if (call == DATA_CALL && number_at(s, 1) == 0)
        return SIV_EMPTY_DATA;
    return NOTHING_SPECIAL;
}

static enum situation find_in_gcm_siv(const struct world *w, const struct step *s,
                                      enum data_call call)
{
    const struct siv_facts *f = &w->a.facts.siv;
    /* Set before, it fails the same way. */
    long n;
    if (s->op->kind == INIT && arg_number(s, "i", &n) && !arg_given(s, "alg") &&
        w->a.facts.has_cipher && EVP_CIPHER_CTX_get_iv_length(w->a.ctx) != 12)
        return GCM_SIV_INIT_WITH_IVLEN;
    if (is_named(s, "init_skey") && gives_iv(s) && arg_number(s, "il", &n) && n != 12)
        return GCM_SIV_INIT_WITH_IVLEN;
    for (int i = 1; s->op->kind == INIT && i < s->argc; i++) {
        if (strncmp(s->argv[i], "ivlen:", 6) == 0)
            return GCM_SIV_INIT_WITH_IVLEN;
    }
    if (call == NO_DATA_CALL)
        return NOTHING_SPECIAL;
    if (w->a.facts.key_dir < 0 || !f->nonce)
        return SIV_NOT_READY;
    if (call == AAD_CALL && f->over && !f->unlimited)
        return SIV_AAD_AFTER_DATA;
    if (call == FINAL_CALL && f->refused)
        return SIV_AFTER_REFUSAL;
    if (f->stale)
        return GCM_SIV_STALE_AAD;
    if (f->lost)
        return GCM_SIV_LOST_AAD;
    if (w->a.facts.dir == 1 && f->spent && !f->over && !f->unlimited)
        return GCM_SIV_NONCE_AGAIN;
    if (w->a.facts.dir == 0 && call == DATA_CALL)
        return GCM_SIV_DECRYPTION;
    return NOTHING_SPECIAL;
}

enum situation find_siv_situation(const struct world *w, const struct step *s)
{
    enum data_call call = data_call_of(w, s);
    return has_mode(w->alg, SIV) ? find_in_siv(w, s, call) : find_in_gcm_siv(w, s, call);
}

bool siv_step_is_undefined(const struct world *w, const struct step *s)
{
    enum data_call call = data_call_of(w, s);
    /* Without a key NULL is dereferenced: by SIV, but for data as long as `speed` isn't set; by
       GCM-SIV if an init failed (else default has a key of zeros). And where a tag would be. */
    if (w->a.facts.key_dir < 0 &&
        (call == DATA_CALL || call == (has_mode(w->alg, SIV) ? AAD_CALL : FINAL_CALL)))
        return true;
    /* libcrypto asserts that the IV's length, which it believes of `ivlen`, is 16 at most. */
    if (is_named(s, "toasn1") || is_named(s, "fromasn1"))
        return true;
    for (int i = 1; i < s->argc; i++) {
        if (s->op->kind != GET && strncmp(s->argv[i], "tag:", 4) == 0 &&
            strstr(s->argv[i], "=null/16") != NULL)
            return true;
        if (is_named(s, "ctrl") && strncmp(s->argv[i], "null", 4) == 0)
            return true;
    }
    /* Final with a length, which it reports as written. */
    return (s->op->kind == UPDATE || s->op->kind == ONE_SHOT) && arg_given(s, "in=null") &&
           number_at(s, 1) != 0;
}
