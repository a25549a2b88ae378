/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What CPUs say about themselves, and what we make of it.
 *
 * The leaves were read on real machines and published: libcpuid's tests
 * (github.com/anrieff/libcpuid, tests/) and InstLatx64's dumps
 * (github.com/InstLatx64/InstLatx64), the file named with each. XCR0 isn't in
 * them; it is what Linux sets for these CPUs. Machines that were made up from
 * one of these, and how, say so.
 */
#include "cpu_test.h"

#include <stdio.h>
#include <string.h>

#define SSE (CTAES_CPU_SSE2 | CTAES_CPU_SSSE3 | CTAES_CPU_SSE41)
#define AES (CTAES_CPU_PCLMUL | CTAES_CPU_AESNI)
#define AVX2 (CTAES_CPU_AVX | CTAES_CPU_AVX2)
#define VAES (CTAES_CPU_VAES | CTAES_CPU_VPCLMUL)
#define AVX512 (CTAES_CPU_AVX512F | CTAES_CPU_AVX512DQ | CTAES_CPU_AVX512BW | CTAES_CPU_AVX512VL)

#define ALL UINT64_MAX
#define NOTHING_MASKED                                                                             \
    {                                                                                              \
        ALL, ALL                                                                                   \
    }

/* No core with AES instructions can run: any other will do. */
#define NO_AES NULL

static const struct recording {
    const char *cpu;
    struct ctaes_cpuid id; /* leaf 0 eax; leaf 1 ecx, edx; leaf 7 ebx, ecx; XCR0; masks */
    uint32_t features;
    const char *core; /* the first of ctaes_cores that can run, in a build that has them all */
} recordings[] = {
    /* libcpuid intel/core2/conroe */
    {"Core 2 E6420",
     {0xa, 0x0000e3bd, 0xbfebfbff, 0, 0, 0, NOTHING_MASKED},
     CTAES_CPU_SSE2 | CTAES_CPU_SSSE3,
     NO_AES},
    /* The same without SSSE3, as the Pentium 4 and AMD's CPUs up to the Phenom II are. */
    {"Core 2 E6420, SSSE3 hidden",
     {0xa, 0x0000e1bd, 0xbfebfbff, 0, 0, 0, NOTHING_MASKED},
     CTAES_CPU_SSE2,
     "sse2"},
    /* libcpuid intel/core_1st_gen/bloomfield */
    {"Core i7 920 (Nehalem)", {0xb, 0x0098e3bd, 0xbfebfbff, 0, 0, 0, NOTHING_MASKED}, SSE, NO_AES},
    /* InstLatx64 GenuineIntel0030678_Silvermont: an Atom Z3745. */
    {"Atom Z3745 (Silvermont)",
     {0xb, 0x43d8e3bf, 0xbfebfbff, 0x00002282, 0, 0, NOTHING_MASKED},
     SSE | AES,
     "aesni"},
    /* The same chip without AES, as Intel sells it. */
    {"Celeron J1900 (Silvermont)",
     {0xb, 0x41d8e3bf, 0xbfebfbff, 0x00002282, 0, 0, NOTHING_MASKED},
     SSE | CTAES_CPU_PCLMUL,
     NO_AES},
    /* libcpuid intel/core_2nd_gen/celeron-sandy: no AVX, and so no OSXSAVE. */
    {"Celeron G540 (Sandy Bridge)",
     {0xd, 0x059ae3bf, 0xbfebfbff, 0, 0, 0, NOTHING_MASKED},
     SSE | CTAES_CPU_PCLMUL,
     NO_AES},
    /* libcpuid intel/x86-64/sandy-bridge/intel-core-i3-3220t */
    {"Core i3-3220T (Ivy Bridge)",
     {0xd, 0x3d9ae3bf, 0xbfebfbff, 0x00000281, 0, 0x7, NOTHING_MASKED},
     SSE | CTAES_CPU_PCLMUL | CTAES_CPU_AVX,
     NO_AES},
    /* The same without F16C and RDRAND: the generation before. */
    {"Core i3-2100 (Sandy Bridge)",
     {0xd, 0x1d9ae3bf, 0xbfebfbff, 0, 0, 0x7, NOTHING_MASKED},
     SSE | CTAES_CPU_PCLMUL | CTAES_CPU_AVX,
     NO_AES},
    /* InstLatx64 GenuineIntel00306C3_Haswell */
    {"Core i7-4770 (Haswell)",
     {0xd, 0x7ffafbff, 0xbfebfbff, 0x000027ab, 0, 0x7, NOTHING_MASKED},
     SSE | AES | AVX2,
     "aesniavx"},
    /* libcpuid intel/core_6th_gen/skylake-x-i7 */
    {"Core i7-7800X (Skylake-X)",
     {0x16, 0x7ffefbbf, 0xbfebfbff, 0xd39ffffb, 0, 0xe7, NOTHING_MASKED},
     SSE | AES | AVX2 | AVX512,
     "aesniavx"},
    /* libcpuid intel/core_10th_gen/ice-lake-i7 */
    {"Core i7-1065G7 (Ice Lake)",
     {0x1b, 0x7ffafbbf, 0xbfebfbff, 0xf2bf27ef, 0x40405f4e, 0xe7, NOTHING_MASKED},
     SSE | AES | AVX2 | VAES | AVX512 | CTAES_CPU_AVX512VBMI | CTAES_CPU_GFNI,
     "vaes512"},
    /* libcpuid intel/core_12th_gen/alder-lake-s-i5, without the AVX-512 bits
       (leaf 7 ebx 16, 17, 21, 28, 30, 31, ecx 1, 6, 11, 12, 14) that later
       microcode took away. */
    {"Core i5-12400 (Alder Lake)",
     {0x20, 0x7ffafbbf, 0xbfebfbff, 0x239c27eb, 0x98c007ac, 0x7, NOTHING_MASKED},
     SSE | AES | AVX2 | VAES | CTAES_CPU_GFNI,
     "vaes256"},
    /* libcpuid amd/zen/ryzen7-summit-ridge */
    {"Ryzen 7 1800X (Zen 1)",
     {0xd, 0x7ed8320b, 0x178bfbff, 0x209c01a9, 0, 0x7, NOTHING_MASKED},
     SSE | AES | AVX2,
     "aesniavx"},
    /* libcpuid amd/zen3/epyc-milan */
    {"EPYC 7713 (Zen 3)",
     {0x10, 0x7eda320b, 0x178bfbff, 0x219c97a9, 0x0040068c, 0x207, NOTHING_MASKED},
     SSE | AES | AVX2 | VAES,
     "vaes256"},
    /* libcpuid amd/zen4/ryzen7-raphael */
    {"Ryzen 7 7800X3D (Zen 4)",
     {0x10, 0x7ed8320b, 0x178bfbff, 0xf1bf97a9, 0x00405fce, 0x2e7, NOTHING_MASKED},
     SSE | AES | AVX2 | VAES | AVX512 | CTAES_CPU_AVX512VBMI | CTAES_CPU_GFNI,
     "vaes512"},
    /* libcpuid amd/zen5/ryzen7-granite-ridge */
    {"Ryzen 7 9700X (Zen 5)",
     {0x10, 0x7ed8320b, 0x178bfbff, 0xf1bf97ab, 0x19405fce, 0x2e7, NOTHING_MASKED},
     SSE | AES | AVX2 | VAES | AVX512 | CTAES_CPU_AVX512VBMI | CTAES_CPU_GFNI,
     "vaes512"},

    /* The Zen 4, under systems and hypervisors that give less than there is. */
    {"Zen 4, no AVX-512 state in XCR0",
     {0x10, 0x7ed8320b, 0x178bfbff, 0xf1bf97a9, 0x00405fce, 0x7, NOTHING_MASKED},
     SSE | AES | AVX2 | VAES | CTAES_CPU_GFNI,
     "vaes256"},
    {"Zen 4, only part of the AVX-512 state in XCR0",
     {0x10, 0x7ed8320b, 0x178bfbff, 0xf1bf97a9, 0x00405fce, 0x67, NOTHING_MASKED},
     SSE | AES | AVX2 | VAES | CTAES_CPU_GFNI,
     "vaes256"},
    {"Zen 4, AVX-512 state but no AVX state in XCR0",
     {0x10, 0x7ed8320b, 0x178bfbff, 0xf1bf97a9, 0x00405fce, 0xe3, NOTHING_MASKED},
     SSE | AES | CTAES_CPU_GFNI,
     "aesni"},
    {"Zen 4, no OSXSAVE; XCR0 unreadable",
     {0x10, 0x76d8320b, 0x178bfbff, 0xf1bf97a9, 0x00405fce, 0xe7, NOTHING_MASKED},
     SSE | AES | CTAES_CPU_GFNI,
     "aesni"},
    {"Zen 4, AES-NI hidden, VAES not",
     {0x10, 0x7cd8320b, 0x178bfbff, 0xf1bf97a9, 0x00405fce, 0xe7, NOTHING_MASKED},
     SSE | CTAES_CPU_PCLMUL | AVX2 | VAES | AVX512 | CTAES_CPU_AVX512VBMI | CTAES_CPU_GFNI,
     NO_AES},
    {"Zen 4, VPCLMULQDQ hidden",
     {0x10, 0x7ed8320b, 0x178bfbff, 0xf1bf97a9, 0x00405bce, 0xe7, NOTHING_MASKED},
     SSE | AES | AVX2 | CTAES_CPU_VAES | AVX512 | CTAES_CPU_AVX512VBMI | CTAES_CPU_GFNI,
     "aesniavx"},
    {"Zen 4, leaves limited to 6 by the BIOS",
     {0x6, 0x7ed8320b, 0x178bfbff, 0xf1bf97a9, 0x00405fce, 0xe7, NOTHING_MASKED},
     SSE | AES | CTAES_CPU_AVX,
     "aesniavx"},
    {"a CPU that says nothing", {0, 0, 0, 0, 0, 0, NOTHING_MASKED}, 0, NO_AES},
};

enum { RECORDINGS = sizeof recordings / sizeof recordings[0] };

/* Checks which core of this build is the first that can run with these features. */
static void check_core(const char *what, uint32_t features, const char *expected)
{
    const struct ctaes_core *first = NULL;
    for (size_t i = 0; ctaes_cores[i] != NULL && first == NULL; i++)
        if ((ctaes_cores[i]->features & ~features) == 0)
            first = ctaes_cores[i];
    const char *name = first != NULL ? first->name : "none";
    if (expected == NO_AES)
        check(first == NULL || (first->features & CTAES_CPU_AESNI) == 0,
              "%s: gets the core %s, which needs AES-NI", what, name);
    else if (ctaes_core_by_name(expected) != NULL)
        check(strcmp(name, expected) == 0, "%s: gets the core %s, not %s", what, name, expected);
}

static void check_features(const char *what, uint32_t got, uint32_t expected)
{
    char extra[CTAES_CPU_NAMES_SIZE], missing[CTAES_CPU_NAMES_SIZE];
    ctaes_cpu_names(extra, sizeof extra, got & ~expected);
    ctaes_cpu_names(missing, sizeof missing, expected & ~got);
    check(got == expected, "%s: has too many features (%s) or too few (%s)", what, extra, missing);
}

void test_recordings(void)
{
    for (size_t i = 0; i < RECORDINGS; i++) {
        const struct recording *r = &recordings[i];
        const uint32_t features = ctaes_cpu_decode(&r->id);
        check_features(r->cpu, features, r->features);
        check_core(r->cpu, features, r->core);
    }

    /* Every feature hangs on one bit: with that bit gone it is gone, and nothing appears. */
    for (size_t i = 0; i < RECORDINGS; i++)
        for (int bit = 0; bit < 128; bit++) {
            struct ctaes_cpuid id = recordings[i].id;
            uint32_t *words[] = {&id.leaf1_ecx, &id.leaf1_edx, &id.leaf7_ebx, &id.leaf7_ecx};
            *words[bit / 32] &= ~(UINT32_C(1) << bit % 32);
            const uint32_t features = ctaes_cpu_decode(&id);
            check((features & ~recordings[i].features) == 0,
                  "%s without bit %d of word %d: a feature appeared", recordings[i].cpu, bit % 32,
                  bit / 32);
            struct ctaes_cpuid masked = recordings[i].id;
            const uint64_t gone = UINT64_C(1) << (bit % 32 + (bit / 32 % 3 == 0 ? 32 : 0));
            masked.keep[bit / 64] &= ~gone;
            check(ctaes_cpu_decode(&masked) == features,
                  "%s: masking bit %d of word %d isn't like lacking it", recordings[i].cpu,
                  bit % 32, bit / 32);
        }
}

/* OPENSSL_ia32cap on the Zen 4, which has everything. */
static const struct mask {
    const char *text;
    uint32_t features;
    const char *core;
} masks[] = {
#define EVERYTHING (SSE | AES | AVX2 | VAES | AVX512 | CTAES_CPU_AVX512VBMI | CTAES_CPU_GFNI)
    {NULL, EVERYTHING, "vaes512"},
    /* An empty value is a WORD of 0. */
    {"", 0, NO_AES},
    {"0", 0, NO_AES},
    {"no number", 0, NO_AES},
    /* VAES, VPCLMULQDQ and AVX-512 off; AVX-512 off; AVX off. */
    {":~0x600d0230000", SSE | AES | AVX2 | CTAES_CPU_GFNI, "aesniavx"},
    {":~0xd0230000", SSE | AES | AVX2 | VAES | CTAES_CPU_GFNI, "vaes256"},
    {"~0x1000000000000000:~0x600d0230020", SSE | AES | CTAES_CPU_GFNI, "aesni"},
    /* AES-NI off; also PCLMULQDQ; also SSSE3. VAES and VPCLMULQDQ go with AES-NI. */
    {"~0x200000000000000:~0x60000000000", EVERYTHING & ~(uint32_t)(VAES | CTAES_CPU_AESNI), NO_AES},
    {"~0x200000200000000:~0x60000000000", EVERYTHING & ~(uint32_t)(VAES | AES), NO_AES},
    {"~0x200020200000000:~0x60000000000", EVERYTHING & ~(uint32_t)(VAES | AES | CTAES_CPU_SSSE3),
     NO_AES},
    /* No colon: nothing of leaf 7. */
    {"~0x200000200000000", SSE | CTAES_CPU_AVX, NO_AES},
    {"~0", SSE | AES | CTAES_CPU_AVX, "aesniavx"},
    {"~", SSE | AES | CTAES_CPU_AVX, "aesniavx"},
    {"~nonsense", SSE | AES | CTAES_CPU_AVX, "aesniavx"},
    {"~~0x200000000000000", SSE | AES | CTAES_CPU_AVX, "aesniavx"},
    /* A colon with nothing after it is a WORD2 of 0. */
    {":", SSE | AES | CTAES_CPU_AVX, "aesniavx"},
    {"::~0", SSE | AES | CTAES_CPU_AVX, "aesniavx"},
    {":~", EVERYTHING, "vaes512"},
    {"~:~", EVERYTHING, "vaes512"},
    {":~0:0:0", EVERYTHING, "vaes512"},
    /* A mask can't give what isn't there, but a word of all bits takes nothing. */
    {"0xffffffffffffffff:0xffffffffffffffff", EVERYTHING, "vaes512"},
    {"18446744073709551615:18446744073709551615", EVERYTHING, "vaes512"},
    /* A WORD hides leaf 7 from a ~WORD2, not from a WORD2. */
    {"0xffffffffffffffff:~0", SSE | AES | CTAES_CPU_AVX, "aesniavx"},
    {"0x200000000000000", CTAES_CPU_AESNI, NO_AES},
    /* OSXSAVE off: no AVX, whatever else is said. */
    {"~0x800000000000000:~0", SSE | AES | CTAES_CPU_GFNI, "aesni"},
    /* FXSR off in a ~WORD takes PCLMULQDQ, AES-NI and AVX; not in a WORD. */
    {"~0x1000000:~0", SSE | CTAES_CPU_GFNI, NO_AES},
    {"0xfffffffffeffffff:0xffffffffffffffff", EVERYTHING, "vaes512"},
    /* Bit 26, SSE2: decimal, octal, hexadecimal; what follows the number is ignored. */
    {"~67108864:~0", EVERYTHING & ~(uint32_t)CTAES_CPU_SSE2, "vaes512"},
    {"~0400000000:~0", EVERYTHING & ~(uint32_t)CTAES_CPU_SSE2, "vaes512"},
    {"~0x4000000:~0", EVERYTHING & ~(uint32_t)CTAES_CPU_SSE2, "vaes512"},
    {"~0X4000000 and more:~0", EVERYTHING & ~(uint32_t)CTAES_CPU_SSE2, "vaes512"},
    {"~04000000009:~0", EVERYTHING & ~(uint32_t)CTAES_CPU_SSE2, "vaes512"},
    {"~67108864f:~0", EVERYTHING & ~(uint32_t)CTAES_CPU_SSE2, "vaes512"},
    /* Not numbers: a blank before, a sign. */
    {"~ 67108864:~0", EVERYTHING, "vaes512"},
    {"~-1:~0", EVERYTHING, "vaes512"},
    /* 2^64 + 2^26 wraps. */
    {"~0x10000000004000000:~0", EVERYTHING & ~(uint32_t)CTAES_CPU_SSE2, "vaes512"},
    {"~0x10000000000000000:~0x10000000000000000", EVERYTHING, "vaes512"},
};

void test_masks(void)
{
    const struct recording *zen4 = NULL;
    for (size_t i = 0; i < RECORDINGS; i++)
        if (recordings[i].features == EVERYTHING)
            zen4 = &recordings[i];
    check(zen4 != NULL, "no recording has all features");
    if (zen4 == NULL)
        return;
    struct ctaes_cpuid id = zen4->id;
    for (size_t i = 0; i < sizeof masks / sizeof masks[0]; i++) {
        char what[128];
        snprintf(what, sizeof what, "OPENSSL_ia32cap=%s",
                 masks[i].text != NULL ? masks[i].text : "(unset)");
        ctaes_ia32cap_parse(id.keep, masks[i].text);
        const uint32_t features = ctaes_cpu_decode(&id);
        check_features(what, features, masks[i].features);
        check_core(what, features, masks[i].core);
    }

    /* A million digits, no end to the nonsense. */
    static char long_text[1000001];
    memset(long_text, '7', sizeof long_text - 1);
    ctaes_ia32cap_parse(id.keep, long_text);
    check(id.keep[1] == 0, "a million digits: leaf 7 isn't masked");
}

void test_names(void)
{
    char text[CTAES_CPU_NAMES_SIZE];
    size_t len = ctaes_cpu_names(text, sizeof text, CTAES_CPU_VAES | CTAES_CPU_AVX512BW);
    check(strcmp(text, "VAES, AVX512BW") == 0 && len == strlen(text), "names: got %s", text);
    len = ctaes_cpu_names(text, sizeof text, 0);
    check(text[0] == '\0' && len == 0, "names of nothing: got %s", text);
    len = ctaes_cpu_names(text, sizeof text, UINT32_MAX);
    check(len < sizeof text && len == strlen(text), "CTAES_CPU_NAMES_SIZE is too small: %zu", len);

    /* Every feature has a name, all of them different. */
    size_t commas = 0, bits = 0;
    for (const char *p = text; *p != '\0'; p++)
        commas += *p == ',';
    for (uint32_t bit = 1; bit != 0; bit <<= 1) {
        char name[CTAES_CPU_NAMES_SIZE];
        if (ctaes_cpu_names(name, sizeof name, bit) == 0)
            continue;
        bits++;
        check(strstr(text, name) != NULL, "%s isn't among all names", name);
    }
    check(commas + 1 == bits, "%zu names for %zu features", commas + 1, bits);

    /* Too little room: whole names as far as they go, and nothing beyond. */
    for (size_t size = 0; size < 20; size++) {
        char small[32];
        memset(small, '#', sizeof small);
        len = ctaes_cpu_names(small, size, CTAES_CPU_VAES | CTAES_CPU_AVX512BW);
        const char *expected = size > 14 ? "VAES, AVX512BW" : size > 4 ? "VAES" : "";
        check(len == 14, "names in %zu bytes: says %zu", size, len);
        check(size == 0 || strcmp(small, expected) == 0, "names in %zu bytes: got %.*s", size,
              (int)size, small);
        check(small[size] == '#', "names in %zu bytes: wrote beyond", size);
    }

    for (size_t i = 0; ctaes_cores[i] != NULL; i++) {
        const uint32_t all = EVERYTHING;
        check((ctaes_cores[i]->features & ~all) == 0, "%s needs a feature that no CPU has",
              ctaes_cores[i]->name);
    }
}

void test_this_cpu(void)
{
    const uint32_t features = ctaes_cpu_features();
    check(features == ctaes_cpu_features(), "asked twice, this CPU gives two answers");
#if defined(__x86_64__)
    check((features & CTAES_CPU_SSE2) != 0, "this x86-64 CPU has no SSE2 (is it masked?)");
#elif !defined(__i386__)
    check(features == 0, "a CPU that isn't x86 has x86's features");
#endif
}
