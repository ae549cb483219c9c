#!/usr/bin/env -S python3 -B
"""The compilation of a program of one algorithm and the engine has a budget: the compiler's peak memory at -O2, which hardly
depends on other processes."""

import os
import subprocess

from house import report

PROGRAM = "test/house/one_allreduce.cpp"
BUDGETS_MB = {"g++": 312, "clang++-19": 201}


def compile_once(compiler):
    """Peak memory in MB and user seconds."""
    process = subprocess.Popen([compiler, "-std=c++20", "-O2", "-Iinclude", "-c", PROGRAM, "-o", os.devnull])
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        report([f"{compiler} does not compile {PROGRAM}"], "one program")
    return used.ru_maxrss / 1024, used.ru_utime


problems = []
for name, budget in BUDGETS_MB.items():
    megabytes, seconds = compile_once(name)
    print(f"{name}: {megabytes:.0f} of {budget} MB, {seconds:.1f} s")
    if megabytes > budget:
        problems.append(f"{name} takes {megabytes:.0f} MB for {PROGRAM}, budget {budget}")
report(problems, f"{len(BUDGETS_MB)} compilers")
