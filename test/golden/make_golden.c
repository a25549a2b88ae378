/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes digests.txt: computes the long vectors with nettle and with libgcrypt,
 * two implementations that share nothing, and fails if they differ in a byte.
 *
 *   make golden-regenerate          (Debian: nettle-dev, libgcrypt20-dev)
 */
#include "cases.h"

#include <gcrypt.h>
#include <nettle/aes.h>
#include <nettle/cbc.h>
#include <nettle/ctr.h>
#include <nettle/gcm.h>
#include <nettle/nettle-meta.h>
#include <nettle/sha2.h>
#include <nettle/version.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- nettle ------------------------------------------------------------------------------- */

static void run_nettle(const struct golden_family *family, const struct golden_case *c,
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
}

/* --- libgcrypt ---------------------------------------------------------------------------- */

static void check(gcry_error_t error, const char *what)
{
    if (error != 0) {
        fprintf(stderr, "libgcrypt: %s: %s\n", what, gcry_strerror(error));
        exit(1);
    }
}

static void run_gcrypt(const struct golden_family *family, const struct golden_case *c,
                       uint8_t *out, uint8_t tag[16])
{
    int algorithm = family->key_len == 16   ? GCRY_CIPHER_AES128
                    : family->key_len == 24 ? GCRY_CIPHER_AES192
                                            : GCRY_CIPHER_AES256;
    int mode = strcmp(family->mode, "ECB") == 0   ? GCRY_CIPHER_MODE_ECB
               : strcmp(family->mode, "CBC") == 0 ? GCRY_CIPHER_MODE_CBC
               : strcmp(family->mode, "CTR") == 0 ? GCRY_CIPHER_MODE_CTR
                                                  : GCRY_CIPHER_MODE_GCM;
    gcry_cipher_hd_t cipher;
    check(gcry_cipher_open(&cipher, algorithm, mode, 0), "open");
    check(gcry_cipher_setkey(cipher, c->key, family->key_len), "setkey");
    if (mode == GCRY_CIPHER_MODE_CTR)
        check(gcry_cipher_setctr(cipher, c->iv, 16), "setctr");
    else if (mode != GCRY_CIPHER_MODE_ECB)
        check(gcry_cipher_setiv(cipher, c->iv, c->iv_len), "setiv");
    if (mode == GCRY_CIPHER_MODE_GCM && c->aad_len > 0)
        check(gcry_cipher_authenticate(cipher, c->aad, c->aad_len), "authenticate");
    if (c->len > 0)
        check(gcry_cipher_encrypt(cipher, out, c->len, c->plaintext, c->len), "encrypt");
    if (mode == GCRY_CIPHER_MODE_GCM)
        check(gcry_cipher_gettag(cipher, tag, 16), "gettag");
    gcry_cipher_close(cipher);
}

/* --- Both --------------------------------------------------------------------------------- */

int main(void)
{
    static struct golden_case c;
    static uint8_t first[GOLDEN_MAX_LENGTH], second[GOLDEN_MAX_LENGTH];
    if (gcry_check_version(GCRYPT_VERSION) == NULL) {
        fprintf(stderr, "libgcrypt is older than its header\n");
        return 1;
    }
    gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);

    printf("# SPDX-License-Identifier: Apache-2.0\n"
           "# SHA-256 of the outputs of each family of long vectors (cases.h), computed by\n"
           "# nettle %d.%d and libgcrypt %s, which agree on every byte.\n"
           "# Made by `make golden-regenerate` (make_golden.c).\n",
           nettle_version_major(), nettle_version_minor(), gcry_check_version(NULL));
    for (size_t i = 0; i < GOLDEN_FAMILIES; i++) {
        struct golden_family family = {.step = 0};
        struct sha256_ctx h;
        uint8_t digest[32];
        golden_get_family(&family, i);
        bool aead = strcmp(family.mode, "GCM") == 0;
        sha256_init(&h);
        for (size_t len = family.first_length; len <= family.last_length; len += family.step) {
            uint8_t tag[2][16] = {{0}, {0}};
            golden_get_case(&c, &family, len);
            run_nettle(&family, &c, first, tag[0]);
            run_gcrypt(&family, &c, second, tag[1]);
            if (memcmp(first, second, len) != 0 || memcmp(tag[0], tag[1], 16) != 0) {
                fprintf(stderr, "%s, %zu bytes: nettle and libgcrypt disagree\n", family.name, len);
                return 1;
            }
            sha256_update(&h, len, first);
            if (aead)
                sha256_update(&h, 16, tag[0]);
        }
        sha256_digest(&h, sizeof digest, digest);
        for (size_t j = 0; j < sizeof digest; j++)
            printf("%02x", digest[j]);
        printf("  %s\n", family.name);
    }
    return 0;
}
