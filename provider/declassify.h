/* SPDX-License-Identifier: Apache-2.0 */
/* The one place where a secret verdict becomes public. */
#ifndef CTAES_DECLASSIFY_H
#define CTAES_DECLASSIFY_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Makes public whether a mask (all bits set, or all clear) is set, and returns
 * it. Each call says beside it why the caller may know. The constant-time check
 * suppresses reports in this function, and in no other.
 */
bool ctaes_declassify(uint32_t mask);

#endif
