#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collsched/format/text.hpp"
#include "collsched/format/readers/detail/cluster_builder.hpp"
#include "collsched/format/readers/detail/simgrid_elements.hpp"
#include "collsched/format/readers/detail/simgrid_platform.hpp"
#include "collsched/format/readers/detail/xml_file.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// What is read of a SimGrid platform: zones and points into `platform`, switches and nodes (the hosts) into
/// `builder`, still without costs. Its functions throw input_error.
class simgrid_builder {
  public:
    simgrid_builder(const text_file& file, picoseconds overhead)
        : platform{file}, builder(file), xml(file), read(file, xml), overhead_(overhead) {}

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
    /// @param home its switch
    /// @param alike the node that represents it, or the number that this one gets
    void add_host(pugi::xml_node node, rank_t home, simgrid_platform::point made, rank_t alike) {
        builder.add_node(made.name, home, overhead_, {}, xml.line(node));
        point_of.push_back(add_point(node, std::move(made)));
        like.push_back(alike);
    }
    /// Links that no <link> names, where there may be many.
    /// @return the number of the first
    std::int32_t add_links(pugi::xml_node node, std::size_t count, const link_network::link& link) {
        if (platform.links.size() + count > most_links)
            xml.refuse(node, "too many links", "at most 2^24 of topologies and Vivaldi zones, counted each way");
        platform.links.insert(platform.links.end(), count, link);
        return static_cast<std::int32_t>(platform.links.size() - count);
    }
    /// Zones become switches when the first host is found in them.
    rank_t switch_of(rank_t z) {
        if (switches_[at(z)] >= 0) return switches_[at(z)];
        const simgrid_platform::zone& made = platform.zone_at(z);
        const rank_t parent = made.parent < 0 ? -1 : switch_of(made.parent);
        return switches_[at(z)] = builder.add_switch(made.id, parent, {}, made.line);
    }

    simgrid_platform platform;
    cluster_builder builder;
    std::vector<rank_t> point_of{};  ///< of each node
    /// The node that represents each one: of alike hosts on a switch, and of alike switches, the first three represent
    /// all, as many as it takes to find the links of a tree.
    std::vector<rank_t> like{};
    xml_file xml;
    simgrid_elements read;

  private:
    static constexpr rank_t deepest = 16;
    static constexpr std::size_t most_links = std::size_t{1} << 24;

    static std::size_t at(rank_t i) { return static_cast<std::size_t>(i); }

    /// Hosts, routers and zones may not share a name.
    void claim(pugi::xml_node node, const std::string& name, std::unordered_map<std::string, rank_t>& among, rank_t i) {
        if (platform.zone_names.contains(name) || platform.point_names.contains(name))
            xml.refuse(node, json_text(name) + " twice", "every zone, host and router once");
        among.emplace(name, i);
    }

    picoseconds overhead_;
    std::vector<rank_t> switches_;  ///< of each zone, or -1
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
