/* SPDX-License-Identifier: Apache-2.0 */
/* SIV and GCM-SIV for make_golden: functions as its compute_fn says. */
#ifndef GOLDEN_SIV_H
#define GOLDEN_SIV_H

#include "cases.h"

/* Both modes with libgcrypt. */
size_t golden_gcrypt_siv(const struct golden_family *family, const struct golden_case *c,
                         uint8_t *out, uint8_t tag[16]);

/* GCM-SIV written out from RFC 8452 over nettle's AES, a block and a bit at a time: nettle has it
   since 3.9 and OpenSSL since 3.2, later than what Debian 12 has. */
size_t golden_plain_gcm_siv(const struct golden_family *family, const struct golden_case *c,
                            uint8_t *out, uint8_t tag[16]);

#endif
