/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comparing the speed of several ways to do one thing.
 *
 * On a machine that does other work too, and whose clock goes up and down, a
 * time means little and a ratio of two times means something only if they
 * were taken one right after the other. So all ways take part in each round,
 * in the order 0 1 2 ..., then ... 2 1 0, and so on:
 *
 *   round 1   A A A   B B B   C C C      each: the best of three batches
 *   round 2   C C C   B B B   A A A
 *   ...
 *
 * Each round gives one ratio for each way; what counts is their median, and
 * the 10th and 90th percentile say how far to trust it. Rounds go on until the
 * median is known closely enough, or the time is up.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdbool.h>
#include <stddef.h>

#define MAX_ROUNDS 401

/* Does the thing n times. Returns false if it didn't work. */
typedef bool run_fn(void *way, size_t n);

struct limits {
    double seconds;    /* time for one way; 0.1 means 0.3 s for three ways */
    double tolerance;  /* stop when each median ratio is known within +- this part of it */
    size_t min_rounds; /* but not before, whatever the time */
};

struct spread {
    double median, p10, p90;
};

struct result {
    struct spread ns;    /* nanoseconds for doing the thing once */
    struct spread ratio; /* how many times as fast as way 0 */
};

/* Measures nways ways, at least 1, and fills in results[nways]. Returns the
   number of rounds, or 0 if a way didn't work. */
size_t measure(run_fn *run, void *const ways[], size_t nways, const struct limits *limits,
               struct result results[]);

/* Keeps this CPU busy until its clock has settled. */
void warm_up(void);

#endif
