/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Much of everything: `make check-scale`.
 *
 *   scale FOLDER [--quick] [--figures FILE] [part...]     FOLDER/ctaes.so
 *
 *   huge       messages over 4 GiB: one memory file of 16 MiB, mapped again and
 *              again behind itself, is the input; ctaes against the default provider,
 *              by the tag, or by the last bytes and a hash of the output
 *   limits     GCM just before and behind its longest message
 *   contexts   a million of them at once
 *   messages   ten million short ones, during which memory must not grow
 *   threads    messages in one thread and in all CPUs', ctaes and the default
 *   upper      legacy SSE code after a call of each core, in time (AVX-SSE transitions)
 *
 * Figures are printed, and judged only where a number can be wrong.
 */
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static const char *folder;
static bool quick;
static FILE *figures;
static unsigned passed, failed, skipped;

static bool check(bool good, const char *what, const char *name)
{
    passed += good;
    failed += !good;
    if (!good)
        printf("FAIL %s: %s\n", what, name);
    fflush(stdout);
    return good;
}

static void figure(const char *what, const char *name, double number, const char *unit)
{
    printf("%s %s: %.2f %s\n", what, name, number, unit);
    fflush(stdout);
    if (figures != NULL)
        fprintf(figures, "| %s %s | %.2f %s |\n", what, name, number, unit);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- The two sides --- */

enum { DEFAULT, CTAES };
static OSSL_LIB_CTX *libctx[2];
static OSSL_PROVIDER *provider[2];

static void open_sides(void)
{
    for (int i = 0; i < 2; i++) {
        libctx[i] = OSSL_LIB_CTX_new();
        OSSL_PROVIDER_set_default_search_path(libctx[i], folder);
        provider[i] = OSSL_PROVIDER_load(libctx[i], i == CTAES ? "ctaes" : "default");
        if (provider[i] == NULL) {
            ERR_print_errors_fp(stdout);
            exit(2);
        }
    }
}

static void close_sides(void)
{
    for (int i = 0; i < 2; i++) {
        OSSL_PROVIDER_unload(provider[i]);
        OSSL_LIB_CTX_free(libctx[i]);
    }
}

static EVP_CIPHER *fetch(int side, const char *name)
{
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(libctx[side], name, NULL);
    if (cipher == NULL) {
        printf("FAIL no %s\n", name);
        exit(2);
    }
    return cipher;
}

static uint8_t key[64], iv[16];

static EVP_CIPHER_CTX *start(const EVP_CIPHER *cipher, int encrypt)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    if (ctx == NULL || EVP_CipherInit_ex2(ctx, cipher, key, iv, encrypt, NULL) != 1) {
        printf("FAIL no context\n");
        exit(2);
    }
    return ctx;
}

/* --- Messages over 4 GiB --- */

#define FILE_LEN ((size_t)16 << 20)
#define PIECE ((size_t)1 << 30)

/* len bytes of addresses behind which lie the same FILE_LEN bytes of memory, over and over. */
static uint8_t *map_over_and_over(size_t len, int *fd)
{
    *fd = memfd_create("scale", 0);
    uint8_t *all = mmap(NULL, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (*fd < 0 || ftruncate(*fd, (off_t)FILE_LEN) != 0 || all == MAP_FAILED) {
        perror("mapping");
        exit(2);
    }
    for (size_t at = 0; at < len; at += FILE_LEN) {
        const size_t here = len - at < FILE_LEN ? len - at : FILE_LEN;
        if (mmap(all + at, here, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, *fd, 0) ==
            MAP_FAILED) {
            perror("mapping");
            exit(2);
        }
    }
    return all;
}

/* Input stays the same, output goes over and over into the other file, so that its last FILE_LEN
   bytes are there in the end. */
static void check_huge(const char *name)
{
    const size_t len = (quick ? PIECE / 4 : 4 * PIECE) + 3 * FILE_LEN / 2 + 16;
    int fd[2];
    uint8_t *in = map_over_and_over(PIECE, &fd[0]), *out = map_over_and_over(PIECE, &fd[1]);
    uint8_t tag[2][16] = {{0}}, *last[2];
    for (size_t i = 0; i < FILE_LEN; i++)
        in[i] = (uint8_t)(i * 2654435761U >> 13);
    const bool gcm = strstr(name, "GCM") != NULL || strstr(name, "OCB") != NULL;

    for (int side = DEFAULT; side <= CTAES; side++) {
        EVP_CIPHER *cipher = fetch(side, name);
        EVP_CIPHER_CTX *ctx = start(cipher, 1);
        bool good = true;
        const double before = now();
        memset(out, 0, FILE_LEN);
        for (size_t done = 0; done < len && good;) {
            /* As long as EVP can be asked for: pieces of 1 GiB. */
            const size_t n = len - done < PIECE ? len - done : PIECE;
            int m = 0;
            good = EVP_CipherUpdate(ctx, out, &m, in, (int)n) == 1 && (size_t)m == n;
            done += n;
        }
        int m = 0;
        uint8_t block[16];
        good = good && EVP_CipherFinal_ex(ctx, block, &m) == 1 &&
               (!gcm || EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, tag[side]) == 1);
        check(good, "a message of 4 GiB", name);
        if (side == CTAES)
            figure("4 GiB of", name, (double)len / (now() - before) / 1e9, "GB/s");
        last[side] = malloc(FILE_LEN);
        if (last[side] == NULL)
            abort();
        memcpy(last[side], out, FILE_LEN);
        EVP_CIPHER_CTX_free(ctx);
        EVP_CIPHER_free(cipher);
    }
    check(memcmp(last[0], last[1], FILE_LEN) == 0 && memcmp(tag[0], tag[1], 16) == 0,
          "a message of 4 GiB differs", name);
    free(last[0]);
    free(last[1]);
    munmap(in, PIECE);
    munmap(out, PIECE);
    close(fd[0]);
    close(fd[1]);
}

static void run_huge(void)
{
    /* Not XTS: no data unit may have more than 2^20 blocks. */
    static const char *const names[] = {"AES-256-GCM", "AES-128-CTR", "AES-128-OCB", "AES-128-ECB",
                                        "AES-128-CBC"};
    for (size_t i = 0; i < (quick ? 2 : sizeof names / sizeof names[0]); i++)
        check_huge(names[i]);
}

/* --- GCM's longest message: 2^36 - 32 bytes (SP 800-38D section 5.2.1.1) --- */

static void run_limits(void)
{
    if (quick)
        return; /* 64 GiB: test/unit sets the counters instead */
    const uint64_t limit = (UINT64_C(1) << 36) - 32;
    int fd, n = 0;
    uint8_t *data = map_over_and_over(PIECE, &fd), tag[16];
    EVP_CIPHER *cipher = fetch(CTAES, "AES-128-GCM");
    EVP_CIPHER_CTX *ctx = start(cipher, 1);
    bool good = true;
    uint64_t done = 0;
    const double before = now();
    while (good && done < limit) {
        const uint64_t piece = limit - done < PIECE ? limit - done : PIECE;
        good = EVP_CipherUpdate(ctx, data, &n, data, (int)piece) == 1;
        done += piece;
    }
    check(good && done == limit, "the longest message of GCM", "AES-128-GCM");
    check(EVP_CipherUpdate(ctx, data, &n, data, 1) == 0, "one byte more is refused", "AES-128-GCM");
    ERR_clear_error();
    check(EVP_CipherInit_ex2(ctx, NULL, NULL, iv, 1, NULL) == 1 &&
              EVP_CipherUpdate(ctx, data, &n, data, 16) == 1 &&
              EVP_CipherFinal_ex(ctx, data, &n) == 1 &&
              EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1,
          "the next message", "AES-128-GCM");
    figure("2^36 - 32 bytes of", "AES-128-GCM", now() - before, "s");
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_free(cipher);
    munmap(data, PIECE);
    close(fd);
}

/* --- Many --- */

static double resident(void)
{
    FILE *f = fopen("/proc/self/statm", "r");
    long all = 0, pages = 0;
    if (f == NULL || fscanf(f, "%ld %ld", &all, &pages) != 2)
        pages = 0;
    if (f != NULL)
        fclose(f);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static void run_contexts(void)
{
    const size_t count = quick ? 20000 : 1000000;
    EVP_CIPHER_CTX **ctx = calloc(count, sizeof(EVP_CIPHER_CTX *));
    static uint8_t first[2][64];
    if (ctx == NULL)
        abort();
    const double least = resident();
    for (int side = DEFAULT; side <= CTAES; side++) {
        EVP_CIPHER *cipher = fetch(side, "AES-256-GCM");
        const double before = resident();
        bool good = true;
        for (size_t i = 0; i < count; i++) {
            memcpy(iv, &i, sizeof i);
            ctx[i] = start(cipher, 1);
        }
        figure(quick ? "bytes for a context of" : "bytes for each of a million contexts of",
               side == CTAES ? "ctaes" : "default", (resident() - before) / (double)count, "");
        /* All of them alive: of each a message, of which the last is compared. */
        for (size_t i = 0; i < count; i++) {
            int n = 0;
            good = good && EVP_CipherUpdate(ctx[i], first[side], &n, key, 48) == 1 && n == 48;
        }
        check(good, "a million contexts", side == CTAES ? "ctaes" : "default");
        for (size_t i = 0; i < count; i++)
            EVP_CIPHER_CTX_free(ctx[i]);
        EVP_CIPHER_free(cipher);
        malloc_trim(0);
    }
    memset(iv, 0, sizeof iv);
    check(memcmp(first[0], first[1], 48) == 0, "the last of a million contexts", "differs");
    const double left = resident() - least;
    check(left < 16e6, "memory is given back", "after a million contexts");
    free(ctx);
}

static void run_messages(void)
{
    static const char *const names[] = {"AES-128-GCM", "AES-256-CBC", "AES-128-SIV", "AES-128-CCM",
                                        "AES-256-OCB"};
    const size_t kinds = sizeof names / sizeof names[0];
    const size_t count = quick ? 100000 : 10000000;
    EVP_CIPHER *cipher[8];
    double early = 0;
    for (size_t i = 0; i < kinds; i++)
        cipher[i] = fetch(CTAES, names[i]);
    bool good = true;
    const double before = now();
    for (size_t i = 0; i < count; i++) {
        uint8_t out[64];
        int n = 0;
        EVP_CIPHER_CTX *ctx = start(cipher[i % kinds], 1);
        good = good && EVP_CipherUpdate(ctx, out, &n, key, (int)(16 + i % 33)) == 1;
        EVP_CIPHER_CTX_free(ctx);
        if (i == count / 10)
            early = resident();
    }
    check(good, "short messages", "ctaes");
    check(resident() - early < 1e6, "memory doesn't grow", "over short messages");
    figure(quick ? "short messages" : "ten million short messages, each in a new context,", "ctaes",
           (double)count / (now() - before) / 1e6, "million/s");
    figure("memory grown from the first tenth to the end,", "ctaes", (resident() - early) / 1024,
           "KiB");
    for (size_t i = 0; i < kinds; i++)
        EVP_CIPHER_free(cipher[i]);
}

/* --- Threads --- */

struct job {
    EVP_CIPHER *cipher;
    size_t len;
    double seconds;
    uint64_t bytes;
};

/* With a context of its own for each message, as servers have it. */
static void *encrypt_for_a_while(void *arg)
{
    struct job *job = arg;
    uint8_t *data = malloc(job->len + 32);
    if (data == NULL)
        abort();
    memset(data, 1, job->len);
    const double end = now() + job->seconds;
    while (now() < end) {
        for (int i = 0; i < 16; i++) {
            int n = 0;
            EVP_CIPHER_CTX *ctx = start(job->cipher, 1);
            EVP_CipherUpdate(ctx, data, &n, data, (int)job->len);
            EVP_CIPHER_CTX_free(ctx);
            job->bytes += job->len;
        }
    }
    free(data);
    return NULL;
}

static double rate(EVP_CIPHER *cipher, size_t len, size_t threads)
{
    pthread_t id[64];
    struct job jobs[64];
    double sum = 0;
    const double seconds = 0.2;
    for (size_t i = 0; i < threads; i++) {
        jobs[i] = (struct job){cipher, len, seconds, 0};
        if (pthread_create(&id[i], NULL, encrypt_for_a_while, &jobs[i]) != 0)
            abort();
    }
    for (size_t i = 0; i < threads; i++) {
        pthread_join(id[i], NULL);
        sum += (double)jobs[i].bytes / seconds;
    }
    return sum;
}

static void run_threads(void)
{
    static const size_t lengths[] = {64, 16384};
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    const size_t threads = cpus < 1 ? 1 : cpus > 64 ? 64 : (size_t)cpus;
    for (size_t l = 0; l < 2; l++) {
        double best[2][2] = {{0}};
        EVP_CIPHER *cipher[2] = {fetch(DEFAULT, "AES-128-GCM"), fetch(CTAES, "AES-128-GCM")};
        for (int round = 0; round < (quick ? 1 : 9); round++)
            for (int side = DEFAULT; side <= CTAES; side++)
                for (int many = 0; many < 2; many++) {
                    const double r = rate(cipher[side], lengths[l], many ? threads : 1);
                    if (r > best[side][many])
                        best[side][many] = r;
                }
        for (int side = DEFAULT; side <= CTAES; side++) {
            char what[100];
            snprintf(what, sizeof what, "%zu threads against one, messages of %zu bytes,", threads,
                     lengths[l]);
            figure(what, side == CTAES ? "ctaes" : "default", best[side][1] / best[side][0],
                   "times as fast");
            EVP_CIPHER_free(cipher[side]);
        }
    }
    passed++;
}

/* --- SSE after vectors --- */

#if defined __x86_64__
/* Instructions with the old encoding, each of which waits for the one before. */
static double time_sse(void)
{
    const double before = now();
    for (int i = 0; i < 2000; i++)
        __asm__ volatile("paddd %%xmm1, %%xmm0\n pxor %%xmm2, %%xmm0\n paddd %%xmm1, %%xmm0\n"
                         "pxor %%xmm2, %%xmm0\n paddd %%xmm1, %%xmm0\n pxor %%xmm2, %%xmm0\n" ::
                             : "xmm0", "xmm1", "xmm2");
    return now() - before;
}

static void run_upper(void)
{
    static const char *const names[] = {"AES-128-GCM", "AES-128-CBC", "AES-128-CTR", "AES-128-XTS"};
    double clean = 1, worst = 0;
    uint8_t data[4096] = {0};
    for (int i = 0; i < 200; i++) {
        const double t = time_sse();
        clean = t < clean ? t : clean;
    }
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        EVP_CIPHER *cipher = fetch(CTAES, names[k]);
        double least = 1;
        for (int i = 0; i < 200; i++) {
            int n = 0;
            EVP_CIPHER_CTX *ctx = start(cipher, 1);
            EVP_CipherUpdate(ctx, data, &n, data, sizeof data);
            const double t = time_sse();
            EVP_CIPHER_CTX_free(ctx);
            least = t < least ? t : least;
        }
        worst = least > worst ? least : worst;
        EVP_CIPHER_free(cipher);
    }
    figure("SSE code after a call, against before any,", "ctaes", worst / clean, "times the time");
    check(worst / clean < 1.5, "SSE code is slower after a call", "ctaes");
}
#else
static void run_upper(void)
{
    passed++;
}
#endif

static const struct {
    const char *name;
    void (*run)(void);
} parts[] = {{"upper", run_upper},       {"huge", run_huge},         {"limits", run_limits},
             {"contexts", run_contexts}, {"messages", run_messages}, {"threads", run_threads}};

int main(int argc, char **argv)
{
    char **wanted = argv + 2;
    if (argc < 2)
        return 2;
    folder = argv[1];
    for (; *wanted != NULL && (*wanted)[0] == '-'; wanted++) {
        if (strcmp(*wanted, "--quick") == 0)
            quick = true;
        else if (strcmp(*wanted, "--figures") == 0 && wanted[1] != NULL)
            figures = fopen(*++wanted, "w");
        else
            return 2;
    }
    for (size_t i = 0; i < sizeof key; i++)
        key[i] = (uint8_t)(29 * i + 3);
    open_sides();
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        bool run = *wanted == NULL;
        for (char **p = wanted; *p != NULL; p++)
            run = run || strcmp(*p, parts[i].name) == 0;
        if (run)
            parts[i].run();
    }
    close_sides();
    if (figures != NULL)
        fclose(figures);
    printf("scale: %u passed, %u failed, %u skipped\n", passed, failed, skipped);
    return failed != 0;
}
