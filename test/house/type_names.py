#!/usr/bin/env -S python3 -B
"""Two headers never define types of the same name in the same namespace: programs with both would mix their member functions, without
an error of the linker. ctags reads the headers of examples, tests and benchmarks. Sources that a BUILD file joins do not define a name of
an unnamed namespace twice, else it depends on their number whether the joined ones compile."""

import json
import subprocess
from collections import defaultdict

from house import files, report, tree

OUTSIDE = ["examples", "test", "benchmarks", "docs"]
top = tree()
headers = sorted(path.relative_to(top) for path in files()
                 if path.suffix == ".hpp" and path.relative_to(top).parts[0] in OUTSIDE)
joined = sorted({path.relative_to(top).parent for path in files() if path.name == "BUILD.bazel" and "joined(\n" in path.read_text()})


def tags(kinds, paths):
    found = subprocess.run(["ctags", "--output-format=json", "--languages=C++", "--langmap=C++:.hpp.cpp", f"--kinds-C++={kinds}",
                            "--fields=+KSsZ", "-f", "-", *map(str, paths)],
                           cwd=top, check=True, stdout=subprocess.PIPE, text=True).stdout
    return map(json.loads, found.splitlines())


places = defaultdict(set)
for tag in tags("scug", headers):
    name = "::".join(filter(None, [tag.get("scope", ""), tag["name"]]))
    if "__anon" not in name:
        places[name].add(tag["path"])
problems = [f"{', '.join(sorted(where))}: got the type {name} more than once, expected different names"
            for name, where in sorted(places.items()) if len(where) > 1]
if len(places) < 100:
    problems.append(f"got {len(places)} types, expected at least 100")
own = 0
for folder in joined:
    places_of_own = defaultdict(set)
    for tag in tags("scugvft", sorted(path.relative_to(top) for path in (top / folder).glob("*.cpp"))):
        if tag.get("scope", "").startswith("__anon") and tag["scopeKind"] == "namespace" and "::" not in tag["scope"]:
            places_of_own[tag["name"] + tag.get("signature", "")].add(tag["path"])
    problems += [f"{', '.join(sorted(where))}: got {name} in more than one unnamed namespace, expected different names"
                 for name, where in sorted(places_of_own.items()) if len(where) > 1]
    own += len(places_of_own)
if own < 100:
    problems.append(f"got {own} names in unnamed namespaces of joined sources, expected at least 100")
report(problems, f"{len(places)} types of {len(headers)} headers, {own} names of unnamed namespaces in {len(joined)} programs")
