#pragma once

#include "collsched/collective/allgather/recursive_doubling.hpp"
#include "collsched/collective/reduce/reduce_scatter_gather.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace reduce {

namespace detail {

struct rabenseifner_label {
    static constexpr const char* name = "rabenseifner";
    static constexpr const char* rounds = "2 log2 p; floor(log2 p) + 2 + ceil(log2 p) where p is no power of two";
};

}  // namespace detail

/// A reduce_scatter by recursive halving of p parts of the message, then a binomial gather of the results.
///
/// Rounds 2 log2 p, or floor(log2 p) + 2 + ceil(log2 p); see reduce_scatter_gather. A rank sends at most m (3/2 - 1/p)
/// bytes if p is a power of two, else less than 3/2 m, up to one element per part.
/// Source: Rabenseifner 2004, "Optimization of collective reduction operations".
using rabenseifner = reduce_scatter_gather<allgather::recursive_doubling, detail::rabenseifner_label>;

}}}  // namespace collsched::COLLSCHED_ABI::reduce
