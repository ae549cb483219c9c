#pragma once

#include <string>

namespace collsched::inline v0_1 {

/// The part of a description of several clusters that is read; only Slurm's descriptions have parts.
struct cluster_part {
    std::string topology{};     ///< a topology of a topology.yaml; empty: the default one
    std::string switch_name{};  ///< a switch, with everything below it; empty: the root
};

}  // namespace collsched::inline v0_1
