# SPDX-License-Identifier: Apache-2.0
"""PostgreSQL: pgcrypto, and TLS between psql and the server, in a database of its own."""

import os
import pathlib
import pwd
import shutil

from programs import IS_ROOT, Skip, case, free_port

CONFIG = """
listen_addresses = '127.0.0.1'
port = {port}
unix_socket_directories = '{folder}'
fsync = off
shared_buffers = 16MB
max_connections = 20
ssl = on
ssl_cert_file = '{folder}/cert.pem'
ssl_key_file = '{folder}/key.pem'
ssl_ciphers = 'ALL:@SECLEVEL=0'
ssl_max_protocol_version = 'TLSv1.2'
"""

# Known answers of SP 800-38A (F.1.1, F.2.5), and messages there and back.
QUERIES = r"""
CREATE EXTENSION pgcrypto;
SELECT encode(encrypt('\x6bc1bee22e409f96e93d7e117393172a', '\x2b7e151628aed2a6abf7158809cf4f3c', 'aes-ecb/pad:none'), 'hex') = '3ad77bb40d7a3660a89ecaf32466ef97';
SELECT encode(encrypt_iv('\x6bc1bee22e409f96e93d7e117393172a', '\x603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4', '\x000102030405060708090a0b0c0d0e0f', 'aes-cbc/pad:none'), 'hex') = 'f58c4c04d6e5f1ba779eabfb5f7bfbd6';
SELECT bool_and(decrypt(encrypt(convert_to(repeat('x', n), 'utf8'), k, 'aes'), k, 'aes') = convert_to(repeat('x', n), 'utf8')) FROM generate_series(0, 300) n, (VALUES ('\x00112233445566778899aabbccddeeff'::bytea), ('\x00112233445566778899aabbccddeeff0011223344556677')) v(k);
SELECT bool_and(pgp_sym_decrypt(pgp_sym_encrypt(repeat('y', n), 'phrase', 'cipher-algo=' || c), 'phrase') = repeat('y', n)) FROM generate_series(0, 40) n, (VALUES ('aes128'), ('aes192'), ('aes256')) v(c);
SELECT cipher LIKE '%AES%GCM%' FROM pg_stat_ssl WHERE pid = pg_backend_pid();
"""


def find_programs():
    for folder in sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), reverse=True):
        if (folder / "initdb").exists() and shutil.which("psql"):
            return folder
    raise Skip("PostgreSQL's server isn't installed")


@case("PostgreSQL", "pgcrypto: encrypt, encrypt_iv with known answers, pgp_sym_encrypt; over TLS 1.2 with AES-GCM",
      without="encrypt error|unsupported|no ciphers|handshake failure|Cannot use|not supported|cipher list")  # fmt: skip
def pgcrypto(bench):
    programs = find_programs()
    as_user = []
    if IS_ROOT:
        # PostgreSQL doesn't run as root.
        user = pwd.getpwnam("postgres")
        as_user = ["setpriv", "--reuid", user.pw_uid, "--regid", user.pw_gid, "--clear-groups"]
        os.chown(bench.folder, user.pw_uid, user.pw_gid)
    key, cert = bench.certificate()
    for path, name in ((key, "key.pem"), (cert, "cert.pem")):
        copy = bench.write(name, path.read_bytes(), 0o600)
        if IS_ROOT:
            os.chown(copy, user.pw_uid, user.pw_gid)
    data, port = bench.folder / "data", free_port()
    bench.good(bench.default, *as_user, programs / "initdb", "-A", "trust", "-U", "tester", "-N",
               "--no-locale", "-E", "UTF8", "-D", data)  # fmt: skip
    with open(data / "postgresql.conf", "a") as f:
        f.write(CONFIG.format(port=port, folder=bench.folder))
    bench.start(bench.way, *as_user, programs / "postgres", "-D", data, log="postgres.log",
                ready=lambda: "ready to accept" in (bench.folder / "postgres.log").read_text())  # fmt: skip
    where = f"host=127.0.0.1 port={port} user=tester dbname=postgres"
    # Without TLS, so that pgcrypto's own answer is heard even if TLS doesn't work.
    queries = QUERIES.strip().splitlines()
    sql = [x for query in queries[:-1] for x in ("-c", query)]
    common = ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"]
    answer = bench.good(bench.default, *common, *sql, f"{where} sslmode=disable")
    assert answer.text.split() == ["t"] * 4, answer
    answer = bench.good(bench.default, *common, "-c", queries[-1], f"{where} sslmode=require")
    assert answer.text.split() == ["t"], answer
