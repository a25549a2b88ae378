# SPDX-License-Identifier: Apache-2.0
"""GCM, streamed and in one call: the default provider's output, and InvalidTag for every forgery.

`cryptography` tells a wrong tag from other failures by OpenSSL's error queue, which must be empty
then: with an error in it, callers would get InternalError or ValueError for a forged message.
"""

import concurrent.futures

import pytest
import reference
import strategies as s
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from hypothesis import given
from hypothesis import strategies as st

SLACK = 15
tag_lengths = st.sampled_from([4, 8, 12, 13, 14, 15, 16])


def expected(key, iv, data, aad):
    return reference.crypt(f"AES-{8 * len(key)}-GCM", True, key, iv, data, aad=aad)


def flip(data, bit):
    """Returns data with one bit changed; the bit is taken modulo the length."""
    changed = bytearray(data)
    changed[bit // 8 % len(data)] ^= 1 << bit % 8
    return bytes(changed)


def start(encrypt, key, iv, aad_pieces, tag=None, min_tag_length=4):
    cipher = Cipher(algorithms.AES(key), modes.GCM(iv, tag, min_tag_length))
    ctx = cipher.encryptor() if encrypt else cipher.decryptor()
    for piece in aad_pieces:
        ctx.authenticate_additional_data(piece)
    return ctx


@given(
    key=s.keys,
    iv=s.gcm_ivs,
    data=s.data,
    aad=s.aad,
    sizes=s.chunk_sizes,
    aad_sizes=s.chunk_sizes,
    tag_length=tag_lengths,
    early=st.booleans(),
)
def test_in_pieces(key, iv, data, aad, sizes, aad_sizes, tag_length, early):
    secret, tag = expected(key, iv, data, aad)

    ctx = start(True, key, iv, s.cut(aad, aad_sizes))
    out = b"".join(ctx.update(piece) for piece in s.cut(data, sizes))
    assert out + ctx.finalize() == secret
    assert ctx.tag == tag

    # The tag comes before the data or after them.
    tag = tag[:tag_length]
    ctx = start(False, key, iv, s.cut(aad, aad_sizes), tag if early else None)
    out = b"".join(ctx.update(piece) for piece in s.cut(secret, sizes))
    assert out + (ctx.finalize() if early else ctx.finalize_with_tag(tag)) == data


@given(
    key=s.keys,
    iv=s.gcm_ivs,
    data=s.data,
    aad=s.aad,
    sizes=s.chunk_sizes,
    offset=st.integers(0, 15),
)
def test_in_place(key, iv, data, aad, sizes, offset):
    secret, tag = expected(key, iv, data, aad)
    buffer = bytearray(b"\xa5" * offset + data + b"\x5a" * SLACK)
    view = memoryview(buffer)
    for encrypt, wanted in ((True, secret), (False, data)):
        ctx = start(encrypt, key, iv, [aad])
        at = offset
        for piece in s.cut(data, sizes):
            n = len(piece)
            assert ctx.update_into(view[at : at + n], view[at:]) == n
            at += n
        if encrypt:
            ctx.finalize()
            assert ctx.tag == tag
        else:
            ctx.finalize_with_tag(tag)
        assert buffer[offset:-SLACK] == wanted
        assert buffer[:offset] == b"\xa5" * offset
        assert buffer[-SLACK:] == b"\x5a" * SLACK


@given(
    key=s.keys,
    iv=s.gcm_ivs,
    data=s.data,
    aad=s.aad,
    sizes=s.chunk_sizes,
    tag_length=tag_lengths,
    bit=st.integers(0, 2**20),
    what=st.sampled_from(["tag", "aad", "data", "iv"]),
)
def test_forged_in_pieces(key, iv, data, aad, sizes, tag_length, bit, what):
    secret, tag = expected(key, iv, data, aad)
    tag = tag[:tag_length]
    # A forgery of a short tag succeeds by chance once in 2^32 times: not in this life.
    if what == "tag" or (what == "aad" and not aad) or (what == "data" and not data):
        tag = flip(tag, bit)
    elif what == "aad":
        aad = flip(aad, bit)
    elif what == "data":
        secret = flip(secret, bit)
    else:
        iv = flip(iv, bit)
    ctx = start(False, key, iv, [aad])
    for piece in s.cut(secret, sizes):
        ctx.update(piece)
    with pytest.raises(InvalidTag):
        ctx.finalize_with_tag(tag)
    # The next message is not affected.
    assert AESGCM(key).decrypt(iv, AESGCM(key).encrypt(iv, data, aad), aad) == data


@given(key=s.keys, messages=st.lists(st.tuples(s.gcm_ivs, s.data, s.aad), min_size=1, max_size=4))
def test_one_call(key, messages):
    """One AESGCM object for several messages, with a forgery between them."""
    aead = AESGCM(key)
    for iv, data, aad in messages:
        secret, tag = expected(key, iv, data, aad)
        assert aead.encrypt(iv, data, aad) == secret + tag
        assert aead.decrypt(iv, secret + tag, aad) == data
        with pytest.raises(InvalidTag):
            aead.decrypt(iv, secret + flip(tag, len(data)), aad)
        with pytest.raises(InvalidTag):
            aead.decrypt(iv, secret + tag, aad + b"x")
        assert aead.decrypt(iv, secret + tag, aad) == data


@given(key=s.keys, iv=s.gcm_ivs, bit=st.integers(0, 127))
def test_empty_message(key, iv, bit):
    """Nothing but a tag: it must be checked all the same."""
    tag = expected(key, iv, b"", b"")[1]
    aead = AESGCM(key)
    assert aead.encrypt(iv, b"", None) == tag
    assert aead.decrypt(iv, tag, None) == b""
    with pytest.raises(InvalidTag):
        aead.decrypt(iv, flip(tag, bit), None)
    with pytest.raises(InvalidTag):
        aead.decrypt(iv, tag, b"x")
    with pytest.raises(InvalidTag):
        start(False, key, iv, []).finalize_with_tag(flip(tag, bit))
    with pytest.raises(InvalidTag):
        aead.decrypt(iv, tag[:-1], None)


if hasattr(AESGCM, "encrypt_into"):  # newer `cryptography`

    @given(key=s.keys, iv=s.gcm_ivs, data=s.data, aad=s.aad)
    def test_into_buffers(key, iv, data, aad):
        aead = AESGCM(key)
        secret, tag = expected(key, iv, data, aad)
        buffer = bytearray(len(data) + 16)
        assert aead.encrypt_into(iv, data, aad, buffer) == len(buffer)
        assert buffer == secret + tag
        plain = bytearray(len(data))
        assert aead.decrypt_into(iv, bytes(buffer), aad, plain) == len(data)
        assert plain == data


@pytest.mark.parametrize("bits", [128, 192, 256])
def test_long(bits):
    """More than a MiB of data, much AAD, in one call and streamed."""
    data, aad = s.make_bytes((1 << 20) + 7, bits), s.make_bytes((1 << 18) + 3, bits)
    key, iv = s.make_bytes(bits // 8, 1), s.make_bytes(12, 2)
    secret, tag = expected(key, iv, data, aad)
    aead = AESGCM(key)
    assert aead.encrypt(iv, data, aad) == secret + tag
    assert aead.decrypt(iv, secret + tag, aad) == data
    ctx = start(True, key, iv, s.cut(aad, [1, 65537, 31]))
    out = b"".join(ctx.update(piece) for piece in s.cut(data, [1, 70001, 16, 300007]))
    assert (out + ctx.finalize(), ctx.tag) == (secret, tag)


def test_many_threads():
    """One object, used by eight threads at once, as servers do."""
    key, data, aad = s.make_bytes(32, 1), s.make_bytes(20_000, 2), b"header"
    aead = AESGCM(key)
    wanted = {n: b"".join(expected(key, n.to_bytes(12, "big"), data, aad)) for n in range(64)}

    def work(thread):
        for n in range(64):
            iv = ((n * 7 + thread) % 64).to_bytes(12, "big")
            message = aead.encrypt(iv, data, aad)
            assert message == wanted[int.from_bytes(iv, "big")]
            assert aead.decrypt(iv, message, aad) == data
            with pytest.raises(InvalidTag):
                aead.decrypt(iv, flip(message, n), aad)
        return thread

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(work, range(8))) == list(range(8))
