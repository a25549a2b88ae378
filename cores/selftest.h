/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTAES_SELFTEST_H
#define CTAES_SELFTEST_H

#include "core.h"

/*
 * Lets a core answer known questions, at least one for each of its functions
 * and for each width that they work at. Returns NULL if all answers are right,
 * else what failed, for people to read: a static string.
 *
 * The core must be one that this CPU can run. Takes less than 100 microseconds.
 */
const char *ctaes_core_selftest(const struct ctaes_core *core);

#endif
