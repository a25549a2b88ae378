# SPDX-License-Identifier: Apache-2.0
"""Tries, with the `cryptography` of this Python, what the configuration leaves it.

Prints one line of JSON: whether AES (the sorted list of modes that work) and SHA-256 are within
reach, and whether any ctaes.so is mapped into the process. test_proof.py calls it.
"""

import json

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESCCM, AESGCM, AESOCB3

try:  # where newer versions of `cryptography` keep CFB and OFB
    from cryptography.hazmat.decrepit.ciphers import modes as old_modes
except ImportError:
    old_modes = modes


def mode_class(name):
    return getattr(old_modes if hasattr(old_modes, name) else modes, name)


MODES = {
    "ECB": lambda: modes.ECB(),
    "CBC": lambda: modes.CBC(bytes(16)),
    "CTR": lambda: modes.CTR(bytes(16)),
    "CFB": lambda: mode_class("CFB")(bytes(16)),
    "CFB8": lambda: mode_class("CFB8")(bytes(16)),
    "OFB": lambda: mode_class("OFB")(bytes(16)),
    "GCM": lambda: modes.GCM(bytes(12)),
    "XTS": lambda: modes.XTS(bytes(16)),
}
AEADS = {"AESCCM": AESCCM, "AESGCM": AESGCM, "AESOCB3": AESOCB3}


def works(function):
    """Whether function() returns. What a missing algorithm raises differs between versions
    (UnsupportedAlgorithm, InternalError), so every exception counts as no."""
    try:
        function()
    except Exception:
        return False
    return True


def keys(name):
    """A key of each length. XTS has two in one, which must not be the same."""
    return [bytes(range(n)) for n in ((32, 64) if name == "XTS" else (16, 24, 32))]


def encrypt(name):
    for key in keys(name):
        ctx = Cipher(algorithms.AES(key), MODES[name]()).encryptor()
        assert len(ctx.update(bytes(32)) + ctx.finalize()) == 32


def sha256():
    digest = hashes.Hash(hashes.SHA256())
    digest.update(b"abc")
    assert digest.finalize().hex().startswith("ba7816bf")


def mapped_modules():
    """The paths of all ctaes.so in this process."""
    with open("/proc/self/maps") as maps:
        paths = {line.split(maxsplit=5)[5].strip() for line in maps if line.count("/")}
    return sorted(p for p in paths if p.endswith("/ctaes.so"))


def probe():
    # One mode that isn't there is one error; the AEADs take another way through `cryptography`.
    aes = [name for name in MODES if works(lambda: encrypt(name))]
    for name, aead in AEADS.items():
        if works(lambda: aead(bytes(16)).encrypt(bytes(12), b"abc", None)):
            aes.append(name)
    return {"aes": sorted(aes), "sha256": works(sha256), "modules": mapped_modules()}


def main():
    print(json.dumps(probe()))
