/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes to sequences of EVP calls, and back.
 *
 *     05 80 │ 0c │ 00 01 00 01 01 00 │ 10 2a 00 │ ...
 *      core,  cipher  init e alg k0 i0    up 42
 *      flags
 *
 * The sequences are a grammar: a rule has alternatives, one byte chooses among
 * them (modulo their number), and what an alternative names in braces is
 * expanded in its turn. So any bytes are a sequence, a change of one byte is a
 * change of one choice, and every sequence of the language in script.c and
 * macs.c that the grammar knows can be turned back into bytes: the corpus in
 * the tree is text.
 *
 * Where the bytes end, the first alternatives are taken, which name no rule
 * that leads back to themselves.
 */
#include "grammar.h"

#include "../evp/evp.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ALTERNATIVES = 96 };

struct rule {
    const char *name;
    const char *alternatives[MOST_ALTERNATIVES];
};

/* Names in braces that aren't rules here are terminals: see find_terminal. */
static const struct rule rules[] = {
    /* What comes often is there more than once. */
    {"step",
     {"up {len}{how}",
      "init {dir}{alg}{key}{iv}{sets}",
      "fin{how-fin}",
      "cipher {len}{how}",
      "aad {len}",
      "up {len}",
      "up {len} same",
      "up {len} at={offset}",
      "cipher {len} at={offset}",
      "gettag 16",
      "settag 16",
      "gettag {n}",
      "settag {n}",
      "fin",
      "feed",
      "place 0",
      "place {len}",
      "init {dir} alg{key}{iv}",
      "init s{iv}",
      "init {dir}{key}{iv}",
      "init_ex {dir}{alg}{key}{iv}",
      "init_old {dir}{alg}{key}{iv}",
      "set {set}{sets}",
      "get {get}{gets}",
      "cget {get}{gets}",
      "ctrl ivlen {n}",
      "ctrl settag {n} null",
      "ctrl {ctrl} {signed}",
      "ctrl {ctrl} {signed} {octets}",
      "tlsaad {len}",
      "tlsaad {len} {version}",
      "copy",
      "fork",
      "over",
      "swap",
      "dup",
      "free",
      "reset",
      "cipher 0 in=null",
      "cipher 0 in=null out=null",
      "cipher {len} aad{how}",
      "aad {len}{how}",
      "up {len} in=null out=null",
      "encup {len}{how}",
      "decup {len}{how}",
      "encfin{how-fin}",
      "decfin{how-fin}",
      "pad {n}",
      "num {n}",
      "keylen {n}",
      "uiv {n}",
      "oiv {n}",
      "info",
      "toasn1",
      "fromasn1 {n}",
      "rewind",
      "skip {len}",
      "plain",
      "flip {len} {n}",
      "fliptag {n}",
      "poke {len} {hex}",
      "align {n} {n}",
      "fetch {fetched}{query}"}},
    {"dir", {"e", "d", "s"}},
    {"alg", {"", " alg"}},
    {"key", {"", " k0", " k1", " k2", " k3", " k4"}},
    {"iv", {"", " i0", " i1", " i2", " i3", " i4", " i5", " i6", " i7", " ix{hex}"}},
    {"how",
     {"", " same", " in=null", " out=null", " in=null out=null", " outl=null", " same out=null"}},
    {"how-fin", {"", " out=null", " outl=null"}},
    {"sets", {"", " {set}", " {set} {set}", " {set} {set} {set}"}},
    {"set",
     {"padding:{number}={value}",
      "ivlen:{number}={value}",
      "keylen:{number}={value}",
      "tag:{octet}={octets}",
      "tls-version:{number}={version-value}",
      "tls-mac-size:{number}={value}",
      "tlsaad:os=R13",
      "tlsivfixed:os=R4",
      "tlsivfixed:os=R128@-1",
      "{param}:{octet}={octets}@-1",
      "tlsivinv:os=N8",
      "cts_mode:us=x43533{digit}",
      "cts_mode:us=x6{digit}533{digit}00",
      "speed:{number}={value}",
      "use-bits:{number}={value}",
      "num:{number}={value}",
      "{param}:{number}={value}",
      "{param}:{number}=null",
      "{param}:{real}={value}",
      "{param}:{octet}={octets}"}},
    {"gets", {"", " {get}", " {get} {get}", " {get} {get} {get}"}},
    {"get",
     {"{param}:{number}{size}", "{param}:{octet}{size}", "{param}:{real}{size}", "updated-iv:os/16",
      "tls-mac:op/8", "tlsivgen:os/8", "tag:os/16", "iv:op/16"}},
    {"size", {"", "/{n}", "/null", "/null/{n}"}},
    {"param",
     {"padding",
      "keylen",
      "ivlen",
      "num",
      "iv",
      "updated-iv",
      "taglen",
      "tag",
      "tlsaadpad",
      "tls-mac",
      "tlsivgen",
      "tlsivinv",
      "tlsivfixed",
      "tlsaad",
      "nosuch",
      "use-bits",
      "cts_mode",
      "speed",
      "tls-version",
      "tls-mac-size",
      "mode",
      "blocksize",
      "aead",
      "custom-iv",
      "cts",
      "tls-multi",
      "has-randkey",
      "randkey",
      "tls1multi_maxsndfrag",
      "mackey",
      "alg_id_param",
      "algorithm-id-params",
      "rounds",
      "keybits"}},
    {"number", {"u4", "u8", "i4", "i8", "i1", "i2", "i16", "u1", "u2", "u16"}},
    {"real", {"r8", "r4"}},
    {"octet", {"os", "op", "us", "up"}},
    {"value",
     {"{n}", "{signed}", "12", "16", "128", "129", "300", "65535", "65536", "2147483647",
      "2147483648", "4294967295", "4294967296", "9223372036854775807", "18446744073709551615",
      "-9223372036854775808", "-2147483648", "-2147483649"}},
    {"version-value", {"768", "769", "770", "771", "772", "256", "65279", "65277", "0", "{value}"}},
    {"version", {"0303", "0302", "0301", "0300", "0304", "feff", "fefd", "0100"}},
    {"digit", {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}},
    {"octets", {"T16", "R{n}", "T{n}", "N{n}", "Z{n}", "null", "null/{n}", "x{hex}"}},
    {"ctrl",
     {"init", "keylen", "randkey", "copy", "ivlen", "gettag", "settag", "ivfixed", "ivgen", "setl",
      "msglen", "tlsaad", "mackey", "ivinv", "mbmax", "getivlen", "speed", "unknown"}},
    {"query",
     {"", " -", " fips=yes", " fips=no", " ?fips=yes", " nosuch=1", " ctaes.core=x", " a=b,"}},
    {"fetched",
     {"AES-128-CBC", "aes-128-cbc", "AES128", "id-aes128-GCM", "2.16.840.1.101.3.4.1.2",
      "aes256-wrap-pad", "id-aes192-CCM", "AES-256-XTS", "AES-128", "AES-512-CBC",
      "AES-256-CBC-CTS", "AES-128-SIV", "AES-192-OCB"}},

    {"mac-step",
     {"up {len}", "init k{key-len}{mac-sets}", "init{mac-sets}", "fin", "fin {n}", "size", "copy",
      "fork", "swap", "free", "set{mac-sets}"}},
    {"key-len", {"16", "24", "32", "{0-64}"}},
    {"mac-sets", {"", " {mac-set}", " {mac-set} {mac-set}", " {mac-set} {mac-set} {mac-set}"}},
    {"mac-set",
     {"cipher=AES-128-CBC", "cipher=AES-128-GCM", "iv=12", "key=16", "cipher={mac-cipher}",
      "iv={0-160}", "key={0-160}", "cipher!=1", "properties!=1", "key!=1", "iv!=1", "nosuch=1",
      "properties={mac-query}"}},
    {"mac-cipher",
     {"AES-192-CBC", "AES-256-CBC", "AES-192-GCM", "AES-256-GCM", "aes-128-cbc", "AES-128-CTR",
      "AES-128-ECB", "AES-256-CCM", "AES-128-OCB", "AES-256-XTS", "AES128", "aes256",
      "id-aes192-GCM", "nosuch", "AES-128-WRAP", "AES-128-SIV", "AES-128-CBC-CTS", "AES-128-CFB8"}},
    {"mac-query",
     {"fips=no", "?fips=yes", "fips=yes", "nosuch=1", "?nosuch=1", "provider=default"}},
};

enum { RULES = sizeof rules / sizeof rules[0] };

static const struct rule *find_rule(const char *name, size_t len)
{
    for (size_t i = 0; i < RULES; i++) {
        if (strncmp(rules[i].name, name, len) == 0 && rules[i].name[len] == '\0')
            return &rules[i];
    }
    return NULL;
}

/* --- The grammar, prepared ---------------------------------------------------------------------
 */

enum kind { LITERAL, RULE, N, SIGNED, LEN, OFFSET, HEX, TO_64, TO_160 };

struct part {
    enum kind kind;
    const char *text; /* LITERAL */
    uint16_t len;
    uint16_t rule; /* RULE: its number */
};

enum { MOST_PARTS = 12 };

struct alternative {
    unsigned nparts;
    struct part parts[MOST_PARTS];
};

static struct {
    unsigned n;
    struct alternative *alternatives;
} prepared[RULES];

static unsigned step_rule, mac_rule;

static enum kind find_terminal(const char *name, size_t len)
{
    static const struct {
        const char *name;
        enum kind kind;
    } terminals[] = {{"n", N},     {"signed", SIGNED}, {"len", LEN},     {"offset", OFFSET},
                     {"hex", HEX}, {"0-64", TO_64},    {"0-160", TO_160}};
    for (size_t i = 0; i < sizeof terminals / sizeof terminals[0]; i++) {
        if (strncmp(terminals[i].name, name, len) == 0 && terminals[i].name[len] == '\0')
            return terminals[i].kind;
    }
    fprintf(stderr, "fuzz: no rule {%.*s}\n", (int)len, name);
    abort();
}

static void prepare_alternative(struct alternative *a, const char *text)
{
    while (*text != '\0') {
        struct part *p = &a->parts[a->nparts++];
        if (a->nparts > MOST_PARTS)
            abort();
        if (*text == '{') {
            const size_t len = strcspn(++text, "}");
            const struct rule *r = find_rule(text, len);
            p->kind = r != NULL ? RULE : find_terminal(text, len);
            p->rule = (uint16_t)(r != NULL ? r - rules : 0);
            text += len + 1;
        } else {
            p->kind = LITERAL;
            p->text = text;
            p->len = (uint16_t)strcspn(text, "{");
            text += p->len;
        }
    }
}

static void prepare(void)
{
    if (prepared[0].n > 0)
        return;
    for (size_t i = 0; i < RULES; i++) {
        unsigned n = 0;
        while (n < MOST_ALTERNATIVES && rules[i].alternatives[n] != NULL)
            n++;
        prepared[i].alternatives = calloc(n, sizeof(struct alternative));
        if (prepared[i].alternatives == NULL)
            abort();
        prepared[i].n = n;
        for (unsigned k = 0; k < n; k++)
            prepare_alternative(&prepared[i].alternatives[k], rules[i].alternatives[k]);
    }
    step_rule = (unsigned)(find_rule("step", 4) - rules);
    mac_rule = (unsigned)(find_rule("mac-step", 8) - rules);
}

/* --- Bytes to text ---------------------------------------------------------------------------
 */

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

/* A length: one byte up to 191, two above, to LONGEST. */
enum { ONE_BYTE = 192, LONGEST = 4400, MOST_HEX = 64 };

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

static const char *const mac_names[] = {"CMAC", "GMAC", "PMAC"};
enum { MACS = sizeof mac_names / sizeof mac_names[0] };

void decode_program(struct program *p, const uint8_t *bytes, size_t len)
{
    prepare();
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

/* --- Text to bytes ---------------------------------------------------------------------------
 */

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
    prepare();
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
