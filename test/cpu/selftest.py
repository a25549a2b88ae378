#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recomputes the answers in cores/selftest.c with another library.

    test/cpu/selftest.py            compares, and says which constant is wrong
    test/cpu/selftest.py --print    prints what the constants should be

AES is python3-cryptography's; GHASH is a few lines here, compared with the
library's GCM first.
"""

import pathlib
import re
import sys

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent / "cores" / "selftest.c"

BLOCKS, TAIL = 111, 13
MESSAGE = bytes((i * i // 16 + 7 * i) % 256 for i in range(16 * BLOCKS + TAIL))
WHOLE = MESSAGE[: 16 * BLOCKS]
START = bytes(range(12)) + (2**32 - 38).to_bytes(4, "big")
KEY = bytes(range(32))
PLAIN = bytes(0x11 * i for i in range(16))


def ecb(key, data):
    return Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(data)


def xor(a, b):
    return bytes(x ^ y for x, y in zip(a, b))


def ctr32(key, start, data):
    """CTR whose counter wraps in the last 32 bits."""
    first = int.from_bytes(start[12:], "big")
    blocks = (len(data) + 15) // 16
    counters = b"".join(start[:12] + ((first + i) % 2**32).to_bytes(4, "big") for i in range(blocks))
    return xor(data, ecb(key, counters))


def ghash(h, data):
    """SP 800-38D section 6.4, bit by bit; data is whole blocks."""
    h, y = int.from_bytes(h, "big"), 0
    for i in range(0, len(data), 16):
        x = y ^ int.from_bytes(data[i : i + 16], "big")
        y, v = 0, h
        for bit in range(127, -1, -1):
            if x >> bit & 1:
                y ^= v
            v = v >> 1 ^ (0xE1 << 120 if v & 1 else 0)
    return y.to_bytes(16, "big")


def double(tweak):
    """IEEE 1619-2018 section 5.2: times x, the lowest coefficients first."""
    value = int.from_bytes(tweak, "little") << 1
    return (value % 2**128 ^ (0x87 if value >> 128 else 0)).to_bytes(16, "little")


def xts(key, tweak, data, encrypt):
    """XTS with the same key twice, which libraries refuse; and the tweak after all blocks."""
    cipher = Cipher(algorithms.AES(key), modes.ECB())
    block = cipher.encryptor() if encrypt else cipher.decryptor()
    tweak, out = ecb(key, tweak), b""
    for i in range(0, len(data), 16):
        out += xor(tweak, block.update(xor(tweak, data[i : i + 16])))
        tweak = double(tweak)
    return out, tweak


def check_xts():
    library = Cipher(algorithms.AES(KEY + KEY), modes.XTS(START)).decryptor().update(WHOLE)
    assert xts(KEY, START, WHOLE, False)[0] == library, "this script's XTS is wrong"


def check_ghash():
    """GCM's tag of AAD alone is E(J0) xor GHASH."""
    iv = bytes(12)
    lengths = (8 * len(WHOLE)).to_bytes(8, "big") + bytes(8)
    tag = xor(ghash(ecb(KEY, bytes(16)), WHOLE + lengths), ecb(KEY, iv + b"\0\0\0\1"))
    assert AESGCM(KEY).encrypt(iv, b"", WHOLE) == tag, "this script's GHASH is wrong"


def checksum(data):
    total = len(data)
    for i in range(0, len(data), 8):
        word = int.from_bytes(data[i : i + 8], "little")
        total = (total ^ word) * 0x100000001B3 % 2**64
        total ^= total >> 29
    return total


def answers():
    cbc = Cipher(algorithms.AES(KEY), modes.CBC(START))
    stream = ctr32(KEY, START, MESSAGE)
    h = ecb(KEY, bytes(16))
    end = (int.from_bytes(START[12:], "big") + BLOCKS) % 2**32
    return {
        "fips_197": b"".join(ecb(KEY[:n], PLAIN) for n in (16, 24, 32)),
        "start": START,
        "ctr_end": START[:12] + end.to_bytes(4, "big"),
        "ECB_SUM": checksum(ecb(KEY, WHOLE)),
        "CBC_SUM": checksum(cbc.encryptor().update(WHOLE)),
        "CBC_DECRYPTED_SUM": checksum(cbc.decryptor().update(WHOLE)),
        "CTR_SUM": checksum(stream),
        "encrypted_start": ecb(KEY, START),
        "ghash_message": ghash(h, WHOLE),
        "ghash_ciphertext": ghash(h, stream[: 16 * BLOCKS]),
        "XTS_SUM": checksum(xts(KEY, START, WHOLE, True)[0]),
        "XTS_DECRYPTED_SUM": checksum(xts(KEY, START, WHOLE, False)[0]),
        "xts_end": xts(KEY, START, WHOLE, True)[1],
    }


def constants(text):
    """The constants of selftest.c, by name."""
    found = {}
    for name, value in re.findall(r"#define (\w+_SUM) UINT64_C\((\w+)\)", text):
        found[name] = int(value, 16)
    for name, body in re.findall(r"static const uint8_t (\w+)\[.*?\] = \{(.*?)\};", text, re.S):
        found[name] = bytes(int(x, 16) for x in re.findall(r"0x[0-9a-f]{2}", body))
    return found


def show(value):
    if isinstance(value, int):
        return f"UINT64_C({value:#018x})"
    return "{" + ", ".join(f"{byte:#04x}" for byte in value) + "}"


def main():
    check_ghash()
    check_xts()
    want = answers()
    if "--print" in sys.argv[1:]:
        for name, value in want.items():
            print(name, show(value))
        return 0
    have = constants(SOURCE.read_text())
    wrong = 0
    for name, value in want.items():
        if have.get(name) != value:
            wrong += 1
            print(f"FAIL cores/selftest.c: {name} should be {show(value)}")
    for name in have.keys() - want.keys():
        wrong += 1
        print(f"FAIL cores/selftest.c: {name} isn't checked here")
    print(f"constants: {len(want) - min(wrong, len(want))} passed, {wrong} failed, 0 skipped")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
