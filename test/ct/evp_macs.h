/* SPDX-License-Identifier: Apache-2.0 */
/* Part of evp.c: the MACs. Key, message and tag are secret; comparing tags is the caller's. */
#ifndef CT_EVP_MACS_H
#define CT_EVP_MACS_H

static void probe_mac(EVP_MAC *mac, size_t key_len, size_t len, bool in_pieces)
{
    const bool is_gmac = EVP_MAC_is_a(mac, "GMAC");
    uint8_t key[32], iv[12], tag[16];
    uint8_t *message = allocate(len);
    char name[32];
    size_t n = 0;
    snprintf(name, sizeof name, "AES-%zu-%s", 8 * key_len, is_gmac ? "GCM" : "CBC");
    fill(key, sizeof key, 1);
    fill(iv, sizeof iv, 2);
    fill(message, len, 3);
    OSSL_PARAM params[] = {OSSL_PARAM_utf8_string(OSSL_MAC_PARAM_CIPHER, name, 0),
                           OSSL_PARAM_octet_string(OSSL_MAC_PARAM_IV, iv, sizeof iv),
                           OSSL_PARAM_END};
    EVP_MAC_CTX *ctx = EVP_MAC_CTX_new(mac);
    need(ctx != NULL, "EVP_MAC_CTX_new");

    begin_probe();
    mark_secret(key, sizeof key);
    mark_secret(message, len);
    need(EVP_MAC_init(ctx, key, key_len, params), "init of a MAC");
    for (size_t done = 0; done < len;) {
        size_t now = in_pieces ? 1 + done % 37 : len;
        now = now < len - done ? now : len - done;
        need(EVP_MAC_update(ctx, message + done, now), "update of a MAC");
        done += now;
        EVP_MAC_CTX *copy = EVP_MAC_CTX_dup(ctx);
        need(copy != NULL, "EVP_MAC_CTX_dup");
        EVP_MAC_CTX_free(ctx);
        ctx = copy;
    }
    need(EVP_MAC_final(ctx, tag, &n, sizeof tag), "final of a MAC");
    expect_secret(tag, sizeof tag);
    expect_right(n == sizeof tag);

    const enum ct_expect expect = ct_state.expect;
    if (control_glue)
        ct_state.expect = EXPECT_CLEAN;
    end_probe(true, "%s %s with %s: %zu bytes%s", core_name, EVP_MAC_get0_name(mac), name, len,
              in_pieces ? ", in pieces" : "");
    ct_state.expect = expect;
    EVP_MAC_CTX_free(ctx);
    free(message);
}

static void visit_mac(EVP_MAC *mac, void *count)
{
    const size_t w = 16 * batch;
    const size_t lens[] = {0, 1, 15, 16, 17, 32, w, w + 17, 1025, 1040};
    ++*(unsigned *)count;
    for (size_t key_len = 16; key_len <= 32; key_len += 8)
        for (size_t i = 0; i < sizeof lens / sizeof *lens; i++)
            for (int in_pieces = 0; in_pieces < 2; in_pieces++)
                if (is_pair(i, key_len / 8, 3) && its_turn(i + key_len / 8, (size_t)in_pieces, 2))
                    probe_mac(mac, key_len, lens[i], in_pieces);
}

#endif
