#pragma once

#include "collsched/collective/allgather/interval_halving.hpp"
#include "collsched/collective/allreduce/by_reversal.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allreduce {

namespace detail {

struct interval_halving_label {
    static constexpr const char* rounds = "2 ceil(log2 p)";
};

}  // namespace detail

/// reduce_scatter::interval_halving of p parts of the message, then allgather::interval_halving of the results. Every
/// element of the result is the canonical tree: for n ranks (the first ceil(n/2)) op (the others), recursively.
///
/// Rounds 2 ceil(log2 p) for every p; 2 m (p-1)/p bytes sent and received per rank, up to one element per part, if p is
/// a power of two, and on average otherwise, when no rank sends more than 3 m. Keeps the order of operands. No scratch.
/// Source: Rabenseifner 2004 for powers of two.
using interval_halving = by_reversal<allgather::interval_halving, detail::interval_halving_label>;

}}}  // namespace collsched::COLLSCHED_ABI::allreduce
