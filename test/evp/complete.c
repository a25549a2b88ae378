/* SPDX-License-Identifier: Apache-2.0 */
/*
 * That nothing with AES in it is left to the default provider: each of its AES
 * ciphers, by each of its names, and each MAC that takes a cipher, is ctaes's
 * where ctaes is preferred. Not so the ciphers with a hash inside, AES-128-CBC-
 * HMAC-SHA1 and the like, which it has only where the CPU has AES instructions.
 */
#include "evp.h"

#include <string.h>

static void check_cipher_name(const char *name, void *arg)
{
    const EVP_CIPHER *theirs = arg;
    EVP_CIPHER *ours = EVP_CIPHER_fetch(sides[SUBJECT].libctx, name, NULL);
    check(ours != NULL, "no %s: with ctaes, %s stays the default provider's", name,
          EVP_CIPHER_get0_name(theirs));
    EVP_CIPHER_free(ours);
    ERR_clear_error();
}

static void visit_cipher(EVP_CIPHER *cipher, void *count)
{
    const char *name = EVP_CIPHER_get0_name(cipher);
    if (strncmp(name, "AES-", 4) != 0 || strstr(name, "-HMAC-") != NULL)
        return;
    ++*(unsigned *)count;
    EVP_CIPHER_names_do_all(cipher, check_cipher_name, cipher);
}

static void check_mac_name(const char *name, void *arg)
{
    (void)arg;
    EVP_MAC *ours = EVP_MAC_fetch(sides[SUBJECT].libctx, name, NULL);
    check(ours != NULL, "no %s: with ctaes, it stays the default provider's", name);
    EVP_MAC_free(ours);
    ERR_clear_error();
}

static void visit_mac(EVP_MAC *mac, void *count)
{
    const OSSL_PARAM *settable = EVP_MAC_settable_ctx_params(mac);
    if (settable == NULL || OSSL_PARAM_locate_const(settable, OSSL_MAC_PARAM_CIPHER) == NULL)
        return;
    ++*(unsigned *)count;
    EVP_MAC_names_do_all(mac, check_mac_name, NULL);
}

void run_complete(void)
{
    unsigned ciphers = 0, macs = 0;
    EVP_CIPHER_do_all_provided(sides[REFERENCE].libctx, visit_cipher, &ciphers);
    EVP_MAC_do_all_provided(sides[REFERENCE].libctx, visit_mac, &macs);
    /* OpenSSL 3.0 has 50 and 2; there are never fewer. */
    check(ciphers >= 50 && macs >= 2, "default has only %u AES ciphers and %u MACs with ciphers",
          ciphers, macs);
}
