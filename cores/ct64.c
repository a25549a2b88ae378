/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The portable core for 64-bit CPUs: fixsliced AES, four blocks at a time
 * (fixslice.h), and GHASH by integer multiplication (ghash_ctmul64.h). Needs
 * nothing but C11, and gives right results on any CPU; see ghash_ctmul.h for
 * those where multiplication takes a time that depends on its operands.
 *
 * What is here is the way from bytes to bits. A word of four columns' bytes
 * would be bitsliced by transpose_bits alone, but the rows must be outermost in
 * a word, and in memory they are innermost. With a bit's place written as the
 * digits of its binary address (b block, c column, r row, i bit of the byte):
 *
 *                       which word   place in the word
 *     load_batch:       c1 b1 b0     c0 r1 r0 i2 i1 i0
 *     gather_rows:      c0 b1 b0     r1 r0 c1 i2 i1 i0
 *     transpose_bits:   i2 i1 i0     r1 r0 c1 c0 b1 b0
 *
 * Each swap_bits of words that differ in one digit of their number exchanges
 * that digit with one digit of the place.
 */
#include <stdint.h>

typedef uint64_t word;
#define WORD_BITS 64

#include "fixslice.h"
#include "ghash_ctmul64.h"

static inline void load_batch(word s[8], const uint8_t *in)
{
    for (int b = 0; b < 4; b++) {
        s[b] = load_le64(in + 16 * b);
        s[b + 4] = load_le64(in + 16 * b + 8);
    }
}

static inline void store_batch(uint8_t *out, const word s[8])
{
    for (int b = 0; b < 4; b++) {
        store_le64(out + 16 * b, s[b]);
        store_le64(out + 16 * b + 8, s[b + 4]);
    }
}

static inline void bitslice(word s[8])
{
    for (int b = 0; b < 4; b++) { /* gather_rows */
        swap_bits(&s[b], &s[b + 4], 8, 0x00ff00ff00ff00ff);
        swap_bits(&s[b], &s[b + 4], 16, 0x0000ffff0000ffff);
        swap_bits(&s[b], &s[b + 4], 32, 0x00000000ffffffff);
    }
    transpose_bits(s);
}

static inline void unbitslice(word s[8])
{
    transpose_bits(s);
    for (int b = 0; b < 4; b++) {
        swap_bits(&s[b], &s[b + 4], 32, 0x00000000ffffffff);
        swap_bits(&s[b], &s[b + 4], 16, 0x0000ffff0000ffff);
        swap_bits(&s[b], &s[b + 4], 8, 0x00ff00ff00ff00ff);
    }
}

const struct ctaes_core ctaes_core_ct64 = {
    .name = "ct64",
    .batch = 4,
    .key_size = sizeof(struct ctaes_aes_key),
    .ghash_size = sizeof(struct ctaes_ghash_key),
    .expand_key = expand_key,
    .encrypt = encrypt,
    .decrypt = decrypt,
    .ghash_init = ghash_init,
    .ghash = ghash,
};
