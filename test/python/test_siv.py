# SPDX-License-Identifier: Apache-2.0
"""SIV through `cryptography`'s AESSIV: the published vectors, and forgeries. GCM-SIV's class wants
OpenSSL 3.2; where this Python's `cryptography` has it, it is used as well."""

import os
import pathlib

import pytest
import vectors
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers import aead

FOLDER = pathlib.Path(os.environ["CTAES_TEST_VECTORS"]) / "ciphers" / "AES"
OWN = pathlib.Path(__file__).parent.parent / "vectors"
FILE = FOLDER / "SIV" / "openssl.txt"


def components(vector):
    return [vector[name] for name in ("aad", "aad2", "aad3") if name in vector]


def test_vectors():
    found = vectors.read(FILE)
    assert len(found) == vectors.count(FILE) >= 4
    for v in found:
        siv, sealed = aead.AESSIV(v["key"]), v["tag"] + v["ciphertext"]
        assert siv.encrypt(v["plaintext"], components(v)) == sealed, v["where"]
        assert siv.decrypt(sealed, components(v)) == v["plaintext"], v["where"]


@pytest.mark.parametrize("key_len", [32, 48, 64])
def test_forgeries(key_len):
    siv = aead.AESSIV(bytes(range(key_len)))
    plain, aads = b"twenty bytes of data", [b"one", b"two"]
    sealed = siv.encrypt(plain, aads)
    for i in range(len(sealed)):
        forged = sealed[:i] + bytes([sealed[i] ^ 1 << i % 8]) + sealed[i + 1 :]
        with pytest.raises(InvalidTag):
            siv.decrypt(forged, aads)
    for wrong in ([b"onetwo"], [b"one"], [b"two", b"one"], [b"one", b"two", b"x"], None):
        with pytest.raises(InvalidTag):
            siv.decrypt(sealed, wrong)
    assert siv.decrypt(sealed, aads) == plain


def read_own(path):
    """The vectors of this project's own folder, as test/vectors/README.md describes them."""
    for block in path.read_text().split("\n\n"):
        lines = [x.partition("=") for x in block.splitlines() if x and not x.startswith("#")]
        if lines:
            yield {k.strip(): v.strip() for k, _, v in lines}


@pytest.mark.skipif(not hasattr(aead, "AESGCMSIV"), reason="this cryptography has no AESGCMSIV")
def test_gcm_siv():
    done = 0
    for v in read_own(OWN / "gcm-siv.txt"):
        key, nonce, aad, plain, sealed = (
            bytes.fromhex(v[x]) for x in ("key", "iv", "aad", "plaintext", "ciphertext")
        )
        sealed += bytes.fromhex(v["tag"])
        if not plain:
            continue  # `cryptography` refuses an empty message
        siv = aead.AESGCMSIV(key)
        assert siv.encrypt(nonce, plain, aad) == sealed, v["name"]
        assert siv.decrypt(nonce, sealed, aad) == plain, v["name"]
        done += 1
    assert done > 80
