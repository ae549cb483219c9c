#!/usr/bin/env -S python3 -B
"""forest_test.py PROGRAM NETWORK...: the schedules `COLLECTIVE/forest` on a network are proved, their edges follow the links of the
network, the bytes over each link are those of the trees of `synthesize`, and their simulated time approaches the bound. Schedules written as
JSON Lines with paths are read again. A wrong option is one line and status 2."""

import json
import random
import sys
import tempfile
from collections import Counter
from fractions import Fraction
from pathlib import Path

from checked_program import CheckedProgram

program, *networks = sys.argv[1:]
tested = CheckedProgram(program)
check, run, lines, bad = tested.check, tested.run, tested.lines, tested.bad
COLLECTIVES = {"allgather": "--block", "reduce_scatter": "--block", "allreduce": "--bytes", "broadcast": "--bytes", "reduce": "--bytes"}


def loads_of_trees(path, collective, share):
    """Bytes over each pair of vertices if a root sends, or gets, `share` bytes over its trees in proportion to their rates."""
    trees = lines("synthesize", collective, "--network", path)
    total = Counter()
    for tree in trees:
        total[tree["root"]] += Fraction(tree["numerator"], tree["denominator"])
    load = Counter()
    for tree in trees:
        part = share * Fraction(tree["numerator"], tree["denominator"]) / total[tree["root"]]
        for hops in tree["paths"]:
            for pair in zip(hops, hops[1:]):
                load[pair[::-1] if collective.startswith("reduce") else pair] += part
    return load


def check_edges(path, collective, size):
    """Returns the bytes over each pair of vertices."""
    network = json.loads(Path(path).read_text())
    ranks = network["ranks"]
    links = {(one["from"], one["to"]) for one in network["links"]}
    header, *edges = lines("show", f"{collective}/forest", "--network", path, COLLECTIVES[collective], size)
    check(header["format"] == (2 if network.get("switches") else 1) and header["ranks"] == len(ranks), header)
    load = Counter()
    for edge in edges:
        ends = [ranks[edge["src"]], ranks[edge["dst"]]]
        if ends[0] == ends[1]:
            check("path" not in edge, edge)
            continue
        hops = edge.get("path", ends)
        check(("path" in edge) == bool(network.get("switches")), edge)
        check([hops[0], hops[-1]] == ends and set(zip(hops, hops[1:])) <= links, edge)
        check(not set(hops[1:-1]) & set(ranks), "path through a rank", edge)
        for pair in zip(hops, hops[1:]):
            load[pair] += edge["size"]
    return load


def check_loads(path, collective, one_way=False):
    size = 1_000_000
    load = check_edges(path, collective, size)
    if collective == "allreduce":
        share = Fraction(size, len(json.loads(Path(path).read_text())["ranks"]))
        expected = loads_of_trees(path, "allgather", share)
        if one_way:
            expected += loads_of_trees(path, "reduce_scatter", share)
        else:
            expected += Counter({pair[::-1]: part for pair, part in expected.items()})
    else:
        expected = loads_of_trees(path, collective, Fraction(size))
    check(set(load) == {pair for pair in expected if expected[pair]}, path, collective, "other links")
    worst = max(abs(load[pair] - expected[pair]) for pair in expected)
    check(worst <= 2000, path, collective, "bytes over a link differ from the trees' by", float(worst))  # less than a byte per tree


def completion(*words):
    one, = lines("simulate", *words)
    return Fraction(one["completion_us"])


def check_time(path):
    """An allgather of 4 GB in segments comes within 3 % of the bound, and is not faster."""
    ranks = len(json.loads(Path(path).read_text())["ranks"])
    block = 4_000_000_000 // ranks
    bound = json.loads(run("bound", "allgather", "--network", path, "--json").stdout)
    least = Fraction(block * ranks * bound["denominator"], bound["numerator"]) * 1_000_000
    time = completion("allgather/forest", "--network", path, "--block", block, "--segment", block // 256, "--model", "queue")
    check(least <= time <= least * Fraction(103, 100), path, float(least), float(time))


def one_way_networks(folder):
    """Networks whose links in one direction differ from those in the other."""

    def file(name, ranks, switches, links):
        path = folder / f"{name}.json"
        links = [{"from": a, "to": b, "bandwidth_Bps": rate * 10**9, "latency_us": 0.5} for a, b, rate in links]
        path.write_text(json.dumps({"ranks": ranks, "switches": switches, "links": links}))
        return path

    for seed in range(4):
        draw = random.Random(seed)
        ranks = [f"r{i}" for i in range(draw.randint(4, 12))]
        order = draw.sample(ranks, len(ranks))
        links = [(a, b, draw.choice((1, 2, 3, 5, 8))) for a, b in zip(order, order[1:] + order[:1])]
        links += [(*draw.sample(ranks, 2), draw.choice((1, 2, 4, 10))) for _ in range(2 * len(ranks))]
        yield file(f"random{seed}", ranks, [], links)
    ranks = [f"r{i}" for i in range(11)]
    yield file("kautz", ranks, [], [(ranks[i], ranks[-(3 * i + k) % 11], 10) for i in range(11) for k in (1, 2, 3)
                                    if -(3 * i + k) % 11 != i])
    ranks = [f"r{i}" for i in range(9)]
    leaves = [f"s{i}" for i in range(3)]
    links = [(rank, leaves[i // 3], 4) for i, rank in enumerate(ranks)]
    links += [(leaves[i // 3], rank, 4) for i, rank in enumerate(ranks)]
    yield file("switches", ranks, leaves, links + [(leaves[i], leaves[(i + 1) % 3], 6) for i in range(3)])


def check_one_way(path):
    """All collectives over trees of their direction. An allreduce of 4 GB takes the time of both halves."""
    for collective, size in COLLECTIVES.items():
        done = run("verify", f"{collective}/forest", "--network", path, size, 1000)
        check(done.returncode == 0, path, collective, done)
        check_loads(path, collective, one_way=True)
    ranks = len(json.loads(Path(path).read_text())["ranks"])
    least = 0
    for collective in "allgather", "reduce_scatter":
        bound = json.loads(run("bound", collective, "--network", path, "--json").stdout)
        least += Fraction(4_000_000_000 * bound["denominator"], bound["numerator"]) * 1_000_000
    time = completion("allreduce/forest", "--network", path, "--bytes", 4_000_000_000, "--segment", 4_000_000_000 // ranks // 256,
                      "--window", 2, "--model", "queue")
    check(time <= least * Fraction(103, 100), path, float(least), float(time))
    bad(["synthesize", "allreduce", "--network", path], "--network", path.name, "both directions between")
    rows = lines("choose", "allreduce", "--network", path, "--bytes", 1 << 16, "--segment", 4096, "--model", "queue")
    check("allreduce/forest" in [one["schedule"] for one in rows], path, rows)


def check_files(path, folder):
    """A schedule in a file takes the paths of the file."""
    options = ["--network", path, "--model", "queue"]
    text = run("show", "allgather/forest", "--network", path, "--block", 5000, "--json").stdout
    file = folder / "schedule.jsonl"
    file.write_text(text)
    check(run("verify", f"@{file}").returncode == 0, path, "verify")
    check(completion("allgather/forest", "--block", 5000, *options) == completion(f"@{file}", *options), path, "times differ")
    bad(["verify", f"@{file}", "--network", path], "--network", path)
    if '"format":2' not in text:
        return
    name = next(json.loads(line) for line in text.splitlines()[1:] if '"path"' in line)["path"][1]
    file.write_text(text.replace(f'"{name}"', '"nowhere"'))
    bad(["simulate", f"@{file}", *options], "nowhere", "--network")
    file.write_text(text.replace('"format":2', '"format":1'))
    bad(["verify", f"@{file}"], "schedule.jsonl:", "path", "format 2")
    file.write_text(text.replace('"path":[', '"path":[7,'))
    bad(["verify", f"@{file}"], "schedule.jsonl:", "path[0]")


def check_choice(path):
    rows = lines("choose", "allgather", "--network", path, "--bytes", 1 << 20, "--model", "queue")
    names = [one["schedule"] for one in rows]
    check("allgather/forest" in names and len(names) > 5, path, names)
    check(rows == sorted(rows, key=lambda one: Fraction(one["cost_us"])), path, "order")


for network in networks:
    for collective, size in COLLECTIVES.items():
        for bytes_ in 1, 1000:
            done = run("verify", f"{collective}/forest", "--network", network, size, bytes_)
            check(done.returncode == 0, network, collective, done)
        check_loads(network, collective)
    check_time(network)
    check_choice(network)
    with tempfile.TemporaryDirectory() as name:
        check_files(network, Path(name))
with tempfile.TemporaryDirectory() as name:
    for network in one_way_networks(Path(name)):
        check_one_way(network)
first = networks[0]
bad(["show", "allgather/forest", "--ranks", 4], "--network is required", "allgather/forest")
bad(["show", "allgather/forest", "--network", first, "--ranks", 77], "--ranks", 77)
bad(["show", "allgather/ring", "--network", first], "--network", "allgather/ring")
bad(["simulate", "allgather/ring", "--ranks", 4, "--model", "queue"], "--network is required")
bad(["simulate", "allgather/forest", "--network", first, "--model", "queue:latency_occupies=2"], "--model[latency_occupies]", 2)
tested.end()
