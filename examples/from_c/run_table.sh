#!/usr/bin/env bash
# run_table.sh COMPILER COLLSCHED SOURCE OPTIONS...: writes a schedule as a table in C, and runs a program that has it.
set -euo pipefail
compiler=$1 collsched=$2 source=$3
shift 3
out=$(mktemp -d "${TEST_TMPDIR:-/tmp}/table.XXXXXX")
trap 'rm -rf "$out"' EXIT
"$collsched" show allgather/neighbor-exchange --ranks 6 --block 4 --c "$out/allgather_neighbor_exchange_6.h" >"$out/summary"
# The table has more than one program uses.
"$compiler" "$@" -Wno-unused-const-variable -I"$out" "$source" -o "$out/run_table"
"$out/run_table"
