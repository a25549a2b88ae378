#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What ctaes's speed is worth where programs meet it: `make bench-programs`.

    test/bench/in_programs.py                  everything, 5 minutes; writes the section of docs/benchmarks.md
    test/bench/in_programs.py rand tls         parts: rand tls speed nginx; prints, and writes no section
    ROUNDS=3 ...                            rounds of speed and nginx (default: 3 and 7)

ctaes and the default provider take turns, on one CPU to which all processes are bound, and each
number is a median of ratios of neighbours. That ctaes did the work, and which core, is known
because nothing else could have: TLS runs in a library context, and nginx and curl under a
configuration, whose other provider has no AES (test/cli/rest.c) and which name the core; `openssl
speed` demands both by property. RAND_bytes is a matter of preference, and asked (live.c).

No speed makes this fail; a side that wasn't what it should be does.
"""

import contextlib
import datetime
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(HERE.parent / "programs"), str(HERE.parent / "python")]
import report  # noqa: E402
import tiers  # noqa: E402

B = pathlib.Path(os.environ.get("B", "build"))
CORES = os.environ.get("CORES", "").split()
ROUNDS = os.environ.get("ROUNDS")
MIB = 1 << 20

PROMISED_RAND = 0.95  # on the cores with AES instructions
TLS_CELLS = [
    ("1.3", "TLS_AES_128_GCM_SHA256"),
    ("1.3", "TLS_AES_256_GCM_SHA384"),
    ("1.2", "ECDHE-ECDSA-AES128-GCM-SHA256"),
    ("1.2", "ECDHE-ECDSA-AES256-GCM-SHA384"),
    ("1.2", "ECDHE-ECDSA-AES128-SHA256"),
    ("1.2", "ECDHE-ECDSA-AES256-SHA384"),
    ("1.2", "ECDHE-ECDSA-AES128-SHA"),
]
RECORDS = (1024, 16384)
SPEED_CIPHERS = ("aes-128-gcm", "aes-256-gcm", "aes-128-cbc", "aes-128-ctr", "aes-256-xts")
SPEED_SIZES = (16, 256, 1024, 8192, 16384)
NGINX_SUITES = [
    ("tls1_3", "TLS_AES_128_GCM_SHA256"),
    ("tls1_3", "TLS_AES_256_GCM_SHA384"),
    ("tls1_2", "ECDHE-RSA-AES128-GCM-SHA256"),
    ("tls1_2", "ECDHE-RSA-AES128-SHA256"),
]
NGINX_FILE = 192 * MIB
PROCESSES = 5


class BenchError(Exception):
    pass


def clean_environment(**changes):
    gone = ("CTAES_CORE", "MAKEFLAGS", "MAKELEVEL", "MFLAGS")
    env = {k: v for k, v in os.environ.items() if k not in gone and not k.startswith("OPENSSL_")}
    return {**env, "OPENSSL_CONF": "/dev/null", **{k: str(v) for k, v in changes.items() if v is not None}}


def in_words(ratios):
    """(median, lowest, highest) as text."""
    return f"{ratios[0]:.2f}", f"{ratios[1]:.2f}–{ratios[2]:.2f}"


def of(values):
    return statistics.median(values), min(values), max(values)


# --- TLS records, random numbers ----------------------------------------------------------------


class Live:
    """One process of live.c, with one core, under one tier's mask."""

    def __init__(self, cpu, core, mask, seconds):
        program = B / "test/bench/live"
        self.core = core
        self.process = subprocess.Popen(
            [program, "--modules", B.resolve(), "--rest", (B / "test/cli/rest.so").resolve(),
             "--seconds", str(seconds), "--cpu", str(cpu)],
            env=clean_environment(CTAES_CORE=core, OPENSSL_ia32cap=mask), text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def ask(self, line):
        try:
            print(line, file=self.process.stdin, flush=True)
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            raise BenchError(f"live, {self.core}, {line}: {self.process.stderr.read()}")
        answer = json.loads(answer)
        if answer["core"] != self.core:
            raise BenchError(f"live ran {answer['core']}, not {self.core}")
        return answer

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.communicate()


def runnable(cores):
    """[(core, tier)]: each core in its first tier, if this CPU can run it."""
    rows = []
    for core in cores:
        tier = next((t for t, cs in tiers.plan(cores) if core in cs), None)
        probe = subprocess.run(
            ["openssl", "list", "-providers", "-provider-path", str(B), "-provider", "ctaes"],
            env=clean_environment(CTAES_CORE=core, OPENSSL_ia32cap=tier and tier.mask), capture_output=True)
        if tier is not None and probe.returncode == 0 and b"ctaes" in probe.stdout:
            rows.append((core, tier))
        else:
            print(f"  not measured: {core} can't run here", flush=True)
    return rows


def measure_rand(cpu, rows):
    """In several processes: where memory happens to lie makes more of a difference than the noise."""
    result = []
    for core, tier in rows:
        cells = {16: [], 4096: []}
        for _ in range(PROCESSES):
            with Live(cpu, core, tier.mask, 0.12) as live:
                for n, answers in cells.items():
                    answers.append(live.ask(f"rand {n}"))
        row = {n: {"ratio": of([x["ratio"][0] for x in answers]),
                   "default_ns": statistics.median(x["default_ns"] for x in answers),
                   "ctaes_ns": statistics.median(x["ctaes_ns"] for x in answers)}
               for n, answers in cells.items()}
        result.append({"core": core, "tier": tier.title, "cells": row})
        print("  RAND_bytes", core, *(f"{n} bytes {c['ratio'][0]:.2f}" for n, c in row.items()), flush=True)
    return result


def measure_tls(cpu, rows):
    """On the best core, and on the best one for CPUs without AES instructions."""
    chosen = rows[:1] + [r for r in rows if r[0] not in tiers.HARDWARE_CORES][:1]
    result = []
    for core, tier in chosen:
        with Live(cpu, core, tier.mask, 0.6) as live:
            for version, suite in TLS_CELLS:
                cells = {n: live.ask(f"tls {version} {suite} {n}") for n in RECORDS}
                result.append({"core": core, "tier": tier.title, "version": version, "suite": suite, "cells": cells})
                print("  TLS", version, suite, core, *(f"{n} bytes {c['ratio'][0]:.2f}" for n, c in cells.items()),
                      flush=True)
    return result


# --- openssl speed ------------------------------------------------------------------------------


def speed(cpu, core, mask, cipher, size, by_ctaes):
    """Bytes per second."""
    command = ["taskset", "-c", str(cpu), "openssl", "speed", "-mr", "-seconds", "1", "-bytes", str(size)]
    # The providers must come before -evp, which looks its cipher up at once.
    if by_ctaes:
        command += ["-provider-path", str(B), "-provider", "default", "-provider", "ctaes",
                    "-propquery", f"provider=ctaes,ctaes.core={core}"]
    else:
        command += ["-provider", "default", "-propquery", "provider=default"]
    done = subprocess.run([*command, "-evp", cipher], env=clean_environment(CTAES_CORE=core, OPENSSL_ia32cap=mask),
                          capture_output=True, text=True)
    match = re.search(r"^\+F:\d+:[^:]*:([\d.]+)", done.stdout, re.MULTILINE)
    if done.returncode != 0 or not match:
        raise BenchError(f"{' '.join(command)}:\n{done.stdout}{done.stderr}")
    return float(match[1])


def measure_speed(cpu, rows):
    core, tier = rows[0]
    rounds = int(ROUNDS or 3)
    result = []
    for cipher in SPEED_CIPHERS:
        cells = {}
        for size in SPEED_SIZES:
            speeds = [[], []]
            for i in range(rounds):
                for side in ((0, 1), (1, 0))[i % 2]:
                    speeds[side].append(speed(cpu, core, tier.mask, cipher, size, side == 1))
            cells[size] = {"ratio": of([b / a for a, b in zip(*speeds)]),
                           "default": statistics.median(speeds[0]), "ctaes": statistics.median(speeds[1])}
        result.append({"core": core, "cipher": cipher, "cells": cells})
        print("  openssl speed", cipher, *(f"{n} {c['ratio'][0]:.2f}" for n, c in cells.items()), flush=True)
    return result


# --- nginx and curl -----------------------------------------------------------------------------


def fetch(nginx, way, version, suite):
    """Bytes per second from the end of the handshake on."""
    import nginx as suites
    answer = nginx.bench.good(way, *nginx.curl(
        "--http1.1", *suites.version_options(version, suite), "-o", "/dev/null",
        "-w", "%{size_download} %{time_total} %{time_pretransfer}", nginx.url("large")))
    used = re.search(r"SSL connection using (\S+) / (\S+)", answer.err)
    size, total, before = map(float, answer.text.split())
    if not used or used[2] != suite or size != NGINX_FILE:
        raise BenchError(f"not {suite}: {answer}")
    return size / (total - before)


@contextlib.contextmanager
def benches_of(programs):
    """A folder and processes for each side. The first to end ends the processes of both."""
    with tempfile.TemporaryDirectory() as folder:
        ways = programs.make_ways(pathlib.Path(folder))
        pathlib.Path(folder).chmod(0o755)
        with programs.bench(ways, "DEFAULT") as default, programs.bench(ways, "ONLY") as only:
            yield default, only


def measure_nginx(cpu, rows):
    core = rows[0][0]
    os.environ["CTAES_CORE"] = core
    import nginx as module
    import programs
    programs.adopt_orphans()
    rounds = int(ROUNDS or 7)
    result = []
    with benches_of(programs) as benches:
        servers = []
        for bench, name in zip(benches, ("DEFAULT", "ONLY")):
            server = module.Nginx(bench, bench.ways[name])
            server.trust()
            with open(server.www / "large", "wb") as f:
                for _ in range(NGINX_FILE // MIB):
                    f.write(programs.pattern(MIB))
            servers.append((server, bench.ways[name]))
        for version, suite in NGINX_SUITES:
            speeds = [[], []]
            for i in range(rounds + 1):
                for side in ((0, 1), (1, 0))[i % 2]:
                    bytes_per_second = fetch(*servers[side], version, suite)
                    if i > 0:  # the first time warms up
                        speeds[side].append(bytes_per_second)
            ratio = of([b / a for a, b in zip(*speeds)])
            result.append({"core": core, "version": version, "suite": suite, "ratio": ratio,
                           "default": statistics.median(speeds[0]), "ctaes": statistics.median(speeds[1])})
            print("  nginx", version, suite, f"{ratio[0]:.2f}", flush=True)
    return result


# --- The section --------------------------------------------------------------------------------


def table(header, rows):
    line = " | ".join(header)  # a header may stand for several columns, with bars between
    yield f"| {line} |"
    yield "|" + " --- |" + " --: |" * line.count(" | ")
    yield from ("| " + " | ".join(row) + " |" for row in rows)
    yield ""


def name_core(row):
    return f"`{row['core']}`, {row['tier']}"


def write_nginx(rows):
    yield "### nginx and curl"
    yield ""
    yield f"A file of {NGINX_FILE // MIB} MiB over loopback, both ends on one CPU, core `{rows[0]['core']}`."
    yield ""
    yield from table(["suite", "default, MB/s", "ctaes, MB/s", "ratio", "from, to"], [
        [f"TLS {r['version'][3:].replace('_', '.')} {r['suite']}", f"{r['default'] / 1e6:.0f}",
         f"{r['ctaes'] / 1e6:.0f}", *in_words(r["ratio"])] for r in rows])


def write_speed(rows):
    yield "### openssl speed -evp"
    yield ""
    yield f"Times as fast as the default provider, core `{rows[0]['core']}`, by bytes per call."
    yield ""
    yield from table(["cipher", *map(str, SPEED_SIZES)],
                     [[r["cipher"], *(f"{r['cells'][n]['ratio'][0]:.2f}" for n in SPEED_SIZES)] for r in rows])


def write_tls(rows):
    yield "### TLS records"
    yield ""
    yield "`SSL_write` of one record and the peer's `SSL_read`, over memory BIOs; CBC with encrypt-then-MAC."
    yield ""
    for core in dict.fromkeys(map(name_core, rows)):
        yield f"{core}:"
        yield ""
        yield from table(
            ["suite", *(f"{n} bytes: default, ns | ctaes, ns | ratio | 10 %, 90 %" for n in RECORDS)],
            [[f"TLS {r['version']} {r['suite']}",
              *(x for n in RECORDS for c in [r["cells"][n]]
                for x in (f"{c['default_ns']:.0f}", f"{c['ctaes_ns']:.0f}", *in_words(c["ratio"])))]
             for r in rows if name_core(r) == core])


def write_rand(rows):
    yield "### RAND_bytes"
    yield ""
    yield (f"CTR-DRBG keys itself anew on each call. Promised: {PROMISED_RAND} on cores with AES instructions; "
           f"what is short of that is bold. Median of {PROCESSES} processes, lowest and highest.")
    yield ""
    body = []
    for r in rows:
        cells = []
        for n in (16, 4096):
            c = r["cells"][n]
            ratio, span = in_words(c["ratio"])
            short = r["core"] in tiers.HARDWARE_CORES and c["ratio"][0] < PROMISED_RAND
            cells += [f"{c['default_ns']:.0f}", f"{c['ctaes_ns']:.0f}", f"**{ratio}**" if short else ratio, span]
        body.append([name_core(r), *cells])
    yield from table(["core", *(f"{n} bytes: default, ns | ctaes, ns | ratio | from, to" for n in (16, 4096))], body)


PARTS = {
    "nginx": (measure_nginx, write_nginx),
    "speed": (measure_speed, write_speed),
    "tls": (measure_tls, write_tls),
    "rand": (measure_rand, write_rand),
}


def cpu_model():
    match = re.search(r"^model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return match[1] if match else os.uname().machine


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT).stdout.strip()


def write_section(found):
    run = found["run"]
    load = max(run["load"])
    yield (f"{run['date']}, commit {run['commit']}, {run['openssl']}, {run['cpu']}, CPU {run['pinned_to']} of "
           f"{os.cpu_count()}; {run['seconds']:.0f} s; load average {run['load'][0]:.1f} before, "
           f"{run['load'][1]:.1f} after.")
    yield ""
    if load > 1.6:
        yield "**The machine had other work to do: don't trust these figures.**"
        yield ""
    for name, (_, write) in PARTS.items():
        if found.get(name):
            yield from write(found[name])


def main():
    wanted = sys.argv[1:] or list(PARTS)
    unknown = [x for x in wanted if x not in PARTS]
    if unknown or not CORES:
        print(f"usage: [CORES=...] test/bench/in_programs.py [{' '.join(PARTS)}]: run `make bench-programs`")
        return 2
    os.chdir(ROOT)
    cpu = max(os.sched_getaffinity(0))
    start, load = time.monotonic(), os.getloadavg()[0]
    try:
        rows = runnable(CORES)
        if not rows:
            raise BenchError("no core can run here")
        os.sched_setaffinity(0, {cpu})
        found = {name: PARTS[name][0](cpu, rows) for name in wanted}
    except BenchError as e:
        print(f"bench-programs: {e}")
        return 1
    found["run"] = {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
        "commit": output_of("git", "describe", "--always", "--dirty"),
        "openssl": " ".join(output_of("openssl", "version").split()[:2]),
        "cpu": cpu_model(),
        "pinned_to": cpu,
        "seconds": time.monotonic() - start,
        "load": (load, os.getloadavg()[0]),
    }
    (B / "programs.json").write_text(json.dumps(found, indent=1) + "\n")
    text = "\n".join(write_section(found))
    if len(wanted) < len(PARTS):
        print(text)
        return 0
    report.PAGE.write_text(report.replace_section(report.PAGE.read_text(), "programs", text))
    print(f"{B}/programs.json, {report.PAGE.relative_to(ROOT)}; {found['run']['seconds']:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
