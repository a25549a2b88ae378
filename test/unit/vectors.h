/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the vector files; test/vectors/README.md describes them. */
#ifndef VECTORS_H
#define VECTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct vector_value {
    bool present;
    size_t len;
    uint8_t bytes[512];
};

/* The fields that hold bytes, in the files as hexadecimal digits. */
#define VECTOR_FIELDS(X)                                                                           \
    X(key)                                                                                         \
    X(iv)                                                                                          \
    X(aad)                                                                                         \
    X(aad_2) X(aad_3) X(plaintext) X(ciphertext) X(tag) X(input) X(count_0) X(count_9) X(count_99)

struct vector {
    char name[128];     /* where the vector comes from */
    char direction[16]; /* "encrypt", "decrypt", or "" for both */
    size_t line;        /* of its first field */
#define X(field) struct vector_value field;
    VECTOR_FIELDS(X)
#undef X
};

struct vector_file {
    FILE *stream;
    char path[256];
    size_t line;
};

/* Opens the vectors of a mode, the file <prefix><mode's name in lower case>.txt
   in the vectors' folder; a failed check if it can't. */
bool open_vectors(struct vector_file *file, const char *prefix, const char *mode_name);

/* Reads the next vector. False at the end, and after a failed check if the
   file is malformed. */
bool next_vector(struct vector_file *file, struct vector *v);

void close_vectors(struct vector_file *file);

struct setup;
/* Runs a vector of a mode with an interface of its own. */
void run_own_vector(const struct setup *s, const struct vector *v);

/* Lets failures say that they are about v. */
void at_vector(const struct vector_file *file, const struct vector *v);

#endif
