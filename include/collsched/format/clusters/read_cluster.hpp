#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "collsched/format/clusters/detail/ibnetdiscover.hpp"
#include "collsched/format/clusters/detail/conf_records.hpp"
#include "collsched/format/clusters/read_json_cluster.hpp"
#include "collsched/format/clusters/detail/network_cluster.hpp"
#include "collsched/format/clusters/detail/simgrid_cluster.hpp"
#include "collsched/format/clusters/detail/slurm_cluster.hpp"
#include "collsched/format/clusters/detail/slurm_topology.hpp"
#include "collsched/format/clusters/detail/slurm_yaml_cluster.hpp"
#include "collsched/format/clusters/read_network.hpp"
#include "collsched/format/files/text_format.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

inline constexpr std::string_view cluster_formats =
    "a cluster or network in JSON, a SimGrid platform, output of ibnetdiscover, a Slurm topology.conf or topology.yaml";

/// Reads a cluster in JSON, or the cluster of a network in JSON: an object with the key `ranks`, and without `nodes`.
inline cluster cluster_of_json(const text_file& file, const cluster::defaults& defaults) {
    const json_value top = parse_json(file);
    const bool is_network =
        top.as<json_value::object>() != nullptr && !is_cluster(top) && json_reader::find(top, "ranks") != nullptr;
    if (is_network) return network_cluster(file, read_network(file)).read(defaults);
    return json_cluster_reader(file, top).read(defaults);
}

/// Rejects a part for files other than those of Slurm, which describe one cluster.
inline void refuse_parts(const cluster::part& part) {
    const std::pair<std::string_view, const std::string&> options[] = {{"topology", part.topology},
                                                                       {"switch_name", part.switch_name}};
    for (const auto& [option, value] : options)
        if (!value.empty())
            throw input_error({std::string(option), json_text(value), "none without a topology of Slurm"});
}

[[noreturn]] inline void refuse_unknown_format(const text_file& file) {
    int line = 1;
    std::size_t begin = 0;
    const auto next = [&] { return std::min(file.text.find('\n', begin), file.text.size()); };
    for (std::size_t end = next(); text_format_of(file.text.substr(begin, end - begin)) == text_file::format::empty;
         end = next(), ++line)
        begin = end + 1;
    begin = file.text.find_first_not_of(" \t\r", begin);
    const std::string word =
        file.text.substr(begin, std::min<std::size_t>(file.text.find_first_of(" \t\r\n", begin) - begin, 100));
    file.refuse(line, json_text(word), cluster_formats);
}

}  // namespace detail

/// Reads a cluster from a text. A text that begins with { or [ is JSON, of a cluster or of a network, and one that begins
/// with < is a SimGrid platform. Other texts are output of ibnetdiscover, or a Slurm topology.yaml or topology.conf,
/// distinguished by the first line that is not a comment. Ranks of a network are nodes, and messages take its shortest
/// paths. Throws input_error.
/// @param file      the text
/// @param defaults  values for links and nodes whose cost the text omits
/// @param part      the selected part of a Slurm description
/// @return the cluster
inline cluster read_cluster(const text_file& file, const cluster::defaults& defaults = {},
                            const cluster::part& part = {}) {
    if (const char* const other = rules_format(file.text))
        file.refuse(1, fmt::format("this looks like {}", other), detail::cluster_formats);
    const text_file::format format = text_format_of(file.text);
    const bool is_marked = format == text_file::format::json || format == text_file::format::xml;
    const bool is_fabric = !is_marked && detail::is_ibnetdiscover(file.text);
    if (is_marked || is_fabric) detail::refuse_parts(part);
    if (is_fabric) {
        const picoseconds latency = ps_of_us(defaults.latency_us.value_or(0));
        return detail::network_cluster(file, read_network(file, latency)).read(defaults);
    }
    switch (format) {
        case text_file::format::json: return detail::cluster_of_json(file, defaults);
        case text_file::format::xml: return detail::read_simgrid_cluster(file, defaults);
        case text_file::format::yaml: return detail::read_slurm_yaml_cluster(file, defaults, part);
        case text_file::format::slurm_conf: return detail::read_slurm_cluster(file, defaults, part);
        case text_file::format::empty: file.refuse(1, "nothing in it", detail::cluster_formats);
        case text_file::format::unknown: break;
    }
    detail::refuse_unknown_format(file);
}
/// Reads a cluster from a file. A topology.conf may include other files.
/// @param path      path of the file
/// @param defaults  values for links and nodes whose cost the file omits
/// @param part      the selected part of a Slurm description
/// @return the cluster. Failure: throws input_error.
inline cluster read_cluster(const std::filesystem::path& path, const cluster::defaults& defaults = {},
                            const cluster::part& part = {}) {
    text_file file = read_text_file(path);
    if (text_format_of(file.text) == text_file::format::slurm_conf)
        file = detail::join_included_files(std::move(file), path);
    return read_cluster(file, defaults, part);
}

}}  // namespace collsched::COLLSCHED_ABI
