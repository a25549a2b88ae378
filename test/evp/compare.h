/* SPDX-License-Identifier: Apache-2.0 */
/* Running sequences on both sides, and telling the sides apart. */
#ifndef CTAES_TEST_EVP_COMPARE_H
#define CTAES_TEST_EVP_COMPARE_H

#include "script.h"

/* Sets of modes, bits 1 << struct algorithm's mode; modes from 0x10001 on have the bits from 17
   on. */
enum {
    BLOCK = 1 << EVP_CIPH_ECB_MODE | 1 << EVP_CIPH_CBC_MODE,
    CTR = 1 << EVP_CIPH_CTR_MODE,
    CFB = 1 << EVP_CIPH_CFB_MODE,
    FEEDBACK = CFB | 1 << EVP_CIPH_OFB_MODE,
    STREAM = CTR | FEEDBACK,
    CTS = 1 << CTS_MODE,
    GENERIC = BLOCK | STREAM | CTS,
    GCM = 1 << EVP_CIPH_GCM_MODE,
    CCM = 1 << EVP_CIPH_CCM_MODE,
    XTS = 1 << 17,     /* EVP_CIPH_XTS_MODE */
    OCB = 1 << 19,     /* EVP_CIPH_OCB_MODE: see has_mode */
    SIV = 1 << 20,     /* EVP_CIPH_SIV_MODE */
    GCM_SIV = 1 << 21, /* EVP_CIPH_GCM_SIV_MODE of OpenSSL 3.2 */
    SIVS = SIV | GCM_SIV,
    ALL = GENERIC | GCM | CCM | OCB | SIVS | XTS,
    ANY_MODE = 0x7fffffff /* also modes whose number is no bit */
};
bool has_mode(const struct algorithm *a, unsigned modes);
bool is_wrap(const struct algorithm *a);

/* --- undefined.c: where default's behaviour is no measure --- */

/* Whether default would read or write out of bounds: such a step isn't run. w is the
   reference's. */
bool step_is_undefined(const struct world *w, const struct step *s);

/* --- differences.c: what ctaes does otherwise on purpose --- */

enum situation {
    NOTHING_SPECIAL,
    KEY_OF_OTHER_DIRECTION, /* ECB, CBC, XTS: data after a change of direction without a key */
    WRAP_KEY_OF_OTHER_DIRECTION,
    WRAP_UPDATE, /* which may fail */
    WRAP_ONE_SHOT,
    MAC_FOREIGN_CIPHER,
    MAC_PROPERTIES,
    MAC_PROPERTIES_ALONE, /* CMAC: of a wrong type, and without a cipher */
    MAC_MODE,             /* CMAC with a cipher that isn't CBC */
    MAC_EMPTY_KEY,        /* GMAC */
    SET_NUM,
    AFTER_BAD_TAG,
    AFTER_KEY_IN_MESSAGE, /* GCM: data after a key came in the middle of a message */
    BAD_PADDING,          /* a final of a block that may be badly padded */
    AFTER_BAD_PADDING,    /* what comes after one */
    PARTIAL_ONE_SHOT,     /* EVP_Cipher of ECB with a length that isn't whole blocks */
    CCM_STALE,            /* what a message has left goes on into the next */
    CCM_EMPTY,            /* a final, which may be that of a message without data */
    CCM_RECORD,           /* a TLS record without AAD, or with a wrong length of IV or tag */
    CCM_LATE_IV_LENGTH,   /* an IV longer than when the key came */
    CCM_SECOND_DATA,      /* data after a message's data */
    CCM_SECOND_AAD,       /* AAD, or a length, after AAD */
    CCM_ODD,              /* after a call that failed halfway */
    OCB_LAST_BLOCK,       /* a final that may fail, and has data */
    OCB_ONE_SHOT_FIRST,   /* EVP_Cipher begins a message, or ends it */
    OCB_OUT_OF_PLACE,     /* data after the end, or past data that waits */
    OCB_ODD,              /* after a final without a tag's length */
    REPEATED_PARAM,
    SET_OF_SEVERAL,
    GET_OF_SEVERAL,
    GET_OF_SEVERAL_WITH_IV,
    GET_OF_WRONG_TYPE,
    GET_OF_CIPHER_OF_WRONG_TYPE,
    GET_OF_CIPHER,   /* EVP_CIPHER_get_params */
    OVERLAPPING,     /* data whose output runs into input to come */
    OVERLAPPING_TOO, /* the same in one of the other situations */

    /* SIV and GCM-SIV: siv.c. */
    SIV_EMPTY_DATA,
    SIV_NOT_READY,
    SIV_AAD_AFTER_DATA,
    SIV_TOO_MANY_AADS,
    SIV_AFTER_REFUSAL,
    SIV_AFTER_SET,
    SIV_COPY_WITHOUT_KEY,
    GCM_SIV_STALE_AAD,
    GCM_SIV_LOST_AAD,
    GCM_SIV_NONCE_AGAIN,
    GCM_SIV_INIT_WITH_IVLEN,
    GCM_SIV_DECRYPTION
};

/* CCM and OCB (whole.c). Notes what a step did, in the world's facts. */
void note_whole(struct world *w, const struct step *s, const struct record *r);
enum situation find_whole_situation(const struct world *w, const struct step *s);
bool whole_step_is_undefined(const struct world *w, const struct step *s);

/* What ctaes has to do where it differs; else a PROV_R_ reason with which it must fail. */
enum {
    ANYTHING = -1,
    FAIL = -2,
    SAME_FAILURE = -3,
    SAME_WITHOUT_ERRORS = -4,
    NOT_BOTH_GOOD = -5,
    SAME_FIRST_ERROR = -6,
    SAME_BUT_OUTPUT = -7, /* all fields but "out" */
    WITHIN_BOUNDS = -8    /* nothing but the output was written */
};

struct difference {
    enum situation situation;
    unsigned modes;              /* bits 1 << EVP_CIPH_..._MODE */
    unsigned long from;          /* the first version of OpenSSL whose default provider differs */
    const unsigned long *mended; /* the first release of each branch that doesn't; NULL: none */
    int must;                    /* of the call itself */
    bool probe;                  /* what can be read afterwards may differ as well */
    bool ends;                   /* the two sides have nothing in common afterwards */
    const char *why;
};

/* The situations of SIV and GCM-SIV, what the harness knows of their messages, and which steps
   default crashes on (siv.c). */
enum situation find_siv_situation(const struct world *w, const struct step *s);
void note_siv_step(struct world *w, const struct step *s, const struct record *r);
bool siv_step_is_undefined(const struct world *w, const struct step *s);

enum situation find_situation(const struct world *w, const struct step *s);
/* Returns the row that excuses this, or NULL. */
const struct difference *find_difference(const struct algorithm *alg, enum situation what);
/* Whether ctaes did what the row says it does. */
bool difference_holds(const struct difference *d, const struct record *reference,
                      const struct record *subject);
/* Whether the sequence must end here even though both sides agree, as in the
   self-check: what follows would be undefined. */
bool situation_ends(enum situation what, const struct record *reference);
void print_differences(FILE *to);
/* Prints how often each row excused something in this run. */
void print_difference_counts(FILE *to);
/* Whether ctaes has a parameter that this version's default doesn't. */
bool is_extra_param(const char *key);
/* Whether an entry of the error queue isn't recorded, on either side. */
bool error_is_noise(unsigned long e);
void count_difference(const struct difference *d);

/* --- sequence.c --- */

struct tally {
    unsigned long passed, failed, skipped;
};
extern struct tally tally;

/* How many failures are printed in full; further ones are only counted. */
extern unsigned max_reports;
/* After how many failures the program ends. */
extern unsigned long stop_after;
extern bool quiet;
/* Whether sequences are printed instead of run. */
extern bool listing;
extern const char *core_name;

/* The layer's last line. */
void print_tally(void);
/* Counts a failure; ends the program if that is enough. */
void count_failure(void);

/* Runs one sequence once; returns whether the sides agree. probing: all parameters are read
   after each step. */
bool sides_agree(const char *text, bool probing);
/* Shortens a sequence on which they don't, and prints it. */
void report_sequence(const char *title, const char *text, bool probing);
/* Runs one sequence on both sides, prints what differs, and counts it. */
void run_sequence(const char *title, const char *text);
/* Runs one sequence and prints each step. */
void show_sequence(const char *text, bool probing);
/* The same for all algorithms of the modes in the mask. text lacks the "ALG: ". */
void run_for_modes(const char *title, unsigned modes, const char *text);

/* Counts one check that isn't a sequence; prints the message if it failed. */
bool check(bool good, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
