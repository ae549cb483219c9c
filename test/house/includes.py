#!/usr/bin/env -S python3 -B
"""Includes point down the line of layers only, and each layer includes only what it has room for. No header calls an algorithm that
libstdc++ implements with std::get_temporary_buffer: it is deprecated, which clang reports in the program of an embedder."""

import re
from fnmatch import fnmatch

from house import FORMAT_ROOMS, LAYERS, TOP, UP_TO_VERIFY, headers, includes, is_adapter, is_umbrella, layer, report, room

# pattern of an include -> the layers that may write it; adapters may in any layer
MAY_INCLUDE = {name: LAYERS[len(UP_TO_VERIFY):] for name in ["ranges", "functional", "memory", "string", "iostream"]} | {
    "thread": ["execute", "group"],
    **{name: ["execute"] for name in ["sys/*", "linux/*", "unistd.h", "fcntl.h"]},
    "mpi.h": [],
    "range/v3/*": [],
    "fmt/*": ["format"],
    "asio/*": [],
    "glpk.h": [],
    "openssl/*": [],
    "nlohmann/*": [],
    "CLI/*": [],
}

WITH_BUFFER = re.compile(r"std::(?:ranges::)?(?:stable_sort|stable_partition|inplace_merge)\b")

problems = []


def check(header, name):
    own = layer(header)
    if name.startswith("collsched/"):
        target = TOP.parent / name
        other = layer(target.relative_to(TOP))
        if not target.exists():
            problems.append(f"{header} includes <{name}>, which does not exist")
        elif is_adapter(target.relative_to(TOP)) and not is_adapter(header):
            problems.append(f"{header} includes the adapter <{name}>")
        elif own in LAYERS and (other not in LAYERS or LAYERS.index(other) > LAYERS.index(own)):
            problems.append(f"{header} includes <{name}>: {own} stands before {other} in the line of layers")
        elif target.exists() and room(header) and room(target.relative_to(TOP)):
            if FORMAT_ROOMS.index(room(target.relative_to(TOP))) > FORMAT_ROOMS.index(room(header)):
                problems.append(f"{header} includes <{name}>, a later room of format")
        elif target.exists() and layer(header) == "format" and not is_umbrella(header) and room(target.relative_to(TOP)):
            problems.append(f"{header} includes <{name}>, which is in a room of format")
    elif (TOP / header).parent.joinpath(name).exists():
        problems.append(f'{header} includes "{name}": write <collsched/...>')
    for pattern, layers in MAY_INCLUDE.items():
        if fnmatch(name, pattern) and own not in layers and not is_adapter(header):
            problems.append(f"{header} includes <{name}>: {pattern} has room in {', '.join(layers) or 'adapters only'}")


for header in headers():
    if layer(header) not in LAYERS and not is_adapter(header):
        problems.append(f"{header} is in no layer and no adapter")
    for name in includes(header):
        check(header, name)
    problems += [f"{header} calls {name}, which warns of a deprecated buffer with clang"
                 for name in sorted(set(WITH_BUFFER.findall((TOP / header).read_text())))]

report(problems, f"the includes of {len(headers())} headers")
