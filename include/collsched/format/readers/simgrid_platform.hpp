#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "collsched/simulate/fat_tree.hpp"
#include "collsched/simulate/network.hpp"
#include "collsched/format/pen.hpp"
#include "collsched/format/readers/text_file.hpp"

namespace collsched::inline v0_1 {

/// The zones of a SimGrid platform with their points, which are hosts and routers, and the routes between them.
struct simgrid_platform {
    enum class routing {
        full,      ///< a route for every pair, of points or of the zones in it
        star,      ///< up a point's links, over the backbone, down the other's
        fat_tree,  ///< as many hops up as needed, and down again
        none
    };
    static constexpr std::int32_t no_link = -1;

    struct route {
        link_route links;
        rank_t from_gateway = -1, to_gateway = -1;  ///< points, for routes between zones
    };
    struct zone {
        std::string id;
        int line = 0;
        rank_t parent = -1, level = 0;
        routing how = routing::full;
        std::int32_t backbone = no_link;
        std::optional<fat_tree> tree{};      ///< of a fat tree
        std::int32_t first_cable = no_link;  ///< its links: each cable upwards and downwards, or both ways together
        bool two_ways = true;
        std::unordered_map<std::uint64_t, route> routes{};  ///< by pair_key
    };
    struct point {
        std::string name;
        rank_t zone = -1;
        rank_t position = 0;  ///< of a host in its fat tree
        bool linked = false;  ///< has links of its own to the zone's star or fat tree
        std::int32_t up = no_link, down = no_link, limiter = no_link;  ///< of a star, of a star, of both
    };

    static std::uint64_t pair_key(rank_t from, rank_t to) {
        return static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint64_t>(to);
    }

    zone& zone_at(rank_t z) { return zones[static_cast<std::size_t>(z)]; }
    const zone& zone_at(rank_t z) const { return zones[static_cast<std::size_t>(z)]; }
    point& point_at(rank_t p) { return points[static_cast<std::size_t>(p)]; }
    const point& point_at(rank_t p) const { return points[static_cast<std::size_t>(p)]; }

    std::int32_t add_link(const network_link& one) {
        links.push_back(one);
        return static_cast<std::int32_t>(links.size()) - 1;
    }

    /// The route from point p to point q, as SimGrid composes it: within a zone by the zone's routing; else out to the
    /// gateway of p's zone below the one that holds both, by that one's route, and in from the other gateway. Appends its
    /// links. Throws input_error where there is none. O(links levels), and where gateways lie deep in zones there may be
    /// 2^levels links: simgrid_ways refuses such platforms.
    void find_route(rank_t p, rank_t q, link_route& found) const {
        if (p == q) return;
        if (point_at(p).zone == point_at(q).zone) return find_local(p, q, found);
        const route& between = route_between(p, q);
        find_route(p, between.from_gateway, found);
        found.insert(found.end(), between.links.begin(), between.links.end());
        find_route(between.to_gateway, q, found);
    }
    /// The route between the two zones that p and q, which are not of one zone, lie in or below.
    const route& route_between(rank_t p, rank_t q) const {
        rank_t a = point_at(p).zone, b = point_at(q).zone;
        while (zone_at(a).parent != zone_at(b).parent) {
            rank_t& lower = zone_at(a).level < zone_at(b).level ? b : a;
            lower = zone_at(lower).parent;
            if (a == b) refuse(p, q, a);  // one zone lies in the other
        }
        const rank_t above = zone_at(a).parent;
        const auto between = zone_at(above).routes.find(pair_key(a, b));
        if (between == zone_at(above).routes.end()) refuse(p, q, above);
        return between->second;
    }

    const text_file& file;
    std::vector<zone> zones{};  ///< each after the one it lies in
    std::vector<point> points{};
    std::unordered_map<std::string, rank_t> zone_names{}, point_names{};
    std::vector<network_link> links{};
    std::unordered_map<std::string, std::int32_t> link_names{};  ///< those split in two as NAME_UP and NAME_DOWN
    std::unordered_map<std::int32_t, std::int32_t> other_way{};  ///< of links split in two

  private:
    void find_local(rank_t p, rank_t q, link_route& found) const {
        const zone& z = zone_at(point_at(p).zone);
        const point &from = point_at(p), &to = point_at(q);
        const auto append = [&](std::int32_t link) {
            if (link != no_link) found.push_back(link);
        };
        if (z.how == routing::star) {
            append(from.limiter), append(from.up);
            if (from.linked || to.linked) append(z.backbone);
            return append(to.down), append(to.limiter);
        }
        if (z.how == routing::fat_tree) {
            const auto cable = [&](rank_t i, int direction) {
                found.push_back(z.first_cable + static_cast<std::int32_t>(z.two_ways ? 2 * i + direction : i));
            };
            append(from.limiter);
            z.tree->route(from.position, to.position, [&](rank_t i) { cable(i, 0); }, [&](rank_t i) { cable(i, 1); });
            return append(to.limiter);
        }
        const auto listed = z.routes.find(pair_key(p, q));
        if (listed == z.routes.end()) refuse(p, q, point_at(p).zone);
        found.insert(found.end(), listed->second.links.begin(), listed->second.links.end());
    }

    [[noreturn]] void refuse(rank_t p, rank_t q, rank_t z) const {
        file.refuse(zone_at(z).line,
                    fmt::format("no route from {} to {} in {}", json_text(point_at(p).name),
                                json_text(point_at(q).name), json_text(zone_at(z).id)),
                    "routes between all hosts");
    }
};

}  // namespace collsched::inline v0_1
