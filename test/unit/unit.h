/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the unit tests share: cases, checks, random data and guarded buffers.
 *
 * main.c has the table of topics. Each topic is one function, and is run once
 * for every core, mode and key length of its scope; each run is a case, passes
 * or fails as a whole, and goes on after a failed check, so that one run shows
 * the whole extent of a fault. A case that touches memory it must not touch
 * fails with the place that `at` describes, and the next case runs.
 */
#ifndef UNIT_H
#define UNIT_H

#include "reference.h"

#include "../../cores/core.h"
#include "../../provider/modes/mode.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What a case is about; NULL and 0 where its topic doesn't depend on it. */
struct setup {
    const struct ctaes_core *core;
    const struct ctaes_mode *mode;
    size_t key_len; /* bytes */
};

enum scope {
    ONCE = 0,
    EACH_CORE = 1,
    EACH_KEY_LENGTH = 2,
    BLOCK_MODES = 4,
    STREAM_MODES = 8,
    AEAD_MODES = 16,
    OWN_MODES = 32,
    GCM_ONLY = 64,
    CTR_ONLY = 128
};

struct topic {
    const char *name;
    unsigned scope; /* of enum scope, ORed */
    void (*run)(const struct setup *s);
};

/* The modes of this build, ended by NULL. */
extern const struct ctaes_mode *const all_modes[];

/* Whether to run the short selection, for emulators. */
extern bool quick;

/* The folder of the vector files. */
extern const char *vectors_folder;

/* --- Where the test is: kept up to date by the tests, printed with every failure. --------- */

struct where {
    const char *variant; /* NULL, or how the core's table was changed */
    const char *step;    /* the function or step that is being tested */
    const char *layout;  /* how the buffers lie */
    size_t len;          /* bytes, or blocks where step says so */
    size_t in_offset, out_offset;
    const char *detail; /* NULL, or the name of one more number */
    uint64_t number;
};
extern struct where at;

/* --- Checks. Each returns whether it held. ----------------------------------------------- */

bool expect(bool ok, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool expect_bytes(const char *what, const uint8_t *got, const uint8_t *want, size_t len);

/* Notes that the case can't run. reason is printed. */
void skip(const char *reason);

/* --- Random data; the seed is printed with a failure. ------------------------------------- */

uint64_t random_word(void);
size_t random_below(size_t bound);
void random_bytes(void *p, size_t len);

/* --- Keys -------------------------------------------------------------------------------- */

/* Memory for one core's key structures of exactly their size, aligned as they
   must be, and the reference's key schedule for the same key. */
struct keys {
    struct ctaes_aes_key *aes;
    struct ctaes_ghash_key *ghash;
    struct reference_key reference;
    uint8_t h[16];
};

/* Returns memory of exactly size bytes, aligned for a key structure, filled
   with one value. To be freed with free. */
void *key_memory(size_t size, int fill);

/* Expands k for every use of the core: both directions, GHASH. */
void expand_keys(struct keys *keys, const struct ctaes_core *core, const uint8_t *k, size_t k_len);
/* The same for a random key. */
void random_keys(struct keys *keys, const struct setup *s);
void free_keys(struct keys *keys);

/* --- Guarded buffers --------------------------------------------------------------------- */

/*
 * Input and output each lie in an area of their own with an inaccessible page
 * directly before and directly after:
 *
 *   ░░░░ no access ░░░░│ offset │ data │ canary ...        at the start
 *   ░░░░ no access ░░░░│ ... canary │ data │ offset │░░░░  at the end
 *
 * and the bytes beside the output hold a pattern that must survive.
 */
struct layout {
    const char *name;
    bool in_place;
    bool in_at_end, out_at_end;
};

#define LAYOUTS 6
extern const struct layout layouts[LAYOUTS];

/* The most bytes that fit. */
#define AREA_SIZE ((size_t)128 * 1024)

struct staged {
    uint8_t *in, *out;
    const uint8_t *data;
    size_t in_len, len; /* len: of the output */
};

/* Places a copy of len bytes of data, and an output prefilled with a pattern. */
void stage(struct staged *b, const struct layout *layout, const uint8_t *data, size_t len,
           size_t in_offset, size_t out_offset);

/* The same with an output of another length. In place, input and output start
   together. */
void stage_sized(struct staged *b, const struct layout *layout, const uint8_t *data, size_t in_len,
                 size_t out_len, size_t in_offset, size_t out_offset);

/* Demands that the output is want, and that nothing else has changed. */
bool check_staged(const struct staged *b, const char *what, const uint8_t *want);

/* Demands that everything is as stage left it. */
bool check_untouched(const struct staged *b);

/* Places a copy of a small input-output value (IV, counter, hash, tag; at most
   64 bytes) directly before or after an inaccessible page. There is one place:
   the next call reuses it. */
uint8_t *guard_small(const void *value, size_t len, bool at_end);

/* --- Which sizes to try ------------------------------------------------------------------ */

/* Whether to try nblocks of 0 to MAX_BLOCKS: all of them, or in a quick run
   those around the core's batch and a few more. */
#define MAX_BLOCKS 300
bool wanted_blocks(const struct ctaes_core *core, size_t nblocks);

/* Whether to try a length of 0 to 4096 bytes: all the short ones and every odd
   one; in a quick run fewer. */
#define MAX_LENGTH 4096
bool wanted_length(size_t len);

/* A random length for the next piece of a message: often a few bytes, sometimes
   more than two batches. */
size_t random_piece(const struct ctaes_core *core);

#endif
