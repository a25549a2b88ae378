/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The core ssse3: vector-permute AES and GHASH with SSSE3, for CPUs without AES
 * instructions from the Core 2 on.
 *
 * All of the code is in the templates vperm*.h, here for vectors of one block.
 * The same with AVX's encoding gains less than 5 % and is not built.
 */
#include "lanes128.h"

#include "vperm_core.h"

const struct ctaes_core ctaes_core_ssse3 = VPERM_CORE("ssse3", CTAES_CPU_SSSE3);
