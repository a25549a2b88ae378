/* SPDX-License-Identifier: Apache-2.0 */
/*
 * XTS (IEEE 1619-2018 section 5, SP 800-38E): each block of a data unit is
 * encrypted under a tweak of its own, added before and after.
 *
 *      iv ─▶ E(Key2) ─▶ T ──── × x ────▶ T·x ─── × x ────▶ T·x²  ...
 *                       │                 │                 │
 *                 P0 ─▶ ⊕           P1 ─▶ ⊕           P2 ─▶ ⊕
 *                       ▼                 ▼                 ▼
 *                    E(Key1)           E(Key1)           E(Key1)
 *                       ▼                 ▼                 ▼
 *                 T ──▶ ⊕          T·x ─▶ ⊕         T·x² ─▶ ⊕
 *                       ▼                 ▼                 ▼
 *                       C0                C1                C2
 *
 * The blocks don't depend on each other: the core gets as many as there are.
 *
 * A last part of r bytes is encrypted by stealing the rest of a block from the
 * ciphertext before it. With E_j, D_j for the cipher under tweak j, and a data
 * unit of m blocks and r bytes:
 *
 *      encryption:   E_{m-1}(P_{m-1}) = C_m │ s        C_{m-1} = E_m(P_m │ s)
 *                                       r   │ 16 - r
 *      decryption:   D_m(C_{m-1}) = P_m │ s            P_{m-1} = D_{m-1}(C_m │ s)
 *
 * so that decryption uses the last two tweaks in the other order.
 *
 * Tweaks are elements of GF(2^128), little-endian: the polynomial's bit i is bit
 * i % 8 of byte i / 8. Times x is a shift by one bit through two words, and what
 * falls out at the top comes back as x^7 + x^2 + x + 1:
 *
 *            high                       low
 *      ◀── 63 ... 0 ◀──────────── 63 ... 0 ◀── 0
 *      │                             ▲
 *      └──────────── 0x87 · ─────────┘
 *
 * Constant time: the tweaks are secret, and all that is done with them is shifts
 * by constants, XOR and the core's functions. Lengths and the IV are public.
 */
#include "xts.h"

#include "../../cores/bytes.h"
#include "../../cores/ct.h"

/* Blocks per call of the core: a multiple of the batch of every core that has
   no functions of its own for XTS. */
#define CHUNK 64

/* Tweaks made from one, each by itself: a chain of doublings would wait for
   the carry of each. */
#define STRIDE 4

struct tweak {
    uint64_t low, high;
};

static struct tweak load_tweak(const uint8_t p[16])
{
    return (struct tweak){load_le64(p), load_le64(p + 8)};
}

static void store_tweak(uint8_t p[16], struct tweak t)
{
    store_le64_pair(p, t.low, t.high);
}

/* t * x^n, for n of 1 to 8. n is public: each call has a constant. */
static inline struct tweak multiply_tweak(struct tweak t, int n)
{
    /* c * (x^7 + x^2 + x + 1), for the n bits that leave at the top. */
    uint64_t c = t.high >> (64 - n);
    uint64_t reduced = c ^ c << 1 ^ c << 2 ^ c << 7;
    return (struct tweak){t.low << n ^ reduced, t.high << n | t.low >> (64 - n)};
}

/* Writes the tweaks of n blocks, and moves t on to the next. */
static void make_tweaks(uint8_t *tweaks, struct tweak *t, size_t n)
{
    for (; n >= STRIDE; n -= STRIDE, tweaks += STRIDE * 16) {
        store_tweak(tweaks, *t);
        store_tweak(tweaks + 16, multiply_tweak(*t, 1));
        store_tweak(tweaks + 32, multiply_tweak(*t, 2));
        store_tweak(tweaks + 48, multiply_tweak(*t, 3));
        *t = multiply_tweak(*t, STRIDE);
    }
    for (; n > 0; n--, tweaks += 16) {
        store_tweak(tweaks, *t);
        *t = multiply_tweak(*t, 1);
    }
}

/* The first nblocks blocks of a data unit, as core.h has it for xts_encrypt, by the
   core's other functions. */
static void crypt_in_chunks(const struct ctaes_core *core, const struct ctaes_aes_key *data_key,
                            const struct ctaes_aes_key *tweak_key, uint8_t tweak[16],
                            bool encrypting, uint8_t *out, const uint8_t *in, size_t nblocks)
{
    uint8_t tweaks[CHUNK * 16], buffer[CHUNK * 16];
    size_t used = nblocks < CHUNK ? nblocks : CHUNK;
    core->encrypt(tweak_key, tweak, tweak, 1);
    struct tweak t = load_tweak(tweak);
    while (nblocks > 0) {
        size_t n = nblocks < CHUNK ? nblocks : CHUNK;
        make_tweaks(tweaks, &t, n);
        xor_bytes(buffer, in, tweaks, n * 16);
        (encrypting ? core->encrypt : core->decrypt)(data_key, buffer, buffer, n);
        xor_bytes(out, buffer, tweaks, n * 16);
        nblocks -= n;
        in += n * 16;
        out += n * 16;
    }
    store_tweak(tweak, t);
    ct_wipe(tweaks, used * 16);
    ct_wipe(buffer, used * 16);
}

/* block = E(block ^ tweak) ^ tweak, or D instead of E. */
static void crypt_block(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                        const uint8_t tweak[16], bool encrypting, uint8_t block[16])
{
    xor_block(block, block, tweak);
    (encrypting ? core->encrypt : core->decrypt)(key, block, block, 1);
    xor_block(block, block, tweak);
}

/* Exchanges the first tail bytes of block for the input's last ones; they are the
   output's last ones. */
static void steal(uint8_t block[16], uint8_t *out, const uint8_t *in, size_t tail)
{
    for (size_t i = 0; i < tail; i++) {
        uint8_t byte = in[i]; /* before it is written over, if in place */
        out[i] = block[i];
        block[i] = byte;
    }
}

/* The end of a data unit: tail bytes, and the block before them, which has been
   encrypted by then but not decrypted. out and in are where the tail starts; tweak
   is that of the first block that hasn't been processed. */
static void crypt_tail(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                       const uint8_t tweak[16], bool encrypting, uint8_t *out, const uint8_t *in,
                       size_t tail)
{
    uint8_t block[16], next[16];
    if (encrypting) {
        memcpy(block, out - 16, 16);
    } else {
        memcpy(block, in - 16, 16);
        store_tweak(next, multiply_tweak(load_tweak(tweak), 1));
        crypt_block(core, key, next, false, block);
        ct_wipe(next, sizeof next);
    }
    steal(block, out, in, tail);
    crypt_block(core, key, tweak, encrypting, block);
    memcpy(out - 16, block, 16);
    ct_wipe(block, sizeof block);
}

bool ctaes_xts_crypt(const struct ctaes_core *core, const struct ctaes_aes_key *data_key,
                     const struct ctaes_aes_key *tweak_key, const uint8_t iv[16], bool encrypting,
                     uint8_t *out, const uint8_t *in, size_t len)
{
    if (len < CTAES_XTS_MIN_LEN || len > CTAES_XTS_MAX_LEN)
        return false;
    void (*own)(const struct ctaes_aes_key *, const struct ctaes_aes_key *, uint8_t *, uint8_t *,
                const uint8_t *, size_t) = encrypting ? core->xts_encrypt : core->xts_decrypt;
    const size_t tail = len % 16, nblocks = len / 16;
    /* Decryption leaves the block before the tail to crypt_tail: its tweak is
       another one. */
    const size_t now = tail != 0 && !encrypting ? nblocks - 1 : nblocks;
    uint8_t tweak[16];
    memcpy(tweak, iv, 16);
    if (own != NULL)
        own(data_key, tweak_key, tweak, out, in, now);
    else
        crypt_in_chunks(core, data_key, tweak_key, tweak, encrypting, out, in, now);
    if (tail != 0)
        crypt_tail(core, data_key, tweak, encrypting, out + nblocks * 16, in + nblocks * 16, tail);
    ct_wipe(tweak, sizeof tweak);
    return true;
}

const struct ctaes_mode ctaes_mode_xts = {
    .name = "XTS",
    .kind = CTAES_OWN,
    .evp_mode = 0x10001,
    .block_size = 1,
    .iv_len = 16,
    .custom_iv = true,
    .second_key = true,
    .inverse_cipher = true,
};
