#!/usr/bin/env -S python3 -B
"""The library has one version: config.hpp, CMake, Bazel's module and the list of changes have the same, and every header's names
are in the inline namespace of that version, whose macro it includes."""

import functools
import re
from pathlib import Path

from house import TOP, headers, own_includes, report

CONFIG = Path("core/config.hpp")

NUMBERS = r"(\d+)\.(\d+)\.(\d+)"
PLACES = {
    TOP / "core/config.hpp": r"_VERSION_MAJOR (\d+).*\n.*_VERSION_MINOR (\d+).*\n.*_VERSION_PATCH (\d+).*\n",
    Path("CMakeLists.txt"): rf"^project\(collsched VERSION {NUMBERS} ",
    Path("MODULE.bazel"): rf'^ +version = "{NUMBERS}",\n +compatibility_level',
    Path("CHANGELOG.md"): rf"\A# Changes\n(?:(?!##).*\n)*## {NUMBERS}\b",
}

found = {place: re.search(pattern, place.read_text(), re.MULTILINE) for place, pattern in PLACES.items()}
versions = {place: ".".join(match.groups()) if match else "none" for place, match in found.items()}
found_versions = "; ".join(f"{place} {version}" for place, version in versions.items())
problems = [found_versions] if len(set(versions.values())) > 1 or "none" in versions.values() else []

major, minor = versions[TOP / "core/config.hpp"].split(".")[:2]
abi = re.search(r"^#define COLLSCHED_ABI (\w+)$", (TOP / "core/config.hpp").read_text(), re.MULTILINE)
if not abi or abi[1] != f"v{major}_{minor}":
    problems.append(f"core/config.hpp: COLLSCHED_ABI is {abi[1] if abi else 'none'}, expected v{major}_{minor}")


@functools.cache
def has_config(header):
    return header == CONFIG or any(map(has_config, own_includes(header)))


expected = "namespace collsched { inline namespace COLLSCHED_ABI {"
for header in headers():
    for line in re.findall(r"^namespace collsched.*$", (TOP / header).read_text(), re.MULTILINE):
        if not re.match(rf"{expected}( namespace (?:\w+|\w+::detail) {{)?( namespace \w+ {{)?$", line):
            problems.append(f"{header}: {line} instead of {expected}")
        elif not has_config(header):
            problems.append(f"{header} includes no header with core/config.hpp: included first, its names are in another namespace")
report(problems, f"{len(PLACES)} versions")
