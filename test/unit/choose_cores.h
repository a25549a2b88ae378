/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the build's cores a test program can run on this CPU. */
#ifndef CHOOSE_CORES_H
#define CHOOSE_CORES_H

#include "../../cores/core.h"

#include <stdbool.h>
#include <stddef.h>

bool core_runnable(const struct ctaes_core *core);

/* Prints every core that can't run and counts it as skipped; as failed if the
   environment's REQUIRE_CORES, a list of names, has it. A required core that
   isn't in this build is a failure too. */
void report_missing_cores(size_t *failed, size_t *skipped);

#endif
