/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages of all lengths, in one piece and in many, authentic and not; against the reference of
 * the unit tests where it has the mode (ECB, CBC, CTR, GCM), and against the library's last core,
 * which is portable, for the others.
 */
#include "api.h"

#include "../unit/reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 5000

static const size_t lengths[] = {0,  1,  8,  15,  16,  17,  24,  31,  32,  33,   48,   63,   64,
                                 65, 80, 96, 127, 128, 129, 256, 400, 511, 1024, 1025, 2048, 4129};
#define NLENGTHS (sizeof lengths / sizeof lengths[0])

/* The next length from len on that the algorithm can have. */
static size_t fit(const struct algorithm *a, size_t len)
{
    if (len < a->least)
        return a->least;
    return (len - a->least) / a->unit * a->unit + a->least;
}

static const struct ctaes_core *portable_core(void)
{
    const char *last = NULL;
    for (size_t i = 0; ctaes_core_list(i) != NULL; i++)
        last = ctaes_core_list(i);
    return ctaes_core_choose(last, NULL, 0);
}

/* Whether the reference has the mode; then out and tag are its answer. */
static bool ask_reference(const struct algorithm *a, const uint8_t *k, size_t k_len,
                          const struct input *m, uint8_t *out, uint8_t *tag)
{
    struct reference_key key;
    uint8_t iv[16] = {0};
    static const char *const names[] = {
        [CTAES_ECB] = "ECB", [CTAES_CBC] = "CBC", [CTAES_CTR] = "CTR"};
    if (a->id == CTAES_GCM) {
        reference_expand_key(&key, k, k_len);
        reference_gcm(&key, true, m->nonce, m->nonce_len, m->aad, m->aad_len, out, m->in, m->len,
                      tag);
        return true;
    }
    if (a->id > CTAES_CTR)
        return false;
    reference_expand_key(&key, k, k_len);
    memcpy(iv, m->nonce, a->nonce_len);
    reference_mode_by_name(names[a->id])->crypt(&key, true, iv, out, m->in, m->len);
    return true;
}

static void try_length(const struct ctaes_core *core, const struct ctaes_core *portable,
                       const struct algorithm *a, size_t k_len, size_t len)
{
    static uint8_t in[MOST], aad[MOST], nonce[16], want[MOST + 16], out[MOST + 16], back[MOST + 16];
    uint8_t k[64], want_tag[16] = {0}, tag[16] = {0};
    size_t want_len = len, out_len, back_len;
    const uint32_t seed = (uint32_t)(len * 64 + k_len);
    fill_bytes(k, sizeof k, seed);
    fill_bytes(in, len, seed + 1);
    fill_bytes(nonce, sizeof nonce, seed + 2);
    const size_t aad_len = a->has_aad ? lengths[len % NLENGTHS] : 0;
    fill_bytes(aad, aad_len, seed + 3);
    struct input m = {nonce, aad, in, a->nonce_len, aad_len, len, a->tag_len};

    struct ctaes_key *key = make_key(core, a->id, k, k_len);
    if (!ask_reference(a, k, k_len, &m, want, want_tag)) {
        struct ctaes_key *other = make_key(portable, a->id, k, k_len);
        expect(encrypt(a, other, &m, want, &want_len, want_tag) == CTAES_SUCCESS, "portable core");
        free_key(other, portable, a->id);
    }
    const bool has_data = a->id != CTAES_CMAC;
    expect(encrypt(a, key, &m, out, &out_len, tag) == CTAES_SUCCESS, "%s refuses %zu bytes",
           a->name, len);
    expect(!has_data || (out_len == want_len && memcmp(out, want, want_len) == 0),
           "%s of %zu bytes is wrong", a->name, len);
    expect(memcmp(tag, want_tag, a->tag_len) == 0, "%s's tag of %zu bytes is wrong", a->name, len);

    /* And back; and both in place. */
    struct input sealed = m;
    sealed.in = has_data ? out : in;
    sealed.len = out_len;
    expect(decrypt(a, key, &sealed, back, &back_len, tag) == CTAES_SUCCESS,
           "%s doesn't take back %zu bytes", a->name, len);
    expect(!has_data || (back_len == len && memcmp(back, in, len) == 0),
           "%s brings other bytes back than these %zu", a->name, len);
    if (has_data) {
        memcpy(back, in, len);
        m.in = back;
        expect(encrypt(a, key, &m, back, &back_len, tag) == CTAES_SUCCESS &&
                   memcmp(back, want, want_len) == 0,
               "%s in place, %zu bytes", a->name, len);
        sealed.in = back;
        expect(decrypt(a, key, &sealed, back, &back_len, tag) == CTAES_SUCCESS &&
                   memcmp(back, in, len) == 0,
               "%s in place, decrypting %zu bytes", a->name, len);
    }
    free_key(key, core, a->id);
}

void test_lengths(const struct ctaes_core *core)
{
    const struct ctaes_core *portable = portable_core();
    for (const struct algorithm *a = algorithms; a->name != NULL; a++)
        for (size_t i = 0; a->key_lens[i] != 0; i++)
            for (size_t j = i == 0 ? 0 : NLENGTHS - 12; j < NLENGTHS - (i == 0 ? 0 : 3); j++)
                try_length(core, portable, a, a->key_lens[i], fit(a, lengths[j]));
}

/* --- In pieces --- */

/* What a piece is long: from nothing to two hundred bytes. */
static size_t piece(uint32_t *state, size_t left)
{
    *state = *state * 1664525U + 1013904223U;
    const size_t len = *state >> 24 > 200 ? 0 : *state >> 24;
    return len < left ? len : left;
}

static void try_gcm_pieces(const struct ctaes_key *key, const struct input *m, const uint8_t *want,
                           const uint8_t *want_tag, bool encrypting, uint32_t seed)
{
    static uint8_t out[MOST];
    uint8_t tag[16];
    struct ctaes_message message;
    bool good = ctaes_gcm_start(&message, key, m->nonce, m->nonce_len) == CTAES_SUCCESS;
    for (size_t done = 0, n; done < m->aad_len; done += n) {
        n = piece(&seed, m->aad_len - done);
        good = good && ctaes_gcm_aad(&message, m->aad + done, n) == CTAES_SUCCESS;
    }
    for (size_t done = 0, n; done < m->len; done += n) {
        n = piece(&seed, m->len - done);
        good = good && (encrypting ? ctaes_gcm_encrypt : ctaes_gcm_decrypt_unverified)(
                           &message, out + done, m->in + done, n) == CTAES_SUCCESS;
        /* A copy goes on where the original was. */
        struct ctaes_message copy = message;
        ctaes_wipe(&message, sizeof message);
        message = copy;
    }
    expect(good && memcmp(out, want, m->len) == 0, "GCM in pieces, %zu bytes", m->len);
    if (encrypting)
        expect(ctaes_gcm_finish(&message, tag, 16) == CTAES_SUCCESS &&
                   memcmp(tag, want_tag, 16) == 0,
               "GCM's tag in pieces, %zu bytes", m->len);
    else
        expect(ctaes_gcm_verify(&message, want_tag, 16) == CTAES_SUCCESS,
               "GCM in pieces isn't authentic, %zu bytes", m->len);
    expect(all_zero((uint8_t *)&message, sizeof message), "a message that is over isn't wiped");
    expect(ctaes_gcm_encrypt(&message, out, m->in, 1) == CTAES_WRONG_ORDER,
           "a message that is over goes on");
}

void test_pieces(const struct ctaes_core *core)
{
    static uint8_t in[MOST], out[MOST], pieces[MOST];
    uint8_t k[32], nonce[16], tag[16], mac[16];
    fill_bytes(k, sizeof k, 1);
    fill_bytes(nonce, sizeof nonce, 2);
    fill_bytes(in, sizeof in, 3);
    struct ctaes_key *gcm = make_key(core, CTAES_GCM, k, 32);
    struct ctaes_key *ctr = make_key(core, CTAES_CTR, k, 32);
    struct ctaes_key *cmac = make_key(core, CTAES_CMAC, k, 32);
    for (uint32_t round = 0; round < 12; round++) {
        const size_t len = round * round * 40 % MOST;
        struct input m = {nonce, in + 7, in, round == 3 ? 16 : 12, len / 3, len, 16};
        expect(ctaes_seal(gcm, out, tag, 16, nonce, m.nonce_len, m.aad, m.aad_len, in, len) ==
                   CTAES_SUCCESS,
               "seal");
        try_gcm_pieces(gcm, &m, out, tag, true, round);
        m.in = out;
        try_gcm_pieces(gcm, &m, in, tag, false, round + 100);

        struct ctaes_message whole, message;
        uint32_t seed = round;
        bool good = ctaes_ctr_start(&whole, ctr, nonce) == CTAES_SUCCESS &&
                    ctaes_ctr_crypt(&whole, out, in, len) == CTAES_SUCCESS &&
                    ctaes_ctr_start(&message, ctr, nonce) == CTAES_SUCCESS;
        for (size_t done = 0, n; done < len; done += n) {
            n = piece(&seed, len - done);
            good = good && ctaes_ctr_crypt(&message, pieces + done, in + done, n) == CTAES_SUCCESS;
        }
        expect(good && memcmp(out, pieces, len) == 0, "CTR in pieces, %zu bytes", len);

        good = ctaes_mac_start(&whole, cmac) == CTAES_SUCCESS &&
               ctaes_mac_update(&whole, in, len) == CTAES_SUCCESS &&
               ctaes_mac_finish(&whole, tag, 16) == CTAES_SUCCESS &&
               ctaes_mac_start(&message, cmac) == CTAES_SUCCESS;
        for (size_t done = 0, n; done < len; done += n) {
            n = piece(&seed, len - done);
            good = good && ctaes_mac_update(&message, in + done, n) == CTAES_SUCCESS;
        }
        expect(good && ctaes_mac_finish(&message, mac, 9) == CTAES_SUCCESS &&
                   memcmp(tag, mac, 9) == 0,
               "CMAC in pieces, %zu bytes", len);
    }
    free_key(gcm, core, CTAES_GCM);
    free_key(ctr, core, CTAES_CTR);
    free_key(cmac, core, CTAES_CMAC);
}

/* --- Components --- */

/* SIV's AAD and nonce are components of their own, the AAD also where it is empty. Our own vectors,
   which OpenSSL 3.0.19 computed (through Python's cryptography, from the list [AAD, nonce]). */
void test_components(const struct ctaes_core *core)
{
    static const uint8_t want[2][27] = {
        {0xe9, 0x9b, 0xa1, 0x9f, 0x3f, 0x55, 0xfd, 0x9e, 0x45, 0x3f, 0x92, 0xa3, 0xf2, 0x25,
         0x8c, 0xf5, 0x35, 0xdd, 0x0a, 0x20, 0x41, 0x59, 0xe4, 0xad, 0xac, 0x5f, 0xc6},
        {0x7f, 0x28, 0x2d, 0x60, 0xf7, 0xad, 0x33, 0x7b, 0x77, 0x38, 0x79, 0xd9, 0xfd, 0x7d,
         0xa8, 0xae, 0x31, 0xbb, 0x39, 0x64, 0x49, 0x43, 0xec, 0x93, 0xbf, 0x5e, 0xb2},
    };
    uint8_t k[32], out[11], tag[16];
    for (size_t i = 0; i < sizeof k; i++)
        k[i] = (uint8_t)i;
    struct ctaes_key *key = make_key(core, CTAES_SIV, k, sizeof k);
    for (int empty = 0; empty < 2; empty++)
        expect(ctaes_seal(key, out, tag, 16, (const uint8_t *)"nonce12nonce12xx", 16,
                          (const uint8_t *)"abc", empty ? 0 : 3, (const uint8_t *)"hello world",
                          11) == CTAES_SUCCESS &&
                   memcmp(tag, want[empty], 16) == 0 && memcmp(out, want[empty] + 16, 11) == 0,
               "SIV with %s AAD and a nonce", empty ? "empty" : "some");
    free_key(key, core, CTAES_SIV);
}

/* --- Forgeries --- */

/* Demands that a message with one bit changed is refused, and gives no plaintext. */
static void try_forgery(const struct algorithm *a, const struct ctaes_key *key,
                        const struct input *m, const uint8_t *tag, uint8_t *changed,
                        const char *what)
{
    static uint8_t out[MOST];
    size_t out_len;
    memset(out, 0xee, sizeof out);
    *changed ^= 0x40;
    expect(decrypt(a, key, m, out, &out_len, tag) == CTAES_NOT_AUTHENTIC,
           "%s with another %s, %zu bytes", a->name, what, m->len);
    *changed ^= 0x40;
    if (a->id == CTAES_CMAC)
        return;
    const size_t written = a->wraps ? m->len - 8 : m->len;
    expect(all_zero(out, written) && out[written] == 0xee, "%s with another %s leaves plaintext",
           a->name, what);
    expect(!a->wraps || out_len == 0, "%s: the length of what isn't authentic", a->name);
}

void test_forgeries(const struct ctaes_core *core)
{
    static uint8_t in[MOST], data[MOST];
    uint8_t k[64], nonce[16], aad[40], tag[16];
    fill_bytes(k, sizeof k, 1);
    fill_bytes(nonce, sizeof nonce, 2);
    fill_bytes(aad, sizeof aad, 3);
    fill_bytes(in, sizeof in, 4);
    for (const struct algorithm *a = algorithms; a->name != NULL; a++) {
        if (a->tag_len == 0 && !a->wraps)
            continue;
        struct ctaes_key *key = make_key(core, a->id, k, a->key_lens[0]);
        for (size_t j = 0; j < NLENGTHS; j++) {
            size_t out_len;
            struct input m = {
                nonce, aad, in, a->nonce_len, a->has_aad ? 40 : 0, fit(a, lengths[j]), a->tag_len};
            memcpy(data, in, m.len);
            expect(encrypt(a, key, &m, data, &out_len, tag) == CTAES_SUCCESS, "%s", a->name);
            m.in = data;
            m.len = out_len;
            if (m.len > 0) {
                try_forgery(a, key, &m, tag, &data[0], "first byte");
                try_forgery(a, key, &m, tag, &data[m.len - 1], "last byte");
            }
            if (a->has_aad) {
                try_forgery(a, key, &m, tag, &nonce[1], "nonce");
                try_forgery(a, key, &m, tag, &aad[39], "AAD");
            }
            for (size_t i = 0; i < a->tag_len; i += 5)
                try_forgery(a, key, &m, tag, &tag[i], "tag");
        }
        free_key(key, core, a->id);
    }
}
