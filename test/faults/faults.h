/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The faults layer: ctaes in a world that goes wrong.
 *
 *   memory.c    the k-th allocation fails, for every k, in messages and at load
 *   chance.c    the source of randomness fails, is interrupted, gives little
 *   forks.c     fork between any two calls of a message
 *   signals.c   signals whose handler encrypts, too
 *   threads.c   contexts in parallel, handed from thread to thread, loading meanwhile
 *   files.c     module files that are cut off, foreign, or no modules
 *
 * All of them do the same work, a message (message.c): a list of calls that every
 * cipher and MAC of the module goes through, each of which can be made again.
 * Its result is known from an undisturbed run.
 */
#ifndef FAULTS_H
#define FAULTS_H

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MESSAGE_LEN = 1000, RESULT_LEN = MESSAGE_LEN + 64, CALLS = 11, MAX_ALGORITHMS = 80 };

/* A cipher or a MAC of the module, and what a message under it becomes. */
struct algorithm {
    const char *name;
    EVP_CIPHER *cipher; /* one of the two */
    EVP_MAC *mac;
    uint8_t result[RESULT_LEN];
    size_t len;
};

struct message {
    const struct algorithm *alg;
    EVP_CIPHER_CTX *ctx;
    EVP_MAC_CTX *mac_ctx;
    uint8_t out[RESULT_LEN];
    size_t len;
};

/* The module in a library context of its own, with all that it offers. */
struct host {
    OSSL_LIB_CTX *libctx;
    OSSL_PROVIDER *provider;
    struct algorithm algorithms[MAX_ALGORITHMS];
    size_t count;
};

extern const char *folder; /* where ctaes.so is */
extern uint8_t tape[4096]; /* keys, IVs, AAD and data */

/* Ends the program if the module can't be loaded. */
void open_host(struct host *h, const char *core);
void close_host(struct host *h);
/* The algorithm of that name. */
struct algorithm *find(struct host *h, const char *name);

/* Makes call number i of a message; false if it failed, and then it may be made again. */
bool make_call(struct message *m, int i);
/* Makes the calls from number `from` on; false if one failed. */
bool finish_message(struct message *m, int from);
/* Whether the message became what it must. */
bool is_right(const struct message *m);
void free_message(struct message *m);

/* Counts one check; prints the message if it failed. Threads may call it. */
bool check(bool good, const char *format, ...) __attribute__((format(printf, 2, 3)));
void skip(const char *what);
/* A row of the figures: how often something was done. */
void figure(const char *what, unsigned long number);

/* memory.c: before anything of libcrypto is called. */
void watch_memory(void);
/* How many blocks of memory the module holds. */
long blocks_of_module(void);

void check_memory(void);
void check_loads(void);
void check_chance(void);
void check_forks(void);
void check_signals(void);
void check_threads(void);
void check_files(void);

#endif
