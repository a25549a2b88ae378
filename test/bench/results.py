# SPDX-License-Identifier: Apache-2.0
"""Reading what test/bench/run has written."""

import json
import re

import tiers


def column_of(op, size):
    """Returns the size under which a cell is shown: block modes get 1424 bytes for 1420."""
    return 1420 if op in tiers.BLOCK_OPS and size == 1424 else size


class Series:
    """What one side did in one tier: {(operation, bits, column): cell}."""

    def __init__(self, tier, core):
        self.tier, self.core = tiers.find_tier(tier["tier"]), core
        self.cells = {}
        self.costs = {}
        for cell in tier["cells"]:
            if f"evp:{core}" in cell["sides"]:
                key = (cell["op"], cell["bits"], column_of(cell["op"], cell["bytes"]))
                self.cells[key] = cell
        self.modes = {}
        for cell in tier.get("modes", []):
            if f"evp:{core}" in cell["sides"]:
                self.modes[cell["op"], cell["bits"], cell["bytes"]] = cell
        for cell in tier["costs"]:
            self.costs[cell["op"], cell["bits"], cell["bytes"], cell["life"]] = cell["sides"]

    @property
    def title(self):
        return f"`{self.core}`, {self.tier.title}"

    def columns(self):
        return sorted({column for _, _, column in self.cells})

    def spread(self, op, bits, column):
        """Returns the ratio to the default provider: [median, p10, p90], or None."""
        cell = self.cells.get((op, bits, column))
        return cell["sides"][f"evp:{self.core}"]["ratio"] if cell else None

    def speed(self, side, op, bits, column):
        """Returns a side's MB/s ("evp", "direct" or "default"), or None."""
        cell = self.cells.get((op, bits, column))
        if not cell:
            return None
        name = side if side == "default" else f"{side}:{self.core}"
        return cell["bytes"] / cell["sides"][name]["ns"][0] * 1e3

    def cost(self, side, op, bits, size, life):
        """Returns nanoseconds ("evp", "floor" or "default"), or None."""
        sides = self.costs.get((op, bits, size, life), {})
        found = sides.get(f"evp:{self.core}" if side == "evp" else side)
        return found["ns"][0] if found else None


class Result:
    """One run: one compiler's build against one OpenSSL."""

    def __init__(self, path):
        self.facts = json.loads(path.read_text())
        if self.facts.get("format") != 1:
            raise ValueError(f"{path} isn't of this version of test/bench")
        self.openssl = self.facts["openssl"].split()[1]
        self.is_clang = "clang" in self.facts["compiler"]
        version = re.search(r"\d+\.[\d.]+\d(?!.*\d+\.[\d.]+\d)", self.facts["compiler"])
        name = "clang" if self.is_clang else "gcc"
        self.compiler = f"{name} {version[0]}" if version else self.facts["compiler"]
        self.title = f"{self.compiler}, OpenSSL {self.openssl}"
        self.series = []
        for tier in self.facts["tiers"]:
            for side in tier["sides"]:
                if side["name"].startswith("evp:") and "unusable" not in side:
                    self.series.append(Series(tier, side["core"]))

    @property
    def rank(self):
        """OpenSSL 3.0 and gcc come first."""
        return (not self.openssl.startswith("3.0."), version_key(self.openssl), self.is_clang)


def version_key(version):
    return [int(x) if x.isdigit() else 0 for x in version.split("-")[0].split(".")]


def load(paths):
    """Returns results, in order; of two runs of the same, the full one, else the newer one."""
    best = {}
    for path in paths:
        r = Result(path)
        key = (r.facts["cpu"], r.compiler, r.openssl)
        weight = (r.facts["form"] == "full", r.facts["date"])
        if key not in best or weight > best[key][0]:
            best[key] = (weight, r)
    found = sorted((r for _, r in best.values()), key=lambda r: r.rank)
    if len({r.facts["cpu"] for r in found}) > 1:
        for r in found:
            r.title += f", {r.facts['cpu']}"
    return found
