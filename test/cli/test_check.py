# SPDX-License-Identifier: Apache-2.0
"""ctaes-check: what it finds in configurations that work and in those that make the usual mistakes."""

import json
import os
import re
import stat
import subprocess

import configs
import pytest
from tools import CORE, MODULE, SHIPPED

PROGRAM = os.environ["CTAES_TEST_CHECK"]


def check(config, *options, **environment):
    env = configs.clean_environment(CTAES_CORE=CORE)
    env.update(environment)
    done = subprocess.run([PROGRAM, "--json", "--config", config, *options], env=env, text=True,
                          capture_output=True)
    assert done.stderr == "", done.stderr
    answer = json.loads(done.stdout)
    assert done.returncode == (0 if answer["ok"] else 1)
    return answer


def openssl_version():
    """Of the libcrypto that ctaes-check says it has."""
    text = subprocess.run([PROGRAM], env=configs.clean_environment(), text=True,
                          capture_output=True).stdout
    return tuple(map(int, re.match(r"OpenSSL +OpenSSL (\d+)\.(\d+)", text).groups()))


def ids(answer):
    return {f["id"] for f in answer["findings"]}


def changed(tmp_path, *replacements):
    text = SHIPPED.config.read_text()
    for old, new in replacements:
        assert old in text, old
        text = text.replace(old, new)
    return configs.write(tmp_path, "changed.cnf", text)


def test_it_works():
    answer = check(SHIPPED.config)
    assert answer["ok"], answer
    assert answer["module"] == str(MODULE.resolve())
    assert answer["configuration"] == str(SHIPPED.config)
    assert [(p["name"], p["core"]) for p in answer["providers"]] == [("ctaes", CORE)]
    assert set(answer["algorithms"].values()) == {"ctaes"}
    assert answer["macs"] == {m: {"provider": "ctaes", "aes": "ctaes"} for m in ("CMAC", "GMAC")}
    assert set(answer["skeymgmts"].values()) <= {"ctaes"}
    assert bool(answer["skeymgmts"]) == (openssl_version() >= (3, 5))
    assert ids(answer) == {"secure-processes", "core-chosen"}


def test_text_for_people():
    env = configs.clean_environment(CTAES_CORE=CORE)
    done = subprocess.run([PROGRAM, "--config", SHIPPED.config], env=env, text=True,
                          capture_output=True)
    assert done.returncode == 0, done
    assert f"core           {CORE}: " in done.stdout
    assert done.stdout.endswith("ctaes does this configuration's AES.\n")
    assert len(done.stdout.splitlines()) <= 24, "more than one screen"


def test_faster_cores_that_were_passed_over():
    """Without AES instructions and SSSE3 the portable cores are left; the reasons are named."""
    answer = check(SHIPPED.config, CTAES_CORE="", OPENSSL_ia32cap="~0x200020200000000:0")
    assert "cpu-masked" in ids(answer) and "core-chosen" not in ids(answer)
    (provider,) = answer["providers"]
    cores = list(configs.cores(MODULE.parent))
    if provider["core"] != cores[0]:
        assert f"{cores[0]}: this CPU lacks" in provider["cores_passed_over"]


def test_secure_memory(tmp_path):
    """The setting is shown; and the openssl command, which has no secure heap, gets an error."""
    assert not check(SHIPPED.config)["providers"][0]["secure_memory"]
    config = changed(tmp_path, ("# secure_memory = yes", "secure_memory = yes"))
    answer = check(config)
    assert answer["ok"] and "secure-memory" in ids(answer), answer
    assert answer["providers"][0]["secure_memory"]
    key = ["-K", "00" * 16, "-iv", "00" * 16]
    done = subprocess.run(["openssl", "enc", "-aes-128-cbc", *key], input=b"abc",
                          env=configs.clean_environment(OPENSSL_CONF=config, CTAES_CORE=CORE),
                          capture_output=True)
    assert done.returncode != 0 and done.stdout == b"", done
    assert b"no secure heap" in done.stderr, done


def test_secure_memory_in_no_word(tmp_path):
    config = changed(tmp_path, ("# secure_memory = yes", "secure_memory = maybe"))
    assert "not-loaded" in ids(check(config))


# What is found, whether all AES goes to ctaes all the same (None: that depends on who is asked for
# first), and the mistake.
MISTAKES = [
    ("not-activated", False, "[ctaes_sect]\nactivate = 1", "[ctaes_sect]\n"),
    ("module-missing", False, "/ctaes.so", "/nosuch/ctaes.so"),
    ("not-loaded", False, "/ctaes.so", "/nosuch/ctaes.so"),
    ("not-configured", False, "ctaes = ctaes_sect", ""),
    ("no-default", False, "default = default_sect", ""),
    ("default-inactive", False, "default = default_sect", ""),
    ("no-preference", None, "default_properties = ?provider=ctaes", ""),
    ("no-preference", None, "?provider=ctaes", "?provider=other"),
    ("not-preferred", False, "?provider=ctaes", "?provider=default"),
    ("mac-not-preferred", False, "?provider=ctaes", "?provider=default"),
    ("demanded", True, "= ?provider=ctaes", "= provider=ctaes"),
    ("fips", False, "= ?provider=ctaes", "= fips=yes"),
    ("no-nodejs", True, "nodejs_conf = openssl_init", ""),
]


@pytest.mark.parametrize("found, ok, old, new", MISTAKES)
def test_mistakes(found, ok, old, new, tmp_path):
    answer = check(changed(tmp_path, (old, new)))
    assert found in ids(answer), answer
    assert ok in (None, answer["ok"]), answer


@pytest.mark.parametrize("no", ["no", "OFF", "false", "0"])
def test_macs_left_to_the_default_provider(no, tmp_path):
    """They have the AES of ctaes inside: that it is so, test_macs.py shows."""
    answer = check(changed(tmp_path, ("[ctaes_sect]\n", f"[ctaes_sect]\nmacs = {no}\n")))
    assert answer["ok"], answer
    assert answer["macs"] == {m: {"provider": "default", "aes": "ctaes"} for m in ("CMAC", "GMAC")}
    assert "macs-left" in ids(answer) and "mac-elsewhere" not in ids(answer)
    text = subprocess.run([PROGRAM, "--config", tmp_path / "changed.cnf"], text=True,
                          env=configs.clean_environment(), capture_output=True).stdout
    assert "CMAC default (its AES: ctaes), GMAC default (its AES: ctaes)" in text


def test_macs_that_are_kept(tmp_path):
    answer = check(changed(tmp_path, ("[ctaes_sect]\n", "[ctaes_sect]\nmacs = yes\n")))
    assert answer["ok"] and "macs-left" not in ids(answer), answer


def test_macs_of_nobody(tmp_path):
    """Demanded from ctaes, which was told to leave them."""
    answer = check(changed(tmp_path, ("[ctaes_sect]\n", "[ctaes_sect]\nmacs = no\n"),
                           ("= ?provider=ctaes", "= provider=ctaes")))
    assert not answer["ok"] and "mac-not-preferred" in ids(answer), answer
    assert answer["macs"]["CMAC"] == {"provider": "", "aes": ""}


def test_macs_elsewhere(tmp_path):
    """The instance that is active leaves them, and the section that is read, the last one of
    ctaes, says nothing of it."""
    answer = check(changed(tmp_path, ("[ctaes_sect]\n", "[ctaes_sect]\nmacs = no\n"),
                           ("ctaes = ctaes_sect", "ctaes = ctaes_sect\nidle = idle_sect\n"
                            f"[idle_sect]\nmodule = {MODULE}")))
    assert answer["macs"] == {m: {"provider": "default", "aes": "ctaes"} for m in ("CMAC", "GMAC")}
    texts = [f["text"] for f in answer["findings"] if f["id"] == "mac-elsewhere"]
    assert texts == [f"{m} is default's, with the AES of ctaes inside." for m in ("CMAC", "GMAC")]
    assert not ids(answer) & {"macs-left", "mac-not-preferred"}, answer


def test_keys_elsewhere(tmp_path):
    """Of a provider that has them but no AES (rest.c), and is preferred."""
    rest = [("default = default_sect", "rest = default_sect"),
            ("[default_sect]\n", f"[default_sect]\nmodule = {os.environ['CTAES_TEST_REST']}\n")]
    assert "keys-elsewhere" not in ids(check(changed(tmp_path, *rest)))
    answer = check(changed(tmp_path, *rest, ("?provider=ctaes", "?provider=rest")))
    assert set(answer["algorithms"].values()) == {"ctaes"}
    texts = [f["text"] for f in answer["findings"] if f["id"] == "keys-elsewhere"]
    has_keys = openssl_version() >= (3, 5)
    assert set(answer["skeymgmts"].values()) == ({"rest"} if has_keys else set()), answer
    assert len(texts) == len(answer["skeymgmts"]), answer
    assert all("are rest's" in t for t in texts), texts


def test_reason_of_a_failed_load():
    answer = check(SHIPPED.config, CTAES_CORE="nosuchcore")
    assert not answer["ok"] and answer["providers"] == []
    (text,) = [f["text"] for f in answer["findings"] if f["id"] == "not-loaded"]
    assert 'CTAES_CORE in the environment is "nosuchcore"; this build has: auto' in text


def test_no_configuration(tmp_path):
    assert "config-missing" in ids(check(tmp_path / "nosuch.cnf"))
    broken = configs.write(tmp_path, "broken.cnf", "openssl_conf = a\n[unfinished\n")
    assert "config-wrong" in ids(check(broken))


def test_programs_that_ignore_the_environment(tmp_path):
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\n")
    assert "program-secure" not in ids(check(SHIPPED.config, "--program", program))
    os.chmod(program, stat.S_ISUID | 0o755)
    assert "program-secure" in ids(check(SHIPPED.config, "--program", program))
    assert "program-missing" in ids(check(SHIPPED.config, "--program", tmp_path / "nosuch"))


def test_wrong_usage():
    for options in (["--nosuch"], ["surplus"], ["--config"]):
        done = subprocess.run([PROGRAM, *options], capture_output=True, text=True)
        assert done.returncode == 2 and "usage:" in done.stderr
    done = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and "usage:" in done.stdout
