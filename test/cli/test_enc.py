# SPDX-License-Identifier: Apache-2.0
"""openssl enc: files that ctaes encrypts and the default provider decrypts, and the other way."""

import functools
import hashlib
import random
import subprocess

import pytest
from tools import CTAES_WAYS, DEFAULT, ENC_NAMES, SHIPPED, STRICT, WORK, good, openssl

MIB = 1 << 20
LENGTHS = [0, 1, 15, 16, 17, 100_003, MIB]

ways = pytest.mark.parametrize("way", CTAES_WAYS, ids=lambda w: w.name)
names = pytest.mark.parametrize("name", ENC_NAMES)


def secret(name):
    """Options for a key and an IV. They look random, and are the same in each run."""
    draw = random.Random(name)
    options = ["-K", draw.randbytes(int(name[4:7]) // 8).hex()]
    return options if name.endswith("ecb") else options + ["-iv", draw.randbytes(16).hex()]


@functools.lru_cache(maxsize=None)
def make_data(n):
    return random.Random(n).randbytes(n)


@functools.lru_cache(maxsize=None)
def theirs(name, n):
    """What the default provider makes of n bytes."""
    return good(openssl(DEFAULT, "enc", "-e", f"-{name}", *secret(name), data=make_data(n)))


@ways
@names
def test_both_directions(name, way):
    options = [f"-{name}", *secret(name)]
    for n in LENGTHS if way is STRICT else LENGTHS[:-2]:
        data, encrypted = make_data(n), theirs(name, n)
        assert len(encrypted) == (n if name.endswith("ctr") else n // 16 * 16 + 16)
        assert good(openssl(way, "enc", "-e", *options, data=data)) == encrypted, f"{n} bytes"
        assert good(openssl(way, "enc", "-d", *options, data=encrypted)) == data, f"{n} bytes"


@pytest.mark.parametrize("name", [x for x in ENC_NAMES if x.endswith("ctr")])
def test_counter_carries(name):
    """The counter goes over the end of its last 4, 8 and 16 bytes."""
    data = make_data(10_000)
    for iv in ("00" * 12 + "fffffff0", "11" * 8 + "f" * 15 + "0", "f" * 31 + "0"):
        options = ["enc", f"-{name}", *secret(name)[:2], "-iv", iv]
        ours = good(openssl(STRICT, *options, data=data))
        assert ours == good(openssl(DEFAULT, *options, data=data))


@names
def test_files_and_buffer_sizes(name, tmp_path):
    """Files rather than pipes, read in pieces that don't fit the blocks."""
    data = make_data(100_003)
    plain, encrypted, back = (tmp_path / x for x in ("plain", "encrypted", "back"))
    plain.write_bytes(data)
    options = [f"-{name}", *secret(name)]
    for size in (1, 17, 1000, 65536):
        files = ["-in", plain, "-out", encrypted, "-bufsize", size]
        good(openssl(STRICT, "enc", "-e", *options, *files))
        assert encrypted.read_bytes() == theirs(name, len(data))
        files = ["-in", encrypted, "-out", back, "-bufsize", size]
        good(openssl(STRICT, "enc", "-d", *options, *files))
        assert back.read_bytes() == data


@pytest.mark.parametrize("name", [x for x in ENC_NAMES if not x.endswith("ctr")])
def test_no_padding(name):
    options = [f"-{name}", *secret(name), "-nopad"]
    for n in (0, 16, 4096):
        data = make_data(n)
        encrypted = good(openssl(DEFAULT, "enc", "-e", *options, data=data))
        assert good(openssl(STRICT, "enc", "-e", *options, data=data)) == encrypted
        assert good(openssl(STRICT, "enc", "-d", *options, data=encrypted)) == data


@names
def test_password(name):
    """With a password the key comes from PBKDF2 and SHA-256, and the salt is random: that is the
    default provider's work, beside ctaes."""
    data = make_data(1000)
    options = [f"-{name}", "-pass", "pass:correct horse", "-pbkdf2", "-a"]
    ours = good(openssl(SHIPPED, "enc", "-e", *options, data=data))
    assert good(openssl(DEFAULT, "enc", "-d", *options, data=ours)) == data
    encrypted = good(openssl(DEFAULT, "enc", "-e", *options, data=data))
    assert good(openssl(SHIPPED, "enc", "-d", *options, data=encrypted)) == data


@pytest.fixture(scope="module")
def long_file():
    """100 MiB. The hash of its content, and its path."""
    path = WORK / "100-mib"
    digest = hashlib.sha256()
    draw = random.Random(100)
    with path.open("wb") as f:
        for _ in range(100):
            piece = draw.randbytes(MIB)
            digest.update(piece)
            f.write(piece)
    yield digest.digest(), path
    path.unlink()


@pytest.mark.slow
@pytest.mark.parametrize(
    "name, encrypting, decrypting",
    [
        ("aes-128-ctr", STRICT, DEFAULT),
        ("aes-256-ecb", STRICT, DEFAULT),
        ("aes-256-ecb", DEFAULT, STRICT),
        ("aes-192-cbc", DEFAULT, STRICT),
    ],
    ids=lambda x: x if isinstance(x, str) else x.name,
)
def test_100_mib(name, encrypting, decrypting, long_file):
    """Through a pipe, from the one who encrypts to the one who decrypts."""
    digest, path = long_file
    options = [f"-{name}", *secret(name)]
    with subprocess.Popen(
        encrypting.command("enc", "-e", *options, "-in", path),
        env=encrypting.env(),
        stdout=subprocess.PIPE,
    ) as first, subprocess.Popen(
        decrypting.command("enc", "-d", *options),
        env=decrypting.env(),
        stdin=first.stdout,
        stdout=subprocess.PIPE,
    ) as second:
        first.stdout.close()
        found, n = hashlib.sha256(), 0
        while piece := second.stdout.read(MIB):
            found.update(piece)
            n += len(piece)
    assert (first.returncode, second.returncode) == (0, 0)
    assert n == 100 * MIB
    assert found.digest() == digest
