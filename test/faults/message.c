/* SPDX-License-Identifier: Apache-2.0 */
/* Messages under any cipher or MAC of the module: see faults.h. */
#include "faults.h"

#include <openssl/core_names.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_PART = 331, AAD_LEN = 20, TAG_LEN = 16 };

/* Those whose numbers are newer than the oldest headers. */
enum { MODE_SIV = 0x10004, MODE_GCM_SIV = 0x10005 };

static void die(const char *what)
{
    printf("FAIL can't go on: %s\n", what);
    ERR_print_errors_fp(stdout);
    exit(2);
}

/* Whether the data must come in one piece. */
static bool is_whole(const EVP_CIPHER *cipher)
{
    switch (EVP_CIPHER_get_mode(cipher)) {
    case EVP_CIPH_CCM_MODE:
    case EVP_CIPH_XTS_MODE:
    case EVP_CIPH_WRAP_MODE:
    case MODE_SIV:
    case MODE_GCM_SIV:
        return true;
    default:
        return strstr(EVP_CIPHER_get0_name(cipher), "CTS") != NULL;
    }
}

static bool is_aead(const EVP_CIPHER *cipher)
{
    return (EVP_CIPHER_get_flags(cipher) & EVP_CIPH_FLAG_AEAD_CIPHER) != 0;
}

static bool update(struct message *m, const uint8_t *in, size_t len)
{
    int n = 0;
    if (m->alg->mac != NULL)
        return EVP_MAC_update(m->mac_ctx, in, len) == 1;
    if (EVP_CipherUpdate(m->ctx, m->out + m->len, &n, in, (int)len) != 1)
        return false;
    m->len += (size_t)n;
    return true;
}

static bool copy_context(struct message *m)
{
    if (m->alg->mac != NULL) {
        EVP_MAC_CTX *copy = EVP_MAC_CTX_dup(m->mac_ctx);
        if (copy == NULL)
            return false;
        EVP_MAC_CTX_free(m->mac_ctx);
        m->mac_ctx = copy;
        return true;
    }
    EVP_CIPHER_CTX *copy = EVP_CIPHER_CTX_new();
    if (copy == NULL || EVP_CIPHER_CTX_copy(copy, m->ctx) != 1) {
        EVP_CIPHER_CTX_free(copy);
        return false;
    }
    EVP_CIPHER_CTX_free(m->ctx);
    m->ctx = copy;
    return true;
}

static bool make_mac_call(struct message *m, int i)
{
    char gcm[] = "AES-256-GCM", cbc[] = "AES-256-CBC";
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_CIPHER,
                                         strcmp(m->alg->name, "GMAC") == 0 ? gcm : cbc, 0),
        OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_IV, tape + 64, 12), OSSL_PARAM_END};
    if (strcmp(m->alg->name, "GMAC") != 0)
        params[1] = params[2];

    switch (i) {
    case 0:
        m->mac_ctx = EVP_MAC_CTX_new(m->alg->mac);
        return m->mac_ctx != NULL;
    case 3:
        return EVP_MAC_init(m->mac_ctx, tape, 32, params) == 1;
    case 9:
        return EVP_MAC_final(m->mac_ctx, m->out, &m->len, sizeof m->out) == 1;
    default:
        return true;
    }
}

static bool make_cipher_call(struct message *m, int i)
{
    const EVP_CIPHER *cipher = m->alg->cipher;
    const bool ccm = EVP_CIPHER_get_mode(cipher) == EVP_CIPH_CCM_MODE;
    int n = 0;

    switch (i) {
    case 0:
        m->ctx = EVP_CIPHER_CTX_new();
        if (m->ctx != NULL)
            EVP_CIPHER_CTX_set_flags(m->ctx, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
        return m->ctx != NULL;
    case 1:
        return EVP_CipherInit_ex2(m->ctx, cipher, NULL, NULL, 1, NULL) == 1;
    case 2:
        return !ccm || EVP_CIPHER_CTX_ctrl(m->ctx, EVP_CTRL_AEAD_SET_TAG, TAG_LEN, NULL) == 1;
    case 3:
        return EVP_CipherInit_ex2(m->ctx, NULL, tape, tape + 64, 1, NULL) == 1;
    case 4:
        return !ccm || EVP_CipherUpdate(m->ctx, NULL, &n, NULL, MESSAGE_LEN) == 1;
    case 5:
        return !is_aead(cipher) || EVP_CipherUpdate(m->ctx, NULL, &n, tape + 80, AAD_LEN) == 1;
    case 9:
        if (EVP_CipherFinal_ex(m->ctx, m->out + m->len, &n) != 1)
            return false;
        m->len += (size_t)n;
        return true;
    case 10:
        if (!is_aead(cipher))
            return true;
        if (EVP_CIPHER_CTX_ctrl(m->ctx, EVP_CTRL_AEAD_GET_TAG, TAG_LEN, m->out + m->len) != 1)
            return false;
        m->len += TAG_LEN;
        return true;
    default:
        return true;
    }
}

bool make_call(struct message *m, int i)
{
    const bool whole = m->alg->cipher != NULL && is_whole(m->alg->cipher);
    const uint8_t *data = tape + 128;

    switch (i) {
    case 6:
        return update(m, data, whole ? MESSAGE_LEN : FIRST_PART);
    case 7:
        return copy_context(m);
    case 8:
        return whole || update(m, data + FIRST_PART, MESSAGE_LEN - FIRST_PART);
    default:
        return m->alg->mac != NULL ? make_mac_call(m, i) : make_cipher_call(m, i);
    }
}

bool finish_message(struct message *m, int from)
{
    for (int i = from; i < CALLS; i++)
        if (!make_call(m, i))
            return false;
    return true;
}

bool is_right(const struct message *m)
{
    return m->len == m->alg->len && memcmp(m->out, m->alg->result, m->len) == 0;
}

void free_message(struct message *m)
{
    EVP_CIPHER_CTX_free(m->ctx);
    EVP_MAC_CTX_free(m->mac_ctx);
    m->ctx = NULL;
    m->mac_ctx = NULL;
}

/* --- The module and its algorithms --- */

static void add(struct host *h, const char *name, EVP_CIPHER *cipher, EVP_MAC *mac)
{
    if (h->count == MAX_ALGORITHMS)
        die("more algorithms than expected");
    struct algorithm *alg = &h->algorithms[h->count++];
    *alg = (struct algorithm){.name = name, .cipher = cipher, .mac = mac};
    struct message m = {.alg = alg};
    if (!finish_message(&m, 0))
        die(name);
    memcpy(alg->result, m.out, m.len);
    alg->len = m.len;
    free_message(&m);
}

static void add_cipher(EVP_CIPHER *cipher, void *host)
{
    if (EVP_CIPHER_up_ref(cipher) != 1)
        die("no reference to a cipher");
    add(host, EVP_CIPHER_get0_name(cipher), cipher, NULL);
}

static void add_mac(EVP_MAC *mac, void *host)
{
    if (EVP_MAC_up_ref(mac) != 1)
        die("no reference to a MAC");
    add(host, EVP_MAC_get0_name(mac), NULL, mac);
}

void open_host(struct host *h, const char *core)
{
    memset(h, 0, sizeof *h);
    h->libctx = OSSL_LIB_CTX_new();
    if (h->libctx == NULL || !OSSL_PROVIDER_set_default_search_path(h->libctx, folder))
        die("no library context");
    if (core != NULL)
        setenv("CTAES_CORE", core, 1);
    h->provider = OSSL_PROVIDER_load(h->libctx, "ctaes");
    unsetenv("CTAES_CORE");
    if (h->provider == NULL)
        die("the module can't be loaded");
    EVP_CIPHER_do_all_provided(h->libctx, add_cipher, h);
    EVP_MAC_do_all_provided(h->libctx, add_mac, h);
    if (h->count < 40)
        die("the module has few algorithms");
}

void close_host(struct host *h)
{
    for (size_t i = 0; i < h->count; i++) {
        EVP_CIPHER_free(h->algorithms[i].cipher);
        EVP_MAC_free(h->algorithms[i].mac);
    }
    OSSL_PROVIDER_unload(h->provider);
    OSSL_LIB_CTX_free(h->libctx);
}

struct algorithm *find(struct host *h, const char *name)
{
    for (size_t i = 0; i < h->count; i++)
        if (strcmp(h->algorithms[i].name, name) == 0)
            return &h->algorithms[i];
    die(name);
    return NULL;
}
