#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "collsched/core/owned_array.hpp"
#include "collsched/simulate/detail/link_queue_walk.hpp"
#include "collsched/simulate/execution_graph.hpp"
#include "collsched/simulate/link_queue_model.hpp"
#include "collsched/simulate/link_queue_run.hpp"
#include "collsched/simulate/simulation.hpp"
#include "collsched/simulate/trace.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// An observer that records the times of every vertex, and when transfers occupy links.
struct link_log : activity_log {
    std::vector<simulation::link_use>* uses;

    void used(const simulation::link_use& one) { uses->push_back(one); }
};
}  // namespace detail

/// Runs a schedule as simulate() does, and records the times of every vertex, and when transfers occupy links. A send is
/// ready when it may begin, begins when a link takes the first byte, and ends when its last byte has left the rank.
/// @param x      schedule or algorithm
/// @param graph  graph of x with the binding of `when`
/// @param model  network, and paths of edges
/// @param when   start times, binding and limit
/// @return as simulate(), with activities and link_uses
template <schedulable X, std::same_as<link_queue_model> Model>
simulation trace(const X& x, const execution_graph& graph, const Model& model,
                 const simulation::conditions& when = {}) {
    owned_array<simulation::activity> times(std::ssize(graph.nodes()));
    std::vector<simulation::link_use> uses;
    simulation made = detail::run_on_links(x, graph, model, when, detail::link_log{{&times}, &uses});
    if (made.error) return made;
    for (auto use = uses.rbegin(); use != uses.rend(); ++use)
        times[use->send].begin = times[use->send].busy_until = use->begin;
    made.activities = std::move(times);
    made.link_uses = owned_array<simulation::link_use>(std::span<const simulation::link_use>(uses));
    return made;
}

/// Returns the critical path: the vertices that determine the completion time, from the first to the last, without
/// joins, each with the cause of its delay by the preceding vertex of the path. A message that waited for a link is
/// preceded by the send whose transfer occupied it. O(vertices + link uses). Empty if `result` has an error.
/// @param graph   graph of a schedule
/// @param model   model of the simulation
/// @param result  result of trace() for graph and model
inline std::vector<simulation::critical_step> critical_path(const execution_graph& graph, const link_queue_model& model,
                                                            const simulation& result) {
    if (result.check()) return {};
    return detail::link_queue_walk(graph, model, result).path();
}

}}  // namespace collsched::COLLSCHED_ABI
