#!/usr/bin/env -S python3 -B
"""compile_fail.py COMPILER SOURCE: the compiler must reject SOURCE with a message that matches the regular
expression of its first line, `// expect: <regex>`."""

import re
import subprocess
import sys

compiler, source = sys.argv[1:]
with open(source) as file:
    first = file.readline().strip()
if not first.startswith("// expect: "):
    sys.exit(f"{source}: the first line must be `// expect: <regex>`")
expected = first[len("// expect: "):]

command = [compiler, "-std=c++20", "-Iinclude", "-Itest", "-c", "-o", "/dev/null", source]
run = subprocess.run(command, stderr=subprocess.PIPE, text=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"})
if run.returncode == 0:
    sys.exit(f"{source} compiles, and must not")
if not re.search(expected, run.stderr):
    sys.exit(f"{source}: no message matches: {expected}\n{run.stderr}")
