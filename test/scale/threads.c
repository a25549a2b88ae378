/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check-scale, threads: contexts of their own share nothing in ctaes, so that a message must cost
 * no more in one of several threads than in one of as many processes, which have nothing in common
 * but the machine. What libcrypto itself shares (the counts of references to what was fetched) does
 * cost something where each message has a new context, and is in both providers' figures: ctaes
 * must not add to it. With one context for all messages of a thread libcrypto counts nothing, and
 * ctaes must scale as default does.
 *
 *      contexts          one for each message, one for each window
 *      workers           one thread    a thread on each CPU    a process on each CPU
 *      providers         default, ctaes, and ctaes with a counter that all threads of a process
 * share (the control, for which the difference must be seen)
 *
 * All of these take turns in windows of 2 ms, so that what else the machine does meets all of them
 * alike; a window in which a worker came late or had to leave its CPU is thrown away. Medians of
 * the windows of a group of rounds give one ratio or difference, and those of nine groups the
 * result and how far it is to be trusted.
 */
#include "scale.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_CPUS = 64, GROUPS = 9, ROUNDS = 30 };
enum { SHARING = 2, PROVIDERS = 3 }; /* after DEFAULT and CTAES */
enum { ONE, THREADS, PROCESSES, WAYS };

static const double WINDOW = 2e-3, AHEAD = 3e-4, LATE = 5e-5; /* seconds */

struct worker {
    sem_t go, done;
    size_t cpu;
    bool quit;
    /* What to do: from this moment on. */
    EVP_CIPHER *cipher;
    size_t len;
    double begin;
    bool share, keep;
    /* What was done. */
    double seconds_each;
    bool disturbed;
};

static _Atomic unsigned long counter;

static long involuntary_switches(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nivcsw;
}

/* One message, in a context of its own or in the one that is kept. */
static void encrypt_message(const struct worker *w, EVP_CIPHER_CTX *kept, uint8_t *data)
{
    int n = 0;
    EVP_CIPHER_CTX *ctx = kept != NULL ? kept : start(w->cipher, 1);
    if (kept != NULL)
        EVP_CipherInit_ex(kept, NULL, NULL, NULL, iv, -1);
    EVP_CipherUpdate(ctx, data, &n, data, (int)w->len);
    if (kept == NULL)
        EVP_CIPHER_CTX_free(ctx);
}

static void work(struct worker *w, uint8_t *data)
{
    EVP_CIPHER_CTX *kept = w->keep ? start(w->cipher, 1) : NULL;
    const long before = involuntary_switches();
    unsigned long messages = 0;
    double t;
    while (now() < w->begin)
        ;
    const bool late = now() > w->begin + LATE;
    do {
        for (int i = 0; i < 4; i++) {
            encrypt_message(w, kept, data);
            for (int k = 0; k < 32 && w->share; k++)
                atomic_fetch_add(&counter, 1);
        }
        messages += 4;
        t = now();
    } while (t < w->begin + WINDOW);
    w->seconds_each = (t - w->begin) / (double)messages;
    w->disturbed = late || involuntary_switches() != before;
    EVP_CIPHER_CTX_free(kept);
}

static void *run_worker(void *arg)
{
    struct worker *w = arg;
    uint8_t *data = calloc(1, 1 << 16);
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(w->cpu, &set);
    if (data == NULL || pthread_setaffinity_np(pthread_self(), sizeof set, &set) != 0)
        abort();
    for (;;) {
        while (sem_wait(&w->go) != 0)
            ;
        if (w->quit)
            break;
        work(w, data);
        sem_post(&w->done);
    }
    free(data);
    return NULL;
}

static struct worker *workers; /* count threads, then count processes, each of which has a thread */
static size_t count;
static pthread_t threads[MAX_CPUS];

static void start_workers(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        abort();
    workers = mmap(NULL, 2 * MAX_CPUS * sizeof *workers, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (workers == MAP_FAILED)
        abort();
    size_t cpus[MAX_CPUS] = {0};
    count = 0;
    for (size_t cpu = 0; cpu < CPU_SETSIZE && count < MAX_CPUS; cpu++)
        if (CPU_ISSET(cpu, &set))
            cpus[count++] = cpu;
    fflush(NULL);
    for (size_t i = 2 * count; i-- > 0;) {
        struct worker *w = &workers[i];
        w->cpu = cpus[i % count];
        if (sem_init(&w->go, 1, 0) != 0 || sem_init(&w->done, 1, 0) != 0)
            abort();
        if (i < count) {
            if (pthread_create(&threads[i], NULL, run_worker, w) != 0)
                abort();
            continue;
        }
        const pid_t pid = fork();
        if (pid < 0)
            abort();
        if (pid == 0) {
            pthread_t id;
            if (pthread_create(&id, NULL, run_worker, w) != 0 || pthread_join(id, NULL) != 0)
                abort();
            _exit(0);
        }
    }
}

static void stop_workers(void)
{
    for (size_t i = 0; i < 2 * count; i++) {
        workers[i].quit = true;
        sem_post(&workers[i].go);
    }
    for (size_t i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    while (wait(NULL) > 0)
        ;
    munmap(workers, 2 * MAX_CPUS * sizeof *workers);
}

/* Seconds for each message, on average over the workers; 0 if one of them was disturbed. */
static double run_window(int way, EVP_CIPHER *cipher, size_t len, bool share, bool keep,
                         size_t turn)
{
    struct worker *first =
        way == ONE ? &workers[turn % count] : &workers[way == THREADS ? 0 : count];
    const size_t n = way == ONE ? 1 : count;
    const double begin = now() + AHEAD;
    double sum = 0;
    bool disturbed = false;
    for (size_t i = 0; i < n; i++) {
        first[i].cipher = cipher;
        first[i].len = len;
        first[i].share = share;
        first[i].keep = keep;
        first[i].begin = begin;
        sem_post(&first[i].go);
    }
    for (size_t i = 0; i < n; i++) {
        while (sem_wait(&first[i].done) != 0)
            ;
        sum += first[i].seconds_each;
        disturbed = disturbed || first[i].disturbed;
    }
    return disturbed ? 0 : sum / (double)n;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct result {
    double value[GROUPS];
    double median, spread; /* spread: between the quartiles */
};

static void close_result(struct result *r, size_t n)
{
    qsort(r->value, n, sizeof r->value[0], compare);
    r->median = r->value[n / 2];
    r->spread = r->value[3 * n / 4] - r->value[n / 4];
}

struct measured {
    struct result scaling[2]; /* of THREADS and PROCESSES: times as fast as one */
    struct result extra;      /* seconds that a message takes more in a thread than in a process */
    struct result each;       /* seconds for a message in one thread */
};

/* A group of rounds; returns whether there were enough windows. */
static bool run_group(EVP_CIPHER *const cipher[PROVIDERS], size_t len, bool keep,
                      struct measured measured[PROVIDERS], size_t group)
{
    static double window[PROVIDERS][WAYS][ROUNDS];
    size_t good[PROVIDERS][WAYS] = {{0}};
    double t[PROVIDERS][WAYS];
    for (size_t round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < PROVIDERS * WAYS; i++) {
            const size_t k = (i + round) % (PROVIDERS * WAYS), p = k / WAYS, way = k % WAYS;
            const double x = run_window((int)way, cipher[p], len, p == SHARING, keep, round);
            if (x > 0)
                window[p][way][good[p][way]++] = x;
        }
    for (size_t p = 0; p < PROVIDERS; p++)
        for (size_t way = 0; way < WAYS; way++) {
            const size_t n = good[p][way];
            if (n < ROUNDS / 5)
                return false;
            qsort(window[p][way], n, sizeof(double), compare);
            t[p][way] = window[p][way][n / 2];
        }
    for (size_t p = 0; p < PROVIDERS; p++) {
        for (size_t way = THREADS; way <= PROCESSES; way++)
            measured[p].scaling[way - 1].value[group] = (double)count * t[p][ONE] / t[p][way];
        measured[p].extra.value[group] = t[p][THREADS] - t[p][PROCESSES];
        measured[p].each.value[group] = t[p][ONE];
    }
    return true;
}

static void print_figures(const struct measured *m, const char *messages, const char *name)
{
    static const char *const ways[] = {"threads", "processes"};
    char what[160];
    for (size_t way = 0; way < 2; way++) {
        snprintf(what, sizeof what, "%zu %s against one thread, %s,", count, ways[way], messages);
        figure(what, name, m->scaling[way].median, "times as fast");
    }
    snprintf(what, sizeof what, "one in a thread, more than in a process, %s,", messages);
    figure(what, name, 1e9 * m->extra.median, "ns");
    printf("  (%.0f ns each; spread of these: %.2f, %.2f, %.1f ns)\n", 1e9 * m->each.median,
           m->scaling[0].spread, m->scaling[1].spread, 1e9 * m->extra.spread);
}

static void run_length(EVP_CIPHER *const cipher[PROVIDERS], size_t len, bool keep)
{
    static struct measured m[PROVIDERS];
    const size_t wanted = quick ? 3 : GROUPS;
    char what[120];
    size_t groups = 0;
    for (size_t tries = 0; groups < wanted && tries < 3 * wanted; tries++)
        groups += run_group(cipher, len, keep, m, groups);
    snprintf(what, sizeof what, "messages of %zu bytes%s", len,
             keep ? " in one context" : ", each in a new context");
    if (groups < wanted) {
        skip(what, "other programs had the CPUs; repeat it when the machine is quieter");
        return;
    }
    for (size_t p = 0; p < PROVIDERS; p++) {
        struct result *all[] = {&m[p].scaling[0], &m[p].scaling[1], &m[p].extra, &m[p].each};
        for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
            close_result(all[i], groups);
    }
    print_figures(&m[DEFAULT], what, "default");
    print_figures(&m[CTAES], what, "ctaes");
    print_figures(&m[SHARING], what, "the control, which shares a counter");

    /* Sharing is a time for each message; as a ratio it weighs more the faster the message is. */
    const double noise =
        m[DEFAULT].extra.spread + m[CTAES].extra.spread + 0.03 * m[CTAES].each.median;
    check(m[CTAES].extra.median <= m[DEFAULT].extra.median + noise,
          "ctaes loses more than default by other threads", what);
    /* The control must be seen where it is large enough: with short messages. */
    if (len < 1024)
        check(m[SHARING].extra.median > m[CTAES].extra.median + noise, "the control isn't seen",
              what);
    const bool less = m[CTAES].scaling[0].median + m[CTAES].scaling[0].spread +
                          m[DEFAULT].scaling[0].spread + 0.03 <
                      m[DEFAULT].scaling[0].median;
    if (keep)
        check(!less, "ctaes gains less by more threads than default does", what);
    else if (less)
        printf("note: %s: ctaes gains less by more threads than default does: %.2f against %.2f\n",
               what, m[CTAES].scaling[0].median, m[DEFAULT].scaling[0].median);
}

void run_threads(void)
{
    static const size_t lengths[] = {64, 16384};
    EVP_CIPHER *cipher[PROVIDERS] = {fetch(DEFAULT, "AES-128-GCM"), fetch(CTAES, "AES-128-GCM"),
                                     fetch(CTAES, "AES-128-GCM")};
    start_workers();
    if (count < 2)
        skip("threads", "there is one CPU");
    for (size_t l = 0; l < 4 && count >= 2; l++)
        run_length(cipher, lengths[l / 2], l % 2 == 1);
    stop_workers();
    for (size_t p = 0; p < PROVIDERS; p++)
        EVP_CIPHER_free(cipher[p]);
}
