/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences of CFB and OFB: the feedback register, num, CFB1's bits; and of CBC-CTS. */
#include "evp.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

void run_cases_feedback(void)
{
    static const char *const texts[] = {
        /* The register, in the middle of a block and after it. */
        "init e alg k0 i0; up 5; uiv 16; get num:u4; up 11; uiv 16; get num:u4; up 16; uiv 16; fin",
        "init d alg k0 i0; up 5; uiv 16; get num:u4; up 11; uiv 16; get num:u4; up 16; uiv 16; fin",
        "init e alg k0 i0; up 33; get updated-iv:op/16 iv:op/16; copy; uiv 16; up 15; uiv 16; fin",
        /* An init without an IV starts from the one given last. */
        "init e alg k0 i0; up 37; init e; uiv 16; rewind; up 37; fin",
        "init e alg k0 i0; up 37; init s k1; uiv 16; rewind; up 37; fin",
        "init d alg k0 i0; up 37; init d; rewind; up 37; init e; rewind; up 37",
        "init e alg k0 i0; up 5; init e i1; up 20; init s; up 20; fin",
        "init e alg k0; up 20; init s; uiv 16; up 20; fin",
        "init e alg k0; up 5; init s; uiv 16; get num:u4; up 5; fin",
        "init e alg i0; init e k0; up 20; init d k1; up 20; fin",
        /* A new place in the block, without a new register. */
        "init e alg k0 i0; up 5; num 0; uiv 16; up 20; uiv 16; fin",
        "init d alg k0 i0; up 5; num 0; uiv 16; up 20; uiv 16; fin",
        /* Another direction, from the same key. */
        "init e alg k0 i0; up 20; init d; up 20; init e i1; up 7; init s; up 7; fin",
        "init e alg k0 i0; up 50; feed; init d i0; up 50; fin",
        "init e alg k0 i0; cipher 3; up 3; cipher 20; up 20; cipher 6; uiv 16; fin",
        "init d alg k0 i0; cipher 3; up 3; cipher 20; up 20; cipher 6; uiv 16; fin",
        "init d alg k0 i0; up 3 same; cipher 100 same; up 1100 same; uiv 16; up 63; up 64; up 65",
        "init e alg k0 i0; up 3 same; cipher 100 same; up 1100 same; uiv 16; up 63; up 64; up 65",
    };
    /* Bits: only CFB1 has a use for them, the others take the parameter. */
    static const char *const bits[] = {
        "init e alg k0 i0; set use-bits:u4=1; up 1; up 7; up 8; up 3; uiv 16; up 20; up 0; fin",
        "init d alg k0 i0; set use-bits:u4=1; up 1; up 7; up 8; up 3; uiv 16; up 20; up 0; fin",
        "init e alg k0 i0; set use-bits:u4=1; up 65; set use-bits:u4=0; up 65; uiv 16; fin",
        "init d alg k0 i0 use-bits:u4=5; up 65; cipher 9; copy; up 200; uiv 16; init s; up 3; fin",
        "init e alg k0 i0 use-bits:i4=1; up 13 same; cipher 27 same; up 129 same; uiv 16",
        "init d alg k0 i0 use-bits:i4=1; up 13 same; cipher 27 same; up 129 same; uiv 16",
        "init d alg k0 i0 use-bits:u4=1; reset; init d alg k0 i0; up 9; init d k1 i1; up 9",
        "init e alg k0 i0; up 9; set use-bits:u1=1; num 0; dup; up 9; set use-bits:os=R4; up 9",
        "init e alg k0 i0 use-bits:u4=1; fork; set use-bits:u4=0; up 2; swap; up 2; uiv 16",
        "init e alg use-bits:u4=1; init e k0 i0; up 1; up 1; up 1; up 1; up 1; up 1; up 1; up 1",
        "init d alg use-bits:u4=1; init d k0 i0; up 100; up 27; up 1; up 64; up 63; uiv 16",
    };
    char text[1024];

    for (size_t i = 0; i < COUNT(texts); i++)
        run_for_modes("feedback", FEEDBACK, texts[i]);
    for (size_t i = 0; i < COUNT(bits); i++)
        run_for_modes("bits", STREAM, bits[i]);
    for (int n = 1; n < 140; n += n < 20 ? 1 : 17) {
        snprintf(text, sizeof text,
                 "init %s alg k0 i0; set use-bits:u4=1; up %d; up %d; align 3 1; up %d; cipher %d; "
                 "uiv 16; fin",
                 n % 2 == 0 ? "e" : "d", n, n, n, n);
        run_for_modes("bits", CFB, text);
    }
}

/* cts_mode is a text: CS1, CS2, CS3. */
void run_cases_cts(void)
{
    static const char *const names[] = {"x435331", "x435332", "x435333", "x637332", "x63533300"};
    static const char *const texts[] = {
        /* One update for a message; an init starts another one. */
        "init e alg k0 i0; up 20; up 20; fin; up 20; fin",
        "init d alg k0 i0; up 20; up 20; fin; up 20; fin",
        "init e alg k0 i0; up 15; up 1; up 0; up 16; up 16; uiv 16; fin",
        "init e alg k0 i0; up 20; uiv 16; init s; uiv 16; rewind; up 20; uiv 16; fin",
        "init e alg k0; up 20; uiv 16; init s; uiv 16; up 20; uiv 16; fin",
        "init e alg k0 i0; up 20; init e i1; up 33; init e k1; up 40; fin",
        "init d alg k0 i0; up 20; init d i1; up 33; init d k1; up 40; fin",
        "init e alg k0 i0; up 20; init e alg k0 i0; up 20; fin",
        "init e alg k0 i0; up 20; copy; up 20; init s; up 20; fin",
        "init e alg k0 i0; fork; up 20; swap; up 20; fin; swap; up 20",
        /* Without an output it says the length, and the message is yet to come. */
        "init e alg k0 i0; aad 20; aad 15; up 20 out=null; up 20; up 20 out=null; fin",
        "init e alg; aad 20; fin; aad 3; up 3; fin",
        "init e alg k0 i0; up 0; up 0 in=null; up 0 in=null out=null; fin; fin",
        "init e alg k0 i0; fin out=null; up 20; fin out=null",
        /* EVP_Cipher is CBC, and isn't the message. */
        "init e alg k0 i0; cipher 32; up 20; cipher 32; uiv 16; up 20; fin",
        "init d alg k0 i0; cipher 32; up 20; cipher 32; uiv 16; up 20; fin",
        "init e alg k0 i0; set cts_mode:us=x435333; cipher 32; cipher 48; up 32; fin",
        /* The variant: got, kept, refused. */
        "init e alg; get cts_mode:us/16; get cts_mode:us/3; get cts_mode:us/2; get cts_mode:us/4",
        "init e alg; get cts_mode:us/null cts_mode:up/8; get cts_mode:os/16; get cts_mode:u4",
        "init e alg k0 i0 cts_mode:us=x435333; get cts_mode:us/16; init d; get cts_mode:us/16; "
        "init e k1 i1; up 32; copy; get cts_mode:us/16; init s; up 40; fin",
        "init e alg cts_mode:us=x435332; init e k0; init e i0; up 20; reset; init e alg k0 i0; "
        "up 20",
        "init e alg k0 i0; set cts_mode:us=x435334; get cts_mode:us/16; up 20",
        "init e alg k0 i0; set cts_mode:us=x435333; set cts_mode:us=x00; set cts_mode:us=x4353; "
        "set cts_mode:us=x4353333300; set cts_mode:os=x435331; set cts_mode:up=x435331; "
        "set cts_mode:u4=1; get cts_mode:us/16; up 32; fin",
        "init e alg k0 i0 cts_mode:us=x00; up 20; init e k1 cts_mode:us=x4142; up 20; fin",
        "init e alg k0 i0; set cts_mode:us=x435333 padding:os=R4; get cts_mode:us/16 padding:u4; "
        "up 32",
        "init e alg k0 i0; set padding:u4=0 cts_mode:us=x414243; get padding:u4; up 32; fin",
        "init e alg k0 i0; get keylen:u8 cts_mode:us/16 ivlen:u8 cts_mode:us/8 padding:u4",
        "init e alg k0 i0; pad 0; up 33; fin; pad 1; init s; up 33; fin",
        "init e alg k0 i0; num 3; get num:u4; up 20; get num:u4; init s; get num:u4; fin",
        "init e alg k0 i0; set use-bits:u4=1; up 20; fin",
        "init e alg k0 i0; set tls-mac-size:u8=20; get tls-mac:op/8; up 20; fin",
    };
    char text[512];

    for (size_t i = 0; i < COUNT(texts); i++)
        run_for_modes("CBC-CTS", CTS, texts[i]);
    for (int len = 0; len < 1300; len += len < 100 ? 1 : 37)
        for (size_t n = 0; n < COUNT(names); n++) {
            snprintf(text, sizeof text,
                     "init e alg k0 i0 cts_mode:us=%s; align %d %d; up %d%s; uiv 16; fin; feed; "
                     "init d alg k0 i0; set cts_mode:us=%s; up %d; uiv 16; fin",
                     names[n], len % 16, len * 3 % 16, len, n % 2 == 1 ? " same" : "", names[n],
                     len);
            run_for_modes("CBC-CTS lengths", CTS, text);
            snprintf(text, sizeof text,
                     "init d alg k0 i0 cts_mode:us=%s; up %d%s; uiv 16; init s; up %d; fin",
                     names[n], len, n % 2 == 0 ? " same" : "", len);
            run_for_modes("CBC-CTS lengths", CTS, text);
        }
}
