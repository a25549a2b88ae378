/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which cipher a MAC uses: what its parameters "cipher" and "properties" say.
 *
 * The default provider fetches a cipher of that name from any provider. ctaes
 * can't call libcrypto, and uses its own AES; what it can't serve it refuses,
 * saying where it is served.
 */
#include "mac.h"

#include "err.h"
#include "names.h"
#include "params.h"

#include <openssl/core_names.h>
#include <openssl/err.h>

/* Cuts blanks off both ends. */
static void trim(const char **text, size_t *len)
{
    for (; *len > 0 && **text == ' '; (*text)++)
        (*len)--;
    while (*len > 0 && (*text)[*len - 1] == ' ')
        (*len)--;
}

/*
 * Whether ctaes's ciphers meet one clause of a property query (property(7)):
 *
 *   ?...  wished for only        -name  overrides a default
 *   name, name=value, name!=value       a name that isn't defined has the value no
 */
static bool meets_clause(const struct ctaes_provctx *prov, const char *text, size_t len)
{
    trim(&text, &len);
    if (len == 0 || text[0] == '?' || text[0] == '-')
        return true;
    size_t name_len = 0;
    while (name_len < len && text[name_len] != '=')
        name_len++;
    const char *value = "yes";
    size_t value_len = 3;
    bool negated = false;
    if (name_len < len) {
        value = text + name_len + 1;
        value_len = len - name_len - 1;
        negated = name_len > 0 && text[name_len - 1] == '!';
        name_len -= negated;
        trim(&text, &name_len);
        trim(&value, &value_len);
        if (value_len >= 2 && (value[0] == '\'' || value[0] == '"')) {
            value++;
            value_len -= 2;
        }
    }
    const char *ours = "no";
    if (is_name(text, name_len, "provider"))
        ours = "ctaes";
    else if (is_name(text, name_len, "ctaes.core"))
        ours = prov->core->name;
    return is_name(value, value_len, ours) != negated;
}

static bool meets_query(const struct ctaes_provctx *prov, const char *query)
{
    for (;;) {
        /* To the comma that isn't in quotes. */
        size_t len = 0;
        for (char quote = '\0'; query[len] != '\0' && (quote != '\0' || query[len] != ','); len++) {
            if (query[len] == quote)
                quote = '\0';
            else if (quote == '\0' && (query[len] == '\'' || query[len] == '"'))
                quote = query[len];
        }
        if (!meets_clause(prov, query, len))
            return false;
        if (query[len] == '\0')
            return true;
        query += len + 1;
    }
}

const struct ctaes_cipher *ctaes_find_mac_cipher(const struct ctaes_provctx *prov,
                                                 const OSSL_PARAM params[], const OSSL_PARAM *p,
                                                 const struct ctaes_mode *mode, const char *mac)
{
    const OSSL_PARAM *properties = ctaes_find_param(params, OSSL_MAC_PARAM_PROPERTIES);
    if (p->data_type != OSSL_PARAM_UTF8_STRING || p->data == NULL)
        return NULL;
    if (properties != NULL && properties->data_type != OSSL_PARAM_UTF8_STRING)
        return NULL;

    const char *name = p->data;
    const char *query = properties != NULL ? properties->data : NULL;
    const struct ctaes_cipher *cipher = ctaes_find_cipher(name);
    if (cipher == NULL) {
        CTAES_RAISE_WHY(prov, ERR_LIB_EVP, ERR_R_UNSUPPORTED,
                        "the %s of ctaes works with AES-128-%s, AES-192-%s and AES-256-%s, not "
                        "with \"%.40s\"; for other ciphers, fetch %s with the properties "
                        "\"provider=default\"",
                        mac, mode->name, mode->name, mode->name, name, mac);
        return NULL;
    }
    if (query != NULL && !meets_query(prov, query)) {
        CTAES_RAISE_WHY(prov, ERR_LIB_EVP, ERR_R_UNSUPPORTED,
                        "the %s of ctaes works with ctaes's AES, which the properties \"%.80s\" "
                        "rule out; fetch %s with these properties",
                        mac, query, mac);
        return NULL;
    }
    if (cipher->mode != mode) {
        CTAES_RAISE_WHY(prov, ERR_LIB_PROV, PROV_R_INVALID_MODE,
                        "%s works with AES-*-%s, not %.40s", mac, mode->name, name);
        return NULL;
    }
    return cipher;
}
