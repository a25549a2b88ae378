/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A decrypted record of TLS 1.1 and newer, MAC-then-encrypt:
 *
 *   │ explicit IV, 16 │ payload │ MAC │ padding: n bytes of value n │ n │
 *                          ├─────── tail: MAC size + 256 ─────────────┤
 *
 * TLS 1.0 has no explicit IV; SSL 3 has none, and its padding may have any
 * value but is shorter than a block.
 *
 * Padding and MAC were put on in an order that makes the receiver act on n
 * before it can know that n is authentic. Vaudenay (EUROCRYPT 2002) decrypted
 * by asking whether the padding was good; AlFardan and Paterson ("Lucky
 * Thirteen", IEEE S&P 2013) by measuring how long the MAC took. So nothing here
 * may depend on n: no branch, no address, no number of steps; and a record with
 * bad padding looks like one with a wrong MAC. What depends on n, the payload's
 * length, goes to the caller, whose MAC computation has the same duty.
 *
 * Copying the MAC from a secret place: it lies somewhere in the tail, which is
 * all that is read, and all of which is. Byte i of the tail goes to place i mod
 * mac_size of a buffer, if it is part of the MAC. That leaves the MAC rotated
 * by a secret number, which conditional rotations by 1, 2, 4, ... 32 places
 * undo.
 */
#include "tls_cbc.h"

#include "declassify.h"
#include "random.h"
#include "../cores/ct.h"

#define BLOCK 16
#define MAX_PADDING 256 /* with the byte that says how long it is */

size_t ctaes_tls_pad(uint8_t *record, size_t len, unsigned int version)
{
    size_t padding = BLOCK - len % BLOCK;
    uint8_t last = (uint8_t)(padding - 1);
    memset(record + len, version == CTAES_SSL3 ? 0 : last, padding);
    record[len + padding - 1] = last;
    return len + padding;
}

/* Finds the length of the version's explicit IV. Returns false if there is no
   such version. */
static bool find_explicit_iv(unsigned int version, size_t *len)
{
    switch (version) {
    case CTAES_TLS1_1:
    case CTAES_TLS1_2:
    case CTAES_DTLS1_BAD:
    case CTAES_DTLS1:
    case CTAES_DTLS1_2:
        *len = BLOCK;
        return true;
    case CTAES_SSL3:
    case CTAES_TLS1:
        *len = 0;
        return true;
    default:
        return false;
    }
}

/* Checks the padding that ends the len bytes at tail, after mac_size bytes of
   MAC; at least mac_size + 1, of which no more count than padding and MAC can
   have. Returns the mask of "good", and in *padding its length, with the byte
   that says it: 1 to 256, secret. */
static uint32_t check_padding(const uint8_t *tail, uint32_t len, unsigned int version,
                              uint32_t mac_size, uint32_t *padding)
{
    uint32_t n = tail[len - 1];
    uint32_t good = ~ct_lt(len, mac_size + n + 1);
    if (version == CTAES_SSL3) {
        good &= ct_lt(n, BLOCK);
    } else {
        uint32_t most = len < MAX_PADDING ? len : MAX_PADDING;
        for (uint32_t i = 1; i < most; i++)
            good &= ct_lt(n, i) | ct_eq(tail[len - 1 - i], n);
    }
    *padding = n + 1;
    return good;
}

/* Copies the mac_size bytes that start at the secret place start of the len
   bytes at tail to mac. */
static void copy_mac(uint8_t *mac, uint32_t mac_size, const uint8_t *tail, uint32_t len,
                     uint32_t start)
{
    uint8_t rotated[CTAES_TLS_MAX_MAC] = {0}, moved[CTAES_TLS_MAX_MAC];
    uint32_t rotation = 0; /* the place where the MAC's first byte went */
    uint32_t place = 0;
    for (uint32_t i = 0; i < len; i++) {
        uint32_t within = ~ct_lt(i, start) & ct_lt(i, start + mac_size);
        rotation |= place & ct_eq(i, start);
        rotated[place] |= (uint8_t)(tail[i] & within);
        place = place + 1 < mac_size ? place + 1 : 0;
    }
    /* Rotate left by each power of two that is set in rotation, which is below mac_size. */
    for (uint32_t bit = 0; UINT32_C(1) << bit < mac_size; bit++) {
        uint32_t take = ct_barrier(0U - (rotation >> bit & 1));
        uint32_t from = UINT32_C(1) << bit;
        for (uint32_t i = 0; i < mac_size; i++) {
            moved[i] = (uint8_t)((rotated[from] & take) | (rotated[i] & ~take));
            from = from + 1 < mac_size ? from + 1 : 0;
        }
        memcpy(rotated, moved, mac_size);
    }
    memcpy(mac, rotated, mac_size);
    ct_wipe(rotated, sizeof rotated);
    ct_wipe(moved, sizeof moved);
}

bool ctaes_tls_unpad(const uint8_t *record, size_t *len, unsigned int version, size_t mac_size,
                     uint8_t mac[CTAES_TLS_MAX_MAC])
{
    size_t iv_len;
    if (!find_explicit_iv(version, &iv_len) || mac_size > CTAES_TLS_MAX_MAC ||
        *len < iv_len + mac_size + 1)
        return false;
    size_t data_len = *len - iv_len, tail_len = mac_size + MAX_PADDING;
    if (tail_len > data_len)
        tail_len = data_len;
    const uint8_t *tail = record + (*len - tail_len);

    uint32_t padding;
    uint32_t good = check_padding(tail, (uint32_t)tail_len, version, (uint32_t)mac_size, &padding);
    padding &= good; /* if it is bad, go on as if there were none */
    if (mac_size == 0) {
        /* Public: the caller learns it from the return value, as the API has
           it. Encrypt-then-MAC authenticates a record before it is decrypted. */
        if (!ctaes_declassify(good))
            return false;
    } else {
        uint8_t random[CTAES_TLS_MAX_MAC];
        if (!ctaes_random(random, mac_size))
            return false;
        copy_mac(mac, (uint32_t)mac_size, tail, (uint32_t)tail_len,
                 (uint32_t)tail_len - padding - (uint32_t)mac_size);
        for (size_t i = 0; i < mac_size; i++)
            mac[i] = (uint8_t)((mac[i] & good) | (random[i] & ~good));
        ct_wipe(random, sizeof random);
    }
    *len = data_len - mac_size - padding;
    return true;
}
