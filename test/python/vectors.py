# SPDX-License-Identifier: Apache-2.0
"""Reads NIST's response files, as Debian's python3-cryptography-vectors carries them.

    [ENCRYPT]                 a section: its name goes with each vector that follows
    [Keylen = 128]            a parameter of the vectors that follow; not needed, skipped

    COUNT = 0                 a vector begins
    KEY = 1f8e49...           names are read in lower case, values as bytes
    FAIL                      decryption must refuse this one
    DataUnitLen = 130         XTS: in bits; this one and the next are read as numbers
    DataUnitSeqNumber = 187
"""

import re

NUMBERS = ("dataunitlen", "dataunitseqnumber")


def count(path):
    """The number of vectors in a file, found in another way than read() finds them."""
    return len(re.findall(r"^count\s*=", path.read_text(), re.IGNORECASE | re.MULTILINE))


def read(path):
    """Returns the vectors of a file: dicts of bytes and numbers, with "where" (for messages), "section"
    ("ENCRYPT", "DECRYPT" or "") and "fail" (a bool)."""
    vectors = []
    section = ""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            if "=" not in line:
                section = line.strip("[]").upper()
            continue
        name, equals, value = (x.strip() for x in line.partition("="))
        name = name.lower()
        if name == "count":
            where = f"{path.name}:{number}"
            vectors.append({"where": where, "section": section, "fail": False})
        elif name == "fail" and not equals:
            vectors[-1]["fail"] = True
        elif equals and vectors and name not in vectors[-1]:
            vectors[-1][name] = int(value) if name in NUMBERS else bytes.fromhex(value)
        else:
            raise ValueError(f"{path}:{number}: not understood: {line}")
    return vectors


def read_ccm(path):
    """The same for CCM's files, in which keys, nonces and lengths, inside brackets or not, hold for
    all vectors that follow, and what isn't there is written as one byte, 00. The values have the
    lengths that they say; "tag" is the tag's length in bytes, an int."""
    found = []
    lengths, now = {}, {}
    for line in path.read_text().splitlines():
        fields = re.findall(r"(\w+) = (\w+)", line.partition("#")[0])
        for name, value in fields:
            if name in ("Alen", "Plen", "Nlen", "Tlen"):
                lengths[name] = int(value)
            elif name == "Count":
                now = {**now, "where": f"{path.name}, count {value}", "fail": False}
                now.pop("payload", None)
                found.append(now)
            elif name == "Result":
                now["fail"] = value == "Fail"
            else:
                if name == "Key":
                    now = dict(now)  # of the vectors that follow
                now[name.lower()] = bytes.fromhex(value)
        if any(name == "Count" for name, _ in fields):
            now["lengths"] = dict(lengths)
    for vector in found:
        sizes = vector.pop("lengths")
        for name, length in (("nonce", "Nlen"), ("adata", "Alen"), ("payload", "Plen")):
            if name in vector:
                vector[name] = vector[name][: sizes[length]]
        vector["tag"] = sizes["Tlen"]
    return found
