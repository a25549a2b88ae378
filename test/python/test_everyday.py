# SPDX-License-Identifier: Apache-2.0
"""What programs do with `cryptography`, under the configuration that users get (conf/ctaes.cnf):
AES from ctaes, digests and random numbers from the default provider."""

import base64
import calendar
import datetime
import hashlib
import json
import os
import pathlib
import re

import executed
import probe
import pytest
import reference
import vectors
from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives import cmac, keywrap, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305
from cryptography.hazmat.primitives.serialization import pkcs12

MODULE = os.path.realpath(os.environ["CTAES_TEST_MODULE"])
VECTORS = pathlib.Path(os.environ["CTAES_TEST_VECTORS"])

needs_notes = pytest.mark.skipif(
    not executed.available(), reason="this kernel keeps no notes of used memory"
)


def test_both_providers_are_there():
    found = probe.probe()
    assert found["aes"] == sorted([*probe.MODES, *probe.AEADS])
    assert found["sha256"]
    assert found["modules"] == [MODULE]


# --- Who did it. ----------------------------------------------------------------------------------


@needs_notes
def test_another_cipher_is_not_ours():
    """The control: ChaCha20, once it is found, is none of ctaes's business.

    A CPU may look a page up for code that it then doesn't run, so a single note proves nothing;
    code that ran each time would leave one each time.
    """
    aead = ChaCha20Poly1305(bytes(32))
    aead.encrypt(bytes(12), b"once", None)
    assert not all(
        executed.by(MODULE, lambda: aead.encrypt(bytes(12), b"again", None))[1] for _ in range(20)
    )


@needs_notes
@pytest.mark.parametrize("name, key", [(name, key) for name in probe.MODES for key in probe.keys(name)])
def test_ctaes_encrypts(name, key):
    """Only the update counts, so that code that ran for the search doesn't."""
    cipher = Cipher(algorithms.AES(key), probe.MODES[name]())
    encryptor, decryptor = cipher.encryptor(), cipher.decryptor()
    secret, ours = executed.by(MODULE, lambda: encryptor.update(bytes(64)))
    assert ours
    assert executed.by(MODULE, lambda: decryptor.update(secret)) == (bytes(64), True)


@needs_notes
def test_ctaes_encrypts_for_aesgcm_fernet_and_keys():
    aead, fernet = AESGCM(bytes(16)), Fernet(Fernet.generate_key())
    for function in (
        lambda: aead.encrypt(bytes(12), b"abc", None),
        lambda: fernet.encrypt(b"abc"),
        lambda: keywrap.aes_key_wrap(bytes(16), bytes(32)),
    ):
        function()
        assert executed.by(MODULE, function)[1]


# --- Fernet: AES-128-CBC, the padding by the library, HMAC-SHA256 by the default provider. --------


def fernet_cases(name):
    return json.loads((VECTORS / "fernet" / name).read_text())


def seconds(text):
    """2011-10-26T01:20:01-07:00 as seconds since 1970."""
    return calendar.timegm(datetime.datetime.fromisoformat(text).utctimetuple())


@pytest.mark.parametrize("case", fernet_cases("generate.json"), ids=lambda c: c["src"])
def test_fernet_generate(case):
    token = Fernet(case["secret"])._encrypt_from_parts(
        case["src"].encode(), seconds(case["now"]), bytes(case["iv"])
    )
    assert token == case["token"].encode()


@pytest.mark.parametrize("case", fernet_cases("verify.json"), ids=lambda c: c["src"])
def test_fernet_verify(case):
    plain = Fernet(case["secret"]).decrypt_at_time(
        case["token"].encode(), case["ttl_sec"], seconds(case["now"])
    )
    assert plain == case["src"].encode()


@pytest.mark.parametrize("case", fernet_cases("invalid.json"), ids=lambda c: c["desc"])
def test_fernet_invalid(case):
    with pytest.raises(InvalidToken):
        Fernet(case["secret"]).decrypt_at_time(
            case["token"].encode(), case["ttl_sec"], seconds(case["now"])
        )


# --- Encrypted keys: AES-256-CBC, here with the provider's own padding. ---------------------------


PRIVATE = ec.derive_private_key(0xC0FFEE, ec.SECP256R1())


def encrypted_pem(form):
    return PRIVATE.private_bytes(
        serialization.Encoding.PEM, form, serialization.BestAvailableEncryption(b"right")
    )


@pytest.mark.parametrize(
    "form",
    [serialization.PrivateFormat.PKCS8, serialization.PrivateFormat.TraditionalOpenSSL],
    ids=["PKCS8", "TraditionalOpenSSL"],
)
def test_encrypted_key(form):
    pem = encrypted_pem(form)
    key = serialization.load_pem_private_key(pem, b"right")
    assert key.private_numbers() == PRIVATE.private_numbers()


def test_encrypted_key_exactly():
    """Readers of keys don't mind a byte too many at the end. So decrypt one with the default
    provider, which says exactly where the padding begins. (The older PEM form: the key is
    MD5(password | salt), MD5(that | password | salt); the salt is the IV's first half.)"""
    pem = encrypted_pem(serialization.PrivateFormat.TraditionalOpenSSL).decode()
    name, iv = re.search("(?m)^DEK-Info: (.*),(.*)$", pem).groups()
    iv, secret = bytes.fromhex(iv), b"right" + bytes.fromhex(iv)[:8]
    first = hashlib.md5(secret).digest()
    key = first + hashlib.md5(first + secret).digest()
    encrypted = base64.b64decode(pem.split("\n\n")[1].split("-----")[0])
    der = PRIVATE.private_bytes(
        serialization.Encoding.DER,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    )
    assert name == "AES-256-CBC"
    assert reference.crypt(name, False, key, iv, encrypted, padding=True)[0] == der
    assert reference.crypt(name, True, key, iv, der, padding=True)[0] == encrypted


def test_encrypted_key_wrong_password():
    """A wrong password gives wrong padding, but for one in 256: the provider's reason (bad decrypt)
    must reach the library, which says what it means. 20 wrong passwords, and no other outcome."""
    pem = encrypted_pem(serialization.PrivateFormat.PKCS8)
    message = re.compile("[Ii]ncorrect password|[Bb]ad decrypt")
    understood = 0
    for n in range(20):
        with pytest.raises(ValueError) as caught:
            serialization.load_pem_private_key(pem, b"wrong%d" % n)
        understood += message.search(str(caught.value)) is not None
    assert understood >= 15


def test_pkcs12():
    blob = pkcs12.serialize_key_and_certificates(
        b"name", PRIVATE, None, None, serialization.BestAvailableEncryption(b"right")
    )
    key, _, _ = pkcs12.load_key_and_certificates(blob, b"right")
    assert key.private_numbers() == PRIVATE.private_numbers()
    with pytest.raises(ValueError):
        pkcs12.load_key_and_certificates(blob, b"wrong")


# --- CMAC, by the default provider over ctaes's CBC; key wrap, by the library over ctaes's ECB. ---


@pytest.mark.parametrize("bits", [128, 192, 256])
def test_cmac(bits):
    path = VECTORS / "CMAC" / f"nist-800-38b-aes{bits}.txt"
    cases = vectors.read(path)
    assert len(cases) == vectors.count(path) > 0
    for case in cases:
        c = cmac.CMAC(algorithms.AES(case["key"]))
        c.update(case["message"])
        assert c.finalize() == case["output"], case["where"]
        c = cmac.CMAC(algorithms.AES(case["key"]))
        for at in range(len(case["message"])):
            c.update(case["message"][at : at + 1])
        c.verify(case["output"])


def test_key_wrap():
    """RFC 3394, 4.6: 256 bits of key data, wrapped under 256 bits."""
    kek = bytes(range(32))
    data = bytes.fromhex("00112233445566778899AABBCCDDEEFF000102030405060708090A0B0C0D0E0F")
    wrapped = keywrap.aes_key_wrap(kek, data)
    assert wrapped.hex() == (
        "28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21"
    )
    assert keywrap.aes_key_unwrap(kek, wrapped) == data
    with pytest.raises(keywrap.InvalidUnwrap):
        keywrap.aes_key_unwrap(kek, wrapped[:-1] + b"?")
