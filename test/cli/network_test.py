#!/usr/bin/env -S python3 -B
"""network_test.py PROGRAM NETWORK...: `bound` prints the least ratio of all cuts of each network, with a cut that has it, and for
alltoall a bandwidth that its prices prove and that flows attain. The trees of `synthesize` span all ranks, follow the links, and attain
the bound within the capacities. Networks of other formats have the bounds of their hosts' links. A wrong file or option is one line and
status 2."""

import itertools
import json
import sys
import tempfile
from collections import Counter
from fractions import Fraction
from pathlib import Path

from checked_program import CheckedProgram

program, *networks = sys.argv[1:]
tested = CheckedProgram(program)
check, run, bad = tested.check, tested.run, tested.bad


def crossing(network, inside, reverse):
    """The links that leave a set of vertices; with `reverse`, those that enter it."""
    return [one for one in network["links"] if ((one["to"] if reverse else one["from"]) in inside) and
            ((one["from"] if reverse else one["to"]) not in inside)]


def ratio(network, collective, root, inside):
    """Bytes per second over the cut, and the part of the data that must pass it; None if nothing must."""
    reverse = collective in ("reduce_scatter", "reduce")
    links = crossing(network, inside, reverse)
    ranks = [rank for rank in network["ranks"] if rank in inside]
    if len(ranks) == len(network["ranks"]) or not ranks:
        return None
    if collective in ("broadcast", "reduce"):
        part = Fraction(1 if network["ranks"][root] in inside else 0)
    elif collective == "allreduce":
        part = Fraction(1)
    else:
        part = Fraction(len(ranks), len(network["ranks"]))
    return part and sum(one["bandwidth_Bps"] for one in links) / part


def read(path):
    """A network, with exact bandwidths."""
    network = json.loads(Path(path).read_text())
    for one in network["links"]:
        one["bandwidth_Bps"] = Fraction(one["bandwidth_Bps"])
    return network


def least(network, collective, root):
    vertices = network["ranks"] + network.get("switches", [])
    ratios = [ratio(network, collective, root, set(inside)) for n in range(1, len(vertices) + 1)
              for inside in itertools.combinations(vertices, n)]
    best = min(one for one in ratios if one is not None and one != 0)
    if collective == "allreduce":
        for end in "to", "from":
            traffic = sum(one["bandwidth_Bps"] for one in network["links"] if one[end] in network["ranks"])
            best = min(best, Fraction(traffic, 2 * (len(network["ranks"]) - 1)))
    return best


def check_bound(path, collective, root):
    network = read(path)
    rooted = ["--root", root] if collective in ("broadcast", "reduce") else []
    done = run("bound", collective, "--network", path, *rooted, "--json")
    check(done.returncode == 0, path, collective, done)
    found = json.loads(done.stdout)
    exact = Fraction(found["numerator"], found["denominator"])
    check(exact == least(network, collective, root), path, collective, root, exact, least(network, collective, root))
    check(found["collective"] == collective and found["network"] == Path(path).stem, found)
    check(found["ranks"] == len(network["ranks"]) and abs(found["algbw_GBps"] - float(exact) / 1e9) <= 5e-7, found)
    if not found["cut"]:
        return check(collective == "allreduce", "no cut", found)
    check(ratio(network, collective, root, set(found["cut"])) == exact, "not saturated", found)
    reverse = collective in ("reduce_scatter", "reduce")
    links = sorted([one["from"], one["to"]] for one in crossing(network, set(found["cut"]), reverse))
    if collective != "allreduce":
        check(sorted(found["cut_links"]) == links, found, links)
    text = run("bound", collective, "--network", path, *rooted)
    check(text.returncode == 0 and text.stdout.splitlines()[0].split()[0] == "collective", text)


def check_flows(path):
    """Prices bound an alltoall by the cost of all bandwidth over the distances between all pairs of ranks."""
    network = read(path)
    done = run("bound", "alltoall", "--network", path, "--json")
    check(done.returncode == 0, path, done)
    found = json.loads(done.stdout)
    exact = Fraction(found["numerator"], found["denominator"])
    prices = {(a, b): price for a, b, price in found["prices"]}
    vertices = network["ranks"] + network.get("switches", [])
    distance = {(a, b): 0 if a == b else float("inf") for a in vertices for b in vertices}
    cost = 0
    for one in network["links"]:
        pair = one["from"], one["to"]
        distance[pair] = min(distance[pair], prices.get(pair, 0))
        cost += prices.get(pair, 0) * one["bandwidth_Bps"]
    for middle, a, b in itertools.product(vertices, repeat=3):
        distance[a, b] = min(distance[a, b], distance[a, middle] + distance[middle, b])
    pairs = sum(distance[a, b] for a in network["ranks"] for b in network["ranks"])
    check(exact == cost * len(network["ranks"]) / pairs, path, exact, cost, pairs)
    check(0 <= found["gap"] < 1e-9 and abs(found["attained_GBps"] - found["algbw_GBps"]) <= 2e-6, found)
    check(found["collective"] == "alltoall" and found["network"] == Path(path).stem, found)
    for inside in itertools.combinations(network["ranks"], len(network["ranks"]) // 2):
        apart = set(inside) | set(network.get("switches", []))
        width = sum(one["bandwidth_Bps"] for one in crossing(network, apart, False))
        blocks = len(inside) * (len(network["ranks"]) - len(inside))
        check(exact <= width * len(network["ranks"]) / Fraction(blocks), path, "above a cut", inside)
    text = run("bound", "alltoall", "--network", path)
    check(text.returncode == 0 and text.stdout.count("link: ") == len(prices), text)


def check_names(folder):
    """Names with the separators of --without, and with control characters."""
    ranks = ["a,b", "b>a", "b", "c\x1b[31m"]
    links = [{"from": a, "to": b, "bandwidth_Bps": 10, "latency_us": 1} for a in ranks for b in ranks if a != b]
    path = folder / "names.json"
    path.write_text(json.dumps({"ranks": ranks, "links": links}))
    for gone, left in (("b", 3), ("a,b", 3), ("b>a,b", 2), ("a,b>b>a,b>b>a", 4), ("b>a>a,b", 4)):
        done = run("synthesize", "allgather", "--network", path, "--without", gone, "--json")
        check(len({json.loads(line)["root"] for line in done.stdout.splitlines()}) == left, gone, done)
    for command in "bound", "synthesize":
        done = run(command, "allgather", "--network", path)
        check("c\\x1b[31m" in done.stdout and "\x1b[31m" not in done.stdout, done)
    for wrong in ">", ",", "a,b,", "a,b>", ",b", "b>>b", "x", "b>x":
        bad(["synthesize", "allgather", "--network", path, "--without", wrong], "--without: got", "names.json")
    apart = "a,b>b,a,b>b>a,a,b>c\x1b[31m"
    bad(["synthesize", "allgather", "--network", path, "--without", apart], "--without", "names.json", "a rank that")


def check_tree(network, tree):
    """Edges leave reached ranks, reach all, and have paths along links through switches."""
    links = {(one["from"], one["to"]) for one in network["links"]}
    reached = {tree["root"]}
    check(len(tree["edges"]) == len(tree["paths"]) == len(network["ranks"]) - 1, "size", tree)
    for (begin, end), path in zip(tree["edges"], tree["paths"]):
        check(begin in reached and end not in reached and [path[0], path[-1]] == [begin, end], "edge", tree, begin, end)
        check(all(pair in links for pair in zip(path, path[1:])), "path", path)
        check(not set(path[1:-1]) & set(network["ranks"]), "path through a rank", path)
        reached.add(end)
    check(reached == set(network["ranks"]), "not spanning", tree)


def check_trees(path, collective, root, *options, exact=True):
    network = read(path)
    rooted = ["--root", root] if collective in ("broadcast", "reduce") else []
    words = ["synthesize", collective, "--network", path, *rooted, *options]
    done = run(*words, "--json")
    check(done.returncode == 0, words, done)
    trees = [json.loads(line) for line in done.stdout.splitlines()]
    if collective in ("reduce_scatter", "reduce"):
        network["links"] = [{**one, "from": one["to"], "to": one["from"]} for one in network["links"]]
    roots = [network["ranks"][root]] if rooted else network["ranks"]
    load, rates = Counter(), Counter()
    for tree in trees:
        check_tree(network, tree)
        rate = Fraction(tree["numerator"], tree["denominator"])
        check(rate > 0, tree)
        rates[tree["root"]] += rate
        for hops in tree["paths"]:
            for pair in zip(hops, hops[1:]):
                load[pair] += rate
    check(set(rates) == set(roots) and len(set(rates.values())) == 1, words, "roots", rates)
    capacity = Counter()
    for one in network["links"]:
        capacity[one["from"], one["to"]] += one["bandwidth_Bps"]
    check(all(load[pair] <= capacity[pair] for pair in load), words, "overload")
    bound = json.loads(run("bound", collective, "--network", path, *rooted, "--json").stdout)
    bound = Fraction(bound["numerator"], bound["denominator"])
    total = sum(rates.values())
    check(total == bound if exact else 0 < total <= bound, words, total, bound)
    text = run(*words)
    check(text.returncode == 0 and f"{len(trees)} tree" in text.stdout, text)


def check_forwarding(path, rate):
    """Eight hosts at a backbone with the bandwidth of one host: a switch that does not copy sends a message to each of them."""
    hosts = [f"h{i}" for i in range(8)]
    for collective, root, load in (("allgather", [], Fraction(7)), ("reduce_scatter", [], Fraction(7)),
                                   ("allreduce", [], Fraction(14)), ("broadcast", ["--root", 2], Fraction(7)),
                                   ("reduce", ["--root", 2], Fraction(7))):
        words = [collective, "--network", path, *root]
        done = run("bound", *words, "--json")
        found = json.loads(done.stdout)["forwarding"]
        check(Fraction(found["numerator"], found["denominator"]) == rate / load and found["load"] == load, done)
        check(abs(found["algbw_GBps"] - float(rate / load) / 1e9) <= 5e-7, done)
        check(found["link"] == ["c_backbone", "c_backbone_out"], done)
        others = [host for host in hosts if not root or host != "h2"]
        check(found["receivers"] == (others if collective == "broadcast" else hosts), done)
        check(found["senders"] == (others if collective == "reduce" else hosts), done)
        check("switches that do not copy: at most" in run("bound", *words).stdout, words)
        if collective == "allreduce":  # its trees need links in both directions
            continue
        text = run("synthesize", *words)
        check(text.returncode == 0 and "for switches that do not copy" in text.stdout.splitlines()[-1], text)
        check(0 < float(text.stdout.splitlines()[-1].split()[0]) <= 1, text)


def check_formats(folder):
    """Platforms of SimGrid and output of ibnetdiscover, with bounds that follow from the link of a host."""

    def platform(name, hosts, more):
        path = folder / f"{name}.xml"
        path.write_text('<?xml version="1.0"?>\n<platform version="4.1">\n<cluster id="c" prefix="h" suffix="" speed="1f" '
                        f'radical="0-{hosts - 1}" bw="1Gbps" lat="1us" {more}/>\n</platform>\n')
        return path

    fabric = folder / "fabric"
    fabric.write_text("# Topology file: generated\n\nvendid=0x2c9\nSwitch 4 \"S-1\" # \"leaf\"\n" +
                      "".join(f'[{i}] "H-{i}"[1](1) # "n{i}" lid {i} 4xHDR\n' for i in (1, 2, 3)) +
                      "".join(f'\nCa 1 "H-{i}" # "n{i}"\n[1](1) "S-1"[{i}] # lid {i} lmc 0 "leaf" lid 9 4xHDR\n'
                              for i in (1, 2, 3)))
    gigabit = 125_000_000
    trees = 'topology="FAT_TREE" topo_parameters="2;4,2;1,2;1,1"'
    for path, ranks, link in ((platform("flat", 8, ""), 8, gigabit),
                              (platform("trunks", 8, trees), 8, gigabit),
                              (platform("torus", 9, 'topology="TORUS" topo_parameters="3,3"'), 9, 4 * gigabit),
                              (fabric, 3, 25 * 10**9)):
        for collective, part in ("allgather", Fraction(ranks, ranks - 1)), ("broadcast", 1):
            rooted = ["--root", 1] if collective == "broadcast" else []
            done = run("bound", collective, "--network", path, *rooted, "--json")
            check(done.returncode == 0, path, done)
            found = json.loads(done.stdout)
            check(Fraction(found["numerator"], found["denominator"]) == link * part, path, collective, found)
            check(found["ranks"] == ranks and found["network"] == path.stem, path, found)
            done = run("synthesize", collective, "--network", path, *rooted, "--json")
            lines = [json.loads(line) for line in done.stdout.splitlines()]
            total = sum(Fraction(tree["numerator"], tree["denominator"]) for tree in lines)
            check(done.returncode == 0 and total == link * part, path, collective, done, total)
    check_forwarding(platform("shared", 8, 'bb_bw="1Gbps" bb_lat="0us"'), gigabit)
    done = run("bound", "allgather", "--network", platform("flat", 8, ""), "--json")
    check("forwarding" not in json.loads(done.stdout), done)
    check("hc_router" in json.loads(done.stdout)["cut"] and not done.stderr, done)
    bad(["bound", "allgather", "--network", platform("six", 6, trees)], "six.xml:3: topo_parameters: got", "6")
    bad(["bound", "allgather", "--network", platform("slow", 2, 'bb_bw="12bps"')], "slow.xml:3: bb_bw: got \"12bps\"",
        "a whole number of bytes per second, 1 to 2e15")
    cut = folder / "cut.xml"
    cut.write_text(platform("flat", 8, "").read_text()[:90])
    bad(["synthesize", "allgather", "--network", cut], "--network: ", "cut.xml:3: got")
    cut_fabric = folder / "cut_fabric"
    cut_fabric.write_text("\n".join(fabric.read_text().splitlines()[:10]))
    bad(["bound", "allgather", "--network", cut_fabric], "cut_fabric:6: got \"H-2\"[1], expected a node of this file")
    other = folder / "other"
    formats = "expected a network or cluster in JSON, a SimGrid platform, or output of ibnetdiscover"
    for text, found in ("\nSwitchName=a\n", 'other:2: got "SwitchName=a"'), ("  \n", "other:1: got nothing in it"):
        other.write_text(text)
        bad(["bound", "allgather", "--network", other], found, formats)


def check_pictures(folder):
    """Traces and pictures of the model queue, and a page with the network."""
    ranks, s = ["a", "b", "c"], "s"
    links = [{"from": x, "to": y, "bandwidth_Bps": 10**9, "latency_us": 1} for r in ranks for x, y in ((r, s), (s, r))]
    path = folder / "star.json"
    path.write_text(json.dumps({"ranks": ranks, "switches": [s], "links": links}))
    words = ["simulate", "gather/linear", "--network", path, "--block", 1000, "--model", "queue"]
    plain = run(*words)
    done = run(*words, "--path", "--trace", folder / "t.json", "--svg", folder / "t.svg")
    check(done.returncode == 0 and done.stdout.endswith(plain.stdout), "times differ", done, plain)
    check(done.stdout.count("after=link") == 1 and done.stdout.count("after=message") == 1, done)
    events = json.loads((folder / "t.json").read_text())["traceEvents"]
    tracks = {one["args"]["name"] for one in events if one["name"] == "thread_name"}
    check({"from b to s", "from c to s", "from s to a"} <= tracks and "from s to b" not in tracks, tracks)
    check("black: the critical path" in (folder / "t.svg").read_text(), "picture")
    for name in "allgather/ring", "allgather/forest":
        page = folder / "page.html"
        done = run("show", name, "--network", path, "--block", 10, "--html", page)
        check(done.returncode == 0, name, done)
        text = page.read_text()
        check(text.count("data-line=") == 6 and '"names":["a","b","c","s"]' in text, name, "network of the page")
    done = run("show", "allgather/ring", "--ranks", 3, "--block", 10, "--html", page)
    check("data-line=" not in page.read_text(), "a page without a network has one")
    path.write_text(json.dumps({"ranks": ranks, "switches": [s], "links": links[:-1]}))
    bad(["show", "allgather/ring", "--network", path, "--block", 10, "--html", folder / "none.html"], "star.json", "path")
    check(not (folder / "none.html").exists(), "a page of a schedule without paths")


def check_bad_input(folder):
    def file(name, ranks, links, **more):
        path = folder / f"{name}.json"
        links = [{"from": a, "to": b, "bandwidth_Bps": 10, "latency_us": 1} for a, b in links]
        path.write_text(json.dumps({"ranks": ranks, "links": links, **more}))
        return path

    pair = file("pair", ["a", "b"], [("a", "b"), ("b", "a")])
    bad(["bound", "allgather"], "--network is required")
    bad(["bound", "allgather", "--network", ""], "--network is required")
    bad(["bound", "allgather", "--network", folder / "none.json"], "none.json")
    bad(["bound", "gather", "--network", pair], "COLLECTIVE", "gather", "allgather, reduce_scatter")
    bad(["bound", "alltoall", "--network", pair, "--root", 0], "--root", "no root")
    bad(["bound", "broadcast", "--network", pair, "--root", 2], "--root", 2)
    bad(["bound", "broadcast", "--network", pair, "--root", -1], "--root", -1)
    bad(["bound", "allgather", "--network", pair, "--root", 0], "--root", "no root")
    apart = file("apart", ["a", "b", "lonely"], [("a", "b"), ("b", "a")])
    for collective in "allgather", "reduce_scatter", "allreduce", "alltoall", "broadcast", "reduce":
        bad(["bound", collective, "--network", apart], "apart.json", "lonely")
    bad(["bound", "allgather", "--network", file("one", ["a"], [])], "one.json", "2 or more")
    bad(["bound", "allgather", "--network", file("loop", ["a", "b"], [("a", "a")])], "loop.json", "a")
    bad(["bound", "allgather", "--network", file("twice", ["a", "a"], [])], "twice.json", "a")
    bad(["synthesize", "alltoall", "--network", pair], "COLLECTIVE", "alltoall")
    one_way = file("one_way", ["a", "b", "c"], [("a", "b"), ("b", "c"), ("c", "a")])
    bad(["synthesize", "allreduce", "--network", one_way], "--network", "one_way.json", "both directions between a and b")
    bad(["synthesize", "allgather", "--network", pair, "--trees", -1], "--trees", -1)
    bad(["synthesize", "allgather", "--network", pair, "--trees", 1 << 62], "--trees", 1 << 62, "0 to 2^31")
    bad(["synthesize", "broadcast", "--network", pair, "--root", 2], "--root", 2)
    bad(["synthesize", "allgather", "--network", pair, "--without", "a>c"], "--without", "c")
    bad(["synthesize", "allgather", "--network", pair, "--without", "a>b"], "--without", "pair.json")
    bad(["synthesize", "allgather", "--network", pair, "--without", "a,b"], "--without", "a,b")
    bad(["synthesize", "allgather", "--network", pair, "--without", ""], "--without is required")
    bad(["synthesize", "allgather", "--network", apart], "apart.json", "lonely")
    (folder / "cut.json").write_text(pair.read_text()[:40])
    bad(["bound", "allgather", "--network", folder / "cut.json"], "cut.json")


for network in networks:
    check_flows(network)
    for collective in "allgather", "reduce_scatter", "allreduce":
        check_bound(network, collective, 0)
    for collective in "broadcast", "reduce":
        for root in range(len(json.loads(Path(network).read_text())["ranks"])):
            check_bound(network, collective, root)
    for collective in "allgather", "reduce_scatter", "broadcast", "reduce":
        check_trees(network, collective, 1)
        for trees in 1, 3:
            check_trees(network, collective, 1, "--trees", trees, exact=False)
with tempfile.TemporaryDirectory() as name:
    check_formats(Path(name))
    check_bad_input(Path(name))
    check_pictures(Path(name))
    check_names(Path(name))
tested.end()
