/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Single-stepping by the CPU's trap flag: a program's own functions, or a module's.
 *
 * With the flag set, the CPU raises an exception after each instruction, which
 * arrives here as SIGTRAP, with all registers as they are before the next one:
 *
 *      mov  (%rdi,%rcx,4),%eax       objdump's text of the next instruction, and
 *       |     |    |                 the registers: the address that it will touch
 *       |    rdi + 4 rcx
 *      rip
 *
 * Against a debugger in another process (ptrace) this takes half of the time:
 * there is no second process to switch to, and no call to ask for registers.
 *
 * Instructions are read from objdump's disassembly of this program, which is
 * linked statically, so that libc's functions are in it too. An instruction that
 * isn't there, or whose operand can't be read, is a failure and never passed
 * over. What an instruction does beside its operands in parentheses: the stack
 * pointer is recorded with every step; `rep` traps after each repetition.
 *
 * Of a module, which other code calls and which calls other code, only its own
 * instructions are stepped through. Its entries have breakpoints, and return
 * addresses on the stack are replaced for a while:
 *
 *      libcrypto          module                     libc, libcrypto
 *      call ────────────> int3 (was endbr64)
 *                         step, step, call ────────> at its first instruction, [rsp]
 *                                                    becomes came_back: full speed
 *                         step, step ... <────────── ret to came_back, which is an int3
 *      ... <───────────── ret to left, an int3, which was put into [rsp] at the entry
 *
 * What the module calls is recorded with its arguments: an address, or a length, for
 * memcpy is an address that is touched.
 *
 * Sources: Intel SDM volume 3 section 18.3.1.4 (single-step), volume 1 section
 * 13.4 (where XSAVE puts the mask registers).
 */
#define _GNU_SOURCE
#include "step.h"

#include <cpuid.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

/* --- The disassembly -------------------------------------------------------------------------- */

enum { NO_REGISTER = 16, TRAP_FLAG = 0x100 };

struct operand {
    uint8_t base, index, scale; /* numbers of REGISTERS; NO_REGISTER */
    int64_t displacement;
};

struct instruction {
    uint64_t address;
    struct operand operands[2];
    uint8_t count;        /* of operands */
    uint8_t mask;         /* k1 to k7; 0: none */
    bool executed, jump;  /* jump: a conditional one */
    enum trouble trouble; /* with which to refuse it when it is executed */
    uint32_t function;    /* where its name is in `text` */
    uint32_t at;          /* where it is in `text` */
};

/* In the order of the instruction set's numbers, with their places in gregs. */
static const struct {
    const char *name;
    int place;
} registers[16] = {
    {"rax", REG_RAX}, {"rcx", REG_RCX}, {"rdx", REG_RDX}, {"rbx", REG_RBX},
    {"rsp", REG_RSP}, {"rbp", REG_RBP}, {"rsi", REG_RSI}, {"rdi", REG_RDI},
    {"r8", REG_R8},   {"r9", REG_R9},   {"r10", REG_R10}, {"r11", REG_R11},
    {"r12", REG_R12}, {"r13", REG_R13}, {"r14", REG_R14}, {"r15", REG_R15},
};

static char *text; /* all of objdump's output, each line ended by 0 */
static struct instruction *instructions;
static size_t instruction_count;
static uint64_t load_base;   /* what to add to objdump's addresses */
static uint32_t mask_offset; /* of k0 in the XSAVE area; 0: no AVX-512 */

__attribute__((noreturn)) static void give_up(const char *why)
{
    printf("can't go on: %s\n", why);
    exit(2);
}

/* Reads "%name" at *p and moves *p behind it. Returns the register's number, or -1. */
static int read_register(const char **p)
{
    if (**p != '%')
        return -1;
    const char *name = *p + 1;
    size_t len = strcspn(name, ",)");
    *p = name + len;
    for (int i = 0; i < 16; i++)
        if (strlen(registers[i].name) == len && memcmp(name, registers[i].name, len) == 0)
            return i;
    return -1;
}

/* Reads the operand whose parenthesis is at p, in a line that begins at start. */
static enum trouble read_operand(struct operand *o, const char *start, const char *p)
{
    const char *number = p;
    while (number > start && strchr("0123456789abcdefx-", number[-1]) != NULL)
        number--;
    o->displacement = number == p      ? 0
                      : *number == '-' ? -(int64_t)strtoull(number + 1, NULL, 16)
                                       : (int64_t)strtoull(number, NULL, 16);
    o->base = o->index = NO_REGISTER;
    o->scale = 1;
    p++;
    if (strncmp(p, "%rip)", 5) == 0)
        return NO_TROUBLE; /* the same address at every execution */
    if (*p != ',') {
        if (strncmp(p, "%xmm", 4) == 0 || strncmp(p, "%ymm", 4) == 0 || strncmp(p, "%zmm", 4) == 0)
            return VECTOR_OF_INDICES;
        int base = read_register(&p);
        if (base < 0)
            return UNREADABLE;
        o->base = (uint8_t)base;
    }
    if (*p == ',') {
        p++;
        if (strncmp(p, "%xmm", 4) == 0 || strncmp(p, "%ymm", 4) == 0 || strncmp(p, "%zmm", 4) == 0)
            return VECTOR_OF_INDICES;
        if (strncmp(p, "%riz", 4) == 0) {
            p += 4; /* no index */
        } else {
            int index = read_register(&p);
            if (index < 0)
                return UNREADABLE;
            o->index = (uint8_t)index;
        }
        if (*p == ',')
            o->scale = (uint8_t)strtoul(p + 1, (char **)&p, 10);
    }
    return *p == ')' ? NO_TROUBLE : UNREADABLE;
}

/* Whether the text is one of an instruction that computes with an address and touches nothing. */
static bool touches_nothing(const char *line)
{
    static const char *const prefixes[] = {"cs ", "ds ", "data16 ", "rex.W ", "notrack ", "bnd "};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes;) {
        size_t len = strlen(prefixes[i]);
        if (strncmp(line, prefixes[i], len) == 0) {
            line += len;
            i = 0;
        } else {
            i++;
        }
    }
    return strncmp(line, "nop", 3) == 0 || strncmp(line, "lea ", 4) == 0 ||
           strncmp(line, "leal ", 5) == 0 || strncmp(line, "leaq ", 5) == 0;
}

static void read_instruction(struct instruction *i, char *line)
{
    line[strcspn(line, "#<")] = 0;
    i->at = (uint32_t)(line - text);
    i->jump = line[0] == 'j' && strncmp(line, "jmp", 3) != 0;
    if (touches_nothing(line))
        return;
    for (const char *p = strchr(line, '('); p != NULL && i->trouble == NO_TROUBLE;
         p = strchr(p + 1, '(')) {
        if (strncmp(p, "(%st", 3 + 1) == 0 || strncmp(p, "(bad)", 5) == 0)
            i->trouble = UNREADABLE; /* x87, which nothing here has any business with */
        else if (i->count == 2)
            i->trouble = UNREADABLE;
        else
            i->trouble = read_operand(&i->operands[i->count++], line, p);
    }
    const char *mask = strstr(line, "{%k");
    if (mask != NULL && i->count > 0)
        i->mask = (uint8_t)(mask[3] - '0');
}

static size_t read_output(FILE *f)
{
    size_t room = 1 << 20, n = 0;
    text = NULL;
    do {
        room *= 2;
        text = realloc(text, room + 1);
        if (text == NULL)
            give_up("out of memory");
        n += fread(text + n, 1, room - n, f);
    } while (n == room);
    text[n] = 0;
    return n;
}

void read_disassembly(const char *file, uint64_t base)
{
    char path[4096], command[4200];
    ssize_t path_len = readlink("/proc/self/exe", path, sizeof path - 1);
    if (path_len < 0)
        give_up("/proc/self/exe");
    path[path_len] = 0;
    load_base = base;
    snprintf(command, sizeof command, "LC_ALL=C objdump -d -w --no-show-raw-insn '%s'",
             file == NULL ? path : file);
    FILE *f = popen(command, "r");
    if (f == NULL)
        give_up("objdump doesn't start");
    size_t n = read_output(f), room = 0;
    if (pclose(f) != 0)
        give_up("objdump failed");

    uint32_t function = 0;
    for (char *line = text, *end; line < text + n; line = end + 1) {
        end = strchr(line, '\n');
        if (end == NULL)
            break;
        *end = 0;
        char *rest;
        uint64_t address = strtoull(line, &rest, 16);
        if (rest > line && *rest == ' ' && rest[1] == '<') {
            function = (uint32_t)(rest + 2 - text);
            end[-2] = 0; /* the ">:" */
            continue;
        }
        if (rest == line || *rest != ':' || rest[1] != '\t')
            continue;
        if (instruction_count == room) {
            room = room == 0 ? 1 << 16 : 2 * room;
            instructions = realloc(instructions, room * sizeof *instructions);
            if (instructions == NULL)
                give_up("out of memory");
        }
        struct instruction *i = &instructions[instruction_count++];
        memset(i, 0, sizeof *i);
        i->address = base + address;
        i->function = function;
        if (instruction_count > 1 && i[-1].address >= i->address)
            give_up("objdump's addresses don't ascend");
        read_instruction(i, rest + 2);
    }
    if (instruction_count < 1000)
        give_up("objdump shows next to nothing");

    unsigned a, b, c, d;
    if (__builtin_cpu_supports("avx512f") && __get_cpuid_count(0xd, 5, &a, &b, &c, &d))
        mask_offset = b;
}

static const struct instruction *find_instruction(uint64_t address)
{
    size_t low = 0, high = instruction_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (instructions[middle].address == address)
            return &instructions[middle];
        if (instructions[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

void remember_steps(const struct trace *trace)
{
    for (size_t i = 0; i < trace->n; i++) {
        const struct instruction *found = find_instruction(trace->steps[i].instruction);
        if (found != NULL)
            instructions[found - instructions].executed = true;
    }
}

void write_jumps(const char *path)
{
    FILE *f = fopen(path, "w");
    for (size_t i = 0; f != NULL && i < instruction_count; i++)
        if (instructions[i].executed && instructions[i].jump)
            fprintf(f, "%llx\n", (unsigned long long)(instructions[i].address - load_base));
    if (f == NULL || fclose(f) != 0)
        give_up("the file of jumps can't be written");
}

const char *describe_instruction(uint64_t address, char *buffer, size_t size)
{
    const struct instruction *i = find_instruction(address);
    snprintf(buffer, size, "%#llx: %s", (unsigned long long)(address - load_base),
             i ? text + i->at : "?");
    return i ? text + i->function : "?";
}

/* --- Stepping --------------------------------------------------------------------------------- */

static struct trace *current;

static __attribute__((noinline)) void stop_here(void)
{
    __asm__ volatile("");
}

static uint64_t address_of(const struct operand *o, const greg_t *r)
{
    uint64_t a = (uint64_t)o->displacement;
    if (o->base != NO_REGISTER)
        a += (uint64_t)r[registers[o->base].place];
    if (o->index != NO_REGISTER)
        a += (uint64_t)r[registers[o->index].place] * o->scale;
    return a;
}

static void stop_at(struct trace *t, enum trouble trouble, uint64_t where)
{
    if (t->trouble == NO_TROUBLE) {
        t->trouble = trouble;
        t->where = where;
    }
}

/* Returns where to write the next step, or NULL if there is no room: then the steps end. */
static struct step *next_step(ucontext_t *u)
{
    struct trace *t = current;
    if (t->n < t->room)
        return &t->steps[t->n++];
    u->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
    if (!t->cut_off)
        stop_at(t, TOO_LONG, (uint64_t)u->uc_mcontext.gregs[REG_RIP]);
    return NULL;
}

/* Records the instruction that is to come. */
static void record_step(ucontext_t *u, const struct instruction *i)
{
    const greg_t *r = u->uc_mcontext.gregs;
    struct step *s = next_step(u);
    if (s == NULL)
        return;
    if (i->trouble != NO_TROUBLE)
        stop_at(current, i->trouble, i->address);
    s->instruction = i->address;
    s->stack = (uint64_t)r[REG_RSP];
    s->address[0] = i->count > 0 ? address_of(&i->operands[0], r) : 0;
    s->address[1] = i->count > 1 ? address_of(&i->operands[1], r) : 0;
    s->mask = 0;
    if (i->mask != 0)
        memcpy(&s->mask, (const uint8_t *)u->uc_mcontext.fpregs + mask_offset + 8 * i->mask, 8);
}

static void on_trap(int number, siginfo_t *info, void *context)
{
    ucontext_t *u = context;
    greg_t *r = u->uc_mcontext.gregs;
    (void)number;
    (void)info;
    if (!(r[REG_EFL] & TRAP_FLAG)) { /* int3 in run_traced */
        r[REG_EFL] |= TRAP_FLAG;
        return;
    }
    const uint64_t here = (uint64_t)r[REG_RIP];
    if (here == (uint64_t)(uintptr_t)stop_here) {
        r[REG_EFL] &= ~TRAP_FLAG;
        return;
    }
    const struct instruction *i = find_instruction(here);
    if (i == NULL)
        stop_at(current, UNKNOWN_CODE, here);
    else
        record_step(u, i);
}

struct trace *new_trace(size_t most)
{
    void *p = mmap(NULL, sizeof(struct trace) + most * sizeof(struct step), PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        give_up("no memory for a trace");
    struct trace *trace = p;
    trace->room = most;
    return trace;
}

static void handle_traps(void (*handler)(int, siginfo_t *, void *))
{
    static uint8_t handler_stack[65536];
    const stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    if (sigaltstack(&stack, NULL) != 0 || sigaction(SIGTRAP, &action, NULL) != 0)
        give_up("no handler for SIGTRAP");
}

void run_traced(struct trace *trace, void (*op)(void))
{
    handle_traps(on_trap);
    current = trace;
    trace->n = 0;
    trace->trouble = NO_TROUBLE;
    __asm__ volatile("int3" : : : "memory");
    op();
    stop_here();
}

/* --- A module's own instructions -------------------------------------------------------------- */

enum { ENDBR64_BYTES = 4, BREAKPOINT = 0xcc };

__asm__(".text\n"
        "left: int3\n"
        "came_back: int3\n");
extern const uint8_t left[], came_back[];

static uint64_t *entries; /* ascending */
static size_t entry_count;
static bool inside;                             /* of the module */
static uint64_t caller_address, module_address; /* what left and came_back stand for */

static bool is_entry(uint64_t address)
{
    size_t low = 0, high = entry_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (entries[middle] == address)
            return true;
        if (entries[middle] < address)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

static uint64_t replace_return(const greg_t *r, const uint8_t *by)
{
    uint64_t *place = (uint64_t *)(uintptr_t)r[REG_RSP], old = *place;
    *place = (uint64_t)(uintptr_t)by;
    return old;
}

static void leave_module(greg_t *r)
{
    r[REG_RIP] = (greg_t)caller_address;
    r[REG_EFL] &= ~TRAP_FLAG;
    inside = false;
}

/* A call of what isn't the module's. Of memory functions three arguments are addresses or lengths,
   but for memset's byte; of libcrypto's and all others here, at most the first two. */
static void record_call(ucontext_t *u)
{
    const greg_t *r = u->uc_mcontext.gregs;
    const struct trace *t = current;
    const struct instruction *from =
        t->n > 0 ? find_instruction(t->steps[t->n - 1].instruction) : NULL;
    const char *name = from == NULL ? "?" : text + from->function;
    struct step *s = next_step(u);
    if (s == NULL)
        return;
    const bool memory = strstr(name, "mem") != NULL;
    const bool fills = strstr(name, "memset") != NULL;
    s->instruction = (uint64_t)r[REG_RIP];
    s->stack = (uint64_t)r[REG_RSP];
    s->address[0] = (uint64_t)r[REG_RDI];
    s->address[1] = fills ? 0 : (uint64_t)r[REG_RSI];
    s->mask = memory ? (uint64_t)r[REG_RDX] : 0;
}

/* Records what is to come in the module, or lets go of it. */
static void go_on(ucontext_t *u)
{
    greg_t *r = u->uc_mcontext.gregs;
    r[REG_EFL] |= TRAP_FLAG;
    for (;;) {
        const uint64_t here = (uint64_t)r[REG_RIP];
        const struct instruction *i = find_instruction(here);
        if (here == (uint64_t)(uintptr_t)left) {
            leave_module(r);
            return;
        }
        if (i == NULL) {
            record_call(u);
            module_address = replace_return(r, came_back);
            r[REG_EFL] &= ~TRAP_FLAG;
            return;
        }
        record_step(u, i);
        if (!is_entry(here))
            return;
        r[REG_RIP] += ENDBR64_BYTES;
    }
}

static void on_module_trap(int number, siginfo_t *info, void *context)
{
    ucontext_t *u = context;
    greg_t *r = u->uc_mcontext.gregs;
    (void)number;
    (void)info;
    if (r[REG_EFL] & TRAP_FLAG) {
        go_on(u);
        return;
    }
    const uint64_t breakpoint = (uint64_t)r[REG_RIP] - 1;
    if (breakpoint == (uint64_t)(uintptr_t)left) {
        leave_module(r);
    } else if (breakpoint == (uint64_t)(uintptr_t)came_back) {
        r[REG_RIP] = (greg_t)module_address;
        if (current->n == current->room && current->cut_off)
            return;
        go_on(u);
    } else if (!is_entry(breakpoint)) {
        give_up("a breakpoint that nobody planted");
    } else if (inside || current == NULL || (current->n == current->room && current->cut_off)) {
        /* By what the module called: nothing does that. */
        if (inside && !(current->n == current->room && current->cut_off))
            stop_at(current, UNKNOWN_CODE, breakpoint);
        r[REG_RIP] += ENDBR64_BYTES - 1;
    } else {
        inside = true;
        r[REG_RIP]--;
        caller_address = replace_return(r, left);
        go_on(u);
    }
}

static int compare_entries(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

void plant_entries(uint64_t *list, size_t n)
{
    static const uint8_t endbr64[ENDBR64_BYTES] = {0xf3, 0x0f, 0x1e, 0xfa};
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    qsort(list, n, sizeof *list, compare_entries);
    for (size_t i = 0; i < n; i++)
        if (entry_count == 0 || list[entry_count - 1] != list[i])
            list[entry_count++] = list[i];
    entries = list;
    for (size_t i = 0; i < entry_count; i++) {
        uint8_t *code = (uint8_t *)(uintptr_t)entries[i];
        void *first = (void *)(uintptr_t)(entries[i] / page * page);
        if (find_instruction(entries[i]) == NULL || memcmp(code, endbr64, sizeof endbr64) != 0)
            give_up("an entry that doesn't begin with endbr64");
        if (mprotect(first, page, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
            give_up("mprotect");
        *code = BREAKPOINT;
        if (mprotect(first, page, PROT_READ | PROT_EXEC) != 0)
            give_up("mprotect");
    }
    handle_traps(on_module_trap);
}

void trace_calls(struct trace *trace)
{
    current = trace;
    inside = false;
    if (trace != NULL) {
        trace->n = 0;
        trace->trouble = NO_TROUBLE;
    }
}
