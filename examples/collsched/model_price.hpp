#pragma once

#include <optional>
#include <variant>

#include "cluster_options.hpp"
#include "collsched/select.hpp"
#include "collsched/simulate.hpp"
#include "model_option.hpp"

/// What simulate says under LogGOPS, where the program is that of GOAL.
struct goal_price {
    const collsched::loggops_model& model;
    collsched::binding how;

    collsched::picoseconds operator()(const collsched::any_schedule& s) const {
        return simulate(collsched::goal_program(collsched::execution_graph(s, how)), model).completion;
    }
};

/// f(price) with the price of schedules of p ranks under a model; one that needs a cluster has one.
template <class F>
auto with_price(const any_model& model, const std::optional<placed_cluster>& cluster, collsched::rank_t p,
                collsched::binding how, F f) {
    using namespace collsched;
    if (const auto* alike = std::get_if<loggp_model>(&model)) return f(simulated_price<loggp_model>{*alike, how});
    if (const auto* simple = std::get_if<hockney_model>(&model)) return f(simulated_price<hockney_model>{*simple, how});
    if (const auto* goal = std::get_if<loggops_model>(&model)) return f(goal_price{*goal, how});
    if (const auto* shared = std::get_if<contention_model>(&model)) {
        const contention_model there = cluster->sharing(*shared, p);
        return f(simulated_price<contention_model>{there, how});
    }
    const cluster_model machine = cluster->on(p);
    return f(simulated_price<lob_model>{machine.cost, how});
}
