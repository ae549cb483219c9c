#!/usr/bin/env -S python3 -B
"""programs.py [--check] [PAGE...]: compiles and runs the programs that pages of docs/ hold, and writes what they print below them.

    <!-- program: NAME OPTION... -->    before a block of C++, a whole program; options are given to g++
    <!-- prints: NAME -->               what it prints, indented, up to <!-- end -->

--check changes nothing and exits with 1 where a program does not compile, fails, or prints something else. CXX and CXXFLAGS may name
another compiler and its options. Programs see include/ and test/ as include paths, and libfmt and threads."""

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
PROGRAM = re.compile(r"<!-- program: (\S+)([^\n]*?) -->\n```cpp\n(.*?)```\n", re.DOTALL)


def run(code, options, folder):
    """What the program prints, and what went wrong."""
    (Path(folder) / "program.cpp").write_text(code)
    command = [os.environ.get("CXX", "g++"), *shlex.split(os.environ.get("CXXFLAGS", "-O1")), "-std=c++20", "-Wall", "-Wextra",
               f"-I{TOP}/include", f"-I{TOP}/test", "program.cpp", "-o", "program", *options, "-lfmt", "-pthread"]
    compiled = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if compiled.returncode != 0 or compiled.stderr:
        return "", f"does not compile cleanly:\n{compiled.stderr}"
    done = subprocess.run([Path(folder) / "program"], cwd=TOP, capture_output=True, text=True, timeout=300)
    return done.stdout, f"ends with {done.returncode}\n{done.stderr}" if done.returncode != 0 else ""


def main():
    parser = argparse.ArgumentParser(description="Compiles and runs the programs in pages.")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("pages", nargs="*", type=Path)
    given = parser.parse_intermixed_args()
    pages = [page.resolve() for page in given.pages] or sorted((TOP / "docs").rglob("*.md"))
    problems, programs = [], 0
    for page in pages:
        text = wanted = page.read_text()
        for name, options, code in PROGRAM.findall(text):
            programs += 1
            with tempfile.TemporaryDirectory() as folder:
                printed, wrong = run(code, shlex.split(options), folder)
            if wrong:
                problems.append(f"{page.relative_to(TOP)}: {name} {wrong}")
            shown = "".join(f"    {line}".rstrip() + "\n" for line in printed.splitlines())
            wanted = re.sub(rf"(<!-- prints: {re.escape(name)} -->\n).*?(<!-- end -->)",
                            lambda m: f"{m[1]}\n{shown}\n{m[2]}", wanted, flags=re.DOTALL)
        if wanted != text and given.check:
            problems.append(f"{page.relative_to(TOP)} does not show what is printed")
        elif wanted != text and not problems:
            page.write_text(wanted)
            print(f"wrote {page.relative_to(TOP)}")
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problems in {programs} programs")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
