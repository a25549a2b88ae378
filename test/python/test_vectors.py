# SPDX-License-Identifier: Apache-2.0
"""All published vectors that Debian's python3-cryptography-vectors has for the modes of ctaes.

A test is one file of vectors, run in both directions. Which modes to test, the module says; a mode
that it has and that isn't in the table below fails, so that a new one can't go untested.
"""

import os
import pathlib

import probe
import pytest
import vectors
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESCCM, AESOCB3

FOLDER = pathlib.Path(os.environ["CTAES_TEST_VECTORS"]) / "ciphers" / "AES"
OFFERED = os.environ["CTAES_TEST_MODES"].split()

# name of the mode: (folder/pattern of its files, vectors at least in them). The numbers are those
# of the package's version 38; they are the alarm for files that moved or were renamed.
FILES = {
    "ECB": ("ECB/*", 2138),
    "CBC": ("CBC/*", 2138),
    "OFB": ("OFB/*", 2138),
    "CFB": ("CFB/CFB128*", 2138),
    "CFB8": ("CFB/CFB8*", 2138),
    "CTR": ("CTR/*", 9),
    "GCM": ("GCM/*", 47250),
    "CCM": ("CCM/*.rsp", 2880),
    "OCB": ("OCB3/*", 71),
    "XTS": ("XTS/*/*", 4000),
}

# Modes that `cryptography` can't use, or for which the package has no vectors. (CFB1's vectors:
# test_bits.py; SIV's: test_siv.py.)
ELSEWHERE = {"CFB1", "CBC-CTS", "SIV", "GCM-SIV"}
ELSEWHERE |= {"WRAP", "WRAP-PAD", "WRAP-INV", "WRAP-PAD-INV"}  # test_libcrypto.py has them


def any_gcm(iv, tag=None):
    """GCM with any IV and tag. Python's `cryptography` refuses IVs of less than 8 bytes; OpenSSL
    doesn't, and a third of NIST's vectors have one byte."""
    mode = modes.GCM(bytes(12))
    mode._initialization_vector = iv
    mode._tag = tag
    mode._min_tag_length = 4
    return mode


def files_of(mode):
    return sorted(p for p in FOLDER.glob(FILES[mode][0]) if p.is_file())


def parameters():
    known = [m for m in OFFERED if m in FILES]
    return [pytest.param(m, p, id=f"{m}/{p.name}") for m in known for p in files_of(m)]


def make_mode(name, vector):
    if name == "ECB":
        return modes.ECB()
    return probe.mode_class(name)(vector["iv"])


def check_plain(name, vector):
    """ECB, CBC, CTR, ...: both directions, whichever the vector was made for."""
    cipher = Cipher(algorithms.AES(vector["key"]), make_mode(name, vector))
    plain, secret = vector["plaintext"], vector["ciphertext"]
    encryptor, decryptor = cipher.encryptor(), cipher.decryptor()
    assert encryptor.update(plain) + encryptor.finalize() == secret, vector["where"]
    assert decryptor.update(secret) + decryptor.finalize() == plain, vector["where"]


def check_gcm(vector):
    key = algorithms.AES(vector["key"])
    iv, aad, secret, tag = (vector[x] for x in ("iv", "aad", "ct", "tag"))

    decryptor = Cipher(key, any_gcm(iv, tag)).decryptor()
    decryptor.authenticate_additional_data(aad)
    plain = decryptor.update(secret)
    if vector["fail"]:
        try:
            decryptor.finalize()
        except InvalidTag:
            return
        pytest.fail(f"{vector['where']}: a wrong tag was accepted")
    assert plain + decryptor.finalize() == vector["pt"], vector["where"]

    encryptor = Cipher(key, any_gcm(iv)).encryptor()
    encryptor.authenticate_additional_data(aad)
    assert encryptor.update(vector["pt"]) + encryptor.finalize() == secret, vector["where"]
    assert encryptor.tag[: len(tag)] == tag, vector["where"]


def check_ccm(vector):
    aead = AESCCM(vector["key"], tag_length=vector["tag"])
    nonce, aad, sealed = (vector[x] for x in ("nonce", "adata", "ct"))
    if vector["fail"]:
        with pytest.raises(InvalidTag):
            aead.decrypt(nonce, sealed, aad)
        return
    assert aead.decrypt(nonce, sealed, aad) == vector["payload"], vector["where"]
    assert aead.encrypt(nonce, vector["payload"], aad) == sealed, vector["where"]


def check_ocb(vector):
    aead = AESOCB3(vector["key"])
    nonce, aad, sealed = (vector[x] for x in ("nonce", "aad", "ciphertext"))
    assert aead.encrypt(nonce, vector["plaintext"], aad) == sealed, vector["where"]
    assert aead.decrypt(nonce, sealed, aad) == vector["plaintext"], vector["where"]
    forged = sealed[:-1] + bytes([sealed[-1] ^ 1])
    with pytest.raises(InvalidTag):
        aead.decrypt(nonce, forged, aad)


def check_xts(vector):
    """OpenSSL counts data units in bytes: those of 130, 140 and 250 bits are beyond it. The tweak
    is given as bytes, or as the number of the data unit."""
    if vector["dataunitlen"] % 8 != 0:
        return
    tweak = vector["i"] if "i" in vector else vector["dataunitseqnumber"].to_bytes(16, "little")
    cipher = Cipher(algorithms.AES(vector["key"]), modes.XTS(tweak))
    plain, secret = vector["pt"], vector["ct"]
    assert cipher.encryptor().update(plain) == secret, vector["where"]
    assert cipher.decryptor().update(secret) == plain, vector["where"]


WHOLE = {"CCM": check_ccm, "OCB": check_ocb, "XTS": check_xts}


@pytest.mark.parametrize("mode, path", parameters())
def test_file(mode, path):
    done = 0
    for vector in vectors.read_ccm(path) if mode == "CCM" else vectors.read(path):
        if mode == "GCM":
            check_gcm(vector)
        elif mode in WHOLE:
            WHOLE[mode](vector)
        else:
            check_plain(mode, vector)
        done += 1
    assert done == vectors.count(path)


@pytest.mark.parametrize("mode", [m for m in OFFERED if m not in ELSEWHERE])
def test_all_files_are_there(mode):
    assert mode in FILES, "a mode without vectors here: add it to FILES or to ELSEWHERE"
    assert sum(vectors.count(p) for p in files_of(mode)) >= FILES[mode][1]


def test_the_modes_are_there():
    assert set(OFFERED) >= {"ECB", "CBC", "CTR", "CFB", "CFB8", "CFB1", "OFB", "CBC-CTS", "GCM",
                            "XTS"}
