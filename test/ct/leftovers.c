/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Secrets at rest: what is left of them in a process when ctaes is done.
 *
 *     leftovers <folder of ctaes.so> <core>     run with CTAES_CORE=<core>
 *     leftovers <folder of ctaes.so> <core> planted     the control
 *
 * Each algorithm of the module runs through EVP, in a process of its own and on a
 * stack of its own; after it the process looks for the secrets in all memory that
 * it can write to, and in the registers as they were after each call:
 *
 *      maker    computes needles, and the ciphertext to decrypt, and exits
 *         |     (in shared memory, each word xored with a mask: a needle in
 *         v      clear would be found)
 *      runner   init, update, final, ... free; registers saved after each call;
 *               then looks through registers, stack, heap and everything else
 *
 * Needles are the words of the AES key (of both, where there are two), of all keys
 * expanded by the core (AES and GHASH, all powers of H), H, E(K, J0) and keystream
 * blocks, and plaintext. A context that lives holds its keys, and CTR's current
 * keystream; everywhere else, and when it is freed or has been given another key,
 * there must be none.
 */
#define _GNU_SOURCE
#include "../../cores/core.h"
#include "../../cores/cpu.h"
#include "../messages/messages.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum kind { KEY, HASH_KEY, TAG_MASK, KEYSTREAM, DATA, KINDS };
static const char *const kind_names[] = {"AES key", "H", "E(K, J0)", "keystream", "plaintext"};
enum place { REGISTERS, STACK, HEAP, PLACES };
static const char *const place_names[] = {"registers", "stack", "memory"};
enum event { FINAL, FAILED, REINIT, GIVEN_UP, COPIED, FREED, EVENTS };
static const char *const event_names[] = {
    "final", "failed final", "another key", "another key without a final", "copy freed", "free"};
static const char *const register_names[] = {"rax", "rcx", "rdx", "rsi", "r8",  "r9",  "r10",
                                             "r11", "rbx", "rbp", "r12", "r13", "r14", "r15"};

enum {
    MOST_NEEDLES = 1 << 14,
    CHUNK = 8, /* words of a long needle */
    MOST_DATA = 4096,
    STACK_BYTES = 1 << 18,
    MOST_CALLS = 12,
    VECTORS = 2048, /* bytes of zmm0 to zmm31 */
    REGISTER_BYTES = VECTORS + 14 * 8,
    COPY_BYTES = 16384 /* of the stack after each call */
};
static const uint64_t MASK = 0x5c9a3b17e4d2680fU;

struct needle {
    uint64_t masked[CHUNK];
    enum kind kind;
    size_t words; /* 1 or CHUNK */
};

/* What maker and runner share. */
static struct shared {
    size_t needle_count;
    struct needle needles[MOST_NEEDLES];
    uint8_t cipher[MOST_DATA], tag[16]; /* public */
    size_t cipher_len;
    unsigned found[KINDS][PLACES];
    char where[KINDS][PLACES][64];
    bool done;
} * shared;

static OSSL_LIB_CTX *library;
static const struct ctaes_core *core;
static unsigned passed, failed;
static unsigned long long all_needles;

/* What is run. */
static struct {
    EVP_CIPHER *cipher; /* NULL: a MAC */
    EVP_MAC *mac;
    char mac_cipher[16];
    size_t key_len, len;
    int encrypting, mode;
    enum event event;
    int plant; /* 0; 1 to 3: in the heap, on the stack, in a register */
} job;

__attribute__((noreturn)) static void give_up(const char *why)
{
    printf("can't go on: %s\n", why);
    ERR_print_errors_fp(stdout);
    fflush(stdout);
    _exit(2);
}

#define GCM_SIV_MODE 0x10005 /* EVP_CIPH_GCM_SIV_MODE of OpenSSL 3.2 */

static bool is_aead(void)
{
    return job.mac == NULL && (EVP_CIPHER_get_flags(job.cipher) & EVP_CIPH_FLAG_AEAD_CIPHER) != 0;
}

/* Whether the cipher takes all of a message in one update, which also says if it is good. */
static bool is_whole(void)
{
    return job.mac == NULL && (job.mode == EVP_CIPH_CCM_MODE || job.mode == EVP_CIPH_SIV_MODE ||
                               job.mode == GCM_SIV_MODE || job.mode == EVP_CIPH_WRAP_MODE ||
                               job.mode == EVP_CIPH_XTS_MODE ||
                               strstr(EVP_CIPHER_get0_name(job.cipher), "-CTS") != NULL);
}

/* Two keys in one: each is expanded by itself. */
static bool has_two_keys(void)
{
    return job.mode == EVP_CIPH_XTS_MODE || job.mode == EVP_CIPH_SIV_MODE;
}

/* Whether a message can end badly without a tag: with data that is no whole number of blocks. */
static bool is_padded(void)
{
    return job.mode == EVP_CIPH_ECB_MODE || (job.mode == EVP_CIPH_CBC_MODE && !is_whole());
}

/* Byte by byte, through general registers: no vector keeps it. */
static void fill(volatile uint8_t *p, size_t len, uint32_t seed)
{
    uint32_t x = seed * 2654435761U + 1;
    for (size_t i = 0; i < len; i++) {
        x = x * 1664525 + 1013904223;
        p[i] = (uint8_t)(x >> 24);
    }
}

static void clear(volatile uint8_t *p, size_t len)
{
    for (size_t i = 0; i < len; i++)
        p[i] = 0;
}

static void *map_pages(size_t size, int shared_or_private)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, shared_or_private | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        give_up("no memory");
    return p;
}

/* --- Needles ---------------------------------------------------------------------------------- */

/* Words of fewer than four different bytes, or six digits, may be anything: bits spread out. */
static bool is_telling(uint64_t word)
{
    unsigned digits = 0, bytes = 0;
    for (unsigned i = 0; i < 16; i++)
        digits |= 1U << (word >> 4 * i & 15);
    for (unsigned i = 0; i < 8; i++) {
        bool seen = false;
        for (unsigned j = 0; j < i; j++)
            seen = seen || (uint8_t)(word >> 8 * j) == (uint8_t)(word >> 8 * i);
        bytes += !seen;
    }
    return bytes >= 4 && __builtin_popcount(digits) >= 6;
}

static void add_needle(enum kind kind, const uint64_t *words, size_t count)
{
    if (shared->needle_count == MOST_NEEDLES)
        give_up("too many needles");
    struct needle *needle = &shared->needles[shared->needle_count++];
    memset(needle, 0, sizeof *needle);
    needle->kind = kind;
    needle->words = count;
    for (size_t i = 0; i < count; i++)
        needle->masked[i] = words[i] ^ MASK;
}

/* What at p another secret would have made otherwise: words, or, where no word tells anything by
   itself or words aren't wanted, 64 bytes at a time. */
static void add_needles(enum kind kind, const void *p, const void *other, size_t len,
                        bool single_words)
{
    uint64_t a[CHUNK], b[CHUNK];
    for (size_t i = 0; i < len; i += sizeof a) {
        const size_t words = (len - i < sizeof a ? len - i : sizeof a) / 8;
        bool added = false;
        memcpy(a, (const uint8_t *)p + i, 8 * words);
        memset(b, 0, sizeof b);
        if (other != NULL)
            memcpy(b, (const uint8_t *)other + i, 8 * words);
        for (size_t j = 0; j < words && single_words; j++)
            if (a[j] != b[j] && is_telling(a[j])) {
                add_needle(kind, &a[j], 1);
                added = true;
            }
        if (!added && words == CHUNK && memcmp(a, b, sizeof a) != 0)
            add_needle(kind, a, CHUNK);
    }
}

static void add_block(enum kind kind, const uint8_t block[16])
{
    uint8_t reversed[16];
    for (int i = 0; i < 16; i++)
        reversed[i] = block[15 - i];
    add_needles(kind, block, NULL, 16, true);
    add_needles(kind, reversed, NULL, 16, true);
}

static int compare_needles(const void *a, const void *b)
{
    uint64_t x, y;
    memcpy(&x, a, 8);
    memcpy(&y, b, 8);
    return x < y ? -1 : x > y;
}

static const uint8_t iv[16] = {0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe,
                               0x01, 0x23, 0x45, 0x67, 0x00, 0x00, 0x00, 0x10};

/* which: 0, or 1 for the second of two keys. */
static void make_schedules(struct ctaes_aes_key *key, struct ctaes_ghash_key *hk, uint8_t h[16],
                           uint32_t seed, size_t which)
{
    static uint8_t zeros[16 * 600];
    const size_t len = has_two_keys() ? job.key_len / 2 : job.key_len;
    uint8_t k[64], y[16] = {0};
    fill(k, sizeof k, seed);
    core->expand_key(key, k + which * len, len);
    memset(h, 0, 16);
    core->encrypt(key, h, h, 1);
    if (core->prepare_decrypt != NULL)
        core->prepare_decrypt(key);
    core->ghash_init(hk, h);
    core->ghash(hk, y, zeros, 2 * (size_t)core->batch + 5); /* all powers of H */
}

/* What must be known before the key: how long CCM's tag is, and that keys may be wrapped. */
static bool set_lengths(EVP_CIPHER_CTX *ctx, int encrypting)
{
    EVP_CIPHER_CTX_set_flags(ctx, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
    return EVP_CipherInit_ex2(ctx, job.cipher, NULL, NULL, encrypting, NULL) &&
           (job.mode != EVP_CIPH_CCM_MODE ||
            EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, NULL) > 0);
}

static void make_needles(void)
{
    struct ctaes_aes_key *key = message_key_memory(core->key_size);
    struct ctaes_aes_key *other_key = message_key_memory(core->key_size);
    struct ctaes_ghash_key *hk = message_key_memory(core->ghash_size);
    struct ctaes_ghash_key *other_hk = message_key_memory(core->ghash_size);
    uint8_t k[64], h[16], other_h[16], block[16], plain[MOST_DATA];
    fill(k, sizeof k, 1);
    fill(plain, sizeof plain, 2);
    shared->needle_count = 0;
    add_needles(KEY, k, NULL, job.key_len, true);
    for (size_t which = has_two_keys(); which < 2; which--) {
        make_schedules(key, hk, h, 1, which);
        make_schedules(other_key, other_hk, other_h, 77, which);
        add_needles(KEY, key, other_key, core->key_size, true);
    }
    if (job.mode == EVP_CIPH_GCM_MODE) {
        add_block(HASH_KEY, h);
        /* Powers of H; or tables, of which each depends on one byte of H, and is found in some
           other H's tables as well. */
        add_needles(HASH_KEY, hk, other_hk, core->ghash_size,
                    (core->features & CTAES_CPU_PCLMUL) != 0);
    }
    if ((job.mode == EVP_CIPH_GCM_MODE && job.mac == NULL) || job.mode == EVP_CIPH_CTR_MODE) {
        memcpy(block, iv, 16);
        if (job.mode == EVP_CIPH_GCM_MODE) {
            memcpy(block + 12, "\0\0\0\1", 4);
            core->encrypt(key, block, block, 1);
            add_block(TAG_MASK, block);
            memcpy(block, iv, 12);
            memcpy(block + 12, "\0\0\0\2", 4);
        }
        for (size_t i = 0; i < job.len; i += 16) {
            uint8_t stream[16];
            core->encrypt(key, stream, block, 1);
            add_block(KEYSTREAM, stream);
            for (int j = 15; j >= 0 && ++block[j] == 0; j--)
                ;
        }
    }
    /* What a MAC authenticates is sent beside it. */
    if (job.mac == NULL)
        add_needles(DATA, plain, NULL, job.len, true);
    qsort(shared->needles, shared->needle_count, sizeof shared->needles[0], compare_needles);

    if (job.mac != NULL)
        return;
    /* The message to decrypt. */
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    int n = 0, m = 0;
    if (ctx == NULL || !set_lengths(ctx, 1) || !EVP_EncryptInit_ex2(ctx, NULL, k, iv, NULL) ||
        !EVP_EncryptUpdate(ctx, shared->cipher, &n, plain, (int)job.len) ||
        !EVP_EncryptFinal_ex(ctx, shared->cipher + n, &m))
        give_up("encrypting");
    shared->cipher_len = (size_t)(n + m);
    if (is_aead() && EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, shared->tag) <= 0)
        give_up("tag");
}

/* --- Registers -------------------------------------------------------------------------------- */

static uint8_t *saved;        /* MOST_CALLS times REGISTER_BYTES */
static uint8_t *stack_copies; /* MOST_CALLS times COPY_BYTES */
static size_t calls;
static uint8_t *stack; /* that the job runs on */

/* save_registers_<n>(uint8_t *p): all vector registers, and the general ones from p + 2048 on. */
void save_registers_512(uint8_t *p);
void save_registers_256(uint8_t *p);
void save_registers_128(uint8_t *p);
#define GENERAL                                                                                    \
    "mov %rax,2048(%rdi)\n mov %rcx,2056(%rdi)\n mov %rdx,2064(%rdi)\n mov %rsi,2072(%rdi)\n"      \
    "mov %r8,2080(%rdi)\n mov %r9,2088(%rdi)\n mov %r10,2096(%rdi)\n mov %r11,2104(%rdi)\n"        \
    "mov %rbx,2112(%rdi)\n mov %rbp,2120(%rdi)\n mov %r12,2128(%rdi)\n mov %r13,2136(%rdi)\n"      \
    "mov %r14,2144(%rdi)\n mov %r15,2152(%rdi)\n ret\n"
#define EACH(n, move, reg)                                                                         \
    ".set i, 0\n .rept " #n "\n .altmacro\n save_one " #move "," #reg ",%i\n .noaltmacro\n"        \
    ".set i, i + 1\n .endr\n"
__asm__(".text\n .macro save_one move, reg, i\n \\move %\\reg\\i, 64*\\i(%rdi)\n .endm\n"
        "save_registers_512:\n" EACH(32, vmovdqu64, zmm) GENERAL
        "save_registers_256:\n" EACH(16, vmovdqu, ymm) GENERAL
        "save_registers_128:\n" EACH(16, movdqu, xmm) GENERAL);

static void save_registers(void)
{
    if (calls == MOST_CALLS)
        give_up("too many calls");
    uint8_t *p = saved + calls * REGISTER_BYTES;
    if (__builtin_cpu_supports("avx512f"))
        save_registers_512(p);
    else if (__builtin_cpu_supports("avx"))
        save_registers_256(p);
    else
        save_registers_128(p);
    /* And what lies below the stack's top, before the next call overwrites it. By an instruction
       that needs no stack itself. */
    void *to = stack_copies + calls++ * COPY_BYTES;
    const void *from = (const uint8_t *)__builtin_frame_address(0) - COPY_BYTES;
    size_t count = COPY_BYTES / 8 - 16; /* but for this function's own frame */
    __asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
}

/* One call into libcrypto, which must succeed, and the registers after it. */
#define CALL(call)                                                                                 \
    do {                                                                                           \
        const int result = (call);                                                                 \
        save_registers();                                                                          \
        if (result <= 0)                                                                           \
            give_up(#call);                                                                        \
    } while (0)

/* --- The runner ------------------------------------------------------------------------------- */

static uint8_t *planted;
static const char *const call_names[MOST_CALLS] = {
    "after call 1", "after call 2",  "after call 3",  "after call 4",
    "after call 5", "after call 6",  "after call 7",  "after call 8",
    "after call 9", "after call 10", "after call 11", "after call 12"};
static ucontext_t main_context, run_context;

/* On the stack that is looked through. Buffers are elsewhere, and cleared. */
static void run_job(void)
{
    uint8_t *buffers = map_pages(4 * MOST_DATA, MAP_PRIVATE);
    uint8_t *k = buffers, *in = buffers + MOST_DATA, *out = buffers + 2 * MOST_DATA;
    const bool aead = is_aead();
    const int direction = job.encrypting;
    int n = 0, len = (int)job.len;
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    if (ctx == NULL)
        give_up("context");
    fill(k, 64, 1);
    if (direction) {
        fill(in, job.len, 2);
    } else {
        len = (int)shared->cipher_len;
        for (int i = 0; i < len; i++)
            ((volatile uint8_t *)in)[i] = shared->cipher[i];
    }
    if (!set_lengths(ctx, direction))
        give_up("init");
    CALL(EVP_CipherInit_ex2(ctx, NULL, k, iv, direction, NULL));
    if (aead && !direction) {
        uint8_t tag[16];
        memcpy(tag, shared->tag, 16);
        tag[5] ^= job.event == FAILED;
        CALL(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, tag));
    }
    const bool fails_at_once = job.event == FAILED && is_whole();
    if (job.event == COPIED) {
        EVP_CIPHER_CTX *copy = EVP_CIPHER_CTX_new();
        const int first = is_whole() ? 0 : len / 2;
        if (first > 0)
            CALL(EVP_CipherUpdate(ctx, out, &n, in, first));
        CALL(copy != NULL && EVP_CIPHER_CTX_copy(copy, ctx));
        EVP_CIPHER_CTX_free(ctx);
        save_registers();
        ctx = copy;
        CALL(EVP_CipherUpdate(ctx, out + n, &n, in + first, len - first));
    } else if (job.event == GIVEN_UP && !is_whole()) {
        /* In pieces that end within a block. */
        CALL(EVP_CipherUpdate(ctx, out, &n, in, 16));
        if (len >= 21)
            CALL(EVP_CipherUpdate(ctx, out + n, &n, in + 16, 5));
    } else if (fails_at_once) {
        if (job.mode == EVP_CIPH_WRAP_MODE)
            ((volatile uint8_t *)in)[len / 2] ^= 1;
        if (EVP_CipherUpdate(ctx, out, &n, in, len) > 0 && n >= 0)
            give_up("update succeeded");
        save_registers();
        ERR_clear_error();
    } else {
        CALL(EVP_CipherUpdate(ctx, out, &n, in, len));
    }
    if (job.event == FAILED && !fails_at_once) {
        /* Without a good tag, or with data that is no whole number of blocks. */
        if (!aead && EVP_CipherUpdate(ctx, out, &n, in, 5) <= 0)
            give_up("5 bytes more");
        if (EVP_CipherFinal_ex(ctx, out, &n) > 0)
            give_up("final succeeded");
        save_registers();
        ERR_clear_error();
    } else if (!fails_at_once && job.event != GIVEN_UP) {
        CALL(EVP_CipherFinal_ex(ctx, out + n, &n));
    }
    if (job.event == REINIT || job.event == GIVEN_UP) {
        fill(k, 64, 99);
        CALL(EVP_CipherInit_ex2(ctx, NULL, k, iv, direction, NULL));
    }
    if (job.event == FREED || job.event == COPIED) {
        EVP_CIPHER_CTX_free(ctx);
        save_registers();
    }
    clear(buffers, 4 * MOST_DATA);
}

static const char *job_name(void)
{
    return job.mac != NULL ? EVP_MAC_get0_name(job.mac) : EVP_CIPHER_get0_name(job.cipher);
}

/* The same for a MAC. */
static void run_mac_job(void)
{
    uint8_t *buffers = map_pages(2 * MOST_DATA, MAP_PRIVATE);
    uint8_t *k = buffers, *in = buffers + MOST_DATA, tag[16];
    size_t len;
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_CIPHER, job.mac_cipher, 0),
        OSSL_PARAM_construct_end(), OSSL_PARAM_construct_end()};
    uint8_t nonce[12];
    if (job.mode == EVP_CIPH_GCM_MODE) {
        memcpy(nonce, iv, sizeof nonce);
        params[1] = OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_IV, nonce, sizeof nonce);
    }
    EVP_MAC_CTX *ctx = EVP_MAC_CTX_new(job.mac);
    if (ctx == NULL)
        give_up("MAC context");
    fill(k, 64, 1);
    fill(in, job.len, 2);
    CALL(EVP_MAC_init(ctx, k, job.key_len, params));
    CALL(EVP_MAC_update(ctx, in, job.len / 2));
    if (job.event == COPIED) {
        EVP_MAC_CTX *copy = EVP_MAC_CTX_dup(ctx);
        CALL(copy != NULL);
        EVP_MAC_CTX_free(ctx);
        save_registers();
        ctx = copy;
    }
    CALL(EVP_MAC_update(ctx, in + job.len / 2, job.len - job.len / 2));
    CALL(EVP_MAC_final(ctx, tag, &len, sizeof tag));
    if (job.event == REINIT) {
        fill(k, 64, 99);
        CALL(EVP_MAC_init(ctx, k, job.key_len, params));
    }
    if (job.event == FREED || job.event == COPIED) {
        EVP_MAC_CTX_free(ctx);
        save_registers();
    }
    clear(buffers, 2 * MOST_DATA);
}

/* The control: H or a round key, where it must be found. */
static void plant(void)
{
    size_t i = shared->needle_count / 2;
    while (shared->needles[i].words != 1)
        i++;
    const uint64_t word = shared->needles[i].masked[0] ^ MASK;
    if (job.plant == 1)
        memcpy(planted + 3, &word, 8);
    else if (job.plant == 2)
        memcpy(stack + STACK_BYTES / 2 + 5, &word, 8);
    else
        memcpy(saved + (calls - 1) * REGISTER_BYTES +
                   (__builtin_cpu_supports("avx512f") ? 64 * 29 + 40 : 64 * 9 + 8),
               &word, 8);
}

static bool matches(const struct needle *needle, const uint8_t *p, size_t len)
{
    for (size_t i = 1; i < needle->words; i++) {
        uint64_t word;
        if (8 * i + 8 > len)
            return false;
        memcpy(&word, p + 8 * i, 8);
        if ((word ^ MASK) != needle->masked[i])
            return false;
    }
    return true;
}

static void look_at(const uint8_t *p, size_t len, enum place place, const char *what)
{
    static uint8_t bloom[1 << 16];
    static bool ready;
    if (!ready) {
        for (size_t i = 0; i < shared->needle_count; i++)
            bloom[shared->needles[i].masked[0] & 0xffff] = 1;
        ready = true;
    }
    for (size_t i = 0; i + 8 <= len; i++) {
        uint64_t word;
        memcpy(&word, p + i, 8);
        word ^= MASK;
        if (!bloom[word & 0xffff])
            continue;
        size_t low = 0, high = shared->needle_count;
        while (low < high) {
            const size_t middle = (low + high) / 2;
            if (shared->needles[middle].masked[0] < word)
                low = middle + 1;
            else
                high = middle;
        }
        while (low < shared->needle_count && shared->needles[low].masked[0] == word &&
               !matches(&shared->needles[low], p + i, len - i))
            low++;
        if (low == shared->needle_count || shared->needles[low].masked[0] != word)
            continue;
        const enum kind kind = shared->needles[low].kind;
        char *text = shared->where[kind][place];
        if (shared->found[kind][place]++ == 0) {
            if (place == REGISTERS && i % REGISTER_BYTES < VECTORS)
                snprintf(text, 64, "after call %zu, vector register %zu", i / REGISTER_BYTES + 1,
                         i % REGISTER_BYTES / 64);
            else if (place == REGISTERS)
                snprintf(text, 64, "after call %zu, %s", i / REGISTER_BYTES + 1,
                         register_names[(i % REGISTER_BYTES - VECTORS) / 8]);
            else
                snprintf(text, 64, "%s, byte %zu from its %s", what, place == STACK ? len - i : i,
                         place == STACK ? "top" : "start");
        }
    }
}

static void look_everywhere(void)
{
    static char maps[1 << 16];
    look_at(saved, calls * REGISTER_BYTES, REGISTERS, "");
    for (size_t i = 0; i < calls; i++)
        look_at(stack_copies + i * COPY_BYTES, COPY_BYTES, STACK, call_names[i]);
    FILE *f = fopen("/proc/self/maps", "r");
    size_t n = f == NULL ? 0 : fread(maps, 1, sizeof maps - 1, f);
    if (n == 0 || n == sizeof maps - 1)
        give_up("/proc/self/maps");
    maps[n] = 0;
    for (char *line = strtok(maps, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        unsigned long long from, to;
        char access[8] = "";
        if (sscanf(line, "%llx-%llx %7s", &from, &to, access) != 3 || strncmp(access, "rw", 2) != 0)
            continue;
        /* Shared is just what this test writes down. */
        if (access[3] == 's')
            continue;
        const uint8_t *at = (const uint8_t *)(uintptr_t)from;
        const uint8_t *end = (const uint8_t *)(uintptr_t)to;
        const char *name = strchr(line, '[');
        if (name == NULL)
            name = strchr(line, '/') != NULL ? strrchr(line, '/') : "anonymous memory";
        /* The kernel may show neighbours as one mapping: the stack is a place of its own. */
        if (at <= stack && stack + STACK_BYTES <= end) {
            look_at(at, (size_t)(stack - at), HEAP, name);
            look_at(stack, STACK_BYTES, STACK, "at the end");
            at = stack + STACK_BYTES;
        }
        look_at(at, (size_t)(end - at), HEAP, name);
    }
}

static void runner(void)
{
    stack = map_pages(STACK_BYTES, MAP_PRIVATE);
    saved = map_pages(MOST_CALLS * REGISTER_BYTES, MAP_SHARED);
    stack_copies = map_pages(MOST_CALLS * COPY_BYTES, MAP_SHARED);
    planted = malloc(64);
    getcontext(&run_context);
    run_context.uc_stack.ss_sp = stack;
    run_context.uc_stack.ss_size = STACK_BYTES;
    run_context.uc_link = &main_context;
    makecontext(&run_context, job.mac != NULL ? run_mac_job : run_job, 0);
    swapcontext(&main_context, &run_context);
    if (job.plant != 0)
        plant();
    look_everywhere();
    shared->done = true;
    _exit(0);
}

static void in_process(void (*f)(void))
{
    int status;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        f();
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
        WEXITSTATUS(status) != 0)
        give_up("a process didn't come to its end");
}

/* --- What may be left ------------------------------------------------------------------------- */

static bool may_be(enum kind kind, enum place place)
{
    const bool lives = job.event == FINAL || job.event == FAILED;
    if (place != HEAP || !lives)
        return false;
    if (kind == KEYSTREAM) /* the rest of CTR's block; GCM's message is over */
        return job.mode == EVP_CIPH_CTR_MODE;
    return kind == KEY || kind == HASH_KEY;
}

static void look_for_leftovers(void)
{
    shared->done = false;
    memset(shared->found, 0, sizeof shared->found);
    in_process(make_needles);
    in_process(runner);
    all_needles += shared->needle_count;
    bool good = shared->done && shared->needle_count >= 4;
    char text[2000] = "";
    size_t at = 0;
    for (int kind = 0; kind < KINDS; kind++)
        for (int place = 0; place < PLACES; place++)
            if (shared->found[kind][place] > 0 && !may_be((enum kind)kind, (enum place)place)) {
                good = false;
                at += (size_t)snprintf(text + at, sizeof text - at, "%s%s in %s (%u words, %s)",
                                       at ? "; " : "", kind_names[kind], place_names[place],
                                       shared->found[kind][place], shared->where[kind][place]);
            }
    /* While it lives, the key is found, in the only place where it may be. */
    if ((job.event == FINAL || job.event == FAILED) && shared->found[KEY][HEAP] == 0) {
        good = false;
        snprintf(text, sizeof text, "the key of a context that lives isn't found");
    }
    if (job.plant != 0) {
        static const enum place places[] = {HEAP, HEAP, STACK, REGISTERS};
        unsigned n = 0;
        for (int kind = 0; kind < KINDS; kind++)
            n += shared->found[kind][places[job.plant]];
        good = n > 0;
    }
    if (good) {
        passed++;
        return;
    }
    failed++;
    printf("FAIL %s %s, %s, %zu bytes, after %s: %s\n", core->name, job_name(),
           job.encrypting ? "encrypt" : "decrypt", job.len,
           job.plant ? "planting" : event_names[job.event], *text ? text : "nothing found");
}

static void visit_cipher(EVP_CIPHER *found, void *planting)
{
    const size_t wide = 16 * (size_t)core->batch;
    const size_t lens[] = {16, 37, wide + 48, 2 * wide + 85};
    job.cipher = EVP_CIPHER_fetch(library, EVP_CIPHER_get0_name(found), "provider=ctaes");
    if (job.cipher == NULL)
        give_up("fetching");
    job.key_len = (size_t)EVP_CIPHER_get_key_length(job.cipher);
    job.mode = EVP_CIPHER_get_mode(job.cipher);
    for (int plant_at = 1; *(bool *)planting && plant_at <= 3; plant_at++) {
        job.plant = plant_at;
        job.len = job.mode == EVP_CIPH_WRAP_MODE ? 40 : 37;
        job.encrypting = 1;
        job.event = FREED;
        look_for_leftovers();
    }
    for (size_t i = 0; i < 4 && !*(bool *)planting; i++)
        for (int event = 0; event < EVENTS; event++)
            for (job.encrypting = 0; job.encrypting < 2; job.encrypting++) {
                const bool can_fail =
                    !job.encrypting && (is_aead() || is_padded() || job.mode == EVP_CIPH_WRAP_MODE);
                if (event == FAILED && !can_fail)
                    continue;
                job.len = lens[(i + job.key_len / 8) % 4];
                if (job.mode == EVP_CIPH_WRAP_MODE)
                    job.len = (job.len + 7) / 8 * 8;
                if (i % 2 && job.key_len != 32 && job.len > wide)
                    continue; /* one key length is enough for what takes longest */
                job.event = (enum event)event;
                look_for_leftovers();
            }
    EVP_CIPHER_free(job.cipher);
}

static void visit_mac(EVP_MAC *found, void *planting)
{
    const size_t wide = 16 * (size_t)core->batch;
    const size_t lens[] = {16, 37, wide + 48, 2 * wide + 85};
    if (*(bool *)planting)
        return;
    job.cipher = NULL;
    job.encrypting = 1;
    job.plant = 0;
    job.mac = EVP_MAC_fetch(library, EVP_MAC_get0_name(found), "provider=ctaes");
    if (job.mac == NULL)
        give_up("fetching a MAC");
    job.mode = EVP_MAC_is_a(job.mac, "GMAC") ? EVP_CIPH_GCM_MODE : EVP_CIPH_CBC_MODE;
    for (job.key_len = 16; job.key_len <= 32; job.key_len += 8)
        for (size_t i = 0; i < 4; i++)
            for (int event = 0; event < EVENTS; event++) {
                if (event == FAILED || event == GIVEN_UP)
                    continue;
                snprintf(job.mac_cipher, sizeof job.mac_cipher, "AES-%zu-%s", 8 * job.key_len,
                         job.mode == EVP_CIPH_GCM_MODE ? "GCM" : "CBC");
                job.len = lens[i];
                job.event = (enum event)event;
                look_for_leftovers();
            }
    EVP_MAC_free(job.mac);
    job.mac = NULL;
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc < 3)
        give_up("usage: leftovers folder core [planted]");
    core = ctaes_core_by_name(argv[2]);
    if (core == NULL)
        give_up("no such core");
    if (core->features & ~ctaes_cpu_features()) {
        printf("this CPU lacks features\n");
        return 3;
    }
    shared = map_pages(sizeof *shared, MAP_SHARED);
    library = OSSL_LIB_CTX_new();
    if (library == NULL || !OSSL_PROVIDER_set_default_search_path(library, argv[1]))
        give_up("a library context");
    OSSL_PROVIDER *provider = OSSL_PROVIDER_load(library, "ctaes");
    const char *loaded = NULL;
    OSSL_PARAM ask[] = {OSSL_PARAM_utf8_ptr("core", &loaded, 0), OSSL_PARAM_END};
    if (provider == NULL)
        give_up("loading the module");
    if (!OSSL_PROVIDER_get_params(provider, ask) || loaded == NULL || strcmp(loaded, argv[2]) != 0)
        give_up("another core than the one asked for has been loaded");
    bool planting = argc == 4 && strcmp(argv[3], "planted") == 0;
    EVP_CIPHER_do_all_provided(library, visit_cipher, &planting);
    EVP_MAC_do_all_provided(library, visit_mac, &planting);
    printf("harness: %u passed, %u failed, %llu needles\n", passed, failed, all_needles);
    return failed == 0 && passed > 0 ? 0 : 1;
}
