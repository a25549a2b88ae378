/* SPDX-License-Identifier: Apache-2.0 */
/* SIV as one message in one go; all of the AAD is one component, unless there is none. */
#include "messages.h"

#include "../../provider/modes/siv.h"

#include <stdlib.h>

static size_t run_siv(const struct ctaes_core *core, bool encrypting,
                      const struct message_inputs *m, uint8_t *out, const uint8_t *in, size_t len,
                      uint8_t tag[16])
{
    struct ctaes_aes_key *mac_key = message_key_memory(core->key_size);
    struct ctaes_aes_key *ctr_key = message_key_memory(core->key_size);
    struct ctaes_siv siv;
    size_t half = m->key_len / 2;
    core->expand_key(mac_key, m->key, half);
    core->expand_key(ctr_key, m->key + half, half);
    ctaes_siv_set_key(core, mac_key, &siv);
    if (m->aad_len > 0)
        ctaes_siv_aad(core, mac_key, &siv, m->aad, m->aad_len);
    if (encrypting)
        ctaes_siv_encrypt(core, mac_key, ctr_key, &siv, out, in, len, tag);
    else
        ctaes_siv_decrypt(core, mac_key, ctr_key, &siv, out, in, len, m->tag, tag);
    free(mac_key);
    free(ctr_key);
    return len;
}

const struct message_mode message_mode_siv = {
    .mode = &ctaes_mode_siv,
    .key_lens = {32, 48, 64},
    .unit = 1,
    .tag_lens = {16},
    .has_aad = true,
    .run = run_siv,
};
