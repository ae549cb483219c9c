#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "collsched/topology/network.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Places for the vertices of a network in a plane, such that distances are close to the numbers of links between them:
/// stress majorization (Gansner, Koren, North 2004), from differences of distances to vertices far apart. Deterministic.
/// O(vertices * links + rounds * vertices^2).
class network_layout {
  public:
    struct point {
        double x = 0, y = 0;
    };

    explicit network_layout(const topology::network& net) : size_(static_cast<std::size_t>(net.vertices())) {
        std::vector<std::vector<std::size_t>> next(size_);
        for (const topology::network::link& one : net.links()) {
            next[static_cast<std::size_t>(one.from)].push_back(static_cast<std::size_t>(one.to));
            next[static_cast<std::size_t>(one.to)].push_back(static_cast<std::size_t>(one.from));
        }
        for (std::size_t v = 0; v < size_; ++v) distance_.push_back(distances(next, v));
        begin();
        for (int round = 0; round < rounds; ++round) improve();
    }

    /// Returns the place of each vertex. Neighbors are about 1 apart.
    const std::vector<point>& places() const { return places_; }

  private:
    static constexpr int rounds = 150;

    /// Returns the numbers of links from a vertex; the largest one, and 1 more, to vertices that it does not reach.
    static std::vector<double> distances(const std::vector<std::vector<std::size_t>>& next, std::size_t from) {
        std::vector<double> found(next.size(), -1);
        std::vector<std::size_t> reached{from};
        found[from] = 0;
        for (std::size_t i = 0; i < reached.size(); ++i)
            for (const std::size_t to : next[reached[i]]) {
                if (found[to] >= 0) continue;
                found[to] = found[reached[i]] + 1;
                reached.push_back(to);
            }
        const double apart = found[reached.back()] + 1;
        for (double& one : found) one = one < 0 ? apart : one;
        return found;
    }
    std::size_t farthest(std::size_t from) const {
        const std::vector<double>& to = distance_[from];
        return static_cast<std::size_t>(std::max_element(to.begin(), to.end()) - to.begin());
    }
    /// Returns the vertex whose distances to a and b are most equal and large.
    std::size_t aside(std::size_t a, std::size_t b) const {
        std::size_t best = 0;
        const auto quality = [&](std::size_t v) {
            return distance_[a][v] + distance_[b][v] - 2 * std::abs(distance_[a][v] - distance_[b][v]);
        };
        for (std::size_t v = 0; v < size_; ++v)
            if (quality(v) > quality(best)) best = v;
        return best;
    }
    void begin() {
        const std::size_t a = farthest(0), b = farthest(a), c = aside(a, b), d = farthest(c);
        for (std::size_t v = 0; v < size_; ++v) {
            // A turn of the golden angle separates vertices with equal distances.
            const double turn = 2.399963 * static_cast<double>(v);
            places_.push_back({(distance_[a][v] - distance_[b][v]) / 2 + 0.2 * std::cos(turn),
                               (distance_[c][v] - distance_[d][v]) / 2 + 0.2 * std::sin(turn)});
        }
    }
    void improve() {
        std::vector<point> moved(size_);
        for (std::size_t v = 0; v < size_; ++v) {
            double weights = 0;
            for (std::size_t u = 0; u < size_; ++u) {
                if (u == v) continue;
                const double far = distance_[v][u], weight = 1 / (far * far);
                const double dx = places_[v].x - places_[u].x, dy = places_[v].y - places_[u].y;
                const double stretch = far / std::max(1e-6, std::hypot(dx, dy));
                moved[v].x += weight * (places_[u].x + dx * stretch);
                moved[v].y += weight * (places_[u].y + dy * stretch);
                weights += weight;
            }
            if (weights > 0) moved[v] = {moved[v].x / weights, moved[v].y / weights};
        }
        places_ = std::move(moved);
    }

    std::size_t size_;
    std::vector<std::vector<double>> distance_;
    std::vector<point> places_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
