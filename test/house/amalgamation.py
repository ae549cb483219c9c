#!/usr/bin/env -S python3 -B
"""packaging/amalgamate.py puts every public header of its layers into one header, which compiles alone and runs the program of
README.md, and it fails if a header is missing."""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from house import TOP, headers, is_adapter, is_umbrella, layer, report

sys.path.insert(0, "packaging")
from amalgamate import LAYERS, amalgamate  # noqa: E402

COMPILERS = ["g++", "clang++-19"]
PAGE = Path("docs/write_a_transport.md").read_text()
PROGRAM = re.search(r"<!-- program: smallest -->\n```cpp\n(.*?)```\n", PAGE, re.DOTALL)[1]
PRINTED = re.sub("^    ", "", re.search(r"<!-- prints: smallest -->\n\n(.*?)\n<!-- end -->", PAGE, re.DOTALL)[1], flags=re.MULTILINE)


def parts():
    """Which public headers are missing, or there twice."""
    made = amalgamate(Path())
    public = {f"collsched/{header}" for header in headers()
              if layer(header) in LAYERS and not is_adapter(header) and "detail" not in header.parts}
    text = made.text()
    found = re.findall(r"^// (collsched/\S+\.hp?p?)$", text, re.MULTILINE)
    for name in sorted(public - set(found)):
        yield f"{name} is not in the amalgamation"
    for name in sorted({name for name in found if found.count(name) > 1}):
        yield f"{name} is in the amalgamation twice"
    for line in re.findall(r'^\s*#\s*include\s*["<]collsched/.*$', text, re.MULTILINE):
        yield f"the amalgamation has the line {line}"


def program(compiler, folder):
    """The errors of the page's program, compiled against the amalgamation alone."""
    source = re.sub(r'(?:#include "collsched/[^"]+"\n)+', '#include "collsched.hpp"\n', PROGRAM)
    (folder / "program.cpp").write_text(source)
    compiled = subprocess.run([compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror", "program.cpp", "-o", "program", "-pthread"],
                              cwd=folder, stderr=subprocess.PIPE, text=True)
    if compiled.returncode != 0:
        return [f"{compiler} does not compile the amalgamation:\n{compiled.stderr}"]
    run = subprocess.run([folder / "program"], stdout=subprocess.PIPE, text=True, timeout=300)
    if run.returncode != 0 or run.stdout != PRINTED:
        return [f"{compiler}: got status {run.returncode} and {run.stdout!r}, expected 0 and {PRINTED!r}"]
    return []


def missing(folder):
    """One header per layer is removed from a copy of the tree."""
    shutil.copytree("include", folder / "include")
    shutil.copy("LICENSE", folder)
    for name in LAYERS:
        removed = next(header for header in headers() if layer(header) == name and not is_umbrella(header)
                       and not is_adapter(header) and "detail" not in header.parts)
        path = folder / TOP / removed
        text = path.read_text()
        path.unlink()
        try:
            amalgamate(folder)
            yield f"the amalgamation succeeds without {removed}"
        except FileNotFoundError as error:
            if Path(error.filename) != path:
                yield f"without {removed}: got an error about {error.filename}"
        path.write_text(text)


problems = list(parts())
with tempfile.TemporaryDirectory() as place:
    problems += missing(Path(place))
with tempfile.TemporaryDirectory() as place:
    (Path(place) / "collsched.hpp").write_text(amalgamate(Path()).text())
    for name in COMPILERS:
        problems += program(name, Path(place))
report(problems, f"{len(LAYERS)} layers and {len(COMPILERS)} compilers")
