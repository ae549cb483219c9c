#!/usr/bin/env -S python3 -B
"""Costs of including a header and of compiling a proof, with both compilers. Run it from the top of the tree:

    benchmarks/headers.py                 every header: lines that `g++ -E` leaves, those of the library, user seconds and peak memory alone
    benchmarks/headers.py umbrellas       those beside the layers
    benchmarks/headers.py core/edge.hpp   these
    benchmarks/headers.py proofs          static_assert(verify(...)): seconds of 1000 edges, clang's steps of an edge
    benchmarks/headers.py x.cpp           the 20 templates with the longest instantiation in clang, nested ones excluded
"""

import collections
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, "test/house")
from house import headers, is_adapter, is_umbrella, preprocessed_lines  # noqa: E402

COMPILERS = ["g++", "clang++-19"]
FLAGS = ["-std=c++20", "-Iinclude", "-fsyntax-only", "-x", "c++", "-"]

# Algorithm, header: from few edges a rank to many segments.
PROOFS = [("barrier::dissemination{.ranks = P}", "barrier/dissemination.hpp"),
          ("allgather::bruck{.ranks = P, .block = 4}", "allgather/bruck.hpp"),
          ("allreduce::recursive_doubling{.ranks = P, .bytes = 64}", "allreduce/recursive_doubling.hpp"),
          ("reduce_scatter::recursive_halving{{.ranks = P, .block = 4}}", "reduce_scatter/reversals.hpp"),
          ("allreduce::rabenseifner{.ranks = P, .bytes = 32}", "allreduce/rabenseifner.hpp")]


def compiled(compiler, source, more=()):
    """Did it compile; user seconds, peak MB, and its output. Time on a clock would include other processes."""
    process = subprocess.Popen([compiler, *FLAGS[:-1], *more, "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdin.write(source.encode())
    process.stdin.close()
    said = process.stderr.read().decode()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = status
    return status == 0, used.ru_utime, used.ru_maxrss / 1024, said


def show_headers(chosen):
    print(f"{'header':40} {'lines':>8} {'library':>8}" + "".join(f" {name + ' s':>13} {'MB':>5}" for name in COMPILERS))
    for header in chosen:
        count, library = preprocessed_lines(header)
        row = f"{str(header):40} {count:8,} {library:8,}"
        for compiler in COMPILERS:
            good, seconds, megabytes, said = compiled(compiler, f"#include <collsched/{header}>\n")
            assert good, said
            row += f" {seconds:13.2f} {megabytes:5.0f}"
        print(row, flush=True)


def proof(algorithm, header, ranks, line):
    return (f"#include <collsched/collective/{header}>\n#include <collsched/verify/verify.hpp>\nusing namespace collsched;\n"
            f"constexpr rank_t P = {ranks};\n{line.replace('X', algorithm)}\n")


def steps(algorithm, header, ranks):
    """The least limit with which clang proves it, to 2 %."""
    low, high = 1_000, 1 << 24
    while high > 1.02 * low:
        middle = int((low * high) ** 0.5)
        source = proof(algorithm, header, ranks, "static_assert(verify(X).ok());")
        fits = compiled("clang++-19", source, [f"-fconstexpr-steps={middle}"])[0]
        low, high = (low, middle) if fits else (middle, high)
    return high


def show_proofs():
    print(f"{'algorithm, 32 ranks':60} {'edges':>6} {'steps/edge':>10}"
          + "".join(f" {name + ' s/1000':>18}" for name in COMPILERS))
    for algorithm, header in PROOFS:
        said = compiled("clang++-19", proof(algorithm, header, 32, "template <auto> struct edges_are;\n"
                        "edges_are<edges_up_to(lower(X), 1 << 30)> shown;"), ["-fconstexpr-steps=100000000"])[3]
        edges = int(re.search(r"edges_are<(\d+)", said)[1])
        row = f"{algorithm:60} {edges:6} {steps(algorithm, header, 32) / edges:10.0f}"
        for compiler in COMPILERS:
            large, small = (compiled(compiler, proof(algorithm, header, ranks, "static_assert(verify(X).ok());"))
                            for ranks in (32, 2))  # both instantiate the same templates
            assert large[0] and small[0], large[3] + small[3]
            row += f" {(large[1] - small[1]) / edges * 1000:18.2f}"
        print(row, flush=True)


def instantiations(source):
    """Name, begin and end in microseconds of everything that clang instantiates."""
    with tempfile.TemporaryDirectory() as place:
        subprocess.run(["clang++-19", "-std=c++20", "-O1", "-Iinclude", "-Itest", "-Iexamples/programs", "-ftime-trace",
                        "-ftime-trace-granularity=50", "-c", source, "-o", f"{place}/out.o"], check=True)
        events = json.loads(Path(place, "out.json").read_text())["traceEvents"]
    return [(event["args"]["detail"], event["ts"], event["ts"] + event["dur"])
            for event in events if event["name"] in ("InstantiateClass", "InstantiateFunction")]


def template_of(name):
    """The name without the arguments of its templates."""
    bare, depth = "", 0
    for letter in re.sub(r"operator(<=>|<<|>>|->|[<>]=?)", "operator", name):
        depth += (letter == "<") - (letter == ">")
        if depth == 0 and letter != ">":
            bare += letter
    return bare


def show_templates(source, most=20):
    own, times = collections.Counter(), collections.Counter()
    under_way = []  # name, end
    for name, begin, end in sorted(instantiations(source), key=lambda one: (one[1], -one[2])):
        while under_way and under_way[-1][1] <= begin:
            under_way.pop()
        if under_way:
            own[under_way[-1][0]] -= end - begin
        under_way.append((template_of(name), end))
        own[under_way[-1][0]] += end - begin
        times[under_way[-1][0]] += 1
    print(f"{'template':80} {'times':>6} {'s':>6}   of {sum(own.values()) / 1e6:.1f} s")
    for name, microseconds in own.most_common(most):
        print(f"{name:80} {times[name]:6} {microseconds / 1e6:6.2f}")


if sys.argv[1:] == ["proofs"]:
    show_proofs()
elif sys.argv[1:] == ["umbrellas"]:
    show_headers([header for header in headers() if is_umbrella(header)])
elif sys.argv[1:] and sys.argv[1].endswith(".cpp"):
    show_templates(sys.argv[1])
else:
    show_headers([Path(name) for name in sys.argv[1:]] or [header for header in headers() if not is_adapter(header)])
