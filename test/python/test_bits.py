# SPDX-License-Identifier: Apache-2.0
"""NIST's vectors for CFB1, which count bits: `cryptography` can't use the mode, so the libcrypto of
the system is called, which reads the same configuration."""

import ctypes
import os
import pathlib
import re

import pytest

FOLDER = pathlib.Path(os.environ["CTAES_TEST_VECTORS"]) / "ciphers" / "AES" / "CFB"
FILES = sorted(FOLDER.glob("CFB1[A-Z]*"))
LENGTH_BITS = 0x2000  # EVP_CIPH_FLAG_LENGTH_BITS

lib = ctypes.CDLL("libcrypto.so.3")
lib.EVP_CIPHER_fetch.restype = lib.EVP_CIPHER_CTX_new.restype = ctypes.c_void_p
lib.EVP_CIPHER_get0_provider.restype = ctypes.c_void_p
lib.OSSL_PROVIDER_get0_name.restype = ctypes.c_char_p
lib.EVP_CIPHER_get0_provider.argtypes = lib.OSSL_PROVIDER_get0_name.argtypes = [ctypes.c_void_p]


def read(path):
    """Yields key, IV, plaintext and ciphertext of each vector; the texts are strings of 0 and 1."""
    pattern = r"KEY = (\w+)\s+IV = (\w+)\s+(?:PLAINTEXT|CIPHERTEXT) = ([01]+)\s+\w+ = ([01]+)"
    section = "[ENCRYPT]"
    for part in re.split(r"(\[ENCRYPT\]|\[DECRYPT\])", path.read_text()):
        section = part if part.startswith("[") else section
        for key, iv, first, second in re.findall(pattern, part):
            texts = (first, second) if section == "[ENCRYPT]" else (second, first)
            yield bytes.fromhex(key), bytes.fromhex(iv), *texts


def crypt(encrypt, key, iv, bits):
    """Encrypts or decrypts in two updates, cut in the middle."""
    cipher = ctypes.c_void_p(lib.EVP_CIPHER_fetch(None, b"AES-%d-CFB1" % (8 * len(key)), None))
    ctx = ctypes.c_void_p(lib.EVP_CIPHER_CTX_new())
    try:
        assert lib.OSSL_PROVIDER_get0_name(lib.EVP_CIPHER_get0_provider(cipher)) == b"ctaes"
        assert lib.EVP_CipherInit_ex(ctx, cipher, None, key, iv, encrypt) == 1
        lib.EVP_CIPHER_CTX_set_flags(ctx, LENGTH_BITS)
        result = ""
        for piece in (bits[: len(bits) // 2], bits[len(bits) // 2 :]):
            packed = int(piece.ljust(136, "0"), 2).to_bytes(17, "big")
            out, n = ctypes.create_string_buffer(160), ctypes.c_int()
            assert lib.EVP_CipherUpdate(ctx, out, ctypes.byref(n), packed, len(piece)) == 1
            assert n.value == len(piece)
            result += f"{int.from_bytes(out.raw[:17], 'big'):0136b}"[: len(piece)]
        return result
    finally:
        lib.EVP_CIPHER_CTX_free(ctx)
        lib.EVP_CIPHER_free(cipher)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_file(path):
    done = 0
    for key, iv, plain, secret in read(path):
        assert crypt(1, key, iv, plain) == secret
        assert crypt(0, key, iv, secret) == plain
        done += 1
    assert done == len(re.findall("^COUNT", path.read_text(), re.MULTILINE))


def test_all_files_are_there():
    assert sum(1 for path in FILES for _ in read(path)) == 2138
