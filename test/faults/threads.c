/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads. At the same time, through what they share (the module, its ciphers):
 *
 *   workers     each goes through all algorithms with contexts of its own
 *   relay       messages of which each call is made by another thread
 *   loaders     load the module into library contexts of their own, use it, unload it
 *
 * `make check-tsan` runs this under the thread sanitizer.
 */
#include "faults.h"

#include <pthread.h>
#include <stdlib.h>

enum { WORKERS = 3, LOADERS = 2, RUNNERS = 3, ROUNDS = 6, LOADS = 25 };

static struct host h;
static unsigned long messages, loads, handed;

static void *work(void *number)
{
    for (size_t round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < h.count; i++) {
            /* Each begins elsewhere, so that many meet. */
            const struct algorithm *alg = &h.algorithms[(i + 7 * (size_t)number) % h.count];
            struct message m = {.alg = alg};
            check(finish_message(&m, 0) && is_right(&m), "%s in one of several threads", alg->name);
            free_message(&m);
            __atomic_fetch_add(&messages, 1, __ATOMIC_RELAXED);
        }
    }
    return NULL;
}

static void *load(void *unused)
{
    (void)unused;
    for (int i = 0; i < LOADS; i++) {
        OSSL_LIB_CTX *libctx = OSSL_LIB_CTX_new();
        OSSL_PROVIDER_set_default_search_path(libctx, folder);
        OSSL_PROVIDER *provider = OSSL_PROVIDER_load(libctx, "ctaes");
        if (check(provider != NULL, "load %d of a thread", i)) {
            EVP_CIPHER *cipher = EVP_CIPHER_fetch(libctx, "AES-256-GCM", NULL);
            struct algorithm alg = *find(&h, "AES-256-GCM");
            alg.cipher = cipher;
            struct message m = {.alg = &alg};
            check(cipher != NULL && finish_message(&m, 0) && is_right(&m),
                  "a message of a module just loaded");
            free_message(&m);
            EVP_CIPHER_free(cipher);
        }
        OSSL_PROVIDER_unload(provider);
        OSSL_LIB_CTX_free(libctx);
        __atomic_fetch_add(&loads, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

/* --- The relay --- */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t passed;
    struct message message;
    size_t alg;
    int call;
    int turn; /* whose */
} baton = {.lock = PTHREAD_MUTEX_INITIALIZER, .passed = PTHREAD_COND_INITIALIZER};

static void *relay(void *number)
{
    const int me = (int)(size_t)number;
    pthread_mutex_lock(&baton.lock);
    while (baton.alg < h.count) {
        if (baton.turn != me) {
            pthread_cond_wait(&baton.passed, &baton.lock);
            continue;
        }
        struct message *m = &baton.message;
        if (baton.call == 0)
            *m = (struct message){.alg = &h.algorithms[baton.alg]};
        check(make_call(m, baton.call), "%s: call %d by another thread", m->alg->name, baton.call);
        handed++;
        if (++baton.call == CALLS) {
            check(is_right(m), "%s, each call by another thread", m->alg->name);
            free_message(m);
            baton.call = 0;
            baton.alg++;
        }
        baton.turn = (me + 1) % RUNNERS;
        pthread_cond_broadcast(&baton.passed);
    }
    pthread_mutex_unlock(&baton.lock);
    return NULL;
}

void check_threads(void)
{
    static const struct {
        void *(*run)(void *);
        size_t count;
    } kinds[] = {{work, WORKERS}, {load, LOADERS}, {relay, RUNNERS}};
    pthread_t threads[WORKERS + LOADERS + RUNNERS];
    size_t n = 0;

    open_host(&h, NULL);
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < kinds[k].count; i++, n++)
            if (pthread_create(&threads[n], NULL, kinds[k].run, (void *)i) != 0)
                abort();
    while (n > 0)
        pthread_join(threads[--n], NULL);
    close_host(&h);
    check(blocks_of_module() == 0, "%ld blocks of memory lost", blocks_of_module());
    figure("messages in parallel threads", messages);
    figure("loads in parallel threads", loads);
    figure("calls handed from thread to thread", handed);
}
