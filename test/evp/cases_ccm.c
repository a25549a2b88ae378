/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences of CCM: lengths, tags, the one update of data, TLS records, misuse. */
#include "evp.h"

#include <stdlib.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* A message, encrypted, kept, and ready to be decrypted from the tape and T. */
#define SEALED                                                                                     \
    "init e alg; ctrl ivlen 12; ctrl settag 16 null; init e k0 i0; up 50 in=null out=null; aad "   \
    "20; up 50; fin; gettag 16; feed; reset; "
#define OPEN "init d alg; ctrl ivlen 12; ctrl settag 16 null; init d k0 i0; "
#define LENGTH " in=null out=null; "

static void run_lengths(void)
{
    char text[512];

    for (int iv_len = 6; iv_len <= 14; iv_len++) {
        for (int tag_len = 3; tag_len <= 17; tag_len++) {
            snprintf(
                text, sizeof text,
                "init e alg; ctrl ivlen %d; ctrl settag %d null; init e k0 i0; info; up 50" LENGTH
                "aad 20; up 50; fin; gettag %d; feed; init d alg; set ivlen:u8=%d; "
                "init d k0; settag %d; init d i0; info; up 50" LENGTH "aad 20; up 50; fin",
                iv_len, tag_len, tag_len, iv_len, tag_len);
            run_for_modes("CCM's lengths", CCM, text);
            snprintf(text, sizeof text,
                     "init e alg k%d i%d ivlen:u4=%d tag:os=null/%d; up 33; gettag 12; gettag %d",
                     tag_len % 3, iv_len % 8, iv_len, tag_len, tag_len);
            run_for_modes("CCM's lengths as parameters", CCM, text);
        }
        snprintf(text, sizeof text, "init e alg; ctrl setl %d; init e k0 i0; up 20; gettag 12",
                 iv_len - 5);
        run_for_modes("CCM's L", CCM, text);
    }
    static const int aads[] = {0, 1, 5, 13, 14, 15, 16, 29, 30, 31, 32, 33, 46, 47, 300, 2100};
    static const int lens[] = {0, 1, 15, 16, 17, 33, 100, 255, 511, 512, 513, 1799, 2049};
    for (size_t i = 0; i < COUNT(aads); i++) {
        for (size_t k = 0; k < COUNT(lens); k++) {
            snprintf(text, sizeof text,
                     "init e alg k0 i0; up %d" LENGTH "aad %d; up %d; fin; gettag 12; feed; init d "
                     "alg k0 i0; settag 12; up %d" LENGTH "aad %d; up %d same; fin; init d i1; "
                     "up 5",
                     lens[k], aads[i], lens[k], lens[k], aads[i], lens[k]);
            run_for_modes("AAD and data", CCM, text);
        }
    }
    /* More data than the length's field of 2 bytes can say, and just as much. */
    run_for_modes("CCM's field of 2 bytes", CCM,
                  "init e alg; ctrl ivlen 13; init e k0 i0; up 70000" LENGTH "up 4464; gettag 12");
}

static void run_tags(void)
{
    char text[512];

    for (int bit = 0; bit < 128; bit += 9) {
        snprintf(text, sizeof text,
                 SEALED OPEN "fliptag %d; settag 16; up 50" LENGTH "aad 20; up 50", bit);
        run_for_modes("forged tag", CCM, text);
        snprintf(text, sizeof text,
                 SEALED OPEN "flip %d 3; settag 16; up 50" LENGTH "aad 20; up 50; fin", bit % 50);
        run_for_modes("forged data", CCM, text);
    }
    static const char *const texts[] = {
        SEALED OPEN "settag 16; up 50" LENGTH "aad 20; up 50; fin",
        SEALED OPEN "up 50" LENGTH "settag 16; aad 20; up 50; fin",
        SEALED OPEN "up 50" LENGTH "aad 20; settag 16; up 50; fin",
        SEALED OPEN "up 50" LENGTH "aad 20; up 50; settag 16; up 50; fin",
        SEALED "init d alg; ctrl ivlen 12; settag 16; init d k0 i0; up 50" LENGTH
               "aad 20; up 50; fin",
        SEALED "init d alg k0 i0 ivlen:u8=12 tag:os=T16; up 50" LENGTH "aad 20; up 50",
        SEALED OPEN "settag 16; up 50" LENGTH "aad 19; up 50; fin",
        SEALED OPEN "settag 16; up 50" LENGTH "up 50; fin",
        SEALED OPEN "settag 16; up 50; fin",
        SEALED OPEN "settag 16; up 49" LENGTH "aad 20; up 49; fin",
        SEALED OPEN "settag 16; up 51" LENGTH "aad 20; up 50; up 50",
        SEALED OPEN "settag 4; up 50" LENGTH "aad 20; up 50",
        SEALED OPEN "settag 16; init d i1; up 50" LENGTH "aad 20; up 50",
        SEALED OPEN "settag 16; init d k1 i0; up 50" LENGTH "aad 20; up 50",
        SEALED OPEN "settag 16; up 50" LENGTH "aad 20; up 50; up 50; fin; info",
        SEALED OPEN "fliptag 0; settag 16; up 50" LENGTH "aad 20; up 50; fin; fliptag 0; settag "
                    "16; up 50",
        SEALED OPEN "fliptag 0; settag 16; up 50" LENGTH "aad 20; up 50; fliptag 0; settag 16; "
                    "init d i0; rewind; up 50" LENGTH "aad 20; up 50",
        "init d alg k0 i0; settag 0; settag 2; settag 3; settag 5; settag 17; settag 18; settag "
        "-1; settag 12; info",
        "init d alg k0 i0; ctrl settag 16 null; ctrl settag 0 null; ctrl settag 7 null; info",
        "init d alg k0 i0; set tag:us=R8; set tag:op=R8; set tag:u8=5; set tag:os=R16@-1; info",
        "init e alg k0 i0; settag 12; set tag:os=R16; info; up 20; fin; gettag 12",
        "init e alg k0 i0; gettag 12; up 20; gettag 0; gettag 13; gettag 16; gettag 12; gettag 12",
        "init e alg k0 i0; up 20; get tag:us/12; get tag:op/8; get tag:u8; get tag:os/12; up 5",
        "init d alg k0 i0; settag 12; gettag 12; up 20; gettag 12",
        /* Lengths after the key. */
        "init e alg k0 i0; ctrl settag 16 null; up 20; gettag 16; gettag 12",
        "init e alg k0; ctrl ivlen 12; init e i0; up 20; gettag 12",
        "init e alg; ctrl ivlen 12; init e k0; ctrl ivlen 7; init e i0; up 20; gettag 12",
        "init e alg k0 i0; ctrl ivlen 8; up 20; ctrl ivlen 7; up 20; init e i0; up 20; gettag 12",
        "init d alg k0 i0; settag 16; up 20; fin",
        "init d alg k0 i0; settag 12; ctrl ivlen 8; fin; init e; gettag 12",
        "init e alg k0 i3 ivlen:u8=8; init e k0 i3; fin; up 32",
        "init d alg k0 i0; settag 12; up 1" LENGTH "encfin; aad 20; up 14; up 1 same",
        "init d alg k0 i0; up 12; settag 12; up 0; up 20" LENGTH "aad 5; up 20",
        "init e alg; ctrl ivlen 6; ctrl ivlen 14; ctrl ivlen -1; ctrl ivlen 13; info; ctrl setl 1; "
        "ctrl setl 9; ctrl setl 8; info",
        "init e alg k0 i0; set ivlen:i4=-5; set ivlen:os=R8; set ivlen:u8=7; up 5; gettag 12",
        "init e alg k0 i0; uiv 6; uiv 7; uiv 13; uiv 16; oiv 0; oiv 7; get iv:op/16; get iv:us/16",
        "init e alg; get iv:os/16; get updated-iv:os/7; get taglen:u4 ivlen:u4 tlsaadpad:u4",
    };
    for (size_t i = 0; i < COUNT(texts); i++)
        run_for_modes("CCM's tag", CCM, texts[i]);
}

static void run_uses(void)
{
    static const char *const texts[] = {
        "init e alg; up 20; fin; aad 5; cipher 5; init e k0; up 20; aad 5; up 5" LENGTH "fin",
        "init e alg i0; up 20; init e k0; up 20; gettag 12",
        "init e alg k0; init e i0; up 20; gettag 12; init e i1; up 20; gettag 12",
        "init e alg k0 i0; aad 5; up 20" LENGTH "aad 0; aad 5; aad 0; up 20; gettag 12",
        "init e alg k0 i0; up 20" LENGTH "up 30" LENGTH "up 30; gettag 12",
        "init e alg k0 i0; up 20" LENGTH "aad 16; init e; up 20; gettag 12",
        "init e alg k0 i0; up 20" LENGTH "up 19; up 20",
        "init e alg k0 i0; up 20; gettag 12; up 20; aad 5; up 5" LENGTH "fin; gettag 12",
        "init e alg k0 i0; up 20; up 20; gettag 12",
        "init e alg k0 i0; up 20; up 20" LENGTH "up 20",
        "init e alg k0 i0; up 20; init e; up 20",
        "init e alg k0 i0; up 20; init e k0; up 20",
        "init e alg k0 i0; up 20; init e i1; up 20; gettag 12",
        "init e alg k0 i0; up 20" LENGTH "init e i1; up 20; gettag 12",
        "init e alg k0 i0; up 20" LENGTH "init e k1; up 20; gettag 12",
        "init e alg k0 i0; up 20" LENGTH "aad 5; aad 5; up 20; gettag 12",
        "init e alg k0 i0; up 20" LENGTH "aad 5; up 20" LENGTH "up 20; gettag 12",
        "init e alg k0 i0; up 5 in=null; up 0 in=null; up 20; gettag 12",
        /* Nothing to encrypt. */
        "init e alg k0 i0; up 0; gettag 12; init d i0; settag 12; up 0; fin",
        "init e alg k0 i0; up 0" LENGTH "aad 20; up 0; gettag 12; rewind; init d i0; settag 12; "
        "up 0" LENGTH "aad 20; up 0; fin",
        "init e alg k0 i0; up 0; gettag 12; fliptag 5; init d i0; settag 12; up 0; fin",
        "init e alg k0 i0; fin; gettag 12",
        "init e alg k0 i0; up 0" LENGTH "aad 5; fin; gettag 12",
        "init d alg k0 i0; settag 12; fin",
        "init d alg k0 i0; fin; fin",
        "init e alg k0; fin; init d; fin; settag 12; fin",
        /* One-shot. */
        "init e alg k0 i0; cipher 50; gettag 12; feed; init d i0; settag 12; cipher 50",
        "init e alg k0 i0; cipher 50; gettag 12; feed; init d i0; fliptag 3; settag 12; cipher 50",
        "init e alg k0 i0; up 50" LENGTH "cipher 20 aad; cipher 50; gettag 12; feed; init d i0; "
        "settag 12; up 50" LENGTH "cipher 20 aad; cipher 50 same",
        "init e alg k0 i0; cipher 0 in=null out=null; gettag 12",
        "init e alg k0 i0; cipher 5 in=null out=null; cipher 5 aad; cipher 5; gettag 12",
        "init e alg; cipher 5; cipher 5 aad; init e k0; cipher 5; cipher 5 aad",
        "init d alg k0 i0; cipher 5; cipher 0 in=null",
        /* Both directions, copies. */
        "init e alg k0 i0; init d; up 20; settag 12; up 20",
        "init d alg k0 i0; settag 12; init e i0; up 20; gettag 12",
        "init e alg k0 i0; up 5; init d i0; up 5; settag 12; up 5",
        "init e alg k0; fork; swap; init e i0; up 20; gettag 12; swap; init e i1; up 20; gettag 12",
        "init e alg k0 i0; up 20" LENGTH "aad 20; fork; up 20; gettag 12; swap; skip 3; up 20; "
        "gettag 12",
        "init e alg k0 i0; up 20; copy; gettag 12; up 5",
        "init d alg k0 i0; settag 12; up 20" LENGTH "aad 5; copy; up 20; copy; fin",
        /* TLS 1.3: a key once, then for each record an IV, the tag, the length. */
        "init e alg; ctrl ivlen 12; ctrl settag 16 null; init e k0; init e i0; up 40" LENGTH
        "aad 5; up 40 same; fin out=null; gettag 16; init e i1; up 40" LENGTH
        "aad 5; up 40 same; fin out=null; gettag 16",
        "init d alg; ctrl ivlen 12; ctrl settag 8 null; init d k0; init d i0; settag 8; up "
        "40" LENGTH "aad 5; up 40 same; fin; init d i1; settag 8; up 40" LENGTH "aad 5; up 40; fin",
        "init e alg k0 i0; pad 0; pad 1; get padding:u4 num:u4; num 3; keylen 16; keylen 32; up 5",
        "init e alg k0 i0; set tls-version:u4=771 tls-mac-size:u8=0; up 20; gettag 12",
        "init e alg k0 i0; ctrl ivgen 8; ctrl ivinv 8 R8; get tlsivgen:os/8; up 20; gettag 12",
        "align 5 9; init e alg k0 i0; up 333 same; gettag 12",
        "init e alg k0 i0; encup 5; decup 5; encfin; decfin; gettag 12",
        "init e alg k0; toasn1; fromasn1 7; fromasn1 16; up 5; gettag 12",
    };
    for (size_t i = 0; i < COUNT(texts); i++)
        run_for_modes("CCM in use", CCM, texts[i]);
}

#define TLS(dir, tag) "init " dir " alg; ctrl ivlen 12; ctrl settag " tag " null; init " dir " k0; "

static void run_records(void)
{
    char text[1024];
    static const int lens[] = {0, 1, 15, 16, 17, 100, 512, 1000, 4000};
    for (size_t i = 0; i < COUNT(lens); i++) {
        for (int tag = 8; tag <= 16; tag += 8) {
            const int len = lens[i], record = len + 8 + tag;
            snprintf(
                text, sizeof text,
                "init e alg; ctrl ivlen 12; ctrl settag %d null; init e k0; ctrl ivfixed 4 R4; "
                "tlsaad %d; get tlsaadpad:u8; up %d same; feed; reset; "
                "init d alg; ctrl ivlen 12; ctrl settag %d null; init d k0; ctrl ivfixed 4 "
                "R4; tlsaad %d; up %d same; rewind; flip %d 2; tlsaad %d; up %d same; flip %d "
                "2; rewind; tlsaad %d 0302; cipher %d same",
                tag, len + 8, record, tag, record, record, i % 2 == 0 ? 3 : record - 3, record,
                record, i % 2 == 0 ? 3 : record - 3, record, record);
            run_for_modes("TLS 1.2 record", CCM, text);
        }
    }
    static const char *const texts[] = {
        TLS("e", "16") "tlsaad 7; tlsaad 8; up 24 same; ctrl tlsaad 12 R12; ctrl tlsaad 14 R14",
        TLS("d", "16") "tlsaad 23; tlsaad 24; up 24 same; tlsaad 24; up 23 same",
        TLS("e", "16") "ctrl ivfixed 3 R3; ctrl ivfixed 5 R5; ctrl ivfixed -1 R12; uiv 12",
        TLS("e", "16") "set tlsivfixed:us=R4; set tlsaad:us=R13; set tlsivfixed:os=R4; uiv 12",
        TLS("e", "16") "ctrl ivfixed 4 R4; tlsaad 40; up 56; tlsaad 40; up 56 same; up 56 same",
        TLS("e", "16") "ctrl ivfixed 4 R4; tlsaad 40; up 23 same; tlsaad 40; up 24 same; uiv 12",
        TLS("e",
            "16") "ctrl ivfixed 4 R4; tlsaad 40; fork; up 56 same; swap; up 56 same; gettag 16",
        TLS("e", "16") "tlsaad 40; aad 5; up 5" LENGTH "fin; init e i0; fin; up 20",
        "init e alg k0; ctrl ivfixed 4 R4; tlsaad 40; up 52 same",
        "init e alg; tlsaad 40; up 52 same; init e k0; up 52 same",
        TLS("e", "16") "ctrl settag 8 null; ctrl ivfixed 4 R4; tlsaad 40; up 56 same",
        TLS("d", "16") "ctrl ivfixed 4 R4; tlsaad 40; settag 16; up 40 same",
        TLS("d", "16") "ctrl ivfixed 4 R4; tlsaad 40; init e; up 40 same; tlsaad 24; up 40 same",
    };
    for (size_t i = 0; i < COUNT(texts); i++)
        run_for_modes("TLS 1.2 records, odd", CCM, texts[i]);
}

void run_cases_ccm(void)
{
    run_lengths();
    run_tags();
    run_uses();
    run_records();
}
