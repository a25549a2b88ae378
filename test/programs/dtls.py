# SPDX-License-Identifier: Apache-2.0
"""DTLS 1.2: openssl s_server and s_client, a server for each suite."""

import re
import subprocess

from programs import aes_suites, case

# Around the lengths of blocks, and several blocks. (Some letters at the start of a line are commands.)
PIECES = [f"<{'x' * n}>\n".encode() for n in (0, 11, 12, 13, 14, 300, 3000)]


class End:
    """A process whose input is written here, and whose output goes into a file."""

    def __init__(self, bench, way, name, *arguments):
        self.bench, self.path = bench, bench.folder / f"{name}.log"
        bench.logs.append(self.path)
        with open(self.path, "wb") as output:
            self.process = subprocess.Popen(
                ["openssl", *map(str, arguments)], env=way.env(), stdin=subprocess.PIPE,
                stdout=output, stderr=output, bufsize=0,
            )  # fmt: skip

    def wait_for(self, regex):
        def found():
            text = self.path.read_bytes()
            assert b"rror" not in text, self.bench.tail()
            assert self.process.poll() is None, self.bench.tail()
            return re.search(regex, text, re.DOTALL)

        self.bench.wait_for(found)
        return found()

    def end(self):
        self.process.kill()
        self.process.communicate()


def talk(bench, server_way, client_way):
    key, cert = bench.certificate()
    suites = [x for x in aes_suites(bench, "tls1_2") if not x.startswith("DHE-")]
    for suite in suites:
        bench.logs.clear()
        cipher = ["-dtls1_2", "-cipher", f"{suite}:@SECLEVEL=0"]
        server = End(bench, server_way, "server", "s_server", "-accept", "127.0.0.1:0", *cipher,
                     "-key", key, "-cert", cert)  # fmt: skip
        port = server.wait_for(rb"ACCEPT \S*:(\d+)\s")[1].decode()
        client = End(bench, client_way, "client", "s_client", "-connect", f"127.0.0.1:{port}", *cipher,
                     "-CAfile", cert)  # fmt: skip
        hello = client.wait_for(rb"Cipher is (\S+)\n.*Verify return code.*?---")
        assert hello[1].decode() == suite, hello[0]
        for piece in PIECES:
            for sender, receiver in ((client, server), (server, client)):
                before = receiver.path.read_bytes().count(piece)
                sender.process.stdin.write(piece)
                bench.wait_for(lambda: receiver.path.read_bytes().count(piece) > before)
        client.wait_for(rb"<>")
        server.wait_for(rb"<>")
        client.end()
        server.end()
    return f"{len(suites)} suites"


WHAT = "each AES suite of DTLS 1.2, messages of 3 to 3003 bytes both ways"
NO_CIPHER = "no cipher match|no ciphers available|no shared cipher|handshake failure"


@case("openssl", f"s_server: {WHAT}; client without ctaes", without=NO_CIPHER)
def server(bench):
    return talk(bench, bench.way, bench.default)


@case("openssl", f"s_client: {WHAT}; server without ctaes", without=NO_CIPHER)
def client(bench):
    return talk(bench, bench.default, bench.way)
