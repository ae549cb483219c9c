#pragma once

#include <cstdint>

#include "collsched/core/detail/gap_array.hpp"
#include "collsched/core/detail/heap.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/topology/network.hpp"
#include "collsched/tree/detail/link_times.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace trees::detail {

/// A way of a chunk from one rank to another, which begins now and does not wait at switches.
struct switch_path {
    rank_t from{};
    std::int64_t first_link{}, end_link{};  ///< its links are link(first_link) .. link(end_link - 1)
    std::int64_t arrival{};
    std::int64_t next = -1;  ///< another path to the same rank
};

/// Finds the paths between ranks, with only switches between, whose links are free when the chunk reaches them.
class switch_paths {
  public:
    constexpr switch_paths(const topology::network& net, const owned_array<link_time>& times)
        : net_(net),
          times_(times),
          free_(times.size()),
          first_(net.vertices() + 1),
          out_(times.size()),
          head_(net.ranks()),
          reached_(net.vertices()),
          via_(net.vertices()) {
        for (const topology::network::link& link : net.links()) ++first_[link.from + 1];
        for (rank_t v = 0; v < net.vertices(); ++v) first_[v + 1] += first_[v];
        owned_array<std::int64_t> next = first_;
        for (std::int64_t i = 0; i < times.size(); ++i) out_[next[link(i).from]++] = i;
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
        constexpr bool operator<(const visit_time& other) const {
            return time != other.time ? time < other.time : vertex < other.vertex;
        }
    };
    constexpr const topology::network::link& link(std::int64_t i) const {
        return net_.links()[static_cast<std::size_t>(i)];
    }

    constexpr void search_from(rank_t root, std::int64_t now) {
        reached_[root] = now;
        touched_.clear();
        touched_.push_back(root);
        for (queue_.push({now, root}); !queue_.empty();) {
            const visit_time at = queue_.top();
            queue_.pop();
            if (at.time > reached_[at.vertex]) continue;
            if (at.vertex == root || net_.is_switch(at.vertex)) leave(at, now);
            if (at.vertex != root && !net_.is_switch(at.vertex)) add_path(root, at);
        }
        for (std::int64_t i = 0; i < touched_.size(); ++i) reached_[touched_[i]] = INT64_MAX;
    }
    constexpr void leave(const visit_time& at, std::int64_t now) {
        for (std::int64_t k = first_[at.vertex]; k < first_[at.vertex + 1]; ++k) {
            const std::int64_t i = out_[k], arrival = at.time + times_[i].total, late = free_[i] - at.time;
            const rank_t to = link(i).to;
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
        for (rank_t v = at.vertex; v != root; v = link(via_[v]).from) ++hops;
        const std::int64_t first = links_.size();
        for (std::int64_t i = 0; i < hops; ++i) links_.push_back(0);
        for (rank_t v = at.vertex; v != root; v = link(via_[v]).from) links_[first + --hops] = via_[v];
        paths_.push_back({root, first, links_.size(), at.time, head_[at.vertex]});
        head_[at.vertex] = paths_.size() - 1;
    }

    const topology::network& net_;
    const owned_array<link_time>& times_;
    owned_array<std::int64_t> free_;         // per link: the time from which it is free
    owned_array<std::int64_t> first_, out_;  // the links out of vertex v are out_[first_[v]] .. out_[first_[v+1] - 1]
    owned_array<std::int64_t> head_;         // per rank: its first path, or -1
    owned_array<std::int64_t> reached_;      // per vertex: arrival in the search from one rank
    owned_array<std::int64_t> via_;          // per vertex: the link by which the search arrived
    collsched::detail::gap_array<rank_t> touched_;
    collsched::detail::gap_array<switch_path> paths_;
    collsched::detail::gap_array<std::int64_t> links_;
    collsched::detail::heap<visit_time> queue_;
};

}}}  // namespace collsched::COLLSCHED_ABI::trees::detail
