/* SPDX-License-Identifier: Apache-2.0 */
/* Passes over all lengths that more than one topic makes. */
#ifndef SWEEPS_H
#define SWEEPS_H

#include "topics.h"

/* Whether len is among the few lengths that show every path of a mode: the
   short ones, and those around multiples of the core's batch and of a mode's
   chunks. */
static inline bool wanted_among_few(const struct ctaes_core *core, size_t len)
{
    size_t batch = core->batch * (size_t)16, off = (len + 17) % batch;
    return len <= 50 || (off <= 34 && len <= 3 * batch) || (len + 17) % 1024 <= 34;
}

/* A block or stream mode over the lengths of wanted_blocks or wanted_length,
   or a few of them, in both directions. */
void sweep_lengths(const struct setup *s, bool few);

/* The same for GCM, with AAD. */
void sweep_gcm_lengths(const struct setup *s, bool few);

/* The same for modes with an interface of their own, all key lengths. */
void sweep_own_lengths(const struct setup *s, bool few);

#endif
