/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is left of a speed where programs meet it: TLS records and random numbers.
 *
 *      live --modules FOLDER --rest FILE --seconds S [--cpu N]
 *
 * reads lines, and answers each with one line of JSON:
 *
 *      tls PROTOCOL SUITE BYTES     a record of so many bytes: one SSL_write, and the peer's
 *                                   SSL_read, in one process over memory BIOs
 *      rand BYTES                   RAND_bytes
 *
 * Two sides take turns (measure.h): `default`, a library context with the default provider alone,
 * and `ctaes`. For TLS the latter has ctaes and, in the default provider's place, one that has all
 * of it but AES (test/cli/rest.c): whatever AES is done there, ctaes did. Random numbers come from
 * the default provider's CTR-DRBG, which fetches AES-256-CTR and AES-256-ECB; there, ctaes is
 * preferred, and asked for these it must be who answers. The core is that of CTAES_CORE.
 */
#define _GNU_SOURCE /* sched_setaffinity */

#include "measure.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT, CTAES, SIDES };

static void fail(const char *what)
{
    fprintf(stderr, "live: %s\n", what);
    ERR_print_errors_fp(stderr);
    exit(2);
}

/* --- The sides --- */

static OSSL_LIB_CTX *for_tls[SIDES], *for_random[SIDES];
static char core[24] = "";

/* A library context with the default provider, or one in its place, and maybe ctaes. */
static OSSL_LIB_CTX *open_library(const char *modules, const char *base, int with_ctaes)
{
    OSSL_LIB_CTX *libctx = OSSL_LIB_CTX_new();
    if (libctx == NULL || OSSL_PROVIDER_set_default_search_path(libctx, modules) != 1 ||
        OSSL_PROVIDER_load(libctx, base) == NULL)
        fail("a library context");
    if (!with_ctaes)
        return libctx;
    OSSL_PROVIDER *ctaes = OSSL_PROVIDER_load(libctx, "ctaes");
    char *name = NULL;
    OSSL_PARAM query[] = {OSSL_PARAM_utf8_ptr("core", &name, 0), OSSL_PARAM_END};
    if (ctaes == NULL || OSSL_PROVIDER_get_params(ctaes, query) != 1 || name == NULL ||
        EVP_set_default_properties(libctx, "?provider=ctaes") != 1)
        fail("ctaes");
    snprintf(core, sizeof core, "%s", name);
    return libctx;
}

/* Demands that a cipher comes from ctaes, or that it doesn't. */
static void check_cipher(OSSL_LIB_CTX *libctx, const char *name, int from_ctaes)
{
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(libctx, name, NULL);
    if (cipher == NULL ||
        from_ctaes !=
            (strcmp("ctaes", OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(cipher))) == 0))
        fail(name);
    EVP_CIPHER_free(cipher);
}

static void open_sides(const char *modules, const char *rest)
{
    static const char *const names[] = {"AES-256-CTR", "AES-256-ECB", "AES-128-GCM",
                                        "AES-256-GCM", "AES-128-CBC", "AES-256-CBC"};
    for_tls[DEFAULT] = for_random[DEFAULT] = open_library(modules, "default", 0);
    for_random[CTAES] = open_library(modules, "default", 1);
    for_tls[CTAES] = open_library(modules, rest, 1);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        check_cipher(for_tls[DEFAULT], names[i], 0);
        check_cipher(for_random[CTAES], names[i], 1);
        check_cipher(for_tls[CTAES], names[i], 1);
    }
}

/* --- TLS records --- */

struct connection {
    SSL *client, *server;
    size_t len;
};

static unsigned char data[1 << 14], received[1 << 14];

static SSL_CTX *make_context(OSSL_LIB_CTX *libctx, const SSL_METHOD *method, int version,
                             const char *suite)
{
    SSL_CTX *ctx = SSL_CTX_new_ex(libctx, "?provider=ctaes", method);
    if (ctx == NULL || SSL_CTX_set_min_proto_version(ctx, version) != 1 ||
        SSL_CTX_set_max_proto_version(ctx, version) != 1 ||
        (version == TLS1_3_VERSION ? SSL_CTX_set_ciphersuites(ctx, suite)
                                   : SSL_CTX_set_cipher_list(ctx, suite)) != 1)
        fail(suite);
    SSL_CTX_set_num_tickets(ctx, 0);
    return ctx;
}

/* Gives the server a key and a certificate of its own. */
static void certify(SSL_CTX *ctx, OSSL_LIB_CTX *libctx)
{
    EVP_PKEY *key = EVP_PKEY_Q_keygen(libctx, NULL, "EC", "P-256");
    X509 *cert = X509_new_ex(libctx, NULL);
    if (key == NULL || cert == NULL || ASN1_INTEGER_set(X509_get_serialNumber(cert), 1) != 1 ||
        X509_gmtime_adj(X509_getm_notBefore(cert), 0) == NULL ||
        X509_gmtime_adj(X509_getm_notAfter(cert), 86400) == NULL ||
        X509_set_pubkey(cert, key) != 1 || X509_sign(cert, key, EVP_sha256()) == 0 ||
        SSL_CTX_use_certificate(ctx, cert) != 1 || SSL_CTX_use_PrivateKey(ctx, key) != 1)
        fail("a certificate");
    X509_free(cert);
    EVP_PKEY_free(key);
}

static struct connection connect_ends(OSSL_LIB_CTX *libctx, int version, const char *suite,
                                      size_t len)
{
    SSL_CTX *server = make_context(libctx, TLS_server_method(), version, suite);
    SSL_CTX *client = make_context(libctx, TLS_client_method(), version, suite);
    certify(server, libctx);
    struct connection c = {SSL_new(client), SSL_new(server), len};
    BIO *up = BIO_new(BIO_s_mem()), *down = BIO_new(BIO_s_mem());
    BIO_up_ref(up);
    BIO_up_ref(down);
    SSL_set_bio(c.client, down, up);
    SSL_set_bio(c.server, up, down);
    SSL_set_connect_state(c.client);
    SSL_set_accept_state(c.server);
    for (int i = 0; i < 10 && !(SSL_is_init_finished(c.client) && SSL_is_init_finished(c.server));
         i++) {
        SSL_do_handshake(c.client);
        SSL_do_handshake(c.server);
    }
    if (!SSL_is_init_finished(c.server) || strcmp(SSL_get_cipher_name(c.client), suite) != 0)
        fail("a handshake");
    ERR_clear_error();
    SSL_CTX_free(server);
    SSL_CTX_free(client);
    return c;
}

static bool send_records(void *way, size_t n)
{
    struct connection *c = way;
    for (; n > 0; n--)
        if (SSL_write(c->client, data, (int)c->len) != (int)c->len ||
            SSL_read(c->server, received, (int)c->len) != (int)c->len)
            return false;
    return memcmp(data, received, c->len) == 0;
}

/* --- Random numbers --- */

struct drawing {
    OSSL_LIB_CTX *libctx;
    size_t len;
};

static bool draw(void *way, size_t n)
{
    const struct drawing *d = way;
    static unsigned char out[1 << 14];
    for (; n > 0; n--)
        if (RAND_bytes_ex(d->libctx, out, d->len, 0) != 1)
            return false;
    return true;
}

/* --- The answers --- */

static void answer(run_fn *run, void *const ways[SIDES], const struct limits *limits)
{
    struct result results[SIDES];
    const size_t rounds = measure(run, ways, SIDES, limits, results);
    if (rounds == 0)
        fail("measuring");
    const struct spread *r = &results[CTAES].ratio;
    printf("{\"core\":\"%s\",\"rounds\":%zu,\"default_ns\":%.2f,\"ctaes_ns\":%.2f,"
           "\"ratio\":[%.4f,%.4f,%.4f]}\n",
           core, rounds, results[DEFAULT].ns.median, results[CTAES].ns.median, r->median, r->p10,
           r->p90);
    fflush(stdout);
}

static void answer_tls(int version, const char *suite, size_t len, const struct limits *limits)
{
    struct connection c[SIDES];
    for (int i = 0; i < SIDES; i++)
        c[i] = connect_ends(for_tls[i], version, suite, len);
    void *const ways[SIDES] = {&c[DEFAULT], &c[CTAES]};
    answer(send_records, ways, limits);
    for (int i = 0; i < SIDES; i++) {
        SSL_free(c[i].client);
        SSL_free(c[i].server);
    }
}

static void answer_rand(size_t len, const struct limits *limits)
{
    struct drawing d[SIDES] = {{for_random[DEFAULT], len}, {for_random[CTAES], len}};
    void *const ways[SIDES] = {&d[DEFAULT], &d[CTAES]};
    answer(draw, ways, limits);
}

int main(int argc, char **argv)
{
    const char *modules = NULL, *rest = NULL;
    struct limits limits = {.seconds = 0.5, .tolerance = 0.003, .min_rounds = 15};
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--modules") == 0) {
            modules = argv[i + 1];
        } else if (strcmp(argv[i], "--rest") == 0) {
            rest = argv[i + 1];
        } else if (strcmp(argv[i], "--seconds") == 0) {
            limits.seconds = strtod(argv[i + 1], NULL);
        } else if (strcmp(argv[i], "--cpu") == 0) {
            cpu_set_t set;
            CPU_ZERO(&set);
            CPU_SET((size_t)strtoul(argv[i + 1], NULL, 10), &set);
            if (sched_setaffinity(0, sizeof set, &set) != 0)
                fail("that CPU");
        }
    }
    if (modules == NULL || rest == NULL)
        fail("usage: live --modules FOLDER --rest FILE [--seconds S] [--cpu N]");
    open_sides(modules, rest);
    warm_up();
    char line[200], protocol[16], suite[80];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * 7);
    for (size_t len; fgets(line, sizeof line, stdin) != NULL;) {
        if (sscanf(line, "tls %15s %79s %zu", protocol, suite, &len) == 3 && len <= sizeof data)
            answer_tls(strcmp(protocol, "1.3") == 0 ? TLS1_3_VERSION : TLS1_2_VERSION, suite, len,
                       &limits);
        else if (sscanf(line, "rand %zu", &len) == 1 && len <= sizeof data)
            answer_rand(len, &limits);
        else
            fail(line);
    }
    return 0;
}
