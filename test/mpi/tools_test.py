#!/usr/bin/env -S python3 -B
"""tools_test.py RUN_MPI openmpi|mpich LIBRARY PROGRAM PROGRAM_WITH_TOOL PROGRAM_OF_SHARED_TOOL TOOL SOURCE...: a tool that passes calls to
PMPI_... may be preloaded before the library or behind it, linked into the program, or be a library of the program. Every function ends,
and the library receives its calls. The names PMPI_... of the library are those of its functions MPI_..., and it calls none of them itself."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

RUN, MPI = sys.argv[1:3]
LIBRARY, PROGRAM, LINKED, SHARED, TOOL, *SOURCES = (Path(word).resolve() for word in sys.argv[3:])
SECONDS = 120  # of each function; all together take about one
FUNCTIONS = {"openmpi": 35, "mpich": 36}[MPI]  # MPI_Parrived is of MPI-4
PLACES = {
    "before": (f"{TOOL}:{LIBRARY}", PROGRAM, "received"),
    "linked": (LIBRARY, LINKED, "received"),
    "behind": (f"{LIBRARY}:{TOOL}", PROGRAM, "none"),
    "library of the program": (LIBRARY, SHARED, "none"),
}


def run(place, folder):
    """The functions that are right, in order, and a line of what is wrong."""
    preload, program, received = PLACES[place]
    report = folder / f"{place}.json"
    clean = {name: value for name, value in os.environ.items() if not name.startswith("COLLSCHED_")}
    command = ["timeout", str(2 * SECONDS), RUN, MPI, "2", "env", f"LD_PRELOAD={preload}", "COLLSCHED_VERBOSE=1", f"COLLSCHED_REPORT={report}", program,
               str(SECONDS), received]
    done = subprocess.run(command, text=True, capture_output=True, env=clean)
    right = re.findall(r"^(MPI_\w+) right$", done.stdout, re.M)
    wrong = [line for line in done.stdout.splitlines() if " right" not in line]
    if done.returncode != 0 or len(right) != FUNCTIONS:
        wrong.append(f"{place}: status {done.returncode}, {len(right)} functions right, expected 0, {FUNCTIONS}: {done.stderr}")
    if not re.search("^collsched: version ", done.stderr, re.M):
        wrong.append(f"{place}: MPI_Init did not reach the library")
    if not report.exists():
        wrong.append(f"{place}: MPI_Finalize did not reach the library")
    return right, wrong


def cell(right, i):
    """The first function that is not right ended the program."""
    return "right" if i < len(right) else "WRONG" if i == len(right) else "not run"


def symbols(*command):
    return set(re.findall(r"\bP?MPIX?_\w+", subprocess.run([*command, LIBRARY], text=True, capture_output=True, check=True).stdout))


def names():
    """The errors in the names of the library."""
    exported = symbols("nm", "-D", "--defined-only")
    plain = {name for name in exported if name.startswith("MPI")}
    wrong = [f"{name}: exported without its other name" for name in sorted({f"P{name}" for name in plain} ^ (exported - plain))]
    called = symbols("readelf", "-W", "-r") & exported
    wrong += [f"{name}: the library calls itself, expected the MPI's function: pmpi_names.hpp" for name in sorted(called)]
    wrong += [f"{source.name}: includes mpi.h, expected native_mpi.hpp" for source in SOURCES
              if source.name != "native_function.hpp" and "#include <mpi" in source.read_text()]
    return wrong if plain else [*wrong, "no exported functions"]


def main():
    failures = names()
    with tempfile.TemporaryDirectory() as name:
        table = {place: run(place, Path(name)) for place in PLACES}
    functions = max((right for right, _ in table.values()), key=len)
    print(f"{'':24}", *PLACES, sep="   ")
    for i, function in enumerate(functions):
        cells = [cell(table[place][0], i).ljust(len(place)) for place in PLACES]
        print(f"{function:24}", *cells, sep="   ")
    failures += [line for _, wrong in table.values() for line in wrong]
    for failure in failures:
        print(failure)
    sys.exit(1 if failures else 0)


main()
