# SPDX-License-Identifier: Apache-2.0
"""`make CORES="..."`: modules with some of the cores, in the order that was asked for.

One is built from nothing. For the others the objects of the whole build are copied, as they don't
depend on CORES but for the list of cores; make itself builds that and links."""

import os
import re
import shutil
import subprocess

import facts


def make(folder, subset, *more):
    """Runs make in a build folder of its own; what calls this layer must not leak into it."""
    env = {k: v for k, v in os.environ.items()
           if k not in ("MAKEFLAGS", "MAKEOVERRIDES", "MFLAGS", "MAKELEVEL", "CORES", "B")}
    return subprocess.run(
        [os.environ.get("MAKE", "make"), "-s", f"B={folder}", f"CC={facts.CC}", f"CORES={subset}",
         *more],
        env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True)


def copy_objects(folder, names):
    """All of the whole build's objects that a module with the cores of these names is made of."""
    for source in ("cores", "provider", "provider/modes", "provider/library"):
        (folder / source).mkdir(parents=True, exist_ok=True)
        for path in (facts.B / source).glob("*.o"):
            is_core = (facts.ROOT / "cores" / f"{path.stem}.c").exists() and source == "cores"
            # ssse3p and avx2p call ssse3 and avx2.
            needed = {name.removesuffix("p") for name in names} | set(names) | {"cpu", "selftest"}
            if not is_core or path.stem in needed:
                shutil.copyfile(path, folder / source / path.name)
    (folder / "cores" / "cores.o").unlink(missing_ok=True)


def build_copy(names):
    subset = " ".join(names)
    folder = facts.WORK / "subset" / "-".join(names)
    shutil.rmtree(folder, ignore_errors=True)
    # The flags first: what is older than they are would be built anew.
    done = make(folder, subset, f"{folder}/flags")
    if done.returncode == 0:
        copy_objects(folder, names)
        done = make(folder, subset, "all")
    return folder, done


def build_all(names):
    folder = facts.WORK / "subset" / "from-nothing"
    shutil.rmtree(folder, ignore_errors=True)
    return folder, make(folder, " ".join(names), "CFLAGS=-O1", "all")


def check_module(results, cores, features, names, folder, done):
    what = f'CORES="{" ".join(names)}"'
    if not results.check(done.returncode == 0 and (folder / "ctaes.so").exists(),
                         f"{what} builds", done.stdout):
        return
    here = {core.name: core for core in cores}
    subset = [here[name] for name in names]

    core, passed_over = facts.choose(subset, features)
    seen = facts.load(folder)
    if core is None:
        facts.check_refused(results, what, seen, passed_over)
    else:
        facts.check_loaded(results, what, seen, core.name, passed_over)

    # The list of a wrong name's error; a core that this build doesn't have is such a name.
    others = [name for name in here if name not in names]
    for wrong in ("nonsense", *others[:1]):
        seen = facts.load(folder, CTAES_CORE=wrong)
        wanted = rf'"{wrong}"; this build has: auto {" ".join(names)}$'
        results.check(not seen.loaded and any(re.search(wanted, x) for x in seen.errors),
                      f"{what}, asked for {wrong}", f"should match {wanted}\n{seen.text}")

    for other in subset[1:]:
        seen = facts.load(folder, CTAES_CORE=other.name)
        if other.lacks(features):
            facts.check_refused(results, f"{what}, {other.name}", seen, other.lacks(features))
        else:
            facts.check_loaded(results, f"{what}, {other.name}", seen, other.name, "")


def check(cores, features):
    results = facts.Results()
    names = [core.name for core in cores]
    # The last two in their order and turned round, each alone, the first with the last.
    wanted = [names[-1:-3:-1], *([name] for name in names), [names[0], names[-1]]]
    if {"aesni", "ct32"} <= set(names):
        wanted.append(["aesni", "ct32"])
    done = set()
    for subset in wanted:
        if tuple(subset) not in done and len(set(subset)) == len(subset):
            done.add(tuple(subset))
            check_module(results, cores, features, subset, *build_copy(subset))
    check_module(results, cores, features, names[-2:], *build_all(names[-2:]))

    folder = facts.WORK / "subset" / "wrong"
    made = make(folder, "nonsense", "all")
    results.check(made.returncode != 0 and "nonsense" in made.stdout
                  and not (folder / "ctaes.so").exists(),
                  'CORES="nonsense" must fail, and name it', made.stdout)
    return results
