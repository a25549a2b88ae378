/* SPDX-License-Identifier: Apache-2.0 */
/* The table of algorithms, made from ciphers.def. */
#ifndef CTAES_CIPHERS_H
#define CTAES_CIPHERS_H

#include "modes/mode.h"

#include <openssl/core.h>

struct ctaes_cipher {
    const char *names; /* separated by colons, as OSSL_ALGORITHM wants them */
    const struct ctaes_mode *mode;
    size_t key_len; /* bytes */
};

/* How many there are: counts ciphers.def's lines. */
enum {
#define CIPHER(id, names, family, kind, mode, key_len) CTAES_ROW_##id,
#include "ciphers.def"
#undef CIPHER
    CTAES_NCIPHERS
};

/* Fills out[CTAES_NCIPHERS + 1] with the rows that OpenSSL asks for, each with
   the property definition properties, which must outlive them. */
void ctaes_list_ciphers(OSSL_ALGORITHM *out, const char *properties);

/* Returns the row that has that name, whatever the case of its letters, or NULL. */
const struct ctaes_cipher *ctaes_find_cipher(const char *name);

#endif
