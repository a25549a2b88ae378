/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AES and its modes written straight from the standards, one byte and one bit
 * at a time: slow, nowhere constant time, and easy to compare with the text.
 * It is what the tests hold every core and mode against; it shares nothing with
 * them, and is itself held against the published vectors.
 *
 * All lengths are in bytes. out may equal in; no other overlap.
 */
#ifndef REFERENCE_H
#define REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct reference_key {
    uint8_t round_key[15][16];
    size_t rounds;
};

/* FIPS 197 sections 5.2, 5.1 and 5.3. k_len is 16, 24 or 32. */
void reference_expand_key(struct reference_key *key, const uint8_t *k, size_t k_len);
void reference_encrypt_block(const struct reference_key *key, uint8_t out[16],
                             const uint8_t in[16]);
void reference_decrypt_block(const struct reference_key *key, uint8_t out[16],
                             const uint8_t in[16]);

/* SP 800-38D section 6.3: z = x * y in GF(2^128). z may be x or y. */
void reference_multiply(uint8_t z[16], const uint8_t x[16], const uint8_t y[16]);

/* z = x^-1, for x other than 0. */
void reference_invert(uint8_t z[16], const uint8_t x[16]);

/* SP 800-38D section 6.4, starting from y and ending in y. */
void reference_ghash(uint8_t y[16], const uint8_t h[16], const uint8_t *in, size_t nblocks);

/*
 * A block or stream mode. iv is updated to what struct ctaes_chain promises:
 * CBC the last ciphertext block, CTR the counter block after the last one that
 * was used, CFB and OFB the feedback register, ECB no change. A call goes on
 * where one of whole blocks ended.
 */
struct reference_mode {
    const char *name;
    bool shifts; /* encrypts a block for each byte or bit: CFB8, CFB1; num stays 0 */
    void (*crypt)(const struct reference_key *key, bool encrypting, uint8_t iv[16], uint8_t *out,
                  const uint8_t *in, size_t len);
};

/* Returns the block or stream mode of that name, or NULL. */
const struct reference_mode *reference_mode_by_name(const char *name);

/* CBC with ciphertext stealing, CS1 to CS3 (SP 800-38A addendum); len is at least 16. */
void reference_cts(const struct reference_key *key, bool encrypting, unsigned variant,
                   uint8_t iv[16], uint8_t *out, const uint8_t *in, size_t len);

/* GCM, SP 800-38D section 7; writes the 16-byte tag, compares nothing. */
void reference_gcm(const struct reference_key *key, bool encrypting, const uint8_t *iv,
                   size_t iv_len, const uint8_t *aad, size_t aad_len, uint8_t *out,
                   const uint8_t *in, size_t len, uint8_t tag[16]);

/* The tag alone, over a ciphertext that is known already. */
void reference_gcm_tag(const struct reference_key *key, const uint8_t *iv, size_t iv_len,
                       const uint8_t *aad, size_t aad_len, const uint8_t *ciphertext, size_t len,
                       uint8_t tag[16]);

/* The 16-byte IV that makes GCM under this key start from the counter block j0. */
void reference_gcm_iv_for(const struct reference_key *key, uint8_t iv[16], const uint8_t j0[16]);

#endif
