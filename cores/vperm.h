/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AES by vector permutation, after Hamburg: no table in memory is indexed by a
 * secret, because every table is a register.
 *
 * PSHUFB takes a register of 16 bytes as a table and a register of 16 indices,
 * and looks up all of them at once; an index whose top bit is set gives 0. That
 * is fast and takes the same time for all values, but a table has just 16
 * entries, and AES's S-box has 256. This essay is about how to make do.
 *
 * LINEAR MAPS. A linear map L of bytes takes two tables, for L(16 h + l) =
 * L(16 h) ^ L(l). So representations can be changed at will, at two lookups.
 *
 * THE TOWER. SubBytes is x -> 1/x in GF(2^8) (0 for 0), then an affine map. In
 * GF(2^4) the inverse is one lookup. So write each byte as a pair of nibbles,
 *
 *      i || k   for   k + i*w,      i, k in GF(2^4),  w^2 + a*w + a = 0,
 *
 * GF(2^8) being an extension of GF(2^4) of degree 2. Multiplying with the
 * conjugate, whose w is w + a, gives
 *
 *      1/(k + i*w) = ((k + a*i) + i*w) / N,      N = k^2 + a*i*k + a*i^2.
 *
 * Products are what we can't look up: they have two operands. The trick that
 * makes this method is to get at them with sums and inverses alone,
 *
 *      1 / (1/i + a/k) = i*k / (k + a*i),        so, with j = i + k,
 *
 *      io = j + 1/(1/i + a/k) = N / (k + a*i)
 *      jo = i + 1/(1/j + a/k) = N / (k + a*j).
 *
 * The inverses of these two are independent linear combinations of the two
 * coordinates that we want, (k + a*i)/N and i/N. So the last lookups, by io and
 * by jo, do three things at once: they invert, combine, and apply any linear
 * map that comes next. In all:
 *
 *      k = x mod 16            ak = a/k                     lookup 1
 *      i = x div 16           iak = 1/i + ak                       2
 *      j = i + k              jak = 1/j + ak                       3
 *                              io = j + 1/iak                      4
 *                              jo = i + 1/jak                      5
 *
 *      L(1/x) = L_io[io] + L_jo[jo]                                6 and 7
 *
 * and two lookups more for each further map L of the same inverse.
 *
 * What of 1/0? It is "infinity", and the tables say 0x80 for it. PSHUFB's rule
 * for the top bit makes its inverse 0, and a sum of it with a nibble keeps the
 * bit: just the arithmetic of infinity that the formulas want. (Of two such,
 * 0x80 + 0x80 = 0, whose inverse is infinity again; that is x = 0, where io and
 * jo both have the bit, and all L give 0.)
 *
 * ENCRYPTION keeps its state in the tower throughout. One L is SubBytes'
 * affine map followed by the map into the tower; MixColumns needs twice that as
 * well, which is another. The affine map's constant, 0x63, passes through
 * MixColumns unchanged (2 + 3 + 1 + 1 = 1) and so is part of the round keys. The
 * last round's maps lead out of the tower.
 *
 * MIXCOLUMNS. Let z move to each place the next byte down its column. With a
 * and d = 2*a from the lookups, MixColumns is
 *
 *      d + z(a + d) + z^2 a + z^3 a  =  e + z(e + a),     e = d + z^2 a
 *
 * which takes two shuffles where the paper's way takes three.
 *
 * NEVER SHIFT. ShiftRows would be one shuffle more. Instead all bytes stay in
 * place, and the code knows where they belong: after m rounds, the byte of row
 * r and column c is at the place of row r and column c + m*r. In this layout
 * columns are diagonals, and z goes from the place (r, c) to (r + 1, c + m):
 *
 *              m = 0           m = 1           m = 2           m = 3
 *     row 0    0 1 2 3         0 1 2 3         0 1 2 3         0 1 2 3
 *     row 1    0 1 2 3         3 0 1 2         2 3 0 1         1 2 3 0
 *     row 2    0 1 2 3         2 3 0 1         0 1 2 3         2 3 0 1
 *     row 3    0 1 2 3         1 2 3 0         2 3 0 1         3 0 1 2
 *
 * (the column to which the byte at each place belongs). So there are four z,
 * two z^2, and round keys are kept in the layout of their round. The last round
 * ends with ShiftRows, m times at once.
 *
 * DECRYPTION, in the order of the equivalent inverse cipher (FIPS 197 section
 * 5.3.5), is the same algorithm with other tables. InvSubBytes is the affine
 * map backwards and then the inverse, so the state is kept as what the affine
 * map's linear part came from, in the tower; and the maps after the inverse are
 * the four multiples for InvMixColumns, taken to that representation. Diagonals
 * lean the other way.
 *
 * THE FILES. vperm_vector.h has all this on one vector. vperm_rows.h has it on
 * four vectors at a time, where MixColumns takes no shuffle at all; vperm_key.h
 * the key schedule, vperm_group.h groups of vectors, vperm_wide.h whole messages,
 * vperm_ctr.h the counter mode, in which the first two rounds can be cached, and
 * vperm_ghash.h GHASH. Their vectors are lanes128.h's (SSSE3), lanes256.h's
 * (AVX2) or lanes512.h's. The tables are in vperm_tables.h; the script that makes
 * them, test/tables/make_vperm_tables.py, derives every one.
 *
 * Sources: M. Hamburg, "Accelerating AES with Vector Permute Instructions",
 * CHES 2009: the tower, the inversion, the rotating layout. MixColumns in two
 * shuffles, the rows, and what they save in decryption are not from there.
 *
 * Constant time: shuffles, logic, and additions; branches and addresses depend
 * on lengths, on the number of rounds, and on nothing else.
 */
#ifndef CTAES_VPERM_H
#define CTAES_VPERM_H

#include "ct.h"
#include "vperm_schedule.h"
#include "vperm_tables.h"

#include <stdbool.h>

/* Unrolls the next loop fully. Its count must be a constant after inlining. */
#ifdef __clang__
#    define UNROLL _Pragma("clang loop unroll(full)")
#else
#    define UNROLL _Pragma("GCC unroll 16")
#endif

#define VECTOR vblock
#define V(name) block_##name
#include "vperm_vector.h"
#undef VECTOR
#undef V

#define VECTOR lanes
#define V(name) lanes_##name
#include "vperm_vector.h"
#undef VECTOR
#undef V

#endif
