#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "collsched/format/readers/cluster_builder.hpp"
#include "collsched/format/readers/simgrid_elements.hpp"
#include "collsched/format/readers/simgrid_platform.hpp"
#include "collsched/format/readers/simgrid_routes.hpp"

namespace collsched::inline v0_1 {

/// Reads the zones of a SimGrid platform: points and routes into `platform`, equipment and computers (the hosts) into
/// `builder`, still without costs. Zones with hosts, clusters, cabinets, and the switches of fat trees are the
/// equipment.
class simgrid_zones {
  public:
    simgrid_zones(const text_file& file, picoseconds overhead)
        : platform{file}, builder(file), xml_(file), read_(file, xml_), overhead_(overhead) {
        const pugi::xml_node root = xml_.root("platform");
        xml_.check_attributes(root, {"version"});
        read_.check_version(root);
        read_.check_children(root, {"config", "zone", "AS", "cluster"});
        for (const pugi::xml_node node : root.children()) {
            if (node.name() == std::string_view("config")) continue;
            if (!platform.zones.empty()) xml_.refuse_child(node, "one zone or cluster that holds all others");
            if (node.name() == std::string_view("cluster")) read_cluster(node, -1);
            else read_zone(node, -1);
        }
        if (builder.computers() == 0) xml_.refuse(root, "no host", "one or more");
        simgrid_routes routes(xml_, read_, platform);
        for (const auto& [node, z] : routes_) routes.read(node, z);
        stand_alone(routes.gateway_zones);
    }

    simgrid_platform platform;
    cluster_builder builder;
    std::vector<rank_t> point_of{};  ///< of each computer
    /// Which computer stands for each: of alike hosts on a switch, and of alike switches, the first three stand for
    /// all, as many as it takes to find the links of a tree.
    std::vector<rank_t> like{};

  private:
    using routing = simgrid_platform::routing;
    static constexpr rank_t deepest = 16;
    static constexpr std::size_t most_links = std::size_t{1} << 24;

    static std::size_t at(rank_t i) { return static_cast<std::size_t>(i); }

    rank_t add_zone(pugi::xml_node node, rank_t parent, routing how) {
        const auto z = static_cast<rank_t>(platform.zones.size());
        const rank_t level = parent < 0 ? 0 : platform.zone_at(parent).level + 1;
        if (level == deepest) xml_.refuse(node, "zones in zones", "at most 16 levels");
        claim(node, read_.text(node, "id"), platform.zone_names, z);
        platform.zones.push_back({read_.text(node, "id"), xml_.line(node), parent, level, how});
        equipment_.push_back(-1);
        return z;
    }
    rank_t add_point(pugi::xml_node node, simgrid_platform::point made) {
        const auto p = static_cast<rank_t>(platform.points.size());
        claim(node, made.name, platform.point_names, p);
        platform.points.push_back(std::move(made));
        return p;
    }
    /// Hosts, routers and zones may not share a name.
    void claim(pugi::xml_node node, const std::string& name, std::unordered_map<std::string, rank_t>& among, rank_t i) {
        if (platform.zone_names.contains(name) || platform.point_names.contains(name))
            xml_.refuse(node, json_text(name) + " twice", "every zone, host and router once");
        among.emplace(name, i);
    }
    void add_host(pugi::xml_node node, rank_t home, simgrid_platform::point made, rank_t alike) {
        builder.add_computer(made.name, home, overhead_, {}, xml_.line(node));
        point_of.push_back(add_point(node, std::move(made)));
        like.push_back(alike);
    }
    /// Zones become equipment when the first host is found in them.
    rank_t equipment_of(rank_t z) {
        if (equipment_[at(z)] >= 0) return equipment_[at(z)];
        const simgrid_platform::zone& made = platform.zone_at(z);
        const rank_t parent = made.parent < 0 ? -1 : equipment_of(made.parent);
        return equipment_[at(z)] = builder.add_equipment(made.id, parent, {}, made.line);
    }

    void read_zone(pugi::xml_node node, rank_t parent) {
        xml_.check_attributes(node, {"id", "routing"});
        const rank_t z = add_zone(node, parent, read_.routing(node));
        const bool is_star = platform.zone_at(z).how == routing::star;
        bool zones = false, points = false;
        for (const pugi::xml_node child : node.children()) {
            const std::string_view name = child.name();
            const bool is_zone = name == "zone" || name == "AS" || name == "cluster";
            const bool is_point = name == "host" || name == "router" || name == "cabinet";
            if (is_star ? is_zone : name == "cabinet" || name == "backbone" || name == "host_link")
                xml_.refuse_child(child, is_star ? "no zones where routing is Cluster" : "routing Cluster with it");
            (is_zone ? zones : points) |= is_zone || is_point;
            if (zones && points) xml_.refuse_child(child, "zones or hosts in a zone, not both");
            if (name == "prop") continue;
            if (name == "cluster") read_cluster(child, z);
            else if (is_zone) read_zone(child, z);
            else if (name == "host") read_host(child, z);
            else if (name == "router") read_router(child, z);
            else if (name == "cabinet") read_cabinet(child, z);
            else if (name == "link") read_link(child);
            else if (name == "backbone") read_backbone(child, z);
            else routes_.emplace_back(child, z);
        }
    }

    void read_host(pugi::xml_node node, rank_t z) {
        xml_.check_attributes(node, {"id", "speed", "core", "pstate", "coordinates"});
        read_.check_children(node, {"prop", "disk"});
        add_host(node, equipment_of(z), {.name = read_.text(node, "id"), .zone = z}, builder.computers());
    }
    void read_router(pugi::xml_node node, rank_t z) {
        xml_.check_attributes(node, {"id", "coordinates"});
        read_.check_children(node, {});
        add_point(node, {.name = read_.text(node, "id"), .zone = z});
    }
    void read_link(pugi::xml_node node) {
        xml_.check_attributes(node, {"id", "bandwidth", "latency", "sharing_policy"});
        read_.check_children(node, {"prop"});
        const std::string id = read_.text(node, "id");
        const std::string_view policy =
            read_.word(node, "sharing_policy", {"SHARED", "SPLITDUPLEX", "FULLDUPLEX", "FATPIPE"});
        const bool split = policy == "SPLITDUPLEX" || policy == "FULLDUPLEX";
        const std::vector<std::string> names = split ? std::vector{id + "_UP", id + "_DOWN"} : std::vector{id};
        for (const std::string& name : names)
            if (!platform.link_names.emplace(name, platform.add_link(read_.link(node))).second)
                xml_.refuse(node, "link " + json_text(id) + " twice", "every link once");
        if (const auto down = static_cast<std::int32_t>(platform.links.size()) - 1; split) {
            platform.other_way.emplace(down, down - 1);
            platform.other_way.emplace(down - 1, down);
        }
    }
    void read_backbone(pugi::xml_node node, rank_t z) {
        xml_.check_attributes(node, {"id", "bandwidth", "latency"});
        read_.check_children(node, {});
        std::int32_t& backbone = platform.zone_at(z).backbone;
        if (backbone != platform.no_link) xml_.refuse(node, "a second <backbone>", "one in a zone");
        backbone = platform.add_link(read_.link(node));
    }
    void read_cabinet(pugi::xml_node node, rank_t z) {
        xml_.check_attributes(node, {"id", "prefix", "suffix", "radical", "speed", "bw", "lat"});
        read_.check_children(node, {});
        const std::vector<std::int64_t> radical = read_.radical(node);
        const rank_t home = builder.add_equipment(read_.text(node, "id"), equipment_of(z), {}, xml_.line(node));
        add_hosts(node, z, home, radical, {static_cast<rank_t>(radical.size())});
    }

    void read_cluster(pugi::xml_node node, rank_t parent) {
        xml_.check_attributes(node, {"id", "prefix", "suffix", "radical", "speed", "core", "bw", "lat",
                                     "sharing_policy", "topology", "topo_parameters", "bb_bw", "bb_lat",
                                     "bb_sharing_policy", "router_id", "limiter_link", "loopback_bw", "loopback_lat"});
        read_.check_children(node, {"prop"});
        read_.word(node, "sharing_policy", {"SPLITDUPLEX", "FULLDUPLEX", "SHARED", "FATPIPE"});
        read_.word(node, "bb_sharing_policy", {"SHARED", "FATPIPE"});
        const bool is_flat = read_.word(node, "topology", {"FLAT", "FAT_TREE"}) == "FLAT";
        const rank_t z = add_zone(node, parent, is_flat ? routing::star : routing::fat_tree);
        const std::vector<std::int64_t> radical = read_.radical(node);
        const auto hosts = static_cast<rank_t>(radical.size());
        std::vector<rank_t> arity{hosts};
        if (is_flat) {
            if (const auto backbone = read_.backbone(node)) platform.zone_at(z).backbone = platform.add_link(*backbone);
            const std::string router = node.attribute("router_id").value();
            add_point(node, {.name = router.empty() ? read_.text(node, "prefix") + platform.zone_at(z).id + "_router" +
                                                          read_.text(node, "suffix")
                                                    : router,
                             .zone = z});
        } else {
            simgrid_platform::zone& made = platform.zone_at(z);
            made.tree = read_.fat_tree(node, hosts);
            arity = made.tree->down();
            made.two_ways = read_.two_ways(node);
            made.first_cable = static_cast<std::int32_t>(platform.links.size());
            const auto links = static_cast<std::size_t>(made.tree->cables() * (made.two_ways ? 2 : 1));
            if (platform.links.size() + links > most_links)
                xml_.refuse(node, "too many cables", "at most 2^24 links of fat trees, counted each way");
            platform.links.insert(platform.links.end(), links, read_.host_link(node));
        }
        add_hosts(node, z, equipment_of(z), radical, arity);
    }

    /// Hosts named by prefix, number and suffix, on switches with so many things on each, level by level from the
    /// hosts.
    void add_hosts(pugi::xml_node node, rank_t z, rank_t home, const std::vector<std::int64_t>& radical,
                   const std::vector<rank_t>& arity) {
        const std::string prefix = read_.text(node, "prefix"), suffix = read_.text(node, "suffix");
        const network_link link = read_.host_link(node);
        const std::optional<network_link> limiter = read_.limiter(node);
        const bool two_ways = read_.two_ways(node), is_star = platform.zone_at(z).how == routing::star;
        const rank_t first = builder.computers(), hosts = static_cast<rank_t>(radical.size());
        std::vector<rank_t> on(arity.size() + 1, home);  // which switch of each level the next host stands under
        for (rank_t i = 0; i < hosts; ++i) {
            rank_t stride = hosts;
            for (std::size_t l = arity.size() - 1; l > 0; --l) {
                const rank_t above = stride;
                stride /= arity[l];
                if (i % stride == 0)
                    on[l] = builder.add_equipment(
                        fmt::format("{}/{}", builder.equipment_name(on[l + 1]), i % above / stride), on[l + 1], {},
                        xml_.line(node));
            }
            rank_t alike = first;
            stride = 1;
            for (const rank_t width : arity) {
                alike += std::min<rank_t>(i / stride % width, 2) * stride;
                stride *= width;
            }
            simgrid_platform::point host{.name = fmt::format("{}{}{}", prefix, radical[at(i)], suffix),
                                         .zone = z,
                                         .position = i,
                                         .linked = true};
            if (limiter) host.limiter = platform.add_link(*limiter);
            if (is_star) host.up = platform.add_link(link);
            if (is_star) host.down = two_ways ? platform.add_link(link) : host.up;
            add_host(node, arity.size() > 1 ? on[1] : home, std::move(host), alike);
        }
    }

    /// A host that is a gateway is like no other, and so those beside it are no longer alike in how they reach it.
    void stand_alone(const std::unordered_set<rank_t>& gateway_zones) {
        for (rank_t c = 0; c < builder.computers(); ++c)
            if (gateway_zones.contains(platform.point_at(point_of[at(c)]).zone)) like[at(c)] = c;
    }

    xml_file xml_;
    simgrid_elements read_;
    picoseconds overhead_;
    std::vector<rank_t> equipment_;                          ///< of each zone, or -1
    std::vector<std::pair<pugi::xml_node, rank_t>> routes_;  ///< what is left in each zone, to be read last
};

}  // namespace collsched::inline v0_1
