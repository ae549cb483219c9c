#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <limits>
#include <vector>

#include "collsched/cost/concepts.hpp"
#include "collsched/schedule/edge_views.hpp"
#include "collsched/schedule/lowering.hpp"
#include "collsched/simulate/link_queue_model.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Returns a lower bound of the completion that simulate() computes: the longest time for which the links between two
/// vertices are occupied by transfers, and the latency of the last one. O(edges * (log(paths) + path)) without the graph of
/// the schedule.
/// @param s      schedule
/// @param model  network and paths
/// @return picoseconds; 0 if the schedule or the model has an error
template <schedule S, std::same_as<link_queue_model> Model>
picoseconds completion_bound(const S& s, const Model& model) {
    if (s.check() || model.check() || s.ranks != model.ranks()) return 0;
    struct load {
        double bytes = 0, transfers = 0;
    };
    detail::edge_routes routes(model);
    std::vector<load> loads;
    for (rank_t r = 0; r < s.ranks; ++r)
        for (const edge& e : program(s, r)) {
            if (e.is_local() || e.src != r) continue;
            const std::int32_t route = routes.route_of(e);
            if (routes.check()) return 0;
            loads.resize(std::max(loads.size(), routes.hops()));
            for (const std::size_t hop : routes.hops_of(route)) {
                loads[hop].bytes += static_cast<double>(e.size);
                loads[hop].transfers += 1;
            }
        }
    double longest = 0;
    for (std::size_t hop = 0; hop < loads.size(); ++hop) {
        double bandwidth = 0, latency = std::numeric_limits<double>::max();
        for (const std::int32_t link : routes.links(hop)) {
            bandwidth += static_cast<double>(model.net[link].bandwidth);
            latency = std::min(latency, static_cast<double>(model.net[link].latency));
        }
        const double latencies =
            model.latency_occupies ? loads[hop].transfers / static_cast<double>(routes.links(hop).size()) : 1;
        longest = std::max(longest, loads[hop].bytes * 1e12 / bandwidth + latencies * latency);
    }
    constexpr double rounding = 1 - 1e-9, most = 9e18;
    return static_cast<picoseconds>(std::min(longest * rounding, most));
}

}}  // namespace collsched::COLLSCHED_ABI
