/* SPDX-License-Identifier: Apache-2.0 */
/* The only place that raises errors, and that of memory, whose lack is one. */
#include "err.h"

#include <openssl/err.h>

#include <stdarg.h>

const OSSL_ITEM ctaes_reason_strings[] = {
    {CTAES_R_UNKNOWN_CORE, "unknown core"},
    {CTAES_R_CORE_NOT_USABLE, "core not usable here"},
    {CTAES_R_NO_CORE_USABLE, "no core usable here"},
    {CTAES_R_BAD_SETTING, "bad setting"},
    {CTAES_R_NO_SECURE_HEAP, "no secure heap"},
    {CTAES_R_SECURE_HEAP_EXHAUSTED, "secure heap exhausted"},
    {0, NULL},
};

static void raise(const struct ctaes_provctx *prov, uint32_t reason, const char *file, int line,
                  const char *func, const char *format, va_list args)
{
    prov->up.new_error(prov->handle);
    prov->up.set_error_debug(prov->handle, file, line, func);
    prov->up.vset_error(prov->handle, reason, format, args);
}

/* Raises with arguments for a format that is given. */
__attribute__((format(printf, 6, 7))) static void raise_with(const struct ctaes_provctx *prov,
                                                             uint32_t reason, const char *file,
                                                             int line, const char *func,
                                                             const char *format, ...)
{
    va_list args;
    va_start(args, format);
    raise(prov, reason, file, line, func, format, args);
    va_end(args);
}

void ctaes_raise_as_default(const struct ctaes_provctx *prov, uint32_t reason, const char *file,
                            int line, const char *func)
{
    /* libcrypto takes a reason below 2^23 for the provider's own; one that has
       a library's number packed in, as an error of that library. */
    raise_with(prov, ((uint32_t)ERR_LIB_PROV << ERR_LIB_OFFSET) | reason, file, line, func, NULL);
}

void ctaes_raise_why(const struct ctaes_provctx *prov, uint32_t library, uint32_t reason,
                     const char *file, int line, const char *func, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    raise(prov, library << ERR_LIB_OFFSET | reason, file, line, func, format, args);
    va_end(args);
}

void ctaes_raise_own(const struct ctaes_provctx *prov, enum ctaes_reason reason, const char *file,
                     int line, const char *func, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    raise(prov, (uint32_t)reason, file, line, func, format, args);
    va_end(args);
}

void *ctaes_malloc(const struct ctaes_provctx *prov, size_t size, const char *file, int line,
                   const char *func)
{
    void *p = prov->up.malloc(size, file, line);
    if (p == NULL && prov->raises_no_memory)
        ctaes_raise_as_default(prov, ERR_R_MALLOC_FAILURE, file, line, func);
    return p;
}
