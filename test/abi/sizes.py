#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How large the code is: of the module, of each core, and of the smallest AES there is in it.

As a program: prints a table, `make sizes`.
"""

import os
import pathlib
import subprocess
import sys

import elf

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# ct32 compiled for size: AES both ways, with key setup and wiping. 8.5 KiB is what the smallest
# published portable bitsliced AES takes.
MOST_AES_BYTES = 8704

# The functions of ghash_ctmul.h; all others of ct32 are AES, or serve both.
GHASH = {"ghash", "ghash_init", "hash_blocks", "multiply_powers", "set_all_powers", "set_hash_key"}

# What a section's bytes are.
KINDS = (
    ("code", (".text", ".init", ".fini", ".plt")),
    ("constants", (".rodata", ".data.rel.ro", ".data")),
    ("unwinding", (".eh_frame",)),
    ("linking", (".rela.", ".dyn", ".hash", ".gnu.", ".got", ".note")),
)


def by_kind(path):
    """Returns {kind: bytes} of what is loaded of an object or a module."""
    sizes = dict.fromkeys((kind for kind, _ in KINDS), 0)
    for name, size, flags in elf.sections(path):
        for kind, starts in KINDS:
            if "A" in flags and name.startswith(starts):
                sizes[kind] += size
                break
    return sizes


def functions(path):
    """Returns {name: bytes} of an object's functions."""
    rows = (line.split() for line in elf.tool("nm", "-S", "-t", "d", path))
    return {r[3].split(".")[0]: int(r[1]) for r in rows if len(r) == 4 and r[2] in "tT"}


def small_aes(cc, work):
    """Compiles ct32 for size, and returns the bytes of its AES, and complaints."""
    obj = work / "ct32-small.o"
    work.mkdir(parents=True, exist_ok=True)
    command = [*cc.split(), "-std=c11", "-Os", "-fPIC", "-fvisibility=hidden", "-c", "-o", str(obj),
               str(ROOT / "cores/ct32.c")]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        return 0, done.stdout.splitlines()
    found = functions(str(obj))
    complaints = [f"{x} isn't there: what is GHASH and what is AES?"
                  for x in ("ghash", "hash_blocks", "encrypt", "decrypt", "expand_key")
                  if x not in found]
    return sum(n for name, n in found.items() if name not in GHASH), complaints


def check_small_aes(cc, work, most=MOST_AES_BYTES):
    size, complaints = small_aes(cc, work)
    if size > most:
        complaints.append(f"{size} bytes, more than {most}")
    return complaints


def main():
    b = pathlib.Path(os.environ.get("B", "build"))
    files = {"module": b / "ctaes.so"}
    files |= {c: b / f"cores/{c}.o" for c in os.environ.get("CORES", "").split()}
    kinds = [kind for kind, _ in KINDS]
    print(f"{'bytes':10}" + "".join(f"{x:>11}" for x in (*kinds, "sum")))
    for name, path in files.items():
        sizes = by_kind(str(path))
        row = [*(sizes[x] for x in kinds), sum(sizes.values())]
        print(f"{name:10}" + "".join(f"{x:11}" for x in row))
    size, complaints = small_aes(os.environ.get("CC", "gcc"), b / "test" / "abi")
    print("\n".join(complaints) or f"AES of ct32 compiled with -Os, without GHASH: {size} bytes of "
          f"code, at most {MOST_AES_BYTES}")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
