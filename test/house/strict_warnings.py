#!/usr/bin/env -S python3 -B
"""A program that includes the library with all warnings on gets none from it: all that clang has, and those of g++ that are in
common use. Each that is off has its reason here."""

import subprocess

from house import report

CLANG = ["clang++-19", "-Weverything"]
CLANG_OFF = {
    "c++98-compat-pedantic": "and those of the versions after it: this is C++20",
    "comma": "two short assignments that belong together are in one line",
    "ctad-maybe-unsupported": "class templates deduce their arguments without a guide of ours, std::lock_guard too",
    "padded": "no struct is written to a file or a wire; those for C have no holes",
    "shadow-uncaptured-local": "a lambda that takes a copy of a field gives it the field's name",
    "switch-default": "a switch over all enumerators has none, so that -Wswitch reports a new one",
    "switch-enum": "the opposite of switch-default: a switch over a few enumerators has a default",
    "unsafe-buffer-usage": "buffers are accessed by pointers and indices; the address sanitizer runs the tests",
    "weak-vtables": "a library of headers has no other place for them",
}

GCC = ["g++", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion", "-Wshadow", "-Wcast-qual",
       "-Wcast-align=strict", "-Wold-style-cast", "-Wnon-virtual-dtor", "-Woverloaded-virtual",
       "-Wduplicated-cond", "-Wduplicated-branches", "-Wlogical-op", "-Wuseless-cast", "-Wfloat-equal", "-Wundef"]

problems = []
for compiler, off in [(CLANG, CLANG_OFF), (GCC, {})]:
    command = [*compiler, *(f"-Wno-{name}" for name in off), "-Werror", "-std=c++20", "-Iinclude", "-fsyntax-only",
               "test/house/strict_warnings.cpp"]
    run = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    print(run.stderr, end="")
    if run.returncode != 0:
        problems.append(f"{compiler[0]} warns")
report(problems, "two compilers")
