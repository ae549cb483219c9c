#pragma once

#include <utility>
#include <vector>

#include "collsched/core/checked.hpp"
#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The hosts, routers and cables of a SimGrid cluster with topology DRAGONFLY: groups of chassis of routers of hosts.
/// Green cables join the routers of a chassis. Black cables join the routers of equal number in the chassis of a group.
/// One blue cable joins groups i and j, at router j of the first chassis of group i and router i of the first chassis
/// of group j.
/// Source: SimGrid's dragonflies, minimal routing.
class simgrid_dragonfly {
  public:
    /// A level: the number of elements, and the bandwidth of the cable between two of them as a multiple of a link's
    /// bandwidth.
    struct level {
        rank_t count, width;
    };

    simgrid_dragonfly(level groups, level chassis, level routers, rank_t nodes)
        : groups_(groups), chassis_(chassis), routers_(routers), nodes_(nodes) {}

    /// Returns whether every router between groups exists, and hosts, cables and widths are below 2^31.
    bool check() const {
        constexpr rank_t most = (rank_t{1} << 31) - 1;
        for (const rank_t n :
             {groups_.count, chassis_.count, routers_.count, nodes_, groups_.width, chassis_.width, routers_.width})
            if (n < 1 || n > most) return false;
        const checked all = counted_routers() * nodes_ + counted_green() + counted_black() + counted_blue();
        return groups_.count <= routers_.count && counted_green().ok() && counted_black().ok() && all.ok() &&
               all.value() <= most;
    }

    rank_t hosts() const { return (counted_routers() * nodes_).value(); }
    rank_t cables() const { return first_blue() + counted_blue().value(); }
    /// Returns the number of hosts and routers.
    rank_t vertices() const { return hosts() + counted_routers().value(); }
    /// Returns the bandwidth of a cable as a multiple of the bandwidth of the cluster's links.
    rank_t width(rank_t cable) const {
        return cable < hosts()         ? 1
               : cable < first_black() ? routers_.width
               : cable < first_blue()  ? chassis_.width
                                       : groups_.width;
    }
    /// Returns the number of hosts per router, routers per chassis, chassis per group, and groups.
    std::vector<rank_t> arity() const { return {nodes_, routers_.count, chassis_.count, groups_.count}; }

    /// Calls cable(number, direction) for every cable from one host to another, and vertex(number) for the hosts and
    /// all routers passed. The direction is 0 away from a host or from the end with the smaller number, 1 towards it.
    /// As in SimGrid, a message that changes its router within a group continues from the first chassis. O(1).
    template <class Cable, class Vertex>
    void route(rank_t from, rank_t to, Cable cable, Vertex vertex) const {
        place position = place_of(from);
        const place target = place_of(to);
        const auto go = [&](rank_t number, bool is_back, const place& next) {
            cable(number, is_back ? 1 : 0);
            position = next;
            vertex(vertex_of(position));
        };
        vertex(from);
        cable(from, 0);
        vertex(vertex_of(position));
        if (position.group != target.group) {
            const rank_t group = position.group, other = target.group;
            if (position.router != other)
                go(green(position, other), other < position.router, {group, position.chassis, other});
            if (position.chassis != 0) go(black(position, 0), true, {group, 0, other});
            go(blue(group, other), other < group, {other, 0, group});
        }
        if (position.router != target.router)
            go(green(position, target.router), target.router < position.router, {target.group, 0, target.router});
        if (position.chassis != target.chassis)
            go(black(position, target.chassis), target.chassis < position.chassis, target);
        cable(to, 1);
        vertex(to);
    }

    /// Calls f(number, from, to) for every cable. Its direction 0 leads from `from` to `to`. O(cables).
    template <class F>
    void for_each_cable(F f) const {
        for (rank_t host = 0; host < hosts(); ++host) f(host, host, vertex_of(place_of(host)));
        for (rank_t g = 0; g < groups_.count; ++g) {
            for (rank_t c = 0; c < chassis_.count; ++c)
                for (rank_t b = 1; b < routers_.count; ++b)
                    for (rank_t a = 0; a < b; ++a) f(green({g, c, a}, b), vertex_of({g, c, a}), vertex_of({g, c, b}));
            for (rank_t r = 0; r < routers_.count; ++r)
                for (rank_t b = 1; b < chassis_.count; ++b)
                    for (rank_t a = 0; a < b; ++a) f(black({g, a, r}, b), vertex_of({g, a, r}), vertex_of({g, b, r}));
            for (rank_t a = 0; a < g; ++a) f(blue(a, g), vertex_of({a, 0, g}), vertex_of({g, 0, a}));
        }
    }

  private:
    struct place {
        rank_t group, chassis, router;
    };

    checked counted_routers() const { return checked(groups_.count) * chassis_.count * routers_.count; }
    static rank_t pairs(rank_t n) { return n * (n - 1) / 2; }
    checked counted_green() const { return checked(groups_.count) * chassis_.count * pairs(routers_.count); }
    checked counted_black() const { return checked(groups_.count) * routers_.count * pairs(chassis_.count); }
    checked counted_blue() const { return pairs(groups_.count); }
    rank_t first_black() const { return hosts() + counted_green().value(); }
    rank_t first_blue() const { return first_black() + counted_black().value(); }

    place place_of(rank_t host) const {
        const rank_t router = host / nodes_;
        return {router / (chassis_.count * routers_.count), router / routers_.count % chassis_.count,
                router % routers_.count};
    }
    rank_t router_of(const place& at) const {
        return (at.group * chassis_.count + at.chassis) * routers_.count + at.router;
    }
    rank_t vertex_of(const place& at) const { return hosts() + router_of(at); }
    /// Returns the number of an unordered pair.
    static rank_t pair(rank_t a, rank_t b) { return a < b ? b * (b - 1) / 2 + a : a * (a - 1) / 2 + b; }
    rank_t green(const place& at, rank_t router) const {
        return hosts() + (at.group * chassis_.count + at.chassis) * pairs(routers_.count) + pair(at.router, router);
    }
    rank_t black(const place& at, rank_t chassis) const {
        return first_black() + (at.group * routers_.count + at.router) * pairs(chassis_.count) +
               pair(at.chassis, chassis);
    }
    rank_t blue(rank_t a, rank_t b) const { return first_blue() + pair(a, b); }

    level groups_, chassis_, routers_;
    rank_t nodes_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
