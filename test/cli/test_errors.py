# SPDX-License-Identifier: Apache-2.0
"""What goes wrong must fail, say why, and say it as the default provider does."""

import pytest
from test_enc import make_data, secret, theirs
from tools import ALONE, CTAES_WAYS, DEFAULT, SHIPPED, STRICT, good, openssl

BAD_DECRYPT = ("1C800064", "Provider routines", "bad decrypt")
WRONG_LENGTH = ("1C80006B", "Provider routines", "wrong final block length")

block_names = pytest.mark.parametrize(
    "name", [f"aes-{bits}-{mode}" for mode in ("ecb", "cbc") for bits in (128, 192, 256)]
)
ways = pytest.mark.parametrize("way", CTAES_WAYS, ids=lambda w: w.name)


def same_failure(way, reason, *arguments, data):
    """Both fail alike: status, output up to there, reasons. Returns the answer."""
    default = openssl(DEFAULT, "enc", *arguments, data=data)
    ours = openssl(way, "enc", *arguments, data=data)
    assert default.status != 0 and ours.status == default.status, ours
    assert ours.out == default.out
    assert ours.reasons() == default.reasons()
    assert reason in ours.reasons(), ours
    return ours


@ways
@block_names
def test_wrong_key(name, way):
    options = secret(name)
    options[1] = "00" + options[1][2:]
    same_failure(way, BAD_DECRYPT, "-d", f"-{name}", *options, data=theirs(name, 100))


@ways
@block_names
def test_truncated_file(name, way):
    for data in (theirs(name, 100)[:-1], theirs(name, 100)[:17], b"x", b""):
        same_failure(way, WRONG_LENGTH, "-d", f"-{name}", *secret(name), data=data)


@block_names
def test_no_padding_and_no_whole_block(name):
    for n in (1, 15, 17, 4097):
        for direction in ("-e", "-d"):
            same_failure(
                STRICT,
                WRONG_LENGTH,
                direction,
                f"-{name}",
                *secret(name),
                "-nopad",
                data=make_data(n),
            )


@block_names
def test_last_block_lost(name):
    """Cut at a block: what is the last block now hasn't got a padding."""
    data = theirs(name, 100)[:-16]
    same_failure(STRICT, BAD_DECRYPT, "-d", f"-{name}", *secret(name), data=data)


@pytest.mark.parametrize("last", ["00", "11", "ff"])
def test_impossible_padding(last):
    """A last byte that no padding ends with; no padding was added to it."""
    options = ["-aes-128-cbc", *secret("aes-128-cbc")]
    plain = bytes(15) + bytes.fromhex(last)
    data = good(openssl(DEFAULT, "enc", "-e", *options, "-nopad", data=plain))
    same_failure(STRICT, BAD_DECRYPT, "-d", *options, data=data)


def test_every_padding():
    """1 to 16 bytes of padding, right and with one byte wrong."""
    options = ["-aes-256-cbc", *secret("aes-256-cbc")]
    for n in range(1, 17):
        right = bytes(16 + 16 - n) + bytes([n]) * n
        data = good(openssl(DEFAULT, "enc", "-e", *options, "-nopad", data=right))
        assert good(openssl(STRICT, "enc", "-d", *options, data=data)) == bytes(32 - n)
        if n > 1:
            wrong = right[:-n] + bytes([n ^ 0x80]) + right[len(right) - n + 1 :]
            data = good(openssl(DEFAULT, "enc", "-e", *options, "-nopad", data=wrong))
            same_failure(STRICT, BAD_DECRYPT, "-d", *options, data=data)


@pytest.mark.parametrize("name", ["aes-128-cbc", "aes-256-ecb"])
def test_wrong_password(name):
    options = [f"-{name}", "-pbkdf2", "-S", "0011223344556677"]
    ours = good(openssl(SHIPPED, "enc", "-e", *options, "-pass", "pass:right", data=b"abc"))
    back = openssl(SHIPPED, "enc", "-d", *options, "-pass", "pass:wrong", data=ours)
    assert back.status != 0 and BAD_DECRYPT in back.reasons(), back


def test_authenticated_modes_are_refused():
    """The enc command itself says so: it has no place for a tag."""
    for way in (DEFAULT, *CTAES_WAYS):
        answer = openssl(way, "enc", "-aes-128-gcm", *secret("aes-128-ctr"), data=b"abc")
        assert answer.status != 0 and "AEAD ciphers not supported" in answer.err, answer


def test_key_and_iv_of_a_wrong_length():
    """Too short is filled up, too long is cut, with a warning each; the result is the same."""
    for options in (["-K", "01", "-iv", "02"], ["-K", "01" * 40, "-iv", "02" * 20]):
        default = openssl(DEFAULT, "enc", "-aes-128-cbc", *options, data=b"abc")
        ours = openssl(STRICT, "enc", "-aes-128-cbc", *options, data=b"abc")
        assert (ours.status, ours.out, ours.err) == (default.status, default.out, default.err)


# --- Without its company. -------------------------------------------------------------------------


def test_password_needs_the_default_provider():
    """`-provider ctaes` alone has no digests and no random numbers."""
    options = ["-aes-128-cbc", "-pass", "pass:x", "-pbkdf2"]
    answer = openssl(ALONE, "enc", *options, data=b"abc")
    assert answer.status != 0 and answer.out == b"", answer
    assert "0308010C" in answer.err, answer  # digital envelope routines: unsupported
    beside = openssl(SHIPPED, "enc", *options, data=b"abc")
    assert beside.out.startswith(b"Salted__") and good(beside)
