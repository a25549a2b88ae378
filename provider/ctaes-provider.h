/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ctaes provider inside of a program: libctaes-provider.a has all of ctaes.so, under a name
 * that doesn't clash with another provider's. Before anything that reads the configuration,
 *
 *      OSSL_PROVIDER_add_builtin(libctx, "ctaes", ctaes_provider_init);
 *
 * makes the name "ctaes" known to that library context, and OSSL_PROVIDER_load(libctx, "ctaes") or
 * `activate = 1` in the configuration activates it, without a file to be found or verified. It
 * serves libcrypto as a shared and as a static library, 3.0 and newer; and calls it only through
 * what libcrypto hands over. See docs/library.md.
 */
#ifndef CTAES_PROVIDER_H
#define CTAES_PROVIDER_H

#include <openssl/core.h>

#ifdef __cplusplus
extern "C" {
#endif

OSSL_provider_init_fn ctaes_provider_init;

#ifdef __cplusplus
}
#endif

#endif
