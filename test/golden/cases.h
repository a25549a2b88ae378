/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The long vectors: which families there are, and the inputs of each message.
 *
 * A family is a mode, a key length and a range of lengths. Its digest in
 * digests.txt is the SHA-256 of all its outputs in turn: for each length of the
 * range that the mode takes, the ciphertext and then, if the mode authenticates, the tag. The
 * inputs are pseudo-random bytes that follow from the family's name and the
 * length alone, so they need not be stored.
 */
#ifndef GOLDEN_CASES_H
#define GOLDEN_CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GOLDEN_MAX_LENGTH 65552
#define GOLDEN_MAX_GROWTH 16 /* of a ciphertext over its plaintext: key wrap */
#define GOLDEN_MAX_AAD 2048
#define GOLDEN_MAX_IV 160

struct golden_family {
    char name[32];
    const char *mode; /* "CBC" */
    size_t key_len;   /* bytes */
    size_t first_length, last_length;
    size_t step;    /* 16 for modes of whole blocks, else mostly 1 */
    size_t iv_len;  /* bytes; 0: none */
    size_t tag_len; /* bytes; 0: none, and no AAD */
    bool any_iv;    /* GCM: IVs of 1 to 160 bytes other than 12 */
};

struct golden_case {
    uint8_t key[64];
    uint8_t iv[GOLDEN_MAX_IV];
    size_t iv_len;
    uint8_t aad[GOLDEN_MAX_AAD];
    size_t aad_len;
    uint8_t plaintext[GOLDEN_MAX_LENGTH];
    size_t len;
};

/* No more families than this. */
#define GOLDEN_MAX_FAMILIES 200

/* Fills in family number i; false if there are no more than i. */
bool golden_get_family(struct golden_family *family, size_t i);

/* Fills in the message of len bytes. */
void golden_get_case(struct golden_case *c, const struct golden_family *family, size_t len);

#endif
