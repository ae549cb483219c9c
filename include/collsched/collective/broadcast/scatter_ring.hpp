#pragma once

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/broadcast/scatter_allgather.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace broadcast {

namespace detail {

struct scatter_ring_label {
    static constexpr const char* name = "scatter-ring";
    static constexpr const char* rounds = "ceil(log2 p) + p-1";
};

}  // namespace detail

/// A binomial scatter of p parts, then allgather::ring of them; see scatter_allgather.
///
/// Rounds ceil(log2 p) + p-1.
using scatter_ring = scatter_allgather<allgather::ring, detail::scatter_ring_label>;

}}}  // namespace collsched::COLLSCHED_ABI::broadcast
