#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "collsched/core/owned_array.hpp"
#include "collsched/cost/loggp.hpp"
#include "collsched/simulate/execution_graph.hpp"
#include "collsched/simulate/simulate.hpp"
#include "collsched/simulate/simulation.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// A critical path that is found from its end, with the intervals of its steps.
struct critical_record {
    using part = simulation::path_interval::part;

    std::vector<simulation::critical_step> steps{};
    std::vector<simulation::path_interval> intervals{};
    picoseconds begin = 0;  // of the interval that was found last

    /// Adds the interval from `time`, of the step that is added next. None if it is not before the last one.
    void add(part use, picoseconds time, std::int64_t link = -1) {
        if (time >= begin) return;
        intervals.push_back({std::ssize(steps), use, time, begin, link});
        begin = time;
    }
    /// Begins at the end of the path. A later completion is the start of a rank without vertices.
    void start(picoseconds completion, picoseconds end) {
        begin = completion;
        add(part::waiting, end);
        for (simulation::path_interval& idle : intervals) idle.step = -1;
    }
    /// Brings steps and intervals into the order of time.
    void finish() {
        add(part::waiting, 0);
        std::ranges::reverse(steps);
        std::ranges::reverse(intervals);
        for (simulation::path_interval& interval : intervals)
            if (interval.step >= 0) interval.step = std::ssize(steps) - 1 - interval.step;
    }
};

/// Returns the kind of time that a vertex spends on its processor.
inline critical_record::part work_part(execution_graph::kind work) {
    const bool local = work == execution_graph::kind::copy || work == execution_graph::kind::combine;
    return local ? critical_record::part::local_work : critical_record::part::overhead;
}

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
    /// Returns the predecessor of vertex i that ends last; -1: none.
    std::int64_t last_before(std::int64_t i) const {
        std::int64_t found = -1;
        for (const std::int64_t j : before_[static_cast<std::size_t>(i)])
            if (found < 0 || times_[j].end > times_[found].end) found = j;
        return found;
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
    constexpr const char* names[] = {"start", "order", "message", "processor", "sending", "receiving", "link", "post"};
    return names[static_cast<int>(cause)];
}
/// Returns the name of the use of time on a critical path, such as "latency".
/// @param part  a use of time
constexpr const char* name_of(simulation::path_interval::part part) {
    constexpr const char* names[] = {"waiting", "overhead", "local work", "latency", "bandwidth", "contention"};
    return names[static_cast<int>(part)];
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
    void posted(std::int64_t i, picoseconds time) { (*all)[i].posted = time; }
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
    critical_walk(const execution_graph& graph, const Model& model, const simulation& result)
        : graph_(graph),
          model_(model),
          times_(result.activities),
          completion_(result.completion),
          order_(graph, result.activities) {}

    critical_record path() const {
        std::int64_t last = order_.last();
        critical_record found;
        found.start(completion_, last < 0 ? 0 : times_[last].end);
        delay exit = delay::order;  // the effect of the vertex on the path
        while (last >= 0) {
            const auto [before, cause] = exit == delay::receiving ? arrival_of(last) : held_by(last);
            add_times(found, last, exit);
            if (cause == delay::receiving) {
                found.add(part::overhead,
                          (checked(times_[before].arrival) + model_.stream(graph_[last].bytes)).value());
                found.add(part::bandwidth, times_[before].arrival);
            }
            order_.add_step(found.steps, last, cause);
            exit = cause;
            last = before;
        }
        found.finish();
        return found;
    }

  private:
    using delay = simulation::critical_step::delay;
    using part = critical_record::part;

    /// Adds the times of a vertex up to its effect.
    void add_times(critical_record& found, std::int64_t i, delay exit) const {
        if (exit == delay::receiving) return;
        const simulation::activity& when = times_[i];
        if (exit == delay::message) {
            const checked flight = model_.flight(graph_[i].rank, graph_[graph_[i].peer].rank);
            found.add(part::bandwidth, (checked(when.busy_until) + flight).value());
            found.add(part::latency, when.busy_until);
        }
        if (exit == delay::sending) found.add(part::overhead, found.begin - model_.gap().value());
        found.add(part::bandwidth, when.busy_until);
        if constexpr (std::same_as<Model, hockney_model>) {  // its processors are busy with whole messages
            if (graph_[i].kind == kind::send) {
                found.add(part::bandwidth, when.begin + std::min(model_.alpha_ps, when.busy_until - when.begin));
                found.add(part::latency, when.begin);
            }
        }
        found.add(work_part(graph_[i].kind), when.begin);
    }

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
    picoseconds completion_;
    vertex_order order_;
};

/// The type that finds the critical path of a run under a model.
template <class Model>
struct walk_under {
    using type = critical_walk<Model>;
};
template <class Model>
critical_record critical_record_of(const execution_graph& graph, const Model& model, const simulation& result) {
    return typename walk_under<Model>::type(graph, model, result).path();
}

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
/// to receive another message is preceded by that message's receive. With a link_queue_model, a message that waited for
/// a link is preceded by the send whose transfer occupied it. With a contention_model, a message that waited for its
/// receive is preceded by that receive. A rank without vertices is not in it, even if it
/// starts last and so determines the completion time. O(vertices) time per step of the path; with a link_queue_model
/// O(vertices + link uses); with a contention_model as the run. Empty if `result` has an error.
/// @param graph   graph of a schedule
/// @param model   model of the simulation
/// @param result  result of trace() for graph and model
template <class Model>
std::vector<simulation::critical_step> critical_path(const execution_graph& graph, const Model& model,
                                                     const simulation& result) {
    if (result.check()) return {};
    return detail::critical_record_of(graph, model, result).steps;
}

/// Returns the intervals of the critical path in the order of time: the first begins at 0, each other one at the end of
/// the one before, and the last ends at the completion. Time as critical_path(). Empty if `result` has an error.
/// @param graph   graph of a schedule
/// @param model   model of the simulation
/// @param result  result of trace() for graph and model
template <class Model>
std::vector<simulation::path_interval> path_intervals(const execution_graph& graph, const Model& model,
                                                      const simulation& result) {
    if (result.check()) return {};
    return detail::critical_record_of(graph, model, result).intervals;
}

/// The completion time as a sum over the critical path.
struct time_parts {
    static constexpr std::size_t count = 6;  ///< number of kinds of time
    std::array<picoseconds, count> sums{};   ///< per simulation::path_interval::part, in picoseconds
    std::int64_t messages = 0;               ///< number of messages on the path

    /// Returns the time of one kind, in picoseconds.
    /// @param use  kind of time
    picoseconds operator[](simulation::path_interval::part use) const { return sums[static_cast<std::size_t>(use)]; }
    /// Returns the completion time: the sum of all parts.
    picoseconds completion() const {
        picoseconds sum = 0;
        for (const picoseconds time : sums) sum += time;
        return sum;
    }
    bool operator==(const time_parts&) const = default;
};

/// Returns the sums of the intervals of a critical path.
/// @param intervals  result of path_intervals()
inline time_parts parts_of(std::span<const simulation::path_interval> intervals) {
    using part = simulation::path_interval::part;
    time_parts parts;
    std::int64_t last = -1;  // step of the last message
    for (const simulation::path_interval& interval : intervals) {
        parts.sums[static_cast<std::size_t>(interval.use)] += interval.end - interval.begin;
        const bool moves =
            interval.use == part::latency || interval.use == part::bandwidth || interval.use == part::contention;
        if (moves && std::exchange(last, interval.step) != interval.step) ++parts.messages;
    }
    return parts;
}

}}  // namespace collsched::COLLSCHED_ABI
