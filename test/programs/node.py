# SPDX-License-Identifier: Apache-2.0
"""Node.js: https, and crypto's streams. It brings its own OpenSSL."""

import pathlib

from programs import aes_suites, case, need

HTTPS = pathlib.Path(__file__).with_name("https.js")
NO_CIPHER = "handshake failure|HANDSHAKE_FAILURE|no cipher match|NO_CIPHER_MATCH|NO_CIPHERS_AVAILABLE|unsupported"
WHAT = "22 requests at once, up to 4 MB, for each AES suite of TLS 1.2 and 1.3"


def suites(bench):
    found = aes_suites(bench, "tls1_2") + aes_suites(bench, "tls1_3")
    return [x for x in found if not x.startswith("DHE-")]


def https(bench, server_way, client_way):
    node = need("node")
    key, cert = bench.certificate()
    log = bench.folder / "server.out"
    bench.start(server_way, node, HTTPS, "server", key, cert, log="server.out",
                ready=lambda: log.read_text().endswith("\n"))  # fmt: skip
    port = log.read_text().split()[0]
    assert port.isdigit(), log.read_text()
    names = suites(bench)
    answer = bench.good(client_way, node, HTTPS, "client", cert, port, *names)
    assert answer.text == f"done {len(names)}\n", answer
    return f"{len(names)} suites"


@case("Node.js", f"https server: {WHAT}; client without ctaes", without=NO_CIPHER)
def server(bench):
    return https(bench, bench.way, bench.default)


@case("Node.js", f"https client: {WHAT}; server without ctaes", without=NO_CIPHER)
def client(bench):
    return https(bench, bench.default, bench.way)


@case("Node.js", "crypto: streams in CBC, CTR and GCM with all key lengths; an encrypted private key",
      without=NO_CIPHER)  # fmt: skip
def streams(bench):
    answer = bench.good(bench.way, need("node"), HTTPS, "files")
    assert answer.text == "done\n", answer
