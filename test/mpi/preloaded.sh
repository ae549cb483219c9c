#!/usr/bin/env bash
# preloaded.sh RUN_MPI openmpi|mpich RANKS LIBRARY [NAME=VALUE...] PROGRAM [ARGS...]: runs an MPI program with the library before
# its MPI.
set -euo pipefail
run=$1 mpi=$2 ranks=$3 library=$(realpath "$4")
shift 4
exec "$run" "$mpi" "$ranks" env -u COLLSCHED_SWEEPS -u COLLSCHED_BRIEF LD_PRELOAD="$library" "$@"
