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

/* One executed instruction. Two runs with the same steps did the same. */
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

/* Reads the disassembly of this program. To be called once. Ends the program,
   with a message, if it can't. */
void read_disassembly(void);

/* Returns trace memory for `most` steps that forked processes share. */
struct trace *new_trace(size_t most);

/* Executes op(), step by step, and writes what it did to trace. */
void run_traced(struct trace *trace, void (*op)(void));

/* Remembers which instructions are in the trace. */
void remember_steps(const struct trace *trace);

/* Writes the addresses of all of these that are conditional jumps to a file. */
void write_jumps(const char *path);

/* Returns the function that an instruction is in, and writes its text. */
const char *describe_instruction(uint64_t address, char *text, size_t size);

#endif
