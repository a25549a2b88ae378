/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Key wrap: every length, the output's size, IVs, more than one update, keys that
 * aren't intact, and its parameters, of which nearly all are without effect.
 */
#include "evp.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void run_for_wrap(const char *title, const char *text)
{
    char all[4096];
    for (size_t i = 0; i < nalgorithms; i++) {
        if (!is_wrap(&algorithms[i]))
            continue;
        if (snprintf(all, sizeof all, "%s: %s", algorithms[i].name, text) >= (int)sizeof all)
            abort();
        run_sequence(title, all);
    }
}

static void run_orders(void)
{
    static const char *const texts[] = {
        "init e alg k0 i0; up 16; up 24; up 16; fin; up 32; fin; fin",
        "init e alg k0; up 16; up 24; fin; feed; init d alg k0; up 24; up 32; fin",
        "init e alg k0 i0; up 32; feed; init d alg k0 i0; up 40; fin; up 40",
        "init e alg k0 i0; up 32; feed; init d alg k0 i1; up 40; rewind; init s i0; up 40",
        "init e alg k0 i0; up 32; feed; init d alg k0; up 40; rewind; init s i0; up 40",
        "init e alg k0; up 32; feed; init d alg k1; up 40; rewind; init d k0; up 40",
        "init e alg; init e i0; init e k0; up 16; init s k1; up 16; init s i1; up 16; init e; up "
        "16",
        "init e alg i0; init e k0; up 24; init e alg k0; up 24",
        "init d alg; init d k0; up 24; init d i2; up 24; init s; up 24",
        "init_old e alg k0 i0; up 16; init_old e k1; up 16",
        "init_ex e alg k0 i0; up 16; init_ex s i1; up 16",
        "init e alg k0 i0; encup 16; decup 16; encfin; decfin; up 16",
        "init d alg k0 i0; decup 24; encup 24; decfin; encfin",
        "init e alg; up 0; up 0 in=null; up 0 in=null out=null; fin; up 16 out=null; info",
        "init d alg; up 0; up 16 out=null; up 24 out=null; up 20 out=null; up 15 out=null; fin",
        "init e alg k0; up 16 in=null; up 16 in=null out=null; up 16 outl=null; fin outl=null",
        "init e alg k0; cipher 16; cipher 24; cipher 0; cipher 0 in=null; cipher 20; cipher 16 "
        "out=null",
        "init d alg k0; cipher 24; cipher 16; cipher 0; cipher 16 out=null; up 24",
        "init e alg k0; up 16; copy; up 16; fork; init e k1; swap; up 16; swap; up 16",
        "init e alg; copy; init e k0; copy; init e i0; copy; up 40; copy; up 40",
        "init e alg k0 i0; up 16; reset; up 16; init e alg k0; up 16",
        "init e alg k0 i0; up 32 same; feed; init d alg k0 i0; up 40 same",
        "init e alg k0 i0; align 3 5; up 32; feed; init d alg k0 i0; align 7 9; up 40 same",
        /* Longer than a byte of the step counter. */
        "init e alg k0; up 400; up 2048; feed; init d alg k0; up 408; up 2056",
    };
    for (size_t i = 0; i < COUNT(texts); i++)
        run_for_wrap("key wrap", texts[i]);
}

static void run_wrap_lengths(void)
{
    char text[512];
    for (int len = 0; len <= 74; len++) {
        snprintf(text, sizeof text,
                 "init e alg k0; up %d out=null; up %d; cipher %d; feed; "
                 "init d alg k0; up %d out=null; up %d; up %d",
                 len, len, len, (len + 15) / 8 * 8, (len + 15) / 8 * 8, (len + 15) / 8 * 8);
        run_for_wrap("key wrap, length", text);
        snprintf(text, sizeof text, "init d alg k0; up %d out=null; up %d; cipher %d", len, len,
                 len);
        run_for_wrap("key wrap, length of what isn't wrapped", text);
    }
}

static void run_damaged(void)
{
    char text[512];
    for (int len = 16; len <= 33; len += 5 - len % 5) {
        for (int at = 0; at < 16 + len; at += 3) {
            int wrapped = (len + 15) / 8 * 8;
            snprintf(text, sizeof text,
                     "init e alg k0 i0; up %d; feed; flip %d %d; init d alg k0 i0; up %d; rewind; "
                     "flip %d %d; up %d",
                     len, at, at % 8, wrapped, at, at % 8, wrapped);
            run_for_wrap("key wrap, damaged", text);
        }
    }
    /* Padding that isn't zero, and lengths that aren't right: wrapped without padding under the IV
       that padding would have made, which is as long. */
    static const char *const forged[] = {
        "a65959a600000010", "a65959a60000000f", "a65959a60000000e", "a65959a600000009",
        "a65959a600000008", "a65959a600000007", "a65959a600000011", "a65959a600000000",
        "a65959a680000010", "a65959a6ffffffff", "a65959a7000000ff", "a65959a6ffffffef"};
    static const int bits[] = {128, 192, 256};
    static const char *const kinds[] = {"", "-INV"};
    for (size_t i = 0; i < COUNT(forged); i++) {
        for (size_t k = 0; k < 6; k++) {
            for (int zeros = 0; zeros < 9; zeros++) {
                uint8_t icv[8], plain[16], secret[32], key[32];
                char hex[2 * sizeof secret + 1] = "", name[40];
                int n = 0;
                for (size_t b = 0; b < sizeof icv; b++) {
                    const char byte[3] = {forged[i][2 * b], forged[i][2 * b + 1], '\0'};
                    icv[b] = (uint8_t)strtoul(byte, NULL, 16);
                }
                fill_pseudo_random(plain, sizeof plain, i);
                memset(plain + 16 - zeros, 0, (size_t)zeros);
                fill_pseudo_random(key, sizeof key, 10); /* k0 */
                snprintf(name, sizeof name, "AES-%d-WRAP%s", bits[k % 3], kinds[k / 3]);
                const struct algorithm *plainly = find_algorithm(name);
                EVP_CIPHER_CTX *ctx = new_ctx();
                if (plainly == NULL ||
                    !EVP_CipherInit_ex2(ctx, plainly->cipher[REFERENCE], key, icv, 1, NULL) ||
                    !EVP_CipherUpdate(ctx, secret, &n, plain, 16))
                    abort();
                EVP_CIPHER_CTX_free(ctx);
                for (int b = 0; b < n; b++)
                    snprintf(hex + 2 * b, 3, "%02x", secret[b]);
                snprintf(text, sizeof text,
                         "AES-%d-WRAP-PAD%s: init d alg k0; poke 0 %s; up 24; rewind; cipher 24",
                         bits[k % 3], kinds[k / 3], hex);
                run_sequence("key wrap, forged padding", text);
            }
        }
    }
}

static void run_wrap_params(void)
{
    static const char *const texts[] = {
        "init e alg; get ivlen:u8/8 keylen:u8/8 padding:u4/4 num:u4/4; info",
        "init e alg i0; get iv:os/8; get updated-iv:os/8; get iv:os/4; get iv:os/3; uiv 8; oiv 8",
        "init e alg k0 i0; up 16; get iv:os/8; get updated-iv:os/8; uiv 8; oiv 4; uiv 3",
        "init e alg k0; get iv:os/8; get iv:op/8; get tls-mac:op/8",
        "init e alg k0; set padding:u4=0; up 16; set padding:u4=1; get padding:u4/4; up 17",
        "init e alg k0; set padding:os=R4; set num:u4=5; set num:os=R3; get num:u4/4; up 16",
        "init e alg k0; set use-bits:u4=1; set tls-version:u4=771; set tls-mac-size:u8=20; up 16",
        "init e alg k0; set keylen:u8=16; set keylen:u8=24; set keylen:u8=32; up 16",
        "init e alg k0; set keylen:os=R8; up 16",
        "init e alg keylen:u4=16; init e k0 keylen:u4=32; up 16; init e keylen:i4=-1; up 16",
        "init e alg k0; keylen 16; keylen 24; keylen 32; keylen 0; up 16",
        "pad 0; init e alg k0; up 17; pad 1; up 17; num 3; up 16",
        "init e alg k0; ctrl ivlen 8; ctrl ivlen 4; ctrl getivlen; ctrl randkey 16; ctrl keylen 16",
        "init e alg k0; gettag 16; settag 16; aad 8; up 16; toasn1; fromasn1 8; up 16",
        "init e alg k0; set nosuch:u4=1; get nosuch:u4/4; cget ivlen:u8/8 blocksize:u8/8 mode:u4/4",
    };
    for (size_t i = 0; i < COUNT(texts); i++)
        run_for_wrap("key wrap, parameters", texts[i]);
}

void run_cases_wrap(void)
{
    run_orders();
    run_wrap_lengths();
    run_damaged();
    run_wrap_params();
}
