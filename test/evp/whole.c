/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CCM and OCB: what the harness knows of a message on the reference's side, the
 * situations in which ctaes differs on purpose, and those in which default's
 * behaviour is no measure.
 */
#include "evp.h"

#include <openssl/proverr.h>

#include <stdlib.h>
#include <string.h>

enum { CCM_IV_LEN = 7 }; /* as long as nothing else is said */

static size_t get_size(const struct world *w, const char *key)
{
    size_t size = 0;
    OSSL_PARAM params[2] = {OSSL_PARAM_construct_size_t(key, &size), OSSL_PARAM_END};
    if (EVP_CIPHER_CTX_get_params(w->a.ctx, params) != 1)
        size = 0;
    ERR_clear_error();
    return size;
}

static bool is_ccm(const struct world *w)
{
    return has_mode(w->alg, CCM);
}

static bool is_ocb(const struct world *w)
{
    return has_mode(w->alg, OCB);
}

/* Whether a step has the parameter at all. */
static bool names_param(const struct step *s, const char *key)
{
    return arg_text(s, key) != NULL;
}

/* Whether a step sets, gets or passes the parameter, other than as NULL. */
static bool has_param(const struct step *s, const char *key)
{
    for (int i = 1; i < s->argc; i++) {
        if (s->argv[i][0] != key[0])
            continue;
        const char *value = strchr(s->argv[i], '=');
        if (strncmp(s->argv[i], key, strlen(key)) == 0 &&
            (value == NULL || strncmp(value, "=null", 5) != 0))
            return true;
    }
    return false;
}

static bool gets_tag(const struct step *s)
{
    return is_named(s, "gettag") || (is_named(s, "ctrl") && arg_given(s, "gettag")) ||
           (is_named(s, "get") && has_param(s, "tag:"));
}

static bool sets_tag(const struct step *s)
{
    return is_named(s, "settag") ||
           (is_named(s, "ctrl") && arg_given(s, "settag") && arg_text(s, "null") == NULL) ||
           ((s->op->kind == SET || s->op->kind == INIT) && has_param(s, "tag:"));
}

static bool sets_iv_len(const struct step *s)
{
    return (is_named(s, "ctrl") && (arg_given(s, "ivlen") || arg_given(s, "setl"))) ||
           ((s->op->kind == SET || s->op->kind == INIT) && has_param(s, "ivlen:"));
}

/* Whether a step ends a message: EVP_Cipher without input does, too. Default's hasn't always,
   which is what the rows CCM_EMPTY and OCB_ONE_SHOT_FIRST are about. */
static bool is_final(const struct step *s)
{
    return s->op->kind == FINAL || (s->op->kind == ONE_SHOT && arg_given(s, "in=null"));
}

static bool gives_aad(const struct step *s)
{
    return (is_aad(s) || arg_given(s, "out=null")) && !arg_given(s, "in=null");
}

/* The direction in which a step that is an init leaves the context. */
static int direction_after(const struct world *w, const struct step *s)
{
    const char *dir = s->argc > 1 ? s->argv[1] : "";
    return dir[0] == 'e' ? 1 : dir[0] == 'd' ? 0 : EVP_CIPHER_CTX_is_encrypting(w->a.ctx);
}

/* --- What a step leaves behind ------------------------------------------------------------ */

static void note_ccm_init(struct world *w, const struct step *s, bool key, bool iv)
{
    struct whole_facts *c = &w->a.facts.whole;
    const bool turned = w->a.facts.dir != c->dir;

    if ((c->started && (key || iv)) || (c->done && turned) || (c->tag && w->a.facts.dir == 1))
        c->stale = true;
    c->dir = w->a.facts.dir;
    c->iv = c->iv || iv;
    c->bad_tag = c->bad_tag && !iv;
    if (key) {
        c->key_iv_len = is_named(s, "init_skey") ? w->iv_len_before : get_size(w, "ivlen");
        /* The parameters come after the key. */
        c->key_tag_len = has_param(s, "tag:") ? 0 : get_size(w, "taglen");
    }
}

/* Data of len bytes, all of a message's; a final without any is the same with 0. */
static void note_ccm_message(struct world *w, long len, bool good)
{
    struct facts *f = &w->a.facts;
    struct whole_facts *c = &f->whole;

    if (c->done) {
        c->odd = true;
    } else if (good && f->dir == 1) {
        c->started = c->done = true;
    } else if (good) {
        c->iv = c->started = c->tag = c->aad = false;
    } else {
        if (!c->started)
            c->len = len; /* data announces its own length */
        const bool fits = c->len == len && get_size(w, "taglen") == c->key_tag_len;
        c->odd = f->dir == 1 || c->tag;
        c->bad_tag = c->bad_tag || (f->dir == 0 && c->tag && fits && !c->lost_iv && !c->stale);
        c->started = true;
    }
}

static void note_ccm_data(struct world *w, const struct step *s, bool good)
{
    struct facts *f = &w->a.facts;
    struct whole_facts *c = &f->whole;

    if (c->tls) {
        c->tls_fresh = false;
        c->odd = c->odd || !good; /* its number is in the IV already */
        return;
    }
    if (f->key_dir < 0 || !c->iv || (c->lost_iv && is_final(s)))
        return;
    if (f->key_dir != f->dir)
        c->odd = true;
    if (is_final(s) && find_difference(w->alg, CCM_EMPTY) == NULL) {
        if (f->dir == 0 || !c->done)
            note_ccm_message(w, 0, good);
    } else if (gives_aad(s)) {
        c->aad = c->aad || (good && number_at(s, 1) > 0);
    } else if (arg_given(s, "out=null") || is_aad(s)) {
        c->started = c->started || good; /* the length */
        c->len = good ? number_at(s, 1) : c->len;
    } else if (c->done) {
        c->odd = true;
    } else if (!arg_given(s, "in=null")) {
        note_ccm_message(w, number_at(s, 1), good);
    }
}

static void note_ocb(struct world *w, const struct step *s, long long rc)
{
    struct facts *f = &w->a.facts;
    struct whole_facts *o = &f->whole;
    const bool one_shot = s->op->kind == ONE_SHOT;
    const bool passed_over = one_shot && find_difference(w->alg, OCB_ONE_SHOT_FIRST) != NULL;

    if (s->op->kind == UPDATE) {
        o->started = o->started || rc == 1;
        f->in_message = o->started;
    } else if (is_final(s)) {
        o->odd = o->odd || get_size(w, "taglen") == 0;
        o->started = false;
        if (passed_over || o->emptied)
            o->emptied = o->lost_tag = true;
    } else if (passed_over && !o->started) {
        o->emptied = true;
    } else if (one_shot && rc >= 0) {
        o->started = f->in_message = true;
        if (rc > 0 && !gives_aad(s)) {
            o->ended = o->ended || number_at(s, 1) % 16 != 0;
            o->odd = o->odd || (number_at(s, 1) % 16 != 0 && (is_in_place(s) || w->placed));
        }
    }
}

void note_whole(struct world *w, const struct step *s, const struct record *r)
{
    struct whole_facts *m = &w->a.facts.whole;
    const long long rc = record_find(r, "rc", -99);
    long n;
    const unsigned long error = rc == 0 ? record_last_error(r) : 0;
    const bool key = arg_number(s, "k", &n) && !w->key_refused &&
                     !(ERR_GET_LIB(error) == ERR_LIB_PROV &&
                       ERR_GET_REASON(error) == PROV_R_INVALID_KEY_LENGTH && is_ccm(w));
    const bool iv = gives_iv(s) && !w->iv_refused;

    if (!w->a.facts.has_cipher || (!is_ccm(w) && !is_ocb(w)) || is_refused_by_libcrypto(w, s))
        return;
    if (s->op->kind == INIT) {
        /* libcrypto sets lengths before all else, and goes no further if one is refused. */
        const unsigned long refusal = rc == 1 ? 0 : record_last_error(r);
        if (ERR_GET_LIB(refusal) == ERR_LIB_EVP &&
            ERR_GET_REASON(refusal) == EVP_R_INVALID_LENGTH) {
            /* The IV's may have been set before. */
            m->started = m->started && !(is_ocb(w) && sets_iv_len(s));
            return;
        }
        /* The direction is libcrypto's own even where the init failed. */
        const int dir = EVP_CIPHER_CTX_is_encrypting(w->a.ctx);
        if (key && w->a.facts.key_dir >= 0 && rc == 1)
            w->a.facts.key_dir = dir;
        w->a.facts.dir = dir;
        if (refusal != 0 && ERR_GET_LIB(refusal) != ERR_LIB_PROV)
            return;
    }
    if (is_ocb(w)) {
        w->a.facts.tls_aad = false;
        if (s->op->kind == FINAL && w->a.facts.key_dir < 0)
            w->a.facts.bad_tag = false;
        if (s->op->kind == INIT && iv)
            m->started = m->ended = m->odd = m->emptied = false;
        if (sets_iv_len(s))
            m->started = false;
        note_ocb(w, s, rc);
        return;
    }
    if (s->op->kind == INIT) {
        /* What came after the key can have failed with that reason, too. */
        if (key && rc == 0 && !is_named(s, "init_skey") &&
            ERR_GET_REASON(record_last_error(r)) == PROV_R_INVALID_IV_LENGTH)
            w->a.facts.key_dir = w->a.facts.dir;
        note_ccm_init(w, s, key, iv);
    }
    if (is_named(s, "fromasn1") && rc > 0)
        note_ccm_init(w, s, false, true);
    const bool no_final = is_final(s) && find_difference(w->alg, CCM_EMPTY) != NULL;
    if (no_final && m->iv && (!m->done || m->stale))
        m->emptied = true;
    if ((s->op->kind == UPDATE || s->op->kind == ONE_SHOT || (s->op->kind == FINAL && !no_final)) &&
        rc != -99)
        note_ccm_data(w, s, s->op->kind == ONE_SHOT ? rc >= 0 : rc == 1);
    /* tlsaad switches to records even where it fails. */
    if (w->a.facts.tls_aad && (is_named(s, "tlsaad") || has_param(s, "tlsaad"))) {
        /* What comes before it in the same request may have failed. */
        const bool asked = rc >= 1 || !(names_param(s, "tag:") || names_param(s, "ivlen:"));
        m->tls = m->tls || asked;
        m->tls_fresh = rc >= 1;
        m->odd = m->odd || !asked;
        w->a.facts.tls_aad = false;
    }
    /* Default takes it before the parameters that may fail, but refuses it when encrypting. */
    if ((rc == 1 && sets_tag(s)) || (w->a.facts.dir == 0 && has_param(s, "tag:os") &&
                                     (s->op->kind == SET || s->op->kind == INIT)))
        m->tag = true;
    if (rc == 1 && sets_iv_len(s)) {
        const size_t len = get_size(w, "ivlen");
        m->lost_iv = m->lost_iv || (m->iv && len != (m->iv_len > 0 ? m->iv_len : CCM_IV_LEN));
        m->iv_len = len;
    }
    if (s->op->kind == INIT && iv)
        m->lost_iv = false;
    if (rc == 1 && sets_iv_len(s) && m->started)
        m->stale = true;
    if (no_final && s->op->kind == FINAL && rc == 0 && w->a.facts.dir == 0 && m->iv && m->tag &&
        !m->lost_iv && w->a.facts.key_dir >= 0)
        m->bad_tag = true;
    w->a.facts.bad_tag = m->bad_tag;
    if (rc == 1 && gets_tag(s))
        m->iv = m->started = m->tag = m->done = m->aad = false;
}

/* --- Situations --------------------------------------------------------------------------------
 */

static enum situation find_ccm_situation(const struct world *w, const struct step *s)
{
    const struct facts *f = &w->a.facts;
    const struct whole_facts *c = &f->whole;
    const bool update = s->op->kind == UPDATE || s->op->kind == ONE_SHOT;
    const bool data = update || s->op->kind == FINAL;
    const size_t iv_len = data && f->key_dir >= 0 ? get_size(w, "ivlen") : 0;

    long n;
    if (s->op->kind == INIT && (c->tag || c->stale) && direction_after(w, s) == 1)
        return CCM_STALE;
    if (s->op->kind == INIT && arg_number(s, "k", &n)) /* the tag may be read with a new length */
        return c->emptied ? CCM_EMPTY : c->odd ? CCM_ODD : NOTHING_SPECIAL;
    if ((data || gets_tag(s)) && (c->stale || c->lost_iv))
        return CCM_STALE;
    if (c->odd && (is_named(s, "get") || is_named(s, "uiv") || is_named(s, "oiv")))
        return CCM_ODD;
    if (f->key_dir < 0 || (!data && !gets_tag(s)))
        return NOTHING_SPECIAL;
    if (c->emptied)
        return CCM_EMPTY;
    if (!data)
        return c->odd ? CCM_ODD : NOTHING_SPECIAL;
    const bool final = is_final(s);
    if (final && c->tls)
        return CCM_RECORD;
    if (final && find_difference(w->alg, CCM_EMPTY) != NULL)
        return CCM_EMPTY;
    if (c->tls && c->odd)
        return CCM_ODD;
    if (c->tls)
        return !c->tls_fresh || iv_len != 12 || iv_len != c->key_iv_len ||
                       get_size(w, "taglen") != c->key_tag_len
                   ? CCM_RECORD
                   : NOTHING_SPECIAL;
    if (c->iv && iv_len > c->key_iv_len)
        return CCM_LATE_IV_LENGTH;
    if (c->odd)
        return CCM_ODD;
    if (!final && c->done)
        return CCM_SECOND_DATA;
    if (!final && c->aad && (is_aad(s) || arg_given(s, "out=null")))
        return CCM_SECOND_AAD;
    return NOTHING_SPECIAL;
}

static enum situation find_ocb_situation(const struct world *w, const struct step *s)
{
    const struct facts *f = &w->a.facts;
    const struct whole_facts *o = &f->whole;
    const bool one_shot = s->op->kind == ONE_SHOT, final = is_final(s);
    if (find_difference(w->alg, OCB_ONE_SHOT_FIRST) != NULL &&
        ((one_shot && (final || !o->started)) ||
         (o->emptied && (final || one_shot || s->op->kind == UPDATE)) ||
         (o->lost_tag && (gets_tag(s) || (final && f->dir == 0)))))
        return OCB_ONE_SHOT_FIRST;
    const bool data = final || one_shot || s->op->kind == UPDATE;
    if (o->odd && (data || gets_tag(s)))
        return OCB_ODD;
    if (!data || f->key_dir < 0)
        return NOTHING_SPECIAL;
    if (final)
        return f->pending > 0 && (f->dir == 0 || get_size(w, "taglen") == 0) ? OCB_LAST_BLOCK
                                                                             : NOTHING_SPECIAL;
    if (!gives_aad(s) && (o->ended || (one_shot && f->pending > 0)))
        return OCB_OUT_OF_PLACE;
    return NOTHING_SPECIAL;
}

enum situation find_whole_situation(const struct world *w, const struct step *s)
{
    return is_ccm(w)   ? find_ccm_situation(w, s)
           : is_ocb(w) ? find_ocb_situation(w, s)
                       : NOTHING_SPECIAL;
}

/* --- Undefined ---------------------------------------------------------------------------------
 */

bool whole_step_is_undefined(const struct world *w, const struct step *s)
{
    const struct facts *f = &w->a.facts;
    const bool in_null = arg_given(s, "in=null");
    const bool out_null = arg_given(s, "out=null") || is_aad(s);

    if (!f->has_cipher || (!is_ccm(w) && !is_ocb(w)))
        return false;
    /* A tag to NULL. Records' parameters from NULL: undefined.c. */
    for (int i = 1; s->op->kind == GET && i < s->argc; i++)
        if (strncmp(s->argv[i], "tag:os/null", 11) == 0)
            return true;
    if (is_named(s, "ctrl") && arg_text(s, "null") != NULL &&
        (arg_given(s, "gettag") || arg_given(s, "tlsaad") || arg_given(s, "ivfixed")))
        return true;
    /* CCM: the IV is read as far as the caller has room for. */
    if (is_ccm(w)) {
        for (int i = 1; s->op->kind == GET && i < s->argc; i++) {
            const char *size = strchr(s->argv[i], '/');
            if ((strncmp(s->argv[i], "iv:", 3) == 0 ||
                 strncmp(s->argv[i], "updated-iv:", 11) == 0) &&
                size != NULL && strtoul(size + 1 + 5 * (size[1] == 'n'), NULL, 10) > 16)
                return true;
        }
        return (is_named(s, "uiv") || is_named(s, "oiv")) && number_at(s, 1) > 16;
    }
    if (s->op->kind == FINAL)
        return out_null && f->pending > 0;
    if (s->op->kind != UPDATE && s->op->kind != ONE_SHOT)
        return false;
    /* OCB: the rules of block modes; EVP_Cipher takes NULL for an output. */
    const bool aad = gives_aad(s);
    if (s->op->kind == ONE_SHOT && f->key_dir < 0 && number_at(s, 1) > 0)
        return true; /* a function that isn't there is called */
    if (s->op->kind == ONE_SHOT)
        return in_null ? number_at(s, 1) > 0 || (out_null && f->pending > 0) : aad || out_null;
    return (in_null && number_at(s, 1) > 0) || (is_in_place(s) && f->pending != 0);
}
