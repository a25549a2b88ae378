/* SPDX-License-Identifier: Apache-2.0 */
/* Opaque symmetric keys: see skeymgmt.c. */
#ifndef CTAES_SKEYMGMT_H
#define CTAES_SKEYMGMT_H

#include "provctx.h"

/* The operation's number, for headers older than 3.5. */
#ifndef OSSL_OP_SKEYMGMT
#    define OSSL_OP_SKEYMGMT 15
#endif

/* Fills out with the rows that OpenSSL asks for, each with the property
   definition properties, which must outlive them. */
void ctaes_list_skeymgmts(OSSL_ALGORITHM out[CTAES_NSKEYMGMTS + 1], const char *properties);

#endif
