#pragma once

#include <cstddef>
#include <span>

#include "collsched/core/edge.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Calls f(edges of the step) for every step with edges, in order.
/// @pre edges are in canonical order
constexpr void for_each_step(std::span<const edge> edges, auto f) {
    for (std::size_t first = 0, last = 0; first < edges.size(); first = last) {
        while (last < edges.size() && edges[last].step == edges[first].step) ++last;
        f(edges.subspan(first, last - first));
    }
}

/// Returns the number of steps with at least one message.
/// @pre edges are in canonical order
constexpr step_t rounds_of(std::span<const edge> edges) {
    step_t rounds = 0, last = -1;
    for (const edge& e : edges)
        if (!e.is_local() && e.step != last) {
            last = e.step;
            ++rounds;
        }
    return rounds;
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
