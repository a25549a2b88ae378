/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Constant time of TLS records in CBC mode: the module, with secrets marked.
 *
 *     records [--sample | --small-sample] <folder of ctaes.so> <control> <core>:<batch>...
 *
 * The module is loaded once for each core, with CTAES_CORE=<core>. Of each record, key and
 * plaintext are secret, and so is how long the padding is and whether it is good, and what depends
 * on that: the payload's length and the MAC's place and value. All of these must still be secret
 * when the call is over; only encrypt-then-MAC, whose records are authentic, gives a verdict.
 *
 * The module's functions are called as its dispatch tables have them, and not
 * through EVP_CipherUpdate, which compares the length with INT_MAX: that is a
 * branch on a secret, if one that always goes the same way.
 *
 * <control> is `clean`, or makes a control of it. leaky-glue: the core is a good one, and only what
 * looks at padding and MAC is wrong, so just the decryption of records must be reported. unmarking:
 * over the core that declares its results public, the same must be found to give data that isn't
 * secret any more.
 */
#define _GNU_SOURCE
#include "ct_test.h"

#include "../../provider/tls_cbc.h"

#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

static const char *core_name;
static bool control_glue;

static void need(bool done, const char *what)
{
    if (!done) {
        printf("can't go on: %s\n", what);
        ERR_print_errors_fp(stdout);
        exit(2);
    }
}

struct functions {
    const char *name;
    void *provctx;
    size_t key_len, iv_len;
    OSSL_FUNC_cipher_newctx_fn *newctx;
    OSSL_FUNC_cipher_freectx_fn *freectx;
    OSSL_FUNC_cipher_dupctx_fn *dupctx;
    OSSL_FUNC_cipher_encrypt_init_fn *encrypt_init;
    OSSL_FUNC_cipher_decrypt_init_fn *decrypt_init;
    OSSL_FUNC_cipher_update_fn *update;
    OSSL_FUNC_cipher_get_params_fn *get_params;
    OSSL_FUNC_cipher_get_ctx_params_fn *get_ctx_params;
    OSSL_FUNC_cipher_set_ctx_params_fn *set_ctx_params;
};

static void find_functions(struct functions *f, const OSSL_ALGORITHM *alg)
{
    for (const OSSL_DISPATCH *d = alg->implementation; d->function_id != 0; d++)
        switch (d->function_id) {
        case OSSL_FUNC_CIPHER_NEWCTX:
            f->newctx = OSSL_FUNC_cipher_newctx(d);
            break;
        case OSSL_FUNC_CIPHER_FREECTX:
            f->freectx = OSSL_FUNC_cipher_freectx(d);
            break;
        case OSSL_FUNC_CIPHER_DUPCTX:
            f->dupctx = OSSL_FUNC_cipher_dupctx(d);
            break;
        case OSSL_FUNC_CIPHER_ENCRYPT_INIT:
            f->encrypt_init = OSSL_FUNC_cipher_encrypt_init(d);
            break;
        case OSSL_FUNC_CIPHER_DECRYPT_INIT:
            f->decrypt_init = OSSL_FUNC_cipher_decrypt_init(d);
            break;
        case OSSL_FUNC_CIPHER_UPDATE:
            f->update = OSSL_FUNC_cipher_update(d);
            break;
        case OSSL_FUNC_CIPHER_GET_PARAMS:
            f->get_params = OSSL_FUNC_cipher_get_params(d);
            break;
        case OSSL_FUNC_CIPHER_GET_CTX_PARAMS:
            f->get_ctx_params = OSSL_FUNC_cipher_get_ctx_params(d);
            break;
        case OSSL_FUNC_CIPHER_SET_CTX_PARAMS:
            f->set_ctx_params = OSSL_FUNC_cipher_set_ctx_params(d);
            break;
        default:
            break;
        }
}

/* --- One record ------------------------------------------------------------------------------- */

struct kind {
    unsigned version;
    size_t mac_size;
};

static void set_kind(const struct functions *f, void *ctx, struct kind kind)
{
    OSSL_PARAM params[] = {OSSL_PARAM_uint(OSSL_CIPHER_PARAM_TLS_VERSION, &kind.version),
                           OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_TLS_MAC_SIZE, &kind.mac_size),
                           OSSL_PARAM_END};
    need(f->set_ctx_params(ctx, params), "tls-version and tls-mac-size");
}

static void *start(const struct functions *f, bool encrypting, struct kind kind)
{
    uint8_t key[32], iv[16];
    void *ctx = f->newctx(f->provctx);
    fill(key, sizeof key, 1);
    fill(iv, sizeof iv, 2);
    mark_secret(key, sizeof key);
    need(ctx != NULL && (encrypting ? f->encrypt_init : f->decrypt_init)(
                            ctx, key, f->key_len, f->iv_len > 0 ? iv : NULL, f->iv_len, NULL),
         "init");
    set_kind(f, ctx, kind);
    return ctx;
}

static const void *mac_of(const struct functions *f, void *ctx)
{
    void *mac = NULL;
    OSSL_PARAM params[] = {OSSL_PARAM_octet_ptr(OSSL_CIPHER_PARAM_TLS_MAC, &mac, 0),
                           OSSL_PARAM_END};
    need(f->get_ctx_params(ctx, params), "tls-mac");
    return mac;
}

static void end_record_probe(const struct functions *f, bool verdict, const char *what,
                             struct kind kind, size_t len, unsigned padding)
{
    if (control_glue)
        ct_state.expect = verdict ? EXPECT_REPORTS : EXPECT_CLEAN;
    end_probe(ct_state.expect != EXPECT_PUBLIC || verdict,
              "%s %s %s: version %x, MAC of %zu, %zu bytes, padding %u", core_name, f->name, what,
              kind.version, kind.mac_size, len, padding);
}

/* Encrypts a record, whose padding the module adds. */
static void probe_encrypt(const struct functions *f, struct kind kind, size_t len)
{
    size_t room = len + 16, out_len = 0;
    uint8_t *record = allocate(room);
    fill(record, len, 3);

    begin_probe();
    void *ctx = start(f, true, kind);
    mark_secret(record, len);
    bool done = f->update(ctx, record, &out_len, room, record, len);
    expect_right(done && out_len == len - len % 16 + 16);
    expect_secret(record, out_len);
    f->freectx(ctx);
    end_record_probe(f, false, "encrypt", kind, len, 0);
    free(record);
}

/* Decrypts a record of len bytes, with padding of value n, of which the byte `wrong` from the end
   is changed if that isn't 0. */
static void probe_decrypt(const struct functions *f, struct kind kind, size_t len, uint8_t n,
                          size_t wrong)
{
    uint8_t *plain = allocate(len), *record = allocate(len);
    const bool has_iv = kind.version != CTAES_SSL3 && kind.version != CTAES_TLS1;
    const size_t data_len = len - (has_iv ? 16 : 0), bytes = n + (size_t)1;
    size_t out_len = 0;

    fill(plain, len, 3);
    memset(plain + (bytes < len ? len - bytes : 0), n, bytes < len ? bytes : len);
    if (wrong > 0)
        plain[len - 1 - wrong] ^= 1;
    bool good = bytes + kind.mac_size <= data_len &&
                (kind.version == CTAES_SSL3 ? n < 16 : wrong == 0 || wrong > n);

    /* Encrypted as it is. */
    const struct kind none = {0, 0};
    void *ctx = start(f, true, none);
    unsigned no_padding = 0;
    OSSL_PARAM params[] = {OSSL_PARAM_uint(OSSL_CIPHER_PARAM_PADDING, &no_padding), OSSL_PARAM_END};
    need(f->set_ctx_params(ctx, params) && f->update(ctx, record, &out_len, len, plain, len) &&
             out_len == len,
         "encryption");
    f->freectx(ctx);
    mark_public(record, len);

    begin_probe();
    ctx = start(f, false, kind);
    bool done = f->update(ctx, record, &out_len, len, record, len);
    /* The MAC, from a copy of the context. */
    void *copy = f->dupctx(ctx);
    need(copy != NULL, "dupctx");
    f->freectx(ctx);
    const uint8_t *mac = mac_of(f, copy);
    if (kind.mac_size == 0)
        ct_state.verdicts++;
    expect_secret(record, len);
    if (done)
        expect_some_secret(&out_len, sizeof out_len, 1);
    if (mac != NULL)
        expect_secret(mac, kind.mac_size);

    mark_public(record, len);
    mark_public(&out_len, sizeof out_len);
    expect_right(done == (good || kind.mac_size > 0) && memcmp(record, plain, len) == 0);
    if (done) {
        expect_right(out_len == data_len - kind.mac_size - (good ? bytes : 0));
        expect_right((mac != NULL) == (kind.mac_size > 0));
    }
    if (mac != NULL) {
        mark_public(mac, kind.mac_size);
        const uint8_t *there = plain + (len - data_len) + out_len;
        expect_right((memcmp(mac, there, kind.mac_size) == 0) == good);
    }
    f->freectx(copy);
    end_record_probe(f, true, good ? "decrypt" : "decrypt, bad padding", kind, len, n);
    ERR_clear_error();
    free(plain);
    free(record);
}

/* --- All of them ------------------------------------------------------------------------------ */

static size_t core_count;

/* In a sample each kind of record runs over every third core, and its paddings take turns; in a
   small one it runs over one core, with all paddings. The code that looks at them isn't the core's.
 */
static void probe_records(const struct functions *f, size_t batch)
{
    static const unsigned versions[] = {CTAES_SSL3,      CTAES_TLS1,  CTAES_TLS1_1, CTAES_TLS1_2,
                                        CTAES_DTLS1_BAD, CTAES_DTLS1, CTAES_DTLS1_2};
    static const size_t mac_sizes[] = {0, 20, 32, 48, 64};
    const size_t w = 16 * batch, lens[] = {96, 16 + w, 336, 32 + 2 * w, 400};

    for (size_t v = 0; v < sizeof versions / sizeof *versions; v++)
        for (size_t m = 0; m < sizeof mac_sizes / sizeof *mac_sizes; m++) {
            const struct kind kind = {versions[v], mac_sizes[m]};
            /* Every version with some records, and some versions with all. */
            const size_t step = v < 2 || versions[v] == CTAES_TLS1_2 ? 1 : 2;
            for (size_t l = 0; l < sizeof lens / sizeof *lens; l += step) {
                if (!its_turn(v + m + l + ct_state.core_number, 0, ct_state.small ? core_count : 3))
                    continue;
                const size_t len = lens[l] < 96 ? 96 : lens[l];
                const struct {
                    uint8_t n;
                    size_t wrong;
                } paddings[] = {{0, 0},   {15, 0},  {15, 1 + (m + l) % 15}, {14, 15},
                                {255, 0}, {255, 1}, {254, (len - 1) / 2}};
                probe_encrypt(f, kind, len - 16 - v);
                for (size_t i = 0; i < sizeof paddings / sizeof *paddings; i++)
                    if (ct_state.small || its_turn(v + m + l + ct_state.core_number / 3, i, 2))
                        probe_decrypt(f, kind, len, paddings[i].n, paddings[i].wrong);
            }
        }
}

static void probe_module(const char *folder, char *name)
{
    char *colon = strchr(name, ':');
    need(colon != NULL, "an argument that isn't core:batch");
    *colon = 0;
    core_name = name;
    begin_core();
    OSSL_LIB_CTX *library = OSSL_LIB_CTX_new();
    need(setenv("CTAES_CORE", core_name, 1) == 0 && library != NULL &&
             OSSL_PROVIDER_set_default_search_path(library, folder),
         "a library context");
    OSSL_PROVIDER *provider = OSSL_PROVIDER_load(library, "ctaes");
    need(provider != NULL, "loading the module");
    const char *core = NULL;
    OSSL_PARAM ask[] = {OSSL_PARAM_utf8_ptr("core", &core, 0), OSSL_PARAM_END};
    need(OSSL_PROVIDER_get_params(provider, ask) && core != NULL && strcmp(core, core_name) == 0,
         "another core than the one asked for has been loaded");

    int no_cache;
    unsigned count = 0;
    const OSSL_ALGORITHM *alg = OSSL_PROVIDER_query_operation(provider, OSSL_OP_CIPHER, &no_cache);
    for (; alg != NULL && alg->algorithm_names != NULL; alg++) {
        struct functions f = {.name = alg->algorithm_names,
                              .provctx = OSSL_PROVIDER_get0_provider_ctx(provider)};
        size_t block_size = 0;
        unsigned mode = 0;
        int cts = 0;
        find_functions(&f, alg);
        OSSL_PARAM params[] = {OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_BLOCK_SIZE, &block_size),
                               OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, &f.key_len),
                               OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, &f.iv_len),
                               OSSL_PARAM_uint(OSSL_CIPHER_PARAM_MODE, &mode),
                               OSSL_PARAM_int(OSSL_CIPHER_PARAM_CTS, &cts),
                               OSSL_PARAM_END};
        need(f.get_params(params), "facts");
        /* Records are the same for all key lengths; `evp` has them all. */
        if (mode != EVP_CIPH_CBC_MODE || cts != 0 || block_size != 16 || f.key_len != 32)
            continue;
        probe_records(&f, strtoul(colon + 1, NULL, 10));
        count++;
    }
    need(count > 0, "the module has no CBC");
    OSSL_PROVIDER_unload(provider);
    OSSL_LIB_CTX_free(library);
    end_core(core_name);
}

int main(int argc, char **argv)
{
    const int first = read_options(argc, argv);
    if (argc < first + 3) {
        printf("usage: records [--sample | --small-sample] folder clean|leaky-glue|unmarking "
               "core:batch...\n");
        return 2;
    }
    start_harness(strcmp(argv[first + 1], "unmarking") == 0 ? EXPECT_PUBLIC : EXPECT_CLEAN);
    control_glue = strcmp(argv[first + 1], "leaky-glue") == 0;
    core_count = (size_t)(argc - (first + 2));
    for (int i = first + 2; i < argc; i++)
        probe_module(argv[first], argv[i]);
    return finish_harness();
}
