/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A timer's signal, again and again, in the middle of long updates; its handler
 * encrypts with contexts of its own. Whatever a core keeps anywhere but in its
 * context, its registers and its stack would show here.
 *
 * The handler's contexts exist before, so that no call in it needs memory: what
 * is interrupted may be holding the lock of malloc.
 */
#include "faults.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

enum { LEN = 1 << 18, SHORT = 600, NINNER = 3 };

static const char *const inner_names[NINNER] = {"AES-256-GCM", "AES-128-CBC", "AES-192-CTR"};
static EVP_CIPHER_CTX *inner[NINNER];
static uint8_t inner_expected[NINNER][SHORT];
static volatile sig_atomic_t handled, handled_wrong;

static bool run_inner(int i, uint8_t out[SHORT])
{
    int n = 0;
    return EVP_CipherInit_ex2(inner[i], NULL, NULL, tape + 64, -1, NULL) == 1 &&
           EVP_CipherUpdate(inner[i], out, &n, tape + 300, SHORT) == 1;
}

static void on_alarm(int number)
{
    (void)number;
    uint8_t out[SHORT] = {0};
    const int i = handled % NINNER;
    if (!run_inner(i, out) || memcmp(out, inner_expected[i], SHORT) != 0)
        handled_wrong = handled_wrong + 1;
    handled = handled + 1;
}

/* One long update of a cipher that takes data in one piece or in many alike. */
static bool run_outer(const struct algorithm *alg, uint8_t *out, const uint8_t *in, int encrypt)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    int n = 0;
    const bool good = EVP_CipherInit_ex2(ctx, alg->cipher, tape, tape + 64, encrypt, NULL) == 1 &&
                      EVP_CipherUpdate(ctx, out, &n, in, LEN) == 1;
    EVP_CIPHER_CTX_free(ctx);
    return good;
}

static void start_timer(long microseconds)
{
    const struct itimerval timer = {{0, microseconds}, {0, microseconds}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

static void check_core(const char *core, uint8_t *buffers)
{
    static const char *const outer[] = {"AES-256-ECB", "AES-256-CBC", "AES-128-CTR", "AES-256-CFB",
                                        "AES-192-GCM", "AES-256-XTS", "AES-128-OCB", "AES-256-OFB"};
    static struct host h;
    uint8_t *in = buffers, *expected = buffers + LEN + 64, *out = expected + LEN + 64;

    open_host(&h, core);
    for (int i = 0; i < NINNER; i++) {
        inner[i] = EVP_CIPHER_CTX_new();
        check(EVP_CipherInit_ex2(inner[i], find(&h, inner_names[i])->cipher, tape, tape + 64, 1,
                                 NULL) == 1 &&
                  run_inner(i, inner_expected[i]),
              "the handler's %s", inner_names[i]);
    }
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART}, old;
    sigaction(SIGALRM, &action, &old);
    const sig_atomic_t before = handled;
    for (size_t a = 0; a < sizeof outer / sizeof outer[0]; a++) {
        const struct algorithm *alg = find(&h, outer[a]);
        for (int encrypt = 0; encrypt < 2; encrypt++) {
            check(run_outer(alg, expected, in, encrypt), "%s of 256 KiB", outer[a]);
            start_timer(300);
            const sig_atomic_t then = handled;
            /* Until the signal has come 20 times. */
            for (int round = 0; round < 5000 && (round < 4 || handled - then < 20); round++) {
                memset(out, 0, LEN);
                check(run_outer(alg, out, in, encrypt) && memcmp(out, expected, LEN - 16) == 0,
                      "core %s: %s is wrong after signals", core, outer[a]);
            }
            start_timer(0);
        }
    }
    check(handled - before > 100, "core %s: only %d signals came", core, (int)(handled - before));
    sigaction(SIGALRM, &old, NULL);
    for (int i = 0; i < NINNER; i++)
        EVP_CIPHER_CTX_free(inner[i]);
    close_host(&h);
}

void check_signals(void)
{
    uint8_t *buffers = calloc(3, LEN + 64);
    if (buffers == NULL)
        abort();
    for (size_t i = 0; i < LEN; i++)
        buffers[i] = tape[i % sizeof tape] ^ (uint8_t)(i >> 12);
    check_core("auto", buffers);
    check_core("ct64", buffers);
    free(buffers);
    check(handled_wrong == 0, "%d handlers computed wrong", (int)handled_wrong);
    figure("signals during updates, each with a message in its handler", (unsigned long)handled);
}
