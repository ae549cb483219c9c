#pragma once

#include <cstddef>
#include <filesystem>

#include "collsched/format/readers/json_cluster.hpp"
#include "collsched/format/readers/simgrid_cluster.hpp"
#include "collsched/format/readers/slurm_cluster.hpp"

namespace collsched::inline v0_1 {

/// A cluster from a text that begins with { or [ (JSON) or < (a SimGrid platform), else from a Slurm topology.conf.
/// Throws input_error.
inline cluster read_cluster(const text_file& file, const cluster_defaults& defaults = {}) {
    const std::size_t first = file.text.find_first_not_of(" \t\r\n");
    if (first == file.text.npos) file.refuse(1, "nothing in it", "JSON, a SimGrid platform, a Slurm topology.conf");
    if (file.text[first] == '{' || file.text[first] == '[') return read_json_cluster(file, defaults);
    if (file.text[first] == '<') return read_simgrid_cluster(file, defaults);
    return read_slurm_cluster(file, defaults);
}
inline cluster read_cluster(const std::filesystem::path& path, const cluster_defaults& defaults = {}) {
    return read_cluster(read_text_file(path), defaults);
}

}  // namespace collsched::inline v0_1
