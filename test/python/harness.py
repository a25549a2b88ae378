# SPDX-License-Identifier: Apache-2.0
"""Runs pytest in processes of its own, a few at a time, and adds up what it found.

What OpenSSL's configuration says holds for the life of a process, so tests under several
configurations need several processes. Used by the `run` of the layers python and cli.
"""

import concurrent.futures
import dataclasses
import os
import pathlib
import re
import subprocess
import xml.etree.ElementTree

import configs

B = pathlib.Path(os.environ.get("B", "build")).resolve()
MODULE = B / "ctaes.so"
PYTHON = os.environ.get("PYTHON", "/usr/bin/python3")

# The quick form of a layer: for the test of the tests, which runs it many times.
QUICK = os.environ.get("CTAES_QUICK", "0") not in ("", "0")


@dataclasses.dataclass
class Outcome:
    label: str
    passed: int = 0
    failed: int = 0
    skips: list = dataclasses.field(default_factory=list)
    output: str = ""


def run_pytest(label, name, work, files, env, python=PYTHON, more_path="", options=()):
    """Runs one process of pytest over files. Its report is work/name.xml. more_path: a folder for
    the end of Python's search path. Returns an Outcome; no report or no test is a failure."""
    outcome = Outcome(label)
    report = work / f"{name}.xml"
    report.unlink(missing_ok=True)
    more = [more_path] if more_path else []
    code = f"import sys; sys.path += {more!r}; import pytest; sys.exit(pytest.main(sys.argv[1:]))"
    p = subprocess.run(
        # A quick run only has to tell good from bad.
        [python, "-c", code, "-q", "--tb=short", f"--maxfail={1 if QUICK else 10}", "-c", "/dev/null"]
        + ["--rootdir", files[0].parent, "-p", "no:cacheprovider"]
        + ["--basetemp", work / f"{name}.tmp", "--junit-xml", report, *options, *files],
        env={**env, "PYTHONPYCACHEPREFIX": str(B / "test" / "pycache")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    outcome.output = p.stdout
    try:
        suite = xml.etree.ElementTree.parse(report).getroot().find("testsuite")
        for case in suite.iter("testcase"):
            for skipped in case.iter("skipped"):
                outcome.skips.append(f"{case.get('name')}: {skipped.get('message')}")
        outcome.failed = int(suite.get("failures")) + int(suite.get("errors"))
        outcome.passed = int(suite.get("tests")) - outcome.failed - len(outcome.skips)
    except (OSError, xml.etree.ElementTree.ParseError) as e:
        outcome.output += f"\nno report of pytest: {e}\n"
    if outcome.failed == 0 and (p.returncode != 0 or outcome.passed == 0):
        outcome.failed = 1
        outcome.output += f"\npytest: exit status {p.returncode}, {outcome.passed} passed\n"
    return outcome


def find_cores():
    """Returns the cores of the module to test with, skips, and failures.

    A core is skipped where the CPU can't run it; where it doesn't load for any other reason, or
    REQUIRE_CORES names it, that is a failure. What a program sees of ctaes through OpenSSL depends
    on the glue, and other layers test every core: so these are the best core, the last one, which
    is the most different, and those that REQUIRE_CORES names; with CTAES_ALL=1 all."""
    if not MODULE.exists():
        raise SystemExit(f"no {MODULE}: build it first (`make`)")
    cores = configs.cores(B)
    usable = [name for name, why in cores.items() if why is None]
    required = set(os.environ.get("REQUIRE_CORES", "").split())
    failures = [f"core {name}: this build has no such core" for name in required - set(cores)]
    skips = []
    for name, why in cores.items():
        if why is not None:
            lacking = re.search(r"\bCPU\b", why) and name not in required
            (skips if lacking else failures).append(f"core {name}: {' '.join(why.split())}")
    if not os.environ.get("CTAES_ALL"):
        usable = [x for x in usable if x in (usable[0], usable[-1]) or x in required]
    return usable, skips, failures


def run_all(layer, jobs, skips, failures, hint=""):
    """Runs the functions in jobs, two at a time; each returns an Outcome. Prints what failed, what
    was skipped and the closing line. Returns the exit status."""
    passed, failed = 0, len(failures)
    for failure in failures:
        print(f"FAILED {failure}")
    with concurrent.futures.ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        for future in concurrent.futures.as_completed([pool.submit(job) for job in jobs]):
            outcome = future.result()
            if outcome.failed:
                print(f"FAILED {outcome.label}\n{outcome.output}")
            else:
                print(f"ok     {outcome.label}: {outcome.passed} tests")
            passed += outcome.passed
            failed += outcome.failed
            skips = skips + [f"{outcome.label}: {x}" for x in outcome.skips]
    if failed and hint:
        print(hint)
    for skip in skips:
        print(f"SKIP {skip}")
    print(f"{layer}: {passed} passed, {failed} failed, {len(skips)} skipped")
    return 1 if failed or not passed else 0
