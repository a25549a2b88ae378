/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The portable core for 64-bit CPUs: fixsliced AES, four blocks at a time
 * (fixslice.h), and GHASH by integer multiplication (ghash_ctmul64.h). It asks
 * nothing of the CPU and is right on any, of any byte order; ctmul.h says on
 * which ones GHASH is constant time.
 *
 * What is here is the way from bytes to bits. In memory the rows of a block are
 * innermost, and in the bitsliced layout they must be outermost. With the place
 * of a bit written as the digits of its binary address (b: block, c: column, r:
 * row, i: bit of the byte):
 *
 *                       which word   place in the word
 *     load_batch:       c1 b1 b0     c0 r1 r0 i2 i1 i0
 *     gather_rows:      c0 b1 b0     r1 r0 c1 i2 i1 i0
 *     transpose_bits:   i2 i1 i0     r1 r0 c1 c0 b1 b0
 *
 * A swap_bits of all pairs of words whose numbers differ in one digit exchanges
 * that digit with one of the place: gather_rows does it for the first digit of
 * the number, with those of weight 8, 16 and 32.
 */
#include <stdint.h>

typedef uint64_t word;
#define WORD_BITS 64

#if UINTPTR_MAX < UINT64_MAX
#    define STACK_REGION 2304 /* see wipe_stack */
#endif

#include "fixslice_int.h"
#include "fixslice_key.h"
#include "fixslice_one.h"
#include "ghash_ctmul64.h"

INLINE void load_batch(word s[8], const uint8_t *in)
{
    s[0] = load_le64(in + 0);
    s[1] = load_le64(in + 16);
    s[2] = load_le64(in + 32);
    s[3] = load_le64(in + 48);
    s[4] = load_le64(in + 8);
    s[5] = load_le64(in + 24);
    s[6] = load_le64(in + 40);
    s[7] = load_le64(in + 56);
}

INLINE void store_batch(uint8_t *out, const word s[8])
{
    store_le64(out + 0, s[0]);
    store_le64(out + 16, s[1]);
    store_le64(out + 32, s[2]);
    store_le64(out + 48, s[3]);
    store_le64(out + 8, s[4]);
    store_le64(out + 24, s[5]);
    store_le64(out + 40, s[6]);
    store_le64(out + 56, s[7]);
}

INLINE void gather_rows(word *a, word *b)
{
    swap_bits(a, b, 8, 0x00ff00ff00ff00ff);
    swap_bits(a, b, 16, 0x0000ffff0000ffff);
    swap_bits(a, b, 32, 0x00000000ffffffff);
}

INLINE void scatter_rows(word *a, word *b)
{
    swap_bits(a, b, 32, 0x00000000ffffffff);
    swap_bits(a, b, 16, 0x0000ffff0000ffff);
    swap_bits(a, b, 8, 0x00ff00ff00ff00ff);
}

INLINE_LARGE void bitslice(word s[8], bool turned)
{
    if (turned)
        turn_odd_rows(s);
    gather_rows(&s[0], &s[4]);
    gather_rows(&s[1], &s[5]);
    gather_rows(&s[2], &s[6]);
    gather_rows(&s[3], &s[7]);
    transpose_bits(s);
}

INLINE_LARGE void unbitslice(word s[8], bool turned)
{
    transpose_bits(s);
    scatter_rows(&s[0], &s[4]);
    scatter_rows(&s[1], &s[5]);
    scatter_rows(&s[2], &s[6]);
    scatter_rows(&s[3], &s[7]);
    if (turned)
        turn_odd_rows(s);
}

static NOINLINE void encrypt_one(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in)
{
    one_store(out, one_encrypt(key->one_key, key->rounds, one_load(in)));
}

static NOINLINE void cbc_encrypt_blocks(const struct ctaes_aes_key *key, uint8_t iv[16],
                                        uint8_t *out, const uint8_t *in, size_t nblocks)
{
    struct one_block x = one_load(iv);
    for (; nblocks > 0; nblocks--) {
        const struct one_block p = one_load(in);
        x.low ^= p.low;
        x.high ^= p.high;
        x = one_encrypt(key->one_key, key->rounds, x);
        one_store(out, x);
        in += 16;
        out += 16;
    }
    one_store(iv, x);
}

/* In a row of the key for a single block, its four columns come again and again,
   a bit each. Here each of the four is a nibble. */
INLINE void pack_round_key(struct ctaes_aes_key *key, unsigned k, const uint32_t column[4])
{
    const struct one_block block = {column[0] | (uint64_t)column[1] << 32,
                                    column[2] | (uint64_t)column[3] << 32};
    one_bitslice(key->one_key[k], one_by_rows(block));
    for (unsigned i = 0; i < 8; i++) {
        word x = key->one_key[k][i] & EACH_ROW(0x8421);
        /* Column c is the bit c of nibble c: brings them all to bit 3, and fills
           the nibbles: 16 - 1 for each. */
        x = (x + EACH_ROW(0x0467)) & EACH_ROW(0x8888);
        key->round_key[k][i] = (x << 1) - (x >> 3);
    }
}

/* The functions of struct ctaes_core: workers, each followed by wipe_stack. */

static void encrypt(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in,
                    size_t nblocks)
{
    if (nblocks == 1)
        encrypt_one(key, out, in);
    else
        encrypt_blocks(key, out, in, nblocks);
    wipe_stack();
}

static void decrypt(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in,
                    size_t nblocks)
{
    decrypt_blocks(key, out, in, nblocks);
    wipe_stack();
}

static void cbc_encrypt(const struct ctaes_aes_key *key, uint8_t iv[16], uint8_t *out,
                        const uint8_t *in, size_t nblocks)
{
    cbc_encrypt_blocks(key, iv, out, in, nblocks);
    wipe_stack();
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
    .cbc_encrypt = cbc_encrypt,
};
