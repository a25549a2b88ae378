/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Doubling and halving in GF(2^128), as CMAC, PMAC, OCB and SIV use it: a block
 * of 16 bytes is a polynomial, the first bit the highest power. Doubling
 * multiplies it by x modulo x^128 + x^7 + x^2 + x + 1 (SP 800-38B section 5.3),
 * halving divides it by x.
 *
 *      127                    0
 *     ┌──┬─────────────────────┐  << 1
 *     │b │                     │ ──────▶  ^ 0x87 if b
 *     └──┴─────────────────────┘
 *
 * Constant time: the blocks are secret, and whether to reduce is a mask. Only
 * the first bit chooses, so the time of a branch would tell one bit of
 * E(K, 0^128); that is how some implementations leak their subkeys.
 */
#ifndef CTAES_DOUBLING_H
#define CTAES_DOUBLING_H

#include "../../cores/bytes.h"
#include "../../cores/ct.h"

/* out = in * x. out may be in. */
static inline void double_block(uint8_t out[16], const uint8_t in[16])
{
    uint64_t high = load_be64(in), low = load_be64(in + 8);
    /* The barrier hides that only two values are possible. */
    uint64_t reduce = (0U - ct_barrier((uint32_t)(high >> 63))) & 0x87U;
    store_be64_pair(out, high << 1 | low >> 63, low << 1 ^ reduce);
}

/* out = in / x. out may be in. An odd block becomes even by adding the modulus,
   whose halves are x^127 and x^6 + x + 1. */
static inline void halve_block(uint8_t out[16], const uint8_t in[16])
{
    uint64_t high = load_be64(in), low = load_be64(in + 8);
    uint64_t odd = (uint64_t)0 - ct_barrier((uint32_t)(low & 1));
    store_be64_pair(out, high >> 1 ^ (odd & 0x8000000000000000U),
                    (low >> 1 | high << 63) ^ (odd & 0x43U));
}

#endif
