/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU features: the only user of CPUID and XGETBV.
 *
 * A feature is there if three agree. The CPU has it: its bit in CPUID leaf 1 or
 * 7. The operating system saves its registers when it switches tasks: XCR0 says
 * so, which only OSXSAVE makes readable. And the operator has not masked it.
 *
 *      XCR0   bit 7 6 5         2   1   0
 *                 | | |         |   |   x87
 *                 | | |         |   XMM  \  both needed for AVX
 *                 | | |         YMM      /
 *                 ZMM and mask registers:   all three, and the two of AVX,
 *                                           needed for AVX-512
 *
 * The operator's mask is OpenSSL's own variable, so that one setting serves
 * both. What OpenSSL 3 makes of it (its manual page OPENSSL_ia32cap, and what
 * it does where that is silent):
 *
 *      WORD, ~WORD, WORD:WORD2, ~WORD:~WORD2, :WORD2 ...
 *
 *   - WORD stands for leaf 1 and WORD2 for leaf 7. Without a tilde it is what
 *     the CPU is said to have, with a tilde what it is said to lack.
 *   - Numbers are decimal, octal after 0, hexadecimal after 0x, and end at the
 *     first character that isn't a digit; no digits are 0, overflow wraps.
 *   - Without a colon all of leaf 7 is off, so that ~WORD alone turns off AVX2,
 *     VAES and AVX-512 as well.
 *   - A first WORD without tilde hides leaf 7 from a WORD2 with one: there is
 *     nothing that it could leave on.
 *   - A first ~WORD with bit 24, FXSR, takes PCLMULQDQ, AES-NI and AVX too.
 *
 * OpenSSL believes a WORD that claims what the CPU lacks, and crashes. Here a
 * mask can only take features away.
 *
 * Sources: Intel SDM volume 1, sections 14.3 (AVX), 15.2 (AVX-512), volume 2,
 * CPUID; AMD APM volume 3, appendix E.
 */
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE /* secure_getenv */
#endif

#include "cpu.h"

#include "registers.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
#    include <cpuid.h>
#endif

/* --- Names, bits, and what the operating system must save --- */

enum reg { LEAF1_ECX, LEAF1_EDX, LEAF7_EBX, LEAF7_ECX, REGS };
enum state { NONE, AVX, AVX512 };

static const struct feature {
    uint32_t feature;
    char name[12];
    uint8_t reg, bit, state;
} features_table[] = {
    {CTAES_CPU_SSE2, "SSE2", LEAF1_EDX, 26, NONE},
    {CTAES_CPU_SSSE3, "SSSE3", LEAF1_ECX, 9, NONE},
    {CTAES_CPU_SSE41, "SSE4.1", LEAF1_ECX, 19, NONE},
    {CTAES_CPU_PCLMUL, "PCLMULQDQ", LEAF1_ECX, 1, NONE},
    {CTAES_CPU_AESNI, "AES-NI", LEAF1_ECX, 25, NONE},
    {CTAES_CPU_GFNI, "GFNI", LEAF7_ECX, 8, NONE},
    {CTAES_CPU_AVX, "AVX", LEAF1_ECX, 28, AVX},
    {CTAES_CPU_AVX2, "AVX2", LEAF7_EBX, 5, AVX},
    {CTAES_CPU_VAES, "VAES", LEAF7_ECX, 9, AVX},
    {CTAES_CPU_VPCLMUL, "VPCLMULQDQ", LEAF7_ECX, 10, AVX},
    {CTAES_CPU_AVX512F, "AVX512F", LEAF7_EBX, 16, AVX512},
    {CTAES_CPU_AVX512DQ, "AVX512DQ", LEAF7_EBX, 17, AVX512},
    {CTAES_CPU_AVX512BW, "AVX512BW", LEAF7_EBX, 30, AVX512},
    {CTAES_CPU_AVX512VL, "AVX512VL", LEAF7_EBX, 31, AVX512},
    {CTAES_CPU_AVX512VBMI, "AVX512VBMI", LEAF7_ECX, 1, AVX512},
};

enum { FEATURES = sizeof features_table / sizeof features_table[0] };

static bool has_bit(uint32_t word, int bit)
{
    return (word >> bit & 1) != 0;
}

uint32_t ctaes_cpu_decode(const struct ctaes_cpuid *id)
{
    uint32_t reg[REGS] = {0};
    reg[LEAF1_ECX] = id->leaf1_ecx & (uint32_t)(id->keep[0] >> 32);
    reg[LEAF1_EDX] = id->leaf1_edx & (uint32_t)id->keep[0];
    if (id->max_leaf >= 7) {
        reg[LEAF7_ECX] = id->leaf7_ecx & (uint32_t)(id->keep[1] >> 32);
        reg[LEAF7_EBX] = id->leaf7_ebx & (uint32_t)id->keep[1];
    }

    /* Bit 27 is OSXSAVE. AVX and AVX512F stand for the instruction sets that
       all others at their width are part of. */
    const uint64_t xcr0 = has_bit(reg[LEAF1_ECX], 27) ? id->xcr0 : 0;
    bool usable[] = {[NONE] = true, [AVX] = false, [AVX512] = false};
    usable[AVX] = (xcr0 & 0x06) == 0x06 && has_bit(reg[LEAF1_ECX], 28);
    usable[AVX512] = usable[AVX] && (xcr0 & 0xe0) == 0xe0 && has_bit(reg[LEAF7_EBX], 16);

    uint32_t features = 0;
    for (size_t i = 0; i < FEATURES; i++) {
        const struct feature *f = &features_table[i];
        if (usable[f->state] && has_bit(reg[f->reg], f->bit))
            features |= f->feature;
    }
    return features;
}

size_t ctaes_cpu_names(char *text, size_t size, uint32_t features)
{
    size_t len = 0;
    bool fits = true;
    if (size > 0)
        text[0] = '\0';
    for (size_t i = 0; i < FEATURES; i++) {
        if ((features & features_table[i].feature) == 0)
            continue;
        const char *separator = len > 0 ? ", " : "";
        const size_t separator_len = strlen(separator), name_len = strlen(features_table[i].name);
        fits = fits && len + separator_len + name_len < size;
        if (fits) {
            memcpy(text + len, separator, separator_len);
            memcpy(text + len + separator_len, features_table[i].name, name_len + 1);
        }
        len += separator_len + name_len;
    }
    return len;
}

/* --- OPENSSL_ia32cap --- */

/* The value of c as a digit, or 16 if it is none. */
static unsigned digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    if (c >= 'a' && c <= 'f')
        return (unsigned)(c - 'a') + 10;
    if (c >= 'A' && c <= 'F')
        return (unsigned)(c - 'A') + 10;
    return 16;
}

static uint64_t parse_number(const char *s)
{
    unsigned base = 10;
    if (*s == '0') {
        base = 8;
        s++;
        if (*s == 'x' || *s == 'X') {
            base = 16;
            s++;
        }
    }
    uint64_t n = 0;
    for (; digit_value(*s) < base; s++)
        n = n * base + digit_value(*s);
    return n;
}

/* The bits that the word at s, with or without a tilde, leaves on of all. */
static uint64_t parse_word(const char *s, uint64_t all)
{
    return s[0] == '~' ? all & ~parse_number(s + 1) : parse_number(s);
}

void ctaes_ia32cap_parse(uint64_t keep[2], const char *text)
{
    const uint64_t fxsr = (uint64_t)1 << 24;
    /* PCLMULQDQ, XOP, AES-NI, AVX. */
    const uint64_t need_fxsr = ((uint64_t)1 << 1 | 1 << 11 | 1 << 25 | 1 << 28) << 32;

    keep[0] = keep[1] = UINT64_MAX;
    if (text == NULL)
        return;
    const bool absolute = text[0] != '~' && text[0] != ':';
    if (text[0] != ':')
        keep[0] = parse_word(text, UINT64_MAX);
    if (text[0] == '~' && (keep[0] & fxsr) == 0)
        keep[0] &= ~need_fxsr;

    const char *colon = strchr(text, ':');
    keep[1] = colon == NULL ? 0 : parse_word(colon + 1, absolute ? 0 : UINT64_MAX);
}

/* --- The hardware --- */

#if defined(__x86_64__) || defined(__i386__)

uint32_t ctaes_cpu_features(void)
{
    struct ctaes_cpuid id = {0};
    uint32_t eax, ebx, edx;
    id.max_leaf = (uint32_t)__get_cpuid_max(0, NULL);
    if (id.max_leaf >= 1)
        __cpuid(1, eax, ebx, id.leaf1_ecx, id.leaf1_edx);
    if (id.max_leaf >= 7)
        __cpuid_count(7, 0, eax, id.leaf7_ebx, id.leaf7_ecx, edx);
    if (has_bit(id.leaf1_ecx, 27)) {
        __asm__ volatile("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
        id.xcr0 = (uint64_t)edx << 32 | eax;
    }
    (void)ebx;
    ctaes_ia32cap_parse(id.keep, secure_getenv("OPENSSL_ia32cap"));
    return ctaes_cpu_decode(&id);
}

/* XCR0 has a bit only where the CPU has the registers, so it is answer enough. */
static enum ctaes_registers registers_saved(void)
{
    uint32_t eax, edx;
    __asm__ volatile("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
    return (eax & 0xe6) == 0xe6 ? CTAES_ZMM : (eax & 0x06) == 0x06 ? CTAES_YMM : CTAES_XMM;
}

enum ctaes_registers ctaes_cpu_registers(void)
{
    uint32_t eax = 0, ebx, ecx = 0, edx;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !has_bit(ecx, 27))
        return CTAES_XMM;
    return registers_saved();
}

enum ctaes_registers ctaes_cpu_registers_beside(uint32_t features)
{
    const uint32_t need_xgetbv = CTAES_CPU_AVX | CTAES_CPU_AVX2 | CTAES_CPU_AVX512F;
    return (features & need_xgetbv) != 0 ? registers_saved() : ctaes_cpu_registers();
}

#else

uint32_t ctaes_cpu_features(void)
{
    return 0;
}

enum ctaes_registers ctaes_cpu_registers(void)
{
    return CTAES_NO_VECTORS;
}

enum ctaes_registers ctaes_cpu_registers_beside(uint32_t features)
{
    (void)features;
    return CTAES_NO_VECTORS;
}

#endif
