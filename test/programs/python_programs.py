# SPDX-License-Identifier: Apache-2.0
"""Python's ssl and hashlib, and `cryptography` beside them in one process."""

import json
import pathlib
import re
import shutil

from programs import B, MODULE, PYTHON, Skip, aes_suites, case

HERE = pathlib.Path(__file__).parent
ECHO = HERE / "tls_echo.py"
IN_PROCESS = HERE / "python_in_process.py"

NO_CIPHER = "No cipher can be selected|HANDSHAKE_FAILURE|handshake failure|NO_CIPHERS|NO_SHARED_CIPHER"
WAYS = "8 connections at once for each AES suite of TLS 1.2 and for TLS 1.3"


def suites(bench):
    found = [("1.2", x) for x in aes_suites(bench, "tls1_2")]
    # Python can't choose among those of TLS 1.3: AES-256-GCM is the first.
    return [x for x in found if "DHE-RSA" not in x[1] or "ECDHE" in x[1]] + [("1.3", "")]


def python(*arguments):
    return [PYTHON, "-B", *arguments]


def echo(bench, server_way, client_way):
    key, cert = bench.certificate()
    log = bench.folder / "server.out"
    bench.start(server_way, *python(ECHO, "server", key, cert), log="server.out",
                ready=lambda: re.search(r"^\d+\n", log.read_text(), re.MULTILINE))  # fmt: skip
    port = re.search(r"^\d+\n", log.read_text(), re.MULTILINE)[0].strip()
    for version, suite in suites(bench):
        answer = bench.good(client_way, *python(ECHO, "client", cert, port, version, suite, 8))
        assert answer.text.split() == [suite or "TLS_AES_256_GCM_SHA384"], answer


@case("Python", f"asyncio server: {WAYS}; client without ctaes", without=NO_CIPHER)
def server(bench):
    echo(bench, bench.way, bench.default)


@case("Python", f"asyncio client: {WAYS}; server without ctaes", without=NO_CIPHER)
def client(bench):
    echo(bench, bench.default, bench.way)


@case("Python", f"both ends in one process: {WAYS}", without=NO_CIPHER)
def both(bench):
    key, cert = bench.certificate()
    for version, suite in suites(bench):
        bench.good(bench.way, *python(ECHO, "both", key, cert, version, suite, 8))


# --- What ran, by the kernel's word. --------------------------------------------------------------


def ask(bench, way, interpreter, *uses):
    key, cert = bench.certificate()
    answer = bench.run(way, interpreter, "-B", IN_PROCESS, MODULE, *uses, TEST_KEY=key, TEST_CERT=cert,
                       PYTHONPATH=HERE.parent / "python")  # fmt: skip
    if "no notes of the pages" in answer.err:
        raise Skip("this kernel keeps no notes of the pages used")
    assert answer.status == 0, answer
    return json.loads(answer.text)


def compare(bench, interpreter, *uses, hashes=()):
    """With ctaes everything but hashes runs its code; without, nothing does."""
    found = ask(bench, bench.way, interpreter, *uses)
    assert found["used"] == {name: name not in hashes for name in uses}, found
    control = ask(bench, bench.default, interpreter, *uses)
    assert not any(control["used"].values()), control
    return found


@case("Python", "ssl and RAND_bytes run code of ctaes.so (OpenSSL 3.0's CTR-DRBG on its AES), hashlib doesn't",
      without=None)  # fmt: skip
def standard_library(bench):
    compare(bench, PYTHON, "ssl", "random", "hashlib", hashes=("hashlib",))


@case("Python", "Debian's cryptography beside ssl, on one libcrypto", without=None)
def debian_cryptography(bench):
    found = compare(bench, PYTHON, "cryptography", "ssl", "hashlib", "cryptography", hashes=("hashlib",))
    assert len(set(found["versions"].values())) == 1, found


def find_wheel(bench):
    """A Python whose `cryptography` brings its own OpenSSL."""
    for path in (str(B / "venv" / "bin" / "python3"), shutil.which("python3")):
        code = ("import cryptography, ssl; from cryptography.hazmat.backends.openssl import backend; "
                "print(cryptography.__version__, backend.openssl_version_text().split()[1], "
                "ssl.OPENSSL_VERSION.split()[1])")  # fmt: skip
        answer = bench.run(bench.default, path, "-c", code) if path and pathlib.Path(path).exists() else None
        if answer and answer.status == 0 and len(set(answer.text.split()[1:])) == 2:
            return path, answer.text.split()
    raise Skip("no cryptography with an OpenSSL of its own (`make venv`)")


@case("Python", "the cryptography wheel, with its own OpenSSL, beside ssl: two libcryptos in one process",
      without=None)  # fmt: skip
def two_libraries(bench):
    interpreter, (version, its, systems) = find_wheel(bench)
    for order in (("ssl", "cryptography", "ssl", "hashlib"), ("cryptography", "ssl", "hashlib")):
        found = compare(bench, interpreter, *order, hashes=("hashlib",))
        assert len(set(found["versions"].values())) == 2, found
    return f"cryptography {version} with OpenSSL {its}, ssl with {systems}"
