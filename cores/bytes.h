/* SPDX-License-Identifier: Apache-2.0 */
/* Loads, stores and XOR of byte strings, for any alignment and byte order. */
#ifndef CTAES_BYTES_H
#define CTAES_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Turn a word in the machine's byte order into a big-endian or little-endian
   one, or back. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
static inline uint32_t swap_be32(uint32_t x)
{
    return __builtin_bswap32(x);
}
static inline uint64_t swap_be64(uint64_t x)
{
    return __builtin_bswap64(x);
}
static inline uint32_t swap_le32(uint32_t x)
{
    return x;
}
static inline uint64_t swap_le64(uint64_t x)
{
    return x;
}
#else
static inline uint32_t swap_be32(uint32_t x)
{
    return x;
}
static inline uint64_t swap_be64(uint64_t x)
{
    return x;
}
static inline uint32_t swap_le32(uint32_t x)
{
    return __builtin_bswap32(x);
}
static inline uint64_t swap_le64(uint64_t x)
{
    return __builtin_bswap64(x);
}
#endif

static inline uint32_t load_be32(const uint8_t *p)
{
    uint32_t x;
    memcpy(&x, p, sizeof x);
    return swap_be32(x);
}

static inline void store_be32(uint8_t *p, uint32_t x)
{
    x = swap_be32(x);
    memcpy(p, &x, sizeof x);
}

static inline uint64_t load_be64(const uint8_t *p)
{
    uint64_t x;
    memcpy(&x, p, sizeof x);
    return swap_be64(x);
}

static inline void store_be64(uint8_t *p, uint64_t x)
{
    x = swap_be64(x);
    memcpy(p, &x, sizeof x);
}

static inline uint32_t load_le32(const uint8_t *p)
{
    uint32_t x;
    memcpy(&x, p, sizeof x);
    return swap_le32(x);
}

static inline void store_le32(uint8_t *p, uint32_t x)
{
    x = swap_le32(x);
    memcpy(p, &x, sizeof x);
}

static inline uint64_t load_le64(const uint8_t *p)
{
    uint64_t x;
    memcpy(&x, p, sizeof x);
    return swap_le64(x);
}

static inline void store_le64(uint8_t *p, uint64_t x)
{
    x = swap_le64(x);
    memcpy(p, &x, sizeof x);
}

/* 16 bytes that are loaded and stored at once. A vector load right after two
   stores of half its size must wait until these have left the store buffer,
   some 15 cycles on current CPUs: what a core will load next is better stored
   whole. */
typedef uint64_t block_word __attribute__((vector_size(16)));

/* With the compiler's own memcpy, because clang takes the fortified one through
   the stack, and leaves secrets there. */
static inline block_word load_block_word(const uint8_t p[16])
{
    block_word x;
    __builtin_memcpy(&x, p, 16);
    return x;
}

static inline void store_block_word(uint8_t p[16], block_word x)
{
    __builtin_memcpy(p, &x, 16);
}

/* Stores a and b, big-endian, as one block. */
static inline void store_be64_pair(uint8_t p[16], uint64_t a, uint64_t b)
{
    store_block_word(p, (block_word){swap_be64(a), swap_be64(b)});
}

/* The same, little-endian. */
static inline void store_le64_pair(uint8_t p[16], uint64_t a, uint64_t b)
{
    store_block_word(p, (block_word){swap_le64(a), swap_le64(b)});
}

/* out = a ^ b over 16 bytes; out may be a or b. */
static inline void xor_block(uint8_t out[16], const uint8_t a[16], const uint8_t b[16])
{
    store_block_word(out, load_block_word(a) ^ load_block_word(b));
}

/* Copies len bytes, which are often fewer than 16: then without a call. out isn't in. len is
   public. */
static inline void copy_bytes(uint8_t *out, const uint8_t *in, size_t len)
{
    if (len > 16) {
        memcpy(out, in, len);
    } else if (len >= 8) {
        const uint64_t first = load_le64(in), last = load_le64(in + len - 8);
        store_le64(out, first);
        store_le64(out + len - 8, last);
    } else {
        for (size_t i = 0; i < len; i++)
            out[i] = in[i];
    }
}

/* out = a ^ b over len bytes; out may be a or b. len is public. */
static inline void xor_bytes(uint8_t *out, const uint8_t *a, const uint8_t *b, size_t len)
{
    size_t i = 0;
    for (; i + 16 <= len; i += 16)
        xor_block(out + i, a + i, b + i);
    if ((len & 8) != 0) {
        store_le64(out + i, load_le64(a + i) ^ load_le64(b + i));
        i += 8;
    }
    if ((len & 4) != 0) {
        store_le32(out + i, load_le32(a + i) ^ load_le32(b + i));
        i += 4;
    }
    for (; i < len; i++)
        out[i] = (uint8_t)(a[i] ^ b[i]);
}

#endif
