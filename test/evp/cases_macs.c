/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences of calls on MACs, in the language of macs.c: picked by hand and random; what a MAC
   says of itself; what ctaes says where it refuses. */
#include "macs.h"

#include <openssl/proverr.h>

#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

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
