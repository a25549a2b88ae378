/* SPDX-License-Identifier: Apache-2.0 */
/* Comparing the traces of one operation with several secrets: what `trace` and `trace_evp` share.
 */
#ifndef CT_TRACES_H
#define CT_TRACES_H

#include "step.h"

enum { SECRETS = 3 };

/* What must come out of comparing traces. */
enum finding { SAME, ADDRESSES, WAYS, REFUSED, ANY_LEAK };

/* Of the operation under way, one for each set of secrets. */
extern struct trace *traces[SECRETS];

/* To be called once, before all others. */
void open_traces(void);

/* From now on the first `steps` steps of an operation are enough: for controls. */
void cut_traces(size_t steps);

/* From now on operations run with the first n sets of secrets, two or all three. */
void use_secrets(int n);

/* Fills len bytes with values that depend on seed. */
void fill(uint8_t *p, size_t len, uint32_t seed);

/* Fills len bytes with values of the set of secrets: two random ones, and all bits set. */
void fill_secret(uint8_t *p, size_t len, uint32_t seed, int secret);

/* Returns a hash of len bytes. Not a cryptographic one. */
uint64_t digest(const uint8_t *p, size_t len);

/* Calls run(secret) for each set of secrets, each time in a process forked from this one. It writes
   to traces[secret] and returns a digest of the operation's result. Then compares the traces, and
   counts and prints whether what was expected came out. secret_work: whether the result must
   depend on the secrets. */
void compare_runs(enum finding expected, uint64_t (*run)(int secret), bool secret_work,
                  const char *what);

/* Counts a failure, and prints what. */
__attribute__((format(printf, 1, 2))) void note_failure(const char *what, ...);

/* Prints the line that test/ct/run waits for. Returns the exit status. */
int finish_traces(void);

#endif
