/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Constant time by comparing traces: for cores whose instructions valgrind can't
 * run, and any other one.
 *
 *     trace [--sample] <name>   one core of ctaes_cores[], and each mode over it;
 *                               --sample: modes with a third of the lengths
 *     trace leaky      the leaky core of controls.c, which must be caught
 *     trace forms      instructions of each form with a secret address: the same
 *
 * A probe is one operation. It runs once for each set of secrets (key, data, H,
 * hash, counter), each time in a process forked from the same one, so that all
 * buffers lie at the same addresses, and is single-stepped (step.h):
 *
 *      secrets 0    mov  add  vaesenc  vmovdqu     all instructions, and all
 *      secrets 1    mov  add  vaesenc  vmovdqu     addresses that they touch:
 *      secrets 2    mov  add  vaesenc  vmovdqu     the same, step for step
 *
 * One difference is a leak. None says less than memcheck can: that these secrets
 * took the same way, not that all do. Data bits are even between two random
 * secrets half of the time, so a lookup or branch that depends on any byte or
 * random bit shows; one for a rare value doesn't, but for the third set's, which
 * is all ones. So the counter wraps, and carries run.
 *
 * The results must differ from secret to secret: an operation that computes
 * nothing leaks nothing.
 */
#define _GNU_SOURCE
#include "../../cores/core.h"
#include "../../cores/cpu.h"
#include "../../cores/ct.h"
#include "../../provider/modes/mode.h"
#include "../messages/messages.h"
#include "controls.h"
#include "traces.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CIPHER(id, names, family, kind, mode, key_len) &ctaes_mode_##mode,
static const struct ctaes_mode *const modes[] = {
#include "../../provider/ciphers.def"
    NULL};
#undef CIPHER

enum {
    CONTROL_STEPS = 4000, /* of the leaky core, within which it leaks */
    SERIAL_BYTES = 80 /* CBC encryption does one block after the other: more of them show no more */
};

/* --- What operations work on ------------------------------------------------------------------ */

static struct work {
    const struct ctaes_core *core;
    const struct ctaes_mode *mode;
    const struct message_mode *row;
    struct ctaes_aes_key *key;
    struct ctaes_ghash_key *hk;
    uint8_t k[64], h[16], y[16], ctr[16], ej0[16], iv[16], aad[48], tag[16], sent[16];
    size_t k_len, iv_len, aad_len, tag_len;
    uint8_t *in, *out, *plain;
    size_t len; /* bytes of in */
    size_t room;
    bool encrypting, in_pieces;
    uint32_t verdict;
    const void *result;
    size_t result_len;
} w;

static void fill_work(int secret)
{
    fill_secret(w.k, sizeof w.k, 1, secret);
    if (secret == 2)
        w.k[32] = 0; /* XTS refuses a key of two equal halves */
    fill_secret(w.in, w.room, 2, secret);
    fill_secret(w.h, 16, 3, secret);
    fill_secret(w.y, 16, 4, secret);
    fill_secret(w.ctr, 16, 5, secret);
    fill_secret(w.ej0, 16, 6, secret);
    fill(w.iv, sizeof w.iv, 7);
    fill(w.aad, sizeof w.aad, 8);
    memset(w.out, 0, w.room);
}

static void open_work(const struct ctaes_core *core)
{
    w.core = core;
    w.key = message_key_memory(core->key_size);
    w.hk = message_key_memory(core->ghash_size);
    w.room = 16 * (2 * (size_t)core->batch + 8);
    w.in = message_key_memory(w.room);
    w.out = message_key_memory(w.room);
    w.plain = message_key_memory(w.room);
}

static void result_is(const void *p, size_t len)
{
    w.result = p;
    w.result_len = len;
}

/* --- Probes ----------------------------------------------------------------------------------- */

static void (*prepare_traced)(void), (*traced)(void);

static uint64_t run_traced_once(int secret)
{
    fill_work(secret);
    prepare_traced();
    run_traced(traces[secret], traced);
    return digest(w.result, w.result_len);
}

/* set_up() runs before, op() is traced. secret_work: whether the result depends on secrets. */
__attribute__((format(printf, 5, 6))) static void probe(enum finding expected, void (*set_up)(void),
                                                        void (*op)(void), bool secret_work,
                                                        const char *what, ...)
{
    char text[200];
    va_list args;
    va_start(args, what);
    vsnprintf(text, sizeof text, what, args);
    va_end(args);
    prepare_traced = set_up;
    traced = op;
    compare_runs(secret_work ? expected : SAME, run_traced_once, secret_work, text);
}

/* --- The functions of a core ------------------------------------------------------------------ */

static void set_up_nothing(void)
{
}

static void set_up_key(void)
{
    w.core->expand_key(w.key, w.k, w.k_len);
}

static void set_up_keys(void)
{
    set_up_key();
    if (w.core->prepare_decrypt != NULL)
        w.core->prepare_decrypt(w.key);
    w.core->ghash_init(w.hk, w.h);
}

static void op_expand_key(void)
{
    w.core->expand_key(w.key, w.k, w.k_len);
}

static void op_prepare_decrypt(void)
{
    w.core->prepare_decrypt(w.key);
}

static void op_encrypt(void)
{
    w.core->encrypt(w.key, w.out, w.in, w.len / 16);
}

static void op_decrypt(void)
{
    w.core->decrypt(w.key, w.out, w.in, w.len / 16);
}

static void op_cbc_encrypt(void)
{
    w.core->cbc_encrypt(w.key, w.iv, w.out, w.in, w.len / 16);
}

static void op_cbc_decrypt(void)
{
    w.core->cbc_decrypt(w.key, w.iv, w.out, w.in, w.len / 16);
}

static void op_ghash_init(void)
{
    w.core->ghash_init(w.hk, w.h);
}

static void op_ghash(void)
{
    w.core->ghash(w.hk, w.y, w.in, w.len / 16);
}

static void op_ctr32(void)
{
    w.core->ctr32(w.key, w.ctr, w.out, w.in, w.len);
}

static void op_gcm_encrypt(void)
{
    w.core->gcm_encrypt(w.key, w.hk, w.ctr, w.y, w.len % 2 ? w.ej0 : NULL, w.out, w.in, w.len);
}

static void op_gcm_decrypt(void)
{
    w.core->gcm_decrypt(w.key, w.hk, w.ctr, w.y, w.len % 2 ? w.ej0 : NULL, w.out, w.in, w.len);
}

/* few: enough to catch the leaky core, of which a step more is a step in vain. */
static void probe_functions(enum finding aes, enum finding ghash, bool few)
{
    const struct ctaes_core *core = w.core;
    const size_t n = core->batch;
    const size_t blocks[] = {0, 1, 2, n - 1, n, n + 1, 2 * n + 5};
    const size_t lens[] = {0, 1, 15, 16, 17, 16 * n - 16, 16 * n, 16 * n + 1, 32 * n + 79};
    const size_t block_count = few ? 2 : sizeof blocks / sizeof *blocks;
    const size_t len_count = few ? 2 : sizeof lens / sizeof *lens;
    static const size_t key_lens[] = {16, 24, 32};
    const struct {
        const char *name;
        void (*op)(void);
        bool there, bytes;
        enum finding expected;
    } functions[] = {
        {"encrypt", op_encrypt, true, false, aes},
        {"decrypt", op_decrypt, true, false, aes},
        {"ghash", op_ghash, true, false, ghash},
        {"cbc_encrypt", op_cbc_encrypt, core->cbc_encrypt != NULL, false, aes},
        {"cbc_decrypt", op_cbc_decrypt, core->cbc_decrypt != NULL, false, aes},
        {"ctr32", op_ctr32, core->ctr32 != NULL, true, aes},
        {"gcm_encrypt", op_gcm_encrypt, core->gcm_encrypt != NULL, true, aes},
        {"gcm_decrypt", op_gcm_decrypt, core->gcm_decrypt != NULL, true, aes},
    };

    for (size_t k = 0; k < 3; k++) {
        w.k_len = key_lens[k];
        result_is(w.key, core->key_size);
        probe(aes, set_up_nothing, op_expand_key, true, "%s: expand_key, %zu bytes", core->name,
              w.k_len);
        if (core->prepare_decrypt != NULL)
            probe(aes, set_up_key, op_prepare_decrypt, true,
                  "%s: prepare_decrypt, key of %zu bytes", core->name, w.k_len);
    }
    result_is(w.hk, core->ghash_size);
    probe(SAME, set_up_nothing, op_ghash_init, true, "%s: ghash_init",
          core->name); /* nor does the leaky core do anything with H there */
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
        const bool bytes = functions[f].bytes;
        const size_t *list = bytes ? lens : blocks;
        const size_t count = bytes ? len_count : block_count;
        for (size_t i = 0; functions[f].there && i < count; i++) {
            w.len = bytes ? list[i] : 16 * list[i];
            if (functions[f].op == op_cbc_encrypt && w.len > SERIAL_BYTES)
                w.len = SERIAL_BYTES;
            w.k_len = key_lens[(f + i) % 3];
            result_is(w.out, w.len);
            if (functions[f].op == op_ghash)
                result_is(w.y, 16);
            probe(functions[f].expected, set_up_keys, functions[f].op, w.len > 0,
                  "%s: %s, %zu bytes, key of %zu bytes", core->name, functions[f].name, w.len,
                  w.k_len);
        }
    }
}

/* --- The modes -------------------------------------------------------------------------------- */

/* The end of piece i of three: all, or cut where no block ends. */
static size_t piece_end(size_t len, int i, size_t unit)
{
    if (!w.in_pieces || i == 2 || len < 2 * unit)
        return len;
    return i == 0 ? unit : len - unit;
}

static void set_up_chain(void)
{
    set_up_key();
    if (w.mode->inverse_cipher && w.core->prepare_decrypt != NULL)
        w.core->prepare_decrypt(w.key);
}

static void op_chain(void)
{
    struct ctaes_chain chain;
    memset(&chain, 0, sizeof chain);
    memcpy(chain.iv, w.iv, 16);
    size_t at = 0;
    for (int i = 0; i < 3; i++) {
        const size_t end = piece_end(w.len, i, w.mode->kind == CTAES_BLOCK ? 16 : 5);
        (w.encrypting ? w.mode->encrypt : w.mode->decrypt)(w.core, w.key, &chain, w.out + at,
                                                           w.in + at, end - at);
        at = end;
    }
}

static void op_aead(void)
{
    struct ctaes_aead state;
    memset(&state, 0, sizeof state);
    w.mode->aead_set_key(w.core, w.key, w.hk);
    w.mode->aead_start(w.core, w.hk, &state, w.iv, w.iv_len);
    w.mode->aead_aad(w.core, w.hk, &state, w.aad, w.aad_len);
    size_t at = 0;
    for (int i = 0; i < 3; i++) {
        const size_t end = piece_end(w.len, i, 5);
        (w.encrypting ? w.mode->aead_encrypt : w.mode->aead_decrypt)(
            w.core, w.key, w.hk, &state, w.out + at, w.in + at, end - at);
        at = end;
    }
    w.mode->aead_finish(w.core, w.key, w.hk, &state, w.tag);
    w.verdict = ct_equal_bytes(w.tag, w.sent, 16);
}

static void run_row(bool encrypting, uint8_t *out, const uint8_t *in, size_t *len)
{
    const struct message_inputs m = {w.k,   w.k_len,   w.iv,   w.iv_len,
                                     w.aad, w.aad_len, w.sent, w.tag_len};
    *len = w.row->run(w.core, encrypting, &m, out, in, *len, w.tag);
}

/* Decryption takes what encryption makes: a mode may refuse anything else early. */
static void set_up_row(void)
{
    if (w.encrypting)
        return;
    memcpy(w.plain, w.in, w.room);
    run_row(true, w.in, w.plain, &w.len);
    memcpy(w.sent, w.tag, 16);
    memset(w.tag, 0, 16);
}

static void op_row(void)
{
    run_row(w.encrypting, w.out, w.in, &w.len);
}

/* The most bytes to try of a mode that does one block after the other, where more of them show no
   more and take long: a block for each 16 bytes, for each byte or bit, or six for each 8 bytes. */
static size_t longest(const struct ctaes_mode *mode, bool encrypting)
{
    const char *name = mode->name;
    if (strcmp(name, "CFB1") == 0 || strcmp(name, "CFB8") == 0)
        return 3;
    if (strncmp(name, "WRAP", 4) == 0)
        return 32;
    if (strcmp(name, "OFB") == 0 || (strncmp(name, "CFB", 3) == 0 && encrypting) ||
        (strcmp(name, "CBC") == 0 && encrypting))
        return SERIAL_BYTES;
    return SIZE_MAX;
}

static size_t no_more_than(size_t len, size_t most)
{
    return len < most ? len : most;
}

/* Which lengths of a mode to try. */
enum range { ALL_LENGTHS, FEW_LENGTHS, ONE_LENGTH }; /* few: not what trace_evp has */

static void probe_row(enum finding expected, enum range range, const char *slots)
{
    const struct message_mode *row = w.row;
    const size_t wide = 16 * (size_t)w.core->batch;
    /* Batches of more than 32 blocks are left to the core's own functions: a minute of steps. */
    /* 65: the cores' functions for short units of XTS, whose jumps are to be reached. */
    const size_t lens[] = {17, w.core->batch > 32 ? 1 : wide + 1, 65, 0, 16, 1, 2 * wide + 5};
    const size_t all = w.core->batch > 32 ? 5 : 7;
    const size_t few = row->mode == &ctaes_mode_xts ? 3 : 2;
    const size_t count = range == ALL_LENGTHS ? all : range == FEW_LENGTHS ? few : 1;
    size_t key_count = 0;
    while (key_count < 4 && row->key_lens[key_count] != 0)
        key_count++;
    for (size_t i = range == FEW_LENGTHS; i < count; i++)
        for (int decrypting = 0; decrypting < 2; decrypting++) {
            size_t len = no_more_than(lens[i], longest(row->mode, true));
            len = len < row->min_len ? row->min_len : len;
            len -= (len - row->min_len) % row->unit;
            if (row->max_len != 0 && len > row->max_len)
                continue;
            w.len = len;
            w.encrypting = !decrypting;
            w.k_len = row->key_lens[i % key_count];
            w.iv_len = row->iv_lens[row->iv_lens[1] != 0 ? i % 2 : 0];
            w.tag_len = row->tag_lens[row->tag_lens[1] != 0 ? i % 2 : 0];
            w.aad_len = row->has_aad ? i * 7 % sizeof w.aad : 0;
            if (row->tag_lens[0] != 0)
                result_is(w.tag, w.tag_len);
            else
                result_is(w.out, len);
            probe(expected, set_up_row, op_row, w.result_len > 0,
                  "%s%s %s %s: key of %zu, IV of %zu, AAD of %zu, data of %zu bytes", w.core->name,
                  slots, row->mode->name, decrypting ? "decrypt" : "encrypt", w.k_len, w.iv_len,
                  w.aad_len, len);
        }
}

static void probe_mode(const struct ctaes_mode *mode, enum finding expected, enum range range,
                       const char *slots)
{
    const size_t wide = 16 * (size_t)w.core->batch;
    const size_t lens[] = {17, wide + 1, 0, 1, 15, 16, wide - 1, wide, 2 * wide + 5};
    const size_t block_lens[] = {32, wide + 16, 0, 16, 2 * wide + 80};
    const size_t *list = mode->kind == CTAES_BLOCK ? block_lens : lens;
    /* Batches of more than 32 blocks: one length beyond them; the core's own functions have all. */
    const bool long_batch = w.core->batch > 32;
    const size_t all = mode->kind == CTAES_BLOCK ? (long_batch ? 4 : 5) : long_batch ? 6 : 9;
    const size_t count = range == ALL_LENGTHS ? all : range == FEW_LENGTHS ? 3 : 1;
    static const size_t key_lens[] = {16, 24, 32};
    w.mode = mode;
    if (mode->kind == CTAES_OWN) {
        w.row = message_mode_of(mode);
        if (w.row == NULL) {
            note_failure("%s: it has no row in test/messages", mode->name);
            return;
        }
        probe_row(expected, range, slots);
        return;
    }
    const bool aead = mode->kind == CTAES_AEAD;
    /* GCM has functions of its own for short messages, whose jumps are to be reached. */
    for (size_t i = range == FEW_LENGTHS && !aead; i < count; i++)
        for (int decrypting = 0; decrypting < 2; decrypting++) {
            w.len = list[i];
            w.encrypting = !decrypting;
            w.len = no_more_than(w.len, longest(mode, w.encrypting));
            w.k_len = key_lens[(i + (size_t)decrypting) % 3];
            w.in_pieces = (i + w.len) % 2;
            w.iv_len = i % 3 == 1 ? 16 : 12;
            w.aad_len = i % 2 ? 21 : 0;
            if (aead)
                result_is(w.tag, 16);
            else
                result_is(w.out, w.len);
            probe(expected, aead ? set_up_key : set_up_chain, aead ? op_aead : op_chain,
                  w.result_len > 0, "%s%s %s %s: key of %zu, data of %zu bytes%s", w.core->name,
                  slots, mode->name, decrypting ? "decrypt" : "encrypt", w.k_len, w.len,
                  w.in_pieces ? " in pieces" : "");
        }
}

static void probe_modes(enum finding expected, enum range range, const char *slots)
{
    for (size_t i = 0; modes[i] != NULL; i++)
        if (i == 0 || modes[i] != modes[i - 1]) /* not the next key size of the same */
            probe_mode(modes[i], expected, range, slots);
}

static void probe_core(const struct ctaes_core *core, bool sample)
{
    open_work(core);
    probe_functions(SAME, SAME, false);
    probe_modes(SAME, sample ? FEW_LENGTHS : ALL_LENGTHS, "");
    if (core->cbc_encrypt || core->cbc_decrypt || core->ctr32 || core->gcm_encrypt ||
        core->gcm_decrypt || core->gcm_short || core->ccm_encrypt || core->ccm_decrypt ||
        core->ocb_encrypt || core->ocb_decrypt || core->xts_encrypt || core->xts_decrypt) {
        struct ctaes_core plain = *core;
        plain.cbc_encrypt = plain.cbc_decrypt = NULL;
        plain.ctr32 = NULL;
        plain.gcm_encrypt = plain.gcm_decrypt = NULL;
        plain.gcm_short = NULL;
        plain.ccm_encrypt = plain.ccm_decrypt = NULL;
        plain.ocb_encrypt = plain.ocb_decrypt = NULL;
        plain.xts_encrypt = plain.xts_decrypt = NULL;
        w.core = &plain;
        probe_modes(SAME, ONE_LENGTH, " (no optional functions)");
    }
}

/* --- Control: one instruction, with a secret address, of each form ---------------------------- */

static uint8_t area[4096] __attribute__((used));

/* rsi: a secret from 0 to 63; rdi: memory. */
#define FORM(name, isa, instructions)                                                              \
    static __attribute__((noinline, target(isa))) void name(void)                                  \
    {                                                                                              \
        uint64_t secret = w.k[0] & 63U, one = 1;                                                   \
        uint8_t *p = area;                                                                         \
        __asm__ volatile(instructions                                                              \
                         : "+S"(secret), "+D"(p), "+c"(one)                                        \
                         :                                                                         \
                         : "rax", "rdx", "memory", "cc", "xmm0", "xmm1", "xmm2");                  \
        w.y[0] = w.k[0];                                                                           \
    }

FORM(form_base, "sse2", "add %%rsi, %%rdi\n\t mov (%%rdi), %%al")
FORM(form_displacement, "sse2", "add %%rsi, %%rdi\n\t mov -0x18(%%rdi), %%eax")
FORM(form_index, "sse2", "mov 0x40(%%rdi,%%rsi,8), %%rax")
FORM(form_base_index, "sse2", "movdqu (%%rdi,%%rsi), %%xmm0")
FORM(form_no_base, "sse2",
     "movslq %%esi, %%rax\n\t lea (%%rdi,%%rsi,4), %%rdx\n\t"
     "shr $2, %%rdx\n\t shl $2, %%rdx\n\t mov %%rdx, %%rax\n\t"
     "shr $3, %%rax\n\t mov 0x0(,%%rax,8), %%edx")
FORM(form_store, "sse2", "movb $1, (%%rdi,%%rsi,1)")
FORM(form_string, "sse2", "lea (%%rdi,%%rsi), %%rdi\n\t mov %%rdi, %%rsi\n\t rep movsb")
FORM(form_repeat, "sse2", "lea 1(%%rsi), %%rcx\n\t rep stosb")
FORM(form_stack, "sse2",
     "mov %%rsp, %%rdx\n\t neg %%rsi\n\t lea -512(%%rsp,%%rsi,8), %%rsp\n\t"
     "push %%rax\n\t mov %%rdx, %%rsp")
FORM(form_branch, "sse2", "test $1, %%sil\n\t jz 1f\n\t nop\n\t 1:")
FORM(form_jump, "sse2",
     "and $1, %%esi\n\t lea 1f(%%rip), %%rax\n\t add %%rsi, %%rax\n\t"
     "notrack jmp *%%rax\n\t 1: nop\n\t nop")
FORM(form_no_memory, "sse2",
     "lea 3(%%rdi,%%rsi,4), %%rax\n\t nopw 0x8(%%rdi,%%rsi,2)\n\t"
     "imul %%rsi, %%rax\n\t cmovc %%rsi, %%rdx")
FORM(form_gather, "avx2",
     "vpcmpeqd %%xmm1, %%xmm1, %%xmm1\n\t vpxor %%xmm0, %%xmm0, %%xmm0\n\t"
     "vpgatherdd %%xmm1, (%%rdi,%%xmm0,4), %%xmm2")
#define AVX512 "avx512f,avx512bw,avx512vl"
FORM(form_mask_load, AVX512, "kmovq %%rsi, %%k3\n\t vmovdqu8 (%%rdi), %%zmm0%{%%k3%}%{z%}")
FORM(form_mask_store, AVX512, "kmovq %%rsi, %%k1\n\t vmovdqu8 %%xmm0, (%%rdi)%{%%k1%}")
FORM(form_broadcast, AVX512, "vpaddd 0x40(%%rdi,%%rsi,4)%{1to16%}, %%zmm0, %%zmm0")

/* Even for secrets 0 and 1, and odd for 2, which is all ones. */
static void set_up_form(void)
{
    w.k[0] = w.k[0] == 0xff ? 63 : (uint8_t)(2 * (w.k[0] % 24));
}

static void probe_forms(void)
{
    static const struct {
        const char *name;
        void (*op)(void);
        enum finding expected;
        int isa; /* 2: AVX2, 512 */
    } forms[] = {
        {"base", form_base, ADDRESSES, 0},
        {"displacement", form_displacement, ADDRESSES, 0},
        {"index", form_index, ADDRESSES, 0},
        {"base and index", form_base_index, ADDRESSES, 0},
        {"no base", form_no_base, ADDRESSES, 0},
        {"store", form_store, ADDRESSES, 0},
        {"string", form_string, ADDRESSES, 0},
        {"repetitions", form_repeat, WAYS, 0},
        {"stack", form_stack, ADDRESSES, 0},
        {"branch", form_branch, WAYS, 0},
        {"jump", form_jump, WAYS, 0},
        {"no memory", form_no_memory, SAME, 0},
        {"gather", form_gather, REFUSED, 2},
        {"mask of a load", form_mask_load, ADDRESSES, 512},
        {"mask of a store", form_mask_store, ADDRESSES, 512},
        {"broadcast", form_broadcast, ADDRESSES, 512},
    };
    open_work(ctaes_cores[0]);
    result_is(w.y, 1);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if ((forms[i].isa == 2 && !__builtin_cpu_supports("avx2")) ||
            (forms[i].isa == 512 && !__builtin_cpu_supports("avx512bw")))
            continue; /* nor can a core have it here */
        probe(forms[i].expected, set_up_form, forms[i].op, true, "form %s", forms[i].name);
    }
}

int main(int argc, char **argv)
{
    const bool sample = argc == 3 && strcmp(argv[1], "--sample") == 0;
    const char *name = argc == 2 || sample ? argv[argc - 1] : "";
    setvbuf(stdout, NULL, _IOLBF, 0);
    read_disassembly(NULL, 0);
    open_traces();

    const struct ctaes_core *core = ctaes_core_by_name(name);
    if (strcmp(name, "forms") == 0) {
        probe_forms();
    } else if (strcmp(name, "leaky") == 0) {
        open_work(&ctaes_core_leaky);
        cut_traces(CONTROL_STEPS);
        probe_functions(ADDRESSES, WAYS, true);
        probe_modes(ANY_LEAK, ONE_LENGTH, "");
    } else if (core == NULL) {
        printf("there is no core %s\n", name);
    } else if (core->features & ~ctaes_cpu_features()) {
        printf("this CPU lacks features\n");
        return 3;
    } else {
        probe_core(core, sample);
    }
    if (getenv("CT_JUMPS") != NULL)
        write_jumps(getenv("CT_JUMPS"));
    return finish_traces();
}
