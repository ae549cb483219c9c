#!/usr/bin/env -S python3 -B
"""The public names are those of docs/public_names.txt, by layer: a header makes no other name public, and none is gone.

public_names.py --write   writes the list; a review of its change is a review of the public interface

Public is what a header outside detail/ declares in namespace collsched, or in a namespace within it other than detail:
types, concepts, functions, variables and macros. ctags reads the headers."""

import collections
import json
import re
import subprocess
import sys
from pathlib import Path

from house import LAYERS, TOP, headers, layer, report

LIST = Path("docs/public_names.txt")
KINDS = {"class": "type", "struct": "type", "enum": "type", "typedef": "type", "function": "function",
         "variable": "variable", "macro": "macro"}
HEAD = """# Public names by layer: kind, name. Written by test/house/public_names.py, which also compares it with the headers.
"""


def tags():
    public = [header for header in headers() if "detail" not in header.parts]
    command = ["ctags", "--output-format=json", "--languages=C++", "--langmap=C++:.hpp.h", "--fields=+KSsZ",
               "--kinds-C++=cdgstuvf", "-o", "-", *(str(TOP / header) for header in public)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    for line in done.stdout.splitlines():
        yield json.loads(line)
    for header in public:
        text = re.sub(r"^namespace detail \{\n.*?^\}  // namespace detail$", "", (TOP / header).read_text(),
                      flags=re.MULTILINE | re.DOTALL)
        for name in re.findall(r"^concept (\w+)", text, re.MULTILINE):
            yield {"kind": "concept", "name": name, "path": str(TOP / header), "scope": "collsched"}


def found():
    names = collections.defaultdict(set)
    for tag in tags():
        scope = [part for part in tag.get("scope", "").split("::") if part and part != "COLLSCHED_ABI"]
        inside = tag.get("scopeKind", "namespace") not in ("namespace", "")
        kind = "concept" if tag["kind"] == "concept" else KINDS.get(tag["kind"])
        if kind is None or inside or "detail" in scope or tag["name"].startswith(("operator", "__anon")):
            continue
        if kind != "macro" and scope[:1] != ["collsched"]:
            continue
        name = "::".join([*scope[1:], tag["name"]])
        names[layer(Path(tag["path"]).relative_to(TOP))].add(f"{kind} {name}")
    return names


def text(names):
    known = [*(name for name in LAYERS if name in names), *sorted(set(names) - set(LAYERS))]
    return HEAD + "".join(f"\n[{one}]\n" + "".join(f"{line}\n" for line in sorted(names[one])) for one in known)


def other_types(names):
    """The types outside the layer `tree` and outside the namespaces of collectives, such as allgather."""
    return [name for one in names if one != "tree" for name in names[one]
            if name.startswith("type ") and not (one == "collective" and "::" in name)]


names = found()
current = text(names)
if sys.argv[1:] == ["--write"]:
    LIST.write_text(current)
    sys.exit()
listed, read = LIST.read_text().splitlines(), current.splitlines()
problems = [f"{LIST} lacks: {line}" for line in read if line not in listed]
problems += [f"{LIST} has, and no header: {line}" for line in listed if line not in read]
report(problems, f"{len([line for line in read if line[:1].islower()])} public names, {len(other_types(names))} of them types "
                 "that are no algorithm, tree or planner")
