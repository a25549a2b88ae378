/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The module's entry point: from OpenSSL's handshake to a provider context
 * with a core, and back.
 */
#include "provctx.h"

#include "err.h"
#include "names.h"
#include "params.h"
#include "skeymgmt.h"

#include <openssl/core_names.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __clang__
#    define COMPILER __VERSION__ /* names itself */
#else
#    define COMPILER "gcc " __VERSION__
#endif

/* Whether the host's OpenSSL is at least major.minor. */
static bool host_is_at_least(const struct ctaes_provctx *prov, int major, int minor)
{
    const char *version = NULL;
    OSSL_PARAM query[] = {
        OSSL_PARAM_utf8_ptr(OSSL_PROV_PARAM_CORE_VERSION, &version, 0),
        OSSL_PARAM_END,
    };
    if (!prov->up.get_params(prov->handle, query) || version == NULL)
        return false;
    char *end;
    long host_major = strtol(version, &end, 10);
    long host_minor = *end == '.' ? strtol(end + 1, NULL, 10) : 0;
    return host_major > major || (host_major == major && host_minor >= minor);
}

/* Reads a setting of the provider's section of the configuration that is yes or
   no, in the words that OpenSSL knows. Returns false, having raised, for others. */
static bool read_setting(const struct ctaes_provctx *prov, const char *key, bool *value)
{
    const char *text = NULL;
    OSSL_PARAM query[] = {OSSL_PARAM_utf8_ptr(key, &text, 0), OSSL_PARAM_END};
    if (!prov->up.get_params(prov->handle, query) || text == NULL)
        return true;
    if (is_one_of("yes:on:true:1", text))
        *value = true;
    else if (is_one_of("no:off:false:0", text))
        *value = false;
    else {
        CTAES_RAISE_OWN(prov, CTAES_R_BAD_SETTING,
                        "%s in the provider's section of the configuration is \"%s\"; it can be "
                        "yes or no",
                        key, text);
        return false;
    }
    return true;
}

/* Reads secure_memory. Returns false, having raised, if it can't be had in this host at all.
   Whether the secure heap is set up is another matter: a program may do that after this. */
static bool read_secure_memory(struct ctaes_provctx *prov)
{
    if (!read_setting(prov, "secure_memory", &prov->secure_memory))
        return false;
    const struct ctaes_upcalls *up = &prov->up;
    if (!prov->secure_memory ||
        (up->secure_malloc != NULL && up->secure_free != NULL && up->secure_allocated != NULL))
        return true;
    CTAES_RAISE_OWN(prov, CTAES_R_NO_SECURE_HEAP,
                    "secure_memory is set in the provider's section of the configuration, and this "
                    "host offers its providers no secure heap");
    return false;
}

static const OSSL_PARAM *get_gettable_params(void *provctx)
{
    (void)provctx;
    static const OSSL_PARAM list[] = {
        OSSL_PARAM_utf8_ptr(OSSL_PROV_PARAM_NAME, NULL, 0),
        OSSL_PARAM_utf8_ptr(OSSL_PROV_PARAM_VERSION, NULL, 0),
        OSSL_PARAM_utf8_ptr(OSSL_PROV_PARAM_BUILDINFO, NULL, 0),
        OSSL_PARAM_int(OSSL_PROV_PARAM_STATUS, NULL),
        OSSL_PARAM_utf8_ptr(CTAES_PARAM_CORE, NULL, 0),
        OSSL_PARAM_utf8_ptr(CTAES_PARAM_PASSED_OVER, NULL, 0),
        OSSL_PARAM_int(CTAES_PARAM_SECURE_MEMORY, NULL),
        OSSL_PARAM_END,
    };
    return list;
}

static int get_params(void *provctx, OSSL_PARAM params[])
{
    const struct ctaes_provctx *prov = provctx;
    for (OSSL_PARAM *p = params; p->key != NULL; p++) {
        bool done = true;
        if (strcmp(p->key, OSSL_PROV_PARAM_NAME) == 0)
            done = ctaes_param_set_utf8_ptr(p, "ctaes: constant-time AES");
        else if (strcmp(p->key, OSSL_PROV_PARAM_VERSION) == 0)
            done = ctaes_param_set_utf8_ptr(p, CTAES_VERSION);
        else if (strcmp(p->key, OSSL_PROV_PARAM_BUILDINFO) == 0)
            done = ctaes_param_set_utf8_ptr(p, prov->build_info);
        else if (strcmp(p->key, OSSL_PROV_PARAM_STATUS) == 0)
            done = ctaes_param_set_uint(p, 1);
        else if (strcmp(p->key, CTAES_PARAM_CORE) == 0)
            done = ctaes_param_set_utf8_ptr(p, prov->core->name);
        else if (strcmp(p->key, CTAES_PARAM_PASSED_OVER) == 0)
            done = ctaes_param_set_utf8_ptr(p, prov->passed_over);
        else if (strcmp(p->key, CTAES_PARAM_SECURE_MEMORY) == 0)
            done = ctaes_param_set_uint(p, prov->secure_memory);
        if (!done)
            return 0;
    }
    return 1;
}

static const OSSL_ALGORITHM *query_operation(void *provctx, int operation, int *no_cache)
{
    const struct ctaes_provctx *prov = provctx;
    *no_cache = 0;
    switch (operation) {
    case OSSL_OP_CIPHER:
        return prov->ciphers;
    case OSSL_OP_MAC:
        return prov->macs[0].algorithm_names != NULL ? prov->macs : NULL;
    case OSSL_OP_SKEYMGMT:
        return prov->skeymgmts;
    default:
        return NULL;
    }
}

static const OSSL_ITEM *get_reason_strings(void *provctx)
{
    (void)provctx;
    return ctaes_reason_strings;
}

static void teardown(void *provctx)
{
    struct ctaes_provctx *prov = provctx;
    prov->up.free(prov, __FILE__, __LINE__);
}

static OSSL_FUNC_provider_gettable_params_fn get_gettable_params;
static OSSL_FUNC_provider_get_params_fn get_params;
static OSSL_FUNC_provider_query_operation_fn query_operation;
static OSSL_FUNC_provider_get_reason_strings_fn get_reason_strings;
static OSSL_FUNC_provider_teardown_fn teardown;

static const OSSL_DISPATCH provider_dispatch[] = {
    {OSSL_FUNC_PROVIDER_GETTABLE_PARAMS, (void (*)(void))get_gettable_params},
    {OSSL_FUNC_PROVIDER_GET_PARAMS, (void (*)(void))get_params},
    {OSSL_FUNC_PROVIDER_QUERY_OPERATION, (void (*)(void))query_operation},
    {OSSL_FUNC_PROVIDER_GET_REASON_STRINGS, (void (*)(void))get_reason_strings},
    {OSSL_FUNC_PROVIDER_TEARDOWN, (void (*)(void))teardown},
    {0, NULL},
};

/* The one symbol that the module exports. */
__attribute__((visibility("default"))) OSSL_provider_init_fn OSSL_provider_init;

int OSSL_provider_init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in,
                       const OSSL_DISPATCH **out, void **provctx)
{
    struct ctaes_provctx start = {.handle = handle};
    if (!ctaes_find_upcalls(&start.up, in))
        return 0;
    start.raises_no_memory = !host_is_at_least(&start, 3, 2);
    struct ctaes_provctx *prov = CTAES_MALLOC(&start, sizeof *prov);
    if (prov == NULL)
        return 0;
    *prov = start;

    prov->registers = ctaes_cpu_registers();
    bool macs = true;
    if (!ctaes_choose_core(prov) || !read_setting(prov, "macs", &macs) ||
        !read_secure_memory(prov)) {
        teardown(prov);
        return 0;
    }
    prov->raises_on_bad_tag = host_is_at_least(prov, 4, 1);
    prov->host_is_4 = host_is_at_least(prov, 4, 0);
    bool best = prov->passed_over[0] == '\0';
    snprintf(prov->build_info, sizeof prov->build_info, "core %s%s%s; compiled by " COMPILER,
             prov->core->name, best ? "" : "; passed over ", prov->passed_over);
    snprintf(prov->properties, sizeof prov->properties, "provider=ctaes,ctaes.core=%s",
             prov->core->name);
    ctaes_list_ciphers(prov->ciphers, prov->properties);
    ctaes_list_skeymgmts(prov->skeymgmts, prov->properties);
    if (macs)
        ctaes_list_macs(prov->macs, prov->properties);
    *out = provider_dispatch;
    *provctx = prov;
    return 1;
}
