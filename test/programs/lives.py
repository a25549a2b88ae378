# SPDX-License-Identifier: Apache-2.0
"""What happens in the life of a process that has loaded the module: lives.c."""

from programs import ALL, B, IS_ROOT, MODULE, Skip, case

LIVES = B / "test" / "programs" / "lives"
NO_AES = "unsupported"


def live(bench, *arguments):
    return bench.good(bench.way, LIVES, *arguments, timeout=300).text


@case("libcrypto", "16 workers forked after loading, 16 after the first use, with contexts in use and "
      "random numbers of their own", without=NO_AES)  # fmt: skip
def fork(bench):
    return live(bench, "fork")


@case("libcrypto", "64 threads, each with contexts of its own and copies of common ones", without=NO_AES)
def threads(bench):
    return live(bench, "threads")


@case("libcrypto", "first use after chroot into an empty folder", without=NO_AES)
def chroot(bench):
    if not IS_ROOT:
        raise Skip("chroot needs root's rights")
    empty = bench.folder / "empty"
    empty.mkdir()
    live(bench, "chroot", empty)


@case("libcrypto", f"loaded, used and unloaded {2000 if ALL else 300} times; contexts that outlive it; "
      "memory doesn't grow", without=None)  # fmt: skip
def reload(bench):
    live(bench, "reload", MODULE, 2000 if ALL else 300)
    missing = bench.run(bench.way, LIVES, "reload", bench.folder / "no.so", 1)
    assert missing.status == 1 and "loading" in missing.err, missing


@case("libcrypto", "exit: contexts never freed, use in atexit, OPENSSL_cleanup first, from a thread while "
      "another works, with a second library context, _exit", without=NO_AES)  # fmt: skip
def exits(bench):
    for way in range(6):
        for _ in range(5):
            live(bench, "exit", way)
