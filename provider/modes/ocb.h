/* SPDX-License-Identifier: Apache-2.0 */
/* OCB (RFC 7253): what ocb.c offers. The rules of mode.h hold. */
#ifndef CTAES_OCB_H
#define CTAES_OCB_H

#include "mode.h"

enum {
    CTAES_OCB_MIN_NONCE = 1, /* bytes */
    CTAES_OCB_MAX_NONCE = 15,
    CTAES_OCB_RUN = 128, /* blocks whose masks are kept; a power of two */
    CTAES_OCB_LATER = 8  /* L_i that are kept for the blocks between runs */
};

/* What follows from the key alone; all of it secret. */
struct ctaes_ocb_key {
    /* For each block of a run, which starts where the block's number is a
       multiple of CTAES_OCB_RUN: its offset xor the first one's. */
    uint8_t masks[CTAES_OCB_RUN][16];
    uint8_t l_star[16];
    uint8_t l_dollar[16];
    uint8_t l_later[CTAES_OCB_LATER][16]; /* from the L_i on for which 2^i is CTAES_OCB_RUN */
};

/* One of the two sequences of offsets, of data and of AAD. */
struct ctaes_ocb_place {
    uint8_t offset[16]; /* of the run's first block: secret */
    uint64_t nblocks;   /* so far */
};

/* What OCB keeps of one message. */
struct ctaes_ocb {
    struct ctaes_ocb_place data, aad;
    uint8_t checksum[16]; /* of the plaintext so far: secret */
    uint8_t sum[16];      /* HASH of the AAD so far: secret */
    bool data_ended;      /* a last block that isn't whole has been in */
    bool aad_ended;
};

/* Computes ok from the expanded AES key; once for each key. */
void ctaes_ocb_set_key(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                       struct ctaes_ocb_key *ok);

/* Starts a message: a nonce of nonce_len bytes, 1 to 15, and a tag of tag_len
   bytes, 1 to 16. */
void ctaes_ocb_start(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                     struct ctaes_ocb *state, const uint8_t *nonce, size_t nonce_len,
                     size_t tag_len);

/*
 * AAD, and data to encrypt or decrypt, each in any number of pieces, in any
 * order of the two. Every piece but the last is of whole blocks. Decryption
 * needs a key that has been through prepare_decrypt.
 */
void ctaes_ocb_aad(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                   const struct ctaes_ocb_key *ok, struct ctaes_ocb *state, const uint8_t *aad,
                   size_t len);
void ctaes_ocb_encrypt(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                       const struct ctaes_ocb_key *ok, struct ctaes_ocb *state, uint8_t *out,
                       const uint8_t *in, size_t len);
void ctaes_ocb_decrypt(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                       const struct ctaes_ocb_key *ok, struct ctaes_ocb *state, uint8_t *out,
                       const uint8_t *in, size_t len);

/* Computes the tag, of which the caller uses tag_len bytes. The message is over;
   the state's secrets are wiped. */
void ctaes_ocb_finish(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                      const struct ctaes_ocb_key *ok, struct ctaes_ocb *state, uint8_t tag[16]);

#endif
