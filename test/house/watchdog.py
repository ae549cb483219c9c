#!/usr/bin/env -S python3 -B
"""The main function of tests ends a case that does not end by itself, and names it: watchdog.py PROGRAM, of endless.cpp."""

import os
import subprocess
import sys

from house import report


def run(case, **environment):
    return subprocess.run([sys.argv[1], f"--test-case={case}"], env=os.environ | environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=120, check=False)


problems = []
loop = run("a loop without end", TEST_TIMEOUT="2")
if loop.returncode != 2 or "endless.cpp:7: the case did not end in time: a loop without end" not in loop.stdout:
    problems.append(f"a loop without end: status {loop.returncode}: {loop.stdout}")
memory = run("a list without end")
if memory.returncode != 1 or "std::bad_alloc" not in memory.stdout:
    problems.append(f"a list without end: status {memory.returncode}: {memory.stdout}")
report(problems, "2 cases")
