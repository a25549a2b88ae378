/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The core avx512: vector-permute AES and GHASH with AVX-512BW, for CPUs (virtual
 * ones, as a rule) without AES instructions.
 *
 * All of the code is in the templates vperm*.h, here for vectors of four blocks.
 */
#include "lanes512.h"

#include "vperm_core.h"

const struct ctaes_core ctaes_core_avx512 = VPERM_CORE(
    "avx512", CTAES_CPU_AVX2 | CTAES_CPU_AVX512F | CTAES_CPU_AVX512BW | CTAES_CPU_AVX512VL);
