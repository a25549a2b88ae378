# SPDX-License-Identifier: Apache-2.0
"""What a built module must look like from outside, read with binutils.

Each check takes a Module and returns a list of complaints, empty if all is
well. CHECKS names them; `run` walks it over the real module, and over modules
that are wrong on purpose.
"""

import dataclasses
import os
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent

# The oldest C library that the module must load into, by what it uses of it:
# getrandom came with 2.25. On machines that glibc came to later, that is later.
GLIBC_FLOOR = (2, 25)


@dataclasses.dataclass
class Module:
    so: str
    objects: list  # object files that it was linked from
    core_objects: list  # those of them that handle secrets block by block: cores and modes
    build_dir: str  # the absolute path that must not be found in it


def tool(*command):
    """Runs a tool of binutils and returns its lines."""
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True, text=True,
        errors="replace", env=dict(os.environ, LC_ALL="C"),
    )
    return done.stdout.splitlines()


def sections(path):
    """Returns [(name, size, flags)]."""
    rows = []
    for line in tool("readelf", "-SW", path):
        m = re.match(r"\s*\[\s*\d+\]\s+(\S+)\s+\S+\s+[0-9a-f]+\s+[0-9a-f]+\s+([0-9a-f]+)"
                     r"\s+[0-9a-f]+\s+([A-Za-z]*)\s+\d+\s+\d+\s+\d+$", line)
        if m:
            rows.append((m[1], int(m[2], 16), m[3]))
    return rows


def dynamic_symbols(path):
    """Returns [(name with version, bound, section index)]."""
    rows = []
    for line in tool("readelf", "--dyn-syms", "-W", path):
        m = re.match(r"\s*\d+:\s+\S+\s+\S+\s+\S+\s+(\S+)\s+\S+\s+(\S+)\s+(\S+)", line)
        if m and m[1] in ("GLOBAL", "WEAK", "UNIQUE"):
            rows.append((m[3], m[1], m[2]))
    return rows


def dynamic_entries(path):
    """Returns [(tag, value)]."""
    rows = []
    for line in tool("readelf", "-dW", path):
        m = re.match(r"\s*0x[0-9a-f]+\s+\((\w+)\)\s+(.*)", line)
        if m:
            rows.append((m[1], m[2].strip()))
    return rows


def segments(path):
    """Returns [(type, flags)]."""
    rows = []
    for line in tool("readelf", "-lW", path):
        m = re.match(r"\s+([A-Z_]+)\s+0x\w+ 0x\w+ 0x\w+ 0x\w+ 0x\w+ ([RWE ]{3}) 0x", line)
        if m:
            rows.append((m[1], m[2]))
    return rows


def allowed_undefined():
    names = []
    for line in (HERE / "undefined.txt").read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        name, mark, reason = line.partition("#")
        if not mark or not reason.strip():
            raise ValueError(f"undefined.txt: {name.strip()} has no reason")
        names.append(name.strip())
    return names


# --- Checks -------------------------------------------------------------------------------------


def check_exports(m):
    names = sorted(name for name, _, index in dynamic_symbols(m.so) if index != "UND")
    if names == ["OSSL_provider_init"]:
        return []
    return [f"exports {', '.join(names) or 'nothing'}; must be OSSL_provider_init alone"]


def check_needed(m):
    libraries = [re.sub(r".*\[(.*)\]", r"\1", v) for tag, v in dynamic_entries(m.so)
                 if tag == "NEEDED"]
    return [f"needs {x}; only libc.so.6 is allowed" for x in libraries
            if x != "libc.so.6" and not x.startswith(("ld-linux", "ld64.so", "ld.so"))]


def check_undefined(m):
    allowed = allowed_undefined()
    complaints = []
    for full_name, _, index in dynamic_symbols(m.so):
        name = full_name.split("@")[0]
        if index == "UND" and name not in allowed:
            complaints.append(f"takes {full_name} from outside; undefined.txt doesn't have it")
    return complaints


def check_glibc_floor(m):
    complaints = []
    for name, _, _ in dynamic_symbols(m.so):
        version = re.search(r"@GLIBC_(\d+)\.(\d+)", name)
        if version and (int(version[1]), int(version[2])) > GLIBC_FLOOR:
            complaints.append(f"{name} is newer than glibc {'.'.join(map(str, GLIBC_FLOOR))}")
    return complaints


def check_no_libcrypto(m):
    pattern = re.compile(r"^(OPENSSL|EVP|CRYPTO|ERR|OSSL|BIO|RAND|AES|BN|OBJ)_")
    return [f"{name} is libcrypto's" for name, _, index in dynamic_symbols(m.so)
            if index == "UND" and pattern.match(name)]


# What the toolchain itself puts there: crtbeginS.o has a pointer and a byte that
# run-time linking uses, the rest becomes read-only before the module's first line runs.
TOOLCHAIN_DATA = {"__dso_handle", "completed.0", "__TMC_END__", "_edata", "_end", "__bss_start",
                  "_DYNAMIC", "_GLOBAL_OFFSET_TABLE_", "__data_start", "__bss_start__",
                  "_bss_end__", "__bss_end__", "__end__", "completed.1"}
RELRO_SECTIONS = {".init_array", ".fini_array", ".data.rel.ro", ".dynamic", ".got", ".got.plt",
                  ".tm_clone_table", ".ctors", ".dtors", ".jcr", ".plt"}


def check_writable_module(m):
    complaints = []
    for name, size, flags in sections(m.so):
        if "W" in flags and "A" in flags and size > 0 and name not in RELRO_SECTIONS:
            if name not in (".data", ".bss"):
                complaints.append(f"section {name} is writable: {size} bytes")
            elif size > 16:
                complaints.append(f"section {name} has {size} bytes; the toolchain's own are 8")
    for line in tool("nm", m.so):
        parts = line.split()
        # Read-only after relocation (.data.rel.ro) is `d` too: only what is outside of it counts,
        # which the objects tell better. See check_writable_objects.
        if len(parts) == 3 and parts[1] in "bBC" and parts[2] not in TOOLCHAIN_DATA:
            complaints.append(f"variable {parts[2]} is writable")
    return complaints


def check_writable_objects(m):
    complaints = [] if m.objects else ["no object file found to look at"]
    for path in m.objects:
        for name, size, flags in sections(path):
            writable = "W" in flags and "A" in flags and size > 0
            if writable and not name.startswith(".data.rel.ro"):
                complaints.append(f"{path}: section {name} is writable and has {size} bytes")
        for line in tool("nm", path):
            if re.search(r" [C] ", line):
                complaints.append(f"{path}: common symbol {line.split()[-1]}")
    return complaints


def check_relro_now(m):
    entries = dynamic_entries(m.so)
    now = any((tag == "FLAGS" and "BIND_NOW" in v) or (tag == "FLAGS_1" and "NOW" in v.split())
              or tag == "BIND_NOW" for tag, v in entries)
    complaints = []
    if not any(kind == "GNU_RELRO" for kind, _ in segments(m.so)):
        complaints.append("no RELRO segment")
    if not now:
        complaints.append("symbols are bound lazily (no BIND_NOW)")
    return complaints


def check_nodelete(m):
    if any(tag == "FLAGS_1" and "NODELETE" in v for tag, v in dynamic_entries(m.so)):
        return []
    return ["may be unloaded while libcrypto still points into it (no NODELETE)"]


def check_stack(m):
    flags = [f for kind, f in segments(m.so) if kind == "GNU_STACK"]
    if not flags:
        return ["no GNU_STACK header, so that the stack becomes executable"]
    return ["executable stack"] if "E" in flags[0] else []


def check_segments(m):
    return [f"a segment is writable and executable: {flags}"
            for kind, flags in segments(m.so) if kind == "LOAD" and "W" in flags and "E" in flags]


def check_text_relocations(m):
    if any(tag == "TEXTREL" or (tag == "FLAGS" and "TEXTREL" in v)
           for tag, v in dynamic_entries(m.so)):
        return ["text relocations: the code isn't position-independent"]
    return []


def check_rpath(m):
    return [f"{tag} {v}" for tag, v in dynamic_entries(m.so) if tag in ("RPATH", "RUNPATH")]


def check_no_build_path(m):
    content = pathlib.Path(m.so).read_bytes()
    if m.build_dir.encode() + b"/" in content:
        return [f"contains the path of its build, {m.build_dir}: it differs from folder to folder"]
    return []


# Instructions whose time depends on their operands. Valgrind says nothing about divisions.
# x86: also pdep and pext (microcode before Zen 3), gathers and scatters (an access for each
# element), rotation through carry and bit scans (microcode on some), string comparisons (they stop),
# table lookup in memory, square roots and what else x87 has, masked stores without AVX-512.
SLOW = re.compile(
    r"^(div[bwlqsp]?[sd]?|idiv[bwlq]?|vdiv[sp][sdh]|fi?divr?p?[sl]?|udiv|sdiv|"
    r"pdep[lq]?|pext[lq]?|v?p?gather\w+|vp?scatter\w+|"
    r"rc[lr][bwlq]?|bs[fr][wlq]?|cmps[bwlq]?|scas[bwlq]?|xlatb?|aa[dms]|da[as]|"
    r"v?sqrt[sp][sdh]|f(sqrt|prem1?|sin|cos|sincos|ptan|patan|yl2xp?1?|2xm1|bld|bstp)|"
    r"v?p?cmp[ei]str[im]q?|vpconflict[dq]|vp2intersect[dq]|v?maskmovdqu|"
    r"d[dl]?g?f?r|dsg?f?r|div[wd]u?\w*)$"
)
# Words of objdump's that stand before the instruction.
PREFIXES = r"(?:(?:notrack|repn?z?|repn?e|lock|bnd|data16|cs|ds|rex\S*|\{\w+\})\s+)*"
# x86: jumps that depend on a flag or on rcx.
CONDITIONAL_JUMP = re.compile(r"^(j(?!mp)\w+|loop\w*)$")
# The same as calls: what compilers use where the CPU has no division or no wide one.
SLOW_CALLS = re.compile(r"^__(aeabi_)?u?(i?l?div|mod|divmod)")


def disassemble(path):
    """Yields (function, mnemonic) for each instruction of an object file."""
    function = "?"
    for line in tool("objdump", "-d", "-w", "--no-show-raw-insn", path):
        head = re.match(r"[0-9a-f]+ <(.*)>:", line)
        if head:
            function = head[1]
            continue
        m = re.match(rf"\s*[0-9a-f]+:\s+{PREFIXES}(\S+)", line)
        if m:
            yield function, m[1]


def count_jumps(paths):
    """Returns {(object, function): [conditional jumps, instructions]}."""
    counts = {}
    for path in paths:
        for function, mnemonic in disassemble(path):
            row = counts.setdefault((path, function), [0, 0])
            row[0] += bool(CONDITIONAL_JUMP.match(mnemonic))
            row[1] += 1
    return counts


# How many zeros a block's number ends with, which is public, says which offset comes next in OCB and
# PMAC. clang counts them with a bit scan.
SCANS_PUBLIC_NUMBERS = re.compile(r"provider/modes/(ocb|pmac)\.o$")


def check_instructions(m):
    complaints = [] if m.core_objects else ["no object file of a core found to look at"]
    for path in m.core_objects:
        seen = 0
        for function, mnemonic in disassemble(path):
            seen += 1
            if mnemonic == "bsf" and SCANS_PUBLIC_NUMBERS.search(str(path)):
                continue
            if SLOW.match(mnemonic):
                complaints.append(f"{path}: {mnemonic} in {function}")
        if seen == 0 and any(n == ".text" and s for n, s, _ in sections(path)):
            complaints.append(f"{path}: objdump shows no instruction")
        for line in tool("nm", "-u", path):
            if SLOW_CALLS.match(line.split()[-1]):
                complaints.append(f"{path}: calls {line.split()[-1]}")
    return complaints


CHECKS = {
    "exports": check_exports,
    "needed": check_needed,
    "undefined": check_undefined,
    "glibc-floor": check_glibc_floor,
    "no-libcrypto": check_no_libcrypto,
    "writable-module": check_writable_module,
    "writable-objects": check_writable_objects,
    "relro-now": check_relro_now,
    "nodelete": check_nodelete,
    "stack": check_stack,
    "segments": check_segments,
    "text-relocations": check_text_relocations,
    "rpath": check_rpath,
    "no-build-path": check_no_build_path,
    "instructions": check_instructions,
}
