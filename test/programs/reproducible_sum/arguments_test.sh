#!/usr/bin/env bash
# arguments_test.sh PROGRAM: invalid arguments give one line on standard error, nothing else, and status 2.
set -uo pipefail
program=$1
failures=0

expect() {  # LINE ARGUMENT...
    local line=$1 printed status
    shift
    printed=$("$program" "$@" 2>&1)
    status=$?
    if [[ $printed != "$line" || $status != 2 ]]; then
        echo "$*: got status $status and \"$printed\", expected status 2 and \"$line\""
        failures=$((failures + 1))
    fi
}

expect "NUMBERS: got 0, expected 1..10000000" 0
expect "NUMBERS: got 10000001, expected 1..10000000" 10000001
expect "NUMBERS: got -1, expected 1..10000000" -1
expect "NUMBERS: got , expected 1..10000000" ""
expect "NUMBERS: got 7x, expected 1..10000000" 7x
expect "NUMBERS: got ?[1m?7, expected 1..10000000" "$(printf '\033[1m\n7')"
expect "NUMBERS: got 99999999999999999999, expected 1..10000000" 99999999999999999999
expect "SEED: got one, expected 0..1000000000" 1 one
expect "SEED: got 1000000001, expected 0..1000000000" 1 1000000001
expect "arguments: got 3, expected NUMBERS and SEED at most" 1 2 3
exit $((failures > 0))
