#!/usr/bin/env -S python3 -B
"""choices_test.py RUN_MPI openmpi|mpich LIBRARY CALLS TOOL: the library's choices by table, cluster, variable and info key, its report, and
its place among other preloaded libraries, on three ranks."""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

RUN, MPI, LIBRARY, CALLS, TOOL = sys.argv[1], sys.argv[2], *(str(Path(word).resolve()) for word in sys.argv[3:6])
RANKS = 3
failures = []


def check(condition, *what):
    if not condition:
        failures.append(" ".join(str(word) for word in what))


def run(*words, preload=LIBRARY, more=(), **variables):
    clean = {name: value for name, value in os.environ.items() if not name.startswith("COLLSCHED_")}
    given = [f"COLLSCHED_{name}={value}" for name, value in variables.items()]
    return subprocess.run([RUN, MPI, str(RANKS), "env", f"LD_PRELOAD={preload}", *more, *given, CALLS, *words], text=True,
                          capture_output=True, env=clean, timeout=300)


def lines(done):
    return [line for line in done.stderr.splitlines() if line.startswith("collsched: ")]


def good(*words, **variables):
    """The lines of a run that ends well."""
    done = run(*words, VERBOSE=1, **variables)
    check(done.returncode == 0 and "0 failures" in done.stdout, words, variables, "gives", done.returncode, done.stdout, done.stderr)
    return lines(done)


def bad(pattern, *words, most=1, **variables):
    """A run that ends with status 2 after a line, on at most so many ranks."""
    done = run(*words, **variables)
    found = lines(done)
    check(done.returncode == 2 and 1 <= len(found) <= most, words, variables, "gives", done.returncode, done.stderr)
    check(all(re.search(pattern, line) for line in found), pattern, "is not in", found)


def has(found, text, *why):
    check(any(text in line for line in found), text, "is not in", found, *why)


def table(folder, *rows):
    path = folder / "table.json"
    version = 2 if any("association" in one for one in rows) else 1
    path.write_text(json.dumps({"format": "collsched decisions", "version": version, "rows": list(rows)}))
    return path


def row(collective, algorithm, ranks=1, bytes=0, **more):
    return {"collective": collective, "ranks": ranks, "bytes": bytes, "algorithm": algorithm, **more}


def test_tables(folder):
    first = table(folder, row("allreduce", "ring", 2), row("allreduce", "swing", 4), row("allreduce", "bine", 2, 64),
                  row("broadcast", "chain", parameters={"segment": 8192}))
    found = good(TABLE=first)
    has(found, f"table: {first} (4 rows)")
    has(found, "with 32 bytes): ring (COLLSCHED_TABLE, row from 2 ranks and 0 bytes)")
    has(found, "chain:segment=8192 (COLLSCHED_TABLE, row from 1 rank and 0 bytes)")
    has(found, "gatherv (first seen on 3 ranks): linear (each rank has its own counts alone)")
    # Neither row keeps the order of operands.
    has(found, "COLLSCHED_TABLE has no row that serves it; skipped bine: ranks: got 3, expected an even number, or 1; "
        "skipped ring: commutative: got 1, expected a schedule that keeps the order of operands; the built-in rules, row from 3 ranks, 2 per node and 0 bytes, simulated for ")
    second = table(folder, row("allreduce", "recursive-doubling"), row("allreduce", "ring", 3, commutative=True))
    found = good(TABLE=second)
    has(found, "): ring (COLLSCHED_TABLE, row from 3 ranks and 0 bytes)")
    has(found, "): recursive-doubling (COLLSCHED_TABLE, row from 1 rank and 0 bytes)")
    per_node = table(folder, row("allreduce", "ring"), row("allreduce", "hierarchical", 2, ranks_per_node=2))
    has(good(TABLE=per_node, RANKS_PER_NODE=2), "hierarchical on 2 nodes (COLLSCHED_TABLE, row from 2 ranks, 2 per node and 0 bytes)")
    has(good(TABLE=per_node, RANKS_PER_NODE=1), "32 bytes): ring (COLLSCHED_TABLE, row from 1 rank and 0 bytes)")
    has(good(TABLE=table(folder, row("allreduce", "ring"))), "bcast (first seen on 3 ranks with 65536 bytes): hierarchical on 1 node (COLLSCHED_TABLE has no row that serves it; ")
    has(good(TABLE=table(folder, row("allreduce", "ring", source="measured"))), "(COLLSCHED_TABLE, row from 1 rank and 0 bytes, measured)")


def test_rules():
    """The built-in rows name their origin, and depend on the ranks per node."""
    found = good()
    origin = "simulated for 10 GbE and 100 Gb/s InfiniBand)"
    has(found, f"allreduce (first seen on 3 ranks with 32 bytes): recursive-doubling (the built-in rules, row from 3 ranks, 2 per node and 0 bytes, {origin}")
    has(found, f"bcast (first seen on 3 ranks with 65536 bytes): hierarchical on 1 node (the built-in rules, row from 3 ranks, 2 per node and 0 bytes, {origin}")
    has(good(RANKS_PER_NODE=1), f"with 65536 bytes): two-tree:segment=32768 (the built-in rules, row from 3 ranks and 8192 bytes, {origin}")


def cluster(folder):
    """Two nodes behind one switch, and one behind another."""
    path = folder / "cluster.json"
    cost = {"overhead_us": 1, "latency_us": 1, "bandwidth_MBps": 1000}
    path.write_text(json.dumps({
        "name": "two sites", "nodes": [{"name": name, **cost} for name in ("a0", "a1", "b0")],
        "tree": {"children": [{"name": "a", "latency_us": 500, "bandwidth_MBps": 10, "children": ["a0", "a1"]},
                              {"name": "b", "latency_us": 500, "bandwidth_MBps": 10, "children": ["b0"]}]}}))
    return path


def test_cluster(folder):
    file = cluster(folder)
    hosts = {"CLUSTER": file, "HOSTS": "a0,b0.site.org,a1"}
    found = good("collsched_allreduce=hierarchical", BCAST="mgo", **hosts)
    has(found, f"3 ranks on 3 nodes; messages: shared memory; table: none; cluster: {file} (3 nodes)")
    has(found, "bcast (first seen on 3 ranks with 65536 bytes): mgo (by COLLSCHED_BCAST)")
    has(found, "with 24 bytes): hierarchical on 2 nodes (by the info key collsched_allreduce)")  # the switches
    has(found, "with 32 bytes): allgather-reduce (on the cluster, the cheapest by the model with 32 bytes, ")
    has(good(TABLE=table(folder, row("broadcast", "mgo")), **hosts), ": mgo (COLLSCHED_TABLE, row from 1 rank and 0 bytes)")
    # With a table the search does not run.
    has(good(TABLE=table(folder, row("broadcast", "mgo")), **hosts), "recursive-multiplying:radix=4 (COLLSCHED_TABLE has no row that serves it; the built-in rules, row from")
    has(good(HOSTS="x,y,x"), "3 ranks on 2 nodes")
    bad("COLLSCHED_CLUSTER: got host x of rank 1, expected a node of the cluster two sites, such as a0", CLUSTER=file, HOSTS="a0,x,y")
    bad("COLLSCHED_CLUSTER: got host .* of rank 0, expected a node of the cluster two sites, such as a0", CLUSTER=file)
    bad("COLLSCHED_HOSTS: got a0,a1, expected a name for each of the 3 ranks, with commas between them", CLUSTER=file, HOSTS="a0,a1")
    bad("COLLSCHED_BCAST: got mgo, expected native, ", BCAST="mgo", most=RANKS)
    bad("COLLSCHED_CLUSTER: /no/cluster.json: ", CLUSTER="/no/cluster.json")
    file.write_text("SwitchName=s Nodes=a0")
    bad("COLLSCHED_CLUSTER: .*cluster.json:1: got another format, expected a cluster file in JSON", **hosts)
    file.write_text('{"nodes": [{"name": "a0", "speed": 1}]}')
    bad("COLLSCHED_CLUSTER: .*cluster.json:1: ", **hosts)
    file.unlink()


def test_wrong_tables(folder):
    bad("COLLSCHED_TABLE: /no/table.json: ", TABLE="/no/table.json")
    bad("COLLSCHED_TABLE: .*table.json: rows: got none, expected one or more", TABLE=table(folder))
    bad("COLLSCHED_TABLE: .*table.json:1: algorithm: got \"no\", expected ", TABLE=table(folder, row("allreduce", "no")))
    bad("expected an algorithm that is not planned for a cluster without COLLSCHED_CLUSTER", TABLE=table(folder, row("broadcast", "mgo")))
    (folder / "table.json").write_text("{")
    bad("COLLSCHED_TABLE: .*table.json:1: ", TABLE=folder / "table.json")
    bad("COLLSCHED_TABLE: ", TABLE=folder)


def test_order(folder):
    """An info key comes before a variable, and a variable before the table."""
    rows = table(folder, row("allreduce", "ring"))
    found = good("collsched_allreduce=rabenseifner", TABLE=rows, ALLREDUCE="swing")
    has(found, "with 24 bytes): rabenseifner (by the info key collsched_allreduce)")
    has(found, "with 32 bytes): swing (by COLLSCHED_ALLREDUCE)")
    check(not any("COLLSCHED_TABLE, row" in line and "allreduce" in line for line in found), "a table before a variable", found)
    has(good("collsched_allreduce=chain:segment=8"), "chain:segment=8 (by the info key collsched_allreduce)")
    has(good("collsched_allreduce=native"), "native: by the info key collsched_allreduce")
    bad("info key collsched_allreduce: got rung, expected native, ", "collsched_allreduce=rung", most=RANKS)
    bad("info key: got collsched_allreduces, expected collsched_allreduce [(]the nearest key[)]", "collsched_allreduces=ring", most=1)
    for wrong, nearest in (("ALREDUCE", "ALLREDUCE"), ("SHAREDMEMORY", "SHARED_MEMORY"), ("REDUCE_SCATER", "REDUCE_SCATTER"),
                           ("allreduce", "ALLREDUCE"), ("Alreduce", "ALLREDUCE")):
        bad(f"environment variable: got COLLSCHED_{wrong}, expected COLLSCHED_{nearest} [(]the nearest name[)], or another of docs/preload.md",
            most=1, **{wrong: "1"})
    bad("info keys: got .*, expected the same on all ranks", "collsched_allreduce=ring,=1", most=RANKS)


def test_bits(folder):
    """COLLSCHED_BITS limits reductions to a class of brackets."""
    has(good(BITS="rank"), "with 32 bytes): recursive-doubling (the built-in rules, row from 3 ranks")
    for value in "position", "canonical":
        found = good(BITS=value)
        has(found, "allreduce (first seen on 3 ranks with 32 bytes): interval-")
        check(all("(the built-in canonical rules, row from" in line for line in found if ": allreduce (" in line), value, found)
        has(found, "bcast (first seen on 3 ranks with 65536 bytes): hierarchical on 1 node (the built-in rules, row from")
    rows = table(folder, row("allreduce", "ring"), row("allreduce", "interval-halving"), row("allreduce", "bine", 3, 8), row("allreduce", "chain", 3))
    found = good(TABLE=rows, BITS="canonical")
    has(found, "COLLSCHED_TABLE, row from 1 rank and 0 bytes; skipped bine: ranks: got 3, expected an even number, or 1; skipped chain: association: got 2, expected 3 (canonical)")
    has(good(TABLE=rows, BITS="position"), "): chain (")
    has(good(TABLE=rows, BITS="rank"), "): chain (")
    # A row for a class serves only calls that need it or a lower one, after rows for all calls, and is proved.
    rows = table(folder, row("allreduce", "interval-halving", association="canonical"), row("allreduce", "chain", association="canonical"),
                 row("allreduce", "ring"))
    has(good(TABLE=rows), "with 32 bytes): ring (COLLSCHED_TABLE, row from 1 rank and 0 bytes)")
    has(good(TABLE=rows, BITS="rank"), "with 32 bytes): ring (COLLSCHED_TABLE, row from 1 rank and 0 bytes)")
    has(good(TABLE=rows, BITS="position"), "with 32 bytes): chain (COLLSCHED_TABLE, row from 1 rank and 0 bytes, class canonical; "
        "skipped ring: association: got 1, expected 2 (position) or more)")
    has(good(TABLE=rows, BITS="canonical"), "(COLLSCHED_TABLE, row from 1 rank and 0 bytes, class canonical; "
        "skipped ring: association: got 1, expected 3 (canonical); skipped chain: association: got 2, expected 3 (canonical))")
    file = cluster(folder)
    found = good(CLUSTER=file, HOSTS="a0,b0.site.org,a1", BITS="canonical")
    # On three ranks the trees of both algorithms are the canonical ones, and their costs are equal.
    check(all(re.search("[)]: (allgather-reduce|interval-doubling) [(]on the cluster, the cheapest by the model", line) for line in found if ": allreduce (" in line), "another class on a cluster", found)
    has(good(CLUSTER=file, HOSTS="a0,b0.site.org,a1", ALLREDUCE="interval-doubling", BITS="canonical"), "): interval-doubling (by COLLSCHED_ALLREDUCE)")
    file.unlink()
    found = good("collsched_allreduce=ring", BITS="canonical")
    has(found, "skipped the info key collsched_allreduce: ring: association: got 1, expected 3 (canonical); the built-in canonical rules, row")
    has(good("collsched_allreduce=native", BITS="rank"), "skipped the info key collsched_allreduce: it leaves the call to the MPI library; the built-in rules, row")
    has(good(ALLREDUCE="interval-doubling:radix=4", BITS="canonical"), "): interval-doubling:radix=4 (by COLLSCHED_ALLREDUCE)")
    bad("COLLSCHED_BITS: got same, expected rank, position or canonical", BITS="same", most=RANKS)
    bad("COLLSCHED_ALLREDUCE: got ring, expected an algorithm of the class of COLLSCHED_BITS, canonical, for 3 ranks [(]ring: association: got 1, expected 3 [(]canonical[)][)]",
        ALLREDUCE="ring", BITS="canonical", most=RANKS)
    bad("[(]interval-hierarchical: placement.*: got 2, expected nodes that are intervals of the canonical tree, all of one depth[)]",
        ALLREDUCE="interval-hierarchical", HOSTS="x,y,x", BITS="canonical", most=RANKS)
    bad("COLLSCHED_SCAN: got native, expected an algorithm of this library, or no COLLSCHED_BITS", SCAN="native", BITS="rank", most=RANKS)


def test_report(folder):
    path = folder / "report.json"
    good("collsched_allreduce=native", REPORT=path)
    report = json.loads(path.read_text())
    check((report["format"], report["version"], report["ranks"], report["nodes"]) == ("collsched report", 1, RANKS, 1), report)
    rows = report["rows"]

    def sums(**keys):
        chosen = [one for one in rows if all(one.get(key) == value for key, value in keys.items())]
        return [sum(one[key] for one in chosen) for key in ("calls", "bytes", "timed_calls")]

    # Ten sums, and one of 40 bytes before the info key is set; then the operator that does not commute.
    check(sums(function="allreduce", form="blocking", bytes_from=32, algorithm="recursive-doubling") == [33, 3 * (320 + 40), 33], rows)
    check(sums(function="allreduce", commutative=False) == [3, 3 * 64, 3], rows)
    check(sums(function="allreduce", form="non-blocking") == [3, 48, 3], rows)
    check(sums(function="bcast", bytes_from=65536) == [3, 3 * 65536, 3], rows)
    check(sums(function="allreduce", algorithm="native") == [6, 3 * (24 + 40), 6], rows)
    check(sums(function="gatherv") == [3, 12, 3], rows)
    natives = [one for one in rows if one["algorithm"] == "native"]
    check(natives and all(one["reason"] == "by the info key collsched_allreduce" for one in natives), natives)
    check(all(0 < one["seconds_max"] <= one["seconds"] and one["calls_max"] * RANKS == one["calls"] for one in rows), rows)
    check(sorted(one.name for one in folder.iterdir()) == ["report.json", "table.json"], list(folder.iterdir()))
    bad("COLLSCHED_REPORT: got /no/report.json, expected a file that can be written", REPORT="/no/report.json")
    bad("COLLSCHED_REPORT: got .*, expected a file that can be written", REPORT=folder)


def reported(path):
    return path.exists() and json.loads(path.read_text())["format"] == "collsched report"


def test_report_links(folder):
    """A link is followed, and the file behind it keeps its permissions; a relative name is that of the folder of MPI_Init."""
    target, link, chain = folder / "target", folder / "link", folder / "chain"
    link.symlink_to("target")
    chain.symlink_to(link)
    for name in link, chain, os.path.relpath(chain):
        target.write_text("old")
        target.chmod(0o640)
        good(REPORT=name)
        check(reported(target) and target.stat().st_mode & 0o777 == 0o640, name, "is not followed")
        target.unlink()
        good(REPORT=name)
        check(reported(target) and link.is_symlink() and chain.is_symlink(), name, "is not followed to a new file")
        target.unlink()
    chain.unlink()
    chain.symlink_to("chain")
    bad("COLLSCHED_REPORT: got .*, expected a file that can be written", REPORT=chain)
    link.unlink(), chain.unlink()


def test_report_inputs(folder):
    """A report does not replace an input of the library, under any name of the file."""
    symbolic, hard = folder / "symbolic", folder / "hard"
    inputs = [("TABLE", table(folder, row("broadcast", "chain")), {}), ("CLUSTER", cluster(folder), {"HOSTS": "a0,b0,a1"})]
    for variable, file, more in inputs:
        kept = file.read_bytes()
        symbolic.symlink_to(file)
        os.link(file, hard)
        for name in file, folder / "." / file.name, os.path.relpath(file), symbolic, hard:
            for given, report in (file, name), (name, file):
                bad("COLLSCHED_REPORT: got .*, expected a file other than the input ", REPORT=report, **{variable: given}, **more)
                check(file.read_bytes() == kept and symbolic.is_symlink(), variable, name, "is replaced")
        with open(file, "a") as out:
            bad("COLLSCHED_REPORT: got .*, expected a file other than the input ", REPORT=f"/proc/{os.getpid()}/fd/{out.fileno()}",
                **{variable: file}, **more)
        check(file.read_bytes() == kept, variable, "is changed")
        symbolic.unlink(), hard.unlink(), file.unlink()


def in_shell(redirection, report):
    """A run whose ranks have a redirection of the shell."""
    script = f'exec {redirection}; exec "$@"'
    return run(more=["sh", "-c", script, "sh", "env"], REPORT=report)


def test_report_descriptors(folder):
    """A report to an open descriptor, a device or a pipe is written there, and nothing is replaced."""
    log, link, pipe = folder / "log", folder / "link", folder / "pipe"
    link.symlink_to("/proc/self/fd/9")
    for name in "/dev/fd/9", "/proc/self/fd/9", link:
        log.write_text("precious\n")
        done = in_shell(f"9>>{log}", name)
        check(done.returncode == 0 and lines(done) == [], name, "gives", done.returncode, done.stderr)
        first, rest = log.read_text().split("\n", 1)
        check(first == "precious" and json.loads(rest)["ranks"] == RANKS and link.is_symlink(), name, "gives", first, rest)
    log.write_text("precious")
    done = in_shell(f"9<{log}", "/dev/fd/9")
    check(done.returncode == 2 and len(lines(done)) == 1 and log.read_text() == "precious", "unwritable:", done.returncode, done.stderr)
    bad("COLLSCHED_REPORT: got /dev/fd/9999, expected a file that can be written", REPORT="/dev/fd/9999")
    log.unlink(), link.unlink()
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for name in pipe, link:
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        good(REPORT=name)
        check(json.loads(os.read(reader, 1 << 16))["ranks"] == RANKS and pipe.is_fifo() and link.is_symlink(), name, "is replaced")
        os.close(reader)
    link.unlink(), pipe.unlink()
    link.symlink_to("/dev/full")  # a later error is a line
    done = run(REPORT=link)
    check(done.returncode == 0 and re.search("COLLSCHED_REPORT: got .*: No space left on device", done.stderr), "full:", done.returncode, done.stderr)
    check(link.is_symlink() and Path("/dev/full").is_char_device(), "a device is replaced")
    link.unlink()


def test_neighbors():
    """A tool before and behind the library that calls PMPI_..., or the function of the next library (RTLD_NEXT): it receives the
    calls before the library alone, and the library receives them all."""
    has(good("dlsym"), "table: none")
    before, behind = f"{TOOL}:{LIBRARY}", f"{LIBRARY}:{TOOL}"
    for preload, way, counted in ((before, [], 11), (before, ["TOOL_NEXT=1"], 11), (behind, [], 0), (behind, ["TOOL_NEXT=1"], 0)):
        done = run(preload=preload, more=way, VERBOSE=1, BCAST="chain")
        check(done.returncode == 0 and "0 failures" in done.stdout, preload, way, done.stdout, done.stderr)
        check(done.stdout.count(f"tool counted {counted}\n") == RANKS, preload, way, done.stdout)
        for text in ("collsched: version ", "allreduce (first seen on 3 ranks with 32 bytes)"):
            check(sum(text in line for line in lines(done)) == 1, preload, way, text, lines(done))
        has(lines(done), "chain (by COLLSCHED_BCAST)", preload, way)  # the tool does not intercept it


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        test_tables(folder)
        test_wrong_tables(folder)
        test_rules()
        test_cluster(folder)
        test_order(folder)
        test_bits(folder)
        test_report(folder)
        test_report_links(folder)
        test_report_inputs(folder)
        test_report_descriptors(folder)
        test_neighbors()
    for failure in failures:
        print(failure)
    sys.exit(1 if failures else 0)


main()
