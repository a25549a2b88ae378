# SPDX-License-Identifier: Apache-2.0
"""What the checks of this layer share: the cores of the build, what a CPU offers according to
OpenSSL, what a program sees when it loads the module, and the counting."""

import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "python"))

import configs  # noqa: E402

B = pathlib.Path(os.environ.get("B", "build"))
CC = os.environ.get("CC", "gcc")
WORK = B / "test" / "load"
BROKEN = WORK / "broken"  # the folder of the module whose cores can be broken
LOADER = WORK / "loader"
OPENSSL = shutil.which("openssl") or "openssl"

# Commands must answer; under an emulator on a busy machine they may take their time.
TIMEOUT = 120

# Where `openssl info -cpusettings` shows a feature: its word (0: leaf 1, 1: leaf 7) and bit, which
# are those of OPENSSL_ia32cap(3). The names are those of cores/cpu.c.
FEATURES = {
    "SSE2": (0, 26),
    "PCLMULQDQ": (0, 32 + 1),
    "SSSE3": (0, 32 + 9),
    "SSE4.1": (0, 32 + 19),
    "AES-NI": (0, 32 + 25),
    "AVX": (0, 32 + 28),
    "AVX2": (1, 5),
    "AVX512F": (1, 16),
    "AVX512DQ": (1, 17),
    "AVX512BW": (1, 30),
    "AVX512VL": (1, 31),
    "AVX512VBMI": (1, 32 + 1),
    "GFNI": (1, 32 + 8),
    "VAES": (1, 32 + 9),
    "VPCLMULQDQ": (1, 32 + 10),
}
OSXSAVE = (0, 32 + 27)

# What can't be used without another: AVX is the ymm registers, AVX512F the zmm registers.
NEEDS_AVX = {"AVX2", "VAES", "VPCLMULQDQ", "AVX512F"}
NEEDS_AVX512 = {"AVX512DQ", "AVX512BW", "AVX512VL", "AVX512VBMI"}


class Results:
    """Counts the checks of one part, and keeps what there is to print."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.lines = []

    def check(self, good, what, detail=""):
        if good:
            self.passed += 1
        else:
            self.failed += 1
            self.lines.append(f"FAIL {what}")
            self.lines += [f"     {x}" for x in str(detail).splitlines()[:40]]
        return good

    def equal(self, seen, wanted, what):
        return self.check(seen == wanted, what, f"is       {seen!r}\nshould be {wanted!r}")

    def skip(self, what):
        self.skipped += 1
        self.lines.append(f"SKIP {what}")

    def note(self, text):
        self.lines.append(f"note {text}")


def run(*command, data=None, **environment):
    """Runs a program to its end, in an environment without what steers OpenSSL and ctaes but for
    `environment`. Its output is bytes, its errors are text."""
    done = subprocess.run([str(x) for x in command], input=data or b"",
                          env=configs.clean_environment(OPENSSL_CONF="/dev/null", **environment),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT)
    done.stderr = done.stderr.decode(errors="replace")
    return done


# --- Cores and features ---------------------------------------------------------------------------


@dataclasses.dataclass
class Core:
    name: str
    needs: list  # names of FEATURES
    slots: list  # names of the functions that it has

    def lacks(self, features):
        """Why a CPU with these features can't run it, in the module's words; "" if it can."""
        missing = [x for x in self.needs if x not in features]
        return f"this CPU lacks {', '.join(missing)}" if missing else ""


def find_cores():
    """The cores of the build, best first."""
    cores = []
    for line in run(WORK / "cores").stdout.decode().splitlines():
        name, needs, slots = line.split("\t")
        cores.append(Core(name, [x for x in needs.split(", ") if x], slots.split()))
    return cores


# What the compiler may use with a flag of the Makefile's ISA table. A CPU that has AVX512F has AVX2
# too, and so on down, so that what is implied needn't be said by the core.
FLAGS = {"-mssse3": "SSSE3", "-msse4.1": "SSE4.1", "-maes": "AES-NI", "-mpclmul": "PCLMULQDQ",
         **{f"-m{x.lower()}": x for x in FEATURES if x.startswith(("AVX", "GF", "V"))}}
IMPLIES = {"AVX512BW": "AVX512F", "AVX512DQ": "AVX512F", "AVX512VL": "AVX512F",
           "AVX512VBMI": "AVX512BW", "AVX512F": "AVX2", "AVX2": "AVX", "AVX": "SSE4.1",
           "SSE4.1": "SSSE3"}


def implied(features):
    """These features, and all that are there with them."""
    found = set()
    for name in features:
        while name and name not in found:
            found.add(name)
            name = IMPLIES.get(name)
    return found


def isa_flags(core):
    """The instruction sets for which the Makefile has the core compiled."""
    line = re.search(rf"^ISA_{core.name}\s*:=(.*)$", (ROOT / "Makefile").read_text(), re.M)
    return re.findall(r"-m\S+", line[1]) if line else []


def choose(cores, features, broken=None):
    """What `auto` is to do on such a CPU: the core (None: none is left), and the text of what was
    passed over. broken: {name: what its self-test says}."""
    passed_over = []
    for core in cores:
        why = core.lacks(features)
        if not why and broken and core.name in broken:
            why = f"its self-test failed: {broken[core.name]}"
        if not why:
            return core, "; ".join(passed_over)
        passed_over.append(f"{core.name}: {why}")
    return None, "; ".join(passed_over)


def is_x86():
    return os.uname().machine in ("x86_64", "i686", "i586", "i486", "i386")


def find_features(*emulator, **environment):
    """The features of a CPU as OpenSSL reads them, with its own code; None if it doesn't say."""
    out = run(*emulator, OPENSSL, "info", "-cpusettings", **environment).stdout.decode()
    words = re.search(r"OPENSSL_ia32cap=0x([0-9a-f]+):0x([0-9a-f]+)", out)
    if not words:
        return None
    has = lambda place: int(words[1 + place[0]], 16) >> place[1] & 1  # noqa: E731
    found = {name for name, place in FEATURES.items() if has(place)}
    if not has(OSXSAVE):
        found -= {"AVX"}
    if "AVX" not in found:
        found -= NEEDS_AVX
    if "AVX512F" not in found:
        found -= NEEDS_AVX512
    return found


# --- What a program sees --------------------------------------------------------------------------


@dataclasses.dataclass
class Seen:
    text: str
    loaded: bool = False
    errors: list = dataclasses.field(default_factory=list)
    core: str = ""
    passed_over: str = ""
    build_info: str = ""
    compared: int = 0
    different: list = dataclasses.field(default_factory=list)


def load(folder, *emulator, **environment):
    """Loads folder/ctaes.so in a program that compares all of its ciphers with OpenSSL's."""
    done = run(*emulator, LOADER, folder, **environment)
    seen = Seen(f"exit status {done.returncode}\n{done.stdout.decode()}{done.stderr}")
    for line in done.stdout.decode().splitlines() if done.returncode == 0 else []:
        name, _, value = line.partition(" ")
        if name == "loaded":
            seen.loaded = value == "yes"
        elif name == "error":
            seen.errors.append(value)
        elif name == "core":
            seen.core = value
        elif name == "cores-passed-over":
            seen.passed_over = value
        elif name == "buildinfo":
            seen.build_info = value
        elif name == "compared":
            seen.compared = int(value)
        elif name == "different":
            seen.different.append(value)
    return seen


def build_info_begins(core, passed_over):
    """How a build info must begin."""
    return f"core {core}; " + (f"passed over {passed_over}; " if passed_over else "") + "compiled by "


def check_loaded(results, what, seen, core, passed_over):
    """One check: it loaded, with this core, without a trace on the error queue, all that it says of
    itself agrees, and all ciphers are right."""
    complaints = []
    for good, complaint in (
        (seen.loaded, "it didn't load"),
        (not seen.errors, "there are entries on the error queue"),
        (seen.core == core, f"the core should be {core}"),
        (seen.passed_over == passed_over, f"cores-passed-over should be {passed_over!r}"),
        (seen.build_info.startswith(build_info_begins(core, passed_over)),
         f"the build info should begin {build_info_begins(core, passed_over)!r}"),
        (seen.compared >= 12, "hardly a message was compared"),
        (not seen.different, "it computes wrong"),
    ):
        complaints += [] if good else [complaint]
    return results.check(not complaints, what, "\n".join([*complaints, seen.text]))


def check_refused(results, what, seen, reason):
    """One check: it didn't load, and the error queue says this."""
    good = not seen.loaded and any(reason in x for x in seen.errors)
    return results.check(good, what, f"it should fail, and say: {reason}\n{seen.text}")
