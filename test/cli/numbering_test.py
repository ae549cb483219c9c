#!/usr/bin/env -S python3 -B
"""numbering_test.py PROGRAM NETWORK...: with `--numbering cycle` the messages of a ring follow the links of a network without switches, each
schedule is right, and `choose` prices it as `simulate` does. Wrong numberings are one line and status 2."""

import json
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

from checked_program import CheckedProgram

program, *networks = sys.argv[1:]
tested = CheckedProgram(program)
check, run, lines, bad = tested.check, tested.run, tested.lines, tested.bad


def cabled(name, folder, cables, ranks):
    path = folder / f"{name}.json"
    links = [{"from": f"r{a}", "to": f"r{b}", "bandwidth_Bps": 10**9, "latency_us": 1} for x, y in cables for a, b in ((x, y), (y, x))]
    path.write_text(json.dumps({"ranks": [f"r{i}" for i in range(ranks)], "links": links}))
    return path


def check_ring(path):
    """Data moves between neighbors only, so that a step of an allgather takes the time of a link."""
    network = json.loads(Path(path).read_text())
    ranks, switches = network["ranks"], network.get("switches")
    links = {(one["from"], one["to"]) for one in network["links"]}
    along = ["--network", path, "--numbering", "cycle"]
    for edge in lines("show", "allgather/ring", *along, "--block", 1000)[1:]:
        ends = ranks[edge["src"]], ranks[edge["dst"]]
        check(switches or ends[0] == ends[1] or ends in links, path, edge)
    done = run("verify", "all", *along, "--bytes", 8 * len(ranks))
    check(done.returncode == 0 and "allgather/ring" in done.stdout, path, done)
    check("scan/" not in done.stdout and "/forest" not in done.stdout, path, done)


def check_choice(path):
    rows = lines("choose", "allgather", "--network", path, "--block", 100_000, "--model", "queue")
    numbered = {one["schedule"]: one for one in rows if one["parameters"].get("numbering") == "cycle"}
    check("allgather/ring" in numbered and "allgather/bruck" not in numbered, path, rows)
    check([one["cost_us"] for one in rows] == sorted(one["cost_us"] for one in rows), path, "order")
    again, = lines("simulate", "allgather/ring", "--network", path, "--numbering", "cycle", "--block", 100_000, "--model", "queue")
    check(Fraction(again["completion_us"]) == Fraction(numbered["allgather/ring"]["cost_us"]), path, again, numbered)
    plain = next(one for one in rows if one["schedule"] == "allgather/ring" and "numbering" not in one["parameters"])
    check(numbered["allgather/ring"]["cost_us"] < plain["cost_us"], path, plain, numbered)
    text = run("choose", "allgather", "--network", path, "--block", 100_000, "--model", "queue", "--explain")
    check("numbering=cycle" in text.stdout, path, text)


for network in networks:
    check_ring(network)
with tempfile.TemporaryDirectory() as name:
    crossed = cabled("crossed", Path(name), [(0, 3), (3, 1), (1, 5), (5, 2), (2, 4), (4, 0)], 6)
    check_ring(crossed)
    check_choice(crossed)
    for collective in "reduce_scatter", "allreduce":
        check(run("verify", f"{collective}/ring", "--network", crossed, "--numbering", "cycle", "--bytes", 600).returncode == 0, collective)
    star = cabled("star", Path(name), [(0, 1), (0, 2), (0, 3)], 4)
    bad(["verify", "allgather/ring", "--network", star, "--numbering", "cycle"], "--network", "star.json", "there is none")
    rows = lines("choose", "allgather", "--network", star, "--block", 1000, "--model", "queue")
    check(rows and not any("numbering" in one["parameters"] for one in rows), rows)
    bad(["verify", "allgather/forest", "--network", crossed, "--numbering", "cycle"], "--numbering", "allgather/forest")
    bad(["verify", "allgather/ring", "--network", crossed], "--network", "allgather/ring")
bad(["verify", "allgather/ring", "--ranks", 4, "--numbering", "cycle"], "--network is required")
bad(["verify", "allgather/ring", "--ranks", 4, "--numbering", "0,1,1,2"], "--numbering", "0,1,1,2", "0..3 once")
bad(["verify", "allgather/ring", "--ranks", 4, "--numbering", "0,1,2"], "--numbering", "0,1,2")
bad(["verify", "allgather/ring", "--ranks", "4..5", "--numbering", "0,1,2,3"], "--ranks", "4..5")
bad(["verify", "scan/recursive-doubling", "--ranks", 4, "--numbering", "0,1,3,2"], "--numbering", "scan/recursive-doubling")
check(run("verify", "gather/linear", "--ranks", 4, "--numbering", "2,3,0,1", "--root", 1, "--counts", "1,2,3,4").returncode == 0, "list")
tested.end()
