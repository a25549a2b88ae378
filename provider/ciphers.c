/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expands ciphers.def. For each line: its row of facts, the two functions that
 * OpenSSL calls without a context and which therefore must know their
 * algorithm by themselves, and the dispatch table.
 */
#include "ciphers.h"

#include "cipher.h"
#include "names.h"

static const struct ctaes_cipher rows[CTAES_NCIPHERS] = {
#define CIPHER(id, names, family, kind, mode, key_len) {names, &ctaes_mode_##mode, key_len},
#include "ciphers.def"
#undef CIPHER
};

#define ENTRY(number, function)                                                                    \
    {                                                                                              \
        number, (void (*)(void))(function)                                                         \
    }

#define CIPHER(id, names, family, kind, mode, key_len)                                             \
    static OSSL_FUNC_cipher_newctx_fn newctx_##id;                                                 \
    static void *newctx_##id(void *provctx)                                                        \
    {                                                                                              \
        return ctaes_newctx(provctx, &rows[CTAES_ROW_##id], ctaes_##family##_set_defaults);        \
    }                                                                                              \
    static OSSL_FUNC_cipher_get_params_fn get_params_##id;                                         \
    static int get_params_##id(OSSL_PARAM params[])                                                \
    {                                                                                              \
        return ctaes_get_cipher_params(&rows[CTAES_ROW_##id], params);                             \
    }                                                                                              \
    static const OSSL_DISPATCH dispatch_##id[] = {                                                 \
        ENTRY(OSSL_FUNC_CIPHER_NEWCTX, newctx_##id),                                               \
        ENTRY(OSSL_FUNC_CIPHER_FREECTX, ctaes_freectx),                                            \
        ENTRY(OSSL_FUNC_CIPHER_DUPCTX, ctaes_dupctx),                                              \
        ENTRY(OSSL_FUNC_CIPHER_ENCRYPT_INIT, ctaes_##family##_encrypt_init),                       \
        ENTRY(OSSL_FUNC_CIPHER_DECRYPT_INIT, ctaes_##family##_decrypt_init),                       \
        ENTRY(OSSL_FUNC_CIPHER_UPDATE, ctaes_##kind##_update),                                     \
        ENTRY(OSSL_FUNC_CIPHER_FINAL, ctaes_##kind##_final),                                       \
        ENTRY(OSSL_FUNC_CIPHER_CIPHER, ctaes_##kind##_cipher),                                     \
        ENTRY(OSSL_FUNC_CIPHER_GET_PARAMS, get_params_##id),                                       \
        ENTRY(OSSL_FUNC_CIPHER_GETTABLE_PARAMS, ctaes_gettable_cipher_params),                     \
        ENTRY(OSSL_FUNC_CIPHER_GET_CTX_PARAMS, ctaes_##family##_get_ctx_params),                   \
        ENTRY(OSSL_FUNC_CIPHER_SET_CTX_PARAMS, ctaes_##family##_set_ctx_params),                   \
        ENTRY(OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS, ctaes_##family##_gettable_ctx_params),         \
        ENTRY(OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS, ctaes_##family##_settable_ctx_params),         \
        {0, NULL}};
#include "ciphers.def"
#undef CIPHER

static const OSSL_DISPATCH *const dispatch[CTAES_NCIPHERS] = {
#define CIPHER(id, names, family, kind, mode, key_len) dispatch_##id,
#include "ciphers.def"
#undef CIPHER
};

void ctaes_list_ciphers(OSSL_ALGORITHM *out, const char *properties)
{
    for (size_t i = 0; i < CTAES_NCIPHERS; i++)
        out[i] = (OSSL_ALGORITHM){rows[i].names, properties, dispatch[i], NULL};
    out[CTAES_NCIPHERS] = (OSSL_ALGORITHM){NULL, NULL, NULL, NULL};
}

const struct ctaes_cipher *ctaes_find_cipher(const char *name)
{
    for (size_t i = 0; i < CTAES_NCIPHERS; i++)
        if (is_one_of(rows[i].names, name))
            return &rows[i];
    return NULL;
}
