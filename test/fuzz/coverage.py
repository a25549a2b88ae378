# SPDX-License-Identifier: Apache-2.0
"""Compares what an lcov file says wasn't executed with test/fuzz/uncovered.txt.

    coverage.py LCOV [--list] [--newer]

Prints each file's lines and how many of them were executed, then the lines that no row of
uncovered.txt explains, and the rows that explain nothing any more. --list prints all lines that
weren't executed, as rows want them. --newer: a newer version's default was run, too, so rows with
the reason V explain nothing. A row is

    FILE | FUNCTION() TEXT | REASON

where TEXT is the line's without the blanks around it, wherever in the function it stands;
FUNCTION() alone is all of it, * the whole file; FILE may have a *. REASON is a letter of the list
at the top of uncovered.txt.
"""

import collections
import fnmatch
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
IGNORED = ("", "{", "}", "};", "} else {", "} else", "else", "else {")
ROWS = ROOT / "test" / "fuzz" / "uncovered.txt"


def read_lcov(path):
    """Returns {file: {line: count}} and {file: [(first line, function)]}."""
    lines = collections.defaultdict(dict)
    functions = collections.defaultdict(list)
    name = None
    for text in pathlib.Path(path).read_text().splitlines():
        key, _, value = text.partition(":")
        if key == "SF":
            name = str(pathlib.Path(ROOT, value).resolve().relative_to(ROOT))
        elif key == "DA":
            number, count = (int(n) for n in value.split(",")[:2])
            lines[name][number] = max(count, lines[name].get(number, 0))
        elif key == "FN":
            number, function = value.split(",")[:2]
            functions[name].append((int(number), function.rpartition(":")[2]))
    return lines, {name: sorted(set(found)) for name, found in functions.items()}


def function_at(functions, number):
    before = [function for first, function in functions if first <= number]
    return before[-1] + "()" if before else ""


def read_rows():
    reasons, rows = {}, []
    for text in ROWS.read_text().splitlines():
        reason = re.fullmatch(r"([A-Z]): (.*)", text)
        if reason:
            reasons[reason[1]] = reason[2]
        elif text and text[0] not in "# ":
            file, _, rest = text.partition(" | ")
            what, _, why = rest.rpartition(" | ")
            if why != "V" or "--newer" not in sys.argv:
                rows.append((file, what, why))
    return reasons, rows


def explain(rows, file, text, function):
    for i, (pattern, what, why) in enumerate(rows):
        if fnmatch.fnmatch(file, pattern) and what in ("*", function, f"{function} {text}"):
            return i, why
    return None, None


def main():
    lines, functions = read_lcov(sys.argv[1])
    reasons, rows = read_rows()
    groups = collections.Counter()
    used, unknown = set(), []
    total = executed = 0
    for file in sorted(lines):
        source = (ROOT / file).read_text().splitlines()
        missed = []
        for number, count in sorted(lines[file].items()):
            text = source[number - 1].strip() if number <= len(source) else ""
            if count == 0 and text not in IGNORED and not text.startswith("#define"):
                missed.append((number, text))
        total += len(lines[file])
        executed += sum(count > 0 for count in lines[file].values())
        covered = sum(count > 0 for count in lines[file].values())
        print(f"{file:32} {covered:5} of {len(lines[file]):5} lines")
        for number, text in missed:
            function = function_at(functions.get(file, []), number)
            row, why = explain(rows, file, text, function)
            if "--list" in sys.argv:
                print(f"    {number}: {file} | {function} {text} | {why}")
            if row is None:
                unknown.append(f"{file}:{number}: {function} {text}")
            else:
                used.add(row)
                groups[why] += 1
    print(f"{'all':32} {executed:5} of {total:5} lines, {100 * executed / total:.1f} %")
    for why, count in sorted(groups.items()):
        print(f"{count:5} lines not executed: {reasons.get(why, why)}")
    for i, row in enumerate(rows):
        if i not in used:
            print(f"no longer needed in uncovered.txt: {' | '.join(row)}")
    for text in unknown:
        print(f"not executed, and not explained: {text}")
    return bool(unknown)


if __name__ == "__main__":
    sys.exit(main())
