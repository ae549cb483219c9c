#!/usr/bin/env -S python3 -B
"""intra_node_test.py COLLSCHED: messages within nodes, under `lob` and `contention`, from files, options and `calibrate`."""

import json
import sys
import tempfile
from pathlib import Path

from checked_program import CheckedProgram

PROGRAM = CheckedProgram(sys.argv[1])
check, good, bad = PROGRAM.check, PROGRAM.good, PROGRAM.bad
MEGABYTE = 10**6


def cluster_file(folder, nodes, inside=None, **first):
    """A flat cluster. `inside` is the value of intra_node, `first` are further keys of the first node."""
    path = folder / "cluster.json"
    content = {"nodes": [{"name": f"n{i}", "overhead_us": 1, "latency_us": 1, "bandwidth_MBps": 12500} for i in range(nodes)]}
    content["nodes"][0].update(first)
    path.write_text(json.dumps(content | ({"intra_node": inside} if inside else {})))
    return ["--cluster", path]


def time_of(cluster, name, ranks, *options, model="contention", placement="n0"):
    """The completion in microseconds of a schedule whose ranks are all on one node."""
    nodes = ",".join([placement] * ranks)
    result, = PROGRAM.lines("simulate", name, "--ranks", ranks, "--placement", nodes, *cluster, "--model", model, *options)
    return result["completion_us"]


def near(a, b):
    return abs(a - b) < 0.02  # lob counts the time from the first byte to the last


def test_costs(folder):
    """A message costs two overheads, the latency, and its bytes over the bandwidth."""
    one = ["broadcast/binomial", 2, "--bytes", MEGABYTE]
    cluster = cluster_file(folder, 2)
    for model in "lob", "contention":
        check(near(time_of(cluster, *one, model=model), 2 + 0.5 + 125), "the defaults", model)
        options = ["--intra-node-latency-us", 3, "--intra-node-bandwidth-MBps", 1000]
        check(near(time_of(cluster, *one, *options, model=model), 2 + 3 + 1000), "options", model)
        measured = cluster_file(folder, 2, {"latency_us": 4, "bandwidth_MBps": 500})
        check(near(time_of(measured, *one, *options, model=model), 2 + 4 + 2000), "the file takes precedence", model)
        two = cluster_file(folder, 2, {"latency_us": 4}, intra_node={"bandwidth_MBps": 100})
        check(near(time_of(two, *one, model=model), 2 + 4 + 10**4), "the node takes precedence", model)
        check(near(time_of(two, *one, model=model, placement="n1"), 2 + 4 + 125), "the other node", model)
        cluster = cluster_file(folder, 2)


def test_shares(folder):
    """Each rank sends to three others at once."""
    exchange = ["alltoall/linear", 4, "--block", MEGABYTE]
    cluster = cluster_file(folder, 1, {"latency_us": 0, "bandwidth_MBps": 1000, "socket_latency_us": 0, "socket_bandwidth_MBps": 500})
    alone = time_of(cluster, *exchange)
    check(3000 <= alone < 3010, "each rank has its bandwidth", alone)
    shared = time_of(cluster, *exchange, "--intra-node-shared")
    check(12000 <= shared < 12010, "all ranks share it", shared)
    sockets = time_of(cluster_file(folder, 1, {"latency_us": 0, "bandwidth_MBps": 1000, "sockets": 2, "socket_latency_us": 0,
                                               "socket_bandwidth_MBps": 500}), *exchange)
    check(8000 <= sockets < 8010, "four messages leave each socket", sockets)


def test_loopbacks(folder):
    platform = folder / "platform.xml"
    platform.write_text("<platform version='4.1'><cluster id='c' prefix='n' suffix='' radical='0-1' speed='1f' bw='125MBps' lat='50us' "
                        "loopback_bw='1GBps' loopback_lat='2us'/></platform>")
    result = time_of(["--cluster", platform], "broadcast/binomial", 2, "--bytes", MEGABYTE)
    check(near(result, 2 + 1000), "the loopback of a platform", result)


def test_one_rank_per_node(folder):
    """Links within nodes cost nothing where every node hosts one rank."""
    commands = [["simulate", "allreduce/ring"], ["choose", "allreduce"]]
    for command in commands:
        for model in "lob", "contention":
            run = [*command, "--ranks", 4, "--bytes", 4096, "--model", model, "--json"]
            before = good(*run, *cluster_file(folder, 4))
            after = good(*run, *cluster_file(folder, 4, {"latency_us": 1000, "bandwidth_MBps": 1, "shared": True, "sockets": 2}))
            check(before == after and before, command, model)


def test_choice(folder):
    """On 64 nodes with 4 ranks each the choice depends on the links within nodes."""
    cluster = cluster_file(folder, 64)
    algorithms = "allreduce"
    run = ["choose", algorithms, "--ranks", 256, "--bytes", 2**20, "--element", 8, "--model", "lob", *cluster, "--json"]
    free = json.loads(good(*run, "--intra-node-latency-us", 0, "--intra-node-bandwidth-MBps", 2e9).splitlines()[0])
    priced = json.loads(good(*run).splitlines()[0])
    check((free["schedule"], free["parameters"]) != (priced["schedule"], priced["parameters"]), "another choice", free, priced)


def test_calibration(folder):
    """The measured links are options and keys of a cluster."""
    words = good("calibrate", "--on", "processes", "--intra-node").split()
    check(words[::2] == ["--intra-node-latency-us", "--intra-node-bandwidth-MBps"], "options", words)
    one = ["broadcast/binomial", 2, "--bytes", MEGABYTE]
    expected = 2 + float(words[1]) + MEGABYTE / float(words[3])
    result = time_of(cluster_file(folder, 1), *one, *words)
    check(abs(result - expected) < 0.01 * expected, "as measured", result, expected)
    inside = PROGRAM.lines("calibrate", "--on", "threads")[0]["intra_node"]
    result = time_of(cluster_file(folder, 1, inside), *one)
    expected = 2 + inside["latency_us"] + MEGABYTE / inside["bandwidth_MBps"]
    check(abs(result - expected) < 0.01 * expected, "as measured, in a file", result, expected)


def test_mistakes(folder):
    run = ["simulate", "barrier/linear", "--ranks", 2, "--model", "lob", *cluster_file(folder, 2)]
    bad([*run, "--intra-node-latency-us", -1], "--intra-node-latency-us: got -1, expected a decimal number, 0 or more")
    bad([*run, "--intra-node-bandwidth-MBps", 0], "--intra-node-bandwidth-MBps: got 0, expected 1e-9 to 2e9 MB/s")
    bad(["simulate", "barrier/linear", "--ranks", 2, "--model", "lob", "--intra-node-shared"], "--intra-node-shared requires --cluster")
    bad(["calibrate", "--on", "threads", "--json", "--intra-node"], "--intra-node does not go with --json")
    for inside, problem in [({"sockets": 0}, "sockets: got 0, expected a whole number, 1 to 1024"),
                            ({"bandwidth_MBps": 0}, "bandwidth_MBps: got 0, expected 1e-9 to 2e9 MB/s"),
                            ({"loopback": 1}, 'got unknown key "loopback" in intra_node'),
                            ({"shared": "no"}, "shared: got another value, expected true or false")]:
        cluster_file(folder, 2, inside)
        bad(run, problem)


with tempfile.TemporaryDirectory() as temporary:
    for test in test_costs, test_shares, test_loopbacks, test_one_rank_per_node, test_choice, test_calibration, test_mistakes:
        test(Path(temporary))
PROGRAM.end()
