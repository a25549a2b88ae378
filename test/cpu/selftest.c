/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cores' self-test: it passes on every sound core, costs little, and finds
 * each function that is broken, in each way in which one can be a little wrong.
 *
 * A broken core is a sound one with one slot replaced by a function that calls
 * the sound one and then damages what it returned. There is one such core at a
 * time; `sound` and `fault` say which.
 */
#define _GNU_SOURCE
#include "cpu_test.h"

#include "../../cores/selftest.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static const struct ctaes_core *sound;

static struct {
    size_t byte;   /* the byte of the output that is damaged, if it is that long */
    bool shortest; /* damages calls of one block too */
    bool state;    /* damages the IV, counter, hash or E(J0) instead */
} fault;

static void damage(uint8_t *out, size_t len, uint8_t *state)
{
    if (len <= 16 && !fault.shortest)
        return;
    if (fault.state && state != NULL)
        state[fault.byte % 16] ^= 1;
    else if (!fault.state && fault.byte < len)
        out[fault.byte] ^= 0x80;
}

static void broken_expand_key(struct ctaes_aes_key *key, const uint8_t *k, size_t k_len)
{
    /* Wrong for one size. */
    uint8_t other[32];
    memcpy(other, k, k_len);
    other[k_len - 1] ^= k_len == 16 + 8 * (fault.byte % 3);
    sound->expand_key(key, other, k_len);
}

static void broken_prepare_decrypt(struct ctaes_aes_key *key)
{
    /* Where decryption's part of the key lies is the core's affair: it's what
       changes here. */
    uint8_t before[8192];
    uint8_t *bytes = (uint8_t *)key;
    memcpy(before, bytes, sound->key_size);
    sound->prepare_decrypt(key);
    size_t i = 0;
    while (i + 1 < sound->key_size && bytes[i] == before[i])
        i++;
    bytes[i] ^= 1;
}

static void broken_encrypt(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in,
                           size_t nblocks)
{
    sound->encrypt(key, out, in, nblocks);
    damage(out, 16 * nblocks, NULL);
}

static void broken_decrypt(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in,
                           size_t nblocks)
{
    sound->decrypt(key, out, in, nblocks);
    damage(out, 16 * nblocks, NULL);
}

static void broken_ghash_init(struct ctaes_ghash_key *hk, const uint8_t h[16])
{
    uint8_t other[16];
    memcpy(other, h, 16);
    other[fault.byte % 16] ^= 1;
    sound->ghash_init(hk, other);
}

static void broken_ghash(struct ctaes_ghash_key *hk, uint8_t y[16], const uint8_t *in,
                         size_t nblocks)
{
    sound->ghash(hk, y, in, nblocks);
    if (fault.shortest == (nblocks <= 2))
        y[fault.byte % 16] ^= 1;
}

static void broken_cbc_encrypt(const struct ctaes_aes_key *key, uint8_t iv[16], uint8_t *out,
                               const uint8_t *in, size_t nblocks)
{
    sound->cbc_encrypt(key, iv, out, in, nblocks);
    damage(out, 16 * nblocks, iv);
}

static void broken_cbc_decrypt(const struct ctaes_aes_key *key, uint8_t iv[16], uint8_t *out,
                               const uint8_t *in, size_t nblocks)
{
    sound->cbc_decrypt(key, iv, out, in, nblocks);
    damage(out, 16 * nblocks, iv);
}

static void broken_ctr32(const struct ctaes_aes_key *key, uint8_t ctr[16], uint8_t *out,
                         const uint8_t *in, size_t len)
{
    sound->ctr32(key, ctr, out, in, len);
    damage(out, len, ctr);
}

/* What the two GCM functions give back beside the data: the damage goes round. */
static uint8_t *pick_state(uint8_t *ctr, uint8_t *y, uint8_t *ej0)
{
    uint8_t *states[] = {ctr, y, ej0};
    return states[fault.byte % 3];
}

static void broken_gcm_encrypt(const struct ctaes_aes_key *key, struct ctaes_ghash_key *hk,
                               uint8_t ctr[16], uint8_t y[16], uint8_t *ej0, uint8_t *out,
                               const uint8_t *in, size_t len)
{
    sound->gcm_encrypt(key, hk, ctr, y, ej0, out, in, len);
    damage(out, len, pick_state(ctr, y, ej0));
}

static void broken_gcm_decrypt(const struct ctaes_aes_key *key, struct ctaes_ghash_key *hk,
                               uint8_t ctr[16], uint8_t y[16], uint8_t *ej0, uint8_t *out,
                               const uint8_t *in, size_t len)
{
    sound->gcm_decrypt(key, hk, ctr, y, ej0, out, in, len);
    damage(out, len, pick_state(ctr, y, ej0));
}

/* At the place in its 64 bytes that the damage has in a message of any length, and
   in each of its other results. */
static void broken_gcm_short(const struct ctaes_aes_key *key, uint8_t ctr[16], uint8_t ej0[16],
                             uint8_t *ct, uint8_t *out, const uint8_t *in, size_t len,
                             bool encrypting)
{
    sound->gcm_short(key, ctr, ej0, ct, out, in, len, encrypting);
    if (fault.state)
        pick_state(ctr, ct, ej0)[fault.byte % len % 16] ^= 1;
    else
        out[fault.byte % len] ^= 0x80;
}

static void broken_ccm_encrypt(const struct ctaes_aes_key *key, uint8_t ctr[16], uint8_t mac[16],
                               uint8_t *out, const uint8_t *in, size_t nblocks)
{
    sound->ccm_encrypt(key, ctr, mac, out, in, nblocks);
    damage(out, 16 * nblocks, pick_state(ctr, mac, mac));
}

static void broken_ccm_decrypt(const struct ctaes_aes_key *key, uint8_t ctr[16], uint8_t mac[16],
                               uint8_t *out, const uint8_t *in, size_t nblocks)
{
    sound->ccm_decrypt(key, ctr, mac, out, in, nblocks);
    damage(out, 16 * nblocks, pick_state(ctr, mac, mac));
}

static void broken_ocb_encrypt(const struct ctaes_aes_key *key, const uint8_t *masks,
                               const uint8_t offset[16], uint8_t sum[16], uint8_t *out,
                               const uint8_t *in, size_t nblocks)
{
    sound->ocb_encrypt(key, masks, offset, sum, out, in, nblocks);
    damage(out, 16 * nblocks, sum);
}

static void broken_ocb_decrypt(const struct ctaes_aes_key *key, const uint8_t *masks,
                               const uint8_t offset[16], uint8_t sum[16], uint8_t *out,
                               const uint8_t *in, size_t nblocks)
{
    sound->ocb_decrypt(key, masks, offset, sum, out, in, nblocks);
    damage(out, 16 * nblocks, sum);
}

static void broken_xts_encrypt(const struct ctaes_aes_key *key,
                               const struct ctaes_aes_key *tweak_key, uint8_t tweak[16],
                               uint8_t *out, const uint8_t *in, size_t nblocks)
{
    sound->xts_encrypt(key, tweak_key, tweak, out, in, nblocks);
    damage(out, 16 * nblocks, tweak);
}

static void broken_xts_decrypt(const struct ctaes_aes_key *key,
                               const struct ctaes_aes_key *tweak_key, uint8_t tweak[16],
                               uint8_t *out, const uint8_t *in, size_t nblocks)
{
    sound->xts_decrypt(key, tweak_key, tweak, out, in, nblocks);
    damage(out, 16 * nblocks, tweak);
}

/* Bytes of the self-test's message: the ends, and the edges of groups of 32, 48
   and 52 blocks. */
static const size_t bytes[] = {0, 17, 511, 512, 767, 768, 831, 832, 879};

/* With the damaged slot in place, at every byte of the list and in every way,
   the self-test must fail, and say so in words that contain `saying`. */
static void check_found(const struct ctaes_core *broken, const char *slot, const char *saying,
                        bool in_state)
{
    for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++)
        for (int state = 0; state <= (in_state ? 1 : 0); state++) {
            fault.byte = bytes[i];
            fault.state = state != 0;
            const char *failure = ctaes_core_selftest(broken);
            check(failure != NULL && strstr(failure, saying) != NULL,
                  "%s with a wrong %s (%s %zu): the self-test said: %s", sound->name, slot,
                  state ? "state" : "byte", bytes[i], failure != NULL ? failure : "all is well");
        }
}

#define CHECK_SLOT(slot, saying, in_state)                                                         \
    do {                                                                                           \
        struct ctaes_core broken = *sound;                                                         \
        if (broken.slot == NULL)                                                                   \
            break;                                                                                 \
        broken.slot = broken_##slot;                                                               \
        check_found(&broken, #slot, saying, in_state);                                             \
    } while (0)

static void check_core_selftest(void)
{
    const char *failure = ctaes_core_selftest(sound);
    check(failure == NULL, "%s: %s", sound->name, failure);
    if (failure != NULL)
        return;

    fault.shortest = false;
    CHECK_SLOT(expand_key, "key setup", false);
    CHECK_SLOT(prepare_decrypt, "decryption", false);
    CHECK_SLOT(encrypt, "encryption of many blocks", false);
    CHECK_SLOT(decrypt, "decryption of many blocks", false);
    CHECK_SLOT(ghash_init, "GHASH", false);
    CHECK_SLOT(ghash, "GHASH", false);
    CHECK_SLOT(cbc_encrypt, "CBC encryption", true);
    CHECK_SLOT(cbc_decrypt, "CBC decryption", true);
    CHECK_SLOT(ctr32, "CTR", true);
    CHECK_SLOT(gcm_encrypt, "GCM encryption", true);
    CHECK_SLOT(gcm_decrypt, "GCM decryption", true);
    CHECK_SLOT(gcm_short, "GCM of a short message", true);
    CHECK_SLOT(ccm_encrypt, "CCM encryption", true);
    CHECK_SLOT(ccm_decrypt, "CCM decryption", true);
    CHECK_SLOT(ocb_encrypt, "OCB encryption", true);
    CHECK_SLOT(ocb_decrypt, "OCB decryption", true);
    CHECK_SLOT(xts_encrypt, "XTS encryption", true);
    CHECK_SLOT(xts_decrypt, "XTS decryption", true);
    fault.shortest = true;
    CHECK_SLOT(ghash, "GHASH", false);

    struct ctaes_core huge = *sound;
    huge.key_size = 1 << 20;
    check(ctaes_core_selftest(&huge) != NULL, "%s: keys of a megabyte pass the self-test",
          sound->name);
}

/* The best of several runs, in microseconds. */
static double time_selftest(void)
{
    double best = 1e9;
    for (int i = 0; i < 50; i++) {
        struct timespec from, to;
        clock_gettime(CLOCK_MONOTONIC, &from);
        ctaes_core_selftest(sound);
        clock_gettime(CLOCK_MONOTONIC, &to);
        const double us =
            1e6 * (double)(to.tv_sec - from.tv_sec) + 1e-3 * (double)(to.tv_nsec - from.tv_nsec);
        if (us < best)
            best = us;
    }
    return best;
}

void test_selftest(void)
{
    const uint32_t features = ctaes_cpu_features();
    for (size_t i = 0; ctaes_cores[i] != NULL; i++) {
        sound = ctaes_cores[i];
        if ((sound->features & ~features) != 0) {
            char lacking[CTAES_CPU_NAMES_SIZE];
            ctaes_cpu_names(lacking, sizeof lacking, sound->features & ~features);
            skip("core %s: this CPU lacks %s", sound->name, lacking);
            continue;
        }
        check_core_selftest();
        const double us = time_selftest();
        printf("self-test of %s: %.1f microseconds\n", sound->name, us);
        /* 100 are promised on a CPU of this decade; old and emulated ones may be slower. */
        check(us < 1000, "the self-test of %s takes %.1f microseconds", sound->name, us);
    }
}
