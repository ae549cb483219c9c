#!/usr/bin/env -S python3 -B
"""A header has 300 lines at most, an example 60."""

from pathlib import Path

from house import TOP, report

limits = {path: 300 for path in TOP.rglob("*.hpp")} | {path: 60 for path in Path("examples").glob("*.cpp")}
problems = []
for path, limit in sorted(limits.items()):
    lines = path.read_text().count("\n")
    if lines > limit:
        problems.append(f"{path}: {lines} lines, at most {limit}")
report(problems, f"{len(limits)} files")
