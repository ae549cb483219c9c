#!/usr/bin/env -S python3 -B
"""architecture_picture.py [--check]: writes docs/architecture.svg, the layers of include/collsched and the programs above them. An arrow goes from a layer
to one that it includes. It is left out where a longer way has the same ends. Boxes have their places here; the arrows are read from the headers.

--check changes nothing, and exits with 1 where the picture is not the one that it would write."""

import re
import sys
from collections import defaultdict
from functools import lru_cache
from html import escape
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
PICTURE = TOP / "docs/architecture.svg"
WIDTH, HEIGHT, GAP_X, GAP_Y, MARGIN = 208, 54, 28, 46, 24

# name: column, row from the top, kind, content
BOXES = {
    "examples/mpi": (0, 0, "product", "library for MPI programs"),
    "examples/torch": (1, 0, "product", "backend for PyTorch"),
    "examples/programs": (2, 0, "product", "collsched, mpi_tune, ..."),
    "benchmarks/studies": (3, 0, "product", "tables of papers"),
    "group": (0, 1, "run", "collectives on arrays of values"),
    "format/pictures": (3, 1, "file", "SVG, HTML"),
    "execute": (0, 3, "run", "plans, engine, transports"),
    "select": (1, 3, "price", "the cheapest algorithm"),
    "format/rules": (2, 2, "file", "decision tables"),
    "format/schedules": (3, 2, "file", "JSON Lines, GOAL, MSCCL"),
    "collective": (0, 4, "make", "one header per family"),
    "simulate": (1, 4, "price", "virtual time, shared links"),
    "format/clusters": (2, 3, "file", "clusters, networks, hosts"),
    "tree": (1, 5, "make", "trees, forests, planners"),
    "format/files": (3, 4, "file", "parsers of JSON, YAML, XML"),
    "cost": (1, 6, "price", "Hockney, LogGP, (L, o, b)"),
    "format": (3, 5, "file", "numbers and errors as text"),
    "topology": (1, 7, "make", "links, switches, hosts"),
    "combine": (0, 7, "make", "schedules of schedules"),
    "verify": (2, 7, "proof", "replay against the contract"),
    "schedule": (1, 8, "make", "concepts, lowering, contract"),
    "core": (1, 9, "make", "ranks, edges, layouts"),
}
FILL = {"product": "#ffffff", "run": "#fde2dd", "price": "#fdf3d0", "file": "#e8e8ee", "make": "#dcebfa", "proof": "#dff2df"}
KINDS = {"make": "makes schedules", "proof": "proves", "price": "prices", "run": "runs", "file": "reads and writes", "product": "programs on top"}


def box_of(path):
    """The box of a file, or nothing: layers are folders of include/collsched, and format has rooms."""
    parts = path.relative_to(TOP / "include/collsched").with_suffix("").parts if "include" in path.parts else path.relative_to(TOP).parts
    return next((name for name in ("/".join(parts[:2]), parts[0]) if name in BOXES), None)


def sources():
    for folder in ("include", "examples", "benchmarks/studies"):
        yield from (path for path in sorted((TOP / folder).rglob("*")) if path.suffix in (".hpp", ".cpp", ".h"))


def includes():
    """The boxes that each box includes."""
    found = defaultdict(set)
    for path in sources():
        umbrella = path.parent == TOP / "include/collsched"
        box = None if umbrella else box_of(path)
        for name in re.findall(r'#include ["<](collsched/[^">]+|benchmarks/studies/[^">]+)[">]', path.read_text()) if box else ():
            target = box_of(TOP / "include" / name if name.startswith("collsched/") else TOP / name)
            if target and target != box:
                found[box].add(target)
    return found


def arrows():
    below = includes()

    @lru_cache(None)
    def reach(box):
        return frozenset(below[box]).union(*(reach(other) for other in sorted(below[box])))

    return [(box, target) for box in BOXES for target in sorted(below[box])
            if not any(target in reach(other) for other in below[box] - {target})]


def corner(box):
    column, row = BOXES[box][:2]
    return MARGIN + column * (WIDTH + GAP_X), MARGIN + row * (HEIGHT + GAP_Y)


def arrow(box, target, starts, ends):
    """A curve from the lower side of a box to the upper side of another, with a place of its own on both."""
    (x, y), (into_x, into_y) = corner(box), corner(target)
    x += WIDTH * (starts.index(target) + 1) / (len(starts) + 1)
    into_x += WIDTH * (ends.index(box) + 1) / (len(ends) + 1)
    y += HEIGHT
    bend = 0.5 * min(into_y - y, GAP_Y + abs(x - into_x) / 4)
    return f'<path d="M{x:.1f} {y}C{x:.1f} {y + bend:.1f} {into_x:.1f} {into_y - bend:.1f} {into_x:.1f} {into_y - 2}" class="arrow"/>'


def picture():
    found = arrows()
    columns, rows = (1 + max(box[axis] for box in BOXES.values()) for axis in (0, 1))
    width = 2 * MARGIN + columns * WIDTH + (columns - 1) * GAP_X
    height = 2 * MARGIN + rows * HEIGHT + (rows - 1) * GAP_Y + 30
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">',
             "<title>The layers of collsched: an arrow goes from a layer to one that it includes</title>",
             "<style>text{font:13px sans-serif;text-anchor:middle;fill:#222}.name{font-weight:bold;font-size:15px}"
             ".arrow{fill:none;stroke:#667;stroke-width:1.4;marker-end:url(#head)}.key{text-anchor:start}</style>",
             '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
             '<path d="M0 0L8 4L0 8z" fill="#667"/></marker></defs>',
             f'<rect width="{width}" height="{height}" fill="#fcfcfd"/>']
    for box, target in found:
        starts = sorted((end for start, end in found if start == box), key=lambda name: corner(name))
        ends = sorted((start for start, end in found if end == target), key=lambda name: corner(name))
        lines.append(arrow(box, target, starts, ends))
    for name, (_, _, kind, content) in BOXES.items():
        x, y = corner(name)
        lines.append(f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="7" fill="{FILL[kind]}" stroke="#556"/>'
                     f'<text x="{x + WIDTH // 2}" y="{y + 22}" class="name">{escape(name)}</text>'
                     f'<text x="{x + WIDTH // 2}" y="{y + 42}">{escape(content)}</text>')
    for place, (kind, meaning) in enumerate(KINDS.items()):
        x = MARGIN + place * (width - 2 * MARGIN) // len(KINDS)
        lines.append(f'<rect x="{x}" y="{height - 32}" width="14" height="14" fill="{FILL[kind]}" stroke="#556"/>'
                     f'<text x="{x + 20}" y="{height - 20}" class="key">{meaning}</text>')
    return "\n".join([*lines, "</svg>", ""])


missing = sorted({box.relative_to(TOP / "include/collsched").as_posix() for box in (TOP / "include/collsched").iterdir() if box.is_dir()} - set(BOXES))
if missing:
    sys.exit(f"{PICTURE.name}: no box for {', '.join(missing)}")
if sys.argv[1:] != ["--check"]:
    PICTURE.write_text(picture())
elif not PICTURE.is_file() or PICTURE.read_text() != picture():
    sys.exit(f"{PICTURE.relative_to(TOP)}: got another picture than docs/architecture_picture.py writes")
