#!/usr/bin/env -S python3 -B
"""planned_test.py PROGRAM FOLDER: commands that plan schedules for `--network`, with networks and clusters of FOLDER/networks and
FOLDER/clusters. `table` has planned schedules where they are the cheapest for `choose`; `--without` and `--trees` plan again; a cluster in
JSON is a network of its links; schedules in files keep their paths, and errors name file, line and vertex; limits end with one line and
status 2."""

import json
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

from checked_program import CheckedProgram

program, folder = sys.argv[1:]
TWO_BOXES = Path(folder) / "networks" / "two_boxes.json"
TORUS = Path(folder) / "networks" / "torus_4x2.json"
CLUSTERS = Path(folder) / "clusters"
tested = CheckedProgram(program)
check, run, good, lines, bad = tested.check, tested.run, tested.good, tested.lines, tested.bad


def network(path, ranks, links, **more):
    links = [{"from": a, "to": b, "bandwidth_Bps": 10**9, "latency_us": 1} for a, b in links]
    path.write_text(json.dumps({"ranks": ranks, "links": links, **more}))
    return path


def both(*pairs):
    return [link for a, b in pairs for link in ((a, b), (b, a))]


def check_table(directory):
    """Each row has the choice of `choose` for the size where it begins."""
    sizes = [64, 65536, 4194304]
    for path in TWO_BOXES, TORUS:
        text = good("table", "allgather", "--network", path, "--sizes", ",".join(map(str, sizes)))
        table = json.loads(text)
        check("--model queue --network" in table["description"], table["description"])
        for row, size in zip(table["rows"], sizes):
            chosen, *_ = lines("choose", "allgather", "--network", path, "--bytes", size, "--model", "queue")
            check(row["bytes"] == (0 if size == sizes[0] else size), row)
            check(row["time_us"] <= float(chosen["cost_us"]) * 64 / 63 + 1e-6, row, chosen)
        check({row["algorithm"] for row in table["rows"]} & {"forest", "matched"}, path, table["rows"])
    queue = ["table", "allgather", "--network", TORUS, "--sizes", 64]
    check(good(*queue) == good(*queue, "--model", "queue"), "default model")
    file = directory / "table.json"
    file.write_text(good("table", "allgather", "--network", TWO_BOXES, "--sizes", "64,4194304"))
    row, = lines("choose", "allgather", "--network", TWO_BOXES, "--bytes", 1 << 23, "--table", file)
    check(row["algorithm"] == "forest", row)
    row, = lines("choose", "allgather", "--ranks", 4, "--bytes", 1 << 23, "--table", file)
    check(row["algorithm"] != "forest", "without a network", row)
    picture = directory / "table.svg"
    good("table", "allgather", "--network", TWO_BOXES, "--sizes", "64,4194304", "--svg", picture)
    check("forest" in picture.read_text(), "curve of the forest")
    everything = json.loads(good("table", "all", "--network", TORUS, "--sizes", 1024, "--ranks", 8))["rows"]
    planned = {row["collective"] for row in everything if row["algorithm"] in ("forest", "matched")}
    check(planned >= {"allgather", "reduce_scatter"} and len({row["collective"] for row in everything}) == 11, everything)
    rows = json.loads(good("table", "broadcast", "--network", TWO_BOXES, "--sizes", 1 << 18))["rows"]
    check([row["algorithm"] for row in rows] == ["forest"], rows)
    slow = json.loads(good("table", "allgather", "--network", TWO_BOXES, "--sizes", 64, "--model", "queue:latency_occupies=1"))
    check("latency_occupies=1" in slow["description"], slow)
    left = json.loads(good("table", "allgather", "--network", TWO_BOXES, "--sizes", 64, "--without", "b1.r0"))["rows"]
    check([row["ranks"] for row in left] == [3], left)
    bad(["table", "allgather", "--network", TWO_BOXES, "--ranks", "4,8"], "--ranks: got 4,8, expected 4, the ranks of --network")
    bad(["table", "allgather", "--ranks", 4, "--model", "queue"], "--network is required")
    bad(["table", "allgather", "--network", TWO_BOXES, "--read", file], "--network does not go with --read")
    bad(["table", "allgather", "--ranks", 4, "--model", "queue", "--trees", 2], "--trees requires --network")
    bad(["plan", "mgo", "--network", TWO_BOXES], "--network", "collsched plan --help")


def check_element():
    model = ["--model", "hockney:alpha_us=1,beta_ns=1"]
    whole, = json.loads(good("table", "allgather", "--ranks", 3, "--sizes", 16, "--element", 8, *model))["rows"]
    chosen, *_ = lines("choose", "allgather", "--ranks", 3, "--bytes", 16, "--element", 8, *model)
    check(abs(whole["time_us"] - float(chosen["cost_us"])) < 1e-6, whole, chosen)
    single, = json.loads(good("table", "allgather", "--ranks", 3, "--sizes", 16, *model))["rows"]
    check(single["time_us"] < whole["time_us"], "elements are split", single, whole)
    bad(["table", "allgather", "--ranks", 3, "--sizes", "8,12", "--element", 8, *model], "--element: got 8", "divides 12")


def check_without(directory):
    """Paths avoid removed links, and schedules have the ranks that are left."""
    gone = ("b0.r0", "b0.nic0")
    options = ["--network", TWO_BOXES, "--without", ">".join(gone), "--block", 1000]
    for name in "allgather/forest", "allgather/matched":
        header, *edges = lines("show", name, *options)
        hops = {pair for e in edges for pair in zip(e.get("path", []), e.get("path", [])[1:])}
        check(hops and gone not in hops, name, hops)
        check("ok" in good("verify", name, *options), name)
        check("ok" in good("run", name, *options, "--on", "inline"), name)
        check(name in good("metrics", name, *options), name)
        slower, = lines("simulate", name, *options)
        before, = lines("simulate", name, "--network", TWO_BOXES, "--block", 1000)
        check(slower["model"] == "queue" and Fraction(slower["completion_us"]) > Fraction(before["completion_us"]), slower, before)
    header, *edges = lines("show", "allgather/forest", "--network", TWO_BOXES, "--without", "b0.r0,b1.r1")
    check(header["ranks"] == 2, header)
    check({e["path"][0] for e in edges if "path" in e} == {"b0.r1", "b1.r0"}, edges)
    chosen, *_ = lines("choose", "allgather", *options[:4], "--bytes", 1000)
    check(Fraction(chosen["cost_us"]) > 0, chosen)
    less = json.loads(good("bound", "allgather", "--network", TWO_BOXES, "--without", "b0.r0", "--json"))
    check(less["ranks"] == 3, less)
    bad(["verify", "allgather/forest", "--network", TWO_BOXES, "--without", "nobody"], "--without", "nobody", "two_boxes.json")
    bad(["verify", "allgather/forest", "--network", TWO_BOXES, "--without", "b0.nic0"], "--without", "two_boxes.json", "b1.r0")
    bad(["verify", "broadcast/forest", "--network", TWO_BOXES, "--without", "b0.r0", "--root", 3], "--root", 3)
    bad(["verify", "allgather/ring", "--ranks", 4, "--without", "a"], "--without requires --network")


def check_trees(directory):
    """With --trees a forest has the trees of `synthesize` with the same number."""
    clique = network(directory / "clique.json", list("abcd"), both(*[(x, y) for x in "abcd" for y in "abcd" if x < y]))
    for trees in 1, 2, 0:
        made = lines("synthesize", "broadcast", "--network", clique, "--trees", trees)
        edges = lines("show", "broadcast/forest", "--network", clique, "--bytes", 1200, "--trees", trees)[1:]
        sent = sorted([e["src"], e["dst"], e["size"]] for e in edges if e["src"] != e["dst"])
        total = sum(Fraction(tree["numerator"], tree["denominator"]) for tree in made)
        expected = sorted(["abcd".index(a), "abcd".index(b), int(1200 * Fraction(tree["numerator"], tree["denominator"]) / total)]
                          for tree in made for a, b in tree["edges"])
        check(sent == expected, trees, sent, expected)
        check(trees == 0 or len(made) <= trees, made)
    rows = lines("choose", "broadcast", "--network", clique, "--bytes", 1 << 14, "--trees", 1)
    more = lines("choose", "broadcast", "--network", clique, "--bytes", 1 << 14)
    cost = {name: [Fraction(one["cost_us"]) for one in all_ if one["schedule"] == "broadcast/forest"][0]
            for name, all_ in (("one", rows), ("all", more))}
    check(cost["all"] < cost["one"] and len(rows) == len(more) > 3, cost, len(rows), len(more))
    few = json.loads(good("table", "broadcast", "--network", clique, "--sizes", 1 << 14, "--trees", 1))["rows"]
    many = json.loads(good("table", "broadcast", "--network", clique, "--sizes", 1 << 14))["rows"]
    check(many[0]["algorithm"] == "forest" and few[0]["time_us"] > many[0]["time_us"], few, many)
    options = ["--network", clique]
    bad(["verify", "allgather/matched", *options, "--trees", 1], "--trees does not go with allgather/matched")
    bad(["choose", "alltoall", *options, "--trees", 1], "--trees does not go with alltoall")
    bad(["verify", "allgather/forest", *options, "--trees", 1 << 62], "--trees", "0 to 2^31")
    bad(["verify", "allgather/forest", *options, "--trees", -1], "--trees", -1)
    bad(["verify", "allgather/ring", "--ranks", 4, "--trees", 1], "--trees requires --network")


def check_clusters(directory):
    """Numbers of a cluster's levels become those of links."""
    file = directory / "racks.json"
    racks = {"nodes": [{"name": n, "latency_us": 1, "bandwidth_MBps": 1000, "overhead_us": 5} for n in "abcd"],
             "tree": {"name": "core", "children": [
                 {"name": "left", "latency_us": 2, "bandwidth_MBps": 500, "children": ["a", "b"]},
                 {"name": "right", "latency_us": 2, "bandwidth_MBps": 500, "children": ["c", "d"]}]}}
    file.write_text(json.dumps(racks))
    bound = json.loads(good("bound", "allgather", "--network", file, "--json"))
    check(Fraction(bound["numerator"], bound["denominator"]) == 10**9, bound)  # half of the data over 500 MB/s
    check(set(bound["cut"]) in ({"a", "b", "left"}, {"c", "d", "right"}), bound)
    time, = lines("simulate", "scatter/linear", "--network", file, "--counts", "0,0,1000,0")
    check(Fraction(time["completion_us"]) == 1 + 2 + 2 + 1 + 2 * (1 + 2), time)  # four latencies, 1000 B over four links
    check("ok" in good("verify", "allgather/forest", "--network", file, "--block", 100), file)
    done = good("bound", "broadcast", "--network", CLUSTERS / "griffon_like.json")
    check("griffon_like" in done, done)
    bad(["bound", "allgather", "--network", CLUSTERS / "matrices.json"], "matrices.json:4: latency_us: got a matrix")
    bad(["bound", "allgather", "--network", CLUSTERS / "two_sites.json"], "two_sites.json:13: bandwidth_MBps: got none")
    bad(["bound", "allgather", "--network", CLUSTERS / "broken_syntax.json"], "broken_syntax.json:")


def check_paths(directory):
    """Schedules in files keep their paths. Mistakes name the line and the vertex."""
    file = directory / "schedule.jsonl"
    text = good("show", "allgather/forest", "--network", TWO_BOXES, "--block", 1000, "--json")
    file.write_text(text)
    check(good("show", f"@{file}", "--json") == text, "paths of a file")
    bound = good("show", "allgather/forest", "--network", TWO_BOXES, "--block", 1000, "--in-place", "--json")
    check(good("show", f"@{file}", "--in-place", "--json") == bound, "paths of a file in place")
    one = good("show", "allgather/forest", "--network", TWO_BOXES, "--block", 1000, "--json", "--rank", 1)
    check(good("show", f"@{file}", "--json", "--rank", 1) == one, "paths of a rank")
    number, line = next((i, one) for i, one in enumerate(text.splitlines(), 1) if '"src":0,"dst":1' in one)
    path = json.loads(line)["path"]
    check(path == ["b0.r0", "b0.switch", "b0.r1"], path)

    def wrong(other, *parts):
        file.write_text(text.replace(line, json.dumps({**json.loads(line), "path": other}), 1))
        bad(["simulate", f"@{file}", "--network", TWO_BOXES], f"schedule.jsonl:{number}: ", *parts)

    wrong(["b0.r0", "nowhere", "b0.r1"], 'path[1]: got "nowhere", expected a vertex of --network')
    wrong(["b0.r0", "spine", "b0.r1"], 'path[1]: got "spine"', 'a link of --network leads from "b0.r0"')
    wrong(["b0.r1", "b0.switch", "b0.r1"], 'path[0]: got "b0.r1", expected "b0.r0", rank 0')
    wrong(["b0.r0", "b0.switch"], 'path[1]: got "b0.switch", expected "b0.r1", rank 1')
    copy = next(one for one in text.splitlines() if '"src":0,"dst":0' in one)
    file.write_text(text.replace(copy, copy.replace("}", ',"path":["b0.r0","b0.switch"]}'), 1))
    bad(["verify", f"@{file}"], "schedule.jsonl:2: path: got a path, expected none, for a copy within a rank")
    file.write_text(text)
    bad(["simulate", f"@{file}", "--network", TWO_BOXES, "--trees", 1], "--trees does not go with a schedule from a file")
    bad(["simulate", f"@{file}", "--network", TWO_BOXES, "--without", "b0.r0>b0.switch"], "schedule.jsonl:", "path[1]", "b0.switch")


def check_unreachable(directory):
    apart = network(directory / "apart.json", ["a", "b", "lonely"], both(("a", "b")))
    for name in "allgather/matched", "reduce_scatter/matched":
        done = run("verify", name, "--network", apart)
        check(done.returncode == 2 and "apart.json: vertex: got " in done.stderr and "all ranks reach" in done.stderr, done)
    bad(["simulate", "allgather/ring", "--network", apart], "apart.json", "got lonely")
    bad(["choose", "barrier", "--network", apart], "apart.json", "got lonely")
    bad(["choose", "allgather", "--network", apart], "apart.json", "got lonely")
    # No plan begins after the end of the time, so that this network's error is not found.
    bad(["choose", "allgather", "--network", apart, "--budget", 0], "--budget: got 0", "no schedule was priced in time")


def check_limits(directory):
    size = ["--network", TWO_BOXES, "--bytes", 10**9, "--segment", 1]
    bad(["metrics", "allgather/forest", *size], "--segment: got 1", "at most 268435456 edges")
    bad(["choose", "allgather", *size], "--segment: got 1", "at most 4194304 edges")
    bad(["metrics", "broadcast/chain", "--ranks", 8, *size[2:]], "--segment: got 1", "268435456")
    good("metrics", "broadcast/chain", "--ranks", 8, "--bytes", 1000, "--segment", 1)
    chosen, *_ = lines("choose", "allgather", "--network", TWO_BOXES, "--bytes", 10**6, "--segment", 10000)
    check(chosen["schedule"] == "allgather/forest", chosen)
    bad(["choose", "barrier", "--ranks", 4, "--bytes", 4, "--model", "hockney:alpha_us=1,beta_ns=1"], "--bytes does not go with barrier")
    file = directory / "program.xml"
    forest = ["show", "allgather/forest", "--network", TWO_BOXES, "--msccl", file, "--block", 1000000]
    bad([*forest, "--segment", 7], "NAME: got allgather/forest", "--element", "--segment that divides")
    good(*forest, "--element", 1000, "--segment", 250000)
    check(file.exists(), "program")


with tempfile.TemporaryDirectory() as name:
    directory = Path(name)
    check_table(directory)
    check_element()
    check_without(directory)
    check_trees(directory)
    check_clusters(directory)
    check_paths(directory)
    check_unreachable(directory)
    check_limits(directory)
tested.end()
