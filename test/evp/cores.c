/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which cores the module has, and which of them this CPU can run.
 *
 * The message about an unknown core ends with the names of all that the module
 * has: nothing here lists them.
 */
#include "evp.h"

#include <stdlib.h>
#include <string.h>

bool find_cores(const char *folder, const char *cores[MAX_CORES + 1])
{
    static char core_names[512];
    static const char before[] = "this build has: auto ";
    OSSL_PROVIDER *provider;
    OSSL_LIB_CTX *libctx = load_ctaes(folder, "no-such-core", &provider);
    const char *data;
    char other[512] = "";
    int flags;
    size_t n = 0;

    if (libctx != NULL) {
        printf("FAILED a core that doesn't exist was loaded\n");
        OSSL_PROVIDER_unload(provider);
        OSSL_LIB_CTX_free(libctx);
        return false;
    }
    while (ERR_get_error_all(NULL, NULL, NULL, &data, &flags) != 0) {
        const char *names = data != NULL ? strstr(data, before) : NULL;
        if (names != NULL)
            snprintf(core_names, sizeof core_names, "%s", names + strlen(before));
        else if ((flags & ERR_TXT_STRING) != 0 && other[0] == '\0')
            snprintf(other, sizeof other, "%s", data);
    }
    char *rest = NULL;
    for (char *name = strtok_r(core_names, " ,\n", &rest); name != NULL && n < MAX_CORES;
         name = strtok_r(NULL, " ,\n", &rest))
        cores[n++] = name;
    if (n == 0)
        printf("FAILED %s/ctaes.so doesn't say which cores it has: %s\n", folder, other);
    return n > 0;
}

bool is_usable(const char *folder, const char *core)
{
    OSSL_PROVIDER *provider;
    OSSL_LIB_CTX *libctx = load_ctaes(folder, core, &provider);
    const char *data, *required = getenv("REQUIRE_CORES");
    char text[512] = "", words[512], *rest = NULL;
    int flags;

    if (libctx != NULL) {
        OSSL_PROVIDER_unload(provider);
        OSSL_LIB_CTX_free(libctx);
        return true;
    }
    while (ERR_get_error_all(NULL, NULL, NULL, &data, &flags) != 0) {
        if ((flags & ERR_TXT_STRING) != 0 && strstr(data, "CPU") != NULL)
            snprintf(text, sizeof text, "%s", data);
    }
    bool skip = text[0] != '\0';
    snprintf(words, sizeof words, "%s", required != NULL ? required : "");
    for (char *w = strtok_r(words, " ,", &rest); w != NULL; w = strtok_r(NULL, " ,", &rest))
        skip = skip && strcmp(w, core) != 0;
    if (skip) {
        printf("SKIP %s: %s\n", core, text);
        tally.skipped++;
    } else {
        printf("FAILED %s can't be loaded: %s\n", core, text);
        tally.failed++;
    }
    return false;
}
