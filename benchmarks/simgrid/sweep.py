#!/usr/bin/env python3
"""Times collectives on simulated nodes: every algorithm of the library, and every one that SimGrid's own MPI has.

Builds collectives.cpp with smpicxx, runs it with smpirun, and prints a table of the fastest of both sides. Results are
kept in the output folder, in results.tsv; cases in that file are not run again, since simulated time is the same every time.
Remove the file after a change of the library. It fails if the library's bytes are wrong or a run of it did not end.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent

# Cluster of a platform -> how many of its nodes take part, by number of ranks. One rank on each.
PLATFORMS = {
    "flat": {64: {"flat": 64}, 48: {"flat": 48}},
    "grid": {64: {"large": 32, "fast": 20, "slow": 12}, 48: {"large": 24, "fast": 16, "slow": 8}},
    "machines/switch": {64: {"n": 64}, 48: {"n": 48}},
    "machines/torus": {64: {"n": 64}, 48: {"n": 48}},
    "machines/fat_tree": {64: {"n": 64}, 48: {"n": 48}},
    "machines/grid": {64: {"g0": 16, "g1": 16, "g2": 16, "g3": 16}, 48: {"g0": 12, "g1": 12, "g2": 12, "g3": 12}},
}
# All nodes take part, in the order of the platform: forests.py.
WHOLE_PLATFORMS = {
    "machines/torus_64": {64: {"n": 64}},
    "machines/fat_tree_64": {64: {"n": 64}},
    "machines/griffon": {92: {"a": 32, "b": 28, "c": 32}},
}
# Ranks are dealt to the clusters of a platform in turn; elsewhere cluster by cluster.
IN_TURN = {"machines/grid"}
COLLECTIVES = ("broadcast", "allgather", "allreduce", "alltoall", "reduce")
SIZES = (8, 8192, 1048576)
NATIVE_NAME = {"broadcast": "bcast"}

# Overhead of a message at its sender and at its receiver: half a microsecond, and 10 ps per byte. The same for both sides.
OVERHEAD_US = 0.5
OVERHEAD = "0:5e-7:1e-11"
# All others are SimGrid's defaults.
SETTINGS = [
    "--cfg=smpi/simulate-computation:no",
    f"--cfg=smpi/os:{OVERHEAD}",
    f"--cfg=smpi/ois:{OVERHEAD}",
    f"--cfg=smpi/or:{OVERHEAD}",
    "--log=root.thresh:critical",
]
# It tries all others and has no time of its own.
NO_ALGORITHM = {"automatic"}


def build(out):
    """The program, compiled anew where a source is younger."""
    flags = ["-O1", "-std=c++20", "-pthread", f"-I{TOP / 'include'}", f"-I{TOP / 'examples/programs'}"]
    headers = [p for folder in (TOP / "include", TOP / "examples/programs/algorithms", HERE) for p in folder.rglob("*.hpp")]
    newest = max(p.stat().st_mtime for p in headers)
    objects, compiled = [], False
    for source in (HERE / "collectives.cpp", HERE / "compositions.cpp", TOP / "examples/programs/algorithms/algorithms.cpp"):
        made = out / (source.stem + ".o")
        objects.append(str(made))
        if not made.exists() or made.stat().st_mtime < max(newest, source.stat().st_mtime):
            print(f"compiling {source.relative_to(TOP)}", file=sys.stderr, flush=True)
            subprocess.run(["smpicxx", *flags, "-c", str(source), "-o", str(made)], check=True)
            compiled = True
    program = out / "collectives"
    if compiled or not program.exists():
        subprocess.run(["smpicxx", *objects, "-o", str(program), "-lfmt", "-lpugixml", "-lyaml-cpp"], check=True)
    return program


def hosts_file(out, platform, ranks):
    path = out / f"{platform.replace('/', '-')}-{ranks}.hosts"
    hosts = [(i, c) for c, n in {**PLATFORMS, **WHOLE_PLATFORMS}[platform][ranks].items() for i in range(n)]
    names = [f"{c}-{i}" for i, c in (sorted(hosts) if platform in IN_TURN else hosts)]
    path.write_text("\n".join(names) + "\n")
    return path


def start(program, out, platform, ranks, collective, size, side, settings, limit):
    """One run of smpirun: its lines of results, and why it ended early, if it did."""
    xml, hosts = HERE / f"{platform}.xml", hosts_file(out, platform, ranks)
    command = ["smpirun", "-no-privatize", "-np", str(ranks), "-platform", str(xml), "-hostfile", str(hosts)]
    command += SETTINGS + settings
    command += [str(program), str(xml), str(hosts), str(OVERHEAD_US), collective, str(size), side]
    # smpirun is a script: only a whole process group ends with it.
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          start_new_session=True) as run:
        try:
            text, _ = run.communicate(timeout=limit)
            why = "" if run.returncode == 0 else "fails"
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, 9)
            text, _ = run.communicate()
            why = f"takes more than {limit} s"
    lines = [line.split("\t")[3:] for line in text.splitlines() if line.startswith("result\t")]
    return [(name, float(us), remark, staging) for name, us, remark, staging in lines], why, text


def native_algorithms(program, out, platform, ranks, collective):
    name = NATIVE_NAME.get(collective, collective)
    *_, text = start(program, out, platform, ranks, collective, 8, "native", [f"--cfg=smpi/{name}:?"], 60)
    found = re.search(r"Valid algorithms: (.*?)\.\s", text)
    if not found:
        sys.exit(f"SimGrid does not list its algorithms of {name}:\n{text}")
    return [one for one in found[1].split(", ") if one not in NO_ALGORITHM]


class Results:
    """Lines of platform, ranks, collective, bytes, side, algorithm, microseconds or nothing, remark, bytes of staging."""

    def __init__(self, path):
        self.path = path
        text = path.read_text() if path.exists() else ""
        self.rows = [line.split("\t") for line in text.splitlines()]

    def add(self, key, name, us, remark, staging=""):
        row = [*map(str, key), name, "" if us is None else f"{us:.3f}", remark, staging]
        self.rows.append(row)
        with self.path.open("a") as file:
            file.write("\t".join(row) + "\n")

    def of(self, key, name=None):
        wanted = list(map(str, key))
        return [row for row in self.rows if row[:5] == wanted and (name is None or row[5] == name)]

    def best(self, key):
        timed = [row for row in self.of(key) if row[6] and row[7] != "WRONG"]
        return min(timed, key=lambda row: float(row[6]), default=None)


def sweep_library(program, out, results, case, limit):
    key = (*case, "library")
    if results.of(key, "all"):
        return
    begin = time.monotonic()
    lines, why, _ = start(program, out, *case, "library", [], limit)
    for name, us, remark, staging in lines:
        results.add(key, name, us, remark, staging)
    # A line for the whole, so that it is not run again; it states why algorithms are missing.
    results.add(key, "all", None, why or "complete")
    print(f"{case}: {len(lines)} schedules in {time.monotonic() - begin:.0f} s {why}", file=sys.stderr, flush=True)


def sweep_native(program, out, results, case, algorithms, limit):
    key, begin, failed = (*case, "native"), time.monotonic(), 0
    option = NATIVE_NAME.get(case[2], case[2])
    for algorithm in algorithms:
        if results.of(key, algorithm):
            continue
        lines, why, _ = start(program, out, *case, "native", [f"--cfg=smpi/{option}:{algorithm}"], limit)
        if lines and not why:
            results.add(key, algorithm, lines[0][1], lines[0][2])
        else:
            results.add(key, algorithm, None, why or "reports no time")
            failed += 1
    print(f"{case}: {len(algorithms)} of SimGrid in {time.monotonic() - begin:.0f} s, {failed} without a time",
          file=sys.stderr, flush=True)


def milliseconds(row):
    return f"{float(row[6]) / 1000:.3f}"


COLUMNS = ("platform", "ranks", "collective", "bytes", "best here", "staging", "ms", "best of SimGrid", "ms", "ratio")


def table(results, cases):
    lines = ["| " + " | ".join(COLUMNS) + " |", "| " + " | ".join("---" for _ in COLUMNS) + " |"]
    for case in cases:
        ours, theirs = results.best((*case, "library")), results.best((*case, "native"))
        if not ours or not theirs:
            continue
        cells = [*map(str, case), ours[5], ours[8], milliseconds(ours), theirs[5], milliseconds(theirs),
                 f"{float(theirs[6]) / float(ours[6]):.2f}"]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=TOP / "bench-out/simgrid", help="folder of program and results")
    parser.add_argument("--program", type=Path, help="collectives, built already")
    parser.add_argument("--platforms", nargs="+", choices=PLATFORMS, default=list(PLATFORMS))
    parser.add_argument("--ranks", nargs="+", type=int, choices=(64, 48), default=[64, 48])
    parser.add_argument("--collectives", nargs="+", choices=COLLECTIVES, default=list(COLLECTIVES))
    parser.add_argument("--bytes", nargs="+", type=int, help="lengths, of all collectives")
    parser.add_argument("--limit", type=int, default=900, help="seconds for one start of smpirun with the library's")
    parser.add_argument("--native-limit", type=int, default=120, help="seconds for one start with SimGrid's own")
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    program = chosen.program.resolve() if chosen.program else build(chosen.out)
    cases = [(platform, ranks, collective, size)
             for platform in chosen.platforms for ranks in chosen.ranks for collective in chosen.collectives
             for size in chosen.bytes or SIZES]
    algorithms = {one: native_algorithms(program, chosen.out, chosen.platforms[0], chosen.ranks[0], one)
                  for one in chosen.collectives}
    results = Results(chosen.out / "results.tsv")
    for case in cases:
        collective = case[2]
        sweep_library(program, chosen.out, results, case, chosen.limit)
        sweep_native(program, chosen.out, results, case, algorithms[collective], chosen.native_limit)
    print(table(results, cases))
    bad = [row for row in results.rows if row[4] == "library" and row[7] not in ("right", "unchecked", "complete")]
    sys.exit("\n".join("\t".join(row) for row in bad) if bad else 0)


if __name__ == "__main__":
    main()
