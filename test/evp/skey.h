/* SPDX-License-Identifier: Apache-2.0 */
/* libcrypto's functions for opaque keys, since 3.5: see skey.c. */
#ifndef CTAES_TEST_EVP_SKEY_H
#define CTAES_TEST_EVP_SKEY_H

#include <openssl/evp.h>

struct skey_api {
    void *(*import_raw_key)(OSSL_LIB_CTX *libctx, const char *name, unsigned char *key, size_t len,
                            const char *propq);
    int (*cipher_init)(EVP_CIPHER_CTX *ctx, const EVP_CIPHER *cipher, void *skey,
                       const unsigned char *iv, size_t iv_len, int enc, const OSSL_PARAM params[]);
    void (*free)(void *skey);
};

/* Returns NULL where this libcrypto doesn't have them. */
const struct skey_api *find_skey_api(void);

#endif
