#!/usr/bin/env -S python3 -B
"""The main function of tests ends a case that does not end by itself, and names it: watchdog.py PROGRAM, of endless.cpp."""

import os
import subprocess
import sys

from house import report


def run(case, **environment):
    return subprocess.run([sys.argv[1], f"--test-case={case}"], env=os.environ | environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=600, check=False)


problems = []
cases = ((9, "a loop without end", "it computed too long"), (14, "a wait without end", "its threads wait for each other"))
for line, case, reason in cases:
    end = run(case, TEST_TIMEOUT="2")
    if end.returncode != 2 or f"endless.cpp:{line}: the case did not end in time: {case}\n{reason}" not in end.stdout:
        problems.append(f"{case}: status {end.returncode}: {end.stdout}")
memory = run("a list without end")
if memory.returncode != 1 or "std::bad_alloc" not in memory.stdout:
    problems.append(f"a list without end: status {memory.returncode}: {memory.stdout}")
report(problems, "3 cases")
