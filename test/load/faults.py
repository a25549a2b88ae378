# SPDX-License-Identifier: Apache-2.0
"""Cores that compute wrong: the self-test at load finds them, the next best one takes over, and who
asked for a broken one by name is refused (broken.c breaks them)."""

import facts

# What the self-test says of each function.
SAYS = {
    "expand_key": "key setup or encryption of a block",
    "prepare_decrypt": "key setup for decryption or decryption of a block",
    "encrypt": "encryption of many blocks",
    "decrypt": "decryption of many blocks",
    "ghash_init": "GHASH",
    "ghash": "GHASH",
    "cbc_encrypt": "CBC encryption",
    "cbc_decrypt": "CBC decryption",
    "ctr32": "CTR",
    "gcm_encrypt": "GCM encryption",
    "gcm_decrypt": "GCM decryption",
    "gcm_short": "GCM of a short message",
    "ccm_encrypt": "CCM encryption",
    "ccm_decrypt": "CCM decryption",
    "ocb_encrypt": "OCB encryption",
    "ocb_decrypt": "OCB decryption",
    "xts_encrypt": "XTS encryption",
    "xts_decrypt": "XTS decryption",
}


def wish(broken):
    """The text for CTAES_TEST_BREAK: broken is {core: slot}."""
    return " ".join(f"{core}={slot}" for core, slot in broken.items())


def check_slot(results, cores, features, core, slot):
    what = f"{core.name} with a wrong {slot}"
    if not results.check(slot in SAYS, f"{what}: faults.py must know what the self-test says of it"):
        return

    only = wish({core.name: slot})
    seen = facts.load(facts.BROKEN, CTAES_CORE=core.name, CTAES_TEST_BREAK=only)
    facts.check_refused(results, f"{what}, by name", seen,
                        f'CTAES_CORE in the environment is "{core.name}": '
                        f"its self-test failed: {SAYS[slot]}")

    # By itself, with all that is better broken too, so that it is this core's turn.
    better = [x.name for x in cores[:cores.index(core)] if not x.lacks(features)]
    broken = {**{name: "expand_key" for name in better}, core.name: slot}
    next_best, passed_over = facts.choose(cores, features, {k: SAYS[v] for k, v in broken.items()})
    seen = facts.load(facts.BROKEN, CTAES_TEST_BREAK=wish(broken))
    if next_best is None:
        facts.check_refused(results, f"{what}, and no core is left", seen, passed_over)
    else:
        facts.check_loaded(results, f"{what}, auto", seen, next_best.name, passed_over)

    # A fault that does no harm, or a comparison that sees none, would show nothing above.
    seen = facts.load(facts.BROKEN, CTAES_CORE=core.name, CTAES_TEST_BREAK=only,
                      CTAES_TEST_NO_SELFTEST=1)
    results.check(seen.loaded and seen.different,
                  f"{what}, without the self-test: the comparison should show it", seen.text)


def check_all_broken(results, cores, features):
    """Nothing is left to choose, and what is wrong with each is said in full, at its longest."""
    longest = {core.name: max(core.slots, key=lambda x: len(SAYS.get(x, "")))
               for core in cores if not core.lacks(features)}
    _, passed_over = facts.choose(cores, features, {k: SAYS.get(v) for k, v in longest.items()})
    seen = facts.load(facts.BROKEN, CTAES_TEST_BREAK=wish(longest))
    facts.check_refused(results, "all cores broken", seen, passed_over)


def check_command(results, cores, features):
    """As users see it: openssl list, and openssl enc."""
    best, _ = facts.choose(cores, features)
    broken = {best.name: SAYS["decrypt"]}
    next_best, passed_over = facts.choose(cores, features, broken)
    if next_best is None:
        results.skip(f"openssl with a broken core: {best.name} is the only core that runs here")
        return
    options = ("-provider-path", facts.BROKEN, "-provider", "ctaes")
    env = {"CTAES_TEST_BREAK": f"{best.name}=decrypt"}
    done = facts.run(facts.OPENSSL, "list", "-providers", "-verbose", *options, **env)
    wanted = f"build info: {facts.build_info_begins(next_best.name, passed_over)}"
    results.check(done.returncode == 0 and wanted in done.stdout.decode() and not done.stderr,
                  "openssl list -providers -verbose with a broken core",
                  f"should have: {wanted}\n{done.stdout.decode()}{done.stderr}")

    cipher = ("-aes-128-ecb", "-K", "00112233445566778899aabbccddeeff")
    message = bytes(range(256)) * 20
    theirs = facts.run(facts.OPENSSL, "enc", *cipher, data=message).stdout
    done = facts.run(facts.OPENSSL, "enc", "-d", *cipher, *options, data=theirs, **env)
    results.check(done.returncode == 0 and done.stdout == message and not done.stderr,
                  "openssl enc -d with a broken core", done.stderr)

    done = facts.run(facts.OPENSSL, "enc", "-d", *cipher, *options, data=theirs,
                     CTAES_CORE=best.name, **env)
    results.check(done.returncode != 0 and not done.stdout
                  and f'"{best.name}": its self-test failed: {SAYS["decrypt"]}' in done.stderr,
                  "openssl enc -d with a broken core that was asked for", done.stderr)


def check(cores, features):
    results = facts.Results()
    best, passed_over = facts.choose(cores, features)
    seen = facts.load(facts.BROKEN)
    facts.check_loaded(results, "the module of the faults, without a fault", seen, best.name,
                       passed_over)
    for core in cores:
        if not core.lacks(features):
            for slot in core.slots:
                check_slot(results, cores, features, core, slot)
    check_all_broken(results, cores, features)
    check_command(results, cores, features)
    return results
