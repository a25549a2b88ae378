/* SPDX-License-Identifier: Apache-2.0 */
/*
 * XTS beyond what the tests of all modes ask: a core's own functions for it
 * called directly, and switched off; tweaks whose every carry counts; output that
 * overlaps the input; limits.
 *
 * What it is held against is IEEE 1619-2018's text over the reference's AES, one
 * block and one bit at a time.
 */
#include "sweeps.h"

#include "../../provider/modes/xts.h"

#include <stdlib.h>

/* A data unit's two keys. */
struct xts_keys {
    struct keys data, tweak;
};

static void random_xts_keys(struct xts_keys *keys, const struct setup *s)
{
    random_keys(&keys->data, s);
    random_keys(&keys->tweak, s);
}

static void free_xts_keys(struct xts_keys *keys)
{
    free_keys(&keys->data);
    free_keys(&keys->tweak);
}

/* --- The reference --------------------------------------------------------------------------- */

/* Section 5.2: times x; bit i of the polynomial is bit i % 8 of byte i / 8. */
static void reference_double(uint8_t t[16])
{
    bool top = t[15] >> 7 != 0;
    for (int i = 15; i > 0; i--)
        t[i] = (uint8_t)(t[i] << 1 | t[i - 1] >> 7);
    t[0] = (uint8_t)(t[0] << 1);
    if (top)
        t[0] ^= 0x87;
}

static void reference_xts_block(const struct xts_keys *keys, bool encrypting, const uint8_t t[16],
                                uint8_t out[16], const uint8_t in[16])
{
    uint8_t x[16];
    for (int i = 0; i < 16; i++)
        x[i] = in[i] ^ t[i];
    (encrypting ? reference_encrypt_block : reference_decrypt_block)(&keys->data.reference, x, x);
    for (int i = 0; i < 16; i++)
        out[i] = x[i] ^ t[i];
}

/* Sections 5.3.2 and 5.4.2. Writes the tweak after the last whole block to t. */
static void reference_xts(const struct xts_keys *keys, bool encrypting, const uint8_t iv[16],
                          uint8_t t[16], uint8_t *out, const uint8_t *in, size_t len)
{
    size_t blocks = len / 16, tail = len % 16;
    reference_encrypt_block(&keys->tweak.reference, t, iv);
    for (size_t i = 0; i < blocks; i++) {
        uint8_t now[16];
        memcpy(now, t, 16);
        reference_double(t);
        if (tail == 0 || i + 1 < blocks) {
            reference_xts_block(keys, encrypting, now, out + i * 16, in + i * 16);
            continue;
        }
        uint8_t a[16], b[16];
        reference_xts_block(keys, encrypting, encrypting ? now : t, a, in + i * 16);
        memcpy(b, in + i * 16 + 16, tail);
        memcpy(b + tail, a + tail, 16 - tail);
        reference_xts_block(keys, encrypting, encrypting ? t : now, out + i * 16, b);
        memcpy(out + i * 16 + 16, a, tail);
    }
}

/* --- The core's own functions ---------------------------------------------------------------- */

struct xts_case {
    struct xts_keys keys;
    uint8_t iv[16], after[16];
    uint8_t data[MAX_LENGTH], want[MAX_LENGTH];
};

/* The first nblocks blocks of what MAX_LENGTH bytes become. */
static void check_slot(const struct setup *s, struct xts_case *c, const struct layout *layout,
                       size_t nblocks, bool encrypting)
{
    struct staged b;
    stage(&b, layout, c->data, nblocks * 16, nblocks % 16, nblocks % 5);
    uint8_t *tweak = guard_small(c->iv, 16, nblocks % 2 == 0);
    (encrypting ? s->core->xts_encrypt : s->core->xts_decrypt)(c->keys.data.aes, c->keys.tweak.aes,
                                                               tweak, b.out, b.in, nblocks);
    check_staged(&b, "the output", c->want);
    expect_bytes("the tweak afterwards", tweak, c->after, 16);
}

static void check_slots(const struct setup *s, struct xts_case *c, bool encrypting)
{
    at.step = encrypting ? "xts_encrypt" : "xts_decrypt";
    reference_xts(&c->keys, encrypting, c->iv, c->after, c->want, c->data, MAX_LENGTH);
    reference_encrypt_block(&c->keys.tweak.reference, c->after, c->iv);
    for (size_t n = 0; n <= MAX_LENGTH / 16; n++, reference_double(c->after))
        if (!quick || wanted_blocks(s->core, n)) {
            check_slot(s, c, &layouts[n % LAYOUTS], n, encrypting);
            check_slot(s, c, &layouts[2], n, encrypting);
        }
}

/* --- The mode -------------------------------------------------------------------------------- */

static void check_mode(const struct setup *s, const struct ctaes_core *core, struct xts_case *c,
                       size_t len, bool encrypting)
{
    static uint8_t out[MAX_LENGTH];
    at.step = encrypting ? "encrypt" : "decrypt";
    at.len = len;
    (void)s;
    reference_xts(&c->keys, encrypting, c->iv, c->after, c->want, c->data, len);
    expect(ctaes_xts_crypt(core, c->keys.data.aes, c->keys.tweak.aes, c->iv, encrypting, out,
                           c->data, len),
           "refused");
    expect_bytes("the output", out, c->want, len);
}

/* The core without functions of its own for XTS. */
static struct ctaes_core plain_core(const struct ctaes_core *core)
{
    struct ctaes_core plain = *core;
    plain.xts_encrypt = plain.xts_decrypt = NULL;
    return plain;
}

/* Every number of blocks that fits, through the core's own functions; every length around those
   of wanted_among_few, without them. */
void test_xts_slots(const struct setup *s)
{
    struct xts_case *c = key_memory(sizeof *c, 0);
    const struct ctaes_core plain = plain_core(s->core);
    expect((s->core->xts_encrypt == NULL) == (s->core->xts_decrypt == NULL),
           "one direction of XTS has a function of its own, the other hasn't");
    random_xts_keys(&c->keys, s);
    random_bytes(c->data, sizeof c->data);
    random_bytes(c->iv, 16);
    for (int encrypting = 0; encrypting < 2 && s->core->xts_encrypt != NULL; encrypting++)
        check_slots(s, c, encrypting != 0);
    at.variant = "no functions for XTS";
    for (size_t len = 16; len <= MAX_LENGTH; len++) {
        if (!wanted_among_few(s->core, len) || (quick && !wanted_length(len)))
            continue;
        check_mode(s, &plain, c, len, len % 2 == 0);
        check_mode(s, &plain, c, len, len % 2 == 1);
    }
    at.variant = NULL;
    free_xts_keys(&c->keys);
    free(c);
}

/* --- Carries --------------------------------------------------------------------------------- */

/* First tweaks in which one carry, or none, or all come at once: each single bit, both halves and
   all of it set. The IV is what decrypts to them. */
void test_xts_carries(const struct setup *s)
{
    struct xts_case *c = key_memory(sizeof *c, 0);
    const struct ctaes_core plain = plain_core(s->core);
    const size_t batch = s->core->batch * (size_t)16, len = (batch < 512 ? 2 * batch : batch) + 87;
    random_xts_keys(&c->keys, s);
    random_bytes(c->data, len);
    for (size_t i = 0; i < 132; i++) {
        uint8_t t[16] = {0};
        if (i < 128)
            t[i / 8] = (uint8_t)(1 << i % 8);
        else if (i > 128)
            memset(t + (i == 130 ? 8 : 0), 0xff, i == 131 ? 16 : 8);
        reference_decrypt_block(&c->keys.tweak.reference, c->iv, t);
        at.detail = "pattern of the tweak";
        at.number = i;
        check_mode(s, s->core, c, len, i % 2 == 0);
        at.variant = "no functions for XTS";
        check_mode(s, &plain, c, len, i % 2 == 1);
        at.variant = NULL;
    }
    at.detail = NULL;
    free_xts_keys(&c->keys);
    free(c);
}

/* --- Overlap --------------------------------------------------------------------------------- */

void test_xts_overlap(const struct setup *s)
{
    struct xts_case *c = key_memory(sizeof *c, 0);
    const struct ctaes_core plain = plain_core(s->core);
    const size_t batch = s->core->batch * (size_t)16;
    const size_t lengths[] = {16, 17, 31, 32, 47, 85, batch + 16, 2 * batch + 100, 2048 + 33};
    uint8_t *area = key_memory(MAX_LENGTH + 128, 0);
    random_xts_keys(&c->keys, s);
    random_bytes(c->data, sizeof c->data);
    random_bytes(c->iv, 16);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (size_t distance = 0; distance <= (quick ? 33 : 70); distance++)
            for (int variant = 0; variant < 4; variant++) {
                const bool encrypting = variant % 2 == 0;
                const size_t len = lengths[i] < MAX_LENGTH ? lengths[i] : MAX_LENGTH;
                at.step =
                    encrypting ? "encryption into overlapping output" : "decryption, likewise";
                at.variant = variant < 2 ? NULL : "no functions for XTS";
                at.len = len;
                at.detail = "distance";
                at.number = distance;
                reference_xts(&c->keys, encrypting, c->iv, c->after, c->want, c->data, len);
                memcpy(area + distance, c->data, len);
                ctaes_xts_crypt(variant < 2 ? s->core : &plain, c->keys.data.aes, c->keys.tweak.aes,
                                c->iv, encrypting, area, area + distance, len);
                expect_bytes("the output", area, c->want, len);
            }
    at.variant = at.detail = NULL;
    free_xts_keys(&c->keys);
    free(area);
    free(c);
}

/* --- Limits ---------------------------------------------------------------------------------- */

/* Lengths that aren't a data unit's are refused and touch nothing; the longest that is has 2^20
   blocks, of which the ends are compared. */
void test_xts_limits(const struct setup *s)
{
    static const size_t refused[] = {0, 1, 15, CTAES_XTS_MAX_LEN + 1, SIZE_MAX};
    struct xts_keys keys;
    uint8_t iv[16], t[16], byte = 0x5a;
    random_xts_keys(&keys, s);
    random_bytes(iv, 16);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        for (int encrypting = 0; encrypting < 2; encrypting++)
            expect(!ctaes_xts_crypt(s->core, keys.data.aes, keys.tweak.aes, iv, encrypting, &byte,
                                    &byte, refused[i]) &&
                       byte == 0x5a,
                   "%zu bytes aren't refused", refused[i]);

    if (s->key_len == 16 && !quick) {
        uint8_t *data = key_memory(CTAES_XTS_MAX_LEN, 0x33), want[32];
        at.len = CTAES_XTS_MAX_LEN;
        expect(ctaes_xts_crypt(s->core, keys.data.aes, keys.tweak.aes, iv, true, data, data,
                               CTAES_XTS_MAX_LEN),
               "the longest data unit is refused");
        reference_encrypt_block(&keys.tweak.reference, t, iv);
        for (size_t i = 0; i < CTAES_XTS_MAX_LEN / 16; i++, reference_double(t)) {
            memset(want, 0x33, 16);
            if (i < 8 || i + 8 >= CTAES_XTS_MAX_LEN / 16) {
                reference_xts_block(&keys, true, t, want, want);
                expect_bytes("a block at one end", data + 16 * i, want, 16);
            }
        }
        free(data);
    }
    free_xts_keys(&keys);
}
