/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of check-scale share: the two sides, what they count and what they print. */
#ifndef CTAES_TEST_SCALE_H
#define CTAES_TEST_SCALE_H

#include <openssl/evp.h>

#include <stdbool.h>
#include <stdint.h>

enum { DEFAULT, CTAES };

extern const char *folder; /* where ctaes.so is */
extern const char *cores;  /* names of cores, with blanks between */
extern bool quick;
extern uint8_t key[64], iv[16];

/* Counts a check; prints one that failed, and returns good. */
bool check(bool good, const char *what, const char *name);

/* Counts and prints what can't be said here. */
void skip(const char *what, const char *why);

/* Prints a number, and writes it into the file of figures. */
void figure(const char *what, const char *name, double number, const char *unit);

/* Seconds. */
double now(void);

/* A library context in which the provider is loaded; *loaded is NULL if it can't be. */
OSSL_LIB_CTX *load(const char *name, OSSL_PROVIDER **loaded);

/* The algorithm of DEFAULT or CTAES, and a context with key and iv: both or the end of the program.
 */
EVP_CIPHER *fetch(int side, const char *name);
EVP_CIPHER_CTX *start(const EVP_CIPHER *cipher, int encrypt);

/* The parts. */
void run_upper(void);
void run_huge(void);
void run_limits(void);
void run_contexts(void);
void run_messages(void);
void run_threads(void);

#endif
