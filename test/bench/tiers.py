# SPDX-License-Identifier: Apache-2.0
"""What is compared with what, and what ctaes promises.

A tier is a kind of CPU: OpenSSL is given a mask (OPENSSL_ia32cap) that leaves
it what such a CPU would have, and the cores that such a CPU would run are
measured against it, in the same process.
"""

import dataclasses
import platform

KEY_BITS = (128, 256)
BLOCK_OPS = ("ecb-enc", "ecb-dec", "cbc-enc", "cbc-dec")
GCM_OPS = ("gcm-enc", "gcm-dec")
OPS = (*BLOCK_OPS, "ctr", *GCM_OPS)
OP_NAMES = {
    "ecb-enc": "ECB encrypt",
    "ecb-dec": "ECB decrypt",
    "cbc-enc": "CBC encrypt",
    "cbc-dec": "CBC decrypt",
    "ctr": "CTR",
    "gcm-enc": "GCM encrypt",
    "gcm-dec": "GCM decrypt",
}

# The modes beside those four, measured through EVP only and in fewer sizes: (operation, which part
# of a context's life, whether it's parallel, so that it must never be slower than what it replaces).
MODE_OPS = (
    ("cfb-enc", "fresh", False),
    ("cfb-dec", "fresh", True),
    ("cfb8-enc", "fresh", False),
    ("cfb8-dec", "fresh", True),
    ("ofb", "fresh", False),
    ("cbc-cts-enc", "fresh", False),
    ("cbc-cts-dec", "fresh", True),
    ("xts-enc", "fresh", True),
    ("xts-dec", "fresh", True),
    ("ocb-enc", "fresh", True),
    ("ocb-dec", "fresh", True),
    ("ccm-enc", "fresh", False),
    ("ccm-dec", "fresh", False),
    ("siv-enc", "rekey", False),
    ("siv-dec", "rekey", False),
    ("gcm-siv-enc", "rekey", True),
    ("gcm-siv-dec", "rekey", True),
    ("wrap-enc", "rekey", False),
    ("wrap-dec", "rekey", False),
)
MODE_SIZES = {"cfb8-enc": (256,), "cfb8-dec": (256,), "wrap-enc": (32,), "wrap-dec": (32,)}
OTHER_MODE_SIZES = (256, 16384)


def mode_sizes(op):
    """Returns the bytes of data with which one of MODE_OPS is measured."""
    return MODE_SIZES.get(op, OTHER_MODE_SIZES)


def op_name(op):
    """Returns what people call one of MODE_OPS: "XTS encrypt"."""
    mode, _, direction = op.rpartition("-") if op.endswith(("-enc", "-dec")) else (op, "", "")
    return " ".join(x for x in (mode.upper(), direction and direction + "rypt") if x)


def has_mode(openssl_version, op):
    """Whether that version's default provider has the operation to compare with."""
    parts = tuple(int(x) for x in openssl_version.split(".")[:2])
    return not op.startswith("gcm-siv") or parts >= (3, 2)


@dataclasses.dataclass(frozen=True)
class Tier:
    name: str
    title: str
    mask: str | None  # OPENSSL_ia32cap; None: unset (an empty one would turn everything off)
    rival: str  # what OpenSSL 3.0's default provider runs then
    ops: tuple = OPS


# The masks' two numbers, before and after the colon, are CPUID leaf 1 (EDX, ECX << 32) and leaf 7
# (EBX, ECX << 32); bits after ~ are cleared. A mask without a second number clears all of leaf 7.
TIERS = (
    Tier("whole", "the whole CPU", None, "AES-NI; GCM stitched from AES-NI, PCLMULQDQ and AVX"),
    Tier(
        "no-avx512",
        "without AVX-512",
        ":~0xd0230000",
        "AES-NI; GCM stitched from AES-NI, PCLMULQDQ and AVX",
    ),
    Tier(
        "no-vaes",
        "without AVX-512, VAES and VPCLMULQDQ",
        ":~0x600d0230000",
        "AES-NI; GCM stitched from AES-NI, PCLMULQDQ and AVX",
    ),
    Tier(
        "no-avx",
        "AES-NI and PCLMULQDQ without AVX",
        "~0x1000000000000000:~0x600d0230020",
        "AES-NI; GCM in two passes",
    ),
    Tier(
        "no-aes",
        "without AES-NI, with PCLMULQDQ",
        "~0x200000000000000:~0x60000000000",
        "bit-sliced AES, GHASH with PCLMULQDQ",
        ops=GCM_OPS,  # the other modes are as without PCLMULQDQ
    ),
    Tier(
        "no-pclmul",
        "without AES-NI and PCLMULQDQ",
        "~0x200000200000000:~0x60000000000",
        "vector-permute AES (ECB, CBC encryption), bit-sliced AES (the rest), GHASH from tables "
        "indexed by secrets",
    ),
    Tier(
        "no-ssse3",
        "without AES-NI, PCLMULQDQ and SSSE3",
        "~0x200020200000000:~0x60000000000",
        "AES and GHASH from tables indexed by secrets",
    ),
)

# The tiers of each core. A core that isn't named here needs SSSE3 at most.
ANY_CPU = ("no-aes", "no-pclmul", "no-ssse3")
CORE_TIERS = {
    "vaes512": ("whole",),
    "vaes256": ("no-avx512",),
    "aesniavx": ("no-vaes",),
    "aesni": ("no-avx",),
    "sse2": ANY_CPU,
    "ct64": ANY_CPU,
    "ct32": ANY_CPU,
}
OTHER_TIERS = ("no-aes", "no-pclmul")


def tiers_of(core):
    """Returns the names of the core's tiers."""
    return CORE_TIERS.get(core, OTHER_TIERS)


def find_tier(name):
    return next(t for t in TIERS if t.name == name)


def plan(cores):
    """Returns [(tier, its cores)] for this machine: masks exist on x86 only."""
    if platform.machine() not in ("x86_64", "AMD64", "i386", "i686"):
        return [(TIERS[0], list(cores))]
    rows = [(t, [c for c in cores if t.name in tiers_of(c)]) for t in TIERS]
    return [(t, cs) for t, cs in rows if cs]


# --- Promises: times as fast as the default provider under the same mask ------------------------

PROMISED_CELLS = (
    ("ecb-dec", 16384),
    ("cbc-enc", 16384),
    ("cbc-dec", 16384),
    ("ctr", 256),
    ("ctr", 1024),
    ("ctr", 16384),
    ("gcm-enc", 16),
    ("gcm-enc", 256),
    ("gcm-enc", 1420),
    ("gcm-enc", 16384),
)

# (tier, core): one number for each promised cell; None: nothing is promised. Against OpenSSL 3.0.
PROMISES = {
    ("whole", "vaes512"): (3.7, 1.04, 3.7, 1.8, 2.7, 3.7, 1.7, 1.9, 2.5, 4.6),
    ("no-avx512", "vaes256"): (1.9, 1.04, 1.9, 1.6, 1.7, 1.85, 1.7, 1.8, 2.0, 2.5),
    ("no-vaes", "aesniavx"): (1.0, 1.04, 1.0, 1.0, 1.0, 1.0, 1.6, 1.6, 1.4, 1.3),
    ("no-pclmul", "avx512"): (12, 1.0, 5.6, 4, 4.7, 5, 1.3, 2.8, 4, 6),
    ("no-pclmul", "avx2"): (5.7, 1.0, 2.7, 2.4, 2.6, 3.0, 1.2, 2.0, 2.7, 3.7),
    ("no-aes", "avx2"): (None, None, None, None, None, None, None, None, None, 2.7),
    ("no-pclmul", "avx"): (2.9, 1.0, 1.35, 1.35, 1.4, 1.55, 1.3, 1.6, 1.8, 2.0),
    ("no-pclmul", "ssse3"): (2.6, 0.98, 1.2, 1.25, 1.3, 1.4, 1.3, 1.5, 1.6, 1.8),
    ("no-ssse3", "sse2"): (2.1, 0.2, 1.0, 2.0, 2.2, 2.3, None, None, None, 1.5),
}

# Against newer OpenSSL, which has AVX-512 in GCM: never slower, and these.
NEWER_PROMISES = {
    ("whole", "vaes512"): (3.5, 1.0, 3.5, 1.0, 1.0, 3.5, 1.0, 1.0, 1.0, 1.1),
    ("no-avx512", "vaes256"): (1.0,) * 10,
    ("no-vaes", "aesniavx"): (1.0,) * 10,
}

# Small messages, on cores with AES instructions.
HARDWARE_CORES = ("vaes512", "vaes256", "aesniavx", "aesni")
MOST_TIMES_FLOOR = 1.7  # GCM encryption of 16 and 64 bytes, against the provider that does no work
LEAST_ONCE_RATIO = 1.0  # new context, key, 16 bytes, free, against the default provider
MOST_LOAD_US = 100  # what loading the module takes beyond loading the provider that does no work
MOST_TEXT_KIB = 100  # the module's code without the AVX2 and AVX-512 cores


def promises_for(openssl_version):
    """Returns the table of promises against that version, "3.0.19"."""
    return PROMISES if openssl_version.startswith("3.0.") else NEWER_PROMISES
