# SPDX-License-Identifier: Apache-2.0
"""MACs and key wrap through the openssl command, and the setting that leaves MACs to the default
provider."""

import re

import pytest
from tools import (
    CTAES_WAYS,
    DEFAULT,
    MODULE,
    SHIPPED,
    STRICT,
    Way,
    good,
    openssl,
    text,
    write_config,
)

ways = pytest.mark.parametrize("way", CTAES_WAYS, ids=lambda w: w.name)

KEY = bytes(range(32)).hex()
IV = bytes(range(12)).hex()

NO_MACS = Way("NO_MACS", write_config("no-macs.cnf", module=MODULE, macs="no"))


def mac(way, name, *options, data=b"abc"):
    return openssl(way, "mac", *options, "-in", "-", name, data=data)


def code(way, name, bits, length):
    data = bytes(i % 251 for i in range(length))
    cipher = f"AES-{bits}-{'GCM' if name == 'GMAC' else 'CBC'}"
    more = ["-macopt", f"hexiv:{IV}"] if name == "GMAC" else []
    key = ["-macopt", f"hexkey:{KEY[: bits // 4]}"]
    return text(mac(way, name, "-cipher", cipher, *key, *more, data=data)).strip()


@ways
@pytest.mark.parametrize("bits", [128, 192, 256])
@pytest.mark.parametrize("name", ["CMAC", "GMAC"])
def test_as_default(way, name, bits):
    for length in (0, 1, 16, 17, 100_000):
        assert code(way, name, bits, length) == code(DEFAULT, name, bits, length)


@ways
def test_pmac(way):
    """Rogaway's vector for 34 bytes; the default provider has no PMAC."""
    options = ["-cipher", "AES-128-CBC", "-macopt", f"hexkey:{KEY[:32]}"]
    found = mac(way, "PMAC", *options, data=bytes(range(34)))
    assert text(found).strip() == "5cba7d5eb24f7c86ccc54604e53d5512".upper()
    assert mac(DEFAULT, "PMAC", *options).status != 0


def test_list():
    found = text(openssl(SHIPPED, "list", "-mac-algorithms"))
    for line in ("CMAC @ ctaes", "{ 1.0.9797.3.4, GMAC } @ ctaes", "PMAC @ ctaes"):
        assert f"  {line}\n" in found, found
    assert "ctaes" not in text(openssl(NO_MACS, "list", "-mac-algorithms"))


# --- Other ciphers than AES ------------------------------------------------------------------------

DES = ["-cipher", "DES-EDE3-CBC", "-macopt", f"hexkey:{KEY[:48]}"]


def test_another_cipher():
    """It is refused with the reason that OpenSSL has for that, and the way out is said and is one."""
    answer = mac(SHIPPED, "CMAC", *DES)
    assert answer.status != 0
    assert ("0308010C", "digital envelope routines", "unsupported") in answer.reasons(), answer
    assert '"DES-EDE3-CBC"' in answer.err and '"provider=default"' in answer.err
    found = text(mac(SHIPPED, "CMAC", "-propquery", "provider=default", *DES))
    assert found == text(mac(DEFAULT, "CMAC", *DES))


def test_no_macs():
    assert text(mac(NO_MACS, "CMAC", *DES)) == text(mac(DEFAULT, "CMAC", *DES))
    for name in ("CMAC", "GMAC"):
        assert code(NO_MACS, name, 256, 1000) == code(DEFAULT, name, 256, 1000)
    # The ciphers are ctaes's all the same.
    options = ["-aes-128-cbc", "-K", KEY[:32], "-iv", KEY[:32]]
    assert good(openssl(NO_MACS, "enc", *options, data=b"abc"))
    assert "AES-128-CBC @ ctaes" in re.sub(
        r"\{ .*AES-128-CBC.* \}", "AES-128-CBC", text(openssl(NO_MACS, "list", "-cipher-algorithms"))
    )


@pytest.mark.parametrize("value, offered", [("yes", True), ("ON", True), ("1", True), ("No", False),
                                            ("off", False), ("false", False), ("0", False)])  # fmt: skip
def test_words(value, offered):
    way = Way("WORDS", write_config(f"macs-{value}.cnf", module=MODULE, macs=value))
    assert ("CMAC @ ctaes" in text(openssl(way, "list", "-mac-algorithms"))) == offered


def test_no_word():
    """What is neither yes nor no is an error: ctaes isn't loaded. (What the error says, OpenSSL 3.0
    doesn't show; test/evp looks at it.)"""
    way = Way("MAYBE", write_config("macs-maybe.cnf", module=MODULE, macs="maybe"))
    assert "ctaes" not in text(openssl(way, "list", "-providers"))


# --- What others make of them ----------------------------------------------------------------------


def test_kbkdf():
    """A key derivation over CMAC, which copies contexts."""
    options = ["-keylen", "100", "-kdfopt", "mac:CMAC", "-kdfopt", "cipher:AES-256-CBC", "-kdfopt",
               f"hexkey:{KEY}", "-kdfopt", "salt:label", "-kdfopt", "info:context"]  # fmt: skip
    for way in (SHIPPED, NO_MACS):
        found = text(openssl(way, "kdf", *options, "KBKDF"))
        assert found == text(openssl(DEFAULT, "kdf", *options, "KBKDF")) and len(found) > 100


def test_pkey_cmac(tmp_path):
    """EVP_PKEY_CMAC: the default provider's, which fetches a CMAC."""
    options = ["-mac", "cmac", "-macopt", "cipher:aes-128-cbc", "-macopt", f"hexkey:{KEY[:32]}"]
    for way in (SHIPPED, NO_MACS):
        found = text(openssl(way, "dgst", *options, data=b"abc"))
        assert found == text(openssl(DEFAULT, "dgst", *options, data=b"abc"))


@pytest.mark.parametrize("first, second", [(SHIPPED, DEFAULT), (DEFAULT, SHIPPED)],
                         ids=["encrypts", "decrypts"])  # fmt: skip
@pytest.mark.parametrize("bits", [128, 192, 256])
def test_cms_key_wrap(bits, first, second):
    """CMS with a key for keys: AES key wrap."""
    options = ["-secretkey", KEY[: bits // 4], "-secretkeyid", "0102"]
    message = good(openssl(first, "cms", "-encrypt", "-binary", f"-aes{bits}", *options, "-outform",
                           "DER", data=b"text"))  # fmt: skip
    decrypt = ["cms", "-decrypt", "-binary", "-inform", "DER"]
    assert good(openssl(second, *decrypt, *options, data=message)) == b"text"
    options[1] = "ff" + options[1][2:]
    assert openssl(second, *decrypt, *options, data=message).status != 0
    # And where there is nothing but ctaes.
    options[1] = KEY[: bits // 4]
    assert good(openssl(STRICT, *decrypt, *options, data=message)) == b"text"
