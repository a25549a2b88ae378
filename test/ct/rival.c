/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often a provider branches on secrets, or addresses memory with them.
 *
 *     rival <provider> [folder of the module]
 *
 * Each AES cipher and MAC of the default provider takes one message of 261 bytes
 * (key wrap: 40, whole blocks where it must be) from the provider that is named:
 * key and plaintext secret, then the same message's ciphertext, with its tag, to
 * decrypt. Prints for each, of key setup and message together, what memcheck
 * reports: `reports <cipher> <encrypting> <decrypting>`.
 *
 * The rest of this folder demands that ctaes has none. This is only a count, of
 * the default provider under several OPENSSL_ia32cap and of ctaes under the
 * same: `matrix` makes a table of it. That a tag or a padding is compared, and
 * the result looked at, counts too, but for ctaes_declassify, whose reports are
 * suppressed.
 */
#include "ct_test.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

enum { LENGTH = 261, WRAP_LENGTH = 40, ROOM = 320 };

static OSSL_LIB_CTX *library;
static char query[80];

static void need(bool done, const char *name, const char *what)
{
    if (!done) {
        printf("can't go on: %s: %s\n", name, what);
        exit(2);
    }
}

struct message {
    uint8_t key[64], iv[16], aad[20], tag[16];
    uint8_t plain[ROOM], cipher[ROOM], out[ROOM];
    size_t len, cipher_len;
};

/* What comes between the algorithm and its key: lengths, the tag. */
static void prepare(EVP_CIPHER_CTX *ctx, int mode, bool encrypting, struct message *m,
                    const char *name)
{
    const bool sets_tag = mode == EVP_CIPH_CCM_MODE || mode == EVP_CIPH_OCB_MODE;
    if (mode == EVP_CIPH_GCM_MODE || sets_tag)
        need(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL) > 0, name, "IV length");
    if (!encrypting && (mode == EVP_CIPH_GCM_MODE || mode == EVP_CIPH_SIV_MODE || sets_tag))
        need(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, m->tag) > 0, name, "tag");
    else if (sets_tag)
        need(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, NULL) > 0, name, "tag length");
}

/* One message one way. Returns how many reports that took. */
static unsigned run(const EVP_CIPHER *cipher, bool encrypting, struct message *m)
{
    const char *name = EVP_CIPHER_get0_name(cipher);
    const int mode = EVP_CIPHER_get_mode(cipher);
    const bool aead = EVP_CIPHER_get_flags(cipher) & EVP_CIPH_FLAG_AEAD_CIPHER;
    const bool whole = mode == EVP_CIPH_WRAP_MODE || mode == EVP_CIPH_CCM_MODE;
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    uint8_t *in = encrypting ? m->plain : m->cipher, *out = encrypting ? m->cipher : m->out;
    const size_t in_len = encrypting ? m->len : m->cipher_len;
    int n = 0, last = 0;

    need(ctx != NULL, name, "EVP_CIPHER_CTX_new");
    EVP_CIPHER_CTX_set_flags(ctx, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
    const unsigned before = (unsigned)VALGRIND_COUNT_ERRORS;
    mark_secret(m->key, sizeof m->key);
    if (encrypting)
        mark_secret(m->plain, m->len);
    need(EVP_CipherInit_ex2(ctx, cipher, NULL, NULL, encrypting, NULL), name, "algorithm");
    prepare(ctx, mode, encrypting, m, name);
    need(EVP_CipherInit_ex2(ctx, NULL, m->key, mode == EVP_CIPH_WRAP_MODE ? NULL : m->iv,
                            encrypting, NULL),
         name, "key");
    if (mode == EVP_CIPH_CCM_MODE)
        need(EVP_CipherUpdate(ctx, NULL, &n, NULL, (int)in_len), name, "length");
    if (aead)
        need(EVP_CipherUpdate(ctx, NULL, &n, m->aad, sizeof m->aad), name, "AAD");
    need(EVP_CipherUpdate(ctx, out, &n, in, (int)in_len), name, "data");
    if (!whole)
        need(EVP_CipherFinal_ex(ctx, out + n, &last) > 0, name, "final");
    if (encrypting && aead)
        need(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, m->tag) > 0, name, "get tag");
    const unsigned reports = (unsigned)VALGRIND_COUNT_ERRORS - before;
    EVP_CIPHER_CTX_free(ctx);

    mark_public(m, sizeof *m);
    mark_public(&n, sizeof n);
    mark_public(&last, sizeof last);
    if (encrypting)
        m->cipher_len = (size_t)(n + last);
    else
        need((size_t)(n + last) == m->len && memcmp(m->plain, m->out, m->len) == 0, name,
             "another plaintext");
    return reports;
}

static void count_cipher(EVP_CIPHER *found, void *unused)
{
    static struct message m;
    const char *name = EVP_CIPHER_get0_name(found);
    (void)unused;
    if (strncmp(name, "AES-", 4) != 0 || strstr(name, "HMAC") != NULL)
        return;
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(library, name, query);
    need(cipher != NULL, name, "not there");
    memset(&m, 0, sizeof m);
    fill(m.key, sizeof m.key, 1);
    fill(m.iv, sizeof m.iv, 2);
    fill(m.aad, sizeof m.aad, 3);
    fill(m.plain, sizeof m.plain, 4);
    const bool wraps = EVP_CIPHER_get_mode(cipher) == EVP_CIPH_WRAP_MODE;
    m.len = wraps ? WRAP_LENGTH : LENGTH;
    const unsigned encrypting = run(cipher, true, &m);
    const unsigned decrypting = run(cipher, false, &m);
    printf("reports %s %u %u\n", name, encrypting, decrypting);
    ct_state.passed++;
    EVP_CIPHER_free(cipher);
}

static void count_mac(const char *mac_name, const char *cipher)
{
    uint8_t key[16], iv[12], message[LENGTH], tag[16];
    size_t n = 0;
    EVP_MAC *mac = EVP_MAC_fetch(library, mac_name, query);
    EVP_MAC_CTX *ctx = EVP_MAC_CTX_new(mac);
    need(ctx != NULL, mac_name, "not there");
    fill(key, sizeof key, 1);
    fill(iv, sizeof iv, 2);
    fill(message, sizeof message, 3);
    char cipher_name[16];
    snprintf(cipher_name, sizeof cipher_name, "%s", cipher);
    OSSL_PARAM params[] = {OSSL_PARAM_utf8_string(OSSL_MAC_PARAM_CIPHER, cipher_name, 0),
                           OSSL_PARAM_octet_string(OSSL_MAC_PARAM_IV, iv, sizeof iv),
                           OSSL_PARAM_END};
    const unsigned before = (unsigned)VALGRIND_COUNT_ERRORS;
    mark_secret(key, sizeof key);
    mark_secret(message, sizeof message);
    need(EVP_MAC_init(ctx, key, sizeof key, params) &&
             EVP_MAC_update(ctx, message, sizeof message) &&
             EVP_MAC_final(ctx, tag, &n, sizeof tag),
         mac_name, "it fails");
    printf("reports %s %u -\n", mac_name, (unsigned)VALGRIND_COUNT_ERRORS - before);
    ct_state.passed++;
    EVP_MAC_CTX_free(ctx);
    EVP_MAC_free(mac);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        printf("usage: rival provider [folder]\n");
        return 2;
    }
    start_harness(EXPECT_CLEAN);
    snprintf(query, sizeof query, "provider=%s", argv[1]);
    library = OSSL_LIB_CTX_new();
    need(library != NULL && (argc < 3 || OSSL_PROVIDER_set_default_search_path(library, argv[2])),
         argv[1], "a library context");
    need(OSSL_PROVIDER_load(library, "default") != NULL &&
             OSSL_PROVIDER_load(library, argv[1]) != NULL,
         argv[1], "loading it");
    /* Of both providers' names each once, and in the same order: those of the default provider. */
    OSSL_LIB_CTX *names = OSSL_LIB_CTX_new();
    need(names != NULL && OSSL_PROVIDER_load(names, "default") != NULL, "default", "names");
    EVP_CIPHER_do_all_provided(names, count_cipher, NULL);
    count_mac("CMAC", "AES-128-CBC");
    count_mac("GMAC", "AES-128-GCM");
    OSSL_LIB_CTX_free(names);
    return finish_harness();
}
