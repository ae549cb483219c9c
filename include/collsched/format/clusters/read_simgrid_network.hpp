#pragma once

#include <filesystem>

#include "collsched/format/clusters/detail/simgrid_network.hpp"
#include "collsched/format/clusters/detail/simgrid_zones.hpp"
#include "collsched/format/files/text_file.hpp"
#include "collsched/topology/network.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Reads the network of a SimGrid platform, version 4 or 4.1: the elements of read_cluster(), except routing Vivaldi.
/// Hosts are ranks, in the order of the file. Routers, backbones, and the switches of topologies are switches. Routes
/// become paths of the links that they list, but paths of the network may combine parts of several routes.
///
/// - A link in one direction between two vertices is a link, as is each direction of a SPLITDUPLEX link.
/// - A link with one capacity for several pairs of vertices (SHARED, or a backbone) is two switches, "NAME" and
///   "NAME_out", with a link of its bandwidth from one to the other, which all its data passes.
/// - A FATPIPE link does not limit the sum of its messages. It has the sum of the bandwidths of all other links. It is an
///   error at a host, since a bound may then not exist.
///
/// Bandwidths are exact: decimal numbers that are a whole number of bytes per second, 1 to 2e15. Latencies are rounded to
/// picoseconds. There are at most 2^20 vertices and 2^22 links. O(text + links of all routes), and the time of
/// read_cluster() for routing Floyd and Dijkstra. Throws input_error.
/// Source: SimGrid's reference of platform files.
/// @param file  the text
/// @return the network, without an error
inline topology::network read_simgrid_network(const text_file& file) {
    const detail::simgrid_zones zones(file, 0, detail::simgrid_bandwidths::whole);
    return detail::simgrid_network(zones).read();
}
/// Reads the file of this path. Throws input_error.
/// @param path  path of the file
/// @return the network, without an error
inline topology::network read_simgrid_network(const std::filesystem::path& path) {
    return read_simgrid_network(read_text_file(path));
}

}}  // namespace collsched::COLLSCHED_ABI
