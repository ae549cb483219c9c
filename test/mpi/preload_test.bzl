"""The form of tests that run MPI programs with the library before their MPI."""

def preload_test(name, script, mpi, args = [], data = [], ranks = None, size = "medium", tags = []):
    """Runs SCRIPT run_mpi.sh MPI [RANKS] LIBRARY ARGS...

    Args:
      name: of the test.
      script: what is run.
      mpi: "openmpi" or "mpich".
      args: its further arguments.
      data: the targets in these arguments.
      ranks: number of ranks, for scripts that take it.
      size: of the test.
      tags: beside those of all tests that run MPI.
    """
    library = "//examples/mpi:libcollsched_mpi_%s.so" % mpi
    native.sh_test(
        name = name,
        size = size,
        srcs = [script],
        args = ["$(location //test:run_mpi.sh)", mpi] + ([] if ranks == None else [str(ranks)]) +
               ["$(location %s)" % library] + args,
        data = [library, "//test:run_mpi.sh"] + data,
        tags = ["exclusive", "mpi"] + tags,
    )
