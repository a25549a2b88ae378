# SPDX-License-Identifier: Apache-2.0
"""ECB, CBC, CTR, CFB and OFB, fed in pieces of any size: the default provider's output, piece by piece."""

import probe
import pytest
import reference
import strategies as s
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from hypothesis import given
from hypothesis import strategies as st

STREAMS = ["CTR", "CFB", "CFB8", "OFB"]
SLACK = 15  # update_into wants room for the data and this much


def name_of(mode, key):
    return f"AES-{8 * len(key)}-{mode}"


def make(mode, key, iv):
    built = modes.ECB() if mode == "ECB" else probe.mode_class(mode)(iv)
    return Cipher(algorithms.AES(key), built)


def start(mode, encrypt, key, iv):
    cipher = make(mode, key, iv)
    return cipher.encryptor() if encrypt else cipher.decryptor()


def expected(mode, encrypt, key, iv, data):
    return reference.crypt(name_of(mode, key), encrypt, key, iv, data)[0]


@pytest.mark.parametrize("mode", STREAMS)
@given(key=s.keys, iv=s.counters, data=s.data, sizes=s.chunk_sizes, encrypt=st.booleans())
def test_streams_in_pieces(mode, key, iv, data, sizes, encrypt):
    ctx = start(mode, encrypt, key, iv)
    out = []
    for piece in s.cut(data, sizes):
        out.append(ctx.update(piece))
        assert len(out[-1]) == len(piece)
    out.append(ctx.finalize())
    assert out[-1] == b""
    assert b"".join(out) == expected(mode, encrypt, key, iv, data)


@pytest.mark.parametrize("mode", ["ECB", "CBC"])
@given(key=s.keys, iv=s.counters, data=s.whole_blocks, sizes=s.chunk_sizes, encrypt=st.booleans())
def test_blocks_in_pieces(mode, key, iv, data, sizes, encrypt):
    ctx = start(mode, encrypt, key, iv)
    fed, out = 0, b""
    for piece in s.cut(data, sizes):
        out += ctx.update(piece)
        fed += len(piece)
        # Without padding each block comes out with the piece that completes it.
        assert len(out) == fed // 16 * 16
    assert ctx.finalize() == b""
    assert out == expected(mode, encrypt, key, iv, data)


@pytest.mark.parametrize("byte", range(16))
def test_ctr_carries(byte):
    """The counter's carry reaches this byte after 1, 2, ... blocks: within a batch of blocks of any
    core, and between two."""
    data, key = s.make_bytes(200 * 16 + 5, byte), s.make_bytes(32, byte)
    for blocks in (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 199):
        iv = (0x5A << 120) + (1 << 8 * (15 - byte)) - blocks if byte else -blocks
        iv = (iv % 2**128).to_bytes(16, "big")
        wanted = expected("CTR", True, key, iv, data)
        assert start("CTR", True, key, iv).update(data) == wanted, f"after {blocks} blocks"
        ctx = start("CTR", True, key, iv)
        assert b"".join(ctx.update(piece) for piece in s.cut(data, [16 * blocks + 1, 3])) == wanted


@pytest.mark.parametrize("mode", STREAMS)
@given(
    key=s.keys,
    iv=s.counters,
    data=s.data,
    sizes=s.chunk_sizes,
    encrypt=st.booleans(),
    offset=st.integers(0, 15),
)
def test_streams_in_place(mode, key, iv, data, sizes, encrypt, offset):
    buffer = bytearray(b"\xa5" * offset + data + b"\x5a" * SLACK)
    view = memoryview(buffer)
    ctx = start(mode, encrypt, key, iv)
    at = offset
    for piece in s.cut(data, sizes):
        n = len(piece)
        assert ctx.update_into(view[at : at + n], view[at:]) == n
        at += n
    ctx.finalize()
    assert buffer[offset:-SLACK] == expected(mode, encrypt, key, iv, data)
    # Nothing else was touched.
    assert buffer[:offset] == b"\xa5" * offset
    assert buffer[-SLACK:] == b"\x5a" * SLACK


@pytest.mark.parametrize("mode", ["ECB", "CBC"])
@given(
    key=s.keys,
    iv=s.counters,
    data=s.whole_blocks,
    sizes=s.chunk_sizes,
    encrypt=st.booleans(),
    offset=st.integers(0, 15),
)
def test_blocks_in_place(mode, key, iv, data, sizes, encrypt, offset):
    buffer = bytearray(b"\xa5" * offset + data + b"\x5a" * SLACK)
    view = memoryview(buffer)
    ctx = start(mode, encrypt, key, iv)
    at = offset
    for piece in s.cut(data, [16 * n for n in sizes]):
        n = len(piece)
        assert ctx.update_into(view[at : at + n], view[at:]) == n
        at += n
    ctx.finalize()
    assert buffer[offset:-SLACK] == expected(mode, encrypt, key, iv, data)
    assert buffer[:offset] == b"\xa5" * offset
    assert buffer[-SLACK:] == b"\x5a" * SLACK


@pytest.mark.parametrize("encrypt", [True, False])
@pytest.mark.parametrize("mode", ["ECB", "CBC"])
@given(key=s.keys, iv=s.counters, data=s.data, sizes=s.chunk_sizes)
def test_blocks_incomplete(mode, encrypt, key, iv, data, sizes):
    """The last block has less than 16 bytes: `cryptography` knows the provider's reason for its
    refusal, wrong final block length, and says it in its own words. Any other reason would come
    out as InternalError."""
    if len(data) % 16 == 0:
        data += b"?"
    ctx = start(mode, encrypt, key, iv)
    out = b"".join(ctx.update(piece) for piece in s.cut(data, sizes))
    assert out == expected(mode, encrypt, key, iv, data[: len(data) // 16 * 16])
    with pytest.raises(ValueError, match="not a multiple of the block length"):
        ctx.finalize()
    # The error is gone: the next context doesn't see it.
    assert len(start(mode, True, key, iv).update(bytes(32))) == 32


@pytest.mark.parametrize("mode", ["ECB", "CBC", *STREAMS])
@given(key=s.keys, iv=s.counters, data=s.whole_blocks)
def test_there_and_back(mode, key, iv, data):
    secret = start(mode, True, key, iv)
    secret = secret.update(data) + secret.finalize()
    plain = start(mode, False, key, iv)
    assert plain.update(secret) + plain.finalize() == data


if hasattr(start("CTR", True, bytes(16), bytes(16)), "reset_nonce"):  # newer `cryptography`

    @given(key=s.keys, first=s.counters, second=s.counters, data=s.data, n=st.integers(0, 40))
    def test_reset_nonce(key, first, second, data, n):
        """A new IV for a context that has worked: what is left of the keystream is dropped."""
        ctx = start("CTR", True, key, first)
        ctx.update(data[:n])
        ctx.reset_nonce(second)
        assert ctx.update(data) + ctx.finalize() == expected("CTR", True, key, second, data)


@pytest.mark.parametrize("mode", ["ECB", "CBC", *STREAMS])
@pytest.mark.parametrize("encrypt", [True, False])
@pytest.mark.parametrize("bits", [128, 192, 256])
def test_long(mode, encrypt, bits):
    """More than a MiB in one piece, and the same in large uneven pieces."""
    n = (1 << 20) + (5 if mode in STREAMS else 16)
    data, key, iv = s.make_bytes(n, bits), s.make_bytes(bits // 8, 1), s.make_bytes(16, 2)
    wanted = expected(mode, encrypt, key, iv, data)
    ctx = start(mode, encrypt, key, iv)
    assert ctx.update(data) + ctx.finalize() == wanted
    ctx = start(mode, encrypt, key, iv)
    out = b"".join(ctx.update(piece) for piece in s.cut(data, [1, 70001, 16, 300007]))
    assert out + ctx.finalize() == wanted
