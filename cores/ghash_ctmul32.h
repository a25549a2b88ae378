/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTAES_GHASH_CTMUL32_H
#define CTAES_GHASH_CTMUL32_H

#include <stdint.h>

typedef uint32_t limb;
#define LIMB_BITS 32
#include "ghash_ctmul.h"

struct ctaes_ghash_key {
    /* H, H^2, ...: nine values of the limbs, forwards and reversed, nine values
       of the classes of each. */
    limb power[GHASH_POWERS][18][9];
};

static inline void split_limbs(limb v[18], const uint32_t a[4])
{
    evaluate(v, a[0], a[1], a[2], a[3]);
    for (int i = 0; i < 9; i++)
        v[9 + i] = reverse_nibbles(v[i]);
}

static inline void set_power(limb power[18][9], const uint32_t a[4])
{
    limb v[18];
    split_limbs(v, a);
    for (int i = 0; i < 18; i++)
        split_classes(power[i], v[i]);
}

static void sum_products(uint32_t y[4], const struct ctaes_ghash_key *hk, const limb x[][18],
                         size_t n)
{
    limb product[18];
    for (int i = 0; i < 18; i++) {
        limb sum[9] = {0};
        for (size_t t = 0; t < n; t++) {
            limb v[9];
            split_classes(v, x[t][i]);
            for (int j = 0; j < 9; j++)
                sum[j] ^= v[j] * hk->power[n - 1 - t][i][j];
        }
        product[i] = i < 9 ? join_low(sum) : join_high(sum);
    }
    limb low[7], high[7];
    interpolate(low, product);
    interpolate(high, product + 9);
    uint32_t w[8];
    w[0] = low[0];
    for (int i = 1; i < 7; i++)
        w[i] = low[i] ^ high[i - 1];
    w[7] = high[6];
    for (int i = 7; i > 0; i--)
        w[i] = w[i] << 1 | w[i - 1] >> 31;
    w[0] <<= 1;
    for (int i = 0; i < 4; i++) {
        w[i + 3] ^= w[i] << 31 ^ w[i] << 30 ^ w[i] << 25;
        w[i + 4] ^= w[i] ^ w[i] >> 1 ^ w[i] >> 2 ^ w[i] >> 7;
    }
    for (int i = 0; i < 4; i++)
        y[i] = w[i + 4];
}

static void load_element(uint32_t a[4], const uint8_t b[16])
{
    for (int i = 0; i < 4; i++)
        a[i] = load_be32(b + 12 - 4 * i);
}

static void ghash_init(struct ctaes_ghash_key *hk, const uint8_t h[16])
{
    uint32_t y[4];
    limb x[1][18];
    load_element(y, h);
    split_limbs(x[0], y);
    set_power(hk->power[0], y);
    for (int i = 1; i < GHASH_POWERS; i++) {
        sum_products(y, hk, x, 1);
        split_limbs(x[0], y);
        set_power(hk->power[i], y);
    }
    ct_wipe(x, sizeof x);
    ct_wipe(y, sizeof y);
}

static void ghash(struct ctaes_ghash_key *hk, uint8_t y[16], const uint8_t *in, size_t nblocks)
{
    uint32_t state[4];
    limb x[GHASH_POWERS][18];
    load_element(state, y);
    while (nblocks > 0) {
        const size_t n = nblocks < GHASH_POWERS ? nblocks : GHASH_POWERS;
        for (size_t t = 0; t < n; t++, in += 16) {
            uint32_t a[4];
            load_element(a, in);
            for (int i = 0; i < 4; i++) {
                a[i] ^= state[i];
                state[i] = 0;
            }
            split_limbs(x[t], a);
        }
        sum_products(state, hk, x, n);
        nblocks -= n;
    }
    for (int i = 0; i < 4; i++)
        store_be32(y + 12 - 4 * i, state[i]);
    ct_wipe(x, sizeof x);
    ct_wipe(state, sizeof state);
}

#endif
