/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Constant time below EVP: a core and the modes over it, with secrets marked.
 *
 *     core [--sample | --small-sample] <name>...
 *                                 cores of ctaes_cores[], and each mode over them
 *     core --list                 the cores, each with its batch, and whether this
 *                                 CPU (or valgrind, if that runs it) has what it needs
 *
 * Every mode of ciphers.def runs in each direction with each key size, lengths
 * around the block and around the core's batch, in one piece and in three, and
 * both with key and data secret and with the key alone secret (then no secret
 * of the data's can hide that the keystream has lost its mark).
 *
 * Two more names are the detector's own test: `leaky` and `unmarking`, cores
 * that are wrong on purpose (controls.c).
 */
#include "../../cores/core.h"
#include "../../cores/cpu.h"
#include "../../cores/ct.h"
#include "../../provider/modes/cmac.h"
#include "../../provider/modes/mode.h"
#include "../../provider/modes/pmac.h"
#include "controls.h"
#include "ct_test.h"

#include "../messages/messages.h"

#define CIPHER(id, names, family, kind, mode, key_len) &ctaes_mode_##mode,
static const struct ctaes_mode *const modes[] = {
#include "../../provider/ciphers.def"
    NULL};
#undef CIPHER

static const size_t key_lens[] = {16, 24, 32};

/* What is secret in a probe of a mode. */
enum secrets { KEY_AND_DATA, KEY_ONLY };
static const char *const secrets_names[] = {"key and data", "key"};

/* --- Memory of one probe: buffers of exactly the size that the operation may touch. ----------- */

struct work {
    struct ctaes_aes_key *key;
    struct ctaes_ghash_key *hk;
    uint8_t k[32];
    uint8_t *plain, *cipher, *out;
    size_t len;
};

static void *allocate_key(size_t size)
{
    size_t rounded = (size + CTAES_ALIGN - 1) / CTAES_ALIGN * CTAES_ALIGN;
    void *p = aligned_alloc(CTAES_ALIGN, rounded);
    if (p == NULL) {
        printf("out of memory\n");
        exit(2);
    }
    memset(p, 0, rounded);
    return p;
}

static void open_work(struct work *w, const struct ctaes_core *core, size_t len)
{
    w->key = allocate_key(core->key_size);
    w->hk = allocate_key(core->ghash_size);
    w->plain = allocate(len);
    w->cipher = allocate(len);
    w->out = allocate(len);
    w->len = len;
    fill(w->k, sizeof w->k, 1);
    fill(w->plain, len, 2);
}

static void close_work(struct work *w)
{
    free(w->key);
    free(w->hk);
    free(w->plain);
    free(w->cipher);
    free(w->out);
}

/* Makes all of it public again, so that the harness may look at the results. */
static void reveal(struct work *w)
{
    mark_public(w->plain, w->len);
    mark_public(w->cipher, w->len);
    mark_public(w->out, w->len);
}

/* --- The functions of a core ------------------------------------------------------------------ */

static void probe_key_setup(const struct ctaes_core *core, size_t key_len)
{
    struct work w;
    open_work(&w, core, 0);
    begin_probe();
    mark_secret(w.k, key_len);
    core->expand_key(w.key, w.k, key_len);
    expect_some_secret(w.key, core->key_size, key_len);
    end_probe(true, "%s: expand_key, %zu bytes", core->name, key_len);

    if (core->prepare_decrypt != NULL) {
        begin_probe();
        core->prepare_decrypt(w.key);
        expect_some_secret(w.key, core->key_size, key_len);
        end_probe(ct_state.expect == EXPECT_PUBLIC, "%s: prepare_decrypt, %zu bytes", core->name,
                  key_len);
    }
    close_work(&w);
}

static void probe_blocks(const struct ctaes_core *core, size_t nblocks, enum secrets secrets)
{
    struct work w;
    size_t len = nblocks * 16;
    open_work(&w, core, len);
    mark_secret(w.k, 16);
    core->expand_key(w.key, w.k, 16);
    if (core->prepare_decrypt != NULL)
        core->prepare_decrypt(w.key);

    begin_probe();
    if (secrets == KEY_AND_DATA)
        mark_secret(w.plain, len);
    core->encrypt(w.key, w.cipher, w.plain, nblocks);
    expect_secret(w.cipher, len);
    end_probe(len > 0, "%s: encrypt, %zu blocks, secret: %s", core->name, nblocks,
              secrets_names[secrets]);

    begin_probe();
    if (secrets == KEY_ONLY)
        mark_public(w.cipher, len);
    memcpy(w.out, w.cipher, len);
    core->decrypt(w.key, w.out, w.out, nblocks);
    expect_secret(w.out, len);
    reveal(&w);
    expect_right(memcmp(w.out, w.plain, len) == 0);
    end_probe(len > 0, "%s: decrypt, %zu blocks, secret: %s", core->name, nblocks,
              secrets_names[secrets]);
    close_work(&w);
}

static void probe_ghash(const struct ctaes_core *core, size_t nblocks)
{
    struct work w;
    uint8_t h[16], y[16];
    open_work(&w, core, nblocks * 16);
    fill(h, 16, 3);
    fill(y, 16, 4);

    begin_probe();
    mark_secret(h, 16);
    core->ghash_init(w.hk, h);
    expect_some_secret(w.hk, core->ghash_size, 16);
    end_probe(ct_state.expect == EXPECT_PUBLIC, "%s: ghash_init", core->name);

    begin_probe();
    mark_secret(y, 16);
    mark_secret(w.plain, w.len);
    core->ghash(w.hk, y, w.plain, nblocks);
    expect_secret(y, 16);
    end_probe(nblocks > 0, "%s: ghash, %zu blocks", core->name, nblocks);
    close_work(&w);
}

/* --- The modes -------------------------------------------------------------------------------- */

/* Cuts len bytes in three, not at block boundaries unless the mode needs it. */
static void cut(size_t cuts[4], size_t len, bool in_pieces, bool whole_blocks)
{
    size_t unit = whole_blocks ? 16 : 5;
    cuts[0] = 0;
    cuts[1] = in_pieces && len > unit ? unit : len;
    cuts[2] = in_pieces && len > 2 * unit ? len - unit : len;
    cuts[3] = len;
}

static void probe_chain(const struct ctaes_core *core, const struct ctaes_mode *mode,
                        size_t key_len, size_t len, bool in_pieces, enum secrets secrets,
                        const char *slots)
{
    struct work w;
    size_t cuts[4];
    open_work(&w, core, len);
    cut(cuts, len, in_pieces, mode->kind == CTAES_BLOCK);
    mark_secret(w.k, key_len);
    core->expand_key(w.key, w.k, key_len);
    if (mode->inverse_cipher && core->prepare_decrypt != NULL)
        core->prepare_decrypt(w.key);

    for (int encrypting = 1; encrypting >= 0; encrypting--) {
        const uint8_t *in = encrypting ? w.plain : w.cipher;
        uint8_t *out = encrypting ? w.cipher : w.out;
        /* The counter is about to carry into its upper half. */
        struct ctaes_chain chain = {
            .iv = {9, 8, 7, 6, 5, 4, 3, 2, 255, 255, 255, 255, 255, 255, 255, 254}};
        begin_probe();
        if (encrypting && secrets == KEY_AND_DATA)
            mark_secret(w.plain, len);
        for (int i = 0; i < 3; i++)
            (encrypting ? mode->encrypt : mode->decrypt)(core, w.key, &chain, out + cuts[i],
                                                         in + cuts[i], cuts[i + 1] - cuts[i]);
        expect_secret(out, len);
        reveal(&w);
        if (!encrypting)
            expect_right(memcmp(w.out, w.plain, len) == 0);
        /* Secret data hides that the keystream lost its mark: the control needs it public. */
        bool hidden = ct_state.expect == EXPECT_PUBLIC && mode->kind == CTAES_STREAM &&
                      encrypting && secrets == KEY_AND_DATA;
        end_probe(len > 0 && !hidden,
                  "%s%s %s %s: key of %zu bytes, data of %zu bytes%s, secret: %s", core->name,
                  slots, mode->name, encrypting ? "encrypt" : "decrypt", key_len, len,
                  in_pieces ? " in pieces" : "", secrets_names[secrets]);
    }
    close_work(&w);
}

struct aead_case {
    size_t key_len, iv_len, aad_len, len;
    bool in_pieces;
    enum secrets secrets;
};

/* One message. Writes the tag, still secret. */
static void run_aead(const struct ctaes_core *core, const struct ctaes_mode *mode, struct work *w,
                     const struct aead_case *c, bool encrypting, uint8_t tag[16])
{
    struct ctaes_aead state;
    uint8_t iv[16], aad[80];
    size_t cuts[4];
    memset(&state, 0, sizeof state);
    fill(iv, sizeof iv, 5);
    fill(aad, sizeof aad, 6);
    mode->aead_start(core, w->hk, &state, iv, c->iv_len);
    cut(cuts, c->aad_len, c->in_pieces, false);
    for (int i = 0; i < 3; i++)
        expect_right(mode->aead_aad(core, w->hk, &state, aad + cuts[i], cuts[i + 1] - cuts[i]) ==
                     CTAES_OK);
    cut(cuts, c->len, c->in_pieces, false);
    for (int i = 0; i < 3; i++) {
        size_t at = cuts[i], n = cuts[i + 1] - cuts[i];
        if (encrypting)
            expect_right(mode->aead_encrypt(core, w->key, w->hk, &state, w->cipher + at,
                                            w->plain + at, n) == CTAES_OK);
        else
            expect_right(mode->aead_decrypt(core, w->key, w->hk, &state, w->out + at,
                                            w->cipher + at, n) == CTAES_OK);
    }
    mode->aead_finish(core, w->key, w->hk, &state, tag);
}

static void probe_aead(const struct ctaes_core *core, const struct ctaes_mode *mode,
                       const struct aead_case *c, const char *slots)
{
    struct work w;
    uint8_t sent[16], tag[16];
    open_work(&w, core, c->len);
    mark_secret(w.k, c->key_len);
    core->expand_key(w.key, w.k, c->key_len);

    begin_probe();
    mode->aead_set_key(core, w.key, w.hk);
    expect_some_secret(w.hk, core->ghash_size, 16);
    end_probe(true, "%s%s %s: hash key, key of %zu bytes", core->name, slots, mode->name,
              c->key_len);

    begin_probe();
    if (c->secrets == KEY_AND_DATA)
        mark_secret(w.plain, c->len);
    run_aead(core, mode, &w, c, true, sent);
    expect_secret(w.cipher, c->len);
    expect_secret(sent, 16);
    reveal(&w);
    mark_public(sent, 16);
    end_probe(true,
              "%s%s %s encrypt: key of %zu, IV of %zu, AAD of %zu, data of %zu bytes%s, secret: %s",
              core->name, slots, mode->name, c->key_len, c->iv_len, c->aad_len, c->len,
              c->in_pieces ? " in pieces" : "", secrets_names[c->secrets]);

    /* The ciphertext is what came over the wire, so public. So is the tag that came with it; the
       one that the receiver computes is secret. */
    for (int forged = 0; forged < 2; forged++) {
        begin_probe();
        if (forged)
            sent[c->len % 16] ^= 0x10;
        run_aead(core, mode, &w, c, false, tag);
        expect_secret(w.out, c->len);
        expect_secret(tag, 16);
        uint32_t verdict = ct_equal_bytes(tag, sent, 16);
        expect_secret(&verdict, sizeof verdict);
        mark_public(&verdict, sizeof verdict);
        reveal(&w);
        expect_right(memcmp(w.out, w.plain, c->len) == 0);
        expect_right(verdict == (forged ? 0U : ~0U));
        end_probe(true,
                  "%s%s %s decrypt, %s tag: key of %zu, IV of %zu, AAD of %zu, data of %zu bytes%s",
                  core->name, slots, mode->name, forged ? "bad" : "good", c->key_len, c->iv_len,
                  c->aad_len, c->len, c->in_pieces ? " in pieces" : "");
    }
    close_work(&w);
}

/* One message of a mode with an interface of its own, both ways. The n-th case: the lengths of IV,
   tag and AAD take turns. */
static void probe_own(const struct ctaes_core *core, const struct message_mode *row, size_t key_len,
                      size_t len, size_t n, enum secrets secrets, const char *slots)
{
    struct work w;
    uint8_t key[64], iv[16], aad[40], sent[16] = {0}, tag[16];
    const size_t iv_len = row->iv_lens[row->iv_lens[1] != 0 ? n % 2 : 0];
    const size_t tag_len = row->tag_lens[row->tag_lens[1] != 0 ? n % 2 : 0];
    const size_t aad_len = row->has_aad ? n * 7 % sizeof aad : 0;
    const struct message_inputs m = {key, key_len, iv, iv_len, aad, aad_len, sent, tag_len};
    open_work(&w, core, len + row->growth);
    fill(key, sizeof key, 1);
    fill(iv, sizeof iv, 5);
    fill(aad, sizeof aad, 6);

    begin_probe();
    mark_secret(key, key_len);
    if (secrets == KEY_AND_DATA)
        mark_secret(w.plain, len);
    size_t cipher_len = row->run(core, true, &m, w.cipher, w.plain, len, tag);
    expect_secret(w.cipher, cipher_len);
    expect_secret(tag, tag_len);
    mark_public(tag, tag_len);
    memcpy(sent, tag, tag_len);
    reveal(&w);
    end_probe(len > 0 || tag_len > 0,
              "%s%s %s encrypt: key of %zu, IV of %zu, AAD of %zu, data of %zu bytes, secret: %s",
              core->name, slots, row->mode->name, key_len, iv_len, aad_len, len,
              secrets_names[secrets]);

    begin_probe();
    size_t out_len = row->run(core, false, &m, w.out, w.cipher, cipher_len, tag);
    expect_right(out_len == len);
    expect_secret(w.out, len);
    expect_secret(tag, tag_len);
    reveal(&w);
    mark_public(tag, tag_len);
    expect_right(memcmp(w.out, w.plain, len) == 0 && memcmp(tag, sent, tag_len) == 0);
    end_probe(len > 0 || tag_len > 0,
              "%s%s %s decrypt: key of %zu, IV of %zu, AAD of %zu, data of %zu bytes", core->name,
              slots, row->mode->name, key_len, iv_len, aad_len, len);
    close_work(&w);
}

static void probe_own_mode(const struct ctaes_core *core, const struct ctaes_mode *mode,
                           const char *slots)
{
    const struct message_mode *row = message_mode_of(mode);
    const size_t wide = 16 * (size_t)core->batch;
    const size_t lens[] = {0, 1, 15, 16, 17, 24, wide - 1, wide, wide + 1, 2 * wide + 5};
    /* Key wrap knows no batch: it does one block after the other, six for each 8 bytes. */
    static const size_t wrap_lens[] = {0, 1, 15, 16, 17, 24, 65};
    const bool wraps = strncmp(mode->name, "WRAP", 4) == 0;
    const size_t *list = wraps ? wrap_lens : lens;
    const size_t n = (wraps ? sizeof wrap_lens : sizeof lens) / sizeof *list;
    begin_probe();
    expect_right(row != NULL);
    end_probe(false, "%s: the mode's row in test/messages", mode->name);
    size_t key_count = 0;
    while (row != NULL && key_count < 4 && row->key_lens[key_count] != 0)
        key_count++;
    for (size_t k = 0; k < key_count; k++)
        for (size_t i = 0; i < n; i++) {
            if (!is_pair(i, k, key_count))
                continue;
            size_t len = list[i] < row->min_len ? row->min_len : list[i];
            len -= (len - row->min_len) % row->unit;
            if (row->max_len != 0 && len > row->max_len)
                continue;
            for (int secrets = KEY_AND_DATA; secrets <= KEY_ONLY; secrets++)
                if (its_turn(i + k, (size_t)secrets, 2))
                    probe_own(core, row, row->key_lens[k], len, i + k, (enum secrets)secrets,
                              slots);
        }
}

static void probe_mode(const struct ctaes_core *core, const struct ctaes_mode *mode,
                       const char *slots)
{
    const size_t wide = 16 * (size_t)core->batch;
    const size_t lens[] = {0, 1, 15, 16, 17, wide - 1, wide, wide + 1, 2 * wide + 5};
    const size_t block_lens[] = {0, 16, 32, wide - 16, wide, wide + 16, 2 * wide + 80};
    const size_t segment_lens[] = {0, 1, 15, 17, 65, 130};
    if (mode->kind == CTAES_OWN) {
        probe_own_mode(core, mode, slots);
        return;
    }
    const bool blocks = mode->kind == CTAES_BLOCK;
    /* A byte of these costs as much as a block of others, or as eight, and 65 are more than they
       decrypt at once. */
    const bool segments = mode == &ctaes_mode_cfb8 || mode == &ctaes_mode_cfb1;
    const size_t *list = blocks ? block_lens : segments ? segment_lens : lens;
    const size_t n = blocks     ? sizeof block_lens / sizeof *list
                     : segments ? sizeof segment_lens / sizeof *list - ct_state.sample
                                : sizeof lens / sizeof *list;

    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < n; i++)
            for (int secrets = KEY_AND_DATA; secrets <= KEY_ONLY; secrets++)
                for (int pieces = 0; pieces < 2; pieces++) {
                    if (!is_pair(i, k, 3) ||
                        !its_turn(i + k, 2 * (size_t)secrets + (size_t)pieces, 4))
                        continue;
                    if (mode->kind != CTAES_AEAD) {
                        probe_chain(core, mode, key_lens[k], list[i], pieces, (enum secrets)secrets,
                                    slots);
                        continue;
                    }
                    /* The pieces also change IV and AAD, so that each has been with each length. */
                    struct aead_case c = {key_lens[k], pieces ? 16 : 12, pieces ? 21 : 0,
                                          list[i],     pieces,           (enum secrets)secrets};
                    probe_aead(core, mode, &c, slots);
                    if (k == (i + ct_state.core_number) % 3) {
                        c.iv_len = 28 - c.iv_len;
                        c.aad_len = pieces ? 0 : 32;
                        probe_aead(core, mode, &c, slots);
                    }
                }
}

/* CMAC and PMAC, whose interface is their own: key, message and tag are secret. */
static void probe_macs(const struct ctaes_core *core, size_t key_len, size_t len, size_t first)
{
    struct work w;
    struct ctaes_cmac cmac;
    struct ctaes_pmac pmac;
    uint8_t tag[16];
    open_work(&w, core, len);
    first = first < len ? first : len;

    begin_probe();
    mark_secret(w.k, key_len);
    mark_secret(w.plain, len);
    core->expand_key(w.key, w.k, key_len);
    ctaes_cmac_init(core, w.key, &cmac);
    ctaes_cmac_update(core, w.key, &cmac, w.plain, first);
    ctaes_cmac_update(core, w.key, &cmac, w.plain + first, len - first);
    ctaes_cmac_final(core, w.key, &cmac, tag);
    expect_secret(tag, 16);
    end_probe(true, "%s CMAC: key of %zu, data of %zu bytes", core->name, key_len, len);

    begin_probe();
    ctaes_pmac_init(core, w.key, &pmac);
    ctaes_pmac_update(core, w.key, &pmac, w.plain, first);
    ctaes_pmac_update(core, w.key, &pmac, w.plain + first, len - first);
    ctaes_pmac_final(core, w.key, &pmac, tag);
    expect_secret(tag, 16);
    end_probe(true, "%s PMAC: key of %zu, data of %zu bytes", core->name, key_len, len);
    close_work(&w);
}

/* Lengths in between: each number of blocks up to a batch or 16, with ends of several lengths. Each
   has a way of its own through the code (jumps.py looks whether all ways were taken). */
static void probe_all_lengths(const struct ctaes_core *core, const struct ctaes_mode *mode)
{
    static const size_t ends[] = {0, 1, 7, 8, 15, 12, 6, 3};
    const size_t most = core->batch <= 8 ? 3U * core->batch + 1 : 17;
    for (size_t blocks = 0; blocks <= most; blocks++)
        for (size_t e = 0; e < sizeof ends / sizeof *ends; e++) {
            const size_t len = 16 * blocks + ends[e], n = blocks + e;
            const enum secrets secrets = n % 2 ? KEY_ONLY : KEY_AND_DATA;
            if (mode->kind == CTAES_OWN) {
                const struct message_mode *row = message_mode_of(mode);
                if (row != NULL && len >= row->min_len && (len - row->min_len) % row->unit == 0 &&
                    (row->max_len == 0 || len <= row->max_len))
                    probe_own(core, row, row->key_lens[row->key_lens[1] != 0 ? n % 2 : 0], len, n,
                              secrets, "");
            } else if (mode->kind == CTAES_AEAD) {
                const struct aead_case c = {
                    key_lens[n % 3], n % 2 ? 12 : 1 + n % 16, n * 5 % 40, len, n % 3 == 0, secrets};
                probe_aead(core, mode, &c, "");
            } else if (mode->kind != CTAES_BLOCK || ends[e] == 0) {
                probe_chain(core, mode, key_lens[n % 3], len, n % 3 == 0, secrets, "");
            }
        }
}

static bool has_slots(const struct ctaes_core *core)
{
    return core->cbc_encrypt || core->cbc_decrypt || core->ctr32 || core->gcm_encrypt ||
           core->gcm_decrypt || core->gcm_short || core->ccm_encrypt || core->ccm_decrypt ||
           core->ocb_encrypt || core->ocb_decrypt || core->xts_encrypt || core->xts_decrypt;
}

static void probe_core(const struct ctaes_core *core)
{
    const size_t w = core->batch;
    const size_t blocks[] = {0, 1, w - 1, w, w + 1, 2 * w + 5};
    for (size_t k = 0; k < 3; k++)
        probe_key_setup(core, key_lens[k]);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        probe_blocks(core, blocks[i], KEY_AND_DATA);
        probe_blocks(core, blocks[i], KEY_ONLY);
        probe_ghash(core, blocks[i]);
    }

    struct ctaes_core plain = *core;
    plain.cbc_encrypt = plain.cbc_decrypt = NULL;
    plain.ctr32 = NULL;
    plain.gcm_encrypt = plain.gcm_decrypt = NULL;
    plain.gcm_short = NULL;
    plain.ccm_encrypt = plain.ccm_decrypt = NULL;
    plain.ocb_encrypt = plain.ocb_decrypt = NULL;
    plain.xts_encrypt = plain.xts_decrypt = NULL;
    const size_t lens[] = {0, 1, 15, 16, 17, 16 * w - 1, 16 * w, 16 * w + 1, 32 * w + 5};
    for (size_t i = 0; i < sizeof lens / sizeof *lens; i++)
        for (size_t k = 0; k < 3; k++)
            if (its_turn(i, k, 3))
                probe_macs(core, key_lens[k], lens[i], k == 0 ? 0 : 3 + 16 * k);
    for (size_t i = 0; modes[i] != NULL; i++) {
        if (i > 0 && modes[i] == modes[i - 1])
            continue; /* the next key size of the same mode */
        probe_mode(core, modes[i], "");
        if (!ct_state.sample && modes[i] != &ctaes_mode_cfb8 && modes[i] != &ctaes_mode_cfb1)
            probe_all_lengths(core, modes[i]);
        /* In a sample, what modes do without these functions runs over the core that has none. */
        if (has_slots(core) && !ct_state.sample)
            probe_mode(&plain, modes[i], " (no optional functions)");
    }
}

static void reveal_result(void *p, size_t len)
{
    mark_public(p, len);
}

static void list_cores(void)
{
    for (size_t i = 0; ctaes_cores[i] != NULL; i++)
        printf("%s %u %s\n", ctaes_cores[i]->name, (unsigned)ctaes_cores[i]->batch,
               ctaes_cores[i]->features & ~ctaes_cpu_features() ? "lacking" : "runs");
}

/* Returns a core of the module, or a control, and says what must be found in it. */
static const struct ctaes_core *find_core(const char *name, enum ct_expect *expect)
{
    *expect = EXPECT_CLEAN;
    if (strcmp(name, "leaky") == 0) {
        *expect = EXPECT_REPORTS;
        return &ctaes_core_leaky;
    }
    if (strcmp(name, "unmarking") == 0) {
        *expect = EXPECT_PUBLIC;
        return &ctaes_core_unmarking;
    }
    return ctaes_core_by_name(name);
}

int main(int argc, char **argv)
{
    message_reveal = reveal_result;
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        list_cores();
        return 0;
    }
    const int first = read_options(argc, argv);
    start_harness(EXPECT_CLEAN);
    for (int i = first; i < argc; i++) {
        const struct ctaes_core *core = find_core(argv[i], &ct_state.expect);
        if (core == NULL) {
            printf("there is no core %s\n", argv[i]);
            return 2;
        }
#ifdef CTAES_IS_MSAN /* it runs on the CPU itself, not on valgrind's */
        if ((core->features & ~ctaes_cpu_features()) != 0)
            return 3;
#endif
        begin_core();
        probe_core(core);
        end_core(argv[i]);
    }
    return finish_harness();
}
