# SPDX-License-Identifier: Apache-2.0
"""Who did it? All tests of this folder but test_everyday.py run under the strict configuration (see
configs.py). These tests show that it is in force in this very process, that AES works in it, and
that the same program has no AES as soon as ctaes, or the one core that must do it, isn't there."""

import ctypes
import json
import os
import pathlib
import re
import sys

import configs
import cryptography
import probe
import pytest

MODULE = os.environ["CTAES_TEST_MODULE"]
CORE = os.environ["CTAES_TEST_CORE"]
CORES = os.environ["CTAES_TEST_CORES"].split()

ALL = [
    "AESCCM", "AESGCM", "AESOCB3", "CBC", "CFB", "CFB8", "CTR", "ECB", "GCM", "OFB", "XTS",
]


def probe_under(tmp_path, text, **environment):
    """Starts this Python anew, with the same packages, under the configuration text."""
    conf = configs.write(tmp_path, "openssl.cnf", text)
    p = configs.run(
        [sys.executable, "-c", f"import sys; sys.path = {sys.path!r}; import probe; probe.main()"],
        OPENSSL_CONF=conf,
        PYTHONDONTWRITEBYTECODE="1",
        **environment,
    )
    assert p.returncode == 0, p.stderr
    return json.loads(p.stdout)


@pytest.fixture(scope="module")
def shipped():
    return configs.SHIPPED.read_text()


# --- In this process. -----------------------------------------------------------------------------


def test_this_process():
    """SHA-256 is out of reach, though the default provider is active: so an AES that isn't
    ctaes's with this core is out of reach too."""
    assert probe.probe() == {"aes": ALL, "sha256": False, "modules": [os.path.realpath(MODULE)]}


def test_the_right_cryptography():
    assert cryptography.__file__ == os.environ["CTAES_TEST_CRYPTOGRAPHY"]


def test_core_by_its_parameter():
    """What the provider says of itself, asked in the libcrypto of the system, which reads the same
    configuration. (Debian's `cryptography` calls this very libcrypto; a wheel has its own.)"""
    lib = ctypes.CDLL("libcrypto.so.3")
    fetch, provider_of = lib.EVP_CIPHER_fetch, lib.EVP_CIPHER_get0_provider
    name_of, get_params = lib.OSSL_PROVIDER_get0_name, lib.OSSL_PROVIDER_get_params
    fetch.restype = provider_of.restype = ctypes.c_void_p
    provider_of.argtypes = name_of.argtypes = [ctypes.c_void_p]
    name_of.restype = ctypes.c_char_p

    class Param(ctypes.Structure):
        _fields_ = [
            ("key", ctypes.c_char_p),
            ("data_type", ctypes.c_uint),
            ("data", ctypes.c_void_p),
            ("data_size", ctypes.c_size_t),
            ("return_size", ctypes.c_size_t),
        ]

    get_params.argtypes = [ctypes.c_void_p, ctypes.POINTER(Param)]
    utf8_pointer = 6
    cipher = fetch(None, b"AES-256-GCM", None)
    assert cipher
    provider = provider_of(cipher)
    assert name_of(provider) == b"ctaes"
    value = ctypes.c_char_p()
    params = (Param * 2)()
    params[0] = Param(b"core", utf8_pointer, ctypes.addressof(value), 0, ctypes.c_size_t(-1).value)
    assert get_params(provider, params) == 1
    assert value.value == CORE.encode()


# --- The same program under other configurations: the proof must notice. --------------------------


def test_control_same_again(shipped, tmp_path):
    """The control of the controls: a new process under the strict configuration has AES."""
    text = configs.derive(shipped, module=MODULE, core=CORE, strict=CORE)
    assert probe_under(tmp_path, text)["aes"] == ALL


def test_control_without_ctaes(shipped, tmp_path):
    text = configs.without_ctaes(configs.derive(shipped, module=MODULE, strict=CORE))
    found = probe_under(tmp_path, text, CTAES_CORE=CORE)
    assert found == {"aes": [], "sha256": False, "modules": []}


def test_control_missing_module(shipped, tmp_path):
    text = configs.derive(shipped, module=tmp_path / "ctaes.so", strict=CORE)
    found = probe_under(tmp_path, text, CTAES_CORE=CORE)
    assert found == {"aes": [], "sha256": False, "modules": []}


def test_control_wrong_core(shipped, tmp_path):
    text = configs.derive(shipped, module=MODULE, strict=CORE)
    found = probe_under(tmp_path, text, CTAES_CORE="nonsense")
    assert (found["aes"], found["sha256"]) == ([], False)


def test_control_wrong_core_in_the_configuration(shipped, tmp_path):
    text = configs.derive(shipped, module=MODULE, core="nonsense", strict=CORE)
    assert probe_under(tmp_path, text)["aes"] == []


def test_control_another_core(shipped, tmp_path):
    """ctaes is there, but with another core than the one that must do the work."""
    for other in (c for c in CORES if c != CORE):
        text = configs.derive(shipped, module=MODULE, core=CORE, strict=CORE)
        assert probe_under(tmp_path, text, CTAES_CORE=other)["aes"] == []


# --- What users meet. -----------------------------------------------------------------------------


def test_environment_wins_over_configuration(shipped, tmp_path):
    text = configs.derive(shipped, module=MODULE, core="nonsense", strict=CORE)
    assert probe_under(tmp_path, text, CTAES_CORE=CORE)["aes"] == ALL


def test_found_by_openssl_modules(shipped, tmp_path):
    """No path in the configuration. The folder must have all modules that the program wants: older
    versions of `cryptography` don't start without OpenSSL's legacy provider."""
    folder = tmp_path / "modules"
    folder.mkdir()
    system = re.search('"(.*)"', configs.run(["openssl", "version", "-m"]).stdout)[1]
    for module in [pathlib.Path(MODULE), *pathlib.Path(system).glob("*.so")]:
        if not (folder / module.name).exists():
            (folder / module.name).symlink_to(module)
    text = configs.derive(shipped, strict=CORE)
    found = probe_under(tmp_path, text, CTAES_CORE=CORE, OPENSSL_MODULES=folder)
    assert (found["aes"], found["modules"]) == (ALL, [os.path.realpath(MODULE)])


def test_shipped_configuration(shipped, tmp_path):
    """As users have it: AES is there, and all that ctaes doesn't have comes from the default
    provider. (That AES is ctaes's: test_everyday.py.)"""
    found = probe_under(tmp_path, configs.derive(shipped, module=MODULE))
    assert found == {"aes": ALL, "sha256": True, "modules": [os.path.realpath(MODULE)]}


def test_shipped_configuration_without_module(shipped, tmp_path):
    """The pitfall that the configuration's comments tell of: nothing is said."""
    found = probe_under(tmp_path, configs.derive(shipped, module=tmp_path / "ctaes.so"))
    assert found == {"aes": ALL, "sha256": True, "modules": []}
