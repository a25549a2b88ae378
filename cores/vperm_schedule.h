/* SPDX-License-Identifier: Apache-2.0 */
/* The expanded key of vector-permute AES, the same for all widths. */
#ifndef CTAES_VPERM_SCHEDULE_H
#define CTAES_VPERM_SCHEDULE_H

#include "core.h"

/*
 * Round keys, in the order of use: enc[0] to enc[rounds], dec likewise. All but
 * the last are in the representation of the state, and in the layout of their
 * round. The same by rows (vperm_rows.h), where each row's four bytes are there
 * twice. Decryption's are all zero until prepare_decrypt.
 */
struct ctaes_aes_key {
    _Alignas(16) uint8_t enc[15][16];
    _Alignas(16) uint8_t dec[15][16];
    _Alignas(16) uint8_t enc_rows[15][4][8];
    _Alignas(16) uint8_t dec_rows[15][4][8];
    uint32_t rounds; /* 10, 12 or 14; public */
};

#endif
