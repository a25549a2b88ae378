/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What ctaes does otherwise than the default provider, on purpose.
 *
 * Only a row of this table excuses a difference, and it says what ctaes has to
 * do there instead. The cases themselves are also tested on ctaes alone, in
 * alone.c, where the right result doesn't depend on what default does.
 */
#include "evp.h"

#include <openssl/proverr.h>

#include <stdlib.h>
#include <string.h>

/* Releases that came out together, of all branches that were maintained then: the first ones
   without what they mended, ended by 0. Branches before the last that aren't among them never got
   it, as far as is known; later ones had it from the beginning. */
static const unsigned long august_2026[] = {0x30000160, 0x30500080, 0x30600040, 0x40000020, 0};
static const unsigned long september_2026[] = {0x30500090, 0x30600050, 0x40000030, 0};

static const unsigned long release_3_6[] = {0x30600000, 0};

#define ALWAYS 0x30000000UL, NULL
#define SINCE_3_1 0x30100000UL, NULL
#define SINCE_3_4 0x30400000UL, NULL
#define FROM_3_4_TO_3_5 0x30400000UL, release_3_6
#define BEFORE(releases) 0x30000000UL, releases

#define EMPTY_DATA                                                                                 \
    "data of no bytes: older versions of default take it for nothing, so that an empty message "   \
    "can't be encrypted; ctaes does as newer ones, for which it is data"
#define AFTER_REFUSAL                                                                              \
    "a final after more data came than one update's, which was refused: older versions of "        \
    "default report success"

static const struct difference differences[] = {
    {KEY_OF_OTHER_DIRECTION, BLOCK | CTS | CCM | OCB, ALWAYS, ANYTHING, true, true,
     "a change of direction without a new key: default goes on with the key schedule of the old "
     "direction, which gives neither encryption nor decryption; ctaes works in the new direction"},
    {KEY_OF_OTHER_DIRECTION, XTS, ALWAYS, ANYTHING, true, true,
     "the same in XTS: default goes on in the old direction; ctaes works in the new one, but "
     "doesn't "
     "encrypt with a key whose halves are the same, which was let in for decryption"},
    {WRAP_KEY_OF_OTHER_DIRECTION, ANY_MODE, ALWAYS, ANYTHING, true, true,
     "key wrap after a change of direction without a new key: the same; default unwraps with the "
     "cipher that wraps"},
    {WRAP_UPDATE, ANY_MODE, ALWAYS, SAME_FIRST_ERROR, false, false,
     "an update of key wrap that fails: default reports success with a length of 2^64 - 1, at "
     "which EVP raises an error of its own on top, and with padding writes up to 8 bytes of zeros "
     "beyond the output; ctaes fails"},
    {WRAP_ONE_SHOT, ANY_MODE, ALWAYS, SAME_FIRST_ERROR, false, true,
     "the same through EVP_Cipher, which then returns default's success"},
    {MAC_FOREIGN_CIPHER, ANY_MODE, ALWAYS, FAIL, false, true,
     "a MAC with a cipher other than AES: default fetches it from whoever has it; ctaes can't call "
     "libcrypto, and says where it is served"},
    {MAC_PROPERTIES, ANY_MODE, ALWAYS, FAIL, false, true,
     "a MAC's properties that want another provider's AES: ctaes has only its own, and says so"},
    {MAC_PROPERTIES_ALONE, ANY_MODE, SINCE_3_1, FAIL, false, true,
     "CMAC's properties as another type than text, without a cipher: refused by 3.0, and not "
     "looked "
     "at by 3.5; ctaes does as 3.0"},
    {MAC_MODE, ANY_MODE, ALWAYS, PROV_R_INVALID_MODE, false, true,
     "CMAC with AES in another mode than CBC: older default providers compute something that is "
     "no CMAC; refused by newer ones"},
    {MAC_EMPTY_KEY, ANY_MODE, SINCE_3_1, FAIL, false, true,
     "GMAC with a key of no bytes: the reason of the failure where there is no cipher either"},
    {SET_NUM, STREAM, BEFORE(august_2026), PROV_R_FAILED_TO_GET_PARAMETER, true, true,
     "`num` of 1 and more: there is no keystream block that it could be a position in, and 16 and "
     "more read beyond default's buffer; newer releases refuse it"},
    {SET_NUM, BLOCK | CTS, BEFORE(august_2026), PROV_R_FAILED_TO_GET_PARAMETER, true, true,
     "`num` of 16 and more, without a meaning in these modes: refused since then, too"},
    {AFTER_BAD_TAG, GCM | CCM | OCB, ALWAYS, FAIL, true, true,
     "data or another final after a tag that didn't match: default goes on with the counter, and "
     "would hand out plaintext of a forgery; for ctaes the IV is spent"},
    {AFTER_KEY_IN_MESSAGE, GCM | OCB, ALWAYS, FAIL, true, true,
     "a key without an IV in the middle of a message: default goes on with a counter that starts "
     "at "
     "zero, the same for each such message; ctaes wants an IV first"},
    {BAD_PADDING, BLOCK, ALWAYS, SAME_FAILURE, true, true,
     "a final that fails for its padding: default's running IV has moved on, ctaes's hasn't"},
    {AFTER_BAD_PADDING, BLOCK, ALWAYS, ANYTHING, true, true,
     "going on after a final that failed for its padding: default keeps the decrypted block where "
     "ciphertext belongs, and decrypts it once more; ctaes keeps what it had before the final"},
    {PARTIAL_ONE_SHOT, BLOCK | CTS, ALWAYS, PROV_R_WRONG_FINAL_BLOCK_LENGTH, false, true,
     "EVP_Cipher with a part of a block: default reports it as done, but leaves it as it was (ECB) "
     "or writes past it (CBC); ctaes refuses"},
    {CCM_STALE, CCM, ALWAYS, ANYTHING, true, true,
     "a message of CCM begun while another's length, tag or data is still there: default goes on "
     "with the old nonce's block, takes an expected tag for one that it made, or fails; ctaes "
     "starts afresh with the new IV, and else refuses"},
    {CCM_EMPTY, CCM, BEFORE(august_2026), ANYTHING, true, true,
     "CCM: a final without data: default says it is done and has neither made a tag nor checked "
     "one; EVP_Cipher without input announces a length there, and is a "
     "final since"},
    {CCM_RECORD, CCM, ALWAYS, FAIL, true, true,
     "a TLS record with CCM: default takes the AAD of the record before, and with it its nonce; "
     "cuts the record's number down to a shorter IV; and encrypts before it fails for the tag's "
     "length. ctaes wants AAD for each record, an IV of 12 bytes, and lengths from before the key"},
    {CCM_LATE_IV_LENGTH, CCM, ALWAYS, FAIL, true, true,
     "an IV of CCM that is longer than it was when the key came: default cuts it, so that two IVs "
     "may be the same one; ctaes refuses"},
    {CCM_SECOND_DATA, CCM, ALWAYS, FAIL, true, true,
     "data, a length or AAD after CCM's one update of data: with a new length default encrypts "
     "again under the same IV"},
    {CCM_SECOND_AAD, CCM, ALWAYS, FAIL, true, true,
     "a second piece of AAD, or a length after AAD: default authenticates only the AAD that came "
     "last, after a length none; ctaes refuses"},
    {CCM_ODD, CCM, ALWAYS, ANYTHING, true, true,
     "after data of CCM that isn't as long as announced: default has lost its first block, and "
     "goes on with another; ctaes is as it was"},
    {OCB_LAST_BLOCK, OCB, ALWAYS, FAIL, true, true,
     "a final of OCB that fails: default has put out the last part of a block already; ctaes "
     "puts out nothing before the tag is right"},
    {OCB_ONE_SHOT_FIRST, OCB, BEFORE(august_2026), ANYTHING, true, true,
     "EVP_Cipher of OCB: default uses an offset of zero whatever the IV, and knows no final, until "
     "3.0.22 and 4.0.2"},
    {OCB_OUT_OF_PLACE, OCB, ALWAYS, FAIL, true, true,
     "EVP_Cipher of OCB while a part of a block waits, or data after an end that didn't fill a "
     "block: default encrypts it out of its place, with an offset that others have; ctaes refuses"},
    {OCB_ODD, OCB, ALWAYS, ANYTHING, true, true,
     "after a final of OCB with a tag of no bytes, which failed: default has taken in what waited, "
     "ctaes hasn't; after EVP_Cipher of OCB in place with an end that doesn't fill a block: "
     "default's tag is of the ciphertext"},
    {REPEATED_PARAM, ANY_MODE, SINCE_3_4, ANYTHING, true, true,
     "one parameter twice in a request: served twice by GCM since OpenSSL 3.4 or so, refused since "
     "3.6; before, and by ctaes, the first counts"},
    {SET_OF_SEVERAL, GCM, FROM_3_4_TO_3_5, ANYTHING, true, true,
     "several parameters set in one request: OpenSSL 3.4 and 3.5 take them in the order of the "
     "request; the versions before and after, and ctaes, in one that is always the same"},
    {GET_OF_SEVERAL, ANY_MODE, SINCE_3_4, NOT_BOTH_GOOD, true, true,
     "several parameters in a request, of which one fails: which of the others have been served by "
     "then has changed with OpenSSL's versions; ctaes does as 3.0"},
    {GET_OF_SEVERAL_WITH_IV, GCM, SINCE_3_4, ANYTHING, true, true,
     "the same where one of them is `tlsivgen`, which changes what the others say"},
    {GET_OF_WRONG_TYPE, ANY_MODE, SINCE_3_1, ANYTHING, false, true,
     "a parameter got as a type that it doesn't have, or without data: what return_size says, and "
     "whether the question for the size is answered, has changed with OpenSSL's versions; ctaes "
     "does "
     "as 3.0"},
    {GET_OF_CIPHER_OF_WRONG_TYPE, ANY_MODE, SINCE_3_1, ANYTHING, false, false,
     "the same with EVP_CIPHER_get_params"},
    {SIV_EMPTY_DATA, SIV, BEFORE(september_2026), ANYTHING, true, true, EMPTY_DATA},
    {SIV_NOT_READY, SIV, ALWAYS, PROV_R_NO_KEY_SET, false, false,
     "a final without a key: default reports success"},
    {SIV_NOT_READY, GCM_SIV, ALWAYS, FAIL, true, true,
     "a message without a key or a nonce: default goes on with a key or a nonce of zeros"},
    {SIV_AAD_AFTER_DATA, SIVS, ALWAYS, PROV_R_INVALID_AAD, true, true,
     "AAD after the data: default takes it, and authenticates it nowhere"},
    {SIV_TOO_MANY_AADS, SIV, ALWAYS, PROV_R_INVALID_AAD, true, true,
     "more than 126 components of AAD: RFC 5297 has no more, default doesn't count"},
    {SIV_AFTER_REFUSAL, SIV, BEFORE(september_2026), FAIL, false, true, AFTER_REFUSAL},
    {SIV_AFTER_REFUSAL, GCM_SIV, ALWAYS, FAIL, true, true,
     "the same when `speed` is set in between: default makes an empty message of it"},
    {SIV_AFTER_SET, SIV, ALWAYS, ANYTHING, false, true,
     "a final after any parameter was set behind the data: default has forgotten that the message "
     "was good; for ctaes only the tag, `speed` and `keylen` have that effect"},
    {SIV_COPY_WITHOUT_KEY, SIV, ALWAYS, ANYTHING, true, true,
     "a copy of a context without a key: default can't make one"},
    {GCM_SIV_STALE_AAD, GCM_SIV, ALWAYS, ANYTHING, true, true,
     "a second message in one context: default authenticates the first one's AAD with it; for "
     "ctaes a message begins at each init"},
    {GCM_SIV_LOST_AAD, GCM_SIV, ALWAYS, ANYTHING, true, true,
     "an update of no AAD after some: default forgets the AAD so far, and authenticates it "
     "nowhere; "
     "for ctaes it changes nothing"},
    {GCM_SIV_NONCE_AGAIN, GCM_SIV, ALWAYS, FAIL, true, true,
     "encrypting after an init without a nonce: default takes the last one again; ctaes wants a "
     "nonce for each message"},
    {GCM_SIV_INIT_WITH_IVLEN, GCM_SIV, ALWAYS, SAME_FAILURE, true, true,
     "an init that fails for the nonce's length: default then shows the tag of the message before "
     "as one to send, even if that message came in and was a forgery"},
    {GCM_SIV_DECRYPTION, GCM_SIV, ALWAYS, FAIL, true, true,
     "data whose tag isn't right, or hasn't come: default hands out what it decrypted, and says in "
     "final that it wasn't authentic; ctaes compares first, and refuses"},
    {OVERLAPPING, CCM | SIVS, ALWAYS, WITHIN_BOUNDS, true, true,
     "output that runs into input to come, in modes that go over the data twice: nobody promises "
     "what comes out, but nothing else is written"},
    {OVERLAPPING, ANY_MODE, ALWAYS, SAME_BUT_OUTPUT, true, true,
     "the same in other modes: all but the output is the same"},
    {OVERLAPPING_TOO, ANY_MODE, ALWAYS, WITHIN_BOUNDS, true, true,
     "the same where one of the rows above may hold: nothing else is written"},
    {GET_OF_CIPHER, ANY_MODE, ALWAYS, SAME_WITHOUT_ERRORS, false, false,
     "EVP_CIPHER_get_params that fails: the provider's function is given no context, and so ctaes, "
     "which has no global state, has no error queue to raise on"},
};

static unsigned long excused[sizeof differences / sizeof differences[0]];

/* Whether default differs there in the version that runs. */
static bool is_of_version(const struct difference *d)
{
    const unsigned long branch = openssl_version >> 20;
    bool later = false;
    if (openssl_version < d->from)
        return false;
    for (const unsigned long *r = d->mended; r != NULL && *r != 0; r++) {
        if (*r >> 20 == branch)
            return openssl_version < *r;
        later = *r >> 20 < branch;
    }
    return !later;
}

/* Whether a step sets the parameter key to anything but "0". */
static bool sets_key(const struct step *s, const char *key)
{
    size_t n = strlen(key);
    for (int i = 1; i < s->argc; i++) {
        if (s->argv[i][0] != key[0])
            continue;
        const char *equals = strchr(s->argv[i], '=');
        if (strncmp(s->argv[i], key, n) == 0 && s->argv[i][n] == ':' && equals != NULL)
            return strcmp(equals, "=0") != 0;
    }
    return false;
}

static bool repeats_param(const struct step *s)
{
    for (int i = 1; i < s->argc; i++) {
        const char *colon = strchr(s->argv[i], ':');
        size_t len = colon != NULL ? (size_t)(colon - s->argv[i]) + 1 : 0;
        for (int k = i + 1; len > 0 && k < s->argc; k++) {
            if (strncmp(s->argv[i], s->argv[k], len) == 0)
                return true;
        }
    }
    return false;
}

/* Whether a step sets more than one parameter of those that GCM has. */
static bool sets_several(const struct step *s)
{
    static const char *const keys[] = {
        "tag:", "ivlen:", "tlsaad:", "tlsivfixed:", "tlsivinv:", "keylen:"};
    unsigned n = 0;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        n += arg_text(s, keys[i]) != NULL;
    return n > 1;
}

static bool gets_key(const struct step *s, const char *key)
{
    for (int i = 1; i < s->argc; i++) {
        if (strncmp(s->argv[i], key, strlen(key)) == 0)
            return true;
    }
    return false;
}

/* Whether a step gets octets as a type that they aren't served as, or only asks for their
   size, or gets a real number of another size than double. */
static bool gets_wrong_type(const struct step *s)
{
    static const struct {
        const char *key, *types;
    } octets[] = {{"iv", "os op"},
                  {"updated-iv", "os op"},
                  {"tag", "os"},
                  {"tls-mac", "op"},
                  {"cts_mode", "us"}};

    for (int i = 1; i < s->argc; i++) {
        const char *colon = strchr(s->argv[i], ':');
        if (colon == NULL || strlen(colon) < 3)
            continue;
        if (strncmp(colon, ":r4", 3) == 0 ||
            (strncmp(colon, ":r8/", 4) == 0 && strcmp(colon + 4, "8") != 0))
            return true;
        const char type[3] = {colon[1], colon[2], '\0'};
        for (size_t k = 0; k < sizeof octets / sizeof octets[0]; k++) {
            size_t len = strlen(octets[k].key);
            if (s->argv[i] + len == colon && strncmp(s->argv[i], octets[k].key, len) == 0 &&
                (strstr(octets[k].types, type) == NULL || strstr(colon, "/null") != NULL))
                return true;
        }
    }
    return false;
}

static enum situation find_apart(const struct world *w, const struct step *s)
{
    const struct facts *f = &w->a.facts;
    enum op_kind kind = s->op->kind;
    bool block = has_mode(w->alg, BLOCK);
    bool cts = w->alg->mode == CTS_MODE;
    bool data = kind == UPDATE || kind == FINAL || kind == ONE_SHOT;

    if (repeats_param(s) && find_difference(w->alg, REPEATED_PARAM) != NULL)
        return REPEATED_PARAM;
    if ((kind == SET || kind == INIT) && sets_several(s) &&
        find_difference(w->alg, SET_OF_SEVERAL) != NULL)
        return SET_OF_SEVERAL;
    if (kind == INIT && find_whole_situation(w, s) != NOTHING_SPECIAL)
        return find_whole_situation(w, s);
    if (((is_named(s, "num") && number_at(s, 1) != 0) ||
         ((kind == SET || kind == INIT) && sets_key(s, "num"))) &&
        find_difference(w->alg, SET_NUM) != NULL)
        return SET_NUM;
    if (is_named(s, "cget"))
        return gets_wrong_type(s) && find_difference(w->alg, GET_OF_CIPHER_OF_WRONG_TYPE) != NULL
                   ? GET_OF_CIPHER_OF_WRONG_TYPE
                   : GET_OF_CIPHER;
    if (has_mode(w->alg, SIVS) && (f->has_cipher || kind == INIT)) {
        enum situation siv = find_siv_situation(w, s);
        if (siv != NOTHING_SPECIAL)
            return siv;
    }
    if (!f->has_cipher)
        return NOTHING_SPECIAL;

    if (is_wrap(w->alg) && (kind == UPDATE || kind == ONE_SHOT))
        return f->key_dir >= 0 && (f->key_dir != f->dir || f->astray) ? WRAP_KEY_OF_OTHER_DIRECTION
               : kind == ONE_SHOT                                     ? WRAP_ONE_SHOT
                                                                      : WRAP_UPDATE;
    if (data && (block || has_mode(w->alg, CTS | CCM | OCB | XTS)) && f->key_dir >= 0 &&
        (f->key_dir != f->dir || f->astray))
        return KEY_OF_OTHER_DIRECTION;
    /* OCB's oddities come first: what default does isn't what ctaes refuses. */
    if (has_mode(w->alg, OCB)) {
        const enum situation what = find_whole_situation(w, s);
        if ((what == OCB_ONE_SHOT_FIRST || what == OCB_ODD) &&
            find_difference(w->alg, what) != NULL)
            return what;
    }
    if (data && has_mode(w->alg, GCM | CCM | OCB) && f->bad_tag)
        return AFTER_BAD_TAG;
    if (data && has_mode(w->alg, GCM | OCB) && f->rekeyed)
        return AFTER_KEY_IN_MESSAGE;
    if (block && (data || kind == GET || is_named(s, "uiv")) && f->bad_padding)
        return AFTER_BAD_PADDING;
    if (block && kind == FINAL && f->dir == 0 && f->pending == 16)
        return BAD_PADDING; /* perhaps */
    if ((block || cts) && kind == ONE_SHOT && number_at(s, 1) % 16 != 0)
        return PARTIAL_ONE_SHOT;
    if (find_whole_situation(w, s) != NOTHING_SPECIAL)
        return find_whole_situation(w, s);
    /* Before the next: what differs then is also the state. */
    if (kind == GET && has_mode(w->alg, GCM) && s->argc > 2 && gets_key(s, "tlsivgen:"))
        return GET_OF_SEVERAL_WITH_IV;
    if (kind == GET && gets_wrong_type(s))
        return GET_OF_WRONG_TYPE;
    if (kind == GET && s->argc > 2)
        return GET_OF_SEVERAL;
    return NOTHING_SPECIAL;
}

enum situation find_situation(const struct world *w, const struct step *s)
{
    const enum situation what = find_apart(w, s);
    long offset;
    /* Key wrap moves its input first. */
    if (overlaps(w, s, &offset) && offset > -w->a.facts.pending && !is_wrap(w->alg))
        return what == NOTHING_SPECIAL ? OVERLAPPING : OVERLAPPING_TOO;
    return what;
}

const struct difference *find_difference(const struct algorithm *alg, enum situation what)
{
    for (size_t i = 0; what != NOTHING_SPECIAL && i < sizeof differences / sizeof differences[0];
         i++) {
        const struct difference *d = &differences[i];
        if (d->situation == what && has_mode(alg, d->modes) && is_of_version(d))
            return d;
    }
    return NULL;
}

bool difference_holds(const struct difference *d, const struct record *reference,
                      const struct record *subject)
{
    unsigned long e = record_first_error(subject);
    bool failed = record_find(subject, "rc", -99) <= 0;

    switch (d->must) {
    case ANYTHING:
        return true;
    case FAIL:
        return failed;
    case NOT_BOTH_GOOD:
        return failed || record_find(reference, "rc", -99) <= 0;
    case SAME_FAILURE:
        return failed && record_equal(reference, subject);
    case SAME_FIRST_ERROR:
        return failed && e != 0 && e == record_first_error(reference);
    case SAME_BUT_OUTPUT:
        return record_equal_without(reference, subject, "out");
    case WITHIN_BOUNDS:
        return record_find(subject, "beyond", 0) == 0;
    case SAME_WITHOUT_ERRORS:
        return record_equal_without_errors(reference, subject);
    default:
        return failed && ERR_GET_LIB(e) == ERR_LIB_PROV && ERR_GET_REASON(e) == d->must;
    }
}

/* Parameters that older versions of default don't have, and ctaes may. OpenSSL 3.4 to 3.6 have
   iv-generated, but it stays 1 when another IV comes. */
bool is_extra_param(const char *key)
{
    return (key[0] == 'i' && strcmp(key, "iv-generated") == 0 && openssl_version < 0x40000000) ||
           (strcmp(key, "encrypt-then-mac") == 0 && openssl_version < 0x30600000) ||
           strcmp(key, "core") == 0;
}

/* OSSL_PARAM's own functions, which ctaes can't call, leave entries on the queue since
   OpenSSL 3.1, also where the provider then succeeds another way. */
bool error_is_noise(unsigned long e)
{
    return openssl_version >= 0x30100000 && ERR_GET_LIB(e) == ERR_LIB_CRYPTO;
}

void count_difference(const struct difference *d)
{
    excused[d - differences]++;
}

bool situation_ends(enum situation what, const struct record *reference)
{
    /* What a copy that failed leaves behind, default crashes on. The tag of an empty message
       differs although the step doesn't. */
    if (what == SIV_COPY_WITHOUT_KEY || what == GCM_SIV_STALE_AAD || what == GCM_SIV_LOST_AAD)
        return true;
    /* Default has the new key then, and ctaes the old one. */
    if (what == GCM_SIV_INIT_WITH_IVLEN)
        return record_find(reference, "rc", 0) != 1;
    /* The step itself may be the same: what follows isn't. */
    if (what == SIV_EMPTY_DATA) {
        for (size_t i = 0; i < sizeof differences / sizeof differences[0]; i++) {
            const struct difference *d = &differences[i];
            if (d->situation == what && is_of_version(d))
                return true;
        }
    }
    /* Set twice or in another order, both can succeed and leave something else. */
    if (what == OVERLAPPING || what == OVERLAPPING_TOO || what == SET_OF_SEVERAL ||
        what == REPEATED_PARAM)
        return true;
    return what == SET_NUM && record_find(reference, "rc", 0) == 1;
}

void print_differences(FILE *to)
{
    for (size_t i = 0; i < sizeof differences / sizeof differences[0]; i++) {
        const struct difference *d = &differences[i];
        fprintf(to, "OpenSSL since %lu.%lu", d->from >> 28, d->from >> 20 & 0xff);
        for (const unsigned long *r = d->mended; r != NULL && *r != 0; r++)
            fprintf(to, "%s%lu.%lu.%lu", r == d->mended ? ", before " : ", ", *r >> 28,
                    *r >> 20 & 0xff, *r >> 4 & 0xffff);
        fprintf(to, ": %s\n", d->why);
    }
}

void print_difference_counts(FILE *to)
{
    for (size_t i = 0; i < sizeof differences / sizeof differences[0]; i++) {
        if (excused[i] > 0)
            fprintf(to, "differs on purpose, %lu times: %.60s...\n", excused[i],
                    differences[i].why);
    }
}
