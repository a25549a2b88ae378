# SPDX-License-Identifier: Apache-2.0
"""The ways in tools.py prove that ctaes did the work: each of them fails without it. And what users
see who make one of the usual mistakes."""

import dataclasses
import re

import configs
import pytest
from test_enc import secret
from tools import (
    ALONE,
    BESIDE,
    CORE,
    CTAES_WAYS,
    DEFAULT,
    MODULE,
    QUERY,
    SHIPPED,
    STRICT,
    WORK,
    good,
    openssl,
    text,
    write_config,
)

AES = ["-aes-128-cbc", *secret("aes-128-cbc")]
NAMES = configs.cores(MODULE.parent)


def way_with(way, **changes):
    return dataclasses.replace(way, **changes)


def expect_no_aes(answer):
    assert answer.status != 0 and answer.out == b"", answer
    assert "0308010C" in answer.err, answer  # digital envelope routines: unsupported


# --- The proof. -----------------------------------------------------------------------------------


@pytest.mark.parametrize("way", CTAES_WAYS, ids=lambda w: w.name)
def test_nothing_but_ctaes(way):
    """With each way AES works, and what ctaes doesn't have doesn't. (Where a property query is for
    just one command, that command's other ciphers are out of reach.)"""
    good(openssl(way, "enc", *AES, data=b"abc"))
    camellia = ["-camellia-128-cbc", *secret("aes-128-cbc")]
    good(openssl(DEFAULT, "enc", *camellia, data=b"abc"))
    expect_no_aes(openssl(way, "enc", *camellia, data=b"abc"))


def test_strict_without_ctaes():
    conf = configs.without_ctaes(STRICT.config.read_text())
    way = way_with(STRICT, config=configs.write(WORK, "no-ctaes.cnf", conf))
    expect_no_aes(openssl(way, "enc", *AES, data=b"abc"))


def test_strict_with_another_core():
    for name, why in NAMES.items():
        if why is None and name != CORE:
            expect_no_aes(openssl(STRICT, "enc", *AES, data=b"abc", CTAES_CORE=name))
            expect_no_aes(openssl(BESIDE, "enc", *AES, data=b"abc", CTAES_CORE=name))


def test_property_query_without_ctaes():
    options = ("-provider", "default", *QUERY)
    expect_no_aes(openssl(way_with(DEFAULT, options=options), "enc", *AES, data=b"abc"))


def test_strict_still_has_random_numbers():
    """Or else programs would fail for another reason than the one that is tested."""
    assert len(good(openssl(STRICT, "rand", "32"))) == 32
    answer = openssl(STRICT, "dgst", "-sha256", data=b"abc")
    assert answer.status != 0 and "0308010C" in answer.err, answer


# --- A missing module. ----------------------------------------------------------------------------


def test_missing_module_on_the_command_line(tmp_path):
    for options in (
        ("-provider-path", str(tmp_path), "-provider", "ctaes"),
        ("-provider-path", str(tmp_path), "-provider", "ctaes", "-provider", "default"),
    ):
        answer = openssl(way_with(ALONE, options=options), "enc", *AES, data=b"abc")
        assert answer.status != 0 and answer.out == b""
        assert "unable to load provider ctaes" in answer.err
        assert "ctaes.so: cannot open shared object file" in answer.err


def test_missing_module_in_the_configuration(tmp_path):
    """The pitfall: nothing is said, the default provider does it. The check that the comments in
    conf/ recommend shows it, and the strict configuration does."""
    missing = tmp_path / "ctaes.so"
    way = way_with(SHIPPED, config=write_config("missing.cnf", module=missing))
    answer = openssl(way, "enc", *AES, data=b"abc")
    assert good(answer) == good(openssl(DEFAULT, "enc", *AES, data=b"abc"))
    assert answer.err == ""
    assert "ctaes" not in text(openssl(way, "list", "-providers"))

    way = way_with(STRICT, config=write_config("missing.cnf", module=missing, strict=CORE))
    expect_no_aes(openssl(way, "enc", *AES, data=b"abc"))


# --- A wrong name of a core. ----------------------------------------------------------------------


@pytest.mark.parametrize("way", [ALONE, BESIDE], ids=lambda w: w.name)
def test_wrong_core_on_the_command_line(way):
    answer = openssl(way, "enc", *AES, data=b"abc", CTAES_CORE="nonsense")
    assert answer.status != 0 and answer.out == b""
    assert "unable to load provider ctaes" in answer.err
    assert re.search('CTAES_CORE.*"nonsense".*: auto ' + " ".join(NAMES), answer.err), answer


def test_wrong_core_in_the_configuration():
    """As with a missing module: the default provider does it, and nothing is said."""
    way = way_with(SHIPPED, config=write_config("core.cnf", module=MODULE, core="nonsense"))
    # CTAES_CORE empty is the same as not set.
    answer = openssl(way, "enc", *AES, data=b"abc", CTAES_CORE="")
    assert good(answer) == good(openssl(DEFAULT, "enc", *AES, data=b"abc"))
    assert "ctaes" not in text(openssl(way, "list", "-providers", CTAES_CORE=""))
    # The environment wins over the configuration.
    assert "ctaes" in text(openssl(way, "list", "-providers", CTAES_CORE=CORE))

    conf = write_config("core.cnf", module=MODULE, core="nonsense", strict=CORE)
    way = way_with(STRICT, config=conf)
    expect_no_aes(openssl(way, "enc", *AES, data=b"abc", CTAES_CORE=""))


def test_core_in_the_configuration():
    conf = write_config("core.cnf", module=MODULE, core=CORE, strict=CORE)
    good(openssl(way_with(STRICT, config=conf), "enc", *AES, data=b"abc", CTAES_CORE=""))


# --- A configuration that forgets the default provider. -------------------------------------------


def test_forgotten_default_provider():
    conf = configs.without_default(SHIPPED.config.read_text())
    way = way_with(SHIPPED, config=configs.write(WORK, "no-default.cnf", conf))
    providers = text(openssl(way, "list", "-providers"))
    assert "ctaes" in providers and "default" not in providers
    # AES is there, and nothing else is.
    good(openssl(way, "enc", *AES, data=b"abc"))
    answer = openssl(way, "dgst", "-sha256", data=b"abc")
    assert answer.status != 0 and "0308010C" in answer.err, answer
    answer = openssl(way, "rand", "16")
    assert answer.status != 0 and answer.out == b"" and answer.reasons(), answer
    answer = openssl(way, "enc", "-aes-128-cbc", "-pass", "pass:x", "-pbkdf2", data=b"abc")
    assert answer.status != 0 and answer.out == b"" and answer.reasons(), answer
