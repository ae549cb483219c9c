#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "collsched/core/owned_array.hpp"
#include "collsched/simulate/execution_graph.hpp"
#include "collsched/simulate/simulate.hpp"
#include "collsched/simulate/simulation.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// The vertices of a run in the order that dependencies impose, from the last one back.
class vertex_order {
    using kind = execution_graph::kind;

  public:
    /// O(vertices). Refers to both arguments.
    vertex_order(const execution_graph& graph, const owned_array<simulation::activity>& times)
        : graph_(graph), times_(times), before_(graph.nodes().size()) {
        for (std::int64_t i = 0; i < std::ssize(graph.nodes()); ++i)
            for (const std::int64_t next : graph.successors(i)) before_[static_cast<std::size_t>(next)].push_back(i);
    }

    /// Returns the vertex that ends last, which is no join; -1: none.
    std::int64_t last() const {
        std::int64_t found = -1;
        for (std::int64_t i = 0; i < std::ssize(graph_.nodes()); ++i)
            if (graph_[i].kind != kind::join && (found < 0 || times_[i].end > times_[found].end)) found = i;
        return found;
    }
    /// Returns a predecessor of vertex i whose end made i ready; -1: none.
    std::int64_t before(std::int64_t i) const {
        for (const std::int64_t j : before_[static_cast<std::size_t>(i)])
            if (times_[j].end == times_[i].ready) return j;
        return -1;
    }
    /// Appends vertex i to a critical path that is found from its end. A join is no step.
    void add_step(std::vector<simulation::critical_step>& steps, std::int64_t i,
                  simulation::critical_step::delay cause) const {
        if (graph_[i].kind != kind::join) steps.push_back({i, cause});
        else if (!steps.empty() && cause == simulation::critical_step::delay::start) steps.back().cause = cause;
    }

  private:
    const execution_graph& graph_;
    const owned_array<simulation::activity>& times_;
    std::vector<std::vector<std::int64_t>> before_;  // per vertex: its predecessors on the same rank
};

}  // namespace detail

/// Returns the name of a delay, such as "message".
/// @param cause  a delay
constexpr const char* name_of(simulation::critical_step::delay cause) {
    constexpr const char* names[] = {"start", "order", "message", "processor", "sending", "receiving", "link"};
    return names[static_cast<int>(cause)];
}

namespace detail {

struct activity_log {
    owned_array<simulation::activity>* all;

    void ready(std::int64_t i, picoseconds time) { (*all)[i].ready = (*all)[i].begin = (*all)[i].busy_until = time; }
    void arrived(std::int64_t i, picoseconds time) { (*all)[i].arrival = time; }
    void begun(std::int64_t i, picoseconds time, picoseconds free) {
        (*all)[i].begin = time;
        (*all)[i].busy_until = free;
    }
    void done(std::int64_t i, picoseconds time) { (*all)[i].end = time; }
};

/// Follows the critical path from the last vertex to the first, each time to the predecessor that delayed the vertex.
/// Returns the result of a run with the times of all vertices.
template <class Run, class Model>
simulation traced(const execution_graph& graph, const Model& model, std::span<const picoseconds> start) {
    simulation result;
    result.error = check_run(graph, model, start);
    if (result.error) return result;
    owned_array<simulation::activity> times(std::ssize(graph.nodes()));
    result = Run(graph, model, start, {&times}).run();
    if (!result.error) result.activities = std::move(times);
    return result;
}

template <message_cost Model>
class critical_walk {
    using kind = execution_graph::kind;

  public:
    critical_walk(const execution_graph& graph, const Model& model, const owned_array<simulation::activity>& times)
        : graph_(graph), model_(model), times_(times), order_(graph, times) {}

    std::vector<simulation::critical_step> path() const {
        std::int64_t last = order_.last();
        std::vector<simulation::critical_step> steps;
        bool only_arrival = false;  // on the path, the arrival of a receive matters rather than its processor
        while (last >= 0) {
            const auto [before, cause] = only_arrival ? arrival_of(last) : held_by(last);
            order_.add_step(steps, last, cause);
            only_arrival = cause == simulation::critical_step::delay::receiving;
            last = before;
        }
        std::ranges::reverse(steps);
        return steps;
    }

  private:
    struct predecessor {
        std::int64_t node;
        simulation::critical_step::delay cause;
    };

    predecessor held_by(std::int64_t i) const {
        const simulation::activity& node = times_[i];
        if (node.begin > node.ready) {
            const std::int64_t busy =
                latest(i, [&](std::int64_t j) { return uses_processor(j) && times_[j].busy_until == node.begin; });
            if (busy >= 0) return {busy, simulation::critical_step::delay::processor};
            return {latest(i, [&](std::int64_t j) { return graph_[j].kind == kind::send && uses_interface(j); }),
                    simulation::critical_step::delay::sending};
        }
        if (graph_[i].kind == kind::receive && node.arrival == node.ready) return arrival_of(i);
        const std::int64_t before = order_.before(i);
        return {before, before < 0 ? simulation::critical_step::delay::start : simulation::critical_step::delay::order};
    }

    /// Returns the predecessor of an arrival: the message itself, or the message before it at the interface.
    predecessor arrival_of(std::int64_t i) const {
        const std::int64_t send = graph_[i].peer;
        const checked unobstructed = checked(times_[send].busy_until) +
                                     model_.flight(graph_[send].rank, graph_[i].rank) + model_.stream(graph_[i].bytes);
        if (times_[i].arrival == unobstructed.value()) return {send, simulation::critical_step::delay::message};
        const picoseconds busy = (model_.gap() + model_.stream(graph_[i].bytes)).value();
        std::int64_t found = -1;
        for (std::int64_t j = graph_.first(graph_[i].rank); j < graph_.first(graph_[i].rank + 1); ++j)
            if (j != i && graph_[j].kind == kind::receive && uses_interface(j) &&
                times_[j].arrival + busy == times_[i].arrival)
                found = j;
        return {found, simulation::critical_step::delay::receiving};
    }

    /// A message that occupies an interface for no time delays no other, though it may have been there just before.
    bool uses_interface(std::int64_t i) const { return (model_.stream(graph_[i].bytes) + model_.gap()).value() > 0; }
    bool uses_processor(std::int64_t i) const {
        return graph_[i].kind != kind::join && times_[i].busy_until > times_[i].begin;
    }
    /// Returns the last vertex of i's rank that began before i and for which holds(vertex) is true; -1 if there is
    /// none.
    template <class Holds>
    std::int64_t latest(std::int64_t i, Holds holds) const {
        std::int64_t found = -1;
        for (std::int64_t j = graph_.first(graph_[i].rank); j < graph_.first(graph_[i].rank + 1); ++j)
            if (j != i && times_[j].begin < times_[i].begin && holds(j) &&
                (found < 0 || times_[j].begin >= times_[found].begin))
                found = j;
        return found;
    }

    const execution_graph& graph_;
    const Model& model_;
    const owned_array<simulation::activity>& times_;
    vertex_order order_;
};

}  // namespace detail

/// Runs a graph as simulate() does, and records the times of every vertex.
/// @param graph  graph of a schedule
/// @param model  costs of messages and local work
/// @param start  start time of each rank in picoseconds, 0 or more; empty: all 0
/// @return times in picoseconds, with activities. Failure: an error of graph, model or start times.
template <message_cost Model>
simulation trace(const execution_graph& graph, const Model& model, std::span<const picoseconds> start = {}) {
    return detail::traced<detail::virtual_run<Model, detail::activity_log>>(graph, model, start);
}

/// Returns the critical path: the vertices that determine the completion time, from the first to the last, without
/// joins, each with the cause of its delay by the preceding vertex of the path. A vertex that waited for the interface
/// to receive another message is preceded by that message's receive. A rank without vertices is not in it, even if it
/// starts last and so determines the completion time. O(vertices) time per step of the path. Empty if
/// `result` has an error.
/// @param graph   graph of a schedule
/// @param model   model of the simulation
/// @param result  result of trace() for graph and model
template <message_cost Model>
std::vector<simulation::critical_step> critical_path(const execution_graph& graph, const Model& model,
                                                     const simulation& result) {
    if (result.check()) return {};
    return detail::critical_walk<Model>(graph, model, result.activities).path();
}

}}  // namespace collsched::COLLSCHED_ABI
