/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Output that starts before the input and runs into it, as core.h allows:
 *
 *      out ├───────────────────────┤
 *      in        ├───────────────────────┤
 *          ◀─ d ▶
 *
 * A core that writes a block before it has read what lies there gives a wrong
 * result only for some distances d and lengths.
 */
#include "sweeps.h"

#include <stdlib.h>

/* The longest message, and the largest distance. */
#define MAX_LEN ((size_t)4096)
#define MAX_DISTANCE ((size_t)2100)

static void crypt_once(const struct setup *s, const struct keys *keys, bool encrypting,
                       uint8_t *out, const uint8_t *in, size_t len)
{
    const struct ctaes_mode *mode = s->mode;
    const struct ctaes_core *core = s->core;
    if (mode->kind == CTAES_AEAD) {
        const uint8_t iv[12] = {1, 2, 3};
        struct ctaes_aead state;
        mode->aead_start(core, keys->ghash, &state, iv, sizeof iv);
        expect((encrypting ? mode->aead_encrypt : mode->aead_decrypt)(
                   core, keys->aes, keys->ghash, &state, out, in, len) == CTAES_OK,
               "refused");
        uint8_t tag[16];
        mode->aead_finish(core, keys->aes, keys->ghash, &state, tag);
        memcpy(out + len, tag, sizeof tag); /* to be compared with the rest */
    } else {
        struct ctaes_chain chain = {.iv = {1, 2, 3}};
        (encrypting ? mode->encrypt : mode->decrypt)(core, keys->aes, &chain, out, in, len);
        memcpy(out + len, chain.iv, sizeof chain.iv);
    }
}

static void check_overlap(const struct setup *s, const struct keys *keys, uint8_t *area,
                          const uint8_t *data, size_t len, size_t distance)
{
    static uint8_t want[MAX_LEN + 16];
    for (int encrypting = 0; encrypting < 2; encrypting++) {
        at.step = encrypting ? "encryption into overlapping output" : "decryption, likewise";
        at.len = len;
        at.detail = "distance";
        at.number = distance;
        crypt_once(s, keys, encrypting, want, data, len);
        memcpy(area + distance, data, len);
        crypt_once(s, keys, encrypting, area, area + distance, len);
        expect_bytes("output and tag or IV", area, want, len + 16);
    }
    at.detail = NULL;
}

void test_overlap(const struct setup *s)
{
    struct keys keys;
    random_keys(&keys, s);
    uint8_t *area = malloc(MAX_LEN + MAX_DISTANCE + 16), *data = malloc(MAX_LEN);
    if (area == NULL || data == NULL)
        abort();
    random_bytes(data, MAX_LEN);
    /* A byte of CFB8 or CFB1 costs as much as a block. */
    const struct reference_mode *reference = reference_mode_by_name(s->mode->name);
    size_t shrink = reference != NULL && reference->shifts ? 16 : 1;
    size_t unit = s->mode->kind == CTAES_BLOCK ? 16 : 1, batch = s->core->batch * (size_t)16;

    const size_t lengths[] = {16, 48, 80, batch - 16, batch + 16, 2 * batch + 96, MAX_LEN - 16};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        size_t len = lengths[i] / shrink + (unit == 1 ? 9 : 0);
        for (size_t d = 1; d <= (quick ? 33 : 70); d++)
            check_overlap(s, &keys, area, data, len, d);
        for (size_t d = batch - 17; d <= batch + 17 && batch >= 32; d++)
            check_overlap(s, &keys, area, data, len, d);
    }
    free(area);
    free(data);
    free_keys(&keys);
}
