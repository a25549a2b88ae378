/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The language of sequences: "ALG: step; step; ...", where a step is a name and
 * its arguments, separated by blanks.
 *
 * The harness's own data, the same on both sides:
 *   the tape     8 KiB of input; every update takes its next bytes
 *   the log      all the output since the start or the last feed
 *   T, N         the last tag and the last explicit nonce that were got
 *   k0..k3       keys; k4 one whose halves are the same; i0..i7 IVs: i0, i1 arbitrary, i2 all ones,
 * i3 and i4 with the low 32 and 64 bits set, i5 = i2 - 1, i6 all ones but the top bit, i7 zeros
 *
 * Calls (the context in use is A):
 *   init e|d|s [alg] [k<n>] [i<n>] [NAME:TYPE=VALUE ...]   EVP_CipherInit_ex2; no k, i: NULL;
 *                     s: enc = -1. alg passes the cipher. ixHEX: the IV, and zeros behind it.
 *                     init_ex, init_old: the older functions
 *   init_skey e|d|s [alg] [k<n>] [i<n>] [aes] [kl<n>] [il<n>] [NAME:TYPE=VALUE ...]
 *                     EVP_CipherInit_SKEY, since OpenSSL 3.5, with an opaque key of the kind
 *                     GENERIC-SECRET or AES, kl bytes long (what the algorithm wants); il: what is
 *                     said to be the IV's length (what the cipher or the context says)
 *   up LEN            EVP_CipherUpdate.   Also: in=null out=null outl=null same (in == out)
 *                     at=N: out = in + N on ctaes's side, apart from in on default's
 *   aad LEN           EVP_CipherUpdate with out = NULL, from the AAD tape
 *   encup, decup LEN  EVP_EncryptUpdate, EVP_DecryptUpdate, whatever the direction
 *   fin, encfin, decfin    the _ex finals. Also: out=null outl=null
 *   cipher LEN        EVP_Cipher.          Also: in=null out=null same aad
 *   set NAME:TYPE=VALUE ...   EVP_CIPHER_CTX_set_params
 *   get NAME:TYPE/SIZE ...    EVP_CIPHER_CTX_get_params; cget: EVP_CIPHER_get_params
 *   ctrl NAME ARG [VALUE]     EVP_CIPHER_CTX_ctrl
 *   gettag N, settag N        the tag, to and from T
 *   tlsaad LEN [VERSION]      ctrl AEAD_TLS1_AAD for a record of LEN bytes
 *   pad N, num N, keylen N    the functions EVP_CIPHER_CTX_set_...
 *   uiv N, oiv N, info, toasn1, fromasn1
 *   fetch NAME [QUERY]        EVP_CIPHER_fetch, and what the cipher says of itself
 *   copy              to a new context, which becomes A; the original is freed
 *   fork              to a new context B; A stays.    over: to B as it is
 *   swap              A and B.    free: A anew.       reset: EVP_CIPHER_CTX_reset
 * The harness's data:
 *   feed              the log becomes the tape.       rewind, skip N, plain (the first tape)
 *   poke AT HEX       on the tape.   flip AT BIT: on the tape.   fliptag BIT: in T
 *   align IN OUT      the alignment of buffers from here on
 *   place N           copies N bytes of the tape; what follows works on them in place
 *
 * TYPE: i1 i2 i4 i8 i16 u1 ... u16 r4 r8 (real), os op (octets, pointer), us up (UTF-8).
 * VALUE: a number, or for octets xHEX, T<n>, N<n>, R<n> (n arbitrary bytes), Z<n> (zeros), null,
 * null/<n>; @<n> behind it says another data_size. SIZE: bytes, or null.
 */
#include "evp.h"

#include <stdlib.h>
#include <string.h>

static void bad_sequence(const char *text, const char *why, const char *what)
{
    fprintf(stderr, "evp: no sequence: %s: %s `%s`\n", text, why, what);
    exit(2);
}

void bad_argument(const char *arg)
{
    fprintf(stderr, "evp: bad argument `%s`\n", arg != NULL ? arg : "(none)");
    exit(2);
}

static const struct op *find_op(const char *name)
{
    const struct op *const tables[] = {ops_data, ops_context, ops_param, ops_ctrl};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        for (const struct op *op = tables[i]; op->name != NULL; op++) {
            if (op->name[0] == name[0] && strcmp(op->name, name) == 0)
                return op;
        }
    }
    return NULL;
}

static void parse_step(struct sequence *seq, char *words, const char *text)
{
    char *rest = NULL;
    struct step *s = &seq->steps[seq->nsteps];

    s->argc = 0;
    for (char *word = strtok_r(words, " ", &rest); word != NULL;
         word = strtok_r(NULL, " ", &rest)) {
        if (s->argc == MAX_ARGS)
            bad_sequence(text, "too many arguments", words);
        s->argv[s->argc++] = word;
    }
    if (s->argc == 0)
        return; /* an empty step, at the end for example */
    s->op = find_op(s->argv[0]);
    if (s->op == NULL)
        bad_sequence(text, "unknown step", s->argv[0]);
    seq->nsteps++;
}

void parse_sequence(struct sequence *seq, const char *text)
{
    char *rest = NULL;

    if (strlen(text) >= sizeof seq->text)
        bad_sequence(text, "too long", "");
    strcpy(seq->text, text);
    seq->nsteps = 0;

    char *colon = strstr(seq->text, ": ");
    if (colon == NULL)
        bad_sequence(text, "no algorithm before", ": ");
    *colon = '\0';
    seq->alg = find_algorithm(seq->text);
    if (seq->alg == NULL)
        bad_sequence(text, "unknown algorithm", seq->text);

    for (char *step = strtok_r(colon + 2, ";", &rest); step != NULL;
         step = strtok_r(NULL, ";", &rest)) {
        if (seq->nsteps == MAX_STEPS)
            bad_sequence(text, "too many steps", step);
        parse_step(seq, step, text);
    }
}

bool arg_number(const struct step *s, const char *prefix, long *value)
{
    size_t n = strlen(prefix);
    for (int i = 1; i < s->argc; i++) {
        char *end;
        if (s->argv[i][0] == prefix[0] && strncmp(s->argv[i], prefix, n) == 0 &&
            s->argv[i][n] != '\0') {
            long v = strtol(s->argv[i] + n, &end, 10);
            if (*end == '\0') {
                *value = v;
                return true;
            }
        }
    }
    return false;
}

const char *arg_text(const struct step *s, const char *prefix)
{
    size_t n = strlen(prefix);
    for (int i = 1; i < s->argc; i++) {
        if (s->argv[i][0] == prefix[0] && strncmp(s->argv[i], prefix, n) == 0)
            return s->argv[i] + n;
    }
    return NULL;
}

bool arg_given(const struct step *s, const char *word)
{
    for (int i = 1; i < s->argc; i++) {
        if (s->argv[i][0] == word[0] && strcmp(s->argv[i], word) == 0)
            return true;
    }
    return false;
}

long number_at(const struct step *s, int n)
{
    return n < s->argc ? strtol(s->argv[n], NULL, 10) : 0;
}

bool is_named(const struct step *s, const char *name)
{
    return s->argv[0][0] == name[0] && strcmp(s->argv[0], name) == 0;
}

bool is_aad(const struct step *s)
{
    return is_named(s, "aad") || arg_given(s, "aad");
}

size_t skey_len(const struct world *w, const struct step *s)
{
    long n;
    if (!is_named(s, "init_skey") || !arg_number(s, "kl", &n))
        return (size_t)w->alg->key_len;
    return n < 0 || n > 64 ? 64 : (size_t)n;
}

bool gives_iv(const struct step *s)
{
    long n;
    return arg_number(s, "i", &n) || arg_text(s, "ix") != NULL;
}

bool is_refused_by_libcrypto(const struct world *w, const struct step *s)
{
    const enum op_kind kind = s->op->kind;
    if (kind != UPDATE && kind != FINAL)
        return false;
    const bool encrypting = EVP_CIPHER_CTX_is_encrypting(w->a.ctx) != 0;
    return arg_given(s, "outl=null") || (s->argv[0][0] == 'e' && !encrypting) ||
           (s->argv[0][0] == 'd' && encrypting);
}

bool is_in_place(const struct step *s)
{
    return arg_given(s, "same") || arg_given(s, "at=0");
}
