/* SPDX-License-Identifier: Apache-2.0 */
/* The two library contexts, and the randomness that both know. */
#ifndef CTAES_TEST_EVP_SIDES_H
#define CTAES_TEST_EVP_SIDES_H

#include "record.h"

#include <openssl/evp.h>
#include <openssl/provider.h>

struct side {
    const char *label; /* "default" or "ctaes" */
    const char *propq;
    OSSL_LIB_CTX *libctx;
    OSSL_PROVIDER *provider;
    OSSL_PROVIDER *known; /* the source of randomness, or NULL */
    struct record record, probe;
};

/* Modes that OpenSSL counts as another, by numbers of this program's own. */
enum { CTS_MODE = 24 };

struct algorithm {
    const char *name;
    int mode; /* EVP_CIPH_..._MODE, or a number below */
    int key_len;
    EVP_CIPHER *cipher[2]; /* of each side */
};

enum { REFERENCE, SUBJECT };

extern struct side sides[2];
extern struct algorithm algorithms[];
extern size_t nalgorithms;

/* What ctaes has and this version's default provider hasn't: GCM-SIV before OpenSSL 3.2. There is
   nothing to compare it with; siv_alone.c says what must come of it, on all versions. */
extern struct algorithm lone_algorithms[];
extern size_t nlone_algorithms;

/* The runtime version of libcrypto, 0x30000160 for 3.0.22. */
extern unsigned long openssl_version;

/* Returns a new library context in which only the module of `folder` is active,
   or NULL. core: the value of CTAES_CORE, or NULL. */
OSSL_LIB_CTX *load_ctaes(const char *folder, const char *core, OSSL_PROVIDER **provider);
/* Finds the names of the module's cores, up to NULL; prints why not, and returns false, if it
   can't. */
enum { MAX_CORES = 32 };
bool find_cores(const char *folder, const char *cores[MAX_CORES + 1]);
/* Whether this CPU can run a core. If not, that is a skip, or a failure if the core is
   required. */
bool is_usable(const char *folder, const char *core);
/* subject: "ctaes" or "default" (the self-check). Ends the program if it can't. */
void open_sides(const char *subject, const char *folder, const char *core);
void close_sides(void);
const struct algorithm *find_algorithm(const char *name);

/* Both sides draw the same bytes: the reference's RAND and the module's
   getrandom(2) give a known stream that starts again here. */
void restart_randomness(void);
enum randomness { RANDOM_KNOWN, RANDOM_REAL, RANDOM_FAILS };
extern enum randomness randomness;
/* How often the module called getrandom. */
extern unsigned getrandom_calls;
/* Fills p with bytes that depend on the seed only. */
void fill_pseudo_random(void *p, size_t len, uint64_t seed);

#endif
