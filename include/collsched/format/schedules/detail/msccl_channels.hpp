#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The channels of an MSCCL program's connections. Each channel has a limited number of senders and of receivers per
/// rank.
///
/// The connections are the edges of the bipartite graph of senders and receivers. A proper coloring of these edges, in
/// which no two connections from one rank and no two to one rank have the same color, needs as many colors as the
/// largest number of peers (Koenig's theorem). A channel is a run of consecutive colors, as many as a channel has
/// peers. The number of channels is therefore minimal.
class msccl_channels {
  public:
    /// @param ranks p
    /// @param connections pairs of sender and receiver, each 0 .. p-1
    /// @param peers per channel, 1 or more
    /// Memory O(p * d) for c connections and at most d peers per rank. Time O(c * (p + d)), or O(c * d) if the
    /// connections of each distance are complete.
    msccl_channels(rank_t ranks, const std::set<std::pair<rank_t, rank_t>>& connections, std::int64_t peers)
        : peers_(peers), colors_(most_peers(ranks, connections)) {
        const auto p = static_cast<std::size_t>(ranks);
        receivers_.assign(p, row(static_cast<std::size_t>(colors_), -1));
        senders_ = receivers_;
        std::vector<std::pair<rank_t, rank_t>> order(connections.begin(), connections.end());
        const auto by_distance = [ranks](const auto& entry) {
            return std::pair((entry.second - entry.first + ranks) % ranks, entry);
        };
        std::ranges::sort(order, {}, by_distance);
        for (const auto& [from, to] : order) add(from, to);
    }

    /// Returns the number of channels, 1 or more.
    std::int64_t size() const { return std::max<std::int64_t>(1, (colors_ + peers_ - 1) / peers_); }
    /// Returns the channel of one of the connections. Time O(d).
    std::int64_t of(rank_t from, rank_t to) const {
        const row& receivers = receivers_[static_cast<std::size_t>(from)];
        return (std::ranges::find(receivers, to) - receivers.begin()) / peers_;
    }

  private:
    /// The peers of a rank by color, -1 where the color is free.
    using row = std::vector<rank_t>;

    static std::int64_t most_peers(rank_t ranks, const std::set<std::pair<rank_t, rank_t>>& connections) {
        std::vector<std::int64_t> sends(static_cast<std::size_t>(ranks)), receives(sends);
        std::int64_t most = 0;
        for (const auto& [from, to] : connections)
            most = std::max({most, ++sends[static_cast<std::size_t>(from)], ++receives[static_cast<std::size_t>(to)]});
        return most;
    }

    rank_t& receiver(rank_t from, std::size_t color) { return receivers_[static_cast<std::size_t>(from)][color]; }
    rank_t& sender(rank_t to, std::size_t color) { return senders_[static_cast<std::size_t>(to)][color]; }
    static std::size_t free_color(const row& peers) {
        return static_cast<std::size_t>(std::ranges::find(peers, rank_t{-1}) - peers.begin());
    }
    void paint(rank_t from, rank_t to, std::size_t color) {
        receiver(from, color) = to;
        sender(to, color) = from;
    }

    void add(rank_t from, rank_t to) {
        const std::size_t color = free_color(receivers_[static_cast<std::size_t>(from)]);
        if (sender(to, color) >= 0) exchange(to, color, free_color(senders_[static_cast<std::size_t>(to)]));
        paint(from, to, color);
    }

    /// Frees color a at a receiver that has b free. Swaps the colors of all connections on the path of alternating
    /// colors a and b that begins at the receiver. The path is finite because it visits no rank twice.
    void exchange(rank_t to, std::size_t a, std::size_t b) {
        std::vector<std::pair<rank_t, rank_t>> path;
        for (rank_t at = to;;) {
            const rank_t from = sender(at, a);
            if (from < 0) break;
            path.emplace_back(from, at);
            at = receiver(from, b);
            if (at < 0) break;
            path.emplace_back(from, at);
        }
        for (std::size_t i = 0; i < path.size(); ++i) {
            const std::size_t old = i % 2 == 0 ? a : b;
            receiver(path[i].first, old) = sender(path[i].second, old) = -1;
        }
        for (std::size_t i = 0; i < path.size(); ++i) paint(path[i].first, path[i].second, i % 2 == 0 ? b : a);
    }

    std::int64_t peers_, colors_;
    std::vector<row> receivers_, senders_;  // per rank
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
