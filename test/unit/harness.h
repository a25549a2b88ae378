/* SPDX-License-Identifier: Apache-2.0 */
/* What main.c, which runs the cases, shares with harness.c, which keeps count. */
#ifndef HARNESS_H
#define HARNESS_H

#include "unit.h"

struct tally {
    size_t passed, failed, skipped; /* cases */
    size_t failures;                /* checks of this case */
    bool skipped_case;
};
extern struct tally tally;

extern uint64_t seed;

void begin_case(const char *topic, const struct setup *s);
void end_case(bool verbose);
void seed_case(const char *name);
void map_areas(void);

#endif
