/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sides and jobs. What the loops of run_evp and run_direct hold is what is
 * measured, and nothing else.
 */
#define _POSIX_C_SOURCE 200809L /* setenv */

#include "jobs.h"

#include "../../cores/ct.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two different halves: XTS refuses others. */
static const uint8_t key_bytes[64] =
    "a key that only benchmarks use. another one, for the other half";

static bool is_aead(const struct cell *cell)
{
    return cell->cipher->mode->aead;
}

bool wants_authentic(const struct cell *cell)
{
    return !cell->encrypt && (is_aead(cell) || strncmp(cell->cipher->mode->name, "WRAP", 4) == 0);
}

static bool has_name(const struct cell *cell, const char *mode_name)
{
    return strcmp(cell->cipher->mode->name, mode_name) == 0;
}

/* --- Sides --------------------------------------------------------------------------------------
 */

/* Loads the side's provider into a library context: its module is looked for in
   module_dir, and the core comes from the environment. */
static bool load_provider(const struct side *side, OSSL_LIB_CTX **libctx, OSSL_PROVIDER **provider)
{
    static const char *const names[] = {
        [SIDE_DEFAULT] = "default", [SIDE_FLOOR] = "floor", [SIDE_EVP] = "ctaes"};
    *provider = NULL;
    *libctx = lc.OSSL_LIB_CTX_new();
    if (*libctx == NULL)
        return false;
    if (side->kind == SIDE_EVP)
        setenv("CTAES_CORE", side->core->name, 1);
    if (side->kind == SIDE_DEFAULT ||
        lc.OSSL_PROVIDER_set_default_search_path(*libctx, side->module_dir))
        *provider = lc.OSSL_PROVIDER_load(*libctx, names[side->kind]);
    return *provider != NULL;
}

static void unload_provider(OSSL_LIB_CTX *libctx, OSSL_PROVIDER *provider)
{
    if (provider != NULL)
        lc.OSSL_PROVIDER_unload(provider);
    if (libctx != NULL)
        lc.OSSL_LIB_CTX_free(libctx);
}

bool open_side(struct side *side, const char *name, const char *module_dir, const char *floor_dir,
               char *explanation, size_t size)
{
    *side = (struct side){.name = name, .module_dir = module_dir};
    const char *core = NULL;
    if (strcmp(name, "default") == 0) {
        side->kind = SIDE_DEFAULT;
        snprintf(side->properties, sizeof side->properties, "provider=default");
    } else if (strcmp(name, "floor") == 0) {
        side->kind = SIDE_FLOOR;
        side->module_dir = floor_dir;
        snprintf(side->properties, sizeof side->properties, "provider=floor");
    } else if (strncmp(name, "evp:", 4) == 0) {
        side->kind = SIDE_EVP;
        core = name + 4;
        snprintf(side->properties, sizeof side->properties, "ctaes.core=%.15s", core);
    } else if (strncmp(name, "uncleared:", 10) == 0) {
        /* The module of `make bench-clearing`. */
        side->kind = SIDE_EVP;
        core = name + 10;
        snprintf(side->own_dir, sizeof side->own_dir, "%s/uncleared", floor_dir);
        side->module_dir = side->own_dir;
        snprintf(side->properties, sizeof side->properties, "ctaes.core=%.15s", core);
    } else if (strncmp(name, "direct:", 7) == 0) {
        side->kind = SIDE_DIRECT;
        core = name + 7;
    } else {
        snprintf(explanation, size, "there is no such side");
        return false;
    }
    if (core != NULL && (side->core = ctaes_core_by_name(core)) == NULL) {
        snprintf(explanation, size, "this build has no such core");
        return false;
    }
    if (side->kind != SIDE_DIRECT && !load_provider(side, &side->libctx, &side->provider)) {
        take_errors(explanation, size);
        close_side(side);
        return false;
    }
    return true;
}

void close_side(struct side *side)
{
    unload_provider(side->libctx, side->provider);
    side->libctx = NULL;
    side->provider = NULL;
}

bool side_can(const struct side *side, const struct cell *cell)
{
    if (side->kind == SIDE_FLOOR)
        return cell->cipher->mode->kind != CTAES_OWN;
    return side->kind != SIDE_DIRECT ||
           (cell->life == LIFE_FRESH && cell->cipher->mode->kind != CTAES_OWN);
}

/* --- Jobs: setting up ---------------------------------------------------------------------------
 */

static bool init_evp(EVP_CIPHER_CTX *ctx, const struct job *job, const uint8_t *iv)
{
    /* CCM has to know how long its tag is before its key; key wrap must be allowed. */
    if (job->cell->cipher->mode->kind == CTAES_OWN) {
        lc.EVP_CIPHER_CTX_set_flags(ctx, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
        if (lc.EVP_CipherInit_ex(ctx, job->evp_cipher, NULL, NULL, NULL, job->cell->encrypt) != 1 ||
            (has_name(job->cell, "CCM") &&
             lc.EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, NULL) != 1))
            return false;
        /* Without the cipher, which would be a new start. */
        return lc.EVP_CipherInit_ex(ctx, NULL, NULL, key_bytes, iv, -1) == 1;
    }
    return lc.EVP_CipherInit_ex(ctx, job->evp_cipher, NULL, key_bytes, iv, job->cell->encrypt) == 1;
}

/* Whether the context's core is the one that the side is named for. */
static bool has_right_core(const struct job *job)
{
    if (job->side->kind != SIDE_EVP)
        return true;
    char *name = NULL;
    OSSL_PARAM query[] = {OSSL_PARAM_utf8_ptr("core", &name, 0), OSSL_PARAM_END};
    return lc.EVP_CIPHER_CTX_get_params(job->ctx, query) == 1 && name != NULL &&
           strcmp(name, job->side->core->name) == 0;
}

static bool open_evp(struct job *job)
{
    const struct side *side = job->side;
    const char *names = job->cell->cipher->names;
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(names, ":"), names);
    job->evp_cipher = lc.EVP_CIPHER_fetch(side->libctx, name, side->properties);
    if (job->evp_cipher == NULL || lc.EVP_CIPHER_get0_provider(job->evp_cipher) != side->provider)
        return false;
    job->ctx = lc.EVP_CIPHER_CTX_new();
    return job->ctx != NULL && init_evp(job->ctx, job, job->ivs[0]) &&
           lc.EVP_CIPHER_CTX_set_padding(job->ctx, 0) == 1 && has_right_core(job);
}

static void *allocate_key(size_t size)
{
    return aligned_alloc(CTAES_ALIGN, (size + (CTAES_ALIGN - 1)) & ~(size_t)(CTAES_ALIGN - 1));
}

static bool open_direct(struct job *job)
{
    const struct ctaes_core *core = job->side->core;
    const struct ctaes_mode *mode = job->cell->cipher->mode;
    job->key = allocate_key(core->key_size);
    job->hash_key = allocate_key(core->ghash_size);
    if (job->key == NULL || job->hash_key == NULL)
        return false;
    core->expand_key(job->key, key_bytes, job->cell->cipher->key_len);
    if (mode->inverse_cipher && !job->cell->encrypt && core->prepare_decrypt != NULL)
        core->prepare_decrypt(job->key);
    if (is_aead(job->cell))
        mode->aead_set_key(core, job->key, job->hash_key);
    return true;
}

bool open_job(struct job *job, const struct side *side, const struct cell *cell, const uint8_t *in,
              uint8_t *out)
{
    *job = (struct job){
        .side = side,
        .cell = cell,
        .in = in,
        .out = out,
        .in_len = cell->len,
        .out_len = cell->len,
        .makes_tag = is_aead(cell) && cell->encrypt,
        .checks_tag = is_aead(cell) && !cell->encrypt,
        .authentic = wants_authentic(cell),
    };
    for (size_t i = 0; i < NIVS; i++)
        for (size_t j = 0; j < 16; j++)
            job->ivs[i][j] = (uint8_t)(i * 167 + j * 59 + (i * j >> 2));
    if (cell->life == LIFE_LOAD)
        return true;
    return side->kind == SIDE_DIRECT ? open_direct(job) : open_evp(job);
}

void close_job(struct job *job)
{
    if (job->ctx != NULL)
        lc.EVP_CIPHER_CTX_free(job->ctx);
    if (job->evp_cipher != NULL)
        lc.EVP_CIPHER_free(job->evp_cipher);
    free(job->key);
    free(job->hash_key);
    *job = (struct job){.side = NULL};
}

/* --- Jobs: running ------------------------------------------------------------------------------
 */

/* Another IV for each message, as in real use; but one that was received belongs to
   its tag, or is checked itself. */
static const uint8_t *choose_iv(struct job *job)
{
    return job->ivs[job->authentic ? 0 : job->next_iv++ & (NIVS - 1)];
}

static bool run_update(const struct job *job)
{
    int n;
    return lc.EVP_CipherUpdate(job->ctx, job->out, &n, job->in, (int)job->cell->len) == 1;
}

/* From the context that is set up to the end of its message. */
static bool finish_message(EVP_CIPHER_CTX *ctx, struct job *job)
{
    int n, n_final = 0;
    /* CCM has to know the length of the data before the data. */
    bool ccm = has_name(job->cell, "CCM");
    if (job->checks_tag && lc.EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, job->tag) != 1)
        return false;
    if (ccm && lc.EVP_CipherUpdate(ctx, NULL, &n, NULL, (int)job->cell->len) != 1)
        return false;
    if (lc.EVP_CipherUpdate(ctx, job->out, &n, job->in, (int)job->in_len) != 1 ||
        lc.EVP_CipherFinal_ex(ctx, job->out + n, &n_final) != 1)
        return false;
    if (job->makes_tag && lc.EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, job->tag) != 1)
        return false;
    job->out_len = (size_t)(n + n_final);
    return job->out_len != 0;
}

static bool run_message(struct job *job, const uint8_t *key)
{
    return lc.EVP_CipherInit_ex(job->ctx, NULL, NULL, key, choose_iv(job), -1) == 1 &&
           finish_message(job->ctx, job);
}

static bool run_once(struct job *job)
{
    EVP_CIPHER_CTX *ctx = lc.EVP_CIPHER_CTX_new();
    bool good = ctx != NULL && init_evp(ctx, job, choose_iv(job)) && finish_message(ctx, job);
    lc.EVP_CIPHER_CTX_free(ctx);
    return good;
}

static bool run_load(const struct job *job)
{
    OSSL_LIB_CTX *libctx;
    OSSL_PROVIDER *provider;
    bool good = load_provider(job->side, &libctx, &provider);
    unload_provider(libctx, provider);
    return good;
}

static bool run_evp(struct job *job, size_t n)
{
    bool good = true;
    switch (job->cell->life) {
    case LIFE_FRESH:
        for (; n > 0 && good; n--)
            good = run_message(job, NULL);
        break;
    case LIFE_REKEY:
        for (; n > 0 && good; n--)
            good = run_message(job, key_bytes);
        break;
    case LIFE_ONCE:
        for (; n > 0 && good; n--)
            good = run_once(job);
        break;
    case LIFE_UPDATE:
        for (; n > 0 && good; n--)
            good = run_update(job);
        break;
    case LIFE_LOAD:
        for (; n > 0 && good; n--)
            good = run_load(job);
        break;
    }
    return good;
}

static bool run_direct_aead(struct job *job)
{
    const struct ctaes_core *core = job->side->core;
    const struct ctaes_mode *mode = job->cell->cipher->mode;
    bool encrypt = job->makes_tag;
    uint8_t tag[16];

    mode->aead_start(core, job->hash_key, &job->aead, choose_iv(job), mode->iv_len);
    if ((encrypt ? mode->aead_encrypt : mode->aead_decrypt)(core, job->key, job->hash_key,
                                                            &job->aead, job->out, job->in,
                                                            job->cell->len) != CTAES_OK)
        return false;
    mode->aead_finish(core, job->key, job->hash_key, &job->aead, encrypt ? job->tag : tag);
    return encrypt || ct_equal_bytes(tag, job->tag, sizeof tag) != 0;
}

static bool run_direct(struct job *job, size_t n)
{
    const struct ctaes_mode *mode = job->cell->cipher->mode;
    bool good = true;
    for (; n > 0 && good; n--) {
        if (mode->kind == CTAES_AEAD) {
            good = run_direct_aead(job);
        } else {
            memcpy(job->chain.iv, choose_iv(job), sizeof job->chain.iv);
            job->chain.num = 0;
            job->chain.keystream_valid = false;
            (job->cell->encrypt ? mode->encrypt : mode->decrypt)(
                job->side->core, job->key, &job->chain, job->out, job->in, job->cell->len);
        }
    }
    return good;
}

bool run_job(void *arg, size_t n)
{
    struct job *job = arg;
    return job->side->kind == SIDE_DIRECT ? run_direct(job, n) : run_evp(job, n);
}
