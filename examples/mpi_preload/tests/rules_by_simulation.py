#!/usr/bin/env -S python3 -B
"""rules_by_simulation.py COLLSCHED RULES [RANKS...]: compares the built-in rules with the cheapest algorithms under a LogGP model of
usual values. RULES is rules.hpp. For each rule, number of ranks and size it prints the simulated time of the rule's algorithm with
default parameters, and the cheapest algorithm with its time; at the end the geometric mean of the ratios of each rule."""

import json
import math
import re
import subprocess
import sys
from pathlib import Path

PROGRAM, RULES = sys.argv[1], Path(sys.argv[2]).read_text()
RANKS = [int(word) for word in sys.argv[3:]] or [4, 16, 64]
SIZES = [8, 1024, 32768, 1 << 20]
MODEL = "loggp:L_us=1.5,o_us=0.3,g_us=0.3,G_ns=0.08"
COLLECTIVES = {"bcast": "broadcast", "allgatherv": "allgather", "reduce_scatter_block": "reduce_scatter"}
BLOCKS = ["scatter", "gather", "allgather", "alltoall"]
ROW = re.compile(r"\{function::(\w+), (\w+), ([^,]+), operators::(\w+), \"([^\"]+)\"\}")


def output(*words):
    done = subprocess.run([PROGRAM, *(str(word) for word in words), "--model", MODEL], text=True, capture_output=True, timeout=600)
    return [json.loads(line) for line in done.stdout.splitlines()] if done.returncode == 0 else []


def number(text):
    return math.inf if text in ("any_number", "no_end") else eval(text, {"kib": 1024})


def rules():
    for what, ranks, size, operator, algorithm in ROW.findall(RULES):
        yield what, number(ranks), number(size), operator, algorithm


def selected(what, ranks, size, ordered):
    """The rule that serves a call, by its number."""
    for i, (name, most_ranks, most_size, operator, _) in enumerate(rules()):
        if name == what and ranks <= most_ranks and size <= most_size and not (ordered and operator == "commutative"):  # root 0
            return i
    return None


def main():
    ratios = {}
    for what in dict.fromkeys(rule[0] for rule in rules()):
        collective = COLLECTIVES.get(what, what)
        combines = collective in ("reduce", "allreduce", "reduce_scatter", "scan", "exscan")
        for ranks in RANKS:
            for size in SIZES if what != "barrier" else [0]:
                for ordered in [False, True] if combines else [False]:
                    i = selected(what, ranks, size, ordered)
                    if i is None:
                        continue
                    shape = ["--ranks", ranks]
                    if size > 0:
                        shape += ["--bytes", size * ranks if what in BLOCKS else size]
                    algorithm = list(rules())[i][4]
                    used = output("simulate", f"{collective}/{algorithm}", *shape, "--json")
                    best = output("choose", collective, *shape, "--budget", "5", "--json", *(["--keep-order"] if ordered else []))
                    if not used or not best or float(best[0]["cost_us"]) == 0:
                        continue
                    ratio = float(used[0]["completion_us"]) / float(best[0]["cost_us"])
                    ratios.setdefault(i, []).append(ratio)
                    print(f"{what} {algorithm} {ranks} ranks {size} bytes {'in order' if ordered else 'any order'}: "
                          f"{used[0]['completion_us']} us, cheapest {best[0]['schedule']} {best[0]['parameters']} "
                          f"{best[0]['cost_us']} us, ratio {ratio:.2f}", flush=True)
    for i, rule in enumerate(rules()):
        if i in ratios:
            mean = math.exp(sum(math.log(ratio) for ratio in ratios[i]) / len(ratios[i]))
            print(f"rule {i} {rule[0]} {rule[4]}: mean {mean:.2f}, worst {max(ratios[i]):.2f} of {len(ratios[i])} shapes")


main()
