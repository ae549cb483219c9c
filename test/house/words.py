#!/usr/bin/env -S python3 -B
"""No file of the tree names the place where it was written: its own folder, or whose home it is."""

import subprocess
from pathlib import Path

from house import report, tree

top = tree()
words = [f"{place}/" for place in (top, Path.home()) if len(place.parts) > 1]
listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=top,
                        stdout=subprocess.PIPE, text=True)
files = [top / name for name in listed.stdout.split("\0") if name]
if listed.returncode != 0:  # an unpacked archive
    files = [path for path in top.rglob("*") if not path.relative_to(top).parts[0].startswith("bazel-")]
files = [path for path in files if path.is_file()]
problems = []
for path in files:
    for number, line in enumerate(path.read_bytes().decode(errors="replace").splitlines(), 1):
        problems += [f"{path.relative_to(top)}:{number}: {word}" for word in words if word in line]
report(problems, f"{len(files)} files")
