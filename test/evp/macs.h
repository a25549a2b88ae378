/* SPDX-License-Identifier: Apache-2.0 */
/* The MACs of both sides, and sequences of calls on them: see macs.c. */
#ifndef CTAES_TEST_EVP_MACS_H
#define CTAES_TEST_EVP_MACS_H

#include "evp.h"

/* Between open_macs and close_macs; pmac is NULL where the subject has none. */
extern EVP_MAC *cmac[2], *gmac[2], *pmac;

/* Ends the program if there is no memory. */
EVP_MAC_CTX *new_mac_ctx(EVP_MAC *mac);

/* Runs one sequence on both sides, prints what differs, and counts it. */
void run_mac_sequence(const char *title, const char *sequence);

#endif
