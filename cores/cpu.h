/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this CPU and its operating system let us use: the feature word that a
 * core's `features` are compared with.
 *
 * Asking the hardware and understanding its answer are apart, so that the
 * answers of CPUs that we don't have can be tested: ctaes_cpu_features fills
 * struct ctaes_cpuid and passes it on to ctaes_cpu_decode, which is pure.
 */
#ifndef CTAES_CPU_H
#define CTAES_CPU_H

#include <stddef.h>
#include <stdint.h>

/* A feature's bit is set if the instructions exist, the operating system saves
   the registers that they need, and OPENSSL_ia32cap doesn't mask them. */
enum {
    CTAES_CPU_SSE2 = 1 << 0,
    CTAES_CPU_SSSE3 = 1 << 1,
    CTAES_CPU_SSE41 = 1 << 2,
    CTAES_CPU_PCLMUL = 1 << 3,
    CTAES_CPU_AESNI = 1 << 4,
    CTAES_CPU_GFNI = 1 << 5,
    CTAES_CPU_AVX = 1 << 6,
    CTAES_CPU_AVX2 = 1 << 7,
    CTAES_CPU_VAES = 1 << 8,
    CTAES_CPU_VPCLMUL = 1 << 9,
    CTAES_CPU_AVX512F = 1 << 10,
    CTAES_CPU_AVX512DQ = 1 << 11,
    CTAES_CPU_AVX512BW = 1 << 12,
    CTAES_CPU_AVX512VL = 1 << 13,
    CTAES_CPU_AVX512VBMI = 1 << 14
};

/* The registers that CPUID and XGETBV return, and the operator's mask. */
struct ctaes_cpuid {
    uint32_t max_leaf; /* eax of leaf 0; leaf 7 counts only if this is 7 or more */
    uint32_t leaf1_ecx, leaf1_edx;
    uint32_t leaf7_ebx, leaf7_ecx; /* subleaf 0 */
    uint64_t xcr0;                 /* meaningless unless leaf 1 has OSXSAVE */

    /* The bits that OPENSSL_ia32cap leaves on: [0] of leaf 1, ecx in the upper
       half and edx in the lower, [1] of leaf 7, ecx and ebx. */
    uint64_t keep[2];
};

/* Returns the features of this CPU, as masked by the environment's
   OPENSSL_ia32cap; 0 where the architecture isn't x86. */
uint32_t ctaes_cpu_features(void);

/* Returns the features that a recorded or real CPU offers. */
uint32_t ctaes_cpu_decode(const struct ctaes_cpuid *id);

/*
 * Sets keep to what an OPENSSL_ia32cap of that text leaves on; text is NULL if
 * the variable isn't set. Never fails: like OpenSSL it reads what it can, and
 * takes the rest for 0 (see cpu.c).
 */
void ctaes_ia32cap_parse(uint64_t keep[2], const char *text);

/*
 * Writes the names of the features, "VAES, AVX512BW", to text of size bytes,
 * with a NUL at the end, and returns how long they are. If that is size or
 * more, the last names are missing. CTAES_CPU_NAMES_SIZE is enough for all.
 */
#define CTAES_CPU_NAMES_SIZE 160
size_t ctaes_cpu_names(char *text, size_t size, uint32_t features);

#endif
