/* SPDX-License-Identifier: Apache-2.0 */
/*
 * secure_memory = yes, with OpenSSL's own secure heap: every context and opaque
 * key of the module's tables lies in it, as do their copies, and gives back what
 * it took; results are those of the module without it; where there is no secure
 * heap, or no room in it, there is an error, and no context. host.c has the same
 * with a heap that fails at each allocation in turn.
 *
 * The secure heap is one for the process. It is set up here and taken down again.
 */
#include "evp.h"

#include <openssl/core_dispatch.h>
#include <openssl/crypto.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HEAP_SIZE = 1 << 18, SMALLEST_BLOCK = 32, OP_SKEYMGMT = 15, SKEY_FREE = 1, SKEY_IMPORT = 2 };

static OSSL_LIB_CTX *secure_libctx;
static OSSL_PROVIDER *secure_provider;

/* Loads the module, told so by a configuration file. */
static bool open_secure(const char *folder, const char *core)
{
    char path[PATH_MAX], module[PATH_MAX];
    snprintf(path, sizeof path, "%s/secure-%ld.cnf", folder, (long)getpid());
    FILE *f = fopen(path, "w");
    if (f == NULL || realpath(folder, module) == NULL)
        abort();
    fprintf(f,
            "openssl_conf = init\n[init]\nproviders = providers\n[providers]\nctaes = section\n"
            "[section]\nmodule = %s/ctaes.so\ncore = %s\nsecure_memory = yes\nactivate = 1\n",
            module, core);
    fclose(f);
    secure_libctx = OSSL_LIB_CTX_new();
    int loaded = OSSL_LIB_CTX_load_config(secure_libctx, path);
    unlink(path);
    secure_provider = loaded == 1 ? OSSL_PROVIDER_load(secure_libctx, "ctaes") : NULL;
    return check(secure_provider != NULL, "a configuration with secure_memory = yes");
}

static void close_secure(void)
{
    OSSL_PROVIDER_unload(secure_provider);
    OSSL_LIB_CTX_free(secure_libctx);
    ERR_clear_error();
}

static void check_parameter(const OSSL_PROVIDER *provider, int wanted)
{
    int secure = -1;
    OSSL_PARAM params[2] = {OSSL_PARAM_construct_int("secure-memory", &secure), OSSL_PARAM_END};
    check(OSSL_PARAM_locate_const(OSSL_PROVIDER_gettable_params(provider), "secure-memory") != NULL,
          "secure-memory isn't listed");
    check(OSSL_PROVIDER_get_params(provider, params) == 1 && secure == wanted,
          "secure-memory is %d, not %d", secure, wanted);
}

/* --- The module's tables: what makes, copies and frees one kind of object --- */

struct kind {
    const char *name;
    void *(*newctx)(void *provctx);
    void *(*dupctx)(void *ctx);
    void (*freectx)(void *ctx);
};

static void *import_key(void *provctx, void *(*import)(void *, int, const OSSL_PARAM *), size_t len)
{
    const OSSL_PARAM params[] = {{"raw-bytes", OSSL_PARAM_OCTET_STRING, base_tape, len, 0},
                                 OSSL_PARAM_END};
    return import(provctx, 2, params);
}

/* Calls look for every object that the module can make: object is NULL where it was refused. */
static void visit_objects(void (*look)(const struct kind *kind, void *object))
{
    static const int operations[] = {OSSL_OP_CIPHER, OSSL_OP_MAC, OP_SKEYMGMT};
    void *provctx = OSSL_PROVIDER_get0_provider_ctx(secure_provider);
    for (size_t i = 0; i < 3; i++) {
        int no_cache;
        const OSSL_ALGORITHM *a =
            OSSL_PROVIDER_query_operation(secure_provider, operations[i], &no_cache);
        if (!check(a != NULL, "operation %d", operations[i]))
            continue;
        for (; a->algorithm_names != NULL; a++) {
            struct kind kind = {a->algorithm_names, NULL, NULL, NULL};
            void *(*import)(void *, int, const OSSL_PARAM *) = NULL;
            for (const OSSL_DISPATCH *d = a->implementation; d->function_id != 0; d++) {
                const int id = d->function_id;
                if (operations[i] == OP_SKEYMGMT) {
                    if (id == SKEY_FREE)
                        kind.freectx = (void (*)(void *))d->function;
                    if (id == SKEY_IMPORT)
                        import = (void *(*)(void *, int, const OSSL_PARAM *))d->function;
                    continue;
                }
                const bool cipher = operations[i] == OSSL_OP_CIPHER;
                if (id == (cipher ? OSSL_FUNC_CIPHER_NEWCTX : OSSL_FUNC_MAC_NEWCTX))
                    kind.newctx = (void *(*)(void *))d->function;
                if (id == (cipher ? OSSL_FUNC_CIPHER_DUPCTX : OSSL_FUNC_MAC_DUPCTX))
                    kind.dupctx = (void *(*)(void *))d->function;
                if (id == (cipher ? OSSL_FUNC_CIPHER_FREECTX : OSSL_FUNC_MAC_FREECTX))
                    kind.freectx = (void (*)(void *))d->function;
            }
            ERR_clear_error();
            look(&kind, import != NULL ? import_key(provctx, import, 32) : kind.newctx(provctx));
        }
    }
    ERR_clear_error();
}

static void expect_in_heap(const struct kind *kind, void *object)
{
    if (!check(object != NULL && CRYPTO_secure_allocated(object), "%s isn't in the secure heap",
               kind->name))
        return;
    const size_t used = CRYPTO_secure_used();
    /* A MAC without a key has no copy. */
    void *copy = kind->dupctx != NULL ? kind->dupctx(object) : NULL;
    if (copy != NULL) {
        check(CRYPTO_secure_allocated(copy) && CRYPTO_secure_used() > used,
              "a copy of %s isn't in the secure heap", kind->name);
        kind->freectx(copy);
    }
    check(CRYPTO_secure_used() == used, "a copy of %s leaves something", kind->name);
    kind->freectx(object);
    check(CRYPTO_secure_used() < used, "%s gives nothing back", kind->name);
}

/* That the module's own reason and text are on the queue. */
static void expect_error(const char *what, const char *reason, const char *part)
{
    bool seen = false;
    const char *data;
    int flags;
    unsigned long e;
    while ((e = ERR_get_error_all(NULL, NULL, NULL, &data, &flags)) != 0) {
        const char *text = ERR_reason_error_string(e);
        seen = seen || (text != NULL && strcmp(text, reason) == 0 &&
                        (flags & ERR_TXT_STRING) != 0 && strstr(data, part) != NULL);
    }
    check(seen, "%s: no error \"%s\"", what, reason);
}

static void expect_no_heap(const struct kind *kind, void *object)
{
    if (check(object == NULL, "%s without a secure heap", kind->name))
        expect_error(kind->name, "no secure heap", "has not set up OpenSSL's secure heap");
    else
        kind->freectx(object);
}

static void expect_exhausted(const struct kind *kind, void *object)
{
    if (check(object == NULL, "%s in a secure heap without room", kind->name))
        expect_error(kind->name, "secure heap exhausted", "has no block of");
    else
        kind->freectx(object);
}

/* --- Through EVP --- */

/* Encrypts 64 bytes in two pieces, the second by a copy of the context if copied. Returns the
   length, or -1. */
static int encrypt(const EVP_CIPHER *cipher, bool copied, uint8_t out[128])
{
    uint8_t key[64], iv[16];
    int n = 0, m = 0;
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new(), *copy = EVP_CIPHER_CTX_new();
    fill_pseudo_random(key, sizeof key, 1);
    fill_pseudo_random(iv, sizeof iv, 2);
    EVP_CIPHER_CTX_set_flags(ctx, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
    bool good = EVP_CipherInit_ex2(ctx, cipher, key, iv, 1, NULL) == 1;
    if (good && copied)
        good = EVP_CIPHER_CTX_copy(copy, ctx) == 1;
    good = good && EVP_CipherUpdate(copied ? copy : ctx, out, &n, base_tape, 64) == 1 &&
           EVP_CipherFinal_ex(copied ? copy : ctx, out + n, &m) == 1;
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_CTX_free(copy);
    return good ? n + m : -1;
}

static void check_cipher(const char *name, const EVP_CIPHER *ordinary)
{
    uint8_t out[3][128];
    const size_t used = CRYPTO_secure_used();
    EVP_CIPHER *secure = EVP_CIPHER_fetch(secure_libctx, name, NULL);
    int n = encrypt(ordinary, false, out[0]);
    bool equal = secure != NULL && n > 0 && encrypt(secure, false, out[1]) == n &&
                 encrypt(secure, true, out[2]) == n && memcmp(out[0], out[1], (size_t)n) == 0 &&
                 memcmp(out[0], out[2], (size_t)n) == 0;
    check(equal, "%s in secure memory", name);
    check(CRYPTO_secure_used() == used, "%s loses secure memory", name);
    EVP_CIPHER_free(secure);
    ERR_clear_error();
}

static void compute_tag(OSSL_LIB_CTX *libctx, const char *name, uint8_t tag[16])
{
    char cipher[16];
    uint8_t iv[12] = {0};
    size_t len = 0;
    snprintf(cipher, sizeof cipher, "AES-256-%s", strcmp(name, "GMAC") == 0 ? "GCM" : "CBC");
    const OSSL_PARAM params[] = {OSSL_PARAM_utf8_string(OSSL_MAC_PARAM_CIPHER, cipher, 0),
                                 OSSL_PARAM_octet_string(OSSL_MAC_PARAM_IV, iv, sizeof iv),
                                 OSSL_PARAM_END};
    EVP_MAC *mac = EVP_MAC_fetch(libctx, name, NULL);
    EVP_MAC_CTX *ctx = mac != NULL ? EVP_MAC_CTX_new(mac) : NULL, *copy = NULL;
    bool good = ctx != NULL && EVP_MAC_init(ctx, base_tape, 32, params) == 1 &&
                EVP_MAC_update(ctx, base_tape, 40) == 1 && (copy = EVP_MAC_CTX_dup(ctx)) != NULL &&
                EVP_MAC_final(copy, tag, &len, 16) == 1 && len == 16;
    check(good, "%s", name);
    EVP_MAC_CTX_free(copy);
    EVP_MAC_CTX_free(ctx);
    EVP_MAC_free(mac);
}

static void check_mac(const char *name)
{
    uint8_t tags[2][16] = {{0}, {1}};
    const size_t used = CRYPTO_secure_used();
    compute_tag(sides[SUBJECT].libctx, name, tags[0]);
    compute_tag(secure_libctx, name, tags[1]);
    check(memcmp(tags[0], tags[1], 16) == 0, "%s in secure memory", name);
    check(CRYPTO_secure_used() == used, "%s loses secure memory", name);
}

/* Takes all that is left of the heap; returns how many blocks that are, chained. */
static void **take_all(void)
{
    void **last = NULL;
    for (size_t size = HEAP_SIZE; size >= SMALLEST_BLOCK; size /= 2)
        for (void **p; (p = OPENSSL_secure_malloc(size)) != NULL; last = p)
            *p = last;
    ERR_clear_error();
    return last;
}

static void give_back(void **last)
{
    while (last != NULL) {
        void **before = *last;
        OPENSSL_secure_free(last);
        last = before;
    }
}

/* A context that lives goes on when there is no room for others. */
static void check_exhausted(void)
{
    uint8_t key[16] = {1}, iv[12] = {2}, out[64];
    int n = 0;
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(secure_libctx, "AES-128-GCM", NULL);
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new(), *copy = EVP_CIPHER_CTX_new();
    check(EVP_CipherInit_ex2(ctx, cipher, key, iv, 1, NULL) == 1, "a context with room");
    const size_t used = CRYPTO_secure_used();

    void **all = take_all();
    check(EVP_CIPHER_CTX_copy(copy, ctx) == 0, "a copy without room");
    expect_error("EVP_CIPHER_CTX_copy", "secure heap exhausted", "has no block of");
    check(EVP_EncryptUpdate(ctx, out, &n, base_tape, 40) == 1 && n == 40, "update without room");
    EVP_CIPHER_CTX *another = EVP_CIPHER_CTX_new();
    check(EVP_CipherInit_ex2(another, cipher, key, iv, 1, NULL) == 0, "init without room");
    expect_error("EVP_CipherInit_ex2", "secure heap exhausted", "has no block of");
    visit_objects(expect_exhausted);
    give_back(all);

    check(CRYPTO_secure_used() == used, "refusals take secure memory");
    check(EVP_CipherInit_ex2(another, cipher, key, iv, 1, NULL) == 1, "init with room again");
    EVP_CIPHER_CTX_free(another);
    EVP_CIPHER_CTX_free(copy);
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_free(cipher);
    ERR_clear_error();
}

void run_secure(const char *folder, const char *core)
{
    if (!check(!CRYPTO_secure_malloc_initialized(), "the secure heap is set up already") ||
        !open_secure(folder, core)) {
        close_secure();
        return;
    }
    check_parameter(secure_provider, 1);
    check_parameter(sides[SUBJECT].provider, 0);
    visit_objects(expect_no_heap);

    if (check(CRYPTO_secure_malloc_init(HEAP_SIZE, SMALLEST_BLOCK) != 0, "no secure heap")) {
        visit_objects(expect_in_heap);
        for (size_t i = 0; i < nalgorithms; i++)
            check_cipher(algorithms[i].name, algorithms[i].cipher[SUBJECT]);
        for (size_t i = 0; i < nlone_algorithms; i++)
            check_cipher(lone_algorithms[i].name, lone_algorithms[i].cipher[SUBJECT]);
        check_mac("CMAC");
        check_mac("GMAC");
        check_mac("PMAC");
        check_exhausted();
        check(CRYPTO_secure_used() == 0, "%zu bytes of secure memory lost", CRYPTO_secure_used());
        check(CRYPTO_secure_malloc_done() == 1, "the secure heap can't be taken down");
    }
    close_secure();
}
