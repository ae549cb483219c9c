#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "collsched/core/checked.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/schedule/edge_views.hpp"
#include "collsched/core/detail/heap.hpp"
#include "collsched/simulate/link_queue_model.hpp"
#include "collsched/simulate/execution_graph.hpp"
#include "collsched/simulate/simulate.hpp"
#include "collsched/simulate/simulation.hpp"
#include "collsched/tree/detail/switch_paths.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// An observer that records nothing.
struct no_link_log : no_watch {
    void used(const simulation::link_use&) {}
};

/// One run of a graph whose messages wait for links. See simulate().
template <class Watch = no_link_log>
class link_queue_run : run_times {
    using kind = execution_graph::kind;

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
    struct position {
        std::int32_t hop = 0, link = 0;
        picoseconds occupied = 0;  // time of the transfer on the link
    };
    struct link_state {
        heap<waiting> queue;
        picoseconds backlog = 0;  // time of the transfers that wait or are on the link
        bool busy = false;
    };

  public:
    link_queue_run(const execution_graph& graph, const link_queue_model& model, const network_transfers& transfers,
                   std::span<const picoseconds> start, Watch watch = {})
        : run_times(graph.ranks(), start),
          watch_(watch),
          graph_(graph),
          model_(model),
          transfers_(transfers),
          links_(model.net.links().size()),
          at_(transfers.all().size()) {
        for (rank_t r = 0; r < graph.ranks(); ++r)
            result_.finish[r] = start.empty() ? 0 : start[static_cast<std::size_t>(r)];
        for (std::int64_t i = 0; i < pending_.size(); ++i) {
            pending_[i] = graph[i].waits_for + (graph[i].kind == kind::receive ? 2 : 1);
            if (graph[i].kind == kind::send) unsent_[i] = unarrived_[i] = transfers.count(i);
        }
        for (rank_t r = 0; r < graph.ranks(); ++r) push(result_.finish[r], -1 - r, false);
    }

    simulation run(picoseconds limit, const std::function<bool()>& is_over) {
        for (std::int64_t count = 0; !events_.empty() && !overflowed_; ++count) {
            if (count % 256 == 0 && is_over && is_over()) return interrupted_run();
            const picoseconds now = events_.top().time;
            if (now > limit) return run_beyond(limit);
            while (!events_.empty() && events_.top().time == now) {
                const event next = events_.take();
                if (next.transfer < 0) begin(-1 - next.transfer, now);
                else if (next.arrives) arrive(next.transfer, now);
                else leave(next.transfer, now);
                complete_ready(now);
            }
            start_transfers(now);
        }
        return ended(pending_.size());
    }

  private:
    void push(picoseconds time, std::int64_t transfer, bool arrives) {
        events_.push({time, order_++, transfer, arrives});
    }

    /// Lets the vertices of a rank begin.
    void begin(rank_t r, picoseconds now) {
        for (std::int64_t i = graph_.first(r); i < graph_.first(r + 1); ++i)
            if (--pending_[i] == 0) start_or_complete(i, now);
    }
    /// Completes a vertex that waits for nothing, or begins it if it is a send.
    void start_or_complete(std::int64_t i, picoseconds now) {
        watch_.ready(i, now);
        if (graph_[i].kind != kind::send) return ready_.push_back(i);
        const std::int64_t end = transfers_.first(i) + transfers_.count(i);
        for (std::int64_t t = transfers_.first(i); t < end; ++t) enter(t);
    }
    void complete_ready(picoseconds now) {
        while (!ready_.empty()) {
            const std::int64_t i = ready_.back();
            ready_.pop_back();
            ++completed_;
            watch_.done(i, now);
            picoseconds& finish = result_.finish[graph_[i].rank];
            finish = std::max(finish, now);
            for (const std::int64_t next : graph_.successors(i)) {
                if (--pending_[next] == 0) start_or_complete(next, now);
            }
        }
    }

    const network_transfers::transfer& of(std::int64_t t) const {
        return transfers_.all()[static_cast<std::size_t>(t)];
    }
    position& at(std::int64_t t) { return at_[static_cast<std::size_t>(t)]; }

    /// Adds a transfer to the queue of the next link of its path; of parallel links, that where it would end first.
    void enter(std::int64_t t) {
        position& place = at(t);
        const network_transfers::transfer& moved = of(t);
        picoseconds least = infinity;
        for (const std::int32_t link : transfers_.links(t, place.hop)) {
            const picoseconds time = occupied(link, moved.bytes), end = later(state(link).backlog, time);
            if (end >= least) continue;
            least = end;
            place.link = link;
            place.occupied = time;
        }
        link_state& chosen = state(place.link);
        chosen.backlog = least;
        chosen.queue.push({moved.step, order_++, t});
        if (!chosen.busy) idle_.push_back(place.link);
    }
    /// Starts the first transfer of every free link that got one.
    void start_transfers(picoseconds now) {
        for (std::size_t n = 0; n < idle_.size(); ++n) {
            link_state& free = state(idle_[n]);
            if (free.busy || free.queue.empty()) continue;
            free.busy = true;
            const std::int64_t first = free.queue.take().transfer;
            const picoseconds end = later(now, at(first).occupied);
            watch_.used({idle_[n], of(first).send, first, of(first).bytes, now, end});
            push(end, first, false);
        }
        idle_.clear();
    }
    void leave(std::int64_t t, picoseconds now) {
        const position& place = at(t);
        link_state& link = state(place.link);
        link.busy = false;
        link.backlog -= place.occupied;
        idle_.push_back(place.link);
        if (place.hop == 0 && --unsent_[of(t).send] == 0) ready_.push_back(of(t).send);
        const picoseconds latency = model_.net[place.link].latency;
        if (model_.latency_occupies || latency == 0) arrive(t, now);
        else push(later(now, latency), t, true);
    }
    void arrive(std::int64_t t, picoseconds now) {
        if (++at(t).hop < transfers_.hops(t)) return enter(t);
        if (--unarrived_[of(t).send] > 0) return;
        const std::int64_t receive = graph_[of(t).send].peer;
        if (--pending_[receive] == 0) start_or_complete(receive, now);
        watch_.arrived(receive, now);
    }

    link_state& state(std::int32_t i) { return links_[static_cast<std::size_t>(i)]; }
    /// Returns the time for which a link is occupied: bytes / bandwidth, rounded up.
    picoseconds occupied(std::int32_t i, bytes_t bytes) {
        const topology::network::link& link = model_.net[i];
        const checked time =
            trees::detail::transmission_time(bytes, link.bandwidth) + (model_.latency_occupies ? link.latency : 0);
        overflowed_ = overflowed_ || !time.ok();
        return time.ok() ? time.value() : infinity;
    }

    [[no_unique_address]] Watch watch_;
    const execution_graph& graph_;
    const link_queue_model& model_;
    const network_transfers& transfers_;
    std::vector<link_state> links_;
    std::vector<position> at_;  // per transfer
    owned_array<std::int64_t> pending_{
        std::ssize(graph_.nodes())};  // per vertex: start of its rank, predecessors and messages that it waits for
    owned_array<std::int64_t> unsent_{pending_.size()};  // per send: transfers that have not left the rank
    owned_array<std::int64_t> unarrived_{pending_.size()};
    std::vector<std::int64_t> ready_;  // complete vertices whose successors have not been updated
    std::vector<std::int32_t> idle_;   // links that may start a transfer
    heap<event> events_;
    std::int64_t order_ = 0;
};

/// Runs a graph, or returns the error of its arguments.
template <schedulable X, class Watch>
simulation run_on_links(const X& x, const execution_graph& graph, const link_queue_model& model,
                        const simulation::conditions& when, const Watch& watch) {
    simulation none;
    none.error = check_run(graph, model, when.start);
    if (none.error) return none;
    const network_transfers transfers(x, graph, model, when.binding);
    none.error = refuse_if(transfers.check());
    return none.error ? none
                      : link_queue_run<Watch>(graph, model, transfers, when.start, watch).run(when.limit, when.is_over);
}

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
    return detail::run_on_links(x, graph, model, when, detail::no_link_log());
}

}}  // namespace collsched::COLLSCHED_ABI
