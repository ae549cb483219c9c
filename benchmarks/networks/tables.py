#!/usr/bin/env -S python3 -B
"""Compares algorithms on networks: the simulated times of what `collsched choose --network` finds for each algorithm, beside the bound of
`collsched bound`. Prints Markdown.

    benchmarks/networks/tables.py --collsched PROGRAM [--bytes N] [--model MODEL] COLLECTIVE FILE...
"""

import argparse
import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

COLUMNS = {"allgather": ["forest", "matched", "ring", "recursive-doubling", "bruck", "swing", "bine"],
           "allreduce": ["forest", "ring", "rabenseifner", "swing", "bine", "two-tree", "recursive-doubling"]}


def output(program, *words):
    done = subprocess.run([program, *map(str, words)], text=True, capture_output=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}: {done.stderr.strip()}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def bound_us(program, collective, network, size):
    """The least time in microseconds, and the number of ranks."""
    found, = output(program, "bound", collective, "--network", network, "--json")
    return Fraction(size * found["denominator"] * 10**6, found["numerator"]), found["ranks"]


def row(program, collective, network, size, model):
    least, ranks = bound_us(program, collective, network, size)
    blocks = ["--block", size // ranks] if collective in ("allgather", "reduce_scatter") else ["--bytes", size]
    found = {one["schedule"].split("/")[1]: one for one in
             output(program, "choose", collective, "--network", network, *blocks, "--model", model, "--json")}
    best = min((Fraction(one["cost_us"]), name) for name, one in found.items() if name != "forest")
    times = [Fraction(found[name]["cost_us"]) if name in found else None for name in COLUMNS[collective]]
    cells = [Path(network).stem, ranks, f"{float(least):.2f}"]
    cells += ["-" if time is None else f"{float(time / least):.3f}" for time in times]
    return [*cells, f"{best[1]} {float(best[0] / least):.3f}", found.get("forest", {}).get("parameters", {}).get("segment", "-")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--collsched", required=True)
    parser.add_argument("--bytes", type=int, default=10**9)
    parser.add_argument("--model", default="queue")
    parser.add_argument("collective", choices=COLUMNS)
    parser.add_argument("networks", nargs="+")
    wanted = parser.parse_args()
    head = ["network", "ranks", "bound in us", *COLUMNS[wanted.collective], "best other", "segment of forest"]
    print("| " + " | ".join(head) + " |\n" + "| --- " * len(head) + "|")
    for network in wanted.networks:
        cells = row(wanted.collsched, wanted.collective, network, wanted.bytes, wanted.model)
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)


main()
