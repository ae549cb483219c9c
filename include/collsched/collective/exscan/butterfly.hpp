#pragma once

#include "collsched/collective/scan/butterfly.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace exscan {

/// Ranks at distance 1, 2, 4, ... exchange the sums of aligned groups of as many ranks, and rank r combines them to the
/// result over the ranks 0 .. r-1. The result over n operands is the canonical tree of a prefix: with 2^k the largest power of
/// two below n, (the first 2^k operands) op (the others), recursively.
///
/// Rounds ceil(log2 p) for every p; at most m ceil(log2 p) bytes sent and received per rank; at most 2m bytes of scratch;
/// keeps the order of operands. Source: MPICH.
using butterfly = scan::detail::butterfly<collective::exscan>;

}}}  // namespace collsched::COLLSCHED_ABI::exscan
