/* SPDX-License-Identifier: Apache-2.0 */
/* GCM on every core against the reference: lengths, pieces, IVs, AAD, counters. */
#include "gcm_message.h"
#include "sweeps.h"

static void check_message(struct message *m, const struct layout *layout, size_t len,
                          size_t in_offset, size_t out_offset)
{
    struct ctaes_aead state;
    struct staged b;
    at.step = m->decrypting ? "decrypt" : "encrypt";
    start(m, &state);
    if (m->aad_len > 0)
        add_aad(m, &state, m->aad, m->aad_len);
    stage(&b, layout, input_of(m), len, in_offset, out_offset);
    add_data(m, &state, b.out, b.in, len);
    check_staged(&b, "the output", output_of(m));
    finish(m, &state, len);
}

/* --- Lengths ------------------------------------------------------------------------------ */

void sweep_gcm_lengths(const struct setup *s, bool few)
{
    struct message *m = new_message(s);
    fill_ciphertext(m);
    at.detail = "AAD bytes";
    for (size_t len = 0; len <= MAX_LENGTH; len++) {
        if (!wanted_length(len) || (few && !wanted_among_few(s->core, len)))
            continue;
        for (int decrypting = 0; decrypting < 2; decrypting++) {
            m->decrypting = decrypting != 0;
            m->aad_len = len * 7 % 53;
            at.number = m->aad_len;
            check_message(m, &layouts[len % 2], len, 0, 0);
            check_message(m, &layouts[2 + len % 2], len, 0, 0);
            if (!few && len % 3 == 0)
                check_message(m, &layouts[len % LAYOUTS], len, len / 3 % 16, len * 5 % 16);
        }
    }
    at.detail = NULL;
    free_message(m);
}

void test_gcm_lengths(const struct setup *s)
{
    sweep_gcm_lengths(s, false);
}

/* --- Pieces ------------------------------------------------------------------------------- */

/* Moves the state elsewhere, as a copied context would. */
static void hand_over(struct ctaes_aead *state)
{
    struct ctaes_aead copy = *state;
    memset(state, 0xdd, sizeof *state);
    *state = copy;
}

static void check_two_pieces(struct message *m, size_t len, size_t first, size_t variant)
{
    struct ctaes_aead state;
    struct staged b;
    at.step = m->decrypting ? "decrypt in two pieces" : "encrypt in two pieces";
    at.detail = "first piece";
    at.number = first;
    start(m, &state);
    add_aad(m, &state, m->aad, m->aad_len);
    stage(&b, &layouts[variant % 4], input_of(m), len, 0, 0);
    add_data(m, &state, b.out, b.in, first);
    hand_over(&state);
    add_data(m, &state, b.out + first, b.in + first, len - first);
    check_staged(&b, "the output", output_of(m));
    finish(m, &state, len);
}

static void check_two_pieces_of_aad(struct message *m, size_t len, size_t first)
{
    struct ctaes_aead state;
    struct staged b;
    at.step = "AAD in two pieces";
    at.detail = "first piece";
    at.number = first;
    m->aad_len = len;
    start(m, &state);
    stage(&b, &layouts[len % 2], m->aad, len, 0, 0);
    add_aad(m, &state, b.in, first);
    hand_over(&state);
    add_aad(m, &state, b.in + first, len - first);
    check_untouched(&b);
    size_t data_len = (len + first) % 2 ? 0 : first % 40;
    uint8_t out[40];
    add_data(m, &state, out, input_of(m), data_len);
    expect_bytes("the output", out, output_of(m), data_len);
    finish(m, &state, data_len);
}

static void check_random_pieces(struct message *m)
{
    struct ctaes_aead state;
    struct staged b;
    size_t len = random_below(MAX_LENGTH + 1);
    at.step = m->decrypting ? "decrypt in random pieces" : "encrypt in random pieces";
    at.detail = "done";
    m->aad_len = random_below(2) ? random_below(200) : random_below(MAX_AAD + 1);
    start(m, &state);
    for (size_t done = 0, now; done < m->aad_len; done += now) {
        now = random_piece(m->s->core);
        now = now < m->aad_len - done ? now : m->aad_len - done;
        add_aad(m, &state, m->aad + done, now);
    }
    stage(&b, &layouts[random_below(LAYOUTS)], input_of(m), len, random_below(16),
          random_below(16));
    for (size_t done = 0; done < len;) {
        size_t now = random_piece(m->s->core);
        now = now < len - done ? now : len - done;
        add_data(m, &state, b.out + done, b.in + done, now);
        done += now;
        at.number = done;
        hand_over(&state);
    }
    check_staged(&b, "the output", output_of(m));
    finish(m, &state, len);
}

void test_gcm_splits(const struct setup *s)
{
    struct message *m = new_message(s);
    size_t step = quick ? 7 : 1;
    fill_ciphertext(m);
    for (int decrypting = 0; decrypting < 2; decrypting++) {
        m->decrypting = decrypting != 0;
        for (size_t len = 0; len <= 100; len += step)
            for (size_t first = 0; first <= len; first++) {
                m->aad_len = (len + first) % 19;
                check_two_pieces(m, len, first, len + first);
                check_two_pieces_of_aad(m, len, first);
            }
        for (int round = 0; round < (quick ? 6 : 60); round++)
            check_random_pieces(m);
    }
    at.detail = NULL;
    free_message(m);
}

/* --- IV and AAD --------------------------------------------------------------------------- */

void test_gcm_iv(const struct setup *s)
{
    static const size_t longer[] = {129, 255, 256, 257, 1000, MAX_IV};
    struct message *m = new_message(s);
    m->len = 70;
    m->aad_len = 5;
    at.detail = "IV bytes";
    for (size_t i = 1; i <= 128 + sizeof longer / sizeof longer[0]; i++) {
        m->iv_len = i <= 128 ? i : longer[i - 129];
        at.number = m->iv_len;
        fill_ciphertext(m);
        for (int decrypting = 0; decrypting < 2; decrypting++) {
            m->decrypting = decrypting != 0;
            check_message(m, &layouts[i % LAYOUTS], m->len, 0, 0);
        }
        check_message(m, &layouts[0], 0, 0, 0);
    }
    at.detail = NULL;
    free_message(m);
}

void test_gcm_aad(const struct setup *s)
{
    struct message *m = new_message(s);
    struct staged b;
    struct ctaes_aead state;
    m->len = 33;
    fill_ciphertext(m);
    at.step = "AAD";
    for (m->aad_len = 0; m->aad_len <= MAX_AAD; m->aad_len++) {
        if (!wanted_length(m->aad_len))
            continue;
        size_t len = m->aad_len % 3 == 0 ? 0 : 33;
        uint8_t out[33];
        start(m, &state);
        stage(&b, &layouts[m->aad_len % 2], m->aad, m->aad_len, m->aad_len / 32 % 16, 0);
        add_aad(m, &state, b.in, m->aad_len);
        check_untouched(&b);
        add_data(m, &state, out, input_of(m), len);
        expect_bytes("the output", out, output_of(m), len);
        finish(m, &state, len);
    }
    free_message(m);
}

/* --- The 32-bit counter ------------------------------------------------------------------- */

/*
 * J0 that is k blocks before the wrap of its last 32 bits, for k from 0 to just
 * over two batches; the 96 bits above, random or all ones, must stay (inc_32,
 * SP 800-38D section 6.2). Such a J0 comes from a 16-byte IV computed for it.
 */
void test_gcm_counter_wrap(const struct setup *s)
{
    size_t batch = s->core->batch;
    struct message *m = new_message(s);
    m->iv_len = 16;
    m->aad_len = 3;
    at.detail = "blocks before the wrap";
    for (size_t k = 0; k <= 2 * batch + 1; k++)
        for (int ones = 0; ones < 2; ones++) {
            uint8_t j0[16];
            random_bytes(j0, 16);
            if (ones)
                memset(j0, 0xff, 12);
            memset(j0 + 12, k == 0 ? 0 : 0xff, 4);
            if (k > 0)
                j0[15] = (uint8_t)(j0[15] - (k - 1));
            reference_gcm_iv_for(&m->keys.reference, m->iv, j0);
            m->len = (k + batch + 3) * 16 - 5;
            fill_ciphertext(m);
            for (int decrypting = 0; decrypting < 2; decrypting++) {
                m->decrypting = decrypting != 0;
                at.detail = "blocks before the wrap";
                at.number = k;
                check_message(m, &layouts[k % LAYOUTS], m->len, k % 16, k % 7);
                for (size_t cut = k * 16 < 33 ? 0 : k * 16 - 33; cut <= k * 16 + 1; cut++)
                    if (!quick || cut + 18 >= k * 16)
                        check_two_pieces(m, m->len, cut, cut);
            }
        }
    at.detail = NULL;
    free_message(m);
}
