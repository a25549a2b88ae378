/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Constant-time building blocks: masks instead of branches, and wiping.
 *
 * A mask is a word with all bits set (true) or all clear (false). Compilers
 * know that too, and given `mask & x` where the mask came from a comparison
 * they may put the branch back (clang 14 does at -O1 and -Os). ct_barrier
 * makes a value opaque to the optimiser, so that it cannot know that only two
 * values are possible; every function here that returns a mask passes it
 * through the barrier.
 */
#ifndef CTAES_CT_H
#define CTAES_CT_H

#include "opaque.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Returns x, in a way that hides from the optimiser all that it knew of it. */
static inline uint32_t ct_barrier(uint32_t x)
{
    CTAES_OPAQUE("r", x);
    return x;
}

/* Returns the mask of x == 0. */
static inline uint32_t ct_is_zero(uint32_t x)
{
    /* The top bit of ~x & (x - 1) is set just for x = 0. */
    return ct_barrier(0U - ((~x & (x - 1U)) >> 31));
}

/* Returns the mask of a == b. */
static inline uint32_t ct_eq(uint32_t a, uint32_t b)
{
    return ct_is_zero(a ^ b);
}

/* Returns the mask of a < b, for a and b below 2^31. The inner barrier: where one of them counts a
   loop and the other is secret, gcc -Os would count the loop by their difference instead. */
static inline uint32_t ct_lt(uint32_t a, uint32_t b)
{
    return ct_barrier(0U - ((ct_barrier(a) - b) >> 31));
}

/* Returns the mask of "the len bytes at a and b are the same". len is public. */
static inline uint32_t ct_equal_bytes(const uint8_t *a, const uint8_t *b, size_t len)
{
    uint64_t difference = 0;
    size_t i = 0;
    for (; i + 8 <= len; i += 8) {
        uint64_t x, y;
        memcpy(&x, a + i, 8);
        memcpy(&y, b + i, 8);
        difference |= x ^ y;
    }
    for (; i < len; i++)
        difference |= (uint64_t)(a[i] ^ b[i]);
    return ct_is_zero((uint32_t)(difference | difference >> 32));
}

/* Overwrites len bytes at p with zeros, also where the compiler can prove that
   they are not read again. */
static inline void ct_wipe(void *p, size_t len)
{
    /* gcc would make `rep stos` of a memset of 65 bytes or more, microcode that
       takes a dozen nanoseconds. It can't know that this zero is one. */
    if (__builtin_constant_p(len) && len > 64 && len <= 1024) {
        typedef uint64_t wipe_word __attribute__((vector_size(16)));
        const uint64_t zero = ct_barrier(0);
        const wipe_word zeros = {zero, zero};
        for (size_t i = 0; i < len - 15; i += 16)
            memcpy((uint8_t *)p + i, &zeros, 16);
        memcpy((uint8_t *)p + len - 16, &zeros, 16);
    } else {
        memset(p, 0, len);
    }
    __asm__ volatile("" : : "r"(p) : "memory");
}

#endif
