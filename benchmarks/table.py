#!/usr/bin/env -S python3 -B
"""One table of what the benchmarks measured: from the JSON files of a folder, as Markdown.

A row is a benchmark at a number of ranks (or bytes): the time of one iteration, what it does in a second, memory at the
peak, and how it grew from the row before: the exponent of that number, log(time ratio) / log(ratio). A family that goes
through all algorithms has one row for each number, with the slowest of those that do not grow with the ranks; the
last column of a row compares with a target.
"""

import argparse
import json
import math
import re
from pathlib import Path

# Prefix of names, a counter, and its lower limit.
TARGETS = [("generate/", "edges/s", 100e6), ("materialize/", "edges/s", 30e6), ("store<", "edges/s", 30e6),
           ("prove/", "edges/s", 5e6), ("run/", "events/s", 6e6), ("run_loggops/", "events/s", 6e6),
           ("write_json", "lines/s", 5e6), ("write_goal", "lines/s", 5e6)]
# Rates, the most significant first.
RATES = ("edges/s", "events/s", "nodes/s", "lines/s", "GB/s", "items_per_second")
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
# Begins of names whose benchmarks differ in the algorithm alone.
FAMILIES = ("one rank, 10000 edges at most/",)


def quantity(value, unit=""):
    """Three digits and a prefix: 12.3 M."""
    for factor, prefix in ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, "")):
        if abs(value) >= factor:
            return f"{value / factor:.3g} {prefix}{unit}".strip()
    return f"{value:.3g} {unit}".strip()


def duration(seconds):
    for factor, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if seconds >= factor:
            return f"{seconds / factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


class Measured:
    """One benchmark at one number."""

    def __init__(self, program, run):
        self.program = program
        parts = [p for p in run["name"].split("/") if not re.match(r"(iterations|min_time|manual_time|real_time)", p)]
        numbers = []
        while parts and re.fullmatch(r"\d+", parts[-1]):
            numbers.insert(0, int(parts.pop()))
        self.what = "/".join(parts) + "".join(f" [{n}]" for n in numbers[1:])
        self.size = numbers[0] if numbers else None
        # The time between both ends includes waiting where a benchmark measures by itself.
        self.time = run["real_time" if "manual_time" in run["name"] else "cpu_time"] * UNITS[run["time_unit"]]
        self.counters = {k: v for k, v in run.items() if isinstance(v, (int, float))}
        self.peak = self.counters.get("peak_bytes")

    def rate(self):
        for name in RATES:
            if name in self.counters:
                return name, self.counters[name]
        return None, None

    def verdict(self):
        for begin, counter, least in TARGETS:
            if self.what.startswith(begin) and counter in self.counters:
                share = self.counters[counter] / least
                return f"{quantity(least)}: " + ("met" if share >= 1 else f"{100 * share:.0f} %")
        return ""

    def row(self, before, more=""):
        name, rate = self.rate()
        growth = ""
        if before and self.size and before.size and self.size != before.size and self.time > 0 < before.time:
            growth = f"{math.log(self.time / before.time) / math.log(self.size / before.size):.2f}"
        peak = "" if self.peak is None else quantity(self.peak, "B")
        unit = "" if name is None else name.replace("items_per_second", "items/s")
        return [self.program, self.what + more, "" if self.size is None else str(self.size), duration(self.time),
                "" if rate is None else f"{quantity(rate)} {unit}" if "B" not in unit else f"{rate:.3g} {unit}", peak,
                growth, self.verdict()]


def read(folder):
    """The measured benchmarks, and for each reason the names of those left out."""
    measured, left_out = [], {}
    for path in sorted(folder.glob("*.json")):
        for run in json.loads(path.read_text())["benchmarks"]:
            if run.get("run_type", "iteration") != "iteration":
                continue
            if run.get("error_occurred"):
                what = re.sub(r"(/\d+|/[a-z_]+:[0-9.]+|/manual_time)*$", "", run["name"])
                names = left_out.setdefault(run.get("error_message", ""), [])
                names += [] if what in names else [what]
            else:
                measured.append(Measured(path.stem, run))
    return measured, left_out


def grows(of):
    """Whether more ranks take more memory, or much more time, for no more edges. `of`: by number of ranks."""
    least, most = of[min(of)], of[max(of)]
    return (most.peak or 0) > 2 * (least.peak or 0) + 1e6 or most.time > max(100 * least.time, 0.1)


def family_rows(begin, members, skipped):
    """For each number the slowest, with the largest peak of any; and the names of those that grow or are skipped."""
    by_name = {}
    for m in members:
        by_name.setdefault(m.what, {})[m.size] = m
    growing = [what for what, of in by_name.items() if what in skipped or grows(of)]
    steady = [m for m in members if m.what not in growing]
    rows = []
    for size in sorted({m.size for m in steady}):
        here = [m for m in steady if m.size == size]
        slowest = max(here, key=lambda m: m.time)
        slowest.peak = max(m.peak or 0 for m in here)
        rows.append(slowest.row(None, f" (slowest of {len(here)})"))
    return rows, [what.removeprefix(begin) for what in growing]


def table(measured, left_out):
    rows, remarks, last = [], [], {}
    for m in measured:
        if m.what.startswith(FAMILIES):
            continue
        rows.append(m.row(last.get((m.program, m.what))))
        last[m.program, m.what] = m
    skipped = {name for names in left_out.values() for name in names}
    for begin in FAMILIES:
        members = [m for m in measured if m.what.startswith(begin)]
        if members:
            more, growing = family_rows(begin, members, skipped)
            rows += more
            remarks.append(f"{begin.rstrip('/')}: memory or time grows with p for {', '.join(growing) or 'none'}.")
    for why, names in left_out.items():
        others = [name for name in names if not name.startswith(FAMILIES)]
        if others:
            remarks.append(f"Not measured, \"{why}\": {', '.join(others)}.")
    head = ["program", "what", "p", "time", "rate", "peak", "grows as p^", "target"]
    return ["| " + " | ".join(cells) + " |" for cells in [head, ["---"] * len(head), *rows]], remarks


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the JSON files lie; the table is put there too, as table.md")
    folder = parser.parse_args().folder
    measured, left_out = read(folder)
    lines, remarks = table(measured, left_out)
    text = "\n".join(lines + [""] + remarks) + "\n"
    (folder / "table.md").write_text(text)
    print(text, end="")


if __name__ == "__main__":
    main()
