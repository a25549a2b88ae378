/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modes with an interface of their own, through their rows of test/messages:
 * the published vectors, and every length on every core against the same mode
 * over the reference's AES and GHASH, one block at a time. What is wrong with a
 * mode itself, whichever core it runs on, the vectors and the long vectors of
 * test/golden show.
 */
#include "sweeps.h"
#include "vectors.h"

#include "../messages/messages.h"

#include <stdlib.h>

/* --- A core made of the reference ------------------------------------------------------------ */

struct reference_hash_key {
    uint8_t h[16];
};

static void model_expand_key(struct ctaes_aes_key *key, const uint8_t *k, size_t k_len)
{
    reference_expand_key((struct reference_key *)(void *)key, k, k_len);
}

static void model_encrypt(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in,
                          size_t nblocks)
{
    for (size_t i = 0; i < nblocks; i++)
        reference_encrypt_block((const struct reference_key *)(const void *)key, out + i * 16,
                                in + i * 16);
}

static void model_decrypt(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in,
                          size_t nblocks)
{
    for (size_t i = 0; i < nblocks; i++)
        reference_decrypt_block((const struct reference_key *)(const void *)key, out + i * 16,
                                in + i * 16);
}

static void model_ghash_init(struct ctaes_ghash_key *hk, const uint8_t h[16])
{
    memcpy(((struct reference_hash_key *)(void *)hk)->h, h, 16);
}

static void model_ghash(struct ctaes_ghash_key *hk, uint8_t y[16], const uint8_t *in,
                        size_t nblocks)
{
    reference_ghash(y, ((struct reference_hash_key *)(void *)hk)->h, in, nblocks);
}

static const struct ctaes_core model = {
    .name = "reference",
    .batch = 1,
    .key_size = sizeof(struct reference_key),
    .ghash_size = sizeof(struct reference_hash_key),
    .expand_key = model_expand_key,
    .encrypt = model_encrypt,
    .decrypt = model_decrypt,
    .ghash_init = model_ghash_init,
    .ghash = model_ghash,
};

/* --- The vectors ----------------------------------------------------------------------------- */

void run_own_vector(const struct setup *s, const struct vector *v)
{
    const struct message_mode *row = message_mode_of(s->mode);
    if (!expect(row != NULL, "the mode has no row in test/messages"))
        return;
    const struct message_inputs m = {v->key.bytes, v->key.len, v->iv.bytes,  v->iv.len,
                                     v->aad.bytes, v->aad.len, v->tag.bytes, v->tag.len};
    uint8_t out[sizeof v->plaintext.bytes + 16], tag[16];
    bool encrypts = strcmp(v->direction, "decrypt") != 0;
    bool decrypts = strcmp(v->direction, "encrypt") != 0;
    for (int decrypting = !encrypts; decrypting < 1 + decrypts; decrypting++) {
        const struct vector_value *in = decrypting ? &v->ciphertext : &v->plaintext;
        const struct vector_value *want = decrypting ? &v->plaintext : &v->ciphertext;
        size_t len = row->run(s->core, !decrypting, &m, out, in->bytes, in->len, tag);
        if (expect(len == want->len, "%zu bytes came out, want %zu", len, want->len))
            expect_bytes(decrypting ? "the plaintext" : "the ciphertext", out, want->bytes, len);
        expect_bytes("the tag", tag, v->tag.bytes, v->tag.len);
    }
}

/* --- All lengths ----------------------------------------------------------------------------- */

#define MAX_GROWTH 16
#define MAX_AAD 300

/* One message with what must come of it. */
struct own_case {
    const struct message_mode *row;
    const struct ctaes_core *core;
    uint8_t key[64], iv[16], aad[MAX_AAD];
    uint8_t plain[MAX_LENGTH], cipher[MAX_LENGTH + MAX_GROWTH];
    uint8_t tag[16];
    struct message_inputs m;
    size_t len, cipher_len;
};

static size_t count_lens(const size_t lens[3])
{
    size_t n = 0;
    while (n < 3 && lens[n] != 0)
        n++;
    return n;
}

/* Makes the n-th case of len bytes: the lengths of IV, tag and AAD take turns. */
static void fill_own_case(struct own_case *c, size_t key_len, size_t len, size_t n)
{
    const struct message_mode *row = c->row;
    size_t ivs = count_lens(row->iv_lens), tags = count_lens(row->tag_lens);
    random_bytes(c->key, sizeof c->key);
    random_bytes(c->iv, sizeof c->iv);
    random_bytes(c->aad, sizeof c->aad);
    random_bytes(c->plain, len);
    c->m = (struct message_inputs){
        .key = c->key,
        .key_len = key_len,
        .iv = c->iv,
        .iv_len = ivs > 0 ? row->iv_lens[n % ivs] : 0,
        .aad = c->aad,
        .aad_len = !row->has_aad ? 0
                   : n % 5 == 4  ? random_below(MAX_AAD)
                                 : n * 7 % 50,
        .tag = c->tag,
        .tag_len = tags > 0 ? row->tag_lens[n / 2 % tags] : 0,
    };
    c->len = len;
    c->cipher_len = row->run(&model, true, &c->m, c->cipher, c->plain, len, c->tag);
    expect(c->cipher_len >= len && c->cipher_len <= len + row->growth,
           "%zu bytes of plaintext gave %zu of ciphertext", len, c->cipher_len);
}

static void check_own_case(const struct own_case *c, const struct layout *layout, size_t offset)
{
    struct staged b;
    uint8_t tag[16];
    at.step = "encrypt";
    stage_sized(&b, layout, c->plain, c->len, c->cipher_len, offset, offset * 5 % 16);
    size_t len = c->row->run(c->core, true, &c->m, b.out, b.in, c->len, tag);
    expect(len == c->cipher_len, "%zu bytes came out, want %zu", len, c->cipher_len);
    check_staged(&b, "the ciphertext", c->cipher);
    expect_bytes("the tag", tag, c->tag, c->m.tag_len);

    at.step = "decrypt";
    stage_sized(&b, layout, c->cipher, c->cipher_len, c->len, offset * 7 % 16, offset);
    len = c->row->run(c->core, false, &c->m, b.out, b.in, c->cipher_len, tag);
    expect(len == c->len, "%zu bytes came out, want %zu", len, c->len);
    check_staged(&b, "the plaintext", c->plain);
    expect_bytes("the tag", tag, c->tag, c->m.tag_len);
}

void sweep_own_lengths(const struct setup *s, bool few)
{
    struct own_case *c = key_memory(sizeof *c, 0);
    c->row = message_mode_of(s->mode);
    c->core = s->core;
    if (expect(c->row != NULL, "the mode has no row in test/messages")) {
        const size_t max =
            c->row->max_len != 0 && c->row->max_len < MAX_LENGTH ? c->row->max_len : MAX_LENGTH;
        for (size_t k = 0; k < 4 && c->row->key_lens[k] != 0; k++)
            for (size_t len = c->row->min_len, n = k; len <= max; len += c->row->unit, n++) {
                if (!wanted_among_few(s->core, len) && (few || n % 31 != 0))
                    continue;
                if (quick && !wanted_length(len))
                    continue;
                fill_own_case(c, c->row->key_lens[k], len, n);
                check_own_case(c, &layouts[n % LAYOUTS], n % 16);
                check_own_case(c, &layouts[2], 0);
            }
    }
    free(c);
}

void test_own_modes(const struct setup *s)
{
    sweep_own_lengths(s, false);
}
