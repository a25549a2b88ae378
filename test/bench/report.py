#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables and plots of docs/benchmarks.md from results of test/bench/run.

    test/bench/report.py [FILE.json...]     default: build*/bench/*.json
    PAGE=docs/benchmarks-xeon.md            another page, for another CPU

Only what stands between `<!-- generated: begin NAME -->` and `<!-- generated:
end NAME -->` is replaced; the prose around it is written by people. Plots go
to docs/benchmarks/*.svg. Another page has the sections that it wants.
"""

import os
import pathlib
import re
import shutil
import sys

sys.dont_write_bytecode = True
import plots  # noqa: E402
import results  # noqa: E402
import tiers  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MAIN_PAGE = ROOT / "docs/benchmarks.md"
PAGE = ROOT / (os.environ.get("PAGE") or MAIN_PAGE)
PLOTS = PAGE.with_suffix("")

LIFE_NAMES = {
    "fresh": "message under the key that is set",
    "rekey": "new key and message, same context",
    "once": "new context, key, message, free",
}


# --- Markdown -----------------------------------------------------------------------------------


def table(head, rows):
    """Returns a table whose columns after the first are right-aligned."""
    lines = [head, ["---"] + ["--:"] * (len(head) - 1), *rows]
    return "\n".join("| " + " | ".join(str(x) for x in line) + " |" for line in lines) + "\n"


def size_name(n):
    return f"{n >> 20} MiB" if n >= 1 << 20 else f"{n >> 10} KiB" if n >= 8192 else f"{n} B"


def ratio(spread):
    return f"{spread[0]:.2f} <sub>{spread[1]:.2f}–{spread[2]:.2f}</sub>" if spread else ""


def number(x):
    return "" if x is None else f"{x:.0f}" if x >= 100 else f"{x:.1f}"


def details(summary, text):
    summary = re.sub(r"`(.*?)`", r"<code>\1</code>", summary)
    return f"<details><summary>{summary}</summary>\n\n{text}\n</details>\n"


# --- Sections -----------------------------------------------------------------------------------


def write_environment(all_results):
    text = ""
    for r in all_results:
        f = r.facts
        isa = ", ".join(f"`{c}`: `{flags}`" for c, flags in f["isa"].items() if flags)
        text += f"### {r.title}\n\n" + table(
            ["", "value"],
            [
                ["CPU", f["cpu"]],
                ["compiler", f"{f['compiler']}, `{f['cflags']}`"],
                ["flags of single cores", isa or "none"],
                ["OpenSSL", f["openssl"]],
                ["ctaes", f["commit"]],
                ["date", f"{f['date']}, {f['form']} run of {f['seconds']} s"],
                ["load average before", f"{f['load_average']:.2f}"],
            ],
        ).replace("--:", "---")
        text += "\n" + table(
            ["tier", "`OPENSSL_ia32cap`", "what libcrypto says of it"],
            [
                [
                    f"{t['tier']}: {tiers.find_tier(t['tier']).title}",
                    f"`{t['mask']}`" if t["mask"] else "unset",
                    f"`{t['cpu_settings'].split(' env:')[0]}`",
                ]
                for t in f["tiers"]
            ],
        ).replace("--:", "---")
        text += "\n"
    return text


def judge(spread, promised):
    """Returns a cell's text, and whether it keeps what was promised."""
    kept = round(spread[0], 2) >= promised
    measured = f"{spread[0]:.2f}" if kept else f"**{spread[0]:.2f}**"
    return f"{measured} / {promised:g}", kept


def write_promises_of(result):
    promises = tiers.promises_for(result.openssl)
    head = ["core, key"] + [
        f"{tiers.OP_NAMES[op]} {size_name(n)}" for op, n in tiers.PROMISED_CELLS
    ]
    rows, missed, count = [], [], 0
    for s in result.series:
        promised = promises.get((s.tier.name, s.core))
        for bits in tiers.KEY_BITS if promised else ():
            row = [f"{s.title}, {bits}"]
            for (op, n), p in zip(tiers.PROMISED_CELLS, promised):
                spread = s.spread(op, bits, n)
                if p is None or not spread:
                    row.append("")
                    continue
                cell, kept = judge(spread, p)
                row.append(cell)
                count += 1
                if not kept:
                    missed.append(
                        f"- `{s.core}`, AES-{bits}, {tiers.OP_NAMES[op]}, {size_name(n)}: "
                        f"{spread[0]:.2f} ({spread[1]:.2f}–{spread[2]:.2f}), promised {p:g}"
                    )
            rows.append(row)
    if not rows:
        return ""
    text = f"### {result.title}\n\n" + table(head, rows)
    text += f"\n{count - len(missed)} of {count} kept.\n"
    return text + ("\nNot kept:\n\n" + "\n".join(missed) + "\n" if missed else "") + "\n"


def write_never_slower(result):
    """Against newer OpenSSL, no cell of the cores with AES instructions may fall below 1."""
    if tiers.promises_for(result.openssl) is tiers.PROMISES:
        return ""
    slower, count = [], 0
    for s in result.series:
        if s.core not in tiers.HARDWARE_CORES:
            continue
        for (op, bits, column), _ in sorted(s.cells.items()):
            spread = s.spread(op, bits, column)
            count += 1
            if round(spread[0], 2) < 1:
                slower.append(
                    f"- {s.title}: AES-{bits}, {tiers.OP_NAMES[op]}, {size_name(column)}: "
                    f"{ratio(spread)}"
                )
    text = f"\nOf the {count} cells of all cores with AES instructions, {len(slower)} are below 1.0"
    return text + (":\n\n" + "\n".join(slower) if slower else ".") + "\n\n"


def write_promises(all_results):
    return "".join(write_promises_of(r) + write_never_slower(r) for r in all_results)


def write_small(all_results):
    """What small messages, loading and code cost, against what was promised."""
    rows = []

    def add(result, what, value, limit, unit, most=True):
        kept = round(value, 2) <= limit if most else round(value, 2) >= limit
        bound = f"at {'most' if most else 'least'} {limit:g}"
        rows.append([result.title, what, f"{value:.2f}{unit}", bound, "yes" if kept else "**no**"])

    for r in all_results:
        loaded = set()
        for s in r.series:
            load = s.cost("evp", "gcm-enc", 128, 16, "load")
            base = s.cost("floor", "gcm-enc", 128, 16, "load")
            if load and s.core not in loaded:
                loaded.add(s.core)
                what = f"`{s.core}`: loading, beyond a provider that does no work"
                add(r, what, (load - base) / 1e3, tiers.MOST_LOAD_US, " µs")
            if s.core not in tiers.HARDWARE_CORES:
                continue
            for n in (16, 64):
                mine, base = (s.cost(x, "gcm-enc", 128, n, "fresh") for x in ("evp", "floor"))
                what = f"{s.title}: GCM encrypt {n} B, time by that of no work"
                add(r, what, mine / base, tiers.MOST_TIMES_FLOOR, "")
            mine, rival = (s.cost(x, "gcm-enc", 128, 16, "once") for x in ("evp", "default"))
            what = f"{s.title}: context for one message of 16 B, speed by the default provider's"
            add(r, what, rival / mine, tiers.LEAST_ONCE_RATIO, "", most=False)
        text_sizes = r.facts["text_sizes"]
        if "module" in text_sizes:
            wide = [c for c in text_sizes if re.match(r"vaes|avx2|avx512", c)]
            small = text_sizes["module"] - sum(text_sizes[c] for c in wide)
            what = "code" + (f" without {', '.join(f'`{c}`' for c in wide)}" if wide else "")
            add(r, what, small / 1024, tiers.MOST_TEXT_KIB, " KiB")
    return table(["run", "what", "measured", "promised", "kept"], rows)


def write_costs(all_results):
    text = ""
    for s in all_results[0].series:
        rows = []
        for (op, bits, size, life), _ in s.costs.items():
            if life not in LIFE_NAMES:
                continue
            mine, rival, base = (
                s.cost(x, op, bits, size, life) for x in ("evp", "default", "floor")
            )
            rows.append(
                [f"{LIFE_NAMES[life]}: AES-{bits} {tiers.OP_NAMES[op]} {size} B"]
                + [number(x) for x in (base, rival, mine)]
                + [f"{rival / mine:.2f}", f"{mine / base:.2f}"]
            )
        head = ["nanoseconds", "no work", "default", "ctaes", "ratio", "times no work"]
        text += details(s.title, table(head, rows)) + "\n"
    return text


def write_compilers(all_results):
    """Two compilers' builds side by side: their ratios to the same rival."""
    pairs = {}
    for r in all_results:
        pairs.setdefault((r.facts["cpu"], r.openssl), []).append(r)
    text = ""
    for group in pairs.values():  # one CPU, one OpenSSL
        if len(group) < 2:
            continue
        sizes = (16, 256, 16384)
        head = [f"AES-128, OpenSSL {group[0].openssl}"]
        head += [f"{size_name(n)}, {r.compiler}" for n in sizes for r in group]
        rows = []
        for s in group[0].series:
            same = [
                next((x for x in r.series if (x.tier, x.core) == (s.tier, s.core)), None)
                for r in group
            ]
            for op in s.tier.ops if None not in same else ():
                spreads = [x.spread(op, 128, n) for n in sizes for x in same]
                rows.append(
                    [f"`{s.core}` ({s.tier.name}) {tiers.OP_NAMES[op]}"]
                    + [f"{x[0]:.2f}" if x else "" for x in spreads]
                )
        text += table(head, rows) + "\n"
    return text or "Only one compiler's build was measured.\n"


def write_modes_of(result):
    series = [s for s in result.series if s.modes]
    rows, slower, count = [], [], 0
    for op, _, parallel in tiers.MODE_OPS:
        for size in tiers.mode_sizes(op):
            for bits in tiers.KEY_BITS:
                cells = [s.modes.get((op, bits, size)) for s in series]
                if not any(cells):
                    continue
                name = f"{tiers.op_name(op)}, {bits}, {size_name(size)}"
                row = [name]
                for s, cell in zip(series, cells):
                    spread = cell["sides"][f"evp:{s.core}"]["ratio"] if cell else None
                    kept = not parallel or not spread or round(spread[0], 2) >= 1
                    mark = "" if kept else "**"
                    row.append(f"{mark}{spread[0]:.2f}{mark}" if spread else "")
                    if parallel and spread:
                        count += 1
                        if not kept:
                            slower.append(f"- {s.title}: {name}: {ratio(spread)}")
                rows.append(row)
    if not rows:
        return ""
    head = ["times as fast"] + [f"`{s.core}` ({s.tier.name})" for s in series]
    text = f"### {result.title}\n\n" + table(head, rows)
    text += f"\nOf the {count} cells of parallel operations, {len(slower)} are below 1.0"
    return text + (":\n\n" + "\n".join(slower) if slower else ".") + "\n\n"


def write_modes(all_results):
    """The other modes. In one run per OpenSSL and compiler, like the promises."""
    return "".join(write_modes_of(r) for r in all_results) or "Not measured.\n"


def write_series(series):
    columns = series.columns()
    head = ["times as fast as the default provider"] + [size_name(c) for c in columns]
    lines = [(op, bits) for op in series.tier.ops for bits in tiers.KEY_BITS]
    name = {(op, bits): f"{tiers.OP_NAMES[op]}, {bits}" for op, bits in lines}
    text = table(head, [[name[x]] + [ratio(series.spread(*x, c)) for c in columns] for x in lines])
    head[0] = "MB/s: ctaes · its core called directly · default"
    sides = ("evp", "direct", "default")
    rows = []
    for x in lines:
        cells = [[number(series.speed(side, *x, c)) for side in sides] for c in columns]
        rows.append([name[x]] + [" · ".join(cell) if cell[0] else "" for cell in cells])
    return text + "\n" + table(head, rows)


def write_tables(all_results):
    text = ""
    for r in all_results:
        text += f"### {r.title}\n\n"
        for s in r.series:
            text += details(f"{s.title} (rival: {s.tier.rival})", write_series(s)) + "\n"
    return text


def write_sizes(all_results):
    names = list(dict.fromkeys(n for r in all_results for n in r.facts["text_sizes"]))
    rows = [
        [n] + [number(r.facts["text_sizes"].get(n)) for r in all_results] for n in names
    ]
    return table(["bytes of code and constants"] + [r.title for r in all_results], rows)


def write_plots(all_results):
    """Draws the plots of the first result, and returns the text that shows them."""
    result = all_results[0]
    if PLOTS.is_dir():
        shutil.rmtree(PLOTS)
    PLOTS.mkdir(parents=True)
    plots.plot_heat_map(result, PLOTS / "ratios.svg")
    text = f"{result.title}. Above 1 (blue) ctaes is faster.\n\n"
    text += f"![Ratios of all cores to the default provider]({PLOTS.name}/ratios.svg)\n\n"
    for s in result.series:
        file = f"{s.core}-{s.tier.name}.svg"
        plots.plot_throughput(s, PLOTS / file)
        text += f"![Throughput of {s.core}, {s.tier.title}]({PLOTS.name}/{file})\n\n"
    return text


SECTIONS = {
    "promises": write_promises,
    "small": write_small,
    "costs": write_costs,
    "modes": write_modes,
    "plots": write_plots,
    "compilers": write_compilers,
    "tables": write_tables,
    "sizes": write_sizes,
    "environment": write_environment,
}


def replace_section(page, name, text):
    begin, end = f"<!-- generated: begin {name} -->", f"<!-- generated: end {name} -->"
    if page.count(begin) != 1 or page.count(end) != 1:
        raise SystemExit(f"{PAGE} must have the lines\n{begin}\n{end}\nonce each")
    before, rest = page.split(begin)
    after = rest.split(end)[1]
    return f"{before}{begin}\n{text.strip()}\n{end}{after}"


def main():
    paths = [pathlib.Path(x) for x in sys.argv[1:]] or sorted(ROOT.glob("build*/bench/*.json"))
    if not paths:
        print("report: there are no results; run `make bench` or `make bench-quick` first")
        return 1
    all_results = results.load(paths)
    page = PAGE.read_text()
    for name, write in SECTIONS.items():
        if PAGE == MAIN_PAGE or f"<!-- generated: begin {name} -->" in page:
            page = replace_section(page, name, write(all_results))
    PAGE.write_text(page)
    print(f"{PAGE.relative_to(ROOT)}: {', '.join(r.title for r in all_results)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
