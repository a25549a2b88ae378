/* SPDX-License-Identifier: Apache-2.0 */
/* The core avx2p: vector-permute AES with AVX2 as in avx2.c, GHASH with PCLMULQDQ. */
#define AES_HALF ctaes_core_avx2

#include "pclmul_core.h"

const struct ctaes_core ctaes_core_avx2p = PCLMUL_CORE("avx2p", 32, CTAES_CPU_AVX2);
