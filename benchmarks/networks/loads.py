#!/usr/bin/env -S python3 -B
"""Prints the loads of all links while the trees of `collsched synthesize` are in use, and the time until every rank has its first segment.

The load of a link is the sum of the rates of the trees over it, at the bandwidth that the trees attain, by its bandwidth. A segment
reaches a rank after the latencies of the links on its way and, for each of them, the segment by the bandwidth of the link. No link is
shared in that time. `boxes:B:N` is a network of B boxes of N ranks, each with a link of 300 GB/s to the switch of its box, 0.35 us, and
with an interface of 25 GB/s, 0.7 us, interface j of every box at the common switch j. Prints Markdown.

    benchmarks/networks/loads.py --collsched PROGRAM [--collective NAME] [--segment BYTES] FILE|boxes:B:N...
"""

import argparse
import json
import subprocess
import tempfile
from collections import Counter
from fractions import Fraction
from pathlib import Path


def boxes(number, size, folder):
    """The file of a network of boxes."""
    links, switches = [], [f"rail{j}" for j in range(size)]

    def add_cable(a, b, bandwidth, latency):
        for ends in (a, b), (b, a):
            links.append({"from": ends[0], "to": ends[1], "bandwidth_Bps": bandwidth, "latency_us": latency})
    for box in range(number):
        switches.append(f"s{box}")
        for j in range(size):
            add_cable(f"r{box}.{j}", f"s{box}", 300 * 10**9, 0.35)
            add_cable(f"r{box}.{j}", f"rail{j}", 25 * 10**9, 0.7)
    path = Path(folder) / f"boxes_{number}x{size}.json"
    ranks = [f"r{box}.{j}" for box in range(number) for j in range(size)]
    path.write_text(json.dumps({"ranks": ranks, "switches": switches, "links": links}))
    return path


def read_links(path):
    """Per pair of vertices, bytes per second and microseconds."""
    links = {}
    for one in json.loads(Path(path).read_text(), parse_float=Fraction)["links"]:
        ends = one["from"], one["to"]
        before = links.get(ends, (0, 0))
        links[ends] = int(one["bandwidth_Bps"]) + before[0], max(Fraction(one["latency_us"]), before[1])
    return links


def first_segment_us(tree, links, segment):
    """Microseconds until the last rank has the first segment of a tree, and the edges and links on the longest ways."""
    reached, edges, hops = {tree["root"]: 0.0}, {tree["root"]: 0}, {tree["root"]: 0}
    for (parent, rank), path in zip(tree["edges"], tree["paths"]):
        ways = [links[pair] for pair in zip(path, path[1:])]
        reached[rank] = reached[parent] + sum(float(us) + 1e6 * segment / rate for rate, us in ways)
        edges[rank], hops[rank] = edges[parent] + 1, hops[parent] + len(ways)
    return max(reached.values()), max(edges.values()), max(hops.values())


def row(wanted, path):
    command = [wanted.collsched, "bound", wanted.collective, "--network", str(path), "--json"]
    bound = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    links, loads, total, trees, longest = read_links(path), Counter(), Fraction(0), 0, (0, 0, 0)
    command = [wanted.collsched, "synthesize", wanted.collective, "--network", str(path), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as made:
        for line in made.stdout:
            tree = json.loads(line)
            rate = Fraction(tree["numerator"], tree["denominator"])
            total, trees = total + rate, trees + 1
            for way in tree["paths"]:
                for pair in zip(way, way[1:]):
                    loads[pair] += rate
            longest = tuple(map(max, longest, first_segment_us(tree, links, wanted.segment)))
    ratios = [loads[pair] / links[pair][0] for pair in links]
    ranks = bound["ranks"]
    attained = total / Fraction(bound["numerator"], bound["denominator"])
    largest, full = max(ratios), sum(ratio == 1 for ratio in ratios)
    share_us = 1e6 * wanted.bytes * bound["denominator"] / bound["numerator"]
    return [Path(path).stem, ranks, f"{bound['algbw_GBps']:.3f}", f"{float(attained):.4f}", trees, longest[1], longest[2],
            f"{float(largest):.4f}", f"{full} of {len(ratios)}", f"{float(min(ratios)):.3f}",
            f"{float(sum(ratios) / len(ratios)):.3f}", f"{longest[0]:.1f}", f"{share_us:.1f}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--collsched", required=True)
    parser.add_argument("--collective", default="allgather")
    parser.add_argument("--segment", type=int, default=65536)
    parser.add_argument("--bytes", type=int, default=10**9)
    parser.add_argument("networks", nargs="+")
    wanted = parser.parse_args()
    head = ["network", "ranks", "bound in GB/s", "attained", "trees", "edges deep", "links deep", "largest load", "full links",
            "least load", "mean load", "first segment in us", "bound in us"]
    print("| " + " | ".join(head) + " |\n" + "| --- " * len(head) + "|")
    with tempfile.TemporaryDirectory() as folder:
        for network in wanted.networks:
            path = boxes(*map(int, network.split(":")[1:]), folder) if network.startswith("boxes:") else network
            print("| " + " | ".join(map(str, row(wanted, path))) + " |", flush=True)


main()
