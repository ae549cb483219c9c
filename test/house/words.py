#!/usr/bin/env -S python3 -B
"""No file of the tree names a machine it was written on."""

import subprocess

from house import report, tree

WORDS = ["/" + "work" + "/", "farm" + "-"]

top = tree()
listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=top,
                        stdout=subprocess.PIPE, text=True)
files = [top / name for name in listed.stdout.split("\0") if name]
if listed.returncode != 0:  # an unpacked archive
    files = [path for path in top.rglob("*") if not path.relative_to(top).parts[0].startswith("bazel-")]
files = [path for path in files if path.is_file()]
problems = []
for path in files:
    for number, line in enumerate(path.read_bytes().decode(errors="replace").splitlines(), 1):
        problems += [f"{path.relative_to(top)}:{number}: {word}" for word in WORDS if word in line]
report(problems, f"{len(files)} files")
