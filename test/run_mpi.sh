#!/usr/bin/env bash
# run_mpi.sh openmpi|mpich RANKS PROGRAM [ARGS...]: runs an MPI program on this machine, also on more ranks than cores.
set -euo pipefail
mpi=$1 ranks=$2
shift 2

# Both have sockets in the temporary folder, which has a short path and is removed at the end.
TMPDIR=$(mktemp -d /tmp/mpi.XXXXXX)
export TMPDIR HOME=${HOME:-$TMPDIR}
trap 'rm -rf "$TMPDIR"' EXIT

# Ranks of one node communicate through shared memory, without a network card and without rights to read another process.
export UCX_TLS=${UCX_TLS:-self,posix,sysv} OMPI_MCA_btl_vader_single_copy_mechanism=none

case $mpi in
openmpi)
    mpirun.openmpi --allow-run-as-root --oversubscribe --mca mpi_yield_when_idle 1 -np "$ranks" "$@"
    ;;
mpich)
    export MPIR_CVAR_POLLS_BEFORE_YIELD=${MPIR_CVAR_POLLS_BEFORE_YIELD:-1} # waiting ranks yield to working ones
    mpirun.mpich -np "$ranks" "$@"
    ;;
*)
    echo "run_mpi.sh: unknown MPI '$mpi'; openmpi or mpich" >&2
    exit 2
    ;;
esac
