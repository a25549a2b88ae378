/* SPDX-License-Identifier: Apache-2.0 */
/* OCB as one message. */
#include "messages.h"

#include "../../provider/modes/ocb.h"

#include <stdlib.h>
#include <string.h>

static size_t run_ocb(const struct ctaes_core *core, bool encrypting,
                      const struct message_inputs *m, uint8_t *out, const uint8_t *in, size_t len,
                      uint8_t tag[16])
{
    struct ctaes_aes_key *key = message_key_memory(core->key_size);
    struct ctaes_ocb_key *ok = message_key_memory(sizeof *ok);
    struct ctaes_ocb state;
    uint8_t full_tag[16];
    core->expand_key(key, m->key, m->key_len);
    if (!encrypting && core->prepare_decrypt != NULL)
        core->prepare_decrypt(key);
    ctaes_ocb_set_key(core, key, ok);
    ctaes_ocb_start(core, key, &state, m->iv, m->iv_len, m->tag_len);
    ctaes_ocb_aad(core, key, ok, &state, m->aad, m->aad_len);
    (encrypting ? ctaes_ocb_encrypt : ctaes_ocb_decrypt)(core, key, ok, &state, out, in, len);
    ctaes_ocb_finish(core, key, ok, &state, full_tag);
    memcpy(tag, full_tag, m->tag_len);
    free(ok);
    free(key);
    return len;
}

const struct message_mode message_mode_ocb = {
    .mode = &ctaes_mode_ocb,
    .key_lens = {16, 24, 32},
    .unit = 1,
    .iv_lens = {12, 15, 1},
    .tag_lens = {16, 8, 1},
    .has_aad = true,
    .run = run_ocb,
};
