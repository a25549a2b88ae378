/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts MemorySanitizer's reports. Its own way to print one takes milliseconds,
 * and the leaky core has millions. The linker (--wrap) gives the calls that clang
 * put into the code to these functions, which print the first and count the rest.
 *
 * libc's functions as the runtime replaces them (memcmp, for one) report without
 * a call of these: their reports are counted in what the runtime prints.
 */
#define _GNU_SOURCE /* memfd_create */

#include "warnings.h"

#include <sanitizer/common_interface_defs.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PRINTED = 2 };

static unsigned printed, counted;
static int fd = -1; /* what the runtime prints */

void __real___msan_warning_with_origin(uint32_t origin);
void __wrap___msan_warning_with_origin(uint32_t origin);
void __wrap___msan_maybe_warning_1(uint8_t shadow, uint32_t origin);
void __wrap___msan_maybe_warning_2(uint16_t shadow, uint32_t origin);
void __wrap___msan_maybe_warning_4(uint32_t shadow, uint32_t origin);
void __wrap___msan_maybe_warning_8(uint64_t shadow, uint32_t origin);

void __wrap___msan_warning_with_origin(uint32_t origin)
{
    if (printed < PRINTED) {
        printed++;
        __real___msan_warning_with_origin(origin);
    } else {
        counted++;
    }
}

/* In functions with very many checks, clang calls one of these for each. */
#define MAYBE(bytes, type)                                                                         \
    void __wrap___msan_maybe_warning_##bytes(type shadow, uint32_t origin)                         \
    {                                                                                              \
        if (shadow != 0)                                                                           \
            __wrap___msan_warning_with_origin(origin);                                             \
    }
MAYBE(1, uint8_t)
MAYBE(2, uint16_t)
MAYBE(4, uint32_t)
MAYBE(8, uint64_t)

void msan_start(void)
{
    fd = memfd_create("reports", 0);
    if (fd < 0) {
        printf("no file for MemorySanitizer's reports\n");
        exit(2);
    }
    __sanitizer_set_report_fd((void *)(intptr_t)fd);
}

unsigned msan_count_reports(void)
{
    static off_t seen;
    static unsigned in_text;
    char text[8192];
    for (ssize_t len; (len = pread(fd, text, sizeof text - 1, seen)) > 0;) {
        text[len] = '\0';
        char *end = strrchr(text, '\n'); /* whole lines */
        end = end != NULL ? end + 1 : text + len;
        *end = '\0';
        seen += end - text;
        for (const char *p = text; (p = strstr(p, "WARNING: MemorySanitizer")) != NULL; p++)
            in_text++;
        if (in_text <= PRINTED)
            fputs(text, stdout);
    }
    return counted + in_text;
}
