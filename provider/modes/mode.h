/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface between the provider's glue and the modes of operation.
 *
 * A mode turns a core's block functions into one of SP 800-38's modes. It
 * knows no OpenSSL type and no CPU; what it keeps between calls is a flat
 * struct that its caller owns (struct ctaes_chain, struct ctaes_aead).
 *
 * The rules of core.h hold here too: out may equal in, len counts bytes and may
 * be 0, keys and data are secret, lengths, IVs and counters are public.
 */
#ifndef CTAES_MODE_H
#define CTAES_MODE_H

#include "../../cores/core.h"

#include <stdbool.h>

enum ctaes_mode_kind {
    CTAES_BLOCK,  /* works on whole blocks; the glue buffers and pads: ECB, CBC */
    CTAES_STREAM, /* takes any number of bytes at a time: CTR, CFB, OFB */
    CTAES_AEAD,   /* encrypts and authenticates a stream: GCM */
    CTAES_OWN     /* has an interface of its own, modes/<name>.h; no function here */
};

/* What a block or stream mode keeps between calls. */
struct ctaes_chain {
    /* The running IV, public. CBC: the last ciphertext block. CTR: the counter
       block that comes next, big-endian in all 128 bits. CFB and OFB: the
       feedback register; where num isn't 0, secret (see there). */
    uint8_t iv[16];

    /* The keystream block of which the first num bytes are used. Secret. */
    uint8_t keystream[16];

    /* Bytes of the current keystream block that are used up: 0 to 15, 0 when
       the next byte starts a new block. */
    uint32_t num;

    /* Whether keystream holds the current block; if num isn't 0 and it does
       not, it must be computed again before use. */
    bool keystream_valid;

    /* CFB1: lengths are in bits, not bytes. */
    bool counts_bits;
};

/* Blocks that GCM collects before it hashes them. */
#define CTAES_GCM_WAITING 8

/* What an AEAD keeps between calls within one message. */
struct ctaes_aead {
    uint8_t ctr[16];       /* the counter block that comes next; public */
    uint8_t tag_mask[16];  /* J0 until tag_mask_ready, then E(K, J0): secret */
    uint8_t y[16];         /* GHASH's state: secret */
    uint8_t keystream[16]; /* the keystream block in use, if keystream_valid: secret */
    uint64_t aad_len;      /* bytes of AAD so far */
    uint64_t data_len;     /* bytes of plaintext so far */

    /* AAD and ciphertext that wait to be hashed: `whole` blocks, and one that
       isn't full yet, of aad_len or data_len % 16 bytes; at the end the block of
       lengths. */
    uint8_t waiting[16 * CTAES_GCM_WAITING];
    uint32_t whole;
    bool tag_mask_ready;
    bool keystream_valid;
};

/* Why a mode refused; nothing was written to the output, and the state is as
   it was before the call. */
enum ctaes_status {
    CTAES_OK = 0,
    CTAES_TOO_LONG,    /* over the standard's limit for one key and IV */
    CTAES_OUT_OF_ORDER /* AAD after data */
};

struct ctaes_mode {
    const char *name; /* "CBC" */
    enum ctaes_mode_kind kind;

    uint32_t evp_mode;   /* the number that OpenSSL's API gives the mode */
    uint32_t block_size; /* what OpenSSL calls the block size: 1 for streams */
    uint32_t iv_len;     /* bytes; where it can be chosen, the default */

    /* What OpenSSL calls the mode's flags: it authenticates; it takes IVs of
       other lengths or gives them another sense; it steals ciphertext. */
    bool aead;
    bool custom_iv;
    bool cts;

    /* What a context holds beside one expanded AES key: a second one (the
       algorithm's key_len then counts both, but in GCM-SIV, where one key is
       derived from the other), an expanded hash key. */
    bool second_key;
    bool hash_key;

    /* Bytes that it holds beside these for what the mode itself makes of the
       key: OCB's masks. 0: none. */
    size_t own_key_size;

    /* Whether decryption runs the inverse cipher, so that the key must have
       been through the core's prepare_decrypt. */
    bool inverse_cipher;

    /* Whether an init without an IV starts again from the IV given last, as
       OpenSSL has it for CBC, CFB and OFB; if not, the running IV stays. */
    bool restarts_iv;

    /*
     * CTAES_BLOCK and CTAES_STREAM. Encrypt (decrypt) len bytes, and bring
     * chain forward. For CTAES_BLOCK, len is a multiple of 16.
     */
    void (*encrypt)(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                    struct ctaes_chain *chain, uint8_t *out, const uint8_t *in, size_t len);
    void (*decrypt)(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                    struct ctaes_chain *chain, uint8_t *out, const uint8_t *in, size_t len);

    /*
     * CTAES_AEAD. A message is: aead_start, any number of aead_aad, any number
     * of aead_encrypt (or of aead_decrypt), aead_finish. The caller compares
     * tags, in constant time.
     */

    /* Computes the hash key from the expanded AES key; once for each key. */
    void (*aead_set_key)(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                         struct ctaes_ghash_key *hk);

    /* Starts a message under an IV of iv_len bytes, at least 1. */
    void (*aead_start)(const struct ctaes_core *core, struct ctaes_ghash_key *hk,
                       struct ctaes_aead *state, const uint8_t *iv, size_t iv_len);

    enum ctaes_status (*aead_aad)(const struct ctaes_core *core, struct ctaes_ghash_key *hk,
                                  struct ctaes_aead *state, const uint8_t *aad, size_t len);

    enum ctaes_status (*aead_encrypt)(const struct ctaes_core *core,
                                      const struct ctaes_aes_key *key, struct ctaes_ghash_key *hk,
                                      struct ctaes_aead *state, uint8_t *out, const uint8_t *in,
                                      size_t len);
    enum ctaes_status (*aead_decrypt)(const struct ctaes_core *core,
                                      const struct ctaes_aes_key *key, struct ctaes_ghash_key *hk,
                                      struct ctaes_aead *state, uint8_t *out, const uint8_t *in,
                                      size_t len);

    /* Computes the tag over all that came before. The message is over; the
       state's secrets are wiped. tag is secret until it is known to be the
       sender's own. */
    void (*aead_finish)(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                        struct ctaes_ghash_key *hk, struct ctaes_aead *state, uint8_t tag[16]);
};

extern const struct ctaes_mode ctaes_mode_ecb;
extern const struct ctaes_mode ctaes_mode_cbc;
extern const struct ctaes_mode ctaes_mode_ctr;
extern const struct ctaes_mode ctaes_mode_cfb;
extern const struct ctaes_mode ctaes_mode_cfb8;
extern const struct ctaes_mode ctaes_mode_cfb1;
extern const struct ctaes_mode ctaes_mode_ofb;
extern const struct ctaes_mode ctaes_mode_cts;
extern const struct ctaes_mode ctaes_mode_gcm;
extern const struct ctaes_mode ctaes_mode_wrap;
extern const struct ctaes_mode ctaes_mode_wrap_pad;
extern const struct ctaes_mode ctaes_mode_wrap_inv;
extern const struct ctaes_mode ctaes_mode_wrap_pad_inv;
extern const struct ctaes_mode ctaes_mode_ccm;
extern const struct ctaes_mode ctaes_mode_ocb;
extern const struct ctaes_mode ctaes_mode_siv;
extern const struct ctaes_mode ctaes_mode_gcm_siv;
extern const struct ctaes_mode ctaes_mode_xts;

#endif
