# SPDX-License-Identifier: Apache-2.0
"""XTS: each update is a data unit of 16 bytes at least, under the same tweak again."""

import pytest
import reference
import strategies as s
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from hypothesis import given
from hypothesis import strategies as st

# Random halves of a key are never the same.
keys = st.builds(s.make_bytes, st.sampled_from([32, 64]), st.integers(0, 2**32))
tweaks = st.binary(min_size=16, max_size=16)
units = st.builds(lambda data: data + bytes(max(0, 16 - len(data))), s.data)


def start(encrypt, key, tweak):
    cipher = Cipher(algorithms.AES(key), modes.XTS(tweak))
    return cipher.encryptor() if encrypt else cipher.decryptor()


def expected(encrypt, key, tweak, data):
    return reference.crypt(f"AES-{4 * len(key)}-XTS", encrypt, key, tweak, data)[0]


@given(key=keys, tweak=tweaks, data=units, encrypt=st.booleans())
def test_units(key, tweak, data, encrypt):
    ctx = start(encrypt, key, tweak)
    wanted = expected(encrypt, key, tweak, data)
    assert ctx.update(data) == wanted
    assert ctx.update(data[:16]) == expected(encrypt, key, tweak, data[:16])
    assert ctx.finalize() == b""


@given(key=keys, tweak=tweaks, data=units, encrypt=st.booleans(), offset=st.integers(0, 15))
def test_in_place(key, tweak, data, encrypt, offset):
    buffer = bytearray(b"\xa5" * offset + data + b"\x5a" * 15)
    view = memoryview(buffer)[offset:]
    assert start(encrypt, key, tweak).update_into(view[: len(data)], view) == len(data)
    assert buffer[offset:-15] == expected(encrypt, key, tweak, data)
    assert buffer[:offset] == b"\xa5" * offset and buffer[-15:] == b"\x5a" * 15


@given(key=keys, tweak=tweaks, data=units)
def test_there_and_back(key, tweak, data):
    assert start(False, key, tweak).update(start(True, key, tweak).update(data)) == data


@pytest.mark.parametrize("half", [16, 32])
def test_key_of_same_halves(half):
    """Refused for encryption; `cryptography` knows the reason, and says it in its own words."""
    key = s.make_bytes(half, 1) * 2
    with pytest.raises(ValueError, match="duplicated keys"):
        start(True, key, bytes(16))
    assert start(False, key, bytes(16)).update(bytes(33)) == expected(False, key, bytes(16), bytes(33))


@pytest.mark.parametrize("n", range(1, 16))
def test_less_than_a_block(n):
    with pytest.raises(ValueError, match="at least a full block"):
        start(True, s.make_bytes(32, 1), bytes(16)).update(bytes(n))
