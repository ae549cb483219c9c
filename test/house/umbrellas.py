#!/usr/bin/env -S python3 -B
"""An umbrella, <folder>.hpp beside <folder>/, includes exactly the headers of its folder, those in detail/ left out. Every
layer has one."""

from pathlib import Path

from house import LAYERS, headers, is_adapter, is_umbrella, own_includes, report

every = headers()
problems = [f"{name}/ has no umbrella {name}.hpp" for name in LAYERS
            if any(header.parts[0] == name for header in every) and Path(f"{name}.hpp") not in every]


def held(umbrella, folder):
    """The headers of a folder that an umbrella includes, through the umbrellas below it too."""
    found = set()
    for header in own_includes(umbrella):
        if folder in header.parents and header in every:
            found |= held(header, folder) if is_umbrella(header) else {header}
    return found


umbrellas = [header for header in every if is_umbrella(header)]
for umbrella in umbrellas:
    folder = umbrella.with_suffix("")
    wanted = {header for header in every
              if folder in header.parents and not is_adapter(header) and not is_umbrella(header)
              and "detail" not in header.parts}
    inside = held(umbrella, folder)
    problems += [f"{umbrella} does not include {header}" for header in sorted(wanted - inside)]
    problems += [f"{umbrella} includes the adapter {header}" for header in sorted(inside - wanted)]

report(problems, f"{len(umbrellas)} umbrellas")
