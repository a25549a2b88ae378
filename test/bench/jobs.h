/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is measured: a cell is a task (an operation on a message of some size),
 * a side is a way to do it, and a job is one side doing one cell's task.
 */
#ifndef BENCH_JOBS_H
#define BENCH_JOBS_H

#include "libcrypto.h"

#include "../../provider/ciphers.h"

#include <stdint.h>

#define NIVS 64 /* different IVs, used in turn: a power of 2 */

/* How much of an EVP context's life belongs to the task. */
enum life {
    LIFE_FRESH,  /* a message under the key that is set: IV, data, final, tag */
    LIFE_REKEY,  /* key and IV, data, final, tag */
    LIFE_ONCE,   /* new context, key and IV, data, final, tag, free */
    LIFE_UPDATE, /* data only, in one endless message: what `openssl speed` does */
    LIFE_LOAD    /* new library context, load the provider, and free both again */
};

enum side_kind {
    SIDE_DEFAULT, /* OpenSSL's default provider: the rival, and the reference */
    SIDE_FLOOR,   /* the provider that does no work (floor.c) */
    SIDE_EVP,     /* ctaes through EVP, with a core chosen by name */
    SIDE_DIRECT   /* the core called through the mode's table, without OpenSSL */
};

struct side {
    const char *name; /* "default", "floor", "evp:<core>", "uncleared:<core>", "direct:<core>" */
    enum side_kind kind;
    const struct ctaes_core *core; /* evp, direct */
    OSSL_LIB_CTX *libctx;          /* its own, with this one provider; direct: NULL */
    OSSL_PROVIDER *provider;
    const char *module_dir;
    char own_dir[512];   /* uncleared: what module_dir points to */
    char properties[48]; /* what algorithms are fetched with */
};

struct cell {
    const struct ctaes_cipher *cipher; /* a row of ciphers.def */
    bool encrypt;
    enum life life;
    size_t len; /* bytes */
};

struct job {
    const struct side *side;
    const struct cell *cell;
    const uint8_t *in;
    uint8_t *out;           /* len + 16 bytes */
    size_t in_len, out_len; /* the cell's, but for key wrap, whose ciphertext is longer */
    uint8_t ivs[NIVS][16];
    size_t next_iv;
    uint8_t tag[16]; /* made when encrypting, expected when decrypting */
    bool makes_tag;
    bool checks_tag;
    bool authentic; /* decrypting what was encrypted with ivs[0], and nothing else */

    /* default, floor, evp */
    EVP_CIPHER *evp_cipher;
    EVP_CIPHER_CTX *ctx;

    /* direct */
    struct ctaes_aes_key *key;
    struct ctaes_ghash_key *hash_key;
    struct ctaes_chain chain;
    struct ctaes_aead aead;
};

/* Whether the cell's task refuses what nobody encrypted. */
bool wants_authentic(const struct cell *cell);

/* Sets up the side called name, which must live as long as side. If that fails,
   explanation says why. */
bool open_side(struct side *side, const char *name, const char *module_dir, const char *floor_dir,
               char *explanation, size_t size);
void close_side(struct side *side);

/* Whether the side can do the cell's task at all. */
bool side_can(const struct side *side, const struct cell *cell);

/* Sets up the job of side for cell, and checks that it is the side's provider
   and core that will work. in and out are used by all jobs of the cell. */
bool open_job(struct job *job, const struct side *side, const struct cell *cell, const uint8_t *in,
              uint8_t *out);
void close_job(struct job *job);

/* Does the job n times: a run_fn. */
bool run_job(void *job, size_t n);

#endif
