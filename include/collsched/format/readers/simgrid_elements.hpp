#pragma once

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pugixml.hpp>

#include "collsched/cost/lob.hpp"
#include "collsched/format/pen.hpp"
#include "collsched/format/readers/host_list.hpp"
#include "collsched/format/readers/quantity.hpp"
#include "collsched/format/readers/rate_range.hpp"
#include "collsched/format/readers/simgrid_platform.hpp"
#include "collsched/format/readers/xml_file.hpp"

namespace collsched::inline v0_1 {

/// What single elements of a SimGrid platform say. All throw input_error.
class simgrid_elements {
  public:
    simgrid_elements(const text_file& file, const xml_file& xml) : file_(file), xml_(xml) {}

    std::string text(pugi::xml_node node, const char* name) const { return xml_.needed(node, name).value(); }

    picoseconds latency(pugi::xml_attribute attribute) const {
        return ps_of_us(quantity(attribute, quantity_us(attribute.value()), accepted_us, "a time such as 24us"));
    }
    std::int64_t byte_fs(pugi::xml_attribute attribute) const {
        return byte_fs_of(
            quantity(attribute, quantity_MBps(attribute.value()), accepted_MBps, "a bandwidth such as 125MBps"));
    }
    /// Of a <cluster> or <cabinet>.
    network_link host_link(pugi::xml_node node) const {
        return {{latency(xml_.needed(node, "lat")), byte_fs(xml_.needed(node, "bw"))},
                node.attribute("sharing_policy").value() != std::string_view("FATPIPE")};
    }
    /// Whether a message up a link of a <cluster> or <cabinet> does not disturb one down.
    bool two_ways(pugi::xml_node node) const {
        const std::string_view policy = node.attribute("sharing_policy").value();
        return policy != "SHARED" && policy != "FATPIPE";
    }
    /// What a host of a <cluster> may pass on; nothing where none is given.
    std::optional<network_link> limiter(pugi::xml_node node) const {
        const pugi::xml_attribute given = node.attribute("limiter_link");
        return given ? std::optional(network_link{.cost = {.byte_fs = byte_fs(given)}}) : std::nullopt;
    }
    /// Of a <cluster>; nothing where none is given.
    std::optional<network_link> backbone(pugi::xml_node node) const {
        const pugi::xml_attribute bandwidth = node.attribute("bb_bw"), delay = node.attribute("bb_lat");
        const picoseconds time = delay ? latency(delay) : 0;
        if (!bandwidth && time > 0) xml_.refuse(delay, "bb_lat without bb_bw", "both, or none");
        if (!bandwidth) return {};
        return network_link{{time, byte_fs(bandwidth)},
                            node.attribute("bb_sharing_policy").value() != std::string_view("FATPIPE")};
    }
    /// Of a <link> or <backbone>.
    network_link link(pugi::xml_node node) const {
        const pugi::xml_attribute delay = node.attribute("latency");
        return {{delay ? latency(delay) : 0, byte_fs(xml_.needed(node, "bandwidth"))},
                node.attribute("sharing_policy").value() != std::string_view("FATPIPE")};
    }

    /// One of these words; the first of them where the attribute is missing.
    std::string_view word(pugi::xml_node node, const char* name, std::initializer_list<std::string_view> words) const {
        const pugi::xml_attribute attribute = node.attribute(name);
        if (!attribute) return *words.begin();
        const auto* found = std::find(words.begin(), words.end(), attribute.value());
        if (found != words.end()) return *found;
        std::string accepted;
        for (const std::string_view w : words) (accepted += accepted.empty() ? "" : ", ") += w;
        refuse(attribute, accepted);
    }
    /// How a zone finds its routes.
    simgrid_platform::routing routing(pugi::xml_node zone) const {
        const pugi::xml_attribute attribute = xml_.needed(zone, "routing");
        std::string how = attribute.value();
        for (char& c : how) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        if (how == "full") return simgrid_platform::routing::full;
        if (how == "cluster") return simgrid_platform::routing::star;
        if (how == "none") return simgrid_platform::routing::none;
        refuse(attribute, "Full, Cluster, None");
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
    /// Refuses what is none of these.
    void check_children(pugi::xml_node node, std::initializer_list<std::string_view> names) const {
        for (const pugi::xml_node child : node.children()) {
            if (std::find(names.begin(), names.end(), child.name()) != names.end()) continue;
            std::string accepted;
            for (const std::string_view name : names)
                accepted += fmt::format("{}<{}>", accepted.empty() ? "" : ", ", name);
            xml_.refuse_child(child, accepted.empty() ? "nothing" : accepted);
        }
    }

    /// The numbers of a radical, "1-29,58,59,60".
    std::vector<std::int64_t> radical(pugi::xml_node node) const {
        const pugi::xml_attribute attribute = xml_.needed(node, "radical");
        std::vector<std::int64_t> numbers;
        for_each_number(attribute.value(), {file_, xml_.line(attribute)},
                        [&](std::int64_t number, std::size_t) { numbers.push_back(number); });
        return numbers;
    }
    /// How many things hang on each switch of a fat tree, level by level: "2;4,4;1,2;1,2" is 4 hosts, then 4 switches.
    collsched::fat_tree fat_tree(pugi::xml_node node, rank_t hosts) const {
        const pugi::xml_attribute attribute = xml_.needed(node, "topo_parameters");
        const std::string accepted =
            "LEVELS;DOWN,...;UP,...;CABLES,... with 16 levels at most and a product of DOWN that is the number of "
            "hosts";
        std::vector<std::vector<rank_t>> parts{{}};
        for (const char* at = attribute.value(); *at != '\0';) {
            const char* end = at + std::char_traits<char>::length(at);
            rank_t number = 0;
            const auto [stop, code] = std::from_chars(at, end, number);
            if (code != std::errc() || number < 1 || number > most_nodes) refuse(attribute, accepted);
            parts.back().push_back(number);
            if (*stop == ';') parts.emplace_back();
            else if (*stop != ',' && *stop != '\0') refuse(attribute, accepted);
            at = stop + (*stop == '\0' ? 0 : 1);
        }
        if (parts.size() != 4 || parts[0].size() != 1 || parts[0][0] > 16) refuse(attribute, accepted);
        for (std::size_t i = 1; i < 4; ++i)
            if (static_cast<rank_t>(parts[i].size()) != parts[0][0]) refuse(attribute, accepted);
        rank_t product = 1;
        for (const rank_t down : parts[1]) product = product > hosts ? product : product * down;
        if (product != hosts) refuse(attribute, fmt::format("{}, {}", accepted, hosts));
        collsched::fat_tree made(parts[1], parts[2], parts[3]);
        if (made.check()) refuse(attribute, accepted + ", and at most 2^24 cables");
        return made;
    }

  private:
    [[noreturn]] void refuse(pugi::xml_attribute attribute, std::string_view accepted) const {
        xml_.refuse(attribute, fmt::format("{} = {}", attribute.name(), json_text(attribute.value())), accepted);
    }
    double quantity(pugi::xml_attribute attribute, std::optional<double> value, const rate_range& range,
                    std::string_view example) const {
        if (!value || !range.holds(*value)) refuse(attribute, fmt::format("{}, {}", example, range.text));
        return *value;
    }

    const text_file& file_;
    const xml_file& xml_;
};

}  // namespace collsched::inline v0_1
