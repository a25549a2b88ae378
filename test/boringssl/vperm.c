/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The vector-permute cores against BoringSSL's vector-permute AES, and prints a
 * table in Markdown.
 *
 *     OPENSSL_ia32cap=~0x200000200000000 vperm <BoringSSL's libcrypto>
 *
 * The mask hides AES and PCLMULQDQ from BoringSSL, which reads the same variable; it
 * has no vector-permute code for AVX2. BoringSSL goes through its EVP functions, as
 * it exports no others, ctaes through its modes: an update in one endless message,
 * without an init. Rounds as in test/bearssl/portable.c: both sides one right after
 * the other, each the best of some repetitions; the ratio is the rounds' median.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "../../cores/core.h"
#include "../../cores/cpu.h"
#include "../../provider/modes/mode.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS 101
#define REPETITIONS 5
#define MAX_LEN 16384

/* Of BoringSSL's <openssl/cipher.h>. */
static void *(*ctx_new)(void);
static int (*init)(void *ctx, const void *cipher, void *engine, const uint8_t *key,
                   const uint8_t *iv);
static int (*update)(void *ctx, uint8_t *out, int *out_len, const uint8_t *in, int in_len);

static uint8_t key[32] = "a key that only benchmarks use.", iv[16];
static _Alignas(64) uint8_t data[MAX_LEN], out[MAX_LEN], expected[MAX_LEN];

struct task {
    const char *what, *function; /* BoringSSL's, for the cipher */
    const struct ctaes_mode *mode;
    size_t key_len, len;
};

static void *find(void *library, const char *name)
{
    void *p = dlsym(library, name);
    if (p == NULL) {
        fprintf(stderr, "vperm: %s\n", dlerror());
        exit(1);
    }
    return p;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The time of one of n calls, in nanoseconds. */
#define BEST_OF(n, best, call)                                                                     \
    do {                                                                                           \
        best = 1e300;                                                                              \
        for (int r = 0; r < REPETITIONS; r++) {                                                    \
            const double start = now();                                                            \
            for (size_t i = 0; i < (n); i++)                                                       \
                call;                                                                              \
            const double time = (now() - start) / (double)(n);                                     \
            best = time < best ? time : best;                                                      \
        }                                                                                          \
    } while (0)

/* How many times as fast as BoringSSL the core does the task. */
static double measure(void *library, const struct ctaes_core *core, const struct task *task)
{
    const void *(*cipher)(void);
    *(void **)&cipher = find(library, task->function);
    void *ctx = ctx_new();
    struct ctaes_aes_key *expanded = aligned_alloc(CTAES_ALIGN, (core->key_size + 63) / 64 * 64);
    struct ctaes_chain chain = {.num = 0};
    int n = 0;
    if (ctx == NULL || expanded == NULL || !init(ctx, cipher(), NULL, key, iv) ||
        !update(ctx, expected, &n, data, (int)task->len) || n != (int)task->len) {
        fprintf(stderr, "vperm: BoringSSL can't do %s\n", task->what);
        exit(1);
    }
    core->expand_key(expanded, key, task->key_len);
    task->mode->encrypt(core, expanded, &chain, out, data, task->len);
    if (memcmp(out, expected, task->len) != 0) {
        fprintf(stderr, "vperm: %s: the outputs differ\n", task->what);
        exit(1);
    }
    double ratios[ROUNDS];
    const size_t calls = 1 + 20000 / task->len;
    for (size_t round = 0; round < ROUNDS; round++) {
        double ours, theirs;
        BEST_OF(calls, ours, task->mode->encrypt(core, expanded, &chain, out, data, task->len));
        BEST_OF(calls, theirs, update(ctx, out, &n, data, (int)task->len));
        ratios[round] = theirs / ours;
    }
    free(expanded);
    qsort(ratios, ROUNDS, sizeof ratios[0], compare);
    return ratios[ROUNDS / 2];
}

int main(int argc, char **argv)
{
    static const struct task tasks[] = {
        {"CTR, 16 B, AES-128", "EVP_aes_128_ctr", &ctaes_mode_ctr, 16, 16},
        {"CTR, 64 B, AES-128", "EVP_aes_128_ctr", &ctaes_mode_ctr, 16, 64},
        {"CTR, 16 KiB, AES-128", "EVP_aes_128_ctr", &ctaes_mode_ctr, 16, 16384},
        {"CTR, 16 B, AES-256", "EVP_aes_256_ctr", &ctaes_mode_ctr, 32, 16},
        {"CTR, 64 B, AES-256", "EVP_aes_256_ctr", &ctaes_mode_ctr, 32, 64},
        {"CTR, 16 KiB, AES-256", "EVP_aes_256_ctr", &ctaes_mode_ctr, 32, 16384},
        {"CBC encryption, 16 KiB, AES-128", "EVP_aes_128_cbc", &ctaes_mode_cbc, 16, 16384},
        {"CBC encryption, 16 KiB, AES-256", "EVP_aes_256_cbc", &ctaes_mode_cbc, 32, 16384},
    };
    static const char *const names[] = {"ssse3", "avx2", "avx512"};
    const char *mask = getenv("OPENSSL_ia32cap");
    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (library == NULL || mask == NULL) {
        fprintf(stderr, "usage: OPENSSL_ia32cap=~0x200000200000000 vperm LIBCRYPTO\n%s\n",
                argc == 2 ? dlerror() : "");
        return 2;
    }
    *(void **)&ctx_new = find(library, "EVP_CIPHER_CTX_new");
    *(void **)&init = find(library, "EVP_EncryptInit_ex");
    *(void **)&update = find(library, "EVP_EncryptUpdate");
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i * 251);
    printf("| times as fast as BoringSSL |");
    for (size_t c = 0; c < 3; c++)
        printf(" `%s` |", names[c]);
    printf("\n| --- | --: | --: | --: |\n");
    for (size_t t = 0; t < sizeof tasks / sizeof tasks[0]; t++) {
        printf("| %s |", tasks[t].what);
        for (size_t c = 0; c < 3; c++) {
            const struct ctaes_core *core = ctaes_core_by_name(names[c]);
            if (core == NULL || (core->features & ~ctaes_cpu_features()) != 0)
                printf(" |");
            else
                printf(" %.2f |", measure(library, core, &tasks[t]));
            fflush(stdout);
        }
        printf("\n");
    }
    return 0;
}
