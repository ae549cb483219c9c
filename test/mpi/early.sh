#!/usr/bin/env bash
# early.sh RUN_MPI openmpi|mpich LIBRARY PROGRAM: a program whose own library calls MPI in its constructor and destructor
set -euo pipefail
run=$1 mpi=$2 library=$(realpath "$3") program=$4
for ranks in 1 2 3; do
    output=$("$run" "$mpi" "$ranks" env LD_PRELOAD="$library" "$program" 2>&1) && [[ $output == *"destructor right"* ]] || {
        printf '%s ranks:\n%s\n' "$ranks" "$output"
        exit 1
    }
done
