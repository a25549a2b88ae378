/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Constant time through EVP: the module as users load it, with secrets marked.
 *
 *     evp [--sample | --small-sample] <folder of ctaes.so> <control> <core>:<batch>...
 *
 * The module is loaded once for each core, with CTAES_CORE=<core>, and must say that
 * it took that one. Every cipher and MAC that it offers is fetched from it and run in both
 * directions: keys and plaintext secret, then (decrypting) the key alone. Messages in one piece, in
 * three with the context copied between them, and by EVP_Cipher; good and bad padding and tags; TLS
 * 1.2 records. libcrypto lies in between and is watched too.
 *
 * A verdict (padding or tag good, and how long the padding is) must become
 * public. The module does that in ctaes_declassify and nowhere else: ct_state.verdicts
 * counts how often it must have been called.
 *
 * <control> is `clean`, or makes a control of it. leaky: everything over the leaky
 * core must be reported. leaky-glue: the core is a good one, and only what
 * compares tags and checks padding is wrong, so just that must be reported. unmarking:
 * over the core that declares its results public, nothing is reported, and each
 * decryption must be found to give data that isn't secret any more.
 */
#define _GNU_SOURCE
#include "ct_test.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <openssl/proverr.h>

static OSSL_LIB_CTX *library;
static const char *core_name;
static size_t batch;
static bool control_glue; /* leaky-glue */

/* Ends the harness if a call of libcrypto fails that has to work: nothing after it would be the
   test that it says it is. */
static void need(bool done, const char *what)
{
    if (!done) {
        printf("can't go on: %s\n", what);
        ERR_print_errors_fp(stdout);
        exit(2);
    }
}

/* What a control must be caught in: leaky in all work, leaky-glue in verdicts. */
enum work { NOTHING_SECRET, CIPHERING, VERDICT };

static void end_evp_probe(enum work work, const EVP_CIPHER *cipher, const char *what, size_t len,
                          const char *how)
{
    enum ct_expect expect = ct_state.expect;
    bool must = work != NOTHING_SECRET;
    if (control_glue)
        ct_state.expect = work == VERDICT ? EXPECT_REPORTS : EXPECT_CLEAN;
    /* Plaintext is secret by itself and hides that keystream isn't any more; and not every function
       hands out what doesn't decrypt to what it must. */
    if (expect == EXPECT_PUBLIC)
        must = must && len > 0 &&
               (strcmp(what, "decrypt") == 0 || strcmp(what, "unwrap") == 0 ||
                strcmp(what, "decrypt, good tag") == 0);
    end_probe(must, "%s %s %s: data of %zu bytes%s", core_name, EVP_CIPHER_get0_name(cipher), what,
              len, how);
    ct_state.expect = expect;
}

/* --- One message ------------------------------------------------------------------------------ */

enum manner { WHOLE, PIECES, ONE_SHOT };
static const char *const manner_names[] = {"", ", in pieces", ", by EVP_Cipher"};

struct message {
    const EVP_CIPHER *cipher;
    EVP_CIPHER_CTX *ctx;
    uint8_t key[64], iv[16], aad[80], tag[16];
    size_t iv_len, aad_len; /* of an AEAD */
    size_t len;             /* of the plaintext */
    uint8_t *plain, *data, *out;
    size_t room;
    enum manner manner;
    int padding;
};

static void open_message(struct message *m, const EVP_CIPHER *cipher, size_t len,
                         enum manner manner)
{
    memset(m, 0, sizeof *m);
    m->cipher = cipher;
    m->ctx = EVP_CIPHER_CTX_new();
    need(m->ctx != NULL, "EVP_CIPHER_CTX_new");
    m->len = len;
    m->manner = manner;
    m->room = len + 16;
    m->plain = allocate(m->room);
    m->data = allocate(m->room);
    m->out = allocate(m->room);
    fill(m->key, sizeof m->key, 1);
    fill(m->iv, sizeof m->iv, 2);
    fill(m->aad, sizeof m->aad, 3);
    fill(m->plain, len, 4);
}

static void close_message(struct message *m)
{
    EVP_CIPHER_CTX_free(m->ctx);
    free(m->plain);
    free(m->data);
    free(m->out);
}

/* Starts or restarts the context with the key, which is secret. */
static void init_message(struct message *m, int enc)
{
    bool aead = EVP_CIPHER_get_flags(m->cipher) & EVP_CIPH_FLAG_AEAD_CIPHER;
    mark_secret(m->key, sizeof m->key);
    if (aead) {
        need(EVP_CipherInit_ex2(m->ctx, m->cipher, NULL, NULL, enc, NULL), "init");
        need(EVP_CIPHER_CTX_ctrl(m->ctx, EVP_CTRL_AEAD_SET_IVLEN, (int)m->iv_len, NULL) > 0,
             "IV length");
        need(EVP_CipherInit_ex2(m->ctx, NULL, m->key, m->iv, enc, NULL), "key and IV");
    } else {
        need(EVP_CipherInit_ex2(m->ctx, m->cipher, m->key, m->iv, enc, NULL), "init");
        need(EVP_CIPHER_CTX_set_padding(m->ctx, m->padding), "padding");
    }
}

/* Copies the context as dupctx does, and goes on with the copy. */
static void continue_with_copy(struct message *m)
{
    EVP_CIPHER_CTX *copy = EVP_CIPHER_CTX_new();
    need(copy != NULL && EVP_CIPHER_CTX_copy(copy, m->ctx), "copy");
    EVP_CIPHER_CTX_free(m->ctx);
    m->ctx = copy;
}

/* Passes len bytes through the context; out == NULL: as AAD. Returns how many came out. */
static size_t pass(struct message *m, uint8_t *out, const uint8_t *in, size_t len)
{
    if (m->manner == ONE_SHOT) {
        if (len == 0)
            return 0;
        int n = EVP_Cipher(m->ctx, out, in, (unsigned)len);
        need(n == (int)len, "EVP_Cipher");
        return len;
    }
    size_t first = m->manner == PIECES ? len / 3 : len, written = 0;
    int n = 0;
    need(EVP_CipherUpdate(m->ctx, out, &n, in, (int)first), "update");
    written += (size_t)n;
    if (m->manner == PIECES) {
        continue_with_copy(m);
        need(EVP_CipherUpdate(m->ctx, out == NULL ? NULL : out + written, &n, in + first, 1 < len),
             "update of one byte");
        written += (size_t)n;
        first += 1 < len;
        need(EVP_CipherUpdate(m->ctx, out == NULL ? NULL : out + written, &n, in + first,
                              (int)(len - first)),
             "last update");
        written += (size_t)n;
    }
    return written;
}

/* --- ECB, CBC, CTR, CFB, OFB
 * ---------------------------------------------------------------------------- */

/* Decrypts total bytes of m->data. Returns whether it ended well, and in *len what came out. */
static bool decrypt_chain(struct message *m, size_t total, enum work *work, size_t *len)
{
    int n = 0, done = 1;
    init_message(m, 0);
    *len = pass(m, m->out, m->data, total);
    if (m->manner != ONE_SHOT)
        done = EVP_CipherFinal_ex(m->ctx, m->out + *len, &n);
    *len += (size_t)n;
    bool unpads = m->padding && EVP_CIPHER_get_block_size(m->cipher) == 16;
    *work = unpads ? VERDICT : total > 0 ? CIPHERING : NOTHING_SECRET;
    /* One for the verdict; if it is good, the length is looked for from 0 on. */
    if (unpads)
        ct_state.verdicts += done ? 1 + (unsigned)n + 1 : 1;
    return done;
}

static void probe_chain(const EVP_CIPHER *cipher, size_t len, enum manner manner, int padding)
{
    struct message m;
    const bool block = EVP_CIPHER_get_block_size(cipher) == 16;
    enum work work = len > 0 || (block && padding) ? CIPHERING : NOTHING_SECRET;
    size_t total, back;
    int n = 0;

    open_message(&m, cipher, len, manner);
    m.padding = padding;
    begin_probe();
    mark_secret(m.plain, len);
    init_message(&m, 1);
    total = pass(&m, m.data, m.plain, len);
    if (manner != ONE_SHOT)
        need(EVP_CipherFinal_ex(m.ctx, m.data + total, &n), "final");
    total += (size_t)n;
    expect_secret(m.data, total);
    mark_public(m.data, m.room);
    expect_right(total == (block && padding ? len - len % 16 + 16 : len));
    end_evp_probe(work, cipher, "encrypt", len, manner_names[manner]);

    begin_probe();
    bool done = decrypt_chain(&m, total, &work, &back);
    expect_secret(m.out, back);
    mark_public(m.out, m.room);
    mark_public(m.plain, m.room);
    expect_right(done && back == len && memcmp(m.out, m.plain, len) == 0);
    end_evp_probe(work, cipher, "decrypt", len, manner_names[manner]);
    close_message(&m);
}

/* All variants of CBC-CTS, a message in one piece. */
static void probe_cts(const EVP_CIPHER *cipher, size_t len)
{
    static const char *const ways[] = {"", ", CS1", ", CS2", ", CS3"};
    for (int variant = 1; variant <= 3; variant++) {
        char name[4];
        struct message m;
        int n = 0;
        snprintf(name, sizeof name, "CS%d", variant);
        OSSL_PARAM params[2] = {
            OSSL_PARAM_construct_utf8_string(OSSL_CIPHER_PARAM_CTS_MODE, name, 0), OSSL_PARAM_END};
        open_message(&m, cipher, len, WHOLE);
        for (int enc = 1; enc >= 0; enc--) {
            begin_probe();
            if (enc)
                mark_secret(m.plain, len);
            init_message(&m, enc);
            need(EVP_CIPHER_CTX_set_params(m.ctx, params), "variant");
            need(
                EVP_CipherUpdate(m.ctx, enc ? m.data : m.out, &n, enc ? m.plain : m.data, (int)len),
                "update");
            expect_secret(enc ? m.data : m.out, len);
            mark_public(m.data, m.room);
            mark_public(m.out, m.room);
            mark_public(m.plain, m.room);
            expect_right(n == (int)len && (enc || memcmp(m.out, m.plain, len) == 0));
            end_evp_probe(CIPHERING, cipher, enc ? "encrypt" : "decrypt", len, ways[variant]);
        }
        close_message(&m);
    }
}

/* Ciphertext whose last block decrypts to bad padding: value n, and byte `wrong` from the end
   changed if that isn't 0. */
static void probe_bad_padding(const EVP_CIPHER *cipher, size_t len, uint8_t n, size_t wrong)
{
    struct message m;
    enum work work;
    size_t back;
    int out_len;
    open_message(&m, cipher, len, WHOLE);
    memset(m.plain + len - 16, n, 16);
    m.plain[len - 1 - wrong] ^= wrong > 0;
    init_message(&m, 1);
    need(EVP_CipherUpdate(m.ctx, m.data, &out_len, m.plain, (int)len), "update");
    mark_public(m.data, m.room);

    m.padding = 1;
    begin_probe();
    bool done = decrypt_chain(&m, len, &work, &back);
    expect_secret(m.out, back);
    expect_right(!done && ERR_GET_REASON(ERR_peek_last_error()) == PROV_R_BAD_DECRYPT);
    ERR_clear_error();
    end_evp_probe(work, cipher, "decrypt, bad padding", len, "");
    close_message(&m);
}

/* --- GCM -------------------------------------------------------------------------------------- */

static void add_aad(struct message *m)
{
    /* pass says 0 for nothing: an EVP_Cipher of 0 bytes of AAD would be the end of the message. */
    need(pass(m, NULL, m->aad, m->aad_len) == m->aad_len, "AAD");
}

/* Ends an AEAD message. Returns whether the tag was good (or was made). */
static bool end_aead(struct message *m)
{
    int n = 0;
    if (m->manner == ONE_SHOT)
        return EVP_Cipher(m->ctx, NULL, NULL, 0) >= 0;
    return EVP_CipherFinal_ex(m->ctx, NULL, &n) > 0;
}

static void probe_aead(const EVP_CIPHER *cipher, size_t len, enum manner manner, size_t iv_len,
                       size_t aad_len)
{
    struct message m;
    open_message(&m, cipher, len, manner);
    m.iv_len = iv_len;
    m.aad_len = aad_len;

    begin_probe();
    mark_secret(m.plain, len);
    init_message(&m, 1);
    add_aad(&m);
    pass(&m, m.data, m.plain, len);
    need(end_aead(&m), "final");
    need(EVP_CIPHER_CTX_ctrl(m.ctx, EVP_CTRL_AEAD_GET_TAG, 16, m.tag) > 0, "tag");
    expect_secret(m.data, len);
    expect_secret(m.tag, 16);
    mark_public(m.data, m.room);
    mark_public(m.tag, 16);
    end_evp_probe(CIPHERING, cipher, "encrypt", len, manner_names[manner]);

    for (int forged = 0; forged < 2; forged++) {
        if (forged)
            m.tag[len % 16] ^= 1;
        begin_probe();
        init_message(&m, 0);
        need(EVP_CIPHER_CTX_ctrl(m.ctx, EVP_CTRL_AEAD_SET_TAG, 16, m.tag) > 0, "set tag");
        add_aad(&m);
        pass(&m, m.out, m.data, len);
        bool good = end_aead(&m);
        ct_state.verdicts++;
        expect_secret(m.out, len);
        mark_public(m.out, m.room);
        mark_public(m.plain, m.room);
        expect_right(good == !forged && memcmp(m.out, m.plain, len) == 0);
        end_evp_probe(VERDICT, cipher, forged ? "decrypt, bad tag" : "decrypt, good tag", len,
                      manner_names[manner]);
    }
    close_message(&m);
}

/* SIV and GCM-SIV: no IV length to set, the tag first, all data in one update, where the verdict
   falls, which final repeats. */
static void probe_siv(const EVP_CIPHER *cipher, size_t len, enum manner manner, size_t aad_len)
{
    struct message m;
    int n = 0;
    open_message(&m, cipher, len, manner);
    m.aad_len = aad_len;

    begin_probe();
    mark_secret(m.plain, len);
    mark_secret(m.key, sizeof m.key);
    need(EVP_CipherInit_ex2(m.ctx, cipher, m.key, m.iv, 1, NULL), "init");
    add_aad(&m);
    if (manner == PIECES)
        continue_with_copy(&m);
    if (manner == ONE_SHOT)
        need(EVP_Cipher(m.ctx, m.data, m.plain, (unsigned)len) == (int)len, "EVP_Cipher");
    else
        need(EVP_CipherUpdate(m.ctx, m.data, &n, m.plain, (int)len), "update");
    need(end_aead(&m), "final");
    need(EVP_CIPHER_CTX_ctrl(m.ctx, EVP_CTRL_AEAD_GET_TAG, 16, m.tag) > 0, "tag");
    expect_secret(m.data, len);
    expect_secret(m.tag, 16);
    mark_public(m.data, m.room);
    mark_public(m.tag, 16);
    end_evp_probe(CIPHERING, cipher, "encrypt", len, manner_names[manner]);

    for (int forged = 0; forged < 2; forged++) {
        if (forged)
            m.tag[len % 16] ^= 1;
        begin_probe();
        mark_secret(m.key, sizeof m.key);
        need(EVP_CipherInit_ex2(m.ctx, NULL, m.key, m.iv, 0, NULL), "init");
        need(EVP_CIPHER_CTX_ctrl(m.ctx, EVP_CTRL_AEAD_SET_TAG, 16, m.tag) > 0, "set tag");
        add_aad(&m);
        if (manner == PIECES)
            continue_with_copy(&m);
        bool good = manner == ONE_SHOT ? EVP_Cipher(m.ctx, m.out, m.data, (unsigned)len) == (int)len
                                       : EVP_CipherUpdate(m.ctx, m.out, &n, m.data, (int)len) > 0;
        ct_state.verdicts++;
        if (!forged)
            expect_secret(m.out, len);
        mark_public(m.out, m.room);
        mark_public(m.plain, m.room);
        expect_right(good == !forged && end_aead(&m) == good &&
                     (forged || memcmp(m.out, m.plain, len) == 0));
        for (size_t i = 0; forged && i < len; i++)
            expect_right(m.out[i] == 0);
        end_evp_probe(VERDICT, cipher, forged ? "decrypt, bad tag" : "decrypt, good tag", len,
                      manner_names[manner]);
    }
    close_message(&m);
}

/* The key for records, which is secret. */
static void init_records(struct message *m, int enc)
{
    need(EVP_CipherInit_ex2(m->ctx, m->cipher, NULL, NULL, enc, NULL), "init");
    if (EVP_CIPHER_get_mode(m->cipher) == EVP_CIPH_CCM_MODE)
        need(EVP_CIPHER_CTX_ctrl(m->ctx, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL) > 0 &&
                 EVP_CIPHER_CTX_ctrl(m->ctx, EVP_CTRL_AEAD_SET_TAG, 16, NULL) > 0,
             "lengths");
    need(EVP_CipherInit_ex2(m->ctx, NULL, m->key, NULL, enc, NULL), "key");
    need(EVP_CIPHER_CTX_ctrl(m->ctx, EVP_CTRL_AEAD_SET_IV_FIXED, 4, m->iv) > 0, "fixed IV");
}

/* A record of TLS 1.2: explicit nonce of 8 bytes, data, tag of 16, in place. */
static void probe_tls_record(const EVP_CIPHER *cipher, size_t len)
{
    struct message m;
    uint8_t header[13] = {0, 0, 0, 0, 0, 0, 0, 1, 23, 3, 3, 0, 0};
    size_t record_len = 8 + len + 16;
    uint8_t *record = allocate(record_len);
    int n = 0;
    open_message(&m, cipher, len, WHOLE);
    m.iv_len = 12;

    begin_probe();
    mark_secret(m.key, sizeof m.key);
    init_records(&m, 1);
    header[11] = (uint8_t)((len + 8) >> 8);
    header[12] = (uint8_t)(len + 8);
    need(EVP_CIPHER_CTX_ctrl(m.ctx, EVP_CTRL_AEAD_TLS1_AAD, 13, header) == 16, "AAD of a record");
    memcpy(record + 8, m.plain, len);
    mark_secret(record + 8, len);
    need(EVP_CipherUpdate(m.ctx, record, &n, record, (int)record_len), "record");
    expect_secret(record + 8, len + 16);
    mark_public(record, record_len);
    end_evp_probe(CIPHERING, cipher, "encrypt a record", len, "");

    for (int forged = 0; forged < 2; forged++) {
        uint8_t *copy = allocate(record_len);
        memcpy(copy, record, record_len);
        copy[record_len - 1 - len % 16] ^= (uint8_t)forged;
        begin_probe();
        init_records(&m, 0);
        header[11] = (uint8_t)((len + 24) >> 8);
        header[12] = (uint8_t)(len + 24);
        need(EVP_CIPHER_CTX_ctrl(m.ctx, EVP_CTRL_AEAD_TLS1_AAD, 13, header) == 16,
             "AAD of a record");
        bool good = EVP_CipherUpdate(m.ctx, copy, &n, copy, (int)record_len) > 0;
        ct_state.verdicts++;
        if (!forged)
            expect_secret(copy + 8, len);
        mark_public(copy, record_len);
        expect_right(good == !forged);
        expect_right(forged || (n == (int)len && memcmp(copy + 8, m.plain, len) == 0));
        end_evp_probe(VERDICT, cipher, forged ? "decrypt a bad record" : "decrypt a record", len,
                      "");
        ERR_clear_error();
        free(copy);
    }
    free(record);
    close_message(&m);
}

/* --- CCM and OCB ------------------------------------------------------------------------------ */

/* Passes all of a message's AAD and data; data is one piece for CCM, and for EVP_Cipher. Returns
   whether the update went well: CCM checks the tag in it. */
static bool pass_whole(struct message *m, uint8_t *out, const uint8_t *in, size_t *written)
{
    const bool ccm = EVP_CIPHER_get_mode(m->cipher) == EVP_CIPH_CCM_MODE;
    int n = 0;
    *written = 0;
    if (ccm && m->aad_len > 0)
        need(EVP_CipherUpdate(m->ctx, NULL, &n, NULL, (int)m->len), "length");
    if (m->aad_len > 0)
        need(EVP_CipherUpdate(m->ctx, NULL, &n, m->aad, (int)m->aad_len), "AAD");
    if (!ccm && m->manner == ONE_SHOT)
        need(EVP_CipherUpdate(m->ctx, out, &n, in, 0), "start");
    if (m->manner == ONE_SHOT) {
        n = EVP_Cipher(m->ctx, out, in, (unsigned)m->len);
        *written = n > 0 ? (size_t)n : 0;
        return n >= 0;
    }
    if (!ccm && m->manner == PIECES) {
        *written = pass(m, out, in, m->len);
        return true;
    }
    if (m->manner == PIECES)
        continue_with_copy(m);
    const int good = EVP_CipherUpdate(m->ctx, out, &n, in, (int)m->len);
    *written = good > 0 ? (size_t)n : 0;
    return good > 0;
}

static void init_whole(struct message *m, int enc)
{
    mark_secret(m->key, sizeof m->key);
    need(EVP_CipherInit_ex2(m->ctx, m->cipher, NULL, NULL, enc, NULL), "init");
    need(EVP_CIPHER_CTX_ctrl(m->ctx, EVP_CTRL_AEAD_SET_IVLEN, (int)m->iv_len, NULL) > 0,
         "IV length");
    need(EVP_CIPHER_CTX_ctrl(m->ctx, EVP_CTRL_AEAD_SET_TAG, 16, NULL) > 0, "tag length");
    need(EVP_CipherInit_ex2(m->ctx, NULL, m->key, m->iv, enc, NULL), "key and IV");
}

static void probe_whole(const EVP_CIPHER *cipher, size_t len, enum manner manner, size_t iv_len,
                        size_t aad_len)
{
    struct message m;
    size_t written;
    int last = 0;
    open_message(&m, cipher, len, manner);
    m.iv_len = iv_len;
    m.aad_len = aad_len;

    begin_probe();
    mark_secret(m.plain, len);
    init_whole(&m, 1);
    need(pass_whole(&m, m.data, m.plain, &written), "data");
    need(EVP_CipherFinal_ex(m.ctx, m.data + written, &last) && written + (size_t)last == len,
         "final");
    need(EVP_CIPHER_CTX_ctrl(m.ctx, EVP_CTRL_AEAD_GET_TAG, 16, m.tag) > 0, "tag");
    expect_secret(m.data, len);
    expect_secret(m.tag, 16);
    mark_public(m.data, m.room);
    mark_public(m.tag, 16);
    end_evp_probe(CIPHERING, cipher, "encrypt", len, manner_names[manner]);

    for (int forged = 0; forged < 2; forged++) {
        if (forged)
            m.tag[len % 16] ^= 1;
        begin_probe();
        init_whole(&m, 0);
        need(EVP_CIPHER_CTX_ctrl(m.ctx, EVP_CTRL_AEAD_SET_TAG, 16, m.tag) > 0, "set tag");
        bool good = pass_whole(&m, m.out, m.data, &written);
        good = EVP_CipherFinal_ex(m.ctx, m.out + written, &last) > 0 && good;
        ct_state.verdicts++;
        if (!forged)
            expect_secret(m.out, len);
        mark_public(m.out, m.room);
        mark_public(m.plain, m.room);
        expect_right(good == !forged && (forged || memcmp(m.out, m.plain, len) == 0));
        end_evp_probe(VERDICT, cipher, forged ? "decrypt, bad tag" : "decrypt, good tag", len,
                      manner_names[manner]);
        ERR_clear_error();
    }
    close_message(&m);
}

/* --- XTS -------------------------------------------------------------------------------------- */

/* One data unit, both ways; in pieces: with a copy of the context. Whether the key's halves are the
   same is a verdict at each init. */
static void probe_xts(const EVP_CIPHER *cipher, size_t len, enum manner manner)
{
    struct message m;
    open_message(&m, cipher, len, manner == PIECES ? WHOLE : manner);
    for (int enc = 1; enc >= 0; enc--) {
        uint8_t *out = enc ? m.data : m.out;
        begin_probe();
        if (enc)
            mark_secret(m.plain, len);
        init_message(&m, enc);
        ct_state.verdicts++;
        if (manner == PIECES)
            continue_with_copy(&m);
        size_t n = pass(&m, out, enc ? m.plain : m.data, len);
        expect_secret(out, len);
        mark_public(out, m.room);
        mark_public(m.plain, m.room);
        expect_right(n == len && (enc || memcmp(m.out, m.plain, len) == 0));
        end_evp_probe(VERDICT, cipher, enc ? "encrypt" : "decrypt", len, manner_names[manner]);
    }
    close_message(&m);
}

static void probe_xts_key(const EVP_CIPHER *cipher)
{
    struct message m;
    open_message(&m, cipher, 0, WHOLE);
    memset(m.key, 5, sizeof m.key);
    begin_probe();
    mark_secret(m.key, sizeof m.key);
    expect_right(!EVP_CipherInit_ex2(m.ctx, cipher, m.key, m.iv, 1, NULL) &&
                 ERR_GET_REASON(ERR_peek_last_error()) == PROV_R_XTS_DUPLICATED_KEYS);
    ct_state.verdicts++;
    ERR_clear_error();
    end_evp_probe(VERDICT, cipher, "a key of two halves that are the same", 0, "");
    close_message(&m);
}

#include "evp_macs.h"
#include "evp_wrap.h"

/* --- All of the module's algorithms ----------------------------------------------------------- */

static void probe_cipher(const EVP_CIPHER *cipher)
{
    static const enum manner chain_manners[] = {WHOLE, PIECES, WHOLE, ONE_SHOT};
    static const uint8_t bad_paddings[] = {0, 17, 16, 2};
    static const size_t aad_lens[] = {20, 33, 0}; /* of each manner */
    const size_t w = 16 * batch;
    const size_t lens[] = {0, 1, 15, 16, 17, w - 1, w, w + 1, 2 * w + 5};
    /* Where a bit, a byte, or 8 bytes cost as much as a block of others, or as six; of CFB8 and
       CFB1 65 bytes are more than is decrypted at once, and key wrap does one block after the
       other. */
    static const size_t costly_lens[] = {0, 1, 15, 16, 17, 40, 65};
    const bool costly = EVP_CIPHER_get_mode(cipher) == EVP_CIPH_WRAP_MODE ||
                        strstr(EVP_CIPHER_get0_name(cipher), "CFB8") != NULL ||
                        strstr(EVP_CIPHER_get0_name(cipher), "CFB1") != NULL;
    const size_t key_len = (size_t)EVP_CIPHER_get_key_length(cipher);
    const bool xts = EVP_CIPHER_get_mode(cipher) == EVP_CIPH_XTS_MODE;
    const size_t *list = costly ? costly_lens : lens;
    const size_t count = (costly ? sizeof costly_lens : sizeof lens) / sizeof *list;
    if (xts)
        probe_xts_key(cipher);
    for (size_t i = 0; i < count; i++) {
        const size_t len = list[i], blocks = len - len % 16;
        if (xts ? !is_pair(i, key_len / 32, 2) : !is_pair(i, key_len / 8, 3))
            continue;
        if (EVP_CIPHER_get_flags(cipher) & EVP_CIPH_FLAG_CTS) {
            if (len >= 16)
                probe_cts(cipher, len);
            continue;
        }
        /* Key sizes shift the turns, so that each length has most of them. */
        const size_t n = i + key_len / 8;
        switch (EVP_CIPHER_get_mode(cipher)) {
        case EVP_CIPH_ECB_MODE:
        case EVP_CIPH_CBC_MODE:
            for (size_t turn = 0; turn < 4; turn++)
                if (its_turn(n, turn, 4))
                    probe_chain(cipher, turn < 2 ? len : blocks, chain_manners[turn], turn < 2);
            for (size_t turn = 0; turn < 4 && blocks > 0; turn++)
                if (its_turn(n, turn, 2))
                    probe_bad_padding(cipher, blocks, bad_paddings[turn],
                                      turn < 2    ? 0
                                      : turn == 2 ? 1 + i % 15
                                                  : 1);
            break;
        case EVP_CIPH_CTR_MODE:
        case EVP_CIPH_OFB_MODE:
        case EVP_CIPH_CFB_MODE:
            for (size_t turn = WHOLE; turn <= ONE_SHOT; turn++)
                if (its_turn(n, turn, 3))
                    probe_chain(cipher, len, (enum manner)turn, 1);
            break;
        case EVP_CIPH_GCM_MODE:
            for (size_t turn = WHOLE; turn <= ONE_SHOT; turn++)
                if (its_turn(n, turn, 3))
                    probe_aead(cipher, len, (enum manner)turn, turn == PIECES ? 16 : 12,
                               aad_lens[turn]);
            if (its_turn(n, 0, 3) || ct_state.small)
                probe_tls_record(cipher, len);
            break;
        case EVP_CIPH_WRAP_MODE:
            probe_wrap(cipher, len);
            break;
        case EVP_CIPH_CCM_MODE:
        case EVP_CIPH_OCB_MODE: {
            const bool ccm = EVP_CIPHER_get_mode(cipher) == EVP_CIPH_CCM_MODE;
            static const size_t ccm_ivs[] = {12, 7, 13}, ocb_ivs[] = {12, 15, 12};
            for (size_t turn = WHOLE; turn <= ONE_SHOT; turn++)
                if (its_turn(n, turn, 3))
                    probe_whole(cipher, len, (enum manner)turn, (ccm ? ccm_ivs : ocb_ivs)[turn],
                                aad_lens[turn]);
            if (ccm && (its_turn(n, 0, 3) || ct_state.small))
                probe_tls_record(cipher, len);
            break;
        }
        case EVP_CIPH_SIV_MODE:
        case 0x10005: /* EVP_CIPH_GCM_SIV_MODE of OpenSSL 3.2 */
            for (size_t turn = WHOLE; turn <= ONE_SHOT; turn++)
                if (its_turn(n, turn, 3))
                    probe_siv(cipher, len, (enum manner)turn, aad_lens[turn]);
            break;
        case EVP_CIPH_XTS_MODE:
            for (size_t turn = WHOLE; turn <= ONE_SHOT && len >= 16; turn++)
                if (its_turn(n, turn, 3))
                    probe_xts(cipher, len, (enum manner)turn);
            break;
        default:
            begin_probe();
            expect_right(false);
            end_probe(false, "%s: this harness doesn't know how to use it; tell it",
                      EVP_CIPHER_get0_name(cipher));
            return;
        }
    }
}

static void visit_cipher(EVP_CIPHER *found, void *count)
{
    char query[64];
    snprintf(query, sizeof query, "provider=ctaes,ctaes.core=%s", core_name);
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(library, EVP_CIPHER_get0_name(found), query);
    need(cipher != NULL, "fetching an algorithm by its core");
    ++*(unsigned *)count;
    probe_cipher(cipher);
    EVP_CIPHER_free(cipher);
}

/* Loads the module with the core `name` and runs all that it offers. */
static void probe_module(const char *folder, char *name)
{
    char *colon = strchr(name, ':');
    need(colon != NULL, "an argument that isn't core:batch");
    *colon = 0;
    core_name = name;
    batch = strtoul(colon + 1, NULL, 10);
    begin_core();
    library = OSSL_LIB_CTX_new();
    need(setenv("CTAES_CORE", core_name, 1) == 0 && library != NULL &&
             OSSL_PROVIDER_set_default_search_path(library, folder),
         "a library context");
    OSSL_PROVIDER *provider = OSSL_PROVIDER_load(library, "ctaes");
    need(provider != NULL, "loading the module");

    const char *core = NULL;
    OSSL_PARAM ask[] = {OSSL_PARAM_utf8_ptr("core", &core, 0), OSSL_PARAM_END};
    need(OSSL_PROVIDER_get_params(provider, ask) && core != NULL && strcmp(core, core_name) == 0,
         "another core than the one asked for has been loaded");

    unsigned count = 0;
    EVP_CIPHER_do_all_provided(library, visit_cipher, &count);
    need(count > 0, "the module offers no algorithm");
    count = 0;
    EVP_MAC_do_all_provided(library, visit_mac, &count);
    need(count > 0, "the module offers no MAC");
    OSSL_PROVIDER_unload(provider);
    OSSL_LIB_CTX_free(library);
    end_core(core_name);
}

int main(int argc, char **argv)
{
    const int first = read_options(argc, argv);
    if (argc < first + 3) {
        printf("usage: evp [--sample | --small-sample] folder clean|leaky|leaky-glue|unmarking "
               "core:batch...\n");
        return 2;
    }
    control_glue = strcmp(argv[first + 1], "leaky-glue") == 0;
    start_harness(strcmp(argv[first + 1], "leaky") == 0       ? EXPECT_REPORTS
                  : strcmp(argv[first + 1], "unmarking") == 0 ? EXPECT_PUBLIC
                                                              : EXPECT_CLEAN);
    for (int i = first + 2; i < argc; i++)
        probe_module(argv[first], argv[i]);
    return finish_harness();
}
