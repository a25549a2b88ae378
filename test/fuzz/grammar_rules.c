/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The grammar: its rules, and the same prepared for grammar.c and
 * grammar_encode.c,
 * which read it in either direction.
 */
#include "grammar_rules.h"

#include "../evp/evp.h"
#include "../evp/skey.h"

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
      "fetch {fetched}{query}",
      "init_skey {dir}{alg}{key}{iv}{kind}{lengths}{sets}"}},
    {"kind", {"", " aes"}},
    {"lengths", {"", " kl{n}", " il{n}", " kl{n} il{n}"}},
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

struct prepared_rule prepared[RULES];
unsigned step_rule, mac_rule;

const char *const mac_names[MACS] = {"CMAC", "GMAC", "PMAC"};

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

void prepare_rules(void)
{
    if (prepared[0].n > 0)
        return;
    const bool has_skey = find_skey_api() != NULL;
    for (size_t i = 0; i < RULES; i++) {
        unsigned n = 0;
        while (n < MOST_ALTERNATIVES && rules[i].alternatives[n] != NULL)
            n++;
        prepared[i].alternatives = calloc(n, sizeof(struct alternative));
        if (prepared[i].alternatives == NULL)
            abort();
        for (unsigned k = 0; k < n; k++) {
            const char *text = rules[i].alternatives[k];
            if (has_skey || strncmp(text, "init_skey ", 10) != 0)
                prepare_alternative(&prepared[i].alternatives[prepared[i].n++], text);
        }
    }
    step_rule = (unsigned)(find_rule("step", 4) - rules);
    mac_rule = (unsigned)(find_rule("mac-step", 8) - rules);
}
