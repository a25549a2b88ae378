/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library's own code under valgrind, with keys and plaintext marked as secret (ct/ct_test.h
 * says how): what it computes must stay secret until it is the result, and nothing may branch on
 * it.
 *
 *      secrets CORE        CORE's modes through the public header
 *      secrets leak        the control: a comparison of tags by memcmp, which must be reported
 */
#include "api.h"

#include "../ct/ct_test.h"

#include <string.h>

static const size_t lengths[] = {16, 48, 208};

static uint8_t k[64], nonce[16], aad[24], in[256], out[280], back[280], tag[16];

static void probe_data(const struct ctaes_core *core, const struct algorithm *a, size_t k_len,
                       size_t len)
{
    const size_t size = ctaes_key_size(core, a->id);
    struct ctaes_key *key = aligned_alloc(CTAES_KEY_ALIGN, size);
    size_t out_len = 0, back_len = 0;
    fill(k, sizeof k, 1);
    fill(in, sizeof in, 2);
    begin_probe();
    mark_secret(k, k_len);
    mark_secret(in, len);
    enum ctaes_result sealed = ctaes_key_init(key, size, core, a->id, k, k_len);
    struct input m = {nonce, aad, in, a->nonce_len, a->has_aad ? sizeof aad : 0, len, a->tag_len};
    if (sealed == CTAES_SUCCESS)
        sealed = encrypt(a, key, &m, out, &out_len, tag);
    mark_public(&out_len, sizeof out_len);
    expect_secret(tag, a->tag_len);
    if (a->id != CTAES_CMAC)
        expect_secret(out, out_len);
    /* What is sent is public; the key and what comes back are not. */
    mark_public(out, out_len);
    mark_public(tag, a->tag_len);
    if (a->id != CTAES_CMAC) {
        m.in = out;
        m.len = out_len;
    }
    enum ctaes_result opened = decrypt(a, key, &m, back, &back_len, tag);
    mark_public(&back_len, sizeof back_len);
    const bool whole = back_len == len;
    if (a->id != CTAES_CMAC)
        expect_secret(back, len);
    tag[0] ^= 1;
    out[0] ^= 1;
    const enum ctaes_result refused = decrypt(a, key, &m, back, &back_len, tag);
    const bool verifies = a->tag_len > 0 || a->wraps;
    expect_right(sealed == CTAES_SUCCESS && opened == CTAES_SUCCESS && whole);
    expect_right(refused == (verifies ? CTAES_NOT_AUTHENTIC : CTAES_SUCCESS));
    end_probe(true, "%s, %s of %zu bytes, key of %zu", ctaes_core_name(core), a->name, len, k_len);
    ctaes_wipe(key, size);
    free(key);
}

/* Not the library: what a program does that compares tags by itself. */
static int leak(void)
{
    start_harness(EXPECT_REPORTS);
    const struct ctaes_core *core = ctaes_core_choose("ct64", NULL, 0);
    const struct algorithm *a = algorithms;
    while (a->id != CTAES_CMAC)
        a++;
    uint8_t received[16] = {0};
    size_t out_len;
    _Alignas(64) static uint8_t memory[CTAES_KEY_MAX];
    struct ctaes_key *key = (struct ctaes_key *)memory;
    begin_probe();
    mark_secret(k, 16);
    expect_right(ctaes_key_init(key, sizeof memory, core, a->id, k, 16) == CTAES_SUCCESS);
    const struct input m = {.in = in, .len = 32, .tag_len = 16};
    expect_right(encrypt(a, key, &m, out, &out_len, tag) == CTAES_SUCCESS);
    if (memcmp(tag, received, 16) == 0)
        printf("equal\n");
    end_probe(true, "memcmp of tags");
    return finish_harness();
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    if (strcmp(argv[1], "leak") == 0)
        return leak();
    start_harness(EXPECT_CLEAN);
    const struct ctaes_core *core = ctaes_core_choose(argv[1], NULL, 0);
    if (core == NULL) {
        printf("no core %s here\n", argv[1]);
        return 3;
    }
    for (const struct algorithm *a = algorithms; a->name != NULL; a++)
        for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
            probe_data(core, a, a->key_lens[i % 2], lengths[i]);
    return finish_harness();
}
