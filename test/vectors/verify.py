#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Computes every vector in this folder again with OpenSSL's own AES, through
Python's cryptography (Debian: python3-cryptography), and says which differ.

GCM-SIV, which OpenSSL has since 3.2 only, is written out here over single blocks.

It guards against slips of the pen in files that were written down from
documents. Run it after changing one; the tests don't need it.
"""
import pathlib
import sys

from cryptography.hazmat.primitives import cmac
from cryptography.hazmat.primitives.ciphers import Cipher, aead, algorithms, modes

TEXT_FIELDS = {"name", "direction"}


def read(path):
    """Yields the vectors of a file, as dictionaries of bytes and text."""
    vector = {}
    for line in path.read_text().splitlines() + [""]:
        if line.startswith("#"):
            continue
        if line:
            field, _, value = line.partition(" =")
            value = value.strip()
            vector[field] = value if field in TEXT_FIELDS else bytes.fromhex(value)
        elif vector:
            yield vector
            vector = {}


def key_wrap(aes, w_inverse, icv, plaintext):
    """SP 800-38F's W over ICV and padded plaintext, with AES or its inverse."""
    crypt = (aes.decryptor() if w_inverse else aes.encryptor()).update
    n = len(plaintext) // 8
    if n == 1:
        return crypt(icv + plaintext)
    a, r = icv, [plaintext[8 * i:8 * i + 8] for i in range(n)]
    for t in range(1, 6 * n + 1):
        block = crypt(a + r[(t - 1) % n])
        a = (int.from_bytes(block[:8], "big") ^ t).to_bytes(8, "big")
        r[(t - 1) % n] = block[8:]
    return a + b"".join(r)


def check_wrap(mode, vector):
    icv, plaintext = vector["iv"], vector["plaintext"]
    if "pad" in mode:
        icv += len(plaintext).to_bytes(4, "big")
        plaintext += bytes(-len(plaintext) % 8)
    aes = Cipher(algorithms.AES(vector["key"]), modes.ECB())
    return key_wrap(aes, mode.endswith("inv"), icv, plaintext) == vector["ciphertext"]


def check_mac(mac, vector):
    key, message = vector["key"], vector["input"]
    if mac == "cmac":
        code = cmac.CMAC(algorithms.AES(key))
        code.update(message)
        return code.finalize() == vector["tag"]
    return pmac(key, message) == vector["tag"]


def pmac(key, message):
    """PMAC (Black and Rogaway, 2002), on numbers of 128 bits, the offsets by the Gray code."""
    aes = Cipher(algorithms.AES(key), modes.ECB()).encryptor()

    def encrypt(x):
        return int.from_bytes(aes.update(x.to_bytes(16, "big")), "big")

    def double(x):
        return (x << 1) % 2**128 ^ (0x87 if x >> 127 else 0)

    first = encrypt(0)
    half = (first ^ (first & 1) * (2**128 | 0x87)) >> 1
    powers = [first]
    while len(powers) < 32:
        powers.append(double(powers[-1]))
    blocks = [message[i:i + 16] for i in range(0, len(message), 16)] or [b""]
    total = 0
    for i, block in enumerate(blocks[:-1], 1):
        gray = i ^ i >> 1
        offset = 0
        for bit, power in enumerate(powers):
            offset ^= power * (gray >> bit & 1)
        total ^= encrypt(int.from_bytes(block, "big") ^ offset)
    last = blocks[-1]
    if len(last) == 16:
        total ^= half
    else:
        last = last + b"\x80" + bytes(15 - len(last))
    return encrypt(total ^ int.from_bytes(last, "big")).to_bytes(16, "big")


def mode_object(mode, vector):
    iv = vector.get("iv")
    return {"ecb": lambda: modes.ECB(), "cbc": lambda: modes.CBC(iv), "ctr": lambda: modes.CTR(iv),
            "gcm": lambda: modes.GCM(iv), "cfb": lambda: modes.CFB(iv),
            "cfb8": lambda: modes.CFB8(iv), "ofb": lambda: modes.OFB(iv),
            "xts": lambda: modes.XTS(iv)}[mode]()


def encrypt_cts(vector):
    """CS3, from CBC: the last two blocks change places, and the shorter one is cut."""
    plaintext = vector["plaintext"]
    cbc = Cipher(algorithms.AES(vector["key"]), modes.CBC(vector["iv"])).encryptor()
    out = cbc.update(plaintext + bytes(-len(plaintext) % 16))
    if len(out) > 16:
        out = out[:-32] + out[-16:] + out[-32:-16]
    return out[:len(plaintext)]


def encrypt_cfb1(vector):
    """From ECB, bit by bit."""
    ecb = Cipher(algorithms.AES(vector["key"]), modes.ECB()).encryptor()
    register, out, length = int.from_bytes(vector["iv"], "big"), 0, len(vector["plaintext"])
    for i in reversed(range(8 * length)):
        keystream = ecb.update(register.to_bytes(16, "big"))[0] >> 7
        bit = (int.from_bytes(vector["plaintext"], "big") >> i & 1) ^ keystream
        register = (register << 1 | bit) % 2 ** 128
        out = out << 1 | bit
    return out.to_bytes(length, "big")


# Modes that Python's cryptography lacks.
COMPOSED = {"cbc-cts": encrypt_cts, "cfb1": encrypt_cfb1}


def aead_object(mode, vector):
    """The modes that take a message as a whole."""
    key = vector["key"]
    return {"ccm": lambda: aead.AESCCM(key, tag_length=len(vector["tag"])),
            "ocb": lambda: aead.AESOCB3(key)}[mode]()


def siv(vector):
    """Returns ciphertext and tag. A component that isn't there is none; one that is empty is."""
    components = [vector[f] for f in ("aad", "aad_2", "aad_3") if f in vector]
    result = aead.AESSIV(vector["key"]).encrypt(vector["plaintext"], components)
    return result[16:], result[:16]


def polyval(h, blocks):
    """RFC 8452 section 3. The bit of weight 2^i stands for x^i; multiplied from the highest bit
    down, one bit of h at a time, and divided by x^128 at the end."""
    field = 1 << 128 | 1 << 127 | 1 << 126 | 1 << 121 | 1
    y = 0
    for i in range(0, len(blocks), 16):
        a, product = y ^ int.from_bytes(blocks[i:i + 16], "little"), 0
        for bit in reversed(range(128)):
            product <<= 1
            product ^= field if product >> 128 else 0
            product ^= a if h >> bit & 1 else 0
        for _ in range(128):
            product = (product ^ (field if product & 1 else 0)) >> 1
        y = product
    return y.to_bytes(16, "little")


def gcm_siv(vector):
    """RFC 8452 sections 4 and 5, over single blocks. Returns ciphertext and tag."""
    key, nonce, aad, plaintext = (vector[f] for f in ("key", "iv", "aad", "plaintext"))

    def encrypt(k, block):
        return Cipher(algorithms.AES(k), modes.ECB()).encryptor().update(block)

    derived = b"".join(encrypt(key, n.to_bytes(4, "little") + nonce)[:8]
                       for n in range(2 + len(key) // 8))
    lengths = (8 * len(aad)).to_bytes(8, "little") + (8 * len(plaintext)).to_bytes(8, "little")
    blocks = aad + bytes(-len(aad) % 16) + plaintext + bytes(-len(plaintext) % 16) + lengths
    s = bytearray(polyval(int.from_bytes(derived[:16], "little"), blocks))
    for i in range(12):
        s[i] ^= nonce[i]
    s[15] &= 0x7f
    tag = encrypt(derived[16:], bytes(s))
    count, rest = int.from_bytes(tag[:4], "little"), tag[4:15] + bytes([tag[15] | 0x80])
    stream = b"".join(encrypt(derived[16:], ((count + i) % 2**32).to_bytes(4, "little") + rest)
                      for i in range((len(plaintext) + 15) // 16))
    return bytes(a ^ b for a, b in zip(plaintext, stream)), tag


# Modes that Cipher doesn't have.
OWN = {"siv": siv, "gcm-siv": gcm_siv}


def check_vector(mode, vector):
    if mode in COMPOSED:
        return COMPOSED[mode](vector) == vector["ciphertext"]
    if mode in ("ccm", "ocb"):
        sealed = aead_object(mode, vector).encrypt(vector["iv"], vector["plaintext"], vector["aad"])
        return sealed == vector["ciphertext"] + vector["tag"]
    if mode in OWN:
        return OWN[mode](vector) == (vector["ciphertext"], vector["tag"])
    cipher = Cipher(algorithms.AES(vector["key"]), mode_object(mode, vector))
    if mode == "xts":
        # Decryption, as OpenSSL encrypts nothing under a key of two halves that are the same.
        return cipher.decryptor().update(vector["ciphertext"]) == vector["plaintext"]
    encryptor = cipher.encryptor()
    if "aad" in vector:
        encryptor.authenticate_additional_data(vector["aad"])
    ciphertext = encryptor.update(vector["plaintext"]) + encryptor.finalize()
    return ciphertext == vector["ciphertext"] and ("tag" not in vector
                                                   or encryptor.tag == vector["tag"])


def monte_carlo(mode, vector):
    """Returns the outputs of COUNT = 0 to 99 (AESAVS section 6.4)."""
    key, iv, text = vector["key"], vector.get("iv", bytes(16)), vector["input"]
    outputs = []
    for _ in range(100):
        cipher = Cipher(algorithms.AES(key), modes.ECB() if mode == "ecb" else modes.CBC(iv))
        run = cipher.encryptor() if vector["direction"] == "encrypt" else cipher.decryptor()
        before, last = b"", iv
        for _ in range(1000):
            before, last, text = last, run.update(text), last
            if mode == "ecb":
                text = last
        outputs.append(last)
        tail = (before + last)[-len(key):]
        key = bytes(a ^ b for a, b in zip(key, tail))
        iv, text = last, (last if mode == "ecb" else before)
    return outputs


def check_monte_carlo(mode, vector):
    outputs = monte_carlo(mode, vector)
    return all(outputs[n] == vector[f"count_{n}"] for n in (0, 9, 99))


def main():
    wrong = right = 0
    for path in sorted(pathlib.Path(__file__).parent.glob("*.txt")):
        kind, _, mode = path.stem.rpartition("_")
        check = {"monte_carlo": check_monte_carlo, "mac": check_mac}.get(kind, check_vector)
        if mode.startswith("wrap"):
            check = check_wrap
        for vector in read(path):
            if check(mode, vector):
                right += 1
            else:
                wrong += 1
                print(f"{path.name}: {vector['name']}: OpenSSL gives something else")
    print(f"{right} right, {wrong} wrong")
    return wrong != 0 or right == 0


if __name__ == "__main__":
    sys.exit(main())
