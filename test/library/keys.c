/* SPDX-License-Identifier: Apache-2.0 */
/* Keys as objects: not written to by use, copied, wiped; what stays in registers; and everything
   that the library must refuse, having changed nothing. */
#include "api.h"

#include "../../provider/library/library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 8192

/* GCM-SIV has the message's two keys on its stack, of a size for every core. */
static void check_sizes(const struct ctaes_core *core)
{
    const size_t aes = ctaes_key_size(core, CTAES_CTR) - sizeof(struct ctaes_key);
    const size_t hash = ctaes_key_size(core, CTAES_GCM) - ctaes_key_size(core, CTAES_CTR);
    expect(aes <= MOST_AES_KEY && hash <= MOST_GHASH_KEY,
           "GCM-SIV has no room for keys of %zu and %zu bytes", aes, hash);
}

/* Threads may share a key: no use of it, long messages above all, writes to it. */
void test_keys(const struct ctaes_core *core)
{
    static uint8_t in[MOST], out[MOST + 16], back[MOST + 16];
    uint8_t k[64], nonce[16], tag[16], tag_2[16];
    fill_bytes(k, sizeof k, 5);
    fill_bytes(nonce, sizeof nonce, 6);
    fill_bytes(in, sizeof in, 7);
    check_sizes(core);
    for (const struct algorithm *a = algorithms; a->name != NULL; a++) {
        const size_t size = ctaes_key_size(core, a->id);
        struct ctaes_key *key = make_key(core, a->id, k, a->key_lens[1]);
        struct ctaes_key *copy = aligned_alloc(CTAES_KEY_ALIGN, size);
        size_t len, copy_len;
        const struct input m = {nonce, in,        in, a->nonce_len, a->has_aad ? MOST : 0,
                                MOST,  a->tag_len};
        memcpy(copy, key, size);
        expect(size <= CTAES_KEY_MAX && size % CTAES_KEY_ALIGN == 0, "%s: a key of %zu bytes",
               a->name, size);
        expect(encrypt(a, key, &m, out, &len, tag) == CTAES_SUCCESS, "%s", a->name);
        struct input sealed = m;
        sealed.in = a->id == CTAES_CMAC ? in : out;
        sealed.len = len;
        expect(decrypt(a, key, &sealed, back, &copy_len, tag) == CTAES_SUCCESS, "%s", a->name);
        expect(memcmp(key, copy, size) == 0, "%s: a key is written to when it is used", a->name);

        /* The copy works without the original, which is refused once it is wiped. */
        ctaes_wipe(key, size);
        expect(all_zero((const uint8_t *)key, size), "a key isn't wiped");
        expect(encrypt(a, key, &m, back, &len, tag_2) == CTAES_INVALID_KEY, "%s: a wiped key works",
               a->name);
        expect(encrypt(a, copy, &m, back, &len, tag_2) == CTAES_SUCCESS &&
                   (a->id == CTAES_CMAC || memcmp(back, out, len) == 0) &&
                   memcmp(tag, tag_2, a->tag_len) == 0,
               "%s: a copy of a key works otherwise", a->name);
        free(copy);
        free_key(key, core, a->id);
    }
}

/* --- Registers --- */

#ifdef __x86_64__
static void read_registers(uint8_t to[256])
{
    __asm__ volatile("movdqu %%xmm0, (%0); movdqu %%xmm1, 16(%0); movdqu %%xmm2, 32(%0);"
                     "movdqu %%xmm3, 48(%0); movdqu %%xmm4, 64(%0); movdqu %%xmm5, 80(%0);"
                     "movdqu %%xmm6, 96(%0); movdqu %%xmm7, 112(%0); movdqu %%xmm8, 128(%0);"
                     "movdqu %%xmm9, 144(%0); movdqu %%xmm10, 160(%0); movdqu %%xmm11, 176(%0);"
                     "movdqu %%xmm12, 192(%0); movdqu %%xmm13, 208(%0); movdqu %%xmm14, 224(%0);"
                     "movdqu %%xmm15, 240(%0)"
                     :
                     : "r"(to)
                     : "memory");
}
#else
static void read_registers(uint8_t to[256])
{
    memset(to, 0, 256);
}
#endif

void test_registers(const struct ctaes_core *core)
{
    uint8_t k[64], nonce[16], in[200], out[200], tag[16], left[256];
    fill_bytes(k, sizeof k, 8);
    fill_bytes(nonce, sizeof nonce, 9);
    fill_bytes(in, sizeof in, 10);
    struct ctaes_message message;
    enum ctaes_result result;
    struct ctaes_key *key = make_key(core, CTAES_GCM, k, 32);
#define EXPECT_CLEAR(call)                                                                         \
    do {                                                                                           \
        result = call;                                                                             \
        read_registers(left);                                                                      \
        expect(result == CTAES_SUCCESS, "%s: %s", #call, ctaes_result_text(result));               \
        expect(all_zero(left, sizeof left), "%s leaves something in vector registers", #call);     \
    } while (0)
    EXPECT_CLEAR(ctaes_key_init(key, ctaes_key_size(core, CTAES_GCM), core, CTAES_GCM, k, 32));
    EXPECT_CLEAR(ctaes_seal(key, out, tag, 16, nonce, 12, NULL, 0, in, 200));
    EXPECT_CLEAR(ctaes_open(key, out, tag, 16, nonce, 12, NULL, 0, out, 200));
    EXPECT_CLEAR(ctaes_gcm_start(&message, key, nonce, 12));
    EXPECT_CLEAR(ctaes_gcm_encrypt(&message, out, in, 77));
    EXPECT_CLEAR(ctaes_gcm_finish(&message, tag, 16));
    free_key(key, core, CTAES_GCM);
}

/* --- Refusals --- */

/* Outputs that no refused call may touch. */
static uint8_t out[128], tag[16], iv[16], in[128], nonce[16];
static size_t out_len;
static struct ctaes_message message;

static void reset(void)
{
    memset(out, 0x11, sizeof out);
    memset(tag, 0x22, sizeof tag);
    memset(iv, 0x33, sizeof iv);
    out_len = 44;
}

static bool untouched(void)
{
    static const uint8_t first[] = {0x11, 0x22, 0x33};
    const uint8_t *const arrays[] = {out, tag, iv};
    const size_t sizes[] = {sizeof out, sizeof tag, sizeof iv};
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < sizes[i]; j++)
            if (arrays[i][j] != first[i])
                return false;
    return out_len == 44;
}

#define REFUSED(want, call)                                                                        \
    do {                                                                                           \
        reset();                                                                                   \
        const enum ctaes_result got = call;                                                        \
        expect(got == (want), "%s: %s", #call, ctaes_result_text(got));                            \
        expect(untouched(), "%s has written something", #call);                                    \
    } while (0)

static void refuse_keys(const struct ctaes_core *core)
{
    _Alignas(64) static uint8_t memory[CTAES_KEY_MAX + 64];
    struct ctaes_key *key = (struct ctaes_key *)memory;
    const size_t size = sizeof memory - 64;
    uint8_t k[64];
    fill_bytes(k, sizeof k, 11);
    memcpy(k + 32, k, 32);
    REFUSED(CTAES_INVALID_ARGUMENT, ctaes_key_init(NULL, size, core, CTAES_GCM, k, 32));
    REFUSED(CTAES_INVALID_ARGUMENT, ctaes_key_init(key, size, NULL, CTAES_GCM, k, 32));
    REFUSED(CTAES_INVALID_ARGUMENT, ctaes_key_init(key, size, core, CTAES_GCM, NULL, 32));
    REFUSED(CTAES_INVALID_ARGUMENT,
            ctaes_key_init(key, size, core, (enum ctaes_algorithm)0, k, 16));
    REFUSED(CTAES_INVALID_ARGUMENT,
            ctaes_key_init(key, size, core, (enum ctaes_algorithm)99, k, 16));
    REFUSED(CTAES_INVALID_ARGUMENT, ctaes_key_init((struct ctaes_key *)(uintptr_t)(memory + 8),
                                                   size, core, CTAES_GCM, k, 32));
    for (const struct algorithm *a = algorithms; a->name != NULL; a++) {
        for (size_t k_len = 0; k_len <= 64; k_len++) {
            bool known = false;
            for (size_t i = 0; a->key_lens[i] != 0; i++)
                known = known || a->key_lens[i] == k_len;
            if (!known)
                REFUSED(CTAES_INVALID_LENGTH, ctaes_key_init(key, size, core, a->id, k, k_len));
        }
        REFUSED(CTAES_INVALID_LENGTH, ctaes_key_init(key, ctaes_key_size(core, a->id) - 1, core,
                                                     a->id, k, a->key_lens[0]));
        REFUSED(CTAES_OVERLAP, ctaes_key_init(key, size, core, a->id, memory + 16, a->key_lens[0]));
    }
    REFUSED(CTAES_INVALID_KEY, ctaes_key_init(key, size, core, CTAES_XTS, k, 64));
    expect(all_zero(memory, sizeof memory), "a refused key was written");
    expect(ctaes_key_size(NULL, CTAES_GCM) == 0 &&
               ctaes_key_size(core, (enum ctaes_algorithm)0) == 0,
           "the size of a key of nothing");
}

/* The lengths of each AEAD that are refused: of nonces and tags. */
static void refuse_lengths(const struct ctaes_core *core, const struct algorithm *a)
{
    static const struct {
        enum ctaes_algorithm id;
        size_t nonces[2], tags[4];
    } bad[] = {
        {CTAES_GCM, {0, 129}, {0, 11, 17, 4}}, {CTAES_CCM, {6, 14}, {2, 5, 17, 18}},
        {CTAES_OCB, {0, 16}, {0, 7, 17, 1}},   {CTAES_GCM_SIV, {11, 13}, {15, 17, 12, 0}},
        {CTAES_SIV, {0, 0}, {15, 17, 12, 0}},
    };
    static uint8_t long_nonce[129];
    uint8_t k[64];
    fill_bytes(k, sizeof k, 12);
    struct ctaes_key *key = make_key(core, a->id, k, a->key_lens[0]);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (bad[i].id != a->id)
            continue;
        for (size_t j = 0; j < 2 && a->id != CTAES_SIV; j++) {
            const size_t n = bad[i].nonces[j];
            REFUSED(CTAES_INVALID_LENGTH,
                    ctaes_seal(key, out, tag, 16, long_nonce, n, NULL, 0, in, 20));
            REFUSED(CTAES_INVALID_LENGTH,
                    ctaes_open(key, out, tag, 16, long_nonce, n, NULL, 0, in, 20));
        }
        for (size_t j = 0; j < 4; j++) {
            const size_t n = bad[i].tags[j];
            REFUSED(CTAES_INVALID_LENGTH,
                    ctaes_seal(key, out, tag, n, nonce, a->nonce_len, NULL, 0, in, 20));
            REFUSED(CTAES_INVALID_LENGTH,
                    ctaes_open(key, out, tag, n, nonce, a->nonce_len, NULL, 0, in, 20));
        }
    }
    if (a->id == CTAES_CCM) /* the length goes into two bytes */
        REFUSED(CTAES_INVALID_LENGTH,
                ctaes_seal(key, out, tag, 16, nonce, 13, NULL, 0, in, (size_t)1 << 16));
    free_key(key, core, a->id);
}

static void refuse_aeads(const struct ctaes_core *core, const struct algorithm *a)
{
    const size_t n = a->nonce_len;
    uint8_t k[64];
    fill_bytes(k, sizeof k, 13);
    struct ctaes_key *key = make_key(core, a->id, k, a->key_lens[0]);
    struct ctaes_key *other = make_key(core, CTAES_CBC, k, 16);
    REFUSED(CTAES_INVALID_ARGUMENT, ctaes_seal(NULL, out, tag, 16, nonce, n, NULL, 0, in, 20));
    REFUSED(CTAES_INVALID_KEY, ctaes_seal(other, out, tag, 16, nonce, n, NULL, 0, in, 20));
    REFUSED(CTAES_INVALID_KEY, ctaes_open(other, out, tag, 16, nonce, n, NULL, 0, in, 20));
    REFUSED(CTAES_INVALID_ARGUMENT, ctaes_seal(key, NULL, tag, 16, nonce, n, NULL, 0, in, 20));
    REFUSED(CTAES_INVALID_ARGUMENT, ctaes_seal(key, out, NULL, 16, nonce, n, NULL, 0, in, 20));
    REFUSED(CTAES_INVALID_ARGUMENT, ctaes_seal(key, out, tag, 16, NULL, n, NULL, 0, in, 20));
    REFUSED(CTAES_INVALID_ARGUMENT, ctaes_seal(key, out, tag, 16, nonce, n, NULL, 1, in, 20));
    REFUSED(CTAES_INVALID_ARGUMENT, ctaes_seal(key, out, tag, 16, nonce, n, NULL, 0, NULL, 20));
    REFUSED(CTAES_INVALID_ARGUMENT, ctaes_open(key, out, NULL, 16, nonce, n, NULL, 0, in, 20));
    REFUSED(CTAES_INVALID_ARGUMENT, ctaes_open(key, NULL, tag, 16, nonce, n, NULL, 0, in, 20));

    /* Overlaps: by one byte, from both sides. */
    REFUSED(CTAES_OVERLAP, ctaes_seal(key, out + 1, tag, 16, nonce, n, NULL, 0, out, 20));
    REFUSED(CTAES_OVERLAP, ctaes_seal(key, out, tag, 16, nonce, n, NULL, 0, out + 19, 20));
    REFUSED(CTAES_OVERLAP, ctaes_seal(key, out, out + 19, 16, nonce, n, NULL, 0, in, 20));
    REFUSED(CTAES_OVERLAP, ctaes_seal(key, out, out + 35, 16, nonce, n, NULL, 0, out + 50, 20));
    REFUSED(CTAES_OVERLAP, ctaes_seal(key, out, tag, 16, out + 19, n, NULL, 0, in, 20));
    REFUSED(CTAES_OVERLAP, ctaes_seal(key, out, tag, 16, nonce, n, out + 19, 3, in, 20));
    REFUSED(CTAES_OVERLAP, ctaes_seal(key, out, tag, 16, tag, n, NULL, 0, in, 20));
    REFUSED(CTAES_OVERLAP, ctaes_open(key, out, out + 19, 16, nonce, n, NULL, 0, in, 20));
    uint8_t *const first = (uint8_t *)key, *const last = first + ctaes_key_size(core, a->id) - 1;
    REFUSED(CTAES_OVERLAP, ctaes_seal(key, first - 19, tag, 16, nonce, n, NULL, 0, in, 20));
    REFUSED(CTAES_OVERLAP, ctaes_seal(key, last, tag, 16, nonce, n, NULL, 0, in, 20));
    REFUSED(CTAES_OVERLAP, ctaes_seal(key, out, last, 16, nonce, n, NULL, 0, in, 20));
    REFUSED(CTAES_OVERLAP, ctaes_open(key, last, tag, 16, nonce, n, NULL, 0, in, 20));
    /* Next to each other is no overlap. */
    expect(ctaes_seal(key, out, out + 20, 16, nonce, n, NULL, 0, out + 36, 20) == CTAES_SUCCESS,
           "%s: neighbours are refused", a->name);
    free_key(key, core, a->id);
    free_key(other, core, CTAES_CBC);
}

static void refuse_plain(const struct ctaes_core *core)
{
    uint8_t k[64];
    fill_bytes(k, sizeof k, 14);
    struct ctaes_key *ecb = make_key(core, CTAES_ECB, k, 16);
    struct ctaes_key *cbc = make_key(core, CTAES_CBC, k, 16);
    struct ctaes_key *xts = make_key(core, CTAES_XTS, k, 32);
    struct ctaes_key *kw = make_key(core, CTAES_KW, k, 16);
    struct ctaes_key *kwp = make_key(core, CTAES_KWP, k, 16);
    REFUSED(CTAES_INVALID_ARGUMENT, ctaes_ecb_encrypt(NULL, out, in, 16));
    REFUSED(CTAES_INVALID_ARGUMENT, ctaes_ecb_encrypt(ecb, NULL, in, 16));
    REFUSED(CTAES_INVALID_ARGUMENT, ctaes_ecb_decrypt(ecb, out, NULL, 16));
    REFUSED(CTAES_INVALID_LENGTH, ctaes_ecb_encrypt(ecb, out, in, 17));
    REFUSED(CTAES_INVALID_KEY, ctaes_ecb_encrypt(cbc, out, in, 16));
    REFUSED(CTAES_OVERLAP, ctaes_ecb_decrypt(ecb, out + 8, out, 16));
    REFUSED(CTAES_INVALID_ARGUMENT, ctaes_cbc_encrypt(cbc, NULL, out, in, 16));
    REFUSED(CTAES_INVALID_LENGTH, ctaes_cbc_decrypt(cbc, iv, out, in, 15));
    REFUSED(CTAES_INVALID_KEY, ctaes_cbc_decrypt(ecb, iv, out, in, 16));
    REFUSED(CTAES_OVERLAP, ctaes_cbc_encrypt(cbc, out + 4, out, in, 16));
    REFUSED(CTAES_INVALID_LENGTH, ctaes_xts_encrypt(xts, nonce, out, in, 15));
    REFUSED(CTAES_INVALID_LENGTH, ctaes_xts_decrypt(xts, nonce, out, in, ((size_t)1 << 24) + 1));
    REFUSED(CTAES_INVALID_ARGUMENT, ctaes_xts_encrypt(xts, NULL, out, in, 16));
    REFUSED(CTAES_OVERLAP, ctaes_xts_encrypt(xts, out + 2, out, in, 32));
    REFUSED(CTAES_INVALID_KEY, ctaes_xts_encrypt(cbc, nonce, out, in, 16));

    REFUSED(CTAES_INVALID_LENGTH, ctaes_wrap_key(kw, out, 128, &out_len, in, 8));
    REFUSED(CTAES_INVALID_LENGTH, ctaes_wrap_key(kw, out, 128, &out_len, in, 17));
    REFUSED(CTAES_INVALID_LENGTH, ctaes_wrap_key(kw, out, 23, &out_len, in, 16));
    REFUSED(CTAES_INVALID_LENGTH, ctaes_wrap_key(kwp, out, 128, &out_len, in, 0));
    REFUSED(CTAES_INVALID_LENGTH, ctaes_wrap_key(kwp, out, 23, &out_len, in, 9));
    REFUSED(CTAES_INVALID_LENGTH, ctaes_unwrap_key(kw, out, 128, &out_len, in, 16));
    REFUSED(CTAES_INVALID_LENGTH, ctaes_unwrap_key(kw, out, 15, &out_len, in, 24));
    REFUSED(CTAES_INVALID_LENGTH, ctaes_unwrap_key(kwp, out, 128, &out_len, in, 8));
    REFUSED(CTAES_INVALID_LENGTH, ctaes_unwrap_key(kwp, out, 128, &out_len, in, 25));
    REFUSED(CTAES_INVALID_ARGUMENT, ctaes_wrap_key(kw, NULL, 128, &out_len, in, 16));
    REFUSED(CTAES_INVALID_ARGUMENT, ctaes_wrap_key(kw, out, 128, NULL, in, 16));
    REFUSED(CTAES_INVALID_KEY, ctaes_unwrap_key(cbc, out, 128, &out_len, in, 24));
    REFUSED(CTAES_OVERLAP, ctaes_wrap_key(kw, out, 24, &out_len, out + 20, 16));
    uint8_t *const in_ecb = (uint8_t *)ecb + 64, *const in_cbc = (uint8_t *)cbc + 64;
    REFUSED(CTAES_OVERLAP, ctaes_ecb_encrypt(ecb, in_ecb, in, 16));
    REFUSED(CTAES_OVERLAP, ctaes_cbc_decrypt(cbc, iv, in_cbc, in, 16));
    REFUSED(CTAES_OVERLAP, ctaes_cbc_encrypt(cbc, in_cbc, out, in, 16));
    REFUSED(CTAES_OVERLAP, ctaes_xts_decrypt(xts, nonce, (uint8_t *)xts + 64, in, 16));
    REFUSED(CTAES_OVERLAP, ctaes_wrap_key(kw, (uint8_t *)kw + 64, 24, &out_len, in, 16));
    REFUSED(CTAES_OVERLAP,
            ctaes_unwrap_key(kwp, out, 128, (size_t *)(uintptr_t)((uint8_t *)kwp + 64), in, 24));
    REFUSED(CTAES_OVERLAP, ctaes_unwrap_key(kw, (uint8_t *)&out_len, 16, &out_len, in, 24));
    free_key(ecb, core, CTAES_ECB);
    free_key(cbc, core, CTAES_CBC);
    free_key(xts, core, CTAES_XTS);
    free_key(kw, core, CTAES_KW);
    free_key(kwp, core, CTAES_KWP);
}

static void refuse_messages(const struct ctaes_core *core)
{
    uint8_t k[64];
    fill_bytes(k, sizeof k, 15);
    struct ctaes_key *gcm = make_key(core, CTAES_GCM, k, 16);
    struct ctaes_key *cmac = make_key(core, CTAES_CMAC, k, 16);
    struct ctaes_key *ctr = make_key(core, CTAES_CTR, k, 16);
    memset(&message, 0, sizeof message);
    REFUSED(CTAES_WRONG_ORDER, ctaes_gcm_aad(&message, in, 1));
    REFUSED(CTAES_WRONG_ORDER, ctaes_gcm_encrypt(&message, out, in, 1));
    REFUSED(CTAES_WRONG_ORDER, ctaes_ctr_crypt(&message, out, in, 1));
    REFUSED(CTAES_WRONG_ORDER, ctaes_mac_finish(&message, tag, 16));
    REFUSED(CTAES_INVALID_ARGUMENT, ctaes_gcm_start(NULL, gcm, nonce, 12));
    REFUSED(CTAES_INVALID_ARGUMENT, ctaes_gcm_start(&message, NULL, nonce, 12));
    REFUSED(CTAES_INVALID_ARGUMENT, ctaes_gcm_start(&message, gcm, NULL, 12));
    REFUSED(CTAES_INVALID_LENGTH, ctaes_gcm_start(&message, gcm, nonce, 0));
    REFUSED(CTAES_INVALID_KEY, ctaes_gcm_start(&message, ctr, nonce, 12));
    REFUSED(CTAES_INVALID_KEY, ctaes_mac_start(&message, gcm));
    REFUSED(CTAES_INVALID_KEY, ctaes_ctr_start(&message, cmac, nonce));
    REFUSED(CTAES_INVALID_ARGUMENT, ctaes_ctr_start(&message, ctr, NULL));
    expect(all_zero((const uint8_t *)&message, sizeof message), "a refused start has written");

    /* Both directions, and the wrong ends. */
    expect(ctaes_gcm_start(&message, gcm, nonce, 12) == CTAES_SUCCESS &&
               ctaes_gcm_aad(&message, in, 3) == CTAES_SUCCESS &&
               ctaes_gcm_encrypt(&message, out, in, 5) == CTAES_SUCCESS,
           "GCM");
    REFUSED(CTAES_WRONG_ORDER, ctaes_gcm_aad(&message, in, 1));
    REFUSED(CTAES_WRONG_ORDER, ctaes_gcm_decrypt_unverified(&message, out, in, 1));
    REFUSED(CTAES_WRONG_ORDER, ctaes_gcm_verify(&message, tag, 16));
    REFUSED(CTAES_WRONG_ORDER, ctaes_mac_update(&message, in, 1));
    REFUSED(CTAES_WRONG_ORDER, ctaes_mac_finish(&message, tag, 16));
    REFUSED(CTAES_INVALID_LENGTH, ctaes_gcm_finish(&message, tag, 11));
    REFUSED(CTAES_INVALID_LENGTH, ctaes_gcm_finish(&message, tag, 17));
    REFUSED(CTAES_INVALID_ARGUMENT, ctaes_gcm_finish(&message, NULL, 16));
    REFUSED(CTAES_OVERLAP, ctaes_gcm_encrypt(&message, out + 1, out, 16));
    uint8_t *const in_key = (uint8_t *)gcm + 64, *const in_message = (uint8_t *)&message + 200;
    REFUSED(CTAES_OVERLAP, ctaes_gcm_encrypt(&message, in_key, in, 16));
    REFUSED(CTAES_OVERLAP, ctaes_gcm_encrypt(&message, in_message, in, 16));
    REFUSED(CTAES_OVERLAP, ctaes_gcm_finish(&message, in_key, 16));
    REFUSED(CTAES_OVERLAP, ctaes_gcm_finish(&message, in_message, 16));
    expect(ctaes_gcm_finish(&message, tag, 16) == CTAES_SUCCESS, "finish after refusals");
    REFUSED(CTAES_WRONG_ORDER, ctaes_gcm_finish(&message, tag, 16));

    expect(ctaes_gcm_start(&message, gcm, nonce, 12) == CTAES_SUCCESS &&
               ctaes_gcm_decrypt_unverified(&message, out, in, 5) == CTAES_SUCCESS,
           "GCM");
    REFUSED(CTAES_WRONG_ORDER, ctaes_gcm_encrypt(&message, out, in, 1));
    REFUSED(CTAES_WRONG_ORDER, ctaes_gcm_finish(&message, tag, 16));
    REFUSED(CTAES_NOT_AUTHENTIC, ctaes_gcm_verify(&message, tag, 16));
    REFUSED(CTAES_WRONG_ORDER, ctaes_gcm_verify(&message, tag, 16));

    REFUSED(CTAES_OVERLAP, ctaes_gcm_start((void *)gcm, gcm, nonce, 12));
    REFUSED(CTAES_OVERLAP, ctaes_mac_start((void *)cmac, cmac));
    REFUSED(CTAES_OVERLAP, ctaes_ctr_start((void *)ctr, ctr, nonce));
    expect(ctaes_ctr_start(&message, ctr, nonce) == CTAES_SUCCESS, "CTR");
    REFUSED(CTAES_OVERLAP, ctaes_ctr_crypt(&message, in_message, in, 16));
    REFUSED(CTAES_OVERLAP, ctaes_ctr_crypt(&message, (uint8_t *)ctr + 64, in, 16));

    expect(ctaes_mac_start(&message, cmac) == CTAES_SUCCESS, "CMAC");
    REFUSED(CTAES_INVALID_LENGTH, ctaes_mac_finish(&message, tag, 7));
    REFUSED(CTAES_INVALID_ARGUMENT, ctaes_mac_update(&message, NULL, 1));
    REFUSED(CTAES_NOT_AUTHENTIC, ctaes_mac_verify(&message, tag, 8));
    free_key(gcm, core, CTAES_GCM);
    free_key(cmac, core, CTAES_CMAC);
    free_key(ctr, core, CTAES_CTR);
}

void test_refusals(const struct ctaes_core *core)
{
    fill_bytes(in, sizeof in, 16);
    fill_bytes(nonce, sizeof nonce, 17);
    refuse_keys(core);
    for (const struct algorithm *a = algorithms; a->name != NULL; a++)
        if (a->has_aad) {
            refuse_lengths(core, a);
            refuse_aeads(core, a);
        }
    refuse_plain(core);
    refuse_messages(core);
}

/* --- The choice of a core --- */

void test_choice(void)
{
    char why_not[200] = "x";
    const struct ctaes_core *best = ctaes_core_choose(NULL, why_not, sizeof why_not);
    expect(best != NULL && why_not[0] == '\0', "no core: %s", why_not);
    expect(ctaes_core_choose("auto", NULL, 0) == best, "auto is another core than NULL");
    expect(ctaes_core_choose(ctaes_core_name(best), NULL, 0) == best, "the best core by its name");
    expect(ctaes_core_choose("nosuch", why_not, sizeof why_not) == NULL &&
               strcmp(why_not, "there is no core nosuch") == 0,
           "a core that isn't there: %s", why_not);
    expect(ctaes_core_choose("nosuch", why_not, 6) == NULL && strcmp(why_not, "there") == 0,
           "a reason that doesn't fit: %s", why_not);
    expect(ctaes_core_choose("nosuch", NULL, 9) == NULL, "no reason wanted");
    expect(ctaes_core_name(NULL) == NULL, "the name of no core");

    /* `auto` is the first one that can be had by its name. */
    for (size_t i = 0; ctaes_core_list(i) != NULL; i++) {
        const struct ctaes_core *core = ctaes_core_choose(ctaes_core_list(i), NULL, 0);
        if (core == NULL)
            continue;
        expect(core == best, "%s is better than %s", ctaes_core_list(i), ctaes_core_name(best));
        break;
    }
    for (int r = 0; r < 8; r++)
        expect(strcmp(ctaes_result_text((enum ctaes_result)r), "unknown result") != 0 || r == 7,
               "result %d has no text", r);
}
