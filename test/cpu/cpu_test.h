/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of test/cpu share. */
#ifndef CPU_TEST_H
#define CPU_TEST_H

#include "../../cores/core.h"
#include "../../cores/cpu.h"

#include <stdbool.h>

/* Counts one check, and prints what is wrong if it failed. */
void check(bool good, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Counts one check that can't be made, with the reason. */
void skip(const char *format, ...) __attribute__((format(printf, 1, 2)));

void test_recordings(void); /* recorded CPUID leaves, and which core they get */
void test_masks(void);      /* OPENSSL_ia32cap */
void test_names(void);
void test_this_cpu(void);
void test_selftest(void); /* of each core, sound and broken */

#endif
