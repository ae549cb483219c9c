#!/usr/bin/env -S python3 -B
"""examples/README.md lists every program of examples/ once, with a line and a command, and its commands name targets that exist."""

import os
import re
from pathlib import Path

from house import report, tree

os.chdir(tree())
EXAMPLES = Path("examples")
PROGRAM = re.compile(r"^int main\(|^#include <doctest/doctest\.h>", re.MULTILINE)
# They have no main function: libraries, and a node that has no start-up code.
WITHOUT_MAIN = [Path("programs/algorithms/algorithms.cpp"), Path("freestanding/board.cpp"), Path("mpi/lifetime.cpp"),
                Path("torch/module.cpp")]
ROW = re.compile(r"^\| `([^`]+)` \| ([^|]+) \| `([^`|]+)` \|$", re.MULTILINE)

page = (EXAMPLES / "README.md").read_text()
rows = ROW.findall(page)
listed = [name for name, _, _ in rows]
sources = [path.relative_to(EXAMPLES) for path in sorted(EXAMPLES.rglob("*")) if path.suffix in (".c", ".cpp")]
programs = [path for path in sources if path in WITHOUT_MAIN or PROGRAM.search((EXAMPLES / path).read_text())]

problems = [f"{path} is not in the list" for path in programs if str(path) not in listed]
problems += [f"{name} is in the list {listed.count(name)} times" for name in sorted(set(listed)) if listed.count(name) > 1]
problems += [f"{name} is in the list and does not exist" for name in listed if not (EXAMPLES / name).is_file()]
folders = {path.parent for path in sources} - {Path(".")}
problems += [f"{folder}/ has sources, and no program of it or of a folder above it is in the list" for folder in sorted(folders)
             if not any(Path(name).parent in [folder, *folder.parents][:-1] for name in listed)]
table_rows = [line for line in page.splitlines() if line.startswith("| `")]
problems += [f"not a row of program, line and command: {line}" for line in table_rows if not ROW.match(line)]


def target_exists(folder, target):
    """Whether a BUILD file makes a target of this name, or a program of this name for each MPI or file."""
    stem = re.sub(r"_(openmpi|mpich)(\.so)?$", "", target)
    build = (folder / "BUILD.bazel").read_text()
    by_name = re.search(rf'"{re.escape(stem)}(_%s(\.so)?)?"', build) is not None
    return by_name or (folder / f"{stem}.cpp").is_file()


for name, _, command in rows:
    for path in re.findall(r"bazel-bin/(\S+)", command):
        if not target_exists(Path(path).parent, Path(path).name):
            problems.append(f"{name}: no target makes bazel-bin/{path}")
    for place in re.findall(r"\./dev test (\S+)", command):
        if not any((folder / place / "BUILD.bazel").is_file() for folder in (Path("test"), Path("."))):
            problems.append(f"{name}: ./dev test {place}: got no folder with tests")
    for script in re.findall(r"(?:^|\s)((?:test|examples)/\S+\.sh)", command):
        if not os.access(script, os.X_OK):
            problems.append(f"{name}: {script} cannot be run")
report(problems, f"{len(rows)} programs")
