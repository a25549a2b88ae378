/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OCB, version 3 (RFC 7253; Krovetz and Rogaway, "The Software Performance of
 * Authenticated-Encryption Modes", FSE 2011).
 *
 *   L_* = E(0)   L_$ = 2 L_*   L_0 = 2 L_$   L_i = 2 L_(i-1)     see doubling.h
 *
 *   Offset_i = Offset_(i-1) ^ L_ntz(i)          ntz: the number of trailing zeros
 *   C_i      = E(P_i ^ Offset_i) ^ Offset_i     and the same with D to decrypt
 *   C_*      = P_* ^ E(Offset_m ^ L_*)          a last block that isn't whole
 *   tag      = E(Checksum ^ Offset ^ L_$) ^ HASH(AAD)
 *   Checksum = P_1 ^ P_2 ^ ... ^ P_* 1 0*
 *   HASH     = E(A_1 ^ Offset'_1) ^ E(A_2 ^ Offset'_2) ^ ...   Offset'_0 = 0
 *
 * Which of the L_i have gone into the offsets since block 128 k is the same for
 * every k: for block 128 k + j, the Gray code of j. So their sums, the masks,
 * are made once for a key, and the offsets of a run of 128 blocks don't wait for
 * each other:
 *
 *      Offset_(128 k + j)   = Offset_(128 k) ^ masks[j]               j = 0 .. 127
 *      Offset_(128 k + 128) = Offset_(128 k) ^ masks[127] ^ L_ntz(128 k + 128)
 *
 * Blocks are counted from 1: a message's first run lacks its first block, whose
 * offset is Offset_0. Long runs pay off because of what has to be done between
 * them, and because data is seldom as well aligned for 127 blocks as for 128.
 *
 * Constant time: offsets, L and all that is made from them are secret, and are
 * only xored and doubled. How many blocks came, ntz of that, and the nonce are
 * public; so is the shift that the nonce's last 6 bits choose.
 */
#include "ocb.h"

#include "doubling.h"
#include "../../cores/bytes.h"
#include "../../cores/ct.h"

#define RUN CTAES_OCB_RUN
#define RUN_LOG2 7
_Static_assert(RUN == 1 << RUN_LOG2, "RUN is no power of two, or not this one");

/* Trailing zeros of n, which is public and not 0. */
static size_t count_zeros(uint64_t n)
{
    return (size_t)__builtin_ctzll(n);
}

void ctaes_ocb_set_key(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                       struct ctaes_ocb_key *ok)
{
    uint8_t l[RUN_LOG2][16];
    memset(ok->l_star, 0, 16);
    core->encrypt(key, ok->l_star, ok->l_star, 1);
    double_block(ok->l_dollar, ok->l_star);
    double_block(l[0], ok->l_dollar);
    for (size_t i = 1; i < RUN_LOG2; i++)
        double_block(l[i], l[i - 1]);
    double_block(ok->l_later[0], l[RUN_LOG2 - 1]);
    for (size_t i = 1; i < CTAES_OCB_LATER; i++)
        double_block(ok->l_later[i], ok->l_later[i - 1]);

    block_word mask = {0};
    store_block_word(ok->masks[0], mask);
    for (size_t i = 1; i < RUN; i++) {
        mask ^= load_block_word(l[count_zeros(i)]);
        store_block_word(ok->masks[i], mask);
    }
    ct_wipe(l, sizeof l);
}

/* Moves a place's offset on to block number, a multiple of RUN. */
static void next_run(const struct ctaes_ocb_key *ok, struct ctaes_ocb_place *place, uint64_t number)
{
    const size_t i = count_zeros(number) - RUN_LOG2, kept = CTAES_OCB_LATER - 1;
    xor_block(place->offset, place->offset, ok->masks[RUN - 1]);
    if (i <= kept) {
        xor_block(place->offset, place->offset, ok->l_later[i]);
        return;
    }
    uint8_t l[16];
    memcpy(l, ok->l_later[kept], 16);
    for (size_t k = kept; k < i; k++)
        double_block(l, l);
    xor_block(place->offset, place->offset, l);
    ct_wipe(l, sizeof l);
}

/* Takes at most nblocks blocks at a place, and says how many: they are of one
   run, with the place's offset and the masks that *masks points to. */
static size_t take_blocks(const struct ctaes_ocb_key *ok, struct ctaes_ocb_place *place,
                          size_t nblocks, const uint8_t **masks)
{
    const uint64_t number = place->nblocks + 1;
    const size_t first = (size_t)(number % RUN);
    const size_t n = nblocks < RUN - first ? nblocks : RUN - first;
    if (first == 0)
        next_run(ok, place, number);
    place->nblocks += n;
    *masks = ok->masks[first];
    return n;
}

/* The offset of the last block that a place has seen. */
static void current_offset(const struct ctaes_ocb_key *ok, const struct ctaes_ocb_place *place,
                           uint8_t offset[16])
{
    xor_block(offset, place->offset, ok->masks[place->nblocks % RUN]);
}

void ctaes_ocb_start(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                     struct ctaes_ocb *state, const uint8_t *nonce, size_t nonce_len,
                     size_t tag_len)
{
    /*
     *   │ tag_len * 8 mod 128, 7 bits │ 0* 1 │ nonce │         the last 6 bits: bottom
     *
     * Offset_0 is 128 bits of Stretch = Ktop || (Ktop ^ Ktop << 8), from bit
     * `bottom` on; three words of 64 bits are all of it that can be needed.
     */
    uint8_t block[16] = {0};
    memcpy(block + 16 - nonce_len, nonce, nonce_len);
    block[15 - nonce_len] |= 1;
    block[0] |= (uint8_t)(tag_len * 8 % 128 << 1);
    const unsigned bottom = block[15] & 0x3f;
    block[15] &= 0xc0;
    core->encrypt(key, block, block, 1);

    const uint64_t a = load_be64(block), b = load_be64(block + 8);
    const uint64_t c = a ^ (a << 8 | b >> 56);
    memset(state, 0, sizeof *state);
    if (bottom == 0)
        memcpy(state->data.offset, block, 16);
    else
        store_be64_pair(state->data.offset, a << bottom | b >> (64 - bottom),
                        b << bottom | c >> (64 - bottom));
    ct_wipe(block, sizeof block);
}

/* out = in ^ masks ^ offset, block by block; out may be in. */
static void mask_blocks(uint8_t *out, const uint8_t *in, const uint8_t *masks,
                        const uint8_t offset[16], size_t nblocks)
{
    const block_word o = load_block_word(offset);
    for (size_t i = 0; i < 16 * nblocks; i += 16)
        store_block_word(out + i, load_block_word(in + i) ^ load_block_word(masks + i) ^ o);
}

/* sum ^= the xor of nblocks blocks. */
static void add_blocks(uint8_t sum[16], const uint8_t *in, size_t nblocks)
{
    block_word s = load_block_word(sum);
    for (size_t i = 0; i < 16 * nblocks; i += 16)
        s ^= load_block_word(in + i);
    store_block_word(sum, s);
}

/* A last block of len bytes, 1 to 15, followed by a 1 bit and zeros. */
static void pad_block(uint8_t block[16], const uint8_t *in, size_t len)
{
    memset(block, 0, 16);
    memcpy(block, in, len);
    block[len] = 0x80;
}

void ctaes_ocb_aad(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                   const struct ctaes_ocb_key *ok, struct ctaes_ocb *state, const uint8_t *aad,
                   size_t len)
{
    uint8_t buffer[RUN * 16];
    size_t used = 16;
    struct ctaes_ocb_place *place = &state->aad;
    for (size_t left = len / 16; left > 0;) {
        const uint8_t *masks;
        size_t n = take_blocks(ok, place, left, &masks);
        mask_blocks(buffer, aad, masks, place->offset, n);
        core->encrypt(key, buffer, buffer, n);
        add_blocks(state->sum, buffer, n);
        used = 16 * n > used ? 16 * n : used;
        aad += 16 * n;
        left -= n;
    }
    if (len % 16 != 0) {
        uint8_t offset[16];
        current_offset(ok, place, offset);
        pad_block(buffer, aad, len % 16);
        mask_blocks(buffer, buffer, ok->l_star, offset, 1);
        core->encrypt(key, buffer, buffer, 1);
        xor_block(state->sum, state->sum, buffer);
        state->aad_ended = true;
        ct_wipe(offset, sizeof offset);
    }
    ct_wipe(buffer, used);
}

/* Blocks of one run. */
static void crypt_run(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                      struct ctaes_ocb *state, const uint8_t *masks, uint8_t *out,
                      const uint8_t *in, size_t nblocks, bool encrypting)
{
    if (core->ocb_encrypt != NULL && core->ocb_decrypt != NULL) {
        (encrypting ? core->ocb_encrypt : core->ocb_decrypt)(key, masks, state->data.offset,
                                                             state->checksum, out, in, nblocks);
        return;
    }
    uint8_t buffer[RUN * 16];
    mask_blocks(buffer, in, masks, state->data.offset, nblocks);
    if (encrypting)
        add_blocks(state->checksum, in, nblocks);
    (encrypting ? core->encrypt : core->decrypt)(key, buffer, buffer, nblocks);
    mask_blocks(out, buffer, masks, state->data.offset, nblocks);
    if (!encrypting)
        add_blocks(state->checksum, out, nblocks);
    ct_wipe(buffer, 16 * nblocks);
}

/* The last block, of len bytes, 1 to 15. */
static void crypt_last(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                       const struct ctaes_ocb_key *ok, struct ctaes_ocb *state, uint8_t *out,
                       const uint8_t *in, size_t len, bool encrypting)
{
    uint8_t pad[16], plain[16];
    /* Offset_* takes the place of Offset_m for the tag, too. */
    current_offset(ok, &state->data, pad);
    xor_block(state->data.offset, pad, ok->l_star);
    core->encrypt(key, pad, state->data.offset, 1);
    if (encrypting)
        pad_block(plain, in, len);
    xor_bytes(out, in, pad, len);
    if (!encrypting)
        pad_block(plain, out, len);
    xor_block(state->checksum, state->checksum, plain);
    state->data_ended = true;
    ct_wipe(pad, sizeof pad);
    ct_wipe(plain, sizeof plain);
}

static void crypt_ocb(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                      const struct ctaes_ocb_key *ok, struct ctaes_ocb *state, uint8_t *out,
                      const uint8_t *in, size_t len, bool encrypting)
{
    for (size_t left = len / 16; left > 0;) {
        const uint8_t *masks;
        size_t n = take_blocks(ok, &state->data, left, &masks);
        crypt_run(core, key, state, masks, out, in, n, encrypting);
        in += 16 * n;
        out += 16 * n;
        left -= n;
    }
    if (len % 16 != 0)
        crypt_last(core, key, ok, state, out, in, len % 16, encrypting);
}

void ctaes_ocb_encrypt(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                       const struct ctaes_ocb_key *ok, struct ctaes_ocb *state, uint8_t *out,
                       const uint8_t *in, size_t len)
{
    crypt_ocb(core, key, ok, state, out, in, len, true);
}

void ctaes_ocb_decrypt(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                       const struct ctaes_ocb_key *ok, struct ctaes_ocb *state, uint8_t *out,
                       const uint8_t *in, size_t len)
{
    crypt_ocb(core, key, ok, state, out, in, len, false);
}

void ctaes_ocb_finish(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                      const struct ctaes_ocb_key *ok, struct ctaes_ocb *state, uint8_t tag[16])
{
    uint8_t block[16];
    if (state->data_ended)
        memcpy(block, state->data.offset, 16);
    else
        current_offset(ok, &state->data, block);
    xor_block(block, block, state->checksum);
    xor_block(block, block, ok->l_dollar);
    core->encrypt(key, block, block, 1);
    xor_block(tag, block, state->sum);
    ct_wipe(block, sizeof block);
    ct_wipe(state, sizeof *state);
}

const struct ctaes_mode ctaes_mode_ocb = {
    .name = "OCB",
    .kind = CTAES_OWN,
    .evp_mode = 0x10003,
    .block_size = 16,
    .iv_len = 12,
    .aead = true,
    .custom_iv = true,
    .inverse_cipher = true,
    .own_key_size = sizeof(struct ctaes_ocb_key),
};
