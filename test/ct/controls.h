/* SPDX-License-Identifier: Apache-2.0 */
/* Cores that are wrong on purpose: the test of the constant-time test. */
#ifndef CT_CONTROLS_H
#define CT_CONTROLS_H

#include "../../cores/core.h"

/* AES by table lookup, GHASH by branches. */
extern const struct ctaes_core ctaes_core_leaky;

/* Calls a core of the module and declares every result public. */
extern const struct ctaes_core ctaes_core_unmarking;

#endif
