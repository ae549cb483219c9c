#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The hosts and cables of a SimGrid cluster with topology TORUS. Host 0 has coordinates (0, ..., 0), host 1 (1, 0,
/// ..., 0). A cable leads from every host to its successor in each dimension.
/// Source: SimGrid's tori.
class simgrid_torus {
  public:
    /// @pre sizes are 1 or more, and their product times their number is below 2^31
    explicit simgrid_torus(std::vector<rank_t> sizes) : sizes_(std::move(sizes)) {}

    rank_t hosts() const {
        rank_t all = 1;
        for (const rank_t n : sizes_) all *= n;
        return all;
    }
    rank_t cables() const { return hosts() * static_cast<rank_t>(sizes_.size()); }
    /// Returns the number of vertices. A torus has no switches.
    rank_t vertices() const { return hosts(); }
    /// Returns the bandwidth of a cable as a multiple of the bandwidth of the cluster's links.
    rank_t width(rank_t) const { return 1; }
    /// Returns the number of children per switch. All hosts are on one vertex of the switch tree.
    std::vector<rank_t> arity() const { return {hosts()}; }

    /// Calls cable(number, direction) for every cable from one host to another, dimension by dimension, and
    /// vertex(number) for the hosts and all hosts passed. The direction is 0 forwards, 1 backwards. Messages take the
    /// shorter direction. If both are equal, SimGrid takes the one that does not wrap around, unless the message starts
    /// beyond the middle. O(links).
    template <class Cable, class Vertex>
    void route(rank_t from, rank_t to, Cable cable, Vertex vertex) const {
        const auto dimensions = static_cast<rank_t>(sizes_.size());
        rank_t here = from, stride = 1;
        for (rank_t d = 0; d < dimensions; ++d) {
            const rank_t n = sizes_[static_cast<std::size_t>(d)];
            const rank_t mine = from / stride % n, target = to / stride % n;
            const bool is_forward =
                (target > mine && target <= mine + n / 2) || (mine > n / 2 && (mine + n / 2) % n >= target);
            for (rank_t at = mine; at != target;) {
                const rank_t next = is_forward ? (at + 1) % n : (at + n - 1) % n;
                vertex(here);
                const rank_t there = here + (next - at) * stride;
                cable((is_forward ? here : there) * dimensions + d, is_forward ? 0 : 1);
                here = there;
                at = next;
            }
            stride *= n;
        }
        vertex(to);
    }

    /// Calls f(number, from, to) for every cable that a route may pass. Its direction 0 leads from `from` to `to`. A
    /// route between the two hosts of a dimension of two passes one of their cables, never the other one. O(cables).
    template <class F>
    void for_each_cable(F f) const {
        const auto dimensions = static_cast<rank_t>(sizes_.size());
        for (rank_t host = 0; host < hosts(); ++host) {
            rank_t stride = 1;
            for (rank_t d = 0; d < dimensions; ++d) {
                const rank_t n = sizes_[static_cast<std::size_t>(d)], mine = host / stride % n;
                if (n > 2 || mine + 1 < n) f(host * dimensions + d, host, host + ((mine + 1) % n - mine) * stride);
                stride *= n;
            }
        }
    }

  private:
    std::vector<rank_t> sizes_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
