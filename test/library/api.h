/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of libctaes share: counting, keys in memory of exactly their size, and every
   algorithm as one call. They know the library by its public header alone. */
#ifndef CTAES_TEST_LIBRARY_API_H
#define CTAES_TEST_LIBRARY_API_H

#include "../../provider/library/ctaes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct algorithm {
    enum ctaes_algorithm id;
    const char *name;    /* of its file of vectors */
    const char *prefix;  /* the same */
    size_t key_lens[4];  /* ended by 0 */
    size_t nonce_len;    /* bytes of IV, counter, tweak or nonce to test with */
    size_t tag_len;      /* 0: no tag */
    size_t least, unit;  /* lengths of data: least + n * unit */
    bool has_aad, wraps; /* wraps: the output is longer than the input */
};

/* All of enum ctaes_algorithm, ended by one without a name. */
extern const struct algorithm algorithms[];

/* Counts a failed check, and prints it. Returns whether it held. */
bool expect(bool ok, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A core's name and what is done, for failures. */
extern const char *now_core, *now_what;

/* Returns a key of exactly ctaes_key_size() bytes, with bytes around it that free_key looks at. */
struct ctaes_key *make_key(const struct ctaes_core *core, enum ctaes_algorithm algorithm,
                           const uint8_t *k, size_t k_len);
void free_key(struct ctaes_key *key, const struct ctaes_core *core, enum ctaes_algorithm algorithm);

/* A message for whatever algorithm. */
struct input {
    const uint8_t *nonce, *aad, *in;
    size_t nonce_len, aad_len, len, tag_len;
};

/* Encrypts (decrypts and verifies) in one call, or one for each step that the algorithm has. tag is
   written, or read. *out_len: bytes of out. */
enum ctaes_result encrypt(const struct algorithm *a, const struct ctaes_key *key,
                          const struct input *m, uint8_t *out, size_t *out_len, uint8_t *tag);
enum ctaes_result decrypt(const struct algorithm *a, const struct ctaes_key *key,
                          const struct input *m, uint8_t *out, size_t *out_len, const uint8_t *tag);

/* len bytes that depend on seed. */
void fill_bytes(uint8_t *p, size_t len, uint32_t seed);

bool all_zero(const uint8_t *p, size_t len);

/* The topics. */
void test_vectors(const struct ctaes_core *core);
void test_lengths(const struct ctaes_core *core);
void test_pieces(const struct ctaes_core *core);
void test_components(const struct ctaes_core *core);
void test_forgeries(const struct ctaes_core *core);
void test_keys(const struct ctaes_core *core);
void test_registers(const struct ctaes_core *core);
void test_refusals(const struct ctaes_core *core);
void test_choice(void);

#endif
