#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "collsched/format/text.hpp"
#include "collsched/format/clusters/detail/junction_graph.hpp"
#include "collsched/format/clusters/detail/simgrid_zones.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Converts a SimGrid platform to a network of its links. Hosts are ranks. Stars and topologies have a vertex for each
/// router, switch and backbone. A route consists of its links, from its host or gateway to the other one.
class simgrid_network {
  public:
    /// @param zones  a platform with exact bandwidths
    explicit simgrid_network(const simgrid_zones& zones)
        : platform_(zones.platform), graph_(platform_.file, platform_.zones.front().line) {
        vertices_.assign(platform_.points.size(), -1);
        points_in_.resize(platform_.zones.size());
        for (const rank_t p : zones.point_of) vertices_[at(p)] = graph_.add_vertex(platform_.point_at(p).name);
        ranks_ = static_cast<rank_t>(zones.point_of.size());
        for (rank_t p = 0; p < static_cast<rank_t>(platform_.points.size()); ++p) {
            if (vertices_[at(p)] < 0) vertices_[at(p)] = graph_.add_vertex(platform_.point_at(p).name);
            points_in_[at(platform_.point_at(p).zone)].push_back(p);
        }
        for (const auto& [name, link] : platform_.link_names) {
            names_.resize(std::max(names_.size(), at(link) + 1));
            names_[at(link)] = name;
        }
        buses_.assign(platform_.links.size(), {-1, -1});
    }

    /// Returns the network. Throws input_error. O(links + links of all routes).
    topology::network read() {
        using routing = simgrid_platform::routing;
        std::vector<listed_route> routes;
        for (const simgrid_platform::zone& zone : platform_.zones) {
            if (zone.routing == routing::vivaldi)
                platform_.file.refuse(zone.line, "routing", "\"Vivaldi\"",
                                      "another routing: its latencies are distances of hosts, and not those of links");
            for (const auto* table : {&zone.routes, &zone.bypasses, &zone.zone_bypasses}) list(*table, routes);
        }
        for (const listed_route& route : routes) is_end_.insert({route.from, route.to});
        for (rank_t z = 0; z < static_cast<rank_t>(platform_.zones.size()); ++z) {
            const simgrid_platform::zone& zone = platform_.zone_at(z);
            if (zone.routing == routing::star) add_star(zone, points_in_[at(z)]);
            if (zone.shape) std::visit([&](const auto& shape) { add_shape(zone, z, shape); }, *zone.shape);
        }
        for (const listed_route& route : routes) add_route(route);
        return graph_.network(ranks_);
    }

  private:
    using ends = junction_graph::ends;
    struct listed_route {
        rank_t from, to;  // points
        const link_route* links;
    };

    static std::size_t at(rank_t i) { return static_cast<std::size_t>(i); }

    /// Appends the routes between different points, in the order of their ends.
    static void list(const simgrid_platform::route_table& table, std::vector<listed_route>& routes) {
        const auto begin = static_cast<std::ptrdiff_t>(routes.size());
        for (const auto& [key, route] : table) {
            const bool joins_zones = route.from_gateway >= 0;
            const rank_t from = joins_zones ? route.from_gateway : static_cast<rank_t>(key >> 32);
            const rank_t to = joins_zones ? route.to_gateway : static_cast<rank_t>(key & 0xffff'ffff);
            if (from != to) routes.push_back({from, to, &route.links});
        }
        std::sort(routes.begin() + begin, routes.end(), [](const listed_route& a, const listed_route& b) {
            return std::tie(a.from, a.to, *a.links) < std::tie(b.from, b.to, *b.links);
        });
    }

    /// Returns the bandwidth that all messages on a link share, or 0.
    std::int64_t limit(std::int32_t link) const {
        return platform_.usable_link(link).shared ? platform_.bandwidths[at(link)] : 0;
    }
    picoseconds latency(std::int32_t link) const { return platform_.usable_link(link).cost.latency_ps; }
    bool is_named(std::int32_t link) const { return at(link) < names_.size() && !names_[at(link)].empty(); }

    /// Returns the ends of a link that has no vertices, which are added at the first call.
    /// @param name  name of a link that the platform does not name
    ends bus(std::int32_t link, const std::string& name) {
        ends& found = buses_[at(link)];
        if (found.entry < 0)
            found = graph_.add_bus(is_named(link) ? names_[at(link)] : name, limit(link), latency(link));
        return found;
    }
    /// Adds a link from one vertex to another, which may have others if the platform names it or if `is_shared`.
    void add(rank_t from, std::int32_t link, rank_t to, bool is_shared, const std::string& name) {
        if (!is_shared && !is_named(link)) return graph_.add_link(from, to, limit(link), latency(link));
        const ends found = bus(link, name);
        graph_.join(from, found.entry);
        graph_.join(found.exit, to);
    }
    void add_route(const listed_route& route) {
        rank_t vertex = vertices_[at(route.from)];
        for (const std::int32_t link : *route.links) {
            const ends next = bus(link, "link");
            graph_.join(vertex, next.entry);
            vertex = next.exit;
        }
        graph_.join(vertex, vertices_[at(route.to)]);
    }
    /// Adds the limiter of a vertex, which all its messages pass. Returns the vertex itself without a limiter.
    ends add_limiter(rank_t vertex, std::int32_t limiter, const std::string& name) {
        if (limiter == simgrid_platform::no_link) return {vertex, vertex};
        const ends found = bus(limiter, name);
        graph_.join(vertex, found.entry);
        graph_.join(found.exit, vertex);
        return found;
    }

    void add_star(const simgrid_platform::zone& zone, const std::vector<rank_t>& points) {
        const bool has_backbone = zone.backbone != simgrid_platform::no_link;
        const ends center = has_backbone ? bus(zone.backbone, zone.id + "_backbone") : hub(zone, points);
        for (const rank_t p : points) {
            const simgrid_platform::point& point = platform_.point_at(p);
            const rank_t vertex = vertices_[at(p)];
            if (!point.linked) {
                if (has_backbone && vertex >= ranks_ && !is_end_.contains(p)) continue;
                graph_.join(vertex, center.entry);
                graph_.join(center.exit, vertex);
                continue;
            }
            const bool is_shared = point.up == point.down;
            const ends port = add_limiter(vertex, point.limiter, point.name + "_limiter");
            add(port.exit, point.up, center.entry, is_shared, point.name + "_link");
            add(center.exit, point.down, port.entry, is_shared, point.name + "_link");
        }
    }
    /// Returns the center of a star without backbone: its router, or a vertex with the name of the zone.
    ends hub(const simgrid_platform::zone& zone, const std::vector<rank_t>& points) {
        for (const rank_t p : points)
            if (vertices_[at(p)] >= ranks_) return {vertices_[at(p)], vertices_[at(p)]};
        const rank_t vertex = graph_.add_vertex(zone.id);
        return {vertex, vertex};
    }

    template <class Shape>
    void add_shape(const simgrid_platform::zone& zone, rank_t z, const Shape& shape) {
        std::vector<ends> ports(at(shape.vertices()));
        for (const rank_t p : points_in_[at(z)]) ports[at(platform_.point_at(p).position)].entry = vertices_[at(p)];
        for (rank_t i = 0; i < shape.vertices(); ++i) {
            const rank_t vertex = i < shape.hosts()
                                      ? ports[at(i)].entry
                                      : graph_.add_vertex(fmt::format("{}_switch_{}", zone.id, i - shape.hosts()));
            const auto limiter = static_cast<std::int32_t>(zone.first_limiter + i);
            ports[at(i)] = add_limiter(vertex, zone.first_limiter < 0 ? simgrid_platform::no_link : limiter,
                                       fmt::format("{}_limiter_{}", zone.id, i));
        }
        shape.for_each_cable([&](rank_t cable, rank_t a, rank_t b) {
            const auto first = static_cast<std::int32_t>(zone.first_cable + (zone.two_ways ? 2 * cable : cable));
            const std::string name = zone.two_ways ? "" : fmt::format("{}_cable_{}", zone.id, cable);
            add(ports[at(a)].exit, first, ports[at(b)].entry, !zone.two_ways, name);
            add(ports[at(b)].exit, zone.two_ways ? first + 1 : first, ports[at(a)].entry, !zone.two_ways, name);
        });
    }

    const simgrid_platform& platform_;
    junction_graph graph_;
    rank_t ranks_ = 0;
    std::vector<rank_t> vertices_;                // of points
    std::vector<std::vector<rank_t>> points_in_;  // of zones
    std::vector<std::string> names_;              // of links, empty for the links that the platform does not name
    std::vector<ends> buses_;                     // of links; negative without vertices
    std::unordered_set<rank_t> is_end_;           // points at the ends of routes
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
