#pragma once

#include <compare>
#include <cstdint>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/detail/gap_array.hpp"
#include "collsched/core/detail/heap.hpp"
#include "collsched/core/fraction.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/topology/network.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace trees { namespace detail {

/// Times of one chunk on a link, in picoseconds.
struct link_time {
    std::int64_t held = 1;   ///< until the link is free again
    std::int64_t total = 1;  ///< until all of the chunk has arrived; `held` or more
};

/// Returns ceil(bytes / bandwidth) in picoseconds.
constexpr checked transmission_time(std::int64_t bytes, std::int64_t bandwidth) {
    constexpr std::int64_t second = 1'000'000'000'000;
    const checked floor = collsched::detail::mul_div(bytes, second, bandwidth);
    if (!floor.ok()) return floor;
    // The difference of the products is less than bandwidth, so that it is right modulo 2^64.
    const auto product = [](std::int64_t a, std::int64_t b) {
        return static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b);
    };
    return floor + (product(bytes, second) == product(floor.value(), bandwidth) ? 0 : 1);
}

/// The times of all links, and an error if they are too long for the sum of the times of `transfers` paths.
struct link_times {
    owned_array<link_time> of;
    argument_error error;

    /// @pre no error in net.check(), and bytes >= 1
    constexpr link_times(const topology::network& net, std::int64_t bytes, bool latency_holds, std::int64_t transfers)
        : of(static_cast<std::int64_t>(net.links().size())) {
        const std::int64_t most = (INT64_MAX >> 1) / (transfers + 1) / (net.switches() + 1);
        std::int64_t next = 0;
        for (const topology::network::link& link : net.links()) {
            const checked sent = transmission_time(bytes, link.bandwidth), total = sent + link.latency;
            if (!total.ok() || total.value() > most) {
                error = {"bytes", bytes, "times of all transfers, with latencies, of less than 2^62 ps together"};
                return;
            }
            of[next++] = {latency_holds ? total.value() : sent.value(), total.value()};
        }
    }
};

/// Returns the number of chunks that a link can bring within a time.
constexpr std::int64_t chunks_within(const link_time& link, std::int64_t time) {
    return time < link.total ? 0 : (time - link.total) / link.held + 1;
}

/// Returns the least time within which the links into each rank can bring `chunks` chunks. No allgather is faster. INT64_MAX
/// if a rank has no links. O(links log time).
/// @pre no error in the times
constexpr std::int64_t ingress_bound(const topology::network& net, const owned_array<link_time>& times,
                                     std::int64_t chunks) {
    owned_array<std::int64_t> lacking(net.ranks());
    const auto suffices = [&](std::int64_t time) {
        for (std::int64_t& count : lacking) count = chunks;
        std::int64_t i = 0;
        for (const topology::network::link& link : net.links()) {
            const std::int64_t brought = chunks_within(times[i++], time);
            if (link.to >= net.ranks()) continue;
            lacking[link.to] = brought < lacking[link.to] ? lacking[link.to] - brought : 0;
        }
        for (const std::int64_t count : lacking)
            if (count > 0) return false;
        return true;
    };
    std::int64_t low = -1, high = INT64_MAX;
    while (high - 1 > low) {
        const std::int64_t middle = low < 0 ? high / 2 : low + (high - low) / 2;
        (suffices(middle) ? high : low) = middle;
    }
    return high;
}

/// A way of a chunk from one rank to another, which begins now and does not wait at switches.
struct switch_path {
    rank_t from{};
    std::int64_t first_link{}, end_link{};  ///< its links are net_[first_link] .. net_[end_link - 1]
    std::int64_t arrival{};
    std::int64_t next = -1;  ///< another path to the same rank
};

/// Finds the paths between ranks, with only switches between, whose links are free when the chunk reaches them.
class switch_paths {
  public:
    constexpr switch_paths(const topology::network& net, const owned_array<link_time>& times)
        : net_(net), times_(times) {
        for (const topology::network::link& link : net.links()) ++first_[link.from + 1];
        for (rank_t v = 0; v < net.vertices(); ++v) first_[v + 1] += first_[v];
        owned_array<std::int64_t> next = first_;
        for (std::int64_t i = 0; i < times.size(); ++i) out_[next[net_[i].from]++] = i;
        for (std::int64_t& time : reached_) time = INT64_MAX;
    }

    /// Finds, from each rank, the path of earliest arrival to each rank that it reaches through switches. O(ranks links log links) at
    /// most.
    constexpr void search(std::int64_t now) {
        paths_.clear(), links_.clear();
        wake = INT64_MAX;
        for (std::int64_t& head : head_) head = -1;
        for (rank_t r = 0; r < net_.ranks(); ++r) search_from(r, now);
    }
    /// Calls f(path) for the paths to a rank that the last search has found.
    constexpr void visit(rank_t to, auto f) const {
        for (std::int64_t i = head_[to]; i >= 0; i = paths_[i].next) f(paths_[i], i);
    }
    constexpr const switch_path& operator[](std::int64_t path) const { return paths_[path]; }
    /// Returns whether the links of a path are still free.
    constexpr bool usable(const switch_path& path, std::int64_t now) const {
        for (std::int64_t i = path.first_link; i < path.end_link; now += times_[links_[i++]].total)
            if (free_[links_[i]] > now) return false;
        return true;
    }
    /// Occupies the links of a path, and calls f(link, begin) for each.
    constexpr void occupy(const switch_path& path, std::int64_t now, auto f) {
        for (std::int64_t i = path.first_link; i < path.end_link; now += times_[links_[i++]].total) {
            free_[links_[i]] = now + times_[links_[i]].held;
            f(links_[i], now);
        }
    }
    constexpr std::int64_t last_link(const switch_path& path) const { return links_[path.end_link - 1]; }
    /// Returns the time from which a link is free.
    constexpr std::int64_t free_from(std::int64_t i) const { return free_[i]; }

    std::int64_t wake = INT64_MAX;  ///< the first time at which a path may begin whose later links were not free

  private:
    struct visit_time {
        std::int64_t time{};
        rank_t vertex{};
        auto operator<=>(const visit_time&) const = default;
    };
    constexpr void search_from(rank_t root, std::int64_t now) {
        reached_[root] = now;
        touched_.clear();
        touched_.push_back(root);
        for (queue_.push({now, root}); !queue_.empty();) {
            const visit_time at = queue_.take();
            if (at.time > reached_[at.vertex]) continue;
            if (at.vertex == root || net_.is_switch(at.vertex)) leave(at, now);
            if (at.vertex != root && !net_.is_switch(at.vertex)) add_path(root, at);
        }
        for (std::int64_t i = 0; i < touched_.size(); ++i) reached_[touched_[i]] = INT64_MAX;
    }
    constexpr void leave(const visit_time& at, std::int64_t now) {
        for (std::int64_t k = first_[at.vertex]; k < first_[at.vertex + 1]; ++k) {
            const std::int64_t i = out_[k], arrival = at.time + times_[i].total, late = free_[i] - at.time;
            const rank_t to = net_[i].to;
            if (late > 0) wake = now + late < wake ? now + late : wake;
            if (late > 0 || arrival >= reached_[to]) continue;
            if (reached_[to] == INT64_MAX) touched_.push_back(to);
            reached_[to] = arrival;
            via_[to] = i;
            queue_.push({arrival, to});
        }
    }
    constexpr void add_path(rank_t root, const visit_time& at) {
        std::int64_t hops = 0;
        for (rank_t v = at.vertex; v != root; v = net_[via_[v]].from) ++hops;
        const std::int64_t first = links_.size();
        for (std::int64_t i = 0; i < hops; ++i) links_.push_back(0);
        for (rank_t v = at.vertex; v != root; v = net_[via_[v]].from) links_[first + --hops] = via_[v];
        paths_.push_back({root, first, links_.size(), at.time, head_[at.vertex]});
        head_[at.vertex] = paths_.size() - 1;
    }

    const topology::network& net_;
    const owned_array<link_time>& times_;
    owned_array<std::int64_t> free_{times_.size()};  // per link: the time from which it is free
    owned_array<std::int64_t> first_{net_.vertices() + 1},
        out_{times_.size()};  // the links out of vertex v are out_[first_[v]] .. out_[first_[v+1] - 1]
    owned_array<std::int64_t> head_{net_.ranks()};        // per rank: its first path, or -1
    owned_array<std::int64_t> reached_{net_.vertices()};  // per vertex: arrival in the search from one rank
    owned_array<std::int64_t> via_{net_.vertices()};      // per vertex: the link by which the search arrived
    collsched::detail::gap_array<rank_t> touched_;
    collsched::detail::gap_array<switch_path> paths_;
    collsched::detail::gap_array<std::int64_t> links_;
    collsched::detail::heap<visit_time> queue_;
};

}}}}  // namespace collsched::COLLSCHED_ABI::trees::detail
