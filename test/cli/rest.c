/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A provider for tests: the default provider without its AES. A process that has
 * it and ctaes, and not the default provider, has no other AES than ctaes's, and all
 * else that TLS needs. (The strict configuration of the other tests leaves nothing
 * but ctaes.)
 *
 * It loads the default provider into a library context of its own, and hands its
 * algorithms on as they are, with its context. The random numbers in there come
 * from the default provider's AES: no record does.
 */
#include <openssl/core_dispatch.h>
#include <openssl/crypto.h>
#include <openssl/provider.h>

#include <stdlib.h>
#include <string.h>

/* Common to all library contexts of the process that load this, which take turns. */
static unsigned users;
static OSSL_LIB_CTX *library;
static OSSL_PROVIDER *whole;
static OSSL_ALGORITHM ciphers[512];

static OSSL_FUNC_provider_query_operation_fn query;
static const OSSL_ALGORITHM *query(void *provctx, int operation, int *no_cache)
{
    (void)provctx;
    if (operation != OSSL_OP_CIPHER)
        return OSSL_PROVIDER_query_operation(whole, operation, no_cache);
    *no_cache = 0;
    return ciphers;
}

/* The groups of TLS. */
static OSSL_FUNC_provider_get_capabilities_fn get_capabilities;
static int get_capabilities(void *provctx, const char *capability, OSSL_CALLBACK *callback,
                            void *arg)
{
    (void)provctx;
    return OSSL_PROVIDER_get_capabilities(whole, capability, callback, arg);
}

static OSSL_FUNC_provider_teardown_fn teardown;
static void teardown(void *provctx)
{
    (void)provctx;
    if (--users > 0)
        return;
    OSSL_PROVIDER_unload(whole);
    OSSL_LIB_CTX_free(library);
}

static const OSSL_DISPATCH functions[] = {
    {OSSL_FUNC_PROVIDER_QUERY_OPERATION, (void (*)(void))query},
    {OSSL_FUNC_PROVIDER_GET_CAPABILITIES, (void (*)(void))get_capabilities},
    {OSSL_FUNC_PROVIDER_TEARDOWN, (void (*)(void))teardown},
    {0, NULL}};

OSSL_provider_init_fn OSSL_provider_init;
int OSSL_provider_init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in,
                       const OSSL_DISPATCH **out, void **provctx)
{
    int no_cache;
    size_t n = 0;

    (void)handle;
    (void)in;
    if (users++ > 0) {
        *provctx = OSSL_PROVIDER_get0_provider_ctx(whole);
        *out = functions;
        return 1;
    }
    library = OSSL_LIB_CTX_new();
    whole = OSSL_PROVIDER_load(library, "default");
    if (whole == NULL)
        return 0;
    for (const OSSL_ALGORITHM *a = OSSL_PROVIDER_query_operation(whole, OSSL_OP_CIPHER, &no_cache);
         a->algorithm_names != NULL; a++) {
        if (strncmp(a->algorithm_names, "AES", 3) == 0)
            continue;
        if (n + 1 == sizeof ciphers / sizeof ciphers[0])
            abort();
        ciphers[n++] = *a;
    }
    *provctx = OSSL_PROVIDER_get0_provider_ctx(whole);
    *out = functions;
    return 1;
}
