/* SPDX-License-Identifier: Apache-2.0 */
/* XTS as one message in one go: a data unit. The key is Key1 and Key2. */
#include "messages.h"

#include "../../provider/modes/xts.h"

#include <stdlib.h>

static size_t run_xts(const struct ctaes_core *core, bool encrypting,
                      const struct message_inputs *m, uint8_t *out, const uint8_t *in, size_t len,
                      uint8_t tag[16])
{
    struct ctaes_aes_key *data_key = message_key_memory(core->key_size);
    struct ctaes_aes_key *tweak_key = message_key_memory(core->key_size);
    const size_t half = m->key_len / 2;
    (void)tag;
    core->expand_key(data_key, m->key, half);
    if (!encrypting && core->prepare_decrypt != NULL)
        core->prepare_decrypt(data_key);
    core->expand_key(tweak_key, m->key + half, half);
    const bool done = ctaes_xts_crypt(core, data_key, tweak_key, m->iv, encrypting, out, in, len);
    free(data_key);
    free(tweak_key);
    return done ? len : 0;
}

const struct message_mode message_mode_xts = {
    .mode = &ctaes_mode_xts,
    .key_lens = {32, 64},
    .min_len = 16,
    .unit = 1,
    .iv_lens = {16},
    .run = run_xts,
};
