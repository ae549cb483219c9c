#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

#include "collsched/core/checked.hpp"
#include "collsched/core/config.hpp"
#include "collsched/simulate/contention_model.hpp"
#include "collsched/simulate/detail/fair_rates.hpp"
#include "collsched/simulate/execution_graph.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The routes of all pairs of ranks that exchange messages, with their latencies, weights and largest rates.
class message_routes {
  public:
    struct route {
        fair_rates::path path;
        picoseconds latency = 0;
    };

    message_routes(const execution_graph& graph, const contention_model& model)
        : model_(model), net_(model.rank_network()), routes_(static_cast<std::size_t>(graph.pairs())) {
        std::vector<double> delays(routes_.size());
        for (const execution_graph::node& n : graph.nodes()) {
            const auto pair = static_cast<std::size_t>(n.pair);
            if (n.kind != execution_graph::kind::send || !routes_[pair].path.links.empty()) continue;
            find(n.rank, graph[n.peer].rank, routes_[pair]);
            delays[pair] = delay_of(routes_[pair]);
        }
        if (model.latency_weighted != 0) weigh(delays);
    }

    /// Returns the network of the ranks.
    const contention_model::network& net() const { return net_; }
    const route& operator[](std::int64_t pair) const { return routes_[static_cast<std::size_t>(pair)]; }

    /// Returns the time in picoseconds that a message of `bytes` bytes takes before its bytes flow.
    checked latency(const route& on, bytes_t bytes) const {
        constexpr std::int64_t unit_ppm = 1'000'000;
        const std::int64_t factor = model_.factor(bytes).latency_ppm;
        return checked(on.latency / unit_ppm) * factor + on.latency % unit_ppm * factor / unit_ppm;
    }

  private:
    void find(rank_t from, rank_t to, route& found) const {
        found.path.links = net_.route(from, to);
        if (model_.reverse_permille > 0) found.path.back = net_.route(to, from);
        found.latency = net_.cost(found.path.links).latency_ps;
        constexpr picoseconds longest = std::numeric_limits<picoseconds>::max() / 2;
        if (model_.window_bytes > 0 && found.latency > 0)
            found.path.limit = fair_shares::window_limit(model_.window_bytes, 2 * std::min(found.latency, longest));
    }
    /// Returns the delay in picoseconds to which the share of a message is inversely proportional.
    double delay_of(const route& on) const {
        auto delay = static_cast<double>(on.latency);
        for (const std::int32_t link : on.path.links)
            delay += static_cast<double>(model_.share_bytes) * static_cast<double>(net_[link].cost.byte_fs) / 1000;
        return delay;
    }
    void weigh(const std::vector<double>& delays) {
        constexpr std::int64_t heaviest = 1 << 26;
        double least = 0;
        for (const double delay : delays)
            if (delay > 0 && (least <= 0 || delay < least)) least = delay;
        for (std::size_t i = 0; i < routes_.size(); ++i) {
            const double part = delays[i] > 0 ? least / delays[i] : 1;
            const auto weight = static_cast<std::int64_t>(part * static_cast<double>(heaviest));
            routes_[i].path.weight = std::max<std::int64_t>(1, weight);
        }
    }

    const contention_model& model_;
    contention_model::network net_;
    std::vector<route> routes_;
};

/// The work of one rank in a simulated run, in the order in which an execution goes through it over mpi_transport:
/// sends and receives that are ready start in turns, a send first; then local work; then one request that is complete is
/// taken. Vertices are those of an execution_graph.
class message_queues {
  public:
    static constexpr std::int64_t nothing = -1;

    void add_send(std::int64_t i) { sends_.push_back(i); }
    void add_receive(std::int64_t i) { receives_.push_back(i); }
    void add_local(std::int64_t i) { local_.push_back(i); }

    /// Begins new turns with a send.
    void restart_turns() { send_next_ = true; }
    /// Removes and returns the next send or receive that may start, or nothing.
    std::int64_t take_message() {
        const std::int64_t i = take(send_next_ ? sends_ : receives_);
        const std::int64_t message = i != nothing ? i : take(send_next_ ? receives_ : sends_);
        send_next_ = send_next_ != (message != nothing);
        return message;
    }
    /// Removes and returns the next local work, or nothing.
    std::int64_t take_local() {
        const std::int64_t i = take(local_);
        send_next_ = send_next_ != (i != nothing);
        return i;
    }

    /// Adds a message that is in flight; `buffered` if it is a send that is complete already.
    void add_request(std::int64_t i, bool buffered) {
        requests_.push_back({i, buffered});
        buffered_ += buffered ? 1 : 0;
    }
    /// Removes and returns a request that is complete, or nothing: the first buffered send, else the first one for which
    /// is_complete(i) is true. The last request takes its position, as in mpi_transport. O(requests).
    template <class F>
    std::int64_t take_complete(F is_complete) {
        const auto found = std::find_if(requests_.begin(), requests_.end(), [&](const request& r) {
            return buffered_ > 0 ? r.buffered : is_complete(r.vertex);
        });
        if (found == requests_.end()) return nothing;
        const request match = *found;
        buffered_ -= match.buffered ? 1 : 0;
        *found = requests_.back();
        requests_.pop_back();
        return match.vertex;
    }

  private:
    struct request {
        std::int64_t vertex;
        bool buffered;
    };

    static std::int64_t take(std::deque<std::int64_t>& list) {
        if (list.empty()) return nothing;
        const std::int64_t first = list.front();
        list.pop_front();
        return first;
    }

    std::deque<std::int64_t> sends_, receives_, local_;  // ready work, in the order in which it became ready
    std::vector<request> requests_;
    std::int64_t buffered_ = 0;  // number of requests that are buffered sends
    bool send_next_ = true;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
