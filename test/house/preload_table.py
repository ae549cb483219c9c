#!/usr/bin/env -S python3 -B
"""The tables of docs/preload_rules.md are those of include/collsched/select/built_in_rules.hpp. With --print: prints them."""

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
source = (top / "include/collsched/select/built_in_rules.hpp").read_text()
page = (top / "docs/preload_rules.md").read_text() + "\n\n"
tables = {name: [row(*found) for found in ROW.findall(text)]
          for name, text in re.findall(r"decision (\w+)\[\] = {\n(.*?)\n};", source, re.DOTALL)}
if sys.argv[1:] == ["--print"]:
    print("\n\n".join("\n".join(rules) for rules in tables.values()))
    sys.exit()
written = re.findall(r"^\| collective \| ranks from .*?\n\n", page, re.DOTALL | re.MULTILINE)
problems = [] if len(written) == len(tables) else [f"the document has {len(written)} tables, the source {len(tables)}"]
for (name, rules), table in zip(tables.items(), written):
    rows = table.strip().splitlines()[2:]
    missing = [f"the document lacks in {name}: {rule}" for rule in rules if rule not in rows]
    missing += [f"no rule of {name} in the source: {one}" for one in rows if one not in rules]
    problems += missing or ([] if rows == rules else [f"the document has {name} in another order"])
report(problems, f"{sum(map(len, tables.values()))} rules")
