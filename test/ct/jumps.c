/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which conditional jumps a program has executed, at the program's own speed.
 *
 *     74 12   je        first time:  cc 12   SIGTRAP, written down, 74 put back
 *                       from then on:  74 12   the program's own code again
 *
 * Linked to a harness, this puts a breakpoint on each address of the file
 * CT_JUMPS before main runs, and after it writes those that were reached to
 * CT_JUMPS.reached. Addresses are the program's own: it is linked to run where
 * it is linked (-no-pie). jumps.py says what for.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { BREAKPOINT = 0xcc };

static struct jump {
    uint8_t *address;
    uint8_t byte; /* what was there */
    uint8_t reached;
} * jumps;
static size_t count;

__attribute__((noreturn)) static void give_up(const char *why)
{
    printf("can't go on: %s\n", why);
    exit(2);
}

static void on_breakpoint(int number, siginfo_t *info, void *context)
{
    ucontext_t *u = context;
    uint8_t *here = (uint8_t *)(uintptr_t)u->uc_mcontext.gregs[REG_RIP] - 1;
    size_t low = 0, high = count;
    (void)number;
    (void)info;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (jumps[middle].address < here)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == count || jumps[low].address != here)
        abort();
    jumps[low].reached = 1;
    *here = jumps[low].byte;
    u->uc_mcontext.gregs[REG_RIP]--;
}

/* The file has ascending addresses, a line each. */
__attribute__((constructor)) static void plant_breakpoints(void)
{
    const char *path = getenv("CT_JUMPS");
    FILE *f = path == NULL ? NULL : fopen(path, "r");
    unsigned long long address;
    if (f == NULL)
        give_up("CT_JUMPS names no file");
    while (fscanf(f, "%llx", &address) == 1) {
        jumps = realloc(jumps, (count + 1) * sizeof *jumps);
        if (jumps == NULL)
            give_up("out of memory");
        jumps[count++] = (struct jump){.address = (uint8_t *)(uintptr_t)address};
    }
    fclose(f);
    const struct sigaction action = {.sa_sigaction = on_breakpoint, .sa_flags = SA_SIGINFO};
    if (count == 0 || sigaction(SIGTRAP, &action, NULL) != 0)
        give_up("no jumps, or no handler");
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uint8_t *first = (uint8_t *)((uintptr_t)jumps[0].address / page * page);
    const size_t len = (size_t)(jumps[count - 1].address + 16 - first);
    if (mprotect(first, len, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        give_up("mprotect");
    for (size_t i = 0; i < count; i++) {
        jumps[i].byte = *jumps[i].address;
        *jumps[i].address = BREAKPOINT;
    }
}

__attribute__((destructor)) static void write_reached(void)
{
    char path[4096];
    snprintf(path, sizeof path, "%s.reached", getenv("CT_JUMPS"));
    FILE *f = fopen(path, "w");
    for (size_t i = 0; f != NULL && i < count; i++)
        if (jumps[i].reached)
            fprintf(f, "%llx\n", (unsigned long long)(uintptr_t)jumps[i].address);
    if (f == NULL || fclose(f) != 0)
        printf("can't write %s\n", path);
}
