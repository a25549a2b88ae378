# SPDX-License-Identifier: Apache-2.0
"""The OpenSSL configurations under which programs are tested, and how to ask the module things.

All configurations are made from the one that users get, conf/ctaes.cnf, by replacing single lines,
so that the shipped file is what the tests exercise.

The strict configuration is the proof that ctaes did the work. It asks for

    default_properties = provider=ctaes,ctaes.core=<name>

without the question mark: an algorithm of any other provider, and of ctaes with another core, can't
be fetched then. A program that encrypts with AES under this configuration has done it with this
core of ctaes; there is nothing else that it could have used. Two things must hold for the proof,
and both are tested in the program that is under test: SHA-256 must be out of reach (so the
configuration was read and is obeyed, though the default provider is active), and AES must be out of
reach as soon as the module or the core is missing.

Programs need random numbers even so (Node.js doesn't start without): the strict configuration names
the default provider for those, and its AES inside the random number generator.
"""

import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SHIPPED = ROOT / "conf" / "ctaes.cnf"
INCLUDED = ROOT / "conf" / "ctaes-include.cnf"

RANDOM = """
[random_sect]
random = CTR-DRBG
cipher = AES-256-CTR
properties = provider=default,-ctaes.core
seed = SEED-SRC
seed_properties = provider=default,-ctaes.core
"""


def replace_line(text, old, new):
    """Replaces the one line old; the configuration files must have it exactly once."""
    text, n = re.subn(rf"(?m)^{re.escape(old)}$", lambda _: new, text)
    if n != 1:
        raise AssertionError(f"{n} lines instead of one say: {old}")
    return text


def derive(text, module=None, core=None, strict=None, macs=None):
    """Makes a configuration from the text of a shipped one.

    module: the path to write into the module line; None: OpenSSL is to search for it
    core:   the name to write into the core line; None: not in the configuration
    strict: the core that must do everything; None: the wish of the shipped file stays a wish
    macs:   what to write into the line that leaves the MACs to the default provider, or None
    """
    if module is not None:
        old = "# module = /usr/lib/x86_64-linux-gnu/ossl-modules/ctaes.so"
        text = replace_line(text, old, f"module = {module}")
    if core is not None:
        text = replace_line(text, "# core = ct64", f"core = {core}")
    if macs is not None:
        text = replace_line(text, "# macs = no", f"macs = {macs}")
    if strict is not None:
        text = replace_line(
            text,
            "default_properties = ?provider=ctaes",
            f"default_properties = provider=ctaes,ctaes.core={strict}",
        )
        text = replace_line(
            text,
            "alg_section = evp_properties",
            "alg_section = evp_properties\nrandom = random_sect",
        )
        text += RANDOM
    return text


def without_ctaes(text):
    """Takes ctaes out of the list of providers, and leaves the rest as it is."""
    return replace_line(text, "ctaes = ctaes_sect", "")


def without_default(text):
    """Takes the default provider out of the list of providers, as users forget to put it in."""
    return replace_line(text, "default = default_sect", "")


def write(folder, name, text):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text)
    return path


def clean_environment(**more):
    """The environment without what steers OpenSSL, ctaes, Python or Node.js; `more` is added."""
    env = {
        k: v
        for k, v in os.environ.items()
        if not k.startswith(("OPENSSL_", "CTAES_", "PYTHON", "PYTEST_", "NODE_", "SSL_", "LD_"))
    }
    env["LC_ALL"] = "C.UTF-8"
    # A sanitizer's library, which must come before the program that loads the module.
    if os.environ.get("CTAES_TEST_PRELOAD"):
        env["LD_PRELOAD"] = env["CTAES_TEST_PRELOAD"] = os.environ["CTAES_TEST_PRELOAD"]
    env.update({k: str(v) for k, v in more.items()})
    return env


def run(command, **environment):
    """Runs a program to its end; its output and errors are kept as text."""
    return subprocess.run(
        [str(x) for x in command],
        env=clean_environment(**environment),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=120,
    )


# --- What the module says of itself, asked through the openssl command. ---------------------------


def ask(folder, *command, core=""):
    """Runs an openssl command with just folder/ctaes.so, and CTAES_CORE=core if that isn't empty.
    Returns the exit status, and all that was printed."""
    p = run(
        ["openssl", *command, "-provider-path", folder, "-provider", "ctaes"],
        OPENSSL_CONF="/dev/null",
        **({"CTAES_CORE": core} if core else {}),
    )
    return p.returncode, p.stdout + p.stderr


def cores(folder):
    """The cores of folder/ctaes.so, best first: {name: None, or why it can't run here}."""
    status, text = ask(folder, "list", "-providers", core="?")
    found = re.search(r"this build has: auto ([a-z0-9 ]+)", text)
    if status == 0 or not found:
        raise AssertionError(f"CTAES_CORE=? should fail, and list the cores:\n{text}")
    answers = {name: ask(folder, "list", "-providers", core=name) for name in found[1].split()}
    return {name: text if status else None for name, (status, text) in answers.items()}


def modes(folder):
    """The modes that folder/ctaes.so has for AES-128, as in the names of its ciphers: CBC, ..."""
    _, text = ask(folder, "list", "-cipher-algorithms")
    lines = [line for line in text.splitlines() if line.endswith("@ ctaes")]
    found = re.findall(r"\bAES-128-([A-Z0-9-]+)", "\n".join(lines), re.IGNORECASE)
    return sorted({name.upper() for name in found})
