/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modes with an interface of their own (CTAES_OWN), seen alike: one message in
 * one go. What walks all modes (unit's vectors and lengths, golden, ct's core
 * level, the benchmark's direct calls) uses these rows; each mode's is in the
 * file of its name here.
 */
#ifndef CTAES_TEST_MESSAGES_H
#define CTAES_TEST_MESSAGES_H

#include "../../provider/modes/mode.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a message is encrypted or decrypted with. */
struct message_inputs {
    const uint8_t *key; /* all of the algorithm's key: XTS has 32 or 64 bytes */
    size_t key_len;
    const uint8_t *iv; /* iv_len bytes: nonce, tweak, or initial value */
    size_t iv_len;
    const uint8_t *aad; /* in one piece */
    size_t aad_len;
    const uint8_t *tag; /* decryption: the tag received, tag_len bytes */
    size_t tag_len;     /* bytes of the tag to make, or received */
};

struct message_mode {
    const struct ctaes_mode *mode;
    size_t key_lens[4]; /* bytes, of all of the key; ended by 0 */

    /* Lengths in bytes that a plaintext can have: min_len + n * unit, up to
       max_len (0: no limit that matters here). */
    size_t min_len, unit, max_len;

    /* Bytes that a ciphertext is longer than its plaintext at most (key wrap). */
    size_t growth;

    size_t iv_lens[3];  /* bytes, to be tried in turn; ended by 0, or all 0: no IV */
    size_t tag_lens[3]; /* the same */
    bool has_aad;

    /*
     * Sets up what the mode needs and encrypts, or decrypts, one message of len
     * bytes. Returns how many bytes are in out (which may equal in). Writes the
     * tag that the message has by this computation to tag, tag_len bytes, on
     * decryption too: comparing it with the received one is the caller's.
     */
    size_t (*run)(const struct ctaes_core *core, bool encrypting, const struct message_inputs *m,
                  uint8_t *out, const uint8_t *in, size_t len, uint8_t tag[16]);
};

/* The rows, ended by NULL. */
extern const struct message_mode *const message_modes[];

/* Returns a mode's row, or NULL. */
const struct message_mode *message_mode_of(const struct ctaes_mode *mode);

/* Says that a result is public from here on: what the receiver of a message learns of
   it. The ct layer puts a function of its own here; this one does nothing. */
extern void (*message_reveal)(void *p, size_t len);

/* Returns memory for an expanded key of size bytes, aligned for it; ends the
   program if there is none. To be freed with free. */
void *message_key_memory(size_t size);

#endif
