/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The published vectors, for every mode on every core and for the reference.
 * The vectors of a mode are in the file of its name: test/vectors/cbc.txt.
 */
#include "topics.h"
#include "vectors.h"

#include "../messages/messages.h"

static const size_t aes_key_lens[4] = {16, 24, 32, 0};

/* Demands that a file had vectors for each key length. */
static void check_counts(const struct vector_file *file, const size_t key_lens[4],
                         const size_t counts[4])
{
    for (size_t i = 0; i < 4 && key_lens[i] != 0; i++)
        expect(counts[i] > 0, "%s has no vector with a key of %zu bytes", file->path, key_lens[i]);
}

static bool check_key_length(const struct vector_file *file, const struct vector *v,
                             const size_t key_lens[4], size_t counts[4])
{
    for (size_t i = 0; i < 4 && key_lens[i] != 0; i++)
        if (v->key.len == key_lens[i]) {
            counts[i]++;
            return true;
        }
    return expect(false, "%s:%zu: a key of %zu bytes", file->path, v->line, v->key.len);
}

static bool check_data_length(const struct vector_file *file, const struct vector *v)
{
    return expect(v->plaintext.len == v->ciphertext.len,
                  "%s:%zu: plaintext and ciphertext differ in length", file->path, v->line);
}

/* --- One vector through a mode -------------------------------------------------------------- */

static void run_chain_vector(const struct setup *s, const struct keys *keys, const struct vector *v)
{
    uint8_t out[sizeof v->plaintext.bytes];
    for (int decrypting = 0; decrypting < 2; decrypting++) {
        struct ctaes_chain chain;
        memset(&chain, 0, sizeof chain);
        memcpy(chain.iv, v->iv.bytes, v->iv.len < 16 ? v->iv.len : 16);
        (decrypting ? s->mode->decrypt : s->mode->encrypt)(
            s->core, keys->aes, &chain, out, decrypting ? v->ciphertext.bytes : v->plaintext.bytes,
            v->plaintext.len);
        expect_bytes(decrypting ? "the plaintext" : "the ciphertext", out,
                     decrypting ? v->plaintext.bytes : v->ciphertext.bytes, v->plaintext.len);
    }
}

static void run_aead_vector(const struct setup *s, const struct keys *keys, const struct vector *v)
{
    uint8_t out[sizeof v->plaintext.bytes], tag[16];
    for (int decrypting = 0; decrypting < 2; decrypting++) {
        struct ctaes_aead state;
        s->mode->aead_set_key(s->core, keys->aes, keys->ghash);
        s->mode->aead_start(s->core, keys->ghash, &state, v->iv.bytes, v->iv.len);
        expect(s->mode->aead_aad(s->core, keys->ghash, &state, v->aad.bytes, v->aad.len) ==
                   CTAES_OK,
               "the AAD was refused");
        enum ctaes_status status =
            decrypting ? s->mode->aead_decrypt(s->core, keys->aes, keys->ghash, &state, out,
                                               v->ciphertext.bytes, v->ciphertext.len)
                       : s->mode->aead_encrypt(s->core, keys->aes, keys->ghash, &state, out,
                                               v->plaintext.bytes, v->plaintext.len);
        expect(status == CTAES_OK, "the data was refused");
        s->mode->aead_finish(s->core, keys->aes, keys->ghash, &state, tag);
        expect_bytes(decrypting ? "the plaintext" : "the ciphertext", out,
                     decrypting ? v->plaintext.bytes : v->ciphertext.bytes, v->plaintext.len);
        expect_bytes("the tag", tag, v->tag.bytes, v->tag.len);
    }
}

void test_vectors(const struct setup *s)
{
    struct vector_file file = {.line = 0};
    struct vector v;
    const struct message_mode *row = message_mode_of(s->mode);
    const size_t *key_lens = row != NULL ? row->key_lens : aes_key_lens;
    size_t counts[4] = {0, 0, 0, 0};
    if (!open_vectors(&file, "", s->mode->name))
        return;
    while (next_vector(&file, &v)) {
        at_vector(&file, &v);
        if (!check_key_length(&file, &v, key_lens, counts))
            continue;
        if (s->mode->kind == CTAES_OWN) {
            run_own_vector(s, &v);
            continue;
        }
        if (!check_data_length(&file, &v))
            continue;
        struct keys keys;
        expand_keys(&keys, s->core, v.key.bytes, v.key.len);
        if (s->mode->kind == CTAES_AEAD)
            run_aead_vector(s, &keys, &v);
        else
            run_chain_vector(s, &keys, &v);
        free_keys(&keys);
    }
    check_counts(&file, key_lens, counts);
    close_vectors(&file);
}

/* --- The reference ------------------------------------------------------------------------ */

static void check_reference(const struct reference_mode *mode, const struct vector *v)
{
    struct reference_key key;
    reference_expand_key(&key, v->key.bytes, v->key.len);
    for (int decrypting = 0; decrypting < 2; decrypting++) {
        uint8_t out[sizeof v->plaintext.bytes], iv[16] = {0}, tag[16];
        const uint8_t *in = decrypting ? v->ciphertext.bytes : v->plaintext.bytes;
        if (mode != NULL) {
            memcpy(iv, v->iv.bytes, v->iv.len < 16 ? v->iv.len : 16);
            mode->crypt(&key, !decrypting, iv, out, in, v->plaintext.len);
        } else {
            reference_gcm(&key, !decrypting, v->iv.bytes, v->iv.len, v->aad.bytes, v->aad.len, out,
                          in, v->plaintext.len, tag);
            expect_bytes("the tag", tag, v->tag.bytes, v->tag.len);
        }
        expect_bytes(decrypting ? "the plaintext" : "the ciphertext", out,
                     decrypting ? v->plaintext.bytes : v->ciphertext.bytes, v->plaintext.len);
    }
}

void test_reference_vectors(const struct setup *s)
{
    (void)s;
    for (size_t i = 0; all_modes[i] != NULL; i++) {
        const char *name = all_modes[i]->name;
        const struct reference_mode *mode = reference_mode_by_name(name);
        struct vector_file file = {.line = 0};
        struct vector v;
        /* Modes with an interface of their own run over the reference's AES. */
        if (all_modes[i]->kind == CTAES_OWN)
            continue;
        if (!expect(mode != NULL || strcmp(name, "GCM") == 0,
                    "mode %s has no reference: add it to reference.c", name) ||
            !open_vectors(&file, "", name))
            continue;
        while (next_vector(&file, &v)) {
            at_vector(&file, &v);
            check_reference(mode, &v);
        }
        close_vectors(&file);
    }
}

/* GF(2^128): that it is a field, as far as random elements show it. */
void test_reference_field(const struct setup *s)
{
    (void)s;
    static const uint8_t one[16] = {0x80};
    for (int i = 0; i < 50; i++) {
        uint8_t a[16], b[16], c[16], left[16], right[16];
        random_bytes(a, 16);
        random_bytes(b, 16);
        random_bytes(c, 16);
        reference_multiply(left, a, one);
        expect_bytes("a * 1", left, a, 16);
        reference_multiply(left, a, b);
        reference_multiply(right, b, a);
        expect_bytes("a * b against b * a", left, right, 16);
        reference_multiply(left, left, c);
        reference_multiply(right, b, c);
        reference_multiply(right, a, right);
        expect_bytes("(a * b) * c against a * (b * c)", left, right, 16);
        reference_invert(left, a);
        reference_multiply(left, left, a);
        expect_bytes("a * a^-1", left, one, 16);

        /* An IV computed for a wanted J0 leads to that J0. */
        struct reference_key key;
        uint8_t k[16], iv[16], h[16] = {0}, j0[16] = {0}, length_block[16] = {0};
        random_bytes(k, 16);
        reference_expand_key(&key, k, 16);
        reference_gcm_iv_for(&key, iv, a);
        reference_encrypt_block(&key, h, h);
        length_block[15] = 128;
        reference_ghash(j0, h, iv, 1);
        reference_ghash(j0, h, length_block, 1);
        expect_bytes("J0 of the IV computed for it", j0, a, 16);
    }
}
