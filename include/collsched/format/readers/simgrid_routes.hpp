#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "collsched/format/pen.hpp"
#include "collsched/format/readers/simgrid_elements.hpp"
#include "collsched/format/readers/simgrid_platform.hpp"
#include "collsched/format/readers/xml_file.hpp"

namespace collsched::inline v0_1 {

/// Reads the routes of a SimGrid platform whose zones, points and links are known.
class simgrid_routes {
  public:
    simgrid_routes(const xml_file& xml, const simgrid_elements& elements, simgrid_platform& platform)
        : xml_(xml), read_(elements), platform_(platform) {}

    /// A route in zone z, or, if its routing is Cluster, the link of a host. Refuses all else.
    void read(pugi::xml_node node, rank_t z) {
        const std::string_view name = node.name();
        const bool is_zone_route = name == "zoneRoute" || name == "ASroute";
        if (name == "host_link") return read_host_link(node, z);
        if (name != "route" && !is_zone_route)
            xml_.refuse_child(node, "zones, clusters, cabinets, hosts, routers, links, routes");
        if (platform_.zone_at(z).how != simgrid_platform::routing::full)
            xml_.refuse_child(node, "routing Full with it");
        if (is_zone_route) read_zone_route(node, z);
        else read_point_route(node, z);
    }

    std::unordered_set<rank_t> gateway_zones{};  ///< stars and fat trees in which a host is a gateway

  private:
    void read_zone_route(pugi::xml_node node, rank_t z) {
        xml_.check_attributes(node, {"src", "dst", "gw_src", "gw_dst", "symmetrical"});
        const rank_t from = zone_end(node, "src", z), to = zone_end(node, "dst", z);
        add(node, z, from, to, {links(node), gateway(node, "gw_src", from), gateway(node, "gw_dst", to)});
    }
    void read_point_route(pugi::xml_node node, rank_t z) {
        xml_.check_attributes(node, {"src", "dst", "symmetrical"});
        add(node, z, point_end(node, "src", z), point_end(node, "dst", z), {links(node)});
    }
    /// A way from something to itself is never used here.
    void add(pugi::xml_node node, rank_t z, rank_t from, rank_t to, const simgrid_platform::route& made) {
        auto& routes = platform_.zone_at(z).routes;
        const auto put = [&](rank_t a, rank_t b, const simgrid_platform::route& route) {
            if (!routes.emplace(simgrid_platform::pair_key(a, b), route).second)
                xml_.refuse(node, "a second route between the two", "one, which holds for both directions");
        };
        const bool both_ways = read_.symmetrical(node);
        if (from == to) return;
        put(from, to, made);
        if (both_ways) put(to, from, {backwards(made.links), made.to_gateway, made.from_gateway});
    }

    /// The same links in the other order, those split in two in the other direction.
    link_route backwards(link_route links) const {
        std::ranges::reverse(links);
        for (std::int32_t& link : links)
            if (const auto found = platform_.other_way.find(link); found != platform_.other_way.end())
                link = found->second;
        return links;
    }

    static rank_t find(pugi::xml_attribute end, const std::unordered_map<std::string, rank_t>& among) {
        const auto found = among.find(end.value());
        return found == among.end() ? -1 : found->second;
    }
    [[noreturn]] void refuse(pugi::xml_attribute end, std::string_view accepted) const {
        xml_.refuse(end, fmt::format("{} = {}", end.name(), json_text(end.value())), accepted);
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
        rank_t around = found < 0 ? -1 : platform_.point_at(found).zone;
        while (around >= 0 && around != z) around = platform_.zone_at(around).parent;
        if (around < 0) refuse(end, "a host or router in " + json_text(platform_.zone_at(z).id));
        if (platform_.point_at(found).linked) gateway_zones.insert(platform_.point_at(found).zone);
        return found;
    }

    link_route links(pugi::xml_node route) const {
        read_.check_children(route, {"link_ctn"});
        if (!route.first_child())
            xml_.refuse(route, fmt::format("<{}> without links", route.name()), "<link_ctn id=\"...\"/>");
        link_route found;
        for (const pugi::xml_node node : route.children()) {
            xml_.check_attributes(node, {"id", "direction"});
            read_.check_children(node, {});
            const std::string_view direction = read_.word(node, "direction", {"NONE", "UP", "DOWN"});
            const pugi::xml_attribute id = xml_.needed(node, "id");
            found.push_back(link(id, direction == "NONE" ? id.value() : fmt::format("{}_{}", id.value(), direction)));
        }
        return found;
    }
    std::int32_t link(pugi::xml_attribute attribute, const std::string& key) const {
        const auto found = platform_.link_names.find(key);
        if (found == platform_.link_names.end())
            refuse(attribute, "the id of a <link>, with a direction if its sharing_policy is SPLITDUPLEX");
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
            const auto user = link_users_.emplace(attribute.value(), host.name).first;
            if (user->second != host.name) refuse(attribute, "a link of its own for each host");
        }
    }

    const xml_file& xml_;
    const simgrid_elements& read_;
    simgrid_platform& platform_;
    std::unordered_map<std::string, std::string> link_users_;
};

}  // namespace collsched::inline v0_1
