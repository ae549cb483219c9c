#!/usr/bin/env -S python3 -B
"""lengths_test.py RUN_MPI openmpi|mpich LIBRARY LENGTHS [--sanitized]: collective calls whose ranks disagree on the length of a
block, natively and under the library. No rank of the library waits for ever or writes beyond its result. It reports
MPI_ERR_TRUNCATE where data is moved and the MPI reports an error, and elsewhere has the MPI's result. --table prints the ranks with
an error, as in docs/preload.md. With --sanitized the program runs under the library alone."""

import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

RUN, MPI, LIBRARY, LENGTHS = sys.argv[1], sys.argv[2], *(str(Path(word).resolve()) for word in sys.argv[3:5])
RANKS = 3
REDUCTIONS = ("reduce", "allreduce", "reduce_scatter", "reduce_scatter_block", "scan", "exscan")
# Cases in which a rank of the MPI itself, as in Debian 12, never returns or crashes: FUNCTION/BLOCKS/FORM/LENGTH.
ENDLESS = {
    "mpich": """allgather*/last-long/* alltoall/last-long/*/30000 gather*/all-long/*/30000 gather*/own-long/*/30000
        reduce_scatter*/*-long/*/30000 scatterv/all-long/* scatterv/own-long/*""",
    "openmpi": """*/own-long/nonblocking/30000 */own-long/persistent/30000 *reduce*/* *scan/other-short/* allgather*/last-long/*
        alltoall*/last-*/* alltoall?/other-long/blocking/* alltoall?/own-*/* bcast/*/blocking/* gather*/*-long/*/30000
        scatter/all-long/* scatter/own-long/* scatterv/all-long/*persistent/* scatterv/all-long/nonblocking/* scatterv/own-long/*""",
}
failures = []


def check(condition, *what):
    if not condition:
        failures.append(" ".join(str(word) for word in what))


def run(folder, library, seconds, skipped=()):
    """The results of all ranks in every case. A run that ends early is continued behind its last case."""
    results, first, ended = {}, 0, False
    preload = [f"LD_PRELOAD={LIBRARY}"] if library else []
    clean = {name: value for name, value in os.environ.items() if not name.startswith("COLLSCHED_")}
    clean["ASAN_OPTIONS"] = "detect_leaks=0:" + clean.get("ASAN_OPTIONS", "")  # the MPI's own, and those of calls that fail
    while not ended:
        output = folder / f"results.{first}"
        done = subprocess.run([RUN, MPI, str(RANKS), "env", *preload, LENGTHS, output, str(first), str(seconds), *skipped], text=True,
                              capture_output=True, env=clean, timeout=600)
        words = [line.split() for line in output.read_text().splitlines()] if output.exists() else []
        begun = [(int(line[1]), line[2]) for line in words if line[0] == "begin"]
        if not begun:
            sys.exit(f"no case began: {done.stdout} {done.stderr}")
        for line in words:
            if line[0] not in ("begin", "end"):
                results.setdefault(line[0], {})[int(line[1])] = (line[2], line[3], line[4] == "1")
        ended = ["end"] in words
        if not ended:
            last, name = begun[-1]
            for rank in range(RANKS):
                results.setdefault(name, {}).setdefault(rank, ("ended", "", False))
            check(not library, name, "ends the program:", results[name], done.stderr[-3000:])
            first = last + 1
    return results


def is_error(result):
    return result[0] not in ("0", "hang", "ended")


def check_library(name, ours):
    function, blocks, _, _ = name.split("/")
    for rank, (error, _, beyond) in ours.items():
        check(error in ("0", "truncate"), name, "rank", rank, "reports", error)
        check(not beyond, name, "rank", rank, "writes beyond its result")
    if function in REDUCTIONS or blocks.endswith("long"):
        check(any(map(is_error, ours.values())), name, "has no error")


def check_beside(name, natives, ours):
    function = name.split("/")[0]
    if function not in REDUCTIONS:
        for rank in natives:
            check(not is_error(natives[rank]) or is_error(ours[rank]), name, "rank", rank, "has no error, natively", natives[rank][0])
    if all(result[0] == "0" for result in natives.values()) and function not in REDUCTIONS:
        for rank in natives:
            check(is_error(ours[rank]) or natives[rank][1] == ours[rank][1], name, "rank", rank, "has other data without an error")


def errors(results):
    """The ranks with an error, such as 0TT, of all forms and lengths of a function and its blocks."""
    found = {}
    for name, ranks in results.items():
        letters = "".join("0" if ranks[rank][0] == "0" else "T" if is_error(ranks[rank]) else "-" for rank in range(RANKS))
        found.setdefault(" ".join(name.split("/")[:2]), Counter())[letters] += 1
    return {key: ", ".join(sorted(kinds)) for key, kinds in found.items()}


with tempfile.TemporaryDirectory() as folder:
    sanitized = "--sanitized" in sys.argv
    ours = run(Path(folder), True, 60)
    check(len(ours) == 720, len(ours), "cases, expected 720")
    for name, ranks in ours.items():
        check_library(name, ranks)
    if not sanitized:
        (Path(folder) / "native").mkdir()
        natives = run(Path(folder) / "native", False, 5, ENDLESS[MPI].split())
        check(len(natives) > 250, len(natives), "native cases, expected more")
        for name, ranks in natives.items():
            check_beside(name, ranks, ours[name])
        print(len(ours), "cases,", len(natives), "also natively")
        if "--table" in sys.argv:
            print(*(f"{key} | {letters} | {errors(natives).get(key, '')}" for key, letters in errors(ours).items()), sep="\n")
for failure in failures[:40]:
    print(failure)
sys.exit(1 if failures else 0)
