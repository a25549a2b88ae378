# SPDX-License-Identifier: Apache-2.0
"""The test of test/run: made-up layers, good ones and such as lie, and what it must say of them."""

import os
import shutil
import subprocess

# layer: (what its run does, what test/run must count: passed, failed, skipped, a word of the reason)
LAYERS = {
    "good": ("echo 'good: 3 passed, 0 failed, 0 skipped'", 3, 0, 0, ""),
    "skips": ("echo 'SKIP x: no tool'; echo 'skips: 2 passed, 0 failed, 1 skipped'", 2, 0, 1, ""),
    "fails": ("echo 'fails: 2 passed, 4 failed, 0 skipped'; exit 1", 2, 4, 0, ""),
    "silent": ("echo hello", 0, 1, 0, "closing line"),
    "talks-on": ("echo 'talks-on: 1 passed, 0 failed, 0 skipped'; echo more", 0, 1, 0, "closing line"),
    "other-name": ("echo 'good: 1 passed, 0 failed, 0 skipped'", 0, 1, 0, "closing line"),
    "empty": ("echo 'empty: 0 passed, 0 failed, 0 skipped'", 0, 1, 0, "ran no test"),
    "only-skips": ("echo 'SKIP x: y'; echo 'only-skips: 0 passed, 0 failed, 1 skipped'", 0, 1, 1,
                   "ran no test"),
    "status": ("echo 'status: 1 passed, 0 failed, 0 skipped'; exit 3", 1, 1, 0, "exit status 3"),
    "killed": ("echo 'killed: 1 passed, 0 failed, 0 skipped'; kill -9 $$", 1, 1, 0, "signal 9"),
    "forgives": ("echo 'forgives: 1 passed, 2 failed, 0 skipped'", 1, 2, 0, "exit status 0"),
    "skips-silently": ("echo 'skips-silently: 1 passed, 0 failed, 1 skipped'", 1, 1, 1, "reasons"),
}


def make_tree(root, run_script):
    shutil.rmtree(root, ignore_errors=True)
    for layer, (script, *_) in LAYERS.items():
        folder = root / "test" / layer
        folder.mkdir(parents=True)
        (folder / "run").write_text(f"#!/bin/sh\n{script}\n")
        (folder / "run").chmod(0o755)
    shutil.copy(run_script, root / "test" / "run")
    (root / "test" / "skips.txt").write_text("# reason\nskips: no tool$\n")


def run(root, *layers, **env):
    done = subprocess.run(
        [root / "test" / "run", *layers], env={**os.environ, "REQUIRE": "0", **env},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )
    return done.returncode, done.stdout


def check(root, run_script):
    """Returns the complaints about test/run."""
    make_tree(root, run_script)
    complaints = []

    def expect(what, condition, output):
        if not condition:
            complaints.append(f"{what}\n{output}")

    for layer, (_, passed, failed, skipped, reason) in LAYERS.items():
        status, output = run(root, layer)
        last = output.splitlines()[-1]
        expect(f"{layer}: counts", last == f"{passed} passed, {failed} failed, {skipped} skipped",
               output)
        expect(f"{layer}: exit status {status}", (status == 0) == (failed == 0), output)
        expect(f"{layer}: the reason", reason in output, output)

    status, output = run(root)
    totals = [sum(row[i] for row in LAYERS.values()) for i in (1, 2, 3)]
    expect("all: counts", output.endswith("{} passed, {} failed, {} skipped\n".format(*totals)),
           output)
    expect("all: exit status", status == 1, output)

    status, output = run(root, "skips", REQUIRE="1")
    expect("a skip that is expected", status == 0, output)
    (root / "test" / "skips.txt").write_text("")
    status, output = run(root, "skips", REQUIRE="1")
    expect("a skip that isn't expected", status == 1, output)

    status, output = run(root, "no-such-layer")
    expect("an unknown layer", status == 2, output)
    shutil.rmtree(root, ignore_errors=True)
    return complaints
