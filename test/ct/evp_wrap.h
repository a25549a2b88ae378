/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Part of evp.c: key wrap. What is wrapped is secret, and so is all that comes of
 * unwrapping until it is known to be intact: then, how much of it is padding.
 */
#ifndef CT_EVP_WRAP_H
#define CT_EVP_WRAP_H

static void probe_wrap(const EVP_CIPHER *cipher, size_t wanted)
{
    const bool padded = EVP_CIPHER_get_iv_length(cipher) == 4;
    const size_t len = padded ? wanted + (wanted == 0) : wanted < 16 ? 16 : wanted - wanted % 8;
    const size_t wrapped_len = (len + 7) / 8 * 8 + 8;
    struct message m;
    int n = 0;

    open_message(&m, cipher, len, WHOLE);
    begin_probe();
    mark_secret(m.key, sizeof m.key);
    mark_secret(m.plain, len);
    need(EVP_CipherInit_ex2(m.ctx, cipher, m.key, wanted % 2 != 0 ? m.iv : NULL, 1, NULL), "key");
    need(EVP_CipherUpdate(m.ctx, m.data, &n, m.plain, (int)len), "wrap");
    expect_secret(m.data, wrapped_len);
    mark_public(m.data, m.room);
    expect_right(n == (int)wrapped_len);
    end_evp_probe(CIPHERING, cipher, "wrap", len, "");

    /* Where the first bit of 8 bytes is changed: of the first three, in the middle, of the last; at
       last, nowhere. In a sample two of these. */
    for (size_t at = 0; at <= wrapped_len; at += 8) {
        const bool ends = at == 0 || at == wrapped_len - 8 || at == wrapped_len;
        const bool near = at <= 16 || at == wrapped_len / 16 * 8;
        if (!ends && (!near || ct_state.sample))
            continue;
        const bool intact = at == wrapped_len;
        if (!intact)
            m.data[at] ^= 0x80;
        need(EVP_CipherInit_ex2(m.ctx, NULL, m.key, NULL, 0, NULL), "key");
        begin_probe();
        const bool done = EVP_CipherUpdate(m.ctx, m.out, &n, m.data, (int)wrapped_len) > 0;
        if (!intact)
            m.data[at] ^= 0x80;
        /* One for the verdict; if it is good, the padding's length is looked for from 0 on, and
           that of a wrapping without one is known. */
        const size_t padding = wrapped_len - 8 - len;
        ct_state.verdicts += 1;
        if (intact && padded)
            ct_state.verdicts += (unsigned)padding + 1;
        expect_secret(m.out, wrapped_len - 8);
        mark_public(m.out, m.room);
        mark_public(m.plain, m.room);
        expect_right(done == intact &&
                     (!intact || (n == (int)len && memcmp(m.out, m.plain, len) == 0)));
        end_evp_probe(intact && padded ? VERDICT : CIPHERING, cipher,
                      intact ? "unwrap" : "unwrap, damaged", len, "");
        ERR_clear_error();
    }
    close_message(&m);
}

#endif
