/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the library's files share: how a key lies in its caller's memory, and the checks of
 * arguments.
 *
 *      struct ctaes_key          64 bytes: what it is for, which core, how long
 *      parts[0 ...]              expanded AES key            every algorithm
 *            [key_size ...]      GHASH key                   GCM
 *                                second AES key              XTS, SIV
 *                                OCB's masks, CMAC's keys    OCB, CMAC
 *            [2 key_size ...]    S2V's state                 SIV
 *
 * each part aligned to 64 bytes.
 */
#ifndef CTAES_LIBRARY_H
#define CTAES_LIBRARY_H

#include "ctaes.h"
#include "../declassify.h"
#include "../modes/cmac.h"
#include "../modes/mode.h"
#include "../modes/ocb.h"
#include "../modes/siv.h"
#include "../../cores/core.h"
#include "../../cores/ct.h"
#include "../../cores/registers.h"

/* The most bytes of a core's key structures: what lies on the stack for GCM-SIV. */
enum { MOST_AES_KEY = 2944, MOST_GHASH_KEY = 10560 };

/* Stands at the head of a key that has been set up. */
#define KEY_MARK UINT64_C(0x79656b7365617463)

struct ctaes_key {
    uint64_t mark;
    const struct ctaes_core *core;
    uint32_t algorithm;
    uint32_t key_len;   /* bytes of one AES key before its expansion */
    uint32_t registers; /* enum ctaes_registers: to clear */
    uint32_t size;      /* bytes, this struct and its parts */
    _Alignas(CTAES_ALIGN) uint8_t parts[];
};

static inline size_t round_up(size_t size)
{
    return (size + CTAES_ALIGN - 1) & ~(size_t)(CTAES_ALIGN - 1);
}

static inline struct ctaes_aes_key *aes_key(const struct ctaes_key *key)
{
    return (struct ctaes_aes_key *)(uintptr_t)key->parts;
}

/* The part behind the AES key, whatever it is. */
static inline void *second_part(const struct ctaes_key *key)
{
    return (void *)(uintptr_t)(key->parts + round_up(key->core->key_size));
}

static inline struct ctaes_siv *siv_part(const struct ctaes_key *key)
{
    return (void *)(uintptr_t)(key->parts + 2 * round_up(key->core->key_size));
}

/* Whether key is one that was set up for that algorithm. */
static inline bool is_for(const struct ctaes_key *key, enum ctaes_algorithm algorithm)
{
    return key != NULL && key->mark == KEY_MARK && key->algorithm == (uint32_t)algorithm;
}

/* The rule for pointers: NULL only where there is nothing. */
static inline bool is_given(const void *p, size_t len)
{
    return p != NULL || len == 0;
}

static inline bool are_apart(const void *a, size_t a_len, const void *b, size_t b_len)
{
    const uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return a_len == 0 || b_len == 0 || (x < y ? y - x >= a_len : x - y >= b_len);
}

/* Whether len bytes at p, which will be written, are none of the key's. */
static inline bool spares_key(const struct ctaes_key *key, const void *p, size_t len)
{
    return are_apart(key, key->size, p, len);
}

/* The rule for data: in place, or nowhere near. */
static inline enum ctaes_result check_data(const uint8_t *out, const uint8_t *in, size_t len)
{
    if (!is_given(in, len) || !is_given(out, len))
        return CTAES_INVALID_ARGUMENT;
    return out == in || are_apart(out, len, in, len) ? CTAES_SUCCESS : CTAES_OVERLAP;
}

/* Whether the len bytes of both tags are equal: the verdict is what the caller of open and verify
   asked for. */
static inline bool is_same_tag(const uint8_t *a, const uint8_t *b, size_t len)
{
    return ctaes_declassify(ct_equal_bytes(a, b, len));
}

static inline void clear_widest(uint32_t *widest)
{
    clear_registers((enum ctaes_registers) * widest);
}

/* At the top of a function that touches secrets: when it returns, no vector register holds one. */
#define CLEARS(widest) __attribute__((cleanup(clear_widest), unused)) uint32_t clears = (widest)
#define CLEARS_REGISTERS(key) CLEARS((key)->registers)

#endif
