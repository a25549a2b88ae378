/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vector-permute AES on as many blocks as are worked on at once, and how what
 * that leaves on the stack is wiped.
 *
 * Blocks go through in groups, because each round is a chain of a dozen
 * instructions that wait for each other, and the CPU could do several at once:
 *
 *      8 vectors      by rows (vperm_rows.h), two times four interleaved
 *      4 vectors      by rows
 *      2, 1 vectors   a block a lane (vperm_vector.h)
 *      1 block        the same in a register of one block, where shorter paths
 *                     count for more than fewer instructions
 *
 * Seven vectors' blocks, and three's, are done as eight's and four's: that takes
 * less time than in two groups.
 *
 * WIPING. Functions come in two layers, since compilers keep secrets in places
 * on the stack that have no name in C: a worker, and after it a function that
 * overwrites the region where the worker's frame was and those below it. How
 * deep that is depends on the path taken, and for one block it should be little.
 * Measured with gcc 12 and clang 14 from -O1 to -O3 and -Os, as bytes of stack
 * that depend on key or data:
 *
 *                one block   1 or 2 vectors   up to 8   cached CTR   GHASH
 *      lanes128      128            320           624        1040        208
 *      lanes256      128            624          1488        2640        368
 *      lanes512      128           1104          1680        3856        656
 *
 * Constant time: as vperm.h; branches are on numbers of blocks.
 */
#ifndef CTAES_VPERM_GROUP_H
#define CTAES_VPERM_GROUP_H

#include "bytes.h"
#include "vperm_rows.h"

enum {
    LANES_BYTES = 16 * LANES,
    GROUP = 8, /* vectors in the largest group */
    GROUP_BYTES = GROUP * LANES_BYTES,
    BLOCK_FRAMES = 192,
    FEW_FRAMES = 128 + 256 * LANES,
    MANY_FRAMES = 256 + 640 * LANES
};

/* Through a pointer of which the compiler knows nothing, or else it aligns the
   region for wider stores, and leaves a gap above it. */
INLINE void wipe_region(uint8_t *p, size_t len)
{
    __asm__("" : "+r"(p));
#ifndef CTAES_UNCLEARED /* which `make bench-clearing` defines */
    for (size_t i = 0; i < len; i += 64)
        ct_wipe(p + i, 64);
#else
    (void)len;
#endif
}

static NOINLINE void wipe_block_frames(void)
{
    uint8_t region[BLOCK_FRAMES];
    wipe_region(region, sizeof region);
}

static NOINLINE void wipe_few_frames(void)
{
    uint8_t region[FEW_FRAMES];
    wipe_region(region, sizeof region);
}

static NOINLINE void wipe_many_frames(void)
{
    uint8_t region[MANY_FRAMES];
    wipe_region(region, sizeof region);
}

/* After a worker on nblocks blocks. */
INLINE void wipe_group_frames(size_t nblocks)
{
    if (nblocks <= 2 * LANES)
        wipe_few_frames();
    else
        wipe_many_frames();
}

/* --- One block, and groups of vectors --- */

/* Each of these reads all of its input before it writes any output. */

static NOINLINE void encrypt_block(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in)
{
    const uint32_t rounds = key->rounds;
    vblock x = block_encrypt_first(block_load(in), key);
    for (uint32_t r = 1; r < rounds; r++)
        x = block_encrypt_round_alone(x, block_encrypt_ways(r), block_load(key->enc[r]));
    block_store(out, block_encrypt_last(x, key));
}

static NOINLINE void decrypt_block(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in)
{
    const uint32_t rounds = key->rounds;
    vblock x = block_decrypt_first(block_load(in), key);
    for (uint32_t r = 1; r < rounds; r++)
        x = block_decrypt_round(x, block_decrypt_ways(r), block_load(key->dec[r]));
    block_store(out, block_decrypt_last(x, key));
}

/* One or two vectors. */
INLINE void encrypt_few(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in, int n)
{
    const uint32_t rounds = key->rounds;
    lanes s[2];
    UNROLL
    for (int i = 0; i < n; i++)
        s[i] = lanes_encrypt_first(lanes_load(in + i * LANES_BYTES), key);
    for (uint32_t r = 1; r < rounds; r++) {
        const struct lanes_ways ways = lanes_encrypt_ways(r);
        const lanes k = lanes_each_lane(key->enc[r]);
        UNROLL
        for (int i = 0; i < n; i++)
            s[i] = n == 1 ? lanes_encrypt_round_alone(s[i], ways, k)
                          : lanes_encrypt_round(s[i], ways, k);
    }
    UNROLL
    for (int i = 0; i < n; i++)
        lanes_store(out + i * LANES_BYTES, lanes_encrypt_last(s[i], key));
}

INLINE void decrypt_few(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in, int n)
{
    const uint32_t rounds = key->rounds;
    lanes s[2];
    UNROLL
    for (int i = 0; i < n; i++)
        s[i] = lanes_decrypt_first(lanes_load(in + i * LANES_BYTES), key);
    for (uint32_t r = 1; r < rounds; r++) {
        const struct lanes_ways ways = lanes_decrypt_ways(r);
        const lanes k = lanes_each_lane(key->dec[r]);
        UNROLL
        for (int i = 0; i < n; i++)
            s[i] = lanes_decrypt_round(s[i], ways, k);
    }
    UNROLL
    for (int i = 0; i < n; i++)
        lanes_store(out + i * LANES_BYTES, lanes_decrypt_last(s[i], key));
}

INLINE void load_four(lanes x[4], const uint8_t *in)
{
    UNROLL
    for (int i = 0; i < 4; i++)
        x[i] = lanes_load(in + i * LANES_BYTES);
}

INLINE void store_four(uint8_t *out, const lanes x[4])
{
    UNROLL
    for (int i = 0; i < 4; i++)
        lanes_store(out + i * LANES_BYTES, x[i]);
}

/* n times four vectors. cached: in has rows after the second round. */
INLINE void encrypt_many(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in, int n,
                         bool cached)
{
    const uint32_t rounds = key->rounds;
    lanes s[2][4];
    UNROLL
    for (int g = 0; g < n; g++) {
        load_four(s[g], in + 4 * g * LANES_BYTES);
        if (cached)
            rows_shift(s[g]);
        else
            rows_encrypt_first(s[g], key->enc_rows[0]);
    }
    for (uint32_t r = cached ? 3 : 1; r < rounds; r++) {
        UNROLL
        for (int g = 0; g < n; g++) {
            rows_encrypt_round(s[g], key->enc_rows[r]);
            rows_shift(s[g]);
        }
    }
    UNROLL
    for (int g = 0; g < n; g++) {
        rows_encrypt_last(s[g], key->enc_rows[rounds]);
        store_four(out + 4 * g * LANES_BYTES, s[g]);
    }
}

INLINE void decrypt_many(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in, int n)
{
    const uint32_t rounds = key->rounds;
    lanes s[2][4];
    UNROLL
    for (int g = 0; g < n; g++) {
        load_four(s[g], in + 4 * g * LANES_BYTES);
        rows_decrypt_first(s[g], key->dec_rows[0]);
    }
    for (uint32_t r = 1; r < rounds; r++) {
        UNROLL
        for (int g = 0; g < n; g++) {
            rows_decrypt_round(s[g], key->dec_rows[r]);
            rows_shift_back(s[g]);
        }
    }
    UNROLL
    for (int g = 0; g < n; g++) {
        rows_decrypt_last(s[g], key->dec_rows[rounds]);
        store_four(out + 4 * g * LANES_BYTES, s[g]);
    }
}

static NOINLINE void encrypt_1(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in)
{
    encrypt_few(key, out, in, 1);
}

static NOINLINE void encrypt_2(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in)
{
    encrypt_few(key, out, in, 2);
}

static NOINLINE void encrypt_4(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in)
{
    encrypt_many(key, out, in, 1, false);
}

static NOINLINE void encrypt_8(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in,
                               bool cached)
{
    encrypt_many(key, out, in, 2, cached);
}

static NOINLINE void decrypt_1(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in)
{
    decrypt_few(key, out, in, 1);
}

static NOINLINE void decrypt_2(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in)
{
    decrypt_few(key, out, in, 2);
}

static NOINLINE void decrypt_4(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in)
{
    decrypt_many(key, out, in, 1);
}

static NOINLINE void decrypt_8(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in)
{
    decrypt_many(key, out, in, 2);
}

/* The vectors to work on next where nblocks remain: 1, 2, 4 or 8. */
INLINE size_t group_size(size_t nblocks)
{
    const size_t n = (nblocks + LANES - 1) / LANES;
    return n >= 7 ? 8 : n >= 3 ? 4 : n;
}

/* n vectors, as group_size says. */
INLINE void encrypt_group(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in,
                          size_t n)
{
    if (n == 8)
        encrypt_8(key, out, in, false);
    else if (n == 4)
        encrypt_4(key, out, in);
    else if (n == 2)
        encrypt_2(key, out, in);
    else if (LANES > 1)
        encrypt_1(key, out, in);
    else
        encrypt_block(key, out, in);
}

INLINE void decrypt_group(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in,
                          size_t n)
{
    if (n == 8)
        decrypt_8(key, out, in);
    else if (n == 4)
        decrypt_4(key, out, in);
    else if (n == 2)
        decrypt_2(key, out, in);
    else if (LANES > 1)
        decrypt_1(key, out, in);
    else
        decrypt_block(key, out, in);
}

/* Copies blocks. Compilers make a call of memcpy from a loop that does just
   that, and then the data is in libc's registers too. */
INLINE void copy_blocks(uint8_t *out, const uint8_t *in, size_t nblocks)
{
    for (size_t i = 0; i < 16 * nblocks; i += 16) {
        vblock x = block_load(in + i);
        block_settle(&x);
        block_store(out + i, x);
    }
}

/* out = a ^ b over len bytes. */
INLINE void xor_group(uint8_t *out, const uint8_t *a, const uint8_t *b, size_t len)
{
    size_t i = 0;
    for (; i + LANES_BYTES <= len; i += LANES_BYTES)
        lanes_store(out + i, lanes_xor(lanes_load(a + i), lanes_load(b + i)));
    xor_bytes(out + i, a + i, b + i, len - i);
}

#endif
