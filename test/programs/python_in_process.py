# SPDX-License-Identifier: Apache-2.0
"""One Python process that uses ssl, hashlib, and `cryptography`, and says of each whether code of
ctaes.so ran in it, as JSON: {name: bool}. test/programs/python_programs.py starts it.

    python_in_process.py MODULE WHAT...    in this order: ssl, hashlib, random, cryptography
"""

import hashlib
import json
import os
import ssl
import sys

import executed


def use_ssl():
    """Two ends of TLS 1.2 and one record each way, without a network."""
    key, cert = os.environ["TEST_KEY"], os.environ["TEST_CERT"]
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(cert, key)
    client = ssl.create_default_context(cafile=cert)
    for context in (server, client):
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        context.set_ciphers("ECDHE-RSA-AES128-GCM-SHA256")
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    a = client.wrap_bio(to_client, to_server, server_hostname="localhost")
    b = server.wrap_bio(to_server, to_client, server_side=True)
    for _ in range(4):
        for end in (a, b):
            try:
                end.do_handshake()
            except ssl.SSLWantReadError:
                pass
    a.write(b"there" * 1000)
    assert b.read(10000) == b"there" * 1000
    b.write(b"back")
    assert a.read() == b"back"


def use_hashlib():
    assert hashlib.sha256(b"abc").hexdigest().startswith("ba7816bf")
    assert hashlib.scrypt(b"x", salt=b"y", n=16, r=8, p=1, dklen=16)


def use_random():
    """OpenSSL 3.0's CTR-DRBG takes its AES from the preferred provider."""
    assert ssl.RAND_bytes(1000) != ssl.RAND_bytes(1000)


def use_cryptography():
    from cryptography import exceptions
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    secret = AESGCM(bytes(16)).encrypt(bytes(12), b"message", b"aad")
    assert AESGCM(bytes(16)).decrypt(bytes(12), secret, b"aad") == b"message"
    try:
        AESGCM(bytes(16)).decrypt(bytes(12), secret, b"other")
        raise AssertionError("a wrong tag is accepted")
    except exceptions.InvalidTag:
        pass
    for mode in (modes.CBC(bytes(16)), modes.CTR(bytes(16)), modes.ECB()):
        encryptor = Cipher(algorithms.AES(bytes(32)), mode).encryptor()
        secret = encryptor.update(bytes(4096)) + encryptor.finalize()
        decryptor = Cipher(algorithms.AES(bytes(32)), mode).decryptor()
        assert decryptor.update(secret) + decryptor.finalize() == bytes(4096)


USES = {
    "ssl": use_ssl,
    "hashlib": use_hashlib,
    "random": use_random,
    "cryptography": use_cryptography,
}


def versions():
    """Whose OpenSSL is used, by which package."""
    found = {"ssl": ssl.OPENSSL_VERSION}
    if "cryptography" in sys.modules:
        from cryptography.hazmat.backends.openssl import backend

        found["cryptography"] = backend.openssl_version_text()
    return found


if not executed.available():
    sys.exit("this kernel keeps no notes of the pages used")
found = {}
for name in sys.argv[2:]:
    # The second time round everything is loaded, and what runs is the work alone.
    USES[name]()
    # What the kernel notes is right when it says yes, and may be missed once.
    found[name] = any(executed.by(sys.argv[1], USES[name])[1] for _ in range(3))
print(json.dumps({"used": found, "versions": versions()}))
