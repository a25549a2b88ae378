# SPDX-License-Identifier: Apache-2.0
"""How the tests of this folder call the openssl command, with whom doing the work.

    DEFAULT     the default provider alone: what is right
    STRICT      a configuration that leaves nothing but ctaes with this core (python/configs.py)
    ALONE       no configuration, `-provider ctaes`: no other provider is there
    BESIDE      no configuration, `-provider ctaes -provider default`, and a property query
                without which the default provider might answer

In the last three AES can come from nowhere but ctaes; test_controls.py shows that they fail
without it.
"""

import dataclasses
import os
import pathlib
import re
import subprocess

import configs

CORE = os.environ["CTAES_TEST_CORE"]
MODULE = pathlib.Path(os.environ["CTAES_TEST_MODULE"])
WORK = pathlib.Path(os.environ["CTAES_TEST_WORK"])

# Every cipher of ctaes that the enc command accepts: it refuses AEADs.
ENC_NAMES = [f"aes-{bits}-{mode}" for mode in ("ecb", "cbc", "ctr") for bits in (128, 192, 256)]


@dataclasses.dataclass(frozen=True)
class Way:
    name: str
    config: pathlib.Path
    options: tuple = ()

    def env(self, **more):
        env = configs.clean_environment(OPENSSL_CONF=self.config)
        if self.name != "DEFAULT":
            env["CTAES_CORE"] = CORE
        return {**env, **more}

    def command(self, name, *arguments):
        return ["openssl", name, *self.options, *map(str, arguments)]


def write_config(name, **changes):
    return configs.write(WORK, name, configs.derive(configs.SHIPPED.read_text(), **changes))


NO_CONFIG = configs.write(WORK, "empty.cnf", "")
PATH = ("-provider-path", str(MODULE.parent))
QUERY = ("-propquery", f"provider=ctaes,ctaes.core={CORE}")

DEFAULT = Way("DEFAULT", NO_CONFIG)
STRICT = Way("STRICT", write_config("strict.cnf", module=MODULE, strict=CORE))
ALONE = Way("ALONE", NO_CONFIG, (*PATH, "-provider", "ctaes"))
BESIDE = Way("BESIDE", NO_CONFIG, (*PATH, "-provider", "ctaes", "-provider", "default", *QUERY))

CTAES_WAYS = [STRICT, ALONE, BESIDE]

# The configuration as users get it. Whether ctaes did the work, only STRICT can tell.
SHIPPED = Way("SHIPPED", write_config("shipped.cnf", module=MODULE))


@dataclasses.dataclass
class Answer:
    status: int
    out: bytes
    err: str

    def reasons(self):
        """The errors that OpenSSL printed, without what differs between providers (function, file
        and line): [("1C800064", "Provider routines", "bad decrypt")]."""
        return re.findall(r"error:([0-9A-F]{8}):([^:]*):[^:]*:([^:]*)", self.err)

    def __repr__(self):
        return f"exit status {self.status}, {len(self.out)} bytes: {self.out[:200]!r}\n{self.err}"


def openssl(way, name, *arguments, data=b"", **environment):
    """Runs an openssl command to its end, with data as its standard input."""
    p = subprocess.run(
        way.command(name, *arguments),
        env=way.env(**environment),
        input=data,
        capture_output=True,
        timeout=120,
    )
    return Answer(p.returncode, p.stdout, p.stderr.decode(errors="replace"))


def good(answer):
    """The output of a command that must have gone well, in every respect."""
    assert answer.status == 0 and not answer.reasons(), answer
    return answer.out


def text(answer):
    return good(answer).decode()
