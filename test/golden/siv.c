/* SPDX-License-Identifier: Apache-2.0 */
/* SIV and GCM-SIV for make_golden: see siv.h. */
#include "siv.h"

#include <gcrypt.h>
#include <nettle/aes.h>
#include <nettle/nettle-meta.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- libgcrypt ---------------------------------------------------------------------------- */

static void check(gcry_error_t error, const char *what)
{
    if (error != 0) {
        fprintf(stderr, "libgcrypt: %s: %s\n", what, gcry_strerror(error));
        exit(1);
    }
}

size_t golden_gcrypt_siv(const struct golden_family *family, const struct golden_case *c,
                         uint8_t *out, uint8_t tag[16])
{
    bool gcm = strcmp(family->mode, "GCM-SIV") == 0;
    size_t aes_len = gcm ? family->key_len : family->key_len / 2;
    int algorithm = aes_len == 16   ? GCRY_CIPHER_AES128
                    : aes_len == 24 ? GCRY_CIPHER_AES192
                                    : GCRY_CIPHER_AES256;
    gcry_cipher_hd_t cipher;
    check(gcry_cipher_open(&cipher, algorithm,
                           gcm ? GCRY_CIPHER_MODE_GCM_SIV : GCRY_CIPHER_MODE_SIV, 0),
          "open");
    check(gcry_cipher_setkey(cipher, c->key, family->key_len), "setkey");
    if (gcm)
        check(gcry_cipher_setiv(cipher, c->iv, c->iv_len), "setiv");
    if (c->aad_len > 0)
        check(gcry_cipher_authenticate(cipher, c->aad, c->aad_len), "authenticate");
    check(gcry_cipher_final(cipher), "final");
    check(gcry_cipher_encrypt(cipher, out, c->len, c->plaintext, c->len), "encrypt");
    check(gcry_cipher_gettag(cipher, tag, 16), "gettag");
    gcry_cipher_close(cipher);
    return c->len;
}

/* --- From the RFC --------------------------------------------------------------------------- */

struct field {
    uint64_t low, high; /* bit i of the 128 is the coefficient of x^i */
};

static struct field load_field(const uint8_t *p, size_t len)
{
    struct field f = {0, 0};
    for (size_t i = 0; i < len; i++) {
        if (i < 8)
            f.low |= (uint64_t)p[i] << 8 * i;
        else
            f.high |= (uint64_t)p[i] << 8 * (i - 8);
    }
    return f;
}

/* RFC 8452 section 3: a * b * x^-128 modulo x^128 + x^127 + x^126 + x^121 + 1. Horner's rule from
   the lowest bit of b: each step divides by x. */
static struct field dot(struct field a, struct field b)
{
    struct field z = {0, 0};
    for (int i = 0; i < 128; i++) {
        if ((i < 64 ? b.low >> i : b.high >> (i - 64)) & 1) {
            z.low ^= a.low;
            z.high ^= a.high;
        }
        uint64_t odd = z.low & 1;
        z.low = z.low >> 1 | z.high << 63;
        z.high >>= 1;
        if (odd)
            z.high ^= UINT64_C(0xe100000000000000); /* x^127 + x^126 + x^125 + x^120 */
    }
    return z;
}

static void polyval(struct field *y, struct field h, const uint8_t *in, size_t len)
{
    for (size_t at = 0; at < len; at += 16) {
        struct field x = load_field(in + at, len - at < 16 ? len - at : 16);
        x.low ^= y->low;
        x.high ^= y->high;
        *y = dot(x, h);
    }
}

static const struct nettle_cipher *aes_of(size_t key_len)
{
    return key_len == 16 ? &nettle_aes128 : key_len == 24 ? &nettle_aes192 : &nettle_aes256;
}

size_t golden_plain_gcm_siv(const struct golden_family *family, const struct golden_case *c,
                            uint8_t *out, uint8_t tag[16])
{
    const struct nettle_cipher *aes = aes_of(family->key_len);
    void *key = malloc(aes->context_size);
    uint8_t derived[48], block[16], stream[16];
    aes->set_encrypt_key(key, c->key);
    for (size_t i = 0; i < 2 + family->key_len / 8; i++) {
        memset(block, 0, 4);
        block[0] = (uint8_t)i;
        memcpy(block + 4, c->iv, 12);
        aes->encrypt(key, 16, block, block);
        memcpy(derived + 8 * i, block, 8);
    }
    aes->set_encrypt_key(key, derived + 16);

    struct field h = load_field(derived, 16), y = {0, 0};
    polyval(&y, h, c->aad, c->aad_len);
    polyval(&y, h, c->plaintext, c->len);
    for (int i = 0; i < 8; i++) {
        block[i] = (uint8_t)((uint64_t)c->aad_len * 8 >> 8 * i);
        block[8 + i] = (uint8_t)((uint64_t)c->len * 8 >> 8 * i);
    }
    polyval(&y, h, block, 16);
    for (int i = 0; i < 16; i++)
        block[i] =
            (uint8_t)((i < 8 ? y.low >> 8 * i : y.high >> 8 * (i - 8)) ^ (i < 12 ? c->iv[i] : 0));
    block[15] &= 0x7f;
    aes->encrypt(key, 16, tag, block);

    memcpy(block, tag, 16);
    block[15] |= 0x80;
    for (size_t at = 0; at < c->len; at += 16) {
        aes->encrypt(key, 16, stream, block);
        for (size_t i = 0; i < 16 && at + i < c->len; i++)
            out[at + i] = (uint8_t)(c->plaintext[at + i] ^ stream[i]);
        for (size_t i = 0; i < 4 && ++block[i] == 0; i++)
            ;
    }
    free(key);
    return c->len;
}
