/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vector-permute AES in counter mode, with cached rounds.
 *
 * COUNTER-MODE CACHING. In a run of counters nearly all bytes stay the same, and
 * AES takes two rounds to mix what changes into all of a block. With only the
 * last byte changing:
 *
 *      counter            round 1             round 2
 *      . . . .            v . . .             v v v v
 *      . . . .   Shift-   v . . .   Shift-    v v v v
 *      . . . .   Rows,    v . . .   Rows,     v v v v
 *      . . . v   Mix-     v . . .   Mix-      v v v v
 *                Columns            Columns
 *
 * In round 1 one byte is substituted instead of sixteen: a vector does it for
 * sixteen blocks a lane. MixColumns spreads it over a column, with coefficients
 * 1, 1, 3, 2 from row 0 down; the other bytes of that column give constants. So
 * in round 2 there are four bytes to substitute for each block, and a vector
 * does it for four blocks a lane. These bytes go to four different columns, and
 * each of a block's sixteen bytes is then a coefficient times one of them, plus
 * a constant. By rows (vperm_rows.h) that is two ANDs,
 *
 *      row r  =  once & mask1[r]  ^  twice & mask2[r]  ^  constant[r]
 *
 * where once and twice have, for four blocks, SubBytes' output and twice it, of
 * the byte that column c depends on, at column c. In sum, what takes 8 vectors
 * for 8 blocks takes half a vector in round 1 and two in round 2.
 *
 * WITHOUT A BRANCH ON THE COUNTER. A counter may be secret (core.h), so where its
 * last byte wraps may not decide what is done. The usual way is to begin
 * anew there. Here a cache is good for 256 blocks from wherever it was made. The last
 * byte wraps at most once among these, so there are two sets of constants, for
 * before and for after the carry into the upper bytes; and a comparison of the
 * last byte with the first counter's tells for each block, as a mask, which one
 * it needs. That is two more operations a row, and no counter is a bad one.
 *
 * What is too little for a cache to pay goes through the groups of vperm_group.h.
 *
 * Sources: D. J. Bernstein, P. Schwabe, "New AES Software Speed Records",
 * INDOCRYPT 2008, for counter-mode caching; M. Hamburg (see vperm.h) for its use
 * with shuffles.
 *
 * Constant time: as vperm.h; counters are only added to and compared by masks.
 */
#ifndef CTAES_VPERM_CTR_H
#define CTAES_VPERM_CTR_H

#include "vperm_group.h"

enum {
    CACHED = 16, /* vectors in a batch of cached counters: one for each byte of a lane */
    CACHED_BLOCKS = CACHED * LANES,
    CACHE_RUN = 256,               /* blocks for which one cache is good */
    CACHE_LEAST = 2 * GROUP_BYTES, /* bytes for which making one pays */
    RUN_FRAMES = 512 + 1088 * LANES
};

static NOINLINE void wipe_run_frames(void)
{
    uint8_t region[RUN_FRAMES];
    wipe_region(region, sizeof region);
}

/* Advances the counter by n, modulo 2^32 in its last four bytes. */
INLINE void counter_add(uint8_t ctr[16], uint32_t n)
{
    store_be32(ctr + 12, load_be32(ctr + 12) + n);
}

/* --- Cached counters --- */

/*
 * What all of a run's blocks have in common. [0] is for the upper three bytes
 * that the counter has at first, and [1] is the difference that a carry into
 * them makes.
 */
struct cache {
    lanes low;        /* the first counter's last byte, in every byte */
    lanes varying[2]; /* round 1's constants for the varying byte of each column */
    lanes rows[4][2]; /* round 2's constants */
};

/* Takes a counter through two rounds as if its last byte's part in each of them
   were 0; in the layout of vperm_vector.h. */
INLINE void make_cache(struct cache *cache, const struct ctaes_aes_key *key, const uint8_t ctr[16])
{
    static const uint8_t but_last[16] = {255, 255, 255, 255, 255, 255, 255, 255,
                                         255, 255, 255, 255, 255, 255, 255, 0};
    static const uint8_t but_varying[16] = {0,   255, 255, 255, 255, 0,   255, 255,
                                            255, 255, 0,   255, 255, 255, 255, 0};
    uint8_t start[2][16];
    memcpy(start[0], ctr, 16);
    memcpy(start[1], ctr, 16);
    counter_add(start[1], 256);
    cache->low = lanes_shuffle(lanes_each_lane(ctr), lanes_bytes(15));
    const lanes first = lanes_each_lane(but_last), second = lanes_each_lane(but_varying);
    UNROLL
    for (int i = 0; i < 2; i++) {
        const lanes x = lanes_encrypt_first(lanes_each_lane(start[i]), key);
        struct lanes_inverse y = lanes_invert(x);
        const lanes z = lanes_mix_columns(lanes_and(lanes_finish(y, enc_1_io, enc_1_jo), first),
                                          lanes_and(lanes_finish(y, enc_2_io, enc_2_jo), first),
                                          lanes_encrypt_ways(1), lanes_each_lane(key->enc[1]));
        cache->varying[i] = lanes_move(z, cached_varying);
        y = lanes_invert(z);
        const lanes w = lanes_mix_columns(lanes_and(lanes_finish(y, enc_1_io, enc_1_jo), second),
                                          lanes_and(lanes_finish(y, enc_2_io, enc_2_jo), second),
                                          lanes_encrypt_ways(2), lanes_each_lane(key->enc[2]));
        UNROLL
        for (int r = 0; r < 4; r++)
            cache->rows[r][i] = lanes_move(w, cached_row[r]);
    }
    cache->varying[1] = lanes_xor(cache->varying[1], cache->varying[0]);
    UNROLL
    for (int r = 0; r < 4; r++)
        cache->rows[r][1] = lanes_xor(cache->rows[r][1], cache->rows[r][0]);
}

/* Makes the rows after round 2 of n vectors, 8 or 16, the first of which are
   the counters that come offset blocks after the cache's first. */
static NOINLINE void cached_rounds(lanes *s, int n, const struct cache *cache,
                                   const struct ctaes_aes_key *key, size_t offset)
{
    static const uint8_t count[16] = {0,          LANES,      2 * LANES,  3 * LANES,
                                      4 * LANES,  5 * LANES,  6 * LANES,  7 * LANES,
                                      8 * LANES,  9 * LANES,  10 * LANES, 11 * LANES,
                                      12 * LANES, 13 * LANES, 14 * LANES, 15 * LANES};
    static const uint8_t by_block[16] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
    const lanes counts = lanes_add8(lanes_each_lane(count), lanes_number());
    const lanes low = lanes_add8(cache->low, lanes_add8(counts, lanes_bytes((int)offset)));
    const lanes carried = lanes_below8(low, cache->low);

    const lanes key_byte = lanes_shuffle(lanes_each_lane(key->enc[0]), lanes_bytes(15));
    const lanes x = lanes_xor(lanes_map(low, enc_in_low, enc_in_high), key_byte);
    const struct lanes_inverse y = lanes_invert(x);
    const lanes a = lanes_finish(y, enc_1_io, enc_1_jo), d = lanes_finish(y, enc_2_io, enc_2_jo);
    const lanes t = lanes_xor(a, d);
    const lanes low01 = lanes_pair8_low(a, d), high01 = lanes_pair8_high(a, d);
    const lanes low23 = lanes_pair8_low(t, a), high23 = lanes_pair8_high(t, a);
    const lanes varying[4] = {lanes_pair16_low(low01, low23), lanes_pair16_high(low01, low23),
                              lanes_pair16_low(high01, high23), lanes_pair16_high(high01, high23)};

    UNROLL
    for (int g = 0; g < 4; g++, s += 4) {
        if (4 * g == n)
            break;
        const lanes four = lanes_add8(lanes_each_lane(by_block), lanes_bytes(4 * g));
        const lanes carry = lanes_shuffle(carried, four);
        const lanes fixed = lanes_xor(cache->varying[0], lanes_and(cache->varying[1], carry));
        const struct lanes_inverse z = lanes_invert(lanes_xor(varying[g], fixed));
        const lanes once = lanes_finish(z, enc_1_io, enc_1_jo);
        const lanes twice = lanes_finish(z, enc_2_io, enc_2_jo);
        UNROLL
        for (int r = 0; r < 4; r++) {
            const lanes rest = lanes_xor(cache->rows[r][0], lanes_and(cache->rows[r][1], carry));
            const lanes sum = lanes_xor(lanes_and(once, lanes_each_lane(cached_mask_1[r])),
                                        lanes_and(twice, lanes_each_lane(cached_mask_2[r])));
            s[r] = lanes_xor(sum, rest);
        }
    }
}

/* --- Any counters --- */

/* n vectors of counter blocks from ctr on. */
INLINE void make_counters(lanes *s, size_t n, const uint8_t ctr[16])
{
    static const uint8_t reverse[16] = {15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
    const lanes order = lanes_each_lane(reverse);
    lanes c = lanes_add32(lanes_shuffle(lanes_each_lane(ctr), order), lanes_number_32());
    const lanes step = lanes_each_block(_mm_set_epi32(0, 0, 0, LANES));
    for (size_t i = 0; i < n; i++) {
        s[i] = lanes_shuffle(c, order);
        c = lanes_add32(c, step);
    }
}

/* --- CTR --- */

/* Goes through at most 256 blocks with one cache; returns how many bytes. len is
   at least a group's. */
INLINE size_t ctr_run(const struct ctaes_aes_key *key, const uint8_t ctr[16], uint8_t *out,
                      const uint8_t *in, size_t len)
{
    struct cache cache;
    lanes s[CACHED];
    uint8_t *p = (uint8_t *)s;
    size_t done = 0;
    make_cache(&cache, key, ctr);
    while (done < 16 * CACHE_RUN && len - done >= GROUP_BYTES) {
        const int n = len - done >= 2 * GROUP_BYTES ? 16 : 8;
        const size_t now = (size_t)n * LANES_BYTES;
        cached_rounds(s, n, &cache, key, done / 16);
        encrypt_8(key, p, p, true);
        if (n == 16)
            encrypt_8(key, p + GROUP_BYTES, p + GROUP_BYTES, true);
        xor_group(out + done, in + done, p, now);
        done += now;
    }
    return done;
}

/* Goes through as much as is worth a cache; returns how many bytes. */
static NOINLINE size_t ctr_cached(const struct ctaes_aes_key *key, uint8_t ctr[16], uint8_t *out,
                                  const uint8_t *in, size_t len)
{
    size_t done = 0;
    while (len - done >= CACHE_LEAST) {
        const size_t now = ctr_run(key, ctr, out + done, in + done, len - done);
        counter_add(ctr, (uint32_t)(now / 16));
        done += now;
    }
    return done;
}

static NOINLINE void ctr_groups(const struct ctaes_aes_key *key, uint8_t ctr[16], uint8_t *out,
                                const uint8_t *in, size_t len)
{
    lanes s[GROUP];
    uint8_t *p = (uint8_t *)s;
    while (len > 0) {
        const size_t n = group_size((len + 15) / 16);
        const size_t now = len < n * LANES_BYTES ? len : n * LANES_BYTES;
        make_counters(s, n, ctr);
        encrypt_group(key, p, p, n);
        xor_group(out, in, p, now);
        counter_add(ctr, (uint32_t)(now / 16));
        in += now;
        out += now;
        len -= now;
    }
}

/* At most one block. */
static NOINLINE void ctr_block(const struct ctaes_aes_key *key, uint8_t ctr[16], uint8_t *out,
                               const uint8_t *in, size_t len)
{
    uint8_t keystream[16];
    encrypt_block(key, keystream, ctr);
    xor_bytes(out, in, keystream, len);
    counter_add(ctr, (uint32_t)(len / 16));
}

static void ctr32(const struct ctaes_aes_key *key, uint8_t ctr[16], uint8_t *out, const uint8_t *in,
                  size_t len)
{
    if (len <= 16) {
        ctr_block(key, ctr, out, in, len);
        wipe_block_frames();
        return;
    }
    if (len >= CACHE_LEAST) {
        const size_t done = ctr_cached(key, ctr, out, in, len);
        wipe_run_frames();
        in += done;
        out += done;
        len -= done;
    }
    if (len > 0) {
        ctr_groups(key, ctr, out, in, len);
        wipe_group_frames((len + 15) / 16);
    }
}

#endif
