# SPDX-License-Identifier: Apache-2.0
"""What clearing registers and stack costs: each core against itself in a module that doesn't.

    make bench-clearing
    test/bench/clearing.py vaes512 aesni     just these cores, once the programs are built

Both modules do the same message, key set, in turns, in one process (bench.c). Prints a table: how
much longer a message takes with clearing, the median of many rounds, and the 10th and 90th percentile.
"""

import json
import os
import pathlib
import subprocess
import sys

B = pathlib.Path(os.environ.get("B", "build")).resolve()
OPERATIONS = {"cbc-enc": "CBC encryption", "ctr": "CTR", "gcm-enc": "GCM encryption"}
SIZES = (16, 64, 256)
BITS = 256
SECONDS = 0.4  # for a cell


def measure(core):
    """Returns {(operation, size): (median, p10, p90)} in per cent, or why it can't run here."""
    env = {k: v for k, v in os.environ.items() if k not in ("OPENSSL_ia32cap", "CTAES_CORE")}
    env["OPENSSL_CONF"] = "/dev/null"
    cells = [(op, size) for op in OPERATIONS for size in SIZES]
    done = subprocess.run(
        [B / "test/bench/bench", "--modules", B, "--floor", B / "test/bench", "--seconds",
         str(SECONDS), "--tolerance", "0.001", f"uncleared:{core}", f"evp:{core}"],
        input="".join(f"{op} {BITS} {size} fresh\n" for op, size in cells), env=env, text=True,
        stdout=subprocess.PIPE,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode != 0 or len(answers) != 1 + len(cells):
        sides = answers[0]["sides"] if answers else []
        return next((s["unusable"] for s in sides if "unusable" in s), "bench failed")
    return {
        cell: sorted(100 * (1 / ratio - 1) for ratio in answer["sides"][f"evp:{core}"]["ratio"])
        for cell, answer in zip(cells, answers[1:])
    }


def main():
    cores = sys.argv[1:] or subprocess.run(
        ["make", "-s", "print-cores"], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    print("| core, AES-256 | " + " | ".join(
        f"{name} {size} B" for name in OPERATIONS.values() for size in SIZES) + " |")
    print("|---" * (1 + len(OPERATIONS) * len(SIZES)) + "|")
    for core in cores:
        cells = measure(core)
        if isinstance(cells, str):
            print(f"| `{core}` | can't run here: {cells} |")
            continue
        print(f"| `{core}` | " + " | ".join(
            f"{mid:+.1f} % ({low:+.1f} to {high:+.1f})" for low, mid, high in cells.values()) + " |",
            flush=True)


if __name__ == "__main__":
    main()
