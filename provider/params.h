/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OSSL_PARAM without libcrypto: the accessors, and tables of parameters.
 *
 * Accessors return true on success. They convert as OpenSSL's own do: integers
 * of any width, signed or not, and real numbers that are whole; a value that
 * doesn't fit the destination is an error. Setting a parameter whose data is
 * NULL reports only the size that it would need.
 */
#ifndef CTAES_PARAMS_H
#define CTAES_PARAMS_H

#include <openssl/core.h>
#include <openssl/params.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

bool ctaes_param_get_uint(const OSSL_PARAM *p, unsigned int *value);
bool ctaes_param_get_size(const OSSL_PARAM *p, size_t *value);

bool ctaes_param_set_uint(OSSL_PARAM *p, unsigned int value);
bool ctaes_param_set_any_size(OSSL_PARAM *p, size_t value);

static inline bool ctaes_param_set_size(OSSL_PARAM *p, size_t value)
{
    /* As EVP asks, at each init. */
    if (p->data_type == OSSL_PARAM_UNSIGNED_INTEGER && p->data_size == sizeof value &&
        p->data != NULL) {
        memcpy(p->data, &value, sizeof value);
        p->return_size = sizeof value;
        return true;
    }
    return ctaes_param_set_any_size(p, value);
}

bool ctaes_param_set_utf8_ptr(OSSL_PARAM *p, const char *value);

/* Copies the text, and the zero behind it where there is room. */
bool ctaes_param_set_utf8_string(OSSL_PARAM *p, const char *value);

/* Whether the parameter is this text, in any case. */
bool ctaes_param_is_text(const OSSL_PARAM *p, const char *text);

/* Copies len bytes. */
bool ctaes_param_set_octet_string(OSSL_PARAM *p, const void *value, size_t len);

/* Hands out value itself, which must live as long as the context. */
bool ctaes_param_set_octet_ptr(OSSL_PARAM *p, const void *value, size_t len);

/* Returns the first parameter of that key, or NULL; params may be NULL. */
OSSL_PARAM *ctaes_find_param(const OSSL_PARAM params[], const char *key);

struct ctaes_ctx;

/* One parameter of a cipher context. get and set return 1, or 0 after raising
   what the default provider raises. NULL: not gettable, not settable. */
struct ctaes_param {
    const char *key;
    int (*get)(struct ctaes_ctx *ctx, OSSL_PARAM *p);
    int (*set)(struct ctaes_ctx *ctx, const OSSL_PARAM *p);
};

/* The parameter, of providers and contexts, that names the core. */
#define CTAES_PARAM_CORE "core"

/* The parameter, of providers, that says which cores `auto` passed over and
   why: "vaes512: this CPU lacks VAES; ..."; empty if none. */
#define CTAES_PARAM_PASSED_OVER "cores-passed-over"

/* The parameter, of providers, that says whether contexts lie in the secure heap: 1 or 0. */
#define CTAES_PARAM_SECURE_MEMORY "secure-memory"

/* No table has more rows. */
#define CTAES_MAX_PARAMS 16

/*
 * Serve a request by the rows of a table: in the table's order, whatever the
 * order of the request; of several parameters with one key the first counts;
 * unknown keys are ignored. params may be NULL. Return 1, or 0 as soon as a
 * row's function does; one that returns CTAES_IGNORE_REST ends it with 1.
 */
#define CTAES_IGNORE_REST 2
int ctaes_get_params(const struct ctaes_param *rows, size_t nrows, struct ctaes_ctx *ctx,
                     OSSL_PARAM params[]);
int ctaes_set_params(const struct ctaes_param *rows, size_t nrows, struct ctaes_ctx *ctx,
                     const OSSL_PARAM params[]);

/*
 * Nearly all requests ask for one parameter, and EVP makes two or three of them
 * for each message. They get code of their own from the table: one comparison
 * of numbers for each row, no walk through memory, no call by pointer.
 */

/* The four characters of a literal from the one of index i on, as one number,
   the first of them lowest; 0 in place of those that a shorter one lacks.
   Compilers compute it. */
#define CTAES_KEY_PART(literal, i)                                                                 \
    (CTAES_KEY_CHAR(literal, i) | CTAES_KEY_CHAR(literal, (i) + 1) << 8 |                          \
     CTAES_KEY_CHAR(literal, (i) + 2) << 16 | CTAES_KEY_CHAR(literal, (i) + 3) << 24)
#define CTAES_KEY_CHAR(literal, i)                                                                 \
    ((uint32_t)(uint8_t)(literal)[(i) < CTAES_KEY_LEN(literal) ? (i) : CTAES_KEY_LEN(literal)])

/* The same of what only the caller knows. */
static inline uint32_t ctaes_key_part(const char *key)
{
    const uint8_t *k = (const uint8_t *)key;
    if (k[0] == 0)
        return 0;
    if (k[1] == 0)
        return k[0];
    const uint32_t two = k[0] | (uint32_t)k[1] << 8;
    return k[2] == 0 ? two : two | (uint32_t)k[2] << 16 | (uint32_t)k[3] << 24;
}

/* Whether key is the literal, if start is its first part. Up to seven letters
   are two numbers, longer ones are left to strcmp. */
#define CTAES_IS_KEY(key, start, literal)                                                          \
    ((start) == CTAES_KEY_PART(literal, 0) &&                                                      \
     (CTAES_KEY_LEN(literal) < 4   ? true                                                          \
      : CTAES_KEY_LEN(literal) < 8 ? ctaes_key_part((key) + 4) == CTAES_KEY_PART(literal, 4)       \
                                   : strcmp(key, literal) == 0))
#define CTAES_KEY_LEN(literal) (sizeof(literal) - 1)

/*
 * A table is written once, as a list of R (gettable), W (settable) and RW
 * lines (key, type, functions), from which these
 * macros make its rows and the two lists that OpenSSL asks for.
 */
#define CTAES_ROW_R(key, type, get) {key, get, NULL},
#define CTAES_ROW_W(key, type, set) {key, NULL, set},
#define CTAES_ROW_RW(key, type, get, set) {key, get, set},
#define CTAES_IF_ONE(literal, type, function)                                                      \
    if (CTAES_IS_KEY(p->key, start, literal))                                                      \
        return function(ctx, p) != 0;
#define CTAES_IF_GET(literal, type, get, set) CTAES_IF_ONE(literal, type, get)
#define CTAES_IF_SET(literal, type, get, set) CTAES_IF_ONE(literal, type, set)
#define CTAES_LIST_ONE(key, type, function) CTAES_##type(key),
#define CTAES_LIST_BOTH(key, type, get, set) CTAES_##type(key),
#define CTAES_LIST_NONE(key, type, function)
#define CTAES_UINT(key) OSSL_PARAM_uint(key, NULL)
#define CTAES_INT(key) OSSL_PARAM_int(key, NULL)
#define CTAES_SIZE(key) OSSL_PARAM_size_t(key, NULL)
#define CTAES_OCTETS(key) OSSL_PARAM_octet_string(key, NULL, 0)
#define CTAES_OCTET_PTR(key) OSSL_PARAM_octet_ptr(key, NULL, 0)
#define CTAES_UTF8_PTR(key) OSSL_PARAM_utf8_ptr(key, NULL, 0)
#define CTAES_UTF8_STRING(key) OSSL_PARAM_utf8_string(key, NULL, 0)

/* Defines ctaes_<family>_get_ctx_params and its three sisters from a table. */
#define CTAES_PARAM_TABLE(family, TABLE)                                                           \
    static const struct ctaes_param family##_params[] = {                                          \
        TABLE(CTAES_ROW_R, CTAES_ROW_W, CTAES_ROW_RW)};                                            \
    static const OSSL_PARAM family##_gettable[] = {                                                \
        TABLE(CTAES_LIST_ONE, CTAES_LIST_NONE, CTAES_LIST_BOTH) OSSL_PARAM_END};                   \
    static const OSSL_PARAM family##_settable[] = {                                                \
        TABLE(CTAES_LIST_NONE, CTAES_LIST_ONE, CTAES_LIST_BOTH) OSSL_PARAM_END};                   \
    _Static_assert(sizeof family##_params / sizeof family##_params[0] <= CTAES_MAX_PARAMS,         \
                   "raise CTAES_MAX_PARAMS");                                                      \
    int ctaes_##family##_get_ctx_params(void *vctx, OSSL_PARAM params[])                           \
    {                                                                                              \
        struct ctaes_ctx *ctx = vctx;                                                              \
        OSSL_PARAM *p = params;                                                                    \
        if (p == NULL || p[0].key == NULL)                                                         \
            return 1;                                                                              \
        if (p[1].key == NULL) {                                                                    \
            const uint32_t start = ctaes_key_part(p->key);                                         \
            TABLE(CTAES_IF_ONE, CTAES_LIST_NONE, CTAES_IF_GET)                                     \
            return 1;                                                                              \
        }                                                                                          \
        return ctaes_get_params(family##_params,                                                   \
                                sizeof family##_params / sizeof family##_params[0], ctx, params);  \
    }                                                                                              \
    int ctaes_##family##_set_ctx_params(void *vctx, const OSSL_PARAM params[])                     \
    {                                                                                              \
        struct ctaes_ctx *ctx = vctx;                                                              \
        const OSSL_PARAM *p = params;                                                              \
        if (p == NULL || p[0].key == NULL)                                                         \
            return 1;                                                                              \
        if (p[1].key == NULL) {                                                                    \
            const uint32_t start = ctaes_key_part(p->key);                                         \
            TABLE(CTAES_LIST_NONE, CTAES_IF_ONE, CTAES_IF_SET)                                     \
            return 1;                                                                              \
        }                                                                                          \
        return ctaes_set_params(family##_params,                                                   \
                                sizeof family##_params / sizeof family##_params[0], ctx, params);  \
    }                                                                                              \
    const OSSL_PARAM *ctaes_##family##_gettable_ctx_params(void *ctx, void *provctx)               \
    {                                                                                              \
        (void)ctx;                                                                                 \
        (void)provctx;                                                                             \
        return family##_gettable;                                                                  \
    }                                                                                              \
    const OSSL_PARAM *ctaes_##family##_settable_ctx_params(void *ctx, void *provctx)               \
    {                                                                                              \
        (void)ctx;                                                                                 \
        (void)provctx;                                                                             \
        return family##_settable;                                                                  \
    }

#endif
