/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SIV and GCM-SIV in ctaes alone: where the default provider is no measure, and
 * GCM-SIV's whole contract, since OpenSSL has it only from 3.2 on. What a
 * message must come to is taken from RFC 8452; everything else is said here.
 */
#include "evp.h"

#include <openssl/proverr.h>

#include <stdlib.h>
#include <string.h>

static const uint8_t key[64] = "a key of 64 bytes, for the tests of what ctaes does all alone..";
static const uint8_t nonce[12] = "a nonce too.";

/* One context, and where its output goes. */
struct siv_test {
    const struct algorithm *alg;
    EVP_CIPHER_CTX *ctx;
    uint8_t out[512];
    int n;
};

/* A call that has to fail, with exactly this error, 0 for none. */
static void refused(struct siv_test *t, int rc, int reason, const char *what)
{
    unsigned long e = ERR_get_error();
    check(rc <= 0 && (reason == 0 ? e == 0
                                  : ERR_GET_LIB(e) == ERR_LIB_PROV && ERR_GET_REASON(e) == reason &&
                                        ERR_peek_error() == 0),
          "%s: %s: returned %d, error %d:%d", t->alg->name, what, rc, ERR_GET_LIB(e),
          ERR_GET_REASON(e));
    ERR_clear_error();
}

static void works(struct siv_test *t, int rc, const char *what)
{
    check(rc == 1 && ERR_peek_error() == 0, "%s: %s: returned %d", t->alg->name, what, rc);
    ERR_clear_error();
}

/* Starts anew, in a new context. */
static void begin(struct siv_test *t, int enc, const uint8_t *k, const uint8_t *iv)
{
    EVP_CIPHER_CTX_free(t->ctx);
    t->ctx = EVP_CIPHER_CTX_new();
    if (t->ctx == NULL)
        abort();
    works(t, EVP_CipherInit_ex2(t->ctx, t->alg->cipher[SUBJECT], k, iv, enc, NULL), "init");
    memset(t->out, CANARY, sizeof t->out);
}

static int init(struct siv_test *t, int enc, const uint8_t *k, const uint8_t *iv)
{
    return EVP_CipherInit_ex2(t->ctx, NULL, k, iv, enc, NULL);
}

static int aad(struct siv_test *t, int len)
{
    return EVP_CipherUpdate(t->ctx, NULL, &t->n, base_aad, len);
}

static int data(struct siv_test *t, const uint8_t *in, int len)
{
    memset(t->out, CANARY, sizeof t->out);
    return EVP_CipherUpdate(t->ctx, t->out, &t->n, in, len);
}

static int final(struct siv_test *t)
{
    uint8_t none[16];
    return EVP_CipherFinal_ex(t->ctx, none, &t->n);
}

static int get_tag(struct siv_test *t, uint8_t tag[16])
{
    return EVP_CIPHER_CTX_ctrl(t->ctx, EVP_CTRL_AEAD_GET_TAG, 16, tag);
}

static int set_tag(struct siv_test *t, const uint8_t tag[16])
{
    uint8_t copy[16];
    memcpy(copy, tag, 16);
    return EVP_CIPHER_CTX_ctrl(t->ctx, EVP_CTRL_AEAD_SET_TAG, 16, copy);
}

/* Whether all of the output, of which len bytes could have been written, has this value. */
static bool output_is(const struct siv_test *t, uint8_t value, int len)
{
    for (int i = 0; i < (int)sizeof t->out; i++) {
        if (t->out[i] != (i < len ? value : CANARY))
            return false;
    }
    return true;
}

/* --- Both modes ------------------------------------------------------------------------------ */

/* Encrypts len bytes with 20 bytes of AAD to out, and leaves the context where it is. */
static void seal(struct siv_test *t, int len, uint8_t *out, uint8_t tag[16])
{
    begin(t, 1, key, nonce);
    works(t, aad(t, 20), "AAD");
    check(t->n == 20, "%s: AAD of 20 bytes: %d", t->alg->name, t->n);
    works(t, data(t, base_tape, len), "data");
    check(t->n == len, "%s: data of %d bytes: %d", t->alg->name, len, t->n);
    if (len > 0)
        memcpy(out, t->out, (size_t)len);
    works(t, final(t), "final");
    check(t->n == 0, "%s: final gives %d", t->alg->name, t->n);
    works(t, get_tag(t, tag), "tag");
}

/* Every bit of tag and ciphertext, AAD too short and too long: no plaintext comes out, no
   error is raised, final fails; then the message itself opens in the same context. */
static void check_forgeries(struct siv_test *t)
{
    uint8_t sealed[40], forged[40], tag[16], bad_tag[16];
    const int reason = openssl_version >= 0x40100000 ? PROV_R_BAD_DECRYPT : 0;
    seal(t, 40, sealed, tag);
    for (int bit = 0; bit < (16 + 40 + 2) * 8; bit += bit < 56 * 8 ? 5 : 1) {
        memcpy(forged, sealed, 40);
        memcpy(bad_tag, tag, 16);
        if (bit < 128)
            bad_tag[bit / 8] ^= (uint8_t)(1 << bit % 8);
        else if (bit < 56 * 8)
            forged[bit / 8 - 16] ^= (uint8_t)(1 << bit % 8);
        begin(t, 0, key, nonce);
        works(t, set_tag(t, bad_tag), "set the tag");
        works(t, aad(t, bit < 56 * 8 ? 20 : bit % 2 ? 19 : 21), "AAD");
        refused(t, data(t, forged, 40), reason, "data of a forgery");
        check(t->n == 0 && output_is(t, 0, 40), "%s: a forgery's output", t->alg->name);
        refused(t, final(t), 0, "final of a forgery");
        refused(t, data(t, sealed, 40), 0, "data after a forgery");
        check(output_is(t, CANARY, 0), "%s: output after a forgery", t->alg->name);
        refused(t, final(t), 0, "final after that");
    }
    works(t, init(t, 0, key, nonce), "init");
    works(t, set_tag(t, tag), "set the tag");
    works(t, aad(t, 20), "AAD");
    works(t, data(t, sealed, 40), "data");
    check(t->n == 40 && memcmp(t->out, base_tape, 40) == 0, "%s: opened", t->alg->name);
    works(t, final(t), "final");
    works(t, final(t), "another final");
}

/* A tag that comes after the data: GCM-SIV's final goes by the last one. */
static void check_tag_after_data(struct siv_test *t)
{
    uint8_t sealed[40], tag[16], other[16];
    seal(t, 40, sealed, tag);
    memcpy(other, tag, 16);
    other[3] ^= 0x20;
    begin(t, 0, key, nonce);
    works(t, set_tag(t, tag), "set the tag");
    works(t, aad(t, 20), "AAD");
    works(t, data(t, sealed, 40), "data");
    works(t, set_tag(t, other), "another tag");
    refused(t, final(t), 0, "final after another tag");
    works(t, set_tag(t, tag), "the right tag again");
    works(t, final(t), "final after it");
    begin(t, 0, key, nonce);
    works(t, set_tag(t, other), "set another tag");
    works(t, aad(t, 20), "AAD");
    check(data(t, sealed, 40) == 0, "%s: data with another tag", t->alg->name);
    ERR_clear_error();
    works(t, set_tag(t, tag), "the right tag, late");
    refused(t, final(t), 0, "final of a message that was refused");
}

/* A message without data, on every version of OpenSSL. */
static void check_empty(struct siv_test *t)
{
    uint8_t tag[16], other[16];
    const int reason = openssl_version >= 0x40100000 ? PROV_R_BAD_DECRYPT : 0;
    seal(t, 0, NULL, tag);
    begin(t, 0, key, nonce);
    works(t, set_tag(t, tag), "set the tag");
    works(t, aad(t, 20), "AAD");
    works(t, data(t, base_tape, 0), "no data");
    works(t, final(t), "final");
    memcpy(other, tag, 16);
    other[15] ^= 1;
    begin(t, 0, key, nonce);
    works(t, set_tag(t, other), "set the tag");
    works(t, aad(t, 20), "AAD");
    refused(t, data(t, base_tape, 0), reason, "no data, forged");
    refused(t, final(t), 0, "final");
    /* An EVP_Cipher of nothing checks the tag, too. */
    begin(t, 0, key, nonce);
    works(t, set_tag(t, other), "set the tag");
    works(t, aad(t, 20), "AAD");
    check(EVP_Cipher(t->ctx, t->out, base_tape, 0) < 0 && EVP_Cipher(t->ctx, NULL, NULL, 0) < 0,
          "%s: EVP_Cipher of a forgery without data", t->alg->name);
    ERR_clear_error();
}

static void check_order(struct siv_test *t)
{
    uint8_t tag[16], again[16], sealed[40];
    seal(t, 40, sealed, tag);
    refused(t, aad(t, 5), PROV_R_INVALID_AAD, "AAD after the data");
    works(t, final(t), "final after that");
    works(t, get_tag(t, again), "tag after that");
    check(memcmp(tag, again, 16) == 0, "%s: the tag has changed", t->alg->name);
    refused(t, data(t, base_tape, 5), 0, "more data");
    check(output_is(t, CANARY, 0), "%s: more data's output", t->alg->name);
    refused(t, final(t), 0, "final after that");

    begin(t, 1, NULL, NULL);
    refused(t, aad(t, 5), PROV_R_NO_KEY_SET, "AAD without a key");
    refused(t, final(t), PROV_R_NO_KEY_SET, "final without a key");
    refused(t, data(t, base_tape, 5), has_mode(t->alg, SIV) ? 0 : PROV_R_NO_KEY_SET,
            "data without a key");
    check(output_is(t, CANARY, 0), "%s: output without a key", t->alg->name);
    EVP_CIPHER_CTX *copy = EVP_CIPHER_CTX_new();
    check(EVP_CIPHER_CTX_copy(copy, t->ctx) == 1, "%s: a copy without a key", t->alg->name);
    EVP_CIPHER_CTX_free(copy);
    for (int len = -1; len > -20; len--) {
        begin(t, 1, key, nonce);
        /* Newer versions' EVP refuses it before the provider is asked. */
        check(data(t, base_tape, len) == 0 && ERR_peek_error() != 0,
              "%s: a negative length was taken", t->alg->name);
        ERR_clear_error();
        check(output_is(t, CANARY, 0), "%s: output of a negative length", t->alg->name);
    }
    OSSL_PARAM params[2] = {OSSL_PARAM_construct_octet_string("tag", NULL, 16), OSSL_PARAM_END};
    begin(t, 0, key, nonce);
    refused(t, EVP_CIPHER_CTX_set_params(t->ctx, params), PROV_R_FAILED_TO_GET_PARAMETER,
            "a tag that is NULL");
}

/* --- GCM-SIV --------------------------------------------------------------------------------- */

static void check_numbers(const struct algorithm *a)
{
    const EVP_CIPHER *c = a->cipher[SUBJECT];
    check(EVP_CIPHER_get_mode(c) == 0x10005 && EVP_CIPHER_get_block_size(c) == 1 &&
              EVP_CIPHER_get_iv_length(c) == 12 &&
              EVP_CIPHER_get_key_length(c) == atoi(a->name + 4) / 8 &&
              EVP_CIPHER_get_flags(c) == 0x310005 + 0x10,
          "%s: mode, sizes or flags %lx", a->name, EVP_CIPHER_get_flags(c));
}

/* RFC 8452 appendix C: a message of each size of key that it has. */
static void check_example(struct siv_test *t)
{
    static const uint8_t rfc_key[32] = {1}, rfc_nonce[12] = {3}, rfc_plain[8] = {1};
    static const uint8_t want128[24] = {0xb5, 0xd8, 0x39, 0x33, 0x0a, 0xc7, 0xb7, 0x86,
                                        0x57, 0x87, 0x82, 0xff, 0xf6, 0x01, 0x3b, 0x81,
                                        0x5b, 0x28, 0x7c, 0x22, 0x49, 0x3a, 0x36, 0x4c};
    static const uint8_t want256[24] = {0xc2, 0xef, 0x32, 0x8e, 0x5c, 0x71, 0xc8, 0x3b,
                                        0x84, 0x31, 0x22, 0x13, 0x0f, 0x73, 0x64, 0xb7,
                                        0x61, 0xe0, 0xb9, 0x74, 0x27, 0xe3, 0xdf, 0x28};
    uint8_t tag[16];
    if (t->alg->key_len == 24)
        return;
    const uint8_t *want = t->alg->key_len == 16 ? want128 : want256;
    begin(t, 1, rfc_key, rfc_nonce);
    works(t, data(t, rfc_plain, 8), "data");
    check(memcmp(t->out, want, 8) == 0, "%s: the RFC's ciphertext", t->alg->name);
    works(t, final(t), "final");
    works(t, get_tag(t, tag), "tag");
    check(memcmp(tag, want + 8, 16) == 0, "%s: the RFC's tag", t->alg->name);
}

/* A nonce encrypts one message; each init starts one. */
static void check_nonces(struct siv_test *t)
{
    uint8_t first[20], tag[16], again[16], sealed[40];
    begin(t, 1, key, NULL);
    refused(t, aad(t, 5), PROV_R_CIPHER_OPERATION_FAILED, "AAD without a nonce");
    refused(t, data(t, base_tape, 5), PROV_R_CIPHER_OPERATION_FAILED, "data without a nonce");
    refused(t, final(t), PROV_R_CIPHER_OPERATION_FAILED, "final without a nonce");
    works(t, init(t, 1, NULL, nonce), "the nonce");
    works(t, data(t, base_tape, 20), "data");
    memcpy(first, t->out, 20);
    works(t, get_tag(t, tag), "tag");

    works(t, init(t, 1, NULL, NULL), "init of nothing");
    refused(t, data(t, base_tape, 20), PROV_R_CIPHER_OPERATION_FAILED, "the nonce again");
    refused(t, final(t), PROV_R_CIPHER_OPERATION_FAILED, "the nonce again, in final");
    refused(t, get_tag(t, again), PROV_R_FAILED_TO_SET_PARAMETER, "no tag");
    works(t, init(t, 1, key, NULL), "init with a key");
    refused(t, aad(t, 20), PROV_R_CIPHER_OPERATION_FAILED, "the nonce again after a key");

    /* The same nonce, given again, and nothing left of the messages before. */
    works(t, init(t, 1, NULL, nonce), "the nonce");
    works(t, aad(t, 20), "AAD");
    works(t, init(t, 1, NULL, nonce), "the nonce");
    works(t, data(t, base_tape, 20), "data");
    works(t, get_tag(t, again), "tag");
    check(memcmp(first, t->out, 20) == 0 && memcmp(tag, again, 16) == 0,
          "%s: another message in the same context", t->alg->name);

    /* Decrypting takes the nonce as often as one likes, but gives none to encrypt with. */
    seal(t, 40, sealed, tag);
    begin(t, 0, key, nonce);
    works(t, set_tag(t, tag), "set the tag");
    for (int i = 0; i < 3; i++) {
        works(t, init(t, 0, NULL, NULL), "init of nothing");
        works(t, aad(t, 20), "AAD");
        works(t, data(t, sealed, 40), "data");
        works(t, final(t), "final");
    }
    works(t, init(t, 1, NULL, NULL), "now encrypting");
    refused(t, data(t, base_tape, 5), PROV_R_CIPHER_OPERATION_FAILED, "the nonce of a message");

    /* No message: no tag. */
    begin(t, 1, key, nonce);
    refused(t, get_tag(t, tag), PROV_R_FAILED_TO_SET_PARAMETER, "a tag before the data");
    works(t, final(t), "final of an empty message");
    works(t, get_tag(t, tag), "its tag");
}

/* Decrypting: nothing before the tag is known, which may come until the data does. */
static void check_late_tag(struct siv_test *t)
{
    uint8_t sealed[40], tag[16];
    seal(t, 40, sealed, tag);
    begin(t, 0, key, nonce);
    works(t, aad(t, 20), "AAD");
    refused(t, data(t, sealed, 40), PROV_R_TAG_NOT_SET, "data before the tag");
    check(output_is(t, CANARY, 0), "%s: output before the tag", t->alg->name);
    works(t, set_tag(t, tag), "set the tag");
    works(t, data(t, sealed, 40), "data");
    check(memcmp(t->out, base_tape, 40) == 0, "%s: opened", t->alg->name);
    works(t, final(t), "final");

    begin(t, 0, key, nonce);
    refused(t, final(t), 0, "final before the tag");
    works(t, set_tag(t, tag), "set the tag");
    refused(t, data(t, sealed, 40), 0, "data after final");
}

/* With `speed`, any number of messages; AAD goes on. In pieces and copied, the same message. */
static void check_speed_and_copies(struct siv_test *t)
{
    uint8_t sealed[40], tag[16], again[16];
    seal(t, 40, sealed, tag);
    begin(t, 1, key, nonce);
    works(t, EVP_CIPHER_CTX_ctrl(t->ctx, EVP_CTRL_SET_SPEED, 1, NULL), "speed");
    works(t, aad(t, 13), "AAD");
    works(t, aad(t, 0), "no AAD");
    EVP_CIPHER_CTX *copy = EVP_CIPHER_CTX_new();
    check(EVP_CIPHER_CTX_copy(copy, t->ctx) == 1, "%s: a copy", t->alg->name);
    EVP_CIPHER_CTX_free(t->ctx);
    t->ctx = copy;
    check(EVP_CipherUpdate(t->ctx, NULL, &t->n, base_aad + 13, 7) == 1, "%s: AAD of the copy",
          t->alg->name);
    for (int i = 0; i < 3; i++) {
        works(t, data(t, base_tape, 40), "data");
        works(t, final(t), "final");
        works(t, get_tag(t, again), "tag");
        check(memcmp(t->out, sealed, 40) == 0 && memcmp(tag, again, 16) == 0,
              "%s: message %d under `speed`", t->alg->name, i);
    }
}

/* Several components, and too many of them. */
static void check_components(struct siv_test *t)
{
    begin(t, 1, key, NULL);
    for (int i = 0; i < 126; i++)
        works(t, aad(t, i), "a component");
    refused(t, aad(t, 0), PROV_R_INVALID_AAD, "the 127th component");
    works(t, data(t, base_tape, 5), "data after that");
    works(t, final(t), "final after that");
}

static void run_both(const struct algorithm *a)
{
    struct siv_test t = {.alg = a};
    ERR_clear_error();
    check_forgeries(&t);
    check_empty(&t);
    check_order(&t);
    if (has_mode(a, GCM_SIV)) {
        check_numbers(a);
        check_example(&t);
        check_nonces(&t);
        check_late_tag(&t);
        check_tag_after_data(&t);
        check_speed_and_copies(&t);
    } else {
        check_components(&t);
    }
    EVP_CIPHER_CTX_free(t.ctx);
}

void run_siv_alone(void)
{
    unsigned gcm_sivs = 0;
    for (size_t i = 0; i < nalgorithms + nlone_algorithms; i++) {
        const struct algorithm *a =
            i < nalgorithms ? &algorithms[i] : &lone_algorithms[i - nalgorithms];
        if (has_mode(a, SIVS))
            run_both(a);
        gcm_sivs += has_mode(a, GCM_SIV);
    }
    for (size_t i = 0; i < nlone_algorithms; i++)
        printf("%s: %s: this default provider has none to compare with\n", core_name,
               lone_algorithms[i].name);
    check(gcm_sivs == 3, "%u algorithms of GCM-SIV", gcm_sivs);
}
