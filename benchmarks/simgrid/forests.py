#!/usr/bin/env python3
"""Compares schedules over the trees of a network with the other algorithms of the library and with SimGrid's own MPI.

For broadcast, allgather and allreduce of 16 MB it runs the forest with several segments and windows, the schedule that
`collsched choose --model smpi` chooses, and every algorithm that SimGrid has. The time of `collsched bound` is that of the
network's cuts. Results are kept in the output folder, in forests.tsv, and are not measured again: remove the file after a
change of the library.
"""

import argparse
import itertools
import json
import subprocess
import sys
from pathlib import Path

import choice
import sweep

RANKS = {"griffon": 92, "torus-64": 64, "fattree-64": 64}
# Sum of the weights of the trees of a root, by platform or platform and collective; 0, as much as the bound needs, elsewhere.
TREES = {"griffon": 1, ("fattree-64", "broadcast"): 4}
BYTES = 16_000_000
COLLECTIVES = ("broadcast", "allgather", "allreduce")
COLUMNS = ("platform", "collective", "bound", "forest", "us", "choice", "us", "best of SimGrid", "us",
           "forest / choice", "forest / SimGrid")


def bound_us(collsched, platform, collective):
    """The time that the cuts of the network permit."""
    network = str(sweep.HERE / f"{choice.XML[platform]}.xml")
    run = subprocess.run([collsched, "bound", collective, "--network", network, "--json"], stdout=subprocess.PIPE,
                         text=True, check=True)
    bound = json.loads(run.stdout)
    return 1e6 * BYTES * bound["denominator"] / bound["numerator"]


def forests(program, chosen, results, case):
    """The fastest forest: settings and microseconds. Those that take longer than the limit are left out."""
    platform, *rest = case
    key = (choice.XML[platform], *rest, "library")
    for window, segment in itertools.product(chosen.windows, chosen.segments):
        name = f"segment={segment} window={window}"
        if results.of(key, name):
            continue
        side = f"chosen=forest,{name.replace(' ', ',')},trees={TREES.get(platform, TREES.get((platform, rest[1]), 0))}"
        lines, why, text = sweep.start(program, chosen.out, choice.XML[platform], *rest, side, [], chosen.limit)
        if not lines and not why.startswith("takes"):
            sys.exit(f"SimGrid does not run {side} for {case}: {why}\n{text[-1000:]}")
        if lines and lines[0][2] == "WRONG":
            sys.exit(f"wrong bytes: {case} {side}")
        results.add(key, name, lines[0][1] if lines else None, lines[0][2] if lines else why)
    best = results.best(key)
    if not best:
        sys.exit(f"no forest ends in {chosen.limit} s for {case}")
    return best[5], float(best[6])


def row(program, chosen, results, platform, collective):
    ranks = RANKS[platform]
    size = BYTES // ranks // 4 * 4 if collective == "allgather" else BYTES
    case = (platform, ranks, collective, size)
    settings, forest_us = forests(program, chosen, results, case)
    algorithms = sweep.native_algorithms(program, chosen.out, choice.XML[platform], ranks, collective)
    theirs, theirs_us = choice.native(program, chosen.out, results, case, algorithms, chosen.native_limit)
    candidate, _ = choice.choose(chosen.collsched, chosen.out, case)
    choice_us, _ = choice.run_choice(program, chosen.out, case, candidate)
    parameters = " ".join(f"{name}={value}" for name, value in candidate["parameters"].items())
    return [platform, collective, f"{bound_us(chosen.collsched, platform, collective):.0f}", settings, f"{forest_us:.0f}",
            f"{candidate['schedule'].partition('/')[2]} {parameters}".strip(), f"{choice_us:.0f}", theirs,
            f"{theirs_us:.0f}", f"{forest_us / choice_us:.2f}", f"{forest_us / theirs_us:.2f}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=sweep.TOP / "bench-out/simgrid", help="folder of program and results")
    parser.add_argument("--program", type=Path, help="collectives, built already")
    parser.add_argument("--collsched", required=True, help="the command line program")
    parser.add_argument("--platforms", nargs="+", choices=RANKS, default=list(RANKS))
    parser.add_argument("--collectives", nargs="+", choices=COLLECTIVES, default=COLLECTIVES)
    parser.add_argument("--segments", nargs="+", type=int, default=[8192, 32768, 65536, 131072], help="of forests, in bytes")
    parser.add_argument("--windows", nargs="+", type=int, default=[1, 4, 0], help="of forests, in steps")
    parser.add_argument("--limit", type=int, default=60, help="seconds for one start of smpirun with a forest")
    parser.add_argument("--native-limit", type=int, default=600, help="seconds for one start with SimGrid's own")
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    program = chosen.program.resolve() if chosen.program else sweep.build(chosen.out)
    results = sweep.Results(chosen.out / "forests.tsv")
    print("| " + " | ".join(COLUMNS) + " |\n|" + " --- |" * len(COLUMNS), flush=True)
    for platform in chosen.platforms:
        for collective in chosen.collectives:
            print("| " + " | ".join(row(program, chosen, results, platform, collective)) + " |", flush=True)


if __name__ == "__main__":
    main()
