/* SPDX-License-Identifier: Apache-2.0 */
/* A core's own functions, called as core.h says, against the reference. */
#include "topics.h"

#include <stdlib.h>

#define MAX_DATA (MAX_BLOCKS * 16)

static void encrypt_reference(const struct keys *keys, uint8_t *out, const uint8_t *in,
                              size_t nblocks)
{
    for (size_t i = 0; i < nblocks; i++)
        reference_encrypt_block(&keys->reference, out + i * 16, in + i * 16);
}

static void decrypt_reference(const struct keys *keys, uint8_t *out, const uint8_t *in,
                              size_t nblocks)
{
    for (size_t i = 0; i < nblocks; i++)
        reference_decrypt_block(&keys->reference, out + i * 16, in + i * 16);
}

/* --- Key setup ---------------------------------------------------------------------------- */

/* Encrypts and decrypts three random blocks with key. */
static void check_key_works(const struct ctaes_core *core, const struct ctaes_aes_key *key,
                            const struct reference_key *reference, bool decrypts)
{
    uint8_t in[48], out[48], want[48];
    random_bytes(in, sizeof in);
    for (size_t i = 0; i < 48; i += 16)
        reference_encrypt_block(reference, want + i, in + i);
    core->encrypt(key, out, in, 3);
    expect_bytes("the ciphertext", out, want, sizeof out);
    if (decrypts) {
        core->decrypt(key, out, want, 3);
        expect_bytes("the plaintext", out, in, sizeof out);
    }
}

/* Expands k into memory prefilled with one value, and checks that nothing
   beyond the key structure is written. */
static struct ctaes_aes_key *expand_into(const struct ctaes_core *core, const uint8_t *k,
                                         size_t k_len, int fill, bool prepare)
{
    uint8_t margin[64];
    struct ctaes_aes_key *key = key_memory(core->key_size + sizeof margin, fill);
    memset(margin, fill, sizeof margin);
    core->expand_key(key, k, k_len);
    if (prepare && core->prepare_decrypt != NULL)
        core->prepare_decrypt(key);
    expect_bytes("the memory after the key", (uint8_t *)key + core->key_size, margin,
                 sizeof margin);
    return key;
}

/* The size of a key structure without the padding at its end, less than its
   alignment: expand_key writes the whole of it. */
static size_t written_size(const struct ctaes_core *core, const uint8_t *from_ones,
                           const uint8_t *from_zeros)
{
    size_t size = core->key_size, least = size < CTAES_ALIGN ? 1 : size - (CTAES_ALIGN - 1);
    while (size > least && from_ones[size - 1] == 0xff && from_zeros[size - 1] == 0x00)
        size--;
    return size;
}

static void check_one_key(const struct setup *s, const uint8_t *k)
{
    const struct ctaes_core *core = s->core;
    struct reference_key reference;
    uint8_t k_copy[32];
    memcpy(k_copy, k, s->key_len);
    reference_expand_key(&reference, k_copy, s->key_len);

    struct ctaes_aes_key *key = expand_into(core, k, s->key_len, 0x00, false);
    struct ctaes_aes_key *other = expand_into(core, k, s->key_len, 0xff, false);
    expect_bytes("the key's bytes, from memory of ones and of zeros", (uint8_t *)other,
                 (uint8_t *)key, written_size(core, (uint8_t *)other, (uint8_t *)key));
    check_key_works(core, key, &reference, core->prepare_decrypt == NULL);

    at.step = "prepare_decrypt";
    for (int again = 0; again < 2; again++) {
        if (core->prepare_decrypt != NULL)
            core->prepare_decrypt(key);
        check_key_works(core, key, &reference, true);
    }

    at.step = "a copied key";
    memcpy(other, key, core->key_size);
    memset(key, 0xdd, core->key_size);
    check_key_works(core, other, &reference, true);

    at.step = "the same memory with another key";
    uint8_t next[32];
    random_bytes(next, sizeof next);
    reference_expand_key(&reference, next, s->key_len);
    core->expand_key(other, next, s->key_len);
    check_key_works(core, other, &reference, core->prepare_decrypt == NULL);

    expect_bytes("k (written to)", k, k_copy, s->key_len);
    free(key);
    free(other);
}

void test_key_setup(const struct setup *s)
{
    uint8_t k[32] = {0};
    for (int round = 0; round < (quick ? 4 : 40); round++) {
        random_bytes(k, sizeof k);
        at.step = "expand_key";
        at.len = s->key_len;
        check_one_key(s, guard_small(k, s->key_len, round % 2 == 0));
    }
    for (size_t offset = 0; offset < 16; offset++) {
        uint8_t room[48];
        memcpy(room + offset, k, s->key_len);
        at.step = "expand_key";
        at.in_offset = offset;
        check_one_key(s, room + offset);
    }
}

/* Each bit of the key alone and its complement, each bit of the block, each
   byte value at each place of the block: every input of every S-box. */
void test_key_bits(const struct setup *s)
{
    uint8_t in[256 * 16], out[256 * 16], want[256 * 16];
    struct keys keys;
    for (size_t bit = 0; bit < s->key_len * 8 * 2; bit++) {
        uint8_t k[32];
        memset(k, bit % 2 ? 0xff : 0x00, sizeof k);
        k[bit / 16] ^= (uint8_t)(0x80 >> (bit / 2 % 8));
        at.step = "a key with one bit apart";
        at.detail = "bit";
        at.number = bit / 2;
        expand_keys(&keys, s->core, k, s->key_len);
        check_key_works(s->core, keys.aes, &keys.reference, true);
        free_keys(&keys);
    }
    at.detail = NULL;

    random_keys(&keys, s);
    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (uint8_t)(i / 16 + 17 * (i % 16));
    at.step = "every byte value at every place";
    encrypt_reference(&keys, want, in, 256);
    s->core->encrypt(keys.aes, out, in, 256);
    expect_bytes("the ciphertext", out, want, sizeof out);
    decrypt_reference(&keys, want, in, 256);
    s->core->decrypt(keys.aes, out, in, 256);
    expect_bytes("the plaintext", out, want, sizeof out);

    memset(in, 0, 128 * 16);
    for (size_t bit = 0; bit < 128; bit++)
        in[bit * 16 + bit / 8] = (uint8_t)(0x80 >> bit % 8);
    at.step = "each bit of the block";
    encrypt_reference(&keys, want, in, 128);
    s->core->encrypt(keys.aes, out, in, 128);
    expect_bytes("the ciphertext", out, want, 128 * 16);
    decrypt_reference(&keys, want, in, 128);
    s->core->decrypt(keys.aes, out, in, 128);
    expect_bytes("the plaintext", out, want, 128 * 16);
    free_keys(&keys);
}

/* --- encrypt and decrypt ------------------------------------------------------------------ */

struct block_case {
    const struct ctaes_core *core;
    struct keys keys;
    uint8_t data[MAX_DATA], encrypted[MAX_DATA], decrypted[MAX_DATA];
};

static struct block_case *new_block_case(const struct setup *s)
{
    struct block_case *c = key_memory(sizeof *c, 0);
    c->core = s->core;
    random_keys(&c->keys, s);
    random_bytes(c->data, MAX_DATA);
    encrypt_reference(&c->keys, c->encrypted, c->data, MAX_BLOCKS);
    decrypt_reference(&c->keys, c->decrypted, c->data, MAX_BLOCKS);
    return c;
}

static void free_block_case(struct block_case *c)
{
    free_keys(&c->keys);
    free(c);
}

static void check_blocks(struct block_case *c, const struct layout *layout, size_t nblocks,
                         size_t in_offset, size_t out_offset)
{
    struct staged b;
    at.step = "encrypt";
    stage(&b, layout, c->data, nblocks * 16, in_offset, out_offset);
    c->core->encrypt(c->keys.aes, b.out, b.in, nblocks);
    check_staged(&b, "the ciphertext", c->encrypted);
    at.step = "decrypt";
    stage(&b, layout, c->data, nblocks * 16, in_offset, out_offset);
    c->core->decrypt(c->keys.aes, b.out, b.in, nblocks);
    check_staged(&b, "the plaintext", c->decrypted);
}

/* Every number of blocks, against the inaccessible pages on both sides. */
void test_blocks(const struct setup *s)
{
    struct block_case *c = new_block_case(s);
    for (size_t n = 0; n <= MAX_BLOCKS; n++) {
        if (!wanted_blocks(s->core, n))
            continue;
        for (size_t i = 0; i < 4; i++)
            check_blocks(c, &layouts[i], n, 0, 0);
        check_blocks(c, &layouts[n % LAYOUTS], n, n % 16, (n * 7 + 3) % 16);
    }
    free_block_case(c);
}

/* Every pair of alignments. */
void test_offsets(const struct setup *s)
{
    struct block_case *c = new_block_case(s);
    size_t sizes[] = {1, s->core->batch, s->core->batch + 1U, 2U * s->core->batch + 1U};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (size_t in_offset = 0; in_offset < 16; in_offset++)
            for (size_t out_offset = 0; out_offset < 16; out_offset++) {
                if (quick && i != 2 && in_offset % 5 != 0)
                    continue;
                check_blocks(c, &layouts[(in_offset + out_offset) % 2], sizes[i], in_offset,
                             out_offset);
                if (in_offset == 0)
                    check_blocks(c, &layouts[2 + out_offset % 2], sizes[i], 0, out_offset);
            }
    free_block_case(c);
}

/* --- GHASH -------------------------------------------------------------------------------- */

struct ghash_case {
    const struct ctaes_core *core;
    uint8_t h[16], y0[16];
    uint8_t data[MAX_DATA];
    uint8_t want[MAX_BLOCKS + 1][16]; /* after so many blocks */
};

static void fill_ghash_case(struct ghash_case *c, const uint8_t h[16], const uint8_t y0[16])
{
    memcpy(c->h, h, 16);
    memcpy(c->y0, y0, 16);
    random_bytes(c->data, MAX_DATA);
    memcpy(c->want[0], y0, 16);
    for (size_t i = 0; i < MAX_BLOCKS; i++) {
        memcpy(c->want[i + 1], c->want[i], 16);
        reference_ghash(c->want[i + 1], h, c->data + i * 16, 1);
    }
}

static void check_ghash(const struct ghash_case *c, struct ctaes_ghash_key *hk,
                        const struct layout *layout, size_t nblocks, size_t offset)
{
    struct staged b;
    stage(&b, layout, c->data, nblocks * 16, offset, offset);
    uint8_t *y = guard_small(c->y0, 16, layout->in_at_end);
    c->core->ghash(hk, y, b.in, nblocks);
    expect_bytes("y", y, c->want[nblocks], 16);
    if (b.in == b.out)
        expect_bytes("the input (written to)", b.in, c->data, b.len);
    else
        check_untouched(&b);
}

/* Expands h into memory prefilled with one value, and checks that nothing beyond
   the hash key is written. What the value is must not matter later: a core may
   leave parts of the hash key for when they are first needed. */
static struct ctaes_ghash_key *expand_h(const struct ctaes_core *core, const uint8_t h[16],
                                        int fill)
{
    uint8_t margin[64];
    struct ctaes_ghash_key *key = key_memory(core->ghash_size + sizeof margin, fill);
    memset(margin, fill, sizeof margin);
    core->ghash_init(key, guard_small(h, 16, fill != 0));
    expect_bytes("the memory after the hash key", (uint8_t *)key + core->ghash_size, margin,
                 sizeof margin);
    return key;
}

/* All numbers of blocks under one hash key, growing and then shrinking, since a
   core may compute powers of H when it first needs them; then with a copy. */
static void sweep_ghash(const struct ghash_case *c, int fill)
{
    const struct ctaes_core *core = c->core;
    at.step = "ghash_init";
    struct ctaes_ghash_key *hk = expand_h(core, c->h, fill);
    at.step = "ghash";
    for (size_t n = 0; n <= MAX_BLOCKS; n++)
        if (wanted_blocks(core, n))
            for (size_t i = 0; i < 3; i++)
                check_ghash(c, hk, &layouts[i], n, i == 2 ? n % 16 : 0);
    at.step = "ghash, many blocks first";
    core->ghash_init(hk, c->h);
    check_ghash(c, hk, &layouts[0], MAX_BLOCKS, 0);
    check_ghash(c, hk, &layouts[0], 1, 0);
    at.step = "ghash, a copied hash key";
    struct ctaes_ghash_key *copy = key_memory(core->ghash_size, 0xee);
    memcpy(copy, hk, core->ghash_size);
    memset(hk, 0xdd, core->ghash_size);
    check_ghash(c, copy, &layouts[0], core->batch + 1U, 0);
    check_ghash(c, copy, &layouts[0], MAX_BLOCKS, 0);

    at.step = "ghash in pieces";
    core->ghash_init(hk, c->h);
    for (size_t round = 0; round < 20; round++) {
        uint8_t y[16];
        memcpy(y, c->y0, 16);
        for (size_t done = 0; done < MAX_BLOCKS;) {
            size_t left = MAX_BLOCKS - done;
            size_t n = random_below(round % 2 ? 4 : 2U * core->batch + 3U);
            n = n < left ? n : left;
            core->ghash(hk, y, c->data + done * 16, n);
            done += n;
            at.len = done * 16;
            if (!expect_bytes("y", y, c->want[done], 16))
                break;
        }
    }
    free(hk);
    free(copy);
}

void test_ghash(const struct setup *s)
{
    static const uint8_t zero[16] = {0};
    static const int fills[3] = {0xff, 0x00, 0x01};
    uint8_t h[16], y[16];
    struct ghash_case *c = key_memory(sizeof *c, 0);
    c->core = s->core;
    for (int round = 0; round < (quick ? 1 : 3); round++) {
        random_bytes(h, 16);
        random_bytes(y, 16);
        fill_ghash_case(c, h, y);
        sweep_ghash(c, fills[round % 3]);
    }
    /* Hash keys and states of one bit, of all ones, of none: all carries of an
       integer multiplication, and none. */
    for (size_t bit = 0; bit < 129; bit++) {
        if (quick && bit % 8 != 0 && bit < 126)
            continue;
        memset(h, bit < 128 ? 0 : 0xff, 16);
        if (bit < 128)
            h[bit / 8] = (uint8_t)(0x80 >> bit % 8);
        memset(y, 0xff, 16);
        at.step = "ghash, special H";
        at.detail = "bit";
        at.number = bit;
        struct ctaes_ghash_key *hk = expand_h(s->core, h, bit % 2 ? 0xff : 0x00);
        for (size_t i = 0; i < 3; i++) {
            uint8_t got[16], want[16], in[16 * 5];
            memset(in, i == 0 ? 0x00 : 0xff, sizeof in);
            if (i == 2)
                random_bytes(in, sizeof in);
            memcpy(got, y, 16);
            memcpy(want, y, 16);
            s->core->ghash(hk, got, in, 5);
            reference_ghash(want, h, in, 5);
            expect_bytes("y", got, want, 16);
        }
        free(hk);
    }
    at.detail = NULL;
    fill_ghash_case(c, zero, zero);
    at.step = "ghash, H = 0";
    struct ctaes_ghash_key *hk = expand_h(s->core, zero, 0xff);
    check_ghash(c, hk, &layouts[0], MAX_BLOCKS, 0);
    free(hk);
    free(c);
}
