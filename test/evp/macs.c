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
 * same with the wrong type: cipher!=1, properties!=1, key!=1, iv!=1; nosuch=1.
 *
 * PMAC, which default doesn't have, must do as default's CMAC does in all but the
 * tag.
 */
#include "macs.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { MAX_WORDS = 12, MAC_STEPS = 64, MAC_PARAMS = 10 };

EVP_MAC *cmac[2], *gmac[2], *pmac;

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

EVP_MAC_CTX *new_mac_ctx(EVP_MAC *mac)
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

/* Whether two of the parameters have one name, of the right type or not. */
static bool repeats_word(char *const *words, int n)
{
    for (int i = 1; i < n; i++) {
        const size_t len = strcspn(words[i], "!=");
        for (int k = i + 1; words[i][len] != '\0' && k < n; k++)
            if (strncmp(words[i], words[k], len) == 0 && strcspn(words[k], "!=") == len)
                return true;
    }
    return false;
}

/* Whether it is a name of AES in another mode: "AES-128-CTR", "id-aes128-GCM", not "aes128". */
static bool is_not_cbc(const char *cipher)
{
    const char *aes = strcasestr(cipher, "aes");
    return aes != NULL && strlen(aes) > 6 &&
           (strcasestr(aes, "-CBC") == NULL || strcasestr(aes, "-CBC-CTS") != NULL);
}

static enum situation find_mac_situation(const struct mac_facts *f, bool is_gmac,
                                         char *const *words, int n)
{
    const char *cipher = find_word(words, n, "cipher=");
    const char *query = find_word(words, n, "properties=");
    if (repeats_word(words, n) && find_difference(NULL, REPEATED_PARAM) != NULL)
        return REPEATED_PARAM;
    if (cipher != NULL && query != NULL && strstr(query, "provider=default") != NULL &&
        query[0] != '?')
        return MAC_PROPERTIES;
    if (cipher != NULL && (strncmp(cipher, "DES", 3) == 0 || strncmp(cipher, "CAMELLIA", 8) == 0 ||
                           strncmp(cipher, "ARIA", 4) == 0))
        return MAC_FOREIGN_CIPHER;
    if (cipher != NULL && !is_gmac && is_not_cbc(cipher))
        return MAC_MODE;
    if (cipher == NULL && !is_gmac && find_word(words, n, "properties!") != NULL)
        return MAC_PROPERTIES_ALONE;
    if (is_gmac && (find_word(words, n, "k0") != NULL || find_word(words, n, "key=0") != NULL))
        return MAC_EMPTY_KEY;
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
    if ((good && cipher != NULL && strstr(cipher, "GCM") != NULL) || strcmp(words[0], "free") == 0)
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
            /* Newer versions refuse the mode, and keep the cipher; or have taken another of two. */
            if (what == MAC_MODE || what == REPEATED_PARAM)
                break;
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

bool is_mac_sequence(const char *text)
{
    return strncmp(text + 1, "MAC: ", 5) == 0;
}

bool macs_agree(const char *text)
{
    return (text[0] == 'P' && pmac == NULL) || execute_macs(text, false);
}

void show_mac_sequence(const char *text)
{
    bool equal = execute_macs(text, true);
    printf("%s\n", equal ? "equal, or different on purpose" : "different");
    tally.failed += !equal;
}

void run_mac_sequence(const char *title, const char *sequence)
{
    if (sequence[0] == 'P' && pmac == NULL)
        return; /* the self-check */
    if (listing) {
        puts(sequence);
        return;
    }
    if (execute_macs(sequence, false)) {
        tally.passed++;
        return;
    }
    if (!quiet && tally.failed < max_reports) {
        printf("FAILED %s, %s: again with --sequence '%s'\n", core_name, title, sequence);
        execute_macs(sequence, true);
    }
    count_failure();
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
