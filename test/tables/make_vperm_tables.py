#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes cores/vperm_tables.h, the constants of vector-permute AES and GHASH.

    test/tables/make_vperm_tables.py > cores/vperm_tables.h

Everything is computed from the definitions: the field and the affine map of FIPS 197, the tower
field of cores/vperm.h, the order of ShiftRows and MixColumns, the polynomial of SP 800-38D. Nothing
is copied from anywhere. Before it prints, the script runs the vectorised algorithm in Python over
all 256 bytes and over random columns, and stops if a result differs from FIPS 197's.

Method: M. Hamburg, "Accelerating AES with Vector Permute Instructions", CHES 2009.
"""

import random
import sys

# --- GF(2^8), FIPS 197 section 4 ----------------------------------------------------------------


def mul(x, y):
    """The product in GF(2)[X] / (X^8 + X^4 + X^3 + X + 1)."""
    product = 0
    while y:
        if y & 1:
            product ^= x
        x = x << 1 ^ (0x11b if x & 0x80 else 0)
        y >>= 1
    return product


def power(x, n):
    y = 1
    for _ in range(n):
        y = mul(y, x)
    return y


def inverse(x):
    """1/x, and 0 for 0: the group has order 255."""
    return power(x, 254)


def affine_linear(x):
    """The linear part of SubBytes' affine map (FIPS 197, equation 5.1)."""
    y = 0
    for i in range(8):
        bit = sum(x >> (i + n) % 8 for n in (0, 4, 5, 6, 7)) & 1
        y |= bit << i
    return y


SBOX_CONSTANT = 0x63


def sbox(x):
    return affine_linear(inverse(x)) ^ SBOX_CONSTANT


def invert_map(f):
    """The inverse of a bijection of bytes."""
    back = {f(x): x for x in range(256)}
    assert len(back) == 256
    return back.__getitem__


affine_linear_back = invert_map(affine_linear)

# --- The tower: GF(2^8) as pairs over GF(2^4) -----------------------------------------------------

# The subfield: the sixteen elements that x -> x^16 leaves alone.
GF16 = [x for x in range(256) if power(x, 16) == x]
assert len(GF16) == 16

# Nibbles stand for its elements in the basis 1, g, g^2, g^3, where g^4 = g + 1.
G = min(x for x in GF16 if power(x, 4) == x ^ 1)


def from_nibble(n):
    x = 0
    for i in range(4):
        if n >> i & 1:
            x ^= power(G, i)
    return x


NIBBLE_OF = {from_nibble(n): n for n in range(16)}
assert sorted(NIBBLE_OF) == GF16

# The second basis element w is a root of w^2 + a*w + a: the least such a in GF(2^4) for which the
# root is outside of GF(2^4), and the lesser of the two roots.
A, W = min((a, w) for a in GF16 if a for w in range(256)
           if w not in GF16 and mul(w, w) ^ mul(a, w) ^ a == 0)


def from_tower(byte):
    """The field element k + i*w of the byte i || k of two nibbles."""
    return from_nibble(byte & 15) ^ mul(from_nibble(byte >> 4), W)


to_tower = invert_map(from_tower)

# --- Inversion with tables of sixteen bytes -------------------------------------------------------

# What stands for infinity, the inverse of zero: PSHUFB gives 0 for an index with the top bit set.
INFINITY = 0x80


def nibble_table(f):
    """The table of f over the nonzero nibbles' elements; 0 has no inverse."""
    return [f(from_nibble(n)) if n else 0 for n in range(16)]


INVERSE = [INFINITY] + [NIBBLE_OF[inverse(from_nibble(n))] for n in range(1, 16)]
A_OVER = [INFINITY] + [NIBBLE_OF[mul(A, inverse(from_nibble(n)))] for n in range(1, 16)]

# 1/(k + i*w) = P/io + Q/jo for the two nibbles that the algorithm ends with (see cores/vperm.h:
# 1/io = (k + a*i)/N, and 1/io + 1/jo = a*k/N).
P = 1 ^ mul(W, mul(1 ^ inverse(A), inverse(A)))
Q = mul(W, inverse(mul(A, A)))


def io_table(f):
    """The summand of f(1/x) that io contributes, for a linear f."""
    return nibble_table(lambda y: f(mul(P, inverse(y))))


def jo_table(f):
    return nibble_table(lambda y: f(mul(Q, inverse(y))))


def low_table(f):
    """A linear map of bytes, as two tables: of the low nibble and of the high one."""
    return [f(n) for n in range(16)]


def high_table(f):
    return [f(n << 4) for n in range(16)]


# --- Representations ------------------------------------------------------------------------------

# Encryption keeps its state as to_tower(x). Decryption keeps to_inverse(x), so that what
# InvSubBytes inverts is at hand; both are linear, and the S-box's constant is left to the keys.


def to_inverse(x):
    return to_tower(affine_linear_back(x))


from_inverse = invert_map(to_inverse)


def multiple(m, f, g=lambda x: x):
    """x -> f(m * g(x))"""
    return lambda x: f(mul(m, g(x)))


# --- Positions: byte 4*c + r of a block is row r, column c ----------------------------------------


def place(r, c):
    return 4 * (c % 4) + r % 4


def at_all_places(f):
    """The PSHUFB pattern that moves to each place (r, c) the byte at place f(r, c)."""
    return [place(*f(p % 4, p // 4)) for p in range(16)]


# After m rounds without ShiftRows, the byte of row r, column c is at place (r, c + m*r); so the
# next byte down the column of what is at (r, c) is at (r + 1, c + m).
NEXT_ROW = [at_all_places(lambda r, c, m=m: (r + 1, c + m)) for m in range(4)]
OPPOSITE = [at_all_places(lambda r, c, m=m: (r + 2, c + 2 * m)) for m in range(2)]
# What undoes m rounds' lack of ShiftRows, or of InvShiftRows with -m.
SHIFT_ROWS = [at_all_places(lambda r, c, m=m: (r, c + m * r)) for m in range(4)]

# --- The layout by rows: four blocks in four vectors (cores/vperm_rows.h) -------------------------

# A vector by rows has byte (r, c) of block b at 4*b + c.


def rows_of_block(f):
    """The pattern that orders one block by rows, 4*r + c, with byte f(r, c) at that of (r, c)."""
    return [place(*f(p // 4, p % 4)) for p in range(16)]


ROWS_PLAIN = rows_of_block(lambda r, c: (r, c))
ROWS_SHIFTED = rows_of_block(lambda r, c: (r, c + r))
ROWS_SHIFTED_BACK = rows_of_block(lambda r, c: (r, c - r))
# Rotates each block's row by n columns.
TURN_ROW = [[p // 4 * 4 + (p + n) % 4 for p in range(16)] for n in range(4)]

# --- Counter-mode caching (cores/vperm_ctr.h) -----------------------------------------------------

# The only byte of the counter that varies is at (3, 3). ShiftRows of round 1 moves it to column 0,
# and MixColumns spreads it over that column, with the coefficients 1, 1, 3, 2 from row 0 down.
# ShiftRows of round 2 moves the byte in row n to column -n, and MixColumns spreads it over that.
MIX_COLUMNS = (2, 3, 1, 1)


def cached_mask(r, bit):
    """Where row r, by rows, gets SubBytes' output once or three times, or doubled: the bits of the
    coefficient by which the byte of row n = -c counts in row r of column c."""
    return [255 if MIX_COLUMNS[(-p - r) % 4] & bit else 0 for p in range(16)]


def unshifted_place(m, r, c):
    return r, c + m * r


def row_after_two(r):
    """Row r of a block that went through two rounds without ShiftRows, four times."""
    return [place(*unshifted_place(2, r, p % 4)) for p in range(16)]


# Where the varying byte of each column c is after one round without ShiftRows: (n, n), n = -c.
VARYING = [place(-p % 4, -p % 4) for p in range(16)]

# --- GHASH, SP 800-38D section 6.3: bit 7 of byte 0 is the coefficient of X^0 ---------------------


def reduced(nibble, shift):
    """The two bytes of nibble * X^128 modulo the polynomial, the nibble's bits being bits 4 to 7
    of a byte, shifted down by `shift`."""
    value = 0
    for d in range(8):
        if nibble << 4 >> shift & 0x80 >> d:
            for e in (0, 1, 2, 7):
                value ^= 0x8000 >> (d + e)
    return value >> 8, value & 0xff


def reduce_table(shift, which):
    return [reduced(n, shift)[which] for n in range(16)]


# --- Verification ---------------------------------------------------------------------------------


def shuffle(table, index):
    """PSHUFB of one byte."""
    return 0 if index & 0x80 else table[index & 15]


def invert_by_tables(x):
    """io and jo of the byte x of the tower."""
    k, i = x & 15, x >> 4
    j = i ^ k
    ak = shuffle(A_OVER, k)
    io = j ^ shuffle(INVERSE, shuffle(INVERSE, i) ^ ak)
    jo = i ^ shuffle(INVERSE, shuffle(INVERSE, j) ^ ak)
    return io, jo


def apply_tables(f, x):
    io, jo = invert_by_tables(x)
    return shuffle(io_table(f), io) ^ shuffle(jo_table(f), jo)


def mix(column, coefficients):
    out = []
    for r in range(4):
        byte = 0
        for k in range(4):
            byte ^= mul(coefficients[k], column[(r + k) % 4])
        out.append(byte)
    return out


def shuffled(pattern, block):
    return [shuffle(block, p) for p in pattern]


def xored(*blocks):
    out = [0] * 16
    for block in blocks:
        out = [x ^ y for x, y in zip(out, block)]
    return out


def verify():
    # Every byte through SubBytes and InvSubBytes, in all the representations that the code uses.
    for x in range(256):
        s, t = sbox(x) ^ SBOX_CONSTANT, to_tower(x)
        assert low_table(to_tower)[x & 15] ^ high_table(to_tower)[x >> 4] == t
        assert apply_tables(affine_linear, t) == s
        assert apply_tables(lambda y: to_tower(affine_linear(y)), t) == to_tower(s)
        assert apply_tables(lambda y: to_tower(mul(2, affine_linear(y))), t) == to_tower(mul(2, s))
        d = to_inverse(sbox(x) ^ SBOX_CONSTANT)
        assert apply_tables(lambda y: y, d) == x
        for m in (1, 2, 9, 11, 13, 14):
            assert apply_tables(multiple(m, to_inverse), d) == to_inverse(mul(m, x))

    # Four rounds of ShiftRows and MixColumns, and of their inverses, on a block that stays put.
    rng = random.Random(1)
    for direction in (1, -1):
        true = [rng.randrange(256) for _ in range(16)]
        kept = list(true)
        for m in range(1, 5):
            true = shuffled(SHIFT_ROWS[direction % 4], true)
            coefficients = MIX_COLUMNS if direction == 1 else (14, 11, 13, 9)
            true = sum((mix(true[4 * c:4 * c + 4], coefficients) for c in range(4)), [])
            next_row, opposite = NEXT_ROW[direction * m % 4], OPPOSITE[m % 2]

            def times(n):
                return [mul(n, x) for x in kept]

            if direction == 1:
                e = xored(times(2), shuffled(opposite, kept))
                kept = xored(e, shuffled(next_row, xored(e, kept)))
            else:
                kept = xored(times(14), shuffled(opposite, times(13)), shuffled(
                    next_row, xored(times(11), shuffled(opposite, times(9)))))
            assert shuffled(SHIFT_ROWS[direction * m % 4], kept) == true


# --- Output ---------------------------------------------------------------------------------------


HEADER = """\
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The constants of vector-permute AES and GHASH, made by
 * test/tables/make_vperm_tables.py, which derives them and says how; vperm.h
 * explains what they mean. Don't edit: a test compares this file with the
 * script's output.
 *
 * Field elements here: a = 0x%02x, w = 0x%02x; nibbles count in powers of
 * g = 0x%02x.
 */
#ifndef CTAES_VPERM_TABLES_H
#define CTAES_VPERM_TABLES_H

#include <stdint.h>

/* Eight bytes a line, which clang-format wouldn't keep. */
/* clang-format off */
"""


def print_bytes(values, indent, end):
    for i in range(0, len(values), 8):
        line = ", ".join(f"0x{v:02x}" for v in values[i:i + 8])
        last = i + 8 >= len(values)
        print(f"{indent}{line}{end if last else ','}")


def print_table(name, comment, values):
    """One table of sixteen bytes, or several if values is a list of lists."""
    print(f"\n/* {comment} */")
    if isinstance(values[0], list):
        print(f"_Alignas(64) static const uint8_t {name}[{len(values)}][16] = {{")
        for n, row in enumerate(values):
            lines = [", ".join(f"0x{v:02x}" for v in row[i:i + 8]) for i in (0, 8)]
            end = "}," if n + 1 < len(values) else "}};"
            print(f"    {{{lines[0]},\n     {lines[1]}{end}")
    else:
        print(f"_Alignas(16) static const uint8_t {name}[{len(values)}] = {{")
        print_bytes(values, "    ", "};")


def main():
    verify()
    print(HEADER % (A, W, G), end="")
    print_table("tower_inverse", "1/n; 0x80 is infinity.", INVERSE)
    print_table("tower_a_over", "a/n.", A_OVER)

    print_table("enc_in_low", "To the tower, by the nibbles of a byte.", low_table(to_tower))
    print_table("enc_in_high", "The same, high nibble.", high_table(to_tower))
    for m in (1, 2):
        f = multiple(m, to_tower, affine_linear)
        print_table(f"enc_{m}_io", f"{m} * SubBytes, by io.", io_table(f))
        print_table(f"enc_{m}_jo", "The same, by jo.", jo_table(f))
    print_table("enc_out_io", "SubBytes of the last round: ordinary bytes.",
                io_table(affine_linear))
    print_table("enc_out_jo", "The same, by jo.", jo_table(affine_linear))

    print_table("dec_in_low", "To the representation of decryption.", low_table(to_inverse))
    print_table("dec_in_high", "The same, high nibble.", high_table(to_inverse))
    for m in (1, 2, 9, 11, 13, 14):
        f = multiple(m, to_inverse)
        print_table(f"dec_{m:x}_io", f"{m} * InvSubBytes, by io.", io_table(f))
        print_table(f"dec_{m:x}_jo", "The same, by jo.", jo_table(f))
    f = multiple(4, to_inverse, from_inverse)
    print_table("dec_times_4_low", "4 * what decryption keeps.", low_table(f))
    print_table("dec_times_4_high", "The same, high nibble.", high_table(f))
    print_table("dec_out_io", "InvSubBytes of the last round: ordinary bytes.",
                io_table(lambda x: x))
    print_table("dec_out_jo", "The same, by jo.", jo_table(lambda x: x))

    print_table("key_out_low", "From the tower to ordinary bytes.", low_table(from_tower))
    print_table("key_out_high", "The same, high nibble.", high_table(from_tower))
    for m in (9, 11, 13, 14):
        f = multiple(m, to_inverse, from_tower)
        print_table(f"key_{m:x}_low", f"From the tower to {m} * what decryption keeps.",
                    low_table(f))
        print_table(f"key_{m:x}_high", "The same, high nibble.", high_table(f))
    print_table("key_rcon", "The round constants of key expansion, in the tower.",
                [to_tower(power(2, n)) for n in range(10)])
    print(f"\n/* The S-box's constant, as it is and in the tower. */\n"
          f"#define SBOX_CONSTANT 0x{SBOX_CONSTANT:02x}\n"
          f"#define SBOX_CONSTANT_TOWER 0x{to_tower(SBOX_CONSTANT):02x}")

    print_table("next_row", "The next byte in the column, after n rounds (mod 4) without shifts.",
                NEXT_ROW)
    print_table("opposite", "The byte opposite in the column, after n rounds (mod 2).", OPPOSITE)
    print_table("shift_rows", "ShiftRows, n times.", SHIFT_ROWS)

    print_table("rows_plain", "A block by rows.", ROWS_PLAIN)
    print_table("rows_shifted", "A block by rows, with ShiftRows done.", ROWS_SHIFTED)
    print_table("rows_shifted_back", "A block by rows, with InvShiftRows done.", ROWS_SHIFTED_BACK)
    print_table("turn_row", "By rows: rotates a row by n columns.", TURN_ROW)

    print_table("cached_varying", "Counter-mode caching: the byte of each column that varies.",
                VARYING)
    print_table("cached_row", "Row n after two rounds that didn't shift.",
                [row_after_two(r) for r in range(4)])
    print_table("cached_mask_1", "Where row n gets SubBytes' output once or three times.",
                [cached_mask(r, 1) for r in range(4)])
    print_table("cached_mask_2", "Where it gets it twice or three times.",
                [cached_mask(r, 2) for r in range(4)])

    for shift, half in ((4, "low"), (0, "high")):
        print_table(f"reduce_{half}_0",
                    f"GHASH: a {half} nibble of X^128, modulo: the byte at its place.",
                    reduce_table(shift, 0))
        print_table(f"reduce_{half}_1", "The same: the byte after it.", reduce_table(shift, 1))
    print("\n/* clang-format on */\n#endif")


if __name__ == "__main__":
    sys.exit(main())
