#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "collsched/format/text.hpp"
#include "collsched/format/clusters/detail/simgrid_elements.hpp"
#include "collsched/format/clusters/detail/simgrid_graph.hpp"
#include "collsched/format/clusters/detail/simgrid_platform.hpp"
#include "collsched/format/files/detail/xml_file.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Reads the routes of a SimGrid platform whose zones, points and links have been read.
class simgrid_routes {
  public:
    simgrid_routes(const xml_file& xml, const simgrid_elements& elements, simgrid_platform& platform)
        : xml_(xml), read_(elements), platform_(platform) {}

    /// Reads a route or bypass in zone z, or the link of a host if the routing of z is Cluster. Rejects other elements.
    void read(pugi::xml_node node, rank_t z) {
        const std::string_view name = node.name();
        if (name == "host_link") return read_host_link(node, z);
        if (name == "bypassRoute") return read_bypass(node, z);
        if (name == "bypassZoneRoute" || name == "bypassASroute") return read_zone_bypass(node, z);
        const bool is_zone_route = name == "zoneRoute" || name == "ASroute";
        if (name != "route" && !is_zone_route)
            xml_.refuse_child(node,
                              "zones, clusters, cabinets, hosts, peers, routers, links, routes, bypasses, profiles");
        const simgrid_platform::routing method = platform_.zone_at(z).routing;
        const bool is_listed = method == routing::full || method == routing::floyd || method == routing::dijkstra;
        if (name == "route" && (method == routing::star || method == routing::vivaldi)) return read_loopback(node, z);
        if (!is_listed) xml_.refuse_child(node, "routing Full, Floyd or Dijkstra with it");
        if (is_zone_route) read_zone_route(node, z);
        else read_point_route(node, z);
    }
    /// Finds the shortest paths.
    /// @pre all routes have been read
    void find_paths() {
        constexpr std::size_t most_pairs = std::size_t{1} << 24, most_steps = std::size_t{1} << 31;
        const std::vector<std::vector<rank_t>> all = vertices();
        std::size_t pairs = 0, steps = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
            simgrid_platform::zone& z = platform_.zones[i];
            if (z.routing != routing::floyd && z.routing != routing::dijkstra) continue;
            pairs += all[i].size() * all[i].size();
            steps += all[i].size() * z.edges.size();
            if (pairs > most_pairs || steps > most_steps)
                platform_.file.refuse(
                    z.line,
                    fmt::format("{} vertices and {} routes in {}", all[i].size(), z.edges.size(), json_text(z.id)),
                    "4096 vertices squared, and vertices times routes at most 2^31, in all zones with "
                    "routing Floyd or Dijkstra together");
            z.graph.emplace(
                all[i], z.edges,
                z.routing == routing::floyd ? simgrid_graph::method::floyd : simgrid_graph::method::dijkstra);
            z.edges = {};
        }
    }

    /// Stars and topologies in which a host is a gateway or has a bypass.
    std::unordered_set<rank_t> gateway_zones{};

  private:
    using routing = simgrid_platform::routing;
    static constexpr std::size_t most_links = 1024;

    struct passed_link {
        std::int32_t link;
        bool is_directed;  ///< given with a direction, which is reversed on the way back
    };

    void read_zone_route(pugi::xml_node node, rank_t z) {
        xml_.check_attributes(node, {"src", "dst", "gw_src", "gw_dst", "symmetrical"});
        const rank_t from = zone_end(node, "src", z), to = zone_end(node, "dst", z);
        add(node, z, from, to, {{}, gateway(node, "gw_src", from), gateway(node, "gw_dst", to)});
    }
    void read_point_route(pugi::xml_node node, rank_t z) {
        xml_.check_attributes(node, {"src", "dst", "symmetrical"});
        add(node, z, point_end(node, "src", z), point_end(node, "dst", z), {});
    }
    void add(pugi::xml_node node, rank_t z, rank_t from, rank_t to, simgrid_platform::route route) {
        const std::vector<passed_link> passed = links(node);
        const bool both_ways = read_.symmetrical(node);
        route.links = forwards(passed);
        if (from == to) return put_loopback(node, z, from, std::move(route));
        const auto put = [&](rank_t a, rank_t b, const simgrid_platform::route& direction) {
            if (!platform_.zone_at(z).routes.emplace(simgrid_platform::pair_key(a, b), direction).second)
                xml_.refuse(node, "a second route between the two", "one, which holds for both directions");
            platform_.zone_at(z).edges.push_back({a, b, std::ssize(direction.links)});
        };
        put(from, to, route);
        if (both_ways) put(to, from, {backwards(passed), route.to_gateway, route.from_gateway});
    }
    void read_loopback(pugi::xml_node node, rank_t z) {
        xml_.check_attributes(node, {"src", "dst", "symmetrical"});
        const rank_t p = point_end(node, "src", z);
        if (p != point_end(node, "dst", z))
            xml_.refuse_child(node, "routing Full, Floyd or Dijkstra with it, or a route from a host to itself");
        put_loopback(node, z, p, {forwards(links(node))});
    }
    void put_loopback(pugi::xml_node node, rank_t z, rank_t p, simgrid_platform::route route) {
        if (!platform_.zone_at(z).routes.emplace(simgrid_platform::pair_key(p, p), std::move(route)).second)
            xml_.refuse(node, "a second route between the two", "one, which holds for both directions");
    }

    void read_bypass(pugi::xml_node node, rank_t z) {
        xml_.check_attributes(node, {"src", "dst"});
        const rank_t from = point_end(node, "src", z), to = point_end(node, "dst", z);
        if (platform_.point_at(from).linked || platform_.point_at(to).linked) gateway_zones.insert(z);
        put_bypass(node, platform_.zone_at(z).bypasses, from, to, {forwards(links(node))});
    }
    void read_zone_bypass(pugi::xml_node node, rank_t z) {
        xml_.check_attributes(node, {"src", "dst", "gw_src", "gw_dst"});
        const rank_t from = bypass_end(node, "src", z), to = bypass_end(node, "dst", z);
        if (platform_.loopback == simgrid_platform::no_link)
            platform_.loopback =
                platform_.add_link({{{0, byte_fs_of(10'000)}, false}, 10'000'000'000});  // SimGrid's default
        put_bypass(node, platform_.zone_at(z).zone_bypasses, from, to,
                   {forwards(links(node)), gateway(node, "gw_src", from), gateway(node, "gw_dst", to)});
    }
    void put_bypass(pugi::xml_node node, simgrid_platform::route_table& table, rank_t from, rank_t to,
                    simgrid_platform::route route) const {
        if (!table.emplace(simgrid_platform::pair_key(from, to), std::move(route)).second)
            xml_.refuse(node, "a second bypass between the two", "one for each direction");
    }
    rank_t bypass_end(pugi::xml_node node, const char* name, rank_t z) const {
        const pugi::xml_attribute end = xml_.needed(node, name);
        const rank_t found = find(end, platform_.zone_names);
        if (found < 0 || found == z || !platform_.lies_in(found, z)) refuse(end, "a zone in this one");
        return found;
    }

    /// Returns per zone its inner zones or points, in order.
    std::vector<std::vector<rank_t>> vertices() const {
        std::vector<std::vector<rank_t>> found(platform_.zones.size());
        for (std::size_t i = 1; i < platform_.zones.size(); ++i)
            found[static_cast<std::size_t>(platform_.zones[i].parent)].push_back(static_cast<rank_t>(i));
        for (std::size_t i = 0; i < platform_.points.size(); ++i)
            found[static_cast<std::size_t>(platform_.points[i].zone)].push_back(static_cast<rank_t>(i));
        return found;
    }

    static link_route forwards(const std::vector<passed_link>& passed) {
        link_route links;
        for (const passed_link& link : passed) links.push_back(link.link);
        return links;
    }
    /// Returns the links in reverse order. Links that were given with a direction are reversed too.
    link_route backwards(const std::vector<passed_link>& passed) const {
        link_route links;
        for (auto entry = passed.rbegin(); entry != passed.rend(); ++entry)
            links.push_back(entry->is_directed ? platform_.other_way.at(entry->link) : entry->link);
        return links;
    }

    static rank_t find(pugi::xml_attribute end, const std::unordered_map<std::string, rank_t>& numbers) {
        const auto found = numbers.find(end.value());
        return found == numbers.end() ? -1 : found->second;
    }
    [[noreturn]] void refuse(pugi::xml_attribute end, std::string_view expected) const {
        xml_.refuse_value(end, expected);
    }
    rank_t zone_end(pugi::xml_node node, const char* name, rank_t z) const {
        const pugi::xml_attribute end = xml_.needed(node, name);
        const rank_t found = find(end, platform_.zone_names);
        if (found < 0 || platform_.zone_at(found).parent != z) refuse(end, "a zone directly in this one");
        return found;
    }
    rank_t point_end(pugi::xml_node node, const char* name, rank_t z) const {
        const pugi::xml_attribute end = xml_.needed(node, name);
        const rank_t found = find(end, platform_.point_names);
        if (found < 0 || platform_.point_at(found).zone != z) refuse(end, "a host or router of this zone");
        return found;
    }
    rank_t gateway(pugi::xml_node node, const char* name, rank_t z) {
        const pugi::xml_attribute end = xml_.needed(node, name);
        const rank_t found = find(end, platform_.point_names);
        rank_t zone = found < 0 ? -1 : platform_.point_at(found).zone;
        while (zone >= 0 && zone != z) zone = platform_.zone_at(zone).parent;
        if (zone < 0) refuse(end, "a host or router in " + json_text(platform_.zone_at(z).id));
        if (platform_.point_at(found).linked) gateway_zones.insert(platform_.point_at(found).zone);
        return found;
    }

    std::vector<passed_link> links(pugi::xml_node route) const {
        read_.check_children(route, {"link_ctn"});
        if (!route.first_child())
            xml_.refuse(route, fmt::format("<{}> without links", route.name()), "<link_ctn id=\"...\"/>");
        std::vector<passed_link> found;
        for (const pugi::xml_node node : route.children()) {
            if (found.size() == most_links) xml_.refuse(node, "a link more", "at most 1024 on a route");
            xml_.check_attributes(node, {"id", "direction"});
            read_.check_children(node, {});
            const std::string_view direction = read_.word(node, "direction", {"NONE", "UP", "DOWN"});
            const pugi::xml_attribute id = xml_.needed(node, "id");
            const bool is_directed = direction != "NONE";
            found.push_back(
                {link(id, is_directed ? fmt::format("{}_{}", id.value(), direction) : id.value()), is_directed});
            if (is_directed && !platform_.other_way.contains(found.back().link)) refuse_link(id);
        }
        return found;
    }
    [[noreturn]] void refuse_link(pugi::xml_attribute attribute) const {
        refuse(attribute, "the id of a <link>, with a direction if its sharing_policy is SPLITDUPLEX");
    }
    std::int32_t link(pugi::xml_attribute attribute, const std::string& key) const {
        const auto found = platform_.link_names.find(key);
        if (found == platform_.link_names.end()) refuse_link(attribute);
        return found->second;
    }

    void read_host_link(pugi::xml_node node, rank_t z) {
        xml_.check_attributes(node, {"id", "up", "down"});
        read_.check_children(node, {});
        simgrid_platform::point& host = platform_.point_at(point_end(node, "id", z));
        if (host.linked) xml_.refuse(node, "a second link of " + json_text(host.name), "one");
        host.linked = true;
        for (const auto& [name, part] : {std::pair("up", &host.up), std::pair("down", &host.down)}) {
            const pugi::xml_attribute attribute = xml_.needed(node, name);
            *part = link(attribute, attribute.value());
        }
    }

    const xml_file& xml_;
    const simgrid_elements& read_;
    simgrid_platform& platform_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
