# SPDX-License-Identifier: Apache-2.0
"""What hypothesis draws: keys, data, IVs at the edges of the counter, and ways to cut data up."""

import itertools
import random

from hypothesis import strategies as st

keys = st.sampled_from([16, 24, 32]).flatmap(lambda n: st.binary(min_size=n, max_size=n))

# Around the block, around the wide loops of all cores (64 blocks are 1024 bytes), and beyond.
lengths = st.one_of(
    st.integers(0, 50),
    st.integers(0, 1100),
    st.sampled_from([4095, 4096, 4097, 8191, 16384, 16385, 65535, 65536, 65552]),
)


def make_bytes(n, seed):
    return random.Random(seed).randbytes(n)


data = st.builds(make_bytes, lengths, st.integers(0, 2**32))
whole_blocks = st.builds(lambda n, seed: make_bytes(n & ~15, seed), lengths, st.integers(0, 2**32))
aad = st.builds(make_bytes, st.one_of(st.integers(0, 40), st.integers(0, 600)), st.integers(0, 99))

# A counter block that carries into byte 4, 8 or 16 within the data, or doesn't.
counters = st.one_of(
    st.binary(min_size=16, max_size=16),
    st.builds(
        lambda bits, less, high: ((high << bits) - less & 2**128 - 1).to_bytes(16, "big"),
        st.sampled_from([8, 32, 64, 96, 128]),
        st.integers(1, 70),
        st.integers(0, 2**96),
    ),
)

# GCM takes 1 to 128 bytes; Python's `cryptography` passes on 8 to 128.
gcm_ivs = st.one_of(
    st.binary(min_size=12, max_size=12), st.binary(min_size=8, max_size=128)
)

chunk_sizes = st.lists(
    st.one_of(st.integers(0, 40), st.sampled_from([16, 32, 64, 128, 256, 512, 1024, 4096])),
    min_size=1,
    max_size=12,
)


def cut(whole, sizes, most=100):
    """Cuts whole into pieces of these sizes, over and over; what is left after `most` pieces is the
    last piece. Empty pieces come out where sizes has a zero."""
    at = 0
    for n in itertools.islice(itertools.cycle(sizes), most):
        if at >= len(whole):
            return
        yield whole[at : at + n]
        at += n
    yield whole[at:]
