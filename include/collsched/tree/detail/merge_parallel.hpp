#pragma once

#include <cstdint>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/fraction.hpp"
#include "collsched/topology/detail/cut_ratio.hpp"
#include "collsched/tree/detail/sink_flows.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace trees { namespace detail {

/// Replaces parallel arcs by one with the sum of their capacities, and divides capacities by their greatest common
/// divisor anew. The arcs of a vertex remain in sequence. Returns an error if a sum of capacities exceeds 63 bits.
inline argument_error merge_parallel(topology::detail::capacity_graph& net) {
    checked all = 0;
    for (std::int64_t i = 0; i < net.graph.arcs(); ++i) all = all + net.graph[i].capacity;
    if (!all.ok()) return {"bandwidth", net.unit, "bandwidths whose sum, divided by this one, is below 2^63"};
    flow_graph merged(net.graph.vertices());
    signed_vector<std::int64_t> sum(static_cast<std::size_t>(merged.vertices()), 0);  // all 0 again after each vertex
    std::int64_t common = 0;
    for (rank_t v = 0; v < merged.vertices(); ++v) {
        for (const flow_graph::half_arc& half : net.graph.incident(v))
            if (half.forward) sum[half.other] += net.graph[half.arc].capacity;
        for (const flow_graph::half_arc& half : net.graph.incident(v)) {
            if (!half.forward || sum[half.other] == 0) continue;
            common = collsched::detail::greatest_common_divisor(common, sum[half.other]);
            merged.add(v, half.other, sum[half.other]);
            sum[half.other] = 0;
        }
    }
    for (std::int64_t i = 0; i < merged.arcs(); ++i) merged[i].capacity /= common;
    if (common > 0) net.unit *= common;
    net.graph = static_cast<flow_graph&&>(merged);
    return {};
}

}}}}  // namespace collsched::COLLSCHED_ABI::trees::detail
