"""Common functions of the house tests. Each test runs from the top of the tree, and prints its findings and exits with 1."""

import re
import subprocess
import sys
from pathlib import Path

# Each layer may include itself and the layers before it.
LAYERS = ["core", "schedule", "combine", "topology", "cost", "tree", "collective", "verify", "simulate", "select",
          "execute", "group", "format"]
UP_TO_VERIFY = LAYERS[:LAYERS.index("verify") + 1]

# They bind the library to another one: outside every umbrella, and without a budget.
ADAPTERS = ["range_v3.hpp", "execute/mpi.hpp", "execute/processes.hpp", "execute/tcp/*.hpp",
            "execute/tcp/detail/*.hpp", "execute/shared_memory/process_*.hpp",
            "execute/shared_memory/detail/process_*.hpp", "execute/shared_memory/detail/open_file.hpp", "group/mpi.hpp",
            "group/processes.hpp", "topology/alltoall_bound.hpp", "topology/alltoall_bound.hpp",
            "format/files/*.hpp", "format/files/detail/*.hpp", "format/clusters/read_*.hpp",
            "format/clusters/detail/*.hpp", "format/rules/read_*.hpp",
            "format/rules/detail/*.hpp",
            "format/schedules/read_*.hpp",
            "format/schedules/detail/json_lines_header.hpp"]

# The rooms of `format`, in order: each may include itself, those before it, and the headers of `format` outside rooms.
FORMAT_ROOMS = ["files", "clusters", "rules", "schedules", "pictures"]

TOP = Path("include/collsched")


def headers():
    """Every header, as a path below include/collsched."""
    return sorted(path.relative_to(TOP) for path in TOP.rglob("*.hpp"))


def layer(header):
    """The layer of a header; an umbrella belongs to the layer of its name."""
    return header.with_suffix("").parts[0]


def room(header):
    """The room of a header of `format`, or nothing."""
    return header.parts[1] if layer(header) == "format" and header.parts[1:] and header.parts[1] in FORMAT_ROOMS else ""


def is_adapter(header):
    return any(header.match(pattern) for pattern in ADAPTERS if pattern.count("/") == len(header.parts) - 1)


def is_umbrella(header):
    return (TOP / header.with_suffix("")).is_dir()


def includes(header):
    """The files that a header includes, as written between the brackets or quotes."""
    return re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', (TOP / header).read_text(), re.MULTILINE)


def own_includes(header):
    """Which headers of ours a header includes, as paths below include/collsched."""
    return [Path(name).relative_to("collsched") for name in includes(header) if name.startswith("collsched/")]


def preprocessed_lines(header):
    """Lines that the preprocessor leaves of a header and all that it includes, without blank ones, and those of the library among them."""
    text = subprocess.run(["g++", "-std=c++20", "-E", "-Iinclude", "-x", "c++", "-"], stdout=subprocess.PIPE, text=True,
                          input=f"#include <collsched/{header}>\n", check=True).stdout
    count, library, in_library = 0, 0, False
    for line in text.splitlines():
        if line.startswith("# "):
            in_library = "include/collsched/" in line
        elif line.strip():
            count += 1
            library += in_library
    return count, library


def tree():
    """The top of the source tree, also from within a Bazel test."""
    return Path("WORKSPACE").resolve().parent


def files():
    """The files of the source tree: those that git tracks or would, or all of an unpacked archive."""
    top = tree()
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=top,
                            stdout=subprocess.PIPE, text=True)
    found = [top / name for name in listed.stdout.split("\0") if name]
    if listed.returncode != 0:
        found = [path for path in top.rglob("*") if not path.relative_to(top).parts[0].startswith("bazel-")]
    return [path for path in found if path.is_file() and not path.is_symlink()]


def report(problems, checked):
    """Ends the test."""
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problems in {checked}")
    sys.exit(1 if problems else 0)
