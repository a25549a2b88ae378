/* SPDX-License-Identifier: Apache-2.0 */
/* Counting MemorySanitizer's reports. */
#ifndef MSAN_WARNINGS_H
#define MSAN_WARNINGS_H

#include <stdint.h>

/* Before anything else. */
void msan_start(void);

/* Returns how many reports there were so far; the first of them go to stdout. */
unsigned msan_count_reports(void);

#endif
