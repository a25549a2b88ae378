/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of cores, best first. The Makefile's ISA table names them, and gives
 * CTAES_CORE_LIST(X): X(name) for each core of this build, in that order.
 */
#include "core.h"

#include <string.h>

#define X(name) extern const struct ctaes_core ctaes_core_##name;
CTAES_CORE_LIST(X)
#undef X

#define X(name) &ctaes_core_##name,
const struct ctaes_core *const ctaes_cores[] = {CTAES_CORE_LIST(X) NULL};
#undef X

const struct ctaes_core *ctaes_core_by_name(const char *name)
{
    for (size_t i = 0; ctaes_cores[i] != NULL; i++)
        if (strcmp(ctaes_cores[i]->name, name) == 0)
            return ctaes_cores[i];
    return NULL;
}
