#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "collsched/core/checked.hpp"
#include "collsched/simulate/contention_model.hpp"
#include "collsched/simulate/detail/fair_rates.hpp"
#include "collsched/simulate/execution_graph.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The routes of all pairs of ranks that exchange messages, with their latencies, weights and largest rates.
class message_routes {
  public:
    struct route {
        fair_rates::path path;
        picoseconds latency = 0;
    };

    message_routes(const execution_graph& graph, const contention_model& model)
        : model_(model), routes_(static_cast<std::size_t>(graph.pairs())) {
        std::vector<double> delays(routes_.size());
        for (const execution_graph::node& n : graph.nodes()) {
            const auto pair = static_cast<std::size_t>(n.pair);
            if (n.kind != execution_graph::kind::send || !routes_[pair].path.links.empty()) continue;
            find(model.placement.node(n.rank), model.placement.node(graph[n.peer].rank), routes_[pair]);
            delays[pair] = delay_of(routes_[pair]);
        }
        if (model.latency_weighted != 0) weigh(delays);
    }

    const route& operator[](std::int64_t pair) const { return routes_[static_cast<std::size_t>(pair)]; }

    /// Returns the time in picoseconds that a message of `bytes` bytes takes before its bytes flow.
    checked latency(const route& on, bytes_t bytes) const {
        constexpr std::int64_t unit_ppm = 1'000'000;
        const std::int64_t factor = model_.factor(bytes).latency_ppm;
        return checked(on.latency / unit_ppm) * factor + on.latency % unit_ppm * factor / unit_ppm;
    }

  private:
    void find(rank_t from, rank_t to, route& found) const {
        found.path.links = model_.net.route(from, to);
        if (model_.reverse_permille > 0) found.path.back = model_.net.route(to, from);
        found.latency = model_.net.cost(found.path.links).latency_ps;
        constexpr picoseconds longest = std::numeric_limits<picoseconds>::max() / 2;
        if (model_.window_bytes > 0 && found.latency > 0)
            found.path.limit = fair_shares::window_limit(model_.window_bytes, 2 * std::min(found.latency, longest));
    }
    /// Returns the delay in picoseconds to which the share of a message is inversely proportional.
    double delay_of(const route& on) const {
        auto delay = static_cast<double>(on.latency);
        for (const std::int32_t link : on.path.links)
            delay +=
                static_cast<double>(model_.share_bytes) * static_cast<double>(model_.net[link].cost.byte_fs) / 1000;
        return delay;
    }
    void weigh(const std::vector<double>& delays) {
        constexpr std::int64_t heaviest = 1 << 26;
        double least = 0;
        for (const double delay : delays)
            if (delay > 0 && (least <= 0 || delay < least)) least = delay;
        for (std::size_t i = 0; i < routes_.size(); ++i) {
            const double part = delays[i] > 0 ? least / delays[i] : 1;
            const auto weight = static_cast<std::int64_t>(part * static_cast<double>(heaviest));
            routes_[i].path.weight = std::max<std::int64_t>(1, weight);
        }
    }

    const contention_model& model_;
    std::vector<route> routes_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
