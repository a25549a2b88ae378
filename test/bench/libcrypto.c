/* SPDX-License-Identifier: Apache-2.0 */
/* Opening libcrypto, and reading its error queue. */
#include "libcrypto.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

struct libcrypto lc;

bool open_libcrypto(const char *path)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        fprintf(stderr, "bench: %s\n", dlerror());
        return false;
    }
    const struct {
        const char *name;
        void *where;
    } functions[] = {
#define X(function) {#function, &lc.function},
        LIBCRYPTO_FUNCTIONS(X)
#undef X
    };
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *function = dlsym(handle, functions[i].name);
        if (function == NULL) {
            fprintf(stderr, "bench: %s has no %s; it must be OpenSSL 3.0 or newer\n", path,
                    functions[i].name);
            return false;
        }
        memcpy(functions[i].where, &function, sizeof function);
    }
    return true;
}

struct text {
    char *start;
    size_t size, used;
};

static int append_error(const char *line, size_t len, void *arg)
{
    struct text *text = arg;
    while (len > 0 && line[len - 1] == '\n')
        len--;
    int n = snprintf(text->start + text->used, text->size - text->used, "%s%.*s",
                     text->used > 0 ? "; " : "", (int)len, line);
    text->used += n > 0 ? (size_t)n : 0;
    if (text->used >= text->size)
        text->used = text->size - 1;
    return 1;
}

void take_errors(char *out, size_t size)
{
    struct text text = {out, size, 0};
    out[0] = '\0';
    lc.ERR_print_errors_cb(append_error, &text);
}
