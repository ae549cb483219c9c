#!/usr/bin/env -S python3 -B
"""Runs MPI programs of Debian natively and under the library: their checks, and the ratio of their times.

On 4 ranks, which share cores, each program is tested. On 2 ranks, each pinned to a core, it is tested and timed: both sides alternate,
and a row has the median of the ratios library / native of the pairs, with its 95 % confidence interval. The share is that of the
collective calls that the library carried out with its own algorithms. The exit status is 1 if a program fails, or if the library
carried out no call of a suite."""

import argparse
import json
import math
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from programs import SUITES, Result

RUN_MPI = Path(__file__).resolve().parents[3] / "test/run_mpi.sh"
PINNED = {"openmpi": ["mpirun.openmpi", "--allow-run-as-root", "--bind-to", "core", "-np"],
          "mpich": ["mpirun.mpich", "-bind-to", "core", "-np"]}
TIMEOUT_S = 120


def end(process):
    """Ends the launcher, which ends the ranks."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.wait(10)
            return
        except (ProcessLookupError, subprocess.TimeoutExpired):
            pass


def launch(mpi, ranks, program, folder, variables):
    """One run of a program in a new folder, pinned if the ranks have a core each."""
    folder.mkdir()
    program.prepare(folder, ranks)
    launcher = PINNED[mpi] if ranks == 2 else [str(RUN_MPI), mpi]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COLLSCHED_") and name != "LD_PRELOAD"}
    environment["TMPDIR"] = str(folder.parent)  # short, and removed with it
    words = [*launcher, str(ranks), "env", *(f"{name}={value}" for name, value in variables.items()), *program.command]
    with (folder / "output").open("w+", errors="replace") as output:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, cwd=folder,
                                   env=environment, start_new_session=True)
        try:
            status = process.wait(TIMEOUT_S)
        except subprocess.TimeoutExpired:
            end(process)
            status = f"none after {TIMEOUT_S} s"
        except BaseException:
            end(process)
            raise
        output.seek(0)
        return Result(status, output.read(), folder)


class Trial:
    """The runs of one suite with one MPI."""

    def __init__(self, suite, mpi, library, folder):
        self.mpi, self.library, self.folder = mpi, library, folder
        self.name = f"{suite.name} {mpi}"
        self.programs = suite.programs(mpi)
        self.runs = 0

    def run(self, program, ranks, preloaded, report=None):
        self.runs += 1
        variables = {"LD_PRELOAD": self.library} if preloaded else {}
        if report is not None:
            variables["COLLSCHED_REPORT"] = report
        return launch(self.mpi, ranks, program, self.folder / str(self.runs), variables)

    def fail(self, program, ranks, side, problem, run):
        print(f"{self.name}: {program.name} on {ranks} ranks, {side}: {problem}", file=sys.stderr)
        sys.stderr.write("".join(f"    {line}\n" for line in run.output.splitlines()[-12:]))

    def test(self, ranks):
        """Numbers of programs, of those that passed natively, and under the library; calls carried out, and all."""
        programs = [program for program in self.programs if ranks in program.ranks]
        native_passed = library_passed = own = calls = 0
        for program in programs:
            native = self.run(program, ranks, False)
            problem = program.check(native)
            if problem:
                self.fail(program, ranks, "native", problem, native)
            native_passed += not problem
            report = self.folder / f"report-{self.runs}.json"
            library = self.run(program, ranks, True, report)
            wrong = program.check(library) or ("" if problem else program.compare(native, library))
            rows = json.loads(report.read_text())["rows"] if report.exists() else []
            wrong = wrong or ("" if report.exists() else "no report of the library")
            if wrong:
                self.fail(program, ranks, "library", wrong, library)
            library_passed += not wrong
            calls += sum(row["calls"] for row in rows)
            own += sum(row["calls"] for row in rows if row["algorithm"] != "native")
            for run in (native, library):
                shutil.rmtree(run.folder)
        return len(programs), native_passed, library_passed, own, calls

    def seconds(self, preloaded):
        """The sum over the timed programs, not a number if one of them fails."""
        total = 0.0
        for program in self.programs:
            if program.seconds is None:
                continue
            run = self.run(program, 2, preloaded)
            problem = program.check(run)
            if problem:
                self.fail(program, 2, "library" if preloaded else "native", f"in a timed run: {problem}", run)
                return math.nan
            total += program.seconds(run)
            shutil.rmtree(run.folder)
        return total

    def ratios(self, pairs):
        found = []
        for pair in range(pairs):
            order = (False, True) if pair % 2 == 0 else (True, False)
            times = {preloaded: self.seconds(preloaded) for preloaded in order}
            found.append(times[True] / times[False])
        return found


def interval(values):
    """Those order statistics between which the median is with a probability of 95 % at least."""
    ordered, n = sorted(values), len(values)
    skipped = 0
    while 2 * sum(math.comb(n, i) for i in range(skipped + 2)) <= 0.05 * 2 ** n:
        skipped += 1
    return ordered[skipped], ordered[n - 1 - skipped]


def row(trial, ranks, pairs):
    """Prints the row of a suite; whether all is right."""
    programs, native, library, own, calls = trial.test(ranks)
    right = native == library == programs and own > 0
    ratio = ""
    if own == 0:
        print(f"{trial.name}: got no call of the library's algorithms on {ranks} ranks, expected some", file=sys.stderr)
    if pairs and ranks == 2 and right:
        found = trial.ratios(pairs)
        right = not any(math.isnan(one) for one in found)
        low, high = interval(found)
        ratio = f"{statistics.median(found):.2f} ({low:.2f} to {high:.2f})" if right else "failed"
    share = f"{own} of {calls}" + (f" ({100 * own / calls:.0f} %)" if calls else "")
    words = [*trial.name.split(), ranks, f"{native} of {programs}", f"{library} of {programs}", share, ratio]
    print(f"| {' | '.join(map(str, words))} |", flush=True)
    return right


def arguments():
    names = [suite.name for suite in SUITES]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME",
                        help=f"suites and MPIs (default all): {', '.join([*names, *PINNED])}")
    parser.add_argument("--libraries", required=True, metavar="FOLDER", type=Path,
                        help="folder of libcollsched_mpi_openmpi.so and libcollsched_mpi_mpich.so")
    parser.add_argument("--pairs", type=int, default=10, metavar="N", help="timed pairs of runs per suite (default 10; 0: none)")
    chosen = parser.parse_args()
    for name in chosen.names:
        if name not in [*names, *PINNED]:
            parser.error(f"NAME: got {name}, expected one of {', '.join([*names, *PINNED])}")
    if chosen.pairs != 0 and not 6 <= chosen.pairs <= 1000:
        parser.error(f"--pairs: got {chosen.pairs}, expected 0 or 6..1000")
    if len(os.sched_getaffinity(0)) < 2:
        parser.error(f"cores: got {len(os.sched_getaffinity(0))}, expected 2 or more, to pin a rank to each")
    return chosen


def selected(chosen):
    """Pairs of suite and MPI."""
    suites = [name for name in chosen.names if name not in PINNED]
    mpis = [name for name in chosen.names if name in PINNED]
    found = [(suite, mpi) for suite in SUITES for mpi in suite.mpis
             if (not suites or suite.name in suites) and (not mpis or mpi in mpis)]
    if not found:
        sys.exit(f"NAME: got {' '.join(chosen.names)}, expected an MPI of the suite in Debian")
    return found


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # ends the launcher as well
    chosen = arguments()
    trials, right = selected(chosen), True
    libraries = {mpi: (chosen.libraries / f"libcollsched_mpi_{mpi}.so").resolve() for _, mpi in trials}
    for library in libraries.values():
        if not library.is_file():
            sys.exit(f"--libraries: got no {library.name} in {chosen.libraries}, expected it there")
    print("| suite | MPI | ranks | passed natively | passed under the library | calls taken over | ratio of times |")
    print("| --- | --- | --- | --- | --- | --- | --- |", flush=True)
    for suite, mpi in trials:
        for ranks in (2, 4):
            with tempfile.TemporaryDirectory(prefix="mpi.", dir="/tmp") as folder:
                right = row(Trial(suite, mpi, libraries[mpi], Path(folder)), ranks, chosen.pairs) and right
    sys.exit(0 if right else 1)


if __name__ == "__main__":
    main()
