/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encrypts standard input, up to 1 MiB, with AES-256-GCM, or decrypts it again:
 *
 *      cc seal.c $(pkg-config --cflags --libs ctaes) -o seal
 *      ./seal encrypt key-file < plain > sealed        sealed = nonce | ciphertext | tag
 *      ./seal decrypt key-file < sealed > plain
 */
#include <ctaes.h>

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

enum { KEY = 32, NONCE = 12, TAG = 16, MOST = 1 << 20 };

static int fail(const char *what)
{
    fprintf(stderr, "seal: %s\n", what);
    return 1;
}

int main(int argc, char **argv)
{
    static uint8_t buffer[NONCE + MOST + TAG + 1];
    _Alignas(CTAES_KEY_ALIGN) static uint8_t key_memory[CTAES_KEY_MAX];
    struct ctaes_key *key = (struct ctaes_key *)key_memory;
    uint8_t k[KEY], *nonce = buffer, *data = buffer + NONCE;
    const int encrypting = argc == 3 && strcmp(argv[1], "encrypt") == 0;
    if (argc != 3 || (!encrypting && strcmp(argv[1], "decrypt") != 0))
        return fail("usage: seal encrypt|decrypt key-file");
    FILE *file = fopen(argv[2], "rb");
    if (file == NULL || fread(k, 1, KEY, file) != KEY)
        return fail("no key file of 32 bytes");

    char why_not[200];
    const struct ctaes_core *core = ctaes_core_choose(NULL, why_not, sizeof why_not);
    if (core == NULL)
        return fail(why_not);
    enum ctaes_result result = ctaes_key_init(key, sizeof key_memory, core, CTAES_GCM, k, KEY);
    ctaes_wipe(k, sizeof k);

    uint8_t *in = encrypting ? data : buffer;
    const size_t got = fread(in, 1, sizeof buffer - (size_t)(in - buffer), stdin);
    const size_t len = encrypting ? got : got - NONCE - TAG;
    if (len > MOST)
        return fail("too long, or too short");
    if (encrypting && getrandom(nonce, NONCE, 0) != NONCE)
        return fail("no random nonce");
    if (result == CTAES_SUCCESS)
        result =
            (encrypting ? ctaes_seal(key, data, data + len, TAG, nonce, NONCE, NULL, 0, data, len)
                        : ctaes_open(key, data, data + len, TAG, nonce, NONCE, NULL, 0, data, len));
    ctaes_wipe(key, sizeof key_memory);
    if (result != CTAES_SUCCESS)
        return fail(ctaes_result_text(result));
    const size_t n = encrypting ? NONCE + len + TAG : len;
    return fwrite(encrypting ? buffer : data, 1, n, stdout) == n ? 0 : fail("no output");
}
