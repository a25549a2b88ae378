/* SPDX-License-Identifier: Apache-2.0 */
/* check-scale, much of the small: a million contexts at once, ten million short messages. */
#include "scale.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

void run_contexts(void)
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

void run_messages(void)
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
