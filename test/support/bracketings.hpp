#pragma once

#include <string>

#include "support/some_schedule.hpp"

namespace support {

using namespace collsched;

/// The value of a tree of the ranks first .. first+n-1: leaf(rank) is that of a rank, and join(a, b) that of two parts, of
/// which the first has the first left(m) of their m ranks.
template <class Left, class Leaf, class Join>
auto value_of_tree(rank_t first, rank_t n, Left left, Leaf leaf, Join join) -> decltype(leaf(first)) {
    if (n == 1) return leaf(first);
    const rank_t part = left(n);
    return join(value_of_tree(first, part, left, leaf, join), value_of_tree(first + part, n - part, left, leaf, join));
}

/// The number of ranks in the first part of the canonical tree of n ranks: half of them, rounded up.
inline rank_t first_half(rank_t n) { return (n + 1) / 2; }
/// The same for the canonical tree of a prefix: the largest power of two below n.
inline rank_t first_power(rank_t n) {
    rank_t left = 1;
    while (2 * left < n) left *= 2;
    return left;
}

/// The canonical tree of the ranks first .. first+n-1 as a text: "((0 1) 2)" is (0 op 1) op 2. The halves are the first
/// ceil(n/2) ranks and the others.
std::string halves(rank_t first, rank_t n);

/// The canonical tree of the prefix of ranks first .. first+n-1 as a text: the parts are the first 2^k ranks, 2^k the
/// largest power of two below n, and the others.
std::string prefix(rank_t first, rank_t n);

/// Runs a reduction, allreduce, reduce_scatter, scan or exscan on texts, a text per byte, and returns the first byte of a
/// result whose expression is not the canonical tree of its collective, as "rank, byte: expression", or "". Shares no code
/// with the library but the list of edges.
std::string wrong_tree(const some_schedule& x, binding binding);

}  // namespace support
