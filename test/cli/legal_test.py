#!/usr/bin/env -S python3 -B
"""legal_test.py RULE_FILES RUN_MPI LEGAL_CALLS: under every rules file that `table` may write for 4 ranks, Open MPI gives the results that it
gives without: each number of the tables is in at least one file. The numbers that reorder operands do so, so the tables are no stricter
than Open MPI needs."""

import os
import subprocess
import sys
import tempfile

RANKS = 4
ALL = ("allgather allgatherv allreduce alltoall alltoallv barrier bcast exscan gather reduce reduce_scatter reduce_scatter_block "
       "scan scatter").split()
# Open MPI 4.1.4 alone hangs in an allgatherv whose ranks pass different datatypes of one signature, since each selects by its own.
MIXED = [name for name in ALL if name != "allgatherv"]


def run(run_mpi, program, words, rules=None):
    """The differences that the program finds, by collective; None if it fails."""
    settings = {}
    if rules is not None:
        settings = {"coll_tuned_use_dynamic_rules": 1, "coll_tuned_dynamic_rules_filename": rules}
    environment = os.environ | {f"OMPI_MCA_{name}": str(value) for name, value in settings.items()}
    done = subprocess.run([run_mpi, "openmpi", str(RANKS), program, *words], text=True, capture_output=True, env=environment)
    if done.returncode != 0:
        return None, done.stdout + done.stderr
    lines = [line for line in done.stdout.splitlines() if "should be" in line]
    return {line.split(",")[0] for line in lines}, "\n".join(sorted(lines)[:5])


def main():
    rule_files, run_mpi, legal_calls = sys.argv[1:]
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        made = subprocess.run([rule_files, folder], text=True, capture_output=True, check=True).stdout.splitlines()
        files = [line.split() for line in made]
        for words in MIXED, ALL + ["alike", "commutative"]:
            wrong, output = run(run_mpi, legal_calls, words)
            if wrong != set():
                failures.append(f"without rules: {output}")
        for kind, rules, *collectives in files:
            words = {"right": MIXED, "promised": [*collectives, "alike", "commutative"], "wrong": collectives}[kind]
            wrong, output = run(run_mpi, legal_calls, words, rules)
            expected = set(collectives) if kind == "wrong" else set()
            if wrong != expected:
                with open(rules) as text:
                    failures.append(f"{kind}, {rules}: {output}\n{text.read()}")
        kinds = [kind for kind, *_ in files]
        if set(kinds) != {"right", "promised", "wrong"}:
            failures.append(f"files only of {sorted(set(kinds))}")
        print(f"{RANKS} ranks, {len(files)} rules files: {len(failures)} failures")
    for failure in failures:
        print(failure)
    sys.exit(1 if failures else 0)


main()
