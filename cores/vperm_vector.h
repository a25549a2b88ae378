/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AES's rounds on a vector of blocks, as vperm.h explains them; what is here
 * works in the layout "a block a lane", without ShiftRows.
 *
 * A template without a guard: vperm.h includes it twice, with VECTOR and V()
 * standing for one block (block, block_...) and for a vector of some (lanes,
 * lanes_...). In SSSE3's core the two are of the same width.
 */

/* Looks up each byte of index, a nibble, in a table. */
INLINE VECTOR V(look_up)(const uint8_t table[16], VECTOR index)
{
    return V(shuffle)(V(each_lane)(table), index);
}

/* Moves the bytes of each lane: byte i of the result is byte pattern[i] of x. */
INLINE VECTOR V(move)(VECTOR x, const uint8_t pattern[16])
{
    return V(shuffle)(x, V(each_lane)(pattern));
}

INLINE VECTOR V(low_nibbles)(VECTOR x)
{
    return V(and)(x, V(bytes)(15));
}

INLINE VECTOR V(high_nibbles)(VECTOR x)
{
    return V(and)(V(shift_right_4)(x), V(bytes)(15));
}

/* Applies a linear map to each byte, given by its tables for both nibbles. */
INLINE VECTOR V(map)(VECTOR x, const uint8_t low[16], const uint8_t high[16])
{
    return V(xor)(V(look_up)(low, V(low_nibbles)(x)), V(look_up)(high, V(high_nibbles)(x)));
}

/* An inverse, as the two nibbles whose own inverses make it up. */
struct V(inverse) {
    VECTOR io, jo;
};

INLINE struct V(inverse) V(invert)(VECTOR x)
{
    const VECTOR inverse = V(each_lane)(tower_inverse);
    const VECTOR k = V(low_nibbles)(x), i = V(high_nibbles)(x);
    const VECTOR j = V(xor)(i, k);
    const VECTOR ak = V(look_up)(tower_a_over, k);
    const VECTOR iak = V(xor)(V(shuffle)(inverse, i), ak);
    const VECTOR jak = V(xor)(V(shuffle)(inverse, j), ak);
    return (struct V(inverse)){V(xor)(j, V(shuffle)(inverse, iak)),
                               V(xor)(i, V(shuffle)(inverse, jak))};
}

/* A linear map of the inverse. */
INLINE VECTOR V(finish)(struct V(inverse) x, const uint8_t io[16], const uint8_t jo[16])
{
    return V(xor)(V(look_up)(io, x.io), V(look_up)(jo, x.jo));
}

/* The ways within a column in one round: to the next row, to the row after it. */
struct V(ways) {
    VECTOR next, opposite;
};

INLINE struct V(ways) V(encrypt_ways)(uint32_t round)
{
    return (struct V(ways)){V(each_lane)(next_row[round % 4]), V(each_lane)(opposite[round % 2])};
}

INLINE struct V(ways) V(decrypt_ways)(uint32_t round)
{
    return (struct V(ways)){V(each_lane)(next_row[(0U - round) % 4]),
                            V(each_lane)(opposite[round % 2])};
}

/* MixColumns and AddRoundKey: a is the output of SubBytes, d twice that. */
INLINE VECTOR V(mix_columns)(VECTOR a, VECTOR d, struct V(ways) ways, VECTOR key)
{
    const VECTOR e = V(xor)(d, V(shuffle)(a, ways.opposite));
    return V(xor)(V(xor)(e, key), V(shuffle)(V(xor)(e, a), ways.next));
}

INLINE VECTOR V(encrypt_first)(VECTOR x, const struct ctaes_aes_key *key)
{
    return V(xor)(V(map)(x, enc_in_low, enc_in_high), V(each_lane)(key->enc[0]));
}

INLINE VECTOR V(encrypt_round)(VECTOR x, struct V(ways) ways, VECTOR key)
{
    const struct V(inverse) y = V(invert)(x);
    return V(mix_columns)(V(finish)(y, enc_1_io, enc_1_jo), V(finish)(y, enc_2_io, enc_2_jo), ways,
                          key);
}

/*
 * The same where nothing else is there to do in the meantime. jo is ready a
 * little later than io; so MixColumns goes its two ways for both separately,
 * and all that comes of io waits for what comes of jo. That is two shuffles
 * more, and a path that is shorter by one sum.
 */
INLINE VECTOR V(encrypt_round_alone)(VECTOR x, struct V(ways) ways, VECTOR key)
{
    const struct V(inverse) y = V(invert)(x);
    const VECTOR ai = V(look_up)(enc_1_io, y.io), di = V(look_up)(enc_2_io, y.io);
    const VECTOR ei = V(xor)(di, V(shuffle)(ai, ways.opposite));
    VECTOR rest = V(xor)(V(xor)(ei, key), V(shuffle)(V(xor)(ei, ai), ways.next));

    const VECTOR aj = V(look_up)(enc_1_jo, y.jo), dj = V(look_up)(enc_2_jo, y.jo);
    VECTOR sum = V(xor)(aj, dj);
    V(settle)(&sum);
    const VECTOR oj = V(shuffle)(aj, ways.opposite);
    rest = V(xor)(rest, V(xor)(dj, oj));
    V(settle)(&rest);
    return V(xor)(rest, V(shuffle)(V(xor)(sum, oj), ways.next));
}

INLINE VECTOR V(encrypt_last)(VECTOR x, const struct ctaes_aes_key *key)
{
    const VECTOR y = V(finish)(V(invert)(x), enc_out_io, enc_out_jo);
    return V(xor)(V(move)(y, shift_rows[key->rounds % 4]), V(each_lane)(key->enc[key->rounds]));
}

INLINE VECTOR V(decrypt_first)(VECTOR x, const struct ctaes_aes_key *key)
{
    return V(xor)(V(map)(x, dec_in_low, dec_in_high), V(each_lane)(key->dec[0]));
}

/* InvSubBytes, InvMixColumns with the coefficients 14, 11, 13, 9, AddRoundKey. */
INLINE VECTOR V(decrypt_round)(VECTOR x, struct V(ways) ways, VECTOR key)
{
    const struct V(inverse) y = V(invert)(x);
    const VECTOR even = V(xor)(V(finish)(y, dec_e_io, dec_e_jo),
                               V(shuffle)(V(finish)(y, dec_d_io, dec_d_jo), ways.opposite));
    const VECTOR odd = V(xor)(V(finish)(y, dec_b_io, dec_b_jo),
                              V(shuffle)(V(finish)(y, dec_9_io, dec_9_jo), ways.opposite));
    return V(xor)(V(xor)(even, key), V(shuffle)(odd, ways.next));
}

INLINE VECTOR V(decrypt_last)(VECTOR x, const struct ctaes_aes_key *key)
{
    const VECTOR y = V(finish)(V(invert)(x), dec_out_io, dec_out_jo);
    return V(xor)(V(move)(y, shift_rows[(0U - key->rounds) % 4]),
                  V(each_lane)(key->dec[key->rounds]));
}
