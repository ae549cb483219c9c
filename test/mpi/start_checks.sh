#!/usr/bin/env bash
# start_checks.sh RUN_MPI openmpi|mpich LIBRARY LIBRARY_OF_THE_OTHER_MPI SUM_C: ranks that do not fit together end at MPI_Init with
# status 2 and a line that names them.
set -euo pipefail
run=$1 mpi=$2 library=$(realpath "$3") other=$(realpath "$4") source=$5
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"mpicc.$mpi" "$source" -o "$folder/sum"
unset COLLSCHED_SWEEPS COLLSCHED_BRIEF
mine=(env "LD_PRELOAD=$library")
short=("${mine[@]}" COLLSCHED_INIT_SECONDS=2)
wrong=0

# expect STATUS PATTERN COUNT RANKS COMMAND...: the run has this status, and COUNT lines of its output match the pattern.
expect() {
    local status=0 pattern=$2 count=$3 output lines
    local expected=$1
    shift 3
    output=$(timeout 300 "$run" "$mpi" "$@" 2>&1) || status=$?
    lines=$(grep -cE "$pattern" <<<"$output") || true
    if ((status == expected && lines == count)); then return; fi
    echo "status $status, expected $expected; $lines lines with '$pattern', expected $count; of $*:"
    echo "$output"
    wrong=1
}

sum=$folder/sum
expect 0 '^sum 3$' 1 3 "${mine[@]}" "$sum"
expect 0 '^sum 3$' 1 2 "${mine[@]}" COLLSCHED_INIT_SECONDS=2 "$sum" : -np 1 "${mine[@]}" COLLSCHED_VERBOSE=1 "$sum"
expect 0 '^sum 2$' 1 1 "${mine[@]}" "$sum" : -np 1 "${mine[@]}" COLLSCHED_ALLREDUCE= "$sum"

# Different variables.
same='; expected the same on all ranks'
expect 2 "^collsched: rank 1: COLLSCHED_ALLREDUCE is \"ring\", on rank 0 \"native\"$same\$" 1 \
    1 "${mine[@]}" COLLSCHED_ALLREDUCE=native "$sum" : -np 1 "${mine[@]}" COLLSCHED_ALLREDUCE=ring "$sum"
expect 2 "^collsched: rank 3: COLLSCHED_BCAST is not set, on rank 0 \"chain:segment=64\"$same \(ranks 3, 4 differ\)\$" 1 \
    3 "${mine[@]}" COLLSCHED_BCAST=chain:segment=64 "$sum" : -np 2 "${mine[@]}" "$sum"
expect 2 "^collsched: rank 2: COLLSCHED_RANKS_PER_NODE is \"2\", on rank 0 \"1\"$same\$" 1 \
    2 "${mine[@]}" COLLSCHED_RANKS_PER_NODE=1 "$sum" : -np 1 "${mine[@]}" COLLSCHED_RANKS_PER_NODE=2 "$sum"

# Ranks without the library: one whose children in the tree have it, several, and rank 0.
expect 2 '^collsched: rank 2: no message within 2 s at MPI_Init, expected .*$' 1 \
    2 "${short[@]}" "$sum" : -np 1 "$sum" : -np 2 "${short[@]}" "$sum"
expect 2 '^collsched: ranks 1, 2: no message within 2 s at MPI_Init, expected .*$' 1 \
    1 "${short[@]}" "$sum" : -np 2 "$sum" : -np 1 "${short[@]}" "$sum"
expect 2 '^collsched: rank 0: no message within 2 s at MPI_Init, expected .*$' 1 1 "$sum" : -np 2 "${short[@]}" "$sum"

# The library of the other MPI, and a time out of range: each rank prints its line.
expect 2 '^collsched: LD_PRELOAD: got libcollsched_mpi_.*\.so in a program that uses .*, expected a program of .*$' 1 \
    1 env "LD_PRELOAD=$other" "$sum"
expect 2 '^collsched: COLLSCHED_INIT_SECONDS: got 0, expected 1 to 86400$' 1 1 "${mine[@]}" COLLSCHED_INIT_SECONDS=0 "$sum"
exit $wrong
