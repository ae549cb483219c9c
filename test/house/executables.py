#!/usr/bin/env -S python3 -B
"""A file that names its interpreter in its first line can be run, and one that can be run names it."""

import os

from house import files, report, tree

problems = []
checked = files()
for path in checked:
    with path.open("rb") as file:
        script = file.read(2) == b"#!"
    if script != os.access(path, os.X_OK):
        problems.append(f"{path.relative_to(tree())}: " + ("has #! and cannot be run" if script else "can be run and has no #!"))
report(problems, f"{len(checked)} files")
