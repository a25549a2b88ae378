/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The provider object: what it says of itself, how its core is chosen (the
 * environment over the configuration over the module's own choice), several
 * instances at once, loading and unloading.
 */
#include "evp.h"

#include <openssl/crypto.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *get_core(const OSSL_PROVIDER *provider)
{
    const char *core = NULL;
    OSSL_PARAM params[2] = {OSSL_PARAM_construct_utf8_ptr("core", (char **)&core, 0),
                            OSSL_PARAM_END};
    if (provider == NULL || OSSL_PROVIDER_get_params(provider, params) != 1 || core == NULL)
        return "(none)";
    return core;
}

static void check_object(const OSSL_PROVIDER *provider, const char *core)
{
    static const char *const keys[] = {"name", "version", "buildinfo", "core"};
    const OSSL_PARAM *list = OSSL_PROVIDER_gettable_params(provider);

    check(strcmp(OSSL_PROVIDER_get0_name(provider), "ctaes") == 0, "the provider's name");
    check(strcmp(get_core(provider), core) == 0, "the provider's core is %s, not %s",
          get_core(provider), core);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        char *text = NULL, wrong[64];
        const OSSL_PARAM *listed = OSSL_PARAM_locate_const(list, keys[i]);
        OSSL_PARAM params[2] = {OSSL_PARAM_construct_utf8_ptr(keys[i], &text, 0), OSSL_PARAM_END};

        check(listed != NULL && listed->data_type == OSSL_PARAM_UTF8_PTR, "%s isn't listed",
              keys[i]);
        check(OSSL_PROVIDER_get_params(provider, params) == 1 && text != NULL && text[0] != '\0' &&
                  params[0].return_size == strlen(text),
              "the provider's %s", keys[i]);
        params[0] = OSSL_PARAM_construct_utf8_ptr(keys[i], NULL, 0);
        check(OSSL_PROVIDER_get_params(provider, params) == 1 &&
                  params[0].return_size == (text != NULL ? strlen(text) : 0),
              "the size of the provider's %s", keys[i]);
        params[0] = OSSL_PARAM_construct_octet_string(keys[i], wrong, sizeof wrong);
        check(OSSL_PROVIDER_get_params(provider, params) == 0, "%s as octets", keys[i]);
    }

    int status = 0;
    unsigned unknown = 5;
    OSSL_PARAM params[3] = {OSSL_PARAM_construct_uint("nosuch", &unknown),
                            OSSL_PARAM_construct_int("status", &status), OSSL_PARAM_END};
    check(OSSL_PARAM_locate_const(list, "status") != NULL, "status isn't listed");
    check(OSSL_PROVIDER_get_params(provider, params) == 1 && status == 1 && unknown == 5 &&
              !OSSL_PARAM_modified(&params[0]),
          "the provider's status");
    check(OSSL_PROVIDER_self_test(provider) == 1, "the provider's self-test");

    for (int operation = 0; operation < 64; operation++) {
        int no_cache = -1;
        const OSSL_ALGORITHM *table = OSSL_PROVIDER_query_operation(provider, operation, &no_cache);
        /* 15: opaque keys, since 3.5. */
        bool has_some = operation == OSSL_OP_CIPHER || operation == OSSL_OP_MAC || operation == 15;
        check((table != NULL) == has_some && (table == NULL || table->algorithm_names != NULL),
              "operation %d", operation);
        if (table != NULL)
            OSSL_PROVIDER_unquery_operation(provider, operation, table);
    }
    ERR_clear_error();
}

/* Encrypts with what the property query finds; checks which core did it. */
static void check_use(OSSL_LIB_CTX *libctx, const char *query, const char *core)
{
    static const uint8_t key[16] = "0123456789abcde", iv[16] = "fedcba987654321";
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(libctx, "AES-128-CBC", query);
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    EVP_CIPHER_CTX *expected = EVP_CIPHER_CTX_new();
    uint8_t out[2][64];
    char *ran = NULL;
    int n = 0, m = 0;
    OSSL_PARAM params[2] = {OSSL_PARAM_construct_utf8_ptr("core", &ran, 0), OSSL_PARAM_END};

    if (check(cipher != NULL, "AES-128-CBC isn't found with \"%s\"", query)) {
        bool good = EVP_CipherInit_ex2(ctx, cipher, key, iv, 1, NULL) == 1 &&
                    EVP_CipherUpdate(ctx, out[0], &n, base_tape, 48) == 1 &&
                    EVP_CipherInit_ex2(expected, find_algorithm("AES-128-CBC")->cipher[REFERENCE],
                                       key, iv, 1, NULL) == 1 &&
                    EVP_CipherUpdate(expected, out[1], &m, base_tape, 48) == 1;
        check(good && n == m && memcmp(out[0], out[1], 48) == 0, "wrong result with \"%s\"", query);
        check(EVP_CIPHER_CTX_get_params(ctx, params) == 1 && ran != NULL && strcmp(ran, core) == 0,
              "\"%s\" gave core %s, not %s", query, ran != NULL ? ran : "(none)", core);
    }
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_CTX_free(expected);
    EVP_CIPHER_free(cipher);
    ERR_clear_error();
}

/* --- The choice of the core --- */

static void check_wrong_name(const char *folder, const char *const *cores)
{
    static const char *const wrong[] = {"no-such-core", "CT64",    "ct64 ", "ct",
                                        "ct640",        "../ct64", "%s%n",  "auto,ct64"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        OSSL_PROVIDER *provider = NULL;
        OSSL_LIB_CTX *libctx = load_ctaes(folder, wrong[i], &provider);
        const char *data;
        char message[512] = "";
        int flags;
        unsigned long e;

        if (!check(libctx == NULL, "CTAES_CORE=%s was loaded", wrong[i])) {
            OSSL_PROVIDER_unload(provider);
            OSSL_LIB_CTX_free(libctx);
            continue;
        }
        while ((e = ERR_get_error_all(NULL, NULL, NULL, &data, &flags)) != 0) {
            if ((flags & ERR_TXT_STRING) != 0 && strstr(data, "CTAES_CORE") != NULL)
                snprintf(message, sizeof message, "%s", data);
            ERR_reason_error_string(e);
            ERR_lib_error_string(e);
        }
        check(strstr(message, wrong[i]) != NULL && strstr(message, "auto") != NULL,
              "CTAES_CORE=%s: the message is \"%s\"", wrong[i], message);
        for (size_t k = 0; cores[k] != NULL; k++)
            check(strstr(message, cores[k]) != NULL, "the message doesn't name %s: \"%s\"",
                  cores[k], message);
    }
    /* "auto" and nothing are no names of cores. */
    static const char *const automatic[] = {"auto", "", NULL};
    for (size_t i = 0; i < 3; i++) {
        OSSL_PROVIDER *provider = NULL;
        OSSL_LIB_CTX *libctx = load_ctaes(folder, automatic[i], &provider);
        if (!check(libctx != NULL, "CTAES_CORE=%s",
                   automatic[i] != NULL ? automatic[i] : "(unset)"))
            continue;
        bool known = false;
        for (size_t k = 0; cores[k] != NULL; k++)
            known = known || strcmp(get_core(provider), cores[k]) == 0;
        check(known, "the module's own choice is %s", get_core(provider));
        OSSL_PROVIDER_unload(provider);
        OSSL_LIB_CTX_free(libctx);
    }
    ERR_clear_error();
}

/* Writes a configuration with up to two instances. core NULL: no such line. */
static void write_config(const char *path, const char *folder, const char *const identity[2],
                         const char *const core[2])
{
    char module[PATH_MAX];
    FILE *f = fopen(path, "w");
    if (f == NULL || realpath(folder, module) == NULL) {
        fprintf(stderr, "evp: can't write %s\n", path);
        exit(2);
    }
    fprintf(f, "openssl_conf = openssl_init\n[openssl_init]\nproviders = providers\n[providers]\n");
    for (int i = 0; i < 2 && identity[i] != NULL; i++)
        fprintf(f, "%s = section%d\n", identity[i], i);
    for (int i = 0; i < 2 && identity[i] != NULL; i++) {
        fprintf(f, "[section%d]\nidentity = %s\nmodule = %s/ctaes.so\n", i, identity[i], module);
        if (core[i] != NULL)
            fprintf(f, "core = %s\n", core[i]);
        fprintf(f, "activate = 1\n");
    }
    fclose(f);
}

/* Loads a configuration with the core in the section, and another one in the environment. */
static void check_config(const char *folder, const char *in_section, const char *in_environment,
                         const char *expected)
{
    const char *const identity[2] = {"ctaes", NULL}, *const core[2] = {in_section, NULL};
    char path[PATH_MAX];
    OSSL_LIB_CTX *libctx = OSSL_LIB_CTX_new();

    snprintf(path, sizeof path, "%s/config-%ld.cnf", folder, (long)getpid());
    write_config(path, folder, identity, core);
    if (in_environment != NULL)
        setenv("CTAES_CORE", in_environment, 1);
    int rc = OSSL_LIB_CTX_load_config(libctx, path);
    unsetenv("CTAES_CORE");
    if (expected != NULL) {
        check(rc == 1, "config with core = %s, environment %s", in_section, in_environment);
        check_use(libctx, "provider=ctaes", expected);
    } else {
        EVP_CIPHER *cipher = EVP_CIPHER_fetch(libctx, "AES-128-CBC", NULL);
        check(cipher == NULL && !OSSL_PROVIDER_available(libctx, "ctaes"),
              "config with core = %s was accepted", in_section);
        EVP_CIPHER_free(cipher);
    }
    ERR_clear_error();
    OSSL_LIB_CTX_free(libctx);
    unlink(path);
}

/* --- Several instances, again and again --- */

static void check_two_instances(const char *folder, const char *const *cores)
{
    const char *const identity[2] = {"ctaes-first", "ctaes-second"};
    const char *const pair[2] = {cores[0], cores[1]};
    char path[PATH_MAX], query[2][64];
    OSSL_LIB_CTX *libctx = OSSL_LIB_CTX_new();

    /* In one library context, each chosen by its property. */
    snprintf(path, sizeof path, "%s/two-%ld.cnf", folder, (long)getpid());
    write_config(path, folder, identity, pair);
    check(OSSL_LIB_CTX_load_config(libctx, path) == 1, "two instances in one configuration");
    for (int i = 0; i < 2; i++)
        snprintf(query[i], sizeof query[i], "ctaes.core=%s", pair[i]);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 2; i++) {
            check_use(libctx, query[i], pair[i]);
            char both[100];
            snprintf(both, sizeof both, "provider=ctaes,%s", query[i]);
            check_use(libctx, both, pair[i]);
            snprintf(both, sizeof both, "?%s", query[i]);
            check_use(libctx, both, pair[i]);
        }
    }
    OSSL_LIB_CTX_free(libctx);
    unlink(path);

    /* In one library context, as modules of two names. */
    char module[PATH_MAX], link_path[PATH_MAX], modules[PATH_MAX];
    snprintf(modules, sizeof modules, "%s/two-%ld", folder, (long)getpid());
    if (mkdir(modules, 0700) != 0)
        abort();
    OSSL_PROVIDER *p[2];
    libctx = OSSL_LIB_CTX_new();
    OSSL_PROVIDER_set_default_search_path(libctx, modules);
    for (int i = 0; i < 2; i++) {
        snprintf(link_path, sizeof link_path, "%.4000s/%s.so", modules, identity[i]);
        if (realpath(folder, module) == NULL || strlen(module) > PATH_MAX - 20)
            abort();
        strcat(module, "/ctaes.so");
        unlink(link_path);
        if (symlink(module, link_path) != 0)
            abort();
        setenv("CTAES_CORE", pair[i], 1);
        p[i] = OSSL_PROVIDER_load(libctx, identity[i]);
        unsetenv("CTAES_CORE");
        unlink(link_path);
        check(p[i] != NULL && strcmp(get_core(p[i]), pair[i]) == 0, "a module as %s", identity[i]);
    }
    rmdir(modules);
    check_use(libctx, query[0], pair[0]);
    check_use(libctx, query[1], pair[1]);
    OSSL_PROVIDER_unload(p[0]);
    check_use(libctx, query[1], pair[1]);
    OSSL_PROVIDER_unload(p[1]);
    OSSL_LIB_CTX_free(libctx);

    /* In two library contexts; the first goes first. */
    OSSL_LIB_CTX *both[2];
    for (int i = 0; i < 2; i++)
        both[i] = load_ctaes(folder, pair[i], &p[i]);
    if (check(both[0] != NULL && both[1] != NULL, "two library contexts")) {
        check_use(both[0], query[0], pair[0]);
        check_use(both[1], query[1], pair[1]);
        EVP_CIPHER *none = EVP_CIPHER_fetch(both[0], "AES-128-CBC", query[1]);
        check(none == NULL, "a library context finds the other one's core");
        EVP_CIPHER_free(none);
        ERR_clear_error();
        OSSL_PROVIDER_unload(p[0]);
        OSSL_LIB_CTX_free(both[0]);
        check_use(both[1], query[1], pair[1]);
        OSSL_PROVIDER_unload(p[1]);
        OSSL_LIB_CTX_free(both[1]);
    }
}

static void check_loading_again(const char *folder, const char *core)
{
    for (int i = 0; i < 100; i++) {
        OSSL_PROVIDER *provider = NULL;
        OSSL_LIB_CTX *libctx = load_ctaes(folder, core, &provider);
        if (!check(libctx != NULL, "load number %d", i))
            return;
        if (i % 10 == 0)
            check_use(libctx, "provider=ctaes", core);
        OSSL_PROVIDER_unload(provider);
        OSSL_LIB_CTX_free(libctx);
    }

    /* A context outlives the caller's hold on its provider and its cipher. */
    OSSL_PROVIDER *provider = NULL;
    OSSL_LIB_CTX *libctx = load_ctaes(folder, core, &provider);
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(libctx, "AES-128-GCM", NULL);
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    uint8_t out[32], key[16] = {0}, iv[12] = {0};
    int n = 0;
    check(EVP_CipherInit_ex2(ctx, cipher, key, iv, 1, NULL) == 1, "init");
    EVP_CIPHER_free(cipher);
    OSSL_PROVIDER_unload(provider);
    check(EVP_CipherUpdate(ctx, out, &n, base_tape, 20) == 1 && n == 20,
          "a context after its provider was unloaded");
    EVP_CIPHER_CTX_free(ctx);
    OSSL_LIB_CTX_free(libctx);
    ERR_clear_error();
}

void run_provider(const char *folder, const char *core, const char *const *cores)
{
    char query[64];

    check_object(sides[SUBJECT].provider, core);
    snprintf(query, sizeof query, "ctaes.core=%s", core);
    check_use(sides[SUBJECT].libctx, query, core);
    check_use(sides[SUBJECT].libctx, "provider=ctaes", core);
    check_use(sides[SUBJECT].libctx, NULL, core);
    check_wrong_name(folder, cores);

    check_config(folder, core, NULL, core);
    check_config(folder, core, "", core);
    check_config(folder, "xyz", NULL, NULL);
    check_config(folder, "xyz", core, core);
    check_config(folder, core, "xyz", NULL);
    check_config(folder, NULL, core, core);
    check_loading_again(folder, core);

    /* What needs another core. */
    const char *pair[3] = {core, NULL, NULL};
    for (size_t i = 0; cores[i] != NULL && pair[1] == NULL; i++) {
        OSSL_PROVIDER *provider = NULL;
        OSSL_LIB_CTX *libctx =
            strcmp(cores[i], core) != 0 ? load_ctaes(folder, cores[i], &provider) : NULL;
        if (libctx != NULL) {
            pair[1] = cores[i];
            OSSL_PROVIDER_unload(provider);
            OSSL_LIB_CTX_free(libctx);
        }
        ERR_clear_error();
    }
    if (pair[1] == NULL) {
        printf("SKIP %s: two cores at once: this build has no other that runs here\n", core);
        tally.skipped++;
        return;
    }
    check_config(folder, pair[1], core, core);
    check_two_instances(folder, pair);
}
