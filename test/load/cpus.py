# SPDX-License-Identifier: Apache-2.0
"""Which core other CPUs get: such as OPENSSL_ia32cap makes of this one, and such as qemu emulates.

What a CPU offers is read from `openssl info -cpusettings`, which is OpenSSL's own reading, and what
is known of a CPU beforehand must agree with that."""

import os
import shutil

import facts

# --- OPENSSL_ia32cap ------------------------------------------------------------------------------

# What takes over where these are hidden, whatever else the build has, if the rest of the CPU and
# the build allow it.
TAKES_OVER = {"AVX512F": "vaes256", "VAES": "aesniavx", "AVX": "aesni"}

LEAF_7 = [name for name, (word, _) in facts.FEATURES.items() if word == 1]


def hide(place):
    word, bit = place
    return f"~{1 << bit:#x}:~0x0" if word == 0 else f":~{1 << bit:#x}"


def masks():
    """[(name, text of the variable, features that it must hide)]"""
    return [
        ("nothing hidden", "~0x0:~0x0", []),
        *((f"no {x}", hide(place), [x]) for x, place in facts.FEATURES.items()),
        ("no OSXSAVE", hide(facts.OSXSAVE), ["AVX", "AVX2"]),
        ("no leaf 7", "~0x0", LEAF_7),
        ("no feature", "0x0:0x0", list(facts.FEATURES)),
        ("nonsense, which hides all", "nonsense", list(facts.FEATURES)),
    ]


def check_mask(results, cores, features, name, text, hidden):
    what = f"OPENSSL_ia32cap={text} ({name})"
    if hidden and not features & set(hidden):
        results.skip(f"{what}: this CPU lacks {', '.join(hidden)} anyway")
        return
    left = facts.find_features(OPENSSL_ia32cap=text)
    if not results.check(left is not None and left <= features and not left & set(hidden),
                         f"{what}: what OpenSSL makes of it", left):
        return
    core, passed_over = facts.choose(cores, left)
    seen = facts.load(facts.B, OPENSSL_ia32cap=text)
    if core is None:
        facts.check_refused(results, what, seen, passed_over)
    else:
        facts.check_loaded(results, what, seen, core.name, passed_over)
        wanted = TAKES_OVER.get(hidden[0]) if len(hidden) == 1 else None
        if any(x.name == wanted and not x.lacks(left) for x in cores):
            results.equal(core.name, wanted, f"{what}: the core")
    for other in cores:
        if other.lacks(left):
            seen = facts.load(facts.B, OPENSSL_ia32cap=text, CTAES_CORE=other.name)
            facts.check_refused(results, f"{what}, {other.name} by name", seen,
                                f'"{other.name}": {other.lacks(left)}')
            break


def check_masks(cores, features):
    results = facts.Results()
    if not facts.is_x86():
        results.skip("OPENSSL_ia32cap: this CPU lacks it, being no x86")
        return results
    for row in masks():
        check_mask(results, cores, features, *row)
    return results


# --- Emulated CPUs --------------------------------------------------------------------------------

# model: what it has for certain, and what it lacks for certain. The rest depends on how much of the
# model a version of qemu can emulate. VAES isn't among it: qemu 7.2 doesn't emulate it well enough.
MODELS = {
    "core2duo": ({"SSSE3"}, {"SSE4.1", "PCLMULQDQ", "AES-NI", "AVX"}),
    "qemu64": ({"SSE2"}, {"SSSE3", "SSE4.1", "PCLMULQDQ", "AES-NI", "AVX"}),
    "Nehalem": ({"SSSE3", "SSE4.1"}, {"PCLMULQDQ", "AES-NI", "AVX"}),
    "Westmere": ({"SSE4.1", "PCLMULQDQ", "AES-NI"}, {"AVX"}),
    "SandyBridge": ({"SSE4.1", "PCLMULQDQ", "AES-NI"}, {"AVX2", "VAES"}),
    "Haswell": ({"SSE4.1", "PCLMULQDQ", "AES-NI"}, {"VAES", "AVX512F"}),
}

KEY = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
IV = "f0f1f2f3f4f5f6f7f8f9fafbffffffff"
CIPHERS = {
    "aes-128-cbc": ("-K", KEY[:32], "-iv", IV),
    "aes-192-ctr": ("-K", KEY[:48], "-iv", IV),
    "aes-256-ecb": ("-K", KEY),
}
MESSAGE = bytes((i * i // 16 + 3 * i) % 256 for i in range(4099))


def check_enc(results, what, emulator, options):
    for name, key in CIPHERS.items():
        right = facts.run(facts.OPENSSL, "enc", f"-{name}", *key, data=MESSAGE).stdout
        for direction, data, wanted in (("-e", MESSAGE, right), ("-d", right, MESSAGE)):
            done = facts.run(*emulator, facts.OPENSSL, "enc", direction, f"-{name}", *key, *options,
                             data=data)
            results.check(done.returncode == 0 and len(right) >= len(MESSAGE)
                          and done.stdout == wanted,
                          f"{what}: openssl enc {direction} -{name}",
                          f"exit status {done.returncode}\n{done.stderr}")


def check_model(results, cores, emulator, model, has, lacks):
    what = f"CPU {model}"
    emulator = (emulator, "-cpu", model)
    features = facts.find_features(*emulator)
    if not results.check(features is not None and has <= features and not lacks & features,
                         f"{what}: as qemu emulates it", f"{features}"):
        return
    options = ("-provider-path", facts.B, "-provider", "ctaes")
    core, passed_over = facts.choose(cores, features)
    seen = facts.load(facts.B, *emulator)
    if core is None:
        facts.check_refused(results, what, seen, passed_over)
        return
    facts.check_loaded(results, what, seen, core.name, passed_over)
    done = facts.run(*emulator, facts.OPENSSL, "list", "-providers", "-verbose", *options)
    wanted = f"build info: {facts.build_info_begins(core.name, passed_over)}"
    results.check(done.returncode == 0 and wanted in done.stdout.decode(),
                  f"{what}: openssl list -providers -verbose",
                  f"should have: {wanted}\n{done.stdout.decode()}{done.stderr}")
    check_enc(results, f"{what}, core {core.name}", emulator, options)


def check_emulated(cores):
    results = facts.Results()
    emulator = shutil.which("qemu-x86_64-static") or shutil.which("qemu-x86_64")
    if os.uname().machine != "x86_64":
        results.skip("emulated CPUs: this machine runs no x86-64 programs")
    elif emulator is None:
        results.skip("emulated CPUs: no qemu-x86_64-static on this machine")
    else:
        for model, (has, lacks) in MODELS.items():
            check_model(results, cores, emulator, model, has, lacks)
    return results
