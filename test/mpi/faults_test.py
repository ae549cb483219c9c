#!/usr/bin/env -S python3 -B
"""faults_test.py RUN_MPI openmpi|mpich LIBRARY FAULTS: the shared memory of a node: its use by default, ranks that die, memory that
cannot be had, children that ranks fork, several worlds, and progress of the MPI."""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

RUN, MPI, LIBRARY, FAULTS = sys.argv[1], sys.argv[2], *(str(Path(word).resolve()) for word in sys.argv[3:5])
MEMORY = Path("/dev/shm")
MOUNTS = {"full": "mount -t tmpfs -o size=64k tmpfs /dev/shm", "read-only": "mount -t tmpfs -o ro tmpfs /dev/shm"}
# Both MPIs themselves need memory elsewhere.
ELSEWHERE = {"OMPI_MCA_btl_vader_backing_directory": "/tmp", "UCX_TLS": "self,sysv"}
failures = []


def check(condition, *what):
    if not condition:
        failures.append(" ".join(str(word) for word in what))


def run(ranks, *words, options=(), before="", more={}, **variables):
    clean = {name: value for name, value in os.environ.items() if not name.startswith("COLLSCHED_")} | more
    given = [f"COLLSCHED_{name}={value}" for name, value in variables.items()]
    command = [RUN, MPI, str(ranks), *options, "env", f"LD_PRELOAD={LIBRARY}", *given, FAULTS, *words]
    if before:
        command = ["unshare", "-m", "sh", "-c", before + ' && exec "$@"', "sh", *command]
    return subprocess.run(command, text=True, capture_output=True, env=clean, timeout=480)


def good(ranks, *words, **more):
    """The output of a run that ends well."""
    done = run(ranks, *words, VERBOSE=1, **more)
    check(done.returncode == 0 and f"{words[0]} right\n" in done.stdout, ranks, words, more, "gives", done.returncode, done.stdout, done.stderr)
    return done.stderr


def processes():
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if (folder / "cmdline").read_bytes().startswith(FAULTS.encode() + b"\0"):
                found.add(folder.name)
        except OSError:
            pass  # it has ended
    return found


def check_clean(*why):
    """No process and no name remain."""
    end = time.monotonic() + 10
    while processes() and time.monotonic() < end:
        time.sleep(0.1)
    check(not processes(), "processes remain after", *why, processes())
    names = set(MEMORY.glob("collsched-*"))
    check(not names - names_before, "names remain after", *why, names - names_before)


def test_use():
    for ranks in (2, 3, 5):
        check("; messages: shared memory;" in good(ranks, "sums"), ranks, "ranks: no shared memory by default")
        check("; messages: MPI;" in good(ranks, "sums", SHARED_MEMORY=0), ranks, "ranks: shared memory that is not wanted")
        check_clean("sums")
    check("; messages: MPI;" in good(1, "sums"), "shared memory of one rank")


def test_processes():
    for ranks in (2, 3):
        good(ranks, "forks")
        # MPICH's launcher of Debian 12 cannot spawn here, without this library too.
        if MPI == "openmpi":
            good(ranks, "spawns")
        check_clean("forks and spawns")


def test_progress():
    if MPI == "openmpi":  # the windows of Debian's MPICH give wrong values here, without this library too
        good(3, "serves", options=["--mca", "osc", "^ucx"])  # the usual ones need the single copy that run_mpi.sh switches off
        check_clean("serves")


def test_death():
    for ranks in (2, 3, 4):
        for form in ("blocking", "waiting"):
            began = time.monotonic()
            done = run(ranks, "dies", form)
            check(done.returncode != 0 and time.monotonic() - began < 60, "dies", form, "gives", done.returncode)
            check_clean("dies", form, ranks)
    if MPI == "openmpi":  # its launcher can let the other ranks go on
        for form in ("blocking", "waiting"):
            done = run(3, "dies", form, options=["--enable-recovery"])
            found = re.findall(r"^rank [01]: error 1 after ([0-9.]+) s$", done.stdout, re.MULTILINE)
            check(len(found) == 2 and all(float(seconds) < 30 for seconds in found), form, "gives", done.stdout, done.stderr)
            check_clean("dies", form)


def test_without_memory():
    if not shutil.which("unshare") or subprocess.run(["unshare", "-m", "sh", "-c", MOUNTS["full"]], capture_output=True).returncode != 0:
        print("skipped: a full and a read-only /dev/shm: no right to mount")
        return
    for kind, mount in MOUNTS.items():
        for ranks in (2, 3):
            text = good(ranks, "sums", before=mount, more=ELSEWHERE)
            reason = "No space left on device" if kind == "full" else "Read-only file system"
            check(text.count(f": {reason}\n") == ranks and "collsched: shared memory: " in text, kind, "gives", text)
            check("; messages: MPI;" in text, kind, "gives", text)


names_before = set(MEMORY.glob("collsched-*"))
test_use()
test_processes()
test_progress()
test_death()
test_without_memory()
for failure in failures:
    print(failure)
sys.exit(1 if failures else 0)
