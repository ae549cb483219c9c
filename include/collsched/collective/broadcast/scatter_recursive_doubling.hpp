#pragma once

#include "collsched/collective/allgather/recursive_doubling.hpp"
#include "collsched/collective/broadcast/scatter_allgather.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace broadcast {

namespace detail {

struct scatter_recursive_doubling_label {
    static constexpr const char* name = "scatter-recursive-doubling";
    static constexpr const char* rounds = "2 log2 p; ceil(log2 p) + floor(log2 p) + 2 where p is no power of two";
};

}  // namespace detail

/// A binomial scatter of p parts, then allgather::recursive_doubling of them; see scatter_allgather.
///
/// Rounds 2 log2 p; ceil(log2 p) + floor(log2 p) + 2 if p is no power of two. A rank sends at most 2 m (p-1)/p bytes if
/// p is a power of two, else less than 4 m (p-1)/p, up to one element per part.
using scatter_recursive_doubling =
    scatter_allgather<allgather::recursive_doubling, detail::scatter_recursive_doubling_label>;

}}}  // namespace collsched::COLLSCHED_ABI::broadcast
