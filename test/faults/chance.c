/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's random generator fails, is interrupted, gives little. The module's
 * call of getrandom is bound to this program's own.
 *
 * Who draws: GCM encryption without an IV, GCM's IVs for TLS (the part that isn't
 * fixed), and the decryption of a TLS record in CBC, which hands out a random MAC
 * where the padding is bad.
 */
#include "faults.h"

#include <openssl/core_names.h>

#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SOUND, INTERRUPTED, SMALL, FAILING };
static int chance;
static unsigned long calls;
static bool interrupted;

ssize_t getrandom(void *p, size_t len, unsigned flags)
{
    calls++;
    switch (chance) {
    case INTERRUPTED: /* every other time */
        interrupted = !interrupted;
        if (interrupted) {
            errno = EINTR;
            return -1;
        }
        break;
    case SMALL:
        len = 1;
        break;
    case FAILING:
        errno = ENOSYS;
        return -1;
    default:
        break;
    }
    return syscall(SYS_getrandom, p, len, flags);
}

/* What each use gives: bytes that it drew. False if it failed. */
typedef bool use_fn(struct host *h, uint8_t drawn[12]);

/* GCM without an IV. */
static bool draw_gcm_iv(struct host *h, uint8_t drawn[12])
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    uint8_t out[32];
    int n = 0;
    OSSL_PARAM get[] = {OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_IV, drawn, 12),
                        OSSL_PARAM_END};
    const bool good =
        EVP_CipherInit_ex2(ctx, find(h, "AES-256-GCM")->cipher, tape, NULL, 1, NULL) == 1 &&
        EVP_CipherUpdate(ctx, out, &n, tape, 32) == 1 && EVP_CIPHER_CTX_get_params(ctx, get) == 1;
    EVP_CIPHER_CTX_free(ctx);
    return good;
}

/* GCM as TLS 1.2 uses it: 4 fixed bytes, 8 drawn. */
static bool draw_gcm_tls_iv(struct host *h, uint8_t drawn[12])
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    const bool good =
        EVP_CipherInit_ex2(ctx, find(h, "AES-128-GCM")->cipher, tape, NULL, 1, NULL) == 1 &&
        EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_GCM_SET_IV_FIXED, 4, tape) == 1 &&
        EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_GCM_IV_GEN, 12, drawn) == 1;
    EVP_CIPHER_CTX_free(ctx);
    return good;
}

/* A record with bad padding: of a TLS 1.2 record of MAC-then-encrypt, a random MAC. */
static bool draw_tls_mac(struct host *h, uint8_t drawn[12])
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    uint8_t record[96];
    unsigned char *mac = NULL;
    unsigned version = 0x0303;
    size_t mac_size = 20;
    int n = 0;
    OSSL_PARAM set[] = {OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_TLS_VERSION, &version),
                        OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_TLS_MAC_SIZE, &mac_size),
                        OSSL_PARAM_END};
    OSSL_PARAM get[] = {
        OSSL_PARAM_construct_octet_ptr(OSSL_CIPHER_PARAM_TLS_MAC, (void **)&mac, mac_size),
        OSSL_PARAM_END};
    memcpy(record, tape + 200, sizeof record); /* any bytes decrypt to bad padding, but for luck */
    const bool good =
        EVP_CipherInit_ex2(ctx, find(h, "AES-128-CBC")->cipher, tape, tape + 64, 0, set) == 1 &&
        EVP_CipherUpdate(ctx, record, &n, record, sizeof record) == 1 &&
        EVP_CIPHER_CTX_get_params(ctx, get) == 1 && mac != NULL;
    if (good)
        memcpy(drawn, mac, 12);
    EVP_CIPHER_CTX_free(ctx);
    return good;
}

static void check_use(struct host *h, const char *what, use_fn *use)
{
    uint8_t drawn[4][12] = {{0}};
    ERR_clear_error();
    for (int i = SOUND; i <= FAILING; i++) {
        const unsigned long before = calls;
        chance = i;
        const bool good = use(h, drawn[i]);
        chance = SOUND;
        check(calls > before, "%s draws nothing", what);
        if (i != FAILING)
            check(good, "%s with a generator of kind %d fails", what, i);
        else
            check(!good && ERR_peek_error() != 0, "%s without randomness: %s", what,
                  good ? "works" : "fails in silence");
        ERR_clear_error();
    }
    for (int i = SOUND; i < FAILING; i++)
        for (int j = 0; j < i; j++)
            check(memcmp(drawn[i] + 4, drawn[j] + 4, 8) != 0, "%s draws the same twice", what);
    uint8_t again[12];
    check(use(h, again), "%s after a failure", what);
}

void check_chance(void)
{
    static struct host h;
    open_host(&h, NULL);
    calls = 0;
    check_use(&h, "GCM without an IV", draw_gcm_iv);
    check_use(&h, "GCM for TLS", draw_gcm_tls_iv);
    check_use(&h, "a TLS record with bad padding", draw_tls_mac);
    figure("draws of random bytes that failed, were interrupted or short", calls);
    close_host(&h);
}
