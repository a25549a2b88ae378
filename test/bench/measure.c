/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds, and what they add up to: see measure.h. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "measure.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Long against reading the clock (0.2 to 2 us), short against the time slices
   of the system's scheduler, so that most batches aren't interrupted. */
#define BATCH_NS 100e3

/* From here on, one run averages over what a best of three would leave out. */
#define LONG_NS 3e6

#define WARM_UP_NS 50e6

/* CLOCK_MONOTONIC: the time that passes. CLOCK_THREAD_CPUTIME_ID: that in which
   this thread runs, so that what other processes take from it doesn't count. */
static double read_clock(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

void warm_up(void)
{
    volatile uint64_t x = 1;
    double start = read_clock(CLOCK_MONOTONIC);
    while (read_clock(CLOCK_MONOTONIC) - start < WARM_UP_NS)
        for (int i = 0; i < 1000; i++)
            x = x * 6364136223846793005u + 1;
}

/* The nanoseconds between two readings of the thread's clock with nothing
   between them. */
static double find_clock_cost(void)
{
    double best = 1e9;
    for (int i = 0; i < 100; i++) {
        double start = read_clock(CLOCK_THREAD_CPUTIME_ID);
        double ns = read_clock(CLOCK_THREAD_CPUTIME_ID) - start;
        if (ns < best)
            best = ns;
    }
    return best;
}

/* Returns the nanoseconds that n runs took, clock_cost left out, or a negative
   number if they didn't work. */
static double time_batch(run_fn *run, void *way, size_t n, double clock_cost)
{
    double start = read_clock(CLOCK_THREAD_CPUTIME_ID);
    bool good = run(way, n);
    double ns = read_clock(CLOCK_THREAD_CPUTIME_ID) - start;
    if (!good)
        return -1;
    return ns > 2 * clock_cost ? ns - clock_cost : clock_cost;
}

/* Finds how often to run a way for a batch; 0 if it didn't work. It also loads
   the caches and teaches the branch predictors. */
static size_t find_batch(run_fn *run, void *way, double clock_cost)
{
    for (size_t n = 1;; n *= 2) {
        double ns = time_batch(run, way, n, clock_cost);
        if (ns < 0)
            return 0;
        if (ns >= BATCH_NS / 2)
            return (size_t)ceil((double)n * BATCH_NS / ns);
    }
}

/* The best of three batches, for one run, in nanoseconds; negative: it failed. */
static double time_round(run_fn *run, void *way, size_t n, double clock_cost)
{
    double best = -1;
    for (int i = 0; i < 3; i++) {
        double ns = time_batch(run, way, n, clock_cost);
        if (ns < 0)
            return -1;
        if (best < 0 || ns < best)
            best = ns;
        if (ns > LONG_NS)
            break;
    }
    return best / (double)n;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The value below which the part q of n sorted values lies. */
static double quantile(const double *sorted, size_t n, double q)
{
    double place = q * (double)(n - 1);
    size_t i = (size_t)place;
    if (i + 1 >= n)
        return sorted[n - 1];
    return sorted[i] + (place - (double)i) * (sorted[i + 1] - sorted[i]);
}

/* Sorts values, and says where they lie. If within isn't NULL, it becomes half
   the width of the median's 95 % confidence interval, as part of the median:
   the order statistics at n/2 -+ 0.98 sqrt(n), whatever the distribution. */
static struct spread summarise(double *values, size_t n, double *within)
{
    qsort(values, n, sizeof *values, compare_doubles);
    struct spread s = {
        .median = quantile(values, n, 0.5),
        .p10 = quantile(values, n, 0.1),
        .p90 = quantile(values, n, 0.9),
    };
    if (within != NULL) {
        double half = 0.98 / sqrt((double)n);
        double low = quantile(values, n, half < 0.5 ? 0.5 - half : 0);
        double high = quantile(values, n, half < 0.5 ? 0.5 + half : 1);
        *within = (high - low) / 2 / s.median;
    }
    return s;
}

/* times[way * MAX_ROUNDS + round], nanoseconds. Returns the least closely known
   of the median ratios' relative errors. */
static double evaluate(const double *times, size_t nways, size_t rounds, struct result results[])
{
    double values[MAX_ROUNDS];
    double worst = 0;
    for (size_t w = 0; w < nways; w++) {
        const double *t = times + w * MAX_ROUNDS;
        memcpy(values, t, rounds * sizeof *values);
        results[w].ns = summarise(values, rounds, NULL);

        double within;
        for (size_t r = 0; r < rounds; r++)
            values[r] = times[r] / t[r];
        results[w].ratio = summarise(values, rounds, &within);
        if (within > worst)
            worst = within;
    }
    return worst;
}

size_t measure(run_fn *run, void *const ways[], size_t nways, const struct limits *limits,
               struct result results[])
{
    size_t *batch = calloc(nways, sizeof *batch);
    double *times = calloc(nways * MAX_ROUNDS, sizeof *times);
    size_t rounds = 0;
    if (batch == NULL || times == NULL)
        goto end;

    double clock_cost = find_clock_cost();
    double start = read_clock(CLOCK_MONOTONIC);
    for (size_t w = 0; w < nways; w++) {
        batch[w] = find_batch(run, ways[w], clock_cost);
        if (batch[w] == 0)
            goto end;
    }
    while (rounds < MAX_ROUNDS) {
        for (size_t i = 0; i < nways; i++) {
            size_t w = rounds % 2 == 0 ? i : nways - 1 - i;
            double ns = time_round(run, ways[w], batch[w], clock_cost);
            if (ns < 0) {
                rounds = 0;
                goto end;
            }
            times[w * MAX_ROUNDS + rounds] = ns;
        }
        rounds++;
        if (rounds < limits->min_rounds)
            continue;
        if (read_clock(CLOCK_MONOTONIC) - start > limits->seconds * 1e9 * (double)nways)
            break;
        if (rounds % 8 == 0 && evaluate(times, nways, rounds, results) < limits->tolerance)
            break;
    }
    evaluate(times, nways, rounds, results);

end:
    free(batch);
    free(times);
    return rounds;
}
