# SPDX-License-Identifier: Apache-2.0
"""conf/ctaes-include.cnf, included in the configuration files of systems. (conf/ctaes.cnf is what
the other tests use.)"""

import pathlib
import re

import configs
import pytest
from test_enc import secret
from tools import CORE, DEFAULT, MODULE, Way, good, openssl, text

AES = ["-aes-128-cbc", *secret("aes-128-cbc")]


def system_file():
    folder = re.search('"(.*)"', text(openssl(DEFAULT, "version", "-d")))[1]
    return pathlib.Path(folder, "openssl.cnf").read_text()


# What OpenSSL's own file has, with the lines in force that Debian's has as comments, and with the
# additions that other systems make.
OTHER = """
openssl_conf = openssl_init
[openssl_init]
providers = provider_sect
ssl_conf = ssl_module
alg_section = evp_properties
[provider_sect]
default = default_sect
legacy = legacy_sect
[default_sect]
activate = 1
[legacy_sect]
activate = 1
[evp_properties]
[ssl_module]
system_default = system_default_sect
[system_default_sect]
MinProtocol = TLSv1.2
[req]
distinguished_name = dn
[dn]
"""

FILES = {"system": system_file(), "other": OTHER, "empty": ""}


def including(folder, text, **changes):
    """A configuration file that ends as the comments of ctaes-include.cnf say."""
    addition = configs.write(
        folder, "ctaes-include.cnf", configs.derive(configs.INCLUDED.read_text(), **changes)
    )
    return Way("INCLUDE", configs.write(folder, "openssl.cnf", f"{text}\n.include {addition}\n"))


@pytest.mark.parametrize("name", FILES)
def test_included(name, tmp_path):
    way = including(tmp_path, FILES[name], module=MODULE)
    found = text(openssl(way, "list", "-providers"))
    wanted = {"ctaes", "default"} | ({"legacy"} if name == "other" else set())
    assert set(re.findall(r"(?m)^  (\S+)$", found)) == wanted
    assert found.count("status: active") == len(wanted)
    good(openssl(way, "dgst", "-sha256", data=b"abc"))
    assert good(openssl(way, "enc", *AES, data=b"abc")) == good(
        openssl(DEFAULT, "enc", *AES, data=b"abc")
    )


@pytest.mark.parametrize("name", FILES)
def test_ctaes_does_it(name, tmp_path):
    way = including(tmp_path, FILES[name], module=MODULE, strict=CORE)
    good(openssl(way, "enc", *AES, data=b"abc"))
    assert openssl(way, "dgst", "-sha256", data=b"abc").status != 0
    # The control: the same file with nothing where the module should be.
    way = including(tmp_path, FILES[name], module=tmp_path / "ctaes.so", strict=CORE)
    assert openssl(way, "enc", *AES, data=b"abc").status != 0


@pytest.mark.parametrize("name", ["system", "other"])
def test_the_rest_of_the_file_stays(name, tmp_path):
    """The section [req] is still what the req command reads."""
    way = including(tmp_path, FILES[name], module=MODULE)
    made = openssl(way, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=x",
                   "-keyout", tmp_path / "key.pem")  # fmt: skip
    assert made.status == 0 and made.out.startswith(b"-----BEGIN CERTIFICATE"), made


def test_both_files_say_the_same():
    """The lines that count are equal; the included file begins with [default] in addition."""

    def lines(path):
        every = (line.strip() for line in path.read_text().splitlines())
        return [line for line in every if line and not line.startswith("#")]

    assert lines(configs.INCLUDED) == ["[default]"] + lines(configs.SHIPPED)
