/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A record: everything that the caller of one EVP call can see.
 *
 * It is a flat run of fields {name, kind, length, bytes}, so that comparing two
 * records is one memcmp; only a record that differs is ever turned into text.
 *
 * --twist makes this file falsify what it records of the subject, to prove that
 * the comparison would catch it (see self_check in main.c).
 */
#include "evp.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum kind { INT, TEXT, BYTES, ERRORS };

struct field {
    const char *name;
    enum kind kind;
    uint32_t len;
};

const char *twist;
const char *const twists[] = {"return", "length", "output", "beyond", "iv", "parameter",
                              "size",   "error",  "reason", "order",  NULL};

static bool twisting(const struct record *r, const char *what)
{
    return twist != NULL && r->twisted && strcmp(twist, what) == 0;
}

void record_clear(struct record *r)
{
    r->len = 0;
}

void record_free(struct record *r)
{
    free(r->bytes);
    *r = (struct record){0};
}

static void append(struct record *r, const char *name, enum kind kind, const void *p, size_t len)
{
    struct field f;
    memset(&f, 0, sizeof f); /* padding is compared, too */
    f.name = name;
    f.kind = kind;
    f.len = (uint32_t)len;
    if (r->len + sizeof f + len > r->cap) {
        r->cap = 2 * (r->len + sizeof f + len);
        r->bytes = realloc(r->bytes, r->cap);
        if (r->bytes == NULL)
            abort();
    }
    memcpy(r->bytes + r->len, &f, sizeof f);
    r->len += sizeof f;
    if (len > 0)
        memcpy(r->bytes + r->len, p, len);
    r->len += len;
}

void record_int(struct record *r, const char *name, long long value)
{
    if ((twisting(r, "return") && strcmp(name, "rc") == 0) ||
        (twisting(r, "length") && strcmp(name, "outl") == 0) ||
        (twisting(r, "size") && strcmp(name, "return_size") == 0))
        value++;
    append(r, name, INT, &value, sizeof value);
}

void record_text(struct record *r, const char *name, const char *value)
{
    if (value == NULL)
        value = "(null)";
    append(r, name, TEXT, value, strlen(value) + 1);
}

void record_bytes(struct record *r, const char *name, const void *p, size_t len)
{
    append(r, name, BYTES, p, len);
    if (twist == NULL || !r->twisted || len == 0)
        return;

    uint8_t *copy = r->bytes + r->len - len;
    if (twisting(r, "output") && strcmp(name, "out") == 0) {
        for (size_t i = 0; i < len; i++) {
            if (copy[i] != CANARY) {
                copy[i] ^= 1;
                break;
            }
        }
    } else if (twisting(r, "beyond") && strcmp(name, "out") == 0) {
        copy[len - 1] ^= 1;
    } else if (twisting(r, "iv") && strstr(name, "iv") != NULL) {
        copy[0] ^= 0x80;
    } else if (twisting(r, "parameter") && strcmp(name, "value") == 0) {
        copy[0] ^= 1;
    }
}

void record_errors(struct record *r)
{
    unsigned long codes[64];
    size_t n = 0;
    unsigned long e;

    while ((e = ERR_get_error()) != 0) {
        if (!error_is_noise(e) && n < sizeof codes / sizeof codes[0])
            codes[n++] = e;
    }
    if (n > 0 && twisting(r, "error"))
        n--;
    if (n > 0 && twisting(r, "reason"))
        codes[0] ^= 1;
    if (n > 1 && twisting(r, "order")) {
        e = codes[0];
        codes[0] = codes[1];
        codes[1] = e;
    }
    append(r, "errors", ERRORS, codes, n * sizeof codes[0]);
}

bool record_equal(const struct record *a, const struct record *b)
{
    return a->len == b->len && (a->len == 0 || memcmp(a->bytes, b->bytes, a->len) == 0);
}

static const uint8_t *next_field(const struct record *r, size_t *at, struct field *f)
{
    if (*at >= r->len)
        return NULL;
    memcpy(f, r->bytes + *at, sizeof *f);
    const uint8_t *data = r->bytes + *at + sizeof *f;
    *at += sizeof *f + f->len;
    return data;
}

bool record_equal_without_errors(const struct record *a, const struct record *b)
{
    struct field f, g;
    size_t at = 0, bt = 0;
    for (const uint8_t *p; (p = next_field(a, &at, &f)) != NULL;) {
        const uint8_t *q = next_field(b, &bt, &g);
        if (q == NULL || f.name != g.name || f.kind != g.kind)
            return false;
        if (f.kind == ERRORS ? g.len != 0 : f.len != g.len || memcmp(p, q, f.len) != 0)
            return false;
    }
    return bt == b->len;
}

bool record_equal_without(const struct record *a, const struct record *b, const char *name)
{
    struct field f, g;
    size_t at = 0, bt = 0;
    for (const uint8_t *p; (p = next_field(a, &at, &f)) != NULL;) {
        const uint8_t *q = next_field(b, &bt, &g);
        if (q == NULL || f.name != g.name || f.kind != g.kind || f.len != g.len)
            return false;
        if (strcmp(f.name, name) != 0 && memcmp(p, q, f.len) != 0)
            return false;
    }
    return bt == b->len;
}

long long record_find(const struct record *r, const char *name, long long fallback)
{
    struct field f;
    size_t at = 0;
    for (const uint8_t *p; (p = next_field(r, &at, &f)) != NULL;) {
        if (f.kind == INT && strcmp(f.name, name) == 0) {
            long long v;
            memcpy(&v, p, sizeof v);
            return v;
        }
    }
    return fallback;
}

/* Returns an error of the last field of errors, counted from its start or from its end. */
static unsigned long find_error(const struct record *r, bool last)
{
    struct field f;
    size_t at = 0;
    unsigned long e = 0;
    for (const uint8_t *p; (p = next_field(r, &at, &f)) != NULL;) {
        if (f.kind == ERRORS && f.len > 0)
            memcpy(&e, last ? p + f.len - sizeof e : p, sizeof e);
    }
    return e;
}

unsigned long record_first_error(const struct record *r)
{
    return find_error(r, false);
}

unsigned long record_last_error(const struct record *r)
{
    return find_error(r, true);
}

static void print_bytes(FILE *to, const uint8_t *p, size_t len)
{
    size_t start = 0, end = len;
    while (end > 0 && p[end - 1] == CANARY)
        end--;
    if (end == 0) {
        fprintf(to, "untouched");
        return;
    }
    while (p[start] == CANARY)
        start++;
    if (start > 0)
        fprintf(to, "+%zu:", start);
    for (size_t i = start; i < end; i++) {
        if (i == start + 64 && end > start + 72) {
            uint64_t sum = 0xcbf29ce484222325;
            for (size_t k = 0; k < end; k++)
                sum = (sum ^ p[k]) * 0x100000001b3;
            fprintf(to, "...(FNV-1a %016" PRIx64 ")", sum);
            break;
        }
        fprintf(to, "%02x", p[i]);
    }
    fprintf(to, "[%zu of %zu]", end - start, len);
}

static void print_field(FILE *to, const struct field *f, const uint8_t *p)
{
    if (f->kind == ERRORS && f->len == 0)
        return;
    fprintf(to, " %s=", f->name);
    if (f->kind == INT) {
        long long v;
        memcpy(&v, p, sizeof v);
        fprintf(to, "%lld", v);
    } else if (f->kind == TEXT) {
        fprintf(to, "%s", (const char *)p);
    } else if (f->kind == BYTES) {
        print_bytes(to, p, f->len);
    } else {
        for (size_t i = 0; i < f->len / sizeof(unsigned long); i++) {
            unsigned long e;
            memcpy(&e, p + i * sizeof e, sizeof e);
            const char *reason = ERR_reason_error_string(e);
            fprintf(to, "%s%d:%d(%s)", i == 0 ? "" : ",", ERR_GET_LIB(e), ERR_GET_REASON(e),
                    reason != NULL ? reason : "?");
        }
    }
}

void record_print(FILE *to, const struct record *r)
{
    struct field f;
    size_t at = 0;
    for (const uint8_t *p; (p = next_field(r, &at, &f)) != NULL;)
        print_field(to, &f, p);
}

/* Splits off the fields of one parameter: from `at` to the next field "get". */
static struct record next_group(const struct record *r, size_t *at)
{
    struct record group = {.bytes = r->bytes + *at};
    struct field f;
    size_t next = *at;
    while (next_field(r, &next, &f) != NULL && (group.len == 0 || strcmp(f.name, "get") != 0))
        group.len = next - *at;
    *at += group.len;
    return group;
}

void record_print_differences(FILE *to, const struct record *r, const struct record *other)
{
    size_t at = 0, other_at = 0;
    while (at < r->len) {
        struct record mine = next_group(r, &at), theirs = next_group(other, &other_at);
        if (!record_equal(&mine, &theirs))
            record_print(to, &mine);
    }
}
