/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clearing vector registers, in which secrets stay when a function returns: of AES's last
 * rounds, of memcpy, of whatever moved a block. A core's own functions
 * leave them as they are; the provider clears them once, when it returns to
 * libcrypto, whatever core was at work, since libc's memcpy uses all that the CPU
 * has.
 *
 *      xmm0 ...... xmm15          every x86-64 CPU
 *      ymm0 ...... ymm15          AVX
 *      zmm0 ...... zmm15 | zmm16 ...... zmm31
 *                                 AVX-512: the same, and 16 more
 *
 * Zeroing a register by its own xor takes no execution unit on current CPUs: on Zen 4
 * all 32 take less time than VZEROALL.
 *
 * Constant time: no data is looked at.
 */
#ifndef CTAES_REGISTERS_H
#define CTAES_REGISTERS_H

#include <stdint.h>

/* The widest registers that the CPU has and the operating system saves. */
enum ctaes_registers { CTAES_NO_VECTORS, CTAES_XMM, CTAES_YMM, CTAES_ZMM };

/* Asks the CPU, whatever OPENSSL_ia32cap says (cpu.c). Takes as long as CPUID does. */
enum ctaes_registers ctaes_cpu_registers(void);

/* The same on a CPU that is known to have some features (CTAES_CPU_*, as a core's). With AVX or
   more among them it doesn't take CPUID, which a virtual machine must ask its host for: a
   microsecond. */
enum ctaes_registers ctaes_cpu_registers_beside(uint32_t features);

/* Clears all registers of that width. General registers have other work by then; what the portable
   cores leave in them, wipe_stack clears (portable.h). */
static inline void clear_registers(enum ctaes_registers widest)
{
#if defined __x86_64__ && !defined CTAES_UNCLEARED /* which `make bench-clearing` defines */
#    define XMM_REGISTERS                                                                          \
        "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",   \
            "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"
    if (widest >= CTAES_YMM)
        /* Which clears all bits above, too. */
        __asm__ volatile(".irp i, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n\t"
                         "vpxor %%xmm\\i, %%xmm\\i, %%xmm\\i\n\t"
                         ".endr"
                         :
                         :
                         : "memory", XMM_REGISTERS);
    else
        __asm__ volatile(".irp i, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n\t"
                         "pxor %%xmm\\i, %%xmm\\i\n\t"
                         ".endr"
                         :
                         :
                         : "memory", XMM_REGISTERS);
    if (widest == CTAES_ZMM)
        /* Unknown to the compiler in the files that include this. */
        __asm__ volatile(".irp i, 16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n\t"
                         "vpxord %zmm\\i, %zmm\\i, %zmm\\i\n\t"
                         ".endr");
#    undef XMM_REGISTERS
#else
    (void)widest;
#endif
}

#endif
