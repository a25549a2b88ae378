/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contexts of message authentication codes: the functions that OpenSSL's
 * dispatch tables point to (see provider-mac(7)), and what the families share.
 *
 * blockmac.c: CMAC and PMAC. One allocation, aligned to CTAES_ALIGN, without a
 * pointer into itself: the context, then the expanded AES key.
 * gmac.c: a context of AES-GCM (cipher.h) to which all input is AAD.
 */
#ifndef CTAES_MAC_H
#define CTAES_MAC_H

#include "provctx.h"
#include "modes/cmac.h"
#include "modes/pmac.h"

/* A MAC made of AES blocks. state is a union ctaes_mac_state. */
struct ctaes_mac {
    const char *name;
    void (*init)(const struct ctaes_core *core, const struct ctaes_aes_key *key, void *state);
    void (*restart)(void *state);
    void (*update)(const struct ctaes_core *core, const struct ctaes_aes_key *key, void *state,
                   const uint8_t *in, size_t len);
    void (*final)(const struct ctaes_core *core, const struct ctaes_aes_key *key, void *state,
                  uint8_t tag[16]);
};

extern const struct ctaes_mac ctaes_mac_cmac;
extern const struct ctaes_mac ctaes_mac_pmac;

union ctaes_mac_state {
    struct ctaes_cmac cmac;
    struct ctaes_pmac pmac;
};

/* Bytes of all these tags. */
#define CTAES_MAC_SIZE 16

/*
 * Finds the cipher that a MAC is asked to use: p is the parameter "cipher" of
 * params, which may hold "properties" too. Returns NULL, having raised what the
 * default provider raises, if ctaes has no such cipher, if properties rule
 * ctaes out, or if the cipher isn't of the mode that the MAC needs. mac is its
 * name, for people.
 */
const struct ctaes_cipher *ctaes_find_mac_cipher(const struct ctaes_provctx *prov,
                                                 const OSSL_PARAM params[], const OSSL_PARAM *p,
                                                 const struct ctaes_mode *mode, const char *mac);

void *ctaes_blockmac_newctx(const struct ctaes_provctx *prov, const struct ctaes_mac *mac);
OSSL_FUNC_mac_dupctx_fn ctaes_blockmac_dupctx;
OSSL_FUNC_mac_freectx_fn ctaes_blockmac_freectx;
OSSL_FUNC_mac_init_fn ctaes_blockmac_init;
OSSL_FUNC_mac_update_fn ctaes_blockmac_update;
OSSL_FUNC_mac_final_fn ctaes_blockmac_final;
OSSL_FUNC_mac_get_ctx_params_fn ctaes_blockmac_get_ctx_params;
OSSL_FUNC_mac_set_ctx_params_fn ctaes_blockmac_set_ctx_params;
OSSL_FUNC_mac_gettable_ctx_params_fn ctaes_blockmac_gettable_ctx_params;
OSSL_FUNC_mac_settable_ctx_params_fn ctaes_blockmac_settable_ctx_params;

void *ctaes_gmac_newctx(const struct ctaes_provctx *prov, const struct ctaes_mode *mode);
OSSL_FUNC_mac_dupctx_fn ctaes_gmac_dupctx;
OSSL_FUNC_mac_freectx_fn ctaes_gmac_freectx;
OSSL_FUNC_mac_init_fn ctaes_gmac_init;
OSSL_FUNC_mac_update_fn ctaes_gmac_update;
OSSL_FUNC_mac_final_fn ctaes_gmac_final;
OSSL_FUNC_mac_get_params_fn ctaes_gmac_get_params;
OSSL_FUNC_mac_gettable_params_fn ctaes_gmac_gettable_params;
OSSL_FUNC_mac_set_ctx_params_fn ctaes_gmac_set_ctx_params;
OSSL_FUNC_mac_settable_ctx_params_fn ctaes_gmac_settable_ctx_params;

#endif
