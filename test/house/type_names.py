#!/usr/bin/env -S python3 -B
"""Two headers never define types of the same name in the same namespace: programs with both would mix their member functions, without
an error of the linker. ctags reads the headers of examples, tests and benchmarks."""

import json
import subprocess
from collections import defaultdict

from house import files, report, tree

OUTSIDE = ["examples", "test", "benchmarks", "docs"]
top = tree()
headers = sorted(path.relative_to(top) for path in files()
                 if path.suffix == ".hpp" and path.relative_to(top).parts[0] in OUTSIDE)
found = subprocess.run(["ctags", "--output-format=json", "--languages=C++", "--langmap=C++:.hpp", "--kinds-C++=scug",
                        "--fields=+KSsZ", "-f", "-", *map(str, headers)],
                       cwd=top, check=True, stdout=subprocess.PIPE, text=True).stdout
places = defaultdict(set)
for line in found.splitlines():
    tag = json.loads(line)
    name = "::".join(filter(None, [tag.get("scope", ""), tag["name"]]))
    if "__anon" not in name:
        places[name].add(tag["path"])
problems = [f"{', '.join(sorted(where))}: got the type {name} more than once, expected different names"
            for name, where in sorted(places.items()) if len(where) > 1]
if len(places) < 100:
    problems.append(f"got {len(places)} types, expected at least 100")
report(problems, f"{len(places)} types of {len(headers)} headers")
