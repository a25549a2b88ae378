# SPDX-License-Identifier: Apache-2.0
"""The openssl command on messages and keys in files: cms, smime, pkcs12, encrypted PEM.

Everything is written under the configuration that is tested and read without ctaes, and the reverse.
"""

import json

from programs import B, MIB, Skip, case, pattern

NO_AES = "unsupported|nknown cipher|nknown option|nvalid command|nvalid cipher|unknown pbe"
BOTH_WAYS = "written with ctaes and read without, and the reverse"
BITS = (128, 192, 256)


def pairs(bench):
    return [(bench.way, bench.default), (bench.default, bench.way)]


def openssl(bench, way, *arguments, **more):
    return bench.good(way, "openssl", *arguments, **more)


def refused(bench, way, reasons, *arguments):
    answer = bench.run(way, "openssl", *arguments)
    assert answer.status != 0 and any(x in answer.err for x in reasons), answer
    assert answer.status > 0, f"a crash: {answer}"


def send(bench, command, encrypt, decrypt, size=100_003, last=()):
    """Encrypts a message by `openssl command`, with the arguments `last` at the end, and decrypts it at
    the other side. Yields the file of each message."""
    data = pattern(size)
    plain = bench.write("plain", data)
    for writer, reader in pairs(bench):
        message = bench.folder / "message"
        openssl(bench, writer, command, *encrypt, "-binary", "-in", plain, "-out", message, *last)
        assert data[:1000] not in message.read_bytes()
        out = openssl(bench, reader, command, *decrypt, "-binary", "-in", message).out
        assert out == data, f"{command} {encrypt}: {len(out)} bytes, not {len(data)}"
        yield message


def has(bench, word):
    listed = openssl(bench, bench.ways["ONLY"], "list", "-cipher-algorithms").text
    return any(word in x and "@ ctaes" in x for x in listed.splitlines())


@case("openssl", "list: what the columns of this table claim", without="no AES is there")
def lists(bench):
    """In ONLY all AES is that of ctaes, and there are no ciphers with AES and a MAC in one; as shipped,
    ctaes-check finds that ctaes is preferred for every cipher that it has."""
    listed = openssl(bench, bench.ways["ONLY"], "list", "-cipher-algorithms").text
    if bench.way.name == "SHIPPED":
        found = json.loads(bench.run(bench.way, B / "ctaes-check", "--json").text)["algorithms"]
        its = " ".join(x for x in listed.splitlines() if x.endswith(" @ ctaes"))
        others = [x for x, provider in found.items() if provider != "ctaes" and x in its]
        served = [x for x, provider in found.items() if provider == "ctaes"]
        assert served and not others, others
        return f"{len(served)} algorithms"
    listed = openssl(bench, bench.way, "list", "-cipher-algorithms").text
    rows = [x.rpartition(" @ ") for x in listed.splitlines() if " @ " in x and "AES" in x.upper()]
    assert rows, "no AES is there"
    assert {provider for _, _, provider in rows} == {"ctaes"}, rows
    assert not any("HMAC" in names for names, _, _ in rows), rows


@case("openssl", f"cms: for an RSA key with AES-CBC and AES-GCM of all key lengths, as DER, PEM and S/MIME, "
      f"streamed; with a password; with a given key; {BOTH_WAYS}", without=NO_AES)  # fmt: skip
def cms(bench):
    key, cert = bench.certificate()
    n = 0
    for mode in ("cbc", "gcm"):
        for bits in BITS:
            for form in (["DER"], ["PEM"], ["SMIME"], ["DER", "-stream"]):
                # OpenSSL 3.0 doesn't stream authenticated messages.
                if mode == "gcm" and "-stream" in form:
                    continue
                encrypt = ["-encrypt", f"-aes-{bits}-{mode}", "-outform", *form, "-recip", cert]
                decrypt = ["-decrypt", "-inform", form[0], "-inkey", key, "-recip", cert]
                n += len(list(send(bench, "cms", encrypt, decrypt)))
    for bits in BITS:
        cipher = f"-aes-{bits}-cbc"
        password = ["-pwri_password", "a phrase"]
        n += len(list(send(bench, "cms", ["-encrypt", cipher, "-outform", "DER", *password],
                           ["-decrypt", "-inform", "DER", *password])))  # fmt: skip
        secret = ["-secretkey", "5a" * (bits // 8)]
        n += len(list(send(bench, "cms", ["-EncryptedData_encrypt", cipher, "-outform", "DER", *secret],
                           ["-EncryptedData_decrypt", "-inform", "DER", *secret])))  # fmt: skip
    return f"{n} messages"


@case("openssl", "cms: a damaged message with AES-GCM, and another one's password, are refused", without=NO_AES)
def cms_damaged(bench):
    key, cert = bench.certificate()
    decrypt = ["-decrypt", "-inform", "DER", "-inkey", key, "-recip", cert]
    encrypt = ["-encrypt", "-aes-256-gcm", "-outform", "DER", "-recip", cert]
    for message in send(bench, "cms", encrypt, decrypt):
        whole = bytearray(message.read_bytes())
        whole[len(whole) // 2] ^= 1
        damaged = bench.write("damaged", bytes(whole))
        for way in (bench.way, bench.default):
            answer = bench.run(way, "openssl", "cms", *decrypt, "-binary", "-in", damaged)
            assert answer.status > 0, answer
    encrypt = ["-encrypt", "-aes-256-cbc", "-outform", "DER", "-pwri_password", "one"]
    for message in send(bench, "cms", encrypt, ["-decrypt", "-inform", "DER", "-pwri_password", "one"]):
        for way in (bench.way, bench.default):
            refused(bench, way, ["unwrap", "decrypt"], "cms", "-decrypt", "-inform", "DER",
                    "-pwri_password", "two", "-in", message)  # fmt: skip


@case("openssl", f"cms: for an EC key, and for a key-encryption key: AES key wrap; {BOTH_WAYS}", without=NO_AES)
def cms_wrap(bench):
    if bench.way.name != "SHIPPED" and not has(bench, "AES-128-WRAP"):
        raise Skip("ctaes has no AES key wrap yet: the default provider does it")
    key, cert = bench.certificate("ec")
    for bits in BITS:
        encrypt = ["-encrypt", f"-aes-{bits}-cbc", "-outform", "DER"]
        wrap = [f"-aes{bits}-wrap"]
        list(send(bench, "cms", [*encrypt, *wrap, "-recip", cert],
                  ["-decrypt", "-inform", "DER", "-inkey", key, "-recip", cert]))  # fmt: skip
        kek = ["-secretkey", "a5" * (bits // 8), "-secretkeyid", "00112233"]
        list(send(bench, "cms", [*encrypt, *kek], ["-decrypt", "-inform", "DER", *kek]))


@case("openssl", f"smime: AES-CBC of all key lengths, streamed and not, 8 MiB; {BOTH_WAYS}", without=NO_AES)
def smime(bench):
    key, cert = bench.certificate()
    decrypt = ["-decrypt", "-inform", "DER", "-inkey", key, "-recip", cert]
    for bits in BITS:
        for stream in ([], ["-stream"]):
            encrypt = ["-encrypt", f"-aes{bits}", "-outform", "DER", *stream]
            size = 8 * MIB + 5 if bits == 128 else 1003
            list(send(bench, "smime", encrypt, decrypt, size, [cert]))


@case("openssl", f"pkcs12: keys and certificates with AES-CBC of all key lengths; {BOTH_WAYS}", without=NO_AES)
def pkcs12(bench):
    key, cert = bench.certificate()
    for writer, reader in pairs(bench):
        for bits in BITS:
            store = bench.folder / "store.p12"
            pbe = ["-keypbe", f"AES-{bits}-CBC", "-certpbe", f"AES-{bits}-CBC"]
            openssl(bench, writer, "pkcs12", "-export", "-inkey", key, "-in", cert, *pbe,
                    "-passout", "pass:a phrase", "-out", store)  # fmt: skip
            shown = openssl(bench, reader, "pkcs12", "-in", store, "-passin", "pass:a phrase", "-noenc").text
            for path in (key, cert):
                body = path.read_text().split("-----")[2]
                assert body in shown, shown
            refused(bench, reader, ["invalid password"], "pkcs12", "-in", store, "-passin", "pass:b", "-noenc")


@case("openssl", f"encrypted PEM keys: PBES2 with PBKDF2 and scrypt, and the traditional form, AES-CBC and "
      f"AES-CFB of all key lengths; {BOTH_WAYS}", without=NO_AES)  # fmt: skip
def keys(bench):
    phrase, wrong = "pass:a phrase", "pass:another"
    for kind in ("rsa", "ec"):
        key, _ = bench.certificate(kind)
        public = openssl(bench, bench.default, "pkey", "-in", key, "-pubout").text
        for writer, reader in pairs(bench):
            for bits in BITS:
                cipher = f"aes-{bits}-cbc"
                forms = {
                    "PBKDF2": ["pkcs8", "-topk8", "-v2", cipher, "-in", key],
                    "CFB": ["pkcs8", "-topk8", "-v2", f"aes-{bits}-cfb", "-in", key],
                    "scrypt": ["pkcs8", "-topk8", "-v2", cipher, "-scrypt", "-in", key],
                    "pkey": ["pkey", f"-{cipher}", "-in", key],
                    "traditional": [kind, *(["-traditional"] if kind == "rsa" else []), f"-{cipher}",
                                    "-in", key],
                }  # fmt: skip
                for form, command in forms.items():
                    path = bench.folder / "encrypted.pem"
                    openssl(bench, writer, *command, "-passout", phrase, "-out", path)
                    head = path.read_text().split("\n")[:3]
                    assert ("ENCRYPTED" in head[0] if form != "traditional" else
                            f"AES-{bits}-CBC" in "".join(head)), head  # fmt: skip
                    shown = openssl(bench, reader, "pkey", "-in", path, "-passin", phrase, "-pubout").text
                    assert shown == public, form
            refused(bench, reader, ["bad decrypt", "maybe wrong password", "Could not read"],
                    "pkey", "-in", path, "-passin", wrong)  # fmt: skip
