#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "collsched/cost/lob.hpp"
#include "collsched/format/pen.hpp"
#include "collsched/format/readers/text_file.hpp"

namespace collsched {

/// What two parts of a path cost together: latencies add up, though to no more than 2^61 ps, and the slower part gives
/// the bandwidth.
constexpr link_cost joined(link_cost a, link_cost b) {
    constexpr picoseconds most = picoseconds{1} << 61;
    const picoseconds sum = a.latency_ps + b.latency_ps;
    return {sum < most ? sum : most, a.byte_fs < b.byte_fs ? b.byte_fs : a.byte_fs};
}

/// The zones of a SimGrid platform with their points, which are hosts and routers, and the routes between them.
struct simgrid_platform {
    enum class routing {
        full,      ///< a route for every pair, of points or of the zones in it
        star,      ///< up a point's links, over the backbone, down the other's
        fat_tree,  ///< as many hops up as needed, and down again
        none
    };
    struct route {
        link_cost way;
        rank_t from_gateway = -1, to_gateway = -1;  ///< points, for routes between zones
    };
    struct zone {
        std::string id;
        int line = 0;
        rank_t parent = -1, level = 0;
        routing how = routing::full;
        link_cost backbone{};
        std::vector<rank_t>
            arity{};  ///< of a fat tree: how many things hang on a switch, level by level from the hosts
        std::unordered_map<std::uint64_t, route> routes{};  ///< by pair_key
    };
    struct point {
        std::string name;
        rank_t zone = -1;
        rank_t position = 0;  ///< of a host in its fat tree
        bool linked = false;  ///< has links of its own to the zone's star or fat tree
        link_cost up{}, down{};
    };

    static std::uint64_t pair_key(rank_t from, rank_t to) {
        return static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint64_t>(to);
    }

    zone& zone_at(rank_t z) { return zones[static_cast<std::size_t>(z)]; }
    const zone& zone_at(rank_t z) const { return zones[static_cast<std::size_t>(z)]; }
    point& point_at(rank_t p) { return points[static_cast<std::size_t>(p)]; }
    const point& point_at(rank_t p) const { return points[static_cast<std::size_t>(p)]; }

    /// The route from point p to point q, as SimGrid composes it: within a zone by the zone's routing; else out to the
    /// gateway of p's zone below the one that holds both, by that one's route, and in from the other gateway.
    /// Throws input_error where there is none. O(levels^2).
    link_cost way(rank_t p, rank_t q) const {
        if (p == q) return {};
        rank_t a = point_at(p).zone, b = point_at(q).zone;
        if (a == b) return local(p, q);
        while (zone_at(a).parent != zone_at(b).parent) {
            rank_t& lower = zone_at(a).level < zone_at(b).level ? b : a;
            lower = zone_at(lower).parent;
            if (a == b) refuse(p, q, a);  // one zone lies in the other
        }
        const rank_t above = zone_at(a).parent;
        const auto found = zone_at(above).routes.find(pair_key(a, b));
        if (found == zone_at(above).routes.end()) refuse(p, q, above);
        const route& between = found->second;
        return joined(joined(way(p, between.from_gateway), between.way), way(between.to_gateway, q));
    }

    const text_file& file;
    std::vector<zone> zones{};  ///< each after the one it lies in
    std::vector<point> points{};
    std::unordered_map<std::string, rank_t> zone_names{}, point_names{};
    std::unordered_map<std::string, link_cost> links{};  ///< those split in two as NAME_UP and NAME_DOWN

  private:
    link_cost local(rank_t p, rank_t q) const {
        const zone& z = zone_at(point_at(p).zone);
        const point &from = point_at(p), &to = point_at(q);
        if (z.how == routing::star) {
            const link_cost middle = from.linked || to.linked ? z.backbone : link_cost{};
            return joined(joined(from.up, middle), to.down);
        }
        if (z.how == routing::fat_tree) {
            link_cost sum;
            rank_t a = from.position, b = to.position;
            for (std::size_t l = 0; a != b; ++l) {
                a /= z.arity[l];
                b /= z.arity[l];
                sum = joined(joined(sum, from.up), to.down);
            }
            return sum;
        }
        const auto found = z.routes.find(pair_key(p, q));
        if (found == z.routes.end()) refuse(p, q, from.zone);
        return found->second.way;
    }

    [[noreturn]] void refuse(rank_t p, rank_t q, rank_t z) const {
        file.refuse(zone_at(z).line,
                    fmt::format("no route from {} to {} in {}", json_text(point_at(p).name),
                                json_text(point_at(q).name), json_text(zone_at(z).id)),
                    "routes between all hosts");
    }
};

}  // namespace collsched
