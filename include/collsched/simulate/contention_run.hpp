#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "collsched/core/owned_array.hpp"
#include "collsched/simulate/contention_model.hpp"
#include "collsched/simulate/execution_graph.hpp"
#include "collsched/simulate/detail/fair_rates.hpp"
#include "collsched/simulate/simulate.hpp"
#include "collsched/simulate/simulation.hpp"
#include "collsched/simulate/trace.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// One run of a graph whose messages share links. See simulate().
template <class Watch = no_watch>
class contention_run {
    using kind = execution_graph::kind;

    /// Kinds of events in their order at one time; processors select work last.
    enum class happening : std::uint8_t { complete, leave, flow, deliver, begin };

    struct event {
        picoseconds time;
        happening kind;
        rank_t rank;
        bool local;  // work on bytes comes after messages, as in the executor
        std::int64_t node;

        bool operator>(const event& other) const {
            if (time != other.time) return time > other.time;
            if (kind != other.kind) return kind > other.kind;
            if (rank != other.rank) return rank > other.rank;
            return local != other.local ? local : node > other.node;
        }
    };

    static constexpr picoseconds never = std::numeric_limits<picoseconds>::max();

  public:
    contention_run(const execution_graph& graph, const contention_model& model, std::span<const picoseconds> start,
                   Watch watch = {})
        : graph_(graph),
          model_(model),
          watch_(watch),
          flows_(model.net, model.reverse_permille),
          pending_(std::ssize(graph.nodes())),
          met_(std::ssize(graph.nodes())),
          cpu_(graph.ranks()),
          ways_(static_cast<std::size_t>(graph.pairs())) {
        for (auto* times : {&result_.finish, &result_.cpu_busy, &result_.out_busy, &result_.in_busy})
            *times = owned_array<picoseconds>(graph.ranks());
        for (std::int64_t i = 0; i < pending_.size(); ++i)
            pending_[i] = graph[i].waits_for + (graph[i].waits_for == 0 ? 1 : 0);
        find_ways();
        for (rank_t r = 0; r < graph.ranks(); ++r)
            push({start.empty() ? 0 : start[static_cast<std::size_t>(r)], happening::complete, r, false, -1});
    }

    simulation run() {
        while (!overflowed_) {
            const picoseconds flow = flows_.next(), time = events_.empty() ? never : events_.front().time;
            if (time == never && flow == never) {
                overflowed_ = !flows_.empty();  // their end exceeds the range of times
                break;
            }
            if (flow <= time) {
                flows_.end(flow, [&](std::int64_t send) { arrived(send, flow); });
                continue;
            }
            const event next = events_.front();
            std::ranges::pop_heap(events_, std::greater<>());
            events_.pop_back();
            happen(next);
        }
        if (overflowed_) return too_long_a_run();
        if (completed_ < pending_.size()) return endless_run(pending_.size() - completed_);
        for (const picoseconds done : result_.finish) result_.completion = std::max(result_.completion, done);
        return std::move(result_);
    }

  private:
    struct way {
        fair_rates::path path;
        picoseconds latency = 0;
    };

    void push(const event& next) {
        events_.push_back(next);
        std::ranges::push_heap(events_, std::greater<>());
    }
    picoseconds later(picoseconds time, const checked& duration) {
        const checked sum = checked(time) + duration;
        overflowed_ = overflowed_ || !sum.ok() || sum.value() == never;
        return sum.ok() ? sum.value() : never;
    }

    /// Computes the routes of all pairs that exchange messages, and their shares.
    void find_ways() {
        picoseconds shortest = never;
        for (const execution_graph::node& n : graph_.nodes()) {
            if (n.kind != kind::send) continue;
            way& route = ways_[static_cast<std::size_t>(n.pair)];
            if (!route.path.links.empty()) continue;
            const rank_t from = model_.placement.node(n.rank), to = model_.placement.node(graph_[n.peer].rank);
            route.path.links = model_.net.route(from, to);
            if (model_.reverse_permille > 0) route.path.back = model_.net.route(to, from);
            route.latency = model_.net.cost(route.path.links).latency_ps;
            if (route.latency > 0) shortest = std::min(shortest, route.latency);
        }
        constexpr std::int64_t whole = 1 << 20;
        for (way& route : ways_)
            if (model_.latency_weighted != 0 && route.latency > 0)
                route.path.weight = std::max<std::int64_t>(
                    1, static_cast<std::int64_t>(static_cast<double>(shortest) / static_cast<double>(route.latency) *
                                                 static_cast<double>(whole)));
            else route.path.weight = model_.latency_weighted != 0 ? whole : 1;
    }
    const way& way_of(std::int64_t send) const { return ways_[static_cast<std::size_t>(graph_[send].pair)]; }

    void happen(const event& current) {
        switch (current.kind) {
            case happening::complete: complete(current); break;
            case happening::leave: meet(current.node, current.time); break;
            case happening::flow:
                flows_.begin(current.node, way_of(current.node).path, graph_[current.node].bytes, current.time);
                break;
            case happening::deliver: arrived(current.node, current.time); break;
            case happening::begin: work(current); break;
        }
    }

    void complete(const event& current) {
        result_.finish[current.rank] = std::max(result_.finish[current.rank], current.time);
        if (current.node < 0) {
            for (std::int64_t i = graph_.first(current.rank); i < graph_.first(current.rank + 1); ++i)
                if (graph_[i].waits_for == 0) fulfill(i, current.time);
            return;
        }
        ++completed_;
        watch_.done(current.node, current.time);
        for (const std::int64_t next : graph_.successors(current.node)) fulfill(next, current.time);
    }

    /// Records that one predecessor of vertex i is complete.
    void fulfill(std::int64_t i, picoseconds time) {
        if (--pending_[i] > 0) return;
        const execution_graph::node& n = graph_[i];
        if (n.kind == kind::join) {
            watch_.ready(i, time);
            push({time, happening::complete, n.rank, false, i});
        } else if (n.kind == kind::receive) {
            if (is_large(n.peer)) meet(n.peer, time);
            receive(i, time);
        } else {
            ready(i, time);
        }
    }
    void ready(std::int64_t i, picoseconds time) {
        watch_.ready(i, time);
        const kind sort = graph_[i].kind;
        push({time, happening::begin, graph_[i].rank, sort != kind::send && sort != kind::receive, i});
    }
    /// Records the post of a receive, or the arrival of its message.
    void receive(std::int64_t i, picoseconds time) {
        if (++met_[i] == 2) ready(i, time);
    }
    bool is_large(std::int64_t send) const { return graph_[send].bytes > model_.eager_bytes; }

    /// Records the departure of a message, or the post of its receive. Large messages need both.
    void meet(std::int64_t send, picoseconds time) {
        if (++met_[send] < (is_large(send) ? 2 : 1)) return;
        const way& on = way_of(send);
        const bool flows = graph_[send].bytes > 0 && !on.path.links.empty();
        push({later(time, on.latency), flows ? happening::flow : happening::deliver, graph_[send].rank, false, send});
    }
    void arrived(std::int64_t send, picoseconds time) {
        const std::int64_t receives = graph_[send].peer;
        if (is_large(send)) push({time, happening::complete, graph_[send].rank, false, send});
        watch_.arrived(receives, time);
        receive(receives, time);
    }

    /// Processes work in order of arrival.
    void work(const event& current) {
        const execution_graph::node& n = graph_[current.node];
        picoseconds& free = cpu_[current.rank];
        const picoseconds begins = std::max(free, current.time);
        const checked busy = n.kind == kind::copy      ? time_at(n.bytes, model_.copy_fs)
                             : n.kind == kind::combine ? time_at(n.bytes, model_.combine_fs)
                                                       : checked(model_.overhead(current.rank));
        free = later(begins, busy);
        watch_.begun(current.node, begins, free);
        result_.cpu_busy[current.rank] = later(result_.cpu_busy[current.rank], busy);
        if (n.kind == kind::send) push({free, happening::leave, current.rank, false, current.node});
        if (n.kind != kind::send || !is_large(current.node))
            push({free, happening::complete, current.rank, false, current.node});
    }

    const execution_graph& graph_;
    const contention_model& model_;
    Watch watch_;
    fair_rates flows_;
    owned_array<std::int64_t> pending_;  // per vertex: number of predecessors that are not complete
    owned_array<std::int64_t> met_;      // per message: number of its conditions that hold
    owned_array<picoseconds> cpu_;       // time at which each processor is free
    std::vector<way> ways_;              // per pair
    std::vector<event> events_;          // a heap, the earliest on top
    simulation result_;
    std::int64_t completed_ = 0;
    bool overflowed_ = false;
};

}  // namespace detail

/// Runs a graph in virtual time on a network with shared links, deterministically. Interfaces are not modeled: out_busy
/// and in_busy are 0. O(n * f * l) for n messages, f of them in flight at once on routes of l links, and more if their
/// rates differ. The function is a template so that `simulate(x, {})` is a run under LogGP.
template <std::same_as<contention_model> Model>
simulation simulate(const execution_graph& graph, const Model& model, std::span<const picoseconds> start = {}) {
    simulation none;
    none.error = detail::check_run(graph, model, start);
    return none.error ? none : detail::contention_run<>(graph, model, start).run();
}

/// Runs a schedule on a network with shared links.
template <schedulable X, std::same_as<contention_model> Model>
simulation simulate(const X& x, const Model& model, const simulation::conditions& when = {}) {
    return simulate(execution_graph(x, when.binding, when.paced, when.staging_limit), model, when.start);
}

/// Runs a graph as simulate() does, and records the times of every vertex.
/// @param graph  graph of a schedule
/// @param model  network, placement and costs of local work
/// @param start  start time of each rank in picoseconds, 0 or more; empty: all 0
/// @return times in picoseconds, with activities. Failure: an error of graph, model or start times.
inline simulation trace(const execution_graph& graph, const contention_model& model,
                        std::span<const picoseconds> start = {}) {
    simulation result;
    result.error = detail::check_run(graph, model, start);
    if (result.error) return result;
    owned_array<simulation::activity> times(std::ssize(graph.nodes()));
    result = detail::contention_run<detail::activity_log>(graph, model, start, {&times}).run();
    if (!result.error) result.activities = std::move(times);
    return result;
}

}}  // namespace collsched::COLLSCHED_ABI
