/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CFB with segments of 8 bits and of 1 bit, CFB8 and CFB1 (SP 800-38A section
 * 6.3): one block for each segment.
 *
 *           ├──────── register, 128 bits ────────┤
 *   ◀─ out  r[0] r[1] ...                   r[n]   ◀─ c, the last segment of
 *            │                                          ciphertext
 *            └▶ E ─▶ first segment ─▶ ⊕ ─▶ out
 *                                     ▲
 *                                     in
 *
 * Encryption is serial: the next register needs the last ciphertext. For
 * decryption all ciphertext is known, so the registers of many segments are
 * written down, and the core encrypts them at once.
 *
 * chain.iv is the register. It starts from the IV and takes in ciphertext; but
 * a call that works in place can't tell whether a byte is ciphertext yet, so
 * it is treated as secret: shifts by fixed distances, no branches.
 */
#include "mode.h"

#include "../../cores/bytes.h"
#include "../../cores/ct.h"

/* Segments decrypted per call of the core. */
#define CHUNK 64

/* The register: high has its first bits. */
struct shift_register {
    uint64_t high, low;
};

static struct shift_register load_register(const struct ctaes_chain *chain)
{
    return (struct shift_register){load_be64(chain->iv), load_be64(chain->iv + 8)};
}

static void shift_in(struct shift_register *r, unsigned segment, unsigned bits)
{
    r->high = r->high << bits | r->low >> (64 - bits);
    r->low = r->low << bits | segment;
}

/* Segment number i of p, whose bits are counted from the top of each byte. */
static unsigned get_segment(const uint8_t *p, size_t i, unsigned bits)
{
    return bits == 8 ? p[i] : p[i / 8] >> (7 - i % 8) & 1U;
}

/* Leaves the other bits of the byte as they are. */
static void put_segment(uint8_t *p, size_t i, unsigned bits, unsigned segment)
{
    if (bits == 8) {
        p[i] = (uint8_t)segment;
        return;
    }
    size_t shift = 7 - i % 8;
    p[i / 8] = (uint8_t)((p[i / 8] & ~(1U << shift)) | segment << shift);
}

/* n segments, each of bits bits. */
static void encrypt_segments(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                             struct ctaes_chain *chain, uint8_t *out, const uint8_t *in, size_t n,
                             unsigned bits)
{
    struct shift_register r = load_register(chain);
    uint8_t block[16];
    for (size_t i = 0; i < n; i++) {
        store_be64_pair(block, r.high, r.low);
        core->encrypt(key, block, block, 1);
        unsigned c = get_segment(in, i, bits) ^ block[0] >> (8 - bits);
        put_segment(out, i, bits, c);
        shift_in(&r, c, bits);
    }
    store_be64_pair(chain->iv, r.high, r.low);
    ct_wipe(block, sizeof block);
}

static void decrypt_segments(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                             struct ctaes_chain *chain, uint8_t *out, const uint8_t *in, size_t n,
                             unsigned bits)
{
    struct shift_register r = load_register(chain);
    uint8_t blocks[CHUNK * 16];
    size_t used = n < CHUNK ? n : CHUNK;
    for (size_t done = 0; done < n; done += CHUNK) {
        size_t now = n - done < CHUNK ? n - done : CHUNK;
        for (size_t i = 0; i < now; i++) {
            store_be64_pair(blocks + i * 16, r.high, r.low);
            shift_in(&r, get_segment(in, done + i, bits), bits);
        }
        core->encrypt(key, blocks, blocks, now);
        for (size_t i = 0; i < now; i++)
            put_segment(out, done + i, bits,
                        get_segment(in, done + i, bits) ^ blocks[i * 16] >> (8 - bits));
    }
    store_be64_pair(chain->iv, r.high, r.low);
    ct_wipe(blocks, used * 16);
}

static void encrypt_cfb8(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                         struct ctaes_chain *chain, uint8_t *out, const uint8_t *in, size_t len)
{
    encrypt_segments(core, key, chain, out, in, len, 8);
}

static void decrypt_cfb8(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                         struct ctaes_chain *chain, uint8_t *out, const uint8_t *in, size_t len)
{
    decrypt_segments(core, key, chain, out, in, len, 8);
}

typedef void crypt_segments_fn(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                               struct ctaes_chain *chain, uint8_t *out, const uint8_t *in, size_t n,
                               unsigned bits);

/* CFB1 over len bytes, or bits where the chain counts these. */
static void crypt_cfb1(crypt_segments_fn *crypt_segments, const struct ctaes_core *core,
                       const struct ctaes_aes_key *key, struct ctaes_chain *chain, uint8_t *out,
                       const uint8_t *in, size_t len)
{
    /* The number of bits of the longest input may be no size_t. */
    const size_t most = SIZE_MAX / 16;
    for (; !chain->counts_bits && len > most; len -= most, in += most, out += most)
        crypt_segments(core, key, chain, out, in, most * 8, 1);
    crypt_segments(core, key, chain, out, in, chain->counts_bits ? len : len * 8, 1);
}

static void encrypt_cfb1(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                         struct ctaes_chain *chain, uint8_t *out, const uint8_t *in, size_t len)
{
    crypt_cfb1(encrypt_segments, core, key, chain, out, in, len);
}

static void decrypt_cfb1(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                         struct ctaes_chain *chain, uint8_t *out, const uint8_t *in, size_t len)
{
    crypt_cfb1(decrypt_segments, core, key, chain, out, in, len);
}

const struct ctaes_mode ctaes_mode_cfb8 = {
    .name = "CFB8",
    .kind = CTAES_STREAM,
    .evp_mode = 3,
    .block_size = 1,
    .iv_len = 16,
    .inverse_cipher = false,
    .restarts_iv = true,
    .encrypt = encrypt_cfb8,
    .decrypt = decrypt_cfb8,
};

const struct ctaes_mode ctaes_mode_cfb1 = {
    .name = "CFB1",
    .kind = CTAES_STREAM,
    .evp_mode = 3,
    .block_size = 1,
    .iv_len = 16,
    .inverse_cipher = false,
    .restarts_iv = true,
    .encrypt = encrypt_cfb1,
    .decrypt = decrypt_cfb1,
};
