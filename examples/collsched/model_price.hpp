#pragma once

#include <functional>
#include <optional>

#include "cluster_options.hpp"
#include "collsched/schedule/any_schedule.hpp"
#include "model_option.hpp"

/// The completion of a schedule in picoseconds, simulated.
using schedule_price = std::function<collsched::picoseconds(const collsched::any_schedule&)>;

/// The price of schedules of p ranks under a model; one that needs a cluster has one. Refers to the model.
schedule_price price_of(const any_model& model, const std::optional<placed_cluster>& cluster, collsched::rank_t p,
                        collsched::binding how);
