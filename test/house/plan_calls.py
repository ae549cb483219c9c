#!/usr/bin/env -S python3 -B
"""The plan of an allreduce among 5 ranks is made with few calls of the library's functions, counted without optimization. Most
calls of a composition that is slow to make copy its parts or check them again."""

import subprocess
import tempfile

from house import report

LIMIT = 12_000

with tempfile.TemporaryDirectory() as folder:
    program = folder + "/plan_calls"
    subprocess.run(["g++", "-std=c++20", "-O0", "-Iinclude", "-finstrument-functions",
                    "-finstrument-functions-exclude-file-list=/usr/", "-o", program, "test/house/plan_calls.cpp"], check=True)
    calls = int(subprocess.run([program], stdout=subprocess.PIPE, check=True).stdout)
print(f"{calls:,} of {LIMIT:,} calls")
report([f"{calls:,} calls, limit {LIMIT:,}"] if calls > LIMIT else [], "the plan of an allreduce")
