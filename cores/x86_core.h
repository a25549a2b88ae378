/* SPDX-License-Identifier: Apache-2.0 */
/* The table of a core that is made of the templates x86_wide.h, x86_ghash.h,
   x86_gcm.h and x86_xts.h, and of x86_short.h, for the vectors that the including
   file has defined. */
#ifndef CTAES_X86_CORE_H
#define CTAES_X86_CORE_H

#include "cpu.h"
#include "x86_ccm.h"
#include "x86_gcm.h"
#include "x86_ocb.h"
#include "x86_short.h"
#include "x86_xts.h"

#define X86_CORE(core_name, core_features)                                                         \
    {                                                                                              \
        .name = core_name, .features = core_features, .batch = BATCH_BLOCKS,                       \
        .key_size = sizeof(struct ctaes_aes_key), .ghash_size = sizeof(struct ctaes_ghash_key),    \
        .expand_key = expand_key, .prepare_decrypt = prepare_decrypt, .encrypt = encrypt,          \
        .decrypt = decrypt, .ghash_init = ghash_init, .ghash = ghash, .cbc_encrypt = cbc_encrypt,  \
        .cbc_decrypt = cbc_decrypt, .ctr32 = ctr32, .gcm_encrypt = gcm_encrypt,                    \
        .gcm_decrypt = gcm_decrypt, .gcm_short = gcm_short, .ccm_encrypt = ccm_encrypt,            \
        .ccm_decrypt = ccm_decrypt, .ocb_encrypt = ocb_encrypt, .ocb_decrypt = ocb_decrypt,        \
        .xts_encrypt = xts_encrypt, .xts_decrypt = xts_decrypt                                     \
    }

#endif
