/* SPDX-License-Identifier: Apache-2.0 */
/* A GCM message under test: its parts, the calls that make it up, what must come out. */
#ifndef GCM_MESSAGE_H
#define GCM_MESSAGE_H

#include "topics.h"

#define MAX_AAD MAX_LENGTH
#define MAX_IV 1024

/* One message in one direction. */
struct message {
    const struct setup *s;
    bool decrypting;
    struct keys keys;
    uint8_t iv[MAX_IV], aad[MAX_AAD];
    size_t iv_len, aad_len, len;
    uint8_t plaintext[MAX_LENGTH], ciphertext[MAX_LENGTH];

    /* The reference's tag, and the lengths that it is for: it is slow. */
    bool tag_known;
    size_t tag_aad_len, tag_len;
    uint8_t tag[16];
};

/* Returns a message of random parts: a 12-byte IV, no AAD. */
struct message *new_message(const struct setup *s);
void free_message(struct message *m);

/* Computes the ciphertext of m->len bytes under the IV as it is now, of which
   every shorter message's is a prefix. To be called after changes of the IV. */
void fill_ciphertext(struct message *m);

/* What goes in and what must come out, in the message's direction. */
const uint8_t *input_of(const struct message *m);
const uint8_t *output_of(const struct message *m);

/* The steps of a message. All but crypt_data demand that they are accepted;
   finish also checks the tag of a message of len bytes of data. */
void start(const struct message *m, struct ctaes_aead *state);
void add_aad(const struct message *m, struct ctaes_aead *state, const uint8_t *aad, size_t len);
enum ctaes_status crypt_data(const struct message *m, struct ctaes_aead *state, uint8_t *out,
                             const uint8_t *in, size_t len);
void add_data(const struct message *m, struct ctaes_aead *state, uint8_t *out, const uint8_t *in,
              size_t len);
void finish(struct message *m, struct ctaes_aead *state, size_t len);

#endif
