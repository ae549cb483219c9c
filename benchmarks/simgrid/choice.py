#!/usr/bin/env python3
"""Compares what `collsched choose --model smpi` chooses with the best algorithm of SimGrid's own MPI.

For each platform, number of ranks, collective and size it runs `choose`, runs the chosen schedule in SimGrid, and runs
every algorithm that SimGrid has. The times of SimGrid's algorithms are kept in the output folder, in choice-native.tsv, and
are not measured again.
"""

import argparse
import math
import re
import resource
import subprocess
import sys
from pathlib import Path

import sweep

PLATFORMS = {"flat": "machines/switch", "torus": "machines/torus", "fattree": "machines/fat_tree", "grid": "machines/grid"}
PLATFORMS_OF_FORESTS = {"griffon": "machines/griffon", "torus-64": "machines/torus_64", "fattree-64": "machines/fat_tree_64"}
XML = {**PLATFORMS, **PLATFORMS_OF_FORESTS}
MESSAGES = ("broadcast", "reduce", "allreduce")  # sizes are those of the message; else of a block
BLOCKS = ("scatter", "gather", "allgather", "alltoall", "reduce_scatter")
OVERHEADS = ["--overhead-us", str(sweep.OVERHEAD_US)]
MODEL = "smpi:overhead_ns=0.01"


def cases(chosen):
    for platform in chosen.platforms:
        for ranks in chosen.ranks:
            for collective in chosen.collectives:
                for size in chosen.bytes:
                    if collective in MESSAGES or size < 1048576:
                        yield platform, ranks, collective, size


def problem(out, case):
    """Options of collsched: shape and cluster."""
    platform, ranks, collective, size = case
    hosts = sweep.hosts_file(out, XML[platform], ranks).read_text().split()
    return ["--ranks", str(ranks), "--bytes" if collective in MESSAGES else "--block", str(size), "--element", "4",
            "--cluster", str(sweep.HERE / f"{XML[platform]}.xml"), "--placement", ",".join(hosts), *OVERHEADS]


def choose(collsched, out, case):
    """The cheapest candidate, and the seconds of CPU that it took to find."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run([collsched, "choose", case[2], "--model", MODEL, *problem(out, case)], stdout=subprocess.PIPE,
                         text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode != 0:
        sys.exit(f"choose fails for {case}")
    schedule, cost, reason = run.stdout.splitlines()[1].split(None, 2)
    candidate = {"schedule": schedule, "cost_us": float(cost), "parameters": dict(re.findall(r"(\w+)=(\d+)", reason))}
    return candidate, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def run_choice(program, out, case, candidate):
    """Microseconds of the chosen schedule in SimGrid, and whether its bytes are right."""
    platform, ranks, collective, size = case
    settings = [f"{name}={value}" for name, value in candidate["parameters"].items()]
    side = "chosen=" + ",".join([candidate["schedule"].partition("/")[2], *settings])
    lines, why, text = sweep.start(program, out, XML[platform], ranks, collective, size, side, [], 300)
    if not lines:
        sys.exit(f"SimGrid does not run {side} for {case}: {why}\n{text[-1000:]}")
    return lines[0][1], lines[0][2]


def native(program, out, results, case, algorithms, limit):
    """The fastest of SimGrid's algorithms: name and microseconds."""
    platform, *rest = case
    sweep.sweep_native(program, out, results, (XML[platform], *rest), algorithms, limit)
    best = results.best((XML[platform], *rest, "native"))
    if not best:
        sys.exit(f"no algorithm of SimGrid gives right bytes for {case}")
    return best[5], float(best[6])


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def put_errors(errors, sizes):
    """The largest errors of the predictions, by platform and collective."""
    print("\n| platform | collective | " + " | ".join(f"{size} bytes" for size in sizes) + " |")
    print("| --- | --- |" + " ---: |" * len(sizes))
    for (platform, collective), by_size in errors.items():
        cells = [f"{max(by_size[size]):.2f} %" if size in by_size else "-" for size in sizes]
        print(f"| {platform} | {collective} | " + " | ".join(cells) + " |")
    print()


def add_cases(parser):
    """Options of programs that go through cases."""
    parser.add_argument("--out", type=Path, default=sweep.TOP / "bench-out/simgrid", help="folder of program and results")
    parser.add_argument("--program", type=Path, help="collectives, built already")
    parser.add_argument("--collsched", required=True, help="the command line program")
    parser.add_argument("--platforms", nargs="+", choices=PLATFORMS, default=list(PLATFORMS))
    parser.add_argument("--ranks", nargs="+", type=int, choices=(48, 64), default=[48, 64])
    parser.add_argument("--collectives", nargs="+", choices=MESSAGES + BLOCKS, default=[*MESSAGES, *BLOCKS])
    parser.add_argument("--bytes", nargs="+", type=int, default=[8, 8192, 1048576])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_cases(parser)
    parser.add_argument("--native-limit", type=int, default=600, help="seconds for one start with SimGrid's own")
    parser.add_argument("--native-only", action="store_true", help="time SimGrid's algorithms alone")
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    program = chosen.program.resolve() if chosen.program else sweep.build(chosen.out)
    results = sweep.Results(chosen.out / "choice-native.tsv")
    algorithms = {one: sweep.native_algorithms(program, chosen.out, "machines/switch", 48, one)
                  for one in chosen.collectives}
    ratios, slow, errors = {}, [], {}
    if not chosen.native_only:
        print("| platform | ranks | collective | bytes | choice | ms | predicted | CPU, s | best of SimGrid | ms | ratio |")
        print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    for case in cases(chosen):
        theirs, theirs_us = native(program, chosen.out, results, case, algorithms[case[2]], chosen.native_limit)
        if chosen.native_only:
            continue
        candidate, seconds = choose(chosen.collsched, chosen.out, case)
        us, bytes_state = run_choice(program, chosen.out, case, candidate)
        settings = " ".join(f"{name}={value}" for name, value in candidate["parameters"].items())
        name = f"{candidate['schedule'].partition('/')[2]} {settings}".strip()
        ratio = us / theirs_us
        ratios.setdefault(case[0], []).append(ratio)
        if ratio > 1.05:
            slow.append(case)
        if bytes_state == "WRONG":
            sys.exit(f"wrong bytes: {case} {name}")
        error = 100 * (candidate["cost_us"] / us - 1)
        errors.setdefault((case[0], case[2]), {}).setdefault(case[3], []).append(abs(error))
        cells = [*map(str, case), name, f"{us / 1000:.3f}", f"{error:+.1f} %", f"{seconds:.2f}", theirs,
                 f"{theirs_us / 1000:.3f}", f"{ratio:.2f}"]
        print("| " + " | ".join(cells) + " |", flush=True)
    put_errors(errors, chosen.bytes)
    for platform, values in ratios.items():
        print(f"{platform}: {len(values)} points, geometric mean {mean(values):.3f}, worst {max(values):.2f}")
    print(f"{len(slow)} points above 1.05 of SimGrid's best")


if __name__ == "__main__":
    main()
