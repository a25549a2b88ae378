/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tests of CPU detection and of the cores' self-test.
 *
 *   cpu                runs them
 *   cpu --keep TEXT    prints what an OPENSSL_ia32cap of TEXT leaves on: two
 *                      words, for test/cpu/run to compare with OpenSSL's own
 */
#include "cpu_test.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static unsigned passed, failed, skipped;

void check(bool good, const char *format, ...)
{
    if (good) {
        passed++;
        return;
    }
    failed++;
    va_list args;
    va_start(args, format);
    printf("FAIL ");
    vprintf(format, args);
    printf("\n");
    va_end(args);
}

void skip(const char *format, ...)
{
    skipped++;
    va_list args;
    va_start(args, format);
    printf("SKIP ");
    vprintf(format, args);
    printf("\n");
    va_end(args);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--keep") == 0) {
        uint64_t keep[2];
        ctaes_ia32cap_parse(keep, argv[2]);
        printf("%" PRIx64 " %" PRIx64 "\n", keep[0], keep[1]);
        return 0;
    }
    test_recordings();
    test_masks();
    test_names();
    test_this_cpu();
    test_selftest();
    printf("program: %u passed, %u failed, %u skipped\n", passed, failed, skipped);
    return failed > 0;
}
