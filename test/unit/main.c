/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the unit tests: every topic for every core, mode and key length of its
 * scope, walking the same lists as the code.
 *
 *   unit [--quick] [--verbose] [--seed N] [topic...]     from the project's root
 *
 * REQUIRE_CORES="a b" in the environment: it is a failure, not a skip, if one
 * of these cores isn't in this build or can't run on this CPU.
 *
 * Exit status: 0 if nothing failed, 1 if something did, 2 if it couldn't run.
 */
#define _GNU_SOURCE
#include "harness.h"
#include "choose_cores.h"
#include "topics.h"

#if __has_include("../../cores/cpu.h")
#    include "../../cores/cpu.h"
#endif

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

const char *vectors_folder = "test/vectors";

/* The Makefile takes the names from mode.h's declarations. */
#define X(name) &ctaes_mode_##name,
const struct ctaes_mode *const all_modes[] = {MODE_LIST(X) NULL};
#undef X

#define X(name, function, scope) {name, scope, function},
static const struct topic topics[] = {TOPIC_LIST(X)};
#undef X
#define NTOPICS (sizeof topics / sizeof topics[0])

static bool verbose;

/* --- Running one case -------------------------------------------------------------------- */

static sigjmp_buf crash_return;
static volatile sig_atomic_t crash_signal;

static void on_crash(int number)
{
    crash_signal = number;
    siglongjmp(crash_return, 1);
}

static void catch_crashes(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_crash;
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        sigaction(signals[i], &action, NULL);
}

static void run_case(const struct topic *topic, const struct setup *s)
{
    begin_case(topic->name, s);
    if (sigsetjmp(crash_return, 1) == 0)
        topic->run(s);
    else
        expect(false, "crashed: %s", strsignal(crash_signal));
    end_case(verbose);
}

/* --- Walking the lists ------------------------------------------------------------------- */

static bool in_scope(const struct topic *topic, const struct ctaes_mode *mode)
{
    static const unsigned scope_of_kind[] = {
        [CTAES_BLOCK] = BLOCK_MODES,
        [CTAES_STREAM] = STREAM_MODES,
        [CTAES_AEAD] = AEAD_MODES,
        [CTAES_OWN] = OWN_MODES,
    };
    return (topic->scope & scope_of_kind[mode->kind]) != 0 ||
           ((topic->scope & GCM_ONLY) && mode == &ctaes_mode_gcm) ||
           ((topic->scope & CTR_ONLY) && mode == &ctaes_mode_ctr);
}

static void run_key_lengths(const struct topic *topic, struct setup s)
{
    if (!(topic->scope & EACH_KEY_LENGTH)) {
        run_case(topic, &s);
        return;
    }
    for (s.key_len = 16; s.key_len <= 32; s.key_len += 8)
        run_case(topic, &s);
}

static void run_topic(const struct topic *topic)
{
    struct setup s = {NULL, NULL, 0};
    if (!(topic->scope & EACH_CORE)) {
        run_case(topic, &s);
        return;
    }
    for (size_t i = 0; ctaes_cores[i] != NULL; i++) {
        s.core = ctaes_cores[i];
        s.mode = NULL;
        if (!core_runnable(s.core))
            continue;
        if (!(topic->scope & (ALL_MODES | GCM_ONLY | CTR_ONLY))) {
            run_key_lengths(topic, s);
            continue;
        }
        for (size_t j = 0; all_modes[j] != NULL; j++) {
            s.mode = all_modes[j];
            if (in_scope(topic, s.mode))
                run_key_lengths(topic, s);
        }
    }
}

static int usage(void)
{
    fprintf(stderr, "usage: unit [--quick] [--verbose] [--seed N] [topic...]\ntopics:");
    for (size_t i = 0; i < NTOPICS; i++)
        fprintf(stderr, " %s", topics[i].name);
    fputc('\n', stderr);
    return 2;
}

int main(int argc, char **argv)
{
    seed = (uint64_t)time(NULL);
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (strcmp(argv[i], "--quick") == 0)
            quick = true;
        else if (strcmp(argv[i], "--verbose") == 0)
            verbose = true;
        else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
            seed = strtoull(argv[++i], NULL, 0);
        else
            return usage();
    }
    for (int j = i; j < argc; j++) {
        size_t k = 0;
        while (k < NTOPICS && strcmp(topics[k].name, argv[j]) != 0)
            k++;
        if (k == NTOPICS) {
            fprintf(stderr, "unit: no topic %s\n", argv[j]);
            return usage();
        }
    }

    printf("unit: seed %llu\n", (unsigned long long)seed);
    map_areas();
    catch_crashes();
    report_missing_cores(&tally.failed, &tally.skipped);
    for (size_t k = 0; k < NTOPICS; k++) {
        bool wanted = i == argc;
        for (int j = i; j < argc; j++)
            wanted |= strcmp(topics[k].name, argv[j]) == 0;
        if (wanted)
            run_topic(&topics[k]);
    }
    printf("unit: %zu passed, %zu failed, %zu skipped\n", tally.passed, tally.failed,
           tally.skipped);
    return tally.failed != 0;
}
