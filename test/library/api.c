/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of libctaes.a through its public header: each topic on each core. Prints what fails, SKIP
 * for cores that this CPU can't run, and last `api: N passed, N failed, N skipped`.
 */
#include "api.h"

#include "../unit/unit.h"
#include "../unit/vectors.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *now_core = "no core", *now_what = "";
static bool failed_now;

/* What unit's reader of vectors wants of its program. */
const char *vectors_folder = "test/vectors";
struct where at;

bool expect(bool ok, const char *format, ...)
{
    if (ok)
        return true;
    va_list args;
    va_start(args, format);
    printf("FAIL %s, %s: ", now_core, now_what);
    vprintf(format, args);
    printf("\n");
    va_end(args);
    failed_now = true;
    return false;
}

struct ctaes_key *make_key(const struct ctaes_core *core, enum ctaes_algorithm algorithm,
                           const uint8_t *k, size_t k_len)
{
    const size_t size = ctaes_key_size(core, algorithm);
    uint8_t *memory = aligned_alloc(CTAES_KEY_ALIGN, size + 2 * CTAES_KEY_ALIGN);
    if (memory == NULL)
        abort();
    memset(memory, 0xa5, size + 2 * CTAES_KEY_ALIGN);
    struct ctaes_key *key = (struct ctaes_key *)(memory + CTAES_KEY_ALIGN);
    expect(ctaes_key_init(key, size, core, algorithm, k, k_len) == CTAES_SUCCESS,
           "a key of %zu bytes is refused", k_len);
    return key;
}

void free_key(struct ctaes_key *key, const struct ctaes_core *core, enum ctaes_algorithm algorithm)
{
    uint8_t *memory = (uint8_t *)key - CTAES_KEY_ALIGN;
    const uint8_t *behind = (uint8_t *)key + ctaes_key_size(core, algorithm);
    bool intact = true;
    for (size_t i = 0; i < CTAES_KEY_ALIGN; i++)
        intact = intact && memory[i] == 0xa5 && behind[i] == 0xa5;
    expect(intact, "something beside the key was written");
    free(memory);
}

/* --- Vectors --- */

static void try_vector(const struct ctaes_core *core, const struct algorithm *a,
                       const struct vector *v)
{
    uint8_t out[sizeof v->plaintext.bytes + 16], tag[16];
    size_t out_len;
    struct input m = {.nonce = v->iv.bytes,
                      .nonce_len = v->iv.len,
                      .aad = v->aad.bytes,
                      .aad_len = v->aad.len,
                      .in = v->input.present ? v->input.bytes : v->plaintext.bytes,
                      .len = v->input.present ? v->input.len : v->plaintext.len,
                      .tag_len = v->tag.len};
    if (a->id == CTAES_XTS &&
        memcmp(v->key.bytes, v->key.bytes + v->key.len / 2, v->key.len / 2) == 0)
        return; /* IEEE 1619 has it, SP 800-38E excludes it, and so do the refusals here */
    struct ctaes_key *key = make_key(core, a->id, v->key.bytes, v->key.len);
    const bool is_mac = a->id == CTAES_CMAC;
    if (strcmp(v->direction, "decrypt") != 0) {
        expect(encrypt(a, key, &m, out, &out_len, tag) == CTAES_SUCCESS, "%s: refused", v->name);
        expect(is_mac ||
                   (out_len == v->ciphertext.len && memcmp(out, v->ciphertext.bytes, out_len) == 0),
               "%s: not this ciphertext", v->name);
        expect(memcmp(tag, v->tag.bytes, v->tag.len) == 0, "%s: not this tag", v->name);
    }
    if (strcmp(v->direction, "encrypt") != 0) {
        if (!is_mac) {
            m.in = v->ciphertext.bytes;
            m.len = v->ciphertext.len;
        }
        expect(decrypt(a, key, &m, out, &out_len, v->tag.bytes) == CTAES_SUCCESS,
               "%s: not authentic", v->name);
        expect(is_mac ||
                   (out_len == v->plaintext.len && memcmp(out, v->plaintext.bytes, out_len) == 0),
               "%s: not this plaintext", v->name);
    }
    free_key(key, core, a->id);
}

void test_vectors(const struct ctaes_core *core)
{
    for (const struct algorithm *a = algorithms; a->name != NULL; a++) {
        struct vector_file file = {.line = 0};
        struct vector v;
        size_t count = 0;
        if (!open_vectors(&file, a->prefix, a->name))
            continue;
        for (; next_vector(&file, &v); count++)
            try_vector(core, a, &v);
        expect(count > 0, "%s has no vectors", a->name);
        close_vectors(&file);
    }
}

/* --- The run --- */

static const struct {
    const char *name;
    void (*run)(const struct ctaes_core *core);
} topics[] = {
    {"vectors", test_vectors},       {"lengths", test_lengths},     {"pieces", test_pieces},
    {"components", test_components}, {"forgeries", test_forgeries}, {"keys", test_keys},
    {"registers", test_registers},   {"refusals", test_refusals},
};

static unsigned passed, failed;

static void count(void)
{
    failed_now ? failed++ : passed++;
    failed_now = false;
}

int main(void)
{
    unsigned skipped = 0;
    now_what = "choice";
    test_choice();
    count();
    for (size_t i = 0; ctaes_core_list(i) != NULL; i++) {
        char why_not[300];
        now_core = ctaes_core_list(i);
        const struct ctaes_core *core = ctaes_core_choose(now_core, why_not, sizeof why_not);
        if (core == NULL && strstr(why_not, ": this CPU lacks ") != NULL) {
            printf("SKIP core %s\n", why_not);
            skipped++;
            continue;
        }
        now_what = "choosing it";
        if (!expect(core != NULL, "%s", why_not)) {
            count();
            continue;
        }
        for (size_t t = 0; t < sizeof topics / sizeof topics[0]; t++) {
            now_what = topics[t].name;
            topics[t].run(core);
            count();
        }
    }
    printf("api: %u passed, %u failed, %u skipped\n", passed, failed, skipped);
    return failed != 0;
}
