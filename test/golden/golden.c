/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computes the long vectors with every core and compares their digests with
 * digests.txt; decrypts them again on the way.
 *
 *   golden [core...]      from the project's root; without names, every core
 *
 * REQUIRE_CORES in the environment: see choose_cores.h. Exit status: 0 if
 * nothing failed, 1 if something did, 2 if it couldn't run.
 */
#include "cases.h"
#include "sha256.h"

#include "../messages/messages.h"
#include "../unit/choose_cores.h"
#include "../../provider/modes/mode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char digests_path[] = "test/golden/digests.txt";

#define X(name) &ctaes_mode_##name,
static const struct ctaes_mode *const all_modes[] = {MODE_LIST(X) NULL};
#undef X

static size_t passed, failed, skipped;
static char wanted[GOLDEN_MAX_FAMILIES][65];

static void fail(const char *core, const struct golden_family *family, const char *what, size_t len)
{
    printf("FAIL core=%s mode=%s key=%zu family=%s", core, family->mode, family->key_len * 8,
           family->name);
    if (len != SIZE_MAX)
        printf(" len=%zu", len);
    printf(": %s\n", what);
}

static const struct ctaes_mode *mode_by_name(const char *name)
{
    for (size_t i = 0; all_modes[i] != NULL; i++)
        if (strcmp(all_modes[i]->name, name) == 0)
            return all_modes[i];
    return NULL;
}

static void format_digest(struct sha256 *h, char text[65])
{
    uint8_t digest[32];
    sha256_final(h, digest);
    for (size_t i = 0; i < 32; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
}

/* FIPS 180-4's examples of one and two blocks, and the million a's. */
static bool sha256_works(void)
{
    static const char two_blocks[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    struct sha256 h;
    char text[65];
    bool ok = true;
    sha256_init(&h);
    sha256_update(&h, (const uint8_t *)"abc", 3);
    format_digest(&h, text);
    ok &= strcmp(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad") == 0;
    sha256_init(&h);
    sha256_update(&h, (const uint8_t *)two_blocks, sizeof two_blocks - 1);
    format_digest(&h, text);
    ok &= strcmp(text, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1") == 0;
    sha256_init(&h);
    for (size_t i = 0; i < 1000000; i++)
        sha256_update(&h, (const uint8_t *)"a", 1);
    format_digest(&h, text);
    ok &= strcmp(text, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0") == 0;
    return ok;
}

/* Reads "<digest>  <family>" for each family; false and a message if the file
   lacks one or has a line of another kind. */
static bool read_digests(void)
{
    FILE *f = fopen(digests_path, "r");
    char line[256], digest[65], name[32];
    if (f == NULL) {
        perror(digests_path);
        return false;
    }
    for (size_t number = 1; fgets(line, sizeof line, f) != NULL; number++) {
        size_t i = 0;
        struct golden_family family = {.step = 0};
        if (line[0] == '#')
            continue;
        bool known = false;
        if (sscanf(line, "%64[0-9a-f] %31s", digest, name) == 2 && strlen(digest) == 64)
            for (; !known && golden_get_family(&family, i); i += !known)
                known = strcmp(family.name, name) == 0;
        if (!known) {
            printf("%s:%zu: not a digest of a known family\n", digests_path, number);
            fclose(f);
            return false;
        }
        memcpy(wanted[i], digest, sizeof digest);
    }
    fclose(f);
    struct golden_family family = {.step = 0};
    for (size_t i = 0; golden_get_family(&family, i); i++)
        if (wanted[i][0] == '\0') {
            printf("%s has no digest of %s\n", digests_path, family.name);
            return false;
        }
    return true;
}

/* --- One message ---------------------------------------------------------------------------- */

struct keys {
    struct ctaes_aes_key *aes;
    struct ctaes_ghash_key *ghash;
};

/* Encrypts or decrypts one message of *len bytes, and sets *len to what came out; tag: only if the
   mode has one, the one received on entry. False: refused. */
static bool run_case(const struct ctaes_core *core, const struct ctaes_mode *mode,
                     const struct keys *keys, const struct golden_family *family,
                     const struct golden_case *c, bool decrypting, uint8_t *out, const uint8_t *in,
                     size_t *len, uint8_t tag[16])
{
    if (mode->kind == CTAES_OWN) {
        const struct message_mode *row = message_mode_of(mode);
        uint8_t received[16];
        memcpy(received, tag, 16);
        const struct message_inputs m = {c->key, family->key_len, c->iv,    c->iv_len,
                                         c->aad, c->aad_len,      received, family->tag_len};
        if (row == NULL)
            return false;
        *len = row->run(core, !decrypting, &m, out, in, *len, tag);
        return true;
    }
    if (mode->kind != CTAES_AEAD) {
        struct ctaes_chain chain;
        memset(&chain, 0, sizeof chain);
        memcpy(chain.iv, c->iv, 16);
        (decrypting ? mode->decrypt : mode->encrypt)(core, keys->aes, &chain, out, in, *len);
        return true;
    }
    struct ctaes_aead state;
    mode->aead_set_key(core, keys->aes, keys->ghash);
    mode->aead_start(core, keys->ghash, &state, c->iv, c->iv_len);
    if (mode->aead_aad(core, keys->ghash, &state, c->aad, c->aad_len) != CTAES_OK ||
        (decrypting ? mode->aead_decrypt : mode->aead_encrypt)(core, keys->aes, keys->ghash, &state,
                                                               out, in, *len) != CTAES_OK)
        return false;
    mode->aead_finish(core, keys->aes, keys->ghash, &state, tag);
    return true;
}

static bool run_family(const struct ctaes_core *core, const struct golden_family *family,
                       const char *want)
{
    static struct golden_case c;
    static uint8_t out[GOLDEN_MAX_LENGTH + GOLDEN_MAX_GROWTH];
    const struct ctaes_mode *mode = mode_by_name(family->mode);
    struct keys keys = {message_key_memory(core->key_size), message_key_memory(core->ghash_size)};
    struct sha256 h;
    bool ok = mode != NULL;
    if (!ok)
        fail(core->name, family, "this build has no such mode", SIZE_MAX);
    sha256_init(&h);
    for (size_t len = family->first_length; ok && len <= family->last_length; len += family->step) {
        uint8_t tag[16] = {0}, again[16];
        size_t out_len = len;
        golden_get_case(&c, family, len);
        if (mode->kind != CTAES_OWN)
            core->expand_key(keys.aes, c.key, family->key_len);
        if (mode->inverse_cipher && core->prepare_decrypt != NULL)
            core->prepare_decrypt(keys.aes);
        ok = run_case(core, mode, &keys, family, &c, false, out, c.plaintext, &out_len, tag);
        sha256_update(&h, out, out_len);
        sha256_update(&h, tag, family->tag_len);
        memcpy(again, tag, 16);
        ok = ok && run_case(core, mode, &keys, family, &c, true, out, out, &out_len, again);
        if (!ok)
            fail(core->name, family, "the mode refused the message", len);
        else if (out_len != len || memcmp(out, c.plaintext, len) != 0 ||
                 memcmp(tag, again, family->tag_len) != 0) {
            fail(core->name, family, "decryption doesn't give back the plaintext and the tag", len);
            ok = false;
        }
    }
    char got[65];
    format_digest(&h, got);
    if (ok && strcmp(got, want) != 0) {
        fail(core->name, family, "the digest of the ciphertexts differs", SIZE_MAX);
        printf("     got  %s\n     want %s\n", got, want);
        ok = false;
    }
    free(keys.aes);
    free(keys.ghash);
    return ok;
}

int main(int argc, char **argv)
{
    if (!sha256_works()) {
        printf("this program's SHA-256 doesn't give FIPS 180-4's examples\n");
        return 2;
    }
    if (!read_digests())
        return 2;
    report_missing_cores(&failed, &skipped);
    for (size_t i = 0; ctaes_cores[i] != NULL; i++) {
        const struct ctaes_core *core = ctaes_cores[i];
        bool chosen = argc == 1;
        for (int j = 1; j < argc; j++)
            chosen |= strcmp(argv[j], core->name) == 0;
        if (!chosen || !core_runnable(core))
            continue;
        struct golden_family family;
        for (size_t j = 0; golden_get_family(&family, j); j++) {
            *(run_family(core, &family, wanted[j]) ? &passed : &failed) += 1;
            fflush(stdout);
        }
    }
    for (size_t i = 0; all_modes[i] != NULL; i++) {
        struct golden_family family;
        bool found = false;
        for (size_t j = 0; !found && golden_get_family(&family, j); j++)
            found = strcmp(family.mode, all_modes[i]->name) == 0;
        if (!found) {
            printf("FAIL mode %s: it has no long vectors: give it a row in cases.c\n",
                   all_modes[i]->name);
            failed++;
        }
    }
    printf("golden: %zu passed, %zu failed, %zu skipped\n", passed, failed, skipped);
    return failed != 0;
}
