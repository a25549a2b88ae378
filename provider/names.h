/* SPDX-License-Identifier: Apache-2.0 */
/* Comparing names as OpenSSL does: the case of ASCII letters doesn't count,
   whatever the locale. */
#ifndef CTAES_NAMES_H
#define CTAES_NAMES_H

#include <stdbool.h>
#include <stddef.h>

static inline char lower_letter(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Whether the a_len characters at a are the string b. */
static inline bool is_name(const char *a, size_t a_len, const char *b)
{
    for (size_t i = 0; i < a_len; i++)
        if (b[i] == '\0' || lower_letter(a[i]) != lower_letter(b[i]))
            return false;
    return b[a_len] == '\0';
}

/* Whether name is one of names, which are separated by colons. */
static inline bool is_one_of(const char *names, const char *name)
{
    for (;;) {
        size_t len = 0;
        while (names[len] != ':' && names[len] != '\0')
            len++;
        if (is_name(names, len, name))
            return true;
        if (names[len] == '\0')
            return false;
        names += len + 1;
    }
}

#endif
