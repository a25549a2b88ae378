/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Much of everything: `make check-scale`.
 *
 *   scale FOLDER [--quick] [--figures FILE] [--cores NAMES] [part...]     FOLDER/ctaes.so
 *
 *   huge       messages over 4 GiB: one memory file of 16 MiB, mapped again and
 *              again behind itself, is the input; ctaes against the default provider,
 *              by the tag, or by the last bytes and a hash of the output
 *   limits     GCM just before and behind its longest message
 *   contexts   a million of them at once
 *   messages   ten million short ones, during which memory must not grow
 *   threads    what a message costs more in threads of one process, one on each CPU,
 *              than in as many processes: ctaes against the default provider
 *   upper      legacy SSE code after a call of each core, in time (AVX-SSE transitions)
 *
 * Figures are printed, and judged only where a number can be wrong.
 */
#include "scale.h"

#include <openssl/err.h>
#include <openssl/provider.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const char *folder;
bool quick;
const char *cores = "auto";
static FILE *figures;
static unsigned passed, failed, skipped;

bool check(bool good, const char *what, const char *name)
{
    passed += good;
    failed += !good;
    if (!good)
        printf("FAIL %s: %s\n", what, name);
    fflush(stdout);
    return good;
}

void figure(const char *what, const char *name, double number, const char *unit)
{
    printf("%s %s: %.2f %s\n", what, name, number, unit);
    fflush(stdout);
    if (figures != NULL)
        fprintf(figures, "| %s %s | %.2f %s |\n", what, name, number, unit);
}

void skip(const char *what, const char *why)
{
    skipped++;
    printf("SKIP %s: %s\n", what, why);
    fflush(stdout);
}

double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- The two sides --- */

static OSSL_LIB_CTX *libctx[2];
static OSSL_PROVIDER *provider[2];

OSSL_LIB_CTX *load(const char *name, OSSL_PROVIDER **loaded)
{
    OSSL_LIB_CTX *ctx = OSSL_LIB_CTX_new();
    OSSL_PROVIDER_set_default_search_path(ctx, folder);
    *loaded = OSSL_PROVIDER_load(ctx, name);
    return ctx;
}

static void open_sides(void)
{
    for (int i = 0; i < 2; i++) {
        libctx[i] = load(i == CTAES ? "ctaes" : "default", &provider[i]);
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

EVP_CIPHER *fetch(int side, const char *name)
{
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(libctx[side], name, NULL);
    if (cipher == NULL) {
        printf("FAIL no %s\n", name);
        exit(2);
    }
    return cipher;
}

uint8_t key[64], iv[16];

EVP_CIPHER_CTX *start(const EVP_CIPHER *cipher, int encrypt)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    if (ctx == NULL || EVP_CipherInit_ex2(ctx, cipher, key, iv, encrypt, NULL) != 1) {
        printf("FAIL no context\n");
        exit(2);
    }
    return ctx;
}

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
        else if (strcmp(*wanted, "--cores") == 0 && wanted[1] != NULL)
            cores = *++wanted;
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
