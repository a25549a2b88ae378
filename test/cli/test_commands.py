# SPDX-License-Identifier: Apache-2.0
"""Other openssl commands: list, speed, and those that put AES into messages and key files."""

import re

import configs
import pytest
from tools import (
    ALONE,
    BESIDE,
    DEFAULT,
    MODULE,
    QUERY,
    SHIPPED,
    STRICT,
    Way,
    good,
    openssl,
    text,
)

# --- list -----------------------------------------------------------------------------------------


def sections(output):
    """{name of a provider: the lines about it} of `openssl list -providers`."""
    found = {}
    for line in output.splitlines()[1:]:
        if re.fullmatch(r"  \S+", line):
            found[line.strip()] = here = []
        else:
            here.append(line.strip())
    return found


def test_list_providers():
    for way in (SHIPPED, STRICT):
        found = sections(text(openssl(way, "list", "-providers")))
        assert set(found) == {"ctaes", "default"}
        for lines in found.values():
            assert "status: active" in lines
        assert any(re.fullmatch(r"version: \d+\.\d+\.\d+\S*", x) for x in found["ctaes"])
    assert set(sections(text(openssl(ALONE, "list", "-providers")))) == {"ctaes"}


def ciphers(output):
    """{provider: {set of names and OIDs of each cipher}} of `openssl list -cipher-algorithms`."""
    found = {}
    for names, provider in re.findall(r"^  (?:\{ )?(.*?)(?: \})? @ (\S+)$", output, re.MULTILINE):
        found.setdefault(provider, set()).add(frozenset(x.lower() for x in names.split(", ")))
    return found


def test_list_ciphers():
    """Every cipher of ctaes has all the names and OIDs that it has in the default provider; each
    mode has all key sizes of AES that the standards give it."""
    found = ciphers(text(openssl(SHIPPED, "list", "-cipher-algorithms")))
    # GCM-SIV is there with every version; the default provider has it since 3.2.
    newer = {x for x in found["ctaes"] if any(name.endswith("-gcm-siv") for name in x)}
    assert found["ctaes"] and found["ctaes"] - newer <= found["default"]
    assert len(newer) == 3
    names = set().union(*found["ctaes"])
    for mode in configs.modes(MODULE.parent):
        for bits in (128, 256) if mode == "XTS" else (128, 192, 256):
            assert f"aes-{bits}-{mode}".lower() in names
    assert {"aes-128-ecb", "aes-192-cbc", "aes-256-ctr", "aes-256-gcm"} <= names


# --- speed ----------------------------------------------------------------------------------------


SPEED = ["-seconds", "1", "-bytes", "16384"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["aes-128-ctr", "aes-256-gcm"])
def test_speed(name):
    """A speed means that it ran. Two things about this command in OpenSSL 3.0: options about
    providers count only when they come before -evp, and it wants random numbers at its end."""
    answer = openssl(BESIDE, "speed", "-evp", name, *SPEED)
    found = re.search(rf"(?mi)^{name} +([0-9.]+)k$", text(answer))
    assert found and float(found[1]) > 1000, answer


def test_speed_control():
    """The same with the default provider alone: the query finds nothing, so nothing is measured."""
    options = ["-provider", "default", *QUERY]
    answer = openssl(DEFAULT, "speed", *options, "-evp", "aes-128-ctr", *SPEED)
    assert answer.status != 0 and "unsupported" in answer.err, answer
    assert b"AES-128-CTR" not in answer.out


# --- Key files and messages: AES in a larger format, with digests from elsewhere. -----------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A key and a certificate, made without ctaes."""
    folder = tmp_path_factory.mktemp("keys")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    good(openssl(DEFAULT, "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048",
                 "-quiet", "-out", key))  # fmt: skip
    # The fields of the certificate, from the command line alone.
    conf = configs.write(folder, "req.cnf", "[req]\ndistinguished_name = dn\n[dn]\n")
    way = Way("REQ", conf)
    good(openssl(way, "req", "-x509", "-new", "-key", key, "-subj", "/CN=test", "-days", "2",
                 "-out", certificate))  # fmt: skip
    return folder


there_and_back = pytest.mark.parametrize(
    "first, second", [(SHIPPED, DEFAULT), (DEFAULT, SHIPPED)], ids=["encrypts", "decrypts"]
)


@there_and_back
@pytest.mark.parametrize("name", ["aes-128-cbc", "aes-192-cbc", "aes-256-cbc", "aes-256-gcm"])
@pytest.mark.parametrize("length", [0, 1, 16, 100_000])
def test_cms(folder, name, length, first, second):
    """CMS EnvelopedData, and AuthEnvelopedData with GCM: the IV goes into ASN.1 and back."""
    data = bytes(range(256)) * (length // 256) + bytes(length % 256)
    message = good(openssl(first, "cms", "-encrypt", "-binary", f"-{name}", "-outform", "DER",
                           folder / "certificate.pem", data=data))  # fmt: skip
    decrypt = ["cms", "-decrypt", "-binary", "-inform", "DER", "-inkey", folder / "key.pem"]
    assert good(openssl(second, *decrypt, data=message)) == data
    if name.endswith("gcm"):
        forged = message[:-1] + bytes([message[-1] ^ 1])
        assert openssl(second, *decrypt, data=forged).status != 0


@there_and_back
@pytest.mark.parametrize("name", ["aes-128-cbc", "aes-192-cbc", "aes-256-cbc"])
@pytest.mark.parametrize("form", ["pkcs8", "traditional"])
def test_key_file(folder, tmp_path, name, form, first, second):
    """PKCS #8 with PBES2, and the older form with a DEK-Info line."""
    encrypted, plain = tmp_path / "encrypted.pem", tmp_path / "plain.pem"
    options = ["-traditional"] if form == "traditional" else []
    good(openssl(first, "rsa", f"-{name}", *options, "-in", folder / "key.pem", "-passout",
                 "pass:right", "-out", encrypted))  # fmt: skip
    assert "ENCRYPTED" in encrypted.read_text()
    good(openssl(second, "rsa", "-in", encrypted, "-passin", "pass:right", "-out", plain))
    assert plain.read_text() == (folder / "key.pem").read_text()

    answer = openssl(second, "rsa", "-in", encrypted, "-passin", "pass:wrong", "-noout")
    assert answer.status != 0, answer


@there_and_back
def test_pkcs12(folder, first, second):
    files = ["-in", folder / "certificate.pem", "-inkey", folder / "key.pem"]
    bag = good(openssl(first, "pkcs12", "-export", *files, "-passout", "pass:right"))
    back = text(openssl(second, "pkcs12", "-nodes", "-passin", "pass:right", data=bag))
    assert (folder / "key.pem").read_text() in back
    answer = openssl(second, "pkcs12", "-nodes", "-passin", "pass:wrong", data=bag)
    assert answer.status != 0 and "invalid password" in answer.err, answer
