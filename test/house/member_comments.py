#!/usr/bin/env -S python3 -B
"""Doxygen's input filter documents members that have one meaning in every class. Every entry of its table documents a member of
some header. The filter changes comments and nothing else of a class, and lines keep their numbers."""

import re
import sys
from pathlib import Path

sys.path.insert(0, "docs/site")

from document_members import MEMBERS, documented, insertions
from house import TOP, report

COMMENT = re.compile(r"^/\*\* .*? \*/ ", re.MULTILINE)
used, problems, count = set(), [], 0
for path in sorted(TOP.rglob("*.hpp")):
    source = path.read_text()
    result = documented(source)
    used |= {MEMBERS.index(entry) for _, _, entry in insertions(source)}
    if result.count("\n") != source.count("\n"):
        problems.append(f"{path}: got {result.count(chr(10))} lines, expected {source.count(chr(10))}")
        continue
    count += len(COMMENT.findall(result))
    for number, (old, new) in enumerate(zip(source.split("\n"), COMMENT.sub("", result).split("\n")), 1):
        if "COLLSCHED_ABI {" in old or "enable_view" in old:
            continue
        if new != old and not (old.lstrip().startswith("///") and new.startswith(f"{old} @return ")):
            problems.append(f"{path}:{number}: got {new!r}, expected {old!r}")
problems += [f"docs/site/document_members.py: no header has an undocumented member {entry[1]} of kind {entry[0]}"
             for i, entry in enumerate(MEMBERS) if i not in used]
report(problems, f"{len(MEMBERS)} entries, {count} members")
