/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The portable core for 32-bit CPUs: fixsliced AES, two blocks at a time
 * (fixslice.h), and GHASH by integer multiplication (ghash_ctmul32.h). It asks
 * nothing of the CPU and is right on any, of any byte order; ctmul.h says on
 * which ones GHASH is constant time.
 *
 * What is here is the way from bytes to bits. With the place of a bit written as
 * the digits of its binary address (b: block, c: column, r: row, i: bit of the
 * byte):
 *
 *                       which word   place in the word
 *     load_batch:       c1 c0 b0     r1 r0 i2 i1 i0
 *     transpose_bits:   i2 i1 i0     r1 r0 c1 c0 b0
 *
 * A swap_bits of all pairs of words whose numbers differ in one digit exchanges
 * that digit with one of the place.
 */
#include <stdint.h>

typedef uint32_t word;
#define WORD_BITS 32

#include "fixslice_int.h"
#include "fixslice_key.h"
#include "ghash_ctmul32.h"

INLINE void load_batch(word s[8], const uint8_t *in)
{
    s[0] = load_le32(in + 0);
    s[1] = load_le32(in + 16);
    s[2] = load_le32(in + 4);
    s[3] = load_le32(in + 20);
    s[4] = load_le32(in + 8);
    s[5] = load_le32(in + 24);
    s[6] = load_le32(in + 12);
    s[7] = load_le32(in + 28);
}

INLINE void store_batch(uint8_t *out, const word s[8])
{
    store_le32(out + 0, s[0]);
    store_le32(out + 16, s[1]);
    store_le32(out + 4, s[2]);
    store_le32(out + 20, s[3]);
    store_le32(out + 8, s[4]);
    store_le32(out + 24, s[5]);
    store_le32(out + 12, s[6]);
    store_le32(out + 28, s[7]);
}

INLINE_LARGE void bitslice(word s[8], bool turned)
{
    if (turned)
        turn_odd_rows(s);
    transpose_bits(s);
}

INLINE_LARGE void unbitslice(word s[8], bool turned)
{
    transpose_bits(s);
    if (turned)
        turn_odd_rows(s);
}

INLINE void pack_round_key(struct ctaes_aes_key *key, unsigned k, const uint32_t column[4])
{
    word *s = key->round_key[k];
    for (unsigned c = 0; c < 4; c++)
        s[2 * c] = s[2 * c + 1] = column[c];
    bitslice(s, false);
}

/* The functions of struct ctaes_core: workers, each followed by wipe_stack. */

static void encrypt(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in,
                    size_t nblocks)
{
    encrypt_blocks(key, out, in, nblocks);
    wipe_stack();
}

static void decrypt(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in,
                    size_t nblocks)
{
    decrypt_blocks(key, out, in, nblocks);
    wipe_stack();
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
