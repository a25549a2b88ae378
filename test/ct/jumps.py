# SPDX-License-Identifier: Apache-2.0
"""Every conditional jump in the cores and modes, accounted for.

Memcheck says of each jump that was executed whether what it jumps on was
secret, and nothing of one that wasn't. So: each conditional jump in the objects
of cores and modes must be reached by the very operations that memcheck watches
(the harness `core`, run again without it: jumps.c), or by those whose traces
are compared (`trace`). Where memcheck reported nothing, and traces are the
same, what is reached jumps on lengths, counts and flags.

A function that is inlined in many places has copies that no call can reach: whole
blocks need no code for the end of a block. A jump is accounted for, too, if
another copy of the same line of source is reached in the same object: it has the
same condition. What is left must be listed in jumps.txt with a reason, by the
source's function, which is the same with any compiler.
"""

import collections
import os
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent

# Objects of cores/ that compute nothing with a user's secrets.
NO_CORES = ("cores", "cpu", "selftest")
CONDITIONAL = re.compile(r"^\s*([0-9a-f]+):\s+(?:(?:bnd|notrack|cs|ds)\s+)*(j(?!mp)\w+|loop\w*)\b", re.M)


def tool(*command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True, errors="replace",
                          env=dict(os.environ, LC_ALL="C"), **options).stdout


def objects_of(program):
    """Returns [(begin, end, source)] of what the linker put where: cores and modes."""
    text = pathlib.Path(f"{program}.map").read_text()
    rows = []
    for begin, size, path in re.findall(
            r"^ \.text\S*\s+0x([0-9a-f]+)\s+0x([0-9a-f]+) (\S+\.o)$", text, re.M):
        m = re.search(r"(?:^|/)((?:cores|provider/modes)/(\w+))\.o$", path)
        if m and not (m[1].startswith("cores/") and m[2] in NO_CORES):
            rows.append((int(begin, 16), int(begin, 16) + int(size, 16), f"{m[1]}.c"))
    return sorted(rows)


def jumps_of(program):
    """Returns {address: the source file of the object that has it}, ascending."""
    ranges = objects_of(program)
    found = {}
    addresses = [int(a, 16) for a, _ in CONDITIONAL.findall(
        tool("objdump", "-d", "-w", "--no-show-raw-insn", program))]
    at = 0
    for address in sorted(addresses):
        while at < len(ranges) and ranges[at][1] <= address:
            at += 1
        if at < len(ranges) and ranges[at][0] <= address:
            found[address] = ranges[at][2]
    return found


def places_of(program, addresses):
    """Returns {address: ("file:line", "file function")}: of the innermost function inlined there; but
    what libc's headers inline, of the one that called it."""
    lines = tool("addr2line", "-a", "-f", "-i", "-e", program,
                 input="".join(f"{a:x}\n" for a in addresses)).splitlines()
    places, address = {}, None
    for line, following in zip(lines, [*lines[1:], ""]):
        if re.match(r"0x[0-9a-f]+$", line):
            address = int(line, 16)
            continue
        m = re.match(r".*?((?:cores|provider)/(?:[^/:]+/)*[^/:]+):(\d+)", following)
        if m and address not in places and ":" not in line:
            path = os.path.normpath(m[1])
            places[address] = (f"{path}:{m[2]}", f"{path} {line}")
    return places


def listed_reasons():
    """Returns {"file function": reason} of jumps.txt."""
    rows = {}
    for line in (HERE / "jumps.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            place, mark, reason = line.partition("#")
            if not mark or not reason.strip():
                raise ValueError(f"jumps.txt: {place.strip()} has no reason")
            rows[" ".join(place.split())] = reason.strip()
    return rows


def account(program, jumps, reached, wanted):
    """wanted: says of a source file whether this program is to account for its jumps. Returns
    [(source, jumps, reached, copies, listed)] and complaints."""
    reasons = listed_reasons()
    jumps = {a: source for a, source in jumps.items() if wanted(source)}
    places = places_of(program, jumps)
    unknown = ("?", "?")
    lines_reached = {(source, places.get(a, unknown)[0]) for a, source in jumps.items()
                     if a in reached and a in places}
    counts = {}
    complaints = collections.Counter()
    for address, source in jumps.items():
        line, function = places.get(address, unknown)
        row = counts.setdefault(source, [0, 0, 0, 0])
        row[0] += 1
        if address in reached:
            row[1] += 1
        elif (source, line) in lines_reached:
            row[2] += 1
        elif function in reasons:
            row[3] += 1
        else:
            complaints[f"{source}: never reached, and not in jumps.txt: {function} ({line})"] += 1
    if not counts:
        complaints["no jumps found to account for"] += 1
    return ([(source, *row) for source, row in sorted(counts.items())],
            [f"{text}: {n}" for text, n in sorted(complaints.items())])


def read_addresses(path):
    return {int(line, 16) for line in pathlib.Path(path).read_text().split()}


def write_addresses(path, addresses):
    pathlib.Path(path).write_text("".join(f"{a:x}\n" for a in sorted(addresses)))
