/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SIV on every core: what one component of AAD, in test/messages, can't show.
 * Components are counted, empty ones too; there are 126 at most.
 */
#include "topics.h"
#include "vectors.h"

#include "../../provider/modes/siv.h"

#include <stdlib.h>

struct component {
    const uint8_t *bytes;
    size_t len;
};

/* One key, expanded for the core and for the reference. */
struct siv_keys {
    struct ctaes_aes_key *mac, *ctr;
    struct reference_key reference;
    struct ctaes_siv siv;
};

static void open_siv(struct siv_keys *k, const struct ctaes_core *core, const uint8_t *key,
                     size_t key_len)
{
    size_t half = key_len / 2;
    k->mac = key_memory(core->key_size, 0);
    k->ctr = key_memory(core->key_size, 0);
    core->expand_key(k->mac, key, half);
    core->expand_key(k->ctr, key + half, half);
    reference_expand_key(&k->reference, key, half);
    ctaes_siv_set_key(core, k->mac, &k->siv);
}

static void close_siv(struct siv_keys *k)
{
    free(k->mac);
    free(k->ctr);
}

/* --- S2V, a bit at a time -------------------------------------------------------------------- */

static void plain_double(uint8_t x[16])
{
    int carry = x[0] >> 7;
    for (int i = 0; i < 16; i++)
        x[i] = (uint8_t)(x[i] << 1 | (i < 15 ? x[i + 1] >> 7 : 0));
    if (carry)
        x[15] ^= 0x87;
}

/* RFC 4493. */
static void plain_cmac(const struct reference_key *key, const uint8_t *in, size_t len,
                       uint8_t mac[16])
{
    uint8_t mask[16] = {0}, y[16] = {0};
    reference_encrypt_block(key, mask, mask);
    plain_double(mask);
    if (len == 0 || len % 16 != 0)
        plain_double(mask);
    for (size_t at_byte = 0;; at_byte += 16) {
        bool last = len - at_byte <= 16;
        size_t n = last ? len - at_byte : 16;
        for (size_t i = 0; i < n; i++)
            y[i] ^= in[at_byte + i];
        if (last && n < 16)
            y[n] ^= 0x80;
        for (int i = 0; last && i < 16; i++)
            y[i] ^= mask[i];
        reference_encrypt_block(key, y, y);
        if (last)
            break;
    }
    memcpy(mac, y, 16);
}

/* RFC 5297 section 2.4, the plaintext being the last string. */
static void plain_s2v(const struct reference_key *key, const struct component *aads, size_t n,
                      const uint8_t *plain, size_t len, uint8_t v[16])
{
    uint8_t d[16] = {0}, mac[16], t[320];
    plain_cmac(key, d, 16, d);
    for (size_t k = 0; k < n; k++) {
        plain_double(d);
        plain_cmac(key, aads[k].bytes, aads[k].len, mac);
        for (int i = 0; i < 16; i++)
            d[i] ^= mac[i];
    }
    memset(t, 0, sizeof t);
    if (len > 0)
        memcpy(t, plain, len);
    if (len < 16) {
        t[len] = 0x80;
        len = 16;
        plain_double(d);
    }
    for (size_t i = 0; i < 16; i++)
        t[len - 16 + i] ^= d[i];
    plain_cmac(key, t, len, v);
}

/* --- Components ------------------------------------------------------------------------------ */

/* Encrypts and decrypts a message, and demands this tag both times. */
static void check_message(const struct setup *s, struct siv_keys *k, const struct component *aads,
                          size_t n, const uint8_t *plain, size_t len, const uint8_t want[16])
{
    uint8_t cipher[304], back[304], tag[16];
    for (int decrypting = 0; decrypting < 2; decrypting++) {
        ctaes_siv_start(&k->siv);
        for (size_t i = 0; i < n; i++)
            expect(ctaes_siv_aad(s->core, k->mac, &k->siv, aads[i].bytes, aads[i].len) == CTAES_OK,
                   "component %zu was refused", i);
        memset(tag, 0, sizeof tag);
        if (decrypting)
            ctaes_siv_decrypt(s->core, k->mac, k->ctr, &k->siv, back, cipher, len, want, tag);
        else
            ctaes_siv_encrypt(s->core, k->mac, k->ctr, &k->siv, cipher, plain, len, tag);
        expect_bytes("the tag", tag, want, 16);
    }
    expect_bytes("the plaintext", back, plain, len);
}

static void check_components_vectors(const struct setup *s)
{
    struct vector_file file = {.line = 0};
    struct vector v;
    size_t count = 0;
    if (!open_vectors(&file, "components_", "SIV"))
        return;
    for (; next_vector(&file, &v); count++) {
        struct siv_keys k;
        const struct component aads[] = {
            {v.aad.bytes, v.aad.len}, {v.aad_2.bytes, v.aad_2.len}, {v.aad_3.bytes, v.aad_3.len}};
        uint8_t cipher[sizeof v.ciphertext.bytes], tag[16];
        size_t n = v.aad_3.present ? 3 : v.aad_2.present ? 2 : 1;
        at_vector(&file, &v);
        open_siv(&k, s->core, v.key.bytes, v.key.len);
        check_message(s, &k, aads, n, v.plaintext.bytes, v.plaintext.len, v.tag.bytes);
        ctaes_siv_start(&k.siv);
        for (size_t i = 0; i < n; i++)
            ctaes_siv_aad(s->core, k.mac, &k.siv, aads[i].bytes, aads[i].len);
        ctaes_siv_encrypt(s->core, k.mac, k.ctr, &k.siv, cipher, v.plaintext.bytes, v.plaintext.len,
                          tag);
        expect_bytes("the ciphertext", cipher, v.ciphertext.bytes, v.ciphertext.len);
        close_siv(&k);
    }
    expect(count > 0, "%s has no vector", file.path);
    close_vectors(&file);
}

/* The 127th component is refused, and changes nothing. */
static void check_component_limit(const struct setup *s, struct siv_keys *k,
                                  const struct component *aads, const uint8_t *plain)
{
    struct ctaes_siv before;
    uint8_t want[16];
    at.step = "the most components";
    plain_s2v(&k->reference, aads, CTAES_SIV_MAX_AADS, plain, 40, want);
    check_message(s, k, aads, CTAES_SIV_MAX_AADS, plain, 40, want);
    before = k->siv;
    expect(ctaes_siv_aad(s->core, k->mac, &k->siv, plain, 5) == CTAES_TOO_LONG,
           "a component too many was taken");
    expect(memcmp(&before, &k->siv, sizeof before) == 0, "the refusal changed the state");
}

void test_siv_components(const struct setup *s)
{
    static const size_t lens[] = {0, 1, 15, 16, 17, 31, 32, 33, 300};
    uint8_t key[64], bytes[CTAES_SIV_MAX_AADS][70], plain[300], want[16];
    struct component aads[CTAES_SIV_MAX_AADS];
    check_components_vectors(s);
    random_bytes(bytes, sizeof bytes);
    random_bytes(plain, sizeof plain);
    for (size_t key_len = 32; key_len <= 64; key_len += 16) {
        struct siv_keys k;
        random_bytes(key, sizeof key);
        open_siv(&k, s->core, key, key_len);
        /* Of every fourth component nothing is left: it counts all the same. */
        for (size_t i = 0; i < CTAES_SIV_MAX_AADS; i++)
            aads[i] = (struct component){bytes[i], i % 4 == 2 ? 0 : random_below(70)};
        at.step = "components";
        at.detail = "of them";
        for (size_t n = 0; n < 9; n++) {
            at.number = n;
            for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
                at.len = lens[i];
                plain_s2v(&k.reference, aads, n, plain, lens[i], want);
                check_message(s, &k, aads, n, plain, lens[i], want);
            }
        }
        check_component_limit(s, &k, aads, plain);
        close_siv(&k);
    }
}

/* Longer than 2^35 bytes, where the counter would wrap, is refused before anything is
   read or written; so the buffers need not be there. */
void test_siv_limits(const struct setup *s)
{
    uint8_t key[32], tag[16] = {0};
    struct siv_keys k;
    random_bytes(key, sizeof key);
    open_siv(&k, s->core, key, sizeof key);
#if SIZE_MAX > UINT32_MAX
    static const size_t lens[] = {((size_t)1 << 35) + 1, SIZE_MAX / 2, SIZE_MAX};
    for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
        expect(ctaes_siv_encrypt(s->core, k.mac, k.ctr, &k.siv, NULL, NULL, lens[i], tag) ==
                   CTAES_TOO_LONG,
               "%zu bytes were encrypted", lens[i]);
        expect(ctaes_siv_decrypt(s->core, k.mac, k.ctr, &k.siv, NULL, NULL, lens[i], key, tag) ==
                   CTAES_TOO_LONG,
               "%zu bytes were decrypted", lens[i]);
    }
#endif
    expect(ctaes_siv_encrypt(s->core, k.mac, k.ctr, &k.siv, NULL, NULL, 0, tag) == CTAES_OK,
           "nothing was refused");
    close_siv(&k);
}
