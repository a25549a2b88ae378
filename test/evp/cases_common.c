/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sequences that every mode must get right: the order of key, IV and direction,
 * starting again at any point, copies at any point, EVP_Cipher, empty input,
 * every length, fragments, in place.
 */
#include "evp.h"

#include <stdlib.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void run_init_orders(void)
{
    static const char *const texts[] = {
        "init e alg k0 i0; up 40; fin",
        "init d alg k0 i0; up 48; fin",
        "init s alg k0 i0; up 48; fin",
        "init e alg; init e k0; init e i0; up 40; fin",
        "init e alg; init e i0; init e k0; up 40; fin",
        "init e alg; init s k0; init s i0; up 40; fin",
        "init e alg; init s i0; init s k0; up 40; fin",
        "init d alg; init s k0; init s i0; up 48; fin",
        "init d alg; init d i0; init d k0; up 48; fin",
        "init e alg k0; init e i0; up 40; fin",
        "init e alg i0; init e k0; up 40; fin",
        "init d alg k0; init d i0; up 48; fin",
        "init d alg i0; init d k0; up 48; fin",
        "init d alg; init e k0 i0; up 40; fin",
        "init e alg; init d k0 i0; up 48; fin",
        "init d alg i0; init e k0; up 40; fin",
        "init e alg i0; init d k0; up 48; fin",
        "init s alg; init s; init e k0; init s i0; up 40; fin",
        "init_ex e alg k0 i0; up 40; fin",
        "init_ex e alg; init_ex e k0 i0; up 40; fin",
        "init_ex d alg k0 i0; up 48; fin",
        "init_old e alg k0 i0; up 40; fin",
        "init_old d alg k0 i0; up 48; fin",
        "init_old e alg; init_old e k0; init_old e i0; up 40; fin",
        "init_old e alg k0 i0; up 7; init_old e alg k1 i1; up 40; fin",
        /* Something is missing. */
        "init e; up 16",
        "init e k0 i0; up 16",
        "init d k0; fin",
        "up 16; fin; encup 16; decup 16; encfin; decfin",
        "ctrl ivlen 12; ctrl gettag 16; pad 0; pad 1; copy; fork; over",
        "init e alg; up 16; fin; up 0; cipher 16; cipher 0 in=null",
        "init d alg; up 16; fin; up 0; cipher 16; cipher 0 in=null",
        "init e alg i0; up 16; fin; cipher 16",
        "init d alg i0; up 16; fin; cipher 16",
        "init e alg k0; up 40; fin; cipher 16",
        "init d alg k0; up 48; fin; cipher 16",
        "init e alg; up 16; init e k0 i0; up 40; fin",
        "init e alg i0; fin; init e k0; up 40; fin",
        /* Functions for the wrong direction. */
        "init e alg k0 i0; decup 16; decfin; encup 16; up 16; encfin",
        "init d alg k0 i0; encup 16; encfin; decup 32; up 16; decfin",
        /* NULL where libcrypto or the provider must stand it. */
        "init e alg k0 i0; up 16 outl=null; fin outl=null; up 16; fin",
        "init d alg k0 i0; up 16 outl=null; fin outl=null; up 16; fin",
        "init e alg k0 i0; up 0; up 0 in=null; up 0 in=null out=null; up 20; up 0; up 0 in=null; "
        "up 0 in=null out=null; up 12; up 0 in=null out=null; fin",
        "init d alg k0 i0; up 0; up 0 in=null; up 0 in=null out=null; up 20; up 0; up 0 in=null; "
        "up 0 in=null out=null; up 12; up 0; fin",
        "init e alg k0 i0; fin; fin; fin",
        "init d alg k0 i0; fin; fin; fin",
        "init e alg k0 i0; up 0; fin",
        "init d alg k0 i0; up 0; fin",
        /* After the end. */
        "init e alg k0 i0; up 20; fin; up 20; fin; up 16; fin",
        "init d alg k0 i0; up 32; fin; up 32; fin; up 16; fin",
        "init e alg k0 i0; up 20; fin; cipher 16; up 16; fin",
        /* reset, and another life. */
        "init e alg k0 i0; up 20; reset; up 5; init e alg k1 i1; up 40; fin",
        "init e alg k0 i0; up 20; free; init d alg k1 i1; up 48; fin",
        "reset; reset; init e alg k0 i0; up 16; reset",
        "init e alg k0 i0; info; up 16; info; fin; info; init d alg; info; init d k0; info",
    };
    for (size_t i = 0; i < COUNT(texts); i++)
        run_for_modes("order of init", ALL, texts[i]);
}

/* Starting again, with any part of what an init takes, at any point. */
static void run_reinits(void)
{
    static const char *const starts[] = {"init e alg k0 i0;", "init d alg k0 i0;", "init e alg k0;",
                                         "init e alg i0;", "init e alg;"};
    static const char *const before[] = {"",       "up 5;",       "up 16;",       "up 37;",
                                         "fin;",   "up 32; fin;", "up 37; fin;",  "cipher 16;",
                                         "aad 7;", "up 5; up 5;", "up 20; up 12;"};
    static const char *const again[] = {
        "init s;",     "init s k1;",     "init s i1;",    "init s k1 i1;",     "init e;",
        "init e k1;",  "init e i1;",     "init e k1 i1;", "init d;",           "init d k1;",
        "init d i1;",  "init d k1 i1;",  "init s alg;",   "init e alg k1 i1;", "init d alg k1 i1;",
        "init_old s;", "init_old e alg;"};
    char text[512];

    for (size_t a = 0; a < COUNT(starts); a++) {
        for (size_t b = 0; b < COUNT(before); b++) {
            for (size_t c = 0; c < COUNT(again); c++) {
                /* `aad` has no meaning in the generic modes. */
                unsigned modes = before[b][0] == 'a' ? (unsigned)GCM : (unsigned)ALL;
                snprintf(text, sizeof text, "%s %s %s up 33; up 15; fin; %s up 16; fin", starts[a],
                         before[b], again[c], again[c]);
                run_for_modes("re-init", modes, text);
            }
        }
    }
}

static void run_copies(void)
{
    static const char *const flow[] = {"init e alg", "init e k0", "init e i0", "up 5",
                                       "up 27",      "cipher 16", "up 3",      "fin",
                                       "up 20",      "init e i1", "up 9",      "fin"};
    static const char *const copies[] = {
        "copy",
        "dup",
        "fork; up 21; swap",
        "fork; free; swap",
        "fork; swap; up 4; swap",
        "fork; init e k1 i1; up 30; fin; swap",
        "over; swap; over; up 6",
        "copy; copy; fork; over; swap",
        "fork; swap; free; swap",
    };
    char text[2048];

    for (size_t i = 0; i <= COUNT(flow); i++) {
        for (size_t c = 0; c < COUNT(copies); c++) {
            for (int enc = 0; enc < 2; enc++) {
                size_t n = 0;
                for (size_t k = 0; k <= COUNT(flow); k++) {
                    if (k == i)
                        n += (size_t)snprintf(text + n, sizeof text - n, "%s; ", copies[c]);
                    if (k < COUNT(flow))
                        n += (size_t)snprintf(text + n, sizeof text - n, "%s; ", flow[k]);
                }
                for (char *p = text; enc == 0 && *p != '\0'; p++) {
                    if (p[0] == 't' && p[1] == ' ' && p[2] == 'e')
                        p[2] = 'd';
                }
                run_for_modes("copies", ALL, text);
            }
        }
    }
}

static void run_one_shot(void)
{
    static const char *const texts[] = {
        "init e alg k0 i0; cipher 16; cipher 32; cipher 0; cipher 0 in=null; cipher 48",
        "init d alg k0 i0; cipher 16; cipher 32; cipher 0; cipher 0 in=null; cipher 48",
        "init e alg k0 i0; cipher 0 in=null out=null; cipher 16",
        "init d alg k0 i0; cipher 0 in=null out=null; cipher 16",
        "init e alg k0 i0; cipher 0; cipher 0; cipher 16",
        "init e alg k0; init e i0; cipher 2048; init e i0; cipher 2048",
        "init e alg k0 i0; up 5; cipher 16; up 11; fin",
        "init d alg k0 i0; up 5; cipher 16; up 11; fin",
        "init e alg k0 i0; up 20; cipher 32; up 12; cipher 16; fin",
        "init d alg k0 i0; up 32; cipher 32; up 16; fin",
        "init e alg k0 i0; cipher 16 same; cipher 160 same; cipher 16",
        "init d alg k0 i0; cipher 16 same; cipher 160 same; cipher 16",
        "init e alg k0 i0; align 3 5; cipher 1024; align 15 1; cipher 1024 same",
        "init e alg; cipher 16; init e k0 i0; cipher 16",
        "init e alg k0 i0; pad 0; cipher 16; cipher 16",
        "init e alg k0 i0; cipher 64; feed; init d alg k0 i0; cipher 64",
    };
    for (size_t i = 0; i < COUNT(texts); i++)
        run_for_modes("EVP_Cipher", ALL, texts[i]);
    run_for_modes("EVP_Cipher", STREAM | GCM | XTS,
                  "init e alg k0 i0; cipher 1; cipher 15; cipher 17; cipher 31; cipher 129");
    run_for_modes("EVP_Cipher", STREAM | GCM | XTS,
                  "init d alg k0 i0; cipher 1; cipher 15; cipher 17; cipher 31; cipher 129");
    run_for_modes("EVP_Cipher of a part of a block", BLOCK,
                  "init e alg k0 i0; cipher 17; cipher 16");
    run_for_modes("EVP_Cipher of a part of a block", BLOCK, "init e alg k0 i0; cipher 5");
    run_for_modes("EVP_Cipher of a part of a block", BLOCK, "init d alg k0 i0; cipher 33");
}

static void run_lengths(void)
{
    char text[512];
    unsigned len = 0;

    while (len <= 4200) {
        snprintf(text, sizeof text,
                 "init e alg k0 i0; up %u; fin; gettag 16; feed; "
                 "init d alg k0 i0; settag 16; up %u; fin; gettag 16",
                 len, len);
        run_for_modes("length", STREAM | GCM | XTS, text);
        snprintf(text, sizeof text,
                 "init e alg k0 i0; up %u; fin; feed; init d alg k0 i0; up %u; fin", len,
                 len - len % 16 + 16);
        run_for_modes("length", BLOCK, text);
        snprintf(text, sizeof text, "init d alg k0 i0; pad 0; up %u; fin", len);
        run_for_modes("length", ALL, text);
        snprintf(text, sizeof text, "init e alg k0 i0; align 1 9; up %u same; fin", len);
        run_for_modes("length", ALL, text);
        len += len < 70 ? 1 : len % 256 <= 1 || len % 256 >= 254 ? 1 : 254 - len % 256;
    }
}

static void run_fragments(void)
{
    static const int sizes[][8] = {{1, 62, 1, 0},
                                   {1, 1, 1, 1, 1, 1, 58, 0},
                                   {15, 1, 16, 0},
                                   {15, 2, 15, 32, 0},
                                   {16, 16, 16, 0},
                                   {17, 31, 16, 0},
                                   {31, 33, 0},
                                   {3, 0, 13, 0, 48, 0},
                                   {7, 9, 1, 15, 0},
                                   {8, 8, 8, 8, 8, 8, 16, 0},
                                   {5, 300, 5, 10, 0},
                                   {129, 1, 126, 0},
                                   {1, 1022, 1, 0},
                                   {1000, 24, 0},
                                   {1, 2, 3, 4, 5, 17, 0},
                                   {64, 1, 15, 48, 0},
                                   {33, 2047, 96, 0},
                                   {15, 15, 15, 15, 15, 5, 0}};
    char text[1024];

    for (size_t i = 0; i < COUNT(sizes); i++) {
        for (int kind = 0; kind < 8; kind++) {
            bool enc = (kind & 1) != 0, pad = (kind & 2) != 0, placed = (kind & 4) != 0;
            size_t n =
                (size_t)snprintf(text, sizeof text, "init %s alg k0 i0; pad %d; align 0 %zu; ",
                                 enc ? "e" : "d", pad, i % 16);
            if (placed)
                n += (size_t)snprintf(text + n, sizeof text - n, "place 2200; ");
            for (int k = 0; k < 8; k++) {
                if (sizes[i][k] > 0)
                    n += (size_t)snprintf(text + n, sizeof text - n, "up %d; ", sizes[i][k]);
            }
            snprintf(text + n, sizeof text - n, "fin; init s i0; up 1; up 30; up 1; fin");
            run_for_modes(placed ? "fragments in place" : "fragments", ALL, text);
        }
    }
    /* Every alignment, in place and not, with the fragments that a test of libcrypto uses. */
    for (int align = 0; align < 16; align++) {
        for (int len = 34; len <= 1090; len += 352) {
            snprintf(text, sizeof text,
                     "align 0 %d; init e alg k0 i0; place %d; up 1; up %d; up 1; fin; place 0; "
                     "align %d %d; init e k0 i0; rewind; up %d; fin; feed; init d alg k0 i0; "
                     "align 0 %d; place %d; up 1; up %d; up 1; fin",
                     align, len, len - 2, align, 15 - align, len, align, len - len % 16,
                     len - len % 16 - 2);
            run_for_modes("alignment", ALL, text);
        }
    }
}

static void run_odds(void)
{
    static const char *const texts[] = {
        "init e alg k0 i0; keylen 16; keylen 24; keylen 32; keylen 0; keylen -1; keylen 7; up 16",
        "init e alg; keylen 16; keylen 24; keylen 32; init e k0 i0; up 16; fin",
        "init e alg k0 i0; uiv 16; uiv 15; uiv 17; uiv 0; uiv 12; uiv 128; oiv 16; oiv 15; oiv 64",
        "init e alg k0; uiv 16; oiv 16; up 20; uiv 16; oiv 16; fin; uiv 16; oiv 16",
        "init e alg k0 i0; up 20; uiv 16; oiv 16; up 12; uiv 16; oiv 16; init e i1; uiv 16",
        "init d alg k0 i0; up 20; uiv 16; oiv 16; up 12; uiv 16; oiv 16; init d i1; uiv 16",
        "init e alg; toasn1; init e k0; toasn1; init e i0; toasn1; up 20; toasn1",
        "init d alg k0; fromasn1 16; up 32; fin; fromasn1 12; fromasn1 0; toasn1",
        "init e alg; fromasn1 16; init e k0; up 20; fromasn1 16; up 20; fin",
        "ctrl init; init e alg; ctrl init; ctrl unknown; ctrl getivlen; ctrl copy; ctrl randkey 16",
        "init e alg k0 i0; ctrl keylen 16; ctrl keylen 5; ctrl speed 1; ctrl speed -1; up 20; fin",
        "init e alg k0 i0; ctrl setl 3; ctrl setl 9; ctrl msglen 5; ctrl mackey 16; up 20; fin",
        "init e alg k0 i0; ctrl mackey -1; ctrl mbmax 4; ctrl randkey 0; up 20; fin",
        "init e alg k0 i0; ctrl ivlen 16; up 5; ctrl ivlen -1; ctrl ivlen 0; up 20; fin",
        "init e alg k0 i0; gettag 16; settag 16; tlsaad 40; up 20; fin",
        "init e alg k0 i0; ctrl ivfixed 4 R4; ctrl ivgen 8; ctrl ivinv 8 R8; up 20; fin",
        "init e alg k0 i0 keylen:u8=16; up 20; fin",
        "init e alg k0 i0 keylen:u8=5; up 20; fin; init e k0 keylen:os=R8; up 5",
        "init e alg k0 i0 ivlen:u8=16; up 20; fin",
        "init e alg k0 i0 ivlen:u8=12; up 20; fin",
        "init e alg k0 ivlen:u8=8; init e i0; up 20; fin",
        "init e alg k0 i0 padding:u4=0; up 32; fin; info",
        "init d alg k0 i0 padding:u4=0; up 32; fin; info",
        "init e alg k0 i0 nosuch:u4=3; up 20; fin",
        "init e alg k0 i0 padding:os=R4; up 20; fin",
        "init e alg k0 i0 padding:u4=0 num:u4=0 use-bits:u4=0; up 20; fin",
        "pad 0; init e alg k0 i0; up 32; fin; info",
        "init e alg k0 i0; pad 0; init e alg k1 i1; up 17; fin; pad 1; up 3; fin",
        "init e alg; pad 0; init e k0 i0; up 16; fin; init d k0 i0; up 16; fin",
        "init d alg k0 i0; pad 0; pad 5; pad -1; up 32; fin",
    };
    for (size_t i = 0; i < COUNT(texts); i++)
        run_for_modes("odds and ends", ALL, texts[i]);
}

void run_cases_common(void)
{
    run_init_orders();
    run_reinits();
    run_copies();
    run_one_shot();
    run_lengths();
    run_fragments();
    run_odds();
}
