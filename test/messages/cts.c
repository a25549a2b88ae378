/* SPDX-License-Identifier: Apache-2.0 */
/* CBC-CTS, variant CS3: the one in which the last blocks change places at every length. */
#include "messages.h"

#include "../../provider/modes/cts.h"

#include <stdlib.h>
#include <string.h>

static size_t run(const struct ctaes_core *core, bool encrypting, const struct message_inputs *m,
                  uint8_t *out, const uint8_t *in, size_t len, uint8_t tag[16])
{
    struct ctaes_aes_key *key = message_key_memory(core->key_size);
    struct ctaes_chain chain;
    (void)tag;
    memset(&chain, 0, sizeof chain);
    memcpy(chain.iv, m->iv, sizeof chain.iv);
    core->expand_key(key, m->key, m->key_len);
    if (!encrypting && core->prepare_decrypt != NULL)
        core->prepare_decrypt(key);
    (encrypting ? ctaes_cts_encrypt : ctaes_cts_decrypt)(core, key, CTAES_CS3, &chain, out, in,
                                                         len);
    free(key);
    return len;
}

const struct message_mode message_mode_cts = {
    .mode = &ctaes_mode_cts,
    .key_lens = {16, 24, 32},
    .min_len = 16,
    .unit = 1,
    .iv_lens = {16},
    .run = run,
};
