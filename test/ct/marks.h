/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Marking bytes secret, and asking for the marks and for reports: by valgrind's
 * memcheck in the usual build, by MemorySanitizer in clang's with
 * -fsanitize=memory. Either follows which values come from memory that was never
 * written, and reports what depends on one; both can be told that some memory is
 * such.
 */
#ifndef CT_MARKS_H
#define CT_MARKS_H

#include "../../cores/opaque.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef CTAES_IS_MSAN
#    include "../msan/warnings.h"
#    include <sanitizer/msan_interface.h>
#else
#    include <valgrind/memcheck.h>
#endif

static inline void mark_secret(const void *p, size_t len)
{
#ifdef CTAES_IS_MSAN
    __msan_poison(p, len);
#else
    (void)VALGRIND_MAKE_MEM_UNDEFINED(p, len);
#endif
}

static inline void mark_public(const void *p, size_t len)
{
#ifdef CTAES_IS_MSAN
    __msan_unpoison(p, len);
#else
    (void)VALGRIND_MAKE_MEM_DEFINED(p, len);
#endif
}

/* Whether no bit of the byte is secret. */
static inline bool is_public(const uint8_t *p)
{
#ifdef CTAES_IS_MSAN
    return __msan_test_shadow(p, 1) < 0;
#else
    uint8_t bits = 0;
    if (VALGRIND_GET_VBITS(p, &bits, 1) != 1) {
        printf("memcheck doesn't answer\n");
        exit(2);
    }
    return bits == 0;
#endif
}

/* Starts the detector; whether there is one. */
static inline bool start_detector(void)
{
#ifdef CTAES_IS_MSAN
    msan_start();
    return true;
#else
    return RUNNING_ON_VALGRIND;
#endif
}

/* Returns how many reports there were so far. */
static inline unsigned count_reports(void)
{
#ifdef CTAES_IS_MSAN
    return msan_count_reports();
#else
    return (unsigned)VALGRIND_COUNT_ERRORS;
#endif
}

#endif
