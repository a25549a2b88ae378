/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences of GCM: IVs, tags, the order of AAD, data and tag, forgeries. */
#include "evp.h"

#include <stdlib.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* A message, encrypted, kept, and ready to be decrypted from the tape and T. */
#define SEALED "init e alg k0 i0; aad 20; up 50; fin; gettag 16; feed; reset; "
#define OPEN "init d alg k0 i0; "

static void run_ivs(void)
{
    char text[512];

    for (int len = 1; len <= 128; len++) {
        snprintf(text, sizeof text,
                 "init e alg; ctrl ivlen %d; init e k0 i0; aad 20; up 50; fin; gettag 16; uiv %d; "
                 "feed; init d alg k0; set ivlen:u8=%d; init d i0; aad 20; settag 16; up 50; fin",
                 len, len, len);
        run_for_modes("IV length", GCM, text);
        snprintf(text, sizeof text, "init e alg k0 i%d ivlen:u4=%d; up 70; fin; gettag 16; info",
                 len % 8, len);
        run_for_modes("IV length", GCM, text);
    }
    /* Counters near 2^32 come from IVs of 16 bytes through GHASH at random only; an
       IV of 12 bytes always starts at 1. Long data and all-ones IVs go with both. */
    for (int iv = 0; iv < 8; iv++) {
        snprintf(text, sizeof text, "init e alg k1 i%d; up 4099; up 1; up 60; fin; gettag 16", iv);
        run_for_modes("IV patterns", GCM, text);
    }

    static const char *const texts[] = {
        "init e alg; ctrl ivlen 0; ctrl ivlen 129; ctrl ivlen -1; ctrl ivlen 128; info",
        "init e alg; set ivlen:u8=0; set ivlen:u8=129; set ivlen:i4=-5; set ivlen:os=R8; info",
        "init e alg k0 i0 ivlen:u8=0; up 5",
        "init e alg k0 i0 ivlen:u8=129; up 5",
        "init e alg k0 i0; ctrl ivlen 12; up 20; fin; gettag 16",
        "init e alg k0 i0; ctrl ivlen 13; up 20; fin; gettag 16",
        "init e alg k0 i0; ctrl ivlen 13; init e i1; up 20; fin; gettag 16",
        "init e alg k0 i0; ctrl ivlen 13; ctrl ivlen 12; up 20; fin; uiv 12",
        "init e alg i0; ctrl ivlen 16; init e k0; up 20; fin",
        "init e alg k0; ctrl ivlen 16; init e i0; up 20; fin; gettag 16; info",
        "init e alg k0 i0; up 20; ctrl ivlen 16; up 20; fin; init e i0; up 20; fin; gettag 16",
        "init e alg k0 i0; aad 20; ctrl ivlen 8; up 20; uiv 8; uiv 12; oiv 8; fin; gettag 16",
        "init e alg k0 i0; fin; ctrl ivlen 16; init e i0; up 20; fin; gettag 16",
        "init e alg k0 i0; uiv 11; uiv 12; uiv 13; oiv 0; oiv 12; oiv 200",
        "init e alg k0 i0; get iv:op/16 updated-iv:op/16; get iv:op/11; get iv:us/16; get iv:u8",
        "init e alg; get iv:os/16; get updated-iv:os/16; init e k0; get iv:os/16; get iv:op/8",
        "init d alg; get iv:os/16; get updated-iv:op/16; init d k0; up 5; get iv:os/16",
        /* IVs of default's own making. */
        "init e alg k0; aad 20; up 50; uiv 12; fin; gettag 16; uiv 12",
        "init e alg k0; up 50; fin; init e k0; up 50; fin; gettag 16",
        "init e alg k0; cipher 50; cipher 0 in=null; gettag 16; uiv 12",
        "init e alg k0; fin; gettag 16; uiv 12",
        "init e alg k0 ivlen:u8=16; up 50; fin; uiv 16; gettag 16",
        "init e alg k0 ivlen:u8=128; up 50; fin; uiv 128; gettag 16",
        "init e alg k0 ivlen:u8=11; up 50; fin; uiv 11",
        "init e alg k0; ctrl ivlen 8; aad 5; fin",
        "init d alg k0; up 50; aad 5; fin; settag 16; fin",
        "init e alg k0; up 0; uiv 12; up 1; uiv 12",
        "init e alg k0; copy; up 5; uiv 12; fork; swap; up 5; fin; gettag 16; swap; fin; gettag 16",
        "init e alg k0; init d; up 5; init e; up 5; fin; gettag 16",
        /* Reuse: not after the end of a message. */
        "init e alg k0 i0; up 20; fin; up 20; aad 5; fin; cipher 5; cipher 0 in=null; gettag 16",
        "init e alg k0 i0; up 20; fin; init e; up 20; init e k0; up 20; init e i0; up 20; fin",
        "init e alg k0 i0; up 20; fin; init e k1; up 20; fin; gettag 16",
        "init e alg k0 i0; up 20; fin; init d; up 20; settag 16; fin",
        "init e alg k0 i0; up 20; init e i1; up 20; fin; gettag 16",
        "init e alg k0 i0; aad 20; init e i1; aad 5; up 20; fin; gettag 16",
        "init e alg k0 i0; aad 20; init e; up 20; fin; gettag 16",
        "init e alg k0 i0; up 20; init e k1 i1; up 20; fin; gettag 16",
        "init e alg k0 i0; up 20; init e k1; init e i1; up 20; fin; gettag 16",
        "init e alg k0 i0; up 20; init e k1; up 20; fin; gettag 16",
        "init e alg k0 i0; init e k1; up 20; fin; gettag 16",
    };
    for (size_t i = 0; i < COUNT(texts); i++)
        run_for_modes("GCM's IV", GCM, texts[i]);
}

static void run_tags(void)
{
    char text[512];

    for (int len = 1; len <= 16; len++) {
        snprintf(text, sizeof text,
                 "init e alg k0 i0; aad 20; up 50; fin; gettag %d; info; feed; " OPEN
                 "aad 20; settag %d; info; up 50; fin; gettag %d",
                 len, len, len);
        run_for_modes("tag length", GCM, text);
        snprintf(text, sizeof text, SEALED OPEN "aad 20; up 50; fliptag %d; settag %d; fin",
                 8 * len - 1, len);
        run_for_modes("tag length, wrong tag", GCM, text);
        snprintf(text, sizeof text, SEALED OPEN "aad 20; up 50; fliptag %d; settag %d; fin",
                 8 * len, len);
        run_for_modes("tag length, wrong after it", GCM, text);
    }
    for (int bit = 0; bit < 128; bit += 9) {
        snprintf(text, sizeof text, SEALED OPEN "aad 20; up 50; fliptag %d; settag 16; fin", bit);
        run_for_modes("forged tag", GCM, text);
        snprintf(text, sizeof text, SEALED OPEN "flip %d 3; aad 20; up 50; settag 16; fin",
                 bit * 50 / 128);
        run_for_modes("forged data", GCM, text);
    }

    static const char *const texts[] = {
        /* When the tag comes. */
        SEALED OPEN "aad 20; up 50; settag 16; fin",
        SEALED OPEN "settag 16; aad 20; up 50; fin",
        SEALED OPEN "aad 20; settag 16; up 50; fin",
        SEALED "init d alg; settag 16; init d k0 i0; aad 20; up 50; fin",
        SEALED "init d alg tag:os=T16; init d k0 i0; aad 20; up 50; fin",
        SEALED "init d alg k0 i0 tag:os=T16; aad 20; up 50; fin",
        SEALED OPEN "aad 20; up 50; fin; settag 16; fin; fin",
        SEALED OPEN "aad 20; up 50; settag 4; settag 16; fin",
        SEALED OPEN "aad 20; up 50; settag 16; settag 4; fin",
        SEALED OPEN "aad 20; up 50; fliptag 5; settag 16; fliptag 5; settag 16; fin",
        SEALED OPEN "settag 16; aad 20; up 25; up 25; fin; info",
        /* Lengths and types that aren't allowed. */
        "init d alg k0 i0; settag 0; settag 17; settag -1; settag 16; info",
        "init d alg k0 i0; ctrl settag 16 null; ctrl settag 0 null; ctrl settag 17 null; info",
        "init d alg k0 i0; set tag:us=R8; set tag:op=R8; set tag:u8=5; set tag:os=R16@-1; info",
        "init d alg k0 i0; set tag:os=R5; info; set tag:os=null/5; info; set tag:os=Z0; info",
        "init e alg k0 i0; settag 16; set tag:os=R16; info; up 20; fin; gettag 16",
        "init e alg k0 i0; gettag 16; up 20; gettag 16; fin; gettag 0; gettag 17; gettag -1; "
        "gettag 5; gettag 16; gettag 16",
        "init e alg k0 i0; fin; ctrl gettag 16 null; get tag:os/null/16 tag:os/null; get tag:os/15",
        "init e alg k0 i0; fin; get tag:us/16; get tag:op/8; get tag:u8; get tag:os/null/20",
        "init d alg k0 i0; settag 16; gettag 16; up 20; fin; gettag 16",
        "init d alg k0 i0; up 20; settag 16; init e i0; gettag 16; up 20; gettag 16; fin; gettag "
        "16",
        "init e alg k0 i0; up 20; fin; init e i1; gettag 16; up 5; gettag 16; fin; gettag 16",
        "init e alg k0 i0; up 20; fin; init d i1; gettag 16; info; up 5; fin",
        "init e alg k0 i0; up 20; fin; gettag 16; init d i0; rewind; up 20; fin",
        "init d alg k0 i0; settag 12; init d k1 i1; up 20; fin; info",
        /* Forgeries. */
        SEALED OPEN "aad 19; up 50; settag 16; fin",
        SEALED OPEN "aad 21; up 50; settag 16; fin",
        SEALED OPEN "up 50; settag 16; fin",
        SEALED OPEN "aad 20; up 49; settag 16; fin",
        SEALED OPEN "aad 20; up 51; settag 16; fin",
        SEALED OPEN "aad 20; settag 16; fin",
        SEALED OPEN "settag 16; fin",
        SEALED "init d alg k0 i1; aad 20; up 50; settag 16; fin",
        SEALED "init d alg k1 i0; aad 20; up 50; settag 16; fin",
        SEALED OPEN "aad 20; up 50; fliptag 0; settag 16; fin; up 16",
        SEALED OPEN "aad 20; up 50; fliptag 0; settag 16; fin; fin",
        SEALED OPEN "aad 20; up 50; fliptag 0; settag 16; fin; fliptag 0; settag 16; fin",
        SEALED OPEN "aad 20; up 50; fliptag 0; settag 16; fin; init d i0; rewind; aad 20; up 50; "
                    "fliptag 0; settag 16; fin",
        SEALED OPEN "aad 20; up 50; fliptag 0; settag 16; fin; init e i0; up 20; fin; gettag 16",
        /* Empty messages and empty AAD. */
        "init e alg k0 i0; fin; gettag 16; init d i0; settag 16; fin",
        "init e alg k0 i0; fin; gettag 16; fliptag 1; init d i0; settag 16; fin",
        "init e alg k0 i0; aad 20; fin; gettag 16; rewind; init d i0; aad 20; settag 16; fin",
        "init e alg k0 i0; aad 20; fin; gettag 16; rewind; init d i0; aad 19; settag 16; fin",
        "init e alg k0 i0; aad 0; up 0; fin; gettag 16; init d i0; aad 0; up 0; settag 16; fin",
        "init e alg k0 i0; aad 5; aad 0; aad 11; aad 0; up 0; up 16; up 0; fin; gettag 16",
        "init e alg k0 i0; aad 5; up 0; aad 11; up 3; aad 0; fin; gettag 16",
        "init e alg k0 i0; aad 5; up 0 in=null out=null; aad 3; fin; gettag 16",
        /* AAD after data, NULL input with a length. */
        "init e alg k0 i0; aad 20; up 1; aad 1; up 20; fin; gettag 16",
        "init e alg k0 i0; up 16; aad 16; aad 0; up 16; fin; gettag 16",
        "init e alg k0 i0; up 16; up 5 in=null; gettag 16; up 16",
        "init d alg k0 i0; up 16; settag 16; up 5 in=null",
        "init e alg k0 i0; aad 5 in=null; gettag 16",
        "init e alg k0 i0; aad 5; fin out=null; gettag 16",
        "init e alg k0 i0; aad 1; aad 15; aad 16; aad 17; aad 31; aad 300; fin; gettag 16",
    };
    for (size_t i = 0; i < COUNT(texts); i++)
        run_for_modes("GCM's tag", GCM, texts[i]);

    static const int aads[] = {0, 1, 12, 15, 16, 17, 31, 32, 33, 64, 127, 128, 500, 2100};
    static const int lens[] = {0, 1, 15, 16, 17, 33, 100, 256, 1799, 2049};
    for (size_t i = 0; i < COUNT(aads); i++) {
        for (size_t k = 0; k < COUNT(lens); k++) {
            snprintf(text, sizeof text,
                     "init e alg k0 i0; aad %d; up %d; fin; gettag 16; feed; " OPEN
                     "aad %d; aad %d; up %d; up %d; settag 16; fin; init d i1; up 5",
                     aads[i], lens[k], aads[i] / 3, aads[i] - aads[i] / 3, lens[k] / 2,
                     lens[k] - lens[k] / 2);
            run_for_modes("AAD and data", GCM, text);
        }
    }
}

static void run_uses(void)
{
    static const char *const texts[] = {
        /* One-shot: EVP_Cipher finishes with in = NULL, and must check the tag. */
        "init e alg k0 i0; cipher 20 aad; cipher 50; cipher 0 in=null out=null; gettag 16; feed; "
        "init d i0; settag 16; cipher 20 aad; cipher 50; cipher 0 in=null out=null",
        "init e alg k0 i0; cipher 20 aad; cipher 50; cipher 0 in=null; gettag 16; feed; "
        "init d i0; fliptag 77; settag 16; cipher 20 aad; cipher 50; cipher 0 in=null out=null",
        "init e alg k0 i0; cipher 0 in=null; gettag 16; init d i0; settag 16; cipher 0 in=null",
        "init e alg k0 i0; cipher 0 in=null; gettag 16; init d i0; fliptag 3; settag 16; "
        "cipher 0 in=null",
        "init d alg k0 i0; cipher 16; cipher 0 in=null; settag 16; cipher 0 in=null",
        "init e alg k0 i0; cipher 5 aad; cipher 0; cipher 11 aad; cipher 7; cipher 5 aad; "
        "cipher 0; cipher 0 in=null; gettag 16",
        "init e alg; cipher 5; cipher 0 in=null; cipher 5 aad",
        "init e alg k0 i0; cipher 5; fin; cipher 5; cipher 0 in=null",
        /* GMAC: no data; an init with nothing starts again only if an IV comes, too. */
        "init e alg k0 i0; aad 100; fin; gettag 16; init e; aad 100; fin; init e i0; rewind; "
        "aad 100; fin; gettag 16",
        "init e alg; init e k0; init e i0; aad 7; aad 9; copy; aad 50; fin; gettag 16",
        /* A keyed context that is copied for each message (one-shot AEADs of bindings). */
        "init e alg k0; fork; swap; ctrl ivlen 12; init e i0; aad 5; up 20; fin; gettag 16; swap; "
        "fork; swap; init e i1; up 20; fin; gettag 16; swap; init e i2; up 20; fin; gettag 16",
        "init e alg k0 i0; up 20; fin; gettag 16; feed; reset; init d alg k0; fork; swap; "
        "ctrl ivlen 12; init d i0; settag 16; up 20; fin; swap; init d i0; rewind; settag 16; "
        "up 20; fin",
        /* TLS 1.3 and QUIC: a key once, then for each record an IV, in either direction. */
        "init d alg; ctrl ivlen 12; init d k0; init d i0; settag 16; aad 5; up 40; fin; "
        "init d i1; settag 16; aad 5; up 40; fin",
        "init d alg k0 i0; init e i1; aad 5; up 40; fin; gettag 16; feed; init d i1; settag 16; "
        "aad 5; up 40; fin",
        "init e alg; ctrl ivlen 12; init e k0; init e i0; aad 5; up 40 same; fin out=null; "
        "gettag 16; init e i1; aad 5; up 40 same; fin out=null; gettag 16",
        /* Node.js and Python's cryptography. */
        "init e alg; ctrl ivlen 12; info; init e k0 i0; pad 0; aad 20; up 50; fin; gettag 16",
        "init d alg; keylen 16; keylen 32; ctrl ivlen 12; init d k0 i0; pad 0; up 50; settag 16; "
        "fin",
        "init e alg k0 i0; pad 0; pad 1; pad 7; get padding:u4 num:u4; num 0; up 5; fin",
        "init e alg k0 i0; set tls-version:u4=771 tls-mac-size:u8=0; up 20; fin; gettag 16",
        "init e alg k0 i0; num 3; up 20; get num:u4; fin; gettag 16",
        /* In place, at any alignment, in pieces. */
        "align 0 7; init e alg k0 i0; aad 3; place 1000; up 1; up 998; up 1; fin; gettag 16; "
        "align 0 3; feed; init d i0; rewind; settag 16; aad 3; place 1000; up 1; up 998; up 1; fin",
        "align 5 9; init e alg k0 i0; up 333 same; align 1 2; up 333 same; fin; gettag 16",
    };
    for (size_t i = 0; i < COUNT(texts); i++)
        run_for_modes("GCM in use", GCM, texts[i]);
}

void run_cases_gcm(void)
{
    run_ivs();
    run_tags();
    run_uses();
}
