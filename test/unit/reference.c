/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reference implementation: see reference.h. Sources: FIPS 197,
 * SP 800-38A sections 6.1 to 6.5 and its addendum, SP 800-38D sections 6 and 7.
 */
#include "reference.h"

#include <string.h>

/* --- FIPS 197 ---------------------------------------------------------------------------- */

/* Multiplication in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1 (section 4.2). */
static uint8_t multiply_bytes(uint8_t a, uint8_t b)
{
    unsigned product = 0, power = a;
    for (; b != 0; b >>= 1) {
        if (b & 1)
            product ^= power;
        power = (power << 1) ^ ((power & 0x80) ? 0x11b : 0);
    }
    return (uint8_t)product;
}

static uint8_t sbox[256], inverse_sbox[256];
static uint8_t times[16][256]; /* times[c][a] = c * a, for MixColumns */

/* Section 5.1.1: the inverse in GF(2^8), then an affine map. */
static void fill_tables(void)
{
    if (sbox[0] != 0)
        return;
    for (unsigned a = 0; a < 256; a++) {
        uint8_t inverse = 0;
        for (unsigned b = 1; b < 256; b++)
            if (multiply_bytes((uint8_t)a, (uint8_t)b) == 1)
                inverse = (uint8_t)b;
        unsigned s = 0x63;
        for (unsigned shift = 0; shift < 5; shift++)
            s ^= (unsigned)inverse << shift | (unsigned)inverse >> (8 - shift);
        sbox[a] = (uint8_t)s;
        inverse_sbox[(uint8_t)s] = (uint8_t)a;
        for (unsigned c = 0; c < 16; c++)
            times[c][a] = multiply_bytes((uint8_t)c, (uint8_t)a);
    }
}

void reference_expand_key(struct reference_key *key, const uint8_t *k, size_t k_len)
{
    fill_tables();
    size_t nk = k_len / 4;
    key->rounds = nk + 6;
    uint8_t(*w)[4] = (uint8_t(*)[4])key->round_key;
    uint8_t rcon = 1;
    memcpy(w, k, k_len);
    for (size_t i = nk; i < 4 * (key->rounds + 1); i++) {
        uint8_t t[4];
        memcpy(t, w[i - 1], 4);
        if (i % nk == 0) {
            uint8_t first = t[0];
            t[0] = sbox[t[1]] ^ rcon;
            t[1] = sbox[t[2]];
            t[2] = sbox[t[3]];
            t[3] = sbox[first];
            rcon = multiply_bytes(rcon, 2);
        } else if (nk > 6 && i % nk == 4) {
            for (size_t j = 0; j < 4; j++)
                t[j] = sbox[t[j]];
        }
        for (size_t j = 0; j < 4; j++)
            w[i][j] = w[i - nk][j] ^ t[j];
    }
}

static void add_block(uint8_t out[16], const uint8_t a[16], const uint8_t b[16])
{
    for (size_t i = 0; i < 16; i++)
        out[i] = a[i] ^ b[i];
}

/* Replaces each column by its product with the circulant matrix of c. */
static void mix_columns(uint8_t s[16], const uint8_t c[4])
{
    for (size_t column = 0; column < 16; column += 4) {
        uint8_t a[4];
        memcpy(a, s + column, 4);
        for (size_t row = 0; row < 4; row++)
            s[column + row] = times[c[0]][a[row]] ^ times[c[1]][a[(row + 1) % 4]] ^
                              times[c[2]][a[(row + 2) % 4]] ^ times[c[3]][a[(row + 3) % 4]];
    }
}

void reference_encrypt_block(const struct reference_key *key, uint8_t out[16], const uint8_t in[16])
{
    static const uint8_t matrix[4] = {2, 3, 1, 1};
    uint8_t s[16], t[16];
    add_block(s, in, key->round_key[0]);
    for (size_t round = 1; round <= key->rounds; round++) {
        /* SubBytes and ShiftRows: row r moves r columns to the left. */
        for (size_t i = 0; i < 16; i++)
            t[i] = sbox[s[(i + 4 * (i % 4)) % 16]];
        if (round < key->rounds)
            mix_columns(t, matrix);
        add_block(s, t, key->round_key[round]);
    }
    memcpy(out, s, 16);
}

void reference_decrypt_block(const struct reference_key *key, uint8_t out[16], const uint8_t in[16])
{
    static const uint8_t matrix[4] = {14, 11, 13, 9};
    uint8_t s[16], t[16];
    add_block(s, in, key->round_key[key->rounds]);
    for (size_t round = key->rounds; round-- > 0;) {
        for (size_t i = 0; i < 16; i++)
            t[(i + 4 * (i % 4)) % 16] = inverse_sbox[s[i]];
        add_block(s, t, key->round_key[round]);
        if (round > 0)
            mix_columns(s, matrix);
    }
    memcpy(out, s, 16);
}

/* --- SP 800-38A -------------------------------------------------------------------------- */

static void crypt_ecb(const struct reference_key *key, bool encrypting, uint8_t iv[16],
                      uint8_t *out, const uint8_t *in, size_t len)
{
    (void)iv;
    for (size_t i = 0; i + 16 <= len; i += 16)
        (encrypting ? reference_encrypt_block : reference_decrypt_block)(key, out + i, in + i);
}

static void crypt_cbc(const struct reference_key *key, bool encrypting, uint8_t iv[16],
                      uint8_t *out, const uint8_t *in, size_t len)
{
    for (size_t i = 0; i + 16 <= len; i += 16) {
        uint8_t block[16];
        if (encrypting) {
            add_block(block, in + i, iv);
            reference_encrypt_block(key, iv, block);
            memcpy(out + i, iv, 16);
        } else {
            reference_decrypt_block(key, block, in + i);
            add_block(block, block, iv);
            memcpy(iv, in + i, 16);
            memcpy(out + i, block, 16);
        }
    }
}

/* Adds 1 to the last width bytes of a big-endian counter, modulo 2^(8 width). */
static void increment(uint8_t counter[16], size_t width)
{
    for (size_t i = 16; i-- > 16 - width;)
        if (++counter[i] != 0)
            return;
}

/* CTR where the counter is the last width bytes of the block. */
static void crypt_counter(const struct reference_key *key, uint8_t counter[16], size_t width,
                          uint8_t *out, const uint8_t *in, size_t len)
{
    uint8_t keystream[16];
    for (size_t i = 0; i < len; i++) {
        if (i % 16 == 0) {
            reference_encrypt_block(key, keystream, counter);
            increment(counter, width);
        }
        out[i] = in[i] ^ keystream[i % 16];
    }
}

static void crypt_ctr(const struct reference_key *key, bool encrypting, uint8_t iv[16],
                      uint8_t *out, const uint8_t *in, size_t len)
{
    (void)encrypting;
    crypt_counter(key, iv, 16, out, in, len);
}

static void crypt_ofb(const struct reference_key *key, bool encrypting, uint8_t iv[16],
                      uint8_t *out, const uint8_t *in, size_t len)
{
    (void)encrypting;
    for (size_t i = 0; i < len; i++) {
        if (i % 16 == 0)
            reference_encrypt_block(key, iv, iv);
        out[i] = in[i] ^ iv[i % 16];
    }
}

/* Segments of 128 bits: ciphertext takes the keystream's place byte by byte. */
static void crypt_cfb(const struct reference_key *key, bool encrypting, uint8_t iv[16],
                      uint8_t *out, const uint8_t *in, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (i % 16 == 0)
            reference_encrypt_block(key, iv, iv);
        uint8_t before = in[i], after = before ^ iv[i % 16];
        iv[i % 16] = encrypting ? after : before;
        out[i] = after;
    }
}

static void crypt_cfb8(const struct reference_key *key, bool encrypting, uint8_t iv[16],
                       uint8_t *out, const uint8_t *in, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        uint8_t keystream[16], before = in[i];
        reference_encrypt_block(key, keystream, iv);
        out[i] = before ^ keystream[0];
        memmove(iv, iv + 1, 15);
        iv[15] = encrypting ? out[i] : before;
    }
}

static void crypt_cfb1(const struct reference_key *key, bool encrypting, uint8_t iv[16],
                       uint8_t *out, const uint8_t *in, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        unsigned before = in[i], after = 0;
        for (unsigned bit = 8; bit-- > 0;) {
            uint8_t keystream[16];
            reference_encrypt_block(key, keystream, iv);
            unsigned p = before >> bit & 1, c = p ^ keystream[0] >> 7;
            after |= c << bit;
            for (size_t k = 0; k < 16; k++) {
                unsigned next = k < 15 ? iv[k + 1] >> 7 : encrypting ? c : p;
                iv[k] = (uint8_t)((unsigned)iv[k] << 1 | next);
            }
        }
        out[i] = (uint8_t)after;
    }
}

/* The addendum's figures, for one message: p and c have a last block of d bytes. */
void reference_cts(const struct reference_key *key, bool encrypting, unsigned variant,
                   uint8_t iv[16], uint8_t *out, const uint8_t *in, size_t len)
{
    size_t d = (len + 15) % 16 + 1, before = len <= 16 ? 0 : len - 16 - d;
    if (len == 16 || (d == 16 && variant != 3)) {
        crypt_cbc(key, encrypting, iv, out, in, len);
        return;
    }
    /* Where the shortened block and the last one are among the ciphertext. */
    size_t at_short = variant == 1 ? before : before + 16;
    size_t at_last = variant == 1 ? before + d : before;
    uint8_t pair[32] = {0}, decrypted[16];
    if (encrypting) {
        memcpy(pair, in + before, 16 + d);
        crypt_cbc(key, true, iv, out, in, before);
        crypt_cbc(key, true, iv, pair, pair, 32);
        memcpy(out + at_short, pair, d);
        memcpy(out + at_last, pair + 16, 16);
    } else {
        memcpy(pair, in + at_short, d);
        memcpy(pair + 16, in + at_last, 16);
        reference_decrypt_block(key, decrypted, pair + 16);
        memcpy(pair + d, decrypted + d, 16 - d);
        crypt_cbc(key, false, iv, out, in, before);
        crypt_cbc(key, false, iv, pair, pair, 32);
        memcpy(out + before, pair, 16 + d);
    }
}

static const struct reference_mode modes[] = {
    {"ECB", false, crypt_ecb},  {"CBC", false, crypt_cbc}, {"CTR", false, crypt_ctr},
    {"OFB", false, crypt_ofb},  {"CFB", false, crypt_cfb}, {"CFB8", true, crypt_cfb8},
    {"CFB1", true, crypt_cfb1},
};

const struct reference_mode *reference_mode_by_name(const char *name)
{
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
        if (strcmp(modes[i].name, name) == 0)
            return &modes[i];
    return NULL;
}

/* --- SP 800-38D -------------------------------------------------------------------------- */

static uint64_t load_half(const uint8_t *p)
{
    uint64_t x = 0;
    for (size_t i = 0; i < 8; i++)
        x = x << 8 | p[i];
    return x;
}

static void store_half(uint8_t *p, uint64_t x)
{
    for (size_t i = 8; i-- > 0; x >>= 8)
        p[i] = (uint8_t)x;
}

/* Section 6.3, algorithm 1. Bit 0 of a block is the top bit of its first byte,
   so V's shift to the right goes from the high word's low end into the low
   word's high end, and R = 11100001 || 0^120 is added at the top. */
void reference_multiply(uint8_t z[16], const uint8_t x[16], const uint8_t y[16])
{
    uint64_t z_high = 0, z_low = 0, v_high = load_half(y), v_low = load_half(y + 8);
    for (size_t i = 0; i < 128; i++) {
        uint64_t bit = x[i / 8] >> (7 - i % 8) & 1, last = v_low & 1;
        z_high ^= v_high & (0 - bit);
        z_low ^= v_low & (0 - bit);
        v_low = v_low >> 1 | v_high << 63;
        v_high = v_high >> 1 ^ ((UINT64_C(0xe1) << 56) & (0 - last));
    }
    store_half(z, z_high);
    store_half(z + 8, z_low);
}

/* Fermat: x^-1 = x^(2^128 - 2) = x^2 * x^4 * ... * x^(2^127). */
void reference_invert(uint8_t z[16], const uint8_t x[16])
{
    uint8_t power[16], product[16] = {0x80};
    memcpy(power, x, 16);
    for (size_t i = 1; i < 128; i++) {
        reference_multiply(power, power, power);
        reference_multiply(product, product, power);
    }
    memcpy(z, product, 16);
}

void reference_ghash(uint8_t y[16], const uint8_t h[16], const uint8_t *in, size_t nblocks)
{
    for (size_t i = 0; i < nblocks; i++) {
        add_block(y, y, in + i * 16);
        reference_multiply(y, y, h);
    }
}

/* GHASH over len bytes, filled up with zeros to whole blocks. */
static void hash_padded(uint8_t y[16], const uint8_t h[16], const uint8_t *in, size_t len)
{
    uint8_t last[16] = {0};
    reference_ghash(y, h, in, len / 16);
    if (len % 16 != 0) {
        memcpy(last, in + (len - len % 16), len % 16);
        reference_ghash(y, h, last, 1);
    }
}

static void hash_lengths(uint8_t y[16], const uint8_t h[16], uint64_t first, uint64_t second)
{
    uint8_t block[16];
    store_half(block, first * 8);
    store_half(block + 8, second * 8);
    reference_ghash(y, h, block, 1);
}

/* Section 7.1, steps 1 and 2: H and J0. */
static void start_gcm(const struct reference_key *key, uint8_t h[16], uint8_t j0[16],
                      const uint8_t *iv, size_t iv_len)
{
    memset(h, 0, 16);
    reference_encrypt_block(key, h, h);
    memset(j0, 0, 16);
    if (iv_len == 12) {
        memcpy(j0, iv, 12);
        j0[15] = 1;
    } else {
        hash_padded(j0, h, iv, iv_len);
        hash_lengths(j0, h, 0, iv_len);
    }
}

void reference_gcm_tag(const struct reference_key *key, const uint8_t *iv, size_t iv_len,
                       const uint8_t *aad, size_t aad_len, const uint8_t *ciphertext, size_t len,
                       uint8_t tag[16])
{
    uint8_t h[16], j0[16], y[16] = {0};
    start_gcm(key, h, j0, iv, iv_len);
    hash_padded(y, h, aad, aad_len);
    hash_padded(y, h, ciphertext, len);
    hash_lengths(y, h, aad_len, len);
    reference_encrypt_block(key, j0, j0);
    add_block(tag, y, j0);
}

void reference_gcm(const struct reference_key *key, bool encrypting, const uint8_t *iv,
                   size_t iv_len, const uint8_t *aad, size_t aad_len, uint8_t *out,
                   const uint8_t *in, size_t len, uint8_t tag[16])
{
    uint8_t h[16], counter[16];
    start_gcm(key, h, counter, iv, iv_len);
    increment(counter, 4);
    if (!encrypting)
        reference_gcm_tag(key, iv, iv_len, aad, aad_len, in, len, tag);
    crypt_counter(key, counter, 4, out, in, len);
    if (encrypting)
        reference_gcm_tag(key, iv, iv_len, aad, aad_len, out, len, tag);
}

/* J0 = (IV * H + [128]_128) * H, solved for IV. */
void reference_gcm_iv_for(const struct reference_key *key, uint8_t iv[16], const uint8_t j0[16])
{
    uint8_t h[16] = {0}, length_block[16] = {0};
    reference_encrypt_block(key, h, h);
    reference_invert(h, h);
    length_block[15] = 128;
    reference_multiply(iv, j0, h);
    add_block(iv, iv, length_block);
    reference_multiply(iv, iv, h);
}
