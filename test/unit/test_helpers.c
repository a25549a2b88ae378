/* SPDX-License-Identifier: Apache-2.0 */
/* ct.h, bytes.h, and the rules that the tables of cores and modes must keep. */
#include "topics.h"

#include "../../cores/bytes.h"
#include "../../cores/ct.h"

#define YES UINT32_MAX

/* What a mask must be. */
static uint32_t mask(bool condition)
{
    return condition ? YES : 0;
}

static void check_word_pair(uint32_t a, uint32_t b)
{
    expect(ct_eq(a, b) == mask(a == b), "ct_eq(%#x, %#x) is wrong", a, b);
    if (a < UINT32_C(1) << 31 && b < UINT32_C(1) << 31)
        expect(ct_lt(a, b) == mask(a < b), "ct_lt(%#x, %#x) is wrong", a, b);
}

static void check_equal_bytes(void)
{
    uint8_t a[67], b[67];
    for (unsigned i = 0; i < 0x10000; i++) {
        a[0] = (uint8_t)(i >> 8);
        b[0] = (uint8_t)i;
        expect(ct_equal_bytes(a, b, 1) == mask(a[0] == b[0]), "ct_equal_bytes of 1 byte: %04x", i);
        expect(ct_equal_bytes(a, b, 0) == YES, "ct_equal_bytes of no bytes");
    }
    /* Every two-byte difference, and every single bit at every place. */
    for (unsigned i = 0; i < 0x10000; i++) {
        random_bytes(a, 2);
        b[0] = (uint8_t)(a[0] ^ i >> 8);
        b[1] = (uint8_t)(a[1] ^ i);
        expect(ct_equal_bytes(a, b, 2) == mask(i == 0), "ct_equal_bytes: difference %04x", i);
    }
    for (size_t len = 1; len <= 64; len++) {
        random_bytes(a, sizeof a);
        memcpy(b, a, sizeof b);
        expect(ct_equal_bytes(a, b, len) == YES, "ct_equal_bytes: the same %zu bytes", len);
        for (size_t bit = 0; bit < (len + 2) * 8; bit++) {
            b[bit / 8] ^= (uint8_t)(1 << bit % 8);
            expect(ct_equal_bytes(a, b, len) == mask(bit >= len * 8),
                   "ct_equal_bytes: %zu bytes, bit %zu differs", len, bit);
            b[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
    }
}

void test_ct_helpers(const struct setup *s)
{
    (void)s;
    for (uint32_t x = 0; x <= 0x10000; x++) {
        expect(ct_is_zero(x) == mask(x == 0), "ct_is_zero(%#x) is wrong", x);
        expect(ct_is_zero(0U - x) == mask(x == 0), "ct_is_zero(%#x) is wrong", 0U - x);
        expect(ct_barrier(x) == x, "ct_barrier(%#x) is wrong", x);
    }
    for (uint32_t bit = 0; bit < 32; bit++)
        for (uint32_t other = 0; other < 32; other++) {
            uint32_t x = UINT32_C(1) << bit | UINT32_C(1) << other;
            expect(ct_is_zero(x) == 0, "ct_is_zero(%#x) is wrong", x);
            expect(ct_is_zero(~x) == 0, "ct_is_zero(%#x) is wrong", ~x);
            expect(ct_barrier(~x) == ~x, "ct_barrier(%#x) is wrong", ~x);
        }
    static const uint32_t bases[] = {0, 0x7ffffe00, 0x80000000, 0xfffffe00};
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++)
            for (uint32_t a = 0; a < 512; a += i == 0 && j == 0 ? 1 : 5)
                for (uint32_t b = 0; b < 512; b += i == j ? 1 : 3)
                    check_word_pair(bases[i] + a, bases[j] + b);
    check_equal_bytes();

    uint8_t room[80];
    for (size_t len = 0; len <= 64; len++) {
        memset(room, 0xee, sizeof room);
        ct_wipe(room + 8, len);
        for (size_t i = 0; i < sizeof room; i++)
            expect(room[i] == (i >= 8 && i < 8 + len ? 0 : 0xee), "ct_wipe of %zu bytes, byte %zu",
                   len, i);
    }
}

static void check_loads(size_t offset)
{
    static const uint8_t bytes[8] = {0x81, 0x92, 0xa3, 0xb4, 0xc5, 0xd6, 0xe7, 0xf8};
    uint8_t room[32], *p = room + offset;
    memcpy(p, bytes, 8);
    expect(load_be32(p) == 0x8192a3b4U, "load_be32 at offset %zu", offset);
    expect(load_le32(p) == 0xb4a39281U, "load_le32 at offset %zu", offset);
    expect(load_be64(p) == UINT64_C(0x8192a3b4c5d6e7f8), "load_be64 at offset %zu", offset);
    expect(load_le64(p) == UINT64_C(0xf8e7d6c5b4a39281), "load_le64 at offset %zu", offset);
    memset(p, 0, 8);
    store_be32(p, 0x8192a3b4U);
    store_be32(p + 4, 0xc5d6e7f8U);
    expect_bytes("store_be32", p, bytes, 8);
    memset(p, 0, 8);
    store_le32(p, 0xb4a39281U);
    store_le32(p + 4, 0xf8e7d6c5U);
    expect_bytes("store_le32", p, bytes, 8);
    memset(p, 0, 8);
    store_be64(p, UINT64_C(0x8192a3b4c5d6e7f8));
    expect_bytes("store_be64", p, bytes, 8);
    memset(p, 0, 8);
    store_le64(p, UINT64_C(0xf8e7d6c5b4a39281));
    expect_bytes("store_le64", p, bytes, 8);
}

void test_byte_helpers(const struct setup *s)
{
    (void)s;
    for (size_t offset = 0; offset < 16; offset++)
        check_loads(offset);

    uint8_t data[112], other[112], want[112];
    struct staged b;
    for (size_t len = 0; len <= 100; len++)
        for (size_t i = 0; i < LAYOUTS; i++) {
            random_bytes(data, sizeof data);
            random_bytes(other, sizeof other);
            for (size_t j = 0; j < len; j++)
                want[j] = data[j] ^ other[j];
            at.step = "xor_bytes";
            stage(&b, &layouts[i], data, len, len % 16, len % 7);
            xor_bytes(b.out, b.in, other, len);
            check_staged(&b, "the XOR", want);
            stage(&b, &layouts[i], data, len, 0, 0);
            xor_bytes(b.out, other, b.in, len);
            check_staged(&b, "the XOR", want);
            if (len == 16) {
                at.step = "xor_block";
                stage(&b, &layouts[i], data, len, 0, 0);
                xor_block(b.out, b.in, other);
                check_staged(&b, "the XOR", want);
                stage(&b, &layouts[i], data, len, i, i);
                xor_block(b.out, other, b.in);
                check_staged(&b, "the XOR", want);
            }
        }
}

static void check_core_row(size_t row)
{
    const struct ctaes_core *core = ctaes_cores[row];
    size_t len = strlen(core->name);
    expect(len >= 1 && len <= 15, "core %s: the name has %zu characters", core->name, len);
    expect(strspn(core->name, "abcdefghijklmnopqrstuvwxyz0123456789") == len,
           "core %s: the name must be of [a-z0-9]", core->name);
    expect(ctaes_core_by_name(core->name) == core,
           "core %s: ctaes_core_by_name returns another row: two cores of one name", core->name);
    expect(core->batch >= 1 && core->batch <= 64, "core %s: batch is %u", core->name,
           (unsigned)core->batch);
    expect(core->key_size > 0 && core->ghash_size > 0, "core %s: a key size is 0", core->name);
    expect(core->expand_key != NULL && core->encrypt != NULL && core->decrypt != NULL &&
               core->ghash_init != NULL && core->ghash != NULL,
           "core %s: a required function is missing", core->name);
}

static void check_mode_row(const struct ctaes_mode *mode)
{
    bool aead = mode->kind == CTAES_AEAD, own = mode->kind == CTAES_OWN;
    expect((mode->encrypt != NULL && mode->decrypt != NULL) == (!aead && !own),
           "mode %s: encrypt and decrypt don't fit its kind", mode->name);
    expect((mode->aead_set_key != NULL && mode->aead_start != NULL && mode->aead_aad != NULL &&
            mode->aead_encrypt != NULL && mode->aead_decrypt != NULL &&
            mode->aead_finish != NULL) == aead,
           "mode %s: the aead functions don't fit its kind", mode->name);
    expect(own || mode->block_size == (mode->kind == CTAES_BLOCK ? 16 : 1),
           "mode %s: block_size is %u", mode->name, (unsigned)mode->block_size);
    expect(mode->hash_key || !aead, "mode %s has no room for a hash key", mode->name);
    expect(aead || mode->iv_len <= 16, "mode %s: iv_len is %u", mode->name, (unsigned)mode->iv_len);
    expect(mode->name[0] != '\0', "a mode has no name");
}

void test_tables(const struct setup *s)
{
    (void)s;
    expect(ctaes_cores[0] != NULL, "this build has no core");
    for (size_t i = 0; ctaes_cores[i] != NULL; i++)
        check_core_row(i);
    expect(ctaes_core_by_name("nosuchcore") == NULL, "a core of any name is found");
    expect(ctaes_core_by_name("") == NULL, "a core without a name is found");
    expect(all_modes[0] != NULL, "this build has no mode");
    for (size_t i = 0; all_modes[i] != NULL; i++)
        check_mode_row(all_modes[i]);
}
