/* SPDX-License-Identifier: Apache-2.0 */
/* PKCS#7 padding, against the definition written with branches. */
#include "topics.h"

#include "../../provider/pkcs7.h"

/* The length before the padding, or -1 if the padding isn't good (RFC 5652
   section 6.3). */
static int reference_unpad(const uint8_t block[16])
{
    int n = block[15];
    if (n < 1 || n > 16)
        return -1;
    for (int i = 16 - n; i < 16; i++)
        if (block[i] != n)
            return -1;
    return 16 - n;
}

static void check_block(const uint8_t block[16])
{
    int want = reference_unpad(block);
    uint32_t data_len = 99;
    uint32_t good = pkcs7_check(guard_small(block, 16, block[0] % 2 == 0), &data_len);
    expect(good == (want >= 0 ? UINT32_MAX : 0),
           "the mask is %#x for a block that ends in %02x %02x", (unsigned)good, block[14],
           block[15]);
    if (want >= 0)
        expect(data_len == (uint32_t)want, "data_len is %u, want %d", (unsigned)data_len, want);
}

/* Blocks with good padding of n bytes. */
static void check_length(uint8_t n)
{
    uint8_t block[16], padded[16];
    random_bytes(block, 16);
    memcpy(padded, block, 16);
    uint8_t *p = guard_small(block, 16, true);
    pkcs7_pad(p, 16U - n);
    memset(padded + 16 - n, n, n);
    expect_bytes("the padded block", p, padded, 16);
    expect(reference_unpad(padded) == 16 - n, "the test itself is wrong");
    check_block(padded);

    /* Each byte with each other value: bad where it is padding, unless it makes
       another good padding, as a last byte of 1 does. */
    for (size_t i = 0; i < 16; i++)
        for (unsigned difference = 1; difference < 256; difference++) {
            at.detail = "changed byte";
            at.number = i;
            memcpy(block, padded, 16);
            block[i] ^= (uint8_t)difference;
            if (i >= 16U - n && i < 15)
                expect(reference_unpad(block) == -1, "the test itself is wrong");
            check_block(block);
        }
    at.detail = NULL;
}

void test_pkcs7(const struct setup *s)
{
    (void)s;
    uint8_t block[16];
    for (uint8_t n = 1; n <= 16; n++) {
        at.step = "padding";
        at.len = n;
        check_length(n);
    }
    /* All last two bytes; before them random bytes, the last byte, or 0x10. */
    at.step = "the last two bytes";
    for (unsigned last = 0; last < 0x10000; last++) {
        at.len = last;
        random_bytes(block, 16);
        for (int fill = 0; fill < 3; fill++) {
            if (fill > 0)
                memset(block, fill == 1 ? (int)(last & 0xff) : 0x10, 14);
            block[14] = (uint8_t)(last >> 8);
            block[15] = (uint8_t)last;
            check_block(block);
        }
    }
}
