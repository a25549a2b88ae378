# SPDX-License-Identifier: Apache-2.0
"""Plots, by gnuplot."""

import math
import subprocess

import tiers

PANELS = (  # title, ((operation, what its curve's name ends with), ...)
    ("ECB", (("ecb-enc", " encrypt"), ("ecb-dec", " decrypt"))),
    ("CBC", (("cbc-enc", " encrypt"), ("cbc-dec", " decrypt"))),
    ("CTR", (("ctr", ""),)),
    ("GCM", (("gcm-enc", " encrypt"), ("gcm-dec", " decrypt"))),
)
CTAES_COLORS = ("#1f4e9c", "#5b9bd5")
DEFAULT_COLORS = ("#b03a2e", "#e59866")


def run_gnuplot(path, width, height, script):
    """Draws an SVG file."""
    script = (
        f"set terminal svg size {width},{height} font 'sans-serif,11' background '#ffffff'\n"
        f"set output '{path}'\n{script}"
    )
    done = subprocess.run(["gnuplot"], input=script, text=True, capture_output=True)
    if done.returncode != 0 or done.stderr.strip():
        raise RuntimeError(f"gnuplot: {done.stderr}")


def short_size(n):
    return f"{n >> 20}M" if n >= 1 << 20 else f"{n >> 10}K" if n >= 8192 else str(n)


def data_block(name, points):
    lines = "\n".join(" ".join(str(x) for x in p) for p in points)
    return f"${name} << END\n{lines}\nEND\n"


def plot_throughput(series, path, bits=128):
    """Draws MB/s over the message's size, against the default provider."""
    # 1420 has no room beside 1024.
    ticks = ", ".join(f"'{short_size(x)}' {x}" for x in series.columns() if x != 1420)
    panels = [p for p in PANELS if p[1][0][0] in series.tier.ops]
    data, plots = "", []
    for title, lines in panels:
        curves = []
        for i, (op, label) in enumerate(lines):
            for side, name, colors, mark in (
                ("evp", "ctaes", CTAES_COLORS, 7),
                ("default", "OpenSSL", DEFAULT_COLORS, 5),
            ):
                points = [(c, series.speed(side, op, bits, c)) for c in series.columns()]
                block = f"{side}_{op}".replace("-", "_")
                data += data_block(block, [p for p in points if p[1]])
                curves.append(
                    f"${block} using 1:2 with linespoints lw 1.5 pt {mark} ps 0.4 "
                    f"lc rgb '{colors[i]}' title '{name}{label}'"
                )
        plots.append(f"set title 'AES-{bits}-{title}'\nplot " + ", ".join(curves) + "\n")
    rows = math.ceil(len(panels) / 2)
    columns = min(len(panels), 2)
    run_gnuplot(
        path,
        480 * columns,
        330 * rows,
        f"""set logscale xy
set grid ytics lc rgb '#dddddd'
set xtics ({ticks}) rotate by -40
set format y '%g'
set xlabel 'bytes of one message'
set ylabel 'MB/s'
set key bottom right samplen 1.5
{data}set multiplot layout {rows},{columns}
{''.join(plots)}unset multiplot
""",
    )


def plot_heat_map(result, path, bits=128):
    """Draws all ratios to the default provider: rows are operations, columns sizes."""
    columns = sorted({c for s in result.series for c in s.columns()})
    rows = [(s, op) for s in result.series for op in s.tier.ops]
    cells, labels = [], []
    for y, (s, op) in enumerate(rows):
        for x, c in enumerate(columns):
            spread = s.spread(op, bits, c)
            if spread:
                cells.append((x, y, math.log2(spread[0])))
                labels.append((x, y, f"{spread[0]:.2f}"))
            else:
                cells.append((x, y, "NaN"))
    ytics = ", ".join(
        f"'{s.core} ({s.tier.name}): {tiers.OP_NAMES[op]}' {y}" for y, (s, op) in enumerate(rows)
    )
    xtics = ", ".join(f"'{short_size(c)}' {x}" for x, c in enumerate(columns))
    borders = "".join(
        f"set arrow from -0.5,{y - 0.5} to {len(columns) - 0.5},{y - 0.5} nohead front lw 1.5\n"
        for y in range(1, len(rows))
        if rows[y][0] is not rows[y - 1][0]
    )
    run_gnuplot(
        path,
        300 + max(62 * len(columns), 340),
        110 + 19 * len(rows),
        f"""set title 'AES-{bits}: times as fast as the default provider'
set xrange [-0.5:{len(columns) - 0.5}]
set yrange [{len(rows) - 0.5}:-0.5]
set xtics ({xtics}) scale 0
set ytics ({ytics}) scale 0
set xlabel 'bytes of one message'
set palette defined (-2 '#e0786e', -0.4 '#f6cfc8', 0 '#ffffff', 0.4 '#cfe2f3', 3 '#5b9bd5')
set cbrange [-2:3]
unset colorbox
unset key
{borders}{data_block('cells', cells)}{data_block('labels', labels)}plot \\
    $cells using 1:2:3 with image pixels, \\
    $labels using 1:2:3 with labels font ',9' tc rgb '#000000'
""",
    )
