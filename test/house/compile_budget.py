#!/usr/bin/env -S python3 -B
"""The compilations of a program of one algorithm with the engine, and with a group, have budgets: the compiler's peak memory at -O2,
which hardly depends on other processes."""

import os
import subprocess

from house import report

BUDGETS_MB = {("g++", "test/house/one_allreduce.cpp"): 350, ("clang++-19", "test/house/one_allreduce.cpp"): 233,
              ("g++", "test/house/one_group.cpp"): 440, ("clang++-19", "test/house/one_group.cpp"): 293}


def compile_once(compiler, program):
    """Peak memory in MB and user seconds."""
    process = subprocess.Popen([compiler, "-std=c++20", "-O2", "-Iinclude", "-c", program, "-o", os.devnull])
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        report([f"{compiler} does not compile {program}"], "one program")
    return used.ru_maxrss / 1024, used.ru_utime


problems = []
for (name, program), budget in BUDGETS_MB.items():
    megabytes, seconds = compile_once(name, program)
    print(f"{name}, {program}: {megabytes:.0f} of {budget} MB, {seconds:.1f} s")
    if megabytes > budget:
        problems.append(f"{name} takes {megabytes:.0f} MB for {program}, budget {budget}")
report(problems, f"{len(BUDGETS_MB)} compilations")
