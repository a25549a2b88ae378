/* SPDX-License-Identifier: Apache-2.0 */
/* The families of long vectors and their inputs: see cases.h. */
#include "cases.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *label, *mode;
    size_t first, step; /* the shortest message, and what lengths go up by */
    size_t iv_len;      /* bytes; 0: none */
    size_t tag_len;     /* bytes; 0: none */
    bool any_iv;        /* IVs of many lengths */
    size_t key_lens[3]; /* bytes; ended by 0 */
} modes[] = {
    {"ecb", "ECB", 0, 16, 0, 0, false, {16, 24, 32}},
    {"cbc", "CBC", 0, 16, 16, 0, false, {16, 24, 32}},
    {"ctr", "CTR", 0, 1, 16, 0, false, {16, 24, 32}},
    {"ofb", "OFB", 0, 1, 16, 0, false, {16, 24, 32}},
    {"cfb", "CFB", 0, 1, 16, 0, false, {16, 24, 32}},
    {"cfb8", "CFB8", 0, 3, 16, 0, false, {16, 24, 32}},
    {"cfb1", "CFB1", 0, 17, 16, 0, false, {16, 24, 32}},
    {"cbc-cts", "CBC-CTS", 16, 1, 16, 0, false, {16, 24, 32}},
    {"gcm", "GCM", 0, 1, 12, 16, false, {16, 24, 32}},
    {"gcm-iv", "GCM", 0, 1, 12, 16, true, {16, 24, 32}},
    {"xts", "XTS", 16, 1, 16, 0, false, {32, 64}},
    {"wrap", "WRAP", 16, 8, 8, 0, false, {16, 24, 32}},
    {"wrap-inv", "WRAP-INV", 16, 8, 8, 0, false, {16, 24, 32}},
    {"wrap-pad", "WRAP-PAD", 1, 1, 4, 0, false, {16, 24, 32}},
    {"wrap-pad-inv", "WRAP-PAD-INV", 1, 1, 4, 0, false, {16, 24, 32}},
    {"ccm", "CCM", 0, 1, 12, 16, false, {16, 24, 32}},
    {"ocb", "OCB", 0, 1, 12, 16, false, {16, 24, 32}},
    {"siv", "SIV", 1, 1, 0, 16, false, {32, 48, 64}},      /* OpenSSL 3.0 can't encrypt nothing */
    {"gcm-siv", "GCM-SIV", 0, 1, 12, 16, false, {16, 32}}, /* the RFC has no key of 24 bytes */
};
#define MODES (sizeof modes / sizeof modes[0])

static const struct {
    const char *label;
    size_t first, last;
} ranges[] = {{"short", 0, 1100}, {"page", 4095, 4112}, {"long", 65535, 65552}};
#define RANGES (sizeof ranges / sizeof ranges[0])

bool golden_get_family(struct golden_family *family, size_t i)
{
    size_t mode = 0, key = 0, range = i % RANGES;
    for (size_t left = i / RANGES; left > 0; left--) {
        key++;
        if (key == 3 || modes[mode].key_lens[key] == 0) {
            key = 0;
            if (++mode == MODES)
                return false;
        }
    }
    size_t step = modes[mode].step;
    size_t first = ranges[range].first;
    if (first < modes[mode].first)
        first = modes[mode].first;
    *family = (struct golden_family){
        .mode = modes[mode].mode,
        .key_len = modes[mode].key_lens[key],
        .first_length = (first + step - 1) / step * step,
        .last_length = ranges[range].last,
        .step = step,
        .iv_len = modes[mode].iv_len,
        .tag_len = modes[mode].tag_len,
        .any_iv = modes[mode].any_iv,
    };
    snprintf(family->name, sizeof family->name, "%s-%zu-%s", modes[mode].label, 8 * family->key_len,
             ranges[range].label);
    return true;
}

/* splitmix64 (Steele, Lea, Flood, OOPSLA 2014), the low byte first. */
static void fill(uint64_t *state, uint8_t *p, size_t len)
{
    uint64_t word = 0;
    for (size_t i = 0; i < len; i++, word >>= 8) {
        if (i % 8 == 0) {
            word = (*state += UINT64_C(0x9e3779b97f4a7c15));
            word = (word ^ word >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
            word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
            word ^= word >> 31;
        }
        p[i] = (uint8_t)word;
    }
}

void golden_get_case(struct golden_case *c, const struct golden_family *family, size_t len)
{
    /* FNV-1a over the family's name, then over the length. */
    uint64_t state = UINT64_C(0xcbf29ce484222325);
    for (const char *p = family->name; *p != '\0'; p++)
        state = (state ^ (uint8_t)*p) * UINT64_C(0x100000001b3);
    state = (state ^ len) * UINT64_C(0x100000001b3);

    c->len = len;
    c->iv_len = family->iv_len;
    c->aad_len = 0;
    if (family->any_iv) {
        c->iv_len = 1 + len * 7 % GOLDEN_MAX_IV;
        if (c->iv_len == 12)
            c->iv_len = 16;
    }
    /* Mostly short, each residue modulo 16, at times many blocks. */
    if (family->tag_len != 0)
        c->aad_len = len % 10 == 9 ? len * 11 % (GOLDEN_MAX_AAD + 1) : len * 5 % 67;
    memset(c->iv, 0, sizeof c->iv);
    fill(&state, c->key, family->key_len);
    fill(&state, c->iv, c->iv_len);
    fill(&state, c->aad, c->aad_len);
    fill(&state, c->plaintext, len);
}
