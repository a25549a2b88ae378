/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libcrypto, opened at run time.
 *
 * One program measures against any libcrypto from 3.0 on, whatever the number
 * in its file's name: it calls only what 3.0 already had. Calls go through a
 * table of pointers, which costs what the jump through a linked program's
 * procedure linkage table costs.
 */
#ifndef BENCH_LIBCRYPTO_H
#define BENCH_LIBCRYPTO_H

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

#include <stdbool.h>
#include <stddef.h>

#define LIBCRYPTO_FUNCTIONS(X)                                                                     \
    X(OpenSSL_version)                                                                             \
    X(OPENSSL_info)                                                                                \
    X(OSSL_LIB_CTX_new)                                                                            \
    X(OSSL_LIB_CTX_free)                                                                           \
    X(OSSL_PROVIDER_set_default_search_path)                                                       \
    X(OSSL_PROVIDER_load)                                                                          \
    X(OSSL_PROVIDER_unload)                                                                        \
    X(OSSL_PROVIDER_get0_name)                                                                     \
    X(EVP_CIPHER_fetch)                                                                            \
    X(EVP_CIPHER_free)                                                                             \
    X(EVP_CIPHER_get0_provider)                                                                    \
    X(EVP_CIPHER_CTX_new)                                                                          \
    X(EVP_CIPHER_CTX_free)                                                                         \
    X(EVP_CIPHER_CTX_set_padding)                                                                  \
    X(EVP_CIPHER_CTX_set_flags)                                                                    \
    X(EVP_CIPHER_CTX_ctrl)                                                                         \
    X(EVP_CIPHER_CTX_get_params)                                                                   \
    X(EVP_CipherInit_ex)                                                                           \
    X(EVP_CipherUpdate)                                                                            \
    X(EVP_CipherFinal_ex)                                                                          \
    X(ERR_print_errors_cb)

struct libcrypto {
#define X(function) __typeof__(function) *function;
    LIBCRYPTO_FUNCTIONS(X)
#undef X
};

/* The functions of the libcrypto that open_libcrypto has opened. */
extern struct libcrypto lc;

/* Opens the library at path, or of that name where dlopen(3) looks. Says on
   standard error why it can't, and returns false then. */
bool open_libcrypto(const char *path);

/* Takes all entries off libcrypto's error queue, and writes them to out, in one
   line; "" if there are none. */
void take_errors(char *out, size_t size);

#endif
