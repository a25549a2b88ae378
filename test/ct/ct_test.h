/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the harnesses of the constant-time check share: marking bytes secret,
 * asking whether they still are, and counting.
 *
 * Valgrind's memcheck follows, bit by bit, which values come from memory that
 * was never written, and reports each branch and each address that depends on
 * one. Telling it that a key was never written turns it into a detector of
 * secret-dependent branches and addresses (the idea is Adam Langley's
 * ctgrind). What it can't see: divisions and other instructions of variable
 * time, which test/abi looks for in the disassembly.
 *
 * A probe is one operation. Around it stand begin_probe and end_probe:
 *
 *     begin_probe();
 *     mark_secret(key, 16);
 *     ... the operation ...
 *     expect_secret(out, len);      all that it wrote is still secret
 *     end_probe(true, "ct64 CBC encrypt, ...");
 *
 * A harness runs one core after the other, between begin_core and end_core. With
 * --sample it leaves out what only multiplies: each length still meets each key
 * size, but the other circumstances of an operation (in pieces, by EVP_Cipher,
 * which secrets, which damage) take turns; see its_turn. With --small-sample, for
 * controls, and builds at -O0, which take ten times as long, key sizes take turns as
 * well: on each core each length meets one of them, on the next core the next one. No
 * sample has fewer cores, modes, directions, lengths, key sizes or kinds of damage.
 *
 * In the normal build a probe passes if memcheck has reported nothing and
 * every expect_ holds. In a control, the same probes run over code that is
 * wrong on purpose, and a probe passes if it catches it: see enum ct_expect.
 */
#ifndef CT_TEST_H
#define CT_TEST_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "marks.h"

enum ct_expect {
    EXPECT_CLEAN,   /* no report, and results are secret */
    EXPECT_REPORTS, /* leaky control: at least one report */
    EXPECT_PUBLIC   /* unmarking control: no report, but a result that lost its mark */
};

static struct {
    enum ct_expect expect;
    bool sample, small;
    unsigned errors_before, public_bytes, wrong;
    unsigned passed, failed;
    unsigned verdicts;         /* calls of ctaes_declassify that must have been */
    size_t cores, core_number; /* how many have begun; which is running, from 0 on */
    struct {
        unsigned passed, failed, verdicts, reports;
    } before; /* the core that is running */
} ct_state;

/* Whether the n-th operation of its kind is to run in the `which`-th of `of` ways that take turns:
   all of them, but with --sample. */
static inline bool its_turn(size_t n, size_t which, size_t of)
{
    return !ct_state.sample || n % of == which % of;
}

/* Whether the i-th length is to run with the k-th of `of` key sizes: always, but with
   --small-sample. Not in step with its_turn(i + k, ...), so that each core gets all manners. */
static inline bool is_pair(size_t i, size_t k, size_t of)
{
    return !ct_state.small || (i + (of - 1) * k + ct_state.core_number) % of == 0;
}

/* Returns how many of the len bytes at p have no secret bit. */
static unsigned count_public(const void *p, size_t len)
{
#ifdef CT_WITHOUT_VALGRIND /* the same calls, to see which jumps they reach: jumps.c */
    (void)p;
    (void)len;
    return 0;
#endif
    unsigned n = 0;
    for (size_t i = 0; i < len; i++)
        n += is_public((const uint8_t *)p + i);
    return n;
}

static inline void begin_probe(void)
{
    ct_state.errors_before = count_reports();
    ct_state.public_bytes = 0;
    ct_state.wrong = 0;
}

/* Demands that each of the len bytes at p has a secret bit. (The cipher mixes
   all bits, but memcheck's approximation may clear single ones.) */
static inline void expect_secret(const void *p, size_t len)
{
    ct_state.public_bytes += count_public(p, len);
}

/* Demands that at least n of the len bytes at p are secret: for formats that
   the harness doesn't know, such as an expanded key. */
static inline void expect_some_secret(const void *p, size_t len, size_t n)
{
    if (len - count_public(p, len) < n)
        ct_state.public_bytes += (unsigned)n;
}

/* Demands that a result, made public by now, is right: an operation that
   computes nothing leaks nothing. */
static inline void expect_right(bool right)
{
    ct_state.wrong += !right;
}

/* secret_work: whether the operation touches secrets at all, so that a control
   must be caught in it. */
__attribute__((unused, format(printf, 2, 3))) static void end_probe(bool secret_work,
                                                                    const char *what, ...)
{
    unsigned reports = count_reports() - ct_state.errors_before;
    bool good = ct_state.wrong == 0;
    if (ct_state.expect == EXPECT_CLEAN)
        good = good && reports == 0 && ct_state.public_bytes == 0;
    else if (ct_state.expect == EXPECT_REPORTS)
        good = good && (reports > 0 || !secret_work);
    else
        good = good && reports == 0 && (ct_state.public_bytes > 0 || !secret_work);
    if (good) {
        ct_state.passed++;
        return;
    }
    ct_state.failed++;
    va_list args;
    va_start(args, what);
    printf("FAIL ");
    vprintf(what, args);
    va_end(args);
    printf(": %u reports, %u bytes that lost their mark, %u wrong results%s\n", reports,
           ct_state.public_bytes, ct_state.wrong,
           ct_state.expect == EXPECT_CLEAN ? "" : " (a control: it had to be caught)");
}

static inline void begin_core(void)
{
    ct_state.core_number = ct_state.cores++;
    ct_state.before.passed = ct_state.passed;
    ct_state.before.failed = ct_state.failed;
    ct_state.before.verdicts = ct_state.verdicts;
    ct_state.before.reports = count_reports();
}

static inline void end_core(const char *name)
{
    printf("core %s: %u passed, %u failed, %u reports, %u verdicts\n", name,
           ct_state.passed - ct_state.before.passed, ct_state.failed - ct_state.before.failed,
           count_reports() - ct_state.before.reports, ct_state.verdicts - ct_state.before.verdicts);
}

/* Takes the kind of sample off the front of the arguments: returns how many there are before the
   others. */
static inline int read_options(int argc, char **argv)
{
    ct_state.small = argc > 1 && strcmp(argv[1], "--small-sample") == 0;
    ct_state.sample = ct_state.small || (argc > 1 && strcmp(argv[1], "--sample") == 0);
    return ct_state.sample ? 2 : 1;
}

static void start_harness(enum ct_expect expect)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
#ifndef CT_WITHOUT_VALGRIND
    if (!start_detector()) {
        printf("only valgrind can tell what this program is for: run test/ct/run\n");
        exit(2);
    }
#endif
    ct_state.expect = expect;
}

/* Prints the lines that test/ct/run waits for. Returns the exit status. */
static int finish_harness(void)
{
    printf("verdicts: %u\n", ct_state.verdicts);
    printf("harness: %u passed, %u failed, %u reports\n", ct_state.passed, ct_state.failed,
           count_reports());
    return ct_state.failed == 0 && ct_state.passed > 0 ? 0 : 1;
}

/* Returns zeroed memory of exactly len bytes, so that memcheck sees each byte
   that is read or written beyond them. Never NULL. */
static inline void *allocate(size_t len)
{
    void *p = calloc(1, len);
    if (p == NULL) {
        printf("out of memory\n");
        exit(2);
    }
    return p;
}

/* Fills len bytes with values that depend on seed. */
static inline void fill(uint8_t *p, size_t len, uint32_t seed)
{
    uint32_t x = seed * 2654435761U + 1;
    for (size_t i = 0; i < len; i++) {
        x = x * 1664525 + 1013904223;
        p[i] = (uint8_t)(x >> 24);
    }
}

#endif
