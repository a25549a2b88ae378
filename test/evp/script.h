/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences of steps, and what they work on. The language is described in script.c. */
#ifndef CTAES_TEST_EVP_SCRIPT_H
#define CTAES_TEST_EVP_SCRIPT_H

#include "sides.h"

#include <openssl/params.h>

enum { MAX_STEPS = 160, MAX_ARGS = 12, MAX_PARAMS = 8, TAPE = 8192, MARGIN = 64 };

struct world;
struct step;

/* What kind of call a step is, for those who decide by it. */
enum op_kind { INIT, UPDATE, FINAL, ONE_SHOT, SET, GET, CTRL, OTHER, SILENT };

struct op {
    const char *name;
    enum op_kind kind; /* SILENT: only moves the harness's own data */
    /* Does the call and records what came of it. */
    void (*run)(struct world *w, const struct step *s, struct record *r);
    bool needs_cipher; /* libcrypto dereferences the context's cipher */
};

extern const struct op ops_data[], ops_context[], ops_param[], ops_ctrl[];

struct step {
    const struct op *op;
    int argc;
    const char *argv[MAX_ARGS]; /* the first is the step's name */
};

struct sequence {
    const struct algorithm *alg;
    int nsteps;
    struct step steps[MAX_STEPS];
    char text[4096]; /* what argv points into */
};

/* Ends the program with a message if the text is no sequence. */
void parse_sequence(struct sequence *seq, const char *text);
void bad_argument(const char *arg) __attribute__((noreturn));

bool is_named(const struct step *s, const char *name);
/* Looks for an argument "<prefix><number>" of the step. */
bool arg_number(const struct step *s, const char *prefix, long *value);
/* The rest of an argument that begins with the prefix, or NULL. */
const char *arg_text(const struct step *s, const char *prefix);
bool arg_given(const struct step *s, const char *word);
/* The n-th argument as a number, the first is 1; 0 if there is none. */
long number_at(const struct step *s, int n);
bool is_aad(const struct step *s);
/* Whether a step with data doesn't get as far as the provider. */
bool is_refused_by_libcrypto(const struct world *w, const struct step *s);
bool is_in_place(const struct step *s);
/* The length of the key that an init passes: the algorithm's, or of an opaque key's kl<n>. */
size_t skey_len(const struct world *w, const struct step *s);
/* Whether an init passes an IV. */
bool gives_iv(const struct step *s);

/* CCM and OCB: see whole.c. The first five are of the message under way. */
struct whole_facts {
    bool iv;       /* CCM: the IV serves this message */
    bool started;  /* a length or data was taken with the IV */
    bool aad;      /* CCM: there was AAD */
    bool tag;      /* CCM: a tag to expect was set */
    bool done;     /* CCM: encrypted, and its tag not got */
    bool stale;    /* CCM: something of it goes on into the next */
    bool emptied;  /* a final that default took for nothing */
    bool lost_tag; /* OCB: the same, and a tag wasn't made */
    bool lost_iv;  /* CCM: the IV's length changed after it: ctaes wants another */
    size_t iv_len; /* CCM: as it was set last, 0: it wasn't */
    bool bad_tag;  /* CCM: a tag didn't match */
    bool odd;      /* default is in a state that has no sense */
    bool ended;    /* OCB: EVP_Cipher took an end that doesn't fill a block */
    bool tls;      /* CCM: updates are records */
    bool tls_fresh;
    int dir;  /* CCM: of the last init */
    long len; /* CCM: as announced */
    size_t key_iv_len, key_tag_len;
};

/* SIV and GCM-SIV: see siv.c. */
struct siv_facts {
    bool over;      /* the data of the message came */
    bool refused;   /* and more of it, which was refused */
    bool succeeded; /* some data since the last key was good */
    bool disturbed; /* and then a parameter was set */
    bool unlimited; /* `speed` is set */
    bool aad;       /* GCM-SIV: AAD came since the context was new */
    bool lost;      /* and then an update of no AAD */
    bool stale;     /* or an init */
    bool nonce;     /* GCM-SIV: one was given */
    bool spent;     /* GCM-SIV: data came since the last nonce */
    int aads;       /* SIV: components since the last key */
};

struct facts {
    bool has_cipher;
    int dir;          /* 1 encrypts, 0 decrypts */
    int key_dir;      /* the direction in which the key was set, -1: no key */
    bool astray;      /* libcrypto's direction isn't the provider's, after an init that failed */
    long pending;     /* bytes taken but not given back: a partial block */
    bool tls_aad;     /* GCM: the next update is a TLS record */
    bool bad_tag;     /* GCM: a tag didn't match, and no new IV came since */
    bool in_message;  /* GCM: a message was begun with the IV */
    bool rekeyed;     /* GCM: then came a key without an IV */
    bool iv_set;      /* an IV was given since the context was new */
    bool bad_padding; /* ECB, CBC: a final failed, and no init came since */
    struct siv_facts siv;

    /* TLS records of ECB, CBC and CTR. */
    unsigned tls_version;
    size_t tls_mac_size;
    size_t tls_mac_len; /* of the MAC that `tls-mac` points to, 0: none */
    struct whole_facts whole;

    /* XTS: the context is a copy of one that had no key, and none came since. */
    bool copied_keyless;
};

struct slot {
    EVP_CIPHER_CTX *ctx;
    struct facts facts;
};

/* One side's state during a sequence. */
struct world {
    int side;
    const struct algorithm *alg;
    struct slot a, b; /* the context in use, and the one that copy and swap use */

    uint8_t tape[TAPE]; /* the input; each update takes the next bytes */
    size_t cursor;
    size_t aad_cursor;
    uint8_t log[2 * TAPE]; /* all output so far, for `feed` */
    size_t log_len;
    uint8_t tag[16], nonce[16];
    int align_in, align_out;
    bool key_refused, iv_refused; /* of the last init_skey, for their lengths */
    size_t iv_len_before;         /* CCM: the IV's length before it, whatever its parameters say */

    /* `place`: a buffer that is processed in place, piece by piece. */
    bool placed;
    size_t placed_len, consumed, produced;
    uint8_t arena[TAPE + 4 * MARGIN];

    uint8_t out[TAPE + 4 * MARGIN];
    uint8_t scratch[4096] __attribute__((aligned(16))); /* parameters' data */
};

/* The AAD and what the tape starts with. */
extern uint8_t base_tape[TAPE], base_aad[TAPE];

void init_tapes(void);
/* A world has two contexts, each without a cipher. */
void open_world(struct world *w, int side, const struct algorithm *alg);
void close_world(struct world *w);

/* Gets everything that can be read from the context without changing it. */
void probe_world(struct world *w, struct record *r);

void clear_facts(struct facts *f);
EVP_CIPHER_CTX *new_ctx(void);

/* Makes the OSSL_PARAMs of a step that sets them; returns how many. */
size_t parse_sets(struct world *w, const struct step *s, OSSL_PARAM params[MAX_PARAMS + 1]);
/* Draws from parameters that were set what the facts must know. */
void note_params(struct world *w, const OSSL_PARAM *params, bool good);
/* Draws from parameters that were set those of TLS records. */
void note_tls_params(struct facts *f, const OSSL_PARAM *params);
/* Whether a step's output is to overlap its input: *offset is where it starts. */
bool overlaps(const struct world *w, const struct step *s, long *offset);
/* Whether an update of the context is a record of TLS for a block cipher. */
bool takes_records(const struct world *w);
/* An IV came with which a message starts at once. */
void note_message(struct world *w);

/* Parameters' data lie in the scratch, ROOM bytes for each. */
enum { ROOM = 256 };
uint8_t *scratch_data(struct world *w, size_t i);
/* Writes octets (see script.c) to data, which has ROOM bytes. Returns false for null. */
bool store_octets(const struct world *w, uint8_t *data, size_t *size, const char *text);
void parse_get(struct world *w, size_t i, const char *arg, OSSL_PARAM *p);
void record_param(struct record *r, const OSSL_PARAM *p);
/* Finds what a step that is a ctrl asks for; *output: data is what it writes to. Returns
   false for a data of NULL. */
bool parse_ctrl(const struct world *w, const struct step *s, int *type, int *arg, uint8_t *data,
                bool *output);

#endif
