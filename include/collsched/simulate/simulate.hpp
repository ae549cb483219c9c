#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "collsched/core/owned_array.hpp"
#include "collsched/cost/concepts.hpp"
#include "collsched/cost/loggp.hpp"
#include "collsched/core/detail/heap.hpp"
#include "collsched/simulate/execution_graph.hpp"
#include "collsched/simulate/simulation.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// The initial conditions of a simulated run.
struct simulation::conditions {
    std::span<const picoseconds>
        start{};  ///< start time per rank; empty: all 0. Finish times of one run may start the next.
    collsched::binding binding = collsched::binding::separate;  ///< how input and output overlap
    std::optional<pacing> paced{};                              ///< replaces the schedule's pacing
    bytes_t staging_limit = detail::default_staging;            ///< of the plans of all ranks, in bytes
    /// A run that takes longer, in picoseconds, may end at this time, with an error and without times.
    picoseconds limit = std::numeric_limits<picoseconds>::max();
    /// Is called now and then; a run on the links of a network ends, with an error and without times, when it returns true.
    std::function<bool()> is_over{};
    /// Least time between two changes of the rates of messages that share links, in picoseconds; 0: none, and exact times.
    picoseconds rate_interval = 0;
};

namespace detail {

/// An observer that records nothing. trace.hpp has one that records the times of every vertex.
struct no_watch {
    void ready(std::int64_t, picoseconds) {}
    void arrived(std::int64_t, picoseconds) {}
    void begun(std::int64_t, picoseconds, picoseconds) {}
    void done(std::int64_t, picoseconds) {}
    void posted(std::int64_t, picoseconds) {}
};

/// A time and an event, ordered by time.
struct timed {
    picoseconds time;
    std::int64_t event;

    bool operator<(const timed& other) const {
        return (time < other.time) | ((time == other.time) & (event < other.event));
    }
};

/// One run of a graph in virtual time. See simulate().
///
/// The completion time of a vertex is known when it begins, and is passed to its successors at once. A message
/// therefore takes three events: the sender's processor selects work, the first byte arrives, the receiver's processor
/// selects work.
template <message_cost Model, class Watch = no_watch>
class virtual_run : run_times {
    using kind = execution_graph::kind;

    /// Codes of events: the receive whose message arrives, or, with this bit, the rank whose processor selects work. At
    /// one time arrivals thus precede new work, and lower ranks precede higher ones. In codes of ready work the bit
    /// marks copies and combinations, which follow messages, as in the executor.
    static constexpr std::int64_t last = std::int64_t{1} << 62;

    struct processor {
        picoseconds cpu = 0, out = 0, in = 0;  // times at which each is free
        picoseconds looks = infinity;          // when the processor next selects work
        heap<timed> sends,
            tasks;  // work whose predecessors are complete, or will be then, in order of arrival
    };
    struct waiting {
        picoseconds since = 0;          // latest completion time of a known predecessor
        std::int64_t predecessors = 0;  // number of predecessors without a completion time
    };

  public:
    virtual_run(const execution_graph& graph, const Model& model, std::span<const picoseconds> start, Watch watch = {})
        : run_times(graph.ranks(), start),
          graph_(graph),
          model_(model),
          watch_(watch),
          processors_(static_cast<std::size_t>(graph.ranks())) {
        for (std::int64_t& send : opener_) send = -1;
        for (std::int64_t i = 0; i < waiting_.size(); ++i)
            waiting_[i].predecessors = graph[i].waits_for + 1 + (graph[i].kind == kind::receive ? 1 : 0);
        for (rank_t r = 0; r < graph.ranks(); ++r) {
            for (std::int64_t i = graph.first(r); i < graph.first(r + 1); ++i) fulfill(i, result_.finish[r]);
            complete_joins();
        }
    }

    simulation run(picoseconds limit = infinity) {
        while (!events_.empty() && !overflowed_) {
            const timed next = events_.take();
            if (next.time > limit) return run_beyond(limit);
            if (next.event < last) arrive(next.event, next.time);
            else begin(next.event - last, next.time);
        }
        return ended(waiting_.size());
    }

  private:
    processor& at(rank_t r) { return processors_[static_cast<std::size_t>(r)]; }

    /// Records that vertex i is complete at this time, now or later.
    void complete(std::int64_t i, picoseconds time) {
        end(i, time);
        complete_joins();
    }
    /// Completes joins iteratively: a chain of joins may be as long as a schedule.
    void complete_joins() {
        while (!joins_.empty()) {
            const std::int64_t i = joins_.back();
            joins_.pop_back();
            end(i, waiting_[i].since);
        }
    }
    void end(std::int64_t i, picoseconds time) {
        picoseconds& finish = result_.finish[graph_[i].rank];
        finish = std::max(finish, time);
        ++completed_;
        watch_.done(i, time);
        for (const std::int64_t next : graph_.successors(i)) fulfill(next, time);
    }

    /// Processes the arrival of the first byte. The interface receives one message at a time, posted or not.
    void arrive(std::int64_t i, picoseconds time) {
        const execution_graph::node& n = graph_[i];
        processor& state = at(n.rank);
        const checked stream = model_.stream(n.bytes);
        const picoseconds received = later(std::max(time, state.in), stream);
        state.in = later(received, model_.gap());
        result_.in_busy[n.rank] = later(result_.in_busy[n.rank], stream + model_.gap());
        watch_.arrived(i, received);
        fulfill(i, received);
        complete_joins();
    }

    /// Records that one predecessor of vertex i is complete at this time.
    void fulfill(std::int64_t i, picoseconds time) {
        waiting& task = waiting_[i];
        task.since = std::max(task.since, time);
        if (--task.predecessors > 0) return;
        watch_.ready(i, task.since);
        const execution_graph::node& n = graph_[i];
        if (n.kind == kind::join) return joins_.push_back(i);
        processor& state = at(n.rank);
        if (n.kind == kind::send) {
            state.sends.push({task.since, i});
            return look(state, n.rank, std::max({task.since, state.cpu, state.out}));
        }
        state.tasks.push({task.since, n.kind == kind::receive ? i : last + i});
        look(state, n.rank, std::max(task.since, state.cpu));
    }

    void look(processor& state, rank_t r, picoseconds time) {
        if (time >= state.looks) return;
        state.looks = time;
        events_.push({time, last + r});
    }

    /// Selects work for a free processor: the first that it can start.
    void begin(rank_t r, picoseconds time) {
        processor& state = at(r);
        if (state.looks != time) return;  // an earlier event replaced this one
        state.looks = infinity;
        if (state.cpu <= time) {
            const bool sends = !state.sends.empty() && state.sends.top().time <= time && state.out <= time;
            const bool works = !state.tasks.empty() && state.tasks.top().time <= time;
            if (sends && (!works || state.sends.top() < state.tasks.top())) send(state, time);
            else if (works) work(state, time);
        }
        if (!state.tasks.empty()) look(state, r, std::max({state.cpu, state.tasks.top().time, time}));
        if (!state.sends.empty()) look(state, r, std::max({state.cpu, state.out, state.sends.top().time, time}));
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
        result_.cpu_busy[n.rank] = later(result_.cpu_busy[n.rank], busy);
        result_.out_busy[n.rank] = later(result_.out_busy[n.rank], stream + model_.gap());
        events_.push({later(state.cpu, model_.flight(n.rank, to)), n.peer});
        complete(i, injected);
    }

    void work(processor& state, picoseconds time) {
        const std::int64_t i = state.tasks.take().event & ~last;
        const execution_graph::node& n = graph_[i];
        const checked busy = n.kind == kind::receive
                                 ? model_.receiving(graph_[n.peer].rank, n.rank, opener_[n.pair] == n.peer)
                             : n.kind == kind::copy ? model_.copy(n.bytes)
                                                    : model_.combine(n.bytes);
        state.cpu = later(time, busy);
        watch_.begun(i, time, state.cpu);
        result_.cpu_busy[n.rank] = later(result_.cpu_busy[n.rank], busy);
        complete(i, state.cpu);
    }

    const execution_graph& graph_;
    const Model& model_;
    Watch watch_;
    std::vector<processor> processors_;
    owned_array<waiting> waiting_{std::ssize(graph_.nodes())};  // per vertex
    owned_array<std::int64_t> opener_{graph_.pairs()};          // per pair: the send that opened its connection, or -1
    std::vector<std::int64_t> joins_;                           // complete joins whose successors have not been updated
    heap<timed> events_;
};

/// Returns the first error of graph, model or start times.
template <class Model>
argument_error check_run(const execution_graph& graph, const Model& model, std::span<const picoseconds> start) {
    if (argument_error error = graph.check()) return error;
    if (argument_error error = refuse_if(check_model(model, graph.ranks()))) return error;
    const auto starts = static_cast<std::int64_t>(start.size());
    if (starts != 0 && starts != graph.ranks())
        return refuse_if({"start", starts, "as many start times as ranks, or none"});
    for (std::int64_t i = 0; i < starts; ++i)
        if (const picoseconds begins = start[static_cast<std::size_t>(i)]; begins < 0)
            return refuse_if({"start", begins, "0 ps or more", i});
    return {};
}

}  // namespace detail

/// Runs a graph in virtual time, deterministically, in O(n log n) for n vertices. Every rank has a processor, an
/// interface for sending and one for receiving. The model defines for how long each is busy (message_cost).
///
/// A processor executes one task at a time, without interruption, in order of arrival. Ties: at one time completions
/// and arrivals precede new work; then the lowest rank first; within a rank messages before copies and combinations, as
/// in the executor; then program order.
/// @param graph  graph of a schedule
/// @param model  costs of messages and local work
/// @param start  start time of each rank in picoseconds, 0 or more; empty: all 0
/// @param limit  as simulation::conditions::limit
/// @return times in picoseconds. Failure: an error of graph, model or start times, or a run beyond the limit.
template <message_cost Model = loggp_model>
simulation simulate(const execution_graph& graph, const Model& model, std::span<const picoseconds> start = {},
                    picoseconds limit = std::numeric_limits<picoseconds>::max()) {
    simulation none;
    none.error = detail::check_run(graph, model, start);
    return none.error ? none : detail::virtual_run<Model>(graph, model, start).run(limit);
}

/// Runs a schedule. To run a schedule several times, make its execution_graph once.
/// @param x      schedule or algorithm
/// @param model  costs of messages and local work
/// @param when   start times, binding, pacing, staging and limit
/// @return times in picoseconds. Failure: an error of schedule, model or conditions.
template <schedulable X, message_cost Model = loggp_model>
simulation simulate(const X& x, const Model& model, const simulation::conditions& when = {}) {
    return simulate(execution_graph(x, when.binding, when.paced, when.staging_limit), model, when.start, when.limit);
}

}}  // namespace collsched::COLLSCHED_ABI
