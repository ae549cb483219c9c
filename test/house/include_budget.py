#!/usr/bin/env -S python3 -B
"""Every header has a budget: the lines that `g++ -E -P` leaves, which no other process affects."""

import subprocess
from concurrent.futures import ThreadPoolExecutor

from house import UP_TO_VERIFY, headers, is_adapter, layer, report


def budget(header):
    if layer(header) == "core":
        return 15_000
    if str(header) in ("collective.hpp", "tree.hpp"):  # the umbrellas of all algorithms, and of all trees
        return 27_000
    return 25_000 if layer(header) in UP_TO_VERIFY else 100_000


def lines(header):
    run = subprocess.run(["g++", "-std=c++20", "-E", "-P", "-Iinclude", "-x", "c++", "-"], stdout=subprocess.PIPE,
                         input=f"#include <collsched/{header}>\n".encode(), check=True)
    return run.stdout.count(b"\n")


measured = [header for header in headers() if not is_adapter(header)]
with ThreadPoolExecutor(2) as pool:
    cost = dict(zip(measured, pool.map(lines, measured)))
for header in measured:
    print(f"{cost[header]:7,} of {budget(header):7,} lines  {header}")
report([f"{header}: {cost[header]:,} lines, budget {budget(header):,}"
        for header in measured if cost[header] > budget(header)], f"{len(measured)} headers")
