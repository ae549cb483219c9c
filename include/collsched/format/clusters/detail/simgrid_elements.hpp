#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pugixml.hpp>

#include "collsched/core/checked.hpp"
#include "collsched/cost/lob.hpp"
#include "collsched/format/text.hpp"
#include "collsched/format/files/detail/host_list.hpp"
#include "collsched/format/files/detail/quantity.hpp"
#include "collsched/format/clusters/cluster.hpp"
#include "collsched/format/clusters/detail/simgrid_platform.hpp"
#include "collsched/format/files/detail/xml_file.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Whether every bandwidth must be a whole number of bytes per second. The exact bandwidth of links is 0 otherwise.
enum class simgrid_bandwidths { rounded, integral };

/// Converts single elements of a SimGrid platform. All functions throw input_error.
class simgrid_elements {
  public:
    simgrid_elements(const text_file& file, const xml_file& xml,
                     simgrid_bandwidths bandwidths = simgrid_bandwidths::rounded)
        : file_(file), xml_(xml), bandwidths_(bandwidths) {}

    std::string text(pugi::xml_node node, const char* name) const { return xml_.needed(node, name).value(); }

    /// Returns a link of `width` times the bandwidth of an attribute. A value out of range is a fault of the link: SimGrid
    /// accepts it, and it matters only if a route between hosts has the link.
    /// @param time  attribute of the latency; without one it is 0
    simgrid_link link_of(pugi::xml_attribute time, pugi::xml_attribute bandwidth, bool is_shared = true,
                         rank_t width = 1) const {
        simgrid_link link;
        link.shared = is_shared;
        if (time)
            link.cost.latency_ps =
                ps_of_us(quantity(time, quantity_us(time.value()), range_us, "a time such as 24us", link));
        std::optional<double> MBps = quantity_MBps(bandwidth.value());
        if (MBps) *MBps *= static_cast<double>(width);
        link.cost.byte_fs = byte_fs_of(quantity(bandwidth, MBps, range_MBps, "a bandwidth such as 125MBps", link));
        if (!link.fault) read_exact_bandwidth(bandwidth, width, link);
        return link;
    }
    /// Returns the link of a host of a <cluster> or <cabinet>, or a cable of a topology with `width` times its
    /// bandwidth. Messages share it: SimGrid takes FATPIPE for SHARED here.
    simgrid_link host_link(pugi::xml_node node, rank_t width = 1) const {
        return link_of(xml_.needed(node, "lat"), xml_.needed(node, "bw"), true, width);
    }
    /// Returns whether the two directions of a link of a <cluster> or <cabinet> are independent.
    bool two_ways(pugi::xml_node node) const {
        const std::string_view policy = node.attribute("sharing_policy").value();
        return policy != "SHARED" && policy != "FATPIPE";
    }
    /// Returns the limiter of a host of a <cluster>; nothing if there is none.
    std::optional<simgrid_link> limiter(pugi::xml_node node) const {
        const pugi::xml_attribute limiter = node.attribute("limiter_link");
        return limiter ? std::optional(link_of({}, limiter)) : std::nullopt;
    }
    /// Returns the loopback of each host of a <cluster>; nothing if there is none.
    std::optional<simgrid_link> loopback(pugi::xml_node node) const {
        const pugi::xml_attribute bandwidth = node.attribute("loopback_bw");
        if (!bandwidth) return {};
        return link_of(node.attribute("loopback_lat"), bandwidth, false);
    }
    /// Returns the backbone of a <cluster>; nothing if there is none.
    std::optional<simgrid_link> backbone(pugi::xml_node node) const {
        const pugi::xml_attribute bandwidth = node.attribute("bb_bw"), delay = node.attribute("bb_lat");
        if (!bandwidth && quantity_us(delay.value()).value_or(1) > 0 && delay)
            xml_.refuse(delay, "bb_lat without bb_bw", "both, or none");
        if (!bandwidth) return {};
        return link_of(delay, bandwidth, node.attribute("bb_sharing_policy").value() != std::string_view("FATPIPE"));
    }
    /// Returns the link of a <link> or <backbone>.
    simgrid_link link(pugi::xml_node node) const {
        return link_of(node.attribute("latency"), xml_.needed(node, "bandwidth"),
                       node.attribute("sharing_policy").value() != std::string_view("FATPIPE"));
    }

    /// Returns the attribute, one of these words. The first word is the default.
    std::string_view word(pugi::xml_node node, const char* name, std::initializer_list<std::string_view> words) const {
        const pugi::xml_attribute attribute = node.attribute(name);
        if (!attribute) return *words.begin();
        const auto* found = std::find(words.begin(), words.end(), attribute.value());
        if (found != words.end()) return *found;
        refuse(attribute, fmt::format("{}", fmt::join(words, ", ")));
    }
    /// Returns the routing of a zone.
    simgrid_platform::routing routing(pugi::xml_node zone) const {
        using enum simgrid_platform::routing;
        constexpr std::pair<std::string_view, simgrid_platform::routing> words[] = {
            {"full", full},       {"floyd", floyd},  {"dijkstra", dijkstra}, {"dijkstracache", dijkstra},
            {"vivaldi", vivaldi}, {"cluster", star}, {"none", none}};
        const pugi::xml_attribute attribute = xml_.needed(zone, "routing");
        std::string name = attribute.value();
        for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        for (const auto& [word, kind] : words)
            if (name == word) return kind;
        refuse(attribute, "Full, Floyd, Dijkstra, DijkstraCache, Vivaldi, Cluster, None");
    }
    /// Returns the coordinates of a point of Vivaldi's routing, in milliseconds: x, y, and the part that is added to
    /// every distance.
    std::array<double, 3> coordinates(pugi::xml_node node) const {
        const pugi::xml_attribute attribute = xml_.needed(node, "coordinates");
        std::array<double, 3> found{};
        std::size_t count = 0;
        std::string_view unread = attribute.value();
        for (unread = trimmed(unread); !unread.empty(); unread = trimmed(unread)) {
            const std::size_t end = std::min(unread.find(' '), unread.size());
            const auto number = detail::split_quantity(unread.substr(0, end));
            if (!number || !number->second.empty() || std::abs(number->first) > 2e8 || count == 3)
                refuse(attribute, expected_coordinates);
            found[count++] = number->first;
            unread = unread.substr(end);
        }
        if (count != 3) refuse(attribute, expected_coordinates);
        return found;
    }
    bool symmetrical(pugi::xml_node route) const {
        const std::string_view answer = word(route, "symmetrical", {"YES", "yes", "NO", "no"});
        return answer == "YES" || answer == "yes";
    }
    void check_version(pugi::xml_node platform) const {
        const pugi::xml_attribute attribute = xml_.needed(platform, "version");
        const auto version = detail::split_quantity(attribute.value());
        if (!version || !version->second.empty() || version->first < 4 || version->first > 4.1)
            refuse(attribute, "4 or 4.1");
    }
    /// Rejects child elements with other names.
    void check_children(pugi::xml_node node, std::initializer_list<std::string_view> names) const {
        for (const pugi::xml_node child : node.children()) {
            if (std::find(names.begin(), names.end(), child.name()) != names.end()) continue;
            xml_.refuse_child(child, names.size() == 0 ? "nothing" : fmt::format("<{}>", fmt::join(names, ">, <")));
        }
    }

    /// Returns the numbers of a radical such as "1-29,58,59,60".
    std::vector<std::int64_t> radical(pugi::xml_node node) const {
        const pugi::xml_attribute attribute = xml_.needed(node, "radical");
        std::vector<std::int64_t> numbers;
        for_each_number(attribute.value(), {file_, xml_.line(attribute)},
                        [&](std::int64_t number, std::size_t) { numbers.push_back(number); });
        return numbers;
    }
    /// Returns the topology of a <cluster> whose topology is not FLAT.
    /// @param fat_tree_hosts hosts of the preceding fat trees
    simgrid_platform::topology topology(pugi::xml_node node, rank_t hosts, rank_t fat_tree_hosts) const {
        const pugi::xml_attribute attribute = xml_.needed(node, "topo_parameters");
        const std::vector<std::vector<rank_t>> parts = numbers(attribute);
        const std::string_view name = word(node, "topology", {"FLAT", "FAT_TREE", "TORUS", "DRAGONFLY"});
        return name == "TORUS"       ? torus(attribute, parts, hosts)
               : name == "DRAGONFLY" ? dragonfly(attribute, parts, hosts)
                                     : fat_tree(attribute, parts, hosts, fat_tree_hosts);
    }

  private:
    [[noreturn]] void refuse(pugi::xml_attribute attribute, std::string_view expected) const {
        xml_.refuse_value(attribute, expected);
    }
    /// Returns a value, or the nearest one in range with a fault of the link. Rejects a text that is no quantity.
    double quantity(pugi::xml_attribute attribute, std::optional<double> value, const rate_range& range,
                    std::string_view example, simgrid_link& link) const {
        const std::string expected = fmt::format("{}, {}", example, range.text);
        if (!value) refuse(attribute, expected);
        if (range.holds(*value)) return *value;
        if (!link.fault) link.fault = xml_.mistake_of(attribute, expected);
        return std::clamp(*value, range.least, range.most);
    }

    /// Reads `width` times a bandwidth in bytes per second.
    void read_exact_bandwidth(pugi::xml_attribute attribute, rank_t width, simgrid_link& link) const {
        if (bandwidths_ == simgrid_bandwidths::rounded) return;
        const checked found = checked(whole_Bps(attribute.value()).value_or(0)) * width;
        if (found.ok() && found.value() >= 1 && found.value() <= 2'000'000'000'000'000) link.bandwidth = found.value();
        else
            link.fault =
                xml_.mistake_of(attribute, "a decimal number that is a whole number of bytes per second, 1 to 2e15");
    }

    /// Returns lists of numbers from 1 to 2^20 such as "2;4,4": commas separate numbers, semicolons separate lists.
    /// Returns no list if the text is malformed.
    static std::vector<std::vector<rank_t>> numbers(pugi::xml_attribute attribute) {
        std::vector<std::vector<rank_t>> parts{{}};
        const char* at = attribute.value();
        const char* end = at + std::char_traits<char>::length(at);
        while (true) {
            rank_t number = 0;
            const auto [stop, code] = std::from_chars(at, end, number);
            if (code != std::errc() || number < 1 || number > most_nodes) return {};
            parts.back().push_back(number);
            if (stop == end) return parts;
            if (*stop == ';') parts.emplace_back();
            else if (*stop != ',') return {};
            at = stop + 1;
        }
    }
    /// Returns the product if it is at most `most`, else a number above `most`.
    static rank_t product(const std::vector<rank_t>& numbers, rank_t most) {
        rank_t all = 1;
        for (const rank_t n : numbers) all = all > most ? all : all * n;
        return all;
    }
    /// Reads a fat tree such as "2;4,4;1,2;1,2": the number of levels; per level the number of children per switch, of
    /// parents per host or switch, and of cables to each parent.
    simgrid_platform::topology fat_tree(pugi::xml_attribute attribute, const std::vector<std::vector<rank_t>>& parts,
                                        rank_t hosts, rank_t before) const {
        const std::string expected =
            "LEVELS;DOWN,...;UP,...;CABLES,... with 16 levels at most and a product of DOWN that is the number of "
            "hosts";
        if (parts.size() != 4 || parts[0].size() != 1) refuse(attribute, expected);
        const auto levels = static_cast<std::size_t>(parts[0][0]);
        if (levels > static_cast<std::size_t>(fat_tree_cables::most_levels)) refuse(attribute, expected);
        for (std::size_t i = 1; i < 4; ++i)
            if (parts[i].size() != levels) refuse(attribute, expected);
        if (product(parts[1], hosts) != hosts) refuse(attribute, fmt::format("{}, {}", expected, hosts));
        const fat_tree_cables cables(parts[1], parts[2], parts[3], before);
        if (!cables.fits()) refuse(attribute, expected + ", and at most 2^24 cables");
        return cables;
    }
    /// Reads a torus such as "4,4,2": the number of hosts per dimension. The first coordinate varies fastest.
    simgrid_platform::topology torus(pugi::xml_attribute attribute, const std::vector<std::vector<rank_t>>& parts,
                                     rank_t hosts) const {
        const std::string expected = "N,N,... with 16 dimensions at most and a product that is the number of hosts";
        if (parts.size() != 1 || parts[0].size() > 16) refuse(attribute, expected);
        if (product(parts[0], hosts) != hosts) refuse(attribute, fmt::format("{}, {}", expected, hosts));
        return torus_cables(parts[0]);
    }
    /// Reads a dragonfly such as "3,4;4,3;5,1;2": the number of groups, of chassis per group and of routers per
    /// chassis, each with the width of the cables between them; and the number of hosts per router.
    simgrid_platform::topology dragonfly(pugi::xml_attribute attribute, const std::vector<std::vector<rank_t>>& parts,
                                         rank_t hosts) const {
        const std::string expected =
            "GROUPS,WIDTH;CHASSIS,WIDTH;ROUTERS,WIDTH;HOSTS with a product of these that is the number of hosts";
        if (parts.size() != 4 || parts[3].size() != 1) refuse(attribute, expected);
        for (std::size_t i = 0; i < 3; ++i)
            if (parts[i].size() != 2) refuse(attribute, expected);
        if (product({parts[0][0], parts[1][0], parts[2][0], parts[3][0]}, hosts) != hosts)
            refuse(attribute, fmt::format("{}, {}", expected, hosts));
        const simgrid_dragonfly dragonfly({parts[0][0], parts[0][1]}, {parts[1][0], parts[1][1]},
                                          {parts[2][0], parts[2][1]}, parts[3][0]);
        if (!dragonfly.check())
            refuse(attribute, expected + ", no more groups than ROUTERS, and fewer than 2^31 cables");
        return dragonfly;
    }
    static std::string_view trimmed(std::string_view text) {
        return text.substr(std::min(text.find_first_not_of(' '), text.size()));
    }
    static constexpr std::string_view expected_coordinates = "X Y Z, each from -2e8 to 2e8 ms";

    const text_file& file_;
    const xml_file& xml_;
    simgrid_bandwidths bandwidths_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
