/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Linked to the module's own objects, this makes a module whose cores can be
 * broken from outside:
 *
 *   CTAES_TEST_BREAK="vaes512=cbc_decrypt ct64=ghash"
 *       from the next start of a program on, these functions of these cores
 *       return a wrong bit
 *   CTAES_TEST_NO_SELFTEST=1
 *       the self-test passes whatever the core does: what would happen without
 *       one, and what one costs
 *
 * The list of cores has the tables below in place of the cores' own (rules.mk).
 * They are copies of those, made when the module is mapped, with one function
 * replaced by one that calls the sound one and damages its result:
 *
 *   ctaes_cores[] --> ctaes_core_broken_ct64 --> broken_ghash --+
 *                                                               | one bit
 *                     ctaes_core_ct64 ---------> ct64's ghash --+
 *
 * A function is told which core it belongs to only by the calls: every use of a
 * core begins with its expand_key, which notes the core in `sound`. Programs
 * with two instances or threads are beyond this.
 */
#include "../../cores/core.h"
#include "../../cores/selftest.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Which slots of which core are broken, as the environment says; the core at
   work, unbroken. */
static const char *wishes;
static const struct ctaes_core *sound;

/* The damage: one bit in the last byte. */
static void damage(uint8_t *out, size_t len)
{
    if (len > 0)
        out[len - 1] ^= 0x10;
}

/* Of the bytes that the sound function changes, the first one: where in the key
   they are is the core's own affair. Later ones may be copies for wider loops. */
static void broken_prepare_decrypt(struct ctaes_aes_key *key)
{
    static uint8_t before[4096]; /* the self-test has no room for more, either */
    const size_t size = sound->key_size < sizeof before ? sound->key_size : sizeof before;
    memcpy(before, key, size);
    sound->prepare_decrypt(key);
    size_t same = 0;
    while (same < size && ((uint8_t *)key)[same] == before[same])
        same++;
    if (same < size)
        damage((uint8_t *)key, same + 1);
}

/* encrypt and decrypt are right for one block, as the case of a single block
   has code of its own in most cores, and a question of its own in the self-test. */
static void broken_encrypt(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in,
                           size_t nblocks)
{
    sound->encrypt(key, out, in, nblocks);
    if (nblocks > 1)
        damage(out, 16 * nblocks);
}

static void broken_decrypt(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in,
                           size_t nblocks)
{
    sound->decrypt(key, out, in, nblocks);
    if (nblocks > 1)
        damage(out, 16 * nblocks);
}

static void broken_ghash_init(struct ctaes_ghash_key *hk, const uint8_t h[16])
{
    uint8_t other[16];
    memcpy(other, h, 16);
    damage(other, 16);
    sound->ghash_init(hk, other);
}

static void broken_ghash(struct ctaes_ghash_key *hk, uint8_t y[16], const uint8_t *in,
                         size_t nblocks)
{
    sound->ghash(hk, y, in, nblocks);
    if (nblocks > 2)
        damage(y, 16);
}

static void broken_cbc_encrypt(const struct ctaes_aes_key *key, uint8_t iv[16], uint8_t *out,
                               const uint8_t *in, size_t nblocks)
{
    sound->cbc_encrypt(key, iv, out, in, nblocks);
    damage(out, 16 * nblocks);
}

static void broken_cbc_decrypt(const struct ctaes_aes_key *key, uint8_t iv[16], uint8_t *out,
                               const uint8_t *in, size_t nblocks)
{
    sound->cbc_decrypt(key, iv, out, in, nblocks);
    damage(out, 16 * nblocks);
}

static void broken_ctr32(const struct ctaes_aes_key *key, uint8_t ctr[16], uint8_t *out,
                         const uint8_t *in, size_t len)
{
    sound->ctr32(key, ctr, out, in, len);
    damage(out, len);
}

static void broken_gcm_encrypt(const struct ctaes_aes_key *key, struct ctaes_ghash_key *hk,
                               uint8_t ctr[16], uint8_t y[16], uint8_t *ej0, uint8_t *out,
                               const uint8_t *in, size_t len)
{
    sound->gcm_encrypt(key, hk, ctr, y, ej0, out, in, len);
    damage(out, len);
}

static void broken_gcm_decrypt(const struct ctaes_aes_key *key, struct ctaes_ghash_key *hk,
                               uint8_t ctr[16], uint8_t y[16], uint8_t *ej0, uint8_t *out,
                               const uint8_t *in, size_t len)
{
    sound->gcm_decrypt(key, hk, ctr, y, ej0, out, in, len);
    damage(out, len);
}

static void broken_gcm_short(const struct ctaes_aes_key *key, uint8_t ctr[16], uint8_t ej0[16],
                             uint8_t *ct, uint8_t *out, const uint8_t *in, size_t len,
                             bool encrypting)
{
    sound->gcm_short(key, ctr, ej0, ct, out, in, len, encrypting);
    damage(out, len);
}

static void broken_ccm_encrypt(const struct ctaes_aes_key *key, uint8_t ctr[16], uint8_t mac[16],
                               uint8_t *out, const uint8_t *in, size_t nblocks)
{
    sound->ccm_encrypt(key, ctr, mac, out, in, nblocks);
    damage(mac, 16);
}

static void broken_ccm_decrypt(const struct ctaes_aes_key *key, uint8_t ctr[16], uint8_t mac[16],
                               uint8_t *out, const uint8_t *in, size_t nblocks)
{
    sound->ccm_decrypt(key, ctr, mac, out, in, nblocks);
    damage(out, 16 * nblocks);
}

static void broken_ocb_encrypt(const struct ctaes_aes_key *key, const uint8_t *masks,
                               const uint8_t offset[16], uint8_t sum[16], uint8_t *out,
                               const uint8_t *in, size_t nblocks)
{
    sound->ocb_encrypt(key, masks, offset, sum, out, in, nblocks);
    damage(out, 16 * nblocks);
}

static void broken_ocb_decrypt(const struct ctaes_aes_key *key, const uint8_t *masks,
                               const uint8_t offset[16], uint8_t sum[16], uint8_t *out,
                               const uint8_t *in, size_t nblocks)
{
    sound->ocb_decrypt(key, masks, offset, sum, out, in, nblocks);
    damage(sum, 16);
}

static void broken_xts_encrypt(const struct ctaes_aes_key *key,
                               const struct ctaes_aes_key *tweak_key, uint8_t tweak[16],
                               uint8_t *out, const uint8_t *in, size_t nblocks)
{
    sound->xts_encrypt(key, tweak_key, tweak, out, in, nblocks);
    damage(out, 16 * nblocks);
}

static void broken_xts_decrypt(const struct ctaes_aes_key *key,
                               const struct ctaes_aes_key *tweak_key, uint8_t tweak[16],
                               uint8_t *out, const uint8_t *in, size_t nblocks)
{
    sound->xts_decrypt(key, tweak_key, tweak, out, in, nblocks);
    damage(out, 16 * nblocks);
}

/* Returns whether the environment wants that slot of that core broken. */
static bool is_broken(const char *core, const char *slot)
{
    char wish[64];
    snprintf(wish, sizeof wish, "%s=%s", core, slot);
    const size_t len = strlen(wish);
    for (const char *p = strstr(wishes, wish); p != NULL; p = strstr(p + 1, wish))
        if ((p == wishes || p[-1] == ' ') && (p[len] == ' ' || p[len] == '\0'))
            return true;
    return false;
}

static void expand_key_of(const struct ctaes_core *core, struct ctaes_aes_key *key,
                          const uint8_t *k, size_t k_len)
{
    uint8_t other[32];
    sound = core;
    memcpy(other, k, k_len);
    if (is_broken(core->name, "expand_key"))
        damage(other, k_len);
    core->expand_key(key, other, k_len);
}

#define BREAK(slot)                                                                                \
    do {                                                                                           \
        if (core->slot != NULL && is_broken(core->name, #slot))                                    \
            core->slot = broken_##slot;                                                            \
    } while (0)

/* Replaces what the environment names, all but expand_key. */
static void break_slots(struct ctaes_core *core)
{
    BREAK(prepare_decrypt);
    BREAK(encrypt);
    BREAK(decrypt);
    BREAK(ghash_init);
    BREAK(ghash);
    BREAK(cbc_encrypt);
    BREAK(cbc_decrypt);
    BREAK(ctr32);
    BREAK(gcm_encrypt);
    BREAK(gcm_decrypt);
    BREAK(gcm_short);
    BREAK(ccm_encrypt);
    BREAK(ccm_decrypt);
    BREAK(ocb_encrypt);
    BREAK(ocb_decrypt);
    BREAK(xts_encrypt);
    BREAK(xts_decrypt);
}

/* For each core its original, its copy, and the expand_key of the copy. */
#define X(core)                                                                                    \
    extern const struct ctaes_core ctaes_core_##core;                                              \
    extern struct ctaes_core ctaes_core_broken_##core;                                             \
    struct ctaes_core ctaes_core_broken_##core;                                                    \
    static void expand_key_##core(struct ctaes_aes_key *key, const uint8_t *k, size_t k_len)       \
    {                                                                                              \
        expand_key_of(&ctaes_core_##core, key, k, k_len);                                          \
    }
CTAES_CORE_LIST(X)
#undef X

__attribute__((constructor)) static void copy_tables(void)
{
    const char *text = getenv("CTAES_TEST_BREAK");
    wishes = text != NULL ? text : "";
#define X(core)                                                                                    \
    ctaes_core_broken_##core = ctaes_core_##core;                                                  \
    ctaes_core_broken_##core.expand_key = expand_key_##core;                                       \
    break_slots(&ctaes_core_broken_##core);
    CTAES_CORE_LIST(X)
#undef X
}

const char *__real_ctaes_core_selftest(const struct ctaes_core *core);
const char *__wrap_ctaes_core_selftest(const struct ctaes_core *core);

const char *__wrap_ctaes_core_selftest(const struct ctaes_core *core)
{
    return getenv("CTAES_TEST_NO_SELFTEST") != NULL ? NULL : __real_ctaes_core_selftest(core);
}
