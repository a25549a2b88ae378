/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Monte Carlo test of AESAVS (The Advanced Encryption Standard Algorithm
 * Validation Suite, section 6.4): a hundred keys, a thousand blocks under each,
 * where every block depends on those before and each key on the last outputs.
 *
 *   ECB: in[j] = out[j-1]                   CBC: in[1] = IV, in[j] = out[j-2]
 *   next key = key ^ the last key-length bytes of out[998] || out[999]
 */
#include "topics.h"
#include "vectors.h"

struct monte_carlo {
    const struct setup *s;
    bool decrypting;
    bool chained; /* CBC's rule for inputs, not ECB's */
    uint8_t key[32];
    size_t key_len;
};

/* Runs 1000 blocks under one key. last returns the last two outputs. */
static void run_thousand(const struct monte_carlo *run, const uint8_t iv[16],
                         const uint8_t input[16], uint8_t last[32])
{
    const struct ctaes_mode *mode = run->s->mode;
    struct keys keys;
    struct ctaes_chain chain;
    uint8_t in[16], out[16] = {0};
    expand_keys(&keys, run->s->core, run->key, run->key_len);
    memset(&chain, 0, sizeof chain);
    memcpy(chain.iv, iv, 16);
    memcpy(in, input, 16);
    memcpy(last + 16, iv, 16);
    for (int j = 0; j < 1000; j++) {
        (run->decrypting ? mode->decrypt : mode->encrypt)(run->s->core, keys.aes, &chain, out, in,
                                                          16);
        memcpy(in, run->chained ? last + 16 : out, 16);
        memcpy(last, last + 16, 16);
        memcpy(last + 16, out, 16);
    }
    free_keys(&keys);
}

static void run_monte_carlo(struct monte_carlo *run, const struct vector *v)
{
    uint8_t iv[16] = {0}, input[16], last[32];
    memcpy(iv, v->iv.bytes, v->iv.len < 16 ? v->iv.len : 16);
    memcpy(input, v->input.bytes, 16);
    for (uint64_t count = 0; count < (quick ? 10U : 100U); count++) {
        run_thousand(run, iv, input, last);
        at.detail = "COUNT";
        at.number = count;
        const struct vector_value *want = count == 0    ? &v->count_0
                                          : count == 9  ? &v->count_9
                                          : count == 99 ? &v->count_99
                                                        : NULL;
        if (want != NULL)
            expect_bytes("the output", last + 16, want->bytes, 16);
        for (size_t i = 0; i < run->key_len; i++)
            run->key[i] ^= last[32 - run->key_len + i];
        memcpy(iv, last + 16, 16);
        memcpy(input, run->chained ? last : last + 16, 16);
    }
    at.detail = NULL;
}

void test_monte_carlo(const struct setup *s)
{
    struct vector_file file = {.line = 0};
    struct vector v;
    size_t done = 0;
    if (!open_vectors(&file, "monte_carlo_", s->mode->name))
        return;
    while (next_vector(&file, &v)) {
        struct monte_carlo run = {.s = s,
                                  .decrypting = strcmp(v.direction, "decrypt") == 0,
                                  .chained = s->mode->iv_len != 0,
                                  .key_len = v.key.len};
        at_vector(&file, &v);
        if (!expect(v.direction[0] != '\0' && v.input.len == 16 && v.count_0.len == 16 &&
                        v.count_9.len == 16 && v.count_99.len == 16 && v.key.len >= 16 &&
                        v.key.len <= 32,
                    "a field is missing or has a wrong length"))
            continue;
        memcpy(run.key, v.key.bytes, sizeof run.key);
        run_monte_carlo(&run, &v);
        done++;
    }
    expect(done >= 6, "%s: %zu vectors, want two directions of three key lengths", file.path, done);
    close_vectors(&file);
}
