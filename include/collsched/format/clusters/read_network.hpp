#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collsched/cost/concepts.hpp"
#include "collsched/format/clusters/detail/cluster_builder.hpp"
#include "collsched/format/clusters/detail/ibnetdiscover.hpp"
#include "collsched/format/clusters/detail/simgrid_network.hpp"
#include "collsched/format/clusters/detail/simgrid_zones.hpp"
#include "collsched/format/clusters/read_json_cluster.hpp"
#include "collsched/format/files/json_reader.hpp"
#include "collsched/format/files/text_file.hpp"
#include "collsched/topology/network.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Reads a network from a text in JSON: an object with the keys `ranks` and `switches`, lists of names, and `links`, a
/// list of objects with the keys `from`, `to`, `bandwidth_Bps` and `latency_us`. Vertices and links keep the order of
/// the text. `switches` may be omitted. The texts `name` and `note` are optional and not kept.
///
/// Numbers are decimal. A bandwidth is a whole number of bytes per second, 1 to 2e15, and may be written as 2.5e10. A
/// latency is 0 to 1e12 microseconds, rounded to picoseconds. There are at most 2^20 vertices and 2^22 links.
/// O(ranks + switches + links). Throws input_error.
class json_network_reader : json_reader {
  public:
    explicit json_network_reader(const text_file& file) : json_reader(file) {}

    /// @param top  the text, with decimal numbers
    topology::network read(const json_value& top) {
        check_keys(top, "a network", {"name", "note", "ranks", "switches", "links"});
        for (const std::string_view key : {"name", "note"})
            if (const json_value* found = find(top, key)) text(*found, key);
        const json_value& ranks = needed(top, "ranks");
        read_vertices(ranks, "ranks");
        if (names_.empty()) file_.refuse(ranks.line, "ranks", "none", "one or more");
        const auto p = static_cast<rank_t>(names_.size());
        if (const json_value* switches = find(top, "switches")) read_vertices(*switches, "switches");
        read_links(needed(top, "links"));
        return named_network(file_, top.line, p, names_, links_);
    }

  private:
    static constexpr std::size_t most_vertices = std::size_t{1} << 20, most_links = std::size_t{1} << 22;

    void read_vertices(const json_value& of, std::string_view key) {
        std::size_t i = 0;
        for (const json_value& value : list(of, key)) {
            const std::string argument = fmt::format("{}[{}]", key, i++);
            const std::string& name = text(value, argument);
            if (name.empty() || name.find('\0') != name.npos)
                file_.refuse(value.line, argument, json_text(name), "a name, not empty, without zero bytes");
            if (names_.size() == most_vertices)
                file_.refuse(value.line, key, "too many vertices", fmt::format("at most {}", most_vertices));
            if (!vertex_of_.try_emplace(name, static_cast<rank_t>(names_.size())).second)
                file_.refuse(value.line, argument, json_text(name), "a name that no other vertex has");
            names_.push_back(name);
        }
    }

    void read_links(const json_value& of) {
        const json_value::list& all = list(of, "links");
        if (all.size() > most_links)
            file_.refuse(all[most_links].line, "links", "too many links", fmt::format("at most {}", most_links));
        links_.reserve(all.size());
        for (const json_value& link : all) {
            const std::string argument = fmt::format("links[{}]", links_.size());
            check_keys(link, argument, {"from", "to", "bandwidth_Bps", "latency_us"});
            const rank_t from = vertex(link, argument, "from"), to = vertex(link, argument, "to");
            if (from == to) {
                const json_value& value = *find(link, "to");
                file_.refuse(value.line, argument + ".to", json_text(text(value, "to")), "another vertex than `from`");
            }
            links_.push_back({from, to,
                              number(link, argument, "bandwidth_Bps", {}, 1, 2'000'000'000'000'000,
                                     "a whole number of bytes per second, 1 to 2e15"),
                              number(link, argument, "latency_us", {.power = 6, .rounds = true}, 0,
                                     1'000'000'000'000'000'000, "0 to 1e12 us")});
        }
    }
    const json_value& member(const json_value& link, const std::string& argument, std::string_view key,
                             std::string_view expected) const {
        const json_value* found = find(link, key);
        if (found == nullptr) file_.refuse(link.line, fmt::format("{}.{}", argument, key), "", expected);
        return *found;
    }
    rank_t vertex(const json_value& link, const std::string& argument, std::string_view key) const {
        constexpr std::string_view expected = "a name of `ranks` or `switches`";
        const json_value& value = member(link, argument, key, expected);
        const std::string& name = text(value, fmt::format("{}.{}", argument, key));
        const auto found = vertex_of_.find(name);
        if (found == vertex_of_.end())
            file_.refuse(value.line, fmt::format("{}.{}", argument, key), json_text(name), expected);
        return found->second;
    }
    std::int64_t number(const json_value& link, const std::string& argument, std::string_view key, decimal_scale scale,
                        std::int64_t least, std::int64_t most, std::string_view expected) const {
        return scaled_number(file_, member(link, argument, key, expected), fmt::format("{}.{}", argument, key), scale,
                             least, most, expected);
    }

    std::unordered_map<std::string, rank_t> vertex_of_;
    std::vector<std::string> names_;
    std::vector<topology::network::link> links_;
};

/// Returns whether JSON is a cluster rather than a network: an object with the key `nodes`.
inline bool is_cluster(const json_value& top) {
    return top.as<json_value::object>() != nullptr && json_reader::find(top, "nodes") != nullptr;
}

inline topology::network network_of_json(const text_file& file) {
    const json_value top = parse_json(file, json_numbers::as_decimal);
    return is_cluster(top) ? json_cluster_reader(file, top).read_network() : json_network_reader(file).read(top);
}

/// Rejects a text whose first line that is not empty is of no known format.
[[noreturn]] inline void refuse_line(const text_file& file, std::string_view formats) {
    const std::size_t first = file.text.find_first_not_of(" \t\r\n");
    const auto line = 1 + std::count(file.text.begin(), file.text.begin() + static_cast<std::ptrdiff_t>(first), '\n');
    const std::string found = file.text.substr(first, file.text.find_first_of("\r\n", first) - first);
    file.refuse(static_cast<int>(line), json_text(found.substr(0, 100)), formats);
}

}  // namespace detail

/// Reads the network of a text in one of four formats, which the content selects. docs/networks.md describes them.
///
/// - JSON of a network: vertices and links in the order of the text.
/// - JSON of a cluster: nodes are ranks, inner vertices of the tree are switches, and the vertex below has a cable to the
///   vertex above. Matrices are an error.
/// - A SimGrid platform, with any routing but Vivaldi: hosts are ranks, in the order of the file. Routers, backbones, and
///   the switches of topologies are switches. A link that several pairs of vertices share is two switches, "NAME" and
///   "NAME_out", with a link of its bandwidth from one to the other.
/// - Output of `ibnetdiscover`: adapters are ranks.
///
/// Bandwidths are exact: decimal numbers that are a whole number of bytes per second, 1 to 2e15. Latencies are rounded to
/// picoseconds. There are at most 2^20 vertices and 2^22 links. O(text + links of all routes), and the time of
/// read_cluster() for SimGrid's routing Floyd and Dijkstra. Throws input_error.
/// @param file     the text
/// @param latency  of each link of output of ibnetdiscover, which has none, in picoseconds, 0 to 10^18
/// @return the network, without an error
inline topology::network read_network(const text_file& file, picoseconds latency = 0) {
    constexpr std::string_view formats = "a network or cluster in JSON, a SimGrid platform, or output of ibnetdiscover";
    switch (text_format_of(file.text)) {
        case text_file::format::json: return detail::network_of_json(file);
        case text_file::format::xml:
            return detail::simgrid_network(detail::simgrid_zones(file, 0, detail::simgrid_bandwidths::integral)).read();
        case text_file::format::empty: file.refuse(1, "nothing in it", formats);
        default: break;
    }
    if (!detail::is_ibnetdiscover(file.text)) detail::refuse_line(file, formats);
    return detail::ibnetdiscover_reader(file).read(latency);
}
/// Reads the file of this path. Throws input_error.
/// @param path     path of the file
/// @param latency  of each link of output of ibnetdiscover, in picoseconds, 0 to 10^18
/// @return the network, without an error
inline topology::network read_network(const std::filesystem::path& path, picoseconds latency = 0) {
    return read_network(read_text_file(path), latency);
}

}}  // namespace collsched::COLLSCHED_ABI
