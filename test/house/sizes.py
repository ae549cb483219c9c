#!/usr/bin/env -S python3 -B
"""A header has 300 lines of code at most, without comments and blank lines, and 400 in all; a program that users copy has 60
lines: those of examples/, and what it consists of in examples/from_c and examples/freestanding."""

from pathlib import Path

from house import TOP, report

HEADER = 300, 400
COPIED = ["examples", "examples/from_c", "examples/freestanding"]


def code(text):
    lines = [line.strip() for line in text.splitlines()]
    return sum(1 for line in lines if line and not line.startswith("//"))


problems = []
headers, examples = sorted(TOP.rglob("*.hpp")), sorted(path for folder in COPIED for path in Path(folder).glob("*.[ch]*"))
for path in headers:
    text = path.read_text()
    if code(text) > HEADER[0]:
        problems.append(f"{path}: {code(text)} lines of code, at most {HEADER[0]}")
    if text.count("\n") > HEADER[1]:
        problems.append(f"{path}: {text.count(chr(10))} lines, at most {HEADER[1]}")
for path in examples:
    if path.read_text().count("\n") > 60:
        problems.append(f"{path}: {path.read_text().count(chr(10))} lines, at most 60")
report(problems, f"{len(headers) + len(examples)} files")
