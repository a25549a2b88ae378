/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The core aesniavx: aesni with the three-operand instructions that came with
 * AVX. It spares the copies that the older encoding needs before every product
 * of GHASH, which makes GCM a tenth faster (all CPUs with AES-NI from Sandy
 * Bridge and Bulldozer on, until VAES).
 */
#include "x86_vec128.h"

#include "x86_core.h"

const struct ctaes_core ctaes_core_aesniavx =
    X86_CORE("aesniavx", CTAES_CPU_AESNI | CTAES_CPU_PCLMUL | CTAES_CPU_AVX);
