#!/usr/bin/env python3
"""Compares `collsched simulate --model contention` with SimGrid, on the same platforms and schedules.

SimGrid runs the executor itself (collectives.cpp), with its network model CM02 and no limit from TCP windows. Both times
are simulated, so they are the same on every machine. It fails where the two differ by more than ten percent.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

import sweep

SETTINGS = [
    "--cfg=network/model:CM02",
    "--cfg=network/TCP-gamma:0",
    "--cfg=smpi/async-small-thresh:65536",
    "--cfg=smpi/simulate-computation:no",
    "--log=root.thresh:critical",
]
# As fair as can be; and with shares by latency and acknowledgements, as SimGrid has them.
MODELS = ("contention", "contention:latency_weighted=1,reverse_permille=50")
SCHEDULES = ("allgather/ring", "allgather/neighbor-exchange", "allgather/recursive-doubling", "allgather/bruck",
             "alltoall/linear", "broadcast/binomial", "allreduce/rabenseifner")
SIZES = (1024, 122880)
MOST = 0.10


CLUSTERS = sweep.TOP / "test/data/clusters"
PLATFORMS = (("flat", sweep.HERE / "flat.xml", 16), ("fat tree", sweep.HERE / "fat_tree.xml", 16),
             ("three cabinets", CLUSTERS / "griffon_like.xml", 64))


def hosts_of(platform, ranks):
    """The first hosts of its clusters; one rank on each."""
    names = []
    for tag in re.findall(r"<cluster .*?>", platform.read_text(), re.DOTALL):
        attributes = dict(re.findall(r'(\w+)="([^"]*)"', tag))
        for part in attributes["radical"].split(","):
            first, _, last = part.partition("-")
            names += [f"{attributes['prefix']}{i}{attributes['suffix']}" for i in range(int(first), int(last or first) + 1)]
    return names[:ranks]


def simgrid_us(program, out, platform, hosts, schedule, size):
    """The time of the schedule with its own pacing."""
    collective, algorithm = schedule.split("/")
    listed = out / "contention.hosts"
    listed.write_text("\n".join(hosts) + "\n")
    run = subprocess.run(["smpirun", "-no-privatize", "-np", str(len(hosts)), "-platform", str(platform), "-hostfile",
                          str(listed), *SETTINGS, str(program), str(platform), str(listed), "0", collective, str(size),
                          f"library:{algorithm}"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    lines = [line.split("\t")[3:] for line in run.stdout.splitlines() if line.startswith("result\t")]
    for name, us, _ in lines:
        if name in (algorithm, f"{algorithm} window=0", f"{algorithm} radix=2"):
            return float(us)
    sys.exit(f"SimGrid reports no time of {schedule}:\n{run.stdout[-1000:]}")


def own_us(collsched, platform, hosts, schedule, size, model):
    length = "--bytes" if schedule.startswith(("broadcast", "allreduce")) else "--block"
    run = subprocess.run([collsched, "simulate", schedule, "--ranks", str(len(hosts)), length, str(size), "--element", "4",
                          "--model", model, "--cluster", str(platform), "--placement", ",".join(hosts), "--json"],
                         stdout=subprocess.PIPE, text=True, check=True)
    return float(re.search(r'"completion_us":([0-9.]+)', run.stdout)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=sweep.TOP / "bench-out/simgrid", help="folder of the program")
    parser.add_argument("--program", type=Path, help="collectives, built already")
    parser.add_argument("--collsched", required=True, help="the command line program")
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    program = chosen.program.resolve() if chosen.program else sweep.build(chosen.out)
    print("| platform | ranks | schedule | bytes | SimGrid, us | fair shares | error | as SimGrid shares | error |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    worst = 0.0
    for where, platform, ranks in PLATFORMS:
        hosts = hosts_of(platform, ranks)
        for schedule in SCHEDULES:
            for size in SIZES:
                theirs = simgrid_us(program, chosen.out, platform, hosts, schedule, size)
                cells = [where, str(ranks), schedule, str(size), f"{theirs:.1f}"]
                for model in MODELS:
                    ours = own_us(chosen.collsched, platform, hosts, schedule, size, model)
                    error = ours / theirs - 1
                    worst = max(worst, abs(error))
                    cells += [f"{ours:.1f}", f"{100 * error:+.1f} %"]
                print("| " + " | ".join(cells) + " |", flush=True)
    print(f"\nThe largest error is {100 * worst:.1f} %.")
    sys.exit(worst > MOST)


if __name__ == "__main__":
    main()
