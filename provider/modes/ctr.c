/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CTR (SP 800-38A section 6.5): XOR with E(iv), E(iv + 1), ..., the counter
 * being the whole block, big-endian.
 *
 *   chain.iv ─▶ 96 bits │ 32 bits       Cores add to the low 32 bits only, so
 *                 ▲         │           a run ends where those wrap, and the
 *                 └─ carry ─┘           carry goes on from there.
 *
 * A call may end within a block. chain.iv then names the block after it (that
 * is what OpenSSL shows as the updated IV), chain.num the bytes used. Most often
 * the message ends there, and the core drops the rest of the keystream; another
 * call that goes on with the block computes it anew. But one that began within a
 * block, and ends within one, keeps it: there will be a next.
 * The counter is public here: it starts from the IV.
 */
#include "mode.h"

#include "keystream.h"
#include "../../cores/bytes.h"
#include "../../cores/ct.h"

/* Adds delta to the counter, a 128-bit number; delta is 1 or -1 (all bits set). */
static void add_counter(uint8_t ctr[16], uint64_t delta)
{
    uint64_t low = load_be64(ctr + 8), high = load_be64(ctr);
    uint64_t sum = low + delta;
    if (delta == 1)
        high += sum == 0;
    else
        high -= low == 0;
    store_be64(ctr + 8, sum);
    store_be64(ctr, high);
}

/* Adds 1 to the 96 bits above the low 32. */
static void carry_counter(uint8_t ctr[16])
{
    for (size_t i = 12; i-- > 0;)
        if (++ctr[i] != 0)
            break;
}

static void crypt_ctr(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                      struct ctaes_chain *chain, uint8_t *out, const uint8_t *in, size_t len)
{
    const bool in_pieces = chain->num != 0;
    if (len > 0 && in_pieces) {
        if (!chain->keystream_valid) {
            memcpy(chain->keystream, chain->iv, 16);
            add_counter(chain->keystream, UINT64_MAX);
            core->encrypt(key, chain->keystream, chain->keystream, 1);
            chain->keystream_valid = true;
        }
        size_t now = 16 - chain->num < len ? 16 - chain->num : len;
        xor_bytes(out, in, chain->keystream + chain->num, now);
        chain->num = (chain->num + (uint32_t)now) % 16;
        in += now;
        out += now;
        len -= now;
        if (chain->num == 0) {
            ct_wipe(chain->keystream, sizeof chain->keystream);
            chain->keystream_valid = false;
        }
    }
    while (len > 0) {
        /* Bytes until the low 32 bits wrap. */
        uint64_t run = (UINT64_C(0x100000000) - load_be32(chain->iv + 12)) * 16;
        size_t now = len < run ? len : (size_t)run;
        size_t tail = now % 16, kept = in_pieces ? tail : 0;
        len -= now;
        now -= kept;
        if (now != 0)
            ctaes_keystream_xor(core, key, chain->iv, NULL, out, in, now);
        in += now;
        out += now;
        if (now == run)
            carry_counter(chain->iv);
        if (kept != 0) {
            core->encrypt(key, chain->keystream, chain->iv, 1);
            xor_bytes(out, in, chain->keystream, kept);
        }
        if (tail != 0) {
            chain->num = (uint32_t)tail;
            chain->keystream_valid = kept != 0;
            add_counter(chain->iv, 1);
        }
    }
}

const struct ctaes_mode ctaes_mode_ctr = {
    .name = "CTR",
    .kind = CTAES_STREAM,
    .evp_mode = 5,
    .block_size = 1,
    .iv_len = 16,
    .inverse_cipher = false,
    .encrypt = crypt_ctr,
    .decrypt = crypt_ctr,
};
