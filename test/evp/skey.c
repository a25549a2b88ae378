/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opaque keys (EVP_SKEY): the functions of ctaes's table with each kind of
 * input, whatever libcrypto this is; and, where libcrypto has them (since 3.5),
 * the default provider's beside them, and ctaes's ciphers with ctaes's keys.
 */
#include "skey.h"

#include "evp.h"

#include <openssl/core_dispatch.h>

#include <dlfcn.h>
#include <string.h>

/* Numbers that headers have since 3.5. */
enum { OP_SKEYMGMT = 15, FREE = 1, IMPORT = 2, EXPORT = 3, SELECT_PARAMETERS = 1, SELECT_KEY = 2 };

struct skey_functions {
    void *provctx;
    void (*free)(void *skey);
    void *(*import)(void *provctx, int selection, const OSSL_PARAM params[]);
    int (*export)(void *skey, int selection, OSSL_CALLBACK *callback, void *arg);
};

/* Returns whether the provider has that kind of key. */
static bool find_skey_functions(struct skey_functions *f, const OSSL_PROVIDER *provider,
                                const char *name)
{
    int no_cache;
    size_t n = strlen(name);
    const OSSL_ALGORITHM *a = OSSL_PROVIDER_query_operation(provider, OP_SKEYMGMT, &no_cache);
    memset(f, 0, sizeof *f);
    f->provctx = OSSL_PROVIDER_get0_provider_ctx(provider);
    while (a != NULL && a->algorithm_names != NULL &&
           (strncmp(a->algorithm_names, name, n) != 0 ||
            (a->algorithm_names[n] != ':' && a->algorithm_names[n] != '\0')))
        a++;
    if (a == NULL || a->algorithm_names == NULL)
        return false;
    for (const OSSL_DISPATCH *d = a->implementation; d->function_id != 0; d++) {
        if (d->function_id == FREE)
            f->free = (void (*)(void *))d->function;
        if (d->function_id == IMPORT)
            f->import = (void *(*)(void *, int, const OSSL_PARAM *))d->function;
        if (d->function_id == EXPORT)
            f->export = (int (*)(void *, int, OSSL_CALLBACK *, void *))d->function;
    }
    return f->free != NULL && f->import != NULL && f->export != NULL;
}

/* What the export's callback was given. */
struct exported {
    unsigned calls;
    int answer;
    size_t len;
    uint8_t bytes[512];
};

static int take_export(const OSSL_PARAM params[], void *arg)
{
    struct exported *e = arg;
    const OSSL_PARAM *p = OSSL_PARAM_locate_const(params, "raw-bytes");
    e->calls++;
    if (p != NULL && p->data_type == OSSL_PARAM_OCTET_STRING && p->data_size <= sizeof e->bytes) {
        e->len = p->data_size;
        memcpy(e->bytes, p->data, p->data_size);
    }
    return e->answer;
}

static const struct import_case {
    const char *what;
    int selection;
    unsigned type;
    size_t len;
    bool no_data, no_params;
    bool as_aes, as_generic; /* whether it is a key */
} import_cases[] = {
    {"16 bytes", SELECT_KEY, OSSL_PARAM_OCTET_STRING, 16, false, false, true, true},
    {"24 bytes", SELECT_KEY, OSSL_PARAM_OCTET_STRING, 24, false, false, true, true},
    {"32 bytes", SELECT_KEY, OSSL_PARAM_OCTET_STRING, 32, false, false, true, true},
    {"all of it", SELECT_KEY | SELECT_PARAMETERS, OSSL_PARAM_OCTET_STRING, 16, false, false, true,
     true},
    {"1 byte", SELECT_KEY, OSSL_PARAM_OCTET_STRING, 1, false, false, false, true},
    {"17 bytes", SELECT_KEY, OSSL_PARAM_OCTET_STRING, 17, false, false, false, true},
    {"300 bytes", SELECT_KEY, OSSL_PARAM_OCTET_STRING, 300, false, false, false, true},
    {"no byte", SELECT_KEY, OSSL_PARAM_OCTET_STRING, 0, false, false, false, false},
    {"no selection", 0, OSSL_PARAM_OCTET_STRING, 16, false, false, false, false},
    {"parameters only", SELECT_PARAMETERS, OSSL_PARAM_OCTET_STRING, 16, false, false, false, false},
    {"data of NULL", SELECT_KEY, OSSL_PARAM_OCTET_STRING, 16, true, false, false, false},
    {"a number", SELECT_KEY, OSSL_PARAM_UNSIGNED_INTEGER, 16, false, false, false, false},
    {"no parameters", SELECT_KEY, OSSL_PARAM_OCTET_STRING, 16, false, true, false, false},
};

static void check_import(const struct skey_functions *f, const char *side, const char *name,
                         const struct import_case *c, bool want)
{
    uint8_t bytes[300];
    fill_pseudo_random(bytes, sizeof bytes, c->len);
    const OSSL_PARAM params[] = {
        {"nosuch", OSSL_PARAM_OCTET_STRING, bytes, 1, 0},
        {"raw-bytes", c->type, c->no_data ? NULL : bytes, c->len, 0},
        OSSL_PARAM_END,
    };
    ERR_clear_error();
    void *skey = f->import(f->provctx, c->selection, c->no_params ? NULL : params);
    check((skey != NULL) == want, "%s, %s of %s: is it a key?", side, name, c->what);
    check(ERR_peek_error() == 0, "%s, %s of %s leaves errors", side, name, c->what);
    for (int selection = 0; skey != NULL && selection < 4; selection++)
        for (int answer = 0; answer < 2; answer++) {
            struct exported e = {.answer = answer};
            bool told = (selection & SELECT_KEY) != 0;
            int result = f->export(skey, selection, take_export, &e);
            check(result == (told && answer) && e.calls == told,
                  "%s, %s of %s: export of selection %d says %d", side, name, c->what, selection,
                  result);
            check(!told || (e.len == c->len && memcmp(e.bytes, bytes, c->len) == 0),
                  "%s, %s of %s: other bytes come back", side, name, c->what);
        }
    if (skey != NULL)
        f->free(skey);
}

/* Whether OpenSSL's own provider looks at the parameter's type. */
static bool checks_type(const struct side *side)
{
    return strcmp(side->label, "ctaes") == 0 || openssl_version >= 0x30600000;
}

static void check_table(const struct side *side, bool required)
{
    static const char *const names[] = {"AES", "GENERIC-SECRET"};
    for (size_t k = 0; k < 2; k++) {
        struct skey_functions f;
        bool found = find_skey_functions(&f, side->provider, names[k]);
        check(found || !required, "%s has no opaque keys %s", side->label, names[k]);
        for (size_t i = 0; found && i < sizeof import_cases / sizeof import_cases[0]; i++) {
            const struct import_case *c = &import_cases[i];
            if (c->type != OSSL_PARAM_OCTET_STRING && !checks_type(side))
                continue;
            check_import(&f, side->label, names[k], c, k == 0 ? c->as_aes : c->as_generic);
        }
        if (found)
            f.free(NULL);
    }
}

const struct skey_api *find_skey_api(void)
{
    static struct skey_api api;
    *(void **)&api.import_raw_key = dlsym(RTLD_DEFAULT, "EVP_SKEY_import_raw_key");
    *(void **)&api.cipher_init = dlsym(RTLD_DEFAULT, "EVP_CipherInit_SKEY");
    *(void **)&api.free = dlsym(RTLD_DEFAULT, "EVP_SKEY_free");
    return api.import_raw_key != NULL && api.cipher_init != NULL && api.free != NULL ? &api : NULL;
}

/* Each cipher with an opaque key and with the key itself: the same comes out. */
static void check_ciphers(const struct skey_api *api)
{
    const struct side *side = &sides[SUBJECT];
    for (size_t i = 0; i < nalgorithms; i++) {
        const EVP_CIPHER *cipher = algorithms[i].cipher[SUBJECT];
        uint8_t key[64], iv[16], in[32], out[2][64] = {{0}, {0}};
        int n[2] = {0, 0}, rc[2];
        if (cipher == NULL)
            continue;
        size_t key_len = (size_t)EVP_CIPHER_get_key_length(cipher);
        fill_pseudo_random(key, sizeof key, 1);
        fill_pseudo_random(iv, sizeof iv, 2);
        fill_pseudo_random(in, sizeof in, 3);
        for (int opaque = 0; opaque < 2; opaque++) {
            EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
            void *skey =
                api->import_raw_key(side->libctx, "GENERIC-SECRET", key, key_len, side->propq);
            EVP_CIPHER_CTX_set_flags(ctx, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
            /* A new context of CCM has another length than the cipher says. */
            EVP_CipherInit_ex2(ctx, cipher, NULL, NULL, 1, NULL);
            const size_t iv_len = (size_t)EVP_CIPHER_CTX_get_iv_length(ctx);
            rc[opaque] = skey != NULL && opaque
                             ? api->cipher_init(ctx, cipher, skey, iv, iv_len, 1, NULL)
                             : EVP_CipherInit_ex2(ctx, cipher, key, iv, 1, NULL);
            check(skey != NULL, "no opaque key for %s", algorithms[i].name);
            EVP_CipherUpdate(ctx, out[opaque], &n[opaque], in, sizeof in);
            EVP_CIPHER_CTX_free(ctx);
            api->free(skey);
        }
        check(rc[0] == 1 && rc[1] == 1 && n[0] == n[1] && memcmp(out[0], out[1], 64) == 0,
              "%s with an opaque key", algorithms[i].name);
        ERR_clear_error();
    }
}

void run_skey(void)
{
    const struct skey_api *api = find_skey_api();
    const bool has_api = api != NULL;
    check(has_api == (openssl_version >= 0x30500000), "this version's EVP_SKEY functions");
    check_table(&sides[SUBJECT], strcmp(sides[SUBJECT].label, "ctaes") == 0 || has_api);
    check_table(&sides[REFERENCE], has_api);
    if (has_api)
        check_ciphers(api);
}
