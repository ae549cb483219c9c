#!/usr/bin/env -S python3 -B
"""The table of choices in docs/preload.md is that of examples/mpi_preload/rules.hpp."""

import re

from house import report, tree

UNITS = [(1 << 20, "MiB"), (1 << 10, "KiB")]


def size(text):
    """`512 * kib` as the document writes it."""
    if text == "no_end":
        return "any"
    number = int(text.removesuffix("kib").removesuffix(" * ") or 1) * (1024 if text.endswith("kib") else 1)
    for unit, name in UNITS:
        if number % unit == 0:
            return f"{number // unit} {name}"
    return f"{number} bytes"


# The text for the operators of a rule, if it is not their name.
OPERATORS = {"any": "", "any_to_root_0": "root 0"}


def algorithm(name, segment):
    return f"{name}, segments of {size(segment)}" if segment else name


top = tree()
source = (top / "examples/mpi_preload/rules.hpp").read_text()
rules = [f"{what} | {'any' if ranks == 'any_number' else f'up to {ranks}'} | {size(most)} | "
         f"{OPERATORS.get(op, op)} | {algorithm(name, segment)}"
         for what, ranks, most, op, name, segment in
         re.findall(r'\{function::(\w+), (\w+), ([\w* ]+), operators::(\w+), "([\w-]+)"(?:, ([\w* ]+))?\}', source)]
table = re.search(r"^\| function \| ranks .*?\n\n", (top / "docs/preload.md").read_text(), re.DOTALL | re.MULTILINE)
rows = [" | ".join(cell.strip() for cell in line.strip("|").split("|")[:5]) for line in table[0].strip().splitlines()[2:]] if table else []
rows = [row for row in rows if not row.startswith("gatherv, ")]  # their action is no rule
problems = [f"the document lacks: {rule}" for rule in rules if rule not in rows]
problems += [f"no rule of the source: {row}" for row in rows if row not in rules]
if not problems and rows != rules:
    problems = ["the document has the rules in another order"]
report(problems, f"{len(rules)} rules")
