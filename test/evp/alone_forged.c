/* SPDX-License-Identifier: Apache-2.0 */
/*
 * After a message that isn't authentic, no final may say that it is: whatever parameters are set
 * in between, alone and in pairs, the context copied or not. Only a key or an IV begins anew.
 *
 * The parameters are those that the cipher lists, so that a new one is tried by itself.
 */
#include "evp.h"

#include <stdlib.h>
#include <string.h>

enum { LEN = 37, MAX_SETTINGS = 128 };

static const uint8_t key[64] = "ctaes: a key of 64 bytes, for messages that somebody has forged";
static const uint8_t nonce[16] = "and a nonce     ";
static const uint8_t wrong_tag[16] = "no tag for that";

struct setting {
    OSSL_PARAM params[2];
    union {
        unsigned int u;
        size_t size;
        uint8_t octets[64];
    } value;
};

static struct setting settings[MAX_SETTINGS];
static size_t nsettings;

static struct setting *add_setting(const OSSL_PARAM *listed)
{
    if (nsettings == MAX_SETTINGS)
        abort();
    struct setting *s = &settings[nsettings++];
    memset(s, 0, sizeof *s);
    s->params[0] = *listed;
    s->params[0].data = &s->value;
    s->params[1] = OSSL_PARAM_construct_end();
    return s;
}

/* Numbers and lengths that some cipher takes, and some that none does. */
static void list_settings(const EVP_CIPHER *cipher)
{
    static const unsigned int numbers[] = {0, 1, 2, 4, 7, 8, 12, 13, 15, 16, 24, 32, 48, 64};
    nsettings = 0;
    for (const OSSL_PARAM *p = EVP_CIPHER_settable_ctx_params(cipher); p->key != NULL; p++) {
        for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
            struct setting *s = add_setting(p);
            if (p->data_type != OSSL_PARAM_UNSIGNED_INTEGER) {
                memcpy(s->value.octets, wrong_tag, sizeof wrong_tag);
                s->params[0].data_size = numbers[i];
                if (i % 2 == 0) /* what sets only a length, where that is possible */
                    s->params[0].data = NULL;
            } else if (p->data_size == sizeof s->value.size) {
                s->value.size = numbers[i];
            } else {
                s->value.u = numbers[i];
                s->params[0].data_size = sizeof s->value.u;
            }
        }
    }
}

/* A context that has refused a message. */
static EVP_CIPHER_CTX *refuse(const struct algorithm *a)
{
    uint8_t tag[16], out[LEN + 16];
    int n;
    EVP_CIPHER_CTX *ctx = new_ctx();
    memcpy(tag, wrong_tag, sizeof tag);
    const bool good =
        EVP_CipherInit_ex2(ctx, a->cipher[SUBJECT], key, nonce, 0, NULL) == 1 &&
        EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, has_mode(a, CCM) ? 12 : 16, tag) == 1;
    if (!good)
        abort();
    const bool updated = EVP_CipherUpdate(ctx, out, &n, base_tape, LEN) == 1;
    const bool final = EVP_CipherFinal_ex(ctx, out, &n) == 1;
    check(!final && (updated || has_mode(a, CCM | SIVS)), "%s: a forged message", a->name);
    return ctx;
}

/* Whether the context says of its message that it is authentic; it is freed. */
static bool accepts(EVP_CIPHER_CTX *ctx)
{
    uint8_t out[32];
    int n;
    EVP_CIPHER_CTX *one_shot = new_ctx();
    bool accepted =
        EVP_CIPHER_CTX_copy(one_shot, ctx) == 1 && EVP_Cipher(one_shot, out, NULL, 0) > 0;
    accepted = EVP_CipherFinal_ex(ctx, out, &n) == 1 || accepted;
    EVP_CIPHER_CTX_free(one_shot);
    EVP_CIPHER_CTX_free(ctx);
    return accepted;
}

static void check_forgery(const struct algorithm *a)
{
    EVP_CIPHER_CTX *refused = refuse(a);
    unsigned tried = 0, accepted = 0;
    list_settings(a->cipher[SUBJECT]);
    for (size_t i = 0; i < nsettings; i++) {
        for (size_t k = 0; k < nsettings; k++) {
            EVP_CIPHER_CTX *ctx = new_ctx();
            if (EVP_CIPHER_CTX_copy(ctx, refused) != 1)
                abort();
            (void)EVP_CIPHER_CTX_set_params(ctx, settings[i].params);
            if (i != k)
                (void)EVP_CIPHER_CTX_set_params(ctx, settings[k].params);
            tried++;
            if (accepts(ctx) && accepted++ < 5)
                printf("  %s: accepted after %s (%zu bytes) and %s (%zu bytes)\n", a->name,
                       settings[i].params[0].key, settings[i].params[0].data_size,
                       settings[k].params[0].key, settings[k].params[0].data_size);
        }
    }
    check(accepted == 0 && tried > 0, "%s: a forgery was accepted after %u of %u settings", a->name,
          accepted, tried);
    check(accepts(refused) == false, "%s: a forgery was accepted in the end", a->name);
    ERR_clear_error();
}

void run_forged_alone(void)
{
    for (size_t i = 0; i < nalgorithms + nlone_algorithms; i++) {
        const struct algorithm *a =
            i < nalgorithms ? &algorithms[i] : &lone_algorithms[i - nalgorithms];
        if (has_mode(a, GCM | CCM | OCB | SIVS))
            check_forgery(a);
    }
}
