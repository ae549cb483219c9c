#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "collsched/topology/network.hpp"
#include "support/layouts.hpp"

namespace support {

using namespace collsched;

/// Shapes of random networks. All are strongly connected.
enum class network_shape {
    directed,          ///< any links
    bidirectional,     ///< cables of two links of equal bandwidth: every vertex sends as much as it receives
    balanced_switches  ///< every switch sends as much as it receives; ranks need not
};

/// Draws the links of a network of 2 to 10 vertices, of which 2 or more are ranks. Bandwidths have one of five styles.
class network_maker {
  public:
    network_maker(std::uint64_t seed, network_shape shape) : random_(seed * 3 + static_cast<std::uint64_t>(shape) + 1) {
        const rank_t vertices = 2 + random_.below(9);
        ranks_ = 2 + random_.below(vertices - 1);
        for (rank_t v = 0; v < vertices; ++v) order_.push_back(v);
        shuffle(order_);
        style_ = random_.below(5);
        common_ = draw();
        if (shape == network_shape::bidirectional) add_cables();
        else if (shape == network_shape::directed) add_ears(vertices, false);
        else add_ears(ranks_, true);
        shuffle(links_);
    }
    topology::network made() const { return {ranks_, static_cast<rank_t>(order_.size()) - ranks_, links_}; }

  private:
    template <class T>
    void shuffle(std::vector<T>& items) {
        for (std::size_t n = items.size(); n > 1; --n)
            std::swap(items[n - 1], items[static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(n)))]);
    }
    template <class T>
    T any_of(const std::vector<T>& items) {
        return items[static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(items.size())))];
    }

    /// A bandwidth: small, equal to all others, a prime near 10^9, a multiple of 12.5 GB/s, or a prime of any size.
    std::int64_t draw() {
        constexpr std::int64_t near[] = {999'999'893,   999'999'929,   999'999'937,  1'000'000'007,
                                         1'000'000'009, 1'000'000'021, 1'000'000'033},
                               far[] = {2, 7, 97, 10'007, 1'299'709, 179'424'673, 2'147'483'647, 99'999'999'977};
        const std::int64_t small = 1 + random_.below(4), prime = near[random_.below(7)], any = far[random_.below(8)];
        if (style_ == 0) return small;
        if (style_ == 1) return common_ != 0 ? common_ : any;
        if (style_ == 2) return prime;
        return style_ == 3 ? small * small * 12'500'000'000 : any;
    }
    void add(rank_t from, rank_t to, std::int64_t bandwidth) {
        links_.push_back({from, to, bandwidth, random_.below(1'000'000)});
    }
    void add_path(const std::vector<rank_t>& path, bool balanced) {
        const std::int64_t bandwidth = draw();
        for (std::size_t i = 1; i < path.size(); ++i) add(path[i - 1], path[i], balanced ? bandwidth : draw());
    }

    /// A random tree of cables, and more cables, which may be parallel.
    void add_cables() {
        const auto vertices = static_cast<rank_t>(order_.size());
        const auto add_cable = [&](rank_t a, rank_t b) {
            const std::int64_t bandwidth = draw();
            add(a, b, bandwidth);
            add(b, a, bandwidth);
        };
        for (rank_t i = 1; i < vertices; ++i)
            add_cable(order_[static_cast<std::size_t>(i)], order_[static_cast<std::size_t>(random_.below(i))]);
        for (std::int64_t more = random_.below(vertices + 3); more > 0; --more) {
            const rank_t a = random_.below(vertices), b = random_.below(vertices);
            if (a != b) add_cable(a, b);
        }
    }

    /// Paths between vertices below `ends`, each over new vertices until there are none, then over any others. A path
    /// with one bandwidth leaves the vertices within it balanced.
    void add_ears(rank_t ends, bool balanced) {
        std::vector<rank_t> placed{0};
        std::erase(order_, 0);
        for (std::size_t next = 0; next < order_.size();) {
            std::vector<rank_t> path{any_of(placed)}, added;
            for (std::int64_t n = 1 + random_.below(3); n > 0 && next < order_.size(); --n)
                added.push_back(order_[next++]);
            path.insert(path.end(), added.begin(), added.end());
            path.push_back(any_of(placed));
            add_path(path, balanced);
            for (const rank_t v : added)
                if (v < ends) placed.push_back(v);
        }
        order_.push_back(0);
        for (std::int64_t more = random_.below(3 * ends); more > 0; --more) add_path(short_path(ends), balanced);
    }
    /// A path between two vertices below `ends` over up to two others.
    std::vector<rank_t> short_path(rank_t ends) {
        std::vector<rank_t> between, path{random_.below(ends)};
        for (rank_t v = ends; v < static_cast<rank_t>(order_.size()); ++v) between.push_back(v);
        shuffle(between);
        between.resize(std::min(between.size(), static_cast<std::size_t>(random_.below(3))));
        path.insert(path.end(), between.begin(), between.end());
        path.push_back((path.front() + 1 + random_.below(ends - 1)) % ends);
        return path;
    }

    random_source random_;
    rank_t ranks_ = 2;
    std::int64_t style_ = 0, common_ = 0;
    std::vector<rank_t> order_;
    std::vector<topology::network::link> links_;
};

/// A random network: the same for the same seed and shape.
inline topology::network random_network(std::uint64_t seed, network_shape shape) {
    return network_maker(seed, shape).made();
}

/// A network as text, for messages: "3 ranks, 1 switches: 0>3:25 3>1:25".
inline std::string drawn(const topology::network& net) {
    std::string text = std::to_string(net.ranks()) + " ranks, " + std::to_string(net.switches()) + " switches:";
    for (const auto& one : net.links())
        text += " " + std::to_string(one.from) + ">" + std::to_string(one.to) + ":" + std::to_string(one.bandwidth);
    return text;
}

}  // namespace support
