#!/usr/bin/env -S python3 -B
"""The table of docs/preload_rules.md is that of examples/mpi_preload/rules.hpp. With --print: prints the table."""

import re
import sys

from house import report, tree

UNITS = [(1 << 20, "MiB"), (1 << 10, "KiB")]
ROW = re.compile(r"\{\.collective = collective::(\w+)(.*?)\},")
VALUE = re.compile(r'\.(\w+) = "?([\w:-]+)"?')


def size(text):
    """`65536` as the document writes it."""
    number = int(text)
    for unit, name in UNITS:
        if number and number % unit == 0:
            return f"{number // unit} {name}"
    return text


def row(collective, rest):
    values = dict(VALUE.findall(rest))
    algorithm = values["algorithm"] + "".join(f", {key} {size(values[key])}" for key in ("segment", "radix") if key in values)
    origin = values.get("origin", "stated").rsplit("::")[-1]
    return (f"| {collective} | {values.get('ranks', 1)} | {values.get('ranks_per_node', 1)} | {size(values.get('bytes', '0'))} | "
            f"{'commutative' if 'commutative' in values else 'any'} | {algorithm} | {origin} |")


top = tree()
rules = [row(*found) for found in ROW.findall((top / "examples/mpi_preload/rules.hpp").read_text())]
if sys.argv[1:] == ["--print"]:
    print("\n".join(rules))
    sys.exit()
table = re.search(r"^\| collective \| ranks from .*?\n\n", (top / "docs/preload_rules.md").read_text() + "\n\n", re.DOTALL | re.MULTILINE)
rows = table[0].strip().splitlines()[2:] if table else []
problems = [f"the document lacks: {rule}" for rule in rules if rule not in rows]
problems += [f"no rule of the source: {one}" for one in rows if one not in rules]
if not problems and rows != rules:
    problems = ["the document has the rules in another order"]
report(problems, f"{len(rules)} rules")
