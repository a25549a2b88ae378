/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opaque symmetric keys (EVP_SKEY), since OpenSSL 3.5.
 *
 * A cipher takes only a key object of its own provider, so whoever prefers
 * ctaes's ciphers must get key objects from here too: "AES" and, for what is
 * just bytes, "GENERIC-SECRET", as the default provider has them. They hold the
 * bytes and hand them out again; libcrypto exports them to our ciphers'
 * ordinary init functions.
 *
 * One allocation: the object, then the key. Freed, it is wiped.
 */
#include "skeymgmt.h"

#include "memory.h"
#include "params.h"

#include <openssl/core_names.h>

#include <string.h>

/* Since OpenSSL 3.5. An older libcrypto never asks for the operation, and the module must build
   with its headers. */
#ifndef OSSL_FUNC_SKEYMGMT_FREE
#    define OSSL_FUNC_SKEYMGMT_FREE 1
#    define OSSL_FUNC_SKEYMGMT_IMPORT 2
#    define OSSL_FUNC_SKEYMGMT_EXPORT 3
#    define OSSL_FUNC_SKEYMGMT_IMP_SETTABLE_PARAMS 6
#    define OSSL_SKEYMGMT_SELECT_SECRET_KEY 0x02
#endif
#ifndef OSSL_SKEY_PARAM_RAW_BYTES
#    define OSSL_SKEY_PARAM_RAW_BYTES "raw-bytes"
#endif

struct skey {
    const struct ctaes_provctx *prov;
    size_t len; /* of the key, in bytes */
    uint8_t key[];
};

static bool is_aes_length(size_t len)
{
    return len == 16 || len == 24 || len == 32;
}

/* Makes an object of what the parameter raw-bytes holds; NULL, in silence as from the default
   provider, if there are no bytes or, for_aes, if they can't be an AES key; or if there is no
   memory. */
static struct skey *import_bytes(const struct ctaes_provctx *prov, int selection,
                                 const OSSL_PARAM params[], bool for_aes)
{
    const OSSL_PARAM *raw = NULL;
    if ((selection & OSSL_SKEYMGMT_SELECT_SECRET_KEY) == 0 || params == NULL)
        return NULL;
    for (const OSSL_PARAM *p = params; raw == NULL && p->key != NULL; p++)
        if (strcmp(p->key, OSSL_SKEY_PARAM_RAW_BYTES) == 0)
            raw = p;
    if (raw == NULL || raw->data_type != OSSL_PARAM_OCTET_STRING || raw->data == NULL ||
        raw->data_size == 0 || raw->data_size > PTRDIFF_MAX / 2 ||
        (for_aes && !is_aes_length(raw->data_size)))
        return NULL;
    struct skey *skey = ctaes_get_memory(prov, sizeof *skey + raw->data_size);
    if (skey == NULL)
        return NULL;
    CTAES_CLEARS_REGISTERS(prov);
    skey->prov = prov;
    skey->len = raw->data_size;
    memcpy(skey->key, raw->data, raw->data_size);
    return skey;
}

static void *import_aes(void *provctx, int selection, const OSSL_PARAM params[])
{
    return import_bytes(provctx, selection, params, true);
}

static void *import_generic(void *provctx, int selection, const OSSL_PARAM params[])
{
    return import_bytes(provctx, selection, params, false);
}

static const OSSL_PARAM *get_import_params(void *provctx)
{
    (void)provctx;
    static const OSSL_PARAM list[] = {
        CTAES_OCTETS(OSSL_SKEY_PARAM_RAW_BYTES),
        OSSL_PARAM_END,
    };
    return list;
}

static int export_skey(void *keydata, int selection, OSSL_CALLBACK *callback, void *arg)
{
    struct skey *skey = keydata;
    if (skey == NULL || (selection & OSSL_SKEYMGMT_SELECT_SECRET_KEY) == 0)
        return 0;
    const OSSL_PARAM params[] = {
        OSSL_PARAM_octet_string(OSSL_SKEY_PARAM_RAW_BYTES, skey->key, skey->len),
        OSSL_PARAM_END,
    };
    return callback(params, arg);
}

static void free_skey(void *keydata)
{
    struct skey *skey = keydata;
    if (skey == NULL)
        return;
    ctaes_free_memory(skey->prov, skey, sizeof *skey + skey->len);
}

#define ENTRY(number, function)                                                                    \
    {                                                                                              \
        number, (void (*)(void))(function)                                                         \
    }
#define DISPATCH(kind)                                                                             \
    static const OSSL_DISPATCH dispatch_##kind[] = {                                               \
        ENTRY(OSSL_FUNC_SKEYMGMT_FREE, free_skey),                                                 \
        ENTRY(OSSL_FUNC_SKEYMGMT_IMPORT, import_##kind),                                           \
        ENTRY(OSSL_FUNC_SKEYMGMT_EXPORT, export_skey),                                             \
        ENTRY(OSSL_FUNC_SKEYMGMT_IMP_SETTABLE_PARAMS, get_import_params),                          \
        {0, NULL}};
DISPATCH(aes)
DISPATCH(generic)

void ctaes_list_skeymgmts(OSSL_ALGORITHM out[CTAES_NSKEYMGMTS + 1], const char *properties)
{
    out[0] =
        (OSSL_ALGORITHM){"AES:2.16.840.1.101.3.4.1", properties, dispatch_aes, "opaque AES key"};
    out[1] = (OSSL_ALGORITHM){"GENERIC-SECRET", properties, dispatch_generic, "opaque secret key"};
    out[2] = (OSSL_ALGORITHM){NULL, NULL, NULL, NULL};
}
