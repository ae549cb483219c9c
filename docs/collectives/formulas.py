"""The most bytes that a rank sends, as formulas: a text for the tables, and a function that make.py compares with the counts of
`collsched metrics`, for every number of ranks from 2 to 33 that the algorithm accepts.

b is the size of a block, m that of the message; p ranks, radix k; P and n are powers as in the text. A clause is a text, its
numbers of ranks, its relation to the count ("most": it is the largest of all ranks, "below", "at most", "mean"),
and the number of blocks or messages. A clause applies to the numbers of ranks that those before it leave. `variants` is a list of
options under which a clause is tried, () for those that are not given."""

from dataclasses import dataclass, field
from fractions import Fraction
from math import prod
from typing import Callable


def floor_log(k, n):
    """The largest e with k^e <= n."""
    e = 0
    while k ** (e + 1) <= n:
        e += 1
    return e


def ceil_log(k, n):
    """The smallest e with k^e >= n."""
    e = 0
    while k ** e < n:
        e += 1
    return e


def is_power(k, n):
    return k ** floor_log(k, n) == n


def digits_not_0(k, n):
    return (n % k != 0) + digits_not_0(k, n // k) if n else 0


def over(a, b):
    return Fraction(a, b)


@dataclass
class Clause:
    text: str
    count: Callable
    when: Callable = lambda p, k: True
    says: str = "most"


@dataclass
class Formula:
    clauses: list
    variants: list = field(default_factory=lambda: [()])  # options, the last one of which is k, if any

    def text(self):
        return "; ".join(clause.text for clause in self.clauses)


def always(text, count, says="most", variants=((),)):
    return Formula([Clause(text, count, says=says)], list(variants))


def radix(*values):
    return [("--radix", str(value)) for value in values]


def group(*values):
    return [("--group", str(value)) for value in values]


def nodes(*values):
    return [("--placement", "block", "--group", str(value)) for value in values]


def two(p, k):
    return is_power(2, p)


def is_power_of(p, k):
    return is_power(k, p)


def binomial_gather(p):
    """The largest subtree below a child of the root, in blocks."""
    if p == 1:
        return 0
    P = 2 ** ceil_log(2, p)
    return max(p - P // 2, P // 4)


def dimensions(p, k):
    """The lengths of a mesh with rows of k ranks or more and 8 rows per plane; the first one is rounded down."""
    found, rows = [], max(p // k, 1)
    while rows >= 16:
        found.append(8)
        rows //= 8
    found.append(rows)
    return [p // prod(found), *found]


def equal_rows(p, k):
    return prod(dimensions(p, k)) == p


def exchanged(p, k):
    return sum(p - p // n for n in dimensions(p, k))


BLOCKS = always("(p-1) b", lambda p, k: p - 1)
ROUND_TRIP = always("2 m (p-1)/p", lambda p, k: over(2 * (p - 1), p))
FOLDED_ROUND_TRIP = Formula([
    Clause("2 m (p-1)/p where p is a power of two", lambda p, k: over(2 * (p - 1), p), two),
    Clause("else 2 m (n-1)/n + m, n the power below", lambda p, k: 1 + over(2 * (2 ** floor_log(2, p) - 1), 2 ** floor_log(2, p)))])
ONCE = always("m", lambda p, k: 1)
LOG = always("m ceil(log2 p)", lambda p, k: ceil_log(2, p))
SIGNALS = always("0", lambda p, k: 0)

FORMULAS = {
    "allgather": {
        "neighbor-exchange": Formula([
            Clause("(p-1) b where p is even", lambda p, k: p - 1, lambda p, k: p % 2 == 0),
            Clause("4 b for p = 3", lambda p, k: 4, lambda p, k: p == 3),
            Clause("else (2p-1) b", lambda p, k: 2 * p - 1)]),
        "bruck": always("(p-1) b", lambda p, k: p - 1, variants=[()] + radix(3, 4, 7)),
        "by-dimension": Formula([
            Clause("(p-1) b in equal rows and planes", lambda p, k: p - 1, equal_rows),
            Clause("else at most 2 (p-1) b", lambda p, k: 2 * (p - 1), says="at most")], group(2, 3, 8)),
        "k-ring": always("(p-1) b", lambda p, k: p - 1, variants=[()] + group(3, 4)),
        "pat": always("(p-1) b", lambda p, k: p - 1, variants=[(), ("--aggregate", "1"), ("--aggregate", "2")]),
        "locality-bruck": always("(p-1) b on average", lambda p, k: p - 1, "mean", [()] + group(3, 4)),
        "recursive-doubling": Formula([
            Clause("(p-1) b where p is a power of two", lambda p, k: p - 1, two),
            Clause("else less than 3 (p-1) b", lambda p, k: 3 * (p - 1), says="below")]),
        "recursive-multiplying": Formula([
            Clause("(p-1) b where p is a power of k", lambda p, k: p - 1, is_power_of),
            Clause("else less than (2k-1) (p-1) b", lambda p, k: (2 * k - 1) * (p - 1), says="below")], radix(2, 3, 4)),
        "hierarchical": always("(p ceil(log2 n) + p - n) b, n ranks on each node",
                               lambda p, n: p * ceil_log(2, n) + p - n, variants=nodes(2, 4)),
        "interval-halving": Formula([
            Clause("(p-1) b where p is a power of two", lambda p, k: p - 1, two),
            Clause("else at most 3/2 (p-1) b", lambda p, k: over(3 * (p - 1), 2), says="at most")]),
        "trivance-by-dimension": always("(p-1) b", lambda p, k: p - 1, variants=group(3, 8)),
        **dict.fromkeys(["bine", "circulant", "circulant-blocks", "linear", "ring", "sparbit", "swing", "trivance"], BLOCKS),
    },
    "allreduce": {
        "by-dimension": Formula([
            Clause("2 m (p-1)/p in equal rows and planes", lambda p, k: over(2 * (p - 1), p), equal_rows),
            Clause("else at most 3 m (p-1)/p", lambda p, k: over(3 * (p - 1), p), says="at most")], group(2, 3, 8)),
        "allgather-reduce-by-dimension": Formula([
            Clause("(p-1) m in equal rows and planes", lambda p, k: p - 1, equal_rows),
            Clause("else at most 2 (p-1) m", lambda p, k: 2 * (p - 1), says="at most")], group(2, 3, 8)),
        "allgather-reduce": always("(p-1) m", lambda p, k: p - 1),
        "circulant-blocks": always("m ceil(log2 p), in one piece", lambda p, k: ceil_log(2, p)),
        "dual-root": always("at most 3 m", lambda p, k: 3, "at most"),
        "hierarchical": always("m (ceil(log2 n) + floor(log2 c) + 1) at most, n ranks on each of c nodes",
                               lambda p, n: ceil_log(2, n) + floor_log(2, p // n) + 1, "at most", nodes(2, 4)),
        "interval-hierarchical": always("m (ceil(log2 n) + log2 c), n ranks on each of c nodes",
                                        lambda p, n: ceil_log(2, n) + ceil_log(2, p // n), variants=nodes(2, 4)),
        "k-reduce-scatter-allgather": Formula([
            Clause("2 m (p-1)/p where p is a power of k", lambda p, k: over(2 * (p - 1), p), is_power_of),
            Clause("else less than 2k m (p-1)/p", lambda p, k: over(2 * k * (p - 1), p), says="below")], radix(2, 3, 4)),
        "binomial": LOG,
        "chain": always("at most (k+1) m", lambda p, k: k + 1, "at most", radix(1, 2, 3)),
        "in-order-binary": always("at most 3 m", lambda p, k: 3, "at most"),
        "two-tree": always("at most 2 m", lambda p, k: 2, "at most"),
        "k-ary": always("at most (k+1) m", lambda p, k: k + 1, "at most", radix(2, 3, 4)),
        "k-nomial": always("at most (k-1) ceil(log_k p) m", lambda p, k: (k - 1) * ceil_log(k, p), "at most", radix(2, 3, 4)),
        "recursive-doubling": Formula([
            Clause("m log2 p where p is a power of two", lambda p, k: floor_log(2, p), two),
            Clause("else m (floor(log2 p) + 1)", lambda p, k: floor_log(2, p) + 1)]),
        "recursive-multiplying": Formula([
            Clause("m (k-1) log_k p where p is a power of k", lambda p, k: (k - 1) * floor_log(k, p), is_power_of),
            Clause("else at most m (k-1) (floor(log_k p) + 1)", lambda p, k: (k - 1) * (floor_log(k, p) + 1),
                   says="at most")], radix(2, 3, 4)),
        "interval-doubling": Formula([
            Clause("m log2 p where p is a power of two", lambda p, k: floor_log(2, p), two),
            Clause("else at most 2 m ceil(log2 p), radix 2", lambda p, k: 2 * ceil_log(2, p), says="at most")]),
        "interval-halving-by-dimension": Formula([
            Clause("2 m (p-1)/p in equal rows and planes", lambda p, k: over(2 * (p - 1), p), equal_rows),
            Clause("else at most 3 m (p-1)/p", lambda p, k: over(3 * (p - 1), p), says="at most")], group(2, 3, 8)),
        "rabenseifner": FOLDED_ROUND_TRIP,
        "swing": FOLDED_ROUND_TRIP,
        "trivance-latency": Formula([
            Clause("2 m log3 p where p is a power of 3", lambda p, k: 2 * floor_log(3, p), lambda p, k: is_power(3, p)),
            Clause("else less than 4 m ceil(log3 p)", lambda p, k: 4 * ceil_log(3, p), says="below")]),
        "trivance-by-dimension": always("2 m (p-1)/p", lambda p, k: over(2 * (p - 1), p), variants=group(3, 8)),
        "trivance-latency-by-dimension": always(
            "less than 4 m times the sum of ceil(log3 n) over the dimensions",
            lambda p, k: 4 * sum(ceil_log(3, n) for n in dimensions(p, k)), "below", group(3, 8)),
        **dict.fromkeys(["bine", "circulant", "interval-halving", "pat", "ring", "segmented-ring",
                         "trivance"], ROUND_TRIP),
    },
    "alltoall": {
        "bruck": always("b for each digit, in base k, of 1 .. p-1 that is not 0",
                        lambda p, k: sum(digits_not_0(k, n) for n in range(1, p)), variants=radix(2, 3, 4)),
        "by-dimension": Formula([
            Clause("p (n-1)/n b for each dimension of n equal rows", lambda p, k: exchanged(p, k), equal_rows),
            Clause("else less than 2 p b for each dimension", lambda p, k: 2 * p * len(dimensions(p, k)), says="below")],
            group(2, 3, 8)),
        "hierarchical": always("((n-1) p + n (p-n)) b, n ranks on each node",
                               lambda p, n: (n - 1) * p + n * (p - n), variants=nodes(2, 4)),
        **dict.fromkeys(["grouped", "linear", "pairwise", "ring"], BLOCKS),
    },
    "barrier": dict.fromkeys(["dissemination", "double-ring", "hierarchical", "linear", "binomial", "k-nomial", "recursive-doubling"], SIGNALS),
    "broadcast": {
        "interval-tree": LOG,
        "circulant": always("m ceil(log2 p), in one piece", lambda p, k: ceil_log(2, p)),
        "hierarchical": always("m (ceil(log2 n) + ceil(log2 c)), n ranks on each of c nodes",
                               lambda p, n: ceil_log(2, n) + ceil_log(2, p // n), variants=nodes(2, 4)),
        "binomial": LOG,
        "binomial-doubling": LOG,
        "chain": always("at most k m", lambda p, k: k, "at most", radix(1, 2, 3)),
        "split-binary-tree": Formula([
            Clause("m for p <= 3", lambda p, k: 1, lambda p, k: p <= 3),
            Clause("else at most 3/2 m", lambda p, k: over(3, 2), says="at most")]),
        "two-tree": ONCE,
        "linear": always("(p-1) m", lambda p, k: p - 1),
        "in-order-binary": always("at most 2 m", lambda p, k: 2, "at most"),
        "k-ary": always("at most k m", lambda p, k: k, "at most", radix(2, 3, 4)),
        "k-nomial": always("at most (k-1) ceil(log_k p) m", lambda p, k: (k - 1) * ceil_log(k, p), "at most", radix(2, 3, 4)),
        "scatter-circulant": ROUND_TRIP,
        "scatter-ring": ROUND_TRIP,
        "scatter-recursive-doubling": Formula([
            Clause("2 m (p-1)/p where p is a power of two", lambda p, k: over(2 * (p - 1), p), two),
            Clause("else less than 4 m (p-1)/p", lambda p, k: over(4 * (p - 1), p), says="below")]),
    },
    "exscan": {
        "123-doubling": always("m for each round", lambda p, k: ceil_log(2, over(4 * (p - 1), 3))),
        "hierarchical": always("at most m (ceil(log2 n) + ceil(log2 c)), runs of n ranks on c nodes",
                               lambda p, n: ceil_log(2, n) + ceil_log(2, p // n), "at most", nodes(2, 4)),
        "linear": ONCE,
        "pipelined": ONCE,
        "butterfly": LOG,
        "recursive-doubling": LOG,
    },
    "gather": {
        "linear": always("b", lambda p, k: 1),
        "binomial": always("max(p - P/2, P/4) b, P = 2^ceil(log2 p)", lambda p, k: binomial_gather(p)),
        "binomial-chained": always("max(p - P/2, P/4) b, P = 2^ceil(log2 p)", lambda p, k: binomial_gather(p)),
        "chain": always("ceil((p-1)/k) b", lambda p, k: -((1 - p) // k), variants=radix(1, 2, 3)),
        "in-order-binary": always("floor(p/2) b", lambda p, k: p // 2),
        "k-ary": always("the blocks of its subtree", lambda p, k: p - 1, "at most", radix(2, 3, 4)),
        "k-nomial": always("the blocks of its subtree, at most k^(ceil(log_k p) - 1) b",
                           lambda p, k: k ** (ceil_log(k, p) - 1), "at most", radix(2, 3, 4)),
        "hierarchical": Formula([
            Clause("n times that of a binomial gather of c blocks, n ranks on each of c nodes",
                   lambda p, n: n * binomial_gather(p // n), lambda p, n: p > n)], nodes(2, 4)),
    },
    "reduce": {
        **dict.fromkeys(["interval-halving", "rabenseifner"], Formula([
            Clause("m (3/2 - 1/p) where p is a power of two", lambda p, k: over(3, 2) - over(1, p), two),
            Clause("else less than 3/2 m", lambda p, k: over(3, 2), says="below")])),
        **dict.fromkeys(["circulant", "hierarchical", "linear", "binomial", "chain", "in-order-binary", "k-ary", "k-nomial",
                         "interval-hierarchical", "interval-tree", "two-tree"], ONCE),
    },
    "reduce_scatter": {
        "butterfly": Formula([
            Clause("(p-1) b where p is a power of two", lambda p, k: p - 1, two), Clause("else p b", lambda p, k: p)]),
        **dict.fromkeys(["hierarchical", "interval-hierarchical"],
                        always("(p + n/2 - 1) b, n ranks on each node, n a power of two", lambda p, n: p + n // 2 - 1,
                               variants=nodes(2, 4))),
        "reduce-then-scatter": always("at most (3p/2 - 1) b", lambda p, k: over(3 * p, 2) - 1, "at most"),
        "recursive-doubling": always("less than 3/2 (p-1) b", lambda p, k: over(3 * (p - 1), 2), "below"),
        "by-dimension": always("(p-1) b", lambda p, k: p - 1, variants=[()] + group(2, 3)),
        "k-ring": always("(p-1) b", lambda p, k: p - 1, variants=[()] + group(3, 4)),
        "locality-bruck": always("(p-1) b", lambda p, k: p - 1, variants=[()] + group(3, 4)),
        "recursive-multiplying": always("(p-1) b", lambda p, k: p - 1, variants=radix(2, 3, 4)),
        "pat": always("(p-1) b", lambda p, k: p - 1, variants=[(), ("--aggregate", "1"), ("--aggregate", "2")]),
        "trivance-by-dimension": always("(p-1) b", lambda p, k: p - 1, variants=group(3, 8)),
        **dict.fromkeys(["bine", "circulant", "circulant-blocks", "interval-halving", "pairwise", "recursive-halving",
                         "ring", "sparbit", "swing", "trivance"], BLOCKS),
    },
    "scan": {
        "hierarchical": always("at most m (ceil(log2 n) + ceil(log2 c)), runs of n ranks on c nodes",
                               lambda p, n: ceil_log(2, n) + ceil_log(2, p // n), "at most", nodes(2, 4)),
        "linear": ONCE,
        "pipelined": ONCE,
        "butterfly": LOG,
        "recursive-doubling": LOG,
    },
    "scatter": {
        "hierarchical": always("(p-1) b", lambda p, k: p - 1, variants=nodes(2, 4)),
        **dict.fromkeys(["linear", "binomial", "binomial-chained", "chain", "in-order-binary", "k-ary", "k-nomial"], BLOCKS),
    },
    "neighbor_allgather": {"linear": always("b for each out-slot that leads to another rank", lambda p, k: 2)},
    "neighbor_alltoall": {"linear": always("b for each out-slot that leads to another rank", lambda p, k: 2)},
}
