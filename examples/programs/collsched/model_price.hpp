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
    /// A price near the exact one that takes less time; empty: none.
    std::function<collsched::picoseconds(const collsched::any_schedule&, collsched::picoseconds limit,
                                         collsched::picoseconds bound)>
        rough{};

    collsched::picoseconds operator()(const collsched::any_schedule& s, collsched::picoseconds limit) const {
        return cost(s, limit);
    }
    bool has_estimates() const { return rough != nullptr; }
    collsched::picoseconds estimate(const collsched::any_schedule& s, collsched::picoseconds limit,
                                    collsched::picoseconds bound) const {
        return rough(s, limit, bound);
    }
    collsched::picoseconds bound(const collsched::any_schedule& s) const { return least ? least(s) : 0; }
};

/// The estimates of a price as a price of its own, or the price if it has none. Callable concurrently.
struct estimated_price {
    const schedule_price& price;

    collsched::picoseconds operator()(const collsched::any_schedule& s, collsched::picoseconds limit) const {
        return price.has_estimates() ? price.estimate(s, limit, price.bound(s)) : price(s, limit);
    }
    collsched::picoseconds bound(const collsched::any_schedule& s) const { return price.bound(s); }
};

/// The conditions of a simulated price.
struct price_conditions {
    collsched::binding how = collsched::binding::separate;
    std::vector<collsched::picoseconds> starts{};  ///< of the ranks, in picoseconds; empty: all 0
    std::function<bool()> is_over{};               ///< ends estimates when it returns true, if the model has any
    std::function<bool()> is_late{};               ///< ends prices when it returns true, if the model allows it
};

/// Returns the price of schedules of p ranks under a model. The result refers to the model.
/// @pre a cluster or network is given if the model needs one, and no start times if it is loggops
schedule_price price_of(const any_model& model, const std::optional<placed_cluster>& cluster,
                        const std::optional<given_network>& network, collsched::rank_t p, const price_conditions& when);
