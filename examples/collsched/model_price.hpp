#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "cluster_options.hpp"
#include "collsched/schedule/any_schedule.hpp"
#include "model_option.hpp"

/// Returns the simulated completion time of a schedule in picoseconds.
using schedule_price =
    std::function<collsched::picoseconds(const collsched::any_schedule&, collsched::picoseconds limit)>;

/// Returns the price of schedules of p ranks under a model. The result refers to the model. `starts` are the start times
/// of the ranks in picoseconds; empty: all 0.
/// @pre a cluster is given if the model needs one, and no start times if it is loggops
schedule_price price_of(const any_model& model, const std::optional<placed_cluster>& cluster, collsched::rank_t p,
                        collsched::binding how, const std::vector<collsched::picoseconds>& starts = {});
