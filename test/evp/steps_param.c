/* SPDX-License-Identifier: Apache-2.0 */
/* The steps that get and set parameters by OSSL_PARAM. */
#include "evp.h"

#include <stdlib.h>
#include <string.h>

static const struct type {
    const char *name;
    unsigned data_type;
    size_t size; /* of a number, 0: octets or text */
} types[] = {{"i1", OSSL_PARAM_INTEGER, 1},
             {"i2", OSSL_PARAM_INTEGER, 2},
             {"i4", OSSL_PARAM_INTEGER, 4},
             {"i8", OSSL_PARAM_INTEGER, 8},
             {"i16", OSSL_PARAM_INTEGER, 16},
             {"u1", OSSL_PARAM_UNSIGNED_INTEGER, 1},
             {"u2", OSSL_PARAM_UNSIGNED_INTEGER, 2},
             {"u4", OSSL_PARAM_UNSIGNED_INTEGER, 4},
             {"u8", OSSL_PARAM_UNSIGNED_INTEGER, 8},
             {"u16", OSSL_PARAM_UNSIGNED_INTEGER, 16},
             {"r4", OSSL_PARAM_REAL, sizeof(float)},
             {"r8", OSSL_PARAM_REAL, sizeof(double)},
             {"os", OSSL_PARAM_OCTET_STRING, 0},
             {"op", OSSL_PARAM_OCTET_PTR, 0},
             {"us", OSSL_PARAM_UTF8_STRING, 0},
             {"up", OSSL_PARAM_UTF8_PTR, 0},
             {NULL, 0, 0}};

/* Splits "key:type<sign>rest"; sign is '=' or '/'. Copies the key to the scratch. */
static const struct type *split(const char *arg, char sign, char key[32], const char **rest)
{
    const char *colon = strchr(arg, ':');
    const char *end = colon != NULL ? strchr(colon, sign) : NULL;
    if (colon == NULL || colon - arg > 31)
        bad_argument(arg);
    size_t type_len = end != NULL ? (size_t)(end - colon - 1) : strlen(colon + 1);

    memcpy(key, arg, (size_t)(colon - arg));
    key[colon - arg] = '\0';
    *rest = end != NULL ? end + 1 : "";
    for (const struct type *t = types; t->name != NULL; t++) {
        if (t->name[0] == colon[1] && strlen(t->name) == type_len &&
            strncmp(t->name, colon + 1, type_len) == 0)
            return t;
    }
    bad_argument(arg);
}

/* Each parameter of a step has its part of the scratch: key, then ROOM bytes of data. */
static char *scratch_key(struct world *w, size_t i)
{
    return (char *)w->scratch + i * (32 + ROOM);
}

uint8_t *scratch_data(struct world *w, size_t i)
{
    return w->scratch + i * (32 + ROOM) + 32;
}

static void store_integer(uint8_t *p, size_t size, const char *text)
{
    uint64_t v = text[0] == '-' ? (uint64_t)strtoll(text, NULL, 10) : strtoull(text, NULL, 10);
    const union {
        uint16_t word;
        uint8_t first;
    } order = {1};

    for (size_t i = 0; i < size; i++) {
        uint8_t byte = i < 8 ? (uint8_t)(v >> 8 * i) : text[0] == '-' ? 0xff : 0;
        p[order.first == 1 ? i : size - 1 - i] = byte;
    }
}

bool store_octets(const struct world *w, uint8_t *data, size_t *size, const char *text)
{
    const char *at = strchr(text, '@');
    size_t n = strlen(text) > 1 ? (size_t)strtoul(text + 1, NULL, 10) : 0;
    bool null = false;

    memset(data, 0, ROOM);
    if (strncmp(text, "null", 4) == 0) {
        null = true;
        n = text[4] == '/' ? (size_t)strtoul(text + 5, NULL, 10) : 0;
    } else if (text[0] == 'x') {
        for (n = 0; text[1 + 2 * n] != '\0' && text[1 + 2 * n] != '@' && n < ROOM; n++) {
            char byte[3] = {text[1 + 2 * n], text[2 + 2 * n], '\0'};
            data[n] = (uint8_t)strtoul(byte, NULL, 16);
        }
    } else if (n > ROOM) {
        bad_argument(text);
    } else if (text[0] == 'T') {
        memcpy(data, w->tag, n < 16 ? n : 16);
    } else if (text[0] == 'N') {
        memcpy(data, w->nonce, n < 16 ? n : 16);
    } else if (text[0] == 'R') {
        fill_pseudo_random(data, ROOM, 77);
    } else if (text[0] != 'Z') {
        bad_argument(text);
    }
    *size = at != NULL ? (size_t)strtoll(at + 1, NULL, 10) : n;
    return !null;
}

static void parse_set(struct world *w, size_t i, const char *arg, OSSL_PARAM *p)
{
    const char *value;
    const struct type *t = split(arg, '=', scratch_key(w, i), &value);
    uint8_t *data = scratch_data(w, i);

    *p = (OSSL_PARAM){scratch_key(w, i), t->data_type, data, t->size, OSSL_PARAM_UNMODIFIED};
    if (t->data_type == OSSL_PARAM_REAL) {
        double d = strtod(value, NULL);
        float f = (float)d;
        if (t->size == sizeof d)
            memcpy(data, &d, sizeof d);
        else
            memcpy(data, &f, sizeof f);
    } else if (t->size > 0) {
        if (strcmp(value, "null") == 0)
            p->data = NULL;
        else
            store_integer(data, t->size, value);
    } else {
        bool null = !store_octets(w, data, &p->data_size, value);
        if (t->data_type == OSSL_PARAM_OCTET_PTR || t->data_type == OSSL_PARAM_UTF8_PTR) {
            /* The octets move back to make room for the pointer to them. */
            memmove(data + 16, data, ROOM - 16);
            void *target = null ? NULL : data + 16;
            memcpy(data, &target, sizeof target);
        } else if (null) {
            p->data = NULL;
        }
    }
}

size_t parse_sets(struct world *w, const struct step *s, OSSL_PARAM params[MAX_PARAMS + 1])
{
    size_t n = 0;
    for (int i = 1; i < s->argc && n < MAX_PARAMS; i++) {
        if (strchr(s->argv[i], ':') != NULL) {
            parse_set(w, n, s->argv[i], &params[n]);
            n++;
        }
    }
    params[n] = OSSL_PARAM_construct_end();
    return n;
}

void note_message(struct world *w)
{
    if (!has_mode(w->alg, GCM))
        return; /* it was ignored */
    w->a.facts.bad_tag = w->a.facts.rekeyed = false;
    w->a.facts.in_message = true;
}

void note_params(struct world *w, const OSSL_PARAM *params, bool good)
{
    struct facts *f = &w->a.facts;

    if (params[0].key == NULL)
        return;
    /* In the order in which default serves them. */
    const OSSL_PARAM *p = OSSL_PARAM_locate_const(params, "tlsaad");
    if (p != NULL && p->data_type == OSSL_PARAM_OCTET_STRING && p->data_size == 13)
        f->tls_aad = true; /* even if it failed */
    p = OSSL_PARAM_locate_const(params, "tlsivfixed");
    if (p != NULL && good && has_mode(w->alg, GCM))
        f->bad_tag = f->in_message = f->rekeyed = false;
    p = OSSL_PARAM_locate_const(params, "tlsivinv");
    if (p != NULL && good)
        note_message(w);
}

/* As default serves them: in this order, up to one that fails. They can't be got. */
void note_tls_params(struct facts *f, const OSSL_PARAM *params)
{
    static const char *const before[] = {"padding", "use-bits"};
    const OSSL_PARAM *p;
    unsigned number;
    bool good = true;

    if (params[0].key == NULL)
        return;
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) {
        p = OSSL_PARAM_locate_const(params, before[i]);
        good = good && (p == NULL || OSSL_PARAM_get_uint(p, &number));
    }
    p = OSSL_PARAM_locate_const(params, "tls-version");
    good = good && (p == NULL || OSSL_PARAM_get_uint(p, &f->tls_version));
    p = OSSL_PARAM_locate_const(params, "tls-mac-size");
    if (good && p != NULL)
        OSSL_PARAM_get_size_t(p, &f->tls_mac_size);
    ERR_clear_error();
}

bool takes_records(const struct world *w)
{
    return has_mode(w->alg, BLOCK) && w->a.facts.tls_version != 0;
}

static void run_set(struct world *w, const struct step *s, struct record *r)
{
    OSSL_PARAM params[MAX_PARAMS + 1];
    parse_sets(w, s, params);
    int rc = EVP_CIPHER_CTX_set_params(w->a.ctx, params);
    record_int(r, "rc", rc);
    record_errors(r);
    note_params(w, params, rc == 1);
    note_tls_params(&w->a.facts, params);
}

/* --- get --- */

void record_param(struct record *r, const OSSL_PARAM *p)
{
    record_int(r, "return_size",
               p->return_size == OSSL_PARAM_UNMODIFIED ? -1 : (long long)p->return_size);
    if (p->data == NULL)
        return;
    if (p->data_type != OSSL_PARAM_OCTET_PTR && p->data_type != OSSL_PARAM_UTF8_PTR) {
        record_bytes(r, "value", p->data, ROOM);
        return;
    }
    /* What the pointer points to; the pointer itself differs, of course. */
    const uint8_t *target, *untouched;
    memset(&untouched, CANARY, sizeof untouched);
    memcpy(&target, p->data, sizeof target);
    if (target == untouched)
        record_text(r, "value", "untouched");
    else if (target == NULL)
        record_text(r, "value", "NULL");
    else
        record_bytes(r, "value", target, p->return_size <= 128 ? p->return_size : 0);
}

void parse_get(struct world *w, size_t i, const char *arg, OSSL_PARAM *p)
{
    const char *size;
    const struct type *t = split(arg, '/', scratch_key(w, i), &size);

    *p = (OSSL_PARAM){scratch_key(w, i), t->data_type, scratch_data(w, i), t->size,
                      OSSL_PARAM_UNMODIFIED};
    memset(p->data, CANARY, ROOM);
    if (strncmp(size, "null", 4) == 0) {
        p->data = NULL;
        size += size[4] == '/' ? 5 : 4;
    }
    if (size[0] != '\0')
        p->data_size = (size_t)strtoll(size, NULL, 10);
}

static void run_get(struct world *w, const struct step *s, struct record *r)
{
    OSSL_PARAM params[MAX_PARAMS + 1];
    size_t n = 0;

    for (int i = 1; i < s->argc && n < MAX_PARAMS; i++, n++)
        parse_get(w, n, s->argv[i], &params[n]);
    params[n] = OSSL_PARAM_construct_end();

    bool of_cipher = is_named(s, "cget");
    int rc = of_cipher ? EVP_CIPHER_get_params(w->alg->cipher[w->side], params)
                       : EVP_CIPHER_CTX_get_params(w->a.ctx, params);
    record_int(r, "rc", rc);
    for (size_t i = 0; i < n; i++)
        record_param(r, &params[i]);
    record_errors(r);
    if (!of_cipher && rc == 1 && OSSL_PARAM_locate(params, "tlsivgen") != NULL)
        note_message(w);
}

const struct op ops_param[] = {{"set", SET, run_set, true},
                               {"get", GET, run_get, true},
                               {"cget", GET, run_get, false},
                               {NULL, OTHER, NULL, false}};
