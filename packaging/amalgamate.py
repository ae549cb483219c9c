#!/usr/bin/env -S python3 -B
"""amalgamate.py [FILE]: writes the library as one header, to FILE or to the standard output.

The header holds the umbrellas of LAYERS with all headers that they include, each once, in the order in which the compiler
reads them. Adapters to other libraries and to one operating system (MPI, processes, readers of files) are no part of it."""

import argparse
import re
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
LAYERS = ["core", "schedule", "combine", "topology", "cost", "tree", "collective", "verify", "execute"]

OWN = re.compile(r'^\s*#\s*include\s*["<](collsched/[^">]+)[">]')
FOREIGN = re.compile(r"^\s*#\s*include\s*<([^>]+)>")
CONDITION = re.compile(r"^\s*#\s*(if|endif)")


class amalgamation:
    """The text of one header, and the names of its parts."""

    def __init__(self, top):
        self.top = top
        self.include = top / "include"
        self.parts = []
        self.foreign = set()
        self.lines = []

    def add(self, name):
        """Appends a header after those that it includes. Raises FileNotFoundError for a header that does not exist."""
        if name in self.parts:
            return
        own, kept, depth = [], [], 0
        for number, line in enumerate((self.include / name).read_text().splitlines(), 1):
            condition, foreign, ours = CONDITION.match(line), FOREIGN.match(line), OWN.match(line)
            if condition:
                depth += 1 if condition[1] == "if" else -1
            if ours and depth:
                sys.exit(f"{name}:{number}: got an include of {ours[1]} in a condition, expected it outside of conditions")
            if ours:
                own.append(ours[1])
            elif foreign and not depth:
                self.foreign.add(foreign[1])
            elif line.strip() != "#pragma once":
                kept.append(line)
        self.parts.append(name)
        for other in own:
            self.add(other)
        self.lines += ["", f"// {name}", "", *"\n".join(kept).strip("\n").splitlines()]

    def text(self):
        license_text = [f"// {line}".rstrip() for line in (self.top / "LICENSE").read_text().splitlines()]
        head = [f"// collsched {version(self.top)} in one header, written by packaging/amalgamate.py.", "//", *license_text,
                "", "#pragma once", "", *(f"#include <{name}>" for name in sorted(self.foreign))]
        return re.sub(r"\n{3,}", "\n\n", "\n".join(head + self.lines) + "\n")


def version(top):
    """The version of the library, as MAJOR.MINOR.PATCH."""
    text = (top / "include/collsched/core/config.hpp").read_text()
    return ".".join(re.search(rf"_VERSION_{part} (\d+)\b", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def amalgamate(top):
    """The amalgamation of the library whose tree has this top."""
    made = amalgamation(top)
    for layer in LAYERS:
        made.add(f"collsched/{layer}.hpp")
    return made


def main():
    parser = argparse.ArgumentParser(description="Writes the library as one header.")
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE", help="output file (default: standard output)")
    given = parser.parse_args()
    try:
        text = amalgamate(TOP).text()
    except FileNotFoundError as error:
        sys.exit(f"header: got {error.filename}, expected an existing file")
    if given.file:
        given.file.write_text(text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
