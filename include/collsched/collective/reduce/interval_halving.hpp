#pragma once

#include "collsched/collective/allgather/interval_halving.hpp"
#include "collsched/collective/reduce/reduce_scatter_gather.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace reduce {

namespace detail {

struct interval_halving_label {
    static constexpr const char* name = "interval-halving";
    static constexpr const char* rounds = "2 ceil(log2 p)";
};

}  // namespace detail

/// reduce_scatter::interval_halving of p parts of the message, then a binomial gather of the results. For every root
/// each element of the result is the canonical tree: for n ranks (the first ceil(n/2)) op (the others), recursively.
///
/// Rounds 2 ceil(log2 p); see reduce_scatter_gather. A rank sends less than 3/2 m bytes, up to one element per part.
/// Keeps the order of operands.
/// Source: Rabenseifner 2004 for powers of two.
using interval_halving = reduce_scatter_gather<allgather::interval_halving, detail::interval_halving_label>;

}}}  // namespace collsched::COLLSCHED_ABI::reduce
