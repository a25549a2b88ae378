/* SPDX-License-Identifier: Apache-2.0 */
/* What goes with ciphers, for ctaes-check: who serves the MACs that are made of AES, whose AES is
   in them, and who serves opaque keys. */
#ifndef CTAES_CHECK_BESIDE_H
#define CTAES_CHECK_BESIDE_H

#include <openssl/provider.h>

#include <stdbool.h>
#include <stddef.h>

struct beside {
    char name[24];     /* "CMAC" */
    char provider[40]; /* whom a program gets; "" if nobody */
    char aes[40];      /* MACs: whose AES is in it; "" if nobody's */
    bool by_ctaes;
    bool aes_by_ctaes;
};

enum { MACS = 2, SKEYMGMTS = 2 };

/* Whether it is ctaes, under whatever name: it alone has the parameter `core`. */
bool is_ctaes(const OSSL_PROVIDER *provider);

/* Asks for CMAC and GMAC. */
void ask_for_macs(struct beside found[MACS]);

/* Asks for the kinds of opaque keys. Returns how many there are: 0 before OpenSSL 3.5. */
size_t ask_for_skeymgmts(struct beside found[SKEYMGMTS]);

#endif
