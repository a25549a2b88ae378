# SPDX-License-Identifier: Apache-2.0
"""OpenSSH: sshd, ssh, scp and sftp, and keys in encrypted files."""

import concurrent.futures
import getpass
import os
import pathlib
import re
import subprocess

from programs import IS_ROOT, MIB, Skip, case, children_of, free_port, listens, need, pattern

NO_CIPHER = "error in libcrypto"

CONFIG = """
ListenAddress 127.0.0.1
Port {port}
HostKey {folder}/host
PidFile none
AuthorizedKeysFile {folder}/authorized
AuthenticationMethods publickey
PermitRootLogin prohibit-password
StrictModes no
UsePAM no
UseDNS no
SetEnv HOME={folder}
LogLevel DEBUG1
LogVerbose sandbox-seccomp-filter.c:*:*,uidswap.c:*:*
RekeyLimit 1M
KexAlgorithms curve25519-sha256
MaxStartups 100
Ciphers {ciphers}
Subsystem sftp {sftp}
"""


class Sshd:
    def __init__(self, bench, way, ciphers):
        program = need("sshd")
        need("ssh", "scp", "sftp", "ssh-keygen")
        if IS_ROOT and not pathlib.Path("/run/sshd").is_dir():
            raise Skip("sshd, as root, wants the folder /run/sshd, which its service makes")
        self.bench, self.folder = bench, bench.folder
        for name in ("host", "user"):
            (self.folder / name).unlink(missing_ok=True)
            bench.good(bench.default, "ssh-keygen", "-q", "-t", "ed25519", "-N", "",
                       "-f", self.folder / name)  # fmt: skip
        self.port = free_port()
        public = (self.folder / "host.pub").read_text()
        bench.write("known", f"[127.0.0.1]:{self.port} {public}")
        bench.write("authorized", (self.folder / "user.pub").read_bytes())
        sftp = "/usr/lib/openssh/sftp-server"
        sftp = sftp if os.path.exists(sftp) else "internal-sftp"
        text = CONFIG.format(port=self.port, folder=self.folder, ciphers=",".join(ciphers), sftp=sftp)
        config = bench.write("sshd_config", text)
        self.log = self.folder / "sshd.log"
        self.process = bench.start(way, program, "-D", "-e", "-f", config,
                                   ready=lambda: listens(self.port), log="sshd.log")  # fmt: skip

    def options(self, cipher):
        """For ssh, scp and sftp alike: nothing of the user's own files and agents."""
        return [
            "-F", "none", "-i", self.folder / "user", "-o", "IdentitiesOnly=yes",
            "-o", "IdentityAgent=none", "-o", f"UserKnownHostsFile={self.folder}/known",
            "-o", "GlobalKnownHostsFile=none", "-o", "StrictHostKeyChecking=yes",
            "-o", "BatchMode=yes", "-o", "ConnectTimeout=20", "-o", "RekeyLimit=1M",
            "-c", cipher,
        ]  # fmt: skip

    def ssh(self, way, cipher, *command, data=b""):
        where = f"{getpass.getuser()}@127.0.0.1"
        answer = self.bench.good(way, "ssh", "-v", *self.options(cipher), "-p", self.port, where,
                                 *command, data=data)  # fmt: skip
        for direction in ("client->server", "server->client"):
            assert re.search(rf"kex: {direction} cipher: {re.escape(cipher)} ", answer.err), answer
        return answer

    def copy(self, way, cipher):
        """A file there and back by scp, and by sftp."""
        data = pattern(MIB + 7)
        here = self.bench.write("here", data)
        host = f"{getpass.getuser()}@127.0.0.1"
        for program in ("scp", "sftp"):
            there, back = self.folder / f"there-{program}", self.folder / f"back-{program}"
            common = [program, "-q", *self.options(cipher), "-P", self.port]
            if program == "scp":
                self.bench.good(way, *common, here, f"{host}:{there}")
                self.bench.good(way, *common, f"{host}:{there}", back)
            else:
                batch = self.bench.write("batch", f"put {here} {there}\nget {there} {back}\nls {self.folder}\n")
                self.bench.good(way, *common, "-b", batch, host)
            assert there.read_bytes() == data and back.read_bytes() == data, program
            there.unlink()
            back.unlink()


def aes_ciphers(bench):
    need("ssh")
    listed = bench.good(bench.default, "ssh", "-Q", "cipher").text.split()
    return [x for x in listed if x.startswith("aes")]


def all_ciphers(bench, server_way, client_way):
    ciphers = aes_ciphers(bench)
    sshd = Sshd(bench, server_way, ciphers)
    data = pattern(3 * MIB // 2)
    for cipher in ciphers:
        answer = sshd.ssh(client_way, cipher, "cat", data=data)
        assert answer.out == data, answer
        assert answer.err.count("SSH2_MSG_NEWKEYS received") >= 2, f"not re-keyed: {answer}"
    for cipher in ciphers[:: len(ciphers) - 1] if server_way == client_way else ciphers[:1]:
        sshd.copy(client_way, cipher)
    log = sshd.log.read_text(errors="replace")
    wanted = ["seccomp filter"]
    if IS_ROOT:
        wanted += ["permanently_set_uid"]
    missing = [x for x in wanted if x not in log]
    assert not missing, f"the log of sshd does not show {missing}:\n{log[:6000]}"
    return f"{len(ciphers)} ciphers"


WHAT = "each AES cipher: 1.5 MiB there and back through ssh, with new keys in between; scp and sftp"
SEPARATION = "seccomp sandbox" + (" and privilege separation as root" if IS_ROOT else ", not as root")


@case("OpenSSH", f"sshd ({SEPARATION}), {WHAT}; clients without ctaes", without=NO_CIPHER)
def server(bench):
    return all_ciphers(bench, bench.way, bench.default)


@case("OpenSSH", f"ssh, scp, sftp: {WHAT}; sshd without ctaes", without=NO_CIPHER)
def client(bench):
    all_ciphers(bench, bench.default, bench.way)


@case("OpenSSH", f"both ends: {WHAT}", without=NO_CIPHER)
def both(bench):
    all_ciphers(bench, bench.way, bench.way)


@case("OpenSSH", "32 connections at once, aes256-gcm@openssh.com and aes128-ctr", without=NO_CIPHER)
def at_once(bench):
    ciphers = ["aes256-gcm@openssh.com", "aes128-ctr"]
    sshd = Sshd(bench, bench.way, ciphers)
    data = pattern(MIB // 4)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = pool.map(lambda n: sshd.ssh(bench.way, ciphers[n % 2], "cat", data=data), range(32))
        assert all(x.out == data for x in answers)


@case("OpenSSH", "ssh-keygen: keys in files encrypted with aes256-ctr, aes256-gcm@openssh.com, aes128-cbc; "
      "written with ctaes and read without, and the reverse", without=NO_CIPHER)  # fmt: skip
def key_files(bench):
    need("ssh-keygen")
    for writer, reader in ((bench.way, bench.default), (bench.default, bench.way)):
        for cipher in ("aes256-ctr", "aes256-gcm@openssh.com", "aes128-cbc"):
            path = bench.folder / f"{writer.name}-{cipher}"
            bench.good(writer, "ssh-keygen", "-q", "-t", "ed25519", "-Z", cipher, "-a", "4",
                       "-N", "a phrase", "-f", path)  # fmt: skip
            shown = bench.good(reader, "ssh-keygen", "-y", "-P", "a phrase", "-f", path).text
            assert shown.split()[:2] == path.with_suffix(path.suffix + ".pub").read_text().split()[:2]
            wrong = bench.run(reader, "ssh-keygen", "-y", "-P", "another", "-f", path)
            assert wrong.status != 0 and "incorrect passphrase" in wrong.err, wrong


@case("OpenSSH", "the kernel's word that a session's sshd runs code of ctaes.so, as shipped", without=None)
def session_runs_ctaes(bench):
    for way, expected in ((bench.way, True), (bench.default, False)):
        sshd = Sshd(bench, way, ["aes128-ctr"])
        where = f"{getpass.getuser()}@127.0.0.1"
        command = ["ssh", *sshd.options("aes128-ctr"), "-p", sshd.port, where, "cat"]
        # One session goes on while its processes are looked at.
        session = subprocess.Popen([str(x) for x in command], env=bench.default.env(),
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL)  # fmt: skip

        def exchange():
            for _ in range(20):
                session.stdin.write(b"x" * 1000)
                session.stdin.flush()
                missing = 1000
                while missing:
                    piece = os.read(session.stdout.fileno(), missing)
                    assert piece, f"the session ended\n{bench.tail()}"
                    missing -= len(piece)

        exchange()
        found = bench.ran_ctaes(lambda: children_of(sshd.process.pid), exchange)
        session.stdin.close()
        session.wait(20)
        assert found == expected, f"{way.name}: {found}"
