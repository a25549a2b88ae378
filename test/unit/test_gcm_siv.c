/* SPDX-License-Identifier: Apache-2.0 */
/* GCM-SIV on every core: the counter's wrap, AAD in pieces, the RFC's limits. */
#include "topics.h"

#include "../../provider/modes/gcm_siv.h"

#include <stdlib.h>

#define MAX_DATA_BLOCKS 200

struct gcm_siv_message {
    const struct ctaes_core *core;
    struct ctaes_aes_key *key, *message_key;
    struct ctaes_ghash_key *hk;
    struct ctaes_gcm_siv state;
    uint8_t nonce[12], aad[600], plain[MAX_DATA_BLOCKS * 16];
    size_t key_len;
};

static struct gcm_siv_message *open_gcm_siv(const struct setup *s)
{
    struct gcm_siv_message *m = key_memory(sizeof *m, 0);
    uint8_t key[32];
    m->core = s->core;
    m->key_len = s->key_len;
    m->key = key_memory(s->core->key_size, 0);
    m->message_key = key_memory(s->core->key_size, 0);
    m->hk = key_memory(s->core->ghash_size, 0);
    random_bytes(key, sizeof key);
    random_bytes(m->nonce, sizeof m->nonce);
    random_bytes(m->aad, sizeof m->aad);
    random_bytes(m->plain, sizeof m->plain);
    s->core->expand_key(m->key, key, s->key_len);
    return m;
}

static void start(struct gcm_siv_message *m)
{
    ctaes_gcm_siv_start(m->core, m->key, m->key_len, m->nonce, m->message_key, m->hk, &m->state);
}

static void close_gcm_siv(struct gcm_siv_message *m)
{
    free(m->key);
    free(m->message_key);
    free(m->hk);
    free(m);
}

/* Decrypting, the counter starts where the tag received says: at each place around the wrap at
   2^32, which must not carry into the rest of the block. */
static void check_wrap(struct gcm_siv_message *m, uint32_t below, size_t len)
{
    uint8_t received[16], computed[16], out[sizeof m->plain], want[sizeof m->plain], block[16];
    random_bytes(received, sizeof received);
    for (int i = 0; i < 4; i++)
        received[i] = (uint8_t)((0U - below) >> 8 * i);
    at.step = "counter wrap";
    at.len = len;
    at.detail = "blocks below 2^32";
    at.number = below;
    for (size_t i = 0; i < len; i += 16) {
        uint32_t count = 0U - below + (uint32_t)(i / 16);
        memcpy(block, received, 16);
        for (int k = 0; k < 4; k++)
            block[k] = (uint8_t)(count >> 8 * k);
        block[15] |= 0x80;
        m->core->encrypt(m->message_key, block, block, 1);
        for (size_t k = 0; k < 16 && i + k < len; k++)
            want[i + k] = (uint8_t)(m->plain[i + k] ^ block[k]);
    }
    expect(ctaes_gcm_siv_decrypt(m->core, m->message_key, m->hk, &m->state, out, m->plain, len,
                                 received, computed) == CTAES_OK,
           "refused");
    expect_bytes("the output", out, want, len);
}

void test_gcm_siv_counter(const struct setup *s)
{
    struct gcm_siv_message *m = open_gcm_siv(s);
    start(m);
    for (uint32_t below = 0; below <= 140; below += quick || below > 66 ? 13 : 1) {
        check_wrap(m, below, 1);
        check_wrap(m, below, sizeof m->plain);
        check_wrap(m, below, random_below(sizeof m->plain));
    }
    close_gcm_siv(m);
}

/* AAD in any pieces, empty ones among them, is the AAD in one. The data doesn't change the
   state, so each tag can be asked for after each piece. */
void test_gcm_siv_aad(const struct setup *s)
{
    struct gcm_siv_message *m = open_gcm_siv(s);
    uint8_t out[100], first[100], tag[16], want[16];
    at.step = "AAD in pieces";
    at.detail = "bytes of AAD";
    for (int round = 0; round < (quick ? 5 : 30); round++) {
        struct ctaes_gcm_siv pieces;
        size_t len = random_below(sizeof out), done = 0;
        start(m);
        pieces = m->state;
        while (done < sizeof m->aad) {
            size_t piece = random_below(3) == 0 ? random_below(200) : random_below(20);
            if (piece > sizeof m->aad - done)
                piece = sizeof m->aad - done;
            ctaes_gcm_siv_aad(m->core, m->hk, &pieces, m->aad + done, piece);
            done += piece;
            at.number = done;
            start(m);
            ctaes_gcm_siv_aad(m->core, m->hk, &m->state, m->aad, done);
            ctaes_gcm_siv_encrypt(m->core, m->message_key, m->hk, &m->state, first, m->plain, len,
                                  want);
            for (int again = 0; again < 2; again++) {
                ctaes_gcm_siv_encrypt(m->core, m->message_key, m->hk, &pieces, out, m->plain, len,
                                      tag);
                expect_bytes("the tag", tag, want, 16);
                expect_bytes("the ciphertext", out, first, len);
            }
        }
    }
    close_gcm_siv(m);
}

/* 2^36 bytes of AAD and of data (RFC 8452 section 6). */
void test_gcm_siv_limits(const struct setup *s)
{
    const uint64_t limit = UINT64_C(1) << 36;
    struct gcm_siv_message *m = open_gcm_siv(s);
    uint8_t tag[16] = {0};
    at.step = "limits";
    at.detail = "bytes below it";
    for (size_t room = 0; room <= 33; room++) {
        at.number = room;
        start(m);
        m->state.aad_len = limit - room;
        struct ctaes_gcm_siv before = m->state;
        for (size_t more = 1; more < 20; more++)
            expect(ctaes_gcm_siv_aad(m->core, m->hk, &m->state, m->aad, room + more) ==
                       CTAES_TOO_LONG,
                   "too much AAD was taken");
        expect(ctaes_gcm_siv_aad(m->core, m->hk, &m->state, m->aad, SIZE_MAX) == CTAES_TOO_LONG,
               "far too much AAD was taken");
        expect(memcmp(&before, &m->state, sizeof before) == 0, "the refusal changed the state");
        expect(ctaes_gcm_siv_aad(m->core, m->hk, &m->state, m->aad, room) == CTAES_OK,
               "the last bytes of AAD were refused");
    }
#if SIZE_MAX > UINT32_MAX
    /* Refused before anything is read or written. */
    static const size_t lens[] = {((size_t)1 << 36) + 1, SIZE_MAX / 2, SIZE_MAX};
    for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
        at.number = lens[i];
        expect(ctaes_gcm_siv_encrypt(m->core, m->message_key, m->hk, &m->state, NULL, NULL, lens[i],
                                     tag) == CTAES_TOO_LONG,
               "encrypted");
        expect(ctaes_gcm_siv_decrypt(m->core, m->message_key, m->hk, &m->state, NULL, NULL, lens[i],
                                     m->aad, tag) == CTAES_TOO_LONG,
               "decrypted");
    }
#endif
    expect(ctaes_gcm_siv_encrypt(m->core, m->message_key, m->hk, &m->state, NULL, NULL, 0, tag) ==
               CTAES_OK,
           "nothing was refused");
    close_gcm_siv(m);
}
