#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "collsched/core/checked.hpp"
#include "collsched/core/detail/mul_div.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/schedule/edge_views.hpp"
#include "collsched/simulate/detail/event_queue.hpp"
#include "collsched/simulate/detail/network_transfers.hpp"
#include "collsched/simulate/execution_graph.hpp"
#include "collsched/simulate/link_queue_model.hpp"
#include "collsched/simulate/simulate.hpp"
#include "collsched/simulate/simulation.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// One run of a graph whose messages wait for links. See simulate().
class link_queue_run {
    using kind = execution_graph::kind;

    static constexpr picoseconds never = std::numeric_limits<picoseconds>::max();

    /// A transfer leaves a link, or arrives at the vertex at its end. At one time all of these precede new transfers.
    struct event {
        picoseconds time;
        std::int64_t order;  // of events at one time
        std::int64_t transfer;
        bool arrives;

        bool operator<(const event& other) const {
            return time != other.time ? time < other.time : order < other.order;
        }
    };
    struct waiting {
        std::int64_t step, order, transfer;

        bool operator<(const waiting& other) const {
            return step != other.step ? step < other.step : order < other.order;
        }
    };
    struct link_state {
        event_queue<waiting> queue;
        picoseconds backlog = 0;  // time of the transfers that wait or are on the link
        bool busy = false;
    };

  public:
    link_queue_run(const execution_graph& graph, const link_queue_model& model, const network_transfers& transfers,
                   std::span<const picoseconds> start)
        : graph_(graph),
          model_(model),
          transfers_(transfers),
          links_(model.net.links().size()),
          at_(transfers.all().size()),
          left_(std::ssize(graph.nodes())),
          unsent_(left_.size()),
          unarrived_(left_.size()),
          finish_(graph.ranks()) {
        for (rank_t r = 0; r < graph.ranks(); ++r) finish_[r] = start.empty() ? 0 : start[static_cast<std::size_t>(r)];
        for (std::int64_t i = 0; i < left_.size(); ++i) {
            left_[i] = graph[i].waits_for + (graph[i].kind == kind::receive ? 2 : 1);
            if (graph[i].kind == kind::send) unsent_[i] = unarrived_[i] = transfers.count(i);
        }
        for (rank_t r = 0; r < graph.ranks(); ++r) push(finish_[r], -1 - r, false);
    }

    simulation run(picoseconds limit) {
        while (!events_.empty() && !overflowed_) {
            const picoseconds now = events_.next().time;
            if (now > limit) return run_beyond(limit);
            while (!events_.empty() && events_.next().time == now) {
                const event next = events_.take();
                if (next.transfer < 0) begin(-1 - next.transfer);
                else if (next.arrives) arrive(next.transfer);
                else leave(next.transfer, now);
                complete_ready(now);
            }
            start_transfers(now);
        }
        if (overflowed_) return too_long_a_run();
        if (completed_ < left_.size()) return endless_run(left_.size() - completed_);
        return result();
    }

  private:
    simulation result() const {
        simulation made;
        for (auto* times : {&made.finish, &made.cpu_busy, &made.out_busy, &made.in_busy})
            *times = owned_array<picoseconds>(graph_.ranks());
        for (rank_t r = 0; r < graph_.ranks(); ++r) {
            made.finish[r] = finish_[r];
            made.completion = std::max(made.completion, finish_[r]);
        }
        return made;
    }

    void push(picoseconds time, std::int64_t transfer, bool arrives) {
        events_.push({time, order_++, transfer, arrives});
    }
    picoseconds later(picoseconds time, picoseconds duration) {
        const checked sum = checked(time) + duration;
        overflowed_ = overflowed_ || !sum.ok() || sum.value() == never;
        return sum.ok() ? sum.value() : never;
    }

    /// Lets the vertices of a rank begin.
    void begin(rank_t r) {
        for (std::int64_t i = graph_.first(r); i < graph_.first(r + 1); ++i)
            if (--left_[i] == 0) start_or_complete(i);
    }
    /// Completes a vertex that waits for nothing, or begins it if it is a send.
    void start_or_complete(std::int64_t i) {
        if (graph_[i].kind != kind::send) return ready_.push_back(i);
        const std::int64_t end = transfers_.first(i) + transfers_.count(i);
        for (std::int64_t t = transfers_.first(i); t < end; ++t) enter(t);
    }
    void complete_ready(picoseconds now) {
        while (!ready_.empty()) {
            const std::int64_t i = ready_.back();
            ready_.pop_back();
            ++completed_;
            finish_[graph_[i].rank] = std::max(finish_[graph_[i].rank], now);
            for (const std::int64_t next : graph_.successors(i)) {
                if (--left_[next] == 0) start_or_complete(next);
            }
        }
    }

    const network_transfers::transfer& of(std::int64_t t) const {
        return transfers_.all()[static_cast<std::size_t>(t)];
    }
    std::int32_t& hop(std::int64_t t) { return at_[static_cast<std::size_t>(t)].hop; }
    std::int32_t& link(std::int64_t t) { return at_[static_cast<std::size_t>(t)].link; }

    /// Adds a transfer to the queue of the next link of its path; of parallel links, that where it would end first.
    void enter(std::int64_t t) {
        const std::span<const std::int32_t> choices = transfers_.links(t, hop(t));
        picoseconds least = never;
        for (const std::int32_t one : choices) {
            const picoseconds end = later(state(one).backlog, occupied(one, of(t).bytes));
            if (end >= least) continue;
            least = end;
            link(t) = one;
        }
        link_state& chosen = state(link(t));
        chosen.backlog = later(chosen.backlog, occupied(link(t), of(t).bytes));
        chosen.queue.push({of(t).step, order_++, t});
        if (!chosen.busy) idle_.push_back(link(t));
    }
    /// Starts the first transfer of every free link that got one.
    void start_transfers(picoseconds now) {
        for (std::size_t n = 0; n < idle_.size(); ++n) {
            link_state& free = state(idle_[n]);
            if (free.busy || free.queue.empty()) continue;
            free.busy = true;
            const std::int64_t first = free.queue.take().transfer;
            push(later(now, occupied(idle_[n], of(first).bytes)), first, false);
        }
        idle_.clear();
    }
    void leave(std::int64_t t, picoseconds now) {
        link_state& left = state(link(t));
        left.busy = false;
        left.backlog -= occupied(link(t), of(t).bytes);
        idle_.push_back(link(t));
        if (hop(t) == 0 && --unsent_[of(t).send] == 0) ready_.push_back(of(t).send);
        if (model_.latency_occupies || net_link(link(t)).latency == 0) arrive(t);
        else push(later(now, net_link(link(t)).latency), t, true);
    }
    void arrive(std::int64_t t) {
        if (++hop(t) < transfers_.hops(t)) return enter(t);
        if (--unarrived_[of(t).send] > 0) return;
        const std::int64_t receive = graph_[of(t).send].peer;
        if (--left_[receive] == 0) ready_.push_back(receive);
    }

    const topology::network::link& net_link(std::int32_t i) const {
        return model_.net.links()[static_cast<std::size_t>(i)];
    }
    link_state& state(std::int32_t i) { return links_[static_cast<std::size_t>(i)]; }
    /// Returns the time for which a link is occupied: bytes / bandwidth, rounded up.
    picoseconds occupied(std::int32_t i, bytes_t bytes) {
        constexpr std::int64_t second = 1'000'000'000'000;
        const topology::network::link& one = net_link(i);
        const checked whole = mul_div(bytes, second, one.bandwidth);
        const bool rest = whole.ok() && mul_div(whole.value(), one.bandwidth, second).value() < bytes;
        const checked time = whole + (rest ? 1 : 0) + (model_.latency_occupies ? one.latency : 0);
        overflowed_ = overflowed_ || !time.ok();
        return time.ok() ? time.value() : never;
    }

    struct position {
        std::int32_t hop = 0, link = 0;
    };

    const execution_graph& graph_;
    const link_queue_model& model_;
    const network_transfers& transfers_;
    std::vector<link_state> links_;
    std::vector<position> at_;        // per transfer
    owned_array<std::int64_t> left_;  // per vertex: the start of its rank, predecessors and messages that it waits for
    owned_array<std::int64_t> unsent_;  // per send: transfers that have not left the rank
    owned_array<std::int64_t> unarrived_;
    owned_array<picoseconds> finish_;  // per rank
    std::vector<std::int64_t> ready_;  // complete vertices whose successors have not been updated
    std::vector<std::int32_t> idle_;   // links that may start a transfer
    event_queue<event> events_;
    std::int64_t order_ = 0, completed_ = 0;
    bool overflowed_ = false;
};

}  // namespace detail

/// Runs a schedule on a network whose links carry one transfer at a time, deterministically. Interfaces and processors
/// are not modeled: cpu_busy, out_busy and in_busy are 0. O(n log n) for n transfers over single links.
/// @param x      schedule or algorithm
/// @param model  network, and paths of edges
/// @param when   start times, binding, pacing, staging and limit
/// @return times in picoseconds. Failure: an error of schedule, model or conditions; "path" for a path that is none of
///         the network, or for two ranks without a path.
template <schedulable X, std::same_as<link_queue_model> Model>
simulation simulate(const X& x, const Model& model, const simulation::conditions& when = {}) {
    const execution_graph graph(x, when.binding, when.paced, when.staging_limit);
    simulation none;
    none.error = detail::check_run(graph, model, when.start);
    if (none.error) return none;
    const detail::network_transfers transfers(x, graph, model, when.binding);
    none.error = refuse_if(transfers.check());
    return none.error ? none : detail::link_queue_run(graph, model, transfers, when.start).run(when.limit);
}

}}  // namespace collsched::COLLSCHED_ABI
