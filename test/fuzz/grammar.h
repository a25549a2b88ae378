/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes to sequences of EVP calls and back: see grammar.c. */
#ifndef CTAES_TEST_FUZZ_GRAMMAR_H
#define CTAES_TEST_FUZZ_GRAMMAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest text of a sequence, with its end, and how many steps it has at most. */
enum { SEQUENCE_SIZE = 4000, SEQUENCE_STEPS = 60, MOST_BYTES = 1024 };

/* What the first two bytes say; the others are the sequence. */
struct program {
    uint8_t core; /* modulo the number of cores */
    bool probing; /* whether all parameters are read after each step */
    bool is_mac;  /* a sequence for macs.c, not for script.c */
    char text[SEQUENCE_SIZE];
};

/* Any bytes are a program. */
void decode_program(struct program *p, const uint8_t *bytes, size_t len);

/* The inverse: writes bytes, at most MOST_BYTES, that decode to this text. Returns how many,
   or 0 if the grammar has no such sequence; *stuck is then where in the text it ends. */
size_t encode_program(uint8_t *bytes, uint8_t core, bool probing, const char *text,
                      const char **stuck);

/* Calls f with the bytes of each step that goes without saying more: a dictionary's entries. */
void list_tokens(void (*f)(const uint8_t *bytes, size_t len, const char *text));

#endif
