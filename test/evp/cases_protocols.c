/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls of TLS 1.3, QUIC and session tickets: contexts that live as long as
 * a connection, and are told little for each packet.
 *
 *   records, packets   key once; then for each a nonce alone, AAD, data, tag
 *   header protection  key once; then ECB of 16 bytes after an init that says nothing at all,
 *                      or CTR of 5 bytes with a sample of the packet as the IV
 *   tickets            CBC with padding, in copies of a context that has the key
 *
 * In what follows context A sends and context B receives.
 */
#include "evp.h"

#include <stdarg.h>
#include <stdlib.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define CBC (1 << EVP_CIPH_CBC_MODE)
#define ECB (1 << EVP_CIPH_ECB_MODE)

struct text {
    char at[4000];
    size_t len;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->at + t->len, sizeof t->at - t->len, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof t->at - t->len)
        abort();
    t->len += (size_t)n;
}

/* How a protocol's library makes the two contexts, and begins a packet in one of them. */
struct manner {
    const char *title;
    const char *init;   /* which of the functions */
    const char *length; /* how the IV's is set */
    bool once;          /* packets don't say the direction again */
    unsigned aad;       /* bytes */
};

static void begin_packet(struct text *t, const struct manner *m, const char *side, unsigned iv)
{
    add(t, "%s %s i%u; ", m->init, m->once ? "s" : side, iv);
}

/* Eight packets there, with what happens to some of them on the way. CCM is told its lengths. */
static void run_packets(const struct manner *m, bool ccm, unsigned first_len, const char *accident,
                        bool new_keys)
{
    static const char *const names[] = {"e", "d"};
    struct text t = {.len = 0};
    for (int side = 1; side >= 0; side--) {
        add(&t, "%s %s alg%s; ", m->init, names[side], m->length);
        if (ccm)
            add(&t, "ctrl settag 16 null; ");
        add(&t, "init_ex %s k0; %s", names[side], side == 1 ? "swap; " : "");
    }
    for (unsigned i = 0; i < 8; i++) {
        const unsigned len = first_len + 37 * i;
        if (new_keys && i % 3 == 2)
            add(&t, "init_ex e k%u; swap; init_ex d k%u; swap; ", i / 3 + 1, i / 3 + 1);
        begin_packet(&t, m, "e", i);
        if (ccm)
            add(&t, "up %u in=null out=null; ", len);
        add(&t, "aad %u; up %u%s; fin; gettag 16; feed; ", m->aad, len, i % 2 == 1 ? " same" : "");
        if (i == 4)
            add(&t, "%s", accident);
        add(&t, "swap; ");
        begin_packet(&t, m, "d", i);
        add(&t, "settag 16; ");
        if (ccm)
            add(&t, "up %u in=null out=null; ", len);
        add(&t, "aad %u; up %u%s; %sswap; plain; ", m->aad, len, i % 3 == 1 ? " same" : "",
            ccm ? "" : "fin; ");
    }
    run_for_modes(m->title, ccm ? CCM : GCM, t.at);
}

static void run_records_and_packets(void)
{
    static const struct manner manners[] = {
        {"TLS 1.3", "init_ex", "; ctrl ivlen 12", false, 5},
        {"QUIC", "init_ex", "; ctrl ivlen 12", false, 19},
        {"QUIC, the direction once", "init_ex", "; ctrl ivlen 12", true, 27},
        {"QUIC, with parameters", "init", " ivlen:u8=12", false, 11},
    };
    static const char *const accidents[] = {"", "flip 3 1; ", "fliptag 100; ", "poke 0 00ff; "};
    static const unsigned lens[] = {1, 17, 64, 940};

    for (size_t i = 0; i < COUNT(manners); i++) {
        for (size_t k = 0; k < COUNT(accidents); k++) {
            for (size_t n = 0; n < COUNT(lens); n++) {
                run_packets(&manners[i], false, lens[n], accidents[k], false);
                run_packets(&manners[i], false, lens[n], accidents[k], true);
                run_packets(&manners[i], true, lens[n], accidents[k], false);
            }
        }
    }
}

static void run_header_protection(void)
{
    static const char *const inits[] = {"init_ex s", "init_ex e", "init s", "init e"};
    struct text t;

    for (size_t i = 0; i < COUNT(inits); i++) {
        for (int pad = 0; pad < 2; pad++) {
            t.len = 0;
            add(&t, "init_ex e alg k0; %s", pad == 0 ? "pad 0; " : "");
            for (int n = 0; n < 20; n++)
                add(&t, "%s; up 16%s; ", inits[i], n % 5 == 4 ? " same" : "");
            /* Samples that weren't whole are gone; a key update; the same in a copy. */
            add(&t, "up 5; %s; up 16; init_ex e k1; up 16; %s; up 16; ", inits[i], inits[i]);
            add(&t, "fork; swap; %s; align 3 5; up 16; swap; %s; up 16; copy; %s; up 16; fin",
                inits[i], inits[i], inits[i]);
            run_for_modes("header protection", ECB, t.at);
        }
        t.len = 0;
        add(&t, "init_ex e alg k0; ");
        for (int n = 0; n < 16; n++)
            add(&t, "init_ex %s i%d; up %d; %s", n % 2 == 0 ? "e" : "s", n % 8, n % 3 == 2 ? 16 : 5,
                n % 4 < 2 ? "fin; " : "");
        add(&t,
            "%s; up 16; init_ex e k1; init_ex e i1; up 5; fork; swap; init_ex s i4; up 5; swap; "
            "up 5",
            inits[i]);
        run_for_modes("header protection", CTR, t.at);
    }
}

/* # is the length of what is encrypted, and @ that of the ciphertext without its first 32 bytes. */
static void run_tickets(void)
{
    static const char *const texts[] = {
        /* As libssl makes and opens one. */
        "init_ex e alg k0 i0; up #; fin; feed; free; init_ex d alg k0 i0; up 32; up @; fin",
        /* Copies of a context that has the key; it stays as it was. */
        "init_ex e alg k0; fork; init_ex e i1; up #; fin; feed; swap; fork; init_ex d k0 i1; "
        "up 32; up @; fin; swap; init_ex e i3; up 99; fin",
        "init_ex d alg k0; fork; swap; init_ex e k0 i4; up #; fin; feed; swap; init_ex s i4; "
        "up 32; up @; fin; copy; init_ex s i5; up 64; fin",
        /* Copied with half a block inside. */
        "init_ex e alg k0 i2; up 21; fork; up #; fin; swap; up 21; fin; over; up @; fin",
        /* Another ticket's key, and one damaged in the last block, then a good one. */
        "init_ex e alg k0 i0; up #; fin; feed; init_ex d alg k1 i0; up 32; up @; fin; "
        "init_ex d k0 i0; rewind; up 64; fin",
    };
    struct text t;

    for (size_t i = 0; i < COUNT(texts); i++) {
        for (unsigned len = 160; len < 194; len++) {
            t.len = 0;
            for (const char *p = texts[i]; *p != '\0'; p++) {
                if (*p == '#')
                    add(&t, "%u", len);
                else if (*p == '@')
                    add(&t, "%u", len - len % 16 - 16);
                else
                    add(&t, "%c", *p);
            }
            run_for_modes("tickets", CBC, t.at);
        }
    }
}

void run_cases_protocols(void)
{
    run_records_and_packets();
    run_header_protection();
    run_tickets();
}
