/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Guard pages around everything that EVP is handed, for every algorithm and every
 * length, with the core under test: key, IV, AAD, input and output lie, once each,
 * directly behind and directly before a page that can't be touched,
 *
 *   no access │ buffer ... canary      at the start
 *   no access... canary │ buffer │ no access     at the end
 *
 * and the output, of exactly the bytes that come out, is in canaries otherwise. What
 * comes out must be what came out of an ordinary buffer. test/unit does the same with
 * cores and modes; here the glue is looked at too: partial blocks, padding, tags.
 */
#include "evp.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { AREA = 4096, LONGEST = 272, AREAS = 5, CANARY_BYTE = 0xc5 };
enum { IN, OUT, AAD, KEY, IV };

static uint8_t *areas[AREAS];
static char at[160]; /* what is being done, for the handler */

static void on_fault(int number)
{
    static const char text[] = "FAIL out of bounds: ";
    (void)number;
    ssize_t n = write(STDOUT_FILENO, text, sizeof text - 1);
    n += write(STDOUT_FILENO, at, strlen(at));
    _exit(n > 0 ? 3 : 4);
}

static void map_areas(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (page > 1 << 16 || AREA % page != 0)
        abort();
    for (int i = 0; i < AREAS; i++) {
        uint8_t *p = mmap(NULL, AREA + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED || mprotect(p + page, AREA, PROT_READ | PROT_WRITE) != 0)
            abort();
        areas[i] = p + page;
    }
}

static uint8_t *place(int area, bool at_end, const void *data, size_t len)
{
    uint8_t *p = areas[area] + (at_end ? AREA - len : 0);
    memset(areas[area], CANARY_BYTE, AREA);
    if (data != NULL && len > 0)
        memcpy(p, data, len);
    return p;
}

struct shape {
    size_t len, aad_len;
    int encrypt;
    uint8_t tag[16];
};

/* One message. Returns the length of what came out, -1 if it was refused. */
static int run(const struct algorithm *a, struct shape *shape, uint8_t *out, const uint8_t *in,
               const uint8_t *key, const uint8_t *iv, const uint8_t *aad)
{
    const EVP_CIPHER *cipher = a->cipher[SUBJECT];
    const bool aead = (EVP_CIPHER_get_flags(cipher) & EVP_CIPH_FLAG_AEAD_CIPHER) != 0;
    const bool ccm = has_mode(a, CCM);
    EVP_CIPHER_CTX *ctx = new_ctx();
    int n = 0, m = 0, none;

    EVP_CIPHER_CTX_set_flags(ctx, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
    bool good = EVP_CipherInit_ex2(ctx, cipher, NULL, NULL, shape->encrypt, NULL) == 1 &&
                (!ccm || !shape->encrypt ||
                 EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, NULL) == 1) &&
                (!aead || shape->encrypt ||
                 EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, shape->tag) == 1) &&
                EVP_CipherInit_ex2(ctx, NULL, key, iv, shape->encrypt, NULL) == 1 &&
                (!ccm || EVP_CipherUpdate(ctx, NULL, &none, NULL, (int)shape->len) == 1) &&
                (!aead || EVP_CipherUpdate(ctx, NULL, &none, aad, (int)shape->aad_len) == 1) &&
                EVP_CipherUpdate(ctx, out, &n, in, (int)shape->len) == 1 &&
                ((ccm && !shape->encrypt) || EVP_CipherFinal_ex(ctx, out + n, &m) == 1) &&
                (!aead || !shape->encrypt ||
                 EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, shape->tag) == 1);
    EVP_CIPHER_CTX_free(ctx);
    ERR_clear_error();
    return good ? n + m : -1;
}

/* All placements of one message: bit 0 in, 1 out, 2 the rest at the end; 3 in place. */
static void check_message(const struct algorithm *a, struct shape *shape, const uint8_t *in)
{
    uint8_t expected[LONGEST + 64], tag[16];
    const size_t key_len = (size_t)EVP_CIPHER_get_key_length(a->cipher[SUBJECT]);
    const size_t iv_len = (size_t)EVP_CIPHER_get_iv_length(a->cipher[SUBJECT]);

    memcpy(tag, shape->tag, 16);
    memset(expected, CANARY_BYTE, sizeof expected);
    const int len = run(a, shape, expected, in, base_tape, base_tape + 70, base_aad);
    uint8_t made[16];
    memcpy(made, shape->tag, 16);
    /* Refused lengths need no room; unwrapping works in the room of its input. */
    size_t room = len < 0 ? 0 : (size_t)len;
    if (is_wrap(a))
        room = shape->encrypt ? (shape->len + 7) / 8 * 8 + 8 : shape->len;

    for (int bits = 0; bits < 16; bits++) {
        const bool in_place = (bits & 8) != 0, out_at_end = (bits & 2) != 0;
        if (in_place && (bits & 1) != 0)
            continue;
        const size_t longer = in_place && shape->len > room ? shape->len : room;
        snprintf(at, sizeof at, "%s %s, %zu bytes, placement %d, core %s\n", a->name,
                 shape->encrypt ? "encrypting" : "decrypting", shape->len, bits, core_name);
        memcpy(shape->tag, tag, 16);
        uint8_t *out = place(OUT, out_at_end, NULL, longer);
        uint8_t *source = place(IN, (bits & 1) != 0, in, shape->len);
        if (in_place)
            source = memcpy(out, in, shape->len);
        const bool rest = (bits & 4) != 0;
        const int n = run(a, shape, out, source, place(KEY, rest, base_tape, key_len),
                          place(IV, rest, base_tape + 70, iv_len),
                          place(AAD, rest, base_aad, shape->aad_len));
        bool good = n == len && (len < 0 || memcmp(out, expected, (size_t)len) == 0) &&
                    (len < 0 || memcmp(shape->tag, made, 16) == 0);
        for (size_t i = 0; i < AREA; i++)
            good = good && (areas[OUT][i] == CANARY_BYTE ||
                            (areas[OUT] + i >= out && areas[OUT] + i < out + longer));
        check(good, "guard pages: %s", at);
    }
    memcpy(shape->tag, made, 16);
}

void run_guards(void)
{
    /* The lengths around blocks and batches; every one with CTAES_ALL. */
    static const struct {
        size_t from, to;
    } ranges[] = {{0, 34}, {47, 49}, {63, 65}, {111, 113}, {127, 129}, {143, 145}, {255, 258}};
    const bool all = getenv("CTAES_ALL") != NULL;
    struct sigaction action = {.sa_handler = on_fault}, old[2];
    if (areas[0] == NULL)
        map_areas();
    sigaction(SIGSEGV, &action, &old[0]);
    sigaction(SIGBUS, &action, &old[1]);
    for (size_t i = 0; i < nalgorithms + nlone_algorithms; i++) {
        const struct algorithm *a =
            i < nalgorithms ? &algorithms[i] : &lone_algorithms[i - nalgorithms];
        for (size_t len = 0; len <= LONGEST - 8; len++) {
            bool wanted = all;
            for (size_t r = 0; r < sizeof ranges / sizeof ranges[0]; r++)
                wanted = wanted || (len >= ranges[r].from && len <= ranges[r].to);
            if (!wanted)
                continue;
            struct shape shape = {.len = len, .aad_len = len % 37, .encrypt = 1};
            uint8_t made[LONGEST + 64];
            check_message(a, &shape, base_tape + 200);
            const int n =
                run(a, &shape, made, base_tape + 200, base_tape, base_tape + 70, base_aad);
            if (n >= 0) {
                shape.len = (size_t)n;
                shape.encrypt = 0;
                check_message(a, &shape, made);
            }
        }
    }
    sigaction(SIGSEGV, &old[0], NULL);
    sigaction(SIGBUS, &old[1], NULL);
    ERR_clear_error();
}
