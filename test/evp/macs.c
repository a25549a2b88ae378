/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The MACs: the same EVP_MAC calls on ctaes and on the default provider, in a
 * language like script.c's. "CMAC: init k16 cipher=AES-128-CBC; up 5; fin".
 *
 *   init [k<len>] [PARAM ...]  EVP_MAC_init with a key of len bytes, or NULL
 *   set [PARAM ...]            EVP_MAC_CTX_set_params
 *   up LEN                     EVP_MAC_update; takes the next bytes of the tape
 *   fin [SIZE]                 EVP_MAC_final into room for SIZE bytes (64); 0 bytes at NULL
 *   size                       sizes, as EVP asks for them and as parameters of several types
 *   copy, fork, swap, free     as in script.c; copy and fork by EVP_MAC_CTX_dup
 *
 * PARAM: cipher=NAME, properties=QUERY, key=LEN, iv=LEN (arbitrary octets), and the
 * same with the wrong type: cipher!, properties!, key!, iv!; nosuch.
 *
 * PMAC, which default doesn't have, must do as default's CMAC does in all but the
 * tag.
 */
#include "evp.h"

#include <openssl/proverr.h>

#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { MAX_WORDS = 12, MAC_STEPS = 64, MAC_PARAMS = 10 };

static EVP_MAC *cmac[2], *gmac[2], *pmac;

struct mac_side {
    EVP_MAC *mac;
    EVP_MAC_CTX *a, *b;
    size_t cursor;
};

/* What is known of a context: where the sides differ on purpose. */
struct mac_facts {
    bool begun;   /* GMAC: a message is under way, or was */
    bool rekeyed; /* then came a key without an IV */
};

static EVP_MAC_CTX *new_mac_ctx(EVP_MAC *mac)
{
    EVP_MAC_CTX *ctx = EVP_MAC_CTX_new(mac);
    if (ctx == NULL)
        abort();
    return ctx;
}

/* --- The steps ---------------------------------------------------------------------------------
 */

/* Makes the parameters among the words of a step. */
static void parse_params(char *const *words, int n, OSSL_PARAM params[MAC_PARAMS + 1])
{
    static uint8_t octets[160];
    static char text[MAC_PARAMS][64];
    static unsigned int number = 5;
    int used = 0;

    fill_pseudo_random(octets, sizeof octets, 30);
    for (int i = 1; i < n && used < MAC_PARAMS; i++) {
        char name[16];
        const char *value = strchr(words[i], '=');
        if (value == NULL || (size_t)(value - words[i]) >= sizeof name)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)(value++ - words[i]), words[i]);
        size_t len = strlen(name);
        bool wrong = name[len - 1] == '!';
        if (wrong)
            name[len - 1] = '\0';
        bool is_text = name[0] == 'c' || name[0] == 'p';
        if (wrong && is_text)
            params[used] = OSSL_PARAM_construct_uint(name, &number);
        else if (wrong)
            params[used] = OSSL_PARAM_construct_utf8_string(name, (char *)octets, 16);
        else if (is_text) {
            snprintf(text[used], sizeof text[used], "%s", value);
            params[used] = OSSL_PARAM_construct_utf8_string(name, text[used], 0);
        } else
            params[used] =
                OSSL_PARAM_construct_octet_string(name, octets, strtoul(value, NULL, 10));
        /* The name must live on. */
        params[used].key = name[0] == 'c'   ? OSSL_MAC_PARAM_CIPHER
                           : name[0] == 'p' ? OSSL_MAC_PARAM_PROPERTIES
                           : name[0] == 'k' ? OSSL_MAC_PARAM_KEY
                           : name[0] == 'i' ? OSSL_MAC_PARAM_IV
                                            : "nosuch";
        used++;
    }
    params[used] = OSSL_PARAM_construct_end();
}

static void run_sizes(EVP_MAC_CTX *ctx, struct record *r)
{
    static const char *const names[] = {OSSL_MAC_PARAM_SIZE, OSSL_MAC_PARAM_BLOCK_SIZE};
    record_int(r, "mac_size", (long long)EVP_MAC_CTX_get_mac_size(ctx));
    record_int(r, "block_size", (long long)EVP_MAC_CTX_get_block_size(ctx));
    for (size_t i = 0; i < COUNT(names); i++) {
        uint8_t byte = 77;
        int number = 77;
        double real = 77;
        char text[8] = "text";
        OSSL_PARAM each[4][2] = {
            {OSSL_PARAM_construct_int(names[i], &number), OSSL_PARAM_construct_end()},
            {OSSL_PARAM_construct_double(names[i], &real), OSSL_PARAM_construct_end()},
            {OSSL_PARAM_construct_utf8_string(names[i], text, sizeof text),
             OSSL_PARAM_construct_end()},
            {OSSL_PARAM_construct_end(), OSSL_PARAM_construct_end()}};
        each[3][0] = (OSSL_PARAM){names[i], OSSL_PARAM_UNSIGNED_INTEGER, &byte, 1, 99};
        for (size_t k = 0; k < COUNT(each); k++) {
            record_int(r, "rc", EVP_MAC_CTX_get_params(ctx, each[k]));
            record_int(r, "rc", EVP_MAC_get_params(EVP_MAC_CTX_get0_mac(ctx), each[k]));
        }
        record_int(r, "value", byte);
        record_int(r, "value", number);
        record_int(r, "value", (long long)real);
        record_text(r, "value", text);
    }
}

static void run_mac_step(struct mac_side *w, char *const *words, int n, struct record *r,
                         bool blind)
{
    const char *name = words[0];
    OSSL_PARAM params[MAC_PARAMS + 1];
    uint8_t key[64], out[96];
    int rc;

    parse_params(words, n, params);
    if (strcmp(name, "init") == 0) {
        const uint8_t *given = NULL;
        size_t len = 0;
        if (n > 1 && words[1][0] == 'k' && words[1][1] >= '0' && words[1][1] <= '9') {
            len = strtoul(words[1] + 1, NULL, 10);
            fill_pseudo_random(key, sizeof key, 10);
            given = key;
        }
        rc = EVP_MAC_init(w->a, given, len, params[0].key != NULL ? params : NULL);
    } else if (strcmp(name, "set") == 0) {
        rc = EVP_MAC_CTX_set_params(w->a, params);
    } else if (strcmp(name, "up") == 0) {
        size_t len = strtoul(words[1], NULL, 10);
        if (w->cursor + len > TAPE)
            w->cursor = 0;
        /* In memory of exactly its size. */
        uint8_t *in = malloc(len + 1);
        if (in == NULL)
            abort();
        memcpy(in + 1, base_tape + w->cursor, len);
        rc = EVP_MAC_update(w->a, in + 1, len);
        free(in);
        w->cursor += len;
    } else if (strcmp(name, "fin") == 0) {
        size_t size = n > 1 ? strtoul(words[1], NULL, 10) : 64, len = 77;
        memset(out, CANARY, sizeof out);
        rc = EVP_MAC_final(w->a, size == 0 ? NULL : out, &len, size);
        record_int(r, "outl", rc == 1 ? (long long)len : -1); /* else EVP hands out what it finds */
        if (blind)
            memset(out, 0, 16);
        record_bytes(r, "out", out, sizeof out);
    } else if (strcmp(name, "size") == 0) {
        run_sizes(w->a, r);
        rc = 1;
    } else if (strcmp(name, "copy") == 0 || strcmp(name, "fork") == 0) {
        EVP_MAC_CTX *copy = EVP_MAC_CTX_dup(w->a);
        rc = copy != NULL;
        if (name[0] == 'c' && rc) {
            EVP_MAC_CTX_free(w->a);
            w->a = copy;
        } else if (rc) {
            EVP_MAC_CTX_free(w->b);
            w->b = copy;
        }
    } else if (strcmp(name, "swap") == 0) {
        EVP_MAC_CTX *t = w->a;
        w->a = w->b;
        w->b = t;
        rc = 1;
    } else if (strcmp(name, "free") == 0) {
        EVP_MAC_CTX_free(w->a);
        w->a = new_mac_ctx(w->mac);
        rc = 1;
    } else {
        bad_argument(name);
    }
    record_int(r, "rc", rc);
    record_errors(r);
}

/* --- Where the sides differ on purpose ---------------------------------------------------------
 */

static const char *find_word(char *const *words, int n, const char *prefix)
{
    for (int i = 1; i < n; i++)
        if (strncmp(words[i], prefix, strlen(prefix)) == 0)
            return words[i] + strlen(prefix);
    return NULL;
}

static enum situation find_mac_situation(const struct mac_facts *f, bool is_gmac,
                                         char *const *words, int n)
{
    const char *cipher = find_word(words, n, "cipher=");
    const char *query = find_word(words, n, "properties=");
    if (cipher != NULL && query != NULL && strstr(query, "provider=default") != NULL &&
        query[0] != '?')
        return MAC_PROPERTIES;
    if (cipher != NULL && (strncmp(cipher, "DES", 3) == 0 || strncmp(cipher, "CAMELLIA", 8) == 0 ||
                           strncmp(cipher, "ARIA", 4) == 0))
        return MAC_FOREIGN_CIPHER;
    if (cipher != NULL && !is_gmac && strncmp(cipher, "AES-", 4) == 0 &&
        strcmp(cipher + 7, "-CBC") != 0)
        return MAC_MODE;
    if (cipher == NULL && !is_gmac && find_word(words, n, "properties!") != NULL)
        return MAC_PROPERTIES_ALONE;
    if (is_gmac && f->rekeyed && (strcmp(words[0], "up") == 0 || strcmp(words[0], "fin") == 0))
        return AFTER_KEY_IN_MESSAGE;
    return NOTHING_SPECIAL;
}

static void note_mac_step(struct mac_facts *f, char *const *words, int n, bool good)
{
    bool key = find_word(words, n, "key=") != NULL ||
               (strcmp(words[0], "init") == 0 && n > 1 && words[1][0] == 'k' &&
                strchr(words[1], '=') == NULL && strchr(words[1], '!') == NULL);
    const char *cipher = find_word(words, n, "cipher=");
    if ((cipher != NULL && strstr(cipher, "GCM") != NULL) || strcmp(words[0], "free") == 0)
        f->begun = f->rekeyed = false;
    if (key && f->begun)
        f->rekeyed = true;
    if (good && find_word(words, n, "iv=") != NULL)
        f->begun = f->rekeyed = false;
    if (good && (strcmp(words[0], "up") == 0 || strcmp(words[0], "fin") == 0))
        f->begun = true;
}

/* --- Sequences ---------------------------------------------------------------------------------
 */

/* Runs one sequence; returns whether both sides agreed. */
static bool execute_macs(const char *sequence, bool tell)
{
    static char text[4096];
    char *steps[MAC_STEPS], *rest = NULL;
    int nsteps = 0;
    struct mac_facts facts[2] = {{false, false}, {false, false}};
    struct mac_side side[2];
    struct record *r[2] = {&sides[0].record, &sides[1].record};
    bool is_gmac = sequence[0] == 'G', blind = sequence[0] == 'P', equal = true;

    snprintf(text, sizeof text, "%s", strchr(sequence, ' ') + 1);
    for (char *s = strtok_r(text, ";", &rest); s != NULL && nsteps < MAC_STEPS;
         s = strtok_r(NULL, ";", &rest))
        steps[nsteps++] = s;
    restart_randomness();
    for (int i = 0; i < 2; i++) {
        side[i].mac = is_gmac ? gmac[i] : blind && i == SUBJECT ? pmac : cmac[i];
        side[i].a = new_mac_ctx(side[i].mac);
        side[i].b = new_mac_ctx(side[i].mac);
        side[i].cursor = 0;
    }
    for (int k = 0; k < nsteps && equal; k++) {
        char *words[MAX_WORDS], *more = NULL;
        int n = 0;
        for (char *word = strtok_r(steps[k], " ", &more); word != NULL && n < MAX_WORDS;
             word = strtok_r(NULL, " ", &more))
            words[n++] = word;
        if (n == 0)
            continue;
        for (int i = 0; i < 2; i++) {
            record_clear(r[i]);
            run_mac_step(&side[i], words, n, r[i], blind);
            if (tell) {
                printf("    %s %s:", i == 0 ? words[0] : "", sides[i].label);
                record_print(stdout, r[i]);
                printf("\n");
            }
        }
        enum situation what = find_mac_situation(&facts[0], is_gmac, words, n);
        const struct difference *d =
            what == NOTHING_SPECIAL
                ? NULL
                : find_difference(is_gmac ? find_algorithm("AES-128-GCM") : NULL, what);
        if (record_equal(r[0], r[1])) {
            note_mac_step(&facts[0], words, n, record_find(r[0], "rc", 0) == 1);
        } else if (d != NULL && difference_holds(d, r[0], r[1])) {
            count_difference(d);
            break;
        } else {
            equal = false;
        }
        if (strcmp(words[0], "fork") == 0 && record_find(r[0], "rc", 0) == 1) {
            facts[1] = facts[0];
        } else if (strcmp(words[0], "swap") == 0) {
            struct mac_facts t = facts[0];
            facts[0] = facts[1];
            facts[1] = t;
        }
    }
    for (int i = 0; i < 2; i++) {
        EVP_MAC_CTX_free(side[i].a);
        EVP_MAC_CTX_free(side[i].b);
    }
    return equal;
}

static void run_mac_sequence(const char *title, const char *sequence)
{
    if (sequence[0] == 'P' && pmac == NULL)
        return; /* the self-check */
    if (execute_macs(sequence, false)) {
        tally.passed++;
        return;
    }
    tally.failed++;
    if (quiet || tally.failed > max_reports)
        return;
    printf("FAILED %s, %s:\n  %s\n", core_name, title, sequence);
    execute_macs(sequence, true);
}

/* With $ for each key length in turn: cipher=AES-$-CBC, k@. */
static void run_key_lengths(const char *title, const char *pattern)
{
    for (int bits = 128; bits <= 256; bits += 64) {
        char text[2048];
        size_t n = 0;
        for (const char *p = pattern; *p != '\0' && n < sizeof text - 8; p++)
            n += (size_t)snprintf(text + n, sizeof text - n, *p == '$' || *p == '@' ? "%d" : "%c",
                                  *p == '$'   ? bits
                                  : *p == '@' ? bits / 8
                                              : *p);
        run_mac_sequence(title, text);
    }
}

static void run_block_macs(void)
{
    static const char *const patterns[] = {
        "init k@ cipher=AES-$-CBC; up 5; fin",
        "init k@ cipher=AES-$-CBC; fin; size",
        "size; set cipher=AES-$-CBC; size; init k@; size; up 40; fin 16; init; up 40; fin; size",
        "set cipher=AES-$-CBC; set key=@; up 33; fin; init; up 33; fin; init k@; up 33; fin",
        "set cipher=AES-$-CBC key=@; up 16; fin; set key=@; up 16; fin",
        "init cipher=AES-$-CBC key=@; up 17; fin; init k@ key=@; up 17; fin",
        "init k@ cipher=aes-$-cbc; up 1; fin; init k@ cipher=AES$; up 1; fin",
        "init k@ cipher=AES-$-CBC properties=?provider=nobody,?fips=yes; up 9; fin",
        "init k@ cipher=AES-$-CBC properties=fips=yes; up 9; fin",
        "init k@ cipher=AES-$-CBC properties=fips=no; up 9; fin",
        "init k@ cipher=AES-$-CBC properties=provider!=nobody,-fips; up 9; fin",
        "init k@ cipher=AES-$-CBC properties=nosuch; up 9; fin",
        "init k@ cipher=AES-$-CBC properties=provider=default; up 9; fin",
        "init k@ cipher=AES-$-CBC properties!=1; up 9; fin",
        "init k@ properties=?provider=ctaes; set properties!=1; fin",
        /* Something is missing or wrong. */
        "up 5; fin; init; init k@; up 5; fin; size; copy; fork; up 5",
        "init k@ cipher=AES-$-CBC; init k17; up 5; fin; init; init k@; up 5; fin",
        "init k0 cipher=AES-$-CBC; size; init k@; up 5; fin",
        "init k15 cipher=AES-$-CBC; size; up 5; init; init k@; up 5; fin",
        "set cipher=AES-$-CBC; init; init k@; fin; set cipher=AES-256-CBC; init; up 3; fin; init "
        "k32; "
        "up 3; fin",
        "init k@ cipher=AES-$-CBC; up 20; set cipher=AES-192-CBC; up 5; fin; size; init k24; up 5; "
        "fin",
        "init k@ cipher=AES-$-CBC; up 20; set cipher=NOSUCH; up 5; fin; init k@; up 5; fin",
        "set cipher=NOSUCH; set cipher=AES-$-CBC; init k@ cipher=NOSUCH; init k@; up 5; fin",
        "set cipher!=1; set key!=1; set iv=5; set nosuch=5; set; init k@; fin",
        "init k@ cipher=AES-$-CBC; up 5; set key!=1; up 5; fin; set key=3; up 5; fin; init; init "
        "k@",
        "init k@ cipher=AES-$-CBC; set key=0; up 5; fin; init; up 5; fin",
        "init k@ cipher=AES-$-CTR; up 5; fin",
        "init k@ cipher=AES-$-ECB; up 5; fin",
        "init k@ cipher=AES-$-GCM; up 5; fin",
        "init k24 cipher=DES-EDE3-CBC; up 5; fin",
        "init k@ cipher=CAMELLIA-$-CBC; up 5; fin",
        /* Again, and after the end. */
        "init k@ cipher=AES-$-CBC; up 5; fin; fin; up 5; fin; up 16; fin; up 0; fin; init; up 5; "
        "fin",
        "init k@ cipher=AES-$-CBC; up 16; fin; fin; up 16; fin; up 17; fin",
        "init k@ cipher=AES-$-CBC; fin; fin; up 16; fin",
        "init k@ cipher=AES-$-CBC; fin 0; up 5; fin 0; fin 15; fin 16; init; fin 17",
        "init k@ cipher=AES-$-CBC; up 5; init; up 7; init k@; up 7; fin; init k@ cipher=AES-$-CBC; "
        "fin",
        /* Copies. */
        "copy; init k@ cipher=AES-$-CBC; copy; up 5; copy; up 27; copy; fin; copy; init; up 3; fin",
        "init k@ cipher=AES-$-CBC; up 20; fork; up 13; fin; swap; up 13; fin; free; swap; fin",
        "init k@ cipher=AES-$-CBC; up 20; set cipher=AES-128-CBC; copy; init k16; up 5; fin",
    };
    static const char *const macs[] = {"CMAC", "PMAC"};
    char text[2048];
    for (size_t m = 0; m < COUNT(macs); m++) {
        for (size_t i = 0; i < COUNT(patterns); i++) {
            snprintf(text, sizeof text, "%s: %s", macs[m], patterns[i]);
            run_key_lengths("MACs of blocks", text);
        }
    }
    for (int len = 0; len <= 2100; len += len < 70                               ? 1
                                          : len % 1024 < 18 || len % 1024 > 1005 ? 1
                                                                                 : 59) {
        snprintf(text, sizeof text,
                 "CMAC: init k@ cipher=AES-$-CBC; up %d; fin; init; up 1; up %d; up %d; fin", len,
                 len, len / 3);
        run_key_lengths("CMAC, length", text);
    }
}

static void run_gmacs(void)
{
    static const char *const patterns[] = {
        "init k@ cipher=AES-$-GCM iv=12; up 5; fin; size",
        "size; set cipher=AES-$-GCM; size; set iv=12; init k@; up 40; fin 16; size",
        "init cipher=AES-$-GCM key=@ iv=16; up 7; up 0; up 60; fin",
        "init k@ cipher=AES-$-GCM; set iv=12; fin; set iv=12; up 5; fin; set iv=12; fin",
        "init k@ cipher=id-aes$-GCM iv=1; up 5; fin; init k@ cipher=aes-$-gcm iv=128; up 5; fin",
        "init k@ cipher=AES-$-GCM iv=0; up 5; fin; set iv=129; set iv=64; up 5; fin",
        "init k@ cipher=AES-$-GCM; up 5; fin",
        "init k@ cipher=AES-$-GCM iv=12; up 5; fin; init; up 5; fin; set iv=12; init; up 5; fin",
        "init k@ cipher=AES-$-GCM iv=12; up 5; init; up 5; init iv=12; up 5; fin",
        "init k@ cipher=AES-$-GCM iv=12; up 5; init k@; up 5; fin",
        "init k@ cipher=AES-$-GCM iv=12; up 5; fin; fin; up 5; up 0",
        "init k@ cipher=AES-$-GCM iv=12; fin 0; up 5; fin 0; fin 15; fin 16",
        "init k@ cipher=AES-$-GCM iv=12; up 20; fork; up 13; fin; swap; up 13; fin; free; swap; "
        "fin",
        "copy; set cipher=AES-$-GCM; copy; set key=@; copy; set iv=12; copy; up 17; copy; fin; "
        "copy",
        "up 5; up 0; fin; init; init k@; set key=@; set iv=12; copy; fork; size",
        "init k17 cipher=AES-$-GCM iv=12; init k@; up 5; fin; set key=3; set key!=1; set iv!=1",
        "set cipher!=1; set cipher=NOSUCH; set cipher=AES-$-CBC; set cipher=AES-$-GCM; init k@ "
        "iv=12; "
        "up 5; fin",
        "init k@ cipher=AES-$-CBC iv=12; init k@ cipher=AES-$-GCM iv=12; set cipher=AES-$-CTR; up "
        "5; fin",
        "init k@ cipher=ARIA-$-GCM iv=12; up 5; fin",
        "init k@ cipher=AES-$-GCM iv=12 properties=provider=default; up 5; fin",
        "init k@ cipher=AES-$-GCM iv=12 properties=?provider=nobody; up 5; fin; set properties!=1",
        "init k@ cipher=AES-$-GCM iv=12 properties!=1; up 5; fin; set properties=?x=y; set "
        "nosuch=1",
        "init k@ cipher=AES-$-GCM iv=12; up 5; set cipher=AES-$-GCM; up 5; init k@; set iv=12; up "
        "5; fin",
        "init k@ cipher=AES-$-GCM iv=12; up 5; set iv=12; up 5; fin; set iv=13; up 5; fin",
    };
    char text[2048];
    for (size_t i = 0; i < COUNT(patterns); i++) {
        snprintf(text, sizeof text, "GMAC: %s", patterns[i]);
        run_key_lengths("GMAC", text);
    }
    for (int len = 0; len <= 1100; len += len < 70 ? 1 : 59) {
        snprintf(text, sizeof text,
                 "GMAC: init k@ cipher=AES-$-GCM iv=%d; up %d; fin; set iv=12; up 1; up %d; fin",
                 1 + len % 64, len, len);
        run_key_lengths("GMAC, length", text);
    }
}

/* --- Random sequences --------------------------------------------------------------------------
 */

static uint64_t random_state;

static unsigned pick(unsigned n)
{
    random_state = random_state * 0x5851f42d4c957f2d + 0x14057b7ef767814f;
    return (unsigned)(random_state >> 33) % n;
}

void run_random_macs(uint64_t seed, unsigned long count)
{
    static const char *const macs[] = {"CMAC", "PMAC", "GMAC"};
    static const char *const ciphers[][5] = {
        {"AES-128-CBC", "AES-256-CBC", "AES192", "AES-128-CBC", "NOSUCH"},
        {"AES-128-CBC", "AES-256-CBC", "AES192", "AES-128-CBC", "NOSUCH"},
        {"AES-128-GCM", "AES-256-GCM", "id-aes192-GCM", "AES-128-GCM", "AES-128-CBC"}};
    static const int lens[] = {16, 32, 24, 16, 16};
    static const int pieces[] = {0, 1, 5, 15, 16, 17, 31, 32, 33, 64, 100, 1024, 1025};

    for (unsigned long i = 0; i < count; i++) {
        char text[2048];
        random_state = seed * 0x9e3779b97f4a7c15 + i * 0xd1342543de82ef95 + 1;
        pick(1);
        unsigned mac = pick(3), cipher = pick(5);
        bool is_gmac = mac == 2;
        size_t n = (size_t)snprintf(text, sizeof text, "%s: init k%d cipher=%s%s", macs[mac],
                                    lens[cipher], ciphers[mac][cipher], is_gmac ? " iv=12" : "");
        for (unsigned steps = 3 + pick(16); steps > 0; steps--) {
            char step[100];
            unsigned other = pick(5);
            switch (pick(16)) {
            case 0:
                snprintf(step, sizeof step, "init");
                break;
            case 1:
                snprintf(step, sizeof step, "init k%d", lens[pick(3) == 0 ? other : cipher]);
                break;
            case 2:
                snprintf(step, sizeof step, "set cipher=%s", ciphers[mac][other]);
                cipher = other;
                break;
            case 3:
                snprintf(step, sizeof step, "set key=%d", pick(4) == 0 ? 17 : lens[cipher]);
                break;
            case 4:
            case 5:
                snprintf(step, sizeof step, "set iv=%u", pick(3) == 0 ? pick(131) : 12);
                break;
            case 6:
            case 7:
                snprintf(step, sizeof step, "fin");
                break;
            case 8:
                snprintf(step, sizeof step, "%s", pick(2) == 0 ? "copy" : "fork");
                break;
            case 9:
                snprintf(step, sizeof step, "%s", pick(3) == 0 ? "size" : "swap");
                break;
            default:
                snprintf(step, sizeof step, "up %d", pieces[pick(COUNT(pieces))]);
                break;
            }
            n += (size_t)snprintf(text + n, sizeof text - n, "; %s", step);
        }
        run_mac_sequence("random MACs", text);
    }
}

/* --- What a MAC says of itself ------------------------------------------------------------------
 */

static void show_params(const OSSL_PARAM *p, char *out, size_t size)
{
    size_t n = 0;
    for (out[0] = '\0'; p != NULL && p->key != NULL; p++)
        if (!is_extra_param(p->key))
            n += (size_t)snprintf(out + n, size - n, "%s(%u,%zu) ", p->key, p->data_type,
                                  p->data_size);
}

static void check_facts(EVP_MAC *const mac[2], const char *names)
{
    for (int list = 0; list < 3; list++) {
        char text[2][512];
        for (int i = 0; i < 2; i++)
            show_params(list == 0   ? EVP_MAC_gettable_params(mac[i])
                        : list == 1 ? EVP_MAC_gettable_ctx_params(mac[i])
                                    : EVP_MAC_settable_ctx_params(mac[i]),
                        text[i], sizeof text[i]);
        check(strcmp(text[0], text[1]) == 0, "%s: list %d of parameters: default %s, ctaes %s",
              names, list, text[0], text[1]);
    }
    int no_cache;
    for (int i = 0; i < 2; i++) {
        const OSSL_ALGORITHM *a =
            OSSL_PROVIDER_query_operation(sides[i].provider, OSSL_OP_MAC, &no_cache);
        while (a != NULL && a->algorithm_names != NULL && strcmp(a->algorithm_names, names) != 0)
            a++;
        check(a != NULL && a->algorithm_names != NULL, "%s has no %s", sides[i].label, names);
    }
}

/* What ctaes says where it refuses what default serves. */
static void check_refusals(void)
{
    static const struct {
        const char *cipher, *query, *said;
        int lib, reason;
    } cases[] = {
        {"DES-EDE3-CBC", NULL, "provider=default", ERR_LIB_EVP, ERR_R_UNSUPPORTED},
        {"CAMELLIA-128-CBC", NULL, "CAMELLIA-128-CBC", ERR_LIB_EVP, ERR_R_UNSUPPORTED},
        {"AES-128-CBC", "provider=default", "provider=default", ERR_LIB_EVP, ERR_R_UNSUPPORTED},
        {"AES-128-CBC", "fips = yes", "fips = yes", ERR_LIB_EVP, ERR_R_UNSUPPORTED},
        {"AES-128-CBC", "fips", "fips", ERR_LIB_EVP, ERR_R_UNSUPPORTED},
        {"AES-128-CBC", "ctaes.core!=yes,provider!='ctaes'", "ctaes.core", ERR_LIB_EVP,
         ERR_R_UNSUPPORTED},
        {"AES-128-CBC", "provider='a,b'", "a,b", ERR_LIB_EVP, ERR_R_UNSUPPORTED},
        {"AES-128-CTR", NULL, "AES-128-CTR", ERR_LIB_PROV, PROV_R_INVALID_MODE},
        {"AES-128-CBC", "provider = CTAES , ?provider=default,fips=no,-x,y!=yes", NULL, 0, 0},
        {"AES-128-CBC", "provider=\"ctaes\",?a='b,provider=c',", NULL, 0, 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char cipher[32], query[64];
        OSSL_PARAM params[3], *p = params;
        snprintf(cipher, sizeof cipher, "%s", cases[i].cipher);
        snprintf(query, sizeof query, "%s", cases[i].query != NULL ? cases[i].query : "");
        *p++ = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_CIPHER, cipher, 0);
        if (cases[i].query != NULL)
            *p++ = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_PROPERTIES, query, 0);
        *p = OSSL_PARAM_construct_end();
        EVP_MAC_CTX *ctx = new_mac_ctx(cmac[SUBJECT]);
        ERR_clear_error();
        int rc = EVP_MAC_CTX_set_params(ctx, params);
        const char *data = "";
        int flags = 0;
        unsigned long e = ERR_get_error_all(NULL, NULL, NULL, &data, &flags);
        if (cases[i].said == NULL)
            check(rc == 1 && e == 0, "CMAC with %s and \"%s\" is refused: %s", cipher, query, data);
        else
            check(rc == 0 && ERR_GET_LIB(e) == cases[i].lib &&
                      ERR_GET_REASON(e) == cases[i].reason && (flags & ERR_TXT_STRING) != 0 &&
                      strstr(data, cases[i].said) != NULL && ERR_peek_error() == 0,
                  "CMAC with %s and \"%s\": %d, error %d:%d %s", cipher, query, rc, ERR_GET_LIB(e),
                  ERR_GET_REASON(e), data);
        EVP_MAC_CTX_free(ctx);
    }
    char *core = NULL;
    OSSL_PARAM params[2] = {OSSL_PARAM_construct_utf8_ptr("core", &core, 0), OSSL_PARAM_END};
    EVP_MAC_CTX *ctx = new_mac_ctx(cmac[SUBJECT]);
    check(EVP_MAC_CTX_get_params(ctx, params) == 1 && core != NULL && strcmp(core, core_name) == 0,
          "CMAC's core is %s", core != NULL ? core : "(none)");
    EVP_MAC_CTX_free(ctx);
    ERR_clear_error();
}

void open_macs(void)
{
    for (int i = 0; i < 2; i++) {
        cmac[i] = EVP_MAC_fetch(sides[i].libctx, "CMAC", sides[i].propq);
        gmac[i] = EVP_MAC_fetch(sides[i].libctx, "GMAC", sides[i].propq);
        if (cmac[i] == NULL || gmac[i] == NULL) {
            fprintf(stderr, "evp: %s has no CMAC or no GMAC\n", sides[i].label);
            exit(2);
        }
    }
    pmac = EVP_MAC_fetch(sides[SUBJECT].libctx, "PMAC", sides[SUBJECT].propq);
    ERR_clear_error();
}

void close_macs(void)
{
    for (int i = 0; i < 2; i++) {
        EVP_MAC_free(cmac[i]);
        EVP_MAC_free(gmac[i]);
    }
    EVP_MAC_free(pmac);
}

void run_cases_macs(void)
{
    bool ctaes = strcmp(sides[SUBJECT].label, "ctaes") == 0;
    check((pmac != NULL) == ctaes, "PMAC");
    check_facts(cmac, "CMAC");
    check_facts(gmac, "GMAC:1.0.9797.3.4");
    if (ctaes)
        check_refusals();
    run_block_macs();
    run_gmacs();
}
