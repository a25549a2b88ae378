/* SPDX-License-Identifier: Apache-2.0 */
/* CCM as one message. */
#include "messages.h"

#include "../../provider/modes/ccm.h"

#include <stdlib.h>
#include <string.h>

static size_t run_ccm(const struct ctaes_core *core, bool encrypting,
                      const struct message_inputs *m, uint8_t *out, const uint8_t *in, size_t len,
                      uint8_t tag[16])
{
    struct ctaes_aes_key *key = message_key_memory(core->key_size);
    struct ctaes_ccm state;
    uint8_t full_tag[16] = {0};
    core->expand_key(key, m->key, m->key_len);
    ctaes_ccm_start(core, key, &state, m->iv, m->iv_len, m->tag_len, len, m->aad, m->aad_len);
    (encrypting ? ctaes_ccm_encrypt : ctaes_ccm_decrypt)(core, key, &state, out, in, len, full_tag);
    memcpy(tag, full_tag, m->tag_len);
    free(key);
    return len;
}

const struct message_mode message_mode_ccm = {
    .mode = &ctaes_mode_ccm,
    .key_lens = {16, 24, 32},
    .unit = 1,
    .iv_lens = {12, 7, 13},
    .tag_lens = {16, 4, 10},
    .has_aad = true,
    .run = run_ccm,
};
