#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "collsched/core/owned_array.hpp"
#include "collsched/cost/concepts.hpp"
#include "collsched/cost/loggp.hpp"
#include "collsched/simulate/detail/event_queue.hpp"
#include "collsched/simulate/execution_graph.hpp"
#include "collsched/simulate/simulation.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// How a simulated run begins.
struct simulation::conditions {
    std::span<const picoseconds>
        start{};  ///< when each rank begins; none: all at 0. The finish of one run starts the next.
    collsched::binding binding = collsched::binding::separate;
    std::optional<pacing> paced{};                    ///< instead of the schedule's own
    bytes_t staging_limit = detail::default_staging;  ///< of the plans of all ranks, in bytes
};

namespace detail {

/// Looks on while a graph is run, and keeps nothing. One that keeps something tells more: trace.hpp.
struct no_watch {
    void ready(std::int64_t, picoseconds) {}
    void arrived(std::int64_t, picoseconds) {}
    void begun(std::int64_t, picoseconds, picoseconds) {}
    void done(std::int64_t, picoseconds) {}
};

/// When something happens, or could, and what; in this order.
struct timed {
    picoseconds time;
    std::int64_t event;

    bool operator<(const timed& other) const {
        return (time < other.time) | ((time == other.time) & (event < other.event));
    }
};

/// One run of a graph in virtual time. See simulate().
///
/// When a node that begins will be complete is known, and told to what waits for it at once, with the time. So a
/// message takes three events: its sender looks for work, its first byte arrives, its receiver looks for work.
template <message_cost Model, class Watch = no_watch>
class virtual_run {
    using kind = execution_graph::kind;

    static constexpr picoseconds never = std::numeric_limits<picoseconds>::max();
    /// Of events: a message arrives, named by its receive; or, with this bit, a rank's processor looks for work. So
    /// what arrives at one time comes before what a processor begins, then the lowest rank. Of work that is ready: with
    /// this bit it is on bytes, and comes after messages, as the executor has it.
    static constexpr std::int64_t last = std::int64_t{1} << 62;

    struct processor {
        picoseconds cpu = 0, out = 0, in = 0;  // when each is free
        picoseconds looks = never;             // when the processor next looks for work
        event_queue<timed> sends,
            others;  // work whose predecessors are complete, or will be then: first come, first served
        picoseconds finish = 0, cpu_busy = 0, out_busy = 0, in_busy = 0;
    };
    struct waiting {
        picoseconds since = 0;  // the latest of what has come about, or will
        std::int64_t left = 0;  // how much has not
    };

  public:
    virtual_run(const execution_graph& graph, const Model& model, std::span<const picoseconds> start, Watch watch = {})
        : graph_(graph),
          model_(model),
          watch_(watch),
          processors_(static_cast<std::size_t>(graph.ranks())),
          waiting_(std::ssize(graph.nodes())),
          opener_(graph.pairs()) {
        for (std::int64_t& send : opener_) send = -1;
        for (std::int64_t i = 0; i < waiting_.size(); ++i)
            waiting_[i].left = graph[i].waits_for + 1 + (graph[i].kind == kind::receive ? 1 : 0);
        for (rank_t r = 0; r < graph.ranks(); ++r) {
            at(r).finish = start.empty() ? 0 : start[static_cast<std::size_t>(r)];
            for (std::int64_t i = graph.first(r); i < graph.first(r + 1); ++i) fulfill(i, at(r).finish);
            complete_joins();
        }
    }

    simulation run() {
        while (!events_.empty() && !overflowed_) {
            const timed next = events_.take();
            if (next.event < last) arrive(next.event, next.time);
            else begin(next.event - last, next.time);
        }
        if (overflowed_) return too_long_a_run();
        if (completed_ < waiting_.size()) return endless_run(waiting_.size() - completed_);
        return result();
    }

  private:
    simulation result() const {
        simulation result;
        for (auto* times : {&result.finish, &result.cpu_busy, &result.out_busy, &result.in_busy})
            *times = owned_array<picoseconds>(graph_.ranks());
        for (rank_t r = 0; r < graph_.ranks(); ++r) {
            const processor& state = processors_[static_cast<std::size_t>(r)];
            result.finish[r] = state.finish;
            result.cpu_busy[r] = state.cpu_busy;
            result.out_busy[r] = state.out_busy;
            result.in_busy[r] = state.in_busy;
            result.completion = std::max(result.completion, state.finish);
        }
        return result;
    }

    processor& at(rank_t r) { return processors_[static_cast<std::size_t>(r)]; }
    picoseconds later(picoseconds time, const checked& duration) {
        const checked sum = checked(time) + duration;
        overflowed_ = overflowed_ || !sum.ok() || sum.value() == never;
        return sum.ok() ? sum.value() : never;
    }

    /// What is complete at this time, now or later.
    void complete(std::int64_t i, picoseconds time) {
        end(i, time);
        complete_joins();
    }
    /// One after the other: a chain of them may be as long as a schedule.
    void complete_joins() {
        while (!joins_.empty()) {
            const std::int64_t i = joins_.back();
            joins_.pop_back();
            end(i, waiting_[i].since);
        }
    }
    void end(std::int64_t i, picoseconds time) {
        picoseconds& finish = at(graph_[i].rank).finish;
        finish = std::max(finish, time);
        ++completed_;
        watch_.done(i, time);
        for (const std::int64_t next : graph_.successors(i)) fulfill(next, time);
    }

    /// The first byte is there; the interface takes one message after the other, whether it is waited for or not.
    void arrive(std::int64_t i, picoseconds time) {
        const execution_graph::node& n = graph_[i];
        processor& state = at(n.rank);
        const checked stream = model_.stream(n.bytes);
        const picoseconds whole = later(std::max(time, state.in), stream);
        state.in = later(whole, model_.gap());
        state.in_busy = later(state.in_busy, stream + model_.gap());
        watch_.arrived(i, whole);
        fulfill(i, whole);
        complete_joins();
    }

    /// One of the things that a node waits for comes about at this time.
    void fulfill(std::int64_t i, picoseconds time) {
        waiting& mine = waiting_[i];
        mine.since = std::max(mine.since, time);
        if (--mine.left > 0) return;
        watch_.ready(i, mine.since);
        const execution_graph::node& n = graph_[i];
        if (n.kind == kind::join) return joins_.push_back(i);
        processor& state = at(n.rank);
        if (n.kind == kind::send) {
            state.sends.push({mine.since, i});
            return look(state, n.rank, std::max({mine.since, state.cpu, state.out}));
        }
        state.others.push({mine.since, n.kind == kind::receive ? i : last + i});
        look(state, n.rank, std::max(mine.since, state.cpu));
    }

    void look(processor& state, rank_t r, picoseconds time) {
        if (time >= state.looks) return;
        state.looks = time;
        events_.push({time, last + r});
    }

    /// The processor is free, or was to be: it takes the first that it can work on.
    void begin(rank_t r, picoseconds time) {
        processor& state = at(r);
        if (state.looks != time) return;  // it looks earlier than this was planned
        state.looks = never;
        if (state.cpu <= time) {
            const bool sends = !state.sends.empty() && state.sends.next().time <= time && state.out <= time;
            const bool works = !state.others.empty() && state.others.next().time <= time;
            if (sends && (!works || state.sends.next() < state.others.next())) send(state, time);
            else if (works) work(state, time);
        }
        if (!state.others.empty()) look(state, r, std::max({state.cpu, state.others.next().time, time}));
        if (!state.sends.empty()) look(state, r, std::max({state.cpu, state.out, state.sends.next().time, time}));
    }

    void send(processor& state, picoseconds time) {
        const std::int64_t i = state.sends.take().event;
        const execution_graph::node& n = graph_[i];
        const bool opens = opener_[n.pair] < 0;
        if (opens) opener_[n.pair] = i;
        const rank_t to = graph_[n.peer].rank;
        const checked stream = model_.stream(n.bytes), busy = model_.sending(n.rank, to, n.bytes, opens);
        state.cpu = later(time, busy);
        watch_.begun(i, time, state.cpu);
        const picoseconds injected = later(state.cpu, stream);
        state.out = later(time, model_.connection(opens) + stream + model_.gap());
        state.cpu_busy = later(state.cpu_busy, busy);
        state.out_busy = later(state.out_busy, stream + model_.gap());
        events_.push({later(state.cpu, model_.flight(n.rank, to)), n.peer});
        complete(i, injected);
    }

    void work(processor& state, picoseconds time) {
        const std::int64_t i = state.others.take().event & ~last;
        const execution_graph::node& n = graph_[i];
        const checked busy = n.kind == kind::receive
                                 ? model_.receiving(graph_[n.peer].rank, n.rank, opener_[n.pair] == n.peer)
                             : n.kind == kind::copy ? model_.copy(n.bytes)
                                                    : model_.combine(n.bytes);
        state.cpu = later(time, busy);
        watch_.begun(i, time, state.cpu);
        state.cpu_busy = later(state.cpu_busy, busy);
        complete(i, state.cpu);
    }

    const execution_graph& graph_;
    const Model& model_;
    Watch watch_;
    std::vector<processor> processors_;
    owned_array<waiting> waiting_;      // of each node
    owned_array<std::int64_t> opener_;  // of each pair: the send that opened its connection, or -1
    std::vector<std::int64_t> joins_;   // complete, but not yet told to those who wait
    event_queue<timed> events_;
    std::int64_t completed_ = 0;
    bool overflowed_ = false;
};

/// What is wrong with graph, model or start times.
template <class Model>
argument_error check_run(const execution_graph& graph, const Model& model, std::span<const picoseconds> start) {
    if (argument_error error = graph.check()) return error;
    if (argument_error error = refuse_if(check_model(model, graph.ranks()))) return error;
    const auto given = static_cast<std::int64_t>(start.size());
    if (given != 0 && given != graph.ranks())
        return refuse_if({"start", given, "as many start times as ranks, or none"});
    for (std::int64_t i = 0; i < given; ++i)
        if (const picoseconds begins = start[static_cast<std::size_t>(i)]; begins < 0)
            return refuse_if({"start", begins, "0 ps or more", i});
    return {};
}

}  // namespace detail

/// Runs a graph in virtual time, deterministically, in O(n log n) for n nodes. Every rank has a processor, an interface
/// to send through and one to receive through; the model defines for how long each is busy (message_cost).
///
/// A processor does one thing at a time, without interruption, first come, first served. Ties: at one time completions
/// and arrivals come before new work; then the lowest rank; in a rank messages before copies and combinations, as in
/// the executor; then program order.
template <message_cost Model = loggp_model>
simulation simulate(const execution_graph& graph, const Model& model, std::span<const picoseconds> start = {}) {
    simulation none;
    none.error = detail::check_run(graph, model, start);
    return none.error ? none : detail::virtual_run<Model>(graph, model, start).run();
}

/// Runs a schedule. To run a schedule several times, make its execution_graph once.
template <schedulable X, message_cost Model = loggp_model>
simulation simulate(const X& x, const Model& model, const simulation::conditions& when = {}) {
    return simulate(execution_graph(x, when.binding, when.paced, when.staging_limit), model, when.start);
}

}}  // namespace collsched::COLLSCHED_ABI
