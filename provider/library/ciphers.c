/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library's modes that keep nothing between calls and authenticate nothing: ECB, CBC, XTS; and
 * key wrap, which authenticates what it unwraps.
 *
 * Constant time: branches depend on lengths and algorithms; whether a wrapped key is intact, and
 * the length of one that is, are the results.
 */
#include "library.h"

#include "../modes/wrap.h"
#include "../modes/xts.h"

/* --- Block modes --- */

static enum ctaes_result check_blocks(const struct ctaes_key *key, enum ctaes_algorithm algorithm,
                                      const uint8_t *out, const uint8_t *in, size_t len)
{
    if (key == NULL)
        return CTAES_INVALID_ARGUMENT;
    if (!is_for(key, algorithm))
        return CTAES_INVALID_KEY;
    if (len % 16 != 0)
        return CTAES_INVALID_LENGTH;
    const enum ctaes_result result = check_data(out, in, len);
    if (result != CTAES_SUCCESS)
        return result;
    return spares_key(key, out, len) ? CTAES_SUCCESS : CTAES_OVERLAP;
}

enum ctaes_result ctaes_ecb_encrypt(const struct ctaes_key *key, uint8_t *out, const uint8_t *in,
                                    size_t len)
{
    const enum ctaes_result result = check_blocks(key, CTAES_ECB, out, in, len);
    if (result != CTAES_SUCCESS)
        return result;
    CLEARS_REGISTERS(key);
    key->core->encrypt(aes_key(key), out, in, len / 16);
    return CTAES_SUCCESS;
}

enum ctaes_result ctaes_ecb_decrypt(const struct ctaes_key *key, uint8_t *out, const uint8_t *in,
                                    size_t len)
{
    const enum ctaes_result result = check_blocks(key, CTAES_ECB, out, in, len);
    if (result != CTAES_SUCCESS)
        return result;
    CLEARS_REGISTERS(key);
    key->core->decrypt(aes_key(key), out, in, len / 16);
    return CTAES_SUCCESS;
}

static enum ctaes_result crypt_cbc(const struct ctaes_key *key, bool encrypting, uint8_t iv[16],
                                   uint8_t *out, const uint8_t *in, size_t len)
{
    const enum ctaes_result result = check_blocks(key, CTAES_CBC, out, in, len);
    if (result != CTAES_SUCCESS)
        return result;
    if (iv == NULL)
        return CTAES_INVALID_ARGUMENT;
    if (!are_apart(iv, 16, out, len) || !are_apart(iv, 16, in, len) || !spares_key(key, iv, 16))
        return CTAES_OVERLAP;
    CLEARS_REGISTERS(key);
    struct ctaes_chain chain = {.num = 0};
    memcpy(chain.iv, iv, 16);
    (encrypting ? ctaes_mode_cbc.encrypt : ctaes_mode_cbc.decrypt)(key->core, aes_key(key), &chain,
                                                                   out, in, len);
    memcpy(iv, chain.iv, 16);
    return CTAES_SUCCESS;
}

enum ctaes_result ctaes_cbc_encrypt(const struct ctaes_key *key, uint8_t iv[16], uint8_t *out,
                                    const uint8_t *in, size_t len)
{
    return crypt_cbc(key, true, iv, out, in, len);
}

enum ctaes_result ctaes_cbc_decrypt(const struct ctaes_key *key, uint8_t iv[16], uint8_t *out,
                                    const uint8_t *in, size_t len)
{
    return crypt_cbc(key, false, iv, out, in, len);
}

/* --- XTS --- */

static enum ctaes_result crypt_xts(const struct ctaes_key *key, bool encrypting,
                                   const uint8_t tweak[16], uint8_t *out, const uint8_t *in,
                                   size_t len)
{
    if (key == NULL || tweak == NULL)
        return CTAES_INVALID_ARGUMENT;
    if (!is_for(key, CTAES_XTS))
        return CTAES_INVALID_KEY;
    if (len < CTAES_XTS_MIN_LEN || len > CTAES_XTS_MAX_LEN)
        return CTAES_INVALID_LENGTH;
    const enum ctaes_result result = check_data(out, in, len);
    if (result != CTAES_SUCCESS)
        return result;
    if (!are_apart(tweak, 16, out, len) || !spares_key(key, out, len))
        return CTAES_OVERLAP;
    CLEARS_REGISTERS(key);
    (void)ctaes_xts_crypt(key->core, aes_key(key), second_part(key), tweak, encrypting, out, in,
                          len);
    return CTAES_SUCCESS;
}

enum ctaes_result ctaes_xts_encrypt(const struct ctaes_key *key, const uint8_t tweak[16],
                                    uint8_t *out, const uint8_t *in, size_t len)
{
    return crypt_xts(key, true, tweak, out, in, len);
}

enum ctaes_result ctaes_xts_decrypt(const struct ctaes_key *key, const uint8_t tweak[16],
                                    uint8_t *out, const uint8_t *in, size_t len)
{
    return crypt_xts(key, false, tweak, out, in, len);
}

/* --- Key wrap --- */

#define MOST_WRAPPED (((size_t)1 << 31) - 16)

/* grown: whether in is what the longer side is, a wrapped key. */
static enum ctaes_result check_wrap(const struct ctaes_key *key, const uint8_t *out,
                                    size_t out_size, const size_t *out_len, const uint8_t *in,
                                    size_t len, bool grown)
{
    if (key == NULL || out == NULL || out_len == NULL || in == NULL)
        return CTAES_INVALID_ARGUMENT;
    const bool padded = is_for(key, CTAES_KWP);
    if (!padded && !is_for(key, CTAES_KW))
        return CTAES_INVALID_KEY;
    const size_t least = grown ? (padded ? 16 : 24) : (padded ? 1 : 16);
    const size_t unit = padded && !grown ? 1 : 8;
    if (len < least || len > MOST_WRAPPED || len % unit != 0)
        return CTAES_INVALID_LENGTH;
    const size_t written = grown ? len - 8 : (len + 7) / 8 * 8 + 8;
    if (out_size < written)
        return CTAES_INVALID_LENGTH;
    const bool apart = (out == in || are_apart(out, written, in, len)) &&
                       are_apart(out_len, sizeof *out_len, out, written) &&
                       are_apart(out_len, sizeof *out_len, in, len) &&
                       spares_key(key, out, written) && spares_key(key, out_len, sizeof *out_len);
    return apart ? CTAES_SUCCESS : CTAES_OVERLAP;
}

enum ctaes_result ctaes_wrap_key(const struct ctaes_key *key, uint8_t *out, size_t out_size,
                                 size_t *out_len, const uint8_t *in, size_t len)
{
    const enum ctaes_result result = check_wrap(key, out, out_size, out_len, in, len, false);
    if (result != CTAES_SUCCESS)
        return result;
    CLEARS_REGISTERS(key);
    if (key->algorithm == CTAES_KWP) {
        *out_len = ctaes_wrap_pad(key->core, aes_key(key), false, ctaes_wrap_pad_icv, out, in, len);
    } else {
        ctaes_wrap(key->core, aes_key(key), false, ctaes_wrap_icv, out, in, len);
        *out_len = len + 8;
    }
    return CTAES_SUCCESS;
}

enum ctaes_result ctaes_unwrap_key(const struct ctaes_key *key, uint8_t *out, size_t out_size,
                                   size_t *out_len, const uint8_t *in, size_t len)
{
    const enum ctaes_result result = check_wrap(key, out, out_size, out_len, in, len, true);
    if (result != CTAES_SUCCESS)
        return result;
    CLEARS_REGISTERS(key);
    uint32_t intact, padding = 0;
    if (key->algorithm == CTAES_KWP)
        intact = ctaes_unwrap_pad(key->core, aes_key(key), false, ctaes_wrap_pad_icv, out, in, len,
                                  &padding);
    else
        intact = ctaes_unwrap(key->core, aes_key(key), false, ctaes_wrap_icv, out, in, len);
    *out_len = 0;
    if (!ctaes_declassify(intact))
        return CTAES_NOT_AUTHENTIC;
    /* Public now that it is authentic: the caller is told. */
    *out_len = len - 8 - padding;
    return CTAES_SUCCESS;
}
