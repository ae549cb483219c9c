#!/usr/bin/env -S python3 -B
"""by_ctypes.py RUN_MPI openmpi|mpich LIBRARY: calls of MPI from Python without bindings, by ctypes and so by dlsym, on two ranks. Functions
that are searched in the whole program are the library's. Those that are searched in a handle of the MPI's library are too. Both hold
for names PMPI_... as well, also of functions that complete a request."""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

FILES = {"openmpi": "libmpi.so.40", "mpich": "libmpich.so.12"}


def handle_of(mpi, name):
    """MPI_COMM_WORLD, MPI_DOUBLE or MPI_SUM as C passes it."""
    if mpi == "mpich":
        return ctypes.c_int({"comm_world": 0x44000000, "double": 0x4C00080B, "op_sum": 0x58000003}[name])
    return ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(ctypes.CDLL(FILES[mpi]), f"ompi_mpi_{name}")))


def sums(mpi, functions, rank_function):
    """The sums of the ranks + 1 by MPI_Allreduce of these functions."""
    world = handle_of(mpi, "comm_world")
    rank = ctypes.c_int()
    rank_function(world, ctypes.byref(rank))
    result = []
    for function in functions:
        own, total = (ctypes.c_double * 3)(*[rank.value + 1.0] * 3), (ctypes.c_double * 3)()
        function(own, total, 3, handle_of(mpi, "double"), handle_of(mpi, "op_sum"), world)
        result += list(total)
    return result


def completed(begin, wait):
    """A function that begins an operation and waits for its end."""
    def call(*arguments):
        request = ctypes.c_void_p()  # of Open MPI; MPICH's is shorter
        begin(*arguments, ctypes.byref(request))
        wait(ctypes.byref(request), ctypes.byref((ctypes.c_char * 256)()))
    return call


def rank_of_program(mpi):
    library = ctypes.CDLL(FILES[mpi], ctypes.RTLD_GLOBAL)
    everything = ctypes.CDLL(None)
    library.MPI_Init(None, None)
    calls = everything.collsched_mpi_calls
    calls.restype = ctypes.c_long
    before = calls(b"allreduce", 0)
    plain = [searched[name] for name in ("MPI_Allreduce", "PMPI_Allreduce") for searched in (everything, library)]
    waited = [completed(library.MPI_Iallreduce, searched.PMPI_Wait) for searched in (everything, library)]
    found = sums(mpi, plain + waited, library.MPI_Comm_rank)
    made = calls(b"allreduce", 0) - before
    library.MPI_Finalize()
    if made != 6 or found != [3.0] * 18:
        sys.exit(f"got {made} calls of the library and sums {found}, expected 6 and sums of 3")


def main():
    if len(sys.argv) == 2:
        return rank_of_program(sys.argv[1])
    run, mpi, library = sys.argv[1], sys.argv[2], Path(sys.argv[3]).resolve()
    clean = {name: value for name, value in os.environ.items() if not name.startswith("COLLSCHED_")}
    done = subprocess.run([run, mpi, "2", "env", f"LD_PRELOAD={library}", sys.executable, "-B", str(Path(__file__).resolve()), mpi],
                          env=clean, timeout=480)
    sys.exit(done.returncode)


main()
