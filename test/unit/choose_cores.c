/* SPDX-License-Identifier: Apache-2.0 */
/* See choose_cores.h. */
#include "choose_cores.h"

#if __has_include("../../cores/cpu.h")
#    include "../../cores/cpu.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool core_runnable(const struct ctaes_core *core)
{
#ifdef CTAES_CPU_H
    return (core->features & ~ctaes_cpu_features()) == 0;
#else
    return core->features == 0;
#endif
}

/* Whether name is one of the words of list. */
static bool listed(const char *list, const char *name)
{
    char word[32];
    for (int used = 0; sscanf(list, " %31s%n", word, &used) == 1; list += used)
        if (strcmp(word, name) == 0)
            return true;
    return false;
}

void report_missing_cores(size_t *failed, size_t *skipped)
{
    const char *required = getenv("REQUIRE_CORES");
    if (required == NULL)
        required = "";
    for (size_t i = 0; ctaes_cores[i] != NULL; i++) {
        const struct ctaes_core *core = ctaes_cores[i];
        if (core_runnable(core))
            continue;
        bool must = listed(required, core->name);
        printf("%s core %s: this CPU lacks features that it needs (0x%x)\n", must ? "FAIL" : "SKIP",
               core->name, (unsigned)core->features);
        *(must ? failed : skipped) += 1;
    }
    char word[32];
    for (int used = 0; sscanf(required, " %31s%n", word, &used) == 1; required += used)
        if (ctaes_core_by_name(word) == NULL) {
            printf("FAIL core %s: required, but not in this build\n", word);
            *failed += 1;
        }
}
