/* SPDX-License-Identifier: Apache-2.0 */
/* All cores at once: see subjects.c. */
#ifndef CTAES_TEST_FUZZ_SUBJECTS_H
#define CTAES_TEST_FUZZ_SUBJECTS_H

#include <stdbool.h>
#include <stddef.h>

/* Opens both sides once for each core of the folder's module that this CPU can run. only: just
   that core, or NULL. Ends the program if there is none. */
void open_subjects(const char *folder, const char *only);
void close_subjects(void);
size_t count_subjects(void);
/* Makes the n-th of them what sides[] and algorithms[] are (modulo their number). */
void choose_subject(size_t n);

/* Whether a sequence has an algorithm or a step that this libcrypto lacks. */
bool needs_newer(const char *text);

/* Runs one sequence, of ciphers or MACs; returns whether the sides agree. */
bool run_text(const char *text, bool probing);
/* Prints the shortest sequence on which they don't. */
void report_text(const char *text, bool probing);

#endif
