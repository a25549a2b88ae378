/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Key wrap (SP 800-38F section 6; RFC 3394, RFC 5649).
 *
 * The function W mixes n semiblocks of 8 bytes and a check value A of 8 bytes in
 * 6 n steps, t = 1 ... 6 n, six times from the first semiblock to the last:
 *
 *        A    R[i]                W^-1 runs the steps backwards with the
 *        └─┬──┘                   inverse of E, and A comes out again.
 *          E
 *        ┌─┴──┐
 *    t ─▶^    │
 *        A    R[i]
 *
 * KW wraps under the A of RFC 3394. KWP pads with zeros to whole semiblocks,
 * and its A holds a constant and the length:
 *
 *    │ A65959A6 │ length, 4 bytes, big-endian │
 *
 * A single semiblock is no work for W: KWP encrypts it with A as one block.
 *
 * Every step needs the one before. Nothing here is parallel, and a wrapped key
 * is short; so this is one block at a time.
 *
 * Constant time: what is wrapped, and after unwrapping A, the length in it and
 * the padding, are secret until all three are known to be right. The checks
 * are masks; so is what destroys the output if they fail. t is public.
 */
#include "wrap.h"

#include "mode.h"
#include "../../cores/bytes.h"
#include "../../cores/ct.h"

#include <string.h>

const uint8_t ctaes_wrap_icv[8] = {0xa6, 0xa6, 0xa6, 0xa6, 0xa6, 0xa6, 0xa6, 0xa6};
const uint8_t ctaes_wrap_pad_icv[4] = {0xa6, 0x59, 0x59, 0xa6};

typedef void (*block_fn)(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in,
                         size_t nblocks);

/* W over a and the n semiblocks of r; f is E. Returns the new a. */
static uint64_t mix_forwards(block_fn f, const struct ctaes_aes_key *key, uint64_t a, uint8_t *r,
                             size_t n)
{
    uint8_t block[16];
    uint64_t t = 1;
    for (int round = 0; round < 6; round++) {
        for (size_t i = 0; i < n; i++, t++) {
            store_be64_pair(block, a, load_be64(r + 8 * i));
            f(key, block, block, 1);
            a = load_be64(block) ^ t;
            memcpy(r + 8 * i, block + 8, 8);
        }
    }
    ct_wipe(block, sizeof block);
    return a;
}

/* W^-1; f is the inverse of E. */
static uint64_t mix_backwards(block_fn f, const struct ctaes_aes_key *key, uint64_t a, uint8_t *r,
                              size_t n)
{
    uint8_t block[16];
    uint64_t t = 6 * (uint64_t)n;
    for (int round = 0; round < 6; round++) {
        for (size_t i = n; i-- > 0; t--) {
            store_be64_pair(block, a ^ t, load_be64(r + 8 * i));
            f(key, block, block, 1);
            a = load_be64(block);
            memcpy(r + 8 * i, block + 8, 8);
        }
    }
    ct_wipe(block, sizeof block);
    return a;
}

/* Clears len bytes unless good, a secret mask. */
static void keep_if(uint32_t good, uint8_t *p, size_t len)
{
    for (size_t i = 0; i < len; i++)
        p[i] &= (uint8_t)ct_barrier(good);
}

/* Returns the mask of a == b. */
static uint32_t equal64(uint64_t a, uint64_t b)
{
    uint64_t difference = a ^ b;
    return ct_is_zero((uint32_t)(difference >> 32) | (uint32_t)difference);
}

void ctaes_wrap(const struct ctaes_core *core, const struct ctaes_aes_key *key, bool inverse,
                const uint8_t icv[8], uint8_t *out, const uint8_t *in, size_t len)
{
    memmove(out + 8, in, len);
    uint64_t a = mix_forwards(inverse ? core->decrypt : core->encrypt, key, load_be64(icv), out + 8,
                              len / 8);
    store_be64(out, a);
}

uint32_t ctaes_unwrap(const struct ctaes_core *core, const struct ctaes_aes_key *key, bool inverse,
                      const uint8_t icv[8], uint8_t *out, const uint8_t *in, size_t len)
{
    uint64_t a = load_be64(in);
    memmove(out, in + 8, len - 8);
    a = mix_backwards(inverse ? core->encrypt : core->decrypt, key, a, out, len / 8 - 1);
    uint32_t good = equal64(a, load_be64(icv));
    keep_if(good, out, len - 8);
    return good;
}

size_t ctaes_wrap_pad(const struct ctaes_core *core, const struct ctaes_aes_key *key, bool inverse,
                      const uint8_t icv[4], uint8_t *out, const uint8_t *in, size_t len)
{
    block_fn f = inverse ? core->decrypt : core->encrypt;
    size_t n = (len + 7) / 8;
    uint64_t a = (uint64_t)load_be32(icv) << 32 | (uint32_t)len;
    memmove(out + 8, in, len);
    memset(out + 8 + len, 0, 8 * n - len);
    if (n == 1) {
        store_be64(out, a);
        f(key, out, out, 1);
    } else {
        store_be64(out, mix_forwards(f, key, a, out + 8, n));
    }
    return 8 * n + 8;
}

uint32_t ctaes_unwrap_pad(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                          bool inverse, const uint8_t icv[4], uint8_t *out, const uint8_t *in,
                          size_t len, uint32_t *padding)
{
    block_fn f = inverse ? core->encrypt : core->decrypt;
    size_t n = len / 8 - 1;
    uint64_t a;
    if (n == 1) {
        uint8_t block[16];
        f(key, block, in, 1);
        a = load_be64(block);
        memcpy(out, block + 8, 8);
        ct_wipe(block, sizeof block);
    } else {
        a = load_be64(in);
        memmove(out, in + 8, 8 * n);
        a = mix_backwards(f, key, a, out, n);
    }

    uint32_t good = ct_eq((uint32_t)(a >> 32), load_be32(icv));
    /* 8 (n - 1) < length <= 8 n, as one comparison: with any other length the
       difference, which is taken modulo 2^32, is 8 or more. */
    uint32_t pad = (uint32_t)(8 * n) - (uint32_t)a;
    good &= ct_is_zero(pad >> 3);
    pad &= 7;
    uint32_t nonzero = 0;
    for (uint32_t i = 1; i < 8; i++)
        nonzero |= ~ct_lt(pad, i) & out[8 * n - i]; /* the last pad bytes */
    good &= ct_is_zero(nonzero);
    keep_if(good, out, 8 * n);
    *padding = pad;
    return good;
}

/* clang-format off */
#define WRAP_MODE(label, check_len, decryption_is_inverse)                                         \
    {                                                                                              \
        .name = label, .kind = CTAES_OWN, .evp_mode = 0x10002, .block_size = 8,                    \
        .iv_len = check_len, .custom_iv = true, .inverse_cipher = decryption_is_inverse            \
    }
/* clang-format on */

const struct ctaes_mode ctaes_mode_wrap = WRAP_MODE("WRAP", 8, true);
const struct ctaes_mode ctaes_mode_wrap_pad = WRAP_MODE("WRAP-PAD", 4, true);
const struct ctaes_mode ctaes_mode_wrap_inv = WRAP_MODE("WRAP-INV", 8, false);
const struct ctaes_mode ctaes_mode_wrap_pad_inv = WRAP_MODE("WRAP-PAD-INV", 4, false);
