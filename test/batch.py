#!/usr/bin/env python3
"""Joins the sources of tests into one, so that headers and shared instantiations are compiled once: batch.py SOURCE...

The includes of all come first, in their order. Each source is in a namespace of its own, so that two may use one name.
"""

import re
import sys

HEAD = re.compile(r"#include |//|\s*$")


def main(paths):
    includes, bodies = [], []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        first = next((i for i, line in enumerate(lines) if not HEAD.match(line)), len(lines))
        includes += (line for line in lines[:first] if line.startswith("#include "))
        name = re.sub(r"\W", "_", path.removesuffix(".cpp"))
        bodies += ["namespace %s {" % name, '#line %d "%s"' % (first + 1, path), *lines[first:], "}  // namespace"]
    print(*dict.fromkeys(includes), *bodies, sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
