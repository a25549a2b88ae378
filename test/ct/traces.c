/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comparing traces (traces.h): each operation in processes forked from the same
 * one, so that everything lies at the same addresses, the heap's memory too.
 *
 *      parent ──fork──> secrets 0: step, step, step ... ─┐ in shared memory
 *             ──fork──> secrets 1: step, step, step ...  ├── compared by the parent
 *             ──fork──> secrets 2: step, step, step ... ─┘
 */
#define _GNU_SOURCE
#include "traces.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_STEPS = 1 << 20 };

static const char *const finding_names[] = {"nothing", "different addresses", "different ways",
                                            "an instruction to refuse", "some leak"};

struct trace *traces[SECRETS];
static uint64_t *digests; /* of the results; shared with the processes */
static int used = SECRETS;
static unsigned passed, failed;
static unsigned long long all_steps;

void open_traces(void)
{
    for (int s = 0; s < SECRETS; s++)
        traces[s] = new_trace(MOST_STEPS);
    digests = &new_trace(1)->steps[0].instruction; /* room for five */
}

void cut_traces(size_t steps)
{
    for (int s = 0; s < SECRETS; s++) {
        traces[s]->room = steps;
        traces[s]->cut_off = true;
    }
}

void use_secrets(int n)
{
    used = n;
}

void fill(uint8_t *p, size_t len, uint32_t seed)
{
    uint32_t x = seed * 2654435761U + 1;
    for (size_t i = 0; i < len; i++) {
        x = x * 1664525 + 1013904223;
        p[i] = (uint8_t)(x >> 24);
    }
}

void fill_secret(uint8_t *p, size_t len, uint32_t seed, int secret)
{
    if (secret == 2)
        memset(p, 0xff, len);
    else
        fill(p, len, seed + 1000U * (uint32_t)(secret + 1));
}

uint64_t digest(const uint8_t *p, size_t len)
{
    uint64_t x = 14695981039346656037U; /* FNV-1a */
    for (size_t i = 0; i < len; i++)
        x = (x ^ p[i]) * 1099511628211U;
    return x;
}

static bool run_once(int secret, uint64_t (*run)(int secret))
{
    int status;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        digests[secret] = run(secret);
        fflush(stdout);
        _exit(0);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

/* Returns what the traces show, and writes it in words. */
static enum finding compare_traces(char *text, size_t size)
{
    static const char *const troubles[] = {"", "too many steps", "code that objdump doesn't show",
                                           "an operand that can't be read", "a gather or scatter"};
    char at[200];
    for (int s = 0; s < used; s++)
        if (traces[s]->trouble != NO_TROUBLE) {
            const char *function = describe_instruction(traces[s]->where, at, sizeof at);
            snprintf(text, size, "%s, in %s, %s", troubles[traces[s]->trouble], function, at);
            return REFUSED;
        }
    const struct trace *a = traces[0];
    for (int s = 1; s < used; s++) {
        const struct trace *b = traces[s];
        for (size_t i = 0; i < a->n || i < b->n; i++) {
            const struct step *x = &a->steps[i], *y = &b->steps[i];
            if (i < a->n && i < b->n && memcmp(x, y, sizeof *x) == 0)
                continue;
            const bool way = i >= a->n || i >= b->n || x->instruction != y->instruction;
            /* The branch is the step before. */
            const size_t shown = way && i > 0 ? i - 1 : i;
            const char *function = describe_instruction(a->steps[shown].instruction, at, sizeof at);
            snprintf(text, size, "secrets 0 and %d: %s, step %zu of %zu, %s %s, %s", s,
                     finding_names[way ? WAYS : ADDRESSES], i, a->n, way ? "after" : "in", function,
                     at);
            return way ? WAYS : ADDRESSES;
        }
    }
    return SAME;
}

void compare_runs(enum finding expected, uint64_t (*run)(int secret), bool secret_work,
                  const char *what)
{
    char text[500] = "";
    bool ran = true, good = false;
    enum finding found = REFUSED;
    for (int s = 0; s < used; s++)
        ran = run_once(s, run) && ran;
    if (!ran) {
        snprintf(text, sizeof text, "it didn't come to its end");
    } else {
        for (int s = 0; s < used; s++)
            all_steps += traces[s]->n;
        found = compare_traces(text, sizeof text);
        good = expected == ANY_LEAK ? found == ADDRESSES || found == WAYS : found == expected;
        if (good && traces[0]->n == 0) {
            good = false;
            snprintf(text, sizeof text, "there was nothing to step through");
        }
        if (good && secret_work && digests[0] == digests[1]) {
            good = false;
            snprintf(text, sizeof text, "the result doesn't depend on the secrets");
        }
    }
    if (good) {
        remember_steps(traces[0]);
        passed++;
        return;
    }
    note_failure("%s: expected %s, found %s%s%s", what, finding_names[expected],
                 ran ? finding_names[found] : "no trace", *text ? ": " : "", text);
}

void note_failure(const char *what, ...)
{
    va_list args;
    va_start(args, what);
    printf("FAIL ");
    vprintf(what, args);
    printf("\n");
    va_end(args);
    failed++;
}

int finish_traces(void)
{
    printf("harness: %u passed, %u failed, %llu steps\n", passed, failed, all_steps);
    return failed == 0 && passed > 0 ? 0 : 1;
}
