/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check-scale, vector registers: legacy SSE code after a call of each core must be as fast as
 * before any. A CPU for which dirty upper halves matter makes such code wait for them (or saves
 * them, once, at the first instruction); the same code is timed after it was made so on purpose,
 * for comparison. That the registers really are clean, on any CPU, is what test/unit/calls.c sees.
 */
#include "scale.h"

#include <openssl/provider.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void make_dirty(void)
{
    if (__builtin_cpu_supports("avx2"))
        __asm__ volatile("vpcmpeqd %%ymm0, %%ymm0, %%ymm0\n vmovdqa %%ymm0, %%ymm1\n"
                         "vmovdqa %%ymm0, %%ymm2\n vmovdqa %%ymm0, %%ymm15\n" ::
                             : "xmm0", "xmm1", "xmm2", "xmm15");
}

static void make_clean(void)
{
    if (__builtin_cpu_supports("avx2"))
        __asm__ volatile("vzeroupper");
}

enum { TRIES = 200 };

/* The shortest time of SSE code after updates of 4096 bytes; 1 if the core hasn't the algorithm. */
static double time_after(OSSL_LIB_CTX *libctx, const char *name)
{
    uint8_t data[4096] = {0};
    double least = 1;
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(libctx, name, NULL);
    if (!check(cipher != NULL, "a core has no", name))
        return 1;
    for (int i = 0; i < TRIES; i++) {
        int n = 0;
        EVP_CIPHER_CTX *ctx = start(cipher, 1);
        EVP_CipherUpdate(ctx, data, &n, data, sizeof data);
        const double t = time_sse();
        EVP_CIPHER_CTX_free(ctx);
        least = t < least ? t : least;
    }
    EVP_CIPHER_free(cipher);
    return least;
}

void run_upper(void)
{
    static const char *const names[] = {"AES-128-GCM", "AES-128-CBC", "AES-128-CTR", "AES-128-XTS"};
    double clean = 1, dirty = 1, worst = 0;
    for (int i = 0; i < TRIES; i++) {
        double t = time_sse();
        clean = t < clean ? t : clean;
        make_dirty();
        t = time_sse();
        make_clean();
        dirty = t < dirty ? t : dirty;
    }
    char list[256], *rest = NULL;
    unsigned ran = 0;
    snprintf(list, sizeof list, "%s", cores);
    for (char *core = strtok_r(list, " ", &rest); core != NULL; core = strtok_r(NULL, " ", &rest)) {
        OSSL_PROVIDER *provider;
        setenv("CTAES_CORE", core, 1);
        OSSL_LIB_CTX *libctx = load("ctaes", &provider);
        unsetenv("CTAES_CORE");
        if (provider == NULL)
            skip(core, "this CPU hasn't what the core needs");
        for (size_t k = 0; provider != NULL && k < sizeof names / sizeof names[0]; k++) {
            const double t = time_after(libctx, names[k]);
            check(t / clean < 1.3, "SSE code is slower after a call of the core", core);
            worst = t > worst ? t : worst;
        }
        ran += provider != NULL;
        if (provider != NULL)
            OSSL_PROVIDER_unload(provider);
        OSSL_LIB_CTX_free(libctx);
    }
    check(ran > 0, "cores", cores);
    figure("cores after whose calls SSE code was timed,", "ctaes", ran, "");
    figure("SSE code after a call, against before any,", "ctaes, the worst", worst / clean,
           "times the time");
    figure("the same after upper halves were left dirty,", "on purpose", dirty / clean,
           "times the time");
}
#else
void run_upper(void)
{
    skip("upper", "there are no such registers on this machine");
}
#endif
