/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MACs and opaque keys, for ctaes-check.
 *
 *      program ──▶ CMAC of ctaes                                 macs = yes
 *      program ──▶ CMAC of default ──▶ AES-128-CBC of ctaes      macs = no
 *
 * The default provider's MACs fetch their cipher as any program does, so it is that cipher's
 * provider whose AES they use. A MAC of a third provider may have an AES of its own.
 *
 * EVP_SKEYMGMT is new in OpenSSL 3.5. This command may have been built with older headers, and runs
 * with newer libraries: it looks the functions up.
 */
#define _GNU_SOURCE /* RTLD_DEFAULT */

#include "beside.h"

#include <openssl/err.h>
#include <openssl/evp.h>

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

bool is_ctaes(const OSSL_PROVIDER *provider)
{
    char *core = NULL;
    OSSL_PARAM query[] = {OSSL_PARAM_utf8_ptr("core", &core, 0), OSSL_PARAM_END};
    return OSSL_PROVIDER_get_params(provider, query) == 1 && core != NULL;
}

/* Writes the provider's name, "" for NULL. Returns whether it is ctaes. */
static bool tell_provider(char *out, size_t size, const OSSL_PROVIDER *provider)
{
    snprintf(out, size, "%s", provider != NULL ? OSSL_PROVIDER_get0_name(provider) : "");
    return provider != NULL && is_ctaes(provider);
}

void ask_for_macs(struct beside found[MACS])
{
    static const char *const macs[MACS][2] = {{"CMAC", "AES-128-CBC"}, {"GMAC", "AES-128-GCM"}};
    for (size_t i = 0; i < MACS; i++) {
        struct beside *f = &found[i];
        EVP_MAC *mac = EVP_MAC_fetch(NULL, macs[i][0], NULL);
        EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, macs[i][1], NULL);
        const OSSL_PROVIDER *provider = mac != NULL ? EVP_MAC_get0_provider(mac) : NULL;
        snprintf(f->name, sizeof f->name, "%s", macs[i][0]);
        f->by_ctaes = tell_provider(f->provider, sizeof f->provider, provider);
        if (strcmp(f->provider, "default") == 0)
            provider = cipher != NULL ? EVP_CIPHER_get0_provider(cipher) : NULL;
        f->aes_by_ctaes = tell_provider(f->aes, sizeof f->aes, provider);
        EVP_MAC_free(mac);
        EVP_CIPHER_free(cipher);
    }
    ERR_clear_error();
}

/* The functions of OpenSSL 3.5 that are needed. */
struct functions {
    void *(*fetch)(OSSL_LIB_CTX *libctx, const char *name, const char *properties);
    const OSSL_PROVIDER *(*get0_provider)(const void *skeymgmt);
    void (*free)(void *skeymgmt);
};

static bool find_functions(struct functions *f)
{
    /* A pointer to a function isn't one to an object in C, but POSIX says that it can be copied. */
    void *found[3] = {dlsym(RTLD_DEFAULT, "EVP_SKEYMGMT_fetch"),
                      dlsym(RTLD_DEFAULT, "EVP_SKEYMGMT_get0_provider"),
                      dlsym(RTLD_DEFAULT, "EVP_SKEYMGMT_free")};
    _Static_assert(sizeof found == sizeof *f, "pointers to functions of another size");
    memcpy(f, found, sizeof *f);
    return found[0] != NULL && found[1] != NULL && found[2] != NULL;
}

size_t ask_for_skeymgmts(struct beside found[SKEYMGMTS])
{
    static const char *const names[SKEYMGMTS] = {"AES", "GENERIC-SECRET"};
    struct functions functions;
    if (!find_functions(&functions))
        return 0;
    for (size_t i = 0; i < SKEYMGMTS; i++) {
        struct beside *f = &found[i];
        void *skeymgmt = functions.fetch(NULL, names[i], NULL);
        snprintf(f->name, sizeof f->name, "%s", names[i]);
        f->by_ctaes = tell_provider(f->provider, sizeof f->provider,
                                    skeymgmt != NULL ? functions.get0_provider(skeymgmt) : NULL);
        if (skeymgmt != NULL)
            functions.free(skeymgmt);
    }
    ERR_clear_error();
    return SKEYMGMTS;
}
