/* SPDX-License-Identifier: Apache-2.0 */
/* The table of message authentication codes, made from macs.def. */
#ifndef CTAES_MACS_H
#define CTAES_MACS_H

#include <openssl/core.h>

/* How many there are: counts macs.def's lines. */
enum {
#define MAC(id, names, family, mode) CTAES_MAC_ROW_##id,
#include "macs.def"
#undef MAC
    CTAES_NMACS
};

/* Fills out[CTAES_NMACS + 1] with the rows that OpenSSL asks for, each with the
   property definition properties, which must outlive them. */
void ctaes_list_macs(OSSL_ALGORITHM *out, const char *properties);

#endif
