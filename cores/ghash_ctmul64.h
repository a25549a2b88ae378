/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTAES_GHASH_CTMUL64_H
#define CTAES_GHASH_CTMUL64_H

#include <stdint.h>

typedef uint64_t limb;
#define LIMB_BITS 64
#include "ghash_ctmul.h"

struct ctaes_ghash_key {
    /* H, H^2, ...: three limbs (low, high, sum), forwards and reversed, nine
       values of the classes. */
    limb power[GHASH_POWERS][6][9];
};

/* The limbs that are multiplied: low, high, sum; and these reversed. */
static inline void split_limbs(limb v[6], uint64_t high, uint64_t low)
{
    v[0] = low;
    v[1] = high;
    v[2] = low ^ high;
    v[3] = reverse_nibbles(low);
    v[4] = reverse_nibbles(high);
    v[5] = v[3] ^ v[4];
}

static inline void set_power(limb power[6][9], uint64_t high, uint64_t low)
{
    limb v[6];
    split_limbs(v, high, low);
    for (int i = 0; i < 6; i++)
        split_classes(power[i], v[i]);
}

/* y[1] (high), y[0] = the sum of n products x[t] * H^(n - t). */
static void sum_products(uint64_t y[2], const struct ctaes_ghash_key *hk, const limb x[][6],
                         size_t n)
{
    limb product[6];
    for (int i = 0; i < 6; i++) {
        limb sum[9] = {0};
        for (size_t t = 0; t < n; t++) {
            limb v[9];
            split_classes(v, x[t][i]);
            for (int j = 0; j < 9; j++)
                sum[j] ^= v[j] * hk->power[n - 1 - t][i][j];
        }
        product[i] = i < 3 ? join_low(sum) : join_high(sum);
    }
    const limb low0 = product[0], high0 = product[1];
    const limb low1 = product[3], high1 = product[4];
    uint64_t w0 = low0;
    uint64_t w1 = low1 ^ product[2] ^ low0 ^ high0;
    uint64_t w2 = high0 ^ product[5] ^ low1 ^ high1;
    uint64_t w3 = high1;
    w3 = w3 << 1 | w2 >> 63;
    w2 = w2 << 1 | w1 >> 63;
    w1 = w1 << 1 | w0 >> 63;
    w0 = w0 << 1;
    w1 ^= w0 << 63 ^ w0 << 62 ^ w0 << 57;
    w2 ^= w0 ^ w0 >> 1 ^ w0 >> 2 ^ w0 >> 7;
    w2 ^= w1 << 63 ^ w1 << 62 ^ w1 << 57;
    w3 ^= w1 ^ w1 >> 1 ^ w1 >> 2 ^ w1 >> 7;
    y[0] = w2;
    y[1] = w3;
}

static void ghash_init(struct ctaes_ghash_key *hk, const uint8_t h[16])
{
    uint64_t y[2] = {load_be64(h + 8), load_be64(h)};
    limb x[1][6];
    split_limbs(x[0], y[1], y[0]);
    set_power(hk->power[0], y[1], y[0]);
    for (int i = 1; i < GHASH_POWERS; i++) {
        sum_products(y, hk, x, 1);
        split_limbs(x[0], y[1], y[0]);
        set_power(hk->power[i], y[1], y[0]);
    }
    ct_wipe(x, sizeof x);
    ct_wipe(y, sizeof y);
}

static void ghash(struct ctaes_ghash_key *hk, uint8_t y[16], const uint8_t *in, size_t nblocks)
{
    uint64_t state[2] = {load_be64(y + 8), load_be64(y)};
    limb x[GHASH_POWERS][6];
    while (nblocks > 0) {
        const size_t n = nblocks < GHASH_POWERS ? nblocks : GHASH_POWERS;
        for (size_t t = 0; t < n; t++, in += 16) {
            split_limbs(x[t], load_be64(in) ^ state[1], load_be64(in + 8) ^ state[0]);
            state[0] = state[1] = 0;
        }
        sum_products(state, hk, x, n);
        nblocks -= n;
    }
    store_be64(y, state[1]);
    store_be64(y + 8, state[0]);
    ct_wipe(x, sizeof x);
    ct_wipe(state, sizeof state);
}

#endif
