# SPDX-License-Identifier: Apache-2.0
"""What the self-test costs at load: measured and printed, not judged, as the time of a test on a
busy machine says little. The best of several processes is what the machine can do.

    first       the first one in a process: its code and constants are not in the caches yet
    later       the median of 201 after it
    load        by how much OSSL_PROVIDER_load is slower for it, with a mapped module: the medians
                of 50, with the self-test and without
"""

import facts

PROCESSES = 7


def numbers(done):
    try:
        return [float(x) for x in done.stdout.split()]
    except ValueError:
        return []


def best(results, what, *command, **environment):
    """The least of each of two numbers that a program prints, or None."""
    rows = []
    for _ in range(PROCESSES):
        done = facts.run(*command, **environment)
        row = numbers(done)
        if done.returncode != 0 or len(row) != 2:
            results.check(False, what, f"{done.stdout.decode()}{done.stderr}")
            return None
        rows.append(row)
    results.check(True, what)
    return [min(column) for column in zip(*rows)]


def check(cores, features):
    results = facts.Results()
    for core in cores:
        if core.lacks(features):
            continue
        direct = best(results, f"the time of {core.name}'s self-test", facts.WORK / "cores",
                      "--time", core.name)
        what = f"the time of loading with {core.name}"
        command = (facts.LOADER, facts.BROKEN, 50)
        tested = best(results, what, *command, CTAES_CORE=core.name)
        untested = best(results, f"{what}, without self-test", *command, CTAES_CORE=core.name,
                        CTAES_TEST_NO_SELFTEST=1)
        if direct and tested and untested:
            results.note(
                f"self-test of {core.name}: first {direct[0]:.1f} us, later {direct[1]:.1f} us; "
                f"load {tested[1]:.1f} us instead of {untested[1]:.1f} us")
    return results
