/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Single-stepping: which instructions an operation executed, and which
 * addresses each of them touched.
 */
#ifndef CT_STEP_H
#define CT_STEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One executed instruction, or, of a module, a call of what isn't its own, with the addresses and
   the length that it passes. Two runs with the same steps did the same. */
struct step {
    uint64_t instruction;
    uint64_t stack;      /* the stack pointer: what push, pop, call and ret touch */
    uint64_t address[2]; /* where its operands in memory lie; 0: it has none */
    uint64_t mask;       /* AVX-512: which elements of them it touches */
};

enum trouble {
    NO_TROUBLE,
    TOO_LONG,         /* more steps than there is room for */
    UNKNOWN_CODE,     /* executed an address that objdump doesn't show */
    UNREADABLE,       /* an operand that this program can't read */
    VECTOR_OF_INDICES /* a gather or scatter: an address for each element */
};

struct trace {
    size_t n, room;
    bool cut_off; /* whether it is enough to see the first `room` steps */
    enum trouble trouble;
    uint64_t where; /* the instruction of the trouble */
    struct step steps[];
};

/* Reads the disassembly of a file that is loaded at base; NULL: of this program. To be called once.
   Ends the program, with a message, if it can't. */
void read_disassembly(const char *file, uint64_t base);

/* Returns trace memory for `most` steps that forked processes share. */
struct trace *new_trace(size_t most);

/* Executes op(), step by step, and writes what it did to trace. */
void run_traced(struct trace *trace, void (*op)(void));

/* Puts breakpoints on n functions of the file whose disassembly was read, by which it is entered
   from outside. Sorts the list, and keeps it. */
void plant_entries(uint64_t *list, size_t n);

/* From now on, each time that one of these functions is called, executes it step by step and adds
   what it did to trace, which is emptied first; NULL: no longer. */
void trace_calls(struct trace *trace);

/* Remembers which instructions are in the trace. */
void remember_steps(const struct trace *trace);

/* Writes the addresses of all of these that are conditional jumps to a file. */
void write_jumps(const char *path);

/* Returns the function that an instruction is in, and writes its text. */
const char *describe_instruction(uint64_t address, char *text, size_t size);

#endif
