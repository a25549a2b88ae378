/* SPDX-License-Identifier: Apache-2.0 */
/* The core ssse3p: vector-permute AES with SSSE3 as in ssse3.c, GHASH with PCLMULQDQ. */
#define AES_HALF ctaes_core_ssse3

#include "pclmul_core.h"

const struct ctaes_core ctaes_core_ssse3p = PCLMUL_CORE("ssse3p", 16, CTAES_CPU_SSSE3);
