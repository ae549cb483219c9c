#!/usr/bin/env -S python3 -B
"""rules_test.py PROGRAM RUN_MPI ALLGATHERS: a rules file that `PROGRAM table` writes is loaded and obeyed by Open MPI. The peers of each
rank in a short allgather and in a long one are those of the algorithms of the table, not those without the file."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

RANKS = 8
SHORT, LONG = 64 * RANKS, 65536 * RANKS
# Destinations of a rank, in each algorithm that the table may name.
DESTINATIONS = {
    "recursive-doubling": lambda r: {r ^ 1, r ^ 2, r ^ 4},
    "ring": lambda r: {(r + 1) % RANKS},
    "neighbor-exchange": lambda r: {(r + 1) % RANKS, (r - 1) % RANKS},
    "bruck": lambda r: {(r - 1) % RANKS, (r - 2) % RANKS, (r - 4) % RANKS},
}


def run(words, **more):
    done = subprocess.run([str(word) for word in words], text=True, capture_output=True, **more)
    if done.returncode != 0:
        sys.exit(f"{words[0]} ends with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def destinations(run_mpi, program, words, folder, rules=None):
    """The targets of each rank's point-to-point messages, also those of collectives, as Open MPI's monitoring counts."""
    prefix = folder / "sent"
    settings = {"pml_monitoring_enable": 2, "pml_monitoring_enable_output": 3, "pml_monitoring_filename": prefix}
    if rules is not None:
        settings |= {"coll_tuned_use_dynamic_rules": 1, "coll_tuned_dynamic_rules_filename": rules}
    environment = os.environ | {f"OMPI_MCA_{name}": str(value) for name, value in settings.items()}
    run([run_mpi, "openmpi", RANKS, program, *words], env=environment)
    sent = {}
    for rank in range(RANKS):
        lines = [line.split() for line in Path(f"{prefix}.{rank}.prof").read_text().splitlines()]
        sent[rank] = {int(line[2]): int(line[5]) for line in lines if line and line[0] in "EI" and line[1] == str(rank)}
    return sent


def allgather_lines(text):
    """The lines of allgather, Open MPI's collective 0, which comes first; allgatherv is 1."""
    lines = text.splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith("0 # allgather"))
    ends = [i for i, line in enumerate(lines) if line.startswith("1 # allgatherv")]
    return lines[begin:ends[0] if ends else None]


def main():
    program, run_mpi, allgathers = sys.argv[1:]
    failures = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rules = folder / "rules.conf"
        run([program, "table", "allgather", "--ranks", RANKS, "--sizes", f"{SHORT},{LONG}", "--cluster",
             "test/data/clusters/two_sites.json", "--model", "lob", "--openmpi", rules, "--equal-arguments"])
        if "equal-arguments" not in rules.read_text().splitlines()[0]:
            failures.append("the first line does not say what the file assumes of programs")
        # The last two lines of allgather, the first collective: bytes, algorithm, fan, segment. Open MPI defines the numbers.
        numbers = {2: "bruck", 3: "recursive-doubling", 4: "ring", 5: "neighbor-exchange"}
        short, long = (numbers[int(line.split()[1])] for line in allgather_lines(rules.read_text())[-2:])
        if short == long:
            failures.append(f"the same rule for both sizes: {rules.read_text()}")
        # A run of ten short ones counts their messages, which separates the messages of the long ones.
        first = destinations(run_mpi, allgathers, ["short"], folder, rules)
        both = destinations(run_mpi, allgathers, [], folder, rules)
        free = destinations(run_mpi, allgathers, [], folder)
        for rank in range(RANKS):
            added = {peer for peer, messages in both[rank].items() if messages > first[rank].get(peer, 0)}
            for what, seen, rule in ("short", set(first[rank]), short), ("long", added, long):
                if seen != DESTINATIONS[rule](rank):
                    failures.append(f"{what} allgathers by {rule}: rank {rank} sends to {sorted(seen)}")
        if free == both:
            failures.append("the same messages without the rules")
        print(f"{RANKS} ranks, blocks of 64 bytes by {short}, of 65536 by {long}: {len(failures)} failures")
    for failure in failures:
        print(failure)
    sys.exit(1 if failures else 0)


main()
