# SPDX-License-Identifier: Apache-2.0
"""nginx serving files to curl."""

import concurrent.futures
import hashlib
import os
import re
import signal
import subprocess
import threading

from programs import (
    ALL, IS_ROOT, MIB, TLS13, aes_suites, case, children_of, free_port, listens, need, pattern,
)  # fmt: skip

NO_HANDSHAKE = "alert handshake failure|no cipher match|no ciphers available"

# Two servers: the second one does MAC-then-encrypt in CBC suites.
CONFIG = """
{user}
daemon off;
worker_processes 2;
pid {folder}/nginx.pid;
error_log {folder}/error.log info;
events {{ worker_connections 512; }}
http {{
    access_log off;
    client_body_temp_path {folder}/t1;
    proxy_temp_path {folder}/t2;
    fastcgi_temp_path {folder}/t3;
    uwsgi_temp_path {folder}/t4;
    scgi_temp_path {folder}/t5;
    root {folder}/www;
    ssl_certificate {folder}/rsa-cert.pem;
    ssl_certificate_key {folder}/rsa-key.pem;
    ssl_certificate {folder}/ec-cert.pem;
    ssl_certificate_key {folder}/ec-key.pem;
    ssl_dhparam {folder}/dh.pem;
    ssl_protocols TLSv1.2 TLSv1.3;
    ssl_ciphers ALL:@SECLEVEL=0;
    ssl_conf_command Ciphersuites {tls13};
    include {folder}/tickets.conf;
    server {{ listen 127.0.0.1:{port} ssl http2; }}
    server {{ listen 127.0.0.1:{mte_port} ssl;
        ssl_conf_command Ciphersuites {tls13}; ssl_conf_command Options -EncryptThenMac; }}
}}
"""


class Nginx:
    def __init__(self, bench, way):
        self.bench, self.folder = bench, bench.folder
        program = need("nginx")
        need("curl")
        self.www = self.folder / "www"
        self.www.mkdir(exist_ok=True)
        for name in ("rsa", "ec"):
            bench.certificate(name)
        bench.good(bench.default, "openssl", "genpkey", "-genparam", "-algorithm", "DH",
                   "-pkeyopt", "group:ffdhe2048", "-out", self.folder / "dh.pem")  # fmt: skip
        bench.write("tickets.conf", "")
        self.write_file("small", 3000)
        self.port, self.mte_port = free_port(), free_port()
        user = "user nobody nogroup;" if IS_ROOT else ""
        text = CONFIG.format(user=user, tls13=TLS13, folder=self.folder, port=self.port, mte_port=self.mte_port)
        config = bench.write("nginx.conf", text)
        bench.logs.append(self.folder / "error.log")
        error_log = self.folder / "error.log"
        self.process = bench.start(way, program, "-e", error_log, "-p", self.folder, "-c", config,
                                   ready=lambda: listens(self.mte_port), log="nginx.out")  # fmt: skip

    def write_file(self, name, size):
        data = pattern(size)
        self.bench.write(f"www/{name}", data)
        return data

    def workers(self):
        return children_of(self.process.pid)

    def reload(self):
        """Returns when all workers are new ones."""
        old = set(self.workers())
        self.process.send_signal(signal.SIGHUP)
        self.bench.wait_for(lambda: len(self.workers()) >= 2 and not old & set(self.workers()))

    def url(self, name, port=None):
        return f"https://127.0.0.1:{port or self.port}/{name}"

    def curl(self, *arguments):
        return ["curl", "-q", "-sS", "-v", "--cacert", self.folder / "both.pem", "--noproxy", "*", *arguments]

    def trust(self):
        both = b"".join((self.folder / f"{x}-cert.pem").read_bytes() for x in ("rsa", "ec"))
        self.bench.write("both.pem", both)

    def fetch(self, way, name, *options, port=None):
        answer = self.bench.good(way, *self.curl(*options, self.url(name, port)))
        expected = (self.www / name).read_bytes()
        assert answer.out == expected, f"{len(answer.out)} bytes, not {len(expected)}: {answer}"
        return answer


def start(bench, way):
    nginx = Nginx(bench, way)
    nginx.trust()
    return nginx


def version_options(version, suite):
    if version == "tls1_3":
        # The security level is that of the list for TLS 1.2, and forbids CCM_8.
        return ["--tlsv1.3", "--tls13-ciphers", suite, "--ciphers", "ALL:@SECLEVEL=0"]
    return ["--tls-max", "1.2", "--ciphers", f"{suite}:@SECLEVEL=0"]


def fetch_all(bench, server_way, client_way):
    """A file over each suite, with CBC suites twice. Returns the number of connections."""
    nginx = start(bench, server_way)
    n = 0
    for version in ("tls1_2", "tls1_3"):
        for suite in aes_suites(bench, version, ("RSA", "ECDSA")):
            ports = [nginx.port] if "GCM" in suite or "CCM" in suite else [nginx.port, nginx.mte_port]
            for port in ports:
                options = version_options(version, suite)
                answer = nginx.fetch(client_way, "small", *options, port=port)
                used = re.search(r"SSL connection using (\S+) / (\S+)", answer.err)
                assert used and used[2] == suite, answer
                n += 1
    return f"{n} connections"


SUITES = "a file over each AES suite of TLS 1.2 (GCM, CCM, CBC with encrypt-then-MAC and without) and 1.3"


@case("nginx", f"server: {SUITES}; curl without ctaes", without=NO_HANDSHAKE)
def server_suites(bench):
    return fetch_all(bench, bench.way, bench.default)


@case("curl", f"client: {SUITES}; nginx without ctaes", without="failed setting cipher list")
def client_suites(bench):
    return fetch_all(bench, bench.default, bench.way)


@case("nginx", "HTTP/2: 200 files over one connection, 20 at a time, TLS 1.3", without=NO_HANDSHAKE)
def http2(bench):
    nginx = start(bench, bench.way)
    data = nginx.write_file("file", 50001)
    out = bench.folder / "out"
    out.mkdir()
    url = nginx.url("file?[1-200]")
    answer = bench.good(bench.default, *nginx.curl(
        "--http2", *version_options("tls1_3", "TLS_AES_128_GCM_SHA256"), "-Z", "--parallel-max", "20",
        "-w", "%{http_version} %{num_connects}\\n", "-o", f"{out}/#1", url))  # fmt: skip
    files = [x.read_bytes() for x in out.iterdir()]
    assert len(files) == 200 and all(x == data for x in files), answer
    lines = answer.text.split("\n")[:-1]
    assert len(lines) == 200 and all(x.startswith("2 ") for x in lines), answer
    assert sum(int(x.split()[1]) for x in lines) == 1, answer


@case("nginx", "64 connections at a time, 256 in all, both ends ctaes", without="cipher list|no cipher")
def many_connections(bench):
    nginx = start(bench, bench.way)
    nginx.fetch(bench.way, "small", *version_options("tls1_2", "ECDHE-RSA-AES256-GCM-SHA384"))
    data = nginx.write_file("file", MIB)
    out = bench.folder / "out"
    out.mkdir()
    answer = bench.good(bench.way, *nginx.curl(
        "--http1.1", "-H", "Connection: close", "-Z", "--parallel-immediate", "--parallel-max", "64",
        "-w", "%{num_connects}\\n", "-o", f"{out}/#1", nginx.url("file?[1-256]")))  # fmt: skip
    files = [x.read_bytes() for x in out.iterdir()]
    assert len(files) == 256 and all(x == data for x in files), answer
    assert answer.text.split() == ["1"] * 256, answer


@case("nginx", "5 reloads under load: no request fails, and the workers are new ones", without=NO_HANDSHAKE)
def reload_under_load(bench):
    nginx = start(bench, bench.way)
    nginx.write_file("file", 4 * MIB)
    stop = threading.Event()
    suites = ["ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA-AES256-SHA384"]

    def load(suite):
        n = 0
        while not stop.is_set():
            # Not HTTP/2: there nginx may tell a new connection to try again elsewhere, which curl reports.
            nginx.fetch(bench.default, "file", "--http1.1", *version_options("tls1_2", suite))
            n += 1
        return n

    nginx.fetch(bench.default, "file", *version_options("tls1_2", suites[0]))
    with concurrent.futures.ThreadPoolExecutor() as pool:
        running = [pool.submit(load, suite) for suite in suites * 2]
        try:
            for _ in range(5):
                before = set(nginx.workers())
                nginx.reload()
                assert not before & set(nginx.workers())
        finally:
            stop.set()
        total = sum(x.result() for x in running)
    assert total >= 10, total
    return f"{total} requests"


SIZE = 1024 if ALL else 256


@case("nginx", f"a file of {SIZE} MiB over TLS 1.3 GCM, TLS 1.2 GCM and CBC, both ends ctaes",
      without="cipher list|no cipher")  # fmt: skip
def large_file(bench):
    nginx = start(bench, bench.way)
    block = pattern(MIB)
    digest = hashlib.sha256()
    with open(nginx.www / "large", "wb") as f:
        for i in range(SIZE):
            piece = i.to_bytes(8, "big") + block[8:]
            digest.update(piece)
            f.write(piece)
    suites = [
        ("tls1_3", "TLS_AES_256_GCM_SHA384"),
        ("tls1_2", "ECDHE-ECDSA-AES128-GCM-SHA256"),
        ("tls1_2", "ECDHE-RSA-AES128-SHA256"),
    ]
    for version, suite in suites:
        command = [*nginx.curl(*version_options(version, suite)), nginx.url("large")]
        with open(bench.folder / "curl.err", "w") as errors:
            p = subprocess.Popen([str(x) for x in command], env=bench.way.env(),
                                 stdout=subprocess.PIPE, stderr=errors)  # fmt: skip
            found = hashlib.sha256()
            while piece := os.read(p.stdout.fileno(), MIB):
                found.update(piece)
            status = p.wait()
        shown = (bench.folder / "curl.err").read_text()
        assert status == 0 and found.digest() == digest.digest(), f"{suite}: {status}\n{shown[-3000:]}"
        assert suite in shown, shown[-3000:]


# --- Session tickets: nginx encrypts them with AES-256-CBC (keys of 80 bytes) or AES-128-CBC (48). --


class Tickets:
    def __init__(self, bench):
        self.bench = bench
        self.nginx = start(bench, bench.way)

    def use(self, *keys):
        """The first key makes tickets, the others still open them."""
        lines = ["ssl_session_tickets on;"]
        for key, size in keys:
            path = self.bench.write(f"ticket-{key}.key", pattern(size + ord(key))[ord(key) :])
            lines.append(f"ssl_session_ticket_key {path};")
        self.bench.write("tickets.conf", "\n".join(lines) + "\n")
        self.nginx.reload()

    def connect(self, version, *options):
        """One request. Returns "New" or "Reused"."""
        # Without AES suites the handshake still works: what is tested is the ticket.
        answer = self.bench.run(
            self.bench.default, "openssl", "s_client", "-connect", f"127.0.0.1:{self.nginx.port}",
            f"-{version}", "-ign_eof", *options, data=b"GET /small HTTP/1.0\r\n\r\n",
        )  # fmt: skip
        found = re.search(r"^(New|Reused), TLS\S+, Cipher is", answer.text, re.MULTILINE)
        served = (self.nginx.www / "small").read_bytes() in answer.out
        assert found and served, f"no answer: {answer}\n{self.bench.tail()}"
        return found[1]


@case("nginx", "session tickets in TLS 1.2 and 1.3, keys for AES-256-CBC and AES-128-CBC, rotated twice",
      without=r"EVP_EncryptInit_ex\(\) failed .*unsupported")  # fmt: skip
def tickets(bench):
    t = Tickets(bench)
    a, b, c = ("a", 80), ("b", 48), ("c", 80)
    versions = ("tls1_2", "tls1_3")
    sessions = {(v, k): bench.folder / f"{v}-{k}.session" for v in versions for k in "ab"}

    def reused(key):
        return [t.connect(v, "-sess_in", sessions[v, key]) for v in versions]

    t.use(a)
    for v in versions:
        assert t.connect(v, "-sess_out", sessions[v, "a"]) == "New"
    assert reused("a") == ["Reused", "Reused"]
    t.use(b, a)
    assert reused("a") == ["Reused", "Reused"], "the older key still opens tickets"
    for v in versions:
        assert t.connect(v, "-sess_out", sessions[v, "b"]) == "New"
    assert reused("b") == ["Reused", "Reused"]
    t.use(c, b)
    assert reused("a") == ["New", "New"], "a key that is gone opens nothing, and breaks nothing"
    assert reused("b") == ["Reused", "Reused"]


@case("nginx", "the kernel's word that workers run code of ctaes.so, as shipped", without=None)
def workers_run_ctaes(bench):
    nginx = start(bench, bench.way)
    data = nginx.write_file("file", 8 * MIB)
    options = version_options("tls1_3", "TLS_AES_128_GCM_SHA256")
    assert data and bench.ran_ctaes(nginx.workers, lambda: nginx.fetch(bench.default, "file", *options))
    # The control: the same without ctaes.
    other = start(bench, bench.default)
    assert not bench.ran_ctaes(other.workers, lambda: other.fetch(bench.default, "file", *options))
