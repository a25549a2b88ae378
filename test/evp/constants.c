/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a cipher says of itself: names and their order, sizes, flags, NIDs, the
 * lists of parameters, and that every name fetches it.
 */
#include "evp.h"

#include <openssl/objects.h>

#include <stdlib.h>
#include <string.h>

static const char *const required[] = {
    "AES-128-ECB",     "AES-192-ECB",     "AES-256-ECB",  "AES-128-CBC",  "AES-192-CBC",
    "AES-256-CBC",     "AES-128-CTR",     "AES-192-CTR",  "AES-256-CTR",  "AES-128-GCM",
    "AES-192-GCM",     "AES-256-GCM",     "AES-128-CFB",  "AES-192-CFB",  "AES-256-CFB",
    "AES-128-CFB1",    "AES-192-CFB1",    "AES-256-CFB1", "AES-128-CFB8", "AES-192-CFB8",
    "AES-256-CFB8",    "AES-128-OFB",     "AES-192-OFB",  "AES-256-OFB",  "AES-128-CBC-CTS",
    "AES-192-CBC-CTS", "AES-256-CBC-CTS", "AES-128-CCM",  "AES-192-CCM",  "AES-256-CCM",
    "AES-128-OCB",     "AES-192-OCB",     "AES-256-OCB",  "AES-128-SIV",  "AES-192-SIV",
    "AES-256-SIV",     "AES-128-XTS",     "AES-256-XTS"};

struct names {
    char text[512];
    const char *each[16];
    size_t n;
};

static void add_name(const char *name, void *arg)
{
    struct names *names = arg;
    size_t n = strlen(names->text);
    snprintf(names->text + n, sizeof names->text - n, "%s:", name);
    if (names->n < 16)
        names->each[names->n++] = name;
}

static void check_names(const struct algorithm *a)
{
    /* libcrypto gives them in the order of a hash table; the provider's own order is
       compared in check_table. */
    struct names names[2] = {0};
    bool same = true;
    for (int i = 0; i < 2; i++)
        EVP_CIPHER_names_do_all(a->cipher[i], add_name, &names[i]);
    for (size_t i = 0; i < names[0].n; i++) {
        bool found = false;
        for (size_t k = 0; k < names[1].n; k++)
            found = found || strcmp(names[0].each[i], names[1].each[k]) == 0;
        same = same && found;
    }
    check(same && names[0].n == names[1].n, "%s: names: default %s, ctaes %s", a->name,
          names[0].text, names[1].text);

    for (size_t i = 0; i < names[REFERENCE].n; i++) {
        const char *name = names[REFERENCE].each[i];
        EVP_CIPHER *c = EVP_CIPHER_fetch(sides[SUBJECT].libctx, name, NULL);
        check(c != NULL && strcmp(EVP_CIPHER_get0_name(c), a->name) == 0,
              "%s: can't be fetched as %s", a->name, name);
        check(EVP_CIPHER_is_a(a->cipher[SUBJECT], name), "%s isn't a %s", a->name, name);
        EVP_CIPHER_free(c);
    }
}

static void check_numbers(const struct algorithm *a)
{
    static const struct {
        const char *what;
        int (*get)(const EVP_CIPHER *);
    } numbers[] = {{"block size", EVP_CIPHER_get_block_size},
                   {"IV length", EVP_CIPHER_get_iv_length},
                   {"key length", EVP_CIPHER_get_key_length},
                   {"mode", EVP_CIPHER_get_mode},
                   {"NID", EVP_CIPHER_get_nid},
                   {"type", EVP_CIPHER_get_type}};

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        int expected = numbers[i].get(a->cipher[REFERENCE]);
        int got = numbers[i].get(a->cipher[SUBJECT]);
        check(expected == got, "%s: %s: default %d, ctaes %d", a->name, numbers[i].what, expected,
              got);
    }
    unsigned long flags[2];
    const char *text[2][2];
    for (int i = 0; i < 2; i++) {
        flags[i] = EVP_CIPHER_get_flags(a->cipher[i]);
        text[i][0] = EVP_CIPHER_get0_name(a->cipher[i]);
        text[i][1] = EVP_CIPHER_get0_description(a->cipher[i]);
        for (int k = 0; k < 2; k++)
            text[i][k] = text[i][k] != NULL ? text[i][k] : "none";
    }
    check(flags[0] == flags[1], "%s: flags: default %lx, ctaes %lx", a->name, flags[0], flags[1]);
    for (int k = 0; k < 2; k++)
        check(strcmp(text[0][k], text[1][k]) == 0, "%s: name or description: default %s, ctaes %s",
              a->name, text[0][k], text[1][k]);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* CCM generates no IVs: since 3.6 default doesn't list what 3.0 listed, and no version serves. */
static bool is_unserved(const struct algorithm *a, const char *key)
{
    return has_mode(a, CCM) && openssl_version >= 0x30600000 &&
           (strcmp(key, "tlsivgen") == 0 || strcmp(key, "tlsivinv") == 0);
}

/* Writes a list of parameters as text, in the order of the alphabet, without those
   that only ctaes has. */
static void show_list(const struct algorithm *a, const OSSL_PARAM *p, char *out, size_t size)
{
    char each[24][64];
    size_t n = 0, used = 0;

    for (; p != NULL && p->key != NULL && n < 24; p++) {
        /* 3.6 and newer list it as a string, and still serve it as a pointer only. */
        unsigned type = strcmp(p->key, "tls-mac") == 0 ? 0 : p->data_type;
        if (!is_extra_param(p->key) && !is_unserved(a, p->key))
            snprintf(each[n++], sizeof each[0], "%s(%u,%zu,%d,%zd)", p->key, type, p->data_size,
                     p->data != NULL, (ssize_t)p->return_size);
    }
    qsort(each, n, sizeof each[0], compare_texts);
    out[0] = '\0';
    for (size_t i = 0; i < n; i++)
        used += (size_t)snprintf(out + used, size - used, "%s ", each[i]);
}

static void check_lists(const struct algorithm *a)
{
    char text[2][1024];
    EVP_CIPHER_CTX *ctx[2];

    for (int i = 0; i < 2; i++) {
        ctx[i] = EVP_CIPHER_CTX_new();
        if (ctx[i] == NULL || !EVP_CipherInit_ex2(ctx[i], a->cipher[i], NULL, NULL, 1, NULL))
            abort();
    }
    for (int list = 0; list < 5; list++) {
        const OSSL_PARAM *lists[2];
        for (int i = 0; i < 2; i++) {
            const EVP_CIPHER *c = a->cipher[i];
            lists[i] = list == 0   ? EVP_CIPHER_gettable_params(c)
                       : list == 1 ? EVP_CIPHER_gettable_ctx_params(c)
                       : list == 2 ? EVP_CIPHER_settable_ctx_params(c)
                       : list == 3 ? EVP_CIPHER_CTX_gettable_params(ctx[i])
                                   : EVP_CIPHER_CTX_settable_params(ctx[i]);
        }
        show_list(a, lists[REFERENCE], text[0], sizeof text[0]);
        show_list(a, lists[SUBJECT], text[1], sizeof text[1]);
        check(strcmp(text[0], text[1]) == 0,
              "%s: list %d of parameters:\n    default %s\n    ctaes   %s", a->name, list, text[0],
              text[1]);
    }
    EVP_CIPHER_CTX_free(ctx[0]);
    EVP_CIPHER_CTX_free(ctx[1]);
}

/* Whether default has no algorithm of that name, and need not. */
static bool is_lone(const char *name)
{
    for (size_t i = 0; i < nlone_algorithms; i++) {
        if (strcmp(lone_algorithms[i].name, name) == 0)
            return true;
    }
    return false;
}

/* The strings of names, and the order in the provider's table, as each provider gives
   them to libcrypto. */
static void check_table(void)
{
    const OSSL_ALGORITHM *table[2];
    int no_cache[2] = {-1, -1};

    for (int i = 0; i < 2; i++)
        table[i] = OSSL_PROVIDER_query_operation(sides[i].provider, OSSL_OP_CIPHER, &no_cache[i]);
    if (!check(table[0] != NULL && table[1] != NULL, "no table of ciphers"))
        return;
    check(no_cache[0] == no_cache[1], "no_cache: default %d, ctaes %d", no_cache[0], no_cache[1]);

    /* Each of ctaes's rows must come in default's table behind the one before it. */
    const OSSL_ALGORITHM *at = table[REFERENCE];
    for (const OSSL_ALGORITHM *a = table[SUBJECT]; a->algorithm_names != NULL; a++) {
        if (is_lone(a->algorithm_names))
            continue;
        const OSSL_ALGORITHM *found = at;
        while (found->algorithm_names != NULL &&
               strcmp(found->algorithm_names, a->algorithm_names) != 0)
            found++;
        if (check(found->algorithm_names != NULL,
                  "\"%s\" isn't in default's table behind the row before it", a->algorithm_names))
            at = found;
    }
    OSSL_PROVIDER_unquery_operation(sides[0].provider, OSSL_OP_CIPHER, table[0]);
    OSSL_PROVIDER_unquery_operation(sides[1].provider, OSSL_OP_CIPHER, table[1]);
}

void run_constants(void)
{
    for (size_t i = 0; i < sizeof required / sizeof required[0]; i++)
        check(find_algorithm(required[i]) != NULL, "%s is missing", required[i]);
    for (size_t i = 0; i < nalgorithms; i++) {
        check_names(&algorithms[i]);
        check_numbers(&algorithms[i]);
        check_lists(&algorithms[i]);
    }
    check_table();
}
