#!/usr/bin/env -S python3 -B
"""The cost of a header is the lines that the preprocessor leaves of it, without blank ones, and the number of those of the library.
A header of an algorithm has a budget of both, every other header one of all its lines. A list that grows with every algorithm has none.
docs/compile_time.md has the lines and the budgets of the umbrellas.

include_budget.py --write    writes the lines into that page"""

import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from house import UP_TO_VERIFY, headers, is_adapter, is_umbrella, layer, preprocessed_lines, report

PAGE = Path("docs/compile_time.md")
ROW = re.compile(r"^\| `([\w/]+\.hpp)` \| ([\d,]+) \| ([\d,]+|none) \|", re.MULTILINE)
TOLERANCE = 0.03  # the standard library differs a little between versions of the compiler
ALGORITHM = 18_000, 4_150
GROWING = ["collective.hpp", "collective/registry.hpp", "tree.hpp"]


def grows(header):
    """Whether a header lists algorithms: every new one makes it longer."""
    return str(header) in GROWING or (layer(header) == "collective" and is_umbrella(header))


def budget(header):
    """Most lines of a header, and most lines of the library among them; None: no budget."""
    if grows(header):
        return None, None
    if layer(header) == "collective":
        return ALGORITHM
    if layer(header) == "core":
        return 15_000, None
    return 25_000 if layer(header) in UP_TO_VERIFY else 100_000, None


measured = [header for header in headers() if not is_adapter(header)]
with ThreadPoolExecutor(2) as pool:
    cost = dict(zip(measured, pool.map(preprocessed_lines, measured)))
problems = []
for header in measured:
    problems += [f"{header}: {count:,} lines{whose}, at most {most:,}"
                 for count, most, whose in zip(cost[header], budget(header), ["", " of the library"]) if most and count > most]


def row(found):
    name, listed, limit = found.groups()
    count, most = cost[Path(name)][0], budget(Path(name))[0]
    return f"| `{name}` | {count:,} | {f'{most:,}' if most else 'none'} |"


page = PAGE.read_text()
if sys.argv[1:] == ["--write"]:
    PAGE.write_text(ROW.sub(row, page))
    sys.exit()
for found in ROW.finditer(page):
    name, listed, limit = found.groups()
    count, most = cost[Path(name)][0], budget(Path(name))[0]
    if abs(int(listed.replace(",", "")) - count) > TOLERANCE * count:
        problems.append(f"{PAGE}: {name}: got {listed} lines, expected {count:,}")
    if limit != (f"{most:,}" if most else "none"):
        problems.append(f"{PAGE}: {name}: got a budget of {limit}, expected {f'{most:,}' if most else 'none'}")
named = {found[1] for found in ROW.finditer(page)}
problems += [f"{PAGE} lacks {header}" for header in measured if len(header.parts) == 1 and is_umbrella(header) and str(header) not in named]
report(problems, f"{len(measured)} headers")
