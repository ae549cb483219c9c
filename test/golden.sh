#!/usr/bin/env bash
# golden.sh GOLDEN COMMAND...: the output of the command must equal the golden file.
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
