/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which core serves this instance of the provider: chosen once, at load.
 *
 *   CTAES_CORE in the environment  >  `core =` in the configuration  >  auto
 *
 * `auto` takes the first core of the list, which is ordered best first, that
 * this CPU can run and that passes its self-test; what it passes over it writes
 * down, and nothing goes to the error queue, where some programs take any entry
 * for a failure. A core that was asked for by name is that one or an error:
 * never silently another.
 */
#define _GNU_SOURCE /* secure_getenv */

#include "provctx.h"

#include "err.h"
#include "../cores/cpu.h"
#include "../cores/selftest.h"

#include <openssl/params.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Appends formatted text to a string in text[size]; what doesn't fit is cut. */
__attribute__((format(printf, 3, 4))) static void append(char *text, size_t size,
                                                         const char *format, ...)
{
    size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + used, size - used, format, args);
    va_end(args);
}

/* Returns whether this CPU can run the core and the core computes right; if
   not, writes why to reason. */
static bool is_usable(const struct ctaes_core *core, uint32_t cpu_features, char *reason,
                      size_t size)
{
    uint32_t missing = core->features & ~cpu_features;
    if (missing != 0) {
        char names[CTAES_CPU_NAMES_SIZE];
        ctaes_cpu_names(names, sizeof names, missing);
        snprintf(reason, size, "this CPU lacks %s", names);
        return false;
    }
    const char *failed = ctaes_core_selftest(core);
    if (failed != NULL)
        snprintf(reason, size, "its self-test failed: %s", failed);
    return failed == NULL;
}

static const struct ctaes_core *choose_best(struct ctaes_provctx *prov, uint32_t cpu_features)
{
    for (size_t i = 0; ctaes_cores[i] != NULL; i++) {
        char reason[CTAES_CPU_NAMES_SIZE + 32];
        if (is_usable(ctaes_cores[i], cpu_features, reason, sizeof reason))
            return ctaes_cores[i];
        append(prov->passed_over, sizeof prov->passed_over, "%s%s: %s",
               prov->passed_over[0] != '\0' ? "; " : "", ctaes_cores[i]->name, reason);
    }
    CTAES_RAISE_OWN(prov, CTAES_R_NO_CORE_USABLE, "%s", prov->passed_over);
    return NULL;
}

/* where says, for the error, who asked for the core. */
static const struct ctaes_core *choose_named(const struct ctaes_provctx *prov,
                                             uint32_t cpu_features, const char *name,
                                             const char *where)
{
    const struct ctaes_core *core = ctaes_core_by_name(name);
    if (core == NULL) {
        char names[256] = "";
        for (size_t i = 0; ctaes_cores[i] != NULL; i++)
            append(names, sizeof names, " %s", ctaes_cores[i]->name);
        CTAES_RAISE_OWN(prov, CTAES_R_UNKNOWN_CORE, "%s is \"%s\"; this build has: auto%s", where,
                        name, names);
        return NULL;
    }
    char reason[CTAES_CPU_NAMES_SIZE + 32];
    if (!is_usable(core, cpu_features, reason, sizeof reason)) {
        CTAES_RAISE_OWN(prov, CTAES_R_CORE_NOT_USABLE, "%s is \"%s\": %s", where, name, reason);
        return NULL;
    }
    return core;
}

bool ctaes_choose_core(struct ctaes_provctx *prov)
{
    /* secure_getenv: not for programs that run with more rights than the user
       who set the environment. */
    const char *where = "CTAES_CORE in the environment";
    const char *name = secure_getenv("CTAES_CORE");
    if (name == NULL || name[0] == '\0') {
        where = "core in the provider's section of the configuration";
        OSSL_PARAM query[] = {OSSL_PARAM_utf8_ptr("core", &name, 0), OSSL_PARAM_END};
        name = NULL;
        if (!prov->up.get_params(prov->handle, query))
            name = NULL;
    }
    uint32_t cpu_features = ctaes_cpu_features();
    prov->core = name == NULL || strcmp(name, "auto") == 0
                     ? choose_best(prov, cpu_features)
                     : choose_named(prov, cpu_features, name, where);
    return prov->core != NULL;
}
