#!/usr/bin/env -S python3 -B
"""tune_test.py PROGRAM RUN_MPI MPI TUNE ALLREDUCE: the decision table of TUNE is one that `PROGRAM table` reads and explains and that
ALLREDUCE obeys. A second run with the same state measures nothing again, also after its last line was cut. A run ends in time if one
of its ranks is killed or stopped, and leaves a state that the next run continues."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

OPTIONS = ["--collectives", "allreduce,broadcast", "--sizes", "8,65536", "--model",
           "loggp:L_us=1,o_us=1,g_us=1,G_ns=1"]
CASES = 2 * 2
PATIENCE = 10  # seconds without progress
IN_TIME = 240  # seconds until a run with a dead rank has ended

program, run_mpi, mpi, tune, allreduce = sys.argv[1:]
failures = []


def check(condition, problem):
    if not condition:
        failures.append(problem)


def run(words, status=0):
    done = subprocess.run([str(word) for word in words], text=True, capture_output=True)
    if done.returncode != status:
        sys.exit(f"{words} ends with {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def tuned(ranks, folder, *options, status=0):
    return run([run_mpi, mpi, ranks, tune, "--out", folder / "table.json", *options], status)


def rows(path):
    """The measured rows of a state whose lines are whole."""
    text = path.read_text()
    check(text == "" or text.endswith("\n"), "the state ends within a line")
    return [json.loads(line) for line in text.splitlines()[1:]]


def check_table(folder):
    tuned(2, folder, *OPTIONS, "--budget", 20, "--state", folder / "state")
    measured, table = rows(folder / "state"), json.loads((folder / "table.json").read_text())
    cases = {(row["collective"], row["bytes"]) for row in measured}
    check(len(cases) == CASES, f"{len(cases)} cases are measured, not {CASES}")
    check(all(row["time_low_us"] <= row["time_us"] <= row["time_high_us"] for row in measured), "a time outside of its interval")
    for what in "allreduce", "broadcast":
        first = [row for row in table["rows"] if row["collective"] == what][0]
        fastest = min((row for row in measured if row["collective"] == what and row["bytes"] == 8), key=lambda row: row["time_us"])
        check(first["bytes"] == 0, f"the first row of {what} begins at {first['bytes']} bytes")
        wanted = [row["algorithm"] for row in table["rows"] if row["collective"] == what and row["bytes"] == 0]
        check(fastest["algorithm"] in wanted, f"{what}: {fastest['algorithm']} is the fastest, and the table has {wanted}")
    shown = run([program, "table", "--read", folder / "table.json"]).stdout
    check(shown.count("measured") == len(table["rows"]), f"`table --read` prints {shown}")
    shown = run([program, "table", "--explain", folder / "table.json", "allreduce", "--ranks", 2, "--bytes", 64,
                 "--ranks-per-node", 2]).stdout
    check("chosen" in shown, f"`table --explain` prints {shown}")
    shown = run([run_mpi, mpi, 2, allreduce, folder / "table.json", 64]).stdout
    chosen = [row for row in table["rows"] if row["collective"] == "allreduce" and row["bytes"] == 0]
    check(any(f"{row['algorithm']}, by the row from 2 ranks and 0 bytes on" in shown for row in chosen), f"an allreduce by {shown}")


def check_state(folder):
    """A cut last line is measured again, and nothing else."""
    state = folder / "state"
    whole = rows(state)
    state.write_text(state.read_text()[:-10])
    done = tuned(2, folder, *OPTIONS, "--budget", 20, "--state", state)
    check("a last line without an end" in done.stderr, f"the cut line is not reported: {done.stderr}")
    again = rows(state)
    check(again[:-1] == whole[:-1], "the lines before the cut have changed")
    name = lambda row: (row["collective"], row["bytes"], row["algorithm"])
    check(sorted(map(name, again)) == sorted(map(name, whole)), "another candidate than that of the cut line is measured")
    done = tuned(2, folder, *OPTIONS, "--state", state, "--keep-order", status=2)
    check("keep_order: got 0, expected 1" in done.stderr, f"a state of other operations: {done.stderr}")


def ranks_of(parent):
    """The processes of TUNE below a process."""
    found, waiting = [], [parent]
    while waiting:
        process = waiting.pop()
        try:
            for task in Path(f"/proc/{process}/task").iterdir():
                waiting += [int(child) for child in (task / "children").read_text().split()]
            if Path(f"/proc/{process}/exe").resolve() == Path(tune).resolve():
                found.append(process)
        except OSError:
            continue
    return found


def check_loss(folder, number):
    """A rank receives a signal after the first lines of the state are written."""
    state = folder / f"state{int(number)}"
    words = [run_mpi, mpi, 4, tune, "--out", folder / "lost.json", "--state", state, "--budget", 300, "--seconds-without-progress",
             PATIENCE]
    job = subprocess.Popen([str(word) for word in words], text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    begin = time.monotonic()
    while (not state.exists() or state.read_text().count("\n") < 3) and job.poll() is None and time.monotonic() < begin + IN_TIME:
        time.sleep(0.1)
    ranks = sorted(ranks_of(job.pid))
    check(len(ranks) == 4, f"{len(ranks)} ranks are found, not 4")
    if ranks:
        os.kill(ranks[-1], number)
    begin = time.monotonic()
    try:
        errors = job.communicate(timeout=IN_TIME)[1]
        check(job.returncode != 0, f"{number.name}: the run ends with 0")
        if number == signal.SIGSTOP:
            check(f"no progress for {PATIENCE} seconds" in errors, f"no rank reports the stopped one: {errors}")
    except subprocess.TimeoutExpired:
        failures.append(f"{number.name}: the run has not ended after {IN_TIME} seconds")
    seconds = time.monotonic() - begin
    for process in ranks + [job.pid]:
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            continue
    check(not (folder / "lost.json").exists(), f"{number.name}: a table is written")
    lines = state.read_text().count("\n")
    run([run_mpi, mpi, 4, tune, "--out", folder / "continued.json", "--state", state, "--budget", 1])
    check(state.read_text().count("\n") >= lines, f"{number.name}: the next run has lost lines")
    print(f"{number.name}: ended after {seconds:.1f} seconds, {lines} lines")


def check_errors(folder):
    for options, line in (
            (["--ranks", "3"], "--ranks: got 3, expected ascending numbers, 2 to 2"),
            (["--collectives", "scan,scan"], "--collectives: got scan,scan, expected each once: "),
            (["--budget", "0"], "--budget: got 0, expected 1 or more"),
            (["--model", "lob"], "--model: got lob, expected loggp:... or @FILE with it"),
            (["--sizes", "8,x"], "--sizes[1]: got x, expected a whole number, 0 or more"),
            (["--fast"], "argument: got --fast, expected the options of 'mpi_tune --help'")):
        done = tuned(2, folder, *options, status=2)
        check(f"mpi_tune: {line}" in done.stderr, f"{options}: {done.stderr}")
    check("--seconds-without-progress N" in run([run_mpi, mpi, 2, tune, "--help"]).stdout, "no help")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        check_errors(folder)
        check_table(folder)
        check_state(folder)
        check_loss(folder, signal.SIGKILL)
        check_loss(folder, signal.SIGSTOP)
    for failure in failures:
        print(failure)
    print(f"{mpi}: {len(failures)} failures")
    return 1 if failures else 0


sys.exit(main())
