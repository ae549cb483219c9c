#!/usr/bin/env bash
# golden.sh GOLDEN COMMAND...: what the command prints must be what the golden file holds.
set -euo pipefail
golden=$1
shift
printed=${TEST_TMPDIR:-/tmp}/printed
"$@" >"$printed"
if [[ ! -e $golden ]]; then
    echo "$golden is missing; the program prints:"
    cat "$printed"
    exit 1
fi
diff -u "$golden" "$printed"
