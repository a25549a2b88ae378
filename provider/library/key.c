/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cores and keys of the library.
 *
 * A key is complete when ctaes_key_init returns, so that threads can share it. Cores make powers of
 * the hash key only when a long input first needs them, which would write to it later: here a long
 * input of zeros makes all of them. (test/library compares the bytes of keys before and after use.)
 *
 * Constant time: branches depend on lengths and algorithms; that the halves of an XTS key are equal
 * is made public, as it is the result.
 */
#include "library.h"

#include "../../cores/cpu.h"
#include "../../cores/selftest.h"

#include <stdio.h>

#define VERSION "0.1.0"

const char *ctaes_version(void)
{
    return VERSION;
}

const char *ctaes_result_text(enum ctaes_result result)
{
    switch (result) {
    case CTAES_SUCCESS:
        return "success";
    case CTAES_NOT_AUTHENTIC:
        return "not authentic: changed, or under another key";
    case CTAES_INVALID_ARGUMENT:
        return "an argument that isn't one";
    case CTAES_INVALID_LENGTH:
        return "a length that the algorithm doesn't have";
    case CTAES_INVALID_KEY:
        return "a key that isn't set up for this";
    case CTAES_OVERLAP:
        return "the output overlaps something else";
    case CTAES_WRONG_ORDER:
        return "a call that the message's state excludes";
    }
    return "unknown result";
}

/* --- Cores --- */

/* Whether the core can run here and computes right; if not, writes why. */
static bool is_usable(const struct ctaes_core *core, uint32_t cpu_features, char *why_not,
                      size_t size)
{
    const uint32_t missing = core->features & ~cpu_features;
    if (missing != 0) {
        char names[CTAES_CPU_NAMES_SIZE];
        ctaes_cpu_names(names, sizeof names, missing);
        snprintf(why_not, size, "%s: this CPU lacks %s", core->name, names);
        return false;
    }
    const char *failed = ctaes_core_selftest(core);
    if (failed != NULL)
        snprintf(why_not, size, "%s: its self-test failed: %s", core->name, failed);
    return failed == NULL;
}

const struct ctaes_core *ctaes_core_choose(const char *name, char *why_not, size_t size)
{
    char unwanted[1];
    if (why_not == NULL || size == 0) {
        why_not = unwanted;
        size = sizeof unwanted;
    }
    const uint32_t cpu_features = ctaes_cpu_features();
    if (name == NULL || strcmp(name, "auto") == 0) {
        for (size_t i = 0; ctaes_cores[i] != NULL; i++)
            if (is_usable(ctaes_cores[i], cpu_features, why_not, size)) {
                why_not[0] = '\0';
                return ctaes_cores[i];
            }
        return NULL;
    }
    const struct ctaes_core *core = ctaes_core_by_name(name);
    if (core == NULL) {
        snprintf(why_not, size, "there is no core %s", name);
        return NULL;
    }
    if (!is_usable(core, cpu_features, why_not, size))
        return NULL;
    why_not[0] = '\0';
    return core;
}

const char *ctaes_core_name(const struct ctaes_core *core)
{
    return core != NULL ? core->name : NULL;
}

const char *ctaes_core_list(size_t n)
{
    for (size_t i = 0; ctaes_cores[i] != NULL; i++)
        if (i == n)
            return ctaes_cores[i]->name;
    return NULL;
}

/* --- Keys --- */

static bool is_algorithm(enum ctaes_algorithm algorithm)
{
    return algorithm >= CTAES_ECB && algorithm <= CTAES_GCM_SIV;
}

/* XTS and SIV have two AES keys, one behind the other. */
static bool has_two_keys(enum ctaes_algorithm algorithm)
{
    return algorithm == CTAES_XTS || algorithm == CTAES_SIV;
}

/* Whether something is decrypted with the inverse cipher. */
static bool has_inverse(enum ctaes_algorithm algorithm)
{
    return algorithm == CTAES_ECB || algorithm == CTAES_CBC || algorithm == CTAES_XTS ||
           algorithm == CTAES_OCB || algorithm == CTAES_KW || algorithm == CTAES_KWP;
}

/* Bytes behind the first AES key. */
static size_t size_of_rest(const struct ctaes_core *core, enum ctaes_algorithm algorithm)
{
    switch (algorithm) {
    case CTAES_XTS:
        return core->key_size;
    case CTAES_SIV:
        return round_up(core->key_size) + sizeof(struct ctaes_siv);
    case CTAES_GCM:
        return core->ghash_size;
    case CTAES_OCB:
        return sizeof(struct ctaes_ocb_key);
    case CTAES_CMAC:
        return sizeof(struct ctaes_cmac);
    default:
        return 0;
    }
}

size_t ctaes_key_size(const struct ctaes_core *core, enum ctaes_algorithm algorithm)
{
    if (core == NULL || !is_algorithm(algorithm))
        return 0;
    return sizeof(struct ctaes_key) + round_up(core->key_size) +
           round_up(size_of_rest(core, algorithm));
}

/* Computes the hash key with all of its powers. */
static void set_hash_key(const struct ctaes_key *key)
{
    /* Twice the batch: beyond that no core has more. */
    static const uint8_t zeros[2 * 64 * 16] = {0};
    const size_t most = sizeof zeros / 16, batches = 2 * (size_t)key->core->batch;
    const size_t nblocks = batches < 16 ? 16 : batches < most ? batches : most;
    uint8_t y[16] = {0};
    ctaes_mode_gcm.aead_set_key(key->core, aes_key(key), second_part(key));
    key->core->ghash(second_part(key), y, zeros, nblocks);
}

/* What an algorithm makes of the expanded key. */
static void set_rest(const struct ctaes_key *key, const uint8_t *k)
{
    const struct ctaes_core *core = key->core;
    switch ((enum ctaes_algorithm)key->algorithm) {
    case CTAES_XTS:
        core->expand_key(second_part(key), k + key->key_len, key->key_len);
        break;
    case CTAES_SIV:
        core->expand_key(second_part(key), k + key->key_len, key->key_len);
        ctaes_siv_set_key(core, aes_key(key), siv_part(key));
        break;
    case CTAES_GCM:
        set_hash_key(key);
        break;
    case CTAES_OCB:
        ctaes_ocb_set_key(core, aes_key(key), second_part(key));
        break;
    case CTAES_CMAC:
        ctaes_cmac_init(core, aes_key(key), second_part(key));
        break;
    default:
        break;
    }
}

enum ctaes_result ctaes_key_init(struct ctaes_key *key, size_t size, const struct ctaes_core *core,
                                 enum ctaes_algorithm algorithm, const uint8_t *k, size_t k_len)
{
    if (key == NULL || (uintptr_t)key % CTAES_KEY_ALIGN != 0 || core == NULL || k == NULL ||
        !is_algorithm(algorithm))
        return CTAES_INVALID_ARGUMENT;
    const bool two = has_two_keys(algorithm);
    const size_t key_len = two ? k_len / 2 : k_len;
    const bool known = key_len == 16 || (key_len == 24 && algorithm != CTAES_XTS) || key_len == 32;
    const size_t needed = ctaes_key_size(core, algorithm);
    if (!known || (two && k_len % 2 != 0) || size < needed)
        return CTAES_INVALID_LENGTH;
    if (!are_apart(key, size, k, k_len))
        return CTAES_OVERLAP;
    const uint32_t registers = (uint32_t)ctaes_cpu_registers_beside(core->features);
    CLEARS(registers);
    if (algorithm == CTAES_XTS && ctaes_declassify(ct_equal_bytes(k, k + key_len, key_len)))
        return CTAES_INVALID_KEY;

    *key = (struct ctaes_key){.mark = KEY_MARK,
                              .core = core,
                              .algorithm = (uint32_t)algorithm,
                              .key_len = (uint32_t)key_len,
                              .registers = registers,
                              .size = (uint32_t)needed};
    core->expand_key(aes_key(key), k, key_len);
    if (has_inverse(algorithm) && core->prepare_decrypt != NULL)
        core->prepare_decrypt(aes_key(key));
    set_rest(key, k);
    return CTAES_SUCCESS;
}

void ctaes_wipe(void *p, size_t len)
{
    if (p != NULL)
        ct_wipe(p, len);
}
