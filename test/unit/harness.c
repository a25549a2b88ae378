/* SPDX-License-Identifier: Apache-2.0 */
/* Checks, random data, keys and guarded buffers: see unit.h. */
#define _GNU_SOURCE
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

bool quick;
struct where at;
struct tally tally;
uint64_t seed;

/* --- Checks ------------------------------------------------------------------------------ */

/* A case prints this many of its failures, and the number of the others. */
#define MAX_PRINTED 5

static char case_name[96];

void begin_case(const char *topic, const struct setup *s)
{
    int used = snprintf(case_name, sizeof case_name, "%s", topic);
    if (s->core != NULL)
        used +=
            snprintf(case_name + used, sizeof case_name - (size_t)used, " core=%s", s->core->name);
    if (s->mode != NULL)
        used +=
            snprintf(case_name + used, sizeof case_name - (size_t)used, " mode=%s", s->mode->name);
    if (s->key_len != 0)
        snprintf(case_name + used, sizeof case_name - (size_t)used, " key=%zu", s->key_len * 8);
    memset(&at, 0, sizeof at);
    tally.failures = 0;
    tally.skipped_case = false;
    seed_case(case_name);
}

void end_case(bool verbose)
{
    if (tally.failures > MAX_PRINTED)
        printf("FAIL %s: and %zu more\n", case_name, tally.failures - MAX_PRINTED);
    if (tally.failures > 0)
        tally.failed++;
    else if (tally.skipped_case)
        tally.skipped++;
    else
        tally.passed++;
    if (verbose)
        printf("%s %s\n",
               tally.failures > 0   ? "fail"
               : tally.skipped_case ? "skip"
                                    : "pass",
               case_name);
    fflush(stdout);
}

/* Starts the report of a failure; false if the case has printed enough. */
static bool begin_report(void)
{
    if (tally.failures++ >= MAX_PRINTED)
        return false;
    printf("FAIL %s", case_name);
    if (at.variant != NULL)
        printf(" with %s switched", at.variant);
    if (at.step != NULL) {
        printf(": %s len=%zu in+%zu out+%zu", at.step, at.len, at.in_offset, at.out_offset);
        if (at.layout != NULL)
            printf(" (%s)", at.layout);
        if (at.detail != NULL)
            printf(" %s=%llu", at.detail, (unsigned long long)at.number);
    }
    printf(": ");
    return true;
}

static void end_report(void)
{
    printf(" [--seed %llu]\n", (unsigned long long)seed);
    fflush(stdout);
}

bool expect(bool ok, const char *format, ...)
{
    if (ok || !begin_report())
        return ok;
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    end_report();
    return false;
}

static void print_hex(const uint8_t *p, size_t len)
{
    for (size_t i = 0; i < len; i++)
        printf("%02x", p[i]);
}

bool expect_bytes(const char *what, const uint8_t *got, const uint8_t *want, size_t len)
{
    if (memcmp(got, want, len) == 0)
        return true;
    if (!begin_report())
        return false;
    size_t first = 0;
    while (got[first] == want[first])
        first++;
    size_t shown = len - first < 16 ? len - first : 16;
    printf("%s differs from byte %zu of %zu on: got ", what, first, len);
    print_hex(got + first, shown);
    printf(", want ");
    print_hex(want + first, shown);
    end_report();
    return false;
}

void skip(const char *reason)
{
    printf("SKIP %s: %s\n", case_name, reason);
    tally.skipped_case = true;
}

/* --- Random data: splitmix64 (Steele, Lea, Flood, OOPSLA 2014) ----------------------------- */

static uint64_t random_state;

void seed_case(const char *name)
{
    /* Of the seed and the case's name, so that a case gets the same data when
       it is run alone. */
    random_state = seed;
    for (; *name != '\0'; name++)
        random_state = (random_state ^ (uint8_t)*name) * UINT64_C(0x100000001b3);
}

uint64_t random_word(void)
{
    uint64_t z = (random_state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

size_t random_below(size_t bound)
{
    return (size_t)(random_word() % bound);
}

void random_bytes(void *p, size_t len)
{
    uint8_t *bytes = p;
    for (size_t i = 0; i < len;) {
        uint64_t word = random_word();
        for (size_t j = 0; j < 8 && i < len; j++, word >>= 8)
            bytes[i++] = (uint8_t)word;
    }
}

/* --- Keys -------------------------------------------------------------------------------- */

void *key_memory(size_t size, int fill)
{
    void *p = NULL;
    if (posix_memalign(&p, CTAES_ALIGN, size) != 0) {
        perror("posix_memalign");
        exit(2);
    }
    memset(p, fill, size);
    return p;
}

void expand_keys(struct keys *keys, const struct ctaes_core *core, const uint8_t *k, size_t k_len)
{
    keys->aes = key_memory(core->key_size, 0x3c);
    keys->ghash = key_memory(core->ghash_size, 0x3c);
    core->expand_key(keys->aes, k, k_len);
    if (core->prepare_decrypt != NULL)
        core->prepare_decrypt(keys->aes);
    reference_expand_key(&keys->reference, k, k_len);
    memset(keys->h, 0, 16);
    reference_encrypt_block(&keys->reference, keys->h, keys->h);
    core->ghash_init(keys->ghash, keys->h);
}

void random_keys(struct keys *keys, const struct setup *s)
{
    uint8_t k[32];
    random_bytes(k, sizeof k);
    expand_keys(keys, s->core, k, s->key_len != 0 ? s->key_len : 16);
}

void free_keys(struct keys *keys)
{
    free(keys->aes);
    free(keys->ghash);
}

/* --- Guarded buffers --------------------------------------------------------------------- */

#define CANARY 0xc5
#define PREFILL 0x5a
#define MARGIN 64

const struct layout layouts[LAYOUTS] = {
    {"apart, both at the end", false, true, true},
    {"apart, both at the start", false, false, false},
    {"in place, at the end", true, true, true},
    {"in place, at the start", true, false, false},
    {"apart, in at the end, out at the start", false, true, false},
    {"apart, in at the start, out at the end", false, false, true},
};

static uint8_t *in_area, *out_area, *small_area;

/* Returns AREA_SIZE bytes between two inaccessible pages. */
static uint8_t *map_area(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *p = mmap(NULL, AREA_SIZE + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED || AREA_SIZE % page != 0 ||
        mprotect(p + page, AREA_SIZE, PROT_READ | PROT_WRITE) != 0) {
        perror("mapping a guarded area");
        exit(2);
    }
    memset(p + page, CANARY, AREA_SIZE);
    return p + page;
}

void map_areas(void)
{
    in_area = map_area();
    out_area = map_area();
    small_area = map_area();
}

static uint8_t *place(uint8_t *area, bool at_end, size_t len, size_t offset)
{
    return at_end ? area + AREA_SIZE - offset - len : area + offset;
}

/* The canary bytes before and after len bytes at p, cut off at the area's ends. */
static size_t margin_before(const uint8_t *area, const uint8_t *p)
{
    size_t room = (size_t)(p - area);
    return room < MARGIN ? room : MARGIN;
}

static size_t margin_after(const uint8_t *area, const uint8_t *p, size_t len)
{
    size_t room = AREA_SIZE - (size_t)(p - area) - len;
    return room < MARGIN ? room : MARGIN;
}

void stage(struct staged *b, const struct layout *layout, const uint8_t *data, size_t len,
           size_t in_offset, size_t out_offset)
{
    stage_sized(b, layout, data, len, len, in_offset, out_offset);
}

void stage_sized(struct staged *b, const struct layout *layout, const uint8_t *data, size_t in_len,
                 size_t len, size_t in_offset, size_t out_offset)
{
    /* In place, the area has room for the longer of the two. */
    size_t longer = layout->in_place && in_len > len ? in_len : len;
    at.layout = layout->name;
    at.len = in_len;
    at.in_offset = layout->in_place ? out_offset : in_offset;
    at.out_offset = out_offset;
    b->data = data;
    b->in_len = in_len;
    b->len = len;
    b->out = place(out_area, layout->out_at_end, longer, out_offset);
    b->in = layout->in_place ? b->out : place(in_area, layout->in_at_end, in_len, in_offset);
    size_t before = margin_before(out_area, b->out), after = margin_after(out_area, b->out, longer);
    memset(b->out - before, CANARY, before);
    memset(b->out + longer, CANARY, after);
    memset(b->out, PREFILL, longer);
    memcpy(b->in, data, in_len);
}

/* Whether len bytes at p all have one value. */
static bool all_equal(const uint8_t *p, uint8_t value, size_t len)
{
    return len == 0 || (p[0] == value && memcmp(p, p + 1, len - 1) == 0);
}

static bool check_margins(const struct staged *b)
{
    size_t before = margin_before(out_area, b->out);
    bool ok = expect(all_equal(b->out - before, CANARY, before), "wrote before the output");
    /* In place, what lies behind a shorter output is the end of the input. */
    size_t end = b->in == b->out && b->in_len > b->len ? b->in_len : b->len;
    ok &= expect(all_equal(b->out + end, CANARY, margin_after(out_area, b->out, end)),
                 "wrote after the output");
    if (b->in != b->out)
        ok &= expect_bytes("the input (written to)", b->in, b->data, b->in_len);
    return ok;
}

bool check_staged(const struct staged *b, const char *what, const uint8_t *want)
{
    bool ok = expect_bytes(what, b->out, want, b->len);
    return check_margins(b) && ok;
}

bool check_untouched(const struct staged *b)
{
    bool ok = b->in == b->out
                  ? expect_bytes("the data (written to)", b->out, b->data, b->in_len)
                  : expect(all_equal(b->out, PREFILL, b->len), "wrote to what isn't its output");
    return check_margins(b) && ok;
}

uint8_t *guard_small(const void *value, size_t len, bool at_end)
{
    return memcpy(place(small_area, at_end, len, 0), value, len);
}

/* --- Which sizes to try ------------------------------------------------------------------ */

bool wanted_blocks(const struct ctaes_core *core, size_t nblocks)
{
    size_t batch = core->batch;
    return !quick || nblocks <= 2 * batch + 2 || nblocks % 61 == 0 || nblocks == MAX_BLOCKS;
}

bool wanted_length(size_t len)
{
    if (quick)
        return len <= 68 || len % 97 == 0 || len == MAX_LENGTH;
    return len <= 600 || len % 2 == 1 || len == MAX_LENGTH;
}

size_t random_piece(const struct ctaes_core *core)
{
    switch (random_below(4)) {
    case 0:
        return random_below(4);
    case 1:
        return random_below(34);
    case 2:
        return 16 * random_below(4);
    default:
        return random_below((2U * core->batch + 3U) * 16);
    }
}
