#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collsched/format/text.hpp"
#include "collsched/format/clusters/detail/cluster_builder.hpp"
#include "collsched/format/clusters/detail/simgrid_elements.hpp"
#include "collsched/format/clusters/detail/simgrid_platform.hpp"
#include "collsched/format/files/detail/xml_file.hpp"

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
    rank_t add_point(pugi::xml_node node, simgrid_platform::point made) {
        const auto p = static_cast<rank_t>(platform.points.size());
        claim(node, made.name, platform.point_names, p);
        platform.points.push_back(std::move(made));
        return p;
    }
    /// @param home switch of the host
    /// @param alike node that represents the host, or the number of the host itself
    void add_host(pugi::xml_node node, rank_t home, simgrid_platform::point made, rank_t alike) {
        builder.add_node(made.name, home, overhead_, {}, xml.line(node));
        point_of.push_back(add_point(node, std::move(made)));
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
        const simgrid_platform::zone& made = platform.zone_at(z);
        const rank_t parent = made.parent < 0 ? -1 : switch_of(made.parent);
        return switches_[at(z)] = builder.add_switch(made.id, parent, {}, made.line);
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
    void claim(pugi::xml_node node, const std::string& name, std::unordered_map<std::string, rank_t>& among, rank_t i) {
        if (platform.zone_names.contains(name) || platform.point_names.contains(name))
            xml.refuse(node, json_text(name) + " twice", "every zone, host and router once");
        among.emplace(name, i);
    }

    picoseconds overhead_;
    std::vector<rank_t> switches_;  ///< per zone: its switch, or -1
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
