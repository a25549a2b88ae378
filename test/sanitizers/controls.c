/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One fault of each kind that a sanitizer or valgrind is there to find, in a
 * shared library built as the module is (control.so), which this program loads:
 * whoever finds none of them here would find none in the module either.
 *
 *   controls LIBRARY overrun|stack|after-free|leak|overflow|shift|misaligned|race
 *
 * Compiled with -DLIBRARY it is the library.
 */
#ifdef LIBRARY

#    include <limits.h>
#    include <stdint.h>
#    include <stdlib.h>
#    include <string.h>

int fault(const char *kind, volatile unsigned *shared);

static volatile size_t sixteen = 16;
static volatile int big = INT_MAX, wide = 40;

int fault(const char *kind, volatile unsigned *shared)
{
    unsigned char *block = malloc(sixteen);
    unsigned char local[16];
    int result = 0;
    if (block == NULL)
        return 1;
    memset(block, 1, sixteen);
    memset(local, 2, sizeof local);
    if (strcmp(kind, "overrun") == 0) {
        result = ((volatile unsigned char *)block)[sixteen];
    } else if (strcmp(kind, "stack") == 0) {
        result = ((volatile unsigned char *)local)[sixteen];
    } else if (strcmp(kind, "after-free") == 0) {
        free(block);
        return ((volatile unsigned char *)block)[3];
    } else if (strcmp(kind, "leak") == 0) {
        return 0;
    } else if (strcmp(kind, "overflow") == 0) {
        result = big + (int)(sixteen / 16);
    } else if (strcmp(kind, "shift") == 0) {
        result = 1 << wide;
    } else if (strcmp(kind, "misaligned") == 0) {
        result = (int)*(volatile uint32_t *)(void *)(block + 1);
    } else if (strcmp(kind, "race") == 0) {
        for (int i = 0; i < 10000; i++)
            *shared = *shared + 1;
    }
    free(block);
    return result & 1;
}

#else

#    include <dlfcn.h>
#    include <pthread.h>
#    include <stdio.h>
#    include <string.h>

static int (*fault)(const char *kind, volatile unsigned *shared);
static const char *kind;
static volatile unsigned shared;

static void *run(void *unused)
{
    (void)unused;
    fault(kind, &shared);
    return NULL;
}

int main(int argc, char **argv)
{
    void *library = argc == 3 ? dlopen(argv[1], RTLD_NOW) : NULL;
    void *symbol = library != NULL ? dlsym(library, "fault") : NULL;
    pthread_t threads[2];
    if (symbol == NULL) {
        fprintf(stderr, "controls: %s\n", argc == 3 ? dlerror() : "which library and fault?");
        return 3;
    }
    memcpy(&fault, &symbol, sizeof fault);
    kind = argv[2];
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, run, NULL) != 0)
            return 3;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

#endif
