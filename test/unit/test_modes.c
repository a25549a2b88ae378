/* SPDX-License-Identifier: Apache-2.0 */
/* Block and stream modes on every core against the reference. */
#include "sweeps.h"

#include <stdlib.h>

#define MAX_DATA (MAX_BLOCKS * 16)

/* One message in one direction with everything that is to come out of it. */
struct message {
    const struct setup *s;
    const struct reference_mode *reference;
    bool decrypting;
    size_t longest; /* bytes of data that there are */
    struct keys keys;
    uint8_t iv[16];
    uint8_t data[MAX_DATA], want[MAX_DATA];
    uint8_t iv_after[MAX_BLOCKS + 1][16]; /* after so many blocks */
};

/* Bytes of a mode's longest message. Where each byte or bit costs a block, some chunks of these are
   enough. */
static size_t longest_message(const struct reference_mode *reference)
{
    return reference->shifts ? 320 : MAX_DATA;
}

/* Fills in data, want and iv_after for the IV; false if there is no reference. */
static bool fill_message(struct message *m, const uint8_t iv[16])
{
    m->reference = reference_mode_by_name(m->s->mode->name);
    if (!expect(m->reference != NULL, "the mode has no reference: add it to reference.c"))
        return false;
    m->longest = longest_message(m->reference);
    uint8_t running[16];
    random_bytes(m->data, MAX_DATA);
    memcpy(m->iv, iv, 16);
    memcpy(running, iv, 16);
    memcpy(m->iv_after[0], iv, 16);
    for (size_t i = 0; i < m->longest / 16; i++) {
        m->reference->crypt(&m->keys.reference, !m->decrypting, running, m->want + i * 16,
                            m->data + i * 16, 16);
        memcpy(m->iv_after[i + 1], running, 16);
    }
    return true;
}

static struct message *new_message(const struct setup *s, bool decrypting)
{
    struct message *m = key_memory(sizeof *m, 0);
    uint8_t iv[16];
    m->s = s;
    m->decrypting = decrypting;
    random_keys(&m->keys, s);
    random_bytes(iv, 16);
    if (fill_message(m, iv))
        return m;
    free_keys(&m->keys);
    free(m);
    return NULL;
}

static void free_message(struct message *m)
{
    free_keys(&m->keys);
    free(m);
}

static void start_chain(const struct message *m, struct ctaes_chain *chain)
{
    memset(chain, 0, sizeof *chain);
    memcpy(chain->iv, m->iv, 16);
}

static void run_chain(const struct message *m, struct ctaes_chain *chain, uint8_t *out,
                      const uint8_t *in, size_t len)
{
    (m->decrypting ? m->s->mode->decrypt : m->s->mode->encrypt)(m->s->core, m->keys.aes, chain, out,
                                                                in, len);
}

/* What struct ctaes_chain promises after len bytes. */
static void check_chain(const struct message *m, const struct ctaes_chain *chain, size_t len)
{
    uint8_t iv[16], rest[16];
    size_t num = m->reference->shifts ? 0 : len % 16;
    memcpy(iv, m->iv_after[len / 16], 16);
    m->reference->crypt(&m->keys.reference, !m->decrypting, iv, rest, m->data + len / 16 * 16,
                        len % 16);
    expect_bytes("the IV afterwards", chain->iv, iv, 16);
    expect(chain->num == num, "num afterwards is %u, want %zu", (unsigned)chain->num, num);
}

static void check_length(const struct message *m, const struct layout *layout, size_t len,
                         size_t in_offset, size_t out_offset)
{
    struct ctaes_chain chain;
    struct staged b;
    at.step = m->decrypting ? "decrypt" : "encrypt";
    start_chain(m, &chain);
    stage(&b, layout, m->data, len, in_offset, out_offset);
    run_chain(m, &chain, b.out, b.in, len);
    check_staged(&b, "the output", m->want);
    check_chain(m, &chain, len);
}

void sweep_lengths(const struct setup *s, bool few)
{
    for (int decrypting = 0; decrypting < 2; decrypting++) {
        struct message *m = new_message(s, decrypting != 0);
        size_t unit = s->mode->block_size;
        if (m == NULL)
            return;
        for (size_t len = 0; len <= (unit == 16 ? MAX_DATA : MAX_LENGTH); len += unit) {
            if (len > m->longest)
                break;
            if (unit == 16 ? !wanted_blocks(s->core, len / 16) : !wanted_length(len))
                continue;
            if (few && !wanted_among_few(s->core, len))
                continue;
            check_length(m, &layouts[0], len, 0, 0);
            check_length(m, &layouts[2], len, 0, 0);
            if (few)
                continue;
            check_length(m, &layouts[1], len, 0, 0);
            check_length(m, &layouts[len / unit % LAYOUTS], len, len / unit % 16,
                         (len / unit * 5 + 1) % 16);
        }
        free_message(m);
    }
}

void test_lengths(const struct setup *s)
{
    sweep_lengths(s, false);
}

/* --- Splits: a message in pieces ------------------------------------------------------------ */

/* Hands the chain over to other memory, as a copied context would, and perhaps
   without the keystream block, as a context whose num was set from outside. */
static void hand_over(struct ctaes_chain *chain, bool drop_keystream)
{
    struct ctaes_chain copy = *chain;
    memset(chain, 0xdd, sizeof *chain);
    if (drop_keystream) {
        memset(copy.keystream, 0xdd, sizeof copy.keystream);
        copy.keystream_valid = false;
    }
    *chain = copy;
}

static void check_two_pieces(const struct message *m, size_t len, size_t first, size_t variant)
{
    struct ctaes_chain chain;
    struct staged b;
    at.detail = "first piece";
    at.number = first;
    start_chain(m, &chain);
    stage(&b, &layouts[variant % 4], m->data, len, 0, 0);
    run_chain(m, &chain, b.out, b.in, first);
    check_chain(m, &chain, first);
    if (variant % 3 != 0)
        hand_over(&chain, variant % 3 == 2);
    run_chain(m, &chain, b.out + first, b.in + first, len - first);
    check_chain(m, &chain, len);
    check_staged(&b, "the output", m->want);
    at.detail = NULL;
}

static void check_random_pieces(const struct message *m)
{
    size_t unit = m->s->mode->block_size;
    size_t len = random_below(m->longest / unit + 1) * unit;
    struct ctaes_chain chain;
    struct staged b;
    start_chain(m, &chain);
    stage(&b, &layouts[random_below(LAYOUTS)], m->data, len, random_below(16), random_below(16));
    for (size_t done = 0; done < len;) {
        size_t now = random_piece(m->s->core) / unit * unit;
        now = now < len - done ? now : len - done;
        run_chain(m, &chain, b.out + done, b.in + done, now);
        done += now;
        at.detail = "done";
        at.number = done;
        check_chain(m, &chain, done);
        hand_over(&chain, random_below(4) == 0);
    }
    at.detail = NULL;
    check_staged(&b, "the output", m->want);
}

void test_splits(const struct setup *s)
{
    for (int decrypting = 0; decrypting < 2; decrypting++) {
        struct message *m = new_message(s, decrypting != 0);
        size_t unit = s->mode->block_size;
        if (m == NULL)
            return;
        size_t step = unit == 1 && (quick || m->reference->shifts) ? 7 : unit;
        at.step = decrypting ? "decrypt in two pieces" : "encrypt in two pieces";
        for (size_t len = 0; len <= (unit == 16 ? 24 * 16 : 100); len += step)
            for (size_t first = 0; first <= len; first += m->reference->shifts ? 5 : unit)
                check_two_pieces(m, len, first, len + first / unit);
        at.step = decrypting ? "decrypt in random pieces" : "encrypt in random pieces";
        for (int round = 0; round < (quick ? 6 : 60); round++)
            check_random_pieces(m);
        free_message(m);
    }
}

/* --- The counter's carries ------------------------------------------------------------------ */

/* One pass whole, and three passes cut just before, at and just after the wrap,
   which lies k blocks behind the start. */
static void check_carry(const struct message *m, size_t k)
{
    size_t wrap = k * 16, len = (k + m->s->core->batch + 3U) * 16 - 5;
    check_length(m, &layouts[k % LAYOUTS], len, k % 16, k % 7);
    at.step = "a carry, in two pieces";
    for (size_t cut = wrap < 17 ? 0 : wrap - 17; cut <= wrap + 1; cut++)
        if (cut + 1 >= wrap || cut % 16 == 15 || !quick)
            check_two_pieces(m, len, cut, cut);
}

/*
 * Counters that start k blocks before 2^32, 2^64, 2^96 and 2^128, for k from 0
 * to just over two batches: the bits above are random, so that a carry too few
 * or too many shows, or all ones, so that it runs through.
 */
void test_ctr_carry(const struct setup *s)
{
    size_t last = 2U * s->core->batch + 1U;
    struct message *m = new_message(s, false);
    if (m == NULL)
        return;
    for (size_t bits = 32; bits <= 128; bits += 32)
        for (size_t k = 0; k <= last; k++)
            for (int ones = 0; ones < 2; ones++) {
                uint8_t iv[16];
                size_t low = 16 - bits / 8;
                random_bytes(iv, 16);
                if (ones)
                    memset(iv, 0xff, low);
                memset(iv + low, k == 0 ? 0 : 0xff, 16 - low);
                if (k > 0)
                    iv[15] = (uint8_t)(iv[15] - (k - 1));
                if (fill_message(m, iv))
                    check_carry(m, k);
            }
    free_message(m);
}
