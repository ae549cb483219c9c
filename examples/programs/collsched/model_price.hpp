#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "cluster_options.hpp"
#include "collsched/schedule/any_schedule.hpp"
#include "model_option.hpp"

/// The simulated completion time of schedules in picoseconds. Callable concurrently.
struct schedule_price {
    std::function<collsched::picoseconds(const collsched::any_schedule&, collsched::picoseconds limit)> cost;
    std::function<collsched::picoseconds(const collsched::any_schedule&)> least{};  ///< lower bound; empty: none

    collsched::picoseconds operator()(const collsched::any_schedule& s, collsched::picoseconds limit) const {
        return cost(s, limit);
    }
    collsched::picoseconds bound(const collsched::any_schedule& s) const { return least ? least(s) : 0; }
};

/// The conditions of a simulated price.
struct price_conditions {
    collsched::binding how = collsched::binding::separate;
    std::vector<collsched::picoseconds> starts{};  ///< of the ranks, in picoseconds; empty: all 0
    std::function<bool()> is_over{};               ///< ends runs when it returns true, if the model allows it
};

/// Returns the price of schedules of p ranks under a model. The result refers to the model.
/// @pre a cluster or network is given if the model needs one, and no start times if it is loggops
schedule_price price_of(const any_model& model, const std::optional<placed_cluster>& cluster,
                        const std::optional<given_network>& network, collsched::rank_t p, const price_conditions& when);
