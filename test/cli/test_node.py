# SPDX-License-Identifier: Apache-2.0
"""Node.js, which brings an OpenSSL of its own: the same calls with ctaes and without, compared."""

import json
import pathlib
import shutil
import subprocess

import configs
import pytest
from tools import CORE, DEFAULT, MODULE, SHIPPED, STRICT, WORK, Way, write_config

NODE = shutil.which("node")
CALLS = pathlib.Path(__file__).with_name("node_calls.js")


def node(way, *arguments, **environment):
    return subprocess.run(
        [NODE, *map(str, arguments)],
        env=way.env(**environment),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )


def calls(way, **environment):
    """{name of a call: its result} of node_calls.js."""
    p = node(way, CALLS, **environment)
    assert p.returncode == 0 and p.stderr == "", p.stderr
    lines = [json.loads(line) for line in p.stdout.splitlines()]
    found = {line.pop("name"): line for line in lines}
    assert len(found) == len(lines) and found["end"] == {"value": "reached"}
    return found


@pytest.fixture(scope="module")
def theirs():
    found = calls(DEFAULT)
    assert found.pop("who") == {"value": {"sha256": "ba7816bf", "random": 16, "modules": []}}
    return found


def same(found, theirs):
    different = [
        f"{name}:\n  ctaes   {found[name]}\n  default {theirs[name]}"
        for name in theirs
        if found.get(name) != theirs[name]
    ]
    assert not different, "\n".join(different[:5])
    assert found.keys() == theirs.keys()


def test_strict(theirs):
    """Every result and every exception is the default provider's, and ctaes did it: SHA-256 is out
    of reach in this process, so the default provider's AES was, too."""
    found = calls(STRICT)
    who = found.pop("who")["value"]
    assert who["sha256"] == "error:0308010C:digital envelope routines::unsupported"
    assert (who["random"], who["modules"]) == (16, [str(MODULE)])
    same(found, theirs)


def test_shipped(theirs):
    found = calls(SHIPPED)
    who = found.pop("who")["value"]
    assert who == {"sha256": "ba7816bf", "random": 16, "modules": [str(MODULE)]}
    same(found, theirs)


def test_what_programs_look_for(theirs):
    """The comparison's own check: these are the errors that programs tell apart."""
    bad = theirs["aes-128-gcm 16 wrong tag"]["error"]
    assert bad["message"] == "Unsupported state or unable to authenticate data"
    assert theirs["aes-128-cbc 1000 decrypted, padding true"]["error"]["code"] == (
        "ERR_OSSL_WRONG_FINAL_BLOCK_LENGTH"
    )
    assert theirs["aes-128-cbc 32 decrypted, padding true"]["error"]["code"] == (
        "ERR_OSSL_BAD_DECRYPT"
    )
    assert "value" in theirs["aes-256-ctr 1000 in 7"]


# --- The controls. --------------------------------------------------------------------------------

ONE_CALL = "require('crypto').createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16))"
HASH = "require('crypto').createHash('sha256')"


def test_control_strict_without_ctaes():
    assert node(STRICT, "-e", ONE_CALL).returncode == 0
    text = configs.without_ctaes(STRICT.config.read_text())
    way = Way("X", configs.write(WORK, "node.cnf", text))
    p = node(way, "-e", ONE_CALL)
    assert p.returncode != 0 and "unsupported" in p.stderr, p.stderr


def test_control_strict_without_module(tmp_path):
    way = Way("X", write_config("node.cnf", module=tmp_path / "ctaes.so", strict=CORE))
    p = node(way, "-e", ONE_CALL)
    assert p.returncode != 0 and "unsupported" in p.stderr, p.stderr


def test_control_strict_with_a_wrong_core():
    p = node(STRICT, "-e", ONE_CALL, CTAES_CORE="nonsense")
    assert p.returncode != 0 and "unsupported" in p.stderr, p.stderr


# --- What users meet. -----------------------------------------------------------------------------


def test_missing_module_is_silent(tmp_path):
    way = Way("X", write_config("node.cnf", module=tmp_path / "ctaes.so"))
    p = node(way, "-e", f"{ONE_CALL}; {HASH}")
    assert (p.returncode, p.stderr) == (0, "")


def test_forgotten_default_provider():
    """Node.js doesn't start."""
    conf = configs.without_default(SHIPPED.config.read_text())
    p = node(Way("X", configs.write(WORK, "node.cnf", conf)), "-e", "0")
    assert p.returncode != 0, p


@pytest.mark.parametrize("option", [None, "--openssl-config", "--openssl-shared-config"])
def test_ways_to_name_the_file(option):
    """By OPENSSL_CONF or an option; from nodejs_conf, or with the second option openssl_conf."""
    code = f"{ONE_CALL}; try {{ {HASH} }} catch (e) {{ console.log(e.code) }}"
    if option == "--openssl-config":
        p = node(DEFAULT, f"{option}={STRICT.config}", "-e", code, CTAES_CORE=CORE)
    else:
        p = node(STRICT, *([option] if option else []), "-e", code)
    assert (p.returncode, p.stdout) == (0, "ERR_OSSL_EVP_UNSUPPORTED\n"), p


def test_included(tmp_path):
    """conf/ctaes-include.cnf, in a file without anything else."""
    text = configs.derive(configs.INCLUDED.read_text(), module=MODULE, strict=CORE)
    addition = configs.write(tmp_path, "ctaes-include.cnf", text)
    way = Way("X", configs.write(tmp_path, "openssl.cnf", f".include {addition}\n"))
    assert node(way, "-e", ONE_CALL).returncode == 0
    assert node(way, "-e", HASH).returncode != 0
