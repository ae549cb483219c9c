#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "collsched/format/clusters/detail/simgrid_builder.hpp"
#include "collsched/format/clusters/detail/simgrid_elements.hpp"
#include "collsched/format/clusters/detail/simgrid_platform.hpp"
#include "collsched/format/clusters/detail/simgrid_routes.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Reads the zones of a SimGrid platform. Zones with hosts, clusters, cabinets, and the switches of fat trees and
/// dragonflies become switches. Properties, disks, storage, profiles, actors and speeds do not affect routes and are
/// ignored. Rates are the initial ones of profiles.
class simgrid_zones : public simgrid_builder {
  public:
    simgrid_zones(const text_file& file, picoseconds overhead,
                  simgrid_bandwidths bandwidths = simgrid_bandwidths::rounded)
        : simgrid_builder(file, overhead, bandwidths), clusters_(*this) {
        const pugi::xml_node root = xml.root("platform");
        xml.check_attributes(root, {"version"});
        read.check_version(root);
        read.check_children(
            root, {"config", "random", "zone", "AS", "cluster", "trace", "trace_connect", "actor", "process"});
        for (const pugi::xml_node node : root.children()) {
            const std::string_view name = node.name();
            if (name != "cluster" && name != "zone" && name != "AS") continue;
            if (!platform.zones.empty()) xml.refuse_child(node, "one zone or cluster that holds all others");
            if (name == "cluster") clusters_.read_cluster(node, -1);
            else read_zone(node, -1);
        }
        if (builder.nodes() == 0) xml.refuse(root, "no host", "one or more");
        simgrid_routes routes(xml, read, platform);
        for (const auto& [node, z] : routes_) routes.read(node, z);
        routes.find_paths();
        stand_alone(routes.gateway_zones);
    }

  private:
    using routing = simgrid_platform::routing;

    static std::size_t at(rank_t i) { return static_cast<std::size_t>(i); }
    static bool is_zone(std::string_view name) { return name == "zone" || name == "AS" || name == "cluster"; }
    static bool is_passed_over(std::string_view name) {
        return name == "prop" || name == "trace" || name == "trace_connect" || name == "storage" ||
               name == "storage_type";
    }

    void read_zone(pugi::xml_node node, rank_t parent) {
        xml.check_attributes(node, {"id", "routing"});
        const rank_t z = add_zone(node, parent, read.routing(node));
        const simgrid_platform::routing method = platform.zone_at(z).routing;
        coordinates_.clear();
        bool zones = false, points = false;
        for (const pugi::xml_node child : node.children()) {
            const std::string_view name = child.name();
            const bool is_point = name == "host" || name == "router" || name == "cabinet" || name == "peer";
            check_place(child, method);
            (is_zone(name) ? zones : points) |= is_zone(name) || is_point;
            if (zones && points) xml.refuse_child(child, "zones or hosts in a zone, not both");
            if (!is_passed_over(name)) read_child(child, z);
        }
        if (method == routing::vivaldi) add_distances(node, z);
    }
    void check_place(pugi::xml_node child, routing method) const {
        const std::string_view name = child.name();
        const bool is_star = method == routing::star, is_vivaldi = method == routing::vivaldi;
        if (is_zone(name) && is_star) xml.refuse_child(child, "no zones where routing is Cluster");
        if (is_zone(name) && is_vivaldi) xml.refuse_child(child, "no zones where routing is Vivaldi");
        if (!is_star && (name == "cabinet" || name == "backbone" || name == "host_link"))
            xml.refuse_child(child, "routing Cluster with it");
        if (!is_vivaldi && name == "peer") xml.refuse_child(child, "routing Vivaldi with it");
    }
    void read_child(pugi::xml_node child, rank_t z) {
        const std::string_view name = child.name();
        if (name == "cluster") clusters_.read_cluster(child, z);
        else if (is_zone(name)) read_zone(child, z);
        else if (name == "host") read_host(child, z);
        else if (name == "peer") read_peer(child, z);
        else if (name == "router") read_router(child, z);
        else if (name == "cabinet") clusters_.read_cabinet(child, z);
        else if (name == "link") read_link(child);
        else if (name == "backbone") read_backbone(child, z);
        else routes_.emplace_back(child, z);
    }

    void read_host(pugi::xml_node node, rank_t z) {
        xml.check_attributes(
            node, {"id", "speed", "core", "pstate", "coordinates", "speed_file", "availability_file", "state_file"});
        read.check_children(node, {"prop", "disk", "mount"});
        add_host(node, switch_of(z), placed(node, {.name = read.text(node, "id"), .zone = z}), builder.nodes());
    }
    void read_peer(pugi::xml_node node, rank_t z) {
        xml.check_attributes(node, {"id", "speed", "bw_in", "bw_out", "lat", "coordinates", "speed_file",
                                    "availability_file", "state_file"});
        read.check_children(node, {});
        simgrid_platform::point point = placed(node, {.name = read.text(node, "id"), .zone = z, .linked = true});
        point.up = platform.add_link(read.link_of({}, xml.needed(node, "bw_out")));
        point.down = platform.add_link(read.link_of({}, xml.needed(node, "bw_in")));
        add_host(node, switch_of(z), std::move(point), builder.nodes());
    }
    void read_router(pugi::xml_node node, rank_t z) {
        xml.check_attributes(node, {"id", "coordinates"});
        read.check_children(node, {});
        add_point(node, placed(node, {.name = read.text(node, "id"), .zone = z}));
    }
    /// Returns the point, with its coordinates in a Vivaldi zone.
    simgrid_platform::point placed(pugi::xml_node node, simgrid_platform::point point) {
        if (platform.zone_at(point.zone).routing != routing::vivaldi) return point;
        point.position = static_cast<rank_t>(coordinates_.size());
        coordinates_.push_back(read.coordinates(node));
        return point;
    }
    /// Adds a link without bandwidth for each pair of points, including each point with itself.
    void add_distances(pugi::xml_node node, rank_t z) {
        const std::size_t n = coordinates_.size();
        std::int32_t link = add_links(node, n * (n + 1) / 2, {{{}, false}});
        platform.zone_at(z).first_distance = link;
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j <= i; ++j) {
                const auto &a = coordinates_[i], &b = coordinates_[j];
                const double ms = std::sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1])) +
                                  std::abs(a[2]) + std::abs(b[2]);
                platform.links[static_cast<std::size_t>(link++)].cost.latency_ps = ps_of_us(ms * 1e3);
            }
        }
    }

    void read_link(pugi::xml_node node) {
        xml.check_attributes(
            node, {"id", "bandwidth", "latency", "sharing_policy", "bandwidth_file", "latency_file", "state_file"});
        read.check_children(node, {"prop"});
        const std::string id = read.text(node, "id");
        const std::string_view policy =
            read.word(node, "sharing_policy", {"SHARED", "SPLITDUPLEX", "FULLDUPLEX", "FATPIPE"});
        const bool split = policy == "SPLITDUPLEX" || policy == "FULLDUPLEX";
        const std::vector<std::string> names = split ? std::vector{id + "_UP", id + "_DOWN"} : std::vector{id};
        for (const std::string& name : names)
            if (!platform.link_names.emplace(name, platform.add_link(read.link(node))).second)
                xml.refuse(node, "link " + json_text(id) + " twice", "every link once");
        if (const auto down = static_cast<std::int32_t>(platform.links.size()) - 1; split) {
            platform.other_way.emplace(down, down - 1);
            platform.other_way.emplace(down - 1, down);
        }
    }
    void read_backbone(pugi::xml_node node, rank_t z) {
        xml.check_attributes(node, {"id", "bandwidth", "latency"});
        read.check_children(node, {});
        std::int32_t& backbone = platform.zone_at(z).backbone;
        if (backbone != platform.no_link) xml.refuse(node, "a second <backbone>", "one in a zone");
        backbone = platform.add_link(read.link(node));
    }

    /// Makes hosts that are gateways or have a bypass, and the other hosts of their zone, their own representatives.
    /// They differ in the paths to them.
    void stand_alone(const std::unordered_set<rank_t>& gateway_zones) {
        for (rank_t c = 0; c < builder.nodes(); ++c)
            if (gateway_zones.contains(platform.point_at(point_of[at(c)]).zone)) like[at(c)] = c;
    }

    simgrid_clusters clusters_;
    std::vector<std::array<double, 3>> coordinates_;         ///< of the points of the current Vivaldi zone
    std::vector<std::pair<pugi::xml_node, rank_t>> routes_;  ///< the elements of each zone that are read last
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
