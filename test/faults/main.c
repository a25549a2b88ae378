/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the parts, and keeps count.
 *
 *   faults FOLDER [--figures FILE] [part...]     FOLDER/ctaes.so
 *
 * Its last line is the layer's closing line. The figures are rows of a table
 * for docs/reliability.md.
 */
#include "faults.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *folder;
uint8_t tape[4096];

static const struct {
    const char *name;
    void (*run)(void);
} parts[] = {
    {"memory", check_memory},   {"loads", check_loads}, {"chance", check_chance},
    {"forks", check_forks},     {"files", check_files}, {"signals", check_signals},
    {"threads", check_threads},
};
enum { NPARTS = sizeof parts / sizeof parts[0] };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long passed, failed, skipped;
static FILE *figures;

bool check(bool good, const char *format, ...)
{
    pthread_mutex_lock(&lock);
    if (good) {
        passed++;
    } else if (failed++ < 25) {
        va_list args;
        va_start(args, format);
        printf("FAIL ");
        vprintf(format, args);
        printf("\n");
        va_end(args);
        fflush(stdout);
    }
    pthread_mutex_unlock(&lock);
    return good;
}

void skip(const char *what)
{
    skipped++;
    printf("SKIP %s\n", what);
}

void figure(const char *what, unsigned long number)
{
    if (figures != NULL)
        fprintf(figures, "| %s | %lu |\n", what, number);
}

int main(int argc, char **argv)
{
    watch_memory();
    for (size_t i = 0; i < sizeof tape; i++)
        tape[i] = (uint8_t)(i * 167 + i / 256 + 11);
    unsetenv("CTAES_CORE");
    if (argc < 2) {
        fprintf(stderr, "usage: faults FOLDER [--figures FILE] [part...]\nparts:");
        for (size_t i = 0; i < NPARTS; i++)
            fprintf(stderr, " %s", parts[i].name);
        fprintf(stderr, "\n");
        return 2;
    }
    folder = argv[1];
    char **wanted = argv + 2;
    if (wanted[0] != NULL && strcmp(wanted[0], "--figures") == 0 && wanted[1] != NULL) {
        figures = fopen(wanted[1], "w");
        if (figures == NULL) {
            perror(wanted[1]);
            return 2;
        }
        wanted += 2;
    }
    for (size_t i = 0; i < NPARTS; i++) {
        bool run = wanted[0] == NULL;
        for (char **p = wanted; *p != NULL; p++)
            run = run || strcmp(*p, parts[i].name) == 0;
        if (run)
            parts[i].run();
    }
    if (figures != NULL)
        fclose(figures);
    printf("faults: %lu passed, %lu failed, %lu skipped\n", passed, failed, skipped);
    return failed != 0;
}
