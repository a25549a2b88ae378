/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the bitsliced cores ask of the compiler, and how they clear their stack.
 */
#ifndef CTAES_PORTABLE_H
#define CTAES_PORTABLE_H

#include "ct.h"

/* Left to choose, compilers decline to inline functions as long as those of
   bitslice.h, which costs half the speed. Where small code is asked for (-Os),
   the LARGE ones stay functions. */
#define INLINE static inline __attribute__((always_inline))
#ifdef __OPTIMIZE_SIZE__
#    define INLINE_LARGE static __attribute__((noinline, unused))
#else
#    define INLINE_LARGE INLINE
#endif

#define NOINLINE __attribute__((noinline))

/*
 * A bitsliced cipher has more live words than a CPU has registers, so compilers
 * keep secrets in places on the stack that have no name in C and that wiping a
 * variable does not reach. Functions of a core therefore come in two layers:
 *
 *     encrypt         calls the other two, and touches no secret
 *       encrypt_blocks  does the work            \  the same region of the
 *       wipe_stack      overwrites its frame     /  stack, one after the other
 *
 * Measured with gcc 12 and clang 14 from -O1 to -O3 and -Os: the workers and
 * their callees leave secrets in at most 800 bytes of stack where a word fits a
 * register, be it a vector, and in 2000 where it takes two (ct64 on a 32-bit CPU).
 */
#ifndef STACK_REGION
#    define STACK_REGION 1024
#endif

static NOINLINE void wipe_stack(void)
{
#ifndef CTAES_UNCLEARED /* which `make bench-clearing` defines */
    uint8_t region[STACK_REGION];
    /* In pieces, because gcc makes a slow `rep stos` of the whole. */
    for (size_t i = 0; i < sizeof region; i += 64)
        ct_wipe(region + i, 64);
#    ifdef __x86_64__
    /* And the registers that a function may leave as it likes: a bitsliced state was in them. */
    __asm__ volatile("xor %%eax, %%eax\n\txor %%ecx, %%ecx\n\txor %%edx, %%edx\n\t"
                     "xor %%esi, %%esi\n\txor %%edi, %%edi\n\txor %%r8d, %%r8d\n\t"
                     "xor %%r9d, %%r9d\n\txor %%r10d, %%r10d\n\txor %%r11d, %%r11d"
                     :
                     :
                     : "cc", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11");
#    endif
#endif
}

#endif
