/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps that reach parameters by EVP_CIPHER_CTX_ctrl and by the functions with
 * names; and the probe, which reads all that can be read after each step.
 */
#include "evp.h"

#include <openssl/asn1.h>

#include <stdlib.h>
#include <string.h>

/* --- ctrl --- */

static const struct {
    const char *name;
    int type;
} ctrls[] = {{"init", EVP_CTRL_INIT},
             {"keylen", EVP_CTRL_SET_KEY_LENGTH},
             {"randkey", EVP_CTRL_RAND_KEY},
             {"copy", EVP_CTRL_COPY},
             {"ivlen", EVP_CTRL_AEAD_SET_IVLEN},
             {"gettag", EVP_CTRL_AEAD_GET_TAG},
             {"settag", EVP_CTRL_AEAD_SET_TAG},
             {"ivfixed", EVP_CTRL_AEAD_SET_IV_FIXED},
             {"ivgen", EVP_CTRL_GCM_IV_GEN},
             {"setl", EVP_CTRL_CCM_SET_L},
             {"msglen", EVP_CTRL_CCM_SET_MSGLEN},
             {"tlsaad", EVP_CTRL_AEAD_TLS1_AAD},
             {"mackey", EVP_CTRL_AEAD_SET_MAC_KEY},
             {"ivinv", EVP_CTRL_GCM_SET_IV_INV},
             {"mbmax", EVP_CTRL_TLS1_1_MULTIBLOCK_MAX_BUFSIZE},
             {"getivlen", EVP_CTRL_GET_IVLEN},
             {"speed", EVP_CTRL_SET_SPEED},
             {"unknown", 0x99},
             {NULL, 0}};

bool parse_ctrl(const struct world *w, const struct step *s, int *type, int *arg, uint8_t *data,
                bool *output)
{
    const char *name = is_named(s, "ctrl") ? s->argv[1] : s->argv[0];
    size_t size;

    memset(data, CANARY, ROOM);
    *output = true;
    *type = -1;
    for (size_t i = 0; ctrls[i].name != NULL; i++) {
        if (name != NULL && strcmp(ctrls[i].name, name) == 0)
            *type = ctrls[i].type;
    }
    if (*type == -1)
        bad_argument(name);
    if (is_named(s, "ctrl")) {
        *arg = s->argc > 2 ? (int)strtol(s->argv[2], NULL, 10) : 0;
        if (s->argc <= 3)
            return true;
        *output = false;
        return store_octets(w, data, &size, s->argv[3]);
    }

    /* The short forms: gettag N, settag N, tlsaad LEN [VERSION]. */
    int n = (int)number_at(s, 1);
    *arg = n;
    if (*type == EVP_CTRL_AEAD_SET_TAG) {
        memcpy(data, w->tag, sizeof w->tag);
        *output = false;
    } else if (*type == EVP_CTRL_AEAD_TLS1_AAD) {
        unsigned version = s->argc > 2 ? (unsigned)strtoul(s->argv[2], NULL, 16) : 0x0303;
        const uint8_t aad[13] = {0,
                                 0,
                                 0,
                                 0,
                                 0,
                                 0,
                                 0,
                                 7,
                                 23,
                                 (uint8_t)(version >> 8),
                                 (uint8_t)version,
                                 (uint8_t)(n >> 8),
                                 (uint8_t)n};
        memcpy(data, aad, sizeof aad);
        *arg = sizeof aad;
        *output = false;
    }
    return true;
}

static void run_ctrl(struct world *w, const struct step *s, struct record *r)
{
    int type, arg;
    bool output;
    uint8_t *data = scratch_data(w, 0);
    bool null = !parse_ctrl(w, s, &type, &arg, data, &output);

    int rc = EVP_CIPHER_CTX_ctrl(w->a.ctx, type, arg, null ? NULL : data);
    record_int(r, "rc", rc);
    if (output)
        record_bytes(r, "value", data, ROOM);
    record_errors(r);

    size_t n = arg > 0 ? (arg < 16 ? (size_t)arg : 16) : 0;
    if (rc == 1 && output && type == EVP_CTRL_AEAD_GET_TAG)
        memcpy(w->tag, data, n);
    if (rc == 1 && output && type == EVP_CTRL_GCM_IV_GEN)
        memcpy(w->nonce, data, n);
    if (type == EVP_CTRL_AEAD_TLS1_AAD && arg == 13)
        w->a.facts.tls_aad = true;
    if (rc == 1 && (type == EVP_CTRL_GCM_IV_GEN || type == EVP_CTRL_GCM_SET_IV_INV))
        note_message(w);
    if (rc == 1 && type == EVP_CTRL_AEAD_SET_IV_FIXED && has_mode(w->alg, GCM))
        w->a.facts.bad_tag = w->a.facts.in_message = w->a.facts.rekeyed = false;
}

/* --- functions with names --- */

static void run_named(struct world *w, const struct step *s, struct record *r)
{
    EVP_CIPHER_CTX *ctx = w->a.ctx;
    const char *name = s->argv[0];
    int n = (int)number_at(s, 1);
    uint8_t *data = scratch_data(w, 0);

    memset(data, CANARY, ROOM);
    if (strcmp(name, "pad") == 0) {
        record_int(r, "rc", EVP_CIPHER_CTX_set_padding(ctx, n));
    } else if (strcmp(name, "num") == 0) {
        record_int(r, "rc", EVP_CIPHER_CTX_set_num(ctx, n));
    } else if (strcmp(name, "keylen") == 0) {
        record_int(r, "rc", EVP_CIPHER_CTX_set_key_length(ctx, n));
    } else if (strcmp(name, "uiv") == 0) {
        record_int(r, "rc", EVP_CIPHER_CTX_get_updated_iv(ctx, data, (size_t)n));
        record_bytes(r, "iv", data, ROOM);
    } else if (strcmp(name, "oiv") == 0) {
        record_int(r, "rc", EVP_CIPHER_CTX_get_original_iv(ctx, data, (size_t)n));
        record_bytes(r, "iv", data, ROOM);
    }
    record_errors(r);
}

static void run_info(struct world *w, const struct step *s, struct record *r)
{
    EVP_CIPHER_CTX *ctx = w->a.ctx;
    const EVP_CIPHER *cipher = EVP_CIPHER_CTX_get0_cipher(ctx);
    (void)s;

    record_int(r, "encrypting", EVP_CIPHER_CTX_is_encrypting(ctx));
    record_int(r, "block_size", EVP_CIPHER_CTX_get_block_size(ctx));
    record_int(r, "iv_length", EVP_CIPHER_CTX_get_iv_length(ctx));
    record_int(r, "key_length", EVP_CIPHER_CTX_get_key_length(ctx));
    record_int(r, "tag_length", EVP_CIPHER_CTX_get_tag_length(ctx));
    record_int(r, "num", EVP_CIPHER_CTX_get_num(ctx));
    record_int(r, "nid", EVP_CIPHER_CTX_get_nid(ctx));
    record_int(r, "mode", EVP_CIPHER_get_mode(cipher));
    record_int(r, "no_padding", EVP_CIPHER_CTX_test_flags(ctx, EVP_CIPH_NO_PADDING));
    record_errors(r);
}

static void run_asn1(struct world *w, const struct step *s, struct record *r)
{
    ASN1_TYPE *type = ASN1_TYPE_new();
    if (type == NULL)
        abort();
    if (is_named(s, "toasn1")) {
        record_int(r, "rc", EVP_CIPHER_param_to_asn1(w->a.ctx, type));
        if (ASN1_TYPE_get(type) == V_ASN1_OCTET_STRING) {
            const ASN1_OCTET_STRING *o = type->value.octet_string;
            record_bytes(r, "iv", ASN1_STRING_get0_data(o), (size_t)ASN1_STRING_length(o));
        }
    } else {
        uint8_t iv[256];
        const int len = (int)number_at(s, 1);
        fill_pseudo_random(iv, sizeof iv, 99);
        ASN1_TYPE_set_octetstring(type, iv, len < 0 || len > 255 ? 255 : len);
        int rc = EVP_CIPHER_asn1_to_param(w->a.ctx, type);
        record_int(r, "rc", rc);
        if (rc > 0) { /* it was an init with an IV */
            w->a.facts.pending = 0;
            w->a.facts.bad_padding = false;
            w->produced = w->consumed;
        }
    }
    record_errors(r);
    ASN1_TYPE_free(type);
}

/* --- the probe --- */

void probe_world(struct world *w, struct record *r)
{
    /* Not tlsivgen: to get it changes the state. */
    static const char *const readable[] = {
        "keylen:u8",         "ivlen:u8",        "padding:u4",    "num:u4",    "iv:os/128",
        "updated-iv:os/128", "taglen:u8",       "tlsaadpad:u8",  "tag:os/16", "updated-iv:op/16",
        "tls-mac:op/16",     "iv-generated:u4", "cts_mode:us/16"};
    if (!w->a.facts.has_cipher)
        return;
    for (size_t i = 0; i < sizeof readable / sizeof readable[0]; i++) {
        OSSL_PARAM params[2] = {OSSL_PARAM_END, OSSL_PARAM_END};
        parse_get(w, 0, readable[i], &params[0]);
        /* CCM's IV is read as far as there is room. */
        if (has_mode(w->alg, CCM) && params[0].data_size > 16)
            params[0].data_size = 16;
        if (is_extra_param(params[0].key))
            continue;
        record_text(r, "get", readable[i]);
        record_int(r, "rc", EVP_CIPHER_CTX_get_params(w->a.ctx, params));
        record_param(r, &params[0]);
        record_errors(r);
    }
}

const struct op ops_ctrl[] = {
    {"ctrl", CTRL, run_ctrl, false},    {"gettag", CTRL, run_ctrl, false},
    {"settag", CTRL, run_ctrl, false},  {"tlsaad", CTRL, run_ctrl, false},
    {"pad", OTHER, run_named, false},   {"num", OTHER, run_named, true},
    {"keylen", OTHER, run_named, true}, {"uiv", OTHER, run_named, true},
    {"oiv", OTHER, run_named, true},    {"info", OTHER, run_info, true},
    {"toasn1", OTHER, run_asn1, true},  {"fromasn1", OTHER, run_asn1, true},
    {NULL, OTHER, NULL, false}};
