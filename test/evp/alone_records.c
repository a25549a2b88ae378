/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLS records in CBC mode on ctaes alone: copies of a context that has a MAC, which
 * default frees twice; MACs that are really random; and lengths for which default
 * reads out of bounds.
 */
#include "evp.h"

#include <openssl/proverr.h>

#include <stdlib.h>
#include <string.h>

enum { RECORD = 80, MAC = 20, TLS1 = 0x301, TLS1_2 = 0x303 };

static const uint8_t key[32] = "ctaes: a key for the tests alone";
static const uint8_t iv[16] = "and an IV of 16";

static void set_records(EVP_CIPHER_CTX *ctx, unsigned version, size_t mac_size)
{
    OSSL_PARAM params[3] = {OSSL_PARAM_construct_uint("tls-version", &version),
                            OSSL_PARAM_construct_size_t("tls-mac-size", &mac_size), OSSL_PARAM_END};
    if (EVP_CIPHER_CTX_set_params(ctx, params) != 1)
        abort();
}

static EVP_CIPHER_CTX *start(const struct algorithm *a, unsigned version, size_t mac_size)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    if (ctx == NULL || !EVP_CipherInit_ex2(ctx, a->cipher[SUBJECT], key, iv, 0, NULL))
        abort();
    set_records(ctx, version, mac_size);
    return ctx;
}

/* Makes an encrypted record for the default provider's key and IV: the tape, with padding of value
   n at the end, of which the last but one byte is changed if it is to be bad. */
static void make_record(const struct algorithm *a, uint8_t record[RECORD], uint8_t n, bool bad)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    int len;

    memcpy(record, base_tape, RECORD);
    memset(record + RECORD - 1 - n, n, n + 1U);
    record[RECORD - 2] ^= bad;
    if (ctx == NULL || !EVP_CipherInit_ex2(ctx, a->cipher[REFERENCE], key, iv, 1, NULL) ||
        !EVP_CIPHER_CTX_set_padding(ctx, 0) || !EVP_CipherUpdate(ctx, record, &len, record, RECORD))
        abort();
    EVP_CIPHER_CTX_free(ctx);
}

/* Returns the pointer that the context hands out. */
static const uint8_t *mac_of(EVP_CIPHER_CTX *ctx)
{
    void *mac = NULL;
    OSSL_PARAM params[2] = {OSSL_PARAM_construct_octet_ptr("tls-mac", &mac, 0), OSSL_PARAM_END};
    return EVP_CIPHER_CTX_get_params(ctx, params) == 1 ? mac : NULL;
}

static bool open_record(EVP_CIPHER_CTX *ctx, const uint8_t record[RECORD], uint8_t out[RECORD],
                        int *len)
{
    memcpy(out, record, RECORD);
    *len = -1;
    return EVP_CipherUpdate(ctx, out, len, out, RECORD) == 1;
}

/* A copy has a MAC of its own, and either may be freed first. */
static void check_copies(const struct algorithm *a)
{
    uint8_t record[RECORD], out[RECORD], mac[MAC];
    int len;

    make_record(a, record, 7, false);
    for (int original_first = 0; original_first < 2; original_first++) {
        EVP_CIPHER_CTX *ctx = start(a, TLS1, MAC), *copy = EVP_CIPHER_CTX_new();
        bool good = open_record(ctx, record, out, &len) && len == RECORD - 8 - MAC &&
                    copy != NULL && EVP_CIPHER_CTX_copy(copy, ctx) == 1;
        const uint8_t *p = mac_of(ctx), *q = mac_of(copy);
        good = good && p != NULL && q != NULL && p != q && memcmp(p, base_tape + len, MAC) == 0 &&
               memcmp(q, p, MAC) == 0;
        check(good, "%s: a copy after a record", a->name);
        if (q != NULL)
            memcpy(mac, q, MAC);

        /* The next record of one is nothing to the other. */
        check(open_record(ctx, record, out, &len), "%s: the original goes on", a->name);
        q = mac_of(copy);
        check(q != NULL && memcmp(q, mac, MAC) == 0, "%s: the copy's MAC stays", a->name);
        EVP_CIPHER_CTX_free(original_first ? ctx : copy);
        EVP_CIPHER_CTX *left = original_first ? copy : ctx;
        check(open_record(left, record, out, &len) && mac_of(left) != NULL,
              "%s: one goes on when the other is freed", a->name);
        EVP_CIPHER_CTX_free(left);
    }
}

/* Bad padding gives another MAC each time, and else what a record without padding gives. */
static void check_random_macs(const struct algorithm *a)
{
    uint8_t record[RECORD], out[4][RECORD], macs[4][MAC];
    int len;

    randomness = RANDOM_REAL;
    for (int bad = 0; bad < 2; bad++) {
        make_record(a, record, 7, bad);
        int expected = RECORD - (bad ? 0 : 8) - MAC;
        for (int i = 0; i < 4; i++) {
            EVP_CIPHER_CTX *ctx = start(a, TLS1, MAC);
            getrandom_calls = 0;
            bool good = open_record(ctx, record, out[i], &len) && len == expected &&
                        mac_of(ctx) != NULL && getrandom_calls > 0;
            check(good, "%s: a record, %s padding: %d bytes", a->name, bad ? "bad" : "good", len);
            if (good)
                memcpy(macs[i], mac_of(ctx), MAC);
            EVP_CIPHER_CTX_free(ctx);
        }
        for (int i = 0; i < 4; i++) {
            bool right = memcmp(macs[i], base_tape + expected, MAC) == 0;
            check(bad ? !right : right, "%s: the MAC after %s padding", a->name,
                  bad ? "bad" : "good");
            for (int k = 0; k < i; k++)
                check((memcmp(macs[i], macs[k], MAC) == 0) == !bad &&
                          memcmp(out[i], out[k], RECORD) == 0,
                      "%s: two runs after %s padding", a->name, bad ? "bad" : "good");
        }
    }

    /* Without randomness no record with a MAC is opened, or the good ones would be told. */
    make_record(a, record, 7, false);
    EVP_CIPHER_CTX *ctx = start(a, TLS1, MAC);
    randomness = RANDOM_FAILS;
    bool opened = open_record(ctx, record, out[0], &len);
    check(!opened && ERR_GET_REASON(ERR_get_error()) == PROV_R_CIPHER_OPERATION_FAILED &&
              ERR_peek_error() == 0 && mac_of(ctx) == NULL,
          "%s: a record without randomness", a->name);
    set_records(ctx, TLS1, 0);
    check(EVP_CipherInit_ex2(ctx, NULL, NULL, iv, 0, NULL) == 1 &&
              open_record(ctx, record, out[0], &len) && len == RECORD - 8 && mac_of(ctx) == NULL,
          "%s: encrypt-then-MAC needs no randomness", a->name);
    randomness = RANDOM_KNOWN;
    EVP_CIPHER_CTX_free(ctx);
}

static void check_bounds(const struct algorithm *a)
{
    uint8_t record[RECORD], out[RECORD], *nothing = malloc(1);
    int len = -1;

    if (nothing == NULL)
        abort();
    make_record(a, record, 7, false);
    for (unsigned version = TLS1; version <= TLS1_2; version++) {
        for (size_t mac_size = 0; mac_size <= MAC; mac_size += MAC) {
            EVP_CIPHER_CTX *ctx = start(a, version, mac_size);
            check(EVP_CipherUpdate(ctx, nothing, &len, nothing, 0) == 0 && len == 0 &&
                      ERR_GET_REASON(ERR_get_error()) == PROV_R_CIPHER_OPERATION_FAILED &&
                      ERR_peek_error() == 0,
                  "%s: a record of no bytes, version %x, MAC of %zu", a->name, version, mac_size);
            EVP_CIPHER_CTX_free(ctx);
        }
    }

    /* A MAC is never said to be longer than it is. */
    EVP_CIPHER_CTX *ctx = start(a, TLS1, MAC);
    bool good = open_record(ctx, record, out, &len) && mac_of(ctx) != NULL;
    set_records(ctx, TLS1, MAC + 1);
    good = good && mac_of(ctx) == NULL;
    set_records(ctx, TLS1, SIZE_MAX);
    good = good && mac_of(ctx) == NULL;
    set_records(ctx, TLS1, MAC - 1);
    check(good && mac_of(ctx) != NULL, "%s: another size of the MAC afterwards", a->name);
    EVP_CIPHER_CTX_free(ctx);
    free(nothing);
}

void run_records_alone(void)
{
    for (size_t i = 0; i < nalgorithms; i++) {
        if (!has_mode(&algorithms[i], BLOCK))
            continue;
        ERR_clear_error();
        check_copies(&algorithms[i]);
        check_random_macs(&algorithms[i]);
        check_bounds(&algorithms[i]);
    }
}
