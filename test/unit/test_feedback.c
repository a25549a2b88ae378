/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is special to CFB1 and CBC-CTS: lengths in bits, and where blocks are
 * stolen.
 */
#include "topics.h"

#include "../../provider/modes/cts.h"

/* --- CFB1 ----------------------------------------------------------------------------------- */

#define MAX_BITS 300

/* Replaces the first n bits of out by those of p from number `first` on. */
static void copy_bits(uint8_t *out, const uint8_t *p, size_t first, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned bit = p[(first + i) / 8] >> (7 - (first + i) % 8) & 1, place = 7 - i % 8;
        out[i / 8] = (uint8_t)((out[i / 8] & ~(1U << place)) | bit << place);
    }
}

/* A message of nbits in two calls, of which the first takes `first`: what came
   out must be the head of want, and the bits beyond it as they were. */
static void check_bits(const struct setup *s, const struct keys *keys, bool encrypting,
                       const uint8_t iv[16], const uint8_t *data, const uint8_t *want, size_t nbits,
                       size_t first)
{
    uint8_t in[MAX_BITS / 8 + 2], out[MAX_BITS / 8 + 2], expected[MAX_BITS / 8 + 2];
    struct ctaes_chain chain = {.counts_bits = true};
    memcpy(chain.iv, iv, 16);
    at.step = encrypting ? "encrypt bits" : "decrypt bits";
    at.len = nbits;
    at.detail = "first call";
    at.number = first;
    for (size_t piece = 0; piece < 2; piece++) {
        size_t start = piece == 0 ? 0 : first, n = piece == 0 ? first : nbits - first;
        memset(in, 0, sizeof in);
        memset(out, piece == 0 ? 0xff : 0, sizeof out);
        memset(expected, piece == 0 ? 0xff : 0, sizeof expected);
        copy_bits(in, data, start, n);
        copy_bits(expected, want, start, n);
        (encrypting ? ctaes_mode_cfb1.encrypt : ctaes_mode_cfb1.decrypt)(s->core, keys->aes, &chain,
                                                                         out, in, n);
        expect_bytes("the bits, and what lies beyond them", out, expected, sizeof out);
    }
    at.detail = NULL;
}

void test_cfb1_bits(const struct setup *s)
{
    struct keys keys;
    uint8_t iv[16], data[MAX_BITS / 8 + 1], want[MAX_BITS / 8 + 1];
    random_keys(&keys, s);
    for (int encrypting = 0; encrypting < 2; encrypting++) {
        uint8_t running[16];
        random_bytes(iv, sizeof iv);
        random_bytes(data, sizeof data);
        memcpy(running, iv, sizeof iv);
        reference_mode_by_name("CFB1")->crypt(&keys.reference, encrypting, running, want, data,
                                              sizeof data);
        for (size_t nbits = 0; nbits <= MAX_BITS; nbits += nbits < 70 ? 1 : 23)
            for (size_t first = 0; first <= nbits; first += 1 + nbits / 9)
                check_bits(s, &keys, encrypting, iv, data, want, nbits, first);
    }
    free_keys(&keys);
}

/* --- CBC-CTS -------------------------------------------------------------------------------- */

#define MAX_CTS 1300

void test_cts(const struct setup *s)
{
    static const enum ctaes_cts_variant variants[] = {CTAES_CS1, CTAES_CS2, CTAES_CS3};
    static uint8_t data[MAX_CTS], want[MAX_CTS];
    struct keys keys;
    random_keys(&keys, s);
    random_bytes(data, sizeof data);
    at.detail = "variant CS";
    for (size_t len = 16; len <= MAX_CTS; len += len < 130 ? 1 : quick ? 61 : 7)
        for (unsigned n = 0; n < 6; n++) {
            bool encrypting = n < 3;
            uint8_t iv[16], iv_after[16];
            struct ctaes_chain chain = {.num = 0};
            struct staged b;
            random_bytes(iv, 16);
            memcpy(iv_after, iv, 16);
            memcpy(chain.iv, iv, 16);
            at.step = encrypting ? "encrypt" : "decrypt";
            at.number = 1 + n % 3;
            at.len = len;
            reference_cts(&keys.reference, encrypting, 1 + n % 3, iv_after, want, data, len);
            stage(&b, &layouts[(len + n) % LAYOUTS], data, len, len % 16, len * 5 % 16);
            (encrypting ? ctaes_cts_encrypt : ctaes_cts_decrypt)(s->core, keys.aes, variants[n % 3],
                                                                 &chain, b.out, b.in, len);
            check_staged(&b, "the output", want);
            expect_bytes("the IV afterwards", chain.iv, iv_after, 16);
        }
    at.detail = NULL;
    free_keys(&keys);
}
