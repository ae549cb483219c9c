#!/usr/bin/env -S python3 -B
"""Products use the public part of the library alone: the sources of examples/ include no header below a folder detail/, and name
nothing of a namespace detail."""

import re

from house import files, report, tree

SUFFIXES = {".c", ".cpp", ".h", ".hpp"}
PRIVATE = re.compile(r'#include [<"]collsched/(?:\S*/)?detail/|\bdetail::|\bnamespace detail\b')

top = tree()
sources = [path for path in files() if path.suffix in SUFFIXES and path.relative_to(top).parts[0] == "examples"]
problems = [f"{path.relative_to(top)}:{number}: got {line.strip()}, expected public names of the library"
            for path in sorted(sources) for number, line in enumerate(path.read_text().splitlines(), 1) if PRIVATE.search(line)]
if len(sources) < 100:
    problems.append(f"got {len(sources)} sources in examples/, expected at least 100")
report(problems, f"{len(sources)} sources of products")
