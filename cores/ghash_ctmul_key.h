/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The GHASH key of ghash_ctmul.h, over a `limb` of LIMB_BITS bits. PRODUCTS is the
 * number of products of limbs that make up a product of elements.
 */
#ifndef CTAES_GHASH_CTMUL_KEY_H
#define CTAES_GHASH_CTMUL_KEY_H

#include <stddef.h>
#include <stdint.h>

#define LIMBS (128 / LIMB_BITS)
#define POWERS 4 /* of H: blocks per reduction */

struct ctaes_ghash_key {
    limb h[LIMBS];
    /* power[i]: the operands of H^(i + 1), each in values of its classes. */
    limb power[POWERS][PRODUCTS][9];
    size_t npowers; /* how many of them are computed: 1, or all */
};

#endif
