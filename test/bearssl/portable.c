/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the speed of the portable cores with BearSSL's constant-time AES
 * and GHASH of the same word size, and prints a table in Markdown.
 *
 * Each line is a pair of functions that do the same work. A round times both,
 * one right after the other, each as the best of a few repetitions; the ratio
 * is the median of the rounds' ratios, so that another load on the machine
 * hits both alike. Run it pinned to one CPU (`make bench-portable` does).
 *
 * Like with like: CTR goes through ctaes's mode on our side. BearSSL has no ECB
 * interface, so ECB encryption is compared with its CTR, the fastest that it
 * encrypts independent blocks; ECB and CBC decryption with its CBC decryption.
 * BearSSL works in place; so does ctaes here.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "../../cores/core.h"
#include "../../provider/modes/mode.h"

#include <bearssl_block.h>
#include <bearssl_hash.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS 31
#define REPETITIONS 5
#define MAX_LEN 16384

extern const struct ctaes_core ctaes_core_ct32, ctaes_core_ct64;

/* One side of a comparison, with all that it needs. */
struct side {
    void (*run)(struct side *side, size_t len);
    const struct ctaes_core *core;
    struct ctaes_aes_key *key;
    struct ctaes_ghash_key *hk;
    struct ctaes_chain chain;
    union {
        br_aes_ct_ctr_keys ctr32;
        br_aes_ct64_ctr_keys ctr64;
        br_aes_ct_cbcdec_keys cbc32;
        br_aes_ct64_cbcdec_keys cbc64;
    } bear;
    void (*bear_ghash)(void *y, const void *h, const void *data, size_t len);
    uint8_t key_bytes[32];
    size_t key_len;
    uint8_t block[16];
    _Alignas(64) uint8_t data[MAX_LEN];
};

static void run_ctr(struct side *side, size_t len)
{
    ctaes_mode_ctr.encrypt(side->core, side->key, &side->chain, side->data, side->data, len);
}

static void run_ecb_encrypt(struct side *side, size_t len)
{
    side->core->encrypt(side->key, side->data, side->data, len / 16);
}

static void run_ecb_decrypt(struct side *side, size_t len)
{
    side->core->decrypt(side->key, side->data, side->data, len / 16);
}

static void run_cbc_decrypt(struct side *side, size_t len)
{
    ctaes_mode_cbc.decrypt(side->core, side->key, &side->chain, side->data, side->data, len);
}

static void run_ghash(struct side *side, size_t len)
{
    side->core->ghash(side->hk, side->block, side->data, len / 16);
}

/* What a key costs: in BearSSL the compressed schedule, which each call
   expands. */
static void run_expand_key(struct side *side, size_t len)
{
    (void)len;
    side->core->expand_key(side->key, side->key_bytes, side->key_len);
}

static void run_bear_ctr32(struct side *side, size_t len)
{
    br_aes_ct_ctr_run(&side->bear.ctr32, side->block, 1, side->data, len);
}

static void run_bear_ctr64(struct side *side, size_t len)
{
    br_aes_ct64_ctr_run(&side->bear.ctr64, side->block, 1, side->data, len);
}

static void run_bear_cbc32(struct side *side, size_t len)
{
    br_aes_ct_cbcdec_run(&side->bear.cbc32, side->block, side->data, len);
}

static void run_bear_cbc64(struct side *side, size_t len)
{
    br_aes_ct64_cbcdec_run(&side->bear.cbc64, side->block, side->data, len);
}

static void run_bear_ghash(struct side *side, size_t len)
{
    side->bear_ghash(side->block, side->key_bytes, side->data, len);
}

static void run_bear_key32(struct side *side, size_t len)
{
    (void)len;
    br_aes_ct_ctr_init(&side->bear.ctr32, side->key_bytes, side->key_len);
}

static void run_bear_key64(struct side *side, size_t len)
{
    (void)len;
    br_aes_ct64_ctr_init(&side->bear.ctr64, side->key_bytes, side->key_len);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Nanoseconds of one run, the best of a few times `runs` runs. */
static double time_side(struct side *side, size_t len, size_t runs)
{
    double best = 1e30;
    for (int i = 0; i < REPETITIONS; i++) {
        const double start = now();
        for (size_t j = 0; j < runs; j++)
            side->run(side, len);
        const double elapsed = (now() - start) / (double)runs;
        if (elapsed < best)
            best = elapsed;
    }
    return best;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, size_t n)
{
    qsort(x, n, sizeof *x, compare_doubles);
    return x[n / 2];
}

static void compare(const char *what, const char *rival, size_t len, struct side *ours,
                    struct side *theirs)
{
    double our_time[ROUNDS], their_time[ROUNDS], ratio[ROUNDS];
    const size_t runs = len > 1024 ? 2 : 32;
    for (int i = 0; i < ROUNDS; i++) {
        our_time[i] = time_side(ours, len, runs);
        their_time[i] = time_side(theirs, len, runs);
        ratio[i] = their_time[i] / our_time[i];
    }
    const double mine = median(our_time, ROUNDS), other = median(their_time, ROUNDS);
    printf("| %s | %s | %zu | %s | %.0f | %.0f | %.0f | %.0f | %.2f |\n", ours->core->name, what,
           len, rival, mine, other, (double)len * 1e3 / mine, (double)len * 1e3 / other,
           median(ratio, ROUNDS));
}

static void *allocate(size_t size)
{
    void *p = aligned_alloc(CTAES_ALIGN, (size + CTAES_ALIGN - 1) / CTAES_ALIGN * CTAES_ALIGN);
    if (p == NULL)
        exit(2);
    return p;
}

int main(void)
{
    static struct side ours, theirs;
    const struct ctaes_core *cores[] = {&ctaes_core_ct64, &ctaes_core_ct32};

    printf("| core | operation | bytes | BearSSL's | ctaes ns | BearSSL ns | ctaes MB/s | BearSSL "
           "MB/s "
           "| ratio |\n|---|---|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < 2; i++) {
        const struct ctaes_core *core = cores[i];
        const int is64 = i == 0;
        ours.core = core;
        ours.key = allocate(core->key_size);
        ours.hk = allocate(core->ghash_size);
        for (size_t key_len = 16; key_len <= 32; key_len += 16) {
            char name[32];
            for (uint8_t j = 0; j < 32; j++)
                ours.key_bytes[j] = theirs.key_bytes[j] = (uint8_t)(j * 37);
            ours.key_len = theirs.key_len = key_len;
            core->expand_key(ours.key, ours.key_bytes, key_len);
            if (core->prepare_decrypt != NULL)
                core->prepare_decrypt(ours.key);

            theirs.run = is64 ? run_bear_key64 : run_bear_key32;
            theirs.run(&theirs, 0);
            theirs.run = is64 ? run_bear_ctr64 : run_bear_ctr32;
            const char *ctr = is64 ? "aes_ct64 CTR" : "aes_ct CTR";
            snprintf(name, sizeof name, "AES-%zu-CTR", key_len * 8);
            ours.run = run_ctr;
            compare(name, ctr, MAX_LEN, &ours, &theirs);
            compare(name, ctr, 256, &ours, &theirs);
            compare(name, ctr, 16, &ours, &theirs);
            snprintf(name, sizeof name, "AES-%zu-ECB encrypt", key_len * 8);
            ours.run = run_ecb_encrypt;
            compare(name, ctr, MAX_LEN, &ours, &theirs);

            ours.run = run_expand_key;
            theirs.run = is64 ? run_bear_key64 : run_bear_key32;
            snprintf(name, sizeof name, "AES-%zu key", key_len * 8);
            compare(name, "key schedule", 0, &ours, &theirs);

            if (is64)
                br_aes_ct64_cbcdec_init(&theirs.bear.cbc64, theirs.key_bytes, key_len);
            else
                br_aes_ct_cbcdec_init(&theirs.bear.cbc32, theirs.key_bytes, key_len);
            theirs.run = is64 ? run_bear_cbc64 : run_bear_cbc32;
            const char *cbc = is64 ? "aes_ct64 CBC decrypt" : "aes_ct CBC decrypt";
            snprintf(name, sizeof name, "AES-%zu-CBC decrypt", key_len * 8);
            ours.run = run_cbc_decrypt;
            compare(name, cbc, MAX_LEN, &ours, &theirs);
            snprintf(name, sizeof name, "AES-%zu-ECB decrypt", key_len * 8);
            ours.run = run_ecb_decrypt;
            compare(name, cbc, MAX_LEN, &ours, &theirs);
        }

        core->ghash_init(ours.hk, ours.key_bytes);
        ours.run = run_ghash;
        theirs.run = run_bear_ghash;
        static const size_t lengths[] = {MAX_LEN, 64, 16};
        for (size_t j = 0; j < sizeof lengths / sizeof lengths[0]; j++) {
            if (is64) {
                theirs.bear_ghash = br_ghash_ctmul64;
                compare("GHASH", "ghash_ctmul64", lengths[j], &ours, &theirs);
            } else {
                theirs.bear_ghash = br_ghash_ctmul;
                compare("GHASH", "ghash_ctmul", lengths[j], &ours, &theirs);
                theirs.bear_ghash = br_ghash_ctmul32;
                compare("GHASH", "ghash_ctmul32", lengths[j], &ours, &theirs);
            }
        }
        free(ours.key);
        free(ours.hk);
    }
    return 0;
}
