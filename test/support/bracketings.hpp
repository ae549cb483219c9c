#pragma once

#include <string>

#include "support/some_schedule.hpp"

namespace support {

using namespace collsched;

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
