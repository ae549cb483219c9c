#!/usr/bin/env -S python3 -B
"""The library has one version: what config.hpp, CMake, Bazel's module and the list of changes say is the same."""

import re
from pathlib import Path

from house import TOP, report

NUMBERS = r"(\d+)\.(\d+)\.(\d+)"
PLACES = {
    TOP / "core/config.hpp": r"_VERSION_MAJOR (\d+)\n.*_VERSION_MINOR (\d+)\n.*_VERSION_PATCH (\d+)\n",
    Path("CMakeLists.txt"): rf"^project\(collsched VERSION {NUMBERS} ",
    Path("MODULE.bazel"): rf'^ +version = "{NUMBERS}",\n +compatibility_level',
    Path("CHANGELOG.md"): rf"\A# Changes\n(?:(?!##).*\n)*## {NUMBERS}\b",
}

found = {place: re.search(pattern, place.read_text(), re.MULTILINE) for place, pattern in PLACES.items()}
versions = {place: ".".join(match.groups()) if match else "none" for place, match in found.items()}
told = "; ".join(f"{place} {version}" for place, version in versions.items())
report([told] if len(set(versions.values())) > 1 or "none" in versions.values() else [], f"{len(PLACES)} versions")
