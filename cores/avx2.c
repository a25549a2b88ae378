/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The core avx2: vector-permute AES and GHASH with AVX2, for CPUs (virtual ones,
 * as a rule) without AES instructions.
 *
 * All of the code is in the templates vperm*.h, here for vectors of two blocks.
 */
#include "lanes256.h"

#include "vperm_core.h"

const struct ctaes_core ctaes_core_avx2 = VPERM_CORE("avx2", CTAES_CPU_AVX2);
