#!/usr/bin/env -S python3 -B
"""How good `collsched fit` chooses: benchmarks/measured/regret.py PROGRAM --data FILE

FILE is CSV in the format of `collsched fit --from`, with the columns machine, collective, nodes, ranks_per_node, gpu, mpi,
bytes, algorithm, median_us. A case is all rows that differ in the algorithm and the time alone; cases of fewer than three
algorithms are left out. For each cluster and seed the program reads the rows of a tenth of the cases, drawn at random, and
chooses algorithms for all other cases. The regret of a case is the time of the choice over the shortest time measured there.
The second table leaves out the cases of one number of nodes and shows all others."""

import argparse
import csv
import math
import random
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

KEY = ("machine", "collective", "nodes", "ranks_per_node", "gpu", "mpi", "bytes")
COLUMNS = (*KEY, "algorithm", "median_us")


def read_cases(path):
    """The times of each case by algorithm."""
    cases = defaultdict(dict)
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            cases[tuple(row[name] for name in KEY)][row["algorithm"]] = row["median_us"]
    return {key: times for key, times in cases.items() if len(times) >= 3}


def write_rows(path, cases, keys, with_times):
    with open(path, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(COLUMNS if with_times else COLUMNS[:-1])
        for key in keys:
            for algorithm, time in cases[key].items():
                out.writerow((*key, algorithm, time) if with_times else (*key, algorithm))


def is_default(algorithm):
    return algorithm.startswith("default")


def regrets(program, cases, shown, hidden):
    """The regrets of the hidden cases that have an algorithm to choose, after the program has read the shown ones."""
    with tempfile.TemporaryDirectory() as folder:
        known, unknown, choices = (Path(folder, name) for name in ("known.csv", "unknown.csv", "choices.csv"))
        write_rows(known, cases, shown, True)
        write_rows(unknown, cases, hidden, False)
        subprocess.run([program, "fit", "--from", known, "--choose", unknown, "--out", choices], check=True,
                       stdout=subprocess.DEVNULL)
        with open(choices, newline="") as file:
            chosen = {tuple(row[name] for name in KEY): row["algorithm"] for row in csv.DictReader(file)}
    if set(chosen) != {key for key in hidden if any(not is_default(name) for name in cases[key])}:
        sys.exit("the choices are not those of the cases")
    if any(is_default(name) for name in chosen.values()):
        sys.exit("a choice is the default of the MPI")
    return [float(cases[key][name]) / min(map(float, cases[key].values())) for key, name in chosen.items()]


def least_regrets(cases, hidden):
    """The regrets of the best algorithm other than a default."""
    found = []
    for key in hidden:
        times = [float(time) for name, time in cases[key].items() if not is_default(name)]
        if times:
            found.append(min(times) / min(map(float, cases[key].values())))
    return found


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def drawn(keys, seed, part):
    shown = set(random.Random(seed).sample(keys, max(1, round(part * len(keys)))))
    return [key for key in keys if key in shown], [key for key in keys if key not in shown]


def put_draws(program, cases, machines, seeds, part):
    print(f"| machine | cases | shown | mean of {seeds} seeds | largest mean | worst case | best possible |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for machine in machines:
        keys = sorted(key for key in cases if key[0] == machine)
        means, worst = [], []
        for seed in range(1, seeds + 1):
            shown, hidden = drawn(keys, seed, part)
            found = regrets(program, cases, shown, hidden)
            means.append(mean(found))
            worst.append(max(found))
            print(f"{machine} seed {seed}: {means[-1]:.3f} {worst[-1]:.2f}", file=sys.stderr)
        print(f"| {machine} | {len(keys)} | {len(shown)} | {mean(means):.3f} | {max(means):.3f} | {max(worst):.2f} | "
              f"{mean(least_regrets(cases, keys)):.3f} |", flush=True)


def put_nodes(program, cases, machines):
    print("\n| machine | nodes left out | cases | mean | worst case | best possible |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for machine in machines:
        keys = sorted(key for key in cases if key[0] == machine)
        for nodes in sorted({key[2] for key in keys}, key=lambda text: (len(text), text)):
            hidden = [key for key in keys if key[2] == nodes]
            found = regrets(program, cases, [key for key in keys if key[2] != nodes], hidden)
            print(f"| {machine} | {nodes} | {len(found)} | {mean(found):.3f} | {max(found):.2f} | "
                  f"{mean(least_regrets(cases, hidden)):.3f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path, help="the program collsched")
    parser.add_argument("--data", type=Path, required=True, help="measured times in CSV")
    parser.add_argument("--machine", action="append", help="a machine (default: all)")
    parser.add_argument("--seeds", type=int, default=10, help="number of draws")
    parser.add_argument("--part", type=float, default=0.1, help="part of the cases to show")
    parser.add_argument("--no-nodes", action="store_true", help="without the second table")
    arguments = parser.parse_args()
    cases = read_cases(arguments.data)
    machines = arguments.machine or sorted({key[0] for key in cases})
    program = arguments.program.resolve()
    put_draws(program, cases, machines, arguments.seeds, arguments.part)
    if not arguments.no_nodes:
        put_nodes(program, cases, machines)


if __name__ == "__main__":
    main()
