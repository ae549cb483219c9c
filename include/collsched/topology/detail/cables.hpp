#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collsched/core/checked.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The hosts, switches and cables of a fat tree. The hosts are level 0. A switch of level l+1 has down[l] vertices of
/// level l below it, and each of these has up[l] switches above it, with cables[l] cables to each. A vertex is identified
/// by its coordinates: coordinate i is a number below down[i], or, below the vertex's own level, below up[i]. Vertices of
/// adjacent levels that agree in all but one coordinate are joined. Coordinate 0 varies fastest.
///
/// A message rises to the lowest common level. At every level the receiver's number selects the switch above and the
/// cable to it: number / up[0] / ... / up[l-1] modulo all cables of up[l] switches, where consecutive cables lead to
/// different switches (D-mod-k routing, under which shifts do not collide).
/// Source: Zahavi, D-Mod-K routing providing non-blocking traffic for shift permutations, 2010; SimGrid's fat trees,
/// whose parallel cables on the way down are chosen as in SimGrid 3.32.
class fat_tree_cables {
  public:
    static constexpr rank_t most_levels = 16;

    /// @param down            number of children per switch, level by level, at most `most_levels` of them
    /// @param up              number of switches above each vertex, as many as in `down`
    /// @param cables          number of cables to each of these, as many as in `down`
    /// @param first_position  hosts of the fat trees that the platform declares before this one, since SimGrid numbers
    /// the hosts of all fat trees consecutively
    constexpr fat_tree_cables(std::span<const rank_t> down, std::span<const rank_t> up, std::span<const rank_t> cables,
                              rank_t first_position = 0)
        : down_(down), up_(up), parallel_(cables), first_position_(first_position) {
        for (const owned_array<rank_t>* numbers : {&down_, &up_, &parallel_})
            for (const rank_t n : *numbers) fits_ = fits_ && n >= 1 && n <= most;
        for (rank_t l = 0; l <= levels() && fits_; ++l) {
            checked vertices = 1;
            for (rank_t i = 0; i < levels(); ++i) vertices = vertices * (i < l ? up_[i] : down_[i]);
            const checked all = l < levels() ? checked(first_cable_[at(l)]) + vertices * up_[l] * parallel_[l]
                                             : checked(first_cable_[at(l)]);
            fits_ = all.ok() && all.value() <= most;
            first_vertex_[at(l + 1)] = first_vertex_[at(l)] + vertices.value();
            first_cable_[at(l + 1)] = all.value();
        }
    }
    /// Returns whether all numbers are 1 or more, and there are at most 2^24 cables. Otherwise no other function may be
    /// called.
    constexpr bool fits() const { return fits_; }

    constexpr rank_t hosts() const { return first_vertex_[1]; }
    /// Returns the number of cables; each has two directions.
    constexpr rank_t cables() const { return first_cable_[at(levels())]; }
    /// Returns the number of hosts and switches.
    constexpr rank_t vertices() const { return first_vertex_[at(levels() + 1)]; }
    /// Returns the bandwidth of a cable as a multiple of the bandwidth of the cluster's links.
    constexpr rank_t width(rank_t) const { return 1; }
    /// Returns the number of children per switch, from the hosts upwards.
    std::vector<rank_t> arity() const { return {down_.begin(), down_.end()}; }

    /// Calls cable(number, direction) for every cable from one host to another, and vertex(number) for the hosts and
    /// all switches passed. The direction is 0 up, 1 down. A message from a host to itself passes its switch.
    /// O(levels^2).
    template <class Cable, class Vertex>
    constexpr void route(rank_t from, rank_t to, Cable cable, Vertex vertex) const {
        coordinates current = coordinates_of(from, 0);
        const coordinates target = coordinates_of(to, 0);
        rank_t top = levels();
        while (top > 1 && current[at(top - 1)] == target[at(top - 1)]) --top;
        climb(current, top, to + first_position_, cable, vertex);
        descend(current, target, top, from + first_position_, cable, vertex);
        vertex(to);
    }

    /// Calls f(number, from, to) for every cable. Its direction 0 leads up, from `from` to `to`. O(cables levels).
    template <class F>
    constexpr void for_each_cable(F f) const {
        for (rank_t l = 0; l < levels(); ++l) {
            for (rank_t i = 0; i < first_vertex_[at(l + 1)] - first_vertex_[at(l)]; ++i) {
                coordinates place = coordinates_of(i, l);
                for (rank_t parent = 0; parent < up_[l]; ++parent) {
                    const rank_t first = first_cable_[at(l)] + (i * up_[l] + parent) * parallel_[l];
                    place[at(l)] = parent;
                    const rank_t above = first_vertex_[at(l + 1)] + number(l + 1, place);
                    for (rank_t k = 0; k < parallel_[l]; ++k) f(first + k, first_vertex_[at(l)] + i, above);
                }
            }
        }
    }

  private:
    using coordinates = std::array<rank_t, most_levels>;
    static constexpr rank_t most = rank_t{1} << 24;

    static constexpr std::size_t at(rank_t i) { return static_cast<std::size_t>(i); }
    constexpr rank_t levels() const { return down_.size(); }

    /// Returns the coordinates of a vertex by its number on its level, as number() returns it.
    constexpr coordinates coordinates_of(rank_t vertex, rank_t level) const {
        coordinates place{};
        for (rank_t i = 0; i < levels(); ++i) {
            const rank_t size = i < level ? up_[i] : down_[i];
            place[at(i)] = vertex % size;
            vertex /= size;
        }
        return place;
    }
    constexpr rank_t number(rank_t level, const coordinates& place) const {
        rank_t sum = 0, stride = 1;
        for (rank_t i = 0; i < levels(); ++i) {
            sum += place[at(i)] * stride;
            stride *= i < level ? up_[i] : down_[i];
        }
        return sum;
    }
    constexpr rank_t cable_above(rank_t level, const coordinates& place, rank_t parent, rank_t parallel) const {
        return first_cable_[at(level)] + (number(level, place) * up_[level] + parent) * parallel_[level] + parallel;
    }

    template <class Cable, class Vertex>
    constexpr void climb(coordinates& current, rank_t top, rank_t position, Cable cable, Vertex vertex) const {
        for (rank_t l = 0; l < top; ++l) {
            vertex(first_vertex_[at(l)] + number(l, current));
            const rank_t chosen = position % (up_[l] * parallel_[l]), parent = chosen % up_[l];
            cable(cable_above(l, current, parent, chosen / up_[l]), 0);
            current[at(l)] = parent;
            position /= up_[l];
        }
    }
    /// Calls the functions for the way down. The ports of a switch are numbered cable by cable. As in SimGrid, the
    /// search for the port on a level starts at the port of the level above. If it finds none, it starts at the port
    /// given by the position of the sender.
    template <class Cable, class Vertex>
    constexpr void descend(coordinates& current, const coordinates& target, rank_t top, rank_t position, Cable cable,
                           Vertex vertex) const {
        rank_t port = -1;
        for (rank_t l = top; l-- > 0;) {
            const rank_t ports = down_[l] * parallel_[l], first = position % parallel_[l] * down_[l];
            rank_t next = port < 0 ? first : port + 1;
            next += (target[at(l)] - next % down_[l] + down_[l]) % down_[l];
            port = next < ports ? next : first + target[at(l)];
            const rank_t parent = current[at(l)], passed = first_vertex_[at(l + 1)] + number(l + 1, current);
            current[at(l)] = target[at(l)];
            cable(cable_above(l, current, parent, port / down_[l]), 1);
            vertex(passed);
        }
    }

    owned_array<rank_t> down_, up_, parallel_;
    rank_t first_position_;
    bool fits_ = true;
    std::array<rank_t, most_levels + 2> first_vertex_{}, first_cable_{};
};

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
