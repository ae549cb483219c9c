#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <deque>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "collsched/core/owned_array.hpp"
#include "collsched/simulate/contention_model.hpp"
#include "collsched/simulate/execution_graph.hpp"
#include "collsched/simulate/detail/event_queue.hpp"
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
    enum class happening : std::uint8_t { complete, leave, flow, deliver, select };

    struct event {
        picoseconds time;
        happening kind;
        rank_t rank;
        std::int64_t node;

        bool operator<(const event& other) const {
            if (time != other.time) return time < other.time;
            if (kind != other.kind) return kind < other.kind;
            return rank != other.rank ? rank < other.rank : node < other.node;
        }
    };

    /// The work of a rank that is ready, in order of arrival.
    struct processor {
        picoseconds free = 0;       // time at which it is free
        bool selects = false;       // whether an event makes it select work
        bool receive_next = false;  // whether it has just started a send, and takes turns
        std::deque<std::int64_t> sends{}, receives{}, local{}, arrived{};
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
          processors_(static_cast<std::size_t>(graph.ranks())),
          ways_(static_cast<std::size_t>(graph.pairs())) {
        for (auto* times : {&result_.finish, &result_.cpu_busy, &result_.out_busy, &result_.in_busy})
            *times = owned_array<picoseconds>(graph.ranks());
        for (std::int64_t i = 0; i < pending_.size(); ++i)
            pending_[i] = graph[i].waits_for + (graph[i].waits_for == 0 ? 1 : 0);
        find_ways();
        for (rank_t r = 0; r < graph.ranks(); ++r)
            events_.push({start.empty() ? 0 : start[static_cast<std::size_t>(r)], happening::complete, r, -1});
    }

    simulation run() {
        while (!overflowed_) {
            const picoseconds flow = flows_.next(), time = events_.empty() ? never : events_.next().time;
            if (time == never && flow == never) {
                overflowed_ = !flows_.empty();  // their end exceeds the range of times
                break;
            }
            if (flow <= time) {
                flows_.end(flow, [&](std::int64_t send) { arrived(send, flow); });
                continue;
            }
            happen(events_.take());
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

    processor& at(rank_t r) { return processors_[static_cast<std::size_t>(r)]; }
    picoseconds later(picoseconds time, const checked& duration) {
        const checked sum = checked(time) + duration;
        overflowed_ = overflowed_ || !sum.ok() || sum.value() == never;
        return sum.ok() ? sum.value() : never;
    }

    /// Computes the routes of all pairs that exchange messages, and their shares.
    void find_ways() {
        double least = 0;
        std::vector<double> delays(ways_.size());  // see latency_weighted, in picoseconds
        for (const execution_graph::node& n : graph_.nodes()) {
            if (n.kind != kind::send) continue;
            way& route = ways_[static_cast<std::size_t>(n.pair)];
            if (!route.path.links.empty()) continue;
            const rank_t from = model_.placement.node(n.rank), to = model_.placement.node(graph_[n.peer].rank);
            route.path.links = model_.net.route(from, to);
            if (model_.reverse_permille > 0) route.path.back = model_.net.route(to, from);
            route.latency = model_.net.cost(route.path.links).latency_ps;
            if (model_.window_bytes > 0 && route.latency > 0)
                route.path.limit = fair_rates::window_limit(
                    model_.window_bytes, std::min(route.latency, std::numeric_limits<picoseconds>::max() / 2) * 2);
            double& delay = delays[static_cast<std::size_t>(n.pair)];
            delay = static_cast<double>(route.latency);
            for (const std::int32_t link : route.path.links)
                delay +=
                    static_cast<double>(model_.share_bytes) * static_cast<double>(model_.net[link].cost.byte_fs) / 1000;
            if (delay > 0 && (least == 0 || delay < least)) least = delay;
        }
        if (model_.latency_weighted == 0) return;
        constexpr std::int64_t heaviest = 1 << 30;
        for (std::size_t i = 0; i < ways_.size(); ++i)
            ways_[i].path.weight =
                delays[i] > 0 ? std::max<std::int64_t>(
                                    1, static_cast<std::int64_t>(least / delays[i] * static_cast<double>(heaviest)))
                              : heaviest;
    }
    const way& way_of(std::int64_t send) const { return ways_[static_cast<std::size_t>(graph_[send].pair)]; }

    void happen(const event& current) {
        switch (current.kind) {
            case happening::complete: complete(current); break;
            case happening::leave: meet(current.node, current.time); break;
            case happening::flow: {
                const bytes_t bytes = graph_[current.node].bytes;
                flows_.begin(current.node, way_of(current.node).path, bytes + model_.envelope_bytes, current.time,
                             model_.factor(bytes).bandwidth_ppm);
                break;
            }
            case happening::deliver: arrived(current.node, current.time); break;
            case happening::select: select(current.rank, current.time); break;
        }
    }

    void complete(const event& current) {
        result_.finish[current.rank] = std::max(result_.finish[current.rank], current.time);
        if (current.node < 0) {
            at(current.rank).free = current.time;
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
        processor& state = at(n.rank);
        if (n.kind == kind::receive) {
            state.receives.push_back(i);
        } else {
            watch_.ready(i, time);
            if (n.kind == kind::join) return events_.push({time, happening::complete, n.rank, i});
            (n.kind == kind::send ? state.sends : state.local).push_back(i);
        }
        wake(n.rank, time);
    }
    /// Makes a processor select work when it is free.
    void wake(rank_t r, picoseconds time) {
        processor& state = at(r);
        if (state.selects) return;
        state.selects = true;
        events_.push({std::max(state.free, time), happening::select, r, -1});
    }
    /// Records the post of a receive, or the arrival of its message.
    void receive(std::int64_t i, picoseconds time) {
        if (++met_[i] < 2) return;
        watch_.ready(i, time);
        at(graph_[i].rank).arrived.push_back(i);
        wake(graph_[i].rank, time);
    }
    bool is_eager(std::int64_t send) const { return graph_[send].bytes <= model_.eager_bytes; }
    bool is_synchronous(std::int64_t send) const {
        return graph_[send].bytes > std::max(model_.eager_bytes, model_.buffered_bytes);
    }

    /// Records the departure of a message, or the post of its receive. Messages that are not eager need both.
    void meet(std::int64_t send, picoseconds time) {
        if (++met_[send] < (is_eager(send) ? 1 : 2)) return;
        const way& on = way_of(send);
        const bytes_t bytes = graph_[send].bytes;
        const checked scaled = checked(on.latency / whole) * model_.factor(bytes).latency_ppm +
                               on.latency % whole * model_.factor(bytes).latency_ppm / whole;
        const bool flows = bytes + model_.envelope_bytes > 0 && !on.path.links.empty();
        events_.push({later(time, scaled), flows ? happening::flow : happening::deliver, graph_[send].rank, send});
    }
    void arrived(std::int64_t send, picoseconds time) {
        const std::int64_t receives = graph_[send].peer;
        if (is_synchronous(send)) events_.push({time, happening::complete, graph_[send].rank, send});
        watch_.arrived(receives, time);
        receive(receives, time);
    }

    static std::int64_t take(std::deque<std::int64_t>& list) {
        const std::int64_t first = list.front();
        list.pop_front();
        return first;
    }
    /// Starts the next work of a free processor: sends and receives in turns, then local work, then what has arrived.
    void select(rank_t r, picoseconds time) {
        processor& state = at(r);
        state.selects = false;
        while (!state.receives.empty() && (state.receive_next || state.sends.empty())) {
            const std::int64_t i = take(state.receives);
            state.receive_next = false;
            if (!is_eager(graph_[i].peer)) meet(graph_[i].peer, time);
            receive(i, time);
        }
        for (std::deque<std::int64_t>* list : {&state.sends, &state.local, &state.arrived}) {
            state.receive_next = list == &state.sends && !list->empty();
            if (!list->empty()) return work(state, take(*list), time);
        }
    }

    void work(processor& state, std::int64_t i, picoseconds time) {
        const execution_graph::node& n = graph_[i];
        const checked busy = n.kind == kind::copy      ? time_at(n.bytes, model_.copy_fs)
                             : n.kind == kind::combine ? time_at(n.bytes, model_.combine_fs)
                             : n.kind == kind::receive && model_.synchronous_free != 0 && is_synchronous(n.peer)
                                 ? checked(0)
                                 : time_at(n.bytes, model_.overhead_byte_fs) + model_.overhead(n.rank);
        state.free = later(time, busy);
        watch_.begun(i, time, state.free);
        result_.cpu_busy[n.rank] = later(result_.cpu_busy[n.rank], busy);
        if (n.kind == kind::send) events_.push({state.free, happening::leave, n.rank, i});
        if (n.kind != kind::send || !is_synchronous(i)) events_.push({state.free, happening::complete, n.rank, i});
        wake(n.rank, state.free);
    }

    static constexpr std::int64_t whole = 1'000'000;  // factors are in millionths

    const execution_graph& graph_;
    const contention_model& model_;
    Watch watch_;
    fair_rates flows_;
    owned_array<std::int64_t> pending_;  // per vertex: number of predecessors that are not complete
    owned_array<std::int64_t> met_;      // per message: number of its conditions that hold
    std::vector<processor> processors_;
    std::vector<way> ways_;  // per pair
    event_queue<event> events_;
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

/// Runs a schedule; see above.
template <schedulable X, std::same_as<contention_model> Model>
simulation simulate(const X& x, const Model& model, const simulation::conditions& when = {}) {
    return simulate(execution_graph(x, when.binding, when.paced, when.staging_limit), model, when.start);
}

/// Runs a graph and records the times of every vertex.
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
