/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Constant time where no core has a part: the masks of ct.h, the comparison of
 * tags, and the check of PKCS#7 padding, each with good and bad values and
 * each result looked at.
 *
 * Built with leaky.h before everything else it is a control: the same probes
 * must then all be reported.
 */
#include "../../cores/ct.h"
#include "../../provider/pkcs7.h"
#include "ct_test.h"

static void probe_mask(uint32_t mask, bool expected, const char *what, uint32_t a, uint32_t b)
{
    expect_secret(&mask, sizeof mask);
    mark_public(&mask, sizeof mask);
    expect_right(mask == (expected ? ~0U : 0U));
    end_probe(true, "%s, a = %u, b = %u", what, (unsigned)a, (unsigned)b);
}

static void probe_masks(void)
{
    static const uint32_t values[] = {0, 1, 2, 15, 16, 17, 255, 0x7fffffff};
    for (size_t i = 0; i < 8; i++)
        for (size_t j = 0; j < 8; j++) {
            const uint32_t a = values[i], b = values[j];
            uint32_t x = a;
            begin_probe();
            mark_secret(&x, sizeof x);
            probe_mask(ct_eq(x, b), a == b, "ct_eq", a, b);
            begin_probe();
            probe_mask(ct_lt(x, b), a < b, "ct_lt", a, b);
            begin_probe();
            probe_mask(ct_is_zero(x), a == 0, "ct_is_zero", a, 0);
        }
}

static void probe_tags(void)
{
    uint8_t a[16], b[16];
    for (uint32_t len = 1; len <= 16; len++)
        for (uint32_t different = 0; different <= len; different++) {
            fill(a, 16, len);
            memcpy(b, a, 16);
            if (different > 0)
                b[different - 1] ^= 0x80;
            begin_probe();
            mark_secret(a, 16);
            probe_mask(ct_equal_bytes(a, b, len), different == 0,
                       "ct_equal_bytes, length a, first difference b", len, different);
        }
}

/* Every padding value that there is to be tried, whole and with one byte of it wrong. */
static void probe_paddings(void)
{
    uint8_t a[16];
    for (uint32_t n = 0; n < 256; n = n < 18 ? n + 1 : n * 2 + 1)
        for (uint32_t wrong = 0; wrong < 16; wrong++) {
            uint32_t data_len = 99;
            fill(a, 16, n);
            for (uint32_t i = 0; i < 16; i++)
                if (i + n >= 16)
                    a[i] = (uint8_t)n;
            bool good = n >= 1 && n <= 16;
            if (wrong > 0) {
                a[15 - wrong] ^= 0x40;
                good = good && wrong >= n;
            }
            begin_probe();
            mark_secret(a, 16);
            uint32_t mask = pkcs7_check(a, &data_len);
            expect_secret(&data_len, 1);
            mark_public(&data_len, sizeof data_len);
            expect_right(!good || data_len == 16 - n);
            probe_mask(mask, good, "pkcs7_check, padding value a, wrong byte b", n, wrong);
        }
}

int main(void)
{
#ifdef CT_LEAKY_H
    start_harness(EXPECT_REPORTS);
#else
    start_harness(EXPECT_CLEAN);
#endif
    probe_masks();
    probe_tags();
    probe_paddings();
    return finish_harness();
}
