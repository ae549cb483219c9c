"""The programs of each suite: their inputs, and the checks of their output."""

import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

HERE = Path(__file__).resolve().parent
SCALAPACK_DATA = Path("/usr/share/scalapack")
LAMMPS_EXAMPLES = Path("/usr/share/lammps/examples")


@dataclass
class Result:
    """One run of a program: its exit status, its output and the folder that it ran in."""
    status: int
    output: str
    folder: Path


@dataclass
class Program:
    """A program of a suite.

    `check` returns the problem of a run, empty if it passed. `compare` does so for two runs of which only the second had the library.
    `seconds` returns the time that a run measured itself; programs without it are tested and not timed.
    """
    name: str
    command: list
    check: Callable
    prepare: Callable = lambda folder, ranks: None
    compare: Callable = lambda native, library: ""
    seconds: Callable | None = None
    ranks: tuple = (2, 4)


@dataclass
class Suite:
    name: str
    mpis: tuple
    programs: Callable  # of the MPI


# --- HPC Challenge --------------------------------------------------------------------------------------------------

HPCC_EXAMPLE = Path("/usr/share/doc/hpcc/examples/_hpccinf.txt")
HPCC_SCALED = {"Ps": {2: 1, 4: 2}, "Qs": {2: 2, 4: 2}}  # process grid by number of ranks


def prepare_hpcc(folder, ranks):
    """The example of Debian, with N = 1000 and a process grid of all ranks."""
    text = HPCC_EXAMPLE.read_text()
    for name, values in HPCC_SCALED.items():
        text = re.sub(rf"^\d+(\s+{name})$", rf"{values[ranks]}\1", text, flags=re.MULTILINE)
    (folder / "hpccinf.txt").write_text(text)


def hpcc_summary(run):
    path = run.folder / "hpccoutf.txt"
    text = path.read_text(errors="replace") if path.exists() else ""
    return text, dict(re.findall(r"^(\w+)=(\S+)$", text, re.MULTILINE))


def check_hpcc(run):
    text, values = hpcc_summary(run)
    if run.status != 0 or values.get("Success") != "1":
        return f"status {run.status}, Success={values.get('Success')}"
    if re.search(r"\bFAILED\b|\(failed\)", text):
        return "a check failed"
    if not re.search(r"\|\|Ax-b\|\|.*PASSED", text):
        return "no residual of HPL that passed"
    limits = {"PTRANS_residual": 16, "MPIRandomAccess_ErrorsFraction": 0.01, "MPIRandomAccess_LCG_ErrorsFraction": 0.01,
              "MPIFFT_maxErr": 1e-10}
    for name, limit in limits.items():
        if not 0 <= float(values.get(name, "nan")) <= limit:
            return f"{name}={values.get(name)}, expected 0..{limit}"
    return ""


def seconds_of_hpcc(run):
    """The kernels that all ranks run together with a fixed number of operations."""
    _, values = hpcc_summary(run)
    names = ["HPL_time", "PTRANS_time", "MPIRandomAccess_time", "MPIRandomAccess_LCG_time"]
    return sum(float(values[name]) for name in names + [f"MPIFFT_time{i}" for i in range(1, 6)])


def hpcc(_):
    return [Program("hpcc", ["hpcc"], check_hpcc, prepare_hpcc, seconds=seconds_of_hpcc)]


# --- LAMMPS ---------------------------------------------------------------------------------------------------------

LAMMPS_STEPS = {"melt": 250, "peptide": 60}


def prepare_lammps(name):
    def prepare(folder, _):
        for source in (LAMMPS_EXAMPLES / name).iterdir():
            (folder / source.name).write_bytes(source.read_bytes())
        script = folder / f"in.{name}"
        text, changed = re.subn(r"^(run\s+)\d+$", rf"\g<1>{LAMMPS_STEPS[name]}", script.read_text(), flags=re.MULTILINE)
        if changed != 1:
            raise SystemExit(f"{script.name}: got {changed} lines `run STEPS`, expected 1")
        script.write_text(re.sub(r"^thermo\s+\d+$", "thermo 10", text, flags=re.MULTILINE))
    return prepare


def lammps_values(run):
    """The numbers of the thermodynamic output."""
    text = re.sub(r"CPU =\s+\S+", "", run.output)
    parts = re.findall(r"^Per MPI rank memory.*?\n(.*?)^Loop time", text, re.MULTILINE | re.DOTALL)
    return [float(word) for part in parts for word in re.findall(r"(?<!\S)[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?(?!\S)", part)]


def check_lammps(run):
    if run.status != 0 or "ERROR" in run.output:
        return f"status {run.status}"
    return "" if len(lammps_values(run)) > 20 else "no thermodynamic output"


def compare_lammps(native, library):
    """Sums in another order differ in the last bits, which the steps magnify."""
    expected, found = lammps_values(native), lammps_values(library)
    if len(expected) != len(found):
        return f"{len(found)} values, natively {len(expected)}"
    for a, b in zip(expected, found):
        if not math.isclose(a, b, rel_tol=1e-5, abs_tol=1e-4):
            return f"value {b}, natively {a}"
    return ""


def seconds_of_lammps(run):
    return sum(float(word) for word in re.findall(r"^Loop time of (\S+)", run.output, re.MULTILINE))


def lammps(_):
    return [Program(name, ["lmp", "-in", f"in.{name}"], check_lammps, prepare_lammps(name), compare_lammps, seconds_of_lammps)
            for name in LAMMPS_STEPS]


# --- mpi4py ---------------------------------------------------------------------------------------------------------


def check_mpi4py(run):
    return "" if run.status == 0 and "0 failures" in run.output.splitlines() else f"status {run.status}"


def seconds_of_mpi4py(run):
    return float(re.search(r"^(\S+) seconds$", run.output, re.MULTILINE)[1])


def check_seconds(run):
    return "" if run.status == 0 and re.search(r"^\S+ seconds$", run.output, re.MULTILINE) else f"status {run.status}"


def mpi4py(_):
    command = ["/usr/bin/python3", "-B", str(HERE / "mpi4py_calls.py")]  # that of Debian, for which mpi4py is installed
    return [Program("calls", command, check_mpi4py),
            Program("loops", [*command, "time"], check_seconds, seconds=seconds_of_mpi4py, ranks=(2,))]


# --- ScaLAPACK ------------------------------------------------------------------------------------------------------

# With a size, the problem is larger than Debian's, and timed. The number is the column of the seconds in the row of a result.
SCALAPACK_TIMED = {"xdlu": ("LU.dat", 8), "xdllt": ("LLT.dat", 8), "xdqr": ("QR.dat", 7)}
SCALAPACK_TESTED = ["xdls", "xdinv", "xdtrd", "xdbrd", "xdhrd", "xznep", "xzevc", "xdpbllt", "xdgblu", "xzllt", "PBLAS/dpb1tst",
                    "PBLAS/dpb2tst", "PBLAS/zpb3tst"]
GRIDS = {2: "2\t\tgrids\n1 2\tP\n2 1\tQ\n", 4: "1\t\tgrids\n2\tP\n2\tQ\n"}
SIZES = {2: "400", 4: "120"}


def scalapack_data(name, ranks):
    """Without estimates of the condition, with which Debian's xdlu often ends in an illegal argument by itself."""
    size, grids = SIZES[ranks], GRIDS[ranks]
    solve = "1\t\tnumber of NRHS\n4\tNRHS\n1\t\tnumber of NBRHS\n4\tNBRHS\n"
    head = f"'input'\n'MPI'\n'{name}.out'\n6\t\tdevice\n"
    if name == "LU.dat":
        return f"{head}1\n{size}\tM\n{size}\tN\n1\n16\tNB\n{solve}{grids}1.0\nF\n"
    if name == "LLT.dat":
        return f"{head}'U'\n1\n{size}\tN\n1\n16\tNB\n{solve}{grids}3.0\nF\n"
    kinds = "2\t\tfactorizations\n'QR' 'LQ'\n"
    return f"{head}{kinds}1\n{size}\tM\n{size}\tN\n1\n16\tMB\n16\tNB\n{grids}3.0\n"


def prepare_scalapack(folder, ranks):
    for source in [*SCALAPACK_DATA.glob("*.dat"), *(SCALAPACK_DATA / "PBLAS").glob("*.dat")]:
        (folder / source.name).write_bytes(source.read_bytes())
    for name, _ in SCALAPACK_TIMED.values():
        (folder / name).write_text(scalapack_data(name, ranks))


def scalapack_counts(run):
    """The numbers of tests that passed and that failed, the latter in all words that the testers have for it."""
    failed = len(re.findall(r"^WALL.*\bFAILED\b|\bFAILED\s*\*", run.output, re.MULTILINE))
    failed += sum(int(word) for word in re.findall(r"(\d+) tests completed and failed", run.output))
    return len(re.findall(r"\bPASSED\b", run.output)), failed


def check_scalapack(run):
    passed, failed = scalapack_counts(run)
    return "" if run.status == 0 and passed and not failed else f"status {run.status}, {passed} passed, {failed} failed"


def compare_scalapack(native, library):
    before, after = scalapack_counts(native), scalapack_counts(library)
    return "" if before == after else f"{after[0]} tests passed, natively {before[0]}"


def seconds_of_scalapack(column):
    def seconds(run):
        rows = [line.split() for line in run.output.splitlines() if line.startswith("WALL")]
        return sum(float(row[column]) for row in rows)
    return seconds


def scalapack(mpi):
    folder = f"/usr/lib/x86_64-linux-gnu/scalapack/{mpi}-tests"
    columns = {name: column for name, (_, column) in SCALAPACK_TIMED.items()}
    timed = [Program(name, [f"{folder}/{name}"], check_scalapack, prepare_scalapack, compare_scalapack, seconds_of_scalapack(column))
             for name, column in columns.items()]
    # A waiting rank of Debian's MPICH does not yield: on 4 ranks and 2 cores testers take minutes.
    return timed + [Program(name, [f"{folder}/{name}"], check_scalapack, prepare_scalapack, compare_scalapack,
                            ranks=(2,) if mpi == "mpich" else (2, 4)) for name in SCALAPACK_TESTED]


SUITES = [Suite("hpcc", ("openmpi",), hpcc), Suite("lammps", ("openmpi",), lammps), Suite("mpi4py", ("openmpi",), mpi4py),
          Suite("scalapack", ("openmpi", "mpich"), scalapack)]
