/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of ct.h as they must not be: included before everything else
 * (-include) in the control builds, it puts a branch on the secret into each of
 * them. Code that is clean with ct.h must then be reported. The asm statements
 * keep the compiler from turning the branches into masks.
 */
#ifndef CT_LEAKY_H
#define CT_LEAKY_H

#include "../../cores/ct.h"

static inline uint32_t leaky_mask(uint32_t condition)
{
    uint32_t mask = 0;
    if (condition) {
        mask = ~0U;
        __asm__ volatile("" : "+r"(mask));
    }
    return mask;
}

static inline uint32_t leaky_equal_bytes(const uint8_t *a, const uint8_t *b, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (a[i] != b[i])
            return 0;
    return ct_barrier(~0U);
}

#define ct_is_zero(x) leaky_mask((x) == 0)
#define ct_eq(a, b) leaky_mask((uint32_t)(a) == (uint32_t)(b))
#define ct_lt(a, b) leaky_mask((uint32_t)(a) < (uint32_t)(b))
#define ct_equal_bytes(a, b, len) leaky_equal_bytes(a, b, len)

#endif
