#!/usr/bin/env -S python3 -B
"""make_rules.py COLLSCHED CACHE: writes built_in_rules.hpp of the library from simulated times, which it keeps in the file CACHE.
make_rules.py COLLSCHED --check NODESxRANKS...: compares the rows of built_in_rules.hpp with the simulated times of shapes.

The rows of a collective are those with the least sum of a price per row and the losses of all cells. A cell is a shape with a size, for
operations that commute or not. Its loss is the larger one of both clusters: that of the ratio r to the cheapest algorithm is r - 1, and
beyond MOST_RATIO ten times as much."""

import math
import re
import sys
from functools import cache
from pathlib import Path

from simulated_times import ALGORITHMS, CANONICAL, CLUSTERS, COMBINE, Simulator, cells, keeping_order

RULES = Path(__file__).resolve().parents[3] / "include/collsched/select/built_in_rules.hpp"
PRICE_OF_ROW, MOST_RATIO = 5, 1.1


# Two ranks exchange one message or two, whatever the algorithm. These have no segments, so that shared memory carries each message whole;
# bench.cpp has measured them.
OF_TWO = {
    "barrier": [(0, False, "dissemination")],
    "broadcast": [(0, False, "binomial")],
    "scatter": [(0, False, "binomial")],
    "gather": [(0, False, "binomial")],
    "allgather": [(0, False, "ring")],
    "reduce": [(0, False, "linear")],
    "allreduce": [(0, False, "recursive-doubling"), (8193, True, "rabenseifner"), (524289, True, "ring")],
    "reduce_scatter": [(0, False, "butterfly"), (0, True, "recursive-halving"), (524289, True, "pairwise")],
    "alltoall": [(0, False, "linear")],
    "scan": [(0, False, "recursive-doubling")],
    "exscan": [(0, False, "recursive-doubling")],
}


class Collective:
    """The cells of a collective, from a number of ranks on, with the ratio of each algorithm to the cheapest one of a list."""

    def __init__(self, name, algorithms, least_ranks, simulator, ordered, shapes=None):
        self.name, self.algorithms = name, algorithms
        self.ordered = {a for a in algorithms if (name, a.split(":")[0]) in ordered}
        self.kinds = [True, False] if name in COMBINE else [True]  # commutative or not
        self.ratios = {}  # (ranks, per node, size, commutative) -> {algorithm: largest ratio of the clusters}
        for nodes, per_node, size in cells(name, shapes):
            if nodes * per_node >= least_ranks:
                self.add(nodes, per_node, size, simulator)

    def add(self, nodes, per_node, size, simulator):
        for commutative in self.kinds:
            usable = [a for a in self.algorithms if commutative or a in self.ordered]
            worst = dict.fromkeys(usable, 0.0)
            for cluster in CLUSTERS:
                times = {a: simulator.time(cluster, nodes, per_node, self.name, a, size) for a in usable}
                least = min(time for time in times.values() if time is not None)
                for a, time in times.items():
                    worst[a] = max(worst[a], math.inf if time is None else time / least if least else 1.0)
            self.ratios[nodes * per_node, per_node, size, commutative] = worst


def loss(ratio):
    return ratio - 1 + 9 * max(0, ratio - MOST_RATIO)


def partition(values, price):
    """The cheapest split of a list into consecutive parts: (price, [result of each part])."""
    best = [(0.0, [])]
    for end in range(1, len(values) + 1):
        options = []
        for begin in range(end):
            cost, result = price(tuple(values[begin:end]))
            options.append((best[begin][0] + cost, best[begin][1] + [(values[begin], result)]))
        best.append(min(options, key=lambda option: option[0]))
    return best[-1]


def threshold(sizes, size):
    """The bytes from which a row begins: halfway, as a power of two, between its size and the one before."""
    i = sizes.index(size)
    return 0 if i == 0 else 1 << -(-(sizes[i - 1] + size) // 2)


def rows_of(one):
    """The rows of a collective: (ranks, per node, bytes, commutative alone, algorithm)."""
    shapes = sorted({key[:2] for key in one.ratios if key[0] > 2})
    orders = {True: one.algorithms, False: [a for a in one.algorithms if a in one.ordered]}

    @cache
    def sums(shape, size, commutative, algorithm):
        ratios = one.ratios.get((*shape, size, commutative))
        return 0.0 if ratios is None else loss(ratios[algorithm])

    def choice(members, sizes):
        total = {(kind, a): sum(sums(shape, size, kind, a) for shape in members for size in sizes) for kind in one.kinds for a in orders[kind]}
        best = {kind: min(orders[kind], key=lambda a: total[kind, a]) for kind in one.kinds}
        apart = [(PRICE_OF_ROW * len(one.kinds) + sum(total[kind, a] for kind, a in best.items()), best)]
        if len(one.kinds) == 2:
            both = min(orders[False], key=lambda a: total[True, a] + total[False, a])
            apart.append((PRICE_OF_ROW + total[True, both] + total[False, both], {True: both, False: both}))
        return min(apart, key=lambda option: option[0])

    @cache
    def by_size(members):
        sizes = sorted({key[2] for key in one.ratios if key[:2] in members})
        cost, parts = partition(sizes, lambda part: choice(members, part))
        return cost, [(threshold(sizes, size), best) for size, best in parts]

    def by_node(ranks):
        mine = [shape for shape in shapes if shape[0] in ranks]
        return partition(sorted({shape[1] for shape in mine}), lambda part: by_size(tuple(s for s in mine if s[1] in part)))

    counts = sorted({shape[0] for shape in shapes})
    rows = []
    for i, (ranks, nodes) in enumerate(partition(counts, by_node)[1]):
        for j, (per_node, sizes) in enumerate(nodes):
            for size, best in sizes:
                place = (3 if i == 0 else ranks, 1 if j == 0 else per_node, size)
                if len(set(best.values())) == 1:
                    rows.append((*place, False, best[True]))
                else:
                    rows += [(*place, False, best[False]), (*place, True, best[True])]
    return rows


def chosen(rows, ranks, per_node, size, commutative):
    fitting = [row for row in rows if row[0] <= ranks and row[1] <= per_node and row[2] <= size and (commutative or not row[3])]
    return max(fitting, key=lambda row: row[:4])[4]


def ratios(one, rows):
    """The ratio of each cell under the rows, as the library chooses."""
    return {key: of[chosen(rows, key[0], key[1], 1 << key[2], key[3])] for key, of in one.ratios.items()}


def row_text(name, row):
    ranks, per_node, size, commutative, algorithm = row
    algorithm, *parameters = algorithm.split(":")
    text = f".collective = collective::{name}, .ranks = {ranks}, .ranks_per_node = {per_node}, .bytes = {size}, "
    text += (".commutative = true, " if commutative else "") + f'.algorithm = "{algorithm}"'
    origin = "measured" if ranks < 3 else "simulated"
    return text + "".join(f", .{one.replace('=', ' = ')}" for one in parameters) + f", .origin = {origin}"


HEAD = '''#pragma once

#include "collsched/select/decision_table.hpp"

namespace collsched {{ inline namespace COLLSCHED_ABI {{

/// The clusters on which rows were simulated; examples/mpi/rules/simulated_times.py has their values.
inline constexpr const char* built_in_model = "{models}";

namespace detail {{
inline constexpr auto simulated = decision::source::simulated;
inline constexpr auto measured = decision::source::measured;
}}  // namespace detail

// clang-format off
'''
# The tables of built_in_rules.hpp: name, algorithms, rows for two ranks, comment.
TABLES = [
    ("built_in_rules", ALGORITHMS, OF_TWO, '''/// The built-in rules, a decision table that examples/mpi/rules/make_rules.py has written. Ratios are those to the cheapest algorithm.
/// Measured rows are for two ranks on one node.'''),
    ("canonical_rules", CANONICAL, {}, '''/// The built-in rules for reductions whose brackets must be canonical, from 3 ranks on: with fewer all algorithms are.
/// Ratios are those to the cheapest of these algorithms.'''),
]
TAIL = '''// clang-format on

}}  // namespace collsched::COLLSCHED_ABI
'''


def summary(values):
    mean = math.exp(sum(map(math.log, values)) / len(values))
    return f"mean ratio {mean:.2f}, worst {max(values):.2f} of {len(values)} cells"


def least_ranks(of_two):
    return 1 if of_two else 3


def table_text(table, algorithms, of_two, comment, simulator, ordered):
    text = f"{comment}\ninline constexpr decision {table}[] = {{\n"
    for name in algorithms:
        one = Collective(name, algorithms[name], least_ranks(of_two), simulator, ordered)
        rows = [(1, 1, *row) for row in of_two.get(name, [])] + rows_of(one)
        found = summary(list(ratios(one, rows).values()))
        text += f"    // {name}: {found}\n"
        text += "".join("    {" + row_text(name, row) + "},\n" for row in rows)
        print(f"{table}, {name}: {len(rows)} rows, {found}", flush=True)
    return re.sub("origin = (simulated|measured)", r"origin = detail::\1", text) + "};\n"


def write(program, cached):
    simulator, ordered = Simulator(program, cached), keeping_order(program)
    tables = "\n".join(table_text(*table, simulator, ordered) for table in TABLES)
    RULES.write_text(HEAD.format(models=" and ".join(CLUSTERS)) + tables + TAIL)


ROW = re.compile(r"\{\.collective = collective::(\w+)(.*?)\},")
VALUE = re.compile(r'\.(\w+) = "?([\w:-]+)"?')


def committed(table):
    """The text of a table of built_in_rules.hpp."""
    return re.search(rf"decision {table}\[\] = {{\n(.*?)\n}};", RULES.read_text(), re.DOTALL)[1]


def committed_rows(table):
    """The rows of a table of built_in_rules.hpp by collective."""
    found = {}
    for name, rest in ROW.findall(committed(table)):
        values = dict(VALUE.findall(rest))
        parameters = "".join(f":{key}={values[key]}" for key in ("segment", "radix") if key in values)
        found.setdefault(name, []).append((int(values.get("ranks", 1)), int(values.get("ranks_per_node", 1)), int(values.get("bytes", 0)),
                                           "commutative" in values, values["algorithm"] + parameters))
    return found


def check_table(table, algorithms, of_two, simulator, ordered, shapes):
    """The number of cells of shapes whose ratio is beyond the one that built_in_rules.hpp states."""
    limits = {name: float(worst) for name, worst in re.findall(r"// (\w+): mean ratio [\d.]+, worst ([\d.]+)", committed(table))}
    rows, failures = committed_rows(table), 0
    if set(rows) != set(algorithms) or set(limits) != set(algorithms):
        raise SystemExit(f"built_in_rules.hpp, {table}: got rows for {sorted(rows)}, expected {sorted(algorithms)}")
    for name in algorithms:
        one = Collective(name, algorithms[name], least_ranks(of_two), simulator, ordered, shapes)
        for key, ratio in ratios(one, rows[name]).items():
            if ratio > limits[name] + 0.01:
                failures += 1
                print(f"{table}, {name}, {key[0]} ranks, {key[1]} per node, 2^{key[2]} bytes, {'commutative' if key[3] else 'in order'}: "
                      f"ratio {ratio:.2f} of {chosen(rows[name], key[0], key[1], 1 << key[2], key[3])}, expected at most {limits[name]}")
    return failures


def check(program, shapes):
    """Compares the rows with the simulated times of shapes."""
    simulator, ordered = Simulator(program), keeping_order(program)
    return sum(check_table(table, algorithms, of_two, simulator, ordered, shapes) for table, algorithms, of_two, _ in TABLES)


def main():
    if len(sys.argv) == 3:
        write(sys.argv[1], sys.argv[2])
    elif len(sys.argv) > 3 and sys.argv[2] == "--check":
        shapes = [tuple(map(int, word.split("x"))) for word in sys.argv[3:]]
        sys.exit(1 if check(sys.argv[1], shapes) else 0)
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main()
