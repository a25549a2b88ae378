/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CMAC and PMAC on every core, against the same over the reference's AES, written
 * down another way: subkeys bit by bit, PMAC's offsets from the Gray code of the
 * block's number. And the published vectors.
 */
#include "topics.h"
#include "vectors.h"

#include "../../provider/modes/cmac.h"
#include "../../provider/modes/doubling.h"
#include "../../provider/modes/pmac.h"

#include <stdio.h>
#include <stdlib.h>

/* --- Doubling, bit by bit -------------------------------------------------------------------- */

/* Bit i of a block: the coefficient of x^i. */
static unsigned int bit_of(const uint8_t block[16], int i)
{
    return (block[15 - i / 8] >> (i % 8)) & 1U;
}

static void flip_bit(uint8_t block[16], int i)
{
    block[15 - i / 8] ^= (uint8_t)(1U << (i % 8));
}

/* out = in * x. out isn't in. */
static void slow_double(uint8_t out[16], const uint8_t in[16])
{
    memset(out, 0, 16);
    for (int i = 0; i < 127; i++)
        if (bit_of(in, i))
            flip_bit(out, i + 1);
    if (bit_of(in, 127)) {
        static const int modulus[] = {7, 2, 1, 0};
        for (size_t i = 0; i < 4; i++)
            flip_bit(out, modulus[i]);
    }
}

void test_doubling(const struct setup *s)
{
    (void)s;
    for (int i = 0; i < 1000; i++) {
        uint8_t block[16], want[16], got[16];
        random_bytes(block, 16);
        if (i < 128) { /* each bit alone */
            memset(block, 0, 16);
            flip_bit(block, i);
        }
        slow_double(want, block);
        double_block(got, block);
        expect_bytes("the double", got, want, 16);
        halve_block(got, want);
        expect_bytes("the half of the double", got, block, 16);
        memcpy(got, block, 16);
        halve_block(got, got);
        double_block(got, got);
        expect_bytes("the double of the half, in place", got, block, 16);
    }
}

/* --- The MACs over the reference's AES ---------------------------------------------------------
 */

/* Pads a last block of len bytes, 0 to 16. */
static void pad_last(uint8_t block[16], const uint8_t *in, size_t len)
{
    memset(block, 0, 16);
    memcpy(block, in, len);
    if (len < 16)
        block[len] = 0x80;
}

static void add_block(uint8_t sum[16], const uint8_t block[16])
{
    for (int i = 0; i < 16; i++)
        sum[i] ^= block[i];
}

static size_t blocks_before_last(size_t len)
{
    return len == 0 ? 0 : (len - 1) / 16;
}

static void slow_cmac(const struct reference_key *key, const uint8_t *in, size_t len,
                      uint8_t tag[16])
{
    uint8_t l[16] = {0}, k1[16], k2[16], last[16];
    reference_encrypt_block(key, l, l);
    slow_double(k1, l);
    slow_double(k2, k1);
    size_t n = blocks_before_last(len);
    memset(tag, 0, 16);
    for (size_t i = 0; i < n; i++) {
        add_block(tag, in + 16 * i);
        reference_encrypt_block(key, tag, tag);
    }
    pad_last(last, in + 16 * n, len - 16 * n);
    add_block(tag, last);
    add_block(tag, len - 16 * n == 16 ? k1 : k2);
    reference_encrypt_block(key, tag, tag);
}

/* offset = gray(i) * L. */
static void slow_offset(const struct reference_key *key, uint64_t i, uint8_t offset[16])
{
    uint8_t power[16] = {0}, next[16];
    uint64_t gray = i ^ i >> 1;
    reference_encrypt_block(key, power, power);
    memset(offset, 0, 16);
    for (; gray != 0; gray >>= 1) {
        if (gray & 1)
            add_block(offset, power);
        slow_double(next, power);
        memcpy(power, next, 16);
    }
}

/* The message begins after `before` blocks that added nothing to the sum. */
static void slow_pmac(const struct reference_key *key, uint64_t before, const uint8_t *in,
                      size_t len, uint8_t tag[16])
{
    uint8_t block[16], last[16];
    size_t n = blocks_before_last(len);
    memset(tag, 0, 16);
    for (size_t i = 0; i < n; i++) {
        slow_offset(key, before + i + 1, block);
        add_block(block, in + 16 * i);
        reference_encrypt_block(key, block, block);
        add_block(tag, block);
    }
    pad_last(last, in + 16 * n, len - 16 * n);
    add_block(tag, last);
    if (len - 16 * n == 16) {
        /* The half of L is the block whose double L is. */
        uint8_t l[16] = {0}, half[16], twice[16];
        reference_encrypt_block(key, l, l);
        for (int odd = 0; odd < 2; odd++) {
            memset(half, 0, 16);
            for (int i = 1; i < 128; i++)
                if (bit_of(l, i) ^ (unsigned int)(odd && (i == 7 || i == 2 || i == 1)))
                    flip_bit(half, i - 1);
            if (odd)
                flip_bit(half, 127);
            slow_double(twice, half);
            if (memcmp(twice, l, 16) == 0)
                add_block(tag, half);
        }
    }
    reference_encrypt_block(key, tag, tag);
}

/* --- Both, seen alike --------------------------------------------------------------------------
 */

struct mac {
    const char *name;
    void (*init)(const struct ctaes_core *core, const struct ctaes_aes_key *key, void *state);
    void (*restart)(void *state);
    void (*update)(const struct ctaes_core *core, const struct ctaes_aes_key *key, void *state,
                   const uint8_t *in, size_t len);
    void (*final)(const struct ctaes_core *core, const struct ctaes_aes_key *key, void *state,
                  uint8_t tag[16]);
};

#define MAC(mac)                                                                                   \
    static void init_##mac(const struct ctaes_core *core, const struct ctaes_aes_key *key,         \
                           void *state)                                                            \
    {                                                                                              \
        ctaes_##mac##_init(core, key, state);                                                      \
    }                                                                                              \
    static void restart_##mac(void *state)                                                         \
    {                                                                                              \
        ctaes_##mac##_restart(state);                                                              \
    }                                                                                              \
    static void update_##mac(const struct ctaes_core *core, const struct ctaes_aes_key *key,       \
                             void *state, const uint8_t *in, size_t len)                           \
    {                                                                                              \
        ctaes_##mac##_update(core, key, state, in, len);                                           \
    }                                                                                              \
    static void final_##mac(const struct ctaes_core *core, const struct ctaes_aes_key *key,        \
                            void *state, uint8_t tag[16])                                          \
    {                                                                                              \
        ctaes_##mac##_final(core, key, state, tag);                                                \
    }
MAC(cmac)
MAC(pmac)

static const struct mac macs[] = {{"cmac", init_cmac, restart_cmac, update_cmac, final_cmac},
                                  {"pmac", init_pmac, restart_pmac, update_pmac, final_pmac}};
#define MACS (sizeof macs / sizeof macs[0])

union mac_state {
    struct ctaes_cmac cmac;
    struct ctaes_pmac pmac;
};

static void slow_mac(const struct mac *mac, const struct reference_key *key, const uint8_t *in,
                     size_t len, uint8_t tag[16])
{
    if (mac == &macs[0])
        slow_cmac(key, in, len, tag);
    else
        slow_pmac(key, 0, in, len, tag);
}

/* --- The vectors -------------------------------------------------------------------------------
 */

void test_mac_vectors(const struct setup *s)
{
    for (size_t i = 0; i < MACS; i++) {
        struct vector_file file = {.line = 0};
        struct vector v;
        size_t counts[3] = {0, 0, 0};
        if (!open_vectors(&file, "mac_", macs[i].name))
            continue;
        while (next_vector(&file, &v)) {
            struct keys keys;
            union mac_state state;
            uint8_t tag[16];
            at_vector(&file, &v);
            if (!expect(v.key.len % 8 == 0 && v.key.len >= 16 && v.key.len <= 32 && v.tag.len == 16,
                        "a key of %zu and a tag of %zu bytes", v.key.len, v.tag.len))
                continue;
            counts[v.key.len / 8 - 2]++;
            expand_keys(&keys, s->core, v.key.bytes, v.key.len);
            macs[i].init(s->core, keys.aes, &state);
            macs[i].update(s->core, keys.aes, &state, v.input.bytes, v.input.len);
            macs[i].final(s->core, keys.aes, &state, tag);
            expect_bytes("the tag", tag, v.tag.bytes, 16);
            slow_mac(&macs[i], &keys.reference, v.input.bytes, v.input.len, tag);
            expect_bytes("the reference's tag", tag, v.tag.bytes, 16);
            free_keys(&keys);
        }
        for (size_t k = 0; k < 3; k++)
            expect(counts[k] > 0, "%s has no vector with a key of %zu bytes", file.path,
                   16 + 8 * k);
        close_vectors(&file);
    }
}

/* --- Lengths and pieces ------------------------------------------------------------------------
 */

/* A message of len bytes, right before or right after a page without access, in pieces. */
static void check_mac(const struct mac *mac, const struct setup *s, const struct keys *keys,
                      union mac_state *state, const uint8_t *message, size_t len, size_t variant)
{
    struct staged b;
    uint8_t tag[16], want[16];
    at.step = mac->name;
    slow_mac(mac, &keys->reference, message, len, want);
    stage(&b, &layouts[variant % 4], message, len, variant % 3, 0);
    for (int pieces = 0; pieces < 3; pieces++) {
        at.detail = "pieces";
        at.number = (uint64_t)pieces;
        mac->restart(state);
        for (size_t done = 0; done < len;) {
            size_t now = pieces == 0 ? len : pieces == 1 ? random_piece(s->core) : 1 + done % 16;
            if (now > len - done)
                now = len - done;
            mac->update(s->core, keys->aes, state, b.in + done, now);
            mac->update(s->core, keys->aes, state, b.in + done, 0);
            /* Moved elsewhere, as a copied context would be. */
            union mac_state copy = *state;
            memset(state, 0xdd, sizeof *state);
            *state = copy;
            done += now;
        }
        mac->final(s->core, keys->aes, state, tag);
        expect_bytes("the tag", tag, want, 16);
    }
    check_untouched(&b);
}

void test_macs(const struct setup *s)
{
    static uint8_t message[2100];
    for (size_t i = 0; i < MACS; i++) {
        struct keys keys;
        union mac_state state;
        random_keys(&keys, s);
        macs[i].init(s->core, keys.aes, &state);
        for (size_t len = 0; len <= 2100; len++) {
            /* The reference takes its time, and 64 blocks are a call of the core. */
            bool wanted = len <= 66 || len % 1024 <= 18 || len % 151 == 0;
            if (!wanted || (len > 66 && len % 16 > 1 && len % 151 != 0))
                continue;
            random_bytes(message, len);
            check_mac(&macs[i], s, &keys, &state, message, len, len);
        }
        free_keys(&keys);
    }
}

/* Block numbers at which PMAC needs an L(i) that isn't kept. */
void test_pmac_numbers(const struct setup *s)
{
    struct keys keys;
    random_keys(&keys, s);
    for (unsigned int bit = 2; bit < 60; bit++) {
        struct ctaes_pmac state;
        uint8_t message[200], tag[16], want[16];
        uint64_t before = (UINT64_C(1) << bit) - 1 - bit % 5;
        random_bytes(message, sizeof message);
        ctaes_pmac_init(s->core, keys.aes, &state);
        state.nblocks = before;
        slow_offset(&keys.reference, before, state.offset);
        ctaes_pmac_update(s->core, keys.aes, &state, message, sizeof message);
        ctaes_pmac_final(s->core, keys.aes, &state, tag);
        slow_pmac(&keys.reference, before, message, sizeof message, want);
        at.detail = "block number 2 to the";
        at.number = bit;
        expect_bytes("the tag", tag, want, 16);
    }
    free_keys(&keys);
}
