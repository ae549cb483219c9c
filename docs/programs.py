#!/usr/bin/env -S python3 -B
"""programs.py [--check] [PAGE...]: compiles the C++ of pages, README.md and those of docs/, runs their programs, and writes their
output below them.

    <!-- program: NAME OPTION... -->    before a block of C++, a whole program; options are given to g++
    <!-- also over: KIND... -->         after that line: the program, which calls run_threads(P, ...), prints the same with run_processes,
                                        or with run_mpi on P ranks of openmpi or mpich
    <!-- prints: NAME -->               its output, indented, up to <!-- end -->
    <!-- file: NAME -->                 before a block that is a file: it compiles alone, and programs of its page include it
    <!-- whole -->                      before a block that compiles alone and is not run
    <!-- in place -->                   before one that only makes sense where the text around puts it: it is not compiled
    <!-- whole: NAME -->                the same with a name;
    <!-- in place: NAME -->             lines that follow the program or the whole block NAME, which then does not compile:
    <!-- errors: NAME -->               before a block of text: lines of the message of g++ 12 about NAME.cpp, which may include a
                                        whole block whose name is that of a header
    <!-- fragments:                     once a page that has any other block: what C++ comes before them, up to a line -->; each block
                                        is a function's body after that, or a namespace's if a struct comes first

--check changes nothing and exits with 1 where a program does not compile, fails, or prints something else. CXX and CXXFLAGS may name
another compiler and its options. Programs see include/ and test/ as include paths, and libfmt and threads. Bazel may run several, each
with a part of the pages."""

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
ALSO = r"(?:<!-- also over: [^\n]*? -->\n)?"
PROGRAM = re.compile(rf"<!-- program: (\S+)([^\n]*?) -->\n(?:<!-- also over: ([^\n]*?) -->\n)?```cpp\n(.*?)```\n", re.DOTALL)
FILE = re.compile(r"<!-- file: (\S+) -->\n```cpp\n(.*?)```\n", re.DOTALL)
BLOCK = re.compile(rf"(?:<!-- (program: [^\n]*|file: [^\n]*|whole|in place)(?:: \S+)? -->\n)?{ALSO}```cpp\n(.*?)```\n", re.DOTALL)
NAMED = re.compile(rf"<!-- (program|whole|in place): (\S+)[^\n]*? -->\n{ALSO}```cpp\n(.*?)```\n", re.DOTALL)
ERRORS = re.compile(r"<!-- errors: (\S+) -->\n```text\n(.*?)```\n", re.DOTALL)
FRAGMENTS = re.compile(r"<!-- fragments:\n(.*?)-->\n", re.DOTALL)


def write_files(text, folder):
    """Writes the files of a page to a folder; their contents by name."""
    files = dict(FILE.findall(text))
    for name, code in files.items():
        (Path(folder) / name).write_text(code)
    return files


def compile_in(folder, code, options, compiler=None):
    """Compiles program.cpp, and returns the result of the compiler."""
    (Path(folder) / "program.cpp").write_text(code)
    command = [compiler or os.environ.get("CXX", "g++"), *shlex.split(os.environ.get("CXXFLAGS", "-O1")), "-std=c++20", "-Wall", "-Wextra",
               f"-I{TOP}/include", f"-I{TOP}/test", "program.cpp", "-o", "program", *options, "-lfmt", "-pthread"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def run(code, options, folder, compiler=None, launcher=()):
    """The output of the program, and its error."""
    compiled = compile_in(folder, code, options, compiler)
    if compiled.returncode != 0 or compiled.stderr:
        return "", f"does not compile cleanly:\n{compiled.stderr}"
    done = subprocess.run([*launcher, Path(folder) / "program"], cwd=TOP, capture_output=True, text=True, timeout=300)
    return done.stdout, f"ends with {done.returncode}\n{done.stderr}" if done.returncode != 0 else ""


def run_over(kind, code, options, folder):
    """The output of a program on threads, and its error, over processes or an MPI."""
    header = "processes" if kind == "processes" else "mpi"
    code = code.replace('#include "collsched/group.hpp"\n', f'#include "collsched/group.hpp"\n#include "collsched/group/{header}.hpp"\n')
    ranks = re.search(r"run_threads\((\d+), ", code)[1]
    if kind == "processes":
        return run(code.replace("run_threads(", "run_processes("), options, folder)
    launchers = {"openmpi": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1"],
                 "mpich": ["mpirun.mpich"]}
    return run(code.replace(f"run_threads({ranks}, ", "run_mpi("), [*options, "-DOMPI_SKIP_MPICXX"], folder, f"mpicxx.{kind}", [*launchers[kind], "-np", ranks])


def compile_unmarked(text, folder):
    """The errors in the C++ of a page that is not run."""
    alone, fragments = ([code for kind, code in BLOCK.findall(text) if kind == wanted] for wanted in ("whole", ""))
    alone += write_files(text, folder).values()
    before = FRAGMENTS.search(text)
    if fragments and not before:
        return [f"has C++ that nothing compiles: {fragments[0].splitlines()[0]}"]
    if fragments:
        bodies = [(f"namespace fragment_{i}" if code.startswith("struct") else f"auto fragment_{i}()") + " {\n" + code + "}\n"
                  for i, code in enumerate(fragments)]
        alone.append(before[1] + "".join(bodies))
    compiled = [compile_in(folder, code, ["-fsyntax-only", "-w"]) for code in alone]
    return [f"has C++ that does not compile:\n{one.stderr}" for one in compiled if one.returncode != 0]


def shown_errors(text, folder):
    """The page with the lines of error messages as g++ prints them; paths are those from the top of the tree."""
    def line_of(printed, shown):
        """The printed line that differs from a shown one in numbers alone, or None."""
        before, line = re.match(r"((?:path/to/collsched/)?)(.*)", shown).groups()
        return next((before + found for found in printed if re.sub(r"\d+", "", found) == re.sub(r"\d+", "", line)), None)

    def printed_for(block):
        name, shown = block.groups()
        code = "".join(code for _, of, code in NAMED.findall(text) if of == name)
        (Path(folder) / f"{name}.cpp").write_text(code)
        command = ["g++", "-std=c++20", f"-I{TOP}/include", "-fsyntax-only", f"{name}.cpp"]
        compiled = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=os.environ | {"LC_ALL": "C.UTF-8"})
        printed = compiled.stderr.replace(f"{TOP}/", "").splitlines()
        lines = [line_of(printed, line) or f"(not printed) {line}" for line in shown.splitlines()]
        return f"<!-- errors: {name} -->\n```text\n" + "".join(f"{line}\n" for line in lines) + "```\n"

    write_files(text, folder)
    for _, name, code in NAMED.findall(text):
        if name.endswith(".hpp"):
            (Path(folder) / name).write_text(code)
    return ERRORS.sub(printed_for, text)


def own_pages():
    """All pages, or those of one of several runs by Bazel."""
    if status := os.environ.get("TEST_SHARD_STATUS_FILE"):
        Path(status).touch()
    return [TOP / "README.md", *sorted((TOP / "docs").rglob("*.md"))][int(os.environ.get("TEST_SHARD_INDEX", 0))::
                                                                      int(os.environ.get("TEST_TOTAL_SHARDS", 1))]


def main():
    parser = argparse.ArgumentParser(description="Compiles and runs the programs in pages.")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("pages", nargs="*", type=Path)
    given = parser.parse_intermixed_args()
    pages = [page.resolve() for page in given.pages] or own_pages()
    problems, programs = [], 0
    for page in pages:
        text = wanted = page.read_text()
        with tempfile.TemporaryDirectory() as folder:
            problems += [f"{page.relative_to(TOP)} {wrong}" for wrong in compile_unmarked(text, folder)]
            if "clang" not in os.environ.get("CXX", ""):
                wanted = shown_errors(text, folder)
        for name, options, others, code in PROGRAM.findall(text):
            programs += 1
            with tempfile.TemporaryDirectory() as folder:
                write_files(text, folder)
                printed, wrong = run(code, shlex.split(options), folder)
            if wrong:
                problems.append(f"{page.relative_to(TOP)}: {name} {wrong}")
            for kind in others.split():
                with tempfile.TemporaryDirectory() as folder:
                    also, wrong = run_over(kind, code, shlex.split(options), folder)
                if wrong or also != printed:
                    problems.append(f"{page.relative_to(TOP)}: {name} over {kind} {wrong or 'prints something else'}")
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
