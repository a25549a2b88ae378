/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The optional functions of a core. Whether a core has one must make no
 * difference to any result, so every mode is run with each of them switched:
 * off, by a copy of the core's table with NULL in its place, where the core has
 * it; on, by a stand-in built from the core's other functions, where it hasn't.
 * So the modes' paths through optional functions are tested on every machine.
 */
#include "sweeps.h"

#include "../../cores/bytes.h"

#include <stdlib.h>

/* --- Stand-ins, one block at a time -------------------------------------------------------- */

/* The core whose functions the stand-ins call. */
static const struct ctaes_core *base;

static void stand_in_cbc_encrypt(const struct ctaes_aes_key *key, uint8_t iv[16], uint8_t *out,
                                 const uint8_t *in, size_t nblocks)
{
    for (size_t i = 0; i < nblocks * 16; i += 16) {
        xor_block(iv, iv, in + i);
        base->encrypt(key, iv, iv, 1);
        memcpy(out + i, iv, 16);
    }
}

static void stand_in_cbc_decrypt(const struct ctaes_aes_key *key, uint8_t iv[16], uint8_t *out,
                                 const uint8_t *in, size_t nblocks)
{
    for (size_t i = 0; i < nblocks * 16; i += 16) {
        uint8_t block[16];
        memcpy(block, in + i, 16);
        base->decrypt(key, out + i, block, 1);
        xor_block(out + i, out + i, iv);
        memcpy(iv, block, 16);
    }
}

static void stand_in_ctr32(const struct ctaes_aes_key *key, uint8_t ctr[16], uint8_t *out,
                           const uint8_t *in, size_t len)
{
    for (size_t i = 0; i < len; i += 16) {
        uint8_t keystream[16];
        base->encrypt(key, keystream, ctr, 1);
        xor_bytes(out + i, in + i, keystream, len - i < 16 ? len - i : 16);
        if (len - i >= 16)
            store_be32(ctr + 12, load_be32(ctr + 12) + 1);
    }
}

static void stand_in_gcm_encrypt(const struct ctaes_aes_key *key, struct ctaes_ghash_key *hk,
                                 uint8_t ctr[16], uint8_t y[16], uint8_t *ej0, uint8_t *out,
                                 const uint8_t *in, size_t len)
{
    stand_in_ctr32(key, ctr, out, in, len);
    base->ghash(hk, y, out, len / 16);
    if (ej0 != NULL)
        base->encrypt(key, ej0, ej0, 1);
}

static void stand_in_gcm_decrypt(const struct ctaes_aes_key *key, struct ctaes_ghash_key *hk,
                                 uint8_t ctr[16], uint8_t y[16], uint8_t *ej0, uint8_t *out,
                                 const uint8_t *in, size_t len)
{
    base->ghash(hk, y, in, len / 16);
    stand_in_ctr32(key, ctr, out, in, len);
    if (ej0 != NULL)
        base->encrypt(key, ej0, ej0, 1);
}

static void stand_in_gcm_short(const struct ctaes_aes_key *key, uint8_t ctr[16], uint8_t ej0[16],
                               uint8_t *ct, uint8_t *out, const uint8_t *in, size_t len,
                               bool encrypting)
{
    memset(ct, 0, (len + 15) / 16 * 16);
    if (!encrypting)
        memcpy(ct, in, len);
    stand_in_ctr32(key, ctr, out, in, len);
    if (encrypting)
        memcpy(ct, out, len);
    base->encrypt(key, ej0, ej0, 1);
}

static void stand_in_ccm_encrypt(const struct ctaes_aes_key *key, uint8_t ctr[16], uint8_t mac[16],
                                 uint8_t *out, const uint8_t *in, size_t nblocks)
{
    for (size_t i = 0; i < nblocks * 16; i += 16) {
        xor_block(mac, mac, in + i);
        base->encrypt(key, mac, mac, 1);
        stand_in_ctr32(key, ctr, out + i, in + i, 16);
    }
}

static void stand_in_ccm_decrypt(const struct ctaes_aes_key *key, uint8_t ctr[16], uint8_t mac[16],
                                 uint8_t *out, const uint8_t *in, size_t nblocks)
{
    for (size_t i = 0; i < nblocks * 16; i += 16) {
        stand_in_ctr32(key, ctr, out + i, in + i, 16);
        xor_block(mac, mac, out + i);
        base->encrypt(key, mac, mac, 1);
    }
}

static void stand_in_ocb(const struct ctaes_aes_key *key, const uint8_t *masks,
                         const uint8_t offset[16], uint8_t sum[16], uint8_t *out, const uint8_t *in,
                         size_t nblocks, bool encrypting)
{
    for (size_t i = 0; i < nblocks * 16; i += 16) {
        uint8_t mask[16], block[16];
        xor_block(mask, masks + i, offset);
        xor_block(block, in + i, mask);
        if (encrypting)
            xor_block(sum, sum, in + i);
        (encrypting ? base->encrypt : base->decrypt)(key, block, block, 1);
        xor_block(out + i, block, mask);
        if (!encrypting)
            xor_block(sum, sum, out + i);
    }
}

static void stand_in_ocb_encrypt(const struct ctaes_aes_key *key, const uint8_t *masks,
                                 const uint8_t offset[16], uint8_t sum[16], uint8_t *out,
                                 const uint8_t *in, size_t nblocks)
{
    stand_in_ocb(key, masks, offset, sum, out, in, nblocks, true);
}

static void stand_in_ocb_decrypt(const struct ctaes_aes_key *key, const uint8_t *masks,
                                 const uint8_t offset[16], uint8_t sum[16], uint8_t *out,
                                 const uint8_t *in, size_t nblocks)
{
    stand_in_ocb(key, masks, offset, sum, out, in, nblocks, false);
}

/* --- Switching ---------------------------------------------------------------------------- */

enum slot {
    CBC_ENCRYPT,
    CBC_DECRYPT,
    CTR32,
    GCM_ENCRYPT,
    GCM_DECRYPT,
    GCM_SHORT,
    CCM_ENCRYPT,
    CCM_DECRYPT,
    OCB_ENCRYPT,
    OCB_DECRYPT,
    SLOTS
};
static const char *const slot_names[SLOTS] = {
    "cbc_encrypt", "cbc_decrypt", "ctr32",       "gcm_encrypt", "gcm_decrypt",
    "gcm_short",   "ccm_encrypt", "ccm_decrypt", "ocb_encrypt", "ocb_decrypt"};

/* If this fails, core.h has a new optional function: give it a stand-in, a
   place in enum slot and set_slot, and a check of its own. XTS's two, which no
   other mode calls, are in test_xts.c. */
_Static_assert(sizeof(struct ctaes_core) ==
                   offsetof(struct ctaes_core, xts_decrypt) + sizeof(void (*)(void)),
               "an optional function that this test doesn't know");

static bool has_slot(const struct ctaes_core *core, enum slot slot)
{
    const bool present[SLOTS] = {core->cbc_encrypt != NULL, core->cbc_decrypt != NULL,
                                 core->ctr32 != NULL,       core->gcm_encrypt != NULL,
                                 core->gcm_decrypt != NULL, core->gcm_short != NULL,
                                 core->ccm_encrypt != NULL, core->ccm_decrypt != NULL,
                                 core->ocb_encrypt != NULL, core->ocb_decrypt != NULL};
    return present[slot];
}

/* Clears a slot, or fills it from base or else with the stand-in. */
static void set_slot(struct ctaes_core *core, enum slot slot, bool on)
{
    switch (slot) {
    case CBC_ENCRYPT:
        core->cbc_encrypt = !on                           ? NULL
                            : has_slot(base, CBC_ENCRYPT) ? base->cbc_encrypt
                                                          : stand_in_cbc_encrypt;
        break;
    case CBC_DECRYPT:
        core->cbc_decrypt = !on                           ? NULL
                            : has_slot(base, CBC_DECRYPT) ? base->cbc_decrypt
                                                          : stand_in_cbc_decrypt;
        break;
    case CTR32:
        core->ctr32 = !on ? NULL : has_slot(base, CTR32) ? base->ctr32 : stand_in_ctr32;
        break;
    case GCM_ENCRYPT:
        core->gcm_encrypt = !on                           ? NULL
                            : has_slot(base, GCM_ENCRYPT) ? base->gcm_encrypt
                                                          : stand_in_gcm_encrypt;
        break;
    case GCM_DECRYPT:
        core->gcm_decrypt = !on                           ? NULL
                            : has_slot(base, GCM_DECRYPT) ? base->gcm_decrypt
                                                          : stand_in_gcm_decrypt;
        break;
    case GCM_SHORT:
        core->gcm_short = !on                         ? NULL
                          : has_slot(base, GCM_SHORT) ? base->gcm_short
                                                      : stand_in_gcm_short;
        break;
    case CCM_ENCRYPT:
        core->ccm_encrypt = !on                           ? NULL
                            : has_slot(base, CCM_ENCRYPT) ? base->ccm_encrypt
                                                          : stand_in_ccm_encrypt;
        break;
    case CCM_DECRYPT:
        core->ccm_decrypt = !on                           ? NULL
                            : has_slot(base, CCM_DECRYPT) ? base->ccm_decrypt
                                                          : stand_in_ccm_decrypt;
        break;
    case OCB_ENCRYPT:
        core->ocb_encrypt = !on                           ? NULL
                            : has_slot(base, OCB_ENCRYPT) ? base->ocb_encrypt
                                                          : stand_in_ocb_encrypt;
        break;
    case OCB_DECRYPT:
        core->ocb_decrypt = !on                           ? NULL
                            : has_slot(base, OCB_DECRYPT) ? base->ocb_decrypt
                                                          : stand_in_ocb_decrypt;
        break;
    case SLOTS:
        break;
    }
}

static void sweep_mode(const struct setup *s, const struct ctaes_core *core)
{
    struct setup switched = {core, s->mode, s->key_len};
    if (s->mode->kind == CTAES_OWN)
        sweep_own_lengths(&switched, true);
    else if (s->mode->kind == CTAES_AEAD)
        sweep_gcm_lengths(&switched, true);
    else
        sweep_lengths(&switched, true);
}

void test_slot_on_off(const struct setup *s)
{
    base = s->core;
    for (int on = 0; on < 2; on++) {
        struct ctaes_core all = *base;
        for (int slot = 0; slot < SLOTS; slot++)
            set_slot(&all, (enum slot)slot, on != 0);
        at.variant = on ? "all optional functions (on)" : "all optional functions (off)";
        sweep_mode(s, &all);
    }
    for (int slot = 0; slot < SLOTS; slot++) {
        struct ctaes_core one = *base;
        set_slot(&one, (enum slot)slot, !has_slot(base, (enum slot)slot));
        at.variant = slot_names[slot];
        sweep_mode(s, &one);
    }
}

/* --- Each function's own contract ----------------------------------------------------------- */

/* What ctr32 must leave in ctr: advanced by len / 16 in the last four bytes. */
static void check_counter(const uint8_t *ctr, const uint8_t before[16], size_t len)
{
    uint8_t want[16];
    memcpy(want, before, 16);
    store_be32(want + 12, load_be32(before + 12) + (uint32_t)(len / 16));
    expect_bytes("ctr afterwards", ctr, want, 16);
}

struct slot_case {
    struct ctaes_core core;
    struct keys keys;
    uint8_t ctr[16], y[16], j0[16], ej0[16];
    uint8_t data[MAX_LENGTH], keystream[MAX_LENGTH], out[MAX_LENGTH];
};

static void check_ctr32(struct slot_case *c, const struct layout *layout, size_t len)
{
    struct staged b;
    at.step = "ctr32";
    stage(&b, layout, c->data, len, len % 16, len % 5);
    uint8_t *ctr = guard_small(c->ctr, 16, len % 2 == 0);
    c->core.ctr32(c->keys.aes, ctr, b.out, b.in, len);
    check_staged(&b, "the output", c->out);
    check_counter(ctr, c->ctr, len);
}

static void check_fused(struct slot_case *c, const struct layout *layout, size_t len,
                        bool decrypting, bool with_j0)
{
    struct staged b;
    uint8_t ctr[16], y[16], ej0[16], want[16];
    at.step = decrypting ? "gcm_decrypt" : "gcm_encrypt";
    memcpy(ctr, c->ctr, 16);
    memcpy(y, c->y, 16);
    memcpy(want, c->y, 16);
    memcpy(ej0, c->j0, 16);
    stage(&b, layout, c->data, len, len % 16, len % 5);
    (decrypting ? c->core.gcm_decrypt : c->core.gcm_encrypt)(
        c->keys.aes, c->keys.ghash, ctr, y, with_j0 ? ej0 : NULL, b.out, b.in, len);
    check_staged(&b, "the output", c->out);
    check_counter(ctr, c->ctr, len);
    reference_ghash(want, c->keys.h, decrypting ? c->data : c->out, len / 16);
    expect_bytes("y afterwards", y, want, 16);
    expect_bytes(with_j0 ? "E(K, J0)" : "J0 (not handed over)", ej0, with_j0 ? c->ej0 : c->j0, 16);
}

static void check_short(struct slot_case *c, const struct layout *layout, size_t len,
                        bool encrypting)
{
    struct staged b;
    uint8_t ctr[16], ej0[16], want[CTAES_SHORT + 16], ct[CTAES_SHORT + 16];
    const size_t padded = (len + 15) / 16 * 16;
    at.step = encrypting ? "gcm_short, encrypting" : "gcm_short, decrypting";
    memcpy(ctr, c->ctr, 16);
    memcpy(ej0, c->j0, 16);
    memset(ct, 0xa5, sizeof ct);
    memset(want, 0xa5, sizeof want);
    memset(want, 0, padded);
    memcpy(want, encrypting ? c->out : c->data, len);
    stage(&b, layout, c->data, len, len % 16, len % 5);
    c->core.gcm_short(c->keys.aes, ctr, ej0, ct, b.out, b.in, len, encrypting);
    check_staged(&b, "the output", c->out);
    check_counter(ctr, c->ctr, len);
    expect_bytes("E(K, J0)", ej0, c->ej0, 16);
    for (size_t i = 0; i < sizeof want; i += 16)
        expect_bytes("the ciphertext, and what is behind it", ct + i, want + i, 16);
}

static void check_ccm(struct slot_case *c, const struct layout *layout, size_t len, bool decrypting)
{
    struct staged b;
    uint8_t ctr[16], want[16];
    at.step = decrypting ? "ccm_decrypt" : "ccm_encrypt";
    memcpy(ctr, c->ctr, 16);
    memcpy(want, c->y, 16);
    stage(&b, layout, c->data, len, len / 16 % 16, len / 16 % 5);
    uint8_t *mac = guard_small(c->y, 16, len / 16 % 2 == 0);
    (decrypting ? c->core.ccm_decrypt : c->core.ccm_encrypt)(c->keys.aes, ctr, mac, b.out, b.in,
                                                             len / 16);
    check_staged(&b, "the output", c->out);
    check_counter(ctr, c->ctr, len);
    for (size_t i = 0; i < len; i += 16) {
        xor_block(want, want, (decrypting ? c->out : c->data) + i);
        reference_encrypt_block(&c->keys.reference, want, want);
    }
    expect_bytes("mac afterwards", mac, want, 16);
}

/* y serves as the sum, j0 as the offset, and the keystream as masks, which end where they must. */
static void check_ocb(struct slot_case *c, const struct layout *layout, size_t len, bool decrypting)
{
    static uint8_t wanted[MAX_LENGTH];
    struct staged b;
    uint8_t sum[16];
    at.step = decrypting ? "ocb_decrypt" : "ocb_encrypt";
    memcpy(sum, c->y, 16);
    for (size_t i = 0; i < len; i += 16) {
        uint8_t mask[16], block[16];
        xor_block(mask, c->keystream + i, c->j0);
        xor_block(block, c->data + i, mask);
        (decrypting ? reference_decrypt_block : reference_encrypt_block)(&c->keys.reference, block,
                                                                         block);
        xor_block(wanted + i, block, mask);
        xor_block(sum, sum, (decrypting ? wanted : c->data) + i);
    }
    uint8_t *own_masks = key_memory(len, 0);
    memcpy(own_masks, c->keystream, len);
    stage(&b, layout, c->data, len, len / 16 % 16, len / 16 % 5);
    uint8_t *y = guard_small(c->y, 16, len / 16 % 2 == 0);
    (decrypting ? c->core.ocb_decrypt : c->core.ocb_encrypt)(c->keys.aes, own_masks, c->j0, y,
                                                             b.out, b.in, len / 16);
    check_staged(&b, "the output", wanted);
    expect_bytes("the sum", y, sum, 16);
    free(own_masks);
}

/* The counter and fused functions called directly, across the counter's wrap;
   the modes' tests call the CBC functions just as directly. */
void test_own_slots(const struct setup *s)
{
    struct slot_case *c = key_memory(sizeof *c, 0);
    base = s->core;
    c->core = *base;
    for (int slot = 0; slot < SLOTS; slot++)
        set_slot(&c->core, (enum slot)slot, true);
    random_keys(&c->keys, s);
    random_bytes(c->data, sizeof c->data);
    random_bytes(c->y, 16);
    random_bytes(c->j0, 16);
    reference_encrypt_block(&c->keys.reference, c->ej0, c->j0);
    for (uint32_t before_wrap = 0;
         before_wrap<2U * base->batch + 2U; before_wrap += base->batch> 8 ? 7 : 1) {
        random_bytes(c->ctr, 16);
        store_be32(c->ctr + 12, 0U - before_wrap);
        for (size_t i = 0; i < MAX_LENGTH / 16; i++) {
            uint8_t block[16];
            memcpy(block, c->ctr, 16);
            store_be32(block + 12, load_be32(block + 12) + (uint32_t)i);
            reference_encrypt_block(&c->keys.reference, c->keystream + i * 16, block);
        }
        for (size_t i = 0; i < MAX_LENGTH; i++)
            c->out[i] = c->data[i] ^ c->keystream[i];
        for (size_t len = 0; len <= MAX_LENGTH; len++) {
            if (!wanted_among_few(base, len) || (before_wrap > 1 && len % 16 % 5 != 0) ||
                (quick && !wanted_length(len)))
                continue;
            const struct layout *layout = &layouts[(len + before_wrap) % LAYOUTS];
            at.detail = "blocks before the wrap";
            at.number = before_wrap;
            check_ctr32(c, layout, len);
            check_fused(c, layout, len, len % 2 == 0, (len + before_wrap) % 3 == 0);
            check_fused(c, layout, len, len % 2 == 1, (len + before_wrap) % 3 == 1);
            if (len > 0 && len <= CTAES_SHORT) {
                check_short(c, layout, len, true);
                check_short(c, layout, len, false);
            }
            if (len % 16 != 0)
                continue;
            for (int decrypting = 0; decrypting < 2; decrypting++) {
                check_ccm(c, layout, len, decrypting);
                check_ocb(c, layout, len, decrypting);
            }
        }
    }
    at.detail = NULL;
    free_keys(&c->keys);
    free(c);
}
