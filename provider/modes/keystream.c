/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loop that makes counter blocks, has the core encrypt as many as it likes
 * at once, and XORs the data. The counter is treated as secret: additions, no
 * branches.
 */
#include "keystream.h"

#include "../../cores/bytes.h"
#include "../../cores/ct.h"

/* Blocks encrypted per call of the core: a multiple of the batch of every core
   that has no ctr32. */
#define CHUNK 64

void ctaes_inc32(uint8_t block[16], uint32_t n)
{
    store_be32(block + 12, load_be32(block + 12) + n);
}

void ctaes_keystream_xor_chunks(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                                uint8_t ctr[16], uint8_t *extra, uint8_t *out, const uint8_t *in,
                                size_t len)
{
    if (core->ctr32 != NULL) {
        /* The extra block shares a batch with what doesn't fill one. */
        size_t whole = len & ~((size_t)core->batch * 16 - 1);
        core->ctr32(key, ctr, out, in, whole);
        in += whole;
        out += whole;
        len -= whole;
    }

    uint8_t buffer[(CHUNK + 1) * 16];
    size_t used = 0;
    while (len > 0 || extra != NULL) {
        /* The extra block takes the first place of the first chunk, so that it
           shares a batch with the data. */
        size_t first = extra != NULL ? 1 : 0;
        size_t chunk = (CHUNK - first) * 16;
        size_t now = len < chunk ? len : chunk;
        size_t nblocks = (now + 15) / 16;
        uint8_t *counters = buffer + first * 16;

        if (extra != NULL)
            memcpy(buffer, extra, 16);
        uint32_t count = load_be32(ctr + 12);
        for (size_t i = 0; i < nblocks; i++) {
            memcpy(counters + i * 16, ctr, 12);
            /* The barrier keeps gcc -Os from counting the loop by the counter,
               which may be secret, where i would do. */
            store_be32(counters + i * 16 + 12, count + ct_barrier((uint32_t)i));
        }
        core->encrypt(key, buffer, buffer, first + nblocks);
        if (extra != NULL)
            memcpy(extra, buffer, 16);
        xor_bytes(out, in, counters, now);

        store_be32(ctr + 12, count + (uint32_t)(now / 16));
        if (first + nblocks > used)
            used = first + nblocks;
        extra = NULL;
        len -= now;
        in += now;
        out += now;
    }
    ct_wipe(buffer, used * 16);
}
