/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two library contexts, and a source of randomness that both know.
 *
 * GCM draws IVs. To compare even those, both sides draw from one known stream:
 * the reference through a RAND algorithm of this program's own, the module
 * because this program defines getrandom(2), which its call is bound to.
 */
#include "evp.h"

#include <openssl/core_dispatch.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

struct side sides[2];
struct algorithm algorithms[64];
size_t nalgorithms;
struct algorithm lone_algorithms[8];
size_t nlone_algorithms;
unsigned long openssl_version;

enum randomness randomness = RANDOM_KNOWN;
unsigned getrandom_calls;

static size_t drawn[2]; /* how much of the known stream each side has used */

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

/* Eight bytes of the stream. */
static uint64_t stream_word(uint64_t seed, size_t i)
{
    return mix(mix(seed + 0x9e3779b97f4a7c15) + (i + 1) * 0x9e3779b97f4a7c15);
}

void fill_pseudo_random(void *p, size_t len, uint64_t seed)
{
    uint8_t *out = p;
    uint64_t word = 0;
    for (size_t i = 0; i < len; i++) {
        if (i % 8 == 0)
            word = stream_word(seed, i / 8);
        out[i] = (uint8_t)(word >> 8 * (i % 8));
    }
}

static void draw(int side, uint8_t *p, size_t len)
{
    for (size_t i = 0; i < len; i++, drawn[side]++)
        p[i] = (uint8_t)(stream_word(0x5eed, drawn[side] / 8) >> 8 * (drawn[side] % 8));
}

void restart_randomness(void)
{
    drawn[REFERENCE] = drawn[SUBJECT] = 0;
}

/* What the module calls. */
ssize_t getrandom(void *p, size_t len, unsigned flags)
{
    getrandom_calls++;
    switch (randomness) {
    case RANDOM_KNOWN:
        draw(SUBJECT, p, len);
        return (ssize_t)len;
    case RANDOM_FAILS:
        errno = ENOSYS;
        return -1;
    default:
        return syscall(SYS_getrandom, p, len, flags);
    }
}

/* --- A provider with one RAND, the known stream --- */

static OSSL_FUNC_rand_newctx_fn rand_newctx;
static OSSL_FUNC_rand_freectx_fn rand_freectx;
static OSSL_FUNC_rand_instantiate_fn rand_instantiate;
static OSSL_FUNC_rand_uninstantiate_fn rand_uninstantiate;
static OSSL_FUNC_rand_generate_fn rand_generate;
static OSSL_FUNC_rand_enable_locking_fn rand_enable_locking;
static OSSL_FUNC_rand_get_ctx_params_fn rand_get_ctx_params;

static void *rand_newctx(void *provctx, void *parent, const OSSL_DISPATCH *parent_calls)
{
    (void)parent;
    (void)parent_calls;
    return provctx;
}

static void rand_freectx(void *ctx)
{
    (void)ctx;
}

static int rand_instantiate(void *ctx, unsigned strength, int resistance,
                            const unsigned char *personal, size_t personal_len,
                            const OSSL_PARAM params[])
{
    (void)ctx, (void)strength, (void)resistance, (void)personal, (void)personal_len, (void)params;
    return 1;
}

static int rand_uninstantiate(void *ctx)
{
    (void)ctx;
    return 1;
}

static int rand_generate(void *ctx, unsigned char *out, size_t len, unsigned strength,
                         int resistance, const unsigned char *extra, size_t extra_len)
{
    (void)strength, (void)resistance, (void)extra, (void)extra_len;
    if (randomness == RANDOM_FAILS)
        return 0;
    draw((int)(*(const uint8_t *)ctx), out, len);
    return 1;
}

static int rand_enable_locking(void *ctx)
{
    (void)ctx;
    return 1;
}

static int rand_get_ctx_params(void *ctx, OSSL_PARAM params[])
{
    (void)ctx;
    OSSL_PARAM *p = OSSL_PARAM_locate(params, OSSL_RAND_PARAM_MAX_REQUEST);
    if (p != NULL && !OSSL_PARAM_set_size_t(p, 1 << 16))
        return 0;
    p = OSSL_PARAM_locate(params, OSSL_RAND_PARAM_STRENGTH);
    if (p != NULL && !OSSL_PARAM_set_uint(p, 256))
        return 0;
    p = OSSL_PARAM_locate(params, OSSL_RAND_PARAM_STATE);
    return p == NULL || OSSL_PARAM_set_int(p, EVP_RAND_STATE_READY);
}

static const OSSL_DISPATCH rand_functions[] = {
    {OSSL_FUNC_RAND_NEWCTX, (void (*)(void))rand_newctx},
    {OSSL_FUNC_RAND_FREECTX, (void (*)(void))rand_freectx},
    {OSSL_FUNC_RAND_INSTANTIATE, (void (*)(void))rand_instantiate},
    {OSSL_FUNC_RAND_UNINSTANTIATE, (void (*)(void))rand_uninstantiate},
    {OSSL_FUNC_RAND_GENERATE, (void (*)(void))rand_generate},
    {OSSL_FUNC_RAND_ENABLE_LOCKING, (void (*)(void))rand_enable_locking},
    {OSSL_FUNC_RAND_GET_CTX_PARAMS, (void (*)(void))rand_get_ctx_params},
    {0, NULL}};

static const OSSL_ALGORITHM rand_algorithms[] = {
    {"KNOWN-RAND", "provider=known", rand_functions, "a known stream"}, {NULL, NULL, NULL, NULL}};

static OSSL_FUNC_provider_query_operation_fn query_known;
static const OSSL_ALGORITHM *query_known(void *provctx, int operation, int *no_cache)
{
    (void)provctx;
    *no_cache = 0;
    return operation == OSSL_OP_RAND ? rand_algorithms : NULL;
}

static const OSSL_DISPATCH known_functions[] = {
    {OSSL_FUNC_PROVIDER_QUERY_OPERATION, (void (*)(void))query_known}, {0, NULL}};

static uint8_t side_numbers[2] = {REFERENCE, SUBJECT};

static int init_known(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in,
                      const OSSL_DISPATCH **out, void **provctx, int side)
{
    (void)handle;
    (void)in;
    *out = known_functions;
    *provctx = &side_numbers[side];
    return 1;
}

static OSSL_provider_init_fn init_known_reference, init_known_subject;
static int init_known_reference(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in,
                                const OSSL_DISPATCH **out, void **provctx)
{
    return init_known(handle, in, out, provctx, REFERENCE);
}

static int init_known_subject(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in,
                              const OSSL_DISPATCH **out, void **provctx)
{
    return init_known(handle, in, out, provctx, SUBJECT);
}

/* --- Opening and closing --- */

static void die(const char *what)
{
    fprintf(stderr, "evp: %s\n", what);
    ERR_print_errors_fp(stderr);
    exit(2);
}

OSSL_LIB_CTX *load_ctaes(const char *folder, const char *core, OSSL_PROVIDER **provider)
{
    OSSL_LIB_CTX *libctx = OSSL_LIB_CTX_new();
    if (libctx == NULL)
        die("no library context");
    if (core != NULL)
        setenv("CTAES_CORE", core, 1);
    else
        unsetenv("CTAES_CORE");
    OSSL_PROVIDER_set_default_search_path(libctx, folder);
    *provider = OSSL_PROVIDER_load(libctx, "ctaes");
    unsetenv("CTAES_CORE");
    if (*provider == NULL) {
        OSSL_LIB_CTX_free(libctx);
        return NULL;
    }
    return libctx;
}

static void open_default(struct side *s, OSSL_provider_init_fn *known)
{
    s->libctx = OSSL_LIB_CTX_new();
    if (s->libctx == NULL || !OSSL_PROVIDER_add_builtin(s->libctx, "known", known) ||
        (s->known = OSSL_PROVIDER_load(s->libctx, "known")) == NULL ||
        (s->provider = OSSL_PROVIDER_load(s->libctx, "default")) == NULL ||
        !RAND_set_DRBG_type(s->libctx, "KNOWN-RAND", "provider=known", NULL, NULL))
        die("the default provider can't be set up");

    uint8_t drawn_bytes[8], expected[8];
    restart_randomness();
    fill_pseudo_random(expected, sizeof expected, 0x5eed);
    if (RAND_bytes_ex(s->libctx, drawn_bytes, sizeof drawn_bytes, 0) != 1 ||
        memcmp(drawn_bytes, expected, sizeof expected) != 0)
        die("the default provider doesn't draw from the known stream");
    s->propq = "provider=default";
}

static void add_algorithm(EVP_CIPHER *cipher, void *arg)
{
    const char *name = EVP_CIPHER_get0_name(cipher);
    bool cts = (EVP_CIPHER_get_flags(cipher) & EVP_CIPH_FLAG_CTS) != 0;
    int mode = cts ? CTS_MODE : EVP_CIPHER_get_mode(cipher);
    (void)arg;

    /* The self-check takes from the default provider what the issue is about. */
    if (sides[SUBJECT].label[0] == 'd' &&
        (strncmp(name, "AES-", 4) != 0 || !has_mode(&(struct algorithm){.mode = mode}, ALL) ||
         strstr(name, "HMAC") != NULL))
        return;

    /* What this version's default lacks is tested alone. */
    bool lone =
        openssl_version < 0x30200000 && has_mode(&(struct algorithm){.mode = mode}, GCM_SIV);
    size_t *n = lone ? &nlone_algorithms : &nalgorithms;
    struct algorithm *a = &(lone ? lone_algorithms : algorithms)[(*n)++];
    if (nalgorithms > sizeof algorithms / sizeof algorithms[0] ||
        nlone_algorithms > sizeof lone_algorithms / sizeof lone_algorithms[0])
        die("too many algorithms");
    a->mode = mode;
    a->key_len = EVP_CIPHER_get_key_length(cipher);
    if (lone) {
        a->cipher[REFERENCE] = NULL;
        a->cipher[SUBJECT] = EVP_CIPHER_fetch(sides[SUBJECT].libctx, name, sides[SUBJECT].propq);
        a->name = EVP_CIPHER_get0_name(a->cipher[SUBJECT]);
        return;
    }
    for (int i = 0; i < 2; i++) {
        a->cipher[i] = EVP_CIPHER_fetch(sides[i].libctx, name, sides[i].propq);
        if (a->cipher[i] == NULL) {
            fprintf(stderr, "evp: %s has no %s\n", sides[i].label, name);
            die("can't compare");
        }
    }
    a->name = EVP_CIPHER_get0_name(a->cipher[SUBJECT]);
}

void open_sides(const char *subject, const char *folder, const char *core)
{
    openssl_version = OpenSSL_version_num();
    sides[REFERENCE].label = "default";
    open_default(&sides[REFERENCE], init_known_reference);

    struct side *s = &sides[SUBJECT];
    s->record.twisted = s->probe.twisted = true;
    if (strcmp(subject, "default") == 0) {
        s->label = "default again";
        open_default(s, init_known_subject);
    } else {
        s->label = "ctaes";
        s->propq = "provider=ctaes";
        s->libctx = load_ctaes(folder, core, &s->provider);
        if (s->libctx == NULL)
            die("the module can't be loaded");
    }
    nalgorithms = nlone_algorithms = 0;
    EVP_CIPHER_do_all_provided(s->libctx, add_algorithm, NULL);
    if (nalgorithms == 0)
        die("the module has no algorithms");
}

void close_sides(void)
{
    for (size_t i = 0; i < nalgorithms; i++) {
        EVP_CIPHER_free(algorithms[i].cipher[REFERENCE]);
        EVP_CIPHER_free(algorithms[i].cipher[SUBJECT]);
    }
    for (size_t i = 0; i < nlone_algorithms; i++)
        EVP_CIPHER_free(lone_algorithms[i].cipher[SUBJECT]);
    nalgorithms = nlone_algorithms = 0;
    for (int i = 0; i < 2; i++) {
        OSSL_PROVIDER_unload(sides[i].provider);
        OSSL_PROVIDER_unload(sides[i].known);
        sides[i].known = NULL;
        OSSL_LIB_CTX_free(sides[i].libctx);
        record_free(&sides[i].record);
        record_free(&sides[i].probe);
    }
}

const struct algorithm *find_algorithm(const char *name)
{
    if (strlen(name) < 5)
        return NULL;
    for (size_t i = 0; i < nalgorithms; i++) {
        /* Most names begin alike. */
        if (algorithms[i].name[4] == name[4] && strcmp(algorithms[i].name, name) == 0)
            return &algorithms[i];
    }
    return NULL;
}
