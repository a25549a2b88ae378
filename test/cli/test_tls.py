# SPDX-License-Identifier: Apache-2.0
"""TLS and DTLS with CBC cipher suites: s_server and s_client, one with ctaes and one without, or both.

libssl takes stitched ciphers (AES-128-CBC-HMAC-SHA1 and the like) from the default provider where it
has them, which needs a CPU with AES instructions, but not for SHA-384 and not with encrypt-then-MAC.
In the configuration ONLY there is no AES but ctaes's at all (rest.c): what works there, ctaes did.
"""

import os
import re
import ssl
import subprocess
import sys
import threading

import configs
import pytest
from test_enc import secret
from tools import DEFAULT, MODULE, SHIPPED, WORK, Way, good, openssl, text

REST = os.environ["CTAES_TEST_REST"]

# The names of the shipped file's section of the default provider are kept.
ONLY_TEXT = configs.replace_line(
    configs.replace_line(
        configs.derive(configs.SHIPPED.read_text(), module=MODULE),
        "default = default_sect",
        "rest = default_sect",
    ),
    "[default_sect]",
    f"[default_sect]\nmodule = {REST}",
)
ONLY = Way("ONLY", configs.write(WORK, "only.cnf", ONLY_TEXT))
WITHOUT = Way("WITHOUT", configs.write(WORK, "only-not.cnf", configs.without_ctaes(ONLY_TEXT)))

# Hides AES-NI and PCLMULQDQ.
MASK = "~0x200000200000000"

# Each key length with each hash that there is.
SUITES = [
    "ECDHE-RSA-AES256-SHA384",
    "ECDHE-RSA-AES128-SHA256",
    "AES256-SHA256",
    "ECDHE-RSA-AES128-SHA",
    "AES256-SHA",
]
OLD = [suite for suite in SUITES if suite.endswith("-SHA")]
VERSIONS = {"TLSv1.2": ("-tls1_2", SUITES), "TLSv1.1": ("-tls1_1", OLD), "TLSv1": ("-tls1", OLD)}

# Lines that the server sends back reversed: records of all these lengths and some large ones.
LINES = ["".join(chr(97 + (n + i) % 26) for i in range(n)) for n in [*range(1, 290), 1000, 4096, 15000]]
SENT = "".join(line + "\n" for line in [*LINES, "CLOSE"]).encode()
ECHO = "".join(line[::-1] + "\n" for line in LINES).encode()


@pytest.fixture(scope="module")
def identity():
    key, cert = WORK / "tls-key.pem", WORK / "tls-cert.pem"
    made = openssl(DEFAULT, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=x",
                   "-days", "30", "-keyout", key, "-out", cert)  # fmt: skip
    assert made.status == 0, made
    return ["-key", key, "-cert", cert, "-cipher", "ALL:@SECLEVEL=0"]


class Process:
    """A command that runs beside the test, for as long as the `with` block, or a minute."""

    def __init__(self, way, name, *arguments, **environment):
        self.way = way
        self.popen = subprocess.Popen(
            way.command(name, *arguments),
            env=way.env(**environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            bufsize=0,
        )
        self.out = b""
        self.timer = threading.Timer(60, self.popen.kill)
        self.timer.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.timer.cancel()
        self.popen.kill()
        self.popen.communicate()

    def write(self, data):
        self.popen.stdin.write(data)

    def wait_for(self, pattern, start=0):
        """Reads on until the output from start on has the pattern; returns the match."""
        while True:
            found = re.search(pattern, self.out[start:], re.DOTALL)
            if found:
                return found
            more = os.read(self.popen.stdout.fileno(), 65536)
            assert more, f"ended before {pattern!r}:\n{self.out[-3000:]!r}"
            self.out += more


def serve(way, *arguments, **environment):
    return Process(way, "s_server", "-accept", "127.0.0.1:0", *arguments, **environment)


def port_of(server):
    return server.wait_for(rb"ACCEPT \S*:(\d+)\s")[1].decode()


def connect(way, port, version, suite, etm, **environment):
    """One connection. Returns what both made of it."""
    options = ["-cipher", f"{suite}:@SECLEVEL=0", "-ign_eof", "-tlsextdebug"]
    options += [] if etm else ["-no_etm"]
    answer = openssl(way, "s_client", "-connect", f"127.0.0.1:{port}", version, *options,
                     data=SENT, **environment)  # fmt: skip
    what = f"{version} {suite} {'encrypt-then-MAC' if etm else 'MAC-then-encrypt'}"
    assert answer.status == 0 and ECHO in answer.out, f"{what}: {answer}"
    assert (b'extension "encrypt-then-mac"' in answer.out) == etm, what
    assert re.search(rf"Cipher is {suite}\n".encode(), answer.out), what


def connect_all(server, client, versions, **environment):
    port = port_of(server)
    for name in versions:
        option, suites = VERSIONS[name]
        for suite in suites:
            for etm in (True, False):
                start = len(server.out)
                connect(client, port, option, suite, etm, **environment)
                # The server's own opinion, and no error of its.
                closed = server.wait_for(rb"CONNECTION ESTABLISHED.*?CONNECTION CLOSED", start)[0]
                assert f"Protocol version: {name}\n".encode() in closed, closed
                assert f"Ciphersuite: {suite}\n".encode() in closed, closed
                assert b"error" not in closed, closed


# --- The proof. -----------------------------------------------------------------------------------


def test_no_other_aes():
    """In ONLY, AES is ctaes's and nothing else's, and everything else is there."""
    listed = text(openssl(ONLY, "list", "-cipher-algorithms"))
    assert set(re.findall(r"AES-128-\S+ .*@ (\S+)", listed)) == {"ctaes"}
    assert "CBC-HMAC" not in "".join(x for x in listed.splitlines() if "@" in x)
    aes = ["-aes-128-cbc", *secret("aes-128-cbc")]
    good(openssl(ONLY, "enc", *aes, data=b"abc"))
    good(openssl(ONLY, "dgst", "-sha256", data=b"abc"))
    assert openssl(WITHOUT, "enc", *aes, data=b"abc").status != 0
    good(openssl(WITHOUT, "dgst", "-sha256", data=b"abc"))


def test_no_suite_without_ctaes(identity):
    with serve(DEFAULT, "-rev", *identity) as server:
        port = port_of(server)
        for suite in SUITES:
            answer = openssl(WITHOUT, "s_client", "-connect", f"127.0.0.1:{port}", "-tls1_2",
                             "-cipher", f"{suite}:@SECLEVEL=0", data=SENT)  # fmt: skip
            assert answer.status != 0 and "no cipher match" in answer.err, answer


# --- TLS. -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", VERSIONS)
def test_client(identity, version):
    """ctaes decrypts what the default provider encrypted, and the reverse."""
    with serve(DEFAULT, "-rev", *identity) as server:
        connect_all(server, ONLY, [version])


@pytest.mark.parametrize("version", VERSIONS)
def test_server(identity, version):
    with serve(ONLY, "-rev", *identity) as server:
        connect_all(server, DEFAULT, [version])


@pytest.mark.slow
@pytest.mark.parametrize("mask", ["", MASK], ids=["cpu", "masked"])
def test_as_users_have_it(identity, mask):
    """The shipped configuration, in which the default provider's stitched ciphers take the SHA-1 and
    SHA-256 suites without encrypt-then-MAC. Where the CPU has no AES instructions, there are none."""
    # The core is chosen by ctaes: not each runs under the mask.
    environment = {"CTAES_CORE": "", **({"OPENSSL_ia32cap": mask} if mask else {})}
    listed = text(openssl(SHIPPED, "list", "-cipher-algorithms", **environment))
    assert re.search(r"AES-128-CBC.* @ ctaes", listed)
    if mask:
        assert not re.search(r"CBC-HMAC-SHA\S* @ ", listed)
    with serve(SHIPPED, "-rev", *identity, **environment) as server:
        connect_all(server, SHIPPED, ["TLSv1.2"], **environment)


# A record with one byte changed, for each byte in turn, to a new connection: prints what the receiver
# says of it, and the alert that it sends.
FORGE = """
import ssl, sys
key, cert, no_etm = sys.argv[1], sys.argv[2], 1 << 19
def context(side):
    c = ssl.SSLContext(side)
    c.minimum_version = c.maximum_version = ssl.TLSVersion.TLSv1_2
    c.set_ciphers("AES128-SHA:@SECLEVEL=0")
    c.options |= no_etm if sys.argv[3] == "mte" else 0
    return c
server, client = context(ssl.PROTOCOL_TLS_SERVER), context(ssl.PROTOCOL_TLS_CLIENT)
server.load_cert_chain(cert, key)
client.check_hostname, client.verify_mode = False, ssl.CERT_NONE
place, size = 5, None
while size is None or place < size:
    bios = [ssl.MemoryBIO() for _ in range(4)]
    s = server.wrap_bio(bios[0], bios[1], server_side=True)
    c = client.wrap_bio(bios[2], bios[3])
    for _ in range(3):
        for end in (c, s):
            try:
                end.do_handshake()
            except ssl.SSLWantReadError:
                pass
            bios[0].write(bios[3].read())
            bios[2].write(bios[1].read())
    c.write(b"x" * 41)
    record = bytearray(bios[3].read())
    size = len(record)
    record[place] ^= 1
    bios[0].write(record)
    try:
        answer = s.read()
    except ssl.SSLError as e:
        # A Python older than the library has no name for a newer reason, only its text.
        answer = (e.reason or str(e)).replace(" ", "_")
    print(answer, len(bios[1].read()))
    place += 1
print("done", size)
"""


# What libssl says last then: since OpenSSL 3.2 that the record layer failed, on top of why.
RECORD_REFUSED = ["DECRYPTION_FAILED_OR_BAD_RECORD_MAC", "record_layer_failure"]


@pytest.mark.parametrize("kind", ["mte", "etm"])
def test_forged_records(identity, kind):
    """Whichever byte is wrong, of IV, payload, MAC or padding, peers see one and the same thing."""
    if ssl.OPENSSL_VERSION not in text(openssl(DEFAULT, "version")):
        pytest.skip(f"Python's ssl is on {ssl.OPENSSL_VERSION}, not on this openssl's libraries")
    key, cert = identity[1], identity[3]
    p = subprocess.run([sys.executable, "-c", FORGE, key, cert, kind], env=ONLY.env(), text=True,
                       capture_output=True, timeout=60)  # fmt: skip
    *answers, done = p.stdout.splitlines()
    assert p.returncode == 0 and p.stderr == "" and done.startswith("done"), p
    assert len(answers) >= 80
    assert any(word in answers[0] for word in RECORD_REFUSED), answers[0]
    assert len(set(answers)) == 1, set(answers)


# --- DTLS. ----------------------------------------------------------------------------------------

# What one writes, the other shows; s_server's -rev isn't for DTLS. (Some letters at the start of a
# line are commands.)
PIECES = [b"<" + bytes(97 + i % 26 for i in range(n)) + b">\n" for n in (0, 11, 12, 13, 14, 300, 3000)]


@pytest.mark.slow
@pytest.mark.parametrize("ours", ["client", "server"])
@pytest.mark.parametrize("version", ["-dtls1_2", "-dtls1"])
def test_dtls(identity, version, ours):
    server_way, client_way = (DEFAULT, ONLY) if ours == "client" else (ONLY, DEFAULT)
    for suite in [*SUITES[:2], OLD[1]] if version == "-dtls1_2" else OLD:
        for etm in (True, False):
            with serve(server_way, version, *identity) as server:
                options = ["-cipher", f"{suite}:@SECLEVEL=0", "-tlsextdebug"]
                options += [] if etm else ["-no_etm"]
                address = f"127.0.0.1:{port_of(server)}"
                with Process(client_way, "s_client", version, "-connect", address, *options) as client:
                    hello = client.wait_for(rb"CONNECTED.*Cipher is (\S+)\n.*Verify return code.*?---")
                    assert hello[1].decode() == suite
                    assert (b'extension "encrypt-then-mac"' in hello[0]) == etm
                    for piece in PIECES:
                        for sender, receiver in ((client, server), (server, client)):
                            start = len(receiver.out)
                            sender.write(piece)
                            receiver.wait_for(re.escape(piece), start)
                    assert b"rror" not in client.out[hello.end() :] + server.out
