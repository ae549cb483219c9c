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

    critical_record path() const {
        critical_record found;
        std::int64_t i = order_.last();
        found.start(result_.completion, i == none ? 0 : result_.activities[i].end);
        while (i != none) {
            if (graph_[i].kind == kind::send) {
                i = send_of(first_of_[static_cast<std::size_t>(i)], found);
            } else if (graph_[i].kind == kind::receive &&
                       result_.activities[i].arrival == result_.activities[i].ready) {
                found.steps.push_back({i, delay::message});
                i = send_of(last_of_[static_cast<std::size_t>(graph_[i].peer)], found);
            } else {
                i = before(i, found.steps);
            }
        }
        found.finish();
        return found;
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
    /// Adds the time of a transfer on a link, which is contention if another message waits for its end.
    void add_use(critical_record& found, std::int64_t u, bool is_waited_for) const {
        using part = critical_record::part;
        const simulation::link_use& time = use(u);
        if (!is_waited_for) {
            const picoseconds occupied = model_.latency_occupies ? model_.net[time.link].latency : 0;
            found.add(part::latency, time.end - occupied, time.link);
        }
        found.add(is_waited_for ? part::contention : part::bandwidth, time.begin, time.link);
    }
    /// Adds the sends that determine when a link is free of a transfer. Returns the predecessor of the first one.
    std::int64_t send_of(std::int64_t u, critical_record& found) const {
        for (bool is_waited_for = false;;) {
            add_use(found, u, is_waited_for);
            const std::int64_t earlier = on_path_[static_cast<std::size_t>(u)], send = use(u).send;
            const picoseconds entered = earlier == none ? result_.activities[send].ready : arrival(earlier);
            if (use(u).begin > entered) {
                u = on_link_[static_cast<std::size_t>(u)];
                if (use(u).send == send) continue;
                is_waited_for = true;
                found.steps.push_back({send, delay::link});
            } else if (earlier != none) {
                is_waited_for = false;
                u = earlier;
            } else {
                return before(send, found.steps);
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

template <>
struct walk_under<link_queue_model> {
    using type = link_queue_walk;
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

/// Returns the time for which each link is occupied, in picoseconds.
/// @param model   model of the simulation
/// @param result  result of trace() for the model
inline owned_array<picoseconds> link_times(const execution_graph&, const link_queue_model& model,
                                           const simulation& result) {
    owned_array<picoseconds> times(std::ssize(model.net.links()));
    for (const simulation::link_use& use : result.link_uses) times[use.link] += use.end - use.begin;
    return times;
}

}}  // namespace collsched::COLLSCHED_ABI
