/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The k-th allocation fails, for every k.
 *
 * All memory of the module comes from libcrypto's CRYPTO_malloc, which here asks
 * this program (CRYPTO_set_mem_functions). The name of the calling file that
 * comes along tells the module's allocations, "provider/...", from libcrypto's
 * own. Two kinds of runs:
 *
 *   of the module    the k-th of its own allocations fails: the call fails with
 *                    an entry on the error queue, made again it works, the
 *                    message is right, and no block is lost
 *   of all           the k-th of all fails: the same, but what libcrypto reports
 *                    and loses then is its own affair
 *
 * A run in which nothing was left to fail ends the series.
 */
#include "faults.h"

#include <openssl/crypto.h>

#include <dlfcn.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { OF_MODULE, OF_ALL };

/* Before each block. */
struct header {
    size_t len;
    size_t of_module;
};

static struct {
    bool armed, fired;
    int whose;
    long left; /* allocations until the one that fails */
} fault;
static long live; /* blocks of the module */
static bool watching;
static unsigned long injected[2];
static unsigned long crashes, lost; /* of libcrypto's own, at load */

static bool is_module_file(const char *file)
{
    return file != NULL && strncmp(file, "provider/", 9) == 0;
}

static bool must_fail(const char *file)
{
    if (!fault.armed || fault.fired || (fault.whose == OF_MODULE && !is_module_file(file)))
        return false;
    if (fault.left-- > 0)
        return false;
    fault.fired = true;
    injected[fault.whose]++;
    return true;
}

static void *get_memory(size_t len, const char *file, int line)
{
    (void)line;
    if (must_fail(file))
        return NULL;
    struct header *h = malloc(sizeof *h + len);
    if (h == NULL)
        return NULL;
    *h = (struct header){len, is_module_file(file)};
    if (h->of_module)
        __atomic_fetch_add(&live, 1, __ATOMIC_RELAXED);
    return h + 1;
}

static void free_memory(void *p, const char *file, int line)
{
    (void)file, (void)line;
    if (p == NULL)
        return;
    struct header *h = (struct header *)p - 1;
    if (h->of_module)
        __atomic_fetch_sub(&live, 1, __ATOMIC_RELAXED);
    free(h);
}

static void *resize_memory(void *p, size_t len, const char *file, int line)
{
    if (p == NULL)
        return get_memory(len, file, line);
    if (len == 0) {
        free_memory(p, file, line);
        return NULL;
    }
    struct header *h = (struct header *)p - 1;
    const size_t old = h->len;
    void *q = get_memory(len, file, line);
    if (q != NULL) {
        memcpy(q, p, old < len ? old : len);
        free_memory(p, file, line);
    }
    return q;
}

void watch_memory(void)
{
    watching = CRYPTO_set_mem_functions(get_memory, resize_memory, free_memory) == 1;
}

long blocks_of_module(void)
{
    return __atomic_load_n(&live, __ATOMIC_RELAXED);
}

static void arm(int whose, long k)
{
    ERR_clear_error();
    fault.whose = whose;
    fault.left = k;
    fault.fired = false;
    fault.armed = true;
}

/* Takes note of a call that failed, and lets the next one have its memory. */
static void disarm(int whose, const char *what, long k)
{
    fault.armed = false;
    check(fault.fired, "%s: a call fails without a fault", what);
    if (whose == OF_MODULE)
        check(ERR_peek_error() != 0, "%s: allocation %ld of the module fails in silence", what, k);
    ERR_clear_error();
}

/* --- Messages --- */

/* One message during which the k-th allocation fails; false if there was no such one. */
static bool run_message(const struct algorithm *alg, int whose, long k)
{
    const long before = blocks_of_module();
    struct message m = {.alg = alg};
    arm(whose, k);
    for (int i = 0; i < CALLS; i++) {
        if (make_call(&m, i))
            continue;
        disarm(whose, alg->name, k);
        if (!check(make_call(&m, i), "%s: call %d made again after allocation %ld failed",
                   alg->name, i, k))
            break;
    }
    fault.armed = false;
    const bool fired = fault.fired;
    check(is_right(&m), "%s: wrong after allocation %ld failed", alg->name, k);
    free_message(&m);
    check(blocks_of_module() == before, "%s: allocation %ld failed: %ld blocks lost", alg->name, k,
          blocks_of_module() - before);
    ERR_clear_error();
    return fired;
}

static void run_messages(const char *core)
{
    static struct host h;
    open_host(&h, core);
    for (size_t i = 0; i < h.count; i++) {
        for (int whose = OF_MODULE; whose <= OF_ALL; whose++) {
            long k = 0;
            while (k < 200 && run_message(&h.algorithms[i], whose, k))
                k++;
            /* One context and its copy at least, and an end. */
            check(k >= 2 && k < 200, "%s: %ld allocations", h.algorithms[i].name, k);
        }
    }
    close_host(&h);
    check(blocks_of_module() == 0, "core %s: %ld blocks lost", core, blocks_of_module());
}

/* --- Loading --- */

static bool use(OSSL_LIB_CTX *libctx)
{
    uint8_t out[64];
    int n = 0;
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(libctx, "AES-128-CBC", "provider=ctaes");
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    const bool good = cipher != NULL && ctx != NULL &&
                      EVP_CipherInit_ex2(ctx, cipher, tape, tape, 1, NULL) == 1 &&
                      EVP_CipherUpdate(ctx, out, &n, tape, 48) == 1 && n == 48;
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_free(cipher);
    return good;
}

/* Loads by name, or by a configuration if one is given. */
static bool load(OSSL_LIB_CTX *libctx, const char *config, OSSL_PROVIDER **provider)
{
    if (config != NULL)
        return OSSL_LIB_CTX_load_config(libctx, config) == 1 &&
               OSSL_PROVIDER_available(libctx, "ctaes") == 1;
    *provider = OSSL_PROVIDER_load(libctx, "ctaes");
    return *provider != NULL;
}

/* One load during which the k-th allocation fails; false if there was no such one. */
static bool run_load(const char *config, int whose, long k)
{
    OSSL_PROVIDER *provider = NULL;
    OSSL_LIB_CTX *libctx = OSSL_LIB_CTX_new();
    check(libctx != NULL && OSSL_PROVIDER_set_default_search_path(libctx, folder) == 1,
          "no library context");
    arm(whose, k);
    bool loaded = load(libctx, config, &provider);
    /* Of a configuration libcrypto says nothing if a provider in it doesn't start. */
    if (!loaded)
        disarm(config != NULL ? OF_ALL : whose, "loading", k);
    fault.armed = false;
    const bool fired = fault.fired;
    /* In the same library context: what was begun must not be in the way. */
    if (whose == OF_MODULE) {
        loaded = loaded ||
                 check(load(libctx, config, &provider), "loading again after allocation %ld", k);
        check(loaded && use(libctx), "using after allocation %ld failed at load", k);
    }
    ERR_clear_error();
    OSSL_PROVIDER_unload(provider);
    OSSL_LIB_CTX_free(libctx);
    return fired;
}

/* What came of a load in a child. */
enum outcome { FIRED = 10, NOT_FIRED, LOST, CRASHED_IN_LIBRARY, CRASHED_IN_MODULE };

/* libcrypto doesn't survive every lack of memory of its own. Whether a crash is in the module's
   code, the address of the instruction tells. */
static void on_crash(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    Dl_info where = {0};
    const void *pc = NULL;
#if defined __x86_64__
    pc = (const void *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#elif defined __aarch64__
    pc = (const void *)((ucontext_t *)context)->uc_mcontext.pc;
#else
    (void)context;
#endif
    const bool known = pc != NULL && dladdr(pc, &where) != 0 && where.dli_fname != NULL;
    _exit(known && strstr(where.dli_fname, "ctaes") == NULL ? CRASHED_IN_LIBRARY
                                                            : CRASHED_IN_MODULE);
}

static int run_load_in_child(const char *config, long k)
{
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        const struct sigaction action = {.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO};
        sigaction(SIGSEGV, &action, NULL);
        sigaction(SIGBUS, &action, NULL);
        sigaction(SIGABRT, &action, NULL);
        const bool fired = run_load(config, OF_ALL, k);
        _exit(!fired ? NOT_FIRED : blocks_of_module() != 0 ? LOST : FIRED);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return CRASHED_IN_MODULE;
    return WEXITSTATUS(status);
}

static void run_loads(const char *config)
{
    long k = 0;
    while (k < 50 && run_load(config, OF_MODULE, k)) {
        check(blocks_of_module() == 0, "loading: allocation %ld failed: %ld blocks lost", k,
              blocks_of_module());
        k++;
    }
    check(k >= 1 && k < 50, "%ld allocations of the module at load", k);

    int outcome = FIRED;
    for (k = 0; k < 5000 && outcome != NOT_FIRED; k++) {
        outcome = run_load_in_child(config, k);
        check(outcome >= FIRED && outcome < CRASHED_IN_MODULE,
              "loading: allocation %ld of all failed: %d", k, outcome);
        injected[OF_ALL] += outcome != NOT_FIRED;
        crashes += outcome == CRASHED_IN_LIBRARY;
        lost += outcome == LOST;
    }
    check(k > 10 && k < 5000, "%ld allocations at load", k);
}

static bool write_config(char *path, size_t len)
{
    char whole[PATH_MAX];
    snprintf(path, len, "%s/test/faults/memory.cnf", folder);
    FILE *f = fopen(path, "w");
    if (f == NULL || realpath(folder, whole) == NULL)
        return false;
    fprintf(f,
            "openssl_conf = init\n[init]\nproviders = providers\n[providers]\nctaes = ctaes\n"
            "[ctaes]\nmodule = %s/ctaes.so\nmacs = yes\nactivate = 1\n",
            whole);
    return fclose(f) == 0;
}

void check_memory(void)
{
    if (!check(watching, "libcrypto doesn't take its memory from this program"))
        return;
    run_messages(NULL);
    run_messages("ct64");
    figure("allocations of the module that failed, in messages", injected[OF_MODULE]);
    figure("allocations of libcrypto and the module that failed, in messages", injected[OF_ALL]);
}

void check_loads(void)
{
    char config[PATH_MAX];
    if (!check(watching, "libcrypto doesn't take its memory from this program") ||
        !check(write_config(config, sizeof config), "can't write %s", config))
        return;
    injected[OF_MODULE] = injected[OF_ALL] = 0;
    run_loads(NULL);
    run_loads(config);
    unlink(config);
    figure("allocations of the module that failed, at load", injected[OF_MODULE]);
    figure("allocations of libcrypto and the module that failed, at load", injected[OF_ALL]);
    figure("of these, crashes in libcrypto's own code", crashes);
    figure("of these, instances of the module that libcrypto didn't give back", lost);
}
