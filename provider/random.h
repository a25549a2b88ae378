/* SPDX-License-Identifier: Apache-2.0 */
/* Random bytes for generated IVs, and MACs of TLS records with bad padding. */
#ifndef CTAES_RANDOM_H
#define CTAES_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fills out with len random bytes, at most 256. Returns false if the system
   gives none; out is then to be taken for undefined. */
bool ctaes_random(uint8_t *out, size_t len);

#endif
