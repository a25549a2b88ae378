/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The core aesni: AES-NI and PCLMULQDQ on single blocks, for CPUs without AVX,
 * such as Westmere, and the Atoms, Pentiums and Celerons of many years after.
 *
 * All of the code is in headers: x86_aes.h (key setup, CBC encryption),
 * x86_wide.h (ECB, CBC decryption, CTR), x86_ghash.h, x86_gcm.h and x86_xts.h,
 * here for vectors of one block.
 */
#include "x86_vec128.h"

#include "x86_core.h"

const struct ctaes_core ctaes_core_aesni =
    X86_CORE("aesni", CTAES_CPU_AESNI | CTAES_CPU_PCLMUL | CTAES_CPU_SSSE3 | CTAES_CPU_SSE41);
