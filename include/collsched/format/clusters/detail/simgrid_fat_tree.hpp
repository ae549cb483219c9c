#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/simulate/detail/fat_tree.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The hosts, switches and cables of a SimGrid cluster with topology FAT_TREE: a `fat_tree` whose parallel cables on
/// the way down are chosen as in SimGrid 3.32. A vertex of level l is a host (l = 0) or a switch. Its coordinates below
/// l number switches; the others number children of switches.
/// Source: SimGrid's fat trees.
class simgrid_fat_tree {
  public:
    static constexpr std::size_t most_levels = 16;

    /// @param first_position hosts of the fat trees that the platform declares before this one, since SimGrid numbers
    /// the hosts of all fat trees consecutively
    /// @pre at most `most_levels` levels
    simgrid_fat_tree(std::vector<rank_t> down, std::vector<rank_t> up, std::vector<rank_t> cables,
                     rank_t first_position = 0)
        : shape_(down, up, cables),
          down_(std::move(down)),
          up_(std::move(up)),
          parallel_(std::move(cables)),
          first_position_(first_position) {
        if (shape_.check()) return;
        rank_t cables_below = 0;
        for (std::size_t l = 0; l <= down_.size(); ++l) {
            rank_t vertices = 1;
            for (std::size_t i = 0; i < down_.size(); ++i) vertices *= i < l ? up_[i] : down_[i];
            first_vertex_[l + 1] = first_vertex_[l] + vertices;
            first_cable_[l] = cables_below;
            if (l < down_.size()) cables_below += vertices * up_[l] * parallel_[l];
        }
    }
    /// Returns the first mistake. The other functions require that there is none.
    argument_error check() const { return shape_.check(); }

    rank_t hosts() const { return shape_.nodes(); }
    rank_t cables() const { return shape_.cables(); }
    /// Returns the number of hosts and switches.
    rank_t vertices() const { return first_vertex_[down_.size() + 1]; }
    /// Returns the bandwidth of a cable as a multiple of the bandwidth of the cluster's links.
    rank_t width(rank_t) const { return 1; }
    /// Returns the number of children per switch, from the hosts upwards.
    const std::vector<rank_t>& arity() const { return down_; }

    /// Calls cable(number, direction) for every cable from one host to another, and vertex(number) for the hosts and
    /// all switches passed. The direction is 0 up, 1 down. A message from a host to itself passes its switch.
    /// O(levels^2).
    template <class Cable, class Vertex>
    void route(rank_t from, rank_t to, Cable cable, Vertex vertex) const {
        coordinates here = coordinates_of(from);
        const coordinates target = coordinates_of(to);
        std::size_t top = down_.size();
        while (top > 1 && here[top - 1] == target[top - 1]) --top;
        climb(here, top, to + first_position_, cable, vertex);
        descend(here, target, top, from + first_position_, cable, vertex);
        vertex(to);
    }

    /// Calls f(number, from, to) for every cable. Its direction 0 leads up, from `from` to `to`. O(cables levels).
    template <class F>
    void for_each_cable(F f) const {
        for (std::size_t l = 0; l < down_.size(); ++l) {
            for (rank_t i = 0; i < first_vertex_[l + 1] - first_vertex_[l]; ++i) {
                coordinates at = coordinates_of(i, l);
                for (rank_t parent = 0; parent < up_[l]; ++parent) {
                    const rank_t first = first_cable_[l] + (i * up_[l] + parent) * parallel_[l];
                    at[l] = parent;
                    const rank_t above = first_vertex_[l + 1] + number(l + 1, at);
                    for (rank_t k = 0; k < parallel_[l]; ++k) f(first + k, first_vertex_[l] + i, above);
                }
            }
        }
    }

  private:
    using coordinates = std::array<rank_t, most_levels>;

    /// Returns the coordinates of a vertex by its number on its level, as number() returns it.
    coordinates coordinates_of(rank_t vertex, std::size_t level = 0) const {
        coordinates made{};
        for (std::size_t i = 0; i < down_.size(); ++i) {
            const rank_t size = i < level ? up_[i] : down_[i];
            made[i] = vertex % size;
            vertex /= size;
        }
        return made;
    }
    rank_t number(std::size_t level, const coordinates& at) const {
        rank_t made = 0, stride = 1;
        for (std::size_t i = 0; i < down_.size(); ++i) {
            made += at[i] * stride;
            stride *= i < level ? up_[i] : down_[i];
        }
        return made;
    }
    rank_t cable_above(std::size_t level, const coordinates& at, rank_t parent, rank_t parallel) const {
        return first_cable_[level] + (number(level, at) * up_[level] + parent) * parallel_[level] + parallel;
    }

    template <class Cable, class Vertex>
    void climb(coordinates& here, std::size_t top, rank_t position, Cable cable, Vertex vertex) const {
        for (std::size_t l = 0; l < top; ++l) {
            vertex(first_vertex_[l] + number(l, here));
            const rank_t chosen = position % (up_[l] * parallel_[l]), parent = chosen % up_[l];
            cable(cable_above(l, here, parent, chosen / up_[l]), 0);
            here[l] = parent;
            position /= up_[l];
        }
    }
    /// Calls the functions for the way down. The ports of a switch are numbered cable by cable. As in SimGrid, the
    /// search for the port on a level starts at the port of the level above. If it finds none, it starts at the port
    /// given by the position of the sender.
    template <class Cable, class Vertex>
    void descend(coordinates& here, const coordinates& target, std::size_t top, rank_t position, Cable cable,
                 Vertex vertex) const {
        rank_t port = -1;
        for (std::size_t l = top; l-- > 0;) {
            const rank_t ports = down_[l] * parallel_[l], first = position % parallel_[l] * down_[l];
            rank_t next = port < 0 ? first : port + 1;
            next += (target[l] - next % down_[l] + down_[l]) % down_[l];
            port = next < ports ? next : first + target[l];
            const rank_t parent = here[l], passed = first_vertex_[l + 1] + number(l + 1, here);
            here[l] = target[l];
            cable(cable_above(l, here, parent, port / down_[l]), 1);
            vertex(passed);
        }
    }

    fat_tree shape_;
    std::vector<rank_t> down_, up_, parallel_;
    rank_t first_position_;
    std::array<rank_t, most_levels + 2> first_vertex_{};
    std::array<rank_t, most_levels + 1> first_cable_{};
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
