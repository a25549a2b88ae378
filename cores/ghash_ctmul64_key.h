/* SPDX-License-Identifier: Apache-2.0 */
/* The GHASH key of ct64, which the core sse2 has too: ghash_ctmul64.h. */
#ifndef CTAES_GHASH_CTMUL64_KEY_H
#define CTAES_GHASH_CTMUL64_KEY_H

#include <stdint.h>

typedef uint64_t limb;
#define LIMB_BITS 64
#define PRODUCTS 6
#include "ghash_ctmul_key.h"

#endif
