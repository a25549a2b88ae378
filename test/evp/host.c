/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The module in a host that isn't libcrypto: OSSL_provider_init is given a table of
 * upcalls made here, of which one is missing, or whose memory, ordinary or
 * secure, runs out at the k-th allocation, or which claims to be another version
 * of OpenSSL.
 */
#include "evp.h"

#include <openssl/core_dispatch.h>
#include <openssl/proverr.h>

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* What the host sees of the module. */
static struct {
    const char *core, *version;
    const char *setting, *value; /* one more line of the section */
    bool no_heap; /* the secure heap isn't set up: its functions give ordinary memory */
    long allocations, fail_at, live; /* blocks; fail_at < 0: never */
    bool left;                       /* a block was freed with something in it */
    int raised;
    uint32_t reason;
    char text[512]; /* of the last error */
} host;

static void *host_malloc(size_t len, const char *file, int line)
{
    (void)file, (void)line;
    if (host.allocations++ == host.fail_at)
        return NULL;
    /* At CTAES_ALIGN, and so that what is given isn't. */
    uint8_t *p = aligned_alloc(64, (len + 16 + 63) / 64 * 64);
    if (p == NULL)
        abort();
    memcpy(p, &len, sizeof len);
    p[8] = 0;                  /* not of the secure heap */
    memset(p + 16, 0xA5, len); /* memory isn't zero when it comes */
    host.live++;
    return p + 16;
}

static void *host_zalloc(size_t len, const char *file, int line)
{
    void *p = host_malloc(len, file, line);
    return p != NULL ? memset(p, 0, len) : NULL;
}

static void host_free(void *p, const char *file, int line)
{
    (void)file, (void)line;
    if (p == NULL)
        return;
    const uint8_t *bytes = p;
    size_t len, written = 0, untouched = 0;
    if (bytes[-8] != 0)
        abort(); /* that is for host_secure_free */
    memcpy(&len, bytes - 16, sizeof len);
    for (size_t i = 0; i < len; i++) {
        untouched += bytes[i] == 0xA5;
        written += bytes[i] != 0 && bytes[i] != 0xA5;
    }
    /* All but the bytes of alignment are to be zero, unless it was never used. */
    host.left |= written != 0 || (untouched > 63 && untouched < len);
    host.live--;
    free((uint8_t *)p - 16);
}

static void host_clear_free(void *p, size_t len, const char *file, int line)
{
    size_t actual;
    if (p != NULL) {
        memcpy(&actual, (uint8_t *)p - 16, sizeof actual);
        if (actual < len)
            abort();
        memset(p, 0, len);
    }
    host_free(p, file, line);
}

static void *host_secure_malloc(size_t len, const char *file, int line)
{
    uint8_t *p = host_malloc(len, file, line);
    if (p != NULL)
        p[-8] = !host.no_heap;
    return p;
}

static int host_secure_allocated(const void *p)
{
    return ((const uint8_t *)p)[-8];
}

static void host_secure_free(void *p, const char *file, int line)
{
    if (p != NULL && !host.no_heap) {
        if (!host_secure_allocated(p))
            abort();
        ((uint8_t *)p)[-8] = 0;
    }
    host_free(p, file, line);
}

static int host_get_params(const OSSL_CORE_HANDLE *handle, OSSL_PARAM params[])
{
    (void)handle;
    OSSL_PARAM *p = OSSL_PARAM_locate(params, "core");
    if (p != NULL && host.core != NULL)
        OSSL_PARAM_set_utf8_ptr(p, host.core);
    p = host.setting != NULL ? OSSL_PARAM_locate(params, host.setting) : NULL;
    if (p != NULL && host.value != NULL)
        OSSL_PARAM_set_utf8_ptr(p, host.value);
    p = OSSL_PARAM_locate(params, OSSL_PROV_PARAM_CORE_VERSION);
    if (p != NULL && host.version != NULL)
        OSSL_PARAM_set_utf8_ptr(p, host.version);
    return 1;
}

static void host_new_error(const OSSL_CORE_HANDLE *handle)
{
    (void)handle;
    host.raised++;
}

static void host_set_error_debug(const OSSL_CORE_HANDLE *handle, const char *file, int line,
                                 const char *func)
{
    (void)handle, (void)file, (void)line, (void)func;
}

static void host_vset_error(const OSSL_CORE_HANDLE *handle, uint32_t reason, const char *format,
                            va_list args)
{
    (void)handle;
    host.reason = reason;
    host.text[0] = '\0';
    if (format != NULL)
        vsnprintf(host.text, sizeof host.text, format, args);
}

static const OSSL_DISPATCH upcalls[] = {
    {OSSL_FUNC_CORE_GET_PARAMS, (void (*)(void))host_get_params},
    {OSSL_FUNC_CORE_NEW_ERROR, (void (*)(void))host_new_error},
    {OSSL_FUNC_CORE_SET_ERROR_DEBUG, (void (*)(void))host_set_error_debug},
    {OSSL_FUNC_CORE_VSET_ERROR, (void (*)(void))host_vset_error},
    {OSSL_FUNC_CRYPTO_MALLOC, (void (*)(void))host_malloc},
    {OSSL_FUNC_CRYPTO_ZALLOC, (void (*)(void))host_zalloc},
    {OSSL_FUNC_CRYPTO_FREE, (void (*)(void))host_free},
    {OSSL_FUNC_CRYPTO_CLEAR_FREE, (void (*)(void))host_clear_free},
    {OSSL_FUNC_CRYPTO_SECURE_MALLOC, (void (*)(void))host_secure_malloc},
    {OSSL_FUNC_CRYPTO_SECURE_FREE, (void (*)(void))host_secure_free},
    {OSSL_FUNC_CRYPTO_SECURE_ALLOCATED, (void (*)(void))host_secure_allocated},
    /* One that no version has. */
    {1 << 20, (void (*)(void))abort}};
enum { NUPCALLS = sizeof upcalls / sizeof upcalls[0] };

static OSSL_provider_init_fn *init;

/* Calls the module's entry with the table but for `missing` (-1: none). */
static int start_module(int missing, const OSSL_DISPATCH **out, void **provctx)
{
    OSSL_DISPATCH table[NUPCALLS + 1];
    size_t n = 0;
    static const OSSL_DISPATCH nothing = {0, NULL};

    for (int i = 0; i < NUPCALLS; i++) {
        if (i != missing)
            table[n++] = upcalls[i];
    }
    table[n] = nothing;
    *out = NULL;
    *provctx = NULL;
    return init((const OSSL_CORE_HANDLE *)&host, table, out, provctx);
}

static void (*find(const OSSL_DISPATCH *d, int id))(void)
{
    for (; d != NULL && d->function_id != 0; d++) {
        if (d->function_id == id)
            return d->function;
    }
    abort();
}

static void stop_module(const OSSL_DISPATCH *d, void *provctx)
{
    ((OSSL_FUNC_provider_teardown_fn *)find(d, OSSL_FUNC_PROVIDER_TEARDOWN))(provctx);
}

static const OSSL_ALGORITHM *query(const OSSL_DISPATCH *d, void *provctx, int operation)
{
    int no_cache;
    return ((OSSL_FUNC_provider_query_operation_fn *)find(d, OSSL_FUNC_PROVIDER_QUERY_OPERATION))(
        provctx, operation, &no_cache);
}

static const OSSL_DISPATCH *find_algorithm_of(const OSSL_DISPATCH *d, void *provctx, int operation,
                                              const char *name)
{
    const OSSL_ALGORITHM *a = query(d, provctx, operation);
    for (; a->algorithm_names != NULL; a++) {
        size_t n = strlen(name);
        if (strncmp(a->algorithm_names, name, n) == 0 &&
            (a->algorithm_names[n] == ':' || a->algorithm_names[n] == '\0'))
            return a->implementation;
    }
    abort();
}

static const OSSL_DISPATCH *find_cipher(const OSSL_DISPATCH *d, void *provctx, const char *name)
{
    return find_algorithm_of(d, provctx, OSSL_OP_CIPHER, name);
}

static void reset_host(const char *core)
{
    memset(&host, 0, sizeof host);
    host.core = core;
    host.version = "3.0.0";
    host.fail_at = -1;
}

static void ask_for_secure_memory(bool secure)
{
    host.setting = "secure_memory";
    host.value = secure ? "yes" : NULL;
}

static void check_missing_upcalls(const char *core)
{
    const OSSL_DISPATCH *d, empty = {0, NULL};
    void *provctx;

    for (int i = 0; i < 2 * (NUPCALLS + 1); i++) {
        const int missing = i / 2 - 1;
        const bool secure = i % 2 == 1;
        reset_host(core);
        ask_for_secure_memory(secure);
        int rc = start_module(missing, &d, &provctx);
        int id = missing >= 0 ? upcalls[missing].function_id : 0;
        bool of_secure_heap = id == OSSL_FUNC_CRYPTO_SECURE_MALLOC ||
                              id == OSSL_FUNC_CRYPTO_SECURE_FREE ||
                              id == OSSL_FUNC_CRYPTO_SECURE_ALLOCATED;
        bool needed = id == OSSL_FUNC_CRYPTO_MALLOC || id == OSSL_FUNC_CORE_GET_PARAMS ||
                      id == OSSL_FUNC_CRYPTO_FREE || id == OSSL_FUNC_CORE_VSET_ERROR ||
                      (secure && of_secure_heap);
        if (rc == 1) {
            check(!needed && d != NULL, "the module starts without upcall %d", id);
            stop_module(d, provctx);
        } else {
            check(missing >= 0 && id < 1 << 20 && (secure || !of_secure_heap),
                  "the module doesn't start, upcall %d missing", id);
            check(d == NULL && provctx == NULL, "a failed start leaves something behind");
            check(!of_secure_heap ||
                      (host.raised == 1 && strstr(host.text, "no secure heap") != NULL),
                  "upcall %d missing: %d errors, \"%s\"", id, host.raised, host.text);
        }
        check(host.live == 0, "without upcall %d: %ld blocks of memory lost", id, host.live);
    }
    reset_host(core);
    d = NULL;
    check(init((const OSSL_CORE_HANDLE *)&host, &empty, &d, &provctx) == 0 && d == NULL,
          "the module starts without any upcall");
}

static void check_choice(const char *core)
{
    const OSSL_DISPATCH *d;
    void *provctx;

    reset_host("xyz");
    check(start_module(-1, &d, &provctx) == 0 && host.raised == 1 && host.reason >> 23 == 0 &&
              host.reason != 0,
          "core xyz: %d errors, reason %x", host.raised, host.reason);
    check(host.live == 0, "core xyz: memory lost");
    reset_host(NULL);
    check(start_module(-1, &d, &provctx) == 1, "no core in the configuration");
    stop_module(d, provctx);
    reset_host(core);
    host.version = NULL;
    check(start_module(-1, &d, &provctx) == 1, "a host without a version");
    stop_module(d, provctx);
    check(host.live == 0, "memory lost");
}

/* A line of the configuration that is yes or no. */
static void check_setting(const char *core, const char *setting)
{
    const bool macs_named = strcmp(setting, "macs") == 0;
    static const struct {
        const char *value;
        int offered; /* -1: it isn't loaded */
    } settings[] = {{NULL, 1},    {"yes", 1},   {"On", 1},      {"TRUE", 1},   {"1", 1}, {"no", 0},
                    {"OFF", 0},   {"false", 0}, {"0", 0},       {"maybe", -1}, {"", -1}, {"n", -1},
                    {"nope", -1}, {"no ", -1},  {"yes:no", -1}, {"2", -1},     {":", -1}};
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        const OSSL_DISPATCH *d;
        void *provctx;
        reset_host(core);
        host.setting = setting;
        host.value = settings[i].value;
        int started = start_module(-1, &d, &provctx);
        if (settings[i].offered < 0) {
            check(started == 0 && host.raised == 1 && host.reason != 0 && host.reason >> 23 == 0 &&
                      strstr(host.text, "yes or no") != NULL &&
                      strstr(host.text, settings[i].value) != NULL &&
                      strstr(host.text, setting) != NULL,
                  "%s = %s: %d errors, \"%s\"", setting, settings[i].value, host.raised, host.text);
        } else if (check(started == 1, "%s = %s isn't accepted", setting, settings[i].value)) {
            const OSSL_ALGORITHM *macs = query(d, provctx, OSSL_OP_MAC);
            check((macs != NULL) == (settings[i].offered || !macs_named) &&
                      query(d, provctx, OSSL_OP_CIPHER) != NULL,
                  "%s = %s", setting, settings[i].value);
            stop_module(d, provctx);
        }
        check(host.live == 0, "%s = %s: memory lost", setting, settings[i].value);
    }
}

/* The k-th allocation fails, for every k: each step fails cleanly or works. */
static void check_memory(const char *core, const char *name, bool secure)
{
    for (long k = 0; k < 20; k++) {
        const OSSL_DISPATCH *d;
        void *provctx;
        reset_host(core);
        ask_for_secure_memory(secure);
        host.fail_at = k;
        if (start_module(-1, &d, &provctx) == 0) {
            check(k < host.allocations && host.live == 0, "no memory at start: %ld blocks lost",
                  host.live);
            continue;
        }
        const OSSL_DISPATCH *c = find_cipher(d, provctx, name);
        OSSL_FUNC_cipher_newctx_fn *newctx =
            (OSSL_FUNC_cipher_newctx_fn *)find(c, OSSL_FUNC_CIPHER_NEWCTX);
        OSSL_FUNC_cipher_dupctx_fn *dupctx =
            (OSSL_FUNC_cipher_dupctx_fn *)find(c, OSSL_FUNC_CIPHER_DUPCTX);
        OSSL_FUNC_cipher_freectx_fn *freectx =
            (OSSL_FUNC_cipher_freectx_fn *)find(c, OSSL_FUNC_CIPHER_FREECTX);
        OSSL_FUNC_cipher_encrypt_init_fn *einit =
            (OSSL_FUNC_cipher_encrypt_init_fn *)find(c, OSSL_FUNC_CIPHER_ENCRYPT_INIT);
        OSSL_FUNC_cipher_update_fn *update =
            (OSSL_FUNC_cipher_update_fn *)find(c, OSSL_FUNC_CIPHER_UPDATE);

        void *ctx[4] = {newctx(provctx), NULL, NULL, NULL};
        uint8_t out[4][64];
        size_t outl;
        /* In the secure heap, a second attempt has room to be aligned in. */
        check((ctx[0] == NULL) == (k == 1 || (secure && k == 2)), "%s: is there a context?", name);
        if (ctx[0] != NULL) {
            check(einit(ctx[0], base_tape, 32, base_tape, 12 + 4 * (strstr(name, "GCM") == NULL),
                        NULL) == 1,
                  "%s: init", name);
            for (int i = 1; i < 4; i++)
                ctx[i] = dupctx(ctx[0]);
        }
        check(host.raised == (k < host.allocations) &&
                  (host.raised == 0 || !secure || strstr(host.text, "has no block of") != NULL) &&
                  (host.raised == 0 || secure ||
                   host.reason == ((uint32_t)ERR_LIB_PROV << 23 | ERR_R_MALLOC_FAILURE)),
              "%s: allocation %ld failed: %d errors, \"%s\"", name, k, host.raised, host.text);
        for (int i = 0; i < 4; i++) {
            if (ctx[i] == NULL)
                continue;
            check(update(ctx[i], out[i], &outl, 64, base_tape, 32) == 1 && outl == 32 &&
                      memcmp(out[i], out[0], 32) == 0,
                  "%s: copy %d after allocation %ld failed", name, i, k);
            freectx(ctx[i]);
        }
        bool left = host.left; /* by contexts; the module's own block has no secrets */
        stop_module(d, provctx);
        check(host.live == 0 && !left, "%s: allocation %ld failed: %ld blocks lost, %s", name, k,
              host.live, left ? "some memory not wiped" : "all wiped");
        if (k >= host.allocations)
            return;
    }
    check(false, "%s: more than 20 allocations", name);
}

/* A host whose secure heap isn't set up gives ordinary memory instead: it is given back. */
static void check_no_heap(const char *core)
{
    const OSSL_DISPATCH *d;
    void *provctx;
    reset_host(core);
    ask_for_secure_memory(true);
    host.no_heap = true;
    if (!check(start_module(-1, &d, &provctx) == 1, "a host without a secure heap"))
        return;
    const OSSL_DISPATCH *c = find_cipher(d, provctx, "AES-256-GCM");
    long live = host.live;
    void *ctx = ((OSSL_FUNC_cipher_newctx_fn *)find(c, OSSL_FUNC_CIPHER_NEWCTX))(provctx);
    check(ctx == NULL && host.live == live && host.raised == 1 && host.reason >> 23 == 0 &&
              strstr(host.text, "CRYPTO_secure_malloc_init") != NULL,
          "no secure heap: %d errors, \"%s\"", host.raised, host.text);
    stop_module(d, provctx);
    check(host.live == 0, "memory lost");
}

/* What check_memory does, for a MAC; and final told of less room than it needs. */
static void check_mac_memory(const char *core, const char *name, const char *cipher, bool secure)
{
    for (long k = 0; k < 20; k++) {
        const OSSL_DISPATCH *d;
        void *provctx;
        reset_host(core);
        ask_for_secure_memory(secure);
        host.fail_at = k;
        if (start_module(-1, &d, &provctx) == 0)
            continue; /* check_memory looks at that */
        const OSSL_DISPATCH *m = find_algorithm_of(d, provctx, OSSL_OP_MAC, name);
        OSSL_FUNC_mac_newctx_fn *newctx = (OSSL_FUNC_mac_newctx_fn *)find(m, OSSL_FUNC_MAC_NEWCTX);
        OSSL_FUNC_mac_dupctx_fn *dupctx = (OSSL_FUNC_mac_dupctx_fn *)find(m, OSSL_FUNC_MAC_DUPCTX);
        OSSL_FUNC_mac_freectx_fn *freectx =
            (OSSL_FUNC_mac_freectx_fn *)find(m, OSSL_FUNC_MAC_FREECTX);
        OSSL_FUNC_mac_init_fn *start = (OSSL_FUNC_mac_init_fn *)find(m, OSSL_FUNC_MAC_INIT);
        OSSL_FUNC_mac_update_fn *update = (OSSL_FUNC_mac_update_fn *)find(m, OSSL_FUNC_MAC_UPDATE);
        OSSL_FUNC_mac_final_fn *final = (OSSL_FUNC_mac_final_fn *)find(m, OSSL_FUNC_MAC_FINAL);

        char cipher_name[16];
        uint8_t iv[12] = {0};
        snprintf(cipher_name, sizeof cipher_name, "%s", cipher);
        OSSL_PARAM params[] = {OSSL_PARAM_utf8_string(OSSL_MAC_PARAM_CIPHER, cipher_name, 0),
                               OSSL_PARAM_octet_string(OSSL_MAC_PARAM_IV, iv, sizeof iv),
                               OSSL_PARAM_END};
        void *ctx[4] = {newctx(provctx), NULL, NULL, NULL};
        if (ctx[0] != NULL && start(ctx[0], base_tape, 32, params) == 1)
            for (int i = 1; i < 4; i++)
                ctx[i] = dupctx(ctx[0]);
        uint8_t tags[4][16];
        bool first = true;
        for (int i = 3; i >= 0; i--) {
            uint8_t small[16];
            size_t len = 77;
            if (ctx[i] != NULL && update(ctx[i], base_tape, 40) == 1) {
                memset(small, CANARY, sizeof small);
                check(final(ctx[i], small, &len, 15) == 0 && len == 0 && small[0] == CANARY,
                      "%s: final in 15 bytes", name);
                check(final(ctx[i], tags[i], &len, 16) == 1 && len == 16, "%s: final", name);
                check(first || memcmp(tags[i], tags[3], 16) == 0 || ctx[3] == NULL,
                      "%s: copy %d after allocation %ld failed", name, i, k);
                first = false;
            }
            freectx(ctx[i]);
        }
        bool left = host.left;
        stop_module(d, provctx);
        check(host.live == 0 && !left, "%s: allocation %ld failed: %ld blocks lost, %s", name, k,
              host.live, left ? "some memory not wiped" : "all wiped");
        if (k >= host.allocations)
            return;
    }
    check(false, "%s: more than 20 allocations", name);
}

/* The same for an opaque key: the import fails with an entry on the error queue, but from
   OpenSSL 3.2 on, whose malloc makes it. */
static void check_skey_memory(const char *core)
{
    enum { OPERATION = 15, IMPORT = 2, FREE = 1, SECRET_KEY = 2 }; /* since OpenSSL 3.5 */
    uint8_t key[16] = {1};
    OSSL_PARAM params[] = {OSSL_PARAM_octet_string("raw-bytes", key, sizeof key), OSSL_PARAM_END};
    for (int newer = 0; newer < 2; newer++) {
        const OSSL_DISPATCH *d;
        void *provctx;
        reset_host(core);
        host.version = newer ? "3.5.0" : "3.1.9";
        if (!check(start_module(-1, &d, &provctx) == 1, "a host for opaque keys"))
            return;
        const OSSL_ALGORITHM *keys = query(d, provctx, OPERATION);
        for (; keys->algorithm_names != NULL; keys++) {
            void *(*import)(void *, int, const OSSL_PARAM *) =
                (void *(*)(void *, int, const OSSL_PARAM *))find(keys->implementation, IMPORT);
            void (*free_key)(void *) = (void (*)(void *))find(keys->implementation, FREE);
            host.raised = 0;
            host.fail_at = host.allocations;
            check(
                import(provctx, SECRET_KEY, params) == NULL && host.raised == !newer &&
                    (newer || host.reason == ((uint32_t)ERR_LIB_PROV << 23 | ERR_R_MALLOC_FAILURE)),
                "%s without memory: %d errors, reason %x", keys->algorithm_names, host.raised,
                host.reason);
            void *good = import(provctx, SECRET_KEY, params);
            check(good != NULL, "%s: memory is back", keys->algorithm_names);
            free_key(good);
        }
        stop_module(d, provctx);
        check(host.live == 0, "opaque keys: %ld blocks lost", host.live);
    }
}

/* Only where OpenSSL itself raises it, from 4.1 on, may a bad tag leave an error. */
static void check_bad_tag(const char *core)
{
    static const struct {
        const char *version;
        bool raises;
    } versions[] = {{"3.0.0", false}, {"3.0.22", false}, {"3.5.7", false},    {"3.10.1", false},
                    {"4.0.2", false}, {"4.1.0", true},   {"4.1.0-dev", true}, {"4.10.0", true},
                    {"5.0.0", true},  {"10.0.0", true},  {"", false},         {"x", false}};

    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        const OSSL_DISPATCH *d;
        void *provctx;
        uint8_t tag[16] = {0}, out[64];
        size_t outl;
        reset_host(core);
        host.version = versions[i].version;
        if (!check(start_module(-1, &d, &provctx) == 1, "a host of version %s", host.version))
            continue;
        const OSSL_DISPATCH *c = find_cipher(d, provctx, "AES-256-GCM");
        void *ctx = ((OSSL_FUNC_cipher_newctx_fn *)find(c, OSSL_FUNC_CIPHER_NEWCTX))(provctx);
        OSSL_PARAM params[2] = {OSSL_PARAM_construct_octet_string("tag", tag, 16), OSSL_PARAM_END};
        bool good =
            ((OSSL_FUNC_cipher_decrypt_init_fn *)find(c, OSSL_FUNC_CIPHER_DECRYPT_INIT))(
                ctx, base_tape, 32, base_tape, 12, params) == 1 &&
            ((OSSL_FUNC_cipher_update_fn *)find(c, OSSL_FUNC_CIPHER_UPDATE))(ctx, out, &outl, 64,
                                                                             base_tape, 20) == 1 &&
            ((OSSL_FUNC_cipher_final_fn *)find(c, OSSL_FUNC_CIPHER_FINAL))(ctx, out, &outl, 0) == 0;
        check(good && host.raised == versions[i].raises &&
                  (!versions[i].raises ||
                   host.reason == ((uint32_t)ERR_LIB_PROV << 23 | PROV_R_BAD_DECRYPT)),
              "a bad tag on OpenSSL %s: %d errors, reason %x", host.version, host.raised,
              host.reason);
        ((OSSL_FUNC_cipher_freectx_fn *)find(c, OSSL_FUNC_CIPHER_FREECTX))(ctx);
        stop_module(d, provctx);
        check(host.live == 0, "memory lost");
    }
}

void run_host(const char *folder, const char *core)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/ctaes.so", folder);
    if (strchr(path, '/') == NULL)
        abort();
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!check(module != NULL, "%s: %s", path, dlerror()))
        return;
    void *symbol = dlsym(module, "OSSL_provider_init");
    if (check(symbol != NULL, "no OSSL_provider_init")) {
        memcpy(&init, &symbol, sizeof init);
        check_missing_upcalls(core);
        check_choice(core);
        for (int secure = 0; secure < 2; secure++) {
            check_memory(core, "AES-256-CBC", secure);
            check_memory(core, "AES-256-GCM", secure);
            check_memory(core, "AES-128-SIV", secure);
            check_memory(core, "AES-256-GCM-SIV", secure);
            check_mac_memory(core, "CMAC", "AES-256-CBC", secure);
            check_mac_memory(core, "GMAC", "AES-256-GCM", secure);
            check_mac_memory(core, "PMAC", "AES-256-CBC", secure);
        }
        check_skey_memory(core);
        check_no_heap(core);
        check_setting(core, "macs");
        check_setting(core, "secure_memory");
        check_bad_tag(core);
    }
    dlclose(module);
}
