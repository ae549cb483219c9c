#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "collsched/core/owned_array.hpp"
#include "collsched/simulate/contention_model.hpp"
#include "collsched/simulate/contention_run.hpp"
#include "collsched/simulate/detail/fair_rates.hpp"
#include "collsched/simulate/detail/fair_shares.hpp"
#include "collsched/simulate/detail/message_routes.hpp"
#include "collsched/simulate/execution_graph.hpp"
#include "collsched/simulate/simulation.hpp"
#include "collsched/simulate/trace.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// The messages of a run whose messages share links: when each departs, and when its bytes pass the links.
class shared_flows {
    using kind = execution_graph::kind;

  public:
    /// Refers to all arguments.
    shared_flows(const execution_graph& graph, const contention_model& model,
                 const owned_array<simulation::activity>& times)
        : graph_(graph), model_(model), times_(times), unshared_(routes_.net(), model.reverse_permille) {
        for (std::int64_t pair = 0; pair < graph.pairs(); ++pair) unshared_.add(routes_[pair].path);
    }

    const link_route& route(std::int64_t send) const { return routes_[graph_[send].pair].path.links; }
    picoseconds arrival(std::int64_t send) const { return times_[graph_[send].peer].arrival; }
    /// Returns when a message departs: when it is sent, or when its receive is posted.
    picoseconds departure(std::int64_t send) const {
        const picoseconds sent = times_[send].busy_until;
        return model_.is_eager(graph_[send].bytes) ? sent : std::max(sent, times_[graph_[send].peer].posted);
    }
    /// Returns when the first byte of a message passes the links.
    picoseconds flow_begin(std::int64_t send) const {
        const execution_graph::node& n = graph_[send];
        return departure(send) + routes_.latency(routes_[n.pair], n.bytes).value();
    }
    bool flows(std::int64_t send) const {
        return graph_[send].bytes + model_.envelope_bytes > 0 && !route(send).empty();
    }
    /// Returns the time in picoseconds that the bytes of a message would take without other messages.
    picoseconds time_alone(std::int64_t send) {
        const execution_graph::node& n = graph_[send];
        unshared_.begin(send, n.pair, n.bytes + model_.envelope_bytes, 0, model_.factor(n.bytes).bandwidth_ppm);
        const picoseconds time = unshared_.next();
        unshared_.end(time, [](std::int64_t) {});
        return time;
    }
    /// Returns the link that limits each of these messages for the longest time; -1: none does. O(the run).
    std::map<std::int64_t, std::int64_t> longest_limits(std::span<const std::int64_t> sends) const;

  private:
    const execution_graph& graph_;
    const contention_model& model_;
    const owned_array<simulation::activity>& times_;
    message_routes routes_{graph_, model_};
    fair_rates unshared_;
};

inline std::map<std::int64_t, std::int64_t> shared_flows::longest_limits(std::span<const std::int64_t> sends) const {
    fair_shares shares(routes_.net(), model_.reverse_permille);
    for (std::int64_t pair = 0; pair < graph_.pairs(); ++pair) shares.add(routes_[pair].path);
    std::vector<std::tuple<picoseconds, int, std::int64_t>> changes;  // time, end or begin, and send
    for (std::int64_t i = 0; i < std::ssize(graph_.nodes()); ++i)
        if (graph_[i].kind == kind::send && flows(i) && flow_begin(i) < arrival(i)) {
            changes.emplace_back(flow_begin(i), 1, i);
            changes.emplace_back(arrival(i), -1, i);
        }
    std::ranges::sort(changes);
    std::vector<std::int64_t> counts(static_cast<std::size_t>(graph_.pairs()));
    std::map<std::int64_t, std::map<std::int64_t, picoseconds>> held;  // per message: the times of its limits
    std::vector<std::int64_t> active;
    picoseconds now = 0;
    for (std::size_t k = 0; k < changes.size();) {
        for (const std::int64_t send : active)
            held[send][shares.bottleneck(graph_[send].pair)] += std::get<0>(changes[k]) - now;
        now = std::get<0>(changes[k]);
        for (; k < changes.size() && std::get<0>(changes[k]) == now; ++k) {
            const auto [time, change, send] = changes[k];
            std::int64_t& count = counts[static_cast<std::size_t>(graph_[send].pair)];
            shares.set_flows(graph_[send].pair, count += change);
            if (change < 0) std::erase(active, send);
            else if (std::ranges::binary_search(sends, send)) active.push_back(send);
        }
        shares.update([](std::int64_t, std::int64_t) {});
    }
    std::map<std::int64_t, std::int64_t> found;
    for (const auto& [send, limits] : held)
        found[send] = std::ranges::max_element(limits, {}, [](const auto& limit) { return limit.second; })->first;
    return found;
}

/// Follows the critical path of a run whose messages share links from the last vertex to the first: from a message to
/// its send, or to its receive if the message waited for that, and from work to the work that its processor did before.
class contention_walk {
    using kind = execution_graph::kind;
    using delay = simulation::critical_step::delay;
    using part = critical_record::part;
    static constexpr std::int64_t none = -1;

    /// The event of a vertex that the path comes from: its completion, the end of its work on the processor, the arrival
    /// of a message, or the post of a receive.
    enum class stage : std::uint8_t { completion, work, arrival, post };
    struct place {
        std::int64_t node;
        contention_walk::stage stage;
    };

  public:
    /// O(n log n) for n vertices. Refers to all arguments.
    contention_walk(const execution_graph& graph, const contention_model& model, const simulation& result)
        : graph_(graph), model_(model), times_(result.activities), completion_(result.completion) {
        for (std::int64_t i = 0; i < times_.size(); ++i)
            if (times_[i].busy_until > times_[i].begin) works_.emplace_back(graph[i].rank, times_[i].busy_until, i);
        std::ranges::sort(works_);
    }

    critical_record path() {
        const std::int64_t last = order_.last();
        found_.start(completion_, last == none ? 0 : times_[last].end);
        for (place at{last, stage::completion}; at.node != none;) at = before(at);
        found_.finish();
        name_limits();
        return std::move(found_);
    }

  private:
    place before(const place& at) {
        switch (at.stage) {
            case stage::completion: return before_completion(at.node);
            case stage::work: return before_work(at.node);
            case stage::arrival: return before_arrival(at.node);
            case stage::post: break;
        }
        return before_ready(at.node, times_[at.node].posted);
    }
    place before_completion(std::int64_t i) {
        const simulation::activity& when = times_[i];
        if (graph_[i].kind != kind::send || when.end == when.busy_until) return {i, stage::work};
        if (model_.is_synchronous(graph_[i].bytes) && flows_.arrival(i) == when.end) return {i, stage::arrival};
        return after_work(i, when.end);
    }
    place before_work(std::int64_t i) {
        const simulation::activity& when = times_[i];
        found_.add(work_part(graph_[i].kind), when.begin);
        if (graph_[i].kind != kind::receive) return before_ready(i, when.begin);
        if (when.arrival == when.begin) {
            found_.steps.push_back({i, delay::message});
            return {graph_[i].peer, stage::arrival};
        }
        return when.posted == when.begin ? before_ready(i, when.begin) : after_work(i, when.begin);
    }
    place before_arrival(std::int64_t send) {
        const picoseconds departure = flows_.departure(send);
        if (flows_.flows(send)) {
            const picoseconds begin = flows_.flow_begin(send), unshared = flows_.time_alone(send);
            found_.add(part::contention, begin + std::min(unshared, flows_.arrival(send) - begin));
            found_.add(part::bandwidth, begin);
            on_path_.push_back(send);
        }
        found_.add(part::latency, departure);
        if (departure == times_[send].busy_until) return {send, stage::work};
        found_.steps.push_back({send, delay::post});
        return {graph_[send].peer, stage::post};
    }
    /// Returns the event before a vertex that its processor took at a time: the completion of its last predecessor, or
    /// other work.
    place before_ready(std::int64_t i, picoseconds time) {
        const std::int64_t predecessor = order_.last_before(i);
        if (predecessor != none && times_[predecessor].end == time) {
            order_.add_step(found_.steps, i, delay::order);
            return {predecessor, stage::completion};
        }
        return after_work(i, time);
    }
    /// Returns the work of a processor that ends at a time; none at its start.
    place after_work(std::int64_t i, picoseconds time) {
        const auto work = std::ranges::lower_bound(works_, std::tuple(graph_[i].rank, time, std::int64_t{0}));
        const bool starts = work == works_.end() || std::get<0>(*work) != graph_[i].rank || std::get<1>(*work) != time;
        order_.add_step(found_.steps, i, starts ? delay::start : delay::processor);
        return {starts ? none : std::get<2>(*work), stage::work};
    }
    /// Sets the links that limit the messages on the path.
    void name_limits() {
        std::ranges::sort(on_path_);
        const std::map<std::int64_t, std::int64_t> limits = flows_.longest_limits(on_path_);
        for (simulation::path_interval& interval : found_.intervals) {
            if (interval.use != part::bandwidth && interval.use != part::contention) continue;
            const auto limit = limits.find(found_.steps[static_cast<std::size_t>(interval.step)].node);
            if (limit != limits.end()) interval.link = limit->second;
        }
    }

    const execution_graph& graph_;
    const contention_model& model_;
    const owned_array<simulation::activity>& times_;
    picoseconds completion_;
    vertex_order order_{graph_, times_};
    shared_flows flows_{graph_, model_, times_};
    std::vector<std::tuple<rank_t, picoseconds, std::int64_t>> works_;  // rank, end and vertex
    std::vector<std::int64_t> on_path_;                                 // sends whose bytes pass links
    critical_record found_;
};

template <>
struct walk_under<contention_model> {
    using type = contention_walk;
};

}  // namespace detail

/// Runs a graph as simulate() does, and records the times of every vertex.
/// @param graph  graph of a schedule
/// @param model  network, placement and costs of local work
/// @param start  start time of each rank in picoseconds, 0 or more; empty: all 0
/// @return times in picoseconds, with activities. Failure: an error of graph, model or start times.
inline simulation trace(const execution_graph& graph, const contention_model& model,
                        std::span<const picoseconds> start = {}) {
    return detail::traced<detail::contention_run<detail::activity_log>>(graph, model, start);
}

/// Returns the time that the bytes of all messages take on each link at its full bandwidth, in picoseconds, without
/// acknowledgements.
/// @param graph  graph of a schedule
/// @param model  model of the simulation
inline owned_array<picoseconds> link_times(const execution_graph& graph, const contention_model& model,
                                           const simulation&) {
    const detail::message_routes routes(graph, model);
    owned_array<picoseconds> times(std::ssize(routes.net().links()));
    for (const execution_graph::node& n : graph.nodes()) {
        if (n.kind != execution_graph::kind::send) continue;
        const auto inflated = static_cast<double>(n.bytes + model.envelope_bytes) * 1e6 /
                              static_cast<double>(model.factor(n.bytes).bandwidth_ppm);
        for (const std::int32_t link : routes[n.pair].path.links)
            times[link] +=
                static_cast<picoseconds>(inflated * static_cast<double>(routes.net()[link].cost.byte_fs) / 1000);
    }
    return times;
}

}}  // namespace collsched::COLLSCHED_ABI
