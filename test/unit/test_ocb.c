/* SPDX-License-Identifier: Apache-2.0 */
/* OCB on every core: the RFC's iterated test, pieces, places far into a message, wiping. */
#include "topics.h"

#include "../../cores/bytes.h"
#include "../../provider/modes/ocb.h"

#include <stdlib.h>

struct ocb_keys {
    struct ctaes_aes_key *aes;
    struct ctaes_ocb_key *ocb;
};

static void set_keys(struct ocb_keys *keys, const struct ctaes_core *core, const uint8_t *k,
                     size_t k_len)
{
    keys->aes = key_memory(core->key_size, 0);
    keys->ocb = key_memory(sizeof *keys->ocb, 0xa5);
    core->expand_key(keys->aes, k, k_len);
    if (core->prepare_decrypt != NULL)
        core->prepare_decrypt(keys->aes);
    ctaes_ocb_set_key(core, keys->aes, keys->ocb);
}

static void free_ocb_keys(struct ocb_keys *keys)
{
    free(keys->aes);
    free(keys->ocb);
}

/* --- RFC 7253, appendix A: the iterated test ----------------------------------------------------
 */

struct answer {
    size_t key_len, tag_len; /* bytes */
    uint8_t tag[16];
};

static const struct answer answers[] = {
    {16,
     16,
     {0x67, 0xe9, 0x44, 0xd2, 0x32, 0x56, 0xc5, 0xe0, 0xb6, 0xc6, 0x1f, 0xa2, 0x2f, 0xdf, 0x1e,
      0xa2}},
    {24,
     16,
     {0xf6, 0x73, 0xf2, 0xc3, 0xe7, 0x17, 0x4a, 0xae, 0x7b, 0xae, 0x98, 0x6c, 0xa9, 0xf2, 0x9e,
      0x17}},
    {32,
     16,
     {0xd9, 0x0e, 0xb8, 0xe9, 0xc9, 0x77, 0xc8, 0x8b, 0x79, 0xdd, 0x79, 0x3d, 0x7f, 0xfa, 0x16,
      0x1c}},
    {16, 12, {0x77, 0xa3, 0xd8, 0xe7, 0x35, 0x89, 0x15, 0x8d, 0x25, 0xd0, 0x12, 0x09}},
    {24, 12, {0x05, 0xd5, 0x6e, 0xad, 0x27, 0x52, 0xc8, 0x6b, 0xe6, 0x93, 0x2c, 0x5e}},
    {32, 12, {0x54, 0x58, 0x35, 0x9a, 0xc2, 0x3b, 0x0c, 0xba, 0x9e, 0x63, 0x30, 0xdd}},
    {16, 8, {0x19, 0x2c, 0x9b, 0x7b, 0xd9, 0x0b, 0xa0, 0x6a}},
    {24, 8, {0x00, 0x66, 0xbc, 0x6e, 0x0e, 0xf3, 0x4e, 0x24}},
    {32, 8, {0x7d, 0x4e, 0xa5, 0xd4, 0x45, 0x50, 0x1c, 0xbe}},
};

/* Encrypts zeros; returns the length of ciphertext and tag. */
static size_t encrypt_zeros(const struct ctaes_core *core, const struct ocb_keys *keys,
                            uint8_t *out, uint32_t nonce, size_t tag_len, const uint8_t *aad,
                            size_t aad_len, size_t len)
{
    uint8_t n[12] = {0}, tag[16];
    struct ctaes_ocb state;
    store_be32(n + 8, nonce);
    memset(out, 0, len);
    ctaes_ocb_start(core, keys->aes, &state, n, sizeof n, tag_len);
    ctaes_ocb_aad(core, keys->aes, keys->ocb, &state, aad, aad_len);
    ctaes_ocb_encrypt(core, keys->aes, keys->ocb, &state, out, out, len);
    ctaes_ocb_finish(core, keys->aes, keys->ocb, &state, tag);
    memcpy(out + len, tag, tag_len);
    return len + tag_len;
}

void test_ocb_iterated(const struct setup *s)
{
    static const uint8_t zeros[128];
    uint8_t *c = key_memory(128 * (256 + 2 * 16) * 2, 0);
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        const struct answer *a = &answers[i];
        struct ocb_keys keys;
        uint8_t k[32] = {0}, tag[16];
        size_t used = 0;
        at.step = "the iterated test";
        at.detail = "bits of key and tag";
        at.number = 10000 * 8 * a->key_len + 8 * a->tag_len;
        k[a->key_len - 1] = (uint8_t)(8 * a->tag_len);
        set_keys(&keys, s->core, k, a->key_len);
        for (uint32_t n = 0; n < 128; n++) {
            used += encrypt_zeros(s->core, &keys, c + used, 3 * n + 1, a->tag_len, zeros, n, n);
            used += encrypt_zeros(s->core, &keys, c + used, 3 * n + 2, a->tag_len, zeros, 0, n);
            used += encrypt_zeros(s->core, &keys, c + used, 3 * n + 3, a->tag_len, zeros, n, 0);
        }
        encrypt_zeros(s->core, &keys, tag, 385, a->tag_len, c, used, 0);
        expect_bytes("the last tag", tag, a->tag, a->tag_len);
        free_ocb_keys(&keys);
    }
    at.detail = NULL;
    free(c);
}

/* --- Pieces -------------------------------------------------------------------------------------
 */

#define MAX_DATA 9000

struct ocb_case {
    uint8_t nonce[15], aad[MAX_DATA], plain[MAX_DATA], whole[MAX_DATA], got[MAX_DATA];
};

/* AAD and data in pieces of whole blocks, in turn, must be what they are at once; and each piece
   encrypts in place to what it does elsewhere. */
static void check_pieces(const struct ctaes_core *core, const struct ocb_keys *keys,
                         struct ocb_case *c, size_t aad_len, size_t len, bool encrypting)
{
    struct ctaes_ocb state;
    const struct ctaes_ocb zeros = {.data_ended = false};
    uint8_t want[16], tag[16];
    void (*const crypt)(const struct ctaes_core *, const struct ctaes_aes_key *,
                        const struct ctaes_ocb_key *, struct ctaes_ocb *, uint8_t *,
                        const uint8_t *, size_t) =
        encrypting ? ctaes_ocb_encrypt : ctaes_ocb_decrypt;
    at.len = len;
    at.step = encrypting ? "encrypt in pieces" : "decrypt in pieces";
    ctaes_ocb_start(core, keys->aes, &state, c->nonce, 15, 16);
    ctaes_ocb_aad(core, keys->aes, keys->ocb, &state, c->aad, aad_len);
    crypt(core, keys->aes, keys->ocb, &state, c->whole, c->plain, len);
    ctaes_ocb_finish(core, keys->aes, keys->ocb, &state, want);
    expect(memcmp(&state, &zeros, sizeof state) == 0, "the state isn't wiped");

    memcpy(c->got, c->plain, len);
    ctaes_ocb_start(core, keys->aes, &state, c->nonce, 15, 16);
    for (size_t aad = 0, data = 0; aad < aad_len || data < len;) {
        size_t n = 16 * random_below(150);
        n = n < len - data ? n : len - data;
        crypt(core, keys->aes, keys->ocb, &state, c->got + data, c->got + data, n);
        data += n;
        n = 16 * random_below(150);
        n = n < aad_len - aad ? n : aad_len - aad;
        ctaes_ocb_aad(core, keys->aes, keys->ocb, &state, c->aad + aad, n);
        aad += n;
    }
    ctaes_ocb_finish(core, keys->aes, keys->ocb, &state, tag);
    expect_bytes("the output", c->got, c->whole, len);
    expect_bytes("the tag", tag, want, 16);
}

void test_ocb_pieces(const struct setup *s)
{
    struct ocb_case *c = key_memory(sizeof *c, 0);
    struct ocb_keys keys;
    uint8_t k[32];
    random_bytes(k, sizeof k);
    random_bytes(c, sizeof *c);
    set_keys(&keys, s->core, k, sizeof k);
    for (int i = 0; i < (quick ? 20 : 100); i++)
        check_pieces(s->core, &keys, c, random_below(MAX_DATA), random_below(MAX_DATA), i % 2 == 0);
    free_ocb_keys(&keys);
    free(c);
}

/* --- Far into a message -------------------------------------------------------------------------
 */

/* Doubling by the letter of RFC 7253 section 2. */
static void model_double(uint8_t x[16])
{
    const unsigned carry = x[0] >> 7;
    for (size_t i = 0; i < 15; i++)
        x[i] = (uint8_t)(x[i] << 1 | x[i + 1] >> 7);
    x[15] = (uint8_t)((unsigned)x[15] << 1 ^ (carry != 0 ? 0x87U : 0U));
}

/* Blocks around number `middle`, whose L_i no shorter message needs. The place is set as if so many
   blocks had come before it, all of their offsets having been as they must: which is what this
   computes, as the Gray code of the last one's number. */
static void check_far(const struct ctaes_core *core, const struct ocb_keys *keys, uint64_t middle)
{
    uint8_t l[66][16], offset[16] = {0}, want[64 * 16], got[64 * 16], in[64 * 16];
    struct ctaes_ocb state;
    at.detail = "the middle one's number";
    at.number = middle;
    memset(l[0], 0, 16);
    core->encrypt(keys->aes, l[0], l[0], 1);
    model_double(l[0]);
    model_double(l[0]);
    for (size_t i = 1; i < 66; i++) {
        memcpy(l[i], l[i - 1], 16);
        model_double(l[i]);
    }
    random_bytes(in, sizeof in);
    for (int decrypting = 0; decrypting < 2; decrypting++) {
        const uint64_t before = middle - 32, run = before - before % CTAES_OCB_RUN;
        memset(&state, 0, sizeof state);
        state.data.nblocks = state.aad.nblocks = before;
        for (size_t i = 0; i < 64; i++) {
            if (((run ^ run >> 1) >> i & 1) != 0)
                xor_block(state.data.offset, state.data.offset, l[i]);
        }
        memcpy(state.aad.offset, state.data.offset, 16);
        uint8_t sum[16] = {0};
        for (size_t n = 0; n < 64; n++) {
            const uint64_t number = before + n + 1, gray = number ^ number >> 1;
            memset(offset, 0, 16);
            for (size_t i = 0; i < 64; i++)
                if ((gray >> i & 1) != 0)
                    xor_block(offset, offset, l[i]);
            uint8_t *block = want + 16 * n, hashed[16];
            xor_block(block, in + 16 * n, offset);
            core->encrypt(keys->aes, hashed, block, 1);
            xor_block(sum, sum, hashed);
            (decrypting ? core->decrypt : core->encrypt)(keys->aes, block, block, 1);
            xor_block(block, block, offset);
        }
        at.step = decrypting ? "decrypt" : "encrypt";
        (decrypting ? ctaes_ocb_decrypt : ctaes_ocb_encrypt)(core, keys->aes, keys->ocb, &state,
                                                             got, in, sizeof in);
        expect_bytes("the output", got, want, sizeof want);
        at.step = "AAD";
        ctaes_ocb_aad(core, keys->aes, keys->ocb, &state, in, sizeof in);
        expect_bytes("the sum", state.sum, sum, 16);
    }
}

void test_ocb_far(const struct setup *s)
{
    struct ocb_keys keys;
    uint8_t k[32];
    random_bytes(k, sizeof k);
    set_keys(&keys, s->core, k, sizeof k);
    for (unsigned i = 6; i < 64; i++)
        check_far(s->core, &keys, UINT64_C(1) << i);
    for (unsigned i = 8; i < 63; i++)
        check_far(s->core, &keys, (UINT64_C(3) << i) - 64);
    at.detail = NULL;
    free_ocb_keys(&keys);
}
