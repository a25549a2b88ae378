/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Raising errors on the host's error queue.
 *
 * Two kinds: the default provider's own (library "Provider routines", reason
 * PROV_R_ of openssl/proverr.h), so that programs which look for "bad decrypt"
 * find it; and ours, for what only ctaes can say.
 */
#ifndef CTAES_ERR_H
#define CTAES_ERR_H

#include "provctx.h"

#include <openssl/proverr.h>

/* Newer than the oldest headers. */
#ifndef PROV_R_UPDATE_CALL_OUT_OF_ORDER
#    define PROV_R_UPDATE_CALL_OUT_OF_ORDER 240 /* OpenSSL 4.0 */
#endif

/* Our own reasons; their texts are in err.c. */
enum ctaes_reason {
    CTAES_R_UNKNOWN_CORE = 1,
    CTAES_R_CORE_NOT_USABLE,
    CTAES_R_NO_CORE_USABLE,
    CTAES_R_BAD_SETTING,
    CTAES_R_NO_SECURE_HEAP,
    CTAES_R_SECURE_HEAP_EXHAUSTED
};

/* The table that libcrypto reads to turn our reasons into text. */
extern const OSSL_ITEM ctaes_reason_strings[];

/* Raises the default provider's error with that PROV_R_ reason. Use the macro. */
#define CTAES_RAISE(prov, reason) ctaes_raise_as_default(prov, reason, __FILE__, __LINE__, __func__)
void ctaes_raise_as_default(const struct ctaes_provctx *prov, uint32_t reason, const char *file,
                            int line, const char *func);

/* Raises an error of one of OpenSSL's libraries (ERR_LIB_), which the default
   provider raises there too, with a formatted explanation. Use the macro. */
#define CTAES_RAISE_WHY(prov, library, reason, ...)                                                \
    ctaes_raise_why(prov, library, reason, __FILE__, __LINE__, __func__, __VA_ARGS__)
__attribute__((format(printf, 7, 8))) void
ctaes_raise_why(const struct ctaes_provctx *prov, uint32_t library, uint32_t reason,
                const char *file, int line, const char *func, const char *format, ...);

/* Raises one of our own errors with a formatted explanation. Use the macro. */
#define CTAES_RAISE_OWN(prov, reason, ...)                                                         \
    ctaes_raise_own(prov, reason, __FILE__, __LINE__, __func__, __VA_ARGS__)
__attribute__((format(printf, 6, 7))) void
ctaes_raise_own(const struct ctaes_provctx *prov, enum ctaes_reason reason, const char *file,
                int line, const char *func, const char *format, ...);

/* The host's malloc, which fails with an entry on the error queue. Use the macro. */
#define CTAES_MALLOC(prov, size) ctaes_malloc(prov, size, __FILE__, __LINE__, __func__)
void *ctaes_malloc(const struct ctaes_provctx *prov, size_t size, const char *file, int line,
                   const char *func);

#endif
