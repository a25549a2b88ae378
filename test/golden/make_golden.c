/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes digests.txt: computes the long vectors with two or three of nettle, libgcrypt and
 * libcrypto's default provider, which share nothing, and fails if they differ in
 * a byte.
 *
 *   make golden-regenerate          (Debian: nettle-dev, libgcrypt20-dev, libssl-dev)
 */
#include "cases.h"
#include "siv.h"

#include <gcrypt.h>
#include <nettle/aes.h>
#include <nettle/cbc.h>
#include <nettle/cfb.h>
#include <nettle/ctr.h>
#include <nettle/gcm.h>
#include <nettle/nettle-meta.h>
#include <nettle/nist-keywrap.h>
#include <nettle/sha2.h>
#include <nettle/version.h>
#include <nettle/xts.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- nettle ------------------------------------------------------------------------------- */

static size_t run_nettle(const struct golden_family *family, const struct golden_case *c,
                         uint8_t *out, uint8_t tag[16])
{
    const struct nettle_cipher *aes = family->key_len == 16   ? &nettle_aes128
                                      : family->key_len == 24 ? &nettle_aes192
                                                              : &nettle_aes256;
    void *key = malloc(aes->context_size);
    uint8_t iv[16];
    aes->set_encrypt_key(key, c->key);
    memcpy(iv, c->iv, 16);
    if (strcmp(family->mode, "ECB") == 0) {
        aes->encrypt(key, c->len, out, c->plaintext);
    } else if (strcmp(family->mode, "CBC") == 0) {
        cbc_encrypt(key, aes->encrypt, 16, iv, c->len, out, c->plaintext);
    } else if (strcmp(family->mode, "CTR") == 0) {
        ctr_crypt(key, aes->encrypt, 16, iv, c->len, out, c->plaintext);
    } else if (strcmp(family->mode, "CFB") == 0) {
        cfb_encrypt(key, aes->encrypt, 16, iv, c->len, out, c->plaintext);
    } else if (strcmp(family->mode, "CFB8") == 0) {
        cfb8_encrypt(key, aes->encrypt, 16, iv, c->len, out, c->plaintext);
    } else {
        struct gcm_key hash_key;
        struct gcm_ctx gcm;
        gcm_set_key(&hash_key, key, aes->encrypt);
        gcm_set_iv(&gcm, &hash_key, c->iv_len, c->iv);
        gcm_update(&gcm, &hash_key, c->aad_len, c->aad);
        gcm_encrypt(&gcm, &hash_key, key, aes->encrypt, c->len, out, c->plaintext);
        gcm_digest(&gcm, &hash_key, key, aes->encrypt, 16, tag);
    }
    free(key);
    return c->len;
}

/* Key wrap. nettle has no padding: that is wrapping without, under the IV that padding makes,
   but for a single semiblock. */
static size_t run_nettle_wrap(const struct golden_family *family, const struct golden_case *c,
                              uint8_t *out, uint8_t tag[16])
{
    static uint8_t padded[GOLDEN_MAX_LENGTH + 8];
    const struct nettle_cipher *aes = family->key_len == 16   ? &nettle_aes128
                                      : family->key_len == 24 ? &nettle_aes192
                                                              : &nettle_aes256;
    const bool inverse = strstr(family->mode, "INV") != NULL;
    nettle_cipher_func *crypt = inverse ? aes->decrypt : aes->encrypt;
    void *key = malloc(aes->context_size);
    uint8_t iv[8];
    size_t len = c->len;
    (void)tag;
    (inverse ? aes->set_decrypt_key : aes->set_encrypt_key)(key, c->key);
    memcpy(iv, c->iv, 8);
    memcpy(padded, c->plaintext, len);
    if (strstr(family->mode, "PAD") != NULL) {
        for (int i = 0; i < 4; i++)
            iv[4 + i] = (uint8_t)(len >> (24 - 8 * i));
        for (; len % 8 != 0; len++)
            padded[len] = 0;
    }
    if (len == 8) {
        memmove(padded + 8, padded, 8);
        memcpy(padded, iv, 8);
        crypt(key, 16, out, padded);
    } else {
        nist_keywrap16(key, crypt, iv, len + 8, out, padded);
    }
    free(key);
    return len + 8;
}

static size_t run_nettle_xts(const struct golden_family *family, const struct golden_case *c,
                             uint8_t *out, uint8_t tag[16])
{
    struct xts_aes128_key key_128;
    struct xts_aes256_key key_256;
    (void)tag;
    if (family->key_len == 32) {
        xts_aes128_set_encrypt_key(&key_128, c->key);
        xts_aes128_encrypt_message(&key_128, c->iv, c->len, out, c->plaintext);
    } else {
        xts_aes256_set_encrypt_key(&key_256, c->key);
        xts_aes256_encrypt_message(&key_256, c->iv, c->len, out, c->plaintext);
    }
    return c->len;
}

/* --- libgcrypt ---------------------------------------------------------------------------- */

static void check(gcry_error_t error, const char *what)
{
    if (error != 0) {
        fprintf(stderr, "libgcrypt: %s: %s\n", what, gcry_strerror(error));
        exit(1);
    }
}

static size_t run_gcrypt(const struct golden_family *family, const struct golden_case *c,
                         uint8_t *out, uint8_t tag[16])
{
    int algorithm = family->key_len == 16   ? GCRY_CIPHER_AES128
                    : family->key_len == 24 ? GCRY_CIPHER_AES192
                                            : GCRY_CIPHER_AES256;
    static const struct {
        const char *name;
        int mode;
        unsigned flags;
    } modes[] = {
        {"ECB", GCRY_CIPHER_MODE_ECB, 0},   {"CBC", GCRY_CIPHER_MODE_CBC, 0},
        {"CTR", GCRY_CIPHER_MODE_CTR, 0},   {"GCM", GCRY_CIPHER_MODE_GCM, 0},
        {"OFB", GCRY_CIPHER_MODE_OFB, 0},   {"CFB", GCRY_CIPHER_MODE_CFB, 0},
        {"CFB8", GCRY_CIPHER_MODE_CFB8, 0}, {"CBC-CTS", GCRY_CIPHER_MODE_CBC, GCRY_CIPHER_CBC_CTS},
        {"CCM", GCRY_CIPHER_MODE_CCM, 0},   {"OCB", GCRY_CIPHER_MODE_OCB, 0},
    };
    size_t i = 0;
    while (strcmp(modes[i].name, family->mode) != 0)
        i++;
    int mode = modes[i].mode;
    gcry_cipher_hd_t cipher;
    check(gcry_cipher_open(&cipher, algorithm, mode, modes[i].flags), "open");
    check(gcry_cipher_setkey(cipher, c->key, family->key_len), "setkey");
    if (mode == GCRY_CIPHER_MODE_CTR)
        check(gcry_cipher_setctr(cipher, c->iv, 16), "setctr");
    else if (mode != GCRY_CIPHER_MODE_ECB)
        check(gcry_cipher_setiv(cipher, c->iv, c->iv_len), "setiv");
    if (mode == GCRY_CIPHER_MODE_CCM) {
        uint64_t lengths[3] = {c->len, c->aad_len, family->tag_len};
        check(gcry_cipher_ctl(cipher, GCRYCTL_SET_CCM_LENGTHS, lengths, sizeof lengths), "lengths");
    }
    if (family->tag_len != 0 && c->aad_len > 0)
        check(gcry_cipher_authenticate(cipher, c->aad, c->aad_len), "authenticate");
    if (mode == GCRY_CIPHER_MODE_OCB)
        check(gcry_cipher_final(cipher), "final");
    if (c->len > 0 || mode == GCRY_CIPHER_MODE_OCB)
        check(gcry_cipher_encrypt(cipher, out, c->len, c->plaintext, c->len), "encrypt");
    if (family->tag_len != 0)
        check(gcry_cipher_gettag(cipher, tag, family->tag_len), "gettag");
    gcry_cipher_close(cipher);
    return c->len;
}

/* CFB1, which only libcrypto has, from libgcrypt's AES: SP 800-38A section 6.3, bit by bit. */
static size_t run_gcrypt_cfb1(const struct golden_family *family, const struct golden_case *c,
                              uint8_t *out, uint8_t tag[16])
{
    uint8_t r[16], keystream[16];
    gcry_cipher_hd_t aes;
    (void)tag;
    check(gcry_cipher_open(&aes,
                           family->key_len == 16   ? GCRY_CIPHER_AES128
                           : family->key_len == 24 ? GCRY_CIPHER_AES192
                                                   : GCRY_CIPHER_AES256,
                           GCRY_CIPHER_MODE_ECB, 0),
          "open");
    check(gcry_cipher_setkey(aes, c->key, family->key_len), "setkey");
    memcpy(r, c->iv, 16);
    memset(out, 0, c->len);
    for (size_t i = 0; i < 8 * c->len; i++) {
        check(gcry_cipher_encrypt(aes, keystream, 16, r, 16), "encrypt");
        unsigned bit = (c->plaintext[i / 8] >> (7 - i % 8) & 1) ^ keystream[0] >> 7;
        out[i / 8] |= (uint8_t)(bit << (7 - i % 8));
        for (size_t k = 0; k < 16; k++)
            r[k] = (uint8_t)((unsigned)r[k] << 1 | (k < 15 ? r[k + 1] >> 7U : bit));
    }
    gcry_cipher_close(aes);
    return c->len;
}

static size_t run_gcrypt_xts(const struct golden_family *family, const struct golden_case *c,
                             uint8_t *out, uint8_t tag[16])
{
    const int algorithm = family->key_len == 32 ? GCRY_CIPHER_AES128 : GCRY_CIPHER_AES256;
    gcry_cipher_hd_t cipher;
    (void)tag;
    check(gcry_cipher_open(&cipher, algorithm, GCRY_CIPHER_MODE_XTS, 0), "open");
    check(gcry_cipher_setkey(cipher, c->key, family->key_len), "setkey");
    check(gcry_cipher_setiv(cipher, c->iv, 16), "setiv");
    check(gcry_cipher_encrypt(cipher, out, c->len, c->plaintext, c->len), "encrypt");
    gcry_cipher_close(cipher);
    return c->len;
}

/* --- libcrypto, for modes that one of the other two lacks --------------------------------------
 */

static void need(bool done, const char *what)
{
    if (!done) {
        fprintf(stderr, "libcrypto: %s\n", what);
        exit(1);
    }
}

/* Any mode that takes its data in one update. */
static size_t run_openssl(const struct golden_family *family, const struct golden_case *c,
                          uint8_t *out, uint8_t tag[16])
{
    char name[32];
    /* XTS's key is two, and SIV's. */
    bool two = strcmp(family->mode, "XTS") == 0 || strcmp(family->mode, "SIV") == 0;
    size_t bits = family->key_len * 8 / (two ? 2 : 1);
    snprintf(name, sizeof name, "AES-%zu-%s", bits, family->mode);
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, name, "provider=default");
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    int n = 0, last = 0;
    need(cipher != NULL && ctx != NULL, name);
    /* Without effect in other modes. */
    char variant[] = "CS3";
    OSSL_PARAM params[2] = {
        OSSL_PARAM_construct_utf8_string(OSSL_CIPHER_PARAM_CTS_MODE, variant, 0), OSSL_PARAM_END};
    need(EVP_EncryptInit_ex2(ctx, cipher, NULL, NULL, params), "init");
    EVP_CIPHER_CTX_set_flags(ctx, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
    EVP_CIPHER_CTX_set_padding(ctx, 0);
    if (family->tag_len != 0 && family->iv_len != 0)
        need(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, (int)c->iv_len, NULL) > 0, "ivlen");
    if (strcmp(family->mode, "CCM") == 0 || strcmp(family->mode, "OCB") == 0)
        need(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, (int)family->tag_len, NULL) > 0,
             "taglen");
    need(EVP_EncryptInit_ex2(ctx, NULL, c->key, c->iv, NULL), "key and IV");
    if (strcmp(family->mode, "CCM") == 0)
        need(EVP_EncryptUpdate(ctx, NULL, &n, NULL, (int)c->len), "length");
    if (c->aad_len > 0)
        need(EVP_EncryptUpdate(ctx, NULL, &n, c->aad, (int)c->aad_len), "AAD");
    n = 0;
    /* 3.0.19's CCM makes a tag for no data only in an update. */
    if (c->len > 0 || strcmp(family->mode, "CCM") == 0)
        need(EVP_EncryptUpdate(ctx, out, &n, c->plaintext, (int)c->len), "data");
    need(EVP_EncryptFinal_ex(ctx, out + n, &last), "final");
    if (family->tag_len != 0)
        need(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, (int)family->tag_len, tag) > 0, "tag");
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_free(cipher);
    return (size_t)n + (size_t)last;
}

/* --- Who computes which mode
 * ---------------------------------------------------------------------- */

/* Encrypts the case's plaintext to out, and writes the tag if the mode has one. Returns how long
   the ciphertext is. */
typedef size_t compute_fn(const struct golden_family *family, const struct golden_case *c,
                          uint8_t *out, uint8_t tag[16]);

static const struct {
    const char *mode;
    compute_fn *compute[3]; /* two at least */
} sources[] = {
    {"ECB", {run_nettle, run_gcrypt, run_openssl}},
    {"CBC", {run_nettle, run_gcrypt, run_openssl}},
    {"CTR", {run_nettle, run_gcrypt, run_openssl}},
    {"OFB", {run_gcrypt, run_openssl}},
    {"CFB", {run_nettle, run_gcrypt, run_openssl}},
    {"CFB8", {run_nettle, run_gcrypt, run_openssl}},
    {"CFB1", {run_gcrypt_cfb1, run_openssl}},
    {"CBC-CTS", {run_gcrypt, run_openssl}},
    {"CCM", {run_gcrypt, run_openssl}},
    {"OCB", {run_gcrypt, run_openssl}},
    {"SIV", {golden_gcrypt_siv, run_openssl}},
    {"GCM-SIV", {golden_gcrypt_siv, golden_plain_gcm_siv}},
    {"XTS", {run_nettle_xts, run_gcrypt_xts, run_openssl}},
    {"GCM", {run_nettle, run_gcrypt}}, /* OpenSSL takes no IV of more than 128 bytes */
    {"WRAP", {run_nettle_wrap, run_openssl}},
    {"WRAP-INV", {run_nettle_wrap, run_openssl}},
    {"WRAP-PAD", {run_nettle_wrap, run_openssl}},
    {"WRAP-PAD-INV", {run_nettle_wrap, run_openssl}},
};

static compute_fn *const *find_sources(const char *mode)
{
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++)
        if (strcmp(sources[i].mode, mode) == 0)
            return sources[i].compute;
    fprintf(stderr, "mode %s has no row in make_golden.c\n", mode);
    exit(1);
}

int main(void)
{
    static struct golden_case c;
    static uint8_t out[3][GOLDEN_MAX_LENGTH + GOLDEN_MAX_GROWTH];
    if (gcry_check_version(GCRYPT_VERSION) == NULL) {
        fprintf(stderr, "libgcrypt is older than its header\n");
        return 1;
    }
    gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);

    printf("# SPDX-License-Identifier: Apache-2.0\n"
           "# SHA-256 of the outputs of each family of long vectors (cases.h), computed by\n"
           "# two or three of nettle %d.%d, libgcrypt %s and %s,\n"
           "# which agree on every byte.\n"
           "# Made by `make golden-regenerate` (make_golden.c).\n",
           nettle_version_major(), nettle_version_minor(), gcry_check_version(NULL),
           OpenSSL_version(OPENSSL_VERSION));
    struct golden_family family;
    for (size_t i = 0; golden_get_family(&family, i); i++) {
        compute_fn *const *compute = find_sources(family.mode);
        struct sha256_ctx h;
        uint8_t digest[32];
        sha256_init(&h);
        for (size_t len = family.first_length; len <= family.last_length; len += family.step) {
            uint8_t tag[3][16] = {{0}, {0}, {0}};
            size_t out_len[3];
            golden_get_case(&c, &family, len);
            for (int j = 0; j < 3 && compute[j] != NULL; j++) {
                out_len[j] = compute[j](&family, &c, out[j], tag[j]);
                if (out_len[j] != out_len[0] || memcmp(out[j], out[0], out_len[0]) != 0 ||
                    memcmp(tag[j], tag[0], 16) != 0) {
                    fprintf(stderr, "%s, %zu bytes: two implementations disagree\n", family.name,
                            len);
                    return 1;
                }
            }
            sha256_update(&h, out_len[0], out[0]);
            sha256_update(&h, family.tag_len, tag[0]);
        }
        sha256_digest(&h, sizeof digest, digest);
        for (size_t j = 0; j < sizeof digest; j++)
            printf("%02x", digest[j]);
        printf("  %s\n", family.name);
    }
    return 0;
}
