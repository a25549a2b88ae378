/* SPDX-License-Identifier: Apache-2.0 */
/* Expands macs.def: for each line a newctx, which must know its MAC by itself,
   and the dispatch table. */
#include "macs.h"

#include "mac.h"

#define ENTRY(number, function)                                                                    \
    {                                                                                              \
        number, (void (*)(void))(function)                                                         \
    }

/* What the families have beside the functions that all have. The size of a GMAC
   is a fact of the algorithm, that of the others is known with the cipher. */
#define NEW_blockmac(mode, prov) ctaes_blockmac_newctx(prov, &ctaes_mac_##mode)
#define NEW_gmac(mode, prov) ctaes_gmac_newctx(prov, &ctaes_mode_##mode)
#define GETTERS_blockmac                                                                           \
    ENTRY(OSSL_FUNC_MAC_GETTABLE_CTX_PARAMS, ctaes_blockmac_gettable_ctx_params),                  \
        ENTRY(OSSL_FUNC_MAC_GET_CTX_PARAMS, ctaes_blockmac_get_ctx_params)
#define GETTERS_gmac                                                                               \
    ENTRY(OSSL_FUNC_MAC_GETTABLE_PARAMS, ctaes_gmac_gettable_params),                              \
        ENTRY(OSSL_FUNC_MAC_GET_PARAMS, ctaes_gmac_get_params)

#define MAC(id, names, family, mode)                                                               \
    static OSSL_FUNC_mac_newctx_fn newctx_##id;                                                    \
    static void *newctx_##id(void *provctx)                                                        \
    {                                                                                              \
        return NEW_##family(mode, provctx);                                                        \
    }                                                                                              \
    static const OSSL_DISPATCH dispatch_##id[] = {                                                 \
        ENTRY(OSSL_FUNC_MAC_NEWCTX, newctx_##id),                                                  \
        ENTRY(OSSL_FUNC_MAC_DUPCTX, ctaes_##family##_dupctx),                                      \
        ENTRY(OSSL_FUNC_MAC_FREECTX, ctaes_##family##_freectx),                                    \
        ENTRY(OSSL_FUNC_MAC_INIT, ctaes_##family##_init),                                          \
        ENTRY(OSSL_FUNC_MAC_UPDATE, ctaes_##family##_update),                                      \
        ENTRY(OSSL_FUNC_MAC_FINAL, ctaes_##family##_final),                                        \
        GETTERS_##family,                                                                          \
        ENTRY(OSSL_FUNC_MAC_SETTABLE_CTX_PARAMS, ctaes_##family##_settable_ctx_params),            \
        ENTRY(OSSL_FUNC_MAC_SET_CTX_PARAMS, ctaes_##family##_set_ctx_params),                      \
        {0, NULL}};
#include "macs.def"
#undef MAC

void ctaes_list_macs(OSSL_ALGORITHM *out, const char *properties)
{
    static const struct {
        const char *names;
        const OSSL_DISPATCH *dispatch;
    } rows[CTAES_NMACS] = {
#define MAC(id, names, family, mode) {names, dispatch_##id},
#include "macs.def"
#undef MAC
    };
    for (size_t i = 0; i < CTAES_NMACS; i++)
        out[i] = (OSSL_ALGORITHM){rows[i].names, properties, rows[i].dispatch, NULL};
    out[CTAES_NMACS] = (OSSL_ALGORITHM){NULL, NULL, NULL, NULL};
}
