/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a function of a core leaves behind for its caller, beside its output.
 *
 * Each function is called through a trampoline in assembly, for the calling
 * convention of x86-64 (System V ABI 1.0, section 3.2): it fills rbx, rbp and r12
 * to r15 with known values, cleans the upper halves of the vector registers, puts
 * words that must survive between its own frame and the arguments, and looks
 * afterwards at all of them:
 *
 *   frame of the trampoline │ 8 canaries │ 2 arguments │ return address │ the core
 *
 * and at the stack pointer, the direction flag, and the control words of SSE and
 * x87. Upper halves that were left in use make all SSE code slower afterwards on
 * many CPUs; XGETBV(1) tells whether they are in use (Intel SDM vol. 1, 13.6), and
 * their values are looked at too.
 *
 * The modes then do their work with a table of such calls, over all the lengths
 * and layouts, with guard pages, of the other topics.
 */
#include "sweeps.h"

#include "../../cores/cpu.h"

#if defined __x86_64__ && defined __LP64__

#    include <cpuid.h>

enum {
    ALL_REGISTERS = 0x7e,
    STACK_POINTER = 1,
    RBX = 2,
    R15 = 0x40,
    DIRECTION = 0x80,
    SSE_CONTROL = 0x100,
    X87_CONTROL = 0x200,
    CALLER_FRAME = 0x400,
    UPPER_IN_USE = 0x800
};

/* Calls function with eight arguments; returns what it changed. */
unsigned unit_call(void (*function)(void), const uint64_t args[8]);

struct unit_calls {
    uint64_t stack_pointer;
    uint32_t mxcsr, mxcsr_after;
    uint32_t x87, x87_after;
    uint32_t avx, xinuse, avx512, unused[3];
    uint8_t upper[16][16];   /* of the ymm registers */
    uint8_t upper_z[16][32]; /* of the zmm registers */
} unit_calls __attribute__((visibility("hidden")));

#    define CANARY_TEXT "$0x5ca1ab1e0ddba11a"
#    define KNOWN(reg, value) "movabs $" value ", %" reg "\n"
#    define LOOK(reg, value, bit)                                                                  \
        "movabs $" value ", %rcx\n cmp %rcx, %" reg "\n je 1f\n or $" bit ", %r8d\n1:\n"
#    define UPPER(n) "vextractf128 $1, %ymm" #    n ", 48+16*" #    n "+unit_calls(%rip)\n"
#    define UPPER_Z(n) "vextractf64x4 $1, %zmm" #    n ", 48+256+32*" #    n "+unit_calls(%rip)\n"
#    define SIXTEEN(X)                                                                             \
        X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)

_Static_assert(offsetof(struct unit_calls, upper) == 48, "as the trampoline has it");

__asm__(
    ".text\n"
    ".globl unit_call\n"
    ".hidden unit_call\n"
    ".type unit_call, @function\n"
    "unit_call:\n"
    "push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n"
    "sub $8, %rsp\n"
    "mov %rdi, %rax\n mov %rsi, %r10\n"
    "movabs " CANARY_TEXT ", %rcx\n"
    "push %rcx\n push %rcx\n push %rcx\n push %rcx\n"
    "push %rcx\n push %rcx\n push %rcx\n push %rcx\n"
    "pushq 56(%r10)\n pushq 48(%r10)\n"
    "mov %rsp, unit_calls(%rip)\n"
    "stmxcsr 8+unit_calls(%rip)\n"
    "fnstcw 16+unit_calls(%rip)\n"
    "cmpl $0, 24+unit_calls(%rip)\n je 1f\n vzeroupper\n1:\n"
    "mov (%r10), %rdi\n mov 8(%r10), %rsi\n mov 16(%r10), %rdx\n"
    "mov 24(%r10), %rcx\n mov 32(%r10), %r8\n mov 40(%r10), %r9\n"
    /* clang-format off */
        KNOWN("rbx", "0x1111111111111111") KNOWN("rbp", "0x2222222222222222")
        KNOWN("r12", "0x3333333333333333") KNOWN("r13", "0x4444444444444444")
        KNOWN("r14", "0x5555555555555555") KNOWN("r15", "0x6666666666666666")
        "call *%rax\n"
        "xor %r8d, %r8d\n"
        "cmp unit_calls(%rip), %rsp\n je 1f\n or $1, %r8d\n mov unit_calls(%rip), %rsp\n1:\n"
        LOOK("rbx", "0x1111111111111111", "2") LOOK("rbp", "0x2222222222222222", "4")
        LOOK("r12", "0x3333333333333333", "8") LOOK("r13", "0x4444444444444444", "0x10")
        LOOK("r14", "0x5555555555555555", "0x20") LOOK("r15", "0x6666666666666666", "0x40")
        "pushfq\n pop %rcx\n test $0x400, %ecx\n je 1f\n or $0x80, %r8d\n cld\n1:\n"
        /* Without the flags that operations set. */
        "stmxcsr 12+unit_calls(%rip)\n mov 12+unit_calls(%rip), %ecx\n"
        "xor 8+unit_calls(%rip), %ecx\n test $0xffc0, %ecx\n je 1f\n or $0x100, %r8d\n"
        "ldmxcsr 8+unit_calls(%rip)\n1:\n"
        "fnstcw 20+unit_calls(%rip)\n mov 20+unit_calls(%rip), %cx\n"
        "cmp 16+unit_calls(%rip), %cx\n je 1f\n or $0x200, %r8d\n fldcw 16+unit_calls(%rip)\n1:\n"
        "add $16, %rsp\n"
        "mov $8, %r9d\n movabs " CANARY_TEXT ", %rcx\n"
        "2:\n pop %rdx\n cmp %rcx, %rdx\n je 1f\n or $0x400, %r8d\n1:\n dec %r9d\n jne 2b\n"
        "cmpl $0, 28+unit_calls(%rip)\n je 1f\n mov $1, %ecx\n xgetbv\n test $4, %al\n je 1f\n"
        "or $0x800, %r8d\n1:\n"
        "cmpl $0, 24+unit_calls(%rip)\n je 1f\n"
        SIXTEEN(UPPER)
        "1:\n"
        "cmpl $0, 32+unit_calls(%rip)\n je 1f\n"
        SIXTEEN(UPPER_Z)
        "1:\n"
        "mov %r8d, %eax\n"
        "add $8, %rsp\n pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n"
                                                                          /* clang-format on */
                                                                          "ret\n"
                                                                          ".size unit_call, . - "
                                                                          "unit_call\n");

/* Whether XGETBV(1) exists. */
static bool has_xinuse(void)
{
    unsigned a = 0, b, c, d;
    return __get_cpuid_count(0xd, 1, &a, &b, &c, &d) != 0 && (a & 4) != 0;
}

static void look_at_cpu(void)
{
    const uint32_t features = ctaes_cpu_features();
    memset(&unit_calls, 0, sizeof unit_calls);
    unit_calls.avx = (features & CTAES_CPU_AVX) != 0;
    unit_calls.avx512 = (features & CTAES_CPU_AVX512F) != 0;
    unit_calls.xinuse = unit_calls.avx && has_xinuse();
}

/* --- A table of such calls ----------------------------------------------------------------- */

static struct ctaes_core sound;

static bool upper_is_clean(void)
{
    static const uint8_t zeros[sizeof unit_calls.upper_z];
    return memcmp(unit_calls.upper, zeros, sizeof unit_calls.upper) == 0 &&
           memcmp(unit_calls.upper_z, zeros, sizeof unit_calls.upper_z) == 0;
}

static void call(const char *slot, void (*function)(void), uint64_t a, uint64_t b, uint64_t c,
                 uint64_t d, uint64_t e, uint64_t f, uint64_t g, uint64_t h)
{
    const uint64_t args[8] = {a, b, c, d, e, f, g, h};
    const unsigned changed = unit_call(function, args);
    expect(changed == 0, "%s changes what is its caller's: %#x%s", slot, changed,
           (changed & UPPER_IN_USE) != 0 ? ", upper halves of vectors in use" : "");
    expect(upper_is_clean(), "%s leaves something in the upper halves of vector registers", slot);
}

#    define NUMBER(x) ((uint64_t)(uintptr_t)(x))
#    define CALL(slot, a, b, c, d, e, f, g, h)                                                     \
        call(#slot, (void (*)(void))sound.slot, NUMBER(a), NUMBER(b), NUMBER(c), NUMBER(d),        \
             NUMBER(e), NUMBER(f), NUMBER(g), NUMBER(h))

static void call_expand_key(struct ctaes_aes_key *key, const uint8_t *k, size_t k_len)
{
    CALL(expand_key, key, k, k_len, 0, 0, 0, 0, 0);
}

static void call_prepare_decrypt(struct ctaes_aes_key *key)
{
    CALL(prepare_decrypt, key, 0, 0, 0, 0, 0, 0, 0);
}

static void call_ghash_init(struct ctaes_ghash_key *hk, const uint8_t h[16])
{
    CALL(ghash_init, hk, h, 0, 0, 0, 0, 0, 0);
}

static void call_ghash(struct ctaes_ghash_key *hk, uint8_t y[16], const uint8_t *in, size_t n)
{
    CALL(ghash, hk, y, in, n, 0, 0, 0, 0);
}

#    define BLOCKS(slot)                                                                           \
        static void call_##slot(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in,  \
                                size_t n)                                                          \
        {                                                                                          \
            CALL(slot, key, out, in, n, 0, 0, 0, 0);                                               \
        }
/* CBC and CTR. */
#    define CHAIN(slot)                                                                            \
        static void call_##slot(const struct ctaes_aes_key *key, uint8_t iv[16], uint8_t *out,     \
                                const uint8_t *in, size_t n)                                       \
        {                                                                                          \
            CALL(slot, key, iv, out, in, n, 0, 0, 0);                                              \
        }
#    define GCM(slot)                                                                              \
        static void call_##slot(const struct ctaes_aes_key *key, struct ctaes_ghash_key *hk,       \
                                uint8_t ctr[16], uint8_t y[16], uint8_t *ej0, uint8_t *out,        \
                                const uint8_t *in, size_t len)                                     \
        {                                                                                          \
            CALL(slot, key, hk, ctr, y, ej0, out, in, len);                                        \
        }
#    define CCM(slot)                                                                              \
        static void call_##slot(const struct ctaes_aes_key *key, uint8_t ctr[16], uint8_t mac[16], \
                                uint8_t *out, const uint8_t *in, size_t n)                         \
        {                                                                                          \
            CALL(slot, key, ctr, mac, out, in, n, 0, 0);                                           \
        }
#    define OCB(slot)                                                                              \
        static void call_##slot(const struct ctaes_aes_key *key, const uint8_t *masks,             \
                                const uint8_t offset[16], uint8_t sum[16], uint8_t *out,           \
                                const uint8_t *in, size_t n)                                       \
        {                                                                                          \
            CALL(slot, key, masks, offset, sum, out, in, n, 0);                                    \
        }
#    define XTS(slot)                                                                              \
        static void call_##slot(const struct ctaes_aes_key *key,                                   \
                                const struct ctaes_aes_key *tweak_key, uint8_t tweak[16],          \
                                uint8_t *out, const uint8_t *in, size_t n)                         \
        {                                                                                          \
            CALL(slot, key, tweak_key, tweak, out, in, n, 0, 0);                                   \
        }
BLOCKS(encrypt)
BLOCKS(decrypt)
CHAIN(cbc_encrypt)
CHAIN(cbc_decrypt)
CHAIN(ctr32)
GCM(gcm_encrypt)
GCM(gcm_decrypt)
CCM(ccm_encrypt)
CCM(ccm_decrypt)
OCB(ocb_encrypt)
OCB(ocb_decrypt)
XTS(xts_encrypt)
XTS(xts_decrypt)

static void call_gcm_short(const struct ctaes_aes_key *key, uint8_t ctr[16], uint8_t ej0[16],
                           uint8_t *ct, uint8_t *out, const uint8_t *in, size_t len,
                           bool encrypting)
{
    CALL(gcm_short, key, ctr, ej0, ct, out, in, len, encrypting);
}

/* The core with each of its functions called so. */
static struct ctaes_core wrap(const struct ctaes_core *core)
{
    struct ctaes_core w = *core;
#    define WRAP(slot)                                                                             \
        if (core->slot != NULL)                                                                    \
        w.slot = call_##slot
    WRAP(expand_key);
    WRAP(prepare_decrypt);
    WRAP(encrypt);
    WRAP(decrypt);
    WRAP(ghash_init);
    WRAP(ghash);
    WRAP(cbc_encrypt);
    WRAP(cbc_decrypt);
    WRAP(ctr32);
    WRAP(gcm_encrypt);
    WRAP(gcm_decrypt);
    WRAP(gcm_short);
    WRAP(ccm_encrypt);
    WRAP(ccm_decrypt);
    WRAP(ocb_encrypt);
    WRAP(ocb_decrypt);
    WRAP(xts_encrypt);
    WRAP(xts_decrypt);
    return w;
}

_Static_assert(sizeof(struct ctaes_core) ==
                   offsetof(struct ctaes_core, xts_decrypt) + sizeof(void (*)(void)),
               "an optional function that this test doesn't call");

void test_calls(const struct setup *s)
{
    look_at_cpu();
    sound = *s->core;
    const struct ctaes_core core = wrap(s->core);
    const struct setup wrapped = {&core, s->mode, 32};
    at.variant = "through the trampoline";
    if (s->mode->kind == CTAES_OWN)
        sweep_own_lengths(&wrapped, true);
    else if (s->mode->kind == CTAES_AEAD)
        sweep_gcm_lengths(&wrapped, true);
    else
        sweep_lengths(&wrapped, true);
}

/* --- Functions that do what they mustn't ----------------------------------------------------- */

void unit_wrong_none(void);
void unit_wrong_rbx(void);
void unit_wrong_r15(void);
void unit_wrong_all(void);
void unit_wrong_flag(void);
void unit_wrong_mxcsr(void);
void unit_wrong_x87(void);
void unit_wrong_frame(void);
void unit_wrong_upper(void);

__asm__(".text\n"
        "unit_wrong_none: ret\n"
        "unit_wrong_rbx: inc %rbx\n ret\n"
        "unit_wrong_r15: inc %r15\n ret\n"
        "unit_wrong_all: inc %rbx\n inc %rbp\n inc %r12\n inc %r13\n inc %r14\n inc %r15\n ret\n"
        "unit_wrong_flag: std\n ret\n"
        "unit_wrong_mxcsr: push $0x9fc0\n ldmxcsr (%rsp)\n pop %rax\n ret\n"
        "unit_wrong_x87: push $0x27f\n fldcw (%rsp)\n pop %rax\n ret\n"
        "unit_wrong_frame: movb $0, 24(%rsp)\n ret\n" /* behind the two arguments */
        "unit_wrong_upper: vcmptrueps %ymm15, %ymm15, %ymm15\n ret\n");

void test_calls_control(const struct setup *s)
{
    static const struct {
        const char *what;
        void (*function)(void);
        unsigned changes;
        bool needs_avx, upper;
    } controls[] = {{"nothing", unit_wrong_none, 0, false, false},
                    {"rbx", unit_wrong_rbx, RBX, false, false},
                    {"r15", unit_wrong_r15, R15, false, false},
                    {"all registers", unit_wrong_all, ALL_REGISTERS, false, false},
                    {"the direction flag", unit_wrong_flag, DIRECTION, false, false},
                    {"mxcsr", unit_wrong_mxcsr, SSE_CONTROL, false, false},
                    {"x87", unit_wrong_x87, X87_CONTROL, false, false},
                    {"the caller's frame", unit_wrong_frame, CALLER_FRAME, false, false},
                    {"upper halves", unit_wrong_upper, UPPER_IN_USE, true, true}};
    static const uint64_t args[8];
    (void)s;
    look_at_cpu();
    for (size_t i = 0; i < sizeof controls / sizeof controls[0]; i++) {
        if (controls[i].needs_avx && !unit_calls.avx)
            continue;
        unsigned changes = controls[i].changes;
        if (!unit_calls.xinuse)
            changes &= ~(unsigned)UPPER_IN_USE;
        const unsigned seen = unit_call(controls[i].function, args);
        expect(seen == changes, "control %s: %#x", controls[i].what, seen);
        expect(upper_is_clean() != controls[i].upper, "control %s: upper halves", controls[i].what);
    }
}

#endif
