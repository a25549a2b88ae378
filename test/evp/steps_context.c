/* SPDX-License-Identifier: Apache-2.0 */
/* The steps that copy, swap and free contexts, and those that only move the harness's
   own bytes. */
#include "evp.h"

#include <stdlib.h>
#include <string.h>

static void run_copy(struct world *w, const struct step *s, struct record *r)
{
    struct slot copy;
    int rc = 1;

#if OPENSSL_VERSION_NUMBER >= 0x30200000L
    copy.ctx = is_named(s, "dup") ? EVP_CIPHER_CTX_dup(w->a.ctx) : NULL;
    if (is_named(s, "dup")) {
        rc = copy.ctx != NULL;
        if (copy.ctx == NULL)
            copy.ctx = new_ctx();
    } else
#endif
    {
        copy.ctx = is_named(s, "over") ? w->b.ctx : new_ctx();
        rc = EVP_CIPHER_CTX_copy(copy.ctx, w->a.ctx);
    }
    record_int(r, "rc", rc);
    record_errors(r);

    if (rc == 1) {
        copy.facts = w->a.facts;
        copy.facts.copied_keyless = w->a.facts.key_dir < 0;
    } else {
        clear_facts(&copy.facts);
    }
    if (is_named(s, "over")) {
        if (rc == 1)
            w->b = copy;
    } else if (is_named(s, "fork")) {
        EVP_CIPHER_CTX_free(w->b.ctx);
        w->b = copy;
    } else if (rc == 1) {
        EVP_CIPHER_CTX_free(w->a.ctx);
        w->a = copy;
    } else {
        EVP_CIPHER_CTX_free(copy.ctx);
    }
}

static void run_context(struct world *w, const struct step *s, struct record *r)
{
    if (is_named(s, "swap")) {
        struct slot t = w->a;
        w->a = w->b;
        w->b = t;
    } else if (is_named(s, "reset")) {
        record_int(r, "rc", EVP_CIPHER_CTX_reset(w->a.ctx));
        record_errors(r);
        clear_facts(&w->a.facts);
    } else {
        EVP_CIPHER_CTX_free(w->a.ctx);
        w->a.ctx = new_ctx();
        clear_facts(&w->a.facts);
    }
}

static void run_data(struct world *w, const struct step *s, struct record *r)
{
    size_t n = (size_t)number_at(s, 1);
    (void)r;

    if (is_named(s, "feed")) {
        memcpy(w->tape, w->log, w->log_len <= TAPE ? w->log_len : TAPE);
        w->cursor = w->aad_cursor = w->log_len = 0;
    } else if (is_named(s, "rewind")) {
        w->cursor = w->aad_cursor = 0;
    } else if (is_named(s, "skip")) {
        w->cursor = (w->cursor + n) % TAPE;
    } else if (is_named(s, "plain")) {
        memcpy(w->tape, base_tape, TAPE);
        w->cursor = w->aad_cursor = w->log_len = 0;
    } else if (is_named(s, "flip")) {
        w->tape[n % TAPE] ^= (uint8_t)(1 << (number_at(s, 2) & 7));
    } else if (is_named(s, "fliptag")) {
        w->tag[n / 8 % 16] ^= (uint8_t)(1 << (n & 7));
    } else if (is_named(s, "poke")) {
        const char *hex = s->argc > 2 ? s->argv[2] : "";
        for (size_t i = 0; hex[2 * i] != '\0' && hex[2 * i + 1] != '\0'; i++) {
            char byte[3] = {hex[2 * i], hex[2 * i + 1], '\0'};
            w->tape[(n + i) % TAPE] = (uint8_t)strtoul(byte, NULL, 16);
        }
    } else if (is_named(s, "align")) {
        w->align_in = (int)(n & 15);
        w->align_out = (int)(number_at(s, 2) & 15);
    } else if (is_named(s, "place")) {
        w->placed = n > 0;
        w->placed_len = n;
        w->consumed = w->produced = 0;
        memset(w->arena, CANARY, n + 3 * MARGIN);
        memcpy(w->arena + MARGIN + w->align_out, w->tape + w->cursor, n);
        w->cursor += n;
    }
}

/* Without the side's own properties: its library context has but the one provider. */
static void run_fetch(struct world *w, const struct step *s, struct record *r)
{
    const char *query = s->argc > 2 && strcmp(s->argv[2], "-") != 0 ? s->argv[2] : NULL;
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(sides[w->side].libctx, s->argv[1], query);

    record_int(r, "fetched", cipher != NULL);
    if (cipher != NULL) {
        record_text(r, "name", EVP_CIPHER_get0_name(cipher));
        record_int(r, "is_a", EVP_CIPHER_is_a(cipher, w->alg->name));
        record_int(r, "nid", EVP_CIPHER_get_nid(cipher));
        record_int(r, "type", EVP_CIPHER_get_type(cipher));
        record_int(r, "mode", EVP_CIPHER_get_mode(cipher));
        record_int(r, "flags", (long long)EVP_CIPHER_get_flags(cipher));
        record_int(r, "key_length", EVP_CIPHER_get_key_length(cipher));
        record_int(r, "iv_length", EVP_CIPHER_get_iv_length(cipher));
        record_int(r, "block_size", EVP_CIPHER_get_block_size(cipher));
    }
    record_errors(r);
    EVP_CIPHER_free(cipher);
}

const struct op ops_context[] = {
    {"copy", OTHER, run_copy, false},    {"dup", OTHER, run_copy, false},
    {"fork", OTHER, run_copy, false},    {"over", OTHER, run_copy, false},
    {"swap", OTHER, run_context, false}, {"reset", OTHER, run_context, false},
    {"fetch", OTHER, run_fetch, false},  {"free", SILENT, run_context, false},
    {"feed", SILENT, run_data, false},   {"rewind", SILENT, run_data, false},
    {"skip", SILENT, run_data, false},   {"plain", SILENT, run_data, false},
    {"flip", SILENT, run_data, false},   {"fliptag", SILENT, run_data, false},
    {"poke", SILENT, run_data, false},   {"align", SILENT, run_data, false},
    {"place", SILENT, run_data, false},  {NULL, OTHER, NULL, false}};
