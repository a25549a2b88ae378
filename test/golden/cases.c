/* SPDX-License-Identifier: Apache-2.0 */
/* The families of long vectors and their inputs: see cases.h. */
#include "cases.h"

#include <stdio.h>

static const struct {
    const char *label, *mode;
    size_t step;
    bool other_iv;
} modes[] = {
    {"ecb", "ECB", 16, false}, {"cbc", "CBC", 16, false},  {"ctr", "CTR", 1, false},
    {"gcm", "GCM", 1, false},  {"gcm-iv", "GCM", 1, true},
};

static const struct {
    const char *label;
    size_t first, last;
} ranges[] = {{"short", 0, 1100}, {"page", 4095, 4112}, {"long", 65535, 65552}};

void golden_get_family(struct golden_family *family, size_t i)
{
    size_t range = i % 3, key = i / 3 % 3, mode = i / 9;
    snprintf(family->name, sizeof family->name, "%s-%zu-%s", modes[mode].label, 128 + 64 * key,
             ranges[range].label);
    family->mode = modes[mode].mode;
    family->key_len = 16 + 8 * key;
    family->step = modes[mode].step;
    family->first_length = (ranges[range].first + family->step - 1) / family->step * family->step;
    family->last_length = ranges[range].last;
    family->other_iv = modes[mode].other_iv;
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
    c->iv_len = 16;
    c->aad_len = 0;
    if (family->mode[0] == 'G') {
        c->iv_len = 12;
        if (family->other_iv)
            c->iv_len = 1 + len * 7 % GOLDEN_MAX_IV;
        if (family->other_iv && c->iv_len == 12)
            c->iv_len = 16;
        /* Mostly short, each residue modulo 16, at times many blocks. */
        c->aad_len = len % 10 == 9 ? len * 11 % (GOLDEN_MAX_AAD + 1) : len * 5 % 67;
    }
    fill(&state, c->key, family->key_len);
    fill(&state, c->iv, c->iv_len);
    fill(&state, c->aad, c->aad_len);
    fill(&state, c->plaintext, len);
}
