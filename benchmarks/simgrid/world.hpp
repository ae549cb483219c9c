#pragma once

#include <fstream>
#include <string>
#include <utility>

#include "collsched/cost/lob.hpp"
#include "collsched/format/clusters/read_cluster.hpp"
#include "collsched/topology/placement.hpp"

namespace simulated {

/// The simulated nodes, for planners and two-level algorithms, in the order of ranks.
struct world {
    collsched::rank_t rank = 0, ranks = 1;
    collsched::lob_model nodes{};
    collsched::topology::placement clusters{};  ///< one "node" for all that hangs on the same switch
    bool one_switch = true;
    const char* platform = "";  ///< path of its file
    const char* hosts = "";     ///< path of the host file
};

/// From a platform and a host file, which has one host a rank, as smpirun takes them. Throws input_error.
inline world read_world(const char* platform, const char* hosts, double overhead_us, collsched::rank_t rank,
                        collsched::rank_t ranks) {
    using namespace collsched;
    const cluster all = read_cluster(platform, {.overhead_us = overhead_us});
    std::ifstream lines(hosts);
    std::string names;
    rank_t count = 0;
    for (std::string host; count < ranks && std::getline(lines, host); ++count) names += (count ? "," : "") + host;
    const topology::placement where = read_placement(names, all, ranks);
    world found{rank, ranks, all.cost.placed(where)};
    found.clusters = found.nodes.switches().by_switch();
    found.one_switch = found.clusters.nodes() == 1;
    found.platform = platform;
    found.hosts = hosts;
    return found;
}

}  // namespace simulated
