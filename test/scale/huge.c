/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check-scale, long messages. One memory file of 16 MiB, mapped again and again behind
 * itself, is the input, and another one the output:
 *
 *      addresses   |0      |16     |32     | ...  1 GiB      an update of 1 GiB at a time
 *      file        |0..16  |0..16  |0..16  | ...             its last 16 MiB stay
 */
#include "scale.h"

#include <openssl/err.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FILE_LEN ((size_t)16 << 20)
#define PIECE ((size_t)1 << 30)

/* len bytes of addresses behind which lie the same FILE_LEN bytes of memory, over and over. */
static uint8_t *map_over_and_over(size_t len, int *fd)
{
    *fd = memfd_create("scale", 0);
    uint8_t *all = mmap(NULL, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (*fd < 0 || ftruncate(*fd, (off_t)FILE_LEN) != 0 || all == MAP_FAILED) {
        perror("mapping");
        exit(2);
    }
    for (size_t at = 0; at < len; at += FILE_LEN) {
        const size_t here = len - at < FILE_LEN ? len - at : FILE_LEN;
        if (mmap(all + at, here, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, *fd, 0) ==
            MAP_FAILED) {
            perror("mapping");
            exit(2);
        }
    }
    return all;
}

/* Input stays the same, output goes over and over into the other file, so that its last FILE_LEN
   bytes are there in the end. */
static void check_huge(const char *name)
{
    const size_t len = (quick ? PIECE / 4 : 4 * PIECE) + 3 * FILE_LEN / 2 + 16;
    int fd[2];
    uint8_t *in = map_over_and_over(PIECE, &fd[0]), *out = map_over_and_over(PIECE, &fd[1]);
    uint8_t tag[2][16] = {{0}}, *last[2];
    for (size_t i = 0; i < FILE_LEN; i++)
        in[i] = (uint8_t)(i * 2654435761U >> 13);
    const bool gcm = strstr(name, "GCM") != NULL || strstr(name, "OCB") != NULL;

    for (int side = DEFAULT; side <= CTAES; side++) {
        EVP_CIPHER *cipher = fetch(side, name);
        EVP_CIPHER_CTX *ctx = start(cipher, 1);
        bool good = true;
        const double before = now();
        memset(out, 0, FILE_LEN);
        for (size_t done = 0; done < len && good;) {
            /* As long as EVP can be asked for: pieces of 1 GiB. */
            const size_t n = len - done < PIECE ? len - done : PIECE;
            int m = 0;
            good = EVP_CipherUpdate(ctx, out, &m, in, (int)n) == 1 && (size_t)m == n;
            done += n;
        }
        int m = 0;
        uint8_t block[16];
        good = good && EVP_CipherFinal_ex(ctx, block, &m) == 1 &&
               (!gcm || EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, tag[side]) == 1);
        check(good, "a message of 4 GiB", name);
        if (side == CTAES)
            figure("4 GiB of", name, (double)len / (now() - before) / 1e9, "GB/s");
        last[side] = malloc(FILE_LEN);
        if (last[side] == NULL)
            abort();
        memcpy(last[side], out, FILE_LEN);
        EVP_CIPHER_CTX_free(ctx);
        EVP_CIPHER_free(cipher);
    }
    check(memcmp(last[0], last[1], FILE_LEN) == 0 && memcmp(tag[0], tag[1], 16) == 0,
          "a message of 4 GiB differs", name);
    free(last[0]);
    free(last[1]);
    munmap(in, PIECE);
    munmap(out, PIECE);
    close(fd[0]);
    close(fd[1]);
}

void run_huge(void)
{
    /* Not XTS: no data unit may have more than 2^20 blocks. */
    static const char *const names[] = {"AES-256-GCM", "AES-128-CTR", "AES-128-OCB", "AES-128-ECB",
                                        "AES-128-CBC"};
    for (size_t i = 0; i < (quick ? 2 : sizeof names / sizeof names[0]); i++)
        check_huge(names[i]);
}

/* --- GCM's longest message: 2^36 - 32 bytes (SP 800-38D section 5.2.1.1) --- */

void run_limits(void)
{
    if (quick)
        return; /* 64 GiB: test/unit sets the counters instead */
    const uint64_t limit = (UINT64_C(1) << 36) - 32;
    int fd, n = 0;
    uint8_t *data = map_over_and_over(PIECE, &fd), tag[16];
    EVP_CIPHER *cipher = fetch(CTAES, "AES-128-GCM");
    EVP_CIPHER_CTX *ctx = start(cipher, 1);
    bool good = true;
    uint64_t done = 0;
    const double before = now();
    while (good && done < limit) {
        const uint64_t piece = limit - done < PIECE ? limit - done : PIECE;
        good = EVP_CipherUpdate(ctx, data, &n, data, (int)piece) == 1;
        done += piece;
    }
    check(good && done == limit, "the longest message of GCM", "AES-128-GCM");
    check(EVP_CipherUpdate(ctx, data, &n, data, 1) == 0, "one byte more is refused", "AES-128-GCM");
    ERR_clear_error();
    check(EVP_CipherInit_ex2(ctx, NULL, NULL, iv, 1, NULL) == 1 &&
              EVP_CipherUpdate(ctx, data, &n, data, 16) == 1 &&
              EVP_CipherFinal_ex(ctx, data, &n) == 1 &&
              EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1,
          "the next message", "AES-128-GCM");
    figure("2^36 - 32 bytes of", "AES-128-GCM", now() - before, "s");
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_free(cipher);
    munmap(data, PIECE);
    close(fd);
}
