/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sequences of parameters: each that can be got or set, with every type and
 * width in which a caller may ask for it, too small, without data, in company.
 */
#include "evp.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char *const numbers[] = {"i1", "i2", "i4", "i8",  "i16", "u1",
                                      "u2", "u4", "u8", "u16", "r4",  "r8"};

static void run_gets(void)
{
    static const char *const keys[] = {
        "keylen",    "ivlen",   "padding",  "num",    "iv",   "updated-iv", "taglen", "tag",
        "tlsaadpad", "tls-mac", "tlsivgen", "nosuch", "mode", "blocksize",  "aead",   "use-bits"};
    static const char *const others[] = {
        "os/0",    "os/4",    "os/12",   "os/15",      "os/16",   "os/17",
        "os/128",  "os/-1",   "op/8",    "op/16",      "op/0",    "us/16",
        "us/200",  "up/8",    "os/null", "os/null/16", "op/null", "op/null/16",
        "u8/null", "i4/null", "r8/null", "us/null",    "up/null"};
    static const char *const states[] = {
        "init e alg; ", "init e alg k0 i0; up 20; ", "init e alg k0 i0; up 20; fin; ",
        "init d alg k0 i0; up 20; settag 16; ",
        "init e alg k0; ctrl ivfixed 4 R4; ctrl ivgen 8; tlsaad 40; "};
    char text[512];

    for (size_t s = 0; s < COUNT(states); s++) {
        for (size_t k = 0; k < COUNT(keys); k++) {
            size_t n = 0;
            for (size_t t = 0; t < COUNT(numbers) + COUNT(others); t++) {
                if (n == 0)
                    n = (size_t)snprintf(text, sizeof text, "%s", states[s]);
                const char *type = t < COUNT(numbers) ? numbers[t] : others[t - COUNT(numbers)];
                n += (size_t)snprintf(text + n, sizeof text - n, "get %s:%s; ", keys[k], type);
                if (n > sizeof text - 60 || t + 1 == COUNT(numbers) + COUNT(others)) {
                    run_for_modes("get", ALL, text);
                    n = 0;
                }
            }
        }
    }
}

static void run_cipher_gets(void)
{
    static const char *const keys[] = {
        "mode",      "keylen",      "ivlen",  "blocksize",       "aead", "custom-iv", "cts",
        "tls-multi", "has-randkey", "nosuch", "encrypt-then-mac"};
    static const char *const others[] = {"os/16",   "op/8",    "us/16",   "up/8",   "u4/null",
                                         "u8/null", "i4/null", "os/null", "r8/null"};
    char text[512];

    for (size_t k = 0; k < COUNT(keys); k++) {
        if (is_extra_param(keys[k]))
            continue;
        for (size_t t = 0; t < COUNT(numbers) + COUNT(others); t++) {
            snprintf(text, sizeof text, "cget %s:%s", keys[k],
                     t < COUNT(numbers) ? numbers[t] : others[t - COUNT(numbers)]);
            run_for_modes("get of a cipher", ALL, text);
        }
    }
    run_for_modes("get of a cipher", ALL,
                  "cget mode:u4 keylen:u8 ivlen:u8 blocksize:u8 aead:i4 custom-iv:i4 cts:i4");
    run_for_modes("get of a cipher", ALL, "cget keylen:u1 keylen:u8 keylen:os/4 mode:i1");
    run_for_modes("get of a cipher", ALL, "cget mode:u4 keylen:os/4 ivlen:u8 aead:i4 blocksize:u8");
    run_for_modes("get of a cipher", ALL, "cget blocksize:u8 cts:i4 aead:us/4 mode:u4 keylen:u8");
    run_for_modes("get of a cipher", ALL, "cget keylen:u8 has-randkey:os/4 tls-multi:i4 ivlen:u8");
}

static void run_sets(void)
{
    static const char *const keys[] = {"padding",      "num",      "ivlen",
                                       "keylen",       "use-bits", "taglen",
                                       "tls-mac-size", "nosuch",   "tls-version"};
    static const char *const values[] = {"0", "1", "-1", "12", "100", "255", "300"};
    static const char *const octets[] = {"os=R4", "os=R0", "os=null", "us=R4",     "op=R4",
                                         "up=R4", "os=R8", "os=R16",  "os=null/16"};
    char text[512];

    for (size_t k = 0; k < COUNT(keys); k++) {
        for (size_t v = 0; v < COUNT(values); v++) {
            for (size_t t = 0; t < COUNT(numbers); t++) {
                /* One that ends the sequence comes alone. */
                snprintf(text, sizeof text,
                         "init e alg k0 i0; up 5; set %s:%s=%s; up 20; info; fin; gettag 16; "
                         "init e alg; set %s:%s=%s; init e k1 i1; up 16; fin",
                         keys[k], numbers[t], values[v], keys[k], numbers[t], values[v]);
                run_for_modes("set", ALL, text);
            }
        }
        for (size_t t = 0; t < COUNT(octets); t++) {
            snprintf(text, sizeof text, "init e alg k0 i0; set %s:%s; up 20; info; fin", keys[k],
                     octets[t]);
            run_for_modes("set", ALL, text);
        }
    }
}

static void run_wide_numbers(void)
{
    static const char *const texts[] = {
        "set padding:u8=4294967296; info; set padding:u8=4294967295; info; set padding:u8=256; "
        "info",
        "set padding:i8=-4294967296; info; set padding:i16=-1; info; set padding:u16=65536; info",
        "set padding:r8=2; info; set padding:r8=0; info; set padding:r8=-1; info; set "
        "padding:r8=1e30",
        "set ivlen:u8=18446744073709551615; info; set ivlen:i8=9223372036854775807; info",
        "set ivlen:r8=16; info; set ivlen:r8=12.5; info; set ivlen:r4=16; info; set ivlen:r8=-3; "
        "info",
        "set ivlen:u1=200; info; set ivlen:i1=-56; info; set ivlen:u2=128; info; set ivlen:i1=127; "
        "info",
        "set tls-mac-size:i4=-1; set tls-mac-size:u16=20; set tls-mac-size:r8=20; get tls-mac:op/8",
        "set tls-mac-size:u8=18446744073709551615; get tls-mac:op/8 tls-mac:op/null",
        "set num:u16=0; set num:i1=0; set num:r8=0; get num:u4",
        "set use-bits:u8=4294967296; set use-bits:i4=-1; set use-bits:r8=1; up 5",
        "set tls-version:u4=0; set tls-version:i8=-1; set tls-version:os=R4; set tls-version:r8=0; "
        "up 5",
    };
    char text[512];
    for (size_t i = 0; i < COUNT(texts); i++) {
        snprintf(text, sizeof text, "init e alg k0 i0; %s", texts[i]);
        run_for_modes("wide numbers", ALL, text);
    }
}

/* Several at once: what is done before the one that fails, which of two counts. */
static void run_company(void)
{
    static const char *const texts[] = {
        "init e alg k0 i0; get keylen:u8 ivlen:u8 padding:u4 num:u4 iv:os/16 updated-iv:os/16",
        "init e alg k0 i0; get keylen:os/8 ivlen:u8 padding:u4 num:u4 iv:os/16 updated-iv:os/16",
        "init e alg k0 i0; get updated-iv:u8 iv:os/16 num:u4 padding:u4 ivlen:u8 keylen:u8",
        "init e alg k0 i0; get num:us/4 tls-mac:os/8 keylen:u8 ivlen:u8 padding:u4",
        "init e alg k0 i0; get iv:u8 num:u4 updated-iv:os/16 keylen:u8 ivlen:u8 padding:u4",
        "init e alg k0 i0; get padding:os/4 iv:os/16 ivlen:u8 num:u4 keylen:u8",
        "init e alg k0 i0; get nosuch:u8 keylen:u8 nosuch:os/8 keylen:u4 nosuch2:r8",
        "init e alg k0 i0; get keylen:u8 keylen:u4 keylen:os/8; get keylen:os/8 keylen:u8",
        "init e alg k0 i0; fin; get tag:os/16 taglen:os/8 tlsaadpad:u8 ivlen:u8 keylen:u8",
        "init e alg k0 i0; fin; get taglen:u8 tag:os/0 tlsaadpad:u8 ivlen:u8 keylen:u8 iv:os/16",
        "init e alg k0 i0; fin; get tag:os/16 tag:os/8 iv:os/3 tlsaadpad:u8 ivlen:u8 keylen:u8",
        "init e alg k0 i0; fin; get tlsaadpad:os/8 tag:os/16 updated-iv:os/16 iv:os/16 keylen:u8",
        "init e alg k0 i0; set padding:u4=0 num:os=R4 use-bits:u4=1; info; up 20; fin",
        "init e alg k0 i0; set num:u4=0 padding:os=R4 tls-mac-size:u8=4; info; get tls-mac:op/8",
        "init e alg k0 i0; set tls-mac-size:u8=4 use-bits:os=R4 padding:u4=0; get tls-mac:op/8; "
        "info",
        "init e alg k0 i0; set tls-mac-size:os=R4 padding:u4=0 num:u4=0; info; up 20; fin",
        "init e alg k0 i0; set padding:u4=0 padding:u4=1; info; set nosuch:u4=1 padding:u4=0; info",
        "init d alg k0 i0; set tag:os=R16 ivlen:u8=500; info; set ivlen:u8=16 tag:os=R17; info",
        "init d alg k0 i0; set ivlen:os=R4 tag:os=R12; info; set tag:os=R0 ivlen:u8=9; info",
        "init e alg k0 i0; set tag:os=R16 ivlen:u8=16; info; uiv 16; up 5",
        "init e alg k0 i0; set ivlen:u8=16 tlsaad:os=R12; info; set tlsaad:os=R12; up 24 same",
        "init e alg k0; set tlsaad:os=R13 tlsivfixed:os=R3; up 24 same; set tlsivfixed:os=R4; "
        "set tlsaad:os=R13; up 24 same",
        "init e alg k0; set tlsivfixed:os=R4 tlsivinv:os=R8; uiv 12; up 20",
        "init d alg k0; set tlsivfixed:os=R4 tlsivinv:os=R8; uiv 12; up 20",
        "init d alg k0 tag:os=R16 tlsivfixed:os=R4; uiv 12; info; up 20; fin",
        "init e alg k0 tag:os=R16; up 20; info; init e i0; up 20; fin; gettag 16",
        "init e alg k0 i0 padding:os=R1; up 20; fin; get num:u4",
        "init e alg k0 i0; set; get; cget; init e k0 i0; get keylen:u8",
    };
    for (size_t i = 0; i < COUNT(texts); i++)
        run_for_modes("several parameters", ALL, texts[i]);
}

void run_cases_params(void)
{
    run_gets();
    run_cipher_gets();
    run_sets();
    run_wide_numbers();
    run_company();
}
