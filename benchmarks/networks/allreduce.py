#!/usr/bin/env -S python3 -B
"""Compares the simulated times of allreduces on networks with the bound of `collsched bound`, and with the time that the trees of
`collsched synthesize` need at their bandwidth. Each algorithm that takes a segment has the best of the given ones. Prints Markdown.

    benchmarks/networks/allreduce.py --collsched PROGRAM [--bytes N] [--model MODEL] [--segments A,B,...] FILE...
"""

import argparse
import json
import subprocess
from fractions import Fraction
from pathlib import Path

WITHOUT_SEGMENTS = ["ring", "rabenseifner", "swing", "bine"]
WITH_SEGMENTS = ["two-tree", "segmented-ring"]


def lines(program, *words):
    """The JSON lines of a command; none where the program rejects it, as it does for algorithms for other numbers of ranks."""
    done = subprocess.run([program, *map(str, words)], text=True, capture_output=True)
    return [json.loads(line) for line in done.stdout.splitlines()] if done.returncode == 0 else []


def bandwidth(program, collective, network):
    found, = lines(program, "bound", collective, "--network", network, "--json")
    return Fraction(found["numerator"], found["denominator"]), found["ranks"]


def time_us(wanted, algorithm, network, segment):
    segments = ["--segment", segment] if segment else []
    found = lines(wanted.collsched, "simulate", f"allreduce/{algorithm}", "--network", network, "--bytes", wanted.bytes,
                  *segments, "--model", wanted.model, "--json")
    return Fraction(found[0]["completion_us"]) if found else None


def best(wanted, algorithm, network, segments):
    """The least time of the segments, and the segment."""
    times = [(time_us(wanted, algorithm, network, segment), segment) for segment in segments]
    return min((one for one in times if one[0] is not None), default=(None, None))


def row(wanted, network):
    rate, ranks = bandwidth(wanted.collsched, "allreduce", network)
    # The trees of an allgather, backward and forward: two allgathers of all bytes.
    gather = bandwidth(wanted.collsched, "allgather", network)[0]
    forest, segment = best(wanted, "forest", network, wanted.segments)
    others = [best(wanted, name, network, [0])[0] for name in WITHOUT_SEGMENTS]
    others += [best(wanted, name, network, wanted.segments)[0] for name in WITH_SEGMENTS]

    def ratio(time):
        return "-" if time is None else f"{float(time * rate / (wanted.bytes * 10**6)):.3f}"
    cells = [Path(network).stem, ranks, f"{float(wanted.bytes * 10**6 / rate):.1f}", f"{float(2 * rate / gather):.3f}",
             ratio(forest), segment]
    return cells + [ratio(time) for time in others]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--collsched", required=True)
    parser.add_argument("--bytes", type=int, default=10**9)
    parser.add_argument("--model", default="queue")
    parser.add_argument("--segments", type=lambda text: [int(one) for one in text.split(",")],
                        default=[32768, 131072, 524288, 2097152])
    parser.add_argument("networks", nargs="+")
    wanted = parser.parse_args()
    head = ["network", "ranks", "bound in us", "two allgathers", "forest", "segment", *WITHOUT_SEGMENTS, *WITH_SEGMENTS]
    print("| " + " | ".join(head) + " |\n" + "| --- " * len(head) + "|")
    for network in wanted.networks:
        print("| " + " | ".join(map(str, row(wanted, network))) + " |", flush=True)


main()
