/* SPDX-License-Identifier: Apache-2.0 */
/* GCM-SIV as one message in one go. */
#include "messages.h"

#include "../../provider/modes/gcm_siv.h"

#include <stdlib.h>

static size_t run_gcm_siv(const struct ctaes_core *core, bool encrypting,
                          const struct message_inputs *m, uint8_t *out, const uint8_t *in,
                          size_t len, uint8_t tag[16])
{
    struct ctaes_aes_key *key = message_key_memory(core->key_size);
    struct ctaes_aes_key *message_key = message_key_memory(core->key_size);
    struct ctaes_ghash_key *hk = message_key_memory(core->ghash_size);
    struct ctaes_gcm_siv state;
    core->expand_key(key, m->key, m->key_len);
    ctaes_gcm_siv_start(core, key, m->key_len, m->iv, message_key, hk, &state);
    ctaes_gcm_siv_aad(core, hk, &state, m->aad, m->aad_len);
    if (encrypting)
        ctaes_gcm_siv_encrypt(core, message_key, hk, &state, out, in, len, tag);
    else
        ctaes_gcm_siv_decrypt(core, message_key, hk, &state, out, in, len, m->tag, tag);
    free(key);
    free(message_key);
    free(hk);
    return len;
}

const struct message_mode message_mode_gcm_siv = {
    .mode = &ctaes_mode_gcm_siv,
    .key_lens = {16, 24, 32},
    .unit = 1,
    .iv_lens = {12},
    .tag_lens = {16},
    .has_aad = true,
    .run = run_gcm_siv,
};
