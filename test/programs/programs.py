# SPDX-License-Identifier: Apache-2.0
"""What the cases of this folder share: the configurations, processes that end, and the table.

A case is one thing that one program does with AES, as a function of a Bench. `run` calls it under
several configurations, each made from the shipped one:

    ONLY      ctaes, and test/cli/rest.c in the default provider's place: all that the default
              provider has, but no AES. What works here, ctaes did.
    WITHOUT   the same without ctaes: the case must fail, and for lack of AES
    SHIPPED   what users get. Where a case names the process that must have used ctaes, the kernel
              is asked whether code of the module ran in it (test/python/executed.py)

The program at the other end of a connection, or that reads what was written, runs under DEFAULT,
which is no configuration at all, or under the same one.
"""

import contextlib
import ctypes
import dataclasses
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import typing

import configs

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
B = (ROOT / os.environ.get("B", "build")).resolve()
MODULE = B / "ctaes.so"
REST = B / "test" / "cli" / "rest.so"
PYTHON = os.environ.get("PYTHON", "/usr/bin/python3")
CORE = os.environ.get("CTAES_CORE")
ALL = os.environ.get("CTAES_ALL", "0") not in ("", "0")
IS_ROOT = os.geteuid() == 0

MIB = 1 << 20


class Skip(Exception):
    """A case that can't run here, and why."""


# --- Configurations. ------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Way:
    name: str
    config: pathlib.Path

    def env(self, **more):
        if CORE:
            more["CTAES_CORE"] = CORE
        return configs.clean_environment(OPENSSL_CONF=self.config, **more)


def make_ways(folder):
    shipped = configs.derive(configs.SHIPPED.read_text(), module=MODULE)
    only = configs.replace_line(shipped, "default = default_sect", "rest = default_sect")
    only = configs.replace_line(only, "[default_sect]", f"[default_sect]\nmodule = {REST}")
    texts = {
        "DEFAULT": "",
        "SHIPPED": shipped,
        "ONLY": only,
        "WITHOUT": configs.without_ctaes(only),
    }
    return {
        name: Way(name, configs.write(folder, f"{name.lower()}.cnf", text))
        for name, text in texts.items()
    }


# --- Cases. ---------------------------------------------------------------------------------------


@dataclasses.dataclass
class Case:
    program: str
    what: str
    function: typing.Callable
    without: str | None  # what the failure without ctaes says; None: not run under ONLY and WITHOUT
    shipped: bool


CASES = []


def case(program, what, without, shipped=True):
    """Registers a function of a Bench. It returns a few words for the table, or None; what doesn't
    hold is an AssertionError."""

    def register(function):
        CASES.append(Case(program, what, function, without, shipped))
        return function

    return register


# --- Processes. -----------------------------------------------------------------------------------


def adopt_orphans():
    """Makes what is left behind by a process that ends a child of this one (PR_SET_CHILD_SUBREAPER),
    so that end_children finds it."""
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)


def children_of(parent):
    """The process ids of all descendants."""
    parents = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            stat = (folder / "stat").read_text()
            parents[int(folder.name)] = int(stat.rpartition(")")[2].split()[1])
    found = [parent]
    for pid in found:
        found += [child for child, its in parents.items() if its == pid]
    return found[1:]


def end_children():
    """Ends whatever a case started and is still there."""
    for _ in range(50):
        pids = children_of(os.getpid())
        if not pids:
            return
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(0.02)
    raise AssertionError(f"still there: {pids}")


@dataclasses.dataclass
class Answer:
    command: str
    status: int
    out: bytes
    err: str

    @property
    def text(self):
        return self.out.decode(errors="replace")

    def __str__(self):
        return (f"{self.command}\nexit status {self.status}, {len(self.out)} bytes: "
                f"{self.out[-1500:]!r}\n{self.err[-4000:]}")  # fmt: skip


class Bench:
    """One run of a case: a configuration, a folder that everybody can read, and processes."""

    def __init__(self, ways, name, folder):
        self.ways = ways
        self.way = ways[name]
        self.default = ways["DEFAULT"]
        self.folder = folder
        self.logs = []

    def run(self, way, *command, data=b"", cwd=None, timeout=120, **environment):
        """Runs a program to its end. It may fail: see good()."""
        command = [str(x) for x in command]
        process = subprocess.Popen(
            command, env=way.env(**environment), cwd=cwd or self.folder, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        try:
            out, err = process.communicate(data, timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            err += f"\nnot finished after {timeout} s".encode()
        shown = f"{way.name}: {' '.join(command)[:1000]}"
        return Answer(shown, process.returncode, out, err.decode(errors="replace"))

    def good(self, way, *command, **more):
        """Runs a program that must succeed. Returns what it printed."""
        answer = self.run(way, *command, **more)
        assert answer.status == 0, f"{answer}\n{self.tail()}"
        return answer

    def start(self, way, *command, ready, log, **environment):
        """Starts a server in the background, and waits until ready() is true."""
        path = self.folder / log
        self.logs.append(path)
        with open(path, "ab") as output:
            process = subprocess.Popen(
                [str(x) for x in command], env=way.env(**environment), cwd=self.folder,
                stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            )  # fmt: skip
        self.wait_for(lambda: process.poll() is not None or ready())
        assert process.poll() is None, f"{way.name}: {' '.join(map(str, command))}\n{self.tail()}"
        return process

    def wait_for(self, condition, seconds=30):
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, f"waited {seconds} s in vain\n{self.tail()}"
            time.sleep(0.02)

    def tail(self):
        """The ends of the servers' logs."""
        return "\n".join(
            f"--- {path.name}\n{path.read_text(errors='replace')[-3000:]}"
            for path in self.logs
            if path.exists()
        )

    def write(self, name, data, mode=0o644):
        path = self.folder / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        path.chmod(mode)
        return path

    def certificate(self, name="rsa"):
        """A key and a self-signed certificate for localhost. The key's file is not encrypted."""
        key, cert = self.folder / f"{name}-key.pem", self.folder / f"{name}-cert.pem"
        if not cert.exists():
            kind = {"rsa": ["rsa:2048"], "ec": ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]}[name]
            self.good(self.default, "openssl", "req", "-x509", "-newkey", *kind, "-nodes", "-days",
                      "30", "-subj", "/CN=localhost/emailAddress=a@example.org", "-addext",
                      "subjectAltName=DNS:localhost,IP:127.0.0.1,email:a@example.org",
                      "-config", self.request_config(), "-keyout", key, "-out", cert)  # fmt: skip
        return key, cert

    def request_config(self):
        return self.write("req.cnf", "[req]\ndistinguished_name = name\n[name]\n")

    def ran_ctaes(self, pids, work):
        """Whether work() made any of these processes run code of ctaes.so. What the kernel notes
        may be missed while the CPU remembers a page from before, so this asks more than once."""
        for _ in range(5):
            for pid in pids():
                with contextlib.suppress(OSError):
                    pathlib.Path(f"/proc/{pid}/clear_refs").write_text("1\n")
            work()
            if any(code_used(pid) for pid in pids()):
                return True
        return False


def code_used(pid):
    """Whether code mapped from ctaes.so was used since clear_refs."""
    inside = False
    with contextlib.suppress(OSError):
        for line in pathlib.Path(f"/proc/{pid}/smaps").read_text().splitlines():
            head = re.match(r"[0-9a-f]+-[0-9a-f]+ (\S{4}) \S+ \S+ \d+\s*(.*)", line)
            if head:
                inside = "x" in head[1] and head[2] == str(MODULE)
            elif inside and re.match(r"Referenced:\s+[1-9]", line):
                return True
    return False


@contextlib.contextmanager
def bench(ways, name):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="ctaes-programs-"))
    folder.chmod(0o755)
    try:
        yield Bench(ways, name, folder)
    finally:
        end_children()
        shutil.rmtree(folder, ignore_errors=True)


# --- Small things. --------------------------------------------------------------------------------


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def listens(port):
    with socket.socket() as s:
        return s.connect_ex(("127.0.0.1", port)) == 0


def need(*programs):
    """The paths of programs, some of which are outside users' PATH; Skip if one isn't there."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    found = [shutil.which(x, path=path) for x in programs]
    for program, where in zip(programs, found):
        if where is None:
            raise Skip(f"{program} isn't installed")
    return found if len(found) > 1 else found[0]


def pattern(size):
    """Bytes without a short period, quickly made."""
    block = bytes((i * i * 167 + (i >> 8) * 13) & 255 for i in range(65521))
    return (block * (size // len(block) + 1))[:size]


# CCM isn't in the default list.
TLS13 = (
    "TLS_AES_256_GCM_SHA384:TLS_AES_128_GCM_SHA256:TLS_AES_128_CCM_SHA256:TLS_AES_128_CCM_8_SHA256:"
    "TLS_CHACHA20_POLY1305_SHA256"
)


def aes_suites(bench, version, keys=("RSA",)):
    """The AES suites that libssl has with ctaes and no other AES."""
    listed = bench.good(bench.ways["ONLY"], "openssl", "ciphers", "-v", "-s", f"-{version}",
                        "-ciphersuites", TLS13, "ALL:@SECLEVEL=0").text  # fmt: skip
    rows = [line.split() for line in listed.splitlines()]
    authentications = {f"Au={x}" for x in keys} | {"Au=any"}
    found = [row[0] for row in rows if "Enc=AES" in " ".join(row) and row[3] in authentications]
    assert found, listed
    return found
