/* SPDX-License-Identifier: Apache-2.0 */
/* GCM on every core: the standard's limits, the order of calls, empty calls, wiping. */
#include "gcm_message.h"

/* Demands that a call was refused with this status and changed nothing. */
static void check_refused(enum ctaes_status got, enum ctaes_status want,
                          const struct ctaes_aead *state, const struct ctaes_aead *before)
{
    if (expect(got == want, "the status is %d, want %d", (int)got, (int)want))
        expect(memcmp(state, before, sizeof *state) == 0, "the refusal changed the state");
}

/* 2^36 - 32 bytes of data (SP 800-38D section 5.2.1.1), reached by setting the
   count of a message that has begun. */
static void check_data_limit(struct message *m)
{
    const uint64_t limit = (UINT64_C(1) << 36) - 32;
    static const size_t too_long[] = {1, 2, 15, 16, 17, 31, 32, 4096, SIZE_MAX / 2, SIZE_MAX};
    struct ctaes_aead state, before;
    struct staged b;
    for (size_t room = 0; room <= 33; room++) {
        at.step = m->decrypting ? "decrypt near the limit" : "encrypt near the limit";
        at.detail = "bytes below it";
        at.number = room;
        start(m, &state);
        /* So many bytes into a block as the count will say. */
        stage(&b, &layouts[0], input_of(m), 64, 0, 0);
        add_data(m, &state, b.out, b.in, 64 - room % 16);
        state.data_len = limit - room;
        for (size_t i = 0; i < sizeof too_long / sizeof too_long[0]; i++) {
            size_t len = too_long[i] > SIZE_MAX - room ? SIZE_MAX : too_long[i] + room;
            stage(&b, &layouts[i % 4], input_of(m), 64, 0, 0);
            memcpy(&before, &state, sizeof state);
            check_refused(crypt_data(m, &state, b.out, b.in, len), CTAES_TOO_LONG, &state, &before);
            check_untouched(&b);
        }
        stage(&b, &layouts[0], input_of(m), room, 0, 0);
        add_data(m, &state, b.out, b.in, room);
        expect(state.data_len == limit, "the last allowed byte isn't counted");
        memcpy(&before, &state, sizeof state);
        check_refused(crypt_data(m, &state, b.out, b.in, 1), CTAES_TOO_LONG, &state, &before);
        add_data(m, &state, b.out, b.in, 0);
    }
}

/* 2^64 - 1 bits of AAD, so 2^61 - 1 bytes. */
static void check_aad_limit(struct message *m)
{
    const uint64_t limit = (UINT64_C(1) << 61) - 1;
    struct ctaes_aead state, before;
    for (size_t room = 0; room <= 33; room++) {
        at.step = "AAD near the limit";
        at.detail = "bytes below it";
        at.number = room;
        start(m, &state);
        add_aad(m, &state, m->aad, 64 - (room + 1) % 16);
        state.aad_len = limit - room;
        memcpy(&before, &state, sizeof state);
        for (size_t more = 1; more < 20; more++)
            check_refused(
                m->s->mode->aead_aad(m->s->core, m->keys.ghash, &state, m->aad, room + more),
                CTAES_TOO_LONG, &state, &before);
        check_refused(m->s->mode->aead_aad(m->s->core, m->keys.ghash, &state, m->aad, SIZE_MAX),
                      CTAES_TOO_LONG, &state, &before);
        add_aad(m, &state, m->aad, room);
        expect(state.aad_len == limit, "the last allowed byte isn't counted");
    }
}

/* AAD after data is refused, and the message goes on. */
static void check_order(struct message *m, size_t first)
{
    struct ctaes_aead state, before;
    uint8_t out[64];
    at.step = "AAD after data";
    at.detail = "bytes of data";
    at.number = first;
    m->aad_len = 20;
    start(m, &state);
    add_aad(m, &state, m->aad, 20);
    add_data(m, &state, out, input_of(m), 0);
    add_data(m, &state, out, input_of(m), first);
    memcpy(&before, &state, sizeof state);
    for (size_t len = 1; len <= 33; len++)
        check_refused(m->s->mode->aead_aad(m->s->core, m->keys.ghash, &state, m->aad, len),
                      CTAES_OUT_OF_ORDER, &state, &before);
    add_data(m, &state, out + first, input_of(m) + first, 64 - first);
    expect_bytes("the output", out, output_of(m), 64);
    finish(m, &state, 64);
}

/* Calls without bytes and without a pointer, between all the others. */
static void check_empty_calls(struct message *m)
{
    static const size_t lengths[] = {0, 1, 16, 19};
    struct ctaes_aead state;
    uint8_t out[32];
    at.step = "calls of no bytes";
    at.detail = "case";
    for (size_t i = 0; i < 16; i++) {
        size_t len = lengths[i / 4];
        at.number = i;
        m->aad_len = lengths[i % 4];
        start(m, &state);
        add_aad(m, &state, NULL, 0);
        add_aad(m, &state, m->aad, m->aad_len);
        add_aad(m, &state, NULL, 0);
        add_data(m, &state, NULL, NULL, 0);
        add_data(m, &state, out, input_of(m), len);
        add_data(m, &state, NULL, NULL, 0);
        expect_bytes("the output", out, output_of(m), len);
        finish(m, &state, len);
    }
}

void test_gcm_limits(const struct setup *s)
{
    struct message *m = new_message(s);
    fill_ciphertext(m);
    for (int decrypting = 0; decrypting < 2; decrypting++) {
        m->decrypting = decrypting != 0;
        check_data_limit(m);
        check_aad_limit(m);
        for (size_t first = 1; first <= 40; first++)
            check_order(m, first);
        check_empty_calls(m);
    }
    at.detail = NULL;
    free_message(m);
}

/* Whether the len bytes at needle occur in the size bytes at p. */
static bool occurs(const void *p, size_t size, const uint8_t *needle, size_t len)
{
    for (size_t i = 0; i + len <= size; i++)
        if (memcmp((const uint8_t *)p + i, needle, len) == 0)
            return true;
    return false;
}

/* After the tag, nothing secret is left in the state; during the message
   E(K, J0) and the state of GHASH are there, which shows that this test looks
   in the right place. */
void test_gcm_wiped(const struct setup *s)
{
    static const size_t lengths[] = {0, 1, 16, 37};
    struct message *m = new_message(s);
    struct ctaes_aead state;
    uint8_t out[48], zero[16] = {0}, j0[16] = {0};
    fill_ciphertext(m);
    memcpy(j0, m->iv, 12);
    j0[15] = 1;
    reference_encrypt_block(&m->keys.reference, j0, j0);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        size_t len = lengths[i];
        at.step = "finish";
        at.len = len;
        m->aad_len = 21;
        start(m, &state);
        add_aad(m, &state, m->aad, m->aad_len);
        add_data(m, &state, out, input_of(m), len);
        expect((len > 0) == occurs(&state, sizeof state, j0, 16),
               "E(K, J0) isn't where this test looks for it");
        finish(m, &state, len);
        expect_bytes("tag_mask afterwards", state.tag_mask, zero, 16);
        expect_bytes("y afterwards", state.y, zero, 16);
        for (size_t b = 0; b < sizeof state.waiting; b += 16)
            expect_bytes("waiting afterwards", state.waiting + b, zero, 16);
        expect_bytes("keystream afterwards", state.keystream, zero, 16);
        expect(!occurs(&state, sizeof state, j0, 8), "half of E(K, J0) is left in the state");
    }
    free_message(m);
}
