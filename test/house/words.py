#!/usr/bin/env -S python3 -B
"""No file of the tree names the place where it was written: its own folder, or whose home it is."""

from pathlib import Path

from house import files, report, tree

top = tree()
words = [f"{place}/" for place in (top, Path.home()) if len(place.parts) > 1]
checked = files()
problems = []
for path in checked:
    for number, line in enumerate(path.read_bytes().decode(errors="replace").splitlines(), 1):
        problems += [f"{path.relative_to(top)}:{number}: {word}" for word in words if word in line]
report(problems, f"{len(checked)} files")
