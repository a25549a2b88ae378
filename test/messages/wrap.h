/* SPDX-License-Identifier: Apache-2.0 */
/* Key wrap as one message, for the rows of its four modes: the IV is the integrity
   check value. */
#ifndef CTAES_TEST_MESSAGES_WRAP_H
#define CTAES_TEST_MESSAGES_WRAP_H

#include "messages.h"

#include "../../provider/modes/wrap.h"

#include <stdlib.h>
#include <string.h>

/* Expands the key for wrapping or for unwrapping. */
static inline struct ctaes_aes_key *expand_for(const struct ctaes_core *core,
                                               const struct message_inputs *m, bool inverse)
{
    struct ctaes_aes_key *key = message_key_memory(core->key_size);
    core->expand_key(key, m->key, m->key_len);
    if (inverse && core->prepare_decrypt != NULL)
        core->prepare_decrypt(key);
    return key;
}

static inline size_t run_wrap(const struct ctaes_core *core, bool encrypting,
                              const struct message_inputs *m, uint8_t *out, const uint8_t *in,
                              size_t len, bool inverse)
{
    struct ctaes_aes_key *key = expand_for(core, m, encrypting == inverse);
    uint32_t good = ~0U;
    if (encrypting)
        ctaes_wrap(core, key, inverse, m->iv, out, in, len);
    else
        good = ctaes_unwrap(core, key, inverse, m->iv, out, in, len);
    free(key);
    message_reveal(&good, sizeof good);
    return good == 0 ? 0 : encrypting ? len + 8 : len - 8;
}

/* Unwrapping writes the padding too, for which out has no room. */
static inline size_t run_wrap_pad(const struct ctaes_core *core, bool encrypting,
                                  const struct message_inputs *m, uint8_t *out, const uint8_t *in,
                                  size_t len, bool inverse)
{
    struct ctaes_aes_key *key = expand_for(core, m, encrypting == inverse);
    size_t out_len;
    if (encrypting) {
        out_len = ctaes_wrap_pad(core, key, inverse, m->iv, out, in, len);
    } else {
        uint32_t padding;
        uint8_t *padded = malloc(len);
        if (padded == NULL)
            abort();
        uint32_t good = ctaes_unwrap_pad(core, key, inverse, m->iv, padded, in, len, &padding);
        message_reveal(&good, sizeof good);
        message_reveal(&padding, sizeof padding);
        out_len = good == 0 ? 0 : len - 8 - padding;
        memcpy(out, padded, out_len);
        free(padded);
    }
    free(key);
    return out_len;
}

/* Defines the row of one of the four modes. */
#define WRAP_ROW(name, runner, is_inverse, first, step, more, icv_len)                             \
    static size_t run(const struct ctaes_core *core, bool encrypting,                              \
                      const struct message_inputs *m, uint8_t *out, const uint8_t *in, size_t len, \
                      uint8_t tag[16])                                                             \
    {                                                                                              \
        (void)tag;                                                                                 \
        return runner(core, encrypting, m, out, in, len, is_inverse);                              \
    }                                                                                              \
    const struct message_mode message_mode_##name = {                                              \
        .mode = &ctaes_mode_##name,                                                                \
        .key_lens = {16, 24, 32},                                                                  \
        .min_len = first,                                                                          \
        .unit = step,                                                                              \
        .max_len = 600, /* 6 calls of the core for 8 bytes */                                      \
        .growth = more,                                                                            \
        .iv_lens = {icv_len},                                                                      \
        .run = run,                                                                                \
    }

#endif
