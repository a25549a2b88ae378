/* SPDX-License-Identifier: Apache-2.0 */
/* The shortest sequence that still fails: see shrink.c. */
#ifndef CTAES_TEST_FUZZ_SHRINK_H
#define CTAES_TEST_FUZZ_SHRINK_H

#include <stdbool.h>

/* Runs a sequence in a process of its own. Returns 0 if the sides agree, 1 if not, else its
   exit status, or a signal as a negative number. */
int try_text(const char *text, bool probing);

/* Shortens a sequence as long as the result is the same, which it returns. */
int shrink_text(char *text, bool probing);

#endif
