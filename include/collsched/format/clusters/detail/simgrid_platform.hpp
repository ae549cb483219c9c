#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "collsched/simulate/contention_model.hpp"
#include "collsched/format/text.hpp"
#include "collsched/format/clusters/detail/simgrid_dragonfly.hpp"
#include "collsched/topology/detail/cables.hpp"
#include "collsched/format/clusters/detail/simgrid_graph.hpp"
#include "collsched/format/files/text_file.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// A link of a SimGrid platform, with its exact bandwidth.
struct simgrid_link : contention_model::network::link {
    std::int64_t bandwidth = 0;                   ///< bytes per second; 0 if it was not needed, or for no limit
    std::optional<input_error::mistake> fault{};  ///< a value that is an error if a route between hosts has the link
};

/// The zones of a SimGrid platform with their points (hosts and routers), and the routes between them.
struct simgrid_platform {
    enum class routing {
        full,      ///< a route for every pair of points or of inner zones
        floyd,     ///< a shortest path over the given routes
        dijkstra,  ///< as floyd, but may choose another shortest path
        star,      ///< up the links of one point, over the backbone, down the links of the other
        vivaldi,   ///< a star without backbone; the latency is the distance of coordinates
        topology,  ///< a fat tree, torus or dragonfly
        none
    };
    static constexpr std::int32_t no_link = -1;
    using topology = std::variant<fat_tree_cables, torus_cables, simgrid_dragonfly>;

    struct route {
        link_route links;
        rank_t from_gateway = -1, to_gateway = -1;  ///< points, for routes between zones
    };
    using route_table = std::unordered_map<std::uint64_t, route>;  ///< by pair_key
    struct zone {
        std::string id;
        int line = 0;
        rank_t parent = -1, level = 0;
        simgrid_platform::routing routing = simgrid_platform::routing::full;
        std::int32_t backbone = no_link;
        std::optional<topology> shape{};
        std::int32_t first_cable = no_link;    ///< of a shape: per cable two directions, or one link for both
        std::int32_t first_limiter = no_link;  ///< of a shape: per vertex
        bool two_ways = true;
        std::int32_t first_loopback = no_link;     ///< per host of a cluster, by position
        std::int32_t first_distance = no_link;     ///< of Vivaldi: positions i and j <= i have i * (i + 1) / 2 + j
        route_table routes{}, bypasses{};          ///< between points or inner zones of the zone
        route_table zone_bypasses{};               ///< between zones at any depth below the zone
        std::vector<simgrid_graph::edge> edges{};  ///< its routes in order, for Floyd and Dijkstra
        std::optional<simgrid_graph> graph{};
    };
    struct point {
        std::string name;
        rank_t zone = -1;
        rank_t position = 0;  ///< position of a host in its cluster, or of a point with coordinates
        bool linked = false;  ///< whether it has its own links to the zone's star or shape
        std::int32_t up = no_link, down = no_link, limiter = no_link;  ///< links of a star
    };

    static std::uint64_t pair_key(rank_t from, rank_t to) {
        return static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint64_t>(to);
    }

    zone& zone_at(rank_t z) { return zones[static_cast<std::size_t>(z)]; }
    const zone& zone_at(rank_t z) const { return zones[static_cast<std::size_t>(z)]; }
    point& point_at(rank_t p) { return points[static_cast<std::size_t>(p)]; }
    const point& point_at(rank_t p) const { return points[static_cast<std::size_t>(p)]; }

    /// Returns a link as it is stored. One with a fault has a negative byte_fs, which is the number of the fault.
    contention_model::network::link stored(const simgrid_link& link) {
        contention_model::network::link copy = link;
        if (!link.fault) return copy;
        faults.push_back(*link.fault);
        copy.cost.byte_fs = -static_cast<std::int64_t>(faults.size());
        return copy;
    }
    /// Returns a link of a route between hosts. Throws input_error if the link has a fault.
    const contention_model::network::link& usable_link(std::int32_t i) const {
        const contention_model::network::link& found = links[static_cast<std::size_t>(i)];
        if (found.cost.byte_fs < 0) throw input_error(faults[static_cast<std::size_t>(-1 - found.cost.byte_fs)]);
        return found;
    }
    /// Removes the limits of links with a fault, which no route between hosts has.
    void forget_faults() {
        for (contention_model::network::link& link : links)
            link.cost.byte_fs = std::max<std::int64_t>(link.cost.byte_fs, 0);
    }
    std::int32_t add_link(const simgrid_link& link) {
        links.push_back(stored(link));
        bandwidths.push_back(link.bandwidth);
        return static_cast<std::int32_t>(links.size()) - 1;
    }
    bool lies_in(rank_t z, rank_t ancestor) const {
        while (z >= 0 && z != ancestor) z = zone_at(z).parent;
        return z >= 0;
    }

    /// Appends the links of the route from point p to point q, composed as in SimGrid. A bypass takes precedence.
    /// Within a zone the zone's routing applies. Otherwise the route leads to the gateway of p's zone below the common
    /// zone, continues by the routes of the common zone, and leads from the other gateway to q. The route of a point to
    /// itself is its loopback. SimGrid also passes the loopback of a gateway at which a bypass begins or ends. Throws
    /// input_error if there is no route. O(links levels). Gateways deep in zones can give 2^levels links; simgrid_ways
    /// rejects such platforms.
    void find_route(rank_t p, rank_t q, link_route& found) const {
        compose(
            p, q, [&](std::span<const std::int32_t> part) { found.insert(found.end(), part.begin(), part.end()); },
            [&](rank_t a, rank_t b) { find_route(a, b, found); });
    }

    /// Composes the same route from parts: calls passed(links) for links, and between(a, b) for the routes between
    /// points that it contains, which are routes of zones below the common zone of p and q.
    template <class Passed, class Between>
    void compose(rank_t p, rank_t q, Passed passed, Between between) const {
        if (point_at(p).zone == point_at(q).zone) return compose_local(p, q, passed);
        const auto [above, a, b] = common_zone(p, q);
        if (const route* bypass = find_bypass(p, q, above)) {
            between(p, bypass->from_gateway);
            passed(bypass->links);
            return between(bypass->to_gateway, q);
        }
        rank_t position = p;
        for_each_route(p, q, above, a, b, [&](const route& part) {
            if (position != part.from_gateway) between(position, part.from_gateway);
            passed(part.links);
            position = part.to_gateway;
        });
        if (position != q) between(position, q);
    }

    const text_file& file;
    std::vector<zone> zones{};  ///< every zone follows its parent
    std::vector<point> points{};
    std::unordered_map<std::string, rank_t> zone_names{}, point_names{};
    std::vector<contention_model::network::link> links{};
    std::vector<input_error::mistake> faults{};  ///< of links
    std::vector<std::int64_t> bandwidths{};      ///< per link, exact: bytes per second, or 0 as in simgrid_link
    std::unordered_map<std::string, std::int32_t> link_names{};  ///< links split in two, as NAME_UP and NAME_DOWN
    std::unordered_map<std::int32_t, std::int32_t> other_way{};  ///< of links split in two
    std::int32_t loopback = no_link;                             ///< of points without a loopback

    /// Calls passed(links) for the links of the loopback that the platform gives to a point. Returns whether there is one.
    template <class Passed>
    bool compose_given_loopback(rank_t p, Passed passed) const {
        const point& self = point_at(p);
        const zone& in = zone_at(self.zone);
        const auto listed = in.routes.find(pair_key(p, p));
        const bool is_listed = listed != in.routes.end();
        if (!is_listed && (in.first_loopback == no_link || !self.linked)) return false;
        const std::int32_t link = in.first_loopback + static_cast<std::int32_t>(self.position);
        passed(is_listed ? std::span<const std::int32_t>(listed->second.links) : std::span(&link, 1));
        return true;
    }

  private:
    /// Returns the common zone of both points, and the zones in it that contain them.
    std::array<rank_t, 3> common_zone(rank_t p, rank_t q) const {
        rank_t a = point_at(p).zone, b = point_at(q).zone;
        while (zone_at(a).parent != zone_at(b).parent) {
            rank_t& lower = zone_at(a).level < zone_at(b).level ? b : a;
            lower = zone_at(lower).parent;
            if (a == b) refuse(p, q, a);  // one zone contains the other
        }
        return {zone_at(a).parent, a, b};
    }

    /// Returns the bypass whose zones are nearest to the points. The greater of the two distances counts first, then
    /// the smaller one, then the distance of p.
    const route* find_bypass(rank_t p, rank_t q, rank_t above) const {
        const route_table& table = zone_at(above).zone_bypasses;
        if (table.empty()) return nullptr;
        std::vector<rank_t> out, in;
        for (rank_t z = point_at(p).zone; z != above; z = zone_at(z).parent) out.push_back(z);
        for (rank_t z = point_at(q).zone; z != above; z = zone_at(z).parent) in.push_back(z);
        const auto found = [&](std::size_t i, std::size_t j) -> const route* {
            if (i >= out.size() || j >= in.size()) return nullptr;
            const auto at = table.find(pair_key(out[i], in[j]));
            return at == table.end() ? nullptr : &at->second;
        };
        for (std::size_t farther = 0; farther < std::max(out.size(), in.size()); ++farther) {
            for (std::size_t nearer = 0; nearer < farther; ++nearer) {
                if (const route* bypass = found(nearer, farther)) return bypass;
                if (const route* bypass = found(farther, nearer)) return bypass;
            }
            if (const route* bypass = found(farther, farther)) return bypass;
        }
        return nullptr;
    }

    /// Calls f(route) for the routes from a to b, both points or inner zones of the zone.
    template <class F>
    void for_each_route(rank_t p, rank_t q, rank_t z, rank_t a, rank_t b, F f) const {
        const zone& in = zone_at(z);
        if (!in.graph) {
            const auto listed = in.routes.find(pair_key(a, b));
            if (listed == in.routes.end()) refuse(p, q, z);
            return f(listed->second);
        }
        const std::vector<rank_t> path = in.graph->path(a, b);
        if (path.empty()) refuse(p, q, z);
        for (std::size_t i = 1; i < path.size(); ++i) f(in.routes.at(pair_key(path[i - 1], path[i])));
    }

    template <class Passed>
    void compose_local(rank_t p, rank_t q, Passed passed) const {
        const rank_t z = point_at(p).zone;
        const zone& in = zone_at(z);
        const auto bypass = in.bypasses.find(pair_key(p, q));
        if (bypass != in.bypasses.end()) return passed(bypass->second.links);
        if (p == q && compose_loopback(p, passed)) return;
        if (in.routing == routing::star || in.routing == routing::vivaldi) return compose_star(p, q, passed);
        if (in.routing == routing::topology) return compose_shape(p, q, passed);
        for_each_route(p, q, z, p, q, [&](const route& part) { passed(part.links); });
    }
    /// Returns whether the route is complete. A point of a star or topology without a loopback passes its own links.
    template <class Passed>
    bool compose_loopback(rank_t p, Passed passed) const {
        if (compose_given_loopback(p, passed)) return true;
        const routing method = zone_at(point_at(p).zone).routing;
        const bool has_links = method == routing::star || method == routing::vivaldi || method == routing::topology;
        if (!has_links && method != routing::none && loopback != no_link) passed(std::span(&loopback, 1));
        return !has_links;
    }
    /// Composes the route of a star. Each link counts once.
    template <class Passed>
    void compose_star(rank_t p, rank_t q, Passed passed) const {
        const point &from = point_at(p), &to = point_at(q);
        const zone& in = zone_at(from.zone);
        const std::int32_t backbone = from.linked || to.linked ? in.backbone : no_link;
        std::array<std::int32_t, 6> found{};
        std::size_t size = 0;
        for (const std::int32_t link : {from.limiter, from.up, backbone, to.down, to.limiter})
            if (link != no_link && std::find(found.data(), found.data() + size, link) == found.data() + size)
                found[size++] = link;
        if (in.first_distance != no_link) {
            const auto [i, j] = std::minmax(from.position, to.position);
            found[size++] = in.first_distance + static_cast<std::int32_t>(j * (j + 1) / 2 + i);
        }
        passed(std::span<const std::int32_t>(found.data(), size));
    }
    template <class Passed>
    void compose_shape(rank_t p, rank_t q, Passed passed) const {
        const zone& in = zone_at(point_at(p).zone);
        const auto cable = [&](rank_t i, rank_t direction) {
            const std::int32_t link = in.first_cable + static_cast<std::int32_t>(in.two_ways ? 2 * i + direction : i);
            passed(std::span(&link, 1));
        };
        const auto vertex = [&](rank_t i) {
            const std::int32_t link = in.first_limiter + static_cast<std::int32_t>(i);
            if (in.first_limiter != no_link) passed(std::span(&link, 1));
        };
        std::visit([&](const auto& shape) { shape.route(point_at(p).position, point_at(q).position, cable, vertex); },
                   *in.shape);
    }

    [[noreturn]] void refuse(rank_t p, rank_t q, rank_t z) const {
        file.refuse(zone_at(z).line,
                    fmt::format("no route from {} to {} in {}", json_text(point_at(p).name),
                                json_text(point_at(q).name), json_text(zone_at(z).id)),
                    "routes between all hosts");
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
