/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text to bytes: the way back through the grammar.
 *
 * A step is matched by trying each rule's alternatives in their order, and going
 * back where one leads nowhere.
 */
#include "grammar.h"

#include "grammar_rules.h"

#include "../evp/evp.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct encoder {
    uint8_t *out, *out_end;
    const char *furthest;
};

/* Where a match may go on: the rest of an alternative, and of those around it. */
struct rest {
    const struct alternative *a;
    unsigned i;
    const struct rest *outer;
};

static size_t match_rest(struct encoder *e, size_t n, const char **text, const struct rest *rest);

static bool put_byte(const struct encoder *e, size_t n, unsigned byte)
{
    if (e->out + n >= e->out_end)
        return false;
    e->out[n] = (uint8_t)byte;
    return true;
}

/* Reads a number as put_number writes it; false if there is none, or one out of bounds. */
static bool read_number(const char **text, long low, long high, long *v)
{
    char *end;
    const char *p = *text;
    if (!isdigit((unsigned char)p[0]) && !(p[0] == '-' && p[1] >= '1' && p[1] <= '9'))
        return false;
    *v = strtol(p, &end, 10);
    if ((*p == '0' && end != p + 1) || *v < low || *v > high)
        return false;
    *text = end;
    return true;
}

/* Returns the number of bytes once everything up to the end of the step matches, or 0. */
static size_t match_terminal(struct encoder *e, size_t n, const char **text, const struct part *p,
                             const struct rest *rest)
{
    static const struct {
        long low, high;
    } bounds[] = {[N] = {0, 255},       [SIGNED] = {-128, 127}, [LEN] = {0, LONGEST - 1},
                  [OFFSET] = {-48, 48}, [TO_64] = {0, 64},      [TO_160] = {0, 160}};
    const char *start = *text;
    long v;

    if (p->kind == HEX) {
        size_t digits = 0, most;
        while (isxdigit((unsigned char)start[digits]) && !isupper((unsigned char)start[digits]))
            digits++;
        for (most = digits / 2 < MOST_HEX ? digits / 2 : MOST_HEX; most > 0; most--) {
            if (!put_byte(e, n + most, 0))
                return 0;
            e->out[n] = (uint8_t)(most - 1);
            for (size_t i = 0; i < most; i++) {
                const char byte[3] = {start[2 * i], start[2 * i + 1], '\0'};
                e->out[n + 1 + i] = (uint8_t)strtoul(byte, NULL, 16);
            }
            *text = start + 2 * most;
            const size_t all = match_rest(e, n + 1 + most, text, rest);
            if (all > 0)
                return all;
        }
        *text = start;
        return 0;
    }
    if (!read_number(text, bounds[p->kind].low, bounds[p->kind].high, &v))
        return 0;
    bool good;
    if (p->kind == LEN && v >= ONE_BYTE) {
        good = put_byte(e, n, (unsigned)(ONE_BYTE + (v >> 8))) && put_byte(e, n + 1, v & 255);
        n += 2;
    } else {
        good = put_byte(e, n, (unsigned)(p->kind == OFFSET ? v + 48 : v) & 255);
        n++;
    }
    const size_t all = good ? match_rest(e, n, text, rest) : 0;
    if (all == 0)
        *text = start;
    return all;
}

static size_t match_rule(struct encoder *e, size_t n, const char **text, unsigned rule,
                         const struct rest *outer)
{
    for (unsigned i = 0; i < prepared[rule].n; i++) {
        const char *start = *text;
        const struct rest rest = {&prepared[rule].alternatives[i], 0, outer};
        const size_t all = put_byte(e, n, i) ? match_rest(e, n + 1, text, &rest) : 0;
        if (all > 0)
            return all;
        *text = start;
    }
    return 0;
}

static size_t match_rest(struct encoder *e, size_t n, const char **text, const struct rest *rest)
{
    const char *start = *text;
    if (start > e->furthest)
        e->furthest = start;
    while (rest != NULL && rest->i == rest->a->nparts)
        rest = rest->outer;
    if (rest == NULL)
        return *start == ';' || *start == '\0' ? n : 0;

    const struct part *p = &rest->a->parts[rest->i];
    const struct rest next = {rest->a, rest->i + 1, rest->outer};
    if (p->kind == RULE)
        return match_rule(e, n, text, p->rule, &next);
    if (p->kind != LITERAL)
        return match_terminal(e, n, text, p, &next);
    if (strncmp(start, p->text, p->len) != 0)
        return 0;
    *text += p->len;
    const size_t all = match_rest(e, n, text, &next);
    if (all == 0)
        *text = start;
    return all;
}

size_t encode_program(uint8_t *bytes, uint8_t core, bool probing, const char *text,
                      const char **stuck)
{
    prepare_rules();
    const char *colon = strstr(text, ": ");
    unsigned choice = 0, all = (unsigned)nalgorithms + MACS;
    struct encoder e = {bytes, bytes + MOST_BYTES, text};

    *stuck = text;
    for (; colon != NULL && choice < all; choice++) {
        const char *name =
            choice < nalgorithms ? algorithms[choice].name : mac_names[choice - nalgorithms];
        const size_t len = (size_t)(colon - text);
        if (strncmp(name, text, len) == 0 && name[len] == '\0')
            break;
    }
    if (colon == NULL || choice == all)
        return 0;
    bytes[0] = core;
    bytes[1] = probing ? 7 : 0;
    bytes[2] = (uint8_t)choice;
    const unsigned rule = choice < nalgorithms ? step_rule : mac_rule;

    size_t n = 3;
    for (text = colon + 2; n > 0;) {
        text += strspn(text, " ;");
        if (*text == '\0')
            return n;
        n = match_rule(&e, n, &text, rule, NULL);
    }
    *stuck = e.furthest;
    return 0;
}

void list_tokens(void (*f)(const uint8_t *bytes, size_t len, const char *text))
{
    static const char *const flows[] = {"init e alg k0 i0",
                                        "init d alg k0 i0",
                                        "init e k0 i0",
                                        "init d k0 i0",
                                        "init s i1",
                                        "init d k0",
                                        "up 16",
                                        "up 33",
                                        "up 0",
                                        "aad 20",
                                        "fin; gettag 16",
                                        "feed; init d alg k0 i0",
                                        "settag 16",
                                        "cipher 32",
                                        "up 32 same",
                                        "cipher 0 in=null",
                                        "fork; swap",
                                        "ctrl ivlen 8",
                                        "ctrl settag 8 null",
                                        "place 64; up 16",
                                        "tlsaad 40; up 64 same",
                                        "set tls-version:u4=771 tls-mac-size:u8=20",
                                        "pad 0",
                                        "up 32 in=null out=null",
                                        "get tls-mac:op/8",
                                        "up 512",
                                        "up 1100"};
    uint8_t bytes[MOST_BYTES];
    char text[200];
    const char *stuck;

    for (size_t i = 0; i < sizeof flows / sizeof flows[0]; i++) {
        snprintf(text, sizeof text, "%s: %s", algorithms[0].name, flows[i]);
        const size_t n = encode_program(bytes, 0, false, text, &stuck);
        if (n == 0)
            abort(); /* one of these isn't in the grammar */
        f(bytes + 3, n - 3, flows[i]);
    }
}
