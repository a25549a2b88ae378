/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps that process data: init, update, final, EVP_Cipher.
 *
 * Input lies in a block of memory of exactly its length, so that a sanitizer
 * sees a read beyond it. Output goes into the middle of a buffer full of
 * CANARY, all of which is recorded, so that a write beyond it is seen.
 */
#include "evp.h"

#include "skey.h"

#include <openssl/proverr.h>

#include <stdlib.h>
#include <string.h>

uint8_t base_tape[TAPE], base_aad[TAPE];
static uint8_t keys[5][64], ivs[8][128];

void init_tapes(void)
{
    fill_pseudo_random(base_tape, sizeof base_tape, 1);
    fill_pseudo_random(base_aad, sizeof base_aad, 2);
    for (size_t i = 0; i < 4; i++)
        fill_pseudo_random(keys[i], sizeof keys[i], 10 + i);
    memset(keys[4], 0x4b, sizeof keys[4]);
    fill_pseudo_random(ivs[0], sizeof ivs[0], 20);
    fill_pseudo_random(ivs[1], sizeof ivs[1], 21);
    memset(ivs[2], 0xff, sizeof ivs[2]);
    memset(ivs[3] + 12, 0xff, 4);
    memset(ivs[4] + 8, 0xff, 8);
    memset(ivs[5], 0xff, sizeof ivs[5]);
    ivs[5][15] = 0xfe;
    memset(ivs[6], 0xff, sizeof ivs[6]);
    ivs[6][0] = 0x7f;
}

void clear_facts(struct facts *f)
{
    *f = (struct facts){.key_dir = -1};
}

EVP_CIPHER_CTX *new_ctx(void)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    if (ctx == NULL)
        abort();
    return ctx;
}

void open_world(struct world *w, int side, const struct algorithm *alg)
{
    w->side = side;
    w->alg = alg;
    w->a.ctx = new_ctx();
    w->b.ctx = new_ctx();
    clear_facts(&w->a.facts);
    clear_facts(&w->b.facts);
    memcpy(w->tape, base_tape, TAPE);
    w->cursor = w->aad_cursor = w->log_len = 0;
    memset(w->tag, 0, sizeof w->tag);
    memset(w->nonce, 0, sizeof w->nonce);
    w->align_in = w->align_out = 0;
    w->placed = false;
    w->placed_len = w->consumed = w->produced = 0;
}

void close_world(struct world *w)
{
    EVP_CIPHER_CTX_free(w->a.ctx);
    EVP_CIPHER_CTX_free(w->b.ctx);
}

/* --- init --- */

static int step_direction(const struct step *s)
{
    const char *dir = s->argc > 1 ? s->argv[1] : "";
    return dir[0] == 'e' ? 1 : dir[0] == 'd' ? 0 : -1;
}

/* Draws from an init what the facts must know. error: the last one, if it failed. */
static void note_init(struct world *w, const struct step *s, bool key, bool iv, unsigned long error)
{
    struct facts *f = &w->a.facts;
    int reason = ERR_GET_REASON(error);
    bool iv_refused = false;

    if (error != 0 && ERR_GET_LIB(error) != ERR_LIB_PROV) {
        /* libcrypto didn't ask the provider, but has the new direction itself. */
        f->astray = f->astray || EVP_CIPHER_CTX_is_encrypting(w->a.ctx) != f->dir;
        return;
    }
    f->astray = false;
    /* An init that libcrypto refused may have changed the direction all the same. */
    f->dir = EVP_CIPHER_CTX_is_encrypting(w->a.ctx);
    if (error != 0 && is_named(s, "init_skey")) {
        key = key && !w->key_refused && reason != PROV_R_XTS_DUPLICATED_KEYS;
        iv_refused = w->iv_refused;
    } else if (error != 0 &&
               (reason == PROV_R_INVALID_KEY_LENGTH || reason == PROV_R_INVALID_IV_LENGTH ||
                reason == PROV_R_XTS_DUPLICATED_KEYS)) {
        key = false;
        /* Newer versions believe any `ivlen`. */
        iv_refused = reason == PROV_R_INVALID_IV_LENGTH && has_mode(w->alg, GENERIC | XTS);
    }
    iv = iv && !iv_refused;
    if (key) {
        f->key_dir = f->dir;
        f->copied_keyless = false;
    }
    if (iv)
        f->bad_tag = f->in_message = f->rekeyed = false;
    else if (key && f->in_message)
        f->rekeyed = true;
    f->pending = 0;
    f->iv_set = f->iv_set || iv;
    if (f->iv_set && !iv_refused)
        f->bad_padding = false; /* else the running IV goes on */
    w->produced = w->consumed;  /* a partial block is lost */
}

static void put_hex(uint8_t *to, size_t size, const char *hex)
{
    for (size_t i = 0; i < size && hex[2 * i] != '\0' && hex[2 * i + 1] != '\0'; i++) {
        const char byte[3] = {hex[2 * i], hex[2 * i + 1], '\0'};
        to[i] = (uint8_t)strtoul(byte, NULL, 16);
    }
}

/* The length of the IV that init_skey passes on. */
static size_t skey_iv_len(const struct world *w, const EVP_CIPHER *cipher, const struct step *s)
{
    long len;
    if (!arg_number(s, "il", &len))
        len = cipher != NULL          ? EVP_CIPHER_get_iv_length(cipher)
              : w->a.facts.has_cipher ? EVP_CIPHER_CTX_get_iv_length(w->a.ctx)
                                      : 0;
    return len < 0 || len > 128 ? 128 : (size_t)len;
}

/* Notes what of an init_skey a provider won't take. libcrypto doesn't look at the lengths, and
   providers look at the IV's first. */
static void note_skey_lengths(struct world *w, const EVP_CIPHER *cipher, const struct step *s)
{
    const size_t len = skey_iv_len(w, cipher, s);
    size_t wanted = 7; /* of a new context of CCM */
    OSSL_PARAM params[2] = {OSSL_PARAM_construct_size_t("ivlen", &wanted), OSSL_PARAM_END};
    const size_t fixed = (size_t)EVP_CIPHER_get_iv_length(w->alg->cipher[w->side]);
    long n;

    w->iv_refused = w->key_refused = false;
    if (!is_named(s, "init_skey"))
        return;
    if (has_mode(w->alg, CCM) && cipher == NULL && w->a.facts.has_cipher)
        EVP_CIPHER_CTX_get_params(w->a.ctx, params);
    w->iv_len_before = wanted;
    if (gives_iv(s))
        w->iv_refused = has_mode(w->alg, SIV)       ? false
                        : has_mode(w->alg, CCM)     ? len != wanted
                        : has_mode(w->alg, GCM)     ? len == 0
                        : has_mode(w->alg, GCM_SIV) ? len != 12
                        : has_mode(w->alg, OCB)     ? len == 0 || len > 15
                                                    : len != fixed;
    w->key_refused =
        arg_number(s, "k", &n) && (w->iv_refused || skey_len(w, s) != (size_t)w->alg->key_len);
    ERR_clear_error();
}

/* EVP_CipherInit_SKEY with a key of len bytes, or none. Imported keys of the lengths that
   undefined.c lets through are keys. */
static int init_with_skey(struct world *w, const EVP_CIPHER *cipher, const struct step *s,
                          uint8_t *key, const uint8_t *iv, int enc, const OSSL_PARAM params[])
{
    const struct skey_api *api = find_skey_api();
    const struct side *side = &sides[w->side];
    void *skey = NULL;

    if (api == NULL)
        bad_argument("init_skey: this libcrypto has no opaque keys");
    ERR_clear_error();
    if (key != NULL) {
        skey = api->import_raw_key(side->libctx, arg_given(s, "aes") ? "AES" : "GENERIC-SECRET",
                                   key, skey_len(w, s), side->propq);
        if (skey == NULL)
            abort();
    }
    const int rc =
        api->cipher_init(w->a.ctx, cipher, skey, iv, skey_iv_len(w, cipher, s), enc, params);
    api->free(skey);
    return rc;
}

static void run_init(struct world *w, const struct step *s, struct record *r)
{
    struct facts *f = &w->a.facts;
    const EVP_CIPHER *cipher = arg_given(s, "alg") ? w->alg->cipher[w->side] : NULL;
    int enc = step_direction(s), rc;
    long n;
    uint8_t *key = NULL, *iv = NULL, given[128] = {0};
    OSSL_PARAM params[MAX_PARAMS + 1];
    size_t nparams = parse_sets(w, s, params);

    if (arg_number(s, "k", &n)) {
        const size_t len = skey_len(w, s);
        key = malloc(len);
        if (key == NULL)
            abort();
        memcpy(key, keys[n % 5], len);
    }
    if (arg_number(s, "i", &n))
        iv = ivs[n & 7];
    if (arg_text(s, "ix") != NULL) {
        put_hex(given, sizeof given, arg_text(s, "ix"));
        iv = given;
    }

    note_skey_lengths(w, cipher, s);
    if (is_named(s, "init_skey"))
        rc = init_with_skey(w, cipher, s, key, iv, enc, nparams > 0 ? params : NULL);
    else if (is_named(s, "init_ex"))
        rc = EVP_CipherInit_ex(w->a.ctx, cipher, NULL, key, iv, enc);
    else if (is_named(s, "init_old"))
        rc = EVP_CipherInit(w->a.ctx, cipher, key, iv, enc);
    else
        rc = EVP_CipherInit_ex2(w->a.ctx, cipher, key, iv, enc, nparams > 0 ? params : NULL);
    record_int(r, "rc", rc);
    record_errors(r);

    if (cipher != NULL) {
        /* EVP_CipherInit resets the context; the others keep the direction. */
        int dir = is_named(s, "init_old") ? 0 : f->dir;
        clear_facts(f);
        f->dir = dir;
        f->has_cipher = true;
    }
    note_init(w, s, key != NULL, iv != NULL, rc == 1 ? 0 : record_last_error(r));
    note_params(w, params, rc == 1);
    unsigned long e = record_last_error(r);
    if (rc == 1 ||
        (ERR_GET_LIB(e) == ERR_LIB_PROV && ERR_GET_REASON(e) == PROV_R_FAILED_TO_GET_PARAMETER))
        note_tls_params(f, params);
    free(key);
}

/* --- update, final, one-shot --- */

/* Where a data step reads and writes. */
struct io {
    uint8_t *block; /* to be freed */
    const uint8_t *in;
    uint8_t *out;
    uint8_t *shown; /* the buffer to be recorded */
    size_t shown_len;
    size_t len;
    bool aad;
    bool apart;      /* default's side of a step whose output overlaps its input on ctaes's */
    uint8_t *before; /* ctaes's side: what the buffer held */
};

/* Overlapping output: both are in the middle of the buffer.

       shown  CANARY ... in ├──────────────┤ ... CANARY
                            ◀ offset ▶ ├──────────────┤ out                                      */
bool overlaps(const struct world *w, const struct step *s, long *offset)
{
    *offset = 0;
    return (s->op->kind == UPDATE || s->op->kind == ONE_SHOT) && arg_number(s, "at=", offset) &&
           *offset != 0 && !w->placed && !is_aad(s) && w->a.facts.tls_version == 0 &&
           strstr(w->alg->name, "-CFB1") == NULL; /* whose lengths may be of bits */
}

static void open_overlap(struct io *io, struct world *w, long offset)
{
    uint8_t *in = w->out + MARGIN + 48;
    io->shown = w->out;
    io->shown_len = io->len + 4 * MARGIN;
    memset(w->out, CANARY, io->shown_len);
    io->out = in + offset;
    io->apart = w->side == REFERENCE;
    if (io->apart)
        return;
    memcpy(in, io->in, io->len);
    io->in = in;
    io->before = malloc(io->shown_len);
    if (io->before == NULL)
        abort();
    memcpy(io->before, w->out, io->shown_len);
}

/* Records the output, and whether anything else was written. */
static void close_overlap(struct io *io, struct world *w, struct record *r, bool good,
                          size_t written)
{
    uint8_t before[TAPE + 4 * MARGIN];
    size_t from = (size_t)(io->out - w->out);
    if (io->apart)
        memset(before, CANARY, io->shown_len);
    else
        memcpy(before, io->before, io->shown_len);
    /* What failed may have wiped its output. */
    memcpy(before + from, io->out, good ? written : io->len);
    record_bytes(r, "out", io->out, good ? written : 0);
    record_int(r, "beyond", memcmp(before, w->out, io->shown_len) != 0);
    free(io->before);
}

static void open_io(struct io *io, struct world *w, const struct step *s, bool takes_input)
{
    long offset;

    *io = (struct io){0};
    io->len = takes_input ? (size_t)number_at(s, 1) : 0;
    io->aad = is_aad(s);

    if (takes_input) {
        const uint8_t *from = io->aad ? base_aad + w->aad_cursor : w->tape + w->cursor;
        io->block = malloc(io->len + (size_t)w->align_in + 1);
        if (io->block == NULL)
            abort();
        /* The block ends with the input: the odd byte goes to the front. */
        uint8_t *in = io->block + 1 + w->align_in;
        if (io->aad || !w->placed)
            memcpy(in, from, io->len);
        io->in = in;
    }

    if (w->placed && !io->aad) {
        uint8_t *base = w->arena + MARGIN + w->align_out;
        io->shown = w->arena;
        io->shown_len = w->placed_len + 3 * MARGIN;
        io->out = base + w->produced;
        if (takes_input)
            io->in = base + w->consumed;
    } else if (overlaps(w, s, &offset)) {
        open_overlap(io, w, offset);
    } else {
        io->shown = w->out;
        io->shown_len = io->len + 3 * MARGIN;
        memset(w->out, CANARY, io->shown_len);
        io->out = w->out + MARGIN + w->align_out;
        if (is_in_place(s) && takes_input) {
            memcpy(io->out, io->in, io->len);
            io->in = io->out;
        }
    }
    if (arg_given(s, "in=null"))
        io->in = NULL;
    if (arg_given(s, "out=null") || io->aad)
        io->out = NULL;
}

/* Records the output, of which written bytes are the result. */
static void close_io(struct io *io, struct world *w, struct record *r, bool good, size_t written)
{
    if (io->apart || io->before != NULL)
        close_overlap(io, w, r, good, written);
    else
        record_bytes(r, "out", io->shown, io->shown_len);
    if (good) {
        if (io->out != NULL && !io->aad && w->log_len + written <= sizeof w->log) {
            memcpy(w->log + w->log_len, io->out, written);
            w->log_len += written;
        }
        if (io->aad) {
            w->aad_cursor += io->len;
        } else if (w->placed) {
            w->consumed += io->len;
            w->produced += written;
        } else if (io->in != NULL) { /* else a length, or nothing */
            w->cursor += io->len;
        }
    }
    free(io->block);
}

static void run_update(struct world *w, const struct step *s, struct record *r)
{
    struct facts *f = &w->a.facts;
    struct io io;
    int outl = -77, rc;
    int *p = arg_given(s, "outl=null") ? NULL : &outl;
    const bool refused = is_refused_by_libcrypto(w, s);

    open_io(&io, w, s, true);
    if (s->argv[0][0] == 'e')
        rc = EVP_EncryptUpdate(w->a.ctx, io.out, p, io.in, (int)io.len);
    else if (s->argv[0][0] == 'd')
        rc = EVP_DecryptUpdate(w->a.ctx, io.out, p, io.in, (int)io.len);
    else
        rc = EVP_CipherUpdate(w->a.ctx, io.out, p, io.in, (int)io.len);
    record_int(r, "rc", rc);
    record_int(r, "outl", outl);
    record_errors(r);

    bool good = rc == 1 && p != NULL && outl >= 0;
    if (io.len > 0 && !refused) {
        f->in_message = f->key_dir >= 0;
        if ((f->tls_aad || io.in == NULL) && !good && f->dir == 0)
            f->bad_tag = true; /* input that is NULL means final */
        f->tls_aad = false;
    }
    if (good && io.out != NULL && !takes_records(w))
        f->pending += (long)io.len - outl;
    if (good && takes_records(w))
        f->tls_mac_len = f->dir == 0 ? f->tls_mac_size : 0;
    else if (good && io.len > 0 && f->dir == 0 && f->tls_version != 0 && f->tls_mac_size > 0)
        f->tls_mac_len = f->tls_mac_size;
    close_io(&io, w, r, good, good ? (size_t)outl : 0);
}

static void run_final(struct world *w, const struct step *s, struct record *r)
{
    struct facts *f = &w->a.facts;
    struct io io;
    int outl = -77, rc;
    int *p = arg_given(s, "outl=null") ? NULL : &outl;
    const bool refused = is_refused_by_libcrypto(w, s);

    open_io(&io, w, s, false);
    if (s->argv[0][0] == 'e')
        rc = EVP_EncryptFinal_ex(w->a.ctx, io.out, p);
    else if (s->argv[0][0] == 'd')
        rc = EVP_DecryptFinal_ex(w->a.ctx, io.out, p);
    else
        rc = EVP_CipherFinal_ex(w->a.ctx, io.out, p);
    record_int(r, "rc", rc);
    record_int(r, "outl", outl);
    record_errors(r);

    bool good = rc == 1 && p != NULL && outl >= 0;
    if (good) {
        f->pending = 0;
    } else if (f->has_cipher && f->dir == 0 && !refused) {
        f->bad_tag = true;
        f->bad_padding = f->bad_padding || (f->pending == 16 && !takes_records(w));
    }
    if (!refused) {
        f->in_message = f->key_dir >= 0;
        f->tls_aad = false;
    }
    close_io(&io, w, r, good, good ? (size_t)outl : 0);
    if (good)
        w->produced = w->consumed;
}

static void run_cipher(struct world *w, const struct step *s, struct record *r)
{
    struct facts *f = &w->a.facts;
    struct io io;

    open_io(&io, w, s, true);
    int rc = EVP_Cipher(w->a.ctx, io.out, io.in, (unsigned)io.len);
    record_int(r, "rc", rc);
    record_errors(r);
    if (rc < 0 && f->dir == 0 && (io.in == NULL || f->tls_aad))
        f->bad_tag = true;
    f->tls_aad = false;
    f->in_message = f->key_dir >= 0;
    close_io(&io, w, r, rc >= 0, rc > 0 ? (size_t)rc : 0);
}

const struct op ops_data[] = {{"init", INIT, run_init, false},
                              {"init_ex", INIT, run_init, false},
                              {"init_old", INIT, run_init, false},
                              {"init_skey", INIT, run_init, false},
                              {"up", UPDATE, run_update, false},
                              {"aad", UPDATE, run_update, false},
                              {"encup", UPDATE, run_update, false},
                              {"decup", UPDATE, run_update, false},
                              {"fin", FINAL, run_final, false},
                              {"encfin", FINAL, run_final, false},
                              {"decfin", FINAL, run_final, false},
                              {"cipher", ONE_SHOT, run_cipher, true},
                              {NULL, OTHER, NULL, false}};
