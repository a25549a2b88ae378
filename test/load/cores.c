/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this build's cores are, for test/load/run, which has no other way to walk
 * ctaes_cores[]; and what the self-test of one costs.
 *
 *   cores               for each core, best first, a line of three parts with
 *                       tabs between them: its name, the CPU features that it
 *                       needs ("AES-NI, AVX"), the functions that it has
 *   cores --time NAME   the microseconds that the first self-test in a process
 *                       takes, and the median of those after it
 */
#define _GNU_SOURCE /* clock_gettime */
#include "../../cores/core.h"
#include "../../cores/cpu.h"
#include "../../cores/selftest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void print_core(const struct ctaes_core *core)
{
    char needs[CTAES_CPU_NAMES_SIZE];
    ctaes_cpu_names(needs, sizeof needs, core->features);
    printf("%s\t%s\texpand_key encrypt decrypt ghash_init ghash", core->name, needs);
#define OPTIONAL(slot)                                                                             \
    if (core->slot != NULL)                                                                        \
    printf(" %s", #slot)
    OPTIONAL(prepare_decrypt);
    OPTIONAL(cbc_encrypt);
    OPTIONAL(cbc_decrypt);
    OPTIONAL(ctr32);
    OPTIONAL(gcm_encrypt);
    OPTIONAL(gcm_decrypt);
    OPTIONAL(gcm_short);
    OPTIONAL(ccm_encrypt);
    OPTIONAL(ccm_decrypt);
    OPTIONAL(ocb_encrypt);
    OPTIONAL(ocb_decrypt);
    OPTIONAL(xts_encrypt);
    OPTIONAL(xts_decrypt);
    printf("\n");
}

static double time_selftest(const struct ctaes_core *core)
{
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    const char *failure = ctaes_core_selftest(core);
    clock_gettime(CLOCK_MONOTONIC, &to);
    if (failure != NULL) {
        printf("%s: %s\n", core->name, failure);
        exit(1);
    }
    return 1e6 * (double)(to.tv_sec - from.tv_sec) + 1e-3 * (double)(to.tv_nsec - from.tv_nsec);
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_times(const struct ctaes_core *core)
{
    double later[201];
    const size_t n = sizeof later / sizeof later[0];
    const double first = time_selftest(core);
    for (size_t i = 0; i < n; i++)
        later[i] = time_selftest(core);
    qsort(later, n, sizeof later[0], compare_doubles);
    printf("%.1f %.1f\n", first, later[n / 2]);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--time") == 0) {
        const struct ctaes_core *core = ctaes_core_by_name(argv[2]);
        if (core == NULL || (core->features & ~ctaes_cpu_features()) != 0) {
            printf("%s can't run\n", argv[2]);
            return 1;
        }
        print_times(core);
        return 0;
    }
    for (size_t i = 0; ctaes_cores[i] != NULL; i++)
        print_core(ctaes_cores[i]);
    return 0;
}
