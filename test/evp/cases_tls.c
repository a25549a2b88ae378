/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences of GCM's TLS 1.2 parameters and records, and of OpenSSH's use of them. */
#include "evp.h"

#include <stdlib.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void run_parameters(void)
{
    static const char *const texts[] = {
        /* tlsivfixed: 4 bytes and more of fixed part, 8 and more of the rest; -1: all. */
        "init e alg k0; ctrl ivfixed 4 R4; uiv 12; get tlsivgen:os/8; uiv 12; up 20; fin; gettag "
        "16",
        "init d alg k0; ctrl ivfixed 4 R4; uiv 12; get tlsivgen:os/8; uiv 12; up 20",
        "init e alg; ctrl ivfixed 4 R4; uiv 12; init e k0; get tlsivgen:os/8; up 20; fin; gettag "
        "16",
        "init e alg k0; ctrl ivfixed 3 R3; ctrl ivfixed 0 R0; ctrl ivfixed 5 R5; ctrl ivfixed 12 "
        "R12",
        "init e alg k0; ctrl ivfixed 4 null; set tlsivfixed:us=R4; set tlsivfixed:u4=4; up 5",
        "init e alg k0; set tlsivfixed:os=null/0; set tlsivfixed:os=null/3; set tlsivfixed:op=R4",
        "init e alg k0; ctrl ivlen 16; ctrl ivfixed 8 R8; uiv 16; ctrl ivgen 8; up 20; fin; gettag "
        "16",
        "init e alg k0; ctrl ivlen 16; ctrl ivfixed 9 R9; ctrl ivfixed 4 R4; uiv 16; ctrl ivgen 16",
        "init d alg k0; ctrl ivlen 16; ctrl ivfixed 8 R8; uiv 16; ctrl ivinv 8 R8; uiv 16; up 20",
        "init e alg; ctrl ivfixed -1 R128; uiv 12; init e k0; ctrl ivgen 1; uiv 12; up 20; fin; "
        "gettag 16; ctrl ivgen 12; uiv 12; up 20; fin; gettag 16",
        "init e alg k0; ctrl ivlen 128; ctrl ivfixed -1 R128; ctrl ivgen 0; ctrl ivgen 128; uiv "
        "128",
        "init e alg k0; ctrl ivlen 8; ctrl ivfixed -1 R128; ctrl ivgen 8; uiv 8; up 20; fin; "
        "gettag 16",
        "init e alg k0 i0; ctrl ivfixed 4 R4; uiv 12; up 20; fin; gettag 16",
        "init e alg k0 i0; up 20; ctrl ivfixed 4 R4; up 20; fin; gettag 16",
        "init e alg k0 i0; up 20; fin; ctrl ivfixed 4 R4; uiv 12; up 20; fin; gettag 16",
        "init e alg k0; ctrl ivfixed 4 R4; copy; ctrl ivgen 8; fork; ctrl ivgen 8; swap; ctrl "
        "ivgen 8",
        /* tlsivgen. */
        "init e alg; get tlsivgen:os/8; init e k0; get tlsivgen:os/8; init e i0; get tlsivgen:os/8",
        "init e alg; ctrl ivfixed 4 R4; ctrl ivgen 8; init e k0; ctrl ivgen 8; ctrl ivgen -1; "
        "ctrl ivgen 0; ctrl ivgen 12; ctrl ivgen 13; ctrl ivgen 200; uiv 12",
        "init e alg k0; ctrl ivfixed 4 R4; get tlsivgen:u8; get tlsivgen:os/null/8; "
        "get tlsivgen:op/8; get tlsivgen:us/8; uiv 12; get tlsivgen:os/0; uiv 12",
        "init e alg k0; ctrl ivfixed -1 xffffffffffffffffffffffff; ctrl ivgen 12; uiv 12; "
        "ctrl ivgen 12; uiv 12; up 20; fin; gettag 16",
        "init e alg k0; ctrl ivfixed -1 x00000000000000000000ffff; ctrl ivgen 8; uiv 12; ctrl "
        "ivgen 1",
        "init e alg k0; ctrl ivfixed 4 R4; ctrl ivgen 8; aad 5; up 20; ctrl ivgen 8; aad 5; up 20; "
        "fin; gettag 16",
        "init e alg k0; ctrl ivfixed 4 R4; ctrl ivgen 8; up 20; fin; init e i0; ctrl ivgen 8; up "
        "20; "
        "fin; gettag 16",
        "init e alg k0; ctrl ivfixed 4 R4; ctrl ivgen 8; ctrl ivlen 16; up 20; ctrl ivgen 8; up "
        "20; "
        "fin; gettag 16",
        "init e alg k0; ctrl ivfixed 4 R4; get ivlen:u8 tlsivgen:os/8 keylen:u8 tag:os/16; uiv 12",
        "init e alg k0; ctrl ivfixed 4 R4; get tlsivgen:os/8 iv:os/12 updated-iv:os/12; uiv 12",
        /* tlsivinv. */
        "init d alg; ctrl ivinv 8 R8; init d k0; ctrl ivinv 8 R8; ctrl ivfixed 4 R4; ctrl ivinv 8 "
        "R8; "
        "uiv 12; up 20; ctrl ivinv 8 Z8; up 20; uiv 12",
        "init e alg k0; ctrl ivfixed 4 R4; ctrl ivinv 8 R8; up 20",
        "init d alg k0; ctrl ivfixed 4 R4; ctrl ivinv 0 R0; up 20; ctrl ivinv 12 R12; uiv 12; up "
        "20",
        "init d alg k0; ctrl ivfixed 4 R4; ctrl ivinv -1 R8; ctrl ivinv 8 null; set "
        "tlsivinv:us=R8; "
        "set tlsivinv:op=R8; ctrl ivinv 1 R1; uiv 12; up 20",
        /* tlsaad. */
        "init e alg k0; ctrl ivfixed 4 R4; tlsaad 40; get tlsaadpad:u8; tlsaad 8; tlsaad 7; tlsaad "
        "0",
        "init d alg k0; ctrl ivfixed 4 R4; tlsaad 40; get tlsaadpad:u8; tlsaad 24; tlsaad 23; "
        "tlsaad 7",
        "init e alg; get tlsaadpad:u8; tlsaad 40; get tlsaadpad:u8; copy; get tlsaadpad:u8",
        "init e alg k0; ctrl tlsaad 12 R12; ctrl tlsaad 14 R14; ctrl tlsaad 0 R0; ctrl tlsaad -1 "
        "R13; "
        "set tlsaad:us=R13; set tlsaad:u8=3; ctrl tlsaad 13 R13",
        "init e alg k0 i0; up 20; fin; gettag 16; tlsaad 40; gettag 16; up 5; gettag 16",
        "init e alg k0 i0; tlsaad 40; init e i1; up 20; up 20; init e i1; up 20; fin; gettag 16",
        "init e alg k0 i0; tlsaad 40; fin; up 20; init e i0; up 20; fin; gettag 16",
        "init e alg k0 i0; tlsaad 40; up 0; cipher 0 in=null; up 20; init e i0; up 20; fin",
        "init e alg k0 i0; tlsaad 40; aad 20; up 20",
        "init e alg k0; ctrl ivfixed 4 R4; tlsaad 40; up 40; tlsaad 40; up 40 same",
    };
    for (size_t i = 0; i < COUNT(texts); i++)
        run_for_modes("TLS 1.2 parameters", GCM, texts[i]);
}

static void run_records(void)
{
    static const int lens[] = {0, 1, 15, 16, 17, 100, 255, 256, 1000, 4096};
    char text[1024];

    for (size_t i = 0; i < COUNT(lens); i++) {
        int len = lens[i], record = len + 24;

        /* Two records, the first of them decrypted. */
        snprintf(text, sizeof text,
                 "init e alg k0; ctrl ivfixed 4 R4; set tls-version:i4=771 tls-mac-size:u8=0; "
                 "tlsaad %d; up %d same; tlsaad %d; up %d same; gettag 16; uiv 12; feed; "
                 "init d alg k0; ctrl ivfixed 4 R4; tlsaad %d; up %d same; uiv 12; gettag 16; "
                 "tlsaad %d; up %d same",
                 len + 8, record, len + 8, record, record, record, record, record);
        run_for_modes("TLS 1.2 records", GCM, text);
        snprintf(text, sizeof text,
                 "init e alg k0; ctrl ivfixed 4 R4; tlsaad %d; cipher %d same; feed; align 3 11; "
                 "init d k0; ctrl ivfixed 4 R4; tlsaad %d; cipher %d same; up 5",
                 len + 8, record, record, record);
        run_for_modes("TLS 1.2 records by EVP_Cipher", GCM, text);

        /* A bit wrong in the nonce, the data, the tag; in the header. */
        for (int k = 0; k < 3; k++) {
            int at = k == 0 ? 3 : k == 1 ? 8 + len / 2 : record - 5;
            snprintf(text, sizeof text,
                     "init e alg k0; ctrl ivfixed 4 R4; tlsaad %d; up %d same; feed; flip %d 2; "
                     "init d alg k0; ctrl ivfixed 4 R4; tlsaad %d; up %d same; flip %d 2; rewind; "
                     "tlsaad %d; up %d same",
                     len + 8, record, at, record, record, at, record, record);
            run_for_modes("forged TLS 1.2 record", GCM, text);
        }
        snprintf(text, sizeof text,
                 "init e alg k0; ctrl ivfixed 4 R4; tlsaad %d; up %d same; feed; init d alg k0; "
                 "ctrl ivfixed 4 R4; tlsaad %d 0302; cipher %d same; rewind; tlsaad %d; "
                 "cipher %d same",
                 len + 8, record, record, record, record, record);
        run_for_modes("TLS 1.2 record of another version", GCM, text);
    }

    static const char *const texts[] = {
        "init e alg k0; ctrl ivfixed 4 R4; tlsaad 40; up 23 same; tlsaad 40; up 24 same; up 30 "
        "same",
        "init d alg k0; ctrl ivfixed 4 R4; tlsaad 40; up 23 same; tlsaad 40; up 24 same",
        "init e alg; tlsaad 40; up 40 same; init e k0; tlsaad 40; up 40 same; ctrl ivfixed 4 R4; "
        "tlsaad 40; up 40 same; up 40",
        "init e alg k0 i0; tlsaad 40; up 40 same; up 5; fin",
        "init d alg k0 i0; tlsaad 40; up 40 same; up 5; fin; settag 16; fin",
        "init e alg k0; ctrl ivfixed 4 R4; tlsaad 40; up 48 same; fin; up 5; init e i0; up 20; fin",
        "init e alg k0; ctrl ivfixed 4 R4; tlsaad 40; fork; up 48 same; swap; up 48 same; gettag "
        "16",
        "init e alg k0; ctrl ivfixed 4 R4; tlsaad 40; up 48 same; init e k1; tlsaad 40; up 48 same",
        "init e alg k0; ctrl ivfixed 4 R4; tlsaad 40; init d; up 56 same; tlsaad 56; up 56 same",
        "init e alg k0; ctrl ivfixed 4 R4; ctrl ivgen 8; tlsaad 40; up 48 same; ctrl ivgen 8; up "
        "20; "
        "fin; gettag 16",
        "init e alg k0; ctrl ivfixed 4 R4; tlsaad 40; up 48 same; get tag:os/16; info; uiv 12",
    };
    for (size_t i = 0; i < COUNT(texts); i++)
        run_for_modes("TLS 1.2 records, odd", GCM, texts[i]);
}

/* OpenSSH: the whole IV at first, one byte of it taken for each packet, both ways. */
static void run_openssh(void)
{
    static const char *const texts[] = {
        "init e alg; ctrl ivfixed -1 R128; init e k0; "
        "ctrl ivgen 1; cipher 4 aad; cipher 64; cipher 0 in=null out=null; gettag 16; "
        "ctrl ivgen 1; cipher 4 aad; cipher 32; cipher 0 in=null out=null; gettag 16; uiv 12",
        "init e alg; ctrl ivfixed -1 R128; init e k0; ctrl ivgen 1; cipher 4 aad; cipher 64; "
        "cipher 0 in=null out=null; gettag 16; feed; reset; init d alg; ctrl ivfixed -1 R128; "
        "init d k0; ctrl ivgen 1; settag 16; cipher 4 aad; cipher 64; cipher 0 in=null out=null; "
        "uiv 12",
        "init e alg; ctrl ivfixed -1 R128; init e k0; ctrl ivgen 1; cipher 4 aad; cipher 64; "
        "cipher 0 in=null out=null; gettag 16; feed; reset; init d alg; ctrl ivfixed -1 R128; "
        "init d k0; ctrl ivgen 1; fliptag 9; settag 16; cipher 4 aad; cipher 64; "
        "cipher 0 in=null out=null",
        "init e alg; ctrl ivfixed -1 R128; init e k0; ctrl ivgen 1; cipher 4 aad; cipher 64; "
        "cipher 0 in=null out=null; gettag 16; feed; reset; init d alg; ctrl ivfixed -1 R128; "
        "init d k0; ctrl ivgen 1; settag 16; cipher 3 aad; cipher 64; cipher 0 in=null out=null",
        "init d alg; ctrl ivfixed -1 R128; init d k0; ctrl ivgen 1; ctrl ivgen 1; uiv 12; fin; fin",
        "init d alg; ctrl ivfixed -1 R128; init d k0; ctrl ivgen 1; settag 16; cipher 0 in=null",
    };
    for (size_t i = 0; i < COUNT(texts); i++)
        run_for_modes("OpenSSH", GCM, texts[i]);
}

void run_cases_tls(void)
{
    run_parameters();
    run_records();
    run_openssh();
}
