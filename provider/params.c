/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OSSL_PARAM without libcrypto.
 *
 * An integer parameter is a number of data_size bytes, any number of them, in
 * the machine's byte order. All reads and writes go through a uint64_t, since
 * no value that the module knows is larger or below zero.
 */
#include "params.h"

#include <string.h>

/* The index of the byte of weight 256^i in a native integer of size bytes. */
static size_t index_of_byte(size_t i, size_t size)
{
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, 1);
    return first == 1 ? i : size - 1 - i;
}

/* Reads a whole number from 0 to 2^64 - 1. */
static bool read_number(const OSSL_PARAM *p, uint64_t *value)
{
    if (p->data == NULL)
        return false;
    if (p->data_type == OSSL_PARAM_REAL) {
        double d;
        if (p->data_size != sizeof d)
            return false;
        memcpy(&d, p->data, sizeof d);
        if (!(d >= 0 && d < 18446744073709551616.0)) /* 2^64; false for a NaN too */
            return false;
        *value = (uint64_t)d;
        return (double)*value == d;
    }
    if ((p->data_type != OSSL_PARAM_INTEGER && p->data_type != OSSL_PARAM_UNSIGNED_INTEGER) ||
        p->data_size == 0)
        return false;
    const uint8_t *bytes = p->data;
    size_t size = p->data_size;
    if (p->data_type == OSSL_PARAM_INTEGER && (bytes[index_of_byte(size - 1, size)] & 0x80) != 0)
        return false; /* below zero */
    uint64_t x = 0;
    for (size_t i = size; i-- > 0;) {
        if ((x >> 56) != 0)
            return false; /* over 2^64 - 1 */
        x = x << 8 | bytes[index_of_byte(i, size)];
    }
    *value = x;
    return true;
}

bool ctaes_param_get_uint(const OSSL_PARAM *p, unsigned int *value)
{
    uint64_t x;
    /* As EVP sets the padding, at each init. */
    if (p->data_type == OSSL_PARAM_UNSIGNED_INTEGER && p->data_size == sizeof *value &&
        p->data != NULL) {
        memcpy(value, p->data, sizeof *value);
        return true;
    }
    if (!read_number(p, &x) || x > UINT32_MAX)
        return false;
    *value = (unsigned int)x;
    return true;
}

bool ctaes_param_get_size(const OSSL_PARAM *p, size_t *value)
{
    uint64_t x;
    if (!read_number(p, &x) || x > SIZE_MAX)
        return false;
    *value = (size_t)x;
    return true;
}

/* Writes value to a parameter of whatever width; natural_size is the width to
   recommend to a caller whose parameter has no data or too little. */
static bool write_number(OSSL_PARAM *p, uint64_t value, size_t natural_size)
{
    p->return_size = 0;
    if (p->data_type == OSSL_PARAM_REAL) {
        p->return_size = sizeof(double);
        if (p->data == NULL)
            return true;
        if (p->data_size != sizeof(double) || value >> 53 != 0)
            return false; /* a double holds 53 bits */
        double d = (double)value;
        memcpy(p->data, &d, sizeof d);
        return true;
    }
    if (p->data_type != OSSL_PARAM_INTEGER && p->data_type != OSSL_PARAM_UNSIGNED_INTEGER)
        return false;
    p->return_size = natural_size;
    if (p->data == NULL)
        return true;
    size_t size = p->data_size;
    /* Bits that the destination has for the value: a sign takes one. */
    size_t bits = size * 8;
    if (p->data_type == OSSL_PARAM_INTEGER && bits > 0)
        bits--;
    if (bits < 64 && value >> bits != 0)
        return false;
    uint8_t *bytes = p->data;
    for (size_t i = 0; i < size; i++)
        bytes[index_of_byte(i, size)] = i < 8 ? (uint8_t)(value >> (8 * i)) : 0;
    p->return_size = size;
    return true;
}

bool ctaes_param_set_uint(OSSL_PARAM *p, unsigned int value)
{
    return write_number(p, value, sizeof value);
}

bool ctaes_param_set_any_size(OSSL_PARAM *p, size_t value)
{
    return write_number(p, value, sizeof value);
}

/* Hands out a pointer. The size is reported even where the type is wrong. */
static bool write_pointer(OSSL_PARAM *p, unsigned int type, const void *value, size_t len)
{
    p->return_size = len;
    if (p->data_type != type)
        return false;
    if (p->data != NULL)
        *(const void **)p->data = value;
    return true;
}

bool ctaes_param_set_utf8_ptr(OSSL_PARAM *p, const char *value)
{
    return write_pointer(p, OSSL_PARAM_UTF8_PTR, value, strlen(value));
}

bool ctaes_param_set_octet_ptr(OSSL_PARAM *p, const void *value, size_t len)
{
    return write_pointer(p, OSSL_PARAM_OCTET_PTR, value, len);
}

/* Copies bytes. The size is reported even where they don't fit. */
static bool write_bytes(OSSL_PARAM *p, unsigned int type, const void *value, size_t len)
{
    p->return_size = len;
    if (p->data == NULL)
        return true;
    if (p->data_type != type || p->data_size < len)
        return false;
    memcpy(p->data, value, len);
    return true;
}

bool ctaes_param_set_octet_string(OSSL_PARAM *p, const void *value, size_t len)
{
    return write_bytes(p, OSSL_PARAM_OCTET_STRING, value, len);
}

bool ctaes_param_set_utf8_string(OSSL_PARAM *p, const char *value)
{
    size_t len = strlen(value);
    if (!write_bytes(p, OSSL_PARAM_UTF8_STRING, value, len))
        return false;
    if (p->data != NULL && p->data_size > len)
        ((char *)p->data)[len] = '\0';
    return true;
}

static char to_lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

bool ctaes_param_is_text(const OSSL_PARAM *p, const char *text)
{
    const char *given = p->data;
    size_t len = strlen(text);
    if (p->data_type != OSSL_PARAM_UTF8_STRING || given == NULL || p->data_size < len)
        return false;
    for (size_t i = 0; i < len; i++)
        if (to_lower(given[i]) != to_lower(text[i]))
            return false;
    /* The text may end before its memory does. */
    return p->data_size == len || given[len] == '\0';
}

OSSL_PARAM *ctaes_find_param(const OSSL_PARAM params[], const char *key)
{
    if (params == NULL)
        return NULL;
    for (; params->key != NULL; params++)
        if (strcmp(params->key, key) == 0)
            return (OSSL_PARAM *)(uintptr_t)params;
    return NULL;
}

/* Finds the row that gets, or sets, the parameter; nrows if none does. */
static size_t find_row(const struct ctaes_param *rows, size_t nrows, const char *key, bool setting)
{
    /* Most keys differ in their first letter already. */
    for (size_t i = 0; i < nrows; i++)
        if (rows[i].key[0] == key[0] && strcmp(rows[i].key, key) == 0 &&
            (setting ? rows[i].set != NULL : rows[i].get != NULL))
            return i;
    return nrows;
}

int ctaes_get_params(const struct ctaes_param *rows, size_t nrows, struct ctaes_ctx *ctx,
                     OSSL_PARAM params[])
{
    OSSL_PARAM *asked[CTAES_MAX_PARAMS] = {NULL};
    if (params == NULL)
        return 1;
    for (OSSL_PARAM *p = params; p->key != NULL; p++) {
        size_t row = find_row(rows, nrows, p->key, false);
        if (row < nrows && asked[row] == NULL)
            asked[row] = p;
    }
    for (size_t i = 0; i < nrows; i++)
        if (asked[i] != NULL && !rows[i].get(ctx, asked[i]))
            return 0;
    return 1;
}

int ctaes_set_params(const struct ctaes_param *rows, size_t nrows, struct ctaes_ctx *ctx,
                     const OSSL_PARAM params[])
{
    const OSSL_PARAM *given[CTAES_MAX_PARAMS] = {NULL};
    if (params == NULL)
        return 1;
    for (const OSSL_PARAM *p = params; p->key != NULL; p++) {
        size_t row = find_row(rows, nrows, p->key, true);
        if (row < nrows && given[row] == NULL)
            given[row] = p;
    }
    for (size_t i = 0; i < nrows; i++)
        if (given[i] != NULL) {
            const int result = rows[i].set(ctx, given[i]);
            if (result != 1)
                return result != 0;
        }
    return 1;
}
