# SPDX-License-Identifier: Apache-2.0
"""Rules about the sources that need no tool to check.

Each rule takes the root of a tree and returns a list of complaints, each with
file and line. MODULE_RULES are about how the module is built up, ALL_RULES has
those and the ones about form.
"""

import os
import pathlib
import re

SKIPPED_FOLDERS = {".git", "__pycache__", ".hypothesis", ".pytest_cache"}


def files(root, *suffixes):
    """Yields the paths of the tree's own files, sorted, without what builds leave behind."""
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [d for d in folders if d not in SKIPPED_FOLDERS and not d.startswith("build")]
        for name in names:
            if not suffixes or name.endswith(suffixes):
                found.append(pathlib.Path(folder) / name)
    return sorted(found)


def text_of(path):
    """Returns the file's text, or None if it isn't text."""
    content = path.read_bytes()
    if b"\0" in content:
        return None
    return content.decode("utf-8", errors="replace")


def is_script(path, *interpreters):
    with open(path, "rb") as f:
        first = f.readline(200)
    return first.startswith(b"#!") and any(x.encode() in first for x in interpreters)


def lines_of(root, path):
    text = text_of(path)
    for number, line in enumerate((text or "").splitlines(), 1):
        yield f"{path.relative_to(root)}:{number}", line


# --- How the module is built up -----------------------------------------------------------------


def rule_openssl_stays_in_the_glue(root):
    """Neither a core nor a mode nor the library knows OpenSSL."""
    complaints = []
    for folder in (root / "cores", root / "provider" / "modes", root / "provider" / "library"):
        for path in files(folder, ".c", ".h", ".def"):
            complaints += [f"{where}: includes OpenSSL" for where, line in lines_of(root, path)
                           if re.search(r'#\s*include\s*[<"]openssl/', line)]
    return complaints


def rule_layers(root):
    """A core includes nothing of the provider; a mode nothing of the glue above it."""
    complaints = []
    for path in files(root / "cores", ".c", ".h"):
        complaints += [f"{where}: a core includes what is above it"
                       for where, line in lines_of(root, path)
                       if re.search(r'#\s*include\s*"\.\./', line)]
    for path in files(root / "provider" / "modes", ".c", ".h"):
        complaints += [f"{where}: a mode includes the glue"
                       for where, line in lines_of(root, path)
                       if re.search(r'#\s*include\s*"\.\./(?!\.\./cores/)', line)]
    return complaints


def rule_isa_table(root):
    """Only the Makefile's ISA table chooses instruction sets."""
    complaints = []
    makefiles = [root / "Makefile"] + files(root, ".mk")
    for path in makefiles:
        for where, line in lines_of(root, path):
            code = line.split("#")[0]
            if re.search(r"-march=native", line):
                complaints.append(f"{where}: -march=native")
            # -m32 and -m64 choose a word size, not an instruction set.
            if re.search(r"(?<![\w-])-m(?!32\b|64\b)[a-z0-9]", code) and \
                    not (path.name == "Makefile" and re.match(r"\s*ISA_\w+\s*:?=", code)):
                complaints.append(f"{where}: an -m flag outside of the ISA table: {line.strip()}")
    for folder in ("cores", "provider"):
        for path in files(root / folder, ".c", ".h"):
            complaints += [f"{where}: chooses an instruction set in the source"
                           for where, line in lines_of(root, path)
                           if re.search(r"#\s*pragma\s+(GCC|clang)\s+target|"
                                        r"__attribute__\s*\(\(\s*_*target", line)]
    return complaints


MODULE_RULES = {
    "openssl-stays-in-the-glue": rule_openssl_stays_in_the_glue,
    "layers": rule_layers,
    "isa-table": rule_isa_table,
}


# --- Form ---------------------------------------------------------------------------------------

# The line that says the licence must be the first, or the second after #!.
SPDX = "SPDX-License-Identifier: Apache-2.0"
SOURCE_SUFFIXES = (".c", ".h", ".def", ".py", ".sh", ".mk", ".S")


def is_source(path):
    return (path.name.endswith(SOURCE_SUFFIXES) or path.name == "Makefile"
            or is_script(path, "sh", "python", "perl"))


def rule_spdx(root):
    complaints = []
    for path in files(root):
        if is_source(path):
            head = (text_of(path) or "").splitlines()[:2]
            first = head[1:2] if head and head[0].startswith("#!") else head[:1]
            if not first or SPDX not in first[0]:
                complaints.append(f"{path.relative_to(root)}: doesn't open with the SPDX line")
    return complaints


def is_text_to_look_at(path):
    """Vectors and digests keep the form that their makers gave them."""
    return path.suffix in (".md", ".map", ".cnf", ".txt") and "vectors" not in path.parts \
        or is_source(path)


def rule_white_space(root):
    complaints = []
    for path in files(root):
        if not is_text_to_look_at(path):
            continue
        text = text_of(path)
        if text is None:
            continue
        for where, line in lines_of(root, path):
            if line != line.rstrip():
                complaints.append(f"{where}: white space at the end")
            if "\t" in line and path.suffix in (".c", ".h", ".py"):
                complaints.append(f"{where}: tab")
        if text and not text.endswith("\n"):
            complaints.append(f"{path.relative_to(root)}: no newline at the end")
        if "\r" in text:
            complaints.append(f"{path.relative_to(root)}: carriage return")
    return complaints


def anchors(path):
    """The anchors that a Markdown file's headings make, in GitHub's way."""
    found = set()
    in_code = False
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("```"):
            in_code = not in_code
        m = None if in_code else re.match(r"#{1,6}\s+(.*?)\s*#*$", line)
        if m:
            words = re.sub(r"[^\w\- ]", "", m[1].lower())
            found.add(words.replace(" ", "-"))
    return found


def rule_links(root):
    """Each relative link of the documents leads to a file that is there, and to its heading."""
    complaints = []
    for path in files(root, ".md"):
        in_code = False
        for where, line in lines_of(root, path):
            if line.lstrip().startswith("```"):
                in_code = not in_code
            if in_code:
                continue
            for target in re.findall(r"\[[^\]]*\]\(([^)\s]+)[^)]*\)", re.sub(r"`[^`]*`", "``", line)):
                if re.match(r"[a-z]+:", target):
                    continue
                name, _, anchor = target.partition("#")
                file = (path.parent / name).resolve() if name else path
                if not file.exists():
                    complaints.append(f"{where}: {target}: no such file")
                elif anchor and file.suffix == ".md" and anchor not in anchors(file):
                    complaints.append(f"{where}: {target}: no such heading")
    return complaints


def rule_layers_told(root):
    """The layers that `make check` runs are those of the table in docs/testing.md."""
    excluded = re.search(r"^NOT_CHECKS = \{([^}]*)\}", text_of(root / "test" / "run"), re.MULTILINE)
    run = {p.parent.name for p in root.glob("test/*/run")} - set(re.findall(r'"(\w+)"', excluded[1]))
    table = text_of(root / "docs" / "testing.md").split("| layer |")[1].split("\n\n")[0]
    told = set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE))
    return [f"test/{name}/run: docs/testing.md has no such layer" for name in sorted(run - told)] + [
        f"docs/testing.md: make check doesn't run the layer {name}" for name in sorted(told - run)]


FORM_RULES = {
    "spdx": rule_spdx,
    "white-space": rule_white_space,
    "links": rule_links,
    "layers-told": rule_layers_told,
}
ALL_RULES = {**MODULE_RULES, **FORM_RULES}


def long_files(root):
    """Files that have outgrown the guide: a remark, not a complaint."""
    remarks = []
    for path in files(root, ".c", ".h"):
        limit = 200 if path.suffix == ".h" else 450
        count = len((text_of(path) or "").splitlines())
        if count > limit:
            remarks.append(f"{path.relative_to(root)}: {count} lines, the guide is {limit}")
    return remarks


# --- The rules' own test ------------------------------------------------------------------------


def control_module_rules(folder):
    """Makes a tree that breaks each of MODULE_RULES once, and one that breaks none. Returns for
    each rule the complaints about the rule itself."""
    def make(name, changes):
        root = folder / name
        base = {
            "Makefile": "ISA_fast := -maes\nCFLAGS := -MMD -MP\n",
            "cores/fast.c": '#include "core.h"\n',
            "provider/modes/ecb.c": '#include "../../cores/core.h"\n#include "mode.h"\n',
            "provider/glue.c": '#include <openssl/core.h>\n#include "modes/mode.h"\n',
        }
        for file, text in {**base, **changes}.items():
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            (root / file).write_text(text)
        return root

    good = make("good", {})
    bad = {
        "openssl-stays-in-the-glue": [{"cores/fast.c": "# include <openssl/aes.h>\n"},
                                      {"provider/modes/ecb.c": '#include "openssl/evp.h"\n'},
                                      {"provider/library/key.c": "#include <openssl/evp.h>\n"}],
        "layers": [{"cores/fast.c": '#include "../provider/modes/mode.h"\n'},
                   {"provider/modes/ecb.c": '#include "../provctx.h"\n'}],
        "isa-table": [{"Makefile": "CFLAGS := -mavx2\n"}, {"test/x/rules.mk": "F := -march=native\n"},
                      {"cores/fast.c": '#pragma GCC target("avx2")\n'}],
    }
    outcome = {}
    for name, rule in MODULE_RULES.items():
        complaints = [f"refuses a good tree: {x}" for x in rule(good)]
        for i, changes in enumerate(bad[name]):
            if not rule(make(f"{name}-{i}", changes)):
                complaints.append(f"accepts {changes}")
        outcome[name] = complaints
    return outcome
