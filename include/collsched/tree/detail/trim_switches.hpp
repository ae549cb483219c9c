#pragma once

#include <cstdint>

#include "collsched/core/rank.hpp"
#include "collsched/topology/detail/max_flow.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace trees { namespace detail {

/// Reduces the arcs out of a switch with more capacity out than in, in proportion, to as much capacity out as in.
/// Returns whether it had more.
inline bool trim_switch(topology::detail::flow_graph& graph, rank_t w) {
    __extension__ using wide = __int128;
    std::int64_t in = 0, out = 0;
    for (const auto& half : graph.incident(w)) (half.forward ? out : in) += graph[half.arc].capacity;
    if (out <= in) return false;
    std::int64_t left = in;
    for (const auto& half : graph.incident(w)) {
        if (!half.forward) continue;
        std::int64_t& capacity = graph[half.arc].capacity;
        capacity = static_cast<std::int64_t>(static_cast<wide>(capacity) * in / out);
        left -= capacity;
    }
    // All are rounded down: less than one unit per arc is left.
    for (const auto& half : graph.incident(w))
        if (half.forward && left > 0) ++graph[half.arc].capacity, --left;
    return true;
}

/// Trims switches until none has more capacity out than in. Trees that use no more attain their rate. Returns whether a
/// capacity was reduced. Other trimmings may leave more: this is no optimum.
inline bool trim_switches(topology::detail::flow_graph& graph, rank_t ranks) {
    bool trimmed = false;
    for (bool again = true; again; trimmed = trimmed || again) {
        again = false;
        for (rank_t w = ranks; w < graph.vertices(); ++w) again = trim_switch(graph, w) || again;
    }
    return trimmed;
}

}}}}  // namespace collsched::COLLSCHED_ABI::trees::detail
