/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CCM and OCB of ctaes where the default provider is no measure: each difference
 * that is on purpose, with what is right there.
 */
#include "evp.h"

#include <openssl/proverr.h>

#include <stdlib.h>
#include <string.h>

static const uint8_t key[32] = "ctaes: a key for the tests alone";
static const uint8_t nonce[16] = "and a nonce     ";

/* A context with the mode's usual lengths: an IV of 12 bytes, a tag of 16. */
static EVP_CIPHER_CTX *start(const struct algorithm *a, int side, int enc, bool with_iv)
{
    EVP_CIPHER_CTX *ctx = new_ctx();
    if (!EVP_CipherInit_ex2(ctx, a->cipher[side], NULL, NULL, enc, NULL) ||
        !EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL) ||
        !EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, NULL) ||
        !EVP_CipherInit_ex2(ctx, NULL, key, with_iv ? nonce : NULL, enc, NULL))
        abort();
    return ctx;
}

static bool update(EVP_CIPHER_CTX *ctx, uint8_t *out, const uint8_t *in, size_t len)
{
    int n = -1;
    return EVP_CipherUpdate(ctx, out, &n, in, (int)len) == 1;
}

static bool finish(EVP_CIPHER_CTX *ctx, uint8_t *out, int *n)
{
    *n = -1;
    return EVP_CipherFinal_ex(ctx, out, n) == 1;
}

static bool get_tag(EVP_CIPHER_CTX *ctx, uint8_t tag[16])
{
    return EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1;
}

static bool set_tag(EVP_CIPHER_CTX *ctx, uint8_t tag[16])
{
    return EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, tag) == 1;
}

static bool is_untouched(const uint8_t *p, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (p[i] != CANARY)
            return false;
    return true;
}

/* What the reference makes of a message. */
struct sealed {
    uint8_t out[256], tag[16];
};

static struct sealed seal(const struct algorithm *a, size_t aad_len, size_t len)
{
    struct sealed s;
    int n = 0, last;
    EVP_CIPHER_CTX *ctx = start(a, REFERENCE, 1, true);
    memset(&s, 0, sizeof s);
    bool good = !has_mode(a, CCM) || update(ctx, NULL, NULL, len);
    good = good && (aad_len == 0 || update(ctx, NULL, base_aad, aad_len));
    good = good && EVP_CipherUpdate(ctx, s.out, &n, base_tape, (int)len) == 1;
    if (!good || !finish(ctx, s.out + n, &last) || !get_tag(ctx, s.tag))
        abort();
    EVP_CIPHER_CTX_free(ctx);
    return s;
}

/* --- CCM ---------------------------------------------------------------------------------------
 */

/* A message without data: final makes its tag, and checks it. */
static void check_empty_ccm(const struct algorithm *a)
{
    for (int aad_len = 0; aad_len < 40; aad_len += 13) {
        for (int one_shot = 0; one_shot < 2; one_shot++) {
            struct sealed want = seal(a, (size_t)aad_len, 0);
            uint8_t tag[16] = {0}, out[16];
            int n;
            EVP_CIPHER_CTX *ctx = start(a, SUBJECT, 1, true);
            bool good = aad_len == 0 || (update(ctx, NULL, NULL, 0) &&
                                         update(ctx, NULL, base_aad, (size_t)aad_len));
            good = good && (one_shot ? EVP_Cipher(ctx, NULL, NULL, 0) == 0 : finish(ctx, out, &n));
            check(good && get_tag(ctx, tag) && memcmp(tag, want.tag, 16) == 0,
                  "%s: the tag of an empty message, AAD of %d", a->name, aad_len);
            EVP_CIPHER_CTX_free(ctx);

            for (int forged = 0; forged < 2; forged++) {
                want.tag[5] ^= (uint8_t)(forged << 3);
                ctx = start(a, SUBJECT, 0, true);
                good = set_tag(ctx, want.tag);
                good = good && (aad_len == 0 || (update(ctx, NULL, NULL, 0) &&
                                                 update(ctx, NULL, base_aad, (size_t)aad_len)));
                const bool passed =
                    one_shot ? EVP_Cipher(ctx, NULL, NULL, 0) >= 0 : finish(ctx, out, &n);
                check(good && passed == !forged && finish(ctx, out, &n) == !forged,
                      "%s: %s tag of an empty message, AAD of %d", a->name,
                      forged ? "a forged" : "the", aad_len);
                EVP_CIPHER_CTX_free(ctx);
            }
        }
    }
    /* No tag to compare with, or data announced that doesn't come. */
    uint8_t out[16], tag[16] = {0};
    int n;
    EVP_CIPHER_CTX *ctx = start(a, SUBJECT, 0, true);
    check(!finish(ctx, out, &n), "%s: a final without a tag", a->name);
    check(set_tag(ctx, tag) && update(ctx, NULL, NULL, 5) && !finish(ctx, out, &n),
          "%s: a final without the data", a->name);
    EVP_CIPHER_CTX_free(ctx);
    ERR_clear_error();
}

/* What must fail, and leave no output, in a context that has encrypted 20 bytes. */
static void check_second_message(const struct algorithm *a)
{
    uint8_t out[64], tag[16];
    for (int fetched = 0; fetched < 2; fetched++) {
        EVP_CIPHER_CTX *ctx = start(a, SUBJECT, 1, true);
        bool good = update(ctx, out, base_tape, 20) && (!fetched || get_tag(ctx, tag));
        memset(out, CANARY, sizeof out);
        check(good && !update(ctx, NULL, NULL, 20) && !update(ctx, NULL, base_aad, 5) &&
                  !update(ctx, out, base_tape, 20) && EVP_Cipher(ctx, out, base_tape, 20) < 0 &&
                  is_untouched(out, sizeof out),
              "%s: data after the message's data", a->name);
        check(EVP_CipherInit_ex2(ctx, NULL, key, NULL, 1, NULL) == 1 &&
                  !update(ctx, out, base_tape, 20) && is_untouched(out, sizeof out),
              "%s: a key, and the old IV again", a->name);
        /* A new IV is a new message, whatever the old one left. */
        struct sealed want = seal(a, 0, 33);
        check(EVP_CipherInit_ex2(ctx, NULL, NULL, nonce, 1, NULL) == 1 &&
                  update(ctx, out, base_tape, 33) && memcmp(out, want.out, 33) == 0 &&
                  get_tag(ctx, tag) && memcmp(tag, want.tag, 16) == 0,
              "%s: a new IV after that", a->name);
        EVP_CIPHER_CTX_free(ctx);
    }
    ERR_clear_error();
}

/* AAD is one piece, and nothing changes the length after it. A length that the data doesn't have
   is refused, and can be put right. */
static void check_ccm_order(const struct algorithm *a)
{
    uint8_t out[64], tag[16];
    struct sealed want = seal(a, 13, 33);
    EVP_CIPHER_CTX *ctx = start(a, SUBJECT, 1, true);
    memset(out, CANARY, sizeof out);
    check(update(ctx, NULL, NULL, 32) && !update(ctx, out, base_tape, 33) &&
              update(ctx, NULL, NULL, 33) && update(ctx, NULL, base_aad, 13) &&
              !update(ctx, NULL, base_aad, 13) && !update(ctx, NULL, NULL, 33) &&
              !update(ctx, out, base_tape, 32) && is_untouched(out, sizeof out),
          "%s: lengths and AAD out of order", a->name);
    check(update(ctx, out, base_tape, 33) && memcmp(out, want.out, 33) == 0 && get_tag(ctx, tag) &&
              memcmp(tag, want.tag, 16) == 0,
          "%s: the message after that", a->name);
    EVP_CIPHER_CTX_free(ctx);

    /* An IV that got longer after the key: of this, 12 bytes would count. */
    ctx = start(a, SUBJECT, 1, false);
    check(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, 13, NULL) == 1 &&
              EVP_CipherInit_ex2(ctx, NULL, NULL, nonce, 1, NULL) == 1 &&
              !update(ctx, out, base_tape, 5) && !update(ctx, NULL, NULL, 5),
          "%s: an IV longer than when the key came", a->name);
    EVP_CIPHER_CTX_free(ctx);
    ERR_clear_error();
}

/* Nothing that isn't authentic comes out, in silence. */
static void check_ccm_forgery(const struct algorithm *a)
{
    uint8_t out[64];
    struct sealed s = seal(a, 0, 33);
    for (int in_place = 0; in_place < 2; in_place++) {
        EVP_CIPHER_CTX *ctx = start(a, SUBJECT, 0, true);
        s.tag[3] ^= 1;
        memset(out, CANARY, sizeof out);
        memcpy(out, s.out, in_place ? 33 : 0);
        bool good = set_tag(ctx, s.tag) && !update(ctx, out, in_place ? out : s.out, 33);
        for (int i = 0; i < 33; i++)
            good = good && out[i] == 0;
        check(good && is_untouched(out + 33, sizeof out - 33), "%s: the output of a forgery",
              a->name);
        ERR_clear_error();
        s.tag[3] ^= 1;
        check(set_tag(ctx, s.tag) && !update(ctx, out, s.out, 33), "%s: data after a forgery",
              a->name);
        check(EVP_CipherInit_ex2(ctx, NULL, NULL, nonce, 0, NULL) == 1 && set_tag(ctx, s.tag) &&
                  update(ctx, out, s.out, 33) && memcmp(out, base_tape, 33) == 0,
              "%s: the genuine message after a forgery", a->name);
        EVP_CIPHER_CTX_free(ctx);
    }
    ERR_clear_error();
}

/* Each TLS record needs its own AAD, which has its number, and an IV that has room for it. */
static void check_ccm_records(const struct algorithm *a)
{
    uint8_t fixed[4] = {1, 2, 3, 4}, aad[13] = {[7] = 9, [12] = 20 + 8}, record[64], first[64];
    int n = 0;
    EVP_CIPHER_CTX *ctx = start(a, SUBJECT, 1, false);
    memset(record, 7, sizeof record);
    bool good = EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_CCM_SET_IV_FIXED, 4, fixed) == 1 &&
                EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_TLS1_AAD, 13, aad) == 16 &&
                EVP_CipherUpdate(ctx, record, &n, record, 44) == 1 && n == 44;
    check(good && memcmp(record, aad, 8) == 0, "%s: a TLS record", a->name);
    memcpy(first, record, sizeof record);
    check(EVP_CipherUpdate(ctx, record, &n, record, 44) == 0 &&
              memcmp(first, record, sizeof record) == 0 && !finish(ctx, record, &n),
          "%s: a second TLS record under the same number", a->name);
    EVP_CIPHER_CTX_free(ctx);

    ctx = new_ctx();
    if (!EVP_CipherInit_ex2(ctx, a->cipher[SUBJECT], key, NULL, 1, NULL))
        abort();
    check(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_CCM_SET_IV_FIXED, 4, fixed) == 1 &&
              EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_TLS1_AAD, 13, aad) == 12 &&
              EVP_CipherUpdate(ctx, record, &n, record, 40) == 0 &&
              memcmp(first, record, sizeof record) == 0,
          "%s: a TLS record with an IV of 7 bytes", a->name);
    EVP_CIPHER_CTX_free(ctx);
    ERR_clear_error();
}

/* What makes default read or write through NULL, or beyond its buffers. */
static void check_ccm_bounds(const struct algorithm *a)
{
    uint8_t out[200], iv[16] = {0}, tag[16];
    EVP_CIPHER_CTX *ctx = start(a, SUBJECT, 1, true);
    memset(out, CANARY, sizeof out);
    check(EVP_CIPHER_CTX_get_updated_iv(ctx, out, 100) == 1 && memcmp(out, nonce, 12) == 0 &&
              is_untouched(out + 16, sizeof out - 16),
          "%s: an IV with room for 100 bytes", a->name);
    check(update(ctx, out, base_tape, 20) &&
              EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, NULL) == 0 && get_tag(ctx, tag),
          "%s: a tag to NULL", a->name);
    ERR_clear_error();
    OSSL_PARAM params[2] = {OSSL_PARAM_construct_octet_string("tlsaad", NULL, 13), OSSL_PARAM_END};
    check(EVP_CIPHER_CTX_set_params(ctx, params) == 0 &&
              ERR_GET_REASON(ERR_get_error()) == PROV_R_INVALID_DATA,
          "%s: tlsaad NULL", a->name);
    params[0] = OSSL_PARAM_construct_octet_string("tlsivfixed", NULL, 4);
    check(EVP_CIPHER_CTX_set_params(ctx, params) == 0 &&
              ERR_GET_REASON(ERR_get_error()) == PROV_R_FAILED_TO_GET_PARAMETER,
          "%s: tlsivfixed NULL", a->name);
    EVP_CIPHER_CTX_free(ctx);

    /* Negative lengths, in every place that takes one; then the message as if nothing had been. */
    struct sealed want = seal(a, 13, 33);
    ctx = start(a, SUBJECT, 1, true);
    bool good = true;
    int n;
    for (int len = -1; len >= -40; len--)
        good = good && EVP_CipherUpdate(ctx, out, &n, base_tape, len) == 0;
    good = good && update(ctx, NULL, NULL, 33);
    for (int len = -1; len >= -40; len--)
        good = good && EVP_CipherUpdate(ctx, NULL, &n, base_aad, len) == 0 &&
               EVP_CipherUpdate(ctx, NULL, &n, NULL, len) == 0 &&
               EVP_CipherUpdate(ctx, out, &n, base_tape, len) == 0;
    check(good && update(ctx, NULL, base_aad, 13) && update(ctx, out, base_tape, 33) &&
              memcmp(out, want.out, 33) == 0 && get_tag(ctx, iv) && memcmp(iv, want.tag, 16) == 0,
          "%s: negative lengths", a->name);
    EVP_CIPHER_CTX_free(ctx);
    ERR_clear_error();
}

/* A tag set for decryption isn't handed out as one that was made. */
static void check_ccm_direction(const struct algorithm *a)
{
    uint8_t out[64], tag[16] = {0};
    struct sealed want = seal(a, 0, 33);
    EVP_CIPHER_CTX *ctx = start(a, SUBJECT, 0, true);
    check(set_tag(ctx, want.tag) && EVP_CipherInit_ex2(ctx, NULL, NULL, nonce, 1, NULL) == 1 &&
              !get_tag(ctx, tag) && update(ctx, out, base_tape, 33) &&
              memcmp(out, want.out, 33) == 0 && get_tag(ctx, tag) && memcmp(tag, want.tag, 16) == 0,
          "%s: from decryption to encryption without a key", a->name);
    check(EVP_CipherInit_ex2(ctx, NULL, NULL, nonce, 0, NULL) == 1 && set_tag(ctx, tag) &&
              update(ctx, out, want.out, 33) && memcmp(out, base_tape, 33) == 0,
          "%s: and back", a->name);
    EVP_CIPHER_CTX_free(ctx);
    ERR_clear_error();
}

/* --- OCB ---------------------------------------------------------------------------------------
 */

/* EVP_Cipher uses the IV, takes an end that doesn't fill a block, in place too, and is a final
   that checks the tag. */
static void check_ocb_one_shot(const struct algorithm *a)
{
    for (size_t len = 0; len < 100; len += 11) {
        struct sealed want = seal(a, 13, len);
        uint8_t out[128], tag[16];
        int n;
        EVP_CIPHER_CTX *ctx = start(a, SUBJECT, 1, true);
        memcpy(out, base_tape, len);
        bool good = EVP_Cipher(ctx, NULL, base_aad, 13) == 13 &&
                    EVP_Cipher(ctx, out, out, (unsigned)len) == (int)len;
        good = good && (len % 2 != 0 ? EVP_Cipher(ctx, NULL, NULL, 0) == 0 : finish(ctx, NULL, &n));
        check(good && get_tag(ctx, tag) && memcmp(out, want.out, len) == 0 &&
                  memcmp(tag, want.tag, 16) == 0,
              "%s: EVP_Cipher of %zu bytes", a->name, len);
        check(EVP_Cipher(ctx, out, out, 16) < 0 && EVP_Cipher(ctx, NULL, base_aad, 5) < 0,
              "%s: EVP_Cipher after the end", a->name);
        EVP_CIPHER_CTX_free(ctx);

        for (int forged = 0; forged < 2; forged++) {
            want.tag[9] ^= (uint8_t)forged;
            ctx = start(a, SUBJECT, 0, true);
            good = set_tag(ctx, want.tag) && EVP_Cipher(ctx, NULL, base_aad, 13) == 13 &&
                   EVP_Cipher(ctx, out, want.out, (unsigned)len) == (int)len &&
                   memcmp(out, base_tape, len) == 0;
            check(good && EVP_Cipher(ctx, NULL, NULL, 0) == -forged, "%s: EVP_Cipher, %s tag",
                  a->name, forged ? "a forged" : "the");
            EVP_CIPHER_CTX_free(ctx);
        }
    }
    /* Without a key, without an IV, and past data that waits. */
    uint8_t out[64];
    EVP_CIPHER_CTX *ctx = new_ctx();
    memset(out, CANARY, sizeof out);
    check(EVP_CipherInit_ex2(ctx, a->cipher[SUBJECT], NULL, nonce, 1, NULL) == 1 &&
              EVP_Cipher(ctx, out, base_tape, 16) < 0,
          "%s: EVP_Cipher without a key", a->name);
    EVP_CIPHER_CTX_free(ctx);
    ctx = start(a, SUBJECT, 1, false);
    check(EVP_Cipher(ctx, out, base_tape, 16) < 0 && EVP_Cipher(ctx, NULL, NULL, 0) < 0,
          "%s: EVP_Cipher without an IV", a->name);
    EVP_CIPHER_CTX_free(ctx);
    ctx = start(a, SUBJECT, 1, true);
    check(update(ctx, out, base_tape, 5) && EVP_Cipher(ctx, out, base_tape, 16) < 0 &&
              is_untouched(out, sizeof out),
          "%s: EVP_Cipher past data that waits", a->name);
    EVP_CIPHER_CTX_free(ctx);
    ctx = start(a, SUBJECT, 1, true);
    check(EVP_Cipher(ctx, out, base_tape, 17) == 17 && !update(ctx, out, base_tape, 16),
          "%s: data after an end that doesn't fill a block", a->name);
    EVP_CIPHER_CTX_free(ctx);
    ERR_clear_error();
}

/* The end of a forgery doesn't come out, nor anything after it. */
static void check_ocb_forgery(const struct algorithm *a)
{
    uint8_t out[64];
    int n;
    struct sealed s = seal(a, 0, 37);
    EVP_CIPHER_CTX *ctx = start(a, SUBJECT, 0, true);
    s.tag[3] ^= 1;
    bool good = set_tag(ctx, s.tag) && update(ctx, out, s.out, 37);
    memset(out, CANARY, sizeof out);
    check(good && !finish(ctx, out, &n) && ERR_peek_error() == 0 && is_untouched(out, sizeof out),
          "%s: the end of a forgery", a->name);
    s.tag[3] ^= 1;
    check(set_tag(ctx, s.tag) && !finish(ctx, out, &n) && !update(ctx, out, s.out, 16) &&
              is_untouched(out, sizeof out),
          "%s: data after a forgery", a->name);
    EVP_CIPHER_CTX_free(ctx);

    /* A key alone in the middle of a message: default goes on with an offset of zero. */
    ctx = start(a, SUBJECT, 1, true);
    good =
        update(ctx, out, base_tape, 16) && EVP_CipherInit_ex2(ctx, NULL, key, NULL, 1, NULL) == 1;
    memset(out, CANARY, sizeof out);
    check(good && !update(ctx, out, base_tape, 16) && !finish(ctx, out, &n) &&
              is_untouched(out, sizeof out),
          "%s: a key in the middle of a message", a->name);
    EVP_CIPHER_CTX_free(ctx);

    /* No room for the end, no tag, no place for it. */
    ctx = start(a, SUBJECT, 1, true);
    uint8_t tag[16];
    check(update(ctx, out, base_tape, 5) && !finish(ctx, NULL, &n) && finish(ctx, out, &n) &&
              n == 5 && EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, NULL) == 0 &&
              get_tag(ctx, tag),
          "%s: final and tag to NULL", a->name);
    EVP_CIPHER_CTX_free(ctx);
    ctx = start(a, SUBJECT, 1, true);
    check(update(ctx, out, base_tape, 5) &&
              EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 0, NULL) == 1 &&
              !finish(ctx, out, &n) &&
              EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, NULL) == 1 &&
              finish(ctx, out, &n) && n == 5 && get_tag(ctx, tag) &&
              memcmp(tag, seal(a, 0, 5).tag, 16) == 0,
          "%s: final with a tag of no bytes, and again", a->name);
    EVP_CIPHER_CTX_free(ctx);
    ERR_clear_error();
}

/* In place while a part of a block waits, and after a change of direction without a key. */
static void check_ocb_in_place(const struct algorithm *a)
{
    for (size_t held = 1; held < 16; held += 4) {
        for (size_t len = 1; len < 200; len += 13) {
            struct sealed want = seal(a, 0, held + len);
            uint8_t out[256], rest[256];
            int n = 0, more = 0, last = 0;
            EVP_CIPHER_CTX *ctx = start(a, SUBJECT, 0, false);
            bool good = EVP_CipherInit_ex2(ctx, NULL, NULL, nonce, 1, NULL) == 1 &&
                        EVP_CipherUpdate(ctx, out, &n, base_tape, (int)held) == 1;
            memcpy(rest, base_tape + held, len);
            good = good && EVP_CipherUpdate(ctx, rest, &more, rest, (int)len) == 1;
            memcpy(out + n, rest, (size_t)more);
            good = good && finish(ctx, out + n + more, &last);
            check(good && (size_t)(n + more + last) == held + len &&
                      memcmp(out, want.out, held + len) == 0,
                  "%s: %zu bytes in place, %zu waiting", a->name, len, held);
            good = EVP_CipherInit_ex2(ctx, NULL, NULL, nonce, 0, NULL) == 1 &&
                   set_tag(ctx, want.tag) &&
                   EVP_CipherUpdate(ctx, out, &n, out, (int)(held + len)) == 1 &&
                   finish(ctx, out + n, &last);
            check(good && memcmp(out, base_tape, held + len) == 0, "%s: and back", a->name);
            EVP_CIPHER_CTX_free(ctx);
        }
    }
    ERR_clear_error();
}

void run_whole_alone(const struct algorithm *a)
{
    if (has_mode(a, CCM)) {
        check_empty_ccm(a);
        check_second_message(a);
        check_ccm_order(a);
        check_ccm_forgery(a);
        check_ccm_records(a);
        check_ccm_bounds(a);
        check_ccm_direction(a);
    }
    if (has_mode(a, OCB)) {
        check_ocb_one_shot(a);
        check_ocb_forgery(a);
        check_ocb_in_place(a);
    }
}
