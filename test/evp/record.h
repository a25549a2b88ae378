/* SPDX-License-Identifier: Apache-2.0 */
/* What one side was seen to do. */
#ifndef CTAES_TEST_EVP_RECORD_H
#define CTAES_TEST_EVP_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct record {
    uint8_t *bytes;
    size_t len, cap;
    bool twisted; /* the self-check's side, whose observations are falsified */
};

/* Fields are compared by the address of their name, too: both sides must pass
   the same string. */
void record_clear(struct record *r);
void record_free(struct record *r);
void record_int(struct record *r, const char *name, long long value);
void record_text(struct record *r, const char *name, const char *value);
/* A buffer that was filled with CANARY; printed without what is untouched. */
void record_bytes(struct record *r, const char *name, const void *p, size_t len);
/* Empties the error queue into the record. */
void record_errors(struct record *r);
bool record_equal(const struct record *a, const struct record *b);
/* The same, but b has no errors, whatever a's are. */
bool record_equal_without_errors(const struct record *a, const struct record *b);
/* The same, but a field's bytes may differ. */
bool record_equal_without(const struct record *a, const struct record *b, const char *name);
void record_print(FILE *to, const struct record *r);
/* Prints only the parameters of a probe in which the other one differs. */
void record_print_differences(FILE *to, const struct record *r, const struct record *other);
/* Returns the value of the first integer field of that name, or fallback. */
long long record_find(const struct record *r, const char *name, long long fallback);
/* Return the code of the first or the last error in the record, or 0. */
unsigned long record_first_error(const struct record *r);
unsigned long record_last_error(const struct record *r);

enum { CANARY = 0xC5 };

/* What --twist falsifies: NULL, or one of twists[]. */
extern const char *twist;
extern const char *const twists[];

#endif
