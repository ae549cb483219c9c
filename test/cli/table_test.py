#!/usr/bin/env -S python3 -B
"""table_test.py PROGRAM CLUSTER: `table --out` keeps finished cells when it is interrupted or killed, and goes on; the table does not depend
on threads or interruptions. Cells of another description, and cells that a table cannot have, are errors that change nothing. `--check`
prices rows again."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from checked_program import CheckedProgram

program, cluster = sys.argv[1:]
os.environ["COLLSCHED_BUDGET"] = "100000"
tested = CheckedProgram(program)
check, run, good, bad = tested.check, tested.run, tested.good, tested.bad
MODEL = ["--cluster", cluster, "--model", "contention", "--overhead-us", 1, "--placement", "cyclic"]
TABLE = ["table", "allreduce", "--ranks", "4,12", "--sizes", "8,4096,1048576", *MODEL]
CELLS = 2 * 3


def started(*words):
    return subprocess.Popen([program, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def lines_of(path):
    return path.read_text().splitlines() if path.exists() else []


def stopped(number, out, least):
    """A run that receives a signal when it has `least` cells or more."""
    cells = Path(f"{out}.cells")
    process = started(*TABLE, "--openmpi", out.parent / "rules", "--out", out)
    while len(lines_of(cells)) <= least and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(number)
    printed, errors = process.communicate(timeout=300)
    return process.returncode, printed, errors


def check_resumed(folder, expected):
    """A table that is interrupted, then killed, is that of a run without a stop, and no cell is priced twice."""
    out, cells = folder / "resumed.json", folder / "resumed.json.cells"
    status, printed, errors = stopped(signal.SIGINT, out, 1)
    done = len(lines_of(cells)) - 1
    if status != 0:  # a fast machine may be done before the signal
        check(status == 130 and not printed, "the status of an interrupt", status, errors)
        check(f"{done} of {CELLS} cells are done" in errors and "the same command continues" in errors, errors)
        check(len(json.loads(out.read_text())["rows"]) > 0, "the rows of an interrupted table")
        check(f"; {done} of {CELLS} cells" in json.loads(out.read_text())["description"], "the description of a part")
    first = lines_of(cells)
    check(not list(folder.glob("collsched.*")), "drafts remain after an interrupt")
    stopped(signal.SIGKILL, out, done + 1)
    with cells.open("a") as file:
        file.write('{"collective":"allred')
    last = run(*TABLE, "--openmpi", folder / "rules", "--out", out)
    check(last.returncode == 0 and "bytes removed" in last.stderr and not last.stdout, "after SIGKILL", last)
    check(lines_of(cells)[:len(first)] == first and len(lines_of(cells)) == CELLS + 1, "the cells", lines_of(cells))
    check(out.read_text() == expected.read_text(), "the table of a run with stops differs", out.read_text(), expected.read_text())
    check((folder / "rules").read_text() == (folder / "rules0").read_text(), "the rules of a run with stops differ")
    before = cells.read_bytes()
    good(*TABLE, "--openmpi", folder / "rules", "--out", out)
    check(cells.read_bytes() == before, "a complete table is priced again")


def check_hostile(folder, out):
    """Changed cells are errors with their line, and nothing is changed."""
    cells = Path(f"{out}.cells")
    table, text = out.read_text(), cells.read_text()
    again = [*TABLE, "--openmpi", folder / "rules0", "--out", out]
    name = json.loads(text.splitlines()[1])["rows"][0]["row"]["algorithm"]
    for changed, part in [(text.replace(f'"algorithm":"{name}"', '"algorithm":"no"', 1), "algorithm"), (text.replace('"ranks":4,', '"ranks":5,'), ""),
                          (text.replace('"final":true', '"final":7', 1), "final"), (text.replace('"version":1', '"version":2', 1), "version"),
                          (text.replace('"bytes":8,', '"bytes":9,'), "cell"), (text.replace('"number":', '"number":90', 1), "openmpi"),
                          (text.replace('"mpich":""', '"mpich":"x"', 1), "mpich"), (text.replace("{", "[", 2), ""), ("\0\n" + text, "")]:
        check(changed != text, "nothing is changed for", part)
        cells.write_text(changed)
        bad(again, "--out", str(cells), part)
        check(cells.read_text() == changed and out.read_text() == table, "an invalid file was changed", part)
    cells.write_text(text)
    bad([*TABLE[:-1], "block", "--openmpi", folder / "rules0", "--out", out], "--placement cyclic", "--placement block")
    bad([*TABLE, "--openmpi", folder / "rules0", "--out", out, "--header", out], "--header", "different file")
    bad([*TABLE, "--openmpi", folder / "rules0", "--out", out, "--header", cells], "--header", "different file")
    bad([*TABLE, "--out", "/dev/stdout"], "--out", "the name of a file")
    check(cells.read_text() == text and out.read_text() == table, "an error changed the table")


def check_prices(folder, out):
    """--check accepts the table, and reports a changed time, model and cluster."""
    text = good("table", "--check", out, *MODEL)
    rows = len(json.loads(out.read_text())["rows"])
    check(text == f"{rows} of {rows} rows priced, differences: 0\n", text)
    check(good("table", "--check", out, *MODEL, "--sample", 1) == f"1 of {rows} rows priced, differences: 0\n", "a sample")
    table, changed = json.loads(out.read_text()), folder / "changed.json"
    table["rows"][0]["time_us"] += 1
    changed.write_text(json.dumps(table))
    done = run("table", "--check", changed, *MODEL)
    check(done.returncode == 1 and done.stdout.count("time_us: got") == 1 and "differences: 1" in done.stdout, done)
    done = run("table", "--check", out, *MODEL[:-1], "block")
    check(done.returncode == 1 and "model: got" in done.stdout and "--placement block" in done.stdout, done)
    other = folder / "other.json"
    other.write_text(Path(cluster).read_text() + "\n")
    done = run("table", "--check", out, "--cluster", other, *MODEL[2:])
    check(done.returncode == 1 and "files: got" in done.stdout and done.stdout.count("time_us") == 0, done)
    bad(["table", "--check", out, *MODEL, "--json"], "--json", "--check")
    bad([*TABLE, "--sample", 3], "--sample", "--check")


def check_budget(folder):
    """A budget that is over leaves cells that are not final, which a larger one completes."""
    out = folder / "short.json"
    done = run(*TABLE, "--budget", "0.000001", "--out", out)
    check(done.returncode == 0 and f"of {CELLS} cells are not final" in done.stderr, done)
    check("cells are not final" in json.loads(out.read_text())["description"], "the description of a short search")
    good(*TABLE, "--out", out)
    check("not final" not in out.read_text(), "a larger budget leaves cells that are not final")
    check(json.loads(out.read_text())["rows"] == json.loads(good(*TABLE))["rows"], "the rows after a short search")


with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    expected = folder / "expected.json"
    good(*TABLE, "--threads", 1, "--openmpi", folder / "rules0", "--out", expected)
    check(json.loads(good(*TABLE, "--threads", 3))["rows"] == json.loads(expected.read_text())["rows"], "the table depends on threads")
    check_resumed(folder, expected)
    check_hostile(folder, expected)
    check_prices(folder, expected)
    check_budget(folder)
tested.end()
