#!/usr/bin/env -S python3 -B
"""Times all functions with and without the library, over several runs of `bench`, and prints a Markdown table.

In each run of `bench` the rounds of both sides alternate, and its ratio of a cell is the median over the rounds. Runs differ more from
each other than the rounds of a run. So a cell of the table is the median of the runs' ratios. Cells whose 95 % confidence interval,
that of the runs, reaches above 1.10 are listed after the table."""

import argparse
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

from suites import PINNED, RUN_MPI, interval

ROW = re.compile(r"^(\w+) +(\d+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+) \[")


def launch(given):
    """The ratio of each function and size in one run, and the microseconds of both."""
    pinned = given.ranks == 2
    launcher = [*PINNED[given.mpi], str(given.ranks)] if pinned else [str(RUN_MPI), given.mpi, str(given.ranks)]
    words = [*launcher, "env", f"LD_PRELOAD={given.library}", given.bench, str(given.rounds), given.function, str(given.largest)]
    run = subprocess.run(words, capture_output=True, text=True, timeout=600)
    if run.returncode != 0:
        sys.exit(f"speed.py: bench ended with status {run.returncode}\n{run.stderr.strip()}")
    return {(one[1], int(one[2])): [float(one[i]) for i in (6, 3, 4)] for one in map(ROW.match, run.stdout.splitlines()) if one}


def size_text(size):
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size // unit} {name}"
    return f"{size} B"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0], allow_abbrev=False)
    parser.add_argument("mpi", choices=sorted(PINNED))
    parser.add_argument("library", help="of this MPI", type=lambda text: str(Path(text).resolve(strict=True)))
    parser.add_argument("bench", help="program made of bench.cpp with this MPI", type=lambda text: str(Path(text).resolve(strict=True)))
    parser.add_argument("--ranks", type=int, default=2, help="2 (default): pinned, a core for each")
    parser.add_argument("--runs", type=int, default=20, help="default 20")
    parser.add_argument("--rounds", type=int, default=60, help="of each run, 10 or more, default 60")
    parser.add_argument("--function", default="all", help="such as allreduce, default all")
    parser.add_argument("--largest", type=int, default=4 << 20, help="bytes, default 4194304")
    given = parser.parse_args()
    for name, least in (("ranks", 1), ("runs", 1), ("rounds", 10)):
        if getattr(given, name) < least:
            parser.error(f"--{name}: got {getattr(given, name)}, expected {least} or more")
    load = os.getloadavg()[0]
    runs = [launch(given) for _ in range(given.runs)]
    cells = {cell: interval([run[cell][0] for run in runs]) for cell in runs[0]}
    median = {cell: statistics.median(run[cell][0] for run in runs) for cell in cells}
    sizes = sorted({size for _, size in cells if size > 0})
    print(f"{given.mpi}, {given.ranks} ranks, {given.runs} runs of {given.rounds} rounds, load {load:.1f} before\n")
    print("| call |", " | ".join(map(size_text, sizes)), "|\n|", " --- |" * (len(sizes) + 1))
    for call in dict.fromkeys(call for call, _ in cells):
        if (call, 0) in cells:
            print(f"| {call} | {median[call, 0]:.2f} |", " |" * (len(sizes) - 1))
        else:
            print(f"| {call} |", " | ".join(f"{median[call, size]:.2f}" for size in sizes), "|")
    print()
    for (call, size), (low, high) in cells.items():
        if high > 1.10:
            best = [min(run[call, size][i] for run in runs) for i in (1, 2)]
            print(f"{'above' if low > 1.10 else 'up to'} 1.10: {call} {size_text(size)}: {low:.2f} to {high:.2f}; "
                  f"least microseconds {best[0]:.2f} and {best[1]:.2f}")


if __name__ == "__main__":
    main()
