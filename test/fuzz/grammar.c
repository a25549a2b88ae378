/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes to sequences of EVP calls.
 *
 *     05 80 │ 0c │ 00 01 00 01 01 00 │ 10 2a 00 │ ...
 *      core,  cipher  init e alg k0 i0    up 42
 *      flags
 *
 * The sequences are a grammar: a rule has alternatives, one byte chooses among
 * them (modulo their number), and what an alternative names in braces is
 * expanded in its turn. So any bytes are a sequence, a change of one byte is a
 * change of one choice, and every sequence of the language in script.c and
 * macs.c that the grammar knows can be turned back into bytes (grammar_encode.c):
 * the corpus in the tree is text. Algorithms and steps that this libcrypto lacks
 * are left out, so the same bytes may be another sequence under another version.
 *
 * Where the bytes end, the first alternatives are taken, which name no rule
 * that leads back to themselves.
 */
#include "grammar.h"

#include "grammar_rules.h"

#include "../evp/evp.h"

#include <string.h>

struct decoder {
    const uint8_t *at, *end;
    char *out, *out_end;
};

static unsigned next_byte(struct decoder *d)
{
    return d->at < d->end ? *d->at++ : 0;
}

static void put_chars(struct decoder *d, const char *text, size_t len)
{
    if (len < (size_t)(d->out_end - d->out)) {
        memcpy(d->out, text, len);
        d->out += len;
    }
}

static void put_number(struct decoder *d, int n)
{
    char digits[12];
    size_t i = sizeof digits;
    unsigned v = (unsigned)(n < 0 ? -n : n);
    do
        digits[--i] = (char)('0' + v % 10);
    while ((v /= 10) > 0);
    if (n < 0)
        digits[--i] = '-';
    put_chars(d, digits + i, sizeof digits - i);
}

static void expand(struct decoder *d, unsigned rule);

static void expand_part(struct decoder *d, const struct part *p)
{
    unsigned v;
    switch (p->kind) {
    case LITERAL:
        put_chars(d, p->text, p->len);
        break;
    case RULE:
        expand(d, p->rule);
        break;
    case N:
        put_number(d, (int)next_byte(d));
        break;
    case SIGNED:
        put_number(d, (int8_t)next_byte(d));
        break;
    case LEN:
        v = next_byte(d);
        if (v >= ONE_BYTE)
            v = ((v - ONE_BYTE) << 8 | next_byte(d)) % LONGEST;
        put_number(d, (int)v);
        break;
    case OFFSET:
        put_number(d, (int)(next_byte(d) % 97) - 48);
        break;
    case TO_64:
        put_number(d, (int)(next_byte(d) % 65));
        break;
    case TO_160:
        put_number(d, (int)(next_byte(d) % 161));
        break;
    case HEX:
        for (unsigned left = 1 + next_byte(d) % MOST_HEX; left > 0; left--) {
            static const char digits[] = "0123456789abcdef";
            v = next_byte(d);
            const char byte[2] = {digits[v >> 4], digits[v & 15]};
            put_chars(d, byte, 2);
        }
        break;
    }
}

static void expand(struct decoder *d, unsigned rule)
{
    const struct alternative *a = &prepared[rule].alternatives[next_byte(d) % prepared[rule].n];
    for (unsigned i = 0; i < a->nparts; i++)
        expand_part(d, &a->parts[i]);
}

void decode_program(struct program *p, const uint8_t *bytes, size_t len)
{
    prepare_rules();
    struct decoder d = {bytes, bytes + len, p->text, p->text + sizeof p->text - 200};
    p->core = (uint8_t)next_byte(&d);
    p->probing = (next_byte(&d) & 7) == 7;

    const unsigned choice = next_byte(&d) % (unsigned)(nalgorithms + MACS);
    p->is_mac = choice >= nalgorithms;
    const char *name = p->is_mac ? mac_names[choice - nalgorithms] : algorithms[choice].name;
    put_chars(&d, name, strlen(name));
    put_chars(&d, ": ", 2);
    for (int i = 0; i < SEQUENCE_STEPS && d.at < d.end; i++) {
        if (d.out_end - d.out < 400)
            break;
        expand(&d, p->is_mac ? mac_rule : step_rule);
        put_chars(&d, "; ", 2);
    }
    *d.out = '\0';
}
