/* SPDX-License-Identifier: Apache-2.0 */
/* See gcm_message.h. */
#include "gcm_message.h"

#include <stdlib.h>

struct message *new_message(const struct setup *s)
{
    struct message *m = key_memory(sizeof *m, 0);
    m->s = s;
    random_keys(&m->keys, s);
    s->mode->aead_set_key(s->core, m->keys.aes, m->keys.ghash);
    random_bytes(m->iv, MAX_IV);
    random_bytes(m->aad, MAX_AAD);
    random_bytes(m->plaintext, MAX_LENGTH);
    m->iv_len = 12;
    m->len = MAX_LENGTH;
    return m;
}

void free_message(struct message *m)
{
    free_keys(&m->keys);
    free(m);
}

void fill_ciphertext(struct message *m)
{
    reference_gcm(&m->keys.reference, true, m->iv, m->iv_len, m->aad, 0, m->ciphertext,
                  m->plaintext, m->len, m->tag);
    m->tag_known = false;
}

const uint8_t *input_of(const struct message *m)
{
    return m->decrypting ? m->ciphertext : m->plaintext;
}

const uint8_t *output_of(const struct message *m)
{
    return m->decrypting ? m->plaintext : m->ciphertext;
}

void start(const struct message *m, struct ctaes_aead *state)
{
    /* Whatever the memory held before must not matter. */
    memset(state, 0xee, sizeof *state);
    m->s->mode->aead_start(m->s->core, m->keys.ghash, state,
                           guard_small(m->iv, m->iv_len, m->iv_len % 2 == 0), m->iv_len);
}

void add_aad(const struct message *m, struct ctaes_aead *state, const uint8_t *aad, size_t len)
{
    expect(m->s->mode->aead_aad(m->s->core, m->keys.ghash, state, aad, len) == CTAES_OK,
           "the AAD was refused");
}

enum ctaes_status crypt_data(const struct message *m, struct ctaes_aead *state, uint8_t *out,
                             const uint8_t *in, size_t len)
{
    return (m->decrypting ? m->s->mode->aead_decrypt : m->s->mode->aead_encrypt)(
        m->s->core, m->keys.aes, m->keys.ghash, state, out, in, len);
}

void add_data(const struct message *m, struct ctaes_aead *state, uint8_t *out, const uint8_t *in,
              size_t len)
{
    expect(crypt_data(m, state, out, in, len) == CTAES_OK, "the data was refused");
}

static const uint8_t *wanted_tag(struct message *m, size_t len)
{
    if (!m->tag_known || m->tag_aad_len != m->aad_len || m->tag_len != len) {
        reference_gcm_tag(&m->keys.reference, m->iv, m->iv_len, m->aad, m->aad_len, m->ciphertext,
                          len, m->tag);
        m->tag_known = true;
        m->tag_aad_len = m->aad_len;
        m->tag_len = len;
    }
    return m->tag;
}

void finish(struct message *m, struct ctaes_aead *state, size_t len)
{
    uint8_t zero[16] = {0}, *tag = guard_small(zero, 16, len % 2 == 0);
    m->s->mode->aead_finish(m->s->core, m->keys.aes, m->keys.ghash, state, tag);
    expect_bytes("the tag", tag, wanted_tag(m, len), 16);
}
