/* SPDX-License-Identifier: Apache-2.0 */
/* The table of a core that is made of the templates vperm*.h, for the vectors
   that the including file has defined. */
#ifndef CTAES_VPERM_CORE_H
#define CTAES_VPERM_CORE_H

#include "cpu.h"
#include "vperm_ctr.h"
#include "vperm_ghash.h"
#include "vperm_wide.h"

#define VPERM_CORE(core_name, core_features)                                                       \
    {                                                                                              \
        .name = core_name, .features = core_features, .batch = CACHED_BLOCKS,                      \
        .key_size = sizeof(struct ctaes_aes_key), .ghash_size = sizeof(struct ctaes_ghash_key),    \
        .expand_key = expand_key, .prepare_decrypt = prepare_decrypt, .encrypt = encrypt,          \
        .decrypt = decrypt, .ghash_init = ghash_init, .ghash = ghash, .cbc_encrypt = cbc_encrypt,  \
        .cbc_decrypt = cbc_decrypt, .ctr32 = ctr32                                                 \
    }

#endif
