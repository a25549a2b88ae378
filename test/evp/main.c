/* SPDX-License-Identifier: Apache-2.0 */
/* The options, and the whole run: the self-check, then every core of the module. */
#include "evp.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct {
    const char *folder, *core, *sequence;
    uint64_t seed;
    unsigned long count, only;
    bool self_check, list_cores, list_sequences, no_probe, random;
} options = {.folder = "build", .count = 20000, .only = ~0UL};

static const char *cores[MAX_CORES + 1];

static void usage(void)
{
    fputs("usage: evp [options]\n"
          "Without options: the self-check, and all tests with every core in build/ctaes.so.\n"
          "  --folder DIR      where ctaes.so is\n"
          "  --core NAME       just this core; default: the default provider against itself\n"
          "  --self-check      just the self-check: default against default is equal, and each\n"
          "                    kind of falsified observation is noticed\n"
          "  --seed N          of the random sequences (what the clock says); --count N of them\n"
          "  --random          just the random sequences\n"
          "  --only N          just this one of them\n"
          "  --sequence TEXT   just this sequence, printing every step (script.c has the words)\n"
          "  --no-probe        with it: don't read all parameters after each step\n"
          "  --reports N       how many failures are printed in full (25)\n"
          "  --stop N          ends after N failures\n"
          "  --list-sequences  prints the sequences that would be run, without running them\n"
          "  --list-cores      prints the names of the module's cores\n"
          "  --differences     prints what ctaes does otherwise on purpose\n"
          "  --twist KIND      falsifies what the second side does: return, length, output,\n"
          "                    beyond, iv, parameter, size, error, reason, order\n",
          stderr);
    exit(2);
}

static void run_cases(void)
{
    run_cases_common();
    run_cases_block();
    run_cases_ctr();
    run_cases_feedback();
    run_cases_cts();
    run_cases_gcm();
    run_cases_ccm();
    run_cases_ocb();
    run_cases_tls();
    run_cases_records();
    run_cases_params();
    run_cases_siv();
    run_cases_wrap();
    run_cases_xts();
}

/* Default against itself must be equal all through; falsified, it must not be. */
static void self_check(void)
{
    struct tally before;

    core_name = "default";
    open_sides("default", options.folder, NULL);
    run_constants();
    run_cases_block();
    run_cases_ctr();
    run_cases_feedback();
    run_cases_cts();
    run_cases_gcm();
    run_cases_ccm();
    run_cases_ocb();
    run_cases_tls();
    run_cases_records();
    run_cases_siv();
    run_cases_protocols();
    run_random(options.seed, options.count / 10, options.only);
    open_macs();
    run_cases_macs();
    run_random_macs(options.seed, options.count / 10);
    close_macs();

    before = tally;
    quiet = true;
    for (int i = 0; twists[i] != NULL; i++) {
        tally.failed = 0;
        twist = twists[i];
        run_cases_tls();
        if (tally.failed == 0)
            run_cases_gcm();
        if (tally.failed > 0) {
            before.passed++;
        } else {
            printf("FAILED self-check: a falsified %s isn't noticed\n", twists[i]);
            before.failed++;
        }
    }
    twist = NULL;
    quiet = false;
    tally = before;
    close_sides();
}

/* Prints the sequences of one core's run. */
static void list_sequences(const char *core)
{
    listing = true;
    open_sides("ctaes", options.folder, core);
    run_cases();
    run_random(options.seed, options.count, options.only);
    open_macs();
    run_cases_macs();
    run_random_macs(options.seed, options.count);
    close_macs();
    close_sides();
}

/* few: a tenth of the random sequences, and of the hand-picked ones those of protocols. */
static void run_core(const char *core, bool few)
{
    struct tally before = tally;
    bool ctaes = strcmp(core, "default") != 0;

    core_name = core;
    open_sides(ctaes ? "ctaes" : "default", options.folder, ctaes ? core : NULL);
    if (options.sequence != NULL) {
        open_macs();
        if (is_mac_sequence(options.sequence))
            show_mac_sequence(options.sequence);
        else
            show_sequence(options.sequence, !options.no_probe);
        close_macs();
    } else {
        if (options.only == ~0UL && !options.random) {
            run_constants();
            run_cases_protocols();
            if (!few)
                run_cases();
        }
        if (options.only == ~0UL && !options.random && ctaes) {
            run_ctaes_alone();
            run_records_alone();
            run_forged_alone();
            run_siv_alone();
            run_raw();
            run_complete();
            run_skey();
            run_guards();
            run_host(options.folder, core);
            run_secure(options.folder, core);
            run_provider(options.folder, core, cores);
        }
        unsigned long count = few ? options.count / 10 : options.count;
        run_random(options.seed, count, options.only);
        open_macs();
        if (!few && options.only == ~0UL && !options.random)
            run_cases_macs();
        if (options.only == ~0UL)
            run_random_macs(options.seed, count);
        close_macs();
    }
    close_sides();
    printf("%s: %lu passed, %lu failed; random sequences of --seed %llu\n", core,
           tally.passed - before.passed, tally.failed - before.failed,
           (unsigned long long)options.seed);
}

static unsigned long number(const char *text)
{
    char *end;
    unsigned long n = text != NULL ? strtoul(text, &end, 0) : 0;
    if (text == NULL || *text == '\0' || *end != '\0')
        usage();
    return n;
}

static void parse_options(char **argv)
{
    for (char **p = argv + 1; *p != NULL; p++) {
        const char *name = *p;
        if (strcmp(name, "--self-check") == 0) {
            options.self_check = true;
        } else if (strcmp(name, "--list-cores") == 0) {
            options.list_cores = true;
        } else if (strcmp(name, "--list-sequences") == 0) {
            options.list_sequences = true;
        } else if (strcmp(name, "--random") == 0) {
            options.random = true;
        } else if (strcmp(name, "--no-probe") == 0) {
            options.no_probe = true;
        } else if (strcmp(name, "--differences") == 0) {
            print_differences(stdout);
            exit(0);
        } else if (p[1] == NULL) {
            usage();
        } else if (strcmp(name, "--folder") == 0) {
            options.folder = *++p;
        } else if (strcmp(name, "--core") == 0) {
            options.core = *++p;
        } else if (strcmp(name, "--sequence") == 0) {
            options.sequence = *++p;
        } else if (strcmp(name, "--seed") == 0) {
            options.seed = number(*++p);
        } else if (strcmp(name, "--count") == 0) {
            options.count = number(*++p);
        } else if (strcmp(name, "--only") == 0) {
            options.only = number(*++p);
            options.count = options.count > options.only ? options.count : options.only + 1;
        } else if (strcmp(name, "--reports") == 0) {
            max_reports = (unsigned)number(*++p);
        } else if (strcmp(name, "--stop") == 0) {
            stop_after = number(*++p);
        } else if (strcmp(name, "--twist") == 0) {
            twist = *++p;
        } else {
            usage();
        }
    }
}

int main(int argc, char **argv)
{
    (void)argc;
    options.seed = (uint64_t)time(NULL);
    parse_options(argv);
    init_tapes();
    /* What the environment says of cores is the tests' own to say. */
    unsetenv("CTAES_CORE");

    bool all = options.core == NULL && !options.self_check;
    if (options.core == NULL || strcmp(options.core, "default") != 0) {
        if (!options.self_check && !find_cores(options.folder, cores)) {
            printf("evp: 0 passed, 1 failed, 0 skipped\n");
            return 1;
        }
    }
    if (options.list_cores) {
        for (size_t i = 0; cores[i] != NULL; i++)
            printf("%s%c", cores[i], cores[i + 1] != NULL ? ' ' : '\n');
        return 0;
    }
    if (options.list_sequences) {
        list_sequences(options.core != NULL ? options.core : cores[0]);
        return 0;
    }
    if (options.self_check || (all && options.sequence == NULL))
        self_check();
    if (options.core != NULL)
        run_core(options.core, false);
    /* Sequences test the glue, which is the same for all cores, more than the
       core: all of them with the best core and the last, few with the others,
       unless CTAES_ALL=1 asks for more. */
    bool first = true;
    for (size_t i = 0; all && cores[i] != NULL; i++) {
        if (!is_usable(options.folder, cores[i]))
            continue;
        bool few = !first && cores[i + 1] != NULL && getenv("CTAES_ALL") == NULL;
        run_core(cores[i], few);
        first = false;
    }
    if (tally.failed > max_reports)
        printf("%lu more failures aren't shown; --reports 1000 shows them\n",
               tally.failed - max_reports);
    print_difference_counts(stdout);
    print_tally();
    return tally.failed != 0;
}
