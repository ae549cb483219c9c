#!/usr/bin/env bash
# fortran.sh RUN_MPI openmpi|mpich RANKS LIBRARY LIBRARY_OF_THE_OTHER_MPI FORTRAN_F90 HELPER_C: the program in Fortran with
# mpif.h, the module mpi, and mpi_f08, with the library before its MPI. The library of the other MPI ends it with status 2.
set -euo pipefail
run=$1 mpi=$2 ranks=$3 library=$(realpath "$4") other=$(realpath "$5") source=$6 helper=$7
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset COLLSCHED_SWEEPS COLLSCHED_BRIEF
# mpif.h has no interfaces, so the compiler compares the calls with each other.
options=(-w -ffree-line-length-none -fallow-argument-mismatch "-J$folder")
if [[ $mpi == openmpi ]]; then
    for function in Barrier Bcast Scatter Scatterv Gather Gatherv Allgather Allgatherv Reduce Allreduce Reduce_scatter \
        Reduce_scatter_block Alltoall Alltoallv Alltoallw Scan Exscan; do
        options+=("-DMPI_${function}_init=MPIX_${function}_init")
    done
    options+=(-DOPEN_MPI)
fi
"mpicc.$mpi" -c "$helper" -o "$folder/helper.o"
wrong=0
for interface in 1 2 3; do
    "mpif90.$mpi" "${options[@]}" "-DINTERFACE=$interface" "$source" "$folder/helper.o" -ldl -o "$folder/fortran"
    timeout 300 "$run" "$mpi" "$ranks" env LD_PRELOAD="$library" "$folder/fortran" || {
        echo "interface $interface: status $?, expected 0"
        wrong=1
    }
    status=0
    output=$(timeout 300 "$run" "$mpi" 1 env LD_PRELOAD="$other" "$folder/fortran" 2>&1) || status=$?
    if ((status != 2)) || ! grep -q '^collsched: LD_PRELOAD: got .* in a program that uses .*, expected a program of' <<<"$output"; then
        echo "interface $interface with the library of the other MPI: status $status, expected 2 and a line; $output"
        wrong=1
    fi
done
exit $wrong
