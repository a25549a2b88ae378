/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random sequences. Sequence n of a seed depends on those two numbers only.
 *
 * Half of them start from a flow that makes sense (encrypt, keep the tag, decrypt
 * what came out), into which steps are thrown, and from which some are lost;
 * the others are any steps in any order. What default's behaviour is undefined
 * for is left out when they run (step_is_undefined).
 */
#include "evp.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

static uint64_t next(void)
{
    state += 0x9e3779b97f4a7c15;
    uint64_t x = state;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

static unsigned below(unsigned n)
{
    return (unsigned)(next() >> 33) % n;
}

static bool one_in(unsigned n)
{
    return below(n) == 0;
}

#define PICK(...)                                                                                  \
    ((const char *const[]){                                                                        \
        __VA_ARGS__})[below(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))]

static unsigned random_len(void)
{
    static const unsigned edges[] = {0,   1,   15,   16,   17,   31,   32,   33,   47,   48,
                                     63,  64,  65,   127,  128,  129,  255,  256,  257,  511,
                                     512, 513, 1023, 1024, 1025, 1791, 1792, 2047, 2048, 2049};
    switch (below(8)) {
    case 0:
        return edges[below(sizeof edges / sizeof edges[0])];
    case 1:
        return below(300);
    case 2:
        return one_in(8) ? below(3000) : 16 * below(20);
    default:
        return below(34);
    }
}

struct text {
    char at[3500];
    size_t len;
    unsigned steps;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->at + t->len, sizeof t->at - t->len, format, args);
    va_end(args);
    if (n > 0 && t->len + (size_t)n < sizeof t->at)
        t->len += (size_t)n;
    t->at[t->len] = '\0';
}

static void put_step(struct text *t, const char *step)
{
    if (t->steps < 40 && t->len < sizeof t->at - 200) {
        put(t, "%s; ", step);
        t->steps++;
    }
}

static const char *number_type(void)
{
    return PICK("i1", "i2", "i4", "i8", "i16", "u1", "u2", "u4", "u4", "u8", "u8", "u16", "r4",
                "r8");
}

static void put_value(char *out, size_t size, const char *key)
{
    if (one_in(12))
        snprintf(out, size, "%s:%s=%s%u", key, PICK("os", "us", "op"), PICK("R", "Z", "null/"),
                 below(20));
    else
        snprintf(out, size, "%s:%s=%s", key, number_type(),
                 PICK("0", "0", "1", "1", "2", "12", "16", "-1", "127", "128", "300"));
}

/* A setting that doesn't end the sequence most of the time. */
static void put_setting(char *out, size_t size, bool gcm)
{
    if (gcm && one_in(2)) {
        switch (below(5)) {
        case 0:
            snprintf(out, size, "ivlen:%s=%s", number_type(),
                     PICK("12", "12", "16", "8", "13", "7", "1", "128", "129", "0"));
            return;
        case 1:
            snprintf(out, size, "tag:%s=%s%u", PICK("os", "os", "os", "us", "op"),
                     PICK("T", "T", "R", "Z", "null/"), one_in(2) ? 16 : below(19));
            return;
        case 2:
            snprintf(out, size, "tlsaad:os=R%u", one_in(3) ? below(16) : 13);
            return;
        case 3:
            snprintf(out, size, "tlsivfixed:os=R%s",
                     PICK("4", "4", "4", "5", "8", "3", "0", "128@-1"));
            return;
        default:
            snprintf(out, size, "tlsivinv:os=%s%u", PICK("R", "N"), one_in(2) ? 8 : below(13));
            return;
        }
    }
    if (one_in(8)) { /* CS1, CS2, CS3, cs2, cS, CS4 */
        snprintf(out, size, "cts_mode:%s",
                 PICK("us=x435331", "us=x435332", "us=x435333", "us=x63733200", "us=x635300",
                      "os=x435331", "us=x43533400"));
        return;
    }
    put_value(
        out, size,
        PICK("padding", "padding", "padding", "keylen", "use-bits", "tls-mac-size", "nosuch"));
    if (one_in(30))
        put_value(out, size, PICK("num", "tls-version"));
    else if (one_in(10))
        snprintf(out, size, "tls-version:%s=%s", PICK("i4", "u4"),
                 PICK("768", "769", "770", "771", "0", "65277", "772"));
}

static void put_init(char *out, size_t size, bool gcm)
{
    int n = snprintf(out, size, "%s %s%s", PICK("init", "init", "init_ex", "init_old"),
                     PICK("e", "e", "d", "d", "s"), one_in(4) ? " alg" : "");
    if (!one_in(3))
        n += snprintf(out + n, size - (size_t)n, " k%u", one_in(10) ? 4 : below(3));
    if (!one_in(3))
        n += snprintf(out + n, size - (size_t)n, " i%u", below(8));
    /* The older functions take no parameters. */
    if (strncmp(out, "init ", 5) == 0 && one_in(6)) {
        out[n++] = ' ';
        put_setting(out + n, size - (size_t)n, gcm);
    }
}

static void put_get(char *out, size_t size, bool gcm)
{
    static const char *const keys[] = {"keylen",     "ivlen",    "padding", "num",       "iv",
                                       "updated-iv", "taglen",   "tag",     "tlsaadpad", "tls-mac",
                                       "nosuch",     "use-bits", "cts_mode"};
    int n = snprintf(out, size, "get");
    for (unsigned i = 1 + below(3); i > 0; i--) {
        const char *key = gcm && one_in(5) ? "tlsivgen" : keys[below(sizeof keys / sizeof keys[0])];
        if (one_in(2))
            n += snprintf(out + n, size - (size_t)n, " %s:%s", key, number_type());
        else
            n += snprintf(out + n, size - (size_t)n, " %s:%s/%s%u", key,
                          PICK("os", "os", "op", "us", "up"), one_in(8) ? "null/" : "",
                          one_in(2) ? 16 : below(40));
    }
}

static void put_data(char *out, size_t size, bool gcm)
{
    const char *same = one_in(6) ? " same" : "";
    unsigned len = random_len();
    switch (below(gcm ? 7 : 6)) {
    case 0:
        snprintf(out, size, "cipher %u%s", one_in(2) ? len - len % 16 : len, same);
        break;
    case 1:
        if (one_in(3)) {
            snprintf(out, size, "up %u%s%s", one_in(2) ? 0 : len, one_in(2) ? " in=null" : "",
                     one_in(2) ? " out=null" : "");
            break;
        }
        snprintf(out, size, "fin%s", one_in(6) ? " out=null" : "");
        break;
    case 2:
        snprintf(out, size, one_in(3) ? "cipher 0 in=null" : "fin");
        break;
    case 6:
        snprintf(out, size, one_in(4) ? "cipher %u aad" : "aad %u", len);
        break;
    default:
        snprintf(out, size, "up %u%s", len, same);
        break;
    }
}

static void put_ctrl(char *out, size_t size)
{
    switch (below(9)) {
    case 0:
        snprintf(out, size, "gettag %u", one_in(2) ? 16 : below(19));
        break;
    case 1:
        if (one_in(4))
            snprintf(out, size, "ctrl settag %u null", one_in(2) ? 16 : below(19));
        else
            snprintf(out, size, "settag %u", one_in(2) ? 16 : below(19));
        break;
    case 2:
        snprintf(out, size, "ctrl ivlen %s",
                 PICK("12", "12", "16", "8", "13", "7", "1", "128", "129", "0"));
        break;
    case 3:
        snprintf(out, size, "ctrl ivfixed %s", PICK("4 R4", "4 R4", "-1 R128", "5 R5", "3 R3"));
        break;
    case 4:
        snprintf(out, size, "ctrl ivgen %s", PICK("8", "8", "1", "12", "-1", "0", "16"));
        break;
    case 5:
        snprintf(out, size, "ctrl ivinv %s", PICK("8 N8", "8 R8", "1 R1", "12 R12", "0 R0"));
        break;
    case 6:
        snprintf(out, size, "tlsaad %u", one_in(4) ? below(30) : 8 + random_len());
        break;
    case 7: {
        /* The record for which the last flow's AAD was. */
        unsigned len = 24 + below(100);
        snprintf(out, size, "tlsaad %u; up %u same", len - (one_in(2) ? 16 : 0), len);
        break;
    }
    default:
        snprintf(
            out, size, "ctrl %s %u",
            PICK("init", "keylen", "unknown", "speed", "setl", "mackey", "getivlen", "randkey"),
            below(20));
        break;
    }
}

static void put_anything(char *out, size_t size, bool gcm)
{
    switch (below(gcm ? 15 : 12)) {
    case 0:
    case 1:
        put_init(out, size, gcm);
        break;
    case 2:
        snprintf(out, size, "%s",
                 PICK("copy", "dup", "fork", "over", "swap", "fork; swap", "swap", "over; swap"));
        break;
    case 3: {
        char setting[64];
        put_setting(setting, sizeof setting, gcm);
        snprintf(out, size, "set %s", setting);
        break;
    }
    case 4:
        put_get(out, size, gcm);
        break;
    case 5:
        if (one_in(3))
            snprintf(out, size, "keylen %u", 8 * below(5));
        else
            snprintf(out, size, "%s",
                     PICK("pad 0", "pad 1", "pad 0", "info", "num 0", "uiv 16", "oiv 16", "uiv 12",
                          "oiv 128", "toasn1", "fromasn1 16"));
        break;
    case 6:
        if (one_in(3))
            snprintf(out, size, "%s",
                     PICK("reset", "free", "encup 16", "decup 16", "encfin", "decfin"));
        else
            snprintf(out, size, "%s",
                     PICK("feed", "rewind", "plain", "flip 5 1", "fliptag 3", "align 1 1",
                          "align 7 9", "place 300", "place 0", "align 0 0", "skip 40"));
        break;
    case 12:
    case 13:
    case 14:
        put_ctrl(out, size);
        break;
    default:
        put_data(out, size, gcm);
        break;
    }
}

/* One of SIV or GCM-SIV: the tag first, all data at once. */
static void put_siv_flow(struct text *t)
{
    unsigned len = random_len(), key = below(3), iv = below(8), aads = below(4);
    unsigned aad[3] = {random_len(), random_len() % 300, random_len() % 40};
    char step[256];

    for (int enc = 1; enc >= 0; enc--) {
        const char *dir = enc ? "e" : "d";
        if (one_in(3))
            snprintf(step, sizeof step, "init %s alg; init %s k%u; init s i%u", dir, dir, key, iv);
        else
            snprintf(step, sizeof step, "init %s%s k%u i%u", dir, enc || !one_in(4) ? " alg" : "",
                     key, iv);
        put_step(t, step);
        if (!enc)
            put_step(t, one_in(4) ? "fliptag 7; settag 16" : "settag 16");
        for (unsigned i = 0; i < aads; i++) {
            snprintf(step, sizeof step, one_in(6) ? "cipher %u aad" : "aad %u", aad[i]);
            put_step(t, step);
        }
        snprintf(step, sizeof step, "%s %u%s", one_in(6) ? "cipher" : "up", len,
                 one_in(4) ? " same" : "");
        put_step(t, step);
        put_step(t, one_in(4) ? "cipher 0 in=null out=null" : "fin");
        if (enc)
            put_step(t, "gettag 16; feed");
    }
}

/* A flow that makes sense. */
static void put_flow(struct text *t, const struct algorithm *alg)
{
    bool gcm = alg->mode == EVP_CIPH_GCM_MODE, block = has_mode(alg, BLOCK);
    bool cts = alg->mode == CTS_MODE;
    unsigned len = random_len() + (cts ? 16 : 0), iv_len = one_in(3) ? 1 + below(128) : 12,
             tag = 16;
    unsigned aad = gcm && !one_in(3) ? random_len() : 0, key = below(3), iv = below(8);
    char step[256];

    if (gcm && one_in(4))
        tag = 1 + below(16);
    for (int enc = 1; enc >= 0; enc--) {
        const char *dir = enc ? "e" : "d";
        unsigned total = enc || !block ? len : len - len % 16 + 16;

        if (one_in(2)) {
            snprintf(step, sizeof step, "init %s alg", dir);
            put_step(t, step);
            if (gcm && iv_len != 12) {
                snprintf(step, sizeof step, "ctrl ivlen %u", iv_len);
                put_step(t, step);
            }
            snprintf(step, sizeof step, "init %s k%u%s", dir, key, one_in(2) ? "; init s" : "");
            put_step(t, step);
            snprintf(step, sizeof step, "init s i%u", iv);
        } else if (gcm && iv_len != 12) {
            snprintf(step, sizeof step, "init %s alg k%u i%u ivlen:u8=%u", dir, key, iv, iv_len);
        } else {
            snprintf(step, sizeof step, "init %s alg k%u i%u", dir, key, iv);
        }
        put_step(t, step);
        if (!enc && one_in(2)) {
            snprintf(step, sizeof step, "settag %u", tag);
            put_step(t, step);
        }
        if (aad > 0) {
            snprintf(step, sizeof step, "aad %u", aad);
            put_step(t, step);
        }
        if (one_in(5)) {
            snprintf(step, sizeof step, "align 0 %u; place %u", below(16), total);
            put_step(t, step);
        }
        for (unsigned left = total; left > 0;) {
            unsigned n = one_in(2) ? left : 1 + below(left);
            if (t->steps > 30 || (cts && !one_in(20)))
                n = left;
            if (has_mode(alg, XTS)) /* pieces of one block at least */
                n = left < 32 || n < 16 || left - n < 16 ? left : n;
            snprintf(step, sizeof step, "%s %u", one_in(8) && n % 16 == 0 ? "cipher" : "up", n);
            put_step(t, step);
            left -= n;
        }
        if (gcm && !enc) {
            snprintf(step, sizeof step, "%ssettag %u", one_in(4) ? "fliptag 7; " : "", tag);
            put_step(t, step);
        }
        put_step(t, gcm && one_in(4) ? "cipher 0 in=null" : "fin");
        if (enc) {
            if (gcm) {
                snprintf(step, sizeof step, "gettag %u", tag);
                put_step(t, step);
            }
            put_step(t, "place 0; feed");
        }
    }
}

/* Records of TLS, there and back. */
static void put_records(struct text *t)
{
    static const unsigned versions[] = {0x300, 0x301, 0x302, 0x303, 0x100, 0xfeff, 0xfefd};
    static const unsigned macs[] = {0, 16, 20, 32, 48, 64};
    unsigned version = versions[below(sizeof versions / sizeof versions[0])];
    unsigned mac = one_in(8) ? below(70) : macs[below(sizeof macs / sizeof macs[0])];
    unsigned key = below(3), iv = below(8), n = 1 + below(4), lens[4];
    char step[256];

    for (int enc = 1; enc >= 0; enc--) {
        snprintf(step, sizeof step,
                 one_in(2) ? "init %s alg k%u i%u tls-version:u4=%u tls-mac-size:u8=%u"
                           : "init %s alg k%u i%u; set tls-version:i4=%u tls-mac-size:u8=%u",
                 enc ? "e" : "d", key, iv, version, mac);
        put_step(t, step);
        for (unsigned i = 0; i < n; i++) {
            if (enc)
                lens[i] = (one_in(4) ? 0 : 16 + mac) + random_len() % 1000;
            else
                lens[i] += 16 - lens[i] % 16;
            snprintf(step, sizeof step, "up %u same", lens[i]);
            put_step(t, step);
            if (!enc)
                put_step(t, "get tls-mac:op/8");
        }
        if (enc) {
            snprintf(step, sizeof step, "feed%s", one_in(3) ? "; flip 20 3" : "");
            put_step(t, step);
        }
    }
}

/* The same for CCM, whose message is one update after its length, and OCB. */
static void put_whole_flow(struct text *t, const struct algorithm *alg)
{
    const bool ccm = has_mode(alg, CCM);
    unsigned len = random_len(), aad = one_in(3) ? 0 : random_len(), key = below(3), iv = below(8);
    unsigned tag = ccm ? 4 + 2 * below(7) : 1 + below(16);
    unsigned iv_len = ccm ? 7 + below(7) : 1 + below(15);
    char step[256];

    for (int enc = 1; enc >= 0; enc--) {
        const char *dir = enc ? "e" : "d";
        snprintf(step, sizeof step, "init %s alg; ctrl ivlen %u; ctrl settag %u null; init %s k%u",
                 dir, iv_len, tag, dir, key);
        put_step(t, step);
        snprintf(step, sizeof step, "init s i%u", iv);
        put_step(t, step);
        if (!enc && (ccm || one_in(2))) {
            snprintf(step, sizeof step, "%ssettag %u", one_in(4) ? "fliptag 7; " : "", tag);
            put_step(t, step);
        }
        if (ccm && (aad > 0 || one_in(2))) {
            snprintf(step, sizeof step, "up %u in=null out=null", len);
            put_step(t, step);
        }
        for (unsigned left = aad; left > 0;) {
            unsigned n = ccm || one_in(2) ? left : 1 + below(left);
            snprintf(step, sizeof step, "aad %u", n);
            put_step(t, step);
            left -= n;
        }
        for (unsigned left = len, first = 1; left > 0 || first; first = 0) {
            unsigned n = ccm || left == 0 || one_in(2) || t->steps > 30 ? left : 1 + below(left);
            snprintf(step, sizeof step, "%s %u%s", ccm && one_in(4) ? "cipher" : "up", n,
                     (ccm || n % 16 == 0) && one_in(4) ? " same" : "");
            put_step(t, step);
            left -= n;
        }
        if (!enc && !ccm) {
            snprintf(step, sizeof step, "%ssettag %u", one_in(4) ? "fliptag 7; " : "", tag);
            put_step(t, step);
        }
        if (!ccm || one_in(2))
            put_step(t, "fin");
        if (enc) {
            snprintf(step, sizeof step, "gettag %u", tag);
            put_step(t, step);
            put_step(t, "feed");
        }
    }
}

/* Throws steps into a flow, and loses some. */
static void disturb(struct text *t, bool gcm)
{
    static char flow[sizeof t->at];
    char step[256], *rest = NULL;
    unsigned lose = one_in(2) ? 1000 : 12, throw = 2 + below(8);

    memcpy(flow, t->at, sizeof flow);
    t->len = 0;
    t->steps = 0;
    t->at[0] = '\0';
    for (char *s = strtok_r(flow, ";", &rest); s != NULL; s = strtok_r(NULL, ";", &rest)) {
        s += strspn(s, " ");
        if (*s == '\0')
            continue;
        if (one_in(throw)) {
            put_anything(step, sizeof step, gcm);
            put_step(t, step);
        }
        if (!one_in(lose))
            put_step(t, s);
    }
}

static void make_sequence(struct text *t, uint64_t seed, unsigned long n)
{
    state = seed;
    state = next() ^ (uint64_t)n * 0xd1342543de82ef95;
    next();

    const struct algorithm *alg = &algorithms[below((unsigned)nalgorithms)];
    /* Whether to throw in what only AEADs have. */
    bool gcm = has_mode(alg, GCM | CCM | OCB | SIVS);
    char step[256];
    static struct text flow;

    flow.len = flow.steps = 0;
    flow.at[0] = '\0';
    if (one_in(2)) {
        if (has_mode(alg, CCM | OCB))
            put_whole_flow(&flow, alg);
        else if (has_mode(alg, GENERIC) && one_in(4))
            put_records(&flow);
        else if (has_mode(alg, SIVS))
            put_siv_flow(&flow);
        else
            put_flow(&flow, alg);
        if (!one_in(4))
            disturb(&flow, gcm);
    } else {
        snprintf(step, sizeof step, "init %s alg%s", PICK("e", "d", "s"),
                 PICK("", " k0", " i0", " k0 i0", " k1 i2", " k0 i0"));
        put_step(&flow, step);
        for (unsigned i = 2 + below(14); i > 0; i--) {
            put_anything(step, sizeof step, gcm);
            put_step(&flow, step);
        }
    }
    t->len = 0;
    put(t, "%s: %s", alg->name, flow.at);
}

void run_random(uint64_t seed, unsigned long count, unsigned long only)
{
    static struct text t;
    char title[64];

    for (unsigned long n = 0; n < count; n++) {
        if (only != ~0UL && n != only)
            continue;
        make_sequence(&t, seed, n);
        snprintf(title, sizeof title, "random, --seed %llu --only %lu", (unsigned long long)seed,
                 n);
        if (n == only) { /* printed first: it may be one that crashes */
            printf("%s\n", t.at);
            fflush(stdout);
        }
        run_sequence(title, t.at);
    }
}
