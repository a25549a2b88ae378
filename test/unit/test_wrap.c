/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Key wrap on every core: what isn't intact, in each of the ways in which it can
 * fail to be, gives nothing but zeros; output that overlaps the input; nothing
 * written beyond the output.
 */
#include "topics.h"

#include "../../provider/modes/wrap.h"

#define MOST 64

struct wrapping {
    const struct ctaes_core *core;
    const struct ctaes_aes_key *key;
    bool padded, inverse;
};

static const uint8_t odd_icv[8] = {1, 2, 3, 4, 5, 6, 7, 0xff};

static size_t wrap(const struct wrapping *w, uint8_t *out, const uint8_t *in, size_t len)
{
    if (w->padded)
        return ctaes_wrap_pad(w->core, w->key, w->inverse, odd_icv, out, in, len);
    ctaes_wrap(w->core, w->key, w->inverse, odd_icv, out, in, len);
    return len + 8;
}

/* Returns the mask; *out_len is what the output's length is if it is set. */
static uint32_t unwrap(const struct wrapping *w, const uint8_t *icv, uint8_t *out, size_t *out_len,
                       const uint8_t *in, size_t len)
{
    uint32_t padding = 0, good;
    if (w->padded)
        good = ctaes_unwrap_pad(w->core, w->key, w->inverse, icv, out, in, len, &padding);
    else
        good = ctaes_unwrap(w->core, w->key, w->inverse, icv, out, in, len);
    *out_len = len - 8 - padding;
    return good;
}

/* Demands that an unwrapping fails, and what it leaves. */
static void check_refused(const struct wrapping *w, const uint8_t *icv, const uint8_t *in,
                          size_t len)
{
    static const uint8_t zeros[MOST + 16];
    uint8_t out[MOST + 16];
    size_t out_len;
    memset(out, 0xcc, sizeof out);
    expect(unwrap(w, icv, out, &out_len, in, len) == 0, "what isn't intact was accepted");
    expect_bytes("what is left", out, zeros, len - 8);
    expect(out[len - 8] == 0xcc, "wrote beyond the output");
}

static void check_length(const struct wrapping *w, size_t len)
{
    uint8_t plain[MOST], wrapped[MOST + 16], area[3 * MOST], out[MOST + 16];
    random_bytes(plain, len);
    size_t wrapped_len = wrap(w, wrapped, plain, len), out_len = 0;
    at.len = len;

    uint32_t good = unwrap(w, odd_icv, out, &out_len, wrapped, wrapped_len);
    expect(good == ~0U && out_len == len, "what is intact was refused, or has %zu bytes", out_len);
    expect_bytes("the plaintext", out, plain, len);
    for (size_t bit = len % 7; bit < wrapped_len * 8; bit += len <= 17 ? 1 : 7) {
        wrapped[bit / 8] ^= (uint8_t)(1U << (bit % 8));
        check_refused(w, odd_icv, wrapped, wrapped_len);
        wrapped[bit / 8] ^= (uint8_t)(1U << (bit % 8));
    }
    for (size_t bit = 0; bit < (w->padded ? 32 : 64); bit += 3) {
        uint8_t icv[8];
        memcpy(icv, odd_icv, 8);
        icv[bit / 8] ^= (uint8_t)(1U << (bit % 8));
        check_refused(w, icv, wrapped, wrapped_len);
    }

    /* Any overlap. */
    for (size_t at_out = 0; at_out <= 40; at_out += 5) {
        memcpy(area + 20, plain, len);
        wrap(w, area + at_out, area + 20, len);
        expect_bytes("the ciphertext, overlapping", area + at_out, wrapped, wrapped_len);
        memcpy(area + 20, wrapped, wrapped_len);
        expect(unwrap(w, odd_icv, area + at_out, &out_len, area + 20, wrapped_len) == ~0U,
               "refused, overlapping");
        expect_bytes("the plaintext, overlapping", area + at_out, plain, len);
    }
}

/*
 * With padding: lengths and paddings that no wrapping makes, under a check value
 * that is right. KW under the 64 bits that KWP would have used is KWP.
 */
static void check_forged(const struct wrapping *w, size_t semiblocks)
{
    uint8_t plain[MOST], a[8], wrapped[MOST + 16], out[MOST + 16];
    size_t padded_len = 8 * semiblocks, out_len = 0;
    static const uint32_t offsets[] = {0x80000000U, 0x7fffffffU, 0xffffffffU, 0x40000000U, 256, 64,
                                       16,          9,           8,           7,           1,   0};
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        for (int below = 0; below < 2; below++) {
            uint32_t length = (uint32_t)padded_len + (below ? 0U - offsets[i] : offsets[i]);
            for (size_t zeros = 0; zeros <= 8; zeros++) {
                random_bytes(plain, padded_len);
                plain[padded_len - 1 - (zeros < 8 ? zeros : 7)] = 0x40;
                memset(plain + padded_len - zeros, 0, zeros);
                memcpy(a, odd_icv, 4);
                for (int b = 0; b < 4; b++)
                    a[4 + b] = (uint8_t)(length >> (24 - 8 * b));
                if (semiblocks == 1) {
                    uint8_t block[16];
                    memcpy(block, a, 8);
                    memcpy(block + 8, plain, 8);
                    (w->inverse ? w->core->decrypt : w->core->encrypt)(w->key, wrapped, block, 1);
                } else {
                    ctaes_wrap(w->core, w->key, w->inverse, a, wrapped, plain, padded_len);
                }
                at.detail = "length";
                at.number = length;
                bool good =
                    length <= padded_len && length + 8 > padded_len && padded_len - length <= zeros;
                if (!good) {
                    check_refused(w, odd_icv, wrapped, padded_len + 8);
                    continue;
                }
                uint32_t mask = unwrap(w, odd_icv, out, &out_len, wrapped, padded_len + 8);
                expect(mask == ~0U && out_len == length, "refused, or %zu bytes, with %zu of zeros",
                       out_len, zeros);
                expect_bytes("the plaintext with its padding", out, plain, padded_len);
            }
        }
    }
}

void test_wrap(const struct setup *s)
{
    struct keys keys;
    random_keys(&keys, s);
    for (int kind = 0; kind < 4; kind++) {
        struct wrapping w = {s->core, keys.aes, (kind & 1) != 0, (kind & 2) != 0};
        at.step = kind == 0   ? "WRAP"
                  : kind == 1 ? "WRAP-PAD"
                  : kind == 2 ? "WRAP-INV"
                              : "WRAP-PAD-INV";
        for (size_t len = w.padded ? 1 : 16; len <= 40; len += w.padded ? 1 : 8)
            check_length(&w, len);
        for (size_t semiblocks = 1; w.padded && semiblocks <= 4; semiblocks++)
            check_forged(&w, semiblocks);
    }
    free_keys(&keys);
}
