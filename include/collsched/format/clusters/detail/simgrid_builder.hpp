#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "collsched/format/clusters/detail/cluster_builder.hpp"
#include "collsched/format/clusters/detail/simgrid_elements.hpp"
#include "collsched/format/clusters/detail/simgrid_platform.hpp"
#include "collsched/format/files/detail/xml_file.hpp"
#include "collsched/format/text.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Builds the content of a SimGrid platform: zones and points in `platform`, switches and nodes (the hosts) in
/// `builder`, without costs. Its functions throw input_error.
class simgrid_builder {
  public:
    simgrid_builder(const text_file& file, picoseconds overhead,
                    simgrid_bandwidths bandwidths = simgrid_bandwidths::rounded)
        : platform{file}, builder(file), xml(file), read(file, xml, bandwidths), overhead_(overhead) {}

    rank_t add_zone(pugi::xml_node node, rank_t parent, simgrid_platform::routing routing) {
        const auto z = static_cast<rank_t>(platform.zones.size());
        const rank_t level = parent < 0 ? 0 : platform.zone_at(parent).level + 1;
        if (level == deepest) xml.refuse(node, "zones in zones", "at most 16 levels");
        claim(node, read.text(node, "id"), platform.zone_names, z);
        platform.zones.push_back({read.text(node, "id"), xml.line(node), parent, level, routing});
        switches_.push_back(-1);
        return z;
    }
    rank_t add_point(pugi::xml_node node, simgrid_platform::point point) {
        const auto p = static_cast<rank_t>(platform.points.size());
        claim(node, point.name, platform.point_names, p);
        platform.points.push_back(std::move(point));
        return p;
    }
    /// @param home switch of the host
    /// @param alike node that represents the host, or the number of the host itself
    void add_host(pugi::xml_node node, rank_t home, simgrid_platform::point point, rank_t alike) {
        builder.add_node(point.name, home, overhead_, {}, xml.line(node));
        point_of.push_back(add_point(node, std::move(point)));
        like.push_back(alike);
    }
    /// Adds `count` links that no <link> names.
    /// @return the number of the first link
    std::int32_t add_links(pugi::xml_node node, std::size_t count, const simgrid_link& link) {
        if (platform.links.size() + count > most_links)
            xml.refuse(node, "too many links", "at most 2^24 of topologies and Vivaldi zones, counted each way");
        platform.links.insert(platform.links.end(), count, platform.stored(link));
        platform.bandwidths.insert(platform.bandwidths.end(), count, link.bandwidth);
        return static_cast<std::int32_t>(platform.links.size() - count);
    }
    /// Returns the switch of a zone. A zone becomes a switch when the first host is found in it.
    rank_t switch_of(rank_t z) {
        if (switches_[at(z)] >= 0) return switches_[at(z)];
        const simgrid_platform::zone& zone = platform.zone_at(z);
        const rank_t parent = zone.parent < 0 ? -1 : switch_of(zone.parent);
        return switches_[at(z)] = builder.add_switch(zone.id, parent, {}, zone.line);
    }

    simgrid_platform platform;
    cluster_builder builder;
    std::vector<rank_t> point_of{};  ///< per node: its point
    /// Per node: the node that represents it. Among identical hosts on a switch, and among identical switches, the
    /// first three represent all. Three are enough to compute the links of a tree.
    std::vector<rank_t> like{};
    xml_file xml;
    simgrid_elements read;

  private:
    static constexpr rank_t deepest = 16;
    static constexpr std::size_t most_links = std::size_t{1} << 24;

    static std::size_t at(rank_t i) { return static_cast<std::size_t>(i); }

    /// Throws if a name is in use. Hosts, routers and zones have distinct names.
    void claim(pugi::xml_node node, const std::string& name, std::unordered_map<std::string, rank_t>& numbers,
               rank_t i) {
        if (platform.zone_names.contains(name) || platform.point_names.contains(name))
            xml.refuse(node, json_text(name) + " twice", "every zone, host and router once");
        numbers.emplace(name, i);
    }

    picoseconds overhead_;
    std::vector<rank_t> switches_;  ///< per zone: its switch, or -1
};

/// Reads the elements of a SimGrid platform that represent many hosts: <cluster> and <cabinet>.
class simgrid_clusters {
  public:
    explicit simgrid_clusters(simgrid_builder& into) : into_(into) {}

    /// Adds a cluster as a zone in zone `parent`, or without a parent if it is -1.
    void read_cluster(pugi::xml_node node, rank_t parent) {
        const simgrid_elements& read = into_.read;
        into_.xml.check_attributes(
            node, {"id", "prefix", "suffix", "radical", "speed", "core", "bw", "lat", "sharing_policy", "topology",
                   "topo_parameters", "bb_bw", "bb_lat", "bb_sharing_policy", "router_id", "limiter_link",
                   "loopback_bw", "loopback_lat"});
        read.check_children(node, {"prop"});
        read.word(node, "sharing_policy", {"SPLITDUPLEX", "FULLDUPLEX", "SHARED", "FATPIPE"});
        read.word(node, "bb_sharing_policy", {"SHARED", "FATPIPE"});
        const bool is_flat = read.word(node, "topology", {"FLAT", "FAT_TREE", "TORUS", "DRAGONFLY"}) == "FLAT";
        const rank_t z = into_.add_zone(
            node, parent, is_flat ? simgrid_platform::routing::star : simgrid_platform::routing::topology);
        const std::vector<std::int64_t> radical = read.radical(node);
        std::vector<rank_t> arity{static_cast<rank_t>(radical.size())};
        if (is_flat) read_star(node, z);
        else arity = read_topology(node, z, arity.front());
        if (const auto loopback = read.loopback(node))
            into_.platform.zone_at(z).first_loopback = into_.add_links(node, radical.size(), *loopback);
        add_hosts(node, z, into_.switch_of(z), radical, arity);
    }
    void read_cabinet(pugi::xml_node node, rank_t z) {
        into_.xml.check_attributes(node, {"id", "prefix", "suffix", "radical", "speed", "bw", "lat"});
        into_.read.check_children(node, {});
        const std::vector<std::int64_t> radical = into_.read.radical(node);
        const rank_t home =
            into_.builder.add_switch(into_.read.text(node, "id"), into_.switch_of(z), {}, into_.xml.line(node));
        add_hosts(node, z, home, radical, {static_cast<rank_t>(radical.size())});
    }

  private:
    static std::size_t at(rank_t i) { return static_cast<std::size_t>(i); }

    void read_star(pugi::xml_node node, rank_t z) {
        if (const auto backbone = into_.read.backbone(node))
            into_.platform.zone_at(z).backbone = into_.platform.add_link(*backbone);
        const std::string router = node.attribute("router_id").value();
        const std::string name = into_.read.text(node, "prefix") + into_.platform.zone_at(z).id + "_router" +
                                 into_.read.text(node, "suffix");
        into_.add_point(node, {.name = router.empty() ? name : router, .zone = z});
    }
    /// @return number of children per switch, from the hosts upwards
    std::vector<rank_t> read_topology(pugi::xml_node node, rank_t z, rank_t hosts) {
        simgrid_platform::zone& zone = into_.platform.zone_at(z);
        zone.shape = into_.read.topology(node, hosts, fat_tree_hosts_);
        if (std::holds_alternative<fat_tree_cables>(*zone.shape)) fat_tree_hosts_ += hosts;
        zone.two_ways = into_.read.two_ways(node);
        std::visit([&](const auto& shape) { add_cables(node, zone, shape); }, *zone.shape);
        return std::visit([](const auto& shape) -> std::vector<rank_t> { return shape.arity(); }, *zone.shape);
    }
    template <class Shape>
    void add_cables(pugi::xml_node node, simgrid_platform::zone& zone, const Shape& shape) {
        const rank_t cables = shape.cables(), ways = zone.two_ways ? 2 : 1;
        zone.first_cable = into_.add_links(node, at(cables * ways), into_.read.host_link(node));
        rank_t width = 1;
        simgrid_link link;
        contention_model::network::link stored;
        for (rank_t cable = 0; cable < cables; ++cable) {
            if (shape.width(cable) != width) {
                link = into_.read.host_link(node, width = shape.width(cable));
                stored = into_.platform.stored(link);
            }
            if (width == 1) continue;
            for (rank_t i = cable * ways; i < (cable + 1) * ways; ++i) {
                into_.platform.links[at(zone.first_cable + i)] = stored;
                into_.platform.bandwidths[at(zone.first_cable + i)] = link.bandwidth;
            }
        }
        if (const auto limiter = into_.read.limiter(node))
            zone.first_limiter = into_.add_links(node, at(shape.vertices()), *limiter);
    }

    /// Adds hosts named by prefix, number and suffix. `arity` is the number of children per switch, level by level from
    /// the hosts.
    void add_hosts(pugi::xml_node node, rank_t z, rank_t home, const std::vector<std::int64_t>& radical,
                   const std::vector<rank_t>& arity) {
        const std::string prefix = into_.read.text(node, "prefix"), suffix = into_.read.text(node, "suffix");
        const std::optional<simgrid_platform::topology>& shape = into_.platform.zone_at(z).shape;
        const bool is_tree = !shape || std::holds_alternative<fat_tree_cables>(*shape);
        const rank_t first = into_.builder.nodes();
        std::vector<rank_t> on(arity.size() + 1, home);  // per level: the switch above the next host
        for (rank_t i = 0; i < static_cast<rank_t>(radical.size()); ++i) {
            raise_switches(node, i, static_cast<rank_t>(radical.size()), arity, on);
            simgrid_platform::point host{.name = fmt::format("{}{}{}", prefix, radical[at(i)], suffix),
                                         .zone = z,
                                         .position = i,
                                         .linked = true};
            if (!shape) add_star_links(node, host);
            into_.add_host(node, arity.size() > 1 ? on[1] : home, std::move(host),
                           first + (is_tree ? alike(i, arity) : i));
        }
    }
    void add_star_links(pugi::xml_node node, simgrid_platform::point& host) {
        const simgrid_link link = into_.read.host_link(node);
        if (const auto limiter = into_.read.limiter(node)) host.limiter = into_.platform.add_link(*limiter);
        host.up = into_.platform.add_link(link);
        host.down = into_.read.two_ways(node) ? into_.platform.add_link(link) : host.up;
    }
    /// Adds the switches whose first host is i.
    void raise_switches(pugi::xml_node node, rank_t i, rank_t hosts, const std::vector<rank_t>& arity,
                        std::vector<rank_t>& on) {
        rank_t stride = hosts;
        for (std::size_t l = arity.size() - 1; l > 0; --l) {
            const rank_t above = stride;
            stride /= arity[l];
            if (i % stride == 0)
                on[l] = into_.builder.add_switch(
                    fmt::format("{}/{}", into_.builder.switch_name(on[l + 1]), i % above / stride), on[l + 1], {},
                    into_.xml.line(node));
        }
    }
    /// Returns the representative of host i among identical hosts on identical switches.
    static rank_t alike(rank_t i, const std::vector<rank_t>& arity) {
        rank_t found = 0, stride = 1;
        for (const rank_t width : arity) {
            found += std::min<rank_t>(i / stride % width, 2) * stride;
            stride *= width;
        }
        return found;
    }

    simgrid_builder& into_;
    rank_t fat_tree_hosts_ = 0;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
