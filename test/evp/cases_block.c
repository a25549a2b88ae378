/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences of ECB, CBC and CTR: padding, the last block, the running IV, num. */
#include "evp.h"

#include <stdlib.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Every value of the last byte, with right padding and with one wrong byte at
   each place, followed by what programs do after a bad decrypt. */
static void run_padding(void)
{
    char text[512], hex[33];

    for (int value = 0; value <= 255; value += value < 20 ? 1 : 47) {
        for (int wrong = -1; wrong < 16; wrong++) {
            if (wrong >= 0 && value > 18)
                continue;
            for (int i = 0; i < 16; i++) {
                int byte = 16 - i <= value ? value : 0x40 + i;
                if (i == 15)
                    byte = value;
                if (i == wrong)
                    byte ^= 1;
                snprintf(hex + 2 * i, 3, "%02x", (unsigned)byte & 0xff);
            }
            snprintf(text, sizeof text,
                     "init e alg k0 i0; pad 0; poke 16 %s; up 32; fin; feed; reset; "
                     "init d alg k0 i0; up 32; fin; init d k0 i0; rewind; up 1; up 30; up 1; fin",
                     hex);
            run_for_modes("padding", BLOCK, text);
        }
    }
}

static void run_last_blocks(void)
{
    char text[256];

    for (int len = 0; len <= 33; len++) {
        for (int pad = 0; pad < 2; pad++) {
            snprintf(text, sizeof text, "init e alg k0 i0; pad %d; up %d; fin; up 3; fin", pad,
                     len);
            run_for_modes("last block", BLOCK, text);
            snprintf(text, sizeof text, "init d alg k0 i0; pad %d; up %d; fin", pad, len);
            run_for_modes("last block", BLOCK, text);
            snprintf(text, sizeof text,
                     "init d alg k0 i0; pad 0; up %d; pad 1; up 16; pad 0; fin; up 16; fin", len);
            run_for_modes("last block", BLOCK, text);
        }
    }
}

void run_cases_block(void)
{
    static const char *const texts[] = {
        /* Padding switched in the middle; the block held back is let go. */
        "init d alg k0 i0; up 32; pad 0; up 0; fin",
        "init d alg k0 i0; up 32; pad 0; fin; up 16; fin",
        "init d alg k0 i0; up 32; pad 0; up 5; up 11; fin",
        "init d alg k0 i0; pad 0; up 32; pad 1; up 0; fin",
        "init d alg k0 i0; pad 0; up 20; pad 1; up 12; pad 0; fin",
        "init d alg k0 i0; up 20; pad 0; up 12; fin",
        "init e alg k0 i0; up 20; pad 0; fin; pad 1; fin; fin",
        "init e alg k0 i0; pad 0; up 20; fin; up 12; fin",
        "init e alg k0 i0; pad 0; up 20; fin; init e; up 16; fin",
        /* A failed final, and going on. */
        "init d alg k0 i0; up 20; fin; up 12; fin",
        "init d alg k0 i0; up 20; fin; init d; rewind; up 32; fin",
        "init d alg k0 i0; fin; up 32; fin",
        /* The IV is restored by an init without one (CBC), and dropped data is gone. */
        "init e alg k0 i0; up 32; fin; init e; rewind; up 32; fin",
        "init e alg k0 i0; up 32; init s; rewind; up 32; fin",
        "init e alg k0 i0; up 37; init s; rewind; up 32; fin",
        "init d alg k0 i0; up 37; init s; rewind; up 48; fin",
        "init e alg k0 i0; up 32; init e k1; rewind; up 32; fin",
        "init e alg k0; up 32; init s; rewind; up 32; fin",
        /* Consecutive updates keep the chain; EVP_Cipher is part of it. */
        "init e alg k0 i0; pad 0; up 16; up 16; up 16; cipher 16; up 16; fin",
        "init d alg k0 i0; pad 0; up 16; up 16; up 16; cipher 16; up 16; fin",
        /* What ctaes does better: another direction without another key. */
        "init e alg k0 i0; init d i0; pad 0; up 32; fin",
        "init d alg k0 i0; init e i0; pad 0; up 32; fin",
        "init e alg k0 i0; up 16; init d; cipher 32",
        "init d alg k0; init e; init d; init e; init d i0; up 32; fin",
        /* num has no meaning here, but can be set and got. */
        "init e alg k0 i0; num 0; get num:u4; num 3; get num:u4; up 20; fin; init e; get num:u4",
        "init e alg k0 i0; num 15; up 20; copy; get num:u4; fin",
        "init e alg k0 i0; num 16",
        "init e alg k0 i0; num -1",
        "init e alg k0 i0; set num:u8=4294967296; get num:u4; up 16",
        "init e alg k0 i0; set use-bits:u4=1; up 20; fin",
    };
    for (size_t i = 0; i < COUNT(texts); i++)
        run_for_modes("block modes", BLOCK, texts[i]);
    run_padding();
    run_last_blocks();
}

void run_cases_ctr(void)
{
    static const char *const texts[] = {
        "init e alg k0 i0; num 0; get num:u4; up 20; get num:u4; num 0; up 20; get num:u4; fin",
        "init e alg k0 i0; up 5; num 0; up 11; up 16; fin",
        "init e alg k0 i0; num 1",
        "init e alg k0 i0; num 15",
        "init e alg k0 i0; up 3; num 16",
        "init e alg k0 i0; set num:u1=3",
        "init e alg k0 i0; set num:i4=-1; up 20",
        "init e alg k0 i0 num:u4=0; up 20",
        "init e alg k0 i0; set num:os=R4; set num:r8=0; up 20; set num:r8=0.5; up 20",
        /* CTR's counter goes on when an init brings no IV, the keystream block doesn't. */
        "init e alg k0 i0; up 5; init e; up 20; init s; up 16; init s; up 16",
        "init e alg k0 i0; up 16; init d; up 20; init e; up 3; fin",
        "init e alg k0 i0; up 5; init e k1; up 20; fin",
        "init e alg k0 i0; up 5; init e i1; up 20; fin",
        "init e alg k0 i0; up 20; feed; init d k0 i0; up 20; fin",
        "init d alg k0 i0; up 20; feed; init e i0; up 20; fin",
        "init e alg k0 i0; up 5; fin; up 20; fin; up 7",
        "init e alg k0 i0; up 5; cipher 6; up 5; cipher 16; cipher 1; up 1",
        "init e alg k0 i0; set tls-mac-size:u8=20; up 20; get tls-mac:op/8",
        "init e alg k0 i0; pad 0; up 20; fin; pad 1; up 3",
    };
    char text[1024];

    for (size_t i = 0; i < COUNT(texts); i++)
        run_for_modes("CTR", STREAM, texts[i]);
    for (int iv = 2; iv < 8; iv++) {
        snprintf(text, sizeof text, "init e alg k0 i%d; up 15; up 1; up 16; up 33; up 2000; fin",
                 iv);
        run_for_modes("CTR's carry", STREAM, text);
        snprintf(text, sizeof text, "init d alg k1 i%d; align 5 7; up 4100; up 1; up 31 same", iv);
        run_for_modes("CTR's carry", STREAM, text);
        snprintf(text, sizeof text, "init d alg k1 i%d; cipher 16; cipher 16; cipher 50; uiv 16",
                 iv);
        run_for_modes("CTR's carry", STREAM, text);
    }
    for (int step = 1; step < 17; step++) {
        snprintf(text, sizeof text,
                 "init e alg k0 i2; up %d; up %d; up %d; up %d; up %d; up %d; init e i3; up %d; "
                 "copy; up %d; up %d; cipher %d; up %d",
                 step, step, step, step, step, step, step, step, step, step, step);
        run_for_modes("CTR in small steps", STREAM, text);
    }
}
