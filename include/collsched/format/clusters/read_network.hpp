#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "collsched/cost/picoseconds.hpp"
#include "collsched/format/clusters/detail/ibnetdiscover.hpp"
#include "collsched/format/clusters/read_json_cluster.hpp"
#include "collsched/format/clusters/detail/json_network.hpp"
#include "collsched/format/clusters/detail/simgrid_network.hpp"
#include "collsched/format/clusters/detail/simgrid_zones.hpp"
#include "collsched/format/files/text_format.hpp"
#include "collsched/format/files/text_file.hpp"
#include "collsched/topology/network.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

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
