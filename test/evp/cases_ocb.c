/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences of OCB: IVs, tags, parts of blocks in both streams, EVP_Cipher, misuse. */
#include "evp.h"

#include <stdlib.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* A message, encrypted, kept, and ready to be decrypted from the tape and T. */
#define SEALED "init e alg k0 i0; aad 20; up 50; fin; gettag 16; feed; reset; "
#define OPEN "init d alg k0 i0; "

static void run_ivs(void)
{
    char text[512];

    for (int len = 0; len <= 16; len++) {
        snprintf(text, sizeof text,
                 "init e alg; ctrl ivlen %d; init e k0 i0; aad 20; up 50; fin; gettag 16; uiv %d; "
                 "info; feed; init d alg k0; set ivlen:u8=%d; init d i0; aad 20; settag 16; up 50; "
                 "fin",
                 len, len, len);
        run_for_modes("IV length", OCB, text);
        snprintf(text, sizeof text, "init e alg k0 i%d ivlen:u4=%d; up 70; fin; gettag 16; info",
                 len % 8, len);
        run_for_modes("IV length", OCB, text);
        snprintf(text, sizeof text,
                 "init e alg; ctrl settag %d null; init e k0 i0; aad 20; up 50; fin; gettag %d; "
                 "info; feed; init d alg k0 i0 tag:os=null/%d; settag %d; aad 20; up 50; fin",
                 len, len, len, len);
        run_for_modes("tag length", OCB, text);
    }
    /* The six bits of the IV that shift. */
    for (int iv = 0; iv < 8; iv++) {
        snprintf(text, sizeof text, "init e alg k1 i%d; up 4099; up 1; up 60; fin; gettag 16", iv);
        run_for_modes("IV patterns", OCB, text);
    }
    static const char *const texts[] = {
        "init e alg; ctrl ivlen -1; set ivlen:u8=0; set ivlen:i4=-5; set ivlen:os=R8; ctrl ivlen "
        "15; info",
        "init e alg k0 i0; ctrl ivlen 12; up 20; fin; gettag 16",
        "init e alg k0 i0; ctrl ivlen 13; up 20; fin; init e i1; up 20; fin; gettag 16",
        "init e alg k0 i0; up 20; ctrl ivlen 8; up 20; uiv 8; uiv 12; fin; init e i0; up 20; fin",
        "init e alg k0 i0; uiv 11; uiv 12; uiv 13; oiv 0; oiv 12; oiv 16; get iv:op/16; get "
        "iv:us/16",
        "init e alg; get iv:os/16; get updated-iv:os/16; init e k0; get iv:os/16; up 5; fin",
        "init e alg k0; up 5; aad 5; fin; cipher 16; init d; up 5; fin",
        "init e alg i0; up 5; init e k0; up 5; fin; gettag 16",
        /* Reuse: not after the end of a message. */
        "init e alg k0 i0; up 20; fin; up 20; aad 5; fin; gettag 16; up 0",
        "init e alg k0 i0; up 20; fin; init e; up 20; init e k0; up 20; init e i0; up 20; fin",
        "init e alg k0 i0; up 20; init e i1; up 20; fin; gettag 16",
        "init e alg k0 i0; aad 20; init e i1; aad 5; up 20; fin; gettag 16",
        "init e alg k0 i0; aad 20; up 20; init e; up 20; fin; gettag 16",
        "init e alg k0 i0; up 20; init e k1 i1; up 20; fin; gettag 16",
        "init e alg k0 i0; up 20; init e k1; up 20; fin; gettag 16",
        "init e alg k0 i0; up 0; init e k1; up 20; fin; gettag 16",
        "init e alg k0 i0; init e k1; up 20; fin; gettag 16",
    };
    for (size_t i = 0; i < COUNT(texts); i++)
        run_for_modes("OCB's IV", OCB, texts[i]);
}

static void run_tags(void)
{
    char text[512];

    for (int bit = 0; bit < 128; bit += 9) {
        snprintf(text, sizeof text, SEALED OPEN "aad 20; up 48; fliptag %d; settag 16; fin", bit);
        run_for_modes("forged tag", OCB, text);
        snprintf(text, sizeof text, SEALED OPEN "flip %d 3; aad 20; up 50; settag 16; fin",
                 bit * 50 / 128);
        run_for_modes("forged data", OCB, text);
    }
    static const char *const texts[] = {
        SEALED OPEN "aad 20; up 50; settag 16; fin",
        SEALED OPEN "settag 16; aad 20; up 50; fin",
        SEALED OPEN "up 50; settag 16; aad 20; fin",
        SEALED "init d alg; settag 16; init d k0 i0; aad 20; up 50; fin",
        SEALED "init d alg k0 i0 tag:os=T16; aad 20; up 50; fin",
        SEALED OPEN "settag 16; aad 7; up 11; aad 13; up 39; fin; info",
        SEALED OPEN "settag 16; aad 19; up 50; fin",
        SEALED OPEN "settag 16; aad 20; up 48; fin",
        SEALED OPEN "settag 16; aad 20; up 48; fin; up 16; fin; init d i0; up 16; fin",
        SEALED OPEN "aad 20; up 50; fin; settag 16; fin",
        SEALED "init d alg k0 i1; settag 16; aad 20; up 48; fin",
        SEALED "init d alg k1 i0; settag 16; aad 20; up 48; fin",
        "init d alg k0 i0; settag 0; settag 15; settag 17; settag -1; settag 16; info",
        "init d alg k0 i0; ctrl settag 12 null; settag 16; settag 12; ctrl settag 17 null; info",
        "init d alg k0 i0; set tag:us=R8; set tag:op=R8; set tag:u8=5; set tag:os=R16@-1; info",
        "init e alg k0 i0; settag 16; set tag:os=R16; info; up 20; fin; gettag 16",
        "init e alg k0 i0; gettag 16; up 20; gettag 16; fin; gettag 0; gettag 17; gettag 12; "
        "gettag 16; gettag 16; get tag:us/16; get tag:u8; get tag:op/16",
        "init d alg k0 i0; settag 16; gettag 16; init e i0; gettag 16; fin; gettag 16",
        "init e alg k0 i0; up 20; fin; init e i1; gettag 16; up 5; ctrl settag 8 null; fin; gettag "
        "8; ctrl settag 16 null; gettag 16",
        "init e alg k0 i0; ctrl settag 0 null; up 20; fin; ctrl settag 16 null; up 20; fin",
        "init e alg k0 i0; up 16; ctrl settag 0 null; fin; gettag 0; ctrl settag 16 null; fin",
        "init d alg k0 i0; up 16; ctrl settag 0 null; fin; aad 5; fin",
        /* Empty messages and empty AAD. */
        "init e alg k0 i0; fin; gettag 16; init d i0; settag 16; fin",
        "init e alg k0 i0; fin; gettag 16; fliptag 1; init d i0; settag 16; fin",
        "init e alg k0 i0; aad 20; fin; gettag 16; rewind; init d i0; aad 20; settag 16; fin",
        "init e alg k0 i0; aad 20; fin; gettag 16; rewind; init d i0; aad 19; settag 16; fin",
        "init e alg k0 i0; aad 0; up 0; fin; gettag 16; init d i0; aad 0; up 0; settag 16; fin",
        "init e alg k0 i0; up 0 in=null out=null; up 0 in=null; fin; gettag 16",
    };
    for (size_t i = 0; i < COUNT(texts); i++)
        run_for_modes("OCB's tag", OCB, texts[i]);

    static const int aads[] = {0, 1, 15, 16, 17, 33, 127, 500, 1024, 2100};
    static const int lens[] = {0, 1, 15, 16, 17, 33, 100, 1023, 1024, 1025, 2049, 2100};
    for (size_t i = 0; i < COUNT(aads); i++) {
        for (size_t k = 0; k < COUNT(lens); k++) {
            snprintf(text, sizeof text,
                     "init e alg k0 i0; aad %d; up %d; fin; gettag 16; feed; " OPEN
                     "up %d; aad %d; up %d; aad %d; settag 16; fin; init d i1; up 5",
                     aads[i], lens[k], lens[k] / 2, aads[i] / 3, lens[k] - lens[k] / 2,
                     aads[i] - aads[i] / 3);
            run_for_modes("AAD and data", OCB, text);
        }
    }
}

static void run_uses(void)
{
    static const char *const texts[] = {
        /* EVP_Cipher: as a start, and after one. */
        "init e alg k0 i0; cipher 32; fin; gettag 16",
        "init e alg k0 i0; cipher 50; cipher 0 in=null; gettag 16",
        "init e alg k0 i0; up 0; cipher 32; cipher 16; fin; gettag 16",
        "init e alg k0 i0; aad 20; cipher 50; fin; gettag 16; feed; init d i0; rewind; settag 16; "
        "aad 20; cipher 50; fin",
        "init e alg k0 i0; aad 20; cipher 50; cipher 16; up 16",
        "init e alg k0 i0; up 5; cipher 16; up 11; fin",
        "init e alg k0 i0; aad 20; up 32; cipher 0 in=null; gettag 16",
        "init d alg k0 i0; aad 20; up 32; settag 16; cipher 0 in=null",
        "init e alg; cipher 5; init e k0; cipher 5; cipher 0 in=null; init e i0; fin; cipher 5",
        /* Copies, directions, and what bindings do. */
        "init e alg k0; fork; swap; init e i0; aad 5; up 20; fin; gettag 16; swap; init e i1; "
        "up 20; fin; gettag 16",
        "init e alg k0 i0; aad 21; up 37; fork; aad 5; up 20; fin; gettag 16; swap; copy; up 9; "
        "fin; gettag 16",
        "init e alg k0 i0; up 20; fin; copy; gettag 16; up 5",
        "init d alg k0 i0; init e; up 20; fin; gettag 16",
        "init e alg k0 i0; up 5; init d; up 20; fin",
        "init e alg k0 i0; pad 0; pad 1; get padding:u4 num:u4; keylen 16; keylen 32; up 5; fin",
        "init e alg k0 i0; set keylen:u4=16; set keylen:u4=24; set keylen:u8=32; set keylen:os=R4",
        "init e alg k0 i0; set tls-version:u4=771 tls-mac-size:u8=0; up 20; fin; gettag 16",
        "init e alg k0 i0; ctrl ivgen 8; ctrl ivfixed 4 R4; tlsaad 40; up 20; fin; gettag 16",
        "init e alg k0 i0; place 300; cipher 12; fin; gettag 16",
        "init e alg k0 i0; init d i1; init e k1 i4 ivlen:u8=0; cipher 48",
        /* In place, at any alignment, in pieces. */
        "align 0 7; init e alg k0 i0; aad 3; place 1000; up 1; up 998; up 1; fin; gettag 16; "
        "align 0 3; feed; init d i0; rewind; settag 16; aad 3; place 1000; up 1; up 998; up 1; fin",
        "align 5 9; init e alg k0 i0; up 336 same; align 1 2; up 333 same; fin; gettag 16",
        "init e alg k0 i0; up 16; fin out=null; gettag 16; init e i0; up 17; fin out=null",
        "init e alg k0 i0; encup 16; decup 16; encfin; decfin",
        "init e alg k0; toasn1; fromasn1 12; fromasn1 16; up 5; fin; gettag 16",
        "init e alg k0 i0; up 1; up 15; up 16; up 17; up 31; up 1; up 300; fin; gettag 16",
    };
    for (size_t i = 0; i < COUNT(texts); i++)
        run_for_modes("OCB in use", OCB, texts[i]);
}

void run_cases_ocb(void)
{
    run_ivs();
    run_tags();
    run_uses();
}
