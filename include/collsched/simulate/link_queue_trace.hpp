#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "collsched/core/owned_array.hpp"
#include "collsched/simulate/trace.hpp"
#include "collsched/simulate/execution_graph.hpp"
#include "collsched/simulate/link_queue_model.hpp"
#include "collsched/simulate/link_queue_run.hpp"
#include "collsched/simulate/simulation.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Follows the critical path of a run on links from the last vertex to the first: over the links of a message back to
/// its send, and from a link for which it waited to the transfer that occupied the link.
class link_queue_walk {
    using kind = execution_graph::kind;
    using delay = simulation::critical_step::delay;
    static constexpr std::int64_t none = -1;

  public:
    /// O(vertices + link uses). Refers to all arguments.
    link_queue_walk(const execution_graph& graph, const link_queue_model& model, const simulation& result)
        : graph_(graph),
          model_(model),
          result_(result),
          on_link_(static_cast<std::size_t>(result.link_uses.size()), none),
          last_of_(graph.nodes().size(), none) {
        std::vector<std::int64_t> of_link(model.net.links().size(), none), of_transfer;
        for (std::int64_t u = 0; u < result.link_uses.size(); ++u) {
            const simulation::link_use& use = result.link_uses[u];
            const auto at = static_cast<std::size_t>(u), transfer = static_cast<std::size_t>(use.transfer);
            if (transfer >= of_transfer.size()) of_transfer.resize(transfer + 1, none);
            on_link_[at] = std::exchange(of_link[static_cast<std::size_t>(use.link)], u);
            on_path_[at] = std::exchange(of_transfer[transfer], u);
            std::int64_t &last = last_of_[static_cast<std::size_t>(use.send)],
                         &first = first_of_[static_cast<std::size_t>(use.send)];
            if (last == none || arrival(u) > arrival(last)) last = u;
            if (on_path_[at] == none && (first == none || use.end > this->use(first).end)) first = u;
        }
    }

    std::vector<simulation::critical_step> path() const {
        std::vector<simulation::critical_step> steps;
        for (std::int64_t i = order_.last(); i != none;) {
            if (graph_[i].kind == kind::send) {
                i = send_of(first_of_[static_cast<std::size_t>(i)], steps);
            } else if (graph_[i].kind == kind::receive &&
                       result_.activities[i].arrival == result_.activities[i].ready) {
                steps.push_back({i, delay::message});
                i = send_of(last_of_[static_cast<std::size_t>(graph_[i].peer)], steps);
            } else {
                i = before(i, steps);
            }
        }
        std::ranges::reverse(steps);
        return steps;
    }

  private:
    const simulation::link_use& use(std::int64_t u) const { return result_.link_uses[u]; }
    /// Returns when a transfer reaches the vertex behind the link.
    picoseconds arrival(std::int64_t u) const {
        const topology::network::link& link = model_.net[use(u).link];
        return use(u).end + (model_.latency_occupies ? 0 : link.latency);
    }

    /// Adds a vertex that waited for its predecessor on the same rank. Returns the predecessor.
    std::int64_t before(std::int64_t i, std::vector<simulation::critical_step>& steps) const {
        const std::int64_t found = order_.before(i);
        order_.add_step(steps, i, found == none ? delay::start : delay::order);
        return found;
    }
    /// Adds the sends that determine when a link is free of a transfer. Returns the predecessor of the first one.
    std::int64_t send_of(std::int64_t u, std::vector<simulation::critical_step>& steps) const {
        for (;;) {
            const std::int64_t earlier = on_path_[static_cast<std::size_t>(u)], send = use(u).send;
            const picoseconds entered = earlier == none ? result_.activities[send].ready : arrival(earlier);
            if (use(u).begin > entered) {
                u = on_link_[static_cast<std::size_t>(u)];
                if (use(u).send != send) steps.push_back({send, delay::link});
            } else if (earlier != none) {
                u = earlier;
            } else {
                return before(send, steps);
            }
        }
    }

    const execution_graph& graph_;
    const link_queue_model& model_;
    const simulation& result_;
    vertex_order order_{graph_, result_.activities};
    std::vector<std::int64_t> on_link_;             // per use: the use of the link before it
    std::vector<std::int64_t> on_path_ = on_link_;  // per use: the use of the transfer before it
    std::vector<std::int64_t> last_of_;             // per send: the use that arrives last
    std::vector<std::int64_t> first_of_ =
        last_of_;  // per send: of the first links of its paths, the use that ends last
};

/// An observer that records the times of every vertex, and when transfers occupy links.
struct link_log : activity_log {
    std::vector<simulation::link_use>* uses;

    void used(const simulation::link_use& use) { uses->push_back(use); }
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
    simulation result = detail::run_on_links(x, graph, model, when, detail::link_log{{&times}, &uses});
    if (result.error) return result;
    for (auto use = uses.rbegin(); use != uses.rend(); ++use)
        times[use->send].begin = times[use->send].busy_until = use->begin;
    result.activities = std::move(times);
    result.link_uses = owned_array<simulation::link_use>(std::span<const simulation::link_use>(uses));
    return result;
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
