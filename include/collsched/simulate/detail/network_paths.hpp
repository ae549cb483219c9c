#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "collsched/core/rank.hpp"
#include "collsched/topology/network.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The links out of each vertex, and shortest paths by number of links.
class network_paths {
  public:
    explicit network_paths(const topology::network& net)
        : net_(net), out_(static_cast<std::size_t>(net.vertices())), in_(out_.size()), distances_(out_.size()) {
        for (std::size_t i = 0; i < net.links().size(); ++i) {
            out_[static_cast<std::size_t>(net.links()[i].from)].push_back(static_cast<std::int32_t>(i));
            in_[static_cast<std::size_t>(net.links()[i].to)].push_back(static_cast<std::int32_t>(i));
        }
    }

    /// Calls f(link index) for each link between two vertices.
    template <class F>
    void for_each_link(rank_t from, rank_t to, F f) const {
        for (const std::int32_t i : out_[static_cast<std::size_t>(from)])
            if (net_.links()[static_cast<std::size_t>(i)].to == to) f(i);
    }

    /// Appends the vertices of a shortest path; nothing if there is none. Switches forward and ranks do not, unless no
    /// other path exists. The predecessor of index (from + to) modulo their number is taken, which spreads pairs over
    /// equal paths. O(links) for the first path from a vertex, then O(path).
    void append_shortest(rank_t from, rank_t to, std::vector<rank_t>& path) {
        const std::vector<std::int64_t>& distance = distances_from(from);
        if (distance[static_cast<std::size_t>(to)] == unreachable) return;
        const std::size_t begin = path.size();
        path.push_back(to);
        std::vector<rank_t> before;
        for (rank_t v = to; v != from; v = path.back()) {
            before.clear();
            for (const std::int32_t i : in_[static_cast<std::size_t>(v)]) {
                const rank_t u = net_.links()[static_cast<std::size_t>(i)].from;
                const std::int64_t path_length = distance[static_cast<std::size_t>(u)];
                if (path_length != unreachable &&
                    path_length + cost_of(u, from) == distance[static_cast<std::size_t>(v)])
                    before.push_back(u);
            }
            std::ranges::sort(before);
            before.erase(std::unique(before.begin(), before.end()), before.end());
            path.push_back(before[static_cast<std::size_t>(from + to) % before.size()]);
        }
        std::reverse(path.begin() + static_cast<std::ptrdiff_t>(begin), path.end());
    }

  private:
    static constexpr std::int64_t unreachable = std::numeric_limits<std::int64_t>::max();

    /// Returns the cost of a link out of a vertex: 1 at switches and at the source, more than all switches at ranks that
    /// would have to forward.
    std::int64_t cost_of(rank_t v, rank_t source) const {
        return v == source || net_.is_switch(v) ? 1 : 1 + net_.switches();
    }

    const std::vector<std::int64_t>& distances_from(rank_t from) {
        std::vector<std::int64_t>& distance = distances_[static_cast<std::size_t>(from)];
        if (!distance.empty()) return distance;
        distance.assign(out_.size(), unreachable);
        distance[static_cast<std::size_t>(from)] = 0;
        std::vector<std::pair<std::int64_t, rank_t>> heap{{0, from}};
        while (!heap.empty()) {
            std::ranges::pop_heap(heap, std::greater<>());
            const auto [length, v] = heap.back();
            heap.pop_back();
            if (length > distance[static_cast<std::size_t>(v)]) continue;
            for (const std::int32_t i : out_[static_cast<std::size_t>(v)]) {
                const rank_t to = net_.links()[static_cast<std::size_t>(i)].to;
                const std::int64_t total = length + cost_of(v, from);
                if (total >= distance[static_cast<std::size_t>(to)]) continue;
                distance[static_cast<std::size_t>(to)] = total;
                heap.emplace_back(total, to);
                std::ranges::push_heap(heap, std::greater<>());
            }
        }
        return distance;
    }

    const topology::network& net_;
    std::vector<std::vector<std::int32_t>> out_, in_;   // links per vertex
    std::vector<std::vector<std::int64_t>> distances_;  // per source, found when needed
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
