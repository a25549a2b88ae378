# SPDX-License-Identifier: Apache-2.0
"""Builds, harnesses, valgrind: what `run`, the layer, and `matrix` share.

A harness runs under valgrind, prints what failed, a line for each core, and a
last line with its counts (ct_test.h). Valgrind must have reported exactly
nothing that isn't the branch in ctaes_declassify, and that exactly as often as
verdicts were due.
"""

import os
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent

B = os.environ.get("B", "build")
CC = os.environ.get("CC", "gcc")
LEVELS = ("-O0", "-O1", "-O2", "-O3", "-Os")
SHOWN_LINES = 60
# How much of the stack a report shows; few of controls, whose reports are millions.
CALLERS, FEW_CALLERS = 20, 3
LACKS_FEATURES = 3  # exit status of `trace` and `leftovers`
# Of rules.mk, beside `trace` and `leftovers`, which valgrind needn't read.
PROGRAMS = ("core", "common", "evp", "records", "leaky/common", "leaky/ctaes.so",
            "unmarking/ctaes.so")


def is_clang(cc):
    return "clang" in subprocess.run([*cc.split(), "--version"], capture_output=True,
                                     text=True).stdout


# --- Builds -------------------------------------------------------------------------------------


class Build:
    """One compiler with one set of flags, in a folder of its own; the shipped one in B."""

    def __init__(self, cc, level=None):
        self.cc = cc
        self.level = level
        self.shipped = level is None
        self.folder = B if self.shipped else f"{B}/ct-{cc}{level}"
        self.name = "as shipped" if self.shipped else f"{cc} {level}"
        self.clang = is_clang(cc)

    def make(self, jobs=1, cores=None):
        """Returns what went wrong, or None. cores: with these alone."""
        env = dict(os.environ)
        command = ["make", "-s"]
        if self.shipped:
            command += ["test-ct", f"B={self.folder}", f"CC={self.cc}"]
        else:
            for name in ("MAKEFLAGS", "MAKEOVERRIDES", "CFLAGS", "CPPFLAGS", "LDFLAGS"):
                env.pop(name, None)
            # From the environment, so that the Makefile adds its own. What comes last wins: the
            # level must also hold for the cores, to which the ISA table gives one of their own.
            # Lines take clang 40 % of its time. Valgrind 3.19 can't read its default, DWARF 5.
            lines = "-g1 -gdwarf-4" if os.environ.get("CT_LINES") else "-g0"
            env["CFLAGS"] = f"{self.level} {lines}"
            env["CPPFLAGS"] = self.level
            command += ["test-ct-cell", f"-j{jobs}", f"B={self.folder}", f"CC={self.cc}"]
            if cores or os.environ.get("CORES"):
                command.append(f"CORES={cores or os.environ['CORES']}")
        done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            return done.stdout
        if self.shipped and self.clang:
            return self.strip_copies()
        return None

    def strip_copies(self):
        """The shipped objects as they are, but for the debug format that valgrind can't read."""
        for name in ("ctaes.so", *(f"test/ct/{x}" for x in PROGRAMS)):
            target = pathlib.Path(self.where, name)
            target.parent.mkdir(parents=True, exist_ok=True)
            done = subprocess.run(
                ["objcopy", "--strip-debug", f"{self.folder}/{name}", str(target)],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            )
            if done.returncode != 0:
                return done.stdout
        return None

    @property
    def where(self):
        """The folder of what is run."""
        stripped = self.shipped and self.clang
        return f"{self.folder}/test/ct/stripped" if stripped else self.folder

    def harness(self, name):
        folder = self.where if name in PROGRAMS else self.folder
        return f"{folder}/test/ct/{name}"

    def control(self, name):
        return f"{self.where}/test/ct/{name}"

    def list_cores(self, *wrapper):
        """Returns {core: (batch, whether it runs)}; wrapper: valgrind, to ask what it can run."""
        done = subprocess.run([*wrapper, self.harness("core"), "--list"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True)
        rows = [line.split() for line in done.stdout.splitlines()]
        return {name: (batch, runs == "runs") for name, batch, runs in rows}


# --- Valgrind -----------------------------------------------------------------------------------


class Outcome:
    """What one harness and valgrind said."""

    def __init__(self, output, log, status, seconds):
        self.output = output
        self.log = log
        self.status = status
        self.seconds = seconds  # of a CPU
        m = re.search(r"^harness: (\d+) passed, (\d+) failed, (\d+) (?:reports|steps|needles)$",
                      output, re.M)
        self.finished = m is not None and output.rstrip().endswith(m[0])
        self.passed, self.failed, self.reports = map(int, m.groups()) if m else (0, 0, 0)
        m = re.search(r"^verdicts: (\d+)$", output, re.M)
        self.verdicts = int(m[1]) if m else None
        # core: (passed, failed, reports, verdicts)
        self.cores = {name: tuple(map(int, numbers)) for name, *numbers in re.findall(
            r"^core (\S+): (\d+) passed, (\d+) failed, (\d+) reports, (\d+) verdicts$", output, re.M)}
        self.suppressed = {name: int(count) for count, name in
                           re.findall(r"used_suppression:\s+(\d+) (\S+)", log)}
        m = re.search(r"ERROR SUMMARY: ([\d,]+) errors", log)
        self.errors = int(m[1].replace(",", "")) if m else None

    def reports_text(self):
        """The reports without what valgrind tells about itself before and after."""
        lines = [re.sub(r"^==\d+== ?", "", x) for x in self.log.splitlines() if x.startswith("==")]
        first = next((i for i, x in enumerate(lines) if re.match(
            r"(Conditional|Use of|Invalid|Syscall|Process|Jump|Argument|Source and|valgrind:)", x)),
            len(lines))
        last = next((i for i, x in enumerate(lines) if x.startswith("HEAP SUMMARY")), len(lines))
        return "\n".join(lines[first:last])

    def text(self):
        lines = [x for x in self.output.splitlines() if x.startswith("FAIL ")]
        shown = lines[:15] + [f"... {len(lines) - 15} more"] * (len(lines) > 15)
        rest = "" if lines else self.output
        return "\n".join([*shown, rest, self.reports_text()]).strip()


def harness_environment(core=None, **more):
    env = dict(os.environ)
    for name in ("OPENSSL_CONF", "OPENSSL_MODULES", "OPENSSL_ia32cap", "CTAES_CORE"):
        env.pop(name, None)
    env["OPENSSL_CONF"] = "/dev/null"
    if core:
        env["CTAES_CORE"] = core
    return dict(env, **more)


def execute(command, env):
    """Returns what it printed, its exit status, and the seconds of a CPU that it took."""
    with subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace") as process:
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return output, process.returncode, usage.ru_utime + usage.ru_stime


def run_harness(log_name, command, callers=CALLERS, **environment):
    """Under valgrind."""
    log = pathlib.Path(B) / "test" / "ct" / "logs" / f"{log_name.replace(' ', '_')}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.unlink(missing_ok=True)
    output, status, seconds = execute(
        ["valgrind", "-v", "--error-limit=no", "--default-suppressions=no",
         f"--suppressions={HERE}/verdicts.supp", "--leak-check=no", f"--num-callers={callers}",
         f"--log-file={log}", *command],
        harness_environment(**environment))
    text = log.read_text(errors="replace") if log.exists() else ""
    return Outcome(output, text, status, seconds)


def run_natively(command, core=None, **more):
    """Without valgrind."""
    output, status, seconds = execute(command, harness_environment(core, **more))
    return Outcome(output, "", status, seconds)


def complaints_about(outcome, clean):
    """clean: valgrind must have reported nothing; or else it is a control, whose probes know
    themselves what they must have caught. Returns a list, empty if all is well."""
    complaints = []
    if not outcome.finished:
        complaints.append("the harness didn't come to its end")
    if outcome.errors is None:
        complaints.append("valgrind gave no summary")
    elif outcome.errors != outcome.reports:
        complaints.append(f"valgrind counts {outcome.errors} reports, the harness {outcome.reports}")
    if outcome.failed or (outcome.finished and not outcome.passed):
        complaints.append(f"{outcome.failed} of {outcome.failed + outcome.passed} probes failed")
    elif outcome.status != 0:
        complaints.append(f"exit status {outcome.status}")
    if clean:
        if outcome.reports:
            complaints.append(f"{outcome.reports} reports")
        due = {"ctaes_declassify": outcome.verdicts} if outcome.verdicts else {}
        if outcome.suppressed != due:
            complaints.append(f"suppressed reports: {outcome.suppressed}, verdicts due: {due}")
    return complaints


# What is wrong on purpose, and by which harness it must be caught: of the module in which folder,
# over which core.
CONTROLS = (
    ("leaky core", "core", ["leaky"]),
    ("unmarking core", "core", ["unmarking"]),
    ("leaky ct.h", "leaky/common", []),
    ("leaky core through EVP", "evp", ["leaky", "leaky", "leaky:2"]),
    ("leaky glue through EVP", "evp", ["leaky", "leaky-glue", "{good}"]),
    ("unmarking core through EVP", "evp", ["unmarking", "unmarking", "unmarking:2"]),
    ("leaky glue, records", "records", ["leaky", "leaky-glue", "{good}"]),
    ("unmarking core, records", "records", ["unmarking", "unmarking", "unmarking:2"]),
)


def jobs_of(build, cores, sample):
    """Returns [(what, command, whether it must be clean)]. cores: {name: batch}, what valgrind can
    run. The controls always take a sample; one core has enough of the larger one in records."""
    how = ["--small-sample" if build.level == "-O0" else "--sample"] if sample else []  # ct_test.h
    forced = [f"{name}:{batch}" for name, batch in cores.items()]
    rows = [
        ("common", [build.harness("common")], True),
        ("cores and modes", [build.harness("core"), *how, *cores], True),
        ("through EVP", [build.harness("evp"), *how, build.where, "clean", *forced], True),
        ("records", [build.harness("records"), *how, build.where, "clean", *forced], True),
    ]
    for what, harness, words in CONTROLS:
        # The last core is the good one in the leaky glue: it runs everywhere.
        words = [build.control(w) if i == 0 and harness != "core" else w.format(good=forced[-1])
                 for i, w in enumerate(words)]
        options = {"leaky/common": [], "records": ["--sample"]}.get(harness, ["--small-sample"])
        rows.append((f"control: {what}", [build.harness(harness), *options, *words], False))
    return rows


def missing_cores(outcome, cores):
    """The cores that a harness was to run and doesn't say that it did."""
    return [f"nothing from core {name}" for name in cores
            if not outcome.cores.get(name, (0,))[0]]
