/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libctaes: constant-time AES without OpenSSL. The cores and modes of the ctaes provider, for
 * programs with a protocol or file format of their own.
 *
 *      ctaes_core_choose()          once: which code runs on this CPU
 *             │
 *      ctaes_key_init()             once per key: expands it, for one algorithm
 *             │
 *             ├── ctaes_seal, ctaes_open           a message with its tag, in one call
 *             ├── ctaes_gcm_*                      such a message in pieces
 *             ├── ctaes_mac_*                      CMAC
 *             ├── ctaes_wrap_key, ctaes_unwrap_key
 *             └── ctaes_ecb_*, ctaes_cbc_*, ctaes_ctr_*, ctaes_xts_*
 *
 * Whoever wants to encrypt messages wants ctaes_seal: CTAES_GCM_SIV if nonces might ever be used
 * twice, CTAES_GCM otherwise. The last line's modes don't notice that a message was changed.
 *
 * Rules for all functions:
 *
 *  - Lengths count bytes and are public. A pointer may be NULL where its length is 0. Arrays of
 *    bytes may have any alignment.
 *  - out may equal in. Otherwise what is written (out, a tag, an IV, a length, a message) overlaps
 *    neither an input, the key among these, nor anything else that is written: CTAES_OVERLAP.
 *  - Whatever is refused has changed nothing, unless its description says otherwise.
 *  - Secret: keys, plaintext, keystream, and all that is derived from them. No branch, address,
 *    division or variable shift depends on them, in key setup either. Public: lengths, nonces, IVs,
 *    tweaks, AAD, ciphertext, tags on messages, results. (On a few CPUs multiplication isn't
 *    constant time. That concerns GCM and GCM-SIV with the cores ct64, ct32 and sse2: see
 *    docs/constant-time.md.)
 *  - There are no globals, nothing is allocated, and nothing is locked. Once a key is set up it is
 *    never written to: any number of threads may use it at once. A struct ctaes_message belongs
 *    to one thread at a time.
 *  - Keys and messages have no pointers into themselves: copying the bytes (to memory aligned as
 *    well) copies the object, within one process. Wiping them when they are over is their owner's
 *    to do, with ctaes_wipe; the functions wipe their own copies, and the vector registers.
 *
 * Sources: FIPS 197, SP 800-38A, B, C, D, E and F, IEEE 1619, RFC 5297, RFC 7253, RFC 8452.
 */
#ifndef CTAES_H
#define CTAES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
#    define CTAES_MUST_CHECK __attribute__((warn_unused_result))
#else
#    define CTAES_MUST_CHECK
#endif

enum ctaes_result {
    CTAES_SUCCESS = 0,
    CTAES_NOT_AUTHENTIC,    /* the tag, or the wrapped key, isn't right */
    CTAES_INVALID_ARGUMENT, /* NULL, a wrong alignment, an unknown algorithm */
    CTAES_INVALID_LENGTH,   /* of key, nonce, tag, data, or of the memory for them */
    CTAES_INVALID_KEY,      /* not set up, set up for another algorithm, or unfit */
    CTAES_OVERLAP,          /* an output overlaps something that it mustn't */
    CTAES_WRONG_ORDER       /* the message is over, or in a state that excludes the call */
};

/* Returns what a result means, for people: a static string. */
const char *ctaes_result_text(enum ctaes_result result);

/* Returns the library's version, "0.1.0". */
const char *ctaes_version(void);

/* --- Cores -------------------------------------------------------------------------------- */

/* An implementation of AES and GHASH for one kind of CPU. */
struct ctaes_core;

/*
 * Returns a core: by name, or for NULL and "auto" the best one that this CPU can run. Before that
 * it answers known questions; one that errs is never returned. NULL if there is none: the name is
 * unknown, the CPU lacks what it needs, or its self-test failed; why_not (size bytes; NULL if not
 * wanted) gets the reason as a string. Takes up to a millisecond; the result stays valid.
 *
 * OPENSSL_ia32cap in the environment hides features of the CPU, as it does from OpenSSL.
 */
const struct ctaes_core *ctaes_core_choose(const char *name, char *why_not, size_t size);

/* Returns the core's name. */
const char *ctaes_core_name(const struct ctaes_core *core);

/* Returns the name of the n-th core of this library, best first, whether or not this CPU can run
   it; NULL behind the last one. */
const char *ctaes_core_list(size_t n);

/* --- Keys --------------------------------------------------------------------------------- */

/* The key lengths in bytes are 16, 24 and 32; of XTS 32 and 64; of SIV 32, 48 and 64. */
enum ctaes_algorithm {
    CTAES_ECB = 1,
    CTAES_CBC,
    CTAES_CTR,
    CTAES_XTS,
    CTAES_CMAC,
    CTAES_KW,  /* key wrap, RFC 3394 */
    CTAES_KWP, /* key wrap with padding, RFC 5649 */
    CTAES_GCM,
    CTAES_CCM,
    CTAES_OCB,
    CTAES_SIV,
    CTAES_GCM_SIV
};

/* A key that is set up. It lies in memory of the caller's, aligned to CTAES_KEY_ALIGN bytes, which
   is ctaes_key_size() bytes long; CTAES_KEY_MAX are enough for every core and algorithm. */
struct ctaes_key;

#define CTAES_KEY_ALIGN 64
#define CTAES_KEY_MAX 12288

/* Returns how many bytes a key takes, a multiple of CTAES_KEY_ALIGN; 0 for an unknown algorithm. */
size_t ctaes_key_size(const struct ctaes_core *core, enum ctaes_algorithm algorithm);

/*
 * Sets up a key of k_len bytes at k, secret, for both directions. size: bytes at key.
 * CTAES_INVALID_KEY if the halves of an XTS key are equal (SP 800-38E's rule).
 */
CTAES_MUST_CHECK enum ctaes_result ctaes_key_init(struct ctaes_key *key, size_t size,
                                                  const struct ctaes_core *core,
                                                  enum ctaes_algorithm algorithm, const uint8_t *k,
                                                  size_t k_len);

/* Overwrites len bytes, in a way that the compiler doesn't leave out. A key that was wiped is
   refused from then on. */
void ctaes_wipe(void *p, size_t len);

/* --- Authenticated encryption, a message in one call --------------------------------------- */

/*
 *               nonce            tag            data, up to   a nonce used twice
 *    GCM        1 to 128, use 12 12 to 16       2^36 - 32     leaks their xor, enables forgeries
 *    CCM        7 to 13          4, 6, ... 16   see below     leaks their xor
 *    OCB        1 to 15          8 to 16        2^36          leaks equal blocks, enables forgeries
 *    GCM-SIV    12               16             2^36          tells whether both are equal
 *    SIV        any, or none     16             2^35          tells whether both are equal
 *
 * Lengths in bytes. CCM's data has less than 2^(8 (15 - nonce_len)) bytes, and at most 2^36 - 32.
 * GCM with random nonces: at most 2^32 messages under one key. In SIV the AAD is one component,
 * also when it is empty, and the nonce the last one (RFC 5297 section 3).
 */

/* Encrypts len bytes from in to out, of the same length, and authenticates them with the AAD:
   writes a tag of tag_len bytes. */
CTAES_MUST_CHECK enum ctaes_result ctaes_seal(const struct ctaes_key *key, uint8_t *out,
                                              uint8_t *tag, size_t tag_len, const uint8_t *nonce,
                                              size_t nonce_len, const uint8_t *aad, size_t aad_len,
                                              const uint8_t *in, size_t len);

/*
 * Decrypts len bytes from in to out if the tag is the right one for them, nonce and AAD. If not,
 * the result is CTAES_NOT_AUTHENTIC, and out, which gets no plaintext, is filled with zeros: in
 * place, the ciphertext is then gone.
 */
CTAES_MUST_CHECK enum ctaes_result ctaes_open(const struct ctaes_key *key, uint8_t *out,
                                              const uint8_t *tag, size_t tag_len,
                                              const uint8_t *nonce, size_t nonce_len,
                                              const uint8_t *aad, size_t aad_len, const uint8_t *in,
                                              size_t len);

/* --- Messages in pieces: GCM, CMAC, CTR ----------------------------------------------------- */

/* A message that is under way. Its key must stay where it is. */
struct ctaes_message {
    uint64_t opaque[36];
};

/*
 * GCM: start, AAD in any pieces, data in any pieces, and one of finish and verify, which ends the
 * message and wipes it. CTAES_WRONG_ORDER: AAD after data, both directions in one message, verify
 * where it was encrypted, finish where it was decrypted.
 */
CTAES_MUST_CHECK enum ctaes_result ctaes_gcm_start(struct ctaes_message *message,
                                                   const struct ctaes_key *key,
                                                   const uint8_t *nonce, size_t nonce_len);
CTAES_MUST_CHECK enum ctaes_result ctaes_gcm_aad(struct ctaes_message *message, const uint8_t *aad,
                                                 size_t len);
CTAES_MUST_CHECK enum ctaes_result ctaes_gcm_encrypt(struct ctaes_message *message, uint8_t *out,
                                                     const uint8_t *in, size_t len);

/* What it writes is not authenticated, and may be a forger's: nothing may act on it, or show it,
   until ctaes_gcm_verify has said CTAES_SUCCESS. Where the data fits into memory, use ctaes_open.
 */
CTAES_MUST_CHECK enum ctaes_result ctaes_gcm_decrypt_unverified(struct ctaes_message *message,
                                                                uint8_t *out, const uint8_t *in,
                                                                size_t len);

/* tag_len is 12 to 16. */
CTAES_MUST_CHECK enum ctaes_result ctaes_gcm_finish(struct ctaes_message *message, uint8_t *tag,
                                                    size_t tag_len);
CTAES_MUST_CHECK enum ctaes_result ctaes_gcm_verify(struct ctaes_message *message,
                                                    const uint8_t *tag, size_t tag_len);

/* CMAC, in the same way; tag_len is 8 to 16. verify compares in constant time: memcmp doesn't. */
CTAES_MUST_CHECK enum ctaes_result ctaes_mac_start(struct ctaes_message *message,
                                                   const struct ctaes_key *key);
CTAES_MUST_CHECK enum ctaes_result ctaes_mac_update(struct ctaes_message *message,
                                                    const uint8_t *in, size_t len);
CTAES_MUST_CHECK enum ctaes_result ctaes_mac_finish(struct ctaes_message *message, uint8_t *tag,
                                                    size_t tag_len);
CTAES_MUST_CHECK enum ctaes_result ctaes_mac_verify(struct ctaes_message *message,
                                                    const uint8_t *tag, size_t tag_len);

/* CTR from a first counter block, which counts as a number of 128 bits, big-endian; both directions
   are the same. No two messages under one key may have a counter block in common. It is never over:
   wipe the message. */
CTAES_MUST_CHECK enum ctaes_result ctaes_ctr_start(struct ctaes_message *message,
                                                   const struct ctaes_key *key,
                                                   const uint8_t counter[16]);
CTAES_MUST_CHECK enum ctaes_result ctaes_ctr_crypt(struct ctaes_message *message, uint8_t *out,
                                                   const uint8_t *in, size_t len);

/* --- Key wrap ------------------------------------------------------------------------------- */

/*
 * Wraps (unwraps) len bytes from in to out, which has room for out_size bytes, and says in *out_len
 * how many it wrote. CTAES_KW: len is a multiple of 8, at least 16, and grows by 8; CTAES_KWP: 1 or
 * more, rounded up to 8, and 8 more. Unwrapping needs room for len - 8 bytes. Below 2^31 bytes.
 *
 * If what is to be unwrapped isn't intact: CTAES_NOT_AUTHENTIC, *out_len is 0, and out has zeros.
 */
CTAES_MUST_CHECK enum ctaes_result ctaes_wrap_key(const struct ctaes_key *key, uint8_t *out,
                                                  size_t out_size, size_t *out_len,
                                                  const uint8_t *in, size_t len);
CTAES_MUST_CHECK enum ctaes_result ctaes_unwrap_key(const struct ctaes_key *key, uint8_t *out,
                                                    size_t out_size, size_t *out_len,
                                                    const uint8_t *in, size_t len);

/* --- Without authentication ------------------------------------------------------------------ */

/* The bare block cipher on len / 16 blocks; len is a multiple of 16. For building other modes:
   equal blocks stay equal. */
CTAES_MUST_CHECK enum ctaes_result ctaes_ecb_encrypt(const struct ctaes_key *key, uint8_t *out,
                                                     const uint8_t *in, size_t len);
CTAES_MUST_CHECK enum ctaes_result ctaes_ecb_decrypt(const struct ctaes_key *key, uint8_t *out,
                                                     const uint8_t *in, size_t len);

/* CBC on whole blocks. iv becomes the last ciphertext block, so that the next call goes on; for a
   new message it must be unpredictable. Padding is the caller's, and so is not to tell anyone
   whether it was right before the message is known to be authentic. */
CTAES_MUST_CHECK enum ctaes_result ctaes_cbc_encrypt(const struct ctaes_key *key, uint8_t iv[16],
                                                     uint8_t *out, const uint8_t *in, size_t len);
CTAES_MUST_CHECK enum ctaes_result ctaes_cbc_decrypt(const struct ctaes_key *key, uint8_t iv[16],
                                                     uint8_t *out, const uint8_t *in, size_t len);

/* XTS on one data unit of 16 to 2^24 bytes. tweak: the unit's number, the lowest byte first. */
CTAES_MUST_CHECK enum ctaes_result ctaes_xts_encrypt(const struct ctaes_key *key,
                                                     const uint8_t tweak[16], uint8_t *out,
                                                     const uint8_t *in, size_t len);
CTAES_MUST_CHECK enum ctaes_result ctaes_xts_decrypt(const struct ctaes_key *key,
                                                     const uint8_t tweak[16], uint8_t *out,
                                                     const uint8_t *in, size_t len);

#ifdef __cplusplus
}
#endif

#endif
