/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 (FIPS 180-4), so that the test needs no library. */
#ifndef SHA256_H
#define SHA256_H

#include <stddef.h>
#include <stdint.h>

struct sha256 {
    uint32_t state[8];
    uint64_t len; /* bytes so far */
    uint8_t block[64];
};

void sha256_init(struct sha256 *h);
void sha256_update(struct sha256 *h, const uint8_t *in, size_t len);
void sha256_final(struct sha256 *h, uint8_t digest[32]);

#endif
