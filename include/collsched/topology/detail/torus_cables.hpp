#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The hosts and cables of a torus or mesh. Host 0 has coordinates (0, ..., 0), host 1 (1, 0, ..., 0). A cable leads from
/// every host to its successor in each dimension. Cable host * dimensions + d is that of dimension d.
class torus_cables {
  public:
    /// @param sizes  hosts per dimension, each 1 or more, with a product times their number below 2^31
    /// @param wraps  whether the last host of a dimension has a cable to the first
    constexpr explicit torus_cables(std::span<const rank_t> sizes, bool wraps = true) : sizes_(sizes), wraps_(wraps) {}

    constexpr rank_t hosts() const {
        rank_t all = 1;
        for (const rank_t n : sizes_) all *= n;
        return all;
    }
    constexpr rank_t cables() const { return hosts() * sizes_.size(); }
    /// Returns the number of vertices. A torus has no switches.
    constexpr rank_t vertices() const { return hosts(); }
    /// Returns the bandwidth of a cable as a multiple of the bandwidth of the cluster's links.
    constexpr rank_t width(rank_t) const { return 1; }
    /// Returns the number of children per switch. All hosts are on one vertex of the switch tree.
    std::vector<rank_t> arity() const { return {hosts()}; }

    /// Calls cable(number, direction) for every cable from one host to another, dimension by dimension, and
    /// vertex(number) for the hosts and all hosts passed. The direction is 0 forwards, 1 backwards. Messages take the
    /// shorter direction. If both are equal, they take the one that does not wrap around, unless the message starts
    /// beyond the middle. O(links).
    /// Source: dimension-order routing of SimGrid's tori.
    /// @pre the last host of a dimension has a cable to the first
    template <class Cable, class Vertex>
    constexpr void route(rank_t from, rank_t to, Cable cable, Vertex vertex) const {
        rank_t current = from, stride = 1;
        for (rank_t d = 0; d < sizes_.size(); ++d) {
            const rank_t n = sizes_[d], first = from / stride % n, target = to / stride % n;
            const bool is_forward =
                (target > first && target <= first + n / 2) || (first > n / 2 && (first + n / 2) % n >= target);
            for (rank_t at = first; at != target;) {
                const rank_t next = is_forward ? (at + 1) % n : (at + n - 1) % n;
                vertex(current);
                const rank_t neighbor = current + (next - at) * stride;
                cable((is_forward ? current : neighbor) * sizes_.size() + d, is_forward ? 0 : 1);
                current = neighbor;
                at = next;
            }
            stride *= n;
        }
        vertex(to);
    }

    /// Calls f(number, from, to) for every cable that a route may pass. Its direction 0 leads from `from` to `to`. A
    /// dimension of two hosts has one cable. O(cables).
    template <class F>
    constexpr void for_each_cable(F f) const {
        for (rank_t host = 0; host < hosts(); ++host) {
            rank_t stride = 1;
            for (rank_t d = 0; d < sizes_.size(); ++d) {
                const rank_t n = sizes_[d], x = host / stride % n;
                if (x + 1 < n || (wraps_ && n > 2))
                    f(host * sizes_.size() + d, host, host + ((x + 1) % n - x) * stride);
                stride *= n;
            }
        }
    }

  private:
    owned_array<rank_t> sizes_;
    bool wraps_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
