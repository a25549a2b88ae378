/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sequences of TLS records in CBC mode: as libssl makes and opens them, and as a
 * forger does. (ECB and CTR take the same parameters.)
 *
 * Where the padding is bad, the MAC is random. Both sides draw from one known
 * stream here, so that even that is equal; alone.c has the real one.
 */
#include "evp.h"

#include <stdlib.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* SSL 3 to TLS 1.2; DTLS before it was 1.0, 1.0, 1.2; TLS 1.3, which has no CBC, and none. */
static const unsigned versions[] = {0x300, 0x301, 0x302, 0x303, 0x100, 0xfeff, 0xfefd, 0x304, 1};
enum { REAL_VERSIONS = 7 };

/* 0: encrypt-then-MAC. */
static const unsigned mac_sizes[] = {0, 20, 32, 48, 16, 64, 1};

static void run_one(const char *title, const char *text)
{
    char all[4096];
    snprintf(all, sizeof all, "AES-128-CBC: %s", text);
    run_sequence(title, all);
}

/* Two records encrypted and then decrypted, as libssl does it; len: IV, payload and MAC. */
static void run_round_trip(const char *title, unsigned modes, unsigned version, unsigned mac,
                           unsigned len)
{
    char text[512];
    unsigned padded = len - len % 16 + 16;

    snprintf(text, sizeof text,
             "init e alg k0 i0; set tls-version:i4=%u tls-mac-size:u8=%u; up %u same; up %u same; "
             "uiv 16; feed; init d alg k0 i0; set tls-version:i4=%u tls-mac-size:u8=%u; "
             "up %u same; get tls-mac:op/8; up %u same; get tls-mac:op/8; uiv 16",
             version, mac, len, len, version, mac, padded, padded);
    if (modes == 0)
        run_one(title, text);
    else
        run_for_modes(title, modes, text);
}

static void run_round_trips(void)
{
    for (size_t v = 0; v < COUNT(versions); v++) {
        for (size_t m = 0; m < COUNT(mac_sizes); m++) {
            unsigned least = (versions[v] != 0x300 && versions[v] != 0x301 ? 16 : 0) + mac_sizes[m];
            run_round_trip("record", GENERIC, versions[v], mac_sizes[m], least + 100);
            run_round_trip("empty record", GENERIC, versions[v], mac_sizes[m], least);
            for (unsigned len = 0; len <= 18; len++)
                run_round_trip("short record", 0, versions[v], mac_sizes[m], least + len);
            for (unsigned len = 250; len <= 290; len += 5)
                run_round_trip("record", 0, versions[v], mac_sizes[m], len);
            run_round_trip("long record", 0, versions[v], mac_sizes[m], 3000 + 7 * (unsigned)m);
        }
    }
    /* What is too short to be one, and lengths that aren't whole blocks. */
    for (size_t v = 0; v < COUNT(versions); v++) {
        for (size_t m = 0; m < COUNT(mac_sizes); m++) {
            for (unsigned len = 0; len <= 144; len += len % 16 == 0 && len > 32 ? 16 : 1) {
                char text[256];
                snprintf(text, sizeof text,
                         "init d alg k0 i0 tls-version:u4=%u tls-mac-size:u4=%u; up %u same; uiv "
                         "16; up 160 same",
                         versions[v], mac_sizes[m], len);
                run_one("short record", text);
            }
        }
    }
}

/* A record of len bytes that ends with padding of value n, where byte `wrong` from the end is
   changed unless that is negative. */
static void run_padding(unsigned modes, unsigned version, unsigned mac, unsigned len, unsigned n,
                        int wrong)
{
    char text[1024], hex[513];
    unsigned bytes = n + 1 < len ? n + 1 : len;

    for (unsigned i = 0; i < bytes; i++)
        snprintf(hex + 2 * i, 3, "%02x",
                 (wrong >= 0 && i == bytes - 1 - (unsigned)wrong ? n ^ 1 : n) & 0xff);
    snprintf(text, sizeof text,
             "init e alg k0 i0; pad 0; poke %u %s; up %u; feed; reset; init d alg k0 i0; "
             "set tls-version:i4=%u tls-mac-size:u8=%u; up %u same; get tls-mac:op/8",
             len - bytes, hex, len, version, mac, len);
    if (modes == 0)
        run_one("padding", text);
    else
        run_for_modes("padding", modes, text);
}

static void run_paddings(void)
{
    static const unsigned lens[] = {16, 32, 48, 64, 80, 256, 272, 288, 304, 320, 336, 400};

    for (size_t m = 0; m < COUNT(mac_sizes); m++) {
        for (size_t l = 0; l < COUNT(lens); l++) {
            /* Every value; some that are longer than the record or reach into the MAC. */
            for (unsigned n = 0; n < 256; n += n < 20 || n > 250 || l == 9 ? 1 : 7)
                run_padding(0, n % 2 != 0 ? 0x303 : 0x301, mac_sizes[m], lens[l], n, -1);
            for (unsigned n = 12; n < 20; n++)
                run_padding(0, 0x300, mac_sizes[m], lens[l], n, -1);
            /* One wrong byte: in the padding, or just before it. */
            for (int wrong = 1; wrong < 256; wrong += wrong < 18 || wrong > 250 ? 1 : 9) {
                run_padding(0, 0x302, mac_sizes[m], lens[l], 255, wrong);
                run_padding(0, 0xfefd, mac_sizes[m], lens[l], (unsigned)wrong, wrong);
                run_padding(0, 0x303, mac_sizes[m], lens[l], (unsigned)wrong & 15, wrong & 15);
            }
        }
    }
    for (size_t v = 0; v < COUNT(versions); v++) {
        for (unsigned n = 0; n < 20; n++)
            run_padding(BLOCK, versions[v], 20, 80, n, n % 3 == 0 ? (int)n / 2 : -1);
    }
}

/* The MAC's place differs, its size too: all that fit one record. */
static void run_macs(void)
{
    for (unsigned mac = 0; mac <= 70; mac++) {
        for (unsigned n = 0; n < 256; n += 1 + (n + mac) % 13)
            run_padding(0, 0x303, mac, 336, n, -1);
        run_padding(0, 0x303, mac, 336, 40, 3);
        run_padding(0, 0x301, mac, 80, 79 - mac, -1);
        run_padding(0, 0x301, mac, 80, 78 - mac, -1);
    }
    static const char *const sizes[] = {"65", "127", "18446744073709551615", "4294967296", "-1"};
    char text[256];
    for (size_t i = 0; i < COUNT(sizes); i++) {
        snprintf(text, sizeof text,
                 "init d alg k0 i0; set tls-version:u4=771; set tls-mac-size:%s=%s; up 160 same; "
                 "get tls-mac:op/8; uiv 16; set tls-mac-size:u8=20; up 160 same",
                 sizes[i][0] == '-' ? "i4" : "u8", sizes[i]);
        run_for_modes("size of the MAC", GENERIC, text);
    }
}

void run_cases_records(void)
{
    static const char *const texts[] = {
        /* Versions as numbers of other types; and none. */
        "init e alg k0 i0; set tls-version:u4=0; up 20; fin",
        "init e alg k0 i0 tls-version:u4=771 tls-mac-size:u4=20; up 40 same; fin",
        "init e alg k0 i0; set tls-version:u8=4294967296; up 40 same",
        "init e alg k0 i0; set tls-version:i4=-1; up 40 same; set tls-version:os=R4; up 40 same",
        "init d alg k0 i0; set tls-version:i4=2147483647; up 64 same; set tls-version:u4=4294967295"
        "; up 64 same",
        "init e alg k0 i0; set tls-mac-size:u8=20; get tls-mac:op/8 tls-mac:os/32; up 20; fin",
        "init e alg k0 i0; set tls-mac-size:u8=48; copy; get tls-mac:op/8; up 20; fin",
        /* Not in place, without padding, without a key, at NULL, by EVP_Cipher. */
        "init e alg k0 i0; set tls-version:i4=771; up 40; up 40 same; up 40 in=null; up 0; "
        "up 0 same; fin",
        "init d alg k0 i0; set tls-version:i4=771; up 48; up 48 same; up 48 in=null out=null; "
        "fin; up 47 same; up 48 same",
        "init e alg k0 i0; set tls-version:i4=771; pad 0; up 48 same; pad 1; up 48 same",
        "init d alg k0 i0; set tls-version:i4=771; pad 0; up 48 same; pad 1; up 48 same",
        "init e alg; set tls-version:i4=771; up 48 same; fin; init e k0; up 48 same",
        "init e alg k0 i0; set tls-version:i4=771; cipher 48; cipher 32 same; up 48 same",
        "init d alg k0 i0; set tls-version:i4=771; cipher 48; cipher 32 same; up 48 same",
        "init e alg k0 i0; place 100; set tls-version:i4=771; up 40; up 16",
        /* Records on and off, with a part of a block that waits. */
        "init e alg k0 i0; up 5; set tls-version:i4=771; up 40 same; set tls-version:i4=0; up 11; "
        "fin",
        "init d alg k0 i0; up 16; set tls-version:i4=771; up 48 same; set tls-version:i4=0; up 16; "
        "up 16; fin",
        "init d alg k0 i0; up 32; set tls-version:i4=771; fin; set tls-version:i4=0; pad 0; fin",
        "init e alg k0 i0; up 5; set tls-version:i4=771; init e; up 40 same; set tls-version:i4=0; "
        "up 11; fin",
        /* An init keeps version, size and MAC; another cipher object doesn't. */
        "init d alg k0 i0; set tls-version:i4=769 tls-mac-size:u8=20; up 160 same; init d i1; "
        "get tls-mac:op/8; up 160 same; init e; up 40 same; get tls-mac:op/8; init d alg k0 i0; "
        "get tls-mac:op/8; up 160 same; fin",
        "init d alg k0 i0; set tls-version:i4=770 tls-mac-size:u8=20; up 160 same; "
        "set tls-version:i4=771 tls-mac-size:u8=16; get tls-mac:op/8; up 160 same; "
        "set tls-mac-size:u8=0; get tls-mac:op/8; up 160 same; get tls-mac:op/8; "
        "set tls-version:i4=768 tls-mac-size:u8=20; up 160 same",
        "init d alg k0 i0; set tls-version:i4=771 tls-mac-size:u8=20; up 160 same; up 47 same; "
        "get tls-mac:op/8; up 160; get tls-mac:op/8; up 16 same; get tls-mac:op/8; up 160 same",
        /* Copies before a MAC was taken off; after it, see alone.c. */
        "init d alg k0 i0; set tls-version:i4=771 tls-mac-size:u8=20; fork; up 160 same; swap; "
        "up 160 same",
        "init e alg k0 i0; set tls-version:i4=771 tls-mac-size:u8=20; up 100 same; copy; up 100 "
        "same; fork; up 50 same; swap; up 50 same",
        "init d alg k0 i0; set tls-version:i4=771 tls-mac-size:u8=20; up 160 same; reset; "
        "init d alg k1 i0; up 160; fin",
        /* One setting that fails, and what came before it. */
        "init d alg k0 i0; set tls-version:i4=771 tls-mac-size:os=R4; up 160 same; "
        "set padding:os=R1 tls-version:i4=0; up 160 same; set tls-mac-size:u8=20 num:os=R4; "
        "up 160 same",
        "init d alg k0 i0 tls-version:os=R4 tls-mac-size:u8=20; up 20; get tls-mac:op/8",
    };

    for (size_t i = 0; i < COUNT(texts); i++)
        run_for_modes("records", GENERIC, texts[i]);
    run_round_trips();
    run_paddings();
    run_macs();
}
