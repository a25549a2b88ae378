/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GHASH with tables of sixteen bytes.
 *
 * The product of a block x and H, in GF(2^128), is the sum over x's bytes,
 *
 *      x * H = sum of  x[j] * H * X^(8 j)  for j = 0 to 15.
 *
 * A byte has two nibbles, and n * H for the sixteen nibbles n would be a table
 * with entries of 16 bytes. Turned on its side, it is sixteen tables of 16
 * bytes: row[i] has byte i of all n * H. One shuffle of row[i] by x's nibbles
 * gives byte i of x[j] * H for all j at once:
 *
 *      u[i] = row[i] looked up by the high nibbles of x, byte j in its place j
 *           + row[16 + i] by the low nibbles
 *
 * Byte i of x[j] * H belongs to place i + j of the product, so what remains is
 *
 *      x * H = u[0] + u[1] * X^8 + u[2] * X^16 + ... + u[15] * X^120,
 *
 * by Horner's rule, in 256 bits. Multiplying with X^8 moves bytes up by one. The
 * product's upper half is less than 16 bytes by so much that one step, by four
 * more lookups, reduces it.
 *
 * Since the shifts and the reduction are linear, several blocks share them:
 * the lookups of all of a run's blocks, each with its own power of H, go to the
 * same sums u[i].
 *
 *      y' = (y + x1) * H^n  +  x2 * H^(n-1)  + ... +  xn * H
 *
 * Powers lie in memory from the highest to the lowest, so that in each row the
 * tables of a vector's blocks are side by side, and a run of n blocks begins at
 * H^n. Behind H are zeros for blocks past the end, which are zero as well. The
 * powers are made when a run first needs them.
 *
 * GCM numbers a block's bits so that bit 7 of byte 0 is the coefficient of X^0;
 * so bytes go up with the powers of X as they do in memory, and nothing is
 * reversed but bits within bytes, which is the tables' affair.
 *
 * Sources: SP 800-38D section 6. Looking up nibbles in a register is a method of
 * long standing for erasure codes (for instance Anvin, "The mathematics of
 * RAID-6"); rows of all multiples, with one block for a run, are in BoringSSL.
 *
 * Constant time: as vperm.h. How many powers there are depends on lengths.
 */
#ifndef CTAES_VPERM_GHASH_H
#define CTAES_VPERM_GHASH_H

#include "vperm_group.h"

enum {
    RUN = 4, /* vectors in the longest run */
    RUN_BLOCKS = RUN * LANES,
    RUN_BYTES = 16 * RUN_BLOCKS,
    POWERS = RUN_BLOCKS + (LANES > 1 ? LANES : 0)
};

/* H^n is at place RUN_BLOCKS - n. */
struct ctaes_ghash_key {
    _Alignas(64) uint8_t row[32][POWERS][16];
    uint8_t power[RUN_BLOCKS][16];
    uint32_t ready; /* H^1 to H^ready are there; public */
};

/* --- Tables --- */

/* x * X: each byte's lowest bit becomes the next one's highest; the last one's
   is X^128 = 1 + X + X^2 + X^7. */
INLINE vblock times_x(vblock x)
{
    const vblock carries = block_and(_mm_slli_epi32(x, 7), block_bytes(0x80));
    const vblock shifted = block_and(_mm_srli_epi32(x, 1), block_bytes(0x7f));
    const vblock top = _mm_cmplt_epi8(_mm_srli_si128(carries, 15), _mm_setzero_si128());
    const vblock reduced = block_and(top, _mm_cvtsi32_si128(0xe1));
    return block_xor(block_xor(shifted, _mm_slli_si128(carries, 1)), reduced);
}

/*
 * Stores the rows of the table of x * X^3, x * X^2, x * X, x for the index's
 * bits 0 to 3, and returns x * X^4. The sums for the lower two bits and those
 * for the upper two, four each, are interleaved, four bytes for each row; which
 * of them an entry consists of is a matter of shuffles.
 */
INLINE vblock store_table(struct ctaes_ghash_key *hk, size_t first_row, size_t place, vblock x)
{
    const vblock x1 = times_x(x), x2 = times_x(x1), x3 = times_x(x2);
    const vblock zero = _mm_setzero_si128();
    const vblock by_low = _mm_set1_epi32(0x03020100);
    const vblock by_high = _mm_set_epi32(0x03030303, 0x02020202, 0x01010101, 0);
    const vblock low[2] = {zero, x3}, high[2] = {zero, x1};
    const vblock low_more[2] = {x2, block_xor(x2, x3)}, high_more[2] = {x, block_xor(x, x1)};
    const vblock a[2] = {_mm_unpacklo_epi8(low[0], low[1]), _mm_unpackhi_epi8(low[0], low[1])};
    const vblock b[2] = {_mm_unpacklo_epi8(low_more[0], low_more[1]),
                         _mm_unpackhi_epi8(low_more[0], low_more[1])};
    const vblock c[2] = {_mm_unpacklo_epi8(high[0], high[1]), _mm_unpackhi_epi8(high[0], high[1])};
    const vblock d[2] = {_mm_unpacklo_epi8(high_more[0], high_more[1]),
                         _mm_unpackhi_epi8(high_more[0], high_more[1])};
    UNROLL
    for (int half = 0; half < 2; half++) {
        const vblock l[2] = {_mm_unpacklo_epi16(a[half], b[half]),
                             _mm_unpackhi_epi16(a[half], b[half])};
        const vblock h[2] = {_mm_unpacklo_epi16(c[half], d[half]),
                             _mm_unpackhi_epi16(c[half], d[half])};
        UNROLL
        for (int i = 0; i < 8; i++) {
            const vblock at = block_bytes(4 * (i % 4));
            const vblock entry = block_xor(block_shuffle(l[i / 4], _mm_add_epi8(by_low, at)),
                                           block_shuffle(h[i / 4], _mm_add_epi8(by_high, at)));
            block_store(hk->row[first_row + 8 * (size_t)half + (size_t)i][place], entry);
        }
    }
    return times_x(x3);
}

/* Stores H^n and its tables. */
static NOINLINE void store_power(struct ctaes_ghash_key *hk, size_t n, const uint8_t h[16])
{
    const vblock x = block_load(h);
    block_store(hk->power[n - 1], x);
    const vblock y = store_table(hk, 0, RUN_BLOCKS - n, x);
    (void)store_table(hk, 16, RUN_BLOCKS - n, y);
}

/* --- Multiplication --- */

/* Returns the sum of the products of n vectors with the powers from place on. */
INLINE lanes multiply(const struct ctaes_ghash_key *hk, size_t place, const lanes *x, int n)
{
    lanes high[RUN], low[RUN];
    UNROLL
    for (int i = 0; i < n; i++) {
        high[i] = lanes_high_nibbles(x[i]);
        low[i] = lanes_low_nibbles(x[i]);
    }
    lanes below = lanes_zero(), above = lanes_zero();
    for (int r = 15; r >= 0; r--) {
        const uint8_t *p = hk->row[r][place], *q = hk->row[16 + r][place];
        lanes u = lanes_zero();
        UNROLL
        for (int i = 0; i < n; i++) {
            const lanes v = lanes_shuffle(lanes_load(p + i * LANES_BYTES), high[i]);
            const lanes w = lanes_shuffle(lanes_load(q + i * LANES_BYTES), low[i]);
            u = i == 0 ? lanes_xor(v, w) : lanes_xor(u, lanes_xor(v, w));
        }
        above = lanes_up_from(above, below);
        below = lanes_xor(lanes_up(below), u);
    }
    const lanes u = lanes_high_nibbles(above), v = lanes_low_nibbles(above);
    const lanes stay = lanes_xor(lanes_look_up(reduce_high_0, u), lanes_look_up(reduce_low_0, v));
    const lanes next = lanes_xor(lanes_look_up(reduce_high_1, u), lanes_look_up(reduce_low_1, v));
    return lanes_xor(lanes_xor(below, stay), lanes_up(next));
}

/* Makes the powers up to H^n, n up to RUN_BLOCKS, if they are not there. */
static NOINLINE void need_powers(struct ctaes_ghash_key *hk, size_t n)
{
    for (; hk->ready < n; hk->ready++) {
        const lanes x = lanes_of_block(block_load(hk->power[hk->ready - 1]));
        block_store(hk->power[hk->ready], lanes_first(multiply(hk, RUN_BLOCKS - 1, &x, 1)));
        store_power(hk, hk->ready + 1, hk->power[hk->ready]);
    }
}

/* The first vector of a run, with y added to its first block. */
INLINE lanes run_first(vblock y, lanes x)
{
    return lanes_xor(lanes_of_block(y), x);
}

/* Hashes the last nblocks blocks, 1 to RUN_BLOCKS - 1. */
INLINE vblock hash_rest(const struct ctaes_ghash_key *hk, vblock y, const uint8_t *in,
                        size_t nblocks)
{
    const size_t place = RUN_BLOCKS - nblocks;
    lanes x[RUN];
    if (nblocks <= LANES) {
        x[0] = run_first(y, lanes_load_head(in, nblocks));
        return lanes_sum(multiply(hk, place, x, 1));
    }
    if (nblocks <= 2 * LANES) {
        x[0] = run_first(y, lanes_load(in));
        x[1] = lanes_load_head(in + LANES_BYTES, nblocks - LANES);
        return lanes_sum(multiply(hk, place, x, 2));
    }
    x[0] = run_first(y, lanes_load(in));
    x[1] = lanes_load(in + LANES_BYTES);
    if (nblocks <= 3 * LANES) {
        x[2] = lanes_load_head(in + 2 * LANES_BYTES, nblocks - 2 * LANES);
        return lanes_sum(multiply(hk, place, x, 3));
    }
    x[2] = lanes_load(in + 2 * LANES_BYTES);
    x[3] = lanes_load_head(in + 3 * LANES_BYTES, nblocks - 3 * LANES);
    return lanes_sum(multiply(hk, place, x, 4));
}

static NOINLINE void hash_blocks(const struct ctaes_ghash_key *hk, uint8_t y[16], const uint8_t *in,
                                 size_t nblocks)
{
    vblock sum = block_load(y);
    for (; nblocks >= RUN_BLOCKS; nblocks -= RUN_BLOCKS) {
        lanes x[RUN];
        UNROLL
        for (int i = 0; i < RUN; i++)
            x[i] = lanes_load(in + i * LANES_BYTES);
        x[0] = run_first(sum, x[0]);
        sum = lanes_sum(multiply(hk, 0, x, RUN));
        in += RUN_BYTES;
    }
    if (nblocks > 0)
        sum = hash_rest(hk, sum, in, nblocks);
    block_store(y, sum);
}

static void ghash_init(struct ctaes_ghash_key *hk, const uint8_t h[16])
{
    if (LANES > 1)
        for (size_t r = 0; r < 32; r++)
            memset(hk->row[r][RUN_BLOCKS], 0, 16 * (POWERS - RUN_BLOCKS));
    store_power(hk, 1, h);
    hk->ready = 1;
    wipe_block_frames();
}

static void ghash(struct ctaes_ghash_key *hk, uint8_t y[16], const uint8_t *in, size_t nblocks)
{
    if (nblocks == 0)
        return;
    need_powers(hk, nblocks < RUN_BLOCKS ? nblocks : RUN_BLOCKS);
    hash_blocks(hk, y, in, nblocks);
    wipe_few_frames();
}

#endif
