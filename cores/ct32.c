/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The portable core for 32-bit CPUs: fixsliced AES, two blocks at a time
 * (fixslice.h), and GHASH by integer multiplication (ghash_ctmul32.h). Needs
 * nothing but C11.
 *
 * What is here is the way from bytes to bits. With a bit's place written as the
 * digits of its binary address (b block, c column, r row, i bit of the byte):
 *
 *                       which word   place in the word
 *     load_batch:       c1 c0 b0     r1 r0 i2 i1 i0
 *     transpose_bits:   i2 i1 i0     r1 r0 c1 c0 b0
 */
#include <stdint.h>

typedef uint32_t word;
#define WORD_BITS 32

#include "fixslice.h"
#include "ghash_ctmul32.h"

static inline void load_batch(word s[8], const uint8_t *in)
{
    for (int column = 0; column < 4; column++) {
        s[2 * column] = load_le32(in + 4 * column);
        s[2 * column + 1] = load_le32(in + 16 + 4 * column);
    }
}

static inline void store_batch(uint8_t *out, const word s[8])
{
    for (int column = 0; column < 4; column++) {
        store_le32(out + 4 * column, s[2 * column]);
        store_le32(out + 16 + 4 * column, s[2 * column + 1]);
    }
}

static inline void bitslice(word s[8])
{
    transpose_bits(s);
}

static inline void unbitslice(word s[8])
{
    transpose_bits(s);
}

const struct ctaes_core ctaes_core_ct32 = {
    .name = "ct32",
    .batch = 2,
    .key_size = sizeof(struct ctaes_aes_key),
    .ghash_size = sizeof(struct ctaes_ghash_key),
    .expand_key = expand_key,
    .encrypt = encrypt,
    .decrypt = decrypt,
    .ghash_init = ghash_init,
    .ghash = ghash,
};
