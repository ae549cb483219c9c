#!/usr/bin/env -S python3 -B
"""cli_test.py PROGRAM: the command line from outside. Its output is parsed and checked independently of the library: schedules
are replayed byte by byte against the contract of an allgather. Every mistake must be one line on stderr that names the
argument and the value, with exit status 2 and empty stdout."""

import json
import os
import pty
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as xml
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path
from random import Random

PROGRAM = str(Path(sys.argv[1]).resolve())
ALGORITHMS = ["bine", "bruck", "circulant", "circulant-blocks", "hierarchical", "interval-halving", "k-ring", "linear",
              "locality-bruck", "neighbor-exchange", "pat", "recursive-doubling", "recursive-multiplying", "ring", "sparbit", "swing",
              "trivance", "trivance-by-dimension", "by-dimension"]
PLAIN, IRREGULAR = ([f"allgather{v}/{name}" for name in ALGORITHMS] for v in ("", "v"))
NAMES = PLAIN + IRREGULAR
EDGE_KEYS = ["step", "src", "dst", "from", "from_offset", "into", "into_offset", "size", "action"]
ORDER = ["any", "rank", "position", "canonical"]  # classes of brackets
HEADER_KEYS = ["format", "schedule", "collective", "algorithm", "ranks", "root", "steps", "rounds", "pacing", "element",
               "commutative", "input", "output", "scratch", "staging"]

CLUSTERS = Path("test/data/clusters").resolve()
BRIEF = "COLLSCHED_BRIEF" in os.environ

failures = []
checks = 0


def check(condition, *what):
    global checks
    checks += 1
    if not condition:
        failures.append(" ".join(str(word) for word in what))


def call(*words, **options):
    return subprocess.run([PROGRAM, *(word if isinstance(word, bytes) else str(word) for word in words)], stdout=options.pop("stdout", subprocess.PIPE),
                          stderr=subprocess.PIPE, text=True, timeout=600, **options)


def good(*words):
    """The output of a command, which must succeed with empty stderr."""
    done = call(*words)
    check(done.returncode == 0 and done.stderr == "", words, "gives", done.returncode, done.stderr)
    return done.stdout


def can(name, p):
    """Whether an allgather accepts this number of ranks."""
    algorithm = name.split("/")[1]
    if algorithm == "swing":
        return p & (p - 1) == 0
    if algorithm == "trivance-by-dimension":
        return p <= 8 or p % 8 == 0
    return p == 1 or p % 2 == 0 or algorithm not in ("bine", "k-ring", "locality-bruck")


def results(*words):
    """The JSON objects that a command prints."""
    return [json.loads(line) for line in good(*words, "--json").splitlines()]


def proved(*words):
    """The schedules and numbers of ranks of `verify` or `run`, all of which must be correct."""
    rows = results(*words)
    check(all(row["result"] == "ok" for row in rows), words, rows[:3])
    return [(row["schedule"], row["ranks"]) for row in rows]


def allgathers(pairs):
    return [pair for pair in pairs if pair[0].startswith("allgather")]


def columns(line):
    """The begin and end of each cell of a line, which two blanks separate."""
    return [match.span() for match in re.finditer(r"\S+(?: \S+)*", line)]


def rows_of(text):
    """The rows of a table up to an empty line, as dictionaries. Each cell begins or ends where the heading of its column does."""
    head, *lines = text.split("\n\n")[0].splitlines()
    names = [head[begin:end] for begin, end in columns(head)]
    rows = []
    for line in lines:
        row = {}
        for begin, end in columns(line):
            at = [i for i, (first, last) in enumerate(columns(head)) if begin == first or end == last]
            check(len(at) == 1, "not aligned:", repr(head), repr(line))
            row[names[at[0]] if at else ""] = line[begin:end]
        rows.append(row)
    return rows


MISSING = object()  # in place of a value: the option is required


def bad(words, argument, value, **options):
    """Checks that a command fails, with one line that names the argument and its value."""
    done = call(*words, **options)
    check(done.returncode == 2, words, "gives status", done.returncode)
    check(not done.stdout, words, "prints", repr(done.stdout))
    check(done.stderr.count("\n") == 1 and done.stderr.endswith("\n"), words, "says", repr(done.stderr))
    starts = [f" {argument} is required: "] if value is MISSING else \
        [f" {argument}: got {value}, expected ", f" {argument} requires --", f" {argument} does not go with ",
         f" {argument}: {str(value).removeprefix('@')}"]  # a file with a mistake
    check(any(start in done.stderr for start in starts), words, "prints", done.stderr)
    return done.stderr


# --- schedules from files, and to files ---

def test_files(folder):
    """The output of `show --json` can be read again, edited, and used as a NAME."""
    file = folder / "one.jsonl"
    shapes = [(["--ranks", 7], names_of(7)), (["--ranks", 8, "--bytes", 20], ["allreduce/ring", "alltoall/bruck", "gather/binomial"]),
              (["--ranks", 3, "--counts", "3,0,2", "--displs", "2,0,0"], ["allgatherv/ring", "scatterv/binomial"]),
              (["--dims", "3,3", "--periodic", "1,0", "--block", 2], ["neighbor_allgather/linear", "neighbor_alltoall/linear"])]
    for shape, names in shapes:
        for name in names:
            text = good("show", name, *shape, "--json")
            file.write_text(text)
            check(good("show", f"@{file}", "--json") == text, name, "is another after it was read")
            p = json.loads(text.splitlines()[0])["ranks"]
            check(proved("verify", f"@{file}") == [(name, p)], name, "from a file")
    text = good("show", "allreduce/recursive-doubling", "--ranks", 4, "--bytes", 8, "--json")
    file.write_text(text)
    for words in ["threads"], ["inline", "--in-place"]:
        check(proved("run", f"@{file}", "--on", *words) == [("allreduce/recursive-doubling", 4)], "run of a file", words)
    check(good("metrics", f"@{file}", "--json") == good("metrics", "allreduce/recursive-doubling", "--ranks", 4, "--bytes", 8, "--json"),
          "metrics of a file")
    check(good("simulate", f"@{file}", "--model", MODEL) ==
          good("simulate", "allreduce/recursive-doubling", "--ranks", 4, "--bytes", 8, "--model", MODEL), "simulation of a file")
    lines = text.splitlines()
    file.write_text("\n".join(lines[:-1]))
    done = call("verify", f"@{file}")
    row = rows_of(done.stdout)[0]
    check(done.returncode == 1 and row["result"] == "refused" and row["detail"].startswith("finding=") and not done.stderr,
          "a schedule that lacks an edge gives", done.returncode, done.stdout)
    found = json.loads(call("verify", f"@{file}", "--json").stdout)
    check(list(found) == ["schedule", "ranks", "result", "finding", "step", "rank", "buffer", "byte"], found)
    check(row["detail"] == " ".join(f"{key}={found[key]}" for key in list(found)[3:]), "a finding as JSON", row, found)
    file.write_text(text.replace('{"step":2', '{"step":9', 1))
    place = next(i for i, line in enumerate(lines, 1) if line.startswith('{"step":2'))
    bad(["verify", f"@{file}"], "NAME", f"@{file}:{place}: step: got 9")
    file.write_text(text)
    bad(["verify", f"@{folder}/none"], "NAME", f"@{folder}/none: got No such file or directory")
    for option, value in ("--ranks", "4"), ("--bytes", "8"), ("--radix", "2"), ("--placement", "block"), ("--dims", "2,2"):
        bad(["verify", f"@{file}", option, value], option, value)
    bad(["verify", f"@{file}", "--cluster", str(CLUSTERS / "two_sites.json")], "--cluster", CLUSTERS / "two_sites.json")


def names_of(p):
    """The plain schedules that p ranks have without more options."""
    return [name for name, _ in proved("verify", "all", "--ranks", p)]


def test_formats(folder):
    goal = folder / "x.goal"
    good("show", "broadcast/binomial", "--ranks", 4, "--bytes", 100, "--goal", goal)
    check(goal.read_text() == "num_ranks 4\nrank 0 {\no0: calc 0\no1: send 100b to 2 tag 0\no2: send 100b to 1 tag 0\n}\n"
          "rank 1 {\no0: recv 100b from 0 tag 0\n}\nrank 2 {\no0: recv 100b from 0 tag 0\no1: send 100b to 3 tag 0\no1 requires o0\n}\n"
          "rank 3 {\no0: recv 100b from 2 tag 0\n}\n", "GOAL is", goal.read_text())
    table = folder / "x.h"
    good("show", "allgather/ring", "--ranks", 3, "--c", table)
    program = folder / "x.c"
    program.write_text('#include "x.h"\n#include "x.h"\nint main(void) { return allgather_ring_3_edges[0].size == 1 && '
                       'sizeof allgather_ring_3_edges / sizeof *allgather_ring_3_edges == (size_t)allgather_ring_3_edge_count ? 0 : 1; }\n')
    flags = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wno-unused-const-variable", "-Werror"]
    built = subprocess.run(["gcc", *flags, "-include", "stddef.h", str(program), "-o", str(folder / "x")],
                           stderr=subprocess.PIPE, text=True)
    check(built.returncode == 0, "the table does not compile:", built.stderr)
    check(subprocess.run([str(folder / "x")]).returncode == 0, "the table is wrong")
    dot = folder / "x.dot"
    good("show", "allgather/ring", "--ranks", 3, "--dot", dot)
    check(dot.read_text().startswith('digraph "allgather/ring" {\n'), "DOT is", dot.read_text()[:50])
    for option, coll in ("--msccl", "reduce_scatter"), ("--rccl", "reducescatter"):
        good("show", "reduce_scatter/ring", "--ranks", 3, "--block", 64, option, folder / "x.xml")
        algo = xml.parse(folder / "x.xml").getroot()
        check(algo.get("coll") == coll and algo.get("nchunksperloop") == "3" and len(algo.findall("gpu")) == 3, option, algo.attrib)
    good("show", "allgather/ring", "--ranks", 4, "--block", 64, "--mscclpp", folder / "x.json")
    plan = json.loads((folder / "x.json").read_text())
    check(len(plan["gpus"]) == 4 and plan["gpus"][0]["output_chunks"] == 4, "MSCCL++", plan["gpus"][0])
    bad(["show", "allgather/ring", "--ranks", "40", "--mscclpp", "x.json"], "NAME", "allgather/ring")
    bad(["show", "scatter/linear", "--ranks", "3", "--msccl", "x.xml"], "NAME", "scatter/linear")
    for words, limit in ((["allgather/ring", "--ranks", 40, "--mscclpp"], "at most 64 operations per rank, the most that MSCCL++ runs; rank 0 has "),
                         (["alltoall/pairwise", "--ranks", 128, "--msccl"], "at most 216 thread blocks per rank, the most that MSCCL loads; rank 0 has 255"),
                         (["alltoall/pairwise", "--ranks", 128, "--rccl"], "at most 128 thread blocks per rank that others wait for, "
                          "the most that MSCCL and RCCL load; rank 0 has 25"),
                         (["allreduce/ring", "--ranks", 2, "--bytes", 999_999, "--msccl"], "at most 4095 XML nodes per rank, the most that MSCCL loads; rank 0 has "),
                         (["allreduce/ring", "--ranks", 2, "--bytes", 2 ** 63 - 1, "--msccl"], "2^20 parts of 64 chunks in all; this has ")):
        error = bad(["show", *words, "x.xml"], "NAME", words[0])
        check(f", expected one of {limit}" in error, words, "gives", error)
    check(not Path("x.xml").exists(), "a refused program was written")
    for ranks, channels in (33, "1"), (34, "2"), (108, "4"):
        good("show", "alltoall/linear", "--ranks", ranks, "--msccl", folder / "wide.xml")
        check(xml.parse(folder / "wide.xml").getroot().get("nchannels") == channels, ranks, "ranks have other channels")
    bad(["show", "allgather/ring", "--ranks", "4", "--goal", "x.goal", "--dot", "x.dot"], "--dot", "x.dot")
    bad(["show", "allgather/ring", "--ranks", "4", "--goal", "x.goal", "--rank", "1"], "--rank", 1)
    loggops = ["simulate", "broadcast/binomial", "--ranks", 4, "--bytes", 100, "--model"]
    # Rank 3 is two messages away, each of o + L + o + 99 G.
    row = rows_of(good(*loggops, "loggops:L=1000,o=500,g=400,G=1"))[0]
    check(row["completion_us"] == f"{2 * (1000 + 500 + 500 + 99) / 1000:.6f}", "LogGOPS", row)
    bad([*loggops, "loggops:L=1.5"], "--model[L]", "1.5")
    lines = good(*loggops, MODEL, "--path", "--trace", folder / "trace.json").splitlines()
    check(lines[-2:] == good(*loggops, MODEL).splitlines(), "with a path the run is another:", lines[-2:])
    check(lines[0].startswith("rank 0 ") and lines[0].endswith(" after=start"), "the path begins with", lines[0])
    check(f"end_us={rows_of(chr(10).join(lines[-2:]))[0]['completion_us']} " in lines[-4], "the path ends with", lines[-4])
    events = json.loads((folder / "trace.json").read_text())["traceEvents"]
    check({event["pid"] for event in events} == {0, 1, 2, 3} and sum(e["ph"] == "s" for e in events) == 3, "trace of", len(events))
    bad([*loggops, "loggops:", "--path"], "--model", "loggops:")
    bad(["simulate", "all", "--ranks", "4", "--model", MODEL, "--trace", "x.json"], "--trace", "x.json")
    bad([*loggops, "loggops:Q=1"], "--model", "loggops:Q=1")


# --- schedules, read back and replayed ---------------------------------------------------------------------------------

def layouts(p):
    """Options, and the counts and displacements that they must give."""
    def packed(counts):
        return counts, [sum(counts[:i]) for i in range(p)]

    def text(numbers):
        return ",".join(map(str, numbers))

    uneven, gaps = [(3 * i) % 5 for i in range(p)], [2] * p
    huge = [1 << 40 if i == p // 2 else 1 for i in range(p)]
    backwards = [3 * (p - 1 - i) for i in range(p)]
    yield ["--block", 2], packed([2] * p)
    yield ["--block", 0], packed([0] * p)
    yield [], packed([1] * p)
    yield ["--element", 4], packed([4] * p)
    yield ["--bytes", 3 * p + p // 2], packed([3 + (i < p // 2) for i in range(p)])
    yield ["--counts", text(uneven)], packed(uneven)
    yield ["--counts", text(huge)], packed(huge)
    yield ["--counts", text(gaps), "--displs", text(backwards)], (gaps, backwards)


def shows_counts(counts, displs):
    return any(c != counts[0] or d != i * counts[0] for i, (c, d) in enumerate(zip(counts, displs)))


def check_header(header, name, p, counts, displs):
    keys = HEADER_KEYS + (["counts", "displs"] if shows_counts(counts, displs) else [])
    check(list(header) == keys, name, p, "header has", list(header))
    collective, algorithm = name.split("/")
    extent = max(d + c for c, d in zip(counts, displs))
    expected = {"format": 1, "schedule": name, "collective": collective, "algorithm": algorithm, "ranks": p, "root": 0,
                "pacing": "data", "commutative": False, "input": counts, "output": [extent] * p, "staging": [0] * p}
    if "counts" in header:
        expected |= {"counts": counts, "displs": displs}
    for key, value in expected.items():
        check(header.get(key) == value, name, p, key, "is", header.get(key), "and not", value)


def check_order(name, header, edges):
    for e in edges:
        check(list(e) == EDGE_KEYS, name, "edge has", list(e))
        check(0 <= e["step"] < header["steps"] and e["size"] > 0 and e["action"] == "copy", name, e)
    key = [(e["step"], e["src"], e["dst"], e["from_offset"]) for e in edges]
    check(key == sorted(key), name, "is not in order")
    check(header["rounds"] == len({e["step"] for e in edges if e["src"] != e["dst"]}), name, "rounds", header["rounds"])


def replay_steps(name, header, edges):
    """The final memory, byte by byte. Within a step all reads see the state before it, and no byte is written twice."""
    p = header["ranks"]
    memory = [{"input": {b: (r, b) for b in range(header["input"][r])}, "output": {}, "scratch": {}} for r in range(p)]
    sizes = {"input": header["input"], "output": header["output"], "scratch": header["scratch"]}
    for step in range(header["steps"]):
        writes = {}
        for e in (e for e in edges if e["step"] == step):
            check(e["from_offset"] + e["size"] <= sizes[e["from"]][e["src"]], name, "reads outside", e)
            check(e["into_offset"] + e["size"] <= sizes[e["into"]][e["dst"]], name, "writes outside", e)
            check(e["into"] != "input", name, "writes input", e)
            for b in range(e["size"]):
                source = memory[e["src"]][e["from"]].get(e["from_offset"] + b)
                target = (e["dst"], e["into"], e["into_offset"] + b)
                check(source is not None, name, "reads what is not there", e)
                check(target not in writes, name, "writes twice", e)
                writes[target] = source
        for (rank, buffer, byte), value in writes.items():
            memory[rank][buffer][byte] = value
    return memory


def replay(name, header, edges, counts, displs):
    p, memory = header["ranks"], replay_steps(name, header, edges)
    wanted = {displs[i] + b: (i, b) for i in range(p) for b in range(counts[i])}
    for r in range(p):
        check(memory[r]["output"] == wanted, name, "p =", p, "rank", r, "ends with", memory[r]["output"])


def recount(header, edges):
    p = header["ranks"]
    per_rank = {key: [0] * p for key in ("bytes_sent", "bytes_received", "copies", "copied_bytes")}
    messages = {(e["step"], e["src"], e["dst"]) for e in edges if e["src"] != e["dst"]}
    for e in edges:
        if e["src"] == e["dst"]:
            per_rank["copies"][e["src"]] += 1
            per_rank["copied_bytes"][e["src"]] += e["size"]
        else:
            per_rank["bytes_sent"][e["src"]] += e["size"]
            per_rank["bytes_received"][e["dst"]] += e["size"]

    def most(end):
        cells = [(m[0], m[end]) for m in messages]
        return max(map(cells.count, cells), default=0)

    pairs = {(a, b) for _, s, d in messages for a, b in ((s, d), (d, s))}
    total = sum(header["input"])
    bound = max(total - own for own in header["input"]) if p > 1 else 0
    alcd = float(Fraction(sum(abs(s - d) for _, s, d in messages), len(messages))) if messages else 0
    return per_rank | {
        "schedule": header["schedule"], "ranks": p, "steps": header["steps"], "rounds": header["rounds"],
        "messages": len(messages), "transfers": sum(e["src"] != e["dst"] for e in edges), "signals": 0,
        "max_in_degree": most(2), "max_out_degree": most(1), "connections": [sum(a == r for a, _ in pairs) for r in range(p)],
        "scratch": header["scratch"], "staging": header["staging"], "alcd": alcd,
        "bounds": {"rounds": (p - 1).bit_length() if bound else 0, "bytes": bound}}


def test_schedules():
    for p in [1, 5, 8] if BRIEF else [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13]:
        for options, (counts, displs) in layouts(p):
            for name in NAMES:
                if "--counts" not in options and "allgatherv" in name or not can(name, p):
                    continue
                shape = [name, "--ranks", p, *options]
                header, *edges = map(json.loads, good("show", *shape, "--json").splitlines())
                check_header(header, name, p, counts, displs)
                check_order(name, header, edges)
                if max(counts) < 100:
                    replay(name, header, edges, counts, displs)
                    check(json.loads(good("metrics", *shape, "--json")) == recount(header, edges), shape, "metrics")
                if options[:1] == ["--counts"]:
                    check_ranks(shape, header, edges)


def check_ranks(shape, header, edges):
    for rank in {0, header["ranks"] // 2, header["ranks"] - 1}:
        own, *lines = map(json.loads, good("show", *shape, "--json", "--rank", rank).splitlines())
        check(lines == [e for e in edges if rank in (e["src"], e["dst"])], shape, "rank", rank)
        expected = {k: v for k, v in header.items() if k != "rounds"} | {"rank": rank}
        for key in ("input", "output", "scratch", "staging", "counts", "displs"):
            if key in header:
                expected[key] = [header[key][rank]]
        check(own == expected, shape, "header of rank", rank, own)


CLUSTER = {"name": "two sites", "nodes": [{"name": f"{site}{i}", "overhead_us": 10 + i, "latency_us": 2,
                                           "bandwidth_MBps": 100} for site in "ab" for i in range(3)],
           "tree": {"name": "wan", "children": [{"name": f"site {site}", "latency_us": 400, "bandwidth_MBps": 10,
                                                 "children": [f"{site}{i}" for i in range(3)]} for site in "ab"]}}


def replay_plan(plan, many_to_one):
    """Ready times in picoseconds after the edges of a plan for CLUSTER, by the definition of the model."""
    overhead = [int(node["overhead_us"] * 10**6) for node in CLUSTER["nodes"]]
    ready = [0] * len(overhead)
    for sender, receiver in plan["edges"]:
        far = sender // 3 != receiver // 3
        fs = 10**9 // (10 if far else 100)
        ready[sender] += overhead[sender] + (plan["bytes"] - 1) * fs // 1000
        arrival = ready[sender] + (804 if far else 4) * 10**6
        ready[receiver] = max(ready[receiver], arrival) + overhead[receiver]
        check(many_to_one or arrival > 0, "an edge from who has nothing")
    return ready


def grouped_steps(p, group, order):
    """The sub-rounds by the definition of the paper: step, sender, targets."""
    step = 0
    for first in range(0, p, group):
        active = order[first:first + group]
        others = (order[first + len(active):] + order[:first])
        sets = [others[i::len(active)] + [active[(i + 1) % len(active)]] for i in range(len(active))]
        for turn in range(len(active)):
            yield from ((step, sender, target) for i, sender in enumerate(active)
                        for target in sets[(i + turn) % len(active)])
            step += 1


def test_exchange(folder):
    path = folder / "matrix.txt"
    for p in [1, 2, 3, 4, 5, 8, 11]:
        matrix = [[(3 * i + 5 * j) % 7 if i % 4 != 1 and j % 5 != 2 else 0 for j in range(p)] for i in range(p)]
        path.write_text("# sizes\n" + "\n".join(" ".join(map(str, row)) for row in matrix) + "\n")
        order = sorted(range(p), key=lambda r: (r * 7) % 5)
        group = p // 2 + 1
        for name, more in [("linear", []), ("linear", ["--window", 2]), ("ring", []), ("pairwise", []), ("bruck", []),
                           ("bruck", ["--radix", 3]), ("by-dimension", []), ("by-dimension", ["--group", 3]),
                           ("hierarchical", ["--placement", ",".join("ABC"[i * i % 3] for i in range(p))]),
                           ("hierarchical", ["--placement", "cyclic", "--group", 2]),
                           ("grouped", ["--group", group, "--order", ",".join(map(str, order))])]:
            lines = good("show", f"alltoallv/{name}", "--ranks", p, "--matrix", path, *more, "--json").splitlines()
            header, *edges = map(json.loads, lines)
            check(header["matrix"] == matrix or p == 1 and "matrix" in header, name, p, header)
            check(header["pacing"] == {"linear": "window(2)" if more else "data", "bruck": "data", "by-dimension": "data"}.get(name, "window(1)"),
                  name, header["pacing"])
            check(header["input"] == [sum(row) for row in matrix], name, p, header["input"])
            check(header["output"] == [sum(row[j] for row in matrix) for j in range(p)], name, p, header["output"])
            check_order(name, header, edges)
            memory = replay_steps(name, header, edges)
            for r in range(p):
                wanted = [(i, sum(matrix[i][:r]) + b) for i in range(p) for b in range(matrix[i][r])]
                check(memory[r]["output"] == dict(enumerate(wanted)), name, p, "rank", r, "ends with", memory[r]["output"])
            if name == "grouped":
                wanted = sorted(m for m in grouped_steps(p, group, order) if matrix[m[1]][m[2]] > 0)
                check(sorted((e["step"], e["src"], e["dst"]) for e in edges) == wanted, name, p, "has other steps")
            if name == "linear":
                check(all((e["dst"] - e["src"]) % p == (e["step"] + 1) % p for e in edges if e["src"] != e["dst"]), name, p)
        for words in ["verify", "all"], ["run", "all", "--on", "threads"]:
            names = proved(*words, "--ranks", p, "--matrix", path)
            check(len(names) == 7 and all(name.startswith("alltoallv/") for name, _ in names), words, names)
    json_path = folder / "matrix.json"
    json_path.write_text("[[1,2],[3,4]]")
    path.write_text("1 2\n3 4\n")
    words = ["show", "alltoallv/ring", "--ranks", 2, "--json", "--matrix"]
    check(good(*words, json_path) == good(*words, path), "a matrix in JSON is another one")
    one = json.loads(good(*words, path, "--rank", 1).splitlines()[0])
    check(one["matrix"] == [[3, 4]] and one["column"] == [[2, 4]], one)
    check("block 1>0" in good("show", "alltoall/ring", "--ranks", 2), "blocks of an exchange have other names")
    metrics = json.loads(good("metrics", "alltoall/bruck", "--ranks", 16, "--radix", 4, "--block", 3, "--json"))
    check(metrics["rounds"] == 2 and metrics["bytes_sent"] == [3 * 16 * 2 * 3 // 4] * 16, metrics)
    for name in "bruck", "by-dimension", "grouped", "hierarchical", "linear", "pairwise", "ring":
        check(proved("verify", f"alltoall/{name}", "--ranks", 6, "--in-place") == [(f"alltoall/{name}", 6)], name, "in place")
        check(results("run", f"alltoall/{name}", "--ranks", 6, "--in-place", "--on", "inline", "--block", 5)
              == [{"schedule": f"alltoall/{name}", "ranks": 6, "on": "inline", "repeat": 1, "result": "ok", "bytes": 180}],
              name, "runs in place")
    (folder / "three.txt").write_text("1 2\n3\n")
    for words, argument, value in [
            (["show", "alltoallv/ring", "--ranks", 2], "--matrix", MISSING),
            (["show", "alltoall/ring", "--ranks", 3, "--matrix", path], "--matrix", path),
            (["show", "alltoall/ring", "--ranks", 2, "--counts", "1,2"], "--counts", "1,2"),
            (["show", "allgather/ring", "--ranks", 2, "--matrix", path], "--matrix", path),
            (["show", "alltoall/ring", "--ranks", 2, "--matrix", path, "--block", 3], "--matrix", path),
            (["show", "alltoall/ring", "--ranks", 2, "--matrix", folder / "three.txt"], "--matrix",
             f"{folder}/three.txt:2: got 1 sizes"),
            (["show", "alltoall/ring", "--ranks", 2, "--matrix", path, "--element", 3], "--element", 3),
            (["show", "alltoall/ring", "--ranks", 4, "--group", 2], "--group", 2),
            (["show", "alltoall/ring", "--ranks", 4, "--window", -1], "--window", -1),
            (["show", "allgather/ring", "--ranks", 4, "--window", 1], "--window", 1),
            (["verify", "allreduce/hierarchical", "--ranks", 5, "--placement", "A,B"], "--placement", "A,B"),
            (["verify", "allreduce/hierarchical", "--ranks", 3, "--placement", "A,,B"], "--placement", "A,,B"),
            (["verify", "allreduce/hierarchical", "--ranks", 5, "--placement", "block"], "--placement", "block"),
            (["verify", "allreduce/hierarchical", "--ranks", 5, "--group", 2], "--group", 2),
            (["verify", "allreduce/ring", "--ranks", 2, "--placement", "A,B"], "--placement", "A,B"),
            (["show", "alltoall/grouped", "--ranks", 4, "--group", 5], "--group", 5),
            (["show", "alltoall/grouped", "--ranks", 4, "--group", 0], "--group", 0),
            (["show", "alltoall/grouped", "--ranks", 4, "--order", "0,1,2"], "--order", 3),
            (["show", "alltoall/grouped", "--ranks", 4, "--order", "0,1,2,2"], "--order[3]", 2),
            (["show", "alltoall/bruck", "--ranks", 4, "--radix", 1], "--radix", 1)]:
        bad(words, argument, value)


def grid_slots(dims, periodic):
    """Out-slots of a grid as (rank, slot) -> (rank, slot), by coordinates: down and up in each dimension. A block sent down
    comes in from above."""
    strides = [1] * len(dims)
    for d in reversed(range(len(dims) - 1)):
        strides[d] = strides[d + 1] * dims[d + 1]
    p = strides[0] * dims[0]
    for rank in range(p):
        at = [rank // strides[d] % dims[d] for d in range(len(dims))]
        for d in range(len(dims)):
            for up in 0, 1:
                there = at[d] + (1 if up else -1)
                if periodic[d] or 0 <= there < dims[d]:
                    yield (rank, 2 * d + up), (rank + (there % dims[d] - at[d]) * strides[d], 2 * d + 1 - up)


def graph_slots(targets):
    """The same for a graph whose ranks receive from their sources in ascending order."""
    received = [0] * len(targets)
    for rank, mine in enumerate(targets):
        for slot, there in enumerate(mine):
            if there >= 0:
                yield (rank, slot), (there, received[there])
                received[there] += 1


def check_neighbors(words, out_degrees, slots, counts):
    """Both collectives, with blocks of one size and of any: header, edges, bytes. counts(rank, slot) of alltoallv."""
    p, slots = len(out_degrees), dict(slots)
    in_degrees = [max([out_degrees[r]] * words[0].startswith("--dims") + [into[1] + 1 for into in slots.values() if into[0] == r],
                      default=0) for r in range(p)]
    of_ranks = [(5 * r + 2) % 4 for r in range(p)]
    all_counts = [counts(r, i) for r in range(p) for i in range(out_degrees[r])]
    for name, more, size in [("neighbor_allgather", ["--block", 3], lambda r, i: 3),
                             ("neighbor_allgatherv", ["--counts", ",".join(map(str, of_ranks))], lambda r, i: of_ranks[r]),
                             ("neighbor_alltoall", ["--block", 3], lambda r, i: 3),
                             ("neighbor_alltoallv", ["--counts", ",".join(map(str, all_counts))], counts)]:
        if more[-1] == "":
            continue
        header, *edges = map(json.loads, good("show", f"{name}/linear", *words, *more, "--json").splitlines())
        check_order(name, header, edges)
        gathered, irregular = "gather" in name, name.endswith("v")
        check(list(header) == HEADER_KEYS + ["neighbors", "sources", "slots"] + ["counts"] * irregular, name, list(header))
        if irregular:
            wanted = of_ranks if gathered else [[counts(r, i) for i in range(out_degrees[r])] for r in range(p)]
            check(header["counts"] == wanted, name, words, header["counts"])
        check([len(row) for row in header["neighbors"]] == out_degrees, name, words, header["neighbors"])
        filled = {(r, i): (there, header["slots"][r][i]) for r, row in enumerate(header["neighbors"])
                  for i, there in enumerate(row) if there >= 0}
        check(filled == slots, name, words, "has other slots", filled)
        for (r, _), (there, slot) in slots.items():
            check(header["sources"][there][slot] == r, name, words, "source of", there, slot)
        memory, by_slot = replay_steps(name, header, edges), {into: out for out, into in slots.items()}
        for r in range(p):
            wanted, end = {}, 0
            for j in range(in_degrees[r]):
                if (r, j) in by_slot:
                    src, i = by_slot[r, j]
                    begin = 0 if gathered else sum(size(src, n) for n in range(i))
                    wanted |= {end + b: (src, begin + b) for b in range(size(src, i))}
                    end += size(src, i)
                elif j < out_degrees[r]:  # an empty slot
                    end += size(r, j)
            check(memory[r]["output"] == wanted, name, words, "rank", r, "ends with", memory[r]["output"])
            check(header["output"][r] == end, name, words, "output of", r, header["output"])


def test_neighbors(folder):
    path = folder / "neighbors.json"
    for dims, periodic in [([1], [1]), ([2], [1]), ([1, 1], [1, 1]), ([2, 1], [1, 1]), ([2, 2], [1, 1]), ([1, 3], [1, 1]),
                           ([3, 3, 2], [1, 1, 1]), ([4, 3], [0, 0]), ([3, 2], [0, 1]), ([5], [0])]:
        words = ["--dims", ",".join(map(str, dims)), "--periodic", ",".join(map(str, periodic))]
        slots = list(grid_slots(dims, periodic))
        ranks = 1
        for n in dims:
            ranks *= n
        check_neighbors(words, [2 * len(dims)] * ranks, slots, lambda r, i: (3 * r + 5 * i) % 4)
        if not any(periodic):
            words = words[:2]
        for command in ["verify", "all"], ["run", "all", "--on", "threads", "--repeat", 2]:
            check(proved(*command, *words) == [(f"neighbor_{what}/linear", ranks) for what in ("allgather", "alltoall")], command)
    for targets in [[[1, 1, 0], [0], []], [[]], [[0, 0]], [[2, -1, 1], [1, 1, 1], [0, 2]], [[1, 2, 3], [0], [0], [0]]]:
        path.write_text(json.dumps(targets))
        words = ["--neighbors", path]
        check_neighbors(["--neighbors", path], list(map(len, targets)), graph_slots(targets), lambda r, i: 1 + (r + 2 * i) % 3)
        check(len(proved("verify", "all", *words, "--block", 7)) == 2, targets)
    report = json.loads(good("metrics", "neighbor_allgather/linear", *words, "--block", 10, "--json"))
    check(report["rounds"] == 1 and report["messages"] == 6 and report["bounds"] == {"rounds": 2, "bytes": 30}, report)
    one = json.loads(good("show", "neighbor_alltoall/linear", "--dims", "1000,100", "--rank", 7, "--json").splitlines()[0])
    check(one["neighbors"] == [[-1, 107, 6, 8]] and one["slots"] == [[-1, 0, 3, 2]] and one["output"] == [4], one)
    check("--dims" in good("show", "--help") and "--neighbors" in good("run", "--help"), "help")
    path.write_text("[[1],\n[0,2]]")
    (folder / "lists.json").write_text("[[1],[0]]")
    gather, alltoall = ["show", "neighbor_allgather/linear"], ["show", "neighbor_alltoall/linear"]
    for words, argument, value in [
            ([*gather, "--ranks", 4], "--neighbors", MISSING),
            ([*gather, "--dims", "4", "--ranks", 5], "--dims", 4),
            (["verify", "all", "--dims", "4", "--ranks", "4..5"], "--dims", 4),
            ([*gather, "--neighbors", folder / "lists.json", "--ranks", 3], "--neighbors", folder / "lists.json"),
            ([*gather, "--dims", "4,0"], "--dims[1]", 0), ([*gather, "--dims", "4,,2"], "--dims[1]", MISSING),
            ([*gather, "--dims", "3000000"], "--dims", 3000000), ([*gather, "--dims", f"{BIG},2"], "--dims", f"{BIG},2"),
            ([*gather, "--dims", "4", "--periodic", "2"], "--periodic", 2),
            ([*gather, "--dims", "4", "--periodic", "1,0"], "--periodic", "1,0"),
            ([*gather, "--periodic", "1", "--ranks", 4], "--periodic", 1),
            ([*gather, "--dims", "2", "--neighbors", folder / "lists.json"], "--neighbors", folder / "lists.json"),
            ([*gather, "--neighbors", folder / "none.json"], "--neighbors", f"{folder}/none.json: got No such file or directory"),
            ([*gather, "--neighbors", path], "--neighbors", f"{path}:2: got target 2"),
            ([*gather, "--dims", "4", "--in-place"], "--in-place", "given"),
            ([*alltoall, "--dims", "4", "--bytes", 10], "--bytes", 10),
            ([*alltoall, "--dims", "4", "--block", BIG], "--block", BIG),
            ([*alltoall, "--dims", "4", "--root", 1], "--root", 1),
            ([*gather, "--dims", "2", "--counts", "1,2", "--displs", "0,1"], "--displs", "0,1"),
            (["show", "neighbor_alltoallv/linear", "--dims", "2"], "--counts", MISSING),
            (["show", "neighbor_alltoallv/linear", "--dims", "2", "--counts", "1,2"], "--counts", "1,2"),
            (["show", "neighbor_allgatherv/linear", "--dims", "2", "--counts", "1,2,3,4"], "--counts", "1,2,3,4"),
            (["show", "allgather/ring", "--dims", "4"], "--dims", 4),
            (["show", "allgather/ring", "--neighbors", folder / "lists.json"], "--neighbors", folder / "lists.json")]:
        bad(words, argument, value)


def test_cluster_formats(folder):
    rates = ["--overhead-us", 5, "--latency-us", 24, "--bandwidth-MBps", 125, "--uplink-latency-us", 0,
             "--uplink-bandwidth-MBps", 1250]
    for name, options, nodes in [("two_sites.json", [], 4), ("griffon_like.json", [], 92), ("griffon_like.xml", rates[:2], 92),
                                 ("griffon_like.conf", rates, 92), ("leaf_spine.conf", rates, 12), ("blocks.conf", rates, 21),
                                 ("includes.conf", rates, 4), ("topology.yaml", rates, 6),
                                 ("topology.yaml", [*rates, "--topology", "racks"], 6),
                                 ("topology.yaml", [*rates, "--switch-name", "s1"], 3),
                                 ("broken_two_networks.conf", [*rates, "--switch-name", "left"], 4)]:
        cluster = ["--cluster", CLUSTERS / name, *options]
        for planner in "mgo", "refined":
            plan = json.loads(good("plan", planner, *cluster, "--bytes", 1000, "--json"))
            check(sorted(edge[1] for edge in plan["edges"]) == list(range(1, nodes)), name, "is no spanning tree")
            good("plan", planner, *cluster, "--svg", folder / "plan.svg")
            words = [text.text for text in xml.parse(folder / "plan.svg").getroot().iter("{http://www.w3.org/2000/svg}text")]
            check(len(words) > 5, name, "an empty picture")
        check(proved("verify", "broadcast/mgo", *cluster, "--bytes", 100) == [("broadcast/mgo", nodes)], name)
    for name, line, option in [("broken_syntax.json", ":", []), ("broken_torus.xml", ":", []),
                               ("broken_two_networks.conf", ":", rates), ("broken_unknown_node.json", ":", []),
                               ("broken_two_parents.conf", ":", rates), ("broken_ring.conf", ":", rates),
                               ("broken_torus3d.yaml", ":", rates), ("broken_alias.yaml", ":", rates),
                               ("topology.yaml", ":", [*rates, "--topology", "whole"]),
                               ("topology.yaml", ":", [*rates, "--topology", "none"]),
                               ("topology.yaml", ":", [*rates, "--switch-name", "none"]),
                               ("two_sites.json", ":", ["--topology", "none"])]:
        done = call("plan", "mgo", "--cluster", CLUSTERS / name, *option)
        check(done.returncode == 2 and not done.stdout and done.stderr.count("\n") == 1
              and (f"{name}:" in done.stderr or f"{option[-2]}: got " in done.stderr) and ", expected " in done.stderr, name, done.stderr)
    for words in [["--topology", "t"], ["--switch-name", "s"]]:
        done = call("choose", "broadcast", "--ranks", 4, "--bytes", 8, *words)
        check(done.returncode == 2 and f"{words[0]} requires --cluster" in done.stderr, words, done.stderr)
        done = call("plan", "mgo", "--cluster", CLUSTERS / "topology.yaml", words[0], "")
        check(done.returncode == 2 and f"{words[0]} is required: a name" in done.stderr, words, done.stderr)
    done = call("plan", "mgo", "--cluster", CLUSTERS / "broken_two_networks.conf", *rates)
    check("or a choice by switch_name\n" in done.stderr, done.stderr)
    done = call("plan", "mgo", "--cluster", CLUSTERS / "broken_included.conf", *rates)
    check(done.returncode == 2 and "included/broken.conf:2: " in done.stderr, done.stderr)
    done = call("show", "neighbor_alltoall/linear", "--neighbors", CLUSTERS / "topology.yaml", "--block", 1)
    check(done.returncode == 2 and "looks like YAML" in done.stderr, done.stderr)
    done = call("plan", "mgo", "--cluster", CLUSTERS / "griffon_like.conf")
    check(done.returncode == 2 and "--uplink-latency-us is required: " in done.stderr, done.stderr)
    one = folder / "one.json"
    one.write_text('{"nodes":[{"name":"a","bandwidth_MBps":1}]}')
    plan = json.loads(good("plan", "mgo", "--cluster", one, "--json"))
    check(plan["edges"] == [] and plan["completion_us"] == 0, plan)
    for text in ['{"nodes":[{"name":"a"},{"name":"b"}]}', '{"nodes":[{"name":"a","bandwidth_MBps":1}]}\0x',
                 '{"nodes":[{"name":"a\\u0007","bandwidth_MBps":1}]}']:
        one.write_text(text)
        done = call("plan", "mgo", "--cluster", one)
        check(done.returncode == 2 and done.stderr.count("\n") == 1 and "one.json" in done.stderr, text, done.stderr)
    odd = folder / "odd.conf"
    odd.write_bytes(b"SwitchName=s Nodes=a\xff,b\n")
    done = call("plan", "mgo", "--cluster", odd, *rates)
    check(done.returncode == 2 and "odd.conf:1: got name " in done.stderr, done.stderr)


def test_plan(folder):
    path = folder / "cluster.json"
    path.write_text(json.dumps(CLUSTER))
    cluster = ["--cluster", path]
    planners = [row["planner"] for row in rows_of(good("plan", "all", *cluster))]
    check(planners[:2] == ["ft", "bt"] and "mgo" in planners and "optimal" in planners, planners)
    completions = {}
    for planner in planners:
        for way in [], ["--many-to-one"]:
            plan = json.loads(good("plan", planner, *cluster, "--bytes", 1000, "--root", 4, "--json", *way))
            check(list(plan) == ["planner", "root", "bytes", "edges", "ready_us", "completion_us"], list(plan))
            ends = [edge[0 if way else 1] for edge in plan["edges"]]
            check(sorted(ends + [4]) == list(range(6)), planner, way, "is no spanning tree", plan["edges"])
            ready = [round(t * 10**6) for t in plan["ready_us"]]
            check(ready == replay_plan(plan, bool(way)), planner, way, "has other ready times", plan)
            check(max(ready) == round(plan["completion_us"] * 10**6), planner, "is complete at another time")
            completions[planner, bool(way)] = max(ready)
            text = good("plan", planner, *cluster, "--bytes", 1000, "--root", 4, *way)
            rows = rows_of(text[text.index("\n") + 1:])
            check(len(rows) == 5 and "wan" in (row["highest switch"] for row in rows), planner, text)
            check([[int(row["from"]), int(row["to"])] for row in rows] == plan["edges"], planner, text)
    for planner in planners:
        check(completions["optimal", False] <= completions["refined", False] <= completions[planner, False]
              or planner == "optimal", planner, "is faster than the optimum or refined")
    good("plan", "mgo", *cluster, "--svg", folder / "plan.svg")
    check(len(xml.parse(folder / "plan.svg").getroot()) > 5, "an empty picture of a plan")
    shown = [json.loads(line) for line in good("show", "broadcast/mgo", *cluster, "--bytes", 8, "--json").splitlines()]
    plan = json.loads(good("plan", "mgo", *cluster, "--bytes", 8, "--json"))
    check(sorted([e["src"], e["dst"]] for e in shown[1:] if e["src"] != e["dst"]) == sorted(plan["edges"]),
          "broadcast/mgo runs over another tree")
    report = json.loads(good("simulate", "broadcast/mgo", *cluster, "--bytes", 8, "--model", "lob", "--json"))
    check(report["completion_us"] == plan["completion_us"], "simulated otherwise than planned", report, plan)
    for command in ["verify", "all"], ["run", "all", "--on", "inline"]:
        names = proved(*command, *cluster)
        placed = [name for name, _ in names if name.endswith("hierarchical")]
        check(len(placed) == 14 and len(names) == 6 * len(planners) + 14, command, len(names), placed)
    check(len(rows_of(good("simulate", "all", *cluster, "--model", "lob"))) > 6 * len(planners), "lob leaves out some")
    placed = json.loads(good("plan", "ft", *cluster, "--ranks", 4, "--placement", "a0,b1,b1,a2", "--json"))
    check(placed["edges"] == [[0, 1], [0, 2], [0, 3]], placed)
    hockney = json.loads(good("simulate", "broadcast/linear", "--ranks", 5, "--bytes", 100, "--json", "--model",
                              "hockney:alpha_us=2,beta_ns=1"))
    check(hockney["completion_us"] == 4 * 2.1, hockney)
    (folder / "broken.json").write_text('{\n "nodes": [],\n "tre": 1}\n')
    for words, argument, value in [
            (["plan", "mgo"], "--cluster", MISSING), (["plan", "nix", *cluster], "PLANNER", "nix"),
            (["plan", "mgo", *cluster, "--root", 6], "--root", 6), (["plan", "mgo", *cluster, "--bytes", -1], "--bytes", -1),
            (["plan", "all", *cluster, "--svg", "x.svg"], "--svg", "x.svg"),
            (["show", "broadcast/mgo", "--ranks", 4], "--cluster", MISSING),
            (["show", "broadcast/optimal", *cluster, "--ranks", 9], "--ranks", 9),
            (["show", "allgather/ring", *cluster], "--cluster", path),
            (["verify", "gatherv/mgo", *cluster, "--ranks", 6, "--counts", "1,2,3"], "--counts", "1,2,3"),
            (["verify", "broadcast/mgo", *cluster, "--ranks", 3, "--placement", "a0,b1"], "--placement", "2 nodes"),
            (["verify", "gatherv/mgo", *cluster, "--counts", f"{BIG},0,0,0,0,0"], "--counts", f"{BIG},0,0,0,0,0"),
            (["study", "ccsim", "--ranks", "4096"], "--ranks", 4096),
            (["show", "broadcast/mgo", "--ranks", 4, "--placement", "block"], "--cluster", MISSING),
            (["show", "broadcast/mgo", *cluster, "--overhead-us", "x"], "--overhead-us", "x"),
            (["simulate", "allgather/ring", "--ranks", 3, "--model", "lob"], "--cluster", MISSING)]:
        bad(words, argument, value)
    for name, text in [("broken.json", "broken.json:3: "), ("missing.json", "missing.json: ")]:
        done = call("plan", "mgo", "--cluster", folder / name)
        check(done.returncode == 2 and not done.stdout and text in done.stderr and done.stderr.count("\n") == 1, done.stderr)
    done = call("plan", "mgo", *cluster, "--placement", "a0,c9", "--ranks", 2)
    check(done.returncode == 2 and "placement[1]" in done.stderr, done.stderr)


def test_contention():
    """Times by hand for simply shared links, and the allgather paper's finding on long messages."""
    sites = ["--cluster", CLUSTERS / "griffon_like.xml"]
    model = ["--model", "contention"]
    # Two ranks of a cabinet: latencies of two links, and 10^6 bytes at 125 MB/s either way.
    ring = json.loads(good("simulate", "allgather/ring", "--ranks", 2, "--block", 10**6, *sites, *model, "--json"))
    check(ring["completion_us"] == 48 + 8000, "two ranks", ring)
    # Linear alltoall on 32 ranks: the cabinet's 10 Gbit/s carry 32 * 31 blocks, which its 32 links could carry faster.
    alltoall = json.loads(good("simulate", "alltoall/linear", "--ranks", 32, "--block", 10**5, *sites, *model, "--json"))
    check(abs(alltoall["completion_us"] - 48 - 32 * 31 * 80) < 0.01, "a shared backbone", alltoall)
    slower = json.loads(good("simulate", "alltoall/linear", "--ranks", 32, "--block", 10**5, *sites, "--model",
                             "contention:reverse_permille=50", "--json"))
    check(abs((slower["completion_us"] - 48) / (alltoall["completion_us"] - 48) - 1.05) < 1e-6, "acknowledgements", slower)
    # A message of 8 bytes under SimGrid's defaults: overheads, 48 us times 2.01467, 24 bytes at 0.812084 of 125 MB/s.
    smpi = [*sites, "--overhead-us", 0.5, "--model"]
    short = json.loads(good("simulate", "broadcast/binomial", "--ranks", 2, "--bytes", 8, *smpi, "smpi:overhead_ns=0.01",
                            "--json"))
    check(abs(short["completion_us"] - (2 * 0.50008 + 48 * 2.01467 + 24 / 125 / 0.812084)) < 1e-5, "smpi", short)
    long = json.loads(good("simulate", "broadcast/binomial", "--ranks", 2, "--bytes", 10**6, *smpi,
                           "contention:factors=0:1:1;1000:2:0.5", "--json"))
    check(abs(long["completion_us"] - (2 * 0.5 + 2 * 48 + 2 * 8000)) < 1e-5, "factors", long)
    for factors, value in [("1:2", "1:2"), ("0:1:1;0:1:1", "0"), ("x:1:1", "x"), ("0.5:1:1", "0.5:1:1"), ("0:0:1", "0")]:
        bad(["simulate", "broadcast/binomial", "--ranks", 2, *smpi, f"contention:factors={factors}"],
            "--model[factors]", value)
    lines = good("study", "allgather", *sites).splitlines()
    orders = [line.split()[4::2] for line in lines if " bytes per block" in line]
    check(orders[0][0] == "recursive-doubling" and orders[0][-1] == "ring", "short blocks", orders)
    check(orders[2] == ["neighbor-exchange", "ring", "recursive-doubling", "bruck"], "long blocks", orders)
    simulate = ["simulate", "allgather/ring", "--ranks", 4, "--block", 1]
    bad([*simulate, *model], "--cluster", MISSING)
    bad([*simulate, *sites, "--model", "contention:eager=x"], "--model[eager]", "x")
    bad(["choose", "allgather", "--ranks", 4, "--block", 1, *sites, *model], "--overhead-us", MISSING)
    bad([*simulate, *sites, "--model", "contention:reverse_permille=1001"], "--model[reverse_permille]", 1001)
    bad([*simulate, *sites, "--model", "contention:synchronous_free=2"], "--model[synchronous_free]", 2)
    bad([*simulate, *sites, "--model", f"smpi:envelope={2**20 + 1}"], "--model[envelope]", 2**20 + 1)
    check_paths(sites)
    bad(["simulate", "all", "--ranks", 4, "--model", MODEL, "--svg", "x.svg"], "--svg", "x.svg")
    bad(["study", "gatherv", *sites], "--cluster", CLUSTERS / "griffon_like.xml")
    bad(["study", "allgather", *sites, "--ranks", "4..8"], "--ranks", "4..8")


def parts_of(line):
    """The completion, the number of messages and the parts of a line about a critical path, in microseconds."""
    time, messages, parts = re.search(r"([0-9.]+) us on the critical path of ([0-9]+) messages?: ([^;]*)", line).groups()
    return float(time), int(messages), {name: float(us) for name, us in re.findall(r"% ([a-z ]+) \(([0-9.]+) us\)", parts)}


def check_paths(sites):
    """The parts of the critical path: by hand for two runs, and their sum for others under every model."""
    def path(*words):
        text = good("simulate", *words, "--path").splitlines()
        return text[:-3], text[-3], rows_of("\n".join(text[-2:]))[0]
    steps, line, row = path("broadcast/binomial", "--ranks", 2, "--bytes", 10**6, *sites, "--overhead-us", 0.5, "--model",
                            "contention:factors=0:1:1;1000:2:0.5")
    # Two overheads, twice the latency of two links, and 10^6 bytes at half of 125 MB/s.
    check(parts_of(line) == (16097, 1, {"bandwidth": 16000, "latency": 96, "overhead": 1}), "a message alone", line)
    check(line.index("bandwidth") < line.index("latency") < line.index("overhead"), "the largest part is the first", line)
    check("; busiest link: " in line and ", 99 % of the time; busiest rank: 0, 0 % of the time" in line, "busiest", line)
    check(len(steps) == 2 and steps[0].endswith(" after=start") and steps[1].endswith(" after=message"), "steps", steps)
    steps, line, row = path("alltoall/linear", "--ranks", 32, "--block", 10**5, *sites, "--model", "contention")
    # 32 * 31 blocks share the cabinet's 10 Gbit/s. A block alone takes 800 us.
    check(parts_of(line) == (79408, 1, {"contention": 32 * 31 * 80 - 800, "bandwidth": 800, "latency": 48}), "a shared backbone", line)
    check(any(" contention_us=78560.0000" in step and " link=" in step for step in steps), "time that a message lost", steps)
    for model in "contention", "smpi", "lob", "contention:eager=10", MODEL, "hockney:alpha_us=1,beta_ns=0.1":
        cluster = [*sites, "--overhead-us", 0.5] if ":" not in model or model.startswith("cont") else []
        for words in (["allreduce/ring", "--ranks", 5, "--bytes", 1000], ["reduce/binomial", "--ranks", 12, "--bytes", 10**5],
                      ["alltoall/bruck", "--ranks", 7, "--block", 100]):
            steps, line, row = path(*words, *cluster, "--model", model)
            time, messages, parts = parts_of(line)
            check(abs(sum(parts.values()) - time) < 0.01 and abs(time - float(row["completion_us"])) < 0.001, "parts of", words, line, row)
            arrived = sum(step.endswith(" after=message") for step in steps)
            # A sender that waits for the last byte may end the path. Under LogGP a message may also delay another at an interface.
            check(arrived <= messages <= (arrived + 1 if cluster and model != "lob" else len(steps)), "messages of", words, line, steps)


def test_pairs(folder):
    """Under contention a file with a matrix has a link for each ordered pair of nodes."""
    matrix = folder / "pairs.json"
    matrix.write_text(json.dumps({"nodes": [{"name": name} for name in "xyz"], "latency_us": [[0, 1, 2], [3, 0, 4], [5, 6, 0]],
                                  "bandwidth_MBps": [[0, 10, 20], [40, 0, 50], [80, 100, 0]]}))
    cluster = ["--cluster", matrix, "--model", "contention", "--json"]
    # Every message has its own link: the slowest pair determines the time of a complete exchange at once.
    run = json.loads(good("simulate", "alltoall/linear", "--block", 10**5, *cluster))
    check(run["completion_us"] == 1 + 10**4, "pairs share no link", run)
    check(run["finish_us"] == [10001, 10001, 5002], "pairs share no link", run)
    # Two ranks on x and two on y: four messages each way share the pair's link.
    shared = json.loads(good("simulate", "alltoall/linear", "--ranks", 4, "--placement", "x,x,y,y", "--block", 10**5, *cluster))
    check(abs(shared["completion_us"] - 1 - 4 * 10**4) < 1e-4, "messages of one pair", shared)
    only = json.loads(matrix.read_text())
    del only["bandwidth_MBps"]
    matrix.write_text(json.dumps(only))
    good("simulate", "alltoall/linear", "--block", 1, *cluster, "--bandwidth-MBps", 10)
    nodes = 2049
    row = "[" + ",".join("1" * nodes) + "]"
    matrix.write_text('{"nodes": [' + ",".join(f'{{"name": "n{i}", "bandwidth_MBps": 1}}' for i in range(nodes)) + '], "latency_us": ['
                      + ",".join([row] * nodes) + "]}")
    bad(["simulate", "broadcast/binomial", "--ranks", 2, *cluster], "--cluster", matrix)


def test_hosts(folder):
    """Files of hosts, and the placements of the same names."""
    path, hosts = folder / "cluster.json", folder / "hosts"
    path.write_text(json.dumps(CLUSTER))
    cluster = ["--cluster", path]
    for text, names in [("a0\n# late\n\nb1 # two\r\nb1\na2", "a0,b1,b1,a2"), ("a0 slots=2 max_slots=4\nb1\na2 max_slots=1", "a0,a0,b1,a2"),
                        ("a2:2\nb0\na2:1", "a2,a2,b0,a2"), ("a[0-1],b1\n2,1(x2)", "a0,a0,a1,b1"), ("a[0-2],b[1]", "a0,a1,a2,b1")]:
        hosts.write_text(text)
        here, there = ["--hosts", hosts], ["--placement", names]
        for command in [["plan", "mgo", "--json"], ["verify", "broadcast/mgo"], ["simulate", "allreduce/ring", "--model", "lob"],
                        ["simulate", "alltoall/linear", "--model", "contention", "--json"], ["show", "allreduce/hierarchical"],
                        ["choose", "allgather", "--block", 8, "--model", "lob"]]:
            check(good(*command, *cluster, *here) == good(*command, *cluster, *there), command, text)
        fewer = ",".join(names.split(",")[:3])
        check(good("plan", "mgo", *cluster, *here, "--ranks", 3) == good("plan", "mgo", *cluster, "--placement", fewer), "fewer ranks", text)
        for command in ["show", "allreduce/hierarchical"], ["verify", "allgather/hierarchical", "--json"]:
            check(good(*command, *here) == good(*command, *there), command, text)
            check(good(*command, *here, "--ranks", 3) == good(*command, "--placement", fewer), command, "fewer ranks", text)
        check(good("verify", "allgather/hierarchical", *here, "--ranks", "1..4").count(" ok") == 4, "a range of ranks", text)
        good("table", "allreduce", "--ranks", "2,4", "--sizes", 8, "--model", "lob", *cluster, *here)
        for command in ["plan", "mgo", *cluster], ["show", "allreduce/hierarchical"], ["verify", "broadcast/mgo", *cluster]:
            bad([*command, *here, "--ranks", 5], "--ranks", 5)
        bad(["verify", "allreduce/hierarchical", *here, "--ranks", "2..5"], "--ranks", 5)
        bad(["plan", "mgo", *cluster, *here, *there], "--hosts", hosts)
        bad(["show", "allreduce/hierarchical", *here, *there], "--hosts", hosts)
    for text, line in [("a0\nc9", '2: got host "c9", expected a node of the cluster'), ("", "1: got nothing in it"), ("a0 b1", '1: got "a0 b1"'),
                       ("a0 slots=0", '1: got "a0 slots=0"'), ("a0 slots=1\na0", '2: got "a0" twice'), ("a0:x", '1: got "a0:x"'),
                       ("a[0-", '1: got "a[0-"'), ("a[0-1]\n3", "2: got "), ("a0\0", "1: got a zero byte"), ("a0:9999999", "1: got "),
                       ('{"nodes": []}', "1: got ")]:
        hosts.write_text(text)
        bad(["plan", "mgo", *cluster, "--hosts", hosts, "--ranks", 2], "--hosts", f"{hosts}:{line}")
    hosts.write_text("a0\na1")
    for command in ["table", "allreduce", "--ranks", 2, "--model", MODEL], ["verify", "@x.jsonl"]:
        done = call(*command, "--hosts", hosts)
        check(done.returncode == 2 and done.stderr.count("\n") == 1, command, done.stderr)
    bad(["verify", "allreduce/ring", "--hosts", hosts], "--hosts", hosts)
    bad(["plan", "mgo", *cluster, "--hosts", folder / "none"], "--hosts", f"{folder / 'none'}: got No such file or directory")
    bad(["table", "allreduce", "--ranks", 2, "--model", MODEL, "--placement", "block"], "--placement", "block")


def test_mpi_names():
    """Collectives have their names of MPI too."""
    shape = ["--ranks", 4, "--json"]
    for mpi, name in [("bcast/binomial", "broadcast/binomial"), ("MPI_Bcast/binomial", "broadcast/binomial"),
                      ("mpi_allreduce/ring", "allreduce/ring"), ("MPI_REDUCE_SCATTER_BLOCK/ring", "reduce_scatter/ring"),
                      ("MPI_Reduce_scatter/ring", "reduce_scatter/ring"), ("MPI_Neighbor_allgather/linear", "neighbor_allgather/linear")]:
        words = ["--dims", "2,2", "--json"] if "eighbor" in mpi else shape
        check(good("show", mpi, *words) == good("show", name, *words), mpi)
    check(good("show", "MPI_Allgatherv/ring", "--counts", "1,0,2") == good("show", "allgatherv/ring", "--counts", "1,0,2"), "allgatherv")
    check(good("list", "MPI_Bcast") == good("list", "broadcast"), "list")
    sizes = ["--ranks", 4, "--bytes", 64, "--model", MODEL]
    check(good("choose", "bcast", *sizes) == good("choose", "broadcast", *sizes), "choose")
    table = ["--ranks", 4, "--sizes", 64, "--model", MODEL]
    check(good("table", "mpi_bcast", *table) == good("table", "broadcast", *table), "table")
    for name in "MPI_Alltoallw/ring", "Bcast/binomial", "MPI_bcast/rnig", "mpi_/ring", "MPI_all":
        bad(["show", name, "--ranks", 4], "NAME", name)
    bad(["choose", "MPI_Ibcast", *sizes], "COLLECTIVE", "MPI_Ibcast")


def test_starts(folder):
    """Start times of ranks, with times by hand."""
    starts = folder / "starts"
    starts.write_text("# ranks\n0\n1.5 # late\n0\n0")
    pair = folder / "pair.json"
    pair.write_text('{"nodes":[{"name":"a","latency_us":1,"bandwidth_MBps":100},{"name":"b","latency_us":1,"bandwidth_MBps":100}]}')
    hockney = ["--model", "hockney:alpha_us=2,beta_ns=1"]
    late = ["--starts", starts]
    ring = json.loads(good("simulate", "broadcast/linear", "--ranks", 4, "--bytes", 100, "--json", *hockney, *late))
    check(ring["finish_us"] == [6.3, 2.1, 4.2, 6.3], "a receiver that is late enough", ring)
    starts.write_text("10\n0\n0\n500")
    root = json.loads(good("simulate", "broadcast/linear", "--ranks", 4, "--bytes", 100, "--json", *hockney, *late))
    check(root["finish_us"] == [16.3, 12.1, 14.2, 500], "a root that is late", root)
    path = good("simulate", "broadcast/linear", "--ranks", 4, "--bytes", 100, "--path", *hockney, *late)
    check("after=start" in path, path)
    starts.write_text("0\n500")
    two = ["broadcast/binomial", "--bytes", 1000, "--cluster", pair, "--json"]
    eager = json.loads(good("simulate", *two, "--model", "contention", *late))
    check(eager["finish_us"] == [0, 500], "an eager message", eager)
    large = json.loads(good("simulate", *two, "--model", "contention:eager=999", *late))
    check(large["finish_us"] == [512, 512], "a synchronous message", large)
    good("simulate", *two[:-1], "--model", "contention", *late, "--svg", folder / "late.svg")
    check(json.loads(good("simulate", *two, "--model", "lob", *late))["finish_us"][1] >= 500, "lob")
    # The price is the simulated completion.
    starts.write_text("0\n0\n0\n0\n0\n0\n0\n70")
    choose = ["choose", "allreduce", "--ranks", 8, "--bytes", 64, "--model", MODEL]
    first = json.loads(good(*choose, *late, "--json").splitlines()[0])
    check(first["cost_us"] >= 70 and first["cost_us"] > json.loads(good(*choose, "--json").splitlines()[0])["cost_us"], first)
    more = [word for key, value in first["parameters"].items() for word in (f"--{key}", value)]
    run = json.loads(good("simulate", first["schedule"], "--ranks", 8, "--bytes", 64, "--model", MODEL, *more, *late, "--json"))
    check(run["completion_us"] == first["cost_us"], first, run)
    simulate = ["simulate", "allreduce/ring", "--model", MODEL, *late, "--ranks"]
    for ranks in 7, 9, "7..8", "8..9":
        bad([*simulate, ranks], "--starts", "8 start times")
    for text, line in [("x", '1: start time: got "x"'), ("0\n-1", '2: start time: got "-1"'), ("", "1: got nothing in it"),
                       ("1e13", '1: start time: got "1e13"')]:
        starts.write_text(text)
        bad([*simulate, 1], "--starts", f"{starts}:{line}")
    bad(["simulate", "allreduce/ring", "--ranks", 2, "--model", "loggops", *late], "--starts", starts)
    bad(["choose", "allreduce", "--ranks", 2, "--table", folder / "t", *late], "--starts", starts)


def test_bits(folder, model):
    """`choose --bits` has only schedules of the class, each as `metrics` states it."""
    for p, classes in (6, ("rank", "position", "canonical")), (8, ("canonical",)):
        words = ["choose", "allreduce", "--ranks", p, "--bytes", 8 * p, "--element", 8, *model]
        for wanted in classes:
            rows = rows_of(good(*words, "--bits", wanted, "--explain"))
            for row in rows:
                reason = row["reason"]
                if row["cost_us"] == "-":
                    found = reason.removeprefix("refused: has the class ")
                    check(found == reason or ORDER.index(found) < ORDER.index(wanted), wanted, row)
                    continue
                more = [text for word in reason.split() if "=" in word for text in ("--" + word.split("=")[0], word.split("=")[1].rstrip(";,"))]
                report = json.loads(good("metrics", row["schedule"], "--ranks", p, "--bytes", 8 * p, "--element", 8, *more, "--json"))
                check(ORDER.index(report["association"]) >= ORDER.index(wanted), wanted, row, report["association"])
            check(rows[0]["cost_us"] != "-" and any("refused: has the class" in row["reason"] for row in rows) == (wanted != "rank"), wanted, rows)
    # A table has rows for all calls, as without --bits, and rows for calls that need the class.
    tables = ["table", "allreduce", "--ranks", "4,6", "--sizes", "8,65536", "--element", 8, *model]
    plain, both = (json.loads(good(*tables, *bits)) for bits in ([], ["--bits", "canonical"]))
    rows = [row for row in both["rows"] if "association" in row]
    check(plain["version"] == 1 and both["version"] == 2 and " --bits canonical " in both["description"], both)
    check([row for row in both["rows"] if row not in rows] == plain["rows"], "rows for all calls", plain, both)
    check({row["ranks"] for row in rows} == {4, 6} and all(row["association"] == "canonical" for row in rows), rows)
    check(all(row["algorithm"].startswith("interval-") for row in rows), "algorithms with the class for every number of ranks", rows)
    file = folder / "bits.json"
    file.write_text(json.dumps(both))
    for p in 4, 6:
        for size in 8, 65536:
            choose = ["choose", "allreduce", "--ranks", p, "--bytes", size, "--element", 8]
            for bits in [], ["--bits", "canonical"]:
                row, best = (json.loads(good(*choose, *bits, *way, "--json").splitlines()[0]) for way in (["--table", file], model))
                check(f"allreduce/{row['algorithm']}" == best["schedule"] or (p == 4 and bits), "a table and a choice", choose, row, best)
    def explained(*more):
        text = good("table", "--explain", file, "allreduce", "--ranks", 6, "--bytes", 65536, *more, "--json")
        return [(row.get("association"), row["verdict"].partition(":")[0]) for row in map(json.loads, text.splitlines())]
    check({row[0] for row in explained()} == {None}, "rows for a class", explained())
    found = explained("--bits", "position")
    check(found[0] == (None, "skipped") and [row[1] for row in found].count("chosen") == 1, found)
    check(("canonical", "a row with a lower class exists") in explained("--bits", "rank", "--keep-order"), explained("--bits", "rank", "--keep-order"))
    explain = ["table", "--explain", file, "allreduce", "--ranks", 6]
    found = good(*explain, "--bytes", 65536, "--bits", "canonical")
    check("skipped: has the class rank" in found, "a skipped row", found)
    bad([*explain, "--bits", "canonical"], "--bytes", MISSING)
    bad([*explain, "--bytes", 12, "--element", 8], "--element", 8)
    header = folder / "bits.hpp"
    good("table", "--read", file, "--header", header)
    check(header.read_text().count("{.collective") == len(both["rows"]) and ".association = collsched::association_class::canonical" in header.read_text(), "a header of a table")
    bad(["table", "--read", file, "--header", file], "--header", file)
    check(json.loads(file.read_text()) == both, "a table after a refused header")
    bad([*explain, "--bytes", 8, "--header", header], "--header", "given")
    # A message of one element has every class, one of more elements that of its algorithm.
    file.write_text('{"format":"collsched decisions","version":1,"rows":[{"collective":"allreduce","ranks":2,"bytes":0,"algorithm":"ring"}]}')
    check(good(*explain, "--bytes", 8, "--element", 8, "--bits", "position", "--json").count("chosen") == 1, "one element")
    check(json.loads(call(*explain, "--bytes", 8, "--bits", "position", "--json").stdout)["verdict"] == "skipped: has the class rank", "eight elements")
    file.write_text(json.dumps(both))
    for table, has_class in (plain, False), (both, True):
        file.write_text(json.dumps(table))
        check((" class " in good("table", "--read", file).splitlines()[0]) == has_class, "the column of the classes", has_class)
    bad(["table", "--read", file, "--bits", "rank"], "--bits", "given")
    bad(["table", "--explain", file, "broadcast", "--ranks", 4, "--bits", "rank"], "--bits", "rank")
    placed = json.loads(good("table", "reduce_scatter", "--ranks", 4, "--sizes", 32, "--element", 8, "--bits", "position", "--model", "lob",
                             "--cluster", CLUSTERS / "two_sites.json", "--placement", "a0,a0,a0,b0"))["rows"]
    # On nodes with one and with several ranks hierarchical has the class rank only.
    check("hierarchical" not in {row["algorithm"] for row in placed if "association" in row} != set(), "a class on some nodes only", placed)
    # Saved choices for a class leave those for all calls as they were, and the other way round.
    file.unlink()
    choose = ["choose", "allreduce", "--ranks", 6, "--bytes", 65536, "--element", 8]
    for bits in [], ["--bits", "canonical"], ["--bits", "canonical"], []:
        good(*choose, *bits, *model, "--save", file)
    bad([*choose, "--table", file, "--save", folder / "other.json"], "--save", "given")
    rows = json.loads(file.read_text())["rows"]
    check(len(rows) == 2 and {row.get("association") for row in rows} == {None, "canonical"}, "saved rows", rows)
    choose = ["choose", "allreduce", "--ranks", 8, "--bytes", 64, "--element", 8, "--bits", "canonical", *model]
    lists = [rows_of(good(*choose, "--explain", *save)) for save in ([], ["--save", file])]
    check({row["schedule"] for row in lists[0]} == {row["schedule"] for row in lists[1]}, "all algorithms, beside --save", *lists)
    test_saved_rows(folder, model)
    lacks = {row["schedule"] for row in lists[1] if row["reason"].startswith("refused: lacks the class for other")}
    check("allreduce/recursive-doubling" in lacks, "an algorithm that has the class for powers of two", lacks)
    words = ["choose", "allreduce", "--ranks", 6, "--bytes", 8, *model]
    for value in "any", "Rank", "rank,position":
        bad([*words, "--bits", value], "--bits", value)
    bad(["choose", "broadcast", *words[2:], "--bits", "rank"], "--bits", "rank")
    bad(["table", "barrier", "--ranks", 4, *model, "--bits", "rank"], "--bits", "rank")
    bad(["table", "all", "--ranks", 4, *model, "--bits", "rank", "--openmpi", "x.conf"], "--bits", "rank")


def test_saved_rows(folder, model):
    """Whatever the order of saves, a row changes no choice for other calls of its size: for another class, or operations that commute or do not."""
    def choice(p, size, *more):
        done = call("choose", "reduce", "--ranks", p, "--bytes", size, "--element", 8, "--table", file, *more, "--json")
        return json.loads(done.stdout)["algorithm"] if done.returncode == 0 else None
    file = folder / "saved.json"
    classes = [[], ["--bits", "rank"], ["--bits", "position"], ["--bits", "canonical"]]
    saves = [(size, bits, keep) for size in (64, 4096) for bits in classes for keep in ([], ["--keep-order"])]
    random = Random(5)
    for turn in range(4):
        file.unlink(missing_ok=True)
        for size, bits, keep in random.sample(saves, 6):
            # A row for all calls also serves calls that need a class, if it has it; a row for a class never serves calls without.
            apart = [other for other in classes if not bits == other and (bits and not other or other and bits and ORDER.index(other[1]) > ORDER.index(bits[1]))]
            asked = [(at, [*other, *order]) for at in (64, 4096) for other in classes for order in ([], ["--keep-order"])]
            before = {str(one): choice(9, one[0], *one[1]) for one in asked} if file.exists() else {}
            good("choose", "reduce", "--ranks", 9, "--bytes", size, "--element", 8, *bits, *keep, *model, "--save", file)
            for at, words in asked:
                other, order = [word for word in words if word != "--keep-order"], "--keep-order" in words
                kept = at < size or other in apart
                was = before.get(str((at, words)))
                check(not kept or was is None or choice(9, at, *words) == was, "a save changed another call", turn, size, bits, keep, at, words, was)
            saved = json.loads(file.read_text())["rows"]
            check(all(choice(9, size, *bits, *order) for order in ([keep] if keep else [[], keep])), "a saved choice serves its call", size, bits, keep)
            check(len(saved) == len({(row["bytes"], row.get("commutative"), row.get("association")) for row in saved}), "two rows for the same calls", saved)
    # Calls that need a class, and operations that commute, keep their choice beside a row for others where it is cheaper.
    words = ["choose", "reduce_scatter", "--ranks", 9, "--element", 8, "--bytes"]
    for first, then, asked in ([], [], ["rank"]), (["rank"], [], ["rank"]), ([], ["rank"], ["rank"]), (["position"], ["canonical"], ["rank"]):
        file.unlink(missing_ok=True)
        bits = [["--bits", *level] if level else [] for level in (first, then, asked)]
        good(*words, 72, *bits[0], *model, "--save", file)
        was = good(*words, 1080, *bits[2], "--table", file, "--json")
        good(*words, 1080, *bits[1], "--keep-order", *model, "--save", file)
        now = json.loads(good(*words, 1080, *bits[2], "--table", file, "--json"))["algorithm"]
        rows = [row for row in json.loads(file.read_text())["rows"] if row["bytes"] == 1080]
        cheapest = min(rows, key=lambda row: row["time_us"])["algorithm"]
        check(now in (json.loads(was)["algorithm"], cheapest), "a saved row for others", first, then, asked, was, now)
        check(all("time_us" in row for row in rows), "a row without a time", rows)


def test_saved_prices(folder):
    """Each row that random saves write has the time that `simulate` has for its algorithm and parameters at its ranks and size, and no
    row for operations that commute is dearer than another for the same ranks and size that serves them."""
    file, prices, random = folder / "prices.json", {}, Random(11)
    model = ["--model", "loggp:L_us=2,o_us=0.5,g_us=0.1,G_ns=0.1,combine_ns=0.05"]
    parameters = "segment", "radix", "group", "aggregate", "window"

    def price(row):
        chosen = row.get("parameters", {})
        options = [word for name in parameters if name in chosen for word in (f"--{name}", chosen[name])]
        words = ["simulate", f"{row['collective']}/{row['algorithm']}", "--ranks", row["ranks"], "--bytes", row["bytes"], "--element", 8,
                 *options, *model, "--json"]
        if str(words) not in prices:
            prices[str(words)] = json.loads(good(*words))["completion_us"]
        return prices[str(words)]

    for save in range(int(os.environ.get("COLLSCHED_SAVES", 60 if BRIEF else 600))):
        if save % 8 == 0:
            file.unlink(missing_ok=True)
        words = [random.choice(["reduce", "allreduce"]), "--ranks", random.choice([3, 8, 16]), "--bytes", 8 << random.randrange(0, 18, 3)]
        keep = random.choice([[], ["--keep-order"]])
        bits = random.choice([[], [], ["--bits", random.choice(ORDER[1:])]])
        good("choose", *words, "--element", 8, *keep, *bits, *model, "--save", file)
        rows = json.loads(file.read_text())["rows"]
        for row in rows:
            check(row["time_us"] == price(row), "a row that nobody priced", words, keep, bits, row)
            if row.get("commutative"):
                calls = [other for other in rows if all(other[key] == row[key] for key in ("collective", "ranks", "bytes"))
                         and other.get("association") == row.get("association")]
                check(row["time_us"] <= min(other["time_us"] for other in calls), "a dearer row for operations that commute", words, calls)


def check_causes(words):
    """The explanation ends with the differences between the paths of the first two costs, and the parts of the first path."""
    text = good(*words, "--explain")
    check(text.count("\n\n") == 1, "an empty line before the causes", text)
    first, *others = rows_of(text)
    second = next(row for row in others if row["cost_us"] != first["cost_us"])
    differences, line = text.split("\n\n")[1].splitlines()
    time, messages, parts = parts_of(line)
    check(line.startswith(first["schedule"] + " takes ") and abs(time - float(first["cost_us"])) < 0.001, "time of the first", first, line)
    check(abs(sum(parts.values()) - time) < 0.01, "parts of the first", line)
    times = float(second["cost_us"]) / float(first["cost_us"])
    check(differences.startswith(f"{second['schedule']} takes {times:.2f} times as long"), "time of the second", first, second, differences)
    found = re.findall(r"([0-9.]+) us (more|less) ([a-z]+(?: work)?)", differences)
    more = sum(float(us) if word == "more" else -float(us) for us, word, _ in found)
    check(abs(more - float(second["cost_us"]) + float(first["cost_us"])) < 0.01, "differences", first, second, differences)
    all_rows = [json.loads(row) for row in good(*words, "--explain", "--json").splitlines()]
    rows = [row for row in all_rows if "path_us" in row]
    check([row["schedule"] for row in rows] == [first["schedule"], second["schedule"]] and rows[0] == all_rows[0], "runs of", rows)
    for row in rows:
        check(abs(sum(row["path_us"].values()) - row["cost_us"]) < 1e-5, "parts of", row)
    check(rows[0]["path_messages"] == messages and {name for name, us in rows[0]["path_us"].items() if us} == set(parts), "JSON", rows[0], line)
    for name, us, change in ((name, float(us), 1 if word == "more" else -1) for us, word, name in found):
        check(abs(rows[1]["path_us"][name] - rows[0]["path_us"][name] - change * us) < 0.002, "difference of", name, differences)
    check("path_us" not in good(*words, "--json"), "causes without --explain")


def check_ended_searches(folder):
    """A search that its time or an interrupt ends reports this, with the best schedule until then."""
    cluster = folder / "flat.xml"
    cluster.write_text("<?xml version='1.0'?>\n<platform version=\"4.1\"><cluster id='c' prefix='n' suffix='' radical='0-159' speed='1Gf' "
                       "bw='125MBps' lat='50us'/></platform>\n")
    words = ["choose", "allreduce", "--cluster", cluster, "--overhead-us", 0.5, "--bytes", 1 << 16, "--model", "smpi"]
    for more in [], ["--explain"]:
        row = rows_of(good(*words, *more, "--budget", 3))[0]
        check(row["reason"].startswith("best so far"), "ended by its time", row)
    made = json.loads(good(*words, "--budget", 3, "--json").splitlines()[0])
    check(made["unfinished"] > 0 and made["reason"].startswith("best so far"), "ended by its time", made)
    with subprocess.Popen([PROGRAM, *map(str, words), "--budget", "100000"], stdout=subprocess.PIPE, text=True) as search:
        time.sleep(5)
        search.send_signal(signal.SIGINT)
        rows = rows_of(search.communicate(timeout=300)[0])
    check(search.returncode == 0 and rows[0]["reason"].startswith("best so far"), "interrupted", search.returncode, rows)
    usual = call(*words, env=os.environ | {"COLLSCHED_BUDGET": "soon"})
    check(usual.returncode == 2 and "COLLSCHED_BUDGET: got soon" in usual.stderr, "budget of the environment", usual)


def test_choose():
    """The search against all combinations of settings, on a cluster and between two sites, and the explanation of each."""
    long = "COLLSCHED_SWEEPS" in os.environ
    for cluster, p, subjects in [("griffon_like.xml", 64 if long else 24, [] if BRIEF else ["allgather", "broadcast"]),
                                 ("two_sites.json", 4, ["allgather", "broadcast", "allreduce", "alltoall"])]:
        for what in subjects:
            for size in 8, 8192, 1 << (17 if long else 15):
                length = "--bytes" if what in ("broadcast", "allreduce") else "--block"
                words = ["choose", what, "--ranks", p, length, size, "--model", "lob", "--cluster", CLUSTERS / cluster,
                         "--json"]
                found, best = ([json.loads(line) for line in good(*words, *more).splitlines()]
                               for more in ([], ["--every-setting"]))
                check(found[0]["cost_us"] <= 1.02 * best[0]["cost_us"], words, found[0], best[0])
                check([c["cost_us"] for c in found] == sorted(c["cost_us"] for c in found), "cheapest first", words)
    model = ["--model", "loggp:L_us=2,o_us=0.5,g_us=0.1,G_ns=0.1,combine_ns=0.05"]
    words = ["choose", "allreduce", "--ranks", 8, "--bytes", 1 << 20, *model]
    first, = rows_of(good(*words))
    # The simulated time of the choice is the reported cost.
    choice = dict(word.rstrip(";,").split("=") for word in first["reason"].split() if "=" in word)
    more = [word for key in ("segment", "radix", "group", "aggregate", "window") if key in choice
            for word in ("--" + key, choice[key])]
    again = json.loads(good("simulate", first["schedule"], "--ranks", 8, "--bytes", 1 << 20, *more, *model, "--json"))
    check(f"{again['completion_us']:.6f}" == first["cost_us"], "simulated otherwise than chosen", first, again)
    explained = rows_of(good(*words, "--explain"))
    # Without limits more settings are tried.
    check(all(explained[0][key] == first[key] for key in ("schedule", "cost_us")) and len(explained) > 15, "explained", explained[0])
    check_causes(words)
    check_causes(["choose", "allgather", "--ranks", 6, "--block", 10**4, "--model", "contention", "--overhead-us", 0.5,
                  "--cluster", CLUSTERS / "griffon_like.xml"])
    check_causes(["choose", "broadcast", "--ranks", 8, "--bytes", 10**5, "--model", "lob", "--cluster", CLUSTERS / "griffon_like.xml"])
    kept = [row for row in rows_of(good(*words, "--keep-order", "--explain")) if row["schedule"] == "allreduce/ring"]
    check(len(kept) == 1 and kept[0]["cost_us"] == "-" and kept[0]["reason"].startswith("refused: commutative"), "order kept", kept)
    with tempfile.TemporaryDirectory() as folder:
        test_bits(Path(folder), model)
    check(good(*words, "--threads", 1) == good(*words, "--threads", 4) == good(*words, "--budget", 1000), "threads and budget")
    bad([*words, "--threads", 0], "--threads", 0)
    bad([*words, "--threads", 1025], "--threads", 1025)
    bad([*words, "--budget", "x"], "--budget", "x")
    bad([*words, "--budget", 0], "--budget", 0)
    check("final: the cheapest of " in first["reason"], "final", first)
    with tempfile.TemporaryDirectory() as folder:
        check_ended_searches(Path(folder))
    for more in [], ["--json"], ["--explain"]:
        bad([*words, *more, "--budget", "0.000000001"], "--budget", "0.000000001")
    bad(["choose", "allreduces", "--ranks", 8, *model], "COLLECTIVE", "allreduces")
    bad(["choose", "barrier", "--ranks", 1 << 40, *model], "--ranks", 1 << 40)
    # A candidate whose time exceeds 64 bits is rejected, and others remain.
    long = good("choose", "broadcast", "--ranks", 7, "--bytes", 3 * 10**15, "--model", "hockney:alpha_us=1,beta_ns=1", "--explain")
    refused = {row["schedule"]: row["reason"] for row in rows_of(long) if row["cost_us"] == "-"}
    check(refused.get("broadcast/linear", "").startswith("refused: time: got "), "a candidate beyond all times", long)
    bad(["simulate", "broadcast/binomial", "--ranks", 4, "--bytes", 2**63 - 1, "--model", "contention", "--cluster",
         CLUSTERS / "two_sites.json"], "--model: time", 2**63 - 1)
    bad(["simulate", "broadcast/binomial", "--ranks", 4, "--model", "contention:latency_weighted=2", "--cluster",
         CLUSTERS / "two_sites.json"], "--model[latency_weighted]", 2)
    bad(["choose", "allreduce", "--ranks", 8, "--bytes", 8, "--model", "lob"], "--cluster", MISSING)


def test_table(folder):
    """Tables are read back and agree with choose, and rules files are parsed by their grammar."""
    model = ["--model", "loggp:L_us=2,o_us=0.5,g_us=0.1,G_ns=0.1,combine_ns=0.05"]
    rules, header, selection, base = (folder / name for name in ("rules.conf", "table.hpp", "out.json", "base.json"))
    names = ["allgather", "allreduce", "alltoall", "bcast", "reduce", "reduce_scatter", "reduce_scatter_block"]
    base.write_text(json.dumps({f"collective={name}": {"comm_type=intra": {"algorithm=old": {}}} for name in names}))
    text = good("table", "all", "--ranks", "2,6", "--sizes", "8,32768", *model, "--openmpi", rules, "--header", header,
                "--mpich", selection, "--mpich-base", base)
    table = json.loads(text)
    rows = table["rows"]
    check((table["format"], table["version"]) == ("collsched decisions", 1) and "--model loggp" in table["description"], "the head", text[:200])
    check(all(row["source"] == "simulated" and row["time_us"] > 0 for row in rows if row["ranks"] > 1), "times of the table", text)
    check({row["collective"] for row in rows} == {"allgather", "allreduce", "alltoall", "barrier", "broadcast", "exscan",
          "gather", "reduce", "reduce_scatter", "scan", "scatter"}, "collectives of the table", text)
    file = folder / "table.json"
    file.write_text(text)

    def looked_up(*shape):
        return rows_of(good("choose", *shape, "--table", file))[0]["schedule"]

    for what, size, wanted in [("allreduce", ["--bytes", 8], 8), ("allreduce", ["--bytes", 32768], 32768), ("barrier", [], 0)]:
        for p in 2, 6:
            shape = [what, "--ranks", p, *size]
            best = json.loads(good("choose", *shape, *model, "--json").splitlines()[0])["schedule"]
            chosen = looked_up(*shape)
            check(chosen == best, "the table says", chosen, "and choose", best, shape)
    check(looked_up("allreduce", "--ranks", 5, "--bytes", 100000) == looked_up("allreduce", "--ranks", 2, "--bytes", 32768),
          "between rows")
    # Collectives, communicator sizes, message sizes: each list has its stated length, and no text follows.
    words = iter([int(word) for line in rules.read_text().splitlines() for word in line.split("#")[0].split()])
    for _ in range(next(words)):
        check(next(words) in range(16), "a collective of the rules")
        sizes = []
        for _ in range(next(words)):
            sizes.append(next(words))
            bytes_of = []
            for _ in range(next(words)):
                size, algorithm, fanout, segment = (next(words) for _ in range(4))
                bytes_of.append(size)
                check((algorithm > 0) == (sizes[-1] > 1) and fanout == 0 and segment >= 0, "a rule", algorithm, fanout, segment)
            check(bytes_of[0] == 0 and bytes_of == sorted(set(bytes_of)), "message sizes", bytes_of)
        check(sizes == [1, 2, 6], "communicator sizes", sizes)
    check(next(words, None) is None, "rules behind the last")
    made = json.loads(selection.read_text())
    check(all(made[f"collective={name}"]["comm_type=intra"] != {"algorithm=old": {}} for name in names), "MPICH's selection")
    check(header.read_text().count(".algorithm = ") == len(rows), "rows of the header")
    compiled = subprocess.run(["g++", "-std=c++20", "-fsyntax-only", "-Iinclude", "-x", "c++", "-"], text=True, input=
                              f'#include "{header}"\nstatic_assert(collsched::find_decision(decisions, '
                              '{.collective = collsched::collective::allreduce, .ranks = 6, .bytes = 8})->ranks == 6);', stderr=subprocess.PIPE)
    check(compiled.returncode == 0, "the header", compiled.stderr[:500])
    bad(["table", "all", "--ranks", "4,2", *model], "--ranks", "4,2")
    bad(["table", "all", "--ranks", "2", "--openmpi-version", "5", *model], "--openmpi-version", 5)
    bad(["table", "all", "--ranks", "2", "--mpich", "x.json", *model], "--mpich-base", MISSING)
    bad(["table", "all", "--ranks", "2", "--mpich", folder / "half.json", "--mpich-base", file, *model], "--mpich-base", file)
    check(not (folder / "half.json").exists(), "half a table")
    other = folder / "other.json"
    for key in "composition=MPIDI_Bcast_intra_composition_alpha", "algorithm=MPIDI_POSIX_mpi_bcast_release_gather":  # of ch4
        other.write_text(json.dumps({f"collective={name}": {"comm_type=intra": {key: {}}} for name in SELECTED}))
        bad(["table", "all", "--ranks", "2", "--mpich", folder / "half.json", "--mpich-base", other, *model], "--mpich-base",
            f"{other}:1: got \"{key.split('=')[1]}\", expected algorithms of MPIR")
    check(not (folder / "half.json").exists(), "a table on another base")
    bad(["table", "gatherv", "--ranks", "2", *model], "COLLECTIVE", "gatherv")
    bad(["choose", "allreduce", "--ranks", 1, "--bytes", 8, "--table", file], "--table", file)
    bad(["choose", "allreduce", "--ranks", 2, "--bytes", 8, "--table", folder / "none"], "--table",
        f"{folder / 'none'}: got No such file or directory")
    bad(["table", "all", "--ranks", "2", "--mpich", "x.json", "--mpich-base", folder / "none", *model], "--mpich-base",
        f"{folder / 'none'}: got No such file or directory")
    bad(["simulate", "allreduce/ring", "--ranks", 2, "--bytes", 8, "--model", f"@{folder / 'none'}"], "--model",
        f"@{folder / 'none'}: got No such file or directory")
    bad(["show", "allreduce/ring", "--ranks", 2, "--bytes", 2 ** 63 - 1, "--msccl", folder / "long.xml"], "NAME", "allreduce/ring")
    check(not (folder / "long.xml").exists(), "a program of so many steps")
    bad(["show", "gather/k-ary", "--ranks", 2 ** 31, "--rank", 5], "--ranks", 2 ** 31)
    bad(["show", "gather/k-ary", "--ranks", 2 ** 24, "--rank", 2 ** 24], "--rank", 2 ** 24)
    bad(["metrics", "gather/k-ary", "--ranks", f"1..{2 ** 63 - 1}"], "--ranks", 2 ** 63 - 1)
    bad(["verify", "barrier/dissemination", "--ranks", 65537], "--ranks", 65537)
    bad(["choose", "allreduce", "--ranks", 2, "--bytes", 8, "--table", file, *model], "--model", model[1])
    for option in "--explain", "--every-setting":
        bad(["choose", "allreduce", "--ranks", 2, "--bytes", 8, "--table", file, option], option, "given")
    for option in "--threads", "--budget":
        bad(["choose", "allreduce", "--ranks", 2, "--bytes", 8, "--table", file, option, 3], option, 3)
    bad(["choose", "broadcast", "--ranks", 2, "--bytes", 8, "--segment", 4, "--table", file], "--segment", 4)
    bad(["table", "all", "--ranks", "2", "--openmpi-version", "main", *model], "--openmpi-version", "main")
    bad(["table", "barrier", "--ranks", "2", "--openmpi", rules, "--header", rules, *model], "--openmpi", rules)
    # Algorithms that reject the number of ranks are passed over.
    file.write_text('{"collective":"allgather","ranks":2,"bytes":0,"algorithm":"ring"}\n'
                    '{"collective":"allgather","ranks":8,"bytes":0,"algorithm":"swing"}\n')
    for p, name in (8, "swing"), (9, "ring"), (16, "swing"):
        check(looked_up("allgather", "--ranks", p) == f"allgather/{name}", "passed over", p)
    # Blocks of 0 bytes have no cost, and fewer bytes than ranks have a cost.
    hockney = ["--model", "hockney:alpha_us=1,beta_ns=1"]
    row = json.loads(good("table", "gather", "--ranks", 16, "--sizes", "8,64", *hockney))["rows"][0]
    check(row["algorithm"] == "linear", "a table of short blocks", row)


def test_decisions(folder):
    """Tables of earlier versions are converted, choices are added to tables, and explained."""
    lines = folder / "table.jsonl"
    lines.write_text('{"collective":"allgather","ranks":2,"bytes":0,"algorithm":"ring"}\n'
                     '{"collective":"allgather","ranks":8,"bytes":64,"algorithm":"swing"}\n'
                     '{"collective":"allgather","ranks":8,"bytes":0,"algorithm":"bruck","radix":3}\n')
    file = folder / "table.json"
    file.write_text(good("table", "--read", lines, "--json"))
    table = json.loads(file.read_text())
    check(table["version"] == 1 and table["rows"][2]["parameters"] == {"radix": 3}, "a converted table", table)
    check(good("table", "--read", file, "--json").splitlines()[1:] == file.read_text().splitlines()[1:], "read once more")
    check([row["schedule"] for row in rows_of(good("table", "--read", file))] ==
          ["allgather/ring", "allgather/swing", "allgather/bruck"], "the rows as a table")

    def explained(*call):
        text = good("table", "--explain", file, "allgather", *call, "--json")
        return [(row["algorithm"], row["verdict"].partition(":")[0]) for row in map(json.loads, text.splitlines())]

    check(explained("--ranks", 8, "--bytes", 80) == [("swing", "chosen"), ("bruck", "fewer bytes"), ("ring", "fewer ranks")], "8 ranks")
    check(explained("--ranks", 9, "--bytes", 64) == [("swing", "skipped"), ("bruck", "chosen"), ("ring", "fewer ranks")], "9 ranks")
    check(explained("--ranks", 3) == [("ring", "chosen")], "3 ranks")
    text = good("table", "--explain", file, "allgather", "--ranks", 8, "--bytes", 80)
    check("allgather/swing" in text and "chosen" in text and "fewer bytes" in text, "an explanation", text)
    row = json.loads(good("choose", "allgather", "--ranks", 9, "--table", file, "--json"))
    check(row["algorithm"] == "bruck" and row["parameters"] == {"radix": 3}, "a row as JSON", row)
    # Choices are added, sorted, and replaced.
    model = ["--model", "loggp:L_us=2,o_us=0.5,g_us=0.1,G_ns=0.1,combine_ns=0.05"]
    save = ["--save", file]
    for size in 65536, 8, 8:
        chosen = json.loads(good("choose", "allreduce", "--ranks", 6, "--bytes", size, *model, "--json", *save).splitlines()[0])
    rows = json.loads(file.read_text())["rows"]
    check([(row["collective"], row["ranks"], row["bytes"]) for row in rows] ==
          [("allgather", 2, 0), ("allgather", 8, 0), ("allgather", 8, 64), ("allreduce", 6, 8), ("allreduce", 6, 65536)], "saved rows", rows)
    check(rows[3]["algorithm"] == chosen["schedule"].partition("/")[2] and rows[3]["time_us"] == float(chosen["cost_us"]), "a saved row")
    # Operations that do not commute have rows of their own.
    two = good("table", "allreduce", "--ranks", 6, "--sizes", "8,1048576", *model)
    file.write_text(two)
    for keep in [], ["--keep-order"]:
        best = json.loads(good("choose", "allreduce", "--ranks", 6, "--bytes", 1048576, *model, *keep, "--json").splitlines()[0])
        row = json.loads(good("choose", "allreduce", "--ranks", 6, "--bytes", 1048576, "--table", file, *keep, "--json"))
        check(row["algorithm"] == best["schedule"].partition("/")[2], "a row for operations", keep, row)
    cluster = folder / "cluster.json"
    cluster.write_text(json.dumps(CLUSTER))
    names = ",".join(node["name"] for node in CLUSTER["nodes"][:2] for _ in range(2))
    row = json.loads(good("table", "barrier", "--ranks", 4, "--cluster", cluster, "--placement", names, "--model", "lob"))["rows"][0]
    check(row["ranks_per_node"] == 2, "ranks per node", row)
    # The picture has a curve for each algorithm of the table, with a circle where it begins to be the cheapest.
    picture = folder / "table.svg"
    sizes = ["--sizes", "8,4096,65536,1048576,16777216"]
    rows = json.loads(good("table", "allgather", "--ranks", 16, *sizes, *model, "--svg", picture))["rows"]
    root = xml.fromstring(picture.read_text())
    curves = [element.find("{*}title").text for element in root.iter("{http://www.w3.org/2000/svg}polyline")]
    winners = [row["algorithm"] for row in rows]
    check(len(curves) == 8 and set(winners) <= set(curves), "curves", curves, winners)
    changes = 1 + sum(a != b for a, b in zip(winners, winners[1:]))
    check(len(list(root.iter("{http://www.w3.org/2000/svg}circle"))) == changes > 1, "circles", changes, rows)
    bad(["table", "all", "--ranks", 4, *model, "--svg", picture], "--svg", picture)
    bad(["table", "allreduce", "--ranks", "4,8", *model, "--svg", picture], "--svg", picture)
    # A row for operations that do not commute leaves the choices for others as they were, and the other way round.
    file.unlink()
    model = ["--model", "hockney:alpha_us=1,beta_ns=1"]
    best = [json.loads(good("choose", "allreduce", "--ranks", 6, "--bytes", size, *model, *keep, "--json").splitlines()[0])["schedule"]
            for size in (4096, 200000) for keep in ([], ["--keep-order"])]
    for size, keep in (4096, []), (200000, ["--keep-order"]), (4096, ["--keep-order"]):
        good("choose", "allreduce", "--ranks", 6, "--bytes", size, *model, *keep, "--save", file)
    for keep, wanted in ([], [best[0], best[0]]), (["--keep-order"], [best[1], best[3]]):
        found = [json.loads(good("choose", "allreduce", "--ranks", 6, "--bytes", size, "--table", file, *keep, "--json"))["algorithm"]
                 for size in (4096, 200000)]
        check([f"allreduce/{name}" for name in found] == wanted, "saved rows", keep, found, wanted)
    rows = json.loads(file.read_text())["rows"]
    check(len(rows) == len({(row["ranks"], row["bytes"], row.get("commutative")) for row in rows}), "rows for the same calls", rows)
    # All sizes of a table have the choices of choose.
    file.write_text(good("table", "allreduce", "--ranks", 6, "--sizes", "1,100,4096,200000", *model))
    for size in 1, 100, 4096, 200000:
        for keep in [], ["--keep-order"]:
            call = ["choose", "allreduce", "--ranks", 6, "--bytes", size, *keep, "--json"]
            row, one = (json.loads(good(*call, *way).splitlines()[0]) for way in (["--table", file], model))
            check(f"allreduce/{row['algorithm']}" == one["schedule"], "a table and a choice", size, keep, row, one)
    # A barrier has no size, a description remains, and programs that save take turns.
    file.write_text('{"format":"collsched decisions","version":1,"description":"by hand","rows":[]}')
    calls = [subprocess.Popen([PROGRAM, "choose", "barrier", "--ranks", str(p), *model, "--save", file], stdout=subprocess.DEVNULL)
             for p in range(2, 8)]
    check([one.wait() for one in calls] == [0] * 6, "programs that save")
    table = json.loads(file.read_text())
    check(table["description"] == "by hand" and [(row["ranks"], row["bytes"]) for row in table["rows"]] == [(p, 0) for p in range(2, 8)],
          "saved barriers", table)
    for text in "", "{}", "[]", "null", "[[[", "# c\n":
        file.write_text(text)
        bad(["table", "--read", file], "--read", file)
    bad(["choose", "barrier", "--ranks", 2, *model, "--save", folder / ("n" * 300)], "--save", folder / ("n" * 300))
    bad(["choose", "barrier", "--ranks", 2, *model, "--save", folder], "--save", folder)
    file.write_text(two)
    # Mistakes.
    explain = ["table", "--explain", file, "allreduce"]
    bad([*explain], "--ranks", MISSING)
    bad([*explain, "--ranks", 0], "--ranks", 0)
    bad([*explain, "--ranks", 65537], "--ranks", 65537)
    bad([*explain, "--ranks", 4, "--bytes", -1], "--bytes", -1)
    bad([*explain, "--ranks", 4, "--ranks-per-node", 5], "--ranks-per-node", 5)
    bad([*explain, "--ranks", 4, *model], "--model", "given")
    bad([*explain, "--ranks", 1], "--explain", file)
    bad(["table", "--explain", file, "bcasts", "--ranks", 4], "COLLECTIVE", "bcasts")
    bad(["table", "--explain", file, "gatherv", "--ranks", 4], "COLLECTIVE", "gatherv")
    bad(["table", "allreduce", "--ranks", 2, "--bytes", 8, *model], "--bytes", "given")
    bad(["table", "allreduce", "--ranks", 2, "--json", *model], "--json", "given")
    bad(["table", "--read", file, "--openmpi-version", "5.0"], "--openmpi-version", "given")
    file.write_text('{"format":"collsched decisions","version":3,"rows":[]}')
    bad(["table", "--read", file], "--read", f"{file}:1: version: got 3")
    bad(["choose", "allreduce", "--ranks", 6, "--bytes", 8, *model, "--save", file], "--save", f"{file}:1: version: got 3")
    bad(["choose", "allgatherv", "--counts", "1,2", *model, "--save", file], "--save", "allgatherv")
    check(file.read_text() == '{"format":"collsched decisions","version":3,"rows":[]}', "a table that was not read is kept")


def test_calibrate(folder):
    """Plausible figures, printed as a model that other commands accept."""
    for transport in "threads", "processes":
        file = folder / "machine.model"
        line = good("calibrate", "--on", transport, "--file", file)
        check(line.startswith("loggp:L_us=") and line.strip() in file.read_text(), "a model", line)
        one, = results("calibrate", "--on", transport)
        check(list(one) == ["on", "model", "intra_node"] and one["on"] == transport and one["model"].startswith("loggp:"), "calibrate", one)
        ring = good("simulate", "allgather/ring", "--ranks", 4, "--block", 8, "--model", f"@{file}")
        check(ring == good("simulate", "allgather/ring", "--ranks", 4, "--block", 8, "--model", line.strip()), "a file", ring)
    bad(["calibrate", "--on", "mpi"], "--on", "mpi")


TIMES = """machine,collective,nodes,ranks_per_node,gpu,mpi,bytes,algorithm,median_us
A,allreduce,8x2,1,no,M1,8,default_ompi,9
A,allreduce,8x2,1,no,M1,8,ring_ompi,60
A,allreduce,8x2,1,no,M1,8,recursive_doubling_ompi,10
A,allreduce,8x2,1,no,M1,1048576,ring_ompi,600
A,allreduce,8x2,1,no,M1,1048576,recursive_doubling_ompi,2000
B,bcast,4,2,no,M2,64,binomial_ompi,7
"""
REPORT = {"format": "collsched report", "version": 1, "library": "0.1.0", "mpi": "An MPI", "ranks": 2, "nodes": 1, "rows": [
    {"function": "allreduce", "form": "blocking", "ranks": 2, "ranks_per_node": 2, "bytes_from": 8, "bytes_to": 15, "algorithm": "ring",
     "parameters": {}, "reason": "by COLLSCHED_ALLREDUCE", "calls": 2, "calls_max": 1, "bytes": 16, "timed_calls": 2, "seconds": 4e-6,
     "seconds_max": 2e-6}]}
OSU = """
# OSU MPI Allreduce Latency Test v7.5
# Datatype: MPI_CHAR.
# Size       Avg Latency(us)
4                       1.25
1024                    3.5
"""
ALLTOALL = """
# OSU MPI All-to-All Personalized Exchange Latency Test v7.5
# Datatype: MPI_CHAR.
# Size       Avg Latency(us)
1                       7.00
1024                   12.00
"""


def test_fit(folder):
    """Choices among the algorithms of each case, which follow measured times and never are a default."""
    times, cases, out = folder / "times.csv", folder / "cases.csv", folder / "choices.csv"
    times.write_text(TIMES)
    header = "algorithm,machine,collective,nodes,ranks_per_node,gpu,mpi,bytes,median_us\n"
    pair = [f"{name}_ompi,A,allreduce,{nodes},1,no,M1,{size},unknown\n" for nodes, size in (("8x2", 64), ("8x2", 2097152))
            for name in ("default", "ring", "recursive_doubling")]
    cases.write_text(header + "".join(pair) + "default,A,gather,4,1,no,M1,8,\n")
    text = good("fit", "--from", times, "--choose", cases)
    check(text == "machine,collective,nodes,ranks_per_node,gpu,mpi,bytes,algorithm\n"
                  "A,allreduce,8x2,1,no,M1,64,recursive_doubling_ompi\nA,allreduce,8x2,1,no,M1,2097152,ring_ompi\n", "choices", text)
    fits = results("fit", "--from", times, "--choose", cases, "--out", out)
    check(out.read_text() == text, "choices in a file", out.read_text())
    check([(one["machine"], one["times"]) for one in fits] == [("A", 4), ("B", 1)], "fits", fits)
    check(all(rate["value"] > 0 and rate["unit"] in ("us", "us/B") for one in fits for rate in one["rates"]), "rates", fits)
    check([(row["collective"], row["algorithm"], row["times"]) for row in fits[0]["corrections"]] ==
          [("allreduce", "recursive_doubling_ompi", 2), ("allreduce", "ring_ompi", 2)], "corrections", fits[0])
    check(results("fit", "--from", times, "--machine", "B") == fits[1:], "one cluster")
    text = good("fit", "--from", times)
    check(all(word in text for word in ("A: 4 times", "B: 1 times", "ring_ompi", "factor")), "a table", text)
    # Reversed measured times reverse the choices.
    times.write_text(TIMES.replace(",10\n", ",100\n").replace(",60\n", ",6\n").replace(",2000\n", ",100\n"))
    text = good("fit", "--from", times, "--choose", cases)
    check([line.rsplit(",", 1)[1] for line in text.splitlines()[1:]] == ["ring_ompi", "recursive_doubling_ompi"], "reversed", text)
    # Output of benchmarks becomes CSV, and files of CSV can be joined.
    output, csv = folder / "osu.txt", folder / "osu.csv"
    output.write_text(OSU)
    good("fit", "--from", output, "--algorithm", "ring_ompi", "--ranks", 8, "--csv", csv)
    check(csv.read_text().splitlines()[1:] == [",allreduce,8,,,,4,ring_ompi,1.25,8", ",allreduce,8,,,,1024,ring_ompi,3.5,8"], "CSV", csv.read_text())
    csv.write_text(csv.read_text() * 2)
    check(results("fit", "--from", csv)[0]["times"] == 4, "joined files")
    # The outputs of several programs in one file: all rows are read, or a note names the others and the reason.
    output.write_text(OSU + ALLTOALL)
    good("fit", "--from", output, "--algorithm", "a", "--ranks", 8, "--csv", csv)
    check(csv.read_text().splitlines()[3:] == [",alltoall,8,,,,8,a,7,8", ",alltoall,8,,,,8192,a,12,8"], "alltoall", csv.read_text())
    output.write_text(OSU + ALLTOALL.replace("All-to-All", "All-to-Allv"))
    done = call("fit", "--from", output, "--algorithm", "a", "--ranks", 8, "--csv", csv)
    check(done.returncode == 0 and len(csv.read_text().splitlines()) == 3, "rows beside other operations", csv.read_text())
    first = OSU.count("\n") + 5
    check(done.stderr == f'collsched: --from: {output}:{first}: 2 lines are not read: rows of another operation, '
          '"OSU MPI All-to-Allv Personalized Exchange Latency Test"\n', "a note", done.stderr)
    # Joined rows and a title within a line: notes, and no row for the operation above.
    output.write_text(OSU + "8 1.5 16 2.5\n32 1.5 " + ALLTOALL.lstrip())
    done = call("fit", "--from", output, "--algorithm", "a", "--ranks", 8, "--csv", csv)
    check(done.returncode == 0 and len(csv.read_text().splitlines()) == 3, "rows of damaged lines", csv.read_text())
    first = OSU.count("\n") + 1
    check(done.stderr == f"collsched: --from: {output}:{first}: 1 line is not read: rows without exactly the 2 columns of their header\n"
          f"collsched: --from: {output}:{first + 1}: 3 lines are not read: a title on a line with other text, and the rows below it\n",
          "notes of damaged lines", done.stderr)
    # Comments of a benchmark above CSV do not make it output of a benchmark; output without a title is not CSV.
    csv.write_text("# OSU MPI Allreduce Latency Test v7.5\n" + TIMES)
    check(len(results("fit", "--from", csv)) == 2, "CSV below the title of a benchmark")
    output.write_text(OSU.replace("# OSU MPI Allreduce Latency Test v7.5", ""))
    bad(["fit", "--from", output, "--algorithm", "a", "--ranks", 8], "--from",
        f"{output}:5: got no time of a collective, but rows without the title of a benchmark above")
    output.write_text(OSU)
    test_fit_mistakes(folder, times, cases, output)


def test_fit_mistakes(folder, times, cases, output):
    wrong, out = folder / "wrong.csv", folder / "unwritten.csv"
    for line, mistake in (("A,allreduce,8,1,no,M,8,ring,-1", "median_us: got"), ("A,allreduce,8,1,no,M,8,ring,nan", "median_us: got"),
                          ("A,allreduce,8,1,no,M,8,ring,0", "median_us: got"), ("A,allreduce,8,1,no,M,8,ring,inf", "median_us: got"),
                          ("A,allreduce,0,1,no,M,8,ring,1", "nodes: got"), ("A,allreduce,8,x,no,M,8,ring,1", "ranks_per_node: got"),
                          ("A,barrier,8,1,no,M,8,ring,1", "collective: got"), ("A,allreduce,8,1,no,M,8,,1", "algorithm is required"),
                          ("A,allreduce,8,1,no,M,8e3,ring,1", "bytes: got"), ("A,allreduce", "got 2 fields"),
                          ("A,allreduce,8,1,no,M,8,\x1b[1m,1", "got \"\\u001b"), ("A,allreduce,8,1,no,M,8,ring,1e-320", "median_us: got")):
        wrong.write_text(TIMES + line + "\n")
        bad(["fit", "--from", wrong, "--choose", cases, "--out", out], "--from", f"{wrong}:8: {mistake}")
    for text in "", "collective,nodes,bytes,algorithm\n", "\x00", "{}", TIMES.splitlines()[0]:
        wrong.write_text(text)
        bad(["fit", "--from", wrong], "--from", wrong)
    wrong.write_text(TIMES.replace("A,", "C,"))
    for words, argument, value in [
            ([], "--from", MISSING), (["--from", folder / "none.csv"], "--from", folder / "none.csv"),
            (["--from", times, "--machine", "C"], "--machine", "C"), (["--from", times, "--out", out], "--out", ""),
            (["--from", times, "--choose", wrong], "--choose", f"{wrong}:2: machine: got"),
            (["--from", times, "--choose", cases, "--json"], "--json with --choose", ""),
            (["--from", times, "--algorithm", "ring"], "--algorithm", ""), (["--from", output], "--algorithm", MISSING),
            (["--from", output, "--algorithm", "ring"], "--from", f"{output}:5: got"),
            (["--from", output, "--algorithm", "r,x"], "--algorithm", '"r,x"'),
            (["--from", output, "--algorithm", ""], "--algorithm", '""'),
            (["--from", output, "--algorithm", "ring", "--ranks", 2**31], "--ranks", 2**31),
            (["--from", output, "--algorithm", "ring", "--ranks", 0], "--ranks", 0)]:
        bad(["fit", *words], argument, value)
    check(not out.exists(), "choices were written after a mistake")


def test_study_ccsim(folder):
    text = good("study", "ccsim", "--ranks", "4,6", "--clusters", 3, "--svg", folder / "ccsim.svg")
    check(text == good("study", "ccsim", "--ranks", "4,6", "--clusters", 3), "another result by the same seed")
    check(text.count("mean completion in ms") == 8 and "868.15" in text, text[:500])
    check(len(xml.parse(folder / "ccsim.svg").getroot()) > 20, "an empty plot")
    bad(["study", "ccsim", "--ranks", "1"], "--ranks[0]", 1)
    bad(["study", "ccsim", "--model", "x"], "--model", "x")


def test_study_grouped(folder):
    small = ["study", "grouped", "--ranks", 8, "--bytes", 20000]
    text = good(*small, "--svg", folder / "grouped.svg")
    check(text == good(*small) and text != good(*small, "--seed", 2), "the seed decides")
    check(len(xml.parse(folder / "grouped.svg").getroot()) > 10, "an empty plot")
    rows = [line.split() for line in text.splitlines()]
    grouped = [row for row in rows if row[:1] == ["grouped"]]
    check([row[1] for row in grouped] == 2 * [f"q={q}" for q in range(1, 9)], "group sizes", grouped)
    for row in grouped:  # no losses, one sender per receiver, no link faster than its rate
        check(row[5:8] == ["0", "0", "1"] and float(row[3]) >= 1, row)
    for start in (row for row in rows if row[1:2] == ["repartition,"]):
        check(float(start[-2]) > 0, start)
    named = [line for line in text.splitlines() if line.startswith(("priority ", "volume ", "random delay "))]
    check(len(named) == 30, "three alternatives in five readings, twice", len(named))
    for line in named:
        if " loss " not in line:
            check(line.split()[-4:-1] == ["0", "0", "1"], "asked first, nothing is lost", line)
    roomy = good(*small, "--buffer", 10 ** 7)
    lost = [line.split()[-4] for line in roomy.split("Where the claim")[0].splitlines() if line.startswith(("all at", "shifted p"))]
    check(lost == ["0"] * 4, "lost in a buffer that holds everything", lost)
    tight = good(*small, "--buffer", 1500).split("Where the claim")[0].splitlines()
    check(all(int(line.split()[-4]) > 0 for line in tight if line.startswith("all at once")), "nothing lost in a tiny buffer")
    check("The claim " in text.splitlines()[-1], text[-200:])
    for option, value in ("--ranks", 1), ("--ranks", 65), ("--ranks", "4,8"), ("--bytes", 6399), ("--buffer", 1499), \
            ("--packet", 0), ("--window", 0), ("--timeout-us", 49), ("--timeout-us", "x"), ("--bandwidth-MBps", 0), \
            ("--latency-us", "-1"), ("--master-us", "9999999999"), ("--delay-us", 0), ("--bytes", 1 << 40), ("--seed", "-1"), \
            ("--model", "x"), ("--clusters", 3), ("--svg", folder):
        words = ["study", "grouped", option, value]
        bad([*small, option, value] if option == "--svg" else words, option, value)
    for option in "--bytes", "--bandwidth-MBps", "--latency-us", "--packet", "--buffer", "--window", "--timeout-us", "--master-us", "--delay-us":
        bad(["study", "ccsim", option, 5000], option, 5000)
    bad(["study", "gatherv", "--svg", "x"], "--svg", "x")


def messages(edges):
    """(step, src, dst) -> bytes. The number of pieces depends on the source buffer."""
    sizes = {}
    for e in edges:
        if e["src"] != e["dst"]:
            key = e["step"], e["src"], e["dst"]
            sizes[key] = sizes.get(key, 0) + e["size"]
    return sizes


def test_in_place():
    """In place no edge of an allgather uses the input, and no bytes are copied onto themselves."""
    for name in [one for one in ALGORITHMS if one != "swing"]:  # swing accepts powers of two
        words = [f"allgather/{name}", "--ranks", 6, "--block", 3, "--in-place"]
        header, *edges = map(json.loads, good("show", *words, "--json").splitlines())
        plain = [json.loads(line) for line in good("show", *words[:-1], "--json").splitlines()[1:]]
        check(messages(edges) == messages(plain), name, "moves otherwise in place")
        check(not any("input" in (e["from"], e["into"]) for e in edges), name, "reads input in place")
        check(all((e["from"], e["from_offset"]) != (e["into"], e["into_offset"]) for e in edges if e["src"] == e["dst"]),
              name, "copies in place")
        check("block 0 " in good("show", *words) or name == "hierarchical", name, "does not show blocks in place")
    report = json.loads(good("metrics", *RING[1:2], "--ranks", 4, "--in-place", "--json"))
    check(report["copied_bytes"] == [0] * 4, "copies in place", report)


def test_example():
    text = good("show", "allgather/ring", "--ranks", 4, "--block", 2, "--json")
    check(text.splitlines()[0] ==
          '{"format":1,"schedule":"allgather/ring","collective":"allgather","algorithm":"ring","ranks":4,"root":0,'
          '"steps":3,"rounds":3,"pacing":"data","element":1,"commutative":false,"input":[2,2,2,2],"output":[8,8,8,8],'
          '"scratch":[0,0,0,0],"staging":[0,0,0,0]}', text)
    check('{"step":0,"src":0,"dst":1,"from":"input","from_offset":0,"into":"output","into_offset":0,"size":2,'
          '"action":"copy"}' in text.splitlines(), text)


def test_large_rank():
    for name in ("allgather/bruck", "allgather/recursive-doubling", "allgather/neighbor-exchange"):
        p = 1 << 20 if "neighbor" not in name else 1 << 12
        lines = good("show", name, "--ranks", p, "--rank", p - 1, "--json").splitlines()
        check(json.loads(lines[0])["input"] == [1], name, "header of one rank of many")
        check(len(lines) < 3 * p // 2, name, "rank of many:", len(lines))
    check("rank 5 of 1048576 ranks" in good("show", "allgather/bruck", "--ranks", 1 << 20, "--rank", 5), "text of a rank")


# --- the other commands ------------------------------------------------------------------------------------------------

def test_list():
    keys = ["name", "collective", "algorithm", "ranks", "rooted", "commutative", "pacing", "parameters", "rounds", "source"]
    lines = [json.loads(line) for line in good("list", "--json").splitlines()]
    classes = ["association", "association_powers_of_two"]
    for line in lines:
        reduction = line["collective"].removesuffix("v") in ("reduce", "allreduce", "reduce_scatter", "scan", "exscan")
        classified = reduction and not {"cluster", "forest", "transfers"} & set(line["parameters"])
        check(list(line) == keys[:8] + classes * classified + keys[8:], "list has", list(line))
        check(line["name"] == f"{line['collective']}/{line['algorithm']}", line)
        if line["name"] in NAMES:
            ranks = {"bine": "even", "k-ring": "a multiple of group", "locality-bruck": "a multiple of group",
                     "swing": "power_of_two", "trivance-by-dimension": "a full grid"}.get(line["algorithm"], "any")
            check(line["rooted"] is False and line["ranks"] == ranks and line["pacing"] == "data", line)
    listed = [line["name"] for line in lines]
    networked = [line["name"] for line in lines if {"forest", "transfers"} & set(line["parameters"])]
    blocks = ["allgather", "allgatherv", "reduce_scatter", "reduce_scatterv"]
    check(set(networked) == {f"{what}/forest" for what in [*blocks, "allreduce", "broadcast", "reduce"]} |
          {f"{what}/matched" for what in blocks}, "for networks", networked)
    planned = [line["name"] for line in lines if "cluster" in line["parameters"]] + networked
    check([name for name in listed if name.startswith("allgather") and name not in planned] == NAMES, "listed", listed)
    check({f"{what}/mgo" for what in ["allgather", "barrier", "broadcast", "gather", "gatherv", "reduce", "scatter"]}
          <= set(planned), "planned", planned)
    check_list_tables(lines)
    for words in ["list", "allgather"], ["list", "allgatherv"]:
        check([one["name"] for one in results(*words)] == [name for name in listed if name.startswith(words[1] + "/")], words)
    bad(["list", "all"], "COLLECTIVE", "all")


def check_list_tables(lines):
    """The tables have all names without v, and a note for those with v."""
    listed = []
    for part in good("list").split("\n\n"):
        collective, rest = part.split("\n", 1)
        if rest.startswith(f"{collective}v/ALGORITHM "):
            rest = rest.split("\n", 1)[1]
        else:
            check(not any(line["collective"] == f"{collective}v" for line in lines), collective, "has no note")
        rows = rows_of(rest)
        listed += [f"{collective}/{row['algorithm']}" for row in rows]
        for row in rows:
            one, = (line for line in lines if line["name"] == listed[-len(rows) + rows.index(row)])
            check([row.get(key) for key in ("ranks", "rounds", "source")] == [one[key] for key in ("ranks", "rounds", "source")], row, one)
            every, powers = one.get("association"), one.get("association_powers_of_two")
            check(row.get("association") == (every if every == powers else f"{every}; 2^k: {powers}"), row, one)
        check(good("list", collective) == part.rstrip("\n") + "\n" == good("list", f"{collective}v") if "v/ALGORITHM" in part
              else good("list", collective) == part.rstrip("\n") + "\n", "list", collective)
    names = [line["name"] for line in lines]
    check(sorted(listed) == sorted(name for name in names if name.replace("v/", "/") == name or name.replace("v/", "/") not in names),
          "list and list --json differ", listed)


def test_verify():
    for extra in [], ["--in-place"], ["--block", 0], ["--block", 7], ["--bytes", 1000], ["--element", 8]:
        names = allgathers(proved("verify", "all", "--ranks", "1..16", *extra))
        check(names == [(name, p) for name in PLAIN for p in range(1, 17) if can(name, p)], extra, names)
    counts = ["--counts", "3,0,9,1,0", "--displs", "20,0,1,11,5"]
    for extra in [], ["--in-place"]:
        names = allgathers(proved("verify", "all", "--ranks", 5, *counts, *extra))
        check(names == [(name, 5) for name in IRREGULAR if can(name, 5)], extra, names)
    check(rows_of(good("verify", "allgather/ring", "--ranks", 5, *counts)) ==
          [{"schedule": "allgather/ring", "ranks": "5", "result": "ok"}], "plain name with counts")
    rows = rows_of(good("verify", "all", "--ranks", "9..10"))
    check([(row["schedule"], int(row["ranks"])) for row in rows] == proved("verify", "all", "--ranks", "9..10"), "a table", rows[:3])
    bad(["verify", "barrier/dissemination", "--ranks", "1..65537"], "--ranks", 65537)  # before the first line


def test_run(folder):
    right = good("show", "reduce_scatter/ring", "--ranks", 2, "--block", 4, "--json")
    wrong = [('"from_offset":4', '"from_offset":400', "from_offset of an edge", 400),
             ('"into_offset":0', '"into_offset":400', "into_offset of an edge", 400),
             ('"into":"output"', '"into":"input"', "into of an edge", 0), ('"staging":[4,4]', '"staging":[0,0]', "staging", 0)]
    for on in "inline", "threads", "processes":
        rows = rows_of(good("run", "all", "--ranks", "1..5", "--on", on, "--repeat", 3, "--block", 100))
        wanted = [{"schedule": n, "ranks": str(p), "on": on, "repeat": "3", "result": "ok", "bytes": str(100 * p * p)}
                  for n in PLAIN for p in range(1, 6) if can(n, p)]
        check([row for row in rows if row["schedule"].startswith("allgather")] == wanted, on, rows)
        counts = ["--counts", "3,0,9000,1", "--displs", "9020,0,5,9010"]
        for extra in [], ["--in-place"]:
            rows = [row for row in results("run", "all", "--ranks", 4, "--on", on, *counts, *extra) if row["schedule"] in IRREGULAR]
            check(rows == [{"schedule": n, "ranks": 4, "on": on, "repeat": 1, "result": "ok", "bytes": 4 * 9004} for n in IRREGULAR],
                  on, rows)
        for before, after, what, value in wrong:
            edited = folder / "edited.jsonl"
            edited.write_text(right.replace(before, after))
            check(before in right, "what is edited", before, right)
            bad(["run", f"@{edited}", "--on", on], f"NAME: {what}", value)


def test_run_trace(folder):
    file = folder / "run.json"
    check(proved("run", "allgather/ring", "--ranks", 3, "--block", 8, "--on", "threads", "--trace", file), "a traced run")
    events = json.loads(file.read_text())["traceEvents"]
    begun, ended = ([e for e in events if e["ph"] == phase] for phase in "be")
    check(len(begun) == len(ended) == 3 * 2 * 2, "messages of the trace", len(begun))
    check(all(b["id"] == e["id"] and e["ts"] >= b["ts"] >= 0 for b, e in zip(begun, ended)), "times of the trace", events)
    bad(["run", "allgather/ring", "--ranks", 3, "--on", "inline", "--trace", file], "--trace", file)
    bad(["run", "all", "--ranks", 3, "--on", "threads", "--trace", file], "--trace", file)


def test_metrics():
    lines = good("metrics", "allgather/bruck", "--ranks", "2..9", "--json").splitlines()
    check([json.loads(line)["ranks"] for line in lines] == list(range(2, 10)), "metrics of a range")
    check(good("metrics", "allgather/bruck", "--ranks", 4).startswith("allgather/bruck: 4 ranks\n"), "metrics as text")
    check("association" not in json.loads(lines[0]), "association of an allgather")
    for name, p, expected in (("allreduce/ring", 4, "rank"), ("allreduce/recursive-doubling", 6, "position"),
                              ("allreduce/recursive-doubling", 8, "canonical"), ("scan/linear", 5, "position")):
        words = ["metrics", name, "--ranks", p, "--bytes", 64, "--element", 8]
        for options in [], ["--in-place"]:
            check(json.loads(good(*words, *options, "--json"))["association"] == expected, name, p, options)
        check(f" {expected}\n" in good(*words), name, "association as text")
    check("association" not in json.loads(good("metrics", "allreduce/ring", "--ranks", 1024, "--bytes", 8192, "--json")),
          "association of 2^21 transfers")


def test_study():
    text = good("study", "allgather")
    check("DIFFERS" not in text, "study differs")
    check(text.endswith("\n164 equal, 0 different, 88 without a closed form of the ALCD\n"), text[-200:])
    rows = [line.split() for line in text.splitlines()]
    for row in "64 32 32 2048 1.968750 1.968750 equal", "22 11 11 242 1.826446 1.826446 equal", "9 6 6 34 1.705882 -":
        check(row.split() in rows, "neighbor exchange", row)
    check("    81920  ring " in text and "    81919  recursive-doubling  bruck  " in text, "the switch at 80 KB")
    check("   524289  neighbor-exchange   neighbor-exchange   ring\n" in text, "the switch at 512 KB")
    check(good("study", "allgather", "--ranks", 8).count("equal\n") == 4, "study of one p")
    rows = results("study", "allgather", "--ranks", "7..8")
    check(len(rows) == 8 and rows[0] == {"study": "allgather", "algorithm": "ring", "ranks": 7, "rounds": 6, "messages": 42,
          "alcd": 1.714286, "formula_rounds": 6, "formula_alcd": 1.714286, "equal": True}, "a study as JSON", rows)
    for words, count in ([["gatherv", "--ranks", 4], 60], [["ccsim", "--ranks", 4, "--clusters", 1], 76],
                         [["grouped", "--ranks", 4, "--bytes", 8000], 42],
                         [["allgather", "--cluster", CLUSTERS / "two_sites.json", "--ranks", 4], 12]):
        rows = results("study", *words)
        check(len(rows) == count and all(row["study"] == words[0] for row in rows), words, len(rows), rows[:1])


MODEL = "loggp:L_us=5,o_us=1.5,g_us=0.25,G_ns=0.5"


def test_simulate():
    ring = ["simulate", "allgather/ring", "--block", 8, "--model", MODEL, "--ranks"]
    text = good(*ring, 4, "--json")  # 3 messages one after the other, o + 7 G + L + o each
    check(text == '{"schedule":"allgather/ring","model":"%s",' % MODEL +
          '"finish_us":[24.010500,24.010500,24.010500,24.010500],"completion_us":24.010500}\n', text)
    check(rows_of(good(*ring, 4)) == [{"schedule": "allgather/ring", "ranks": "4", "completion_us": "24.010500", "first_us": "24.010500",
                                     "busiest_rank": "0", "busy_us": "9.000800"}], "simulate as text")
    check('"completion_us":0.000800}' in good(*ring, 1, "--json"), "a copy of 8 bytes at 0.1 ns")
    check('"completion_us":0.000000}' in good(*ring, 1, "--json", "--in-place"), "no copy in place")
    check('"completion_us":0.020000}' in good(*ring[:-2], MODEL + ",copy_ns=2.5", "--ranks", 1, "--json"), "copy_ns")
    connected = good(*ring[:-2], MODEL + ",connection_us=100", "--ranks", 2, "--json")
    check('"completion_us":208.003500}' in connected, "connection_us", connected)
    finest = "loggp:L_us=0.0000014,o_us=0.00000051,g_us=0,G_ns=0,copy_ns=0"  # 1 ps, and 1 ps at either end
    check('"completion_us":0.000003}' in good(*ring[:-2], finest, "--ranks", 2, "--json"), "rounded to picoseconds")
    lines = [json.loads(line) for line in good("simulate", "all", "--ranks", "1..5", "--model", MODEL, "--json").splitlines()]
    check({line["schedule"] for line in lines} >= set(PLAIN), "simulate all")
    for line in lines:
        check(list(line) == ["schedule", "model", "finish_us", "completion_us"], list(line))
        check(line["completion_us"] == max(line["finish_us"]), line)


def test_study_gatherv():
    rows = [line.split() for line in good("study", "gatherv", "--ranks", "2,64,32768").splitlines()]
    # (p-2) max(o, g + 7 G) + o + 7 G + L + o with L = 1, o = g = 0.5 us, G = 0.1 ns
    for p, time, connections, memory in (2, "2.000700", 1, "0.04"), (64, "33.044100", 63, "2.52"), \
            (32768, "16407.936900", 32767, "1311.96"):
        wanted = ["linear", "-", time, "1.000", str(connections), memory, str(p - 1), str(p - 1), "0", "1", "8"]
        for layout in "contiguous", "reversed", "random":
            check([layout, *wanted] in rows, "linear gatherv of", p, layout)
    chained = [row for row in rows if row[:3] == ["contiguous", "binomial-chained", "aggressive"]]
    check(len(chained) == 12 and all(row[-2] == "1" and row[9] == "0" and row[7] == row[8] for row in chained),
          "contiguous chains are received in place", chained)
    for row in chained:
        check((row[5], row[6]) in {("1", "0.04"), ("6", "0.24"), ("15", "0.60")}, row)
    check("memory of connections, MB, linear 1312.12 1311.96 1311.96".split() in rows, "the paper's memory")
    check([row[-3] for row in rows if row[:1] == ["speed-up,"]] == ["41068", "32709"], "the paper's speed-ups")
    free = good("study", "gatherv", "--ranks", 64, "--model", "loggp:L_us=0,o_us=0,g_us=0,G_ns=0,copy_ns=0", "--connection-us", 0)
    check(free.count(" 0.000000 ") >= 60, "a machine on which all is free")
    once, again, other = (good("study", "gatherv", "--ranks", 33, "--seed", seed) for seed in (5, 5, 6))
    check(once == again and once != other, "the seed decides")


def test_svg(folder):
    space = "{http://www.w3.org/2000/svg}"
    for name in PLAIN:
        for p in filter(lambda p: can(name, p), (1, 2, 5, 16, 64)):
            path = folder / "picture.svg"
            check(good("show", name, "--ranks", p, "--svg", path) == "", name, "prints beside the picture")
            picture = xml.parse(path).getroot()
            arrows = [e for e in picture.iter(space + "path") if e.get("class", "").startswith("a h")]
            messages = json.loads(good("metrics", name, "--ranks", p, "--json"))["messages"]
            check(len(arrows) == messages, name, p, "arrows", len(arrows))
            check(all(e.find(space + "title").text.startswith("step ") for e in arrows), name, p, "titles")
            box = [float(x) for x in picture.get("viewBox").split()]
            for text in picture.iter(space + "text"):
                inside = 0 <= float(text.get("x")) <= box[2] and 0 <= float(text.get("y")) <= box[3]
                check(inside, name, p, "text outside", text.attrib)
    check(os.listdir(folder) == ["picture.svg"], "left behind:", os.listdir(folder))
    kept = folder / "link.svg"
    kept.symlink_to(folder / "picture.svg")
    good("show", "allgather/ring", "--ranks", 3, "--svg", kept)
    check(kept.is_symlink() and "3 ranks" in (folder / "picture.svg").read_text(), "a link is followed")
    before = (folder / "picture.svg").read_text()
    bad(["show", "allgather/ring", "--ranks", "5000", "--svg", str(kept)], "--ranks", 5000)
    check((folder / "picture.svg").read_text() == before, "a picture was lost")


class Page(HTMLParser):
    """The links of a page, and the JSON in it."""

    def __init__(self, path):
        super().__init__()
        self.links, self.sources, self.data, self.inside = [], [], "", False
        self.text = path.read_text()
        self.feed(self.text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.links += [attributes["href"]] if tag == "a" else []
        self.sources += [attributes["src"]] if "src" in attributes else []
        self.inside = tag == "script" and attributes.get("type") == "application/json"

    def handle_data(self, data):
        self.data += data if self.inside else ""


def test_html(folder):
    for name, shape in [("allgather/ring", ["--ranks", 8]), ("gatherv/binomial-chained", ["--ranks", 4, "--counts", "3,0,2,1"]),
                        ("alltoall/grouped", ["--ranks", 6, "--group", 2]), ("allreduce/ring", ["--ranks", 5, "--bytes", 9])]:
        path = folder / "page.html"
        check(good("show", name, *shape, "--html", path) == "", name, "prints beside the page")
        lines = [json.loads(line) for line in good("show", name, *shape, "--json").splitlines()]
        data = json.loads(Page(path).data)
        edges = [{"step": message["step"], "src": message["src"], "dst": message["dst"], "from": e[0], "from_offset": e[1],
                  "into": e[2], "into_offset": e[3], "size": e[4], "action": e[5]}
                 for message in data["messages"] for e in message["edges"]]
        check(edges == lines[1:], name, "has other edges on its page")
        check(data["verdict"] == "proved" and data["schedule"] == name, name, "on its page")
    check(os.listdir(folder) == ["page.html"], "left behind:", os.listdir(folder))
    good("show", "allgather/ring", "--ranks", 3, "--in-place", "--html", folder / "page.html")
    check("in place" in Page(folder / "page.html").text, "a page does not say that it is in place")


def test_gallery(folder):
    made = folder / "all"
    check(good("gallery", made) == "", "gallery prints")
    names = [json.loads(line)["name"] for line in good("list", "--json").splitlines()]
    plain = [name for name in names if not (name.split("/")[0].endswith("v") and name.replace("v/", "/", 1) in names)]
    index = Page(made / "index.html")
    files = {f"{name}.{kind}" for name in plain for kind in ("html", "svg")}
    check({str(path.relative_to(made)) for path in made.rglob("*") if path.is_file()} == files | {"index.html"}, "files of the gallery")
    check({link for link in index.links if not link.startswith("#")} == files, "links of the gallery")
    check(set(index.sources) == {f"{name}.svg" for name in plain}, "pictures of the gallery")
    check(all("#" + name.split("/")[0] in index.links for name in plain), "parts of the gallery")
    for name in plain:
        page = Page(made / f"{name}.html")
        data = json.loads(page.data)
        check(page.links == ["../index.html"] and not page.sources, name, "links to", page.links, page.sources)
        check(data["schedule"] == name and data["verdict"] == "proved" and data["ranks"] in (6, 7, 8, 9), name, "in the gallery")
    check(os.listdir(folder) == ["all"], "left behind:", os.listdir(folder))
    (folder / "empty").mkdir()
    good("gallery", folder / "empty", "-p", 3)
    check("p = 3" in (folder / "empty" / "allgather" / "ring.html").read_text(), "a gallery for 3 ranks")
    (folder / "file").write_text("kept")
    for path in made, folder / "file", folder / "no" / "gallery", "/proc/gallery":
        bad(["gallery", str(path)], "DIR", path)
    check((folder / "file").read_text() == "kept", "a file was lost")
    for words, argument, value in [([], "DIR", MISSING), ([""], "DIR", MISSING), (["x", "--ranks", "0"], "--ranks", 0),
                                   (["x", "-p", "33"], "--ranks", 33), (["x", "-p", "two"], "--ranks", "two"), (["x", "y"], "argument", "y")]:
        bad(["gallery", *words], argument, value)
    check(sorted(os.listdir(folder)) == ["all", "empty", "file"] and not Path("x").exists(), "left behind:", os.listdir(folder))


def limited(words, what, most, **options):
    """A call with a limit of a resource."""
    return call(*words, preexec_fn=lambda: resource.setrlimit(what, (most, most)), **options)


def test_output(folder):
    """A file is written completely or keeps its old content, for any fault while writing, and no other file remains."""
    def left(*names):
        check(sorted(os.listdir(folder)) == sorted(names), "left behind:", os.listdir(folder))

    old = folder / "old"
    old.write_text("kept")
    old.chmod(0o640)
    shape = ["allgather/ring", "--ranks", "16"]
    outputs = [("--svg", ["show", *shape]), ("--html", ["show", *shape]), ("--goal", ["show", *shape]), ("--dot", ["show", *shape]),
               ("--c", ["show", *shape]), ("--msccl", ["show", *shape, "--block", "64"]), ("--trace", ["run", *shape, "--on", "threads"]),
               ("--trace", ["simulate", *shape, "--model", MODEL]), ("--svg", ["simulate", *shape, "--model", MODEL])]
    for option, words in outputs:
        for name in "old", "new":
            done = limited([*words, option, folder / name], resource.RLIMIT_FSIZE, 100)
            check(done.returncode == 2 and done.stderr == f"collsched: {option}: got {folder / name}, expected a writable target "
                  "(File too large)\n", words, option, "on a full disk gives", done.returncode, done.stderr)
            check(old.read_text() == "kept", words, option, "lost a file")
            left("old")
    done = limited(["gallery", folder / "gallery"], resource.RLIMIT_FSIZE, 100)
    check(done.returncode == 2 and done.stderr.count("\n") == 1, "a gallery on a full disk gives", done.returncode, done.stderr)
    left("old")
    for target in folder / "no" / "new", Path("/proc/new"), folder / "old" / "new":
        bad(["show", *shape, "--svg", str(target)], "--svg", target)
    left("old")

    good("show", *shape, "--dot", old)
    check(old.read_text().startswith("digraph") and old.stat().st_mode & 0o777 == 0o640, "a file has other permissions")
    for name, to in ("link", "new"), ("chain", "link"), ("loop", "loop"):
        (folder / name).symlink_to(to)
    good("show", *shape, "--dot", folder / "chain")
    check((folder / "new").read_text() == old.read_text() and (folder / "new").is_file(), "a link to nothing is not followed")
    check((folder / "chain").is_symlink() and (folder / "link").is_symlink(), "a link was replaced")
    bad(["show", *shape, "--dot", str(folder / "loop")], "--dot", folder / "loop")
    longest = "x" * 255
    good("show", *shape, "--dot", folder / longest)
    left("old", "link", "chain", "loop", "new", longest)

    for number in signal.SIGINT, signal.SIGTERM:
        busy = subprocess.Popen([PROGRAM, "gallery", str(folder / "gallery"), "-p", "32"], stderr=subprocess.PIPE)
        while busy.poll() is None and not any(name.startswith("collsched.") for name in os.listdir(folder)):
            time.sleep(0.001)
        busy.send_signal(number)
        check(busy.wait(60) == -number and busy.stderr.read() == b"", "interrupted, it ends with", busy.returncode)
        left("old", "link", "chain", "loop", "new", longest)

    ends, begins = os.pipe()
    os.close(ends)
    done = call("show", "allgather/ring", "--ranks", "300", "--json", stdout=begins)
    os.close(begins)
    check(done.returncode == -signal.SIGPIPE and done.stderr == "", "a broken pipe gives", done.returncode, done.stderr)
    for words in (["show", "allgather/ring", "--ranks", "300"], ["verify", "alltoall/pairwise", "--ranks", "300"],
                  ["run", "allgather/ring", "--on", "inline", "--ranks", "16", "--block", "1000000"]):
        for mib in 16, 24, 64:  # 127: not even enough to begin
            done = limited(words, resource.RLIMIT_AS, mib << 20)
            fine = done.returncode == 0 if not done.stderr else done.returncode in (2, 127) and done.stderr.count("\n") == 1
            check(fine, words, "with", mib, "MiB gives", done.returncode, done.stderr[:300])


def test_descriptors(folder):
    """An output named by an open descriptor goes there, in order with what is printed, and nothing that was there is lost."""
    times, log, link = folder / "times", folder / "log", folder / "link"
    times.write_text(TIMES)
    fit = ["fit", "--from", times, "--csv"]
    printed = good(*fit, folder / "csv")
    csv = (folder / "csv").read_text()
    check(csv.count("\n") > 1 and printed, "no output to compare")
    for name in "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "/proc/thread-self/fd/1", f"{folder}/../{folder.name}/link":
        for mode in "a", "w":
            link.unlink(missing_ok=True)
            link.symlink_to("/proc/self/fd/1")
            log.write_text("precious\n")
            with open(log, mode) as out:
                out.write("begin\n")
                out.flush()
                done = call(*fit, name, stdout=out)
                out.write("end\n")
            before = "precious\nbegin\n" if mode == "a" else "begin\n"
            check(done.returncode == 0 and log.read_text() == f"{before}{csv}{printed}end\n", name, mode, "gives", done.stderr, log.read_text())
            check(link.is_symlink(), name, "replaces a link")
    # Text that a command prints before its output is in front of it.
    line, trace = good("run", "allgather/ring", "--ranks", 4, "--on", "threads", "--json", "--trace", "/dev/stdout").split("\n", 1)
    check(json.loads(line)["result"] == "ok" and isinstance(json.loads(trace), (dict, list)), "another order:", line)
    with open(log, "r+") as out:  # a descriptor of a removed file
        log.unlink()
        done = call(*fit, f"/dev/fd/{out.fileno()}", pass_fds=[out.fileno()])
        out.seek(0)
        check(done.stdout == printed and out.read().startswith(csv), "a removed file has", done.returncode, done.stderr)
    check(not any("deleted" in name for name in os.listdir(folder)), "left behind:", os.listdir(folder))
    test_wrong_descriptors(folder, fit)


def test_wrong_descriptors(folder, fit):
    """Outputs through a descriptor that cannot be written, that are two in one file, or that are an input."""
    log, kept = folder / "log", (folder / "times").read_text()
    log.write_text("precious")
    simulate = ["simulate", "allgather/ring", "--ranks", 4, "--model", MODEL]
    with open(log) as unwritable, open(log, "a") as out, open(folder / "times", "a") as times:
        for number in unwritable.fileno(), 999:
            bad([*fit, f"/dev/fd/{number}"], "--csv", f"/dev/fd/{number}", pass_fds=[unwritable.fileno()])
        bad([*fit, f"/dev/fd/{times.fileno()}"], "--csv", f"/dev/fd/{times.fileno()}", pass_fds=[times.fileno()])
        name = f"/dev/fd/{out.fileno()}"
        for first, second in (name, name), (log, name), (name, log):
            bad([*simulate, "--trace", first, "--svg", second], "--svg", second, pass_fds=[out.fileno()])
            log.write_text("precious")
        done = call(*fit, log, stdout=out)  # the printed text would be lost with the file
        check(done.returncode == 2 and done.stderr.count("\n") == 1 and log.read_text() == "precious", "standard output:", done.stderr)
    check((folder / "times").read_text() == kept, "an input changes")
    saved = folder / "saved"
    choose = ["choose", "barrier", "--ranks", 2, "--model", MODEL, "--save"]
    good(*choose, saved)
    with open(saved, "a") as out:  # a table in front of another is none
        kept = saved.read_text()
        bad([*choose, f"/dev/fd/{out.fileno()}"], "--save", f"/dev/fd/{out.fileno()}", pass_fds=[out.fileno()])
        check(saved.read_text() == kept, "--save adds a second table")
    gallery = folder / "gallery"
    gallery.mkdir()
    descriptor = os.open(gallery, os.O_RDONLY)
    gallery.rmdir()
    bad(["gallery", f"/dev/fd/{descriptor}"], "DIR", f"/dev/fd/{descriptor}", pass_fds=[descriptor])
    os.close(descriptor)
    check(not any("deleted" in name or name.startswith("collsched.") for name in os.listdir(folder)), "left behind:", os.listdir(folder))


def test_pipes(folder):
    """A pipe as an output is written and not replaced, also behind a link."""
    os.mkfifo(folder / "pipe")
    (folder / "link").symlink_to("pipe")
    show = ["show", "allgather/ring", "--ranks", 4, "--dot"]
    good(*show, folder / "file")
    for name in "pipe", "link":
        reader = os.open(folder / "pipe", os.O_RDONLY | os.O_NONBLOCK)
        good(*show, folder / name)
        check(os.read(reader, 1 << 20).decode() == (folder / "file").read_text(), name, "receives another text")
        os.close(reader)
    check((folder / "pipe").is_fifo() and (folder / "link").is_symlink(), "a pipe or a link was replaced")


def test_ranks(folder):
    """The number of ranks follows from options with one entry per rank, and must agree with --ranks."""
    (folder / "matrix").write_text("1 2 0\n3 0 4\n0 5 6\n")
    (folder / "neighbors").write_text("[[1,2],[0],[]]")
    (folder / "cluster").write_text(json.dumps(CLUSTER))
    cluster = ["--cluster", folder / "cluster"]
    sources = [(["allgather/ring"], ["--counts", "3,0,2"]), (["scatter/binomial"], ["--counts", "3,0,2"]),
               (["allgatherv/ring"], ["--counts", "3,0,2", "--displs", "2,0,0"]), (["gatherv/mgo", *cluster], ["--counts", "3,0,2"]),
               (["alltoallv/ring"], ["--matrix", folder / "matrix"]), (["neighbor_allgather/linear"], ["--neighbors", folder / "neighbors"]),
               (["neighbor_alltoallv/linear", "--neighbors", folder / "neighbors"], ["--counts", "3,0,2"]),
               (["neighbor_allgather/linear"], ["--dims", "3"]), (["alltoall/grouped"], ["--order", "2,0,1"]),
               (["allreduce/hierarchical"], ["--placement", "A,B,A"])]
    commands = [["show"], ["show", "--json"], ["verify"], ["metrics"], ["simulate", "--model", MODEL], ["run", "--on", "inline"]]
    for name, option in sources:
        for command, *words in commands:
            check(good(command, *name, *option, *words) == good(command, *name, *option, *words, "--ranks", 3), command, name, option)
        if name[1:2] == ["--neighbors"]:  # the counts are those of slots
            continue
        said = str(option[-1] if "--displs" not in option else option[1])
        for ranks in 2, 4, "1..3":
            done = call("verify", *name, *option, "--ranks", ranks)
            check(done.returncode == 2 and not done.stdout and done.stderr.count("\n") == 1, option, ranks, done.stderr)
            check(option[0] in done.stderr or said in done.stderr, option, ranks, done.stderr)
    check(good("verify", "all", "--counts", "3,0,2") == good("verify", "all", "--counts", "3,0,2", "--ranks", 3), "all, counted")
    choose = ["choose", "allgather", "--counts", "3,0,2", "--model", MODEL]
    check(good(*choose) == good(*choose, "--ranks", 3), "choose, counted")
    plan = ["plan", "ft", *cluster, "--placement", "a0,b1,b1,a2", "--json"]
    check(good(*plan) == good(*plan, "--ranks", 4), "plan, placed")
    bad(["plan", "ft", *cluster, "--placement", "a0,b1,b1", "--ranks", 4], "--placement", "3 nodes")
    bad(["show", "alltoall/grouped", "--order", "0,1,2,2"], "--order[3]", 2)
    bad(["verify", "allgather/ring"], "--ranks", MISSING)


def commands():
    return re.findall(r"^  (\w+)  ", good("--help").split("Commands:")[1].split("Examples:")[0], re.MULTILINE)


def file_options():
    """(command, option) of every option that names a file or a folder, as the help texts list them."""
    found = set()
    for command in commands():
        text = good(command, "--help")
        found |= {(command, name) for name, unit in re.findall(r"^  (?:-\w, )?(--[\w-]+) (\S+)", text, re.MULTILINE) if unit == "FILE"}
        found |= {(command, "DIR") for line in text.splitlines() if line.startswith("  DIR ")}
    return found


NETWORK = {"ranks": ["a", "b", "c", "d"],
           "links": [{"from": one, "to": other, "bandwidth_Bps": 10, "latency_us": 1}
                     for one in "abcd" for other in "abcd" if one != other]}
INPUT_OPTIONS = {"--check", "--choose", "--cluster", "--explain", "--from", "--hosts", "--matrix", "--neighbors", "--mpich-base", "--network", "--read", "--starts",
                 "--table"}
SELECTED = ["allgather", "allreduce", "alltoall", "bcast", "reduce", "reduce_scatter", "reduce_scatter_block"]  # by files of MPICH


def test_published(folder):
    """Where standard output cannot be written, no file is: neither a new one, nor instead of what was there."""
    kept = '{"format":"collsched decisions","version":1,"rows":[]}'  # a file to which --save can add
    old = folder / "old"
    old.write_text(kept)
    (folder / "cluster").write_text(json.dumps(CLUSTER))
    (folder / "base").write_text(json.dumps({f"collective={name}": {"comm_type=intra": {"algorithm=old": {}}} for name in SELECTED}))
    (folder / "times").write_text(TIMES)
    (folder / "network").write_text(json.dumps(NETWORK))
    before = sorted(["old", "cluster", "base", "times", "network"])
    ring, model, table = ["allgather/ring", "--ranks", 4, "--block", 64], ["--model", MODEL], ["table", "allgather", "--ranks", 2, "--sizes", 8]
    runs = [(["show", *ring], option, False)
            for option in ("--svg", "--html", "--goal", "--dot", "--msccl", "--rccl", "--mscclpp", "--c")]
    runs += [(["simulate", *ring, *model], option, True) for option in ("--trace", "--svg", "--path-svg")]
    runs += [(["run", *ring, "--on", "threads"], "--trace", True), (["calibrate", "--on", "threads"], "--file", True),
             (["fit", "--from", folder / "times"], "--csv", True),
             (["fit", "--from", folder / "times", "--choose", folder / "times"], "--out", True),
             (["plan", "mgo", "--cluster", folder / "cluster"], "--svg", False),
             (["bound", "allgather", "--network", folder / "network"], "--svg", True),
             (["synthesize", "allgather", "--network", folder / "network"], "--svg", True),
             (["choose", "barrier", "--ranks", 2, *model], "--save", True), ([*table, *model], "--header", True), ([*table, *model], "--svg", True), ([*table, *model], "--openmpi", True),
             ([*table, *model, "--mpich-base", folder / "base"], "--mpich", True),
             (["study", "ccsim", "--ranks", "4", "--clusters", 1], "--svg", True),
             (["study", "grouped", "--ranks", 4, "--bytes", 8000], "--svg", True)]
    written = {(words[0], option) for words, option, _ in runs}
    listed = {(command, option) for command, option in file_options() if option not in INPUT_OPTIONS}
    check(listed - {("gallery", "DIR"), ("table", "--out")} == written, "options that name files:", listed ^ written)
    for words, option, prints in runs:
        for name in "old", "new":
            for closed in True, False:
                with open("/dev/full", "w") as full:
                    done = call(*words, option, folder / name, stdout=None if closed else full, preexec_fn=(lambda: os.close(1)) if closed else None)
                if prints:
                    check(done.returncode == 2 and done.stderr.startswith("collsched: standard output: got stdout, expected ")
                          and done.stderr.count("\n") == 1, words, option, "without standard output gives", done.returncode, done.stderr)
                    check(sorted(os.listdir(folder)) == before, words, option, "left behind:", os.listdir(folder))
                    check(old.read_text() == kept, words, option, "replaced a file")
                else:
                    check(done.returncode == 0 and (folder / name).stat().st_size > 10, words, option, "gives", done.returncode, done.stderr)
                    old.write_text(kept)
                    (folder / "new").unlink(missing_ok=True)
    three = [*table, *model, "--header", folder / "old", "--openmpi", folder / "new", "--mpich", folder / "no" / "new", "--mpich-base", folder / "base"]
    bad(three, "--mpich", folder / "no" / "new")
    check(sorted(os.listdir(folder)) == before and old.read_text() == kept, "one of three files fails, and others are written")
    link = folder / "link"
    link.symlink_to(folder / "new")
    for name in folder / "new", f"{folder}/./new", f"{folder}/../{folder.name}/new", link:
        bad([*table, *model, "--header", folder / "new", "--openmpi", name], "--openmpi", name)
    bad(["simulate", *ring, *model, "--trace", folder / "new", "--svg", f"{folder}/./new"], "--svg", f"{folder}/./new")
    check(sorted(os.listdir(folder)) == sorted([*before, "link"]), "two outputs to one file leave", os.listdir(folder))
    link.unlink()

    ends, begins = os.pipe()
    os.close(ends)
    done = call("simulate", *ring, *model, "--trace", folder / "old", stdout=begins)
    os.close(begins)
    check(done.returncode == -signal.SIGPIPE and done.stderr == "", "a broken pipe gives", done.returncode, done.stderr)
    check(sorted(os.listdir(folder)) == before and old.read_text() == kept, "a broken pipe leaves", os.listdir(folder))
    for number in 1, 2:  # a closed stream's number is not that of a file
        done = call("show", *ring, "--dot", folder / "new", preexec_fn=lambda: os.close(number))
        check((folder / "new").read_text().endswith("}\n"), number, "closed changes a file")


def input_runs(folder):
    """The words that read each kind of input, by (command, option), for all commands with outputs. NAME and --model name @FILE."""
    def file(name, text):
        (folder / name).write_text(text)
        return folder / name

    table, small = ["allgather", "--model", MODEL], ["--ranks", 4, "--sizes", 8]
    cluster, network = file("cluster", json.dumps(CLUSTER)), file("network", json.dumps(NETWORK))
    base = file("base", json.dumps({f"collective={name}": {"comm_type=intra": {"algorithm=old": {}}} for name in SELECTED}))
    hosts = file("hosts", "a0\na1\nb0\nb1\n")
    good("choose", "allgather", "--ranks", 4, "--model", MODEL, "--save", folder / "decisions")
    shapes = {"NAME": ["@" + str(file("lines", good("show", "allgather/ring", "--ranks", 4, "--block", 8, "--json")))],
              "--matrix": ["alltoallv/ring", "--matrix", file("matrix", "1 2 0\n3 0 4\n0 5 6\n")],
              "--neighbors": ["neighbor_allgather/linear", "--neighbors", file("neighbors", "[[1,2],[0],[]]")],
              "--cluster": ["broadcast/mgo", "--cluster", cluster], "--hosts": ["allreduce/hierarchical", "--bytes", 8, "--hosts", hosts],
              "--network": ["allgather/forest", "--network", network]}
    ring, times = ["allgather/ring", "--ranks", 4], file("times", TIMES)
    runs = {(command, option): [*words, *more] for option, words in shapes.items()
            for command, more in (("show", []), ("run", ["--on", "threads"]), ("simulate", ["--model", MODEL]))}
    runs |= {("simulate", "--model"): [*ring, "--model", "@" + str(file("model", MODEL))],
             ("simulate", "--starts"): [*ring, "--model", MODEL, "--starts", file("starts", "0\n" * 4)],
             ("plan", "--cluster"): ["mgo", "--cluster", cluster], ("plan", "--hosts"): ["mgo", "--cluster", cluster, "--hosts", hosts],
             ("bound", "--network"): ["allgather", "--network", network], ("synthesize", "--network"): ["allgather", "--network", network],
             ("fit", "--from"): ["--from", times], ("fit", "--choose"): ["--from", times, "--choose", file("cases", TIMES)],
             ("table", "--cluster"): [*table, *small, "--cluster", cluster],
             ("table", "--hosts"): [*table, *small, "--cluster", cluster, "--hosts", hosts],
             ("table", "--network"): ["allgather", *small, "--network", network], ("table", "--mpich-base"): [*table, *small, "--mpich-base", base],
             ("table", "--model"): ["allgather", *small, "--model", "@" + str(folder / "model")], ("table", "--read"): ["--read", folder / "decisions"]}
    return runs


def file_of(word):
    path = Path(str(word).removeprefix("@"))
    return path if path.is_file() else None


def test_inputs_kept(folder):
    """No output replaces an input, under any name of the file: each output option of a command with each of its inputs."""
    runs, listed = input_runs(folder), file_options()
    outputs = {command: [option for name, option in listed if name == command and option not in INPUT_OPTIONS] for command, _ in listed}
    apart = {("table", "--check"), ("table", "--explain"), ("study", "--cluster")}  # no output goes with them; --save of choose updates its file
    wanted = {(command, option) for command, option in listed if option in INPUT_OPTIONS and outputs[command] and command != "choose"} - apart
    check(wanted == {pair for pair in runs if pair[1] not in ("NAME", "--model")}, "inputs:", wanted ^ set(runs))
    used, files = set(), sorted([*os.listdir(folder), "symbolic", "hard"])
    for (command, option), words in runs.items():
        file = next(file_of(word) for word in reversed(words) if file_of(word))
        kept = file.read_bytes()
        names = [file, f"{folder}/./{file.name}", f"{folder}/../{folder.name}/{file.name}", os.path.relpath(file), folder / "symbolic", folder / "hard"]
        os.symlink(file, folder / "symbolic")
        os.link(file, folder / "hard")
        for output in outputs[command]:
            more = ["--mpich-base", folder / "base"] if output == "--mpich" and option != "--mpich-base" else []
            done = call(command, *words, *more, output, folder / "new").returncode == 0
            for name in names if done else []:
                bad([command, *words, *more, output, name], output, name)
                check(file.read_bytes() == kept, command, option, output, name, "replaces the input")
            used |= {(command, option), (command, output)} if done else set()
            (folder / "new").unlink(missing_ok=True)
            (folder / "new.cells").unlink(missing_ok=True)  # of table --out
        check(sorted(os.listdir(folder)) == files, command, option, "leaves", os.listdir(folder))
        (folder / "symbolic").unlink()
        (folder / "hard").unlink()
    unused = set(runs) | {(command, output) for command, _ in runs for output in outputs[command]}
    check(unused == used, "options that no other goes with:", unused - used)
    test_other_inputs(folder)


def test_other_inputs(folder):
    """Inputs that no option names, two names of one output, and the file that --save updates."""
    prefix = folder / "trace"
    (folder / "trace.0.et").write_text((folder / "lines").read_text())
    bad(["show", f"@{prefix}.0.et", "--chakra", prefix], "--chakra", f"{prefix}.0.et")
    (folder / "main.conf").write_text("include part.conf\n")
    (folder / "part.conf").write_text((CLUSTERS / "leaf_spine.conf").read_text())
    rates = ["--overhead-us", 1, "--latency-us", 1, "--bandwidth-MBps", 100, "--uplink-latency-us", 1, "--uplink-bandwidth-MBps", 100]
    bad(["plan", "mgo", "--cluster", folder / "main.conf", *rates, "--svg", folder / "part.conf"], "--svg", folder / "part.conf")
    (folder / "one").write_text("1")
    os.link(folder / "one", folder / "two")
    simulate = ["simulate", "allgather/ring", "--ranks", 4, "--model", MODEL]
    bad([*simulate, "--trace", folder / "one", "--svg", folder / "two"], "--svg", folder / "two")
    check((folder / "one").read_text() == "1", "two names of one output")
    for _ in range(2):
        good("choose", "barrier", "--ranks", 2, "--model", MODEL, "--save", folder / "saved")


GROUPS = ["Usage", "Examples", "Arguments", "Shape", "Algorithm parameters", "Cluster", "Model", "Output", "Options", "Notes"]


def examples(text):
    """The commands below Examples in a help text."""
    return [line.split()[1:] for line in text.split("Examples:\n")[1].split("\n\n")[0].splitlines()]


def test_help(folder):
    """Help texts are short or grouped, fit a screen, and their examples work."""
    short = good("--help")
    for words in [], ["-h"], ["help"]:
        check(good(*words) == short, words, "is another help")
    check(len(short.splitlines()) < 30 and len(examples(short)) == 3, "a long help", short)
    (folder / "cluster.json").write_text(json.dumps(CLUSTER))
    (folder / "network.json").write_text(json.dumps(NETWORK))
    for name in "measured.csv", "cases.csv":
        (folder / name).write_text(TIMES)
    (folder / "osu_allreduce.txt").write_text(OSU)
    (folder / "report.json").write_text(json.dumps(REPORT))
    texts = [short]
    for name in commands():
        text = good(name, "--help")
        texts.append(text)
        check(text == good(name, "-h") == good("help", name), name, "-h")
        lines = text.splitlines()
        check(re.fullmatch(r"[A-Z][^.]*\.", lines[0]) and lines[2].startswith(f"Usage: collsched {name}"), name, lines[:3])
        headings = re.findall(r"^([A-Z][\w ]*):", text, re.MULTILINE)
        check(headings == [group for group in GROUPS if group in headings], name, headings)
        check({"Usage", "Examples", "Options"} <= set(headings), name, headings)
    for text in texts:
        check(all(len(line) <= 120 for line in text.splitlines()), "a wide help", max(text.splitlines(), key=len))
        for words in examples(text):
            done = call(*words, cwd=folder)
            check(done.returncode == 0 and not done.stderr and (done.stdout or "--svg" in words or words[0] == "gallery"),
                  "example", words, done.returncode, done.stderr)
    check(good("--version").startswith("collsched "), "--version")


def on_terminal(*words, **environment):
    """The output of a command on a terminal, which is its standard output and standard error."""
    child, descriptor = pty.fork()
    if child == 0:
        os.environ.update({"TERM": "xterm", "NO_COLOR": ""} | environment)
        os.execv(PROGRAM, [PROGRAM, *map(str, words)])
    text = b""
    try:
        while part := os.read(descriptor, 1 << 16):
            text += part
    except OSError:  # the end, on Linux
        pass
    os.waitpid(child, 0)
    os.close(descriptor)
    return text.decode().replace("\r\n", "\n")


def shown(text):
    """The text that remains on the screen: progress is erased, and colors are no text."""
    return re.sub(r"\x1b\[\d+m", "", re.sub(r"\r\x1b\[K[^\r\n]*(?=\r\x1b\[K)|\r\x1b\[K", "", text))


def test_terminal(folder):
    """Colors and progress are on terminals only, and erased or without effect on the text."""
    two_sites = CLUSTERS / "two_sites.json"
    runs = [["list", "scan"], ["verify", "all", "--ranks", 3], ["choose", "scan", "--ranks", 4, "--bytes", 64, "--model", MODEL],
            ["--help"], ["study", "allgather", "--cluster", two_sites, "--ranks", 4],
            ["table", "scan", "--ranks", 2, "--sizes", 8, "--model", MODEL]]
    for words in runs:
        plain, text = good(*words), on_terminal(*words)
        check("\x1b" not in plain and "\r" not in plain, words, "writes escapes to a pipe")
        check(shown(text) == plain, words, "shows another text on a terminal", repr(text[:300]))
        colored = "\x1b[1m" in text
        check(colored or words[0] in ("study", "table"), words, "has no bold heading", repr(text[:300]))
        check(("\r\x1b[K" in text) == (words[0] in ("verify", "choose", "study", "table")), words, "progress", repr(text[:300]))
        for off in {"NO_COLOR": "1"}, {"TERM": "dumb"}, {"TERM": ""}:
            check("m" not in re.findall(r"\x1b\[\d*(\w)", on_terminal(*words, **off)), words, "has colors with", off)
    check("\x1b" not in on_terminal("verify", "all", "--ranks", 3, "--json"), "progress beside JSON")
    check("\x1b[32m" in on_terminal(*runs[2]), "the best is not green")
    done = on_terminal("gallery", folder / "gallery", "-p", 2)
    check("\r\x1b[K" in done and shown(done) == "", "the progress of a gallery remains", repr(done[-200:]))
    lines = good("show", "allgather/ring", "--ranks", 2, "--json").splitlines()
    (folder / "edited.jsonl").write_text("\n".join(lines[:-1]))
    check("\x1b[31m" in on_terminal("verify", f"@{folder / 'edited.jsonl'}"), "a failure is not red")


def completed(folder, *words):
    """The completions of the last word in bash."""
    script = f"""source <({PROGRAM} completion bash); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _collsched
                 printf '%s\\n' "${{COMPREPLY[@]}}" """
    done = subprocess.run(["bash", "-c", script, "bash", "collsched", *words], text=True, capture_output=True, cwd=folder)
    check(done.returncode == 0 and not done.stderr, "completion of", words, done.stderr)
    return done.stdout.split()


def test_completion(folder):
    """Commands, options, names, values and files are completed as the help texts list them."""
    (folder / "ring.jsonl").write_text("")
    (folder / "pictures").mkdir()
    check(completed(folder, "s") == ["show", "synthesize", "simulate", "study"], "commands", completed(folder, "s"))
    check(set(commands()) <= set(completed(folder, "")), "commands", completed(folder, ""))
    for name in commands():
        options = set(re.findall(r"^  (?:-\w, )?(--[\w-]+)", good(name, "--help"), re.MULTILINE))
        check(set(completed(folder, name, "--")) == options, name, "options", options ^ set(completed(folder, name, "--")))
    names = [line["name"] for line in results("list")]
    check(completed(folder, "show", "allgather/r") == [name for name in names if name.startswith("allgather/r")], "names")
    check("all" in completed(folder, "verify", "") and "all" not in completed(folder, "show", ""), "all")
    for words, wanted in [(["choose", "allg"], ["allgather", "allgatherv"]), (["choose", "MPI_Bc"], ["MPI_Bcast"]), (["table", "bc"], ["bcast"]), (["run", "all", "--on", "t"], ["threads"]),
                          (["plan", "refi"], ["refined"]), (["study", "cc"], ["ccsim"]), (["verify", "@ri"], ["@ring.jsonl"]),
                          (["verify", "@", "ri"], ["ring.jsonl"]), (["show", "allgather/ring", "--svg", "ri"], ["ring.jsonl"]),
                          (["gallery", "pi"], ["pictures"]), (["table", "all", "--openmpi-version", "5"], ["5.0"]),
                          (["show", "allgather/ring", "--ranks", ""], []), (["completion", "b"], ["bash"]),
                          (["simulate", "all", "--model", "ho"], ["hockney:"])]:
        check(completed(folder, *words)[:len(wanted) or 1] == wanted, words, completed(folder, *words))
    bad(["completion"], "SHELL", MISSING)
    bad(["completion", "zsh"], "SHELL", "zsh")


# --- mistakes ----------------------------------------------------------------------------------------------------------

RING = ["show", "allgather/ring", "--ranks"]
BIG = "9223372036854775807"
HUGE = "99999999999999999999"
SIMULATE = ["simulate", "allgather/ring", "--ranks", "4", "--model"]


def test_mistakes(folder):
    for words, argument, value in [
            (["draw"], "command", "draw"), ([""], "command", MISSING),
            (["--ranks", "3"], "command", "--ranks"), (["--ranks", "3", "list"], "option", "--ranks"), (["list", "scan", "all"], "argument", "all"), (["list", "list"], "COLLECTIVE", "list"), (["help", "draw"], "command", "draw"),
            (["plan", "mgo", "--cluster", ""], "--cluster", "No such file or directory"),
            ([*RING, "x" * 3000], "--ranks", "x" * 400 + "..."),
            (["list", "--json=maybe"], "--json", "maybe"), (["list", "--jsn"], "option", "--jsn"),
            (["show"], "NAME", MISSING), (["show", "", "--ranks", "4"], "NAME", MISSING),
            (["show", "gather/ring", "--ranks", "4"], "NAME", "gather/ring"),
            (["show", "allgather/rign", "--ranks", "4"], "NAME", "allgather/rign"),
            (["show", "allgather/neighbor_exchange", "--ranks", "4"], "NAME", "allgather/neighbor_exchange"),
            (["show", "ALLGATHER/RING", "--ranks", "4"], "NAME", "ALLGATHER/RING"),
            (["show", "all", "--ranks", "4"], "NAME", "all"), (["show", "a\nb\x7f", "--ranks", "4"], "NAME", r"a\x0ab\x7f"),
            (["show", b"\xff\xc3\xa9", "--ranks", "4"], "NAME", "\\xff\u00e9"),
            (["show", "a\u202eb\u0085", "--ranks", "4"], "NAME", r"a\xe2\x80\xaeb\xc2\x85"),
            (["show", "@nowhere.jsonl", "--ranks", "4"], "NAME", "@nowhere.jsonl: got No such file or directory"),
            (["show", "allgather/ring"], "--ranks", MISSING), (RING, "--ranks", MISSING),
            ([*RING, ""], "--ranks", MISSING), ([*RING, "0"], "--ranks", 0), ([*RING, "-3"], "--ranks", -3),
            (["show", "allgather/ring", "--ranks=-3"], "--ranks", -3), ([*RING, "four"], "--ranks", "four"),
            ([*RING, "4x"], "--ranks", "4x"), ([*RING, " 4"], "--ranks", " 4"), ([*RING, "+4"], "--ranks", "+4"),
            ([*RING, "4.0"], "--ranks", "4.0"), ([*RING, "0x4"], "--ranks", "0x4"), ([*RING, "1e3"], "--ranks", "1e3"),
            ([*RING, HUGE], "--ranks", HUGE), ([*RING, "-" + HUGE], "--ranks", "-" + HUGE), ([*RING, "2..4"], "--ranks", "2..4"),
            ([*RING, "4", "--ranks", "5"], "--ranks", "4 and 5"), ([*RING, "4", "5"], "argument", 5),
            ([*RING, "1000000"], "--ranks", 1000000), ([*RING, BIG], "--ranks", BIG),
            ([*RING, "4", "--block", "-1"], "--block", -1), ([*RING, "4", "--block", "2X"], "--block", "2X"),
            ([*RING, "4", "--block", HUGE], "--block", HUGE), ([*RING, "4", "--block", BIG], "--block", BIG),
            ([*RING, "4", "--block", "2305843009213693952"], "--block", "2305843009213693952"),
            ([*RING, "4", "--bytes", "-8"], "--bytes", -8), ([*RING, "4", "--block", "2", "--bytes", "8"], "--bytes", 8),
            ([*RING, "2", "--block", "2", "--counts", "1,2"], "--counts", "1,2"),
            ([*RING, "4", "--counts", "1,2,3"], "--counts", "1,2,3"),
            ([*RING, "2", "--counts", "1,2,3"], "--counts", "1,2,3"), ([*RING, "2", "--counts", ""], "--counts", MISSING),
            ([*RING, "3", "--counts", "1,-2,3"], "--counts[1]", -2), ([*RING, "3", "--counts", "1,,3"], "--counts[1]", MISSING),
            ([*RING, "3", "--counts", "1,2,3,"], "--counts[3]", MISSING), ([*RING, "3", "--counts", "1;2;3"], "--counts[0]", "1;2;3"),
            ([*RING, "3", "--counts", "[1,2,3]"], "--counts[0]", "[1"), ([*RING, "3", "--counts", f"{BIG},1,1"], "--counts[1]", 1),
            ([*RING, "3", "--counts", f"1,2,{HUGE}"], "--counts[2]", HUGE),
            ([*RING, "3", "--displs", "0,1,2"], "--displs", "0,1,2"),
            ([*RING, "3", "--counts", "1,1,1", "--displs", "0,1"], "--displs", "0,1"),
            ([*RING, "3", "--counts", "1,2,3", "--displs", "0,1,2"], "--displs[2]", 2),
            ([*RING, "3", "--counts", "1,1,1", "--displs", "0,-1,2"], "--displs[1]", -1),
            ([*RING, "3", "--counts", "1,1,1", "--displs", f"0,1,{BIG}"], "--displs[2]", BIG),
            ([*RING, "4", "--element", "0"], "--element", 0), ([*RING, "4", "--element", "4", "--block", "6"], "--element", 4),
            ([*RING, "4", "--element", "3", "--bytes", "8"], "--element", 3),
            ([*RING, "2", "--element", "4", "--counts", "4,6"], "--element", 4),
            (["show", "allgatherv/ring", "--ranks", "4"], "--counts", MISSING),
            (["verify", "allgatherv/ring", "--ranks", "4", "--block", "4"], "--counts", MISSING),
            ([*RING, "4", "--rank", "4"], "--rank", 4), ([*RING, "4", "--rank", "-1"], "--rank", -1),
            ([*RING, "4", "--rank", "one"], "--rank", "one"), ([*RING, "4", "--root", "0"], "--root", 0),
            ([*RING, "4", "--root", "-1"], "--root", -1), ([*RING, "4", "--radix=3"], "--radix", 3),
            ([*RING, "4", "--matrix", "m.txt"], "--matrix", "m.txt: got No such file or directory"),
            (["show", "--rnks", "4", "allgather/ring"], "option", "--rnks"),
            ([*RING, "4", "--json", "--svg", "x.svg"], "--svg", "x.svg"),
            ([*RING, "4", "--svg", "x.svg", "--rank", "1"], "--rank", 1), ([*RING, "4", "--svg", ""], "--svg", MISSING),
            ([*RING, "4", "--svg", f"{folder}/no/x.svg"], "--svg", f"{folder}/no/x.svg"),
            ([*RING, "4", "--svg", str(folder)], "--svg", folder), ([*RING, "4", "--svg", "/dev/full"], "--svg", "/dev/full"),
            ([*RING, "1025", "--svg", "x.svg"], "--ranks", 1025), ([*RING, "400", "--svg", "x.svg"], "--ranks", 400),
            ([*RING, "129", "--html", "x.html"], "--ranks", 129), ([*RING, "100", "--html", "x.html"], "--ranks", 100),
            ([*RING, "4", "--html", ""], "--html", MISSING), ([*RING, "4", "--html", "/dev/full"], "--html", "/dev/full"),
            ([*RING, "4", "--svg", "x.svg", "--html", "x.html"], "--html", "x.html"),
            (["verify", "all"], "--ranks", MISSING), (["verify", "--ranks", "4"], "NAME", MISSING),
            (["verify", "every", "--ranks", "4"], "NAME", "every"), (["verify", "all", "--ranks", "4..2"], "--ranks", "4..2"),
            (["verify", "all", "--ranks", "0..2"], "--ranks", "0..2"), (["verify", "all", "--ranks", "1.."], "--ranks", "1.."),
            (["verify", "all", "--ranks", "1..2..3"], "--ranks", "1..2..3"), (["verify", "all", "--ranks", "..3"], "--ranks", "..3"),
            (["verify", "all", "--ranks", "4", "--rank", "1"], "option", "--rank"), (["verify", "all", "--ranks", BIG], "--ranks", BIG),
            (["verify", "all", "--ranks", "2..4", "--counts", "1,2,3"], "--counts", "1,2,3"),
            (["metrics", "all", "--ranks", "4"], "NAME", "all"), (["metrics", "allgather/ring", "--ranks", BIG], "--ranks", BIG),
            (["metrics", "allgather/ring", "--ranks", "4", "--svg", "x"], "option", "--svg"),
            (["run", "all", "--ranks", "4"], "--on", MISSING), (["run", "all", "--ranks", "4", "--on", "mpi"], "--on", "mpi"),
            (["run", "all", "--ranks", "4", "--on", "inline", "--repeat", "0"], "--repeat", 0),
            (["run", "all", "--ranks", "4", "--on", "inline", "--repeat", BIG], "--repeat", BIG),
            (["run", "all", "--ranks", "5000", "--on", "threads"], "--ranks", 5000),
            (["run", "all", "--ranks", "129", "--on", "processes"], "--ranks", 129),
            (["run", "all", "--ranks", "4", "--on", "inline", "--block", "1000000000000"], "--ranks", 4),
            ([*SIMULATE[:4]], "--model", MISSING), ([*SIMULATE, "logp:L_us=1"], "--model", "logp:L_us=1"),
            ([*SIMULATE, ""], "--model", MISSING), ([*SIMULATE, "loggp"], "--model", "loggp"), ([*SIMULATE, "loggp:"], "--model", "loggp:"),
            ([*SIMULATE, "loggp:L_us=1,o_us=1,g_us=1"], "--model[G_ns]", MISSING),
            ([*SIMULATE, MODEL + ","], "--model", MODEL + ","), ([*SIMULATE, MODEL + ",O_ns=1"], "--model", MODEL + ",O_ns=1"),
            ([*SIMULATE, MODEL + ",L_us=1"], "--model[L_us]", 1), ([*SIMULATE, MODEL + ",copy_ns=-1"], "--model[copy_ns]", -1),
            ([*SIMULATE, MODEL + ",copy_ns"], "--model[copy_ns]", MISSING), ([*SIMULATE, MODEL + ",copy_ns=1e3"], "--model[copy_ns]", "1e3"),
            ([*SIMULATE, MODEL + ",copy_ns=.5"], "--model[copy_ns]", ".5"), ([*SIMULATE, MODEL + ",copy_ns=1."], "--model[copy_ns]", "1."),
            ([*SIMULATE, MODEL + ",copy_ns=9300000000000"], "--model[copy_ns]", "9300000000000"),
            ([*SIMULATE, MODEL + ",combine_ns=" + HUGE], "--model[combine_ns]", HUGE),
            (["simulate", "allgather/ring", "--ranks", "100000", "--model", MODEL], "--ranks", 100000),
            (["simulate", "--ranks", "4", "--model", MODEL], "NAME", MISSING),
            (["study", "gatherv", "--ranks", "1"], "--ranks[0]", 1), (["study", "gatherv", "--ranks", "2..4"], "--ranks[0]", "2..4"),
            (["study", "gatherv", "--ranks", "64,99999"], "--ranks[1]", 99999), (["study", "gatherv", "--seed", "-1"], "--seed", -1),
            (["study", "gatherv", "--model", "lob"], "--model", "lob"), (["study", "gatherv", "--connection-bytes", BIG], "--connection-bytes", BIG),
            (["study", "gatherv", "--connection-us", "-1"], "--connection-us", -1),
            (["study", "allgather", "--seed", "1"], "--seed", 1), (["study", "allgather", "--model", MODEL], "--model", MODEL),
            (["study"], "SUBJECT", MISSING), (["study", "scatter"], "SUBJECT", "scatter"),
            (["study", "allgather", "--ranks", "1..4"], "--ranks", "1..4"), (["study", "allgather", "--ranks", "9999"], "--ranks", 9999)]:
        bad(words, argument, value)
    check("--root: got 9, expected 0 to 3" in bad(["show", "broadcast/binomial", "--ranks", 4, "--root", 9], "--root", 9), "a root")
    check(", expected --rank, or an option of 'collsched show --help'\n" in bad([*RING, "4", "--rnk", "1"], "option", "--rnk"), "similar options")
    check("expected allgather/ring, or a name" in bad(["show", "allgather/rng", "--ranks", 4], "NAME", "allgather/rng"), "similar names")
    for bare in "ring", "rng":
        check("expected allgather/ring, allreduce/ring, " in bad(["show", bare, "--ranks", 4], "NAME", bare), "algorithms named", bare)
    for words, short, long in (["allgather/ring", "--block"], "64K", 65536), (["allreduce/ring", "--bytes"], "2MiB", 2 << 20), \
            (["broadcast/chain", "--bytes", 4096, "--segment"], "1K", 1024), (["allgatherv/ring", "--counts"], "1K,0,3,1KiB", "1024,0,3,1024"):
        one, other = (good("metrics", *words, size, "--ranks", 4, "--json") for size in (short, long))
        check(one == other, words, short, "and", long, "differ")
    for size in "K", "64k", "64KB", "64KiB ", "1.5K", "-1K", "8P", "8388608T", "0x1K":
        bad(["metrics", "allgather/ring", "--ranks", 4, "--block", size], "--block", size)
    bad(["table", "allgather", "--ranks", 4, "--sizes", "1K,1024", "--model", MODEL], "--sizes", "1K,1024")
    bad(["show", "allgather/ring", "--ranks", "4K"], "--ranks", "4K")
    check("expected allgather/ring, or a name" in bad(["show", "ALLGATHER/Ring", "--ranks", 4], "NAME", "ALLGATHER/Ring"), "names in another case")
    check("loggp, with L_us, o_us, g_us, G_ns, optionally with copy_ns" in bad([*SIMULATE, "loggp:L=1"], "--model", "loggp:L=1"), "keys")
    check("'collsched simulate --help'" in bad([*SIMULATE, "logp"], "--model", "logp"), "models")
    (folder / "broken.json").write_text('{"a":')
    check(bad(["plan", "mgo", "--cluster", folder / "broken.json"], "--cluster", f"{folder / 'broken.json'}:1: got syntax error")
          .count(" expected") == 1, "expected twice")
    (folder / "huge.txt").write_text(f"0 {2 ** 62}\n{2 ** 62} {2 ** 62}\n")
    bad(["show", "alltoallv/ring", "--matrix", folder / "huge.txt"], "--matrix", folder / "huge.txt")
    with open("/dev/full", "w") as full:
        for words in ["list"], ["--help"], [*RING, "300", "--json"], ["verify", "all", "--ranks", "2"], ["study", "allgather"]:
            done = call(*words, stdout=full)
            check(done.returncode == 2 and done.stderr.count("\n") == 1, words, "to a full disk gives", done.returncode)
            check(" standard output: got stdout, expected " in done.stderr, words, "says", done.stderr)
    check(not any(Path(name).exists() for name in ("x.svg", "x.html")), "a refused picture was written")


with tempfile.TemporaryDirectory() as temporary:
    (Path(temporary) / "pictures").mkdir()
    test_in_place()
    test_example()
    test_files(Path(temporary))
    test_formats(Path(temporary))
    test_schedules()
    test_large_rank()
    test_list()
    test_verify()
    test_run(Path(temporary))
    test_run_trace(Path(temporary))
    test_metrics()
    test_study()
    test_simulate()
    test_contention()
    test_pairs(Path(temporary))
    test_hosts(Path(temporary))
    test_mpi_names()
    test_starts(Path(temporary))
    test_choose()
    test_table(Path(temporary))
    test_saved_prices(Path(temporary))
    test_decisions(Path(temporary))
    test_calibrate(Path(temporary))
    test_fit(Path(temporary))
    test_study_gatherv()
    test_exchange(Path(temporary))
    test_neighbors(Path(temporary))
    test_cluster_formats(Path(temporary))
    test_plan(Path(temporary))
    test_study_ccsim(Path(temporary))
    test_study_grouped(Path(temporary))
    test_svg(Path(temporary) / "pictures")
    for test in (test_help, test_terminal, test_completion, test_ranks, test_html, test_gallery, test_output, test_published,
                 test_inputs_kept, test_descriptors, test_pipes):
        with tempfile.TemporaryDirectory() as apart:
            test(Path(apart))
    test_mistakes(Path(temporary))
for failure in failures[:50]:
    print(failure)
print(f"{checks} checks, {len(failures)} failed")
sys.exit(1 if failures else 0)
