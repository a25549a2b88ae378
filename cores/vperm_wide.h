/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vector-permute AES on whole messages: ECB, CBC, and the functions that expand
 * keys. Independent blocks go through the groups of vperm_group.h.
 *
 * Constant time: as vperm.h; branches are on numbers of blocks.
 */
#ifndef CTAES_VPERM_WIDE_H
#define CTAES_VPERM_WIDE_H

#include "vperm_group.h"
#include "vperm_key.h"

/* --- Keys --- */

static void expand_key(struct ctaes_aes_key *key, const uint8_t *k, size_t k_len)
{
    make_encrypt_keys(key, k, k_len);
    wipe_block_frames();
}

static void prepare_decrypt(struct ctaes_aes_key *key)
{
    make_decrypt_keys(key);
    wipe_block_frames();
}

/* --- ECB --- */

/* Whole groups straight through; what fills a group only in part, by way of a
   buffer. */
INLINE void
crypt_blocks(void (*crypt_group)(const struct ctaes_aes_key *, uint8_t *, const uint8_t *, size_t),
             void (*crypt_block)(const struct ctaes_aes_key *, uint8_t *, const uint8_t *),
             const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in, size_t nblocks)
{
    while (nblocks > 0) {
        const size_t n = group_size(nblocks);
        if (nblocks == 1) {
            crypt_block(key, out, in);
            return;
        }
        if (nblocks < n * LANES) {
            lanes s[GROUP];
            uint8_t *p = (uint8_t *)s;
            copy_blocks(p, in, nblocks);
            crypt_group(key, p, p, n);
            copy_blocks(out, p, nblocks);
            return;
        }
        crypt_group(key, out, in, n);
        in += n * LANES_BYTES;
        out += n * LANES_BYTES;
        nblocks -= n * LANES;
    }
}

static NOINLINE void encrypt_blocks(const struct ctaes_aes_key *key, uint8_t *out,
                                    const uint8_t *in, size_t nblocks)
{
    crypt_blocks(encrypt_group, encrypt_block, key, out, in, nblocks);
}

static NOINLINE void decrypt_blocks(const struct ctaes_aes_key *key, uint8_t *out,
                                    const uint8_t *in, size_t nblocks)
{
    crypt_blocks(decrypt_group, decrypt_block, key, out, in, nblocks);
}

static void encrypt(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in,
                    size_t nblocks)
{
    if (nblocks == 1) {
        encrypt_block(key, out, in);
        wipe_block_frames();
        return;
    }
    encrypt_blocks(key, out, in, nblocks);
    wipe_group_frames(nblocks);
}

static void decrypt(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in,
                    size_t nblocks)
{
    if (nblocks == 1) {
        decrypt_block(key, out, in);
        wipe_block_frames();
        return;
    }
    decrypt_blocks(key, out, in, nblocks);
    wipe_group_frames(nblocks);
}

/* --- CBC --- */

/* The sums of the plaintext blocks with the ciphertext blocks before them. Of a
   vector, the ciphertext is read before its plaintext is written. */
INLINE void xor_chain(uint8_t *out, const uint8_t *plain, const uint8_t *in, uint8_t iv[16],
                      size_t nblocks)
{
    vblock before = block_load(iv);
    size_t i = 0;
    for (; i + LANES_BYTES <= 16 * nblocks; i += LANES_BYTES) {
        const lanes c = lanes_load(in + i);
        lanes_store(out + i, lanes_xor(lanes_load(plain + i), lanes_chain(before, c)));
        before = lanes_last(c);
    }
    for (; i < 16 * nblocks; i += 16) {
        const vblock c = block_load(in + i);
        block_store(out + i, block_xor(block_load(plain + i), before));
        before = c;
    }
    block_store(iv, before);
}

static NOINLINE void cbc_decrypt_blocks(const struct ctaes_aes_key *key, uint8_t iv[16],
                                        uint8_t *out, const uint8_t *in, size_t nblocks)
{
    lanes s[GROUP];
    uint8_t *p = (uint8_t *)s;
    while (nblocks > 0) {
        const size_t n = group_size(nblocks), now = nblocks < n * LANES ? nblocks : n * LANES;
        if (now == n * LANES) {
            decrypt_group(key, p, in, n);
        } else {
            copy_blocks(p, in, now);
            decrypt_group(key, p, p, n);
        }
        xor_chain(out, p, in, iv, now);
        in += 16 * now;
        out += 16 * now;
        nblocks -= now;
    }
}

static NOINLINE void cbc_decrypt_block(const struct ctaes_aes_key *key, uint8_t iv[16],
                                       uint8_t *out, const uint8_t *in)
{
    uint8_t plain[16];
    decrypt_block(key, plain, in);
    xor_chain(out, plain, in, iv, 1);
}

static void cbc_decrypt(const struct ctaes_aes_key *key, uint8_t iv[16], uint8_t *out,
                        const uint8_t *in, size_t nblocks)
{
    if (nblocks == 1) {
        cbc_decrypt_block(key, iv, out, in);
        wipe_block_frames();
        return;
    }
    cbc_decrypt_blocks(key, iv, out, in, nblocks);
    wipe_group_frames(nblocks);
}

/*
 * CBC encryption is one chain of rounds through all blocks, which needn't leave
 * the tower between them: the last round's inverse goes through two linear
 * maps, one that gives the ciphertext c and one that gives its representation,
 * and the next block starts from
 *
 *      tower(p + c) + enc[0] = tower(inverse's part) + (tower(p + enc[rounds]) + enc[0])
 *
 * whose bracket is ready before.
 */
static NOINLINE void cbc_encrypt_blocks(const struct ctaes_aes_key *key, uint8_t iv[16],
                                        uint8_t *out, const uint8_t *in, size_t nblocks)
{
    const uint32_t rounds = key->rounds;
    const vblock last_key = block_load(key->enc[rounds]);
    const vblock shift = block_load(shift_rows[rounds % 4]);
    vblock x = block_encrypt_first(block_xor(block_load(iv), block_load(in)), key);
    for (;;) {
        for (uint32_t r = 1; r < rounds; r++)
            x = block_encrypt_round_alone(x, block_encrypt_ways(r), block_load(key->enc[r]));
        const struct block_inverse y = block_invert(x);
        const vblock c = block_shuffle(block_finish(y, enc_out_io, enc_out_jo), shift);
        if (--nblocks == 0) {
            block_store(out, block_xor(c, last_key));
            block_store(iv, block_xor(c, last_key));
            return;
        }
        in += 16;
        vblock next = block_encrypt_first(block_xor(block_load(in), last_key), key);
        block_settle(&next);
        x = block_xor(block_shuffle(block_finish(y, enc_1_io, enc_1_jo), shift), next);
        block_store(out, block_xor(c, last_key));
        out += 16;
    }
}

static void cbc_encrypt(const struct ctaes_aes_key *key, uint8_t iv[16], uint8_t *out,
                        const uint8_t *in, size_t nblocks)
{
    if (nblocks == 0)
        return;
    cbc_encrypt_blocks(key, iv, out, in, nblocks);
    wipe_block_frames();
}

#endif
