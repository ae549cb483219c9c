#!/usr/bin/env -S python3 -B
"""explain_test.py PROGRAM CLUSTER: `explain` prints reports with better algorithms, whose times are those of `simulate` and `choose`, and
rejects every other file in one line."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = str(Path(sys.argv[1]).resolve())
CLUSTER = str(Path(sys.argv[2]).resolve())
MODEL = ["--model", "loggp:L_us=1,o_us=0.5,g_us=0.5,G_ns=0.1"]
failures = []


def check(condition, *what):
    if not condition:
        failures.append(" ".join(str(word) for word in what))


def call(*words):
    return subprocess.run([PROGRAM, *(str(word) for word in words)], text=True, capture_output=True, timeout=600)


def objects(*words):
    done = call(*words, "--json")
    check(done.returncode == 0 and done.stderr == "", words, "gives", done.returncode, done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


def row(**more):
    return {"function": "allreduce", "form": "blocking", "ranks": 8, "ranks_per_node": 4, "bytes_from": 65536, "bytes_to": 131071,
            "algorithm": "chain", "parameters": {"segment": 4096}, "reason": "by COLLSCHED_ALLREDUCE", "calls": 16, "calls_max": 2,
            "bytes": 16 * 65536, "timed_calls": 16, "seconds": 0.004, "seconds_max": 0.001} | more


def report(*rows, **more):
    return {"format": "collsched report", "version": 1, "library": "0.1.0", "mpi": "An MPI", "ranks": 8, "nodes": 2,
            "rows": list(rows)} | more


def without(value, key):
    return {name: one for name, one in value.items() if name != key}


def test_times(file):
    file.write_text(json.dumps(report(row(), row(algorithm="native", seconds_max=0.002, parameters={}),
                                      row(function="gatherv", algorithm="linear", parameters={}, seconds_max=0.0005))))
    native, chain, irregular = objects("explain", file, *MODEL)
    check(native["algorithm"] == "native" and native["time_us"] == 1000 and "predicted_us" not in native, native)
    check(chain["time_us"] == 500 and chain["bytes"] == 65536, chain)
    check("better" not in irregular and irregular["function"] == "gatherv", irregular)
    shape = ["--ranks", 8, "--bytes", 65536]
    [used] = objects("simulate", "allreduce/chain", *shape, "--segment", 4096, *MODEL)
    check(float(chain["predicted_us"]) == float(used["completion_us"]), chain, used)
    check(float(chain["better_us"]) <= float(objects("choose", "allreduce", *shape, *MODEL)[0]["cost_us"]), chain)
    check(0 < float(chain["better_us"]) < float(chain["predicted_us"]), chain)
    heading = call("explain", file, *MODEL).stdout.splitlines()[0].split()
    check(heading == ["function", "form", "ranks", "bytes", "algorithm", "calls", "time_us", "predicted_us", "better", "better_us",
                      "gain", "reason"], heading)
    check(len(call("explain", file).stdout.splitlines()) == 4, call("explain", file).stdout)


def test_table(file, table):
    table.write_text(json.dumps({"format": "collsched decisions", "version": 1, "rows": [
        {"collective": "allreduce", "ranks": 2, "bytes": 0, "algorithm": "ring", "time_us": 12.5}]}))
    file.write_text(json.dumps(report(row())))
    [chosen] = objects("explain", file, "--table", table)
    check(chosen["better"] == "ring" and chosen["better_us"] == 12.5 and "predicted_us" not in chosen, chosen)
    [priced] = objects("explain", file, "--table", table, *MODEL)
    [ring] = objects("simulate", "allreduce/ring", "--ranks", 8, "--bytes", 65536, *MODEL)
    check(float(priced["better_us"]) == float(ring["completion_us"]), priced, ring)


def test_cluster(file):
    """With a cluster the search has its algorithms, and prices are those of `simulate` and `choose` on it."""
    file.write_text(json.dumps(report(row(ranks=6, ranks_per_node=2))))
    cluster = ["--cluster", CLUSTER, "--model", "contention"]
    shape = ["--ranks", 6, "--bytes", 65536, *cluster]
    [priced] = objects("explain", file, *cluster)
    [used] = objects("simulate", "allreduce/chain", "--segment", 4096, *shape)
    check(float(priced["predicted_us"]) == float(used["completion_us"]), priced, used)
    check(float(priced["better_us"]) <= float(objects("choose", "allreduce", *shape)[0]["cost_us"]), priced)
    file.write_text(json.dumps(report(row(function="bcast", algorithm="chain", ranks=6))))
    [planned] = objects("explain", file, *cluster)
    check(float(planned["better_us"]) <= float(objects("choose", "broadcast", *shape)[0]["cost_us"]), planned)
    folder = Path(CLUSTER).parent
    links = ["--overhead-us", 2, "--latency-us", 3, "--bandwidth-MBps", 1000, "--uplink-latency-us", 4, "--uplink-bandwidth-MBps", 500]
    for options in (["--cluster", CLUSTER, "--placement", "cyclic"],
                    ["--cluster", folder / "leaf_switches.xml", "--hosts", folder / "leaf_switches.hosts", "--overhead-us", 0.5],
                    ["--cluster", folder / "leaf_switches.xml", "--hosts", folder / "leaf_switches.hosts", "--overhead-us", 5],
                    ["--cluster", folder / "leaf_spine.conf", *links]):
        [priced] = objects("explain", file, *options, "--model", "contention")
        [used] = objects("simulate", "broadcast/chain", "--segment", 4096, *shape[:4], *options, "--model", "contention")
        check(float(priced["predicted_us"]) == float(used["completion_us"]), options, priced, used)
    bad([file, "--cluster", CLUSTER], "--cluster", "--model")
    bad([file, "--cluster", file, "--model", "contention"], "--cluster")
    bad([file, "--cluster", "/no/cluster", "--model", "contention"], "/no/cluster")
    bad([file, "--model", "contention"], "--cluster")
    for option in (["--placement", "cyclic"], links[:2]):
        bad([file, *option, *MODEL], option[0], "--cluster")
    bad([file, "--unknown"], "--unknown")
    check(call("explain", "--help").returncode == 0 and "--cluster" in call("explain", "--help").stdout, "help")


def bad(words, *texts):
    done = call("explain", *words)
    lines = done.stderr.splitlines()
    check(done.returncode == 2 and done.stdout == "" and len(lines) == 1 and all(text in lines[0] for text in texts), words,
          "gives", done.returncode, done.stdout, done.stderr, "not", texts)


def test_mistakes(file):
    wrong = [("", "FILE"), ("[1]", "a report"), ("{", "expected"), (json.dumps(report(rows=3)), "rows: got no list")]
    wrong += [(json.dumps(without(report(row()), key)), f"{key} is required") for key in report()]
    wrong += [(json.dumps(report(row(), **{key: value})), f"{key}: got", "expected") for key, value in
              [("format", "collsched decisions"), ("version", 2), ("mpi", 1), ("ranks", 0), ("nodes", -1)]]
    wrong += [(json.dumps(report(row(**{key: value}))), f"{key}: got", "expected") for key, value in
              [("function", "allreduces"), ("form", "loud"), ("ranks", 0), ("ranks", 1.5), ("ranks", 2**70), ("bytes_from", -1), ("calls", 0),
               ("calls_max", 17), ("seconds", "1"), ("seconds_max", -1), ("algorithm", None), ("commutative", 1), ("bytes", -5)]]
    wrong += [(json.dumps(report(row(parameters={"depth": 1}))), "unknown key \"depth\""),
              (json.dumps(report(row(more=1))), "unknown key \"more\""), (json.dumps(report(without(row(), "calls"))), "calls is required")]
    for text, *expected in wrong:
        file.write_text(text)
        bad([file], str(file), *expected)
    file.write_text(json.dumps(report(row(ranks=2**40, bytes_from=0, bytes=2**62))))
    [large] = objects("explain", file, *MODEL)
    check("better" not in large, large)
    bad([], "FILE is required")
    bad(["/no/report"], "/no/report")
    file.write_text(json.dumps(report(row())))
    bad([file, "--model", "fast"], "--model")
    bad([file, "--table", file], "--table")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        test_times(folder / "report.json")
        test_table(folder / "report.json", folder / "table.json")
        test_cluster(folder / "report.json")
        test_mistakes(folder / "report.json")
    for failure in failures:
        print(failure)
    sys.exit(1 if failures else 0)


main()
