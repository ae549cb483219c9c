#pragma once

#include "collsched/collective/allgather/circulant.hpp"
#include "collsched/collective/broadcast/scatter_allgather.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace broadcast {

namespace detail {

struct scatter_circulant_label {
    static constexpr const char* name = "scatter-circulant";
    static constexpr const char* rounds = "2 ceil(log2 p)";
};

}  // namespace detail

/// A binomial scatter of p parts, then allgather::circulant of them; see scatter_allgather.
///
/// Rounds 2 ceil(log2 p).
using scatter_circulant = scatter_allgather<allgather::circulant, detail::scatter_circulant_label>;

}}}  // namespace collsched::COLLSCHED_ABI::broadcast
