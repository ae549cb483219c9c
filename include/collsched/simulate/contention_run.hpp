#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "collsched/core/owned_array.hpp"
#include "collsched/simulate/contention_model.hpp"
#include "collsched/simulate/execution_graph.hpp"
#include "collsched/core/detail/heap.hpp"
#include "collsched/simulate/detail/fair_rates.hpp"
#include "collsched/simulate/detail/message_routes.hpp"
#include "collsched/simulate/detail/remaining_times.hpp"
#include "collsched/simulate/simulate.hpp"
#include "collsched/simulate/simulation.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// One run of a graph whose messages share links. See simulate().
template <class Watch = no_watch>
class contention_run : run_times {
    using kind = execution_graph::kind;

    /// Kinds of events in their order at one time; processors select work last.
    enum class happening : std::uint8_t { leave, flow, deliver, select };

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

    static constexpr std::int64_t nothing = message_queues::nothing;

    struct processor {
        picoseconds free = 0;            // time at which it is free
        bool selects = false;            // whether an event makes it select work
        std::int64_t running = nothing;  // work that ends at `free`
        message_queues queues{};
    };

  public:
    contention_run(const execution_graph& graph, const contention_model& model, std::span<const picoseconds> start,
                   Watch watch = {}, picoseconds rate_interval = 0)
        : run_times(graph.ranks(), start),
          graph_(graph),
          model_(model),
          watch_(watch),
          routes_(graph, model),
          flows_(routes_.net(), model.reverse_permille, rate_interval),
          processors_(static_cast<std::size_t>(graph.ranks())) {
        for (std::int64_t pair = 0; pair < graph.pairs(); ++pair) flows_.add(routes_[pair].path);
        for (std::int64_t i = 0; i < pending_.size(); ++i)
            pending_[i] = graph[i].waits_for + (graph[i].waits_for == 0 ? 1 : 0);
        for (rank_t r = 0; r < graph.ranks(); ++r) {
            at(r).free = result_.finish[r];
            for (std::int64_t i = graph.first(r); i < graph.first(r + 1); ++i)
                if (graph[i].waits_for == 0) fulfill(i, at(r).free);
        }
    }

    simulation run(picoseconds limit = infinity, const std::function<bool()>& is_over = {}) {
        if (limit < infinity) {
            const auto busy = [this](std::int64_t i) {
                const checked time = busy_with(graph_[i]);
                return time.ok() ? static_cast<double>(time.value()) : 0;
            };
            remaining_.emplace(graph_, model_, routes_, limit, busy,
                               [this](std::int64_t i) { return is_synchronous(i); });
        }
        for (unsigned count = 1; !overflowed_; ++count) {
            if (count % 16 == 0 && is_over && is_over()) return interrupted_run();
            const picoseconds time = events_.empty() ? infinity : events_.top().time;
            const picoseconds flow = flows_.changes_at(time) ? infinity : flows_.next();
            if (time == infinity && flow == infinity) {
                overflowed_ = !flows_.empty();  // their end exceeds the range of times
                break;
            }
            if (std::min(flow, time) > limit || (remaining_ && remaining_->is_beyond())) return run_beyond(limit);
            if (flow <= time) flows_.end(flow, [&](std::int64_t send) { arrived(send, flow); });
            else happen(events_.take());
        }
        return ended(pending_.size());
    }

  private:
    processor& at(rank_t r) { return processors_[static_cast<std::size_t>(r)]; }

    void happen(const event& current) {
        switch (current.kind) {
            case happening::leave: meet(current.node, current.time); break;
            case happening::flow: {
                const execution_graph::node& n = graph_[current.node];
                if (remaining_) remaining_->begin_flow(current.node, current.time);
                flows_.begin(current.node, n.pair, n.bytes + model_.envelope_bytes, current.time,
                             model_.factor(n.bytes).bandwidth_ppm);
                break;
            }
            case happening::deliver: arrived(current.node, current.time); break;
            case happening::select: select(current.rank, current.time); break;
        }
    }

    bool is_eager(std::int64_t send) const { return model_.is_eager(graph_[send].bytes); }
    bool is_synchronous(std::int64_t send) const { return model_.is_synchronous(graph_[send].bytes); }

    void complete(std::int64_t i, picoseconds time) {
        picoseconds& finish = result_.finish[graph_[i].rank];
        finish = std::max(finish, time);
        ++completed_;
        watch_.done(i, time);
        for (const std::int64_t next : graph_.successors(i)) fulfill(next, time);
    }
    /// Records that one predecessor of vertex i is complete.
    void fulfill(std::int64_t i, picoseconds time) {
        if (--pending_[i] > 0) return;
        const execution_graph::node& n = graph_[i];
        processor& state = at(n.rank);
        if (n.kind != kind::receive) watch_.ready(i, time);
        if (n.kind == kind::receive) state.queues.add_receive(i);
        else if (n.kind == kind::send) state.queues.add_send(i);
        else state.queues.add_local(i);
        wake(n.rank, time);
    }
    /// Makes a processor select work as soon as it is free.
    void wake(rank_t r, picoseconds time) {
        processor& state = at(r);
        if (state.selects) return;
        state.selects = true;
        events_.push({std::max(state.free, time), happening::select, r, nothing});
    }

    /// Records the departure of a message, or the post of its receive. Messages that are not eager need both.
    void meet(std::int64_t send, picoseconds time) {
        if (++met_[send] < (is_eager(send) ? 1 : 2)) return;
        const execution_graph::node& n = graph_[send];
        const message_routes::route& on = routes_[n.pair];
        const bool flows = n.bytes + model_.envelope_bytes > 0 && !on.path.links.empty();
        events_.push(
            {later(time, routes_.latency(on, n.bytes)), flows ? happening::flow : happening::deliver, n.rank, send});
    }
    /// Records the arrival of the last byte of a message.
    void arrived(std::int64_t send, picoseconds time) {
        const std::int64_t receive = graph_[send].peer;
        if (remaining_) remaining_->arrive(send, time);
        if (is_synchronous(send)) {
            met_[send] = arrived_at_receiver;
            wake(graph_[send].rank, time);
        }
        watch_.arrived(receive, time);
        meet_receive(receive, time);
        wake(graph_[receive].rank, time);
    }
    /// Records the post of a receive, or the arrival of its message.
    void meet_receive(std::int64_t i, picoseconds time) {
        if (++met_[i] == 2) watch_.ready(i, time);
    }

    /// Goes through the work of a free processor: sends and receives in turns, then local work, then one request that
    /// is complete.
    void select(rank_t r, picoseconds time) {
        processor& state = at(r);
        state.selects = false;
        if (time < state.free) return wake(r, time);
        end_running(state, time);
        while (state.running == nothing) {
            std::int64_t i = state.queues.take_message();
            if (i != nothing && graph_[i].kind == kind::receive) {
                post(state, i, time);
                continue;
            }
            if (i == nothing) i = state.queues.take_local();
            if (i == nothing) {
                i = state.queues.take_complete([this](std::int64_t request) { return is_complete(request); });
                if (i == nothing) return;
                state.queues.restart_turns();
                if (graph_[i].kind == kind::send) {
                    complete(i, time);
                    continue;
                }
            }
            work(state, i, time);
        }
    }
    void end_running(processor& state, picoseconds time) {
        const std::int64_t i = std::exchange(state.running, nothing);
        if (i == nothing) return;
        if (graph_[i].kind == kind::send) state.queues.add_request(i, !is_synchronous(i));
        else complete(i, time);
    }
    void post(processor& state, std::int64_t receive, picoseconds time) {
        const std::int64_t send = graph_[receive].peer;
        state.queues.add_request(receive, false);
        watch_.posted(receive, time);
        if (!is_eager(send)) meet(send, time);
        meet_receive(receive, time);
    }
    bool is_complete(std::int64_t message) const {
        return met_[message] == (graph_[message].kind == kind::receive ? 2 : arrived_at_receiver);
    }

    /// Begins work on which the processor is busy.
    void work(processor& state, std::int64_t i, picoseconds time) {
        const execution_graph::node& n = graph_[i];
        const checked busy = busy_with(n);
        if (remaining_) remaining_->begin_work(i, time);
        state.running = i;
        state.free = later(time, busy);
        watch_.begun(i, time, state.free);
        result_.cpu_busy[n.rank] = later(result_.cpu_busy[n.rank], busy);
        if (n.kind == kind::send) events_.push({state.free, happening::leave, n.rank, i});
        wake(n.rank, state.free);
    }
    checked busy_with(const execution_graph::node& n) const {
        switch (n.kind) {
            case kind::join: return 0;
            case kind::copy: return time_at(n.bytes, model_.copy_fs);
            case kind::combine: return time_at(n.bytes, model_.combine_fs);
            case kind::receive:
                if (model_.synchronous_free != 0 && is_synchronous(n.peer)) return 0;
                break;
            case kind::send: break;
        }
        return time_at(n.bytes, model_.overhead_byte_fs) + model_.overhead(n.rank);
    }

    static constexpr std::int64_t arrived_at_receiver = 3;

    const execution_graph& graph_;
    const contention_model& model_;
    Watch watch_;
    message_routes routes_;
    fair_rates flows_;
    // Per vertex: number of predecessors that are not complete.
    owned_array<std::int64_t> pending_{std::ssize(graph_.nodes())};
    owned_array<std::int64_t> met_{std::ssize(graph_.nodes())};  // per message: number of its conditions that hold
    std::vector<processor> processors_;
    heap<event> events_;
    std::optional<remaining_times> remaining_;  // of a run with a limit
};

}  // namespace detail

/// Runs a graph in virtual time on a network with shared links, deterministically. Interfaces are not modeled: out_busy
/// and in_busy are 0. O(n * f * l) for n messages, f of them in flight at once on routes of l links, and more if their
/// rates differ. The function is a template so that `simulate(x, {})` is a run under LogGP.
/// @param graph          graph of a schedule
/// @param model          network, placement and costs of local work
/// @param start          start time of each rank in picoseconds, 0 or more; empty: all 0
/// @param limit          as simulation::conditions::limit
/// @param is_over        as simulation::conditions::is_over
/// @param rate_interval  as simulation::conditions::rate_interval
/// @return times in picoseconds. Failure: an error of graph, model or start times, or a run that was ended.
template <std::same_as<contention_model> Model>
simulation simulate(const execution_graph& graph, const Model& model, std::span<const picoseconds> start = {},
                    picoseconds limit = std::numeric_limits<picoseconds>::max(),
                    const std::function<bool()>& is_over = {}, picoseconds rate_interval = 0) {
    simulation none;
    none.error = detail::check_run(graph, model, start);
    return none.error ? none : detail::contention_run<>(graph, model, start, {}, rate_interval).run(limit, is_over);
}

/// Runs a schedule on a network with shared links.
template <schedulable X, std::same_as<contention_model> Model>
simulation simulate(const X& x, const Model& model, const simulation::conditions& when = {}) {
    const execution_graph graph(x, when.binding, when.paced, when.staging_limit);
    return simulate(graph, model, when.start, when.limit, when.is_over, when.rate_interval);
}

}}  // namespace collsched::COLLSCHED_ABI
