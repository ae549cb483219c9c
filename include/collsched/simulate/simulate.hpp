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
#include "collsched/simulate/execution_graph.hpp"

namespace collsched {

/// When the ranks of a simulated run are done, and how busy they were; all in picoseconds.
struct simulation {
    owned_array<picoseconds> finish;    ///< of each rank: all that it does is complete; its start where it does nothing
    picoseconds completion = 0;         ///< the latest of them
    owned_array<picoseconds> cpu_busy;  ///< of each rank: its processor's time for messages, copies and combinations
    owned_array<picoseconds> out_busy;  ///< its network interface's time for sending, gaps included
    owned_array<picoseconds> in_busy;   ///< the same for receiving
    error wrong;

    /// What was wrong with model, start times or schedule; then there are no times.
    error check() const { return wrong; }
    bool operator==(const simulation&) const = default;
};

/// How a simulated run is begun.
struct run_conditions {
    std::span<const picoseconds>
        start{};  ///< when each rank begins; none: all at 0. The finish of one run starts the next.
    binding how = binding::separate;
    std::optional<pacing> paced{};  ///< instead of the schedule's own
};

namespace detail {

/// Looks on while a graph is run, and keeps nothing. One that keeps something tells more: timeline.hpp.
struct no_watch {
    void ready(std::int64_t, picoseconds) {}
    void arrived(std::int64_t, picoseconds) {}
    void begun(std::int64_t, picoseconds, picoseconds) {}
    void done(std::int64_t, picoseconds) {}
};

/// One run of a graph in virtual time. See simulate().
template <message_cost Model, class Watch = no_watch>
class virtual_run {
    using kind = execution_graph::kind;

    /// Of what happens at one time, what completes and arrives comes before what a processor begins.
    enum class happening : std::uint8_t { complete, arrive, deliver, begin };

    struct event {
        picoseconds time;
        happening what;
        rank_t rank;
        std::int64_t node;  // of begin: none; of complete: -1 where the rank itself starts

        bool operator>(const event& other) const {
            if (time != other.time) return time > other.time;
            if (what != other.what) return what > other.what;
            return rank != other.rank ? rank > other.rank : node > other.node;
        }
    };

    /// Work whose predecessors are complete. First come, first served; then messages before work on bytes, as the executor
    /// has it; then program order.
    struct ready_node {
        picoseconds since;
        bool local;
        std::int64_t node;

        bool operator>(const ready_node& other) const {
            if (since != other.since) return since > other.since;
            return local != other.local ? local : node > other.node;
        }
    };

    static constexpr picoseconds never = std::numeric_limits<picoseconds>::max();

    struct machine {
        picoseconds cpu = 0, out = 0, in = 0;   // when each is free
        picoseconds looks = never;              // when the processor next looks for work
        std::vector<ready_node> sends, others;  // heaps, the first to be served on top
    };

  public:
    virtual_run(const execution_graph& graph, const Model& model, std::span<const picoseconds> start, Watch watch = {})
        : graph_(graph),
          model_(model),
          watch_(watch),
          machines_(static_cast<std::size_t>(graph.ranks())),
          pending_(std::ssize(graph.nodes())),
          opener_(graph.pairs()) {
        for (std::int64_t& send : opener_) send = -1;
        for (auto* times : {&result_.finish, &result_.cpu_busy, &result_.out_busy, &result_.in_busy})
            *times = owned_array<picoseconds>(graph.ranks());
        for (std::int64_t i = 0; i < pending_.size(); ++i) {
            const execution_graph::node& n = graph[i];
            pending_[i] = n.waits_for + (n.waits_for == 0 ? 1 : 0) + (n.what == kind::receive ? 1 : 0);
        }
        for (rank_t r = 0; r < graph.ranks(); ++r) {
            const picoseconds begins = start.empty() ? 0 : start[static_cast<std::size_t>(r)];
            events_.push_back({begins, happening::complete, r, -1});
        }
        std::ranges::make_heap(events_, std::greater<>());
    }

    simulation run() {
        while (!events_.empty() && !overflowed_) {
            const event now = events_.front();
            pop(events_);
            switch (now.what) {
                case happening::complete: complete(now); break;
                case happening::arrive: arrive(now); break;
                case happening::deliver:
                    watch_.arrived(now.node, now.time);
                    fulfil(now.node, now.time);
                    break;
                case happening::begin: begin(now.rank, now.time); break;
            }
        }
        if (overflowed_) return failed({"time", never, "a run of less than 2^63 picoseconds"});
        if (completed_ < pending_.size())
            return failed({"schedule", pending_.size() - completed_, "a schedule in which no edge waits for ever"});
        for (const picoseconds done : result_.finish) result_.completion = std::max(result_.completion, done);
        return std::move(result_);
    }

  private:
    template <class T>
    static void push(std::vector<T>& heap, const T& value) {
        heap.push_back(value);
        std::ranges::push_heap(heap, std::greater<>());
    }
    template <class T>
    static void pop(std::vector<T>& heap) {
        std::ranges::pop_heap(heap, std::greater<>());
        heap.pop_back();
    }
    static simulation failed(const error& e) {
        simulation none;
        none.wrong = refuse_if(e);
        return none;
    }

    machine& at(rank_t r) { return machines_[static_cast<std::size_t>(r)]; }
    picoseconds later(picoseconds time, const checked& duration) {
        const checked sum = checked(time) + duration;
        overflowed_ = overflowed_ || !sum.ok() || sum.value() == never;
        return sum.ok() ? sum.value() : never;
    }

    void complete(const event& now) {
        picoseconds& done = result_.finish[now.rank];
        done = std::max(done, now.time);
        if (now.node < 0) {
            for (std::int64_t i = graph_.first(now.rank); i < graph_.first(now.rank + 1); ++i)
                if (graph_[i].waits_for == 0) fulfil(i, now.time);
            return;
        }
        ++completed_;
        watch_.done(now.node, now.time);
        for (const std::int64_t next : graph_.successors(now.node)) fulfil(next, now.time);
    }

    /// The first byte is there; the interface takes one message after the other, whether it is waited for or not.
    void arrive(const event& now) {
        machine& here = at(now.rank);
        const checked stream = model_.stream(graph_[now.node].bytes);
        const picoseconds last = later(std::max(now.time, here.in), stream);
        here.in = later(last, model_.gap());
        result_.in_busy[now.rank] = later(result_.in_busy[now.rank], stream + model_.gap());
        push(events_, {last, happening::deliver, now.rank, now.node});
    }

    /// One of the things that a node waits for has come about.
    void fulfil(std::int64_t i, picoseconds now) {
        if (--pending_[i] > 0) return;
        watch_.ready(i, now);
        const execution_graph::node& n = graph_[i];
        if (n.what == kind::join) return push(events_, {now, happening::complete, n.rank, i});
        machine& here = at(n.rank);
        const bool sends = n.what == kind::send;
        push(sends ? here.sends : here.others, {now, !sends && n.what != kind::receive, i});
        look(n.rank, std::max({now, here.cpu, sends ? here.out : now}));
    }

    void look(rank_t r, picoseconds time) {
        if (time >= at(r).looks) return;
        at(r).looks = time;
        push(events_, {time, happening::begin, r, -1});
    }

    /// The processor is free, or was to be: it takes the first that it can work on.
    void begin(rank_t r, picoseconds now) {
        machine& here = at(r);
        if (here.looks != now) return;  // it looks earlier than this was planned
        here.looks = never;
        if (here.cpu <= now) {
            const bool may_send = !here.sends.empty() && here.out <= now;
            if (may_send && (here.others.empty() || here.others.front() > here.sends.front())) send(here, now);
            else if (!here.others.empty()) work(here, now);
        }
        if (!here.others.empty()) look(r, std::max(here.cpu, now));
        if (!here.sends.empty()) look(r, std::max({here.cpu, here.out, now}));
    }

    void send(machine& here, picoseconds now) {
        const std::int64_t i = here.sends.front().node;
        pop(here.sends);
        const execution_graph::node& n = graph_[i];
        const bool opens = opener_[n.pair] < 0;
        if (opens) opener_[n.pair] = i;
        const rank_t to = graph_[n.peer].rank;
        const checked stream = model_.stream(n.bytes), busy = model_.sending(n.rank, to, n.bytes, opens);
        here.cpu = later(now, busy);
        watch_.begun(i, now, here.cpu);
        const picoseconds injected = later(here.cpu, stream);
        here.out = later(now, model_.connection(opens) + stream + model_.gap());
        result_.cpu_busy[n.rank] = later(result_.cpu_busy[n.rank], busy);
        result_.out_busy[n.rank] = later(result_.out_busy[n.rank], stream + model_.gap());
        push(events_, {injected, happening::complete, n.rank, i});
        push(events_, {later(here.cpu, model_.flight(n.rank, to)), happening::arrive, to, n.peer});
    }

    void work(machine& here, picoseconds now) {
        const std::int64_t i = here.others.front().node;
        pop(here.others);
        const execution_graph::node& n = graph_[i];
        const checked busy = n.what == kind::receive
                                 ? model_.receiving(graph_[n.peer].rank, n.rank, opener_[n.pair] == n.peer)
                             : n.what == kind::copy ? model_.copy(n.bytes)
                                                    : model_.combine(n.bytes);
        here.cpu = later(now, busy);
        watch_.begun(i, now, here.cpu);
        result_.cpu_busy[n.rank] = later(result_.cpu_busy[n.rank], busy);
        push(events_, {here.cpu, happening::complete, n.rank, i});
    }

    const execution_graph& graph_;
    const Model& model_;
    Watch watch_;
    std::vector<machine> machines_;
    owned_array<std::int64_t> pending_;  // of each node: how much it still waits for
    owned_array<std::int64_t> opener_;   // of each pair: the send that opened its connection, or -1
    std::vector<event> events_;          // a heap, the earliest on top
    simulation result_;
    std::int64_t completed_ = 0;
    bool overflowed_ = false;
};

/// What is wrong with graph, model or start times.
template <class Model>
error check_run(const execution_graph& graph, const Model& model, std::span<const picoseconds> start) {
    if (error wrong = graph.check()) return wrong;
    if (error wrong = refuse_if(check_model(model, graph.ranks()))) return wrong;
    const auto given = static_cast<std::int64_t>(start.size());
    if (given != 0 && given != graph.ranks())
        return refuse_if({"start", given, "as many start times as ranks, or none"});
    for (std::int64_t i = 0; i < given; ++i)
        if (const picoseconds begins = start[static_cast<std::size_t>(i)]; begins < 0)
            return refuse_if({"start", begins, "0 ps or more", i});
    return {};
}

}  // namespace detail

/// Runs a graph in virtual time, deterministically, in O(n log n) for n nodes. Every rank has a processor, an interface to
/// send through and one to receive through; what each is busy with, and for how long, the model says (message_cost).
///
/// A processor does one thing at a time, without interruption, first come, first served. Ties: at one time completions
/// and arrivals come before new work; then the lowest rank; in a rank messages before copies and combinations, as in the
/// executor; then program order.
template <message_cost Model = loggp_model>
simulation simulate(const execution_graph& graph, const Model& model, std::span<const picoseconds> start = {}) {
    simulation none;
    none.wrong = detail::check_run(graph, model, start);
    return none.wrong ? none : detail::virtual_run<Model>(graph, model, start).run();
}

/// The same for a schedule. Whoever runs one several times makes the graph once.
template <schedulable X, message_cost Model = loggp_model>
simulation simulate(const X& x, const Model& model, const run_conditions& begun = {}) {
    return simulate(execution_graph(x, begun.how, begun.paced), model, begun.start);
}

}  // namespace collsched
