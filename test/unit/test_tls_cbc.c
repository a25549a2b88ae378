/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLS records in CBC mode, against the definition written with branches (RFC 6101
 * section 5.2.3.2 for SSL 3, RFC 2246 and RFC 5246 section 6.2.3.2, RFC 7366).
 *
 * The kernel's random bytes are this file's own here, so that the MAC of a
 * record with bad padding is known.
 */
#include "topics.h"

#include "../../provider/random.h"
#include "../../provider/tls_cbc.h"

static const unsigned versions[] = {CTAES_SSL3,  CTAES_TLS1,      CTAES_TLS1_1, CTAES_TLS1_2,
                                    CTAES_DTLS1, CTAES_DTLS1_BAD, CTAES_DTLS1_2};
#define NVERSIONS (sizeof versions / sizeof versions[0])

#define MAX_RECORD 1024
#define UNTOUCHED 0xee

/* --- What the module draws from ------------------------------------------------------------ */

static bool random_fails;
static size_t random_drawn;

static uint8_t random_byte(size_t i)
{
    return (uint8_t)(0xa5 ^ i * 7);
}

bool ctaes_random(uint8_t *out, size_t len)
{
    for (size_t i = 0; i < len; i++)
        out[i] = random_byte(i);
    random_drawn += len;
    return !random_fails;
}

/* --- The reference ------------------------------------------------------------------------- */

enum verdict { INVALID, BAD_PADDING, GOOD };

static bool has_explicit_iv(unsigned version)
{
    return version != CTAES_SSL3 && version != CTAES_TLS1;
}

static enum verdict reference_unpad(const uint8_t *record, size_t *len, unsigned version,
                                    size_t mac_size, uint8_t *mac)
{
    size_t data_len = *len, padding;
    bool exists = false, good = true;

    for (size_t i = 0; i < NVERSIONS; i++)
        exists = exists || versions[i] == version;
    if (!exists || mac_size > 64)
        return INVALID;
    if (has_explicit_iv(version)) {
        if (data_len < 16)
            return INVALID;
        record += 16;
        data_len -= 16;
    }
    if (data_len < mac_size + 1)
        return INVALID;

    padding = (size_t)record[data_len - 1] + 1;
    if (padding + mac_size > data_len || (version == CTAES_SSL3 && padding > 16))
        good = false;
    for (size_t i = 0; good && version != CTAES_SSL3 && i < padding; i++)
        good = record[data_len - 1 - i] == padding - 1;

    *len = data_len - mac_size - (good ? padding : 0);
    for (size_t i = 0; i < mac_size; i++)
        mac[i] = good ? record[*len + i] : random_byte(i);
    return good ? GOOD : BAD_PADDING;
}

/* --- Taking off ---------------------------------------------------------------------------- */

/* Returns the reference's verdict. */
static enum verdict check_unpad(const uint8_t *data, size_t len, unsigned version, size_t mac_size)
{
    struct staged b;
    uint8_t want[CTAES_TLS_MAX_MAC], fresh[CTAES_TLS_MAX_MAC];
    size_t want_len = len, got_len = len;
    bool at_end = (len + mac_size) % 2 != 0;

    memset(want, UNTOUCHED, sizeof want);
    memset(fresh, UNTOUCHED, sizeof fresh);
    stage(&b, &layouts[at_end ? 2 : 3], data, len, 0, 0);
    uint8_t *mac = guard_small(fresh, sizeof fresh, at_end);
    random_drawn = 0;
    bool got = ctaes_tls_unpad(b.in, &got_len, version, mac_size, mac);

    enum verdict verdict = reference_unpad(data, &want_len, version, mac_size, want);
    bool wanted = verdict == GOOD || (verdict == BAD_PADDING && mac_size > 0);
    if (!wanted) {
        want_len = len;
        memset(want, UNTOUCHED, sizeof want);
    }
    expect(got == wanted, "version %x, MAC of %zu: returns %d, want %d", version, mac_size, got,
           wanted);
    expect(got_len == want_len, "version %x, MAC of %zu: the length is %zu, want %zu", version,
           mac_size, got_len, want_len);
    expect_bytes("the MAC", mac, want, sizeof want);
    /* Good and bad padding draw alike: it would be a sign, and takes time. */
    expect(random_drawn == (verdict == INVALID ? 0 : mac_size), "draws %zu random bytes",
           random_drawn);
    check_untouched(&b);
    return verdict;
}

/* Random bytes that end with padding of value n. */
static void make_padded(uint8_t *data, size_t len, unsigned n)
{
    random_bytes(data, len);
    size_t bytes = n + 1U < len ? n + 1U : len;
    memset(data + len - bytes, (int)n, bytes);
}

/* Every size of MAC and every padding, in records of whole blocks. */
static void check_all_paddings(void)
{
    uint8_t data[MAX_RECORD];
    size_t counts[3] = {0};

    at.step = "all MACs and paddings";
    at.detail = "padding";
    for (size_t mac_size = 0; mac_size <= 64; mac_size += quick ? 16 : 1)
        for (size_t len = 0; len <= 416; len += 16)
            for (unsigned n = 0; n < 256; n++) {
                at.number = n;
                make_padded(data, len, n);
                counts[check_unpad(data, len, CTAES_TLS1_2, mac_size)]++;
            }
    expect(counts[INVALID] > 0 && counts[BAD_PADDING] > 0 && counts[GOOD] > 0,
           "the test itself is wrong");
}

/* Every length, around what each part needs; every version. */
static void check_all_lengths(void)
{
    static const size_t mac_sizes[] = {0, 1, 15, 16, 20, 32, 48, 63, 64};
    uint8_t data[MAX_RECORD];

    at.step = "all lengths";
    at.detail = "padding";
    for (size_t v = 0; v < NVERSIONS; v++)
        for (size_t m = 0; m < sizeof mac_sizes / sizeof mac_sizes[0]; m++)
            for (size_t len = 0; len <= 360; len += quick && len > 70 ? 13 : 1) {
                /* The longest padding that fits, and one more. */
                size_t rest = len - (has_explicit_iv(versions[v]) ? 16 : 0) - mac_sizes[m];
                const size_t paddings[] = {0,  1,   14,  15,       16,       17,
                                           31, 254, 255, rest - 1, rest - 2, random_below(256)};
                for (size_t p = 0; p < sizeof paddings / sizeof paddings[0]; p++) {
                    at.number = paddings[p] & 0xff;
                    make_padded(data, len, paddings[p] & 0xff);
                    check_unpad(data, len, versions[v], mac_sizes[m]);
                }
            }
}

/* One wrong byte at each place of each padding, and before it. */
static void check_wrong_bytes(void)
{
    static const size_t mac_sizes[] = {0, 20, 48}, lens[] = {272, 336, 352, 1008};
    uint8_t data[MAX_RECORD];

    at.step = "one wrong byte";
    at.detail = "padding";
    for (size_t m = 0; m < 3; m++)
        for (size_t l = 0; l < 4; l++)
            for (unsigned n = 0; n < 256; n += quick ? 15 : 1) {
                at.number = n;
                make_padded(data, lens[l], n);
                for (size_t i = 1; i <= n + 1U && i < lens[l]; i++) {
                    uint8_t difference = (uint8_t)(1U << i % 8);
                    data[lens[l] - 1 - i] ^= difference;
                    enum verdict verdict =
                        check_unpad(data, lens[l], versions[1 + i % 6], mac_sizes[m]);
                    expect(i > n || verdict == BAD_PADDING, "the test itself is wrong");
                    data[lens[l] - 1 - i] ^= difference;
                }
            }
}

/* SSL 3 looks at the last byte alone. */
static void check_ssl3(void)
{
    uint8_t data[MAX_RECORD];

    at.step = "SSL 3";
    at.detail = "padding";
    for (size_t mac_size = 0; mac_size <= 64; mac_size += 4)
        for (size_t len = 16; len <= 160; len += 16)
            for (unsigned n = 0; n < 256; n++) {
                at.number = n;
                random_bytes(data, len);
                data[len - 1] = (uint8_t)n;
                check_unpad(data, len, CTAES_SSL3, mac_size);
            }
}

static void check_invalid(void)
{
    static const size_t mac_sizes[] = {65, 66, 255, 256, 257, 0x80000000, SIZE_MAX - 1, SIZE_MAX};
    uint8_t data[MAX_RECORD], mac[CTAES_TLS_MAX_MAC];

    at.step = "versions that don't exist";
    make_padded(data, 320, 15);
    for (unsigned version = 0; version <= 0x10000; version++)
        check_unpad(data, 320, version, 20);
    at.step = "MACs that are too large";
    for (size_t m = 0; m < sizeof mac_sizes / sizeof mac_sizes[0]; m++)
        for (size_t len = 0; len <= 320; len += 16)
            expect(check_unpad(data, len, CTAES_TLS1, mac_sizes[m]) == INVALID,
                   "the test itself is wrong");

    at.step = "no random bytes";
    random_fails = true;
    for (unsigned n = 15; n < 17; n++) {
        size_t len = 320;
        memset(mac, UNTOUCHED, sizeof mac);
        data[319] = (uint8_t)n;
        expect(!ctaes_tls_unpad(data, &len, CTAES_TLS1_2, 20, mac), "goes on without");
        expect(len == 320, "the length is %zu", len);
        for (size_t i = 0; i < sizeof mac; i++)
            expect(mac[i] == UNTOUCHED, "wrote a MAC");
    }
    random_fails = false;
}

void test_tls_unpad(const struct setup *s)
{
    (void)s;
    check_all_paddings();
    check_all_lengths();
    check_wrong_bytes();
    check_ssl3();
    check_invalid();
}

/* --- Putting on ---------------------------------------------------------------------------- */

void test_tls_pad(const struct setup *s)
{
    struct staged b;
    uint8_t data[MAX_RECORD], want[MAX_RECORD];

    (void)s;
    for (size_t v = 0; v < NVERSIONS; v++)
        for (size_t len = 0; len <= 400; len++) {
            size_t padded = (len / 16 + 1) * 16;
            at.step = "padding";
            at.detail = "version";
            at.number = versions[v];
            random_bytes(data, padded);
            memcpy(want, data, len);
            for (size_t i = len; i < padded; i++)
                want[i] =
                    versions[v] == CTAES_SSL3 && i + 1 < padded ? 0 : (uint8_t)(padded - len - 1);
            /* Exactly as much room as it takes. */
            stage(&b, &layouts[len % 2 == 0 ? 2 : 3], data, padded, 0, 0);
            size_t got = ctaes_tls_pad(b.out, len, versions[v]);
            expect(got == padded, "the length is %zu, want %zu", got, padded);
            check_staged(&b, "the padded record", want);

            /* What was put on comes off. */
            uint8_t mac[CTAES_TLS_MAX_MAC];
            size_t iv_len = has_explicit_iv(versions[v]) ? 16 : 0, back = got;
            if (len >= iv_len)
                expect(ctaes_tls_unpad(b.out, &back, versions[v], 0, mac) && back == len - iv_len,
                       "comes off as %zu", back);
        }
}
