#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "collsched/format/clusters/detail/join_included_files.hpp"
#include "collsched/format/clusters/read_json_cluster.hpp"
#include "collsched/format/files/text_format.hpp"
#include "collsched/format/clusters/detail/simgrid_cluster.hpp"
#include "collsched/format/clusters/detail/slurm_cluster.hpp"
#include "collsched/format/clusters/detail/slurm_topology.hpp"
#include "collsched/format/clusters/detail/slurm_yaml_cluster.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

inline constexpr std::string_view cluster_formats = "JSON, a SimGrid platform, a Slurm topology.conf or topology.yaml";

/// Rejects a part for JSON files and SimGrid platforms, which describe one cluster.
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

/// Reads a cluster from a text. A text that begins with { or [ is JSON, and one that begins with < is a SimGrid
/// platform. Other texts are a Slurm topology.yaml or topology.conf, distinguished by the first line that is not a
/// comment. Throws input_error.
/// @param file      the text
/// @param defaults  values for links and nodes whose cost the text omits
/// @param part      the selected part of a Slurm description
/// @return the cluster
inline cluster read_cluster(const text_file& file, const cluster::defaults& defaults = {},
                            const cluster::part& part = {}) {
    if (const char* const other = rules_format(file.text))
        file.refuse(1, fmt::format("this looks like {}", other), detail::cluster_formats);
    switch (text_format_of(file.text)) {
        case text_file::format::json: detail::refuse_parts(part); return read_json_cluster(file, defaults);
        case text_file::format::xml: detail::refuse_parts(part); return detail::read_simgrid_cluster(file, defaults);
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
