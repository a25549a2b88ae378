# SPDX-License-Identifier: Apache-2.0
"""What `cryptography` has no name for: key wrap and the MACs, by calls of libcrypto itself.

`cryptography` wraps keys in Python, over ECB, and computes CMAC with libcrypto's older functions. So
these tests call EVP, by ctypes, in this process: under the configuration that the other tests
have, in which nothing but ctaes can be fetched.
"""

import ctypes
import os
import pathlib

import pytest
import vectors

FOLDER = pathlib.Path(os.environ["CTAES_TEST_VECTORS"])
CORE = os.environ["CTAES_TEST_CORE"]

libcrypto = ctypes.CDLL("libcrypto.so.3")
for name in ("EVP_CIPHER_fetch", "EVP_MAC_fetch", "EVP_CIPHER_CTX_new", "EVP_MAC_CTX_new"):
    getattr(libcrypto, name).restype = ctypes.c_void_p
libcrypto.EVP_MAC_CTX_get_mac_size.restype = ctypes.c_size_t


class Param(ctypes.Structure):
    """OSSL_PARAM."""

    _fields_ = [
        ("key", ctypes.c_char_p),
        ("data_type", ctypes.c_uint),
        ("data", ctypes.c_void_p),
        ("data_size", ctypes.c_size_t),
        ("return_size", ctypes.c_size_t),
    ]


UTF8_STRING, OCTET_STRING = 4, 5


def pointer(p):
    return ctypes.c_void_p(p)


def make_params(texts, octets):
    """Returns an array of OSSL_PARAM, and what must live as long as it."""
    entries = [(k, UTF8_STRING, v.encode()) for k, v in texts.items()]
    entries += [(k, OCTET_STRING, v) for k, v in octets.items()]
    buffers = [ctypes.create_string_buffer(v, len(v) + 1) for _, _, v in entries]
    array = (Param * (len(entries) + 1))()
    for param, (key, kind, value), buffer in zip(array, entries, buffers):
        param.key, param.data_type, param.data_size = key.encode(), kind, len(value)
        param.data = ctypes.addressof(buffer)
    return array, buffers


def wrap(algorithm, key, data, encrypting):
    """Wraps or unwraps. Returns None if it isn't intact."""
    cipher = libcrypto.EVP_CIPHER_fetch(None, algorithm.encode(), None)
    assert cipher, algorithm
    ctx = libcrypto.EVP_CIPHER_CTX_new()
    out = ctypes.create_string_buffer(len(data) + 16)
    n = ctypes.c_int(0)
    assert libcrypto.EVP_CipherInit_ex2(pointer(ctx), pointer(cipher), key, None, int(encrypting), None)
    done = libcrypto.EVP_CipherUpdate(pointer(ctx), out, ctypes.byref(n), data, len(data))
    libcrypto.ERR_clear_error()
    libcrypto.EVP_CIPHER_CTX_free(pointer(ctx))
    libcrypto.EVP_CIPHER_free(pointer(cipher))
    if done != 1:
        assert out.raw[: len(data) - 8] == bytes(len(data) - 8)
        return None
    return out.raw[: n.value]


def mac(name, cipher, key, message, **octets):
    """The message's authentication code; the message goes in by pieces of odd lengths."""
    fetched = libcrypto.EVP_MAC_fetch(None, name.encode(), None)
    assert fetched, name
    ctx = libcrypto.EVP_MAC_CTX_new(pointer(fetched))
    params, alive = make_params({"cipher": cipher}, octets)
    assert libcrypto.EVP_MAC_init(pointer(ctx), key, ctypes.c_size_t(len(key)), params)
    step = 1 + len(message) // 3
    for i in range(0, len(message), step):
        piece = message[i : i + step]
        assert libcrypto.EVP_MAC_update(pointer(ctx), piece, ctypes.c_size_t(len(piece)))
    out = ctypes.create_string_buffer(16)
    n = ctypes.c_size_t(0)
    assert libcrypto.EVP_MAC_final(pointer(ctx), out, ctypes.byref(n), ctypes.c_size_t(16))
    assert n.value == 16 == len(out.raw)
    libcrypto.EVP_MAC_CTX_free(pointer(ctx))
    libcrypto.EVP_MAC_free(pointer(fetched))
    del alive
    return out.raw


def test_it_is_ctaes():
    """Nothing but this core can have been fetched."""
    for name, wanted in (("AES-128-WRAP", True), ("SHA256", False)):
        fetch = libcrypto.EVP_CIPHER_fetch if wanted else libcrypto.EVP_MD_fetch
        fetch.restype = ctypes.c_void_p
        assert bool(fetch(None, name.encode(), None)) == wanted
    query = f"provider=ctaes,ctaes.core={CORE}".encode()
    for name in (b"CMAC", b"GMAC", b"PMAC"):
        assert libcrypto.EVP_MAC_fetch(None, name, query)
    libcrypto.ERR_clear_error()


# --- Key wrap -------------------------------------------------------------------------------------

WRAP_FILES = sorted(FOLDER.glob("keywrap/kwtestvectors/KW*.txt"))


def test_the_files_are_there():
    assert len(WRAP_FILES) == 24 and sum(vectors.count(p) for p in WRAP_FILES) >= 12000


@pytest.mark.parametrize("path", WRAP_FILES, ids=lambda p: p.stem)
def test_wrap(path):
    """All of CAVP's vectors: KW_AE_128_inv is AES-128-WRAP-INV, encrypting."""
    kind, direction, bits, *inverse = path.stem.split("_")
    algorithm = f"AES-{bits}-WRAP{'-PAD' if kind == 'KWP' else ''}{'-INV' if inverse else ''}"
    done = 0
    for vector in vectors.read(path):
        key, plain, wrapped = vector["k"], vector.get("p"), vector["c"]
        where = vector["where"]
        assert vector["fail"] == (plain is None), where
        assert wrap(algorithm, key, wrapped, False) == plain, where
        if plain is not None:
            assert wrap(algorithm, key, plain, True) == wrapped, where
        done += 1
    assert done == vectors.count(path)


# --- MACs -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("bits", [128, 192, 256])
def test_cmac(bits):
    """SP 800-38B's examples."""
    found = vectors.read(FOLDER / "CMAC" / f"nist-800-38b-aes{bits}.txt")
    assert len(found) >= 4
    for vector in found:
        assert mac("CMAC", f"AES-{bits}-CBC", vector["key"], vector["message"]) == vector["output"]


GCM_FILES = sorted(FOLDER.glob("ciphers/AES/GCM/gcmEncryptExtIV*.rsp"))


@pytest.mark.parametrize("path", GCM_FILES, ids=lambda p: p.stem)
def test_gmac(path):
    """GMAC is GCM without plaintext: CAVP's vectors for GCM that have none."""
    done = 0
    for vector in vectors.read(path):
        if vector["pt"]:
            continue
        tag = mac("GMAC", f"AES-{8 * len(vector['key'])}-GCM", vector["key"], vector["aad"],
                  iv=vector["iv"])  # fmt: skip
        assert tag[: len(vector["tag"])] == vector["tag"], vector["where"]
        done += 1
    assert done >= 1000


def test_the_files_of_gcm_are_there():
    assert len(GCM_FILES) == 3


@pytest.mark.parametrize(
    "bits, tag",
    [
        (128, "c2c9fa1d9985f6f0d2aff915a0e8d910"),
        (192, "d3aec29036298bc11a2905f53773ff50"),
        (256, "69aa77f231eb0cdff960f5561d29a96e"),
    ],
)
def test_pmac(bits, tag):
    """1000 bytes of zeros, of Rogaway's page; test/vectors has the shorter messages."""
    key = bytes(range(bits // 8))
    assert mac("PMAC", f"AES-{bits}-CBC", key, bytes(1000)).hex() == tag
