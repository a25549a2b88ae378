/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sequences of SIV and GCM-SIV: the order of AAD, tag and data, components,
 * empty messages, forgeries, `speed`. GCM-SIV's run where the default provider
 * has it, since OpenSSL 3.2; siv_alone.c tests it everywhere.
 */
#include "evp.h"

#include <stdlib.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* A message, encrypted, kept, and ready to be decrypted from the tape and T. */
#define SEALED "init e alg k0 i0; aad 20; up 50; fin; gettag 16; feed; reset; "
#define OPEN "init d alg k0 i0; "

static void run_siv_messages(void)
{
    char text[2048];

    for (unsigned len = 0; len <= 4200; len += len < 70 ? 1 : len % 256 >= 254 ? 1 : 62) {
        snprintf(text, sizeof text,
                 "init e alg k0 i0; aad %u; up %u; fin; gettag 16; feed; "
                 "init d alg k0 i0; settag 16; aad %u; up %u; fin; gettag 16",
                 len * 7 % 90, len, len * 7 % 90, len);
        run_for_modes("message", SIVS, text);
        snprintf(text, sizeof text, "init e alg k1 i1; align 3 5; up %u same; fin; gettag 16", len);
        run_for_modes("in place", SIVS, text);
    }
    /* Components, of which some are empty: as many as are allowed, and one more. */
    for (int n = 0; n <= 127; n += n < 5 || n > 120 ? 1 : 29) {
        size_t used = (size_t)snprintf(text, sizeof text, "init e alg k0 i0; ");
        for (int i = 0; i < n; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, "aad %d; ",
                                     i % 3 == 2 ? 0 : i % 40);
        snprintf(text + used, sizeof text - used, "up 40; fin; gettag 16");
        run_for_modes("components", SIVS, text);
    }
    for (int bit = 0; bit < 128; bit += 9) {
        snprintf(text, sizeof text, SEALED OPEN "fliptag %d; settag 16; aad 20; up 50; fin", bit);
        run_for_modes("forged tag", SIVS, text);
        snprintf(text, sizeof text, SEALED OPEN "settag 16; flip %d 3; aad 20; up 50; fin",
                 bit * 50 / 128);
        run_for_modes("forged data", SIVS, text);
    }
}

void run_cases_siv(void)
{
    static const char *const texts[] = {
        /* Tags that come after the data. */
        SEALED OPEN "settag 16; aad 20; up 50; set tag:os=R16; fin",
        SEALED OPEN "settag 16; aad 20; up 50; settag 16; fin; set tag:os=R16; fin; settag 16; fin",
        SEALED OPEN "settag 16; aad 20; up 50; fin; fliptag 9; settag 16; fin; fin",
        /* When the tag comes. */
        SEALED OPEN "settag 16; aad 20; up 50; fin; fin",
        SEALED OPEN "aad 20; settag 16; up 50; fin; gettag 16",
        SEALED OPEN "aad 20; up 50; settag 16; fin; up 50; fin",
        SEALED "init d alg; settag 16; init d k0 i0; aad 20; up 50; fin",
        SEALED "init d alg tag:os=T16; init d k0 i0; aad 20; up 50; fin",
        SEALED "init d alg k0 i0 tag:os=T16; aad 20; up 50; fin",
        SEALED OPEN "settag 16; aad 20; up 50; fin; init d k0 i0; rewind; aad 20; up 50; fin",
        SEALED OPEN "settag 16; aad 20; up 50; fin; init d i0; rewind; aad 20; up 50; fin",
        SEALED OPEN "settag 16; cipher 20 aad; cipher 50; cipher 0 in=null out=null",
        SEALED OPEN "settag 16; cipher 20 aad; flip 3 3; cipher 50; cipher 0 in=null out=null",
        SEALED OPEN "fliptag 3; settag 16; fliptag 3; settag 16; aad 20; up 50; fin",
        SEALED OPEN "settag 16; aad 19; up 50; fin; settag 16; fin",
        SEALED OPEN "settag 16; up 50; fin",
        SEALED OPEN "settag 16; aad 10; aad 10; up 50; fin",
        SEALED OPEN "settag 16; aad 20; up 25; up 25; fin",
        SEALED OPEN "settag 16; aad 20; fin; up 50; fin",
        /* Tags of other lengths and types. */
        "init d alg k0 i0; settag 0; settag 15; settag 17; settag 16; fin; info",
        "init d alg k0 i0; set tag:us=R16; set tag:op=R16; set tag:u8=5; set tag:os=R16@-1; info",
        "init d alg k0 i0; set tag:os=R5; set tag:os=null/5; set tag:os=Z0; info",
        "init e alg k0 i0; settag 16; set tag:os=R16; set tag:os=R3; info; up 20; fin; gettag 16",
        "init e alg k0 i0; gettag 16; up 20; gettag 16; fin; gettag 0; gettag 17; gettag 15; "
        "gettag -1; gettag 16; gettag 16; get tag:os/16 taglen:u8 keylen:u8",
        "init e alg k0 i0; up 20; get tag:us/16; get tag:os/null/16; get tag:u8; get tag:os/15",
        "init d alg k0 i0; settag 16; gettag 16; init e; gettag 16",
        "init e alg k0 i0; up 20; fin; init d; gettag 16; init e; gettag 16",
        /* A tag in a context that encrypts, and what is ignored with it. */
        "init e alg k0 i0; up 20; set tag:os=R16 speed:u4=1; up 20; fin; set speed:u4=1; up 20; "
        "fin",
        "init e alg k0 i0; set speed:u4=1 tag:os=R16; up 20; up 20; fin; gettag 16",
        "init e alg k0 i0; up 20; set tag:us=null speed:i1=-1 keylen:u8=5; fin; gettag 16",
        "init e alg k0 i0; up 20; init e speed:u4=1 tag:os=R3; up 20; fin; init e k0 tag:os=R16; "
        "up 5",
        "init d alg k0 i0; set tag:os=R3 speed:u4=1; up 5; up 5; set tag:os=R16 speed:u4=1; up 5; "
        "up 5",
        /* Empty messages and empty AAD. */
        "init e alg k0 i0; fin; gettag 16",
        "init e alg k0 i0; aad 5; fin; gettag 16; fin",
        "init e alg k0 i0; aad 5; up 0; fin; gettag 16",
        "init e alg k0 i0; up 0; fin; gettag 16; up 5; fin",
        "init e alg k0 i0; cipher 0; cipher 0 in=null out=null; gettag 16",
        "init e alg k0 i0; cipher 0 aad; cipher 5; cipher 0 in=null out=null; gettag 16",
        "init e alg k0 i0; aad 0; up 5; fin; gettag 16",
        "init e alg k0 i0; aad 0; aad 0; up 5; fin; gettag 16",
        "init e alg k0 i0; aad 5; aad 0; up 5; fin; gettag 16",
        "init e alg k0 i0; aad 5; up 0; fin; gettag 16; init d alg k0 i0; settag 16; rewind; aad "
        "5; up 0; fin",
        "init e alg k0 i0; aad 5; fin; gettag 16; init d alg k0 i0; settag 16; rewind; aad 5; fin",
        "init e alg k0 i0; aad 5; fin; gettag 16; init d alg k0 i0; fliptag 9; settag 16; rewind; "
        "aad 5; fin",
        "init d alg k0 i0; fin; up 0; fin",
        "init d alg k0 i0; settag 16; cipher 0 in=null out=null; cipher 0",
        /* More data, more AAD, more messages. */
        "init e alg k0 i0; up 20; up 20; fin; gettag 16; up 0; fin",
        "init e alg k0 i0; aad 5; up 20; aad 5; fin; gettag 16",
        "init e alg k0 i0; up 20; fin; up 20; fin; aad 5; fin; gettag 16",
        "init e alg k0 i0; up 20; fin; init e k1; up 20; fin; gettag 16",
        "init e alg k0 i0; up 20; fin; init e i1; up 20; fin; gettag 16",
        "init e alg k0 i0; up 20; fin; init e k1 i1; up 20; fin; gettag 16",
        "init e alg k0 i0; up 20; fin; init e; up 20; fin; gettag 16",
        "init e alg k0 i0; aad 5; init e; up 20; fin; gettag 16",
        "init e alg k0 i0; aad 5; init e k1; up 20; fin; gettag 16",
        "init e alg k0 i0; init d; settag 16; up 20; fin; init e i0; up 20; fin; gettag 16",
        /* Parameters between. */
        "init e alg k0 i0; up 20; pad 0; fin; gettag 16",
        "init e alg k0 i0; up 20; set nosuch:u4=3; fin; gettag 16",
        "init e alg k0 i0; aad 5; set nosuch:u4=3; pad 1; up 20; fin; gettag 16",
        "init e alg k0 i0; keylen 16; keylen 32; keylen 48; keylen 0; up 20; fin",
        "init e alg k0 i0; set keylen:u4=16; set keylen:u8=64; set keylen:os=R8; up 20; fin",
        "init e alg k0 i0; ctrl ivlen 12; ctrl ivlen 13; ctrl ivlen 0; up 20; fin; gettag 16",
        "init e alg k0 i0; set ivlen:u8=5 padding:u4=0 num:u4=3; up 20; fin; uiv 12; oiv 12",
        "init e alg k0 i0; get ivlen:u8 iv:os/16 updated-iv:os/16 padding:u4 num:u4; info",
        /* `speed`. */
        "init e alg k0 i0; ctrl speed 1; up 20; fin; up 20; fin; gettag 16; up 3; up 3; gettag 16",
        "init e alg k0 i0; ctrl speed 1; aad 3; up 20; up 20; aad 4; up 20; fin; gettag 16",
        "init e alg k0 i0; up 20; ctrl speed 0; up 20; fin; up 20; gettag 16",
        "init e alg k0 i0; up 20; ctrl speed 2; up 20; fin; up 20; gettag 16",
        "init e alg k0 i0; ctrl speed 1; up 20; ctrl speed 0; up 20; up 20; fin",
        "init e alg; ctrl speed 1; init e k0 i0; up 20; up 20; fin; gettag 16",
        "init e alg k0 i0; set speed:i4=-1; set speed:os=R4; set speed:u8=1; up 20; up 20; fin",
        "init d alg k0 i0 speed:u4=1; settag 16; up 20; up 20; fin",
        /* Copies. */
        "init e alg k0 i0; aad 5; fork; up 20; gettag 16; swap; up 20; fin; gettag 16",
        "init e alg k0 i0; aad 5; up 20; copy; up 20; fin; gettag 16",
        "init e alg k0 i0; aad 5; up 20; copy; fin; gettag 16",
        "init e alg k0; copy; init e i0; aad 5; up 20; fin; gettag 16",
        "init d alg k0 i0; settag 16; copy; up 20; fin",
        "init e alg; copy; init e k0 i0; up 20; fin",
        "init e alg i0; copy; init e k0; up 20; fin; gettag 16",
    };
    run_siv_messages();
    for (size_t i = 0; i < COUNT(texts); i++)
        run_for_modes("SIV and GCM-SIV", SIVS, texts[i]);
}
